"""What a judgement holds facts and pairs of facts to be worth: exact where the network is made by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.language.infix import read_term
from gamemaster.language.terms import Term
from gamemaster.search.native.engine import Engine
from gamemaster.search.native.judgement import Judgement, Lesson, new_judgement
from gamemaster.search.native.kernels.records import Words
from gamemaster.search.native.self_play import play_to_see
from gamemaster.search.native.warming import warm_up
from gamemaster.search.native.worths import Worth, instead_of, look_into, worths_in
from tests.search.readiness import make_ready


@pytest.fixture(scope="module")
def engine() -> Engine:
    game = gm.load("tictactoe").compiled
    assert game is not None
    make_ready(game)
    assert warm_up(None, ["judging"])
    return Engine(game)


def blank(engine: Engine) -> Judgement:
    """A judgement that holds nothing to be worth anything."""
    judgement = new_judgement(engine)
    for array in (judgement.net.columns, judgement.net.start, judgement.net.out):
        array[:] = 0
    judgement.net.out[0] = 1
    return judgement


def column(engine: Engine, fact: str) -> int:
    return engine.game.layout.facts.index(read_term(fact))


def rows(engine: Engine) -> Words:
    """All states of up to four moves."""
    states = [engine.game.initial_state()]
    for depth in range(3):
        states += [state.next(move) for state in states if state.step == depth for move in _moves(state)]
    return np.array([engine.row_of(state) for state in states])


def _moves(state: gm.State) -> list[Term]:
    assert state.chooser is not None
    return list(state.legal_moves(state.chooser))


def by_fact(worths: tuple[Worth, ...]) -> dict[str, Worth]:
    return {str(each.fact): each for each in worths}


def share(score: float) -> float:
    return 1 / (1 + math.exp(-score))


def test_a_fact_is_worth_what_its_weight_changes(engine: Engine) -> None:
    judgement = blank(engine)
    judgement.net.columns[column(engine, "cell(2,2,x)"), 0] = 1.0
    judgement.net.columns[column(engine, "cell(1,1,b)"), 0] = 0.5
    judgement.net.start[0] = -0.25
    looked = rows(engine)
    facts, pairs = worths_in(engine, judgement, looked[[-1]].repeat(20, axis=0))
    assert (facts, pairs) == ((), ())  # what always holds, or never, is compared with nothing
    facts, pairs = worths_in(engine, judgement, looked)
    found = by_fact(facts)
    held = np.unpackbits(looked.view(np.uint8), axis=1, bitorder="little").astype(bool)
    has_centre = held[:, column(engine, "cell(2,2,x)")]
    is_free = held[has_centre, column(engine, "cell(1,1,b)")]
    gains = [share(0.75 + 0.5 * free) - share(-0.25 + 0.5 * free) for free in is_free]
    centre = found["cell(2,2,x)"]
    assert centre.points == pytest.approx(100 * sum(gains) / len(gains), abs=1e-3)
    assert (str(centre.instead), centre.share) == ("cell(2,2,b)", has_centre.mean())
    assert found["cell(1,1,x)"].points < 0  # it takes the place of a blank that is worth something
    assert found["cell(3,3,o)"].points == 0
    assert "cell(1,1,b)" not in found  # the others are compared with it
    assert not pairs  # a sum makes nothing of pairs


def test_a_pair_is_worth_what_a_unit_sees_in_both(engine: Engine) -> None:
    judgement = blank(engine)
    both = "cell(1,1,x)", "cell(1,2,o)"
    for fact in both:
        judgement.net.columns[column(engine, fact), 1] = 1.0
    judgement.net.start[1], judgement.net.out[1] = -1.0, 2.0
    _, pairs = worths_in(engine, judgement, rows(engine))
    (pair,) = pairs
    assert {str(fact) for fact in pair.facts} == {*both}
    beyond = 2 * (1 - 0 - 0 + -1 / 8)
    assert pair.points == pytest.approx(100 * beyond * share(2) * (1 - share(2)), abs=1e-3)


def test_nothing_is_worth_anything_where_nothing_was_seen(engine: Engine) -> None:
    assert worths_in(engine, blank(engine), np.zeros((0, engine.row_words), np.uint64)) == ((), ())


def test_what_facts_are_compared_with() -> None:
    facts = [
        read_term(text) for text in ("at(1,a)", "at(1,b)", "at(2,a)", "at(2,b)", "lamp", "seen(1)", "seen(2)")
    ]
    held = np.array(
        [
            [1, 0, 1, 0, 1, 0, 0],
            [1, 0, 0, 1, 0, 1, 0],
            [0, 1, 1, 0, 1, 1, 1],
        ],
        bool,
    )
    assert instead_of(facts, held).tolist() == [0, 0, 2, 2, -1, -1, -1]


def test_places_are_found_where_two_arguments_say_what_is_there() -> None:
    facts = [
        read_term(f"at({place},{colour},{kind})") for place in (1, 2) for colour in "wb" for kind in "pk"
    ]
    held = np.zeros((8, 8), bool)
    for state in range(8):
        held[state, state % 4] = held[state, 4 + (state + state // 4) % 4] = True
    held[0, 0], held[0, 3] = False, True  # so that one stands more often than others
    instead = instead_of(facts, held)
    assert set(instead[:4]) == {3}
    assert set(instead[4:]) == {7}


def test_games_are_looked_at_without_learning_from_them(engine: Engine) -> None:
    judgement, start = new_judgement(engine, seed=3), engine.game.initial_state()
    before = judgement.to_bytes()
    seen = play_to_see(engine, judgement, start, 40, seed=1)
    assert judgement.to_bytes() == before
    assert seen.games == 40
    assert 0 <= seen.explained <= 1
    assert 5 * 40 - 40 <= len(seen.rows) <= 9 * 40
    first, second = (look_into(engine, start, judgement, games=40) for _ in range(2))
    assert first == second
    assert (first.role, first.games, first.states) == (
        "x",
        40,
        len(play_to_see(engine, judgement, start, 40, 20).rows),
    )
    assert {str(fact) for fact in first.of} >= {"cell(2,2,x)", "cell(2,2,o)"}


def test_a_curve_is_smooth_where_its_points_are_of_few_games(engine: Engine) -> None:
    jumps = tuple(Lesson(50 * (number + 1), float(number % 2)) for number in range(20))
    judgement = replace(new_judgement(engine), curve=jumps)
    smooth = judgement.smooth_curve
    assert [lesson.games for lesson in smooth] == [lesson.games for lesson in jumps]
    assert all(0.4 <= lesson.explained <= 0.6 for lesson in smooth)
    large = tuple(Lesson(10_000 * (number + 1), float(number % 2)) for number in range(4))
    assert replace(judgement, curve=large).smooth_curve == large
    uneven = (Lesson(90, 0.5), Lesson(100, 1.0))
    assert replace(judgement, curve=uneven).smooth_curve[-1].explained == pytest.approx(0.55)
