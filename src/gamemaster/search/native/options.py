"""What Monte Carlo tree search in machine code can be told: every option, its default and what it means, once.

Whoever searches (`mcts`), plays (`mcts` among the players) or tries what suits a game (`tuning`) takes them from here.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DEFAULTS", "MctsOptions"]


@dataclass(frozen=True)
class MctsOptions:
    """How a tree is grown; `mcts.py` has the formulas."""

    exploration: float = 0.7  # C: how much a child counts for having been tried little
    patience: int = 2  # visits before a state is expanded
    each: int = 1  # playouts that a leaf gets
    amaf: float = 0.0  # visits for which playouts count in which a move was made at any time; 0 for none
    proofs: bool = True  # whether states are proven; without it is plain UCT
    memory: int = 400  # megabytes for the tree; where they are full the least useful part is forgotten


DEFAULTS = MctsOptions()
