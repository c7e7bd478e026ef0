"""Everybody who looks at a match -> what each kind of them is told, drawn once and told to all.

Boards are drawn by workers, the newest state only: who watches a quick match misses pictures, but no move in the list.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from functools import partial
from typing import TYPE_CHECKING

from gamemaster.errors import GamemasterError
from gamemaster.match import events
from gamemaster.web.jobs import Plain
from gamemaster.web.live.feeds import Feed, Reader
from gamemaster.web.live.looks import HiddenOrder, look_at, look_hidden, look_start
from gamemaster.web.live.views import Viewer, items_of, parts_of, sees_all

if TYPE_CHECKING:
    from gamemaster.web.live.table import LiveMatch

__all__ = ["Audience"]

log = logging.getLogger("gamemaster.web")

Seen = tuple[bool, int, tuple[str, ...], tuple[str, ...]]
"""What a picture depends on: whether all is open, the step, who is asked, and with whose eyes one looks."""


class Audience:
    """Those who look at a match."""

    def __init__(self, match: LiveMatch) -> None:
        self.match = match
        self._feeds: dict[Viewer, Feed] = {}
        self._held: list[events.Event] = []
        """What players said in this step, and did wrong: nobody hears of it before all have moved."""

        self._looks: dict[Seen, Plain] = {}
        self._is_changed = asyncio.Event()
        self._painter: asyncio.Task[None] | None = None

    @property
    def is_there(self) -> bool:
        """Whether somebody watches."""
        return any(feed.readers for feed in self._feeds.values())

    def hear(self, event: events.Event) -> None:
        """Something happened in the match."""
        if self._is_told_later(event):
            self._held.append(event)
            return
        told = [*self._held, event] if isinstance(event, events.Moved | events.Ended) else [event]
        self._held = [] if len(told) > 1 else self._held
        for each in told:
            for viewer, feed in self._feeds.items():
                for item in items_of(self.match, viewer, each):
                    feed.add(item)
        self.tell()

    def _is_told_later(self, event: events.Event) -> bool:
        """Whether an event tells what somebody wants to do, while others may still choose."""
        is_reply = isinstance(event, events.Message) and not event.is_sent
        is_fault = isinstance(event, events.Fault) and bool(event.role)
        manager = self.match.manager
        return (is_reply or is_fault) and manager is not None and manager.referee.phase == "playing"

    def forget(self) -> None:
        """The match goes on from its record: what is not in it was never said."""
        self._held = []

    def tell(self) -> None:
        """Have everybody told how things are, soon."""
        self._is_changed.set()
        if self._painter is None or self._painter.done():
            self._painter = asyncio.create_task(self._paint())

    def tell_anew(self) -> None:
        """What people may see has changed: everybody is told all of it again."""
        for viewer, feed in self._feeds.items():
            feed.rewrite(self._feed_of(viewer).items)
        self.tell()

    def leave(self) -> None:
        """Tell nobody any more."""
        if self._painter is not None:
            self._painter.cancel()

    async def _paint(self) -> None:
        """Draw and tell, as long as there is something new."""
        while self._is_changed.is_set():
            self._is_changed.clear()
            for viewer, feed in list(self._feeds.items()):
                if not feed.is_wanted:
                    del self._feeds[viewer]
                    continue
                try:
                    feed.publish(await self._view(viewer))
                except GamemasterError as error:  # the next change is told again
                    log.warning("match %s is not drawn: %s", self.match.id, error)
                except Exception as error:
                    log.error("match %s is not drawn", self.match.id, exc_info=error)

    # Readers

    async def feed(self, viewer: Viewer) -> Feed:
        """What somebody is told, up to now."""
        if viewer not in self._feeds:
            self._feeds[viewer] = self._feed_of(viewer)
        feed = self._feeds[viewer]
        feed.coming += 1  # so that it stays while this waits
        try:
            if not feed.now or not feed.readers:
                feed.publish(await self._view(viewer))
        finally:
            feed.coming -= 1
        return feed

    async def join(self, viewer: Viewer, reader: Reader, after: int, mark: str) -> Feed:
        """Have somebody told from now on, and of what they missed."""
        feed = await self.feed(viewer)
        self._feeds.setdefault(viewer, feed)
        feed.join(reader, after, mark)
        return feed

    def _feed_of(self, viewer: Viewer) -> Feed:
        """A feed with all that has happened."""
        feed = Feed()
        held = set(map(id, self._held))
        for event in self.match.heard:
            for item in items_of(self.match, viewer, event) if id(event) not in held else ():
                feed.add(item)
        return feed

    # How things are

    async def _view(self, viewer: Viewer) -> Plain:
        look = await self._look(viewer)
        return {
            "parts": parts_of(self.match, viewer, look),
            "clicks": look["clicks"] or None,
            "step": look["step"],
            "phase": self.match.phase,
            "clock": self._seconds_left(),
            "rematch": self.match.rematch,
        }

    def _seconds_left(self) -> float | None:
        """What is left on the clock for this step, where one runs."""
        referee = self.match.manager.referee if self.match.manager is not None else None
        deadline = referee.deadline if referee is not None and referee.phase == "playing" else None
        if deadline is None or deadline == math.inf:
            return None
        return round(max(0.0, deadline - time.monotonic()), 1)

    async def _look(self, viewer: Viewer) -> Plain:
        """The board as somebody may see it, drawn once for all who see it alike."""
        match, is_open = self.match, sees_all(self.match, viewer)
        asked = tuple(role for role in viewer.roles if role in match.asked)
        step = match.states[-1].step if match.states else -1
        key = (is_open, step, asked, () if is_open else viewer.roles)
        if key not in self._looks:
            self._looks = {known: look for known, look in self._looks.items() if known[1] == step}
            self._looks[key] = await self._drawn(viewer, asked, is_open=is_open)
        return self._looks[key]

    async def _drawn(self, viewer: Viewer, asked: tuple[str, ...], *, is_open: bool) -> Plain:
        match, draw = self.match, partial(self.match.hall.workers.live, self.match.id)
        name, states = match.entry.game, match.states[-2:]
        if not states:
            return await draw(look_start, name)
        now, before = states[-1], states[0]
        if is_open:
            facts = before.facts if before.step + 1 == now.step else None
            return await draw(look_at, name, now.facts, now.step, facts, asked)
        if not viewer.roles:
            return {**await draw(look_start, name), "step": now.step}
        role = viewer.roles[0]
        history = tuple(
            (moved.moves.get(role), moved.percepts.get(role, ()))
            for moved in match.heard
            if isinstance(moved, events.Moved)
        )
        order = HiddenOrder(name, match.id, role, history, now.facts, now.step, is_asked=role in asked)
        return await draw(look_hidden, order)
