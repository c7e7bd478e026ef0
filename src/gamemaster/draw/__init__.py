"""State -> pictures: text for terminals; nothing here knows any game.

In comes a State; out goes a drawing of it.

board                    the grids of a state, from which every drawing is made; read it first
possible                 which facts a game can have
shape                    facts -> columns of text, wherever in them the coordinates stand
layout                   which relations look like cells of a grid
orientation              which way up it is
symbols                  what to write into a cell
text                     all of it put together, plain or in colour
reasons                  what is new in a state, and what made it the last one
ending                   the end of a game in words
results                  what a search found: moves in order, lines, words
"""
