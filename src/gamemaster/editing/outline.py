"""Sheet -> outline: what it says something about, one entry for sentences of the same that follow each other."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, TypeAlias

from gamemaster.editing.names import SheetName
from gamemaster.editing.sheets import EditedSheet, SentenceKind, edited_sheet, span_of
from gamemaster.language.rules import Notation
from gamemaster.language.source import Span

__all__ = ["OutlineEntry", "OutlineKind", "symbols"]

OutlineKind: TypeAlias = Literal["word", "relation", "move", "definition"]


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """Sentences with one head: its name, what it is, how many there are; where they stand, and where the first name."""

    name: str
    kind: OutlineKind
    detail: str
    span: Span
    name_span: Span


def symbols(text: str, notation: Notation | None = None) -> tuple[OutlineEntry, ...]:
    """The outline of a sheet, in the order of the text."""
    sheet = edited_sheet(text, notation)
    heads = _heads(sheet)
    runs = groupby(sorted(heads), key=lambda number: _title(sheet, heads[number]))
    return tuple(_entry(sheet, title, [*numbers], heads) for title, numbers in runs)


def _heads(sheet: EditedSheet) -> dict[int, list[SheetName]]:
    """What each sentence says something about: its head, and the fact or move in it."""
    found: dict[int, list[SheetName]] = {}
    for name in sheet.names:
        begun = found.get(name.sentence)
        if begun is None:
            if name.standing in ("head", "operation", "function") and name.kind == "name":
                found[name.sentence] = [name]
        elif len(begun) == 1 and name.standing in ("fact", "move") and name.word == begun[0].text:
            begun.append(name)
    return found


def _title(sheet: EditedSheet, head: list[SheetName]) -> str:
    """`cell/3`, or `next cell/3` for what the language has a word for."""
    *words, last = head
    shown = sheet.text[last.start : last.end] if last.kind == "variable" else f"{last.text}/{last.arity}"
    return " ".join([*(word.text for word in words), shown])


def _entry(
    sheet: EditedSheet, title: str, numbers: list[int], heads: dict[int, list[SheetName]]
) -> OutlineEntry:
    first = heads[numbers[0]][0]
    kinds = Counter(sheet.kind_of(number) for number in numbers)
    detail = ", ".join(f"{count} {kind}{'s' * (count > 1)}" for kind, count in kinds.items())
    span = Span(sheet.sentences[numbers[0]].start, sheet.sentences[numbers[-1]].end)
    return OutlineEntry(title, _kind(sheet, first, sheet.kind_of(numbers[0])), detail, span, span_of(first))


def _kind(sheet: EditedSheet, head: SheetName, kind: SentenceKind) -> OutlineKind:
    if kind == "definition":
        return "definition"
    if kind == "handler":
        return "move"
    return "word" if sheet.is_word(head) else "relation"
