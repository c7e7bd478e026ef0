"""gm.search, gm.match and gm.check: functions with the names of modules, and what they give."""

from __future__ import annotations

import asyncio
import json
import os
import pydoc
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, assert_type

import pytest

import gamemaster as gm
from gamemaster.check import Report
from gamemaster.match.records.record import read_record
from gamemaster.match.request import Reply, Request
from gamemaster.match.result import MatchResult
from gamemaster.match.transports.transport import Deliver, Transport
from gamemaster.players.asking import ask_first
from gamemaster.search.result import NOT_SEARCHED
from tests.players.sheets import ROSHAMBO

TICTACTOE = gm.load("tictactoe", machine="reference")
COIN = """
role(random) role(player)
init(start)
legal(random,heads) :- true(start)
legal(random,tails) :- true(start)
legal(player,noop) :- true(start)
legal(player,guess(heads)) :- true(side(S))
legal(player,guess(tails)) :- true(side(S))
legal(random,noop) :- true(side(S))
next(side(M)) :- does(random,M) & true(start)
next(done(S,M)) :- does(player,guess(M)) & true(side(S))
terminal :- true(done(S,M))
goal(player,100) :- true(done(S,S))
goal(player,0) :- ~true(done(heads,heads)) & ~true(done(tails,tails))
goal(random,0)
"""

ANY_ORDER = """
import sys
import gamemaster as gm
{}
state = gm.load("tictactoe", machine="reference").initial_state()
assert gm.search(state, algorithm="minimaxdepth(depth=0)").move is not None
assert gm.match("tictactoe", "legal", seed=1).how == "completed"
assert gm.check("tictactoe", seconds=0).errors == 0
from gamemaster import check, match, search
from inspect import isfunction
assert isfunction(check) and isfunction(match) and isfunction(search)
"""


@pytest.mark.parametrize(
    "imports",
    [
        "assert not {'gamemaster.match', 'gamemaster.check', 'numba', 'clingo'} & set(sys.modules)",
        "import gamemaster.search.budget, gamemaster.match.events, gamemaster.check",
        "import gamemaster.search.budget as b, gamemaster.match.events as e\nassert e.Event and b.Budget is gm.Budget",
        "from gamemaster.match import events\nfrom gamemaster.search import budget\nfrom gamemaster.check import check",
        "import gamemaster.search.tally\nassert gamemaster.search.tally is sys.modules['gamemaster.search.tally']",
        "import gamemaster.search.playouts.uct as uct\nassert uct is sys.modules['gamemaster.search.playouts.uct']",
        "import gamemaster.search as s, gamemaster.match as m, gamemaster.check as c\nassert s.budget and c.Report",
        "import importlib\nm = importlib.import_module('gamemaster.match')\nimportlib.reload(m)",
    ],
)
def test_the_calls_are_functions_whatever_was_imported_before(imports: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ANY_ORDER.format(imports)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_help_on_a_call_is_about_the_call() -> None:
    for call, line in [
        (gm.search, "search(state: 'State | Game | str | Path', role:"),
        (gm.match, "match(game: 'Game | str | Path', players:"),
        (gm.check, "check(rules: 'Game | str | Path', dialect:"),
    ]:
        shown = pydoc.plain(pydoc.render_doc(call))
        assert shown.startswith(
            f"Python Library Documentation: function {call.__name__} in module gamemaster.calls"
        )
        assert line in shown
        assert f"gm.{call.__name__}(" in shown
        assert "PACKAGE CONTENTS" not in shown


def test_what_a_module_holds_can_be_replaced_through_its_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gm.search, "a_new_name", 3, raising=False)
    assert vars(sys.modules["gamemaster.search"])["a_new_name"] == 3


def test_only_public_names_are_listed() -> None:
    assert dir(gm) == gm.__all__
    assert gm.MatchResult is MatchResult
    with pytest.raises(AttributeError, match="module 'gamemaster' has no attribute 'serach'"):
        gm.serach  # type: ignore[attr-defined] # noqa: B018


# search


def test_a_search_in_one_call() -> None:
    state = TICTACTOE.initial_state().next("mark(1,1)").next("mark(2,1)").next("mark(1,2)").next("mark(2,2)")
    result = gm.search(state, algorithm="minimax")
    assert_type(result, gm.SearchResult)
    assert (result.role, str(result.move), result.value, result.is_proven) == ("x", "mark(1,3)", 100, True)


