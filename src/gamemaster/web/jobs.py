"""What workers do for pages: plain values in, plain values out. Games that were loaded stay loaded.

A place in a game is told by the game's name and the joint moves that lead there from its start, or by facts. Here
everything is known of a state: what a role may know of it in a match is decided in `web/live/views.py`.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from gamemaster.draw.board import Board, board_of
from gamemaster.draw.clicks import Clicks, clicks_of
from gamemaster.draw.ending import end_in_words
from gamemaster.draw.picture.beside import Caption, is_control
from gamemaster.draw.steps import board_after
from gamemaster.draw.svg import draw_svg
from gamemaster.errors import IllegalMove, LimitExceeded, ParameterError, StateError, UnknownGame
from gamemaster.games import entry, game_names, on_shelf
from gamemaster.ground.budget import Limits
from gamemaster.load import load
from gamemaster.machine.game import RANDOM, Game, State
from gamemaster.web.path import Line

__all__ = [
    "BROUGHT_LIMITS",
    "SLOW",
    "Plain",
    "Steps",
    "askers_of",
    "caption_of_game",
    "check_library",
    "drawn",
    "loaded",
    "look",
    "picture",
    "position",
    "shelf_game",
    "standalone",
    "state_after",
    "states_along",
    "step_from",
    "without_turn",
]

Steps = Sequence[Mapping[str, str]]
"""Joint moves in their order, each by role; a role without a choice need not be in it."""

Plain = dict[str, object]
"""What goes to JSON as it is."""

MOST_GAMES = 60
SLOW = "slow.txt"
"""The file in the folder of a game that somebody brought which says why it does not compile, where it does not."""

BROUGHT_LIMITS = Limits(seconds=15.0, rows=300_000, depth=2_000)
"""What such a game may take to be made ready; it is tried once."""

MOST_STEPS = 5_000
MOST_MOVES, MOST_FACTS = 4_000, 20_000
"""Legal moves and facts of a state that a page shows: what it makes of them is sent, and others wait meanwhile."""

LONGEST_NAME = 200
MOST_LABELS = 80
"""Of the last so many steps it is looked up how their moves are called; of others they are told as they are."""


def check_library(name: str) -> None:
    """Nothing, where the library has the game, or a shelf of the site; UnknownGame for anything else, as are paths.

    Whether a game on a shelf is for whoever asks is another question: `Brought.check`.
    """
    if len(name) > LONGEST_NAME or (name.partition(":")[0] not in game_names() and on_shelf(name) is None):
        raise UnknownGame(f"there is no game {name[:LONGEST_NAME]!r} here")


@lru_cache(maxsize=MOST_GAMES)
def shelf_game(name: str) -> Game:
    """A game of the library, a variant of one, or a game that somebody brought."""
    return loaded(name)


def loaded(name: str) -> Game:
    """The same, made anew. Whether rules that somebody brought compile was found out when they came."""
    check_library(name)
    folder = on_shelf(name)
    if folder is None:
        return load(name)
    return load(name, "reference" if (folder / SLOW).is_file() else "auto", BROUGHT_LIMITS)


def state_after(game: Game, steps: Steps) -> tuple[State | None, State]:
    """The state after joint moves, and the one before the last of them; IllegalMove where one cannot be made."""
    if len(steps) > MOST_STEPS:
        raise ParameterError(f"{len(steps):,} steps; a position is at most {MOST_STEPS:,} from the start")
    before, state = None, game.initial_state()
    for moves in steps:
        if state.is_terminal:
            raise StateError(f"the game is over after {state.step} steps; {len(steps)} are given")
        before, state = state, state.next(_completed(state, moves))
    return before, state


def _completed(state: State, moves: Mapping[str, str]) -> dict[str, str]:
    """A joint move with those who have no choice in it."""
    legal = {role: state.legal_moves(role) for role in state.game.roles}
    return {role: str(own[0]) for role, own in legal.items() if len(own) == 1} | dict(moves)


def position(name: str, steps: Steps) -> Plain:
    """All there is to show of a position, and how each role's moves are clicked."""
    before, state = state_after(shelf_game(name), steps)
    return {"game": name, **look(before, state, state.choosers or state.movers)}


def look(before: State | None, state: State, movers: Sequence[str]) -> Plain:
    """A state as a page shows it to somebody who may know all of it, and can move for these roles.

    LimitExceeded where that is more than a page can have.
    """
    moves = sum(len(state.legal_moves(role)) for role in state.movers)
    for count, most, what in ((moves, MOST_MOVES, "legal moves"), (len(state.facts), MOST_FACTS, "facts")):
        if count > most:
            raise LimitExceeded("size", f"{most:,} {what}", doing=f"showing a state that has {count:,}")
    board = board_after(before, state)
    clicks = {} if state.is_terminal else {role: clicks_of(state, role, board) for role in movers}
    return {
        "step": state.step,
        "roles": list(state.game.roles),
        "control": state.chooser,
        "movers": [] if state.is_terminal else list(state.movers),
        "is_terminal": state.is_terminal,
        "goals": {role: state.goal(role) for role in state.game.roles},
        "ending": end_in_words(state) if state.is_terminal else None,
        "facts": [str(fact) for fact in state.ordered_facts],
        "legal": {role: [str(move) for move in state.legal_moves(role)] for role in state.movers},
        "svg": drawn(state, board, clicks),
        "clicks": {role: each.to_json() for role, each in clicks.items()},
    }


