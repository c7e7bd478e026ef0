"""Who holds the competitions of a site: one at a time, the others wait in turn; what is left is gone on with.

A competition runs in a thread (`arena/running.py` does), and its matches in processes. The store says how it stands:
waiting or running, it goes on when a server starts again, however the last one ended; paused, it stays so.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from gamemaster.arena.competition import Entrant
from gamemaster.arena.holding import checked
from gamemaster.arena.journal import Begun, begin
from gamemaster.arena.running import Progress, Runner
from gamemaster.errors import Forbidden, GamemasterError, StoreError
from gamemaster.store.accounts import Account
from gamemaster.store.competing import CompetitionEntry, CompetitionStatus
from gamemaster.store.matches import Store
from gamemaster.web.competing.listing import Listing
from gamemaster.web.competing.looking import rules_of
from gamemaster.web.competing.plans import CompetitionPlan
from gamemaster.web.competing.venue import RoomyWorkers
from gamemaster.web.live.hall import Hall
from gamemaster.web.roster.roster import Roster
from gamemaster.web.settings import CORES, SiteSettings

__all__ = ["HeldCompetition", "Organizer"]

PLACES = max(1, CORES - 1)
"""Matches at once: one core is left for pages and other matches."""

LEAVING_SECONDS = 60.0
log = logging.getLogger("gamemaster.web")


class _LeftBehind(Exception):
    """Nothing is played any more since somebody wants it so."""


@dataclass
class HeldCompetition:
    """A competition that is being held."""

    entry: CompetitionEntry
    plan: CompetitionPlan
    workers: RoomyWorkers
    listing: Listing
    played: int = 0
    planned: int = 0
    before: int = 0
    """How many had been played when it was taken up."""

    _was_idle: bool = False

    def run(self, folder: Path, players: Mapping[str, str]) -> Progress:
        """Play it, in a thread of its own; `players` says how entrants are reached today.

        The folder has their names only: where they are is nobody's business, and may change.
        """
        try:
            competition = self.plan.competition
            self.listing.list_all()
            reached = tuple(Entrant(each.name, players[each.name]) for each in competition.entrants)
            today = replace(competition, entrants=reached)
            found = checked(today, rules_of)
            names = {player: name for name, player in players.items()}
            texts = {names.get(what, what): digest for what, digest in found.texts.items()}
            with begin(folder, Begun(competition, texts)) as journal:
                journal.begun = Begun(today, texts)
                progress = Runner(journal, found.games, self.workers, {}, self._hear, found.check_files).run()
            self.listing.list_all(is_over=progress.is_over)
            return progress
        finally:
            self.workers.close()

    def _hear(self, progress: Progress) -> None:
        self.played, self.planned, self.before = len(progress.played), progress.planned, progress.before
        self.listing.list_some(progress.new, progress.fixtures, progress.played)
        if progress.is_over:
            return
        # What ended since is taken in between two of these: when nothing ran twice, nothing is lost.
        if self.workers.is_idle and self._was_idle and not progress.new:
            raise _LeftBehind
        self._was_idle = self.workers.is_idle


def _veiled(words: str, players: Mapping[str, str]) -> str:
    """What went wrong, without where players are."""
    for name, player in players.items():
        words = words.replace(player, name)
    return words


@dataclass
class Organizer:
    """Holds competitions."""

    settings: SiteSettings
    store: Store
    hall: Hall
    roster: Roster
    held: HeldCompetition | None = None
    _task: asyncio.Task[None] | None = None
    _is_closing: bool = False
    _changing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def open(self) -> None:
        """See to what was left, and go on with it."""
        await asyncio.to_thread(self._list_unfinished)
        await self._next()

    def _list_unfinished(self) -> None:
        self._sweep()
        for entry in self.store.competitions.unfinished():
            try:
                self._listing(entry, CompetitionPlan.from_dict(entry.plan)).list_all()
            except GamemasterError as error:
                log.error("competition %s is not listed: %s", entry.id, error)

    def _sweep(self) -> None:
        """Remove folders of competitions that are nobody's any more, as of an account that an operator removed."""
        shelf = self.settings.folder / "competitions"
        if not shelf.is_dir() or not self.store.accounts.all():
            return  # a database in which nobody is may be a new one
        for folder in shelf.iterdir():
            if self.store.competitions.find(folder.name) is None:
                shutil.rmtree(folder, ignore_errors=True)

    async def close(self) -> None:
        """Leave what runs; it goes on when a server starts again."""
        self._is_closing = True
        if self.held is not None:
            await self.held.workers.leave_at_once()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=LEAVING_SECONDS)

    # What people do

    async def begin(self, account_id: str, plan: CompetitionPlan, *, is_public: bool) -> str:
        """A new competition, by its id: it begins when it is its turn."""
        id = await asyncio.to_thread(
            lambda: self.store.competitions.add(
                account_id, plan.competition.name, plan.to_dict(), is_public=is_public
            )
        )
        await self._next()
        return id

    async def pause(self, entry: CompetitionEntry) -> None:
        """Leave it for a while; matches that are under way come to their ends."""
        if entry.status not in ("waiting", "running"):
            raise Forbidden("this competition is not being played")
        await self._set(entry, "paused")

    async def go_on(self, entry: CompetitionEntry) -> None:
        """Let it go on, when it is its turn."""
        if entry.status != "paused":
            raise Forbidden("this competition is not paused")
        await self._set(entry, "waiting")
        await self._next()

    async def end(self, entry: CompetitionEntry) -> None:
        """End it where it is."""
        if entry.status in ("over", "ended"):
            raise Forbidden("this competition is over")
        await self._set(entry, "ended")
        if not self.is_held(entry.id):
            await asyncio.to_thread(self._list_ended, entry.id)

    async def remove(self, entry: CompetitionEntry) -> None:
        """Take it away with its folder; its matches stay."""
        if entry.status not in ("over", "ended") or self.is_held(entry.id):
            raise Forbidden("this competition is not over; end it first")
        await asyncio.to_thread(self.store.competitions.remove, entry.id)
        await asyncio.to_thread(shutil.rmtree, self.folder_of(entry.id), True)

    async def forget(self, account_id: str) -> None:
        """End and remove all of an account's, whatever it is at."""
        entries = await asyncio.to_thread(self.store.competitions.of, account_id)
        for entry in entries:  # all of them first, so that none has its turn when another is left
            await asyncio.to_thread(self.store.competitions.set_status, entry.id, "ended")
        for entry in entries:
            if self.is_held(entry.id) and self.held is not None and self._task is not None:
                await self.held.workers.leave_at_once()
                await asyncio.wait([self._task], timeout=LEAVING_SECONDS)
            await asyncio.to_thread(self.store.competitions.remove, entry.id)
            await asyncio.to_thread(shutil.rmtree, self.folder_of(entry.id), True)

    async def _set(self, entry: CompetitionEntry, status: CompetitionStatus) -> None:
        await asyncio.to_thread(self.store.competitions.set_status, entry.id, status)
        if self.held is not None and self.is_held(entry.id):
            self.held.workers.leave()

    # How it stands

    def folder_of(self, id: str) -> Path:
        """Where all of a competition is."""
        return self.settings.folder / "competitions" / id

    def is_held(self, id: str) -> bool:
        """Whether matches of it are being played."""
        return self.held is not None and self.held.entry.id == id

    async def before(self, id: str) -> int:
        """How many have their turns before this one."""
        found = await asyncio.to_thread(self.store.competitions.unfinished)
        waiting = [each.id for each in found if each.status != "paused"]
        return waiting.index(id) if id in waiting else 0

    # Holding

    def _listing(self, entry: CompetitionEntry, plan: CompetitionPlan) -> Listing:
        folder, records = self.folder_of(entry.id), self.settings.records
        return Listing(entry.id, plan, entry.is_public, folder, records, self.store)

    def _list_ended(self, id: str) -> None:
        """List what waited for matches that will not be played any more; not where the competition goes on later."""
        try:
            entry = self.store.competitions.find(id)
            if entry is not None and entry.status == "ended":
                self._listing(entry, CompetitionPlan.from_dict(entry.plan)).list_all(is_over=True)
        except GamemasterError as error:
            log.error("competition %s is not listed: %s", id, error)

    async def _next(self) -> None:
        """Hold the one whose turn it is, if none is held."""
        async with self._changing:
            if self.held is not None or self._is_closing:
                return
            for entry in await asyncio.to_thread(self.store.competitions.unfinished):
                if entry.status != "paused" and await self._take_up(entry):
                    return

    async def _take_up(self, entry: CompetitionEntry) -> bool:
        try:
            plan = CompetitionPlan.from_dict(entry.plan)
        except GamemasterError as error:
            await self._note(entry.id, "paused", str(error))
            return False
        if not await self._note(entry.id, "running", was=entry.status):
            return False
        workers = RoomyWorkers(asyncio.get_running_loop(), self.hall.room, PLACES)
        self.held = HeldCompetition(entry, plan, workers, self._listing(entry, plan))
        self._task = asyncio.create_task(self._hold(self.held))
        return True

    async def _hold(self, held: HeldCompetition) -> None:
        """Play one to its end, or until it is left; then the next has its turn."""
        id, players = held.entry.id, dict[str, str]()
        with ThreadPoolExecutor(1, f"competition-{id}") as thread:
            try:
                folder = self.folder_of(id)
                players = await self._reached(held)
                await asyncio.get_running_loop().run_in_executor(thread, held.run, folder, players)
                await self._note(id, "over", was="running")
                await self._note(id, "over", was="paused")
            except _LeftBehind:  # the store says why already
                await asyncio.to_thread(self._list_ended, id)
            except (GamemasterError, OSError) as error:
                await self._note(id, "paused", _veiled(str(error), players), was="running")
            except Exception as error:
                log.error("competition %s", id, exc_info=error)
                await self._note(id, "paused", "something went wrong; it is noted", was="running")
        self.held = None
        try:
            await self._next()
        except (
            StoreError
        ) as error:  # it is tried again when anybody does anything, or the server starts again
            log.error("no competition is taken up: %s", error)

    async def _reached(self, held: HeldCompetition) -> dict[str, str]:
        """How each entrant is reached today; UnknownPlayer where one is gone, or not for whose competition it is."""
        entry = held.entry
        owner = Account(entry.account_id, entry.owner, False, entry.created)
        names = [each.name for each in held.plan.competition.entrants]
        return {name: (await self.roster.line_spec(name, owner)).player for name in names}

    async def _note(self, id: str, status: CompetitionStatus, trouble: str = "", was: str = "") -> bool:
        """Have the store know how it stands; a database that fails ends nothing."""
        try:
            return await asyncio.to_thread(
                lambda: self.store.competitions.set_status(id, status, trouble=trouble, was=was)
            )
        except StoreError as error:
            log.error("competition %s is not noted as %s: %s", id, status, error)
            return False
