"""Which games searches in machine code take, told without loading any: to load them, and get ready, takes a while."""

from __future__ import annotations

from gamemaster.machine.compiled import CompiledGame, CompiledState
from gamemaster.machine.game import RANDOM, Game, State
from gamemaster.search.goals import USUAL, goals_in
from gamemaster.search.playouts.batches import is_over, mover_of

__all__ = ["has_one_chooser", "is_native", "refusal_of_mcts", "refusal_of_solver", "several_choose"]


def is_native(game: object) -> bool:
    """Whether the kernels can search a game: compiled, no chance, nothing hidden, goals from 0 to 100."""
    if not isinstance(game, CompiledGame) or RANDOM in game.roles or game.has_percepts:
        return False
    return all(USUAL.floor <= goals_in(game, role).floor for role in game.roles) and all(
        goals_in(game, role).ceiling <= USUAL.ceiling for role in game.roles
    )


def has_one_chooser(state: State) -> bool:
    """Whether at most one role has a choice in a state."""
    return is_over(state) or mover_of(state) is not None


def refusal_of_mcts(state: State) -> str:
    """Why mcts does not search a state; nothing where it does."""
    game = state.game
    if not is_native(game) or not isinstance(state, CompiledState):
        return f"mcts {needs(game)}; take {'uct' if has_one_chooser(state) else 'decoupled'}"
    return "" if has_one_chooser(state) else several_choose(state)


def needs(game: Game) -> str:
    """What searches in machine code need, and a game is not."""
    wanted = "needs a compiled game without chance or hidden information"
    beyond = "" if RANDOM in game.roles or game.has_percepts else ", with goals from 0 to 100"
    return f"{wanted}{beyond}, and {game.name} is not"


def refusal_of_solver(state: State) -> str:
    """Why solver does not search a state; nothing where it does. Who is named instead takes it."""
    game = state.game
    if is_native(game) and isinstance(state, CompiledState):
        return ""
    choosers = [role for role in state.movers if role != RANDOM and len(state.legal_moves(role)) > 1]
    other = "mcs" if len(choosers) > 1 else "expectimax" if RANDOM in game.roles else "deepening"
    return f"solver {needs(game)}; take {other}"


def several_choose(state: State) -> str:
    """Why mcts does not search a state in which several roles choose."""
    where = f"{state.game.name} choose at once in step {state.step + 1}"
    return f"mcts: several roles of {where}; decoupled can handle that"
