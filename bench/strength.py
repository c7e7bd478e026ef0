"""Matches of a player against itself at any commit, against another player, or OpenSpiel's C++ MCTS: equal CPU time.

    python bench/strength.py --against commit:main [--player egghead] [--seconds 0.2] [--startclock 15] [GAME ...]
    python bench/strength.py --against mcts [--games 60] [--least 30] [--elo 50] [--all] [--opening 4] [--seed 0]
    python bench/strength.py --against openspiel [--journal FILE] [--json] [--chart FILE] [--core 1] [--restart-each]
    python bench/strength.py --verify 200 [GAME ...]    are OpenSpiel's the same games? every state of random games

A GAME is of the library or a file, of two roles that take turns. Who plays is a name or a file, with parameters;
`commit:REV` is the same player with the source of that commit, unpacked apart, and `commit:REV:NAME` another. What is
compiled of a commit is thrown away with it, unless `--commits` names a folder to keep them.

Both sides have a process of their own on the same core, one thread each; only one thinks at a time, and its time is
CPU time of its own process. Games come in pairs: the same random opening, sides swapped; openings that are over, or
that a moment of alpha-beta decides, are drawn again. What a player learnt in its start clock is kept for all games of a
match, one player for each role, unless `--restart-each`. Who crashes or makes an illegal move loses that game, which is
told. A match ends when a sequential test (arena/sequential.py: better by so many Elo points, or not at all, wrong one
time in 20) is decided, not before `--least` games. Games in the journal are not played again, if they were played by
the same source.

`share` is of the points: the greater goal is one, equal ones half of one. Its interval of 95 % is that of the mean of
pairs; Elo is that of arena/ratings/elo.py. `ms` is the CPU time of a move on average, the player's and the opponent's,
forced moves left out. In `all` each game counts the same.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from commits import ROOT, UnknownCommit
from pairing import Journal, Match, Played, duels_of, elo_of, figures, plan_for
from peer import PEERS, Peer, compare
from rich.console import Console
from rich.progress import Progress
from strength_chart import draw_shares
from strength_game import NotForTwo, Table, Terms
from strength_sides import COMMIT, OPENSPIEL, Declined, Who, opponent, who_is

from gamemaster.arena.outcomes import Duel
from gamemaster.errors import GamemasterError
from gamemaster.load import source_of
from gamemaster.players.loading import check_player

__all__ = ["Setting", "rules_of", "summary", "total"]

GAMES = (
    "breakthrough",
    "connectfour",
    "othello",
    "hex7x7",
    "checkers",
    "kono",
    "skirmish",
    "pentago",
    "knightthrough",
    "alquerque",
)
PAIR = 2
OPENSPIEL_GAMES = ("connectfour", "breakthrough", "hex", "othello")
CONSOLE = Console(stderr=True)
SAME = {"hex7x7": "hex"}
"""What a game is called in PEERS where its own name is another."""


@dataclass(frozen=True)
class Setting:
    """All that a game depends on: games of another setting are others. Digests are of texts."""

    game: str
    player: str
    against: str
    terms: Terms
    rules: str
    source: str


# What is played


def rules_of(game: str, *, has_peer: bool) -> tuple[str, str]:
    """What a game is called, and its name in the library or its path; UnknownPeer where OpenSpiel must have it too."""
    if not has_peer:
        return game, game
    name = SAME.get(game, game)
    if name not in PEERS:
        raise UnknownPeer(f"{game} has no peer in OpenSpiel; there are: {', '.join(PEERS)}")
    return name, PEERS[name].rules


class UnknownPeer(Exception):
    """OpenSpiel's game that is the same as ours is not known."""


def digest(*texts: bytes) -> str:
    """A few letters that tell texts apart."""
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:12]


def source_digest() -> str:
    """The same of all that the working tree's players run with."""
    return digest(*(path.read_bytes() for path in sorted((ROOT / "src").rglob("*.py"))))


# A match


