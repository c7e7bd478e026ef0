"""Competitions are played to their end, wherever matches run, and count every match once."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from typing import Any

import pytest

from gamemaster.arena.competition import Competition, Entrant, TestPlan
from gamemaster.arena.holding import Venue, checked, hold, workers_for
from gamemaster.arena.journal import Begun, begin, resume
from gamemaster.arena.orders import MatchOrder, Rulebook, order_of, play_order
from gamemaster.arena.outcomes import UNPLAYED, MatchOutcome
from gamemaster.arena.pairings import plan
from gamemaster.arena.running import Progress, Runner
from gamemaster.arena.workers.here import Here
from gamemaster.arena.workers.processes import Processes, cores
from gamemaster.arena.workers.seam import WorkerDied
from gamemaster.errors import CompetitionError, GamemasterError, NotIsolated, WorkersLost
from gamemaster.load import load
from gamemaster.match.records.record import read_record, record_from_lines
from gamemaster.match.records.verifying import verify


def small(players: str = "random legal", games: str = "tictactoe nim", **more: Any) -> Competition:
    entrants = tuple(Entrant(each, each) for each in players.split())
    return Competition(tuple(games.split()), entrants, start_clock=30, play_clock=30, **more)


def told(outcomes: Sequence[MatchOutcome]) -> list[tuple[object, ...]]:
    """What outcomes say, but for how long they took."""
    return [
        (each.number, each.game, each.seats, each.how, each.goals, each.errors, each.steps)
        for each in outcomes
    ]


def test_a_competition_is_played_to_its_end_and_kept(tmp_path: Path) -> None:
    heard: list[Progress] = []
    progress = hold(small("random legal onestep"), tmp_path / "c", Venue(0), tell=heard.append)
    assert progress.is_over
    assert len(progress.outcomes) == progress.planned == 12
    assert heard[-1] == progress
    lines = (tmp_path / "c" / "outcomes.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["number"] for line in lines) == list(range(12))
    for each in progress.outcomes:
        record = read_record(tmp_path / "c" / "records" / f"{each.number:06}.jsonl")
        assert verify(record).problems == ()
        assert tuple(record.started.players.values()) == each.seats


def test_it_goes_on_where_it_was_left(tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    def leave(progress: Progress) -> None:
        if len(progress.outcomes) == 3:
            raise Enough

    whole = hold(small(matches=2), None, Venue(0))
    with pytest.raises(Enough):
        hold(small(matches=2), tmp_path, Venue(0), tell=leave)
    played: list[int] = []
    rest = hold(None, tmp_path, Venue(0), tell=lambda each: played.append(len(each.outcomes)))
    assert min(played) == 3
    assert told(rest.outcomes) == told(whole.outcomes)


def test_processes_play_what_one_plays(tmp_path: Path) -> None:
    made = small("random legal onestep", opening=2, matches=2)
    here, there = hold(made, None, Venue(0)), hold(made, tmp_path, Venue(2))
    assert told(here.outcomes) == told(there.outcomes)


def test_those_of_a_pair_begin_with_the_same_opening(tmp_path: Path) -> None:
    hold(small(games="connectfour", opening=4), tmp_path, Venue(0))
    records = [read_record(path) for path in sorted((tmp_path / "records").iterdir())]
    first, second = ([moved.moves for moved in record.moves[:4]] for record in records)
    assert first == second
    assert all(moved.substituted for record in records for moved in record.moves[:4])
    assert not any(moved.substituted for record in records for moved in record.moves[4:])


def test_a_player_that_fails_in_every_match_is_scored(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("def play(move):\n    raise RuntimeError('no idea')\n")
    made = Competition(
        ("tictactoe",), (Entrant("broken", str(path)), Entrant("legal", "legal")), start_clock=30
    )
    progress = hold(made, None, Venue(0))
    assert len(progress.outcomes) == 2
    assert all(each.counts and each.errors[each.seats.index("broken")] > 0 for each in progress.outcomes)
    assert "crashed" in progress.outcomes[0].reasons[progress.outcomes[0].seats.index("broken")]


def test_a_player_that_ends_its_process_ends_no_match(tmp_path: Path) -> None:
    path = tmp_path / "leaves.py"
    path.write_text("import os, signal\ndef play(move):\n    os.kill(os.getpid(), signal.SIGKILL)\n")
    made = Competition(
        ("tictactoe",), (Entrant("leaves", str(path)), Entrant("legal", "legal")), start_clock=30
    )
    progress = hold(made, None, Venue(1))
    assert [each.how for each in progress.outcomes] == ["completed"] * 2
    assert all(each.errors[each.seats.index("leaves")] > 0 for each in progress.outcomes)


def test_a_test_stops_when_it_is_decided() -> None:
    made = small("onestep dumbo", "tictactoe", test=TestPlan(0, 200, most=200))
    one, two = hold(made, None, Venue(0)), hold(made, None, Venue(2))
    assert one.verdict is not None
    assert one.verdict.answer == "better"
    assert len(one.outcomes) == 2 * one.verdict.pairs < 100
    assert told(one.outcomes) == told(two.outcomes)


def test_chance_and_three_roles_and_one() -> None:
    progress = hold(small("random legal onestep", "dicerace threehouses peg"), None, Venue(0))
    assert {each.game: len(each.seats) for each in progress.outcomes} == {
        "dicerace": 2,
        "threehouses": 3,
        "peg": 1,
    }
    assert len(progress.outcomes) == 6 + 3 + 3


def test_a_file_travels_as_its_text(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def play(move):\n    return 'noop'\n")
    made = Competition(
        ("tictactoe",), (Entrant("mine", f"{path}"), Entrant("legal", "legal")), start_clock=30
    )
    found = checked(made)
    fixture = plan(made, {"tictactoe": 2}, {})[0]
    order = order_of(fixture, made, Rulebook.of("tictactoe", found.games["tictactoe"]), found.files)
    path.unlink()
    report = play_order(order)
    assert report.outcome.steps > 0
    assert "illegal" in report.outcome.reasons[0]


def test_clocks_can_count_what_players_compute(tmp_path: Path) -> None:
    path = tmp_path / "sleeps.py"
    path.write_text("import time\ndef play(move):\n    time.sleep(0.3)\n    return 'noop'\n")
    entrants = (Entrant("sleeps", str(path)), Entrant("legal", "legal"))
    made = Competition(
        ("tictactoe",), entrants, start_clock=30, play_clock=0.2, has_cpu_clocks=True, isolation="separate"
    )
    progress = hold(made, tmp_path / "c", Venue(0))
    faults = [
        fault.kind for path in (tmp_path / "c" / "records").iterdir() for fault in read_record(path).faults
    ]
    assert "late" not in faults
    assert "illegal" in faults
    assert all(each.how == "completed" for each in progress.outcomes)
    for record in (tmp_path / "c" / "records").iterdir():
        assert verify(read_record(record)).problems == ()


def test_mistakes_are_told_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(
        CompetitionError, match=r"(?s)2 mistakes, and nothing was played.*chesss.*nobody"
    ) as caught:
        hold(small("nobody random", "tictactoe chesss"), tmp_path / "c", Venue(0))
    assert len(caught.value.mistakes) == 2
    assert not (tmp_path / "c").exists()


# Workers


def pid_of(_: object) -> int:
    return os.getpid()


def core_of(_: object) -> set[int]:
    return set(os.sched_getaffinity(0))


def die(_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fail(what: str) -> None:
    raise GamemasterError(what)


def test_processes_are_others_and_each_has_a_core() -> None:
    workers = Processes()
    try:
        assert workers.places == len(cores())
        futures = [workers.submit(core_of, None) for _ in range(workers.places)]
        assert sorted(core for each in futures for core in each.result()) == cores()
        assert workers.submit(pid_of, None).result() != os.getpid()
    finally:
        workers.close()


def test_a_process_that_dies_is_replaced() -> None:
    workers = Processes(1)
    try:
        first = workers.submit(pid_of, None).result()
        with pytest.raises(WorkerDied, match="has ended"):
            workers.submit(die, None).result()
        assert workers.submit(pid_of, None).result() != first
        with pytest.raises(GamemasterError, match="of its own"):
            workers.submit(fail, "of its own").result()
    finally:
        workers.close()


def test_closed_workers_leave_no_process() -> None:
    workers = Processes(2)
    pids = {workers.submit(pid_of, None).result() for _ in range(4)}
    workers.close()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_here_is_this_process() -> None:
    workers = workers_for(Venue(0))
    assert workers.submit(pid_of, None).result() == os.getpid()
    with pytest.raises(GamemasterError, match="told"):
        workers.submit(fail, "told").result()
    workers.close()


class Unsteady(Here):
    """Workers of which some die."""

    def __init__(self, *, deaths: int) -> None:
        self.left = deaths

    def submit(self, call: Callable[[Any], Any], value: Any) -> Future[Any]:
        if self.left:
            self.left -= 1
            future: Future[Any] = Future()
            future.set_exception(WorkerDied("died"))
            return future
        return super().submit(call, value)


@pytest.mark.parametrize(("deaths", "lost"), [(2, 0), (3, 1), (7, 2)])
def test_a_match_whose_workers_die_is_begun_again_but_not_for_ever(
    tmp_path: Path, deaths: int, lost: int
) -> None:
    made = small(games="tictactoe", matches=2)
    games = {"tictactoe": load("tictactoe")}
    with begin(tmp_path, Begun(made, {})) as journal:
        progress = Runner(journal, games, Unsteady(deaths=deaths)).run()
    assert sum(each.how == UNPLAYED for each in progress.outcomes) == lost
    assert len(progress.outcomes) == 4
    if lost:
        assert progress.outcomes[0].detail == "WorkerDied: died (3 tries)"
    with resume(tmp_path) as journal:
        assert Runner(journal, games, Here()).run().outcomes == progress.outcomes


class Failing(Here):
    """Workers that fail after some work."""

    def __init__(self, error: Exception, after: int = 2) -> None:
        self.error, self.left = error, after

    def submit(self, call: Callable[[Any], Any], value: Any) -> Future[Any]:
        if self.left:
            self.left -= 1
            return super().submit(call, value)
        future: Future[Any] = Future()
        future.set_exception(self.error)
        return future


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (WorkersLost("the cluster is gone"), "the cluster is gone"),
        (NotIsolated("no walls here"), "no walls here"),
        (OSError(28, "No space left on device"), "no match could be played any more"),
        (MemoryError(), "the last time for: MemoryError"),
        (WorkerDied("died"), "no match could be played any more"),
    ],
)
def test_trouble_of_the_machine_loses_no_match(tmp_path: Path, error: Exception, said: str) -> None:
    made = small(games="tictactoe", matches=3)
    games = {"tictactoe": load("tictactoe")}
    whole = hold(made, None, Venue(0))
    with begin(tmp_path, Begun(made, {})) as journal, pytest.raises(GamemasterError, match=said):
        Runner(journal, games, Failing(error)).run()
    assert len((tmp_path / "outcomes.jsonl").read_text().splitlines()) == 2
    with resume(tmp_path) as journal:
        assert told(Runner(journal, games, Here()).run().outcomes) == told(whole.outcomes)


def test_a_match_that_the_rules_do_not_allow_is_unplayed_and_others_go_on(tmp_path: Path) -> None:
    class Refusing(Failing):
        def submit(self, call: Callable[[Any], Any], value: Any) -> Future[Any]:
            self.left = int(value.fixture.number != 1)
            return super().submit(call, value)

    made = small(games="tictactoe", matches=2)
    with begin(tmp_path, Begun(made, {})) as journal:
        workers = Refusing(GamemasterError("what rules"))
        progress = Runner(journal, {"tictactoe": load("tictactoe")}, workers).run()
    assert [each.how for each in progress.outcomes] == ["completed", UNPLAYED, "completed", "completed"]
    assert progress.outcomes[1].detail == "what rules"


def test_a_player_that_changes_while_it_plays_is_told(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def play(move):\n    return 'noop'\n")
    entrants = (Entrant("mine", str(path)), Entrant("legal", "legal"))
    made = Competition(("tictactoe",), entrants, start_clock=60, matches=2)

    def change(progress: Progress) -> None:
        if progress.new:
            path.write_text("def play(move):\n    return 'other'\n")

    with pytest.raises(CompetitionError, match=r"mine\.py has changed while the competition ran"):
        hold(made, tmp_path / "c", Venue(0), tell=change)
    with pytest.raises(CompetitionError, match=r"mine\.py changed since the competition began"):
        hold(None, tmp_path / "c", Venue(0))
    path.write_text("def play(move):\n    return 'noop'\n")
    assert len(hold(None, tmp_path / "c", Venue(0)).outcomes) == 4
    path.unlink()
    with pytest.raises(CompetitionError, match="no player or player file"):
        hold(None, tmp_path / "c", Venue(0))


def test_equals_do_not_mirror_each_other() -> None:
    progress = hold(small("random indy", "connectfour:small", matches=6), None, Venue(0))
    pairs = zip(progress.outcomes[::2], progress.outcomes[1::2], strict=True)
    assert any(first.steps != second.steps for first, second in pairs)


def test_an_endless_game_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gamemaster.arena.orders.MOST_STEPS", 20)
    path = tmp_path / "endless.hrf"
    path.write_text("role(a) init(on) legal(a,stay) next(on) :- true(on) goal(a,40) terminal :- true(off)")
    progress = hold(Competition((str(path),), (Entrant("legal", "legal"),)), tmp_path / "c", Venue(0))
    assert [(each.how, each.steps, each.goals) for each in progress.outcomes] == [("ended", 20, (40,))]
    assert verify(read_record(tmp_path / "c" / "records" / "000000.jsonl")).problems == ()


def test_who_is_at_an_address_plays_one_match_at_a_time() -> None:
    class Watching(Here):
        """Workers with two places that say what they are at."""

        places = 2

        def __init__(self) -> None:
            self.most = 0
            self.futures: list[tuple[Future[Any], Any]] = []

        def submit(self, call: Callable[[Any], Any], value: Any) -> Future[Any]:
            future: Future[Any] = Future()
            self.futures = [each for each in self.futures if not each[0].done()]
            self.futures.append((future, value))
            self.most = max(self.most, len(self.futures))
            Timer(0.01, lambda: future.set_result(call(value))).start()
            return future

    command = [sys.executable, "-u", "-m", "gamemaster", "player", "legal", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+:\d+", process.stdout.readline())
        assert found is not None
        entrants = (Entrant("far", found[0]), Entrant("legal", "legal"))
        made = Competition(("tictactoe",), entrants, matches=2, start_clock=60, play_clock=60)
        assert checked(made).files == {}
        workers = Watching()
        with TemporaryDirectory() as folder, begin(Path(folder), Begun(made, {})) as journal:
            progress = Runner(journal, {"tictactoe": load("tictactoe")}, workers).run()
        process.kill()
    assert workers.most == 1
    assert [each.how for each in progress.outcomes] == ["completed"] * 4


def test_hold_needs_something() -> None:
    with pytest.raises(CompetitionError, match="no competition, and no folder"):
        hold(None, None, Venue(0))


def test_an_order_and_what_comes_back_are_plain_values() -> None:
    import pickle

    made = small()
    fixture = plan(made, {"tictactoe": 2, "nim": 2}, {})[0]
    order = order_of(fixture, made, Rulebook.of("tictactoe", load("tictactoe")), {})
    again = pickle.loads(pickle.dumps(order))
    assert isinstance(again, MatchOrder)
    report = pickle.loads(pickle.dumps(play_order(again)))
    assert report.outcome.number == fixture.number
    assert record_from_lines(report.record).started.seed == fixture.seed
