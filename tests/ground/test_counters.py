"""A count of steps bounds numbers that nothing else does; where it proves to be none, nothing is compiled."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import gamemaster as gm
from gamemaster.errors import StateError
from gamemaster.ground.asp import translate
from gamemaster.ground.counters import StepCounter
from gamemaster.ground.intervals import ANY, COMPUTED, NONE, joined, met
from gamemaster.ground.split import split
from gamemaster.language.lower import lower
from gamemaster.language.notation import read
from gamemaster.language.source import Source
from tests.machine.agreeing import assert_agree

RULES = Path(__file__).parents[2] / "bench" / "rules"
VOTES, HAND = (RULES / "votes.epilog").read_text(), (RULES / "hand.kif").read_text()
ADVANCES = "vote(X) :: round(N) & plus(N,1,M) ==> ~round(N) & round(M)"


def bounds_of(text: str) -> dict[tuple[str, int, int], list[float]]:
    """The last intervals that the count of steps gives; none where it is not used."""
    steps = translate(split(lower(read(Source("rules", text)), in_order=False))).steps
    return {(f, n, i): within[-1] for f, n, i, within in steps["within"]} if steps else {}


def counter_of(text: str) -> StepCounter | None:
    claims = translate(split(lower(read(Source("rules", text)), in_order=False))).claims
    return next((claim for claim in claims if isinstance(claim, StepCounter)), None)


def test_numbers_come_as_far_as_the_steps_let_them() -> None:
    assert bounds_of(VOTES) == {("votes", 2, 1): [0, 7], ("round", 1, 0): [1, 8]}
    assert bounds_of(HAND) == {("sum", 2, 1): [0, 80], ("step", 1, 0): [1, 9]}


@pytest.mark.parametrize(
    "change",
    [
        "vote(X) :: round(N) & evaluate(plus(N,1),M) ==> ~round(N) & round(M)",
        "vote(X) :: round(N) & after(N,M) ==> ~round(N) & round(M)\n"
        + "\n".join(f"after({n},{n + 1})" for n in range(1, 8)),
        "vote(X) :: round(N) & distinct(N,8) & less(N,8) & plus(N,1,M) ==> ~round(N) & round(M)",
    ],
    ids=["evaluate", "a table", "with tests"],
)
def test_the_usual_forms_of_counters_are_known(change: str) -> None:
    text = VOTES.replace(ADVANCES, change)
    counter = counter_of(text)
    assert counter
    assert (counter.functor, counter.steps, len(counter.after)) == ("round", 7, 7)
    compiled, reference = (gm.parse(text, machine=machine) for machine in ("compiled", "reference"))
    assert assert_agree(compiled, reference, 5, seed="votes") > 5


def test_a_clock_that_runs_down_is_a_counter_too() -> None:
    text = VOTES.replace("plus(N,1,M) ==> ~round", "minus(N,2,M) ==> ~round").replace(
        "init(round(1))", "init(round(11))"
    )
    text = text.replace("terminal :- round(8)", "terminal :- round(N) & leq(N,0)")
    counter = counter_of(text)
    assert counter
    assert counter.steps == 6
    assert gm.parse(text, machine="compiled").playouts(20).mean_length == 6


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("terminal :- round(8)", "terminal :- round(8) & votes(a,3)"),
        (ADVANCES, ADVANCES.replace("vote(X)", "vote(a)")),
        (ADVANCES, ADVANCES + "\nvote(c) :: round(4) ==> round(1)"),
        (ADVANCES, ADVANCES.replace("~round(N) & ", "")),
        (ADVANCES, ADVANCES.replace("round(N) &", "round(N) & ~votes(a,2) &")),
        ("init(round(1))", "init(round(1)) init(round(2))"),
    ],
    ids=["no end", "not in every step", "back again", "the old one stays", "not always", "two at first"],
)
def test_what_does_not_count_every_step_bounds_nothing(old: str, new: str) -> None:
    assert old in VOTES
    with pytest.raises(gm.LimitExceeded, match="numbers may grow without end at rules:12:1") as found:
        gm.parse(VOTES.replace(old, new), machine="compiled")
    assert found.value.place
    assert (
        found.value.hint == "nothing stops N: write `& less(N,100)` behind `plus(N,1,M)`, or let the game end"
    )


def test_advice_is_in_the_notation_of_the_sheet() -> None:
    with pytest.raises(gm.LimitExceeded) as found:
        gm.parse(
            HAND.replace("(<= terminal (true (step 9)))", "(<= terminal (true over))"), machine="compiled"
        )
    assert (
        found.value.hint
        == "nothing stops ?s: write `(less ?s 100)` behind `(plus ?s ?c ?t)`, or let the game end"
    )
    assert found.value.place
    assert found.value.place.line == 10


def test_states_that_no_game_comes_to_in_so_many_steps_are_refused() -> None:
    game = gm.load(RULES / "votes.epilog", machine="compiled")
    facts = ["votes(a,2)", "votes(b,0)", "votes(c,0)", "control(chair)"]
    assert game.state([*facts, "round(3)"]).next("vote(a)").holds("votes(a,3)")
    with pytest.raises(
        StateError, match=r"fact 'votes\(a,2\)' can never hold together with round\(2\) in votes"
    ):
        game.state([*facts, "round(2)"])
    with pytest.raises(StateError, match=r"a state of votes has one fact round\(...\), and these are 0"):
        game.state(facts)
    with pytest.raises(StateError, match=r"facts|has one fact"):
        game.state([*facts, "round(3)", "round(4)"])


def test_a_step_that_nobody_makes_is_refused_where_steps_are_counted() -> None:
    game = gm.load(RULES / "votes.epilog", machine="compiled")
    nobody = game.state(["votes(a,2)", "votes(b,0)", "votes(c,0)", "round(3)"])
    with pytest.raises(StateError, match="nobody has a move in step 0 of votes"):
        nobody.next({})


def test_what_a_condition_or_a_move_bounds_needs_no_count() -> None:
    tested = VOTES.replace("votes(X,N) & plus(N,1,M)", "votes(X,N) & less(N,4) & plus(N,1,M)")
    assert bounds_of(tested).get(("votes", 2, 1)) in (None, [0, 5])
    assert gm.parse(tested, machine="compiled").playouts(20).mean_length == 7


@pytest.mark.parametrize(
    ("name", "args", "result"),
    [
        ("plus", [(1, 2), (10, 20)], (11, 22)),
        ("minus", [(1, 2), (10, 20)], (-19, -8)),
        ("minus", [(1, 2)], (-2, -1)),
        ("times", [(-1, 2), (10, 20)], (-20, 40)),
        ("times", [(0, 2), ANY], ANY),
        ("quotient", [(10, 20), (2, 5)], (2, 10)),
        ("quotient", [(10, 20), (-1, 5)], ANY),
        ("remainder", [(-3, 20), (2, 5)], (-5, 5)),
        ("floor", [(1.5, math.inf)], (1, math.inf)),
        ("round", [(1.5, 2.4)], (2, 2)),
        ("abs", [(-3, 2)], (0, 3)),
        ("min", [(1, 9), (3, 5)], (1, 5)),
        ("max", [(1, 9), (3, 5)], (3, 9)),
    ],
)
def test_what_is_computed_of_intervals(
    name: str, args: list[tuple[float, float]], result: tuple[float, float]
) -> None:
    assert COMPUTED[name](*args) == result


def test_intervals_join_and_meet() -> None:
    assert (joined((1, 2), (5, 6)), joined(NONE, (5, 6))) == ((1, 6), (5, 6))
    assert (met((1, 4), (3, 6)), met((1, 2), (5, 6)), met(ANY, (5, 6))) == ((3, 4), NONE, (5, 6))


def test_what_turns_out_to_count_nothing_is_left_out_where_something_else_ends_numbers() -> None:
    """`n` grows by a table of a thousand, which is too long to be looked through, and `round` is no count of steps."""
    chain = "\n".join(f"more({n},{n + 1})" for n in range(400))
    text = VOTES.replace(ADVANCES, ADVANCES.replace("vote(X)", "vote(a)") + f"\n{chain}")
    text = text.replace("votes(X,N) & plus(N,1,M)", "votes(X,N) & plus(N,1,M) & more(N,M)")
    game = gm.parse(text, machine="compiled")
    assert game.initial_state().next("vote(b)").holds("votes(b,1)")
    assert len(game.layout.facts) > 400  # type: ignore[attr-defined]


def test_whoever_nothing_bounds_is_to_blame_before_those_whom_the_end_or_legality_does() -> None:
    text = """role(r) init(weight(0)) init(value(0)) control(r) legal(stop) thing(3,8) thing(5,900)
legal(pack(W)) :- thing(W,V) & weight(S) & plus(S,W,T) & leq(T,15)
pack(W) :: weight(S) & plus(S,W,T) ==> ~weight(S) & weight(T)
pack(W) :: value(S) & thing(W,V) & plus(S,V,T) ==> ~value(S) & value(T)
stop :: control(r) ==> stopped
terminal :- stopped goal(r,1)"""
    with pytest.raises(gm.LimitExceeded, match="numbers may grow without end at rules:4:1") as found:
        gm.parse(text, machine="compiled")
    assert (
        found.value.hint == "nothing stops S: write `& less(S,100)` behind `plus(S,V,T)`, or let the game end"
    )
