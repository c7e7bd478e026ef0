"""Circuit -> a network that plays: one evaluation makes a random move in every lane.

State, step count and random bits go in; the next state comes out, or the initial state where the game is over. What
is to be counted of games that end (how many, who got what, how long) comes out too, as wires that hold in the lanes
of those games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from gamemaster.language.terms import Term
from gamemaster.network.build import Circuit
from gamemaster.network.choose import Number, add, choose_one
from gamemaster.network.graph import AND, FALSE, TRUE, Network, Wire, copy_wires
from gamemaster.network.turns import Turns, find_turns

__all__ = ["Playout", "PlayoutBuilder", "playout_network"]


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
    return PlayoutBuilder(circuit, max_length).playout(with_moves)


class PlayoutBuilder:
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
        """The network."""
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
        outputs += self._more_outputs(over)
        inputs = (*self.facts, *self.count, self.active, *self.random, *self._more_inputs())
        sizes = len(self.facts), len(self.count), len(self.random)
        return Playout(network, inputs, outputs, *sizes, tuple(goals))

    def _more_inputs(self) -> tuple[Wire, ...]:
        """What whoever chooses in another way needs to know."""
        return ()

    def _more_outputs(self, over: Wire) -> tuple[Wire, ...]:
        """What whoever chooses in another way has to tell."""
        del over
        return ()

    def _choose(
        self, moves: Sequence[Mapping[Term, Term]], wires: Sequence[Mapping[Term, Wire]], legal: list[Wire]
    ) -> tuple[list[Wire], Wire]:
        """For each place whether it is chosen; whether any is legal.

        `moves` says what each place is for each role that has it, `wires` whether that is legal for the role.
        """
        del moves, wires
        chosen, random, moved = choose_one(self.network, legal)
        self.random += random
        return chosen, moved

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
        moves = [{role: move} for move in self.circuit.moves[role]]
        chosen, moved = self._choose(moves, [{role: wire} for wire in legal], legal)
        self._make(role, chosen, moved)
        return moved

    def _move_in_turn(self, turns: Turns, legal: dict[Term, list[Wire]]) -> Wire:
        """Let the role whose turn it is choose, by one circuit for all of them; whether anybody could."""
        network, circuit = self.network, self.circuit
        turn = {
            role: network.any_of(self.given[wire >> 1] for wire in wires)
            for role, wires in turns.facts.items()
        }
        places = _places({role: list(circuit.moves[role]) for role in turn})
        size = 1 + max(max(own) for own in places.values())
        wires_of: list[dict[Term, Wire]] = [{} for _ in range(size)]
        moves_of: list[dict[Term, Term]] = [{} for _ in range(size)]
        for role in turn:
            moves = list(circuit.moves[role])
            for number, (place, wire) in enumerate(zip(places[role], legal[role], strict=True)):
                is_idle = number == turns.idle[role]
                wires_of[place][role] = network.both(turn[role], wire) if is_idle else wire
                moves_of[place][role] = moves[number]
        legal_now = [self._in_any_turn(wires, turn) for wires in wires_of]
        chosen, moved = self._choose(moves_of, wires_of, legal_now)
        *others, last = turn  # exactly one turn holds: said so, "whoever makes it" takes no gate
        turn[last] = network.any_of(turn[role] for role in others) ^ 1
        for role, here in turn.items():
            made = []
            for number, place in enumerate(places[role]):
                shared = len(wires_of[place]) > 1
                wire = network.both(here, chosen[place]) if shared else chosen[place]
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


def _places(moves_of: dict[Term, list[Term]]) -> dict[Term, list[int]]:
    """For each move of each role its place in what is chosen from: one for moves that are the same for all roles.

    The others share too, the first of one role with the first of another: no two roles choose at once.
    """
    common = set.intersection(*(set(moves) for moves in moves_of.values()))
    place_of = {
        move: place for place, move in enumerate(m for m in next(iter(moves_of.values())) if m in common)
    }
    places: dict[Term, list[int]] = {}
    for role, moves in moves_of.items():
        own = count(len(place_of))
        places[role] = [place_of[move] if move in common else next(own) for move in moves]
    return places


def _no_other_input(node: int) -> Wire:
    raise AssertionError(f"node {node} depends on an input that a playout does not have")
