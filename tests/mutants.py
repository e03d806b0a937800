"""Mutation testing of core/ and events/: small faults put into the code one at a time, to see whether a test notices.

python -m tests.mutants engine --seed 1 --each 60

mutmut makes the mutants, in a copy of the tree under build/. It passes over decorated functions, which are half of our
rules: in the copy, `@reducer.on(Event)` above a function is a call below it. There this module is a plugin of pytest as
well: the tests are collected once, and every mutant is tried in a fork of that process, by the tests that come to its
function. What survives is printed as a change of the code; docs/mutation.md says what became of those.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import os
import random
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import chdir
from functools import cache, partial, wraps
from math import ceil
from pathlib import Path
from time import process_time
from typing import Any, TypeAlias

import pytest
from mutmut.mutation.file_mutation import mutate_file_contents
from mutmut.utils.format_utils import get_mutant_name, make_mutant_key, mangled_name_from_mutant_name

ROOT = Path(__file__).parents[1]
COPIED = ("core", "events", "replay", "tests", "data", "docs", "pyproject.toml")
PYTEST = ("-m", "pytest", "-q", "--assert=plain", "-p", "no:cacheprovider", "-m", "not hypothesis", "-k")
SLOW = "not beats and not worlds and not a_search"
"""Tests that take seconds: whole games by bots."""

SWITCH = "from mutmut.mutation.trampoline import wrap_in_trampoline as"
OURS = "from tests.mutants import switch as"
"""What stands above a function with mutants, mutmut's and ours: most of the time of a test would go into its own."""

VERDICTS = "verdicts.txt"
"""In the copy: a line a mutant that was tried, its name and how the tests ended (0: none has noticed)."""


def group(modules: str, tests: str) -> tuple[list[str], list[str]]:
    """Give modules, and the quick tests that are about them: no whole games, bots or processes."""
    return modules.split(), tests.split()


def game(slug: str, tests: str) -> tuple[list[str], list[str]]:
    """Give the rules of a game and its tests."""
    names = ("__init__", "cards", "geometry", "jars", "reducer", "rules", "scoring", "state")
    return [f"core/games/{slug}/{name}.py" for name in names], [
        f"tests/core/games/{slug}/test_{name}.py" for name in tests.split()
    ]


GROUPS = {
    "engine": group(
        "core/chance.py core/engine.py core/ranking.py core/redact.py core/rng.py core/sheets.py core/streams.py"
        " events/base.py events/codec.py events/errors.py events/jsonl.py events/tape.py events/upcast.py",
        "tests/core/test_chance.py tests/core/test_engine.py tests/core/test_redact.py tests/core/test_rng.py"
        " tests/core/test_sheets.py tests/core/test_streams.py tests/events"
        " tests/fuzz/test_mended.py::test_a_file_that_does_not_end_is_read_in_bounded_memory",
    ),
    "imported": group(
        "core/reducer.py events/marks.py",
        "tests/core/test_engine.py tests/core/test_paths.py tests/core/test_redact.py tests/core/test_words.py",
    ),
    "checks": group(
        "core/conformance.py",
        "tests/core/test_conformance.py tests/core/test_search.py::test_a_game_that_deals_anew_wrongly_is_caught"
        " tests/core/test_search.py::test_a_fifth_game_that_deals_anew_passes_every_check",
    ),
    "dealing": group("core/determinise.py core/games/*/determinise.py", "tests/core/test_determinise.py"),
    "bots": group(
        "core/bots/__init__.py core/bots/named.py core/bots/search.py core/bots/seats.py core/rollouts.py",
        "tests/core/test_bots.py tests/core/test_rollouts.py tests/core/test_search.py",
    ),
    "words": group(
        "core/game.py core/paths.py core/words.py core/games/*/words.py",
        "tests/core/games/test_words.py tests/core/test_engine.py tests/core/test_game.py tests/core/test_paths.py"
        " tests/core/test_words.py",
    ),
    "metrics": group(
        "core/metrics.py core/tally.py core/games/*/metrics.py",
        "tests/core/test_metrics.py tests/replay/test_metrics.py::test_the_worked_example_of_a_metric"
        " tests/replay/test_metrics.py::test_the_docs_define_every_metric"
        " tests/replay/test_metrics.py::test_a_tally_stands_at_an_event_that_its_metric_looks_at"
        " tests/replay/test_metrics.py::test_choices_count_the_moves_of_the_seat_and_no_forced_move"
        " tests/replay/test_metrics.py::"
        "test_what_was_taken_back_is_not_measured_but_counted_from_the_move_that_stands",
    ),
    "cherry": game("cherry_on_the_cake", "die end geometry jars rounds setup"),
    "picnic": game("picnic_palace", "scoring setup turns"),
    "queen": game("queen_of_the_cupcakes", "end setup turn"),
    "trash": game("trash_pandas", "bonus_turn cards decisions rolling scoring thefts tokens yum_yum"),
}


