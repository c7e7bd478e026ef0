"""Core rules -> a logic program for clingo, and clingo's symbols back to terms.

Names become safe ones: relations `p0, p1, ...`, functors `f0, f1, ...`; constants are strings. Choice rules let a
fact hold in any state in which some rule could make it hold, and any legal move be made, so that grounding finds
every fact and move that could ever occur:

    {true(F)} :- init(F).   {true(F)} :- next(F).   {does(R,A)} :- legal(R,A).

What holds at the start and lasts for ever (lasting.py) holds without choice.
A negation with variables of its own, and any disjunction, gets a relation of its own that says what is inside.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from gamemaster.errors import LimitExceeded
from gamemaster.ground.asp_values import Beside, FormulaValues, quoted, with_lists_counted
from gamemaster.ground.atoms import flatten
from gamemaster.ground.bounds import Bounds, Guard
from gamemaster.ground.clingo_child import Failure
from gamemaster.ground.demand import WANTED, givers_of
from gamemaster.ground.lasting import lasting_facts
from gamemaster.ground.proofs import Claim, Proof, claims_of, proof_of
from gamemaster.language.builtins import (
    AGGREGATES,
    FUNCTIONS,
    TESTS,
    builtin_test,
    items_of,
    number_of,
)
from gamemaster.language.rules import (
    And,
    Atom,
    Formula,
    Not,
    Or,
    Relation,
    Rule,
    Rules,
    formula_variables,
    relation_of,
    substitute_in,
)
from gamemaster.language.terms import MAX_DEPTH, Value, Variable, variables_of

if TYPE_CHECKING:
    import clingo

__all__ = ["Bodies", "Callbacks", "Translation", "translate"]

T = TypeVar("T")

MOST_HELPERS = 20_000
LARGEST_WEIGHT = 1_000_000
MOST_RESULTS = 200_000
MOST_ROUNDS = 2_000
"""How many results of builtins there may be, and how many one of the other: beyond that, they grow without end."""

KNOWN = "k"
"""What the names of relations begin with that say what is known where a rule applies."""

OF_FORMULAS = AGGREGATES | {"evaluate"}

CHOICES = (
    ("true", "F", "init", "F"),
    ("true", "F", "next", "F"),
    ("does", "R,A", "legal", "R,A"),
)


@dataclass
class Translation:
    """A program text for clingo and the names in it."""

    rules: Rules
    lines: list[str] = field(default_factory=list)
    relations: dict[Relation, str] = field(default_factory=dict)
    functors: dict[tuple[str, int], str] = field(default_factory=dict)
    origin: dict[int, Rule] = field(default_factory=dict)  # number of a line -> the rule that it is of
    helpers: int = 0
    proof: Proof | None = None
    assumed: list[tuple[str, int]] = field(default_factory=list)
    """The relations in the program, with their numbers of arguments, that are there to find instances: they hold."""

    claims: list[Claim] = field(default_factory=list)
    steps: dict[str, Any] | None = None
    """What the count of steps says of states, where it bounds numbers: see `Program.steps`."""

    stops: bool = False
    """Whether what follows a state that is terminal is left out."""

    @property
    def text(self) -> str:
        """The whole program."""
        return "\n".join(self.lines)

    def relation(self, relation: Relation) -> str:
        """The program's name for a relation."""
        return self.relations.setdefault(relation, f"p{len(self.relations)}")

    def functor(self, name: str, arity: int) -> str:
        """The program's name for a functor."""
        return self.functors.setdefault((name, arity), f"f{len(self.functors)}")

    def helper(self) -> str:
        """A new relation's name; LimitExceeded where expressions in expressions ask for ever more of them."""
        self.helpers += 1
        if self.helpers > MOST_HELPERS:
            raise LimitExceeded(
                "size", f"{MOST_HELPERS:,} expressions and disjunctions", doing="grounding the rules"
            )
        return f"h{self.helpers}"

    def term(self, term: Value) -> str:
        """A term as clingo reads it."""
        if isinstance(term, Variable):
            return _variable(term)
        if isinstance(term, tuple):
            args = ",".join(map(self.term, term[1:]))
            return f"{self.functor(term[0], len(term) - 1)}({args})" if args else self.functor(term[0], 0)
        return quoted(str.__str__(term))

    def atom(self, term: Value) -> str:
        """An atom as clingo reads it."""
        name = self.relation(relation_of(term))
        return (
            f"{name}({','.join(map(self.term, term[1:]))})"
            if isinstance(term, tuple) and len(term) > 1
            else name
        )


def _variable(variable: Variable) -> str:
    """A clingo variable for ours: letters and digits only, so that no two get the same name."""
    return "V" + "".join(c if c.isascii() and c.isalnum() else f"_{ord(c)}_" for c in str.__str__(variable))


