"""What is made for large games by another process is what would be made here."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.codegen.cache import pack
from gamemaster.codegen.kernel import compile_objects
from gamemaster.machine import background, compiled, workshop
from gamemaster.machine.artifact import make_artifact
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.preparation import prepare
from tests.codegen.test_tiers import random_code
from tests.search.readiness import LONG

SHEET = """
role(a) number({number}) init(at(1)) succ(1,2) succ(2,3)
legal(a,go) legal(a,stay)
next(at(Y)) :- does(a,go) & true(at(X)) & succ(X,Y)
next(at(X)) :- does(a,stay) & true(at(X))
terminal :- true(at(3))
goal(a,100) :- true(at(3))
goal(a,0) :- ~true(at(3))
"""


def new_game() -> CompiledGame:
    """A game that no process has seen before."""
    game = gm.parse(SHEET.format(number=time.time_ns()), dialect="hrf", machine="compiled")
    assert isinstance(game, CompiledGame)
    return game


@pytest.fixture
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "LARGE", 0)
    monkeypatch.setattr(background, "LARGE", 0)


@pytest.mark.parametrize("job", ["charge", "expand"])
def test_instructions_are_the_same(
    job: str, everything_is_large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, here = new_game(), new_game()
    with monkeypatch.context() as patch:
        patch.setattr(game.artifact, "code", lambda job: game.artifact.codes[job])  # not made in this process
        assert game.make_ready(job, LONG)
    assert (game.artifact.codes[job].instructions == here._code(job).instructions).all()
    assert game.artifact.playout == here.artifact.playout
    kept = make_artifact(prepare(game.sheet))
    assert job in kept.codes  # on disk


def test_machine_code_is_the_same(everything_is_large: None, monkeypatch: pytest.MonkeyPatch) -> None:
    code = random_code(5, 200, 1)
    product = workshop.objects_made_elsewhere("test elsewhere", code, lambda: False)
    assert product == compile_objects("test elsewhere", code, lambda: False)
    game = new_game()
    monkeypatch.setattr(background, "compile_objects", None)  # not called in this process
    assert game.background.wait("advance", LONG)
    state = game.initial_state()
    assert str(state.next("go").next("go").goal("a")) == "100"


def refuse(*_: object, **__: object) -> subprocess.Popen[bytes]:
    raise OSError("no more processes")


def fail(*_: object, **__: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", "raise SystemExit(1)"], stdout=subprocess.PIPE)


@pytest.mark.parametrize("begin", [refuse, fail])
def test_without_another_process_it_is_made_here(
    begin: Callable[..., object], everything_is_large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workshop, "_begin", begin)
    game = new_game()
    assert game.make_ready("expand", LONG)
    assert game.background.wait("observe", LONG)


def test_what_is_not_on_disk_cannot_be_ordered() -> None:
    with pytest.raises(LookupError):
        workshop.make(pack({"job": "expand", "key": "unknown"}, []))
    assert workshop.codes_made_elsewhere("unknown", "expand") is None


def begin_to_sleep(*_: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], stdout=subprocess.PIPE)


def test_work_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workshop, "_begin", begin_to_sleep)
    assert workshop.objects_made_elsewhere("test", random_code(2, 50), lambda: True) is None


def test_nobody_is_left_at_work_when_a_process_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workshop, "_begin", begin_to_sleep)
    thread = threading.Thread(target=workshop.codes_made_elsewhere, args=("key", "expand"))
    thread.start()
    while not workshop._children:
        time.sleep(0.01)
    (child,) = workshop._children
    workshop._close()
    thread.join(30)
    assert child.returncode == -signal.SIGKILL
    assert not workshop._children
    with pytest.raises(ProcessLookupError):
        os.kill(child.pid, 0)


def test_codes_that_are_taken_leave_those_that_are_there() -> None:
    game = new_game()
    game._code("charge")
    before = game.artifact.codes["observe"]
    other = new_game().artifact
    game.artifact.take_codes(other.codes_to_bytes())
    assert game.artifact.codes["observe"] is before
    assert game.artifact.playout  # the other had none
    assert np.array_equal(before.instructions, other.codes["observe"].instructions)
