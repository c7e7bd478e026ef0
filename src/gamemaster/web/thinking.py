"""A position and a name -> what an algorithm or a player thinks of the moves there, as plain data for a page.

Runs in a worker. What has to be made ready first, kernels and the code of a game, is made before the clock of the
search starts, so whoever waits is to allow for `READY_SECONDS` more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gamemaster.draw.board import board_of
from gamemaster.draw.clicking.wording import plain_words
from gamemaster.draw.clicks import clicks_of
from gamemaster.draw.results import by_choice, glance_in_words, rate
from gamemaster.errors import ParameterError, UnknownAlgorithm
from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.players.asking import ask
from gamemaster.search.budget import Budget
from gamemaster.search.result import SearchResult
from gamemaster.web.jobs import Plain, shelf_game, states_along
from gamemaster.web.path import Line

__all__ = ["LONGEST_THOUGHT", "READY_SECONDS", "check_thinker", "think", "thinkers"]

LEAST_THOUGHT, LONGEST_THOUGHT = 0.05, 10.0
READY_SECONDS = 300.0
"""How long getting ready may take: on a machine that has never run them, kernels are compiled first."""

MOST_ROWS = 60
LONGEST_LINE = 8
BEST = 100.0

IN_WORDS = {
    "": "What suits the game",
    "egghead": "Egghead, the house player",
    "mcts": "Monte Carlo tree search",
    "uct": "Tree search in Python",
    "decoupled": "Decoupled tree search",
    "mcs": "Random games",
    "deepening": "Alpha-beta, deeper and deeper",
    "solver": "Alpha-beta in machine code",
    "expectiminimax": "Expectiminimax in machine code",
    "expectimax": "Expectimax",
    "maxn": "Everybody for themselves (max^n)",
    "paranoid": "All against one",
    "maximizer": "Complete search",
    "planner": "Planner",
}
"""Who can be asked on a page; the first is asked where nobody is named."""


def thinkers(*, players: int, has_chance: bool, is_hidden: bool, is_simultaneous: bool) -> dict[str, str]:
    """Who of them suits a kind of game, and how they are called."""
    is_plain = not (has_chance or is_hidden)
    fitting = {
        "": True,
        "egghead": True,
        "mcts": not is_hidden and not is_simultaneous,
        "uct": not is_simultaneous,
        "decoupled": is_simultaneous or is_hidden,
        "mcs": True,
        "deepening": players == 2 and not is_simultaneous and not has_chance,
        "solver": is_plain and players == 2 and not is_simultaneous,
        "expectiminimax": has_chance and not is_hidden and not is_simultaneous,
        "expectimax": has_chance and not is_simultaneous,
        "maxn": players > 2 and not has_chance and not is_simultaneous,
        "paranoid": players > 2 and not has_chance and not is_simultaneous,
        "maximizer": is_plain and players == 1,
        "planner": is_plain and players == 1,
    }
    return {name: words for name, words in IN_WORDS.items() if fitting[name]}


def check_thinker(who: str, seconds: float) -> None:
    """Nothing, where somebody of that name can be asked for so long; else UnknownAlgorithm, or ParameterError."""
    if who not in IN_WORDS:
        raise UnknownAlgorithm(
            f"{who[:60]!r} cannot be asked here; there are: {', '.join(filter(None, IN_WORDS))}"
        )
    if not LEAST_THOUGHT <= seconds <= LONGEST_THOUGHT:
        raise ParameterError(
            f"{seconds:g} s of thinking; from {LEAST_THOUGHT:g} to {LONGEST_THOUGHT:g} are given"
        )


def think(name: str, line: Line, who: str, role: str, seconds: float) -> Plain:
    """What somebody finds for a role in a position, each move with its value; '' is whoever suits, whoever moves."""
    check_thinker(who, seconds)
    state = states_along(shelf_game(name), line)[-1][0]
    result = ask(state, role or None, who or None, Budget(seconds=seconds))
    return told(state, result)


def told(state: State, result: SearchResult) -> Plain:
    """A result for a page: the moves in order with bars, the line in words, how much was searched and how fast."""
    labels = {str(touch.move): touch.label for touch in clicks_of(state, result.role, board_of(state)).moves}
    ranked = by_choice(result)
    return {
        "role": result.role,
        "algorithm": result.algorithm,
        "move": None if result.move is None else str(result.move),
        "value": result.value,
        "is_proven": result.is_proven,
        "depth": result.depth,
        "nodes": result.nodes,
        "playouts": result.playouts,
        "seconds": result.seconds,
        "speed": rate(result) if result.nodes or result.playouts else "",
        "moves": list(_rows(result, ranked[:MOST_ROWS], labels)),
        "more": max(0, len(ranked) - MOST_ROWS),
        "line": _line_in_words(state, result.line[:LONGEST_LINE]),
        "is_line_longer": len(result.line) > LONGEST_LINE,
        "notes": [*filter(None, (glance_in_words(result),)), *result.notes.splitlines()],
        "caveats": list(result.caveats),
    }


def _rows(result: SearchResult, moves: Sequence[Term], labels: dict[str, str]) -> Iterator[Plain]:
    low, high = min([0.0, *result.values.values()]), max([BEST, *result.values.values()])
    for move in moves:
        value = result.values[move]
        yield {
            "move": str(move),
            "label": labels.get(str(move), str(move)),
            "value": value,
            "bar": round(100 * (value - low) / (high - low), 1),
            "is_bound": move in result.at_most,
            "is_win": move in result.wins,
            "is_loss": move in result.ends and move not in result.wins,
            "visits": result.visits.get(move),
        }


def _line_in_words(state: State, line: Sequence[Term]) -> list[str]:
    """The moves of a line as their pages would call them, as long as it is one role's choice each time."""
    words: list[str] = []
    for number, move in enumerate(line):
        role = state.chooser
        if role is None or move not in state.legal_moves(role):
            return [*words, *map(plain_words, line[number:])]
        labels = {touch.move: touch.label for touch in clicks_of(state, role, board_of(state)).moves}
        words.append(labels.get(move, str(move)))
        forced = {each: own[0] for each in state.game.roles if len(own := state.legal_moves(each)) == 1}
        state = state.next({**forced, role: move})
    return words
