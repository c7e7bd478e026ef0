"""Which games searches in machine code take, told without loading any: to load them, and get ready, takes a while."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gamemaster.machine.game import RANDOM, Game, State
from gamemaster.search.goals import USUAL, goals_in

if TYPE_CHECKING:
    from gamemaster.machine.compiled import CompiledGame

__all__ = [
    "EQUILIBRIUM",
    "JOINT",
    "JUDGING",
    "PUZZLES",
    "WITH_CHANCE",
    "code_for",
    "has_one_chooser",
    "is_native",
    "is_uncertain",
    "kinds_for",
    "may_choose_at_once",
    "native_game",
    "needs",
    "refusal_of_expectiminimax",
    "refusal_of_mcts",
    "refusal_of_solver",
    "several_at_once",
    "several_choose",
]

WITH_CHANCE = frozenset({"mcts", "learning", "expectiminimax"})
"""The kinds of kernels (native/warming.py) that take games of chance."""

EQUILIBRIUM = "equilibrium"
"""The kind that takes what is uncertain, compiled or not."""

JOINT = "decoupled"
"""The kind for games in which several roles choose at once."""

PUZZLES = "puzzles"
"""The kind for games of one role."""

JUDGING = "judging"
"""The kind for two roles without chance, which may be against each other."""

HIDDEN = "ismcts"
"""The kind for games that hide their state."""


def native_game(game: Game, *, with_chance: bool = False) -> CompiledGame | None:
    """The game as the kernels search it; None where they cannot: see `is_native`."""
    if game.compiled is None or game.kind.has_hidden_information:
        return None
    if game.kind.has_chance and not with_chance:
        return None
    goals = [goals_in(game, role) for role in game.roles]
    is_usual = all(USUAL.floor <= own.floor and own.ceiling <= USUAL.ceiling for own in goals)
    return game.compiled if is_usual else None


def is_native(game: Game, *, with_chance: bool = False) -> bool:
    """Whether the kernels can search a game: compiled, nothing hidden, goals from 0 to 100, and no chance.

    `with_chance`: whether those can that take chance.
    """
    return native_game(game, with_chance=with_chance) is not None


def is_uncertain(game: Game) -> bool:
    """Whether no move need be the best for sure: chance, hidden information, or several who are seen to choose at once.

    Such games have equilibria (solving/equilibrium/) instead of perfect play.
    """
    kind = game.kind
    return kind.has_chance or kind.has_hidden_information or kind.turns == "simultaneous"


def may_choose_at_once(game: Game) -> bool:
    """Whether several roles, chance apart, may choose in the same state, as far as is seen of a game."""
    players = sum(role != RANDOM for role in game.roles)
    return players > 1 and game.kind.turns not in ("turn-taking", "one role")


def kinds_for(game: Game, kinds: Sequence[str]) -> tuple[str, ...]:
    """Of kinds of kernels those that take a game."""
    return tuple(kind for kind in kinds if _takes(kind, game))


def code_for(game: Game, kinds: Sequence[str]) -> CompiledGame | None:
    """The game whose own machine code these kinds take, of those that take it; None where they need none."""
    return game.compiled if any(kind != EQUILIBRIUM for kind in kinds) else None


def _takes(kind: str, game: Game) -> bool:
    if kind == EQUILIBRIUM:
        return is_uncertain(game)
    if kind == JOINT:
        is_known = not game.kind.has_hidden_information
        return game.compiled is not None and is_known and may_choose_at_once(game)
    if kind == PUZZLES:
        return is_native(game) and len(game.roles) == 1
    if kind == JUDGING:
        return is_native(game) and len(game.roles) == 2
    if kind == HIDDEN:
        return game.compiled is not None and game.has_percepts
    return is_native(game, with_chance=kind in WITH_CHANCE)


def has_one_chooser(state: State) -> bool:
    """Whether at most one role has a choice in a state."""
    return state.is_over or state.chooser is not None


def _has_one_player(state: State) -> bool:
    """Whether at most one role has a choice in a state, chance apart."""
    return state.is_over or sum(role != RANDOM for role in state.choosers) < 2


def refusal_of_mcts(state: State) -> str:
    """Why mcts does not search a state; nothing where it does."""
    game = state.game
    if not is_native(game, with_chance=True):
        other = "uct" if has_one_chooser(state) else "decoupled"
        return f"mcts {needs(game, with_chance=True)}; take {other}"
    return "" if _has_one_player(state) else several_choose(state)


def refusal_of_expectiminimax(state: State) -> str:
    """Why expectiminimax does not search a state; nothing where it does. Who is named instead takes it."""
    if is_native(state.game, with_chance=True):
        return ""
    other = "expectimax" if _has_one_player(state) else "decoupled"
    return f"expectiminimax {needs(state.game, with_chance=True)}; take {other}"


def needs(game: Game, *, with_chance: bool = False) -> str:
    """What searches in machine code need, and what of it a game is not; `with_chance`: those that take it."""
    wanted = "needs a compiled game without chance or hidden information"
    if with_chance:
        wanted = "needs a compiled game that hides nothing"
    is_refused_by_kind = (game.kind.has_chance and not with_chance) or game.kind.has_hidden_information
    beyond = "" if is_refused_by_kind else ", with goals from 0 to 100"
    return f"{wanted}{beyond}, and {game.name} {_lack(game, with_chance)}"


def _lack(game: Game, with_chance: bool) -> str:
    """The first reason why the kernels cannot search a game."""
    if game.kind.has_chance and not with_chance:
        return "has chance"
    if game.kind.has_hidden_information:
        return "hides its state"
    if game.compiled is None:
        return f"runs on the reference machine ({game.machine.reason})"
    return "has other goals"


def refusal_of_solver(state: State, name: str = "solver") -> str:
    """Why solver, or dfpn, does not search a state; nothing where it does. Who is named instead takes it."""
    game = state.game
    if is_native(game):
        return ""
    choosers = [role for role in state.choosers if role != RANDOM]
    other = "mcs" if len(choosers) > 1 else "expectimax" if game.kind.has_chance else "deepening"
    return f"{name} {needs(game)}; take {other}"


def several_choose(state: State) -> str:
    """Why mcts does not search a state in which several roles choose."""
    return several_at_once("mcts", state.game.name, state.step)


def several_at_once(algorithm: str, name: str, step: int | None) -> str:
    """Why a search does not take a game in which several roles choose at once, in a step where that is known."""
    where = "" if step is None else f" in step {step + 1}"
    return f"{algorithm}: several roles of {name} choose at once{where}; decoupled can handle that"
