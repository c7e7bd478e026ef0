"""A game of ours beside the same game in OpenSpiel: moves both ways, and a check that they are the same game.

Moves are matched by text: each side's move is written as OpenSpiel would, without what depends on who makes it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gamemaster as gm
from gamemaster.language.terms import Term
from gamemaster.machine.compiled import CompiledGame

__all__ = ["PEERS", "Different", "Line", "Peer", "compare", "compiled"]

RULES = Path(__file__).parent / "rules"
LETTERS = "abcdefgh"


class Different(Exception):
    """The two games do not agree in a state."""


@dataclass(frozen=True)
class Peer:
    """A game here and there. The first role is OpenSpiel's player 0."""

    name: str
    rules: str
    openspiel: str
    our_text: Callable[[list[str]], str]  # of a move's functor and arguments
    their_text: Callable[[str], str]
    their_pieces: Callable[[str], set[tuple[str, str, str]]] | None = (
        None  # of a printed state, as ours cell(X,Y,R)
    )

    def text_of(self, move: Term) -> str:
        """Our move as OpenSpiel would write it."""
        functor, _, arguments = str(move).partition("(")
        return self.our_text([functor, *arguments.rstrip(")").split(",")])


def _breakthrough(move: list[str]) -> str:
    """OpenSpiel's first player starts at the top of the board, ours at the bottom: rows are turned round."""
    x, y, u, v = (int(number) for number in move[1:])
    return f"{LETTERS[x - 1]}{9 - y}{LETTERS[u - 1]}{9 - v}"


def _othello_discs(text: str) -> set[tuple[str, str, str]]:
    """The discs of a board printed in rows under a heading, a row's number before its cells."""
    names = {"x": "black", "o": "white"}
    rows = [line.split() for line in text.splitlines() if line[:1].isdigit()]
    return {
        (LETTERS[x], row[0], names[content])
        for row in rows
        for x, content in enumerate(row[1:9])
        if content in names
    }


PEERS = {
    peer.name: peer
    for peer in (
        Peer(
            "tictactoe",
            "tictactoe",
            "tic_tac_toe",
            lambda move: f"({int(move[1]) - 1},{int(move[2]) - 1})",
            lambda text: text[1:],
        ),
        Peer(
            "connectfour",
            str(RULES / "connectfour_7x6.epilog"),
            "connect_four",
            lambda move: str(int(move[1]) - 1),
            lambda text: text[1:],
        ),
        Peer("breakthrough", "breakthrough", "breakthrough", _breakthrough, lambda text: text.rstrip("*")),
        Peer(
            "hex",
            "hex7x7",
            "hex(board_size=7)",
            lambda move: LETTERS[int(move[2]) - 1] + str(1 + LETTERS.index(move[1])),
            lambda text: text,
        ),
        Peer(
            "othello",
            "othello",
            "othello",
            lambda move: "".join(move[1:]) or move[0],
            lambda text: text,
            _othello_discs,
        ),
    )
}


def compiled(rules: str) -> CompiledGame:
    """A game on the compiled machine."""
    game = gm.load(rules, machine="compiled")
    assert isinstance(game, CompiledGame)
    return game


class Line:
    """OpenSpiel's state of a game that is played here, move by move."""

    def __init__(self, peer: Peer) -> None:
        import pyspiel

        self.peer = peer
        self.game = pyspiel.load_game(peer.openspiel)
        self.state = self.game.new_initial_state()
        self.length = 0

    def actions(self) -> dict[str, int]:
        """OpenSpiel's legal actions by their text."""
        player = self.state.current_player()
        return {
            self.peer.their_text(self.state.action_to_string(player, action)): action
            for action in self.state.legal_actions()
        }

    def follow(self, moves: Sequence[Term]) -> None:
        """Make those of our moves, all from the start, that are not made yet."""
        for move in moves[self.length :]:
            self.state.apply_action(self.actions()[self.peer.text_of(move)])
            self.length += 1

    def move_of(self, action: int, legal: Sequence[Term]) -> Term:
        """Our move for an action."""
        text = self.peer.their_text(self.state.action_to_string(self.state.current_player(), action))
        return next(move for move in legal if self.peer.text_of(move) == text)


def difference(ours: gm.State, line: Line) -> str | None:
    """What the two states differ in, or None."""
    theirs: Any = line.state
    roles = ours.game.roles
    pieces = line.peer.their_pieces
    if pieces and pieces(str(theirs)) != _pieces(ours):
        return "pieces"
    if ours.is_terminal or theirs.is_terminal():
        ends = [ours.is_terminal and ours.goal(role) for role in roles]
        return None if ends == [50 + 50 * value for value in theirs.returns()] else "result"
    control = roles[theirs.current_player()]
    if ours.control != control:
        return "whose turn it is"
    texts = [line.peer.text_of(move) for move in ours.legal_moves(control)]
    actions = line.actions()
    is_same = len(actions) == len(theirs.legal_actions()) and sorted(texts) == sorted(actions)
    return None if is_same else "legal moves"


def _pieces(state: gm.State) -> set[tuple[str, str, str]]:
    cells = [str(fact)[5:-1].split(",") for fact in state.facts if str(fact).startswith("cell(")]
    return {(column, row, content) for column, row, content in cells}


def compare(peer: Peer, games: int, seed: int = 0) -> int:
    """The number of states compared along random games; Different at the first that is not the same."""
    game, generator, states = compiled(peer.rules), random.Random(seed), 0
    for _ in range(games):
        state, line, moves = game.initial_state(), Line(peer), list[Term]()
        while True:
            states += 1
            if found := difference(state, line):
                raise Different(f"{peer.name}: {found} after {' '.join(map(str, moves))}: {state}")
            if state.is_terminal:
                break
            assert state.control is not None
            moves.append(generator.choice(state.legal_moves(state.control)))
            state = state.next(moves[-1])
            line.follow(moves)
    return states
