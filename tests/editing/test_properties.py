"""Whatever somebody types: nothing fails, no offset is outside, a name comes back, and nothing takes long."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamemaster import editing
from gamemaster.editing.sheets import EditedSheet, edited_sheet
from gamemaster.errors import ParameterError
from gamemaster.language.builtins import NAMES
from gamemaster.language.rules import Notation
from gamemaster.language.source import Span
from tests.editing.sheets import LIBRARY, NOTATIONS
from tests.language.strategies import token_soups

notations = st.sampled_from([*NOTATIONS, None])
anything = st.text(max_size=60) | st.text(st.sampled_from("(<= ?x)~&:-=> p(\"|'%;.,[]!\n\r_AZ0"), max_size=60)
PIECES = [*"()[], \n&~|%;Xp'\"", ":-", "::", "==>", "<=", "?x"]


@st.composite
def edited_texts(draw: st.DrawFn) -> tuple[str, Notation]:
    """A piece of a sheet of the library after a few careless edits."""
    text, notation = LIBRARY[draw(st.sampled_from(sorted(LIBRARY)))]
    begin = draw(st.integers(0, len(text)))
    text = text[begin : begin + draw(st.integers(0, 600))]
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 6)))
        text = text[:start] + draw(st.sampled_from(PIECES) | st.just("")) + text[end:]
    return text, notation


def assert_inside(text: str, spans: list[Span]) -> None:
    assert all(0 <= span.start <= span.end <= len(text) for span in spans)


def ask_everything(text: str, offset: int, notation: Notation | None) -> None:
    """Call every function, and look at every offset that comes back."""
    spans = [d.span for d in editing.diagnostics(text, notation)]
    spans += [c.span for c in editing.completions(text, offset, notation)]
    spans += [*editing.definition(text, offset, notation), *editing.references(text, offset, notation)]
    spans += [span for e in editing.symbols(text, notation) for span in (e.span, e.name_span)]
    spans += [Span(token.start, token.end) for token in editing.tokens(text, notation)]
    if found := editing.hover(text, offset, notation):
        spans.append(found.span)
    with suppress(ParameterError):
        edits = editing.rename(text, offset, "renamed", notation)
        spans += [edit.span for edit in edits]
        spans.append(editing.renamed_span(text, offset, notation))
        editing.apply_edits(text, edits)
    laid = editing.format_sheet(text, notation)
    assert editing.format_sheet(laid, notation) == laid
    assert_inside(text, spans)


@given(anything, st.integers(-3, 70), notations)
@settings(max_examples=200, deadline=None)
def test_no_text_is_any_trouble(text: str, offset: int, notation: Notation | None) -> None:
    ask_everything(text, offset, notation)


@given(token_soups, st.integers(0, 100), notations)
@settings(max_examples=200, deadline=None)
def test_no_heap_of_tokens_is_any_trouble(text: str, offset: int, notation: Notation | None) -> None:
    ask_everything(text, offset, notation)


@given(edited_texts(), st.data())
@settings(max_examples=150, deadline=None)
def test_no_edit_of_a_sheet_is_any_trouble(edited: tuple[str, Notation], data: st.DataObject) -> None:
    text, notation = edited
    ask_everything(text, data.draw(st.integers(0, len(text))), notation)


def new_name(sheet: EditedSheet, offset: int) -> str:
    """A name that nothing in a sheet has, of the kind of the one at an offset."""
    name = sheet.name_at(offset)
    is_variable = name is not None and name.kind == "variable"
    return "?brandnew" if is_variable and sheet.is_kif else "Brandnew" if is_variable else "brandnew"


@given(st.sampled_from(sorted(LIBRARY)), st.data())
@settings(max_examples=60, deadline=None)
def test_a_name_that_is_changed_and_changed_back_is_the_same(game: str, data: st.DataObject) -> None:
    text, notation = LIBRARY[game]
    sheet = edited_sheet(text, notation)
    name = data.draw(st.sampled_from(sheet.names))
    old = text[name.start : name.end]
    try:
        edits = editing.rename(text, name.start, new_name(sheet, name.start), notation)
    except ParameterError:
        is_own = name.kind == "name" and not sheet.is_word(name) and not sheet.is_builtin(name)
        assert not is_own or name.text == "nil"
        return
    changed = editing.apply_edits(text, edits)
    assert changed != text
    assert len(editing.diagnostics(changed, notation)) == len(editing.diagnostics(text, notation))
    if old in NAMES:  # the sheet has hidden a builtin, and there is no way back
        return
    moved = name.start + sum(
        len(e.text) - (e.span.end - e.span.start) for e in edits if e.span.start < name.start
    )
    back = editing.rename(changed, moved, old, notation)
    assert editing.apply_edits(changed, back) == text


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize(
    "text",
    [
        "(" * 40_000,
        "p(" * 20_000,
        "p :- " * 8_000,
        "p(X) :- q(X" + "\n" + "r(X,\n" * 8_000,
        "~" * 40_000,
        "(<= " * 10_000,
        "x" * 40_000,
        '"' * 40_000,
        "%;" * 20_000,
        "p(a)\n" * 4_000_000,
    ],
    ids=lambda text: f"{text[:6]}*{len(text)}",
)
def test_no_large_text_takes_long(text: str, notation: Notation) -> None:
    begun = time.process_time()
    editing.hover(text, len(text) // 2, notation)
    editing.references(text, 0, notation)
    editing.symbols(text, notation)
    editing.tokens(text, notation)
    editing.completions(text, len(text), notation)
    assert time.process_time() - begun < 5.0
