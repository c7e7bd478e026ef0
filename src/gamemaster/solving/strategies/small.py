"""The labels of a small game for two: who wins every position with perfect play, and its Grundy value.

A plain dictionary, filled from the ends backwards; enough to find a rule in, which is then proved by other means.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from gamemaster.errors import GamemasterError, LimitExceeded, Unsuitable
from gamemaster.machine.game import Game, State
from gamemaster.solving.strategy import after_choice, goal_at_end

__all__ = ["SmallLabels", "label_positions"]

MOST_POSITIONS = 20_000


@dataclass(frozen=True)
class SmallLabels:
    """For each position that can be reached whether who is to move loses ("cold"), and its Grundy value.

    Both are said of ends too, where who would be to move is who did not make the last move.
    """

    cold: dict[State, bool]
    grundy: dict[State, int]

    def __len__(self) -> int:
        return len(self.cold)


_known: WeakKeyDictionary[Game, SmallLabels | GamemasterError] = WeakKeyDictionary()


def label_positions(game: Game, seconds: float, most: int = MOST_POSITIONS) -> SmallLabels:
    """The labels of all positions that can be reached, found once for each game.

    Unsuitable for games that can go round, or end in a draw; LimitExceeded for those that are not small.
    """
    if game not in _known:
        try:
            _known[game] = _SmallGame(game, time.monotonic() + seconds, most).run()
        except (LimitExceeded, Unsuitable) as error:
            _known[game] = error
    found = _known[game]
    if isinstance(found, GamemasterError):
        raise found
    return found


class _SmallGame:
    def __init__(self, game: Game, deadline: float, most: int) -> None:
        self.game, self.deadline, self.most = game, deadline, most
        self.cold: dict[State, bool] = {}
        self.grundy: dict[State, int] = {}

    def run(self) -> SmallLabels:
        start = self.game.initial_state()
        chooser = start.chooser
        if chooser is None:
            raise Unsuitable("only games in which roles take turns are labelled")
        self._label(start, chooser)
        return SmallLabels(self.cold, self.grundy)

    def _label(self, start: State, mover: str) -> None:
        """Label a position and all below it; the roles take turns one after the other."""
        waiting = next(role for role in self.game.roles if role != mover)
        path = {start}
        stack = [(start, (mover, waiting), self._following(start, mover))]
        while stack:
            state, (who, other), following = stack[-1]
            child = next((child for child in following if child not in self.cold), None)
            if child is None:
                self._settle(state, who, following)
                path.discard(state)
                stack.pop()
                continue
            if child in path:
                raise Unsuitable("play can go round, so not every position has an end")
            path.add(child)
            stack.append((child, (other, who), self._following(child, other)))

    def _following(self, state: State, mover: str) -> list[State]:
        if len(self.cold) >= self.most or time.monotonic() > self.deadline:
            raise LimitExceeded("positions", f"{self.most:,} positions", doing="labelling a small game")
        if state.is_over:
            return []
        if state.chooser != mover:
            raise Unsuitable("only games in which roles take turns are labelled")
        return list(dict.fromkeys(after_choice(state, move) for move in state.legal_moves(mover)))

    def _settle(self, state: State, mover: str, following: list[State]) -> None:
        values = {self.grundy[child] for child in following}
        self.grundy[state] = next(value for value in range(len(values) + 1) if value not in values)
        self.cold[state] = (
            self._loses(state, mover) if state.is_over else not any(map(self.cold.get, following))
        )

    def _loses(self, state: State, mover: str) -> bool:
        other = next(role for role in self.game.roles if role != mover)
        own, others = goal_at_end(state, mover), goal_at_end(state, other)
        if own == others:
            raise Unsuitable("only games without draws are labelled")
        return own < others
