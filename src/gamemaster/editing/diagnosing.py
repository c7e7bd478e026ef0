"""Text -> diagnostics: what the checker finds, each with the span that an editor underlines and what to do about it.

While somebody types, only what can be known without playing is said, one check after the other until time is over. What
play and grounding show is said when asked for, by the same checker that `gamemaster check` is.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import takewhile

from gamemaster.check import check
from gamemaster.editing.lines import TextLines
from gamemaster.editing.scanning import MOST_CHARACTERS, notation_of
from gamemaster.editing.sheets import EditedSheet, edited_sheet
from gamemaster.errors import GamemasterError, LimitExceeded, Place, RulesError
from gamemaster.language.check import CHECKS
from gamemaster.language.check.sheet import Sheet
from gamemaster.language.findings import Finding, Severity
from gamemaster.language.notation import read
from gamemaster.language.rules import Notation
from gamemaster.language.source import Source, Span

__all__ = ["MOST_DIAGNOSTICS", "QUICK_SECONDS", "Diagnostic", "diagnostics"]

MOST_DIAGNOSTICS = 200
"""Findings that are shown of a text: nobody reads more, and editors have to draw them."""

QUICK_SECONDS = 5.0
"""How long the checks go on that are made while somebody types; of 3,000 lines they take a fifth of it."""

UNSETTLED = "whether one really does is settled when the game is played"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding and the span of the text that it is about."""

    code: str
    severity: Severity
    message: str
    hint: str
    span: Span


def diagnostics(
    text: str, notation: Notation | None = None, *, play: float = 0.0, seconds: float = QUICK_SECONDS
) -> tuple[Diagnostic, ...]:
    """What is wrong with a text, in its order; `play` is for how many seconds to play at random, 0: not at all.

    Checks that have not begun after `seconds` are left out, and a note says so.
    """
    if len(text) > MOST_CHARACTERS:
        message = f"the text has more than {MOST_CHARACTERS:,} characters, and is not checked while you type"
        return (Diagnostic("limit", "note", message, "`gamemaster check` reads it", Span(0, 0)),)
    source = Source("rules", text)
    notation = notation_of(text, notation)
    found = _played(source, notation, play) if play > 0 else _read(source, notation, seconds)
    sheet = edited_sheet(text, notation)
    return tuple(_diagnostic(sheet, finding) for finding in found[:MOST_DIAGNOSTICS])


def _played(source: Source, notation: Notation, seconds: float) -> list[Finding]:
    """All that the checker says; what it cannot do with the rules is a finding too."""
    try:
        return [*check(source, notation, seconds=seconds)]
    except GamemasterError as error:
        return [Finding("limit", "error", str(error), source.place(0), "let the rules ask for less")]


def _read(source: Source, notation: Notation, seconds: float) -> list[Finding]:
    """What can be said of a text without playing."""
    deadline = time.monotonic() + seconds
    try:
        rules = read(source, notation)
    except RulesError as error:
        return [Finding(error.code, "error", error.what, error.place or source.place(0), error.hint)]
    found = [*_checked(Sheet(rules), deadline)]
    return sorted({*found}, key=lambda f: (f.place.line, f.place.column, f.severity, f.code, f.message))


def _checked(sheet: Sheet, deadline: float) -> Iterator[Finding]:
    """The findings of all checks for which there is time."""
    for check_one in CHECKS:
        if time.monotonic() > deadline:
            yield _unfinished(sheet, "the time for checks while you type is over; some were left out")
            return
        try:
            yield from map(_unsettled, check_one(sheet))
        except LimitExceeded as error:
            yield _unfinished(sheet, str(error))


def _unfinished(sheet: Sheet, message: str) -> Finding:
    return Finding("limit", "note", message, sheet.place_at(0), "`gamemaster check` makes all of them")


def _unsettled(finding: Finding) -> Finding:
    """The finding; recursion through negation is an error only where ground atoms have it, which takes longer."""
    if finding.code != "negative-recursion":
        return finding
    return replace(finding, severity="warning", message=f"{finding.message}; {UNSETTLED}")


# Spans


def _diagnostic(sheet: EditedSheet, finding: Finding) -> Diagnostic:
    span = _span(sheet, finding.place)
    return Diagnostic(finding.code, finding.severity, finding.message, finding.hint, span)


def _span(sheet: EditedSheet, place: Place) -> Span:
    """What begins at a place: a token, or in KIF a bracket up to its end; else the rest of the line."""
    lines = TextLines.of(sheet.text)
    start = lines.offset(place.line - 1, place.column - 1)
    token = sheet.token_at(start)
    line_end = lines.end(lines.line(start))
    if token is None:
        return Span(start, max(start, line_end))
    if token.kind == "open":
        return Span(start, min(_closing(sheet, start, line_end), line_end))
    return Span(start, min(token.end, line_end))


def _closing(sheet: EditedSheet, start: int, end: int) -> int:
    """Behind the bracket that closes the one at an offset; behind the first word in it, if none does in the line."""
    depth, word_end = 0, start + 1
    for token in takewhile(lambda token: token.start < end, sheet.tokens_from(start)):
        depth += (token.kind == "open") - (token.kind == "close")
        if depth == 0:
            return token.end
        if word_end == start + 1 and token.kind not in ("open", "close"):
            word_end = token.end
    return word_end