def undecorated(source: str) -> str:
    """Give the text of a module whose top-level decorators are calls below their functions.

    >>> print(undecorated("@on(Event)\\ndef rule(table):\\n    return table\\n"))
    def rule(table):
        return table
    rule = on(Event)(rule)
    """
    lines = source.splitlines()
    for node in reversed(ast.parse(source).body):
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            (decorator,) = node.decorator_list
            lines.insert(node.end_lineno or 0, f"{node.name} = {ast.unparse(decorator)}({node.name})")
            del lines[decorator.lineno - 1 : node.lineno - 1]
    return "\n".join(lines)


def copy_tree(copy: Path) -> None:
    """Copy what the tests need, with the decorators of core/ and events/ written as calls."""
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True)
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, copy)
    (copy / "setup.cfg").write_text("[mutmut]\nsource_paths=core\n", encoding="utf-8")  # mutmut insists on one
    for path in (path for package in ("core", "events") for path in (copy / package).rglob("*.py")):
        path.write_text(undecorated(path.read_text(encoding="utf-8")) + "\n", encoding="utf-8")


def mutate(copy: Path, patterns: Iterable[str]) -> dict[str, list[str]]:
    """Put the mutants of some modules into the copy, and give their names by module."""
    names = {}
    with chdir(copy):
        for path in [path for pattern in patterns for path in sorted(Path().glob(pattern))]:
            mutated = mutate_file_contents(str(path), path.read_text(encoding="utf-8"))
            path.write_text(mutated.code.replace(SWITCH, OURS), encoding="utf-8")
            names[path.as_posix()] = sorted([get_mutant_name(path, name) for name in mutated.mutant_names])
    return {module: mutants for module, mutants in names.items() if mutants}


# --- inside of pytest, in the copy ------------------------------------------------------------------------------------


MutantDict: TypeAlias = dict[str, Callable[..., Any]]

_chosen = dict(zip(("module", "name"), os.environ.get("MUTANT", ".").rsplit(".", 1), strict=True))
_called = set[str]()
_CACHED = type(cache(repr))


