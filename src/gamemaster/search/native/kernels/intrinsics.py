"""Words of 64 bits: constants, and what numba has no function for, as instructions of LLVM."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from gamemaster.codegen.vector import VECTOR_BYTES, WORDS

__all__ = [
    "ALL",
    "GROUPS",
    "HIGHEST",
    "I0",
    "I1",
    "I2",
    "MINUS",
    "ONE",
    "ZERO",
    "at",
    "bits_of",
    "byte_column",
    "call_at",
    "column",
    "count_ones",
    "gather",
    "lowest_one",
    "pick_bytes",
    "prefetch",
]


ALL = np.uint64(0xFFFFFFFFFFFFFFFF)

ONE = np.uint64(1)

HIGHEST = np.uint64(1 << 63)

ZERO = np.uint64(0)

at = np.uint64
"""An index without a sign: numba need not ask whether it counts from the end."""

I0, I1, I2, MINUS = (np.int64(number) for number in (0, 1, 2, -1))

GROUPS = np.int64(WORDS)
"""The words of a slot, each a group of 64 lanes."""


def _call_code(typing_context: Any, function: Any, buffer: Any, code: Any, count: Any) -> Any:
    """Call a game's code by its address."""
    signature = types.void(types.uint64, types.uint64, types.uint64, types.uint64)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word, byte = ir.IntType(64), ir.IntType(8)
        kind = ir.FunctionType(ir.VoidType(), [byte.as_pointer(), byte.as_pointer(), word, word])
        target = builder.inttoptr(args[0], kind.as_pointer())
        pointers = [builder.inttoptr(args[i], byte.as_pointer()) for i in (1, 2)]
        builder.call(target, [*pointers, args[3], word(1)])
        return context.get_dummy_value()

    return signature, generate


def _lowest_code(typing_context: Any, bits: Any) -> Any:
    """The position of the lowest one in a word."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.IntType(1)(1))

    return types.int64(types.uint64), generate


def _ones_code(typing_context: Any, bits: Any) -> Any:
    """How many ones a word has."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), generate


def _bits_code(typing_context: Any, number: Any) -> Any:
    """The bits of a number in single precision."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.IntType(32))

    return types.int32(types.float32), generate


def _gather_code(typing_context: Any, buffer: Any, slot: Any, lane: Any, block: Any) -> Any:
    """64 slots' bits for 16 lanes from one on, which is a multiple of 16."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        short, byte, word = ir.IntType(16), ir.IntType(8), ir.IntType(64)
        vector = ir.VectorType(short, 64)
        source, target = (
            context.make_array(signature.args[i])(context, builder, args[i]).data for i in (0, 3)
        )
        offset = builder.add(builder.mul(args[1], word(VECTOR_BYTES)), builder.lshr(args[2], word(3)))
        start = builder.gep(builder.bitcast(source, byte.as_pointer()), [offset])
        held = ir.Constant(vector, ir.Undefined)
        for i in range(64):
            place = builder.bitcast(builder.gep(start, [word(i * VECTOR_BYTES)]), short.as_pointer())
            held = builder.insert_element(held, builder.load(place), ir.IntType(32)(i))
        builder.store(held, builder.bitcast(target, vector.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(buffer, types.int64, types.int64, block), generate


def _column_code(typing_context: Any, block: Any, shift: Any) -> Any:
    """One bit of each of 64 numbers of 16 bits, as a word: the one that comes to the top by a shift."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector, word = ir.VectorType(ir.IntType(16), 64), ir.IntType(64)
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        held = builder.load(builder.bitcast(data, vector.as_pointer()), align=1)
        one = builder.insert_element(ir.Constant(vector, ir.Undefined), args[1], ir.IntType(32)(0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), 64), [0] * 64)
        all_shifts = builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), zeros)
        top = builder.shl(held, all_shifts)
        is_set = builder.icmp_signed("<", top, ir.Constant(vector, [0] * 64))
        return builder.bitcast(is_set, word)

    return types.uint64(block, types.uint16), generate


def _pick_code(typing_context: Any, words: Any, start: Any, shift: Any, block: Any) -> Any:
    """Eight bits of each of 64 words from one on, those from a bit on, as 64 bytes."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        long_vector, short_vector = ir.VectorType(word, 64), ir.VectorType(ir.IntType(8), 64)
        source, target = (
            context.make_array(signature.args[i])(context, builder, args[i]).data for i in (0, 3)
        )
        place = builder.bitcast(builder.gep(source, [args[1]]), long_vector.as_pointer())
        shifted = builder.lshr(builder.load(place, align=8), _splat(builder, args[2], 64))
        bytes_there = builder.bitcast(target, short_vector.as_pointer())
        builder.store(builder.trunc(shifted, short_vector), bytes_there, align=1)
        return context.get_dummy_value()

    return types.void(words, types.int64, types.uint64, block), generate


def _byte_column_code(typing_context: Any, block: Any, shift: Any) -> Any:
    """One bit of each of 64 bytes, as a word: the one that comes to the top by a shift."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = ir.VectorType(ir.IntType(8), 64)
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        held = builder.load(builder.bitcast(data, vector.as_pointer()), align=1)
        top = builder.shl(held, _splat(builder, args[1], 64))
        is_set = builder.icmp_signed("<", top, ir.Constant(vector, [0] * 64))
        return builder.bitcast(is_set, ir.IntType(64))

    return types.uint64(block, types.uint8), generate


def _splat(builder: Any, value: Any, count: int) -> Any:
    """A vector of one value."""
    empty = ir.Constant(ir.VectorType(value.type, count), ir.Undefined)
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), count), [0] * count)
    return builder.shuffle_vector(builder.insert_element(empty, value, ir.IntType(32)(0)), empty, zeros)


def _prefetch_code(typing_context: Any, words: Any, place: Any) -> Any:
    """Ask memory for a word of an array, which is needed soon."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        byte, number = ir.IntType(8), ir.IntType(32)
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        address = builder.bitcast(builder.gep(data, [args[1]]), byte.as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [byte.as_pointer(), number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte.as_pointer()], kind)
        builder.call(function, [address, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(words, types.uint64), generate


bits_of: Any = intrinsic(_bits_code)

byte_column: Any = intrinsic(_byte_column_code)


pick_bytes: Any = intrinsic(_pick_code)

call_at: Any = intrinsic(_call_code)

gather: Any = intrinsic(_gather_code)

column: Any = intrinsic(_column_code)

lowest_one: Any = intrinsic(_lowest_code)

prefetch: Any = intrinsic(_prefetch_code)

count_ones: Any = intrinsic(_ones_code)
