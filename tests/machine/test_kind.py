"""What kind of game it is, and whose choice it is: the same on both machines, as far as they know it."""

from __future__ import annotations

import random

import pytest

import gamemaster as gm
from gamemaster.load import MachineName
from gamemaster.machine.game import RANDOM
from gamemaster.machine.kind import Kind
from tests.machine.sheets import HIDDEN_DIE

KINDS = {
    "tictactoe": Kind(2, has_chance=False, has_hidden_information=False, turns="turn-taking"),
    "peg": Kind(1, has_chance=False, has_hidden_information=False, turns="one role"),
    "roshambo": Kind(2, has_chance=False, has_hidden_information=False, turns="simultaneous"),
}
MACHINES: tuple[MachineName, ...] = ("compiled", "reference")


@pytest.mark.parametrize("name", KINDS)
def test_a_game_says_of_what_kind_it_is(name: str) -> None:
    assert gm.load(name, machine="compiled").kind == KINDS[name]


@pytest.mark.parametrize("name", KINDS)
def test_the_reference_machine_says_what_it_knows(name: str) -> None:
    kind, wanted = gm.load(name, machine="reference").kind, KINDS[name]
    assert (kind.roles, kind.has_chance, kind.is_single_player) == (wanted.roles, False, name == "peg")
    assert kind.turns in (wanted.turns, None)


@pytest.mark.parametrize("machine", MACHINES)
def test_chance_is_no_player_and_percepts_hide_the_state(machine: MachineName) -> None:
    kind = gm.parse(HIDDEN_DIE, machine=machine).kind
    assert (kind.roles, kind.players, kind.has_chance, kind.has_hidden_information) == (3, 2, True, True)
    assert not kind.is_single_player
    assert "2 players" in str(kind)
    assert "chance, hidden information" in str(kind)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", ["tictactoe", "peg", "roshambo", "dicerace", "higherlower"])
def test_the_chooser_is_the_one_role_with_a_choice(name: str, machine: MachineName) -> None:
    game, generator = gm.load(name, machine=machine), random.Random(1)
    state = game.initial_state()
    while not state.is_terminal:
        having = [role for role in game.roles if len(state.legal_moves(role)) > 1]
        assert state.choosers == tuple(having)
        assert not state.is_over
        if len(having) == 1:
            assert state.chooser == having[0] == state.control
        elif having:
            assert state.chooser is None
        else:
            assert state.chooser in state.movers
        state = state.next(state.random_moves(generator))
    assert state.is_over
    assert state.chooser is None


@pytest.mark.parametrize("machine", MACHINES)
def test_where_nobody_can_move_no_step_follows(machine: MachineName) -> None:
    rules = "role(a) init(p) legal(a,go) :- true(p) next(q) :- does(a,go) terminal :- true(r) goal(a,50)"
    state = gm.parse(rules, "hrf", machine=machine).initial_state()
    assert (state.is_over, state.chooser, state.choosers) == (False, "a", ())
    after = state.next("go")
    assert (after.is_terminal, after.is_over, after.chooser) == (False, True, None)


@pytest.mark.parametrize("machine", MACHINES)
def test_keys_tell_states_apart(machine: MachineName) -> None:
    game = gm.load("tictactoe", machine=machine)
    start = game.initial_state()
    after = {start.next(move).key for move in start.legal_moves("x")}
    assert len(after) == 9
    assert start.next("mark(1,1)").key in after
    assert start.key not in after


def test_the_reference_machine_has_nothing_to_wait_for() -> None:
    game = gm.load("tictactoe", machine="reference")
    assert game.make_ready("play", 0.0)
    assert game.wait_for("play")
    assert (game.compiled, game.circuit, dict(game.figures), dict(game.failures)) == (None, None, {}, {})


@pytest.mark.parametrize("machine", MACHINES)
def test_goals_are_known_without_a_state(machine: MachineName) -> None:
    game = gm.load("tictactoe", machine=machine)
    assert {int(str(term)) for term in game.goal_terms("x")} == {0, 50, 100}
    assert RANDOM not in game.roles
