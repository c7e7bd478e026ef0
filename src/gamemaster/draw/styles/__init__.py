"""Styles: all that is needed to make boards of the states of a game, and how one is written.

style                    what a style says; read it first
chosen                   which style counts: the one written for a game, else the one found
style_file, board_table  style.toml -> style; the boards of it
board_cells              the cells of such a board
writing                  the style that was found for a game -> style.toml
tables, names, extent    its tables; what its names are in a game; the values that arguments have
"""
