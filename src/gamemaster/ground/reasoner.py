"""The reference reasoner: core rules and a state -> answers, straight from the definition.

A question (`goal(x,V)`?) is answered by trying the rules of its relation in the order of the sheet, each from
left to right, and keeping every answer once, in the order found: Prolog's order. What makes it safe and
bearable is tabling: the answers to a question are kept in a table, so nothing is computed twice and recursion
ends. A question that comes up again while it is being answered gets the answers found so far; its component
of questions is then asked again and again until nothing new turns up (the least fixed point). A negation must
have a complete answer: one that meets its own question again has no meaning, and is an error that names the
atoms.

Tables live as long as what they depend on: the rules alone, the state, or the state and the moves made in it.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TypeAlias

from gamemaster.errors import LimitExceeded, NotStratified, Place, RulesError
from gamemaster.ground.atoms import args_of, relations_in, rule_of_definition
from gamemaster.ground.budget import Countdown, Limits
from gamemaster.ground.clauses import Clause, compile_clause
from gamemaster.ground.frames import Mode
from gamemaster.ground.rows import Row, Rows
from gamemaster.language.builtins import builtins_of
from gamemaster.language.rules import Relation, Rule, Rules, relation_of
from gamemaster.language.source import Span
from gamemaster.language.terms import Value, Variable, term_of, variables_of

__all__ = ["Reasoner", "Situation"]

STATIC, STATE, MOVE = 0, 1, 2
"""What a relation depends on: nothing but the rules, the state, or also the moves made in it."""

FRAMES_PER_CALL = 25
ROWS_PER_TABLE = 4  # a table without answers takes about as much memory as this many answers
NO_ROWS = Rows([])
DONE = -1


class PythonStack:
    """How deep Python calls may nest while questions are answered.

    The limit is one for all threads. Left high, code in C that nests would overflow its own stack; lowered while
    a thread is deep, the interpreter would stop. So it is raised only for a deep question, and put back when no
    question is being answered any more.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.questions = 0
        self.before: int | None = None

    def __enter__(self) -> None:
        with self.lock:
            self.questions += 1

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.questions -= 1
            if self.before is not None and not self.questions:
                sys.setrecursionlimit(self.before)
                self.before = None

    def make_room(self, frames: int) -> None:
        """Let calls nest that much deeper than usual until all questions are answered."""
        with self.lock:
            self.before = self.before or sys.getrecursionlimit()
            sys.setrecursionlimit(max(sys.getrecursionlimit(), self.before + frames))


PYTHON_STACK = PythonStack()


Asked: TypeAlias = "tuple[Procedure, Row]"
"""A question: a relation in one mode, and what is known."""


class Table(Rows):
    """The answers to one question. `position` is its place among the questions being answered, or DONE."""

    __slots__ = ("answers", "is_complete", "is_fresh", "low", "position", "question")

    def __init__(self, question: Asked) -> None:
        super().__init__([])
        self.question = question
        self.answers: dict[Row, None] = {}
        self.position = DONE
        self.low = 0  # the lowest position that this table's answers still wait for
        self.is_fresh = False  # answered already in this round of its component
        self.is_complete = False

    def settle(self, *, is_complete: bool) -> Table:
        """This table with its rows up to date, for reading."""
        if len(self.rows) != len(self.answers):
            self.rows = list(self.answers)
            self.indexes = {}
        self.is_complete = is_complete
        return self

    def __str__(self) -> str:
        procedure, inputs = self.question
        values = iter(inputs)
        args = [str(term_of(next(values))) if known else "_" for known in procedure.mode]
        return f"{procedure.relation[0]}({','.join(args)})" if args else procedure.relation[0]


class Procedure:
    """A relation asked in one mode: its rules compiled, in order, once it is first asked."""

    def __init__(self, reasoner: Reasoner, relation: Relation, mode: Mode) -> None:
        self.reasoner = reasoner
        self.relation = relation
        self.mode = mode
        self.phase = reasoner.phase_of(relation)

    @cached_property
    def clauses(self) -> list[Clause]:
        return [
            compile_clause(self.reasoner, rule, self.mode) for rule in self.reasoner.relations[self.relation]
        ]

    @cached_property
    def is_safe(self) -> bool:
        """Whether its rules, and those they ask, can be compiled: no variable lacks a value."""
        seen: set[Procedure] = {self}
        todo = [self]
        try:
            while todo:
                asked = {asked for clause in todo.pop().clauses for asked in clause.procedures} - seen
                seen |= asked
                todo += asked
        except RulesError:
            return False
        return True


