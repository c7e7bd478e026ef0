"""A proof by induction on the ground rules: an invariant that a strategy keeps, whatever the other plays.

An *invariant* is a set of conditions on positions in which the other is to move. They are not given but found: all that
could be one are assumed, and those that a round of play can break are dropped until the others keep each other
(Flanagan and Leino 2001, "Houdini"). A SAT solver looks at every position that fulfils them, whether play can lead
there or not. The strategy holds if in all of them
- the other cannot win with its move, and is never left without one;
- the role has an answer of the kind that the strategy gives, and none of that kind loses;
- something has changed after a round that never changes back, so that play ends.

Conditions have names, so that those found in one game can be asked of another one: `Induction.gap` says why some do not
prove it there, and looks for no others.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from gamemaster.errors import LimitExceeded, StrategyError, Unsuitable
from gamemaster.language.terms import Compound, Term, Variable
from gamemaster.machine.game import Game, State
from gamemaster.network.graph import FALSE, TRUE, Wire
from gamemaster.solving.strategies.explained import ExplainedStrategy, StrategyProof
from gamemaster.solving.strategies.solver import GateSolver, evaluate
from gamemaster.solving.strategies.unrolling import GatePosition, Round, exactly_one
from gamemaster.solving.strategy import after_choice

__all__ = ["BLANK", "Answering", "Argument", "Condition", "Induction", "groups_of", "induction_of", "prove"]

MOST_CONDITIONS = 4_000
BLANK = Variable("_1")
"""Stands in a group of facts for the argument that tells them apart."""

Pair = tuple[Wire, Wire]


@dataclass(frozen=True, slots=True)
class Condition:
    """What a condition says: `kind` of the fact, or group of facts, that it is `about`.

    Of positions "holds" and "fails" are about a fact, "one" and "most one" about how many of a group hold, "safe" that
    the other cannot win at once, "own" is the strategy's. Of what never changes back, "grows" and "shrinks" are about a
    fact, "rises" and "falls" about the number in this `place` of it, which is at least or less than the one there.
    """

    kind: str
    about: Term | None = None
    place: int = 0

    def __str__(self) -> str:
        return f"'{self.kind}'" if self.about is None else f"'{self.kind}' of {self.about}"


@dataclass(frozen=True, slots=True)
class Argument:
    """Why a strategy holds: conditions that rounds keep, and what never changes back though each round changes some."""

    conditions: frozenset[Condition]
    progress: frozenset[Condition]


@dataclass(frozen=True)
class Answering:
    """How a strategy answers, as gates.

    `allows` says whether the answer of a round is one that the strategy may give; `exists` that there is such an
    answer, and `conditions` what may be an invariant besides what is tried for every strategy. With `takes_wins` a move
    that wins at once comes before all others. `noun` names the positions that fulfil the invariant.
    """

    allows: Callable[[Round], Wire]
    exists: Callable[[Round], Wire]
    conditions: Callable[[Round, GatePosition], Iterator[Wire]]
    takes_wins: bool
    noun: str


def prove(
    game: Game, role: str, value: int, answering: Answering, start: State, seconds: float
) -> StrategyProof | None:
    """A proof that a role gets a value from a state on, in which the other is to move; None where there is none.

    None says nothing against the strategy: its invariant may be one that is not among those tried.
    """
    try:
        return Induction(Round(game, role, value), answering, start, time.monotonic() + seconds).proof()
    except (LimitExceeded, Unsuitable):
        return None


def induction_of(strategy: ExplainedStrategy, seconds: float) -> Induction | None:
    """What proves a strategy by induction, from its first move on; None where its answers or that move are not known.

    Unsuitable and LimitExceeded where a round is too large.
    """
    answering, start = strategy.answering(), strategy.game.initial_state()
    if answering is None:
        return None
    try:
        move = strategy.advise(start).move if start.chooser == strategy.role else None
    except StrategyError:
        return None
    if move is not None:
        start = after_choice(start, move)
    if start.is_over:
        return None
    turn = Round(strategy.game, strategy.role, strategy.value)
    return Induction(turn, answering, start, time.monotonic() + seconds)


class Induction:
    """The conditions, before and after a round, and what must hold of all positions that fulfil them."""

    def __init__(self, turn: Round, answering: Answering, start: State, deadline: float) -> None:
        self.turn, self.answering = turn, answering
        self.network = turn.network
        self.deadline = deadline
        self.is_ready = _is_others_turn(turn, start)
        before, between, behind = turn.before, turn.between, turn.behind
        named = zip(self._conditions(before), self._conditions(behind), strict=True)
        self.conditions, self.names = _told_apart((name, (one, end)) for (name, one), (_, end) in named)
        wins = self._wins(between) if answering.takes_wins else FALSE
        self.made = [before.is_over ^ 1, turn.is_made(turn.replies, before.legal)]
        self.asked = [*self.made, between.is_over ^ 1, wins ^ 1]
        self.answered = [*self.asked, turn.is_made(turn.answers, between.legal), answering.allows(turn)]
        self.mistakes = self._mistakes()
        self.candidates = _named(self.names, range(len(self.names)))
        self._note_start(start)
        self.latches, self.latch_names = _told_apart(self._latches())
        self.progress_candidates = _named(self.latch_names, range(len(self.latch_names)))
        self.switches = [self.network.input() for _ in self.conditions]
        self.broken = self._broken([behind.is_over ^ 1], self.switches, self.conditions)
        self.unchanged = [self.network.differ(one, end) ^ 1 for one, end in self.latches]
        self.latch_switches = [self.network.input() for _ in self.latches]
        self.unlatched = self._broken([], self.latch_switches, self.latches)
        self.solver = GateSolver(self.network, deadline)

    def _note_start(self, start: State) -> None:
        """Keep the conditions that hold at the start; there may not be too many."""
        held = start.facts
        values = evaluate(self.network, {wire >> 1: fact in held for fact, wire in self.turn.start.items()})
        self.always = _named(self.names, [i for i, (one, _) in enumerate(self.conditions) if one == TRUE])
        kept = [
            i
            for i, (one, _) in enumerate(self.conditions)
            if one != TRUE and values[one >> 1] != bool(one & 1)
        ]
        self.conditions = [self.conditions[i] for i in kept]
        self.names = [self.names[i] for i in kept]
        if len(self.conditions) > MOST_CONDITIONS:
            raise Unsuitable(f"more than {MOST_CONDITIONS:,} conditions may be an invariant")

    def _conditions(self, position: GatePosition) -> Iterator[tuple[Condition, Wire]]:
        """What may hold whenever the other is to move, the same in the same order for every position."""
        for kind, flip in (("holds", 0), ("fails", 1)):
            yield from ((Condition(kind, fact), wire ^ flip) for fact, wire in position.facts.items())
        for name, place, group in groups_of(position.facts):
            wires = [position.facts[fact] for fact in group]
            one = exactly_one(self.network, wires)
            yield Condition("one", name, place), one
            yield Condition("most one", name, place), self.network.either(one, self.network.any_of(wires) ^ 1)
        yield Condition("safe"), self._is_safe(position) if self.answering.takes_wins else TRUE
        for number, wire in enumerate(self.answering.conditions(self.turn, position)):
            yield Condition("own", place=number), wire

    def _wins(self, position: GatePosition) -> Wire:
        """Whether the role has a move that wins at once."""
        turn = self.turn
        ends = (
            (turn.after(position, turn.me, turn.one(turn.me, move)), legal)
            for move, legal in position.legal.items()
        )
        return self.network.any_of(self.network.both(legal, end.is_won) for end, legal in ends)

    def _is_safe(self, position: GatePosition) -> Wire:
        """Whether the other has no move that wins at once."""
        turn = self.turn
        ends = (
            (turn.after(position, turn.other, turn.one(turn.other, move)), legal)
            for move, legal in position.legal.items()
            if legal != FALSE
        )
        return self.network.any_of(self.network.both(legal, turn.is_lost(end)) for end, legal in ends) ^ 1

    def _latches(self) -> Iterator[tuple[Condition, Pair]]:
        """What may never change back, before and after a round: facts, numbers of at least so much, their opposites."""
        named = list(zip(self._progress(self.turn.before), self._progress(self.turn.behind), strict=True))
        yield from ((name, (one, end)) for (name, one), (_, end) in named)
        opposite = {"grows": "shrinks", "rises": "falls"}
        for (name, one), (_, end) in named:
            yield Condition(opposite[name.kind], name.about, name.place), (one ^ 1, end ^ 1)

    def _progress(self, position: GatePosition) -> Iterator[tuple[Condition, Wire]]:
        yield from ((Condition("grows", fact), wire) for fact, wire in position.facts.items())
        for place, values in _numbered(position.facts):
            for least in sorted(values):
                at_least = self.network.any_of(wire for n, (_, wire) in values.items() if n >= least)
                yield Condition("rises", values[least][0], place), at_least

    def _broken(self, needed: list[Wire], switches: list[Wire], pairs: list[tuple[Wire, Wire]]) -> Wire:
        """Whether some pair that is switched on holds before a round and not after it."""
        lost = (
            self.network.all_of((switch, one, end ^ 1))
            for switch, (one, end) in zip(switches, pairs, strict=True)
        )
        return self.network.all_of([*needed, self.network.any_of(lost)])

    def proof(self) -> StrategyProof | None:
        """The proof, if it goes through."""
        if not self.is_ready:
            return None
        kept = self._kept(self.switches, self.conditions, self.broken, [])
        invariant = [self.conditions[i][0] for i in kept]
        if self._mistake(invariant) or not self._ends(invariant, self._lasting(invariant)):
            return None
        figures = {"conditions": len(kept), "gates": self.network.gates, "questions": self.solver.asked}
        some = "one condition" if len(kept) == 1 else f"{len(kept):,} conditions"
        keeps = f"an invariant of {some} that every round of play keeps"
        text = f"by induction over all {self.answering.noun} ({keeps}, found and checked by a SAT solver)"
        return StrategyProof("induction", text, figures)

    def argument(self) -> Argument | None:
        """All conditions that rounds keep, and all that never changes back, if that proves the strategy."""
        if not self.is_ready:
            return None
        kept = self._kept(self.switches, self.conditions, self.broken, [])
        invariant = [self.conditions[i][0] for i in kept]
        lasting = self._lasting(invariant)
        if self._mistake(invariant) or not self._ends(invariant, lasting):
            return None
        return Argument(_named(self.names, kept) | self.always, _named(self.latch_names, lasting))

    def gap(self, argument: Argument) -> str:
        """Why an argument does not prove the strategy, nothing more looked for; nothing where it does."""
        if not self.is_ready:
            return "the other is not to move after the beginning"
        known = _named(self.names, range(len(self.names))) | self.always
        if missing := [str(one) for one in argument.conditions if one not in known]:
            return f"not all of its conditions hold at the beginning: {min(missing)} is one of {len(missing)}"
        kept = [i for i, names in enumerate(self.names) if not argument.conditions.isdisjoint(names)]
        invariant = [self.conditions[i][0] for i in kept]
        if self._can_break(self.switches, kept, [*invariant, *self.answered, self.broken]):
            return "a round can break its conditions"
        if mistake := self._mistake(invariant):
            return mistake
        lasting = [i for i, names in enumerate(self.latch_names) if not argument.progress.isdisjoint(names)]
        if self._can_break(self.latch_switches, lasting, [*invariant, *self.answered, self.unlatched]):
            return "a round can change back what should never change back"
        return "" if self._ends(invariant, lasting) else "a round may change nothing that never changes back"

    def _can_break(self, switches: list[Wire], on: Collection[int], wires: list[Wire]) -> bool:
        chosen = set(on)
        assumed = [switch if i in chosen else switch ^ 1 for i, switch in enumerate(switches)]
        return self.solver.can_hold([*assumed, *wires])

    def _kept(
        self, switches: list[Wire], pairs: list[tuple[Wire, Wire]], broken: Wire, given: list[Wire]
    ) -> list[int]:
        """Which pairs hold after every round if they all do before it, or if what is given does."""
        kept = set(range(len(pairs)))
        while True:
            assumed = [switch if i in kept else switch ^ 1 for i, switch in enumerate(switches)]
            own = given or [pairs[i][0] for i in sorted(kept)]
            watched = [wire for i in kept for wire in pairs[i]]
            if not self.solver.can_hold([*assumed, *own, *self.answered, broken], watched):
                return sorted(kept)
            holds = self.solver.holds
            kept -= {i for i in kept if holds(pairs[i][0]) and not holds(pairs[i][1])}

    def _mistakes(self) -> dict[str, list[Wire]]:
        """What may not happen in a round: wires that hold together."""
        turn, made = self.turn, self.made
        return {
            "the other may have no move": [
                turn.before.is_over ^ 1,
                self.network.any_of(turn.before.legal.values()) ^ 1,
            ],
            "the other can win": [*made, turn.is_lost(turn.between)],
            "the other's move need not pass the turn": [
                *made,
                turn.between.is_over ^ 1,
                turn.between.passed ^ 1,
            ],
            "there may be no answer": [*self.asked, self.answering.exists(turn) ^ 1],
            "an answer can lose": [*self.answered, turn.is_lost(turn.behind)],
            "an answer need not pass the turn": [
                *self.answered,
                turn.behind.is_over ^ 1,
                turn.behind.passed ^ 1,
            ],
        }

    def _mistake(self, invariant: list[Wire]) -> str:
        """What can go wrong in a round from some position that fulfils the invariant; nothing where nothing can."""
        wrong = (why for why, wires in self.mistakes.items() if self.solver.can_hold([*invariant, *wires]))
        return next(wrong, "")

    def _lasting(self, invariant: list[Wire]) -> list[int]:
        """What never changes back."""
        return self._kept(self.latch_switches, self.latches, self.unlatched, invariant or [TRUE])

    def _ends(self, invariant: list[Wire], lasting: list[int]) -> bool:
        """Whether every round changes something that never changes back."""
        same = [self.unchanged[i] for i in lasting]
        return bool(lasting) and not self.solver.can_hold([*invariant, *self.answered, *same])


def _told_apart(named: Iterable[tuple[Condition, Pair]]) -> tuple[list[Pair], list[set[Condition]]]:
    """Pairs of wires, each once, with all their names."""
    found: dict[Pair, set[Condition]] = defaultdict(set)
    for name, pair in named:
        found[pair].add(name)
    return list(found), list(found.values())


def _named(names: list[set[Condition]], chosen: Iterable[int]) -> frozenset[Condition]:
    return frozenset().union(*(names[i] for i in chosen))


def _is_others_turn(turn: Round, start: State) -> bool:
    return turn.turns[turn.other] in start.facts and turn.turns[turn.me] not in start.facts


def groups_of(facts: Iterable[Term]) -> Iterator[tuple[Term, int, list[Term]]]:
    """Facts that are alike but for one argument, as `cell(1,1,x)` and `cell(1,1,empty)`: perhaps one of them holds.

    A fact that no other is alike is a group, too: what is said of all groups of a shape is said of this one.
    """
    found: dict[tuple[int, Term], list[Term]] = defaultdict(list)
    for fact in facts:
        if isinstance(fact, Compound):
            for place in range(1, len(fact)):
                found[place, _with_blank(fact, place)].append(fact)
    return ((name, place, group) for (place, name), group in found.items())


def _numbered(facts: Mapping[Term, Wire]) -> Iterator[tuple[int, dict[int, tuple[Term, Wire]]]]:
    """Facts that are alike but for a number in a place: for each number the fact and its wire."""
    found: dict[tuple[int, Term], dict[int, tuple[Term, Wire]]] = defaultdict(dict)
    for fact, wire in facts.items():
        if isinstance(fact, Compound):
            for place in range(1, len(fact)):
                if isinstance(fact[place], str) and fact[place].isdecimal() and len(fact[place]) < 7:
                    found[place, _with_blank(fact, place)][int(fact[place])] = (fact, wire)
    return ((place, values) for (place, _), values in found.items() if len(values) > 1)


def _with_blank(fact: Compound, place: int) -> Compound:
    return Compound((*fact[:place], BLANK, *fact[place + 1 :]))
