"""Record a real table: say what happened and what was seen, with the table beside it; the rules check every entry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from core.registry import games
from core.words import listed
from dashboard.address import notice, plain, say_notices
from dashboard.beginning import check, chosen_options, game_and_seats, name_at, role_of, service_token
from dashboard.choosing import Choice, buttons, picture
from dashboard.guarded import guarded
from dashboard.listing import title
from dashboard.playing import LATELY, service
from dashboard.tables import picture_of
from events.base import Event, Move, TakenBack
from events.codec import encode
from events.errors import TabletapeError
from events.tape import Player
from replay.errors import UnknownReplay
from replay.live.draft import Place, Question, said, told_only, veiled
from replay.live.game import Wish
from replay.live.recording import Recording
from replay.live.tokens import Entry, Face

# A bare string here would be shown on the page.
RECORD: Final = "record"  # the recording in the address; its token never stands there
ACROSS: Final = 6  # faces that are asked for side by side
MOVES_BACK: Final = 40  # moves that are offered to be taken back


# --- setting up -------------------------------------------------------------------------------------------------------


def set_up() -> None:
    """Show how a recording is begun, or gone on with."""
    st.subheader("Begin a recording")
    slug, seats = game_and_seats()
    st.text(what_is_asked(slug))
    columns = st.columns(min(seats, 3))
    players = []
    for seat in range(seats):
        with columns[seat % len(columns)]:
            players.append(Player(name_at(seat)))
    options = chosen_options(slug)
    token = service_token()
    if st.button("Begin", type="primary", key="begin"):
        try:
            check(token)
            recording, secret = service().recordings.create(
                Wish(game=slug, players=tuple(players), options=options, nature=False)
            )
        except TabletapeError as error:
            st.error(plain(str(error)))
            return
        st.session_state[f"record-{recording.id}"] = secret
        st.session_state[f"told-{recording.id}"] = secret
        st.query_params[RECORD] = recording.id
        st.rerun()
    going_on()


def what_is_asked(slug: str) -> str:
    """Give what has to be known of a game to record it."""
    secret = [kind.replace("_", " ") for kind in told_only(games()[slug])]
    alone = (
        f"What only one seat sees or says is asked for too ({listed(secret)}): who records sees all hands, or is told."
        if secret
        else "In this game all of it lies open: anybody who looks on can record it."
    )
    return (
        "The order of a deck need not be known: a card is asked for when somebody at the table sees it, and the last "
        f"ones that nobody has seen never are. {alone}"
    )


def going_on() -> None:
    """Show the recordings that can be gone on with."""
    known = service().recordings.unfinished()
    if not known:
        return
    st.subheader("Go on with a recording")
    labels = {}
    for id in known:
        header = service().store.read(id).header
        names = ", ".join([player.name for player in header.players])
        labels[id] = f"{title(header.game)}: {names} ({(header.recorded or '')[:10]})"
    id = st.selectbox("Recording", known, format_func=labels.__getitem__, key="unfinished")
    if st.button("Open", key="open"):
        st.query_params[RECORD] = id
        st.rerun()


def may_record(recording: Recording) -> bool:
    """Say whether this session has the token of a recording; show where it is typed if not, and a new one once."""
    id = recording.id
    if recording.facts.role(st.session_state.get(f"record-{id}")) != "organiser":
        with st.form("token", clear_on_submit=True, border=False):
            st.text("Nobody sees a table that is being recorded but who records it.")
            secret = st.text_input("Token of the recording", type="password", max_chars=200)
            if st.form_submit_button("Go on"):
                if role_of(recording.facts, secret) == "organiser":
                    st.session_state[f"record-{id}"] = secret.strip()
                    st.rerun()
                st.error("This is not the token of this recording.")
        return False
    told: str | None = st.session_state.get(f"told-{id}")
    if told is None:
        return True
    st.text("Keep this token: it is shown this once, and opens the recording in another browser or on another day.")
    st.code(told, language=None)
    if st.button("I have kept it", type="primary", key="told"):
        del st.session_state[f"told-{id}"]
        st.rerun()
    return False


# --- recording --------------------------------------------------------------------------------------------------------


def enter(recording: Recording, entry: Entry | None, expected: int) -> None:
    """Enter something, or erase the last entry (None)."""
    try:
        service().recordings.enter(recording, entry, expected)
    except TabletapeError as error:
        notice(f"This was not entered: {error}.")


def enter_event(recording: Recording, event: Event, expected: int) -> None:
    """Enter a move, an outcome, or that something was taken back."""
    enter(recording, Entry(event=encode(event).decode()), expected)


def recorded(recording: Recording) -> None:
    """Show the table as it is known, and what is to be entered."""
    draft, count = recording.draft, recording.count
    game, names = recording.game, [player.name for player in recording.header.players]
    asked = recording.question()
    choices = worded(asked.options, [game.words(event, names) for event in asked.options])
    key = recording.id

    def choose(choice: Choice) -> None:
        enter_event(recording, choice.move, count)

    st.text(f"{game.title}: {', '.join(names)}")
    say_notices()
    table, side = st.columns([3, 2])
    with table:
        scene = picture_of(game.slug)(veiled(draft.states[-1]), names)
        picture(key, scene, choices, count, choose)
    with side:
        if asked.happens is not None:
            faces(recording, asked, game.words(asked.happens, names), names)
        elif choices:
            st.subheader("What did chance bring?" if asked.chance else "What was done?")
            buttons(key, choices, count, choose)
        else:
            st.subheader("The game is over")
            write(
                recording,
                "Write it down",
                "From then on it can be replayed, counts like any other, and is not changed.",
            )
        if count:
            st.button("Erase my last entry", key=f"erase-{count}", on_click=enter, args=(recording, None, count))
        lately = [game.words(veiled(event), names) for event in draft.events[-LATELY:]]
        st.text("\n".join(reversed(lately)))
    corrections(recording, names)


def worded(events: Sequence[Event], words: Sequence[str]) -> list[Choice]:
    """Give events as choices; where several have the same words, what tells them apart is added."""
    choices = []
    for event, said_of_it in zip(events, words, strict=True):
        alike = [other for other, same in zip(events, words, strict=True) if same == said_of_it]
        fields = [
            f"{name}: {getattr(event, name)}"
            for name in event.__struct_fields__
            if any(getattr(other, name, None) != getattr(event, name) for other in alike)
        ]
        choices.append(Choice(event, f"{said_of_it} ({', '.join(fields)})" if fields else said_of_it))
    return choices


def faces(recording: Recording, asked: Question, words: str, names: Sequence[str]) -> None:
    """Show the form for faces that somebody sees now."""
    st.subheader("What is seen?")
    st.text(words)
    offered = [face for face, left in asked.left.items() if left]
    found: list[Face | None] = []
    with st.form(f"faces-{recording.count}", border=False):
        for number, place in enumerate(asked.places):
            st.caption(plain(_where(place, names)))
            columns = st.columns(min(place.count, ACROSS))
            for each in range(place.count):
                found.append(
                    columns[each % len(columns)].selectbox(
                        f"{_where(place, names)}, {each + 1}",
                        offered,
                        None,
                        format_func=lambda face: f"{said(face)} ({asked.left[face]})",
                        label_visibility="collapsed",
                        placeholder="?",
                        key=f"face-{recording.count}-{number}-{each}",
                    )
                )
        if st.form_submit_button("Enter", type="primary"):
            known = [face for face in found if face is not None]
            if len(known) < len(found):
                notice(f"{len(found) - len(known)} of {len(found)} are not said yet.")
            else:
                enter(recording, Entry(faces=tuple(known)), recording.count)
            st.rerun()


def _where(place: Place, names: Sequence[str]) -> str:
    field = place.field.replace("_", " ").capitalize()
    if place.seat is not None:
        return f"{field}: {names[place.seat]}"
    return field if place.number is None else f"{field} {place.number + 1}"


def write(recording: Recording, label: str, why: str) -> None:
    """Show the button that ends a recording."""
    st.text(why)
    if st.button(label, type="primary", key=f"write-{label}"):
        service().recordings.write(recording)
        st.switch_page("screens/replay.py", query_params={"replay": recording.id})


def corrections(recording: Recording, names: Sequence[str]) -> None:
    """Show what the table may have taken back, and how a recording is ended before the game is."""
    draft, count = recording.draft, recording.count
    moves = [at for at, event in enumerate(draft.events) if isinstance(event, Move)][-MOVES_BACK:]
    if moves:
        with st.expander("The table took something back"):
            st.text("It stays in the recording, with the take-back behind it. What was only entered wrongly is erased.")
            at = st.selectbox(
                "All from this on was taken back",
                moves[::-1],
                format_func=lambda at: f"{at}: {recording.game.words(veiled(draft.events[at]), names)}",
                key=f"back-{count}",
            )
            st.button(
                "It was taken back",
                key=f"take-back-{count}",
                on_click=enter_event,
                args=(recording, TakenBack(to=at - 1), count),
            )
    if not draft.over:
        with st.expander("Stop here"):
            write(recording, "Stop", "The game stays unfinished, can be replayed up to here, and is not gone on with.")


def page(id: str) -> None:
    """Show a recording."""
    try:
        recording = service().recordings.find(id)
    except UnknownReplay as error:
        notice(str(error))
        recording = None
    if recording is None:
        notice("This recording is not being written: the library opens it, if it is there.")
        del st.query_params[RECORD]
        st.rerun()
    elif may_record(recording):
        recorded(recording)
    if st.button("Another recording", key="another"):
        del st.query_params[RECORD]
        st.rerun()


st.title("Record")
with guarded():
    asked_for = st.query_params.get(RECORD, "")[:80]
    if asked_for:
        page(asked_for)
    else:
        say_notices()
        set_up()
