"""What stops numbers that grow: the end of a game, and what is legal; and the proof that facts have one value."""

from __future__ import annotations

from pathlib import Path

import pytest

import gamemaster as gm
from gamemaster.errors import StateError
from gamemaster.ground.asp import translate
from gamemaster.ground.blame import blame
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


ORCHARD = """
role(anna) role(bert)
tree(1,3) tree(2,5) tree(3,1) tree(4,8) tree(5,2) tree(6,7) other(anna,bert) other(bert,anna)
pace(1) pace(2) pace(3)
init(at(anna,0)) init(at(bert,0)) init(score(anna,0)) init(score(bert,0)) init(control(anna))
legal(walk(N)) :- control(R) & pace(N) & at(R,P) & plus(P,N,Q) & leq(Q,6)
legal(stay) :- control(R) & at(R,6)
walk(N) :: control(R) & at(R,P) & plus(P,N,Q) ==> ~at(R,P) & at(R,Q)
walk(N) :: control(R) & at(R,P) & plus(P,N,Q) & tree(Q,A) & ~picked(Q) & score(R,S) & plus(S,A,T)
    ==> ~score(R,S) & score(R,T) & picked(Q)
walk(N) :: control(R) & other(R,S) ==> ~control(R) & control(S)
stay :: control(R) & other(R,S) ==> ~control(R) & control(S)
terminal :- at(anna,6) & at(bert,6)
goal(R,100) :- score(R,S) & other(R,O) & score(O,T) & less(T,S)
goal(R,50) :- score(R,S) & other(R,O) & score(O,S)
goal(R,0) :- score(R,S) & other(R,O) & score(O,T) & less(S,T)
"""
"""What is picked is added up: nothing stops the scores, and what is legal stops the places."""


def test_of_two_numbers_the_one_is_told_that_nothing_stops() -> None:
    rules = lower(read(Source("test", ORCHARD), "epilog"), in_order=False)
    assert blame(rules).hint.startswith("nothing stops S: write `& less(S,100)` behind `plus(S,A,T)`")


@pytest.mark.slow
def test_what_is_needed_is_proven_by_itself_where_all_together_is_too_hard() -> None:
    text = ORCHARD.replace("plus(S,A,T)", "plus(S,A,T) & less(S,100)")
    games = [gm.parse(text, dialect="epilog", machine=machine) for machine in ("compiled", "reference")]
    assert_agree(games[0], games[1], games=20)
