"""Boards found from the rules alone: small sheets of each kind, and what is found of them."""

from __future__ import annotations

import time

import pytest

import gamemaster as gm
from gamemaster.draw.board import board_of
from gamemaster.draw.finding import grids
from gamemaster.draw.finding.found import found_style
from gamemaster.draw.styles.style import BoardStyle, Style
from gamemaster.draw.text import draw_text
from gamemaster.games import game_names
from gamemaster.language.rules import relation_of
from gamemaster.machine.game import Game

END = "role(red) role(blue) legal(red,go) legal(blue,go) goal(red,50) goal(blue,50)"


def sheet(*sentences: str, roles: str = END) -> Game:
    return gm.parse("\n".join((roles, *sentences)), dialect="hrf", machine="reference")


def style(*facts: str, rules: str = "", roles: str = END) -> Style:
    return found_style(sheet(*(f"init({fact})" for fact in facts), rules, roles=roles))


def only_board(found: Style) -> BoardStyle:
    (board,) = found.boards
    return board


@pytest.mark.parametrize("name", game_names())
def test_every_game_of_the_library_has_a_style_and_a_board(name: str) -> None:
    game = gm.load(name, machine="reference")
    found = found_style(game)
    assert found.boards or found.counters
    assert board_of(game.initial_state(), style=found)


# Grids


def test_things_lie_on_the_grid_of_places_and_what_repeats_them_is_hidden() -> None:
    cells = [f"cell({x},{y},b)" for x in range(1, 5) for y in range(1, 5)]
    found = style(*cells, "king(red,2,3)", "moved(red,2,3)", "moved(red,2,4)", "moved(blue,3,3)")
    assert [layer.relation for layer in only_board(found).layers] == [("cell", 3), ("king", 3)]
    assert found.hidden == {("moved", 3)}


def test_a_single_thing_on_a_known_grid_lies_there() -> None:
    cells = [f"cell(c{x},r{y},b)" for x in range(1, 5) for y in range(1, 4)]
    assert only_board(style(*cells, "pos(c2,r3)")).layers[1].at == ((0,), (1,))


def test_what_is_declared_too_freely_is_known_by_the_start() -> None:
    cells = [f"cell({x},{y},b)" for x in "abcd" for y in range(1, 5)]
    axis = " ".join(f"axis({value})" for value in ("a", "b", "c", "d", 1, 2, 3, 4))
    board = only_board(style(*cells, rules=f"{axis} base(cell(X,Y,b)) :- axis(X) & axis(Y)"))
    assert (board.rows, board.columns) == (("1", "2", "3", "4"), ("a", "b", "c", "d"))


def test_a_pair_of_numbers_that_nothing_keeps_is_no_grid() -> None:
    numbers = " ".join(f"n({number})" for number in range(6))
    rules = (
        f"{numbers} next(offer(X,Y)) :- n(X) & n(Y) & does(red,go) & true(start) next(start) :- true(start)"
    )
    assert style("start", rules=rules).boards == ()


def test_a_third_coordinate_tells_levels_apart() -> None:
    cubes = [f"cube({x},{y},0,ground)" for x in range(4) for y in range(4)]
    levels = " ".join(f"level({number})" for number in range(4))
    rules = f"{levels} next(cube(X,Y,Z,red)) :- level(X) & level(Y) & level(Z) & does(red,go)"
    assert only_board(style(*cubes, rules=rules)).layers[0].index == ((2,),)


# Hexagons, and points on lines


def test_rows_half_a_cell_apart_are_hexagonal() -> None:
    cells = [
        f"cell({row}{column},blank)"
        for row, size in zip("abcde", (3, 4, 5, 4, 3), strict=True)
        for column in range(1, size + 1)
    ]
    board = only_board(style(*cells))
    assert (board.kind, board.slant, board.rows) == ("hex", "centred", tuple("abcde"))


