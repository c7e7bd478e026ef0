"""Game -> EndgameTable: perfect play in all positions with few pieces, from the rules alone.

board        what a piece is: facts of which a place has at most one, by a proven invariant; and what else states have
clocks       facts that only count moves: what hangs on them, and how much room they leave
numbering    positions with few pieces <-> numbers without gaps
linking      where all moves of all positions lead, in lanes
labels       what each role can force, and what of that is sure
table        the table: probed, explained, played by
files        the table in one file, mapped and checked; and where tables are kept
building     game -> table: the others in their order
verifying    positions of a table, searched by alpha-beta
"""
