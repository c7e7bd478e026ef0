"""The subroutines of the slides, and the slides' legal and random players written with them."""

from __future__ import annotations

import random
from itertools import permutations
from typing import Any

import pytest

import gamemaster as gm
from gamemaster.language.notation import read
from gamemaster.language.rules import Rules
from gamemaster.language.source import Source
from gamemaster.load import source_of
from gamemaster.subroutines import (
    definerules,
    findactions,
    findbases,
    findcontrol,
    findinits,
    findlegalp,
    findlegals,
    findlegalx,
    findreward,
    findroles,
    findterminalp,
    nil,
    numberize,
    randomindex,
    seq,
    shuffle,
    simulate,
)


class LegalPlayer:
    """The slides' legal player, line by line."""

    def ping(self) -> str:
        return "ready"

    def start(self, role: str, rules: Rules, start_clock: str, play_clock: str) -> str:
        self.role = role
        self.library = rules
        self.roles = findroles(self.library)
        self.state = findinits(self.library)
        self.start_clock = numberize(start_clock)
        self.play_clock = numberize(play_clock)
        return "ready"

    def play(self, move: Any) -> Any:
        if move != nil:
            self.state = simulate(move, self.state, self.library)
        if findcontrol(self.state, self.library) != self.role:
            return False
        return self.choose()

    def choose(self) -> Any:
        return findlegalx(self.state, self.library)

    def stop(self, move: Any) -> bool:
        return False

    def abort(self) -> bool:
        return False


class RandomPlayer(LegalPlayer):
    """The slides' random player."""

    generator = random.Random(7)

    def choose(self) -> Any:
        actions = findlegals(self.state, self.library)
        return actions[self.generator.randrange(len(actions))]


def run_match(rules: Rules, players: list[LegalPlayer]) -> tuple[list[str], list[int]]:
    """The moves and rewards of a match as the slides' manager runs it."""
    roles = findroles(rules)
    for role, player in zip(roles, players, strict=True):
        assert player.ping() == "ready"
        assert player.start(role, rules, "10", "10") == "ready"
    state, move, moves = findinits(rules), nil, []
    while not findterminalp(state, rules):
        replies = {role: player.play(move) for role, player in zip(roles, players, strict=True)}
        control = findcontrol(state, rules)
        assert control
        assert [role for role, reply in replies.items() if reply is not False] == [control]
        move = replies[control]
        assert findlegalp(move, state, rules)
        moves.append(str(move))
        state = simulate(move, state, rules)
    assert not any(player.stop(move) for player in players)
    return moves, [findreward(role, state, rules) for role in roles]


@pytest.fixture(scope="module")
def tictactoe() -> Rules:
    return read(source_of("tictactoe"))


def test_legal_against_legal_goes_as_on_the_original(tictactoe: Rules) -> None:
    moves, rewards = run_match(tictactoe, [LegalPlayer(), LegalPlayer()])
    assert moves == [f"mark({row},{column})" for row, column in ("11", "12", "13", "21", "22", "23", "31")]
    assert rewards == [100, 0]


def test_random_against_legal_ends(tictactoe: Rules) -> None:
    moves, rewards = run_match(tictactoe, [RandomPlayer(), LegalPlayer()])
    assert 5 <= len(moves) <= 9
    assert sum(rewards) == 100


def test_answers_come_in_order_and_once() -> None:
    rules = "role(a) role(b) base(p(2)) base(p(1)) base(p(2)) action(n) action(m) action(n) legal(m)"
    assert findroles(rules) == ["a", "b"]
    assert list(map(str, findbases(rules))) == ["p(2)", "p(1)"]
    assert list(map(str, findactions(rules))) == ["n", "m"]


def test_the_actions_of_gdl_are_its_inputs() -> None:
    rules = (
        "(role a) (role b) (input a m) (input b m) (input b n) (init p) (<= (legal a m) (true p)) (legal b n)"
    )
    assert list(map(str, findactions(rules))) == ["m", "n"]


