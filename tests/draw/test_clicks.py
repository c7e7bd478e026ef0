"""Clicks: every legal move is clicked, chosen in a list or pressed as a button, whatever the game."""

from __future__ import annotations

import json
import random

import pytest

import gamemaster as gm
from gamemaster.draw.board import board_of
from gamemaster.draw.clicking import readings, scene
from gamemaster.draw.clicks import MOST_RIVALS, After, Choice, Clicks, clicks_of
from gamemaster.draw.model import Board, Cell, Panel, Thing
from gamemaster.errors import UnknownRole
from gamemaster.machine.game import State
from gamemaster.machine.moves import follow

GRID = """
    role(r) number(1) number(2) number(3)
    base(cell(X,Y,Z)) :- number(X) & number(Y) & content(Z)
    content(empty) content(full) content(half)
    init(control(r)) init(cell(X,Y,empty)) :- number(X) & number(Y)
    goal(r,0) terminal :- cell(9,9,full)
"""


def at(text: str, *moves: str) -> State:
    """The state of a sheet after some moves."""
    return follow(gm.parse(text, machine="reference").initial_state(), moves, random.Random(0))[0]


def grid(text: str) -> Clicks:
    """The clicks of the role r at the start of a game on a board of nine cells."""
    state = at(GRID + text)
    return clicks_of(state, "r", board_of(state))


def library(name: str, *moves: str) -> Clicks:
    state = follow(gm.load(name, machine="reference").initial_state(), moves, random.Random(0))[0]
    return clicks_of(state, state.control or state.game.roles[0], board_of(state))


def made(clicks: Clicks, *ids: str) -> str | list[str] | None:
    """What clicks make, as text; of choices their labels."""
    found = clicks.choose(*ids)
    if isinstance(found, list):
        return [choice.label for choice in found]
    return None if found is None else str(found)


# From arguments


def test_one_place_is_one_click() -> None:
    clicks = library("tictactoe", "mark(2,2)")
    assert made(clicks, "0-1-3") == "mark(1,3)"
    assert made(clicks, "0-2-2") is None
    assert len(clicks.sources) == 8
    assert clicks.buttons == ()


def test_two_places_are_where_from_and_where_to() -> None:
    clicks = library("breakthrough")
    assert made(clicks, "0-1-2") is None
    assert clicks.after("0-1-2").targets == ("0-1-3", "0-2-3")
    assert made(clicks, "0-1-2", "0-2-3") == "move(1,2,2,3)"
    assert clicks.after("0-1-5") == clicks.after("nowhere") == clicks.after("0-1-2", "0-1-5")
    assert clicks.after("0-1-5") == After((), ())


def test_what_is_between_is_not_clicked() -> None:
    clicks = library("kono")
    jumps = [touch for touch in clicks.moves if str(touch.move).startswith("jump")]
    assert jumps
    assert all(len(touch.targets) == 2 for touch in jumps)
    assert str(clicks.choose(*jumps[0].targets)) == str(jumps[0].move)
    assert [(choice.label, str(choice.move)) for choice in clicks.buttons] == [("kerchunk", "kerchunk")]


def test_the_third_of_three_places_is_in_the_list_and_has_its_cell() -> None:
    clicks = grid(
        """legal(shoot(1,1,X,2,Y,3)) :- number(X) & number(Y)
        shoot(A,B,C,D,E,F) :: true ==> cell(C,D,full) & ~cell(C,D,empty) & cell(E,F,half) & ~cell(E,F,empty)"""
    )
    assert clicks.sources == ("0-1-1",)
    assert made(clicks, "0-1-1", "0-2-2") == ["1,3", "2,3", "3,3"]
    choices = clicks.choose("0-1-1", "0-2-2")
    assert isinstance(choices, list)
    assert [choice.cell for choice in choices] == ["0-1-3", "0-2-3", "0-3-3"]
    assert made(clicks, "0-1-1", "0-2-2", "0-3-3") == "shoot(1,1,2,2,3,3)"


def test_coordinates_may_be_in_compounds() -> None:
    clicks = grid(
        """legal(put(full,at(X,Y))) :- cell(X,Y,empty)
        put(F,at(X,Y)) :: true ==> cell(X,Y,F) & ~cell(X,Y,empty)"""
    )
    assert made(clicks, "0-1-2") == "put(full,at(1,2))"


