"""MoveOrder: which moves alpha-beta tries first, since it cuts more the earlier it meets a good one.

table     the move that was best here in an earlier iteration
killer    moves that made a cut at the same depth in other positions, the last two (Akl & Newborn 1977)
history   moves that made many cuts anywhere, deep ones most (Schaeffer 1983)

Moves that none of these knows keep the order of the rules.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gamemaster.language.terms import Term
from gamemaster.search.position import Position

__all__ = ["WAYS", "MoveOrder"]

WAYS = ("table", "killer", "history")
KILLERS = 2


class MoveOrder:
    """What was learnt from cuts so far."""

    def __init__(self, ways: Collection[str]) -> None:
        unknown = sorted(set(ways) - set(WAYS))
        if unknown:
            raise ValueError(f"no way of ordering moves {unknown[0]!r}; there are: {', '.join(WAYS)}")
        self.ways = frozenset(ways)
        self.killers: dict[int, list[Term]] = {}
        self.history: dict[tuple[str | None, Term], int] = {}

    def ordered(self, position: Position, ply: int, table_move: Term | None) -> Sequence[Term]:
        """The moves of a position, those most likely to cut first."""
        moves = position.moves
        if len(moves) < 2 or not self.ways:
            return moves
        killers = self.killers.get(ply, ())
        mover, history = position.mover, self.history
        first = table_move if "table" in self.ways else None
        return sorted(
            moves, key=lambda move: (move != first, move not in killers, -history.get((mover, move), 0))
        )

    def cut(self, position: Position, ply: int, move: Term, depth: int) -> None:
        """Remember a move that made the others superfluous."""
        if "killer" in self.ways:
            killers = self.killers.setdefault(ply, [])
            if move not in killers:
                self.killers[ply] = [move, *killers][:KILLERS]
        if "history" in self.ways:
            key = (position.mover, move)
            self.history[key] = self.history.get(key, 0) + max(1, depth) ** 2
