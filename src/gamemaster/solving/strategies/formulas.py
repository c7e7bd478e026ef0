"""Formulas for cold positions, those that who is to move loses: whether some numbers are cold, in words, as gates.

Each formula is fitted to labels: numbers and whether they are cold, or their Grundy values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from math import isqrt
from operator import xor
from typing import Any, ClassVar, Self

from gamemaster.network.graph import FALSE, Network, Wire
from gamemaster.solving.strategies.wording import listed

__all__ = ["FORMULAS", "Formula", "Numbers", "fitting"]

Numbers = tuple[int, ...]
Cold = Mapping[Numbers, bool]

LARGEST_MODULUS = 30
LONGEST_LIST = 12
MOST_ENTRIES = 200

Wires = Sequence[Mapping[int, Wire]]
"""For each number the wire of each value that it can have."""


@dataclass(frozen=True)
class Formula(ABC):
    """Which numbers are cold."""

    name: ClassVar[str]

    @abstractmethod
    def is_cold(self, numbers: Numbers) -> bool:
        """Whether who is to move loses."""

    @abstractmethod
    def words(self) -> str:
        """What cold positions are, as the end of "leave a position in which ...", about "they", the numbers."""

    @classmethod
    @abstractmethod
    def fitted(cls, cold: Cold, grundy: Mapping[Numbers, int]) -> Iterator[Self]:
        """Formulas of this kind that may fit labels."""

    @abstractmethod
    def wire(self, network: Network, wires: Wires) -> Wire:
        """Whether a position is cold, as a gate."""

    def to_json(self) -> dict[str, Any]:
        """The formula as plain data."""
        return {"name": self.name, **asdict(self)}


def fitting(cold: Cold, grundy: Mapping[Numbers, int]) -> Iterator[Formula]:
    """The formulas that fit all labels, the simplest first."""
    for kind in FORMULAS.values():
        for formula in kind.fitted(cold, grundy):
            if all(formula.is_cold(numbers) == label for numbers, label in cold.items()):
                yield formula


@dataclass(frozen=True)
class Residues(Formula):
    """One number, cold where it leaves certain remainders."""

    name: ClassVar[str] = "residues"

    modulus: int
    residues: tuple[int, ...]

    def __post_init__(self) -> None:
        if self.modulus < 2 or not all(0 <= residue < self.modulus for residue in self.residues):
            raise ValueError(f"no residues: {self.residues} modulo {self.modulus}")

    def is_cold(self, numbers: Numbers) -> bool:
        """By the remainder of the number."""
        return numbers[0] % self.modulus in self.residues

    def words(self) -> str:
        """A multiple, or remainders."""
        if self.residues == (0,):
            return f"it is a multiple of {self.modulus}"
        return f"it leaves {listed([str(r) for r in self.residues], 'or')} when divided by {self.modulus}"

    @classmethod
    def fitted(cls, cold: Cold, grundy: Mapping[Numbers, int]) -> Iterator[Self]:
        """The smallest modulus, of which the numbers go through two rounds."""
        if any(len(numbers) != 1 for numbers in cold):
            return
        values = [numbers[0] for numbers in cold]
        for modulus in range(2, min(LARGEST_MODULUS, (max(values) - min(values) + 1) // 2) + 1):
            residues = sorted({n % modulus for (n,), label in cold.items() if label})
            if 0 < len(residues) <= modulus // 2:
                yield cls(modulus, tuple(residues))

    def wire(self, network: Network, wires: Wires) -> Wire:
        """One of the cold values."""
        return network.any_of(wire for n, wire in wires[0].items() if self.is_cold((n,)))


@dataclass(frozen=True)
class NimSum(Formula):
    """Numbers whose nim-sum is 0: written in binary, every column has an even number of ones."""

    name: ClassVar[str] = "nim-sum"

    def is_cold(self, numbers: Numbers) -> bool:
        """The numbers added without carrying give 0."""
        return reduce(xor, numbers, 0) == 0

    def words(self) -> str:
        """As Bouton said it."""
        return "their nim-sum is 0 (written in binary, every column has an even number of ones)"

    @classmethod
    def fitted(cls, cold: Cold, grundy: Mapping[Numbers, int]) -> Iterator[Self]:
        """There is one."""
        if all(len(numbers) > 1 for numbers in cold):
            yield cls()

    def wire(self, network: Network, wires: Wires) -> Wire:
        """Every bit of the sum is 0."""
        return _is_zero_sum(network, [{n: (n, wire) for n, wire in values.items()} for values in wires])


@dataclass(frozen=True)
class MisereNim(Formula):
    """The nim-sum is 0, but 1 where no number is more than 1: the last object loses."""

    name: ClassVar[str] = "misere nim"

    def is_cold(self, numbers: Numbers) -> bool:
        """By the nim-sum, and whether there is a large heap."""
        return reduce(xor, numbers, 0) == (0 if max(numbers) > 1 else 1)

    def words(self) -> str:
        """Both halves of it."""
        return (
            "their nim-sum is 0 while one of them is 2 or more, and an odd number of them is 1 when none is"
        )

    @classmethod
    def fitted(cls, cold: Cold, grundy: Mapping[Numbers, int]) -> Iterator[Self]:
        """There is one."""
        if all(len(numbers) > 1 for numbers in cold):
            yield cls()

    def wire(self, network: Network, wires: Wires) -> Wire:
        """The sum is 0, turned around where no number is large: then it can be 0 or 1 only."""
        is_zero = _is_zero_sum(network, [{n: (n, wire) for n, wire in values.items()} for values in wires])
        is_large = network.any_of(wire for values in wires for n, wire in values.items() if n > 1)
        return network.differ(is_zero, is_large) ^ 1


@dataclass(frozen=True)
class GoldenRatio(Formula):
    """Two numbers that are k times the golden ratio and k times its square, rounded down, for some k."""

    name: ClassVar[str] = "golden ratio"

    def is_cold(self, numbers: Numbers) -> bool:
        """The difference is k, and the smaller is k times the golden ratio, rounded down; all in whole numbers."""
        small, large = sorted(numbers)
        k = large - small
        return small == (k + isqrt(5 * k * k)) // 2

    def words(self) -> str:
        """As Wythoff said it."""
        return (
            "the smaller is their difference times the golden ratio 1.618..., rounded down: "
            "0 and 0, 1 and 2, 3 and 5, 4 and 7, 6 and 10, and so on"
        )

    @classmethod
    def fitted(cls, cold: Cold, grundy: Mapping[Numbers, int]) -> Iterator[Self]:
        """There is one."""
        if all(len(numbers) == 2 for numbers in cold):
            yield cls()

    def wire(self, network: Network, wires: Wires) -> Wire:
        """One of the cold pairs."""
        pairs = ((a, b) for a in wires[0] for b in wires[1] if self.is_cold((a, b)))
        return network.any_of(network.both(wires[0][a], wires[1][b]) for a, b in pairs)


@dataclass(frozen=True)
class GrundySum(Formula):
    """Each number is a game of its own with a Grundy value, and the nim-sum of the values is 0."""

    name: ClassVar[str] = "grundy"

    tables: tuple[tuple[int, ...], ...]

    def is_cold(self, numbers: Numbers) -> bool:
        """The nim-sum of the Grundy values is 0."""
        if len(numbers) != len(self.tables) or any(
            n >= len(t) for n, t in zip(numbers, self.tables, strict=True)
        ):
            return False
        return reduce(xor, (table[n] for n, table in zip(numbers, self.tables, strict=True)), 0) == 0

    def words(self) -> str:
        """The values: as remainders if they are that, and once where all numbers have the same."""
        if modulus := self._modulus():
            return f"the nim-sum of what they leave when divided by {modulus} is 0"
        tables = list(dict.fromkeys(table[: self._shortest()] for table in self.tables))
        longest = max(self.tables, key=len)
        shown = [longest] if len(tables) == 1 else list(self.tables)
        rows = ["; ".join(f"{n} is worth {value}" for n, value in enumerate(table)) for table in shown]
        return f"the nim-sum of their Grundy values is 0 ({' | '.join(rows)})"

    def _modulus(self) -> int | None:
        """By what to divide numbers for remainders that are their values; None where there is no such number."""
        for modulus in range(2, max(map(len, self.tables))):
            if all(value == n % modulus for table in self.tables for n, value in enumerate(table)):
                return modulus
        return None

    def _shortest(self) -> int:
        return min(map(len, self.tables))

    @classmethod
    def fitted(cls, cold: Cold, grundy: Mapping[Numbers, int]) -> Iterator[Self]:
        """From the positions in which all other numbers are as low as they get."""
        sizes = {len(numbers) for numbers in cold}
        if len(sizes) != 1 or not grundy or sizes == {1}:
            return
        lowest = tuple(min(column) for column in zip(*cold, strict=True))
        tables = []
        for i in range(len(lowest)):
            alone = {n[i]: grundy[n] for n in grundy if n[:i] + n[i + 1 :] == lowest[:i] + lowest[i + 1 :]}
            tables.append(tuple(alone.get(n, 0) for n in range(max(alone, default=0) + 1)))
        if sum(map(len, tables)) <= MOST_ENTRIES:
            yield cls(tuple(tables))

    def wire(self, network: Network, wires: Wires) -> Wire:
        """Every bit of the sum is 0."""
        worth = [
            {n: (table[n], wire) for n, wire in values.items() if n < len(table)}
            for values, table in zip(wires, self.tables, strict=True)
        ]
        return _is_zero_sum(network, worth)


@dataclass(frozen=True)
class ListedCold(Formula):
    """One number, cold where it is in a list."""

    name: ClassVar[str] = "list"

    numbers: tuple[int, ...]

    def is_cold(self, numbers: Numbers) -> bool:
        """It is in the list."""
        return numbers[0] in self.numbers

    def words(self) -> str:
        """The list."""
        return f"it is {listed([str(n) for n in self.numbers], 'or')}"

    @classmethod
    def fitted(cls, cold: Cold, grundy: Mapping[Numbers, int]) -> Iterator[Self]:
        """The cold numbers, where they are few."""
        found = sorted(numbers[0] for numbers, label in cold.items() if label and len(numbers) == 1)
        if 0 < len(found) <= LONGEST_LIST and all(len(numbers) == 1 for numbers in cold):
            yield cls(tuple(found))

    def wire(self, network: Network, wires: Wires) -> Wire:
        """One of the cold values."""
        return network.any_of(wire for n, wire in wires[0].items() if self.is_cold((n,)))


def _is_zero_sum(network: Network, worth: Sequence[Mapping[int, tuple[int, Wire]]]) -> Wire:
    """Whether values add up to 0 without carrying; each number has a wire, and what it is worth, for each value."""
    largest = max((value for values in worth for value, _ in values.values()), default=0)
    odd: list[Wire] = []
    for bit in range(largest.bit_length()):
        columns = (network.any_of(w for v, w in values.values() if v >> bit & 1) for values in worth)
        odd.append(reduce(network.differ, columns, FALSE))
    return network.any_of(odd) ^ 1


FORMULAS: dict[str, type[Formula]] = {
    kind.name: kind for kind in (Residues, NimSum, GoldenRatio, MisereNim, GrundySum, ListedCold)
}
