"""Whether the parts of one body can be found in another: the test behind every redundant subgoal and rule.

An embedding is a substitution of variables that turns each part of a body into a part of the other, or into a row
of a static relation. Where a body can be embedded in less than itself, the rest of it says nothing (Chandra and
Merlin 1977); where one rule can be embedded in another, the other is superfluous (theta-subsumption).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from gamemaster.language.rules import (
    And,
    Atom,
    Formula,
    Not,
    Or,
    Relation,
    formula_variables,
    relation_of,
    substitute_in,
)
from gamemaster.language.terms import Compound, Term, Variable

__all__ = ["Substitution", "embed", "is_local", "match", "row_of", "with_local_names"]

Substitution: TypeAlias = dict[Variable, Term]
Rows: TypeAlias = Callable[[Relation], "Sequence[tuple[Term, ...]] | None"]

LOCAL = "Local to a negation "
"""How the names of such variables begin; no sheet can have a variable like that."""

MOST_TRIES = 20_000
"""How many pairs of parts are tried before a body is taken as not embeddable: the problem is NP-complete."""


def with_local_names(parts: Sequence[Formula], outside: Collection[Variable]) -> list[Formula]:
    """The parts with the variables that only a negation has under names that do not depend on the author's.

    `~q(X)` where nothing gives X a value says that there is no q at all, and so does `~q(Y)`.
    """
    known = {*outside, *(v for part in parts if not isinstance(part, Not) for v in formula_variables(part))}
    return [_renamed_locals(part, known) if isinstance(part, Not) else part for part in parts]


def _renamed_locals(part: Formula, known: Collection[Variable]) -> Formula:
    names: Substitution = {}
    for variable in formula_variables(part):
        if variable not in known and variable not in names:
            names[variable] = Variable(f"{LOCAL}{len(names)}")
    return substitute_in(part, names)


def is_local(variable: Variable) -> bool:
    """Whether `with_local_names` has named a variable: no other can take its place."""
    return str.__str__(variable).startswith(LOCAL)


def match(pattern: Term, target: Term, free: Collection[Variable], by: Substitution) -> Substitution | None:
    """What free variables of a pattern must become to make it the target; None where nothing does that."""
    if isinstance(pattern, Variable) and pattern in free:
        if pattern in by:
            return by if by[pattern] == target else None
        return {**by, pattern: target}
    if isinstance(pattern, tuple):
        if not isinstance(target, tuple) or len(pattern) != len(target) or pattern[0] != target[0]:
            return None
        found: Substitution | None = by
        for inner, other in zip(pattern[1:], target[1:], strict=True):
            found = match(inner, other, free, found) if found is not None else None
        return found
    return by if type(pattern) is type(target) and pattern == target else None


def row_of(args: Sequence[Term]) -> Compound:
    """Arguments as a term, so that they can be matched."""
    return Compound(("row", *args))


def _match_part(
    pattern: Formula, target: Formula, free: Collection[Variable], by: Substitution
) -> Substitution | None:
    if isinstance(pattern, Atom) and isinstance(target, Atom):
        return match(pattern.term, target.term, free, by)
    if isinstance(pattern, Not) and isinstance(target, Not):
        return _match_part(pattern.body, target.body, free, by)
    same_kind = type(pattern) is type(target)
    if same_kind and isinstance(pattern, And | Or) and isinstance(target, And | Or):
        if len(pattern.parts) != len(target.parts):
            return None
        found: Substitution | None = by
        for inner, other in zip(pattern.parts, target.parts, strict=True):
            found = _match_part(inner, other, free, found) if found is not None else None
        return found
    return None


@dataclass
class _EmbeddingSearch:
    """One search for an embedding."""

    targets: Sequence[Formula]
    rows: Rows
    free: Collection[Variable]
    left: int = field(default=MOST_TRIES)

    def solve(self, parts: Sequence[Formula], by: Substitution) -> Substitution | None:
        """The substitution that embeds all parts; None where there is none, or it takes too long to find."""
        if not parts:
            return by
        part = min(parts, key=lambda part: self._freedom(part, by))
        rest = [other for other in parts if other is not part]
        for found in self._ways(part, by):
            if self.left <= 0:
                return None
            done = self.solve(rest, found)
            if done is not None:
                return done
        return None

    def _freedom(self, part: Formula, by: Substitution) -> int:
        """How many variables of a part are still open: the part with fewest is tried first."""
        return sum(v in self.free and v not in by for v in set(formula_variables(part)))

    def _ways(self, part: Formula, by: Substitution) -> Iterator[Substitution]:
        for target in self.targets:
            self.left -= 1
            found = _match_part(part, target, self.free, by)
            if found is not None:
                yield found
        if isinstance(part, Atom):
            pattern = row_of(part.term[1:] if isinstance(part.term, tuple) else ())
            for row in self.rows(relation_of(part.term)) or ():
                self.left -= 1
                found = match(pattern, row_of(row), self.free, by)
                if found is not None:
                    yield found


def embed(
    parts: Sequence[Formula],
    targets: Sequence[Formula],
    rows: Rows,
    free: Collection[Variable],
    by: Substitution | None = None,
) -> Substitution | None:
    """A substitution of free variables that makes each part a target or a static row; None where none is found."""
    return _EmbeddingSearch(targets, rows, free).solve(list(parts), by or {})
