"""Whatever players do, a match ends, and the right one is blamed; nothing is left behind."""

from __future__ import annotations

import asyncio
import contextlib
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gamemaster.errors import Unsuitable
from gamemaster.load import load
from gamemaster.machine.game import Game
from gamemaster.match.events import Ended, Moved
from gamemaster.match.manager import conduct
from gamemaster.match.referee import Referee
from gamemaster.match.request import MOST_REPLIES
from gamemaster.match.settings import Settings
from gamemaster.match.transports.child_process import ChildProcess, PipeLines, ProcessLimits, player_process
from gamemaster.match.transports.http_client import HttpPlayer
from gamemaster.match.transports.transport import MAX_REPLY, Transport
from gamemaster.players.simple import Random
from tests.match import misbehaving as bad

GOOD, BAD = "x", "o"
CLOCKS = Settings(start_clock=2.0, play_clock=0.2, ping_clock=1.0, seed=7)
PATIENT = Settings(start_clock=5.0, play_clock=3.0, ping_clock=3.0, seed=7)
VERY_PATIENT = Settings(start_clock=30.0, play_clock=20.0, ping_clock=20.0, seed=7)
"""For processes: a busy machine takes its time to start one."""


@pytest.fixture(scope="module")
def game() -> Game:
    return load("tictactoe")


