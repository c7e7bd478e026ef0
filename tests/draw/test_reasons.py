"""What is pointed out on a board: the last step, and what a win is made of."""

from __future__ import annotations

import pytest

import gamemaster as gm
from gamemaster.draw.reasons import new_facts, pointed_out, winners, winning_facts
from gamemaster.draw.steps import board_after
from gamemaster.draw.text import draw_colour, draw_text

TICTACTOE = gm.load("tictactoe", machine="reference")

COUNT = """
role(x) role(o)
init(control(x))
square(1) square(2) square(3) square(4)
index(M,N) :- square(M) & square(N)
base(cell(M,N,Z)) :- index(M,N) & role(Z)
init(cell(1,1,x)) init(cell(2,2,x)) init(cell(3,3,x)) init(cell(4,4,o)) init(cell(1,4,o))
legal(x,take(1,2)) :- true(control(x))
legal(x,take(2,1)) :- true(control(x))
legal(o,noop) :- true(control(x))
next(cell(M,N,Z)) :- true(cell(M,N,Z))
next(cell(M,N,x)) :- does(x,take(M,N))
next(control(o)) :- true(control(x))
two(Z) :- true(cell(A,B,Z)) & true(cell(C,D,Z)) & distinct(A,C)
terminal :- true(control(o))
goal(x,100) :- two(x)
goal(x,0) :- ~two(x)
goal(o,0)
"""


def played(game: gm.Game, moves: str) -> tuple[gm.State, gm.State]:
    before = state = game.initial_state()
    for move in moves.split():
        before, state = state, state.next(move)
    return before, state


def texts(facts: frozenset[gm.Term]) -> list[str]:
    return sorted(map(str, facts))


def test_the_last_step_is_in_brackets() -> None:
    before, state = played(TICTACTOE, "mark(2,2) mark(1,3)")
    assert texts(new_facts(before, state)) == ["cell(1,3,o)"]
    assert draw_text(state, marked=new_facts(before, state)).startswith(
        "  1 2 3\n1 · ·[o]\n2 · x ·\n3 · · ·\n"
    )
    assert new_facts(None, state) == frozenset()


def test_a_win_is_pointed_out_rather_than_the_step_that_made_it() -> None:
    moves = "mark(1,1) mark(1,2) mark(2,2) mark(1,3) mark(3,3)"
    assert texts(pointed_out(*played(TICTACTOE, moves))) == ["cell(1,1,x)", "cell(2,2,x)", "cell(3,3,x)"]
    assert texts(pointed_out(*played(TICTACTOE, moves[:-10]))) == ["cell(1,3,o)"]
    drawn = "mark(1,1) mark(2,2) mark(3,3) mark(1,2) mark(3,2) mark(3,1) mark(1,3) mark(2,3) mark(2,1)"
    assert texts(pointed_out(*played(TICTACTOE, drawn))) == ["cell(2,1,x)"]


def test_cells_beside_each_other_share_brackets() -> None:
    _, state = played(TICTACTOE, "mark(1,1) mark(2,1) mark(1,2) mark(2,2) mark(1,3)")
    row = [fact for fact in state.facts if str(fact).startswith("cell(1,")]
    drawn = draw_text(state, marked=row)
    assert drawn.startswith("  1 2 3\n1[x x x]\n2 o o ·\n")
    assert draw_colour(state, marked=row).plain == drawn
    apart = [fact for fact in row if "2" not in str(fact)]
    assert draw_text(state, marked=apart).startswith("  1 2 3\n1[x]x[x]\n")


@pytest.mark.parametrize(
    ("name", "moves", "line"),
    [
        (
            "tictactoe",
            "mark(1,1) mark(1,2) mark(2,2) mark(1,3) mark(3,3)",
            ["cell(1,1,x)", "cell(2,2,x)", "cell(3,3,x)"],
        ),
        (
            "connectfour",
            "drop(1) drop(2) drop(1) drop(2) drop(1) drop(2) drop(1)",
            [f"cell(1,{row},red)" for row in range(1, 5)],
        ),
        ("donttouch", "mark(1,1) mark(4,4) mark(1,2)", ["cell(1,1,x)", "cell(1,2,x)"]),
    ],
)
def test_a_win_is_made_of_the_facts_that_it_needs(name: str, moves: str, line: list[str]) -> None:
    before, state = played(gm.load(name, machine="reference"), moves)
    assert state.is_terminal
    assert texts(winning_facts(before, state)) == line


def test_two_lines_at_once_show_one_of_them() -> None:
    moves = "mark(1,1) mark(1,2) mark(3,3) mark(2,1) mark(1,3) mark(2,2) mark(3,1) mark(2,3)"
    before, state = played(TICTACTOE, moves)
    assert len(winning_facts(before, state)) == 3


def test_a_draw_and_a_win_by_count_have_no_line() -> None:
    moves = "mark(1,1) mark(1,2) mark(1,3) mark(2,2) mark(2,1) mark(2,3) mark(3,2) mark(3,1) mark(3,3)"
    before, state = played(TICTACTOE, moves)
    assert winners(state) == ("x", "o")
    assert winning_facts(before, state) == frozenset()
    before, state = played(gm.parse(COUNT, machine="reference"), "take(1,2)")
    assert winners(state) == ("x",)
    assert winning_facts(before, state) == frozenset()


def test_a_win_is_not_looked_at_for_longer_than_allowed() -> None:
    before, state = played(TICTACTOE, "mark(1,1) mark(1,2) mark(2,2) mark(1,3) mark(3,3)")
    assert winning_facts(before, state, seconds=-1) == frozenset()


def test_rules_that_say_nothing_of_states_that_never_occur_point_out_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before, state = played(TICTACTOE, "mark(1,1) mark(1,2) mark(2,2) mark(1,3) mark(3,3)")

    def refuse(*_: object) -> None:
        raise gm.StateError("no such state")

    monkeypatch.setattr(type(TICTACTOE), "state", refuse)
    assert winning_facts(before, state) == frozenset()


def test_where_only_chance_plays_nobody_wins() -> None:
    rules = "role(random) init(p(1)) legal(random,a) next(p(2)) terminal :- true(p(2)) goal(random,0)"
    before, state = played(gm.parse(rules, machine="reference"), "a")
    assert winners(state) == ()
    assert winning_facts(before, state) == frozenset()


LOST = """
role(x) role(random)
square(1) square(2) square(3)
init(cell(M,N,b)) :- square(M) & square(N)
legal(x,mark(1,1)) legal(x,mark(2,2)) legal(random,noop)
next(cell(M,N,x)) :- does(x,mark(M,N))
next(cell(M,N,Z)) :- true(cell(M,N,Z)) & ~does(x,mark(M,N))
terminal :- true(cell(M,N,x))
goal(x,0) :- true(cell(1,1,x))
"""


def test_a_puzzle_with_chance_that_is_lost_is_not_marked_as_a_win() -> None:
    before = gm.parse(LOST, "hrf", machine="reference").initial_state()
    state = before.next({"x": "mark(1,1)", "random": "noop"})
    assert state.is_terminal
    assert winning_facts(before, state) == frozenset()
    assert not any("win" in cell.marks for cell in board_after(before, state).cell_of.values())
