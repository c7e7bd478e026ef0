"""What the site holds: many who watch many matches at once, and pages against a bare page.

    python bench/site.py [--matches 50] [--watchers 200] [--seconds 30] [--views 5] [--json]

A server of its own in a folder of its own. Live: matches between players of the library, a step a second, watched over
WebSockets from another process. An update is from the moment when a move is in the record (which is looked at every
few milliseconds: the look before counts) to the moment when a watcher has a message of that step or a later one. A
clock is violated where a player that answers at once counts as late, or somebody else chooses for it. Pages: views a
second with a few connections at a time, beside a page of FastAPI that only returns a text, served and asked for alike.
Exits with 1 where updates are too slow, a watcher is dropped, or a clock is violated.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import uvicorn
from fastapi import FastAPI
from fastapi.responses import HTMLResponse
from site_serving import served
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from gamemaster.match.records.record import read_record

UPDATE_LIMIT = 0.250
GAMES = {
    "breakthrough": ("white", "black"),
    "othello": ("black", "white"),
    "checkers": ("black", "white"),
}
"""Those that last while one measures, and their roles."""

LIVE_GAMES = ("breakthrough", "othello", "breakthrough", "othello", "checkers")
PACE, PLAY_CLOCK, START_CLOCK = 1.0, 2.0, 120.0
LOOK_SECONDS = 0.005
SETTLING_SECONDS = 2.0
PATIENCE = 300.0
PAGES = ("/games/tictactoe", "/standalone/tictactoe", "/")
BARE_SIZE = 10_000
AT_ONCE = 16
"""Connections that ask for pages, each from an address of its own: one address may not ask for that many."""


# Servers


def serve_bare() -> None:
    """A page that is only returned, from the same kind of server."""
    app, text = FastAPI(), "<!doctype html><title>bare</title>" + "x" * BARE_SIZE

    @app.get("/", response_class=HTMLResponse)
    async def bare() -> str:
        return text

    class Announced(uvicorn.Server):
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            print(f"at http://127.0.0.1:{self.servers[0].sockets[0].getsockname()[1]}", flush=True)

    with suppress(KeyboardInterrupt):
        Announced(uvicorn.Config(app, port=0, log_level="warning", server_header=False)).run()


# What processes take


@dataclass
class Usage:
    """The processes of a site, by what they do: how many, their CPU seconds, their memory in MB."""

    count: dict[str, int] = field(default_factory=dict)
    cpu: dict[str, float] = field(default_factory=dict)
    memory: dict[str, float] = field(default_factory=dict)


def usage_of(server: int) -> Usage:
    """What a server and all that it started has taken up to now."""
    used, parents = Usage(), _parents()
    for process in [server, *_below(server, parents)]:
        try:
            command = Path(f"/proc/{process}/cmdline").read_text()
            ticks = Path(f"/proc/{process}/stat").read_text().rsplit(") ", 1)[1].split()[11:13]
            pss = re.search(r"Pss: +(\d+)", Path(f"/proc/{process}/smaps_rollup").read_text())
        except OSError:  # it has just ended
            continue
        kind = "server" if process == server else "worker" if "to_process" in command else "player"
        seconds = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
        used.count[kind] = used.count.get(kind, 0) + 1
        used.cpu[kind] = used.cpu.get(kind, 0.0) + seconds
        used.memory[kind] = used.memory.get(kind, 0.0) + (int(pss[1]) / 1024 if pss else 0.0)
    return used


def _parents() -> dict[int, int]:
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            found[int(path.parent.name)] = int(path.read_text().rsplit(") ", 1)[1].split()[1])
        except OSError:
            continue
    return found


def _below(process: int, parents: dict[int, int]) -> Iterator[int]:
    for child in [child for child, parent in parents.items() if parent == process]:
        yield child
        yield from _below(child, parents)


# Live matches


@dataclass(frozen=True)
class Arranged:
    """A match, and the key to steer it."""

    id: str
    key: str


@dataclass
class Club:
    """Somebody who arranges matches."""

    client: httpx.Client

    def arrange(self, number: int) -> Arranged:
        """A match that is not begun."""
        game = LIVE_GAMES[number % len(LIVE_GAMES)]
        body = {
            "game": game,
            "players": dict(zip(GAMES[game], ("random", "legal"), strict=True)),
            "start_clock": START_CLOCK,
            "play_clock": PLAY_CLOCK,
            "pace": PACE,
            "seed": number,
            "is_managed": True,
        }
        said = self._asked("POST", "/api/v1/matches", json=body)
        return Arranged(said["id"], said["key"])

    def steer(self, match: Arranged, action: str) -> None:
        """Begin, pause, resume or abort it."""
        headers = {"authorization": f"Bearer {match.key}"}
        self._asked("POST", f"/api/v1/matches/{match.id}/{action}", headers=headers)

    def begin_all(self, matches: Sequence[Arranged]) -> float:
        """Have all begin, and stop each as soon as it is under way; the seconds until the last one is."""
        began = time.monotonic()
        for match in matches:
            self.steer(match, "begin")
        waiting = set(matches)
        while waiting:
            assert time.monotonic() - began < PATIENCE, f"{len(waiting)} matches have not begun"
            time.sleep(0.2)
            for match in [each for each in waiting if self._is_under_way(each)]:
                self.steer(match, "pause")
                waiting.remove(match)
        return time.monotonic() - began

    def _is_under_way(self, match: Arranged) -> bool:
        return bool(self._asked("GET", f"/api/v1/matches/{match.id}")["live"]["phase"] == "playing")

    def _asked(self, method: str, path: str, **others: Any) -> Any:
        response = self.client.request(method, path, **others)
        while response.status_code == 429:
            time.sleep(1)
            response = self.client.request(method, path, **others)
        assert response.is_success, response.text
        return response.json()


class Records:
    """The records of matches, looked at as they grow: when each step was certainly not there yet."""

    def __init__(self, paths: dict[str, Path]) -> None:
        self._files = {match: path.open("rb") for match, path in paths.items()}
        self._last = {match: time.monotonic() for match in paths}
        self.written: dict[tuple[str, int], float] = {}
        for file in self._files.values():
            file.seek(0, os.SEEK_END)

    def look(self) -> None:
        """Read what is new."""
        for match, file in self._files.items():
            now = time.monotonic()
            if os.fstat(file.fileno()).st_size > file.tell():
                self._read(match, file.readlines())
            self._last[match] = now

    def _read(self, match: str, lines: list[bytes]) -> None:
        for line in lines:
            if line.startswith(b'{"event":"moved"'):
                self.written[match, json.loads(line)["step"] + 1] = self._last[match]

    def close(self) -> None:
        """Look no more."""
        for file in self._files.values():
            file.close()


def live(
    address: str, server: int, folder: Path, matches: int, watchers: int, seconds: float
) -> dict[str, Any]:
    """How soon everybody who watches has what happens, and at what price."""
    with httpx.Client(base_url=address, timeout=PATIENCE) as client:
        club = Club(client)
        arranged = [club.arrange(number) for number in range(matches)]
        started = club.begin_all(arranged)
        watching = start_watchers(address, [arranged[number % matches].id for number in range(watchers)])
        for number, match in enumerate(arranged):  # in no step with each other
            club.steer(match, "resume")
            time.sleep(PACE / matches if number else 0)
        time.sleep(SETTLING_SECONDS)
        before = usage_of(server)
        records = Records({match.id: folder / "matches" / f"{match.id}.jsonl" for match in arranged})
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            records.look()
            time.sleep(LOOK_SECONDS)
        after = usage_of(server)
        ended = time.monotonic()
        time.sleep(SETTLING_SECONDS)
        seen = finish_watchers(watching)
        for match in arranged:
            if client.get(f"/api/v1/matches/{match.id}").json()["status"] != "over":
                club.steer(match, "abort")
    records.close()
    paths = [folder / "matches" / f"{match.id}.jsonl" for match in arranged]
    return {
        "matches": matches,
        "watchers": watchers,
        "players_ready_after_s": round(started, 1),
        **updates(seen, records.written, ended),
        **clocks(paths),
        **prices(before, after, sum(when < ended for when in records.written.values()), seconds),
    }


def updates(
    seen: list[dict[str, Any]], written: dict[tuple[str, int], float], until: float
) -> dict[str, Any]:
    """How long updates took, how many never came, and who was dropped."""
    found, missing = [], 0
    for watcher in seen:
        for (match, step), when in written.items():
            if match != watcher["match"] or when > until:
                continue
            had = next((at for reached, at in watcher["steps"] if reached >= step), None)
            missing += had is None
            found += [] if had is None else [had - when]
    return {
        "updates": len(found),
        "missing": missing,
        "dropped": sum(watcher["is_dropped"] for watcher in seen),
        "kB_each": round(sum(w["bytes"] for w in seen) / max(1, sum(w["messages"] for w in seen)) / 1000, 1),
        "update_ms": percentiles(found),
        "limit_ms": UPDATE_LIMIT * 1000,
    }


def clocks(paths: Sequence[Path]) -> dict[str, Any]:
    """What records say of clocks: nobody here needs longer than a moment."""
    records = [read_record(path) for path in paths]
    moves = [moved for record in records for moved in record.moves]
    return {
        "moves": len(moves),
        "late": sum(fault.kind == "late" for record in records for fault in record.faults),
        "chosen_for_somebody": sum(len(moved.substituted) for moved in moves),
        "answer_ms": percentiles([seconds for moved in moves for seconds in moved.seconds.values()]),
        "play_clock_ms": PLAY_CLOCK * 1000,
    }


def prices(before: Usage, after: Usage, steps: int, seconds: float) -> dict[str, Any]:
    """CPU and memory of what runs."""
    spent = {kind: after.cpu[kind] - before.cpu.get(kind, 0.0) for kind in after.cpu}
    return {
        "steps_a_second": round(steps / seconds, 1),
        "processes": after.count,
        "cores_used": {kind: round(value / seconds, 2) for kind, value in spent.items()},
        "cpu_ms_a_step": {kind: round(value / max(1, steps) * 1000, 1) for kind, value in spent.items()},
        "MB_each": {kind: round(value / after.count[kind]) for kind, value in after.memory.items()},
    }


# Those who watch


def start_watchers(address: str, matches: list[str]) -> subprocess.Popen[str]:
    """All who watch, in a process of their own; it says when everybody is there."""
    command = [sys.executable, __file__, "--watch", address, *matches]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "there\n"
    return process


def finish_watchers(process: subprocess.Popen[str]) -> list[dict[str, Any]]:
    output, _ = process.communicate()
    assert process.returncode == 0, process.returncode
    seen: list[dict[str, Any]] = json.loads(output)
    return seen


async def watch_all(address: str, matches: Sequence[str]) -> None:
    """Watch until standard input ends, then print what was seen, and when."""
    everybody = [Watcher(match) for match in matches]
    tasks = [asyncio.create_task(each.watch(address, number // 100)) for number, each in enumerate(everybody)]
    await asyncio.gather(*(each.is_there.wait() for each in everybody))
    print("there", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    print(json.dumps([each.seen() for each in everybody]), flush=True)


class Watcher:
    """Somebody who watches a match."""

    def __init__(self, match: str) -> None:
        self.match = match
        self.is_there = asyncio.Event()
        self.is_dropped = False
        self.bytes = self.messages = 0
        self.steps: list[tuple[int, float]] = []
        """The steps that were told, and when; each higher than the one before."""

    async def watch(self, address: str, source: int) -> None:
        """Watch as long as one is let."""
        path = f"{address.replace('http', 'ws')}/matches/{self.match}/live"
        async with connect(path, local_addr=(f"127.0.0.{2 + source}", 0), open_timeout=PATIENCE) as socket:
            try:
                async for text in socket:
                    self._take(str(text), time.monotonic())
            except ConnectionClosed:
                self.is_dropped = True

    def _take(self, text: str, now: float) -> None:
        step = json.loads(text)["step"]
        self.bytes, self.messages = self.bytes + len(text), self.messages + 1
        self.is_there.set()
        if not self.steps or step > self.steps[-1][0]:
            self.steps.append((step, now))

    def seen(self) -> dict[str, Any]:
        """All of it, to be printed."""
        names = ("match", "is_dropped", "bytes", "messages", "steps")
        return {name: getattr(self, name) for name in names}


# Pages


def views(address: str, path: str, seconds: float) -> dict[str, float]:
    """Views of a page a second, and its size."""
    answer = httpx.get(address + path, timeout=PATIENCE)  # made once, as for the first who comes
    assert answer.status_code == 200, answer.text
    count = asyncio.run(_view(address, path, seconds))
    return {"a_second": round(count / seconds, 1), "kB": round(len(answer.content) / 1000, 1)}


async def _view(address: str, path: str, seconds: float) -> int:
    until = time.monotonic() + seconds
    counts = await asyncio.gather(*(_viewer(address, path, until, number) for number in range(AT_ONCE)))
    return sum(counts)


async def _viewer(address: str, path: str, until: float, number: int) -> int:
    """How often a page was got over one connection; as little as possible is done with it."""
    where = urlsplit(address)
    source = (f"127.0.1.{number + 1}", 0)
    reader, writer = await asyncio.open_connection(where.hostname, where.port, local_addr=source)
    asked, count = f"GET {path} HTTP/1.1\r\nhost: {where.netloc}\r\n\r\n".encode(), 0
    while time.monotonic() < until:
        writer.write(asked)
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        length = re.search(rb"content-length: (\d+)", head)
        assert length is not None
        await reader.readexactly(int(length[1]))
        count += 1
    writer.close()
    return count


def pages(address: str, seconds: float) -> dict[str, Any]:
    """Pages beside one that is only returned."""
    with served([sys.executable, __file__, "--bare"]) as (bare, _):
        usual = views(bare, "/", seconds)
    found: dict[str, Any] = {"bare page": {**usual, "of_bare": 1.0}}
    for path in PAGES:
        seen = views(address, path, seconds)
        found[path] = {**seen, "of_bare": round(seen["a_second"] / usual["a_second"], 3)}
    return found


# All of it


def percentiles(values: Sequence[float]) -> dict[str, float]:
    ordered = sorted(values) or [float("nan")]
    places = {"50%": 0.5, "95%": 0.95, "99%": 0.99, "largest": 1.0}
    return {
        name: round(ordered[min(len(ordered) - 1, int(place * len(ordered)))] * 1000, 1)
        for name, place in places.items()
    }


def is_good(found: dict[str, Any]) -> bool:
    held = found.get("live")
    if held is None:
        return True
    wrong = held["missing"] + held["dropped"] + held["late"] + held["chosen_for_somebody"]
    return bool(wrong == 0 and held["update_ms"]["99%"] < held["limit_ms"])


def measured(options: argparse.Namespace) -> dict[str, Any]:
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        # One address gets half of the matches, and three quarters of the places for players.
        room = ["--matches", str(2 * options.matches + 10), "--players", str(3 * options.matches)]
        command = [sys.executable, "-m", "gamemaster", "serve", "--port", "0", "--data", name, *room]
        with served(command) as (address, server):
            if options.views:
                found["pages"] = pages(address, options.views)
            if options.watchers:
                sizes = (options.matches, options.watchers, options.seconds)
                found["live"] = live(address, server, Path(name), *sizes)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=50)
    parser.add_argument("--watchers", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--views", type=float, default=5.0, help="Seconds for each page; 0 leaves them out.")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--watch", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--bare", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.watch:
        asyncio.run(watch_all(options.watch[0], options.watch[1:]))
        return
    if options.bare:
        serve_bare()
        return
    found = measured(options)
    if options.json:
        print(json.dumps(found))
    else:
        for name, values in found.items():
            print(name)
            for key, value in values.items():
                print(f"  {key:24} {value}")
    sys.exit(0 if is_good(found) else 1)


if __name__ == "__main__":
    main()
