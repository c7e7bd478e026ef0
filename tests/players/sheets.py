"""Rules that the library has no game for: simultaneous moves, chance, hidden information, three roles."""

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
