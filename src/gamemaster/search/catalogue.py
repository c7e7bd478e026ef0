"""The algorithms by name: what their files have, and what is known of each.

A file has `search`, and where that takes any parameter, `Options`: a class of what it can be told.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

from gamemaster.errors import UnknownAlgorithm
from gamemaster.search.door import Search, through_door

__all__ = ["ALGORITHMS", "PLAYING", "Search", "as_called", "find_algorithm", "one_line", "options_of"]

FOLDERS = {
    "maximizer": "puzzles",
    "minimax": "trees",
    "bounded": "trees",
    "alphabeta": "trees",
    "deepening": "trees",
    "solver": "native",
    "dfpn": "native",
    "expectimax": "trees",
    "expectiminimax": "native",
    "extended": "trees",
    "maxn": "trees",
    "paranoid": "trees",
    "coalition": "trees",
    "matrix": "trees",
    "mcs": "playouts",
    "greedy": "trees",
    "pts": "trees",
    "uct": "playouts",
    "mcts": "native",
    "decoupled": "playouts",
    "pimc": "hidden",
    "ismcts": "hidden",
    "idastar": "puzzles",
    "nested": "puzzles",
    "breadth": "native",
    "bestfirst": "native",
    "filling": "native",
    "nrpa": "native",
    "planner": "puzzles",
}
"""The folder beside this file in which each algorithm has its own, under its name."""

ALGORITHMS = tuple(FOLDERS)

PLAYING = frozenset({"mcs", "uct", "mcts", "decoupled", "nested", "nrpa", "pimc", "ismcts"})
"""The searches that count playouts."""


def find_algorithm(name: str) -> Search:
    """The search function of an algorithm; UnknownAlgorithm where there is none of that name."""
    if name not in ALGORITHMS:
        raise UnknownAlgorithm(f"no algorithm {name!r}; there are: {', '.join(ALGORITHMS)}")
    return as_called(name, _file(name).search)


def as_called(name: str, search: Search) -> Search:
    """A search by an algorithm, with what is seen to for all of them."""
    return through_door(name, search, counts_playouts=name in PLAYING)


def options_of(name: str) -> Callable[..., Any] | None:
    """The class of all that an algorithm can be told; None where its search function has the parameters."""
    options: Callable[..., Any] | None = getattr(_file(name), "Options", None)
    return options


def one_line(name: str) -> str:
    """What an algorithm is, in a line: the first of its file."""
    find_algorithm(name)
    text = _file(name).__doc__ or ""
    return text.splitlines()[0].rstrip(".")


def _file(name: str) -> ModuleType:
    return import_module(f"gamemaster.search.{FOLDERS[name]}.{name}")
