"""Drawings: well-formed, told in words, in both themes, safe whatever the names, and the same every time."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree

import pytest

import gamemaster as gm
import gamemaster.draw.svg as svg_module
from gamemaster.draw.model import MARKS, Board, BoardLine, Cell, Counter, Label, Panel, Point, Thing
from gamemaster.draw.picture.beside import Caption
from gamemaster.draw.picture.cards import FACE
from gamemaster.draw.picture.colours import COLOUR_OF, ROLE_COLOURS, Ink, Theme, coat_of, luminance
from gamemaster.draw.picture.glyphs import GLYPHS, glyph
from gamemaster.draw.picture.looks import LOOKS
from gamemaster.draw.picture.markup import MARKER, clip, short, text_width
from gamemaster.draw.picture.words import board_in_words
from gamemaster.draw.svg import draw_svg
from gamemaster.games import game_names
from gamemaster.language.infix import read_term
from gamemaster.machine.game import State
from tests.draw.boards_by_hand import BOARDS, chess, facts, heaps, square, thing

SVG = "{http://www.w3.org/2000/svg}"
KNOWN = {
    "svg", "title", "desc", "style", "defs", "g", "use", "path", "circle", "ellipse", "rect", "text",
}  # fmt: skip
HOSTILE = (
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "]]><!-- & &amp;",
    "javascript:alert(1)",
    "url(http://example.invalid/x)",
    "</style><svg onload=alert(1)>",
    "a\x00b\x07\x1b[31m\ud800\ufffe",
    "\u202eabc\u2066",
    MARKER,
    "x" * 100_000,
    "",
    " \n\t ",
)


def tree(svg: str) -> ElementTree.Element:
    """The drawing, read; and what every drawing must be."""
    root = ElementTree.fromstring(svg)
    names = [element.tag.removeprefix(SVG) for element in root.iter()]
    assert set(names) <= KNOWN
    ids = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    assert len(ids) == len(set(ids))
    prefix = root.attrib["class"]
    assert all(name.startswith(f"{prefix}-") for name in ids)
    assert MARKER not in svg
    for element in root.iter():
        for name, value in element.attrib.items():
            assert not name.startswith("on")
            if name == "href":
                assert value[1:] in ids
            elif name not in ("data-cell", "aria-label"):  # which nothing follows
                assert "url(" not in value
                assert ":" not in value
    assert set(re.findall(r"var\((--[\w-]+)\)", svg)) <= set(re.findall(r"(--[\w-]+):", svg))
    assert "url(" not in root.findtext(f"{SVG}style", "")
    return root


def cells(root: ElementTree.Element) -> dict[str, ElementTree.Element]:
    return {e.attrib["data-cell"]: e for e in root.iter(f"{SVG}g") if "data-cell" in e.attrib}


@pytest.mark.parametrize("theme", [None, "light", "dark"])
@pytest.mark.parametrize("make", BOARDS)
def test_boards_of_every_kind_are_drawn(make: Callable[[], Board], theme: Theme | None) -> None:
    board = make()
    svg = draw_svg(board, theme=theme)
    root = tree(svg)
    assert cells(root).keys() == board.cell_of.keys()
    assert root.attrib["role"] == "img"
    assert ("<style>" in svg) == (theme is None)
    assert svg == draw_svg(make(), theme=theme)


@pytest.mark.parametrize("name", game_names())
def test_every_game_of_the_library_is_drawn(name: str) -> None:
    state = gm.load(name, machine="reference").initial_state()
    root = tree(draw_svg(state))
    assert root.findtext(f"{SVG}title") == state.game.name
    assert "to move" in draw_svg(state) or "move at once" in draw_svg(state)


def test_a_cell_says_what_it_is_and_what_is_on_it() -> None:
    cell = cells(tree(draw_svg(chess())))["0-0-7"]
    assert cell.findtext(f"{SVG}title") == "a1: role 1 rook"
    assert "tabindex" not in cell.attrib


def test_cells_come_in_reading_order() -> None:
    names = [cell.findtext(f"{SVG}title", "")[:2] for cell in cells(tree(draw_svg(chess()))).values()]
    assert names[:9] == ["a8", "b8", "c8", "d8", "e8", "f8", "g8", "h8", "a7"]


def test_live_cells_are_buttons_to_keyboards_and_readers() -> None:
    board = chess()
    root = tree(draw_svg(board, is_live=True))
    buttons = {name: cell for name, cell in cells(root).items() if cell.attrib.get("role") == "button"}
    marked = {c.id for c in board.panels[0].cells if c.marks & {"source", "target", "chosen"}}
    assert buttons.keys() == marked
    assert root.attrib["role"] == "group"
    assert buttons["0-3-6"].attrib["aria-label"] == "d2: role 1 pawn, chosen"
    assert buttons["0-3-6"].attrib["tabindex"] == "0"
    some = cells(tree(draw_svg(board, is_live=True, live=["0-0-0"])))
    assert [name for name, cell in some.items() if "role" in cell.attrib] == ["0-0-0"]


def test_it_is_told_in_words() -> None:
    root = tree(draw_svg(chess(), caption=Caption("chess", "white to move", "role 1", 4)))
    words = root.findtext(f"{SVG}desc", "")
    assert words.startswith("white to move. role 2 rook on a8, h8; role 2 knight on b8, g8;")
    assert "Changed by the last move: a5, g5, a2, g2." in words
    assert "step: 3." in words
    assert root.findtext(f"{SVG}title") == "chess"
    assert root.attrib["aria-labelledby"] == root[0].attrib["id"]
    assert "90" in board_in_words(heaps())
    assert board_in_words(facts()).startswith("on(light0,0), on(light1,1)")
    assert len(board_in_words(chess(), "x" * 5000)) <= 2000


@pytest.mark.parametrize("outline", [square(0, 0), ((0, -0.5), (0.5, 0.5), (-0.5, 0.5)), ()])
def test_each_mark_has_a_shape_of_its_own(outline: tuple[Point, ...]) -> None:
    shapes = set()
    for mark in MARKS:
        cell = Cell("a", "a", (), (0, 0), outline, things=(thing("disc", "red"),), marks=frozenset({mark}))
        svg = draw_svg(Board((Panel("", "square", (cell,)),)), theme="light")
        paths = tree(svg).iter(f"{SVG}path")
        shapes.add(tuple((e.attrib["d"], e.attrib.get("stroke-dasharray")) for e in paths))
    assert len(shapes) == len(MARKS)


def test_only_what_stands_on_a_target_would_be_taken() -> None:
    def shapes(*glyphs: str) -> str:
        things = tuple(thing(each, "plain") for each in glyphs)
        cell = Cell("a", "a", (), (0, 0), square(0, 0), things=things, marks=frozenset({"target"}))
        return draw_svg(Board((Panel("", "square", (cell,)),)), theme="light").partition("</defs>")[0]

    assert 'r="13"' in shapes()
    assert "Z" not in shapes("dot")
    assert shapes("dot") != shapes("disc")


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_breaks_out_of_a_drawing(name: str) -> None:
    piece = Thing(name, name, name, name, name)
    cell = Cell(name, name, (name,), (0, 0), square(0, 0), name, (piece,))
    panel = Panel(
        name, "square", (cell,), (BoardLine((0, 0), (1, 1), name),), (Label(name, (0, -1)),), look=name
    )
    board = Board(
        (panel, replace(panel, cells=())), (Counter(name, name, (piece,), name),), roles=(name, name)
    )
    caption = Caption(name, name, name, 1, name, (Counter(name, name),))
    svg = draw_svg(board, caption=caption, is_live=True, live=[name], prefix=name)
    tree(svg)
    tree(draw_svg(replace(board, panels=()), caption=caption))
    assert len(svg) < 20_000


def test_long_and_odd_texts_are_cut() -> None:
    assert clip("a  b\nc") == "a b c"
    assert clip("x" * 300) == "x" * 199 + "…"
    assert clip("\u202ex" + MARKER) == "\ufffdx\ufffd"
    assert [short(1.0), short(0.333), short(-0.001), short(120)] == ["1", "0.33", "0", "120"]
    assert text_width("il") < text_width("ab") < text_width("mw") < text_width("mw", is_bold=True)


def test_a_theme_has_its_colours_written_out() -> None:
    light, dark, both = (draw_svg(chess(), theme=theme) for theme in ("light", "dark", None))
    assert "var(" not in light + dark
    assert "prefers-color-scheme:dark" in both
    assert light != dark
    with pytest.raises(gm.ParameterError, match="'blue' is no theme"):
        draw_svg(chess(), theme="blue")  # type: ignore[arg-type]


def test_a_size_is_that_of_the_longer_side() -> None:
    root = tree(draw_svg(chess(), size=600))
    assert max(int(root.attrib["width"]), int(root.attrib["height"])) == 600
    with pytest.raises(gm.ParameterError, match="no picture of 0 pixels: from 16 to 8,192"):
        draw_svg(chess(), size=0)


def test_two_drawings_on_a_page_do_not_share_ids() -> None:
    one, two = draw_svg(chess()), draw_svg(heaps())
    assert not set(re.findall(r'id="([^"]+)"', one)) & set(re.findall(r'id="([^"]+)"', two))
    assert 'class="gm-left"' in draw_svg(chess(), prefix="left")


def test_roles_that_are_called_by_a_colour_have_it() -> None:
    assert coat_of("role 2", ("red", "white")) == coat_of("white")
    assert coat_of("role 1", ("x", "o")) == coat_of("#d55e00")
    assert coat_of("role 9") == coat_of("#009e73")
    assert coat_of("url(#x)") == coat_of("plain")
    assert coat_of("#abc") == coat_of("#aabbcc")
    for colour in ("white", "black", *COLOUR_OF):
        coat = coat_of(colour)
        assert len({coat.fill, coat.edge, coat.detail}) >= 2


def contrast(one: str, other: str) -> float:
    """As the web's guidelines count it: 1 for the same, 21 for black on white."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("colour", ["white", "black", *COLOUR_OF, *ROLE_COLOURS])
