"""Simultaneous moves: decoupled search in machine code beside the same in Python, rounds a CPU second and strength.

    python bench/joint.py [--seconds 1] [--games 40] [--clock 0.1] [--json] [GAME ...]   default: tron goofspiel:cards=6

A round goes down from the root to a new state and back; the search in Python plays several random games from one state
where time is its limit, and they count as one round each. Strength: games between the two, each with the same
seconds of the clock for a move, with swapped sides; the mean goal of the one in machine code, 50 where both are equal.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from dataclasses import asdict, dataclass

import gamemaster as gm
from gamemaster.machine.game import RANDOM, State
from gamemaster.search.budget import Budget
from gamemaster.search.playouts.decoupled import JointTree, new_lanes

ROUNDS = 3


@dataclass(frozen=True)
class Row:
    """What was measured of a game."""

    game: str
    native_rounds: float
    python_rounds: float
    native_goal: float
    error: float
    games: int

    def __str__(self) -> str:
        ratio = self.native_rounds / self.python_rounds
        return (
            f"{self.game:20} {self.native_rounds:>10,.0f} rounds/s, in Python {self.python_rounds:>7,.0f} "
            f"({ratio:.0f}x); "
            f"native gets {self.native_goal:.1f} +- {self.error:.1f} of 100 in {self.games} games"
        )


def first_choice(state: State, generator: random.Random) -> State:
    """The first state of a game in which somebody chooses."""
    while not any(role != RANDOM for role in state.choosers):
        state = state.next(state.random_moves(generator))
    return state


def rounds(game: gm.Game, seconds: float) -> tuple[float, float]:
    """Rounds a CPU second, in machine code and in Python: the best of some, in turn."""
    state = first_choice(game.initial_state(), random.Random(1))
    role = next(role for role in state.choosers if role != RANDOM)
    best = [0.0, 0.0]
    for number in range(ROUNDS):
        lanes = new_lanes(game, number)
        assert lanes is not None
        began = time.process_time()
        found = lanes.search(state, role, Budget(seconds=seconds))
        best[0] = max(best[0], found.playouts / (time.process_time() - began))
        tree = JointTree(state, role, number)
        began = time.process_time()
        tree.search(Budget(seconds=seconds))
        best[1] = max(best[1], tree.root.visits / (time.process_time() - began))
    return best[0], best[1]


def played(game: gm.Game, own: str, clock: float, seed: int) -> float:
    """What machine code gets in a game in which it plays one role and Python every other."""
    generator, state = random.Random(seed), game.initial_state()
    lanes, trees = new_lanes(game, seed), dict[str, JointTree]()
    assert lanes is not None
    while not state.is_terminal:
        moves = state.random_moves(generator)
        for role in state.choosers:
            if role == own:
                moves[role] = lanes.search(state, role, Budget(seconds=clock)).move or moves[role]
            elif role != RANDOM:
                tree = trees.setdefault(role, JointTree(state, role, seed))
                tree.advance(state)
                moves[role] = tree.search(Budget(seconds=clock), mixed=True).move or moves[role]
        state = state.next(moves)
    return float(state.goal(own) or 0)


def measured(name: str, seconds: float, games: int, clock: float) -> Row:
    """A row of the table."""
    game = gm.load(name)
    players = [role for role in game.roles if role != RANDOM]
    native, python = rounds(game, seconds)
    goals = [played(game, players[number % len(players)], clock, number) for number in range(games)]
    mean = sum(goals) / max(1, len(goals))
    spread = (sum((goal - mean) ** 2 for goal in goals) / max(1, len(goals) - 1)) ** 0.5
    return Row(name, native, python, mean, spread / max(1, len(goals)) ** 0.5, games)


def main() -> None:
    """Measure and show."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games_named", metavar="GAME", nargs="*", default=["tron", "goofspiel:cards=6"])
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--clock", type=float, default=0.1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    for name in given.games_named:
        row = measured(name, given.seconds, given.games, given.clock)
        print(json.dumps(asdict(row)) if given.json else row, flush=True)


if __name__ == "__main__":
    main()
