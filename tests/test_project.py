"""Rules that hold for the whole project, read from its source. Each rule is also shown a file that breaks it."""

import ast
import importlib.metadata
import re
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
# Who may import whom: dashboard -> replay -> core -> events.
ARROWS = {
    "events": {"events"},
    "core": {"events", "core"},
    "replay": {"events", "core", "replay"},
    "dashboard": {"events", "core", "replay", "dashboard"},
}
PURE = ("events", "core")
OPENS_DUCKDB = "replay/storage/attachment.py"
ASKS_DUCKDB = "replay/storage/database.py"
SANDBOX = "replay/sql/sandbox.py"  # a process of its own, which runs typed SQL
IMPURE_MODULES = {
    "asyncio",
    "datetime",
    "duckdb",
    "http",
    "io",
    "logging",
    "os",
    "pathlib",
    "random",
    "secrets",
    "shutil",
    "socket",
    "sqlite3",
    "structlog",
    "subprocess",
    "tempfile",
    "threading",
    "time",
    "urllib",
    "uuid",
}
IMPURE_CALLS = {"open", "print", "input"}
KEEP_ORDER = {"list", "tuple", "enumerate", "iter", "zip", "map", "filter"}
FORBIDDEN_TEXT = re.compile(
    r"executemany|unsafe_allow_html|unsafe_allow_javascript|\bst\.(?:html|iframe)\b|components\.v1"
    r"|innerHTML|outerHTML|insertAdjacentHTML|document\.write"
)

Rule = Callable[[str, ast.Module], Iterator[str]]


def sources(*folders: str, suffixes: tuple[str, ...] = (".py",)) -> list[Path]:
    """Return the source files below the folders, in order."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in suffixes)


@cache
def parsed(path: Path) -> ast.Module:
    """Return a file as a tree, which no rule changes."""
    return ast.parse(path.read_text(), filename=path.name)


def imports(tree: ast.Module) -> Iterator[str]:
    """Give the dotted name of every absolute import, also of `import_module` with a literal name."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), level=0, names=names):
                yield module
                yield from (f"{module}.{alias.name}" for alias in names)
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield name


def against_the_arrows(path: str, tree: ast.Module) -> Iterator[str]:
    """dashboard -> replay -> core -> events, and nothing imports the tests."""
    allowed = ARROWS[path.split("/")[0]]
    for name in imports(tree):
        top = name.split(".")[0]
        if top in {*ARROWS, "tests"} - allowed:
            yield f"imports {name}"


def impure(path: str, tree: ast.Module) -> Iterator[str]:
    """events and core have no clock, no file, no randomness, no log."""
    if not path.startswith(PURE):
        return
    for name in imports(tree):
        if name.split(".")[0] in IMPURE_MODULES or name.startswith("importlib.resources"):
            yield f"imports {name}"
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in IMPURE_CALLS:
                yield f"line {node.lineno}: calls {name}()"


def is_set(node: ast.expr) -> bool:
    """Say whether the expression shows that it is a set."""
    match node:
        case ast.Set() | ast.SetComp() | ast.Call(func=ast.Name(id="set" | "frozenset")):
            return True
        case ast.BinOp(left=left, op=ast.BitOr() | ast.BitAnd() | ast.Sub() | ast.BitXor(), right=right):
            return is_set(left) or is_set(right)
    return False


def iterates_over_a_set(path: str, tree: ast.Module) -> Iterator[str]:
    """The order of a set of text differs from process to process, so in events and core nothing may depend on it."""
    if not path.startswith(PURE):
        return
    for node in ast.walk(tree):
        iterated: list[ast.expr] = []
        match node:
            case ast.For(iter=source) | ast.comprehension(iter=source) | ast.YieldFrom(value=source):
                iterated = [source]
            case ast.Starred(value=source):
                iterated = [source]
            case ast.Call(func=ast.Name(id=name), args=args) if name in KEEP_ORDER:
                iterated = args
            case ast.Call(func=ast.Attribute(attr="join" | "extend"), args=args):
                iterated = args
        yield from (f"line {each.lineno}: takes a set in its order" for each in iterated if is_set(each))


