"""Core rules -> a logic program for clingo, and clingo's symbols back to terms.

Names become safe ones: relations `p0, p1, ...`, functors `f0, f1, ...`; constants are strings. Choice rules let a
fact hold in any state in which some rule could make it hold, and any legal move be made, so that grounding finds
every fact and move that could ever occur:

    {true(F)} :- init(F).   {true(F)} :- next(F).   {does(R,A)} :- legal(R,A).

A negation with variables of its own, and any disjunction, gets a relation of its own that says what is inside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from gamemaster.errors import LimitExceeded
from gamemaster.ground.atoms import flatten
from gamemaster.ground.clingo_child import Failure
from gamemaster.language.builtins import FUNCTIONS, TESTS, builtin_arity_fits, builtins_of, items_of
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
)
from gamemaster.language.terms import Value, Variable, variables_of

if TYPE_CHECKING:
    import clingo

__all__ = ["Callbacks", "Translation", "translate"]

T = TypeVar("T")

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
    owner: dict[str, Rule] = field(
        default_factory=dict
    )  # relation name in the program -> a rule that defines it
    helpers: int = 0

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
        """A new relation's name."""
        self.helpers += 1
        return f"h{self.helpers}"

    def term(self, term: Value) -> str:
        """A term as clingo reads it."""
        if isinstance(term, Variable):
            return _variable(term)
        if isinstance(term, tuple):
            args = ",".join(map(self.term, term[1:]))
            return f"{self.functor(term[0], len(term) - 1)}({args})" if args else self.functor(term[0], 0)
        return _string(str.__str__(term))

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


def _string(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"') + '"'


def translate(rules: Rules) -> Translation:
    """The program that grounds these rules."""
    translation = Translation(rules)
    for head, head_args, body, body_args in CHOICES:
        arity = head_args.count(",") + 1
        head_name, body_name = translation.relation((head, arity)), translation.relation((body, arity))
        translation.lines.append(f"{{{head_name}({head_args})}} :- {body_name}({body_args}).")
    bodies = _Bodies(translation)
    for rule in rules.rules:
        bodies.rule(rule)
    return translation


class _Bodies:
    """Rules -> lines of a program."""

    def __init__(self, translation: Translation) -> None:
        self.translation = translation
        self.builtins = builtins_of(translation.rules)
        defined = {relation_of(rule.head) for rule in translation.rules.rules}
        self.known = defined | {("true", 1), ("does", 2)}

    def rule(self, rule: Rule) -> None:
        """Add a rule; nothing where its body can never hold."""
        head = self.translation.atom(rule.head)
        self.translation.owner.setdefault(self.translation.relation(relation_of(rule.head)), rule)
        outside = set(variables_of(rule.head))
        self.line(head, self.conjunction(rule.body, outside, (), rule), rule)

    def line(self, head: str, body: list[str] | None, rule: Rule) -> None:
        if body is not None:
            self.translation.owner.setdefault(head.split("(")[0], rule)
            self.translation.lines.append(f"{head} :- {', '.join(body)}." if body else f"{head}.")

    def conjunction(
        self, parts: Sequence[Formula], outside: set[Variable], context: Sequence[Formula], rule: Rule
    ) -> list[str] | None:
        """The literals of a conjunction, or None where it never holds. `outside`: variables used elsewhere."""
        flat = list(flatten(parts))
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

    def formula(
        self, part: Formula, used: set[Variable], context: Sequence[Formula], rule: Rule
    ) -> list[str] | None:
        match part:
            case Atom(term):
                return self.literal(term)
            case Not(Atom(term)) if not self.is_builtin(term) and set(variables_of(term)) <= used:
                if relation_of(term) not in self.known:
                    return [] if term != "true" else None
                return [f"not {self.translation.atom(term)}"]
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
            needs = self.unbound(part, shared)
            givers = [
                giver
                for giver in context
                if isinstance(giver, Atom)
                and not self.is_builtin(giver.term)
                and needs & set(variables_of(giver.term))
            ]
            body = self.conjunction([*givers, part], shared, context, rule)
            self.line(head, body, rule)
        return head if len(self.translation.lines) > size else None

    def unbound(self, part: Formula, shared: set[Variable]) -> set[Variable]:
        """The shared variables that a part does not give a value itself."""
        match part:
            case Atom(term) if not self.is_builtin(term):
                return shared - set(variables_of(term))
            case And(parts):
                return set.intersection(*(self.unbound(inner, shared) for inner in parts))
        return shared

    # Literals

    def is_builtin(self, term: Value) -> bool:
        name, arity = relation_of(term)
        return name in self.builtins and builtin_arity_fits(name, arity)

    def literal(self, term: Value) -> list[str] | None:
        if self.is_builtin(term):
            return [self.builtin(term[0], term[1:])]
        if relation_of(term) in self.known:
            return [self.translation.atom(term)]
        return [] if term == "true" else None

    def builtin(self, name: str, args: Sequence[Value]) -> str:
        texts = list(map(self.translation.term, args))
        if name == "distinct":
            return f"{texts[0]} != {texts[1]}"
        if name == "same":
            return f"{texts[0]} = {texts[1]}"
        if name == "member":
            return f"{texts[0]} = @member({texts[1]})"
        if name in TESTS:
            return f"@test({','.join([_string(name), *texts])}) = 1"
        if name in FUNCTIONS:
            return f"{texts[-1]} = @function({','.join([_string(name), *texts[:-1]])})"
        raise LimitExceeded("grounding", "builtins of known values", doing=f"grounding {name}(...)")


class Callbacks:
    """What clingo calls while grounding to evaluate builtins.

    `functors` maps names in the program to functor and size, and learns those of values that builtins make.
    """

    def __init__(self, functors: dict[str, tuple[str, int]], failures: list[Failure]) -> None:
        import clingo  # which takes a moment, and few processes need it

        self.functors = functors
        self.names = {functor: name for name, functor in functors.items()}
        self.clingo = clingo
        self.failures = failures

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

    def guarded(self, compute: Callable[[list[Value]], T], args: Sequence[clingo.Symbol]) -> T:
        """The computation on values; an error of ours is kept, since clingo cannot pass it on."""
        try:
            return compute([self.value(arg) for arg in args])
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
        return [] if value is None else [self.symbol(value)]

    def member(self, items: clingo.Symbol) -> list[clingo.Symbol]:
        """Every item of a list."""
        return [self.symbol(item) for item in items_of(self.value(items)) or []]
