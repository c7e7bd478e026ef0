"""Rules -> what follows from them.

`reasoner.py` is the reference: it answers questions about a state straight from the rules, slowly and surely;
`clauses.py` is how it reads one rule. Read `reasoner.py` first.
"""
