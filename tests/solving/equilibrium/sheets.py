"""Small games whose equilibria are known."""

from __future__ import annotations

FORK = """
role(random) role(traveller)
init(at(start)) way(left) way(right)
legal(random,put(W)) :- way(W) & true(at(start))
legal(random,noop) :- ~true(at(start))
legal(traveller,road) :- true(at(start))
legal(traveller,fork) :- true(at(start))
legal(traveller,W) :- way(W) & true(at(fork))
next(gold(W)) :- does(random,put(W))
next(gold(W)) :- true(gold(W))
next(at(road)) :- does(traveller,road)
next(at(fork)) :- does(traveller,fork)
next(at(W)) :- does(traveller,W) & way(W)
sees(traveller,arrived) :- true(at(X))
terminal :- true(at(road))
terminal :- true(at(W)) & way(W)
found :- true(at(W)) & true(gold(W))
goal(traveller,60) :- true(at(road))
goal(traveller,100) :- found
goal(traveller,0) :- true(at(W)) & way(W) & ~found
goal(random,50)
"""
"""A road with a sure 60, or a fork at which one of two ways has 100, and nobody is told which."""

PRISONERS = """
role(a) role(b) role(c)
act(silent) act(tell)
legal(R,A) :- role(R) & act(A) & ~true(over)
next(over) :- does(a,A)
next(told(R)) :- does(R,tell)
terminal :- true(over)
goal(R,50) :- true(told(R))
goal(R,0) :- role(R) & ~true(told(R))
"""
"""Three who choose at once, and for each telling is better whatever the others do."""

ENDLESS = """
role(a) role(b) init(step)
legal(a,wait) legal(a,go) legal(b,wait)
next(step) :- true(step)
sees(a,nothing) :- does(a,wait)
terminal :- ~true(step)
goal(R,0) :- role(R)
"""
"""Nothing that is done ends it."""

GOOFSPIEL = """
role(a) role(b) card(1) card(2) card(3) init(prize(3)) init(has(R,C)) :- role(R) & card(C)
init(points(R,0)) :- role(R)
other(a,b) other(b,a) down(3,2) down(2,1) down(1,0)
sum(0,N,N) :- number(N)
sum(M,N,K) :- down(M,L) & up(N,J) & sum(L,J,K)
number(0) number(N) :- up(M,N)
up(0,1) up(1,2) up(2,3) up(3,4) up(4,5) up(5,6)
less(M,N) :- up(M,N)
less(M,N) :- up(M,L) & less(L,N)
legal(R,bid(C)) :- true(has(R,C)) & ~terminal
next(has(R,C)) :- true(has(R,C)) & ~does(R,bid(C))
next(prize(Q)) :- true(prize(P)) & down(P,Q)
wins(R) :- other(R,S) & does(R,bid(C)) & does(S,bid(D)) & less(D,C)
next(points(R,K)) :- true(points(R,N)) & wins(R) & true(prize(P)) & sum(P,N,K)
next(points(R,N)) :- true(points(R,N)) & ~wins(R)
terminal :- true(prize(0))
ahead(R) :- other(R,S) & true(points(R,N)) & true(points(S,M)) & less(M,N)
goal(R,100) :- ahead(R)
goal(R,0) :- other(R,S) & ahead(S)
goal(R,50) :- role(R) & ~ahead(a) & ~ahead(b)
"""
"""Goofspiel with three cards, the prizes 3, 2 and 1 in this order."""


def matrix(goals: list[list[int]]) -> str:
    """A game in which both choose once: rows and columns, and what rows get; columns get the rest of 100."""
    rows = range(len(goals))
    columns = range(len(goals[0]))
    facts = [f"legal(rows,r{row}) :- ~true(over)" for row in rows]
    facts += [f"legal(columns,c{column}) :- ~true(over)" for column in columns]
    for row in rows:
        for column in columns:
            goal = goals[row][column]
            facts.append(f"goal(rows,{goal}) :- true(did(r{row})) & true(did(c{column}))")
            facts.append(f"goal(columns,{100 - goal}) :- true(did(r{row})) & true(did(c{column}))")
    return "\n".join(
        [
            "role(rows) role(columns) terminal :- true(over) next(over) :- does(rows,M) next(did(M)) :- does(R,M)",
            *facts,
        ]
    )
