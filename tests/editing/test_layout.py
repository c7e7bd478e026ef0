"""The layout: the same rules, the same comments, and nothing more to do the second time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamemaster.editing import format_sheet
from gamemaster.editing.layout import FACTS_WIDTH, WIDTH, laid_out
from gamemaster.editing.scanning import scan
from gamemaster.editing.sheets import edited_sheet
from gamemaster.errors import ReadError
from gamemaster.language.notation import COMMENT_MARKS, read, show
from gamemaster.language.rules import Notation, Rules, Sentence
from gamemaster.language.source import Source
from tests.editing.sheets import LIBRARY, NIM, NOTATIONS
from tests.language.strategies import core_sheets, sheets


def comments(text: str, notation: Notation) -> list[str]:
    return [text[t.start : t.end].rstrip() for t in scan(text, notation) if t.kind == "comment"]


def assert_kept(text: str, notation: Notation) -> None:
    """The layout of a text means the same, has the same comments, and is its own layout."""
    laid = laid_out(edited_sheet(text, notation))
    assert read(Source("", laid), notation) == read(Source("", text), notation)
    assert comments(laid, notation) == comments(text, notation)
    assert laid_out(edited_sheet(laid, notation)) == laid


@pytest.mark.parametrize("game", LIBRARY)
def test_a_sheet_of_the_library_keeps_meaning_and_comments(game: str) -> None:
    assert_kept(*LIBRARY[game])


def test_most_of_the_library_is_laid_out_already() -> None:
    changed = [game for game, (text, notation) in LIBRARY.items() if format_sheet(text, notation) != text]
    assert len(changed) <= len(LIBRARY) // 5


@given(st.data(), st.sampled_from(sorted(LIBRARY)))
@settings(max_examples=60, deadline=None)
def test_blanks_line_ends_and_comments_anywhere_are_laid_out(data: st.DataObject, game: str) -> None:
    text, notation = LIBRARY[game]
    found = scan(text, notation)
    first = data.draw(st.integers(0, max(0, len(found) - 40)))
    mark = COMMENT_MARKS[notation]
    gaps = st.sampled_from(["", " ", "\n", "  \n\n ", f" {mark} why\n", f"\n{mark} a {mark} b\n\n", "\t"])
    pieces, done = [], 0
    for token in found[first : first + 40]:
        pieces += [text[done : token.start], data.draw(gaps)]
        done = token.start
    assert_kept("".join(pieces) + text[done:], notation)


@given(sheets)
@settings(max_examples=100, deadline=None)
def test_whatever_epilog_says_keeps_its_meaning(sentences: tuple[Sentence, ...]) -> None:
    assert_printed_is_kept(show(Rules(sentences, "epilog")), "epilog")


@given(core_sheets)
@settings(max_examples=100, deadline=None)
def test_whatever_kif_says_keeps_its_meaning(sentences: tuple[Sentence, ...]) -> None:
    assert_printed_is_kept(show(Rules(sentences, "kif")), "kif")


def assert_printed_is_kept(text: str, notation: Notation) -> None:
    try:
        read(Source("", text), notation)
    except ReadError:
        return
    assert_kept(text, notation)


@pytest.mark.parametrize(
    ("notation", "text", "laid"),
    [
        ("hrf", "p(X):-q( X )&~r(X , a)", "p(X) :- q(X) & ~r(X,a)\n"),
        ("hrf", "p(X):-\n\n      q(X)\n   & r(X)", "p(X) :-\n  q(X) &\n  r(X)\n"),
        ("hrf", "p(X) :- q(X)   % why\n  & r(X)", "p(X) :- q(X)  % why\n  & r(X)\n"),
        ("hrf", "p(a).  q(b). r :- p(X) s(c)", "p(a) q(b)\nr :- p(X)\ns(c)\n"),
        ("hrf", "p(a)\n\n\n\n  % alone\n q(b)%behind", "p(a)\n\n% alone\nq(b)  %behind\n"),
        ("hrf", "p :- q . (r) :- s", "p :- q\n. (r) :- s\n"),
        ("hrf", "p(X) :- (q(X)|r(X)) & s([ a , b ],c ! d)", "p(X) :- (q(X) | r(X)) & s([a,b],c!d)\n"),
        ("hrf", "f( a ,\n b)", "f(a,\n    b)\n"),
        ("epilog", "m(X)::c(X)\n==>~d(X)&e", "m(X) :: c(X) ==>\n  ~d(X) & e\n"),
        ("kif", "( p  a )\n(q b)(r c)", "(p a)\n(q b) (r c)\n"),
        ("kif", "(<= (p ?x)\n (q ?x)\n\n(r ?x) )", "(<= (p ?x)\n    (q ?x)\n    (r ?x))\n"),
        ("kif", "(<= p ; why\n q) ; end", "(<= p  ; why\n    q)  ; end\n"),
        ("kif", "(<= p (or q\nr))", "(<= p (or q\n      r))\n"),
        ("kif", "(<= p q ; last\n)", "(<= p q  ; last\n  )\n"),
    ],
)
def test_blanks_become_regular_and_lines_stay(notation: Notation, text: str, laid: str) -> None:
    assert format_sheet(text, notation) == laid
    assert format_sheet(laid, notation) == laid


@pytest.mark.parametrize("notation", NOTATIONS)
def test_rules_that_are_too_wide_are_broken(notation: Notation) -> None:
    conditions = [f"condition{number}" for number in range(40)]
    text = f"(<= head {' '.join(conditions)})" if notation == "kif" else f"head :- {' & '.join(conditions)}"
    laid = format_sheet(text, notation)
    assert max(map(len, laid.splitlines())) <= WIDTH
    assert_kept(text, notation)
    facts = format_sheet(" ".join(["(fact a)" if notation == "kif" else "fact(a)"] * 100), notation)
    assert max(map(len, facts.splitlines())) <= FACTS_WIDTH


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_lines_end_as_they_did_and_a_mark_at_the_beginning_stays(line_end: str) -> None:
    text = f"\ufeffp(a) {line_end}{line_end}q( b){line_end}"
    assert format_sheet(text, "hrf") == f"\ufeffp(a){line_end}{line_end}q(b){line_end}"


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("broken", ["p(", "(p", "", "   \n", "p :- :- q"])
def test_a_text_that_cannot_be_read_is_left_alone(notation: Notation, broken: str) -> None:
    assert format_sheet(NIM[notation] + broken if broken.strip() else broken, notation).startswith(
        NIM[notation] if broken.strip() else broken
    )
