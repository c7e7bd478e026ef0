"""What each name of a sheet is: as the readers have it where they can read, and as its author has it where not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from gamemaster.editing.names import SheetName
from gamemaster.editing.sheets import edited_sheet
from gamemaster.errors import ReadError
from gamemaster.language.check.sheet import Sheet
from gamemaster.language.notation import read, show
from gamemaster.language.rules import Notation, Rules, Sentence, relation_of
from gamemaster.language.source import Source
from tests.editing.sheets import LIBRARY, NIM, NOTATIONS
from tests.language.strategies import core_sheets, sheets


def standings(text: str, notation: Notation) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in edited_sheet(text, notation).names:
        found.setdefault(text[name.start : name.end], []).append(name.standing)
    return found


def relations(names: list[SheetName], *places: str) -> list[tuple[str, int]]:
    return [(name.text, name.arity) for name in names if name.standing in places]


@pytest.mark.parametrize("game", LIBRARY)
def test_sentences_heads_and_conditions_are_those_of_the_reader(game: str) -> None:
    text, notation = LIBRARY[game]
    rules, sheet = read(Source(game, text), notation), edited_sheet(text, notation)
    assert [(s.start, s.end) for s in sheet.sentences] == [
        (s.span.start, s.span.end) for s in rules.sentences
    ]
    assert relations(sheet.names, "head") == [relation_of(rule.head) for rule in rules.rules]
    assert relations(sheet.names, "operation") == [relation_of(h.operation) for h in rules.handlers]
    checked = Sheet(rules)
    asked = [use.relation for use in checked.uses] + [relation_of(a.term) for a, _ in checked.builtin_uses]
    assert sorted(relations(sheet.names, "condition")) == sorted(asked)


@given(sheets)
@settings(max_examples=100)
def test_sentences_of_epilog_are_those_of_the_reader_whatever_they_say(
    sentences: tuple[Sentence, ...],
) -> None:
    assert_sentences_as_read(show(Rules(sentences, "epilog")), "epilog")


@given(core_sheets)
@settings(max_examples=100)
def test_sentences_of_kif_are_those_of_the_reader_whatever_they_say(sentences: tuple[Sentence, ...]) -> None:
    assert_sentences_as_read(show(Rules(sentences, "kif")), "kif")


def assert_sentences_as_read(text: str, notation: Notation) -> None:
    try:
        known = read(Source("rules", text), notation).sentences
    except ReadError:  # a negation cannot be a head, though it can be printed
        return
    found = edited_sheet(text, notation).sentences
    assert [(s.start, s.end) for s in found] == [(s.span.start, s.span.end) for s in known]


def test_facts_and_moves_are_known_by_the_word_around_them() -> None:
    found = standings(NIM["kif"], "kif")
    assert set(found["pile"]) == {"fact"}
    assert set(found["take"]) == {"move"}
    assert found["first"][0] == "role"
    found = standings("legal(go(X)) :- spot(X)  go(X) :: spot(Y) & (a | b) ==> ~spot(Y) & spot(X)", "epilog")
    assert found["go"] == ["move", "operation"]
    assert found["spot"] == ["condition", "condition", "effect", "effect"]
    assert found["a"] == ["condition"]


def test_what_an_aggregate_asks_for_is_a_condition_and_what_is_computed_an_expression() -> None:
    text = "p(N) :- countofall(X,q(X) & ~r(f(X)),N)  t(N) :- evaluate(plus(twice(1),2),N)  twice(X) := times(X,2)"
    found = standings(text, "epilog")
    assert (found["q"], found["r"], found["f"]) == (["condition"], ["condition"], ["term"])
    assert found["twice"] == ["expression", "function"]
    assert found["times"] == ["expression"]


def test_connectives_are_told_from_functors() -> None:
    found = standings("(<= (p ?x) (or (q ?x) (not (r ?x))) (s (not ?x)))", "kif")
    assert found["not"] == ["connective", "term"]
    assert found["q"] == ["condition"]


@pytest.mark.parametrize(
    ("notation", "text", "heads"),
    [
        ("epilog", "p(X) :- q(X\nr(a)\ns(X) :- t(X)", ["p", "r", "s"]),
        ("epilog", "p(X) :- q(X,\nr(X) :- s(X)", ["p", "r"]),
        ("epilog", "p(X) :- q(X) &\nr(X) :- s(X)", ["p", "r"]),
        ("hrf", "p(a)) q(b", ["p", "q"]),
        ("hrf", "p :- X < 3 & q(X)\nr(X) :- t(X)", ["p", "r"]),
        ("kif", "(<= (p ?x) (q ?x)\n(<= (r ?x) (s ?x))\n(t a)", ["p", "r", "t"]),
        ("kif", "(p a))\n(q b)", ["p", "q"]),
        ("kif", "(<= (p ?x) (q ?x)\n(t a)\n(u", ["p", "t", "u"]),
    ],
)
def test_a_sentence_that_is_not_complete_leaves_the_others_alone(
    notation: Notation, text: str, heads: list[str]
) -> None:
    names = edited_sheet(text, notation).names
    assert [name.text for name in names if name.standing == "head"] == heads


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize(
    "text", ["(" * 5000, "f(" * 5000 + "x" + ")" * 9000, "[" * 5000 + "]", ")" * 99, "~" * 99]
)
def test_brackets_without_end_are_no_trouble(notation: Notation, text: str) -> None:
    sheet = edited_sheet(text, notation)
    assert all(name.start < name.end for name in sheet.names)


def test_kif_reads_capitals_as_the_reader_does() -> None:
    sheet = edited_sheet("(ROLE X) (Cell |X| x)", "kif")
    assert [name.text for name in sheet.names] == ["role", "X", "cell", "X", "x"]
    alone = edited_sheet("(Role Xavier)", "kif")
    assert [name.text for name in alone.names] == ["role", "xavier"]