class Situation:
    """A state as the reasoner sees it: its facts in order, indexed, with the tables that depend on them."""

    __slots__ = ("all_facts", "by_relation", "tables")

    def __init__(self, facts: Iterable[Value]) -> None:
        grouped: dict[Value, list[Row]] = {}
        everything = list(dict.fromkeys(facts))
        for fact in everything:
            if isinstance(fact, tuple):
                grouped.setdefault((fact[0], len(fact)), []).append(fact[1:])
            else:
                grouped.setdefault(fact, []).append(())
        self.all_facts = Rows([(fact,) for fact in everything])
        self.by_relation = {relation: Rows(rows) for relation, rows in grouped.items()}
        self.tables: dict[Asked, Table] = {}


class Reasoner:
    """Answers questions about states of one game. Safe to use from several threads, one at a time."""

    def __init__(self, rules: Rules, limits: Limits | None = None) -> None:
        self.rules = rules
        self.limits = limits or Limits()
        self.builtins = builtins_of(rules)
        self.relations: dict[Relation, list[Rule]] = {}
        definitions = [rule_of_definition(definition) for definition in rules.definitions]
        self.definitions = frozenset(relation_of(rule.head) for rule in definitions)
        for rule in (*rules.rules, *definitions):
            self.relations.setdefault(relation_of(rule.head), []).append(rule)
        self.facts = {
            r: Rows(_rows(rules)) for r, rules in self.relations.items() if all(map(_is_fact, rules))
        }
        self.tables: dict[Asked, Table] = {}
        self.procedures: dict[tuple[Relation, Mode], Procedure] = {}
        self._asked_whole: dict[Relation, bool] = {}
        self.lock = threading.RLock()

    def answers(
        self,
        name: str,
        args: Sequence[Value | None],
        situation: Situation,
        moves: Iterable[tuple[Value, Value]] = (),
    ) -> list[Row]:
        """The answers to name(args): rows of the values that stand where args has None, in order."""
        relation = (name, len(args))
        if relation not in self.relations:
            return []
        mode = tuple(arg is not None for arg in args)
        inputs = tuple(arg for arg in args if arg is not None)
        made = tuple(moves)
        with self.lock, PYTHON_STACK:
            procedure = self.procedure(relation, mode)
            try:
                return Question(self, situation, made).rows(procedure, inputs)
            except RecursionError:  # few questions are so deep: ask again with room for it
                PYTHON_STACK.make_room(self.limits.depth * FRAMES_PER_CALL)
            question = Question(self, situation, made)
            try:
                return question.rows(procedure, inputs)
            except RecursionError:
                raise question.too_deep() from None

    def procedure(self, relation: Relation, mode: Mode) -> Procedure:
        """The relation asked in that mode."""
        key = (relation, mode)
        if key not in self.procedures:
            self.procedures[key] = Procedure(self, relation, mode)
        return self.procedures[key]

    # What depends on what

    def phase_of(self, relation: Relation) -> int:
        """STATIC, STATE or MOVE."""
        return self._phases.get(relation, STATIC)

    def is_asked_whole(self, relation: Relation) -> bool:
        """Whether to ask for all instances even where some arguments are known.

        What follows from the moves is small and asked about once for every fact, so one table serves all.
        """
        if relation not in self._asked_whole:
            follows_moves = self.phase_of(relation) == MOVE and not self._is_recursive(relation)
            is_whole = follows_moves and self.procedure(relation, (False,) * relation[1]).is_safe
            self._asked_whole[relation] = is_whole
        return self._asked_whole[relation]

    @cached_property
    def _uses(self) -> dict[Relation, set[Relation]]:
        """The relations in the bodies of each relation's rules."""
        return {
            relation: {used for rule in rules for used in relations_in(rule.body)}
            for relation, rules in self.relations.items()
        }

    @cached_property
    def _phases(self) -> dict[Relation, int]:
        phases = {("true", 1): STATE, ("does", 2): MOVE}
        changed = True
        while changed:
            changed = False
            for relation, uses in self._uses.items():
                phase = max((phases.get(used, STATIC) for used in uses), default=STATIC)
                if phase > phases.get(relation, STATIC):
                    phases[relation] = phase
                    changed = True
        return phases

    def _is_recursive(self, relation: Relation) -> bool:
        seen: set[Relation] = set()
        stack = [relation]
        while stack:
            for used in self._uses.get(stack.pop(), ()):
                if used == relation:
                    return True
                if used not in seen:
                    seen.add(used)
                    stack.append(used)
        return False

    # Places

    def find(self, variable: Variable, span: Span) -> Span:
        """Where a variable stands inside a span, for error messages; the span itself if it does not."""
        text = self.rules.source.text[span.start : span.end]
        pattern = rf"(?<![\w?])\??{re.escape(str.__str__(variable))}(?![\w])"
        match = re.search(pattern, text, re.IGNORECASE)
        return Span(span.start + match.start(), span.start + match.end()) if match else span


