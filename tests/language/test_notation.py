"""The notation of a text is found from the text alone."""

from __future__ import annotations

import pytest

from gamemaster.errors import ReadError
from gamemaster.language.notation import find_notation, read, show
from gamemaster.language.rules import Notation
from gamemaster.language.source import Source


@pytest.mark.parametrize(
    ("text", "notation"),
    [
        ("(role x)", "kif"),
        ("\ufeff\r\n (role x)", "kif"),
        ("; role(x) :: ==>\n(role x)", "kif"),
        ("(((", "kif"),
        ("% no comment of KIF\n(role x)", "kif"),
        ("; a comment and nothing else", "kif"),
        ("; no comment of HRF\nrole(x)", "hrf"),
        ("% (role x)\nrole(x) next(p) :- true(p)", "hrf"),
        ("role(x) init(p) legal(x,a) :- p", "hrf"),
        ("p(X) :- q & ~(r | does(x,a))", "hrf"),
        ("next(1,2) legal(a) :- p", "epilog"),
        ("role(x) a :: p", "epilog"),
        ("role(x) true(p) :- é ::", "epilog"),
        ("f(X) := plus(X,1)\nlegal(f) :- q(1)", "epilog"),
        ("role(x) init(cell(1)) terminal :- ~cell(1)", "epilog"),
        ("role(x) legal(a) :- p true(q) :- é", "epilog"),
        ("p(\"::\") q('==>') % ::\n", "hrf"),
        ("role(x) num(1) p(X) :- num(X) & distinct(X,1) & true & less(X,2)", "hrf"),
        ("role(x) role(o)", "hrf"),
        ("", "hrf"),
        ("é", "hrf"),
    ],
)
def test_the_text_tells_its_notation(text: str, notation: Notation) -> None:
    assert find_notation(text) == notation


@pytest.mark.parametrize(
    ("text", "notation"),
    [("(<= (next p) (true p))", "kif"), ("next(p) :- true(p)", "hrf"), ("p :: q ==> ~q", "epilog")],
)
def test_a_text_is_read_and_printed_in_its_notation(text: str, notation: Notation) -> None:
    rules = read(Source("test", text))
    assert rules.notation == notation
    assert show(rules) == text + "\n"


def test_the_notation_may_be_given() -> None:
    rules = read(Source("test", "next(p) :- true(p)"), "epilog")
    assert rules.notation == "epilog"
    assert show(rules, "kif") == "(<= (next p) (true p))\n"
    with pytest.raises(ReadError, match="test:1:4"):
        read(Source("test", "(p a)"), "hrf")
