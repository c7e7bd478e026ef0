"""A position -> the move that passes: it changes only what every move changes.

Facts about whose turn it is and how many steps were made change whatever one does. A move that changes these and
nothing else passes the turn: what it changes is a proper part of what every other move changes. This asks nothing of
names; `noop`, `pass` and `kerchunk` are all found.
"""

from __future__ import annotations

from gamemaster.language.terms import Term
from gamemaster.search.budget import Meter
from gamemaster.search.position import Position

__all__ = ["find_pass"]


def find_pass(position: Position, meter: Meter) -> Term | None:
    """The mover's pass, or None where it has none; costs a node a move."""
    before = position.facts
    changes: dict[Term, frozenset[Term]] = {}
    for move in position.moves:
        meter.node()
        changes[move] = before ^ position.after(move).facts
    if len(changes) < 2:
        return None
    least = min(changes, key=lambda move: len(changes[move]))
    is_pass = all(changes[least] < changed for move, changed in changes.items() if move != least)
    return least if is_pass else None
