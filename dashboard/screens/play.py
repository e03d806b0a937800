"""Play a live game: at one screen that is passed on, at several, or against bots. Tokens stay in the session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import polars as pl
import streamlit as st

from core.registry import games
from dashboard.address import notice, plain, say_notices
from dashboard.beginning import check, chosen_options, game_and_seats, name_at, role_of, service_token
from dashboard.choosing import Choice, Choose, buttons
from dashboard.choosing import picture as table_picture
from dashboard.guarded import guarded
from dashboard.playing import Sight, due, service, sight
from events.errors import SetupError, TabletapeError
from events.marks import Viewer
from events.tape import Player
from replay.errors import UnknownReplay
from replay.live.game import WINDOW, Held, LiveGame, Wish
from replay.live.tokens import Facts, keeps
from replay.report import names_of
from replay.simulate import bots_for

# A bare string here would be shown on the page.
LIVE: Final = "live"  # the game in the address; tokens never stand there
HERE: Final = "at this screen"
ELSEWHERE: Final = "at another screen"
TICK: Final = 1.0  # seconds between two looks at what the others did


# --- what this session holds ------------------------------------------------------------------------------------------


def held(id: str) -> dict[Viewer, str]:
    """Give the tokens that this session holds at a game, by seat (and for spectators, where a game is closed)."""
    tokens: dict[Viewer, str] = st.session_state.setdefault(f"held-{id}", {})
    return tokens


def opened(id: str) -> Viewer:
    """Give as whom this screen shows a game: its only seat, the one that has uncovered it, or nobody in particular."""
    seats = [seat for seat in held(id) if isinstance(seat, int)]
    if len(seats) == 1:
        return seats[0]
    chosen: Viewer = st.session_state.get(f"opened-{id}", "spectator")
    return chosen


def uncover(id: str, seat: Viewer) -> None:
    """Show a seat's view from now on; `spectator` covers the screen."""
    st.session_state[f"opened-{id}"] = seat


# --- setting up -------------------------------------------------------------------------------------------------------


def set_up() -> None:
    """Show how a game is begun or joined."""
    st.subheader("Begin a game")
    slug, seats = game_and_seats()
    bots = list(bots_for(games()[slug]))
    players = []
    here = []
    for seat in range(seats):
        who, where = st.columns(2)
        with who:
            name = name_at(seat)
        plays = where.selectbox(
            f"Seat {seat} plays", [HERE, ELSEWHERE, *bots], format_func=_played_by, key=f"new-by-{slug}-{seat}"
        )
        players.append(Player(name, plays if plays in bots else None))
        if plays == HERE:
            here.append(seat)
    window = WINDOW
    if games()[slug].windows and sum(player.bot is None for player in players) > 1:
        window = st.number_input(
            "Seconds that everybody waits where somebody may answer in secret",
            0.0,
            600.0,
            WINDOW if len(here) < 2 else 20.0,
            key=f"new-window-{len(here) < 2}",
        )
    options = chosen_options(slug)
    token = service_token()
    if st.button("Begin", type="primary", key="begin"):
        begin(Wish(game=slug, players=tuple(players), options=options, window=window), here, token)
    st.subheader("Join a game")
    with st.form("join", border=False):
        id = st.text_input("Id of the game", max_chars=80)
        if st.form_submit_button("Open") and id.strip():
            st.query_params[LIVE] = id.strip()
            st.rerun()


def _played_by(plays: str) -> str:
    return f"Somebody {plays}" if plays in (HERE, ELSEWHERE) else f"The bot {plays}"


def begin(wish: Wish, here: Sequence[int], token: str | None) -> None:
    """Set a game up, keep the tokens of the seats at this screen, and open it."""
    try:
        check(token)
        game, tokens = service().live.create(wish)
    except TabletapeError as error:
        st.error(plain(str(error)))
        return
    for seat in here:
        held(game.id)[seat] = tokens.seats[seat] or ""
    told = [(f"Seat {seat}: {wish.players[seat].name}", secret) for seat, secret in enumerate(tokens.seats) if secret]
    st.session_state[f"told-{game.id}"] = [*told, ("Organiser", tokens.organiser)]
    st.query_params[LIVE] = game.id
    st.rerun()


