"""OpenSpiel's C++ MCTS at the far end of the pipes of strength_sides.py; its state follows ours, move by move.

It searches with random rollouts, exploration sqrt(2) and proofs. It looks at no clock: how many simulations fit into
its time is measured in each state beforehand, at no cost to it, and corrected by how long so many took before.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from peer import PEERS, Line
from strength_player import Answer, Told, served_on_core

from gamemaster.language.infix import read_term

MEGABYTES = 1000
TRIAL_SHARE = 0.1
"""Of its time, how long the bot is tried in a state to see how many simulations it makes."""

FIRST_TRIAL = 100
MOST_PACE = 2.0
"""How far what was measured beforehand may be from what it takes, either way."""


class OpenSpielSeat:
    """Both roles: it keeps nothing from move to move but how fast it is."""

    def __init__(self) -> None:
        self.trial, self.pace = FIRST_TRIAL, 1.0

    def load(self, told: Told) -> Answer:
        """Which game it is there."""
        self.peer = PEERS[told["game"]]
        self.seconds, self.seed = told["seconds"], told["seed"]
        return {}

    def start(self, told: Told) -> Answer:
        """Nothing: it makes no use of a start clock."""
        return {"seconds": 0.0}

    def think(self, told: Told) -> Answer:
        """The best move after those that were made."""
        self.line = Line(self.peer)
        self.line.follow([read_term(text) for text in told["moves"]])
        began = time.process_time()
        made = self._search(self.trial).explore_count
        used = max(time.process_time() - began, 1e-5)
        simulations = max(1, int(made / used * self.seconds * self.pace))
        self.trial = max(FIRST_TRIAL, int(simulations * TRIAL_SHARE))
        began = time.process_time()
        root = self._search(simulations)
        seconds = time.process_time() - began
        if root.explore_count >= simulations:  # else all is proven, which says nothing of its pace
            self.pace = min(MOST_PACE, max(1 / MOST_PACE, self.pace * (self.seconds / seconds) ** 0.5))
        action = root.best_child().action
        move = self.line.move_of(action, [read_term(text) for text in told["legal"]])
        return {"move": str(move), "seconds": seconds, "idle": 0.0, "simulations": simulations}

    def _search(self, simulations: int) -> Any:
        """The root of a tree; its simulations are fewer where everything is proven before."""
        import pyspiel

        self.seed += 1
        evaluator = pyspiel.RandomRolloutEvaluator(1, self.seed)
        bot = pyspiel.MCTSBot(
            self.line.game, evaluator, 2**0.5, simulations, MEGABYTES, True, self.seed, False
        )
        return bot.mcts_search(self.line.state)


if __name__ == "__main__":
    served_on_core(OpenSpielSeat(), sys.argv[1])
