"""Machine code made in the background: two workers for the whole process, asked for a kernel at a time.

A kernel runs on its first tier meanwhile and goes over when its code is there. Large ones are compiled in another
process, see workshop.py. What somebody still wants LASTING seconds later is improved (improving.py) and compiled once
more. That has a worker of its own, and its process gives way to others: nobody who wants something else waits for it.
At the end of the process the workers stop after the piece they are compiling.
"""

from __future__ import annotations

import atexit
import logging
import queue
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from gamemaster.codegen.code import Code
from gamemaster.codegen.kernel import Kernel, compile_objects
from gamemaster.codegen.native import Library
from gamemaster.machine.improving import Improvement, kept_improvement
from gamemaster.machine.workshop import LARGE, improvement_made_elsewhere, objects_made_elsewhere
from gamemaster.network.synthesis import is_available

__all__ = ["LASTING", "Background"]

LASTING = 20.0
"""Seconds after which machine code that is still wanted is worth improving."""


@dataclass(frozen=True)
class _Task:
    """A kernel to be compiled, the key of its artifact, and whether it is to be improved first."""

    key: str
    job: str
    kernel: Kernel
    ready: threading.Event
    is_improved: bool


@dataclass
class _Worker:
    """A thread that compiles what is in its queue."""

    tasks: queue.SimpleQueue[_Task | None] = field(default_factory=queue.SimpleQueue)
    stopping: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, task: _Task) -> None:
        self.tasks.put(task)
        with self.lock:
            if self.thread is None:
                self.thread = threading.Thread(target=self.run, name="gamemaster compiler", daemon=True)
                self.thread.start()
                atexit.register(self.stop)

    def run(self) -> None:
        while not self.stopping.is_set():
            task = self.tasks.get()
            if task is None:
                continue
            try:
                self.do(task)
            except Exception as error:  # whatever it is, others wait; the kernel stays on the tier it has
                logging.getLogger(__name__).warning("no machine code of %s: %r", task.job, error)
            finally:
                task.ready.set()

    def do(self, task: _Task) -> None:
        """Have a kernel go over to machine code, better than what it has."""
        kernel, code, key = task.kernel, task.kernel.code, f"{task.key} {task.job}"
        better = self.improvement(task) if task.is_improved else None
        is_better = better is not None and better.code is not None
        if better is not None and better.code is not None:
            code = better.code
        elif kernel.is_compiled:
            return
        objects = self.compiled(key, code)
        with _changing:
            if objects is not None and (
                is_better or not kernel.is_compiled
            ):  # the improver may have been quicker
                kernel.use(Library(objects), code)

    def improvement(self, task: _Task) -> Improvement | None:
        """Better instructions, kept or made by another process; None where there can be none."""
        kept = kept_improvement(task.key, task.job)
        return kept or improvement_made_elsewhere(task.key, task.job, self.stopping.is_set)

    def compiled(self, key: str, code: Code) -> list[bytes] | None:
        """Machine code; None where the worker is to stop."""
        objects = None
        if len(code.instructions) >= LARGE:
            objects = objects_made_elsewhere(key, code, self.stopping.is_set)
        return objects or compile_objects(key, code, self.stopping.is_set)

    def stop(self) -> None:
        """Let the worker end: LLVM must not be at work while the process is taken down."""
        self.stopping.set()
        self.tasks.put(None)  # wakes a worker that waits
        if self.thread is not None:
            self.thread.join()


_changing = threading.Lock()
_worker, _improver = _Worker(), _Worker()


class Background:
    """Asks for the machine code of a game's kernels, each once, and once more for a better one."""

    def __init__(self, key: str, kernels: Mapping[str, Kernel]) -> None:
        self.key = key
        self.kernels = kernels
        self.asked: dict[str, threading.Event] = {}
        self.improved: dict[str, threading.Event] = {}
        self.since: dict[str, float] = {}

    def want(self, name: str) -> None:
        """Have a kernel compiled, some time, and improved where it is wanted for long."""
        since = self.since.setdefault(name, time.monotonic())
        kernel = self.kernels[name]
        if name not in self.asked and not kernel.is_compiled:
            self.asked[name] = threading.Event()
            _worker.add(_Task(self.key, name, kernel, self.asked[name], is_improved=False))
        elif time.monotonic() - since > LASTING:
            self._improve(name)

    def _improve(self, name: str) -> threading.Event:
        """Have better instructions made of a kernel, and compiled."""
        if name not in self.improved:
            self.improved[name] = threading.Event()
            if is_available():
                task = _Task(self.key, name, self.kernels[name], self.improved[name], is_improved=True)
                _improver.add(task)
            else:
                self.improved[name].set()
        return self.improved[name]

    def wait(self, name: str, seconds: float | None = None, *, best: bool = False) -> bool:
        """Have a kernel compiled and wait for it, if asked for until it is as good as it gets; whether it is."""
        self.want(name)
        ready = self._improve(name) if best else self.asked.get(name)
        if ready is not None:
            ready.wait(None if seconds is None else min(seconds, threading.TIMEOUT_MAX))
        return self.kernels[name].is_compiled
