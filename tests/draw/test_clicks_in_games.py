"""Games of the library are played by clicks alone, and on every machine by the same."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

import gamemaster as gm
from gamemaster.draw.board import board_of
from gamemaster.draw.clicks import Clicks, clicks_of
from gamemaster.games import game_names
from gamemaster.language.terms import Term


def reached(clicks: Clicks) -> Iterator[tuple[tuple[str, ...], Term]]:
    """Every move that clicks, a choice or a button make, with the clicks."""
    yield from (((), choice.move) for choice in clicks.buttons)
    for first in clicks.sources:
        for ids in ((first,), *((first, second) for second in clicks.after(first).targets)):
            found = clicks.choose(*ids)
            if isinstance(found, list):
                assert len({choice.label for choice in found}) == len(found)
                yield from ((ids, choice.move) for choice in found)
            elif found is not None:
                yield ids, found


def play_by_clicks(game: gm.Game, seed: int, most: int) -> None:
    """A random game in which every move is clicked; in every state every legal move can be."""
    generator, state = random.Random(seed), game.initial_state()
    for _ in range(most):
        if state.is_over:
            return
        board, moves = board_of(state), {}
        for role in state.movers:
            clicks = clicks_of(state, role, board)
            ways = list(reached(clicks))
            assert {move for _, move in ways} == set(state.legal_moves(role))
            assert len({touch.label for touch in clicks.moves}) == len(clicks.moves)
            assert {cell for ids, _ in ways for cell in ids} <= board.cell_of.keys()
            moves[role] = generator.choice(ways)[1]
        state = state.next(moves)


@pytest.mark.parametrize("name", ["connectfour", "kono", "tictactoe", "higherlower", "roshambo"])
def test_games_can_be_played_by_clicks(name: str) -> None:
    play_by_clicks(gm.load(name, machine="reference"), seed=1, most=1000)


@pytest.mark.slow
@pytest.mark.parametrize("name", game_names())
def test_every_game_can_be_played_by_clicks(name: str) -> None:
    for seed in range(2):
        play_by_clicks(gm.load(name), seed, most=1000)


@pytest.mark.parametrize("name", ["connectfour", "kono", "hunter", "wythoff"])
def test_machines_agree_on_clicks(name: str) -> None:
    games = [gm.load(name, machine=machine) for machine in ("reference", "compiled")]
    states, generator = [game.initial_state() for game in games], random.Random(5)
    for _ in range(6):
        moves = states[0].random_moves(generator)
        for role in states[0].game.roles:
            told = [clicks_of(state, role, board_of(state)) for state in states]
            first, second = ({(t.move, t.targets, t.instead, t.label) for t in each.moves} for each in told)
            assert first == second
        states = [state.next(moves) for state in states]
