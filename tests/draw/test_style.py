"""Styles: what style.toml says of boards, pieces and counters, and which of them counts."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from math import dist
from pathlib import Path

import pytest

import gamemaster as gm
from gamemaster.draw.board import board_of
from gamemaster.draw.boards import cells
from gamemaster.draw.boards.symbols import most_common
from gamemaster.draw.finding.found import found_style
from gamemaster.draw.model import Board, Cell, Point
from gamemaster.draw.picture import glyphs as picture_glyphs
from gamemaster.draw.picture import looks as picture_looks
from gamemaster.draw.picture.colours import coat_of
from gamemaster.draw.styles import extent
from gamemaster.draw.styles.chosen import style_of, style_path
from gamemaster.draw.styles.style import COLOURS, GLYPHS, LOOKS, Style, is_colour, text_at
from gamemaster.draw.styles.style_file import read_style
from gamemaster.draw.svg import draw_svg
from gamemaster.draw.text import draw_text
from gamemaster.games import game_names
from gamemaster.language.infix import read_term
from gamemaster.language.source import Source

GAME = """
role(red) role(blue)
n(1) n(2) n(3)
spot(a) spot(b) spot(c)
road(a,b) road(b,a) road(b,c)
beside(1,1,1,2) beside(1,2,1,3)
base(cell(X,Y,Z)) :- n(X) & n(Y) & what(Z)
what(empty) what(red) what(blue)
init(cell(X,Y,empty)) :- n(X) & n(Y) & distinct(X,Y)
init(cell(X,X,red)) :- n(X)
base(at(P,R)) :- spot(P) & role(R)
init(at(a,red)) init(at(c,blue))
base(piece(red,king,place(X,Y))) :- n(X) & n(Y)
init(piece(red,king,place(2,3)))
init(layer(1,a1,red)) init(layer(2,b2,blue)) init(layer(2,a2,blue)) init(layer(1,b1,red))
init(heap(left,3)) init(heap(right,5))
init(pot(4))
init(score(red,7)) init(score(blue,0))
init(hand(red,king,2)) init(hand(red,pawn,1))
init(step(1)) init(step(1,2))
init(lamp)
legal(R,noop) :- role(R)
next(lamp) :- true(lamp)
"""


def game() -> gm.Game:
    return gm.parse(GAME, "hrf", machine="reference")


def style(text: str) -> Style:
    return read_style(Source("style.toml", text), game())


def board(text: str) -> Board:
    here = game()
    return board_of(here.initial_state(), style=read_style(Source("style.toml", text), here))


# What a style says


def test_what_a_style_does_not_say_is_found_from_the_rules() -> None:
    found = found_style(game())
    assert style("").boards == found.boards
    assert style('[[board]]\nrelation = "cell"').boards[0].rows == ("1", "2", "3")
    (shown,) = board('[[board]]\nrelation = "cell"\nkind = "hex"').panels
    assert shown.kind == "hex"
    assert len(shown.cells) == 9


def test_arguments_say_which_is_row_and_column() -> None:
    written = '[[board]]\nrelation = "cell"\nrow = 2\ncolumn = 1\nup = true\ntitle = "field"'
    (panel,) = board(written).panels
    assert (panel.rows, panel.columns, panel.counts_up, panel.title) == (
        ("3", "2", "1"),
        ("1", "2", "3"),
        True,
        "field",
    )
    cell = next(cell for cell in panel.cells if cell.key == ("1", "3"))
    assert (cell.row, cell.column, cell.centre) == ("3", "1", (0.0, 0.0))


def test_coordinates_may_stand_within_compounds() -> None:
    written = '[[board]]\nrelation = "piece"\nrow = "3.1"\ncolumn = "3.2"\ncontent = [1, 2]'
    (panel,) = board(written).panels
    (full,) = (cell for cell in panel.cells if cell.things)
    assert full.key == ("2", "3")
    assert full.things[0].content == "red king"


def test_letters_with_numbers_are_two_coordinates_and_an_index_makes_several_boards() -> None:
    written = '[[board]]\nrelation = "layer"\nindex = 1\nrow = "2.number"\ncolumn = "2.letter"\ncontent = 3'
    first, second = board(written).panels
    assert (first.index, second.index) == (("1",), ("2",))
    assert [cell.key for cell in first.cells if cell.things] == [("1", "a", "1"), ("1", "b", "1")]
    assert (first.title, second.title) == ("layer 1", "layer 2")


def test_rows_that_are_listed_are_all_there_are() -> None:
    shown = board(
        '[[board]]\nrelation = "cell"\nrows = [1, 2]\nblank = "empty"'.replace('"empty"', '["empty"]')
    )
    (panel,) = shown.panels
    assert panel.rows == ("1", "2")
    assert sum(str(fact).startswith("cell(3,") for fact in shown.others) == 3


def test_rows_that_no_fact_has_are_there_if_they_are_listed() -> None:
    (panel,) = board('[[board]]\nrelation = "cell"\nrows = [1, 2, 3, 4]').panels
    assert len(panel.cells) == 12


def test_cells_that_are_listed_are_all_there_are() -> None:
    (panel,) = board('[[board]]\nrelation = "cell"\ncells = ["1,*", "2,2"]').panels
    assert [cell.key for cell in panel.cells] == [("1", "1"), ("1", "2"), ("1", "3"), ("2", "2")]


def test_a_checkered_board_is_dark_at_the_lower_left_and_named_as_in_chess() -> None:
    written = (
        '[[board]]\nrelation = "cell"\ncheckered = true\nlabels = "letters"\nup = true\nrow = 2\ncolumn = 1'
    )
    (panel,) = board(written).panels
    named = {cell.name: cell for cell in panel.cells}
    assert named["a1"].key == ("1", "1")
    assert [named[name].ground for name in ("a1", "b1", "b2", "c2")] == ["dark", "light", "dark", "light"]
    assert {label.text for label in panel.labels} == set("123abc")


def test_labels_can_be_numbers_or_nothing() -> None:
    (panel,) = board('[[board]]\nrelation = "cell"\nlabels = "numbers"').panels
    assert panel.cells[1].name == "2,1"
    (panel,) = board('[[board]]\nrelation = "cell"\nlabels = "none"').panels
    assert panel.labels == ()


def test_grounds_are_given_by_cell() -> None:
    (panel,) = board(
        '[[board]]\nrelation = "cell"\ncheckered = false\nground = {"1,*" = "dark", "2,2" = "#abc"}'
    ).panels
    assert [cell.ground for cell in panel.cells] == ["dark"] * 3 + ["light", "#abc"] + ["light"] * 4


def test_a_board_has_a_look_and_its_empty_cells_a_thing() -> None:
    (panel,) = board(
        '[[board]]\nrelation = "cell"\nlook = "wood"\nempty = "hole"\n[pieces]\nhole = "dot"'
    ).panels
    assert panel.look == "wood"
    assert {thing.glyph for cell in panel.cells for thing in cell.things if thing.content == "hole"} == {
        "dot"
    }
    assert all(len(cell.things) == 1 for cell in panel.cells)


def test_things_have_the_looks_of_their_words() -> None:
    written = """
    [[board]]
    relation = "piece"
    row = "3.1"
    column = "3.2"
    content = [1, 2]
    [pieces]
    red = {colour = "#d55e00"}
    king = "chess_king"
    "red king" = {name = "the king", symbol = "K"}
    """
    (thing,) = (thing for cell in board(written).panels[0].cells for thing in cell.things)
    assert (thing.glyph, thing.colour, thing.name, thing.symbol) == (
        "chess_king",
        "#d55e00",
        "the king",
        "K",
    )


def test_what_is_told_beside_the_board_is_found_where_the_style_does_not_say_it() -> None:
    written = 'hide = ["lamp"]\n[[counter]]\nrelation = "score"\nlabel = "points"\nrole = 1\nvalue = 2'
    names = [counter.label for counter in style(written).counters]
    assert names[0] == "points"
    assert len(names) > 1
    assert len({counter.relation for counter in style(written).counters}) == len(names)


def test_counters_stand_beside_the_board_and_hidden_relations_nowhere() -> None:
    shown = board("""
    hide = ["at", "piece", "layer", "heap", "pot", "lamp", "step/1", "cell"]
    [[counter]]
    relation = "score"
    label = "points"
    role = 1
    value = 2
    [[counter]]
    relation = "hand"
    role = 1
    content = 2
    count = 3
    """)
    assert [(each.name, each.value, each.colour) for each in shown.counters] == [
        ("points red", "7", "role 1"),
        ("points blue", "0", "role 2"),
        ("hand red", "", "role 1"),
    ]
    assert [thing.content for thing in shown.counters[2].things] == ["king", "king", "pawn"]
    assert shown.others == ()


def test_a_hidden_name_hides_all_relations_of_that_name_and_one_with_its_arguments_only_itself() -> None:
    hidden = {(name, arity) for name, arity in style('hide = ["step"]').hidden if name == "step"}
    assert hidden == {("step", 1), ("step", 2)}
    assert style('hide = ["step/2"]').hidden - found_style(game()).hidden == {("step", 2)}
    others = list(map(str, board('hide = ["step/2"]').others))
    told = [str(fact) for counter in board('hide = ["step/2"]').counters for fact in counter.facts]
    assert "step(1,2)" not in others + told
    assert "step(1)" in others + told


def test_no_blanks_are_no_blanks() -> None:
    (panel,) = board('[[board]]\nrelation = "cell"\nblank = []').panels
    assert all(cell.things for cell in panel.cells)
    (panel,) = board('[[board]]\nrelation = "cell"').panels
    assert not all(cell.things for cell in panel.cells)


def test_places_that_were_found_stay_where_a_style_changes_the_look_alone() -> None:
    lines = "line(a,b,c) line(d,e,f) line(g,h,i) line(a,d,g) line(b,e,h) line(c,f,i)"
    facts = " ".join(f"init(has({place},none))" for place in "abcdefghi")
    here = gm.parse(f"role(r) legal(r,noop) {lines} {facts}", "hrf", machine="reference")
    (found,) = found_style(here).boards
    (styled,) = read_style(Source("style.toml", '[[board]]\nrelation = "has"\nlook = "wood"'), here).boards
    assert found.places == styled.places
    assert found.places["e",] == (1.0, 1.0)


# Kinds of boards


def edges_of(cell: Cell) -> list[frozenset[Point]]:
    return [rounded(*pair) for pair in zip(cell.outline, cell.outline[1:] + cell.outline[:1], strict=True)]


def rounded(*points: Point) -> frozenset[Point]:
    return frozenset((round(x, 3) + 0.0, round(y, 3) + 0.0) for x, y in points)


@pytest.mark.parametrize(
    ("slant", "above"), [("right", "2 3"), ("left", "1 2"), ("odd", "2 3"), ("even", "1 2")]
)
def test_hexagons_that_touch_are_one_apart(slant: str, above: str) -> None:
    (panel,) = board(f'[[board]]\nrelation = "cell"\nkind = "hex"\nslant = "{slant}"').panels
    at = {cell.key: cell.centre for cell in panel.cells}
    near = {("2", "1"), ("2", "3"), *(("1", column) for column in above.split())}
    touching = {key for key in at if dist(at[key], at["2", "2"]) == pytest.approx(1)}
    assert {key for key in touching if key[0] != "3"} == near
    assert all(len(cell.outline) == 6 for cell in panel.cells)


def test_the_sides_of_a_hexagonal_board_are_where_they_end_each_once() -> None:
    sides = 'sides = {top = "role 1", bottom = "role 1", left = "role 2", right = "role 2"}'
    (panel,) = board(f'[[board]]\nrelation = "cell"\nkind = "hex"\n{sides}').panels
    edges = [frozenset((line.start, line.end)) for line in panel.lines]
    assert len(edges) == len(set(edges)) == 22
    of_cells = [edge for cell in panel.cells for edge in edges_of(cell)]
    assert all(of_cells.count(rounded(*edge)) == 1 for edge in edges)


def test_rows_of_any_length_are_centred() -> None:
    cells = 'cells = ["1,1", "2,1", "2,2", "3,*"]\nslant = "centred"'
    (panel,) = board(f'[[board]]\nrelation = "cell"\nkind = "hex"\n{cells}').panels
    assert [cell.centre[0] for cell in panel.cells] == [0.0, -0.5, 0.5, -1.0, 0.0, 1.0]
    assert [label.text for label in panel.labels] == ["1", "2", "3"]
    (panel,) = board(f'[[board]]\nrelation = "cell"\n{cells}').panels
    assert [cell.centre[0] for cell in panel.cells] == [0.0, -0.5, 0.5, -1.0, 0.0, 1.0]
    assert all(label.at[0] < 0 for label in panel.labels)


def test_a_triangle_of_triangles() -> None:
    cells = 'cells = ["1,1", "2,*"]\nslant = "centred"\ncolumns = ["1", "2", "3"]'
    (panel,) = board(f'[[board]]\nrelation = "cell"\nkind = "triangle"\n{cells}').panels
    edges = [edge for cell in panel.cells for edge in edges_of(cell)]
    assert sum(edges.count(edge) == 2 for edge in set(edges)) == 3


def test_a_content_has_the_colour_of_the_role_in_it() -> None:
    written = '[[board]]\nrelation = "piece"\nrow = "3.1"\ncolumn = "3.2"\ncontent = [2, 1]'
    (thing,) = (thing for cell in board(written).panels[0].cells for thing in cell.things)
    assert (thing.content, thing.colour) == ("king red", "red")


def test_any_relation_of_a_board_that_was_found_names_it() -> None:
    shown = board('[[board]]\nrelation = "piece"\ntitle = "the board"')
    assert [(panel.title, len(panel.cells)) for panel in shown.panels] == [("the board", 9)]


def test_a_board_that_was_found_may_have_other_contents() -> None:
    (panel,) = board('[[board]]\nrelation = "cell"\ncontent = []\nsays = "stone"').panels
    assert all(cell.things[0].content == "stone" for cell in panel.cells)


def test_a_name_of_two_coordinates_stays_one() -> None:
    written = '[[board]]\nrelation = "layer"\nrow = "2.number"\ncolumn = "2.letter"\ncontent = 3'
    (panel,) = board(written).panels
    assert [cell.name for cell in panel.cells] == ["a1", "b1", "a2", "b2"]


def test_columns_of_hexagons_have_their_names_straight_above() -> None:
    for slant in ("right", "left", "odd", "even"):
        (panel,) = board(f'[[board]]\nrelation = "cell"\nkind = "hex"\nslant = "{slant}"').panels
        tops = [cell.centre[0] for cell in panel.cells if cell.row == "1"]
        assert [label.at for label in panel.labels[3:]] == [(x, -1.0) for x in tops]


def test_nodes_of_a_graph_have_their_names_in_them() -> None:
    written = '[[board]]\nrelation = "at"\nkind = "graph"\nplace = 1\n'
    shown = board(written)
    assert [cell.label for cell in shown.panels[0].cells] == ["a", "b", "c"]
    assert ">b</text>" in draw_svg(shown)
    assert ">b</text>" not in draw_svg(board(written + 'labels = "none"'))
    assert not any(cell.label for cell in board('[[board]]\nrelation = "cell"').panels[0].cells)


def test_labels_follow_the_outline_of_a_hexagonal_board() -> None:
    cells = 'cells = ["1,2", "1,3", "2,*", "3,1", "3,2"]'
    (panel,) = board(f'[[board]]\nrelation = "cell"\nkind = "hex"\n{cells}').panels
    assert len(panel.cells) == 7
    assert [label.at for label in panel.labels[:3]] == [(0.15, 0.0), (-0.35, 0.866025), (0.15, 1.732051)]
    assert [round(label.at[0], 3) for label in panel.labels[3:]] == [1.0, 2.0, 3.0]


def test_the_sides_of_a_square_board() -> None:
    (panel,) = board('[[board]]\nrelation = "cell"\nsides = {left = "blue"}').panels
    assert [(line.start, line.end, line.ground) for line in panel.lines][:1] == [
        ((-0.5, 0.5), (-0.5, -0.5), "blue")
    ]
    assert len(panel.lines) == 3


@pytest.mark.parametrize("slant", ["right", "left", "odd", "even", "straight"])
def test_triangles_share_their_edges_and_are_one_apart(slant: str) -> None:
    (panel,) = board(f'[[board]]\nrelation = "cell"\nkind = "triangle"\nslant = "{slant}"').panels
    at = {cell.key: cell.centre for cell in panel.cells}
    assert dist(at["1", "1"], at["1", "2"]) == pytest.approx(1)
    edges = [edge for cell in panel.cells for edge in edges_of(cell)]
    shared = sum(edges.count(edge) == 2 for edge in set(edges))
    assert shared == (9 if slant == "straight" else 8)
    assert max(edges.count(edge) for edge in edges) == 2


def test_points_have_lines() -> None:
    (panel,) = board('[[board]]\nrelation = "cell"\nkind = "points"\nlines = "orthogonal"').panels
    assert len(panel.lines) == 12
    assert not any(cell.outline for cell in panel.cells)
    (panel,) = board('[[board]]\nrelation = "cell"\nkind = "points"\nlines = "alquerque"').panels
    assert len(panel.lines) == 16
    (panel,) = board('[[board]]\nrelation = "cell"\nkind = "points"\nlines = "beside"').panels
    assert [(line.start, line.end) for line in panel.lines] == [((0, 0), (1, 0)), ((1, 0), (2, 0))]
    (panel,) = board('[[board]]\nrelation = "cell"\nkind = "points"\nlines = [["1,1", "3,3"]]').panels
    assert [(line.start, line.end) for line in panel.lines] == [((0, 0), (2, 2))]


def test_a_graph_has_places_and_the_lines_of_a_relation() -> None:
    written = '[[board]]\nrelation = "at"\nkind = "graph"\nplace = 1\nlines = "road"\n'
    (panel,) = board(written + "[board.places]\nc = [2, 0.5]\na = [0, 0]\nb = [1, 0]").panels
    assert [(cell.name, cell.centre) for cell in panel.cells] == [
        ("a", (0, 0)),
        ("b", (1, 0)),
        ("c", (2, 0.5)),
    ]
    assert [(line.start, line.end) for line in panel.lines] == [((0, 0), (1, 0)), ((1, 0), (2, 0.5))]
    assert [thing.content for cell in panel.cells for thing in cell.things] == ["red", "blue"]
    (circle,) = board(written).panels
    assert len({cell.centre for cell in circle.cells}) == 3


def test_heaps_are_rows_of_tokens() -> None:
    (panel,) = board('[[board]]\nrelation = "heap"\nkind = "heaps"\nplace = 1').panels
    assert panel.rows == ("left", "right")
    assert len(panel.cells) == 10
    assert sum(bool(cell.things) for cell in panel.cells) == 8
    assert panel.cells[0].key == ("left", "1")
    (single,) = board('[[board]]\nrelation = "pot"\nkind = "heaps"').panels
    assert sum(bool(cell.things) for cell in single.cells) == 4


def test_heaps_that_were_found_stand_in_the_order_of_rows() -> None:
    heaps = "init(heap(left,3)) init(heap(middle,2)) init(heap(right,5))"
    here = gm.parse(f"role(r) legal(r,noop) {heaps}", "hrf", machine="reference")
    text = '[[board]]\nrelation = "heap"\nrows = ["right", "none"]'
    (panel,) = board_of(here.initial_state(), style=read_style(Source("style.toml", text), here)).panels
    assert panel.kind == "heaps"
    assert panel.rows == ("right", "left", "middle")
    (panel,) = board_of(here.initial_state()).panels
    assert panel.rows == ("left", "middle", "right")


def test_a_heap_of_thousands_is_told_in_a_number() -> None:
    here = game()
    written = read_style(Source("style.toml", '[[board]]\nrelation = "pot"\nkind = "heaps"'), here)
    (panel,) = board_of(here.state(["pot(123456)"]), style=written).panels
    assert len(panel.cells) == 40
    assert [label.text for label in panel.labels] == ["123456"]
    assert list(map(str, board_of(here.state(["pot(many)"]), style=written).others)) == ["pot(many)"]


def test_layers_lie_on_the_same_cells() -> None:
    written = (
        '[[board]]\nrelation = "cell"\n[[board.layer]]\nrelation = "piece"\nat = ["3.1", "3.2"]\ncontent = 2'
    )
    (panel,) = board(written).panels
    (cell,) = (cell for cell in panel.cells if cell.key == ("2", "3"))
    assert [thing.content for thing in cell.things] == ["king"]
    piled = '[[board]]\nrelation = "at"\nplace = 1\nkind = "graph"\n[[board.layer]]\nrelation = "at"\nsays = "lid"\n'
    lids = [
        board(f"{piled}content = []\ncovers = {flag}").panels[0].cells[0].things for flag in ("false", "true")
    ]
    assert [[thing.content for thing in things] for things in lids] == [["red", "lid"], ["lid"]]


def test_facts_without_arguments_are_a_row_of_lights() -> None:
    (panel,) = board('[[board]]\nfacts = ["lamp"]').panels
    assert [(cell.name, len(cell.things)) for cell in panel.cells] == [("lamp", 1)]


def test_ids_of_cells_differ_whatever_they_are_called() -> None:
    facts = "init(cell('a-b',c,x)) init(cell(a,'b-c',x)) init(cell('%2D','-',x))"
    here = gm.parse(f"role(r) {facts} legal(r,noop)", "hrf", machine="reference")
    written = read_style(Source("style.toml", '[[board]]\nrelation = "cell"\nrow = 1\ncolumn = 2'), here)
    shown = board_of(here.initial_state(), style=written)
    assert len(shown.cell_of) == sum(len(panel.cells) for panel in shown.panels) == 9


def test_cells_keep_their_ids_from_state_to_state() -> None:
    state = gm.load("breakthrough", machine="reference").initial_state()
    after = state.next("move(1,2,1,3)")
    assert list(board_of(state).cell_of) == list(board_of(after).cell_of)


# Which style counts


def test_a_style_stands_beside_its_rules(tmp_path: Path) -> None:
    path = tmp_path / "mine.hrf"
    path.write_text(GAME)
    (tmp_path / "mine.style.toml").write_text('[[board]]\nrelation = "pot"\nkind = "heaps"\n')
    here = gm.load(path, machine="reference")
    assert style_path(here) == tmp_path / "mine.style.toml"
    assert draw_text(here.initial_state()).startswith(" ● ● ● ● 4")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "rules.hrf").write_text(GAME)
    (folder / "style.toml").write_text("")
    assert style_path(gm.load(folder / "rules.hrf", machine="reference")) == folder / "style.toml"


def test_the_name_of_a_text_is_no_path(tmp_path: Path) -> None:
    (tmp_path / "mine.style.toml").write_text("not = 'read'")
    here = gm.parse(GAME, "hrf", machine="reference", name=str(tmp_path / "mine.hrf"))
    assert style_path(here) is None
    assert style_of(here) is found_style(here)


def test_equal_rules_under_a_name_of_the_library_have_its_style() -> None:
    there = gm.load("hex7x7", machine="reference")
    text = there.sheet.source.text
    assert style_path(gm.parse(text, "epilog", "reference", name="hex7x7")) == style_path(there)
    assert style_path(gm.parse(text, "epilog", "reference", name="hex7x7:nothing")) is None
    assert style_path(gm.parse(text, "epilog", "reference", name="mine")) is None
    assert style_path(gm.parse(GAME, "hrf", "reference", name="hex7x7")) is None
    assert style_path(pickle.loads(pickle.dumps(there))) == style_path(there)


def test_a_name_that_is_a_path_is_not_followed(tmp_path: Path) -> None:
    text = gm.load("hex7x7", machine="reference").sheet.source.text
    (tmp_path / "game.toml").write_text("")
    (tmp_path / "rules.epilog").write_text(text)
    (tmp_path / "style.toml").write_text("not = 'read'")
    assert style_path(gm.parse(text, "epilog", "reference", name=str(tmp_path))) is None
    (tmp_path / "rules.epilog").write_text("((( no rules")
    assert style_path(gm.parse(text, "epilog", "reference", name=str(tmp_path))) is None


def test_a_variant_has_the_style_of_its_game() -> None:
    small = gm.load("connectfour:columns=5", machine="reference")
    assert style_path(small) == style_path(gm.load("connectfour", machine="reference"))
    text = small.sheet.source.text
    assert style_path(gm.parse(text, "epilog", "reference", name=small.name)) == style_path(small)
    assert style_path(gm.parse(text, "epilog", "reference", name="connectfour")) is None
    (panel,) = board_of(small.initial_state()).panels
    assert len(panel.columns) == 5


@pytest.mark.parametrize("name", game_names())
def test_every_game_of_the_library_has_a_style_that_can_be_read(name: str) -> None:
    here = gm.load(name, machine="reference")
    shown = board_of(here.initial_state(), style=style_of(here))
    assert len(shown.cell_of) == sum(len(panel.cells) for panel in shown.panels)


# Parts


def test_pictures_know_what_styles_name() -> None:
    assert set(GLYPHS) - {"text", "number"} == set(picture_glyphs.GLYPHS)
    assert set(LOOKS) == set(picture_looks.LOOKS)
    assert [colour for colour in COLOURS if coat_of(colour) == coat_of("plain")] == ["plain"]


@pytest.mark.parametrize(
    ("argument", "text"),
    [((0,), "a1"), ((1, 0), "2"), ((1,), "p(2)"), ((0, "letter"), "a"), ((0, "number"), "1"), ((1, 1), None)],
)
def test_an_argument_is_found_in_a_fact(argument: tuple[int | str, ...], text: str | None) -> None:
    assert text_at(read_term("cell(a1,p(2))"), argument) == text


def test_a_name_that_is_no_letter_with_a_number_has_no_parts() -> None:
    assert text_at(read_term("cell(abc)"), (0, "letter")) is None


@pytest.mark.parametrize(
    ("number", "parts"),
    [("0", ("0", "0")), ("7", ("0", "7")), ("34", ("3", "4")), ("100", ("10", "0")), ("a4", (None, None))],
)
def test_a_number_has_tens_and_units(number: str, parts: tuple[str | None, str | None]) -> None:
    fact = read_term(f"score({number},red)")
    assert (text_at(fact, (0, "tens")), text_at(fact, (0, "units"))) == parts


TRACK = """
role(red) init(score(red,8)) init(at(12)) legal(red,noop)
base(score(red,N)) :- number(N) base(at(N)) :- number(N)
number(0) number(N) :- succ(M,N)
""" + " ".join(f"succ({n},{n + 1})" for n in range(12))


def test_a_long_track_has_rows_of_ten() -> None:
    track = gm.parse(TRACK, "hrf", machine="reference")
    written = """
