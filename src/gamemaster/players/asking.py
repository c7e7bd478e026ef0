"""A state and a name -> what an algorithm or a player of that name finds there: one question, outside of any match."""

from __future__ import annotations

import difflib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from gamemaster.errors import (
    ParameterError,
    PlayerError,
    StateError,
    UnknownAlgorithm,
    UnknownPlayer,
    Unsuitable,
)
from gamemaster.language.terms import Term
from gamemaster.load import load
from gamemaster.machine.arguments import shown
from gamemaster.machine.game import RANDOM, Game, State
from gamemaster.players.catalogue import player_names
from gamemaster.players.loading import FilePlayer, make_player, with_evaluation
from gamemaster.players.player import Player, message_to
from gamemaster.search.budget import Budget
from gamemaster.search.catalogue import ALGORITHMS
from gamemaster.search.parameters import check_known, parameters_of, read_name, read_parameters, search_with
from gamemaster.search.result import SearchResult
from gamemaster.search.suitable import has_one_chooser, refusal_of_mcts

__all__ = [
    "BELIEVER",
    "DEFAULT",
    "Answer",
    "Made",
    "Thinker",
    "ask",
    "ask_first",
    "budget_of",
    "found_believer",
    "found_thinker",
    "role_to_ask",
    "state_of",
]

DEFAULT = "mcts"
"""Who is asked unless somebody is named, if it takes the game; else uct, else decoupled."""

BELIEVER = "ismcts"
"""Who is asked in a hidden game where it is known how it came to the state: the role does not know that state."""

DEFAULT_SECONDS = 1.0

Made = Sequence[tuple[State, Mapping[str, Term]]]
"""The states from the start of a game on, each with the joint move that was made in it."""


class Answer(NamedTuple):
    """Who answered, what, and why not the one who is asked first."""

    who: str
    result: SearchResult
    refusal: str = ""


class Thinker(NamedTuple):
    """Who can be asked: an algorithm, or a player."""

    name: str
    think: Callable[[State, str, Budget], SearchResult]
    """A state, a role and a budget -> what is found."""

    player: Player | FilePlayer | None = None


def budget_of(
    budget: Budget | None, seconds: float | None, nodes: int | None, playouts: int | None
) -> Budget:
    """The budget given, or that of the limits given; one second where there is none of them."""
    limits = (seconds, nodes, playouts)
    if budget is not None:
        if any(limit is not None for limit in limits):
            raise ParameterError("a budget has its own seconds, nodes and playouts: give one or the other")
        return budget
    return Budget(*limits) if any(limit is not None for limit in limits) else Budget(seconds=DEFAULT_SECONDS)


def state_of(where: State | Game | str | Path) -> State:
    """The state to think about: one, or the initial one of a game, which may be named as `load` takes it."""
    if isinstance(where, State):
        return where
    if isinstance(where, str | Path):
        where = load(where)
    if isinstance(where, Game):
        return where.initial_state()
    raise ParameterError(
        f"{shown(where)} is neither a state nor a game: give game.initial_state(), or the game"
    )


def ask(
    state: State,
    role: str | None,
    who: str | None,
    budget: Budget,
    *,
    seed: int = 0,
    parameters: Mapping[str, object] | None = None,
) -> SearchResult:
    """What an algorithm, or else a player, finds in a state; by default the quickest that takes the game."""
    role, told = role_to_ask(state, role), dict(parameters or {})
    if who is None and not told:
        answer = ask_first(state, budget, lambda name, left: ask(state, role, name, left, seed=seed))
        return answer.result.noted(answer.refusal)
    thinker = found_thinker(DEFAULT if who is None else who, seed=seed, parameters=told)
    return thinker.think(state, role, budget)


def found_thinker(
    who: str,
    settings: tuple[str, ...] = (),
    *,
    seed: int = 0,
    parameters: Mapping[str, object] | None = None,
) -> Thinker:
    """The algorithm, or else the player, of a name; its parameters as texts, name=value, or for an algorithm values."""
    named, told = read_name(who), parameters or {}
    if named.name in ALGORITHMS:
        check_known(named.name, parameters_of(named.name), told)
        values = {**read_parameters(named.name, (*named.settings, *settings)), **told}
        search = search_with(named.name, with_evaluation(values))
        return Thinker(named.name, partial(search, seed=seed))
    player = _found_player(who, settings, seed)
    if told:
        raise ParameterError(f"{who} is a player: its parameters stand in brackets behind its name")
    return Thinker(who, partial(_ask_player, who, player), player)


def found_believer(who: str, settings: tuple[str, ...], made: Made, *, seed: int = 0) -> Thinker | None:
    """The player of the library that goes by what its role saw of these steps; None where that name is somebody else's.

    It is for a hidden game: what `found_thinker` finds looks at the state as if it were known.
    """
    if read_name(who).name not in player_names():
        return None
    player = _found_player(who, settings, seed)
    if not isinstance(player, Player) or not player.believes:
        return None
    return Thinker(who, partial(_ask_believer, who, player, made), player)


