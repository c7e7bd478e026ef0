"""Completion: what fits comes first, in the notation, also in a sentence that has only begun."""

from __future__ import annotations

import pytest

from gamemaster.editing import Completion, completions
from gamemaster.editing.scanning import MOST_CHARACTERS
from gamemaster.language.rules import Notation
from tests.editing.sheets import EPILOG, HRF, KIF, NIM, NOTATIONS


def offered(text: str, notation: Notation) -> dict[str, Completion]:
    """What is offered at the | of a text."""
    offset = text.index("|")
    return {c.text: c for c in completions(text[:offset] + text[offset + 1 :], offset, notation)}


def first(text: str, notation: Notation) -> Completion:
    return next(iter(offered(text, notation).values()))


@pytest.mark.parametrize(
    ("notation", "text", "best"),
    [
        ("kif", KIF + "(<= (won ?p) (true (control |", {"first", "second"}),
        ("hrf", HRF + "won(P) :- true(control(|", {"first", "second"}),
        ("epilog", EPILOG + "won(P) :- control(|", {"first", "second"}),
        ("kif", KIF + "(<= (won ?p) (true (|", {"control", "pile"}),
        ("hrf", HRF + "won(P) :- true(|", {"control", "pile"}),
        ("epilog", EPILOG + "legal(|", {"take"}),
    ],
)
def test_what_fits_the_place_comes_early(notation: Notation, text: str, best: set[str]) -> None:
    early = list(offered(text, notation))[:12]
    assert best <= set(early)


@pytest.mark.parametrize(
    ("notation", "text", "signature"),
    [
        ("kif", KIF + "(<= (won ?p) (oth|", "(other ?p ?q)"),
        ("hrf", HRF + "won(P) :- oth|", "other(P,Q)"),
        ("epilog", EPILOG + "won(P) :- oth|", "other(R,S)"),
        ("kif", KIF + "(<= (won ?p) (dist|", "(distinct ?x ?y)"),
        ("epilog", EPILOG + "won(P) :- minu|", "minus(X,Y,Z)"),
        ("hrf", HRF + "won(P) :- tru|", "true(F)"),
    ],
)
def test_signatures_are_as_the_sheet_has_them(notation: Notation, text: str, signature: str) -> None:
    assert first(text, notation).signature == signature


def test_only_what_begins_so_is_offered_and_the_whole_name_is_replaced() -> None:
    text = HRF + "won(P) :- oth|er(P,Q)"
    found = offered(text, "hrf")
    assert set(found) == {"other"}
    span = found["other"].span
    assert text.replace("|", "")[span.start : span.end] == "other"


def test_variables_are_those_of_the_rule() -> None:
    assert set(offered(KIF + "(<= (won ?who) (control ?|", "kif")) == {"?who"}
    assert set(offered(HRF + "won(Who,_) :- control(W|", "hrf")) == {"Who"}
    assert "P" not in offered(HRF + "\nwon(Who) :- control(|", "hrf")


def test_nothing_is_offered_in_comments_and_strings() -> None:
    assert not offered("% ro|le", "hrf")
    assert not offered('(p "ro|le")', "kif")
    assert not completions("p(a)\n" * MOST_CHARACTERS, 3, "hrf")


@pytest.mark.parametrize("notation", NOTATIONS)
def test_an_empty_text_is_begun_with_words(notation: Notation) -> None:
    found = offered("|", notation)
    assert next(iter(found.values())).kind == "word"
    assert {"role", "init", "goal", "terminal"} <= set(found)
    assert ("not" in found) == (notation == "kif")
    assert ("true" in found and "does" in found) == (notation != "epilog")


@pytest.mark.parametrize("notation", NOTATIONS)
def test_every_kind_is_there(notation: Notation) -> None:
    where = {"kif": "\n(<= (won ?v) |", "hrf": "\nwon(V) :- |", "epilog": "\nwon(V) :- |"}[notation]
    kinds = {c.kind for c in offered(NIM[notation] + where, notation).values()}
    assert kinds >= {"relation", "role", "word", "builtin", "variable"}
