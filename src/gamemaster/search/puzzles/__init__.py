"""State + budget -> SearchResult, in games with one role: a line of moves to the best end.

puzzle                    what they share
maximizer                 everything that can happen
idastar, heuristics       the shortest solution, by a bound on the moves still needed
nested                    random games, searched by random games
wants                     what every good end has, read off the gates
planner, planner_child    a logic program for clingo, in a process of its own

In machine code there are more, in ../native: breadth, bestfirst, filling, nrpa.
"""
