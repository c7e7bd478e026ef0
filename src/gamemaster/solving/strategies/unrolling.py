"""A round of a game for two as gates: a position, the other's move, the role's answer, and what comes of them.

Positions are dictionaries of wires, one for each fact but those that say whose turn it is: these are constants, as it
is known who moves. Moves are inputs of which exactly one holds, and that a legal one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from gamemaster.errors import Unsuitable
from gamemaster.language.terms import Symbol, Term
from gamemaster.machine.game import Game
from gamemaster.machine.mistakes import reward_of
from gamemaster.network.build import Circuit
from gamemaster.network.graph import FALSE, TRUE, Network, Wire, copy_wires
from gamemaster.network.turns import find_turns
from gamemaster.solving.strategies.mirrors import turn_facts

__all__ = ["GatePosition", "Round", "exactly_one"]

MOST_GATES = 400_000


@dataclass(frozen=True)
class GatePosition:
    """The wires of a state: facts, whether it is over, what is legal for who is to move, whether the role has won.

    `passed` says that the step before has passed the turn on to who is taken to move here.
    """

    facts: Mapping[Term, Wire]
    is_over: Wire
    is_won: Wire
    legal: Mapping[Term, Wire]
    passed: Wire = TRUE


class Round:
    """Gates for a position in which the other is to move, and for the two steps that follow it."""

    def __init__(self, game: Game, role: str, value: int) -> None:
        circuit, turns = game.circuit, turn_facts(game)
        if circuit is None or turns is None or circuit.network.loops:
            raise Unsuitable(
                "only games for two that take turns, compiled and without loops, are proved by induction"
            )
        self.circuit: Circuit = circuit
        self.value = value
        self.me: Term = Symbol(role)
        self.other: Term = next(one for one in circuit.roles if one != self.me)
        self.turns = turns
        self.idle = find_turns(circuit).idle
        self.network = Network()
        self.start = {fact: self.network.input() for fact in circuit.facts if fact not in turns.values()}

    @cached_property
    def before(self) -> GatePosition:
        """The position in which the other is to move."""
        return self.seen(self.start, self.other)

    @cached_property
    def replies(self) -> dict[Term, Wire]:
        """The other's move, a wire for each."""
        return {move: self.network.input() for move in self.circuit.moves[self.other]}

    @cached_property
    def between(self) -> GatePosition:
        """The position in which the role answers."""
        return self.after(self.before, self.other, self.replies)

    @cached_property
    def answers(self) -> dict[Term, Wire]:
        """The role's move, a wire for each."""
        return {move: self.network.input() for move in self.circuit.moves[self.me]}

    @cached_property
    def behind(self) -> GatePosition:
        """The position after the answer, the other to move again."""
        return self.after(self.between, self.me, self.answers)

    def is_made(self, made: Mapping[Term, Wire], legal: Mapping[Term, Wire]) -> Wire:
        """Whether exactly one move is made, and that a legal one."""
        allowed = self.network.all_of(
            self.network.either(wire ^ 1, legal[move]) for move, wire in made.items()
        )
        return self.network.both(exactly_one(self.network, list(made.values())), allowed)

    def one(self, role: Term, move: Term) -> dict[Term, Wire]:
        """A move as wires that are constants."""
        return {other: TRUE if other == move else FALSE for other in self.circuit.moves[role]}

    def after(self, position: GatePosition, role: Term, made: Mapping[Term, Wire]) -> GatePosition:
        """The position after a move of a role."""
        given = self._given(position.facts, role) | self._moved(role, made)
        wires = self._copied(self.circuit.next, given)
        facts = dict(zip(self.circuit.facts, wires, strict=True))
        follower = self.me if role == self.other else self.other
        passed = facts[self.turns[follower]]
        held = {fact: wire for fact, wire in facts.items() if fact not in self.turns.values()}
        seen = self.seen(held, follower)
        return GatePosition(held, seen.is_over, seen.is_won, seen.legal, passed)

    def seen(self, facts: Mapping[Term, Wire], role: Term) -> GatePosition:
        """What is seen of facts, where it is a role's turn; a state in which nobody can move is over, too."""
        goals = self.circuit.goal[self.me]
        legal = self.circuit.legal[role]
        wanted = [self.circuit.terminal, *legal, *goals.values()]
        over, *rest = self._copied(wanted, self._given(facts, role))
        allowed = dict(zip(self.circuit.moves[role], rest[: len(legal)], strict=True))
        enough: list[Wire] = []
        short: list[Wire] = []
        for goal, wire in zip(goals, rest[len(legal) :], strict=True):
            (enough if (reward_of(goal) or 0) >= self.value else short).append(wire)
        gets = self.network.both(self.network.any_of(enough), self.network.any_of(short) ^ 1)
        return GatePosition(facts, over, self.network.both(over, gets), allowed)

    def is_lost(self, position: GatePosition) -> Wire:
        """Whether a position is over and the role has not got what it should."""
        return self.network.both(position.is_over, position.is_won ^ 1)

    def _given(self, facts: Mapping[Term, Wire], role: Term) -> dict[int, Wire]:
        given = {self.circuit.facts[fact] >> 1: wire for fact, wire in facts.items()}
        for whose, fact in self.turns.items():
            given[self.circuit.facts[fact] >> 1] = TRUE if whose == role else FALSE
        return given

    def _moved(self, role: Term, made: Mapping[Term, Wire]) -> dict[int, Wire]:
        given = {self.circuit.moves[role][move] >> 1: wire for move, wire in made.items()}
        for other, moves in self.circuit.moves.items():
            if other != role:
                idle = self.idle[other]
                given |= {wire >> 1: TRUE if i == idle else FALSE for i, wire in enumerate(moves.values())}
            if self.circuit.moved[other] != TRUE:
                given[self.circuit.moved[other] >> 1] = TRUE if other == role else FALSE
        return given

    def _copied(self, wires: list[Wire], given: dict[int, Wire]) -> list[Wire]:
        if len(self.network.kind) > MOST_GATES:
            raise Unsuitable(f"a round of the game takes more than {MOST_GATES:,} gates")
        return copy_wires(self.circuit.network, self.network, wires, given, lambda node: FALSE)


def exactly_one(network: Network, wires: list[Wire]) -> Wire:
    """Whether exactly one of some wires holds."""
    some, twice = FALSE, FALSE
    for wire in wires:
        twice = network.either(twice, network.both(some, wire))
        some = network.either(some, wire)
    return network.both(some, twice ^ 1)
