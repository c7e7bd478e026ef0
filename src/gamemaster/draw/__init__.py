"""States and results -> pictures and words for people; nothing here knows any game.

model                    what a board is: panels of cells with things on them; read it first
board                    a state as a board, in the style of its game
style                    all that is needed to make boards of the states of a game
chosen                   which style counts: the one written for a game, else the one found
found                    a style from the rules alone
found_grids, found_hex   boards with rows and columns; which of them have hexagons, or points on lines
found_places, plane      boards of places with names: graphs, rows, heaps; where the nodes of a graph are in the plane
found_towers, found_apart, found_ragged
                         things piled up; coordinates in two relations; rows with names of their own for their cells
found_lines, strokes     facts that are lines: walls, links; where these begin and end
compass                  which coordinate goes north
found_counters           what is told beside boards
found_ground, neighbours what the rules say of cells whatever the state: their ground, which are neighbours
found_pieces             what contents look like, by their words
possible, facts, statics which facts a game can have; what is known of each relation; views that no state changes
shape                    facts -> columns of text, wherever in them the coordinates stand
layout, orientation      which relations look like cells of a grid; which way up it is
style_file, board_table  style.toml -> style; the boards of it
stars                    the star points of boards of go
tables, names, extent    TOML with its places; what its names are in a game; the values that arguments have
filling                  which facts are on which cell
cells, geometry          cells with what is on them; where they are in the plane
pieces, symbols          what things look like; what to write into a cell
text                     all of it in lines of text, plain or in colour
reasons, ending          what is new in a state, and what made it the last one; the end of a game in words
clicks                   which cells to click for each legal move; what is a button or in a list
places, scene, readings  for clicks: where arguments are on a board; what moves change there; which leaves are places
wording                  moves in words, for lists and for those who do not see the board
results                  what a search found: its moves in order, lines, words
svg                      a board, or a state and whose turn it is, as one SVG
picture                  the parts of it: cells, glyphs, colours, words
steps                    a board with what the last step changed, and what a win is made of, marked
animation, png           the states of a match, one after the other; an SVG as pixels
"""
