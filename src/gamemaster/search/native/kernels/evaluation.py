"""What a row looks to be worth where the game is not over: weights of its bits (`LinearEvaluation`).

Alpha-beta asks for it at its leaves, tree search for every new child where it was told to prefer some. What else a
state may be judged by belongs here: it gets a field in its record, and all who judge take it from this file.
"""

from __future__ import annotations

from gamemaster.search.native.kernels.compiling import aside
from gamemaster.search.native.kernels.intrinsics import ONE, ZERO, lowest_one
from gamemaster.search.native.kernels.records import Floats, GameArrays, LinearEvaluation, Words
from gamemaster.search.native.kernels.rows import goal_of, is_terminal

__all__ = ["judged", "worth_of"]


@aside
def judged(weights: Floats, bias: float, rows: Words, row: int) -> float:
    """The evaluation of a state: the weights of all ones in its row, within 0 to 100."""
    value = bias
    for word in range(rows.shape[1]):
        bits = rows[row, word]
        while bits != ZERO:
            value += weights[(word << 6) + lowest_one(bits)]
            bits &= bits - ONE
    return min(100.0, max(0.0, value))


@aside
def worth_of(game: GameArrays, evaluation: LinearEvaluation, rows: Words, row: int, role: int) -> float:
    """The value of a leaf: its goal where the game is over, else its evaluation."""
    if is_terminal(game, rows, row):
        return goal_of(game, rows, row, role)
    return judged(evaluation.weights, evaluation.bias, rows, row)