def test_a_cross_is_not_hexagonal() -> None:
    sizes = {1: (3, 5), 2: (3, 5), 3: (1, 7), 4: (1, 7), 5: (1, 7), 6: (3, 5), 7: (3, 5)}
    cells = [f"hole({row},{column},peg)" for row, (a, z) in sizes.items() for column in range(a, z + 1)]
    assert only_board(style(*cells)).kind == "square"


ADJACENT = """
    n(1) n(2) n(3) n(4) s(1,2) s(2,3) s(3,4)
    near(X,Y,X,V) :- n(X) & s(Y,V)
    near(X,Y,U,Y) :- n(Y) & s(X,U)
"""


@pytest.mark.parametrize(
    ("rule", "slant"),
    [("near(X,Y,U,V) :- s(X,U) & s(V,Y)", "right"), ("near(X,Y,U,V) :- s(X,U) & s(Y,V)", "left")],
)
def test_six_neighbours_are_those_of_a_slanting_board(rule: str, slant: str) -> None:
    cells = [f"cell({x},{y},blank)" for x in range(1, 5) for y in range(1, 5)]
    board = only_board(style(*cells, rules=ADJACENT + rule))
    assert (board.kind, board.slant) == ("hex", slant)


def test_diagonals_of_some_cells_make_points_on_lines() -> None:
    cells = [f"cell({x},{y},blank)" for x in range(1, 5) for y in range(1, 5)]
    diagonals = "near(1,1,2,2) near(2,2,3,3) near(1,3,2,2) near(2,2,3,1)"
    board = only_board(style(*cells, rules=ADJACENT + diagonals))
    assert board.kind == "points"
    assert len(board.lines) == 24 + 4


def test_neighbours_in_four_directions_are_squares() -> None:
    cells = [f"cell({x},{y},blank)" for x in range(1, 5) for y in range(1, 5)]
    assert only_board(style(*cells, rules=ADJACENT)).kind == "square"


# Ground


def test_views_give_cells_their_ground() -> None:
    cells = [f"cell({x},{y},blank)" for x in range(1, 5) for y in range(1, 5)]
    board = only_board(style(*cells, rules="wall(2,3) paint(1,1,yellow) goal_square(4,4) even(2,2)"))
    assert board.ground == {("2", "3"): "dark", ("1", "1"): "yellow", ("4", "4"): "middle"}


# Places with names


def test_neighbours_of_named_places_are_lines_of_a_graph() -> None:
    rules = "way(a,b) way(b,c) way(c,d) way(d,a) way(b,a) way(c,b) way(d,c) way(a,d)"
    board = only_board(
        style("at(a)", "gold(c)", rules=f"{rules} next(at(X)) :- way(X,Y) next(gold(X)) :- way(X,Y)")
    )
    assert (board.kind, len(board.lines)) == ("graph", 4)
    assert sorted(board.places.values()) == [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)]


def test_a_way_through_places_is_a_row_of_them() -> None:
    rules = "after(p2,p1) after(p1,p3) after(p3,p4)"
    board = only_board(style("disk(p1,red)", "disk(p2,none)", "disk(p3,red)", "disk(p4,blue)", rules=rules))
    assert (board.kind, board.columns) == ("square", ("p2", "p1", "p3", "p4"))
    assert board.blanks == {"none"}


def test_lines_through_places_make_a_grid() -> None:
    lines = "line(a,b,c) line(d,e,f) line(g,h,i) line(a,d,g) line(b,e,h) line(c,f,i) line(a,e,i) line(c,e,g)"
    places = [f"blank({name})" for name in "abcdefghi"]
    board = only_board(
        style(
            *places,
            rules=f"{lines} next(ecks(X)) :- line(X,Y,Z) & does(red,go) next(ecks(X)) :- true(blank(X))",
        )
    )
    assert [name for name, _ in sorted(board.places.items(), key=lambda item: item[1][::-1])] == [
        (name,) for name in "abcdefghi"
    ]


def test_places_of_several_boards_have_an_index() -> None:
    lines = "line(a,b,c) line(d,e,f) line(g,h,i) line(a,d,g) line(b,e,h) line(c,f,i) board(left) board(right)"
    rules = f"{lines} next(oh(X,B)) :- line(X,Y,Z) & board(B) next(oh(X,B)) :- true(blank(X,B))"
    board = only_board(
        style(*(f"blank({name},{side})" for name in "abcdefghi" for side in ("left", "right")), rules=rules)
    )
    assert (board.indexes, len(board.places)) == ((("left",), ("right",)), 9)


