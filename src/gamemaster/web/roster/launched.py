"""A player that somebody launched on a page: its process, what it is told and says, and whether others may have it.

    starting -> ready <-> busy (an answer is awaited)
                  ^          playing (a match has it)
                  v
                gone

While it is connected a match can borrow it, one at a time. What is said goes to the page, whoever says it.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from gamemaster.errors import Forbidden, GamemasterError
from gamemaster.language.rules import Rules
from gamemaster.match.request import Failure, Reply, Request
from gamemaster.match.transports.lines import request_to_line
from gamemaster.match.transports.transport import Deliver, Transport
from gamemaster.players.player import NIL
from gamemaster.web.live.feeds import Feed, Item
from gamemaster.web.live.room import Room
from gamemaster.web.rendering import fragment
from gamemaster.web.roster.specs import LineSpec

__all__ = ["Launched", "LaunchedStatus", "Stay"]

LaunchedStatus = Literal["starting", "ready", "busy", "playing", "gone"]
WORDS: dict[LaunchedStatus, str] = {
    "starting": "it is being started",
    "ready": "it waits for messages",
    "busy": "it is at an answer",
    "playing": "it plays a match",
    "gone": "it has ended",
}
MANAGER, SITE = "manager", "site"
PATIENCE = 2
"""So many clocks may run out in a row before it is ended, as in any match."""

MOST_SAID, LEFT_SAID = 400, 200
"""Lines of the transcript; of more, the last so many are left."""

LONGEST_SAID = 400

log = logging.getLogger("gamemaster.web")


@dataclass(frozen=True)
class Stay:
    """How long a launched player stays, in seconds."""

    starting: float = 120.0
    """Until it has to answer for the first time: what it imports takes a while on a busy machine."""

    leaving: float = 30.0
    """After its page was closed; one that is loaded again comes within that."""

    unwatched: float = 300.0
    """Where its page tells nobody that it is open, as without scripts."""

    longest: float = 2 * 3600.0
    look: float = 2.0
    """How often it is looked at whether somebody is there."""


class Launched:
    """A launched player."""

    def __init__(
        self,
        spec: LineSpec,
        name: str,
        visitor: str,
        *,
        stay: Stay | None = None,
        leave: Callable[[str], object] = str,
    ) -> None:
        self.spec, self.name, self.visitor = spec, name, visitor
        self._leave = leave
        """leave(identifier): it is at nobody's disposal any more."""

        self.identifier = f"{name}.{secrets.token_hex(2)}"
        self.stay = stay or Stay()
        self.is_connected = False
        self.trouble = ""
        """Why it ended, or what it waits for."""

        self.feed = Feed()
        self.used = self.began = time.monotonic()
        self._line: Transport | None = None
        self._is_started = False
        self._has_been_watched = False
        self._numbers = itertools.count(1)
        self._asked: dict[int, tuple[Borrowed | None, int]] = {}
        self._borrower: Borrowed | None = None
        self._late = 0
        self._is_ending = asyncio.Event()
        self._answered = asyncio.Event()
        self._is_gone = False
        self._task: asyncio.Task[None] | None = None

    # How it stands

    @property
    def status(self) -> LaunchedStatus:
        """How it is."""
        if self._is_gone:
            return "gone"
        if not self._is_started:
            return "starting"
        if self._borrower is not None:
            return "playing"
        return "busy" if self._asked else "ready"

    @property
    def words(self) -> str:
        """The same in words."""
        return f"{WORDS[self.status]}: {self.trouble}" if self.trouble else WORDS[self.status]

    @property
    def is_borrowed(self) -> bool:
        """Whether a match has it."""
        return self._borrower is not None

    def tell(self) -> None:
        """Have its page know how it is."""
        if self.feed.readers:
            self._has_been_watched = True
        self.feed.publish({"parts": {"launched-now": fragment("parts/launched.html", launched=self)}})

    def watch(self) -> None:
        """Somebody is at its page."""
        self._has_been_watched, self.used = True, time.monotonic()

    # What its visitor does

    def begin(self, room: Room, asker: str) -> None:
        """Start it, as soon as there is room."""
        self._task = asyncio.create_task(self._run(room, asker))
        self._task.add_done_callback(self._go)

    def connect(self) -> None:
        """Put it at others' disposal; Forbidden where it cannot play."""
        if self.status in ("gone", "starting"):
            raise Forbidden(f"{self.identifier} cannot be connected: {self.words}")
        self.is_connected = True
        self.tell()

    def disconnect(self) -> None:
        """Take it back, also from a match."""
        self.is_connected = False
        self._leave(self.identifier)
        if self._borrower is not None:
            self._borrower.lose(f"{self.identifier} was disconnected")
            self._borrower = None
        self.tell()

    def clear(self) -> None:
        """Empty the transcript."""
        self.feed.rewrite([])
        self.tell()

    def end(self, why: str) -> None:
        """Have it end; `wait` waits for that."""
        self.trouble = self.trouble if self._is_ending.is_set() else why
        self._is_ending.set()
        if self._line is None and self._task is not None:
            self._task.cancel()  # it still waits for room

    async def wait(self) -> None:
        """Until nothing of it is left."""
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)
            await asyncio.sleep(0)  # what follows its end has been done then

    # Its process

    async def _run(self, room: Room, asker: str) -> None:
        try:
            async with room.places(1, self._wait_for_room, asker):
                self.trouble = ""
                self._line = self.spec.line(None)
                try:
                    await self._line.open(self._hear)
                    await self._ping()
                    await self._stay()
                finally:
                    await self._line.close()
        except GamemasterError as error:
            self.trouble = str(error)
        except Exception as error:
            log.error("%s", self.identifier, exc_info=error)
            self.trouble = "something went wrong; it is noted"

    def _go(self, _: asyncio.Task[None]) -> None:
        """Nothing of it is left, however it came to that."""
        self._is_gone = True
        self.disconnect()
        self.used = time.monotonic()

    def _wait_for_room(self, before: int) -> None:
        self.trouble = f"waits for room, {before} before it" if before else "waits for room"
        self.tell()

    async def _ping(self) -> None:
        """Ask it whether it is there; without an answer it does not stay."""
        self._ask(Request("ping", 0, "", "", "", Rules((), "hrf"), 0.0, 0.0), None, SITE)
        self.tell()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.stay.starting):
                await self._first(self._answered, self._is_ending)
        if not self._answered.is_set():
            self.end(f"no answer within {self.stay.starting:g} s")
        self._is_started = self._answered.is_set()
        self.tell()

    @staticmethod
    async def _first(*events: asyncio.Event) -> None:
        tasks = [asyncio.create_task(event.wait()) for event in events]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()

    async def _stay(self) -> None:
        while not self._is_ending.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self.stay.look):
                    await self._is_ending.wait()
            if self.feed.readers:
                self.watch()
            now = time.monotonic()
            patience = self.stay.leaving if self._has_been_watched else self.stay.unwatched
            if self.is_borrowed:
                continue
            if now - self.used > patience:
                self.end("nobody was at its page any more")
            elif now - self.began > self.stay.longest:
                self.end("it was here long enough; launch it again")

    # What is said

    def _ask(self, request: Request, borrower: Borrowed | None, sender: str = MANAGER) -> str:
        """Hand a request over under a number of its own: those of two matches may be alike."""
        assert self._line is not None
        number = next(self._numbers)
        self._asked[number] = borrower, request.number
        self._note(number, sender, self.identifier, str(request))
        return self._line.send(replace(request, number=number))

    def _hear(self, when: float, reply: Reply | Failure) -> None:
        self._late = 0
        if reply.number is None:
            assert isinstance(reply, Failure)
            self._note(0, self.identifier, MANAGER, f"{reply.kind}: {reply.detail}")
            if self._borrower is not None:
                self._borrower.deliver(when, reply)
            if reply.kind == "crashed":
                self.end(reply.detail)
            self.tell()
            return
        borrower, number = self._asked.pop(reply.number, (None, 0))
        receiver = SITE if borrower is None else MANAGER
        said = f"{reply.kind}: {reply.detail}" if isinstance(reply, Failure) else str(reply.value or NIL)
        self._note(reply.number, self.identifier, receiver, said)
        if borrower is None and isinstance(reply, Reply):
            self._answered.set()
        elif borrower is None and not self._is_started and isinstance(reply, Failure):
            self.end(reply.detail)
        elif borrower is self._borrower and borrower is not None:
            borrower.deliver(when, replace(reply, number=number))
        self.tell()

    def _note(self, number: int, sender: str, receiver: str, what: str) -> None:
        """A line of the transcript, as the original shows messages."""
        text = what if len(what) <= LONGEST_SAID else f"{what[:LONGEST_SAID]}..."
        line = f"message({number},{sender},{receiver},{text})"
        if len(self.feed.items) >= MOST_SAID:
            self.feed.rewrite(self.feed.items[-LEFT_SAID:])
        self.feed.add(Item("said", fragment("parts/said.html", line=line)))

    # Lending

    def line(self) -> Borrowed:
        """A line for a match; it has the player from when it is opened until it is closed."""
        return Borrowed(self)

    def lend(self, borrower: Borrowed) -> bool:
        """Whether a match gets it."""
        if self._borrower is not None or not self.is_connected or self._is_ending.is_set():
            return False
        self._borrower = borrower
        self.tell()
        return True

    def give_back(self, borrower: Borrowed) -> None:
        """A match needs it no more."""
        if self._borrower is borrower:
            self._borrower = None
            self.used = time.monotonic()
            self.tell()

    def ask_for(self, borrower: Borrowed, request: Request) -> str:
        """A request of the match that has it."""
        text = self._ask(request, borrower)
        self.tell()
        return text

    def give_up(self, borrower: Borrowed, number: int) -> None:
        """The clock of a match has run out; too often in a row, and it is ended."""
        own = next((each for each, asked in self._asked.items() if asked == (borrower, number)), None)
        if own is None or self._line is None:
            return
        del self._asked[own]
        self._line.give_up(own)
        self._late += 1
        if self._late >= PATIENCE:
            self.end(f"{self._late} clocks ran out without a reply")


