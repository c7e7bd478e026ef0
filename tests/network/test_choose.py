"""The gates that choose a move: every combination of legal moves with every random number."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from gamemaster.codegen.code import encode
from gamemaster.codegen.interpreter import Words, interpret
from gamemaster.codegen.plan import make_plan
from gamemaster.network.choose import SPARE_BITS, add, choose_one
from gamemaster.network.graph import Network


def counting_lanes(bits: int) -> Words:
    """Inputs [bits, words] whose lanes are all numbers of so many bits."""
    numbers = np.arange(1 << bits, dtype=np.uint64)
    rows = [
        np.packbits((numbers >> np.uint64(i)).astype(np.uint8) & 1, bitorder="little") for i in range(bits)
    ]
    return np.array([row.view(np.uint64) for row in rows])


def ones_in(words: Words) -> int:
    return int(np.unpackbits(words.view(np.uint8)).sum())


@pytest.mark.parametrize("moves", [1, 2, 3, 5, 6])
def test_each_legal_move_is_as_likely_as_any_other(moves: int) -> None:
    network = Network()
    legal = [network.input() for _ in range(moves)]
    chosen, random, _ = choose_one(network, legal)
    code = encode(make_plan(network, [*legal, *random], chosen))
    lanes = counting_lanes(max(6, len(random)))
    for mask in product((0, 1), repeat=moves):
        given = np.array([np.full(lanes.shape[1], -bit, np.int64).view(np.uint64) for bit in mask])
        result = interpret(code, np.concatenate([given, lanes[: len(random)]]))
        counts = [ones_in(row) for row in result]
        assert all(count == 0 for count, bit in zip(counts, mask, strict=True) if not bit)
        if any(mask):
            assert sum(counts) == lanes.shape[1] * 64
            fair = lanes.shape[1] * 64 / sum(mask)
            for count, bit in zip(counts, mask, strict=True):
                assert not bit or abs(count - fair) <= 1
            assert fair / (fair - 1) - 1 < 2.0 ** (1 - SPARE_BITS) or sum(mask) == 1 or moves == 1


@pytest.mark.parametrize("moves", [16, 40, 41, 100, 127])
def test_every_rank_has_a_move_of_its_own(moves: int) -> None:
    """Of as many ranks as there are legal moves each belongs to another one."""
    generator = np.random.default_rng(moves)
    for _ in range(2):
        mask = generator.integers(0, 2, size=moves)
        network = Network()
        legal = [network.input() for _ in range(moves)]
        chosen, random, _ = choose_one(network, legal)
        code = encode(make_plan(network, [*legal, *random], chosen))
        count = int(mask.sum())
        firsts = [-(-rank * (1 << len(random)) // count) for rank in range(count)]
        found = set()
        for number in firsts:
            bits = [*mask, *(number >> i & 1 for i in range(len(random)))]
            result = interpret(code, np.array([[-int(bit)] for bit in bits], np.int64).view(np.uint64))
            (move,) = [i for i, row in enumerate(result) if row[0]]
            found.add(move)
        assert found == {i for i in range(moves) if mask[i]}


def test_many_moves_are_all_reached() -> None:
    network = Network()
    legal = [network.input() for _ in range(100)]
    chosen, random, _ = choose_one(network, legal)
    code = encode(make_plan(network, [*legal, *random], chosen))
    generator = np.random.default_rng(5)
    words = generator.integers(0, 2**64, size=(len(random), 400), dtype=np.uint64)
    given = (
        np.repeat(generator.integers(0, 2, size=100).astype(np.int64) * -1, 400)
        .view(np.uint64)
        .reshape(100, 400)
    )
    result = interpret(code, np.concatenate([given, words]))
    assert [ones_in(row) > 0 for row in result] == [bool(row[0]) for row in given]
    assert sum(map(ones_in, result)) == 400 * 64


def test_nothing_is_chosen_where_nothing_is_legal() -> None:
    assert choose_one(Network(), []) == ([], [], 0)


def test_addition() -> None:
    network = Network()
    x, y = [network.input() for _ in range(3)], [network.input() for _ in range(3)]
    code = encode(make_plan(network, [*x, *y], add(network, x, y)))
    lanes = counting_lanes(6)
    digits = interpret(code, lanes)
    for lane in range(64):
        total = sum((int(row[0]) >> lane & 1) << i for i, row in enumerate(digits))
        assert total == (lane & 7) + (lane >> 3)
