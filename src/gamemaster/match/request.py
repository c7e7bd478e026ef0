"""What the referee asks of a player, and what comes back: the values between the referee and the transports.

A request has a number, one more in each round, so that a reply can be told from one that comes too late. A reply is
text as it came over the line, or what a handler in this process returned; what it means is the referee's business.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from gamemaster.language.rules import Rules
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State
from gamemaster.match.thought import Thought
from gamemaster.players.player import NIL, message_to

__all__ = ["MOST_REPLIES", "NO_MOVES", "Failure", "Kind", "Reply", "Request", "Standing", "Told", "told_of"]

Kind = Literal["ping", "start", "play", "stop", "abort"]

NO_MOVES = frozenset({"", NIL, "noop", "false", "none"})
"""What a player may say that has no move to make."""

MOST_REPLIES = 32
"""To one message. A player that says more fills only its own time: neither the record nor the manager's."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a player is told of a step: the moves by role, or its percepts where the rules hide the state."""

    moves: Mapping[str, Term] | None = None
    percepts: tuple[Term, ...] | None = None

    def message(self) -> Any:
        """What the handlers `play` and `stop` get."""
        if self.moves is None:
            return frozenset(self.percepts or ())
        return next(iter(self.moves.values())) if len(self.moves) == 1 else dict(self.moves)

    def terms(self) -> tuple[Term, ...]:
        """The moves in role order, or the percepts."""
        return (self.percepts or ()) if self.moves is None else tuple(self.moves.values())


@dataclass(frozen=True, slots=True)
class Standing:
    """A state by its facts, which any machine can go on from."""

    facts: tuple[Term | str, ...]
    step: int


@dataclass(frozen=True, slots=True)
class Request:
    """A message to the player of a role.

    Where a match goes on, `start` has what was told before the last step as well, and where that led, if the rules do
    not hide it.
    """

    kind: Kind
    number: int
    match: str
    role: str
    game: str
    rules: Game | Rules
    start_clock: float
    play_clock: float
    told: Told | None = None
    legal: tuple[Term, ...] | None = None
    """The role's legal moves, in a game that hides its state."""

    past: tuple[Told, ...] | None = None
    position: Standing | None = None

    @property
    def sheet(self) -> Rules:
        """The rules as they were written."""
        return self.rules if isinstance(self.rules, Rules) else self.rules.sheet

    def __str__(self) -> str:
        """The request in a line, without the rules: how one within this process is recorded."""
        if self.kind == "start":
            return f"start({self.role},{self.game},{self.start_clock:g},{self.play_clock:g})"
        if self.kind in ("ping", "abort"):
            return f"{self.kind}()"
        if self.told is None:
            return f"{self.kind}({NIL})"
        terms = self.told.terms()
        is_one = self.told.moves is not None and len(terms) == 1
        listed = ",".join(map(str, terms))
        return f"{self.kind}({listed})" if is_one else f"{self.kind}([{listed}])"


@dataclass(frozen=True, slots=True)
class Reply:
    """What a player said to the request of that number; `value` is None where it said nothing."""

    number: int
    value: object
    text: str = ""
    thought: Thought | None = None
    """Why it is the move, where the player says so."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A request that got no reply: `kind` is one of FAULTS. Without a number it concerns the player as a whole."""

    number: int | None
    kind: str
    detail: str
    trace: str = field(default="", compare=False, repr=False)
    """The traceback, where the player's code failed in this process."""


def told_of(role: str, state: State, moves: Mapping[str, Term]) -> Told:
    """What the player of a role is told of the moves made in a state."""
    if not state.game.has_percepts:
        return Told(moves=dict(moves))
    return Told(percepts=tuple(sorted(message_to(role, state, moves), key=str)))
