"""A competition and what has been played of it -> all matches that are known by now.

A pairing gives meetings, round after round. In a round robin and a gauntlet all are known at once. A round of a Swiss
system or a knock-out is known when the one before has been played to its end. All of them are functions of what was
played, in the order of the plan: whatever ran first, or twice, or was interrupted, the plan is the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, count, islice, product

from gamemaster.arena.competition import Competition, Pairing
from gamemaster.arena.fixtures import Fixture, Meeting, fixtures_of
from gamemaster.arena.outcomes import MatchOutcome, points

__all__ = ["NEEDS_TWO", "Played", "Roles", "is_known_at_once", "last_word", "plan"]

NEEDS_TWO: tuple[Pairing, ...] = ("swiss", "knock-out")
"""Where two meet: games for two roles only."""

MOST_REPLAYS = 2
"""So often two of a knock-out play again where nobody is ahead; then fewer errors count, then who is named first."""

MOST_LOOKS = 20_000
"""How long to look for pairs that have not met: towards the end of many rounds there may be none."""

Played = Mapping[int, MatchOutcome]
"""Outcomes by the numbers of their fixtures."""

Told = dict[str, str]
"""Where a pairing leaves its last word."""

Roles = Mapping[str, int]
"""How many sit at a meeting, by game."""


def plan(competition: Competition, roles: Roles, played: Played) -> list[Fixture]:
    """The matches that are known by now, played or not; it is complete when all have been played and no more come."""
    return list(fixtures_of(PAIR[competition.pairing](competition, roles, played, {}), competition))


def last_word(competition: Competition, roles: Roles, played: Played) -> str:
    """What the pairing itself says of how it went, in a sentence; nothing where the table says all."""
    told: Told = {}
    for _ in PAIR[competition.pairing](competition, roles, played, told):
        pass
    return told.get("words", "")


def is_known_at_once(competition: Competition) -> bool:
    """Whether the plan does not depend on what has been played."""
    return competition.pairing not in NEEDS_TWO


# Known at once


def _round_robin(competition: Competition, roles: Roles, played: Played, told: Told) -> Iterator[Meeting]:
    del played, told
    return _static(competition, roles, lambda _: True)


def _gauntlet(competition: Competition, roles: Roles, played: Played, told: Told) -> Iterator[Meeting]:
    del played, told
    first = competition.entrants[0].name
    return _static(competition, roles, lambda entrants: first in entrants)


def _static(
    competition: Competition, roles: Roles, is_played: Callable[[Sequence[str]], bool]
) -> Iterator[Meeting]:
    """Every meeting of every game, all of them once before any of them twice: so a part of it is fair as well."""
    names = [each.name for each in competition.entrants]
    for turn in _turns(competition):
        for game in competition.games:
            for entrants in combinations(names, roles[game]):
                if is_played(entrants):
                    yield Meeting(0, game, entrants, turn)


def _turns(competition: Competition) -> Iterator[int]:
    """How often a meeting is played; a test says that itself."""
    turns: Iterator[int] = count()
    if competition.test is None:
        return islice(turns, competition.matches)
    return islice(turns, -(-competition.test.most // len(competition.games)))


# Known round by round


def _swiss(competition: Competition, roles: Roles, played: Played, told: Told) -> Iterator[Meeting]:
    """Those with like scores meet, as far as they have not met; with an odd number one of the last has a point free."""
    del roles
    names = [each.name for each in competition.entrants]
    scores, met, free = dict.fromkeys(names, 0.0), set[frozenset[str]](), Counter[str]()
    done = 0
    for number in range(competition.rounds):
        order = sorted(names, key=lambda name: (-scores[name], names.index(name)))
        if len(order) % 2:
            bye = min(reversed(order), key=lambda name: free[name])
            free[bye] += 1
            order.remove(bye)
            scores[bye] += 1
        pairs = _apart(order, met) or list(zip(order[::2], order[1::2], strict=True))
        meetings = list(_meetings(competition, number, pairs))
        yield from meetings
        results = _results(meetings, done, played)
        if results is None:
            return
        done += 2 * len(meetings)
        met |= {frozenset(pair) for pair in pairs}
        for (first, second), (own, _) in zip(pairs, results.values(), strict=True):
            share = points(own[0], own[1])
            scores[first] += share
            scores[second] += 1 - share
        best = sorted(names, key=lambda name: (-scores[name], names.index(name)))
        told["words"] = "points: " + ", ".join(f"{name} {scores[name]:g}" for name in best)


def _apart(order: Sequence[str], met: set[frozenset[str]]) -> list[tuple[str, str]] | None:
    """Pairs of neighbours that have not met yet, as near to the order as can be; None where none are found."""
    looks = iter(range(MOST_LOOKS))

    def pairs_of(left: Sequence[str]) -> list[tuple[str, str]] | None:
        if not left:
            return []
        first, *rest = left
        for other in rest:
            if frozenset((first, other)) not in met and next(looks, None) is not None:
                others = pairs_of([name for name in rest if name != other])
                if others is not None:
                    return [(first, other), *others]
        return None

    return pairs_of(order)


def _knock_out(competition: Competition, roles: Roles, played: Played, told: Told) -> Iterator[Meeting]:
    """Who loses is out; the first named meet the last named first. Nobody is against those who have no opponent."""
    del roles
    alive: list[str | None] = [each.name for each in competition.entrants]
    alive += [None] * ((1 << (len(alive) - 1).bit_length()) - len(alive))
    done, number = 0, 0
    while len(alive) > 1:
        half = len(alive) // 2
        bracket = list(zip(alive[:half], reversed(alive[half:]), strict=True))
        pairs = [(first, second) for first, second in bracket if first is not None and second is not None]
        winners: dict[tuple[str, str], str] = {}
        for replay in range(MOST_REPLAYS + 1):
            open_pairs = [pair for pair in pairs if pair not in winners]
            meetings = list(_meetings(competition, number, open_pairs))
            yield from meetings
            results = _results(meetings, done, played)
            if results is None:
                return
            done, number = done + 2 * len(meetings), number + bool(meetings)
            is_last = replay == MOST_REPLAYS
            winners |= {
                pair: winner
                for pair, (own, errors) in results.items()
                if (winner := _winner(pair, own, errors, is_last=is_last)) is not None
            }
        alive = [winners[first, second] if second else first for first, second in bracket if first]
    told["words"] = f"{alive[0]} wins the knock-out"


def _winner(
    pair: tuple[str, str], own: Sequence[float], errors: Sequence[int], *, is_last: bool
) -> str | None:
    """Who goes on; None where they shall play again."""
    if own[0] != own[1]:
        return pair[0] if own[0] > own[1] else pair[1]
    return None if not is_last else pair[0] if errors[0] <= errors[1] else pair[1]


def _meetings(competition: Competition, number: int, pairs: Sequence[tuple[str, str]]) -> Iterator[Meeting]:
    """The meetings of a round: pairs in the outer loop, so that those of a pair follow each other."""
    for pair, game, turn in product(pairs, competition.games, range(competition.matches)):
        yield Meeting(number, game, pair, turn)


def _results(
    meetings: Sequence[Meeting], first: int, played: Played
) -> dict[tuple[str, str], tuple[list[float], list[int]]] | None:
    """Points and errors of each pair, in their order; None where a match has not been played."""
    results: dict[tuple[str, str], tuple[list[float], list[int]]] = {}
    for number, meeting in enumerate(meetings):
        one, other = meeting.entrants
        own, errors = results.setdefault((one, other), ([0.0, 0.0], [0, 0]))
        for match in (first + 2 * number, first + 2 * number + 1):
            if match not in played:
                return None
            outcome = played[match]
            seats = [outcome.seats.index(one), outcome.seats.index(other)]
            if outcome.counts:
                share = points(outcome.goal(seats[0]), outcome.goal(seats[1]))
                own[0] += share
                own[1] += 1 - share
            for place, seat in enumerate(seats):
                errors[place] += outcome.errors[seat]
    return results


PAIR: Mapping[Pairing, Callable[[Competition, Roles, Played, Told], Iterator[Meeting]]] = {
    "round robin": _round_robin,
    "gauntlet": _gauntlet,
    "swiss": _swiss,
    "knock-out": _knock_out,
}
