"""What people plan: sets of games, competitions, and the cycle that runs matches by itself.

What a competition has played is in its folder, and only there; its row says what it is, whose, and whether it runs.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

from sqlalchemy import ColumnElement, RowMapping, delete, func, insert, or_, select, update

from gamemaster.errors import TooMuch, UnknownCompetition, UnknownGameSet
from gamemaster.store.access import Access
from gamemaster.store.tables import accounts, competitions, game_sets, run_cycle

__all__ = [
    "CompetitionEntry",
    "CompetitionStatus",
    "Competitions",
    "CycleEntry",
    "CycleSettings",
    "GameSet",
    "GameSets",
    "RunCycle",
]

CompetitionStatus: TypeAlias = Literal["waiting", "running", "paused", "over", "ended"]
"""A competition waits for its turn, runs, is left for a while, is played to its end, or was ended before."""

UNFINISHED: tuple[CompetitionStatus, ...] = ("waiting", "running", "paused")
MOST_SETS, MOST_COMPETITIONS, MOST_UNFINISHED = 50, 100, 5
"""Of one account."""

MOST_WAITING = 50
"""Of all accounts: competitions that wait or run."""

MOST_LISTED = 200
MOST_RECENT = 20
ONE = 1
"""There is one cycle, so its table has one row."""


@dataclass(frozen=True, slots=True)
class GameSet:
    """Games under a name. Those of nobody are the site's own, which everybody sees and an operator changes."""

    id: str
    account_id: str | None
    title: str
    games: tuple[str, ...]
    changed: datetime


class GameSets:
    """The sets of games in a database. Any thread may call it."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def add(self, account_id: str | None, title: str, games: Sequence[str]) -> GameSet:
        """A new set; TooMuch where an account has very many."""
        made = GameSet(secrets.token_hex(6), account_id, title, tuple(games), datetime.now(UTC))
        row = {"id": made.id, "account_id": account_id, "changed": made.changed, **_set_values(title, games)}
        with self._access.writing() as connection:
            counted = select(func.count()).select_from(game_sets).where(_of(account_id))
            if (connection.scalar(counted) or 0) >= MOST_SETS:
                raise TooMuch(f"there are {MOST_SETS} sets already; remove one before you make another")
            connection.execute(insert(game_sets).values(**row))
        return made

    def change(self, id: str, title: str, games: Sequence[str]) -> None:
        """Another name, and other games; UnknownGameSet where there is no such set."""
        values = {**_set_values(title, games), "changed": datetime.now(UTC)}
        with self._access.writing() as connection:
            changed = connection.execute(update(game_sets).where(game_sets.c.id == id).values(**values))
            if not changed.rowcount:
                raise UnknownGameSet(f"there is no game set {id[:40]!r}")

    def remove(self, id: str) -> None:
        """Take a set away, if it is there."""
        with self._access.writing() as connection:
            connection.execute(delete(game_sets).where(game_sets.c.id == id))

    def find(self, id: str) -> GameSet | None:
        """The set of an id, whoever has it."""
        return next(iter(self._all(game_sets.c.id == id)), None)

    def seen_by(self, account_id: str | None) -> list[GameSet]:
        """The site's own and those of an account, in the order of their names."""
        wanted = game_sets.c.account_id.is_(None)
        return self._all(wanted if account_id is None else or_(wanted, game_sets.c.account_id == account_id))

    def _all(self, wanted: ColumnElement[bool]) -> list[GameSet]:
        chosen = select(game_sets).where(wanted).order_by(game_sets.c.title, game_sets.c.id)
        with self._access.reading() as connection:
            rows = connection.execute(chosen).mappings().all()
        return [
            GameSet(
                row["id"], row["account_id"], row["title"], tuple(json.loads(row["games"])), row["changed"]
            )
            for row in rows
        ]


def _of(account_id: str | None) -> ColumnElement[bool]:
    column = game_sets.c.account_id
    return column.is_(None) if account_id is None else column == account_id


def _set_values(title: str, games: Sequence[str]) -> dict[str, str]:
    return {"title": title, "games": json.dumps(list(games))}


# Competitions


@dataclass(frozen=True, slots=True)
class CompetitionEntry:
    """A competition. `plan` is plain data: what it is, and how many sit at each of its games."""

    id: str
    account_id: str
    owner: str
    """The name of whose it is."""

    title: str
    plan: Mapping[str, Any]
    is_public: bool
    status: CompetitionStatus
    trouble: str
    """Why it does not run, where that is nobody's wish."""

    created: datetime
    queued: datetime
    """Since when it waits, or waited: whoever came first is first."""

    ended: datetime | None


