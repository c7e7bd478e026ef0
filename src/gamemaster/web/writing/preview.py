"""Rules that somebody is writing, and a line of moves -> the state there: facts, moves, rewards, and its board.

The game runs on the reference machine, as nothing has to be made for it before the first answer, and within limits
that are meant for a page. What cannot be found out is said in words, and everything else is shown.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar, cast

from gamemaster.draw.clicks import clicks_of
from gamemaster.draw.ending import end_in_words
from gamemaster.draw.steps import board_after
from gamemaster.draw.styles.chosen import dress
from gamemaster.draw.styles.style_file import read_style
from gamemaster.errors import GamemasterError, IllegalMove, ParameterError, RulesError, StateError
from gamemaster.ground.budget import Limits
from gamemaster.language.rules import Notation
from gamemaster.language.source import Source
from gamemaster.load import parse
from gamemaster.machine.game import Game, State
from gamemaster.web.jobs import Plain, askers_of, drawn, step_from
from gamemaster.web.path import Line
from gamemaster.web.writing.bounds import some

__all__ = ["previewed"]

Product = TypeVar("Product")

LIMITS = Limits(seconds=4.0, rows=500_000)
"""Of one question about a state: somebody waits for the answer."""

MOST_DRAFTS = 8
MOST_STATES = 400
MOST_STEPS = 400
MOST_FACTS = 600
MOST_MOVES = 300
"""Of a role; more are counted, and can be made by a click."""

MOST_CLICKED = 2_000
"""Moves of all roles, up to which it is worked out how they are clicked."""

LARGEST_DRAWING = 2_000_000
"""Characters of a drawing."""

log = logging.getLogger("gamemaster.web")


@dataclass
class DraftGame:
    """A game under somebody's hands, and the states of it that were looked at."""

    game: Game
    trouble: str
    """What is wrong with its style, which is then not used."""

    states: dict[tuple[tuple[str | None, ...], ...], State] = field(default_factory=dict)


@lru_cache(maxsize=MOST_DRAFTS)
def draft_game(rules: str, notation: Notation, style: str) -> DraftGame:
    """The game of a text, drawn in a style if that can be read; a GamemasterError where the rules are none."""
    game, trouble = parse(rules, notation, "reference", LIMITS, name="draft"), ""
    if style.strip():
        try:
            dress(game, read_style(Source.checked("style.toml", style), game))
        except RulesError as error:
            where = f"line {error.place.line}: " if error.place else ""
            trouble = f"The style does not fit these rules, and is not used: {where}{error.what}"
    return DraftGame(game, trouble)


def previewed(rules: str, notation: Notation, style: str, line: Line) -> Plain:
    """The state after a line of moves; where one of them cannot be made any more, the state before it."""
    draft = draft_game(rules, notation, style)
    steps = tuple(tuple(step) for step in line)
    if len(steps) > MOST_STEPS:
        raise ParameterError(f"{len(steps):,} steps; here a state is at most {MOST_STEPS:,} from the start")
    walked, told, cut = _walked(draft, steps)
    before, state = (walked[-2] if len(walked) > 1 else None), walked[-1]
    troubles = [draft.trouble] if draft.trouble else []
    told_of = _told(before, state, troubles)
    if notation != "epilog":
        troubles += _idle(told_of)
    return {**told_of, "line": told, "cut": cut, "troubles": troubles}


def _walked(
    draft: DraftGame, steps: tuple[tuple[str | None, ...], ...]
) -> tuple[list[State], list[list[str | None]], str]:
    """The last states of a line, the moves that lead there, and why the line ends before its end, if it does."""
    made: list[tuple[str | None, ...]] = []
    states = [draft.states.setdefault((), draft.game.initial_state())]
    for number, step in enumerate(steps, 1):
        known = draft.states.get((*made, step))
        if known is None:
            try:
                known, moves = step_from(_open(states[-1]), step)
            except (IllegalMove, ParameterError, StateError) as error:
                gone = (
                    f"Step {number} cannot be made any more, so it and what followed are taken back: {error}"
                )
                return states, [list(each) for each in made], gone
            step = tuple(moves.values())
            if len(draft.states) < MOST_STATES:
                draft.states[(*made, step)] = known
        made.append(step)
        states = [states[-1], known]
    return states, [list(each) for each in made], ""


