"""A strategy against every reply: it holds in so many positions, or a line refutes it.

The role plays what the strategy says, the others whatever they can; every position that comes of it is looked at once.
Nothing of how the strategy was found is trusted: the game itself is asked what is legal, over, and worth what.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from gamemaster.errors import GamemasterError, LimitExceeded
from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.search.goals import goals_in
from gamemaster.solving.strategy import Strategy, goal_at_end

__all__ = ["MOST_POSITIONS", "StrategyVerdict", "check_strategy"]

MOST_POSITIONS = 2_000_000

Joint = tuple[Term | None, ...]


@dataclass(frozen=True, slots=True)
class StrategyVerdict:
    """Whether a strategy holds: in `positions` that were looked at, or not, as the steps of `line` show, and why."""

    holds: bool
    positions: int
    line: tuple[Joint, ...] = ()
    why: str = ""

    def __str__(self) -> str:
        if self.holds:
            return f"holds in all {self.positions:,} positions that it can lead to"
        return f"refuted: {self.why}, after {_shown(self.line) or 'no move'}"


def check_strategy(
    strategy: Strategy, start: State | None = None, most_positions: int = MOST_POSITIONS
) -> StrategyVerdict:
    """Whether a strategy gets what it says from a state on (the initial one), whatever the others play.

    It is refuted by an end with a smaller goal, by advice that is no legal move, by none at all, and by play that comes
    back to a position before. LimitExceeded where it leads to more positions than `most_positions`.
    """
    return _Check(strategy, most_positions).run(start or strategy.game.initial_state())


class _Refuted(Exception):
    """A line that the strategy does not survive."""


class _Check:
    """A walk through all positions, depth first; `path` holds those on the way, to see play that goes round."""

    def __init__(self, strategy: Strategy, most_positions: int) -> None:
        self.strategy = strategy
        self.role = strategy.role
        self.number = strategy.game.roles.index(strategy.role)
        self.sure = strategy.value
        self.is_sought = self.sure > goals_in(strategy.game, strategy.role).floor
        self.most_positions = most_positions
        self.done: set[State] = set()
        self.path: set[State] = set()

    def run(self, start: State) -> StrategyVerdict:
        line: list[Joint] = []
        try:
            self._walk(start, line)
        except _Refuted as refuted:
            return StrategyVerdict(False, len(self.done) + len(self.path), tuple(line), str(refuted))
        return StrategyVerdict(True, len(self.done))

    def _walk(self, start: State, line: list[Joint]) -> None:
        """Look at a position and all that come of it; `line` leads to the one that is looked at."""
        stack = [self._enter(start)]
        states = [start]
        while stack:
            step = next(stack[-1], None)
            if step is None:
                stack.pop()
                state = states.pop()
                self.path.discard(state)
                self.done.add(state)
                if line:
                    line.pop()
                continue
            joint, state = step
            if state in self.done:
                continue
            line.append(joint)
            if state in self.path:
                if self.is_sought:
                    raise _Refuted("play can come back to this position without an end")
                line.pop()
                continue
            stack.append(self._enter(state))
            states.append(state)

    def _enter(self, state: State) -> Iterator[tuple[Joint, State]]:
        if len(self.done) + len(self.path) >= self.most_positions:
            limit = f"{self.most_positions:,} positions"
            raise LimitExceeded("positions", limit, doing="checking the strategy")
        self.path.add(state)
        if state.is_over:
            goal = goal_at_end(state, self.role)
            if goal < self.sure:
                raise _Refuted(f"{self.role} gets {goal}, not {self.sure}")
            return iter(())
        return self._steps(state)

    def _steps(self, state: State) -> Iterator[tuple[Joint, State]]:
        """What can follow, with the role's own move as advised."""
        own = self._advised(state)
        others: list[tuple[Term | None, ...]] = [
            state.legal_moves(role) or (None,) for role in state.game.roles
        ]
        others[self.number] = (own,)
        for joint in product(*others):
            moves = {role: m for role, m in zip(state.game.roles, joint, strict=True) if m is not None}
            yield joint, state.next(moves)

    def _advised(self, state: State) -> Term | None:
        """The move that the strategy says, where it has a choice; it must be legal."""
        legal = state.legal_moves(self.role)
        if len(legal) < 2:
            return legal[0] if legal else None
        try:
            move = self.strategy.advise(state).move
        except GamemasterError as error:
            raise _Refuted(f"the strategy says nothing: {error}") from None
        if move not in legal:
            raise _Refuted(f"the strategy says {move}, which is not legal")
        return move


def _shown(line: tuple[Joint, ...]) -> str:
    """A line as moves; what a role without a choice does is not told where others choose."""
    return " ".join(",".join(str(move) for move in joint if move is not None) for joint in line)
