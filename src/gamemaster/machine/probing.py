"""Sentences and steps of play -> the conditions among them that never held, and what would have helped.

A body is asked for from left to right, a condition more each time: that with which it first never holds is the one to
look at. Each such beginning of a body is a relation of its own, added to the sheet as its author would write it, so
that the reference reasoner answers for every notation. A handler is asked for every legal move, not for those alone
that were made.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from gamemaster.errors import GamemasterError
from gamemaster.ground.budget import Limits
from gamemaster.ground.reasoner import Reasoner, Situation
from gamemaster.language.lower import lower
from gamemaster.language.rules import Atom, Formula, Handler, Rule, Rules, relation_of
from gamemaster.language.terms import Compound, Symbol
from gamemaster.machine.watching import Step

__all__ = ["Probes", "Unmet"]

Asking: TypeAlias = "Rule | Handler"
"""A sentence with conditions."""

LIMITS = Limits(seconds=0.5)
"""What a question may cost: it is asked of many states."""

DEEPEST = 4
"""Views that are looked into, one inside the other."""


@dataclass(frozen=True, slots=True)
class Unmet:
    """A sentence that never held in play: the condition with which it first did not, and where all before it did."""

    sentence: Asking
    part: Formula
    reached: tuple[Step, ...]

    @property
    def others(self) -> tuple[Formula, ...]:
        """The sentence's other conditions."""
        return tuple(part for part in _body(self.sentence) if part is not self.part)


class Probes:
    """Asks which conditions held in steps of play, for at most so long."""

    def __init__(self, sheet: Rules, steps: Sequence[Step], seconds: float) -> None:
        self.sheet = sheet
        self.steps = steps
        self.deadline = time.thread_time() + seconds
        self.rules_of: dict[tuple[str, int], list[Rule]] = {}
        for rule in sheet.rules:
            self.rules_of.setdefault(relation_of(rule.head), []).append(rule)

    def unmet(self, sentences: Iterable[Asking]) -> list[Unmet]:
        """Those of the sentences that never held, in their order; none where the time was too short to tell."""
        asked = [sentence for sentence in sentences if _body(sentence)]
        bodies = [[*_body(sentence)] for sentence in asked]
        prefixes = [[body[: n + 1] for n in range(len(body))] for body in bodies]
        asker = _Asker(self.sheet, [each for some in prefixes for each in some])
        found, first = [], 0
        for sentence, body in zip(asked, bodies, strict=True):
            numbers = range(first, first + len(body))
            first += len(body)
            missed = self._first_unmet(asker, numbers)
            if missed is not None:
                before = missed - 1
                reached = [s for s in self.steps if before < numbers.start or asker.holds(before, s)]
                found.append(Unmet(sentence, body[missed - numbers.start], tuple(reached)))
        return [] if self.is_late else found

    def _first_unmet(self, asker: _Asker, numbers: range) -> int | None:
        """The first beginning of a body that never held; None where all of it did."""
        number = numbers.start
        for step in self.steps:
            while number < numbers.stop and asker.holds(number, step):
                number += 1
            if number == numbers.stop or self.is_late:
                return None
        return number

    @property
    def is_late(self) -> bool:
        """Whether the time is over: then nobody knows."""
        return time.thread_time() > self.deadline

    def is_alone(self, unmet: Unmet, steps: Sequence[Step] = ()) -> bool:
        """Whether all other conditions of the sentence held together, in some step."""
        return self._holds([*unmet.others], steps or unmet.reached)

    def turned(self, unmet: Unmet) -> Atom | None:
        """The condition with its two arguments turned round, if the sentence would then have held."""
        part = unmet.part
        if not isinstance(part, Atom) or relation_of(part.term)[1] != 2:
            return None
        name, first, second = part.term
        other = replace(part, term=Compound((name, second, first)))
        body = [other if each is part else each for each in _body(unmet.sentence)]
        return other if first != second and self._holds(body, unmet.reached) else None

    def cause(self, unmet: Unmet) -> Unmet:
        """The condition inside the only rule of a view for which the view never holds, as deep as that goes."""
        for _ in range(DEEPEST):
            rules = self._view(unmet.part)
            deeper = self.unmet(rules) if len(rules) == 1 else []
            if not deeper or not deeper[0].reached or deeper[0].sentence is unmet.sentence:
                return unmet
            unmet = deeper[0]
        return unmet

    def _view(self, part: Formula) -> list[Rule]:
        return self.rules_of.get(relation_of(part.term), []) if isinstance(part, Atom) else []

    def _holds(self, body: Sequence[Formula], steps: Iterable[Step]) -> bool:
        asker = _Asker(self.sheet, [body])
        return not body or any(asker.holds(0, step, unknown=False) for step in steps if not self.is_late)

    def text(self, part: Formula) -> str:
        """A condition as it stands in the sheet."""
        return " ".join(self.sheet.source.text[part.span.start : part.span.end].split())


class _Asker:
    """A reasoner for bodies: each is the relation of a number."""

    def __init__(self, sheet: Rules, bodies: Iterable[Sequence[Formula]]) -> None:
        views = [Rule(_head(number), tuple(body)) for number, body in enumerate(bodies)]
        self.reasoner = Reasoner(lower(replace(sheet, sentences=(*sheet.sentences, *views))), LIMITS)
        self.situations: dict[int, Situation] = {}

    def holds(self, number: int, step: Step, *, unknown: bool = True) -> bool:
        """Whether a body holds in a step; `unknown` is said of one that cannot be asked for."""
        state, moves = step
        if id(state) not in self.situations:
            facts: Any = state.ordered_facts  # terms are values
            self.situations[id(state)] = Situation(facts)
        roles: Any = moves
        made = [(Symbol(role), move) for role, move in roles.items()]
        try:
            return bool(self.reasoner.answers(_head(number), (), self.situations[id(state)], made))
        except GamemasterError:
            return unknown


def _head(number: int) -> Symbol:
    return Symbol(f"condition {number}")  # no name of a sheet has a gap


def _body(sentence: Asking) -> Iterator[Formula]:
    """The conditions of a sentence; a handler is first asked for a legal move of its kind."""
    if isinstance(sentence, Rule):
        yield from sentence.body
        return
    yield Atom(Compound(("legal", sentence.operation)), sentence.span)
    yield from sentence.condition
