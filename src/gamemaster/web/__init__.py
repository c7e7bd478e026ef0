"""Pages, live matches and an HTTP API. The server renders whole pages; ES modules then take over clicks and updates.

app                      the app: its pages, its API, its door, and what becomes of errors; read it first
site                     what a request can reach
serving, settings        a server, and how it is run
lines                    the connections of a server: how many, and who has to go
pages/, api/             one file a page; the HTTP API
live/                    matches while they are played
statuses                 what an error is to a browser
people/                  people with names: passwords, sessions, who is signed in
guard, visitors, forms   what stands at the door; who somebody is; what a form says
rendering, markdown      templates -> pages; descriptions -> HTML
patience                 work for somebody who may go away
work, jobs               heavy work in other processes, and what it is
shelf, keeping           what is known of the library's games; what is made once for all who ask at the same time
studies, sampling        what random play and proofs show of a game
highlight                rules -> HTML
path, thinking           a line of moves in an address; what the machine thinks of a position
leaders                  matches that are over -> a table of those who played them
replays                  a record, step by step
readying                 machine code that searches need, made in the background
"""