def opens_duckdb(path: str, tree: ast.Module) -> Iterator[str]:
    """One module opens the database and one asks it, beside the script that reads it for typed SQL."""
    known = (OPENS_DUCKDB, ASKS_DUCKDB, SANDBOX)
    if path not in known and any(name.split(".")[0] == "duckdb" for name in imports(tree)):
        yield "imports duckdb"
    if path == ASKS_DUCKDB and "duckdb.connect" in map(ast.unparse, ast.walk(tree)):
        yield "opens a database"


def forks(path: str, tree: ast.Module) -> Iterator[str]:
    """A forked process shares an open database with its parent and damages it: every start says spawn."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="os"), attr="fork" | "forkpty"):
                yield f"line {node.lineno}: os.{node.attr}"
            case ast.Attribute(
                value=ast.Name(id="multiprocessing" | "mp"),
                attr="Process" | "Pool" | "Manager" | "Queue" | "SimpleQueue",
            ):
                yield f"line {node.lineno}: multiprocessing.{node.attr} without a spawn context"
            case ast.ImportFrom(module="multiprocessing" | "os", names=names):
                for alias in names:
                    if alias.name in {"Process", "Pool", "Manager", "Queue", "SimpleQueue", "fork", "forkpty"}:
                        yield f"line {node.lineno}: imports {alias.name}"
            case ast.Call(
                func=ast.Name(id="get_context" | "set_start_method")
                | ast.Attribute(attr="get_context" | "set_start_method"),
                args=args,
            ):
                if [ast.unparse(arg) for arg in args] != ["'spawn'"]:
                    yield f"line {node.lineno}: a start method that is not 'spawn'"
            case ast.Call(
                func=ast.Name(id="ProcessPoolExecutor") | ast.Attribute(attr="ProcessPoolExecutor"), keywords=keywords
            ):
                if "mp_context" not in {keyword.arg for keyword in keywords}:
                    yield f"line {node.lineno}: ProcessPoolExecutor without mp_context"


def undocumented(path: str, tree: ast.Module) -> Iterator[str]:
    """Every public function and class of events, core and replay says what it gives."""
    if path.startswith("dashboard/"):
        return
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                if not name.startswith("_") and not ast.get_docstring(node):
                    yield f"line {node.lineno}: {name} has no docstring"


RULES: list[Rule] = [against_the_arrows, impure, iterates_over_a_set, opens_duckdb, forks, undocumented]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_sources_keep_the_rule(rule: Rule) -> None:
    broken = []
    for path in sources(*ARROWS):
        name = path.relative_to(ROOT).as_posix()
        broken += [f"{name}: {what}" for what in rule(name, parsed(path))]
    assert not broken


@pytest.mark.parametrize(
    ("rule", "path", "source"),
    [
        (against_the_arrows, "core/a.py", "import replay.store"),
        (against_the_arrows, "core/a.py", "def f():\n    from dashboard import scene"),
        (against_the_arrows, "events/a.py", "from core.games import trash_pandas"),
        (against_the_arrows, "replay/a.py", "importlib.import_module('dashboard.app')"),
        (against_the_arrows, "replay/a.py", "import tests.tools"),
        (impure, "core/a.py", "import random"),
        (impure, "core/games/a.py", "from datetime import date"),
        (impure, "events/a.py", "import os.path"),
        (impure, "events/a.py", "from importlib.resources import files"),
        (impure, "events/a.py", "open('x')"),
        (iterates_over_a_set, "core/a.py", "for x in {1, 2}: pass"),
        (iterates_over_a_set, "core/a.py", "y = [x for x in set(z)]"),
        (iterates_over_a_set, "core/a.py", "y = tuple(frozenset(z) - {1})"),
        (iterates_over_a_set, "core/a.py", "y = [*{x for x in z}]"),
        (iterates_over_a_set, "core/a.py", "y = ','.join({x for x in z})"),
        (opens_duckdb, "replay/a.py", "from duckdb import connect"),
        (opens_duckdb, "dashboard/a.py", "import duckdb as d"),
        (opens_duckdb, ASKS_DUCKDB, "import duckdb\nduckdb.connect('x')"),
        (forks, "replay/a.py", "os.fork()"),
        (forks, "replay/a.py", "from multiprocessing import Pool"),
        (forks, "replay/a.py", "multiprocessing.Process(target=f)"),
        (forks, "replay/a.py", "get_context('fork')"),
        (forks, "replay/a.py", "multiprocessing.get_context()"),
        (forks, "replay/a.py", "ProcessPoolExecutor(2)"),
        (undocumented, "core/a.py", "def f(): pass"),
        (undocumented, "replay/a.py", "class A: pass"),
    ],
)
def test_rule_catches(rule: Rule, path: str, source: str) -> None:
    assert list(rule(path, ast.parse(source)))


@pytest.mark.parametrize(
    ("rule", "path", "source"),
    [
        (against_the_arrows, "dashboard/a.py", "from replay import store\nfrom . import scene"),
        (impure, "replay/a.py", "import time"),
        (iterates_over_a_set, "core/a.py", "for x in sorted({1, 2}): pass"),
        (opens_duckdb, OPENS_DUCKDB, "import duckdb\nduckdb.connect()"),
        (opens_duckdb, ASKS_DUCKDB, "import duckdb"),
        (forks, "replay/a.py", "ProcessPoolExecutor(2, mp_context=get_context('spawn'))"),
        (undocumented, "core/a.py", "def _f(): pass"),
    ],
)
def test_rule_lets_pass(rule: Rule, path: str, source: str) -> None:
    assert not list(rule(path, ast.parse(source)))


def test_no_forbidden_text() -> None:
    broken = []
    for path in sources(*ARROWS, suffixes=(".py", ".js", ".html", ".css", ".sql")):
        found = sorted(set(FORBIDDEN_TEXT.findall(path.read_text())))
        broken += [f"{path.relative_to(ROOT)}: {word}" for word in found]
    assert not broken


@pytest.mark.parametrize(
    "text", ["c.executemany(", "unsafe_allow_html=True", "st.html(x)", "st.iframe(x)", "e.innerHTML = x"]
)
def test_forbidden_text_is_found(text: str) -> None:
    assert FORBIDDEN_TEXT.search(text)


def test_dashboard_shadows_no_package() -> None:
    """Streamlit puts the folder of its script first on the path."""
    assert not {path.stem for path in (ROOT / "dashboard").iterdir()} & ARROWS.keys()


def test_no_package_below_tests_but_that_of_the_browser() -> None:
    """A tests/replay/__init__.py would make pytest import it in place of replay. A package's tests share fixtures."""
    assert [path.parent.name for path in (ROOT / "tests").rglob("__init__.py")] == ["browser"]


