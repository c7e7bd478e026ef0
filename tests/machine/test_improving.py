"""Instructions made anew by logic synthesis: checked, kept, taken over, and nobody's playouts change."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.codegen.cache import Cache
from gamemaster.codegen.code import AND_NOT, BOTH, Code, encode
from gamemaster.codegen.interpreter import interpret
from gamemaster.codegen.kernel import compile_objects
from gamemaster.codegen.lifting import lift
from gamemaster.codegen.plan import Plan, make_plan
from gamemaster.machine import background, improving, workshop
from gamemaster.machine.artifact import Artifact
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.improving import Improvement, kept_improvement, make_improvement
from gamemaster.network.equality import CASES
from gamemaster.network.graph import Network
from gamemaster.network.synthesis import Synthesis
from tests.search.readiness import LONG

SHEET = """
role(a) role(b) number({number}) succ(0,1) succ(1,2) succ(2,3)
init(count(0)) init(control(a)) init(free(1)) init(free(2)) init(free(3)) init(free(4))
other(a,b) other(b,a)
legal(R,take(N)) :- true(control(R)) & true(free(N))
legal(R,noop) :- role(R) & ~true(control(R))
next(free(N)) :- true(free(N)) & ~taken(N)
taken(N) :- does(R,take(N))
next(mine(R,N)) :- does(R,take(N))
next(mine(R,N)) :- true(mine(R,N))
next(control(S)) :- true(control(R)) & other(R,S)
terminal :- ~open
open :- true(free(N))
goal(R,100) :- true(mine(R,1)) & true(mine(R,4))
goal(R,50) :- role(R) & ~split(R)
split(R) :- true(mine(R,1)) & true(mine(R,4))
"""


@pytest.fixture(autouse=True)
def quickly_and_however_little_it_saves(monkeypatch: pytest.MonkeyPatch) -> None:
    def made_here(key: str, job: str, _: object) -> Improvement:
        content = Cache().read(key)
        assert content is not None
        return make_improvement(Artifact.from_bytes(content), job)

    monkeypatch.setattr(improving, "MOST_CASES", CASES)
    monkeypatch.setattr(improving, "WORTH", 0.0)
    monkeypatch.setattr(background, "improvement_made_elsewhere", made_here)


def new_game() -> CompiledGame:
    """A game that no process has seen before."""
    game = gm.parse(SHEET.format(number=time.time_ns()), dialect="hrf", machine="compiled")
    assert isinstance(game, CompiledGame)
    return game


def test_playouts_are_the_same_after_the_improvement() -> None:
    game = new_game()
    before = game.playouts(count=2_000, seed=5)
    plain = len(game.kernels["play"].code.instructions)
    assert game.background.wait("play", LONG, best=True)
    assert len(game.kernels["play"].code.instructions) < plain
    after = game.playouts(count=2_000, seed=5)
    assert (after.moves, after.mean_goals) == (before.moves, before.mean_goals)
    again = gm.parse(game.sheet.source.text, dialect="hrf", machine="compiled")
    assert isinstance(again, CompiledGame)
    assert again.kernel("play").is_compiled  # from the disk
    assert len(again.kernels["play"].code.instructions) < plain
    assert again.playouts(count=2_000, seed=5).mean_goals == before.mean_goals


@pytest.mark.parametrize("job", ["observe", "advance", "play", "expand", "charge"])
def test_every_job_is_improved_and_does_the_same(job: str) -> None:
    artifact = new_game().artifact
    code = artifact.code(job)
    found = make_improvement(artifact, job)
    assert kept_improvement(artifact.key, job) is not None
    if found.code is not None:
        assert found.checked == "proof"
        lanes = np.random.default_rng(1).integers(0, 2**64, size=(code.inputs, 64), dtype=np.uint64)
        assert np.array_equal(interpret(found.code, lanes), interpret(code, lanes))


def test_an_improvement_is_what_was_written() -> None:
    found = make_improvement(new_game().artifact, "play")
    again = Improvement.from_bytes(found.to_bytes())
    assert found.code is not None
    assert again.code is not None
    assert np.array_equal(again.code.instructions, found.code.instructions)
    assert (again.figures, again.checked, again.seconds) == (found.figures, found.checked, found.seconds)


def test_a_wrong_rewrite_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(plan: Plan) -> Code:
        code = encode(plan)
        last = int(np.nonzero(code.instructions[:, 0] == BOTH)[0][-1])
        code.instructions[last, 0] = AND_NOT
        return code

    monkeypatch.setattr(improving, "encode", broken)
    game = new_game()
    found = make_improvement(game.artifact, "play")
    assert found.code is None
    assert kept_improvement(game.artifact.key, "play") == Improvement(None, found.figures, "", found.seconds)


def test_what_is_not_proven_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(improving, "MOST_PROVEN", 0)
    assert make_improvement(new_game().artifact, "play").checked == "simulation"


def test_what_saves_little_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(improving, "WORTH", 0.99)
    found = make_improvement(new_game().artifact, "play")
    assert found.code is None
    assert found.figures[-1][0] == "XOR found again"


def test_without_synthesis_machine_code_is_made_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "is_available", lambda: False)
    monkeypatch.setattr(background, "improvement_made_elsewhere", None)  # not called
    game = new_game()
    assert game.wait_for("play", LONG)
    assert game.background.wait("play", LONG, best=True)
    assert len(game.kernels["play"].code.instructions) == len(game.artifact.codes["play"].instructions)


def test_where_improving_fails_machine_code_is_made_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "improvement_made_elsewhere", lambda *_: None)
    game = new_game()
    assert game.wait_for("play", LONG)
    assert game.background.wait("play", LONG, best=True)
    assert len(game.kernels["play"].code.instructions) == len(game.artifact.codes["play"].instructions)


def test_what_is_wanted_for_long_is_improved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "LASTING", -1.0)
    game = new_game()
    assert game.wait_for("play", LONG)
    game.background.want("play")
    assert game.background.improved["play"].wait(LONG)
    assert len(game.kernels["play"].code.instructions) < len(game.artifact.codes["play"].instructions)


def test_improving_can_be_ordered_from_another_process() -> None:
    game = new_game()
    game.kernel("play")
    found = workshop.improvement_made_elsewhere(game.artifact.key, "play", lambda: False)
    assert found is not None
    assert found.figures[0][0] == "as built"
    assert kept_improvement(game.artifact.key, "play") == found
    assert workshop.improvement_made_elsewhere("unknown", "play", lambda: False) is None


def test_a_batch_goes_over_to_better_instructions_that_need_another_buffer() -> None:
    game = new_game()
    batch, other = game.batch(64), game.batch(64)
    assert game.background.wait("step", LONG, best=True)
    for _ in range(4):
        moves = np.argmax(batch.legal, axis=1)
        batch.step(moves)
        other.step(moves)
    kernel = game.kernels["step"]
    assert batch._kernel.library is kernel.library
    assert len(batch._kernel.buffer) == kernel.code.slots
    assert np.array_equal(batch.legal, other.legal)


def test_what_the_solver_refutes_is_not_used() -> None:
    def parity(with_rare: bool) -> tuple[Network, tuple[int, ...], tuple[int, ...]]:
        network = Network()
        inputs = tuple(network.input() for _ in range(40))
        rare = network.all_of(wire ^ (i & 1) for i, wire in enumerate(inputs))
        plain = network.differ(inputs[0], inputs[1])
        return network, inputs, (network.differ(plain, rare) if with_rare else plain,)

    old, new = parity(True), parity(False)
    code, better = (encode(make_plan(*each)) for each in (old, new))
    artifact = SimpleNamespace(codes={}, playout=None)
    made = Synthesis(*new)
    assert improving._checked(cast(Artifact, artifact), code, better, lift(code), made) == ""


def test_an_error_while_compiling_leaves_others_their_worker(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError("no more")

    with monkeypatch.context() as patched:
        patched.setattr(background, "compile_objects", fail)
        assert not new_game().wait_for("play", LONG)
    assert "no machine code of play: MemoryError('no more')" in caplog.text
    assert new_game().wait_for("play", LONG)


def test_plain_code_that_comes_late_does_not_replace_better_code(monkeypatch: pytest.MonkeyPatch) -> None:
    game = new_game()
    kernel, worker = game.kernel("play"), background._Worker()

    def improve_first(key: str, code: Code, is_stopped: Callable[[], bool]) -> list[bytes] | None:
        if code is plain:
            worker.do(
                background._Task(game.artifact.key, "play", kernel, threading.Event(), is_improved=True)
            )
        return compile_objects(key, code, is_stopped)

    plain = kernel.code
    monkeypatch.setattr(background, "compile_objects", improve_first)
    worker.do(background._Task(game.artifact.key, "play", kernel, threading.Event(), is_improved=False))
    assert kernel.is_compiled
    assert len(kernel.code.instructions) < len(plain.instructions)
