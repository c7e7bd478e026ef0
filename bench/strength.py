"""Matches of a player against OpenSpiel's C++ MCTS, or against another player, with equal CPU time for a move.

    python bench/strength.py [--games 60] [--seconds 0.25] [--only GAME] [--player egghead] [--opponent openspiel]
                             [--startclock 4] [--processes 1] [--seed 0] [--json]
    python bench/strength.py --verify 200 [--only GAME]     are they the same games? every state of random games

Sides are swapped after each game; games differ because both searches have seeds. (A random opening would decide many
games of hex and connect four at once, whoever plays them.) OpenSpiel's bot searches with random rollouts, exploration
sqrt(2) and proofs; how many simulations fit into its time is measured in each state beforehand, at no cost to it. The
player `tree` is nothing but a kept tree of `search.mcts`. `points` are 1 for a win and 1/2 for a draw, with Wilson's
interval of 95 %; `ms` is the CPU time of a move on average, the player's and the opponent's, forced moves left out.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from math import sqrt
from multiprocessing import get_context
from typing import Any, Protocol

from peer import PEERS, Line, Peer, compare, compiled
from rich.console import Console
from rich.progress import Progress

from gamemaster.errors import UnknownPlayer
from gamemaster.language.terms import Term
from gamemaster.machine.compiled import CompiledGame, CompiledState
from gamemaster.players.loading import find_player
from gamemaster.players.player import Player
from gamemaster.search.budget import Budget
from gamemaster.search.native.engine import engine_of
from gamemaster.search.native.mcts import NativeTree

GAMES = ("connectfour", "breakthrough", "hex", "othello")
WAIT = 60.0
"""Seconds to wait for machine code."""

MEGABYTES = 1000
TRIAL_SHARE = 0.1
"""Of its time, how long OpenSpiel's bot is tried in a state to see how many simulations it makes."""

FIRST_TRIAL = 100
SLOWEST = 0.25
"""A side gets at most four times its CPU seconds on the wall, however busy the machine is."""

KEPT = 0.7
"""How much the moves before count for what a clock goes by."""

Z = 1.959964
"""95 % of a normal distribution lie within so many deviations."""


@dataclass(frozen=True)
class Setting:
    """What is played, by whom, how long."""

    game: str
    player: str
    opponent: str
    seconds: float
    startclock: float
    seed: int


@dataclass
class Played:
    """A game's result for the player, and what each side spent: CPU seconds and moves, the player's first."""

    points: float
    seconds: list[float] = field(default_factory=lambda: [0.0, 0.0])
    moves: list[int] = field(default_factory=lambda: [0, 0])


# Who plays


class Side(Protocol):
    """Whoever makes the moves of one role."""

    def choose(self, state: CompiledState, line: Sequence[Term]) -> Term:
        """The move to make in a state, which these moves led to."""


class Clock:
    """Turns CPU seconds, which a side may spend, into seconds on the wall, which our searches go by.

    The two differ where other work runs on the machine, or a player has several threads.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.wall = self.used = 0.0

    def budget(self) -> float:
        """The time on the wall in which the CPU time was spent at the rate so far."""
        rate = self.used / self.wall if self.wall else 1.0
        return self.seconds / max(rate, SLOWEST)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Learn from a move."""
        wall, used = time.perf_counter(), time.process_time()
        yield
        self.wall = self.wall * KEPT + time.perf_counter() - wall
        self.used = self.used * KEPT + time.process_time() - used


class PlayerSide:
    """A player of the library, or of a file; on one thread if it can be told."""

    def __init__(self, setting: Setting, name: str, role: str, seed: int) -> None:
        player: Any = find_player(name)(seed)
        player = getattr(player, "player", player)  # what a file has
        if not isinstance(player, Player):
            sys.exit(f"{name} is no Player, so it cannot be told how long to think")
        if hasattr(player, "threads"):
            player.threads = 1
        self.player = player
        self.clock = Clock(setting.seconds)
        self.player.start(role, loaded(setting.game), setting.startclock, setting.seconds)

    def choose(self, state: CompiledState, line: Sequence[Term]) -> Term:
        """What the player thinks."""
        with self.clock.running():
            move = self.player.think(state, Budget(seconds=self.clock.budget()))
        return next(term for term in state.legal_moves(self.player.role) if str(term) == str(move))


