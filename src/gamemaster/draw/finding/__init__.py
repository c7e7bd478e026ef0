"""Rules -> style: a board for a game that nobody drew one for.

found                    all of it put together; read it first
grids, hexagons          boards with rows and columns; which of them have hexagons, or points on lines
places, plane            boards of places with names: graphs, rows, heaps; where the nodes of a graph are in the plane
towers, apart, ragged    things piled up; coordinates in two relations; rows with names of their own for their cells
lines, compass           facts that are lines: walls, links; which coordinate goes north
counters, pieces, badges what is told beside boards; what contents look like, by their words; how they differ
ground, neighbours       what the rules say of cells whatever the state: their ground, which are neighbours
possible, facts, statics which facts a game can have; what is known of each relation; views that no state changes
layout, orientation      which relations look like cells of a grid; which way up it is
"""
