"""How kernels are compiled: once for a machine, and kept on disk until the text of any of them changes.

numba asks only whether the file of a function has changed, not the files of those that it calls; so what it keeps is
stamped with the text of the whole folder, and of the files from which kernels have numbers and the order of records.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import njit

from gamemaster.codegen import runtime, vector
from gamemaster.machine import layout

__all__ = ["STAMP", "answer", "aside", "kernel", "part", "sums"]


SOURCES = (vector, runtime, layout)


def _stamp() -> str:
    """The text of all kernels and how many lanes they have, in short."""
    folder = sorted(Path(__file__).parent.glob("*.py"))
    texts = (path.read_bytes() for path in [*folder, *(Path(str(part.__file__)) for part in SOURCES)])
    width = str(vector.LANES).encode()
    return hashlib.sha256(b"\0".join([width, *texts])).hexdigest()


STAMP = _stamp()


def _compiler(**options: bool) -> Callable[[Callable[..., Any]], Any]:
    """A decorator: kept on disk, run without Python's lock, with arrays that belong to whoever calls.

    Counting the references to arrays, an atomic addition for each of a tuple, would take longer than many a kernel.
    """

    def compiled(function: Callable[..., Any]) -> Any:
        made = njit(cache=True, nogil=True, _nrt=False, no_cfunc_wrapper=True, **options)(function)
        kept = made._cache._cache_file
        kept._source_stamp = STAMP
        kept._version += f" {STAMP}"  # which is read first: the rest may name classes that are no more
        return made

    return compiled


kernel = _compiler()
"""Compiled once, for Python to call."""

answer = _compiler(forceinline=True)
"""A kernel that others put in place wherever they call it."""

aside = _compiler(no_cpython_wrapper=True)
"""For kernels to call. Nothing turns Python's arrays into those of such a function, which would take as long to compile
as the function itself; so Python must never call it."""

part = _compiler(no_cpython_wrapper=True, forceinline=True)
"""The same, put in place wherever it is called: a tuple of arrays is large to hand over. Give it numbers as numpy has
them, such as I0: a plain 0 is a type of its own to numba, for which the part is compiled once more."""

sums = _compiler(no_cpython_wrapper=True, forceinline=True, fastmath=True)
"""A part that adds numbers in any order, as many at once as the machine can."""
