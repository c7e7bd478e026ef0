"""Players + rules -> a match and its record.

events, chronicle        what happens in a match, as values; games, states and moves -> events; read it first
request, settings        what the referee asks of a player; how a match is run
judging, drawing         what a reply means; the moves of chance, and of those who make none
referee                  what happens, one reply at a time, without clock or line
transports/              the lines to players: in this process, in one of their own, over HTTP, to a person
manager, result          the referee with its players around it, and time; a match in one call
cpu_clock                a manager whose clocks run only while players compute
schedule, totals         the matches to run, and what everybody got in all of them
scores                   what each role has at the end, also where somebody gave up
thought                  why a player chose its move
records/                 events in files: written, read, shown, exchanged, and judged again
wire/                    the messages of the published protocol, in every era, and rules in other words
serving, listening       a player at the other end of a line
processes/               a player in a process of its own, behind walls
"""
