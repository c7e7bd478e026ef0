"""A player in a process of its own: lines over pipes, limits, and an end for it and all that it started.

Behind walls (see `walls.py`) a player's world ends with its guardian, which it cannot reach. Without them everything
that the process starts is found below it, as long as its guardian lives, and inherits a mark in its environment, by
which it is found afterwards. A player that is late twice in a row, without a word between, is ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace

from gamemaster.errors import NotIsolated
from gamemaster.match.processes.descendants import cpu_seconds, descendants, kill_all, with_environment
from gamemaster.match.processes.order import CANNOT, READY, Order, ProcessLimits
from gamemaster.match.processes.spawning import ReadPipe, Spawned, spawn
from gamemaster.match.processes.view import files_open_for_writing
from gamemaster.match.request import Failure, Request
from gamemaster.match.transports.lines import reply_from_line, request_to_line
from gamemaster.match.transports.overhearing import Overheard
from gamemaster.match.transports.transport import MAX_REPLY, Allowance, Deliver, Transport

__all__ = ["ChildProcess", "PipeLines", "ProcessLimits", "player_process"]

MARK = "GAMEMASTER_PLAYER_PROCESS"
CHUNK = 64 * 1024
PATIENCE = 2
"""So many clocks may run out in a row before a process is ended."""

ADVICE = (
    "--separate gives each player a process with limits, which holds against mistakes, not against malice"
)
ENDING_SECONDS = 5.0
"""How long a guardian may take to end a world; then the system does it."""

LAST_WORDS, SLOWLY = 0.5, 0.02
"""How long, in seconds, to wait for what a player printed last, and between what is read and not shown."""

SWEEPS = 20
"""How often to look for processes to kill, before the rest is left to the guardian."""


ENVIRONMENT = (
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "PATH",
    "PYTHONHASHSEED",
    "PYTHONPATH",
    "TZ",
    "XDG_CACHE_HOME",
)
ENVIRONMENT_OF = ("GAMEMASTER_", "NUMBA_", "OMP_", "OPENBLAS_", "MKL_")
"""What a player behind walls is told of the environment: these, and what begins like that."""


def player_process(
    player: str,
    seed: int | None = None,
    limits: ProcessLimits | None = None,
    *,
    hidden: Sequence[str] = (),
) -> ChildProcess:
    """The line to a player of the library or of a file, in a process of its own.

    Behind walls it sees nothing of what is `hidden`, wherever that lies.
    """
    command = [sys.executable, "-P", "-m", "gamemaster.match.processes.player_child", player]
    return ChildProcess(command, player, Order(limits or ProcessLimits(), seed, tuple(hidden)))


class ChildProcess(Transport):
    """A process that reads requests and writes replies, each a line of JSON; one of ours has an order before them."""

    def __init__(self, command: Sequence[str], name: str, order: Order | None = None) -> None:
        self.command = tuple(command)
        self.name = name
        self._order = order
        self._has_walls = order is not None and order.limits.has_walls
        self._mark = secrets.token_hex(16)
        self._process: Spawned | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._overhearing: asyncio.Task[None] | None = None
        self._allowance = Allowance()
        self._late = 0
        self._is_swept = False
        self._ended = ""
        """Why it ended, once it has."""

    async def open(self, deliver: Deliver) -> None:
        """Start the process; NotIsolated where walls are wanted, and the system does not allow them."""
        self._deliver = deliver
        try:
            self._process = spawn(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                env=_clean_environment() if self._has_walls else {**os.environ, MARK: self._mark},
            )
        except OSError as error:
            self._ended = f"cannot be started: {error.strerror}"
            return
        self._overhearing = asyncio.create_task(self._overhear(self._process))
        if self._order is not None:
            await self._begin(self._process, self._order)
        self._tasks = [asyncio.create_task(self._read(self._process))]

    async def _begin(self, process: Spawned, order: Order) -> None:
        """Give the order, and wait until the player is where it should be: its own code does not run before."""
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            hidden = (*order.hidden, *files_open_for_writing()) if self._has_walls else ()
        except NotIsolated as error:
            raise self._cannot(str(error)) from None
        with contextlib.suppress(OSError):  # it has just ended
            process.stdin.write(replace(order, hidden=hidden, manager=os.getpid()).to_line())
        answer = await _first_line(process.stdout)
        if answer == READY:
            return
        reason = answer.removeprefix(CANNOT).decode(errors="replace") or "its process ended"
        raise self._cannot(reason)

    def _cannot(self, reason: str) -> NotIsolated:
        if self._has_walls:
            return NotIsolated(f"{self.name} cannot be isolated here: {reason}; {ADVICE}")
        return NotIsolated(f"{self.name} cannot have a process of its own here: {reason}")

    def cpu_seconds(self) -> float | None:
        """How long the process, and all that it started, have computed."""
        return None if self._process is None else cpu_seconds(self._process.pid)

    def send(self, request: Request) -> str:
        """Write the request; one to a process that has ended fails at once."""
        line = request_to_line(request)
        process = self._process
        if self._ended or process is None or process.stdin is None:
            failure = Failure(request.number, "crashed", self._ended)
            asyncio.get_running_loop().call_soon(self._deliver, time.monotonic(), failure)
            return line
        self._allowance.renew()
        with contextlib.suppress(OSError):  # it has just ended: its reader says so
            process.stdin.write(line.encode() + b"\n")
        return line

    def give_up(self, number: int) -> None:
        """Count the clocks that ran out; after too many the process is ended."""
        self._late += 1
        if self._late >= PATIENCE and not self._ended:
            self._end(f"ended after {self._late} clocks without a reply")

    async def close(self) -> None:
        """End the process and all that it started; looking for that takes a while, and nobody else waits for it."""
        self._ended = self._ended or "the match is over"
        try:
            await asyncio.to_thread(self._kill)
            if self._overhearing is not None:
                await asyncio.wait([self._overhearing], timeout=LAST_WORDS)
            for task in self._listening:
                task.cancel()
            await asyncio.gather(*self._listening, return_exceptions=True)
            if self._process is not None:
                await self._wait_for_end(self._process)
                await asyncio.to_thread(self._kill)  # whoever was just being started had no mark yet
        finally:  # also for who is cancelled while it waits
            for task in self._listening:
                task.cancel()
            if self._process is not None:
                self._process.close()

    @property
    def _listening(self) -> list[asyncio.Task[None]]:
        """All that reads from the process."""
        return self._tasks if self._overhearing is None else [*self._tasks, self._overhearing]

    @staticmethod
    async def _wait_for_end(process: Spawned) -> None:
        """Wait until it has ended; it is asked to take what it started along, and need not obey."""
        try:
            async with asyncio.timeout(ENDING_SECONDS):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()

    async def _read(self, process: Spawned) -> None:
        """Deliver lines until there are no more, no faster than they are allowed."""
        assert process.stdout is not None
        lines = PipeLines()
        while chunk := await process.stdout.read(CHUNK):
            now = time.monotonic()
            for line in lines.cut(chunk, self._allowance.left):
                self._hand_on(now, line)
            await self._allowance.wait()
        code = await process.wait()
        if not self._ended:
            self._ended = f"the process ended with {_in_words(code)}"
            self._deliver(time.monotonic(), Failure(None, "crashed", self._ended))
        self._kill()

    async def _overhear(self, process: Spawned) -> None:
        """Show what the player prints; when that is enough it is read slowly, so that nobody else waits for it."""
        assert process.stderr is not None
        heard = Overheard(self.name)
        while chunk := await process.stderr.read(CHUNK):
            heard.hear(chunk)
            await asyncio.sleep(SLOWLY if heard.is_enough else 0)
        heard.end()

    def _hand_on(self, now: float, line: bytes) -> None:
        self._late = 0
        self._allowance.take()
        if len(line) > MAX_REPLY:
            self._deliver(now, Failure(None, "huge", f"more than {MAX_REPLY:,} bytes"))
        else:
            reply = reply_from_line(line.decode(errors="replace"))
            if reply.number is None and isinstance(reply, Failure) and reply.kind == "crashed":
                self._ended = (
                    self._ended or reply.detail
                )  # its last words: nobody there needs to be asked again
            self._deliver(now, reply)

    def _end(self, why: str) -> None:
        self._ended = self._ended or why
        self._kill()

    def _kill(self) -> None:
        """Kill all that the process has started, and at last itself: it takes in the orphans as long as it lives."""
        if self._process is None or self._is_swept:
            return
        if self._has_walls:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGTERM)  # its guardian ends the whole world
            return
        self._is_swept = self._process.returncode is not None  # its number may belong to another one soon
        for _ in range(SWEEPS):  # they may multiply
            found = self._started(self._process.pid)
            if not found:
                break
            kill_all(found)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _started(self, pid: int) -> set[int]:
        """All that the process has started."""
        below = set() if self._is_swept else descendants(pid)
        return (below | with_environment(f"{MARK}={self._mark}")) - {pid}


class PipeLines:
    """Bytes as they come -> lines. What is not wanted is not even looked at."""

    def __init__(self) -> None:
        self._rest = b""
        self._is_skipping = False
        """Whether the rest of a line is to come whose beginning is gone."""

    def cut(self, chunk: bytes, most: int) -> list[bytes]:
        """The next lines, so many at most: others that are complete are dropped. One that is too long is cut."""
        *lines, rest = (self._rest + chunk).split(b"\n", most)
        if self._is_skipping and lines:
            lines, self._is_skipping = lines[1:], False
        if b"\n" in rest:
            self._is_skipping = not rest.endswith(b"\n")
            rest = b""
        elif len(rest) > MAX_REPLY and not self._is_skipping:
            lines.append(rest)
            self._is_skipping = True
        self._rest = b"" if self._is_skipping else rest
        return lines


async def _first_line(pipe: ReadPipe) -> bytes:
    """What a process says first, in a line, and no byte more: what follows is for whoever reads its replies."""
    line = b""
    while not line.endswith(b"\n") and len(line) <= CHUNK and (byte := await pipe.read(1)):
        line += byte
    return line.rstrip(b"\n")


def _clean_environment() -> dict[str, str]:
    return {
        name: value
        for name, value in os.environ.items()
        if name in ENVIRONMENT or name.startswith(ENVIRONMENT_OF)
    }


def _in_words(code: int) -> str:
    if code >= 0:
        return f"code {code}"
    names = {each.value: each.name for each in signal.Signals}  # not all have one
    return f"signal {names.get(-code, -code)}"