class Borrowed(Transport):
    """The line of a match to a player that was launched: busy, where another match has it."""

    def __init__(self, launched: Launched) -> None:
        self.launched = launched
        self.name = launched.identifier
        self._deliver: Deliver | None = None
        self._has_it = False
        self._lost = ""

    async def open(self, deliver: Deliver) -> None:
        """Get the player, if nobody else has it."""
        self._deliver = deliver
        self._has_it = self.launched.lend(self)

    def send(self, request: Request) -> str:
        """Hand the request over."""
        if self._has_it and not self._lost:
            return self.launched.ask_for(self, request)
        loop, now = asyncio.get_running_loop(), time.monotonic()
        answer: Reply | Failure = Failure(request.number, "crashed", self._lost or f"{self.name} is not here")
        if self.launched.is_borrowed and not self._lost and request.kind in ("ping", "start"):
            answer = Reply(request.number, "busy", "busy")
        loop.call_soon(self.deliver, now, answer)
        return request_to_line(request)

    def deliver(self, when: float, reply: Reply | Failure) -> None:
        """What the player says."""
        if self._deliver is not None:
            self._deliver(when, reply)

    def lose(self, why: str) -> None:
        """The player is taken back."""
        self._lost = why
        self.deliver(time.monotonic(), Failure(None, "crashed", why))

    def give_up(self, number: int) -> None:
        """The clock has run out."""
        if self._has_it and not self._lost:
            self.launched.give_up(self, number)

    async def close(self) -> None:
        """Give the player back."""
        self._deliver = None
        self.launched.give_back(self)
