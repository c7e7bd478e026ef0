"""What a role has seen of a game that hides its state -> where the game can be, and what to do there.

particles, lanes    states with weights, and what each role knows in them; a step on, state by state or in lanes
thinning            fewer of them, in the mean the same
lane_code           a compiled game as kernels want it, for what follows
lane_steps          particles in machine code: every joint move tried, a sample that gets small renewed
lane_leads          what a sample that ran dry is to become: the moves that would show what was seen
nearness            how many facts of a state are in the way of such a move
beliefs             where the game can be, followed from step to step: `Beliefs`
ismcts              a tree for each role, whose nodes are what that role knows
lane_trees          the same in machine code, whose rounds go down in lanes
pimc                each state searched as if it were known, and the values averaged
sure                what a role can do to win for sure, proven

An algorithm here has `search_beliefs(beliefs, budget, seed=0, ...)` beside `search`, which takes a state as if it were
known: what a search is told of a hidden game is where it can be.
"""
