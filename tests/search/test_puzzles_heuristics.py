"""The lower bound that idastar takes from the rules: never too high, and what it counts."""

from __future__ import annotations

import random

import pytest

import gamemaster as gm
from gamemaster.ground.clingo_grounder import GroundLimits
from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget
from gamemaster.search.puzzles import heuristics
from gamemaster.search.puzzles.heuristics import moves_needed
from gamemaster.search.puzzles.idastar import search
from tests.search.puzzles import LADDER, SOLVED, eight_puzzle, fewest_slides


def tiles_of(state: State) -> str:
    facts = sorted(map(str, state.facts))  # cell(1,1,b), cell(1,2,4), ...
    return "".join(fact[-2] for fact in facts)


@pytest.mark.parametrize("machine", ["compiled", "reference"])
def test_the_bound_never_exceeds_the_truth_in_sliding_puzzles(machine: str) -> None:
    game = gm.parse(eight_puzzle("12345678b"[::-1]), machine=machine)  # type: ignore[arg-type]
    needed = moves_needed(game, "robot", 100)
    assert needed is not None
    generator = random.Random(1)
    state = game.state([f"cell({i // 3 + 1},{i % 3 + 1},{tile})" for i, tile in enumerate(SOLVED)])
    assert needed(state) == 0
    for x in range(12):
        blank = tiles_of(state).index("b")
        near = [i for i in range(9) if abs(i // 3 - blank // 3) + abs(i % 3 - blank % 3) == 1]
        other = generator.choice(near)
        tiles = list(tiles_of(state))
        tiles[blank], tiles[other] = tiles[other], "b"
        state = game.state([f"cell({i // 3 + 1},{i % 3 + 1},{tile})" for i, tile in enumerate(tiles)])
        misplaced = sum(tile != right for tile, right in zip(tiles, SOLVED, strict=True) if tile != "b")
        assert needed(state) == misplaced <= fewest_slides("".join(tiles)) <= x + 1


@pytest.mark.parametrize("name", ["hunter", "hamilton", "peg", "buttonsandlights"])
def test_the_bound_never_exceeds_the_truth_along_a_solution(name: str) -> None:
    game = gm.load(name)
    role, state = game.roles[0], game.initial_state()
    needed = moves_needed(game, role, 100)
    assert needed is not None
    line: tuple[Term, ...] = search(state, role, Budget(seconds=600)).line
    for made, move in enumerate(line):
        assert 0 < needed(state) <= len(line) - made
        state = state.next(move)
    assert needed(state) == 0


def test_counters_are_followed_back() -> None:
    game = gm.load("hamilton")
    needed = moves_needed(game, "robot", 100)
    assert needed is not None
    assert needed(game.initial_state()) == 19


def test_a_goal_that_needs_nothing_gives_no_bound() -> None:
    game = gm.parse(
        "role(r) init(a) legal(r,m) next(b) :- does(r,m)\nterminal :- ~true(a)\ngoal(r,100) :- ~true(a)\n"
    )
    assert moves_needed(game, "r", 100) is None
    assert len(search(game.initial_state(), "r", Budget(nodes=10)).line) == 1


def test_a_goal_that_is_no_number_is_passed_over() -> None:
    text = LADDER.replace("goal(robot,P) :- true(at(X)) & pays(X,P)", "goal(robot,much) :- true(at(3))")
    assert moves_needed(gm.parse(text, machine="reference"), "robot", 100) is not None


def test_time_that_is_too_short_gives_no_bound() -> None:
    assert moves_needed(gm.load("peg"), "jumper", 100, seconds=0.01) is None


def test_rules_that_are_too_large_give_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heuristics, "LIMITS", GroundLimits(seconds=5.0, rules=10))
    heuristics._analysis.cache_clear()
    assert moves_needed(gm.load("peg"), "jumper", 100) is None
    monkeypatch.undo()
    monkeypatch.setattr(heuristics, "MOST_BITS", 10)
    found = heuristics._analysis(heuristics._Key(gm.load("peg"), 5.0), "jumper", 100)
    assert (len(found.counted), len(found.needed)) == (0, 2)
    heuristics._analysis.cache_clear()
