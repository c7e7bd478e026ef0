"""What code means, in plain numpy: slow and obvious, the twin that native code is compared with."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gamemaster.codegen.code import AND_NOT, BOTH, CLEAR, DIFFER, EITHER, NOT, REPEAT, SETTLE, Code

__all__ = ["Words", "interpret"]

Words = npt.NDArray[np.uint64]


def interpret(code: Code, inputs: Words) -> Words:
    """The outputs [outputs, words] for inputs [inputs, words]; each bit of a word is a game of its own."""
    buffer = np.zeros((code.slots, inputs.shape[1]), np.uint64)
    buffer[: code.inputs] = inputs
    rows = code.instructions.tolist()
    position, changed = 0, False
    while position < len(rows):
        operation, target, first, second = rows[position]
        position += 1
        if operation == REPEAT:
            position, changed = (target if changed else position), False
            continue
        new = _compute(operation, buffer[first], buffer[second])
        if operation == SETTLE:
            changed = changed or bool((buffer[target] != new).any())
        buffer[target] = new
    return buffer[code.inputs : code.inputs + code.outputs].copy()


def _compute(operation: int, x: Words, y: Words) -> Words:
    """The result of an operation; COPY and SETTLE take over the first value."""
    if operation == BOTH:
        return x & y
    if operation == AND_NOT:
        return ~x & y
    if operation == EITHER:
        return x | y
    if operation == DIFFER:
        return x ^ y
    if operation == NOT:
        return ~x
    return np.zeros_like(x) if operation == CLEAR else x.copy()
