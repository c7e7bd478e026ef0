"""Players + rules -> a match: the referee with its players around it, and time.

`conduct` runs a match between transports on an event loop, many of them at once if need be; `run_match` is the same for
those who have no loop. `run_directly` calls players in this process one after the other, without threads: for matches
by the thousand among players that can be trusted to return.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from gamemaster.errors import GamemasterError, ParameterError
from gamemaster.machine.game import Game
from gamemaster.match.referee import Draw, Listener, Referee
from gamemaster.match.request import Failure, Reply, Request
from gamemaster.match.settings import Past, Settings
from gamemaster.match.transports.calling import call_handler
from gamemaster.match.transports.child_process import ProcessLimits
from gamemaster.match.transports.finding import AnyPlayer, find_transport
from gamemaster.match.transports.transport import Transport
from gamemaster.players.given import has_play
from gamemaster.players.loading import make_player
from gamemaster.players.player import Handlers

__all__ = [
    "Manager",
    "conduct",
    "make_manager",
    "make_transports",
    "player_seed",
    "run_directly",
    "run_match",
]

CLOSING_SECONDS = 10.0
"""How long a transport may take to let go."""

BUSY_SECONDS = 0.002
LONGEST_EXCUSE = 0.5
TURNS_TO_READ = 4
"""When the manager counts as busy, what it excuses at most, and how many turns of the loop reading takes."""


class Manager:
    """A match between transports, with what a person may do to it: pause, resume, end, abort.

    All methods but `conduct` may be called from any task of the loop while it runs.
    """

    def __init__(
        self,
        game: Game,
        transports: Mapping[str, Transport],
        settings: Settings | None = None,
        *,
        listeners: Sequence[Listener] = (),
        past: Past | None = None,
        draw: Draw | None = None,
        pace: float = 0.0,
    ) -> None:
        """`pace`: so many seconds at least are between two steps, for people who watch."""
        self.transports = dict(transports)
        self._pace = pace
        self._judged_from = 0.0
        """When the answers to the last message to play are looked at, at the earliest."""
        self.referee = Referee(
            game,
            {role: transport.name for role, transport in transports.items()},
            settings,
            listeners=listeners,
            answering=[role for role, transport in transports.items() if transport.answers_always],
            past=past,
            draw=draw,
        )
        self._news: asyncio.Queue[tuple[float, str, Reply | Failure]] = asyncio.Queue()
        self._is_woken = asyncio.Event()
        self._excused = 0.0
        """How many seconds after the deadline a reply still counts, because the manager was late itself."""

    async def conduct(self) -> Referee:
        """Run the match to its end, whatever players do; the referee then knows how it ended.

        Cancelled, it tells the players, and leaves a record that can be gone on with.
        """
        try:
            await self._open_all()
            try:
                self.referee.begin(self._now())
                self._send()
                await self._go_on()
            except (
                BaseException
            ) as error:  # somebody leaves, or a listener fails: players shall not wait for more
                if not isinstance(error, asyncio.CancelledError):
                    self.referee.listeners.clear()
                if self.referee.phase != "new":
                    self._do(self.referee.interrupt)
                    await self._go_on()
                raise
        finally:
            await self._close_all()
        return self.referee

    async def _open_all(self) -> None:
        """Open all lines at once; where one fails, or somebody leaves, none is still being opened afterwards."""
        opening = [asyncio.ensure_future(self._open(role)) for role in self.transports]
        try:
            await asyncio.gather(*opening)
        finally:
            for each in opening:
                each.cancel()
            if await _all_done(opening, CLOSING_SECONDS):
                raise asyncio.CancelledError

    async def _close_all(self) -> None:
        """Close all lines, whoever is in a hurry: what is half closed stays open for ever."""
        left, is_hurried = list(self.transports.values()), False
        while left:
            closing = {asyncio.ensure_future(each.close()): each for each in left}
            is_hurried |= await _all_done(closing, CLOSING_SECONDS)
            left = [
                each for task, each in closing.items() if task.cancelled()
            ]  # when a loop is shut down, all are
        if is_hurried:
            raise asyncio.CancelledError

    async def _go_on(self) -> None:
        while not self.referee.is_over:
            await self._wait()
            now = self._now()
            self._take_news()
            if time.monotonic() >= self._judged_from:
                self.referee.tick(now)  # nobody is late by judging: what came meanwhile is read first
            self._send()

    def listen(self, listener: Listener) -> None:
        """Tell one more what happens from here on."""
        self.referee.listeners.append(listener)

    def pause(self) -> None:
        """Stop the clock."""
        self._do(self.referee.pause)

    def resume(self) -> None:
        """Let the clock go on."""
        self._do(self.referee.resume)

    def end(self) -> None:
        """End the match where it is."""
        self._do(self.referee.end)

    def abort(self) -> None:
        """Give the match up."""
        self._do(self.referee.abort)

    def resign(self, role: str) -> None:
        """Whoever plays a role gives up."""
        self._do(lambda now: self.referee.resign(now, role))

    def _do(self, act: Callable[[float], None]) -> None:
        self._take_news()
        act(self._now())
        self._send()
        self._is_woken.set()

    async def _open(self, role: str) -> None:
        def deliver(when: float, reply: Reply | Failure) -> None:
            self._news.put_nowait((when, role, reply))
            self._is_woken.set()

        await self.transports[role].open(deliver)

    def _now(self) -> float:
        """The time on the clock of the match."""
        return time.monotonic()

    async def _wait(self) -> None:
        """Until something comes, or the clock runs out."""
        is_held = time.monotonic() < self._judged_from
        deadline = self._judged_from if is_held else self.referee.deadline
        timeout = None if deadline is None else max(0.0, deadline - time.monotonic())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout):  # wait_for of Python 3.11 may forget that it was cancelled
                await self._is_woken.wait()
        self._is_woken.clear()
        self._excused = 0.0
        if deadline is not None and not is_held and time.monotonic() > deadline + BUSY_SECONDS:
            # The manager was busy when the clock ran out. Nobody shall pay for that: what is there to be read now,
            # may have been there in time.
            for _ in range(TURNS_TO_READ):
                await asyncio.sleep(0)
            self._excused = min(time.monotonic() - deadline, LONGEST_EXCUSE)

    def _take_news(self) -> None:
        """Everything that has come, in the order of its arrival."""
        deadline, news = self.referee.deadline, []
        if time.monotonic() < self._judged_from:
            return
        while not self._news.empty():
            news.append(self._news.get_nowait())
        for when, role, reply in sorted(news, key=lambda item: item[0]):
            if deadline is not None and deadline < when <= deadline + self._excused:
                when = deadline
            self.referee.receive(when, role, reply)
            self._send()  # at once: the clock of a new round runs from when its messages go out

    def _send(self) -> None:
        """What the referee wants to be sent; a line to a player that was too late is told first."""
        referee = self.referee
        while referee.late or referee.outbox:
            late, referee.late = referee.late, []
            for role, number in late:
                self.transports[role].give_up(number)
            outbox, referee.outbox = referee.outbox, []
            for request in outbox:
                self._send_one(request)

    def _send_one(self, request: Request) -> None:
        try:
            text = self.transports[request.role].send(request)
        except GamemasterError as error:  # rules that the player's notation cannot say
            failure = Failure(request.number, "unreachable", str(error))
            self._news.put_nowait((self._now(), request.role, failure))
            self._is_woken.set()
        else:
            self.referee.sent(self._now(), request, text)
        # Only steps are watched: nobody waits for the answers to other messages.
        self._judged_from = time.monotonic() + self._pace if request.kind == "play" else 0.0


async def _all_done(tasks: Collection[asyncio.Future[None]], seconds: float) -> bool:
    """Wait for all of them, but not for longer than allowed; whether whoever waits was cancelled meanwhile."""
    is_hurried = False
    if not tasks:
        return is_hurried
    waiting = asyncio.ensure_future(asyncio.wait(tasks, timeout=seconds))
    while not waiting.done():
        try:
            await asyncio.shield(waiting)
        except asyncio.CancelledError:
            is_hurried = True
    for each in tasks:
        each.cancel()
    return is_hurried


async def conduct(
    game: Game,
    transports: Mapping[str, Transport],
    settings: Settings | None = None,
    *,
    listeners: Sequence[Listener] = (),
    past: Past | None = None,
) -> Referee:
    """Run a match between transports by role."""
    return await Manager(game, transports, settings, listeners=listeners, past=past).conduct()


def run_match(
    game: Game,
    players: Mapping[str, AnyPlayer],
    settings: Settings | None = None,
    *,
    listeners: Sequence[Listener] = (),
    past: Past | None = None,
    is_isolated: bool = False,
    limits: ProcessLimits | None = None,
) -> Referee:
    """Run a match between players by role, as `gm.match` takes them; the referee at its end."""
    manager = make_manager(
        game, players, settings, listeners=listeners, past=past, is_isolated=is_isolated, limits=limits
    )
    return asyncio.run(manager.conduct())


def make_manager(
    game: Game,
    players: Mapping[str, AnyPlayer],
    settings: Settings | None = None,
    *,
    listeners: Sequence[Listener] = (),
    past: Past | None = None,
    is_isolated: bool = False,
    limits: ProcessLimits | None = None,
) -> Manager:
    """The manager of a match between players by role, with the lines to them; nothing is begun."""
    from gamemaster.match.cpu_clock import manager_for  # which is made of this one

    settings = settings or Settings()
    limits = limits or ProcessLimits(ponders=not settings.counts_cpu)
    transports = make_transports(players, settings.seed, is_isolated=is_isolated, limits=limits)
    return manager_for(game, transports, settings, listeners=listeners, past=past)


def make_transports(
    players: Mapping[str, AnyPlayer],
    seed: int,
    *,
    is_isolated: bool = False,
    limits: ProcessLimits | None = None,
) -> dict[str, Transport]:
    """The transport to each player; ParameterError where one that keeps the books of a role is given for two."""
    _check_apart(players)
    return {
        role: find_transport(player, seed=player_seed(seed, role), is_isolated=is_isolated, limits=limits)
        for role, player in players.items()
    }


def _check_apart(players: Mapping[str, AnyPlayer]) -> None:
    roles: dict[int, str] = {}
    for role, player in players.items():
        other = roles.setdefault(id(player), role) if _keeps_books(player) else role
        if other != role:
            raise ParameterError(
                f"one {type(player).__name__} cannot play both {other} and {role}: "
                "give its class, or an object for each role"
            )


def _keeps_books(player: AnyPlayer) -> bool:
    return isinstance(player, Transport) or (not isinstance(player, type | str) and has_play(player))


def player_seed(seed: int, role: str) -> int:
    """The seed for what a player does at random: nothing that tells the seed of the match."""
    return random.Random(f"{seed}/player/{role}").getrandbits(32)


def run_directly(
    game: Game,
    players: Mapping[str, str | Path | Handlers],
    settings: Settings | None = None,
    *,
    listeners: Sequence[Listener] = (),
    past: Past | None = None,
) -> Referee:
    """Run a match between players in this process, without threads: one that does not return stops it."""
    settings = settings or Settings()
    handlers = {role: _handlers(player, settings.seed, role) for role, player in players.items()}
    names = {role: str(getattr(player, "name", player)) for role, player in players.items()}
    referee = Referee(game, names, settings, listeners=listeners, past=past)
    now = time.monotonic()
    referee.begin(now)
    while not referee.is_over:
        outbox, referee.outbox = referee.outbox, []
        for request in outbox:
            referee.sent(now, request, str(request))
        replies = [(*_timed(handlers[request.role], request), request.role) for request in outbox]
        began = now
        for seconds, reply, role in sorted(replies, key=lambda item: item[0]):
            now = began + seconds
            referee.receive(now, role, reply)
        referee.late.clear()
        now = max(now, referee.deadline or now) if not replies else now
        referee.tick(now)
    return referee


def _timed(player: Handlers, request: Request) -> tuple[float, Reply | Failure]:
    """What a player says, and how long it took: each has a clock of its own, as if all were asked at once."""
    began = time.perf_counter()
    reply = call_handler(player, request)
    return time.perf_counter() - began, reply


def _handlers(player: str | Path | Handlers, seed: int, role: str) -> Handlers:
    if isinstance(player, str | Path):
        return make_player(player, seed=player_seed(seed, role))
    return player
