"""What stops numbers that grow: the end of a game, and what is legal; and the proof that facts have one value."""

from __future__ import annotations

from pathlib import Path

import pytest

import gamemaster as gm
from gamemaster.errors import StateError
from gamemaster.ground.asp import translate
from gamemaster.ground.bounds import Assumption
from gamemaster.language.lower import lower
from gamemaster.language.notation import read
from gamemaster.language.source import Source
from tests.machine.agreeing import assert_agree

RULES = Path(__file__).parents[2] / "bench" / "rules"
COUNTING = ["auction", "cards", "clock", "dice", "majority", "pile", "queens", "race", "stones"]
COUNTING += ["bank", "bids", "clocks", "hand", "hundred", "votes"]


def sheet(name: str) -> Path:
    (path,) = RULES.glob(f"{name}.*")
    return path


@pytest.mark.parametrize("name", COUNTING)
def test_sheets_that_count_compile_as_written_and_agree(name: str) -> None:
    compiled, reference = (gm.load(sheet(name), machine=machine) for machine in ("compiled", "reference"))
    assert assert_agree(compiled, reference, 15, seed=name) > 15


def test_what_is_assumed_is_told() -> None:
    of_pile, of_race = (
        translate(lower(read(Source.from_path(sheet(name))), in_order=False)) for name in ("pile", "race")
    )
    assert of_pile.claims == [Assumption("pile", 1), Assumption("control", 1)]
    assert (of_pile.stops, of_race.stops) == (True, True)
    assert of_race.claims == []


PILE = (sheet("pile")).read_text()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("==> ~pile(S) & pile(T)", "==> pile(T)"),
        ("action(take(N))", "take(N) :: pile(S) & minus(S,2,T) ==> pile(T)\naction(take(N))"),
        ("init(pile(20))", "init(pile(20))\ninit(pile(7))"),
        ("legal(take(N)) :- size(N) & pile(S) & leq(N,S)", "legal(take(N)) :- size(N)"),
    ],
    ids=["the old one stays", "two at once", "two at first", "not bounded by what is legal"],
)
def test_what_cannot_be_proven_is_not_compiled(old: str, new: str) -> None:
    assert old in PILE
    with pytest.raises(gm.LimitExceeded, match="numbers may grow without end at rules"):
        gm.parse(
            PILE.replace(old, new).replace("terminal :- pile(0)", "terminal :- pile(-50) & pile(-51)"),
            machine="compiled",
        )


def test_two_values_at_once_are_refused_by_the_machine_that_stands_on_one() -> None:
    game = gm.load(sheet("pile"), machine="compiled")
    assert game.state(["pile(7)", "control(left)"]).legal_moves("left")
    with pytest.raises(
        StateError, match=r"facts 'pile\(7\)' and 'pile\(3\)' can never hold together in pile"
    ):
        game.state(["pile(7)", "pile(3)", "control(left)"])


def test_after_the_end_the_machine_that_stops_there_says_so() -> None:
    game = gm.load(sheet("race"), machine="compiled")
    over = game.state(["score(left,10)", "score(right,3)", "control(right)"])
    assert over.is_terminal
    with pytest.raises(
        StateError, match="race is over in step 0, and the compiled machine knows no numbers beyond"
    ):
        over.next({"right": "go(1)"})
    beyond = gm.load(sheet("race"), machine="reference")
    assert beyond.state(over.facts).next({"right": "go(1)"}).holds("score(right,4)")
