"""Ground program -> whether some atom depends on its own negation.

A sheet may look circular and not be: `goal(R,0) :- ~goal(R,100)` is fine for every value. Only the ground program
tells, and it is what decides; but not where a relation counts itself and what it counts is its value, as each count
makes another one: such rules have no end on the ground, and are refused before.
"""

from __future__ import annotations

from collections.abc import Iterator

from gamemaster.errors import NotStratified
from gamemaster.ground.program import Program
from gamemaster.language.builtins import AGGREGATES, builtins_of
from gamemaster.language.dependency import (
    Dependencies,
    aggregates_in,
    literals_of,
    strongly_connected_components,
)
from gamemaster.language.rules import Atom, Rule, Rules, name_of, relation_of
from gamemaster.language.terms import Compound, variables_of

__all__ = ["check_counting", "find_negative_cycle"]


def check_counting(rules: Rules) -> None:
    """NotStratified where core rules count what depends on that count, and nothing bounds it."""
    builtins = builtins_of(rules)
    suspects = [(rule, part) for rule in rules.rules for part in _counts(rule, builtins)]
    graph = Dependencies(rules.rules, builtins) if suspects else None
    for rule, part in suspects if graph else ():
        source = relation_of(rule.head)
        for use in literals_of(part, builtins):
            target = relation_of(use.atom.term)
            if graph.component_of.get(target) == graph.component_of[source]:
                what = f"recursion through counting: {source[0]} counts {target[0]}, which depends on {source[0]}"
                hint = "no count can depend on itself; break the circle"
                raise NotStratified(what, rules.place(part.span), hint=hint)


def _counts(rule: Rule, builtins: frozenset[str]) -> Iterator[Atom]:
    """The aggregates of a rule whose result is a value of its head, and has no other condition."""
    atoms = [part for part in rule.body if isinstance(part, Atom)]
    given = {v for part in atoms if name_of(part.term) not in builtins for v in variables_of(part.term)}
    free = {*variables_of(rule.head)} - given
    for part in atoms:
        term = part.term
        if isinstance(term, Compound) and term[0] in builtins and any(aggregates_in(term)):
            is_counted = term[0] in AGGREGATES or term[0] == "evaluate"
            if is_counted and free.intersection(variables_of(term[-1])):
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
