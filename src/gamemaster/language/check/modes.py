"""Sheet -> Modes: with which arguments known each relation is asked, starting from what play asks.

Play asks role, init, legal, goal and the like with nothing known, and runs handlers with the operation known.
From there a worklist follows the bodies from left to right: a relation that is only ever asked with its
second argument known may leave that argument to its users.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from gamemaster.language.check.binding import Call, Mode, Reading, read_body
from gamemaster.language.check.sheet import Sheet
from gamemaster.language.rules import Handler, Relation, Rule
from gamemaster.language.terms import Variable, variables_of

__all__ = ["Asked", "Modes", "find_modes"]

MOST_MODES = 16
"""Modes kept apart for one relation; beyond that nothing counts as known, so the work stays bounded."""

GDL_ENTRIES = ("role", "init", "base", "input", "legal", "goal", "terminal", "next", "sees")


@dataclass(frozen=True, slots=True)
class Asked:
    """One way in which a rule is asked: the reading of its body, and the call (None: play itself asks)."""

    mode: Mode
    reading: Reading
    call: Call | None


@dataclass
class Modes:
    """How every rule and handler is asked."""

    of_rule: dict[int, list[Asked]] = field(default_factory=lambda: defaultdict(list))
    """By `id` of the rule: rules that compare equal may stand at different places."""
    of_handler: dict[int, Reading] = field(default_factory=dict)
    of_relation: dict[Relation, dict[Mode, Call | None]] = field(default_factory=lambda: defaultdict(dict))

    def always_known(self, relation: Relation) -> set[int]:
        """The arguments of a relation, from 0, that are known whenever it is asked; none if it never is."""
        modes = list(self.of_relation.get(relation, ()))
        return {i for i in range(relation[1]) if modes and all(mode[i] for mode in modes)}


def find_modes(sheet: Sheet) -> Modes:
    """How the rules and handlers of a sheet are asked in play."""
    return _ModeSearch(sheet).run()


def known_variables(rule: Rule, mode: Mode) -> Iterator[Variable]:
    """The head variables of a rule that have a value when it is asked in a mode."""
    if isinstance(rule.head, tuple):
        for arg, is_known in zip(rule.head[1:], mode, strict=True):
            if is_known:
                yield from variables_of(arg)


class _ModeSearch:
    """The worklist: pairs of a relation and a mode whose rules have not been read yet."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.modes = Modes()
        self.todo: list[tuple[Relation, Mode]] = []

    def run(self) -> Modes:
        """Reads everything that play can reach."""
        for name in self.sheet.words if self.sheet.is_epilog else GDL_ENTRIES:
            arity = self.sheet.words[name]
            self.ask((name, arity), (False,) * arity, None)
        for handler in self.sheet.rules.handlers:
            self.read_handler(handler)
        while self.todo:
            relation, mode = self.todo.pop()
            call = self.modes.of_relation[relation][mode]
            for rule in self.sheet.rules_of[relation]:
                self.read_rule(rule, mode, call)
        return self.modes

    def ask(self, relation: Relation, mode: Mode, call: Call | None) -> None:
        """Notes that a relation is asked in a mode; new ways are put on the list."""
        known = self.modes.of_relation[relation]
        if relation not in self.sheet.rules_of or mode in known:
            return
        if len(known) >= MOST_MODES:
            mode = (False,) * relation[1]
        if mode not in known:
            known[mode] = call
            self.todo.append((relation, mode))

    def read_rule(self, rule: Rule, mode: Mode, call: Call | None) -> None:
        """Reads the body of a rule as asked in a mode."""
        if not rule.body and not any(variables_of(rule.head)):
            return
        known = set(known_variables(rule, mode))
        reading = read_body(rule.body, known, self.sheet.builtins, in_order=self.sheet.is_epilog)
        self.modes.of_rule[id(rule)].append(Asked(mode, reading, call))
        self.follow(reading)

    def read_handler(self, handler: Handler) -> None:
        """Reads the condition of a handler: its operation is known."""
        known = set(variables_of(handler.operation))
        reading = read_body(handler.condition, known, self.sheet.builtins, in_order=self.sheet.is_epilog)
        self.modes.of_handler[id(handler)] = reading
        self.follow(reading)

    def follow(self, reading: Reading) -> None:
        """Asks what a body asks."""
        for call in reading.calls:
            self.ask(call.relation, call.mode, call)
