"""Which names can stand where: for each argument of a fact, a move and a view all that any rule could put there.

A fixed point over arguments: init, next, effects and rules put constants where they stand in a head, once all that
their body asks for can stand where it asks for it, and what a variable can be is what can stand everywhere that its
body asks for it. Negations, alternatives and builtins are not looked at: more is found than can be, never less. Where a
variable gets its value from one of these, anything can stand.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from gamemaster.language.check.sheet import Sheet
from gamemaster.language.rules import And, Atom, Formula, Relation, name_of, relation_of
from gamemaster.language.terms import Value, Variable

__all__ = ["Occurring", "Slot", "occurring"]

Slot: TypeAlias = tuple[str, str, int, int]
"""("fact", "move", "view" or "base", a name, how many arguments it has, and which of them)."""

Node: TypeAlias = tuple[str, Value]
"""("fact", "move", "view" or "base", and its term)."""

MAKERS = {"init": "fact", "next": "fact", "legal": "move", "base": "base"}
"""What the last argument of a word of the language becomes; Epilog's `next` is a view like another."""

ANYTHING = None
"""What can stand where nobody knows what."""

COMPOUND = "()"
"""Stands for every compound: no name is one."""

Names: TypeAlias = "AbstractSet[str] | None"


@dataclass
class Occurring:
    """What can stand in each slot; anything where nothing makes what it is an argument of."""

    made: frozenset[tuple[str, Relation]]
    names: dict[Slot, set[str]] = field(default_factory=lambda: defaultdict(set))
    open_slots: set[Slot] = field(default_factory=set)
    """Slots in which anything can stand."""

    open_kinds: set[str] = field(default_factory=set)
    """"fact" or "move", where a variable may be any of them."""

    def at(self, slot: Slot) -> Names:
        """The names that can stand in a slot; None for anything."""
        if slot in self.open_slots or slot[0] in self.open_kinds or (slot[0], slot[1:3]) not in self.made:
            return ANYTHING
        return self.names.get(slot, set())

    def add(self, slot: Slot, names: Names) -> bool:
        """Let more stand in a slot; whether it is more."""
        if slot in self.open_slots:
            return False
        if names is None:
            self.open_slots.add(slot)
            return True
        known = self.names[slot]
        before = len(known)
        known |= names
        return len(known) > before


@dataclass(frozen=True)
class _Clause:
    """What a rule, a fact or a handler makes, and what it asks for to do so."""

    made: Node
    asked: tuple[Node, ...]


@lru_cache(maxsize=1)
def occurring(sheet: Sheet) -> Occurring:
    """What can stand where; several checks of one sheet ask for it, one after the other."""
    clauses = [*_clauses(sheet)]
    closed = [clause for clause in clauses if not isinstance(clause.made[1], Variable)]
    found = Occurring(frozenset((clause.made[0], relation_of(clause.made[1])) for clause in closed))
    for clause in clauses:
        if (
            isinstance(clause.made[1], Variable) and clause.made not in clause.asked
        ):  # it does not only keep facts
            found.open_kinds.add(clause.made[0])
    _close(found, closed)
    return found


def _close(found: Occurring, clauses: list[_Clause]) -> None:
    """Apply the clauses until nothing new can stand anywhere."""
    users: dict[Slot, list[int]] = defaultdict(list)
    for number, clause in enumerate(clauses):
        for slot, _ in _slots(clause.asked):
            users[slot].append(number)
    waiting, is_waiting = deque(range(len(clauses))), [True] * len(clauses)
    while waiting:
        number = waiting.popleft()
        is_waiting[number] = False
        for slot in _apply(found, clauses[number]):
            for user in users[slot]:
                if not is_waiting[user]:
                    is_waiting[user] = True
                    waiting.append(user)


def _apply(found: Occurring, clause: _Clause) -> list[Slot]:
    """The slots in which more can stand for this clause."""
    known = _values(found, clause.asked)
    if known is None:
        return []
    grown = []
    for slot, arg in _slots([clause.made]):
        names: Names
        if isinstance(arg, Variable):
            names = known.get(arg, ANYTHING)
        else:
            names = frozenset({_name(arg)})
        if found.add(slot, names):
            grown.append(slot)
    return grown


def _values(found: Occurring, asked: Iterable[Node]) -> dict[Variable, Names] | None:
    """What each variable can be, that a body asks for where something is known; None where it cannot hold yet."""
    known: dict[Variable, Names] = {}
    for slot, arg in _slots(asked):
        names = found.at(slot)
        if names is None:
            continue
        if isinstance(arg, Variable):
            before = known.get(arg, ANYTHING)
            known[arg] = both = names if before is None else before & names
            if not both:
                return None
        elif _name(arg) not in names:
            return None
    return known


def _name(arg: Value) -> str:
    return COMPOUND if isinstance(arg, tuple) else str.__str__(arg)


def _slots(nodes: Iterable[Node]) -> Iterator[tuple[Slot, Value]]:
    """The arguments of atoms, each with its slot."""
    for kind, term in nodes:
        if isinstance(term, tuple):
            for number, arg in enumerate(term[1:]):
                yield (kind, term[0], len(term) - 1, number), arg


# What a sheet makes and asks for


def _clauses(sheet: Sheet) -> Iterator[_Clause]:
    """Everything that makes a fact, a move or a view, or declares a fact, in every notation."""
    for rule in sheet.rules.rules:
        asked = tuple(_asked(sheet, rule.body))
        yield _Clause(("view", rule.head), asked)
        kind = MAKERS.get(name_of(rule.head)) if relation_of(rule.head)[1] else None
        if kind and not (sheet.is_epilog and name_of(rule.head) == "next"):
            yield _Clause((kind, rule.head[-1]), asked)
            if kind == "move" and sheet.is_epilog:
                yield _Clause(("fact", rule.head[-1]), asked)  # a move without a handler adds itself
    for handler in sheet.rules.handlers:
        asked = (("move", handler.operation), *_asked(sheet, handler.condition))
        for effect in handler.effects:
            if isinstance(effect, Atom):
                is_operation = relation_of(effect.term) in sheet.operations
                yield _Clause(("move" if is_operation else "fact", effect.term), asked)


def _asked(sheet: Sheet, body: Iterable[Formula]) -> Iterator[Node]:
    """What must hold for a body to hold, as far as it is known of what kind that is."""
    for part in body:
        if isinstance(part, And):
            yield from _asked(sheet, part.parts)
        elif isinstance(part, Atom) and name_of(part.term) not in sheet.builtins:
            yield from _node(sheet, part.term)


def _node(sheet: Sheet, term: Value) -> Iterator[Node]:
    relation = relation_of(term)
    if sheet.is_epilog:
        yield ("view" if relation[0] in sheet.views else "fact"), term
    elif relation == ("true", 1):
        yield "fact", term[1]
    elif relation == ("does", 2):
        yield "move", term[2]
    else:
        yield "view", term
