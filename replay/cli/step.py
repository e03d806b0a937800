"""The debugger in the terminal: walks through a recorded game as one viewer sees it, by commands like those of pdb."""

from __future__ import annotations

import sys
from cmd import Cmd
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from time import sleep
from typing import Annotated, Any, NamedTuple

import typer
from rich.text import Text
from rich.tree import Tree

from core.paths import Leaf, diff, flatten
from core.redact import viewer_from
from events.errors import FormatError, TabletapeError
from events.marks import Viewer
from events.tape import Tape
from replay.cli.branches import say_comparison
from replay.cli.terminal import DEFAULT_DB, Db, out, printable, recorded, say, say_alternatives, value
from replay.debugger import branching
from replay.debugger.alternatives import alternatives
from replay.debugger.comparing import compare
from replay.debugger.walking import SOUGHT, WALKS, find, nearest
from replay.debugger.watches import hits
from replay.notes import as_seen, audience
from replay.report import fault_of
from replay.rulings import rulings
from replay.storage.store import Store
from replay.timeline import Step, Timeline, names_of

PAGE = 200
"""Lines that `list` prints at most."""


def step(
    replay: Annotated[str, typer.Argument(metavar="ID", help="An id, or the start of one.")],
    viewer: Annotated[str, typer.Option("--as", help="A seat, `spectator` or `omniscient`.")] = "spectator",
    at: Annotated[int, typer.Option(help="The step to begin at.")] = 0,
    db: Db = DEFAULT_DB,
) -> None:
    """Step through a recorded game; `help` lists the commands. Commands may come from a pipe."""
    with recorded(db) as store:
        timeline = Timeline(store.read(store.find(replay)))
        Debugger(store, timeline, viewer_from(viewer, timeline.seats), at).run()


