"""Text -> a move of the rules, or why it is none: for programs to the letter, for people by as little as is clear.

`move_written` takes a move in infix or prefix notation, in any case and with any blanks: a program that says anything
else is wrong. `moves_meant` takes what people type: brackets may be missing, a number stands for its move in the list,
and a beginning for the move that begins so; `explain` says why that is none, with the moves that are near. `follow`
makes moves given as texts, one after the other.
"""

from __future__ import annotations

import difflib
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from gamemaster.errors import IllegalMove, ReadError, StateError
from gamemaster.language.infix import read_term
from gamemaster.language.kif import read_kif_term
from gamemaster.language.terms import Compound, Term, term_of
from gamemaster.machine.game import RANDOM, State

__all__ = [
    "between_commas",
    "explain",
    "follow",
    "move_written",
    "moves_meant",
    "split_moves",
    "texts_of",
    "walk",
]

SHOWN = 5
MOST_BLANKS = 400
"""A text that is longer than a move twice over by more than this is not read."""

NUMBER = re.compile(r"[0-9]{1,9}\Z")


def between_commas(text: str) -> list[str]:
    """The text cut at commas that are in no bracket."""
    pieces, depth = [""], 0
    for letter in text:
        depth = max(0, depth + {"(": 1, ")": -1}.get(letter, 0))
        if letter == "," and not depth:
            pieces.append("")
        else:
            pieces[-1] += letter
    return pieces


def split_moves(text: str) -> list[str]:
    """The moves of a text: between semicolons, or between commas that are in no bracket."""
    pieces = [move.strip() for piece in text.split(";") for move in between_commas(piece)]
    return [move for move in pieces if move]


# What programs say


def move_written(text: str, legal: Sequence[Term]) -> tuple[Term | None, bool]:
    """The legal move that a text is, and whether it can be read at all."""
    if (move := _as_written(text, legal)) is not None:
        return move, True
    return (None, True) if _is_too_long(text, legal) else _as_read(text, legal)


def _as_written(text: str, legal: Sequence[Term]) -> Term | None:
    """The move with that text in infix or prefix notation; where none has it, the one that has it in another case."""
    plain = " ".join(str.__str__(text).split())
    for move in legal:
        if plain in (str(move), move.kif()):
            return move
    lower = plain.lower()
    found = [move for move in legal if lower in (str(move).lower(), move.kif().lower())]
    return found[0] if len(found) == 1 else None


def _is_too_long(text: str, legal: Sequence[Term]) -> bool:
    """Whether a text is no legal move however it is written: to read it would take time that is not its player's."""
    longest = max((len(notation) for move in legal for notation in (str(move), move.kif())), default=0)
    return len(text) > 2 * longest + MOST_BLANKS


def _as_read(text: str, legal: Sequence[Term]) -> tuple[Term | None, bool]:
    """The move that a text with other blanks, or other brackets, is."""
    for term in _readings(text, (read_kif_term, read_term)):
        found = [move for move in (term, _without_brackets(term)) if move in legal]
        return (found[0] if found else None), True
    return None, False


def _without_brackets(term: Term) -> Term:
    """`noop` for `(noop)`: some players put brackets around every move."""
    return term_of(term[0]) if isinstance(term, Compound) and len(term) == 1 else term


# What people type


def moves_meant(text: str, legal: Sequence[Term]) -> list[Term]:
    """The legal moves that a text can mean: one if it is clear, none if it is wrong, several if too short.

    A text is a move in infix `mark(1,1)` or prefix `(mark 1 1)`, brackets optional; or the number of a move
    in the list, from 1; or the beginning of a move.
    """
    for term in _typed(text):
        if term in legal:
            return [term]
    if NUMBER.match(text) and 1 <= int(text) <= len(legal):
        return [legal[int(text) - 1]]
    begun = _squeezed(text)
    return [move for move in legal if begun and _squeezed(str(move)).startswith(begun)]