def translate(rules: Rules, *, counts_steps: bool = True) -> Translation:
    """The program that grounds these rules; `counts_steps`: where a count of steps can bound numbers, it does."""
    translation = Translation(rules)
    for head, head_args, body, body_args in CHOICES:
        arity = head_args.count(",") + 1
        head_name, body_name = translation.relation((head, arity)), translation.relation((body, arity))
        translation.lines.append(f"{{{head_name}({head_args})}} :- {body_name}({body_args}).")
    true, first = translation.relation(("true", 1)), translation.relation(("init", 1))
    for fact in map(translation.term, lasting_facts(rules)):
        translation.lines.append(f"{true}({fact}) :- {first}({fact}).")
    bodies = Bodies(translation)
    bodies.may_count = counts_steps
    for rule in rules.rules:
        bodies.rule(rule)
    wanted = [
        (name, arity) for (named, arity), name in translation.relations.items() if named.startswith(WANTED)
    ]
    translation.assumed += wanted
    steps = bodies.bounds.steps if bodies.counts_steps else None
    translation.claims = claims_of(bodies.bounds, steps)
    translation.proof = proof_of(translation, bodies.bounds, steps)
    is_proven = bool(bodies.bounds.assumptions) or bodies.counts_steps
    translation.stops = bodies.bounds.is_used or is_proven  # a proof is of games that go on
    translation.steps = steps.to_dict() if steps else None
    return translation


