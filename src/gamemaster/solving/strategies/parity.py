"""Parity: whatever both play, the same role wins, since what is left to be done is even or odd.

The proof is by linear invariants: sums of facts, modulo 2, that were the same in all positions of some random games,
and facts that implied each other. The solver keeps what every round keeps (`induction.py`), and shows that no end that
fulfils it is lost.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any, ClassVar, Self

from gamemaster.errors import LimitExceeded
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State
from gamemaster.network.graph import FALSE, TRUE, Wire
from gamemaster.solving.checking import Joint, StrategyVerdict
from gamemaster.solving.strategies.explained import LONGEST_GAME, ExplainedStrategy
from gamemaster.solving.strategies.induction import Answering
from gamemaster.solving.strategies.unrolling import GatePosition, Round
from gamemaster.solving.strategy import goal_at_end

__all__ = ["ParityStrategy", "linear_relations", "parity_candidates"]

GAMES = 200
MOST_FACTS = 400
MOST_PAIRED = 60
"""Of so many facts at most, all pairs are looked at too: whether the first never holds without the second."""


@dataclass(frozen=True)
class ParityStrategy(ExplainedStrategy):
    """Any moves win. `lengths` are those of some random games, for people."""

    kind: ClassVar[str] = "parity"

    lengths: tuple[int, ...] = field(default=(), kw_only=True)

    def choose(self, state: State) -> tuple[Term, str]:
        """Any move."""
        return state.legal_moves(self.role)[0], "any move will do"

    def rule(self) -> str:
        """What to do."""
        return "play anything."

    def reason(self) -> str:
        """Why it works."""
        shown = f"it takes {self.lengths[0]} steps" if len(self.lengths) == 1 else ""
        if len(self.lengths) > 1 and len({length % 2 for length in self.lengths}) == 1:
            shown = f"the number of its steps is {'odd' if self.lengths[0] % 2 else 'even'}"
        seen = f" ({shown} in every game that was tried)" if shown else ""
        return f"however the game goes{seen}, its end is a win for {self.role}"

    def details(self) -> dict[str, Any]:
        """The lengths that were seen."""
        return {"lengths": list(self.lengths)}

    @classmethod
    def from_details(cls, game: Game, role: str, value: int, details: Mapping[str, Any]) -> Self:
        """The strategy again."""
        return cls(game, role, value, lengths=tuple(map(int, details["lengths"])))

    def verdict(self, most_positions: int) -> StrategyVerdict:
        """All positions of the game, whatever both play."""
        start = self.game.initial_state()
        before: dict[State, tuple[State, Joint] | None] = {start: None}
        queue = [start]
        for state in queue:
            if state.is_over and goal_at_end(state, self.role) < self.value:
                why = f"{self.role} gets {goal_at_end(state, self.role)}, not {self.value}"
                return StrategyVerdict(False, len(before), _line(before, state), why)
            for joint, child in _following(state):
                if child not in before:
                    before[child] = (state, joint)
                    queue.append(child)
            if len(before) > most_positions:
                raise LimitExceeded(
                    "positions", f"{most_positions:,} positions", doing="checking the strategy"
                )
        if _goes_round(queue):
            return StrategyVerdict(False, len(before), (), "play can go round without an end")
        return StrategyVerdict(True, len(before))

    def answering(self) -> Answering:
        """Any answer, and the relations that were seen between the facts of positions in which the other is to move."""
        return Answering(
            lambda turn: TRUE, _can_move, self._conditions, False, "positions with the same parities"
        )

    def _conditions(self, turn: Round, position: GatePosition) -> Iterator[Wire]:
        facts = tuple(position.facts)
        if len(facts) > MOST_FACTS:
            return
        for relation in linear_relations(_samples(self.game, self.role), facts):
            total = TRUE if relation[1] else FALSE
            for fact in relation[0]:
                total = turn.network.differ(total, position.facts[fact])
            yield total ^ 1
        for one, end in _implications(_samples(self.game, self.role), facts):
            yield turn.network.both(position.facts[one], position.facts[end] ^ 1) ^ 1


def _implications(states: list[State], facts: tuple[Term, ...]) -> list[tuple[Term, Term]]:
    """Pairs of facts of which the first never held without the second; none where there are too many."""
    if len(facts) > MOST_PAIRED:
        return []
    held = {fact: sum(1 << i for i, state in enumerate(states) if fact in state.facts) for fact in facts}
    return [(a, b) for a in facts for b in facts if a != b and held[a] and not held[a] & ~held[b]]


def _can_move(turn: Round) -> Wire:
    return turn.network.any_of(turn.between.legal.values())


def _following(state: State) -> Iterator[tuple[Joint, State]]:
    """The joint moves that can follow, and where they lead."""
    if state.is_over:
        return
    roles = state.game.roles
    for joint in product(*((state.legal_moves(role) or (None,)) for role in roles)):
        yield joint, state.next({role: m for role, m in zip(roles, joint, strict=True) if m is not None})


def _line(before: Mapping[State, tuple[State, Joint] | None], state: State) -> tuple[Joint, ...]:
    """How play got to a state."""
    line: list[Joint] = []
    while (step := before[state]) is not None:
        state, joint = step
        line.append(joint)
    return tuple(reversed(line))


def _goes_round(states: list[State]) -> bool:
    """Whether play can go round: positions are taken away from the ends on, and some are left."""
    before: dict[State, list[State]] = {state: [] for state in states}
    left: Counter[State] = Counter()
    for state in states:
        for child in {child for _, child in _following(state)}:
            before[child].append(state)
            left[state] += 1
    ends = [state for state in states if not left[state]]
    for state in ends:
        for parent in before[state]:
            left[parent] -= 1
            if not left[parent]:
                ends.append(parent)
    return len(ends) < len(states)


def parity_candidates(game: Game, role: str, value: int, seconds: float) -> Iterator[ParityStrategy]:
    """The strategy that plays anything, where all of some random games are won."""
    deadline = time.monotonic() + seconds / 4
    generator = random.Random(1)
    lengths: set[int] = set()
    for _ in range(GAMES):
        state = game.initial_state()
        while not state.is_over:
            if state.step > LONGEST_GAME or time.monotonic() > deadline:
                return
            state = state.next(state.random_moves(generator))
        if goal_at_end(state, role) < value:
            return
        lengths.add(state.step)
    yield ParityStrategy(game, role, value, lengths=tuple(sorted(lengths)))


def _samples(game: Game, role: str) -> list[State]:
    """Positions of random games in which the other is to move, ends of games too."""
    generator = random.Random(2)
    found: dict[State, None] = {}
    for _ in range(GAMES // 4):
        state, turn = game.initial_state(), game.initial_state().chooser == role
        while True:
            if not turn:
                found[state] = None
            if state.is_over or state.step > LONGEST_GAME:
                break
            state, turn = state.next(state.random_moves(generator)), not turn
    return list(found)


def linear_relations(states: list[State], facts: tuple[Term, ...]) -> list[tuple[tuple[Term, ...], bool]]:
    """Sums of facts modulo 2 that are the same in all states, and what they are: a basis of them, as small sums.

    States are vectors of bits, with a 1 in front; a relation is a vector whose product with all of them is 0.
    """
    place = {fact: i for i, fact in enumerate(facts)}
    size = len(facts)
    rows: dict[int, int] = {}  # leading bit -> vector, fully reduced
    for state in states:
        vector = 1 << size
        for fact in state.facts:
            vector |= 1 << place[fact] if fact in place else 0
        for lead, row in rows.items():
            if vector >> lead & 1:
                vector ^= row
        if vector:
            lead = (vector & -vector).bit_length() - 1
            for other, row in rows.items():
                if row >> lead & 1:
                    rows[other] = row ^ vector
            rows[lead] = vector
    free = [i for i in range(size + 1) if i not in rows]
    made = [1 << i | sum(1 << lead for lead, row in rows.items() if row >> i & 1) for i in free]
    return [
        (tuple(fact for fact, i in place.items() if vector >> i & 1), bool(vector >> size & 1))
        for vector in made
    ]
