"""The referee and its drivers: what is asked, what counts, what is told to whom."""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections.abc import Mapping
from typing import Any

import pytest

from gamemaster.errors import GamemasterError, LimitExceeded, UnknownRole
from gamemaster.language.terms import Compound, Symbol, Term
from gamemaster.load import load, parse
from gamemaster.machine import moves
from gamemaster.machine.game import Game
from gamemaster.match import events, judging
from gamemaster.match.drawing import drawn_move
from gamemaster.match.manager import Manager, conduct, player_seed, run_directly, run_match
from gamemaster.match.records.record import record_of
from gamemaster.match.records.verifying import verify
from gamemaster.match.referee import Referee
from gamemaster.match.request import MOST_REPLIES, Failure, Reply, Request
from gamemaster.match.settings import Past, Settings
from gamemaster.match.transports.calling import call_handler, reply_of
from gamemaster.match.transports.in_process import InProcess
from gamemaster.players.simple import Legal, Random
from tests.match.misbehaving import Prompt

SIMULTANEOUS = """
(role left) (role right)
(init (round 1))
(<= (legal ?r rock) (role ?r)) (<= (legal ?r paper) (role ?r))
(<= (next over) (does left ?x))
(<= terminal (true over))
(<= (goal ?r 50) (role ?r))
"""
HIDDEN = """
(role seer) (role random)
(init (stage 1))
(<= (legal random (toss ?c)) (coin ?c) (true (stage 1)))
(<= (legal random wait) (true (stage 2)))
(<= (legal seer wait) (true (stage 1)))
(<= (legal seer (guess ?c)) (coin ?c) (true (stage 2)))
(coin heads) (coin tails)
(<= (next (fell ?c)) (does random (toss ?c)))
(<= (next (fell ?c)) (true (fell ?c)))
(<= (next (stage 2)) (true (stage 1)))
(<= (next (guessed ?c)) (does seer (guess ?c)))
(<= (sees seer (sound ?c)) (does random (toss ?c)))
(<= terminal (true (guessed ?c)))
(<= (goal seer 100) (true (guessed ?c)) (true (fell ?c)))
(<= (goal seer 0) (true (guessed ?c)) (not (true (fell ?c))))
(<= (goal seer 0) (not terminal))
"""
STUCK = """
(role x) (init (p 1))
(<= (legal x go) (true (p 1)))
(<= (next (p 2)) (does x go))
(<= terminal (true (p 3)))
(<= (goal x 0) (role x))
"""


@pytest.fixture(scope="module")
def tictactoe() -> Game:
    return load("tictactoe")


