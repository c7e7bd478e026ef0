"""A small game with pieces, a clock and facts that are sometimes there; and what its states are worth, step by step."""

from __future__ import annotations

from functools import cache

from gamemaster.machine.game import State

CHASE = """
% A hunter chases a prey on a ring with a tail; after 9 moves without a rest of the prey it has got away.
% A leap of the hunter is dazed(hunter): then the prey may step twice as far.
role(hunter)
role(prey)
opponent(hunter,prey)
opponent(prey,hunter)

near(1,2) near(2,3) near(3,4) near(4,5) near(5,2) near(1,6) near(6,7)
beside(X,Y) :- near(X,Y)
beside(X,Y) :- near(Y,X)
place(X) :- beside(X,Y)
far(X,Z) :- beside(X,Y) & beside(Y,Z) & distinct(X,Z)

init(cell(7,hunter))
init(cell(4,prey))
init(cell(5,prey))
init(control(prey))
init(quiet(0))

taken(X) :- true(cell(X,R))
own(X) :- true(control(R)) & true(cell(X,R))

legal(R,move(X,Y)) :- true(control(R)) & true(cell(X,R)) & beside(X,Y) & ~own(Y)
legal(hunter,leap(X,Y)) :- true(control(hunter)) & true(cell(X,hunter)) & far(X,Y) & ~own(Y)
legal(prey,move(X,Y)) :- true(control(prey)) & true(dazed) & true(cell(X,prey)) & far(X,Y) & ~taken(Y)
legal(R,rest) :- true(control(R))
legal(R,noop) :- opponent(R,S) & true(control(S))

goes(X,Y) :- does(R,move(X,Y))
goes(X,Y) :- does(R,leap(X,Y))
leaps :- does(R,leap(X,Y))
left(X) :- goes(X,Y)
reached(Y) :- goes(X,Y)

next(cell(Y,R)) :- true(control(R)) & reached(Y)
next(cell(X,R)) :- true(cell(X,R)) & ~left(X) & ~reached(X)
next(dazed) :- leaps
next(control(S)) :- true(control(R)) & opponent(R,S)

progress :- reached(Y) & true(cell(Y,R))
next(quiet(0)) :- progress
next(quiet(M)) :- true(quiet(N)) & succ(N,M) & ~progress

succ(0,1) succ(1,2) succ(2,3) succ(3,4) succ(4,5) succ(5,6) succ(6,7) succ(7,8) succ(8,9)

alive(R) :- true(cell(X,R))

terminal :- ~alive(prey)
terminal :- ~alive(hunter)
terminal :- true(quiet(9))

goal(hunter,100) :- ~alive(prey)
goal(hunter,0) :- ~alive(hunter)
goal(hunter,50) :- alive(prey) & alive(hunter)
goal(prey,0) :- ~alive(prey)
goal(prey,100) :- ~alive(hunter)
goal(prey,50) :- alive(prey) & alive(hunter)
"""


@cache
def worth(state: State, role: str) -> int:
    """The goal that a role gets with perfect play of two, looking at everything that can happen."""
    if state.is_terminal:
        return state.goal(role) or 0
    mover = state.chooser
    assert mover is not None
    joint = {each: state.legal_moves(each)[0] for each in state.movers}
    values = [worth(state.next({**joint, mover: move}), role) for move in state.legal_moves(mover)]
    return max(values) if mover == role else min(values)
