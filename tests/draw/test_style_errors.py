"""Styles that are wrong: each is refused at its line and column, with what to do."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import gamemaster as gm
from gamemaster.draw.styles.style import Style
from gamemaster.draw.styles.style_file import read_style
from gamemaster.errors import ReadError
from gamemaster.games.tables import LARGEST
from gamemaster.language.source import Source

GAME = gm.parse(
    """
role(red) role(blue)
n(1) n(2) n(3)
road(a,b) road(b,c)
bend(1,1,1,2,2)
base(cell(X,Y,Z)) :- n(X) & n(Y) & what(Z)
what(empty) what(red) what(blue)
init(cell(X,Y,empty)) :- n(X) & n(Y)
init(at(a,red)) init(at(c,blue))
init(pot(4))
init(score(red,7)) init(score(blue,0))
init(step(1)) init(step(1,2))
init(lamp)
legal(R,noop) :- role(R)
next(lamp) :- true(lamp)
""",
    "hrf",
    machine="reference",
)


def style(text: str) -> Style:
    return read_style(Source("style.toml", text), GAME)


CELL = '[[board]]\nrelation = "cell"\n'
GRID = f"{CELL}row = 1\ncolumn = 2\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    [
        ("a = ", 1, 5, "not TOML: Invalid value"),
        ("[[board", 1, 8, "not TOML"),
        ("\ncolour = 1", 2, 1, "unknown key 'colour'"),
        (CELL + "checked = true", 3, 1, "unknown key 'checked'"),
        (CELL + 'checkered = "yes"', 3, 1, "checkered is 'yes'"),
        (CELL + 'kind = "round"', 3, 1, "kind is 'round'"),
        (CELL + 'kind = ["hex"]', 3, 1, "kind is ['hex']"),
        (CELL + 'kind = "hex"\nslant = "straight"', 4, 1, "hexagons in straight rows"),
        (CELL + 'look = "gold"', 3, 1, "look is 'gold'"),
        (CELL + "rows = 3", 3, 1, "rows is 3"),
        (CELL + "rows = [1.5]", 3, 1, "rows has 1.5, which is no text"),
        (CELL + f"rows = {list(range(200))}", 3, 1, "rows has 200 entries"),
        (CELL + "row = 4\ncolumn = 1", 3, 1, "row is 4"),
        (CELL + 'row = "first"\ncolumn = 1', 3, 1, "row is 'first'"),
        (CELL + "row = 0x" + "f" * 9000, 3, 1, "row is a value of type int"),
        (CELL + 'title = "a\\u0007"', 3, 1, "title has the character U+0007"),
        (CELL + 'title = "\\u202eabc"', 3, 1, "title has the character U+202E"),
        (CELL + f'title = "{"a" * 81}"', 3, 1, "title has a text of 81 characters"),
        (CELL + "title = 3", 3, 1, "title has 3, which is no text"),
        (CELL + 'cells = ["1,1", "9,9"]', 3, 18, "cells: the board has no cell '9,9'"),
        (CELL + 'ground = {"4,4" = "dark"}', 3, 12, "ground: the board has no cell '4,4'"),
        (CELL + 'ground = {"1,1" = "url(http://x)"}', 3, 12, "unknown colour 'url(http://x)'"),
        (CELL + 'sides = {top = "rgb(1,2,3)"}', 3, 10, "unknown colour 'rgb(1,2,3)'"),
        (CELL + 'sides = {north = "red"}', 3, 10, "unknown key 'north'"),
        (CELL + 'sides = "red"', 3, 1, "sides is 'red'"),
        (CELL + 'lines = "street"', 3, 10, "lines: the game has no relation 'street'"),
        (CELL + 'lines = "road"', 3, 1, "lines: road has 2 arguments"),
        (CELL + 'lines = "bend"', 3, 1, "lines: bend has 5 arguments"),
        (CELL + 'lines = [["1,1"]]', 3, 1, "lines has ['1,1']"),
        (CELL + 'lines = [["1,1", "7,7"]]', 3, 19, "lines: the board has no cell '7,7'"),
        (CELL + "places = {a = [1, 2]}", 3, 1, "places of cells in rows and columns"),
        (CELL + "row = 1\ncolumn = 2\nplace = 1", 5, 1, "place beside row or column"),
        (CELL + 'facts = ["lamp"]', 3, 1, "facts beside relation"),
        ('[[board]]\nrelation = "cel"', 2, 13, "relation: the game has no relation 'cel'"),
        ('[[board]]\nrelation = "step"', 2, 13, "relation: there are several relations 'step'"),
        ('[[board]]\nkind = "hex"', 1, 3, "a board without relation"),
        ('[[board]]\nrelation = "score"', 2, 1, "nothing says where score is"),
        ("board = 1", 1, 1, "board is 1"),
        ("[[board]]\n" * 13, 13, 3, "there are 13 of [[board]]"),
        (CELL + '[[board.layer]]\nrelation = "pot"', 4, 1, "pot does not fit the board"),
        ('[[board]]\nfacts = ["lamp"]\nkind = "heaps"', 3, 1, "heaps of facts"),
        (CELL + 'kind = "heaps"\nrow = 1\ncolumn = 2', 4, 1, "row and column of heaps"),
        (CELL + 'kind = "hex"\nslant = "centred"\nlabels = "letters"', 5, 1, "letters on centred rows"),
        (CELL + 'kind = "hex"\nslant = "centred"\nlabels = "numbers"', 5, 1, "numbers on centred rows"),
        ('[[board]]\nrelation = "at"\nplace = 1\nsides = {top = "red"}', 4, 1, "sides of a board of places"),
        (
            '[[board]]\nrelation = "pot"\nkind = "heaps"\nsides = {top = "red"}',
            4,
            1,
            "sides of a board of places",
        ),
        (GRID + '[pieces]\nrde = "man"', 6, 1, "pieces: nothing is called 'rde'"),
        ('[pieces]\nred = "dragon"', 2, 1, "unknown glyph 'dragon'"),
        ('[pieces]\nred = "paws"', 2, 1, "unknown glyph 'paws'"),
        ('[pieces]\nred = {colour = "javascript:x"}', 2, 8, "unknown colour 'javascript:x'"),
        ('[pieces]\nred = {symbol = "long"}', 2, 8, "symbol is 'long'"),
        ('[pieces]\nred = {sign = "long"}', 2, 8, "sign is 'long'"),
        (f"{CELL}blocks = 0", 3, 1, "blocks is 0"),
        (f"{CELL}blocks = true", 3, 1, "blocks is True"),
        (f'{CELL}areas = {{n = "red"}}', 3, 10, "areas: 'n' has 1 arguments"),
        (f'{CELL}areas = {{here = "red"}}', 3, 10, "here: the game has no relation 'here'"),
        (f'{CELL}areas = {{beside = "mauve"}}', 3, 10, "unknown colour 'mauve'"),
        ('[pieces]\nred = {shape = "disc"}', 2, 8, "unknown key 'shape'"),
        ("[pieces]\nred = 1", 2, 1, "red is 1"),
        ("[pieces]\n" + "\n".join(f"p{n} = 'disc'" for n in range(501)), 1, 2, "has 501 entries"),
        ('[[counter]]\nrelation = "score"\nvalue = 3', 3, 1, "value is 3"),
        ('hide = ["cell", "nothing"]', 1, 18, "hide: the game has no relation 'nothing'"),
        ("a = " + "[" * 5000 + "]" * 5000, 1, 1, "is nested too deeply"),
        ("x = 1\n[a" + ".a" * 17 + "]", 2, 2, "has a key with more than 16 dots"),
        ("a = {" + '"b.b". ' * 17 + "b = 1}", 1, 6, "has a key with more than 16 dots"),
        ("#" * (LARGEST + 1), 1, LARGEST + 1, "has more than 200,000 characters"),
    ],
)
def test_what_is_wrong_is_refused_at_its_place(text: str, line: int, column: int, what: str) -> None:
    with pytest.raises(ReadError) as caught:
        style(text)
    error = caught.value
    assert error.what.startswith(what)
    assert error.place is not None
    assert (error.place.file, error.place.line, error.place.column) == ("style.toml", line, column)
    assert error.hint


GRAPH = '[[board]]\nrelation = "at"\nkind = "graph"\nplace = 1\n[board.places]\n'


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("z = [1, 2]", "no place is called 'z'"),
        ("a = [1]", "the place of 'a' is [1]"),
        ("a = [1, inf]", "the place of 'a' is [1, inf]"),
        ("a = [1, nan]", "the place of 'a' is [1, nan]"),
        ("a = [1e9, 1]", "the place of 'a' is [1000000000.0, 1]"),
        ("a = 'left'", "the place of 'a' is 'left'"),
        ("a = [1, 2, 'left']", "the place of 'a' is [1, 2, 'left']"),
        ("a = [1, 'x', 'up']", "the place of 'a' is [1, 'x']"),
    ],
)
def test_places_are_two_numbers_of_a_place_that_there_is(text: str, what: str) -> None:
    with pytest.raises(ReadError) as caught:
        style(GRAPH + text)
    assert caught.value.what == what
    assert caught.value.place is not None
    assert caught.value.place.line == 6


def test_only_a_graph_has_stacks() -> None:
    with pytest.raises(ReadError, match="a stack on a board of points") as caught:
        style(GRAPH.replace('"graph"', '"points"') + "a = [0, 0]\nc = [1, 0, 'up']")
    assert caught.value.place is not None
    assert caught.value.place.line == 7


def many(count: int) -> gm.Game:
    facts = " ".join(f"init(cell({n},{n},{n},x))" for n in range(1, count))
    return gm.parse(f"role(r) {facts} legal(r,noop)", "hrf", machine="reference")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("row = 1\ncolumn = 2", "the board would have 3481 cells"),
        ("index = 1\nrow = 2\ncolumn = 3", "index makes 59 boards"),
    ],
)
def test_boards_are_not_too_large(text: str, what: str) -> None:
    with pytest.raises(ReadError, match=what):
        read_style(Source("style.toml", f'[[board]]\nrelation = "cell"\n{text}'), many(60))


def test_lines_are_not_too_many() -> None:
    lines = ",".join(['["1,1","1,2"]'] * 5001)
    with pytest.raises(ReadError, match="lines has 5001 lines"):
        style(f"{CELL}lines = [{lines}]")


def test_a_place_that_is_left_out_is_named() -> None:
    board = '[[board]]\nrelation = "at"\nkind = "graph"\nplace = 1\n'
    places = "[board.places]\na = [0, 0]\nc = [1, 0]\n"
    with pytest.raises(ReadError) as caught:
        style(f"{board}[board.places]\na = [0, 0]")
    assert caught.value.what == "no place for 'c'"
    assert caught.value.hint == "write 'c' = [x, y], as at names it"
    with pytest.raises(ReadError) as caught:
        style(f'{board}lines = "road"\n{places}')
    assert caught.value.what == "no place for 'b'"
    assert caught.value.hint == "write 'b' = [x, y], as road names it"
    assert len(style(board + places).boards[0].places) == 2


def test_places_of_two_coordinates_are_refused() -> None:
    named = {"1": "1234", "2": "abc", "3": "1234", "4": "abc"}
    rows = [f"init(cell({row},{column},empty))" for row, columns in named.items() for column in columns]
    game = gm.parse(f"role(r) legal(r,noop) {' '.join(rows)}", "hrf", machine="reference")
    assert len(read_style(Source("style.toml", CELL), game).boards[0].places) == 14
    with pytest.raises(ReadError, match="places of cells with two coordinates"):
        read_style(Source("style.toml", CELL + "places = {a = [0, 0]}"), game)


def test_a_piece_that_cannot_be_is_refused_where_all_are_known() -> None:
    with pytest.raises(ReadError) as caught:
        style(GRID + '[pieces]\nrde = "man"')
    assert caught.value.hint == "did you mean red?"
    with pytest.raises(ReadError) as caught:
        style(GRID + '[pieces]\nqqq = "man"')
    assert caught.value.hint == "there are blue, cell, empty, red"
    assert style('[[board]]\nrelation = "at"\nplace = 1\n[pieces]\nrde = "man"').pieces
    assert style(GRID + '[[counter]]\nrelation = "score"\ncontent = 1\n[pieces]\nrde = "man"').pieces


def test_heaps_are_not_too_many() -> None:
    heaps = " ".join(f"init(heap(h{n},1))" for n in range(80))
    game = gm.parse(f"role(r) legal(r,noop) {heaps}", "hrf", machine="reference")
    text = '[[board]]\nrelation = "heap"\nkind = "heaps"\nplace = 1'
    with pytest.raises(ReadError, match="the board would have 3200 cells"):
        read_style(Source("style.toml", text), game)


@pytest.mark.timeout(60)
def test_all_areas_of_a_style_share_one_time() -> None:
    views = [f"v{n}(X,Y) :- all(X,Y,Z,U,V{n}) & distinct(X,V{n})" for n in range(20)]
    slow = "all(X,Y,Z,U,V) :- d(X) & d(Y) & d(Z) & d(U) & d(V)"
    digits = " ".join(f"d({n})" for n in range(1, 20))
    cells = " ".join(f"init(cell({x},{y},b))" for x in (1, 2) for y in (1, 2))
    game = gm.parse(
        f"role(r) legal(r,noop) {digits} {cells} {slow} {' '.join(views)}", "hrf", machine="reference"
    )
    read_style(Source("style.toml", CELL), game)
    areas = ", ".join(f'v{n} = "red"' for n in range(20))
    begun = time.thread_time()
    read_style(Source("style.toml", f"{CELL}areas = {{{areas}}}"), game)
    assert time.thread_time() - begun < 8


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="cannot be read"):
        read_style(tmp_path / "none.toml", GAME)


def nested(levels: int) -> str:
    """A value of so many levels, by keys with some dots each."""
    return "".join("{" + "a." * 15 + "a = " for _ in range(levels)) + "1" + "}" * levels


def test_a_value_of_many_levels_is_refused_whatever_it_takes_to_show_it() -> None:
    with pytest.raises(ReadError, match="checkered is a value of type dict"):
        style(f"{CELL}checkered = {nested(90)}")


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text",
    [
        "[" + " " * 100_000,
        "[[" + " " * 100_000 + "x",
        "a" + " " * 100_000,
        "a." * 99_000,
        '"' + '\\"' * 99_000,
        "x = {" + '"".' * 60_000 + "a = 1}",
        "x = {" + "'' . " * 39_000 + "a = 1}",
    ],
)
def test_texts_of_blanks_dots_and_quotes_are_refused_in_no_time(text: str) -> None:
    with pytest.raises(ReadError):
        style(text)


@pytest.mark.timeout(20)
def test_a_header_after_many_blanks_is_found() -> None:
    spaced = "[" + " " * 100_000 + "pieces" + " " * 10 + "]\nred = 5"
    with pytest.raises(ReadError) as caught:
        style(spaced)
    assert caught.value.place is not None
    assert caught.value.place.line == 2


def test_dots_in_a_text_are_no_key() -> None:
    dots = "a. b. c. " + ". " * 30
    assert style(f'[[board]]\nrelation = "cell"\ntitle = "{dots}"\n').boards[0].title == dots


def test_lists_in_a_list_are_no_headers() -> None:
    with pytest.raises(ReadError) as caught:
        style(CELL + 'lines = [\n["1,1", "1,2"],\n["1,2", "1,3"]\n]\nlook = "gold"')
    assert caught.value.place is not None
    assert caught.value.place.line == 7
