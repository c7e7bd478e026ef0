"""Endgame tables against everything that can happen: nothing that they tell is wrong."""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

import gamemaster as gm
from gamemaster.errors import LimitExceeded, StrategyError, Unsuitable
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget
from gamemaster.search.native.kernels.graph import MANY_CODES, SEVERAL_CHOSE
from gamemaster.search.trees.alphabeta import search
from gamemaster.solving.endgame import building, numbering
from gamemaster.solving.endgame.board import find_board
from gamemaster.solving.endgame.building import build_endgame
from gamemaster.solving.endgame.files import KIND, EndgameMemory, load_endgame
from gamemaster.solving.endgame.linking import Linker
from gamemaster.solving.endgame.numbering import Numbering
from gamemaster.solving.endgame.table import EndgameTable
from gamemaster.solving.endgame.verifying import verify_endgame
from gamemaster.solving.solver import solve_table
from tests.solving.endgame.games import CHASE, worth

SMALL = "breakthrough:columns=3,rows=4"


@functools.cache
def chase() -> EndgameTable:
    return build_endgame(gm.parse(CHASE), 3)


@functools.cache
def small() -> EndgameTable:
    return build_endgame(gm.load(SMALL), 3)


def states_of(table: EndgameTable) -> list[State]:
    found = (table.numbering.state_of(number) for number in range(table.numbering.size))
    return [state for state in found if state is not None]


def test_every_position_has_a_number_and_every_number_its_position() -> None:
    own = small().numbering
    for number in range(own.size):
        state = own.state_of(number)
        assert state is None or own.number_of(state) == number


def test_breakthrough_with_three_pawns_is_as_everything_that_can_happen_says() -> None:
    table = small()
    known = 0
    for state in states_of(table):
        label = table.probe(state)
        if label is not None and not state.is_terminal:
            known += 1
            assert label.goals == (worth(state, "white"), worth(state, "black"))
    assert known > 1_000


def test_breakthrough_is_as_the_labels_of_all_positions_say() -> None:
    table = small()
    starts = [state for state in states_of(table) if not state.is_terminal and table.probe(state)][::7]
    labels = solve_table(table.game, starts)
    for state in starts:
        told, label = labels.label(state), table.probe(state)
        assert label is not None
        assert (told.goals, told.distance) == (label.goals, label.distance)


def test_what_is_told_is_right_wherever_the_clock_stands() -> None:
    table = chase()
    told = silent = 0
    for state in states_of(table):
        board = [fact for fact in state.ordered_facts if str(fact) != "quiet(0)"]
        for count in range(9):
            later = table.game.state([*board, f"quiet({count})"])
            label = table.probe(later)
            if later.is_terminal or label is None:
                silent += label is None
                continue
            told += 1
            assert label.goals == (worth(later, "hunter"), worth(later, "prey")), str(later)
    assert told > 1_000
    assert silent > 10  # the clock leaves too little room there


def test_states_with_other_facts_are_worth_what_they_lead_to() -> None:
    table = chase()
    seen = 0
    for state in states_of(table):
        dazed = table.game.state([*state.ordered_facts, "dazed"])
        label = None if dazed.is_terminal else table.probe(dazed)
        if label is not None:
            seen += 1
            assert label.goals == (worth(dazed, "hunter"), worth(dazed, "prey")), str(dazed)
    assert seen > 50


def test_what_may_come_of_more_pieces_is_not_told() -> None:
    """The prey has young: then moves of two pieces lead to three. A table of all pieces knows what that is worth."""
    born = """
        legal(prey,bear(X,Y)) :- true(control(prey)) & true(cell(X,prey)) & beside(X,Y) & ~taken(Y)
        next(cell(Y,prey)) :- does(prey,bear(X,Y))
    """
    game = gm.parse(CHASE + born)
    few, all_of_them = build_endgame(game, 2), build_endgame(game, 7)
    told = silent = 0
    for state in states_of(few):
        label, truth = few.probe(state), all_of_them.probe(state)
        told += label is not None
        silent += label is None
        assert label is None or (truth is not None and label.goals == truth.goals), str(state)
    assert told > 10
    assert silent > 10


