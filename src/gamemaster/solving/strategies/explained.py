"""What strategies have in common that people can understand: who wins by what, in words, and how it was proved."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

from gamemaster.errors import GamemasterError, StrategyError
from gamemaster.language.infix import read_term
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State
from gamemaster.search.goals import goals_in
from gamemaster.solving.checking import StrategyVerdict, check_strategy
from gamemaster.solving.strategy import Counsel, goal_at_end

if TYPE_CHECKING:
    from gamemaster.solving.strategies.induction import Answering

__all__ = [
    "LONGEST_GAME",
    "UNPROVED",
    "ExplainedStrategy",
    "StrategyProof",
    "other_role",
    "read_terms",
    "wins_at_once",
]


@dataclass(frozen=True, slots=True)
class StrategyProof:
    """How a strategy was proved: `means` is "check" (every reply) or "induction" (on the gates); figures beside it."""

    means: str
    text: str
    figures: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text

    def to_json(self) -> dict[str, Any]:
        """The proof as plain data."""
        return {"means": self.means, "text": self.text, "figures": dict(self.figures)}


LONGEST_GAME = 400
"""Steps of games that are tried; strategies in words are not looked for where games are longer."""

UNPROVED = StrategyProof("none", "not proved")


@dataclass(frozen=True)
class ExplainedStrategy(ABC):
    """A strategy with a rule that fits into a few words. `proof` is how it was proved, if it was."""

    kind: ClassVar[str] = ""

    game: Game
    role: str
    value: int
    proof: StrategyProof = field(default=UNPROVED, kw_only=True, compare=False)

    @abstractmethod
    def choose(self, state: State) -> tuple[Term, str]:
        """What to play where the role has a choice, and why; StrategyError where the rule says nothing."""

    @abstractmethod
    def rule(self) -> str:
        """What to do, in words."""

    @abstractmethod
    def reason(self) -> str:
        """Why it works, in words."""

    @abstractmethod
    def details(self) -> dict[str, Any]:
        """What tells this strategy from others of its kind, as plain data."""

    @classmethod
    @abstractmethod
    def from_details(cls, game: Game, role: str, value: int, details: Mapping[str, Any]) -> Self:
        """The strategy again; StrategyError, KeyError, TypeError or ValueError for what is none."""

    def answering(self) -> Answering | None:
        """How it answers, as gates, for a proof by induction; None where it is not known."""
        return None

    def verdict(self, most_positions: int) -> StrategyVerdict:
        """What a check against every reply says; LimitExceeded where that takes too many positions."""
        return check_strategy(self, most_positions=most_positions)

    def advise(self, state: State) -> Counsel:
        """What to play in a state; StrategyError where the strategy never leads there."""
        legal = state.legal_moves(self.role)
        if state.is_over or len(legal) < 2:
            return Counsel(legal[0] if legal else None, self.value, "there is nothing to choose")
        move, why = self.choose(state)
        return Counsel(move, self.value, why)

    def explain(self) -> str:
        """The strategy in words: what it gets, what to do, why it works, and how that was proved."""
        lines = [f"{self.role} {self.gets()}: {self.rule()}", f"Why: {self.reason()}."]
        return "\n".join([*lines, f"Proof: {self.proof}."])

    def gets(self) -> str:
        """What it gets, in words."""
        return (
            "wins" if self.value >= goals_in(self.game, self.role).ceiling else f"gets {self.value} at least"
        )

    def to_json(self) -> dict[str, Any]:
        """The strategy as plain data; `explaining.strategy_from_json` reads it."""
        return {
            "kind": self.kind,
            "rules": self.game.digest,
            "role": self.role,
            "value": self.value,
            "details": self.details(),
            "proof": self.proof.to_json(),
        }


def other_role(game: Game, role: str) -> str:
    """The other role of a game for two; StrategyError for any other game."""
    if len(game.roles) != 2:
        raise StrategyError(f"{game.name} is not a game for two")
    return next(other for other in game.roles if other != role)


def wins_at_once(state: State, role: str, value: int) -> Term | None:
    """A move that ends the game with at least so much, if there is one."""
    for move in state.legal_moves(role):
        after = state.next(move)
        if after.is_over and goal_at_end(after, role) >= value:
            return move
    return None


def read_terms(pairs: Mapping[str, str]) -> dict[Term, Term]:
    """Terms that were written as texts; StrategyError for texts that are none."""
    try:
        return {read_term(one): read_term(other) for one, other in pairs.items()}
    except GamemasterError as error:
        raise StrategyError(f"not a term: {error}") from None