class TreeSide:
    """Monte Carlo tree search with one tree for the whole game."""

    def __init__(self, setting: Setting, role: str, seed: int) -> None:
        self.tree = NativeTree(engine_of(loaded(setting.game)), seed)
        self.role = role
        self.clock = Clock(setting.seconds)

    def choose(self, state: CompiledState, line: Sequence[Term]) -> Term:
        """What the tree finds."""
        with self.clock.running():
            self.tree.advance(state)
            self.tree.grow(self.clock.budget())
        move = self.tree.result(self.role, 0.0).move
        assert move is not None
        return move


class OpenSpielSide:
    """OpenSpiel's MCTS; its state follows ours."""

    def __init__(self, setting: Setting, role: str, seed: int) -> None:
        self.line = Line(PEERS[setting.game])
        self.role = role
        self.seconds = setting.seconds
        self.seed = seed
        self.trial = FIRST_TRIAL
        self.simulations = 0

    def prepare(self, line: Sequence[Term]) -> None:
        """Come to the state after these moves, and see how many simulations fit into the time there."""
        self.line.follow(line)
        began = time.process_time()
        made = self._search(self.trial).explore_count
        used = max(time.process_time() - began, 1e-5)
        self.simulations = max(1, int(made / used * self.seconds))
        self.trial = max(FIRST_TRIAL, int(self.simulations * TRIAL_SHARE))

    def choose(self, state: CompiledState, line: Sequence[Term]) -> Term:
        """What the bot finds; `prepare` came before."""
        action = self._search(self.simulations).best_child().action
        return self.line.move_of(action, state.legal_moves(self.role))

    def _search(self, simulations: int) -> Any:
        """The root of a tree; its simulations are fewer where everything is proven before."""
        import pyspiel

        self.seed += 1
        evaluator = pyspiel.RandomRolloutEvaluator(1, self.seed)
        game = self.line.game
        bot = pyspiel.MCTSBot(game, evaluator, 2**0.5, simulations, MEGABYTES, True, self.seed, False)
        return bot.mcts_search(self.line.state)


def side_of(setting: Setting, name: str, role: str, seed: int) -> Side:
    """Whoever has that name."""
    if name == "openspiel":
        return OpenSpielSide(setting, role, seed)
    if name == "tree":
        return TreeSide(setting, role, seed)
    return PlayerSide(setting, name, role, seed)


# A game


@cache
def loaded(name: str) -> CompiledGame:
    """The game in this process, compiled as far as it will be."""
    game = compiled(PEERS[name].rules)
    engine_of(game).wait(WAIT)
    warm_up(game)
    return game


def warm_up(game: CompiledGame) -> None:
    """Have the kernels of search compiled before anybody's clock runs."""
    tree = NativeTree(engine_of(game))
    tree.advance(game.initial_state())
    tree.grow(None, 100)


def play(setting: Setting, number: int) -> Played:
    """One game: in even numbers the player moves first, in odd ones the opponent."""
    game = loaded(setting.game)
    own = number % 2
    seed = setting.seed * 1_000_003 + number * 1_009
    names = [setting.player, setting.opponent] if own == 0 else [setting.opponent, setting.player]
    sides = [side_of(setting, name, role, seed) for name, role in zip(names, game.roles, strict=True)]
    played, line, state = Played(0.0), list[Term](), game.initial_state()
    while not state.is_terminal:
        assert state.control is not None
        mover = game.roles.index(state.control)
        legal = state.legal_moves(state.control)
        if len(legal) == 1:
            move = legal[0]
        else:
            move = _timed_move(sides[mover], state, line, (played, 0 if mover == own else 1))
        line.append(move)
        state = state.next(move)
    played.points = (state.goal(game.roles[own]) or 0) / 100
    return played


