"""Networks: folding, sharing, copying, and the spec that every network keeps."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from gamemaster.network.graph import AND, FALSE, INPUT, TRUE, XOR, Loop, Network, Wire, cone, copy_wires
from gamemaster.network.spec import check_network


def value_of(network: Network, wire: Wire, inputs: dict[int, bool]) -> bool:
    """The value of a wire, straight from the definition."""
    node, inverted = wire >> 1, bool(wire & 1)
    if network.kind[node] == INPUT:
        return inputs[node] ^ inverted
    if network.kind[node] == AND:
        both = value_of(network, network.first[node], inputs) and value_of(
            network, network.second[node], inputs
        )
        return both ^ inverted
    if network.kind[node] == XOR:
        x = value_of(network, network.first[node], inputs)
        return x ^ value_of(network, network.second[node], inputs) ^ inverted
    return inverted


def random_network(seed: int, inputs: int = 4, gates: int = 20) -> tuple[Network, list[Wire], list[Wire]]:
    generator = random.Random(seed)
    network = Network()
    leaves = [network.input() for _ in range(inputs)]
    wires = [FALSE, TRUE, *leaves]
    for _ in range(gates):
        x, y = (generator.choice(wires) ^ generator.randrange(2) for _ in range(2))
        build = generator.choice([network.both, network.either, network.differ])
        wires.append(build(x, y))
    return network, leaves, wires


@given(st.integers(0, 2**32), st.integers(0, 15))
def test_folding_and_sharing_change_no_value(seed: int, given_inputs: int) -> None:
    generator = random.Random(seed)
    network = Network()
    leaves = [network.input() for _ in range(4)]
    inputs = {leaf >> 1: bool(given_inputs >> i & 1) for i, leaf in enumerate(leaves)}
    known = [(FALSE, False), (TRUE, True), *((leaf, inputs[leaf >> 1]) for leaf in leaves)]
    for _ in range(25):
        (x, a), (y, b) = generator.choice(known), generator.choice(known)
        if generator.randrange(2):
            x, a = x ^ 1, not a
        wire, expected = {
            0: lambda x=x, y=y, a=a, b=b: (network.both(x, y), a and b),
            1: lambda x=x, y=y, a=a, b=b: (network.either(x, y), a or b),
            2: lambda x=x, y=y, a=a, b=b: (network.differ(x, y), a != b),
        }[generator.randrange(3)]()
        assert value_of(network, wire, inputs) == expected
        known.append((wire, expected))
    assert check_network(network) == []


def test_constants_fold() -> None:
    network = Network()
    x = network.input()
    assert network.both(x, FALSE) == FALSE
    assert network.both(TRUE, x) == x
    assert network.both(x, x) == x
    assert network.both(x, x ^ 1) == FALSE
    assert network.either(x, TRUE) == TRUE
    assert network.differ(x, x ^ 1) == TRUE
    assert network.differ(x, TRUE) == x ^ 1
    assert network.gates == 0


def test_equal_gates_are_one() -> None:
    network = Network()
    x, y, z = (network.input() for _ in range(3))
    assert network.both(x, y) == network.both(y, x)
    assert network.differ(x ^ 1, y) == network.differ(x, y) ^ 1
    assert network.both(x, network.both(x, z)) == network.both(x, z)
    assert network.both(x ^ 1, network.both(x, z)) == FALSE
    assert network.both(x, network.both(x, z) ^ 1) == network.both(x, z ^ 1)
    assert network.both(x ^ 1, network.both(x, z) ^ 1) == x ^ 1
    assert network.either(network.both(x, z), network.both(x, z ^ 1)) == x
    assert network.either(network.both(x, y), network.both(x, z ^ 1)) != x


@given(st.integers(0, 2**32), st.integers(0, 15))
def test_copying_keeps_values_and_drops_dead_gates(seed: int, given_inputs: int) -> None:
    network, leaves, wires = random_network(seed)
    target = Network()
    new = {leaf >> 1: target.input() for leaf in leaves}
    (copied,) = copy_wires(network, target, [wires[-1]], {}, lambda node: new[node])
    inputs = {leaf >> 1: bool(given_inputs >> i & 1) for i, leaf in enumerate(leaves)}
    moved = {new[node] >> 1: value for node, value in inputs.items()}
    assert value_of(network, wires[-1], inputs) == value_of(target, copied, moved)
    assert check_network(target) == []
    assert target.gates <= sum(network.kind[node] in (AND, XOR) for node in cone(network, [wires[-1]]))


def test_copying_takes_loops_along() -> None:
    network = Network()
    x, y = network.input(), network.input()
    loop = network.loop_node()
    network.loops.append(Loop((loop >> 1,), (network.either(x, network.both(y, loop)),)))
    target = Network()
    leaves = {x >> 1: target.input(), y >> 1: target.input()}
    copy_wires(network, target, [loop], {}, lambda node: leaves[node])
    assert len(target.loops) == 1
    assert check_network(target) == []


def test_the_spec_sees_what_is_wrong() -> None:
    network = Network()
    x, y = network.input(), network.input()
    network.both(x, y)
    network.kind += [AND, AND, XOR, 9]
    network.first += [x, FALSE, x ^ 1, FALSE]
    network.second += [y, x, y, FALSE]
    network.loop_node()
    wrong = " ".join(check_network(network))
    for fault in ("stands twice", "reads a constant", "an inverted wire", "of no kind", "no definition"):
        assert fault in wrong
    network.first.append(FALSE)
    assert "columns of different lengths" in check_network(network)
