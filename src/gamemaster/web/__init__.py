"""Pages, live matches and an HTTP API. The server renders whole pages; ES modules then take over clicks and updates.

app                      the app: its pages, its API, its door, and what becomes of errors; read it first
site                     what a request can reach
serving, settings        a server, and how it is run
lines                    the connections of a server: how many, and who has to go
pages/, api/             one file a page; the HTTP API
live/                    matches while they are played
competing/               competitions, sets of games, and the cycle that runs matches by itself
roster/                  who can be chosen to play, and how they are reached
statuses                 what an error is to a browser
brought/                 games that people bring: drafts, and games of their own
writing/                 what the editor shows of a text that is being written
people/                  people with names: passwords, sessions, who is signed in
guard, visitors, forms   what stands at the door; who somebody is; what a form says
rendering, markdown      templates -> pages; descriptions -> HTML
patience                 work for somebody who may go away
work, jobs               heavy work in other processes, and what it is
shelf, keeping           what is known of the library's games; what is made once for all who ask at the same time
studies                  what random play and proofs show of a game
highlight                rules -> HTML
transforming             rules before and after transformers, and what that gained
tracing                  a search of a small tree, after a step
copies                   a game of the site -> a sheet to be changed and brought again
differences              two texts of rules -> rows side by side
styling                  a style that somebody is writing -> findings and drawings
path, thinking           a line of moves in an address; what the machine thinks of a position
leaders                  matches that are over -> a table of those who played them
replays                  a record, step by step
documents, reference     the project's documents, and the tables of its language, as pages
bibliography             what to read: texts/bibliography.toml
packaging                the package -> a wheel of it
dropped                  files that somebody dropped -> a sheet, or what is wrong with them
readying                 machine code that searches need, made in the background
"""