def _timed_move(side: Side, state: CompiledState, line: Sequence[Term], account: tuple[Played, int]) -> Term:
    """A side's move; what it took is put to its account."""
    if isinstance(side, OpenSpielSide):
        side.prepare(line)
    began = time.process_time()
    move = side.choose(state, line)
    played, number = account
    played.seconds[number] += time.process_time() - began
    played.moves[number] += 1
    return move


# A match


def games_of(setting: Setting, count: int, processes: int) -> Iterator[Played]:
    """All games of a match as they are finished."""
    if processes == 1:
        yield from (play(setting, number) for number in range(count))
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(play, setting, number) for number in range(count)]):
            yield future.result()


def wilson(share: float, count: int) -> tuple[float, float]:
    """Wilson's interval of 95 % for a share of so many trials."""
    middle = share + Z * Z / (2 * count)
    around = Z * sqrt(share * (1 - share) / count + Z * Z / (4 * count * count))
    scale = 1 + Z * Z / count
    return max(0.0, (middle - around) / scale), min(1.0, (middle + around) / scale)


def summary(setting: Setting, games: Sequence[Played]) -> dict[str, Any]:
    """What a match says."""
    points = sum(game.points for game in games)
    low, high = wilson(points / len(games), len(games))
    spent = [
        sum(game.seconds[side] for game in games) / max(1, sum(game.moves[side] for game in games))
        for side in (0, 1)
    ]
    return {
        "game": setting.game,
        "player": setting.player,
        "opponent": setting.opponent,
        "games": len(games),
        "wins": sum(game.points == 1 for game in games),
        "draws": sum(game.points == 0.5 for game in games),
        "points": points,
        "share": points / len(games),
        "low": low,
        "high": high,
        "player_seconds": spent[0],
        "opponent_seconds": spent[1],
    }


def match(setting: Setting, count: int, processes: int) -> dict[str, Any]:
    """All games of a match, with a bar that shows how far it is."""
    games: list[Played] = []
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(setting.game, total=count)
        for game in games_of(setting, count, processes):
            games.append(game)
            points = sum(each.points for each in games)
            progress.update(task, advance=1, description=f"{setting.game} {points:g}/{len(games)}")
    return summary(setting, games)


# What is printed


def heading(player: str, opponent: str) -> str:
    """The line above the table."""
    return (
        f"{player} against {opponent}\n{'game':14}{'games':>6}{'wins':>6}{'draws':>6}{'points':>8}{'share':>8}"
        f"{'95 %':>14}{'ms':>8}{'ms':>8}"
    )


def row(found: dict[str, Any]) -> str:
    """A line of the table."""
    interval = f"{found['low']:.0%} - {found['high']:.0%}"
    return (
        f"{found['game']:14}{found['games']:6}{found['wins']:6}{found['draws']:6}{found['points']:8g}"
        f"{found['share']:8.0%}{interval:>14}"
        f"{found['player_seconds'] * 1e3:8.0f}{found['opponent_seconds'] * 1e3:8.0f}"
    )


def verify(peers: Sequence[Peer], games: int) -> None:
    """Print how many states were found the same."""
    for peer in peers:
        print(f"{peer.name:14}{compare(peer, games):8,} states the same in {games} games", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=0.25)
    parser.add_argument("--only", choices=GAMES)
    parser.add_argument("--player", default="egghead")
    parser.add_argument("--opponent", default="openspiel")
    parser.add_argument("--startclock", type=float, default=4.0)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--verify", type=int, metavar="GAMES")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    games = (options.only,) if options.only else GAMES
    if options.verify:
        return verify([PEERS[name] for name in games], options.verify)
    try:  # a wrong name is told before anything is played
        for name in {options.player, options.opponent} - {"openspiel", "tree"}:
            find_player(name)
    except UnknownPlayer as error:
        parser.error(str(error))
    if not options.json:
        print(heading(options.player, options.opponent))
    for name in games:
        setting = Setting(
            name, options.player, options.opponent, options.seconds, options.startclock, options.seed
        )
        found = match(setting, options.games, options.processes)
        print(json.dumps(found) if options.json else row(found), flush=True)
    return None


if __name__ == "__main__":
    main()
