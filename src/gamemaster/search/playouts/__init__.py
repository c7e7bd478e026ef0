"""State + budget -> SearchResult: searches that try moves in random games, in Python, on any machine.

batches      depth charges by the batch, and what these searches share
mcs          a few levels of all moves, then random games
uct          a tree that grows where it is promising
decoupled    the same where roles choose at once; joint_lanes is that in machine code
"""
