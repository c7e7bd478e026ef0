"""Machine code made in the background: one worker for the whole process, asked for a kernel at a time.

A kernel runs on its first tier meanwhile and goes over when its code is there. Large ones are compiled in another
process, see workshop.py. At the end of the process the worker stops after the piece it is compiling.
"""

from __future__ import annotations

import atexit
import queue
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from gamemaster.codegen.code import Code
from gamemaster.codegen.kernel import Kernel, compile_objects
from gamemaster.codegen.native import Library
from gamemaster.machine.workshop import LARGE, objects_made_elsewhere

__all__ = ["Background"]


@dataclass
class _Worker:
    """A thread that compiles what is in its queue."""

    tasks: queue.SimpleQueue[tuple[str, Kernel, threading.Event]] = field(default_factory=queue.SimpleQueue)
    stopping: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, key: str, kernel: Kernel, ready: threading.Event) -> None:
        self.tasks.put((key, kernel, ready))
        with self.lock:
            if self.thread is None:
                self.thread = threading.Thread(target=self.run, name="gamemaster compiler", daemon=True)
                self.thread.start()
                atexit.register(self.stop)

    def run(self) -> None:
        while not self.stopping.is_set():
            key, kernel, ready = self.tasks.get()
            objects = self.compiled(key, kernel.code) if key else None
            if objects is not None:
                kernel.use(Library(objects))
            ready.set()

    def compiled(self, key: str, code: Code) -> list[bytes] | None:
        """Machine code; None where the worker is to stop."""
        objects = None
        if len(code.instructions) >= LARGE:
            objects = objects_made_elsewhere(key, code, self.stopping.is_set)
        return objects or compile_objects(key, code, self.stopping.is_set)

    def stop(self) -> None:
        """Let the worker end: LLVM must not be at work while the process is taken down."""
        self.stopping.set()
        self.tasks.put(("", None, threading.Event()))  # type: ignore[arg-type]  # wakes a worker that waits
        if self.thread is not None:
            self.thread.join()


_worker = _Worker()


class Background:
    """Asks for the machine code of a game's kernels, each once."""

    def __init__(self, key: str, kernels: Mapping[str, Kernel]) -> None:
        self.key = key
        self.kernels = kernels
        self.asked: dict[str, threading.Event] = {}

    def want(self, name: str) -> None:
        """Have a kernel compiled, some time."""
        if name not in self.asked and not self.kernels[name].is_compiled:
            self.asked[name] = threading.Event()
            _worker.add(f"{self.key} {name}", self.kernels[name], self.asked[name])

    def wait(self, name: str, seconds: float | None = None) -> bool:
        """Have a kernel compiled and wait for it; whether it is."""
        self.want(name)
        if name in self.asked:
            self.asked[name].wait(None if seconds is None else min(seconds, threading.TIMEOUT_MAX))
        return self.kernels[name].is_compiled
