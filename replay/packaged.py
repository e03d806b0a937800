"""Where the files that travel with Tabletape lie: component sheets, golden and sample streams, schemas."""

from pathlib import Path


def data_root() -> Path:
    """Return the folder of the packaged data files.

    In a checkout (also one installed as editable) it is `data/` beside the packages; an installed wheel carries the
    same files as `replay/_data`.
    """
    root = Path(__file__).parents[1]
    return root / "data" if (root / "pyproject.toml").is_file() else root / "replay" / "_data"
