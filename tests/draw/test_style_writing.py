"""The style that was found for a game, written as a text; and all that is wrong with a style, told at once."""

from __future__ import annotations

import random

import pytest

import gamemaster as gm
from gamemaster.draw.board import board_of
from gamemaster.draw.finding.found import found_style
from gamemaster.draw.styles.style_file import checked_style, read_style
from gamemaster.draw.styles.writing import style_text
from gamemaster.draw.svg import draw_svg
from gamemaster.games import game_names
from gamemaster.language.source import Source
from gamemaster.load import load

STEPS = 3


@pytest.mark.parametrize("name", game_names())
def test_what_was_found_and_is_written_draws_the_same(name: str) -> None:
    game = load(name, machine="reference")
    style = read_style(Source("style.toml", style_text(game)), game)
    state, generator = game.initial_state(), random.Random(1)
    for _ in range(STEPS):
        assert draw_svg(board_of(state, style=style)) == draw_svg(board_of(state, style=found_style(game)))
        if state.is_over:
            break
        state = state.next(state.random_moves(generator))


def test_a_text_to_begin_with_says_what_is_drawn() -> None:
    text = style_text(load("breakthrough", machine="reference"))
    assert 'relation = "cell"\nkind = "square"' in text
    assert 'white = {glyph = "disc", colour = "white"}' in text
    assert '[[counter]]\nrelation = "control"' in text


def test_names_that_a_style_cannot_have_are_left_out() -> None:
    long = "w" * 90
    rules = f"""role(red) role(blue) n(1) n(2) n(3) init(cell(X,Y,{long})) :- n(X) & n(Y)
    init(cell(1,1,red)) init(step(1)) legal(R,noop) :- role(R)"""
    game = gm.parse(rules, "hrf", machine="reference", name="odd\nname")
    text = style_text(game)
    assert long not in text
    assert "odd name" in text.splitlines()[0]
    assert "A Better Name" in style_text(game, "A Better Name").splitlines()[0]
    read_style(Source("style.toml", text), game)


BROKEN = """hide = ["nothing"]

[[board]]
relation = "cel"

[[board]]
relation = "cell"
look = "gold"

[pieces]
x = "rok"
o = {colour = "rgb(1,2,3)"}

[[counter]]
relation = "control"
value = 9

[more]
"""


def test_each_mistake_is_told_at_its_line() -> None:
    game = load("tictactoe", machine="reference")
    style, mistakes = checked_style(Source("style.toml", BROKEN), game)
    assert style is not None
    lines = {mistake.place.line for mistake in mistakes if mistake.place}
    assert lines == {1, 4, 8, 11, 12, 16, 18}
    assert all(mistake.hint for mistake in mistakes)


def test_what_is_right_of_a_style_counts_beside_what_is_wrong() -> None:
    game = load("tictactoe", machine="reference")
    text = '[[board]]\nrelation = "cell"\nlook = "wood"\n\n[pieces]\nx = "rok"\no = "star"\n'
    style, mistakes = checked_style(Source("style.toml", text), game)
    assert style is not None
    assert len(mistakes) == 1
    assert style.boards[0].look == "wood"
    assert style.pieces["o"].glyph == "star"
    assert "x" not in style.pieces


def test_contents_that_there_are_not_are_told_one_by_one() -> None:
    game = load("tictactoe", machine="reference")
    text = '[pieces]\nx = "star"\nxx = "star"\nyy = "star"\n'
    mistakes = checked_style(Source("style.toml", text), game)[1]
    assert [mistake.place.line for mistake in mistakes if mistake.place] == [3, 4]


def test_a_text_that_is_no_toml_has_no_style() -> None:
    style, mistakes = checked_style(Source("style.toml", "[[board"), load("tictactoe", machine="reference"))
    assert style is None
    assert len(mistakes) == 1


def test_no_more_mistakes_are_told_than_anybody_reads() -> None:
    text = "[pieces]\n" + "".join(f'a{number} = "rok"\n' for number in range(400))
    mistakes = checked_style(Source("style.toml", text), load("tictactoe", machine="reference"))[1]
    assert len(mistakes) == 50
