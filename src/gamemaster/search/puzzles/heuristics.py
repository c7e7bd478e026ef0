"""Rules -> a lower bound on the moves that a puzzle still needs.

A solution ends in a state in which certain facts hold: those that every derivation of the goal and of `terminal` needs.
Two things follow, and the greater number counts; neither ever overestimates.

Of those facts, one move can make only so many true that were not; with m of them missing and at most k made true by a
move, at least m / k moves are needed.

A missing fact becomes true in a step before which other facts hold, those that every derivation of `next` of it needs:
step(20) after step(19), score(90) after score(81). If such a fact is missing too, it has to come true first, and so on:
chains of facts as long as n need n moves (landmarks: Hoffmann, Porteous and Sebastia 2004).

How many a move can make true is found on the ground rules, for all pairs of a move and a needed fact at once, one bit
of a long number each: the move is made, that fact does not hold, of all others nothing is known. The fact can come to
hold where `next` of it *may* be true then (three-valued reasoning: what may hold, and what must).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from gamemaster.errors import GamemasterError
from gamemaster.ground.clingo_grounder import GroundLimits, ground
from gamemaster.ground.program import Program
from gamemaster.ground.split import split
from gamemaster.language.rules import Rules
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State

__all__ = ["moves_needed", "needed_facts"]

LIMITS = GroundLimits(seconds=5.0, rules=50_000, patience=1)
SHORT = 0.2
"""With fewer seconds left than this, the rules are not grounded: that alone may take as long."""

MOST_BITS = 50_000_000
"""Pairs of a move and a fact that are looked at, times ground rules, at most: about a second."""

MOST_KNOWN = 100_000
"""Numbers of moves that are remembered: many states agree in the facts that matter."""

LONGEST = 300
"""Chains are followed so far: Python's own stack is not endless."""


def moves_needed(
    game: Game, role: str, enough: int, seconds: float = float("inf")
) -> Callable[[State], int] | None:
    """A function that says how many moves a state needs at least; None where the rules do not tell or time is short."""
    if seconds < SHORT:
        return None
    try:
        found = _analysis(_Key(game, seconds / 2), role, enough)
    except (
        GamemasterError,
        RecursionError,
    ):  # rules too large or too deep: the bound is worth having, not needed
        return None
    if not found.needed:
        return None
    holding = _holding(game, frozenset(found.before))
    known: dict[frozenset[Term] | int, int] = {}

    def estimate(state: State) -> int:
        key, held = holding(state)
        if key not in known:
            if len(known) > MOST_KNOWN:
                known.clear()
            known[key] = found.moves_from(held())
        return known[key]

    return estimate


