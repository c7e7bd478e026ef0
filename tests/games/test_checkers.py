"""Checkers and its variants: published counts, the rules one by one, and random positions beside a plain program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from random import Random
from typing import TypeAlias

import pytest

import gamemaster as gm
from gamemaster.games import entry

COLUMNS = "abcdefgh"
SQUARES = [(x, y) for x in range(8) for y in range(8) if (x + y) % 2 == 0]
OTHER = {"black": "white", "white": "black"}

Square: TypeAlias = tuple[int, int]
Board: TypeAlias = Mapping[Square, str]
"""Square -> "black man", "white king", ..."""
Moved: TypeAlias = tuple[tuple[Square, ...], frozenset[Square]]
"""The squares of a move from the first to the last, and those that it takes."""


# A plain program that knows the rules


def all_moves(board: Board, role: str, *, is_round: bool = False) -> list[Moved]:
    """Every move of a role, of which those that jump count alone."""
    own = [square for square, piece in board.items() if piece.startswith(role)]
    jumps = [move for square in own for move in all_jumps(board, (square,), frozenset(), is_round)]
    steps = [
        ((square, to), frozenset[Square]()) for square in own for _, to, _ in around(board, square, is_round)
    ]
    return jumps or [move for move in steps if move[0][1] not in board]


def all_jumps(
    board: Board, path: tuple[Square, ...], taken: frozenset[Square], is_round: bool
) -> Iterator[Moved]:
    """Every series of jumps that goes on from a path, as far as it goes."""
    role = board[path[0]].split()[0]
    goes_on = False
    for _, over, to in around(board, path[0], is_round, path[-1]):
        can_land = to is not None and (to not in board or to == path[0])
        if (
            to is not None
            and can_land
            and over not in taken
            and board.get(over, role).startswith(OTHER[role])
        ):
            goes_on = True
            yield from all_jumps(board, (*path, to), taken | {over}, is_round)
    if taken and not goes_on:
        yield path, taken


def around(
    board: Board, piece: Square, is_round: bool, place: Square | None = None
) -> Iterator[tuple[Square, Square, Square | None]]:
    """The squares next to a place in the directions of a piece, each with the one behind it, if there is one."""
    role, kind = board[piece].split()
    x, y = place or piece
    ahead = 1 if role == "black" else -1
    for across in (-1, 1):
        for along in (ahead, -ahead) if kind == "king" else (ahead,):
            near, far = ((x + n * across, y + n * along) for n in (1, 2))
            near, far = ((u % 8, v) if is_round else (u, v) for u, v in (near, far))
            if near in SQUARES:
                yield piece, near, far if far in SQUARES else None


def board_after(board: Board, move: Moved) -> Board:
    (first, *_, last), taken = move
    kept = {square: piece for square, piece in board.items() if square not in (*taken, first)}
    is_crowned = last[1] == (7 if board[first].startswith("black") else 0)
    return {**kept, last: board[first].replace("man", "king") if is_crowned else board[first]}


def count(depth: int, *, is_round: bool) -> list[int]:
    """How many sequences of moves there are of each length."""
    start = {each: "black man" if each[1] < 3 else "white man" for each in SQUARES if each[1] not in (3, 4)}
    layer, role, counts = {frozenset(start.items()): 1}, "black", []
    for _ in range(depth):
        following: dict[frozenset[tuple[Square, str]], int] = {}
        for board, ways in layer.items():
            for move in all_moves(dict(board), role, is_round=is_round):
                after = frozenset(board_after(dict(board), move).items())
                following[after] = following.get(after, 0) + ways
        layer, role = following, OTHER[role]
        counts.append(sum(layer.values()))
    return counts


# What the sheet calls things


@cache
def checkers(variant: str = "") -> gm.Game:
    return gm.load(f"checkers{variant}", machine="compiled")


def facts(board: Board, role: str, quiet: int = 0) -> list[str]:
    cells = [f"cell({COLUMNS[x]},{y + 1},{','.join(p.split())})" for (x, y), p in board.items()]
    return [*cells, f"control({role})", f"quiet({quiet})"]


def written(move: Moved, longest: int = 9) -> str:
    """A move, or as much of it as is made in one step."""
    path, taken = move
    squares = path[: longest + 1]
    number = len(squares) - 1 if len(squares) > 2 else ""
    word = f"jump{number}" if taken else "move"
    return f"{word}({','.join(f'{COLUMNS[x]},{y + 1}' for x, y in squares)})"


def at(text: str, role: str = "black", *, quiet: int = 0, variant: str = "") -> gm.State:
    """The state with pieces such as `c3 D4`: black's, then after a slash white's; capitals are kings."""
    board = {}
    for owner, pieces in zip(("black", "white"), text.split("/"), strict=True):
        for each in pieces.split():
            square = COLUMNS.index(each[0].lower()), int(each[1]) - 1
            board[square] = f"{owner} {'king' if each[0].isupper() else 'man'}"
    return checkers(variant).state(facts(board, role, quiet))


def moves(state: gm.State) -> set[str]:
    assert state.control is not None
    return {*map(str, state.legal_moves(state.control))}


def result(state: gm.State) -> tuple[int | None, int | None] | None:
    return (state.goal("black"), state.goal("white")) if state.is_terminal else None


# Counts


def test_published_counts_hold() -> None:
    assert entry("checkers").perft == (7, 49, 302, 1469, 7361, 36768)
    assert checkers().perft(6) == [7, 49, 302, 1469, 7361, 36768]


@pytest.mark.slow
def test_published_counts_hold_further_on() -> None:
    assert checkers().perft(8)[6:] == [179740, 845931]


@pytest.mark.parametrize("name", ["checkers", "checkers:cylinder"])
def test_a_plain_program_counts_as_many(name: str) -> None:
    counts = count(4, is_round=name.endswith("cylinder"))
    assert gm.load(name, machine="compiled").perft(4) == counts


@pytest.mark.slow
def test_a_plain_program_counts_as_many_on_the_cylinder_further_on() -> None:
    (cylinder,) = entry("checkers").variants
    assert count(6, is_round=True) == checkers(":cylinder").perft(6) == list(cylinder.perft)


# The rules


def test_men_go_ahead_and_kings_back_too() -> None:
    assert moves(at("c3/h8")) == {"move(c,3,b,4)", "move(c,3,d,4)"}
    assert moves(at("a1/f6", "white")) == {"move(f,6,e,5)", "move(f,6,g,5)"}
    assert moves(at("C3/h8")) == {"move(c,3,b,4)", "move(c,3,d,4)", "move(c,3,b,2)", "move(c,3,d,2)"}


def test_whoever_can_jump_must() -> None:
    assert moves(at("c3 g3/d4 h8")) == {"jump(c,3,e,5)"}
    assert "jump(c,3,e,5)" not in moves(at("c3/d4 e5"))
    assert moves(at("c5/d4 h8")) == {"move(c,5,b,6)", "move(c,5,d,6)"}  # a man does not jump back
    assert moves(at("C5/d4 h8")) == {"jump(c,5,e,3)"}


def test_a_jump_takes_what_it_jumps_over() -> None:
    state = at("c3/d4 h8").next("jump(c,3,e,5)")
    assert {*map(str, state.facts)} == {
        *("cell(e,5,black,man)", "cell(h,8,white,man)", "control(white)", "quiet(0)")
    }


def test_a_series_of_jumps_is_one_move_and_does_not_stop_halfway() -> None:
    assert moves(at("c3/d4 f6 d6")) == {"jump2(c,3,e,5,g,7)", "jump2(c,3,e,5,c,7)"}
    after = at("c3/d4 f6 d6").next("jump2(c,3,e,5,g,7)")
    assert {str(fact) for fact in after.facts if str(fact).startswith("cell")} == {
        *("cell(g,7,black,man)", "cell(d,6,white,man)")
    }


def test_a_king_may_come_back_to_where_it_was_but_jumps_over_nothing_twice() -> None:
    around_and_back = at("A3 A1/b4 d4 b2 d2 h8")
    assert "jump4(a,3,c,5,e,3,c,1,a,3)" in moves(around_and_back)
    after = around_and_back.next("jump4(a,3,c,5,e,3,c,1,a,3)")
    assert after.holds("cell(a,3,black,king)")
    assert sum("white" in str(fact) for fact in after.facts) == 2  # one man, and control


def test_nine_jumps_are_one_move() -> None:
    state = at("A1/b2 b4 b6 d2 d4 d6 f2 f4 f6")
    (move, *_) = [move for move in moves(state) if move.startswith("jump9(a,1,c,3,")]
    assert result(state.next(move)) == (100, 0)


def test_a_man_that_is_crowned_goes_no_further() -> None:
    state = at("b6/c7 e7")
    assert moves(state) == {"jump(b,6,d,8)"}
    after = state.next("jump(b,6,d,8)")
    assert after.holds("cell(d,8,black,king)")
    assert after.control == "white"


def test_a_jump_that_is_longer_than_a_move_goes_on_in_the_next_step() -> None:
    state = at("c3/d4 f6 h8", variant=":longest=1").next("jump(c,3,e,5)")
    assert state.holds("going(e,5)")
    assert moves(state) == {"jump(e,5,g,7)"}
    assert [*map(str, state.legal_moves("white"))] == ["noop"]
    after = state.next("jump(e,5,g,7)")
    assert after.control == "white"
    assert not any(str(fact).startswith("going") for fact in after.facts)


def test_the_cylinder_is_round() -> None:
    assert moves(at("h4/a1", variant=":cylinder")) == {"move(h,4,g,5)", "move(h,4,a,5)"}
    assert moves(at("h4/a5 c1", variant=":cylinder")) == {"jump(h,4,b,6)"}


# Ends


@pytest.mark.parametrize(
    ("text", "role", "quiet", "expected"),
    [
        ("c3/", "white", 0, (100, 0)),  # nobody left
        ("/c3", "black", 0, (0, 100)),
        ("a7/b8", "black", 0, (0, 100)),  # nowhere to go
        ("A1/H8", "black", 80, (50, 50)),  # forty moves each
        ("A1/H8", "black", 79, None),
        ("A1/", "white", 80, (100, 0)),
    ],
)
def test_games_end(text: str, role: str, quiet: int, expected: tuple[int, int] | None) -> None:
    assert result(at(text, role, quiet=quiet)) == expected


def test_forty_moves_are_counted_from_the_last_jump_or_man_s_move() -> None:
    state = at("A1 c3/H8", quiet=79)
    assert result(state.next("move(a,1,b,2)")) == (50, 50)
    assert state.next("move(c,3,d,4)").holds("quiet(0)")


# Beside the plain program


def random_board(generator: Random) -> Board:
    """Few pieces or many, kings among them, one side with more of them."""
    squares = generator.sample(SQUARES, generator.randint(2, 14))
    strong = generator.choice([("black", "white", "white"), ("black", "black", "white")])
    return {
        square: f"{generator.choice(strong)} {'king' if square[1] in (0, 7) else generator.choice(('man', 'king'))}"
        for square in squares
    }


@pytest.mark.parametrize(("variant", "longest"), [("", 9), (":cylinder", 4), (":longest=1", 1)])
def test_random_positions_have_the_same_moves(variant: str, longest: int) -> None:
    generator, is_round = Random(7), variant == ":cylinder"
    seen = 0
    for _ in range(150):
        board, role = random_board(generator), generator.choice(("black", "white"))
        state = checkers(variant).state(facts(board, role))
        expected = all_moves(board, role, is_round=is_round)
        assert state.is_terminal == (not expected)
        if not expected:
            continue
        assert moves(state) == {written(move, longest) for move in expected}
        move = generator.choice(expected)
        seen = max(seen, len(move[1]))
        assert_same(played(state, move, role, longest), board_after(board, move), OTHER[role])
    assert seen >= 3


def played(state: gm.State, move: Moved, role: str, longest: int) -> gm.State:
    """The state after a move, in as many steps as it takes."""
    path, taken = move
    while len(path) > 1:
        state = state.next({role: written((path, taken), longest), OTHER[role]: "noop"})
        path = path[longest:]
    return state


def assert_same(state: gm.State, board: Board, role: str) -> None:
    found = {str(fact) for fact in state.facts if not str(fact).startswith("quiet")}
    assert found == {fact for fact in facts(board, role) if not fact.startswith("quiet")}
