"""Rows of bits -> values and trees: search in machine code, numba functions on arrays, compiled once for all games.

compiling                   how they are compiled and kept
intrinsics                  words of 64 bits
records                     arrays that travel together, and what stands where in them
rows                        states as rows of bits, and their children: they call a game's own code by its address
evaluation                  what a row looks to be worth: where a new feature of an evaluation goes
table, leaves, alphabeta    alpha-beta, for the solver
bounds, star                expectiminimax: alpha-beta where chance moves too
dfpn                        proof-number search, with a table of its own
frontier                    states of a puzzle, each found once, whose moves are made in lanes
filling                     puzzles depth first, where the fewest ways are left
policies                    nested rollout policy adaptation, in bands of lanes
graph, retrograde           all positions of a game in lanes, and their labels: for solving/
workbench, naming, shared   proofs: what a thread works in, keys of states, the table that threads share
pairs, threats, proving     two plies in lanes, facts that would win, and the search to the ends of the game
regrets                     regret minimisation over sequences of moves: for solving/equilibrium/
endgame                     positions with few pieces as numbers, and where their moves lead: for solving/endgame/
nodes, tree, subtree        Monte Carlo tree search
judgement, deliberation, self_play  a network that says what a row is worth, alpha-beta by it, games it learns from
playouts                    random games for it, and samples of them
set_records, set_nodes, sets  information-set search: what it works in, its nodes, and rounds of it in lanes
joint_records, joint_nodes, joint  decoupled search: what it works in, its states, and rounds of it in lanes
following                   particles a step on, and histories played again: for search/hidden/

`stop` is an array of one number; whoever sets it from another thread ends a search.
"""
