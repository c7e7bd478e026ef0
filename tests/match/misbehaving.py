"""Players that do what players should not: in this process, in one of their own, and behind HTTP.

All of them play tictactoe, and where they do not misbehave they mark the first free cell.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from gamemaster.match.events import Event, Fault
from gamemaster.match.request import Request
from gamemaster.match.transports.calling import call_handler
from gamemaster.match.transports.child_process import ChildProcess
from gamemaster.match.transports.http_client import HttpPlayer
from gamemaster.match.transports.in_process import InProcess
from gamemaster.match.transports.transport import Deliver, Transport
from gamemaster.players.simple import Legal

CHILD = Path(__file__).parent / "misbehaving_child.py"


class Faults:
    """A listener that keeps faults, and everything else."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __call__(self, event: Event) -> None:
        self.events.append(event)

    @property
    def all(self) -> list[Fault]:
        return [event for event in self.events if isinstance(event, Fault)]

    def kinds(self, role: str, *, is_error: bool | None = None) -> set[str]:
        return {fault.kind for fault in self.all if fault.role == role and is_error in (None, fault.is_error)}


# In this process


class Silent(Legal):
    """Does not return before it is let go."""

    def __init__(self, let_go: threading.Event) -> None:
        super().__init__()
        self.let_go = let_go

    def play(self, moves: Any = None) -> Any:
        self.let_go.wait(60)
        return False


class Slower(Legal):
    """A little slower than its clock, each time it has a move."""

    def play(self, moves: Any = None) -> Any:
        move = super().play(moves)
        if move:
            time.sleep(self.playclock * 1.25)
        return move


class CrashesIn(Legal):
    """Raises an error in one handler."""

    def __init__(self, handler: str, error: BaseException | None = None) -> None:
        super().__init__()
        self.error = error or ZeroDivisionError("on purpose")
        setattr(self, handler, self._crash)

    def _crash(self, *_: object) -> Any:
        raise self.error


class Says(Legal):
    """Answers `play` with the same thing always."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value

    def play(self, moves: Any = None) -> Any:
        return self.value

    def stop(self, moves: Any = None) -> Any:
        return "done"


def in_process(player: Any) -> Transport:
    return InProcess(player, type(player).__name__)


class Prompt(Transport):
    """Has answered as soon as it is asked, however busy the machine is: whoever calls it late is wrong."""

    def __init__(self, player: Any) -> None:
        self.player = player
        self.name = type(player).__name__

    async def open(self, deliver: Deliver) -> None:
        self._deliver = deliver

    def send(self, request: Request) -> str:
        now = time.monotonic()
        asyncio.get_running_loop().call_soon(self._deliver, now, call_handler(self.player, request))
        return str(request)

    def give_up(self, number: int) -> None:
        raise AssertionError(f"message {number} was answered at once")

    async def close(self) -> None:
        pass


# In a process of their own


def child(behaviour: str) -> Transport:
    return ChildProcess([sys.executable, "-I", "-S", str(CHILD), behaviour], behaviour)


# Behind HTTP

Behaviour = Callable[[asyncio.StreamReader, asyncio.StreamWriter, str], Awaitable[None]]


def answer(text: str, status: str = "200 OK") -> bytes:
    body = text.encode()
    return (
        f"HTTP/1.0 {status}\r\nContent-type: text/acl\r\nContent-length: {len(body)}\r\n\r\n".encode() + body
    )


async def never(_: asyncio.StreamReader, writer: asyncio.StreamWriter, good: str) -> None:
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.sleep(60)


async def mid_reply(_: asyncio.StreamReader, writer: asyncio.StreamWriter, good: str) -> None:
    writer.write(answer(good + " " * 20)[:-10])


async def mid_head(_: asyncio.StreamReader, writer: asyncio.StreamWriter, good: str) -> None:
    writer.write(b"HTTP/1.0 20")


async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter, good: str) -> None:
    writer.transport.abort()


async def garbage(_: asyncio.StreamReader, writer: asyncio.StreamWriter, good: str) -> None:
    writer.write(b"\x00\xff\xfe" * 30 + b"\r\n\r\n")


async def bad_kif(_: asyncio.StreamReader, writer: asyncio.StreamWriter, good: str) -> None:
    writer.write(answer("((mark 1"))


async def error_500(_: asyncio.StreamReader, writer: asyncio.StreamWriter, good: str) -> None:
    writer.write(answer("oh no", "500 Internal Server Error"))


async def not_found(_: asyncio.StreamReader, writer: asyncio.StreamWriter, good: str) -> None:
    writer.write(answer("what?", "404 Not Found"))


async def long_head(_: asyncio.StreamReader, writer: asyncio.StreamWriter, good: str) -> None:
    writer.write(b"HTTP/1.0 200 OK\r\n" + b"X: y\r\n" * 10_000)


async def huge_announced(_: asyncio.StreamReader, writer: asyncio.StreamWriter, good: str) -> None:
    writer.write(b"HTTP/1.0 200 OK\r\nContent-length: 104857600\r\n\r\n")


async def huge(_: asyncio.StreamReader, writer: asyncio.StreamWriter, good: str) -> None:
    """100 MB without saying so, as long as anybody takes it."""
    writer.write(b"HTTP/1.0 200 OK\r\n\r\n")
    for _number in range(100):
        writer.write(b"x" * 2**20)
        await writer.drain()


async def illegal(_: asyncio.StreamReader, writer: asyncio.StreamWriter, good: str) -> None:
    writer.write(answer("(mark 7 7)"))


async def trickle(_: asyncio.StreamReader, writer: asyncio.StreamWriter, good: str) -> None:
    """A byte at a time, never ready."""
    for byte in answer(good):
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(0.1)


@asynccontextmanager
async def http_player(behaviour: Behaviour) -> AsyncIterator[HttpPlayer]:
    """A player that misbehaves when asked for a move, and says what it should to anything else."""
    connections: set[asyncio.Task[Any]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connections.add(task)
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length:")[1].split()[0])
            text = (await reader.readexactly(length)).decode()
            if text.startswith("(play"):
                await behaviour(reader, writer, "noop")
            else:
                writer.write(answer("ready" if text.startswith(("(info", "(start")) else "done"))
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            connections.discard(task)
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield HttpPlayer(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    finally:
        server.close()
        for task in list(connections):
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)


# What may be left behind


def player_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("player ")]


SLEEP = str(900_000_000 + os.getpid())
"""How long processes sleep that shall not be left behind: by this they are known, whoever else runs these tests."""

os.environ["GM_TEST_SLEEP"] = SLEEP


def processes_with(word: str) -> list[int]:
    """The living processes that have the word in their command line, and are of this run of the tests."""
    is_own_word = SLEEP in word or os.sep in word
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            is_named = word.encode() in (folder / "cmdline").read_bytes()
            mark = f"GM_TEST_SLEEP={SLEEP}".encode()
            if is_named and (is_own_word or mark in (folder / "environ").read_bytes()):
                found.append(int(folder.name))
    return found


def wait_for_end(left: Callable[[], Any], seconds: float = 3.0) -> Any:
    """What is left after a while."""
    deadline = time.monotonic() + seconds
    while (found := left()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found
