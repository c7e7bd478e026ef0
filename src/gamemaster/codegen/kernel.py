"""Code -> Kernel: something that can be called, at once on the first tier, faster once its machine code is there.

A kernel has a buffer of its own, so two threads must not use one at the same time: the functions for single games and
batches keep Python's lock while they run, and playouts, which do not, take a `fork` of the kernel each.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from copy import copy
from functools import cache

import numpy as np
import numpy.typing as npt

from gamemaster.codegen.cache import Cache, key_of, pack, unpack
from gamemaster.codegen.code import Code
from gamemaster.codegen.interpreter import Words
from gamemaster.codegen.llvm import EMITTER, emit
from gamemaster.codegen.native import Library, compile_object, host_key
from gamemaster.codegen.runtime import JOB, KERNEL, RUNTIME, runtime_module
from gamemaster.codegen.vector import LANES, VECTOR_BYTES, WORDS

__all__ = ["Kernel", "Rows", "aligned_words", "compile_objects", "load_kernel", "load_runtime", "play"]

BUSY = 2_000

Rows = npt.NDArray[np.uint8]
"""Packed bits [games, bytes]."""

_POINTER, _WORD = ctypes.c_void_p, ctypes.c_int64


class _NativeCalls:
    """The native functions that all games share."""

    def __init__(self) -> None:
        self.library = Library([_runtime_object()])
        self.run_code = self.library.address("run_code")
        bits = (_POINTER, ctypes.c_char_p, ctypes.c_char_p)
        many = (_POINTER, _POINTER, _POINTER, _WORD, _WORD, _WORD)
        # PYFUNCTYPE keeps Python's lock, so that nobody else can use the buffer meanwhile
        self.evaluate_one = ctypes.PYFUNCTYPE(None, *bits)(self.library.address("evaluate_one"))
        self.evaluate_many = ctypes.PYFUNCTYPE(None, *many)(self.library.address("evaluate_many"))
        self.play = ctypes.CFUNCTYPE(None, _POINTER, _POINTER, _WORD)(self.library.address("play"))


_making = threading.Lock()


def _runtime() -> _NativeCalls:
    # Without the lock two threads could make one each: kernels keep only addresses, and one of the two would go.
    with _making:
        return _only_runtime()


@cache
def _only_runtime() -> _NativeCalls:
    return _NativeCalls()


def load_runtime() -> None:
    """Load the native functions now, where they would be loaded later."""
    _runtime()


def _runtime_object() -> bytes:
    """The shared functions' machine code, from the cache if it is there."""
    store, key = Cache(), key_of("runtime", RUNTIME, LANES, host_key())
    code = store.read(key)
    if code is None:
        code = compile_object(runtime_module(), optimise=True)
        store.write(key, code)
    return code


def aligned_words(rows: int) -> Words:
    """Zeros [rows, words of a vector] that begin where vector instructions want them to."""
    raw = np.zeros(rows * WORDS + WORDS, np.uint64)
    skip = (-raw.ctypes.data % VECTOR_BYTES) // 8
    return raw[skip : skip + rows * WORDS].reshape(rows, WORDS)


class Kernel:
    """Evaluates code; `is_compiled` says on which tier."""

    def __init__(self, code: Code, library: Library | None = None) -> None:
        code.check()
        self.code = code
        self.library = library
        self.buffer = aligned_words(code.slots)
        self.instructions = np.ascontiguousarray(code.instructions)
        self.out = ctypes.create_string_buffer(max(1, (code.outputs + 7) // 8))
        self.left: tuple[object, ...] = ()
        self._set_words()

    @property
    def is_compiled(self) -> bool:
        """Whether machine code of its own runs, not the first tier."""
        return self.library is not None

    def _set_words(self) -> None:
        function = self.library.address("evaluate") if self.library else _runtime().run_code
        fields = {
            "buffer": self.buffer.ctypes.data,
            "function": function,
            "code": self.instructions.ctypes.data,
            "count": len(self.instructions),
            "vectors": 1,
            "inputs": self.code.inputs,
            "outputs": self.code.outputs,
        }
        self.words = np.array([fields[name] for name in KERNEL], np.uint64)
        self.address = self.words.ctypes.data

    def use(self, library: Library, code: Code | None = None) -> None:
        """Go over to machine code, of other instructions that do the same where they are given."""
        other = Kernel(code or self.code, library)
        other.left = (
            self.words,
            self.buffer,
            self.instructions,
            self.library,
        )  # somebody may be about to call with them
        self.__dict__.update(other.__dict__)  # all at once, whoever looks meanwhile

    def fork(self) -> Kernel:
        """The same with a buffer of its own."""
        other = copy(self)
        other.buffer = aligned_words(other.code.slots)  # of what was copied: this one may go over meanwhile
        other._set_words()
        return other

    def one(self, on_busy: Callable[[], None]) -> Callable[[bytes], bytes]:
        """A function from the packed input bits of one game to its packed output bits.

        `on_busy` is called once, after BUSY calls: then machine code begins to be worth its making.
        """
        evaluate, out, calls = _runtime().evaluate_one, self.out, 0

        def call(bits: bytes) -> bytes:
            nonlocal calls
            calls += 1
            if calls == BUSY:
                on_busy()
            evaluate(self.address, bits, out)
            return out.raw

        return call

    def many(self, bits: Rows) -> Rows:
        """Packed output bits [games, bytes] for packed input bits [games, bytes], any number of games."""
        games = np.ascontiguousarray(bits, np.uint8)
        result = np.zeros((len(games), (self.code.outputs + 7) // 8), np.uint8)
        for start in range(0, len(games), LANES):
            rows, target = games[start : start + LANES], result[start : start + LANES]
            strides = games.shape[1], result.shape[1]
            _runtime().evaluate_many(self.address, rows.ctypes.data, target.ctypes.data, len(rows), *strides)
        return result


def play(kernel: Kernel, job: dict[str, int], steps: int) -> dict[str, int]:
    """The job after at most that many steps of random play in all lanes. Does not hold Python's lock."""
    words = np.array([job[name] for name in JOB], np.uint64)
    _runtime().play(kernel.address, words.ctypes.data, steps)
    return dict(zip(JOB, words.tolist(), strict=True))


def load_kernel(key: str, code: Code) -> Library | None:
    """The machine code kept for a key, loaded; None where there is none for this machine."""
    content = Cache().read(_object_key(key, code))
    if content is None:
        return None
    return Library(unpack(content)[1])


def compile_objects(key: str, code: Code, is_stopped: Callable[[], bool]) -> list[bytes] | None:
    """Machine code made and kept; None where it was stopped in between."""
    objects = []
    for text in emit(code):
        if is_stopped():
            return None
        objects.append(compile_object(text))
    Cache().write(_object_key(key, code), pack({}, objects))
    return objects


def _object_key(key: str, code: Code) -> str:
    return key_of("object", key, EMITTER, LANES, host_key(), code.slots, code.instructions.tobytes())
