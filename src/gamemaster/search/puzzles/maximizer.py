"""Complete search of a puzzle: the best end that one role can reach.

    value(s) = goal(s)                          s is terminal
               max of value(after(s, m))        else, over the legal moves m; 0 at a dead end

Every state is searched once and remembered, and the search stops at 100, or what else is the highest goal. A state
that comes again on its own way adds nothing there: what can be reached by going round can be reached without. So the
value of the best move is exact; with such circles that of another move may be a lower bound.

Assumes that nobody else chooses and nothing is left to chance: else `Unsuitable`.

Source: Genesereth, General Game Playing, complete search (maxscore); depth-first search with a closed list.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from math import inf

from gamemaster.errors import Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget, Meter, OutOfBudget
from gamemaster.search.goals import goals_in
from gamemaster.search.position import HIGHEST, LOWEST, MOST_ENTRIES, Position, root_of, shuffled
from gamemaster.search.result import SearchResult
from gamemaster.search.tally import Line, Outcome, Tally

__all__ = ["BestEnd", "search"]

NOTHING = Outcome(-inf, None, True)
"""What is known of a state on its own way: to go round adds nothing."""

DEAD_END = Outcome(LOWEST, None, True)


def search(state: State, role: str, budget: Budget, seed: int = 0) -> SearchResult:
    """The best move of a puzzle."""
    root, meter = root_of(state, role, "maximizer"), budget.start()
    tally = Tally(root, role, meter)
    maximizer = BestEnd(role, meter, goals_in(state.game, role).ceiling)
    try:
        maximizer.run(root, tally, seed)
        is_proven = True
    except OutOfBudget:
        is_proven = False
    return tally.result("maximizer", depth=maximizer.deepest, is_proven=is_proven)


@dataclass
class Ply:
    """A position whose moves are being tried; `move` is the one that led to it."""

    position: Position
    move: Term
    untried: Iterator[Term]
    best: Outcome = NOTHING


class BestEnd:
    """Depth-first search on a stack of its own: a puzzle may be longer than Python's stack."""

    def __init__(self, role: str, meter: Meter, enough: float = HIGHEST) -> None:
        self.role = role
        self.meter = meter
        self.enough = enough
        self.memo: dict[Hashable, Outcome] = {}
        self.deepest = 0

    def run(self, root: Position, tally: Tally, seed: int = 0) -> None:
        """Tally the root's moves."""
        self.meter.node()
        self.memo[root.key] = NOTHING
        for move in shuffled(self._moves(root), seed):
            outcome = self.value(root, move)
            outcome = DEAD_END if outcome.value == -inf else outcome  # nothing but circles
            tally.add(move, outcome, is_best=tally.best is None or outcome.value > tally.values[tally.best])
            if outcome.value >= self.enough:
                return

    def value(self, start: Position, first: Term) -> Outcome:
        """What the position after a move is worth."""
        stack: list[Ply] = []
        found = self._enter(start, first, stack)
        while stack:
            frame = stack[-1]
            if found is not None and found.value > frame.best.value:
                frame.best = found
            move = next(frame.untried, None) if frame.best.value < self.enough else None
            if move is not None:
                found = self._enter(frame.position, move, stack)
                continue
            stack.pop()
            if not frame.position.moves:
                frame.best = DEAD_END
            self.memo[frame.position.key] = frame.best
            found = _led_by(frame.move, frame.best) if stack else frame.best
        return found or NOTHING

    def _enter(self, position: Position, move: Term, stack: list[Ply]) -> Outcome | None:
        """What a move is worth where that is known, its own move in front; else None, and a frame on the stack."""
        self.meter.node()
        after = position.after(move)
        known = (
            Outcome(after.reward(self.role), None, True) if after.is_terminal else self.memo.get(after.key)
        )
        if known is not None:
            return _led_by(move, known) if stack else known
        if len(self.memo) >= MOST_ENTRIES:
            raise OutOfBudget  # to go on without a memory would be to go on for ever
        self.memo[after.key] = NOTHING
        stack.append(Ply(after, move, iter(self._moves(after))))
        self.deepest = max(self.deepest, len(stack) + 1)
        return None

    def _moves(self, position: Position) -> list[Term]:
        if position.is_terminal:
            return []
        if position.mover not in (None, self.role):
            raise Unsuitable(
                f"maximizer is for puzzles, and here {position.mover} chooses too; minimax is for that"
            )
        return list(position.moves)


def _led_by(move: Term, outcome: Outcome) -> Outcome:
    line: Line = (move, outcome.line)
    return outcome._replace(line=line)
