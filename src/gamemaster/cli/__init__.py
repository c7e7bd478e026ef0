"""What a person types -> the arguments of a command, which are handed over to `terminal/`.

Each command loads what it needs when it is called.

start                    the app, in which all commands come together, and what becomes of errors
rules                    games, show, check, new
playing                  play, players, think
studying                 bench, perft, metagame, analyse, balance, learn, solve
trees                    tree
endgames                 endgame
matches                  replay, match, player
competing                tournament, compare
serving, people          serve, lsp; account
arguments                what many of them take, or one that takes much
solve_arguments          what `solve` takes
"""

from __future__ import annotations

from gamemaster.cli.start import app, main

__all__ = ["app", "main"]