def test_coordinates_may_come_the_other_way_round() -> None:
    """Of numbers only what changes can tell it; letters and numbers tell it themselves."""
    clicks = grid(
        "legal(put(Y,X)) :- cell(X,Y,empty)\nput(Y,X) :: true ==> cell(X,Y,full) & ~cell(X,Y,empty)"
    )
    assert made(clicks, "0-1-2") == "put(2,1)"


def test_coordinates_come_in_the_order_of_the_facts() -> None:
    """A key has the number of the board first, whatever the facts have."""
    state = at("""role(r) init(control(r)) init(cube(1,2,3,red))
        legal(put(1,2,Z)) :- step(Z)
        step(1) step(2)
        put(X,Y,Z) :: true ==> cube(X,Y,Z,red)
        goal(r,0) terminal :- cube(1,2,1,red)""")
    (fact,) = [fact for fact in state.facts if str(fact).startswith("cube")]
    cells = tuple(
        Cell(f"{z}", f"{z}", (f"{z}", "1", "2"), (float(z), 0.0), facts=(fact,) * (z == 3))
        for z in range(1, 4)
    )
    clicks = clicks_of(state, "r", Board((Panel("cubes", "square", cells),)))
    assert made(clicks, "2") == "put(1,2,2)"


def test_a_digit_beside_coordinates_is_none() -> None:
    clicks = grid(
        """legal(put(D,X,Y)) :- number(D) & cell(X,Y,empty)
        put(D,X,Y) :: true ==> cell(X,Y,D) & ~cell(X,Y,empty)"""
    )
    assert made(clicks, "0-2-3") == ["1", "2", "3"]
    choices = clicks.choose("0-2-3")
    assert isinstance(choices, list)
    assert choices[0] == Choice("1", choices[0].move)
    assert str(choices[0].move) == "put(1,2,3)"


def test_a_name_may_be_two_coordinates() -> None:
    cells = " ".join(f"init(cell({c}{r},empty))" for c in "abc" for r in "123")
    text = f"""role(r) init(control(r)) {cells}
        base(cell(C,Z)) :- init(cell(C,W)) & content(Z)
        content(empty) content(full)
        legal(C) :- cell(C,empty)
        goal(r,0) terminal :- cell(a1,full) & cell(a2,full)"""
    state = at(text)
    board = board_of(state)
    assert {cell.key for cell in board.cell_of.values()} == {(c, r) for c in "abc" for r in "123"}
    assert isinstance(clicks_of(state, "r", board).buttons, tuple)
    state = at(text.replace("legal(C)", "legal(move(b2,C))") + "\nmove(B,C) :: true ==> cell(C,full)")
    clicks = clicks_of(state, "r", board_of(state))
    assert made(clicks, "0-b-2", "0-c-1") == "move(b2,c1)"


def test_a_thing_stands_for_its_cell() -> None:
    text = """role(r) init(control(r)) number(1) number(2) number(3)
        base(at(piece(C,N),X,Y)) :- init(at(piece(C,N),V,W)) & number(X) & number(Y)
        init(at(piece(white,king),1,1)) init(at(piece(white,pawn),1,3)) init(at(piece(black,king),3,3))
        init(at(piece(black,pawn),3,1))
        legal(move(piece(white,K),go(2,Y))) :- at(piece(white,K),A,B) & number(Y)
        move(P,go(X,Y)) :: at(P,V,W) ==> at(P,X,Y) & ~at(P,V,W)
        goal(r,0) terminal :- at(piece(white,king),2,2)"""
    state = at(text)
    clicks = clicks_of(state, "r", board_of(state))
    assert set(clicks.sources) == {"0-1-1", "0-1-3"}
    assert made(clicks, "0-1-1", "0-2-3") == "move(piece(white,king),go(2,3))"
    assert clicks.moves[0].label.endswith("1,1 to 2,1")


# Other boards than grids


def heaps(state: State) -> Board:
    """The heaps of a state in a row, each of them one place."""
    facts = [fact for fact in state.ordered_facts if str(fact).startswith("heap(")]
    cells = [
        Cell(str(fact[1]), str(fact[1]), (str(fact[1]),), (float(x), 0.0), facts=(fact,))
        for x, fact in enumerate(facts)
        if isinstance(fact, tuple)
    ]
    return Board((Panel("heaps", "graph", tuple(cells)),))


