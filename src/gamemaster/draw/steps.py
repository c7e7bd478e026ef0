"""A state and the one before it -> Board with what the step between them changed, and what a win is made of, marked.

Cells are compared as they are drawn, so that a cell is marked where something came, went or became something else.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from gamemaster.draw.board import board_of
from gamemaster.draw.model import Board, Cell, Mark, Panel
from gamemaster.draw.reasons import winning_facts
from gamemaster.draw.styles.style import Style
from gamemaster.machine.game import State

__all__ = ["board_after"]

MOST = 0.5
"""Of the cells so many at most are marked: more say nothing."""


def board_after(before: State | None, state: State, style: Style | None = None) -> Board:
    """The board of a state with its marks; none, where nothing is known of the state before.

    `style` is another one than that of its game.
    """
    if before is None:
        return board_of(state, style=style)
    won = winning_facts(before, state) if state.is_terminal else frozenset()
    board = board_of(state, marks={"win": won}, style=style)
    changed = _changed(board_of(before, style=style), board)
    if len(changed) > MOST * len(board.cell_of):
        return board
    return replace(board, panels=tuple(_marked(panel, changed) for panel in board.panels))


def _changed(before: Board, board: Board) -> frozenset[str]:
    """The ids of cells that another thing is on, or nothing any more."""
    old = before.cell_of
    return frozenset(
        name for name, cell in board.cell_of.items() if name in old and old[name].things != cell.things
    )


def _marked(panel: Panel, changed: Collection[str]) -> Panel:
    return replace(panel, cells=tuple(_with_mark(c, "last") if c.id in changed else c for c in panel.cells))


def _with_mark(cell: Cell, mark: Mark) -> Cell:
    return replace(cell, marks=cell.marks | {mark})
