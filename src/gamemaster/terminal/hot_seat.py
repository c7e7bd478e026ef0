"""A match at one keyboard: people first, one after the other, then the players that were invited.

It is a match as any other, without clocks and kept in no file: the referee judges, makes moves for those who make none,
and tells everybody. Roles without a choice, roles that nobody plays and chance move by themselves. To take a choice
back, the match is left, and goes on from its past up to there.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from textwrap import fill

from gamemaster.draw.ending import end_in_words
from gamemaster.draw.reasons import pointed_out
from gamemaster.errors import GamemasterError, LimitExceeded
from gamemaster.language.terms import Term
from gamemaster.machine.game import MAX_LENGTH, RANDOM, Game, State, dead_end
from gamemaster.match import events
from gamemaster.match.manager import Manager
from gamemaster.match.referee import STUCK, Referee
from gamemaster.match.request import Request
from gamemaster.match.settings import Past, Settings
from gamemaster.match.transports.at_table import AtTable
from gamemaster.match.transports.person import Person
from gamemaster.terminal.boards import show_state
from gamemaster.terminal.guests import Guest
from gamemaster.terminal.keyboard import Quit
from gamemaster.terminal.leaving import interrupts_told
from gamemaster.terminal.parted import Unsaid
from gamemaster.terminal.people import Again, People, Undo
from gamemaster.terminal.progress import thinking
from gamemaster.terminal.report import report_text
from gamemaster.terminal.screen import width

__all__ = ["HotSeat"]

OVER = "over time (Ctrl-C: a random move)"


class _Back(Exception):
    """The match goes on from an earlier state."""


class _GuestLine(AtTable):
    """The line to a guest; where its code failed is told when there is no bar."""

    trace = ""

    def tell_trace(self, trace: str) -> None:
        """Keep it."""
        self.trace = trace.rstrip()


@dataclass
class HotSeat:
    """A match at one keyboard. Roles that neither people nor guests play move at random."""

    game: Game
    people: People
    generator: random.Random
    guests: Mapping[str, Guest]
    aim: str = ""
    """What the game is about, in words, where anybody has said so."""

    title: str = ""
    """What it is called, where that is not its name."""

    prints: Unsaid | None = None
    """What guests print, where it is kept from the screen: the state is hidden."""

    choices: list[State] = field(default_factory=list)
    """The states in which somebody had a choice, for taking it back."""

    past: list[tuple[Mapping[str, str], State]] = field(default_factory=list)
    """The joint moves so far, and the states that they led to."""

    asked: Sequence[str] = ()
    moves: dict[str, Term] = field(default_factory=dict)
    chosen_in: State | None = None
    """Who was asked last, the moves of all but the guests, and the state for which they were chosen."""

    alone: int = 0
    """How many steps went by without a choice for anybody."""

    made: Mapping[str, str] = field(default_factory=dict)
    """The last joint move."""

    untold: list[str] = field(default_factory=list)
    """Where the code of guests failed, which may tell what they hold: told at the end where the state is hidden."""

    faults: Counter[str] = field(default_factory=Counter)
    """What was wrong with answers, and how often, which tells who had a choice: told at the end in the same way."""

    leaving: BaseException | None = None
    """Why the match is left before its end."""

    guest_lines: dict[str, _GuestLine] = field(init=False)
    """The lines to the guests by role."""

    manager: Manager = field(init=False)
    match: asyncio.Task[Referee] | None = field(default=None, init=False)
    is_at_keyboard: bool = field(default=False, init=False)
    """Whether somebody is asked, or told something: an interrupt is raised there, and nowhere else in the loop."""

    thinker: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by the guest that thinks: one at a time."""

    def play(self) -> None:
        """Play to the end, or until the lines end."""
        print(f"{self.title or self.game.name}: {', '.join(self.game.roles)}")
        print(fill(self.aim, width()), end="\n" * bool(self.aim))
        self.people.look(self.generator)
        self.guest_lines = {
            role: _GuestLine(guest.player, guest.name, guest.seconds, partial(self._turn, guest))
            for role, guest in self.guests.items()
        }
        with interrupts_told(self._interrupt), asyncio.Runner() as runner:
            self._conduct(runner.get_loop())
            while isinstance(self.leaving, _Back):
                self.leaving = None
                self._conduct(runner.get_loop())
        if self._state.is_over:
            self._tell_prints()
        self._raise_trouble()

    def _conduct(self, loop: asyncio.AbstractEventLoop) -> None:
        """Run the match to its end, or until somebody leaves it. Whoever is asked at the keyboard holds up the loop."""
        self.chosen_in = None
        moves, states = [moves for moves, _ in self.past], [state for _, state in self.past]
        roles = [role for role in self.game.roles if role != RANDOM]
        self.manager = Manager(
            self.game,
            {role: self.guest_lines.get(role) or Person(role, self._answer) for role in roles},
            Settings(math.inf, math.inf),
            listeners=[self._show],
            past=Past(moves, has_state=True, states=states) if moves else None,
            draw=self._draw,
        )
        self.match = loop.create_task(self.manager.conduct())
        if self.leaving is not None:
            self.match.cancel()
        with suppress(asyncio.CancelledError):
            loop.run_until_complete(self.match)

    def _raise_trouble(self) -> None:
        """The error for which the match did not come to its end, if that is so."""
        referee = self.manager.referee
        error = self.leaving or referee.trouble
        if error is not None and not isinstance(error, Quit):
            raise error
        if error is None and referee.how == STUCK:
            raise dead_end(referee.state)

    # Leaving

    def _leave(self, error: BaseException) -> None:
        self.leaving = error
        if self.match is not None:
            self.match.cancel()

    def _interrupt(self) -> None:
        """Ctrl-C: whoever sits at the keyboard hears it; a guest that is over time loses its turn; else all leave."""
        if self.is_at_keyboard:
            raise KeyboardInterrupt
        if not any(line.lose_patience() for line in self.guest_lines.values()):
            self._leave(KeyboardInterrupt())
        if self.match is not None:
            self.match.get_loop().call_soon_threadsafe(lambda: None)  # what was set is looked at now

    @contextmanager
    def _left_on_error(self) -> Iterator[None]:
        """Whatever goes wrong at the keyboard, or is wanted there, ends the match, but not within the loop."""
        try:
            try:
                self.is_at_keyboard = True
                yield
            finally:
                self.is_at_keyboard = False
        except (Exception, KeyboardInterrupt) as error:
            self._leave(error)
            print("Stopped.\n" * isinstance(error, Quit), end="")

    def _take_back(self) -> None:
        """Go back to the choice before this one, if that can be."""
        stubborn = [line.name for line in self.guest_lines.values() if not line.can_go_back]
        if self.people.sights:
            print("Nothing can be taken back where the state is hidden: what is seen is seen.")
        elif stubborn:
            print(f"{stubborn[0]} cannot take moves back.")
        elif not self.choices:
            print("There is nothing to take back.")
        else:
            del self.past[self.choices.pop().step :]
            for line in self.guest_lines.values():
                line.is_kept = True
            raise _Back

    # Choosing

    async def _answer(self, request: Request) -> Term | None:
        """The move of a role that no guest plays."""
        self._choose()
        return self.moves.get(request.role)

    def _draw(self, role: str) -> Term:
        """The move of chance, or one for a guest that made none."""
        try:
            self._choose()
        except asyncio.CancelledError:
            raise GamemasterError("nobody plays on") from None
        return self.moves.get(role) or self.generator.choice(self._state.legal_moves(role))

    @property
    def _state(self) -> State:
        return self.manager.referee.state

    def _choose(self) -> None:
        """Have everybody choose who comes before the guests, unless they have; CancelledError where that ends it."""
        state = self._state
        if self.leaving is None and self.chosen_in is not state:
            with self._left_on_error():
                self.moves = self._chosen(state)
                self.chosen_in = state
        if self.leaving is not None:
            raise asyncio.CancelledError

    def _chosen(self, state: State) -> dict[str, Term]:
        """The moves of people, and of those who move by themselves."""
        while True:
            self.asked = self.people.asked(state)
            self.alone = 0 if self.asked else self.alone + 1
            if self.alone > MAX_LENGTH:
                raise LimitExceeded("length", f"{MAX_LENGTH:,} steps", doing="without a choice for anybody")
            moves = self._automatic(state)
            try:
                moves |= self.people.choose(state, self.asked)
            except Again:
                self.people.before = state
            except Undo:
                self.people.before = None
                self._take_back()
            else:
                self.choices += [state] if self.asked else []
                return moves

    def _automatic(self, state: State) -> dict[str, Term]:
        """The moves of those who are not asked: the only one, or any."""
        others = {*self.asked, *self.guests}
        roles = [role for role in self.game.roles if role not in others and state.legal_moves(role)]
        return {role: self.generator.choice(state.legal_moves(role)) for role in roles}

    @asynccontextmanager
    async def _turn(self, guest: Guest, line: AtTable) -> AsyncIterator[bool]:
        """The time in which a guest thinks, behind a bar."""
        self._choose()
        async with self.thinker:
            legal, began = self._state.legal_moves(guest.role), time.monotonic()
            is_shown = len(legal) > 1 or bool(self.people.sights)  # who has no choice tells what it holds
            with thinking(guest.short, guest.seconds, is_shown=is_shown, over=OVER):
                yield bool(legal)
            with self._left_on_error():
                self._tell_of_turn(guest, line, time.monotonic() - began)

    # Telling

    def _tell_of_turn(self, guest: Guest, line: AtTable, took: float) -> None:
        """Say where the code of a guest failed, and that it took longer than it may."""
        trace, self.guest_lines[guest.role].trace = self.guest_lines[guest.role].trace, ""
        if trace and self.people.sights:
            self.untold.append(trace)
        elif trace:
            report_text(trace)
        if took > guest.seconds and not line.is_given_up:
            late = took - guest.seconds
            self._tell_or_keep(
                f"{guest.name} thinks {late:.1f} s longer than the {guest.seconds:g} s it has."
            )

    def _show(self, event: events.Event) -> None:
        """Say what happens in the match."""
        match event:
            case events.Fault() if event.role in self.guests:
                self._tell_of_fault(event)
            case events.Moved():
                self._tell(event)
            case events.Reached():
                if event.step:
                    self.past.append((self.made, self._state))
                if event.is_terminal:
                    self._show_end(self._state)

    def _tell_of_fault(self, fault: events.Fault) -> None:
        guest = self.guests[fault.role]
        if self.manager.referee.phase == "playing":
            self._tell_or_keep(guest.told_of(fault, self._state.legal_moves(fault.role)))
        elif fault.kind != "late":
            print(f"{guest.name} fails: {fault.detail}")

    def _tell_or_keep(self, told: str) -> None:
        """Say it, or at the end where the state is hidden: who has no choice does nothing wrong."""
        if told and self.people.sights:
            self.faults[told] += 1
        elif told:
            print(told)

    def _tell(self, moved: events.Moved) -> None:
        """Say what was done, to everybody as far as they may know it."""
        state, self.made = self._state, moved.moves
        if not self.game.has_percepts:  # thoughts tell what a player knows
            for role, guest in self.guests.items():
                if guest.is_talkative and role not in moved.substituted and len(state.legal_moves(role)) > 1:
                    guest.say_why()
        if not self.people.sights:
            print(", ".join(self._told(state, moved, role) for role in moved.moves))
        self.people.see(state, {role: self.game.move_of(move) for role, move in moved.moves.items()})
        self.people.before = state

    def _told(self, state: State, moved: events.Moved, role: str) -> str:
        """What a role did, in words."""
        told = f"{role}: {moved.moves[role]}"
        if role in self.asked:
            return told
        if len(state.legal_moves(role)) == 1:
            return f"{told} (only move)"
        is_own = role in self.guests and role not in moved.substituted
        return f"{told} ({self.guests[role].name if is_own else 'at random'})"

    def _tell_kept(self) -> None:
        """What was not to be told before the end."""
        for trace in self.untold:
            report_text(trace)
        for told, count in self.faults.items():
            print(told + f" ({count} times)" * (count > 1))

    def _tell_prints(self) -> None:
        """What guests printed, where that was kept."""
        if self.prints is not None and self.prints.text:
            report_text(f"What the players printed:\n{self.prints.text}")

    def _show_end(self, state: State) -> None:
        """The final board, who wins and by what, and everybody's goal."""
        self._tell_kept()
        show_state(state, pointed_out(self.people.before, state))
        print(f"Game over after {state.step} step{'s' * (state.step != 1)}: {end_in_words(state)}.")
        roles = [role for role in self.game.roles if role != RANDOM or self.game.roles == (RANDOM,)]
        size = max(map(len, roles))
        for role in roles:
            goal = state.goal(role)
            print(f"  {role.ljust(size)}  {'no goal' if goal is None else format(goal, '3')}")