NIM = """role(r) init(control(r)) init(heap(1,3)) init(heap(2,3))
    less(1,3) less(2,3) less(0,3) less(0,1) less(0,2) less(1,2) after(3,1,2) after(3,2,1) after(3,3,0)
    after(2,1,1) after(2,2,0) after(1,1,0)
    legal(take(H,K)) :- heap(H,N) & after(N,K,M)
    take(H,K) :: heap(H,N) & after(N,K,M) ==> ~heap(H,N) & heap(H,M)
    goal(r,0) terminal :- heap(1,0) & heap(2,0)"""


def test_how_many_are_taken_of_a_heap_is_in_the_list() -> None:
    """The number of coins is no heap, though heaps have numbers too."""
    state = at(NIM)
    clicks = clicks_of(state, "r", heaps(state))
    assert made(clicks, "1") == ["1", "2", "3"]
    state = at(NIM, "take(1,2)")
    clicks = clicks_of(state, "r", heaps(state))
    assert made(clicks, "1") == "take(1,1)"
    assert "take 1, 1" in {touch.label for touch in clicks.moves}


def test_tokens_are_clicked_with_those_behind_them() -> None:
    clicks = library("wythoff")
    assert made(clicks, "0-left-6") == "take(left,1)"
    assert made(clicks, "0-left-1") == "take(left,6)"
    assert made(clicks, "0-right-8") == "take(right,2)" or made(clicks, "0-right-9") == "take(right,1)"
    labels = {touch.label for touch in clicks.moves}
    assert "take left 2" in labels
    assert {choice.label for choice in clicks.buttons} >= {"take both 1", "take both 2"}


ONE_HEAP = """role(r) init(control(r)) init(coins(5))
    less(5,1,4) less(5,2,3) less(4,1,3) less(4,2,2) less(3,1,2)
    legal(take(K)) :- coins(N) & less(N,K,M)
    take(K) :: coins(N) & less(N,K,M) ==> ~coins(N) & coins(M)
    goal(r,0) terminal :- coins(2)"""


def test_the_only_heap_needs_no_name() -> None:
    """Tokens that no move begins with ask how many."""
    state = at(ONE_HEAP)
    thing = Thing("coins", "coin", "plain", "o", "coin")
    cells = tuple(
        Cell(f"{n}", f"{n}", (f"{n}",), (float(n), 0.0), things=(thing,), facts=tuple(state.facts))
        for n in range(1, 6)
    )
    clicks = clicks_of(state, "r", Board((Panel("coins", "heaps", cells),)))
    assert made(clicks, "5") == "take(1)"
    assert made(clicks, "4") == "take(2)"
    assert made(clicks, "1") == ["1", "2"]


# From what changes


def test_a_disc_is_dropped_on_any_cell_of_its_column() -> None:
    clicks = library("connectfour", "drop(3)", "drop(3)")
    (third,) = [touch for touch in clicks.moves if str(touch.move) == "drop(3)"]
    assert third.targets == ("0-3-3",)
    assert {*third.targets, *third.instead} == {f"0-3-{row}" for row in range(1, 7)}
    assert {made(clicks, f"0-3-{row}") for row in range(1, 7)} == {"drop(3)"}
    assert third.label == "drop 3"


WALK = """
    legal(north) :- control(r)
    legal(east) :- control(r)
    legal(wait) :- control(r)
    init(cell(2,2,full))
    north :: cell(X,Y,full) & succ(W,X) ==> ~cell(X,Y,full) & cell(W,Y,full)
    east :: cell(X,Y,full) & succ(Y,Z) ==> ~cell(X,Y,full) & cell(X,Z,full)
    wait :: true ==> control(r)
    succ(1,2) succ(2,3)
"""


def test_a_direction_is_where_it_leads() -> None:
    clicks = grid(WALK)
    assert made(clicks, "0-1-2") == "north"
    assert made(clicks, "0-2-3") == "east"


