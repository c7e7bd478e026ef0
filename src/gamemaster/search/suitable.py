"""Which games searches in machine code take, told without loading any: to load them, and get ready, takes a while."""

from __future__ import annotations

from gamemaster.machine.compiled import CompiledGame, CompiledState
from gamemaster.machine.game import RANDOM, State
from gamemaster.search.sampling import is_over, mover_of

__all__ = ["has_one_chooser", "is_native", "refusal_of_mcts", "several_choose"]


def is_native(game: object) -> bool:
    """Whether the kernels can search a game: it is compiled, chance and hidden information play no part in it."""
    return isinstance(game, CompiledGame) and RANDOM not in game.roles and not game.has_percepts


def has_one_chooser(state: State) -> bool:
    """Whether at most one role has a choice in a state."""
    return is_over(state) or mover_of(state) is not None


def refusal_of_mcts(state: State) -> str:
    """Why mcts does not search a state; nothing where it does."""
    game = state.game
    if not is_native(game) or not isinstance(state, CompiledState):
        return f"mcts needs a compiled game without chance or hidden information, and {game.name} is not; take uct"
    return "" if has_one_chooser(state) else several_choose(state)


def several_choose(state: State) -> str:
    """Why mcts does not search a state in which several roles choose."""
    where = f"{state.game.name} choose at once in step {state.step + 1}"
    return f"mcts: several roles of {where}; decoupled can handle that"
