"""`gamemaster solve GAME --explain`: a strategy in words, with its proof and the figures of that; for sizes, too."""

from __future__ import annotations

import json
import textwrap
import time

from gamemaster.solving.explaining import find_strategy
from gamemaster.solving.families.family import Family
from gamemaster.solving.families.seeking import explain_sizes
from gamemaster.solving.families.sizes import read_sizes
from gamemaster.solving.strategies.explained import ExplainedStrategy
from gamemaster.terminal.loading import load
from gamemaster.terminal.progress import waiting
from gamemaster.terminal.report import print_line
from gamemaster.terminal.screen import console_of

__all__ = ["explain_game", "explain_many"]

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


def explain_many(name: str, text: str, seconds: float, *, role: str | None = None, as_json: bool) -> bool:
    """Print the strategies that hold for many sizes of a game, as `cells=3..25`; whether there is one."""
    sizes = read_sizes(name, text)
    began = time.perf_counter()
    with waiting(f"looking for one strategy for {sizes.words(sizes.values)}", seconds, is_shown=not as_json):
        report = explain_sizes(sizes, role, seconds)
    took = time.perf_counter() - began
    if as_json:
        print(json.dumps({**report.to_json(), "seconds": round(took, 3)}))
        return bool(report.families)
    for family in report.families:
        print_line(family.title())
        _print_wrapped(family.explain())
        print_line(f"{INDENT}{_figures(family)}")
    for line in report.rest_in_words():
        _print_wrapped(line, "")
    print_line(f"{took:.1f} s")
    return bool(report.families)


def _figures(family: Family) -> str:
    """How much was asked for the largest size."""
    largest = family.proved[-1]
    figures = ", ".join(f"{count:,} {name}" for name, count in family.proofs[largest].figures.items())
    return f"{family.sizes.words([largest])}: {figures}"


def _print_wrapped(text: str, indent: str = INDENT) -> None:
    width = min(WIDEST, console_of().width)
    for line in text.splitlines():
        for part in textwrap.wrap(line, width, initial_indent=indent, subsequent_indent=indent + INDENT):
            print_line(part)


def _print(found: ExplainedStrategy, seconds: float) -> None:
    print_line(f"{found.game.name}: a strategy by {found.kind}, for {found.role}")
    _print_wrapped(found.explain())
    figures = ", ".join(f"{figure:,} {name}" for name, figure in found.proof.figures.items())
    print_line(f"{INDENT}{figures}; {seconds:.1f} s")
