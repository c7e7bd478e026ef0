"""What facts are worth, learnt from random games in lanes."""

from __future__ import annotations

import random

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.errors import Unsuitable
from gamemaster.language.infix import read_term
from gamemaster.machine.compiled import CompiledGame, CompiledState
from gamemaster.search.native.engine import Engine, engine_of
from gamemaster.search.native.learning import Learnt, _fitted, learn, sample
from gamemaster.search.native.tuning import TreeSettings, tune
from tests.machine.sheets import HIDDEN_DIE


def compiled(name: str) -> CompiledGame:
    game = gm.load(name, machine="compiled")
    assert isinstance(game, CompiledGame)
    return game


@pytest.fixture(scope="module")
def tictactoe() -> Learnt:
    game = compiled("tictactoe")
    return learn(engine_of(game), game.initial_state(), None, seed=1)


def test_the_middle_is_worth_most(tictactoe: Learnt) -> None:
    assert tictactoe.games == 20_000
    best, worst = tictactoe.telling("x")[0], tictactoe.telling("x")[-1]
    assert (str(best[0]), str(worst[0])) == ("cell(2,2,x)", "cell(2,2,o)")
    assert best[1] > 5 > -5 > worst[1]
    assert min(tictactoe.explained) > 0.03


def test_what_one_wins_the_other_loses(tictactoe: Learnt) -> None:
    assert tictactoe.weights[0] == pytest.approx(-tictactoe.weights[1], abs=0.1)
    assert sum(tictactoe.biases) == pytest.approx(100, abs=0.5)


def test_corners_of_othello() -> None:
    game = compiled("othello")
    learnt = learn(engine_of(game), game.initial_state(), None, seed=1)
    black = dict(learnt.telling("black", 1_000))
    corners = [black[read_term(f"cell({column},{row},black)")] for column in "ah" for row in (1, 8)]
    beside = [black[read_term(f"cell({column},{row},black)")] for column in "bg" for row in (2, 7)]
    assert min(corners) > 5 > max(beside)


def test_it_is_told_in_words(tictactoe: Learnt) -> None:
    lines = str(tictactoe).splitlines()
    assert lines[0] == "learnt from 20,000 random games"
    assert lines[1].startswith("x (")
    assert lines[2].endswith("cell(2,2,x)")
    assert len(lines) == 1 + 2 * (1 + 6)


def test_states_and_rewards_are_those_of_random_games() -> None:
    """The mean reward is that of playouts, and so are the states: not terminal, and reached by the rules."""
    game = compiled("connectfour")
    rows, rewards = sample(engine_of(game), game.initial_state(), None, 3, 5_000)
    assert rewards.sum(axis=1) == pytest.approx(np.ones(5_000))
    stats = game.playouts(count=20_000, seed=1)
    assert rewards.mean(axis=0) * 100 == pytest.approx(stats.mean_goals, abs=3)
    facts, sizes = game.layout.facts, []
    for row in rows[:200]:
        bits = np.unpackbits(row.view(np.uint8), bitorder="little")[: len(facts)]
        state = game.state([fact for fact, bit in zip(facts, bits, strict=True) if bit])
        assert not state.is_terminal
        assert state.control in game.roles
        sizes.append(len(state.facts))
    assert len(set(sizes)) > 10  # of all steps


def test_weights_are_those_of_least_squares() -> None:
    generator = np.random.default_rng(1)
    bits = (generator.random((2_000, 4)) < 0.5).astype(np.float32)
    rewards = (10 + bits @ np.array([[30.0, 0.0, -5.0, 20.0]]).T).astype(np.float32)
    weights, biases, explained = _fitted(bits, rewards)
    assert weights[0] == pytest.approx([30, 0, -5, 20], abs=0.5)
    assert biases == pytest.approx([10], abs=0.5)
    assert explained[0] > 0.99


def test_nothing_to_learn_from() -> None:
    weights, biases, explained = _fitted(np.ones((300, 3), np.float32), np.full((300, 2), 50, np.float32))
    assert not weights.any()
    assert list(biases) == [50, 50]
    assert explained == (0, 0)


def test_too_few_games_and_hidden_states_are_refused() -> None:
    game = compiled("tictactoe")
    with pytest.raises(Unsuitable, match="20 games of tictactoe are too few to learn from"):
        learn(engine_of(game), game.initial_state(), None, games=20)
    hidden = gm.parse(HIDDEN_DIE, machine="compiled")
    state = hidden.initial_state()
    assert isinstance(hidden, CompiledGame)
    assert isinstance(state, CompiledState)
    with pytest.raises(Unsuitable, match=r"hides nothing, and .* hides its state"):
        learn(Engine(hidden), state, None)


def test_a_tree_goes_by_what_was_learnt(tictactoe: Learnt) -> None:
    game = compiled("tictactoe")
    tree = TreeSettings(trust=50.0).tree(engine_of(game), 1, 1 << 20, tictactoe)
    tree.advance(game.initial_state())
    tree.grow(None, 60)
    result = tree.result("x", 0.0)
    assert str(max(result.visits, key=lambda move: result.visits[move])) == "mark(2,2)"


def test_trust_is_one_of_the_settings_to_try(tictactoe: Learnt) -> None:
    tuning = tune(engine_of(compiled("tictactoe")), 0.2, random.Random(1).getrandbits(8), learnt=tictactoe)
    assert [settings.trust for settings in tuning.points].count(2.0) == 1
    assert "trust in what was learnt 2" in str(tuning)
