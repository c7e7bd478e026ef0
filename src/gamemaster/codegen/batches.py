"""The native functions of batch_runtime.py, ready to be called. They do not hold Python's lock."""

from __future__ import annotations

import ctypes
import threading
from functools import cache

import numpy as np

from gamemaster.codegen.batch_runtime import BATCH_RUNTIME, WEIGHING, batch_runtime_module
from gamemaster.codegen.cache import Cache, key_of
from gamemaster.codegen.kernel import Kernel
from gamemaster.codegen.native import Library, compile_object, host_key
from gamemaster.codegen.runtime import RUNTIME
from gamemaster.codegen.vector import LANES

__all__ = ["BatchCalls", "batch_calls", "play_by_weights"]

_POINTER, _WORD = ctypes.c_void_p, ctypes.c_int64


class BatchCalls:
    """The functions."""

    def __init__(self) -> None:
        library = self.library = Library([_object()])

        def function(name: str, *kinds: type) -> ctypes._CFunctionType:
            return ctypes.CFUNCTYPE(None, *kinds)(library.address(name))

        self.check_moves = function("check_moves", _POINTER, _WORD)
        self.step_blocks = function("step_blocks", _POINTER, _POINTER)
        self.tell = function("tell", _POINTER, _WORD)
        self.play = function("play_by_weights", _POINTER, _POINTER, _WORD)
        self.spread = function("spread", _POINTER, _POINTER, _WORD, _WORD, _WORD, _WORD)


_making = threading.Lock()


def batch_calls() -> BatchCalls:
    """The functions, loaded once."""
    with _making:
        return _only_calls()


@cache
def _only_calls() -> BatchCalls:
    return BatchCalls()


def play_by_weights(kernel: Kernel, job: dict[str, int], steps: int) -> dict[str, int]:
    """The job after at most that many steps of play by weights in all lanes."""
    words = np.array([job[name] for name in WEIGHING], np.uint64)
    batch_calls().play(kernel.address, words.ctypes.data, steps)
    return dict(zip(WEIGHING, words.tolist(), strict=True))


def _object() -> bytes:
    """The functions' machine code, from the cache if it is there."""
    store, key = Cache(), key_of("batch runtime", BATCH_RUNTIME, RUNTIME, LANES, host_key())
    code = store.read(key)
    if code is None:
        code = compile_object(batch_runtime_module(), optimise=True)
        store.write(key, code)
    return code
