"""Gates that count: every combination of wires, every bound."""

from __future__ import annotations

import numpy as np
import pytest

from gamemaster.codegen.code import encode
from gamemaster.codegen.interpreter import interpret
from gamemaster.codegen.plan import make_plan
from gamemaster.network.graph import FALSE, TRUE, Network
from gamemaster.network.sums import add_up, at_least
from tests.network.test_choose import counting_lanes


@pytest.mark.parametrize(
    "weights", [[1], [1, 1], [1] * 7, [1] * 9, [3, 5], [1, 2, 4, 8], [7, 7, 7, 1], [6, 1, 10, 2]]
)
def test_a_sum_is_at_least_what_it_is(weights: list[int]) -> None:
    network = Network()
    wires = [network.input() for _ in weights]
    total = add_up(network, wires, weights)
    bounds = range(sum(weights) + 3)
    code = encode(make_plan(network, wires, [at_least(network, total, bound) for bound in bounds]))
    lanes = counting_lanes(max(6, len(wires)))
    result = interpret(code, lanes[: len(wires)])
    held = [np.unpackbits(row.view(np.uint8), bitorder="little") for row in result]
    for number in range(1 << len(wires)):
        expected = sum(weight for i, weight in enumerate(weights) if number >> i & 1)
        assert [row[number] for row in held] == [expected >= bound for bound in bounds]


def test_what_is_known_needs_no_gates() -> None:
    network = Network()
    total = add_up(network, [TRUE, FALSE, TRUE], [1, 5, 2])
    assert [at_least(network, total, bound) for bound in (-1, 0, 3, 4, 9)] == [TRUE, TRUE, TRUE, FALSE, FALSE]
    assert network.gates == 0


def test_counting_many_takes_few_gates() -> None:
    network = Network()
    total = add_up(network, [network.input() for _ in range(64)], [1] * 64)
    for bound in range(65):
        at_least(network, total, bound)
    assert network.gates < 64 * 9
