"""Tokens and their colours: the readers' tokens, for any text."""

from __future__ import annotations

import itertools

import pytest

from gamemaster.editing import tokens
from gamemaster.editing.scanning import MOST_CHARACTERS, scan
from gamemaster.language.rules import Notation
from tests.editing.sheets import LIBRARY, NOTATIONS


def coloured(text: str, notation: Notation | None = None) -> list[tuple[str, str]]:
    return [(token.colour, text[token.start : token.end]) for token in tokens(text, notation)]


def test_colours_of_kif() -> None:
    assert coloured('(<= (legal ?p (mark 3 |A b|)) (p "s")) ; all') == [
        ("mark", "<="),
        ("word", "legal"),
        ("variable", "?p"),
        ("relation", "mark"),
        ("number", "3"),
        ("string", "|A b|"),
        ("relation", "p"),
        ("string", '"s"'),
        ("comment", "; all"),
    ]


@pytest.mark.parametrize("notation", ["hrf", "epilog", None])
def test_colours_of_infix_notation(notation: Notation | None) -> None:
    assert coloured("% Go\ngo(X,-2) :: at(a) ==> ~at('B c')", notation) == [
        ("comment", "% Go"),
        ("relation", "go"),
        ("variable", "X"),
        ("number", "-2"),
        ("mark", "::"),
        ("relation", "at"),
        ("name", "a"),
        ("mark", "==>"),
        ("mark", "~"),
        ("relation", "at"),
        ("string", "'B c'"),
    ]


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_text_that_is_no_rules_has_tokens_too(notation: Notation) -> None:
    text = 'p("open\n)) ? § \x00 \ufffd |x'
    found = scan(text, notation)
    assert [text[token.start : token.end] for token in found if token.kind == "unreadable"]
    assert all(first.end <= second.start for first, second in itertools.pairwise(found))


@pytest.mark.parametrize("game", LIBRARY)
def test_nothing_but_blanks_stands_between_tokens(game: str) -> None:
    text, notation = LIBRARY[game]
    done = 0
    for token in scan(text, notation):
        assert not text[done : token.start].strip()
        done = token.end
    assert not text[done:].strip()


def test_a_text_that_is_too_large_has_no_colours() -> None:
    assert tokens("p(a)\n" * MOST_CHARACTERS, "hrf") == []


def test_a_byte_order_mark_is_no_token() -> None:
    assert coloured("\ufeffp(a)", "hrf") == [("relation", "p"), ("name", "a")]
