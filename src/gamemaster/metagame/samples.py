"""Game -> what random play shows of it. One counterexample is a proof; that none was seen is only an observation."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from itertools import pairwise

from gamemaster.machine.game import MAX_LENGTH, Game, State

__all__ = ["Samples", "sample"]


@dataclass
class Samples:
    """What was seen: several roles choosing at once, sums of goals at the end, roles whose goal fell, lengths."""

    games: int = 0
    states: int = 0
    is_simultaneous: bool = False
    sums: set[int] = field(default_factory=set)
    fell: set[str] = field(default_factory=set)
    longest: int = 0

    def look(self, line: list[State]) -> None:
        """Take in the states of one game."""
        self.games += 1
        self.states += len(line)
        self.longest = max(self.longest, line[-1].step)
        roles = line[0].game.roles
        for state in line[:-1]:
            self.is_simultaneous |= len(state.choosers) > 1
        for before, after in pairwise(line):
            self.fell |= {role for role in roles if (after.goal(role) or 0) < (before.goal(role) or 0)}
        if line[-1].is_terminal:
            self.sums.add(sum(line[-1].goal(role) or 0 for role in roles))


def sample(game: Game, seconds: float, seed: int, most: int = 200) -> Samples:
    """What random games show, as many as fit in the time and at most so many; the first one as far as it comes."""
    generator, found = random.Random(seed), Samples()
    deadline = time.monotonic() + seconds
    while found.games == 0 or (found.games < most and time.monotonic() < deadline):
        line = [game.initial_state()]
        while not line[-1].is_terminal and line[-1].step < MAX_LENGTH:
            if len(line) > 1 and time.monotonic() > deadline:
                if not found.games:
                    found.look(line)
                return found
            line.append(line[-1].next(line[-1].random_moves(generator)))
        found.look(line)
    return found
