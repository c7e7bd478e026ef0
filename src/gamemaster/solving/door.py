"""Which games can be solved by labels: refused at the door, with the reason, is what cannot."""

from __future__ import annotations

from gamemaster.errors import Unsuitable
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import Game
from gamemaster.search.suitable import native_game, needs

__all__ = ["MOST_MOVES", "several_choose", "solvable"]

MOST_MOVES = 65_535
"""So many moves a position can have: they are counted in two bytes."""


def solvable(game: Game, doing: str = "solve") -> CompiledGame:
    """The game as kernels take it; Unsuitable where labels say nothing of it, and why."""
    if game.kind.has_chance:
        raise Unsuitable(
            f"{doing}: there is chance in {game.name}, so nothing is sure; "
            "`gamemaster think GAME --with expectimax` weighs it"
        )
    if game.kind.has_hidden_information:
        raise Unsuitable(
            f"{doing}: the rules of {game.name} hide its state, so nobody knows which position it is; "
            "`gamemaster play GAME --against egghead` takes that"
        )
    if not game.initial_state().is_terminal and len(game.initial_state().choosers) > 1:
        raise several_choose(game, doing)
    compiled = native_game(game)
    if compiled is None:
        raise Unsuitable(f"{doing} {needs(game)}")
    if compiled.layout.all_moves > MOST_MOVES:
        raise Unsuitable(
            f"{doing}: {game.name} has {compiled.layout.all_moves:,} moves, more than {MOST_MOVES:,}"
        )
    return compiled


def several_choose(game: Game, doing: str = "solve") -> Unsuitable:
    """Why a game is refused in which moves are simultaneous."""
    return Unsuitable(
        f"{doing}: several roles of {game.name} choose at once, so no move is the best whatever the others do; "
        "`gamemaster solve GAME --algorithm cfr+` mixes moves, or `gamemaster think GAME --with decoupled`"
    )
