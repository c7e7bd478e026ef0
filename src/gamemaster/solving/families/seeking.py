"""Sizes of a game -> the families of strategies among them: found for the smallest, made formulas, proved for each.

Formulas are made from two sizes, kept if they give a strategy that is proved for a third, and then tried for all. What
they are not proved for may be of another family, as rows of even and of odd length; so it goes on with what is left.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import combinations

from gamemaster.errors import GamemasterError, LimitExceeded, StrategyError, Unsuitable
from gamemaster.machine.game import Game
from gamemaster.solving.explaining import refuse_unsuitable, wanted
from gamemaster.solving.families.arguments import fit_argument
from gamemaster.solving.families.family import Family, FamilyReport
from gamemaster.solving.families.mirroring import MirrorScheme, fit_mirror
from gamemaster.solving.families.sizes import LEAST_SIZES, FamilySizes, sizes_of
from gamemaster.solving.positions import SolveLimits
from gamemaster.solving.solver import solve_table
from gamemaster.solving.strategies.explained import StrategyProof
from gamemaster.solving.strategies.induction import Argument, Induction, induction_of
from gamemaster.solving.strategies.symmetry import SymmetryStrategy
from gamemaster.solving.strategies.wording import listed
from gamemaster.solving.table import PositionLabel

__all__ = ["explain_family", "explain_sizes"]

SECONDS = 60.0
MOST_SEEDS = 6
"""So many of the smallest sizes left are looked at for a strategy to begin with."""

MOST_CANDIDATES = 6
MOST_POSITIONS = 10_000_000
"""Sizes of no family are labelled up to so many positions."""

NONE_FOUND = "no symmetry was found that wins several sizes in the same way"
FEW = "one symmetry is proved for {} only: three sizes at least are needed"
FEW_LEFT = "one symmetry is proved for {} only, of the sizes left: three at least are needed"
ALONE = "a symmetry is proved there, but none for several sizes in the same way"
ENDED = "the first move ends the game, which says nothing of other sizes"
NO_ARGUMENT = "a symmetry is proved for {}, but not by one argument for all of them"
LATE = "the time was over"


def explain_family(
    name: str, parameter: str, values: Iterable[int], *, role: str | None = None, seconds: float = SECONDS
) -> FamilyReport:
    """One strategy for all of some sizes of a game, or for as many as there is one; the sizes left are labelled.

    ParameterError for a parameter or values that the game does not have; Unsuitable for games that are not for two in
    turn, without chance and hidden information.
    """
    return explain_sizes(sizes_of(name, parameter, values), role, seconds)


def explain_sizes(
    sizes: FamilySizes, role: str | None = None, seconds: float = SECONDS, *, is_labelled: bool = True
) -> FamilyReport:
    """The same for sizes that were read."""
    game = sizes.load(sizes.values[0])
    if role is not None:
        game.check_role(role)
    refuse_unsuitable(game)
    return _Seeking(sizes, role, seconds).report(is_labelled)


class _Seeking:
    """What is left of the sizes, and until when to look."""

    def __init__(self, sizes: FamilySizes, role: str | None, seconds: float) -> None:
        self.sizes, self.role = sizes, role
        self.seconds, self.deadline = seconds, time.monotonic() + seconds
        self.gaps = dict.fromkeys(sizes.values, NONE_FOUND)
        self.few: dict[int, str] = {}
        self.alone: dict[int, str] = {}
        self.found = cache(self._found)

    def report(self, is_labelled: bool) -> FamilyReport:
        """All families, and the rest."""
        families: list[Family] = []
        while (family := self._next_family()) is not None:
            families.append(family)
            for size in family.proved:
                del self.gaps[size]
        reasons = self._reasons()
        labels = self._labels() if is_labelled else {}
        return FamilyReport(self.sizes, tuple(families), reasons, labels)

    def _reasons(self) -> dict[int, str]:
        """Why the sizes left are of no family: first that too few are alike, then what they lack for other families."""
        is_late = time.monotonic() > self.deadline
        found_none = {size: self.alone.get(size, LATE if is_late else NONE_FOUND) for size in self.gaps}
        said = {size: found_none[size] if why == NONE_FOUND else why for size, why in self.gaps.items()}
        return said | {size: why for size, why in self.few.items() if size in said}

    def _next_family(self) -> Family | None:
        """A family of sizes left, the one that holds for most of the smallest; None where there is none."""
        for scheme, seeds in self._schemes():
            try:
                argument = fit_argument(seeds)
            except LimitExceeded:
                return None
            if argument is None:
                self._note_few(seeds, NO_ARGUMENT)
                continue
            family = Family(self.sizes, scheme, argument, tuple(sorted(seeds)), {})
            proofs, gaps = self._proved(family)
            if len(proofs) >= LEAST_SIZES:
                self.gaps |= gaps
                return replace(family, proofs=proofs)
            if LATE not in gaps.values():
                is_first = len(self.gaps) == len(self.sizes.values)
                self._note_few(proofs, FEW if is_first else FEW_LEFT)
            self.gaps |= {size: why for size, why in gaps.items() if self.gaps[size] == NONE_FOUND}
        return None

    def _note_few(self, sizes: Iterable[int], why: str) -> None:
        """Note why sizes are of no family though one symmetry is proved for them; what was noted first stays."""
        text = why.format(listed([str(size) for size in sorted(sizes)]))
        self.few = dict.fromkeys(sizes, text) | self.few

    def _proved(self, family: Family) -> tuple[dict[int, StrategyProof], dict[int, str]]:
        """The proofs of all sizes left that a family has, and why the others have none."""
        proofs: dict[int, StrategyProof] = {}
        gaps: dict[int, str] = {}
        for size in self.gaps:
            left = self.deadline - time.monotonic()
            try:
                if left <= 0:
                    raise StrategyError(LATE)
                proofs[size] = family.prove(size, left)
            except (StrategyError, LimitExceeded, Unsuitable) as error:
                gaps[size] = str(error)
        return proofs, gaps

    def _schemes(self) -> Iterator[tuple[MirrorScheme, dict[int, tuple[Induction, Argument]]]]:
        """Strategies with the size as an unknown, and the proofs of those of the smallest sizes they hold for."""
        seeds = list(self.gaps)[:MOST_SEEDS]
        made: dict[MirrorScheme, dict[int, tuple[Induction, Argument]]] = {}
        own = {size: self.found(size) for size in seeds}
        for low, high in combinations(seeds, 2):
            for one, _, _ in own[low]:
                for other, _, _ in own[high]:
                    scheme = fit_mirror({low: one, high: other})
                    if scheme is not None and scheme not in made:
                        made[scheme] = self._held(scheme, seeds)
        ranked = sorted(made.items(), key=lambda pair: -len(pair[1]))
        return ((scheme, held) for scheme, held in ranked if len(held) > 1)

    def _held(self, scheme: MirrorScheme, seeds: list[int]) -> dict[int, tuple[Induction, Argument]]:
        """The sizes that a strategy is proved for, of those it was found for."""
        held: dict[int, tuple[Induction, Argument]] = {}
        for size in seeds:
            with suppress(StrategyError, Unsuitable):
                strategy = scheme.at(self._game(size), size)
                known = ((i, argument) for one, i, argument in self.found(size) if one == strategy)
                held.update((size, proof) for proof in known)
        return held

    def _game(self, size: int) -> Game:
        found = self.found(size)
        return found[0][0].game if found else self.sizes.load(size)

    def _found(self, size: int) -> list[tuple[SymmetryStrategy, Induction, Argument]]:
        """The strategies of one size that are proved by induction, each with what proves it."""
        game = self.sizes.load(size)
        roles = game.roles if self.role is None else (self.role,)
        found = []
        for value, role, finder in wanted(game, roles, [SymmetryStrategy.kind]):
            left = self.deadline - time.monotonic()
            for candidate in finder(game, role, value, left / 4) if left > 0 else ():
                proved = _proof_of(candidate, self.deadline - time.monotonic())
                if isinstance(candidate, SymmetryStrategy) and proved is not None:
                    self.alone[size] = ALONE
                    found.append((candidate, *proved))
                elif isinstance(candidate, SymmetryStrategy) and candidate.ends_at_once():
                    self.alone.setdefault(size, ENDED)
                if len(found) == MOST_CANDIDATES:
                    return found
        return found

    def _labels(self) -> dict[int, PositionLabel]:
        """What sizes of no family are worth, the small ones first, as long as there is time."""
        labels: dict[int, PositionLabel] = {}
        deadline = time.monotonic() + self.seconds
        for size in sorted(self.gaps):
            if time.monotonic() > deadline:
                break
            try:
                limits = SolveLimits(positions=MOST_POSITIONS, stays_in_memory=True)
                labels[size] = solve_table(self.sizes.load(size), limits=limits).label()
            except GamemasterError:
                break
        return labels


def _proof_of(candidate: object, seconds: float) -> tuple[Induction, Argument] | None:
    if not isinstance(candidate, SymmetryStrategy) or seconds <= 0:
        return None
    try:
        induction = induction_of(candidate, seconds)
        argument = induction.argument() if induction is not None else None
    except (LimitExceeded, Unsuitable):
        return None
    return None if induction is None or argument is None else (induction, argument)
