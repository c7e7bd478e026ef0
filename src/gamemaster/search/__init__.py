"""State + budget -> SearchResult: every way of choosing a move, one algorithm a file.

budget, result              what a search may spend, what it returns
catalogue, door             the algorithms by name, and what is seen to for all of them
parameters                  what they can be told
suitable, goals, scale      which games they take; what a role can get, and how ends and estimates compare
position, tally             a place in a game as a search sees it; what moves at the root are worth so far
evaluation, proximity       what a state that is not terminal looks to be worth
trees/                      look at every move
playouts/                   try moves in random games
puzzles/                    one role only
tracing/                    small trees, and every step of a search of them
hidden/                     where a hidden game can be, and searches that go by that
native/                     the strongest, in machine code

An algorithm's file has `search(state, role, budget, seed=0, ...)`, which returns a SearchResult within the budget, and
refuses with `Unsuitable` a game that it cannot handle.
"""
