"""Circuit -> a network that steps: states and the moves that were chosen go in, all that is asked of a batch comes out.

One evaluation makes one step in every lane: roles without a choice make their only move, chance draws, a game that is
over begins anew if it is to, and what is seen in the state that is reached comes out, as the next step needs it and as
people ask for it. What is legal is carried from step to step, so it is computed once.

Who is *asked* in a state is the one role with a choice; where nobody has one, the role that a fact control(role)
names, else the first that can move. Chance is never asked. Where several roles choose at once, nobody is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gamemaster.language.terms import Compound, Symbol, Term
from gamemaster.network.build import Circuit
from gamemaster.network.choose import choose_one
from gamemaster.network.graph import FALSE, TRUE, Network, Wire, copy_wires

__all__ = ["CHANCE", "Stepping", "stepping_network"]

CHANCE = Symbol("random")
"""The role that makes its moves at random (GDL-II)."""


@dataclass(frozen=True)
class Stepping:
    """The network of a step.

    Inputs in order: what is carried; `look` (nothing is done, only seen), `resets` (what ends begins anew at once); a
    bit for each move of each role: chosen; random bits. Outputs in order: what is carried; terminal, whether several
    choose, whether nobody can move, whether a move was made, whether a game begins; who is asked; the moves it has, a
    bit for each move that any role but chance can make; goals of each role; percepts of each role. Carried: facts;
    legal moves of each role; who has a choice; over. Where each of them stands: machine/batch_layout.py.
    """

    network: Network
    inputs: tuple[Wire, ...]
    outputs: tuple[Wire, ...]


@dataclass(frozen=True)
class _Seen:
    """What is seen in a state and asked for in the next step."""

    legal: dict[Term, list[Wire]]
    chooses: list[Wire]  # a wire for each role
    over: Wire
    several: Wire
    stuck: Wire
    asked: list[Wire]  # a wire for each role
    mask: list[Wire]  # a wire for each move

    def wires(self) -> list[Wire]:
        """All of it, in order."""
        legal = [wire for own in self.legal.values() for wire in own]
        return [*legal, *self.chooses, self.over, self.several, self.stuck, *self.asked, *self.mask]


def stepping_network(circuit: Circuit, first_seen: Sequence[bool]) -> Stepping:
    """The network that steps a circuit's games; `first_seen` is what `seen_in_state` is in the initial state."""
    return _SteppingBuilder(circuit, first_seen).stepping()