class Table:
    """A referee on a clock that the test moves, and what it says."""

    def __init__(self, game: Game, settings: Settings | None = None, **more: Any) -> None:
        self.events: list[events.Event] = []
        self.now = 100.0
        players = {role: f"{role}'s" for role in game.roles if role != "random"}
        self.referee = Referee(
            game,
            players,
            settings or Settings(start_clock=10, play_clock=5, seed=1),
            listeners=[self.events.append],
            **more,
        )
        self.referee.begin(self.now)

    def sent(self) -> dict[str, Request]:
        outbox, self.referee.outbox = self.referee.outbox, []
        return {request.role: request for request in outbox}

    def say(self, role: str, value: Any, number: int | None = None, after: float = 0.0) -> None:
        self.now += after
        reply = Reply(self.referee.number if number is None else number, value, str(value or ""))
        self.referee.receive(self.now, role, reply)

    def all_say(self, value: Any) -> None:
        for role in self.referee.roles:
            self.say(role, value)

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.referee.tick(self.now)

    def of(self, kind: type[events.Event]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    def faults(self) -> list[tuple[str, str, bool]]:
        return [(fault.role, fault.kind, fault.is_error) for fault in self.of(events.Fault)]


def started(game: Game, settings: Settings | None = None, **more: Any) -> Table:
    table = Table(game, settings, **more)
    table.all_say("ready")
    return table


def test_a_match_is_start_play_and_stop(tictactoe: Game) -> None:
    table = Table(tictactoe)
    assert {request.kind for request in table.sent().values()} == {"start"}
    table.all_say("ready")
    first = table.sent()
    assert (first["x"].kind, first["x"].told) == ("play", None)
    for number, move in enumerate(("mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)", "mark(1,3)")):
        table.say("xo"[number % 2], move, after=1.0)
        told = table.sent()["o"].told
        assert told is not None
        assert str(told.message()) == move
    assert table.referee.phase == "stopping"
    table.all_say("done")
    assert table.referee.is_over
    ended = table.events[-1]
    assert isinstance(ended, events.Ended)
    assert (ended.how, ended.goals) == ("completed", {"x": 100, "o": 0})
    assert [moved.seconds for moved in table.of(events.Moved)] == [{who: 1.0} for who in "xoxox"]
    assert [state.step for state in table.of(events.Reached)] == list(range(6))
    assert verify(record_of(table.events)).is_true


def test_pings_come_first_where_there_is_a_clock_for_them(tictactoe: Game) -> None:
    table = Table(tictactoe, Settings(ping_clock=5))
    assert {request.kind for request in table.sent().values()} == {"ping"}
    table.say("x", "what?")
    table.wait(5)
    assert table.faults() == [("x", "not ready", False), ("o", "late", False)]
    assert {request.kind for request in table.sent().values()} == {"start"}


def test_a_match_with_somebody_busy_is_not_begun(tictactoe: Game) -> None:
    table = Table(tictactoe, Settings(ping_clock=5))
    for request in table.sent().values():
        table.referee.sent(table.now, request, str(request))
    table.say("x", "busy")
    table.say("o", "ready")
    assert table.faults() == [("x", "busy", False)]
    assert table.sent() == {}
    assert table.of(events.Ended)[0].how == "not begun"
    assert verify(record_of(table.events)).is_true


def test_who_was_told_to_start_is_told_that_the_match_is_off(tictactoe: Game) -> None:
    table = Table(tictactoe)
    table.sent()
    table.say("x", "ready")
    table.say("o", "BUSY")
    assert {role: request.kind for role, request in table.sent().items()} == {"x": "abort"}
    table.say("x", "done")
    assert table.of(events.Ended)[0].how == "not begun"
    assert table.referee.errors == {"x": 0, "o": 0}


def test_who_is_busy_with_a_match_that_goes_on_is_asked_to_start_it_anew(tictactoe: Game) -> None:
    table = Table(tictactoe, Settings(ping_clock=5), past=Past([{"x": "mark(1,1)"}]))
    table.sent()
    table.all_say("busy")
    assert {request.kind for request in table.sent().values()} == {"start"}
    table.all_say("busy")
    assert table.sent() == {}
    assert (table.referee.is_over, table.of(events.Ended)) == (True, [])


def test_who_is_not_ready_plays_all_the_same(tictactoe: Game) -> None:
    table = Table(tictactoe)
    table.say("x", "READY")
    table.wait(10)
    assert table.faults() == [("o", "not ready", True)]
    assert table.referee.phase == "playing"
    assert [ready.role for ready in table.of(events.Ready)] == ["x"]


def test_a_late_move_is_drawn_from_the_seed(tictactoe: Game) -> None:
    table = started(tictactoe)
    table.wait(5)
    moved = table.of(events.Moved)[0]
    legal = tictactoe.initial_state().legal_moves("x")
    assert moved.moves == {"x": str(random.Random("1/0/x").choice(legal))}
    assert moved.moves == {"x": str(drawn_move(1, 0, "x", legal))}
    assert moved.substituted == ("x",)
    assert table.referee.late == [("x", 2)]
    assert table.faults() == [("x", "late", True)]


def test_a_reply_at_the_deadline_counts_and_one_after_it_does_not(tictactoe: Game) -> None:
    table = started(tictactoe)
    table.say("x", "mark(1,1)", after=5.0)
    assert table.faults() == []
    table.say("o", "mark(2,2)", after=5.001)
    assert table.faults() == [("o", "late", True), ("o", "stale", False)]


def test_the_clock_runs_from_when_the_message_went_out(tictactoe: Game) -> None:
    table = started(tictactoe)
    for request in table.sent().values():
        table.now += 1
        table.referee.sent(table.now, request, "play")
    assert table.referee.deadline == table.now + 5
    table.say("x", "mark(1,1)", after=4.5)
    assert table.of(events.Moved)[0].seconds == {"x": 5.5}
    assert table.faults() == []


def test_what_was_said_before_the_message_went_out_took_no_time(tictactoe: Game) -> None:
    table = started(tictactoe)
    for request in table.sent().values():
        table.referee.sent(table.now + 1e-5, request, "play")
    table.say("x", "mark(1,1)")
    assert table.of(events.Moved)[0].seconds == {"x": 0.0}


@pytest.mark.parametrize(
    "text", ["mark(2,2)", "(mark 2 2)", "(MARK 2 2)", " ( mark\n2 2 ) ", "mark( 2, 2 )", "MARK(2,2)"]
)
def test_moves_are_read_in_any_notation_and_case(tictactoe: Game, text: str) -> None:
    table = started(tictactoe)
    table.say("x", text)
    assert table.of(events.Moved)[0].moves == {"x": "mark(2,2)"}


def test_other_replies_are_noted_and_ignored(tictactoe: Game) -> None:
    table = started(tictactoe)
    table.say("o", "mark(3,3)")
    table.say("x", "mark(1,1)", number=1)
    table.say("x", "mark(1,2)", number=77)
    table.say("x", "mark(2,2)")
    table.say("x", "mark(3,3)", number=2)
    assert table.faults() == [
        ("o", "out of turn", False),
        ("x", "duplicate", False),
        ("x", "out of turn", False),
        ("x", "duplicate", False),
    ]
    assert table.of(events.Moved)[0].moves == {"x": "mark(2,2)"}
    assert table.referee.errors == {"x": 0, "o": 0}


def test_a_player_as_a_whole_can_fail(tictactoe: Game) -> None:
    table = started(tictactoe)
    table.referee.receive(table.now, "o", Failure(None, "crashed", "gone"))
    table.referee.receive(table.now, "x", Failure(None, "crashed", "gone"))
    assert table.faults() == [("o", "crashed", False), ("x", "crashed", True)]
    assert table.of(events.Moved)[0].substituted == ("x",)


def test_silence_is_a_move_where_there_is_only_one() -> None:
    table = started(parse(STUCK, name="stuck"))
    table.say("x", None)
    assert table.of(events.Moved)[0].moves == {"x": "go"}


def test_a_state_without_a_move_is_an_error_of_the_rules() -> None:
    table = started(parse(STUCK, name="stuck"))
    table.say("x", "go")
    assert table.faults() == [("", "stuck", False)]
    assert table.sent()["x"].kind == "abort"
    table.all_say("done")
    assert table.of(events.Ended)[0].how == "stuck"


def test_rules_that_fail_while_they_are_used_end_the_match(
    tictactoe: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = started(tictactoe)

    def fail(*_: object) -> None:
        raise LimitExceeded("time", "1 s")

    monkeypatch.setattr(type(table.referee.state), "next", fail)
    table.say("x", "mark(1,1)")
    monkeypatch.setattr(type(table.referee.state), "goal", fail)
    table.all_say("done")
    ended = table.of(events.Ended)[0]
    assert (ended.how, ended.goals) == ("stuck", {"x": None, "o": None})
    assert table.of(events.Fault)[0].detail == "time limit of 1 s exceeded"


def test_simultaneous_moves_are_made_together() -> None:
    table = started(parse(SIMULTANEOUS, name="rps"))
    table.say("right", "rock")
    assert not table.of(events.Moved)
    table.say("left", "paper")
    assert table.of(events.Moved)[0].moves == {"left": "paper", "right": "rock"}
    told = table.sent()["left"].told
    assert told is not None
    assert told.message() == {"left": "paper", "right": "rock"}


def test_only_the_first_reply_of_a_round_counts() -> None:
    table = started(parse(SIMULTANEOUS, name="rps"))
    table.say("left", "rock")
    table.say("left", "paper")
    table.referee.receive(table.now, "left", Failure(None, "crashed", "gone"))
    table.say("right", "rock")
    assert table.of(events.Moved)[0].moves == {"left": "rock", "right": "rock"}
    assert table.faults() == [("left", "duplicate", False), ("left", "crashed", False)]


def test_a_hidden_state_stays_hidden() -> None:
    table = started(parse(HIDDEN, name="coin"))
    request = table.sent()["seer"]
    assert request.told is None
    assert list(map(str, request.legal or ())) == ["wait"]
    table.say("seer", "wait")
    toss = table.of(events.Moved)[0].moves["random"]
    request = table.sent()["seer"]
    assert request.told is not None
    assert request.told.moves is None
    assert [str(each) for each in request.told.percepts or ()] == [toss.replace("toss", "sound")]
    assert {str(move) for move in request.legal or ()} == {"guess(heads)", "guess(tails)"}
    assert toss == str(drawn_move(1, 0, "random", table.referee.game.initial_state().legal_moves("random")))
    assert table.of(events.Moved)[0].substituted == ()
    table.say("seer", toss.replace("toss", "guess"))
    table.all_say("done")
    assert table.of(events.Ended)[0].goals["seer"] == 100
    assert "random" not in table.referee.players
    assert verify(record_of(table.events)).is_true


def test_no_player_can_see_the_seed(tictactoe: Game) -> None:
    table = Table(tictactoe, Settings(seed=123456789))
    table.all_say("ready")
    assert all("123456789" not in repr(request) for request in table.referee.outbox)
    assert player_seed(123456789, "x") != player_seed(123456789, "o")


def test_a_pause_stops_the_clock(tictactoe: Game) -> None:
    table = started(tictactoe)
    table.wait(4)
    table.referee.pause(table.now)
    table.referee.pause(table.now)
    assert table.referee.deadline is None
    table.wait(1000)
    table.referee.resume(table.now)
    table.referee.resume(table.now)
    assert table.referee.deadline == table.now + 1
    table.say("x", "mark(1,1)", after=0.5)
    assert table.faults() == []
    assert table.of(events.Moved)[0].seconds == {"x": 4.5}


def test_what_is_said_in_a_pause_counts_after_it(tictactoe: Game) -> None:
    table = started(tictactoe)
    table.wait(1)
    table.referee.pause(table.now)
    table.say("x", "mark(1,1)", after=100)
    assert not table.of(events.Moved)
    table.referee.resume(table.now)
    assert table.of(events.Moved)[0].moves == {"x": "mark(1,1)"}
    assert table.of(events.Moved)[0].seconds == {"x": 1.0}


@pytest.mark.parametrize(("act", "kind", "how"), [("end", "stop", "ended"), ("abort", "abort", "aborted")])
def test_a_match_can_be_ended(tictactoe: Game, act: str, kind: str, how: str) -> None:
    table = started(tictactoe)
    table.referee.pause(table.now)
    table.sent()
    getattr(table.referee, act)(table.now)
    assert {request.kind for request in table.sent().values()} == {kind}
    table.wait(5)
    assert table.of(events.Ended)[0].how == how
    getattr(table.referee, act)(table.now)
    table.referee.pause(table.now)
    table.say("x", "mark(1,1)")
    assert isinstance(table.events[-1], events.Ended)


def test_a_match_goes_on_where_it_was(tictactoe: Game) -> None:
    past = Past([{"x": "mark(1,1)"}, {"o": "mark(2,2)"}], {"o": 3}, 12.5, has_state=True)
    table = Table(tictactoe, past=past)
    start = table.sent()["x"]
    assert [str(told.message()) for told in start.past or ()] == ["mark(1,1)"]
    assert start.position is not None
    assert start.position.step == 1
    assert table.referee.deadline == table.now + 10 + 2 * 5
    table.all_say("ready")
    play = table.sent()["x"]
    assert play.told is not None
    assert str(play.told.message()) == "mark(2,2)"
    table.say("x", "mark(3,3)")
    assert not table.of(events.Started)
    assert [state.step for state in table.of(events.Reached)] == [3]
    assert table.referee.errors == {"x": 0, "o": 3}
    assert table.events[-1].time == 12.5


def test_players_must_fit_the_roles(tictactoe: Game) -> None:
    with pytest.raises(UnknownRole, match=r"players for \['x'\], but the roles of tictactoe"):
        Referee(tictactoe, {"x": "legal"})


@pytest.mark.parametrize("clock", [0, -1, float("nan")])
def test_clocks_must_run(clock: float) -> None:
    with pytest.raises(GamemasterError, match="a clock of"):
        Settings(play_clock=clock)


def test_nobody_is_late_without_a_clock(tictactoe: Game) -> None:
    table = started(tictactoe, Settings(math.inf, math.inf, seed=1))
    table.wait(1e9)
    table.referee.pause(table.now)
    table.wait(1e9)
    table.referee.resume(table.now)
    table.say("x", "mark(1,1)", after=1e9)
    assert table.faults() == []
    assert table.of(events.Moved)[0].seconds == {"x": 2e9}
    table.referee.end(table.now)
    table.wait(5)
    assert table.of(events.Ended)[0].how == "ended"


def test_a_match_without_clocks_goes_on(tictactoe: Game) -> None:
    past = Past([{"x": "mark(1,1)"}])
    for run in (run_directly, run_match):
        settings = Settings(math.inf, math.inf)
        referee = run(tictactoe, {"x": "legal", "o": "legal"}, settings, past=past)
        assert (referee.how, referee.errors) == ("completed", {"x": 0, "o": 0})


def test_players_are_told_when_a_listener_fails(tictactoe: Game) -> None:
    told: list[str] = []

    class Watching(Legal):
        def abort(self) -> Any:
            told.append(self.role)
            return super().abort()

    def fail(event: events.Event) -> None:
        if isinstance(event, events.Moved):
            raise OSError(28, "No space left on device", "match.jsonl")

    players = {role: InProcess(Watching(), "watching") for role in "xo"}
    with pytest.raises(OSError, match="No space left"):
        asyncio.run(conduct(tictactoe, players, Settings(), listeners=[fail]))
    assert sorted(told) == ["o", "x"]


def test_a_listener_that_fails_at_once_ends_the_match(tictactoe: Game) -> None:
    def fail(event: events.Event) -> None:
        raise OSError(28, "No space left on device", "match.jsonl")

    players = {role: InProcess(Legal(), "legal") for role in "xo"}
    with pytest.raises(OSError, match="No space left"):
        asyncio.run(conduct(tictactoe, players, Settings(), listeners=[fail]))


# With players


def test_the_same_seed_gives_the_same_match(tictactoe: Game) -> None:
    def moves(run: Any) -> list[Mapping[str, str]]:
        heard: list[events.Event] = []
        run(tictactoe, {"x": "random", "o": "random"}, Settings(seed=5), listeners=[heard.append])
        return [event.moves for event in heard if isinstance(event, events.Moved)]

    assert moves(run_directly) == moves(run_directly) == moves(run_match)


def test_a_hidden_state_can_be_played_by_our_players() -> None:
    heard: list[events.Event] = []
    for run in (run_directly, run_match):
        run(parse(HIDDEN, name="coin"), {"seer": "random"}, Settings(seed=5), listeners=[heard.append])
    assert not [event for event in heard if isinstance(event, events.Fault)]


def test_each_has_a_clock_of_its_own_when_called_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("gamemaster.match.manager.time.perf_counter", lambda: clock[0])

    class Slow(Random):
        def choose(self, state: Any) -> Any:
            clock[0] += 3.0
            return super().choose(state)

    heard: list[events.Event] = []
    players = {"left": Slow(seed=1), "right": Random(seed=1)}
    run_directly(parse(SIMULTANEOUS, name="rps"), players, Settings(), listeners=[heard.append])
    moved = next(event for event in heard if isinstance(event, events.Moved))
    assert moved.seconds == {"left": 3.0, "right": 0.0}


def test_a_match_that_is_called_directly_goes_on(tictactoe: Game) -> None:
    past = Past([{"x": "mark(1,1)"}, {"o": "mark(2,2)"}])
    referee = run_directly(tictactoe, {"x": "legal", "o": "legal"}, Settings(), past=past)
    assert (referee.how, referee.errors) == ("completed", {"x": 0, "o": 0})


def test_a_manager_can_be_paused_resumed_and_ended(tictactoe: Game) -> None:
    class Slow(Random):
        def choose(self, state: Any) -> Any:
            time.sleep(0.02)
            return super().choose(state)

    async def match() -> Referee:
        players = {role: InProcess(Slow(seed=1), "slow") for role in "xo"}
        manager = Manager(tictactoe, players, Settings(play_clock=60.0))
        running = asyncio.create_task(manager.conduct())
        while manager.referee.state.step < 1:
            await asyncio.sleep(0.001)
        manager.pause()
        step = manager.referee.state.step
        await asyncio.sleep(0.1)
        assert manager.referee.state.step == step
        manager.resume()
        while manager.referee.state.step == step:
            await asyncio.sleep(0.001)
        manager.end()
        return await running

    assert asyncio.run(match()).how == "ended"


def test_a_manager_can_abort(tictactoe: Game) -> None:
    async def match() -> Referee:
        players = {role: InProcess(Legal(), "legal") for role in "xo"}
        manager = Manager(tictactoe, players, Settings(play_clock=2.0))
        asyncio.get_running_loop().call_soon(manager.abort)
        return await manager.conduct()

    assert asyncio.run(match()).how in ("aborted", "completed")


def test_rules_that_a_player_cannot_be_told_make_it_unreachable(
    tictactoe: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> str:
        raise LimitExceeded("size", "1 MB")

    async def match() -> Referee:
        players = {role: InProcess(Legal(), "legal") for role in "xo"}
        monkeypatch.setattr(players["x"], "send", refuse)
        return await conduct(tictactoe, players, Settings(play_clock=2.0), listeners=[heard.append])

    heard: list[events.Event] = []
    referee = asyncio.run(match())
    assert referee.how == "completed"
    kinds = {event.kind for event in heard if isinstance(event, events.Fault) and event.role == "x"}
    assert kinds == {"unreachable"}


def test_nobody_pays_for_a_busy_manager(tictactoe: Game) -> None:
    """The loop is blocked for longer than the clock when a move was made; the next round has all of its own."""

    def block(event: events.Event) -> None:
        if isinstance(event, events.Moved):
            time.sleep(0.05)

    heard: list[events.Event] = []
    players = {role: Prompt(Legal()) for role in "xo"}
    settings = Settings(play_clock=0.04)
    asyncio.run(conduct(tictactoe, players, settings, listeners=[heard.append, block]))
    assert not [event for event in heard if isinstance(event, events.Fault)]


def test_nobody_is_late_because_the_manager_reads_what_another_says() -> None:
    """It is busy with the reply of one until the clock has run out; that of the other came meanwhile."""

    class Soon(Prompt):
        def send(self, request: Request) -> str:
            reply = call_handler(self.player, request)
            loop = asyncio.get_running_loop()
            loop.call_later(0.005, lambda: self._deliver(time.monotonic(), reply))
            return str(request)

    def block(event: events.Event) -> None:
        if isinstance(event, events.Message) and event.role == "left" and event.text == "rock":
            time.sleep(0.15)

    heard: list[events.Event] = []
    players = {"left": Prompt(Legal()), "right": Soon(Legal())}
    game = parse(SIMULTANEOUS, name="once")
    asyncio.run(conduct(game, players, Settings(play_clock=0.1), listeners=[heard.append, block]))
    assert not [event for event in heard if isinstance(event, events.Fault)]


@pytest.mark.parametrize("text", ["f(" + "a," * 30_000 + "a)", "(f " + "a " * 30_000 + ")", "(" * 60_000])
def test_a_text_longer_than_any_legal_move_is_illegal_unread(
    text: str, tictactoe: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: str) -> Term:
        raise AssertionError("this takes the time of others")

    for reader in ("read_term", "read_kif_term"):
        monkeypatch.setattr(moves, reader, fail)
    legal = tictactoe.initial_state().legal_moves("x")
    assert judging.judged_move(Reply(1, text, text), legal) == (None, "illegal")
    spaced = "( mark" + " " * 60_000 + "1 1)"
    assert judging.judged_move(Reply(1, spaced.replace("( ", "("), spaced), legal)[0] in legal


class Loud(Exception):
    """Code of a player ran where it must not."""


def loud(*_: object) -> Any:
    raise Loud


LOUD = dict.fromkeys(["__eq__", "__iter__", "__len__", "__getitem__", "__contains__", "__str__"], loud)
LoudTuple = type("LoudTuple", (tuple,), {**LOUD, "__hash__": tuple.__hash__})
LoudCompound = type("LoudCompound", (Compound,), {**LOUD, "__hash__": loud})
LoudText = type("LoudText", (str,), {**LOUD, "__hash__": str.__hash__})
Agreeing = type("Agreeing", (Compound,), {"__eq__": lambda *_: True, "__hash__": lambda _: 1})
Posing = type("Posing", (), {**LOUD, "__class__": Compound, "__str__": lambda _: "mark(1,1)"})


def parts_of(value: Any) -> list[Any]:
    return (
        [value, *(each for part in value for each in parts_of(part))] if type(value) is Compound else [value]
    )


@pytest.mark.parametrize(
    ("value", "move"),
    [
        (LoudTuple(("mark", "1", "1")), "mark(1,1)"),
        (LoudCompound(("mark", "1", "1")), "mark(1,1)"),
        (("mark", LoudText("1"), LoudText("1")), "mark(1,1)"),
        ((LoudText("mark"), 1, 1), "mark(1,1)"),
        (Compound(("mark", Symbol("1"), LoudText("1"))), "mark(1,1)"),
        (Posing(), "mark(1,1)"),
        (Agreeing(("mark", "9", "9")), None),
        (("mark", Agreeing(("f",)), "1"), None),
        (("mark", ("f", ()), "1"), None),
    ],
)
def test_nothing_of_a_players_own_classes_is_judged(value: Any, move: str | None, tictactoe: Game) -> None:
    legal = tictactoe.initial_state().legal_moves("x")
    reply = reply_of(1, value)
    assert isinstance(reply, Reply)
    assert {type(part) for part in parts_of(reply.value)} <= {str, Symbol, Compound}
    assert type(reply.text) is str
    found, kind = judging.judged_move(reply, legal)
    assert (None if found is None else str(found)) == move
    assert kind != "" if found is None else any(found is each for each in legal)


def test_terms_that_are_too_large_are_not_copied() -> None:
    deep: Any = ("f", "a")
    for _ in range(64):
        deep = ("f", deep, deep)
    assert reply_of(1, deep) == Failure(1, "huge", "a term of more than 65,536 parts")
    for _ in range(200):
        deep = ("f", deep)
    assert reply_of(1, deep) == Failure(1, "malformed", "a tuple too deep to be read")


@pytest.mark.parametrize("text", ["f(" + "a," * 300 + "a)", "f(" + "(," * 3_000 + "a)"])
def test_a_record_of_long_replies_that_are_illegal_is_true(text: str, tictactoe: Game) -> None:
    class Long(Legal):
        def play(self, moves: Any = None) -> Any:
            super().play(moves)
            return text

    heard: list[events.Event] = []
    run_directly(tictactoe, {"x": Long(), "o": Legal()}, Settings(), listeners=[heard.append])
    assert "illegal" in {event.kind for event in heard if isinstance(event, events.Fault)}
    assert not verify(record_of(heard)).problems


@pytest.mark.parametrize(("excused", "faults"), [(0.05, []), (0.0, ["late", "stale"])])
def test_what_came_while_the_manager_was_busy_may_have_come_in_time(
    tictactoe: Game, excused: float, faults: list[str]
) -> None:
    async def match() -> None:
        manager = Manager(tictactoe, players, listeners=[heard.append])
        await manager._open_all()
        manager.referee.begin(100.0)
        for role in "xo":
            manager.referee.receive(100.0, role, Reply(1, "ready", "ready"))
        deadline = manager.referee.deadline
        assert deadline is not None
        manager._news.put_nowait((deadline + 0.03, "x", Reply(2, "mark(1,1)", "mark(1,1)")))
        manager._excused = excused
        manager._take_news()
        await manager._close_all()

    heard: list[events.Event] = []
    players = {role: InProcess(Legal(), "legal") for role in "xo"}
    asyncio.run(match())
    assert [event.kind for event in heard if isinstance(event, events.Fault)] == faults
    assert [event for event in heard if isinstance(event, events.Moved)]


def test_a_match_that_is_left_tells_the_players_and_can_go_on(tictactoe: Game) -> None:
    heard: list[events.Event] = []
    told: list[str] = []

    class Watching(Legal):
        def abort(self) -> Any:
            told.append(self.role)
            return super().abort()

    class Slow(Watching):
        def play(self, moves: Any = None) -> Any:
            time.sleep(0.2)
            return super().play(moves)

    async def leave() -> None:
        players = {"x": InProcess(Slow(), "slow"), "o": InProcess(Watching(), "watching")}
        match = asyncio.create_task(conduct(tictactoe, players, Settings(seed=1), listeners=[heard.append]))
        while sum(isinstance(event, events.Moved) for event in heard) < 3:
            await asyncio.sleep(0.01)
        match.cancel()
        with pytest.raises(asyncio.CancelledError):
            await match

    asyncio.run(leave())
    assert sorted(told) == ["o", "x"]
    assert not [event for event in heard if isinstance(event, events.Ended)]
    record = record_of(heard)
    assert verify(record).is_true
    assert len(record.past().moves) >= 3
    run_directly(
        tictactoe,
        {"x": "legal", "o": "legal"},
        Settings(seed=1),
        listeners=[heard.append],
        past=record.past(),
    )
    assert isinstance(heard[-1], events.Ended)


def test_a_player_that_says_too_much_is_heard_no_longer(tictactoe: Game) -> None:
    table = started(tictactoe)
    table.sent()
    for _ in range(100):
        table.say("x", "mark(9,9)", number=1)
    noted = [fault for fault in table.faults() if fault[0] == "x"]
    assert len(noted) == MOST_REPLIES
    assert table.of(events.Fault)[-1].detail == f"{MOST_REPLIES} replies to one message; the rest is ignored"
    table.say("x", "mark(1,1)")
    table.wait(6)
    assert table.of(events.Moved)[0].substituted == ("x",)
    table.say("o", table.referee.state.legal_moves("o")[0])
    assert len(table.of(events.Moved)) == 2


def test_a_hidden_match_that_goes_on_is_recalled() -> None:
    game = parse(HIDDEN, name="coin")
    for side in ("heads", "tails"):
        past = Past([{"seer": "wait", "random": f"toss({side})"}])
        referee = run_match(game, {"seer": "egghead"}, Settings(play_clock=0.5, seed=1), past=past)
        assert (referee.how, referee.state.goal("seer")) == ("completed", 100)
        assert referee.errors == {"seer": 0}
