"""Players at a person's table: each is told what was done, asked for its move, and replaced when it fails.

A player that crashes, or gives no move or one that is not legal, does not end the game: that is told in a line, and any
legal move is made in its place.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gamemaster.errors import GamemasterError, UnknownRole
from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, Game, State
from gamemaster.players.loading import FilePlayer, find_player
from gamemaster.players.player import Handlers, Player, message_to
from gamemaster.players.tracing import trace_of
from gamemaster.terminal.progress import in_words, thinking
from gamemaster.terminal.report import report_text

__all__ = ["Opponent", "invite"]

SHORTEST_START = 10.0
"""Seconds that a player has at least to get ready."""


@dataclass
class Opponent:
    """A player in a role."""

    name: str
    role: str
    player: Handlers
    seconds: float
    generator: random.Random
    message: Any = None
    """What it is told next."""

    is_talkative: bool = True
    """Whether it says why it chose a move."""

    is_standing_in: bool = False
    """Whether its last move was made for it."""

    has_failed: bool = False
    """Whether its code has failed before: the first time its author sees all of it."""

    def start(self, game: Game) -> None:
        """Begin; what it refuses, or what goes wrong now, is an error."""
        self.player.start(self.role, game, max(SHORTEST_START, self.seconds), self.seconds)
        if self._in_process is not None and self._in_process.findings:
            print(f"{self.name} found out:\n{self._in_process.findings}")

    def move(self, state: State) -> Term | None:
        """Its move in a state, None where it has none: its own, or any if that is no good."""
        legal = state.legal_moves(self.role)
        began = time.perf_counter()
        with thinking(self.name, self.seconds, is_shown=len(legal) > 1):
            reply, trouble = self._ask(state, legal)
        late = time.perf_counter() - began - self.seconds
        if late > 0:
            print(f"{self.name} thinks {late:.1f} s longer than the {self.seconds:g} s it has.")
        self.is_standing_in = bool(trouble)
        if trouble:
            print(f"{self.name} {trouble}" + ("; a move at random is made for it." if legal else "."))
            return self.generator.choice(legal) if legal else None
        if (
            len(legal) > 1 and self.is_talkative and not state.game.has_percepts
        ):  # thoughts tell what it knows
            self._say_why()
        return reply

    def _say_why(self) -> None:
        """Print what it thought, where it says so; that this goes wrong is told too, and costs it nothing."""
        try:
            result = getattr(self.player, "last_result", None)
            if result:
                print(f"{self.name}: {in_words(result)}")
        except Exception as error:  # a player's code may raise anything; the game goes on
            print(f"{self.name} cannot say why: {_words_of(error)}")

    def tell(self, state: State, moves: Mapping[str, Term]) -> None:
        """Remember what to tell it: the joint move made in a state."""
        self.message = message_to(self.role, state, moves)

    @property
    def can_go_back(self) -> bool:
        """Whether it can be put into an earlier state: one that keeps books of its own cannot."""
        return self._in_process is not None

    def go_back(self, state: State) -> None:
        """Put it into an earlier state."""
        if self._in_process is not None:
            self._in_process.resume(state)
            self.message = None

    def leave(self, *, is_over: bool) -> None:
        """Tell it that the game is over, or given up."""
        try:
            if is_over:
                self.player.stop(self.message)
            else:
                self.player.abort()
        except Exception as error:  # as above
            print(f"{self.name} {_failure(error)}")

    @property
    def _in_process(self) -> Player | None:
        if isinstance(self.player, FilePlayer):
            return self.player.player
        return self.player if isinstance(self.player, Player) else None

    def _ask(self, state: State, legal: Sequence[Term]) -> tuple[Term | None, str]:
        """Its move and what is wrong with it; nothing is, where it has no choice and says nothing."""
        try:
            if state.game.has_percepts and isinstance(self.player, Player | FilePlayer):
                self.player.tell_legal(legal)
            return _judged(state, legal, self.player.play(self.message))
        except Exception as error:  # as above
            if not self.has_failed:
                report_text(trace_of(error).rstrip())
                self.has_failed = True
            return None, _failure(error)


def _judged(state: State, legal: Sequence[Term], reply: Any) -> tuple[Term | None, str]:
    """The move that a reply is, and what is wrong with it."""
    move = _move(state, reply)
    if not legal or move in legal:
        return (move if legal else None), ""
    if reply is not None and reply is not False:
        return None, f"answers {str(reply)[:80]!r}, which is not legal"
    return (legal[0], "") if len(legal) == 1 else (None, "gives no move")


def _move(state: State, reply: Any) -> Term | None:
    """A reply as a move, None for what is none."""
    is_term = isinstance(reply, str | tuple)
    move: Term | None = state.game.move_of(reply) if is_term else None
    return move


def _failure(error: Exception) -> str:
    return f"fails: {_words_of(error)}"


def _words_of(error: Exception) -> str:
    """What went wrong, in a line."""
    try:
        what = " ".join(str(error).split())
    except Exception:  # it is of the player's own making
        what = ""
    name = "" if isinstance(error, GamemasterError) and what else type(error).__name__
    return ": ".join(filter(None, (name, what)))


def invite(
    names: Sequence[str], game: Game, people: Sequence[str], *, seconds: float, generator: random.Random
) -> list[Opponent]:
    """An opponent for each role that no person plays: the one named for all, or each in role order."""
    roles = [role for role in game.roles if role not in people and role != RANDOM]
    if not roles:
        raise UnknownRole(f"no role of {game.name} is left for {names[0]}: people play {', '.join(people)}")
    if len(names) not in (1, len(roles)):
        raise UnknownRole(
            f"{len(names)} players for {len(roles)} roles of {game.name} that no person plays: {', '.join(roles)}"
        )
    chosen = list(names) * len(roles) if len(names) == 1 else list(names)
    return [
        Opponent(name, role, find_player(name)(seed=generator.getrandbits(32)), seconds, generator)
        for name, role in zip(chosen, roles, strict=True)
    ]
