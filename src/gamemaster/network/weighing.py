"""Circuit -> a network that plays by weights: a legal move is as likely as its weight says, among those that are legal.

Weights are inputs, the same in all lanes, as numbers of WEIGHT_BITS digits for each move of each role: other weights
need no other network. Those of legal moves are added up in a binary tree, up to the total W at its root. A rank r,
equally likely to be each number below W, finds its move on the way down: left if it is less than the sum there, else
right, less that sum; one comparison a level serves all nodes of that level.

A rank is drawn as random digits, as many as W has, and taken if it is less than W. If none of DRAWS of them is, the
lane *stays* where it is in this step, and draws again in the next: so no move is favoured, and there is no
multiplication. A lane stays too where all legal moves weigh nothing. In the next step they are *flat*: each weighs 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gamemaster.language.terms import Term
from gamemaster.network.build import Circuit
from gamemaster.network.choose import Number, add, subtract
from gamemaster.network.graph import FALSE, Network, Wire
from gamemaster.network.playout import Playout, PlayoutBuilder

__all__ = ["WEIGHT_BITS", "weighing_network"]

WEIGHT_BITS = 8
"""Digits of a weight: the largest of a role is 255."""

DRAWS = 2
"""Ranks drawn for a choice; each is taken with a probability of more than a half."""


def weighing_network(circuit: Circuit, max_length: int) -> Playout:
    """The network that plays a circuit's game by weights, cutting games off after `max_length` steps.

    It is that of playouts with more inputs and outputs. Inputs behind the random bits: the digits of the weight of each
    move of each role, the lowest first; a bit for each choice: flat. Outputs behind the next state: which lanes stay,
    and the bits `flat` for the next step.
    """
    return _WeighingBuilder(circuit, max_length).playout(with_moves=False)


@dataclass(frozen=True)
class _Choice:
    """A choice that is made in every step, by one role or by those that take turns."""

    flat: Wire
    is_weightless: Wire  # moves are legal, and weigh nothing
    is_open: Wire  # no move was chosen, though some are legal


class _WeighingBuilder(PlayoutBuilder):
    """Chooses by weights."""

    def __init__(self, circuit: Circuit, max_length: int) -> None:
        super().__init__(circuit, max_length)
        self.weights = {
            role: {move: [self.network.input() for _ in range(WEIGHT_BITS)] for move in circuit.moves[role]}
            for role in circuit.roles
        }
        self.choices: list[_Choice] = []

    def _more_inputs(self) -> tuple[Wire, ...]:
        numbers = (number for own in self.weights.values() for number in own.values())
        return (*(wire for number in numbers for wire in number), *(choice.flat for choice in self.choices))

    def _more_outputs(self, over: Wire) -> tuple[Wire, ...]:
        network = self.network
        stays = network.both(network.any_of(choice.is_open for choice in self.choices), over ^ 1)
        flat = (network.either(choice.flat, choice.is_weightless) for choice in self.choices)
        return (stays, *(network.both(wire, stays) for wire in flat))

    def _choose(
        self, moves: Sequence[Mapping[Term, Term]], wires: Sequence[Mapping[Term, Wire]], legal: list[Wire]
    ) -> tuple[list[Wire], Wire]:
        network = self.network
        moved = network.any_of(legal)
        if len(legal) <= 1:
            return list(legal), moved
        flat = network.input()
        weights = [
            self._weight(named, owners, network.both(flat, wire))
            for named, owners, wire in zip(moves, wires, legal, strict=True)
        ]
        levels = _sums(network, weights)
        total = levels[-1][0]
        rank, is_drawn = self._draw(total)
        weightless = network.both(moved, network.any_of(total) ^ 1)
        self.choices.append(_Choice(flat, weightless, network.both(moved, is_drawn ^ 1)))
        return _find(network, levels, rank), moved

    def _weight(self, moves: Mapping[Term, Term], owners: Mapping[Term, Wire], flat: Wire) -> Number:
        """What the moves of a place weigh here: nothing unless one is legal for somebody."""
        network = self.network
        digits = [
            network.any_of(
                network.both(wire, self.weights[role][moves[role]][place]) for role, wire in owners.items()
            )
            for place in range(WEIGHT_BITS)
        ]
        return [network.either(digits[0], flat), *digits[1:]]

    def _draw(self, total: Number) -> tuple[Number, Wire]:
        """A number less than the total, and whether there is one."""
        network = self.network
        below: Number = []  # of each digit, whether the total has one there or before it
        for digit in reversed(total):
            below.insert(0, network.either(digit, below[0]) if below else digit)
        rank: Number = [FALSE] * len(total)
        is_drawn = FALSE
        for _ in range(DRAWS):
            random = [network.input() for _ in total]
            self.random += random
            drawn = [network.both(*pair) for pair in zip(random, below, strict=True)]
            _, is_less = subtract(network, drawn, total)
            rank = [network.choose(is_drawn, *pair) for pair in zip(rank, drawn, strict=True)]
            is_drawn = network.either(is_drawn, is_less)
        return rank, is_drawn


def _sums(network: Network, weights: Sequence[Number]) -> list[list[Number]]:
    """The levels of the tree: weights, sums of two of them, and so on up to the total."""
    levels = [list(weights)]
    while len(levels[-1]) > 1:
        below = levels[-1]
        sums = [add(network, left, right) for left, right in zip(below[::2], below[1::2], strict=False)]
        levels.append([*sums, *below[2 * len(sums) :]])
    return levels


def _find(network: Network, levels: Sequence[Sequence[Number]], rank: Number) -> list[Wire]:
    """The move at a rank: for each whether it is that."""
    reached: list[Wire] = [1]
    for level in reversed(levels[:-1]):
        left = _sum_of(network, reached, level[::2])
        rest, is_less = subtract(network, rank, left)
        widest = max(map(len, level))
        rank = [network.choose(is_less, *pair) for pair in zip(rank, rest, strict=True)][:widest]
        ways = is_less, is_less ^ 1
        reached = [network.both(here, way) for here in reached for way in ways][: len(level)]
    return reached


def _sum_of(network: Network, reached: Sequence[Wire], numbers: Sequence[Number]) -> Number:
    """The number at the node that is reached."""
    return [
        network.any_of(
            network.both(here, number[digit])
            for here, number in zip(reached, numbers, strict=True)
            if digit < len(number)
        )
        for digit in range(max(map(len, numbers)))
    ]
