"""Matches of a competition -> rows of the store and records in the folder of all matches: they have pages like others.

The folder of the competition is the truth. A row has an id that follows from it, so that however often this is done a
match is in the store once.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from gamemaster.arena.fixtures import Fixture, record_name
from gamemaster.arena.journal import RECORDS, outcomes_in
from gamemaster.arena.outcomes import UNPLAYED, MatchOutcome
from gamemaster.errors import GamemasterError
from gamemaster.machine.game import RANDOM
from gamemaster.store.entries import MatchEntry, Seat
from gamemaster.store.matches import Store
from gamemaster.web.competing.plans import CompetitionPlan
from gamemaster.web.live.setup import kind_of_seat
from gamemaster.web.shelf import title_of

__all__ = ["Listing", "match_id"]

COMPETITION = "competition"
"""The option of a match that says to which one it belongs."""

log = logging.getLogger("gamemaster.web")


def match_id(competition: str, number: int) -> str:
    """The id of a match of a competition."""
    return f"{competition}-{number}"


@dataclass(frozen=True)
class Listing:
    """Lists the matches of a competition. It reads and writes files: not for the loop."""

    id: str
    plan: CompetitionPlan
    is_public: bool
    folder: Path
    """That of the competition."""

    records: Path
    """Where the records of all matches are."""

    store: Store

    def list_all(self, *, is_over: bool = False) -> None:
        """Have a row for each match that was played, whatever was interrupted before."""
        played = outcomes_in(self.folder)
        self.list_some(list(played.values()), self.plan.fixtures(played), None if is_over else played)

    def list_some(
        self,
        outcomes: Sequence[MatchOutcome],
        fixtures: Sequence[Fixture],
        played: Mapping[int, MatchOutcome] | None,
    ) -> None:
        """The same for some; what cannot be listed now is when the competition is taken up next.

        `played` are all by now, None where no more will be. A record tells what chance did, and those of a meeting who
        swap their seats have the same luck: where there is any, none of them is listed before all were played.
        """
        for outcome in outcomes:
            if outcome.how == UNPLAYED or outcome.number >= len(fixtures):
                continue
            together = self._together(fixtures[outcome.number], fixtures)
            if played is None:
                self._try(outcome, fixtures[outcome.number])
            elif all(each.number in played for each in together):
                for each in together:
                    self._try(played[each.number], each)

    def _together(self, fixture: Fixture, fixtures: Sequence[Fixture]) -> Sequence[Fixture]:
        """The matches that are listed with one: those with the same luck, where a game has any."""
        game = self.plan.games[fixture.game]
        if not game.is_hidden and RANDOM not in game.roles:
            return [fixture]
        return [each for each in fixtures if each.pair == fixture.pair]

    def _try(self, outcome: MatchOutcome, fixture: Fixture) -> None:
        if outcome.how == UNPLAYED:
            return
        try:
            self._list(outcome, fixture)
        except (OSError, GamemasterError) as error:
            log.error("match %s is not listed: %s", match_id(self.id, outcome.number), error)

    def _list(self, outcome: MatchOutcome, fixture: Fixture) -> None:
        name = match_id(self.id, outcome.number)
        known = self.store.find(name)
        if known is not None and known.options.get(COMPETITION) == self.id:
            return
        source, place = self.folder / RECORDS / record_name(outcome.number), self.records / f"{name}.jsonl"
        _link(source, place)
        entry = self._entry(name, outcome, fixture, place)
        if known is None:
            self.store.add(entry, read=place.stat().st_size)
        else:  # made of its record, by a server that was killed before it could say more
            self.store.put(entry, read=place.stat().st_size)

    def _entry(self, name: str, outcome: MatchOutcome, fixture: Fixture, place: Path) -> MatchEntry:
        ended = datetime.fromtimestamp(place.stat().st_mtime, UTC)
        competition, game = self.plan.competition, self.plan.games[outcome.game]
        players = competition.players
        seats = tuple(
            Seat(role, entrant, kind_of_seat(players[entrant]), goal=goal, errors=errors)
            for role, entrant, goal, errors in zip(
                game.roles, outcome.seats, outcome.goals, outcome.errors, strict=True
            )
        )
        return MatchEntry(
            id=name,
            game=outcome.game,
            title=title_of(outcome.game),
            status="over",
            how=outcome.how,
            seats=seats,
            start_clock=competition.start_clock,
            play_clock=competition.play_clock,
            seed=fixture.seed,
            steps=outcome.steps,
            is_hidden=game.is_hidden,
            created=ended - timedelta(seconds=outcome.seconds),
            ended=ended,
            owner="",
            options={COMPETITION: self.id},
            record=place.name,
            is_listed=self.is_public,
        )


def _link(source: Path, place: Path) -> None:
    """Have a record in the folder of all matches: the same file, or a copy where that cannot be."""
    if place.exists():
        return
    try:
        os.link(source, place)
    except FileExistsError:
        return
    except OSError:
        aside = place.with_name(f".{place.name}")
        shutil.copyfile(source, aside)
        os.replace(aside, place)
