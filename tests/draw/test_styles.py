"""The styles of the library: every one is read, fits its game and its variants, and leaves nothing to be told raw."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest

import gamemaster as gm
from gamemaster.draw.board import board_of
from gamemaster.draw.styles.chosen import style_path
from gamemaster.draw.styles.style_file import read_style
from gamemaster.draw.svg import draw_svg
from gamemaster.draw.text import draw_text
from gamemaster.games import entry, find_rules, game_names
from gamemaster.machine.game import State

STYLED = [name for name in game_names() if (find_rules(name).parent / "style.toml").is_file()]
VARIANTS = [f"{name}:{variant.name}" for name in STYLED for variant in entry(name).variants]
DRAWN = 12
"""So many states of a game are drawn."""


def states(name: str, seed: int = 1, most: int = 200) -> Iterator[State]:
    """The states of a random game, on the machine that plays it fastest."""
    state, generator = gm.load(name).initial_state(), random.Random(seed)
    for _ in range(most):
        yield state
        if state.is_over:
            return
        state = state.next(state.random_moves(generator))


@pytest.mark.parametrize("name", STYLED)
def test_styles_of_the_library_are_read_for_their_games(name: str) -> None:
    game = gm.load(name, machine="reference")
    path = style_path(game)
    assert path == find_rules(name).parent / "style.toml"
    style = read_style(path, game)
    contents = {each for board in style.boards for each in (*board.contents, board.empty)}
    known = contents | set(re.findall(r"\w+", game.sheet.source.text))
    assert {word for piece in style.pieces for word in piece.split()} <= known


@pytest.mark.parametrize("name", VARIANTS)
def test_styles_of_the_library_fit_variants(name: str) -> None:
    board = board_of(gm.load(name, machine="reference").initial_state())
    assert board.panels
    assert not board.others


@pytest.mark.parametrize("name", game_names())
def test_states_of_the_library_are_drawn_and_leave_no_fact_to_be_told_raw(name: str) -> None:
    several = list(states(name))
    for state in several:
        board = board_of(state)
        assert not board.others
        assert board.panels
        assert all(panel.cells for panel in board.panels)
    for state in several[:: max(1, len(several) // DRAWN)]:
        assert draw_svg(state).endswith("</svg>")
        assert draw_text(state)
