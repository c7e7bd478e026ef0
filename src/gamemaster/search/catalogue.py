"""The algorithms by name."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from gamemaster.errors import UnknownAlgorithm
from gamemaster.search.door import Search, through_door

__all__ = ["ALGORITHMS", "Search", "find_algorithm", "one_line"]

FOLDERS = {
    "maximizer": "puzzles",
    "minimax": "trees",
    "bounded": "trees",
    "alphabeta": "trees",
    "deepening": "trees",
    "solver": "native",
    "expectimax": "trees",
    "extended": "trees",
    "maxn": "trees",
    "paranoid": "trees",
    "coalition": "trees",
    "mcs": "playouts",
    "greedy": "trees",
    "pts": "trees",
    "uct": "playouts",
    "mcts": "native",
    "decoupled": "playouts",
    "idastar": "puzzles",
    "nested": "puzzles",
    "planner": "puzzles",
}
"""The folder beside this file in which each algorithm has its own, under its name."""

ALGORITHMS = tuple(FOLDERS)


def find_algorithm(name: str) -> Search:
    """The search function of an algorithm; UnknownAlgorithm where there is none of that name."""
    if name not in ALGORITHMS:
        raise UnknownAlgorithm(f"no algorithm {name!r}; there are: {', '.join(ALGORITHMS)}")
    return through_door(name, _file(name).search)


def one_line(name: str) -> str:
    """What an algorithm is, in a line: the first of its file."""
    find_algorithm(name)
    text = _file(name).__doc__ or ""
    return text.splitlines()[0].rstrip(".")


def _file(name: str) -> ModuleType:
    return import_module(f"gamemaster.search.{FOLDERS[name]}.{name}")
