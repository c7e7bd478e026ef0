"""A competition that is killed again and again ends with the table of one that nobody disturbed.

GAMEMASTER_KILLS says how often it is killed at least, and makes it as large as people hold them.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from gamemaster.match.processes.descendants import descendants

KILLS = int(os.environ.get("GAMEMASTER_KILLS", "0"))
PLAYERS = (
    "legal,random,onestep,dumbo"
    if not KILLS
    else "legal,random,onestep,twostep,dumbo,indy,lara,minimaxdepth(depth=1)"
)
GAMES = (
    "tictactoe,nim" if not KILLS else "tictactoe,nim,coinstack,connectfour:small,breakthrough:small,donttouch"
)
COMMAND = [
    sys.executable,
    "-m",
    "gamemaster",
    "tournament",
    "--workers",
    "2",
    "--start-clock",
    "60",
    "--play-clock",
    "60",
]


def begin(folder: Path, *more: str) -> subprocess.Popen[bytes]:
    arguments = ["--players", PLAYERS, "--games", GAMES, "--opening", "1", "--folder", str(folder), *more]
    return subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def whole(folder: Path) -> dict[str, Any]:
    """Play it to its end; what it says then."""
    with begin(folder, "--json") as process:
        told, wrong = process.communicate()
        assert process.returncode == 0, wrong.decode()
    found: dict[str, Any] = json.loads(told)
    return found


def lines(folder: Path) -> int:
    path = folder / "outcomes.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def without_seconds(told: dict[str, Any]) -> list[dict[str, Any]]:
    return [{key: value for key, value in each.items() if key != "seconds"} for each in told["matches"]]


@pytest.mark.slow
def test_whatever_dies_every_match_counts_once(tmp_path: Path) -> None:
    undisturbed = whole(tmp_path / "whole")
    count, generator, kills = len(undisturbed["matches"]), random.Random(5), 0
    folder = tmp_path / "killed"
    while True:
        before = lines(folder)
        left = max(1, (KILLS or 3) - kills)
        process = begin(folder)
        goal = before + generator.randint(0, max(1, (count - before) // (left + 1)))
        while process.poll() is None and lines(folder) < goal + 1:
            time.sleep(0.01)
        if process.poll() is not None:
            process.communicate()
            break
        time.sleep(generator.random() * 0.05)
        below = descendants(process.pid)
        process.kill()
        process.communicate()
        kills += 1
        for _ in range(600):  # none of its processes goes on without it
            if not any(Path("/proc", str(pid)).exists() for pid in below):
                break
            time.sleep(0.05)
        else:
            pytest.fail("processes of a competition that was killed are still there")
    assert kills >= (KILLS or 2)
    again = whole(folder)
    assert without_seconds(again) == without_seconds(undisturbed)
    assert again["players"] == undisturbed["players"]
    assert lines(folder) == count
    records = sorted(path.name for path in (folder / "records").iterdir())
    assert records == [f"{number:06}.jsonl" for number in range(count)]
