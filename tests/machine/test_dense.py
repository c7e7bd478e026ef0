"""Dense rows: every state of play has a number of its own and comes back from it; others are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import gamemaster as gm
from gamemaster.codegen.kernel import Rows
from gamemaster.language.terms import Compound
from gamemaster.machine import dense, invariants
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.dense import DenseRows
from gamemaster.network.invariants import Invariant


def compiled(name: str) -> CompiledGame:
    game = gm.load(name, machine="compiled").compiled
    assert game is not None
    return game


def rows_of(game: CompiledGame, steps: int = 30) -> Rows:
    """The states of random games, each once."""
    states = [np.packbits(bits, axis=0, bitorder="little").T for bits in game.lanes.states_in_play(steps, 3)]
    return np.unique(np.concatenate(states), axis=0)


def row(game: CompiledGame, *facts: str) -> Rows:
    return np.frombuffer(game.own(game.state(facts)).bits, np.uint8)[None, :]


@pytest.mark.parametrize("name", ["tictactoe", "nim", "eightpuzzle", "roshambo"])
def test_states_come_back_from_their_index(name: str) -> None:
    game = compiled(name)
    rows = rows_of(game)
    indices = game.dense.index(rows)
    assert indices.dtype == np.uint64
    assert len(np.unique(indices)) == len(rows)
    assert int(indices.max()) < game.dense.size
    assert np.array_equal(game.dense.rows(indices), rows)


@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "othello", "breakthrough", "tron"])
def test_packed_rows_are_shorter_and_come_back(name: str) -> None:
    game = compiled(name)
    rows = rows_of(game)
    packed = game.dense.pack(rows)
    assert packed.shape == (len(rows), game.dense.bytes)
    assert game.dense.bytes < game.layout.state_bytes
    assert len(np.unique(packed, axis=0)) == len(rows)
    assert np.array_equal(game.dense.unpack(packed), rows)


def test_every_index_of_tictactoe_is_a_state_with_one_content_in_each_cell() -> None:
    game = compiled("tictactoe")
    assert game.dense.size == 3**9 * 2
    everything = np.arange(game.dense.size)
    rows = game.dense.rows(everything)
    assert np.array_equal(game.dense.index(rows), everything)
    assert str(game.dense) == "39,366 numbers, 2 bytes instead of 4"


def test_bits_that_mean_nothing_do_not_count() -> None:
    game = compiled("tictactoe")
    rows = rows_of(game)
    spoilt = rows.copy()
    spoilt[:, -1] |= 0xFF << game.layout.odd_bits & 0xFF
    assert np.array_equal(game.dense.index(spoilt), game.dense.index(rows))


def test_a_state_that_breaks_an_invariant_is_refused() -> None:
    game = compiled("tictactoe")
    good = np.frombuffer(game.initial_state().bits, np.uint8)[None, :]
    start = [str(fact) for fact in game.initial_state().facts]
    none = row(game, *(fact for fact in start if fact != "cell(2,2,b)"))
    both = row(game, *start, "control(o)")
    for ask in (game.dense.index, game.dense.pack):
        with pytest.raises(
            gm.StateError, match=r"row 1 is no state .*cell\(2,2,o\), cell\(2,2,x\); it has 0"
        ):
            ask(np.concatenate([good, none]))
        with pytest.raises(gm.StateError, match=r"exactly one of control\(o\), control\(x\); it has 2"):
            ask(both)


def test_a_row_is_refused_by_its_number_also_in_a_later_block(monkeypatch: pytest.MonkeyPatch) -> None:
    game = compiled("tictactoe")
    monkeypatch.setattr(dense, "AT_ONCE", 90)
    rows = rows_of(game)[:20]
    assert np.array_equal(game.dense.rows(game.dense.index(rows)), rows)
    rows[11] = 0
    with pytest.raises(gm.StateError, match="row 11 is no state"):
        game.dense.pack(rows)


def test_many_states_are_no_index_but_can_be_packed() -> None:
    game = compiled("connectfour")
    assert str(game.dense) == "2**77.1 numbers, 10 bytes instead of 13"
    with pytest.raises(gm.Unsuitable, match=r"2\*\*77.1 numbers here, and an index is below 2\*\*63; pack"):
        game.dense.index(rows_of(game))
    with pytest.raises(gm.Unsuitable, match="pack takes them all"):
        game.dense.rows([0])


@pytest.mark.parametrize(
    ("indices", "message"),
    [
        ([0, 39366], r"index 39366 is not one of 0 to 39,365"),
        ([-1], r"index -1 is not one of"),
        ([0.5], r"an array of whole numbers, not float64 of shape \(1,\)"),
        ([[1]], r"not int64 of shape \(1, 1\)"),
    ],
)
def test_an_index_out_of_range_is_refused(indices: npt.ArrayLike, message: str) -> None:
    with pytest.raises(gm.StateError, match=message):
        compiled("tictactoe").dense.rows(indices)


def test_packed_rows_of_no_state_and_of_another_width_are_refused() -> None:
    numbers: Any = compiled("tictactoe").dense
    with pytest.raises(gm.StateError, match="packed row 1 is of no state"):
        numbers.unpack(np.array([[0, 0], [255, 255]], np.uint8))
    with pytest.raises(
        gm.StateError, match=r"unpack takes .* 2 bytes in each row, not uint8 of shape \(1, 3\)"
    ):
        numbers.unpack(np.zeros((1, 3), np.uint8))
    with pytest.raises(gm.StateError, match=r"index takes .* 4 bytes in each row, not float64"):
        numbers.index(np.zeros((1, 4)))
    with pytest.raises(gm.StateError, match="not a bytes"):
        numbers.pack(b"1234")


def test_no_rows_have_no_indices() -> None:
    numbers = compiled("tictactoe").dense
    assert numbers.index(np.zeros((0, 4), np.uint8)).shape == (0,)
    assert numbers.rows(np.zeros(0, np.int64)).shape == (0, 4)
    assert numbers.unpack(numbers.pack(np.zeros((0, 4), np.uint8))).shape == (0, 4)


def test_groups_that_overlap_share_their_facts_out() -> None:
    layout = compiled("tictactoe").layout
    terms = tuple(Compound(("f", str(i))) for i in range(len(layout.facts)))

    def group(kind: str, *facts: int) -> Invariant:
        assert kind in ("one", "at most one")
        return Invariant(facts, "one" if kind == "one" else "at most one", tuple(terms[i] for i in facts))

    numbers = DenseRows(layout, [group("one", 0, 1, 2), group("one", 2, 3, 4, 5), group("one", 6)])
    assert [(digit.facts, digit.kind) for digit in numbers.digits][:4] == [
        ((0, 1), "at most one"),
        ((2, 3, 4, 5), "one"),
        ((6,), "one"),
        ((7,), "at most one"),
    ]
    assert numbers.size == 3 * 4 * 2 ** (len(layout.facts) - 7)


def test_invariants_are_kept_on_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GAMEMASTER_CACHE", str(tmp_path))
    found = compiled("nim").invariants
    assert len(found) == 4
    monkeypatch.setattr(invariants, "prove_claims", None)
    again = compiled("nim").invariants
    assert again == found
    assert [each.terms for each in again] == [each.terms for each in found]


def test_games_on_the_reference_machine_have_none() -> None:
    game = gm.load("tictactoe", machine="reference")
    with pytest.raises(gm.Unsuitable, match="the proof of invariants runs on the compiled machine"):
        _ = game.invariants
    with pytest.raises(gm.Unsuitable, match="what numbers states runs on the compiled machine"):
        _ = game.dense
