"""Random playouts per CPU second on the compiled machine, beside OpenSpiel's engines where it has the game.

    python bench/playouts.py [--seconds 2] [--plain] [--passes] [--json] [--chart FILE.svg] [GAME or FILE ...]

Without games: the library.

One core, CPU time. `ns/gate` is what a gate costs in 256 games at once; `limit` is the share of what the machine can
do at all: a loop that ANDs two streams of vectors from the first-level cache, timed in the same run. `2 threads` is
how many times as many playouts two threads make in the same time. `next/s` is single states from plain Python.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import random
import time
from pathlib import Path
from typing import Any

import gamemaster as gm
from gamemaster.codegen.kernel import aligned_words
from gamemaster.codegen.native import Library, compile_object
from gamemaster.games import game_names
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.improving import kept_improvement

OPENSPIEL = {
    "tictactoe": "tic_tac_toe",
    "connectfour": "connect_four(rows=6,columns=8)",
    "breakthrough": "breakthrough",
    "hex7x7": "hex(board_size=7)",
    "othello": "othello",
    "reversi": "othello",
    "pentago": "pentago",
    "checkers": "checkers",
    "chess_200": "chess",
    "amazons_8x8": "amazons",
    "hex": "hex(board_size=9)",
}
ROLLOUTS = 300

STREAM = """
define void @stream(ptr noalias %a, ptr noalias %b, i64 %rounds) {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %sum = phi <4 x i64> [zeroinitializer, %entry], [%kept, %loop]
  %slot = and i64 %i, 127
  %p = getelementptr <4 x i64>, ptr %a, i64 %slot
  %x = load volatile <4 x i64>, ptr %p, align 32
  %q = getelementptr <4 x i64>, ptr %b, i64 %slot
  %y = load volatile <4 x i64>, ptr %q, align 32
  %z = and <4 x i64> %x, %y
  store volatile <4 x i64> %z, ptr %p, align 32
  %kept = or <4 x i64> %sum, %z
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %rounds
  br i1 %more, label %loop, label %end
end:
  ret void
}
"""


def limit_ns() -> float:
    """Nanoseconds for one AND of two 256-bit vectors from and to memory near by."""
    library = Library([compile_object(STREAM, optimise=True)])
    stream = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(
        library.address("stream")
    )
    first, second = aligned_words(128), aligned_words(128)
    rounds = 50_000_000
    began = time.process_time()
    stream(first.ctypes.data, second.ctypes.data, rounds)
    return (time.process_time() - began) / rounds * 1e9


def openspiel_rate(name: str, seconds: float) -> float | None:
    """OpenSpiel's C++ rollouts per CPU second, where it is installed and has the game."""
    try:
        import pyspiel
    except ImportError:
        return None
    name = name.lower()
    if name not in OPENSPIEL:
        return None
    game = pyspiel.load_game(OPENSPIEL[name])
    # the evaluator exposes no call of its own: one simulation of a search runs all its rollouts in C++
    evaluator = pyspiel.RandomRolloutEvaluator(ROLLOUTS, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, 1, 1000, False, 1, False)
    state, played, began = game.new_initial_state(), 0, time.process_time()
    while time.process_time() - began < seconds:
        bot.mcts_search(state)
        played += ROLLOUTS
    return played / (time.process_time() - began)


def next_rate(game: gm.Game, seconds: float) -> float:
    """Calls of `state.next` per CPU second, one state at a time, along random games prepared beforehand."""
    generator = random.Random(1)
    lines = []
    for _ in range(20):
        state = game.initial_state()
        line: list[Any] = []
        while not state.is_terminal and len(line) < 200:
            moves = state.random_moves(generator)
            control = state.control
            line.append(moves if control is None else moves[control])
            state = state.next(moves)
        lines.append(line)
    made, began = 0, time.process_time()
    while time.process_time() - began < seconds:
        for line in lines:
            state = game.initial_state()
            for move in line:
                state = state.next(move)
            made += len(line)
    return made / (time.process_time() - began)


def measure(name: str, seconds: float, limit: float, plain: bool) -> dict[str, Any]:
    """All figures of one game."""
    began = time.perf_counter()
    game = gm.load(name)
    found: dict[str, Any] = {"game": Path(name).stem, "machine": str(game.machine)}
    found["load_seconds"] = time.perf_counter() - began
    if isinstance(game, CompiledGame):
        for kernel in ("play", "observe", "advance"):
            game.lanes.background.wait(kernel, best=not plain)
    used = time.process_time()
    stats = game.playouts(seconds=seconds)
    used = time.process_time() - used
    found |= {"playouts_per_second": stats.playouts / used, "mean_length": stats.mean_length}
    found["next_per_second"] = next_rate(game, min(1.0, seconds))
    found["openspiel"] = openspiel_rate(found["game"], seconds)
    if isinstance(game, CompiledGame):
        code = game.kernels["play"].code
        found |= {"passes": passes(game)}
        steps = (stats.moves + stats.playouts) / 256
        found["instructions"] = len(code.instructions)
        found["ns_per_gate"] = used / steps / len(code.instructions) * 1e9
        found["share_of_limit"] = limit / found["ns_per_gate"]
        wall = [game.playouts(seconds=seconds, threads=n) for n in (1, 2)]
        rates = [stats.playouts / stats.seconds for stats in wall]
        found["two_threads"] = rates[1] / rates[0]
    return found


