"""A competition from its beginning, or from where it was left, to its end: in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from gamemaster.arena.checking import Found, check
from gamemaster.arena.competition import Competition
from gamemaster.arena.journal import Journal, begin, resume
from gamemaster.arena.orders import ready_game
from gamemaster.arena.running import Progress, Runner
from gamemaster.arena.workers.here import Here
from gamemaster.arena.workers.processes import Processes
from gamemaster.arena.workers.seam import Workforce
from gamemaster.errors import CompetitionError

__all__ = ["Venue", "checked", "hold", "workers_for"]


@dataclass(frozen=True, slots=True)
class Venue:
    """Where matches run: so many at once on this machine, 0 for in this process; or on a cluster at an address."""

    workers: int | None = None
    cluster: str | None = None


def checked(competition: Competition) -> Found:
    """What a competition needs; CompetitionError, with all mistakes, where it cannot be held."""
    found, mistakes = check(competition)
    if mistakes:
        count = len(mistakes)
        what = f"{count} mistake{'s' if count != 1 else ''}, and nothing was played"
        raise CompetitionError(what, map(str, mistakes))
    return found


def workers_for(place: Venue) -> Workforce:
    """Those who run matches at a place; CompetitionError where there is no such cluster."""
    if place.cluster is not None:
        from gamemaster.arena.workers.cluster import Cluster

        return Cluster(place.cluster)
    return Here() if place.workers == 0 else Processes(place.workers)


def hold(
    competition: Competition | None,
    folder: Path | None,
    place: Venue,
    *,
    tell: Callable[[Progress], None] = lambda _: None,
    getting_ready: Callable[[str], AbstractContextManager[None]] | None = None,
    found: Found | None = None,
) -> Progress:
    """Play a competition in a folder, or go on with the one that is there if none is given; how it stands at the end.

    Without a folder nothing is kept. `getting_ready` says what is waited for before the first match.
    """
    if competition is not None:
        found = found or checked(competition)
    with _journal(competition, folder) as journal:
        needed = found or checked(journal.competition)
        for name, game in needed.games.items():
            with getting_ready(name) if getting_ready else _silently():
                ready_game(game, list(journal.competition.players.values()))
        workers = workers_for(place)
        try:
            files = needed.files if place.cluster is not None else {}
            return Runner(journal, needed.games, workers, files, tell).run()
        finally:
            workers.close()


@contextmanager
def _silently() -> Iterator[None]:
    yield


@contextmanager
def _journal(competition: Competition | None, folder: Path | None) -> Iterator[Journal]:
    if folder is None:
        assert competition is not None
        with TemporaryDirectory(prefix="gamemaster-") as aside, begin(Path(aside), competition) as journal:
            yield journal
    elif competition is None:
        with resume(folder) as journal:
            yield journal
    else:
        with begin(folder, competition) as journal:
            yield journal