def test_a_game_is_searched_from_its_start(tmp_path: Path) -> None:
    (tmp_path / "coin.hrf").write_text(COIN.replace("init(start)", "init(side(tails))"))
    for place in (TICTACTOE, "tictactoe"):
        assert gm.search(place, algorithm="minimaxdepth(depth=0)").role == "x"
    assert str(gm.search(tmp_path / "coin.hrf", algorithm="expectimax").move) == "guess(tails)"
    with pytest.raises(
        gm.ParameterError, match=r"^3 is neither a state nor a game: give game.initial_state\(\)"
    ):
        gm.search(3)  # type: ignore[arg-type]
    with pytest.raises(gm.UnknownGame, match="no game or rule file 'tictacto'; did you mean tictactoe"):
        gm.search("tictacto")


def test_results_are_readable_where_they_are_printed_and_where_they_are_shown() -> None:
    found = gm.search(TICTACTOE, algorithm="minimaxdepth(depth=0)")
    assert str(found).startswith("minimaxdepth: mark(1,1), value ")
    assert repr(found) == f"<SearchResult {found}>"
    played = gm.match("tictactoe", "legal")
    assert repr(played) == f"<MatchResult {played}>"
    assert re.fullmatch(
        r"1,000 playouts in [0-9.]+ s: 7\.[0-9] moves, goals [0-9.]+, [0-9.]+", str(TICTACTOE.playouts(1000))
    )
    assert str(gm.PlayoutStats(2, 9, 1.0, 4.5, (50.0,), cut=1)).startswith(
        "2 playouts, 1 of them cut, in 1.00 s"
    )
    lines = str(gm.check("role(x)", seconds=0)).splitlines()
    assert re.match(r"rules:1:1: error\[.*\]: ", lines[0])
    assert re.fullmatch(r"[0-9]+ errors, [0-9]+ warnings?; not played", lines[-1])
    assert re.fullmatch(
        r"0 errors, .*; [0-9,]+ random games?: .* steps, .*", str(gm.check("tictactoe", seconds=0.1))
    )


def test_without_a_name_the_first_algorithm_that_takes_the_game_is_asked() -> None:
    result = gm.search(TICTACTOE.initial_state(), playouts=50)
    assert result.algorithm == "uct"
    assert "mcts needs a compiled game" in result.notes
    both = gm.search(gm.parse(ROSHAMBO, machine="reference").initial_state(), "right", seconds=0.2)
    assert (both.algorithm, both.role) == ("decoupled", "right")


def test_what_is_refused_at_the_door_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, gm.Budget]] = []

    def search_with(name: str, values: object) -> Any:
        def search(state: gm.State, role: str, budget: gm.Budget, seed: int) -> gm.SearchResult:
            asked.append((name, budget))
            return gm.SearchResult(name, role, None, 0.0, notes="its own")

        return search

    monkeypatch.setattr("gamemaster.players.asking.search_with", search_with)
    both = gm.parse(ROSHAMBO, machine="compiled").initial_state()
    for state in (both, TICTACTOE.initial_state(), gm.load("tictactoe", machine="compiled").initial_state()):
        found = gm.search(state, seconds=1.0)
    assert asked == [(name, gm.Budget(1.0)) for name in ("decoupled", "uct", "mcts")]
    assert found.notes == "its own"
    refused = gm.search(both, seconds=1.0).notes.splitlines()
    assert refused[0].startswith("mcts: several roles of ")
    assert refused[1:] == ["its own"]


def test_no_machine_code_is_loaded_for_a_game_that_mcts_does_not_take() -> None:
    code = (
        "import sys, gamemaster as gm\n"
        "print(gm.search(gm.load('tictactoe', machine='reference').initial_state(), playouts=9).algorithm)\n"
        "print('numba' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["uct", "False"]


def test_who_sees_late_that_it_cannot_go_on_has_spent_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, float | None]] = []

    def search_with(name: str, values: object) -> Any:
        def search(state: gm.State, role: str, budget: gm.Budget, seed: int) -> gm.SearchResult:
            asked.append((name, budget.seconds))
            if name == "uct":
                raise gm.Unsuitable("several choose later")
            return gm.SearchResult(name, role, None, 0.0)

        return search

    monkeypatch.setattr("gamemaster.players.asking.search_with", search_with)
    result = gm.search(TICTACTOE.initial_state(), seconds=60.0)
    (first, whole), (then, left) = asked
    assert (first, whole, then) == ("uct", 60.0, "decoupled")
    assert left is not None
    assert left < 60.0
    assert result.notes.startswith("mcts needs a compiled game")