def test_advice_keeps_what_a_position_is_worth() -> None:
    table = chase()
    for state in states_of(table):
        role = state.chooser
        counsel = None if role is None else table.advise(state, role)
        if counsel is None or role is None:
            continue
        assert counsel.value == worth(state, role)
        joint = {each: state.legal_moves(each)[0] for each in state.movers}
        assert counsel.move is not None
        assert worth(state.next({**joint, role: counsel.move}), role) == counsel.value
        assert "the endgame table of 3 pieces" in counsel.why


def test_who_is_not_to_move_gets_no_advice() -> None:
    state = small().game.state(["cell(1,1,white)", "cell(2,3,black)", "control(white)"])
    assert small().advise(state, "black") is None


def test_a_full_board_is_not_known() -> None:
    assert small().probe(small().game.initial_state()) is None


def test_alphabeta_asks_the_table_and_sees_less() -> None:
    table = small()
    facts = ["cell(1,1,white)", "cell(3,1,white)", "cell(1,4,black)", "cell(3,4,black)", "control(white)"]
    state = table.game.state(facts)
    plain = search(state, "white", Budget())
    probed = search(state, "white", Budget(), probe=table.value)
    assert probed.is_proven
    assert probed.value == plain.value == worth(state, "white")
    assert probed.nodes < plain.nodes


def test_samples_agree_with_alphabeta_in_machine_code() -> None:
    found = verify_endgame(small(), 40)
    assert (found.searched, found.too_far, found.wrong) == (40, 0, [])
    assert "none is wrong" in str(found)


def test_a_table_that_is_wrong_is_found_out() -> None:
    table = build_endgame(gm.load(SMALL), 3)
    assert isinstance(table.book, EndgameMemory)
    codes = table.book.labels.codes
    codes[codes < 2] ^= 1
    found = verify_endgame(table, 20)
    assert found.wrong
    assert "are wrong" in str(found)


def test_a_table_in_a_file_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "small.endgame"
    small().save(path)
    read = load_endgame(path, gm.load(SMALL))
    assert [read.book.mark(i) for i in range(read.numbering.size)] == [
        small().book.mark(i) for i in range(small().numbering.size)
    ]
    assert read.figures.positions == len(small())
    assert read.figures.bytes < 4
    read.save(tmp_path / "copy.endgame")
    assert (tmp_path / "copy.endgame").read_bytes() == path.read_bytes()


def read_all(path: Path) -> None:
    table = load_endgame(path, gm.load(SMALL))
    for number in range(table.numbering.size):
        table.book.mark(number)


def test_every_damaged_byte_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "small.endgame"
    small().save(path)
    whole = path.read_bytes()
    for place in range(0, len(whole), max(1, len(whole) // 60)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 85]) + whole[place + 1 :])
        with pytest.raises(StrategyError, match=r"damaged or cut off|no endgame table"):
            read_all(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "is empty"), (b"gamemaster labels 1\n" * 9, "is no endgame table, or one of another version")],
)
def test_what_is_no_table_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(StrategyError, match=message):
        load_endgame(path, gm.load(SMALL))


def test_a_file_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "small.endgame"
    small().save(path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(StrategyError, match="damaged or cut off"):
        load_endgame(path, gm.load(SMALL))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StrategyError, match="no endgame table can be read"):
        load_endgame(tmp_path / "none", gm.load(SMALL))


def test_a_table_of_other_rules_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "small.endgame"
    small().save(path)
    with pytest.raises(StrategyError, match="is of other rules, called 'breakthrough:columns=3,rows=4'"):
        load_endgame(path, gm.load("breakthrough:columns=3,rows=5"))


def test_a_game_that_is_not_compiled_has_no_table(tmp_path: Path) -> None:
    with pytest.raises(StrategyError, match="is not compiled"):
        load_endgame(tmp_path / "none", gm.load(SMALL, machine="reference"))


@pytest.mark.parametrize(
    ("game", "pieces", "message"),
    [
        (SMALL, 9, "9 pieces are not 1 to 8"),
        ("chinesecheckers3", 2, "more than two roles"),
        ("nim", 2, "nothing in nim is like a board"),
        ("roshambo", 2, "several roles of roshambo choose at once"),
    ],
)
def test_what_cannot_have_a_table_is_told_why(game: str, pieces: int, message: str) -> None:
    with pytest.raises(Unsuitable, match=message):
        build_endgame(gm.load(game), pieces)


