"""The ready examples: trees written as text, the files of the folder beside this one."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from gamemaster.errors import ParameterError
from gamemaster.search.tracing.notation import tree_of_file
from gamemaster.search.tracing.tree import SearchTree

__all__ = ["EXAMPLES", "example_tree", "find_example"]

FOLDER = Path(__file__).parent / "examples"

EXAMPLES: tuple[str, ...] = (
    "aima",
    "labelled",
    "openlines",
    "noughts",
    "andor",
    "coin",
    "dice",
    "dice-stretched",
    "order",
    "order-stretched",
    "horizon",
    "summit",
    "misleading",
)
"""In the order in which they are to be read."""


def find_example(name: str) -> Path:
    """The file of an example; ParameterError where there is none of that name."""
    if name not in EXAMPLES:
        raise ParameterError(f"no example {name[:80]!r}; there are: {', '.join(EXAMPLES)}")
    return FOLDER / f"{name}.tree"


@cache
def example_tree(name: str) -> SearchTree:
    """The tree of an example."""
    return tree_of_file(find_example(name))
