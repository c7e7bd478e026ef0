"""A competition -> its matches, played wherever workers are, until all is played or the question is answered.

What is played next follows from what has been played, in the order of the plan, so that it does not matter who is
quicker. An outcome is in the journal before anybody hears of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field

from gamemaster.arena.competition import Competition
from gamemaster.arena.fixtures import Fixture
from gamemaster.arena.journal import Journal
from gamemaster.arena.orders import MatchReport, Rulebook, order_of, play_order
from gamemaster.arena.outcomes import LOST, MatchOutcome
from gamemaster.arena.pairings import is_known_at_once, plan
from gamemaster.arena.sequential import Decision, counted, verdict_of
from gamemaster.arena.workers.seam import WorkerDied, Workforce
from gamemaster.errors import GamemasterError
from gamemaster.machine.game import RANDOM, Game

__all__ = ["Progress", "Runner"]

MOST_TRIES = 3
"""So often a match is begun whose worker dies; then it is lost."""

LOOK_SECONDS = 0.5
"""How long to wait for a match before whoever watches is told the time."""


@dataclass(frozen=True)
class Progress:
    """How far a competition is: what it is, what counts of what was played, and how many matches are known of."""

    competition: Competition
    outcomes: tuple[MatchOutcome, ...]
    """Those that count, in the order of the plan."""

    planned: int
    running: int
    verdict: Decision | None
    """What the sequential test says by now, where there is one."""

    is_over: bool


@dataclass
class Runner:
    """Runs a competition: `games` are its games by their names, `files` the texts of players that must travel."""

    journal: Journal
    games: Mapping[str, Game]
    workers: Workforce
    files: Mapping[str, str] = field(default_factory=dict)
    tell: Callable[[Progress], None] = lambda _: None
    """Told whenever a match has ended, and from time to time."""

    _running: dict[Future[MatchReport], Fixture] = field(default_factory=dict)
    _tries: dict[int, int] = field(default_factory=dict)
    _known: list[Fixture] | None = None

    def run(self) -> Progress:
        """Play all that is left; how it stands at the end."""
        for fixture in self._plan():
            self.journal.adopt(fixture)
        while not (progress := self._fill()).is_over:
            self.tell(progress)
            self._collect()
        self.tell(progress)
        return progress

    def _plan(self) -> list[Fixture]:
        if self._known is None or not is_known_at_once(self.journal.competition):
            roles = {name: sum(role != RANDOM for role in game.roles) for name, game in self.games.items()}
            self._known = plan(self.journal.competition, roles, self.journal.played)
        return self._known

    def _fill(self) -> Progress:
        """Have as many matches under way as there are places, if more are to be played."""
        fixtures, played = self._plan(), self.journal.played
        verdict = self._verdict(fixtures)
        under_way = {fixture.number for fixture in self._running.values()}
        waiting = [each for each in fixtures if each.number not in played and each.number not in under_way]
        if verdict is not None and verdict.is_decided:
            waiting, under_way = [], set()
        for fixture in waiting[: self.workers.places - len(under_way)]:
            self._begin(fixture)
        is_over = not waiting and not under_way
        return self._progress(fixtures, verdict, is_over=is_over)

    def _begin(self, fixture: Fixture) -> None:
        rules = Rulebook.of(fixture.game, self.games[fixture.game])
        order = order_of(fixture, self.journal.competition, rules, self.files)
        self._running[self.workers.submit(play_order, order)] = fixture

    def _collect(self) -> None:
        """Take in what has ended; wait for something, but not for long."""
        done, _ = wait(self._running, LOOK_SECONDS, FIRST_COMPLETED)
        for future in sorted(done, key=lambda each: self._running[each].number):
            fixture = self._running.pop(future)
            try:
                report = future.result()
            except (WorkerDied, GamemasterError, OSError, MemoryError) as error:
                self._failed(fixture, error)
            else:
                self.journal.keep(report.outcome, report.record)

    def _failed(self, fixture: Fixture, error: Exception) -> None:
        """Whoever was at a match could not play it: try again, but not for ever."""
        self._tries[fixture.number] = tries = self._tries.get(fixture.number, 0) + 1
        if tries >= MOST_TRIES or not isinstance(error, WorkerDied):
            empty = len(fixture.seats)
            self.journal.keep(
                MatchOutcome(
                    fixture.number,
                    fixture.pair,
                    fixture.round,
                    fixture.game,
                    fixture.seats,
                    LOST,
                    (None,) * empty,
                    (0,) * empty,
                    0,
                    0.0,
                    f"{error} ({tries} tries)" if tries > 1 else str(error),
                )
            )

    def _verdict(self, fixtures: list[Fixture]) -> Decision | None:
        test = self.journal.competition.test
        return None if test is None else verdict_of(test, self._in_order(fixtures))

    def _in_order(self, fixtures: list[Fixture]) -> list[MatchOutcome]:
        """What has been played, in the order of the plan, up to the first match that has not: a test hears no more."""
        found = []
        for fixture in fixtures:
            if fixture.number not in self.journal.played:
                break
            found.append(self.journal.played[fixture.number])
        return found

    def _progress(self, fixtures: list[Fixture], verdict: Decision | None, *, is_over: bool) -> Progress:
        played = self.journal.played
        outcomes = [played[each.number] for each in fixtures if each.number in played]
        if verdict is not None:
            outcomes = counted(verdict, outcomes)
        return Progress(
            self.journal.competition, tuple(outcomes), len(fixtures), len(self._running), verdict, is_over
        )