[[board]]
relation = "score"
row = "2.tens"
column = "2.units"
content = 1
[[board.layer]]
relation = "at"
at = ["1.tens", "1.units"]
says = "here"
"""
    style = read_style(Source("style.toml", written), track)
    (panel,) = board_of(track.initial_state(), style=style).panels
    assert panel.rows == ("0", "1")
    assert [cell.name for cell in panel.cells] == [str(number) for number in range(13)]
    things = {cell.name: cell.things[0].content for cell in panel.cells if cell.things}
    assert things == {"8": "red", "12": "here"}


@pytest.mark.parametrize("colour", ["red", "plain", "#fff", "#D55E00", "role 1", "role 12"])
def test_colours(colour: str) -> None:
    assert is_colour(colour)


@pytest.mark.parametrize(
    "colour", ["", "role 0", "#ffff", "red;", "url(#a)", "#fff\n", "role 1\n", "crimson"]
)
def test_what_is_no_colour(colour: str) -> None:
    assert not is_colour(colour)


def test_what_most_cells_have_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def counted(contents: Iterable[str]) -> str | None:
        calls.append(1)
        return most_common(contents)

    monkeypatch.setattr(extent, "most_common", counted)
    style('[[board]]\nrelation = "layer"\nrow = "2.number"\ncolumn = "2.letter"')
    assert len(calls) <= 2


def test_the_piles_of_heaps_are_listed_once_for_each_board(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    keys = cells._Heaps.keys

    def counted(heaps: cells._Heaps) -> Iterator[tuple[str, ...]]:
        calls.append(1)
        return keys(heaps)

    monkeypatch.setattr(cells._Heaps, "keys", counted)
    assert len(board('[[board]]\nrelation = "heap"\nkind = "heaps"\nplace = 1').panels[0].cells) == 10
    assert len(calls) == 1
