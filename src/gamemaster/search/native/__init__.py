"""Compiled game + budget -> SearchResult: searches in machine code.

engine        a game as the kernels want it, and a stopwatch; alarm is the thread that watches
kernels/      numba functions on arrays, compiled once for all games
warming       getting ready before a clock starts
solver        alpha-beta
expectiminimax    the same where chance moves too, with Star1 and Star2
dfpn          proof-number search: can a role get so much, yes or no
prover        proofs to the ends of the game, by several threads
frontier      a puzzle's states, each found once: for breadth and bestfirst
breadth       everything that can come of a puzzle, layer by layer
bestfirst     the same, what looks nearest to a solution first
filling       what a solution wants, the want with the fewest ways left first
nrpa          random games by policies that learn from the best of them
patterns      facts that together win, for the order in which a proof tries moves
symmetries    states that are the same but for a symmetry of the rules
options       what Monte Carlo tree search can be told
mcts          Monte Carlo tree search
learning      weights of facts, from random games
judgement     what a state looks to be worth, learnt by self-play; knowledge keeps it on disk
tuples        small groups of neighbouring cells, of which judgement learns what each way to fill them is worth
self_play     games against itself, from which it learns
worths        what a judgement holds facts and pairs of facts to be worth
judging       alpha-beta that plays by it
trials        quick games: which of two searches suits a game
tuning        which settings of mcts suit a game
"""