def test_without_kernels_a_search_in_python_is_asked() -> None:
    def search(name: str, budget: gm.Budget) -> gm.SearchResult:
        if name == "mcts":
            raise gm.Unsuitable("the kernels of mcts cannot be compiled")
        return gm.SearchResult(name, "x", None, 0.0)

    state = gm.load("tictactoe", machine="compiled").initial_state()
    assert ask_first(state, gm.Budget(1.0), search)[::2] == ("uct", "the kernels of mcts cannot be compiled")


def test_values_of_any_fitting_type_are_parameters() -> None:
    state = TICTACTOE.initial_state()
    assert gm.search(state, algorithm="uct", nodes=40, exploration=1, solver=False, amaf="rave").nodes == 40
    assert gm.search(state, algorithm="maxn", depth=None, nodes=40).nodes == 40
    assert gm.search(state, algorithm="alphabeta", depth=1, ordering=("table",)).depth == 1


def test_parameters_stand_beside_or_in_brackets() -> None:
    state = TICTACTOE.initial_state()
    beside = gm.search(state, algorithm="deepening", depth=2, evaluation=lambda state, role: 7.0)
    assert (beside.depth, beside.value) == (2, 7.0)
    assert gm.search(state, algorithm="deepening(depth=2)", evaluation="mobility").depth == 2
    assert gm.search(state, "x", "minimaxdepth(depth=0)").depth == 1


def test_the_budget_is_given_whole_or_in_parts() -> None:
    state = TICTACTOE.initial_state()
    parts = gm.search(state, algorithm="uct", nodes=40)
    whole = gm.search(state, algorithm="uct", budget=gm.Budget(nodes=40))
    assert parts.nodes == whole.nodes == 40


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"algorithm": "uct", "depth": 3}, "uct has no parameter 'depth'; there are: exploration="),
        ({"algorithm": "greedy", "depth": 3}, "greedy has no parameter 'depth'; there are none"),
        ({"algorithm": "minimaxid", "depth": 3}, "minimaxid is a player: its parameters stand in brackets"),
        ({"algorithm": "utc"}, "no algorithm, player or player file 'utc'; did you mean uct"),
        ({"algorithm": "legal"}, "legal chooses without thinking: there is nothing to show"),
        ({"role": "z"}, "no role 'z' in tictactoe"),
        ({"role": "o"}, "'o' has no legal move in step 1; to move: x"),
        ({"budget": gm.Budget(1), "seconds": 2}, "a budget has its own seconds, nodes and playouts"),
        ({"depth": 3}, "mcts has no parameter 'depth'"),
        (
            {"algorithm": "uct", "exploration": "x"},
            "exploration of uct: 'x' is not a number; there are: exploration=0.5",
        ),
        ({"algorithm": "uct", "exploration": float("nan")}, "exploration of uct: nan is not a number"),
        ({"algorithm": "uct", "solver": 1}, "solver of uct: 1 is not yes or no"),
        ({"algorithm": "uct", "amaf": "all"}, "amaf of uct: 'all' is not one of none, rave, grave"),
        ({"algorithm": "maxn", "depth": "4"}, "depth of maxn: '4' is not a whole number or none"),
        ({"algorithm": "maxn", "depth": -1}, "depth of maxn: -1 is not a whole number or none"),
        ({"algorithm": "maxn", "depth": True}, "depth of maxn: True is not a whole number or none"),
        ({"algorithm": "maxn", "depth": 2.0}, "depth of maxn: 2.0 is not a whole number or none"),
        ({"algorithm": "maxn", "evaluation": 3}, "evaluation of maxn: 3 is not a name"),
        ({"algorithm": "coalition", "alliances": "x"}, "alliances of coalition: 'x' is not names between"),
        ({"exploration": "x"}, "exploration of mcts: 'x' is not a number"),
    ],
)
def test_what_cannot_be_searched_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(gm.GamemasterError, match="^" + re.escape(message)):
        gm.search(TICTACTOE.initial_state(), **options)  # type: ignore[arg-type]