def passes(game: CompiledGame) -> list[tuple[str, int]]:
    """The gates of random play after each pass, and what speaks for the last of them."""
    figures = game.figures
    rows = [("fold, share, factor", int(figures["shared_gates"])), ("drop dead gates", int(figures["gates"]))]
    rows.append(("play, as built", len(game.artifact.codes["play"].instructions)))
    better = kept_improvement(game.artifact.key, "play")
    if better is not None:
        rows += better.figures
        if better.code is not None:
            rows.append((f"used, by {better.checked}", len(better.code.instructions)))
    return rows


def row(found: dict[str, Any]) -> str:
    """A line of the table."""
    peer = found["openspiel"]
    ratio = f"{peer:12,.0f}{found['playouts_per_second'] / peer:8.0f}x" if peer else f"{'-':>12}{'-':>9}"
    line = f"{found['game']:20}{found['playouts_per_second']:14,.0f}{found['mean_length']:8.1f}{ratio}"
    line += f"{found['load_seconds']:8.2f}{found['next_per_second']:11,.0f}"
    if "ns_per_gate" in found:
        line += f"{found['instructions']:9,}{found['ns_per_gate']:9.2f}{found['share_of_limit']:8.0%}"
        line += f"{found['two_threads']:10.2f}"
    return line


def chart(rows: list[dict[str, Any]]) -> str:
    """The rates as an SVG of bars on a logarithmic scale, OpenSpiel's beside ours."""
    width, left, bar = 760, 150, 14
    lines, y = [], 40
    for found in rows:
        pairs = [("#0072b2", found["playouts_per_second"]), ("#e69f00", found["openspiel"])]
        lines.append(f'<text x="{left - 8}" y="{y + 12}" text-anchor="end">{found["game"]}</text>')
        for colour, rate in pairs:
            if rate:
                size = _scale(rate, width - left - 100)
                lines.append(f'<rect x="{left}" y="{y}" width="{size:.0f}" height="{bar}" fill="{colour}"/>')
                lines.append(f'<text x="{left + size + 5:.0f}" y="{y + 12}">{rate:,.0f}</text>')
                y += bar + 2
        y += 8
    title = "Random playouts per second on one core: from rules (blue), OpenSpiel's C++ (orange); each tick is 10 times"
    ticks = "".join(
        f'<line x1="{left + _scale(10**n, width - left - 100):.0f}" y1="34" '
        f'x2="{left + _scale(10**n, width - left - 100):.0f}" y2="{y}" stroke="#ccc"/>'
        for n in range(2, 10)
    )
    style = "font-family:sans-serif;font-size:12px;background:#fff"
    body = "".join(lines)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y + 10}" style="{style}">'
        f'<rect width="100%" height="100%" fill="#fff"/><text x="10" y="20">{title}</text>{ticks}{body}</svg>\n'
    )


def _scale(rate: float, width: float) -> float:
    """Where a rate ends on the logarithmic scale from 100 to a billion."""
    from math import log10

    return max(2.0, (log10(max(rate, 100)) - 2) / 7 * width)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", default=list(game_names()))
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--plain", action="store_true", help="without logic synthesis, in a cache without it")
    parser.add_argument("--passes", action="store_true", help="gates after each pass")
    parser.add_argument("--chart", type=Path)
    options = parser.parse_args()
    limit = limit_ns()
    if not options.json:
        print(f"limit: {limit:.3f} ns for an AND of 256 bits from memory near by")
        heading = f"{'game':20}{'playouts/s':>14}{'length':>8}{'OpenSpiel':>12}{'ratio':>9}{'load s':>8}{'next/s':>11}"
        print(heading + f"{'gates':>9}{'ns/gate':>9}{'limit':>8}{'2 threads':>10}")
    rows = []
    for name in options.games:
        found = measure(name, options.seconds, limit, options.plain)
        rows.append(found)
        print(json.dumps(found) if options.json else row(found), flush=True)
        if options.passes and not options.json and "passes" in found:
            print("    " + "; ".join(f"{each} {gates:,}" for each, gates in found["passes"]), flush=True)
    if options.chart:
        options.chart.write_text(chart(rows))


if __name__ == "__main__":
    main()
