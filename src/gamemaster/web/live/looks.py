"""What workers do for matches: a state as somebody may see it, with the cells to click.

Where the rules hide the state, a role sees what follows from its own moves and from what it saw, and no more.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from gamemaster.draw.board import board_of
from gamemaster.draw.clicking.wording import plain_words
from gamemaster.draw.clicks import clicks_of
from gamemaster.draw.results import result_in_words
from gamemaster.machine.game import Game, State
from gamemaster.players.asking import ask
from gamemaster.players.sight import Sight
from gamemaster.search.budget import Budget
from gamemaster.web.jobs import Plain, drawn, look, shelf_game

__all__ = ["HiddenOrder", "hint", "look_at", "look_hidden", "look_start"]

MOST_SIGHTS = 64

_sights: dict[tuple[str, str, str], tuple[int, Sight]] = {}
"""What roles know of matches, and after how many steps: the latest last."""


def look_at(
    name: str, facts: Sequence[str], step: int, before: Sequence[str] | None, movers: Sequence[str]
) -> Plain:
    """A state of a match, told by its facts and those before it, for somebody who may know them."""
    game = shelf_game(name)
    past = None if before is None else game.state(before, step - 1)
    return look(past, game.state(facts, step), movers)


@dataclass(frozen=True)
class HiddenOrder:
    """What `look_hidden` is told."""

    game: str
    match: str
    role: str
    history: tuple[tuple[str | None, tuple[str, ...]], ...]
    """The role's own move of each step, and what it saw then."""

    facts: tuple[str, ...]
    step: int
    is_asked: bool


def look_hidden(order: HiddenOrder) -> Plain:
    """A match that hides its state, as a role may see it: what follows from its own moves and from what it saw.

    Of the state itself nothing is used but the role's legal moves, which it knows, and whether it is the end.
    """
    game = shelf_game(order.game)
    state = game.state(order.facts, order.step)
    if state.is_terminal:
        return look(None, state, ())
    known, count = _known(game, order)
    board, legal = board_of(known), state.legal_moves(order.role)
    clicks = {order.role: clicks_of(known, order.role, board, legal)} if order.is_asked else {}
    return {
        "step": order.step,
        "roles": list(game.roles),
        "is_terminal": False,
        "goals": {},
        "ending": None,
        "legal": {order.role: list(map(str, legal))} if order.is_asked else {},
        "seen": sorted(order.history[-1][1]) if order.history else [],
        "count": count,
        "svg": drawn(known, board, clicks),
        "clicks": {role: each.to_json() for role, each in clicks.items()},
    }


def _known(game: Game, order: HiddenOrder) -> tuple[State, int | None]:
    """What a role knows, as a state, and in how many states the game can be, if that is known."""
    key = (order.game, order.match, order.role)
    seen, sight = _sights.pop(key, (0, None))
    if sight is None or seen > len(order.history):
        seen, sight = 0, Sight(game, order.role, random.Random(f"{order.match} {order.role}"))
    for own, percepts in order.history[seen:]:
        sight.see(None if own is None else game.move_of(own), [game.move_of(each) for each in percepts])
    _sights[key] = len(order.history), sight
    while len(_sights) > MOST_SIGHTS:
        del _sights[next(iter(_sights))]
    return sight.known() or (game.state([], order.step), None)


def look_start(name: str) -> Plain:
    """The start of a game, before anybody can move."""
    return look(None, shelf_game(name).initial_state(), ())


def hint(name: str, facts: Sequence[str], step: int, role: str, seconds: float) -> str:
    """What a strong player would do for a role, and why, in a line."""
    state = shelf_game(name).state(facts, step)
    legal = state.legal_moves(role)
    if len(legal) == 1:
        return f"{legal[0]} is the only move"
    result = ask(state, role, None, Budget(seconds=seconds))
    if result.move is None:
        return "No move could be looked at"
    worth = "surely gets" if result.is_proven else "expects"
    return f"Try {plain_words(result.move)}: {role} {worth} {result.value:.0f} of 100 ({result_in_words(result)})"
