"""Circuit -> a network that plays: one evaluation makes a random move in every lane.

State, step count and random bits go in; the next state comes out, or the initial state where the game is over. What
is to be counted of games that end (how many, who got what, how long) comes out too, as wires that hold in the lanes
of those games.
"""

from __future__ import annotations

from dataclasses import dataclass

from gamemaster.language.terms import Term
from gamemaster.network.build import Circuit
from gamemaster.network.choose import Number, add, choose_one
from gamemaster.network.graph import AND, FALSE, TRUE, Network, Wire, copy_wires
from gamemaster.network.turns import Turns, find_turns

__all__ = ["Playout", "playout_network"]


@dataclass(frozen=True)
class Playout:
    """The network of a playout step.

    Inputs in order: facts, digits of the step count, `active`, random bits. Outputs in order: `done`, the counters,
    then the next state (facts and digits), then, where they are asked for, the moves made. Counters: games, those cut
    off, digits of the length, goals. Where each of them stands: machine/layout.py.
    """

    network: Network
    inputs: tuple[Wire, ...]
    outputs: tuple[Wire, ...]
    facts: int
    digits: int
    randoms: int
    goals: tuple[tuple[Term, Term], ...]  # the (role, value) of each goal counter


def playout_network(circuit: Circuit, max_length: int, *, with_moves: bool = False) -> Playout:
    """The network that plays a circuit's game, cutting games off after `max_length` steps."""
    return _PlayoutBuilder(circuit, max_length).playout(with_moves)