def test_where_all_moves_begin_is_not_clicked() -> None:
    """Here the cell that is left looks different after each move."""
    clicks = grid(
        """legal(north) :- control(r)
        legal(east) :- control(r)
        init(cell(2,2,head))
        north :: true ==> ~cell(2,2,head) & cell(2,2,full) & cell(1,2,head)
        east :: true ==> ~cell(2,2,head) & cell(2,2,half) & cell(2,3,head)"""
    )
    assert made(clicks, "0-1-2") == "north"
    assert made(clicks, "0-2-3") == "east"
    assert len(clicks.sources) == 2


DIRECTIONS = """role(r) init(control(r)) number(1) number(2) number(3)
    base(at(P,X,Y)) :- piece(P) & number(X) & number(Y)
    piece(king) piece(pawn) piece(rook) piece(bishop)
    init(at(king,1,1)) init(at(pawn,1,3)) init(at(rook,3,1)) init(at(bishop,3,3))
    way(down,1,2) way(up,3,2)
    legal(move(P,D)) :- at(P,X,Y) & way(D,X,Z)
    legal(move(P,in)) :- at(P,X,Y) & way(D,Y,Z)
    move(P,D) :: at(P,X,Y) & way(D,X,Z) ==> at(P,Z,Y) & ~at(P,X,Y)
    move(P,in) :: at(P,X,Y) & way(D,Y,Z) ==> at(P,X,Z) & ~at(P,X,Y)
    goal(r,0) terminal :- at(king,2,2)"""


def test_a_thing_and_a_direction_are_where_from_and_where_to() -> None:
    state = at(DIRECTIONS)
    clicks = clicks_of(state, "r", board_of(state))
    assert made(clicks, "0-1-1", "0-2-1") == "move(king,down)"
    assert made(clicks, "0-3-3", "0-3-2") == "move(bishop,in)"
    assert len(clicks.sources) == 4


def test_what_changes_nothing_is_a_button() -> None:
    clicks = grid(
        """legal(paint(X,Y)) :- cell(X,Y,empty)
        legal(say_nothing) :- control(r)
        legal(bid(N)) :- number(N)
        paint(X,Y) :: true ==> cell(X,Y,full) & ~cell(X,Y,empty)"""
    )
    assert [choice.label for choice in clicks.buttons] == ["say nothing", "bid 1", "bid 2", "bid 3"]


def test_boards_with_equal_coordinates_are_told_apart() -> None:
    text = """role(r) init(control(r)) number(1) number(2) number(3)
        base(left(X,Y,Z)) :- number(X) & number(Y) & content(Z)
        base(right(X,Y,Z)) :- number(X) & number(Y) & content(Z)
        content(empty) content(full)
        init(left(X,Y,empty)) :- number(X) & number(Y)
        init(right(X,Y,empty)) :- number(X) & number(Y)
        legal(here(X,Y)) :- left(X,Y,empty)
        legal(there(X,Y)) :- right(X,Y,empty)
        here(X,Y) :: true ==> left(X,Y,full) & ~left(X,Y,empty)
        there(X,Y) :: true ==> right(X,Y,full) & ~right(X,Y,empty)
        goal(r,0) terminal :- left(1,1,full)"""
    state = at(text)
    clicks = clicks_of(state, "r", board_of(state))
    assert {made(clicks, f"{panel}-1-2") for panel in (0, 1)} == {"here(1,2)", "there(1,2)"}


TURN = """role(r) init(control(r)) number(1) number(2) number(3)
    base(cell(B,X,Y,Z)) :- number(B) & number(X) & number(Y) & content(Z)
    content(empty) content(full)
    init(cell(B,X,Y,empty)) :- number(B) & number(X) & number(Y) & distinct(B,3)
    init(cell(3,X,Y,empty)) :- number(X) & number(Y) & distinct(X,1)
    init(cell(3,1,Y,full)) :- number(Y)
    legal(turn(B,D)) :- number(B) & way(D)
    way(left) way(right)
    turn(B,left) :: cell(B,1,Y,full) ==> ~cell(B,1,Y,full) & cell(B,1,Y,empty) & cell(B,2,Y,full)
    turn(B,right) :: cell(B,1,Y,full) ==> ~cell(B,1,Y,full) & cell(B,1,Y,empty) & cell(B,3,Y,full)
    goal(r,0) terminal :- cell(1,1,1,full)"""


