"""Roster: a name that somebody chose -> how to reach that player, where it is for them.

await site.players.line_spec("Deep-Six", account)       -> LineSpec; UnknownPlayer where there is none for them
await site.players.available()                          -> names that anybody can choose beside the library's
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from gamemaster.errors import GamemasterError, UnknownPlayer
from gamemaster.store.accounts import Account
from gamemaster.store.entries import MatchEntry
from gamemaster.store.players import OwnPlayer, OwnPlayers
from gamemaster.web.live.setup import check_address, check_named, kind_of_seat, unknown_player
from gamemaster.web.roster.files import PlayerFiles
from gamemaster.web.roster.specs import LineSpec, address_spec, library_spec, own_spec
from gamemaster.web.settings import SiteSettings

__all__ = ["Roster"]

SWEEP_SECONDS = 600.0
"""How often to look for files that nobody has any more."""

log = logging.getLogger("gamemaster.web")


@dataclass
class Roster:
    """Who can be chosen on a site."""

    settings: SiteSettings
    store: OwnPlayers
    files: PlayerFiles = field(init=False)
    connected: dict[str, LineSpec] = field(default_factory=dict)
    """Players that were launched and are at everybody's disposal, by their identifiers."""

    _sweeping: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self.files = PlayerFiles(self.settings.folder)

    async def open(self) -> None:
        """Begin to look after files: those of accounts that an operator removed go too."""
        self._sweeping = asyncio.create_task(self._sweep())

    async def close(self) -> None:
        """Look after nothing any more."""
        if self._sweeping is not None:
            self._sweeping.cancel()
            await asyncio.gather(self._sweeping, return_exceptions=True)

    async def drop_file(self, key: str) -> None:
        """Delete a file, unless a player is made of it."""
        if key and key not in await asyncio.to_thread(self.store.files):
            await asyncio.to_thread(self.files.drop, key)

    async def _sweep(self) -> None:
        while True:
            try:
                await asyncio.to_thread(lambda: self.files.sweep(self.store.files()))
            except (GamemasterError, OSError) as error:
                log.error("files of players are not looked after: %s", error)
            await asyncio.sleep(SWEEP_SECONDS)

    async def line_spec(self, name: str, account: Account | None) -> LineSpec:
        """How to reach a player; UnknownPlayer where there is none for this account, Forbidden for other hosts."""
        return await self._spec(name, account.id if account else "")

    async def own(self, name: str, account: Account | None) -> OwnPlayer:
        """A player that somebody registered, for whoever may know of it; UnknownPlayer for all others."""
        return await self._own(name, account.id if account else "")

    async def _own(self, name: str, account_id: str) -> OwnPlayer:
        found = await asyncio.to_thread(self.store.named, name[:100])
        if found is None or not found.is_for(account_id):
            raise unknown_player(name)
        return found

    async def public(self) -> list[OwnPlayer]:
        """Players of people's own that everybody may choose."""
        return await asyncio.to_thread(self.store.public)

    async def available(self) -> list[str]:
        """The names that anybody can choose beside those of the library: public ones, and those that are connected."""
        return [*(each.name for each in await self.public()), *self.connected]

    async def of(self, account: Account | None) -> list[OwnPlayer]:
        """The players of somebody's own; none of a guest."""
        return await asyncio.to_thread(self.store.of, account.id) if account else []

    async def seated(self, entry: MatchEntry) -> dict[str, LineSpec]:
        """How to reach the machines of a match that is about to begin, by role: for whoever arranged it."""
        account = entry.options.get("account")
        found = {}
        for seat in entry.seats:
            if seat.kind in ("library", "address"):  # checked when it was arranged
                make: Callable[[str], LineSpec] = library_spec if seat.kind == "library" else address_spec
                found[seat.role] = make(seat.player)
            elif seat.kind in ("own", "launched"):
                found[seat.role] = await self._spec(seat.player, account if isinstance(account, str) else "")
        return found

    async def _spec(self, name: str, account_id: str) -> LineSpec:
        kind = kind_of_seat(name)
        if kind == "address":
            check_address(name, self.settings.hosts)
            return address_spec(name)
        if kind == "launched":
            if name not in self.connected:
                raise UnknownPlayer(f"{name} is not connected any more; choose another player")
            return self.connected[name]
        if kind != "own":
            check_named(name)
            return library_spec(name)
        found = await self._own(name, account_id)
        if found.kind == "address":
            check_address(found.address, self.settings.hosts)
        return await asyncio.to_thread(own_spec, found, self.files)
