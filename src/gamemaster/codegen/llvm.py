"""Code -> LLVM assembly: straight-line vector code in functions.

Instructions are cut into functions, and those into modules, which compile one after the other and can be stopped in
between. Inside a function values stay in registers; at its end those are stored that a later one reads. Where the CPU
is known, functions are large and their registers given out by assembly.py. Else LLVM does that, whose time grows faster
than a function: then they have CHUNK instructions each, and a module MODULE of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gamemaster.codegen.assembly import Row, assemble_part, has_assembly, reads
from gamemaster.codegen.code import AND_NOT, BOTH, CLEAR, COPY, DIFFER, EITHER, NOT, REPEAT, SETTLE, Code
from gamemaster.codegen.native import host_features
from gamemaster.codegen.vector import LANES, VECTOR_BYTES, WORDS

__all__ = ["EMITTER", "emit"]

EMITTER = 2
"""Counts up when the code made from the same instructions changes: part of the key in the cache."""

CHUNK = 128
MODULE = 32
ASSEMBLED_CHUNK = 4_096
VECTOR = f"<{WORDS} x i64>"
ONES = f"<{', '.join(['i64 -1'] * WORDS)}>"
ZERO = "zeroinitializer"
OPERATIONS = {BOTH: "and", EITHER: "or", DIFFER: "xor"}
ARGUMENTS = "ptr noalias %b, ptr %code, i64 %count, i64 %vectors"


@dataclass
class _Part:
    """The instructions of one function; `loop` counts the loops around, so that parts of one belong together."""

    rows: list[Row] = field(default_factory=list)
    loop: int = 0
    settles: list[Row] = field(default_factory=list)


def emit(code: Code) -> list[str]:
    """The texts of modules; the last one has the function `evaluate(buffer, ...)` that calls the others."""
    is_assembled = has_assembly(host_features())
    parts = _parts(code, ASSEMBLED_CHUNK if is_assembled else CHUNK)
    needed = _needed_after(code, parts)
    if is_assembled:
        modules = [assemble_part(i, part.rows, needed[i]) for i, part in enumerate(parts)]
    else:
        functions = [_function(i, part, needed[i]) for i, part in enumerate(parts)]
        modules = ["\n".join(functions[i : i + MODULE]) for i in range(0, len(functions), MODULE)]
    declared = "\n".join(f"declare void @part{i}(ptr noalias)" for i in range(len(parts)))
    body = "\n".join(_calls(parts))
    return [*modules, f"{declared}\ndefine void @evaluate({ARGUMENTS}) {{\nentry:\n{body}\nret void\n}}\n"]


def _parts(code: Code, size: int) -> list[_Part]:
    """The instructions in pieces; a loop begins and ends with a piece of its own."""
    rows: list[Row] = [tuple(row) for row in code.instructions.tolist()]
    begins = {row[1] for row in rows if row[0] == REPEAT}
    parts = [_Part()]
    loops, loop = 0, 0
    for position, row in enumerate(rows):
        if position in begins:
            loops += 1
            loop = loops
            parts.append(_Part(loop=loop))
        if row[0] == REPEAT:
            loop = 0
            parts.append(_Part())
        elif row[0] == SETTLE:
            parts[-1].settles.append(row)
        else:
            if len(parts[-1].rows) >= size:
                parts.append(_Part(loop=loop))
            parts[-1].rows.append(row)
    return parts


def _needed_after(code: Code, parts: Sequence[_Part]) -> list[set[int]]:
    """For each part those of the slots that it writes which are read after it; in a loop, all of them may be."""
    live = set(range(code.inputs, code.inputs + code.outputs))
    result: list[set[int]] = []
    for part in reversed(parts):
        written = {row[1] for row in part.rows}
        result.append(written if part.loop else written & live)
        for row in part.settles:
            live.update(row[1:3])
        if not part.loop:
            live -= written
        seen: set[int] = set()
        for row in part.rows:
            live.update(slot for slot in reads(row) if slot not in seen)
            seen.add(row[1])
    return result[::-1]


def _function(number: int, part: _Part, needed: set[int]) -> str:
    """One function: load what it reads, compute, store what is needed after it."""
    lines: list[str] = []
    value: dict[int, str] = {}
    for count, row in enumerate(part.rows):
        for slot in reads(row):
            if slot not in value:
                value[slot] = f"%l{slot}"
                lines += _load(slot, f"l{slot}")
        lines += _compute(row, value, f"v{count}")
    for slot in sorted(needed):
        lines += _store(value[slot], slot, f"s{slot}")
    body = "\n".join(lines)
    return f"define void @part{number}(ptr noalias %b) {{\n{body}\nret void\n}}"


def _compute(row: Row, value: dict[int, str], name: str) -> Iterator[str]:
    """The lines of one instruction; `value` learns the name of its result."""
    operation, target, first, second = row
    if operation == CLEAR:
        value[target] = ZERO
    elif operation == COPY:
        value[target] = value[first]
    elif operation == NOT:
        yield f"%{name} = xor {VECTOR} {value[first]}, {ONES}"
        value[target] = f"%{name}"
    elif operation == AND_NOT:
        yield f"%n{name} = xor {VECTOR} {value[first]}, {ONES}"
        yield f"%{name} = and {VECTOR} %n{name}, {value[second]}"
        value[target] = f"%{name}"
    else:
        yield f"%{name} = {OPERATIONS[operation]} {VECTOR} {value[first]}, {value[second]}"
        value[target] = f"%{name}"


def _load(slot: int, name: str) -> Iterator[str]:
    yield f"%p{name} = getelementptr {VECTOR}, ptr %b, i64 {slot}"
    yield f"%{name} = load {VECTOR}, ptr %p{name}, align {VECTOR_BYTES}"


def _store(value: str, slot: int, name: str) -> Iterator[str]:
    yield f"%q{name} = getelementptr {VECTOR}, ptr %b, i64 {slot}"
    yield f"store {VECTOR} {value}, ptr %q{name}, align {VECTOR_BYTES}"


def _calls(parts: Sequence[_Part]) -> Iterator[str]:
    """The body of evaluate: every part in order, loops around theirs."""
    for number, part in enumerate(parts):
        if part.loop and parts[number - 1].loop != part.loop:
            yield f"br label %loop{part.loop}\nloop{part.loop}:"
        yield f"call void @part{number}(ptr %b)"
        if part.loop and parts[number + 1].loop != part.loop:
            yield from _settle(part)


def _settle(part: _Part) -> Iterator[str]:
    """Take over the loop's new values, and go round again while one has changed."""
    changed = ZERO
    for count, (_, target, first, _) in enumerate(part.settles):
        tag = f"{part.loop}_{count}"
        yield from _load(target, f"old{tag}")
        yield from _load(first, f"new{tag}")
        yield f"%d{tag} = xor {VECTOR} %old{tag}, %new{tag}"
        yield f"%c{tag} = or {VECTOR} %d{tag}, {changed}"
        yield from _store(f"%new{tag}", target, f"w{tag}")
        changed = f"%c{tag}"
    yield f"%wide{part.loop} = bitcast {VECTOR} {changed} to i{LANES}"
    yield f"%again{part.loop} = icmp ne i{LANES} %wide{part.loop}, 0"
    yield f"br i1 %again{part.loop}, label %loop{part.loop}, label %after{part.loop}\nafter{part.loop}:"
