"""The referee: what happens in a match, decided one reply at a time. No clock, no line, no waiting: those are outside.

    new -> pinging -> starting -> playing (a round a step) -> stopping -> over

Whoever drives it tells it what comes in and what time it is, sends what stands in its `outbox`, and calls `tick` when
the `deadline` has passed. A round ends when all have answered from whom an answer is due, or with the clock. Then a
reply that is missing or no good costs its role an error, and a move at random stands in for it. In a round only the
first reply counts; one to an earlier round, a second one, or one of a role that has no move is noted and ignored.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from gamemaster.errors import GamemasterError, UnknownRole
from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, Game, State
from gamemaster.match import events
from gamemaster.match.chronicle import goals_of, match_name, moved_event, started_event, state_event
from gamemaster.match.drawing import drawn_move
from gamemaster.match.judging import is_busy, is_ready, judged_move, says_nothing, shorten
from gamemaster.match.request import MOST_REPLIES, Failure, Kind, Reply, Request, Standing, Told, told_of
from gamemaster.match.settings import Past, Settings
from gamemaster.match.thought import Thought

__all__ = ["INTERRUPTED", "NOT_BEGUN", "RESIGNED", "STUCK", "Draw", "Listener", "Phase", "Referee"]

Listener = Callable[[events.Event], None]
Draw = Callable[[str], Term]
"""A role -> a move that is legal for it where the match is."""

Phase = Literal["new", "pinging", "starting", "playing", "stopping", "over"]

STOP_SECONDS, INTERRUPTED_SECONDS = 5.0, 1.0
"""How long players have to say that they are done, at most: when a match ends, and when somebody leaves it."""

INTERRUPTED = "interrupted"
"""How a match is left that can go on: nothing in its record says that it ended."""

RESIGNED = "resigned"
"""How a match ends in which somebody gave up; goals are those of the last state."""

NOT_BEGUN, STUCK = "not begun", "stuck"
"""How a match ends that nobody wanted to end so."""


class Referee:
    """A match. `players` are names by role; `answering` are the roles that answer also where they have no move."""

    def __init__(
        self,
        game: Game,
        players: Mapping[str, str],
        settings: Settings | None = None,
        *,
        listeners: Sequence[Listener] = (),
        answering: Collection[str] = (),
        past: Past | None = None,
        draw: Draw | None = None,
    ) -> None:
        """`draw` gives the moves of chance, and of those who make none; by default the seed does."""
        self.game = game
        self.roles = tuple(role for role in game.roles if role != RANDOM)
        if set(players) != set(self.roles):
            raise UnknownRole(f"players for {sorted(players)}, but the roles of {game.name} are {self.roles}")
        self.players = dict(players)
        self.settings = settings or Settings()
        if not self.settings.match:
            self.settings = replace(self.settings, match=match_name(game, self.settings))
        self.listeners = list(listeners)
        self.answering = frozenset(answering)
        self.past = past
        self.trouble: GamemasterError | None = None
        """Why the match is stuck, where an error is the reason."""
        self._draw = draw
        self.phase: Phase = "new"
        self.how = ""
        self.state = game.initial_state()
        self.errors = dict.fromkeys(self.roles, 0)
        self.outbox: list[Request] = []
        self.late: list[tuple[str, int]] = []
        """The roles that were given up and the numbers of their requests, for the driver to take."""
        self.deadline: float | None = None
        self.number = 0
        self.is_paused = self._has_failed = False
        self._began = self._clock = self._remaining = self._paused_at = 0.0
        self._sent: dict[str, float] = {}
        self._awaited: set[str] = set()
        self._answered: set[str] = set()
        self._replied: dict[str, int] = {}
        """The number of the last message that each has replied to."""
        self._received: dict[str, int] = {}
        """How many replies have come from each since the last messages went out."""
        self._moves: dict[str, Term] = {}
        self._thoughts: dict[str, Thought] = {}
        self._seconds: dict[str, float] = {}
        self._before: Standing | None = None
        self._told: dict[str, tuple[Told, ...]] = dict.fromkeys(self.roles, ())
        self._busy: set[str] = set()
        """The roles whose players play another match."""

    # What a driver calls

    @property
    def is_over(self) -> bool:
        """Whether the match has ended: nothing that comes now counts."""
        return self.phase == "over"

    @property
    def awaited(self) -> Collection[str]:
        """The roles that are waited for."""
        return self._awaited - self._answered

    def begin(self, now: float) -> None:
        """Send the first messages."""
        self._began = now
        if self.past is None:
            self._emit(started_event(self.game, self.players, self.settings), now)
            self._play_opening(now)
        else:
            self._began -= self.past.time
            self._replay(self.past)
            self._emit(events.Resumed(0, dict(self.players)), now)
        if self.settings.ping_clock > 0:
            self._round("pinging", "ping", now, self.settings.ping_clock, self.roles)
        else:
            self._start_round(now)
        self._settle(now)

    def receive(self, now: float, role: str, reply: Reply | Failure) -> None:
        """Judge what came from the player of a role at that time."""
        if self.deadline is not None and now > self.deadline:
            self.tick(now)
        if self.is_over or self.phase == "new" or self._is_flooding(now, role):
            return
        is_other_round = reply.number not in (None, self.number)
        if isinstance(reply, Reply):
            if is_other_round and says_nothing(reply):
                return  # to a message that was answered for it long ago, or never was
            if reply.text or role in self.answering:  # who answers always, may have nothing to say
                self._emit(events.Message(0, role, False, shorten(reply.text)), now)
        if is_other_round:
            self._note_other_round(now, role, reply)
        elif role in self._answered:
            kind = reply.kind if isinstance(reply, Failure) else "duplicate"
            self._fault(now, role, kind, _shown(reply), is_error=False)
        else:
            self._answered.add(role)
            self._replied[role] = self.number
            self._seconds[role] = self._since_sent(now, role)
            self._judge(now, role, reply)
            self._settle(now)

    def _since_sent(self, now: float, role: str) -> float:
        """How long a player took; what came before it was asked took no time, and a pause takes none."""
        now = self._paused_at if self.is_paused else now
        return max(0.0, round(now - self._sent[role], 6))

    def _is_flooding(self, now: float, role: str) -> bool:
        """Whether a player has said more than can be meant, since the last messages went out."""
        self._received[role] = self._received.get(role, 0) + 1
        if self._received[role] == MOST_REPLIES:
            detail = f"{MOST_REPLIES} replies to one message; the rest is ignored"
            self._fault(now, role, "duplicate", detail, is_error=False)
        return self._received[role] >= MOST_REPLIES

    def sent(self, now: float, request: Request, text: str) -> None:
        """Note that a message went out: from now on the clock of its player runs."""
        if request.number == self.number and self.deadline is not None:
            self._sent[request.role] = now
            self.deadline = max(self.deadline, now + self._clock)
        self._emit(events.Message(0, request.role, True, text), now)

    def tick(self, now: float) -> None:
        """Let time pass: if the clock has run out, the round ends without those who have not answered."""
        if self.deadline is None or now < self.deadline:
            return
        for role in self._ordered(self._awaited - self._answered):
            self.late.append((role, self.number))
            self._answered.add(role)
            self._seconds[role] = self._since_sent(now, role)
            self._too_late(now, role)
        self._settle(now)

    def pause(self, now: float) -> None:
        """Stop the clock. Replies still count, but no other round begins."""
        if self.is_paused or self.phase in ("new", "stopping", "over"):
            return
        self.is_paused = True
        self._paused_at, self._remaining = now, max(0.0, (self.deadline or now) - now)
        self.deadline = None
        self._emit(events.Paused(0), now)

    def resume(self, now: float) -> None:
        """Go on with what was left on the clock."""
        if not self.is_paused:
            return
        self.is_paused = False
        self.deadline = now + self._remaining
        self._sent = {role: sent + now - self._paused_at for role, sent in self._sent.items()}
        self._emit(events.Unpaused(0), now)
        self._settle(now)

    def end(self, now: float) -> None:
        """End the match here: players are told to stop, and the goals of this state count."""
        self._finish(now, "ended", "stop")
        self._settle(now)

    def abort(self, now: float) -> None:
        """Give the match up: players are told so."""
        self._finish(now, "aborted", "abort")
        self._settle(now)

    def resign(self, now: float, role: str) -> None:
        """Whoever plays a role gives up, which ends the match."""
        if self.phase in ("new", "stopping", "over"):
            return
        self._emit(events.Resigned(0, role), now)
        self._finish(now, RESIGNED, "stop")
        self._settle(now)

    def interrupt(self, now: float) -> None:
        """Leave the match: players are told that it is given up, but nothing says that it ended, so it can go on."""
        self._finish(now, INTERRUPTED, "abort")
        self._settle(now)

    # Rounds

    def _round(
        self,
        phase: Phase,
        kind: Kind,
        now: float,
        clock: float,
        awaited: Collection[str],
        *,
        told: Collection[str] | None = None,
    ) -> None:
        """Send a message to those who shall be told, without a word to everybody, and wait for those awaited."""
        self.phase = phase
        self.number += 1
        self._sent = dict.fromkeys(self.roles, now)
        self._clock, self.deadline = clock, now + clock
        self._awaited, self._answered = set(awaited), set()
        self._moves, self._thoughts, self._seconds, self._received = {}, {}, {}, {}
        self.outbox += [self._request(kind, role) for role in self.roles if told is None or role in told]

    def _request(self, kind: Kind, role: str) -> Request:
        told, settings = self._told[role], self.settings
        is_hidden = self.game.has_percepts and kind == "play"
        is_resumed = kind == "start" and bool(told)
        return Request(
            kind,
            self.number,
            settings.match,
            role,
            self.game.name,
            self.game,
            settings.start_clock,
            settings.play_clock_of(role),
            told=told[-1] if told and kind in ("play", "stop") else None,
            legal=self.state.legal_moves(role) if is_hidden else None,
            past=told[:-1] if is_resumed else None,
            position=self._before if is_resumed else None,
        )

    def _settle(self, now: float) -> None:
        """End rounds as long as nobody is waited for."""
        if self.settings.stops_at_error and self._has_failed:
            self._finish(now, INTERRUPTED, "abort")
        while self._awaited <= self._answered and not self.is_paused and not self.is_over:
            try:
                self._end_round(now)
            except GamemasterError as error:
                self.trouble = error
                self._stuck(now, str(error))

    def _end_round(self, now: float) -> None:
        match self.phase:
            case "pinging" | "starting" if self._is_refused():
                self._finish(now, NOT_BEGUN if self.past is None else INTERRUPTED, "abort")
            case "pinging":
                self._start_round(now)
            case "starting":
                if self.past is None or not self.past.has_state:
                    self._emit(state_event(self.state), now)
                self._next_step(now)
            case "playing":
                self._make_moves(now)
                self._next_step(now)
            case _:
                self._close(now)

    def _is_refused(self) -> bool:
        """Whether somebody is busy: with a match that goes on it may be this one, until it is told to start anew."""
        return bool(self._busy) and not (self.phase == "pinging" and self.past is not None)

    def _start_round(self, now: float) -> None:
        self._busy.clear()
        # A player that does not resume by itself is taken through the match so far, and may think each time.
        steps = self.state.step
        pace = min(self.settings.play_clock, max(self.settings.clocks.values(), default=math.inf))
        clock = self.settings.start_clock + self.settings.grace + (pace * steps if steps else 0.0)
        self._round("starting", "start", now, clock, self.roles)

    def _next_step(self, now: float) -> None:
        if self.state.is_terminal:
            self._finish(now, "completed", "stop")
        elif 0 < self.settings.most_steps <= self.state.step:
            self._finish(now, "ended", "stop")
        elif not self.state.movers:
            self._stuck(now, f"no role has a legal move in step {self.state.step + 1}")
        else:
            awaited = {role for role in self.state.movers if role != RANDOM} | self.answering
            self._round("playing", "play", now, self.settings.play_clock, awaited)

    def _make_moves(self, now: float) -> None:
        """The joint move of the round, chance's and those at random included."""
        state, substituted = self.state, []
        moves: dict[str, Term] = {}
        for role in state.movers:
            if role not in self._moves:
                moves[role] = self.draw(role)
                substituted += [role] if role != RANDOM else []
            else:
                moves[role] = self._moves[role]
        following = state.next(moves)
        seconds = {role: self._seconds[role] for role in self.roles if role in self._seconds}
        self._made(state, moves, following, now, seconds=seconds, substituted=substituted)
        self._emit(state_event(self.state), now)

    def _made(
        self,
        state: State,
        moves: Mapping[str, Term],
        following: State,
        now: float,
        *,
        seconds: Mapping[str, float],
        substituted: Sequence[str],
    ) -> None:
        """Moves are made in a state: everybody is told what they may know of them."""
        told = {role: told_of(role, state, moves) for role in self.roles}
        self._emit(
            moved_event(
                state, moves, seconds=seconds, substituted=substituted, told=told, thoughts=self._thoughts
            ),
            now,
        )
        self._told = {role: (*self._told[role], told[role]) for role in self.roles}
        self.state = following

    def _play_opening(self, now: float) -> None:
        """Make the steps that are drawn by lot; players are told of them when they start, as where a match goes on."""
        for _ in range(self.settings.opening):
            before = self.state
            try:
                moves = {role: self.draw(role) for role in before.movers}
                following = before.next(moves)
                if following.is_over:
                    return  # what is left is too little for a match
            except GamemasterError:
                return  # the first step that somebody is asked for tells what is wrong
            self._emit(state_event(before), now)
            self._made(before, moves, following, now, seconds={}, substituted=self._ordered(set(moves)))
            if not self.game.has_percepts:
                self._before = Standing(before.ordered_facts, before.step)

    def draw(self, role: str) -> Term:
        """A move for a role that makes none."""
        if self._draw is not None:
            return self._draw(role)
        return drawn_move(self.settings.seed, self.state.step, role, self.state.legal_moves(role))

    def _stuck(self, now: float, detail: str) -> None:
        self._emit(events.Fault(0, self.state.step, "", "stuck", detail, False), now)
        if self.phase == "stopping":
            self._close(now)
        else:
            self._finish(now, STUCK, "abort")

    def _finish(self, now: float, how: str, kind: Kind) -> None:
        if self.phase in ("new", "stopping", "over"):
            return
        self.how, self.is_paused = how, False
        seconds = INTERRUPTED_SECONDS if how == INTERRUPTED else STOP_SECONDS
        told = self.roles if not self._busy else self._ordered(self._started() - self._busy)
        self._round("stopping", kind, now, min(self.settings.play_clock, seconds), told, told=told)

    def _started(self) -> set[str]:
        """Who has been told that there is a match at all."""
        return set(self.roles) if self.phase != "pinging" else set()

    def _close(self, now: float) -> None:
        self.phase, self.deadline = "over", None
        if self.how == INTERRUPTED:
            return
        try:
            goals = goals_of(self.state)
            self._tell_of_double_goals(now)
        except GamemasterError:  # the match is over because of it
            goals = dict.fromkeys(self.game.roles)
        self._emit(events.Ended(0, self.how, goals, dict(self.errors)), now)

    def _tell_of_double_goals(self, now: float) -> None:
        """Say it where the rules give a role more than one goal at the end."""
        for role in self.game.roles if self.state.is_terminal else ():
            if len(found := self.state.goals(role)) > 1:
                detail = f"{role} has the goals {' and '.join(map(str, found))}; {found[0]} counts"
                self._emit(events.Fault(0, self.state.step, "", "goals", detail, False), now)

    # Judging

    def _judge(self, now: float, role: str, reply: Reply | Failure) -> None:
        if isinstance(reply, Failure):
            is_error = self.phase in ("starting", "playing") and role in self._awaited
            self._fault(now, role, reply.kind, shorten(reply.detail), is_error=is_error)
        elif self.phase == "playing":
            self._judge_move(now, role, reply)
        elif self.phase in ("pinging", "starting"):
            self._judge_ready(now, role, reply)

    def _judge_ready(self, now: float, role: str, reply: Reply) -> None:
        if is_busy(reply):
            self._busy.add(role)
            self._fault(now, role, "busy", f"{self.players[role]} plays another match", is_error=False)
        elif not is_ready(reply):
            detail = f"says {_shown(reply)!r}"
            self._fault(now, role, "not ready", detail, is_error=self.phase == "starting")
        elif self.phase == "starting":
            self._emit(events.Ready(0, role, self._seconds[role]), now)

    def _judge_move(self, now: float, role: str, reply: Reply) -> None:
        legal = self.state.legal_moves(role)
        if not legal:
            if not says_nothing(reply):
                self._fault(now, role, "out of turn", _shown(reply), is_error=False)
            return
        move, kind = judged_move(reply, legal)
        if move is None:
            self._fault(now, role, kind, _shown(reply) or "no move", is_error=True)
        else:
            self._moves[role] = move
            if reply.thought is not None:
                self._thoughts[role] = reply.thought

    def _note_other_round(self, now: float, role: str, reply: Reply | Failure) -> None:
        """A reply to an earlier message, or to one that never was."""
        number = reply.number or 0
        if isinstance(reply, Failure):
            kind = reply.kind
        elif number > self.number:
            kind = "out of turn"
        else:
            kind = "duplicate" if self._replied.get(role) == number else "stale"
        detail = f"{_shown(reply)} (to message {number}, now {self.number})"
        self._fault(now, role, kind, detail, is_error=False)

    def _too_late(self, now: float, role: str) -> None:
        kind = "not ready" if self.phase == "starting" else "late"
        is_error = self.phase in ("starting", "playing")
        self._fault(now, role, kind, f"nothing within {self._clock:g} s", is_error=is_error)

    def _fault(self, now: float, role: str, kind: str, detail: str, *, is_error: bool) -> None:
        self.errors[role] += is_error
        self._has_failed |= is_error
        self._emit(events.Fault(0, self.state.step, role, kind, detail, is_error), now)

    # Events

    def _emit(self, event: events.Event, now: float) -> None:
        timed = replace(event, time=round(now - self._began, 6))
        for listener in self.listeners:
            listener(timed)

    def _ordered(self, roles: Collection[str]) -> list[str]:
        return [role for role in self.roles if role in roles]

    # A match that goes on

    def _replay(self, past: Past) -> None:
        """Make the moves of the past, without a word to anybody."""
        before = self.state
        for step, texts in enumerate(past.moves):
            moves: dict[str, Term] = {role: self.game.move_of(text) for role, text in texts.items()}
            for role in self.roles:
                self._told[role] = (*self._told[role], told_of(role, self.state, moves))
            following = past.states[step] if past.states else self.state.next(moves)
            before, self.state = self.state, following
        if not self.game.has_percepts:
            self._before = Standing(before.ordered_facts, before.step)
        self.errors |= {role: count for role, count in past.errors.items() if role in self.errors}


def _shown(reply: Reply | Failure) -> str:
    return shorten(reply.detail if isinstance(reply, Failure) else reply.text or str(reply.value or ""))
