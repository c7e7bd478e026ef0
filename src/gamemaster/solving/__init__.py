"""Game -> Strategy: perfect play, with a proof.

strategy     what a strategy is: what to play in every position it can lead to, and why
explaining   the strategy in words: one of the kinds of strategies/, found and proved
families     one such strategy for many sizes of a game, with the size as an unknown
checking     a strategy against every reply: it holds, or a line refutes it
andor        And/Or trees, labelled T or F by the rules of the textbook, to read and to draw
proof_graph  what proof-number search has proved, and the smallest proof in it
proofs       a proof as a strategy, which can be kept in a file

By labels of all positions, from the ends backwards:

solver       game -> a table of labels: the other files in their order
door         which games can be solved so
positions    all positions that can come of some, layer by layer, in lanes
columns      arrays that grow, in memory or in files
journal      the folder of those files: work goes on where it was
labels       what each position is worth
table        the table, and the strategies that follow from it
axes         positions that are one or two numbers, as a row or a table
packing      states -> short keys
blocks       one file with a head and blocks, and checksums of all
files        a table in one file

Of games with chance, hidden information or simultaneous moves, if all their histories fit:

equilibrium  how to choose so that nobody gains by playing otherwise; best responses

Of positions with few pieces only:

endgame      what a piece is, all positions with few of them, what these are worth; tables that searches probe
"""
