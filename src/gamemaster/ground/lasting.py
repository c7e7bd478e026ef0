"""Core rules -> the facts that last: what holds at the start and nothing ever ends, such as the walls of a maze.

    init(wall(4,1,east))   next(wall(X,Y,D)) :- true(wall(X,Y,D))

Grounding would ask of every such fact what follows where it does not hold, which never happens in play. So it is told
that they hold. Of Epilog it is the same where no effect deletes them: `next(F) :- true(F) & ~deletes(F)`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gamemaster.ground.atoms import args_of
from gamemaster.language.rules import (
    Atom,
    AtomTerm,
    Formula,
    Not,
    Relation,
    Rule,
    Rules,
    name_of,
    relation_of,
)
from gamemaster.language.terms import Compound, Symbol, Value, Variable, term_of

__all__ = ["lasting_facts"]

AT_FIRST, AFTER, NOW = ("init", 1), ("next", 1), ("true", 1)


def lasting_facts(rules: Rules) -> list[AtomTerm]:
    """Facts with variables for arguments: an instance that holds at the start holds for ever."""
    heads: dict[Relation, list[AtomTerm]] = {}
    for rule in rules.rules:
        heads.setdefault(relation_of(rule.head), []).append(rule.head)
    frames = [rule for rule in rules.rules if relation_of(rule.head) == AFTER]
    found = dict.fromkeys(map(_general, _facts(heads.get(AT_FIRST, ()))))
    return [fact for fact in found if any(_keeps(frame, fact, heads) for frame in frames)]


def _facts(heads: Sequence[AtomTerm]) -> Iterator[AtomTerm]:
    """The facts of the start, as far as they can be told."""
    for head in heads:
        fact = term_of(args_of(head)[0])
        if isinstance(fact, Symbol | Compound):
            yield fact


def _general(fact: AtomTerm) -> AtomTerm:
    """The fact with a variable for each argument."""
    size = len(args_of(fact))
    return (
        Compound((name_of(fact), *(Variable(f"V{i}") for i in range(size))))
        if size
        else Symbol(name_of(fact))
    )


def _keeps(frame: Rule, fact: AtomTerm, heads: dict[Relation, list[AtomTerm]]) -> bool:
    """Whether a rule makes a fact hold wherever it held before."""
    now = [part for part in frame.body if isinstance(part, Atom)]
    after = args_of(frame.head)[0]
    if len(now) != 1 or now[0].term != Compound(("true", after)):
        return False
    others = [part for part in frame.body if part is not now[0]]
    if isinstance(after, Variable):
        return all(_never_ends(part, after, fact, heads) for part in others)
    args = args_of(after)
    is_general = all(isinstance(arg, Variable) for arg in args) and len(set(args)) == len(args)
    return is_general and not others and relation_of(after) == relation_of(fact)


def _never_ends(part: Formula, held: Variable, fact: AtomTerm, heads: dict[Relation, list[AtomTerm]]) -> bool:
    """Whether a literal of a frame rule holds for a fact in every state: it is of a relation that is not about it."""
    if not isinstance(part, Not) or not isinstance(part.body, Atom):
        return False
    term = part.body.term
    if args_of(term) != (held,):
        return False
    return not any(_may_be(args_of(head)[0], fact) for head in heads.get(relation_of(term), ()))


def _may_be(term: Value, fact: AtomTerm) -> bool:
    """Whether a term may be an instance of a fact that has variables for arguments."""
    return isinstance(term, Variable) or relation_of(term) == relation_of(fact)
