"""What the viewer tells the script, and what it sends to the browser (no browser here)."""

from typing import Any

import msgspec
import pytest
from streamlit.testing.v1 import AppTest

KEY = "viewer"


def page() -> None:
    import streamlit as st

    from dashboard import scene
    from dashboard.payload import Payload, Step
    from dashboard.viewer import show

    steps = st.session_state.get("steps", 10)
    table = {"dot": (scene.circle(1, 2, 3, "ink"),)}
    payload = Payload(
        rev=st.session_state.get("rev", "a"),
        width=10,
        height=10,
        steps=tuple(Step(turn=i, seat=0, kind="moved", words="Ada moves", move=True, about="") for i in range(steps)),
        picture=scene.tracks([table] * steps),
        state=scene.tracks([{"n": i} for i in range(steps)]),
    )
    if not st.session_state.get("away"):
        st.text(show(lambda step: payload, "viewer", st.session_state.get("ask", 4), payload.rev).step)


def shown(at: AppTest) -> str:
    assert not at.exception
    return str(at.text[0].value)


def sent(at: AppTest) -> tuple[dict[str, Any], dict[str, Any]]:
    head, payload = at.get("bidi_component")[0].proto.bytes.split(b"\n")
    return msgspec.json.decode(head), msgspec.json.decode(payload)


def test_it_opens_where_it_is_asked_to_and_sends_all_frames() -> None:
    at = AppTest.from_function(page).run()
    head, payload = sent(at)
    assert shown(at) == "4"
    assert (head["rev"], head["step"]) == ("a", 4)
    assert len(payload["steps"]) == 10
    assert payload["picture"] == {"dot": [[0, [0]]]}
    assert payload["elements"] == [["circle", {"cx": 1, "cy": 2, "r": 3, "class": "ink"}, None]]
    assert payload["state"] == {"n": [[i, i] for i in range(10)]}


@pytest.mark.parametrize(("steps", "ask", "step"), [(10, -1, 0), (10, 99, 9), (1, 5, 0), (0, 5, 0)])
def test_the_step_asked_for_is_brought_into_range(steps: int, ask: int, step: int) -> None:
    at = AppTest.from_function(page)
    at.session_state["steps"], at.session_state["ask"] = steps, ask
    assert shown(at.run()) == str(step)


@pytest.mark.parametrize(("told", "step"), [(7, 7), (99, 9), (-3, 0), ("7", 4), (None, 4), (2.5, 4)])
def test_nonsense_from_the_browser_does_no_harm(told: object, step: int) -> None:
    at = AppTest.from_function(page).run()
    at.session_state[KEY] = {"step": told}
    assert shown(at.run()) == str(step)


def test_the_message_stays_the_same_while_its_user_moves() -> None:
    at = AppTest.from_function(page).run()
    before = at.get("bidi_component")[0].proto.bytes
    at.session_state[KEY] = {"step": 7}
    at.session_state["ask"] = 7
    at.run()
    assert at.get("bidi_component")[0].proto.bytes == before


def test_new_content_opens_where_it_is_asked_to() -> None:
    at = AppTest.from_function(page).run()
    at.session_state[KEY] = {"step": 7}
    at.run()
    at.session_state["rev"], at.session_state["ask"] = "b", 2
    at.run()
    assert (shown(at), sent(at)[0]["rev"], sent(at)[0]["step"]) == ("2", "b", 2)


def test_coming_back_opens_where_it_is_asked_to() -> None:
    at = AppTest.from_function(page).run()
    at.session_state[KEY] = {"step": 7}
    at.run()
    at.session_state["away"] = True
    at.run()
    at.session_state["away"], at.session_state["ask"] = False, 7
    at.run()
    assert (shown(at), sent(at)[0]["rev"], sent(at)[0]["step"]) == ("7", "a", 7)
