"""Messages -> text, in every era of the protocol."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from gamemaster.errors import MessageError
from gamemaster.language.builtins import show_number
from gamemaster.language.infix import show_epilog
from gamemaster.language.kif import show_kif
from gamemaster.language.lower import lower
from gamemaster.language.rules import Rules, Sentence
from gamemaster.language.terms import Symbol, Term, exact_kif
from gamemaster.match.wire import protocol
from gamemaster.match.wire.protocol import Era
from gamemaster.match.wire.words import ENDLESS

__all__ = ["print_message"]

OMITTED = "..."


def print_message(message: protocol.Message, era: Era, *, is_short: bool = False) -> str:
    """The text of a message in an era, in short with `...` for the rules; MessageError if it has no such message.

    Classic players do not know Epilog: for them, its rules are lowered.
    """
    if era is Era.KIF and not isinstance(message, protocol.Envelope):
        return _kif(message, is_short)
    if isinstance(message, protocol.Envelope) and not era.is_classic:
        inside = ",".join(str(Symbol(part)) for part in (message.id, message.sender, message.receiver))
        return f"message({inside},{_infix(message.body, era, is_short, nil='[]')})"
    if isinstance(message, protocol.Envelope) or era is Era.ENVELOPE:
        raise MessageError(f"{type(message).__name__} is no message of the era {era.value!r}")
    if isinstance(message, protocol.Ping) and message.id is None and era is Era.HRF:
        return "info()"
    if message.id is None and not (era is Era.HRF and isinstance(message, protocol.ReplyMessage)):
        raise _no_id(message, era)
    return _infix(message, era, is_short)


def _no_id(message: protocol.Message, era: Era) -> MessageError:
    return MessageError(f"{type(message).__name__} needs an id in the era {era.value!r}")


def _clock(seconds: float) -> str:
    if seconds == math.inf:
        return ENDLESS
    text = show_number(seconds) if seconds >= 0 else None
    if text is None:
        raise MessageError(f"clock {seconds!r} is no number of seconds")
    return text


# KIF


def _kif(message: protocol.Body, is_short: bool) -> str:
    match message:
        case protocol.Ping():
            return "(info)"
        case protocol.ReplyMessage(value, _, name):
            return f"((name {_kif_id(name)}) (status {exact_kif(value)}))" if name else exact_kif(value)
        case (
            protocol.Abort(id=None)
            | protocol.Start(id=None)
            | protocol.Play(id=None)
            | protocol.Stop(id=None)
        ):
            raise _no_id(message, Era.KIF)
        case protocol.Abort(id=match):
            return f"(abort {_kif_id(match)})"
        case protocol.Start(role, rules, start_clock, play_clock, match):
            sentences = OMITTED if is_short else _kif_rules(rules)
            role = exact_kif(Symbol(role))
            return f"(start {_kif_id(match)} {role} ({sentences}) {_clock(start_clock)} {_clock(play_clock)})"
        case protocol.Play(moves, match) | protocol.Stop(moves, match):
            told = " ".join(map(exact_kif, moves))
            return f"({_name(message)} {_kif_id(match)} {f'({told})' if moves else 'nil'})"


def _kif_id(text: str | None) -> str:
    return Symbol(text).kif()


@lru_cache(maxsize=32)  # many matches of one game are started at once
def _kif_rules(rules: Rules) -> str:
    return show_kif(lower(rules)).rstrip("\n").replace("\n    ", " ").replace("\n", " ")


# Infix


def _infix(message: protocol.Body, era: Era, is_short: bool, nil: str = "nil") -> str:
    """The text of what stands in an envelope, or by itself."""
    match message:
        case protocol.Ping(id=match) | protocol.Abort(id=match):
            return _call(message, match)
        case protocol.Start(role, rules, start_clock, play_clock, match):
            sentences = OMITTED if is_short else _infix_rules(rules, era)
            ruleset = f"[{sentences}]" if era is Era.HRF else f"ruleset({sentences})"
            return _call(message, match, str(Symbol(role)), ruleset, _clock(start_clock), _clock(play_clock))
        case protocol.Play(moves, match) | protocol.Stop(moves, match):
            return _call(message, match, _infix_moves(moves, era) or nil)
        case protocol.ReplyMessage(value, None):
            return str(value)
        case protocol.ReplyMessage(value, match) if era is not Era.HRF:
            return f"reply({Symbol(match)},{value})"
        case protocol.ReplyMessage():
            return str(message.value)


def _call(message: protocol.Body, match: str | None, *arguments: str) -> str:
    ids = [] if match is None else [str(Symbol(match))]
    return f"{_name(message)}({','.join([*ids, *arguments])})"


def _name(message: protocol.Body) -> str:
    return type(message).__name__.lower()


def _infix_moves(moves: Sequence[Term], era: Era) -> str:
    """A move alone, moves in a list, "" for none; a move that is a list is put in one, to tell the two apart."""
    if not moves:
        return ""
    texts = [str(move) for move in moves]
    is_alone = len(texts) == 1 and era is not Era.HRF and texts[0] != "nil" and not texts[0].startswith("[")
    return texts[0] if is_alone else f"[{','.join(texts)}]"


def _infix_rules(rules: Rules, era: Era) -> str:
    sheet = lower(rules) if era is Era.HRF else rules
    return ",".join(_infix_sentence(sentence, sheet) for sentence in sheet.sentences)


def _infix_sentence(sentence: Sentence, sheet: Rules) -> str:
    text = show_epilog(Rules((sentence,), sheet.notation)).rstrip("\n").replace("\n    ", " ")
    return text.removeprefix(". ") if text.startswith(". (") else text
