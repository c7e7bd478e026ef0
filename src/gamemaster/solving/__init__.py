"""Game -> Strategy: perfect play, with a proof.

strategy     what a strategy is: what to play in every position it can lead to, and why
checking     a strategy against every reply: it holds, or a line refutes it
"""
