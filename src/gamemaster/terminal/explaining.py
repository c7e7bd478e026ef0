"""`gamemaster solve GAME --explain`: a strategy in words, with the kind of its proof and the figures of that."""

from __future__ import annotations

import json
import textwrap
import time

from gamemaster.solving.explaining import find_strategy
from gamemaster.solving.strategies.explained import ExplainedStrategy
from gamemaster.terminal.loading import load
from gamemaster.terminal.progress import waiting
from gamemaster.terminal.report import print_line
from gamemaster.terminal.screen import console_of

__all__ = ["explain_game"]

WIDEST = 100
INDENT = "  "


def explain_game(name: str, seconds: float, *, role: str | None = None, as_json: bool) -> bool:
    """Print a strategy that people can understand; whether one was found and proved."""
    game = load(name)
    began = time.perf_counter()
    with waiting(f"looking for a strategy in {game.name}", seconds, is_shown=not as_json):
        found = find_strategy(game, role, seconds)
    took = time.perf_counter() - began
    if as_json:
        print(
            json.dumps(
                {"game": game.name, "strategy": found.to_json() if found else None, "seconds": round(took, 3)}
            )
        )
    elif found is None:
        print_line(
            f"no strategy in words was found for {role or game.name} in {took:.1f} s; there may be one all the same, "
            "and without --explain all positions are labelled"
        )
    else:
        _print(found, took)
    return found is not None


def _print(found: ExplainedStrategy, seconds: float) -> None:
    print_line(f"{found.game.name}: a strategy by {found.kind}, for {found.role}")
    width = min(WIDEST, console_of().width)
    for line in found.explain().splitlines():
        for part in textwrap.wrap(line, width, initial_indent=INDENT, subsequent_indent=INDENT * 2):
            print_line(part)
    figures = ", ".join(f"{figure:,} {name}" for name, figure in found.proof.figures.items())
    print_line(f"{INDENT}{figures}; {seconds:.1f} s")
