"""Invariants of some sizes -> the smallest one with the size as an unknown that proves the strategy for all of them.

A condition is about every fact of a shape ("for all K: exactly one of cell(K,_) holds"), about those whose numbers lie
in ranges ("for all K from 2 to rows"), or about one with formulas in it ("cell((cells+1)/2,filled) holds"). The game
has facts of a shape with all numbers between the least and the greatest, or it is said that it has not. All that every
one of the sizes keeps are taken, then left out one after the other, the less simple first, as long as the rest still
proves the strategy for each of these sizes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from gamemaster.errors import StrategyError
from gamemaster.language.terms import Term
from gamemaster.solving.families.formulas import Affine, TermFormula, fit_affine, fit_term, letters_in
from gamemaster.solving.strategies.induction import Argument, Condition, Induction, groups_of
from gamemaster.solving.strategies.wording import LETTERS, Numbers, Shape, listed, numbers_of, shape_of

__all__ = ["ArgumentFormula", "ConditionFormula", "fit_argument"]

MOST_PAIRED = 40_000
"""So many pairs of conditions of two sizes are looked at for a common formula."""

SIMPLEST = ("own", "safe", "one", "holds", "fails", "most one")
SIMPLEST_PROGRESS = ("grows", "shrinks", "rises", "falls")
GROUPED = ("one", "most one")
SOME_HOLD = ("holds", "one")
"""Kinds that are false of a fact that the game does not have, so that none may be missing where they name it."""

Box = tuple[tuple[int, int], ...]
Found = Mapping[int, tuple[Induction, Argument]]


@dataclass(frozen=True, slots=True)
class ConditionFormula:
    """A condition of every size: of `every` fact or group of a shape, or of one that formulas give; else of no fact.

    With `ranges` each number of the shape lies between two formulas. With `has_holes` the game has no facts with some
    of the numbers between its least and its greatest, and the words say so.
    """

    kind: str
    place: int = 0
    every: Shape | None = None
    ranges: tuple[tuple[Affine, Affine], ...] = ()
    about: TermFormula | None = None
    has_holes: bool = False

    def at(self, size: int, candidates: Iterable[Condition]) -> Iterator[Condition]:
        """The conditions that it means for a size; StrategyError where its formulas give no fact."""
        if self.every is not None:
            key = (self.kind, self.place, self.every)
            bounds = [(_whole(least, size), _whole(most, size)) for least, most in self.ranges]
            meant = [one for one in candidates if _key(one) == key and _is_within(one, bounds)]
            if self.kind in SOME_HOLD and not self.has_holes and self._has_gaps(meant, bounds):
                raise StrategyError("a condition is about facts that the game does not have")
            yield from meant
            return
        about = self.about.at(size) if self.about is not None else None
        if self.about is not None and about is None:
            raise StrategyError("a condition is about a number that is no whole one")
        yield Condition(self.kind, about, self.place)

    def _has_gaps(self, meant: Sequence[Condition], bounds: Sequence[tuple[int, int]]) -> bool:
        """Whether there are no facts with some of the numbers, or not the one fact, that the words name."""
        if self.every is not None and None not in self.every:
            return not meant
        return len(meant) < _volume(bounds or _box(_numbers(meant)))

    def words(self, unknown: str, own: str, other: str) -> str:
        """What it says; `own` are the words of the strategy's condition."""
        if self.kind in ("own", "safe"):
            return own if self.kind == "own" else f"{other} cannot win at once"
        term = letters_in(self.every) if self.every is not None else ""
        term = self.about.words(unknown) if self.about is not None else term
        number = "exactly" if self.kind == "one" else "at most"
        many = {"holds": f"{term} holds", "fails": f"{term} does not hold"}
        text = many.get(self.kind, f"{number} one of {term} holds")
        such = " with such a fact" if self.has_holes else ""
        return (
            f"for all {self._letters(unknown)}{such}: {text}" if self.every and None in self.every else text
        )

    def _letters(self, unknown: str) -> str:
        """What the letters of the shape stand for."""
        letters = LETTERS[: (self.every or ()).count(None)]
        if not self.ranges:
            return ", ".join(letters)
        bounds = [(least.words(unknown), most.words(unknown)) for least, most in self.ranges]
        return listed(
            [f"{one} from {least} to {most}" for one, (least, most) in zip(letters, bounds, strict=True)]
        )

    def progress_words(self) -> str:
        """What it says of what never changes back."""
        term = letters_in(self.every or ())
        return {
            "grows": f"once {term} holds, it holds to the end",
            "shrinks": f"once {term} does not hold, it never holds again",
            "rises": f"the number in place {self.place} of {term} never becomes less",
            "falls": f"the number in place {self.place} of {term} never becomes more",
        }[self.kind]


