"""Players + rules -> a match and its record.

In come a game, players and clocks; out come events (`events`), one after the other, and with them a record. `referee`
decides what happens, `manager` adds time and the lines to the players (`transports`); `serving` is a player at the
other end of a line. What goes over it are the messages of `protocol`, which `messages` reads and prints in every era;
`transcript` shows them. `record` writes events to a file and reads them again, `verifying` says whether they are true,
by the rules and by a `witness` who judges again; `ggp` exchanges them with ggp-base. `scramble` puts rules into other
words. Read `events` first, then `referee`.
"""
