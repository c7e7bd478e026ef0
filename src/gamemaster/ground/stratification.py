"""Ground program -> whether some atom depends on its own negation.

A sheet may look circular and not be: `goal(R,0) :- ~goal(R,100)` is fine for every value. Only the ground program
tells, and it is what decides; but not where a relation counts itself and what it counts is its value, as each count
makes another one: such rules have no end on the ground, and are refused before.
"""

from __future__ import annotations

from collections.abc import Iterator

from gamemaster.errors import NotStratified
from gamemaster.ground.program import Program
from gamemaster.language.builtins import builtins_of
from gamemaster.language.check.negative_recursion import find_negative_recursion
from gamemaster.language.dependency import aggregates_in, strongly_connected_components
from gamemaster.language.rules import Atom, Rule, Rules, name_of
from gamemaster.language.terms import variables_of

__all__ = ["check_counting", "find_negative_cycle"]


def check_counting(rules: Rules) -> None:
    """NotStratified where core rules count what depends on that count, and nothing bounds it."""
    builtins = builtins_of(rules)
    counted = {rules.place(part.span) for rule in rules.rules for part in _counts(rule, builtins)}
    for finding in find_negative_recursion(rules) if counted else ():
        if finding.place in counted:
            raise NotStratified(
                f"recursion through counting: {finding.message}", finding.place, hint=finding.hint
            )


def _counts(rule: Rule, builtins: frozenset[str]) -> Iterator[Atom]:
    """The aggregates of a rule whose result is a value of its head that no other condition is about."""
    atoms = [part for part in rule.body if isinstance(part, Atom)]
    counting = [part for part in atoms if name_of(part.term) in builtins and any(aggregates_in(part.term))]
    others = {v for part in atoms if part not in counting for v in variables_of(part.term)}
    for part in counting:
        if isinstance(part.term, tuple) and ({*variables_of(rule.head)} - others).intersection(
            variables_of(part.term[-1])
        ):
            yield part


def find_negative_cycle(program: Program) -> tuple[str, ...]:
    """The atoms of a cycle through negation, () where the program is stratified."""
    uses: dict[int, list[int]] = {}
    negative: list[tuple[int, int]] = []
    for head, body in program.rules():
        if head in program.choices or head in program.facts:
            continue
        for literal in body:
            if abs(literal) in program.choices:
                continue
            uses.setdefault(head, []).append(abs(literal))
            if literal < 0:
                negative.append((head, -literal))
    for threshold in program.thresholds:
        for literal in threshold.literals:
            uses.setdefault(threshold.head, []).append(abs(literal))
            negative.append((threshold.head, abs(literal)))
    components = strongly_connected_components(list(uses), lambda atom: uses.get(atom, ()))
    component_of = {atom: i for i, atoms in enumerate(components) for atom in atoms}
    for head, atom in negative:
        if atom in component_of and component_of.get(head) == component_of[atom]:
            return tuple(program.show_atom(number) for number in dict.fromkeys((head, atom)))
    return ()
