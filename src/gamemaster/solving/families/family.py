"""The product: one strategy for many sizes of a game, with the proof of each, in words and as plain data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from gamemaster.errors import StrategyError
from gamemaster.solving.families.arguments import ArgumentFormula
from gamemaster.solving.families.mirroring import MirrorScheme
from gamemaster.solving.families.sizes import FamilySizes
from gamemaster.solving.strategies.explained import StrategyProof, other_role
from gamemaster.solving.strategies.induction import induction_of
from gamemaster.solving.strategies.symmetry import OWN_IMAGE, SymmetryStrategy
from gamemaster.solving.strategies.wording import listed
from gamemaster.solving.table import PositionLabel

__all__ = ["Family", "FamilyReport"]

SECONDS = 60.0


@dataclass(frozen=True)
class Family:
    """A strategy and an argument, both with the size as an unknown, and the proofs of the sizes they hold for.

    `seeds` are the sizes that the formulas were made from; of the others nothing was searched for.
    """

    sizes: FamilySizes
    scheme: MirrorScheme
    argument: ArgumentFormula
    seeds: tuple[int, ...]
    proofs: Mapping[int, StrategyProof]

    @property
    def proved(self) -> tuple[int, ...]:
        """The sizes that the strategy is proved for, in order."""
        return tuple(sorted(self.proofs))

    def member(self, size: int) -> SymmetryStrategy:
        """The strategy for one size, to be played or checked; StrategyError where the formulas give none."""
        strategy = self.scheme.at(self.sizes.load(size), size)
        proof = self.proofs.get(size)
        return strategy if proof is None else replace(strategy, proof=proof)

    def prove(self, size: int, seconds: float = SECONDS) -> StrategyProof:
        """The argument checked for one size by the SAT solver; StrategyError where it is no proof, and why.

        Nothing is searched for: the invariant is what the formulas give for this size. Unsuitable and LimitExceeded
        for sizes that are not unrolled, or take longer.
        """
        strategy = self.scheme.at(self.sizes.load(size), size)
        if strategy.ends_at_once():
            return StrategyProof("check", "the first move ends the game", {"positions": 2})
        induction = induction_of(strategy, seconds)
        if induction is None:
            raise StrategyError("there is no move to begin with after which the other is to move")
        argument = self.argument.at(size, induction)
        if why := induction.gap(argument):
            raise StrategyError(why)
        figures = {
            "conditions": len(argument.conditions),
            "gates": induction.network.gates,
            "questions": induction.solver.asked,
        }
        return StrategyProof(
            "induction", "by the induction of its family, checked for this size by a SAT solver", figures
        )

    def explain(self) -> str:
        """The strategy in words, why it works, and what was proved how."""
        members = {size: self.member(size) for size in self.proved}
        rule = self.scheme.rule(self.sizes.unknown, _note(members.values()))
        why = members[self.proved[-1]].reason()
        lines = [f"{self.scheme.role} {self._gets(members)}: {rule}", f"Why: {why}."]
        lines.append(f"Proof: {self._proof_words()}")
        conditions = "; ".join(self.conditions_in_words())
        progress = "; ".join(one.progress_words() for one in self.argument.progress)
        ends = f"End: {progress}; every round changes some of it."
        return "\n".join([*lines, f"Invariant, whenever {self._other()} is to move: {conditions}.", ends])

    def _gets(self, members: Mapping[int, SymmetryStrategy]) -> str:
        """What it gets in all sizes; where that is the most there is in some only, these are named."""
        words = {size: member.gets() for size, member in members.items()}
        if len(set(words.values())) == 1:
            return next(iter(words.values()))
        won = self.sizes.words(size for size, text in words.items() if text == "wins")
        return f"gets {self.scheme.value} at least, which wins where {won}"

    def _proof_words(self) -> str:
        unknown = self.sizes.unknown
        ended = [size for size in self.proved if self.proofs[size].means != "induction"]
        several, every = f"each of these {len(self.proofs)} sizes", "size"
        if ended:
            several, every = (
                f"{len(self.proofs) - len(ended)} of these {len(self.proofs)} sizes",
                "one of them",
            )
        end = f" For {self.sizes.words(ended)} the first move ends the game." if ended else ""
        return (
            f"found for {unknown} = {listed([str(size) for size in self.seeds])}, written with {unknown} as an "
            f"unknown, and proved for {several} by one induction, which a SAT solver checks for every {every} and "
            f"looks for no other.{end} Nothing is said of other sizes."
        )

    def conditions_in_words(self) -> list[str]:
        """The conditions of the invariant."""
        own = "the position is its own mirror image"
        return [one.words(self.sizes.unknown, own, self._other()) for one in self.argument.conditions]

    def _other(self) -> str:
        return other_role(self.sizes.load(self.proved[-1]), self.scheme.role)

    def title(self) -> str:
        """What it is, in a line."""
        sizes = self.sizes.words(self.proved)
        return f"{self.sizes.name}, {sizes}: one strategy by symmetry, for {self.scheme.role}"

    def to_json(self) -> dict[str, Any]:
        """The family as plain data."""
        unknown = self.sizes.unknown
        return {
            "kind": "symmetry",
            "unknown": unknown,
            "strategy": self.scheme.to_json(unknown),
            "invariant": self.conditions_in_words(),
            "progress": [one.progress_words() for one in self.argument.progress],
            "seeds": list(self.seeds),
            "proofs": {str(size): self.proofs[size].to_json() for size in self.proved},
        }


def _note(members: Iterable[SymmetryStrategy]) -> str:
    """What the first move is in all sizes: the middle, or at least its own image; nothing where it is not."""
    notes = {member.middle() for member in members}
    if len(notes) == 1:
        return notes.pop()
    return "" if "" in notes else OWN_IMAGE


@dataclass(frozen=True)
class FamilyReport:
    """The families among some sizes, and of the sizes left why none holds for them, and what they are worth."""

    sizes: FamilySizes
    families: tuple[Family, ...]
    gaps: Mapping[int, str]
    labels: Mapping[int, PositionLabel]

    def __str__(self) -> str:
        parts = [line for family in self.families for line in (family.title(), family.explain())]
        return "\n".join([*parts, *self.rest_in_words()])

    def rest_in_words(self) -> list[str]:
        """What is said of the sizes of no family: why, and who wins them."""
        by_reason: dict[str, list[int]] = defaultdict(list)
        for size, why in sorted(self.gaps.items()):
            by_reason[why].append(size)
        lines = [
            f"{self.sizes.words(some)}: no strategy of this kind is proved ({why})"
            for why, some in by_reason.items()
        ]
        return [*lines, *self._labels_in_words()]

    def _labels_in_words(self) -> list[str]:
        """What perfect play comes to in the sizes that were labelled."""
        by_goals: dict[str, list[int]] = defaultdict(list)
        for size, label in sorted(self.labels.items()):
            roles = self.sizes.load(size).roles
            goals = ", ".join(f"{role} {goal}" for role, goal in zip(roles, label.goals, strict=True))
            by_goals[goals].append(size)
        return [f"perfect play: {goals} for {self.sizes.words(some)}" for goals, some in by_goals.items()]

    def to_json(self) -> dict[str, Any]:
        """The report as plain data."""
        labels = {str(size): list(label.goals) for size, label in self.labels.items()}
        return {
            "game": self.sizes.name,
            "parameters": list(self.sizes.parameters),
            "sizes": list(self.sizes.values),
            "families": [family.to_json() for family in self.families],
            "others": {str(size): why for size, why in self.gaps.items()},
            "labels": labels,
        }