class Bodies:
    """Rules -> lines of a program."""

    def __init__(self, translation: Translation) -> None:
        self.translation = translation
        self.is_builtin = builtin_test(translation.rules)
        defined = {relation_of(rule.head) for rule in translation.rules.rules}
        self.known = defined | {("true", 1), ("does", 2)}
        self.values = FormulaValues(self)
        self.bounds = Bounds(translation.rules, self.is_builtin)
        self.may_count, self.counts_steps = True, False
        self.in_guard = False

    def rule(self, rule: Rule) -> None:
        """Add a rule; nothing where its body can never hold."""
        head = self.translation.atom(rule.head)
        outside = set(variables_of(rule.head))
        body = self.conjunction(rule.body, outside, (), rule)
        if body is not None:
            body += [text for guard in self.bounds.guards(rule) for text in self.guard(guard, rule)]
            bounds = self.bounds.within(rule) if self.may_count else ()
            body += [text for bound in bounds for text in self.bounded(*bound)]
            body += [f"@shallow({self.translation.term(term)}) = 1" for term in self.bounds.growing(rule)]
        self.line(head, body, rule)

    def guard(self, guard: Guard, rule: Rule) -> list[str]:
        """A guard as a literal: what must not be is decided while clingo grounds, as all in it is known then."""
        outside = {*variables_of(rule.head), *(v for part in rule.body for v in formula_variables(part))}
        if guard.is_negated:
            (way,) = guard.ways
            self.in_guard = True
            texts = self.conjunction(way, outside, (), rule)
            self.in_guard = False
            return [] if texts is None else [f"0 = #count{{0 : {', '.join(texts or ['#true'])}}}"]
        shared = outside & {v for way in guard.ways for part in way for v in formula_variables(part)}
        name = f"{KNOWN}{len(self.translation.assumed)}"
        self.translation.assumed.append((name, len(shared)))
        head = f"{name}({','.join(sorted(map(_variable, shared)))})" if shared else name
        for way in guard.ways:
            self.line(head, self.conjunction(way, outside, (), rule), rule)
        return [head]

    def bounded(self, variable: Variable, low: float, high: float) -> list[str]:
        """That a number is between two others, as a literal; outside of them it never is. What is no number may be."""
        self.counts_steps = True
        ends = [quoted(str(end)) for end in (math.floor(low), math.ceil(high))]
        return [f"@between({ends[0]},{_variable(variable)},{ends[1]}) = 1"]

    def line(self, head: str, body: list[str] | None, rule: Rule) -> None:
        """Add a line, unless the body can never hold."""
        if body is not None:
            self.translation.origin[len(self.translation.lines)] = rule
            self.translation.lines.append(f"{head} :- {', '.join(body)}." if body else f"{head}.")

    def conjunction(
        self, parts: Sequence[Formula], outside: set[Variable], context: Sequence[Formula], rule: Rule
    ) -> list[str] | None:
        """The literals of a conjunction, or None where it never holds. `outside`: variables used elsewhere."""
        flat = self.apart(with_lists_counted(list(flatten(parts)), self.is_builtin), outside)
        result: list[str] = []
        for part in flat:
            others = [other for other in flat if other is not part]
            used = outside | {v for other in others for v in formula_variables(other)}
            positives = [other for other in (*context, *others) if isinstance(other, Atom)]
            literals = self.formula(part, used, positives, rule)
            if literals is None:
                return None
            result += literals
        return result

    def apart(self, flat: Sequence[Formula], outside: set[Variable]) -> list[Formula]:
        """A conjunction in which what is local to a builtin over a formula has a name that nobody else has."""
        return [
            substitute_in(
                part, self.values.renaming(set(formula_variables(part)) - self.given(flat, part) - outside)
            )
            if self.is_of_formula(part)
            else part
            for part in flat
        ]

    def given(self, flat: Sequence[Formula], part: Formula) -> set[Variable]:
        """The variables of a conjunction that have values for one of its parts."""
        found: set[Variable] = set()
        for other in flat:
            if self.is_of_formula(other):
                assert isinstance(other, Atom)
                found |= set(variables_of(other.term[-1])) if other.term[0] != "exists" else set()
            elif other is not part and not isinstance(other, Not):
                found |= set(formula_variables(other))
        return found

    def is_of_formula(self, part: Formula) -> bool:
        """Whether a literal is a builtin over a formula, or an expression."""
        return isinstance(part, Atom) and self.is_builtin(part.term) and part.term[0] in OF_FORMULAS

    def formula(
        self, part: Formula, used: set[Variable], context: Sequence[Formula], rule: Rule
    ) -> list[str] | None:
        """The literals of a formula, or None where it never holds."""
        match part:
            case Atom(term):
                return self.literal(term, Beside(used, context, rule))
            case Not(Atom(term)) if not self.is_builtin(term) and set(variables_of(term)) <= used:
                if relation_of(term) not in self.known:
                    return [] if term != "true" else None
                return [f"not {self.translation.atom(term)}"]
            case Not(Atom(term)) if self.in_guard and term[0] in TESTS:
                return [
                    self.builtin(term[0], term[1:]).replace(" = 1", " = 0")
                ]  # decided here: all in it is known
            case Not(body):
                name = self.helper([body], set(formula_variables(body)) & used, context, rule)
                return [f"not {name}"] if name else []
            case Or(parts):
                name = self.helper(parts, set(formula_variables(part)) & used, context, rule)
                return [name] if name else None
            case And(parts):  # inside Or or Not only
                return self.conjunction(parts, used, context, rule)

    def helper(
        self, parts: Iterable[Formula], shared: set[Variable], context: Sequence[Formula], rule: Rule
    ) -> str | None:
        """The atom of a new relation that holds where one of the parts does; None where none ever can."""
        names = sorted(map(_variable, shared))
        name = self.translation.helper()
        head = f"{name}({','.join(names)})" if names else name
        size = len(self.translation.lines)
        for part in parts:
            givers = givers_of(context, self.unbound(part, shared), self.is_builtin)
            body = self.conjunction([*givers, part], shared, context, rule)
            self.line(head, body, rule)
        return head if len(self.translation.lines) > size else None

    def unbound(self, part: Formula, shared: set[Variable]) -> set[Variable]:
        """The shared variables that a part does not give a value itself."""
        match part:
            case Atom(term) if not self.is_builtin(term):
                return shared - set(variables_of(term))
            case And(parts) if parts:
                return set.intersection(*(self.unbound(inner, shared) for inner in parts))
        return shared

    # Literals

    def literal(self, term: Value, beside: Beside) -> list[str] | None:
        """The literals of an atom, or None where it never holds."""
        if self.is_builtin(term):
            if term[0] in OF_FORMULAS:
                return self.values.literals(term, beside)
            return [self.builtin(term[0], term[1:])]
        if relation_of(term) in self.known:
            return [self.translation.atom(term)]
        return [] if term == "true" else None

    def builtin(self, name: str, args: Sequence[Value]) -> str:
        """The literal of a builtin of values."""
        texts = list(map(self.translation.term, args))
        if name == "distinct":
            return f"{texts[0]} != {texts[1]}"
        if name == "same":
            return f"{texts[0]} = {texts[1]}"
        if name == "member":
            return f"{texts[0]} = @member({texts[1]})"
        if name in TESTS:
            return f"@test({','.join([quoted(name), *texts])}) = 1"
        if name in FUNCTIONS:
            return f"{texts[-1]} = @function({','.join([quoted(name), *texts[:-1]])})"
        raise AssertionError(name)