@contextmanager
def bar(name: str, most: int) -> Iterator[Any]:
    """A function to be told all games after each, which shows how far a match is, and why a game was lost."""
    with Progress(console=CONSOLE, transient=True, disable=not CONSOLE.is_terminal) as progress:
        task = progress.add_task(name, total=most)

        def tell(games: Sequence[Played]) -> None:
            points = sum(each.points for each in games)
            progress.update(task, completed=len(games), description=f"{name} {points:g}/{len(games)}")
            if games[-1].fault:
                progress.console.print(f"{name}, game {len(games)}: {games[-1].fault}", markup=False)

        yield tell


def summary(setting: Setting, games: Sequence[Played], answer: str) -> dict[str, Any]:
    """What a match says."""
    elo, error = elo_of(duels_of(games, setting.game))
    return {
        **asdict(setting),
        **figures(games),
        "wins": sum(game.points == 1 for game in games),
        "draws": sum(game.points == 0.5 for game in games),
        "faults": sum(bool(game.fault) for game in games),
        "elo": elo,
        "elo_error": error,
        "test": answer,
    }


def total(rows: Sequence[dict[str, Any]], duels: Sequence[Duel]) -> dict[str, Any]:
    """All matches together: each game's share counts the same, however many games it took."""
    count = len(rows)
    share = sum(row["share"] for row in rows) / count
    around = math.hypot(*((row["high"] - row["low"]) / 2 for row in rows)) / count
    elo, error = elo_of(duels)
    sums = {name: sum(row[name] for row in rows) for name in ("games", "points", "wins", "draws", "faults")}
    spent = {name: sum(row[name] for row in rows) / count for name in ("player_seconds", "opponent_seconds")}
    return {
        "game": "all",
        "share": share,
        "low": max(0.0, share - around),
        "high": min(1.0, share + around),
        "elo": elo,
        "elo_error": error,
        "test": "",
        **sums,
        **spent,
    }


# What is printed


def shown(title: str) -> str:
    """A name with the hash of a commit as short as people write it."""
    return re.sub(r"[0-9a-f]{40}", lambda found: found[0][:10], title)


def heading(player: str, against: str) -> str:
    """The line above the table."""
    return (
        f"{player} against {shown(against)}\n"
        f"{'game':14}{'games':>6}{'wins':>6}{'draws':>6}{'faults':>7}{'points':>8}{'share':>7}"
        f"{'95 %':>14}{'Elo':>15}{'ms':>6}{'ms':>6}  test"
    )


def row_of(found: dict[str, Any]) -> str:
    """A line of the table."""
    interval = f"{found['low']:.0%} - {found['high']:.0%}"
    elo = f"{found['elo']:+.0f} ± {found['elo_error']:.0f}"
    return (
        f"{Path(found['game']).stem:14}{found['games']:6}{found['wins']:6}{found['draws']:6}{found['faults']:7}"
        f"{found['points']:8g}{found['share']:7.0%}{interval:>14}{elo:>15}"
        f"{found['player_seconds'] * 1e3:6.0f}{found['opponent_seconds'] * 1e3:6.0f}  {found['test']}"
    )


def verify(peers: Sequence[Peer], games: int) -> None:
    """Print how many states were found the same."""
    for peer in peers:
        print(f"{peer.name:14}{compare(peer, games):8,} states the same in {games} games", flush=True)


def arguments() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "named", nargs="*", metavar="GAME", help="of the library, or a file; default: ten games"
    )
    parser.add_argument("--player", default="egghead", help="a name or a file, with parameters")
    parser.add_argument(
        "--against", default=OPENSPIEL, help="openspiel, a player, commit:REV or commit:REV:NAME"
    )
    parser.add_argument(
        "--games", type=whole(PAIR), default=60, help="at most so many; a pair with sides swapped at least"
    )
    parser.add_argument("--least", type=whole(0), default=30, help="no fewer, however clear the test is")
    parser.add_argument(
        "--elo", type=finite(is_zero_one=False), default=50.0, help="what difference the test looks for"
    )
    parser.add_argument("--all", action="store_true", help="play all games, whatever the test says")
    parser.add_argument("--seconds", type=finite(is_zero_one=False), default=0.2, help="of CPU for a move")
    parser.add_argument(
        "--startclock", type=finite(is_zero_one=True), default=15.0, help="CPU seconds before the first move"
    )
    parser.add_argument(
        "--restart-each", action="store_true", help="new players, and a start clock, for each game"
    )
    parser.add_argument("--opening", type=whole(0), default=4, help="random moves at first")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--core", type=usable_core, default=last_core(), help="where both sides think")
    parser.add_argument(
        "--commits", type=Path, metavar="FOLDER", help="keep commits, and what is compiled of them"
    )
    parser.add_argument("--journal", type=Path, help="games are kept here, and gone on with")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each match")
    parser.add_argument("--chart", type=Path, help="an SVG of the results")
    parser.add_argument("--verify", type=whole(1), metavar="GAMES")
    return parser


