"""Places that things are stacked on, and facts that say how many there are."""

from __future__ import annotations

import re

import pytest

import gamemaster as gm
from gamemaster.draw.board import board_of
from gamemaster.draw.clicks import clicks_of
from gamemaster.draw.model import Board, Cell, Mark
from gamemaster.draw.picture.words import board_in_words, cell_in_words
from gamemaster.draw.styles.style_file import read_style
from gamemaster.draw.svg import draw_svg
from gamemaster.draw.text import draw_text
from gamemaster.language.source import Source

GAME = """
role(white) role(black)
init(men(a,white,2)) init(men(b,black,7)) init(men(c,white,1)) init(men(c,black,2)) init(men(d,black,0))
init(men(e,white,100))
init(town(aberystwyth,white,2)) init(town(b,white,2)) init(town(c,white,2)) init(town(d,white,2)) init(town(e,white,2))
legal(R,noop) :- role(R)
"""
STYLE = """
[[board]]
relation = "men"
kind = "graph"
place = 1
count = 3
checkered = true
look = "wood"

[board.places]
a = [0, 0, "down"]
b = [0, 10, "up"]
c = [1, 5, "both"]
d = [2, 0, "down"]
e = [2, 10]

[pieces]
white = "man"
black = "man"
"""
MARKS: tuple[Mark, ...] = ("last", "target")


def drawn(style: str = STYLE, marked: str = "") -> Board:
    game = gm.parse(GAME, "hrf", machine="reference")
    state = game.initial_state()
    facts = [fact for fact in state.facts if str(fact) == marked]
    marks = dict.fromkeys(MARKS, facts)
    return board_of(state, style=read_style(Source("style.toml", style), game), marks=marks)


def cells(board: Board) -> dict[str, Cell]:
    return {cell.name: cell for cell in board.cell_of.values()}


def groups(board: Board, *, is_live: bool = False) -> dict[str, str]:
    """The markup of each cell, by its name."""
    svg = draw_svg(board, theme="light", is_live=is_live, live=frozenset(board.cell_of) if is_live else None)
    parts = re.split(r'(?=<g data-cell=")', svg)[1:]
    return {part.split("<title>")[1][0]: part for part in parts}


def heights(markup: str) -> list[float]:
    """How far below the base each stacked thing is."""
    return [float(y) for y in re.findall(r'translate\(0 (-?[\d.]+)\)(?:scale\(1.27\)|" data-top)', markup)]


def test_a_fact_that_counts_puts_so_many_things_on_its_cell() -> None:
    board = drawn()
    assert {name: len(cell.things) for name, cell in cells(board).items()} == {
        "a": 2,
        "b": 7,
        "c": 3,
        "d": 0,
        "e": 0,
    }
    assert [str(fact) for fact in board.others if "men" in str(fact)] == ["men(e,white,100)"]


def test_things_alike_are_counted_in_words() -> None:
    board = drawn()
    assert cell_in_words(cells(board)["c"]) == "c: white, black (2 times)"
    assert cell_in_words(cells(board)["d"]) == "d: empty"
    assert "white on a (2 times), c; black on b (7 times), c (2 times)." in board_in_words(board)


def test_stacks_reach_from_their_base_on_and_are_in_turn_dark_and_lighter() -> None:
    found = cells(drawn())
    assert {name: (cell.outline[0], cell.outline[2]) for name, cell in found.items() if cell.outline} == {
        "a": ((-0.5, -0.5), (0.5, 4.5)),
        "b": ((-0.5, 5.5), (0.5, 10.5)),
        "c": ((0.5, -0.5), (1.5, 10.5)),
        "d": ((1.5, -0.5), (2.5, 4.5)),
    }
    assert [found[name].ground for name in "abcde"] == ["dark", "middle", "dark", "middle", "light"]
    plain = cells(drawn(STYLE.replace("checkered = true", 'ground = {a = "red"}')))
    assert [plain[name].ground for name in "abcd"] == ["red", "dark", "dark", "dark"]


def test_things_are_stacked_the_way_of_their_place_and_the_last_of_many_has_their_number() -> None:
    found = groups(drawn())
    assert heights(found["a"]) == [96.0]  # the first is at the base itself
    assert heights(found["b"]) == [-96.0, -192.0, -288.0, -384.0]
    assert ">7</text>" in found["b"]
    assert ">2</text>" not in found["a"]


def test_on_a_bar_the_first_role_goes_up_and_all_others_down() -> None:
    assert heights(groups(drawn())["c"]) == [-96.0, 96.0, 192.0]


def test_names_are_beside_the_base_and_on_a_bar_in_the_middle() -> None:
    names = {
        name: re.search(rf'<text y="([-\d.]+)"[^>]*>{name}</text>', each)
        for name, each in groups(drawn()).items()
    }
    below = {name: float(found[1]) for name, found in names.items() if found}
    assert below["a"] < -50
    assert below["b"] > 50
    assert abs(below["c"]) < 20
    long = groups(drawn(STYLE.replace('"men"', '"town"').replace("a = [0", "aberystwyth = [0")))
    assert 'font-size="30"' not in re.findall(r"<text[^>]*>aberystwyth", long["a"])[0]
    assert ">a</text>" not in groups(drawn(STYLE.replace("count = 3", 'count = 3\nlabels = "none"')))["a"]


def test_a_page_finds_the_whole_place_first_and_the_keyboard_frames_it() -> None:
    markup = groups(drawn(), is_live=True)["a"]
    first = re.search(r"<path [^>]*>", markup)
    assert first is not None
    assert 'd="M-50-50L50-50L50 450L-50 450Z"' in first[0]
    assert 'pointer-events="all"' in first[0]
    assert 'd="M-50-50L50-50L50 450L-50 450Z" fill="none" stroke-linecap="round"' in draw_svg(
        drawn(), is_live=True, live=frozenset(drawn().cell_of)
    )


@pytest.mark.parametrize(
    ("marked", "where"), [("men(a,white,2)", "0 96"), ("men(b,black,7)", "0-384"), ("men(d,black,0)", "")]
)
def test_marks_are_at_the_last_thing_of_a_stack(marked: str, where: str) -> None:
    markup = groups(drawn(marked=marked))[marked[4]]
    ends = re.search(r'<g transform="translate\(([^)]*)\)"><use [^>]*/><use [^>]*/></g></g>', markup)
    assert (ends[1].replace(" -", "-") if ends else "") == where


def test_the_checkers_of_backgammon_are_clicked_and_told() -> None:
    game = gm.load("backgammon", machine="reference")
    facts = ["point(24,white,2)", "point(8,white,6)", "point(bar,black,1)", "off(white,7)", "off(black,14)"]
    state = game.state([*facts, "left(6,1)", "left(3,1)", "control(white)"])
    board = board_of(state)
    clicks = clicks_of(state, "white", board)
    assert {touch.label: touch.targets for touch in clicks.moves} == {
        "white 24 to 18, 6": ("0-24", "0-18"),
        "white 24 to 21, 3": ("0-24", "0-21"),
        "white 8 to 2, 6": ("0-8", "0-2"),
        "white 8 to 5, 3": ("0-8", "0-5"),
    }
    assert {cell.stack for cell in board.cell_of.values()} == {"up", "down", "both"}
    lines = draw_text(state, marked=[fact for fact in state.facts if str(fact) == facts[1]]).splitlines()
    assert "  8[wwwwww]" in lines
    assert " 24 ww" in lines
    assert "bar b" in lines
    assert ">6</text>" in draw_svg(board)
