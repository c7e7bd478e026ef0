"""What a process says first is taken by itself, however much follows at once."""

from __future__ import annotations

import asyncio
import os

from gamemaster.match.processes.order import READY
from gamemaster.match.processes.spawning import ReadPipe
from gamemaster.match.transports.child_process import _first_line


def test_what_follows_the_first_line_is_left_for_the_next_reader() -> None:
    async def both() -> tuple[bytes, bytes]:
        pipe = ReadPipe(os.fdopen(reading, "rb"))
        try:
            return await _first_line(pipe), await pipe.read(100)
        finally:
            pipe.close()

    reading, writing = os.pipe()
    os.write(writing, READY + b"\nsaid at once\n")
    os.close(writing)
    assert asyncio.run(both()) == (READY, b"said at once\n")
