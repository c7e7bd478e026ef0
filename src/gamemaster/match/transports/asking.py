"""A request -> the call of a handler -> a reply: how a player in this process is asked, whatever it does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gamemaster.errors import GamemasterError, Unsuitable
from gamemaster.language.terms import Compound, term_of
from gamemaster.match.request import Failure, Reply, Request, Told
from gamemaster.match.thought import result_of, thought_of
from gamemaster.match.transports.transport import MAX_REPLY
from gamemaster.players.loading import FilePlayer
from gamemaster.players.player import Handlers, Player
from gamemaster.players.tracing import trace_of

__all__ = ["ask", "failure_of", "reply_of"]


def ask(player: Handlers, request: Request) -> Reply | Failure:
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


def reply_of(number: int, value: Any) -> Reply | Failure:
    """The reply that a handler's value is: False is none."""
    if value is None or value is False:
        return Reply(number, None)
    try:
        text = str.__str__(str(_term(value)))
    except RecursionError:
        return Failure(number, "malformed", f"a {type(value).__name__} too deep to be read")
    if len(text) > MAX_REPLY:
        return Failure(number, "huge", f"{len(text):,} characters; {MAX_REPLY:,} are allowed")
    return Reply(number, value if isinstance(value, Compound) else text, text)


def _term(value: Any) -> Any:
    """Bare tuples as the term that they are, so that it can be read again; whatever else as it is."""
    try:
        return term_of(value) if isinstance(value, tuple) else value
    except (IndexError, TypeError):
        return value


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
            if request.legal is not None and isinstance(player, Player | FilePlayer):
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
    inner = player.player if isinstance(player, FilePlayer) else player
    if not isinstance(inner, Player):
        for told in (None, *request.past):
            player.play(_message(told))
    elif request.position is not None:
        inner.resume(inner.game.state(request.position.facts, request.position.step))
    elif inner.believes:
        inner.recall([told.percepts or () for told in request.past])