def switch(mutants: MutantDict) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Stand above a function: its mutant is called in its place, if one is chosen, and that it was called is noted."""

    def switched(function: Callable[..., Any]) -> Callable[..., Any]:
        module = function.__module__
        within, _, name = function.__qualname__.rpartition(".")
        key = f"{module}.{make_mutant_key(name, within)}"

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            _called.add(key)
            mutant = mutants.get(_chosen["name"]) if _chosen["module"] == module else None
            return (mutant or mutants["_mutmut_orig"])(*args, **kwargs)

        return call

    return switched


def pytest_runtestloop(session: pytest.Session) -> bool:
    """Instead of running the tests, try each mutant of `mutants.json` on those that come to its function."""
    if _in_fork(partial(_calls, session)):
        pytest.exit("the tests fail as they are", 1)
    calls = json.loads(Path("calls.json").read_text(encoding="utf-8"))
    for mutant in json.loads(Path("mutants.json").read_text(encoding="utf-8")):
        tests = sorted(calls.get(mangled_name_from_mutant_name(mutant), ()))
        ended = _in_fork(partial(_try, session, mutant, tests))
        with Path(VERDICTS).open("a", encoding="utf-8") as verdicts:
            verdicts.write(f"{mutant} {ended}\n")
    return True


def _in_fork(do: Callable[[], int]) -> int:
    """Give the exit code of a copy of this process that does something; that of a signal is below 0."""
    child = os.fork()
    if not child:
        os._exit(do())
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _calls(session: pytest.Session) -> int:
    """Write down for each function the tests that come to it: (processor time in seconds, number)."""
    calls: dict[str, list[tuple[float, int]]] = {}
    for at, item in enumerate(session.items):
        _called.clear()
        started = process_time()
        _run(item)
        for name in sorted(_called):
            calls.setdefault(name, []).append((process_time() - started, at))
    Path("calls.json").write_text(json.dumps(calls), encoding="utf-8")
    return min(1, session.testsfailed)


def _try(session: pytest.Session, mutant: str, tests: Sequence[tuple[float, int]]) -> int:
    """Give 1 if a test fails with a mutant, else 0; in five times the usual processor time they have come to an end."""
    _chosen["module"], _chosen["name"] = mutant.rsplit(".", 1)
    enough = ceil(2 + 5 * sum([seconds for seconds, _ in tests]))
    resource.setrlimit(resource.RLIMIT_CPU, (enough, enough + 1))
    for _, at in tests:
        _run(session.items[at])
        if session.testsfailed:
            return 1
    return 0


def _run(item: pytest.Item) -> None:
    """Run a test with nothing in the caches of core/ and events/: what another brought there has to be found anew."""
    for name, module in list(sys.modules.items()):
        if name.startswith(("core.", "events.")):
            for cached in [value for value in vars(module).values() if isinstance(value, _CACHED)]:
                cached.cache_clear()
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)


# --- outside ----------------------------------------------------------------------------------------------------------


def verdicts(copy: Path, mutants: list[str], tests: list[str], imported: bool) -> dict[str, int]:
    """Try mutants, and give how the tests ended for each. `imported`: in processes that import it, one a mutant."""
    command = [sys.executable, *PYTEST, SLOW]
    if imported:
        return {
            mutant: subprocess.run(
                [*command, "-x", *tests], cwd=copy, env={**os.environ, "MUTANT": mutant}, capture_output=True
            ).returncode
            for mutant in mutants
        }
    (copy / "mutants.json").write_text(json.dumps(mutants), encoding="utf-8")
    done = subprocess.run([*command, "-p", "tests.mutants", *tests], cwd=copy, capture_output=True, text=True)
    if done.returncode or not (copy / VERDICTS).exists():
        raise SystemExit(done.stdout[-8000:] + done.stderr[-8000:])
    lines = (copy / VERDICTS).read_text(encoding="utf-8").splitlines()
    return {name: int(ended) for name, ended in [line.split() for line in lines]}


def functions(module: Path) -> dict[str, list[str]]:
    """Give the lines below the head of each function of a module of the copy."""
    text = module.read_text(encoding="utf-8")
    lines = text.splitlines()
    named = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    return {node.name: lines[node.lineno : node.end_lineno] for node in named}


def change(mutant: str, written: dict[str, list[str]]) -> str:
    """Give the lines that a mutant has in place of those of its function."""
    name = mutant.rpartition(".")[2]
    before, after = written[name.rpartition("_")[0] + "_orig"], written[name]
    return "\n".join([line for line in difflib.ndiff(before, after) if line[0] in "-+"])


def main() -> None:
    """Draw mutants of each module of a group, try them, print a table of the modules and what has survived."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("group", choices=GROUPS)
    parser.add_argument("--seed", type=int, default=1, help="of the sample (1)")
    parser.add_argument("--each", type=int, default=60, help="mutants of a module, at most (60)")
    asked = parser.parse_args()
    modules, tests = GROUPS[asked.group]
    copy = ROOT / "build" / f"mutants-{asked.group}"
    copy_tree(copy)
    mutants = mutate(copy, modules)
    dice = random.Random(asked.seed)
    drawn = {module: sorted(dice.sample(names, min(asked.each, len(names)))) for module, names in mutants.items()}
    found = verdicts(copy, [name for names in drawn.values() for name in names], tests, asked.group == "imported")
    print("| module | mutants | tried | killed | survived |\n|---|--:|--:|--:|--:|")
    for module, names in drawn.items():
        killed = sum([found[name] != 0 for name in names])
        print(f"| {module} | {len(mutants[module])} | {len(names)} | {killed} | {len(names) - killed} |")
    for module, names in drawn.items():
        written = functions(copy / module)
        for name in [name for name in names if found[name] == 0]:
            print(f"\n{name}", change(name, written), sep="\n")


if __name__ == "__main__":
    main()