def tell_tokens(id: str) -> bool:
    """Show the tokens of a new game, once; say whether they are shown."""
    told: list[tuple[str, str]] | None = st.session_state.get(f"told-{id}")
    if told is None:
        return False
    st.subheader("Tokens of the seats")
    st.text(
        "They are shown this once. Give each player the address of this page and the token of their seat; whoever has "
        "a token sees the hand. Seats at this screen need theirs only if the page is loaded anew."
    )
    for who, secret in told:
        st.text(who)
        st.code(secret, language=None)
    if st.button("I have passed them on", type="primary", key="told"):
        del st.session_state[f"told-{id}"]
        st.rerun()
    return True


def sit_down(game: LiveGame) -> None:
    """Show the box for a token, which opens its seat in this session."""
    with st.form("token", clear_on_submit=True, border=False):
        secret = st.text_input("Token of a seat", type="password", max_chars=200)
        if not st.form_submit_button("Sit down") or not secret:
            return
    role = role_of(game.facts, secret)
    if isinstance(role, int) or role == "spectator":
        held(game.id)[role] = secret.strip()
        uncover(game.id, role)
        st.rerun()
    st.error("This is the organiser's token: it opens no seat." if role else "This is no token of this game.")


# --- playing ----------------------------------------------------------------------------------------------------------


def act(game: LiveGame, seat: int, raw: bytes, expected: int) -> None:
    """Make a move of a seat. One that has to wait for an answer in secret is made as soon as it may be."""
    pending = f"pending-{game.id}-{seat}"
    st.session_state.pop(pending, None)
    try:
        game.move(seat, raw, expected)
    except Held:
        st.session_state[pending] = (raw, expected)
        return
    except TabletapeError as error:
        notice(f"This move was not made: {error}.")
        return
    if opened(game.id) == seat and seat not in due(game.timeline()):
        uncover(game.id, "spectator")


def undo(game: LiveGame, seat: int, expected: int) -> None:
    """Take back the last move of a seat."""
    try:
        game.take_back(seat, expected)
    except TabletapeError as error:
        notice(f"Nothing was taken back: {error}.")


@st.fragment(run_every=TICK)
def table(id: str) -> None:
    """Show the game as it stands, and again every second."""
    with guarded():
        game = service().playing(id)
        if game is None:
            st.rerun()
        for seat in [seat for seat in held(id) if isinstance(seat, int)]:
            if waiting := st.session_state.get(f"pending-{id}-{seat}"):
                act(game, seat, *waiting)
        viewer = opened(id)
        line, viewer, _ = service().look(id, held(id).get(viewer) or next(iter(held(id).values()), None), str(viewer))
        seen = sight(line, viewer)
        say_notices()
        _whose_turn(seen, viewer)
        if viewer == "spectator":
            _cover(id, seen)
        picture, side = st.columns([3, 2])

        def choose(choice: Choice) -> None:
            if isinstance(viewer, int):
                act(game, viewer, choice.raw, seen.count)

        with picture:
            waits = bool(st.session_state.get(f"pending-{id}-{viewer}"))
            table_picture(f"{id}-{viewer}", seen.scene, () if waits else seen.choices, seen.count, choose)
        with side:
            if isinstance(viewer, int):
                _moves(game, viewer, seen, choose)
            st.text("\n".join(reversed(seen.lately)))


def _whose_turn(seen: Sight, viewer: Viewer) -> None:
    names = [seen.names[seat] for seat in seen.due if seat != viewer]
    if viewer in seen.due:
        st.subheader("It is your turn" if not names else "You are to choose")
    elif names:
        st.subheader(plain(f"It is the turn of {', '.join(names)}"))
    else:
        st.subheader("The table waits")


def _cover(id: str, seen: Sight) -> None:
    """Show who may uncover the screen. Anybody may at any time, or it would show who is asked in secret."""
    seats = [seat for seat in held(id) if isinstance(seat, int)]
    if not seats:
        return
    wanted = next((seat for seat in seats if seat in seen.due), None)
    st.info(
        "The screen is covered."
        if wanted is None
        else f"The screen is covered. Pass it to {plain(seen.names[wanted])}."
    )
    with st.container(horizontal=True):
        for seat in seats:
            st.button(
                f"I am {plain(seen.names[seat])}",
                type="primary" if seat == wanted else "secondary",
                key=f"uncover-{seat}",
                on_click=uncover,
                args=(id, seat),
            )