def test_a_kind_of_piece_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(Unsuitable, match=r"'rook' is no kind of piece of .*; there are: black, white"):
        build_endgame(gm.load(SMALL), 2, kinds=["rook"])


def test_pieces_that_never_meet_leave_nothing_to_know() -> None:
    with pytest.raises(Unsuitable, match="none of their moves ends the game"):
        build_endgame(gm.load(SMALL), 2, kinds=["white"])


def test_too_little_memory_is_told() -> None:
    with pytest.raises(LimitExceeded, match="memory"):
        build_endgame(gm.load(SMALL), 3, memory=10_000)


def changed(table: EndgameTable, path: Path, **changes: object) -> None:
    """A file of a table with another head, and the right checksum of that."""
    table.save(path)
    whole = path.read_bytes()
    start = len(KIND.magic) + 40
    size = int.from_bytes(whole[start - 8 : start], "little")
    head = json.dumps({**json.loads(whole[start : start + size]), **changes}).encode()
    begin = KIND.magic + hashlib.sha256(head).digest() + len(head).to_bytes(8, "little")
    path.write_bytes(begin + head + whole[start + size :])


@pytest.mark.parametrize(
    "changes",
    [
        {"pieces": "many"},
        {"pieces": 10**9},
        {"materials": [[9]]},
        {"symbols": [[0]]},
        {"dtype": "O"},
        {"board": {}},
    ],
)
def test_a_head_that_says_what_cannot_be_is_refused(tmp_path: Path, changes: dict[str, object]) -> None:
    path = tmp_path / "small.endgame"
    changed(small(), path, **changes)
    with pytest.raises(StrategyError, match="damaged or cut off"):
        load_endgame(path, gm.load(SMALL))


def test_a_table_that_another_version_numbered_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "small.endgame"
    changed(small(), path, facts="others")
    with pytest.raises(StrategyError, match="was made by another version, which had other facts"):
        load_endgame(path, gm.load(SMALL))


def test_goals_that_are_not_opposed_are_refused() -> None:
    kind = CHASE.replace("goal(prey,0) :- ~alive(prey)", "goal(prey,100) :- ~alive(prey)")
    with pytest.raises(Unsuitable, match="goals of the roles of rules are not opposed"):
        build_endgame(gm.parse(kind), 3)


def test_a_clock_without_room_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "LEAST_ROOM", 10)
    with pytest.raises(
        Unsuitable, match=r"rules can be over in 9 steps, by a clock that begins at quiet\(0\)"
    ):
        build_endgame(gm.parse(CHASE), 3)


def test_rules_that_were_grounded_step_by_step_are_refused() -> None:
    game = gm.parse(CHASE)
    assert isinstance(game, CompiledGame)
    assert game.circuit is not None
    game.circuit.steps = {"counter": "quiet"}
    with pytest.raises(Unsuitable, match="bounded by how many steps were made"):
        find_board(game)


def test_more_pieces_that_are_always_there_than_are_asked_for_are_told() -> None:
    board = replace(small().numbering.board, always={0: 2})
    with pytest.raises(Unsuitable, match="there are always 2 black: more than 1 pieces"):
        Numbering(small().game, board, 1)


@pytest.mark.parametrize(("name", "what"), [("MOST_NUMBERS", "positions"), ("MOST_MATERIALS", "materials")])
def test_too_many_positions_are_told(name: str, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbering, name, 10)
    with pytest.raises(LimitExceeded, match=what):
        Numbering(small().game, small().numbering.board, 3)


def test_materials_are_kinds_in_order() -> None:
    with pytest.raises(ValueError, match="materials are some kinds in order"):
        Numbering(small().game, small().numbering.board, 3, [[1, 0]])


@pytest.mark.parametrize(
    ("status", "message"), [(SEVERAL_CHOSE, "choose at once"), (MANY_CODES, "more than 200 different goals")]
)
def test_what_the_kernels_meet_is_told(status: int, message: str) -> None:
    linker = Linker(small().numbering, 1 << 30, lambda stage: None)
    with pytest.raises(Unsuitable, match=message):
        linker.check(status)
