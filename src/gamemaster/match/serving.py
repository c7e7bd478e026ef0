"""A player -> a server of the published protocol: whoever posts messages to it can play against it.

One match at a time: while it is on, others are told `busy`, by the head of their message, and cost no more than that.
A manager that is not heard of for far longer than its clocks allow has gone, and the next match may begin. Rules are
read, and the game is built, in a thread of its own. Messages are understood in every era, and answered in the same.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Any, TypeVar

from gamemaster.errors import GamemasterError, LimitExceeded, MessageError, ReadError
from gamemaster.ground.budget import Limits
from gamemaster.language.kif import read_kif_term
from gamemaster.language.rules import Rules
from gamemaster.language.terms import Symbol, Term
from gamemaster.load import build
from gamemaster.machine.game import Game
from gamemaster.match.listening import Answer, HttpServer
from gamemaster.match.request import Failure, Kind, Reply, Request, Told
from gamemaster.match.transports.in_process import InProcess
from gamemaster.match.wire import protocol
from gamemaster.match.wire.heading import SHORT, shortened
from gamemaster.match.wire.messages import MAX_WORDS, has_too_many_words, print_message, read_message
from gamemaster.match.wire.protocol import NOOP, Abort, Body, Envelope, Era, Message, Ping, Play, Start, Stop
from gamemaster.players.player import Handlers

__all__ = ["LONGEST_CLOCK", "Heard", "PlayerServer"]

GONE_SECONDS = 30.0
"""A manager is gone when it is silent for so long, and twice its clocks or the longest clock."""

LONGEST_CLOCK = 3600.0
"""In seconds; a longer one counts as this."""

MOST_WAITING = 32
"""How many messages may wait for the player; to more it is busy."""

MOST_LEFT = 8
"""How many players of matches that are over may still be thinking; with more of them it is busy."""

READING = Limits(seconds=10.0, rows=300_000)
"""How much it may cost to find the roles of a game."""

BUSY, DONE = Symbol("busy"), Symbol("done")
Result = TypeVar("Result")
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
        silence = min(2 * sum(self.clocks), LONGEST_CLOCK) + GONE_SECONDS
        self.expires = time.monotonic() + silence


@dataclass
class _Beginning:
    """A match whose rules are being read."""

    id: str
    is_off: bool = False


class PlayerServer:
    """Serves the players that `make` makes, one for each match; they may think while they are not asked."""

    def __init__(
        self,
        make: Callable[[], Handlers],
        name: str,
        heard: Heard | None = None,
        *,
        ponders: bool = False,
    ) -> None:
        self.make = make
        self.ponders = ponders
        self.name = name
        self.heard = heard
        self.server = HttpServer(self._respond)
        self._match: _Match | None = None
        self._beginning: _Beginning | None = None
        self._line: InProcess | None = None
        self._left: list[InProcess] = []
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Reply | Failure]] = {}

    @property
    def port(self) -> int:
        """Where it listens."""
        return self.server.port

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Listen; `port` is then the one it listens on."""
        await self.server.start(host, port)

    async def close(self) -> None:
        """Stop listening, and let the player go."""
        await self.server.close()
        await self._drop()

    # Messages

    async def _respond(self, text: str, host: str) -> Answer:
        status, answer = await self._answer(text, host)
        if self.heard:
            self.heard(text, answer)
        return status, answer

    async def _answer(self, text: str, host: str) -> Answer:
        """The HTTP status and the text of the answer."""
        try:
            era, message = read_message(shortened(text))
            value = await self._handle(_body(message), text, host)
        except MessageError:
            era, message, value = Era.KIF, protocol.ReplyMessage(NOOP), Symbol("sorry")
        except GamemasterError as error:
            return HTTPStatus.BAD_REQUEST, str(error)
        if isinstance(value, Failure):
            return HTTPStatus.INTERNAL_SERVER_ERROR, value.detail
        return HTTPStatus.OK, _print(value, era, message)

    async def _handle(self, body: Body, text: str, host: str) -> Term | Failure:
        """The answer to the message of a text; `body` has no more of it than its head if it is long."""
        match body:
            case Ping():
                return await self._ping()
            case Start():
                return await self._start(body, text, host)
            case Abort() if self._beginning is not None and self._beginning.id == (body.id or ""):
                self._beginning.is_off = True
                if self._is_on(body):  # it was to begin anew
                    await self._abort()
                return DONE
            case Play() | Stop() | Abort() if not self._is_on(body):
                return BUSY
            case Abort():
                await self._abort()
                return DONE
        return await self._tell(await _whole(body, text))

    async def _tell(self, body: Body) -> Term | Failure:
        """The answer to what was done; the match may be over by now."""
        match body:
            case Play() | Stop() if not self._is_on(body):
                return BUSY
            case Play(moves):
                return await self._play(moves)
            case Stop(moves):
                await self._ask("stop", moves)
                await self._drop()
                return DONE
        raise MessageError("a reply to nothing")

    async def _abort(self) -> None:
        self._post("abort", ())
        await self._drop()

    async def _ping(self) -> Term | Failure:
        if self._is_busy():
            return BUSY
        if self._match is not None:  # its manager has gone: nothing that is asked now is meant for it
            await self._drop()
        await self._get_line()
        return _word(await self._ask("ping", ()))

    async def _start(self, start: Start, text: str, host: str) -> Term | Failure:
        if self._is_busy() and not self._is_again(start):
            return BUSY
        beginning = self._beginning = _Beginning(start.id or "")
        try:
            match = await _apart(partial(_match_of, start, text))
        finally:
            self._beginning = None
        if beginning.is_off:
            return Failure(None, "crashed", "the match is over")
        await self._drop()
        self._match, self.server.friend = match, host
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

    def _is_on(self, body: Play | Stop | Abort) -> bool:
        """Whether it is said of the match that is on; an envelope has no id of it: there can be only one."""
        return self._match is not None and self._match.id == (body.id or "")

    def _is_again(self, start: Start) -> bool:
        """Whether the match that is on begins anew: the same role of it, for nobody can play two."""
        match = self._match
        is_same = match is not None and (match.id, match.role) == (start.id or "", start.role)
        return is_same and self._beginning is None and not self._has_many_left()

    def _is_busy(self) -> bool:
        if self._beginning is not None or self._has_many_left():
            return True
        return self._match is not None and time.monotonic() < self._match.expires

    def _has_many_left(self) -> bool:
        self._left = [line for line in self._left if line.is_working]
        return len(self._left) >= MOST_LEFT

    # The player

    async def _get_line(self) -> None:
        """A line to a player; a new one for each match."""
        if self._line is None:
            self._line = InProcess(self.make(), self.name, ponders=self.ponders)
            await self._line.open(self._deliver)

    async def _drop(self) -> None:
        """Let the player go; whoever waits for it is told."""
        self._match = self.server.friend = None
        for number, waiting in self._waiting.items():
            if not waiting.done():
                waiting.set_result(Failure(number, "crashed", "the match is over"))
        self._waiting.clear()
        if self._line is not None:
            line, self._line = self._line, None
            self._left.append(line)
            await line.close()

    async def _ask(self, kind: Kind, moves: tuple[Term, ...]) -> Reply | Failure:
        if len(self._waiting) >= MOST_WAITING:
            return Reply(0, BUSY)
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


