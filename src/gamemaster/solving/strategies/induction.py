"""A proof by induction on the ground rules: an invariant that a strategy keeps, whatever the other plays.

An *invariant* is a set of conditions on positions in which the other is to move. They are not given but found: all that
could be one are assumed, and those that a round of play can break are dropped until the others keep each other
(Flanagan and Leino 2001, "Houdini"). A SAT solver looks at every position that fulfils them, whether play can lead
there or not. The strategy holds if in all of them
- the other cannot win with its move, and is never left without one;
- the role has an answer of the kind that the strategy gives, and none of that kind loses;
- something has changed after a round that never changes back, so that play ends.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from gamemaster.errors import LimitExceeded, Unsuitable
from gamemaster.language.terms import Compound, Term
from gamemaster.machine.game import Game, State
from gamemaster.network.graph import FALSE, TRUE, Wire
from gamemaster.solving.strategies.explained import StrategyProof
from gamemaster.solving.strategies.solver import GateSolver, evaluate
from gamemaster.solving.strategies.unrolling import GatePosition, Round, exactly_one

__all__ = ["Answering", "prove"]

MOST_CONDITIONS = 4_000


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
        return _Induction(Round(game, role, value), answering, start, time.monotonic() + seconds).proof()
    except (LimitExceeded, Unsuitable):
        return None


class _Induction:
    """The conditions, before and after a round, and what must hold of all positions that fulfil them."""

    def __init__(self, turn: Round, answering: Answering, start: State, deadline: float) -> None:
        self.turn, self.answering = turn, answering
        self.network = turn.network
        self.deadline = deadline
        self.is_ready = _is_others_turn(turn, start)
        before, between, behind = turn.before, turn.between, turn.behind
        self.conditions = list(zip(self._conditions(before), self._conditions(behind), strict=True))
        wins = self._wins(between) if answering.takes_wins else FALSE
        self.made = [before.is_over ^ 1, turn.is_made(turn.replies, before.legal)]
        self.asked = [*self.made, between.is_over ^ 1, wins ^ 1]
        self.answered = [*self.asked, turn.is_made(turn.answers, between.legal), answering.allows(turn)]
        self.mistakes = self._mistakes()
        self._note_start(start)
        self.latches = self._latches()
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
        pairs = dict.fromkeys(
            (one, end) for one, end in self.conditions if one != TRUE and values[one >> 1] != bool(one & 1)
        )
        self.conditions = list(pairs)
        if len(self.conditions) > MOST_CONDITIONS:
            raise Unsuitable(f"more than {MOST_CONDITIONS:,} conditions may be an invariant")

    def _conditions(self, position: GatePosition) -> Iterator[Wire]:
        """What may hold whenever the other is to move, the same in the same order for every position."""
        yield from position.facts.values()
        yield from (wire ^ 1 for wire in position.facts.values())
        for group in _groups(position.facts):
            one = exactly_one(self.network, group)
            yield one
            yield self.network.either(one, self.network.any_of(group) ^ 1)
        yield self._is_safe(position) if self.answering.takes_wins else TRUE
        yield from self.answering.conditions(self.turn, position)

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

    def _latches(self) -> list[tuple[Wire, Wire]]:
        """What may never change back, before and after a round: facts, numbers of at least so much, their opposites."""
        pairs = list(zip(self._progress(self.turn.before), self._progress(self.turn.behind), strict=True))
        return [*pairs, *((one ^ 1, end ^ 1) for one, end in pairs)]

    def _progress(self, position: GatePosition) -> Iterator[Wire]:
        yield from position.facts.values()
        for values in _numbered(position.facts):
            for least in sorted(values):
                yield self.network.any_of(wire for number, wire in values.items() if number >= least)

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
        if not self._is_sound(invariant) or not self._ends(invariant):
            return None
        figures = {"conditions": len(kept), "gates": self.network.gates, "questions": self.solver.asked}
        some = "one condition" if len(kept) == 1 else f"{len(kept):,} conditions"
        keeps = f"an invariant of {some} that every round of play keeps"
        text = f"by induction over all {self.answering.noun} ({keeps}, found and checked by a SAT solver)"
        return StrategyProof("induction", text, figures)

    def _kept(
        self, switches: list[Wire], pairs: list[tuple[Wire, Wire]], broken: Wire, given: list[Wire]
    ) -> list[int]:
        """Which pairs hold after every round if they all do before it, or if what is given does."""
        kept = set(range(len(pairs)))
        while True:
            assumed = [switch if i in kept else switch ^ 1 for i, switch in enumerate(switches)]
            own = given or [pairs[i][0] for i in sorted(kept)]
            if not self.solver.can_hold([*assumed, *own, *self.answered, broken]):
                return sorted(kept)
            holds = self.solver.holds
            kept -= {i for i in kept if holds(pairs[i][0]) and not holds(pairs[i][1])}

    def _mistakes(self) -> list[list[Wire]]:
        """What may not happen in a round: wires that hold together."""
        turn = self.turn
        return [
            [turn.before.is_over ^ 1, self.network.any_of(turn.before.legal.values()) ^ 1],
            [*self.made, turn.is_lost(turn.between)],
            [*self.made, turn.between.is_over ^ 1, turn.between.passed ^ 1],
            [*self.asked, self.answering.exists(turn) ^ 1],
            [*self.answered, turn.is_lost(turn.behind)],
            [*self.answered, turn.behind.is_over ^ 1, turn.behind.passed ^ 1],
        ]

    def _is_sound(self, invariant: list[Wire]) -> bool:
        """Whether nothing goes wrong in a round from any position that fulfils the invariant."""
        return not any(self.solver.can_hold([*invariant, *wires]) for wires in self.mistakes)

    def _ends(self, invariant: list[Wire]) -> bool:
        """Whether every round changes something that never changes back."""
        kept = self._kept(self.latch_switches, self.latches, self.unlatched, invariant or [TRUE])
        same = [self.unchanged[i] for i in kept]
        return bool(kept) and not self.solver.can_hold([*invariant, *self.answered, *same])


def _is_others_turn(turn: Round, start: State) -> bool:
    return turn.turns[turn.other] in start.facts and turn.turns[turn.me] not in start.facts


def _groups(facts: Mapping[Term, Wire]) -> list[list[Wire]]:
    """Facts that are alike but for one argument, as `cell(1,1,x)` and `cell(1,1,empty)`: perhaps one of them holds."""
    found: dict[tuple[object, ...], list[Wire]] = defaultdict(list)
    for fact, wire in facts.items():
        if isinstance(fact, Compound):
            for place in range(1, len(fact)):
                found[place, *fact[:place], *fact[place + 1 :]].append(wire)
    return [group for group in found.values() if len(group) > 1]


def _numbered(facts: Mapping[Term, Wire]) -> list[dict[int, Wire]]:
    """Facts that are alike but for a number: for each number the wire."""
    found: dict[tuple[object, ...], dict[int, Wire]] = defaultdict(dict)
    for fact, wire in facts.items():
        if isinstance(fact, Compound):
            for place in range(1, len(fact)):
                if isinstance(fact[place], str) and fact[place].isdecimal() and len(fact[place]) < 7:
                    found[place, *fact[:place], *fact[place + 1 :]][int(fact[place])] = wire
    return [values for values in found.values() if len(values) > 1]
