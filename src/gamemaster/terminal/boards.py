"""A state on the screen: its board between empty lines, in colour where there are colours.

Whoever plays sees a board, also where the style that was written for the game is wrong: then the one that is found.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from gamemaster.draw.styles.chosen import style_of, style_path
from gamemaster.draw.text import draw_colour, draw_text
from gamemaster.errors import RulesError
from gamemaster.language.terms import Term
from gamemaster.load import build
from gamemaster.machine.game import Game, State
from gamemaster.terminal.report import report_text
from gamemaster.terminal.screen import console_of, is_terminal, width

__all__ = ["drawable", "show_state"]


def drawable(game: Game) -> Game:
    """The game; where its style is wrong that is told, and it is the game of the same rules without a style."""
    try:
        if style_path(game):
            style_of(game)
    except RulesError as error:
        report_text(f"warning: {' '.join(str(error).split())}; so the board is found from the rules")
        source = replace(game.sheet.source, path=None)
        return build(replace(game.sheet, source=source), game.name, "reference")
    return game


def show_state(state: State, marked: Collection[Term] = ()) -> None:
    """Print the board between empty lines, in colour in a terminal; the cells of marked facts stand in brackets."""
    print()
    if is_terminal():
        console_of().print(draw_colour(state, width(), marked))
    else:
        print(draw_text(state, marked=marked))
    print()
