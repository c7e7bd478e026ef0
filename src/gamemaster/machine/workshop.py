"""Work for large games that takes a minute of Python, done in a process of its own: nobody with a clock is held up.

Orders and products are blocks of bytes, see `pack`; the process reads one and writes the other. What is made is also
kept on disk. Where there can be no other process, or it fails, the product is None, and whoever asked does the work
where it is.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable

import numpy as np

from gamemaster.codegen.cache import Cache, pack, unpack
from gamemaster.codegen.code import Code
from gamemaster.codegen.kernel import compile_objects
from gamemaster.machine.artifact import Artifact
from gamemaster.machine.improving import Improvement, make_improvement

__all__ = [
    "LARGE",
    "codes_made_elsewhere",
    "improvement_made_elsewhere",
    "main",
    "objects_made_elsewhere",
    "run_elsewhere",
]

LARGE = 30_000
"""Gates or instructions from which on it is worth the third of a second that a process takes to begin."""

LEAST_URGENT = 19
"""How much a process gives way that makes better what there is already: to anybody who thinks."""

LOOK_UP = 0.1
"""Seconds between two looks at whether somebody still wants the product."""

_lock = threading.Lock()
_children: set[subprocess.Popen[bytes]] = set()


def codes_made_elsewhere(key: str, job: str) -> bytes | None:
    """The instructions of an artifact that is kept under a key, those of a job among them; see `take_codes`."""
    return _order(pack({"job": job, "key": key}, []), lambda: False)


def objects_made_elsewhere(key: str, code: Code, is_stopped: Callable[[], bool]) -> list[bytes] | None:
    """The machine code of instructions, see `compile_objects`."""
    sizes = [code.inputs, code.outputs, code.slots]
    product = _order(pack({"compile": key, "sizes": sizes}, [code.instructions.tobytes()]), is_stopped)
    return None if product is None else unpack(product)[1]


def improvement_made_elsewhere(key: str, job: str, is_stopped: Callable[[], bool]) -> Improvement | None:
    """Better instructions of a job, for the key of an artifact that is kept; see improving.py."""
    product = _order(pack({"improve": job, "key": key}, []), is_stopped)
    return None if product is None else Improvement.from_bytes(product)


def run_elsewhere(function: Callable[[], None]) -> bool:
    """Run a function of a module for what it leaves on disk; whether that could be done."""
    return _order(b"", lambda: False, f"{function.__module__}:{function.__name__}") is not None


def _order(order: bytes, is_stopped: Callable[[], bool], function: str = f"{__name__}:main") -> bytes | None:
    """Have something made; None where that fails, or is stopped."""
    try:
        child = _begin(order, *function.split(":"))
    except OSError:
        return None
    with _lock:
        _children.add(child)
    with child:
        product = _wait(child, is_stopped)
    with _lock:
        _children.discard(child)
    return product if child.returncode == 0 else None


def _begin(order: bytes, module: str, function: str) -> subprocess.Popen[bytes]:
    with tempfile.TemporaryFile() as file:
        file.write(order)
        file.seek(0)
        return subprocess.Popen(
            [sys.executable, "-c", f"from {module} import {function}; {function}()"],
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )


def _wait(child: subprocess.Popen[bytes], is_stopped: Callable[[], bool]) -> bytes:
    while True:
        try:
            return child.communicate(timeout=LOOK_UP)[0]
        except subprocess.TimeoutExpired:
            if is_stopped():
                child.kill()


@atexit.register
def _close() -> None:
    """Nobody is there any more to take a product."""
    with _lock:
        for child in _children:
            child.kill()


# In the other process


def make(order: bytes) -> bytes:
    """The product of an order."""
    description, blobs = unpack(order)
    if "compile" in description:
        inputs, outputs, slots = description["sizes"]
        code = Code(inputs, outputs, slots, np.frombuffer(blobs[0], np.int32).reshape(-1, 4))
        return pack({}, compile_objects(description["compile"], code, lambda: False) or [])
    content = Cache().read(description["key"])
    if content is None:
        raise LookupError(description["key"])
    artifact = Artifact.from_bytes(content)
    if "improve" in description:
        return make_improvement(artifact, description["improve"]).to_bytes()
    artifact.code(description["job"])
    return artifact.codes_to_bytes()


def main() -> None:
    """Make what is ordered."""
    order = sys.stdin.buffer.read()
    if "improve" in unpack(order)[0]:
        os.nice(LEAST_URGENT)
    sys.stdout.buffer.write(make(order))
