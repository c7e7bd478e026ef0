"""What people type -> a legal move, or why it is none."""

from __future__ import annotations

import difflib
import random
import re
from collections.abc import Sequence
from typing import Any

from gamemaster.errors import IllegalMove, ReadError, StateError
from gamemaster.language.infix import read_term
from gamemaster.language.kif import read_kif_term
from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, State
from gamemaster.search.parameters import split_names

__all__ = ["explain", "find_moves", "follow", "split_moves"]

SHOWN = 5
NUMBER = re.compile(r"[0-9]{1,9}\Z")


def split_moves(text: str) -> list[str]:
    """The moves of a text: between semicolons, or between commas that are in no bracket."""
    return [move for piece in text.split(";") for move in split_names(piece)]


def find_moves(text: str, legal: Sequence[Term]) -> list[Term]:
    """The legal moves that a text can mean: one if it is clear, none if it is wrong, several if too short.

    A text is a move in infix `mark(1,1)` or prefix `(mark 1 1)`, brackets optional; or the number of a move
    in the list, from 1; or the beginning of a move.
    """
    for term in _readings(text):
        if term in legal:
            return [term]
    if NUMBER.match(text) and 1 <= int(text) <= len(legal):
        return [legal[int(text) - 1]]
    begun = _squeezed(text)
    return [move for move in legal if begun and _squeezed(str(move)).startswith(begun)]


def follow(state: State, texts: Sequence[str], generator: random.Random) -> tuple[State, list[str]]:
    """The state after moves, and what chance drew; IllegalMove or StateError where they lead nowhere.

    In a step each role with a choice makes the next move, those without one move by themselves. Chance takes the next
    move if it is its own and nobody else's; else it draws.
    """
    left, drawn = list(texts), []
    while left or (not state.is_terminal and state.control == RANDOM):
        if state.is_terminal:
            raise StateError(
                f"the game is over after {state.step} step{'s' * (state.step != 1)}, before {left[0]!r}"
            )
        moves: dict[str, Term] = {}
        for role in state.game.roles:
            legal = state.legal_moves(role)
            if role == RANDOM and len(legal) > 1 and not _is_for_chance(left, state):
                moves[role] = generator.choice(legal)
                drawn.append(f"{role}: {moves[role]} (drawn)")
            elif len(legal) > 1 or (role == state.control and left and find_moves(left[0], legal)):
                moves[role] = _next_move(left, state, role)
            elif legal:
                moves[role] = legal[0]
        state = state.next(moves)
    return state, drawn


def _is_for_chance(left: Sequence[str], state: State) -> bool:
    """Whether the next move is one of chance, and of nobody else who has a choice."""
    others = [role for role in state.game.roles if role != RANDOM and len(state.legal_moves(role)) > 1]
    return (
        bool(left)
        and len(find_moves(left[0], state.legal_moves(RANDOM))) == 1
        and not any(find_moves(left[0], state.legal_moves(role)) for role in others)
    )


def _next_move(left: list[str], state: State, role: str) -> Term:
    if not left:
        raise StateError(f"{role} has no move in step {state.step + 1}, where several roles choose")
    text = left.pop(0)
    found = find_moves(text, state.legal_moves(role))
    if len(found) != 1:
        raise IllegalMove(text, role, state.step, state.legal_moves(role))
    return found[0]


def explain(text: str, role: str, legal: Sequence[Term], found: Sequence[Term], others: Sequence[str]) -> str:
    """Why a text is no move of the role; `others` are the roles that could make it."""
    if found:
        return f"{text!r} can be {len(found)} moves: {_some(found)}"
    readable = next(iter(_readings(text)), None)
    said = str(readable) if readable is not None else repr(text)
    if readable is None:
        why = f"{said} cannot be read as a move"
    elif others:
        why = f"{said} is a move for {' and '.join(others)}, not for {role}"
    else:
        why = f"{said} is not legal for {role} here"
    near = difflib.get_close_matches(text, map(str, legal), n=SHOWN, cutoff=0.5)
    return f"{why}; near: {_some(near)}" if near else f"{why}; legal: {_some(legal)}"


def _readings(text: str) -> list[Any]:
    """The terms that a text can be read as."""
    found = []
    for read, form in ((read_term, text), (read_kif_term, text), (read_kif_term, f"({text})")):
        try:
            found.append(read(form))
        except ReadError:
            continue
    return found


def _squeezed(text: str) -> str:
    """Without blanks and in lower case."""
    return "".join(text.split()).lower()


def _some(moves: Sequence[object]) -> str:
    more = f" and {len(moves) - SHOWN} more" if len(moves) > SHOWN else ""
    return ", ".join(map(str, moves[:SHOWN])) + more
