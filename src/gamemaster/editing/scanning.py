"""Text -> tokens: those of the readers, comments too, for any text whatever; and what each looks like in colours.

The readers' own patterns find them, so that an editor never sees a token where a reader sees none. What no token begins
with is a token by itself, of one character: nothing here fails.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from gamemaster.language import infix, kif
from gamemaster.language.builtins import AGGREGATES, FIXED_ARITY
from gamemaster.language.notation import COMMENT_MARKS, find_notation
from gamemaster.language.rules import Notation

__all__ = [
    "MOST_CHARACTERS",
    "Colour",
    "ColouredToken",
    "SheetToken",
    "TokenKind",
    "notation_of",
    "scan",
    "tokens",
]

MOST_CHARACTERS = 500_000
"""Of a text that an editor says anything about: more than the largest public rulesheet has."""

TokenKind: TypeAlias = Literal[
    "comment",
    "open",  # ( or [
    "close",  # ) or ]
    "comma",
    "dot",
    "mark",  # :- & ~ <= and others between terms
    "symbol",  # a name or a number
    "variable",
    "string",
    "quoted",  # a name between quotes or bars
    "unreadable",
]
Colour: TypeAlias = Literal["comment", "string", "variable", "number", "word", "relation", "name", "mark"]

WORDS = (
    "role", "init", "true", "false", "does", "next", "legal", "goal", "terminal", "base", "input", "action",
    "control", "sees", "random", "not", "or", "and",
)  # fmt: skip
"""Words that the languages give a meaning."""

RESERVED = AGGREGATES.union(WORDS, FIXED_ARITY)
NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?\Z")
KIF_MARKS = frozenset({"<=", ":="})
MARK_KINDS: dict[str, TokenKind] = {
    "(": "open", "[": "open", ")": "close", "]": "close", ",": "comma", ".": "dot",
    "+": "unreadable", "-": "unreadable", "*": "unreadable",
}  # fmt: skip
"""What the marks of infix notation are that do not stand between terms; `+` and such have no meaning in games."""

COMMENTS = {mark: re.compile(rf"{mark}[^\r\n]*") for mark in COMMENT_MARKS.values()}
PATTERNS: dict[Notation, re.Pattern[str]] = {"kif": kif.TOKEN, "hrf": infix.TOKEN, "epilog": infix.TOKEN}
SHOWN_AS: dict[TokenKind, Colour] = {
    "comment": "comment",
    "string": "string",
    "quoted": "string",
    "variable": "variable",
    "mark": "mark",
}


class SheetToken(NamedTuple):
    """A token and where it stands, from offset `start` up to `end`."""

    kind: TokenKind
    start: int
    end: int


class ColouredToken(NamedTuple):
    """A token that is shown in a colour, and where it stands."""

    colour: Colour
    start: int
    end: int


def notation_of(text: str, notation: Notation | None) -> Notation:
    """The notation given, or else what the beginning of the text looks like."""
    return notation or find_notation(text[:MOST_CHARACTERS])


def scan(text: str, notation: Notation) -> list[SheetToken]:
    """All tokens of a text in their order, comments among them."""
    comments = COMMENTS[COMMENT_MARKS[notation]]
    found: list[SheetToken] = []
    for token in PATTERNS[notation].finditer(text, text.startswith("\ufeff")):
        kind = token.lastgroup or "end"
        start, end = token.span(kind)
        if start > token.start():
            found += [SheetToken("comment", *c.span()) for c in comments.finditer(text, token.start(), start)]
        if kind != "end":
            found.append(SheetToken(_kind(kind, text[start:end], notation), start, end))
    return found


def _kind(group: str, text: str, notation: Notation) -> TokenKind:
    """What a token is, of which a reader's pattern says to which group it belongs."""
    if group == "mark":
        return MARK_KINDS.get(text, "mark")
    if group == "symbol":
        return "mark" if notation == "kif" and text in KIF_MARKS else "symbol"
    kinds: dict[str, TokenKind] = {
        "open": "open",
        "close": "close",
        "variable": "variable",
        "string": "string",
        "bars": "quoted",
        "quoted": "quoted",
    }
    return kinds.get(group, "unreadable")


def tokens(text: str, notation: Notation | None = None) -> list[ColouredToken]:
    """The tokens of a text that are shown in colours, in their order; none of a text that is too large."""
    if len(text) > MOST_CHARACTERS:
        return []
    notation = notation_of(text, notation)
    return [*_coloured(text, scan(text, notation), is_kif=notation == "kif")]


def _coloured(text: str, found: list[SheetToken], *, is_kif: bool) -> Iterator[ColouredToken]:
    """The tokens with their colours; a name is a relation's where a bracket makes it one."""
    before: TokenKind = "comment"
    for number, (kind, start, end) in enumerate(found):
        if kind == "symbol":
            after = found[number + 1] if number + 1 < len(found) else None
            is_called = before == "open" if is_kif else bool(after and text[after.start] == "(")
            yield ColouredToken(_colour(text[start:end], is_called), start, end)
        elif colour := SHOWN_AS.get(kind):
            yield ColouredToken(colour, start, end)
        before = kind


def _colour(name: str, is_called: bool) -> Colour:
    if name.lower() in RESERVED:
        return "word"
    if NUMBER.match(name):
        return "number"
    return "relation" if is_called else "name"
