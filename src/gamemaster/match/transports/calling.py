"""A request -> the call of a handler -> a reply: how a player in this process is asked, whatever it does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gamemaster.errors import GamemasterError, Unsuitable
from gamemaster.language.terms import MAX_DEPTH, Compound, Symbol, Term, Variable
from gamemaster.match.request import Failure, Reply, Request, Told
from gamemaster.match.thought import result_of, thought_of
from gamemaster.match.transports.transport import MAX_REPLY
from gamemaster.players.given import Filled
from gamemaster.players.player import Handlers, Player
from gamemaster.players.tracing import trace_of

__all__ = ["call_handler", "failure_of", "let_ponder", "put_to_rest", "reply_of"]


def call_handler(player: Handlers, request: Request) -> Reply | Failure:
    """What a handler answers, or how it failed."""
    try:
        before = result_of(player) if request.kind == "play" else None
        reply = reply_of(request.number, _call(player, request))
        if isinstance(reply, Reply) and request.kind == "play" and reply.value is not None:
            reply = replace(reply, thought=thought_of(player, before))
        return reply
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever a player does, the match goes on
        return failure_of(request.number, error)


def let_ponder(player: Handlers) -> None:
    """Tell a player that it may think while it is not asked, if it is one that can."""
    if (inner := _inner(player)) is not None:
        inner.ponders = True


def put_to_rest(player: Handlers) -> None:
    """Have a player stop what it does while it is not asked."""
    if (inner := _inner(player)) is not None:
        inner.rest()


def _inner(player: Handlers) -> Player | None:
    """The Player that a player is, or has within; None where it keeps books of its own."""
    inner = player.player if isinstance(player, Filled) else player
    return inner if isinstance(inner, Player) else None


def reply_of(number: int, value: object) -> Reply | Failure:
    """The reply that a handler's value is: False is none.

    Nothing of the player's own classes is in it: their code would run where the reply is judged.
    """
    if value is None or value is False:
        return Reply(number, None)
    try:
        term = _Copying().term(value) if issubclass(type(value), tuple) else None
        text = _text(value if term is None else term)
    except RecursionError:
        return Failure(number, "malformed", f"a {type(value).__name__} too deep to be read")
    except OverflowError:
        return Failure(number, "huge", f"a term of more than {MAX_REPLY:,} parts")
    if len(text) > MAX_REPLY:
        return Failure(number, "huge", f"{len(text):,} characters; {MAX_REPLY:,} are allowed")
    return Reply(number, text if term is None else term, text)


class _Copying:
    """Tuples of any class -> a compound of the language's own; None for what is no term."""

    def __init__(self) -> None:
        self._parts = 0

    def term(self, value: Any, depth: int = 0) -> Compound | None:
        """What a tuple holds, whatever its class says; RecursionError or OverflowError where it is too much."""
        parts = tuple(tuple.__iter__(value))
        self._parts += len(parts)
        if depth > MAX_DEPTH:
            raise RecursionError
        if self._parts > MAX_REPLY:
            raise OverflowError
        if not parts:
            return None
        copies = [self._part(part, depth + 1) for part in parts[1:]]
        return None if None in copies else Compound((_name(parts[0]), *copies))

    def _part(self, value: object, depth: int) -> Term | None:
        kind = type(value)
        if issubclass(kind, tuple):
            return self.term(value, depth)
        if issubclass(kind, Variable):
            return Variable(str.__str__(value))
        return Symbol(_name(value))


def _name(value: object) -> str:
    """What a value is within a term: the letters of a text, whatever its class says of them."""
    return str.__str__(value) if issubclass(type(value), str) else _text(value)


def _text(value: object) -> str:
    """The text of a value: a plain one, whatever class its own has."""
    return str.__str__(str(value))


def failure_of(number: int | None, error: BaseException) -> Failure:
    """How a handler failed, in a line."""
    what = " ".join(_said(error).split())
    if not isinstance(error, GamemasterError):
        what = f"{type(error).__name__}: {what}".removesuffix(": ")
    if isinstance(error, Unsuitable):
        return Failure(number, "refused", what)
    return Failure(number, "crashed", what, trace_of(error))


def _said(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # it is a player's, and may be unable even to say what it is
        return ""


def _call(player: Handlers, request: Request) -> object:
    match request.kind:
        case "ping":
            return player.ping()
        case "start":
            value = player.start(request.role, request.rules, request.start_clock, request.play_clock)
            _catch_up(player, request)
            return value
        case "play":
            if request.legal is not None and isinstance(player, Player | Filled):
                player.tell_legal(request.legal)
            return player.play(_message(request.told))
        case "stop":
            return player.stop(_message(request.told))
    return player.abort()


def _message(told: Told | None) -> Any:
    return None if told is None else told.message()


def _catch_up(player: Handlers, request: Request) -> None:
    """Bring a player that has just started to where the match is; one that keeps its own books plays through it."""
    if request.past is None:
        return
    inner = _inner(player)
    put_to_rest(player)  # `start` may have let it think
    if inner is None:
        for told in (None, *request.past):
            player.play(_message(told))
    elif request.position is not None:
        inner.resume(inner.game.state(request.position.facts, request.position.step))
    elif inner.believes:
        inner.recall([told.percepts or () for told in request.past])
