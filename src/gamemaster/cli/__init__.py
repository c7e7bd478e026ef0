"""The command line: arguments only. Each command loads what it needs and hands over to `terminal/`.

start                    the app, in which all commands come together, and what becomes of errors
rules, playing           the commands, in a file by subject: games, show, check; play, players, think
studying, matches        bench, perft, metagame, analyse, learn; replay, match, player
arguments                what many of them take, or one that takes much
"""

from __future__ import annotations

from gamemaster.cli.start import app, main

__all__ = ["app", "main"]
