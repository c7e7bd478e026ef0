"""The numbers in a position: what a fact counts, how many facts of a kind there are, the gaps between places.

A *register* is a set of facts that are alike but for one argument, a number, and of which exactly one holds in every
position: `heap(first,0)`, `heap(first,1)`, ... A *reading* says which numbers of a position a rule is about.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gamemaster.language.terms import Compound, Term
from gamemaster.machine.game import State

__all__ = ["NumberReading", "Register", "find_readings"]

MOST_REGISTERS = 8

Key = tuple[object, ...]


@dataclass(frozen=True)
class Register:
    """Facts that are alike but for the argument at `place`; `shape` is one of them without it."""

    place: int
    shape: tuple[str, ...]

    def value(self, facts: Iterable[Term]) -> int | None:
        """The number of the fact that holds; None where none does, or two."""
        held = [fact for fact in facts if isinstance(fact, Compound) and self.has(fact)]
        found = [int(fact[self.place]) for fact in held]
        return found[0] if len(found) == 1 else None

    def has(self, fact: Term) -> bool:
        """Whether a fact is one of them."""
        if not isinstance(fact, Compound) or len(fact) != len(self.shape) + 1:
            return False
        return _key(fact, self.place) == self.shape and _is_number(fact[self.place])

    def __str__(self) -> str:
        parts = [*self.shape[1:]]
        parts.insert(self.place - 1, "N")
        return f"{self.shape[0]}({','.join(parts)})"


@dataclass(frozen=True)
class NumberReading:
    """`how` is "values" of registers, "gaps" between them in pairs from the last, or "count": facts of a functor."""

    how: str
    registers: tuple[Register, ...] = ()
    functor: str = ""

    def numbers(self, state: State) -> tuple[int, ...] | None:
        """The numbers of a position; None where it has none."""
        if self.how == "count":
            return (sum(isinstance(fact, Compound) and fact[0] == self.functor for fact in state.facts),)
        values = [register.value(state.facts) for register in self.registers]
        if any(value is None for value in values):
            return None
        known = [value for value in values if value is not None]
        return tuple(known) if self.how == "values" else _gaps(known)

    def words(self) -> str:
        """What the numbers are, in words: "N in pile(N)", "the numbers of heap(first,N) and heap(second,N)"."""
        if self.how == "count":
            return f"the number of facts {self.functor}(...)"
        shown = [str(register) for register in self.registers]
        if self.how == "gaps":
            return f"the gaps between {', '.join(shown)}, every second one from the last"
        return f"N in {shown[0]}" if len(shown) == 1 else f"the numbers N in {', '.join(shown)}"


def _gaps(places: list[int]) -> tuple[int, ...]:
    """The gaps between the last two places, the two before them, and so on; before the first there is the edge, 0."""
    ordered = sorted(places)
    if len(ordered) % 2:
        ordered = [0, *ordered]
    return tuple(ordered[i + 1] - ordered[i] - 1 for i in range(0, len(ordered), 2))


def find_readings(states: Iterable[State]) -> list[NumberReading]:
    """The readings of positions, of which the last is the start; the simplest first."""
    positions = list(states)
    start = positions[-1].facts
    registers = sorted(
        _registers(positions),
        key=lambda register: (register.shape[0], register.value(start) or 0, register.shape),
    )
    found = [NumberReading("values", tuple(registers))] if 0 < len(registers) <= MOST_REGISTERS else []
    found += [NumberReading("values", (register,)) for register in registers if len(registers) > 1]
    if 1 < len(registers) <= MOST_REGISTERS:
        found.append(NumberReading("gaps", tuple(registers)))
    held = {fact for state in positions for fact in state.facts if isinstance(fact, Compound)}
    functors = sorted({str(fact[0]) for fact in held})
    return [*found, *(NumberReading("count", functor=functor) for functor in functors)]


def _registers(states: list[State]) -> Iterator[Register]:
    counted: dict[Register, int] = defaultdict(int)
    values: dict[Register, set[str]] = defaultdict(set)
    for state in states:
        for fact in state.facts:
            for place, shape in _places(fact):
                counted[Register(place, shape)] += 1
                values[Register(place, shape)].add(str(fact[place]) if isinstance(fact, Compound) else "")
    for register, count in counted.items():
        if (
            count == len(states)
            and len(values[register]) > 1
            and all(register.value(s.facts) is not None for s in states)
        ):
            yield register


def _places(fact: Term) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Where a fact has numbers, and what it is without each."""
    if isinstance(fact, Compound):
        for place in range(1, len(fact)):
            if _is_number(fact[place]):
                yield place, _key(fact, place)


def _key(fact: Compound, place: int) -> tuple[str, ...]:
    return tuple(str(part) for i, part in enumerate(fact) if i != place)


def _is_number(part: object) -> bool:
    return isinstance(part, str) and part.isdecimal() and len(part) < 7
