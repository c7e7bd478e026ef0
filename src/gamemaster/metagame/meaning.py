"""Rules -> Meaning: what each relation of a sheet is, in any notation, and the rows of those that never change.

In Epilog a relation that the sheet does not define is state; in GDL state is what stands in `true`. A *static*
relation depends on neither state nor moves, so its rows can be computed once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from gamemaster.errors import GamemasterError
from gamemaster.ground.atoms import atoms_of
from gamemaster.ground.budget import Limits
from gamemaster.ground.reasoner import Reasoner, Situation
from gamemaster.language.builtins import AGGREGATES, IMPURE, builtins_of
from gamemaster.language.lower import CORE_WORDS, lower
from gamemaster.language.rules import Atom, Formula, Relation, Rules, name_of, relation_of
from gamemaster.language.terms import Term, Value, Variable, term_of

__all__ = ["Form", "Meaning", "Row", "form_of", "is_opaque"]

Row: TypeAlias = tuple[Term, ...]
Form: TypeAlias = Value
"""Functor and size of a compound, or a symbol: what tells facts and operations apart without their arguments."""

TABLE_LIMITS = Limits(seconds=5.0, rows=200_000)
OPAQUE = AGGREGATES | {"evaluate"}
"""Builtins with formulas inside, which transformers leave alone."""


@dataclass(frozen=True)
class Meaning:
    """What the names in a sheet mean."""

    rules: Rules

    @property
    def is_epilog(self) -> bool:
        """Whether the sheet has moves with effects rather than rules for the next state."""
        return self.rules.notation == "epilog"

    @cached_property
    def builtins(self) -> frozenset[str]:
        """The names that are builtins here."""
        return builtins_of(self.rules)

    @cached_property
    def defined(self) -> frozenset[Relation]:
        """The relations that rules define."""
        return frozenset(relation_of(rule.head) for rule in self.rules.rules)

    @cached_property
    def views(self) -> frozenset[str]:
        """The names that mean a view or an operation; in Epilog, any other is state."""
        operations = (name_of(handler.operation) for handler in self.rules.handlers)
        return frozenset({name for name, _ in self.defined} | set(operations))

    def is_state(self, term: Value) -> bool:
        """Whether an atom of a body speaks of the state."""
        name = name_of(term)
        if not self.is_epilog:
            return relation_of(term) == ("true", 1)
        return name not in self.views | self.builtins | IMPURE and term not in ("true", "false")

    def fact_of(self, term: Value) -> Value:
        """The fact that an atom for which `is_state` holds speaks of."""
        return term if self.is_epilog else term[1]

    @cached_property
    def static(self) -> frozenset[Relation]:
        """The defined relations that depend on neither state nor moves."""
        uses: dict[Relation, set[Relation]] = {}
        moving: set[Relation] = set()
        for rule in self.rules.rules:
            head = relation_of(rule.head)
            for term in atoms_of(rule.body):
                uses.setdefault(head, set()).add(relation_of(term))
                if self._is_moving(term):
                    moving.add(head)
        while True:
            more = {head for head, used in uses.items() if head not in moving and used & moving}
            if not more:
                return frozenset(self.defined - moving - {r for r in self.defined if self._is_special(r)})
            moving |= more

    def _is_moving(self, term: Value) -> bool:
        if isinstance(term, Variable) or self.is_state(term) or relation_of(term) == ("does", 2):
            return True
        return any(name_of(handler.operation) == name_of(term) for handler in self.rules.handlers)

    def _is_special(self, relation: Relation) -> bool:
        """Whether lowering gives the relation another name, so that the reasoner cannot be asked about it."""
        return self.is_epilog and (relation[0] in CORE_WORDS or relation == ("legal", 1))

    @cached_property
    def _reasoner(self) -> Reasoner:
        return Reasoner(lower(self.rules), TABLE_LIMITS)

    @cached_property
    def _tables(self) -> dict[Relation, tuple[Row, ...] | None]:
        return {}

    def rows(self, relation: Relation) -> tuple[Row, ...] | None:
        """The rows of a static relation in order; None where it is not static or cannot be tabulated."""
        if relation not in self.static:
            return None
        if relation not in self._tables:
            self._tables[relation] = self._ask(relation)
        return self._tables[relation]

    def _ask(self, relation: Relation) -> tuple[Row, ...] | None:
        name, arity = relation
        try:
            found = self._reasoner.answers(name, (None,) * arity, Situation(()))
        except GamemasterError:  # too large, or it needs arguments that are known
            return None
        return tuple(tuple(map(term_of, row)) for row in found)

    # State

    @cached_property
    def made_forms(self) -> frozenset[Form] | None:
        """The forms of the facts that some state may have; None where the sheet does not say."""
        made: list[Value] = [
            rule.head[1] for rule in self.rules.rules if relation_of(rule.head) == ("init", 1)
        ]
        if self.is_epilog:
            moves = [rule.head[1] for rule in self.rules.rules if relation_of(rule.head) == ("legal", 1)]
            effects = [effect for handler in self.rules.handlers for effect in handler.effects]
            made += [effect.term for effect in effects if isinstance(effect, Atom)]
            made += moves  # one without a handler that matches adds itself
        else:
            made += [rule.head[1] for rule in self.rules.rules if relation_of(rule.head) == ("next", 1)]
        return None if any(isinstance(fact, Variable) for fact in made) else frozenset(map(form_of, made))


def form_of(term: Value) -> Form:
    """Functor and size: `f` and `f()` are different."""
    return (term[0], len(term)) if isinstance(term, tuple) else str.__str__(term)


def is_opaque(part: Formula, builtins: frozenset[str]) -> bool:
    """Whether a formula has an aggregate in it, whose variables are its own."""
    return any(name_of(term) in OPAQUE & builtins for term in atoms_of([part]))