def test_a_board_that_is_named_is_all_its_cells() -> None:
    """Also where nothing lies that would turn."""
    state = at(TURN)
    clicks = clicks_of(state, "r", board_of(state))
    assert clicks.buttons == ()
    assert {str(made(clicks, cell)) for cell in clicks.sources} == {"['left', 'right']"}
    assert len(clicks.sources) == 27


def test_the_wrong_row_is_not_read_into_a_move() -> None:
    """Here the second argument says how, though it could be a coordinate."""
    clicks = grid(
        """legal(drop(X,K)) :- number(X) & succ(K)
        succ(2) drop(X,K) :: cell(X,3,empty) ==> cell(X,3,full) & ~cell(X,3,empty)"""
    )
    assert made(clicks, "0-1-3") == "drop(1,2)"


def test_places_are_clicked_though_the_move_changes_others() -> None:
    clicks = grid(
        """legal(mark(X,Y)) :- cell(X,Y,empty)
        mark(X,Y) :: aside(X,Z) ==> cell(Z,Y,full) & ~cell(Z,Y,empty)
        aside(1,2) aside(2,3) aside(3,1)"""
    )
    assert made(clicks, "0-1-2") == "mark(1,2)"


def test_a_move_that_ends_where_others_go_on_is_in_the_list() -> None:
    clicks = grid(
        """legal(stay(1,1)) :- control(r)
        legal(move(1,1,X,2)) :- number(X)
        stay(X,Y) :: true ==> cell(X,Y,half) & ~cell(X,Y,empty)
        move(X,Y,U,V) :: true ==> cell(U,V,half) & ~cell(U,V,empty)"""
    )
    assert made(clicks, "0-1-1") == ["stay 1,1"]
    assert made(clicks, "0-1-1", "0-3-2") == "move(1,1,3,2)"


# Cost


