"""What a piece is, from the rules: facts of one functor of which each *place* has at most one, by a proven invariant.

The arguments that such facts share are the place, the others what stands there: of cell(a,1,white,king) the place is
a,1 and the *kind* of the piece white,king. Where exactly one fact holds of each place, one kind is no piece but says
that the place is empty: the only one that names no role, or else the commonest in random games.

Besides, a state says whose turn it is, and has clocks (`clocks.py`). What is left, such as rights to castle, is as it
is at the end of most random games; a position of the endgame has just that. Which kinds are always there, and how
many, is what random games show. All this only chooses positions: what is told of them does not depend on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from gamemaster.errors import Unsuitable
from gamemaster.language.terms import Compound, Term
from gamemaster.machine.compiled import CompiledGame
from gamemaster.network.invariants import Invariant
from gamemaster.solving.endgame.clocks import Clock, below, find_clocks

__all__ = ["Kind", "PieceBoard", "find_board"]

FEWEST_PLACES = 4
STEPS = 400
"""Steps of random games, in all lanes, that show which kinds are always there."""

Kind = tuple[str, ...]


@dataclass(frozen=True)
class PieceBoard:
    """Where pieces stand, and what else a state says; facts are their numbers."""

    functor: str
    arguments: int
    varying: tuple[int, ...]
    """Which arguments say what stands there, counted from 1."""

    places: tuple[Kind, ...]
    kinds: tuple[Kind, ...]
    facts: dict[int, tuple[int, int]]
    """For each fact that is a piece its kind and its place."""

    blanks: dict[int, int]
    """For each fact that is an empty place that place."""

    turns: tuple[int, ...]
    clocks: tuple[Clock, ...]
    held: tuple[int, ...]
    """The other facts that every position has."""

    always: dict[int, int]
    """For kinds that are always there how many of them are."""

    @property
    def room(self) -> int:
        """In how many steps a game is not over because of a clock that stands at its beginning."""
        return min((clock.room[clock.first] for clock in self.clocks), default=1 << 30)

    def name_of(self, kind: int) -> str:
        """A kind of piece in words."""
        return " ".join(self.kinds[kind])

    def __str__(self) -> str:
        names = ["_"] * self.arguments
        for i, place in enumerate(self.varying):
            names[place - 1] = "RPQS"[i % 4] if len(self.varying) > 1 else "P"
        return f"{self.functor}({','.join(names)})"

    def to_json(self) -> dict[str, Any]:
        """The board as plain data."""
        return {
            **asdict(self),
            "facts": [[fact, *where] for fact, where in self.facts.items()],
            "blanks": list(self.blanks.items()),
            "clocks": [clock.to_json() for clock in self.clocks],
            "always": list(self.always.items()),
        }

    @classmethod
    def from_json(cls, told: dict[str, Any], facts: int) -> PieceBoard:
        """The board that `to_json` told, of a game with so many facts; ValueError and the like for what is none."""
        places, kinds = tuple(map(tuple, told["places"])), tuple(map(tuple, told["kinds"]))
        return cls(
            str(told["functor"]),
            int(told["arguments"]),
            tuple(told["varying"]),
            places,
            kinds,
            {
                below(fact, facts): (below(kind, len(kinds)), below(place, len(places)))
                for fact, kind, place in told["facts"]
            },
            {below(fact, facts): below(place, len(places)) for fact, place in told["blanks"]},
            tuple(below(fact, facts) for fact in told["turns"]),
            tuple(Clock.from_json(each, facts) for each in told["clocks"]),
            tuple(below(fact, facts) for fact in told["held"]),
            {below(kind, len(kinds)): int(count) for kind, count in told["always"]},
        )


def find_board(game: CompiledGame) -> PieceBoard:
    """The board of a game; Unsuitable where it has none with pieces."""
    circuit = game.circuit
    assert circuit is not None
    if circuit.steps is not None:
        raise Unsuitable(
            f"endgame: numbers in {game.name} are bounded by how many steps were made, so none of its positions is "
            "one at any time"
        )
    functor, varying, own = _relation(game)
    classes = _classes(game.layout.facts, own, varying)
    late = _late(game)
    blanks = _blanks(game, classes, late)
    kinds = sorted({kind for kind, _ in classes.values()} - {kind for kind, _ in blanks.values()})
    places = sorted({place for _, place in classes.values()})
    number, spot = {kind: i for i, kind in enumerate(kinds)}, {place: i for i, place in enumerate(places)}
    facts = {
        fact: (number[kind], spot[place]) for fact, (kind, place) in classes.items() if fact not in blanks
    }
    if not kinds:
        raise _without_board(game)
    turns = _turns(game, set(own))
    single = [group for group in game.invariants if _is_apart(group, {*own, *turns})]
    clocks = find_clocks(circuit, single)
    taken = {*own, *turns, *(fact for clock in clocks for fact in clock.facts)}
    return PieceBoard(
        functor,
        len(varying) + len(places[0]),
        varying,
        tuple(places),
        tuple(kinds),
        facts,
        {fact: spot[place] for fact, (_, place) in blanks.items()},
        turns,
        tuple(clocks),
        tuple(i for i in range(len(game.layout.facts)) if i not in taken and late[i] > 1_000),
        _always(game, facts, len(kinds)),
    )


def _without_board(game: CompiledGame) -> Unsuitable:
    return Unsuitable(
        f"endgame: nothing in {game.name} is like a board with pieces: places of which each is proven to have at most "
        "one of several facts with the same name"
    )


def _is_apart(group: Invariant, taken: set[int]) -> bool:
    return group.kind == "one" and len(group.facts) > 1 and not taken.intersection(group.facts)


# The relation


def _relation(game: CompiledGame) -> tuple[str, tuple[int, ...], list[int]]:
    """The functor of pieces, the arguments that say what stands there, and the facts: of all there are the most."""
    by_functor: dict[tuple[str, int], list[int]] = {}
    for number, fact in enumerate(game.layout.facts):
        if isinstance(fact, Compound) and len(fact) > 2:
            by_functor.setdefault((str(fact[0]), len(fact)), []).append(number)
    for (functor, size), own in sorted(by_functor.items(), key=lambda item: -len(item[1])):
        for varying in _choices(size):
            classes = _classes(game.layout.facts, own, varying)
            places = Counter(place for _, place in classes.values())
            if len(places) >= FEWEST_PLACES and max(places.values()) > 1 and _is_proven(game, classes):
                return functor, varying, own
    raise _without_board(game)


def _choices(size: int) -> Iterator[tuple[int, ...]]:
    """Which arguments may say what stands somewhere: two of them or one, the last ones first."""
    places = range(1, size)
    for count in (2, 1):
        if count < size - 1:
            yield from sorted(combinations(places, count), reverse=True)


def _classes(
    facts: Sequence[Term], own: Sequence[int], varying: Sequence[int]
) -> dict[int, tuple[Kind, Kind]]:
    """For each fact its kind and its place."""
    found = {}
    for number in own:
        fact = facts[number]
        assert isinstance(fact, Compound)
        kind = tuple(str(fact[i]) for i in varying)
        found[number] = kind, tuple(str(fact[i]) for i in range(1, len(fact)) if i not in varying)
    return found


def _by_place(classes: dict[int, tuple[Kind, Kind]]) -> dict[Kind, list[int]]:
    """The facts of each place."""
    groups: dict[Kind, list[int]] = {}
    for number, (_, place) in classes.items():
        groups.setdefault(place, []).append(number)
    return groups


def _is_proven(game: CompiledGame, classes: dict[int, tuple[Kind, Kind]]) -> bool:
    """Whether each place has at most one of its facts."""
    of_fact: dict[int, list[frozenset[int]]] = {}
    for invariant in game.invariants:
        for number in invariant.facts:
            of_fact.setdefault(number, []).append(frozenset(invariant.facts))
    return all(
        len(own) == 1 or any(known.issuperset(own) for known in of_fact.get(own[0], ()))
        for own in _by_place(classes).values()
    )


def _blanks(
    game: CompiledGame, classes: dict[int, tuple[Kind, Kind]], late: Sequence[int]
) -> dict[int, tuple[Kind, Kind]]:
    """The facts that say that a place is empty, where all places are proven to have a fact always."""
    full = {frozenset(group.facts) for group in game.invariants if group.kind == "one"}
    if not full.issuperset(map(frozenset, _by_place(classes).values())):
        return {}
    counts: Counter[Kind] = Counter()
    for number, (kind, _) in classes.items():
        counts[kind] += late[number]
    ownerless = [kind for kind in counts if not set(game.roles).intersection(kind)]
    blank = ownerless[0] if len(ownerless) == 1 else counts.most_common(1)[0][0]
    return {number: each for number, each in classes.items() if each[0] == blank}


# What else there is


def _turns(game: CompiledGame, own: set[int]) -> tuple[int, ...]:
    """The facts of which one holds always, one for each role and with its name; none where there are none."""
    roles = set(game.roles)
    for group in game.invariants:
        named = [
            {str(part) for part in term[1:]} & roles for term in group.terms if isinstance(term, Compound)
        ]
        is_turn = len(named) == len(group.facts) == len(roles) and all(len(each) == 1 for each in named)
        if (
            group.kind == "one"
            and is_turn
            and len(set.union(*named)) == len(roles)
            and not own & set(group.facts)
        ):
            return group.facts
    return ()


def _always(game: CompiledGame, pieces: dict[int, tuple[int, int]], kinds: int) -> dict[int, int]:
    """The kinds of which there are always equally many in random games."""
    of_kind = np.zeros((kinds, len(game.layout.facts)), np.float32)  # which numpy multiplies quickly
    for fact, (kind, _) in pieces.items():
        of_kind[kind, fact] = 1
    low, high = np.full(kinds, np.inf, np.float32), np.zeros(kinds, np.float32)
    for states in game.lanes.states_in_play(STEPS, seed=2):
        counts = of_kind @ states.astype(np.float32)
        low, high = np.minimum(low, counts.min(axis=1)), np.maximum(high, counts.max(axis=1))
    return {kind: int(low[kind]) for kind in range(kinds) if low[kind] == high[kind] > 0}


def _late(game: CompiledGame) -> list[int]:
    """In how many of some states late in random games each fact holds, of 2,000."""
    held, seen = np.zeros(len(game.layout.facts)), 0
    for step, states in enumerate(game.lanes.states_in_play(STEPS, seed=3)):
        if step >= STEPS // 2:
            held += states.sum(axis=1)
            seen += states.shape[1]
    return [int(each) for each in held * 2_000 / seen]