class Callbacks:
    """What clingo calls while grounding to evaluate builtins.

    `functors` maps names in the program to functor and size, and learns those of values that builtins make.
    """

    def __init__(
        self,
        functors: dict[str, tuple[str, int]],
        failures: list[Failure],
        most: tuple[int, str, str] | None = None,
    ) -> None:
        import clingo  # which takes a moment, and few processes need it

        self.calls, self.most = 0, most

        self.functors = functors
        self.names = {functor: name for name, functor in functors.items()}
        self.clingo = clingo
        self.failures = failures
        self.rounds: dict[
            Value, int
        ] = {}  # result of a builtin -> how many, one of the other, it took to get there
        self.depths: dict[clingo.Symbol, int] = {}

    def symbol(self, value: Value) -> clingo.Symbol:
        """A value as a clingo symbol; a functor that the program does not have gets a name of its own."""
        if isinstance(value, tuple):
            return self.clingo.Function(
                self.name(value[0], len(value) - 1), list(map(self.symbol, value[1:]))
            )
        return self.clingo.String(value)

    def name(self, functor: str, arity: int) -> str:
        """The program's name for a functor."""
        name = self.names.setdefault((functor, arity), f"f{len(self.names)}")
        self.functors[name] = (functor, arity)
        return name

    def value(self, symbol: clingo.Symbol) -> Value:
        """The value that a symbol stands for."""
        if symbol.type.name == "String":
            return symbol.string
        return (self.functors[symbol.name][0], *map(self.value, symbol.arguments))

    def guarded(self, compute: Callable[..., T], args: Sequence[clingo.Symbol], *more: int) -> T:
        """The computation on values; an error of ours is kept, since clingo cannot pass it on."""
        self.calls += 1
        if self.most and self.calls > self.most[0]:
            self.failures.append(("limit", *self.most[1:]))
            raise RuntimeError("too much is computed")
        try:
            return compute([self.value(arg) for arg in args], *more)
        except LimitExceeded as error:
            self.failures.append(("limit", error.what, error.allowed))
            raise RuntimeError(str(error)) from None

    def test(self, name: clingo.Symbol, *args: clingo.Symbol) -> clingo.Symbol:
        """1 where the test holds, else 0."""
        holds = self.guarded(TESTS[name.string][1], args)
        return self.clingo.Number(int(holds))

    def function(self, name: clingo.Symbol, *args: clingo.Symbol) -> list[clingo.Symbol]:
        """The function's value, or no value."""
        value = self.guarded(FUNCTIONS[name.string], args)
        if value is None:
            return []
        if value not in self.rounds:
            self.rounds[value] = 1 + max((self.rounds.get(self.value(arg), 0) for arg in args), default=0)
            self.guarded(_few_enough, [], len(self.rounds), self.rounds[value])
        return [self.symbol(value)]

    def between(self, low: clingo.Symbol, value: clingo.Symbol, high: clingo.Symbol) -> clingo.Symbol:
        """1 for a number between two others, and for what is no number."""
        return self.clingo.Number(int(self.guarded(_is_between, [low, value, high])))

    def shallow(self, term: clingo.Symbol) -> clingo.Symbol:
        """1, as long as terms may be as deep as that."""
        self.guarded(_shallow_enough, [], self.depth(term))
        return self.clingo.Number(1)

    def depth(self, term: clingo.Symbol) -> int:
        """How many functors a term stands in itself; known of its parts, which were asked about before."""
        if term not in self.depths:
            parts = term.arguments if term.type.name == "Function" else []
            self.depths[term] = 1 + max(
                (self.depths.get(part) or self.depth(part) for part in parts), default=-1
            )
        return self.depths[term]

    def text(self, number: clingo.Symbol) -> clingo.Symbol:
        """A number that clingo has counted, as a constant."""
        return self.clingo.String(str(number.number))

    def number(self, value: clingo.Symbol) -> clingo.Symbol:
        """A constant as a whole number, to be added up."""
        return self.clingo.Number(self.guarded(_whole_number, [value]))

    def member(self, items: clingo.Symbol) -> list[clingo.Symbol]:
        """Every item of a list."""
        return [self.symbol(item) for item in items_of(self.value(items)) or []]


def _is_between(args: list[Value]) -> bool:
    """Whether a value is a number between two others, or none."""
    low, value, high = map(number_of, args)
    return value is None or ((low is None or low <= value) and (high is None or value <= high))


def _few_enough(_: list[Value], count: int, rounds: int) -> None:
    """LimitExceeded where ever more is computed."""
    if rounds > MOST_ROUNDS:
        what = f"{MOST_ROUNDS:,} numbers, each computed from the one before"
        raise LimitExceeded("size", what, doing="grounding the rules")
    if count > MOST_RESULTS:
        raise LimitExceeded("size", f"{MOST_RESULTS:,} results of builtins", doing="grounding the rules")


def _shallow_enough(_: list[Value], depth: int) -> None:
    """LimitExceeded where terms grow ever deeper."""
    if depth > MAX_DEPTH:
        raise LimitExceeded("depth", f"{MAX_DEPTH} nested terms", doing="grounding the rules")


def _whole_number(args: list[Value]) -> int:
    """The number that a constant is; LimitExceeded for what cannot be added up by gates."""
    number = number_of(args[0])
    if number is None or number != int(number) or abs(number) > LARGEST_WEIGHT:
        raise LimitExceeded("sum", f"whole numbers up to {LARGEST_WEIGHT:,}", doing="adding up what holds")
    return int(number)