def test_top_level_names_are_ours_alone() -> None:
    owners = importlib.metadata.packages_distributions()
    assert {name: owners[name] for name in ARROWS if set(owners.get(name, [])) - {"tabletape"}} == {}


LOCKS = ("requirements.lock", "requirements-dev.lock")
PIN = re.compile(r"^([\w.-]+)==(\S+)(?: ; [^\\]+)? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE)


def pins(lock: str) -> dict[str, set[str]]:
    """Return the pinned versions of every distribution in a lock file."""
    versions: dict[str, set[str]] = {}
    for name, version, _ in PIN.findall((ROOT / lock).read_text()):
        versions.setdefault(canonicalize_name(name), set()).add(version)
    return versions


@pytest.mark.parametrize("lock", [*LOCKS, "requirements-uv.lock"])
def test_lock_is_hashed_pins_and_nothing_else(lock: str) -> None:
    text = (ROOT / lock).read_text()
    assert not re.search(r"://|--index|--extra-index|--find-links|--trusted-host", text)
    assert PIN.sub("", text) == ""
    assert pins(lock)


def test_locks_satisfy_the_project_file() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    for lock, wanted in (
        ("requirements.lock", [*project["dependencies"], *extras["build"]]),
        ("requirements-dev.lock", [*project["dependencies"], *extras["build"], *extras["dev"]]),
    ):
        locked = pins(lock)
        for requirement in map(Requirement, wanted):
            if requirement.name != "tabletape":  # the dev extra names the build extra
                assert all(
                    requirement.specifier.contains(version) for version in locked[canonicalize_name(requirement.name)]
                )


def test_locks_agree() -> None:
    runtime, dev = (pins(lock) for lock in LOCKS)
    assert {name: dev.get(name) for name in runtime} == runtime
