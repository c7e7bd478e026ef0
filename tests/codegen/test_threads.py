"""Several threads make their first game at once: what they share is made once, and stays."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
