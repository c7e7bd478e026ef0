"""The commands of the command line: what each one does and prints.

In come the arguments, already parsed by `cli/`; out goes text for people, coloured in a terminal and plain
in a pipe, or JSON for programs. `play` is the game at one keyboard, with `opponents` if there are any, `thinking`
lists players and says what they think, `library` lists and shows games, `checking` runs the checker, `perft`
counts move sequences, `matches` runs matches on a `match_screen`, `serving` serves a player, `replaying` shows a match
again; `report` prints errors, `screen`, `tables` and `progress`
are how text gets out.
"""
