"""Limits hold on the compiled machine too: for making a game and for what play can cost, kept on disk or not."""

from __future__ import annotations

import math
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import gamemaster as gm
from gamemaster.codegen.cache import Cache, pack
from gamemaster.ground import budget, clingo_grounder
from gamemaster.ground.budget import WorkBudget
from gamemaster.ground.clingo_grounder import Grounding, GroundLimits
from gamemaster.load import build
from gamemaster.machine import preparation
from gamemaster.machine.compiled import CompiledGame

TOWNS = 20
CHAIN = """
role(x) init(on) legal(x,cut(X)) :- road(X,Y)
next(cut(X)) :- does(x,cut(X))
next(cut(X)) :- true(cut(X))
legal(x,stop) next(on) :- true(on) & ~does(x,stop)
reached(0) :- true(on)
reached(Y) :- reached(X) & road(X,Y) & ~true(cut(X))
reached(X) :- reached(Y) & road(X,Y) & ~true(cut(X))
terminal :- ~reached({last})
goal(x,50)
"""
ENDLESS = """
role(r) init(n(0)) control(r) legal(t)
t :: n(X) & plus(X,1,Y) ==> ~n(X) & n(Y)
goal(r,0) terminal :- n(3) & n(4)
"""


def chain(towns: int = TOWNS) -> str:
    """A row of towns with roads between them: which can be reached is a recursion through all of them."""
    return CHAIN.format(last=towns) + "".join(f"road({i},{i + 1})\n" for i in range(towns))


