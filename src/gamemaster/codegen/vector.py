"""How wide a vector is: so many games, its lanes, one gate computes at once.

All code is made from these numbers: the machine code of games (llvm.py, runtime.py) and the kernels of searches. To
change LANES, change it here, to another multiple of 64, and count up RUNTIME and EMITTER, which name what is kept on
disk. `gather` in search/native/kernels/intrinsics.py turns 16 lanes at a time, however many there are.
"""

from __future__ import annotations

from gamemaster.network.expansion import WORD

__all__ = ["LANES", "VECTOR_BYTES", "WORD", "WORDS"]

LANES = 256
"""Games in a vector, one a bit."""

WORDS = LANES // WORD
"""Words of 64 bits in a vector; lane n is bit n % 64 of word n // 64."""

VECTOR_BYTES = LANES // 8
