"""Definition, references, rename: a name is found wherever it is the same one, and nowhere else."""

from __future__ import annotations

import re

import pytest

from gamemaster.editing import TextEdit, apply_edits, definition, references, rename, renamed_span
from gamemaster.errors import ParameterError
from gamemaster.language.notation import read
from gamemaster.language.rules import Notation
from gamemaster.language.source import Source, Span
from tests.editing.sheets import EPILOG, HRF, KIF, LIBRARY, NIM, at, pieces


def renamed(text: str, piece: str, new: str, notation: Notation) -> str:
    return apply_edits(text, rename(text, at(text, piece), new, notation))


def lines_of(text: str, spans: tuple[Span, ...]) -> list[int]:
    return [text.count("\n", 0, span.start) + 1 for span in spans]


def refusal(text: str, piece: str, new: str, notation: Notation) -> str:
    with pytest.raises(ParameterError) as caught:
        rename(text, at(text, piece), new, notation)
    return str(caught.value)


# Where a name stands


@pytest.mark.parametrize(
    ("notation", "piece", "lines"),
    [
        ("kif", "succ ?n", [4, 4, 4]),
        ("kif", "pile 0", [3, 9]),
        ("hrf", "other(P", [5, 5]),
        ("hrf", "first,second", [2]),
        ("epilog", "amount(N", [7, 7]),
        ("epilog", "take(N)) :-", [9, 10]),
        ("epilog", "pile(Q", [3]),
        ("epilog", "P) & leq", [6]),
    ],
)
def test_a_definition_is_where_the_meaning_is_said(notation: Notation, piece: str, lines: list[int]) -> None:
    text = NIM[notation]
    assert lines_of(text, definition(text, at(text, piece), notation)) == lines


def test_a_variable_is_one_in_its_rule_only() -> None:
    found = references(HRF, at(HRF, "P,noop"), "hrf")
    assert lines_of(HRF, found) == [8, 8, 8]
    assert pieces(HRF, found) == ["P"] * 3


def test_a_relation_a_functor_and_a_constant_of_one_name_are_three() -> None:
    text = "p(a) :- q(p(a),p)  r :- p(X)"
    assert [s.start for s in references(text, 0, "hrf")] == [0, 24]
    assert [s.start for s in references(text, at(text, "p(a),p"), "hrf")] == [10]
    assert [s.start for s in references(text, at(text, "p)  r"), "hrf")] == [15]


def test_facts_and_moves_of_epilog_are_relations() -> None:
    assert lines_of(EPILOG, references(EPILOG, at(EPILOG, "pile(3"), "epilog")) == [
        3,
        6,
        9,
        9,
        9,
        12,
        13,
        14,
        15,
    ]
    assert lines_of(EPILOG, references(EPILOG, at(EPILOG, "take"), "epilog")) == [6, 9, 10]


def test_where_terms_become_facts_a_name_is_one_everywhere() -> None:
    text = "init(F) :- start(F)  start(cell(1))  p :- cell(X)"
    assert len(references(text, at(text, "cell"), "epilog")) == 2
    assert len(references(text, at(text, "cell"), "hrf")) == 1


def test_what_means_itself_or_comes_from_elsewhere_has_no_definition() -> None:
    assert definition(EPILOG, at(EPILOG, "leq"), "epilog") == ()
    assert definition(EPILOG, at(EPILOG, "50"), "epilog") == ()
    assert definition(EPILOG, 0, "epilog") == ()
    assert references("", 0, "kif") == ()


# Renaming


@pytest.mark.parametrize(
    ("notation", "piece", "new", "count"),
    [
        ("kif", "succ", "follows", 4),
        ("kif", "?p take", "player", 2),
        ("kif", "first second", "left", 4),
        ("hrf", "pile(3", "heap", 4),
        ("hrf", "P,noop", "Who", 3),
        ("epilog", "take", "grab", 3),
        ("epilog", "control(first", "turn", 0),
        ("epilog", "other", "opponent", 3),
    ],
)
def test_all_that_is_one_is_renamed(notation: Notation, piece: str, new: str, count: int) -> None:
    text = NIM[notation]
    if not count:
        assert "word of the language" in refusal(text, piece, new, notation)
        return
    changed = renamed(text, piece, new, notation)
    assert len(re.findall(rf"\b{new}\b", changed)) == count
    assert len(read(Source("", changed), notation).sentences) == len(
        read(Source("", text), notation).sentences
    )
    assert (
        renamed(changed, new, text[at(text, piece) :].split("(")[0].split(" ")[0].split(",")[0], notation)
        == text
    )


