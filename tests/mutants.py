"""Mutation testing of core/ and events/: small faults put into the code one at a time, to see whether a test notices.

python -m tests.mutants engine --seed 1 --each 60

mutmut does the work, in a copy of the tree under build/. It passes over decorated functions, which are half of our
rules: in the copy, `@reducer.on(Event)` above a function is a call below it. What survives is printed as a change of
the code; docs/mutation.md says what became of those.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
COPIED = ("core", "events", "replay", "tests", "data", "docs")
KILLED = (1, 2, 3, 24, 36, 152, -24)
"""What mutmut notes for a mutant that a test noticed, or that no longer came to an end."""


def group(modules: str, tests: str) -> tuple[list[str], list[str]]:
    """Give modules, and the quick tests that are about them: no whole games, bots or processes."""
    return modules.split(), tests.split()


def game(slug: str, tests: str) -> tuple[list[str], list[str]]:
    """Give the rules of a game and its tests."""
    modules = [f"core/games/{slug}/{name}.py" for name in ("cards", "geometry", "jars", "reducer", "rules", "scoring")]
    return modules, [f"tests/core/games/{slug}/test_{name}.py" for name in tests.split()]


GROUPS = {
    "engine": group(
        "core/chance.py core/engine.py core/ranking.py core/redact.py core/rng.py core/sheets.py core/streams.py"
        " events/codec.py events/jsonl.py events/tape.py events/upcast.py",
        "tests/core/test_chance.py tests/core/test_engine.py tests/core/test_redact.py tests/core/test_rng.py"
        " tests/core/test_sheets.py tests/core/test_streams.py tests/events",
    ),
    "imported": group(
        "core/reducer.py events/marks.py",
        "tests/core/test_engine.py tests/core/test_paths.py tests/core/test_redact.py",
    ),
    "checks": group("core/conformance.py", "tests/core/test_conformance.py"),
    "dealing": group("core/determinise.py", "tests/core/test_search.py"),
    "cherry": game("cherry_on_the_cake", "die end geometry jars rounds setup"),
    "picnic": game("picnic_palace", "scoring setup turns"),
    "queen": game("queen_of_the_cupcakes", "end setup turn"),
    "trash": game("trash_pandas", "bonus_turn cards decisions rolling scoring thefts tokens yum_yum"),
}


def undecorated(source: str) -> str:
    """Give the text of a module whose top-level decorators are calls below their functions.

    Caches are left out: of a function that has answered before, nobody sees which tests need it.

    >>> print(undecorated("@on(Event)\\ndef rule(table):\\n    return table\\n"))
    def rule(table):
        return table
    rule = on(Event)(rule)
    """
    lines = source.splitlines()
    for node in reversed(ast.parse(source).body):
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            (decorator,) = node.decorator_list
            call = ast.unparse(decorator)
            if "cache" not in call:
                lines.insert(node.end_lineno or 0, f"{node.name} = {call}({node.name})")
            del lines[decorator.lineno - 1 : node.lineno - 1]
    return "\n".join(lines)


def copy_tree(copy: Path, modules: list[str], tests: list[str], warmup: str) -> None:
    """Copy what the tests need, with the decorators of core/ and events/ written as calls, and the settings of mutmut.

    `warmup` is what the process has done that each mutant starts from: `collect` (the tests are imported) or `none`.
    """
    shutil.rmtree(copy, ignore_errors=True)
    for name in COPIED:
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    settings = Path(__file__).with_suffix(".cfg").read_text(encoding="utf-8")
    for name, values in (("{modules}", modules), ("{tests}", tests)):
        settings = settings.replace(f"\n    {name}", "".join([f"\n    {value}" for value in values]))
    (copy / "setup.cfg").write_text(settings.replace("{warmup}", warmup), encoding="utf-8")
    for path in (path for package in ("core", "events") for path in (copy / package).rglob("*.py")):
        path.write_text(undecorated(path.read_text(encoding="utf-8")) + "\n", encoding="utf-8")


def mutmut(copy: Path, *arguments: str) -> str:
    """Run mutmut in the copy, and give what it prints."""
    command = [str(Path(sys.executable).with_name("mutmut")), *arguments]
    done = subprocess.run(command, cwd=copy, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout


def verdicts(copy: Path) -> dict[str, dict[str, int | None]]:
    """Give, for each module, the exit code of the tests for each mutant; None for one that has not been tried."""
    found = {}
    for path in sorted((copy / "mutants").rglob("*.meta")):
        codes = json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
        if codes:
            found[path.relative_to(copy / "mutants").as_posix().removesuffix(".meta")] = codes
    return found


def change(module: Path, mutant: str) -> str:
    """Give the lines that a mutant has in place of those of the module."""
    text = module.read_text(encoding="utf-8")
    named = {node.name: node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)}
    name = mutant.rpartition(".")[2]
    before, after = [
        (ast.get_source_segment(text, named[side]) or "").splitlines()[1:]
        for side in (name.rpartition("_")[0] + "_orig", name)
    ]
    return "\n".join([line for line in difflib.ndiff(before, after) if line[0] in "-+"])


def main() -> None:
    """Draw mutants of each module of a group, try them, print a table of the modules and what has survived."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("group", choices=GROUPS)
    parser.add_argument("--seed", type=int, default=1, help="of the sample (1)")
    parser.add_argument("--each", type=int, default=60, help="mutants of a module, at most (60)")
    asked = parser.parse_args()
    copy = ROOT / "build" / f"mutants-{asked.group}"
    copy_tree(copy, *GROUPS[asked.group], "none" if asked.group == "imported" else "collect")
    # No mutant is called so: mutmut writes all of them down, looks which tests come to which function, and stops there.
    said = mutmut(copy, "run", "none")
    dice = random.Random(asked.seed)
    drawn = {
        module: sorted(dice.sample(sorted(codes), min(asked.each, len(codes))))
        for module, codes in verdicts(copy).items()
    }
    if "nothing matches" in said:
        said = mutmut(copy, "run", "--max-children", "1", *[name for names in drawn.values() for name in names])
    found = verdicts(copy)
    if any(found[module][name] is None for module, names in drawn.items() for name in names):
        raise SystemExit(said[-8000:])
    print("| module | mutants | tried | killed | survived |\n|---|--:|--:|--:|--:|")
    for module, names in drawn.items():
        killed = sum([found[module][name] in KILLED for name in names])
        print(f"| {module} | {len(found[module])} | {len(names)} | {killed} | {len(names) - killed} |")
    for module, names in drawn.items():
        for name in names:
            if found[module][name] not in KILLED:
                print(f"\n{name} ({found[module][name]})", change(copy / "mutants" / module, name), sep="\n")


if __name__ == "__main__":
    main()
