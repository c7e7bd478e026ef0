"""Matches <-> SQL: what there is, who plays, how it went; the only place with SQL.

entries                  a match as a row says it, filters and pages; read it first
matches                  the store: matches added, replaced, found, counted; every change is one transaction
accounts                 people with names: added, found, changed, removed; their sessions
players                  players of people's own: registered, changed, removed; who may choose them
competing                sets of games, competitions, the cycle that runs matches by itself
own_games                games that people keep: their versions, and who may see them
visibility               who may see something of somebody's
passwords, names         hashes of passwords, and what can be one; what somebody can be called
access                   transactions that read, and that write
opening                  an address -> a store, with the newest schema
indexing                 records -> rows: the file of a match is the truth, and the store only says where to look
rows, columns            entries as the values that tables hold, exactly; types of columns
tables                   the tables
connecting               an address -> connections, on SQLite and PostgreSQL; what becomes of their errors
migrations/              how a database of an older program gets the newest schema
"""