def whole(least: int) -> Callable[[str], int]:
    """How an argument is read that is a whole number from one on."""

    def read(text: str) -> int:
        if not re.fullmatch(r"[+-]?\d{1,18}", text) or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} on")
        return int(text)

    return read


def finite(*, is_zero_one: bool) -> Callable[[str], float]:
    """How an argument is read that is a number above 0, or also 0 itself: neither endless nor nan."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or value < 0 or (value == 0 and not is_zero_one):
            wanted = "from 0 on" if is_zero_one else "above 0"
            raise argparse.ArgumentTypeError(f"{text!r} is not a number {wanted}")
        return value

    return read


def usable_core(text: str) -> int:
    """A core that this process may use, as far as the system tells."""
    core = whole(0)(text)
    if hasattr(os, "sched_getaffinity") and core not in os.sched_getaffinity(0):
        usable = ", ".join(map(str, sorted(os.sched_getaffinity(0))))
        raise argparse.ArgumentTypeError(f"{text!r} is no core of this process; there are: {usable}")
    return core


def last_core() -> int:
    """The last core that this process may use."""
    return max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0


def main(given: Sequence[str] | None = None) -> None:
    """Play all matches, and print what they say."""
    parser = arguments()
    options = parser.parse_args(given)
    has_peer = bool(options.verify) or OPENSPIEL in (options.player, options.against)
    games = options.named or (OPENSPIEL_GAMES if has_peer else GAMES)
    try:  # what is wrong is told before anything is played
        check_players(options.player, options.against)
        named = [rules_of(name, has_peer=has_peer) for name in games]
        for _, rules in named:
            source_of(rules)
        if options.verify:
            return verify([PEERS[name] for name, _ in named], options.verify)
        with opponent(options.against, options.player, options.commits) as other:
            play_all(options, named, other)
    except (GamemasterError, UnknownCommit, UnknownPeer) as error:
        parser.error(str(error))
    return None


def check_players(player: str, against: str) -> None:
    """The errors of names that are wrong; those at a commit are found out by its own source."""
    for name in {player, against} - {OPENSPIEL}:
        if not name.startswith(COMMIT):
            check_player(name)


def play_all(options: argparse.Namespace, named: Sequence[tuple[str, str]], other: Who) -> None:
    """A match for each game, its row printed as it ends."""
    whos = who_is(options.player), other
    terms = Terms(options.seconds, options.startclock, options.restart_each, options.opening, options.seed)
    plan = None if options.all else plan_for(options.games, options.elo)
    match, source = Match(options.games, plan, options.least), source_digest()
    rows, duels = list[dict[str, Any]](), list[Duel]()

    def print_row(row: dict[str, Any]) -> None:
        print(json.dumps(row) if options.json else row_of(row), flush=True)

    if not options.json:
        print(heading(options.player, other.title))
    for name, rules in named:
        setting = Setting(
            name, options.player, other.title, terms, digest(source_of(rules).text.encode()), source
        )
        journal = Journal(options.journal, asdict(setting))
        try:
            with (
                closing(Table(name, rules, whos, terms, options.core)) as table,
                bar(name, match.most) as tell,
            ):
                games, decision = match.games(table.play, journal, tell)
        except (NotForTwo, Declined) as error:
            print(error, file=sys.stderr)
            continue
        duels += duels_of(games, name)
        rows.append(summary(setting, games, decision.answer))
        print_row(rows[-1])
    if len(rows) > 1:
        rows.append(total(rows, duels))
        print_row(rows[-1])
    if options.chart and rows:
        title = f"{options.player} against {shown(other.title)}: share of points, {options.seconds:g} s of CPU a move"
        options.chart.write_text(draw_shares(title, rows) + "\n")


if __name__ == "__main__":
    main()
