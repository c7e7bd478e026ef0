"""Proof-number search beside our own alpha-beta, both in machine code: what it takes to solve small games.

    python bench/solve_proofs.py [--seconds 60] [--memory 256] [--json] [GAME ...]

Both find the value for the role that begins, one after the other in the same run; CPU time of this thread's process.
`nodes` are positions made; `value` is empty where the time was over. Last, for games that are won or drawn, the size of
the proof: of the first found, and of the smallest.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import gamemaster as gm
from gamemaster.search.budget import Budget
from gamemaster.search.native import dfpn
from gamemaster.search.native.engine import engine_of
from gamemaster.search.native.solver import Solver
from gamemaster.search.native.warming import get_ready
from gamemaster.search.result import SearchResult
from gamemaster.solving.proofs import prove_strategy

GAMES = (
    "hex:size=4",
    "hex:small",
    "breakthrough:columns=4,rows=5",
    "breakthrough:columns=5,rows=5",
    "connectfour:small",
    "threecells:long",
)
WAIT = 60.0
"""Seconds to wait for machine code."""

ENTRY_BYTES = 16


def timed(search: Callable[[], SearchResult]) -> dict[str, Any]:
    """What a search finds, and what that takes."""
    began = time.process_time()
    result = search()
    seconds = time.process_time() - began
    value = result.value if result.is_proven else None
    return {
        "value": value,
        "nodes": result.nodes,
        "seconds": seconds,
        "nodes_per_s": result.nodes / max(1e-9, seconds),
    }


def measure(name: str, seconds: float, memory: int) -> dict[str, Any]:
    """Both searches of a game from its start."""
    state = gm.load(name).initial_state()
    game, role, budget = state.game.compiled, state.chooser, Budget(seconds=seconds)
    assert game is not None
    assert role is not None
    get_ready(game, "solver", "dfpn")
    engine = engine_of(game)
    engine.wait(WAIT)
    bits = ((memory << 20) // ENTRY_BYTES).bit_length() - 1
    found = {
        "dfpn": timed(lambda: dfpn.search(state, role, budget, memory=memory)),
        "solver": timed(lambda: Solver(engine, role, table_bits=bits).search(state, budget)),
    }
    return {"game": name, "role": role, **found}


def proof_sizes(name: str, role: str, seconds: float, memory: int) -> dict[str, int]:
    """The size of a proof for a role, first and last; nothing where there is none."""
    try:
        proof = prove_strategy(gm.load(name), role, Budget(seconds=seconds), memory=memory)
    except gm.GamemasterError:
        return {}
    return {"first_proof": proof.first_size, "proof": proof.size}


def row(found: dict[str, Any]) -> str:
    """The figures of a game in a line."""
    parts = [f"{found['game']:30}"]
    for name in ("dfpn", "solver"):
        own = found[name]
        value = "" if own["value"] is None else f"{own['value']:g}"
        parts.append(f"{value:>5}{own['nodes']:>14,}{own['seconds']:>9.2f}{own['nodes_per_s'] / 1e6:>7.1f}")
    sizes = f"{found['first_proof']:>10,}{found['proof']:>10,}" if "proof" in found else ""
    return " ".join(parts) + sizes


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", default=list(GAMES), metavar="GAME")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--memory", type=int, default=256)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not options.json:
        head = f"{'value':>5}{'nodes':>14}{'CPU s':>9}{'M/s':>7}"
        print(f"{'':30} {'dfpn':35} solver\n{'game':30} {head} {head}{'proof':>10}{'smaller':>10}")
    for name in options.games:
        found = measure(name, options.seconds, options.memory)
        if found["dfpn"]["value"]:
            found.update(proof_sizes(name, found["role"], options.seconds, options.memory))
        print(json.dumps(found) if options.json else row(found), flush=True)


if __name__ == "__main__":
    main()
