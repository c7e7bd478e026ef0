"""A state as text: the board where there is one, the facts where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gamemaster as gm
from gamemaster.draw.board import board_of
from gamemaster.draw.boards.shape import axis_of, shape_of
from gamemaster.draw.boards.symbols import EMPTY, is_blank, owner_of, symbols_of, told_apart
from gamemaster.draw.styles.chosen import style_of
from gamemaster.draw.text import draw_colour, draw_text, in_columns
from gamemaster.games import game_names
from gamemaster.language.infix import read_term
from gamemaster.language.rules import relation_of


def hrf(*facts: str, roles: tuple[str, ...] = ("x", "o"), rules: str = "") -> gm.State:
    """The initial state of a game with these initial facts."""
    lines = [*(f"role({role})" for role in roles), *(f"init({fact})" for fact in facts)]
    return gm.parse("\n".join([*lines, "legal(x,noop)", rules]), "hrf", machine="reference").initial_state()


def drawn(text: str) -> str:
    """The lines of an indented text, without the blank ones around it."""
    lines = text.strip("\n").split("\n")
    margin = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return "\n".join(line[margin:].rstrip() for line in lines).rstrip()


def grid(width: int, height: int, content: str = "b") -> list[str]:
    return [
        f"cell({row},{column},{content})" for row in range(1, height + 1) for column in range(1, width + 1)
    ]


# The library


@pytest.mark.parametrize(
    ("name", "moves", "expected"),
    [
        (
            "tictactoe",
            ["mark(2,2)", "mark(1,3)"],
            """
              1 2 3
            1 · · o
            2 · x ·
            3 · · ·

            turn x
            """,
        ),
        (
            "connectfour",
            ["drop(4)", "drop(4)", "drop(5)"],
            """
            6 · · · · · · · ·
            5 · · · · · · · ·
            4 · · · · · · · ·
            3 · · · · · · · ·
            2 · · · b · · · ·
            1 · · · r r · · ·
              1 2 3 4 5 6 7 8

            r red  b black

            turn black
            """,
        ),
        (
            "breakthrough",
            ["move(1,2,1,3)"],
            """
            8 b b b b b b b b
            7 b b b b b b b b
            6 · · · · · · · ·
            5 · · · · · · · ·
            4 · · · · · · · ·
            3 w · · · · · · ·
            2 · w w w w w w w
            1 w w w w w w w w
              1 2 3 4 5 6 7 8

            w white  b black

            turn black
            """,
        ),
        (
            "kono",
            [],
            """
              1 2 3 4
            1 b b b b
            2 b b b b
            3 r r r r
            4 r r r r

            r red  b black

            turn red  score red 0  score black 0  step 1
            """,
        ),
        (
            "peg",
            [],
            """
              c1 c2 c3 c4 c5 c6 c7
            a       p  p  p
            b       p  p  p
            c p  p  p  p  p  p  p
            d p  p  p  ·  p  p  p
            e p  p  p  p  p  p  p
            f       p  p  p
            g       p  p  p

            p peg

            pegs 32
            """,
        ),
        (
            "hunter",
            ["move(1,1,2,3)"],
            """
            3 p k p p p
            2 p p p p p
            1 · p p p p
              1 2 3 4 5

            k knight  p pawn

            turn robot  captures 1  step 2
            """,
        ),
        (
            "wythoff",
            [],
            """
             left ● ● ● ● ● ● 6
            right ● ● ● ● ● ● ● ● ● 9

            turn alice
            """,
        ),
        (
            "hex7x7",
            ["place(a,5)", "place(c,5)"],
            """
              1 2 3 4 5 6 7
            a · · · · r · ·
            b  · · · · · · ·
            c   · · · · b · ·
            d    · · · · · · ·
            e     · · · · · · ·
            f      · · · · · · ·
            g       · · · · · · ·

            r red  b black

            turn red  step 3
            """,
        ),
    ],
)
def test_a_game_of_the_library_looks_right(name: str, moves: list[str], expected: str) -> None:
    state = gm.load(name, machine="reference").initial_state()
    for move in moves:
        state = state.next(move)
    assert draw_text(state) == drawn(expected)


def test_a_star_is_drawn_about_its_middle() -> None:
    lines = draw_text(gm.load("chinesecheckers3", machine="reference").initial_state()).split("\n")
    assert lines[:4] == ["a       r", "b      r r", "c · · · · · · ·", "d  · · · · · ·"]


def test_lights_are_a_row_without_a_name() -> None:
    state = gm.load("buttonsandlights", machine="reference").initial_state().next("a")
    assert draw_text(state) == " p q r\n p · ·\n\nturn robot  step 2"


def test_a_graph_is_its_places_with_what_lines_lead_to() -> None:
    lines = draw_text(gm.load("hamilton", machine="reference").initial_state().next("move(b)")).split("\n")
    assert lines[:4] == ["a +  b e h", "b R  a c j", "c ·  b d l", "d ·  c e n"]
    assert lines[20:] == ["", "+ visited  R robot", "", "score 2  step 2"]


@pytest.mark.parametrize("name", game_names())
def test_every_fact_of_a_library_state_is_on_the_board_or_told(name: str) -> None:
    state = gm.load(name, machine="reference").initial_state()
    board = board_of(state)
    drawn = [fact for panel in board.panels for cell in panel.cells for fact in cell.facts]
    beside = [fact for counter in board.counters for fact in counter.facts]
    hidden = [fact for fact in state.facts if relation_of(fact) in style_of(state.game).hidden]
    assert {*drawn, *beside, *hidden, *board.others} == state.facts
    assert not set(board.others).intersection([*drawn, *beside])


# What is a grid


def test_colour_changes_no_letter() -> None:
    state = gm.load("connectfour").initial_state().next("drop(1)")
    assert draw_colour(state).plain == draw_text(state)
    assert any(span.style for span in draw_colour(state).spans)


def test_an_empty_board_is_known_from_its_declaration() -> None:
    state = hrf("control(x)", rules="n(1) n(2) n(3) base(cell(X,Y,x)) :- n(X) & n(Y)")
    assert draw_text(state) == drawn("""
          1 2 3
        1 · · ·
        2 · · ·
        3 · · ·

        turn x
        """)


def test_an_empty_board_is_known_from_the_rules_if_nothing_declares_it() -> None:
    rules = (
        "n(1) n(2) n(3) next(cell(X,Y,R)) :- does(R,mark(X,Y)) legal(R,mark(X,Y)) :- role(R) & n(X) & n(Y)"
    )
    assert draw_text(hrf("control(x)", rules=rules)).startswith("  1 2 3\n1 · · ·")


def test_declared_cells_that_are_missing_are_left_blank() -> None:
    rules = "base(cell(1,1,x)) base(cell(1,2,x)) base(cell(2,1,x))"
    assert draw_text(hrf("cell(1,1,x)", rules=rules)) == "  1 2\n1 x ·\n2 ·"


def test_compounds_are_opened() -> None:
    state = hrf(
        "at(cell(a,1),piece(white,rook))", "at(cell(b,2),piece(black,king))", roles=("white", "black")
    )
    assert draw_text(state) == drawn("""
        2 ·  bk
        1 wr ·
          a  b

        wr white rook  bk black king
        """)


def test_a_letter_with_a_number_is_two_coordinates() -> None:
    state = hrf("cell(a1,x)", "cell(a2,blank)", "cell(b1,blank)", "cell(b2,o)")
    assert draw_text(state) == drawn("""
        2 · o
        1 x ·
          a b
        """)


def test_levels_are_grids_side_by_side() -> None:
    state = hrf(*(f"cell({z},{x},{y},b)" for z in (1, 2) for x in (1, 2) for y in (1, 2)))
    assert draw_text(state) == drawn("""
        cell 1   cell 2
          1 2      1 2
        1 · ·    1 · ·
        2 · ·    2 · ·
        """)


def test_grids_that_do_not_fit_side_by_side_go_below() -> None:
    state = hrf(*(f"cell({z},{x},{y},b)" for z in (1, 2) for x in (1, 2) for y in (1, 2)))
    assert draw_text(state, width=12).split("\n")[4:6] == ["", "cell 2"]


def test_things_at_places_share_a_grid() -> None:
    leaves = [f"leaf({x},{y})" for x in range(1, 5) for y in range(1, 5) if (x, y) != (1, 1)]
    state = hrf(*leaves, "at(red,1,1)", "at(blue,4,4)", roles=("red", "blue"))
    assert draw_text(state) == drawn("""
          1  2  3  4
        1 r  l  l  l
        2 l  l  l  l
        3 l  l  l  l
        4 l  l  l  lb

        l leaf  r red  b blue
        """)


def test_a_function_is_no_grid() -> None:
    assert draw_text(hrf("heap(a,5)", "heap(b,3)", "heap(c,4)")) == "a ● ● ● ● ● 5\nb ● ● ● 3\nc ● ● ● ● 4"


def test_a_score_of_each_role_is_no_grid() -> None:
    assert draw_text(hrf("score(x,1)", "score(o,2)")) == "score x 1  score o 2"


def test_places_related_to_each_other_are_no_grid() -> None:
    assert not board_of(hrf("wall(1,2,1,3)", "wall(2,2,2,3)", "wall(1,1,2,1)")).panels


def test_facts_without_a_grid_are_in_columns_in_natural_order() -> None:
    state = hrf(*(f"visited(n{number})" for number in (10, 2, 1)), "start")
    assert draw_text(state, width=26) == "visited(n1)   visited(n10)\nvisited(n2)   start"


def test_a_state_without_facts_says_so() -> None:
    assert draw_text(hrf()) == "(no facts)"


def test_a_fact_outside_the_known_board_makes_it_larger() -> None:
    game = hrf(*grid(2, 2)).game
    assert draw_text(game.state([*grid(2, 2), "cell(3,3,x)"])).split("\n")[-1] == "3     x"


def test_a_number_of_five_thousand_digits_is_drawn() -> None:
    huge = "9" * 5000
    assert huge in draw_text(hrf(f"n({huge})", f"cell({huge},{huge},x)"))


# Which way up


def test_two_armies_stand_opposite_with_the_first_role_at_the_bottom() -> None:
    pieces = [f"cell({row},{column},{'o' if row == 1 else 'x'})" for row in (1, 4) for column in (1, 2, 3, 4)]
    assert draw_text(hrf(*pieces)).startswith("  1 2 3 4\n1 o o o o")
    turned = [f"cell({column},{row},{'x' if row == 1 else 'o'})" for row in (1, 4) for column in (1, 2, 3, 4)]
    assert draw_text(hrf(*turned)).startswith("4 o o o o")


@pytest.mark.parametrize(
    ("rules", "first_line"),
    [
        ("base(cell(A,B,x)) :- row(A) & column(B)", "  1 2 3"),
        ("base(cell(A,B,x)) :- column(A) & row(B)", "2 · · ·"),
        ("base(cell(Col,Row,x)) :- both(Col,Row)", "2 · · ·"),
    ],
)
def test_words_say_which_coordinate_is_the_row(rules: str, first_line: str) -> None:
    names = " ".join(
        f"{name}({n})" for name in ("row", "column") for n in (1, 2, 3 if name == "column" else 2)
    )
    pairs = " ".join(f"both({column},{row})" for column in (1, 2, 3) for row in (1, 2))
    assert draw_text(hrf("cell(1,1,x)", rules=f"{names} {pairs} {rules}")).split("\n")[0] == first_line


def test_letters_are_columns_as_in_chess() -> None:
    assert draw_text(hrf("cell(a,1,x)", "cell(b,2,o)")).split("\n")[-1] == "  a b"


# Symbols


@pytest.mark.parametrize(
    ("contents", "symbols"),
    [
        (["x", "o", "wp"], ["x", "o", "wp"]),
        (["white", "black"], ["w", "b"]),
        (["whiteknight", "whiteking", "blackking"], ["wn", "wk", "bk"]),
        (["blockednorth", "blockedeast"], ["n", "e"]),
        (["red", "rose", "r"], ["e", "o", "r"]),
        (["123", "45"], ["123", "45"]),
        (["-", "%%%"], ["-", "%"]),
    ],
)
def test_symbols_are_short_and_tell_contents_apart(contents: list[str], symbols: list[str]) -> None:
    assert list(symbols_of(contents, (), ("white", "black")).values()) == symbols


@given(st.lists(st.text(min_size=1), unique=True))
def test_no_two_contents_have_the_same_symbol(contents: list[str]) -> None:
    symbols = symbols_of(contents, (), ("white", "black"))
    assert list(symbols) == contents
    assert len(set(symbols.values())) == len(contents)


def test_symbols_that_a_style_has_chosen_are_told_apart_in_text() -> None:
    chosen = {"1 red": "1", "1 green": "1", "2 red": "2", "off": EMPTY, "nothing": EMPTY}
    assert list(told_apart(chosen, ("red", "green")).values()) == ["r1", "g1", "2", EMPTY, EMPTY]
    assert list(told_apart({"knight4": "4", "flag4": "4"}, ()).values()) == ["k4", "f4"]
    assert list(told_apart({"rose 1": "1", "red 1": "1", "r1": "r1"}, ()).values()) == [
        "rose 1",
        "red 1",
        "r1",
    ]
    assert list(told_apart({"red": "1", "r1": "1"}, ()).values()) == ["r1", "r1 2"]


@given(st.dictionaries(st.text(min_size=1), st.sampled_from("12")))
def test_told_apart_is_told_apart(chosen: dict[str, str]) -> None:
    apart = told_apart(chosen, ("white", "black"))
    assert list(apart) == list(chosen)
    assert len(set(apart.values())) == len(chosen)


def test_nothing_is_lost_without_colour() -> None:
    facts = [*grid(4, 3), "cell(1,1,knight4)", "cell(3,4,flag4)"]
    facts = [fact for fact in facts if fact not in ("cell(1,1,b)", "cell(3,4,b)")]
    assert draw_text(hrf(*facts)) == drawn(
        """
          1  2  3  4
        1 k4 ·  ·  ·
        2 ·  ·  ·  ·
        3 ·  ·  ·  f4

        k4 knight4  f4 flag4
        """
    )
    assert draw_text(gm.load("battleofnumbers").initial_state()).startswith("5 2g 4g 5g 3g 1g\n")


def test_blanks_are_dots() -> None:
    assert symbols_of(["blank", "x"], ["blank"], ()) == {"blank": EMPTY, "x": "x"}
    assert is_blank("empty", None)
    assert is_blank("b", "b")
    assert not is_blank("b", "x")


def test_things_belong_to_the_role_they_are_named_after() -> None:
    roles = ("white", "black")
    assert [owner_of(text, roles) for text in ("whiterook", "bp", "hole", "w")] == [
        "white",
        "black",
        None,
        "white",
    ]


# Columns and axes


@pytest.mark.parametrize(
    ("values", "axis"),
    [
        ("3 1 2", "1 2 3"),
        ("1 4", "1 2 3 4"),
        ("a b d", "a b c d"),
        ("x o", ""),
        ("c10 c9 c1", "c1 c9 c10"),
        ("1 100", ""),
        ("1", ""),
        ("red blue", ""),
    ],
)
def test_an_axis_is_a_few_values_in_order(values: str, axis: str) -> None:
    assert axis_of(values.split()) == tuple(axis.split())


def test_a_fact_of_another_shape_has_no_columns() -> None:
    facts = [read_term("at(cell(1,2),x)"), read_term("at(cell(2,2),o)")]
    shape = shape_of(("at", 2), facts)
    assert shape.row_of(facts[0]) == ("1", "2", "x")
    assert shape.row_of(read_term("at(nowhere,x)")) is None
    assert shape.row_of(read_term("off")) is None


@given(st.lists(st.text(alphabet="ab", min_size=1, max_size=5), min_size=1), st.integers(1, 60))
def test_columns_lose_nothing_and_keep_to_the_width(texts: list[str], width: int) -> None:
    lines = in_columns(texts, width)
    assert sorted(" ".join(lines).split()) == sorted(texts)
    assert all(len(line) <= max(width, 5) for line in lines)


def test_drawing_needs_no_library_file(tmp_path: Path) -> None:
    path = tmp_path / "tictactoe.hrf"
    path.write_text("role(x)\ninit(p)\nlegal(x,noop)\nnext(p) :- true(p)\n")
    assert draw_text(gm.load(path, machine="reference").initial_state()) == "p"


def test_very_many_facts_are_cut() -> None:
    state = hrf(*(f"p{n}(a,b,c,d)" for n in range(1000)))
    assert draw_text(state).endswith("\nand 700 more")
    beside = hrf(*grid(3, 3), *(f"p{n}(a,b,c,d)" for n in range(1000)))
    assert draw_text(beside).endswith("and 700 more")


@pytest.mark.parametrize(("name", "move"), [("go", "place(3,3)"), ("breakthrough", "move(3,2,3,3)")])
def test_boards_in_the_terminal_and_in_pictures_have_the_names_that_moves_have(name: str, move: str) -> None:
    state = gm.load(name, machine="reference").initial_state()
    assert move in map(str, state.legal_moves(state.control or ""))
    (panel,) = board_of(state).panels
    assert {label.text for label in panel.labels} == {*panel.rows, *panel.columns}
    assert "3,3" in {cell.name for cell in panel.cells}
