"""Several threads make their first game at once: what they share is made once, and stays."""

from __future__ import annotations

import subprocess
import sys

import pytest
from llvmlite.binding import ffi

import gamemaster as gm
from gamemaster.machine.compiled import CompiledGame

PROGRAM = """
import gc, threading
from gamemaster.load import load

def play():
    barrier.wait()
    game = load("tictactoe", machine="compiled")
    for _ in range(20):
        game.random_game(random.Random(1))

import random
barrier = threading.Barrier(12)
threads = [threading.Thread(target=play) for _ in range(12)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
gc.collect()
print("done")
"""


@pytest.mark.slow
def test_games_can_be_made_in_several_threads_at_once() -> None:
    for _ in range(3):
        result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
        assert (result.returncode, result.stdout) == (0, "done\n"), result.stderr


def test_nobody_who_plays_waits_for_what_llvm_compiles() -> None:
    game = gm.load("tictactoe", machine="compiled")
    assert isinstance(game, CompiledGame)
    kernel = game.kernels["observe"]
    assert game.background.wait("observe", 60)
    asked: list[int] = []

    def ask() -> None:
        asked.append(1)

    ffi.register_lock_callback(ask, ask)
    try:
        assert kernel.fork().is_compiled
    finally:
        ffi.unregister_lock_callback(ask, ask)
    assert not asked