def test_numbers_of_places_are_heaps_and_of_roles_are_counters() -> None:
    found = style("heap(a,5)", "heap(b,3)", "score(red,1)", "score(blue,2)", "lives(3)")
    assert (only_board(found).kind, only_board(found).rows) == ("heaps", ("a", "b"))
    assert [(each.label, each.role, each.value) for each in found.counters] == [
        ("score", (0,), (1,)),
        ("lives", None, (0,)),
    ]


def test_numbers_that_places_get_in_the_course_of_play_are_a_row() -> None:
    rules = "letter(s) letter(e) letter(n) digit(1) digit(2) next(value(X,Y)) :- true(value(X,Y))"
    rules += " next(value(X,Y)) :- letter(X) & digit(Y) & does(red,go)"
    board = only_board(style("start", rules=rules))
    assert (board.kind, board.columns) == ("square", ("e", "n", "s"))


def test_an_order_of_things_is_a_row_of_them() -> None:
    orders = ("B,A,C,D", "D,C,B,A", "A,C,B,D", "B,C,D,A")
    rules = " ".join(f"next(order({order})) :- true(order(A,B,C,D))" for order in orders)
    board = only_board(style("order(c,a,d,b)", rules=rules))
    assert [layer.key for layer in board.layers] == [("1",), ("2",), ("3",), ("4",)]


def test_facts_without_arguments_are_lights() -> None:
    board = only_board(style("p", rules="next(q) :- true(p) next(r) :- true(q) next(p) :- true(r)"))
    assert board.columns == ("p", "q", "r")


def test_relations_of_the_same_places_share_a_row() -> None:
    board = only_board(
        style("off(p)", "off(q)", "off(r)", rules="next(on(X)) :- true(off(X)) next(off(X)) :- true(on(X))")
    )
    assert [layer.relation[0] for layer in board.layers] == ["off", "on"]
    assert board.blanks == {"off"}


# Beside the boards


def test_whose_turn_it_is_comes_first_and_hands_are_things() -> None:
    cells = [f"cell({x},{y},b)" for x in range(1, 4) for y in range(1, 4)]
    rules = "next(cell(X,Y,P)) :- true(cell(X,Y,b)) & true(pool(P)) next(control(blue)) :- true(control(red))"
    found = style(*cells, "pool(p01)", "pool(p10)", "step(1)", "control(red)", rules=rules)
    assert [(each.label, each.content) for each in found.counters] == [
        ("turn", ()),
        ("pool", ((0,),)),
        ("step", ()),
    ]


def test_what_nobody_would_read_is_hidden() -> None:
    notes = [f"note({a},{b},{c})" for a in "xyz" for b in "uvw" for c in "abc"]
    assert style(*notes, "heap(a,5)", "heap(b,3)").hidden == {("note", 3)}
    assert style(*notes).hidden == frozenset()


# Towers, planes, ragged rows


def test_things_on_things_are_towers_on_what_they_stand_on() -> None:
    facts = ("on(a,b)", "on(b,c)", "table(c)", "table(d)", "clear(a)", "clear(d)")
    game = sheet(*(f"init({fact})" for fact in facts))
    (panel,) = board_of(game.initial_state()).panels
    assert {cell.key: cell.things[0].content for cell in panel.cells if cell.things} == {
        ("c", "1"): "c",
        ("c", "2"): "b",
        ("c", "3"): "a",
        ("d", "1"): "d",
    }
    assert found_style(game).hidden == {("clear", 1)}


def test_towers_stand_on_what_is_no_thing_and_never_turn_in_a_circle() -> None:
    game = sheet("init(on(d1,d2))", "init(on(d2,left))", "init(on(d3,right))", "init(clear(d1))")
    (panel,) = board_of(game.initial_state()).panels
    assert panel.columns == ("left", "right")
    assert [cell.key for cell in panel.cells if cell.things] == [("left", "2"), ("left", "1"), ("right", "1")]
    assert board_of(game.state(["on(d1,d2)", "on(d2,d1)"])).panels