class Debugger(Cmd):
    """Where one stands in a recorded game, as whom, and what is watched. An empty line repeats the last command."""

    def __init__(self, store: Store, timeline: Timeline, viewer: Viewer, number: int) -> None:
        super().__init__()
        self.store, self.timeline, self.viewer = store, timeline, viewer
        self.number = nearest(timeline, viewer, number)
        self.watched: list[str] = []
        self.found: list[tuple[int, ...]] = []
        self.use_rawinput = sys.stdin.isatty()

    def run(self) -> None:
        """Read commands until the end."""
        self._prompt()
        if fault := fault_of(self.timeline, self.viewer):
            say(fault, style="red")
        self._here()
        ended = False
        while not ended:
            try:
                self.cmdloop()
                ended = True
            except KeyboardInterrupt:
                out.print()

    # --- reading commands --------------------------------------------------------------------------------------------

    def onecmd(self, line: str) -> bool:
        """Do one command; give whether it was the last. What is wrong with it is said in one line."""
        name, _, rest = line.strip().partition(" ")
        if not name:
            return self.onecmd(self.lastcmd) if self.lastcmd else False
        if name in ("EOF", "quit", "q"):
            return True
        self.lastcmd = line
        try:
            command = COMMANDS.get(name)
            if command is None:
                near = get_close_matches(name, COMMANDS, n=1)
                raise FormatError(
                    f"no command {name[:40]!r}" + (f", did you mean {near[0]}?" if near else "") + "; see help"
                )
            command.does(self, rest.strip())
        except TabletapeError as error:
            say(" ".join(str(error).split()), style="red")
        except KeyboardInterrupt:
            out.print("stopped")
        self._prompt()
        return False

    def completenames(self, text: str, *ignored: Any) -> list[str]:
        """Complete the names of commands."""
        return [name for name in COMMANDS if name.startswith(text)]

    def _prompt(self) -> None:
        self.prompt = f"({self.number}/{self._last}, {self.viewer}) " if self.use_rawinput else ""

    # --- where one stands --------------------------------------------------------------------------------------------

    @property
    def _last(self) -> int:
        return len(self.timeline.moments(self.viewer)) - 1

    @property
    def _step(self) -> Step:
        return self.timeline.seen_step(self.number, self.viewer)

    def _view(self, number: int) -> dict[str, Leaf]:
        return flatten(self.timeline.seen_view(number, self.viewer))

    def _words(self, step: Step) -> str:
        return self.timeline.game.words(step.event, names_of(self.timeline))

    def _here(self) -> None:
        """Print the step one stands at, and what it changed."""
        say(f"{self.number} of {self._last}: {self._words(self._step)}", style="bold")
        before = self._view(self.number - 1) if self.number else {}
        if before:
            self._changes(before, self._view(self.number))

    def _changes(self, before: Mapping[str, Leaf], after: Mapping[str, Leaf]) -> None:
        for path, old, new in diff(before, after):
            say(f"  {path}: {value(old)} -> {value(new)}")

    def _go(self, number: int | None, what: str) -> None:
        if number is None:
            raise FormatError(f"no {what} from step {self.number} on")
        self.number = number
        self._here()

    # --- walking -----------------------------------------------------------------------------------------------------

    def walk(self, name: str, text: str, back: bool) -> None:
        """Go to where a walk stops: as often as a number says, or to the next of what is sought."""
        if name in SOUGHT:
            sought = _number(text, "seat") if name == "seat" and text else text or None
            self._go(find(self.timeline, self.viewer, self.number, name, sought, back=back), f"{name} {text}".strip())
            return
        at = self.number
        for _ in range(max(_number(text, "number"), 1) if text else 1):
            found = find(self.timeline, self.viewer, at, name, back=back)
            if found is None:
                break
            at = found
        self._go(at if at != self.number else None, f"{name} further {'back' if back else 'on'}")

    def goto(self, text: str) -> None:
        """Go to a step, or the nearest there is."""
        asked = _number(text, "step")
        self.number = nearest(self.timeline, self.viewer, asked)
        if self.number != asked:
            say(f"there is no step {asked}; the nearest is {self.number}")
        self._here()

    def play(self, text: str) -> None:
        """Go on by itself, so many steps a second."""
        speed = max(_number(text, "speed"), 1) if text else 2
        while self.number < self._last:
            self.number += 1
            self._here()
            sleep(1 / speed)

    # --- watches -----------------------------------------------------------------------------------------------------

    def watch(self, text: str) -> None:
        """Watch for a condition."""
        found = hits(self.timeline, self.viewer, text)
        self.watched.append(text)
        self.found.append(found)
        say(f"{len(self.watched) - 1}: {text} ({len(found)} steps)")

    def breaks(self, text: str) -> None:
        """List the conditions that are watched."""
        for number, (watched, found) in enumerate(zip(self.watched, self.found, strict=True)):
            say(f"{number}: {watched} ({len(found)} steps)")

    def delete(self, text: str) -> None:
        """Watch for a condition no more."""
        at = _number(text, "number of a condition")
        if at >= len(self.watched):
            raise FormatError(f"no condition has the number {at}; breaks lists them")
        del self.watched[at], self.found[at]

    def go_on(self, text: str, back: bool) -> None:
        """Go to the next step at which a watched condition holds."""
        steps = [at for found in self.found for at in found if (at < self.number if back else at > self.number)]
        if not self.watched:
            raise FormatError("nothing is watched: say break and a condition")
        self._go((max(steps) if back else min(steps)) if steps else None, "watched condition holds")

    # --- looking -----------------------------------------------------------------------------------------------------

    def show(self, text: str) -> None:
        """Print what stands at a path and below it; all of the state for none."""
        state = self._view(self.number)
        under = {
            path: leaf for path, leaf in state.items() if path == text or path.startswith((text + ".", text + "["))
        }
        found = under if text else state
        if not found:
            near = get_close_matches(text, state, n=3)
            raise FormatError(f"nothing stands at {text[:60]!r}" + (f"; there are {', '.join(near)}" if near else ""))
        for path, leaf in found.items():
            say(f"  {path} = {value(leaf)}")

    def tree(self, text: str) -> None:
        """Print the state as a tree."""
        root = Tree("state")
        branches = {"": root}
        for path, leaf in self._view(self.number).items():
            *above, name = path.replace("[", ".[").split(".")
            at = ""
            for part in above:
                if at + "." + part not in branches:
                    branches[at + "." + part] = branches[at].add(Text(printable(part)))
                at += "." + part
            branches[at].add(Text(printable(f"{name} = {value(leaf)}")))
        out.print(root)

    def differences(self, text: str) -> None:
        """Print what differs from another step, or the step before."""
        other = _number(text, "step") if text else max(self.number - 1, 0)
        self._changes(self._view(other), self._view(self.number))

    def when(self, text: str) -> None:
        """Say at which step a value got to be what it is."""
        if text not in self._view(self.number):
            self.show(text)
            raise FormatError("name one value")
        at = self.timeline.last_change(text, self.timeline.at(self.number, self.viewer), self.viewer)
        if at is None:
            return say(f"{text} has been so from the start")
        number = self.timeline.number_of(at, self.viewer)
        return say(f"{text} changed at step {number}: {self._words(self.timeline.seen_step(number, self.viewer))}")

    def legal(self, text: str) -> None:
        """Print what could come next, with odds; the star is what did."""
        say_alternatives(alternatives(self.timeline, self.number, self.viewer))

    def why(self, text: str) -> None:
        """Print the rule that the step applies."""
        rule = self._step.rule
        found = rulings(self.timeline.game.slug).get(rule)
        say(f"{self._step.cause}; {f'rule {rule}' if rule else 'no rule is named'}")
        if found:
            say(f"  {found.question} {found.ruling}.")

    def list(self, text: str) -> None:
        """Print steps: those around, or those that pass the filters."""
        wanted = dict(part.split("=", 1) for part in text.split() if "=" in part)
        said = " ".join([part for part in text.split() if "=" not in part]).lower()
        if unknown := [name for name in wanted if name not in ("kind", "seat", "turn")]:
            raise FormatError(f"no filter {unknown[0][:40]!r}: kind=, seat=, turn=, and text")
        first, last = (0, self._last) if text else (max(self.number - 5, 0), min(self.number + 10, self._last))
        printed = 0
        for number in range(first, last + 1):
            step = self.timeline.seen_step(number, self.viewer)
            words = self._words(step)
            if said in words.lower() and all(str(getattr(step, name)) == sought for name, sought in wanted.items()):
                if printed == PAGE:
                    return say(f"more from step {number} on: say it more narrowly")
                say(f"{number:5} {'>' if number == self.number else ' '} {words}")
                printed += 1
        return None if printed else say("none")

    # --- what might have been ----------------------------------------------------------------------------------------

    def fork(self, text: str) -> None:
        """Branch off with one of what `legal` lists, and stand in the branch; bots may finish it."""
        chosen, _, bots = text.partition(" ")
        at, event = branching.option_of(self.timeline, self.number, self.viewer, _number(chosen, "option"))
        tape = branching.branch(self.timeline, at, event, id=branching.fresh_id())
        if bots:
            tape = branching.play_on(tape, bots.replace(",", " ").split())
        branching.keep(self.store, tape)
        say(f"branch {tape.header.id} of {self.timeline.header.id}")
        self._open(tape, self.number + 1)

    def choose(self, text: str) -> None:
        """Go on with an unfinished branch at its end, with one of what `legal` lists."""
        if self.number != self._last:
            raise FormatError("a branch goes on at its last step; fork makes another one")
        _, event = branching.option_of(self.timeline, self.number, self.viewer, _number(text, "option"))
        tape = self.store.read(self.timeline.header.id)
        longer = branching.choose(tape, event)
        self.store.append(tape.header.id, len(tape.events), longer.events[len(tape.events) :])
        self._open(longer, self.number + 1)

    def open(self, text: str) -> None:
        """Stand in another recorded game, at the same step."""
        self._open(self.store.read(self.store.find(text)), self.number)

    def _open(self, tape: Tape, number: int) -> None:
        timeline = Timeline(tape)
        viewer_from(str(self.viewer), timeline.seats)
        self.number = nearest(timeline, self.viewer, number)
        self.timeline, self.watched, self.found = timeline, [], []
        self._here()

    def branches(self, text: str) -> None:
        """Print the tree of branches that the game stands in."""
        for one in branching.lineage(self.store, self.timeline.header.id):
            where = "" if one.step is None else f" after step {one.step} of {one.parent}"
            here = ">" if one.id == self.timeline.header.id else " "
            ended = "" if one.ended else ", not finished"
            # steps of the stream and its length tell of events that others do not see
            told = f"{where}, {one.length} events{ended}" if self.viewer == "omniscient" else ended
            say(f"{here} {'  ' * one.depth}{one.id}{told}")

    def compare(self, text: str) -> None:
        """Compare with another recorded game."""
        other = Timeline(self.store.read(self.store.find(text)))
        say_comparison(self.timeline, other, compare(self.timeline, other, self.viewer), self.viewer)

    # --- notes -------------------------------------------------------------------------------------------------------

    def note(self, text: str, kind: str) -> None:
        """Write beside the step; as a seat, for that seat alone."""
        at = self.timeline.at(self.number, self.viewer)
        self.store.add_note(self.timeline.header.id, at, text, kind, seen_by=audience(self.viewer))
        say(f"{kind} at step {self.number}")

    def notes(self, text: str) -> None:
        """List notes and bookmarks."""
        for note in as_seen(self.store.notes(self.timeline.header.id), self.timeline, self.viewer):
            say(f"{note.step:5}  {note.kind}: {note.text}")

    # --- the rest ----------------------------------------------------------------------------------------------------

    def view_as(self, text: str) -> None:
        """See it as another viewer does, at the same moment."""
        at = self.timeline.at(self.number, self.viewer)
        self.viewer = viewer_from(text, self.timeline.seats)
        self.number = self.timeline.number_of(at, self.viewer)
        self.watched, self.found = [], []
        self._here()

    def help(self, text: str) -> None:
        """List the commands."""
        for name, command in COMMANDS.items():
            if command.says and text in ("", name):
                say(f"  {name + ' ' + command.takes:24} {command.says}")


