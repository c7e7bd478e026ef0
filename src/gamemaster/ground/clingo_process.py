"""Processes for clingo: it cannot be interrupted from Python, and rules are untrusted, but a process can be killed.

Such a process gets a request and gives an answer, both pickled plain data; `clingo_child.py` is its side of that. It
starts quickly: of this package it imports only the module that answers, and never the package's front page.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from types import ModuleType
from typing import IO, Self

from gamemaster.ground.clingo_child import ANSWER, Answer, Request

__all__ = ["Complaints", "begin", "is_out_of_memory", "read_answer"]

PACKAGE = Path(__file__).parent.parent

START = """
import sys, types
package = sys.modules["gamemaster"] = types.ModuleType("gamemaster")
package.__path__ = [{package!r}]
from {module} import main
main()
"""
"""What a process runs: the `main` of a module, in a package of which nothing else is imported."""

UNBUFFERED = "PYTHONUNBUFFERED"
"""Would have clingo, too, call the system for every number that it writes."""

MOST_COMPLAINTS = 1 << 16
"""Bytes of what a process complains of that are kept."""

OUT_OF_MEMORY = (b"bad_alloc", b"MemoryError", b"annot allocate memory")


def begin(module: ModuleType, request: Request) -> subprocess.Popen[bytes]:
    """A process in which a module answers a request."""
    program = START.format(package=str(PACKAGE), module=module.__name__)
    with tempfile.TemporaryFile() as file:
        pickle.dump(request, file)
        file.seek(0)
        return subprocess.Popen(
            [
                sys.executable,
                "-P",
                "-c",
                program,
            ],  # -P: nothing is imported from where somebody happens to be
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={name: value for name, value in os.environ.items() if name != UNBUFFERED},
        )


class Complaints:
    """What a process complains of, read as it comes, as it would wait for whoever does not listen; the last is kept."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._last = b""
        self._thread = threading.Thread(target=self._listen, args=(stream.fileno(),), daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join()

    def _listen(self, stream: int) -> None:
        while block := os.read(stream, MOST_COMPLAINTS):
            self._last = (self._last + block)[-MOST_COMPLAINTS:]

    def last(self) -> bytes:
        """The last of them, when the process has ended."""
        self._thread.join()
        return self._last


def is_out_of_memory(errors: bytes) -> bool:
    """Whether a process said that it got no more memory."""
    return any(sign in errors for sign in OUT_OF_MEMORY)


def read_answer(out: bytes) -> Answer:
    """What a process answered."""
    answer: Answer = pickle.loads(out.removeprefix(ANSWER))
    return answer
