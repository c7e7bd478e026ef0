"""The commands of the command line: what each one does and prints.

In come the arguments, already parsed by `cli.py`; out goes text for people, coloured in a terminal and plain
in a pipe, or JSON for programs. `play` is the hot-seat game, `library` lists and shows games, `checking` runs
the checker, `perft` counts move sequences; `report` prints errors, `screen` and `tables` are how text gets
out.
"""
