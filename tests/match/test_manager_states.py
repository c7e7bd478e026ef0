"""The referee under everything that can come in, in any order: it stays sane, it ends, and its record is true."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from gamemaster.load import load, parse
from gamemaster.match import events
from gamemaster.match.records.record import record_of
from gamemaster.match.records.verifying import verify
from gamemaster.match.referee import Referee
from gamemaster.match.request import Failure, Reply, Request
from gamemaster.match.settings import Settings
from gamemaster.match.transports.calling import reply_of
from tests.match.test_manager import HIDDEN, SIMULTANEOUS, STUCK

TURNS = """
    role(x)  role(o)
    init(step(1))  init(turn(x))
    other(x,o)  other(o,x)
    after(1,2)  after(2,3)  after(3,4)
    legal(R,left) :- true(turn(R))
    legal(R,right) :- true(turn(R))
    legal(R,noop) :- true(turn(S)) & other(R,S)
    next(step(M)) :- true(step(N)) & after(N,M)
    next(turn(R)) :- true(turn(S)) & other(R,S)
    terminal :- true(step(4))
    goal(R,50) :- role(R)
"""
"""Whoever is not on turn has one move, and may say nothing."""

GAMES = {
    "tictactoe": load("tictactoe"),
    "rps": parse(SIMULTANEOUS, name="rps"),
    "coin": parse(HIDDEN, name="coin"),
    "stuck": parse(STUCK, name="stuck"),
    "turns": parse(TURNS, name="turns"),
}
PHASES = ["new", "pinging", "starting", "playing", "stopping", "over"]
KINDS = ["crashed", "unreachable", "huge", "malformed", "refused"]
NONSENSE = st.sampled_from(
    [None, "", "nil", "noop", "ready", "busy", "((", "mark(9,9)", 7, ("mark", "1", "1"), object(), (), ((),)]
)
SECONDS = st.floats(0.0, 6.0)
which = st.integers(0, 5)


class Match(RuleBasedStateMachine):
    """Transports that do whatever the test draws."""

    @initialize(
        name=st.sampled_from(sorted(GAMES)), ping=st.sampled_from([0.0, 1.0]), seed=st.integers(0, 99)
    )
    def begin(self, name: str, ping: float, seed: int) -> None:
        self.events: list[events.Event] = []
        self.game = GAMES[name]
        players = {role: role for role in self.game.roles if role != "random"}
        options = Settings(start_clock=3, play_clock=2, ping_clock=ping, seed=seed)
        self.referee = Referee(self.game, players, options, listeners=[self.events.append])
        self.now = 50.0
        self.last_phase = 0
        self.last_number = 0
        self.requests: list[Request] = []
        self.referee.begin(self.now)

    def role(self, number: int) -> str:
        return self.referee.roles[number % len(self.referee.roles)]

    def receive(self, role: str, reply: Reply | Failure) -> None:
        self.referee.receive(self.now, role, reply)

    # What may happen

    @rule(who=which, move=which, after=SECONDS)
    def reply_well(self, who: int, move: int, after: float) -> None:
        self.now += after / 10
        role = self.role(who)
        legal = self.referee.state.legal_moves(role)
        value: Any = "ready"
        if self.referee.phase == "playing":
            value = legal[move % len(legal)] if legal else None
        self.receive(role, reply_of(self.referee.number, value))

    @rule(who=which, value=NONSENSE, shift=st.integers(-2, 2))
    def reply_badly(self, who: int, value: Any, shift: int) -> None:
        self.receive(self.role(who), reply_of(max(0, self.referee.number + shift), value))

    @rule(who=which, kind=st.sampled_from(KINDS), shift=st.sampled_from([None, 0, -1]))
    def fail(self, who: int, kind: str, shift: int | None) -> None:
        number = None if shift is None else max(0, self.referee.number + shift)
        self.receive(self.role(who), Failure(number, kind, "detail"))

    @rule(seconds=SECONDS)
    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.referee.tick(self.now)

    @rule()
    def pause(self) -> None:
        self.referee.pause(self.now)

    @rule()
    def resume(self) -> None:
        self.referee.resume(self.now)

    @precondition(lambda self: len(self.events) > 25)
    @rule(is_abort=st.booleans())
    def give_up(self, is_abort: bool) -> None:
        (self.referee.abort if is_abort else self.referee.end)(self.now)

    # What must hold

    @invariant()
    def it_goes_forward(self) -> None:
        phase = PHASES.index(self.referee.phase)
        assert phase >= self.last_phase
        assert self.referee.number >= self.last_number
        self.last_phase, self.last_number = phase, self.referee.number

    @invariant()
    def the_clock_runs_unless_it_is_stopped(self) -> None:
        is_stopped = self.referee.is_paused or self.referee.is_over
        assert (self.referee.deadline is None) == is_stopped

    @invariant()
    def every_request_is_of_its_round(self) -> None:
        outbox, self.referee.outbox = self.referee.outbox, []
        self.requests += outbox
        for request in outbox:
            assert request.number <= self.referee.number
            assert request.role != "random"
            assert self.game.has_percepts or request.legal is None
            assert not (self.game.has_percepts and request.told is not None and request.told.moves)
            self.referee.sent(self.now, request, str(request))
        numbers = [request.number for request in self.requests if request.role == self.referee.roles[0]]
        last = self.referee.number - (self.referee.how == "not begun")  # then some are told nothing more
        assert numbers[:last] == list(range(1, last + 1))

    @invariant()
    def events_are_in_order_and_errors_add_up(self) -> None:
        times = [event.time for event in self.events]
        assert times == sorted(times)
        counts = dict.fromkeys(self.referee.roles, 0)
        for event in self.events:
            if isinstance(event, events.Fault) and event.is_error:
                counts[event.role] += 1
        assert counts == self.referee.errors
        assert all(not isinstance(event, events.Ended) for event in self.events[:-1])
        assert isinstance(self.events[-1], events.Ended) == self.referee.is_over

    def teardown(self) -> None:
        """Whatever came before: if nobody says anything more, the clocks end the match."""
        if not hasattr(self, "referee"):
            return
        self.referee.resume(self.now)
        for _ in range(20):
            self.every_request_is_of_its_round()
            self.now += 3
            self.referee.tick(self.now)
        assert self.referee.is_over
        report = verify(record_of(self.events))
        assert report.is_true, report.show()


Match.TestCase.settings = settings(
    max_examples=60, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
TestMatch = Match.TestCase


@pytest.mark.parametrize("name", ["tictactoe", "turns"])
def test_who_answers_without_a_word_and_then_fails_makes_no_record_false(name: str) -> None:
    match = Match()
    match.begin(name=name, ping=0.0, seed=0)
    match.every_request_is_of_its_round()
    match.wait(seconds=3.0)
    match.every_request_is_of_its_round()
    match.reply_badly(shift=0, value=None, who=1)
    match.wait(seconds=1.0)
    match.fail(kind="crashed", shift=None, who=1)
    match.teardown()
