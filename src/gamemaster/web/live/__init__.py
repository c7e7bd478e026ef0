"""Matches while they are played: who sits where, who may see what, and how everybody hears of it.

setup                    what somebody asks for -> a match that can be begun
hall                     all matches that are held here; read it first
table                    one match: its manager, its people, its record
files                    the file of its record
room                     how many players' processes there are at once; others wait in order
audience                 everybody who looks at it, and what they are told
looks                    what workers do for it: states as somebody may see them
views                    a match as somebody may see it -> the parts of a page
feeds                    those parts -> everybody who watches, numbered
pinging                  who of the players answers
seats                    who sits where, and how they come
machines                 the lines to machines that play
sockets                  a player that comes to us over a WebSocket
"""
