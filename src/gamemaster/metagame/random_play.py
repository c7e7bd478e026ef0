"""Game -> what random play says of its balance: goals, lengths, ways on, and what never happened.

That a move was never made and a fact never true is an observation in so many games, no proof. What could be made and be
true at all is known of the compiled machine only, which has a list of both.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gamemaster.errors import Unsuitable
from gamemaster.machine.arguments import whole_number
from gamemaster.machine.game import Game, PlayoutStats
from gamemaster.machine.statistics import Interval, players_of, stats_of
from gamemaster.machine.stepwise import beginner_of
from gamemaster.metagame.random_games import Bar, RandomGames, branching, random_games, ways_by_step

__all__ = ["MOST_PLAYOUTS", "RandomPlay", "play_at_random"]

MOST_PLAYOUTS = 1_000_000
MOST_LOOKED_AT = 100_000
"""Of the random games, so many are looked at step by step."""

LOOKING = 0.6
"""The part of the time that goes to these."""


@dataclass(frozen=True)
class RandomPlay:
    """What random games showed. `looked_at` is how many of them were looked at step by step.

    `moves` and `facts` is how many can occur as far as the rules tell, None where they do not. Moves stand behind their
    role: `x mark(1,1)`.
    """

    stats: PlayoutStats
    looked_at: int
    mean_branching: float
    branching: Interval | None
    ways: tuple[Bar, ...]
    """Ways on by step."""

    moves: int | None
    unmade: tuple[str, ...]
    illegal: tuple[str, ...]
    """Those of the unmade that were never legal either."""

    facts: int | None
    untrue: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The findings as plain data, ready for JSON."""
        return {
            **self.stats.to_dict(),
            "looked_at": self.looked_at,
            "mean_branching": self.mean_branching,
            "branching": self.branching and self.branching._asdict(),
            "ways_by_step": [bar._asdict() for bar in self.ways],
            "moves_known": self.moves,
            "moves_not_made": list(self.unmade),
            "moves_never_legal": list(self.illegal),
            "facts_known": self.facts,
            "facts_never_true": list(self.untrue),
        }


def play_at_random(game: Game, seconds: float, seed: int = 0, most: int = MOST_PLAYOUTS) -> RandomPlay:
    """What so many random games show, or as many as fit in the time; one at least. Unsuitable where nobody plays."""
    if not players_of(game.roles):
        raise Unsuitable(f"nobody plays {game.name}: all its roles are chance")
    most = whole_number("most", most, least=1)
    began = time.perf_counter()
    share = LOOKING if game.compiled else 1.0
    found = random_games(game, min(most, MOST_LOOKED_AT), share * seconds, seed)
    if game.compiled:
        stats = game.playouts(most, (1 - share) * seconds, seed)
    else:  # where each game takes long, others are not played for it
        first = beginner_of(game.initial_state())
        elapsed = time.perf_counter() - began
        stats = stats_of(game.roles, first, found.goals, found.lengths, found.is_cut, elapsed)
    moves, facts = _possible(game)
    unmade = [(role, move) for role, move in moves if move not in found.made[role]]
    return RandomPlay(
        stats=stats,
        looked_at=len(found.lengths),
        mean_branching=sum(found.ways) / max(1, sum(found.lengths)),
        branching=branching(found),
        ways=tuple(ways_by_step(found)),
        moves=len(moves) if game.compiled else None,
        unmade=_moves(unmade),
        illegal=_moves([(role, move) for role, move in unmade if move not in found.legal[role]]),
        facts=len(facts) if game.compiled else None,
        untrue=_untrue(facts, found),
    )


def _possible(game: Game) -> tuple[list[tuple[str, Any]], Sequence[Any]]:
    """The moves, with their roles, and the facts that can occur."""
    if game.compiled is None:
        return [], ()
    layout = game.compiled.layout
    pairs = zip(layout.roles, layout.moves, strict=True)
    return [(role, move) for role, moves in pairs for move in moves], layout.facts


def _moves(moves: Sequence[tuple[str, Any]]) -> tuple[str, ...]:
    return tuple(f"{role} {move}" for role, move in moves)


def _untrue(facts: Sequence[Any], found: RandomGames) -> tuple[str, ...]:
    return tuple(str(fact) for fact in facts if fact not in found.facts)
