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