def test_coordinates_apart_are_one_place() -> None:
    rules = " ".join(f"after({number},{number + 1})" for number in range(9))
    rules += (
        " next(posx(R,V)) :- true(posx(R,X)) & after(X,V) next(posy(R,V)) :- true(posy(R,X)) & after(X,V)"
    )
    game = sheet(
        *(f"init({fact})" for fact in ("posx(red,0)", "posy(red,3)", "posx(blue,5)", "posy(blue,0)")), rules
    )
    board = board_of(game.initial_state())
    (panel,) = board.panels
    found = {cell.key: [thing.content for thing in cell.things] for cell in panel.cells if cell.things}
    assert found == {("0", "3"): ["red"], ("5", "0"): ["blue"]}
    assert not board.others


def test_rows_with_names_of_their_own_are_a_board() -> None:
    rows = {"1": "1234", "2": "abc", "3": "1234", "4": "abc"}
    cells = [f"cell({row},{cell},empty)" for row, names in rows.items() for cell in names]
    board = only_board(style(*cells))
    assert (board.kind, board.places["2", "a"][0]) == ("hex", 0.5)


def test_a_letter_that_most_cells_have_is_a_wall() -> None:
    cells = [f"cell({x},{y},{'o' if x == y == 2 else 'w'})" for x in range(1, 4) for y in range(1, 4)]
    found = style(*cells)
    assert found.other_pieces["w"].glyph == "wall"
    assert only_board(found).blanks == {"o"}


@pytest.mark.parametrize(
    ("name", "rows", "columns"),
    [
        ("threecells", "", "1 2 3 4 5 6 7 8 9 10 11"),
        ("threecells:cells=5", "", "1 2 3 4 5"),
        ("nim", "first second third", ""),
    ],
)
def test_what_base_declares_is_all_there_is(name: str, rows: str, columns: str) -> None:
    """The rules of these could count further, for their variants."""
    board = only_board(found_style(gm.load(name, machine="reference")))
    assert (" ".join(board.rows), " ".join(board.columns)) == (rows, columns)


def test_a_letter_that_is_all_there_is_fills_its_cell() -> None:
    trail = [f"cell({x},{y},v)" for x in range(1, 5) for y in range(1, 5) if x == 1 or y == 1]
    rules = "n(1) n(2) n(3) n(4) next(cell(X,Y,v)) :- true(cell(X,Y,v)) next(cell(X,Y,v)) :- n(X) & n(Y)"
    assert style(*trail, "at(red,2,2)", rules=rules).other_pieces["v"].glyph == "square"


# Whatever the rules are


STRANGE = [
    "init(f(g(h(a)),1)) init(f(b,2))",
    "init('a b'('<x>',1)) init('a b'('&',2))",
    "init(cell(99999999999999999999,1,x)) init(cell(1,99999999999999999999,x))",
    "init(on(a,a)) init(on(b,a)) init(table(a))",
    "init(line(1,1,1,1)) init(wall(1,1,north)) init(wall(a,b,north))",
    "init(x(1)) init(y(a)) init(posx(red,1))",
    "link(a,a) init(at(a)) init(at(b)) init(at(c))",
    "link(X,Y) :- link(Y,X) link(a,b) init(at(a)) init(at(b))",
    "init(cell(1,1,b)) init(cell(1,2,o)) init(row(1,2,3,4,5,6,7,8))",
    "base(cell(X,Y,Z)) :- true(cell(X,Y,Z)) init(b) init(blank)",
]


@pytest.mark.parametrize("sentences", STRANGE)
def test_strange_rules_are_drawn_too(sentences: str) -> None:
    state = sheet(sentences).initial_state()
    board = board_of(state)
    shown = {fact for panel in board.panels for cell in panel.cells for fact in cell.facts}
    told = {fact for counter in board.counters for fact in counter.facts}
    hidden = found_style(state.game).hidden
    lines = {layer.relation for each in found_style(state.game).boards for layer in each.line_layers}
    for fact in state.facts - shown - told - set(board.others):
        assert relation_of(fact) in hidden or relation_of(fact) in lines