def ask_first(state: State, budget: Budget, search: Callable[[str, Budget], SearchResult]) -> Answer:
    """What the quickest algorithm finds that takes the game, and why mcts does not.

    Who refuses a state is not asked, so no time is spent on it. Only uct may see further on that it cannot go on; what
    it has spent by then is gone.
    """
    refusal = refusal_of_mcts(state)
    if not refusal:
        try:
            return Answer(DEFAULT, search(DEFAULT, budget))
        except Unsuitable as error:  # it has no kernels: nothing was searched
            refusal = str(error)
    began = time.perf_counter()
    if has_one_chooser(state):
        try:
            return Answer("uct", search("uct", budget), refusal)
        except Unsuitable:
            budget = budget.since(began)
    return Answer("decoupled", search("decoupled", budget), refusal)


def role_to_ask(state: State, role: str | None) -> str:
    """The role to think for: the one asked for, the one in control, or the first that has a choice. Never chance."""
    game = state.game
    if role is not None:
        game.check_role(role)
    if state.is_terminal:
        steps = f"{state.step} step{'s' * (state.step != 1)}"
        raise StateError(f"the game is over after {steps}: there is nothing to think about")
    if role == RANDOM or (role is None and state.control == RANDOM):
        raise StateError(_chance(game, state))
    people = [each for each in game.roles if each != RANDOM]
    role = role or state.control or max(people, key=lambda each: len(state.legal_moves(each)) > 1)
    if not state.legal_moves(role):
        raise StateError(
            f"{role!r} has no legal move in step {state.step + 1}; to move: {', '.join(state.movers)}"
        )
    return role


def _chance(game: Game, state: State) -> str:
    moves = ", ".join(map(str, state.legal_moves(RANDOM)[:5])) or "none here"
    others = ", ".join(role for role in game.roles if role != RANDOM)
    return (
        f"{RANDOM!r} is chance, which draws its moves and thinks about none; go on with one of them ({moves}), "
        f"or think for: {others}"
    )


def _found_player(who: str, settings: tuple[str, ...], seed: int) -> Player | FilePlayer:
    """A player; UnknownAlgorithm, which may name somebody near, where there is neither that nor such an algorithm."""
    try:
        player = make_player(who, settings, seed=seed)
    except UnknownPlayer:
        everybody = sorted({*ALGORITHMS, *player_names()})
        near = difflib.get_close_matches(read_name(who).name, everybody, n=3)
        advice = f"did you mean {' or '.join(near)}?" if near else "`gamemaster players` lists them"
        raise UnknownAlgorithm(f"no algorithm, player or player file {who[:200]!r}; {advice}") from None
    assert isinstance(player, Player | FilePlayer)
    return player


def _ask_believer(
    who: str, player: Player, made: Made, state: State, role: str, budget: Budget
) -> SearchResult:
    """What a player leaves in `last_result` that was led to a state, and knows what its role saw on the way."""
    if len(state.legal_moves(role)) < 2:
        return _ask_player(who, player, state, role, budget)
    seconds, message = budget.seconds or DEFAULT_SECONDS, None
    # whose games or states are counted has no start clock: nobody counts what it does there
    is_counted = budget.playouts is not None or budget.nodes is not None
    player.start(role, state.game, 0.0 if is_counted else seconds, seconds)
    for before, moves in made:
        player.tell_legal(before.legal_moves(role))
        player.follow(message, moves.get(role))
        message = message_to(role, before, moves)
    player.tell_legal(state.legal_moves(role))
    player.think_after(message, budget if budget.seconds is not None else replace(budget, seconds=seconds))
    if player.last_result is None:
        raise PlayerError(f"{who} chooses without thinking: there is nothing to show")
    return replace(player.last_result, state=state)


def _ask_player(
    who: str, player: Player | FilePlayer, state: State, role: str, budget: Budget
) -> SearchResult:
    """What a player leaves in `last_result`; PlayerError where it leaves nothing.

    Nobody knows whether a player counts playouts: with no other limit it has a second as well.
    """
    seconds = budget.seconds or DEFAULT_SECONDS
    player.start(role, state.game, seconds, seconds)
    is_open = budget.playouts is not None and budget == Budget(playouts=budget.playouts)
    player.think(state, replace(budget, seconds=seconds) if is_open else budget)
    if player.last_result is None:
        raise PlayerError(f"{who} chooses without thinking: there is nothing to show")
    result = player.last_result
    # A player's code may leave anything there, which is for whoever shows it to tell.
    return replace(result, state=state) if isinstance(result, SearchResult) else result
