"""Kinds of strategies that people can understand; `solving/explaining.py` looks for one of them.

explained    what they have in common: a rule, a reason, a proof, in words and as plain data
symmetry     make the position its own mirror image, then mirror; mirrors: the symmetries of the rules that will do
parity       anything wins, since what is left to be done is even or odd
cold         leave positions that a formula says are lost; formulas: those; numbers: what they are about
small        the labels of a small game, to fit formulas to
pairing      answer each move by its partner
wording      moves and maps of moves in words
induction    the proof on the gates: an invariant that every round of play keeps
unrolling    a round of play as gates; solver: questions about gates
"""