class Question:
    """One question and all that it makes us ask, about one state and the moves made in it."""

    def __init__(
        self, reasoner: Reasoner, situation: Situation, moves: Iterable[tuple[Value, Value]]
    ) -> None:
        self.reasoner = reasoner
        self.budget = Countdown(reasoner.limits)
        self.facts = situation.all_facts
        self.by_relation = situation.by_relation
        self.moves = Rows(list(moves))
        move_tables: dict[Asked, Table] = {}
        self.stores = (reasoner.tables, situation.tables, move_tables)
        self.stack: list[Table] = []
        self.unfinished: list[Table] = []  # answered, but waiting for a table further down the stack

    def rows(self, procedure: Procedure, inputs: Row) -> list[Row]:
        """The answers to a question; an error leaves nothing half done."""
        try:
            return self.ask(procedure, inputs).rows
        finally:
            for table in (*self.stack, *self.unfinished):
                self.forget(table)

    def check(self) -> None:
        """LimitExceeded where the budget is used up."""
        self.budget.check(sum(len(table.answers) for table in self.stack))

    def facts_of(self, relation: Value) -> Rows:
        """The facts of the state with that functor and size."""
        return self.by_relation.get(relation, NO_ROWS)

    def ask(self, procedure: Procedure, inputs: Row) -> Table:
        """The table of a question; complete, unless it stands on itself."""
        table = self.stores[procedure.phase].get((procedure, inputs))
        if table is not None:
            if table.is_complete:
                return table
            if table.position != DONE or table.is_fresh:  # being answered, or answered as far as can be now
                low = table.low if table.position == DONE else table.position
                self.stack[-1].low = min(self.stack[-1].low, low)
                return table.settle(is_complete=False)
        return self.answer(procedure, inputs, table)

    def ask_completely(self, procedure: Procedure, inputs: Row, place: Place) -> Table:
        """The complete table of a question; NotStratified where it stands on its own negation."""
        table = self.ask(procedure, inputs)
        if not table.is_complete:
            cycle = self.stack[table.low if table.position == DONE else table.position :]
            atoms = " -> ".join(dict.fromkeys(map(str, [*cycle, table])))
            hint = "no atom can hold exactly where it does not hold; break the circle"
            raise NotStratified(f"recursion through negation: {atoms} -> ~{table}", place, hint=hint)
        return table

    def answer(self, procedure: Procedure, inputs: Row, table: Table | None) -> Table:
        """Answer a question by its rules, again and again while its component changes."""
        position, waiting = len(self.stack), len(self.unfinished)
        if position > self.reasoner.limits.depth:
            raise self.too_deep()
        if table is None:
            table = self.stores[procedure.phase][procedure, inputs] = Table((procedure, inputs))
            self.budget.rows += ROWS_PER_TABLE
        self.stack.append(table)
        table.position = position
        while True:
            table.low = position + 1
            rows = self.budget.rows
            is_proved = self.run(procedure, inputs, table)
            if is_proved or table.low != position or rows == self.budget.rows:
                break
            self.reopen(waiting)
        self.stack.pop()
        table.position = DONE
        if table.low < position and not is_proved:
            return self.wait(table, waiting)
        for member in self.unfinished[waiting:]:
            if is_proved:  # they met this question before it had its answer
                self.forget(member)
            else:
                member.settle(is_complete=True)
        del self.unfinished[waiting:]
        return table.settle(is_complete=True)

    def run(self, procedure: Procedure, inputs: Row, table: Table) -> bool:
        """Try the rules once; whether that gave the only answer there can be."""
        before = len(table.answers)
        self.budget.rows -= before  # `check` counts what is on the stack
        is_proved = False
        for clause in procedure.clauses:
            if clause.run(self, inputs, table.answers):
                is_proved = True
                break
        self.budget.left -= 1 + len(table.answers) - before
        if self.budget.left < 0:
            self.check()
        self.budget.rows += len(table.answers)
        return is_proved

    def wait(self, table: Table, waiting: int) -> Table:
        """Let an answered table, and those that waited for it, wait for the one it stands on."""
        for member in self.unfinished[waiting:]:
            member.low = min(member.low, table.low)
        table.is_fresh = True
        self.unfinished.append(table)
        self.stack[-1].low = min(self.stack[-1].low, table.low)
        return table.settle(is_complete=False)

    def reopen(self, waiting: int) -> None:
        """Begin another round of a component: its tables keep their answers and look for more when asked."""
        for member in self.unfinished[waiting:]:
            member.is_fresh = False
        del self.unfinished[waiting:]

    def too_deep(self) -> LimitExceeded:
        chain = " <- ".join(map(str, self.stack[-1:-4:-1]))
        return LimitExceeded(
            "depth", f"{self.reasoner.limits.depth} nested questions", doing=f"answering {chain}"
        )

    def forget(self, table: Table) -> None:
        self.stores[table.question[0].phase].pop(table.question, None)


def _is_fact(rule: Rule) -> bool:
    return not rule.body and not any(True for _ in variables_of(rule.head))


def _rows(rules: Sequence[Rule]) -> list[Row]:
    """The argument rows of facts, each once, in order."""
    return list(dict.fromkeys(args_of(rule.head) for rule in rules))