def test_what_arguments_tell_is_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the initial state is looked at, once, to see how moves are read."""
    at_start = gm.load("breakthrough", machine="reference").initial_state()
    clicks_of(at_start, "white", board_of(at_start))
    state = at_start.next("move(1,2,1,3)")
    board = board_of(state)
    monkeypatch.setattr(type(state), "next", lambda *_: pytest.fail("a successor was computed"))
    assert len(clicks_of(state, "black", board).sources) == 8


# Words and plain data


def test_labels_say_what_goes_where() -> None:
    state = gm.load("breakthrough", machine="reference").initial_state()
    board = board_of(state)
    (first,) = [t for t in clicks_of(state, "white", board).moves if str(t.move) == "move(1,2,1,3)"]
    source, target = board.cell_of["0-1-2"], board.cell_of["0-1-3"]
    assert first.label == f"{source.things[0].name} {source.name} to {target.name}"
    assert library("tictactoe").moves[0].label == "mark 1,1"


def test_moves_with_the_same_words_stand_for_themselves() -> None:
    clicks = grid(
        """legal(say(a,b(c))) :- control(r)
        legal(say(b(a),c)) :- control(r)
        legal(say(a,c)) :- control(r)"""
    )
    assert [choice.label for choice in clicks.buttons] == ["say(a,b(c))", "say(b(a),c)", "say(a,c)"]


def test_promotions_differ_by_what_becomes_of_it() -> None:
    clicks = grid(
        """legal(move(1,1,2,2,Z)) :- content(Z)
        move(X,Y,U,V,Z) :: true ==> cell(U,V,Z) & ~cell(X,Y,half)"""
    )
    assert made(clicks, "0-1-1", "0-2-2") == ["empty", "full", "half"]


def test_lists_say_the_verb_where_only_that_differs() -> None:
    clicks = grid(
        """legal(mark(X,Y)) :- cell(X,Y,empty)
        legal(block_it(X,Y)) :- cell(X,Y,empty)
        mark(X,Y) :: true ==> cell(X,Y,full) & ~cell(X,Y,empty)
        block_it(X,Y) :: true ==> cell(X,Y,half) & ~cell(X,Y,empty)"""
    )
    assert made(clicks, "0-1-1") == ["mark", "block it"]


def test_lists_never_say_the_same_twice() -> None:
    clicks = grid(
        """legal(put(2,2,a,b(c))) :- control(r)
        legal(put(2,2,b(a),c)) :- control(r)
        put(X,Y,P,Q) :: true ==> cell(X,Y,full) & ~cell(X,Y,empty)"""
    )
    labels = made(clicks, "0-2-2")
    assert isinstance(labels, list)
    assert len(set(labels)) == 2


def test_lines_are_clicked_though_there_are_many_moves() -> None:
    """Too many to see what each of them changes."""
    numbers = " ".join(f"many({n})" for n in range(1, 51))
    clicks = grid(
        f"""{numbers} legal(drop(X,far(N))) :- number(X) & many(N)
        drop(X,N) :: true ==> cell(X,3,full) & ~cell(X,3,empty)"""
    )
    labels = made(clicks, "0-2-1")
    assert isinstance(labels, list)
    assert len(labels) == 50
    assert clicks.buttons == ()


def test_plain_data_is_enough_to_play() -> None:
    clicks = library("kono")
    told = json.loads(json.dumps(clicks.to_json()))
    assert told["role"] == "red"
    assert told["sources"] == list(clicks.sources)
    assert [told["moves"][number]["move"] for number in told["buttons"]] == ["kerchunk"]
    assert [move["id"] for move in told["moves"]] == list(range(len(clicks.moves)))
    assert told["moves"][0].keys() == {"id", "move", "label", "targets", "instead", "difference"}


def test_only_roles_have_clicks() -> None:
    state = at(GRID + "legal(wait) :- control(r)")
    with pytest.raises(UnknownRole):
        clicks_of(state, "s", board_of(state))


def test_a_state_without_a_board_has_buttons() -> None:
    state = at(GRID + "legal(put(X,Y)) :- number(X) & number(Y)")
    clicks = clicks_of(state, "r", Board(()))
    assert len(clicks.buttons) == 9
    assert clicks.sources == ()


def test_hostile_names_stay_text() -> None:
    thing = Thing("<script>", "text", "plain", "<", "<script>")
    state = at(NIM)
    board = heaps(state)
    cells = tuple(
        Cell(c.id, '"><b>', c.key, c.centre, things=(thing,), facts=c.facts) for c in board.cell_of.values()
    )
    clicks = clicks_of(state, "r", Board((Panel("", "graph", cells),)))
    assert clicks.moves[0].label == str(clicks.moves[0].move) or '"><b>' in clicks.moves[0].label
    assert json.loads(json.dumps(clicks.to_json())) == clicks.to_json()


def test_in_a_very_long_list_moves_are_told_by_their_labels() -> None:
    words = " ".join(f"word(w{number})" for number in range(MOST_RIVALS + 1))
    clicks = grid(f"legal(say(1,1,W)) :- word(W) say(1,1,W) :: true ==> cell(1,1,W) {words}")
    assert len(clicks.moves) == MOST_RIVALS + 1
    assert {touch.difference for touch in clicks.moves} == {""}
    choices = clicks.choose(*clicks.moves[0].targets)
    assert isinstance(choices, list)
    assert len({choice.label for choice in choices}) == MOST_RIVALS + 1


def test_many_forms_of_moves_are_read_as_far_as_there_is_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each form has many ways to be read; how far they are tried is counted, and the same on every machine."""
    generator = random.Random(1)
    rows = [[str(generator.randint(1, 3)) for _ in range(12)] for _ in range(200)]
    rules = " ".join(f"legal(r,f{number % 10}({','.join(row)}))" for number, row in enumerate(rows))
    state = at(GRID + rules + " next(cell(X,Y,Z)) :- true(cell(X,Y,Z))")
    asked = 0
    cell = readings.Spot.cell

    def counted(spot: readings.Spot, here: scene.Scene, row: tuple[str, ...]) -> str | None:
        nonlocal asked
        asked += 1
        return cell(spot, here, row)

    monkeypatch.setattr(readings.Spot, "cell", counted)
    monkeypatch.setattr(scene.Effort.__init__, "__defaults__", (10_000,))
    clicks = clicks_of(state, "r", board_of(state))
    assert asked < 2 * 10_000 + 20 * len(rows)
    assert len(clicks.moves) == 200
    assert any(touch.targets for touch in clicks.moves)
    assert clicks.buttons
