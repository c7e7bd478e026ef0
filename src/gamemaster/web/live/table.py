"""One match that is held here: its manager, the people at it, its record, and what everybody is told of it.

    arranged -> queued (for room) -> starting -> playing -> over
                                                    |  ^
                                                    v  |
                                                 interrupted

Everything happens on the loop of the server. The record is written before anybody is told.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from gamemaster.errors import Forbidden, GamemasterError, IllegalMove, StoreError
from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, Game
from gamemaster.machine.moves import moves_meant
from gamemaster.match import events
from gamemaster.match.manager import Manager
from gamemaster.match.records.record import Record, RecordWriter, cut_record, read_record
from gamemaster.match.records.transcript import Scribe
from gamemaster.match.referee import INTERRUPTED
from gamemaster.match.request import Request
from gamemaster.match.scores import final_scores
from gamemaster.match.settings import Past, Settings
from gamemaster.match.transports.person import Person
from gamemaster.match.transports.transport import Transport
from gamemaster.store.entries import MatchEntry, Seat
from gamemaster.web.jobs import shelf_game
from gamemaster.web.live.audience import Audience
from gamemaster.web.live.files import make_sure, recorded
from gamemaster.web.live.machines import MACHINES, grace_for, machine_line, seconds_of
from gamemaster.web.live.seats import Seating, with_key
from gamemaster.web.roster.specs import LineSpec
from gamemaster.web.work import ASKER

if TYPE_CHECKING:
    from gamemaster.web.live.hall import Hall

__all__ = ["LiveMatch", "MatchPhase"]

MatchPhase = Literal["arranged", "queued", "starting", "playing", "interrupted", "over"]

TRIES, LEAVING_SECONDS = 3, 20.0
"""How often a match is told to end, and how long it has each time."""

log = logging.getLogger("gamemaster.web")


@dataclass
class AskedPerson:
    """A person is asked for a move."""

    step: int
    answer: asyncio.Future[Term]


class LiveMatch(Seating):
    """A match."""

    def __init__(self, hall: Hall, entry: MatchEntry) -> None:
        super().__init__(entry, hall.invitation)
        self.hall = hall
        self.phase: MatchPhase = "arranged"
        self.game: Game | None = None
        self.manager: Manager | None = None
        self.before = 0
        """How many matches are before this one, where it waits for room."""

        self.heard: list[events.Event] = []
        self.states: list[events.Reached] = []
        """All that has happened, and the states among it."""

        self.resigned = ""
        self.scores: Mapping[str, int | None] = {}
        """What each role has, once it is over."""

        self.chosen: dict[str, str] = {}
        """What people have chosen in this step, while others have not yet."""

        self.rematch = ""
        """The id of the match that follows this one, if people wanted one."""

        self.trouble = ""
        """Why it is not being played, where something went wrong."""

        self.asker = ASKER.get()
        """Who wanted it, or took it up again: there is not room for all matches of one address."""

        self.used = time.monotonic()
        """When somebody last did something here."""

        self.specs: dict[str, LineSpec] = {}
        """How the machines are reached, found anew each time that it begins."""

        self._questions: dict[str, AskedPerson] = {}
        self._scribe = Scribe(None, is_short=True)
        self._said: dict[int, str] = {}
        """The line of each message."""

        self.is_indexed = True
        """Whether the store knows of it what is to be known."""

        self._task: asyncio.Task[None] | None = None
        self.audience = Audience(self)
        self.changing = asyncio.Lock()
        """Held by whoever has the match begin, end, go back or be put away."""

        self._writing = asyncio.Lock()

    # How it stands

    @property
    def id(self) -> str:
        """Its id, which stands in addresses."""
        return self.entry.id

    @property
    def path(self) -> Path:
        """Where its record is."""
        return self.hall.settings.records / self.entry.record

    @property
    def is_over(self) -> bool:
        """Whether nothing follows any more."""
        return self.phase == "over"

    @property
    def is_running(self) -> bool:
        """Whether it is under way, or waits to be."""
        return self.phase in ("queued", "starting", "playing")

    @property
    def is_paused(self) -> bool:
        """Whether its clock stands still."""
        return self.phase == "playing" and self.manager is not None and self.manager.referee.is_paused

    @property
    def is_ending(self) -> bool:
        """Whether its players are being told that it is over."""
        return self.manager is not None and self.manager.referee.phase == "stopping"

    @property
    def is_managed(self) -> bool:
        """Whether somebody manages it, rather than that people sit down and play."""
        return bool(self.entry.options.get("is_managed"))

    @property
    def can_take_back(self) -> bool:
        """Whether people may take moves back."""
        return bool(self.entry.options.get("can_take_back")) and not self.entry.is_hidden

    @property
    def can_hint(self) -> bool:
        """Whether people may ask for a hint."""
        return bool(self.entry.options.get("can_hint")) and not self.entry.is_hidden

    @property
    def has_readers(self) -> bool:
        """Whether somebody watches."""
        return self.audience.is_there

    @property
    def asked(self) -> frozenset[str]:
        """The roles whose people are asked for a move."""
        return frozenset(self._questions)

    @property
    def awaited(self) -> frozenset[str]:
        """The roles from which a move is awaited."""
        if self.manager is None or self.phase != "playing" or self.manager.referee.phase != "playing":
            return frozenset()
        state = self.manager.referee.state
        return frozenset(role for role in state.choosers or state.movers if role != RANDOM)

    @property
    def errors(self) -> Mapping[str, int]:
        """How many errors each player has made."""
        if self.manager is not None:
            return self.manager.referee.errors
        return {seat.role: seat.errors for seat in self.entry.seats}

    @property
    def step(self) -> int:
        """How many steps were made."""
        return self.states[-1].step if self.states else 0

    # What people do

    async def sit_down(self, token: str, key: str) -> None:
        """Take the seat that a link is for; when the last one is taken the match begins."""
        role = next((r for r in self.empty_seats if token == self.invitation(self.entry.id, r)), None)
        if role is None:
            raise Forbidden("this seat is taken, or there is none: the link works once")
        await self._put(replace(self.entry, seats=with_key(self.entry.seats, role, key)))
        self.audience.tell_anew()
        if not self.empty_seats and not self.is_managed and self.phase == "arranged":
            self.begin()
        self.audience.tell()

    def move(self, role: str, text: str, step: int) -> None:
        """Make a move for a person; IllegalMove where it is none, Forbidden where nobody is asked."""
        question = self._questions.get(role)
        if question is None or question.answer.done() or self.manager is None:
            raise Forbidden(f"{role} is not to move now")
        state = self.manager.referee.state
        if step != question.step:
            raise Forbidden(f"that was a move for step {step + 1}; this is step {question.step + 1}")
        legal = state.legal_moves(role)
        found = [move for move in legal if str(move) == text] or moves_meant(text[:400], legal)
        if len(found) != 1:
            raise IllegalMove(text, role, state.step, legal)
        question.answer.set_result(found[0])
        self.chosen[role] = str(found[0])
        self.audience.tell()

    def begin(self) -> None:
        """Begin, or go on; whoever calls it holds `changing`, or is the only one who knows the match."""
        if self.is_running:
            return
        if self.is_over:
            raise Forbidden("this match is over")
        if self.empty_seats:
            raise Forbidden(f"somebody has to sit down first, to play {', '.join(self.empty_seats)}")
        self.hall.check_room(self.asker)
        self.phase, self.trouble = "queued", ""
        self._task = asyncio.create_task(self._run())
        self.audience.tell()

    def pause(self) -> None:
        """Stop the clock."""
        self._at_it().pause()

    def resume(self) -> None:
        """Let the clock go on."""
        self._at_it().resume()

    async def end(self) -> None:
        """End it where it is."""
        if self.phase == "playing":
            self._at_it().end()
        else:
            await self.abort()

    async def abort(self) -> None:
        """Give it up; how it came out stays once it is over."""
        if self.is_over:
            raise Forbidden("this match is over")
        if self.phase == "playing":
            self._at_it().abort()
        else:
            await self._leave()
            await self._over("aborted")

    def resign(self, role: str) -> None:
        """Give up for a role."""
        self._at_it().resign(role)

    def _at_it(self) -> Manager:
        if self.phase != "playing" or self.manager is None:
            raise Forbidden("this match is not being played")
        return self.manager

    async def take_back(self, roles: tuple[str, ...]) -> None:
        """Go back to the last choice of a person, as if nothing had been played since."""
        if not self.can_take_back or self.phase != "playing" or self.game is None:
            raise Forbidden("nothing can be taken back here")
        step = await asyncio.to_thread(self._last_choice, roles)
        if step is None:
            raise Forbidden("there is nothing to take back")
        await self._leave()
        await asyncio.to_thread(cut_record, self.path, step)
        self._hear_again(await asyncio.to_thread(read_record, self.path))
        self.phase = "interrupted"
        self.audience.tell_anew()
        self.begin()

    def _last_choice(self, roles: tuple[str, ...]) -> int | None:
        """The last step, before this one, in which one of the roles had a choice."""
        game, chosen = self.game, None
        assert game is not None
        now = self.step
        for event in self.states:
            if event.step < now:
                state = game.state(event.facts, event.step)
                chosen = event.step if any(len(state.legal_moves(role)) > 1 for role in roles) else chosen
        return chosen

    # Running

    async def _run(self) -> None:
        """Wait for room, get ready, and play to the end."""
        try:
            self.specs = await self.hall.roster.seated(self.entry)
            processes = sum(spec.takes_room for spec in self.specs.values())
            async with self.hall.room.places(processes, self._wait, self.asker):
                self.phase = "starting"
                self.audience.tell()
                self.game = await asyncio.to_thread(shelf_game, self.entry.game)
                await self._play()
        except asyncio.CancelledError:
            if not self.is_over:
                self.phase = "interrupted"
            raise
        except Exception as error:
            self._fail(error)
        finally:
            self._questions.clear()
            self.manager = None
        if self.phase == "interrupted":
            await self._note_down(replace(self.entry, status="interrupted", steps=self.step))
        self.audience.tell()

    def _wait(self, before: int) -> None:
        self.before = before
        self.audience.tell()

    def _fail(self, error: Exception) -> None:
        """What nobody expects to go wrong leaves a match that can be gone on with."""
        if not isinstance(error, GamemasterError):
            log.error("match %s", self.id, exc_info=error)
        self.trouble = (
            str(error) if isinstance(error, GamemasterError) else "something went wrong; it is noted"
        )
        self.phase = "interrupted" if self.path.exists() else "arranged"

    async def _play(self) -> None:
        assert self.game is not None
        past = await self._past()
        lines = {seat.role: self.line_to(seat) for seat in self.entry.seats}
        with RecordWriter(self.path, is_resumed=past is not None, is_durable=False) as writer:
            self.manager = Manager(
                self.game,
                lines,
                self._settings(),
                listeners=[writer.write, self._hear],
                past=past,
                pace=seconds_of(self.entry, "pace"),
            )
            await self._note_down(replace(self.entry, status="running"))
            referee = await self.manager.conduct()
        await asyncio.to_thread(make_sure, self.path)
        if referee.how == INTERRUPTED:
            self.phase, self.trouble = "interrupted", "a player plays another match"
        else:
            await self._over(referee.how)

    async def _past(self) -> Past | None:
        """From where the match goes on; None where nothing was played yet."""
        record = await asyncio.to_thread(recorded, self.path)
        if record is None:
            return None
        self._hear_again(record)
        return record.past()

    def _settings(self) -> Settings:
        entry = self.entry
        think = seconds_of(entry, "think")
        guests = [seat.role for seat in entry.seats if seat.kind in MACHINES] if think else []
        began = next((event for event in self.heard if isinstance(event, events.Started)), None)
        return Settings(
            entry.start_clock,
            entry.play_clock,
            seed=entry.seed,
            match=entry.id,
            game=entry.game,
            clocks=dict.fromkeys(guests, min(think, entry.play_clock)),
            grace=began.grace if began is not None else grace_for(entry),  # as its record says
        )

    def line_to(self, seat: Seat) -> Transport:
        """A line to whoever plays."""
        if seat.kind == "socket":
            return self.at_sockets[seat.role].transport()
        if seat.kind == "person":
            return Person(seat.role, self._ask)
        return machine_line(self.entry, seat, self.specs[seat.role])

    async def _ask(self, request: Request) -> Term | None:
        """The move of a person; one who has no choice is not asked while others have one.

        Where the state is hidden such a one is never asked: whether others have a choice is not for them to know.
        """
        assert self.manager is not None
        state, role = self.manager.referee.state, request.role
        legal = state.legal_moves(role)
        if not legal:
            return None
        if len(legal) == 1 and (state.game.has_percepts or role != state.chooser):
            return legal[0]
        question = AskedPerson(state.step, asyncio.get_running_loop().create_future())
        self._questions[role] = question
        self.audience.tell()
        try:
            return await question.answer
        finally:
            if self._questions.get(role) is question:
                del self._questions[role]

    async def _over(self, how: str) -> None:
        """Write down how it ended."""
        self.scores = final_scores(self.heard, self.roles)
        errors = self.errors
        seats = tuple(
            replace(seat, goal=self.scores.get(seat.role), errors=errors.get(seat.role, 0))
            for seat in self.entry.seats
        )
        self.phase = "over"
        changed = replace(
            self.entry, status="over", how=how, seats=seats, steps=self.step, ended=datetime.now(UTC)
        )
        await self._note_down(changed)
        self.audience.tell_anew()

    async def _leave(self) -> None:
        """Have nothing run any more; the record stays as it is."""
        for _ in range(TRIES):
            if self._task is None or self._task.done():
                break
            self._task.cancel()
            await asyncio.wait([self._task], timeout=LEAVING_SECONDS)
        self._task = None
        if self.is_running:
            self.phase = "interrupted" if self.path.exists() else "arranged"

    async def put_away(self) -> None:
        """Leave the match as it is: it can be gone on with."""
        await self._leave()
        self.audience.leave()
        if not self.is_over:
            is_begun = self.path.exists()
            await self._note_down(
                replace(self.entry, status="interrupted" if is_begun else "arranged", steps=self.step)
            )
        elif not self.is_indexed:
            await self._note_down(self.entry)
        for seat in self.at_sockets.values():
            seat.close()

    async def _put(self, entry: MatchEntry) -> None:
        """Have the store know it; one change after the other, the newest last."""
        self.entry = entry
        async with self._writing:
            await asyncio.to_thread(self.hall.store.put, self.entry)

    async def _note_down(self, entry: MatchEntry) -> None:
        """The same for what the record says anyway: a database that fails does not end a match."""
        self.is_indexed = False
        try:
            await self._put(entry)
            self.is_indexed = True
        except StoreError as error:
            log.error("match %s is not indexed: %s", self.id, error)

    # Hearing and telling

    def revive(self, record: Record | None) -> None:
        """Take up a match that was left: what its record says has been heard."""
        if record is not None:
            self._hear_again(record)
            self.phase = "interrupted"

    def _hear_again(self, record: Record) -> None:
        self.heard, self.states, self._said, self._scribe = [], [], {}, Scribe(None, is_short=True)
        self.audience.forget()
        for event in record.events:
            self._note(event)

    def _hear(self, event: events.Event) -> None:
        """Something happened: the record has it already."""
        self._note(event)
        if self.manager is not None and self.manager.referee.phase == "playing":
            self.phase = "playing"
        self.used = time.monotonic()
        self.audience.hear(event)

    def _note(self, event: events.Event) -> None:
        self.heard.append(event)
        if (line := self._scribe.hear(event)) is not None:
            self._said[id(event)] = line
        if isinstance(event, events.Reached):
            self.states.append(event)
            self.chosen.clear()
        elif isinstance(event, events.Resigned):
            self.resigned = event.role

    def transcribed(self, event: events.Message) -> str:
        """A message as the transcript has it."""
        return self._said[id(event)]
