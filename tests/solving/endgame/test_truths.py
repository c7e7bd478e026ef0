"""Endgames that people know: chess with three pieces, and checkers."""

from __future__ import annotations

import fcntl
import functools
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import gamemaster as gm
from gamemaster.machine.game import State
from gamemaster.solving.endgame import verifying
from gamemaster.solving.endgame.building import build_endgame
from gamemaster.solving.endgame.files import load_endgame
from gamemaster.solving.endgame.table import EndgameTable
from gamemaster.solving.endgame.verifying import verify_endgame

pytestmark = pytest.mark.slow

NO_MACHINE_TAKES = 3600.0
PROMOTED = ("white queen", "white rook", "white bishop", "white knight")


KEPT: list[Path] = []


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Where the table of chess is kept: the processes that run tests of this file beside each other make one."""
    own = tmp_path_factory.getbasetemp()
    KEPT.append(own.parent if "PYTEST_XDIST_WORKER" in os.environ else own)
    yield
    chess.cache_clear()
    KEPT.clear()


@functools.cache
def chess() -> EndgameTable:
    """White has one piece besides the kings."""
    game, path = gm.load("chess"), KEPT[0] / "chess.endgame"
    with open(path.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            build_endgame(game, 3, kinds=["white pawn", *PROMOTED]).save(path)
    return load_endgame(path, game)


def board(text: str, mover: str = "white") -> State:
    """A state of chess: `Kd6 Pd5 kd8`, small letters for black."""
    names = {"k": "king", "q": "queen", "r": "rook", "b": "bishop", "n": "knight", "p": "pawn"}
    cells = [
        f"cell({each[1]},{each[2]},{'white' if each[0].isupper() else 'black'},{names[each[0].lower()]})"
        for each in text.split()
    ]
    return chess().game.state([*cells, f"control({mover})", "quiet(0)"])


def told(state: State) -> str:
    return str(chess().probe(state))


def longest(material: str) -> int:
    return next(each.longest for each in chess().figures.materials if each.kinds == material)


def test_rook_and_queen_mate_in_sixteen_and_ten_moves_at_most() -> None:
    assert longest("black king, white king, white rook") == 32  # black is to move: then 16 moves of each
    assert longest("black king, white king, white queen") == 20


def test_no_position_of_chess_with_three_pieces_is_unknown() -> None:
    assert chess().figures.known == chess().figures.positions


def test_a_king_on_the_sixth_rank_before_its_pawn_wins() -> None:
    for mover in ("white", "black"):
        label = chess().probe(board("Kd6 Pd5 kd8", mover))
        assert label is not None
        assert label.goals == (100, 0)


def test_whoever_has_the_opposition_decides() -> None:
    assert told(board("Kd5 Pd4 kd7", "white")) == "50,50 at rest"
    assert told(board("Kd5 Pd4 kd7", "black")).startswith("100,0")


def test_a_rook_pawn_does_not_win_against_the_king_in_the_corner() -> None:
    assert told(board("Ka6 Pa5 ka8", "white")) == "50,50 at rest"
    assert told(board("Kb6 Pa6 ka8", "black")) == "50,50 at rest"


def test_a_pawn_that_nobody_can_catch_wins() -> None:
    assert told(board("Ka1 Ph5 ka5", "white")).startswith("100,0")
    assert told(board("Ka1 Ph5 kf6", "black")) == "50,50 at rest"


def test_a_pawn_wins_in_as_many_positions_as_are_known() -> None:
    """124,960 with white to move and 97,604 with black to move, kings apart and no king to be taken."""
    table = chess()
    own, names = table.numbering, list(map(str, table.game.layout.facts))
    material = next(i for i in range(len(own.materials)) if "pawn" in own.name_of(i))
    rows, numbers = own.rows_of(material, own.bases[material], own.bases[material + 1])
    bits = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")[:, : len(names)]

    def place_of(piece: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        columns = [i for i, name in enumerate(names) if name.startswith("cell(") and name.endswith(piece)]
        where = bits[:, columns].argmax(axis=1)
        files = np.array(["abcdefgh".index(names[i][5]) for i in columns])
        return files[where], np.array([int(names[i][7]) for i in columns])[where]

    king, enemy, pawn = (place_of(f"{each})") for each in ("white,king", "black,king", "white,pawn"))
    is_white = bits[:, names.index("control(white)")] == 1
    are_apart = (abs(king[0] - enemy[0]) > 1) | (abs(king[1] - enemy[1]) > 1)
    is_check = (enemy[1] == pawn[1] + 1) & (abs(enemy[0] - pawn[0]) == 1)
    marks = [table.book.mark(int(number)) for number in numbers]
    white_wins = table.book.vectors.index((100, 0))
    won = np.array([mark is not None and mark.code == white_wins for mark in marks])
    won &= are_apart & ~(is_check & is_white)
    assert (int((won & is_white).sum()), int((won & ~is_white).sum())) == (124_960, 97_604)
    distances = np.array([-1 if mark is None else mark.distance for mark in marks])
    assert (int(distances[won & is_white].max()), int(distances[won & ~is_white].max())) == (55, 56)


def test_nothing_is_told_where_the_clock_leaves_too_little_room() -> None:
    table = chess()
    far = board("Ka1 Rb1 ke5")
    label = table.probe(far)
    assert label is not None
    assert label.distance is not None
    assert label.distance > 20
    facts = [fact for fact in far.ordered_facts if str(fact) != "quiet(0)"]
    room = 100 - label.distance
    assert table.probe(table.game.state([*facts, f"quiet({room})"])) == label
    assert table.probe(table.game.state([*facts, f"quiet({room + 1})"])) is None


def test_chess_agrees_with_alphabeta_where_that_gets_so_far() -> None:
    found = verify_endgame(chess(), 12)
    assert not found.wrong
    assert found.searched


def test_checkers_with_three_pieces_agree_with_alphabeta(monkeypatch: pytest.MonkeyPatch) -> None:
    table = build_endgame(gm.load("checkers"), 3)
    assert table.figures.known == table.figures.positions == 651_008
    # Many positions, with few nodes for each: what is far takes all of them and says nothing, however many there are.
    monkeypatch.setattr(verifying, "MOST_NODES", 20_000)
    monkeypatch.setattr(verifying, "MOST_SECONDS", NO_MACHINE_TAKES)
    found = verify_endgame(table, 60)
    assert not found.wrong
    assert found.searched > 25
