"""Parts of code -> assembly of x86: straight-line vector code whose registers are given out here.

A compiler takes minutes for functions of thousands of instructions and spills more than it must, as it moves loads
away from their uses. Here instructions stay in their order, which suits registers (plan.py). A register that is wanted
is taken from the value that is used again last (Belady 1966); a value goes to its slot of the buffer only then, or at
the end of the part. What is read from the buffer is an operand of the instruction, or is loaded where it is read again
soon. LLVM only assembles the text.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from gamemaster.codegen.code import AND_NOT, BOTH, CLEAR, COPY, DIFFER, EITHER, NOT
from gamemaster.codegen.vector import LANES, VECTOR_BYTES

__all__ = ["Row", "assemble_part", "has_assembly", "reads"]

SOON = 60
"""Instructions within which a value that is read again is worth a register."""

NEVER = 1 << 40
LATER = NEVER - 1
"""After the part: not read in it again, but its slot must have it."""

OPERATIONS = {BOTH: "and", AND_NOT: "andn", EITHER: "or", DIFFER: "xor"}

Row = tuple[int, int, int, int]


@dataclass(frozen=True)
class RegisterNames:
    """What the registers of a width are called, and how many there are."""

    registers: int
    prefix: str
    suffix: str
    move: str
    set_ones: str


WIDTHS: Mapping[int, tuple[str, RegisterNames]] = {
    256: ("avx2", RegisterNames(16, "%ymm", "", "vmovdqa", "vpcmpeqd")),
    512: ("avx512f", RegisterNames(32, "%zmm", "q", "vmovdqa64", "vpternlogd $255,")),
}
"""For so many lanes the feature that a CPU must have, and its instructions.

