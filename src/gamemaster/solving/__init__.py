"""Game -> Strategy: perfect play, with a proof.

strategy     what a strategy is: what to play in every position it can lead to, and why
checking     a strategy against every reply: it holds, or a line refutes it
andor        And/Or trees, labelled T or F by the rules of the textbook, to read and to draw
proof_graph  what proof-number search has proved, and the smallest proof in it
proofs       a proof as a strategy, which can be kept in a file
"""