def test_things_of_all_colours_are_seen_on_all_boards(colour: str, look: str) -> None:
    coat, made_of = coat_of(colour), LOOKS[look]
    for tone in (made_of.light, made_of.middle, made_of.dark):
        for ground, fill, edge in zip(tone, coat.fill, coat.edge, strict=True):
            assert max(contrast(fill, ground), contrast(edge, ground)) > 2.2
    assert all(contrast(fill, detail) > 2.5 for fill, detail in zip(coat.fill, coat.detail, strict=True))


@pytest.mark.parametrize("name", GLYPHS)
def test_glyphs_are_stamped_once(name: str) -> None:
    ink = Ink("light")
    assert glyph(ink, name, coat_of("red"), "x") == glyph(ink, name, coat_of("red"), "x")
    assert ink.definitions().count("id=") == 1
    ElementTree.fromstring(ink.definitions())


@pytest.mark.parametrize("name", [name for name in GLYPHS if name.startswith("card")])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_rank_of_a_card_is_read_on_it_in_every_colour(name: str, theme: Theme) -> None:
    for colour in ("plain", "white", "black", *COLOUR_OF, *ROLE_COLOURS):
        drawn = glyph(Ink(theme), name, coat_of(colour), "10")
        assert (">10</text>" in drawn) == (name != "card_back")
        for fill in re.findall(r'<text[^>]* fill="([^"]*)"', drawn):
            assert contrast(fill, FACE[theme == "dark"]) > 3