def _open(state: State) -> State:
    if state.is_terminal:
        raise StateError(f"the game is over after {state.step} step{'s' * (state.step != 1)}")
    return state


def _told(before: State | None, state: State, troubles: list[str]) -> Plain:
    """A state as far as it can be found out; what cannot is added to the troubles."""
    roles = state.game.roles
    facts = [str(fact) for fact in state.ordered_facts]

    def tried(doing: str, ask: Callable[[], Product], otherwise: Product) -> Product:
        try:
            return ask()
        except GamemasterError as error:
            troubles.append(f"{doing} cannot be found out: {_words(error)}")
            return otherwise

    nothing: dict[str, list[str]] = {}
    legal = tried("Legal moves", lambda: {r: [str(m) for m in state.legal_moves(r)] for r in roles}, nothing)
    is_terminal = tried("Whether the game is over", lambda: state.is_terminal, False)
    askers = askers_of(state) if legal else ()
    svg, clicks = _drawing(before, state, askers, sum(map(len, legal.values())), troubles)
    return {
        "step": state.step,
        "roles": list(roles),
        "askers": list(askers),
        "control": tried("Control", lambda: state.chooser, None) if legal else None,
        "is_terminal": is_terminal,
        "ending": tried("The end", lambda: end_in_words(state), "") if is_terminal else "",
        "goals": tried("Rewards", lambda: {r: [*map(str, state.goals(r))] for r in roles}, nothing),
        "facts": some(facts, MOST_FACTS),
        "legal": {role: some(moves, MOST_MOVES) for role, moves in legal.items()},
        "svg": svg,
        "clicks": clicks,
    }


def _idle(told: Plain) -> list[str]:
    """What to do for roles without a move where others have one: in KIF and HRF everybody moves in every step."""
    legal = cast("dict[str, dict[str, Any]]", told["legal"])
    idle = [role for role, moves in legal.items() if not moves["items"]]
    if told["is_terminal"] or not idle or len(idle) == len(legal):
        return []
    roles = " and ".join(idle)
    return [
        f"{roles} ha{'s' if len(idle) == 1 else 've'} no legal move here: add one such as noop for this case."
    ]


def _words(error: GamemasterError) -> str:
    """What is wrong, with its line; the name of a draft says nothing."""
    if isinstance(error, RulesError) and error.place:
        return f"line {error.place.line}: {error.what}"
    return str(error)


def _drawing(
    before: State | None, state: State, askers: Sequence[str], moves: int, troubles: list[str]
) -> tuple[str, Plain]:
    """The board of a state, and what is clicked on it; nothing, with a trouble, where that is too much."""
    try:
        board = board_after(before, state)
        is_open = moves <= MOST_CLICKED
        clicks = {role: clicks_of(state, role, board) for role in askers} if is_open else {}
        svg = drawn(state, board, clicks)
    except GamemasterError as error:
        troubles.append(f"The board cannot be drawn: {error}")
        return "", {}
    except (
        Exception
    ) as error:  # rules are anybody's: what they break is told to whoever wrote them, and to us
        log.exception("rules break the drawing")
        troubles.append(f"These rules break the drawing of the board: {type(error).__name__}")
        return "", {}
    if not is_open:
        troubles.append(f"There are {moves:,} legal moves: too many to be clicked on the board.")
    if len(svg) > LARGEST_DRAWING:
        troubles.append("The board is too large to be shown here.")
        return "", {}
    return svg, {role: each.to_json() for role, each in clicks.items()}
