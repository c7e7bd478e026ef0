from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gamemaster.errors import ParameterError
from gamemaster.games import game_names
from gamemaster.load import load
from gamemaster.web.path import Line, path_query, path_read, path_written

lines = st.lists(st.lists(st.none() | st.text(), min_size=1, max_size=6), max_size=8)


@given(lines)
@example([["~s", ";|?~", "", "?"], [None]])
def test_a_line_comes_back_from_its_text(line: Line) -> None:
    assert path_read(path_written(line)) == tuple(map(tuple, line))


@given(lines)
def test_a_line_comes_back_from_an_address(line: Line) -> None:
    address = urlsplit(f"http://127.0.0.1/standalone/tictactoe{path_query(line)}")
    told = parse_qs(address.query, keep_blank_values=True, errors="surrogatepass").get("moves", [""])[0]
    assert path_read(told) == tuple(map(tuple, line))


def test_usual_moves_are_written_as_they_are() -> None:
    for name in game_names():
        state = load(name).initial_state()
        for move in (str(move) for role in state.movers for move in state.legal_moves(role)):
            assert path_written([[move]]) == move


def test_a_line_is_readable_in_an_address() -> None:
    assert path_query([["mark(1,1)"], ["mark(2,2)"]]) == "?moves=mark(1,1);mark(2,2)"
    assert path_query([]) == ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a;;b", "no move in step 2"),
        (";", "no move in step 1"),
        ("a|", "no move in step 1"),
        ("a~x", "'~x' means nothing"),
        ("a~", "'~' means nothing"),
        ("a?", "stands alone"),
        ("|".join("a" * 51), "51 moves"),
        (";".join("a" * 5001), "5,001 steps"),
        ("a" * 200_001, "200,001 characters"),
    ],
)
def test_what_is_no_line_is_refused_in_words(text: str, reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        path_read(text)
