"""Rules as HTML: nothing of the text is lost, nothing of it is markup, and tokens are told apart."""

from __future__ import annotations

import re
from html import unescape

import pytest

from gamemaster.games import game_names
from gamemaster.language.rules import Notation
from gamemaster.web.highlight import LONGEST_LINE, MOST_MARKED, highlighted
from gamemaster.web.shelf import written


def plain(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", html))


def tokens(html: str) -> list[tuple[str, str]]:
    return [(letter, unescape(text)) for letter, text in re.findall(r"<b class=(\w)>(.*?)</b>", html)]


@pytest.mark.parametrize("name", game_names())
def test_no_character_is_lost(name: str) -> None:
    text, notation = written(name)
    assert plain(highlighted(text, notation)) == text.rstrip()


def test_tokens_of_kif() -> None:
    html = highlighted('(<= (legal ?p (mark 3 "a b")) (not (taken ?x))) ; all (legal)', "kif")
    assert tokens(html) == [
        ("m", "<="),
        ("w", "legal"),
        ("v", "?p"),
        ("r", "mark"),
        ("n", "3"),
        ("s", '"a b"'),
        ("w", "not"),
        ("r", "taken"),
        ("v", "?x"),
        ("c", "; all (legal)"),
    ]


def test_tokens_of_epilog() -> None:
    html = highlighted("mark(X) :: control(P) ==> taken(X) & ~free % mark(Y)", "epilog")
    assert tokens(html) == [
        ("r", "mark"),
        ("v", "X"),
        ("m", "::"),
        ("w", "control"),
        ("v", "P"),
        ("m", "==>"),
        ("r", "taken"),
        ("v", "X"),
        ("m", "&"),
        ("m", "~"),
        ("c", "% mark(Y)"),
    ]


def test_a_name_with_a_number_in_it_is_a_name() -> None:
    assert tokens(highlighted("cell3(12,b2) :- p", "hrf")) == [("r", "cell3"), ("n", "12"), ("m", ":-")]


@pytest.mark.parametrize("notation", ["kif", "hrf", "epilog"])
def test_nothing_of_a_text_becomes_markup(notation: Notation) -> None:
    text = "<script>alert(1)</script> % </pre><img src=x onerror=alert(1)> ; \"<b>\" '&lt;' |</code>|"
    html = highlighted(text, notation)
    assert set(re.findall(r"<(/?\w+)", html)) <= {"span", "/span", "a", "/a", "b", "/b"}
    assert plain(html) == text


def test_every_line_has_a_number_to_link_to() -> None:
    html = highlighted("a\r\nb\rc\n\n", "hrf")
    assert re.findall(r'id="L(\d+)"', html) == ["1", "2", "3"]


@pytest.mark.parametrize("text", ["|" * (LONGEST_LINE + 1), "p(X)\n" * MOST_MARKED, "'" * LONGEST_LINE, ""])
def test_long_and_strange_texts_are_shown_plainly_and_soon(text: str) -> None:
    assert plain(highlighted(text, "kif")) == text.rstrip()
