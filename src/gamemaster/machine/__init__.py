"""Rules -> Game and State: one protocol, whatever computes it.

`game.py` says what a Game and a State are; `reference.py` is the machine that asks the reference reasoner.
Read `game.py` first.
"""