def _number(text: str, what: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise FormatError(f"{text[:40]!r} is no {what}: give a number")
    return int(text)


class Command(NamedTuple):
    """A command: what it does with the rest of its line, what that may be, and help ("" for another name of one)."""

    does: Callable[[Debugger, str], object]
    takes: str = ""
    says: str = ""


def _walk(name: str, back: bool) -> Callable[[Debugger, str], object]:
    return lambda debugger, text: debugger.walk(name, text, back)


_WALKS = {name: "[value]" if name in SOUGHT else "[n]" for name in WALKS if name != "event"}

_NEXT, _BACK = Command(_walk("event", False), "[n]", "go on a step"), Command(_walk("event", True), "[n]", "go back")
_CONTINUE = Command(lambda at, text: at.go_on(text, False), "", "go on to where a watched condition holds")
_REVERSE = Command(lambda at, text: at.go_on(text, True), "", "go back to where one holds")
_HELP = Command(Debugger.help, "[command]", "this list")

COMMANDS: Mapping[str, Command] = {
    "next": _NEXT,
    "back": _BACK,
    **{name: Command(_walk(name, False), takes, f"go on to the next {name}") for name, takes in _WALKS.items()},
    **{f"b-{name}": Command(_walk(name, True), takes, f"go back to the last {name}") for name, takes in _WALKS.items()},
    "goto": Command(Debugger.goto, "N", "go to a step"),
    "first": Command(lambda at, text: at.goto("0"), "", "go to the first step"),
    "last": Command(lambda at, text: at.goto(str(at._last)), "", "go to the last step"),
    "play": Command(Debugger.play, "[speed]", "go on by itself, so many steps a second; Ctrl-C stops"),
    "break": Command(Debugger.watch, "CONDITION", "watch for a condition, as in docs/debugger.md"),
    "continue": _CONTINUE,
    "reverse-continue": _REVERSE,
    "breaks": Command(Debugger.breaks, "", "list what is watched"),
    "delete": Command(Debugger.delete, "N", "watch for it no more"),
    "print": Command(Debugger.show, "PATH", "what stands at a path"),
    "state": Command(Debugger.show, "", "all of the state, by paths"),
    "tree": Command(Debugger.tree, "", "the state as a tree"),
    "diff": Command(Debugger.differences, "[step]", "what differs from another step, or the one before"),
    "when": Command(Debugger.when, "PATH", "at which step the value got to be what it is"),
    "legal": Command(Debugger.legal, "", "what could come next, with odds; * is what did"),
    "why": Command(Debugger.why, "", "the rule behind the step"),
    "list": Command(Debugger.list, "[kind= seat= turn= text]", "steps around, or all that pass"),
    "fork": Command(Debugger.fork, "N [bots]", "branch off with option N of legal; bots finish it"),
    "choose": Command(Debugger.choose, "N", "go on with an unfinished branch"),
    "open": Command(Debugger.open, "ID", "go to another recorded game"),
    "branches": Command(Debugger.branches, "", "the tree of branches"),
    "compare": Command(Debugger.compare, "ID", "compare with another recorded game"),
    "note": Command(lambda at, text: at.note(text, "note"), "TEXT", "write beside the step"),
    "bookmark": Command(lambda at, text: at.note(text, "bookmark"), "[text]", "mark the step"),
    "notes": Command(Debugger.notes, "", "list notes and bookmarks"),
    "viewer": Command(Debugger.view_as, "VIEWER", "see it as a seat, spectator or omniscient"),
    "help": _HELP,
    "quit": Command(lambda at, text: None, "", "leave (also q)"),
    "n": _NEXT._replace(says=""),
    "b": _BACK._replace(says=""),
    "c": _CONTINUE._replace(says=""),
    "rc": _REVERSE._replace(says=""),
    "watch": Command(Debugger.watch),
    "odds": Command(Debugger.legal),
    "p": Command(Debugger.show),
    "?": _HELP._replace(says=""),
}
"""Every command by its name; one without help is another name of one that has it."""
