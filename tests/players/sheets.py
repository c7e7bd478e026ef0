"""Small rules of all kinds: simultaneous moves, chance, hidden information, three roles."""

from __future__ import annotations

ROSHAMBO = """
role(left) role(right)
legal(R,rock) :- role(R)
legal(R,paper) :- role(R)
next(chose(R,M)) :- does(R,M)
terminal :- true(chose(left,M))
goal(R,100) :- true(chose(R,paper)) & role(S) & true(chose(S,rock))
goal(R,50) :- true(chose(left,M)) & true(chose(right,M)) & role(R)
goal(R,0) :- true(chose(R,rock)) & true(chose(S,paper))
"""

DIE = """
role(random) role(player)
init(start)
legal(random,roll(1)) :- true(start)
legal(random,roll(2)) :- true(start)
legal(player,bet(1)) :- true(start)
legal(player,bet(2)) :- true(start)
next(rolled(N)) :- does(random,roll(N))
next(bet(N)) :- does(player,bet(N))
terminal :- true(rolled(N))
goal(player,100) :- true(rolled(N)) & true(bet(N))
goal(player,0) :- true(rolled(1)) & true(bet(2))
goal(player,0) :- true(rolled(2)) & true(bet(1))
goal(random,0)
"""

HIDDEN = """
role(random) role(player)
init(start)
legal(random,hide(1)) :- true(start)
legal(random,hide(2)) :- true(start)
legal(random,noop) :- ~true(start)
legal(player,wait) :- true(start)
legal(player,guess(1)) :- ~true(start)
legal(player,guess(2)) :- ~true(start)
next(hidden(N)) :- does(random,hide(N))
next(hidden(N)) :- true(hidden(N))
next(guessed(N)) :- does(player,guess(N))
terminal :- true(guessed(N))
goal(player,100) :- true(hidden(N)) & true(guessed(N))
goal(player,0) :- true(hidden(1)) & true(guessed(2))
goal(player,0) :- true(hidden(2)) & true(guessed(1))
goal(random,0)
sees(player,N) :- does(player,guess(N))
"""

LATER = """
role(left) role(right)
init(step(1)) init(control(left))
legal(R,a) :- true(control(R))
legal(R,b) :- true(control(R))
legal(R,noop) :- true(step(1)) & role(R) & ~true(control(R))
legal(R,a) :- true(step(2)) & role(R)
legal(R,b) :- true(step(2)) & role(R)
next(step(2)) :- true(step(1))
next(step(3)) :- true(step(2))
terminal :- true(step(3))
goal(R,50) :- role(R)
"""
"""Turns at first, then both choose at once."""

UNEVEN = """
role(random) role(player)
init(start)
legal(random,throw(N)) :- true(start) & face(N,P)
legal(random,noop) :- ~true(start)
legal(player,wait) :- true(start)
legal(player,guess(P)) :- ~true(start) & place(P)
face(1,a) face(2,a) face(3,a) face(4,b)
place(a) place(b)
next(hidden(P)) :- does(random,throw(N)) & face(N,P)
next(hidden(P)) :- true(hidden(P))
next(guessed(P)) :- does(player,guess(P))
terminal :- true(guessed(P))
goal(player,100) :- true(hidden(P)) & true(guessed(P))
goal(player,0) :- true(hidden(P)) & true(guessed(Q)) & distinct(P,Q)
goal(random,0)
sees(player,thrown) :- does(random,throw(N))
"""
"""Three faces of a die of four hide something at a, one at b: to guess a is right in three cases of four."""

ROAD_AND_FORK = """
role(random) role(walker)
init(at(home))
legal(random,bury(N)) :- true(at(home)) & spot(N,S)
legal(random,noop) :- ~true(at(home))
legal(walker,wait) :- true(at(home))
legal(walker,road(R)) :- true(at(crossing)) & name(R)
legal(walker,turn(S)) :- true(at(fork)) & side(S)
spot(1,right) spot(2,right) spot(3,left) spot(4,right)
name(a) name(b) side(left) side(right)
next(jewels(S)) :- does(random,bury(N)) & spot(N,S)
next(jewels(S)) :- true(jewels(S))
next(at(crossing)) :- true(at(home))
next(at(fork)) :- does(walker,road(b))
next(at(heap)) :- does(walker,road(a))
next(at(S)) :- does(walker,turn(S))
terminal :- true(at(heap))
terminal :- true(at(S)) & side(S)
goal(walker,40) :- true(at(heap))
goal(walker,100) :- true(at(S)) & true(jewels(S))
goal(walker,0) :- true(at(S)) & side(S) & ~true(jewels(S))
goal(walker,20) :- true(at(crossing))
goal(random,0)
sees(walker,P) :- does(walker,P)
"""
"""Road a leads to some gold, road b to a fork: jewels on one side, more often the right, and a bus on the other."""
