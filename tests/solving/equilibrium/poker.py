"""The games of cards and dice whose equilibria are known from elsewhere, as the benchmark has them."""

from __future__ import annotations

from equilibrium import PEERS  # of bench/

import gamemaster as gm
from gamemaster.solving.equilibrium.solver import Aim, solve_equilibrium

__all__ = ["PEERS", "value_in_chips"]


def value_in_chips(name: str, until: float) -> float:
    """What a game is worth to who begins, as near as so many chips."""
    chip = PEERS[name].chip
    found = solve_equilibrium(gm.load(name), aim=Aim(until * chip, seconds=None))
    return (found.values["alice"] - 50) / chip
