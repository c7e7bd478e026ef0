"""Contents -> glyphs and colours, by the words that rulesheets use."""

from __future__ import annotations

import pytest

from gamemaster.draw.finding.pieces import colour_of, looks_of, words_of

ROLES = ("white", "black")


@pytest.mark.parametrize(
    ("content", "glyph", "colour"),
    [
        ("whiteknight", "knight", "white"),
        ("black_rook", "rook", "black"),
        ("white king unpromoted", "chess_king", "white"),
        ("black", "disc", "black"),
        ("teal", "disc", "cyan"),
        ("hole", "wall", "plain"),
        ("cellofflimits", "wall", "plain"),
        ("7", "number", "plain"),
        ("4 black", "number", "black"),
        ("wizard", "text", "plain"),
    ],
)
def test_words_say_what_a_thing_is_and_whose(content: str, glyph: str, colour: str) -> None:
    look = looks_of([content], ROLES)[content]
    assert (look.glyph, look.colour) == (glyph, colour)


def test_letters_are_chessmen_only_where_all_are() -> None:
    looks = looks_of(["wn", "bk", "wq"], ROLES)
    assert [(look.glyph, look.name) for look in looks.values()] == [
        ("knight", "white knight"),
        ("chess_king", "black king"),
        ("queen", "white queen"),
    ]
    assert {look.glyph for look in looks_of(["wn", "zz"], ROLES).values()} == {"text"}


def test_pawns_and_kings_alone_are_men_and_kings() -> None:
    assert [look.glyph for look in looks_of(["wp", "wk", "bp", "bk"], ROLES).values()] == [
        "man",
        "king",
        "man",
        "king",
    ]


def test_a_chess_set_has_letters_for_what_is_no_chessman() -> None:
    looks = looks_of(["white rook", "white king", "white bishop", "white gold"], ROLES)
    assert looks["white gold"].glyph == "text"


@pytest.mark.parametrize(("content", "symbol"), [("mov_left", "←"), ("s12", "12"), ("twocoins", "2")])
def test_arrows_and_numbers_are_written_as_such(content: str, symbol: str) -> None:
    assert looks_of([content], ("snake",))[content].symbol == symbol


def test_roles_have_the_colour_they_are_named_after_or_their_own() -> None:
    assert colour_of("o", ("xplayer", "oplayer")) == "role 2"
    assert colour_of("ecks", ("xplayer", "oplayer")) == "role 1"
    assert colour_of("r", ("redduper", "blueduper", "redjumper")) == "red"
    assert looks_of(["x"], ("x", "o"))["x"].glyph == "x"


def test_words_are_found_in_names_run_together() -> None:
    assert words_of("bluebrush", ("blue",)) == ["blue", "brush"]
    assert words_of("blockednorth") == ["blocked", "north"]
    assert words_of("cell_lt_right") == ["cell", "lt", "right"]


def test_a_name_beyond_all_reason_is_one_word() -> None:
    assert words_of("blue" + "a" * 1_000_000, ("blue",)) == ["blue" + "a" * 1_000_000]
    assert words_of("blue" + "a" * 50) == ["blue", "a" * 50]


def test_blanks_have_no_look() -> None:
    assert looks_of(["b", "x"], ("x", "o"), {"b"}).keys() == {"x"}
