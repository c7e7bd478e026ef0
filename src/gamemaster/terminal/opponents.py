"""Players at a person's table: each is told what was done, asked for its move, and replaced when it fails.

A player that crashes, or gives no move or one that is not legal, does not end the game: that is told in a line, and any
legal move is made in its place. So it is where a player comes to no end: it thinks in a thread of its own, which is
left alone when its time has long passed, or when the person at the table interrupts it.
"""

from __future__ import annotations

import queue
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from gamemaster.errors import GamemasterError, UnknownRole, Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, Game, State
from gamemaster.players.catalogue import refusal_of
from gamemaster.players.loading import FilePlayer, make_player
from gamemaster.players.player import Handlers, Player, message_to
from gamemaster.players.tracing import trace_of
from gamemaster.terminal.progress import in_words, thinking, waiting
from gamemaster.terminal.report import printable_line, report_text

__all__ = ["Opponent", "invite"]

SHORTEST_START = 10.0
"""Seconds that a player has at least to get ready."""

PATIENCE = 10.0
"""Seconds that a player at a person's table may take longer than it has: a busy machine shall not cost it its move. One
that was given up, and has not come back, gets no more than it has."""

OVER = "over time (Ctrl-C: a random move)"

Asked = Callable[[], tuple[Term | None, str]]
"""A question to a player: its move, and what is wrong with it."""


