"""Two texts of rules, a sentence a line -> rows that stand side by side, with what changed marked, as HTML.

Lines are compared whole first; of those that differ, rules with the same head are put beside each other, and their
literals compared. Long stretches without a change are left out, and so is what comes after as many rows as a page can
have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from html import escape
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

from gamemaster.editing.scanning import ColouredToken, tokens
from gamemaster.language.rules import Notation
from gamemaster.web.highlight import CLASSES

__all__ = ["Difference", "RowKind", "difference"]

RowKind: TypeAlias = Literal["same", "changed", "gone", "new", "left out"]

MOST_ROWS = 1_200
MOST_LINES = 20_000
"""Lines of a text that are compared."""

FEW = 200
"""So many rows are shown whole; of more, what did not change is left out but for some lines around a change."""

AROUND = 3
MOST_PAIRED = 40
"""Lines of a stretch that are looked at one by one for others that are like them."""

ALIKE = 0.2
KIF_RULE = "(<= "
MARKS = frozenset({" ", "&", ":-", "::", "==>", "|", "(<=", ")"})
"""What stands between literals."""

LONGEST_MARKED = 2_000
"""Characters of a line whose tokens are compared."""


class DiffRow(NamedTuple):
    """A line of each text, or of one; or how many are left out. Lines are HTML."""

    kind: RowKind
    left: str
    right: str
    left_number: int
    """From 1; 0 where there is no line. Of rows that are left out, how many."""
    right_number: int


@dataclass(frozen=True)
class Difference:
    """What changed from one text to another."""

    rows: tuple[DiffRow, ...]
    gone: int
    new: int
    changed: int
    more: int
    """Rows that are not shown for want of room."""


class _Pair(NamedTuple):
    """The numbers of lines that stand beside each other, from 0; -1 for none."""

    left: int
    right: int


def difference(before: str, after: str, notation: Notation) -> Difference:
    """The rows of two texts."""
    olds, news = before.splitlines()[:MOST_LINES], after.splitlines()[:MOST_LINES]
    pairs = [*_pairs(olds, news)]
    kinds = [_kind(pair, olds, news) for pair in pairs]
    rows = [*_rows(pairs, kinds, olds, news, notation)]
    return Difference(
        tuple(rows[:MOST_ROWS]),
        kinds.count("gone"),
        kinds.count("new"),
        kinds.count("changed"),
        max(0, len(rows) - MOST_ROWS),
    )


def _kind(pair: _Pair, olds: Sequence[str], news: Sequence[str]) -> RowKind:
    if pair.left < 0 or pair.right < 0:
        return "new" if pair.left < 0 else "gone"
    return "same" if olds[pair.left] == news[pair.right] else "changed"


def _pairs(olds: Sequence[str], news: Sequence[str]) -> Iterator[_Pair]:
    """Which lines stand beside each other."""
    for what, i, j, k, m in SequenceMatcher(None, olds, news, autojunk=False).get_opcodes():
        if what == "equal":
            yield from (_Pair(i + n, k + n) for n in range(j - i))
        elif max(j - i, m - k) <= MOST_PAIRED:
            yield from _alike(olds, news, range(i, j), range(k, m))
        else:
            yield from (_Pair(n, -1) for n in range(i, j))
            yield from (_Pair(-1, n) for n in range(k, m))


def _alike(olds: Sequence[str], news: Sequence[str], left: range, right: range) -> Iterator[_Pair]:
    """The lines of a stretch, those beside each other that are most alike, in their order."""
    at = right.start
    for number in left:
        close = [(_likeness(olds[number], news[n]), -n) for n in range(at, right.stop)]
        best, place = max(close, default=(0.0, 0))
        if best < ALIKE or _is_another_s(olds, left, number, news[-place], best):
            yield _Pair(number, -1)
            continue
        yield from (_Pair(-1, n) for n in range(at, -place))
        yield _Pair(number, -place)
        at = -place + 1
    yield from (_Pair(-1, n) for n in range(at, right.stop))


def _is_another_s(olds: Sequence[str], left: range, number: int, new: str, best: float) -> bool:
    """Whether a later line is more like it still."""
    return any(_likeness(olds[n], new) > best for n in range(number + 1, left.stop))


def _likeness(one: str, two: str) -> float:
    """How many literals two rules have in common; rules with different heads are not one rule changed."""
    if max(len(one), len(two)) > LONGEST_MARKED or _head(one) != _head(two):
        return 0.0
    own, theirs = (Counter(piece for piece in _literals(line) if piece not in MARKS) for line in (one, two))
    return 2 * (own & theirs).total() / (own.total() + theirs.total())


@lru_cache(maxsize=1_000)
def _literals(line: str) -> tuple[str, ...]:
    """A sentence in pieces: its head, its literals, and what stands between them."""
    is_kif = line.startswith(KIF_RULE) and line.endswith(")")
    text, outer = (line[:-1], 1) if is_kif else (line, 0)
    depth, start, pieces = 0, 0, list[str]()
    for place, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if letter == " " and depth == outer:
            pieces += [text[start:place], " "]
            start = place + 1
    return tuple(piece for piece in (*pieces, text[start:], line[len(text) :]) if piece)


def _head(line: str) -> str:
    return next((piece for piece in _literals(line) if piece not in MARKS), "")


def _rows(
    pairs: Sequence[_Pair],
    kinds: Sequence[RowKind],
    olds: Sequence[str],
    news: Sequence[str],
    notation: Notation,
) -> Iterator[DiffRow]:
    shown = _shown(kinds)
    hidden = written = 0
    for pair, kind, is_shown in zip(pairs, kinds, shown, strict=True):
        if not is_shown:
            hidden += 1
            continue
        if hidden:
            yield DiffRow("left out", "", "", hidden, 0)
            hidden = 0
        written += 1
        if written > MOST_ROWS:  # only counted
            yield DiffRow(kind, "", "", 0, 0)
            continue
        left = olds[pair.left] if pair.left >= 0 else ""
        right = news[pair.right] if pair.right >= 0 else ""
        other = (right, left) if kind == "changed" else (None, None)
        yield DiffRow(
            kind,
            _html(left, other[0], notation),
            _html(right, other[1], notation),
            pair.left + 1,
            pair.right + 1,
        )
    if hidden:
        yield DiffRow("left out", "", "", hidden, 0)


def _shown(kinds: Sequence[RowKind]) -> list[bool]:
    """Which rows are shown: all of a few, and of many those near a change."""
    if len(kinds) <= FEW:
        return [True] * len(kinds)
    shown = [kind != "same" for kind in kinds]
    changes = [number for number, is_change in enumerate(shown) if is_change]
    for number in changes:
        for near in range(max(0, number - AROUND), min(len(kinds), number + AROUND + 1)):
            shown[near] = True
    return shown if changes else [number < FEW for number in range(len(kinds))]


def _html(line: str, other: str | None, notation: Notation) -> str:
    """A line with its tokens in colours; literals that another line does not have are marked."""
    if len(line) > LONGEST_MARKED:
        return escape(line)
    marked = _changed(line, other) if other is not None else []
    bounds = sorted({0, len(line), *(end for span in marked for end in span)})
    inside = {start for start, end in marked}
    spans = tokens(line, notation)
    pieces = []
    for start, end in pairwise(bounds):
        html = _coloured(line, start, end, spans)
        pieces.append(f"<mark>{html}</mark>" if start in inside else html)
    return "".join(pieces)


def _changed(line: str, other: str) -> list[tuple[int, int]]:
    """From where to where a line has literals that the other has not; where it only moved them, those moved."""
    own, theirs = _literals(line), _literals(other)
    left = Counter(theirs)
    is_new = []
    for piece in own:
        is_new.append(piece not in MARKS and left[piece] <= 0)
        left[piece] -= 1
    if not any(is_new) and Counter(own) == Counter(theirs):
        blocks = SequenceMatcher(None, own, theirs, autojunk=False).get_matching_blocks()
        kept = {block.a + n for block in blocks for n in range(block.size)}
        is_new = [number not in kept and piece not in MARKS for number, piece in enumerate(own)]
    found: list[tuple[int, int]] = []
    at = 0
    for piece, is_marked in zip(own, is_new, strict=True):
        if is_marked:
            found.append((at, at + len(piece)))
        at += len(piece)
    return found


def _coloured(line: str, start: int, end: int, spans: Sequence[ColouredToken]) -> str:
    """A part of a line with its tokens in spans."""
    pieces = []
    for token in spans:
        if start <= token.start and token.end <= end and (letter := CLASSES.get(token.colour)):
            pieces.append(escape(line[start : token.start]))
            pieces.append(f"<b class={letter}>{escape(line[token.start : token.end])}</b>")
            start = token.end
    return "".join(pieces) + escape(line[start:end])
