"""What workers do for the Style Checker: a style.toml that somebody is writing -> what is wrong with it, and drawings.

Samples are the states of a random game, told by its seed: nothing is kept between two requests, and any worker can
answer the next. Whatever stands in a style is bounded where it is read (`draw/styles/`), and drawn only up to a number
of cells.
"""

from __future__ import annotations

import random
import time
from functools import lru_cache
from typing import Any

from gamemaster.draw.finding.found import found_style
from gamemaster.draw.model import Board
from gamemaster.draw.picture.beside import Caption
from gamemaster.draw.steps import board_after
from gamemaster.draw.styles.chosen import style_of
from gamemaster.draw.styles.style import Style
from gamemaster.draw.styles.style_file import checked_style
from gamemaster.draw.styles.writing import style_text
from gamemaster.draw.svg import checked_theme, draw_svg
from gamemaster.errors import ReadError, RulesError
from gamemaster.language.source import Source
from gamemaster.machine.game import Game, State
from gamemaster.web.jobs import Plain, caption_of_game, shelf_game

__all__ = ["LARGEST_SEED", "THEMES", "found_text", "styled_sample"]

THEMES = ("light", "dark")
FILE = "style.toml"
LARGEST_SEED = 10**9
LONGEST_LINE = 300
"""Steps of a random game that has not ended."""

PATIENCE = 5.0
"""Seconds that its steps may take; of a slow game there are fewer."""

MOST_LINES = 40
MOST_CELLS = 4_000
"""Cells and lines that are drawn while somebody types; a chess board has 64."""

MIDDLE = 0.5
PARTS = {"Start": 0.0, "Early": 0.25, "Middle": MIDDLE, "Late": 0.75}
"""The samples, by how far into the game they are."""


def styled_sample(name: str, text: str, seed: int, at: int, themes: tuple[str, ...] = THEMES) -> Plain:
    """A state of a random game as a style draws it, and what is wrong with the style.

    What is right of a style is drawn beside what is wrong. Of a text that is no TOML nothing is: `is_own` says whether
    the picture is by this text, or by the style that the game has.
    """
    game = shelf_game(name)
    style, mistakes = checked_style(Source(FILE, text), game)
    line = _random_line(name, seed)
    at = min(at, len(line) - 1) if at >= 0 else round(MIDDLE * (len(line) - 1))
    board = board_after(line[at - 1] if at else None, line[at], style or _usual_style(game))
    count = _cells(board)
    pictures = {theme: _drawn(game, board, theme) for theme in themes} if count <= MOST_CELLS else {}
    return {
        "game": name,
        "seed": seed,
        "at": at,
        "last": len(line) - 1,
        "is_over": line[-1].is_over,
        "samples": _samples(len(line) - 1, "End" if line[-1].is_over else "Last"),
        "is_own": style is not None,
        "cells": count,
        "most_cells": MOST_CELLS,
        "pictures": pictures,
        "findings": sorted(map(_finding, mistakes), key=lambda each: (each["line"], each["column"])),
    }


def found_text(name: str) -> str:
    """A style.toml that says how a game is drawn where nobody says it."""
    return style_text(shelf_game(name), caption_of_game(name))


@lru_cache(maxsize=MOST_LINES)
def _random_line(name: str, seed: int) -> tuple[State, ...]:
    """The states of a random game, to its end or as far as there is time."""
    generator, deadline = random.Random(seed), time.thread_time() + PATIENCE
    line = [shelf_game(name).initial_state()]
    while not line[-1].is_over and len(line) <= LONGEST_LINE and time.thread_time() < deadline:
        line.append(line[-1].next(line[-1].random_moves(generator)))
    return tuple(line)


def _samples(last: int, end: str) -> list[Plain]:
    """Where the samples are in a game, each step once: a game of one step has a start and an end."""
    found: dict[int, str] = {}
    for word, part in PARTS.items():
        found.setdefault(round(part * last), word)
    if last:
        found[last] = end
    return [{"word": word, "at": step} for step, word in found.items()]


def _usual_style(game: Game) -> Style:
    """The style that a game has; where it is a wrong one, what is found."""
    try:
        return style_of(game)
    except ReadError:
        return found_style(game)


def _cells(board: Board) -> int:
    return sum(len(panel.cells) + len(panel.lines) for panel in board.panels)


def _drawn(game: Game, board: Board, theme: str) -> str:
    return draw_svg(
        board,
        theme=checked_theme(theme),
        caption=Caption(caption_of_game(game.name)),
        prefix=f"style-{theme}",
    )


def _finding(mistake: RulesError) -> dict[str, Any]:
    place = mistake.place
    return {
        "line": place.line if place else 1,
        "column": place.column if place else 1,
        "message": mistake.what,
        "hint": mistake.hint or "see docs/draw-a-board.md",
    }
