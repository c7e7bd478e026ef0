"""Logic synthesis makes smaller networks that do the same, and the proof of that believes nothing."""

from __future__ import annotations

import random

import numpy as np
import pytest
from aigverse.networks import Aig
from hypothesis import given, settings
from hypothesis import strategies as st

from gamemaster.codegen.code import encode
from gamemaster.codegen.interpreter import interpret
from gamemaster.codegen.lifting import lift
from gamemaster.codegen.plan import make_plan
from gamemaster.network import synthesis
from gamemaster.network.equality import CASES, Part, prove_equal
from gamemaster.network.graph import Loop, Network, Wire
from gamemaster.network.synthesis import _Cut, _loops_in_order, synthesise
from tests.codegen.test_tiers import random_code, random_lanes


def clumsy() -> Part:
    """A network that says little with many gates: what two of three inputs say, in several ways."""
    network = Network()
    a, b, c = inputs = [network.input() for _ in range(3)]
    spelled = network.any_of(
        network.all_of(w ^ (1 - (case >> i & 1)) for i, w in enumerate(inputs))
        for case in range(8)
        if case.bit_count() >= 2
    )
    differ = network.either(network.both(a, b ^ 1), network.both(a ^ 1, b))
    return Part(network, inputs, [spelled, differ, network.both(spelled, differ), network.either(c, spelled)])


def cases(inputs: int, seed: int = 1) -> list[list[int]]:
    generator = random.Random(seed)
    return [[generator.getrandbits(CASES) for _ in range(inputs)]]


def test_a_clumsy_network_becomes_smaller_and_is_proven_equal() -> None:
    old = clumsy()
    made = synthesise(old.network, old.inputs, old.outputs)
    assert made is not None
    before, after = (make_plan(*part).gates for part in (_plan(old), _plan(made)))
    assert after < before
    assert made.figures[0] == ("as built", before)
    assert made.figures[-1] == ("XOR found again", after)
    assert prove_equal(old, Part(made.network, made.inputs, made.outputs), cases(3)).is_equal


def _plan(part: Part | synthesis.Synthesis) -> tuple[Network, tuple[Wire, ...], tuple[Wire, ...]]:
    return part.network, tuple(part.inputs), tuple(part.outputs)


def test_an_xor_is_one_gate_again() -> None:
    network = Network()
    inputs = [network.input() for _ in range(5)]
    odd = inputs[0]
    for wire in inputs[1:]:
        odd = network.differ(odd, wire)
    cut = _Cut(network, tuple(inputs), (odd,))
    again = cut.network_of(cut.graph())
    assert again is not None
    assert again.network.gates == 4


def test_what_cannot_become_smaller_is_only_put_in_another_order(monkeypatch: pytest.MonkeyPatch) -> None:
    network = Network()
    inputs = [network.input() for _ in range(3)]
    outputs = [network.differ(network.both(*inputs[:2]), inputs[2])]
    monkeypatch.setattr(
        synthesis, "_passes", lambda: [("none", lambda graph: _Cut(*_plan(clumsy())).graph())]
    )
    monkeypatch.setattr(synthesis._Cut, "network_of", _only_as_built)
    made = synthesise(network, inputs, outputs)
    assert made is not None
    assert made.figures[-1] == ("only in another order", 2)


_network_of = _Cut.network_of


def _only_as_built(self: _Cut, graph: Aig) -> synthesis.Synthesis | None:
    """Whatever comes of the passes cannot be used."""
    return _network_of(self, graph) if graph.num_pos == len(self.outputs) else None


def test_what_is_too_large_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthesis, "MOST_GATES", 3)
    old = clumsy()
    assert synthesise(old.network, old.inputs, old.outputs) is None


@given(st.integers(0, 2**32), st.integers(0, 2))
@settings(max_examples=25, deadline=None)
def test_code_becomes_gates_and_code_again(seed: int, loops: int) -> None:
    code = random_code(seed, 40, loops)
    lanes = random_lanes(code, seed)
    found = lift(code)
    again = encode(make_plan(found.network, found.inputs, found.outputs))
    assert (interpret(again, lanes) == interpret(code, lanes)).all()


@given(st.integers(0, 2**32), st.integers(0, 2))
@settings(max_examples=6, deadline=None)
def test_random_networks_do_the_same_after_synthesis(seed: int, loops: int) -> None:
    code = random_code(seed, 60, loops)
    found = lift(code)
    made = synthesise(found.network, found.inputs, found.outputs)
    if made is not None:
        better = encode(make_plan(made.network, made.inputs, made.outputs))
        lanes = random_lanes(code, seed)
        assert np.array_equal(interpret(better, lanes), interpret(code, lanes))


def test_a_loop_that_reads_a_later_one_is_refused() -> None:
    network = Network()
    x, y = network.loop_node(), network.loop_node()
    a = network.input()
    network.loops = [Loop((x >> 1,), (network.both(y, a),)), Loop((y >> 1,), (a,))]
    assert not _loops_in_order(network)
    network.loops.reverse()
    assert _loops_in_order(network)


@pytest.mark.parametrize("seed", range(10))
def test_a_wrong_gate_is_never_proven(seed: int) -> None:
    generator = random.Random(seed)
    found = lift(random_code(seed, 60))
    old = Part(found.network, found.inputs, found.outputs)
    network = Network(list(found.network.kind), list(found.network.first), list(found.network.second))
    gates = [node for node, kind in enumerate(network.kind) if kind in (2, 3)]
    broken = generator.choice(gates)
    network.first[broken] ^= 1
    new = Part(network, found.inputs, found.outputs)
    lanes = np.random.default_rng(seed).integers(0, 2**64, size=(6, 64), dtype=np.uint64)
    codes = [encode(make_plan(part.network, part.inputs, part.outputs)) for part in (old, new)]
    is_same = np.array_equal(interpret(codes[0], lanes), interpret(codes[1], lanes))
    assert prove_equal(old, old, cases(6)).is_equal
    # also where simulation has shown nothing: the solver must see it
    assert prove_equal(old, new, cases(6)).is_equal == is_same
    assert prove_equal(old, new, [[0] * 6]).is_equal == is_same


def test_networks_of_other_shapes_are_not_equal() -> None:
    old = clumsy()
    assert not prove_equal(old, Part(old.network, old.inputs, old.outputs[1:]), cases(3)).is_equal
    assert str(prove_equal(old, old, cases(3))).startswith("equal: ")
