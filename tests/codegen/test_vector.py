"""How many lanes there are: by the CPU, or as somebody asks."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from gamemaster.codegen.vector import LANES, VECTOR_BYTES, WIDTHS, WORDS, lanes_for
from gamemaster.errors import ParameterError

OLD, COMMON, NEW = {"sse2"}, {"sse2", "avx2"}, {"sse2", "avx2", "avx512f"}


@pytest.mark.parametrize(
    ("flags", "machine", "lanes"),
    [
        (OLD, "x86_64", 128),
        (COMMON, "x86_64", 256),
        (NEW, "x86_64", 256),
        (set(), "x86_64", 256),
        ({"neon"}, "aarch64", 256),
    ],
)
def test_the_cpu_says_how_many_lanes_there_are(flags: set[str], machine: str, lanes: int) -> None:
    assert lanes_for(None, flags, machine) == lanes_for("", flags, machine) == lanes


@pytest.mark.parametrize("lanes", WIDTHS)
def test_who_asks_for_lanes_has_them(lanes: int) -> None:
    assert lanes_for(str(lanes), NEW, "x86_64") == lanes


@pytest.mark.parametrize("asked", ["64", "wide", "-256", "256.0"])
def test_other_numbers_of_lanes_are_refused(asked: str) -> None:
    with pytest.raises(ParameterError, match=f"^GAMEMASTER_LANES: '{asked}' is none of 128, 256, 512$"):
        lanes_for(asked, NEW, "x86_64")


def test_words_and_bytes_are_those_of_the_lanes() -> None:
    assert WORDS * 64 == VECTOR_BYTES * 8 == LANES


SCRIPT = """
import numpy as np
import gamemaster as gm
from gamemaster.codegen.vector import LANES
from tests.codegen.test_tiers import random_code, random_lanes, random_rows, many
from gamemaster.codegen.interpreter import interpret
from gamemaster.codegen.kernel import Kernel, compile_objects
from gamemaster.codegen.native import Library

for seed in range(6):
    for code in (random_code(seed, 200, seed % 3), random_rows(seed, 90, 400)):
        lanes = random_lanes(code, seed)
        wanted = interpret(code, lanes)
        objects = compile_objects(f"test width {seed}", code, lambda: False)
        assert (many(Kernel(code), lanes) == wanted).all()
        assert (many(Kernel(code, Library(objects)), lanes) == wanted).all()

game = gm.load("tictactoe", machine="compiled")
assert game.perft(4) == [9, 72, 504, 3024]
first = game.playouts(count=5_000, seed=1)
game.lanes.background.wait("play")
stats = game.playouts(count=5_000, seed=1)
assert (stats.mean_length, stats.mean_goals) == (first.mean_length, first.mean_goals)
assert stats.playouts == 5_000 and 7.4 < stats.mean_length < 7.9, stats
print(LANES)
"""


@pytest.mark.slow
@pytest.mark.parametrize("lanes", sorted({*WIDTHS} - {LANES}))
def test_games_and_code_are_the_same_in_any_number_of_lanes(lanes: int) -> None:
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "GAMEMASTER_LANES": str(lanes)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (found.returncode, found.stdout.strip()) == (0, str(lanes)), found.stderr