# Reading


async def _apart(work: Callable[[], Result]) -> Result:
    """What some work gives, done in a thread: others are answered meanwhile, and nothing waits for it at the end."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Result] = loop.create_future()

    def run() -> None:
        try:
            end = partial(_settle, done, result=work())
        except BaseException as error:
            end = partial(_settle, done, error=error)
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(end)

    threading.Thread(target=run, name="reading a message", daemon=True).start()
    return await done


def _settle(done: asyncio.Future[Any], *, result: object = None, error: BaseException | None = None) -> None:
    if done.done():
        return
    if error is None:
        done.set_result(result)
    else:
        done.set_exception(error)


async def _whole(body: Body, text: str) -> Body:
    """All of a message of which only the head was read."""
    if len(text) <= SHORT:
        return body
    return await _apart(lambda: _read(text))


def _read(text: str) -> Body:
    """A message; LimitExceeded, which says so plainly, where it would take too long to read."""
    if has_too_many_words(text):
        raise LimitExceeded("message", f"{MAX_WORDS:,} words")
    return _body(read_message(text)[1])


def _body(message: Message) -> Body:
    return message.body if isinstance(message, Envelope) else message


def _match_of(start: Start, text: str) -> _Match:
    """The match that a message starts."""
    whole = start if len(text) <= SHORT else _read(text)
    assert isinstance(whole, Start)
    game = build(whole.rules, "rules", "reference", READING)
    game.check_role(whole.role)
    clocks = min(whole.start_clock, LONGEST_CLOCK), min(whole.play_clock, LONGEST_CLOCK)
    return _Match(whole.id or "", whole.role, game, whole.rules, clocks)


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
        answer = protocol.ReplyMessage(value, message.body.id)
        return print_message(Envelope(message.id, message.receiver, message.sender, answer), era)
    if era is Era.IDS:
        return print_message(protocol.ReplyMessage(value, getattr(message, "id", None) or "none"), era)
    return print_message(protocol.ReplyMessage(value), era)
