"""Program -> Circuit: the ground rules as a network of gates.

A network has two-input AND and XOR gates over inputs (the facts of a state, the moves made in it) and shares equal
gates. `graph.py` is the network itself, `build.py` makes one from ground rules, `factor.py` keeps it small,
`choose.py` adds the gates that pick a random legal move, `playout.py` those that play whole games. Read `graph.py`
first, then `build.py`.
"""
