"""The two machines against each other: random games of the library, every state compared.

    python bench/agreement.py [--games 1000] [--seed 0] [GAME or FILE ...]     default: the library, and bench/rules

Facts, terminal, goals, legal moves, control and percepts must be the same on both machines in every state; prints how
many states were compared, and exits with 1 at the first difference.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

import gamemaster as gm
from gamemaster.games import game_names

MOST_STEPS = 300
RULES = Path(__file__).parent / "rules"
"""Sheets with what the library lacks: simultaneous moves, chance, hidden information, recursion."""


def difference(ours: gm.State, theirs: gm.State) -> str | None:
    """What two states differ in, or None."""
    if ours.facts != theirs.facts:
        return f"facts: {sorted(map(str, ours.facts ^ theirs.facts))[:4]}"
    if ours.is_terminal != theirs.is_terminal:
        return "terminal"
    for role in theirs.game.roles:
        if set(ours.goals(role)) != set(theirs.goals(role)):
            return f"goals of {role}: {ours.goals(role)} and {theirs.goals(role)}"
        if not theirs.is_terminal and set(ours.legal_moves(role)) != set(theirs.legal_moves(role)):
            return f"legal moves of {role}"
    return None if ours.control == theirs.control else "control"


def compare(name: str, games: int, seed: int) -> int:
    """The number of states compared; SystemExit at the first difference."""
    compiled, reference = gm.load(name, machine="compiled"), gm.load(name, machine="reference")
    generator = random.Random(seed)
    states = 0
    for _ in range(games):
        ours, theirs = compiled.initial_state(), reference.initial_state()
        for _ in range(MOST_STEPS):
            if found := difference(ours, theirs):
                sys.exit(f"{name}: {found} in {theirs}")
            states += 1
            if theirs.is_terminal:
                break
            moves = theirs.random_moves(generator)
            if ours.percepts(moves) != theirs.percepts(moves):
                sys.exit(f"{name}: percepts of {moves} in {theirs}")
            ours, theirs = ours.next(moves), theirs.next(moves)
    return states


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", default=[*game_names(), *sorted(map(str, RULES.iterdir()))])
    parser.add_argument("--games", dest="count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for name in options.games:
        began = time.process_time()
        states = compare(name, options.count, options.seed)
        seconds = time.process_time() - began
        print(f"{Path(name).name:20}{options.count:7,} games{states:10,} states agree  {seconds:8.1f} s")


if __name__ == "__main__":
    main()
