"""Game -> which facts its states can have: those declared by base, those at the start, and what rules allow.

A board may be empty at the start and never declared. What can stand in an argument is then read off the
rules: a constant in a head goes there, a variable brings what its places in the body have in common. That
says too much at times, and too little only for values that are computed.
"""

from __future__ import annotations

import weakref
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from gamemaster.errors import GamemasterError
from gamemaster.ground.budget import Limits
from gamemaster.ground.reasoner import Reasoner, Situation
from gamemaster.language.builtins import builtins_of
from gamemaster.language.rules import And, Atom, Formula, Not, Or, Relation, Rule, Rules, relation_of
from gamemaster.language.terms import Compound, Term, Variable, term_of
from gamemaster.machine.game import Game

__all__ = ["PossibleFacts", "possible_facts"]

Place: TypeAlias = tuple[str, int, int]
"""An argument: functor or relation, how many arguments it takes, which of them from 0."""

FACT_WORDS = frozenset({"init", "next", "true", "base"})
DECLARATION_LIMITS = Limits(seconds=5.0, rows=200_000)
"""A drawing is not worth more; larger declarations are taken as not made."""

_known: weakref.WeakKeyDictionary[Game, PossibleFacts] = weakref.WeakKeyDictionary()


def possible_facts(game: Game) -> PossibleFacts:
    """Which facts the states of a game can have; found once for each game."""
    if game not in _known:
        _known[game] = PossibleFacts(game.rules, game.initial_state().ordered_facts)
    return _known[game]


@dataclass(frozen=True)
class PossibleFacts:
    """What is known about the facts of a game before it is played."""

    rules: Rules
    initial: tuple[Term, ...]

    @cached_property
    def declared(self) -> tuple[Term, ...]:
        """The answers of base, in order; none where the rules have none, or finding them goes wrong."""
        try:
            rows = Reasoner(self.rules, DECLARATION_LIMITS).answers("base", (None,), Situation(()))
        except GamemasterError:
            return ()
        return tuple(term_of(fact) for (fact,) in rows)

    def initial_of(self, relation: Relation) -> tuple[Term, ...]:
        """The facts of a relation at the start."""
        return self._initial_of.get(relation, ())

    def declared_of(self, relation: Relation) -> tuple[Term, ...]:
        """The facts of a relation that base has."""
        return self._declared_of.get(relation, ())

    def declares(self, relation: Relation) -> bool:
        """Whether base has facts of a relation."""
        return relation in self._declared_of

    @cached_property
    def _initial_of(self) -> dict[Relation, tuple[Term, ...]]:
        return _by_relation(self.initial)

    @cached_property
    def _declared_of(self) -> dict[Relation, tuple[Term, ...]]:
        return _by_relation(self.declared)

    @cached_property
    def relations(self) -> tuple[Relation, ...]:
        """The relation of every fact that is declared, initial or spoken of in the rules, in that order."""
        return tuple(dict.fromkeys(map(relation_of, (*self.declared, *self.initial, *self._mentioned()))))

    def _mentioned(self) -> Iterator[Term]:
        for rule in self.rules.rules:
            for atom in (rule.head, *(atom.term for atom, _ in _positive_atoms(rule.body))):
                if (
                    isinstance(atom, Compound)
                    and atom[0] in FACT_WORDS
                    and not isinstance(atom[-1], Variable)
                ):
                    yield atom[-1]

    @cached_property
    def domains(self) -> dict[Place, set[str]]:
        """The constants that can stand in each argument."""
        domains: dict[Place, set[str]] = defaultdict(set)
        flows: dict[tuple[Place, tuple[Place, ...]], None] = {}
        names = builtins_of(self.rules)
        for rule in self.rules.rules:
            for target, value in _flows(rule, names):
                if isinstance(value, str):
                    domains[target].add(value)
                else:
                    flows[target, value] = None
        _spread(domains, flows)
        return domains


def _by_relation(facts: Iterable[Term]) -> dict[Relation, tuple[Term, ...]]:
    found: dict[Relation, list[Term]] = {}
    for fact in facts:
        found.setdefault(relation_of(fact), []).append(fact)
    return {relation: tuple(those) for relation, those in found.items()}


def _spread(domains: dict[Place, set[str]], flows: Iterable[tuple[Place, tuple[Place, ...]]]) -> None:
    """Let constants flow from place to place until nothing changes; only what has got something new is asked again."""
    waiting: dict[Place, list[tuple[Place, tuple[Place, ...]]]] = defaultdict(list)
    for flow in flows:
        for source in flow[1]:
            waiting[source].append(flow)
    todo = dict.fromkeys(flows)
    while todo:
        target, sources = todo.popitem()[0]
        smallest = min(sources, key=lambda place: len(domains[place]))
        new = domains[smallest].intersection(*(domains[place] for place in sources)) - domains[target]
        if new:
            domains[target] |= new
            todo.update(dict.fromkeys(waiting[target]))


def _flows(rule: Rule, builtins: Iterable[str]) -> Iterator[tuple[Place, str | tuple[Place, ...]]]:
    """What a rule puts where: a constant, or what all of some other places have."""
    sure: dict[Variable, list[Place]] = defaultdict(list)
    perhaps: dict[Variable, list[Place]] = defaultdict(list)
    made = list(_arguments(rule.head))
    for atom, is_sure in _positive_atoms(rule.body):
        if isinstance(atom.term, Compound) and atom.term[0] == "same":
            made += [found for part in atom.term[1:] for found in _arguments(part)]
        elif isinstance(atom.term, Compound) and atom.term[0] not in builtins:
            for place, value in _arguments(atom.term):
                if isinstance(value, Variable):
                    (sure if is_sure else perhaps)[value].append(place)
    for place, value in made:
        if not isinstance(value, Variable):
            yield place, str.__str__(value)
        elif value in sure:
            yield place, tuple(sure[value])
        else:
            yield from ((place, (source,)) for source in perhaps[value])


def _arguments(term: Term) -> Iterator[tuple[Place, Term]]:
    """The constants and variables of a term, at any depth, each with the argument it stands in."""
    if not isinstance(term, Compound):
        return
    for index, part in enumerate(term[1:]):
        if isinstance(part, Compound):
            yield from _arguments(part)
        else:
            yield (term[0], len(term) - 1, index), part


def _positive_atoms(body: Iterable[Formula], *, is_sure: bool = True) -> Iterator[tuple[Atom, bool]]:
    """The atoms outside negations, and whether each holds wherever the body does (not in a disjunction)."""
    for formula in body:
        if isinstance(formula, Atom):
            yield formula, is_sure
        elif isinstance(formula, And | Or):
            yield from _positive_atoms(formula.parts, is_sure=is_sure and not isinstance(formula, Or))
        else:
            assert isinstance(formula, Not)
