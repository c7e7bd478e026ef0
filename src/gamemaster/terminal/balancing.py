"""`gamemaster balance`: how fair a game is, at random and among strong players, in tables and small pictures."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from gamemaster.arena.balance import (
    Balance,
    StrongOrder,
    StrongPlay,
    play_strongly,
    strong_order,
    strong_play,
)
from gamemaster.arena.running import Progress
from gamemaster.draw.balance import draw_balance
from gamemaster.draw.svg import checked_theme
from gamemaster.machine.game import MAX_LENGTH, PlayoutStats
from gamemaster.machine.statistics import Interval, players_of, share_interval
from gamemaster.metagame.random_games import histogram
from gamemaster.metagame.random_play import RandomPlay, play_at_random
from gamemaster.terminal.leaving import terminable
from gamemaster.terminal.loading import load
from gamemaster.terminal.pictures import check_picture_file, write_whole
from gamemaster.terminal.progress import counting, waiting
from gamemaster.terminal.report import print_line, report_text
from gamemaster.terminal.tables import print_table

__all__ = ["BalanceOptions", "balance_game"]

BLOCKS = "▁▂▃▄▅▆▇█"
SCALE, MOST_BLOCKS = 25, 32
MOST_ROLES, SHOWN = 40, 6
WORTH_SAYING = 60.0
"""Seconds that strong play may take without anybody being told before."""

FEW = 30
"""So many matches say little."""


@dataclass(frozen=True)
class BalanceOptions:
    """What the command line says."""

    players: tuple[str, ...] = ()
    matches: int = 10
    seconds_a_move: float = 0.2
    seconds: float = 5.0
    playouts: int = 1_000_000
    seed: int = 0
    workers: int | None = None
    svg: Path | None = None
    theme: str | None = None
    as_json: bool = False


def balance_game(name: str, options: BalanceOptions) -> None:
    """Print how fair a game is; strong players play after random ones."""
    theme = checked_theme(options.theme)
    check_picture_file(options.svg)
    game = load(name)
    order = None
    if options.matches and players_of(game.roles):
        settings = (options.matches, options.seconds_a_move, options.seed)
        order = strong_order(game, options.players, *settings, is_separate=options.workers != 0)
    with waiting(f"{game.name} at random", options.seconds):
        random = play_at_random(game, options.seconds, options.seed, options.playouts)
    if not options.as_json:
        print_line(f"{game.name}: {game.kind}, on the {game.machine} machine")
        _print_random(random)
    strong = _played(order, random, options) if order else None
    found = Balance.of(game, random, strong)
    if options.as_json:
        print(json.dumps(found.to_dict()))
    else:
        _print_unseen(random)
    if options.svg is not None:
        write_whole(options.svg, draw_balance(found, theme=theme).encode())


# Strong play


def _played(order: StrongOrder, random: RandomPlay, options: BalanceOptions) -> StrongPlay:
    """What strong play shows; of somebody who leaves it, what was played so far is printed all the same."""
    _say_how_long(order, random.stats.mean_length, options)
    heard: list[Progress] = []
    players = ", ".join(dict.fromkeys(order.competition.players.values()))
    bar = counting(f"{order.game.name} by {players}", order.matches)
    with terminable(), _printing(order, heard, options), bar as count:

        def hear(progress: Progress) -> None:
            heard[:] = [progress]
            count(len(progress.played))

        play_strongly(order, options.workers, tell=hear, getting_ready=_getting_ready)
    return strong_play(order, heard[-1].outcomes)


@contextmanager
def _printing(order: StrongOrder, heard: list[Progress], options: BalanceOptions) -> Iterator[None]:
    try:
        yield
    finally:
        outcomes = heard[-1].outcomes if heard else []
        if outcomes and not options.as_json:
            _print_strong(strong_play(order, outcomes))


def _getting_ready(name: str) -> AbstractContextManager[None]:
    return waiting(f"compiling what {name} takes, once for this machine")


def _say_how_long(order: StrongOrder, steps: float, options: BalanceOptions) -> None:
    cores = max(1, (options.workers if options.workers is not None else os.cpu_count()) or 1)
    seconds = order.matches * steps * options.seconds_a_move / cores
    if seconds > WORTH_SAYING:
        report_text(
            f"{order.matches} matches may take {math.ceil(seconds / 60)} min or more; Ctrl-C leaves them, "
            "--matches and --seconds-a-move make it shorter"
        )


# Tables


def _print_random(found: RandomPlay) -> None:
    stats = found.stats
    noted = stats.noted.games if stats.noted else 0
    some = f", wins and lengths of {noted:,} of them" if noted < stats.playouts else ""
    print(f"\nrandom play: {_count(stats.playouts, 'game')}{some}{_cut(stats, MAX_LENGTH)}")
    _print_roles(stats)
    rows = [*_rows(stats)]
    branching = f"{found.mean_branching:.1f}" if found.branching is None else str(found.branching)
    rows.append(("branching", branching, _spark([bar.value for bar in found.ways]) + "  by step"))
    _print_rows(rows)


def _print_strong(found: StrongPlay) -> None:
    stats, names = found.stats, ", ".join(dict.fromkeys(found.players))
    few = "; so few say little" if stats.playouts < FEW else ""
    print(
        f"\nstrong play: {_count(stats.playouts, 'match')} of {names} at {found.seconds_a_move:g} s a move, "
        f"everybody in every role{few}{_cut(stats)}"
    )
    if not stats.playouts:
        print_line(f"{_count(found.unplayed, 'match')} could not be played")
        return
    _print_roles(stats)
    rows = [*_rows(stats)]
    if len(set(found.players)) > 1:
        rows += [(name, str(each), _line(each)) for name, each in found.by_player.items()]
    if found.errors:
        rows.append(("errors", str(found.errors), "no legal move in time: a random one was made"))
    if found.unplayed:
        rows.append(("unplayed", str(found.unplayed), "matches that could not be played"))
    _print_rows(rows)


def _print_roles(stats: PlayoutStats) -> None:
    """What each role gets, and how often it wins; alone, how often it gets all there is."""
    wins, goals = stats.win_intervals(), stats.goal_intervals()
    if not wins:
        (own,) = [
            counts for role, counts in zip(stats.roles, stats.goal_counts, strict=True) if role in goals
        ]
        wins = dict.fromkeys(goals, share_interval(own.get(100, 0), stats.playouts))
    heading = "wins %" if len(goals) > 1 else "full score %"
    rows = [
        (role, str(goals[role]), _line(goals[role]), str(wins[role])) for role in list(goals)[:MOST_ROLES]
    ]
    if draws := stats.draw_interval():
        rows.append(("draw", "", "", str(draws)))
    noted = stats.noted
    if noted and noted.shared:
        rows.append(("shared", "", "", str(share_interval(noted.shared, noted.games))))
    print_table(("role", "goal (95 %)", _ruler(), heading), rows)
    if len(goals) > MOST_ROLES:
        print_line(f"and {len(goals) - MOST_ROLES} more roles")


def _rows(stats: PlayoutStats) -> Iterator[tuple[str, str, str]]:
    lead, length = stats.first_move_advantage(), stats.length_interval()
    if lead is not None:
        clear = "" if lead.low > 0 or lead.high < 0 else ": it may be nothing"
        yield (
            "first move",
            f"{lead.value:+.1f} ({lead.low:+.1f} to {lead.high:+.1f})",
            f"{stats.first} begins{clear}",
        )
    lengths = dict(stats.noted.lengths) if stats.noted else {}
    least, most = min(lengths), max(lengths)
    if least == most:
        yield "length", f"{least}", f"{'always' if stats.playouts > 1 else 'once'}"
        return
    picture = _spark([bar.value for bar in histogram(lengths, MOST_BLOCKS)])
    yield "length", str(length), f"{picture}  {least} to {most} steps"


def _print_rows(rows: Sequence[tuple[str, str, str]]) -> None:
    sizes = [max(len(row[place]) for row in rows) for place in range(2)]
    for what, figure, picture in rows:
        print_line(f"{what.ljust(sizes[0])}  {figure.ljust(sizes[1])}  {picture}".rstrip())


def _print_unseen(found: RandomPlay) -> None:
    """What never happened, as far as somebody looked."""
    if found.moves is None or found.facts is None:
        print_line("\nwhich moves and facts there are is not known: the game runs on the reference machine")
        return
    print(f"\nnot seen in {_count(found.looked_at, 'random game')}")
    legal = [move for move in found.unmade if move not in set(found.illegal)]
    _print_rows(
        [
            ("moves never legal", f"{len(found.illegal):,} of {found.moves:,}", _some(found.illegal)),
            ("moves legal, never made", f"{len(legal):,} of {found.moves:,}", _some(legal)),
            ("facts never true", f"{len(found.untrue):,} of {found.facts:,}", _some(found.untrue)),
        ]
    )


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")


def _cut(stats: PlayoutStats, most: int | None = None) -> str:
    after = f" after {most:,} steps" if most else ""
    return f"; {stats.cut:,} of them came to no end and were cut{after}" if stats.cut else ""


def _count(number: int, what: str) -> str:
    more = "es" if what.endswith("ch") else "s"
    return f"{number:,} {what}{more * (number != 1)}"


# Small pictures


def _ruler() -> str:
    return f"0{'100'.rjust(SCALE - 1)}"


def _line(each: Interval) -> str:
    """An interval from 0 to 100 as a line, and the mean on it."""
    places = [round((SCALE - 1) * min(100.0, max(0.0, value)) / 100) for value in each]
    mean, low, high = places
    drawn = ["─" if low <= place <= high else "·" for place in range(SCALE)]
    drawn[mean] = "●"
    return "".join(drawn)


def _spark(values: Sequence[float]) -> str:
    """Values as blocks, the highest as high as can be; what is there at all is seen."""
    most = max(values, default=0.0) or 1.0
    return "".join(
        BLOCKS[min(len(BLOCKS) - 1, math.ceil(value / most * len(BLOCKS)) - 1)] if value > 0 else " "
        for value in values
    )
