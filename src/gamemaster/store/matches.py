"""Store: matches added, replaced, found, listed and counted. Every change is one transaction, all of it or nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from gamemaster.errors import StoreError
from gamemaster.store.access import Access
from gamemaster.store.accounts import Accounts
from gamemaster.store.competing import Competitions, GameSets, RunCycle
from gamemaster.store.entries import STATUSES, MatchEntry, MatchFilter, MatchPage
from gamemaster.store.own_games import OwnGames
from gamemaster.store.players import OwnPlayers
from gamemaster.store.rows import entry_from, folded, match_values, seat_values
from gamemaster.store.tables import matches, seats

__all__ = ["Known", "Store"]

UNFINISHED = ("arranged", "running", "interrupted")
MOST_ON_A_PAGE = 1_000
MOST_OVER = 20_000
AT_ONCE = 500
"""How many ids a question may name: databases have a bound."""


@dataclass(frozen=True)
class Known:
    """What has to be known of a match to tell whether its record must be read; `read` as in `Store.put`."""

    id: str
    record: str
    status: str
    read: int | None


class Store:
    """The matches of a database, its accounts and what is theirs. Any thread may call it."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self.accounts = Accounts(access)
        self.own_players = OwnPlayers(access)
        self.game_sets = GameSets(access)
        self.competitions = Competitions(access)
        self.cycle = RunCycle(access)
        self.own_games = OwnGames(access)

    def add(self, entry: MatchEntry, *, read: int | None = None) -> None:
        """Add a match; StoreError if there is one of that id."""
        match, players = match_values(entry), seat_values(entry)
        try:
            with self._access.writing() as connection:
                connection.execute(insert(matches).values(**match, read=read))
                if players:
                    connection.execute(insert(seats), players)
        except StoreError as error:
            if isinstance(error.__cause__, IntegrityError):
                raise StoreError(f"there is a match {entry.id!r} already") from None
            raise

    def put(self, entry: MatchEntry, *, read: int | None = None) -> None:
        """Replace all of a match; StoreError if it is not there.

        `read`: how many bytes its record had, where the entry says what the record does.
        """
        match, players = match_values(entry), seat_values(entry)
        with self._access.writing() as connection:
            # This first: whoever else replaces the same match waits here.
            found = connection.execute(
                update(matches).where(matches.c.id == entry.id).values(**match, read=read)
            )
            if not found.rowcount:
                raise StoreError(f"there is no match {entry.id!r}")
            connection.execute(delete(seats).where(seats.c.match_id == entry.id))
            if players:
                connection.execute(insert(seats), players)

    def remove(self, id: str) -> None:
        """Take a match away, if it is there; its record stays."""
        with self._access.writing() as connection:
            connection.execute(delete(matches).where(matches.c.id == id))

    def find(self, id: str) -> MatchEntry | None:
        """The match of an id, if there is one."""
        with self._access.reading() as connection:
            return next(iter(_entries(connection, select(matches).where(matches.c.id == id))), None)

    def page(self, filter: MatchFilter, number: int = 1, size: int = 50) -> MatchPage:
        """The matches that are wanted, newest first; nothing on a page beyond the last."""
        number, size = max(1, number), min(max(1, size), MOST_ON_A_PAGE)
        wanted = _wanted(filter)
        first = (number - 1) * size
        with self._access.reading() as connection:
            total = connection.scalar(wanted.with_only_columns(func.count(matches.c.id))) or 0
            if first >= total:  # also where the number is larger than those of databases
                return MatchPage((), total, number, size)
            chosen = wanted.order_by(matches.c.created.desc(), matches.c.id.desc()).limit(size).offset(first)
            return MatchPage(tuple(_entries(connection, chosen)), total, number, size)

    def unfinished(self) -> list[MatchEntry]:
        """The matches that are not over, oldest first."""
        wanted = select(matches).where(matches.c.status.in_(UNFINISHED))
        with self._access.reading() as connection:
            return _entries(connection, wanted.order_by(matches.c.created, matches.c.id))

    def over(
        self, game: str = "", games: Collection[str] | None = None, most: int = MOST_OVER
    ) -> list[MatchEntry]:
        """The matches that are over, of a game, of some or of all, oldest first; of very many the newest."""
        wanted = _wanted(MatchFilter(game=game, status="over"))
        if games is not None:
            wanted = wanted.where(matches.c.game.in_(games))
        newest = wanted.order_by(matches.c.created.desc(), matches.c.id.desc()).limit(most)
        with self._access.reading() as connection:
            return _entries(connection, newest)[::-1]

    def mean_steps(self, games: Collection[str]) -> dict[str, float]:
        """How many steps matches of some games had on the average, of those that were played to their ends."""
        wanted = select(matches.c.game, func.avg(matches.c.steps).label("steps"))
        wanted = wanted.where(matches.c.game.in_(games), matches.c.how == "completed")
        with self._access.reading() as connection:
            return {row.game: float(row.steps) for row in connection.execute(wanted.group_by(matches.c.game))}

    def games(self) -> list[str]:
        """The names of the games that were played, or will be, as far as everybody is told."""
        with self._access.reading() as connection:
            names = connection.scalars(select(matches.c.game).where(matches.c.is_listed).distinct()).all()
        return sorted(filter(None, names), key=lambda name: (folded(name), name))

    def players(self) -> list[str]:
        """The names of all who play, as far as everybody is told."""
        listed = select(matches.c.id).where(matches.c.is_listed)
        wanted = select(seats.c.player).where(seats.c.match_id.in_(listed)).distinct()
        with self._access.reading() as connection:
            names = connection.scalars(wanted).all()
        return sorted(filter(None, names), key=lambda name: (folded(name), name))

    def of_games(self, prefix: str) -> list[MatchEntry]:
        """The matches of all games whose names begin so, whoever is told of them, oldest first."""
        wanted = select(matches).where(matches.c.game.startswith(prefix, autoescape=True))
        with self._access.reading() as connection:
            return _entries(connection, wanted.order_by(matches.c.created, matches.c.id))

    def played_games(self, prefix: str) -> set[str]:
        """The names of all games that begin so and have matches, whoever is told of them."""
        wanted = select(matches.c.game).where(matches.c.game.startswith(prefix, autoescape=True)).distinct()
        with self._access.reading() as connection:
            return set(connection.scalars(wanted).all())

    def unlist(self, games: Collection[str]) -> None:
        """Have the matches of some games in no list any more."""
        with self._access.writing() as connection:
            connection.execute(update(matches).where(matches.c.game.in_(games)).values(is_listed=False))

    def counts(self) -> dict[str, int]:
        """How many matches have each status, as far as everybody is told."""
        counted = select(matches.c.status, func.count().label("number")).where(matches.c.is_listed)
        counted = counted.group_by(matches.c.status)
        with self._access.reading() as connection:
            found = {row.status: row.number for row in connection.execute(counted)}
        return {status: found.get(status, 0) for status in STATUSES}

    def known(self) -> list[Known]:
        """All matches, as briefly as can be."""
        columns = select(matches.c.id, matches.c.record, matches.c.status, matches.c.read)
        with self._access.reading() as connection:
            return [Known(*row) for row in connection.execute(columns)]

    def close(self) -> None:
        """Leave the database."""
        self._access.close()


