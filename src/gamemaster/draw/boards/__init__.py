"""The parts of a board: which facts are on which cell, where it is in the plane, and what lies on it.

shape                    facts -> columns of text, wherever in them the coordinates stand
filling                  which facts are on which cell
cells, geometry          cells with what is on them; where they are in the plane
strokes, stars           where lines begin and end; the points of a board that are marked
pieces, symbols          what things look like; what to write into a cell
"""
