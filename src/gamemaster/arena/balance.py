"""Game -> how fair it is: what each role gets at random and among strong players, who wins, how long it takes.

Strong players change roles from match to match: no role has the better player, so what it gets is its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from gamemaster.arena.checking import Found
from gamemaster.arena.competition import Competition, Entrant
from gamemaster.arena.holding import Venue, checked, hold
from gamemaster.arena.outcomes import MatchOutcome
from gamemaster.arena.running import Progress
from gamemaster.machine.arguments import whole_number
from gamemaster.machine.game import RANDOM, Game, PlayoutStats
from gamemaster.machine.statistics import BEST_GOAL, Interval, mean_interval, stats_of
from gamemaster.machine.stepwise import beginner_of
from gamemaster.match.schedule import labels_of, one_each
from gamemaster.match.transports.finding import is_address
from gamemaster.metagame.random_play import RandomPlay
from gamemaster.players.catalogue import takers_of
from gamemaster.players.loading import check_player

__all__ = ["Balance", "StrongOrder", "StrongPlay", "play_strongly", "strong_order", "strong_play"]

USUAL = "mcts"
START_CLOCK = 2.0
MOST_MATCHES = 100_000
ENDED = "completed"


@dataclass(frozen=True)
class StrongOrder:
    """Matches to be played: a player for each role, all of them in every role as often."""

    game: Game
    competition: Competition
    needs: Found

    @property
    def matches(self) -> int:
        """How many there are."""
        return self.competition.matches * len(self.competition.entrants)


@dataclass(frozen=True)
class StrongPlay:
    """What matches of strong players showed: of roles, and of players, who had every role as often.

    `errors` is how often somebody made no legal move in time, `unplayed` how many matches could not be played.
    """

    players: tuple[str, ...]
    seconds_a_move: float
    stats: PlayoutStats
    by_player: dict[str, Interval]
    errors: int = 0
    unplayed: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The findings as plain data, ready for JSON."""
        told = self.stats.to_dict()
        return {
            "players": list(self.players),
            "seconds_a_move": self.seconds_a_move,
            "matches": told.pop("playouts"),
            **told,
            "by_player": {name: each._asdict() for name, each in self.by_player.items()},
            "errors": self.errors,
            "unplayed": self.unplayed,
        }


@dataclass(frozen=True)
class Balance:
    """How fair a game is, at random and among strong players, where some have played."""

    game: str
    kind: str
    machine: str
    random: RandomPlay
    strong: StrongPlay | None = None

    @classmethod
    def of(cls, game: Game, random: RandomPlay, strong: StrongPlay | None = None) -> Balance:
        """What was found out of a game."""
        return cls(game.name, str(game.kind), game.machine.name, random, strong)

    def to_dict(self) -> dict[str, Any]:
        """The findings as plain data, ready for JSON."""
        told = {"game": self.game, "kind": self.kind, "machine": self.machine}
        return told | {"random": self.random.to_dict(), "strong": self.strong and self.strong.to_dict()}


def strong_order(
    game: Game,
    players: Sequence[str],
    matches: int,
    seconds_a_move: float,
    seed: int = 0,
    *,
    is_separate: bool = True,
) -> StrongOrder:
    """Matches of players named in role order, or of one for all; of a usual one where none is named.

    There are so many matches or a few more: every player has every role as often. Where they are separate, each has a
    process, and its clock runs only while it computes: who is late on a busy machine is not weak.

    CompetitionError where they cannot be played, UnknownRole where players are too many or too few, UnknownPlayer where
    there is none of that name.
    """
    roles = [role for role in game.roles if role != RANDOM]
    if not players:
        takers = takers_of(game)
        players = [USUAL if USUAL in takers else takers[0]]
    for player in players:
        if not is_address(player):
            check_player(player)
    chosen = one_each(players, roles, game)
    matches = whole_number("matches", matches, least=1, most=MOST_MATCHES)
    competition = Competition(
        games=(game.name,),
        entrants=tuple(Entrant(*each) for each in zip(labels_of(chosen), chosen, strict=True)),
        name="balance",
        matches=-(-matches // max(1, len(roles))),
        start_clock=START_CLOCK,
        play_clock=seconds_a_move,
        has_cpu_clocks=is_separate,
        isolation="separate" if is_separate else "none",
        seed=seed,
    )
    return StrongOrder(game, competition, checked(competition, lambda _: game))


def play_strongly(
    order: StrongOrder,
    workers: int | None = None,
    *,
    tell: Callable[[Progress], None] = lambda _: None,
    getting_ready: Callable[[str], AbstractContextManager[None]] | None = None,
) -> StrongPlay:
    """Play the matches, so many at once, one for each core by default, 0: in this process; what they show."""
    progress = hold(
        order.competition, None, Venue(workers), tell=tell, getting_ready=getting_ready, found=order.needs
    )
    return strong_play(order, progress.outcomes)


def strong_play(order: StrongOrder, outcomes: Sequence[MatchOutcome]) -> StrongPlay:
    """What matches show that have been played."""
    game, competition = order.game, order.competition
    counting = [each for each in outcomes if each.counts]
    goals = [[each.goal(seat) for seat in range(len(each.seats))] for each in counting]
    stats = stats_of(
        tuple(role for role in game.roles if role != RANDOM),
        beginner_of(game.initial_state()),
        goals,
        [each.steps for each in counting],
        [each.how != ENDED for each in counting],
        sum(each.seconds for each in counting),
    )
    by_player = {name: Counter[int]() for name in competition.players}
    for each in counting:
        for seat, name in enumerate(each.seats):
            by_player[name][each.goal(seat)] += 1
    return StrongPlay(
        players=tuple(competition.players.values()),
        seconds_a_move=competition.play_clock,
        stats=stats,
        by_player={name: mean_interval(own, 0, BEST_GOAL) for name, own in by_player.items() if own},
        errors=sum(sum(each.errors) for each in counting),
        unplayed=len(outcomes) - len(counting),
    )
