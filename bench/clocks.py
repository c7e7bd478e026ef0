"""Every player on many games: is its move legal, and how much of its clock is left when it comes?

    python bench/clocks.py [--clock 2] [--states 5] [--players a,b] [--processes 1] [FILE ...]   default: the library

Random states of each game; a player is asked for a move in each, as in a match. Prints for every player how many moves
were legal, how many games it refused before they began and why, how often it failed afterwards, and by how much it
overran its clock at worst (the clock less the margin that it keeps for the way to the referee is its budget). Exits
with 1 for an illegal move, a failure, or an overrun budget on a compiled game of more than 0.1 s.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import gamemaster as gm
from gamemaster.games import game_names
from gamemaster.machine.game import RANDOM
from gamemaster.players.catalogue import library_player, player_names
from gamemaster.players.player import thinking_time

LEFT_OUT = ("slowpoke", "dumbo")
"""Players that are meant to be late or wrong."""

ALLOWED = 0.1
MOST_STEPS = 30
START_CLOCK = 3.0


@dataclass(frozen=True)
class Move:
    """What became of one question."""

    player: str
    game: str
    outcome: str  # legal, illegal, failed, refused
    over: float = 0.0
    detail: str = ""
    is_compiled: bool = True


def states_of(game: gm.Game, count: int) -> Iterator[gm.State]:
    """Random states in which somebody but chance has a choice, each of a game of its own."""
    generator = random.Random(game.name)
    for _ in range(count):
        state = game.initial_state()
        path: list[gm.State] = []
        while not state.is_terminal and len(path) < MOST_STEPS:
            if choosers(state):
                path.append(state)
            state = state.next(state.random_moves(generator))
        if path:
            yield generator.choice(path)


def choosers(state: gm.State) -> list[str]:
    """The roles that have a choice, chance not among them."""
    return [role for role in state.game.roles if role != RANDOM and len(state.legal_moves(role)) > 1]


def questions(name: str, players: list[str], count: int, clock: float) -> list[Move]:
    """Ask all players in states of one game."""
    game = gm.load(name)
    found: list[Move] = []
    states = list(states_of(game, count))
    for player in players:
        found += _ask(game, player, states, clock)
    return found


def _ask(game: gm.Game, name: str, states: list[gm.State], clock: float) -> Iterator[Move]:
    is_compiled = game.machine.name == "compiled"
    for state in states:
        role = choosers(state)[0]
        player = library_player(name)(seed=1)
        try:
            player.start(role, game, START_CLOCK, clock)
        except gm.Unsuitable as error:
            yield Move(name, game.name, "refused", detail=str(error))
            return
        player.resume(state)
        if game.has_percepts:
            player.tell_legal(state.legal_moves(role))
        began = time.perf_counter()
        try:
            move = player.play(None)
        except Exception as error:  # once it has started, to refuse is to fail like any other error
            detail = f"{type(error).__name__} at step {state.step}: {error}".splitlines()[0]
            yield Move(name, game.name, "failed", detail=detail, is_compiled=is_compiled)
            continue
        over = time.perf_counter() - began - thinking_time(clock)
        outcome = "legal" if move in state.legal_moves(role) else "illegal"
        yield Move(name, game.name, outcome, over, f"{move} at step {state.step}", is_compiled)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", default=list(game_names()))
    parser.add_argument("--clock", type=float, default=2.0)
    parser.add_argument("--states", type=int, default=5)
    parser.add_argument(
        "--players", default=",".join(name for name in player_names() if name not in LEFT_OUT)
    )
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    players = options.players.split(",")
    moves: dict[str, list[Move]] = defaultdict(list)
    with ProcessPoolExecutor(options.processes, get_context("spawn")) as pool:
        asked = [
            pool.submit(questions, name, players, options.states, options.clock) for name in options.games
        ]
        for name, answer in zip(options.games, asked, strict=True):
            for move in answer.result():
                moves[move.player].append(move)
            print(f"{Path(name).name} done", file=sys.stderr)
    sys.exit(report(players, moves))


def report(players: list[str], moves: dict[str, list[Move]]) -> int:
    """Print the table; whether something was wrong."""
    wrong = 0
    print(
        f"{'player':14}{'legal':>7}{'illegal':>9}{'failed':>8}{'refused':>9}{'worst s over budget':>21}  where"
    )
    for player in players:
        counts = Counter(move.outcome for move in moves[player])
        timed = [move for move in moves[player] if move.outcome in ("legal", "illegal") and move.is_compiled]
        worst = max(timed, key=lambda move: move.over, default=Move(player, "-", "legal"))
        print(
            f"{player:14}{counts['legal']:7}{counts['illegal']:9}{counts['failed']:8}{counts['refused']:9}"
            f"{worst.over:21.3f}  {worst.game}"
        )
        wrong |= counts["illegal"] + counts["failed"] > 0 or worst.over > ALLOWED
        for move in moves[player]:
            if move.outcome in ("illegal", "failed"):
                print(f"    {move.game}: {move.detail}")
            elif move in timed and move.over > ALLOWED:
                print(f"    {move.game}: {move.over:.3f} s over, {move.detail}")
    reasons = {
        move.detail.splitlines()[0] for found in moves.values() for move in found if move.outcome == "refused"
    }
    print(f"\n{len(reasons)} reasons to refuse, such as:")
    for reason in sorted(reasons)[:6]:
        print(f"    {reason}")
    return int(wrong)


if __name__ == "__main__":
    main()
