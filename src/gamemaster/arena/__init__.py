"""Competitions: who meets whom, where matches run, and how good that makes players. Read `competition` first.

competition              what a competition is, as a value
fixtures, pairings       the matches of a table; a competition and what was played -> all matches that are known by now
outcomes, sequential     how a match went; a test between two that stops when it is decided
orders                   a match as a value that travels, and what runs it wherever it is
workers/                 where matches run: here, in processes, on a cluster
journal                  the folder of a competition, which survives whatever dies
running, holding         what is played next, and when it is over; all of it in one call
checking, reading        whether it can be held; a file of TOML -> a competition
telling                  a competition as it stands -> plain data, lines for a spreadsheet
balance                  how fair a game is, at random and among strong players
ratings/                 outcomes -> ratings with intervals, and the table
"""
