"""In a worker: whether a sheet that somebody brought can be played at all, and in matches.

A match's states are worked out by the server itself, which others wait for: a game is fit for matches where it
compiles, and a step of it hardly takes time. Everything else is done in workers, which are ended when they take long.
"""

from __future__ import annotations

import random
import shutil
import time
from dataclasses import dataclass, replace
from pathlib import Path

from gamemaster.draw.board import board_of
from gamemaster.errors import RulesError, Unsuitable
from gamemaster.games import on_shelf
from gamemaster.load import load
from gamemaster.machine.game import Game
from gamemaster.web.brought.sheets import BroughtSheet, write_folder
from gamemaster.web.jobs import BROUGHT_LIMITS, SLOW, loaded

__all__ = ["check_fit", "put_on_shelf"]

TRIAL_STEPS = 60
LONGEST_STEP = 0.025
"""Seconds of the processor for a step of a match: legal moves of all, and the next state."""

LONGEST_LOADING = 5.0
MOST_MOVES, MOST_FACTS = 10_000, 20_000
"""That can ever be: a game may be quick for as long as it is tried, and have all of them at once later."""


@dataclass(frozen=True)
class Trial:
    """What it takes to play a game, in seconds of the processor."""

    loading: float
    step: float


def put_on_shelf(sheet: BroughtSheet, folder: Path) -> None:
    """Write a sheet's folder, if it can be loaded and drawn; a GamemasterError says what is wrong otherwise."""
    staging = folder.parent / f".try-{folder.name}-{random.getrandbits(64):x}"
    try:
        write_folder(sheet, staging, (), is_simultaneous=False)
        game = load(staging, limits=BROUGHT_LIMITS)
        state = game.initial_state()
        board_of(state)
        roles, is_simultaneous = game.roles, game.kind.turns in ("simultaneous", None)
    except RulesError as error:
        if error.place is None:
            raise
        place = replace(
            error.place, file=Path(error.place.file).name
        )  # where it was tried is nobody's business
        raise type(error)(error.what, place, hint=error.hint) from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    slow = game.machine.reason if game.compiled is None else ""
    write_folder(sheet, folder, roles, is_simultaneous=is_simultaneous, others={SLOW: slow} if slow else {})


def check_fit(name: str) -> None:
    """Nothing, where a game that somebody brought is fit for matches; Unsuitable, with the reason, where not."""
    loaded(name)  # what is made of the rules once is made by now
    began = time.thread_time()
    game = loaded(name)
    loading = time.thread_time() - began
    if game.compiled is None:
        slow = (on_shelf(name) or Path()) / SLOW
        reason = slow.read_text(encoding="utf-8") if slow.is_file() else game.machine.reason
        raise Unsuitable(f"these rules are too slow for matches, and can be tried on Standalone: {reason}")
    layout = game.compiled.layout
    if layout.all_moves > MOST_MOVES or len(layout.facts) > MOST_FACTS:
        raise Unsuitable(
            f"this game is too large for matches here: it has {layout.all_moves:,} moves and {len(layout.facts):,} "
            f"facts ({MOST_MOVES:,} and {MOST_FACTS:,} are allowed)"
        )
    found = _trial(game, loading)
    if found.loading > LONGEST_LOADING or found.step > LONGEST_STEP:
        raise Unsuitable(
            f"this game is too large for matches here: it takes {found.loading:.1f} s to load and "
            f"{1000 * found.step:.0f} ms a step ({LONGEST_LOADING:g} s and {1000 * LONGEST_STEP:g} ms are allowed)"
        )


def _trial(game: Game, loading: float) -> Trial:
    generator, state, steps = random.Random(1), game.initial_state(), 0
    began = time.thread_time()
    while steps < TRIAL_STEPS and not game.initial_state().is_over:
        state = game.initial_state() if state.is_over else state.next(state.random_moves(generator))
        steps += 1
    return Trial(loading, (time.thread_time() - began) / max(1, steps))
