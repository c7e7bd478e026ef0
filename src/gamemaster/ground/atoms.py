"""Parts of rules that several readers of them need: arguments, atoms, conjunctions, and definitions as rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gamemaster.language.rules import (
    And,
    Atom,
    Definition,
    Formula,
    Not,
    Or,
    Relation,
    Rule,
    Rules,
    name_of,
    relation_of,
)
from gamemaster.language.terms import Compound, Value, Variable

__all__ = [
    "all_rules",
    "args_of",
    "atoms_of",
    "definition_relation",
    "flatten",
    "needed_by",
    "relations_in",
    "rule_of_definition",
]

DEFINED_VALUE = Variable("Value of the definition")


def args_of(term: Value) -> tuple[Value, ...]:
    """The arguments of an atom's term: of a symbol, none."""
    return term[1:] if isinstance(term, tuple) else ()


def definition_relation(name: str, arity: int) -> Relation:
    """The relation that a definition `name(...) := value` becomes; its last argument is the value."""
    return f"{name} :=", arity + 1


def rule_of_definition(definition: Definition) -> Rule:
    """`f(X) := e` as the rule `f :=(X,V) :- evaluate(e,V)`, asked for V alone: the first found counts."""
    name, _ = definition_relation(name_of(definition.head), 0)
    evaluation = Atom(Compound(("evaluate", definition.expression, DEFINED_VALUE)), definition.span)
    return Rule(
        Compound((name, *args_of(definition.head), DEFINED_VALUE)),
        (evaluation,),
        definition.span,
        definition.span,
    )


def flatten(parts: Iterable[Formula]) -> Iterator[Formula]:
    """The parts of conjunctions within conjunctions."""
    for part in parts:
        if isinstance(part, And):
            yield from flatten(part.parts)
        else:
            yield part


def atoms_of(formulas: Sequence[Formula]) -> Iterator[Value]:
    """The terms of all atoms of formulas, those inside aggregates included."""
    for formula in formulas:
        match formula:
            case Atom(term):
                yield term
                yield from _inner_atoms(term)
            case Not(body):
                yield from atoms_of([body])
            case And(parts) | Or(parts):
                yield from atoms_of(parts)


def relations_in(formulas: Sequence[Formula]) -> Iterator[Relation]:
    """The relations that formulas use, and those that definitions become which an expression in them may call."""
    for term in atoms_of(formulas):
        relation = relation_of(term)
        yield relation
        yield definition_relation(*relation)


def all_rules(rules: Rules) -> list[Rule]:
    """The rules, and those that definitions become."""
    return [*rules.rules, *map(rule_of_definition, rules.definitions)]


def needed_by(rules: Rules, asked: Iterable[Relation]) -> set[Relation]:
    """The relations on which some depend, and these themselves."""
    uses: dict[Relation, set[Relation]] = {}
    for rule in all_rules(rules):
        uses.setdefault(relation_of(rule.head), set()).update(relations_in(rule.body))
    needed, todo = set[Relation](), list(asked)
    while todo:
        relation = todo.pop()
        if relation not in needed:
            needed.add(relation)
            todo += uses.get(relation, ())
    return needed


def _inner_atoms(term: Value) -> Iterator[Value]:
    """Atoms of the formulas that stand inside a term; too many do no harm."""
    if isinstance(term, tuple) and term[0] in ("countofall", "setofall", "exists", "evaluate"):
        stack = list(term[1:])
        while stack:
            inner = stack.pop()
            if isinstance(inner, tuple):
                yield inner
                stack.extend(inner[1:])
            elif not isinstance(inner, Variable):
                yield inner
