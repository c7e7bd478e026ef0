"""A tree + an algorithm -> every step of the search, in order: what textbooks show on a page.

tree         what a tree is: nodes in reading order; read it first
notation     a tree as a text, and back; what is wrong with it, and where
growing      a state of a game -> the tree of its moves to a depth
trace        a tree -> the steps of minimax, alpha-beta, And/Or and expectiminimax, and how it looks after each
shelf        ready examples, the files of the folder examples
choosing     a tree or a state, and what somebody wants to see of it -> its trace
"""
