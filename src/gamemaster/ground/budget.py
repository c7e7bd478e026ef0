"""Budgets: rules are untrusted, so everything they make us do is counted and ends."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

from gamemaster.errors import LimitExceeded, ParameterError
from gamemaster.language.rules import Atom, Formula, Handler, Not, Rule, Rules
from gamemaster.language.terms import MAX_DEPTH, Value

__all__ = [
    "MAX_CONDITIONS",
    "MAX_LOWERED",
    "MAX_SIZE",
    "Countdown",
    "Limits",
    "WorkBudget",
    "bounded",
    "check_sizes",
]

MOST = 1e9
"""More than any limit can be: longer than anybody waits, and larger than any memory."""

MAX_CONDITIONS = 1_000
"""How many conditions a rule may have: ten times the longest in public rulesheets; the work grows with the square."""

MAX_LOWERED = 1_000_000
"""How many conditions all handlers of a sheet may come to once each effect is a rule of its own."""

MAX_SIZE = 4_000
"""How many parts a term may have: f(X,X) of f(X,X) of ... is huge long before it is deep."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much rules may cost.

    The reference machine keeps to them in every question about a state (legal moves, next state, goal, ...). The
    compiled one pays when a game is made, and what any question about a state can cost is known then: it keeps to
    them there, also for a game that is kept on disk. Its seconds are counted (see `WorkBudget`): no answer depends on
    how busy a machine is.
    """

    seconds: float = (
        60.0  # of a processor, in one question; of the work of making the game, and each of its jobs
    )
    rows: int = 3_000_000  # answers kept at once, about 150 bytes each; ground rules
    depth: int = 4_000  # relations being answered inside each other; atoms in one recursion

    def __post_init__(self) -> None:
        for name, value in (("seconds", self.seconds), ("rows", self.rows), ("depth", self.depth)):
            kinds = (int, float) if name == "seconds" else (int,)
            if type(value) not in kinds or not 0 < value < MOST:
                kind = "number" if name == "seconds" else "whole number"
                raise ParameterError(f"{name} of limits must be a {kind} over 0, not {str(value)[:40]!r}")


SECONDS_OF_RULE, SECONDS_OF_LITERAL, SECONDS_OF_NODE = 2e-5, 1e-6, 3e-5
"""How long a processor is usually busy with a ground rule, a literal in one, and a gate or input of a network."""

MOST_NODES = 5_000_000
"""How large a network may be, a hundred bytes each: fifty times that of chess."""


class WorkBudget:
    """How much work making something for the compiled machine may be.

    Work is counted and its seconds are those that it usually takes: whether a game is made must depend neither on how
    quick a machine is, nor on what else it has to do.
    """

    def __init__(self, limits: Limits | None, doing: str) -> None:
        self.seconds = limits.seconds if limits else math.inf
        self.doing = doing

    def check(self, nodes: int, rules: int = 0, literals: int = 0) -> None:
        """LimitExceeded where so many nodes of a network, made of so many ground rules, are too many."""
        if nodes > MOST_NODES:
            raise LimitExceeded("size", f"{MOST_NODES:,} gates", doing=self.doing)
        spent = nodes * SECONDS_OF_NODE + rules * SECONDS_OF_RULE + literals * SECONDS_OF_LITERAL
        if spent > self.seconds:
            raise LimitExceeded("time", f"{self.seconds:g} s", doing=self.doing)


class Countdown:
    """Counts down the work of one question; `left` is how much may be done before the clock is read again.

    The clock is that of the thread that asks: what others do on the machine takes nothing from it.
    """

    SLICE = 20_000

    __slots__ = ("deadline", "left", "limits", "rows")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.deadline = time.thread_time() + limits.seconds
        self.left = self.SLICE
        self.rows = 0

    def check(self, unfinished_rows: int = 0) -> None:
        """Start another slice of work; LimitExceeded when time or memory is used up."""
        self.left = self.SLICE
        doing = "answering one question about a state"
        if time.thread_time() > self.deadline:
            raise LimitExceeded("time", f"{self.limits.seconds:g} s", doing=doing)
        if self.rows + unfinished_rows > self.limits.rows:
            raise LimitExceeded("memory", f"{self.limits.rows:,} answers", doing=doing)


def bounded(value: Value) -> Value:
    """The value; LimitExceeded where it is nested too deeply or has too many parts."""
    depth, size, level = 0, 0, [value]
    while level := [part for part in level if isinstance(part, tuple)]:
        depth += 1
        size += sum(map(len, level))
        if depth > MAX_DEPTH:
            raise LimitExceeded("depth", f"{MAX_DEPTH} nested terms", doing=f"building {level[0][0]}(...)")
        if size > MAX_SIZE:
            raise LimitExceeded("size", f"{MAX_SIZE:,} parts of a term", doing=f"building {level[0][0]}(...)")
        level = [part for parent in level for part in parent[1:]]
    return value


def check_sizes(rules: Rules) -> None:
    """LimitExceeded where a rule or handler has too many conditions or effects, or all handlers come to too much.

    Asked before anything is made of the sheet: each effect of a handler becomes a rule with all its conditions.
    """
    total = 0
    for sentence in rules.sentences:
        if isinstance(sentence, Rule):
            _check_count(rules, sentence, "conditions", _size(sentence.body))
        elif isinstance(sentence, Handler):
            _check_count(rules, sentence, "conditions", _size(sentence.condition))
            _check_count(rules, sentence, "effects", len(sentence.effects))
            total += _size(sentence.condition) * len(sentence.effects)
    if total > MAX_LOWERED:
        doing = f"by the {total:,} that the handlers come to"
        raise LimitExceeded("size", f"{MAX_LOWERED:,} conditions, counted for each effect,", doing=doing)


def _check_count(rules: Rules, sentence: Rule | Handler, what: str, count: int) -> None:
    if count > MAX_CONDITIONS:
        kind = "rule" if isinstance(sentence, Rule) else "handler"
        doing = f"by the {count:,} of the {kind} at {rules.place(sentence.span)}"
        raise LimitExceeded(f"{kind} size", f"{MAX_CONDITIONS:,} {what}", doing=doing)


def _size(formulas: Sequence[Formula]) -> int:
    """How many atoms there are in formulas, at any depth."""
    count, todo = 0, list(formulas)
    while todo:
        formula = todo.pop()
        if isinstance(formula, Atom):
            count += 1
        else:
            todo += [formula.body] if isinstance(formula, Not) else formula.parts
    return count
