"""Players and a game -> the matches to run: who has which role, under which seed, in which words, kept in which file.

One match or many; in each, players may change roles. A match that goes on is planned from its record.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gamemaster.errors import RecordError, UnknownRole
from gamemaster.load import build
from gamemaster.machine.game import RANDOM, Game
from gamemaster.match.chronicle import match_name, settings_of
from gamemaster.match.drawing import SEED_BITS, drawn_seed
from gamemaster.match.records.record import Record
from gamemaster.match.records.verifying import game_of
from gamemaster.match.settings import PING_SECONDS, Past, Settings
from gamemaster.match.wire.scramble import SCRAMBLED, Scrambling

__all__ = ["MatchPlan", "Schedule", "labels_of", "one_each", "record_path", "resumed_plan"]


@dataclass(frozen=True)
class MatchPlan:
    """A match to be run: the label of each player is its name, and a number where several have the same."""

    game: Game
    players: Mapping[str, str]
    labels: Mapping[str, str]
    """By role."""

    settings: Settings
    past: Past | None = None
    board: Game | None = None
    """The game whose board is shown, where the one that is played is scrambled."""

    number: int = 0


@dataclass(frozen=True)
class Schedule:
    """Matches of a game, one after the other. `players` are named in role order, or one for all roles."""

    players: Sequence[str]
    settings: Settings
    """How each is run; its seed is not looked at."""

    games: int = 1
    is_swapped: bool = False
    """Whether players change roles from match to match."""

    seed: int | None = None
    """Of the first match; any, where none is named."""

    is_scrambled: bool = False

    def plans(self, game: Game) -> Iterator[MatchPlan]:
        """The matches in their order; UnknownRole where players are too many or too few."""
        roles = tuple(role for role in game.roles if role != RANDOM)
        players = one_each(self.players, roles, game)
        names = labels_of(players)
        for number in range(self.games):
            turn = number % len(players) if self.is_swapped else 0
            order = [*range(turn, len(players)), *range(turn)]
            labels = {role: names[which] for role, which in zip(roles, order, strict=True)}
            chosen = {role: players[which] for role, which in zip(roles, order, strict=True)}
            settings = replace(self.settings, seed=match_seed(self.seed, number))
            yield self._named(MatchPlan(game, chosen, labels, settings, number=number))

    def _named(self, plan: MatchPlan) -> MatchPlan:
        plan = scrambled(plan) if self.is_scrambled else plan
        settings = plan.settings
        return replace(plan, settings=replace(settings, match=match_name(plan.game, settings)))


def match_seed(named: int | None, number: int) -> int:
    """The seed of each match: that of one, which its record tells, does not tell that of another by counting on."""
    if named is None:
        return drawn_seed()
    return random.Random(f"{named}/match/{number}").getrandbits(SEED_BITS) if number else named


def one_each(players: Sequence[str], roles: Sequence[str], game: Game) -> list[str]:
    """A player for each role: the one for all of them, or those named in role order."""
    if len(players) == 1:
        return [*players] * len(roles)
    if len(players) != len(roles):
        raise UnknownRole(
            f"{len(players)} players for the {len(roles)} roles of {game.name}: {', '.join(roles)}; "
            "name one for each, or one for all"
        )
    return list(players)


def labels_of(players: Sequence[str]) -> list[str]:
    """The players' names, with numbers where a name is there more than once."""
    return [
        f"{player} ({players[: number + 1].count(player)})" if players.count(player) > 1 else player
        for number, player in enumerate(players)
    ]


def scrambled(plan: MatchPlan) -> MatchPlan:
    """The same match in other words; on the screen it has its own."""
    game, settings = plan.game, plan.settings
    scrambling = Scrambling.of_match(game.sheet, settings.seed)
    other = build(scrambling.scramble(game.sheet), SCRAMBLED)
    roles = dict(zip(game.roles, other.roles, strict=True))
    return replace(
        plan,
        game=other,
        players={roles[role]: player for role, player in plan.players.items()},
        labels={roles[role]: label for role, label in plan.labels.items()},
        settings=replace(settings, names=scrambling.names, game=game.name),
        board=game,
    )


def resumed_plan(record: Record, players: Sequence[str] = (), *, stops_at_error: bool = False) -> MatchPlan:
    """A match that goes on from its record, with its players or with others."""
    past, started = record.past(), record.started
    game = game_of(started, name=SCRAMBLED if started.names else started.game)
    chosen = dict(started.players)
    if players:
        chosen = dict(zip(chosen, one_each(players, tuple(chosen), game), strict=True))
    settings = replace(settings_of(started, PING_SECONDS), stops_at_error=stops_at_error)
    return MatchPlan(game, chosen, chosen, settings, past=past)


def record_path(path: Path | None, plan: MatchPlan, games: int) -> Path | None:
    """The file for the record of a match: the one named, or one of its own in a folder where there are several."""
    if path is None or (games == 1 and not path.is_dir()):
        return path
    if path.exists() and not path.is_dir():
        raise RecordError(f"{str(path)!r} is a file; {games} records need a folder")
    path.mkdir(parents=True, exist_ok=True)
    return path / f"{plan.settings.match}.jsonl"