class Competitions:
    """The competitions of a database. Any thread may call it."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def add(self, account_id: str, title: str, plan: Mapping[str, Any], *, is_public: bool) -> str:
        """A new one that waits, by its id; TooMuch where an account, or all together, have very many."""
        id, now = secrets.token_hex(8), datetime.now(UTC)
        row = {
            "id": id,
            "account_id": account_id,
            "title": title,
            "plan": json.dumps(plan),
            "is_public": is_public,
            "status": "waiting",
            "trouble": "",
            "created": now,
            "queued": now,
        }
        counted = select(func.count()).select_from(competitions)
        own = counted.where(competitions.c.account_id == account_id)
        with self._access.writing() as connection:
            if (connection.scalar(own.where(competitions.c.status.in_(UNFINISHED))) or 0) >= MOST_UNFINISHED:
                raise TooMuch(
                    f"{MOST_UNFINISHED} competitions of yours are not over; end one before you begin another"
                )
            if (connection.scalar(own) or 0) >= MOST_COMPETITIONS:
                raise TooMuch(
                    f"you have {MOST_COMPETITIONS} competitions; remove one before you begin another"
                )
            waiting = counted.where(competitions.c.status.in_(("waiting", "running")))
            if (connection.scalar(waiting) or 0) >= MOST_WAITING:
                raise TooMuch(f"{MOST_WAITING} competitions are waiting; come again when one is over")
            connection.execute(insert(competitions).values(**row))
        return id

    def set_status(self, id: str, status: CompetitionStatus, *, trouble: str = "", was: str = "") -> bool:
        """Note how it stands, with `was` only where it stood so before; whether there was such a competition."""
        values: dict[str, object] = {"status": status, "trouble": trouble[:1000]}
        if status in ("over", "ended"):
            values["ended"] = datetime.now(UTC)
        if status == "waiting":
            values["queued"] = datetime.now(UTC)
        change = update(competitions).where(competitions.c.id == id)
        change = change.where(competitions.c.status == was) if was else change
        with self._access.writing() as connection:
            return bool(connection.execute(change.values(**values)).rowcount)

    def remove(self, id: str) -> None:
        """Take one away, if it is there; its folder stays."""
        with self._access.writing() as connection:
            connection.execute(delete(competitions).where(competitions.c.id == id))

    def find(self, id: str) -> CompetitionEntry | None:
        """The one of an id, whoever may see it."""
        return next(iter(self._all(competitions.c.id == id)), None)

    def get(self, id: str) -> CompetitionEntry:
        """The same; UnknownCompetition where there is none."""
        found = self.find(id)
        if found is None:
            raise UnknownCompetition(f"there is no competition {id[:40]!r}")
        return found

    def seen_by(self, account_id: str | None, *, has_all: bool = False) -> list[CompetitionEntry]:
        """Those that are for everybody and those of an account, or all of them; the newest first."""
        wanted: ColumnElement[bool] = competitions.c.is_public
        if account_id is not None:
            wanted = or_(wanted, competitions.c.account_id == account_id)
        return self._all(*(() if has_all else (wanted,)), most=MOST_LISTED)

    def of(self, account_id: str) -> list[CompetitionEntry]:
        """All of an account's."""
        return self._all(competitions.c.account_id == account_id)

    def unfinished(self) -> list[CompetitionEntry]:
        """Those that are not over, in the order in which they have their turns."""
        found = self._all(competitions.c.status.in_(UNFINISHED))
        return sorted(found, key=lambda each: (each.status != "running", each.queued, each.id))

    def games(self) -> set[str]:
        """The names of all games that are to be played in those that are not over."""
        return {game for entry in self.unfinished() for game in entry.plan.get("games", ())}

    def _all(self, *wanted: ColumnElement[bool], most: int | None = None) -> list[CompetitionEntry]:
        joined = select(competitions, accounts.c.name.label("owner")).join(accounts).where(*wanted)
        chosen = joined.order_by(competitions.c.created.desc(), competitions.c.id).limit(most)
        with self._access.reading() as connection:
            rows = connection.execute(chosen).mappings().all()
        return [_competition(row) for row in rows]


def _competition(row: RowMapping) -> CompetitionEntry:
    values = {name: value for name, value in row.items() if name != "plan"}
    return CompetitionEntry(**values, plan=json.loads(row["plan"]))


# The cycle


@dataclass(frozen=True, slots=True)
class CycleSettings:
    """What the cycle runs: a set of games, players, clocks in seconds, and how long it waits between matches."""

    games: str = "all"
    players: tuple[str, ...] = ("mcts", "mcs", "greedy", "random")
    start_clock: float = 10.0
    play_clock: float = 5.0
    waiting: float = 60.0


@dataclass(frozen=True, slots=True)
class CycleEntry:
    """The cycle: whether it is on, the match that it runs, and those before, the newest first."""

    is_on: bool = False
    settings: CycleSettings = field(default_factory=CycleSettings)
    match: str = ""
    recent: tuple[str, ...] = ()


class RunCycle:
    """The cycle of a database. Any thread may call it."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def get(self) -> CycleEntry:
        """How it stands."""
        with self._access.reading() as connection:
            row = connection.execute(select(run_cycle).where(run_cycle.c.id == ONE)).mappings().first()
        if row is None:
            return CycleEntry()
        said = json.loads(row["settings"])
        settings = CycleSettings(**{**said, "players": tuple(said["players"])})
        return CycleEntry(row["is_on"], settings, row["match"], tuple(json.loads(row["recent"])))

    def change(
        self,
        *,
        is_on: bool | None = None,
        settings: CycleSettings | None = None,
        match: str | None = None,
    ) -> CycleEntry:
        """Note what is another now; a match that it begins is the newest of the recent ones.

        What is not named is not touched: the page and the cycle itself change it at the same time.
        """
        values: dict[str, object] = {}
        if is_on is not None:
            values["is_on"] = is_on
        if settings is not None:
            values["settings"] = json.dumps(_plain(settings))
        if match is not None:
            values["match"] = match
        if match:
            recent = (match, *(each for each in self.get().recent if each != match))[:MOST_RECENT]
            values["recent"] = json.dumps(recent)
        usual = {"is_on": False, "settings": json.dumps(_plain(CycleSettings())), "match": "", "recent": "[]"}
        with self._access.writing() as connection:
            if not connection.execute(
                update(run_cycle).where(run_cycle.c.id == ONE).values(**values)
            ).rowcount:
                connection.execute(insert(run_cycle).values(**{**usual, **values, "id": ONE}))
        return self.get()


def _plain(settings: CycleSettings) -> dict[str, object]:
    return {
        "games": settings.games,
        "players": list(settings.players),
        "start_clock": settings.start_clock,
        "play_clock": settings.play_clock,
        "waiting": settings.waiting,
    }
