"""Hover: what a name means, where that is said, and how often it stands."""

from __future__ import annotations

import pytest

from gamemaster.editing import hover
from gamemaster.editing.words import BUILTINS, CONNECTIVE_WORDS, signature, words_of
from gamemaster.language.builtins import NAMES, builtin_arity_fits
from gamemaster.language.check.sheet import EPILOG_WORDS, GDL_WORDS
from gamemaster.language.rules import Notation
from gamemaster.language.syntax import CONNECTIVES
from tests.editing.sheets import EPILOG, HRF, KIF, NIM, at


def said(text: str, piece: str, notation: Notation) -> tuple[str, str, tuple[str, ...]]:
    found = hover(text, at(text, piece), notation)
    assert found
    assert text.startswith(text[found.span.start : found.span.end], at(text, piece))
    return found.title, found.meaning, found.details


def test_every_builtin_word_and_connective_has_a_meaning_and_takes_so_many_arguments() -> None:
    assert BUILTINS.keys() == NAMES
    assert all(builtin_arity_fits(name, len(entry.arguments)) for name, entry in BUILTINS.items())
    assert {name: len(entry.arguments) for name, entry in words_of("kif").items()} == GDL_WORDS
    epilog = {name: len(entry.arguments) for name, entry in words_of("epilog").items()}
    assert {name: count for name, count in epilog.items() if name not in ("true", "false")} == EPILOG_WORDS
    assert CONNECTIVE_WORDS.keys() == CONNECTIVES


def test_signatures_are_in_the_notation() -> None:
    assert signature("less", ("X", "Y"), "hrf") == "less(X,Y)"
    assert signature("less", ("X", "Y"), "kif") == "(less ?x ?y)"
    assert signature("terminal", (), "kif") == "terminal"


@pytest.mark.parametrize(
    ("notation", "title"), [("kif", "(legal ?r ?m)"), ("hrf", "legal(R,M)"), ("epilog", "legal(M)")]
)
def test_a_word_of_the_language(notation: Notation, title: str) -> None:
    shown, meaning, details = said(NIM[notation], "legal", notation)
    assert shown == title
    assert "may make the move M" in meaning
    assert details == ("a word of the language",)


def test_a_builtin() -> None:
    assert said(EPILOG, "minus", "epilog") == ("minus(X,Y,Z)", "Z is X less the others.", ("a builtin",))


def test_a_builtin_that_the_sheet_defines_is_its_own() -> None:
    title, meaning, _ = said("less(a,b)\np :- less(X,Y)", "less(X", "hrf")
    assert title == "less(X,Y)"
    assert meaning == "a view: it follows from the rules"


@pytest.mark.parametrize(
    ("notation", "piece", "title", "meaning"),
    [
        ("kif", "succ", "(succ ?n ?m)", "a view: it follows from the rules"),
        ("kif", "pile", "(pile ?n)", "part of the state"),
        ("kif", "take", "take", "a move"),
        ("kif", "second", "second", "a role"),
        ("hrf", "other(P", "other(P,Q)", "a view: it follows from the rules"),
        ("hrf", "noop", "noop", "a move"),
        ("epilog", "amount(1", "amount(N)", "a view: it follows from the rules"),
        ("epilog", "pile(P)", "pile(P)", "part of the state"),
        ("epilog", "take", "take(N)", "a move"),
    ],
)
def test_a_name_of_the_sheet(notation: Notation, piece: str, title: str, meaning: str) -> None:
    assert said(NIM[notation], piece, notation)[:2] == (title, meaning)


def test_where_it_is_defined_and_how_often_it_stands() -> None:
    assert said(HRF, "succ(N", "hrf")[2] == ("3 facts, at line 4", "stands in the sheet 4 times")
    assert said(EPILOG, "take", "epilog")[2] == ("2 handlers, at lines 9, 10", "stands in the sheet 3 times")


def test_what_nothing_defines() -> None:
    assert said("p :- q(a)", "q", "hrf")[1] == "nothing in the sheet defines it"
    assert (
        said("p :- q(a)", "q", "epilog")[1] == "part of the state, which nothing in the sheet ever makes true"
    )


def test_variables_marks_and_what_needs_no_words() -> None:
    assert said(KIF, "?p take", "kif")[1:] == ("a variable of this rule", ("stands in the sheet 2 times",))
    assert said(EPILOG, "==>", "epilog")[0] == "==>"
    assert said(KIF, "<=", "kif")[0] == "<="
    assert said("(<= p (not q))", "not", "kif")[2] == ("a connective",)
    assert said("role(random)", "random", "hrf")[1].startswith("the role of chance")
    assert hover(KIF, at(KIF, "3)"), "kif") is None
    assert hover(KIF, 1, "kif") is None
    assert hover("", 0) is None


def test_a_definition_of_epilog_and_other_numbers_of_arguments() -> None:
    assert said("twice(X) := times(X,2)", "twice", "epilog")[1] == "a definition, for evaluate"
    assert said("p(a) p(a,b) q :- p(X)", "p(a)", "hrf")[2][-1] == "also with 2 arguments"


def test_broken_text_is_no_trouble() -> None:
    text = "pile(3\ntake(N) :- pile(N) & \nlegal(take("
    assert said(text, "pile(N", "hrf")[1] == "a view: it follows from the rules"
