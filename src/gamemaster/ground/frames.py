"""Frames, and steps that work on them: what the steps of a rule are made of. See clauses.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from gamemaster.ground.rows import getter
from gamemaster.language.terms import Variable

__all__ = ["ANSWERS", "INPUTS", "QUESTION", "Find", "Frame", "Mode", "Scope", "Step", "tuple_getter"]

Frame: TypeAlias = list[Any]
Step: TypeAlias = Callable[[Frame], bool]
Find: TypeAlias = Callable[[Frame], Any]
Mode: TypeAlias = tuple[bool, ...]
Scope: TypeAlias = dict[Variable, int]
"""Where in the frame each variable that has a value stands."""

QUESTION, ANSWERS, INPUTS = 0, 1, 2


def tuple_getter(places: Sequence[int]) -> Callable[[Frame], tuple[Any, ...]]:
    """A function that picks places as a tuple, also for one."""
    if len(places) == 1:
        only = places[0]
        return lambda frame: (frame[only],)
    return getter(places)
