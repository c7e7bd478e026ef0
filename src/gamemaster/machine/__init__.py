"""Rules -> Game and State: one protocol, two machines.

`game.py` says what a Game and a State are; `reference.py` is the machine that asks the reference reasoner,
`compiled.py` the one that runs machine code: `preparation.py` and `artifact.py` make it, `background.py` compiles,
`lanes.py` plays many games at once. `moves.py` reads moves from text, `perft.py` counts sequences of moves,
`playtest.py` looks for mistakes in rules by playing. Read `game.py` first.
"""
