"""How wide a vector is: so many games, its lanes, one gate computes at once.

All code is made from these numbers: the machine code of games (llvm.py, assembly.py, runtime.py) and the kernels of
searches. They are chosen when this module is imported, by the CPU, or by $GAMEMASTER_LANES, and are part of the keys
under which code is kept on disk. `gather` in search/native/kernels/intrinsics.py turns 16 lanes at a time, however many
there are.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Set
from pathlib import Path

from gamemaster.errors import ParameterError
from gamemaster.network.expansion import WORD

__all__ = ["LANES", "VECTOR_BYTES", "WIDTHS", "WORD", "WORDS", "lanes_for"]

WIDTHS = (128, 256, 512)
USUAL = 256


def _cpu_flags() -> Set[str]:
    """What the CPU can do, as Linux tells without anybody asking LLVM; nothing where it does not."""
    try:
        with Path("/proc/cpuinfo").open() as file:
            line = next((line for line in file if line.startswith("flags")), "")
    except OSError:
        return frozenset()
    return frozenset(line.partition(":")[2].split())


def lanes_for(asked: str | None, flags: Set[str], machine: str) -> int:
    """How many lanes: as many as asked for, else as many as a register of the CPU has bits, 256 at most.

    With 512 a gate of playouts costs up to a third less in each game where the CPU has AVX-512, but a search
    that asks for the few children of one state waits longer for them; so only who asks for it has that. A CPU that is
    not known has 256.
    """
    if asked:
        if asked not in map(str, WIDTHS):
            raise ParameterError(f"GAMEMASTER_LANES: {asked[:60]!r} is none of {', '.join(map(str, WIDTHS))}")
        return int(asked)
    is_narrow = machine == "x86_64" and "sse2" in flags and "avx2" not in flags
    return 128 if is_narrow else USUAL


LANES = lanes_for(os.environ.get("GAMEMASTER_LANES"), _cpu_flags(), platform.machine())
"""Games in a vector, one a bit."""

WORDS = LANES // WORD
"""Words of 64 bits in a vector; lane n is bit n % 64 of word n // 64."""

VECTOR_BYTES = LANES // 8