def test_a_quoted_name_stays_quoted() -> None:
    assert renamed("p('A b') q('A b')", "'A b'", "c", "hrf") == "p('c') q('c')"
    assert renamed("(p |a| a)", "|a|", "b", "kif") == "(p |b| b)"
    assert renamed("p(a)", "a", "'A b'", "hrf") == "p('A b')"


def test_the_same_name_changes_nothing() -> None:
    assert rename(HRF, at(HRF, "succ"), "succ", "hrf") == ()


@pytest.mark.parametrize(
    ("piece", "new", "what"),
    [
        ("role", "player", "role is a word of the language at line 2"),
        ("true", "holds", "true is a word of the language"),
        ("3)", "x", "3 is a number"),
        ("% Nim", "x", "no name stands at 1:1"),
        ("succ", "Succ", "'Succ' is no name in HRF; write one like cell: a small letter first"),
        ("succ", "a b", "'a b' is no name"),
        ("succ", "", "'' is no name"),
        ("succ", "12", "'12' is no name"),
        ("succ", "p(x)", "is no name"),
        ("P,noop", "who", "'who' is no variable in HRF; write one like X"),
        ("P,noop", "_", "'_' is no variable"),
        ("succ", "legal", "legal is a word of the language; choose another name"),
        ("succ", "plus", "plus is a builtin; choose another name"),
        ("succ", "other", "other is in the sheet already, at line 5; choose another name"),
        ("first", "second", "second is in the sheet already, at line 2"),
        ("first", "random", "random is a word of the language"),
        ("Q)) :-", "P", "P is in the sheet already, at line 10"),
    ],
)
def test_a_rename_that_would_change_the_meaning_is_refused(piece: str, new: str, what: str) -> None:
    assert what in refusal(HRF, piece, new, "hrf")


def test_refusals_of_the_other_notations() -> None:
    assert "leq is a builtin at line 6" in refusal(EPILOG, "leq", "most", "epilog")
    assert "no variable in KIF; write one like ?x" in refusal(KIF, "?p take", "a b", "kif")
    assert "'?x' is no name in KIF" in refusal(KIF, "succ", "?x", "kif")
    assert "word of the language" in refusal(KIF, "not", "no", "kif")
    assert "PILE is in the sheet already" in refusal(KIF, "noop", "PILE", "kif")
    assert "_ is a variable that nobody names" in refusal("p :- q(_)", "_", "X", "hrf")
    assert '"s" is a string' in refusal('p("s")', '"s"', "x", "hrf")
    assert "number is a word of the language" in refusal("p :- hastype(a,number)", "number", "x", "epilog")
    assert "plus is a builtin" in refusal("f(X) := plus(X,1)", "f", "plus", "epilog")


def test_constants_may_have_names_that_mean_something_as_relations() -> None:
    assert renamed("p(a)", "a", "first", "hrf") == "p(first)"
    assert renamed("p(legal)", "legal", "b", "hrf") == "p(b)"


def test_broken_text_can_be_renamed_in() -> None:
    text = "p(a) :- q(a\nq(b)\np(c) :- "
    assert renamed(text, "q", "r", "hrf") == "p(a) :- r(a\nr(b)\np(c) :- "


def test_what_would_be_renamed_is_known_before() -> None:
    span = renamed_span(KIF, at(KIF, "?p take", 1), "kif")
    assert KIF[span.start : span.end] == "?p"
    with pytest.raises(ParameterError, match="word of the language"):
        renamed_span(KIF, at(KIF, "role"), "kif")


def test_edits_are_made_from_the_front() -> None:
    assert apply_edits("abc", [TextEdit(Span(2, 3), "z"), TextEdit(Span(0, 1), "xx")]) == "xxbz"


@pytest.mark.parametrize("game", ["chess", "tron", "skirmish"])
def test_a_renamed_game_has_rules_of_the_same_form(game: str) -> None:
    text, notation = LIBRARY[game]
    names = {"chess": "square", "tron": "beside", "skirmish": "location"}
    changed = renamed(text, names[game], "renamed", notation)
    code = [line for line in text.splitlines() if line[:1] not in ("%", ";")]
    expected = [re.sub(rf"\b{names[game]}\b", "renamed", line) for line in code]
    assert [line for line in changed.splitlines() if line[:1] not in ("%", ";")] == expected