def test_nobody_thinks_for_chance() -> None:
    state = gm.parse(COIN, machine="reference").initial_state()
    for role in ("random", None):
        with pytest.raises(
            gm.StateError, match=r"^'random' is chance, .* \(heads, tails\), or think for: player"
        ):
            gm.search(state, role)
    later = state.next({"random": "heads", "player": "noop"})
    assert str(gm.search(later, seconds=0.2).move) == "guess(heads)"


def test_nobody_thinks_about_a_game_that_is_over() -> None:
    state = gm.parse(COIN, machine="reference").state(["done(heads,heads)"])
    with pytest.raises(gm.StateError, match="the game is over"):
        gm.search(state)


def test_a_result_goes_to_json() -> None:
    result = gm.search(TICTACTOE.initial_state(), algorithm="minimaxdepth(depth=0)")
    written = json.loads(json.dumps(result.to_dict()))
    assert written["move"] == str(result.move)
    assert len(written["moves"]) == 9
    assert set(written["moves"][0]) == {"move", "value", "is_bound", "is_end", "visits", "line", "glance"}
    assert [row["value"] for row in written["moves"]] == sorted(result.values.values(), reverse=True)
    assert written["caveats"] == []


def test_ends_and_caveats_go_to_json() -> None:
    state = TICTACTOE.initial_state().next("mark(1,1)").next("mark(2,1)").next("mark(1,2)").next("mark(2,2)")
    result = gm.search(state, algorithm="maxn", depth=1, evaluation=lambda state, role: 200.0)
    first, *others = result.to_dict()["moves"]
    assert (first["move"], first["is_end"]) == ("mark(1,3)", True)
    assert not any(row["is_end"] for row in others)
    unknown = gm.search(state, algorithm="maxn", nodes=0).to_dict()
    assert unknown["caveats"] == unknown["notes"] == [NOT_SEARCHED]


# match


def test_a_match_in_one_call(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    result = gm.match(TICTACTOE, ["legal", "minimaxdepth(depth=0)"], seed=1, record=path)
    assert_type(result, MatchResult)
    assert result.how == "completed"
    assert result.players == {"x": "legal", "o": "minimaxdepth(depth=0)"}
    assert sum(goal or 0 for goal in result.goals.values()) == 100
    assert result.errors == {"x": 0, "o": 0}
    assert result.moves[0] == {"x": "mark(1,1)"}
    assert result.state.is_terminal
    assert result.record.moves == read_record(path).moves
    assert str(result).startswith(f"tictactoe: completed after {len(result.moves)} steps, x ")


def test_one_player_for_all_roles_and_players_by_role() -> None:
    assert gm.match("tictactoe", "legal").players == {"x": "legal", "o": "legal"}
    assert gm.match("tictactoe", {"o": "legal", "x": "random"}).players == {"x": "random", "o": "legal"}


def test_a_match_goes_to_json_with_rows_for_a_table() -> None:
    result = gm.match("tictactoe", ["legal", "dumbo"], seed=2)
    written = json.loads(json.dumps(result.to_dict()))
    assert written["errors"]["o"] == result.errors["o"] > 0
    assert f"{result.errors['o']} error" in str(result)
    assert "illegal" in {fault["kind"] for fault in written["faults"]}
    thought = {"value", "depth", "nodes", "caveat"}
    assert written["steps"][0].keys() == {"step", "role", "move", "seconds", "substituted"} | thought
    assert {written["steps"][0][name] for name in thought} == {None}
    assert {row["substituted"] for row in written["steps"] if row["role"] == "o"} == {True}
    assert [row["move"] for row in written["steps"]] == [m for moves in result.moves for m in moves.values()]
    assert written["record"] is None


def test_the_rows_of_a_match_say_what_players_thought() -> None:
    rows = gm.match(TICTACTOE, ["minimaxdepth(depth=1)", "legal"], seed=2).to_dict()["steps"]
    assert (rows[0]["depth"], rows[0]["nodes"]) == (2, 81)
    assert rows[0]["value"] is not None
    assert rows[1]["nodes"] is None


def test_players_for_other_roles_than_there_are_refused() -> None:
    with pytest.raises(gm.UnknownRole, match=r"^3 players for the 2 roles of tictactoe: x, o"):
        gm.match("tictactoe", ["legal"] * 3)
    with pytest.raises(gm.UnknownRole):
        gm.match("tictactoe", {"x": "legal"})


def test_a_match_runs_beside_an_event_loop_as_in_a_notebook() -> None:
    async def cell() -> str:
        return gm.match("tictactoe", "legal").how

    assert asyncio.run(cell()) == "completed"


class Interrupting(Transport):
    """A player in whose turn somebody presses Ctrl-C, and who makes no move."""

    name = "interrupting"

    def __init__(self) -> None:
        self.heard: list[str] = []

    async def open(self, deliver: Deliver) -> None:
        self.deliver = deliver

    def send(self, request: Request) -> str:
        self.heard.append(request.kind)
        if request.kind == "play":
            os.kill(os.getpid(), signal.SIGINT)
        else:
            loop = asyncio.get_running_loop()
            loop.call_soon(self.deliver, loop.time(), Reply(request.number, "ready"))
        return str(request)

    def give_up(self, number: int) -> None:
        pass

    async def close(self) -> None:
        self.heard.append("closed")


def interrupted_in_a_notebook(player: Interrupting, path: Path) -> None:
    async def cell() -> None:
        gm.match("tictactoe", [player, "legal"], play_clock=3600.0, record=path)

    loop = asyncio.new_event_loop()  # as in a notebook: asyncio.run would hear the first interrupt itself
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            loop.run_until_complete(cell())
    finally:
        signal.signal(signal.SIGINT, before)
        loop.close()


def test_an_interrupt_in_a_notebook_leaves_the_match_and_players_are_told(tmp_path: Path) -> None:
    player, path = Interrupting(), tmp_path / "match.jsonl"
    interrupted_in_a_notebook(player, path)
    assert player.heard == ["start", "play", "abort", "closed"]
    assert read_record(path).ended is None


def test_an_interrupt_while_its_thread_is_started_leaves_no_match_that_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player, start = Interrupting(), threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        start(thread)
        if threading.current_thread() is threading.main_thread():
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    interrupted_in_a_notebook(player, tmp_path / "match.jsonl")
    assert player.heard[-1:] in ([], ["closed"])  # never opened, or told that it is over
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("ThreadPool")]