class _PlayoutBuilder:
    """Copies the circuit into a network of its own and adds what playing needs."""

    def __init__(self, circuit: Circuit, max_length: int) -> None:
        self.circuit = circuit
        self.network = Network()
        self.max_length = max_length
        self.facts = [self.network.input() for _ in circuit.facts]
        self.count: Number = [self.network.input() for _ in range(max_length.bit_length())]
        self.active = self.network.input()
        self.given = {wire >> 1: new for wire, new in zip(circuit.facts.values(), self.facts, strict=True)}
        self.random: list[Wire] = []

    def playout(self, with_moves: bool) -> Playout:
        network, circuit = self.network, self.circuit
        terminal, *seen = self._copy(circuit.seen_in_state())
        legal = {role: [seen.pop(0) for _ in circuit.legal[role]] for role in circuit.roles}
        goals = self._goals(seen)
        moving = self._move(legal)
        cut = network.both(network.either(moving ^ 1, self._is_long()), terminal ^ 1)
        over = network.either(terminal, cut)
        done = network.both(over, self.active)
        counters = [done, network.both(done, cut), *(network.both(done, digit) for digit in self.count)]
        stuck = network.both(moving ^ 1, terminal ^ 1)
        rewarded = network.both(done, stuck ^ 1)  # a dead end is worth nothing, whatever the goals say there
        counters += [network.both(rewarded, wire) for wire in goals.values()]
        outputs = (done, *counters, *self._next_facts(over), *self._next_count(over))
        if with_moves:
            outputs += tuple(
                network.both(self.given[wire >> 1], over ^ 1)
                for role in circuit.roles
                for wire in circuit.moves[role].values()
            )
        inputs = (*self.facts, *self.count, self.active, *self.random)
        sizes = len(self.facts), len(self.count), len(self.random)
        return Playout(network, inputs, outputs, *sizes, tuple(goals))

    def _copy(self, wires: list[Wire]) -> list[Wire]:
        return copy_wires(self.circuit.network, self.network, wires, self.given, _no_other_input)

    def _goals(self, wires: list[Wire]) -> dict[tuple[Term, Term], Wire]:
        """Each role's goals; of two at once the first counts."""
        result: dict[tuple[Term, Term], Wire] = {}
        remaining = iter(wires)
        for role in self.circuit.roles:
            earlier = FALSE
            for value in self.circuit.goal[role]:
                wire = next(remaining)
                result[role, value] = self.network.both(wire, earlier ^ 1)
                earlier = self.network.either(earlier, wire)
        return result

    def _move(self, legal: dict[Term, list[Wire]]) -> Wire:
        """Let every role choose; whether anybody could."""
        turns = find_turns(self.circuit)
        anybody = self._move_in_turn(turns, legal) if turns else FALSE
        for role, wires in legal.items():
            if role not in turns.facts:
                anybody = self.network.either(anybody, self._move_alone(role, wires))
        return anybody

    def _move_alone(self, role: Term, legal: list[Wire]) -> Wire:
        """Let a role choose by itself; whether it could."""
        chosen, random, moved = choose_one(self.network, legal)
        self.random += random
        self._make(role, chosen, moved)
        return moved

    def _move_in_turn(self, turns: Turns, legal: dict[Term, list[Wire]]) -> Wire:
        """Let the role whose turn it is choose, by one circuit for all of them; whether anybody could."""
        network, circuit = self.network, self.circuit
        turn = {
            role: network.any_of(self.given[wire >> 1] for wire in wires)
            for role, wires in turns.facts.items()
        }
        wires_of: dict[Term, dict[Term, Wire]] = {}
        for role in turn:
            for number, (move, wire) in enumerate(zip(circuit.moves[role], legal[role], strict=True)):
                is_idle = number == turns.idle[role]
                wires_of.setdefault(move, {})[role] = network.both(turn[role], wire) if is_idle else wire
        chosen, random, moved = choose_one(
            network, [self._in_any_turn(wires, turn) for wires in wires_of.values()]
        )
        self.random += random
        picked = dict(zip(wires_of, chosen, strict=True))
        *others, last = turn  # exactly one turn holds: said so, "whoever makes it" takes no gate
        turn[last] = network.any_of(turn[role] for role in others) ^ 1
        for role, here in turn.items():
            made = []
            for number, move in enumerate(circuit.moves[role]):
                shared = len(wires_of[move]) > 1
                wire = network.both(here, picked[move]) if shared else picked[move]
                made.append(network.either(here ^ 1, wire) if number == turns.idle[role] else wire)
            self._make(role, made, network.both(here, moved))
        has_idle = any(move is not None for move in turns.idle.values())
        return TRUE if has_idle else moved

    def _in_any_turn(self, wires: dict[Term, Wire], turn: dict[Term, Wire]) -> Wire:
        """Whether a move is legal for the role whose turn it is: exactly one turn holds."""
        network = self.network
        rests = set()
        for role, wire in wires.items():
            parts = {network.first[wire >> 1], network.second[wire >> 1]}
            is_both = wire & 1 == 0 and network.kind[wire >> 1] == AND and turn[role] in parts
            rests.add((parts - {turn[role]}).pop() if is_both else None)
        if len(wires) == len(turn) and len(rests) == 1 and None not in rests:
            return next(iter(rests)) or FALSE
        return network.any_of(sorted(wires.values()))

    def _make(self, role: Term, chosen: list[Wire], moved: Wire) -> None:
        """Note the move that a role has chosen."""
        self.given.update(zip((w >> 1 for w in self.circuit.moves[role].values()), chosen, strict=True))
        if self.circuit.moved[role] != TRUE:
            self.given[self.circuit.moved[role] >> 1] = moved

    def _is_long(self) -> Wire:
        """Whether the step count has reached the limit."""
        digits = (
            digit if self.max_length >> position & 1 else digit ^ 1
            for position, digit in enumerate(self.count)
        )
        return self.network.all_of(digits)

    def _next_facts(self, over: Wire) -> list[Wire]:
        """The next state; the initial one where the game is over."""
        following = self._copy(self.circuit.next)
        return [
            self.network.either(wire, over)
            if fact in self.circuit.init
            else self.network.both(wire, over ^ 1)
            for fact, wire in zip(self.circuit.facts, following, strict=True)
        ]

    def _next_count(self, over: Wire) -> list[Wire]:
        more = add(self.network, self.count, [TRUE])
        return [self.network.both(digit, over ^ 1) for digit in more[: len(self.count)]]


def _no_other_input(node: int) -> Wire:
    raise AssertionError(f"node {node} depends on an input that a playout does not have")