class _SteppingBuilder:
    """Copies the circuit into a network of its own and adds what a batch needs."""

    def __init__(self, circuit: Circuit, first_seen: Sequence[bool]) -> None:
        self.circuit = circuit
        self.first_seen = first_seen
        self.network = Network()
        self.roles = circuit.roles
        self.facts = self._inputs(circuit.facts)
        self.legal = {role: self._inputs(circuit.moves[role]) for role in self.roles}
        self.chooses = self._inputs(self.roles)
        self.over = self.network.input()
        self.look = self.network.input()
        self.resets = self.network.input()
        self.chosen = {role: self._inputs(circuit.moves[role]) for role in self.roles}
        self.given = {wire >> 1: new for wire, new in zip(circuit.facts.values(), self.facts, strict=True)}

    def _inputs(self, what: Iterable[object]) -> list[Wire]:
        return [self.network.input() for _ in what]

    def stepping(self) -> Stepping:
        network, circuit = self.network, self.circuit
        random = self._move()
        resets = network.both(self.resets, self.look ^ 1)
        stays = network.either(self.look, network.both(self.over, self.resets ^ 1))
        begins = network.both(self.over, resets)
        reached, percepts = self._reached(stays, begins)
        given = {wire >> 1: new for wire, new in zip(circuit.facts.values(), reached, strict=True)}
        wires = circuit.seen_in_state()
        terminal, *seen = copy_wires(circuit.network, network, wires, given, _no_other_input)
        ended = network.both(terminal, resets)
        marks = [self._mark(role, reached) for role in self.roles]
        now = self._seen(terminal, seen, marks)
        first_terminal, *first = [TRUE if held else FALSE for held in self.first_seen]
        first_marks = [TRUE if self._control(role) in circuit.init else FALSE for role in self.roles]
        anew = self._seen(first_terminal, first, first_marks)
        told = [network.choose(ended, *both) for both in zip(anew.wires(), now.wires(), strict=True)]
        after = [
            network.either(wire, ended) if fact in circuit.init else network.both(wire, ended ^ 1)
            for fact, wire in zip(circuit.facts, reached, strict=True)
        ]
        goals = seen[len(seen) - sum(len(circuit.goal[role]) for role in self.roles) :]
        carried = sum(map(len, self.legal.values())) + len(self.roles) + 1
        moves, anew_here = network.either(stays, begins) ^ 1, network.either(begins, ended)
        flags = (terminal, *told[carried : carried + 2], moves, anew_here)
        outputs = (*after, *told[:carried], *flags, *told[carried + 2 :], *goals, *percepts)
        own = (*self.facts, *self._in_line(self.legal), *self.chooses, self.over, self.look, self.resets)
        inputs = (*own, *self._in_line(self.chosen), *random)
        return Stepping(network, inputs, outputs)

    def _in_line(self, by_role: dict[Term, list[Wire]]) -> list[Wire]:
        return [wire for role in self.roles for wire in by_role[role]]

    def _move(self) -> list[Wire]:
        """Let every role make its move: the chosen one, or the only one, or what chance draws by random bits."""
        network = self.network
        random: list[Wire] = []
        for role, chooses in zip(self.roles, self.chooses, strict=True):
            legal = self.legal[role]
            if role == CHANCE:
                made, random, moved = choose_one(network, legal)
            else:
                made = [
                    network.either(chosen, network.both(wire, chooses ^ 1))
                    for chosen, wire in zip(self.chosen[role], legal, strict=True)
                ]
                moved = network.any_of(legal)
            moves = (wire >> 1 for wire in self.circuit.moves[role].values())
            self.given.update(zip(moves, made, strict=True))
            if self.circuit.moved[role] != TRUE:
                self.given[self.circuit.moved[role] >> 1] = moved
        return random

    def _reached(self, stays: Wire, begins: Wire) -> tuple[list[Wire], list[Wire]]:
        """The facts after the step, and what each role perceives in it."""
        network, circuit = self.network, self.circuit
        wires = circuit.made_by_moves()
        after = copy_wires(circuit.network, network, wires, self.given, _no_other_input)
        reached = []
        for fact, old, new in zip(circuit.facts, self.facts, after[: len(self.facts)], strict=True):
            value = network.either(new, begins) if fact in circuit.init else network.both(new, begins ^ 1)
            reached.append(network.choose(stays, old, value))
        moves = network.either(stays, begins) ^ 1
        return reached, [network.both(wire, moves) for wire in after[len(self.facts) :]]

    def _control(self, role: Term) -> Term:
        return Compound(("control", role))

    def _mark(self, role: Term, facts: Sequence[Wire]) -> Wire:
        """Whether control(role) holds."""
        return dict(zip(self.circuit.facts, facts, strict=True)).get(self._control(role), FALSE)

    def _seen(self, terminal: Wire, seen: Sequence[Wire], marks: Sequence[Wire]) -> _Seen:
        """What is asked for, from terminal, legal and goals."""
        network = self.network
        rest = iter(seen)
        legal = {
            role: [network.both(next(rest), terminal ^ 1) for _ in self.circuit.legal[role]]
            for role in self.roles
        }
        counts = [self._one_and_two(legal[role]) for role in self.roles]
        players = [number for number, role in enumerate(self.roles) if role != CHANCE]
        asked, several = self._asked([(*counts[number], marks[number]) for number in players])
        masks: dict[Term, list[Wire]] = {}
        for number, is_asked in zip(players, asked, strict=True):
            role = self.roles[number]
            for move, wire in zip(self.circuit.moves[role], legal[role], strict=True):
                masks.setdefault(move, []).append(network.both(is_asked, wire))
        by_number = dict(zip(players, asked, strict=True))
        stuck = network.both(terminal ^ 1, network.any_of(one for one, _ in counts) ^ 1)
        return _Seen(
            legal,
            [FALSE if role == CHANCE else two for role, (_, two) in zip(self.roles, counts, strict=True)],
            terminal,
            several,
            stuck,
            [by_number.get(number, FALSE) for number in range(len(self.roles))],
            [network.any_of(wires) for wires in masks.values()],
        )

    def _asked(self, players: Sequence[tuple[Wire, Wire, Wire]]) -> tuple[list[Wire], Wire]:
        """For each player (can it move, has it a choice, is it marked) whether it is asked; whether several choose."""
        network = self.network
        choice, several = self._one_and_two([two for _, two, _ in players])
        marked = [network.both(one, mark) for one, _, mark in players]
        any_marked, many_marked = self._one_and_two(marked)
        by_mark = network.both(any_marked, many_marked ^ 1)
        asked, earlier = [], FALSE
        for (one, two, _), mark in zip(players, marked, strict=True):
            forced = network.choose(by_mark, mark, network.both(one, earlier ^ 1))
            asked.append(network.choose(choice, network.both(two, several ^ 1), forced))
            earlier = network.either(earlier, one)
        return asked, several

    def _one_and_two(self, wires: Iterable[Wire]) -> tuple[Wire, Wire]:
        """Whether at least one of the wires holds, and whether at least two do."""
        one, two = FALSE, FALSE
        for wire in wires:
            two = self.network.either(two, self.network.both(one, wire))
            one = self.network.either(one, wire)
        return one, two


def _no_other_input(node: int) -> Wire:
    raise AssertionError(f"node {node} depends on an input that a step does not have")