def drawn(state: State, board: Board, clicks: Mapping[str, Clicks]) -> str:
    """A board as SVG, whose cells are buttons where a move touches them."""
    touched = {
        cell for each in clicks.values() for touch in each.moves for cell in (*touch.firsts, *touch.targets)
    }
    return draw_svg(
        without_turn(board),
        caption=Caption(caption_of_game(state.game.name)),
        is_live=bool(clicks),
        live=touched,
    )


def caption_of_game(name: str) -> str:
    """What a picture of a game is called: by its title where somebody brought it, as the name says nothing then."""
    return entry(name).title if on_shelf(name) else name


def without_turn(board: Board) -> Board:
    """The board without whose turn it is: pages say that themselves."""
    kept = tuple(each for each in board.counters if not (each.facts and all(map(is_control, each.facts))))
    return replace(board, counters=kept)


def picture(name: str, steps: Steps = ()) -> str:
    """A position as an SVG that stands alone."""
    before, state = state_after(shelf_game(name), steps)
    return draw_svg(
        without_turn(board_after(before, state)),
        caption=Caption(title=caption_of_game(name)),
        prefix=f"p-{name}",
    )


# All roles on one board


def askers_of(state: State) -> tuple[str, ...]:
    """Whose moves make a step: those who choose; where nobody has a choice, the one whose turn it is."""
    if state.is_terminal:
        return ()
    return state.choosers or ((state.chooser,) if state.chooser else state.movers)


def states_along(game: Game, line: Line) -> list[tuple[State, dict[str, str]]]:
    """The states of a line, each with the moves that are chosen in it; in the last one, none are.

    What is left to chance is drawn. IllegalMove, or ParameterError, where the line cannot be gone.
    """
    found: list[tuple[State, dict[str, str]]] = []
    state = game.initial_state()
    for step in line:
        if state.is_terminal:
            raise StateError(f"the game is over after {state.step} steps; {len(line)} are given")
        after, moves = step_from(state, step)
        found.append((state, moves))
        state = after
    return [*found, (state, {})]


def step_from(state: State, step: Sequence[str | None]) -> tuple[State, dict[str, str]]:
    """The state after a step of a line, and the moves that were chosen in it by role."""
    moves = _chosen(state, step)
    return state.next(_completed(state, moves)), moves


def _chosen(state: State, step: Sequence[str | None]) -> dict[str, str]:
    """The moves of a step by role, as they are written everywhere."""
    askers = askers_of(state)
    if len(step) != len(askers):
        told = f"{len(step)} move{'s' * (len(step) != 1)}"
        raise ParameterError(f"step {state.step + 1} has {told}; to choose: {', '.join(askers) or 'nobody'}")
    return {role: _read_move(state, role, move) for role, move in zip(askers, step, strict=True)}


def _read_move(state: State, role: str, move: str | None) -> str:
    if move is None:
        if role != RANDOM:
            raise ParameterError(
                f"step {state.step + 1}: only chance draws its moves, and {role} is not chance"
            )
        return str(random.choice(state.legal_moves(role)))
    term = state.game.move_of(move)
    if term not in state.legal_moves(role):
        raise IllegalMove(move, role, state.step, state.legal_moves(role))
    return str(term)


def standalone(name: str, line: Line, is_whole: bool = False) -> Plain:
    """A position for somebody who plays all roles; where it is the whole page, with all that led there in words."""
    game = shelf_game(name)
    walk = states_along(game, line)
    state, askers = walk[-1][0], askers_of(walk[-1][0])
    made = walk[(0 if is_whole else -2) : -1]
    told = [
        _in_words(*each, has_labels=number > len(made) - MOST_LABELS) for number, each in enumerate(made, 1)
    ]
    return {
        "game": name,
        **look(walk[-2][0] if len(walk) > 1 else None, state, askers),
        "askers": list(askers),
        "line": [list(moves.values()) for _, moves in walk[:-1]],
        "told": told,
        "players": game.kind.players,
        "has_chance": game.kind.has_chance,
        "is_hidden": game.kind.has_hidden_information,
        "is_simultaneous": game.kind.turns in ("simultaneous", None),
    }


def _in_words(state: State, moves: Mapping[str, str], *, has_labels: bool) -> Plain:
    """A step: who chose what, as the page of its state called it."""
    board = board_of(state) if has_labels else None
    labels = {
        role: _label(clicks_of(state, role, board), move) if board else move for role, move in moves.items()
    }
    return {
        "step": state.step + 1,
        "moves": [{"role": role, "move": move, "label": labels[role]} for role, move in moves.items()],
    }


def _label(clicks: Clicks, move: str) -> str:
    return next((touch.label for touch in clicks.moves if str(touch.move) == move), move)
