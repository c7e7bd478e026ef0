"""States and results -> pictures and words for people; nothing here knows any game.

board                    a state as panels of cells with things on them, from which every drawing is made; read it first
grids                    the facts of a state as square grids
possible                 which facts a game can have
shape                    facts -> columns of text, wherever in them the coordinates stand
layout, orientation      which relations look like cells of a grid; which way up it is
symbols                  what to write into a cell
text                     all of it put together, plain or in colour
reasons, ending          what is new in a state, and what made it the last one; the end of a game in words
results                  what a search found: its moves in order, lines, words
"""