def _whole(formula: Affine, size: int) -> int:
    number = formula.at(size)
    if number is None:
        raise StrategyError("a condition is about a number that is no whole one")
    return number


def _is_within(one: Condition, bounds: Sequence[tuple[int, int]]) -> bool:
    """Whether the numbers of what a condition is about lie within bounds, where there are any."""
    return not bounds or (one.about is not None and _is_in_box(numbers_of(one.about), bounds))


@dataclass(frozen=True, slots=True)
class ArgumentFormula:
    """An argument with the size as an unknown."""

    conditions: tuple[ConditionFormula, ...]
    progress: tuple[ConditionFormula, ...]

    def at(self, size: int, induction: Induction) -> Argument:
        """The argument for a size; StrategyError where the formulas give none."""
        conditions = [c for one in self.conditions for c in one.at(size, induction.candidates)]
        progress = [c for one in self.progress for c in one.at(size, induction.progress_candidates)]
        return Argument(frozenset(conditions), frozenset(progress))


def fit_argument(found: Found) -> ArgumentFormula | None:
    """The smallest argument of one form that proves the strategy for all of some sizes; None where there is none."""
    found = _without_lone_groups(found)
    conditions = [*_plain(found), *_of_every(found), *_of_ranges(found), *_of_one(found)]
    progress = _progress(found)

    def proves(conditions: list[ConditionFormula], progress: list[ConditionFormula]) -> bool:
        argument = ArgumentFormula(tuple(conditions), tuple(progress))
        return not any(induction.gap(argument.at(size, induction)) for size, (induction, _) in found.items())

    if not proves(conditions, progress):
        return None
    progress = _least(progress, lambda some: proves(conditions, some), SIMPLEST_PROGRESS)
    conditions = _least(conditions, lambda some: proves(some, progress), SIMPLEST)
    return ArgumentFormula(tuple(conditions), tuple(progress))


def _without_lone_groups(found: Found) -> Found:
    """The arguments without groups of one fact each in all sizes: that fact is told of by its own name."""
    shared = {
        (place, shape_of(name))
        for induction, _ in found.values()
        for name, place, facts in groups_of(_facts(induction.candidates))
        if len(facts) > 1
    }

    def is_told(one: Condition) -> bool:
        return one.kind not in GROUPED or one.about is None or (one.place, shape_of(one.about)) in shared

    return {
        size: (induction, replace(argument, conditions=frozenset(filter(is_told, argument.conditions))))
        for size, (induction, argument) in found.items()
    }


def _facts(candidates: Iterable[Condition]) -> list[Term]:
    return [one.about for one in candidates if one.kind == "holds" and one.about is not None]


def _least(
    formulas: list[ConditionFormula], proves: Callable[[list[ConditionFormula]], bool], order: tuple[str, ...]
) -> list[ConditionFormula]:
    """Formulas of which none can be left out, first all of a sort at once, then one by one; the simplest stay."""

    def rank(one: ConditionFormula) -> tuple[int, int]:
        return (2 if one.about is not None else bool(one.ranges), order.index(one.kind))

    def size(one: ConditionFormula) -> int:
        return len(one.about.words("size")) if one.about is not None else 0

    kept = sorted(formulas, key=lambda one: (*rank(one), size(one)))
    for least in sorted({rank(one) for one in kept}, reverse=True):
        without = [one for one in kept if rank(one) != least]
        if proves(without):
            kept = without
            continue
        for one in [one for one in reversed(kept) if rank(one) == least]:
            without = [other for other in kept if other != one]
            kept = without if proves(without) else kept
    return kept


def _key(one: Condition) -> tuple[str, int, Shape | None]:
    return one.kind, one.place, None if one.about is None else shape_of(one.about)


def _plain(found: Found) -> Iterator[ConditionFormula]:
    """Conditions about no fact that every size keeps."""
    kept = [argument.conditions for _, argument in found.values()]
    alike = frozenset.intersection(*kept)
    yield from (ConditionFormula(one.kind, one.place) for one in alike if one.about is None)


def _of_every(found: Found) -> Iterator[ConditionFormula]:
    """Conditions that every size keeps of all facts of a shape."""
    kept = [(induction.candidates, argument.conditions) for induction, argument in found.values()]
    sorted_out = [_by_sort(candidates) for candidates, _ in kept]
    for kind, place, shape in _whole_sorts(kept):
        sorts = [each[kind, place, shape] for each in sorted_out]
        if kind not in SOME_HOLD:
            yield ConditionFormula(kind, place, every=shape)
        elif None in shape:
            has_holes = any(len(some) < _volume(_box(_numbers(some))) for some in sorts)
            yield ConditionFormula(kind, place, every=shape, has_holes=has_holes)
        elif all(sorts):
            yield ConditionFormula(kind, place, every=shape)


