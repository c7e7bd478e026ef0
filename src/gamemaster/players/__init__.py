"""Whoever can play: a search with its parameters under a name, the classroom's players, anybody's Python file.

A player has the handlers ping, start, play, stop and abort, of which only `play` is needed. `player.py` says what each
gets and answers, and keeps the books for players in this process; read it first. `simple.py`, `classroom.py`,
`searching.py` and `growing.py` have the players by name, `catalogue.py` lists them, and `loading.py` finds one by its
name or its file.
"""
