"""The parts that messages are made of: text -> words, ids, clocks, terms, rules; MessageError for what is none."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

from gamemaster.errors import ReadError
from gamemaster.language.builtins import number_of
from gamemaster.language.kif import read_kif, read_kif_term
from gamemaster.language.notation import read
from gamemaster.language.rules import Notation, Rules
from gamemaster.language.source import Source
from gamemaster.language.terms import PLAIN_KIF, Symbol, Term, variables_of
from gamemaster.match.wire.cutting import WORD, Piece, call_of, is_list, items_of, refuse

__all__ = [
    "ENDLESS",
    "check_count",
    "id_of",
    "kif_rules_of",
    "ruleset_of",
    "seconds_of",
    "value_of",
    "word_of",
]

Value = TypeVar("Value")

LONGEST_REASON = 200
ENDLESS = "Infinity"
"""How the original writes a clock that never runs out."""


def check_count(parts: Sequence[Piece], allowed: Sequence[int], piece: Piece, name: str) -> None:
    """MessageError where a message has another number of arguments."""
    if len(parts) not in allowed:
        counts = " or ".join(map(str, allowed))
        refuse(f"{name} takes {counts} arguments, not {len(parts)}", piece)


def _read(piece: Piece, reader: Callable[[str], Value]) -> Value:
    try:
        return reader(piece.text)
    except ReadError as error:
        refuse(error.what[:LONGEST_REASON], piece)


def value_of(piece: Piece, reader: Callable[[str], Term]) -> Term:
    """The term of a part; MessageError for one with variables, which nobody can do or see."""
    term: Term = _read(piece, reader)
    if any(True for _ in variables_of(term)):
        refuse("a message has no variables, and here is one", piece)
    return term


def word_of(piece: Piece, reader: Callable[[str], Term]) -> str:
    """The word that a part is."""
    term = value_of(piece, reader)
    if not isinstance(term, Symbol):
        refuse("a word was expected", piece)
    return str.__str__(term)


def id_of(piece: Piece, reader: Callable[[str], Term]) -> str:
    """An id, or the name of a sender or receiver, as it is written: capitals stay."""
    text = piece.text.strip()
    is_plain = PLAIN_KIF.match(text) if reader is read_kif_term else WORD.match(text)
    return text if is_plain else word_of(piece, reader)


def seconds_of(piece: Piece) -> float:
    """The clock that a part is; one that never runs out is a word."""
    text = piece.text.strip()
    if text.lower() == ENDLESS.lower():
        return math.inf
    seconds = number_of(text)
    if seconds is None or seconds < 0:
        refuse("a clock is a number of seconds", piece)
    return seconds


def kif_rules_of(piece: Piece) -> Rules:
    """The rules of `(rule ...)`."""
    if not piece.text.startswith("("):
        refuse("rules stand in brackets", piece)
    inner = Piece(piece.text[1:-1], piece.start + 1)
    rules: Rules = _read(inner, lambda text: read_kif(Source.checked("rules", text)))
    return rules


def ruleset_of(piece: Piece) -> Rules:
    """The rules of `ruleset(rule,...)` or `[rule,...]`."""
    call = call_of(piece, ("ruleset",))
    if not is_list(piece) and call is None:
        refuse("rules stand in ruleset(...) or [...]", piece)
    sentences = call[1] if call else items_of(piece)
    for sentence in sentences:
        if not sentence.text.strip():
            refuse("a rule was expected", sentence)
    # A dot before each: one that begins with a bracket would be taken for the arguments of the one before.
    text = "\n. ".join(sentence.text.strip(" ") for sentence in sentences)
    notation: Notation | None = None if call else "hrf"
    rules: Rules = _read(
        Piece(text, piece.start), lambda text: read(Source.checked("ruleset", text), notation)
    )
    return rules