# check


def test_rules_are_checked_in_one_call(tmp_path: Path) -> None:
    text = "role(x)\ninit(p)\nlegal(x,a) :- true(q)\nterminal :- true(p)\ngoal(x,100)\n"
    report = gm.check(text, seconds=0)
    assert_type(report, Report)
    codes = [finding.code for finding in report]
    assert "undefined" in codes
    assert len(report.findings) == len(codes) == report.errors + report.warnings
    path = tmp_path / "game.hrf"
    path.write_text(text)
    for place in (path, str(path)):
        assert [finding.code for finding in gm.check(place, seconds=0)] == codes
    assert gm.check(TICTACTOE, seconds=0).errors == gm.check("tictactoe", seconds=0).errors == 0
    with pytest.raises(gm.UnknownGame):
        gm.check("tictactoo")
    with pytest.raises(gm.UnknownGame):
        gm.check("x" * 5000)


def test_a_report_does_not_pass_for_a_yes_or_no() -> None:
    """`if gm.check(rules)` would read as its opposite if a report without findings were false."""
    assert not hasattr(Report, "__len__")
    assert bool(Report((), None))


@pytest.mark.parametrize("name", ["my(1).kif", "my(1).hrf", "my(1).epilog"])
def test_a_file_that_is_not_there_is_not_taken_for_rules(name: str, tmp_path: Path) -> None:
    with pytest.raises(gm.UnknownGame, match=r"^no game or rule file '.*my\(1\)\."):
        gm.check(str(tmp_path / name))
    (tmp_path / name).write_text("role(x)")
    assert gm.check(str(tmp_path / name), seconds=0).errors > 0


def test_findings_and_statistics_go_to_json() -> None:
    report = gm.check("role(x)", seconds=0)
    assert json.loads(json.dumps(report.to_dict()))["findings"][0]["place"]["line"] == 1
    stats = json.loads(json.dumps(TICTACTOE.playouts(count=3).to_dict()))
    assert stats["playouts"] == 3
    assert len(stats["mean_goals"]) == 2
