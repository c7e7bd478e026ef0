"""`gamemaster show --network` and `gamemaster bench`: what the compiled machine makes of a game, and how fast it is."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from typing import Any

from gamemaster.errors import GamemasterError
from gamemaster.machine.artifact import Artifact
from gamemaster.machine.game import Game
from gamemaster.machine.improving import kept_improvement
from gamemaster.terminal.loading import load
from gamemaster.terminal.tables import print_table

__all__ = ["bench_games", "measure", "show_network"]

OUTPUTS = {
    "observe": "terminal, legal, goals",
    "advance": "next facts, percepts",
    "play": "a random step",
    "expand": "a search: the state after a move",
    "end": "a search: where a move ends the game",
    "charge": "a search: a random step and its moves",
}
"""The jobs, in the order of the table; those for searches are there once a search has asked for them."""


def show_network(name: str) -> None:
    """Print how the rules of a game became gates and code: sizes at every stage, and seconds."""
    game = load(name, machine="compiled").compiled
    assert game is not None
    print_table(("stage", "size", "of", "seconds"), list(_stages(game.artifact)), right=("size", "seconds"))


def _stages(artifact: Artifact) -> Iterator[tuple[str, str, str, str]]:
    """The rows of the table, in the order of the pipeline."""
    artifact.play_code()
    figures = artifact.figures

    def row(stage: str, size: float, unit: str, seconds: str = "") -> tuple[str, str, str, str]:
        return stage, f"{int(size):,}", unit, seconds

    yield row("ground", figures["ground_rules"], "rules", f"{figures['ground_seconds']:.3f}")
    yield row("", figures["ground_literals"], "literals")
    yield row("inputs", len(artifact.layout.facts), "facts")
    yield row("", artifact.layout.all_moves, "moves")
    yield row("fold, share, factor", figures["shared_gates"], "gates", f"{figures['build_seconds']:.3f}")
    yield row("drop dead gates", figures["gates"], "gates")
    yield row("recursion", figures["loops"], "loops")
    yield row("depth", figures["depth"], "gates")
    seconds = f"{figures['encode_seconds']:.3f}"
    for job, outputs in OUTPUTS.items():
        if job in artifact.codes:
            size = len(artifact.codes[job].instructions)
            yield row(f"phase {job}", size, f"instructions for {outputs}", seconds)
            seconds = ""
            yield from _improved(artifact, job)


def _improved(artifact: Artifact, job: str) -> Iterator[tuple[str, str, str, str]]:
    """What logic synthesis made of a job, where it was done: gates after each pass, instructions in the end."""
    found = kept_improvement(artifact.key, job)
    if found is None:
        return
    for name, gates in found.figures:
        yield f"  {name}", f"{gates:,}", "gates", ""
    seconds = f"{sum(found.seconds.values()):.3f}"
    if found.code is None:
        yield "  improved", "-", "no better instructions", seconds
    else:
        size = len(found.code.instructions)
        yield "  improved", f"{size:,}", f"instructions, checked by {found.checked}", seconds


def bench_games(names: Sequence[str], *, seconds: float, as_json: bool) -> bool:
    """Print how fast random play is in each game; whether all could be played."""
    rows, is_fine = [], True
    for name in names:
        try:
            found = measure(name, seconds)
        except GamemasterError as error:
            found, is_fine = {"game": name, "error": str(error)}, False
        if as_json:
            print(json.dumps(found), flush=True)
        rows.append(found)
    if not as_json:
        _print_rates(rows)
    return is_fine


def _print_rates(rows: Sequence[dict[str, Any]]) -> None:
    headings = ("game", "machine", "load s", "playouts/s", "states/s", "length", "gates")
    table = [
        (
            found["game"],
            found["machine"],
            f"{found['load_seconds']:.2f}",
            f"{found['playouts_per_second']:,.0f}",
            f"{found['states_per_second']:,.0f}",
            f"{found['mean_length']:.1f}",
            f"{found['gates'] or 0:,}",
        )
        if "error" not in found
        else (found["game"], found["error"], "", "", "", "", "")
        for found in rows
    ]
    print_table(headings, table, right=headings[2:])


def measure(name: str, seconds: float) -> dict[str, Any]:
    """Figures of one game; rates are per CPU second, once the machine code is there."""
    began = time.perf_counter()
    game: Game = load(name)
    loaded = time.perf_counter() - began
    gates = int(game.figures["gates"]) if game.figures else None
    game.wait_for("play")
    used = time.process_time()
    stats = game.playouts(seconds=seconds)
    used = time.process_time() - used
    return {
        "game": name,
        "machine": str(game.machine),
        "reason": game.machine.reason,
        "load_seconds": round(loaded, 3),
        "playouts_per_second": stats.playouts / used,
        "states_per_second": stats.moves / used,
        "mean_length": stats.mean_length,
        "mean_goals": stats.mean_goals,
        "gates": gates,
    }
