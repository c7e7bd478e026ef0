"""All matches that are held here: arranged, found, put away when nobody is there any more, and left in order.

What a match is lies in its record and in the store; the hall only has those that are looked at or played.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from gamemaster.errors import Busy, TooMuch, UnknownMatch
from gamemaster.store.accounts import Account
from gamemaster.store.entries import MatchEntry, Seat
from gamemaster.store.indexing import entry_of_record, reindex
from gamemaster.store.matches import Store
from gamemaster.web.brought.shop import DRAFT, Brought, is_on_draft
from gamemaster.web.brought.trying import check_fit
from gamemaster.web.guard import secret_in
from gamemaster.web.live.files import recorded
from gamemaster.web.live.room import Room
from gamemaster.web.live.setup import PERSON, SOCKET, MatchSetup, SeatSetup, checked_roles, entry_for
from gamemaster.web.live.table import LiveMatch
from gamemaster.web.roster.roster import Roster
from gamemaster.web.settings import SiteSettings
from gamemaster.web.shelf import title_of
from gamemaster.web.work import ASKER, Workers

__all__ = ["Hall"]

log = logging.getLogger("gamemaster.web")

TIDY_SECONDS = 30.0
LOADING_SECONDS = 60.0
"""What a game that somebody brought may take to be tried for matches."""

SHARE, ARRANGED = 0.5, 2
"""Of the matches that are held one address may have so large a part; not begun may be so many times as many."""

LINGERING_SECONDS = 120.0
"""How long a match that is over stays, for those who still look at it."""


@dataclass
class Hall:
    """The matches of a site."""

    settings: SiteSettings
    store: Store
    workers: Workers
    roster: Roster
    brought: Brought
    matches: dict[str, LiveMatch] = field(default_factory=dict)
    room: Room = field(init=False)
    _secret: bytes = field(init=False)
    _tidying: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self.room = Room(self.settings.most_players)
        self._secret = secret_in(self.settings.folder)

    async def open(self) -> None:
        """See to what was left behind, and begin to tidy up."""
        await asyncio.to_thread(reindex, self.store, self.settings.records)
        self._tidying = asyncio.create_task(self._tidy())

    async def close(self) -> None:
        """Leave all matches; they can be gone on with."""
        if self._tidying is not None:
            self._tidying.cancel()
        leaving = await asyncio.gather(
            *(match.put_away() for match in self.matches.values()), return_exceptions=True
        )
        for error in leaving:
            if isinstance(error, Exception):
                log.error("a match was not left in order", exc_info=error)
        self.matches.clear()

    async def arrange(
        self, setup: MatchSetup, key: str, mine: str | None = None, account: Account | None = None
    ) -> LiveMatch:
        """A new match; `mine` is the role that whoever asks plays. It begins when all seats are taken."""
        setup = replace(setup, seats=tuple([await self._seat(seat, account) for seat in setup.seats]))
        self.check_room(ASKER.get())
        players = [(seat.role, seat.player) for seat in setup.seats]
        _, is_hidden = await self.workers.quick(checked_roles, setup.game, players)
        if setup.game.startswith("@"):
            await self.workers.slow(check_fit, setup.game, seconds=LOADING_SECONDS)
        entry = entry_for(setup, owner=key, is_hidden=is_hidden, title=title_of(setup.game))
        entry = await asyncio.to_thread(self._marked, entry)
        if mine is not None:
            seats = tuple(
                replace(seat, key=key) if seat.role == mine and seat.kind == "person" else seat
                for seat in entry.seats
            )
            entry = replace(entry, seats=seats)
        if account is not None:  # private players are for it alone, whenever the match goes on
            entry = replace(entry, options={**entry.options, "account": account.id})
        return await self.add(entry)

    async def _seat(self, seat: SeatSetup, account: Account | None) -> SeatSetup:
        """A seat with its player as it is called; an error where that is nobody whom this account may choose."""
        if seat.player in (PERSON, SOCKET):
            return seat
        return replace(seat, player=(await self.roster.line_spec(seat.player, account)).name)

    def _marked(self, entry: MatchEntry) -> MatchEntry:
        """A match with what follows from whose game it is on."""
        is_draft = self.brought.is_draft(entry.game)
        options = {**entry.options, DRAFT: True} if is_draft else entry.options
        return replace(entry, is_listed=self.brought.is_listed(entry.game), options=options)

    async def add(self, entry: MatchEntry) -> LiveMatch:
        """Hold a match that is arranged."""
        self.check_room(ASKER.get())
        await asyncio.to_thread(self.store.add, entry)
        match = self.matches[entry.id] = LiveMatch(self, entry)
        if not match.empty_seats and not match.is_managed:
            match.begin()
        return match

    async def rematch(self, match: LiveMatch) -> LiveMatch:
        """The match that follows one: the same players, each with the next one's role. There is only one."""
        async with match.changing:
            if match.rematch and (found := await self.find(match.rematch)):
                return found
            seats = match.entry.seats
            moved = tuple(replace(seats[number - 1], role=seat.role) for number, seat in enumerate(seats))
            following = await self.add(_again(match.entry, moved))
            match.rematch = following.id
        match.audience.tell()
        return following

    async def anew(self, match: LiveMatch) -> LiveMatch:
        """The same match again, not begun; the one before is given up if it is under way."""
        async with match.changing:
            if not match.is_over:
                await match.abort()
        return await self.add(_again(match.entry, match.entry.seats))

    async def find(self, name: str) -> LiveMatch | None:
        """A match that is held, or can be taken up again; None for one that is over, or never was."""
        if name in self.matches:
            return self.matches[name]
        entry = await asyncio.to_thread(self.store.find, name)
        if entry is None or entry.status == "over":
            return None
        match = LiveMatch(self, entry)
        record = await asyncio.to_thread(recorded, match.path)
        if record is not None and record.ended is not None:  # the store could not be told
            await asyncio.to_thread(self.store.put, entry_of_record(record, entry, match.path))
            return None
        if name not in self.matches:  # nobody else has taken it up meanwhile
            match.revive(record)
            self.matches[name] = match
        return self.matches[name]

    async def found(self, name: str) -> LiveMatch:
        """The same; UnknownMatch where there is none."""
        match = await self.find(name)
        if match is None:
            raise UnknownMatch(f"no match {name[:60]!r} is being played")
        return match

    async def entry(self, name: str) -> MatchEntry:
        """What is known of a match; UnknownMatch where there is none.

        Of one that is held the hall knows it: the store is told a moment later, or cannot be told.
        """
        entry = None if name in self.matches else await asyncio.to_thread(self.store.find, name)
        if name in self.matches:
            return self.matches[name].entry
        if entry is None:
            raise UnknownMatch(f"there is no match {name[:60]!r}")
        return entry

    async def put_away(self, games: Collection[str]) -> None:
        """Leave the matches of some games, whoever is there."""
        for match in [each for each in self.matches.values() if each.entry.game in games]:
            async with match.changing:
                await match.put_away()
                self.matches.pop(match.id, None)

    async def unlist(self, games: Collection[str]) -> None:
        """Have the matches of some games in no list any more."""
        for match in self.matches.values():
            if match.entry.game in games:
                match.entry = replace(match.entry, is_listed=False)
        await asyncio.to_thread(self.store.unlist, games)

    def live(self) -> Iterator[LiveMatch]:
        """Those that are being played, the newest first."""
        return (match for match in reversed(self.matches.values()) if match.is_running)

    def check_room(self, asker: str) -> None:
        """Busy where no more matches are held, or no more of one address."""
        held = list(self.matches.values())
        most, waiting = self.settings.most_matches, [match for match in held if match.phase == "arranged"]
        own = sum(match.asker == asker for match in held if not match.is_over)
        if sum(match.is_running for match in held) >= most or len(waiting) >= ARRANGED * most:
            raise Busy(f"{most} matches are being played; come again when one is over")
        if own >= max(1, most * SHARE):
            raise TooMuch(f"{own} matches of yours are held here; come again when one of them is over")

    def invitation(self, match: str, role: str) -> str:
        """What the link to a seat has in it, and nobody can guess."""
        return hmac.new(self._secret, f"{match} {role}".encode(), hashlib.sha256).hexdigest()[:32]

    async def _tidy(self) -> None:
        """Put away what nobody looks at any more."""
        while True:
            await asyncio.sleep(TIDY_SECONDS)
            for match in list(self.matches.values()):
                try:
                    await self._look_after(match)
                except Exception as error:  # one match does not keep the others from being put away
                    log.error("match %s is not put away", match.id, exc_info=error)

    async def _look_after(self, match: LiveMatch) -> None:
        allowed = LINGERING_SECONDS if match.is_over else self.settings.idle_seconds
        if is_on_draft(match.entry):
            allowed = self.settings.idle_seconds  # when it is put away there is nothing left of it
        if (
            self.room.is_wanted and match.asked
        ):  # a machine waits for somebody who has gone, and others for it
            allowed = min(allowed, LINGERING_SECONDS)
        if time.monotonic() - match.used <= allowed or match.has_readers or match.changing.locked():
            return
        async with match.changing:
            await match.put_away()
            if match.is_over and not match.is_indexed:  # nobody else knows it yet
                return
            self.matches.pop(match.id, None)
        if is_on_draft(match.entry):
            await asyncio.to_thread(self.brought.forget_draft_match, match.entry)
        elif match.phase == "arranged":  # it never began, and nobody came back
            await asyncio.to_thread(self.store.remove, match.id)


def _again(entry: MatchEntry, seats: tuple[Seat, ...]) -> MatchEntry:
    """A match with the same settings, which has not begun."""
    made = entry_for(
        MatchSetup(entry.game, ()), owner=entry.owner, is_hidden=entry.is_hidden, title=entry.title
    )
    return replace(
        made,
        seats=tuple(replace(seat, goal=None, errors=0) for seat in seats),
        start_clock=entry.start_clock,
        play_clock=entry.play_clock,
        options=entry.options,
        is_listed=entry.is_listed,
    )
