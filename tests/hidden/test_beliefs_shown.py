"""`gamemaster think` on a hidden game tells what the role believes, from its own moves and percepts alone."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

import gamemaster as gm
from gamemaster.machine.moves import walk
from gamemaster.terminal.hidden import show_belief
from tests.hidden.sheets import FORCED

Tell = Callable[..., str]


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Tell:
    def tell(game: gm.Game, role: str, *moves: str) -> str:
        _, _, made = walk(game.initial_state(), moves, random.Random(0))
        show_belief(game, role, made, random.Random(0))
        return capsys.readouterr().out

    return tell


def test_the_number_of_states_their_weights_and_the_chances_of_facts(told: Tell) -> None:
    game = gm.load("higherlower")
    text = told(game, "seeker", "hide(5)", "guess(3)")
    assert text.startswith("seeker cannot tell 3 states apart.\n   33.3%  secret(")
    assert "Chances: secret(4) 33%, secret(5) 33%, secret(6) 33%" in text
    assert text == told(game, "seeker", "hide(6)", "guess(3)")
    assert told(game, "hider", "hide(5)", "guess(3)") == "hider knows the state.\n\n"


def test_a_coin_that_nobody_saw_is_even(told: Tell) -> None:
    text = told(gm.parse(FORCED), "alice", "toss(heads)", "bet")
    assert "coin(heads)" in text
    assert "coin(tails)" in text
