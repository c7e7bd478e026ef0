"""What is printed reads back as the same sentences, in and across notations; no text breaks a reader."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gamemaster.errors import Place, ReadError
from gamemaster.language.infix import read_term
from gamemaster.language.kif import read_kif_term
from gamemaster.language.notation import find_notation, read, show
from gamemaster.language.rules import (
    And,
    Atom,
    Formula,
    Handler,
    Not,
    Notation,
    Or,
    Rule,
    Rules,
    Sentence,
    substitute,
)
from gamemaster.language.source import Source
from gamemaster.language.syntax import sentence_terms, sentence_variables
from gamemaster.language.terms import MAX_DEPTH, Compound, Symbol, Term, Variable, exact_kif
from tests.language import strategies

NOTATIONS: list[Notation] = ["kif", "hrf", "epilog"]
MIXED_CASE = ["NewX", "Newx", "NEWX", "Newx_2", "X", "_1", "_2", "VV_1", "Vv1", "VV1"]


def reread(sentences: tuple[Sentence, ...], notation: Notation) -> tuple[Sentence, ...]:
    """The sentences after a way through text."""
    return read(Source("printed", show(Rules(sentences, notation))), notation).sentences


def canonical(sentence: Sentence) -> list[Any]:
    """The terms of a sentence with its variables numbered: equal for sentences that differ in names only."""
    names = dict.fromkeys(sentence_variables(sentence))
    numbered = {variable: Variable(f"V{number}") for number, variable in enumerate(names)}
    return [substitute(term, numbered) for term in sentence_terms(sentence)]


@given(strategies.core_sheets, st.sampled_from(NOTATIONS))
def test_core_rules_read_back_equal_in_every_notation(
    sentences: tuple[Sentence, ...], notation: Notation
) -> None:
    assert reread(sentences, notation) == sentences


@given(strategies.sheets)
def test_epilog_reads_back_equal(sentences: tuple[Sentence, ...]) -> None:
    assert reread(sentences, "epilog") == sentences


@given(strategies.core_sheets)
@settings(max_examples=50)
def test_a_way_through_all_notations_changes_nothing(sentences: tuple[Sentence, ...]) -> None:
    through = sentences
    for notation in NOTATIONS:
        through = reread(through, notation)
    assert through == sentences


@given(strategies.ground_terms)
def test_terms_read_back_equal(term: Any) -> None:
    assert read_term(str(term)) == term
    assert read_kif_term(exact_kif(term)) == term


@given(st.lists(st.sampled_from(MIXED_CASE), min_size=1, max_size=6), st.sampled_from(NOTATIONS))
def test_variables_never_merge_or_split(names: list[str], notation: Notation) -> None:
    rule = Rule(Symbol("h"), tuple(Atom(Compound(("p", Variable(name)))) for name in names))
    (again,) = reread((rule,), notation)
    assert canonical(again) == canonical(rule)


def read_or_refuse(reader: Callable[[], Any]) -> Any:
    """What a reader makes of a text, or the place for which it refuses it."""
    try:
        return reader()
    except ReadError as error:
        return error.place


@pytest.mark.parametrize("notation", NOTATIONS)
@given(text=strategies.token_soups | st.text(max_size=60))
@example(text="\ufeff")
@example(text="p :- " + "(" * 300)
def test_no_text_breaks_a_reader(notation: Notation, text: str) -> None:
    rules = read_or_refuse(lambda: read(Source("soup", text), notation))
    assert isinstance(rules, Rules | Place)
    assert isinstance(rules, Place) or read(Source("again", show(rules)), notation) == rules
    assert find_notation(text) in NOTATIONS


@given(strategies.token_soups)
def test_no_text_breaks_a_term_reader(text: str) -> None:
    assert isinstance(read_or_refuse(lambda: read_term(text)), Term | Place)
    assert isinstance(read_or_refuse(lambda: read_kif_term(text)), Term | Place)


def nested_not(depth: int) -> Formula:
    formula: Formula = Atom(Compound(("p", Symbol("a"))))
    for _ in range(depth - 1):
        formula = Not(formula)
    return formula


def nested_joins(depth: int) -> Formula:
    formula: Formula = Atom(Symbol("p"))
    for level in range(depth):
        formula = (And, Or)[level % 2]((Atom(Symbol("q")), formula))
    return formula


def nested_term(depth: int) -> Any:
    term: Any = Symbol("a")
    for _ in range(depth):
        term = Compound(("f", term))
    return term


def nested_list(depth: int) -> Any:
    term: Any = Symbol("nil")
    for _ in range(depth):
        term = Compound(("cons", Symbol("a"), term))
    return term


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize(
    "formula",
    [
        nested_not(MAX_DEPTH),
        Not(nested_joins(MAX_DEPTH - 1)),
        Atom(Compound(("p", nested_list(MAX_DEPTH - 1)))),
    ],
    ids=["not", "joins", "list"],
)
def test_the_deepest_formulas_read_back(formula: Formula, notation: Notation) -> None:
    sentences = (Rule(nested_term(MAX_DEPTH), (formula, formula)),)
    assert reread(sentences, notation) == sentences


def test_the_deepest_handler_reads_back() -> None:
    deep = nested_term(MAX_DEPTH)
    sentences = (
        Handler(deep, (nested_not(MAX_DEPTH), Atom(deep)), (Atom(deep), Not(Atom(nested_term(199))))),
    )
    assert reread(sentences, "epilog") == sentences
