"""Reading a message takes steps in proportion to its length, whatever it is: counted in lines run, not in seconds."""

from __future__ import annotations

import contextlib
import sys
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamemaster.errors import MessageError
from gamemaster.match.wire.heading import shortened
from gamemaster.match.wire.messages import read_message, read_reply

MOST_STEPS = 150
"""Lines run for a character; some 30 are usual."""

BASE = 5_000
"""Lines run for any message."""


def steps(text: str) -> int:
    """How many lines are run to read a text, or to refuse it."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        for reader in (shortened, read_message, read_reply):
            with contextlib.suppress(MessageError):
                reader(text)
    finally:
        sys.settrace(before)
    return count


def check(text: str) -> None:
    found = steps(text)
    assert found <= BASE + MOST_STEPS * len(text), f"{found:,} lines for {len(text):,} characters"


ENDS = {
    "": "",
    "(": ")",
    "(play m (": "))",
    "(start m x (": ") 1 1)",
    "(start m x ((<= p ": ")) 1 1)",
    "(start m x ((<= (p ?_1) ": ")) 1 1)",
    "start(m,x,ruleset(": "a),1,1)",
    "start(m,x,[p :- ": "a],1,1)",
    "play(m,[": "a])",
    "message(1,a,b,play(": "a))",
    "((name a) (status ": "))",
    "reply(m,": "a)",
}
"""How messages begin, and how they end."""

PARTS = [
    "a ",
    "(a)",
    "?x ",
    "?_1 ",
    "(q ?_1)",
    "(and ",
    "(or p ",
    "(not ",
    "((",
    "))",
    "|a b|",
    '"a" ',
    "A ",
    "; a\n",
]
PARTS += [
    "a,",
    "a(",
    "[a,",
    "]",
    ")",
    "X,",
    "_,",
    "'a b',",
    "p & ",
    "~",
    "p | ",
    "p(X) & ",
    ":- ",
    ". ",
    "% a\n",
    "a!",
]
PARTS += [
    "<= ",
    ":: ",
    "==> ",
    "(<= p q)",
    "-1 ",
    "1e9 ",
    "\ufffd",
    "\r\n",
    "(:= f g)",
    "(role x) ",
    "(true (p ?_2)) ",
]


@pytest.mark.parametrize("part", PARTS)
def test_the_same_over_and_over_is_read_in_proportion(part: str) -> None:
    for head, tail in ENDS.items():
        check(head + part * 150 + tail)


def test_numbered_variables_are_read_in_proportion() -> None:
    literals = " ".join(f"(q ?_{number})" for number in range(1_000))
    check(f"(start m x ((role x) (<= p {literals})) 1 1)")


@given(
    st.sampled_from(list(ENDS)),
    st.lists(st.tuples(st.lists(st.sampled_from(PARTS), max_size=4), st.integers(1, 100)), max_size=4),
    st.sampled_from(list(ENDS.values())),
)
@settings(max_examples=60, deadline=None)
def test_any_mixture_is_read_in_proportion(head: str, runs: list[tuple[list[str], int]], tail: str) -> None:
    check(head + "".join("".join(parts) * count for parts, count in runs) + tail)


@given(st.text(max_size=400))
@settings(max_examples=100, deadline=None)
def test_any_text_is_read_in_proportion(text: str) -> None:
    check(text)
