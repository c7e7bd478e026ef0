"""Offsets and places: they turn into each other, however somebody counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamemaster.editing.lines import Encoding, TextLines

texts = st.text(st.sampled_from("ab\r\n\x0c\u2028é😀\ud800"), max_size=30)
encodings = st.sampled_from(["utf-8", "utf-16", "utf-32"])


@given(texts, st.integers(-5, 40), encodings)
def test_an_offset_comes_back(text: str, offset: int, encoding: Encoding) -> None:
    lines = TextLines.split(text)
    inside = min(max(offset, 0), len(text))
    if text[inside - 1 : inside + 1] == "\r\n" and inside:  # in the middle of a line's end
        return
    assert lines.offset(*lines.place(offset, encoding), encoding) == inside


@given(texts, st.data(), st.text(st.sampled_from("a\r\n"), max_size=5))
def test_an_edit_gives_the_lines_of_the_new_text(text: str, data: st.DataObject, new: str) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    replaced = TextLines.split(text).replaced(start, end, new)
    assert replaced.text == text[:start] + new + text[end:]
    assert replaced.starts == TextLines.split(replaced.text).starts


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 6), ("utf-16", 3), ("utf-32", 2)])
def test_a_smile_counts_as_its_encoding_says(encoding: Encoding, column: int) -> None:
    lines = TextLines.split("p\né😀x\n")
    assert lines.place(4, encoding) == (1, column)
    assert lines.offset(1, column, encoding) == 4


def test_half_a_character_is_none_and_what_is_outside_is_moved_inside() -> None:
    lines = TextLines.split("😀x\r\ny")
    assert lines.offset(0, 1, "utf-16") == 0
    assert lines.offset(0, 99, "utf-16") == 2
    assert lines.offset(9, 9) == 5
    assert lines.offset(-1, 3) == 0
    assert lines.offset(0, -4) == 0
    assert lines.place(99) == (1, 1)


def test_form_feeds_end_no_line() -> None:
    assert TextLines.split("a\x0cb\u2028c\nd").starts == (0, 6)
