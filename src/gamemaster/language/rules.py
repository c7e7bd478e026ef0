"""Rules: what readers make of text, in every notation.

A sheet is a sequence of sentences. KIF and HRF have only rules (a fact is a rule without a body); Epilog has
handlers and definitions too, which `lower` turns into rules. Spans point into the source and do not count when
sentences are compared: reading what was printed gives equal sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, overload

from gamemaster.errors import Place
from gamemaster.language.source import Source, Span
from gamemaster.language.terms import Compound, Symbol, Term, Value, Variable, variables_of

__all__ = [
    "And",
    "Atom",
    "AtomTerm",
    "Definition",
    "Formula",
    "Handler",
    "Not",
    "Notation",
    "Or",
    "Relation",
    "Rule",
    "Rules",
    "Sentence",
    "effect_term",
    "formula_variables",
    "map_atoms",
    "name_of",
    "relation_of",
    "substitute",
    "substitute_in",
]

Notation = Literal["kif", "hrf", "epilog"]
Relation: TypeAlias = tuple[str, int]
"""A relation: its name and how many arguments it takes."""

AtomTerm: TypeAlias = Symbol | Compound
"""The term of an atom: `terminal` is a Symbol, `legal(X,noop)` a Compound."""

NOWHERE = Span(0, 0)


def _span() -> Any:
    return field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Atom:
    """A relation applied to terms."""

    term: AtomTerm
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Not:
    """Negation as failure: no instance of the body holds."""

    body: Formula
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class And:
    """All parts hold; never directly inside another And."""

    parts: tuple[Formula, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Or:
    """At least one part holds; never directly inside another Or."""

    parts: tuple[Formula, ...]
    span: Span = _span()


Formula: TypeAlias = Atom | Not | And | Or


@dataclass(frozen=True, slots=True)
class Rule:
    """The head holds where all of the body does; without a body, a fact. The body is never a lone And."""

    head: AtomTerm
    body: tuple[Formula, ...] = ()
    span: Span = _span()
    head_span: Span = _span()


@dataclass(frozen=True, slots=True)
class Handler:
    """Epilog's `operation :: condition ==> effects`: what an operation adds, deletes (Not) and makes happen."""

    operation: AtomTerm
    condition: tuple[Formula, ...]
    effects: tuple[Atom | Not, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Definition:
    """Epilog's `f(X) := expression`, used by evaluate."""

    head: AtomTerm
    expression: Term
    span: Span = _span()


Sentence: TypeAlias = Rule | Handler | Definition


@dataclass(frozen=True)
class Rules:
    """A rulesheet: its sentences in the order of the text, its notation and where it came from.

    Rules in "kif" and "hrf" are in the core language; those in "epilog" become so by `lower`.
    """

    sentences: tuple[Sentence, ...]
    notation: Notation
    source: Source = field(default_factory=lambda: Source("rules", ""), compare=False, repr=False)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The sentences that are rules."""
        return tuple(s for s in self.sentences if isinstance(s, Rule))

    @property
    def handlers(self) -> tuple[Handler, ...]:
        """The sentences that are handlers (Epilog only)."""
        return tuple(s for s in self.sentences if isinstance(s, Handler))

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """The sentences that are definitions (Epilog only)."""
        return tuple(s for s in self.sentences if isinstance(s, Definition))

    def place(self, span: Span) -> Place:
        """Where a span of these rules begins."""
        return self.source.place(span.start)


def name_of(term: Value | Term) -> str:
    """The relation or functor name of a symbol or compound."""
    if isinstance(term, tuple):
        name: str = term[0]
        return name
    assert isinstance(term, str)
    return str.__str__(term)


def relation_of(term: Value | Term) -> Relation:
    """The relation of an atom's term: `terminal` and `terminal()` are both ("terminal", 0)."""
    return (term[0], len(term) - 1) if isinstance(term, tuple) else (name_of(term), 0)


def effect_term(effect: Atom | Not) -> AtomTerm:
    """The fact or operation that an effect names."""
    atom = effect if isinstance(effect, Atom) else effect.body
    assert isinstance(atom, Atom)  # readers allow only ~atom
    return atom.term


def map_atoms(formula: Formula, change: Callable[[AtomTerm], AtomTerm]) -> Formula:
    """The formula with every atom's term changed."""
    match formula:
        case Atom(term, span):
            return Atom(change(term), span)
        case Not(body, span):
            return Not(map_atoms(body, change), span)
        case And(parts, span):
            return And(tuple(map_atoms(part, change) for part in parts), span)
        case Or(parts, span):
            return Or(tuple(map_atoms(part, change) for part in parts), span)


@overload
def substitute(term: AtomTerm, values: Mapping[Variable, Term]) -> AtomTerm: ...
@overload
def substitute(term: Term, values: Mapping[Variable, Term]) -> Term: ...
def substitute(term: Term, values: Mapping[Variable, Term]) -> Term:
    """The term with variables replaced."""
    if isinstance(term, Variable):
        return values.get(term, term)
    if not isinstance(term, tuple):
        return term
    parts = [term[0]]
    for part in term[1:]:  # a loop: a comprehension would double the depth of the stack
        parts.append(substitute(part, values))
    return Compound(parts)


def substitute_in(formula: Formula, values: Mapping[Variable, Term]) -> Formula:
    """The formula with variables replaced."""
    return map_atoms(formula, lambda term: substitute(term, values))


def formula_variables(formula: Formula) -> Iterator[Variable]:
    """The variables of a formula from left to right, each as often as it occurs."""
    match formula:
        case Atom(term):
            yield from variables_of(term)
        case Not(body):
            yield from formula_variables(body)
        case And(parts) | Or(parts):
            for part in parts:
                yield from formula_variables(part)
