"""Heat maps of what facts are worth, the curve of learning, and the picture of both."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest

import gamemaster as gm
from gamemaster.draw.judgement.maps import Heat, heat_of, in_points, tint_of
from gamemaster.draw.judgement.picture import MOST_MAPS, draw_judgement
from gamemaster.draw.judgement.text import curve_lines, heat_colour, heat_text
from gamemaster.draw.picture.colours import luminance
from gamemaster.errors import ParameterError
from gamemaster.language.infix import read_term
from gamemaster.search.native.judgement import Lesson
from gamemaster.search.native.warming import tiny_game
from gamemaster.search.native.worths import PairWorth, Worth, Worths

SVG = "{http://www.w3.org/2000/svg}"
CURVE = (Lesson(100, 0.05), Lesson(200, 0.2), Lesson(300, 0.3))


def worths_of(
    role: str, points: dict[str, float], pairs: dict[tuple[str, str], float] | None = None
) -> Worths:
    return Worths(
        role,
        tuple(Worth(read_term(fact), each, read_term("cell(1,1,b)"), 0.25) for fact, each in points.items()),
        tuple(
            PairWorth((read_term(first), read_term(second)), each, 0.1)
            for (first, second), each in (pairs or {}).items()
        ),
        100,
        40,
        0.3,
    )


TICTACTOE = worths_of(
    "x",
    {"cell(1,1,x)": 4.4, "cell(2,2,x)": 12.0, "cell(2,2,o)": -13.3, "cell(3,1,o)": 0.2, "control(x)": 3.0},
    {("cell(1,1,x)", "cell(2,2,x)"): 2.5, ("cell(2,2,o)", "control(x)"): -1.0},
)


def test_a_small_board_in_text() -> None:
    heat = heat_of(gm.load("tictactoe"), TICTACTOE)
    assert [str(each.fact) for each in heat.others] == ["control(x)"]
    assert heat_text(heat) == (
        "x               o\n"
        "    1   2   3       1   2   3\n"
        "1  +4   ·   ·   1   ·   ·   ·\n"
        "2   · +12   ·   2   · -13   ·\n"
        "3   ·   ·   ·   3   0   ·   ·"
    )
    assert heat_text(heat, width=20).count("\n") == 10  # below each other
    coloured = heat_colour(heat)
    assert "\n".join(line.rstrip() for line in coloured.plain.split("\n")) == heat_text(heat)
    styles = {coloured.plain[span.start : span.end].strip(): str(span.style) for span in coloured.spans}
    assert styles["+12"] != styles["+4"] != styles["-13"]
    assert " on #" in styles["+12"]
    few = heat_colour(heat, has_tints=False)
    assert few.plain == coloured.plain
    assert {str(span.style) for span in few.spans} >= {"bright_white on blue", "black on yellow"}
    assert not any("#" in str(span.style) for span in few.spans)


def test_rows_of_hexagons_are_shifted() -> None:
    text = heat_text(
        heat_of(gm.load("hex7x7"), worths_of("red", {"cell(a,1,red)": 5.0, "cell(b,1,red)": 3.0}))
    )
    first, second = (
        line.index(number) for line, number in zip(text.split("\n")[2:4], ("+5", "+3"), strict=True)
    )
    assert second > first


def test_points_on_lines_are_circles() -> None:
    worths = worths_of("red", {"cell(1,1,red)": 5.0, "cell(3,3,red)": -2.0})
    heat = heat_of(gm.load("alquerque"), worths)
    assert heat_text(heat).split("\n")[2] == "1 +5.0    ·    ·    ·    ·"
    root = ElementTree.fromstring(draw_judgement("alquerque", heat, worths, CURVE, theme="light"))
    grounds = {tint_of(points, 5.0)[0] for points in (5.0, -2.0)}
    circles = [each.get("fill") for each in root.iter(f"{SVG}circle") if each.get("fill") in grounds]
    assert len(circles) == 2


def test_of_facts_that_say_the_same_of_a_cell_the_one_that_held_most_often_is_shown() -> None:
    worths = worths_of("x", {"cell(1,1,x)": 4.0})
    rare = replace(worths.facts[0], points=-9.0, share=0.01)
    for facts in ((*worths.facts, rare), (rare, *worths.facts)):
        (heat_map,) = heat_of(gm.load("tictactoe"), replace(worths, facts=facts)).maps
        assert [each.points for each in heat_map.worths.values()] == [4.0]


def test_a_game_without_a_board_has_no_maps() -> None:
    _, state = tiny_game()
    worths = worths_of("a", {"left(1)": 5.0, "turn(a)": -9.0, "left(2)": -7.0})
    heat = heat_of(state.game, worths)
    assert heat.maps == ()
    assert [str(each.fact) for each in heat.others] == ["turn(a)", "left(2)", "left(1)"]
    root = ElementTree.fromstring(draw_judgement("tiny", heat, worths, CURVE))
    told = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    assert {"what is worth most", "turn(a)", "-9.0"} <= set(told)
    assert "turn(a): -9.0." in root.findtext(f"{SVG}desc", "")


@pytest.mark.parametrize("theme", [None, "light", "dark"])
def test_the_picture_is_told_in_words(theme: None) -> None:
    heat = heat_of(gm.load("tictactoe"), TICTACTOE)
    root = ElementTree.fromstring(draw_judgement("tictactoe", heat, TICTACTOE, CURVE, theme=theme))
    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}title") == "What is worth how much in tictactoe"
    assert root.get("aria-labelledby") == root.find(f"{SVG}title").get("id")  # type: ignore[union-attr]
    described = root.findtext(f"{SVG}desc", "")
    assert "x: most on 2,2 (+12.0), least on 1,1 (+4.4)." in described
    assert "foretells 30%" in described
    told = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    assert {"+12", "-13", "x", "o", "300 games learnt", "cell(1,1,x) & cell(2,2,x)", "+2.5"} <= set(told)
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert "2,2, o: -13.3 rather than cell(1,1,b), in 25.0% of states" in titles


def test_a_picture_without_a_curve_and_pairs_and_with_many_maps() -> None:
    maps = heat_of(gm.load("tictactoe"), TICTACTOE).maps * MOST_MAPS
    heat = Heat(maps, (), 0.0)
    root = ElementTree.fromstring(draw_judgement("<&>", heat, worths_of("x", {}), ()))
    told = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    assert "no pairs are worth anything" in told
    assert told.count("x") + told.count("o") == MOST_MAPS
    assert "and 22 more" not in heat_text(Heat(maps[:24], (), 0.0))
    assert heat_text(Heat(maps * 2, (), 0.0)).endswith("and 24 more kinds of pieces")


def test_a_theme_that_there_is_not_is_refused() -> None:
    with pytest.raises(ParameterError, match="is no theme"):
        draw_judgement("x", Heat((), (), 0.0), worths_of("x", {}), (), theme="pink")  # type: ignore[arg-type]


def test_numbers_have_signs_and_digits_that_say_something() -> None:
    assert [in_points(4.44, most) for most in (40.0, 9.0, 0.9)] == ["+4", "+4.4", "+4.44"]
    assert [in_points(points, 40.0) for points in (-3.6, 0.2, -0.2)] == ["-4", "0", "0"]


def test_colours_are_blue_and_orange_and_letters_are_read_on_them() -> None:
    for points in (-20.0, -8.0, -1.0, 0.0, 1.0, 8.0, 20.0):
        ground, letters = tint_of(points, 20.0)
        light, dark = sorted((luminance(ground), luminance(letters)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) > 3
        red, blue = int(ground[1:3], 16), int(ground[5:7], 16)
        assert (red < blue) == (points > 0)
    assert tint_of(0.0, 0.0)[0] == tint_of(0.0, 1.0)[0]


def test_a_curve_in_text() -> None:
    lines = curve_lines(CURVE, width=20)
    assert lines[0].startswith("   30% ┤")
    assert lines[0].endswith("█")
    assert lines[-1] == "        100        300 games"
    assert all(len(line) <= 28 for line in lines)
    heights = [sum(line.ljust(28)[at] == "█" for line in lines) for at in range(8, 28)]
    assert heights == sorted(heights)
    assert curve_lines(CURVE[:1]) == []
    assert curve_lines((Lesson(5, 0.0), Lesson(5, 0.0)))[0].strip().startswith("10%")
