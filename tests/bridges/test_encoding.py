"""States and moves as numbers, and back."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.bridges.encoding import Encoding, Information

GAMES = ("tictactoe", "roshambo", "higherlower", "dicerace", "threehouses", "eightpuzzle")


@pytest.mark.parametrize("name", GAMES)
def test_rows_are_states_and_masks_are_legal_moves(name: str) -> None:
    game = gm.load(name)
    encoding, generator = Encoding.of(game), random.Random(1)
    state = game.initial_state()
    for _ in range(12):
        row = encoding.row(state)
        assert {fact for fact, bit in zip(encoding.facts, row, strict=True) if bit} == state.facts
        assert encoding.state(row) == state
        for role in encoding.roles:
            numbers = np.flatnonzero(encoding.mask(state, role))
            expected = () if state.is_terminal else state.legal_moves(role)
            assert {encoding.actions[number] for number in numbers} == set(expected)
            assert list(numbers) == encoding.legal(state, role)
        if state.is_terminal:
            break
        state = state.next(state.random_moves(generator))


def test_actions_have_the_same_numbers_in_every_process() -> None:
    program = (
        "import gamemaster as gm\n"
        "from gamemaster.bridges.encoding import Encoding\n"
        "print([*map(str, Encoding.of(gm.load('threehouses')).actions)])"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert told == {str([*map(str, Encoding.of(gm.load("threehouses")).actions)])}


def test_an_action_that_is_no_move_here_is_refused() -> None:
    game = gm.load("tictactoe")
    encoding = Encoding.of(game)
    state = game.initial_state().next("mark(1,1)")
    with pytest.raises(
        gm.IllegalMove, match=r"illegal move 'mark\(1,1\) \(action 0\)' for role 'o' in step 2"
    ):
        encoding.move(state, "o", 0)
    for action in (-1, 9):
        with pytest.raises(gm.IllegalMove, match=f"illegal move 'action {action}'"):
            encoding.move(state, "o", action)


def test_roles_without_a_choice_need_no_action() -> None:
    game = gm.load("higherlower")
    encoding = Encoding.of(game)
    state = game.initial_state()
    moves = encoding.joint(state, {"hider": 2})
    assert moves["hider"] == encoding.actions[2]
    assert state.next(moves).step == 1


def test_hidden_states_are_not_observed() -> None:
    game = gm.load("higherlower")
    encoding = Encoding.of(game)
    seen = set()
    for secret in encoding.legal(game.initial_state(), "hider"):
        state, known = game.initial_state(), encoding.uninformed()
        moves = encoding.joint(state, {"hider": secret})
        known, state = encoding.informed(state, moves, known), state.next(moves)
        row = encoding.observation(state, known["seeker"])
        assert len(row) == encoding.observation_size("seeker")
        seen.add((row.tobytes(), str(known["seeker"])))
    assert len(seen) == 1


def test_information_tells_steps_apart() -> None:
    game = gm.load("higherlower")
    move = game.initial_state().legal_moves("hider")[0]
    nothing = Information("hider")
    assert str(nothing) == "hider"
    assert str(nothing.after(move, frozenset())) == f"hider; {move}: nothing"
    assert str(nothing.after(None, frozenset([move]))) == f"hider; -: {move}"


def test_a_game_that_does_not_compile_has_no_encoding() -> None:
    game = gm.load("tictactoe", machine="reference")
    with pytest.raises(gm.Unsuitable, match="tictactoe runs on the reference machine"):
        Encoding.of(game)
