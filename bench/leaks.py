"""Does anything tell a role what it cannot know? Pairs of states that it cannot tell apart, and the bytes of both.

    python bench/leaks.py [--pairs 1000] [--seed 1] [GAME ...]

For each hidden game of the library, or those named, and each way by which something of a match reaches a role: how many
pairs were compared, how many differ, and the CPU time. It ends with 1 where one differs, and shows by what.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.hidden.channels import CHANNELS
from tests.hidden.pairs import first_leak, hidden_games, pairs

import gamemaster as gm


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", nargs="*")
    parser.add_argument("--pairs", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    names = given.games or hidden_games()
    leaks = [leak for name in names for leak in _compared(name, given.pairs, given.seed)]
    print("\n\n".join(leaks) or "nothing tells apart what a role cannot")
    sys.exit(bool(leaks))


def _compared(name: str, count: int, seed: int) -> list[str]:
    """What differs, for each way."""
    game = gm.load(name)
    found, leaks = list(pairs(game, count, seed)), list[str]()
    unlike = sum(
        pair.one.state.legal_moves(pair.role) != pair.other.state.legal_moves(pair.role) for pair in found
    )
    print(f"{name:16} {len(found):6,} pairs, other legal moves in {unlike}", flush=True)
    for channel, shown in CHANNELS.items():
        began, differing = time.process_time(), 0
        for pair in found:
            leak = first_leak(game, [pair], shown)
            differing += bool(leak)
            leaks += [f"{name}, {channel}: {leak[:2_000]}"] if leak and differing == 1 else []
        print(f"    {channel:12} {differing:6,} differ   {time.process_time() - began:7.1f} s", flush=True)
    return leaks


if __name__ == "__main__":
    main()
