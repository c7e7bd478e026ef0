"""Program: the rules with every variable replaced by every value it can have.

Atoms are numbers from 1; a literal is an atom's number, negative where it is negated. Rules stand in flat arrays,
since there may be millions: rule i has head `heads[i]` and the literals `literals[starts[i]:starts[i + 1]]`. What
counts or adds up stands beside them, as thresholds: the head holds where the weights of the literals that hold come to
the bound at least.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from gamemaster.language.rules import AtomTerm
from gamemaster.language.terms import Term

__all__ = ["Program", "Threshold"]


@dataclass(frozen=True, slots=True)
class Threshold:
    """A head that holds where the weights of those literals that hold add up to the bound, or more."""

    head: int
    bound: int
    literals: tuple[int, ...]
    weights: tuple[int, ...]


@dataclass
class Program:
    """A ground program. `choices` are the atoms that a state or the players may make true.

    `named["legal"]` maps the arguments of each instance of legal to its atom, and so on for the relations that the
    rest of the world asks about; `facts` are the atoms that always hold.
    """

    named: dict[str, dict[tuple[Term, ...], int]] = field(default_factory=dict)
    facts: set[int] = field(default_factory=set)
    choices: set[int] = field(default_factory=set)
    heads: array[int] = field(default_factory=lambda: array("i"))
    starts: array[int] = field(default_factory=lambda: array("i", [0]))
    literals: array[int] = field(default_factory=lambda: array("i"))
    thresholds: list[Threshold] = field(default_factory=list)
    stops: bool = False  # nothing is said of what follows a terminal state
    single: tuple[tuple[str, int], ...] = ()  # functors of facts that never differ in the last argument only
    steps: dict[str, Any] | None = None
    """What a count of steps says of every state, where it bounds numbers: `counter` is the functor of a fact with one
    value, `ranks` says after how many steps at most it has which, and `within` has functor, number of arguments, which
    of them, and between which numbers that is after so many steps."""

    atoms: dict[int, AtomTerm] = field(
        default_factory=dict
    )  # number -> atom, of all relations, where asked for

    def add(self, head: int, body: list[int]) -> None:
        """Add a rule."""
        if not body:
            self.facts.add(head)
            return
        self.heads.append(head)
        self.literals.extend(body)
        self.starts.append(len(self.literals))

    def rules(self) -> Iterator[tuple[int, list[int]]]:
        """Each rule as head and literals."""
        literals, starts = self.literals.tolist(), self.starts
        for i, head in enumerate(self.heads):
            yield head, literals[starts[i] : starts[i + 1]]

    def show_atom(self, number: int) -> str:
        """The atom of a number, for people."""
        return str(self.atoms.get(number, f"#{number}"))

    def __str__(self) -> str:
        return f"{len(self.heads)} ground rules, {len(self.literals)} literals, {len(self.facts)} facts"
