"""The outline: sentences of the same that follow each other are one entry."""

from __future__ import annotations

import itertools

import pytest

from gamemaster.editing import symbols
from gamemaster.language.rules import Notation
from tests.editing.sheets import EPILOG, NIM, NOTATIONS


def test_the_outline_of_a_sheet() -> None:
    assert [(entry.name, entry.kind, entry.detail) for entry in symbols(EPILOG, "epilog")] == [
        ("role/1", "word", "2 facts"),
        ("init pile/1", "word", "1 fact"),
        ("init control/1", "word", "1 fact"),
        ("other/2", "relation", "2 facts"),
        ("legal take/1", "word", "1 rule"),
        ("amount/1", "relation", "2 facts"),
        ("take/1", "move", "2 handlers"),
        ("terminal/0", "word", "1 rule"),
        ("goal/2", "word", "3 rules"),
    ]


@pytest.mark.parametrize("notation", NOTATIONS)
def test_spans_hold_names_and_follow_each_other(notation: Notation) -> None:
    found = symbols(NIM[notation], notation)
    assert all(e.span.start <= e.name_span.start < e.name_span.end <= e.span.end for e in found)
    assert all(a.span.end <= b.span.start for a, b in itertools.pairwise(found))


def test_definitions_variables_and_broken_text() -> None:
    assert [e.name for e in symbols("init(F) :- p(F)  f(X) := X", "epilog")] == ["init F", "f/1"]
    assert [e.kind for e in symbols("f(X) := X", "epilog")] == ["definition"]
    assert [e.name for e in symbols("(<= (next (cell ?x\n(p", "kif")] == ["next cell/1", "p/0"]
    assert symbols("X :- ", "hrf") == ()
    assert symbols("", "kif") == ()
