"""Searches for games with one role: a line of moves to the best end.

puzzle        what they share
maximizer     everything that can happen
idastar       the shortest solution, by a bound on the moves still needed (`heuristics`)
nested        random games, searched by random games
planner       a logic program for clingo, in a process of its own (`planner_child`)
"""