def _moves(game: LiveGame, seat: int, seen: Sight, choose: Choose) -> None:
    """Show what a seat may do."""
    if st.session_state.get(f"pending-{game.id}-{seat}"):
        st.info("Your move waits until everybody had time to answer.")
    else:
        buttons(f"{game.id}-{seat}", seen.choices, seen.count, choose)
    with st.container(horizontal=True):
        if seen.undoable:
            st.button("Take my move back", key=f"undo-{seen.count}", on_click=undo, args=(game, seat, seen.count))
        if len([each for each in held(game.id) if isinstance(each, int)]) > 1:
            st.button("Cover the screen", key="cover", on_click=uncover, args=(game.id, "spectator"))


# --- at the end -------------------------------------------------------------------------------------------------------


def result(id: str) -> None:
    """Show how a game ended, and that it was dealt as was promised."""
    line = service().recorded(id)
    facts = service().live.facts(id)
    if facts is None:
        raise SetupError("This game was not played here; the library opens it.")
    st.subheader("The game was broken off" if facts.broken_off else "The game is over")
    if facts.broken_off:
        st.text(
            "Nobody plays on. It is an unfinished game now, and its hidden cards and its seed are open to everybody."
        )
    st.text(line.game.words(line.events[-1], names_of(line)))
    st.page_link("screens/replay.py", label="To the replay", query_params={"replay": id})
    seed = line.header.seed
    if seed is None or facts.commitment is None or facts.salt is None:
        return
    st.text(
        "The deal was fixed before the game: its seed is the one that was committed to."
        if keeps(facts.commitment, seed, facts.salt)
        else "The seed is not the one that was committed to!"
    )
    rows: dict[str, Any] = {"commitment": facts.commitment, "salt": facts.salt, "seed": seed}
    st.dataframe(pl.DataFrame({"Fact": list(rows), "Value": list(rows.values())}), hide_index=True, alt="The seed")


def about(game: LiveGame, facts: Facts) -> None:
    """Show what others need to join, and what was promised about the deal."""
    st.text("Others join by the address of this page, and the token of their seat.")
    st.text(f"Game {game.id}")
    if facts.commitment is not None:
        st.text(f"Commitment to the deal: {facts.commitment}")
    sit_down(game)


def break_off(game: LiveGame) -> None:
    """Show how the organiser ends a game that nobody plays on."""
    with st.form("break-off", clear_on_submit=True, border=False):
        st.text(
            "A game that nobody plays on can be broken off: it stays unfinished, and its hidden cards and its seed are "
            "open to everybody then."
        )
        secret = st.text_input("Token of the organiser", type="password", max_chars=200)
        if not st.form_submit_button("Break the game off"):
            return
    if role_of(game.facts, secret) != "organiser":
        st.error("This is not the organiser's token.")
        return
    service().live.break_off(game)
    st.rerun()


def playing(id: str) -> None:
    """Show a game that is at play, or its result."""
    try:
        game = service().playing(id)
    except UnknownReplay as error:
        notice(str(error))
        del st.query_params[LIVE]
        st.rerun()
    if tell_tokens(id):
        return
    if game is None:
        result(id)
    else:
        st.text(f"{game.game.title}: {', '.join(names_of(game.timeline()))}")
        if held(id) or game.facts.spectator is None:
            table(id)
        else:
            st.info("Only who has a token may look at this game.")
        seated = any(isinstance(seat, int) for seat in held(id))
        with st.expander("This game", expanded=not seated):
            about(game, game.facts)
            break_off(game)
    if st.button("Another game", key="another"):
        del st.query_params[LIVE]
        st.rerun()


st.title("Play")
with guarded():
    asked = st.query_params.get(LIVE, "")[:80]
    if asked:
        playing(asked)
    else:
        say_notices()
        set_up()
