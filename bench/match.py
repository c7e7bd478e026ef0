"""What the manager costs: matches by the thousand in one process, and many at once over HTTP.

    python bench/match.py [--matches 1000] [--at-once 50] [--json]

One process: tictactoe, legal against random, with records; CPU seconds, beside as many random games without a manager.
At once: players served by two other processes, which think for a moment, and too long now and then. `overhead` is from
the last reply of a step to the moment when every player has the next question, by the clocks of the players; so what
the players' processes and the network take is in it. `in the manager` is the part between reading the last reply and
sending the last question, `lag` how long a reply may wait to be read, and both together are its own overhead, which
should be below the limit. A violation is a reply in time that was not taken, one too late that was, or a clock that ran
on for more than the limit of the overhead.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from gamemaster.load import load
from gamemaster.match import events
from gamemaster.match.manager import conduct, run_directly
from gamemaster.match.records.record import RecordWriter, read_record
from gamemaster.match.records.verifying import verify
from gamemaster.match.serving import PlayerServer
from gamemaster.match.settings import Settings
from gamemaster.match.transports.http_client import HttpPlayer
from gamemaster.players.simple import Random

CPU_LIMIT = 60.0
OVERHEAD_LIMIT = 0.020
PLAY_CLOCK = 1.0
THINKING = (0.1, 0.4)
TOO_LONG, SHARE_TOO_LONG = 1.5, 0.03
GAME = "tictactoe"


# One process


def one_process(count: int) -> dict[str, Any]:
    """CPU seconds of matches with records, and of as many random games on the same machine."""
    game = load(GAME)
    with tempfile.TemporaryDirectory() as folder:
        began = time.process_time()
        for number in range(count):
            with RecordWriter(Path(folder) / f"{number}.jsonl") as record:
                players = {"x": "legal", "o": "random"}
                run_directly(game, players, Settings(seed=number), listeners=[record.write])
        matches = time.process_time() - began
        sample = [
            read_record(Path(folder) / f"{number}.jsonl") for number in range(0, count, max(1, count // 10))
        ]
        assert all(verify(record).is_true for record in sample)
    began = time.process_time()
    generator = random.Random(0)
    for _ in range(count):
        game.random_game(generator)
    games = time.process_time() - began
    return {
        "matches": count,
        "cpu_seconds": round(matches, 2),
        "cpu_seconds_a_thousand": round(matches / count * 1000, 2),
        "limit": CPU_LIMIT,
        "times_plain_games": round(matches / games, 1),
    }


# Many at once


class Thinker(Random):
    """Thinks for a moment, and keeps the times when it was asked and when it answered."""

    log: list[dict[str, Any]] = []

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def play(self, moves: Any = None) -> Any:
        """The move of Random, after a while."""
        asked = time.monotonic()
        move = super().play(moves)
        is_too_long = self.generator.random() < SHARE_TOO_LONG
        time.sleep(TOO_LONG if is_too_long else self.generator.uniform(*THINKING))
        seconds = time.monotonic() - asked
        self.log.append({"match": self.number, "step": self.state.step, "asked": asked, "seconds": seconds})
        return move


async def serve(count: int) -> None:
    """Serve players until standard input ends, then print what they logged."""
    servers = [PlayerServer(partial(Thinker, number), "thinker") for number in range(count)]
    for server in servers:
        await server.start()
    print(json.dumps([server.port for server in servers]), flush=True)
    await asyncio.to_thread(sys.stdin.read)
    print(json.dumps(Thinker.log), flush=True)
    for server in servers:
        await server.close()


def start_players(count: int) -> tuple[subprocess.Popen[str], list[int]]:
    command = [sys.executable, __file__, "--serve", str(count)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, json.loads(process.stdout.readline())


def finish_players(process: subprocess.Popen[str]) -> list[dict[str, Any]]:
    """What the players logged, and the end of their process."""
    output, _ = process.communicate()
    assert process.returncode == 0, process.returncode
    log: list[dict[str, Any]] = json.loads(output)
    return log


def at_once(count: int) -> dict[str, Any]:
    """The overhead of matches that are all on at the same time."""
    sides = {role: start_players(count) for role in "xo"}
    heard: list[list[events.Event]] = [[] for _ in range(count)]
    game = load(GAME)

    lags: list[float] = []

    async def all_matches() -> None:
        watching = asyncio.create_task(watch(lags))
        await asyncio.gather(*(one(number) for number in range(count)))
        watching.cancel()

    async def one(number: int) -> None:
        players = {
            role: HttpPlayer(f"http://127.0.0.1:{ports[number]}") for role, (_, ports) in sides.items()
        }
        settings = Settings(start_clock=30.0, play_clock=PLAY_CLOCK, seed=number)
        await conduct(game, players, settings, listeners=[heard[number].append])

    began, cpu = time.monotonic(), time.process_time()
    asyncio.run(all_matches())
    wall, cpu = time.monotonic() - began, time.process_time() - cpu
    seen = turnarounds([entry for process, _ in sides.values() for entry in finish_players(process)])
    own = [value for each in heard for value in own_overheads(each)]
    moves = sum(isinstance(event, events.Moved) for each in heard for event in each)
    wrong = [each for events_of_one in heard for each in violations(events_of_one)]
    return {
        "at_once": count,
        "moves": moves,
        "wall_seconds": round(wall, 2),
        "cpu_share": round(cpu / wall, 2),
        "late": sum(
            isinstance(event, events.Fault) and event.kind == "late" for each in heard for event in each
        ),
        "violations": len(wrong),
        "which": wrong[:5],
        "overhead_ms": percentiles(seen),
        "in_the_manager_ms": percentiles(own),
        "lag_ms": percentiles(lags),
        "own_overhead_ms_99%": round(percentiles(own)["99%"] + percentiles(lags)["99%"], 2),
        "limit_ms": OVERHEAD_LIMIT * 1000,
    }


async def watch(lags: list[float]) -> None:
    """How long a reply may lie there before the manager looks at it: by how much short sleeps are too long."""
    while True:
        began = time.monotonic()
        await asyncio.sleep(0.002)
        lags.append(max(0.0, time.monotonic() - began - 0.002))


def turnarounds(log: Sequence[dict[str, Any]]) -> list[float]:
    """The seconds between the last reply of a step and the last question of the next, where none was late."""
    steps: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for entry in log:
        steps.setdefault((entry["match"], entry["step"]), []).append(entry)
    found = []
    for (match, step), entries in steps.items():
        following = steps.get((match, step + 1), [])
        if len(following) == len(entries) == 2 and all(each["seconds"] < PLAY_CLOCK for each in entries):
            answered = max(entry["asked"] + entry["seconds"] for entry in entries)
            found.append(max(entry["asked"] for entry in following) - answered)
    return found


def own_overheads(heard: Sequence[events.Event]) -> list[float]:
    """The seconds from reading the last reply of a step to sending the last question of the next."""
    found, moved = [], None
    for event in heard:
        if isinstance(event, events.Moved):
            moved = event.time
        elif isinstance(event, events.Message) and event.is_sent and moved is not None and event.role == "o":
            found.append(event.time - moved)
            moved = None
    return found


def violations(heard: Sequence[events.Event]) -> list[str]:
    """Where the manager did not keep the clock."""
    found, asked = [], 0.0
    for event in heard:
        match event:
            case events.Message(time, _, True):
                asked = time
            case events.Fault(time, step, role, "late"):
                if not PLAY_CLOCK <= time - asked <= PLAY_CLOCK + OVERHEAD_LIMIT:
                    found.append(f"step {step}: {role} given up after {time - asked:.3f} s")
            case events.Moved(_, step, moves, seconds, substituted):
                found += [
                    f"step {step}: {role} {'late' if role in substituted else 'taken'} after {seconds[role]:.3f} s"
                    for role in moves
                    if (seconds[role] >= PLAY_CLOCK) != (role in substituted)
                ]
    return found


def percentiles(values: Sequence[float]) -> dict[str, float]:
    ordered = sorted(values)
    places = {"median": 0.5, "99%": 0.99, "largest": 1.0}
    return {
        name: round(ordered[min(len(ordered) - 1, int(place * len(ordered)))] * 1000, 2)
        for name, place in places.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--at-once", type=int, default=50)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--serve", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve(options.serve))
        return
    found: dict[str, Any] = {}
    if options.matches:
        found["one_process"] = one_process(options.matches)
    if options.at_once:
        found["many"] = at_once(options.at_once)
    if options.json:
        print(json.dumps(found))
        return
    for name, values in found.items():
        print(name)
        for key, value in values.items():
            print(f"  {key:24} {value}")


if __name__ == "__main__":
    main()
