"""Site: what a request can reach. One for a server, kept on the app; tests make their own."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import cast

from starlette.requests import HTTPConnection

from gamemaster.store.matches import Store
from gamemaster.store.opening import open_store
from gamemaster.web.brought.shop import Brought
from gamemaster.web.competing.cycle import Cycle
from gamemaster.web.competing.organizer import Organizer
from gamemaster.web.competing.telling import CompetitionTold
from gamemaster.web.guard import secret_in
from gamemaster.web.jobs import Plain, position
from gamemaster.web.keeping import Kept
from gamemaster.web.leaders import Leaders
from gamemaster.web.live.hall import Hall
from gamemaster.web.packaging import Wheel
from gamemaster.web.people.signing import FrontDesk
from gamemaster.web.readying import Readying
from gamemaster.web.roster.cards import PlayerHistory
from gamemaster.web.roster.launches import Launches
from gamemaster.web.roster.roster import Roster
from gamemaster.web.settings import SiteSettings
from gamemaster.web.work import Workers

__all__ = ["FIRST_GAME", "Site", "site_of"]

FIRST_GAME = "connectfour"
"""The one that people see first."""


@dataclass
class Site:
    """All of a site: its settings, its store, its matches, and the processes that work for it."""

    settings: SiteSettings
    store: Store = field(init=False)
    workers: Workers = field(init=False)
    players: Roster = field(init=False)
    hall: Hall = field(init=False)
    competitions: Organizer = field(init=False)
    cycle: Cycle = field(init=False)
    launches: Launches = field(init=False)
    desk: FrontDesk = field(init=False)
    brought: Brought = field(init=False)
    secret: bytes = field(init=False)
    readying: Readying = field(init=False)
    first: Kept[Plain] = field(default_factory=lambda: Kept(8))
    """The boards of pages that anybody opens: the first one, and what general game playing is."""

    wheel: Kept[Wheel] = field(default_factory=lambda: Kept(1))
    """The package itself, for whoever wants it."""

    leaders: Kept[Leaders] = field(default_factory=lambda: Kept(20))
    """Tables of the leaderboard, by game and by how many matches are over."""

    told: Kept[CompetitionTold] = field(default_factory=lambda: Kept(20))
    """How competitions stand, by how much has been written of them."""

    histories: Kept[PlayerHistory] = field(default_factory=lambda: Kept(200))
    """How good players were over time, by name and by how many matches are over."""

    _starting: asyncio.Task[None] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.secret = secret_in(self.settings.folder)
        self.store = open_store(self.settings.database)
        self.workers = Workers(self.settings)
        self.players = Roster(self.settings, self.store.own_players)
        self.brought = Brought(self.settings, self.store, self.workers)
        self.hall = Hall(self.settings, self.store, self.workers, self.players, self.brought)
        self.competitions = Organizer(self.settings, self.store, self.hall, self.players)
        self.cycle = Cycle(self.store, self.hall, self.players, self.competitions)
        self.launches = Launches(self.players, self.hall.room)
        self.readying = Readying()
        self.desk = FrontDesk(self.store.accounts)

    async def open(self) -> None:
        """Begin: on the loop that will serve."""
        self.workers.open()
        await self.brought.open()
        await self.hall.open()
        await self.competitions.open()
        await self.cycle.open()
        await self.players.open()
        if self.settings.starts_workers:
            self._starting = asyncio.create_task(self.workers.start(position, FIRST_GAME, ()))
        if self.settings.makes_code:
            self.readying.begin()

    async def close(self) -> None:
        """End: matches are left as they are, and can be gone on with."""
        self.readying.end()
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.gather(self._starting, return_exceptions=True)
        await self.launches.close()
        await self.cycle.close()
        await self.competitions.close()
        await self.hall.close()
        await self.brought.close()
        await self.players.close()
        self.store.close()

    @property
    def is_getting_ready(self) -> bool:
        """Whether machine code for searches is still being made."""
        return self.readying.is_under_way


def site_of(connection: HTTPConnection) -> Site:
    """The site that somebody asks."""
    return cast("Site", connection.app.state.site)
