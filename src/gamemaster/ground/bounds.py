"""Core rules -> what stops numbers that grow by moves, so that grounding comes to an end.

Grounding asks which facts can ever hold. Where a move makes `score(T)` of `score(S)` by adding to S, no end would come
of it: that the game is over at 10, or that nobody may take more than there is, stands in other rules. Two things that
are true of every step are added to the rules that count:

- the game goes on: no fact holds in it that ends it by itself, as `terminal :- score(S) & leq(10,S)` says;
- moves are legal: what the rules ask of a legal move holds before it is made.

Where neither stops a number, a count of the steps may (counters.py): a game that ends after eight of them has no number
beyond what eight can make (intervals.py). Such bounds are of the facts that a step makes, see `within`.

The second says little unless the S of both rules is the same one, which it is where a fact has one value at a time
(`score` has, `control` has). That is assumed of facts in their last argument, and proven afterwards: if it holds in a
state, it holds after any legal moves (see `Assumption`, which is proven by clingo in the process that grounds).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any, TypeAlias

from gamemaster.ground.atoms import all_rules, atoms_of, flatten, needed_by
from gamemaster.ground.counters import StepCounter, find_counter
from gamemaster.ground.demand import bound_in
from gamemaster.ground.intervals import Interval, Intervals, Place, facts_made
from gamemaster.ground.values import dynamic_relations, instances_of
from gamemaster.language.builtins import FUNCTIONS, TESTS
from gamemaster.language.dependency import strongly_connected_components
from gamemaster.language.rules import (
    Atom,
    AtomTerm,
    Formula,
    Not,
    Relation,
    Rule,
    Rules,
    formula_variables,
    relation_of,
    substitute,
    substitute_in,
)
from gamemaster.language.terms import Compound, Symbol, Term, Value, Variable, variables_of

__all__ = ["Assumption", "Bounds", "Guard", "StepBounds"]

DEEPEST = 8
MOST_WAYS = 40
"""How deep views are looked into, and how many ways for one to hold are looked at."""

COMPUTING = frozenset({*FUNCTIONS, "evaluate"})

FURTHER = 300
"""How many steps beyond the last one are looked at, to see which numbers grow on and on."""

MOST_NUMBERS = 5_000
"""How many numbers there may be between two bounds, so that these are of use."""

TRUE, DOES = ("true", 1), ("does", 2)

OF_STATES = (("legal", 2), ("goal", 2), ("terminal", 0), ("init", 1), ("role", 1))
OF_FACTS = (TRUE, ("init", 1), ("next", 1))

Substitution: TypeAlias = dict[Variable, Term]


@dataclass(frozen=True, slots=True)
class Assumption:
    """Of facts with this functor and number of arguments, no two hold at once that differ in the last argument only."""

    functor: str
    arity: int


@dataclass(frozen=True, slots=True)
class Guard:
    """What is known where a rule that counts applies: one of the ways holds; or, negated, none of them does."""

    ways: tuple[tuple[Formula, ...], ...]
    is_negated: bool


@dataclass(frozen=True)
class StepBounds:
    """A count of steps, and between which numbers the arguments of facts are after each of them."""

    counter: StepCounter
    history: Sequence[Mapping[Place, Interval]]
    later: Mapping[Place, Interval]  # long after the last of them
    at_last: Mapping[Place, Interval]  # and longer after it: what is more than it was then has no other bound

    def bounds(self, fact: Any, before: Sequence[Any]) -> Iterator[tuple[Variable, Interval]]:
        """The variables of a fact made by a step that would grow on and on; not those that only stay."""
        last = self.history[-1]
        for index, part in enumerate(fact[1:]):
            place = (fact[0], len(fact) - 1, index)
            stays = any(relation_of(old) == place[:2] and old[1 + index] == part for old in before)
            is_growing = self.at_last[place] != self.later[place]
            is_growing &= last[place][1] - last[place][0] <= MOST_NUMBERS
            if isinstance(part, Variable) and not stays and is_growing:
                yield part, last[place]

    def to_dict(self) -> dict[str, Any]:
        """As plain data: what has to hold of a state, see `Program.steps`."""
        last = self.history[-1]
        places = [place for place in last if all(map(math.isfinite, last[place]))]
        within = [[*place, [list(now[place]) for now in self.history]] for place in places]
        return {
            "counter": self.counter.functor,
            "ranks": {str(value): rank for value, rank in self.counter.ranks.items()},
            "within": within,
        }


@dataclass
class Bounds:
    """The guards of a sheet's rules."""

    rules: Rules
    is_builtin: Callable[[Value], bool]
    assumptions: set[Assumption] = field(default_factory=set)
    is_used: bool = False

    def __post_init__(self) -> None:
        self.numbers = count(1)
        self.by_relation: dict[Relation, list[Rule]] = {}
        for rule in all_rules(self.rules):
            self.by_relation.setdefault(relation_of(rule.head), []).append(rule)
        self.dynamic = dynamic_relations(self.rules)
        self.after_moves = self.by_relation.keys() - needed_by(self.rules, OF_STATES)
        """The relations that say what follows from moves, and nothing about the state as it is."""
        self.endings = [way for way in self._ways([Atom(Symbol("terminal"))]) if self._ends_alone(way)]
        self.possible = self._single_at_first()
        self.components = self._components()
        self._guards: dict[int, list[Guard]] = {}

    def guards(self, rule: Rule) -> list[Guard]:
        """What may be added to a rule without a change of what follows in a game that goes on."""
        if id(rule) not in self._guards:
            self._guards[id(rule)] = self._guards_of(rule)
        return self._guards[id(rule)]

    @cached_property
    def steps(self) -> StepBounds | None:
        """How many steps a game has, and how far numbers come in them; None where nothing counts, or none is needed."""
        makers = facts_made(self.by_relation)
        if makers is None or not any(map(self._counts, self.by_relation_all())):
            return None
        counter = find_counter(self.by_relation, self.is_builtin, self.endings, makers)
        if counter is None:
            return None
        intervals = Intervals(self.by_relation, self.is_builtin, self._known_by_guards)
        history = intervals.steps(counter.steps + FURTHER)
        if history is None or len(history) <= counter.steps + FURTHER:  # everything is bounded anyway
            return None
        return StepBounds(counter, history[: counter.steps + 1], history[-FURTHER // 2], history[-1])

    def by_relation_all(self) -> Iterator[Rule]:
        """All rules."""
        return (rule for rules in self.by_relation.values() for rule in rules)

    def within(self, rule: Rule) -> list[tuple[Variable, float, float]]:
        """The variables in the fact that a rule makes which only the count of steps bounds, and their bounds."""
        fact: Any = rule.head[1] if isinstance(rule.head, tuple) and len(rule.head) == 2 else None
        if relation_of(rule.head) == ("init", 1) or self.steps is None or not isinstance(fact, tuple):
            return []
        if not any(rule is maker for maker in facts_made(self.by_relation) or ()):
            return []
        return [(part, *bound) for part, bound in self.steps.bounds(fact, _facts(flatten(rule.body)))]

    def _known_by_guards(self, rule: Rule) -> list[tuple[tuple[Formula, ...], ...]]:
        """What guards say of numbers: the ways of one, or that a comparison does not hold."""
        known: list[tuple[tuple[Formula, ...], ...]] = []
        own = {*variables_of(rule.head), *(v for part in rule.body for v in formula_variables(part))}
        for guard in self.guards(rule):
            if not guard.is_negated:
                known.append(guard.ways)
                continue
            (way,) = guard.ways
            equations = [part for part in way if isinstance(part, Atom) and part.term[0] == "same"]
            rest = [part for part in way if part not in equations]
            names = [part.term[2] for part in equations]
            if len(rest) == 1 and all(isinstance(name, Variable) and name not in own for name in names):
                known.append(((*equations, rest[0].body if isinstance(rest[0], Not) else Not(rest[0])),))
        return known

    def _guards_of(self, rule: Rule) -> list[Guard]:
        if relation_of(rule.head) not in self.after_moves or not self._counts(rule):
            return []
        parts = list(flatten(rule.body))
        facts = _facts(parts)
        guards = [Guard((tuple(way),), is_negated=True) for fact in facts for way in self._ended_by(fact)]
        self.is_used |= bool(guards)
        inputs = self._inputs(parts).intersection(v for fact in facts for v in variables_of(fact))
        for part in parts:
            if isinstance(part, Atom) and (legal := self._legal(part, facts, inputs)):
                guards.append(legal)
        return guards

    def growing(self, rule: Rule) -> list[Value]:
        """The terms in the head of a rule that stands on itself which are deeper than what they are made of."""
        component = self.components.get(instances_of(rule.head))
        body = [part.term for part in flatten(rule.body) if isinstance(part, Atom)]
        around = [term for term in body if self.components.get(instances_of(term)) == component]
        if component is None or not around:
            return []
        depths: dict[Variable, int] = {}
        for term in around:
            for variable, depth in _depths(term):
                depths[variable] = min(depth, depths.get(variable, depth))
        parts = _arguments(rule.head)
        return [
            part
            for part in parts
            if any(variable in depths and depth > depths[variable] for variable, depth in _depths_in(part))
        ]

    # Which rules

    def _counts(self, rule: Rule) -> bool:
        """Whether something in the head is computed from the state, or is built larger than it was."""
        head = set(variables_of(rule.head))
        atoms = [part.term for part in flatten(rule.body) if isinstance(part, Atom)]
        computed = [term[-1] for term in atoms if self.is_builtin(term) and term[0] in COMPUTING]
        return any(head.intersection(variables_of(result)) for result in computed)

    def _components(self) -> dict[Relation, int]:
        """The relations that stand on each other, by a number for each circle."""
        uses: dict[Relation, set[Relation]] = {}
        for rule in self.rules.rules:
            uses.setdefault(instances_of(rule.head), set()).update(
                instances_of(part.term) for part in flatten(rule.body) if isinstance(part, Atom)
            )
        circles = strongly_connected_components(list(uses), lambda relation: uses.get(relation, ()))
        return {
            relation: number
            for number, circle in enumerate(circles)
            for relation in circle
            if len(circle) > 1 or relation in uses.get(relation, ())
        }

    # What ends a game

    def _ends_alone(self, way: Sequence[Formula]) -> bool:
        """Whether one fact and what never changes are enough."""
        rest = [part for part in way if not _facts([part])]
        return len(rest) == len(way) - 1 and all(self._is_static(part) for part in rest)

    def _is_static(self, part: Formula) -> bool:
        atom = part.body if isinstance(part, Not) else part
        if not isinstance(atom, Atom):
            return False
        if self.is_builtin(atom.term):
            return atom.term[0] in TESTS or atom.term[0] in FUNCTIONS or atom.term[0] in ("distinct", "same")
        return instances_of(atom.term) not in self.dynamic

    def _ended_by(self, fact: Any) -> Iterator[list[Formula]]:
        """The ways in which a game is over if that fact holds."""
        for ending in self.endings:
            way = self._apart(ending)
            (own,) = _facts(way)
            if (match := _unified(fact, own, {})) is None:
                continue
            rest = [part for part in way if not _facts([part])]
            yield [*_equations(match, set(variables_of(fact))), *(_applied(part, match) for part in rest)]

    # What is asked of legal moves

    def _legal(self, part: Atom, facts: Sequence[Any], inputs: set[Variable]) -> Guard | None:
        """What must hold of the state before a move that a literal asks for; None where it says nothing of inputs."""
        move = self._move(part.term)
        if move is None:
            return None
        ways, used = [], set[Assumption]()
        for legal in self._ways([Atom(_made("legal", move[1], move[2]))]):
            match, assumptions = self._joined(legal, facts)
            known = set(variables_of(part.term)).union(*map(set, map(variables_of, facts)))
            usable = [_applied(each, match) for each in legal if _facts([each]) or self._is_static(each)]
            if not any(inputs.intersection(formula_variables(each)) for each in usable if not _facts([each])):
                return None
            asked = [part, *(Atom(_made("true", fact)) for fact in facts), *_equations(match, known)]
            ways.append(_bound([*asked, *usable], self.is_builtin))
            used |= assumptions
        self.assumptions |= used
        return Guard(tuple(ways), is_negated=False) if ways else None

    def _inputs(self, parts: Sequence[Formula]) -> set[Variable]:
        """The variables from which something is computed."""
        atoms = [part.term for part in parts if isinstance(part, Atom)]
        computing = [term for term in atoms if self.is_builtin(term) and term[0] in COMPUTING]
        return {variable for term in computing for arg in term[1:-1] for variable in variables_of(arg)}

    def _move(self, term: AtomTerm) -> AtomTerm | None:
        """The does(...) that a literal stands for: itself, or what its only rule says."""
        for _ in range(DEEPEST):
            if relation_of(term) == DOES:
                return term
            rules = self.by_relation.get(relation_of(term), [])
            if len(rules) != 1 or len(rules[0].body) != 1 or not isinstance(rules[0].body[0], Atom):
                return None
            names = self._fresh_names(rules[0])
            match = _unified(term, substitute(rules[0].head, names), {})
            if match is None:
                return None
            term = _resolved(substitute(rules[0].body[0].term, names), match)
        return None

    def _joined(self, legal: Sequence[Formula], facts: Sequence[Any]) -> tuple[Substitution, set[Assumption]]:
        """What is the same in what a legal move needs and in a rule, as facts have one value at a time."""
        match: Substitution = {}
        used = set[Assumption]()
        pairs = [(one, other) for one in facts for other in _facts(legal)]
        is_new = True
        while is_new:
            is_new = False
            for one, other in pairs:
                joined = self._join(one, other, match)
                if joined is not None and joined != match:
                    match, is_new = joined, True
                    used.add(Assumption(one[0], len(one) - 1))
        return match, used

    def _join(self, one: Any, other: Any, match: Substitution) -> Substitution | None:
        """Two facts whose arguments but the last are the same have the same last one too."""
        if not (isinstance(one, tuple) and isinstance(other, tuple)) or len(one) != len(other):
            return None
        first, second = _resolved(one, match), _resolved(other, match)
        if first[:-1] != second[:-1] or Assumption(one[0], len(one) - 1) not in self.possible:
            return None
        return _unified(second[-1], first[-1], match)

    def _single_at_first(self) -> set[Assumption]:
        """Of which facts it holds at the start."""
        seen: dict[Value, Value] = {}
        single, plural = set[Assumption](), set[Assumption]()
        for rule in self.rules.rules:
            for term in (rule.head, *atoms_of(rule.body)):
                if relation_of(term) in OF_FACTS and isinstance(term[1], tuple):
                    single.add(Assumption(term[1][0], len(term[1]) - 1))
            if relation_of(rule.head) == ("init", 1) and isinstance(rule.head[1], Variable):
                return set()  # whatever that is
            is_first = relation_of(rule.head) == ("init", 1) and isinstance(rule.head[1], tuple)
            fact: Any = rule.head[1] if is_first else ()
            if is_first and (rule.body or seen.setdefault(fact[:-1], fact[-1]) != fact[-1]):
                plural.add(Assumption(fact[0], len(fact) - 1))
        return single - plural

    # Looking into views

    def _ways(self, parts: Sequence[Formula]) -> list[list[Formula]]:
        """The ways in which a conjunction holds, by facts, moves and what never changes; views are looked into."""
        done: list[list[Formula]] = []
        todo: list[tuple[list[Formula], int]] = [(list(parts), 0)]
        while todo and len(done) + len(todo) <= MOST_WAYS:
            way, depth = todo.pop()
            index = next((i for i, part in enumerate(way) if self._is_view(part)), None)
            if index is None or depth >= DEEPEST:
                done.append(way)
                continue
            view = way[index]
            assert isinstance(view, Atom)
            for rule in self.by_relation.get(relation_of(view.term), ()):
                names = self._fresh_names(rule)
                match = _unified(substitute(rule.head, names), view.term, {})
                if match is not None:
                    body = [substitute_in(part, names) for part in flatten(rule.body)]
                    whole = [*way[:index], *body, *way[index + 1 :]]
                    equations = _equations(match, {v for part in way for v in formula_variables(part)})
                    todo.append(([*equations, *(_applied(part, match) for part in whole)], depth + 1))
        return done if not todo else []

    def _is_view(self, part: Formula) -> bool:
        """Whether a literal is of a relation that has rules, about the state."""
        if not isinstance(part, Atom) or self.is_builtin(part.term):
            return False
        relation = relation_of(part.term)
        return relation not in (TRUE, DOES) and (relation in self.dynamic or relation == ("legal", 2))

    def _fresh_names(self, rule: Rule) -> Substitution:
        variables = {*variables_of(rule.head), *(v for part in rule.body for v in formula_variables(part))}
        return self._names(variables)

    def _names(self, variables: Iterable[Variable]) -> Substitution:
        number = next(self.numbers)
        return {variable: Variable(f"{str.__str__(variable)} {number}") for variable in variables}

    def _apart(self, way: Sequence[Formula]) -> list[Formula]:
        """The same with variables that nobody else has."""
        names = self._names({v for part in way for v in formula_variables(part)})
        return [substitute_in(part, names) for part in way]


def _bound(parts: Sequence[Formula], is_builtin: Callable[[Value], bool]) -> tuple[Formula, ...]:
    """Those parts all of whose variables have values: the rest says nothing on its own."""
    bound = bound_in(parts, set(), is_builtin)
    return tuple(part for part in parts if bound.issuperset(formula_variables(part)))


# Terms


def _arguments(term: Value) -> tuple[Value, ...]:
    """The arguments of an atom; of a fact, or a move, those that it has itself."""
    if not isinstance(term, tuple):
        return ()
    inner = (
        term[-1] if instances_of(term) in (TRUE, DOES) or term[0] in ("added", "deleted", "happens") else None
    )
    return inner[1:] if isinstance(inner, tuple) else term[1:]


def _depths(term: Value) -> Iterator[tuple[Variable, int]]:
    """The variables of an atom, and in how many functors each stands."""
    for part in _arguments(term):
        yield from _depths_in(part)


def _depths_in(term: Value, depth: int = 0) -> Iterator[tuple[Variable, int]]:
    if isinstance(term, Variable):
        yield term, depth
    elif isinstance(term, tuple):
        for part in term[1:]:
            yield from _depths_in(part, depth + 1)


def _made(*parts: Any) -> Compound:
    return Compound(parts)


def _facts(parts: Iterable[Formula]) -> list[Any]:
    """The facts that a conjunction asks for."""
    return [part.term[1] for part in parts if isinstance(part, Atom) and relation_of(part.term) == TRUE]


def _resolved(term: Any, match: Substitution) -> Any:
    """A term with what is known of its variables, to the end."""
    if isinstance(term, Variable):
        return _resolved(match[term], match) if term in match else term
    if isinstance(term, tuple):
        return _made(term[0], *(_resolved(part, match) for part in term[1:]))
    return term


def _applied(part: Formula, match: Substitution) -> Formula:
    return substitute_in(part, {v: _resolved(v, match) for v in formula_variables(part)})


def _equations(match: Mapping[Variable, Term], outside: set[Variable]) -> list[Formula]:
    """What a match says of variables that others have too."""
    found = [
        (variable, _resolved(variable, dict(match))) for variable in sorted(outside) if variable in match
    ]
    return [Atom(_made("same", variable, value)) for variable, value in found if variable != value]


def _unified(one: Any, other: Any, match: Substitution) -> Substitution | None:
    """The match under which two terms are the same; None where they never are."""
    one, other = _resolved(one, match), _resolved(other, match)
    if one == other:
        return match
    if isinstance(one, Variable):
        return None if one in set(variables_of(other)) else {**match, one: other}
    if isinstance(other, Variable):
        return _unified(other, one, match)
    if (
        not (isinstance(one, tuple) and isinstance(other, tuple))
        or len(one) != len(other)
        or one[0] != other[0]
    ):
        return None
    for first, second in zip(one[1:], other[1:], strict=True):
        found = _unified(first, second, match)
        if found is None:
            return None
        match = found
    return match
