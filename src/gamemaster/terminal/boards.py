"""A state on the screen: its board between empty lines, in colour where there are colours."""

from __future__ import annotations

from collections.abc import Collection

from gamemaster.draw.text import draw_colour, draw_text
from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.terminal.screen import console_of, is_terminal, width

__all__ = ["show_state"]


def show_state(state: State, marked: Collection[Term] = ()) -> None:
    """Print the board between empty lines, in colour in a terminal; the cells of marked facts stand in brackets."""
    print()
    if is_terminal():
        console_of().print(draw_colour(state, width(), marked))
    else:
        print(draw_text(state, marked=marked))
    print()
