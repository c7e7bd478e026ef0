"""Clocks: groups of facts, one of which always holds, that count moves and decide nothing but when the game is over.

Without its clock a game may go on for ever; with it the game ends where the clock stands at one of its last values. The
circuit shows what hangs on a clock: it may be only whether the game is over, and the clock itself. Neither the legal
moves nor goals nor any other fact of the next state depend on it, so what is forced in few enough steps without the
clock is forced with it. How many steps are few enough is its *room*: so many it takes at least to a last value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gamemaster.network.build import Circuit
from gamemaster.network.graph import AND, XOR, Wire, cone
from gamemaster.network.invariants import Invariant

__all__ = ["ENDLESS_ROOM", "Clock", "below", "find_clocks"]

ENDLESS_ROOM = 1 << 30
"""The room of a clock that never ends a game."""


@dataclass(frozen=True)
class Clock:
    """A clock: the numbers of its facts, which of them holds first, and the room that each leaves."""

    facts: tuple[int, ...]
    first: int
    room: dict[int, int]
    term: str

    @property
    def ends_games(self) -> bool:
        """Whether a game can be over because of it."""
        return any(steps < ENDLESS_ROOM for steps in self.room.values())

    def to_json(self) -> dict[str, Any]:
        """The clock as plain data."""
        return {"first": self.first, "room": list(self.room.items()), "term": self.term}

    @classmethod
    def from_json(cls, told: dict[str, Any], facts: int) -> Clock:
        """The clock that `to_json` told, of a game with so many facts."""
        room = {below(fact, facts): int(steps) for fact, steps in told["room"]}
        return cls(tuple(room), below(told["first"], facts), room, str(told["term"]))


def below(number: object, end: int) -> int:
    """A whole number, if it is one from 0 up to an end; else ValueError. Kernels do not look."""
    if not isinstance(number, int) or not 0 <= number < end:
        raise ValueError(f"{number} is not one of 0 to {end - 1}")
    return number


def find_clocks(circuit: Circuit, groups: Sequence[Invariant]) -> list[Clock]:
    """Those of some groups, of each of which exactly one fact holds, that are clocks."""
    facts = list(circuit.facts)
    wires = list(circuit.facts.values())
    found: list[Clock] = []
    for group in groups:
        first = next(i for i in group.facts if facts[i] in circuit.init)
        if _decides_nothing(circuit, set(group.facts)):
            over = _inputs(circuit, wires, [circuit.terminal]).intersection(group.facts)
            room = _room(group.facts, over, _followers(circuit, group.facts))
            found.append(Clock(group.facts, first, room, str(facts[first])))
    return found


def _inputs(circuit: Circuit, wires: Sequence[Wire], outputs: Iterable[Wire]) -> set[int]:
    """The facts, by their numbers, that some outputs depend on."""
    nodes = cone(circuit.network, outputs)
    return {i for i, wire in enumerate(wires) if wire >> 1 in nodes}


def _decides_nothing(circuit: Circuit, own: set[int]) -> bool:
    """Whether no move, goal or other fact depends on a group."""
    wires = list(circuit.facts.values())
    legal = [wire for role in circuit.roles for wire in circuit.legal[role]]
    goals = [wire for role in circuit.roles for wire in circuit.goal[role].values()]
    others = [wire for i, wire in enumerate(circuit.next) if i not in own]
    return not own & _inputs(circuit, wires, [*legal, *goals, *others])


def _followers(circuit: Circuit, own: Sequence[int]) -> dict[int, set[int]]:
    """The values that a clock can have a step after each: those that what is known of it does not exclude."""
    outputs = [circuit.next[i] for i in own]
    order = sorted(cone(circuit.network, outputs))
    wires = list(circuit.facts.values())
    inputs = {wires[i] >> 1: i for i in own}
    return {
        now: {
            i
            for i, known in zip(own, _evaluated(circuit, order, inputs, now, outputs), strict=True)
            if known != 0
        }
        for now in own
    }


def _evaluated(
    circuit: Circuit, order: Sequence[int], inputs: dict[int, int], now: int, outputs: Sequence[Wire]
) -> list[int | None]:
    """What outputs are where a clock has a value: 0, 1, or None where that depends on more."""
    network = circuit.network
    value: dict[int, int | None] = {0: 0}  # its wire is FALSE

    def of(wire: Wire) -> int | None:
        known = value.get(wire >> 1)
        return known if known is None else known ^ (wire & 1)

    for node in order:
        if node in inputs:
            value[node] = int(inputs[node] == now)
        elif network.kind[node] == AND:
            x, y = of(network.first[node]), of(network.second[node])
            value[node] = 0 if 0 in (x, y) else 1 if x == y == 1 else None
        elif network.kind[node] == XOR:
            x, y = of(network.first[node]), of(network.second[node])
            value[node] = None if x is None or y is None else x ^ y
    return [of(wire) for wire in outputs]


def _room(own: Sequence[int], over: set[int], followers: dict[int, set[int]]) -> dict[int, int]:
    """How many steps each value is from one with which the game can be over, at least."""
    room = {i: 0 if i in over else ENDLESS_ROOM for i in own}
    layer, steps = set(over), 0
    while layer:
        steps += 1
        layer = {i for i in own if room[i] == ENDLESS_ROOM and followers[i] & layer}
        room.update(dict.fromkeys(layer, steps))
    return room
