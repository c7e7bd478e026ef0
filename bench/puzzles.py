"""How well a player plays puzzles: what it scores, by its clocks, and how much of them it takes.

    python bench/puzzles.py [FILE ...] [--player egghead] [--startclock 10] [--playclock 1] [--only TEXT] [--json]
                            by default: the puzzles of the library

Of the files only those with one role are played, one after the other, each once. Prints for each puzzle the score, the
most that the rules have, how many moves it took, the seconds that the start and all moves took on the wall and of the
processor, and how the first move was found; the mean score in the end. On a busy machine the processor's seconds are
fewer than the wall's: then the player was short of time. `late` is by how much it overran a clock at worst.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import gamemaster as gm
from gamemaster.errors import GamemasterError
from gamemaster.games import game_names
from gamemaster.players.catalogue import library_player
from gamemaster.players.player import Player
from gamemaster.search.goals import goals_in
from gamemaster.search.native.warming import prepare_search
from gamemaster.search.suitable import kinds_for

WARM = "buttonsandlights"
"""Played first, uncounted: so that kernels are there, as they are for whoever plays often."""

PATIENCE = 600.0


@dataclass
class Played:
    """What became of a puzzle."""

    game: str
    score: int = 0
    most: float = 100.0
    moves: int = 0
    startup: float = 0.0
    playing: float = 0.0
    processor: float = 0.0
    late: float = 0.0
    how: str = ""


def played(game: gm.Game, name: str, startclock: float, playclock: float) -> Played:
    """A puzzle played from start to end."""
    role = next(iter(game.roles))
    told = Played(game.name, most=goals_in(game, role).ceiling)
    player: Player = library_player(name)(seed=1)
    began, spent = time.perf_counter(), time.process_time()
    player.start(role, game, startclock, playclock)
    told.startup = time.perf_counter() - began
    told.late = told.startup - startclock
    state = game.initial_state()
    move: Any = None
    while not state.is_terminal and state.legal_moves(role):
        asked = time.perf_counter()
        move = player.play(move)
        took = time.perf_counter() - asked
        told.late = max(told.late, took - playclock)
        told.playing += took
        if player.last_result is not None and not told.how:
            told.how = player.last_result.algorithm
        state = state.next({role: move})
        told.moves += 1
    player.stop(move)
    told.score = int(state.goal(role) or 0) if state.is_terminal else 0
    told.processor = time.process_time() - spent
    return told


def puzzles(names: Sequence[str], only: str) -> list[gm.Game]:
    """The games of one role among some."""
    found = []
    for name in names:
        if only not in name:
            continue
        try:
            game = gm.load(name)
        except GamemasterError as error:
            print(f"{name}: {str(error).splitlines()[0]}", file=sys.stderr)
            continue
        if game.kind.roles == 1:
            found.append(game)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", default=list(game_names()))
    parser.add_argument("--player", default="egghead")
    parser.add_argument("--startclock", type=float, default=10.0)
    parser.add_argument("--playclock", type=float, default=1.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    warm = gm.load(WARM)
    prepare_search(warm, PATIENCE, kinds_for(warm, library_player(options.player).in_machine_code))
    played(warm, options.player, 1.0, 1.0)
    results: list[Played] = []
    for game in puzzles(options.games, options.only):
        result = played(game, options.player, options.startclock, options.playclock)
        results.append(result)
        if options.json:
            print(json.dumps(asdict(result)), flush=True)
            continue
        print(
            f"{Path(result.game).stem:34} {result.score:4} of {result.most:g}, {result.moves:4} moves, "
            f"start {result.startup:5.1f} s, moves {result.playing:6.1f} s, processor {result.processor:6.1f} s, "
            f"late {result.late:5.2f} s, {result.how}",
            flush=True,
        )
    if results and not options.json:
        mean = sum(result.score for result in results) / len(results)
        won = sum(result.score >= result.most for result in results)
        print(f"{len(results)} puzzles, {won} with the highest goal, mean score {mean:.1f}")


if __name__ == "__main__":
    main()
