"""Whether a competition can be held: its games exist, so do its players, and there are enough of them; all mistakes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from gamemaster.arena.competition import Competition
from gamemaster.arena.orders import split_file
from gamemaster.arena.pairings import NEEDS_TWO
from gamemaster.errors import GamemasterError
from gamemaster.games.tables import TomlPath
from gamemaster.load import load
from gamemaster.machine.game import RANDOM, Game
from gamemaster.match.transports.finding import HTTP, WEBSOCKET
from gamemaster.players.loading import check_player, is_of_library

__all__ = ["Found", "Mistake", "check"]

SHORTEST_CLOCK = 0.01
"""Seconds: in less than that no player in another process can answer on this kind of machine, however good it is."""

LONGEST_CLOCK = 24 * 3600.0
MOST_ENTRANTS, MOST_OPENING = 500, 1000


@dataclass(frozen=True, slots=True)
class Mistake:
    """Something that is wrong, where in a file it stands, and what to do about it."""

    what: str
    hint: str
    path: TomlPath

    def __str__(self) -> str:
        return f"{self.what}; {self.hint}" if self.hint else self.what


@dataclass(frozen=True)
class Found:
    """What a competition needs to be held: its games by name, and the texts of players that are files."""

    games: Mapping[str, Game]
    files: Mapping[str, str]


def check(competition: Competition) -> tuple[Found, list[Mistake]]:
    """What a competition needs, and everything that is wrong with it."""
    games, files = dict[str, Game](), dict[str, str]()
    mistakes = [*_find_games(competition, games), *_find_players(competition, files)]
    mistakes += [*_check_clocks(competition), *_check_numbers(competition)]
    mistakes += _check_meeting(competition, games)
    return Found(games, files), mistakes


def _find_games(competition: Competition, games: dict[str, Game]) -> Iterator[Mistake]:
    if not competition.games:
        yield Mistake("no games", "name one at least", ("games",))
    for name in competition.games:
        if competition.games.count(name) > 1 and name in games:
            yield Mistake(
                f"game {name!r} is named twice", "name it once; `matches` says how often", ("games", name)
            )
            continue
        try:
            games[name] = load(name)
        except GamemasterError as error:
            yield Mistake(str(error), "", ("games", name))


def _find_players(competition: Competition, files: dict[str, str]) -> Iterator[Mistake]:
    names = [each.name for each in competition.entrants]
    if len(names) > MOST_ENTRANTS:
        yield Mistake(f"{len(names)} players", f"there can be {MOST_ENTRANTS}", ("players",))
        return
    for number, entrant in enumerate(competition.entrants):
        path: TomlPath = ("players", entrant.name)
        if entrant.name in names[:number]:
            yield Mistake(
                f"player {entrant.name!r} is named twice", "give each a name of its own in [players]", path
            )
        if not entrant.name.isprintable() or not entrant.name.strip():
            yield Mistake(f"{entrant.name!r} is no name that can be shown", "use letters", path)
        if entrant.player.startswith((HTTP, WEBSOCKET)):
            continue
        try:
            check_player(entrant.player)
            if not is_of_library(entrant.player):
                files[entrant.player] = Path(split_file(entrant.player)[0]).read_text()
        except (GamemasterError, OSError, UnicodeDecodeError) as error:
            yield Mistake(str(error), "", path)


def _check_clocks(competition: Competition) -> Iterator[Mistake]:
    for key in ("start_clock", "play_clock"):
        seconds = getattr(competition, key)
        if not math.isfinite(seconds) or not SHORTEST_CLOCK <= seconds <= LONGEST_CLOCK:
            hint = f"a clock is {SHORTEST_CLOCK:g} to {LONGEST_CLOCK:,.0f} seconds"
            yield Mistake(f"a {key} of {seconds:g} s cannot be held", hint, (key,))


def _check_numbers(competition: Competition) -> Iterator[Mistake]:
    bounds = {"matches": (1, 10**6), "rounds": (1, 1000), "opening": (0, MOST_OPENING)}
    for key, (least, most) in bounds.items():
        if not least <= getattr(competition, key) <= most:
            yield Mistake(f"{key} {getattr(competition, key)}", f"there can be {least} to {most:,}", (key,))


def _check_meeting(competition: Competition, games: Mapping[str, Game]) -> Iterator[Mistake]:
    """Everybody has a seat, and somebody to meet."""
    count = len(competition.entrants)
    if not count:
        yield Mistake("no players", 'name some: players = ["mcts", "random"]', ("players",))
        return
    if competition.test is not None and (count != 2 or competition.pairing != "round robin"):
        yield Mistake("a test is between two, in a round robin", "name two players", ("test",))
    for name, game in games.items():
        roles = sum(role != RANDOM for role in game.roles)
        if roles > count:
            yield Mistake(
                f"{name} has {roles} roles, and there are {count} players", "name more", ("games", name)
            )
        if roles != 2 and (competition.pairing in NEEDS_TWO or competition.test is not None):
            what = "a test" if competition.test is not None else f"the pairing {competition.pairing!r}"
            yield Mistake(
                f"{what} takes games for two, and {name} is for {roles}", "leave it out", ("games", name)
            )
