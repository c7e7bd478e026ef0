"""Random playouts per CPU second on the reference machine, beside what the original's engine does.

    python bench/reference.py [--seconds 3] [GAME ...]

The original's figures were measured on its own engine under node on a machine of the same kind; the ratio is the
claim: the reference reasoner, in plain Python, keeps within a factor of five of it.
"""

from __future__ import annotations

import argparse
import time

import gamemaster as gm

ORIGINAL = {
    "tictactoe": 728.0,
    "buttonsandlights": 5437.0,
    "hunter": 240.0,
    "knightstour": 1233.0,
    "connectfour": 19.0,
    "hex7x7": 15.0,
    "kono": 13.7,
    "breakthrough": 6.9,
}


def rate_of(name: str, seconds: float) -> float:
    """Playouts per CPU second."""
    game = gm.load(name, machine="reference")
    game.playouts(count=1)
    began = time.process_time()
    played = game.playouts(seconds=seconds).playouts
    return played / (time.process_time() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("games", nargs="*", default=list(ORIGINAL))
    parser.add_argument("--seconds", type=float, default=3.0)
    options = parser.parse_args()
    print(f"{'game':20}{'playouts / CPU s':>18}{'original':>12}{'ratio':>8}")
    for name in options.games:
        rate, original = rate_of(name, options.seconds), ORIGINAL.get(name)
        compared = f"{original:12.1f}{rate / original:8.2f}" if original else f"{'-':>12}{'-':>8}"
        print(f"{name:20}{rate:18.1f}{compared}", flush=True)


if __name__ == "__main__":
    main()