def _wanted(filter: MatchFilter) -> Select[Any]:
    """The matches that a filter lets through."""
    wanted = select(matches) if filter.has_unlisted else select(matches).where(matches.c.is_listed)
    for column, value in (
        (matches.c.game, filter.game),
        (matches.c.status, filter.status),
        (matches.c.how, filter.how),
    ):
        if value:
            wanted = wanted.where(column == value)
    if filter.player:
        playing = select(seats.c.match_id).where(seats.c.folded == folded(filter.player))
        wanted = wanted.where(matches.c.id.in_(playing))
    return wanted


def _entries(connection: Connection, chosen: Select[Any]) -> list[MatchEntry]:
    """The matches that are chosen, in that order, each with its seats."""
    rows = connection.execute(chosen).mappings().all()
    seats_of: defaultdict[str, list[RowMapping]] = defaultdict(list)
    for first in range(0, len(rows), AT_ONCE):
        ids = [row["id"] for row in rows[first : first + AT_ONCE]]
        sitting = select(seats).where(seats.c.match_id.in_(ids)).order_by(seats.c.match_id, seats.c.position)
        for seat in connection.execute(sitting).mappings():
            seats_of[seat["match_id"]].append(seat)
    return [entry_from(row, seats_of[row["id"]]) for row in rows]
