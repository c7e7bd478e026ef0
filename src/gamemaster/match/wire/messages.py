"""Text <-> messages, in every era of the protocol (see `protocol` for the values, `printing` for the way back).

    >>> read_message("(play m01 ((mark 1 1) noop))")
    (<Era.KIF: 'kif'>, Play(moves=(mark(1,1), noop), id='m01'))
    >>> print_message(Envelope("4", "manager", "indy", Play((Symbol("noop"),))), Era.ENVELOPE)
    'message(4,manager,indy,play(noop))'

The form of a text tells its era. Some forms are the same in two: `play(m01,nil)`, `abort(m01)` and a bare word count as
`ids`, `ids` and `kif`. A move may have the name of a request, so who waits for a reply reads it with `read_reply`.

Text comes from strangers: whatever it is, reading it ends soon, with a message or a MessageError that says what is
wrong, and where.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice

from gamemaster.errors import MessageError, ReadError
from gamemaster.language.infix import read_term
from gamemaster.language.kif import read_kif_term
from gamemaster.language.terms import Symbol, Term, variables_of
from gamemaster.match.wire.cutting import WORD, Piece, call_of, elements_of, is_list, items_of, refuse
from gamemaster.match.wire.printing import print_message
from gamemaster.match.wire.protocol import (
    Abort,
    Body,
    Envelope,
    Era,
    Message,
    Ping,
    Play,
    ReplyMessage,
    Start,
    Stop,
)
from gamemaster.match.wire.words import (
    check_count,
    id_of,
    kif_rules_of,
    ruleset_of,
    seconds_of,
    value_of,
    word_of,
)

__all__ = [
    "MAX_SIZE",
    "MAX_WORDS",
    "has_too_many_words",
    "print_message",
    "read_message",
    "read_reply",
]

MAX_SIZE = 1_000_000
"""How many characters a message may have: more than twice the largest public rulesheet known."""

MAX_WORDS = 150_000
"""How many words a message may have: the time to read it goes with them, and the largest rulesheets have a third."""

A_WORD = re.compile(r"[^\s(),\[\]]++")
NESTED = re.compile(r"\(\s*\(")
CAPITALS = re.compile(r"[A-Z][A-Za-z0-9_./+*-]*+\Z")


def read_message(text: str, *, max_size: int = MAX_SIZE) -> tuple[Era, Message]:
    """The message that a text is, and the era it is written in; MessageError for anything else."""
    piece = _checked(text, max_size)
    if piece.text.startswith("("):
        return Era.KIF, _kif_message(piece)
    call = call_of(piece, (*ARITIES, "info", "reply", "message"))
    if call is None and piece.text.lower() in ("info", "ping"):
        call = piece.text.lower(), []
    if call is None:
        return _bare_reply(piece, None)
    name, parts = call
    return _envelope(parts, piece, None) if name == "message" else _infix_message(name, parts, piece)


def read_reply(
    text: str, era: Era | None = None, *, max_size: int = MAX_SIZE
) -> tuple[Era, ReplyMessage | Envelope]:
    """The reply that a text is, in an era or else in that of its form; any term is one, whatever its name."""
    piece = _checked(text, max_size)
    if not (era and era.is_classic):
        call = call_of(piece, ("message", "reply"))
        if call and call[0] == "message" and len(call[1]) == 4:
            return _envelope(call[1], piece, era or Era.IDS)
        if call and call[0] == "reply" and len(call[1]) == 2:
            return Era.IDS, _reply_with_id(call[1])
    return _bare_reply(piece, era)


# Bounds


def _checked(text: str, max_size: int) -> Piece:
    """The text without blanks around it; MessageError where it is too long, or empty."""
    if len(text) > max_size:
        raise MessageError(f"message of {len(text):,} characters; {max_size:,} are allowed")
    if has_too_many_words(text):
        raise MessageError(f"message of more than {MAX_WORDS:,} words")
    text = text.removeprefix("\ufeff")
    stripped = text.strip()
    if not stripped:
        raise MessageError("an empty text is no message")
    return Piece(stripped, text.index(stripped))


def has_too_many_words(text: str) -> bool:
    """Whether a message has more words than are allowed; a short one is not looked at."""
    words = A_WORD.finditer(text) if len(text) > 2 * MAX_WORDS else iter(())
    return next(islice(words, MAX_WORDS, None), None) is not None


# KIF


def _kif_message(piece: Piece) -> Body:
    elements = elements_of(piece)
    name = elements[0].text.lower() if elements else ""
    reader = KIF_READERS.get(name)
    return reader(elements[1:], piece) if reader else _bare_reply(piece, Era.KIF)[1]


def _kif_ping(parts: list[Piece], piece: Piece) -> Ping:
    check_count(parts, [0], piece, "info")
    return Ping()


def _kif_start(parts: list[Piece], piece: Piece) -> Start:
    if len(parts) < 5:  # classic players take more, for what may come
        check_count(parts, [5], piece, "start")
    match, role, rules, start_clock, play_clock = parts[:5]
    return Start(
        word_of(role, read_kif_term),
        kif_rules_of(rules),
        seconds_of(start_clock),
        seconds_of(play_clock),
        id_of(match, read_kif_term),
    )


def _kif_done(kind: type[Play] | type[Stop]) -> Callable[[list[Piece], Piece], Body]:
    def reader(parts: list[Piece], piece: Piece) -> Body:
        check_count(parts, [2], piece, kind.__name__.lower())
        return kind(_kif_moves(parts[1]), id_of(parts[0], read_kif_term))

    return reader


def _kif_moves(piece: Piece) -> tuple[Term, ...]:
    if piece.text.lower() == "nil":
        return ()
    return tuple(value_of(move, read_kif_term) for move in elements_of(piece))


def _kif_abort(parts: list[Piece], piece: Piece) -> Abort:
    check_count(parts, [1], piece, "abort")
    return Abort(id_of(parts[0], read_kif_term))


KIF_READERS: dict[str, Callable[[list[Piece], Piece], Body]] = {
    "info": _kif_ping,
    "ping": _kif_ping,
    "start": _kif_start,
    "play": _kif_done(Play),
    "stop": _kif_done(Stop),
    "abort": _kif_abort,
}


# Infix


def _infix_message(name: str, parts: list[Piece], piece: Piece) -> tuple[Era, Body]:
    """A message outside an envelope."""
    if name == "reply":
        check_count(parts, [2], piece, name)
        return Era.IDS, _reply_with_id(parts)
    if name in ("info", "ping") and not parts:
        return Era.HRF, Ping()
    if name == "info":
        refuse("info takes no arguments", piece)
    check_count(parts, [ARITIES[name]], piece, name)
    body = INFIX_READERS[name](parts)
    return (Era.HRF if _is_hrf(name, parts) else Era.IDS), body


def _is_hrf(name: str, parts: list[Piece]) -> bool:
    """Whether rules or moves are in a list: the classic protocol has no `ruleset`, and tells all moves."""
    listed = {"start": 2, "play": 1, "stop": 1}.get(name)
    return listed is not None and is_list(parts[listed]) and bool(items_of(parts[listed]))


def _envelope(parts: list[Piece], piece: Piece, era: Era | None) -> tuple[Era, Envelope]:
    """The message in an envelope; in that of a reply to an era, any term is one."""
    check_count(parts, [4], piece, "message")
    number, sender, receiver = (id_of(part, read_term) for part in parts[:3])
    body = _enveloped(parts[3]) if era is None else _enveloped_reply(parts[3], era)
    return (Era.ENVELOPE if body.id is None else Era.IDS), Envelope(number, sender, receiver, body)


def _enveloped(piece: Piece) -> Body:
    """What stands in an envelope: a request with or without an id, or a reply."""
    call = call_of(piece, ARITIES)
    if call is None:
        return _enveloped_reply(piece, Era.IDS)
    name, parts = call
    arity = ARITIES[name]
    check_count(parts, [arity - 1, arity], piece, name)
    return INFIX_READERS[name](parts)


def _enveloped_reply(piece: Piece, era: Era) -> ReplyMessage:
    call = call_of(piece, ("reply",)) if era is Era.IDS else None
    if call and len(call[1]) == 2:
        return _reply_with_id(call[1])
    return ReplyMessage(value_of(piece, read_term))


def _infix_start(parts: list[Piece]) -> Start:
    *match, role, rules, start_clock, play_clock = parts
    return Start(
        word_of(role, read_term),
        ruleset_of(rules),
        seconds_of(start_clock),
        seconds_of(play_clock),
        _maybe_id(match),
    )


def _infix_done(kind: type[Play] | type[Stop]) -> Callable[[list[Piece]], Body]:
    def reader(parts: list[Piece]) -> Body:
        *match, moves = parts
        return kind(_infix_moves(moves), _maybe_id(match))

    return reader


def _infix_moves(piece: Piece) -> tuple[Term, ...]:
    if piece.text.strip() == "nil":
        return ()
    moves = items_of(piece) if is_list(piece) else [piece]
    return tuple(value_of(move, read_term) for move in moves)


def _maybe_id(parts: list[Piece]) -> str | None:
    return id_of(parts[0], read_term) if parts else None


def _reply_with_id(parts: list[Piece]) -> ReplyMessage:
    return ReplyMessage(value_of(parts[1], read_term), id_of(parts[0], read_term))


INFIX_READERS: dict[str, Callable[[list[Piece]], Body]] = {
    "ping": lambda parts: Ping(_maybe_id(parts)),
    "start": _infix_start,
    "play": _infix_done(Play),
    "stop": _infix_done(Stop),
    "abort": lambda parts: Abort(_maybe_id(parts)),
}
ARITIES = {"ping": 1, "start": 5, "play": 2, "stop": 2, "abort": 1}
"""How many arguments requests have, the id among them."""


# Bare replies


def _bare_reply(piece: Piece, era: Era | None) -> tuple[Era, ReplyMessage]:
    """A reply that is only its value: in the notation of an era if it can be, or else in the other."""
    text = piece.text
    if era in (None, Era.KIF) and NESTED.match(text) and (found := _status(piece)):
        return Era.KIF, found
    is_kif = era is Era.KIF or (era is None and (text.startswith(("(", "|")) or bool(WORD.match(text))))
    if CAPITALS.match(text):  # READY, NOOP: no variables, and no other words than in lower case
        text = text.lower()
    notations = [(Era.KIF, read_kif_term), (Era.HRF if era is not Era.IDS else era, read_term)]
    for found_era, reader in notations if is_kif else notations[::-1]:
        try:
            term = reader(text)
        except ReadError:
            continue
        if not any(True for _ in variables_of(term)):
            return found_era, ReplyMessage(term)
    return refuse("this is no reply", piece)


def _status(piece: Piece) -> ReplyMessage | None:
    """The reply of ggp-base's players to info, `((name n) (status s))`, in any order; None for any other."""
    elements = elements_of(piece)
    if not elements or not all(element.text.startswith("(") for element in elements):
        return None
    pairs = [elements_of(element) for element in elements]
    said = {pair[0].text.lower(): pair[1:] for pair in pairs if pair}
    status = " ".join(part.text for part in said.get("status", []))
    return (
        ReplyMessage(Symbol(status.lower()), name=_said(said.get("name", []))) if WORD.match(status) else None
    )


def _said(parts: list[Piece]) -> str:
    """A name of one word or several."""
    is_word = len(parts) == 1 and not parts[0].text.startswith("(")
    return id_of(parts[0], read_kif_term) if is_word else " ".join(part.text for part in parts)
