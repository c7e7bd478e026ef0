"""Hypothesis strategies: terms, formulas, sentences and sheets, and texts that are almost sheets.

Everything here is sensible: what a reader could have given. Variables have names that KIF can write, so that
sentences are the same in every notation; anonymous ones are numbered from left to right.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

from hypothesis import strategies as st

from gamemaster.language.rules import And, Atom, Definition, Formula, Handler, Not, Or, Rule, Sentence
from gamemaster.language.terms import Compound, Symbol, Variable

NAMES = ["p", "q", "cell", "line", "mark", "control", "true", "does", "x.y/z", "a-b", "2-1", "goal_2"]
NUMBERS = ["0", "1", "12", "3.5", "1e3", "-1", "-2.5"]
ODD_NAMES = [
    "+",
    "1+",
    "<",
    "->",
    "<=",
    "?x",
    "A",
    "A b",
    "it's",
    "a|b",
    "\\",
    "a\nb",
    "a\\nb",
    "",
    "é",
    ";",
    "%",
    "p.",
]
STRINGS = ['""', '"A b"', '"it\'s; %"', '"ä"', '"a"b"']
CONNECTIVES = ["and", "or", "not", "cons"]
VARIABLES = ["X", "Y", "Row", "X1", "N-1", "VV1", "XU27", "New_x"]
PLACEHOLDER = Variable("_0")

any_text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\ufffd"), max_size=4)
names = st.sampled_from(NAMES) | st.sampled_from(ODD_NAMES)
symbols = st.builds(Symbol, names | st.sampled_from(NUMBERS + STRINGS + [*CONNECTIVES, "nil"]) | any_text)
variables = st.builds(Variable, st.sampled_from(VARIABLES)) | st.just(PLACEHOLDER)


def compounds(functors: st.SearchStrategy[str], arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Compounds with none to three arguments."""
    return st.builds(lambda name, args: Compound((name, *args)), functors, st.lists(arguments, max_size=3))


terms: st.SearchStrategy[Any] = st.recursive(
    symbols | variables, lambda inner: compounds(names | st.sampled_from(CONNECTIVES), inner), max_leaves=8
)
ground_terms: st.SearchStrategy[Any] = st.recursive(
    symbols, lambda inner: compounds(names | st.sampled_from(CONNECTIVES), inner), max_leaves=8
)
atom_terms: st.SearchStrategy[Any] = st.builds(Symbol, names) | compounds(names, terms)
atoms = st.builds(Atom, atom_terms)
literals = atoms | st.builds(Not, atoms)


def _joins(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    def parts(without: type[Formula]) -> st.SearchStrategy[tuple[Formula, ...]]:
        part = inner.filter(lambda formula: not isinstance(formula, without))
        return st.lists(part, min_size=2, max_size=3).map(tuple)

    return st.builds(Not, inner) | st.builds(And, parts(And)) | st.builds(Or, parts(Or))


formulas: st.SearchStrategy[Formula] = st.recursive(atoms, _joins, max_leaves=6)
bodies = st.lists(formulas.filter(lambda formula: not isinstance(formula, And)), max_size=3).map(tuple)
effects = st.lists(literals, min_size=1, max_size=3).map(tuple)


def number_anonymous(sentence: Any) -> Any:
    """The sentence with its placeholders numbered from left to right, as readers do."""
    return _numbered(sentence, count(1))


def _numbered(value: Any, numbers: Iterator[int]) -> Any:
    """The value (part of a sentence, tuple or term) with each placeholder replaced by the next variable."""
    if isinstance(value, Variable):
        return Variable(f"_{next(numbers)}") if value == PLACEHOLDER else value
    if isinstance(value, Compound):
        return Compound((value[0], *(_numbered(part, numbers) for part in value[1:])))
    if isinstance(value, tuple):
        return tuple(_numbered(part, numbers) for part in value)
    match value:
        case Atom(part) | Not(part) | And(part) | Or(part):
            return type(value)(_numbered(part, numbers))
        case Rule(first, second) | Definition(first, second):
            return type(value)(_numbered(first, numbers), _numbered(second, numbers))
        case Handler(operation, condition, effects):
            return Handler(*(_numbered(part, numbers) for part in (operation, condition, effects)))
    return value


rules: st.SearchStrategy[Rule] = st.builds(Rule, atom_terms, bodies).map(number_anonymous)
handlers: st.SearchStrategy[Handler] = st.builds(Handler, atom_terms, bodies, effects).map(number_anonymous)
definitions: st.SearchStrategy[Definition] = st.builds(Definition, atom_terms, terms).map(number_anonymous)

core_sheets: st.SearchStrategy[tuple[Sentence, ...]] = st.lists(
    rules | definitions, min_size=1, max_size=4
).map(tuple)
"""Sentences that every notation has."""
sheets: st.SearchStrategy[tuple[Sentence, ...]] = st.lists(
    rules | handlers | definitions, min_size=1, max_size=4
).map(tuple)
"""Sentences of Epilog."""

TOKENS = [
    "(",
    ")",
    "[",
    "]",
    ",",
    "<=",
    ":-",
    "::",
    ":=",
    "==>",
    "&",
    "|",
    "~",
    "!",
    ".",
    "+",
    "-",
    "*",
    "_",
    "?x",
    "?_1",
]
TOKENS += [
    "X",
    "p",
    "q(a)",
    "not",
    "and",
    "or",
    "distinct",
    "terminal",
    "-2",
    '"s"',
    "'A b'",
    "|A b|",
    "(p ?x)",
    "(f)",
]
TOKENS += ['"', "'", "%", ";", "\\", "\n", "\r\n", "\r", "é", "\ufeff", "\ufffd", "?", "\x00"]

token_soups = st.lists(st.sampled_from(TOKENS), max_size=30).flatmap(
    lambda tokens: st.sampled_from(["", " "]).map(lambda blank: blank.join(tokens))
)
"""Texts made of tokens of all notations in any order."""
