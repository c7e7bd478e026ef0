"""Tables in a file: the same labels, few bytes, and nothing is believed that is damaged or of other rules."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.errors import LimitExceeded, StrategyError
from gamemaster.machine.game import Game, State
from gamemaster.solving.axes import letters_of
from gamemaster.solving.checking import check_strategy
from gamemaster.solving.files import KIND, load_table, save_table
from gamemaster.solving.packing import find_packing
from gamemaster.solving.solver import solve_table
from gamemaster.solving.table import LabelTable, MemoryBook
from tests.solving.test_labels import CHASE, THREE, some_positions


def saved(table: LabelTable, path: Path) -> LabelTable:
    table.save(path)
    return load_table(path, table.game)


@pytest.mark.parametrize("name", ["tictactoe", "nim", "subsetsum", "connectfour:columns=4,rows=4"])
def test_a_table_from_a_file_says_the_same(name: str, tmp_path: Path) -> None:
    table = solve_table(gm.load(name))
    read = saved(table, tmp_path / "table")
    for state in some_positions(table, 200):
        assert read.label(state) == table.label(state)
    assert len(read) == len(table)
    assert read.figures.values == table.figures.values
    assert read.best_moves() == table.best_moves()


@pytest.mark.parametrize("rules", [CHASE, THREE])
def test_what_roles_can_force_is_kept_too(rules: str, tmp_path: Path) -> None:
    table = solve_table(gm.parse(rules, dialect="hrf"))
    read = saved(table, tmp_path / "table")
    for state in some_positions(table, 30):
        assert read.label(state) == table.label(state)


def test_a_strategy_from_a_file_holds(tmp_path: Path) -> None:
    read = saved(solve_table(gm.load("tictactoe")), tmp_path / "table")
    assert check_strategy(read.strategy("o")).holds


def test_a_position_of_connect_four_takes_less_than_a_byte(tmp_path: Path) -> None:
    table = solve_table(gm.load("connectfour:columns=4,rows=4"))
    read = saved(table, tmp_path / "table")
    assert (tmp_path / "table").stat().st_size < len(table)
    assert read.figures.bytes < 1


def test_states_that_are_no_positions_are_not_found(tmp_path: Path) -> None:
    game = gm.load("tictactoe")
    read = saved(solve_table(game), tmp_path / "table")
    impossible = ["control(x)", *(f"cell({i},{j},o)" for i in range(1, 4) for j in range(1, 4))]
    assert not read.knows(game.state(impossible))
    assert not read.knows(game.state(["control(x)"]))
    with pytest.raises(StrategyError, match="says nothing of this state"):
        read.label(game.state(impossible))


def test_a_table_from_a_file_can_be_saved_again_but_not_printed(tmp_path: Path) -> None:
    read = saved(solve_table(gm.load("nim")), tmp_path / "one")
    save_table(read, tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    with pytest.raises(gm.errors.Unsuitable, match="was read from a file"):
        letters_of(read)


def test_other_rules_are_refused(tmp_path: Path) -> None:
    solve_table(gm.load("nim")).save(tmp_path / "table")
    with pytest.raises(StrategyError, match="is of other rules, called 'nim', not those of tictactoe"):
        load_table(tmp_path / "table", gm.load("tictactoe"))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "is empty"),
        (b"hello, world" * 20, "is no table of labels"),
        (b"gamemaster labels 1\n", "damaged or cut off"),
    ],
)
def test_what_is_no_table_is_refused(content: bytes, why: str, tmp_path: Path) -> None:
    path = tmp_path / "table"
    path.write_bytes(content)
    with pytest.raises(StrategyError, match=why):
        load_table(path, gm.load("nim"))


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(StrategyError, match=r"no table of labels can be read from .*: No such file"):
        load_table(tmp_path / "nothing", gm.load("nim"))


def read_all(path: Path, game: Game, states: list[State]) -> None:
    read = load_table(path, game)
    for state in states:
        read.label(state)


def test_no_damage_goes_unseen(tmp_path: Path) -> None:
    table = solve_table(gm.load("nim"))
    table.save(tmp_path / "table")
    content, generator = (tmp_path / "table").read_bytes(), random.Random(1)
    states = some_positions(table, 40)
    for _ in range(60):
        broken = bytearray(content)
        broken[generator.randrange(len(broken))] ^= 1 << generator.randrange(8)
        (tmp_path / "broken").write_bytes(broken)
        with pytest.raises(StrategyError):
            read_all(tmp_path / "broken", table.game, states)
    for _ in range(20):
        (tmp_path / "broken").write_bytes(content[: generator.randrange(len(content))])
        with pytest.raises(StrategyError):
            load_table(tmp_path / "broken", table.game)


def test_a_table_that_finds_no_room_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = solve_table(gm.load("nim"))
    with pytest.raises(StrategyError, match=r"cannot be written to .*: No such file"):
        table.save(tmp_path / "nowhere" / "table")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(LimitExceeded, match=r"disk limit of what is free for .* exceeded writing the table"):
        table.save(tmp_path / "table")
    assert not list(tmp_path.iterdir())


def test_facts_that_follow_from_others_are_no_part_of_a_key() -> None:
    table = solve_table(gm.load("tictactoe"))
    assert isinstance(table.book, MemoryBook)
    states = table.book.positions.arrays().states[: len(table)]
    packing = find_packing(np.ascontiguousarray(states), 29)
    assert len(packing.basis) == 18
    assert packing.are_true(states).all()
    assert len(np.unique(packing.keys_of(states), axis=0)) == len(table)


def with_head(content: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """A file with another head, and the right checksum of that."""
    start = len(KIND.magic) + 40
    size = int.from_bytes(content[start - 8 : start], "little")
    head = change(content[start : start + size])
    begin = KIND.magic + hashlib.sha256(head).digest() + len(head).to_bytes(8, "little")
    return begin + head + content[start + size :]


@pytest.mark.parametrize(
    "changes",
    [
        {"vectors": [["much", 0]] * 2},
        {"vectors": [[100]] * 2},
        {"seconds": "x"},
        {"sums": [[0, ["x"]]]},
        {"basis": [100_000]},
        {"endless": [7]},
        {"width": 1},
        {"figures": {}},
        {"figures": None},
    ],
)
def test_a_head_that_says_what_cannot_be_is_refused(tmp_path: Path, changes: dict[str, object]) -> None:
    table, path = solve_table(gm.load("nim")), tmp_path / "table"
    table.save(path)
    changed = with_head(path.read_bytes(), lambda head: json.dumps({**json.loads(head), **changes}).encode())
    path.write_bytes(changed)
    with pytest.raises(StrategyError, match="damaged or cut off"):
        load_table(path, table.game)


@pytest.mark.parametrize("head", [b"[" * 100_000, b"not JSON", b"17"])
def test_a_head_that_cannot_be_read_is_refused(tmp_path: Path, head: bytes) -> None:
    table, path = solve_table(gm.load("nim")), tmp_path / "table"
    table.save(path)
    path.write_bytes(with_head(path.read_bytes(), lambda _: head))
    with pytest.raises(StrategyError, match="damaged or cut off"):
        load_table(path, table.game)