@pytest.fixture(params=["made now", "kept on disk"])
def kept(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A cache of its own, in which the game is or is not."""
    monkeypatch.setenv("GAMEMASTER_CACHE", str(tmp_path))
    if request.param == "kept on disk":
        game = gm.parse(chain(), "hrf", machine="compiled")
        game.playouts(10)
    return str(request.param)


def compiled(text: str, limits: gm.Limits | None = None) -> CompiledGame:
    game = gm.parse(text, "hrf", machine="compiled", limits=limits)
    assert isinstance(game, CompiledGame)
    return game


@pytest.mark.usefixtures("kept")
def test_more_ground_rules_than_allowed_are_refused() -> None:
    with pytest.raises(gm.LimitExceeded, match="size limit of 10 ground rules exceeded grounding the rules"):
        compiled(chain(), gm.Limits(rows=10))


@pytest.mark.usefixtures("kept")
def test_a_recursion_of_more_atoms_than_allowed_is_refused() -> None:
    with pytest.raises(gm.LimitExceeded, match="depth limit of 20 atoms in one recursion exceeded"):
        compiled(chain(), gm.Limits(depth=TOWNS))
    assert compiled(chain(), gm.Limits(depth=TOWNS + 1)).playouts(100).playouts == 100


@pytest.mark.usefixtures("kept")
def test_a_game_that_takes_longer_to_make_than_allowed_is_refused() -> None:
    with pytest.raises(gm.LimitExceeded, match=r"time limit of 1e-06 s exceeded"):
        compiled(chain(), gm.Limits(seconds=1e-6))


@pytest.mark.usefixtures("kept")
def test_a_game_within_its_limits_is_as_any_other() -> None:
    ours, plain = compiled(chain(), gm.Limits()), compiled(chain())
    assert ours.perft(2) == plain.perft(2) == [21, 0]
    assert ours.playouts(50, seed=1).moves == plain.playouts(50, seed=1).moves


def test_grounding_without_end_is_ended_by_the_limit() -> None:
    with pytest.raises(gm.LimitExceeded, match=r"time limit of 0\.01 s exceeded grounding the rules"):
        gm.parse(ENDLESS, "epilog", machine="compiled", limits=gm.Limits(seconds=0.01))
    with pytest.raises(gm.LimitExceeded, match="size limit of 100 ground rules exceeded grounding the rules"):
        gm.parse(ENDLESS, "epilog", machine="compiled", limits=gm.Limits(rows=100))


def test_where_a_limit_keeps_rules_from_compiling_the_reference_machine_plays_and_says_so() -> None:
    game = gm.parse(chain(), "hrf", limits=gm.Limits(depth=TOWNS))
    assert game.machine.name == "reference"
    assert game.machine.reason.startswith("not compiled: depth limit of 20 atoms in one recursion exceeded")


@pytest.fixture
def groundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What is grounded from here on, with a cache of its own."""
    monkeypatch.setenv("GAMEMASTER_CACHE", str(tmp_path))
    begun: list[object] = []

    def begin(*arguments: Any) -> Grounding:
        begun.append(arguments)
        return Grounding(*arguments)

    monkeypatch.setattr(preparation, "Grounding", begin)
    return begun


def test_what_costs_too_much_is_remembered_and_not_tried_a_second_time(groundings: list[object]) -> None:
    limits = gm.Limits(rows=100)
    machines = [gm.parse(ENDLESS, "epilog", limits=limits).machine for _ in range(2)]
    assert len(groundings) == 1
    assert machines[0] == machines[1]
    assert "size limit of 100 ground rules exceeded grounding the rules" in machines[0].reason
    gm.parse(ENDLESS, "epilog", limits=gm.Limits(rows=101))
    gm.parse(f"% one line lower\n{ENDLESS}", "epilog", limits=limits)
    assert len(groundings) == 3


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGKILL])
def test_what_somebody_else_ends_is_not_remembered(
    groundings: list[object], signal_number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def begin(*arguments: Any) -> Grounding:
        grounding = Grounding(*arguments)
        if not groundings:
            grounding.child.send_signal(signal_number)
        groundings.append(arguments)
        return grounding

    monkeypatch.setattr(preparation, "Grounding", begin)
    machines = [gm.parse(chain(), "hrf").machine.name for _ in range(2)]
    assert machines == ["reference", "compiled"]


def test_a_process_that_hangs_is_ended_by_the_clock_on_the_wall_and_not_remembered(
    groundings: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clingo_grounder, "DEFAULT", GroundLimits(patience=0.0))
    for _ in range(2):
        machine = gm.parse(chain(), "hrf").machine
        assert machine.reason.startswith("not compiled: time limit of 60 s exceeded grounding the rules")
    assert len(groundings) == 2


def test_seconds_are_counted_and_remembered(groundings: list[object]) -> None:
    limits = gm.Limits(seconds=0.01)
    reasons = {gm.parse(ENDLESS, "epilog", limits=limits).machine.reason for _ in range(2)}
    assert len(groundings) == len(reasons) == 1


def test_what_the_rules_get_wrong_on_the_ground_is_remembered_too(groundings: list[object]) -> None:
    wrong = chain() + "p(X) :- ~road(X,X)\nnext(q) :- p(X)\n"
    reasons = {gm.parse(wrong, "hrf").machine.reason for _ in range(2)}
    assert len(groundings) == 1
    assert reasons == {
        "not compiled: rules:31:1: nothing in the rule gives X its values, so the rules cannot be grounded (unsafe)"
        "; add a condition, not negated, that gives X its values"
    }


@pytest.mark.parametrize("what", [b"{}", b"nothing", b"older"])
def test_what_is_kept_and_cannot_be_read_is_found_again(groundings: list[object], what: bytes) -> None:
    limits = gm.Limits(rows=100)
    kept = {
        b"{}": pack({}, []),
        b"nothing": b"",
        b"older": pack({"made_by": "gamemaster builder 1", "circuit": 5}, []),
    }[what]
    sheets = [(chain(), "hrf", None), (ENDLESS, "epilog", limits)]
    for text, dialect, allowed in sheets:
        gm.parse(text, dialect, limits=allowed)  # type: ignore[arg-type]
    for file in Cache().folder.iterdir():
        Cache().write(file.name, kept)
    for _ in range(2):
        machines = [gm.parse(text, dialect, limits=allowed).machine for text, dialect, allowed in sheets]  # type: ignore[arg-type]
        assert [machine.name for machine in machines] == ["compiled", "reference"]
    assert len(groundings) == 4


def test_whoever_asks_for_the_compiled_machine_has_it_tried_again(groundings: list[object]) -> None:
    limits = gm.Limits(rows=100)
    for _ in range(2):
        with pytest.raises(gm.LimitExceeded, match="100 ground rules"):
            gm.parse(ENDLESS, "epilog", machine="compiled", limits=limits)
    assert len(groundings) == 2


def test_who_counts_without_end_is_named() -> None:
    with pytest.raises(gm.LimitExceeded, match="numbers may grow without end at rules:3:1"):
        gm.parse(ENDLESS, "epilog", machine="compiled", limits=gm.Limits(rows=100))


def test_building_is_ended_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAMEMASTER_CACHE", str(tmp_path))
    monkeypatch.setattr(budget, "MOST_NODES", 50)
    with pytest.raises(gm.LimitExceeded, match="size limit of 50 gates exceeded making the game for the co"):
        compiled(chain())


def test_seconds_are_those_that_work_usually_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks at a clock."""
    monkeypatch.setattr(budget, "time", None)
    WorkBudget(gm.Limits(seconds=3), "making it").check(90_000, 10_000, 50_000)
    WorkBudget(None, "making it").check(budget.MOST_NODES, 10**9, 10**9)
    for counted in ((100_001,), (0, 150_001), (0, 0, 3_000_001), (90_000, 20_000)):
        with pytest.raises(gm.LimitExceeded, match="time limit of 3 s exceeded making it"):
            WorkBudget(gm.Limits(seconds=3), "making it").check(*counted)


@pytest.mark.parametrize("job", ["play", "charge", "expand", "end"])
def test_making_a_job_is_ended_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, job: str) -> None:
    monkeypatch.setenv("GAMEMASTER_CACHE", str(tmp_path))
    game = compiled(chain(), gm.Limits())
    game.artifact.limits = gm.Limits(seconds=1e-9)
    with pytest.raises(gm.LimitExceeded, match=f"time limit of 1e-09 s exceeded making the job '{job}'"):
        game.artifact.code(job)
    assert job not in game.artifact.codes


def fifty_fold(clock: Callable[[], float]) -> float:
    return clock() * 50


def test_what_a_game_may_cost_does_not_depend_on_how_quick_the_machine_is(
    groundings: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All clocks run fifty times as fast, as they would on a machine with much else to do."""
    for name in ("monotonic", "perf_counter", "process_time", "thread_time"):
        monkeypatch.setattr(time, name, partial(fifty_fold, getattr(time, name)))
    limits = gm.Limits(seconds=2, rows=10_000)
    machines = [gm.parse(text, limits=limits).machine.name for text in (chain(), ENDLESS)]
    assert (machines, len(groundings)) == (["compiled", "reference"], 2)


BUSY = "import os, time\nwhile os.getppid() == {parent}:\n    pass\n"


@pytest.mark.slow
def test_the_same_sheet_gets_the_same_machine_on_a_machine_with_much_else_to_do(
    groundings: list[object],
) -> None:
    """Two loops beside it, and limits that it just keeps to, or just does not."""
    sheet = gm.load("breakthrough", machine="reference").sheet
    figures = build(sheet, "breakthrough", "compiled").figures
    assert figures
    enough = figures["nodes"] * budget.SECONDS_OF_NODE + figures["ground_rules"] * budget.SECONDS_OF_RULE
    enough += figures["ground_literals"] * budget.SECONDS_OF_LITERAL
    loops = [subprocess.Popen([sys.executable, "-c", BUSY.format(parent=os.getpid())]) for _ in range(2)]
    try:
        for seconds, machine in ((enough * 1.001, "compiled"), (enough * 0.999, "reference")):
            shutil.rmtree(Cache().folder)
            game = build(sheet, "breakthrough", limits=gm.Limits(seconds=seconds))
            assert game.machine.name == machine
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    assert len(groundings) == 3


def test_what_recursion_may_cost_in_play_is_known_before(monkeypatch: pytest.MonkeyPatch) -> None:
    code = compiled(chain()).artifact.codes["observe"]
    assert code.longest_recursion == TOWNS + 1
    assert len(code.instructions) < code.most_work <= len(code.instructions) * (TOWNS + 2)
    monkeypatch.setattr("gamemaster.machine.artifact.SECONDS_OF_AN_INSTRUCTION", 0.05)
    with pytest.raises(gm.LimitExceeded, match=r"time limit of 60 s .* its recursion may go on for \d+ s"):
        compiled(chain())
    assert compiled("role(x) legal(x,go) goal(x,5) terminal").artifact.codes["observe"].longest_recursion == 0


def test_limits_go_with_a_pickle() -> None:
    game = compiled(chain(), gm.Limits(depth=50))
    assert pickle.loads(pickle.dumps(game)).artifact.limits == gm.Limits(depth=50)


@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, "5", None, True, 10**30])
def test_a_limit_is_a_number_over_nothing(value: Any) -> None:
    for name in ("seconds", "rows", "depth"):
        with pytest.raises(gm.ParameterError, match=f"{name} of limits must be a .*number over 0, not "):
            gm.Limits(**{name: value})
    with pytest.raises(gm.ParameterError, match=r"rows of limits must be a whole number over 0, not '0\.5'"):
        gm.Limits(rows=0.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("machine", ["reference", "compiled", "auto"])
def test_limits_are_limits(machine: Any) -> None:
    with pytest.raises(gm.ParameterError, match=r"limits must be gm\.Limits\(\.\.\.\) or None, not 5"):
        gm.parse(chain(), "hrf", machine=machine, limits=5)  # type: ignore[arg-type]


@pytest.mark.parametrize("machine", ["reference", "compiled", "auto"])
def test_a_rule_has_no_more_conditions_than_can_be_looked_through(machine: Any) -> None:
    long = "\nnext(on) :- " + " & ".join(["true(on)"] * 1_001)
    with pytest.raises(
        gm.LimitExceeded, match="of 1,000 conditions exceeded by the 1,001 of the rule at rules:"
    ):
        gm.parse(chain() + long, "hrf", machine=machine)


@pytest.mark.parametrize(
    ("sentence", "what"),
    [
        ("p :- " + " & ".join(["(n(1) | n(2))"] * 501), "1,000 conditions exceeded by the 1,002 of the rule"),
        (
            "t :: " + " & ".join(["n(1)"] * 1_001) + " ==> p",
            "1,000 conditions exceeded by the 1,001 of the handler",
        ),
        (
            "t :: n(1) ==> " + " & ".join(["p"] * 1_001),
            "1,000 effects exceeded by the 1,001 of the handler at",
        ),
    ],
)
def test_what_is_too_long_is_refused_before_anything_is_made_of_it(
    monkeypatch: pytest.MonkeyPatch, sentence: str, what: str
) -> None:
    monkeypatch.setattr(sys.modules["gamemaster.load"], "lower", lambda _: pytest.fail("it was lowered"))
    with pytest.raises(gm.LimitExceeded, match=what):
        gm.parse(ENDLESS + sentence, "epilog")


def test_handlers_that_are_many_times_larger_as_rules_are_refused() -> None:
    conditions, effects = " & ".join(["n(1)"] * 500), " & ".join(["p"] * 500)
    with pytest.raises(
        gm.LimitExceeded, match="size limit of 1,000,000 conditions, counted for each effect, exc"
    ):
        gm.parse(ENDLESS + f"t :: {conditions} ==> {effects}\n" * 5, "epilog")