def test_what_is_only_written_stands_on_a_disc_of_its_owner() -> None:
    cell = Cell("a", "a", (), (0, 0), square(0, 0), things=(thing("text", "role 1", "7"),))
    svg = draw_svg(Board((Panel("", "square", (cell,)),), roles=("red",)), theme="light")
    assert ">7</text>" in svg
    assert coat_of("red").fill[0] in svg


def test_a_state_says_whose_turn_it_is_and_how_it_ends() -> None:
    state = gm.load("tictactoe", machine="reference").initial_state()
    assert ">x to move</text>" in draw_svg(state)
    for move in ("mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)", "mark(1,3)"):
        state = state.next(move)
    svg = draw_svg(state)
    assert ">Game over: x wins</text>" in svg
    assert ">100</text>" in svg
    assert ">step 5</text>" in svg
    assert "control(" not in svg


def test_roles_that_move_at_once_and_dead_ends_are_told() -> None:
    assert "move at once" in draw_svg(gm.load("roshambo", machine="reference").initial_state())
    assert "chance to move" in draw_svg(gm.load("dicerace", machine="reference").initial_state())
    stuck = gm.parse(
        "(role a) (init (p 1)) (<= (legal a go) (true q)) (<= terminal (true q))", machine="reference"
    )
    assert "Nobody has a move" in draw_svg(stuck.initial_state())


def test_many_facts_beside_a_board_are_cut() -> None:
    assert "and 13 more" in draw_svg(facts())
    board = replace(chess(), others=facts().others)
    assert "and 21 more" in draw_svg(board)


def test_a_counter_draws_what_has_a_shape_and_names_the_rest() -> None:
    hand = Counter("hand", "two", (thing("star", "red"), Thing("ace", "text", "plain", "a", "ace of spades")))
    svg = draw_svg(Board((), (hand,)))
    assert svg.index(">two</text>") < svg.index("<use") < svg.index(">ace of spades</text>")
    assert svg.count("<use") == 1
    assert "no facts" not in svg