def _by_sort(candidates: Iterable[Condition]) -> Mapping[tuple[str, int, Shape | None], list[Condition]]:
    found: dict[tuple[str, int, Shape | None], list[Condition]] = defaultdict(list)
    for one in candidates:
        found[_key(one)].append(one)
    return found


def _progress(found: Found) -> list[ConditionFormula]:
    """What never changes back in every size, of all facts of a shape."""
    kept = [(induction.progress_candidates, argument.progress) for induction, argument in found.values()]
    return [ConditionFormula(kind, place, every=shape) for kind, place, shape in _whole_sorts(kept)]


def _whole_sorts(
    kept: list[tuple[frozenset[Condition], frozenset[Condition]]],
) -> list[tuple[str, int, Shape]]:
    """The sorts of conditions of which all are kept, in every size."""
    known = {_key(one) for candidates, _ in kept for one in candidates if one.about is not None}
    lost = {_key(one) for candidates, held in kept for one in candidates - held}
    return sorted(((kind, place, shape) for kind, place, shape in known - lost if shape is not None), key=str)


def _of_ranges(found: Found) -> Iterator[ConditionFormula]:
    """Conditions that every size keeps of all facts of a shape whose numbers lie in ranges, if formulas give those."""
    whole = {(one.kind, one.place, one.every) for one in _of_every(found)}
    boxes: dict[tuple[str, int, Shape], dict[int, Box]] = defaultdict(dict)
    for size, (induction, argument) in found.items():
        for key, box in _boxes(induction.candidates, argument.conditions):
            boxes[key][size] = box
    for (kind, place, shape), of_size in boxes.items():
        if len(of_size) == len(found) > 1 and (kind, place, shape) not in whole:
            bounds = [
                (
                    fit_affine(dict(zip(of_size, least, strict=True))),
                    fit_affine(dict(zip(of_size, most, strict=True))),
                )
                for least, most in (zip(*rows, strict=True) for rows in zip(*of_size.values(), strict=True))
            ]
            ranges = tuple((least, most) for least, most in bounds if least is not None and most is not None)
            if len(ranges) == len(bounds) and any(least != most for least, most in ranges):
                yield ConditionFormula(kind, place, every=shape, ranges=ranges)


def _boxes(
    candidates: frozenset[Condition], kept: frozenset[Condition]
) -> Iterator[tuple[tuple[str, int, Shape], Box]]:
    """For each sort of conditions with numbers the ranges of those that are kept, where none within them is lost."""
    rows: dict[tuple[str, int, Shape], list[Numbers]] = defaultdict(list)
    lost: dict[tuple[str, int, Shape], list[Numbers]] = defaultdict(list)
    for one in candidates:
        if one.about is not None and (numbers := numbers_of(one.about)):
            sort = one.kind, one.place, shape_of(one.about)
            (rows if one in kept else lost)[sort].append(numbers)
    for sort, inside in rows.items():
        box = _box(inside)
        has_gaps = sort[0] in SOME_HOLD and len(inside) < _volume(box)
        if not has_gaps and not any(_is_in_box(numbers, box) for numbers in lost[sort]):
            yield sort, box


def _is_in_box(numbers: Numbers, box: Sequence[tuple[int, int]]) -> bool:
    return all(least <= number <= most for number, (least, most) in zip(numbers, box, strict=True))


def _numbers(conditions: Iterable[Condition]) -> list[Numbers]:
    return [numbers_of(one.about) for one in conditions if one.about is not None]


def _box(rows: Iterable[Numbers]) -> Box:
    """The least and the greatest of each number."""
    return tuple((min(column), max(column)) for column in zip(*rows, strict=True))


def _volume(box: Sequence[tuple[int, int]]) -> int:
    """How many numbers, or tuples of them, lie in a box."""
    return prod(max(0, most - least + 1) for least, most in box)


def _of_one(found: Found) -> Iterator[ConditionFormula]:
    """Conditions about one fact, of which formulas give one that is kept in every size."""
    whole = {(one.kind, one.place, one.every) for one in _of_every(found)}
    by_key: dict[tuple[str, int, Shape | None], dict[int, list[Condition]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for size, (_, argument) in found.items():
        for one in argument.conditions:
            if one.about is not None and _key(one) not in whole:
                by_key[_key(one)][size].append(one)
    first, second = sorted(found)[-2:] if len(found) > 1 else (0, 0)
    for (kind, place, _), of_size in by_key.items():
        if len(of_size) < len(found) or len(of_size[first]) * len(of_size[second]) > MOST_PAIRED:
            continue
        for one, other in product(of_size[first], of_size[second]):
            assert one.about is not None
            assert other.about is not None
            about = fit_term({first: one.about, second: other.about})
            if about is not None and all(
                Condition(kind, about.at(size), place) in argument.conditions
                for size, (_, argument) in found.items()
            ):
                yield ConditionFormula(kind, place, about=about)
