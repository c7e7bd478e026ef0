"""A match of a competition as a value that travels: rules, players and settings in it, and all that comes back of it.

Whoever gets an order needs nothing else: no file of the one who gave it, and no game of a library. `play_order` runs it
wherever it is, in a process that may run many of them.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from gamemaster.arena.competition import Competition, Isolation
from gamemaster.arena.fixtures import Fixture
from gamemaster.arena.outcomes import MatchOutcome, outcome_of
from gamemaster.language.rules import Notation
from gamemaster.load import parse
from gamemaster.machine.game import RANDOM, Game
from gamemaster.match.cpu_clock import manager_for
from gamemaster.match.events import Event
from gamemaster.match.manager import player_seed
from gamemaster.match.processes.staying import staying
from gamemaster.match.records.record import event_line, record_of
from gamemaster.match.settings import Settings
from gamemaster.match.transports.child_process import ProcessLimits
from gamemaster.match.transports.finding import find_transport
from gamemaster.match.transports.transport import Transport
from gamemaster.players.loading import file_of, in_machine_code, is_of_library
from gamemaster.search.suitable import code_for, kinds_for

__all__ = [
    "LineMaker",
    "MatchOrder",
    "MatchReport",
    "Rulebook",
    "line_to",
    "order_of",
    "play_order",
    "ready_game",
]

MOST_STEPS = 5_000
"""A match is ended after so many steps, where the rules do not do it: goals are those of the state it is in."""

GAMES_KEPT = 16
"""A process that runs matches keeps so many games loaded."""


@dataclass(frozen=True, slots=True)
class Rulebook:
    """The rules of a game as they travel."""

    name: str
    text: str
    notation: Notation

    @classmethod
    def of(cls, name: str, game: Game) -> Rulebook:
        """The rules of a game that is at hand."""
        return cls(name, game.sheet.source.text, game.sheet.notation)

    def game(self) -> Game:
        """The game; the same for the same rules."""
        return _game(self)


@lru_cache(GAMES_KEPT)
def _game(rules: Rulebook) -> Game:
    return parse(rules.text, rules.notation, name=rules.name)


@dataclass(frozen=True, slots=True)
class MatchOrder:
    """One match to be played somewhere. `players` are in role order; `files` are texts of those that travel along."""

    fixture: Fixture
    rules: Rulebook
    players: tuple[str, ...]
    settings: Settings
    isolation: Isolation
    files: Mapping[str, str] = field(default_factory=dict)


def order_of(
    fixture: Fixture, competition: Competition, rules: Rulebook, files: Mapping[str, str]
) -> MatchOrder:
    """The order for a match; of `files` it takes those that its players are."""
    players = tuple(competition.players[name] for name in fixture.seats)
    settings = Settings(
        competition.start_clock,
        competition.play_clock,
        seed=fixture.seed,
        match=f"{_symbol(competition.name)}.{fixture.number}",
        game=fixture.game,
        opening=competition.opening,
        most_steps=MOST_STEPS,
        counts_cpu=competition.has_cpu_clocks,
    )
    own = {name: text for name, text in files.items() if name in players}
    return MatchOrder(fixture, rules, players, settings, competition.isolation, own)


def _symbol(name: str) -> str:
    """A name as a symbol of every notation."""
    return (
        "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name).lower()
        or "match"
    )


@dataclass(frozen=True, slots=True)
class MatchReport:
    """What comes back: how it went, and its record."""

    outcome: MatchOutcome
    record: bytes


def play_order(order: MatchOrder, line: LineMaker | None = None) -> MatchReport:
    """Play a match; its clocks begin to run when all machine code is there that its players take.

    `line` makes the lines to players, where they are not to be reached as an order says.
    """
    game = order.rules.game()
    ready_game(game, order.players)
    roles = [role for role in game.roles if role != RANDOM]
    events: list[Event] = []
    # What players print in this process is not what a program waits for that reads the results.
    with _files_at_hand(order) as players, staying(), redirect_stdout(sys.stderr):
        transports = {
            role: (line or line_to)(order, player, entrant, _seed(order, role, entrant))
            for role, player, entrant in zip(roles, players, order.fixture.seats, strict=True)
        }
        manager = manager_for(game, transports, order.settings, listeners=[events.append])
        asyncio.run(manager.conduct())
    outcome = outcome_of(order.fixture, record_of(events))
    return MatchReport(outcome, b"".join(map(event_line, events)))


def ready_game(game: Game, players: Sequence[str]) -> None:
    """Have the machine code that players take for a game, however long that is."""
    kinds = kinds_for(game, sorted({kind for player in players for kind in in_machine_code(player)}))
    if not kinds:
        return
    from gamemaster.search.native.warming import get_ready, warm_up

    searched = code_for(game, kinds)
    if searched is not None:
        get_ready(searched, *kinds)
    else:
        warm_up(None, kinds)


@contextmanager
def _files_at_hand(order: MatchOrder) -> Iterator[list[str]]:
    """The players, with files that came along in a folder of their own for as long as it takes."""
    if not order.files:
        yield list(order.players)
        return
    with tempfile.TemporaryDirectory(prefix="gamemaster-players-") as folder:
        places = {}
        for number, (player, text) in enumerate(order.files.items()):
            path, rest = file_of(player)
            place = Path(folder, str(number), path.name)
            place.parent.mkdir()
            place.write_text(text)
            places[player] = f"{place}{rest}"
        yield [places.get(player, player) for player in order.players]


def _seed(order: MatchOrder, role: str, entrant: str) -> int:
    """The seed of a player.

    Those of two who have the same role in the matches of a pair differ: otherwise equals would mirror each other.
    """
    return player_seed(order.settings.seed, f"{role}/{entrant}")


def line_to(order: MatchOrder, player: str, entrant: str, seed: int) -> Transport:
    """The line to a player, in a process of its own where that is asked for."""
    del entrant  # whoever shows somebody under another name needs it
    is_isolated = order.isolation in ("all", "separate") or order.settings.counts_cpu
    if order.isolation == "files":
        is_isolated |= not is_of_library(player)
    limits = ProcessLimits(has_walls=order.isolation in ("all", "files"))
    return find_transport(player, seed=seed, is_isolated=is_isolated, limits=limits)


LineMaker = Callable[[MatchOrder, str, str, int], Transport]
"""line(order, player, entrant, seed): a line to a player."""
