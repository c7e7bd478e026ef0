"""/api/v1: what the site can do, for programs. JSON in, JSON out; the OpenAPI schema says all of it.

routes                   the router of all parts; read it first
models                   what bodies and answers look like, and how large they may be
strictness               what every request goes through: JSON only, and errors with their place
places                   what workers do: a place in a game -> its state, its board, what somebody thinks of it
games                    games of the library, and their rules
checking                 what is wrong with rules that somebody sends
states                   legal moves, next states, boards
thinking                 what an algorithm or a player thinks of a position
players                  who can play, and what they can be told
matches                  matches: listed, looked at, arranged, steered
front                    the page about all of this, made from the schema
"""