def test_numbers_of_thousands_of_digits_are_no_heaps() -> None:
    large = "9" * 5000
    game = gm.parse(
        f"role(r) legal(r,noop) init(heap(a,{large})) init(heap(b,3)) init(heap(c,4))", "hrf", "reference"
    )
    board = board_of(game.initial_state())
    assert all(panel.kind != "heaps" for panel in board.panels)


def test_more_boards_than_anybody_reads_are_not_drawn() -> None:
    facts = [f"r{number}({x},{y},x)" for number in range(30) for x in "123" for y in "123"]
    found = style(*facts)
    assert len(found.boards) == 24
    assert len({board.layers[0].relation for board in found.boards}) == 24


def test_coordinates_apart_may_be_below_zero_and_have_gaps() -> None:
    facts = ["posx(red,-3)", "posx(blue,2)", "posy(red,-1)", "posy(blue,-10)"]
    board = only_board(style(*facts))
    assert board.columns == ("-3", "-2", "-1", "0", "1", "2")
    assert board.rows == tuple(str(number) for number in range(-10, 0))
    assert not style("posx(red,-300)", "posx(blue,2)", "posy(red,-1)", "posy(blue,-10)").boards


@pytest.mark.timeout(60)
def test_many_coordinates_apart_are_put_together_in_no_time() -> None:
    game = sheet(
        *(f"init({fact})" for fact in ("posx(red,0)", "posy(red,3)", "posx(blue,5)", "posy(blue,0)"))
    )
    facts = [
        f"pos{axis}({name},{n % 6})" for n in range(2000) for axis, name in (("x", f"t{n}"), ("y", f"t{n}"))
    ]
    begun = time.thread_time()
    board = board_of(game.state([*facts, "posx(red,5)", "posy(red,0)", "posx(blue,0)", "posy(blue,77)"]))
    assert time.thread_time() - begun < 5
    (panel,) = board.panels
    (corner,) = (cell for cell in panel.cells if cell.key == ("5", "0"))
    assert [thing.content for thing in corner.things] == ["red"]
    assert "posy(blue,77)" in map(str, board.others)


def test_of_many_grids_only_those_that_are_drawn_are_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    finished: list[str] = []

    def finish(game: Game, board: BoardStyle) -> BoardStyle:
        finished.append(board.title)
        return board

    monkeypatch.setattr(grids, "_finished", finish)
    cells = [f"c{n}({x},{y},{y})" for n in range(40) for x in (1, 2, 3) for y in (1, 2, 3)]
    assert len(style(*cells).boards) == len(finished) == grids.MOST_BOARDS


def test_relations_of_one_name_are_hidden_apart() -> None:
    notes = [f"note({a},{b},{c})" for a in "xyz" for b in "uvw" for c in "abc"]
    game = sheet(*(f"init({fact})" for fact in (*notes, "heap(a,5)", "heap(b,3)", "note(seen)")))
    assert found_style(game).hidden == {("note", 3)}
    board = board_of(game.initial_state())
    told = [*board.others, *(fact for counter in board.counters for fact in counter.facts)]
    assert "note(seen)" in map(str, told)


def test_a_name_in_quotes_is_one_place() -> None:
    cells = ("cell('a b',e)", "cell(c,e)", "cell(d,e)")
    game = sheet(*(f"init({fact})" for fact in cells), "next(cell(X,Y)) :- true(cell(X,Y))")
    assert only_board(found_style(game)).columns == ("a b", "c", "d")
    lines = draw_text(game.initial_state()).splitlines()
    assert "'" not in lines[0]
    ways = "next_to('a b',c) next_to(c,d) next_to(d,'a b')"
    assert only_board(style(*cells, rules=f"{ways} next(cell(X,Y)) :- true(cell(X,Y))")).kind == "graph"
