"""A strategy is checked against every reply, and refuted by a line that it does not survive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import gamemaster as gm
from gamemaster.errors import LimitExceeded, StrategyError
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State
from gamemaster.solving.andor import and_or_tree
from gamemaster.solving.checking import check_strategy
from gamemaster.solving.solver import solve_table
from gamemaster.solving.strategies.explained import wins_at_once
from gamemaster.solving.strategy import Counsel, goal_at_end

PILE = """
    role(first) role(second)
    init(pile(7)) init(control(first))
    other(first,second) other(second,first)
    legal(take(1)) :- pile(N) & leq(1,N)
    legal(take(2)) :- pile(N) & leq(2,N)
    take(K) :: pile(N) & minus(N,K,M) ==> ~pile(N) & pile(M)
    take(K) :: control(R) & other(R,S) ==> ~control(R) & control(S)
    terminal :- pile(0)
    goal(R,100) :- pile(0) & control(S) & other(R,S)
    goal(R,0) :- pile(0) & control(R)
    goal(R,0) :- pile(N) & less(0,N) & role(R)
"""

ROUND = """
    role(walker)
    init(at(1)) init(control(walker))
    legal(go) legal(stop)
    go :: at(1) ==> ~at(1) & at(2)
    go :: at(2) ==> ~at(2) & at(1)
    stop :: at(X) ==> ~at(X) & at(home)
    terminal :- at(home)
    goal(walker,100) :- at(home)
    goal(walker,0) :- at(1)
    goal(walker,0) :- at(2)
"""


@dataclass(frozen=True)
class Rule:
    """A strategy that is a function."""

    game: Game
    role: str
    value: int
    move: Callable[[State], Term | str]

    def advise(self, state: State) -> Counsel:
        move = self.move(state)
        return Counsel(self.game.move_of(move), self.value, "as the rule says")

    def explain(self) -> str:
        return "a rule"

    def to_json(self) -> dict[str, Any]:
        return {}


def left(state: State) -> int:
    return next(n for n in range(8) if state.holds(f"pile({n})"))


def keep_threes(state: State) -> str:
    return f"take({left(state) % 3 or 1})"


@pytest.fixture(scope="module")
def pile() -> Game:
    return gm.parse(PILE)


def test_a_strategy_that_wins_holds_in_all_positions_it_leads_to(pile: Game) -> None:
    verdict = check_strategy(Rule(pile, "first", 100, keep_threes))
    assert verdict.holds
    assert str(verdict) == f"holds in all {verdict.positions} positions that it can lead to"
    assert verdict.positions == 8  # from seven coins to none


def test_a_strategy_that_is_wrong_is_refuted_with_a_line(pile: Game) -> None:
    verdict = check_strategy(Rule(pile, "first", 100, lambda state: "take(1)"))
    assert not verdict.holds
    state = pile.initial_state()
    for joint in verdict.line:
        moves = zip(pile.roles, joint, strict=True)
        state = state.next({role: move for role, move in moves if move is not None})
    assert state.is_terminal
    assert state.goal("first") == 0
    assert "first gets 0, not 100" in str(verdict)
    assert "take(2)" in str(verdict)


def test_a_role_that_cannot_win_has_no_strategy_that_holds(pile: Game) -> None:
    assert not check_strategy(Rule(pile, "second", 100, keep_threes)).holds
    assert check_strategy(Rule(pile, "second", 0, keep_threes)).holds


def test_a_strategy_that_holds_later_on_can_be_checked_from_there(pile: Game) -> None:
    later = pile.initial_state().next("take(2)")
    assert check_strategy(Rule(pile, "second", 100, keep_threes), later).holds


def test_advice_that_is_not_legal_refutes(pile: Game) -> None:
    verdict = check_strategy(Rule(pile, "first", 100, lambda state: "take(3)"))
    assert not verdict.holds
    assert "which is not legal" in verdict.why
    assert str(verdict).endswith("after no move")


def test_a_strategy_without_an_answer_is_refuted(pile: Game) -> None:
    def silent(state: State) -> str:
        raise StrategyError("nothing is known of this state")

    verdict = check_strategy(Rule(pile, "first", 100, silent))
    assert verdict.why == "the strategy says nothing: nothing is known of this state"


def test_play_that_goes_round_wins_nothing() -> None:
    game = gm.parse(ROUND)
    assert "without an end" in check_strategy(Rule(game, "walker", 100, lambda state: "go")).why
    assert check_strategy(Rule(game, "walker", 100, lambda state: "stop")).holds
    assert check_strategy(Rule(game, "walker", 0, lambda state: "go")).holds


def test_a_strategy_that_leads_to_too_many_positions_is_said_so(pile: Game) -> None:
    with pytest.raises(LimitExceeded, match="positions limit of 3 positions exceeded checking the strategy"):
        check_strategy(Rule(pile, "first", 100, keep_threes), most_positions=3)


DEAD_END = """
    role(walker)
    init(at(1)) init(control(walker))
    legal(stay) :- at(1)
    legal(leave) :- at(1)
    stay :: at(1) ==> ~at(1) & at(nowhere)
    leave :: at(1) ==> ~at(1) & at(home)
    terminal :- at(home)
    goal(walker,40) :- at(home)
    goal(walker,100) :- at(nowhere)
    goal(walker,0) :- at(1)
"""


def test_where_nobody_can_move_and_nothing_is_over_all_of_solving_gives_nothing() -> None:
    game = gm.parse(DEAD_END)
    start = game.initial_state()
    stuck = start.next("stay")
    assert (stuck.is_terminal, stuck.is_over, stuck.goal("walker")) == (False, True, 100)
    assert goal_at_end(stuck, "walker") == 0
    verdict = check_strategy(Rule(game, "walker", 100, lambda _: "stay"))
    assert str(verdict) == "refuted: walker gets 0, not 100, after stay"
    assert check_strategy(Rule(game, "walker", 40, lambda _: "leave")).holds
    assert [and_or_tree(start, "walker", goal).label for goal in (40, 100)] == [True, False]
    table = solve_table(game)
    assert (table.label(stuck).goals, table.label().goals) == ((0,), (40,))
    assert wins_at_once(start, "walker", 100) is None
