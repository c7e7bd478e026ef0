"""Where people bring their games: drafts that are forgotten, games that are kept, and who may see which.

A draft is nobody's: whoever knows its name may play it, and when nobody has for an hour, or the server starts again, it
is gone, with the matches that were played on it. A game that is kept belongs to an account. Its versions stay as long
as it, or a match that was played by them, does.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path

from starlette.requests import HTTPConnection

from gamemaster.errors import Busy, TooMuch, UnknownGame
from gamemaster.games import on_shelf, put_up
from gamemaster.store.accounts import Account
from gamemaster.store.entries import MatchEntry
from gamemaster.store.matches import Store
from gamemaster.store.own_games import OwnGame
from gamemaster.store.visibility import Visibility
from gamemaster.web.brought.sheets import BroughtSheet, name_of
from gamemaster.web.brought.trying import put_on_shelf
from gamemaster.web.guard import secret_in
from gamemaster.web.jobs import check_library
from gamemaster.web.people.signing import account_in
from gamemaster.web.settings import SiteSettings
from gamemaster.web.work import ASKER, Workers

__all__ = ["DRAFT", "Brought", "for_visitor", "is_on_draft"]

DRAFT = "is_draft"
"""The option of a match that is played on a draft."""


DRAFT_SECONDS = 3600.0
MOST_DRAFTS, SHARE = 1_000, 0.25
"""Drafts at once; one address has such a part of them at most."""

LOADING_SECONDS = 60.0
"""What a sheet may take before it is refused."""

TIDY_SECONDS = 300.0

log = logging.getLogger("gamemaster.web")


@dataclass
class Brought:
    """The games that people brought to a site."""

    settings: SiteSettings
    store: Store
    workers: Workers
    _secret: bytes = field(init=False)
    _bringers: dict[str, str] = field(default_factory=dict)
    """Who has brought a draft: the address, by its name."""

    _tidying: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self._secret = secret_in(self.settings.folder)
        self._kept, self._drafts = self.settings.shelves
        put_up(*self.settings.shelves)

    async def open(self) -> None:
        """Forget all drafts, and begin to tidy up."""
        await asyncio.to_thread(self._begin)
        self._tidying = asyncio.create_task(self._tidy())

    async def close(self) -> None:
        """End tidying."""
        if self._tidying is not None:
            self._tidying.cancel()
            await asyncio.gather(self._tidying, return_exceptions=True)

    # Bringing

    async def draft(self, sheet: BroughtSheet) -> str:
        """A sheet to be tried: its name on this site. A GamemasterError says what is wrong with it."""
        name = name_of(sheet, self._secret, is_draft=True)
        if on_shelf(name) is None:
            await self._check_room(ASKER.get())
            await self.workers.slow(put_on_shelf, sheet, self._drafts / name[1:], seconds=LOADING_SECONDS)
            self._bringers[name] = ASKER.get()
        await asyncio.to_thread(_touched, self._drafts / name[1:])
        return name

    async def _check_room(self, asker: str) -> None:
        """Busy where there are very many drafts, TooMuch where very many of them are of one address."""
        there = await asyncio.to_thread(lambda: {f"@{folder.name}" for folder in _folders(self._drafts)})
        if len(there) >= MOST_DRAFTS:
            raise Busy("too many games are being tried; come again in a while")
        self._bringers = {name: each for name, each in self._bringers.items() if name in there}
        if sum(each == asker for each in self._bringers.values()) >= max(1, MOST_DRAFTS * SHARE):
            raise TooMuch("you are trying too many games at once; come again in a while")

    async def save(
        self,
        account: Account,
        sheet: BroughtSheet,
        visibility: Visibility = "private",
        id: str | None = None,
        was: str | None = None,
    ) -> OwnGame:
        """Keep a sheet as a game of somebody's; with an id, as the newest version of that one, as visible as it was.

        `was` is the version that was changed: Overtaken where there is a newer one, which is left as it is.
        """
        name, games = name_of(sheet, self._secret), self.store.own_games
        if id is None:
            await asyncio.to_thread(games.check_room, account.id)
        else:
            await asyncio.to_thread(games.get, account.id, id)
        await self._keep(sheet, name)
        if id is None:
            id = await asyncio.to_thread(games.add, account.id, sheet.title, name, visibility)
        else:
            await asyncio.to_thread(
                lambda: games.change(account.id, id, was=was, title=sheet.title, name=name)
            )
            await asyncio.to_thread(self.forget_old_versions)
        await self._keep(sheet, name)  # somebody may have taken the same away in between
        return await asyncio.to_thread(games.get, account.id, id)

    async def _keep(self, sheet: BroughtSheet, name: str) -> None:
        folder = self._kept / name[1:]
        if not await asyncio.to_thread(_touched, folder):
            await self.workers.slow(put_on_shelf, sheet, folder, seconds=LOADING_SECONDS)

    # Who may see what

    async def check(self, connection: HTTPConnection, name: str) -> None:
        """Nothing, where there is such a game and it is for whoever asks; UnknownGame otherwise."""
        check_library(name)
        if name.startswith("@"):
            account = account_in(connection)
            if not await asyncio.to_thread(self.is_for, account.id if account else "", name):
                raise UnknownGame(f"there is no game {name!r} here")
            await asyncio.to_thread(_touched, self._drafts / name[1:])

    def show_to(self, account_id: str, id: str, visibility: Visibility) -> set[str]:
        """Have others see a game of somebody's, or not; the names of its versions that no list may tell of any more."""
        self.store.own_games.change(account_id, id, visibility=visibility)
        names = self.store.own_games.names_of(account_id, id) if visibility != "public" else set()
        return {name for name in names if not self.is_listed(name)}

    def is_for(self, account_id: str, name: str) -> bool:
        """Whether somebody may see a game by its name; what is private is seen by who has it."""
        owners = self.store.own_games.named(name)
        if not owners:
            return (self._drafts / name[1:]).is_dir()
        return any(each.is_for(account_id) for each in owners)

    def is_listed(self, name: str) -> bool:
        """Whether everybody is told of matches of a game."""
        if not name.startswith("@"):
            return True
        return any(each.visibility == "public" for each in self.store.own_games.named(name))

    def is_draft(self, name: str) -> bool:
        """Whether a game is one that will be forgotten."""
        return name.startswith("@") and not (self._kept / name[1:]).is_dir()

    # Forgetting

    def forget_game(self, account_id: str, id: str) -> None:
        """Take away a game of somebody's, with all matches of it."""
        games = self.store.own_games
        before = games.names_of(account_id)
        games.remove(account_id, id)
        self._forget(before)

    def forget_account(self, account_id: str) -> None:
        """Take away all games of somebody's, with all matches of them."""
        games = self.store.own_games
        before = games.names_of(account_id)
        for each in games.of(account_id):
            games.remove(account_id, each.id)
        self._forget(before)

    def _forget(self, names: set[str]) -> None:
        """Remove what was called so and is nobody's any more."""
        gone = names - self.store.own_games.names()
        for each in self.store.of_games("@") if gone else ():
            if each.game in gone:
                self._forget_match(each)
        for name in gone:
            shutil.rmtree(self._kept / name[1:], ignore_errors=True)

    def forget_old_versions(self) -> None:
        """Remove versions of games that are not the newest, and that no match was played by."""
        before = self.store.own_games.names()
        played = self.store.played_games("@")
        self.store.own_games.drop_versions(played | self.store.competitions.games())
        self._forget(before)

    def forget_draft_match(self, entry: MatchEntry) -> None:
        """What was played on a draft is not kept, unless the game is by now."""
        if is_on_draft(entry) and self.is_draft(entry.game):
            self._forget_match(entry)

    def _forget_match(self, entry: MatchEntry) -> None:
        (self.settings.records / entry.record).unlink(missing_ok=True)
        self.store.remove(entry.id)

    def _begin(self) -> None:
        for shelf in self.settings.shelves:
            shelf.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(self._drafts, ignore_errors=True)
        self._drafts.mkdir(exist_ok=True)
        for each in self.store.of_games("@"):
            self.forget_draft_match(each)

    async def _tidy(self) -> None:
        while True:
            await asyncio.sleep(TIDY_SECONDS)
            try:
                await asyncio.to_thread(self.tidy)
            except Exception as error:  # it is tried again
                log.error("drafts are not tidied up", exc_info=error)

    def tidy(self) -> None:
        """Forget drafts that nobody has used for long, and what workers left that were ended.

        Those on which a match is being played stay. Games that are kept are never removed here: a database that was
        lost can be brought back.
        """
        played = self.store.played_games("@")
        for folder in _folders(self._drafts):
            if _age(folder) > DRAFT_SECONDS and f"@{folder.name}" not in played:
                shutil.rmtree(folder, ignore_errors=True)
        self._sweep()

    def _sweep(self) -> None:
        """Forget what is nobody's: of an account that an operator removed, or of a worker that was ended at it."""
        if not self.store.accounts.all():
            return  # a database in which nobody is may be a new one, and the games those of another
        names = self.store.own_games.names()
        for each in self.store.of_games("@"):
            if each.game not in names and not is_on_draft(each):
                self._forget_match(each)
        for folder in _folders(self._kept):
            if f"@{folder.name}" not in names and _age(folder) > DRAFT_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)


async def for_visitor(connection: HTTPConnection) -> None:
    """UnknownGame, where the address of a page names a game that is not for whoever asks."""
    brought: Brought = connection.app.state.site.brought
    for word in ("game", "name"):
        name = connection.path_params.get(word, "")
        if str(name).startswith("@"):
            await brought.check(connection, name)


def is_on_draft(entry: MatchEntry) -> bool:
    """Whether a match was arranged on a draft."""
    return bool(entry.options.get(DRAFT))


def _folders(shelf: Path) -> list[Path]:
    return [Path(each.path) for each in os.scandir(shelf) if each.is_dir()] if shelf.is_dir() else []


def _touched(folder: Path) -> bool:
    """Whether a folder is there, which is used from now on."""
    try:
        os.utime(folder)
    except FileNotFoundError:
        return False
    return True


def _age(folder: Path) -> float:
    try:
        return time.time() - folder.stat().st_mtime
    except FileNotFoundError:
        return 0.0
