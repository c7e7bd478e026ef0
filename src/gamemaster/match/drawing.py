"""A seed -> the moves that are made for chance, and for those who make none."""

from __future__ import annotations

import random
from collections.abc import Sequence

from gamemaster.language.terms import Term

__all__ = ["drawn_move"]


def drawn_move(seed: int, step: int, role: str, legal: Sequence[Term]) -> Term:
    """The move made for a role in a step: the same for the same seed, whatever else was drawn."""
    return random.Random(f"{seed}/{step}/{role}").choice(legal)
