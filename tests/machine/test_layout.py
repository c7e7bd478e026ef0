"""The layout of bits: what it says of rows and slots is what the machine does."""

from __future__ import annotations

import random

import numpy as np
import numpy.typing as npt
import pytest

import gamemaster as gm
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.layout import TERMINAL, PlayoutLayout, PlayoutSlots
from tests.machine.sheets import HIDDEN_DIE

GAMES = ("tictactoe", "connectfour", "roshambo", "higherlower", HIDDEN_DIE)


def compiled(rules: str) -> CompiledGame:
    game = gm.parse(rules, machine="compiled") if "(" in rules else gm.load(rules, machine="compiled")
    assert isinstance(game, CompiledGame)
    return game


def random_states(game: CompiledGame, seed: int = 0) -> list[gm.State]:
    generator, states = random.Random(seed), [game.initial_state()]
    while not states[-1].is_terminal:
        states.append(states[-1].next(states[-1].random_moves(generator)))
    return list(states)


def bits_of(rows: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    return np.unpackbits(rows, axis=1, bitorder="little").astype(bool)


@pytest.mark.parametrize("rules", GAMES)
def test_rows_say_what_states_say(rules: str) -> None:
    game = compiled(rules)
    states, layout = random_states(game), game.layout
    rows = np.array([list(game.own(state).bits) for state in states], np.uint8).reshape(len(states), -1)
    assert rows.shape[1] == layout.state_bytes
    seen = bits_of(game.lanes.observe(rows))
    for state, facts, row in zip(states, bits_of(rows), seen, strict=True):
        assert state.facts == {fact for fact, held in zip(layout.facts, facts, strict=False) if held}
        assert state.is_terminal == row[TERMINAL - 1]
        for role, legal, goals in zip(game.roles, layout.legal_bits, layout.goal_bits, strict=True):
            moves = tuple(term for term, held in zip(legal.terms, row[legal.slice], strict=True) if held)
            assert moves == state.legal_moves(role)
            values = [
                int(str(term)) for term, held in zip(goals.terms, row[goals.slice], strict=True) if held
            ]
            assert tuple(values) == state.goals(role)


@pytest.mark.parametrize("rules", GAMES)
def test_jobs_are_as_large_as_the_layout_says(rules: str) -> None:
    game = compiled(rules)
    places = game.layout.places
    for job in ("expand", "end", "play", "charge"):
        game.artifact.code(job)
    codes, playout = game.artifact.codes, game.artifact.playout
    assert playout is not None
    slots = playout.slots
    goals = sum(map(len, game.layout.goals))
    assert codes["observe"].inputs == places.facts
    assert codes["observe"].outputs == 1 + places.moves + goals
    assert codes["advance"].inputs == 8 * game.layout.state_bytes + places.moves + places.moved
    assert codes["expand"].inputs == codes["end"].inputs == places.outputs
    assert codes["expand"].outputs == 64 * places.row_words
    assert codes["end"].outputs == 1 + goals
    assert codes["play"].inputs == codes["charge"].inputs == slots.done
    assert codes["play"].inputs + codes["play"].outputs == slots.first_move
    assert codes["charge"].outputs - codes["play"].outputs == places.moves


def test_the_layout_of_playouts_is_kept_as_before() -> None:
    layout = PlayoutLayout(facts=5, digits=3, randoms=2, goals=((0, 100), (1, 0)))
    kept = {"facts": 5, "digits": 3, "randoms": 2, "counters": 7, "goals": [[0, 100], [1, 0]]}
    assert layout.to_dict() == kept
    assert PlayoutLayout.from_dict(kept) == layout
    assert layout.slots == PlayoutSlots(5, 8, 8, 9, 2, 11, 12, 7, 14, 17, 2, 19, 27)
