"""An equilibrium as it was found: what it is worth, how exploitable it is, how that fell, and how it plays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from gamemaster.language.terms import Term
from gamemaster.solving.equilibrium.information import NO_STATE, Memory
from gamemaster.solving.equilibrium.profiles import Profile
from gamemaster.solving.equilibrium.tree import HistoryTree
from gamemaster.solving.equilibrium.words import MixedAdvice, advices

__all__ = ["Counsellor", "Equilibrium", "Point"]


class Point(NamedTuple):
    """How exploitable the average was after so many iterations."""

    iterations: int
    seconds: float
    exploitability: float


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A profile from which nobody gains much by playing otherwise: `exploitability` says how much."""

    profile: Profile
    algorithm: str
    curve: tuple[Point, ...]

    @property
    def tree(self) -> HistoryTree:
        """The tree it is of."""
        return self.profile.tree

    @property
    def values(self) -> dict[str, float]:
        """What each role gets on average."""
        return dict(zip(self.tree.roles, self.profile.values, strict=True))

    @property
    def exploitability(self) -> float:
        """What a role gains by its best response, on average of those who choose: goals."""
        return self.profile.exploitability

    @property
    def iterations(self) -> int:
        """How many there were."""
        return self.curve[-1].iterations

    @property
    def seconds(self) -> float:
        """How long it took after the tree was there."""
        return self.curve[-1].seconds

    @property
    def is_promised(self) -> bool:
        """Whether more iterations are sure to come nearer: two opposed roles choose, or only one does."""
        return self.tree.is_opposed or len(self.tree.choosers) == 1

    def advices(self, role: str | None = None) -> Iterator[MixedAdvice]:
        """What to do in each information state, in words; of one role only if it is named."""
        if role is not None:
            self.tree.game.check_role(role)
        return advices(self.profile, role)

    def counsellor(self, role: str) -> Counsellor:
        """What plays a role by it, from the beginning."""
        self.tree.game.check_role(role)
        return Counsellor(self.profile, Memory(self.tree.books[self.tree.roles.index(role)]))

    def to_json(self) -> dict[str, Any]:
        """What is told of it, as plain data; without the strategy."""
        return {
            "values": self.values,
            "exploitability": self.exploitability,
            "gains": dict(zip(self.tree.roles, self.profile.gains, strict=True)),
            "is_promised": self.is_promised,
            "algorithm": self.algorithm,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "histories": self.tree.histories,
            "information_states": self.tree.states,
            "curve": [list(point) for point in self.curve],
        }

    def __str__(self) -> str:
        worth = ", ".join(f"{role} {value:.4g}" for role, value in self.values.items())
        return f"{self.tree.game.name}: {worth}; exploitable by {self.exploitability:.2g}"


@dataclass
class Counsellor:
    """A role in play: `advise` with the moves it has, `see` what came of the one it made, and so on, step by step."""

    profile: Profile
    memory: Memory

    def advise(self, legal: Iterable[Term]) -> dict[Term, float]:
        """The probability of each of these moves. StrategyError where no play leads there."""
        moves = tuple(legal)
        state = self.hear(moves)
        return dict.fromkeys(moves, 1.0) if state == NO_STATE else self.profile.advise(state)

    def hear(self, legal: Iterable[Term]) -> int:
        """The information state of the tree with these moves, NO_STATE where there is no choice."""
        state = self.memory.hear(legal)
        if state == NO_STATE:
            return NO_STATE
        tree = self.profile.tree
        chooser = tree.choosers.index(tree.roles.index(self.memory.book.role))
        return state + int(tree.form.starts[chooser])

    def see(self, own: Term | None, percepts: Iterable[Term]) -> None:
        """Take in what the role did in a step, and saw: all moves as does(role,move) where nothing is hidden."""
        self.memory.see(own, percepts)
