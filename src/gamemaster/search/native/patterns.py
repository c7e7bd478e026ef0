"""Rules -> patterns: sets of facts that together give a role the most it can get, such as four discs in a line.

They are read off the ground rules of the best goal of each role, by putting in place of a condition the conditions that
it rests on, until only facts of the state are left. Where that comes to a recursion, to a count or to too much, there
are none. What is left out of a state (conditions that must not hold) is left out here, too: patterns say which moves to
look at first, and prove nothing.

Also how many ground rules have a fact as a condition: the cell in the middle of a board is part of more lines.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gamemaster.errors import GamemasterError
from gamemaster.ground.clingo_grounder import GroundLimits, ground
from gamemaster.ground.program import Program
from gamemaster.language.lower import lower
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.mistakes import reward_of
from gamemaster.search.native.kernels.records import Ints, Words

__all__ = ["Patterns", "facts_in_the_way", "patterns_of", "uses_of_facts", "winning_sets"]

MOST_SETS = 2_000
"""So many patterns of a role, or of a condition on the way to them; a game with more has none."""

MOST_FACTS = 16
"""A pattern of more facts says little about a single move."""

MOST_BLOCKING = 2_000
"""Facts of a game up to which it is asked which of them are in the way of each other."""

FactSet = frozenset[int]


@dataclass(frozen=True)
class Patterns:
    """The patterns of a game: N of them, F facts, W words of a state."""

    masks: Words  # uint64[N, W]: the facts of each
    starts: Ints  # int64[F + 1]: where in `members` those of a fact begin
    members: Ints  # int64[...]: patterns that have a fact
    in_the_way: Words  # uint64[F, W]: facts that never go away, and with which a fact never holds

    def __len__(self) -> int:
        return len(self.masks)


def patterns_of(game: CompiledGame) -> Patterns:
    """The patterns of all roles of a game; none where its rules are too large, or win in other ways."""
    program = _program(game)
    sets = [] if program is None else winning_sets(game, program)
    facts, words = len(game.layout.facts), (len(game.layout.facts) + 63) // 64
    by_fact = [[i for i, own in enumerate(sets) if fact in own] for fact in range(facts)]
    in_the_way = [()] * facts if program is None or not sets else facts_in_the_way(game, program)
    return Patterns(
        _masks(sets, words),
        np.cumsum([0, *map(len, by_fact)], dtype=np.int64),
        np.array([i for own in by_fact for i in own], np.int64),
        _masks(in_the_way, words),
    )


def _masks(sets: Sequence[FactSet | tuple[int, ...]], words: int) -> Words:
    """Sets of facts as rows of bits."""
    masks = np.zeros((len(sets), words), np.uint64)
    for row, own in zip(masks, sets, strict=True):
        for fact in own:
            row[fact >> 6] |= np.uint64(1 << (fact & 63))
    return masks


def _program(game: CompiledGame) -> Program | None:
    """The ground rules of a game; None where there are too many."""
    try:
        return ground(lower(game.sheet, in_order=False), GroundLimits(5.0, 1_000, 300_000, patience=1))
    except GamemasterError:
        return None


def _numbers(game: CompiledGame, program: Program, relation: str) -> dict[int, int]:
    """The atoms of a relation on facts (true, next), with the number of the fact."""
    number = {str(fact): i for i, fact in enumerate(game.layout.facts)}
    named = program.named.get(relation, {}).items()
    return {atom: number[str(args[0])] for args, atom in named if str(args[0]) in number}


def winning_sets(game: CompiledGame, program: Program) -> list[FactSet]:
    """The patterns of all roles: two facts or more each, none contained in another of the same role."""
    unfolding = _Unfolding(program, _numbers(game, program, "true"))
    found: dict[FactSet, None] = {}
    for role in game.roles:
        goals = {
            reward: atom
            for args, atom in program.named.get("goal", {}).items()
            if str(args[0]) == role and (reward := reward_of(args[1])) is not None
        }
        if goals:
            found.update(dict.fromkeys(_least(unfolding.sets(goals[max(goals)]) or [])))
    return [own for own in found if 1 < len(own) <= MOST_FACTS]


def _least(sets: Sequence[FactSet]) -> list[FactSet]:
    """Those sets that contain no other, the smallest first."""
    kept: list[FactSet] = []
    for own in sorted(set(sets), key=lambda own: (len(own), sorted(own))):
        if not any(other <= own for other in kept):
            kept.append(own)
    return kept


class _Unfolding:
    """Sets of facts that make an atom hold, found rule by rule; None where that cannot be said."""

    def __init__(self, program: Program, fact_of_atom: dict[int, int]) -> None:
        self.fact_of_atom = fact_of_atom
        self.bodies: defaultdict[int, list[list[int]]] = defaultdict(list)
        for head, body in program.rules():
            self.bodies[head].append(body)
        self.always = program.facts
        self.known: dict[int, list[FactSet] | None] = dict.fromkeys(
            [*program.choices, *(each.head for each in program.thresholds)], None
        )

    def sets(self, atom: int) -> list[FactSet] | None:
        """What makes an atom hold."""
        if atom in self.fact_of_atom:
            return [frozenset([self.fact_of_atom[atom]])]
        if atom in self.always:
            return [frozenset()]
        if atom not in self.known:
            self.known[atom] = None  # where it comes back to itself, nothing can be said
            self.known[atom] = self._any_body(atom)
        return self.known[atom]

    def _any_body(self, atom: int) -> list[FactSet] | None:
        found: dict[FactSet, None] = {}
        for body in self.bodies[atom]:
            sets = self._whole_body(body)
            if sets is None or len(found) + len(sets) > MOST_SETS:
                return None
            found.update(dict.fromkeys(sets))
        return list(found)

    def _whole_body(self, body: list[int]) -> list[FactSet] | None:
        """What makes all conditions hold, but for those that must not."""
        whole: list[FactSet] = [frozenset()]
        for literal in body:
            if literal > 0:
                sets = self.sets(literal)
                if sets is None or len(whole) * len(sets) > MOST_SETS:
                    return None
                whole = [one | other for one in whole for other in sets]
        return whole


def facts_in_the_way(game: CompiledGame, program: Program) -> list[tuple[int, ...]]:
    """For each fact those that stay once they hold, and never hold together with it (by the game's invariants)."""
    facts = len(game.layout.facts)
    found: list[set[int]] = [set() for _ in range(facts)]
    if facts <= MOST_BLOCKING:
        lasting = _lasting(game, program)
        for invariant in game.invariants:
            for fact in invariant.facts:
                found[fact].update(lasting.intersection(invariant.facts) - {fact})
    return [tuple(sorted(own)) for own in found]


def _lasting(game: CompiledGame, program: Program) -> set[int]:
    """The facts that stay by a rule that asks for nothing else, but that something fails which never holds."""
    now, then = _numbers(game, program, "true"), _numbers(game, program, "next")
    can_hold = {*program.heads, *program.facts, *program.choices, *(each.head for each in program.thresholds)}
    found = set()
    for head, body in program.rules():
        asked = [literal for literal in body if abs(literal) in can_hold]
        if head in then and len(asked) == 1 and now.get(asked[0]) == then[head]:
            found.add(then[head])
    return found


def uses_of_facts(game: CompiledGame) -> Ints:
    """In how many ground rules each fact is a condition beside others, int64[facts]; 0 where there are too many."""
    uses = np.zeros(len(game.layout.facts), np.int64)
    program = _program(game)
    if program is None:
        return uses
    counted: Counter[int] = Counter()
    for _, body in program.rules():
        if len(body) > 1:
            counted.update(literal for literal in set(body) if literal > 0)
    for atom, fact in _numbers(game, program, "true").items():
        uses[fact] = counted[atom]
    return uses
