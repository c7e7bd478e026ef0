"""A player -> a server of the published protocol: whoever posts messages to it can play against it.

One match at a time: while it is on, others are told `busy`. A manager that is not heard of for far longer than its
clocks allow has gone, and the next match may begin. Messages are understood in every era, and answered in the same.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_plus

from gamemaster.errors import GamemasterError, MessageError, ReadError
from gamemaster.language.kif import read_kif_term
from gamemaster.language.rules import Rules
from gamemaster.language.terms import Symbol, Term
from gamemaster.load import build
from gamemaster.machine.game import Game
from gamemaster.match.messages import MAX_START_SIZE, print_message, read_message
from gamemaster.match.protocol import NOOP, Abort, Body, Envelope, Era, Ping, Play, Start, Stop
from gamemaster.match.protocol import Reply as ReplyMessage
from gamemaster.match.request import Failure, Kind, Reply, Request, Told
from gamemaster.match.transports.http_reading import BadAnswer, read_http
from gamemaster.match.transports.in_process import InProcess
from gamemaster.players.player import Handlers

__all__ = ["Heard", "PlayerServer"]

READ_SECONDS = 30.0
"""How long a message may take to arrive."""

GONE_SECONDS = 30.0
"""A manager is gone when it is silent for so long, and twice its clocks."""

Heard = Callable[[str, str], None]
"""heard(message, answer): for whoever wants to watch."""


@dataclass
class _Match:
    """The match that is on; `game` is for its roles, `expires` is until when its manager may be silent."""

    id: str
    role: str
    game: Game
    rules: Rules
    clocks: tuple[float, float]
    expires: float = 0.0

    def touch(self) -> None:
        self.expires = time.monotonic() + 2 * sum(self.clocks) + GONE_SECONDS


class PlayerServer:
    """Serves the players that `make` makes, one for each match."""

    def __init__(self, make: Callable[[], Handlers], name: str, heard: Heard | None = None) -> None:
        self.make = make
        self.name = name
        self.heard = heard
        self.port = 0
        self._match: _Match | None = None
        self._line: InProcess | None = None
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Reply | Failure]] = {}

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Listen; `port` is then the one it listens on."""
        self._server = await asyncio.start_server(self._serve, host, port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Stop listening, and let the player go."""
        self._server.close()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._server.wait_closed(), 1.0)
        await self._drop()

    # Connections

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head, body = await asyncio.wait_for(
                read_http(reader, MAX_START_SIZE, is_request=True), READ_SECONDS
            )
            text = body.decode(errors="replace") or _in_path(head)
            status, answer = await self._answer(text)
            if self.heard:
                self.heard(text, answer)
            writer.write(_http(status, answer))
            await writer.drain()
        except (TimeoutError, BadAnswer, OSError):
            pass  # whoever it was has hung up, or speaks no HTTP
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _answer(self, text: str) -> tuple[str, str]:
        """The HTTP status and the text of the answer."""
        try:
            era, message = read_message(text)
            body = message.body if isinstance(message, Envelope) else message
            value = await self._handle(body)
        except MessageError:
            era, message, value = Era.KIF, ReplyMessage(NOOP), Symbol("sorry")
        except GamemasterError as error:
            return "400 Bad Request", str(error)
        if isinstance(value, Failure):
            return "500 Internal Server Error", value.detail
        return "200 OK", _print(value, era, message)

    # Messages

    async def _handle(self, body: Body) -> Term | Failure:
        match body:
            case Ping():
                return await self._ping()
            case Start():
                return await self._start(body)
            case Play() | Stop() | Abort() if self._match is None or self._match.id != (body.id or ""):
                return Symbol("busy")  # an envelope has no id of the match: there can be only one
            case Play(moves):
                return await self._play(moves)
            case Stop(moves):
                await self._ask("stop", moves)
                await self._drop()
                return Symbol("done")
            case Abort():
                self._post("abort", ())
                await self._drop()
                return Symbol("done")
        raise MessageError("a reply to nothing")

    async def _ping(self) -> Term | Failure:
        if self._is_busy():
            return Symbol("busy")
        if self._match is not None:  # its manager has gone: nothing that is asked now is meant for it
            await self._drop()
        await self._get_line()
        return _word(await self._ask("ping", ()))

    async def _start(self, start: Start) -> Term | Failure:
        if self._is_busy() and not self._is_again(start):
            return Symbol("busy")
        if self._match is not None:
            await self._drop()
        game = build(start.rules, "rules", "reference")
        game.check_role(start.role)
        clocks = (start.start_clock, start.play_clock)
        self._match = _Match(start.id or "", start.role, game, start.rules, clocks)
        await self._get_line()
        return _word(await self._ask("start", ()))

    async def _play(self, moves: tuple[Term, ...]) -> Term | Failure:
        reply = await self._ask("play", moves)
        if isinstance(reply, Failure):
            return reply
        assert self._match is not None or reply.value is None
        if reply.value is None or self._match is None:
            return NOOP
        return _move(self._match.game, reply.value)

    def _is_again(self, start: Start) -> bool:
        """Whether the match that is on begins anew: the same role of it, for nobody can play two."""
        match = self._match
        return match is not None and (match.id, match.role) == (start.id or "", start.role)

    def _is_busy(self) -> bool:
        return self._match is not None and time.monotonic() < self._match.expires

    # The player

    async def _get_line(self) -> None:
        """A line to a player; a new one for each match."""
        if self._line is None:
            self._line = InProcess(self.make(), self.name)
            await self._line.open(self._deliver)

    async def _drop(self) -> None:
        """Let the player go; whoever waits for it is told."""
        self._match = None
        for number, waiting in self._waiting.items():
            if not waiting.done():
                waiting.set_result(Failure(number, "crashed", "the match is over"))
        self._waiting.clear()
        if self._line is not None:
            await self._line.close()
            self._line = None

    async def _ask(self, kind: Kind, moves: tuple[Term, ...]) -> Reply | Failure:
        number = self._post(kind, moves)
        waiting: asyncio.Future[Reply | Failure] = asyncio.get_running_loop().create_future()
        self._waiting[number] = waiting
        return await waiting

    def _post(self, kind: Kind, moves: tuple[Term, ...]) -> int:
        assert self._line is not None
        self._number += 1
        self._line.send(self._request(kind, moves))
        return self._number

    def _request(self, kind: Kind, moves: tuple[Term, ...]) -> Request:
        match = self._match
        if match is None:
            return Request(kind, self._number, "", "", "", Rules((), "hrf"), 0.0, 0.0)
        match.touch()
        told = _told(match.game, moves) if moves else None
        return Request(
            kind, self._number, match.id, match.role, "rules", match.rules, *match.clocks, told=told
        )

    def _deliver(self, _: float, reply: Reply | Failure) -> None:
        waiting = self._waiting.pop(reply.number or 0, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(reply)


def _told(game: Game, moves: tuple[Term, ...]) -> Told:
    """What the moves of a message mean; MessageError where they are not one for each role."""
    if game.has_percepts:
        return Told(percepts=moves)
    if len(moves) == 1 and len(game.roles) > 1:  # later eras tell a move that is alone without its role
        return Told(moves={"": moves[0]})
    if len(moves) != len(game.roles):
        raise MessageError(f"{len(moves)} moves for the roles {', '.join(game.roles)}")
    return Told(moves=dict(zip(game.roles, moves, strict=True)))


def _move(game: Game, value: Any) -> Term:
    """The move that a handler answers, in either notation."""
    if isinstance(value, str) and not isinstance(value, Term) and value.lstrip().startswith("("):
        with contextlib.suppress(ReadError):
            return read_kif_term(value)
    move: Term = game.move_of(value)
    return move


def _word(reply: Reply | Failure) -> Term | Failure:
    """The word that a handler answers; one that refuses a game says so."""
    if isinstance(reply, Failure):
        return Symbol("refused") if reply.kind == "refused" else reply
    return Symbol(str(reply.value or "ready"))


def _print(value: Term, era: Era, message: object) -> str:
    """The answer in the era of the message."""
    if isinstance(message, Envelope):
        answer = ReplyMessage(value, message.body.id)
        return print_message(Envelope(message.id, message.receiver, message.sender, answer), era)
    if era is Era.IDS:
        return print_message(ReplyMessage(value, getattr(message, "id", None) or "none"), era)
    return print_message(ReplyMessage(value), era)


def _in_path(head: bytes) -> str:
    """The message in the path of a GET: some managers ask for info that way."""
    parts = head.split(b"\n", 1)[0].split()
    return unquote_plus(parts[1].decode(errors="replace").lstrip("/")) if len(parts) > 1 else ""


def _http(status: str, text: str) -> bytes:
    body = text.encode()
    head = f"HTTP/1.0 {status}\r\nContent-type: text/acl\r\nContent-length: {len(body)}\r\n\r\n"
    return head.encode() + body
