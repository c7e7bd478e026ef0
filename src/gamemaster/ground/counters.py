"""Core rules -> a count of steps: a fact with one value, of which every step makes another, and which ends the game.

    next(step(M)) :- true(step(N)) & succ(N,M)          round(N) & plus(N,1,M) ==> ~round(N) & round(M)
    terminal :- true(step(20))                          terminal :- round(N) & leq(8,N)

Then no game has more steps than the fact has values, and numbers that grow by so much a step stay within bounds. What
the values are is computed here, one after the other; that every step does go on to the next is proven later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from gamemaster.ground.atoms import flatten
from gamemaster.language.builtins import FUNCTIONS, TESTS
from gamemaster.language.rules import Atom, Formula, Not, Relation, Rule, relation_of
from gamemaster.language.terms import Value, Variable, variables_of

__all__ = ["StepCounter", "find_counter"]

MOST_VALUES = 2_000
MOST_SOLUTIONS = 200

Known: TypeAlias = dict[Variable, Any]


@dataclass(frozen=True)
class StepCounter:
    """A fact with one argument, which is another value after every step.

    `ranks` says of each value after how many steps it can be there at most; `after` which can follow which.
    """

    functor: str
    ranks: dict[Value, int]
    after: tuple[tuple[Value, Value], ...]

    @property
    def steps(self) -> int:
        """How many steps a game has at most."""
        return max(self.ranks.values())


@dataclass
class _Finder:
    by_relation: Mapping[Relation, Sequence[Rule]]
    is_builtin: Callable[[Value], bool]
    endings: Sequence[Sequence[Formula]]

    def counter(self, functor: str, first: Value, makers: Sequence[Rule]) -> StepCounter | None:
        """The counter that a fact is, if it is one."""
        after: dict[Value, list[Value]] = {}
        todo = [first]
        while todo:
            value = todo.pop()
            if value in after:
                continue
            found = [] if self.is_over(functor, value) else self.following(functor, value, makers)
            if found is None or len(after) >= MOST_VALUES:
                return None
            after[value] = found
            todo += found
        ranks = _ranks(first, after)
        pairs = tuple((one, other) for one, others in after.items() for other in others)
        return StepCounter(functor, ranks, pairs) if ranks and pairs else None

    def is_over(self, functor: str, value: Value) -> bool:
        """Whether the game is over where the fact has that value."""
        for way in self.endings:
            facts = [part for part in way if isinstance(part, Atom) and relation_of(part.term) == ("true", 1)]
            rest = [part for part in way if part not in facts]
            known = _matched(facts[0].term[1], (functor, value), {})
            if known is not None and self.solutions(rest, known, is_strict=True):
                return True
        return False

    def following(self, functor: str, value: Value, makers: Sequence[Rule]) -> list[Value] | None:
        """The values that rules can make of one; None where that cannot be told."""
        found: list[Value] = []
        for rule in makers:
            parts = list(flatten(rule.body))
            old = [
                part.term[1]
                for part in parts
                if isinstance(part, Atom)
                and relation_of(part.term) == ("true", 1)
                and relation_of(part.term[1]) == (functor, 1)
            ]
            known: Known | None = {}
            for fact in old:
                known = None if known is None else _matched(fact, (functor, value), known)
            if known is None:
                continue
            solutions = self.solutions(parts, known, is_strict=False)
            if solutions is None:
                return None
            for solution in solutions:
                new = _instance(rule.head[1][1], solution)
                if new is None or isinstance(new, tuple):
                    return None
                found.append(new)
        return list(dict.fromkeys(found))

    def solutions(self, parts: Sequence[Formula], known: Known, *, is_strict: bool) -> list[Known] | None:
        """The values of variables under which parts hold; what is not understood holds, or if strict nothing does."""
        solutions, left = [known], list(parts)
        while left:
            ready = next((part for part in left if self.is_ready(part, solutions)), None)
            if ready is None:
                return [] if is_strict else solutions
            left.remove(ready)
            solutions = [new for solution in solutions for new in self.solved(ready, solution)]
            if not solutions or len(solutions) > MOST_SOLUTIONS:
                return [] if is_strict or not solutions else None
        return solutions

    def is_ready(self, part: Formula, solutions: Sequence[Known]) -> bool:
        """Whether a part is understood, and all that it needs is known."""
        atom = part.body if isinstance(part, Not) else part
        if not isinstance(atom, Atom) or not isinstance(atom.term, tuple):
            return False
        name, *args = atom.term
        known = solutions[0]
        if not self.is_builtin(atom.term):
            rules = self.by_relation.get(relation_of(atom.term), ())
            return not isinstance(part, Not) and bool(rules) and all(_is_ground(rule) for rule in rules)
        if name in TESTS or name == "distinct" or isinstance(part, Not):
            return all(_instance(arg, known) is not None for arg in args)
        if name == "same":
            return any(_instance(arg, known) is not None for arg in args)
        return (name in FUNCTIONS or name == "evaluate") and all(
            _instance(arg, known) is not None for arg in args[:-1]
        )

    def solved(self, part: Formula, known: Known) -> Iterable[Known]:
        """The ways in which a part that is ready holds."""
        if isinstance(part, Not):
            return [] if list(self.solved(part.body, known)) else [known]
        assert isinstance(part, Atom)
        term: Any = part.term
        name, *args = term
        if not self.is_builtin(term):
            rows = (rule.head for rule in self.by_relation.get(relation_of(term), ()))
            return [new for row in rows if (new := _matched(term, row, known)) is not None]
        values: list[Any] = [_instance(arg, known) for arg in args]
        if name in TESTS:
            return [known] if TESTS[name][1](values) else []
        if name == "distinct":
            return [known] if values[0] != values[1] else []
        if name == "same":
            one, other = (args[0], values[1]) if values[1] is not None else (args[1], values[0])
            new = _matched(one, other, known)
        else:
            result = _computed(values[0]) if name == "evaluate" else FUNCTIONS[name](values[:-1])
            new = None if result is None else _matched(args[-1], result, known)
        return [] if new is None else [new]


def find_counter(
    by_relation: Mapping[Relation, Sequence[Rule]],
    is_builtin: Callable[[Value], bool],
    endings: Sequence[Sequence[Formula]],
    makers: Sequence[Rule],
) -> StepCounter | None:
    """The counter of a sheet that ends its games soonest; `makers` are the rules that name facts of the next state."""
    finder = _Finder(by_relation, is_builtin, endings)
    first: dict[str, list[Rule]] = {}
    for rule in by_relation.get(("init", 1), ()):
        if relation_of(rule.head[1])[1] == 1:
            first.setdefault(rule.head[1][0], []).append(rule)
    found = []
    for functor, rules in first.items():
        own = [rule for rule in makers if relation_of(rule.head[1]) == (functor, 1)]
        value: Any = rules[0].head[1][1]
        if len(rules) == 1 and _is_ground(rules[0]) and own and not isinstance(value, tuple):
            found.append(finder.counter(functor, str.__str__(value), own))
    return min((each for each in found if each), key=lambda each: each.steps, default=None)


def _ranks(first: Value, after: Mapping[Value, Sequence[Value]]) -> dict[Value, int] | None:
    """After how many steps at most each value comes; None where one comes again."""
    waiting = dict.fromkeys(after, 0)
    for others in after.values():
        for other in others:
            waiting[other] += 1
    ranks = {first: 0}
    todo = [first] if not waiting[first] else []
    done = 0
    while todo:
        value = todo.pop()
        done += 1
        for other in after[value]:
            ranks[other] = max(ranks.get(other, 0), ranks[value] + 1)
            waiting[other] -= 1
            if not waiting[other]:
                todo.append(other)
    return ranks if done == len(after) else None


def _is_ground(rule: Rule) -> bool:
    return not rule.body and not any(True for _ in variables_of(rule.head))


def _instance(term: Any, known: Known) -> Any:
    """A term with values for its variables; None where one has none."""
    if isinstance(term, Variable):
        return known.get(term)
    if isinstance(term, tuple):
        parts = [_instance(part, known) for part in term[1:]]
        return None if None in parts else (term[0], *parts)
    return str.__str__(term)


def _matched(term: Any, value: Any, known: Known) -> Known | None:
    """What is known once a term is a value; None where it is not."""
    if isinstance(term, Variable):
        if term in known:
            return known if known[term] == value else None
        return {**known, term: value}
    if isinstance(term, tuple):
        if not isinstance(value, tuple) or len(term) != len(value) or term[0] != value[0]:
            return None
        for one, other in zip(term[1:], value[1:], strict=True):
            new = _matched(one, other, known)
            if new is None:
                return None
            known = new
        return known
    return known if not isinstance(value, tuple) and str.__str__(term) == str.__str__(value) else None


def _computed(term: Any) -> Any:
    """The value of an expression of numbers; None where it has none."""
    if not isinstance(term, tuple):
        return term
    if term[0] not in FUNCTIONS:
        return None
    args = [_computed(part) for part in term[1:]]
    return None if None in args else FUNCTIONS[term[0]](args)
