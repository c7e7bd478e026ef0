"""The same code on the interpreter, the first tier and compiled: the same bits."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamemaster.codegen.assembly import has_assembly
from gamemaster.codegen.code import BOTH, DIFFER, REPEAT, SETTLE, Code, encode
from gamemaster.codegen.interpreter import Words, interpret
from gamemaster.codegen.kernel import Kernel, compile_objects
from gamemaster.codegen.llvm import _needed_after, _parts
from gamemaster.codegen.native import Library
from gamemaster.codegen.plan import Instruction, make_plan
from gamemaster.codegen.vector import LANES, WORDS
from gamemaster.network.graph import FALSE, TRUE, Loop, Network, Wire


def random_code(seed: int, gates: int, loops: int = 0) -> Code:
    """Code for a random network with some recursive components."""
    generator = random.Random(seed)
    network = Network()
    inputs = [network.input() for _ in range(6)]
    wires: list[Wire] = [FALSE, TRUE, *inputs]

    def grow(count: int, invert: bool) -> None:
        for _ in range(count):
            x, y = (generator.choice(wires) ^ (generator.randrange(2) if invert else 0) for _ in range(2))
            operations = [network.both, network.either] + ([network.differ] if invert else [])
            wires.append(generator.choice(operations)(x, y))

    grow(gates, invert=True)
    for _ in range(loops):  # monotone inside: a fixed point exists
        nodes = [network.loop_node() for _ in range(3)]
        wires = [*inputs, *nodes, *generator.sample(wires, 3)]
        grow(12, invert=False)
        network.loops.append(
            Loop(tuple(n >> 1 for n in nodes), tuple(generator.choice(wires) for _ in nodes))
        )
        grow(gates, invert=True)
    outputs = [generator.choice(wires) ^ generator.randrange(2) for _ in range(9)] + [
        FALSE,
        TRUE,
        inputs[0] ^ 1,
    ]
    return encode(make_plan(network, inputs, outputs))


def random_lanes(code: Code, seed: int) -> Words:
    return np.random.default_rng(seed).integers(0, 2**64, size=(code.inputs, WORDS), dtype=np.uint64)


def many(kernel: Kernel, lanes: Words) -> Words:
    """The outputs of a kernel for lanes, through the batch function."""
    bits = np.unpackbits(lanes.view(np.uint8).reshape(len(lanes), -1), axis=1, bitorder="little")
    out = kernel.many(np.packbits(bits.T, axis=1, bitorder="little"))
    back = np.unpackbits(out, axis=1, bitorder="little")[:, : kernel.code.outputs].T
    return np.packbits(back, axis=1, bitorder="little").copy().view(np.uint64)


@given(st.integers(0, 2**32), st.integers(0, 2))
@settings(max_examples=60, deadline=None)
def test_the_first_tier_does_what_the_interpreter_says(seed: int, loops: int) -> None:
    code = random_code(seed, 30, loops)
    lanes = random_lanes(code, seed)
    assert (many(Kernel(code), lanes) == interpret(code, lanes)).all()


@pytest.mark.parametrize("seed", [*range(8), 7_178_352])
@pytest.mark.parametrize(("gates", "loops"), [(40, 0), (300, 1), (150, 3)])
def test_machine_code_does_what_the_interpreter_says(seed: int, gates: int, loops: int) -> None:
    code = random_code(seed, gates, loops)
    objects = compile_objects(f"test {seed} {gates} {loops}", code, lambda: False)
    assert objects is not None
    lanes = random_lanes(code, seed)
    assert (many(Kernel(code, Library(objects)), lanes) == interpret(code, lanes)).all()


def random_rows(seed: int, slots: int, count: int) -> Code:
    """Code as no network gives it: any operation on any slots, its own target among them."""
    generator = np.random.default_rng(seed)
    rows = generator.integers(0, slots, size=(count, 4), dtype=np.int32)
    rows[:, 0] = generator.choice(SETTLE, size=count)
    rows[rows[:, 0] > DIFFER, 3] = 0
    return Code(5, 9, slots, rows)


@pytest.mark.parametrize("is_assembled", [True, False])
@pytest.mark.parametrize("slots", [14, 30, 90])
def test_registers_are_given_out_right(
    slots: int, is_assembled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gamemaster.codegen.llvm.CHUNK", 70)
    monkeypatch.setattr("gamemaster.codegen.llvm.ASSEMBLED_CHUNK", 70)
    if not is_assembled:
        monkeypatch.setattr("gamemaster.codegen.llvm.has_assembly", lambda features: False)
    for seed in range(10):
        code = random_rows(seed, slots, 300)
        objects = compile_objects(f"test rows {seed} {slots}", code, lambda: False)
        assert objects is not None
        lanes = random_lanes(code, seed)
        assert (many(Kernel(code, Library(objects)), lanes) == interpret(code, lanes)).all()


@pytest.mark.parametrize("seed", range(4))
def test_machine_code_of_other_machines_does_what_the_interpreter_says(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gamemaster.codegen.llvm.has_assembly", lambda features: False)
    test_machine_code_does_what_the_interpreter_says(seed, 300, 2)


def test_assembly_is_written_for_the_cpu_and_system_that_it_is_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    every = {"avx2": True, "avx512f": True}
    is_known = LANES in (256, 512)
    assert has_assembly(every) == is_known
    assert not has_assembly({"avx2": False, "avx512f": False})
    assert not has_assembly({})
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    assert not has_assembly(every)
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.setattr("sys.platform", "win32")
    assert not has_assembly(every)


def test_a_gate_comes_right_after_what_it_is_made_of() -> None:
    network = Network()
    inputs = [network.input() for _ in range(8)]
    pairs = [network.both(inputs[i], inputs[i + 1]) for i in range(0, 8, 2)]
    fours = [network.either(pairs[i], pairs[i + 1]) for i in (0, 2)]
    steps = make_plan(network, inputs, fours).steps
    nodes = [step.node for step in steps if isinstance(step, Instruction)]
    assert [sorted(nodes[:2]), nodes[2]] == [[pairs[0] >> 1, pairs[1] >> 1], fours[0] >> 1]
    assert encode(make_plan(network, inputs, fours)).slots == 8 + 2 + 2


def test_a_kernel_goes_over_between_two_calls() -> None:
    code = random_code(1, 50)
    kernel = Kernel(code)
    assert not kernel.is_compiled
    one = kernel.one(lambda: None)
    before = [one(bytes([bits])) for bits in range(64)]
    objects = compile_objects("test goes over", code, lambda: False)
    assert objects is not None
    kernel.use(Library(objects))
    assert kernel.is_compiled
    assert [one(bytes([bits])) for bits in range(64)] == before
    assert kernel.fork().is_compiled


def test_what_is_needed_after_a_part_is_of_its_own_making() -> None:
    code = random_code(4, 300, 1)
    parts = _parts(code, 10)
    assert len(parts) > 5  # with all that is needed later, a large program would take gigabytes
    for part, needed in zip(parts, _needed_after(code, parts), strict=True):
        assert needed <= {row[1] for row in part.rows}


def test_compiling_can_be_stopped() -> None:
    assert compile_objects("test stopped", random_code(2, 50), lambda: True) is None


def test_a_busy_kernel_says_so_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gamemaster.codegen.kernel.BUSY", 3)
    calls: list[int] = []
    one = Kernel(random_code(3, 20)).one(lambda: calls.append(1))
    for _ in range(10):
        one(b"\0")
    assert calls == [1]


def test_a_loop_reaches_its_least_fixed_point() -> None:
    network = Network()
    edges = [network.input() for _ in range(4)]
    nodes = [network.loop_node() for _ in range(4)]
    values = tuple(
        network.either(TRUE if i == 0 else FALSE, network.both(edges[i - 1], nodes[i - 1]) if i else FALSE)
        for i in range(4)
    )
    values = (network.either(values[0], network.both(edges[3], nodes[3])), *values[1:])
    network.loops.append(Loop(tuple(node >> 1 for node in nodes), values))
    code = encode(make_plan(network, edges, nodes))
    (result,) = interpret(code, np.array([[3], [1], [2], [1]], np.uint64)).T
    assert [int(word) & 3 for word in result] == [3, 3, 1, 0]


@pytest.mark.parametrize(
    "row",
    [(9, 0, 0, 0), (-1, 0, 0, 0), (BOTH, 3, 0, 0), (BOTH, 0, -1, 0), (BOTH, 0, 0, 3), (REPEAT, 2, 0, 0)],
)
def test_code_that_reaches_outside_its_buffer_never_runs(row: tuple[int, int, int, int]) -> None:
    code = Code(1, 1, 3, np.array([(BOTH, 2, 0, 1), row], np.int32))
    with pytest.raises(ValueError, match="outside the buffer"):
        Kernel(code)


def test_code_that_stays_inside_runs() -> None:
    Kernel(Code(1, 1, 3, np.array([(BOTH, 2, 0, 1), (REPEAT, 1, 7, 7)], np.int32)))
    with pytest.raises(ValueError, match="outside the buffer"):
        Code(1, 3, 3, np.zeros((0, 4), np.int32)).check()
