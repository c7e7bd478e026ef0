"""A competition from its beginning, or from where it was left, to its end: in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from gamemaster.arena.checking import Found, check, mistaken
from gamemaster.arena.competition import Competition
from gamemaster.arena.journal import Begun, Journal, begin, resume
from gamemaster.arena.orders import ready_game
from gamemaster.arena.running import Progress, Runner
from gamemaster.arena.workers.here import Here
from gamemaster.arena.workers.processes import Processes
from gamemaster.arena.workers.seam import Workforce
from gamemaster.errors import CompetitionError
from gamemaster.load import load
from gamemaster.machine.game import Game

__all__ = ["Venue", "checked", "hold", "workers_for"]


@dataclass(frozen=True, slots=True)
class Venue:
    """Where matches run: so many at once on this machine, 0 for in this process; or on a cluster at an address."""

    workers: int | None = None
    cluster: str | None = None


def checked(competition: Competition, find: Callable[[str], Game] = load) -> Found:
    """What a competition needs; CompetitionError, with all mistakes, where it cannot be held."""
    found, mistakes = check(competition, find)
    if mistakes:
        raise mistaken(map(str, mistakes))
    return found


def workers_for(venue: Venue) -> Workforce:
    """Those who run matches at a venue; WorkersLost where there is no such cluster."""
    if venue.cluster is not None:
        from gamemaster.arena.workers.cluster import Cluster

        return Cluster(venue.cluster)
    return Here() if venue.workers == 0 else Processes(venue.workers)


def hold(
    competition: Competition | None,
    folder: Path | None,
    venue: Venue,
    *,
    tell: Callable[[Progress], None] = lambda _: None,
    getting_ready: Callable[[str], AbstractContextManager[None]] | None = None,
    found: Found | None = None,
) -> Progress:
    """Play a competition in a folder, or go on with the one that is there if none is given; how it stands at the end.

    Without a folder nothing is kept. `getting_ready` says what is waited for before the first match.
    """
    if competition is None and folder is None:
        raise CompetitionError("no competition, and no folder to go on with")
    if competition is not None:
        found = found or checked(competition)
    with _journal(competition, folder, found) as journal:
        needed = found or checked(journal.competition)
        if competition is None:
            journal.begun.check_texts(needed.texts)
        for name, game in needed.games.items():
            with getting_ready(name) if getting_ready else _silently():
                ready_game(game, list(journal.competition.players.values()))
        workers = workers_for(venue)
        try:
            files = needed.files if venue.cluster is not None else {}
            return Runner(journal, needed.games, workers, files, tell, needed.check_files).run()
        finally:
            workers.close()


@contextmanager
def _silently() -> Iterator[None]:
    yield


@contextmanager
def _journal(competition: Competition | None, folder: Path | None, found: Found | None) -> Iterator[Journal]:
    if competition is None:
        assert folder is not None
        with resume(folder) as journal:
            yield journal
        return
    begun = Begun(competition, found.texts if found else {})
    somewhere = TemporaryDirectory(prefix="gamemaster-") if folder is None else nullcontext(str(folder))
    with somewhere as place, begin(Path(place), begun) as journal:
        yield journal