def follow(state: State, texts: Sequence[str], generator: random.Random) -> tuple[State, list[str]]:
    """The state after moves, and what chance drew; IllegalMove or StateError where they lead nowhere."""
    state, drawn, _ = walk(state, texts, generator)
    return state, drawn


def walk(
    state: State, texts: Sequence[str], generator: random.Random
) -> tuple[State, list[str], list[tuple[State, dict[str, Term]]]]:
    """The same, and each state on the way with the joint move that was made in it.

    In a step each role with a choice makes the next move, those without one move by themselves. Chance takes the next
    move if it is its own and nobody else's; else it draws.
    """
    left, drawn, made = list(texts), list[str](), list[tuple[State, dict[str, Term]]]()
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
            elif len(legal) > 1 or (role == state.control and left and moves_meant(left[0], legal)):
                moves[role] = _next_move(left, state, role)
            elif legal:
                moves[role] = legal[0]
        made.append((state, moves))
        state = state.next(moves)
    return state, drawn, made


def texts_of(state: State, moves: Mapping[str, Term]) -> list[str]:
    """A joint move as `follow` reads it: what those who have a choice do, or who is in control."""
    control = state.control
    return [str(move) for role, move in moves.items() if len(state.legal_moves(role)) > 1 or role == control]


def _is_for_chance(left: Sequence[str], state: State) -> bool:
    """Whether the next move is one of chance, and of nobody else who has a choice."""
    others = [role for role in state.game.roles if role != RANDOM and len(state.legal_moves(role)) > 1]
    return (
        bool(left)
        and len(moves_meant(left[0], state.legal_moves(RANDOM))) == 1
        and not any(moves_meant(left[0], state.legal_moves(role)) for role in others)
    )


def _next_move(left: list[str], state: State, role: str) -> Term:
    if not left:
        raise StateError(f"{role} has no move in step {state.step + 1}, where several roles choose")
    text = left.pop(0)
    found = moves_meant(text, state.legal_moves(role))
    if len(found) != 1:
        raise IllegalMove(text, role, state.step, state.legal_moves(role))
    return found[0]


def explain(text: str, role: str, legal: Sequence[Term], found: Sequence[Term], others: Sequence[str]) -> str:
    """Why a text is no move of the role; `others` are the roles that could make it."""
    if found:
        return f"{text!r} can be {len(found)} moves: {_some(found)}"
    if NUMBER.match(text) and not any(NUMBER.match(str(move)) for move in legal):
        count = (
            f"{len(legal)} moves, numbered from 1 to {len(legal)}" if len(legal) > 1 else "one move, number 1"
        )
        return f"there is no move {text} for {role}: there {'are' if len(legal) > 1 else 'is'} {count}"
    readable = next(iter(_typed(text)), None)
    said = str(readable) if readable is not None else repr(text)
    if readable is None:
        why = f"{said} cannot be read as a move"
    elif others:
        why = f"{said} is a move for {' and '.join(others)}, not for {role}"
    else:
        why = f"{said} is not legal for {role} here"
    near = difflib.get_close_matches(text, map(str, legal), n=SHOWN, cutoff=0.5)
    return f"{why}; near: {_some(near)}" if near else f"{why}; legal: {_some(legal)}"


def _typed(text: str) -> list[Term]:
    """The terms that a person may mean; the brackets of prefix notation may be missing."""
    return [*_readings(text, (read_term, read_kif_term)), *_readings(f"({text})", (read_kif_term,))]


def _readings(text: str, readers: Sequence[Callable[[str], Term]]) -> Iterator[Term]:
    """The terms that a text can be read as, by one reader after the other."""
    for read in readers:
        with suppress(ReadError):
            yield read(text)


def _squeezed(text: str) -> str:
    """Without blanks and in lower case."""
    return "".join(text.split()).lower()


def _some(moves: Sequence[object]) -> str:
    more = f" and {len(moves) - SHOWN} more" if len(moves) > SHOWN else ""
    return ", ".join(map(str, moves[:SHOWN])) + more
