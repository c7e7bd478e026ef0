"""The text of a message -> the texts of its parts, without reading them.

Rules stand inside messages, where no reader of terms would take them, and text from strangers can be large and deep.
So a message is cut at its outermost brackets first: in one pass, without recursion, and no further than it must.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import NoReturn

from gamemaster.errors import MessageError
from gamemaster.language.terms import MAX_DEPTH

__all__ = ["WORD", "Piece", "call_of", "elements_of", "is_list", "items_of", "refuse"]

MAX_NESTING = MAX_DEPTH + 4
"""How deep brackets may nest: a term in a list in a request in an envelope."""

MAX_PARTS = 100_000
"""How many parts anything may have: the largest rulesheets have some 10,000 sentences."""

SHOWN = 40
"""How much of a text an error shows."""

BLANKS_INFIX = re.compile(r"(?:[\t-\r ]++|%[^\r\n]*+)*+")
BLANKS_KIF = re.compile(r"(?:[\t-\r ]++|;[^\r\n]*+)*+")
NAME_INFIX = re.compile(r"[A-Za-z0-9_./+*-]++")
ATOM_KIF = re.compile(r"""\|(?:\\.|[^|\\\r\n])*+\||"[^"\r\n]*+"|[^\x00-\x20()";|]++""")
MARKS_INFIX = re.compile(r"""[()\[\],]|"[^"\r\n]*+"|'(?:\\.|[^'\\\r\n])*+'|%[^\r\n]*+""")
MARKS_KIF = re.compile(r"""[()]|"[^"\r\n]*+"|\|(?:\\.|[^|\\\r\n])*+\||;[^\r\n]*+""")
OPENING, CLOSING = "([", ")]"
WORD = re.compile(r"[A-Za-z0-9_./+*-]++\Z")
"""A word that means the same in both notations, but for its case."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The text of a part, and where in the message it begins."""

    text: str
    start: int


def refuse(what: str, piece: Piece, offset: int = 0) -> NoReturn:
    """MessageError: what is wrong, the text there, and the character at which it begins, from 1."""
    at = piece.start + offset
    shown = piece.text[offset : offset + SHOWN + 1]
    shown = shown[:SHOWN] + "..." if len(shown) > SHOWN else shown
    raise MessageError(f"{what}: {shown!r} at character {at + 1}")


def call_of(piece: Piece, names: Container[str]) -> tuple[str, list[Piece]] | None:
    """The name, in lower case, and the arguments of `name(a,...)`; None for a text without one of these names."""
    begin = _end(BLANKS_INFIX, piece.text, 0)
    name = NAME_INFIX.match(piece.text, begin)
    if name is None or name[0].lower() not in names:
        return None
    bracket = _end(BLANKS_INFIX, piece.text, name.end())
    if piece.text[bracket : bracket + 1] != "(":
        return None
    return name[0].lower(), _parts(piece, bracket, ")")


def is_list(piece: Piece) -> bool:
    """Whether the text begins as `[a,...]` does."""
    return piece.text.startswith("[", _end(BLANKS_INFIX, piece.text, 0))


def items_of(piece: Piece) -> list[Piece]:
    """The items of `[a,...]`."""
    return _parts(piece, _end(BLANKS_INFIX, piece.text, 0), "]")


def _parts(piece: Piece, bracket: int, closing: str) -> list[Piece]:
    """What stands between commas from a bracket to the one that closes it, with which the text must end."""
    parts: list[Piece] = []
    begin = bracket + 1
    for mark, at, depth in _marks(piece, MARKS_INFIX, bracket):
        if depth == 1 and mark == ",":
            _add(parts, piece, begin, at)
            begin = at + 1
        elif depth == 0:
            if mark != closing or _end(BLANKS_INFIX, piece.text, at + 1) != len(piece.text):
                refuse("one message was expected, and it does not end here", piece, at)
            if parts or piece.text[begin:at].strip():
                _add(parts, piece, begin, at)
            return parts
    refuse("bracket is never closed", piece, bracket)


def elements_of(piece: Piece) -> list[Piece]:
    """The elements of the KIF list `(a ...)` that the text is."""
    at = _end(BLANKS_KIF, piece.text, 0)
    if piece.text[at : at + 1] != "(":
        refuse("a list in brackets was expected", piece)
    close = _closing(piece, at)
    if _end(BLANKS_KIF, piece.text, close + 1) != len(piece.text):
        refuse("one message was expected, and it does not end here", piece, close)
    elements: list[Piece] = []
    at = _end(BLANKS_KIF, piece.text, at + 1)
    while at < close:
        end = _element_end(piece, at)
        _add(elements, piece, at, end)
        at = _end(BLANKS_KIF, piece.text, end)
    return elements


def _element_end(piece: Piece, at: int) -> int:
    if piece.text[at] == "(":
        return _closing(piece, at) + 1
    atom = ATOM_KIF.match(piece.text, at)
    if atom is None:
        refuse("this cannot be read", piece, at)
    return atom.end()


def _closing(piece: Piece, bracket: int) -> int:
    """Where the bracket is that closes this one."""
    for _, at, depth in _marks(piece, MARKS_KIF, bracket):
        if depth == 0:
            return at
    refuse("bracket is never closed", piece, bracket)


def _marks(piece: Piece, pattern: re.Pattern[str], start: int) -> Iterator[tuple[str, int, int]]:
    """Brackets and commas from an offset on, where each is, and how many brackets are open after it."""
    depth = 0
    for match in pattern.finditer(piece.text, start):
        mark = match[0]
        if mark in OPENING:
            depth += 1
            if depth > MAX_NESTING:
                refuse(f"brackets nest deeper than {MAX_NESTING} levels", piece, match.start())
        elif mark in CLOSING:
            depth -= 1
        elif mark != ",":
            continue
        yield mark, match.start(), depth


def _add(parts: list[Piece], piece: Piece, begin: int, end: int) -> None:
    if len(parts) >= MAX_PARTS:
        refuse(f"more than {MAX_PARTS:,} parts", piece, begin)
    parts.append(Piece(piece.text[begin:end], piece.start + begin))


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where a match that begins there ends."""
    match = pattern.match(text, at)
    return match.end() if match else at
