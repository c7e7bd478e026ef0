"""Puzzles for tests: a sheet each, and how to write one down."""

from __future__ import annotations

from collections import deque
from itertools import product

EIGHT_RULES = """
role(robot)
succ(1,2) succ(2,3)
near(X,Y) :- succ(X,Y)
near(X,Y) :- succ(Y,X)
index(1) index(2) index(3)
beside(X,Y,X,V) :- index(X) & near(Y,V)
beside(X,Y,U,Y) :- index(Y) & near(X,U)
legal(robot,slide(X,Y,U,V)) :- true(cell(U,V,b)) & beside(X,Y,U,V)
moved(U,V) :- does(robot,slide(X,Y,U,V))
moved(X,Y) :- does(robot,slide(X,Y,U,V))
next(cell(U,V,T)) :- does(robot,slide(X,Y,U,V)) & true(cell(X,Y,T))
next(cell(X,Y,b)) :- does(robot,slide(X,Y,U,V))
next(cell(X,Y,T)) :- true(cell(X,Y,T)) & ~moved(X,Y)
terminal :- solved
goal(robot,100) :- solved
goal(robot,0) :- ~solved
"""

SOLVED = "12345678b"


def eight_puzzle(tiles: str) -> str:
    """The sheet of the 3x3 sliding puzzle from tiles in reading order, `b` the blank."""
    cells = [f"cell({row},{column},{{}})" for row, column in product((1, 2, 3), repeat=2)]
    start = "\n".join(f"init({cell.format(tile)})" for cell, tile in zip(cells, tiles, strict=True))
    end = " & ".join(f"true({cell.format(tile)})" for cell, tile in zip(cells, SOLVED, strict=True))
    return f"{EIGHT_RULES}{start}\nsolved :- {end}\n"


def fewest_slides(tiles: str) -> int:
    """The length of a shortest solution, by breadth-first search over texts."""
    todo, seen = deque([(tiles, 0)]), {tiles}
    while todo:
        state, slides = todo.popleft()
        if state == SOLVED:
            return slides
        blank = state.index("b")
        for other in range(9):
            if abs(other // 3 - blank // 3) + abs(other % 3 - blank % 3) == 1:
                low, high = sorted((other, blank))
                after = state[:low] + state[high] + state[low + 1 : high] + state[low] + state[high + 1 :]
                if after not in seen:
                    seen.add(after)
                    todo.append((after, slides + 1))
    raise ValueError(f"no solution from {tiles!r}")


ADDITIONS = "\n".join(
    f"adds({a},{b},{c},{(a + b + c) % 10},{(a + b + c) // 10})"
    for a, b, c in product(range(10), range(10), range(2))
)
DIGITS = " ".join(f"digit({d})" for d in range(10))

SEND_MORE_MONEY = f"""
% SEND + MORE = MONEY: give each of eight letters a digit of its own, the letters in turn
role(robot) init(turn(s))
after(s,e) after(e,n) after(n,d) after(d,m) after(m,o) after(o,r) after(r,y) after(y,nothing)
first(s) first(m)
{DIGITS}
{ADDITIONS}
used(D) :- true(is(L,D))
leading(0,L) :- first(L)
legal(robot,give(L,D)) :- true(turn(L)) & digit(D) & ~used(D) & ~leading(D,L)
next(is(L,D)) :- does(robot,give(L,D))
next(is(L,D)) :- true(is(L,D))
next(turn(M)) :- true(turn(L)) & after(L,M)
carry(1,C) :- true(is(d,X)) & true(is(e,Y)) & true(is(y,Z)) & adds(X,Y,0,Z,C)
carry(2,C) :- carry(1,B) & true(is(n,X)) & true(is(r,Y)) & true(is(e,Z)) & adds(X,Y,B,Z,C)
carry(3,C) :- carry(2,B) & true(is(e,X)) & true(is(o,Y)) & true(is(n,Z)) & adds(X,Y,B,Z,C)
carry(4,C) :- carry(3,B) & true(is(s,X)) & true(is(m,Y)) & true(is(o,Z)) & adds(X,Y,B,Z,C)
right :- carry(4,C) & true(is(m,C))
terminal :- true(turn(nothing))
goal(robot,100) :- right
goal(robot,0) :- ~right
"""

LADDER = """
% Climb for two steps: a rung is worth more than the floor, the top cannot be reached in time
role(robot) init(at(0)) init(time(0)) succ(0,1) succ(1,2) succ(2,3)
pays(0,0) pays(1,30) pays(2,60) pays(3,100)
legal(robot,climb) :- true(at(X)) & succ(X,Y)
legal(robot,wait)
next(at(Y)) :- true(at(X)) & succ(X,Y) & does(robot,climb)
next(at(X)) :- true(at(X)) & does(robot,wait)
next(time(T)) :- true(time(S)) & succ(S,T)
terminal :- true(time(2))
goal(robot,P) :- true(at(X)) & pays(X,P)
"""

COUNTED = """
role(robot) init(none) mark(a) mark(b)
legal(robot,add(M)) :- mark(M) & ~true(has(M))
next(has(M)) :- does(robot,add(M))
next(has(M)) :- true(has(M))
number(N) :- countofall(M,true(has(M)),N)
terminal :- number(2)
goal(robot,100) :- number(2)
goal(robot,0) :- ~number(2)
"""

DOUBLING = """
% A text that grows beyond what texts may be, unless the robot stops
role(robot) init(text("abcdefgh"))
legal(robot,double) legal(robot,stop)
next(text(Y)) :- true(text(X)) & stringappend(X,X,Y) & ~does(robot,stop)
next(over) :- does(robot,stop)
terminal :- true(over)
goal(robot,50)
"""

ONE_MOVE = """
role(robot) init(start) letter(a) letter(b) letter(c)
legal(robot,X) :- letter(X)
next(chosen(X)) :- does(robot,X)
terminal :- true(chosen(X))
goal(robot,100) :- true(chosen(b))
goal(robot,30) :- true(chosen(X)) & distinct(X,b)
goal(robot,10) :- true(start)
"""
