"""Which games can be solved by labels: refused at the door, with the reason, is what cannot."""

from __future__ import annotations

from gamemaster.errors import Unsuitable
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import Game
from gamemaster.search.suitable import native_game, needs

__all__ = ["MOST_MOVES", "several_choose", "solvable"]

MOST_MOVES = 65_535
"""So many moves a position can have: they are counted in two bytes."""


def solvable(game: Game) -> CompiledGame:
    """The game as kernels take it; Unsuitable where labels say nothing of it, and why."""
    if game.kind.has_chance:
        raise Unsuitable(f"solve: there is chance in {game.name}, so nothing is sure; think with expectimax")
    if game.kind.has_hidden_information:
        raise Unsuitable(
            f"solve: the rules of {game.name} hide its state, so nobody knows which position it is"
        )
    if not game.initial_state().is_terminal and len(game.initial_state().choosers) > 1:
        raise several_choose(game)
    compiled = native_game(game)
    if compiled is None:
        raise Unsuitable(f"solve {needs(game)}")
    if compiled.layout.all_moves > MOST_MOVES:
        raise Unsuitable(
            f"solve: {game.name} has {compiled.layout.all_moves:,} moves, more than {MOST_MOVES:,}"
        )
    return compiled


def several_choose(game: Game) -> Unsuitable:
    """Why a game is refused in which moves are simultaneous."""
    return Unsuitable(
        f"solve: several roles of {game.name} choose at once, so no move is the best whatever the others do; "
        "think with decoupled"
    )
