"""Site: what a request can reach. One for a server, kept on the app; tests make their own."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import cast

from starlette.requests import HTTPConnection

from gamemaster.store.matches import Store
from gamemaster.store.opening import open_store
from gamemaster.web.guard import secret_in
from gamemaster.web.jobs import Plain, position
from gamemaster.web.keeping import Kept
from gamemaster.web.leaders import Leaders
from gamemaster.web.live.hall import Hall
from gamemaster.web.people.signing import FrontDesk
from gamemaster.web.readying import Readying
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
    hall: Hall = field(init=False)
    desk: FrontDesk = field(init=False)
    secret: bytes = field(init=False)
    readying: Readying = field(init=False)
    first: Kept[Plain] = field(default_factory=lambda: Kept(1))
    """The board of the first page."""

    leaders: Kept[Leaders] = field(default_factory=lambda: Kept(20))
    """Tables of the leaderboard, by game and by how many matches are over."""

    _starting: asyncio.Task[None] = field(init=False)

    def __post_init__(self) -> None:
        self.secret = secret_in(self.settings.folder)
        self.store = open_store(self.settings.database)
        self.workers = Workers(self.settings)
        self.hall = Hall(self.settings, self.store, self.workers)
        self.readying = Readying()
        self.desk = FrontDesk(self.store.accounts)

    async def open(self) -> None:
        """Begin: on the loop that will serve."""
        self.workers.open()
        await self.hall.open()
        self._starting = asyncio.create_task(self.workers.start(position, FIRST_GAME, ()))
        if self.settings.makes_code:
            self.readying.begin()

    async def close(self) -> None:
        """End: matches are left as they are, and can be gone on with."""
        self.readying.end()
        self._starting.cancel()
        await asyncio.gather(self._starting, return_exceptions=True)
        await self.hall.close()
        self.store.close()

    @property
    def is_getting_ready(self) -> bool:
        """Whether machine code for searches is still being made."""
        return self.readying.is_under_way


def site_of(connection: HTTPConnection) -> Site:
    """The site that somebody asks."""
    return cast("Site", connection.app.state.site)