@pytest.fixture(autouse=True)
def _nothing_is_left(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Nor does asyncio complain of how we treat its processes."""
    yield
    assert [record.getMessage() for record in caplog.get_records("call") if record.name == "asyncio"] == []
    assert not bad.wait_for_end(lambda: bad.player_threads() or bad.processes_with("misbehaving_child"))


async def play(game: Game, player: Transport, settings: Settings) -> bad.Faults:
    """A match of a good player, who must not suffer, against another."""
    heard = bad.Faults()
    good = bad.Prompt(Random(seed=1))
    async with asyncio.timeout(600):
        referee = await conduct(game, {GOOD: good, BAD: player}, settings, listeners=[heard])
    check(heard, referee, settings)
    return heard


def check(heard: bad.Faults, referee: Referee, settings: Settings) -> None:
    """What holds for every match."""
    ended = heard.events[-1]
    assert isinstance(ended, Ended)
    assert ended.how == "completed"
    assert referee.state.is_terminal
    assert ended.errors[GOOD] == 0
    assert heard.kinds(GOOD) == set()
    assert ended.errors[BAD] == sum(fault.is_error for fault in heard.all)
    for moved in heard.events:
        if isinstance(moved, Moved) and GOOD in moved.moves:
            assert moved.seconds[GOOD] < settings.play_clock
            assert GOOD not in moved.substituted


def run(game: Game, player: Transport, settings: Settings = CLOCKS) -> bad.Faults:
    return asyncio.run(play(game, player, settings))


# In this process


def nested(depth: int) -> Any:
    term: Any = "1"
    for _ in range(depth):
        term = ("mark", term)
    return term


class Unspeakable(Exception):
    """Cannot be said, neither as a move nor as what went wrong."""

    def __str__(self) -> str:
        raise ValueError("no words")


class Nothing(BaseException):
    """Not even an Exception."""


def test_a_silent_player_is_late_and_its_thread_does_not_hold_the_match(game: Game) -> None:
    let_go = threading.Event()
    try:
        heard = run(game, bad.in_process(bad.Silent(let_go)))
        assert heard.kinds(BAD, is_error=True) == {"late"}
    finally:
        let_go.set()


def test_a_player_slower_than_its_clock_is_late_and_its_replies_are_stale(game: Game) -> None:
    heard = run(game, bad.in_process(bad.Slower()))
    assert heard.kinds(BAD, is_error=True) == {"late"}
    assert "stale" in heard.kinds(BAD, is_error=False)


@pytest.mark.parametrize(
    ("handler", "kinds", "is_error"),
    [
        ("ping", {"crashed"}, False),
        ("start", {"crashed"}, True),
        ("play", {"crashed"}, True),
        ("stop", {"crashed"}, False),
        ("abort", set(), False),
    ],
)
def test_a_crash_in_a_handler_is_told(game: Game, handler: str, kinds: set[str], is_error: bool) -> None:
    heard = run(game, bad.in_process(bad.CrashesIn(handler)), PATIENT)
    assert heard.kinds(BAD) == kinds
    assert heard.kinds(BAD, is_error=is_error) == kinds
    assert all(fault.detail.startswith("ZeroDivisionError: on purpose") for fault in heard.all[:1])


@pytest.mark.parametrize("error", [SystemExit(3), Unspeakable(), Nothing(), KeyboardInterrupt()])
def test_a_player_that_leaves_does_not_take_the_match_along(game: Game, error: BaseException) -> None:
    heard = run(game, bad.in_process(bad.CrashesIn("play", error)), PATIENT)
    assert heard.kinds(BAD) == {"crashed"}
    assert heard.all[0].detail.startswith(type(error).__name__)


def test_a_player_that_refuses_the_game_is_told_apart(game: Game) -> None:
    heard = run(game, bad.in_process(bad.CrashesIn("start", Unsuitable("not my game"))), PATIENT)
    assert "refused" in heard.kinds(BAD, is_error=True)
    assert next(fault for fault in heard.all if fault.kind == "refused").detail == "not my game"


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("mark(7,7)", "illegal"),
        (2, "illegal"),
        ("mark((", "malformed"),
        (False, "malformed"),
        ("x" * 10**4, "illegal"),
        ("x" * 10**6, "huge"),
        (("mark",) * 10**5, "huge"),
        ((), "malformed"),
        ((("mark",), "1", "1"), "illegal"),
        (("mark", object(), ()), "malformed"),
        (nested(100_000), "malformed"),
        (Unspeakable(), "crashed"),
    ],
)
def test_what_is_no_legal_move_costs_an_error(game: Game, value: object, kind: str) -> None:
    heard = run(game, bad.in_process(bad.Says(value)), PATIENT)
    assert heard.kinds(BAD, is_error=True) == {kind}
    assert all(len(fault.detail) < 500 for fault in heard.all)


# In a process of its own


@pytest.mark.parametrize(
    ("behaviour", "errors", "others"),
    [
        ("good", set(), set()),
        ("out of turn", set(), {"out of turn"}),
        ("twice", set(), {"duplicate"}),
        ("stale", set(), {"stale"}),
        ("future", set(), {"out of turn"}),
        ("huge", {"huge"}, set()),
        ("large", {"huge"}, set()),
        ("garbage", {"malformed"}, set()),
        ("no number", {"malformed"}, set()),
        ("no text", {"malformed"}, set()),
        ("odd fault", {"malformed"}, set()),
        ("illegal", {"illegal"}, set()),
        ("dies", {"crashed"}, {"crashed"}),
        ("dies mid-reply", {"crashed"}, {"crashed"}),
        ("forks", set(), set()),
    ],
)
def test_a_process_that_misbehaves(game: Game, behaviour: str, errors: set[str], others: set[str]) -> None:
    heard = run(game, bad.child(behaviour), VERY_PATIENT)
    assert heard.kinds(BAD, is_error=True) == errors
    ignored = heard.kinds(BAD, is_error=False)
    if behaviour == "out of turn":  # or stale, where the others were quicker
        ignored = {kind.replace("stale", "out of turn") for kind in ignored}
    if behaviour == "stale":  # or a duplicate, where the older message was answered in the same round
        ignored = {kind.replace("duplicate", "stale") for kind in ignored}
    assert ignored == others
    assert not bad.wait_for_end(lambda: bad.processes_with(bad.SLEEP))


def test_a_silent_process_is_ended_after_two_clocks(game: Game) -> None:
    heard = run(game, bad.child("silent"))
    kinds = [fault.kind for fault in heard.all if fault.is_error]
    assert kinds[:2] == ["late", "late"]
    assert set(kinds[2:]) <= {"crashed"}


@pytest.mark.parametrize("behaviour", ["flood", "endless"])
def test_a_process_that_never_stops_talking_makes_nobody_else_late(game: Game, behaviour: str) -> None:
    settings = Settings(start_clock=60.0, play_clock=3.0, ping_clock=60.0, seed=7)
    heard = bad.Faults()
    players = {GOOD: bad.child("half its clock"), BAD: bad.child(behaviour)}
    check(heard, asyncio.run(conduct(game, players, settings, listeners=[heard])), settings)
    assert heard.kinds(BAD, is_error=True) <= {"malformed", "huge", "late", "crashed"}
    assert len(heard.all) < 40 * len(heard.events)


def test_a_process_that_talks_without_end_can_be_closed() -> None:
    async def open_and_close() -> None:
        talks = "import os\nwhile True: os.write(1, b'\\n' * 65536)  # misbehaving_child"
        player = ChildProcess([sys.executable, "-I", "-S", "-c", talks], "talks")
        heard: list[object] = []
        await player.open(lambda _, reply: heard.append(reply))
        while not heard:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        await asyncio.wait_for(player.close(), 5.0)
        assert len(heard) == MOST_REPLIES

    asyncio.run(open_and_close())


@pytest.mark.parametrize(
    ("chunks", "lines"),
    [
        (["a\nb", "c\n"], ["a", "bc"]),
        (["a\nb\nc\nd", "e\nf\n"], ["a", "b", "f"]),
        (["a\nb\nc\n", "d\n"], ["a", "b", "d"]),
        (["a\nb\nc", "d\n"], ["a", "b", "cd"]),
        (["\n\n\nx", "y", "z\na\n"], ["", "", "a"]),
        (["x" * (MAX_REPLY + 1), "x", "x\na\n"], ["x" * (MAX_REPLY + 1), "a"]),
    ],
)
def test_of_many_lines_only_the_first_are_looked_at(chunks: list[str], lines: list[str]) -> None:
    """Two of each chunk; a line whose beginning is dropped is dropped."""
    reader = PipeLines()
    assert [line for chunk in chunks for line in reader.cut(chunk.encode(), 2)] == [
        line.encode() for line in lines
    ]


def test_a_process_that_closes_its_output_is_late(game: Game) -> None:
    assert run(game, bad.child("closes")).kinds(BAD, is_error=True) == {"late", "crashed"}


def test_a_program_that_is_not_there_crashes(game: Game) -> None:
    heard = run(game, ChildProcess(["/no/such/program"], "nobody"), PATIENT)
    assert heard.kinds(BAD) == {"crashed"}
    assert "cannot be started" in heard.all[0].detail


EATER = """
hoard = []
def play(moves):
    while True:
        hoard.append(bytearray(2**26))
"""
FORKER = """
import os, time
def start(role, rules, startclock, playclock):
    if os.fork() == 0:
        os.setsid()
        while True:
            time.sleep(10)
    return "ready"
def play(moves):
    return False
"""
BURNER = """
def play(moves):
    while True:
        pass
"""


def isolated(tmp_path: Path, text: str, limits: ProcessLimits) -> Transport:
    path = tmp_path / "misbehaving_child_player.py"
    path.write_text(text)
    return player_process(
        str(path), 1, replace(limits, has_walls=False)
    )  # those behind walls: see test_walls.py


def test_memory_is_limited(game: Game, tmp_path: Path) -> None:
    heard = run(game, isolated(tmp_path, EATER, ProcessLimits(memory=2**30)), VERY_PATIENT)
    assert heard.kinds(BAD, is_error=True) == {"crashed"}
    assert "MemoryError" in heard.all[0].detail


def test_cpu_time_is_limited(game: Game, tmp_path: Path) -> None:
    heard = run(game, isolated(tmp_path, BURNER, ProcessLimits(cpu=1)), VERY_PATIENT)
    assert heard.kinds(BAD, is_error=True) == {"crashed"}
    assert "SIGKILL" in heard.all[0].detail or "SIGXCPU" in heard.all[0].detail


def test_children_of_a_player_end_with_it(game: Game, tmp_path: Path) -> None:
    heard = run(game, isolated(tmp_path, FORKER, ProcessLimits()), PATIENT)
    assert heard.kinds(BAD, is_error=True) == {
        "malformed"
    }  # it has no move; its children are not there: see above


GETS_AWAY = """
import os, subprocess, time
def play(moves):
    subprocess.Popen(["sleep", "98765"], start_new_session=True, env={})
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execve("/bin/sleep", ["sleep", "98765"], {})
        os._exit(0)
    return END
""".replace("98765", bad.SLEEP)


@pytest.mark.parametrize("end", ["False", "os._exit(3)", "time.sleep(60)"])
def test_nobody_gets_away(game: Game, tmp_path: Path, end: str) -> None:
    """Neither with an empty environment, nor with a session of its own, nor from a player that is gone."""
    settings = Settings(start_clock=20.0, play_clock=1.0 if "sleep" in end else 20.0, seed=7)
    heard = run(game, isolated(tmp_path, GETS_AWAY.replace("END", end), ProcessLimits()), settings)
    assert not bad.wait_for_end(lambda: bad.processes_with(bad.SLEEP))
    assert heard.kinds(BAD, is_error=True) <= {"malformed", "crashed", "late"}


DIES = """
import os, signal, time
def play(moves):
    if os.fork() == 0:
        time.sleep(60)  # it holds the pipes
    END
"""


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("os._exit(3)", "code 3"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "signal SIGSEGV"),
        ("os.kill(os.getpid(), 40)", "signal 40"),
    ],
)
def test_how_a_process_ended_is_told_at_once(game: Game, tmp_path: Path, end: str, said: str) -> None:
    heard = run(game, isolated(tmp_path, DIES.replace("END", end), ProcessLimits()), VERY_PATIENT)
    assert heard.kinds(BAD, is_error=True) == {"crashed"}
    assert heard.all[0].detail == f"the process ended with {said}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n1 / 0\n", ":2: ZeroDivisionError: division by zero"),
        (
            "def ply(moves): ...",
            ": there is no function play, and no class with one; ply in line 1 may be meant: call it play",
        ),
        ("import sys\nsys.exit(0)", ":2: SystemExit: 0"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_by_its_own_process(
    game: Game, tmp_path: Path, text: str, said: str
) -> None:
    heard = run(game, isolated(tmp_path, text, ProcessLimits()), VERY_PATIENT)
    assert heard.kinds(BAD) == {"crashed"}
    told = {fault.detail.split(" (to message")[0] for fault in heard.all}
    assert told == {f"{tmp_path}/misbehaving_child_player.py{said}"}


READS = """
import sys
heard = []
def start(role, rules, startclock, playclock):
    heard.append(sys.stdin.read())
    print("ready or not")
    return "ready"
def play(moves):
    assert heard == [""]
    return False
"""


def test_a_player_does_not_read_what_is_not_for_it(game: Game, tmp_path: Path) -> None:
    heard = run(game, isolated(tmp_path, READS, ProcessLimits()), VERY_PATIENT)
    assert heard.kinds(BAD) == {"malformed"}


@pytest.mark.parametrize("option", ["--separate", pytest.param("--isolate", marks=pytest.mark.walls)])
def test_a_manager_that_is_killed_takes_isolated_players_along(tmp_path: Path, option: str) -> None:
    """And what they have started: their requests end, and the guardian sees to the rest."""
    path = tmp_path / "misbehaving_child_player.py"
    path.write_text(GETS_AWAY.replace("END", "time.sleep(1)"))
    command = [sys.executable, "-m", "gamemaster", "match", "tictactoe", option, "--quiet"]
    process = subprocess.Popen([*command, "--players", f"{path},legal"])
    try:
        assert not bad.wait_for_end(lambda: not bad.processes_with(bad.SLEEP), 20.0)
    finally:
        process.kill()
        process.wait()
    left = bad.wait_for_end(lambda: bad.processes_with(bad.SLEEP) + bad.processes_with(str(path)), 10.0)
    assert not left


# Behind HTTP


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        (bad.mid_reply, "malformed"),
        (bad.mid_head, "malformed"),
        (bad.hang_up, "crashed"),
        (bad.garbage, "malformed"),
        (bad.bad_kif, "malformed"),
        (bad.error_500, "crashed"),
        (bad.not_found, "malformed"),
        (bad.long_head, "malformed"),
        (bad.huge_announced, "huge"),
        (bad.huge, "huge"),
        (bad.illegal, "illegal"),
    ],
)
def test_an_answer_that_is_none(game: Game, behaviour: bad.Behaviour, kind: str) -> None:
    async def match() -> bad.Faults:
        async with bad.http_player(behaviour) as player:
            return await play(game, player, PATIENT)

    heard = asyncio.run(match())
    assert heard.kinds(BAD, is_error=True) == {kind}


@pytest.mark.parametrize("behaviour", [bad.never, bad.trickle])
def test_an_answer_that_does_not_come_is_late(game: Game, behaviour: bad.Behaviour) -> None:
    async def match() -> bad.Faults:
        async with bad.http_player(behaviour) as player:
            return await play(game, player, CLOCKS)

    assert asyncio.run(match()).kinds(BAD, is_error=True) == {"late"}


def test_nobody_at_an_address_is_unreachable(game: Game) -> None:
    heard = run(game, HttpPlayer("http://127.0.0.1:1"), PATIENT)
    assert heard.kinds(BAD) == {"unreachable"}


def test_a_player_that_is_there_later_plays_from_then_on(game: Game) -> None:
    async def match() -> bad.Faults:
        async with bad.http_player(bad.illegal) as player:
            port, player.port = player.port, 1
            asyncio.get_running_loop().call_later(0.3, setattr, player, "port", port)
            # A good player that takes its time, so that the match is on when the other one comes.
            return await play_slowly(game, player)

    kinds = asyncio.run(match()).kinds(BAD)
    assert kinds == {"unreachable", "illegal", "out of turn"}


async def play_slowly(game: Game, player: Transport) -> bad.Faults:
    class Thoughtful(Random):
        def choose(self, state: Any) -> Any:
            time.sleep(0.15)
            return super().choose(state)

    heard = bad.Faults()
    good = bad.in_process(Thoughtful(seed=1))
    check(heard, await conduct(game, {GOOD: good, BAD: player}, PATIENT, listeners=[heard]), PATIENT)
    return heard


# Many


@pytest.mark.slow
def test_two_hundred_matches_with_players_that_misbehave(game: Game) -> None:
    """Those that shall be late have short clocks, the others such that nobody is late on any machine."""
    let_go = threading.Event()
    makers: list[tuple[Callable[[], Any], set[str]]] = [
        (lambda: bad.in_process(bad.Silent(let_go)), {"late"}),
        (lambda: bad.in_process(bad.Slower()), {"late"}),
        *((lambda name=name: bad.in_process(bad.CrashesIn(name)), {"crashed"}) for name in ("start", "play")),
        (lambda: bad.in_process(bad.CrashesIn("stop")), set()),
        (lambda: bad.in_process(bad.Says("mark(7,7)")), {"illegal"}),
        (lambda: bad.in_process(bad.Says("((")), {"malformed"}),
        *((lambda name=name: bad.child(name), kinds) for name, kinds in CHILDREN.items()),
        *((lambda way=way: bad.http_player(way), kinds) for way, kinds in SERVERS.items()),
        (lambda: HttpPlayer("http://127.0.0.1:1"), {"unreachable"}),
    ]

    async def one(number: int, gate: asyncio.Semaphore) -> None:
        make, expected = makers[number % len(makers)]
        async with gate, contextlib.AsyncExitStack() as stack:
            made = make()
            player = made if isinstance(made, Transport) else await stack.enter_async_context(made)
            is_late = "late" in expected
            clocks = (1.0, 0.15) if is_late else (300.0, 300.0)
            heard = await play(game, player, Settings(*clocks, seed=3))
        # Who is late may be so from the start, and a process that is killed for it has ended from then on.
        excused = {"not ready", "crashed"} if is_late else set()
        kinds = heard.kinds(BAD, is_error=True)
        assert expected <= kinds <= expected | excused, (player.name, heard.all)

    async def all_of_them() -> None:
        gate = asyncio.Semaphore(8)
        order = list(range(200))
        random.Random(1).shuffle(order)
        await asyncio.gather(*(one(number, gate) for number in order))

    try:
        asyncio.run(all_of_them())
    finally:
        let_go.set()
    assert not bad.wait_for_end(lambda: bad.processes_with(bad.SLEEP))


CHILDREN: dict[str, set[str]] = {
    "silent": {"late"},
    "ignoring": {"late"},
    "twice": set(),
    "stale": set(),
    "huge": {"huge"},
    "garbage": {"malformed"},
    "illegal": {"illegal"},
    "dies": {"crashed"},
    "forks": set(),
}
SERVERS: dict[bad.Behaviour, set[str]] = {
    bad.mid_reply: {"malformed"},
    bad.hang_up: {"crashed"},
    bad.garbage: {"malformed"},
    bad.huge: {"huge"},
    bad.never: {"late"},
    bad.illegal: {"illegal"},
}


def test_the_children_of_these_tests_are_seen_while_they_live() -> None:
    """Otherwise that none is left would mean nothing."""
    process = subprocess.Popen([sys.executable, "-I", "-S", str(bad.CHILD)], stdin=subprocess.PIPE)
    try:
        assert bad.wait_for_end(lambda: process.pid not in bad.processes_with("misbehaving_child")) is False
    finally:
        process.kill()
        process.wait()
        assert process.stdin is not None
        process.stdin.close()
