"""The automatic cycle, as on the original: a game of a set, players who are available, a match, a while of waiting.

An operator switches it on and off; the store has its settings and the match that is under way, so that it goes on when
a server starts again. Its matches are held in the hall like all others: anybody can watch them.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from gamemaster.errors import GamemasterError, StoreError
from gamemaster.match.transports.finding import is_address
from gamemaster.store.competing import CycleEntry, CycleSettings
from gamemaster.store.matches import Store
from gamemaster.web.competing.looking import roles_in
from gamemaster.web.competing.organizer import Organizer
from gamemaster.web.competing.sets import set_of
from gamemaster.web.live.hall import Hall
from gamemaster.web.live.pinging import answers_ready
from gamemaster.web.live.setup import MatchSetup, SeatSetup
from gamemaster.web.live.table import LiveMatch
from gamemaster.web.roster.roster import Roster
from gamemaster.web.roster.specs import LineSpec
from gamemaster.web.work import ASKER

__all__ = ["Cycle"]

LOOK_SECONDS = 0.5
"""How often it is looked whether a match is over."""

AGAIN_SECONDS = 5.0
"""After which a database that did not answer is asked again."""

MOST_GAMES_TRIED = 20
"""Games that are drawn, for one that those who are available can play."""

CYCLE = "the cycle"
"""Who asks for its matches, where one asker gets a part of what there is."""

log = logging.getLogger("gamemaster.web")


@dataclass
class Cycle:
    """The cycle of a site."""

    store: Store
    hall: Hall
    roster: Roster
    competitions: Organizer
    chance: random.Random = field(default_factory=random.Random)
    match: LiveMatch | None = None
    """The one that is under way."""

    until: float = 0.0
    """Until when it waits, by the monotonic clock."""

    why: str = ""
    """Why it waits, where no match could be begun."""

    _task: asyncio.Task[None] | None = None
    _woken: asyncio.Event = field(default_factory=asyncio.Event)
    _starts: int = 0
    """How often it was switched on."""

    async def open(self) -> None:
        """Go on, where it was on."""
        if (await asyncio.to_thread(self.store.cycle.get)).is_on:
            self._start()

    async def close(self) -> None:
        """Leave; the match that is under way is left too, and both go on when a server starts again."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def switch(self, *, is_on: bool) -> None:
        """On or off; a match that is under way comes to its end."""
        await asyncio.to_thread(lambda: self.store.cycle.change(is_on=is_on))
        if is_on:
            self._start()
        self._woken.set()

    async def set(self, settings: CycleSettings) -> None:
        """Other settings, from the next match on."""
        await asyncio.to_thread(lambda: self.store.cycle.change(settings=settings))
        self._woken.set()

    @property
    def is_under_way(self) -> bool:
        """Whether it runs a match, or waits to."""
        return self._task is not None and not self._task.done()

    @property
    def seconds_left(self) -> int:
        """How long it still waits."""
        return max(0, round(self.until - time.monotonic()))

    def _start(self) -> None:
        self._starts += 1
        if not self.is_under_way:
            self._task = asyncio.create_task(self._go())

    async def _go(self) -> None:
        """Match after match, until it is switched off."""
        ASKER.set(CYCLE)
        while True:
            try:
                starts = self._starts
                entry = await asyncio.to_thread(self.store.cycle.get)
                if not entry.is_on:
                    if starts == self._starts:
                        return
                    continue  # it was switched on again while that was read
                await self._run(entry)
                await self._wait()
            except StoreError as error:  # a database that is away comes back
                log.error("the cycle cannot be read: %s", error)
                self.why = str(error)
                await asyncio.sleep(AGAIN_SECONDS)

    async def _run(self, entry: CycleEntry) -> None:
        """A match, if there can be one now; else why not."""
        self.why = ""
        try:
            self.match = await self._taken_up(entry) or await self._begun(entry.settings)
            if self.match is not None:
                await self._played(self.match)
        except GamemasterError as error:
            self.why = str(error)
        except Exception as error:  # the cycle goes on, whatever became of one match
            log.error("the cycle", exc_info=error)
            self.why = "something went wrong; it is noted"
        finally:
            self.match = None

    async def _wait(self) -> None:
        """As long as the settings say, which may change meanwhile; or until it is switched off."""
        began = time.monotonic()
        while True:
            self._woken.clear()  # before they are read: whoever changes them after that wakes it
            entry = await asyncio.to_thread(self.store.cycle.get)
            self.until = began + entry.settings.waiting
            left = self.until - time.monotonic()
            if left <= 0 or not entry.is_on:
                return
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), left)

    # A match

    async def _taken_up(self, entry: CycleEntry) -> LiveMatch | None:
        """The match that a server was at which is no more, if it can be gone on with."""
        match = await self.hall.find(entry.match) if entry.match else None
        if match is None:
            return None
        async with match.changing:
            match.begin()
        return match

    async def _begun(self, settings: CycleSettings) -> LiveMatch | None:
        """A new match; None, with why, where nobody can play."""
        games = (await asyncio.to_thread(set_of, self.store, settings.games, None)).games
        free = await self._available(settings.players)
        if not games:
            self.why = "there is no game in its set"
        for game in self.chance.sample(list(games), min(len(games), MOST_GAMES_TRIED)):
            roles = await self.hall.workers.quick(roles_in, game)
            if len(free) < len(roles):
                self.why = f"{len(free)} of {len(settings.players)} players are available, too few for what was drawn"
                continue
            seats = zip(roles, self.chance.sample(free, len(roles)), strict=True)
            setup = MatchSetup(
                game,
                tuple(SeatSetup(role, name) for role, name in seats),
                start_clock=settings.start_clock,
                play_clock=settings.play_clock,
            )
            try:
                match = await self.hall.arrange(setup, "")
            except GamemasterError as error:  # one of them may be told too little to play this game
                self.why = str(error)
                continue
            await asyncio.to_thread(partial(self.store.cycle.change, match=match.id))
            self.why = ""
            return match
        return None

    async def _available(self, names: Sequence[str]) -> list[str]:
        """Who can play now: of the library everybody, of the others whoever says so and plays nothing else here."""
        found = []
        for name in names:
            with contextlib.suppress(GamemasterError):
                spec = await self.roster.line_spec(name, None)
                if spec.kind == "library" or (not self._is_taken(spec) and await answers_ready(spec)):
                    found.append(spec.name)
        return found

    def _is_taken(self, spec: LineSpec) -> bool:
        """Whether a player is in a match of this site, or may be at any moment."""
        playing = {seat.player for match in self.hall.live() for seat in match.entry.seats}
        held = self.competitions.held
        entrants = {each.name for each in held.plan.competition.entrants} if held is not None else set()
        is_remote = is_address(spec.player) or spec.kind == "launched"
        return is_remote and spec.name in playing | entrants

    async def _played(self, match: LiveMatch) -> None:
        """Until it is over; one that cannot be played on is given up."""
        while match.is_running:
            await asyncio.sleep(LOOK_SECONDS)
        if not match.is_over:
            self.why = match.trouble
            async with match.changing:
                await match.abort()
        await asyncio.to_thread(lambda: self.store.cycle.change(match=""))
