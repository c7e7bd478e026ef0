"""Text -> what an editor shows of it: colours, findings and outline; and answers to what is asked at a place.

All of it is `gamemaster.editing`, for a browser: offsets in UTF-16 units, and no more of anything than a page can show.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from gamemaster.editing import (
    Diagnostic,
    completions,
    definition,
    diagnostics,
    format_sheet,
    hover,
    symbols,
    tokens,
)
from gamemaster.editing.lines import TextLines
from gamemaster.editing.scanning import Colour
from gamemaster.errors import GamemasterError, ParameterError, RulesError
from gamemaster.ground.budget import check_sizes
from gamemaster.language.lower import lower
from gamemaster.language.notation import read, show
from gamemaster.language.rules import Notation, Rules
from gamemaster.language.source import Source, Span
from gamemaster.match.wire.classic import with_noop
from gamemaster.web.jobs import Plain
from gamemaster.web.shelf import NOTATION_NAMES
from gamemaster.web.writing.units import TextUnits

__all__ = ["completed", "converted", "formatted", "helped", "lone_finding", "looked", "played"]

COLOURS: tuple[Colour, ...] = get_args(Colour)
"""A colour is sent as its number in this list."""

MOST_COLOURED = 60_000
"""Tokens of a text that get a colour: the others look like any text."""

MOST_OFFERS = 60
MOST_OUTLINED = 500
MOST_DEFINITIONS = 20


def looked(rules: str, notation: Notation) -> Plain:
    """What is shown of a text all the time: colours of tokens, findings, and its outline."""
    units = TextUnits.of(rules)
    found = tokens(rules, notation)[:MOST_COLOURED]
    return {
        "tokens": [
            number
            for token in found
            for number in (units.units(token.start), units.units(token.end), COLOURS.index(token.colour))
        ],
        "findings": _findings(rules, diagnostics(rules, notation)),
        "outline": [
            {"name": each.name, "detail": each.detail, **_span(rules, each.name_span)}
            for each in symbols(rules, notation)[:MOST_OUTLINED]
        ],
    }


def played(rules: str, notation: Notation, seconds: float) -> Plain:
    """The findings with those that take a while: rules are grounded, and played at random for so many seconds."""
    return {"findings": _findings(rules, diagnostics(rules, notation, play=seconds))}


def _findings(rules: str, found: Iterable[Diagnostic]) -> list[Plain]:
    return [
        {
            "code": each.code,
            "severity": each.severity,
            "message": each.message,
            "hint": each.hint,
            **_span(rules, each.span),
        }
        for each in found
    ]


def lone_finding(code: str, message: str, hint: str = "") -> Plain:
    """What is said of a text as a whole, in the place of all that could not be found out."""
    place = {"start": 0, "end": 0, "line": 1, "column": 1}
    finding = {"code": code, "severity": "error", "message": message, "hint": hint, **place}
    return {"tokens": None, "findings": [finding], "outline": None}


def _span(rules: str, span: Span) -> Plain:
    """A span for a browser, with the line and column at which it begins."""
    units = TextUnits.of(rules)
    line, column = TextLines.of(rules).place(span.start)
    return {
        "start": units.units(span.start),
        "end": units.units(span.end),
        "line": line + 1,
        "column": column + 1,
    }


# At a place


def completed(rules: str, notation: Notation, at: int) -> Plain:
    """What may be written at a place, and what it would take the place of."""
    found = completions(rules, TextUnits.of(rules).offset(at), notation)
    if not found:
        return {"start": at, "end": at, "items": []}
    return {
        **_span(rules, found[0].span),
        "items": [
            {"text": each.text, "kind": each.kind, "signature": each.signature, "meaning": each.meaning}
            for each in found[:MOST_OFFERS]
        ],
    }


def helped(rules: str, notation: Notation, at: int) -> Plain:
    """What stands at a place, and where it is said what it means."""
    offset = TextUnits.of(rules).offset(at)
    found = hover(rules, offset, notation)
    if found is None:
        return {"help": None, "definitions": []}
    where = definition(rules, offset, notation)[:MOST_DEFINITIONS]
    told = {"title": found.title, "meaning": found.meaning, "details": list(found.details)}
    return {
        "help": {**told, **_span(rules, found.span)},
        "definitions": [_span(rules, each) for each in where],
    }


# The whole text, written otherwise


def formatted(rules: str, notation: Notation) -> Plain:
    """The text in the house's layout; ParameterError, with the line, where it cannot be read."""
    _readable(rules, notation, "it is laid out")
    return {"rules": format_sheet(rules, notation)}


def _readable(rules: str, notation: Notation, doing: str) -> Rules:
    try:
        return read(Source.checked("rules", rules), notation)
    except RulesError as error:
        what = f"line {error.place.line}: {error.what}" if error.place else error.what
        raise ParameterError(f"{doing} once it can be read; {what}") from None


def converted(rules: str, notation: Notation, wanted: Notation) -> Plain:
    """The same game in another notation, and what its text has lost; an error where it cannot be said."""
    if wanted == "epilog":
        raise ParameterError(
            f"{NOTATION_NAMES[notation]} cannot be turned into Epilog: write its handlers anew, or start from the "
            "skeleton in Epilog"
        )
    sheet = _readable(rules, notation, "it can be converted")
    try:
        check_sizes(sheet)
        core = lower(sheet)
        text = show(with_noop(core) if notation == "epilog" else core, wanted)
    except GamemasterError as error:
        raise ParameterError(f"it cannot be converted: {error}") from None
    lost = "comments and layout are those of a machine"
    if notation == "epilog":
        lost += "; what handlers changed is now said by next"
    return {"rules": text, "note": f"Converted to {NOTATION_NAMES[wanted]}: {lost}."}
