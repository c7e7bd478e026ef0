"""All players that were launched: so many at once, one or two for a visitor, and an end for each."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from gamemaster.errors import Busy, TooMuch, UnknownPlayer
from gamemaster.store.players import OwnPlayer
from gamemaster.web.live.room import Room
from gamemaster.web.roster.launched import Launched, Stay
from gamemaster.web.roster.roster import Roster
from gamemaster.web.roster.specs import LineSpec

__all__ = ["Launches"]

MOST_EACH = 2
"""Launched players of one visitor."""

SHARE, SHARE_EACH = 0.5, 0.5
"""Of the room for players, launched ones take this part at most; of that, one address takes this part."""

REMEMBERED_SECONDS, MOST_REMEMBERED = 600.0, 50
"""How long one that has gone can still be looked at, and how many of them."""


@dataclass
class Launches:
    """The launched players of a site."""

    roster: Roster
    room: Room
    stay: Stay = field(default_factory=Stay)
    _all: dict[str, Launched] = field(default_factory=dict)
    _askers: dict[str, str] = field(default_factory=dict)

    def launch(self, spec: LineSpec, name: str, visitor: str, asker: str) -> Launched:
        """A player, about to start; TooMuch or Busy where there are too many."""
        self._forget()
        here = [each for each in self._all.values() if each.status != "gone"]
        if sum(each.visitor == visitor for each in here) >= MOST_EACH:
            raise TooMuch(f"you have launched {MOST_EACH} players; end one of them first")
        most = max(MOST_EACH, int(self.room.most * SHARE))
        own = sum(self._askers[each.identifier] == asker for each in here)
        if len(here) >= most or own >= max(MOST_EACH, int(most * SHARE_EACH)):
            raise Busy(f"{len(here)} players are launched on this site; come again when one of them has gone")
        made = Launched(spec, name, visitor, stay=self.stay, leave=self._disconnected)
        if made.identifier in self._all:  # one of 65,536 is taken
            return self.launch(spec, name, visitor, asker)
        self._all[made.identifier], self._askers[made.identifier] = made, asker
        made.begin(self.room, asker)
        return made

    def of(self, visitor: str, name: str) -> Launched | None:
        """The one of that player which a visitor has launched last."""
        own = [each for each in self._all.values() if each.visitor == visitor and each.name == name]
        return own[-1] if own else None

    def found(self, identifier: str, visitor: str) -> Launched:
        """One of a visitor's own; UnknownPlayer for all others."""
        found = self._all.get(identifier)
        if found is None or found.visitor != visitor:
            raise UnknownPlayer(f"you have launched no player {identifier[:60]!r}")
        return found

    def connect(self, launched: Launched) -> None:
        """Put one at everybody's disposal."""
        launched.connect()
        self.roster.connected[launched.identifier] = LineSpec(
            launched.identifier,
            "launched",
            launched.spec.player,
            takes_room=False,
            line=lambda _: launched.line(),
        )

    async def act(self, launched: Launched, act: str) -> None:
        """Connect, disconnect, clear or end one, as a button of its page says."""
        match act:
            case "connect":
                self.connect(launched)
            case "disconnect":
                launched.disconnect()
            case "clear":
                launched.clear()
            case "end":
                launched.end("you ended it")
                await launched.wait()

    def _disconnected(self, identifier: str) -> None:
        self.roster.connected.pop(identifier, None)

    async def end_all(self, name: str, why: str) -> None:
        """End all that were launched of a player."""
        await self._end([each for each in self._all.values() if each.name == name], why)

    async def leave(self, players: Iterable[OwnPlayer]) -> None:
        """Leave nothing of players that were removed: neither what was launched, nor files."""
        for each in players:
            await self.end_all(each.name, "it was removed")
            if each.file:
                await asyncio.to_thread(self.roster.files.drop, each.file)

    async def close(self) -> None:
        """End everything."""
        await self._end(list(self._all.values()), "the site is closed")

    async def _end(self, ending: list[Launched], why: str) -> None:
        for each in ending:
            each.end(why)
        await asyncio.gather(*(each.wait() for each in ending))

    def _forget(self) -> None:
        """Those that have gone a while ago are not remembered, nor are many."""
        gone = [each for each in self._all.values() if each.status == "gone"]
        until = time.monotonic() - REMEMBERED_SECONDS
        for place, each in enumerate(gone, 1):
            if each.used < until or place <= len(gone) - MOST_REMEMBERED:
                del self._all[each.identifier], self._askers[each.identifier]