256 lanes have 32 registers too where there is AVX-512, but instructions that name them are longer, which costs more.
"""


def has_assembly(features: Mapping[str, bool]) -> bool:
    """Whether there is assembly for a CPU with these features, and a system that passes arguments as expected."""
    is_known = sys.platform == "linux" and platform.machine() == "x86_64" and LANES in WIDTHS
    return is_known and features.get(WIDTHS[LANES][0], False)


def reads(row: Row) -> tuple[int, ...]:
    """The slots that an instruction reads."""
    operation, _, first, second = row
    if operation == CLEAR:
        return ()
    return (first, second) if operation in OPERATIONS else (first,)


def assemble_part(number: int, rows: Sequence[Row], needed: Set[int]) -> str:
    """A module with the function `part<number>(buffer)`, which leaves what is needed after it in the buffer."""
    name = f"part{number}"
    head = [".text", ".p2align 4", f".globl {name}", f".type {name},@function", f"{name}:"]
    lines = [*head, *_Writer(WIDTHS[LANES][1]).write(rows, needed), "vzeroupper", "ret"]
    return "".join(f'module asm "{line}"\n' for line in lines)


def _next_uses(rows: Sequence[Row], needed: Set[int]) -> list[tuple[int, ...]]:
    """For each instruction when its result is read next, and then when each of what it reads is."""
    following = dict.fromkeys(needed, LATER)
    found: list[tuple[int, ...]] = []
    for position in range(len(rows) - 1, -1, -1):
        row = rows[position]
        result = following.pop(row[1], NEVER)
        slots = reads(row)
        found.append((result, *(following.get(slot, NEVER) for slot in slots)))
        for slot in slots:
            following[slot] = position
    return found[::-1]


class _Register:
    """A register with the value of a slot: when that is read next, and whether the buffer does not have it yet."""

    __slots__ = ("is_new", "name", "slot", "use")

    def __init__(self, name: str) -> None:
        self.name, self.slot, self.use, self.is_new = name, -1, NEVER, False


class _Writer:
    """Writes the instructions of a part, one after the other."""

    def __init__(self, names: RegisterNames) -> None:
        self.names = names
        self.free = [_Register(f"{names.prefix}{i}") for i in reversed(range(names.registers))]
        self.held: dict[int, _Register] = {}
        self.lines: list[str] = []

    def write(self, rows: Sequence[Row], needed: Set[int]) -> list[str]:
        """The lines for instructions; what is needed after them is in the buffer then."""
        for position, (row, uses) in enumerate(zip(rows, _next_uses(rows, needed), strict=True)):
            operation, target, first, _ = row
            if operation in OPERATIONS:
                self._gate(position, row, uses)
            elif operation == COPY:
                self._copy(target, first, uses)
            elif operation == NOT:
                self._not(target, first, uses)
            else:
                result = self._result(target, uses[0])
                self._say(f"vpxor{self.names.suffix} {result.name}, {result.name}, {result.name}")
            if uses[0] >= LATER and target in self.held:
                self._let_go(self.held[target])
        return self.lines

    def _gate(self, position: int, row: Row, uses: tuple[int, ...]) -> None:
        operation, target, first, second = row
        result_use, first_use, second_use = uses
        if operation != AND_NOT and first not in self.held:  # the second operand may be one in the buffer
            first, second, first_use, second_use = second, first, second_use, first_use
        x = self._read(first, self.held.get(second))
        if second not in self.held and second_use - position < SOON:
            self._read(second, x)
        y = self.held.get(second)
        source = y.name if y else self._place(second)
        name = x.name
        self._used(x, first_use)
        if y and y is not x:
            self._used(y, second_use)
        result = self._result(target, result_use)
        self._say(f"vp{OPERATIONS[operation]}{self.names.suffix} {source}, {name}, {result.name}")

    def _copy(self, target: int, first: int, uses: tuple[int, ...]) -> None:
        x = self._read(first)
        name = x.name
        self._used(x, uses[1])
        if uses[0] >= LATER:
            self._forget(target)
            self._say(f"{self.names.move} {name}, {self._place(target)}")
            return
        result = self._result(target, uses[0])
        self._say(f"{self.names.move} {name}, {result.name}")

    def _not(self, target: int, first: int, uses: tuple[int, ...]) -> None:
        x = self._read(first)
        ones = self._take(x)
        self._say(f"{self.names.set_ones} {ones.name}, {ones.name}, {ones.name}")
        self._say(f"vpxor{self.names.suffix} {x.name}, {ones.name}, {ones.name}")
        self._used(x, uses[1])
        self._forget(target)
        self._hold(ones, target, uses[0])

    # Registers

    def _read(self, slot: int, kept: _Register | None = None) -> _Register:
        """The register with the value of a slot, loaded if there is none; `kept` stays where it is."""
        register = self.held.get(slot)
        if register is None:
            register = self._take(kept)
            self._say(f"{self.names.move} {self._place(slot)}, {register.name}")
            register.slot, register.is_new = slot, False
            self.held[slot] = register
        return register

    def _used(self, register: _Register, use: int) -> None:
        """A value has been read, and will be next at `use`."""
        register.use = use
        if use >= LATER:
            self._let_go(register)

    def _result(self, target: int, use: int) -> _Register:
        """A register for a new value of a slot."""
        self._forget(target)
        return self._hold(self._take(), target, use)

    def _hold(self, register: _Register, target: int, use: int) -> _Register:
        register.slot, register.use, register.is_new = target, use, True
        self.held[target] = register
        return register

    def _forget(self, slot: int) -> None:
        """What a slot had before is not wanted any more."""
        if slot in self.held:
            self._free(self.held[slot])

    def _take(self, kept: _Register | None = None) -> _Register:
        """A register: a free one, or the one whose value is read again last, which its slot must have then."""
        if self.free:
            return self.free.pop()
        others = [each for each in self.held.values() if each is not kept]
        register = max(others, key=_how_late)
        self._let_go(register)
        return self.free.pop()

    def _let_go(self, register: _Register) -> None:
        if register.is_new and register.use != NEVER:
            self._say(f"{self.names.move} {register.name}, {self._place(register.slot)}")
        self._free(register)

    def _free(self, register: _Register) -> None:
        del self.held[register.slot]
        self.free.append(register)

    def _place(self, slot: int) -> str:
        return f"{slot * VECTOR_BYTES}(%rdi)"

    def _say(self, line: str) -> None:
        self.lines.append(line)


def _how_late(register: _Register) -> tuple[int, bool]:
    """What goes first: read again last, and of those what the buffer has already."""
    return register.use, not register.is_new
