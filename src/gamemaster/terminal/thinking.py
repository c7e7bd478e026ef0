"""`gamemaster players` and `gamemaster think`: who can play, and what they think of a state."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from textwrap import fill
from typing import NamedTuple

from gamemaster.draw.results import (
    by_choice,
    glance_in_words,
    is_by_visits,
    rate,
    shown_line,
    value_in_words,
)
from gamemaster.errors import PlayerError, StateError
from gamemaster.machine.game import State
from gamemaster.machine.moves import split_moves, walk
from gamemaster.players import catalogue as players
from gamemaster.players.asking import (
    BELIEVER,
    DEFAULT,
    Answer,
    Made,
    Thinker,
    ask_first,
    found_believer,
    found_thinker,
    role_to_ask,
)
from gamemaster.players.loading import FilePlayer, in_machine_code
from gamemaster.search import catalogue as algorithms
from gamemaster.search.budget import Budget
from gamemaster.search.parameters import Parameter, parameters_of
from gamemaster.search.result import SearchResult
from gamemaster.terminal.boards import show_state
from gamemaster.terminal.hidden import show_belief
from gamemaster.terminal.loading import load
from gamemaster.terminal.progress import get_ready, thinking
from gamemaster.terminal.tables import print_table

__all__ = ["list_players", "think_about"]

IN_MACHINE_CODE = ("mcts", "solver", "dfpn", "decoupled")

TRIAL_SECONDS = 0.02

COLUMNS = ("move", "value", "at a glance", "visits", "line")

BY_VISITS = "It is chosen for its visits: values of moves that were tried less are less certain."

PARAMETERS_WIDTH = 62
"""How wide lines of parameters are, so that they and the longest name fit 80 columns."""


@dataclass(frozen=True)
class Thinking:
    """What is to be thought about, and with what means."""

    state: State
    role: str
    budget: Budget
    seed: int
    settings: tuple[str, ...] = ()
    is_shown: bool = True
    """Whether there is a bar while somebody thinks."""

    made: Made | None = None
    """In a hidden game how it came to the state, where that is known."""


def list_players(*, as_json: bool) -> None:
    """Print a line about each player of the library and each algorithm, and below it what it can be told."""
    listed = {
        "players": [_listed_player(name) for name in players.player_names()],
        "algorithms": [_listed_algorithm(name) for name in algorithms.ALGORITHMS],
    }
    if as_json:
        entries = {kind: [each.as_json() for each in them] for kind, them in listed.items()}
        print(json.dumps(entries, indent=2))
        return
    print_table(("player", "what it does"), [row for each in listed["players"] for row in each.rows()])
    print()
    print_table(("algorithm", "what it does"), [row for each in listed["algorithms"] for row in each.rows()])
    print("\nParameters stand in brackets behind a name: mcts(exploration=0.3), my_player.py(depth=3).")


class Listed(NamedTuple):
    """A player or an algorithm: its name, what it does, and what it can be told."""

    name: str
    summary: str
    parameters: tuple[Parameter, ...]

    def as_json(self) -> dict[str, object]:
        """The same as plain data, values as they would be written."""
        told = [str(each).partition("=") for each in self.parameters]
        return {
            "name": self.name,
            "summary": self.summary,
            "parameters": {name: value for name, _, value in told},
        }

    def rows(self) -> list[tuple[str, str]]:
        """Its lines in the table."""
        told = fill(", ".join(map(str, self.parameters)), PARAMETERS_WIDTH, break_on_hyphens=False)
        return [(self.name, self.summary), *(("", f"  {line}") for line in told.splitlines())]


def _listed_player(name: str) -> Listed:
    known = players.parameters_of_player(players.library_player(name), lowest=0)
    return Listed(name, players.one_line(name), tuple(known.values()))


def _listed_algorithm(name: str) -> Listed:
    return Listed(name, algorithms.one_line(name), tuple(parameters_of(name).values()))


def think_about(
    name: str,
    budget: Budget,
    *,
    state_file: Path | None,
    role: str | None,
    who: str | None,
    seed: int,
    moves: str = "",
    settings: Sequence[str] = (),
    as_json: bool,
) -> None:
    """Print what an algorithm or a player thinks of a role's moves in a state.

    Unless somebody is named that is the quickest that takes the game, or in a hidden one who goes by what the role
    saw. `moves` lead from the state to the one that is thought about; `settings` are parameters, name=value.
    """
    game = load(name)
    state = game.initial_state() if state_file is None else game.state_from_json(_read(state_file))
    state, drawn, made = walk(state, split_moves(moves), random.Random(seed))
    is_led = game.has_percepts and state_file is None
    role = role_to_ask(state, role)
    question = Thinking(state, role, budget, seed, tuple(settings), not as_json, made if is_led else None)
    if not as_json:
        print("\n".join(drawn), end="\n" * bool(drawn))
        show_state(state)
        if is_led:
            show_belief(game, question.role, made, random.Random(seed))
    found = _default(question) if who is None else Answer(who, _ask(who, question))
    _show(question, found, as_json=as_json)


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except UnicodeDecodeError:
        raise StateError(f"{str(path)!r} is not a text file") from None


def _default(question: Thinking) -> Answer:
    """What the quickest algorithm says that takes the game, and why mcts does not; in a hidden game who believes."""
    first = DEFAULT if question.made is None else BELIEVER
    if question.settings or first == BELIEVER:
        return Answer(first, _ask(first, question))
    # Each has all of the budget: a bar of its own shows how it is spent.
    return ask_first(question.state, question.budget, lambda who, _: _ask(who, question))


def _ask(who: str, question: Thinking) -> SearchResult:
    """What an algorithm, or else a player, finds; PlayerError for a result that cannot be shown."""
    thinker = _thinker(who, question)
    think = partial(thinker.think, question.state, question.role)
    get_ready(question.state.game, _compiled_for(thinker))
    if thinker.player is None and question.budget.seconds is not None:
        think(Budget(seconds=TRIAL_SECONDS))  # imports and compiles what else it needs, off the clock
    with thinking(thinker.name, question.budget.seconds, is_shown=question.is_shown):
        result = think(question.budget)
    if isinstance(thinker.player, FilePlayer):
        _check_shown(who, question.state, result)
    return result


def _thinker(who: str, question: Thinking) -> Thinker:
    """Whoever has a name; in a hidden game one that goes by what the role saw, if it can."""
    believer = None
    if question.made is not None:
        believer = found_believer(who, question.settings, question.made, seed=question.seed)
    return believer or found_thinker(who, question.settings, seed=question.seed)


def _compiled_for(thinker: Thinker) -> Sequence[str]:
    """The searches that take machine code, of those that somebody does."""
    if thinker.player is not None:
        return in_machine_code(thinker.player)
    return [thinker.name] if thinker.name in IN_MACHINE_CODE else []


def _check_shown(who: str, state: State, result: SearchResult) -> None:
    try:
        _rows(result), _summary(who, result), json.dumps(_as_dict(state, result))
    except Exception as error:  # it is of the file's own making
        raise PlayerError(
            f"{who}: its last_result cannot be shown: {type(error).__name__}: {error}"
        ) from error


def _show(question: Thinking, answer: Answer, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(_as_dict(question.state, answer.result)))
        return
    if answer.refusal:
        print(f"{answer.refusal}; {answer.who} thinks instead.\n")
    rows = _rows(answer.result)
    if rows:
        columns = [column for column in zip(COLUMNS, *rows, strict=True) if any(column[1:])]
        headings, *filled = zip(*columns, strict=True)
        print_table(headings, filled, right=("value", "at a glance", "visits"))
        print()
    print(_summary(answer.who, answer.result))
    if is_by_visits(answer.result):
        print(BY_VISITS)
    if answer.result.notes:
        print(f"\n{answer.result.notes}")


def _as_dict(state: State, result: SearchResult) -> dict[str, object]:
    machine = state.game.machine
    place = {"game": state.game.name, "machine": machine.name, "reason": machine.reason, "step": state.step}
    return {**place, **result.to_dict()}


def _rows(result: SearchResult) -> list[tuple[str, str, str, str, str]]:
    """The moves with what they are worth, in the order of the choice."""
    return [
        (
            str(move),
            "" if result.is_open else f"{'≤ ' if move in result.at_most else ''}{result.values[move]:.1f}",
            f"{result.glances[move]:.1f}" if move in result.glances else "",
            f"{result.visits[move]:,}" if move in result.visits else "",
            shown_line(result.line_of(move)) if move == result.move or move in result.lines else "",
        )
        for move in by_choice(result)
    ]


def _summary(who: str, result: SearchResult) -> str:
    """The search in two lines, and what part judgement has in it in a third, if it has any."""
    counts = [f"{result.nodes:,} nodes"] + ([f"{result.playouts:,} playouts"] if result.playouts else [])
    lines = (
        f"{who} for {result.role}: {result.move}, {value_in_words(result)}, depth {result.depth}",
        f"{', '.join(counts)} in {result.seconds:.2f} s: {rate(result)}",
        glance_in_words(result),
    )
    return "\n".join(filter(None, lines))
