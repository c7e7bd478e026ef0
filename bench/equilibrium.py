"""CPU time to an exploitability of 0.01 chips: our CFR+ beside OpenSpiel's C++ CFRPlusSolver, in the same run.

    python bench/equilibrium.py [GAME...]

The unit is that of `pyspiel.exploitability`: chips, NashConv over the number of players. Ours is in goals, and a chip
is so many goals in each game. That both play the same game is checked first: where all moves are equally likely, they
must be as exploitable there as here. How many iterations it takes is found on each side by looks at the same numbers
of iterations; then a new solver makes so many, and only that is timed, the best of some rounds. What a tree takes to
be built is timed beside it: theirs is made by a game in C++, ours from rules. `with looks` is all that
`find_equilibrium` takes of a tree, its own looks included. The claim is about iterations: at most a third of their
time; exits with 1 where it does not hold.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import gamemaster as gm
from gamemaster.machine.game import Game
from gamemaster.solving.equilibrium.profiles import uniform
from gamemaster.solving.equilibrium.solver import (
    CFR_PLUS,
    Aim,
    find_equilibrium,
    iterations_only,
    next_look,
    run_regrets,
)
from gamemaster.solving.equilibrium.tree import HistoryTree, grow_tree

ENOUGH = 0.01
CLAIM = 3.0
LEAST_ROUNDS, ENOUGH_SECONDS, LONG = 3, 0.3, 5.0
"""So many rounds: more of what is over at once, fewer of what takes so many seconds."""


class Peer(NamedTuple):
    """A game of both."""

    openspiel: str
    chip: float
    """How many goals a chip is worth in our sheet."""


PEERS = {
    "kuhn": Peer("kuhn_poker", 25.0),
    "leduc": Peer("leduc_poker", 3.0),
    "liarsdice": Peer("liars_dice", 50.0),
}


class Side(NamedTuple):
    """What one side took, in CPU seconds."""

    iterations: int
    building: float
    iterating: float


def quickest(run: Callable[[], Callable[[], object]]) -> float:
    """CPU seconds of the quickest of some rounds; what `run` does to prepare one is not timed."""
    taken: list[float] = []
    gc.collect()
    gc.disable()
    while sum(taken) < ENOUGH_SECONDS or (len(taken) < LEAST_ROUNDS and sum(taken) < LONG):
        step = run()
        began = time.process_time()
        step()
        taken.append(time.process_time() - began)
    gc.enable()
    return min(taken)


def ours(tree: HistoryTree, game: Game, chip: float) -> tuple[Side, float]:
    """Our side, and what the whole takes with looks at how exploitable it is."""
    aim = Aim(ENOUGH * chip, seconds=None)
    found = find_equilibrium(tree, CFR_PLUS, aim)
    building = quickest(lambda: lambda: grow_tree(game))
    iterating = quickest(lambda: lambda: iterations_only(tree, CFR_PLUS, found.iterations))
    looking = quickest(lambda: lambda: find_equilibrium(tree, CFR_PLUS, aim))
    return Side(found.iterations, building, iterating), looking


def theirs(game: Any) -> Side:
    """OpenSpiel's side."""
    import pyspiel

    solver, done, look = pyspiel.CFRPlusSolver(game), 0, 0
    while not done or pyspiel.exploitability(game, solver.average_policy()) > ENOUGH:
        look = next_look(done)
        while done < look:
            solver.evaluate_and_update_policy()
            done += 1
    building = quickest(lambda: lambda: pyspiel.CFRPlusSolver(game))
    return Side(done, building, quickest(lambda: _iterating(pyspiel.CFRPlusSolver(game), done)))


def _iterating(solver: Any, iterations: int) -> Callable[[], None]:
    def iterate() -> None:
        for _ in range(iterations):
            solver.evaluate_and_update_policy()

    return iterate


def compare(name: str) -> bool:
    """Print both sides of a game; whether the claim holds."""
    import pyspiel

    peer, game = PEERS[name], gm.load(name)
    tree, other = grow_tree(game), pyspiel.load_game(peer.openspiel)
    here = uniform(tree).exploitability / peer.chip
    there = pyspiel.exploitability(other, pyspiel.UniformPolicy())
    if abs(here - there) > 1e-6:
        raise SystemExit(f"{name}: not the same game: by random play {here:.6f} here, {there:.6f} there")
    left, looking = ours(tree, game, peer.chip)
    right = theirs(other)
    ratio = right.iterating / left.iterating
    whole = (right.building + right.iterating) / (left.building + looking)
    print(f"{name}: {tree.histories:,} histories, {tree.states:,} information states")
    print(f"  ours       {_told(left)}   with looks {1e3 * looking:9.3f} ms")
    print(f"  OpenSpiel  {_told(right)}")
    print(
        f"  {ratio:.1f} times as fast; with trees on both sides and our looks {whole:.2f} times", flush=True
    )
    return ratio >= CLAIM


def _told(side: Side) -> str:
    times = f"{1e3 * side.iterating:10.3f} ms   tree {1e3 * side.building:9.3f} ms"
    return f"{side.iterations:5} iterations {times}"


def main() -> None:
    """Compare the games that are named, or all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"of {', '.join(PEERS)}")
    names = parser.parse_args().games or list(PEERS)
    run_regrets()
    kept = [compare(name) for name in names]
    sys.exit(0 if all(kept) else 1)


if __name__ == "__main__":
    main()
