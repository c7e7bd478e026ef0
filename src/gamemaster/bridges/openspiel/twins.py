"""OpenSpiel's own games beside the same games of ours: states and actions there <-> states and moves here.

Moves are matched by text: each side's move is written the same way, without what depends on who makes it. That works
for games that take turns and hide nothing; the first role is OpenSpiel's player 0. A game of yours is matched by a
`Twin` of your own; a game that nobody has written rules for cannot be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyspiel

from gamemaster.errors import StateError, Unsuitable
from gamemaster.language.terms import Term
from gamemaster.load import load
from gamemaster.machine.game import Game, State

__all__ = ["TWINS", "Twin", "twin_of"]

LETTERS = "abcdefgh"


@dataclass(frozen=True)
class Twin:
    """A game there, as load_game takes it, and here, as gm.load does; and how the same move is written."""

    theirs: str
    ours: str
    our_text: Callable[[list[str]], str]
    """The name and the arguments of a move of ours -> how both write it."""

    their_text: Callable[[str], str] = str
    """An action as OpenSpiel prints it -> how both write it."""

    @cached_property
    def name(self) -> str:
        """What OpenSpiel calls the game, with all parameters that are not the usual."""
        return str(pyspiel.load_game(self.theirs))

    @cached_property
    def game(self) -> Game:
        """The game here."""
        return load(self.ours)

    def state_of(self, line: Any) -> State:
        """Our state of a pyspiel.State; StateError where our rules do not have what was played."""
        state, theirs = self.game.initial_state(), line.get_game().new_initial_state()
        for action in line.history():
            state = state.next(self.move_of(theirs, state, action))
            theirs.apply_action(action)
        return state

    def move_of(self, line: Any, state: State, action: int) -> Term:
        """The move of an action in a state, which both have."""
        return self._matched(line, state, lambda pair: pair[1] == action)[0]

    def action_of(self, line: Any, state: State, move: Term) -> int:
        """The action of a move in a state, which both have."""
        return self._matched(line, state, lambda pair: pair[0] == move)[1]

    def _matched(
        self, line: Any, state: State, is_wanted: Callable[[tuple[Term, int]], bool]
    ) -> tuple[Term, int]:
        found = next(filter(is_wanted, self.pairs(line, state)), None)
        if found is None:
            legal = ", ".join(map(str, state.legal_moves(state.control))) if state.control else "nothing"
            raise StateError(
                f"{self.theirs} and {self.ours} are not the same game after {line.history_str() or 'nothing'}: legal "
                f"there {line.legal_actions()}, here {legal}"
            )
        return found

    def pairs(self, line: Any, state: State) -> list[tuple[Term, int]]:
        """The moves of whose turn it is, each with its action there; those that only one side has are left out."""
        player = line.current_player()
        actions = {
            self.their_text(line.action_to_string(player, action)): action for action in line.legal_actions()
        }
        role = state.control
        moves = () if role is None or role != self.game.roles[player] else state.legal_moves(role)
        texts = [(move, self.text_of(move)) for move in moves]
        return [(move, actions[text]) for move, text in texts if text in actions]

    def text_of(self, move: Term) -> str:
        """Our move as both write it."""
        functor, _, arguments = str(move).partition("(")
        return self.our_text([functor, *arguments.rstrip(")").split(",")])


def _breakthrough(move: list[str]) -> str:
    """OpenSpiel's first player starts at the top of the board, ours at the bottom: rows are turned round."""
    x, y, u, v = (int(number) for number in move[1:])
    return f"{LETTERS[x - 1]}{9 - y}{LETTERS[u - 1]}{9 - v}"


TWINS = (
    Twin(
        "tic_tac_toe",
        "tictactoe",
        lambda move: f"({int(move[1]) - 1},{int(move[2]) - 1})",
        lambda text: text[1:],
    ),
    Twin("connect_four", "connectfour:standard", lambda move: str(int(move[1]) - 1), lambda text: text[1:]),
    Twin("breakthrough", "breakthrough", _breakthrough, lambda text: text.rstrip("*")),
    Twin(
        "hex(board_size=7)",
        "hex7x7",
        lambda move: LETTERS[int(move[2]) - 1] + str(1 + LETTERS.index(move[1])),
    ),
    Twin("othello", "othello", lambda move: "".join(move[1:]) or move[0]),
)
"""The games of OpenSpiel that the library has as well."""


def twin_of(game: Any) -> Twin:
    """The twin of a pyspiel.Game; Unsuitable where the library has none."""
    name = str(game)
    for twin in TWINS:
        if twin.name == name:
            return twin
    there = ", ".join(twin.theirs for twin in TWINS)
    raise Unsuitable(
        f"no game of ours is known to be OpenSpiel's {name}: there are {there}; for others write a Twin"
    )
