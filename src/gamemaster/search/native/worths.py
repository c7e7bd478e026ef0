"""Judgement -> what it holds facts to be worth, and pairs of facts: how the network would judge without them.

    worth(f)    = the mean of share(s) - share(s without f)                       over states s in which f holds
    pair(f, g)  = the mean of how much more s loses without both than without f and without g, added up

Without a fact means with what else can stand in its place: `cell(3,4,b)` for `cell(3,4,white)`. A place is where
exactly one of some facts held in every state that was looked at; what stands there in most is what the others are
compared with, and has itself no worth. A fact without a place is left out. States are those of games that judgement
plays against itself.

What pairs are worth is taken from the score, which has no limits, and is told as what that changes of the share:
else any two facts of a state that is won anyway would seem to hinder each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import numpy.typing as npt

from gamemaster.codegen.vector import WORD
from gamemaster.language.rules import relation_of
from gamemaster.language.terms import Compound, Term
from gamemaster.machine.game import State
from gamemaster.search.native.engine import Engine
from gamemaster.search.native.judgement import Judgement
from gamemaster.search.native.kernels.judgement import LEAK, Net
from gamemaster.search.native.kernels.records import Floats, Ints, Singles, Words
from gamemaster.search.native.self_play import play_to_see

__all__ = ["PairWorth", "Worth", "Worths", "instead_of", "look_into", "worths_in"]

GAMES, STATES, SEED = 400, 3_000, 20
"""So many games are played to see which states occur, and so many of their states are looked at."""

LEAST_SHARE, FEWEST_STATES = 0.002, 5
"""A fact that held in fewer states has no worth: nobody has seen what it does."""

PAIRED_STATES, PAIRED_FACTS, PAIRS = 1_000, 200, 10
LEAST_TOGETHER = 0.01
"""Pairs are looked for among so many facts, those that the units make most of, and hold together now and then."""

Held = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Worth:
    """What a fact is worth to the first role."""

    fact: Term
    points: float
    """How much more of 100 it can expect where the fact holds, in the mean."""
    instead: Term | None
    """What it is compared with; None is nothing."""
    share: float
    """In what share of the states it held."""


@dataclass(frozen=True)
class PairWorth:
    """What two facts are worth together, beyond what both are alone, in points as with a Worth."""

    facts: tuple[Term, Term]
    points: float
    share: float


@dataclass(frozen=True)
class Worths:
    """What a judgement holds facts to be worth, and how well it foretells."""

    role: str
    """Whose points they are; the other role loses what it gains."""
    facts: tuple[Worth, ...]
    pairs: tuple[PairWorth, ...]
    """Those that are worth most, for or against the role."""
    states: int
    games: int
    """So many were played to see what occurs; it has not learnt from them."""
    explained: float
    """What share of the differences between their results it foretold."""

    @cached_property
    def of(self) -> dict[Term, Worth]:
        """The worth of each fact that has one."""
        return {each.fact: each for each in self.facts}


def look_into(
    engine: Engine, state: State, judgement: Judgement, *, games: int = GAMES, seed: int = SEED
) -> Worths:
    """What a judgement holds facts to be worth, in states of games from a state on; the same each time."""
    seen = play_to_see(engine, judgement, state, games, seed)
    chosen = np.linspace(0, len(seen.rows) - 1, min(STATES, len(seen.rows))).astype(np.int64)
    facts, pairs = worths_in(engine, judgement, seen.rows[chosen])
    role = engine.game.roles[judgement.net.side]
    return Worths(role, facts, pairs, len(chosen), seen.games, seen.explained)


def worths_in(
    engine: Engine, judgement: Judgement, rows: Words
) -> tuple[tuple[Worth, ...], tuple[PairWorth, ...]]:
    """What facts and pairs of facts are worth, as these states [states, words] are judged."""
    facts = engine.game.layout.facts
    if not len(rows):
        return (), ()
    held = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")[:, : len(facts)].astype(bool)
    inquiry = _Inquiry(facts, judgement.net, held)
    return tuple(inquiry.worths()), tuple(inquiry.pairs())


class _Inquiry:
    """What is asked of a network: F facts, N states."""

    def __init__(self, facts: Sequence[Term], net: Net, held: Held) -> None:
        self.facts, self.net, self.held = facts, net, held
        self.columns = net.columns[: min(len(facts), len(net.masks) * WORD)]
        self.tables = _Tables(net, held)
        self.units: Singles = held.astype(np.float32) @ self.columns + net.start  # [N, UNITS]
        self.units[:, 0] += self.tables.sums()
        self.shares: Floats = held.mean(axis=0)
        self.instead = instead_of(facts, held)  # [F]: -1 for nothing, the fact itself where others have it
        self.without: Singles = -self.columns  # [F, UNITS]: how units change without a fact
        other = np.flatnonzero(self.instead >= 0)
        self.without[other] += self.columns[self.instead[other]]

    def worths(self) -> Iterator[Worth]:
        """What each fact is worth that was seen, and is not what others are compared with."""
        before = _share(_score(self.net, self.units))
        for fact in self.asked():
            states = np.flatnonzero(self.held[:, fact])
            units = self.units[states] + self.without[fact]
            units[:, 0] += self.tables.without(states, self.change(fact))
            after = _share(_score(self.net, units))
            points = 100 * float((before[states] - after).mean())
            instead = self.facts[self.instead[fact]] if self.instead[fact] >= 0 else None
            yield Worth(self.facts[fact], points, instead, float(self.shares[fact]))

    def change(self, *facts: int) -> Ints:
        """By how many entries tuples change without facts."""
        change = np.zeros(len(self.net.first), np.int64)
        for fact in facts:
            change -= self.tables.step(fact)
            if self.instead[fact] >= 0:
                change += self.tables.step(int(self.instead[fact]))
        return change

    def asked(self) -> Ints:
        """The facts that were seen, now there and now not."""
        least = max(LEAST_SHARE, FEWEST_STATES / len(self.held))
        is_seen = (self.shares >= least) & (self.shares < 1.0)
        return np.flatnonzero(is_seen & (self.instead != np.arange(len(self.facts))))

    def pairs(self) -> list[PairWorth]:
        """The pairs that are worth most, in a part of the states."""
        chosen = self.asked()
        bent = np.abs(self.without[chosen, 1:] * self.net.out[1:]).sum(axis=1) * np.sqrt(self.shares[chosen])
        chosen = np.sort(chosen[np.argsort(-bent, kind="stable")[:PAIRED_FACTS]])
        states = np.linspace(0, len(self.held) - 1, min(PAIRED_STATES, len(self.held))).astype(np.int64)
        units, held = self.units[states], self.held[np.ix_(states, chosen)]
        found: list[tuple[float, PairWorth]] = []
        for place, fact in enumerate(chosen[:-1]):
            points, together = self._beyond(units, held, chosen, place, states)
            for other in np.argsort(-np.abs(points), kind="stable")[:PAIRS]:
                both = self.facts[fact], self.facts[chosen[place + 1 + other]]
                if points[other]:
                    found.append((abs(points[other]), PairWorth(both, points[other], together[other])))
        found.sort(key=lambda pair: (-pair[0], str(pair[1].facts)))
        return [pair for _, pair in found[:PAIRS]]

    def _beyond(
        self, units: Singles, held: Held, chosen: Ints, place: int, numbers: Ints
    ) -> tuple[list[float], list[float]]:
        """What a fact and each that follows are worth beyond both alone, 0 where that is not known; how often both
        hold."""
        states, others = np.flatnonzero(held[:, place]), chosen[place + 1 :]
        if not len(states):
            return [0.0] * len(others), [0.0] * len(others)
        whole, first = units[states], units[states] + self.without[chosen[place]]
        without = self.without[others]
        now, lone = _score(self.net, whole), _score(self.net, first)
        second = _score(self.net, whole[:, None, :] + without)
        neither = _score(self.net, first[:, None, :] + without)
        share = _share(now)
        beyond = now[:, None] - lone[:, None] - second + neither
        beyond += self._beyond_in_tables(numbers[states], int(chosen[place]), others)
        beyond *= (share * (1 - share))[:, None]
        both = held[np.ix_(states, np.arange(place + 1, len(chosen)))]
        counts = both.sum(axis=0)
        is_known = counts >= max(FEWEST_STATES, LEAST_TOGETHER * len(held))
        points = np.where(is_known, 100 * (beyond * both).sum(axis=0) / np.maximum(counts, 1), 0.0)
        return [float(each) for each in points], [float(each) for each in counts / len(held)]

    def _beyond_in_tables(self, states: Ints, fact: int, others: Ints) -> Floats:
        """What tuples make of a fact and each other one together, beyond what they make of both: [states, others]."""
        beyond = np.zeros((len(states), len(others)))
        first = self.change(fact)
        for place, other in enumerate(others):
            second = self.change(int(other))
            both = (first != 0) & (second != 0)
            if both.any():
                alone = [self.tables.without(states, np.where(both, change, 0)) for change in (first, second)]
                beyond[:, place] = self.tables.without(states, np.where(both, first + second, 0)) - sum(alone)
        return beyond


class _Tables:
    """What tuples add in N states: T tuples, F facts."""

    def __init__(self, net: Net, held: Held) -> None:
        self.net = net
        used = np.flatnonzero(np.diff(net.part_start))  # the facts that are part of any
        self.row_of = {int(fact): row for row, fact in enumerate(used)}
        self.steps = np.zeros((len(used), len(net.first)), np.int64)  # [used facts, T]
        for row, fact in enumerate(used):
            parts = slice(net.part_start[fact], net.part_start[fact + 1])
            self.steps[row, net.part_tuple[parts]] = net.part_step[parts]
        self.entries = (held[:, used].astype(np.float64) @ self.steps).astype(np.int64)  # [N, T]

    def step(self, fact: int) -> Ints:
        """By how many entries tuples are further where a fact holds."""
        row = self.row_of.get(fact)
        return np.zeros(self.steps.shape[1], np.int64) if row is None else self.steps[row]

    def sums(self) -> Floats:
        """What all tuples add in each state."""
        return np.asarray(self._of(self.entries, np.arange(len(self.net.first))).sum(axis=1), np.float64)

    def without(self, states: Ints, change: Ints) -> Floats:
        """How that changes in some states where tuples are by so many entries further."""
        chosen = np.flatnonzero(change)
        entries = self.entries[np.ix_(states, chosen)]
        changed = self._of(entries + change[chosen], chosen) - self._of(entries, chosen)
        return np.asarray(changed.sum(axis=1), np.float64)

    def _of(self, entries: Ints, tuples: Ints) -> Floats:
        """What stands in tables."""
        places = self.net.first[tuples] + (entries & self.net.sizes[tuples])
        found: Floats = self.net.tables[places].astype(np.float64)
        return found


def _score(net: Net, units: Singles) -> Floats:
    """The scores of units [..., UNITS], in logits."""
    bent = np.maximum(units, LEAK * units)
    bent[..., 0] = units[..., 0]
    weights = net.out.copy()
    weights[0] = 1.0
    scores: Floats = (bent @ weights).astype(np.float64)
    return scores


def _share(scores: Floats) -> Floats:
    return 1.0 / (1.0 + np.exp(-np.clip(scores, -50, 50)))


# Places


def instead_of(facts: Sequence[Term], held: Held) -> Ints:
    """What each fact is compared with: another of its place, -1 for nothing; itself where the others are with it."""
    found = np.full(len(facts), -1, np.int64)
    counts = held.sum(axis=0)
    by_relation: dict[tuple[str, int], list[int]] = {}
    for number, fact in enumerate(facts):
        by_relation.setdefault(relation_of(fact), []).append(number)
    for (_, arity), members in by_relation.items():
        if arity:
            _fill_in(found, _places(facts, members, arity, held), counts)
    return found


def _fill_in(found: Ints, places: Sequence[dict[Term, int]], counts: Ints) -> None:
    """Compare the facts of places, each by what it says there, with what most places say most often."""
    said: dict[Term, int] = {}
    for place in places:
        for content, fact in place.items():
            said[content] = said.get(content, 0) + int(counts[fact])
    for place in places:
        usual = max(place, key=lambda content: (said[content], counts[place[content]], str(content)))
        for fact in place.values():
            found[fact] = place[usual]


def _places(facts: Sequence[Term], members: Sequence[int], arity: int, held: Held) -> list[dict[Term, int]]:
    """The places of a relation: facts that differ in some arguments only, of which exactly one held in every state.

    The arguments, one or two, are those for which that is so of most facts; the last ones where several are as good.
    """
    best: list[dict[Term, int]] = []
    for size in (1, 2):
        for chosen in sorted(combinations(range(1, arity + 1), size), reverse=True):
            groups: dict[tuple[Term, ...], dict[Term, int]] = {}
            for number in members:
                fact = facts[number]
                assert isinstance(fact, Compound)
                rest = tuple(part for at, part in enumerate(fact) if at not in chosen)
                groups.setdefault(rest, {})[Compound(("", *(fact[at] for at in chosen)))] = number
            places = [
                group
                for group in groups.values()
                if len(group) > 1 and bool((held[:, list(group.values())].sum(axis=1) == 1).all())
            ]
            if sum(map(len, places)) > sum(map(len, best)):
                best = places
        if best:
            break
    return best