def test_what_the_status_says_is_not_told_twice() -> None:
    turn = Counter("turn", "x", colour="role 1", facts=(read_term("control(x)"),))
    board = Board((), (turn,), (read_term("control(x)"), read_term("p(1)")))
    assert ">turn</text>" in draw_svg(board)
    assert ">control</text>" in draw_svg(board)
    told = draw_svg(board, caption=Caption("", "x to move"))
    assert ">turn</text>" not in told
    assert ">control</text>" not in told


def test_letters_that_stand_for_something_are_explained() -> None:
    rook = Thing("white rook", "text", "role 1", "wr", "rook of white")
    cell = Cell("a", "a", (), (0, 0), square(0, 0), things=(rook, rook, thing("disc", "red", "d")))
    svg = draw_svg(Board((Panel("", "square", (cell,)),)))
    assert svg.count("wr = rook of white") == 1
    assert "d = " not in svg


def test_boards_of_too_many_cells_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(svg_module, "MOST_CELLS", 70)
    board = chess()
    assert len(cells(tree(draw_svg(board)))) == 64
    assert len(cells(tree(draw_svg(Board((*board.panels, *board.panels)))))) == 64


def test_notebooks_show_a_state_as_its_board() -> None:
    state = gm.load("tictactoe", machine="reference").initial_state()
    svg = state._repr_svg_()
    assert svg is not None
    tree(svg)


def test_without_anything_that_draws_a_state_has_no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(State, "_draw", None)
    assert gm.load("tictactoe", machine="reference").initial_state()._repr_svg_() is None


def test_loading_the_package_loads_nothing_that_draws() -> None:
    code = "import sys, gamemaster; print([name for name in sys.modules if 'draw' in name])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def shown_at(panels: list[Panel]) -> list[tuple[float, float]]:
    """Where the groups of the panels' only cells are."""
    root = ElementTree.fromstring(draw_svg(Board(tuple(panels))))
    moved = [
        re.findall(r"-?[0-9.]+", group.get("transform", ""))
        for group in root.iter()
        if group.get("data-cell")
    ]
    return [(float(x), float(y)) for x, y, *_ in moved]


@pytest.mark.parametrize(
    ("indexes", "sizes"),
    [
        ([("1", "1"), ("1", "2"), ("2", "1"), ("2", "2"), ("2", "3")], [2, 3]),
        ([("1",), ("2",), ("3",), ("4",)], [2, 2]),
        ([(str(n),) for n in range(9)], [3, 3, 3]),
    ],
)
def test_boards_alike_stand_as_their_indexes_say(indexes: list[tuple[str, ...]], sizes: list[int]) -> None:
    panels = [
        Panel("b", "square", (Cell("-".join(index), "c", index, (0.0, 0.0), square(0, 0)),), index=index)
        for index in indexes
    ]
    heights = [y for _, y in shown_at(panels)]
    assert [heights.count(y) for y in sorted(set(heights))] == sizes


def test_walls_lie_on_the_cells() -> None:
    board = chess()
    line = BoardLine((0.5, 0.5), (0.5, 1.5), "dark", is_above=True)
    drawn = draw_svg(replace(board, panels=(replace(board.panels[0], lines=(line,)),)))
    assert drawn.rindex('stroke-width="10"') > drawn.rindex("0-7-7")


def test_words_leave_out_whose_turn_it_is_where_the_status_says_it() -> None:
    svg = draw_svg(gm.load("tictactoe", machine="reference").initial_state())
    words = tree(svg)[1].text or ""
    assert words.startswith("x to move.")
    assert "turn" not in words
    assert "none" not in words
    passed = Board((), (Counter("the last move was a pass"), Counter("turn x"), Counter("score", "3")))
    assert board_in_words(passed) == "the last move was a pass. turn x. score: 3."
    assert board_in_words(passed, "x to move") == "x to move. the last move was a pass. score: 3."


def test_a_hand_stays_in_order_where_only_some_of_it_has_a_shape() -> None:
    ace = Thing("ace", "text", "plain", "a", "ace")
    hand = Counter(
        "hand", "", (ace, thing("star", "red"), replace(ace, name="king"), ace, thing("star", "red"))
    )
    svg = draw_svg(Board((), (hand,)))
    assert re.findall(r"<use|>[a-z, ]+</text>", svg)[:6] == [
        ">hand</text>",
        ">ace</text>",
        "<use",
        ">king, ace</text>",
        "<use",
    ]
    many = draw_svg(Board((), (replace(hand, things=hand.things * 1000),)))
    assert ">and 4976 more</text>" in many
    assert len(many) < 20_000
