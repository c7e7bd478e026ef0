"""Whether a competition can be held: its games exist, so do its players, and there are enough of them; all mistakes."""

from __future__ import annotations

import hashlib
import math
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from gamemaster.arena.competition import Competition
from gamemaster.arena.pairings import NEEDS_TWO
from gamemaster.errors import CompetitionError, GamemasterError
from gamemaster.games.tables import TomlPath
from gamemaster.load import load
from gamemaster.machine.arguments import shown
from gamemaster.machine.game import RANDOM, Game
from gamemaster.match.processes.staying import staying
from gamemaster.match.transports.finding import WEBSOCKET, is_address
from gamemaster.players.loading import check_player, file_of, is_of_library, make_player

__all__ = ["Found", "Mistake", "check", "check_plan", "mistaken"]

SHORTEST_CLOCK = 0.01
"""Seconds: in less than that no player in another process can answer on this kind of machine, however good it is."""

LONGEST_CLOCK = 24 * 3600.0
MOST_ENTRANTS, MOST_OPENING = 500, 1000
MOST_MATCHES = 300_000
"""Of a whole competition; its plan is kept in memory."""

LONGEST_NAME = 100
LOOK_SECONDS = 3.0
"""How long to wait for somebody at an address."""


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

    @property
    def texts(self) -> dict[str, str]:
        """Hashes of what decides how it is played: rules, and players' files."""
        rules = {name: game.digest for name, game in self.games.items()}
        return rules | {name: _hash(text) for name, text in self.files.items()}

    def check_files(self) -> None:
        """Nothing, where players' files are what they were; CompetitionError where one has changed, or is gone."""
        for player, text in self.files.items():
            try:
                is_same = file_of(player)[0].read_text() == text
            except (OSError, UnicodeDecodeError, GamemasterError):
                is_same = False
            if not is_same:
                raise CompetitionError(
                    f"{player} has changed while the competition ran; put it back and go on with --resume, or begin a "
                    "new one"
                )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def mistaken(mistakes: Iterable[str], where: str = "") -> CompetitionError:
    """That a competition cannot be held, with everything that is wrong with it."""
    told = tuple(mistakes)
    count = f"{len(told)} mistake{'s' if len(told) != 1 else ''}"
    return CompetitionError(f"{where}{count}, and nothing was played", told)


def check(competition: Competition, find: Callable[[str], Game] = load) -> tuple[Found, list[Mistake]]:
    """What a competition needs, and everything that is wrong with it; `find` finds a game by its name."""
    games, files = dict[str, Game](), dict[str, str]()
    mistakes = [*_find_games(competition, games, find), *_find_players(competition, files)]
    roles = {name: sum(role != RANDOM for role in game.roles) for name, game in games.items()}
    return Found(games, files), [*mistakes, *check_plan(competition, roles)]


def check_plan(competition: Competition, roles: Mapping[str, int]) -> list[Mistake]:
    """What is wrong with it whoever plays; `roles` is how many play each of its games that there are."""
    mistakes = [*_check_clocks(competition), *_check_numbers(competition)]
    return [*mistakes, *_check_meeting(competition, roles)]


def _find_games(
    competition: Competition, games: dict[str, Game], find: Callable[[str], Game]
) -> Iterator[Mistake]:
    if not competition.games:
        yield Mistake("no games", "name one at least", ("games",))
    for name in competition.games:
        if name in games:
            yield Mistake(
                f"game {name!r} is named twice", "name it once; `matches` says how often", ("games", name)
            )
            continue
        try:
            games[name] = find(name)
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
                f"player {entrant.name!r} is named twice",
                "in a file each can have a name of its own, [players]",
                path,
            )
        if not entrant.name.isprintable() or not entrant.name.strip():
            yield Mistake(f"{entrant.name!r} is no name that can be shown", "use letters", path)
        if is_address(entrant.player):
            yield from _look_for(entrant.player, path)
            continue
        try:
            check_player(entrant.player)
            if not is_of_library(entrant.player):
                files[entrant.player] = file_of(entrant.player)[0].read_text()
                if competition.isolation == "none":
                    with staying():
                        make_player(entrant.player)
        except UnicodeDecodeError:
            yield Mistake(f"{entrant.player} is no text in UTF-8", "save it so", path)
        except (GamemasterError, OSError) as error:
            yield Mistake(str(error), "", path)


def _look_for(player: str, path: TomlPath) -> Iterator[Mistake]:
    """Whether somebody listens at an address."""
    if player.startswith(WEBSOCKET):
        hint = "serve the player over HTTP: `gamemaster player`, docs/clients.md"
        yield Mistake(f"{player}: a player that comes over a WebSocket comes to one match", hint, path)
        return
    parts = urlsplit(player)
    try:
        socket.create_connection((parts.hostname or "", parts.port or 80), LOOK_SECONDS).close()
    except (OSError, ValueError) as error:
        yield Mistake(f"nobody answers at {player}: {error}", "start that player first", path)


def _check_clocks(competition: Competition) -> Iterator[Mistake]:
    for key in ("start_clock", "play_clock"):
        seconds = getattr(competition, key)
        if not math.isfinite(seconds) or not SHORTEST_CLOCK <= seconds <= LONGEST_CLOCK:
            hint = f"a clock is {SHORTEST_CLOCK:g} to {LONGEST_CLOCK:,.0f} seconds"
            yield Mistake(f"a {key} of {seconds:g} s cannot be held", hint, (key,))


def _check_numbers(competition: Competition) -> Iterator[Mistake]:
    name = competition.name
    is_plain = name.isprintable() and name.strip() == name and not set(name) & set("/\\:") and name[:1] != "."
    if not is_plain or not 0 < len(name.encode("utf-8", "replace")) <= LONGEST_NAME:
        hint = f"a name is a line of 1 to {LONGEST_NAME} letters that can be that of a folder"
        yield Mistake(f"name {shown(name)}", hint, ("name",))
    bounds = {"matches": (1, 100_000), "rounds": (1, 1000), "opening": (0, MOST_OPENING)}
    for key, (least, most) in bounds.items():
        if not least <= getattr(competition, key) <= most:
            yield Mistake(f"{key} {getattr(competition, key)}", f"there can be {least} to {most:,}", (key,))


def _check_meeting(competition: Competition, games: Mapping[str, int]) -> Iterator[Mistake]:
    """Everybody has a seat, and somebody to meet."""
    count = len(competition.entrants)
    total = competition.matches * sum(math.comb(count, size) * size for size in games.values())
    if competition.test is None and total > MOST_MATCHES:
        hint = f"there can be {MOST_MATCHES:,}: hold several competitions"
        yield Mistake(f"{total:,} matches", hint, ("matches",))
    if not count:
        yield Mistake("no players", 'name some: players = ["mcts", "random"]', ("players",))
        return
    if competition.test is not None and (count != 2 or competition.pairing != "round robin"):
        yield Mistake("a test is between two, in a round robin", "name two players", ("test",))
    for name, roles in games.items():
        if not roles:
            yield Mistake(f"nobody plays {name}: all its roles are chance", "leave it out", ("games", name))
        if roles > count:
            there = "there is 1 player" if count == 1 else f"there are {count} players"
            yield Mistake(f"{name} is for {roles}, and {there}", "name more", ("games", name))
        if roles != 2 and (competition.pairing in NEEDS_TWO or competition.test is not None):
            what = "a test" if competition.test is not None else f"the pairing {competition.pairing!r}"
            yield Mistake(
                f"{what} takes games for two, and {name} is for {roles}", "leave it out", ("games", name)
            )
