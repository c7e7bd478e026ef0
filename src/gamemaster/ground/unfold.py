"""Core rules -> the same rules, where wide views that one rule defines are replaced by what that rule says.

    toward(X,Y,A,B,D) :- from(X,Y,A,B,F) & pick(X,Y,F,D)             all cells X,Y with all cells A,B
    goes(D) :- true(mummy(X,Y)) & true(hero(A,B)) & toward(X,Y,A,B,D)

By itself such a view has an instance for whatever its body could be about. Written out where it is used, it has as many
as the rule there has. Only views that are large by the estimate are written out, as others do not mind, and only where
they are not negated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import count

from gamemaster.ground.atoms import args_of, flatten
from gamemaster.ground.demand import NAMED, in_expressions
from gamemaster.ground.sizes import Sizes
from gamemaster.language.dependency import strongly_connected_components
from gamemaster.language.rules import (
    Atom,
    Formula,
    Relation,
    Rule,
    Rules,
    formula_variables,
    relation_of,
    substitute_in,
)
from gamemaster.language.terms import Term, Variable, term_of, variables_of

__all__ = ["unfolded"]

WIDE = 50_000
"""A view with more instances than this, by the estimate, is written out where it is used."""

LONGEST = 20
"""No body gets longer than this."""


def unfolded(rules: Rules, sizes: Sizes) -> Rules:
    """The rules with wide views written out; the same where there are none."""
    views = _views(rules, sizes)
    if not views:
        return rules
    number = count(1)
    sentences = [
        replace(s, body=_body(s, views, number)) if isinstance(s, Rule) else s for s in rules.sentences
    ]
    return replace(rules, sentences=tuple(sentences))


def _views(rules: Rules, sizes: Sizes) -> dict[Relation, Rule]:
    """The wide views that one rule defines, each with its rule, in which no such view is left."""
    rules_of: dict[Relation, list[Rule]] = {}
    for rule in rules.rules:
        rules_of.setdefault(relation_of(rule.head), []).append(rule)
    spoken_of = in_expressions(rules)
    found = {
        relation: own[0]
        for relation, own in rules_of.items()
        if len(own) == 1 and relation not in NAMED and relation not in spoken_of and _is_wide(own[0], sizes)
    }

    def uses(relation: Relation) -> list[Relation]:
        return [relation_of(atom.term) for rule in rules_of.get(relation, ()) for atom in _atoms(rule.body)]

    views: dict[Relation, Rule] = {}
    number = count(1)
    for component in strongly_connected_components(found, uses):  # those that others use come first
        (relation, *others) = component
        if relation in found and not others and relation not in uses(relation):
            views[relation] = replace(found[relation], body=_body(found[relation], views, number, "inner "))
    return views


def _is_wide(rule: Rule, sizes: Sizes) -> bool:
    """Whether a rule gives very many instances of a relation, and may be written out."""
    args = args_of(rule.head)
    is_plain = all(isinstance(arg, Variable) for arg in args) and len(set(args)) == len(args)
    return is_plain and len(args) > 1 and sizes.parts(rule) is not None and sizes.rule(rule) >= WIDE


def _atoms(body: tuple[Formula, ...]) -> list[Atom]:
    """The positive literals of a body."""
    return [part for part in flatten(body) if isinstance(part, Atom)]


def _body(
    rule: Rule, views: Mapping[Relation, Rule], number: count[int], prefix: str = ""
) -> tuple[Formula, ...]:
    """The body of a rule with views written out, their own variables under names that nobody else has."""
    parts = list(flatten(rule.body))
    result: list[Formula] = []
    for position, part in enumerate(parts):
        view = views.get(relation_of(part.term)) if isinstance(part, Atom) else None
        left = len(parts) - position - 1
        if view is None or len(result) + len(view.body) + left > LONGEST:
            result.append(part)
            continue
        assert isinstance(part, Atom)
        apart = next(number)
        local = [v for formula in view.body for v in formula_variables(formula)]
        values: dict[Variable, Term] = {v: Variable(f"{prefix}{v} {apart}") for v in local}
        values |= zip(variables_of(view.head), map(term_of, args_of(part.term)), strict=True)
        result += [substitute_in(formula, values) for formula in view.body]
    return rule.body if len(result) == len(parts) and result == parts else tuple(result)
