"""The algorithms by name."""

from __future__ import annotations

from importlib import import_module

from gamemaster.errors import UnknownAlgorithm
from gamemaster.search.door import Search, through_door

__all__ = ["ALGORITHMS", "Search", "find_algorithm", "one_line"]

ALGORITHMS = (
    "maximizer",
    "minimax",
    "bounded",
    "alphabeta",
    "deepening",
    "solver",
    "expectimax",
    "extended",
    "maxn",
    "paranoid",
    "coalition",
    "mcs",
    "greedy",
    "pts",
    "uct",
    "mcts",
    "decoupled",
    "idastar",
    "nested",
    "planner",
)
"""Each is the name of a file beside this one."""


def find_algorithm(name: str) -> Search:
    """The search function of an algorithm; UnknownAlgorithm where there is none of that name."""
    if name not in ALGORITHMS:
        raise UnknownAlgorithm(f"no algorithm {name!r}; there are: {', '.join(ALGORITHMS)}")
    return through_door(name, import_module(f"gamemaster.search.{name}").search)


def one_line(name: str) -> str:
    """What an algorithm is, in a line: the first of its file."""
    find_algorithm(name)
    text = import_module(f"gamemaster.search.{name}").__doc__ or ""
    return text.splitlines()[0].rstrip(".")
