"""A seed, and the moves that it makes: for chance, and for those who make none."""

from __future__ import annotations

import random
import secrets
from collections.abc import Sequence

from gamemaster.language.terms import Term

__all__ = ["LARGEST_SEED", "SEED_BITS", "drawn_move", "drawn_seed"]

SEED_BITS = 53
"""Of a seed that nobody named: more than a player can try, and as many as any reader of JSON keeps."""

LARGEST_SEED = 2**SEED_BITS - 1


def drawn_seed() -> int:
    """A seed that nobody can foresee, nor find by trying: it tells all that chance will do."""
    return secrets.randbits(SEED_BITS)


def drawn_move(seed: int, step: int, role: str, legal: Sequence[Term]) -> Term:
    """The move made for a role in a step: the same for the same seed, whatever else was drawn."""
    return random.Random(f"{seed}/{step}/{role}").choice(legal)
