"""Sheet + offset -> what could be written there: names of the sheet, words of the language, builtins, variables.

What fits the place comes first: in a condition relations, in `control(` roles, in `legal(` moves. The place is found by
putting a name there and asking what it would be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gamemaster.editing.describing import own_signature
from gamemaster.editing.names import ATOM_PLACES, SheetName, Standing
from gamemaster.editing.sheets import EditedSheet, edited_sheet
from gamemaster.editing.words import BUILTINS, CONNECTIVE_WORDS, WordEntry, signature, words_of
from gamemaster.language.rules import Notation
from gamemaster.language.source import Span

__all__ = ["Completion", "CompletionKind", "completions"]

CompletionKind: TypeAlias = Literal["relation", "functor", "constant", "role", "variable", "word", "builtin"]

MOST_SHOWN = 200
PROBE = "probe"
LONGEST_SENTENCE = 20_000
"""Characters of what is begun that are looked at, to see what fits."""

FITTING: dict[Standing, tuple[CompletionKind, ...]] = {
    "head": ("word", "relation"),
    "condition": ("variable", "relation", "word", "builtin"),
    "effect": ("relation", "word"),
    "operation": ("relation", "functor"),
    "fact": ("functor", "relation", "constant", "variable"),
    "move": ("functor", "relation", "constant", "variable"),
    "role": ("role", "variable"),
    "term": ("variable", "constant", "role", "functor"),
    "expression": ("variable", "builtin", "functor"),
}
"""What fits where, best first; the others follow."""

KINDS: tuple[CompletionKind, ...] = (
    "relation",
    "word",
    "variable",
    "role",
    "constant",
    "functor",
    "builtin",
)


@dataclass(frozen=True, slots=True)
class Completion:
    """What may be written in the place of a span: its text, what it is, how it is used, what it means."""

    text: str
    kind: CompletionKind
    signature: str
    meaning: str
    span: Span


def completions(text: str, offset: int, notation: Notation | None = None) -> tuple[Completion, ...]:
    """What may be written at an offset, the likeliest first; nothing in comments and strings."""
    sheet = edited_sheet(text, notation)
    offset = min(max(offset, 0), len(text))
    span = _span(sheet, offset)
    if span is None:
        return ()
    prefix = text[span.start : offset]
    standing = _standing(sheet, span.start)
    order = {kind: rank for rank, kind in enumerate((*FITTING.get(standing, ()), *KINDS)[::-1])}
    found: dict[str, Completion] = {}
    for text_, kind, shown, meaning in _offers(sheet, span):
        if text_.lower().startswith(prefix.lower()) and text_ not in found:
            found[text_] = Completion(text_, kind, shown, meaning, span)
    ranked = sorted(found.values(), key=lambda c: (-order[c.kind], c.text))
    return tuple(ranked[:MOST_SHOWN])


def _span(sheet: EditedSheet, offset: int) -> Span | None:
    """What would be replaced: the name that is begun at an offset, or nothing; None in comments and strings."""
    before = sheet.token_at(offset - 1)
    if before is None:
        return Span(offset, offset) if sheet.tokens or not sheet.text.strip() else None
    if before.kind in ("symbol", "variable"):
        return Span(before.start, before.end)
    if before.kind == "comment" or (before.kind in ("string", "quoted") and offset < before.end):
        return None
    if sheet.is_kif and sheet.text[before.start] == "?":  # the beginning of a variable
        return Span(before.start, before.end)
    return Span(offset, offset)


def _standing(sheet: EditedSheet, start: int) -> Standing:
    """What a name would be that begins at an offset."""
    number = sheet.sentence_at(start)
    begin = sheet.sentences[number].start if number is not None else start
    tried = edited_sheet(
        f"{sheet.text[max(begin, start - LONGEST_SENTENCE) : start]} {PROBE}", sheet.notation
    )
    last = tried.names[-1] if tried.names else None
    return last.standing if last and last.text == PROBE else "head"


Offer: TypeAlias = tuple[str, CompletionKind, str, str]


def _offers(sheet: EditedSheet, span: Span) -> Iterator[Offer]:
    """Everything that could be written, in no order: its text, kind, signature and meaning."""
    begin = sheet.text[span.start] if span.start < span.end else ""
    is_variable = begin == "?" if sheet.is_kif else begin.isupper()
    if is_variable or not begin:
        yield from _variables(sheet, span)
    if is_variable:
        return
    yield from _own(sheet, span)
    yield from _known(sheet, words_of(sheet.notation), "word")
    yield from _known(sheet, BUILTINS, "builtin")
    if sheet.is_kif:
        yield from _known(sheet, CONNECTIVE_WORDS, "word")


def _variables(sheet: EditedSheet, span: Span) -> Iterator[Offer]:
    """The variables of the sentence, but for the one that is being written."""
    number = sheet.sentence_at(span.start)
    for name in sheet.names:
        if (
            name.kind == "variable"
            and name.sentence == number
            and name.text != "_"
            and name.start != span.start
        ):
            shown = sheet.text[name.start : name.end]
            yield shown, "variable", shown, "a variable of this rule"


def _own(sheet: EditedSheet, span: Span) -> Iterator[Offer]:
    """The names of the sheet, but for the one that is being written; once for each number of arguments."""
    roles = {*sheet.roles()}
    for (sort, text, _), group in sheet.groups.items():
        others = [name for name in group if name.start != span.start]
        if sort not in ("relation", "functor", "constant") or not others or sheet.is_word(others[0]):
            continue
        first = _usual(others)
        if sheet.is_builtin(first):
            continue
        is_role = text in roles and not first.has_brackets
        kind = "role" if is_role else _kind(sort, first)
        yield sheet.text[first.start : first.end], kind, own_signature(sheet, first), _sort_of(kind)


def _usual(names: list[SheetName]) -> SheetName:
    """A name with the number of arguments that it has most often."""
    arities = [name.arity for name in names]
    usual = max(arities, key=arities.count) if len(arities) < MOST_SHOWN else arities[0]
    return next(name for name in names if name.arity == usual)


def _kind(sort: str, name: SheetName) -> CompletionKind:
    if sort == "relation" or name.standing in ATOM_PLACES:
        return "relation"
    return "functor" if sort == "functor" else "constant"


def _sort_of(kind: CompletionKind) -> str:
    return {"relation": "a relation of this sheet", "role": "a role"}.get(kind, f"a {kind} of this sheet")


def _known(sheet: EditedSheet, entries: dict[str, WordEntry], kind: CompletionKind) -> Iterator[Offer]:
    for name, entry in entries.items():
        yield name, kind, signature(name, entry.arguments, sheet.notation), entry.meaning
