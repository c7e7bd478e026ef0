"""`gamemaster players` and `gamemaster think`: who can play, and what they think of a state."""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import Any

from gamemaster.errors import PlayerError, StateError, UnknownAlgorithm
from gamemaster.load import load
from gamemaster.machine.game import Game, State
from gamemaster.players import catalogue as players
from gamemaster.players.player import Player
from gamemaster.search import catalogue as algorithms
from gamemaster.search.budget import Budget
from gamemaster.search.result import SearchResult
from gamemaster.terminal.play import show_state
from gamemaster.terminal.progress import rate, shown_line, thinking
from gamemaster.terminal.tables import print_table

__all__ = ["list_players", "think_about"]

TRIAL_SECONDS = 0.02


def list_players(*, as_json: bool) -> None:
    """Print a line about each player of the library and each algorithm."""
    listed = {
        "players": {name: players.one_line(name) for name in players.player_names()},
        "algorithms": dict(filter(None, map(_algorithm, algorithms.ALGORITHMS))),
    }
    if as_json:
        entries = {
            kind: [{"name": name, "summary": line} for name, line in lines.items()]
            for kind, lines in listed.items()
        }
        print(json.dumps(entries, indent=2))
        return
    print_table(("player", "what it does"), list(listed["players"].items()))
    print()
    print_table(("algorithm", "what it does"), list(listed["algorithms"].items()))


def _algorithm(name: str) -> tuple[str, str] | None:
    """The name and the line of an algorithm, None for one that is not installed."""
    try:
        return name, algorithms.one_line(name)
    except ModuleNotFoundError:
        return None


def think_about(
    name: str,
    budget: Budget,
    *,
    state_file: Path | None,
    role: str | None,
    who: str,
    seed: int,
    as_json: bool,
) -> None:
    """Print what an algorithm or a player thinks of a role's moves in a state."""
    game = load(name)
    state = game.initial_state() if state_file is None else game.state_from_json(_read(state_file))
    role = _role(game, state, role)
    if not as_json:
        show_state(state)
    with thinking(who, budget.seconds, is_shown=not as_json):
        result = _search(who, state, role, budget, seed)
    if as_json:
        print(json.dumps(_as_dict(game, state, result)))
    else:
        _print_result(who, result)


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except UnicodeDecodeError:
        raise StateError(f"{str(path)!r} is not a text file") from None


def _role(game: Game, state: State, role: str | None) -> str:
    """The role to think for: the one asked for, the one in control, or the first that has a choice."""
    if role is not None:
        game.check_role(role)
    if state.is_terminal:
        raise StateError(f"the game is over at step {state.step}: there is nothing to think about")
    role = role or state.control or max(game.roles, key=lambda each: len(state.legal_moves(each)) > 1)
    if not state.legal_moves(role):
        raise StateError(
            f"{role!r} has no legal move at step {state.step}; to move: {', '.join(state.movers)}"
        )
    return role


def _search(who: str, state: State, role: str, budget: Budget, seed: int) -> SearchResult:
    """What an algorithm, or else a player of the library, finds; an algorithm comes before a player of its name."""
    if who in algorithms.ALGORITHMS:
        search = algorithms.find_algorithm(who)
        if budget.seconds is not None:
            search(
                state, role, Budget(seconds=TRIAL_SECONDS), seed=seed
            )  # compiles what it needs, off the clock
        return search(state, role, budget, seed=seed)
    if who not in players.player_names():
        everybody = sorted({*algorithms.ALGORITHMS, *players.player_names()})
        near = difflib.get_close_matches(who, everybody, n=3)
        advice = f"did you mean {' or '.join(near)}?" if near else "`gamemaster players` lists them"
        raise UnknownAlgorithm(f"no algorithm or player {who!r}; {advice}")
    player: Player = players.library_player(who)(seed)
    seconds = budget.seconds or 1.0
    player.start(role, state.game, seconds, seconds)
    player.think(state, budget)
    if player.last_result is None:
        raise PlayerError(f"{who} chooses without thinking: there is nothing to show")
    return player.last_result


def _as_dict(game: Game, state: State, result: SearchResult) -> dict[str, Any]:
    return {
        "game": game.name,
        "machine": game.machine.name,
        "step": state.step,
        "role": result.role,
        "algorithm": result.algorithm,
        "move": None if result.move is None else str(result.move),
        "value": result.value,
        "is_proven": result.is_proven,
        "line": [str(move) for move in result.line],
        "moves": [
            {
                "move": str(move),
                "value": result.values[move],
                "is_bound": move in result.at_most,
                "visits": result.visits.get(move),
                "line": [str(each) for each in result.line_of(move)],
            }
            for move in result.ranked
        ],
        "depth": result.depth,
        "nodes": result.nodes,
        "playouts": result.playouts,
        "seconds": result.seconds,
    }


def _print_result(who: str, result: SearchResult) -> None:
    """The moves with what they are worth, the chosen one first, and the search in a line."""
    best = [move for move in result.ranked if move == result.move]
    rows = [
        (
            str(move),
            f"{'≤ ' if move in result.at_most else ''}{result.values[move]:.1f}",
            f"{result.visits[move]:,}" if move in result.visits else "",
            shown_line(result.line_of(move)) if move == result.move or move in result.lines else "",
        )
        for move in best + [move for move in result.ranked if move != result.move]
    ]
    if rows:
        print_table(("move", "value", "visits", "line"), rows, right=("value", "visits"))
        print()
    proven = "proven value" if result.is_proven else "value"
    counts = [f"{result.nodes:,} nodes"] + ([f"{result.playouts:,} playouts"] if result.playouts else [])
    print(f"{who} for {result.role}: {result.move}, {proven} {result.value:.1f}, depth {result.depth}")
    print(f"{', '.join(counts)} in {result.seconds:.2f} s: {rate(result)}")
