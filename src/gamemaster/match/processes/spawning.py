"""A command -> a process with pipes, on an event loop, at once: nobody waits between its start and our knowing of it.

asyncio's own way waits there, and whoever is cancelled then may wait for ever, for pipes that were not opened yet.
Nothing is read before somebody asks for it: who talks more than is wanted fills its own pipe, and waits.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
from collections.abc import Callable, Sequence
from typing import IO, Any

__all__ = ["ReadPipe", "Spawned", "WritePipe", "spawn"]

FIRST_NAP, LONGEST_NAP = 0.0005, 0.02
"""How long to sleep, in seconds, before looking again whether a process has ended: longer each time."""


class ReadPipe:
    """The end of a pipe that we read."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        os.set_blocking(pipe.fileno(), False)

    async def read(self, size: int) -> bytes:
        """What is there next, so many bytes at most; nothing at the end."""
        while not self._pipe.closed:
            try:
                return os.read(self._pipe.fileno(), size)
            except BlockingIOError:
                await _ready(self._pipe.fileno(), is_reading=True)
        return b""

    def close(self) -> None:
        """Read no more."""
        self._pipe.close()


class WritePipe:
    """The end of a pipe that we write to; what does not fit in yet is kept."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._rest = bytearray()
        self._task: asyncio.Task[None] | None = None
        os.set_blocking(pipe.fileno(), False)

    def write(self, data: bytes) -> None:
        """Write, without waiting; an OSError where nobody reads any more."""
        self._rest += data
        self._write()
        if self._rest and self._task is None:
            self._task = asyncio.create_task(self._go_on())

    def close(self) -> None:
        """Write no more, and drop what is left."""
        self._rest.clear()
        if self._task is not None:
            self._task.cancel()
        with contextlib.suppress(OSError):
            self._pipe.close()

    def _write(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._rest:
                del self._rest[: os.write(self._pipe.fileno(), self._rest)]

    async def _go_on(self) -> None:
        with contextlib.suppress(OSError):  # nobody reads any more: whoever reads from there says so
            while self._rest:
                await _ready(self._pipe.fileno(), is_reading=False)
                self._write()
        self._task = None


class Spawned:
    """A process, with those of its pipes that were asked for."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.pid = process.pid
        self.stdin = None if process.stdin is None else WritePipe(process.stdin)
        self.stdout = None if process.stdout is None else ReadPipe(process.stdout)
        self.stderr = None if process.stderr is None else ReadPipe(process.stderr)

    @property
    def returncode(self) -> int | None:
        """How it ended, once that is known: until then nobody else gets its number."""
        return self._process.returncode

    async def wait(self) -> int:
        """How it ended, once it has."""
        nap = FIRST_NAP
        while (code := self._process.poll()) is None:
            await asyncio.sleep(nap)
            nap = min(2 * nap, LONGEST_NAP)
        return code

    def send_signal(self, number: int) -> None:
        """Send it a signal; nothing where it has ended."""
        self._process.send_signal(number)

    def kill(self) -> None:
        """End it, whatever it is at."""
        self._process.kill()

    def close(self) -> None:
        """Close the pipes, with all that is in them."""
        for pipe in (self.stdin, self.stdout, self.stderr):
            if pipe is not None:
                pipe.close()


def spawn(command: Sequence[str], **options: Any) -> Spawned:
    """Start a process, with the options of subprocess.Popen; OSError where it cannot be started."""
    return Spawned(subprocess.Popen(command, bufsize=0, **options))


async def _ready(descriptor: int, *, is_reading: bool) -> None:
    """Wait until a pipe can be read, or written to."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    watch: Callable[..., None] = loop.add_reader if is_reading else loop.add_writer
    forget: Callable[[int], bool] = loop.remove_reader if is_reading else loop.remove_writer

    def wake() -> None:
        if not ready.done():
            ready.set_result(None)

    watch(descriptor, wake)
    try:
        await ready
    finally:
        forget(descriptor)
