"""Rules -> what follows from them.

`reasoner.py` is the reference: it answers questions about a state straight from the rules, slowly and surely;
`clauses.py` is how it reads one rule, `builtin_steps.py` the builtins in it. `clingo_grounder.py` makes the ground
program that is compiled: `values.py`, `sizes.py` and `split.py` see to it that it is small, `asp.py` writes the rules
for clingo, `stratification.py` looks for circles through negation. Read `reasoner.py` and `clingo_grounder.py` first.
"""
