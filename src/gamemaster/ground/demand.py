"""Core rules -> rules whose heads have values: what nothing in a rule binds comes from where the relation is used.

    high(C) :- true(card(D)) & less(D,C)               C has any value that somebody asks about
    legal(R,draw(C)) :- true(card(C)) & ~high(C)

On the reference machine a question brings its values along. On the ground each rule must find its own, so the rule asks
for those that are wanted, and a relation says which these are:

    high(C) :- wanted high(C) & true(card(D)) & less(D,C)
    wanted high(C) :- true(card(C))

`goal(R,N)` and `legal(R,A)` are asked of each role. What is wanted says nothing about a state: it is there to find
instances, and counts as true once they are found (see `Translation.assumed`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from math import prod

from gamemaster.ground.atoms import atoms_of, flatten, needed_by, rule_of_definition
from gamemaster.ground.sizes import Sizes, count
from gamemaster.ground.values import MOST
from gamemaster.language.builtins import AGGREGATES, FUNCTIONS, builtin_test, formula_of
from gamemaster.language.rules import (
    And,
    Atom,
    AtomTerm,
    Formula,
    Not,
    Or,
    Relation,
    Rule,
    Rules,
    Sentence,
    formula_variables,
    relation_of,
)
from gamemaster.language.terms import Compound, Value, Variable, variables_of

__all__ = ["NAMED", "WANTED", "bound_in", "givers_of", "in_expressions", "with_demand"]

WANTED = "wanted "
"""What the name of a relation begins with that says what is wanted: no name in a sheet has a blank."""

NAMED = frozenset({("init", 1), ("next", 1), ("legal", 2), ("goal", 2), ("sees", 2), ("role", 1)})
"""Relations that the game is made of: nobody in the rules asks about them."""

WIDE = 20_000
"""A relation with more instances than this, by the estimate, is grounded only as far as it is asked about."""

WORTHWHILE = 4
"""If so many times fewer are asked about."""

OF_ROLES: dict[Relation, int] = {("goal", 2): 0, ("legal", 2): 0, ("sees", 2): 0}
"""Relations that are asked of each role, and where the role stands."""


def with_demand(rules: Rules, sizes: Sizes | None = None) -> Rules:
    """The same rules, where every head has its values; those that cannot get any are left as they are.

    With `sizes`, which estimate them, wide relations are asked for what is needed of them, too.
    """
    is_builtin = builtin_test(rules)
    needed = needed_by(rules, [*NAMED, ("terminal", 0)])
    asking = [rule for rule in rules.rules if relation_of(rule.head) in needed]
    spoken_of = in_expressions(rules)
    found = {**(_wide(asking, sizes) if sizes else {}), **_lacking(rules, is_builtin)}
    lacking = {relation: places for relation, places in found.items() if relation not in spoken_of}
    if not lacking:
        return rules
    while unknown := _asked_in_vain(asking, lacking, is_builtin):
        lacking = {relation: places for relation, places in lacking.items() if relation not in unknown}
    sentences: list[Sentence] = []
    for sentence in rules.sentences:
        if isinstance(sentence, Rule):
            sentences.append(replace(sentence, body=_body(sentence, lacking)))
        else:
            sentences.append(sentence)
    for rule in asking:
        sentences += _wishes(rule, lacking, is_builtin)
    for relation, places in lacking.items():
        if relation in OF_ROLES and places == (OF_ROLES[relation],):
            role = Variable("Role")
            sentences.append(
                Rule(Compound((_wanted_name(relation), role)), (Atom(Compound(("role", role))),))
            )
    return replace(rules, sentences=tuple(sentences))


def in_expressions(rules: Rules) -> set[Relation]:
    """The relations that expressions speak of: what those ask about is not followed."""
    expressions: list[Formula] = [
        Atom(Compound(term)) for rule in rules.rules for term in atoms_of(rule.body) if term[0] == "evaluate"
    ]
    bodies = [rule_of_definition(definition).body for definition in rules.definitions]
    return {relation_of(term) for body in (expressions, *bodies) for term in atoms_of(body)}


def _wide(asking: Sequence[Rule], sizes: Sizes) -> dict[Relation, tuple[int, ...]]:
    """The places of relations with very many instances for which every use has values, and few of them."""
    found: dict[Relation, tuple[int, ...]] = {}
    for relation in dict.fromkeys(relation_of(rule.head) for rule in asking if rule.body):
        if relation in NAMED or relation[1] < 2:
            continue
        size, domains = sizes.literal(
            Compound((relation[0], *(Variable(f"V{i}") for i in range(relation[1]))))
        )
        if size < WIDE:
            continue
        uses = [
            (term, _without(beside, {relation, *found}))
            for rule in asking
            for term, beside in _uses(rule.body, ())
            if relation_of(term) == relation
        ]
        places = tuple(
            place
            for place in range(relation[1])
            if all(_is_given(place, use, sizes.is_builtin) for use in uses)
        )
        wanted = sum(_wanted_size(term, beside, places, sizes) for term, beside in uses)
        whole = min(size, prod(domains[f"V{place}"] for place in places))
        if uses and places and wanted * WORTHWHILE <= whole:
            found[relation] = places
    return found


def _is_given(place: int, use: tuple[AtomTerm, list[Formula]], is_builtin: Callable[[Value], bool]) -> bool:
    """Whether what stands in a place has values from what stands beside the literal."""
    needed = set(variables_of(use[0][1:][place]))
    return needed <= bound_in(givers_of(use[1], needed, is_builtin), set(), is_builtin)


def _wanted_size(term: AtomTerm, beside: Sequence[Formula], places: Sequence[int], sizes: Sizes) -> float:
    """How many instances a use asks for, by estimate."""
    needed = {variable for place in places for variable in variables_of(term[1:][place])}
    parts = sizes.body(givers_of(beside, needed, sizes.is_builtin), frozenset(map(str.__str__, needed)))
    if parts is None:
        return MOST
    values = [
        min((part.domains[name] for part in parts if name in part.domains), default=MOST)
        for name in map(str.__str__, needed)
    ]
    return min(count(parts), prod(values))


def _lacking(rules: Rules, is_builtin: Callable[[Value], bool]) -> dict[Relation, tuple[int, ...]]:
    """The places of relations for which some rule has no value of its own."""
    found: dict[Relation, set[int]] = {}
    for rule in rules.rules:
        bound = bound_in(rule.body, set(), is_builtin)
        for place, part in enumerate(rule.head[1:] if isinstance(rule.head, tuple) else ()):
            if not set(variables_of(part)) <= bound:
                found.setdefault(relation_of(rule.head), set()).add(place)
                bound = bound_in(
                    rule.body, bound | set(variables_of(part)), is_builtin
                )  # what follows from it
    return {
        relation: tuple(sorted(places))
        for relation, places in found.items()
        if relation not in NAMED or places == {OF_ROLES.get(relation)}
    }


def _asked_in_vain(
    asking: Sequence[Rule], lacking: dict[Relation, tuple[int, ...]], is_builtin: Callable[[Value], bool]
) -> set[Relation]:
    """The relations that are asked about where there is no value to ask about either."""
    found = set()
    for rule in asking:
        for wish in _wishes(rule, lacking, is_builtin):
            if not set(variables_of(wish.head)) <= bound_in(wish.body, set(), is_builtin):
                found.add(next(relation for relation in lacking if _wanted_name(relation) == wish.head[0]))
    return found


def _body(rule: Rule, lacking: dict[Relation, tuple[int, ...]]) -> tuple[Formula, ...]:
    """The body of a rule, with what is wanted of its head."""
    places = lacking.get(relation_of(rule.head))
    return rule.body if places is None else (Atom(_wanted(rule.head, places), rule.span), *rule.body)


def _wishes(
    rule: Rule, lacking: dict[Relation, tuple[int, ...]], is_builtin: Callable[[Value], bool]
) -> Iterator[Rule]:
    """The rules that say what a rule wants of others."""
    for term, beside in _uses(_body(rule, lacking), ()):
        if (places := lacking.get(relation_of(term))) is not None:
            wanted = _wanted(term, places)
            others = _without(beside, lacking)
            givers = givers_of(others, set(variables_of(wanted)), is_builtin)
            if Atom(wanted) not in givers:
                yield Rule(wanted, tuple(givers), rule.span, rule.span)


def _without(parts: Sequence[Formula], relations: Collection[Relation]) -> list[Formula]:
    """The literals but those of relations that have to be asked themselves: each would wait for the other."""
    return [part for part in parts if not (isinstance(part, Atom) and relation_of(part.term) in relations)]


def _wanted(term: AtomTerm, places: Sequence[int]) -> AtomTerm:
    return Compound((_wanted_name(relation_of(term)), *(term[1:][place] for place in places)))


def _wanted_name(relation: Relation) -> str:
    """With the number of arguments: two relations may share a name."""
    return f"{WANTED}{relation[0]}/{relation[1]}"


def _uses(parts: Sequence[Formula], beside: Sequence[Formula]) -> Iterator[tuple[AtomTerm, list[Formula]]]:
    """Every atom in a conjunction, however deep, with the literals that stand beside it."""
    flat = list(flatten(parts))
    for part in flat:
        others = [*beside, *(other for other in flat if other is not part)]
        match part:
            case Atom(term):
                yield term, others
                if isinstance(term, tuple) and term[0] in AGGREGATES and len(term) > 2:
                    own = set(variables_of(term[1]))  # which others of that name say nothing about
                    outer = [other for other in others if not own & set(formula_variables(other))]
                    yield from _uses([formula_of(term[2])], outer)
            case Not(body):
                yield from _uses([body], others)
            case And(inner):
                yield from _uses(inner, others)
            case Or(inner):
                for each in inner:
                    yield from _uses([each], others)


def givers_of(
    beside: Sequence[Formula], needed: set[Variable], is_builtin: Callable[[Value], bool]
) -> list[Formula]:
    """The literals that give variables their values, and what these need themselves."""
    givers: list[Formula] = []
    is_new = True
    while is_new:
        is_new = False
        for part in beside:
            gives = _given_by(part, is_builtin)
            if part not in givers and gives & needed:
                givers.append(part)
                needed, is_new = needed | set(formula_variables(part)), True
    return givers


def _given_by(part: Formula, is_builtin: Callable[[Value], bool]) -> set[Variable]:
    """The variables that a literal can give values."""
    if not isinstance(part, Atom):
        return set()
    if not is_builtin(part.term):
        return set(variables_of(part.term))
    if part.term[0] in ("same", "member"):
        return set(variables_of(part.term))
    if part.term[0] in FUNCTIONS or part.term[0] in ("countofall", "setofall", "evaluate"):
        return set(variables_of(part.term[-1]))
    return set()


def bound_in(
    parts: Sequence[Formula], known: set[Variable], is_builtin: Callable[[Value], bool]
) -> set[Variable]:
    """The variables that have values where a conjunction holds: from relations, and what is computed from others."""
    bound, left = set(known), list(flatten(parts))
    is_new = True
    while is_new:
        is_new = False
        for part in list(left):
            gives = _bound_by(part, bound, is_builtin)
            if gives is not None:
                left.remove(part)
                is_new |= not gives <= bound
                bound |= gives
    return bound


def _bound_by(
    part: Formula, bound: set[Variable], is_builtin: Callable[[Value], bool]
) -> set[Variable] | None:
    """What a literal gives once some variables have values; None where it has to wait."""
    match part:
        case Atom(term) if not is_builtin(term):
            return set(variables_of(term))
        case Atom((("same" | "member") as name, first, second)):
            sides = [set(variables_of(first)), set(variables_of(second))]
            is_ready = sides[1] <= bound or (name == "same" and sides[0] <= bound)
            return sides[0] | sides[1] if is_ready else None
        case Atom(term) if term[0] in FUNCTIONS or term[0] == "evaluate":
            inputs = {v for each in term[1:-1] for v in variables_of(each)}
            return set(variables_of(term[-1])) if inputs <= bound else None
        case Atom(term) if term[0] in ("countofall", "setofall"):
            return set(variables_of(term[-1]))
        case Or(parts):
            return (
                set.intersection(*(bound_in([each], bound, is_builtin) for each in parts)) if parts else set()
            )
    return set()
