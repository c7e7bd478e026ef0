"""The end of a game in words: who wins, or whether a puzzle is solved."""

from __future__ import annotations

from gamemaster.draw.reasons import winners
from gamemaster.machine.game import RANDOM, State

__all__ = ["end_in_words"]

BEST = 100


def end_in_words(state: State) -> str:
    """What a terminal state means: `x wins`, `a draw`, `solved`; for three and more roles, who has the most.

    Who plays against chance has solved nothing.
    """
    roles = [role for role in state.game.roles if role != RANDOM]
    goals = [state.goal(role) for role in roles]
    if not roles or all(goal is None for goal in goals):
        return "nobody has a goal"
    if len(roles) == 1 and RANDOM in state.game.roles:
        return f"{roles[0]} gets {goals[0]} of {BEST}"
    if len(roles) == 1:
        return "solved" if goals[0] == BEST else f"not solved, {goals[0]} of {BEST}"
    if not any(goals):
        return "nobody wins"
    first = winners(state)
    if len(first) == len(roles):
        return "a draw"
    return f"{' and '.join(first)} {'wins' if len(first) == 1 else 'share the win'}"