def test_what_there_is_none_of_is_false_or_zero() -> None:
    rules = "role(a) init(p) legal(m) :- q goal(a,100) :- q terminal :- q base(q)"
    state = findinits(rules)
    assert findcontrol(state, rules) is False
    assert findlegalx(state, rules) is False
    assert findlegals(state, rules) == []
    assert findlegalp("m", state, rules) is False
    assert findreward("a", state, rules) == 0
    assert findterminalp(state, rules) is False


def test_the_first_reward_counts() -> None:
    rules = "role(a) init(control(a)) legal(m) goal(a,30) goal(a,70) terminal :- q base(q)"
    assert findreward("a", findinits(rules), rules) == 30


def test_a_static_control_counts_and_simulate_is_pure() -> None:
    rules = "role(a) control(a) init(p) legal(m) m :: p ==> ~p & q  goal(a,0) terminal :- q"
    state = findinits(rules)
    assert findcontrol(state, rules) == "a"
    assert list(map(str, simulate("m", state, rules))) == ["q"]
    assert list(map(str, state)) == ["p"]


def test_a_finished_game_has_a_role_in_control_too(tictactoe: Rules) -> None:
    state = findinits(tictactoe)
    for move in ("mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)", "mark(1,3)"):
        state = simulate(move, state, tictactoe)
    assert findterminalp(state, tictactoe)
    assert findcontrol(state, tictactoe) == "o"


def test_an_illegal_action_is_refused(tictactoe: Rules) -> None:
    with pytest.raises(gm.IllegalMove):
        simulate("mark(9,9)", findinits(tictactoe), tictactoe)


def test_rules_may_be_a_game_too() -> None:
    game = gm.parse("role(a) init(control(a)) legal(m) goal(a,0) terminal :- q base(q)", name="tiny")
    assert findroles(game) == ["a"]
    assert Source("x", "").name == "x"


# The slides' helpers


@pytest.mark.parametrize("told", [None, "nil", gm.Symbol("nil"), (), []])
def test_nothing_was_done_yet_is_nil_however_it_is_told(told: Any) -> None:
    assert told == nil
    assert nil == told
    assert not told != nil  # noqa: SIM202 - the slides compare so
    assert hash(nil) == hash("nil")
    assert str(nil) == "nil"


@pytest.mark.parametrize("told", ["noop", gm.Compound(("mark", "1", "1")), False, 0, ("nil",), {}])
def test_whatever_was_done_is_not_nil(told: Any) -> None:
    assert told != nil
    assert not nil == told  # noqa: SIM201


def test_numbers_are_read_from_messages() -> None:
    assert [numberize(text) for text in ("10", " 2.5", gm.Symbol("-3"), 7, 0.5)] == [10, 2.5, -3, 7, 0.5]
    assert type(numberize("10")) is int
    with pytest.raises(ValueError, match="ten"):
        numberize("ten")


def test_what_is_random_is_any_of_what_there_is() -> None:
    assert {randomindex(3) for _ in range(200)} == {0, 1, 2}
    with pytest.raises(ValueError, match=r"randomindex\(0\): there is nothing to choose from"):
        randomindex(0)
    items = (1, 2, 3)
    assert {tuple(shuffle(items)) for _ in range(300)} == set(permutations(items))
    assert items == (1, 2, 3)


def test_a_list_is_a_move_too() -> None:
    library = gm.load("tictactoe")
    state = findinits(library)
    assert seq() == []
    move = seq("mark", "2", "2")
    assert findlegalp(move, state, library)  # type: ignore[arg-type]
    assert simulate(move, state, library) == simulate("mark(2,2)", state, library)  # type: ignore[arg-type]


def test_rules_are_defined_from_rules_and_sentences() -> None:
    library = gm.load("tictactoe")
    assert findroles(definerules([], library)) == ["x", "o"]
    assert findinits(definerules([], library)) == findinits(library)
    halves = (
        ["role(x)", "init(p)", "legal(x,a)"],
        ["terminal :- true(q)", "goal(x,100)", "next(q) :- does(x,a)"],
    )
    game = definerules(*halves)
    assert findroles(game) == ["x"]
    assert findterminalp(simulate("a", findinits(game), game), game)
    more = definerules("init(extra)", library)
    assert "extra" in map(str, findinits(more))
