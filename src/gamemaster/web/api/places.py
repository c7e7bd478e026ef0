"""What workers do for the API: a place in a game -> its state, its board, what somebody thinks of it.

Rules that somebody sends are played on the reference machine within small limits; whoever asks bounds the time.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from gamemaster.check import check
from gamemaster.draw.ending import end_in_words
from gamemaster.draw.picture.beside import caption_of
from gamemaster.draw.picture.colours import Theme
from gamemaster.draw.steps import board_after
from gamemaster.draw.svg import draw_svg
from gamemaster.errors import GamemasterError, LimitExceeded, RulesError, StateError
from gamemaster.ground.budget import Limits
from gamemaster.language.rules import Notation
from gamemaster.language.source import Source
from gamemaster.load import parse
from gamemaster.machine.game import Game, State
from gamemaster.players.asking import ask, found_thinker, role_to_ask
from gamemaster.search.budget import Budget
from gamemaster.web.jobs import Plain, shelf_game, states_along
from gamemaster.web.path import Line

__all__ = [
    "StatePlace",
    "ThoughtOrder",
    "checked",
    "drawn_at",
    "overtime",
    "state_at",
    "state_next",
    "thought",
]

LIMITS = Limits(seconds=5.0, rows=500_000, depth=2_000)
"""What a question about a state may cost, where the rules are anybody's."""

MOST_SHEETS = 16

log = logging.getLogger("gamemaster.web")


@dataclass(frozen=True)
class StatePlace:
    """A place in a game; `line` is from an address, `moves` from a body."""

    game: str = ""
    rules: str = ""
    dialect: Notation | None = None
    moves: Sequence[str | Mapping[str, str]] = ()
    line: Line = ()
    facts: Sequence[str] | None = None
    step: int = 0


def state_at(place: StatePlace) -> Plain:
    """A state as the API tells it."""
    return _told(_found(place)[1])


def state_next(place: StatePlace, move: str | Mapping[str, str]) -> Plain:
    """The state after a step from a place."""
    return _told(_after(_found(place)[1], move))


def drawn_at(place: StatePlace, theme: Theme | None, size: int | None) -> str:
    """The board of a place, as SVG."""
    before, state = _found(place)
    return draw_svg(board_after(before, state), theme=theme, size=size, caption=caption_of(state))


def _told(state: State) -> Plain:
    roles, is_over = state.game.roles, state.is_terminal
    return {
        "game": state.game.name,
        "machine": state.game.machine.name,
        "step": state.step,
        "roles": list(roles),
        "control": state.control,
        "is_terminal": is_over,
        "facts": [str(fact) for fact in state.ordered_facts],
        "legal": {role: [] if is_over else [str(move) for move in state.legal_moves(role)] for role in roles},
        "goals": {role: state.goal(role) for role in roles},
        "ending": end_in_words(state) if is_over else None,
    }


# Where it is


def _found(place: StatePlace) -> tuple[State | None, State]:
    """The state of a place, and the one before it where that is known."""
    game = _sheet(place.rules, place.dialect) if place.rules else shelf_game(place.game)
    if place.facts is not None:
        return None, game.state(place.facts, place.step)
    if place.line:
        walk = states_along(game, place.line)
        return walk[-2][0], walk[-1][0]
    before, state = None, game.initial_state()
    for step in place.moves:
        before, state = state, _after(state, step)
    return before, state


@lru_cache(maxsize=MOST_SHEETS)
def _sheet(rules: str, dialect: Notation | None) -> Game:
    """The game of somebody's rules."""
    return parse(rules, dialect, "reference", LIMITS)


def _after(state: State, step: str | Mapping[str, str]) -> State:
    """The state after a step; who has no choice in it need not be named."""
    if state.is_terminal:
        raise StateError(f"the game is over after {state.step} step{'s' * (state.step != 1)}")
    if isinstance(step, str):
        return state.next(step)
    legal = {role: state.legal_moves(role) for role in state.game.roles}
    forced = {role: str(own[0]) for role, own in legal.items() if len(own) == 1}
    return state.next({**forced, **step})


# What somebody thinks


@dataclass(frozen=True)
class ThoughtOrder:
    """Who shall think for whom, with what parameters and for how long."""

    role: str | None
    who: str | None
    settings: tuple[str, ...]
    seconds: float
    seed: int


def thought(place: StatePlace, order: ThoughtOrder) -> Plain:
    """What somebody finds in a place."""
    state, budget = _found(place)[1], Budget(seconds=order.seconds)
    role = role_to_ask(state, order.role)
    if order.who is None:
        result = ask(state, role, None, budget, seed=order.seed)
    else:
        result = found_thinker(order.who, order.settings, seed=order.seed).think(state, role, budget)
    where = {"game": state.game.name, "machine": state.game.machine.name, "step": state.step}
    return {**where, **_finite(result.to_dict())}


# What is wrong with rules


def checked(rules: str, dialect: Notation | None, seconds: float) -> Plain:
    """The report on rules; what keeps it from being made is a finding too."""
    try:
        return _finite(check(Source.checked("rules", rules), dialect, seconds=seconds).to_dict())
    except RulesError as error:
        where = (error.place.line, error.place.column) if error.place else (1, 1)
        return finding(error.code, error.what, *where, hint=error.hint)
    except (GamemasterError, MemoryError, RecursionError) as error:
        return finding("limit", str(error) or "the rules take too much memory")
    except (
        Exception
    ) as error:  # rules are anybody's: what they break is told to whoever wrote them, and to us
        log.exception("rules break the check")
        return finding("internal", f"these rules break the checker: {type(error).__name__}")


def finding(code: str, message: str, line: int = 1, column: int = 1, hint: str = "") -> Plain:
    """A report with one finding."""
    place = {"line": line, "column": column, "text": ""}
    found = {"code": code, "severity": "error", "message": message, "place": place, "hint": hint}
    return {"errors": 1, "warnings": 0, "findings": [found], "played": None}


def overtime(error: LimitExceeded) -> Plain:
    """The report on rules that took too long."""
    return finding(
        "limit", f"checking these rules takes too much: {error}", hint="let the rules ask for less"
    )


def _finite(value: Plain) -> Plain:
    """Plain data without numbers that JSON does not have: null instead."""
    return {name: _plain(part) for name, part in value.items()}


def _plain(value: object) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value