@dataclass
class Thread:
    """A thread in which a player is asked one thing after the other; one that never answers does not keep us."""

    questions: queue.SimpleQueue[tuple[int, Asked] | None] = field(default_factory=queue.SimpleQueue)
    answers: queue.SimpleQueue[tuple[int, tuple[Term | None, str]]] = field(default_factory=queue.SimpleQueue)
    number: int = 0
    done: int = 0
    given_up: int = 0
    """The numbers of the last question that was asked, answered and given up."""

    @property
    def is_busy(self) -> bool:
        """Whether it is still at something that nobody waits for any more."""
        return self.done < self.number

    def ask(
        self, question: Asked, seconds: float, *, is_awaited: bool = True
    ) -> tuple[Term | None, str] | None:
        """The answer, None where there is none in time; Ctrl-C ends the waiting, once the time is over."""
        patience = PATIENCE if is_awaited and self.done >= self.given_up else 0.0
        if not self.number:
            threading.Thread(target=self._work, name="opponent", daemon=True).start()
        self.number += 1
        self.questions.put((self.number, question))
        deadline = time.perf_counter() + seconds
        try:
            answer = self._answer(deadline + patience)
        except KeyboardInterrupt:
            if time.perf_counter() < deadline:
                raise
            answer = None
        if answer is None and is_awaited:
            self.given_up = self.number
        return answer

    def _answer(self, deadline: float) -> tuple[Term | None, str] | None:
        """The answer to the last question; those to earlier ones come too late."""
        while (left := deadline - time.perf_counter()) > 0:
            try:
                number, answer = self.answers.get(timeout=left)
            except queue.Empty:
                break
            if number == self.number:
                return answer
        return None

    def end(self) -> None:
        """Nothing more will be asked."""
        self.questions.put(None)

    def _work(self) -> None:
        while (asked := self.questions.get()) is not None:
            number, question = asked
            answer = question()
            self.done = number
            self.answers.put((number, answer))


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

    trace: str = ""
    """Where its code has failed, if that is still to be shown."""

    thread: Thread = field(default_factory=Thread)

    def start(self, game: Game) -> None:
        """Begin; what it refuses, or what goes wrong now, is an error."""
        clock = max(SHORTEST_START, self.seconds)
        try:
            with waiting(f"{self._short} gets ready", clock):
                self.player.start(self.role, game, clock, self.seconds)
        except Unsuitable as error:
            raise Unsuitable(refusal_of(self.name, game, str(error))) from error
        if self.is_talkative:
            self._say_found()

    def move(self, state: State) -> Term | None:
        """Its move in a state, None where it has none: its own, or any if that is no good."""
        legal = state.legal_moves(self.role)
        began, question = time.perf_counter(), partial(self._ask, state, legal, self.message)
        with thinking(self._short, self.seconds, is_shown=len(legal) > 1, over=OVER):
            answer = self.thread.ask(question, self.seconds, is_awaited=bool(legal))
        if self.trace:  # below the bar, not in it
            report_text(self.trace)
            self.trace = ""
        took = time.perf_counter() - began
        reply, trouble = answer or (None, f"has no move after {took:.1f} s" if legal else "")
        if answer is not None and took > self.seconds:
            print(
                f"{self.name} thinks {took - self.seconds:.1f} s longer than the {self.seconds:g} s it has."
            )
        self.is_standing_in = bool(trouble)
        if trouble:
            print(f"{self.name} {trouble}" + ("; a move at random is made for it." if legal else "."))
            return self.generator.choice(legal) if legal else None
        if (
            len(legal) > 1 and self.is_talkative and not state.game.has_percepts
        ):  # thoughts tell what it knows
            self._say_why()
        return reply

    def _say_found(self) -> None:
        """Print what it found out, in a line; that this goes wrong is told too."""
        try:
            if self._in_process is not None and self._in_process.summary:
                print(printable_line(f"{self.name}: {self._in_process.summary}"))
        except Exception as error:  # a player's code may raise anything; the game goes on
            print(f"{self.name} cannot say what it found out: {_words_of(error)}")

    def _say_why(self) -> None:
        """Print what it thought, where it says so; that this goes wrong is told too, and costs it nothing."""
        try:
            result = getattr(self.player, "last_result", None)
            if result:
                print(f"{self.name}: {in_words(result)}")
        except Exception as error:  # as above
            print(f"{self.name} cannot say why: {_words_of(error)}")

    def tell(self, state: State, moves: Mapping[str, Term]) -> None:
        """Remember what to tell it: the joint move made in a state."""
        self.message = message_to(self.role, state, moves)

    @property
    def can_go_back(self) -> bool:
        """Whether it can be put into an earlier state: one that keeps books of its own cannot, nor one that is busy."""
        return self._in_process is not None and not self.thread.is_busy

    def go_back(self, state: State) -> None:
        """Put it into an earlier state."""
        if self._in_process is not None:
            self._in_process.resume(state)
            self.message = None

    def leave(self, *, is_over: bool) -> None:
        """Tell it that the game is over, or given up, if it is there to be told."""
        self.thread.end()
        if self.thread.is_busy:
            return
        try:
            if is_over:
                self.player.stop(self.message)
            else:
                self.player.abort()
        except Exception as error:  # as above
            print(f"{self.name} {_failure(error)}")

    @property
    def _short(self) -> str:
        """What it is called beside a bar, which has no room for the path of a file."""
        return self.player.name if isinstance(self.player, FilePlayer) else self.name

    @property
    def _in_process(self) -> Player | None:
        if isinstance(self.player, FilePlayer):
            return self.player.player
        return self.player if isinstance(self.player, Player) else None

    def _ask(self, state: State, legal: Sequence[Term], message: Any) -> tuple[Term | None, str]:
        """Its move and what is wrong with it; nothing is, where it has no choice and says nothing."""
        try:
            if state.game.has_percepts and isinstance(self.player, Player | FilePlayer):
                self.player.tell_legal(legal)
            return _judged(state, legal, self.player.play(message))
        except BaseException as error:  # as above; nobody interrupts a thread, so that is its own, too
            if not self.has_failed:
                self.trace, self.has_failed = trace_of(error).rstrip(), True
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


def _failure(error: BaseException) -> str:
    return f"fails: {_words_of(error)}"


def _words_of(error: BaseException) -> str:
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
        Opponent(name, role, make_player(name, seed=generator.getrandbits(32)), seconds, generator)
        for name, role in zip(chosen, roles, strict=True)
    ]
