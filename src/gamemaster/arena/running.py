"""A competition -> its matches, played wherever workers are, until all is played or the question is answered.

What is played next follows from what has been played, in the order of the plan, so that it does not matter who is
quicker. An outcome is in the journal before anybody hears of it. Trouble of the machine is no outcome: a match whose
worker dies is begun again, and where nothing works any more the competition is left as it is, to be gone on with.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from functools import cached_property

from gamemaster.arena.competition import Competition
from gamemaster.arena.fixtures import Fixture
from gamemaster.arena.journal import Journal
from gamemaster.arena.orders import MatchReport, Rulebook, order_of, play_order
from gamemaster.arena.outcomes import MatchOutcome, share_of, unplayed
from gamemaster.arena.pairings import is_known_at_once, last_word, plan
from gamemaster.arena.sequential import Decision, PairScores, counted
from gamemaster.arena.workers.seam import WorkerDied, Workforce
from gamemaster.errors import GamemasterError, NotInstalled, NotIsolated, WorkersLost
from gamemaster.machine.game import RANDOM, Game
from gamemaster.match.referee import NOT_BEGUN
from gamemaster.match.transports.finding import is_address

__all__ = ["Progress", "Runner"]

MOST_TRIES = 3
"""So often a match is begun whose worker dies, or whose players are busy."""

MOST_FAILURES = 8
"""So many tries in a row may fail, whatever the match, and more where more run at once; then nothing works any more."""

MOST_SKIPPED = 200
"""So many matches are looked at for one whose players are free."""

LOOK_SECONDS = 0.5
"""How long to wait for a match before whoever watches is told the time."""


@dataclass(frozen=True)
class Progress:
    """How far a competition is. `new` are outcomes since it was told last, `before` is how many were there at first."""

    competition: Competition
    fixtures: Sequence[Fixture]
    played: Mapping[int, MatchOutcome]
    roles: Mapping[str, int]
    new: tuple[MatchOutcome, ...]
    before: int
    verdict: Decision | None
    """What the sequential test says by now, where there is one."""

    is_over: bool

    @property
    def planned(self) -> int:
        """How many matches are known of."""
        return len(self.fixtures)

    @cached_property
    def outcomes(self) -> Sequence[MatchOutcome]:
        """Those that count, in the order of the plan."""
        found = [self.played[each.number] for each in self.fixtures if each.number in self.played]
        return found if self.verdict is None else counted(self.verdict, found)

    @property
    def last_word(self) -> str:
        """What a Swiss system or a knock-out says itself of how it went."""
        return last_word(self.competition, self.roles, self.played)


@dataclass
class Runner:
    """Runs a competition: `games` are its games by their names, `files` the texts of players that must travel."""

    journal: Journal
    games: Mapping[str, Game]
    workers: Workforce
    files: Mapping[str, str] = field(default_factory=dict)
    tell: Callable[[Progress], None] = lambda _: None
    """Told whenever a match has ended, and from time to time."""

    check: Callable[[], None] = lambda: None
    """Called before each match: raises where players are not those any more that the competition began with."""

    _running: dict[Future[MatchReport], Fixture] = field(init=False, default_factory=dict)
    _tries: dict[int, int] = field(init=False, default_factory=dict)
    _fixtures: list[Fixture] = field(init=False, default_factory=list)
    _waiting: deque[Fixture] = field(init=False, default_factory=deque)
    _doubtful: list[MatchOutcome] = field(init=False, default_factory=list)
    """Matches that could not be played: they count when another could."""

    _failures: int = field(init=False, default=0)
    _new: list[MatchOutcome] = field(init=False, default_factory=list)
    _scores: PairScores = field(init=False, default_factory=PairScores)
    _heard: int = field(init=False, default=0)
    """How many matches of the plan the test has heard."""

    _verdict: Decision | None = field(init=False, default=None)

    def run(self) -> Progress:
        """Play all that is left; how it stands at the end."""
        self._look_ahead()
        for fixture in self._fixtures:
            self.journal.adopt(fixture)  # what that makes known was never begun
        before = len(self.journal.played)
        self._look_ahead()
        self.journal.check(self._fixtures)
        self._waiting = deque(each for each in self._fixtures if each.number not in self.journal.played)
        self._listen()
        while not self._is_over():
            self._fill()
            self._tell(before)
            self._collect()
            self._listen()
        return self._tell(before, is_over=True)

    @cached_property
    def _roles(self) -> dict[str, int]:
        return {name: sum(role != RANDOM for role in game.roles) for name, game in self.games.items()}

    def _is_over(self) -> bool:
        """Whether nothing is left to play, or nothing need be."""
        if self._verdict is not None and self._verdict.is_decided:
            return True
        if not self._waiting and not self._running:
            self._keep_doubtful()
            self._look_ahead()
        return not self._waiting and not self._running

    def _look_ahead(self) -> None:
        """Find out which matches are known now; only when all that were known have been played there can be more."""
        if self._fixtures and is_known_at_once(self.journal.competition):
            return
        known = len(self._fixtures)
        self._fixtures = plan(self.journal.competition, self._roles, self.journal.played)
        self._waiting.extend(
            each for each in self._fixtures[known:] if each.number not in self.journal.played
        )

    def _fill(self) -> None:
        """Have as many matches under way as there are places; whoever is at an address plays one at a time."""
        busy = {address for fixture in self._running.values() for address in self._addresses(fixture)}
        skipped: list[Fixture] = []
        while self._waiting and len(self._running) < self.workers.places and len(skipped) < MOST_SKIPPED:
            fixture = self._waiting.popleft()
            addresses = self._addresses(fixture)
            if addresses & busy:
                skipped.append(fixture)
            else:
                busy |= addresses
                self._begin(fixture)
        self._waiting.extendleft(reversed(skipped))

    def _addresses(self, fixture: Fixture) -> set[str]:
        players = (self.journal.competition.players[name] for name in fixture.seats)
        return {player for player in players if is_address(player)}

    def _begin(self, fixture: Fixture) -> None:
        self.check()
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
            except (WorkersLost, NotIsolated, NotInstalled):
                raise  # it would be the same with all others
            except (WorkerDied, OSError, MemoryError) as error:
                self._failed(
                    fixture, f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
                )
            except GamemasterError as error:
                self._doubtful.append(unplayed(fixture, str(error)))
            else:
                self._ended(fixture, report)

    def _ended(self, fixture: Fixture, report: MatchReport) -> None:
        if report.outcome.how == NOT_BEGUN and self._tries.get(fixture.number, 0) + 1 < MOST_TRIES:
            self._tries[fixture.number] = self._tries.get(fixture.number, 0) + 1
            self._waiting.append(fixture)  # somebody was busy; there is other work meanwhile
            return
        self._failures = 0
        self._keep_doubtful()
        self._keep(report.outcome, report.record)

    def _failed(self, fixture: Fixture, why: str) -> None:
        """Whoever was at a match could not play it: try again, but not for ever."""
        self._failures += 1
        if self._failures >= MOST_FAILURES + 2 * self.workers.places:
            raise WorkersLost(
                f"no match could be played any more, the last time for: {why}; what was played is kept"
            )
        self._tries[fixture.number] = tries = self._tries.get(fixture.number, 0) + 1
        if tries < MOST_TRIES:
            self._waiting.appendleft(fixture)
        else:
            self._doubtful.append(unplayed(fixture, f"{why} ({tries} tries)"))

    def _keep_doubtful(self) -> None:
        """Others could be played, so it was not the machine's fault that these could not."""
        for outcome in self._doubtful:
            self._keep(outcome)
        self._doubtful.clear()

    def _keep(self, outcome: MatchOutcome, record: bytes = b"") -> None:
        if self.journal.keep(outcome, record):
            self._new.append(outcome)

    def _listen(self) -> None:
        """Let the test hear what has been played in the order of the plan, pair by pair."""
        test, played = self.journal.competition.test, self.journal.played
        if test is None or (self._verdict is not None and self._verdict.is_decided):
            return
        first = self.journal.competition.entrants[0].name
        self._verdict = self._scores.decision(test)
        while not self._verdict.is_decided and self._heard + 1 < len(self._fixtures):
            pair = [played.get(each.number) for each in self._fixtures[self._heard : self._heard + 2]]
            if None in pair:
                return
            self._scores.add(sum(share_of(each, first) for each in pair if each is not None) / 2)
            self._heard += 2
            self._verdict = self._scores.decision(test)

    def _tell(self, before: int, *, is_over: bool = False) -> Progress:
        new, self._new = tuple(self._new), []
        progress = Progress(
            competition=self.journal.competition,
            fixtures=self._fixtures,
            played=self.journal.played,
            roles=self._roles,
            new=new,
            before=before,
            verdict=self._verdict,
            is_over=is_over,
        )
        self.tell(progress)
        return progress
