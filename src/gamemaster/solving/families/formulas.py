"""Numbers, terms and maps of terms as formulas of a size: fitted to some sizes, written for others, and in words.

A number of a term is `c`, `K+c` or `c-K`, where K is a number of the term it comes from and c = a*size + b, perhaps
counted round; a and b are whole numbers or halves. What is fitted is only a guess, for others to prove.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gamemaster.language.terms import Compound, Symbol, Term
from gamemaster.solving.strategies.wording import LETTERS, Numbers, Shape, filled, numbers_of, shape_of

__all__ = [
    "Affine",
    "MapFormula",
    "NumberFormula",
    "TermFormula",
    "fit_affine",
    "fit_map",
    "fit_term",
    "letters_in",
]

Form = tuple[int | None, int, int | None]
"""Which number of the source counts and with which sign; from which number on it is counted round, if it is."""

Samples = Sequence[tuple[Numbers, int]]


@dataclass(frozen=True, slots=True)
class Affine:
    """slope * size + offset."""

    slope: Fraction
    offset: Fraction

    def at(self, size: int) -> int | None:
        """The number for a size; None where it is not a whole one."""
        value = self.slope * size + self.offset
        return int(value) if value.denominator == 1 else None

    def words(self, unknown: str) -> str:
        """`cells+1`, `(cells+1)/2`, `cells/2`, `3`."""
        if not self.slope:
            return str(self.offset)
        slope, half = self.slope, ""
        offset = self.offset
        if slope.denominator == 2:
            slope, half = slope * 2, "/2"
            if offset.denominator == 1:
                return f"{_times(slope, unknown)}/2{_added(offset)}"
            offset *= 2
        inner = f"{_times(slope, unknown)}{_added(offset)}"
        return f"({inner}){half}" if half else inner


def _times(slope: Fraction, unknown: str) -> str:
    return {1: unknown, -1: f"-{unknown}"}.get(int(slope), f"{slope}*{unknown}")


def _added(offset: Fraction) -> str:
    return f"{'+' if offset > 0 else '-'}{abs(offset)}" if offset else ""


def fit_affine(known: Mapping[int, int]) -> Affine | None:
    """What goes through the numbers of some sizes, at least two, with whole and half steps only; None where nothing."""
    (first, low), *rest = sorted(known.items())
    last, high = rest[-1]
    slope = Fraction(high - low, last - first)
    found = Affine(slope, low - slope * first)
    is_simple = slope.denominator <= 2 and found.offset.denominator <= 2 and abs(slope) <= 2
    return found if is_simple and all(found.at(size) == number for size, number in known.items()) else None


@dataclass(frozen=True, slots=True)
class NumberFormula:
    """`constant`, or one of the numbers of the source added to it or taken from it; counted `round` from `least` on."""

    constant: Affine
    letter: int | None = None
    sign: int = 1
    round: Affine | None = None
    least: int = 0

    def at(self, size: int, numbers: Numbers) -> int | None:
        """The number for a size; None where there is none."""
        constant = self.constant.at(size)
        if constant is None:
            return None
        value = constant + (0 if self.letter is None else self.sign * numbers[self.letter])
        if self.round is None:
            return value
        count = self.round.at(size)
        return (value - self.least) % count + self.least if count else None

    def words(self, unknown: str) -> str:
        """The formula, letters standing for the numbers of the source."""
        constant = self.constant.words(unknown)
        if self.letter is None:
            return constant
        letter = LETTERS[self.letter]
        if self.sign < 0:
            return f"{constant}-{letter}"
        if constant == "0":
            return letter
        return f"{letter}{constant if constant.startswith('-') else '+' + constant}"


@dataclass(frozen=True, slots=True)
class TermFormula:
    """A shape of terms, with a formula for each of its numbers."""

    shape: Shape
    numbers: tuple[NumberFormula, ...]

    def at(self, size: int, numbers: Numbers = ()) -> Term | None:
        """The term for a size, coming from numbers; None where a formula gives no number of 0 or more."""
        found = [formula.at(size, numbers) for formula in self.numbers]
        values = [str(value) for value in found if value is not None and value >= 0]
        return term_in(self.shape, values) if len(values) == len(found) else None

    def words(self, unknown: str) -> str:
        """The term with its formulas."""
        text = filled(self.shape, [formula.words(unknown) for formula in self.numbers])
        rounds = dict.fromkeys(formula.round.words(unknown) for formula in self.numbers if formula.round)
        return text + "".join(f" (counted round {count})" for count in rounds)


def term_in(shape: Shape, values: Sequence[str]) -> Term:
    """A shape with numbers in it."""
    rest = iter(values)
    parts = [Symbol(next(rest)) if part is None else part for part in shape]
    return parts[0] if len(parts) == 1 else Compound(tuple(parts))  # type: ignore[return-value]


def letters_in(shape: Shape) -> str:
    """A shape with letters for its numbers: `cell(K,filled)`."""
    return filled(shape, LETTERS)


@dataclass(frozen=True, slots=True)
class MapFormula:
    """For each shape of terms what becomes of them."""

    parts: tuple[tuple[Shape, TermFormula], ...]

    def at(self, size: int, terms: Collection[Term]) -> dict[Term, Term] | None:
        """Where each of some terms goes; None where one goes nowhere, elsewhere, or two to the same."""
        formulas = dict(self.parts)
        found: dict[Term, Term] = {}
        for term in terms:
            formula = formulas.get(shape_of(term))
            image = formula.at(size, numbers_of(term)) if formula else None
            if image is None:
                return None
            found[term] = image
        return found if set(found.values()) == set(terms) else None

    def words(self, unknown: str) -> list[str]:
        """`fill(K) by fill(cells+1-K)` for each shape that changes."""
        pairs = [(letters_in(shape), formula.words(unknown)) for shape, formula in self.parts]
        return [f"{one} by {end}" for one, end in pairs if one != end]


def fit_term(terms: Mapping[int, Term]) -> TermFormula | None:
    """The formula of a term of some sizes; None where there is none."""
    shapes = {shape_of(term) for term in terms.values()}
    if len(shapes) > 1:
        return None
    rows = {size: numbers_of(term) for size, term in terms.items()}
    count = len(next(iter(rows.values())))
    fits = [fit_affine({size: row[place] for size, row in rows.items()}) for place in range(count)]
    found = [NumberFormula(fit) for fit in fits if fit is not None]
    return TermFormula(shapes.pop(), tuple(found)) if len(found) == count else None


def fit_map(maps: Mapping[int, Mapping[Term, Term]]) -> MapFormula | None:
    """The formula of a map of terms of some sizes; None where there is none."""
    pairs: dict[Shape, dict[int, list[tuple[Numbers, Term]]]] = defaultdict(lambda: defaultdict(list))
    for size, made in maps.items():
        for one, end in made.items():
            pairs[shape_of(one)][size].append((numbers_of(one), end))
    found = [(shape, _fit_shape(samples)) for shape, samples in pairs.items()]
    whole = [(shape, formula) for shape, formula in found if formula is not None]
    return MapFormula(tuple(whole)) if len(whole) == len(found) else None


def _fit_shape(samples: Mapping[int, Sequence[tuple[Numbers, Term]]]) -> TermFormula | None:
    """The formula of what becomes of the terms of one shape."""
    shapes = {shape_of(end) for rows in samples.values() for _, end in rows}
    if len(shapes) > 1 or len(samples) < 2:
        return None
    shape = shapes.pop()
    numbers = []
    for place in range(shape.count(None)):
        rows = {
            size: [(one, numbers_of(end)[place]) for one, end in pairs] for size, pairs in samples.items()
        }
        formula = next(_number_formulas(rows, place), None)
        if formula is None:
            return None
        numbers.append(formula)
    return TermFormula(shape, tuple(numbers))


def _number_formulas(rows: Mapping[int, Samples], place: int) -> Iterator[NumberFormula]:
    """The formulas that fit what a number becomes in all sizes, those that look alike in every size first."""
    forms = {size: _forms(pairs, place) for size, pairs in rows.items()}
    for form in next(iter(forms.values())):
        if all(form in each for each in forms.values()):
            constant = fit_affine({size: each[form][0] for size, each in forms.items()})
            letter, sign, least = form
            if constant is not None and least is None:
                yield NumberFormula(constant, letter, sign)
            elif constant is not None and least is not None:
                count = fit_affine({size: each[form][1] for size, each in forms.items()})
                if count is not None:
                    yield NumberFormula(constant, letter, sign, count, least)


def _forms(pairs: Samples, place: int) -> dict[Form, tuple[int, int]]:
    """What a number becomes in one size: for each form that fits its constant, and round how many it is counted."""
    found: dict[Form, tuple[int, int]] = {}
    letters = sorted(range(len(pairs[0][0])), key=lambda i: i != place)[: len(LETTERS)]
    for letter in letters:
        for sign in (1, -1):
            if len(steps := {end - sign * one[letter] for one, end in pairs}) == 1:
                found[letter, sign, None] = (steps.pop(), 0)
    for letter in letters:
        known = {one[letter] for one, _ in pairs}
        for sign in (1, -1):
            steps = {(end - sign * one[letter]) % len(known) for one, end in pairs}
            if len(steps) == 1 and len(known) == max(known) - min(known) + 1:
                found[letter, sign, min(known)] = (steps.pop(), len(known))
    if len(ends := {end for _, end in pairs}) == 1:
        found[None, 1, None] = (ends.pop(), 0)
    return found
