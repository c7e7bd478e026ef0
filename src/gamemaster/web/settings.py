"""How a site is run: where it keeps what, and how much it lets people have at once."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from gamemaster.errors import ParameterError
from gamemaster.store.opening import data_folder, database_url

__all__ = ["SiteSettings", "settings_for"]

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class SiteSettings:
    """All that an operator can say."""

    folder: Path
    """Records of matches are here; and the database, where it is a file."""

    database: str
    """The address of the database, as SQLAlchemy writes it."""

    most_matches: int = 200
    """Matches that are held at once; others have to wait until one is over."""

    most_players: int = max(8, 4 * CORES)
    """Processes of players at once; a match whose players find no room waits, and people are told."""

    most_thinking: int = max(1, CORES)
    """Searches, statistics and checks at once."""

    most_waiting: int = 32
    """How many of those may wait; more are turned away."""

    most_sockets: int = 2_000
    most_sockets_each: int = 400
    """Connections that watch, and how many of them from one address."""

    requests_each: float = 100.0
    burst: int = 400
    """Requests a second from one address, and how many at once before that counts."""

    hosts: frozenset[str] = field(default_factory=frozenset)
    """Hosts besides this machine at which players may be asked; `*` is any."""

    allows_uploads: bool = False
    """Whether people may upload players, which run here, each in a process behind walls."""

    names: frozenset[str] = field(default_factory=frozenset)
    """Names by which people know this server, beside localhost and addresses in numbers."""

    idle_seconds: float = 30 * 60.0
    """A match in which nobody does anything for so long is put away; it can be gone on with."""

    makes_code: bool = field(default_factory=lambda: not os.environ.get("GAMEMASTER_NO_READYING"))
    """Whether machine code for searches is made in the background from the first second."""

    starts_workers: bool = field(default_factory=lambda: not os.environ.get("GAMEMASTER_LATE_WORKERS"))
    """Whether the processes for heavy work are there when the first visitor comes, rather than when they are needed."""

    @property
    def records(self) -> Path:
        """Where records are."""
        return self.folder / "matches"

    @property
    def shelves(self) -> tuple[Path, Path]:
        """Where games are that people brought: those that are kept, and drafts."""
        return self.folder / "games", self.folder / "drafts"


def settings_for(where: str = "", records: str = "", **others: object) -> SiteSettings:
    """The settings for a folder, or for the address of a database; records are in the folder, or in another."""
    folder = Path(records).absolute() if records else data_folder()
    database = where
    if "://" not in where:
        database = database_url(Path(where).absolute() if where else data_folder())
        folder = folder if records or not where else Path(where).absolute()
    try:
        (folder / "matches").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ParameterError(f"no data can be kept in {str(folder)!r}: {error.strerror}") from None
    return SiteSettings(folder, database, **others)  # type: ignore[arg-type]  # named by whoever calls