@dataclass(frozen=True)
class _Analysis:
    """What the rules tell of solutions.

    `counted`: facts of which a move makes true `most`. `before`: for each needed fact, and each fact before those, what
    holds in the step before it becomes true; a fact stands after those that it waits for.
    """

    needed: frozenset[Term]
    counted: frozenset[Term]
    most: int
    before: dict[Term, tuple[Term, ...]]

    def moves_from(self, held: Set[Term]) -> int:
        """The least number of moves from a state in which these of the facts hold."""
        depths: dict[Term, int] = {}
        for fact, earlier in self.before.items():
            waits = [depths.get(other, 0) for other in earlier]
            depths[fact] = 0 if fact in held else 1 + max(waits, default=0)
        missing = len(self.counted - held)
        return max(-(-missing // self.most), *(depths[fact] for fact in self.needed))


class _Key:
    """A game's rules, found again in the cache by their digest, and the seconds that they may take."""

    def __init__(self, game: Game, seconds: float) -> None:
        self.rules: Rules = game.rules
        self.digest = game.digest
        self.limits = replace(LIMITS, seconds=min(LIMITS.seconds, seconds))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


@lru_cache(maxsize=16)
def _analysis(key: _Key, role: str, enough: int) -> _Analysis:
    """What the rules tell of solutions for a role."""
    program = ground(split(key.rules), key.limits)
    need = _Need(program)
    needed = needed_facts(program, need, role, enough)
    moves = list(program.named.get("does", {}).values())
    counted, most = frozenset[Term](), 1
    if program.thresholds:  # what a move may make true is followed through rules only
        moves = []
    if needed and moves and len(moves) * len(needed) * len(program.heads) <= MOST_BITS:
        counted, most = _sharpened(_made_true(program, moves, needed), frozenset(needed))
    return _Analysis(frozenset(needed), counted, most, _chains(program, need, needed))


Holding = Callable[[State], tuple[frozenset[Term] | int, Callable[[], Set[Term]]]]


def _holding(game: Game, facts: frozenset[Any]) -> Holding:
    """A function that says which of the facts hold: a key for them, quick where the machine has bits, and the facts."""
    compiled = game.compiled
    if compiled is None:
        return lambda state: (held := facts & state.facts, lambda: held)
    bits = {1 << i: fact for i, fact in enumerate(compiled.layout.facts) if fact in facts}
    mask = sum(bits)

    def holding(state: State) -> tuple[int, Callable[[], Set[Any]]]:
        key = int.from_bytes(compiled.own(state).bits, "little") & mask
        return key, lambda: {fact for bit, fact in bits.items() if key & bit}

    return holding


# What a solution needs


def needed_facts(program: Program, need: _Need, role: str, enough: int) -> set[Term]:
    """The facts that hold in every terminal state in which the role's goal is enough."""
    goals = [
        atom
        for args, atom in program.named.get("goal", {}).items()
        if str(args[0]) == role and _number(args[1]) >= enough
    ]
    return need.of_any(goals) | need.of_any(program.named.get("terminal", {}).values())


def _number(value: Term) -> int:
    try:
        return int(str(value))
    except ValueError:
        return -1


class _Need:
    """The facts that all derivations of an atom use; for an atom that depends on itself, none, which is safe."""

    def __init__(self, program: Program) -> None:
        self.facts = {atom: args[0] for args, atom in program.named.get("true", {}).items()}
        self.certain = program.facts
        self.bodies: dict[int, list[list[int]]] = {}
        for head, body in program.rules():
            self.bodies.setdefault(head, []).append(body)
        for (
            threshold
        ) in program.thresholds:  # which may be reached without any of what is counted in particular
            self.bodies.setdefault(threshold.head, []).append([])
        self.known: dict[int, set[Term]] = {}

    def of_any(self, atoms: Iterable[int]) -> set[Term]:
        """What is needed whichever of the atoms holds."""
        sets = [self.of(atom) for atom in atoms]
        return set.intersection(*sets) if sets else set()

    def of(self, atom: int) -> set[Term]:
        """What an atom needs."""
        if atom in self.facts:
            return {self.facts[atom]}
        if atom not in self.known:
            self.known[atom] = set()  # while it is being worked out
            sets = self.of_bodies(atom)
            self.known[atom] = set.intersection(*sets) if sets else set()
        return self.known[atom]

    def of_bodies(self, atom: int) -> list[set[Term]]:
        """What each way to derive an atom needs."""
        bodies = [] if atom in self.certain else self.bodies.get(atom, [])
        return [set[Term]().union(*(self.of(part) for part in body if part > 0)) for body in bodies]


def _chains(program: Program, need: _Need, needed: set[Term]) -> dict[Term, tuple[Term, ...]]:
    """What holds before each needed fact becomes true, and before each of those, and so on."""
    after = program.named.get("next", {})
    before: dict[Term, tuple[Term, ...]] = {}

    def follow(fact: Term, below: frozenset[Term]) -> None:
        if fact in before or fact in below or len(below) > LONGEST:
            return
        ways = [way for way in need.of_bodies(after.get((fact,), 0)) if fact not in way]
        earlier = sorted(set.intersection(*ways), key=str) if ways else []
        for other in earlier:
            follow(other, below | {fact})
        before[fact] = tuple(earlier)

    for fact in sorted(needed, key=str):
        follow(fact, frozenset())
    return before


# What a move can do


def _made_true(program: Program, moves: list[int], needed: set[Term]) -> list[set[Term]]:
    """For each move, the needed facts that it may make true."""
    order = list(needed)
    width = len(order)
    everywhere = (1 << len(moves) * width) - 1
    column = sum(1 << i * width for i in range(len(moves)))
    may = dict.fromkeys(program.facts, everywhere)
    must = dict(may)
    for args, atom in program.named["true"].items():
        may[atom] = everywhere
        if args[0] in needed:
            may[atom] ^= column << order.index(args[0])
    for i, atom in enumerate(moves):
        may[atom] = must[atom] = ((1 << width) - 1) << i * width
    rules = list(program.rules())
    possible = _closure(rules, may, lambda _: everywhere)
    certain = _closure(rules, must, lambda atom: everywhere ^ possible.get(atom, 0))
    possible = _closure(rules, may, lambda atom: everywhere ^ certain.get(atom, 0))
    after = program.named.get("next", {})
    made: list[set[Term]] = [set() for _ in moves]
    for position, fact in enumerate(order):
        lanes = possible.get(after.get((fact,), 0), 0)
        for i in range(len(moves)):
            if lanes >> i * width + position & 1:
                made[i].add(fact)
    return made


def _closure(
    rules: list[tuple[int, list[int]]], given: dict[int, int], negative: Callable[[int], int]
) -> dict[int, int]:
    """In which lanes each atom follows from what is given; `negative` says in which an atom's negation holds."""
    values = dict(given)
    changed = True
    while changed:
        changed = False
        for head, body in rules:
            lanes = -1
            for literal in body:
                lanes &= values.get(literal, 0) if literal > 0 else negative(-literal)
                if not lanes:
                    break
            old = values.get(head, 0)
            if lanes & ~old:
                values[head] = old | lanes
                changed = True
    return values


def _sharpened(made: list[set[Term]], needed: frozenset[Term]) -> tuple[frozenset[Term], int]:
    """The facts to count, without those that only make every move look more useful (such as the blank's place)."""

    def most(facts: frozenset[Term]) -> int:
        return max(1, *(len(facts & done) for done in made)) if made else 1

    best = needed
    while len(best) > 1:
        tries = [best - {fact} for fact in sorted(best, key=str)]
        better = max(tries, key=lambda facts: len(facts) / most(facts))
        if len(better) / most(better) <= len(best) / most(best):
            break
        best = better
    return best, most(best)
