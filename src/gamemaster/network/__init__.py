"""Program -> Circuit: the ground rules as a network of gates.

A network has two-input AND and XOR gates over inputs (the facts of a state, the moves made in it) and shares equal
gates.

graph, spec           the network itself; what it must be
build, factor         a circuit from ground rules, with few gates
passes                what makes it smaller afterwards
sums                  gates that count
synthesis, equality   logic synthesis, which takes longer and saves more; a proof that two networks do the same
choose, turns         gates that pick a random legal move; a proof that roles take turns, for which one pick is enough
invariants            facts of which one holds at a time, proven by induction over steps
playout, expansion    a network that plays whole games; one that gives a search the children of a state
weighing, stepping    a network that plays by weights; one that makes a step of a batch of games
"""
