"""Epilog rules -> core rules (GDL): after this, nothing knows that Epilog exists.

- A relation that the sheet defines is a view; any other is state: `p(X)` in a body becomes `true(p(X))`.
- `legal(A)` becomes `allowed(A)`, and `legal(R,A) :- true(control(R)) & allowed(A)`.
- A handler `a :: c ==> p & ~q & b` says what `a` adds and deletes, and that the operation `b` happens too:

      adds(a,F) :- happens(a) & c & (same(F,p) | adds(b,F))
      deletes(a,F) :- happens(a) & c & (same(F,q) | deletes(b,F))
      happens(b) :- happens(a) & c

- What is neither added nor deleted stays, then come the additions; an operation without a handler adds
  itself.

The order of rules and of the parts of a disjunction is the order in which the original system finds answers,
so the facts of a state, and therefore its legal moves, come in the same order too. Where order does not matter
(`in_order=False`), `added(p) :- happens(a) & c` says the same with far fewer instances.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from gamemaster.language.builtins import AGGREGATES, IMPURE, builtins_of, own_names
from gamemaster.language.rules import (
    And,
    Atom,
    AtomTerm,
    Formula,
    Handler,
    Not,
    Or,
    Rule,
    Rules,
    Sentence,
    effect_term,
    formula_variables,
    map_atoms,
    name_of,
    relation_of,
    substitute_in,
)
from gamemaster.language.source import Span
from gamemaster.language.terms import Compound, Symbol, Term, Variable, variables_of

__all__ = ["EFFECT_WORDS", "lower", "name_apart"]

CORE_WORDS = frozenset({"true", "does", "next", "input", "sees", "distinct", "same"})
"""Words with a meaning in lowered rules that a sheet may use for relations of its own."""

EFFECT_WORDS = ("happens", "handled", "adds", "deletes", "added", "deleted", "allowed")
"""Relations that lowering introduces."""

Form: TypeAlias = "Symbol | tuple[str, int]"
"""A symbol, or functor and size."""

ROLE, ACTION, FACT, EFFECT = Variable("Role"), Variable("Action"), Variable("Fact"), Variable("Effect")


def lower(rules: Rules, *, in_order: bool = True) -> Rules:
    """The same game in the core language; KIF and HRF rules come back unchanged."""
    if rules.notation != "epilog":
        return rules
    return Rules(tuple(_Lowering.of(rules, in_order).sentences()), "hrf", rules.source)


@dataclass(frozen=True)
class _Lowering:
    """What must be known of the whole sheet to lower one sentence."""

    rules: Rules
    views: frozenset[str]
    builtins: frozenset[str]
    own: frozenset[str]
    renamed: dict[str, str]
    words: dict[str, str]
    handled: frozenset[Form]
    in_order: bool

    @classmethod
    def of(cls, rules: Rules, in_order: bool) -> _Lowering:
        views = {name_of(rule.head) for rule in rules.rules} | {name_of(h.operation) for h in rules.handlers}
        renamed = {name: _fresh(name, views) for name in views & CORE_WORDS}
        words = {word: _fresh(word, views) for word in EFFECT_WORDS}
        handled = frozenset(_form(h.operation) for h in rules.handlers)
        own = own_names(rules)
        return cls(rules, frozenset(views), builtins_of(rules), own, renamed, words, handled, in_order)

    def sentences(self) -> Iterator[Sentence]:
        """Every sentence of the sheet lowered, in order, then the rules that drive the game."""
        for sentence in self.rules.sentences:
            if isinstance(sentence, Rule):
                yield self.rule(sentence)
            elif isinstance(sentence, Handler):
                yield from self.handler(sentence)
            else:
                yield replace(sentence, expression=self.expression(sentence.expression))
        yield from self.driving_rules()

    # Bodies

    def rule(self, rule: Rule) -> Rule:
        """A view rule with its body in core terms."""
        body = name_apart(rule.body, set(variables_of(rule.head)))
        return replace(rule, head=self.view(rule.head), body=tuple(self.formula(part) for part in body))

    def formula(self, formula: Formula) -> Formula:
        """A formula with state relations wrapped in true(...) and views renamed where needed."""
        return map_atoms(formula, self.literal)

    def literal(self, term: AtomTerm) -> AtomTerm:
        """The core literal for an atom of a body."""
        name = name_of(term)
        if name in self.builtins:
            return self.builtin(term)
        if name in self.views:
            return self.view(term)
        if term in ("true", "false") or name in IMPURE - self.own:
            return term
        return Compound(("true", term))

    def builtin(self, term: AtomTerm) -> AtomTerm:
        """A builtin literal; the formula inside an aggregate is lowered too."""
        if not isinstance(term, tuple):
            return term
        if name_of(term) in AGGREGATES and len(term) > 2:
            return Compound((*term[:2], self.inner(term[2]), *term[3:]))
        if name_of(term) == "evaluate" and len(term) == 3:
            return Compound((term[0], self.expression(term[1]), term[2]))
        return term

    def inner(self, term: AtomTerm) -> AtomTerm:
        """The term form of a formula, lowered."""
        if isinstance(term, tuple) and term[0] in ("and", "or", "not"):
            return Compound((term[0], *map(self.inner, term[1:])))
        return self.literal(term)

    def expression(self, term: Term) -> Term:
        """An expression of evaluate, with the formulas of its aggregates and conditions lowered."""
        if not isinstance(term, tuple):
            return term
        if term[0] in AGGREGATES and len(term) > 2:
            return Compound((*term[:2], self.inner(term[2]), *term[3:]))
        parts = [self.expression(part) for part in term[1:]]
        if term[0] == "if":
            parts[:-1:2] = map(self.inner, term[1:-1:2])
        return Compound((term[0], *parts))

    def view(self, term: AtomTerm) -> AtomTerm:
        """A view's atom under the name it has in the core."""
        if isinstance(term, tuple) and relation_of(term) == ("legal", 1):
            return self.word("allowed", term[1])
        return _renamed(term, self.renamed.get(name_of(term), name_of(term)))

    # Operations

    def word(self, word: str, *args: Term) -> Compound:
        """An atom of one of the relations that lowering introduces."""
        return Compound((self.words[word], *args))

    def handler(self, handler: Handler) -> Iterator[Rule]:
        """What a handler adds, deletes and makes happen."""
        operation, span = handler.operation, handler.span
        bound = set(variables_of(operation))
        condition = tuple(self.formula(part) for part in name_apart(handler.condition, bound))
        when = (Atom(self.word("happens", operation), span), *condition)
        if self.in_order:
            yield from self.effects("adds", handler, when)
            yield from self.effects("deletes", handler, when)
        else:
            yield from self.flat_effects(handler, when)
        for effect in handler.effects:
            if isinstance(effect, Atom) and self.is_operation(effect.term):
                yield Rule(self.word("happens", effect.term), when, span, effect.span)

    def is_operation(self, term: AtomTerm) -> bool:
        return _form(term) in self.handled

    def flat_effects(self, handler: Handler, when: tuple[Formula, ...]) -> Iterator[Rule]:
        """`added(p) :- ...` or `deleted(p) :- ...` for each effect that is no operation."""
        for effect in handler.effects:
            if isinstance(effect, Not):
                yield Rule(self.word("deleted", effect_term(effect)), when, handler.span, effect.span)
            elif not self.is_operation(effect.term):
                yield Rule(self.word("added", effect.term), when, handler.span, effect.span)

    def effects(self, word: str, handler: Handler, when: tuple[Formula, ...]) -> Iterator[Rule]:
        """The rule `adds(a,F) :- ...` or `deletes(a,F) :- ...` of a handler, if it has such effects."""
        used = {v for part in (*handler.condition, *handler.effects) for v in formula_variables(part)}
        fact = _unused_variable(FACT, used | set(variables_of(handler.operation)))
        parts: list[Atom] = []
        for effect in handler.effects:
            term = effect_term(effect)
            if isinstance(effect, Atom) and self.is_operation(term):
                parts.append(Atom(self.word(word, term, fact), effect.span))
            elif isinstance(effect, Atom) == (word == "adds"):
                parts.append(Atom(Compound(("same", fact, term)), effect.span))
        only = parts[0].term if len(parts) == 1 else None
        if isinstance(only, tuple) and only[0] == "same":
            head = self.word(word, handler.operation, only[2])
            yield Rule(head, when, handler.span, parts[0].span)
        elif parts:
            choice = parts[0] if len(parts) == 1 else Or(tuple(parts), handler.span)
            yield Rule(self.word(word, handler.operation, fact), (*when, choice), handler.span, handler.span)

    # The game

    def driving_rules(self) -> Iterator[Rule]:
        """The rules that make the sheet a game: legal, input, happens, next."""
        span = self._last_span()
        control = self.literal(Compound(("control", ROLE)))
        if "legal" in self.views:
            yield _rule(("legal", ROLE, ACTION), [control, self.word("allowed", ACTION)], span)
        if "action" in self.views:
            yield _rule(
                ("input", ROLE, ACTION), [Compound(("role", ROLE)), Compound(("action", ACTION))], span
            )
        yield _rule(self.word("happens", ACTION), [Compound(("does", ROLE, ACTION))], span)
        yield from self.unhandled(span)
        deletes = any(isinstance(effect, Not) for h in self.rules.handlers for effect in h.effects)
        stays: list[Formula] = [Atom(Compound(("true", FACT)))]
        if self.in_order:
            yield from self.all_effects(deletes, span)
            stays.append(Not(Atom(self.word("added", FACT))))  # what is added comes last
        if deletes:
            stays.append(Not(Atom(self.word("deleted", FACT))))
        yield Rule(Compound(("next", FACT)), tuple(stays), span, span)
        yield _rule(("next", FACT), [self.word("added", FACT)], span)

    def all_effects(self, deletes: bool, span: Span) -> Iterator[Rule]:
        """What is added and deleted by the moves that are made."""
        for word, source in (("added", "adds"), ("deleted", "deletes")):
            if word == "added" or deletes:
                moved = Compound(("does", ROLE, ACTION))
                effect = self.word(source, ACTION, EFFECT)  # found first, so that each must have a value
                yield _rule(self.word(word, FACT), [moved, effect, Compound(("same", FACT, EFFECT))], span)

    def unhandled(self, span: Span) -> Iterator[Rule]:
        """`adds(A,A)` for what no handler matches, unless handlers surely match every operation."""
        general = {_form(h.operation) for h in self.rules.handlers if _is_general(h.operation)}
        heads = [rule.head for rule in self.rules.rules if relation_of(rule.head) == ("legal", 1)]
        moves = [head[1] for head in heads if isinstance(head, tuple)]
        is_general = all(not isinstance(move, Variable) and _form(move) in general for move in moves)
        if is_general and self.handled <= general:
            return
        for handler in self.rules.handlers:
            yield _rule(
                self.word("handled", handler.operation), [self.word("happens", handler.operation)], span
            )
        body: list[Formula] = [Atom(self.word("happens", ACTION))]
        if self.rules.handlers:
            body.append(Not(Atom(self.word("handled", ACTION))))
        head = self.word("adds", ACTION, ACTION) if self.in_order else self.word("added", ACTION)
        yield Rule(head, tuple(body), span, span)

    def _last_span(self) -> Span:
        return self.rules.sentences[-1].span if self.rules.sentences else Span(0, 0)


def _rule(head: tuple[str | Term, ...], body: Iterable[AtomTerm], span: Span) -> Rule:
    return Rule(Compound(head), tuple(Atom(term, span) for term in body), span, span)


def _form(operation: AtomTerm) -> Form:
    """Functor and size of an operation: `f` and `f()` are different ones."""
    return (operation[0], len(operation)) if isinstance(operation, tuple) else operation


def _is_general(operation: Term) -> bool:
    """Whether a handler's head matches every operation of its relation."""
    args = operation[1:] if isinstance(operation, tuple) else ()
    return all(isinstance(arg, Variable) for arg in args) and len(set(args)) == len(args)


def _unused_variable(variable: Variable, used: set[Variable]) -> Variable:
    """The variable, or one with a longer name where that one is used."""
    while variable in used:
        variable = Variable(f"{variable}_")
    return variable


def _fresh(name: str, taken: Iterable[str]) -> str:
    """This name, made longer until no relation of the sheet or of the core has it."""
    while name in taken or name in CORE_WORDS:
        name += "_"
    return name


def _renamed(term: AtomTerm, name: str) -> AtomTerm:
    if isinstance(term, tuple):
        return Compound((name, *term[1:]))
    return Symbol(name)


def name_apart(body: Sequence[Formula], bound: set[Variable]) -> list[Formula]:
    """The body with variables of a negation that are only bound to its right given names of their own.

    Epilog reads a body from left to right, so at `~q(X) & p(X)` X has no value yet and the negation says that
    there is no q at all; in the core, where order means nothing, that is `~q(X_) & p(X)`.
    """
    return _Apart(Counter(), set(bound)).conjunction(body)


@dataclass
class _Apart:
    """Where a body is being read: how often each variable occurs to the right, and those bound to the left.

    Both are kept up to date and never copied, so that a long body costs no more than its length.
    """

    after: Counter[Variable]
    bound: set[Variable]

    def conjunction(self, parts: Sequence[Formula]) -> list[Formula]:
        for part in parts:
            self.after.update(formula_variables(part))
        return [self.part(part) for part in parts]

    def part(self, part: Formula) -> Formula:
        """The next part; what it has is no longer to the right, and bound unless it is a negation."""
        self.after.subtract(formula_variables(part))
        match part:
            case Not():
                return substitute_in(part, self.names(part))
            case And(parts):
                part = replace(part, parts=tuple(self.conjunction(parts)))
            case Or(parts):
                part = replace(part, parts=tuple(self.branch(branch) for branch in parts))
        self.bound.update(formula_variables(part))
        return part

    def branch(self, formula: Formula) -> Formula:
        """A part of a disjunction: what it binds is not bound in the others."""
        new = {*formula_variables(formula)} - self.bound
        changed = _conjunction(self.conjunction(_parts_of(formula)))
        self.bound -= new
        return changed

    def names(self, negation: Not) -> dict[Variable, Variable]:
        """New names for the variables of a negation that get their values to the right."""
        clash = {v for v in formula_variables(negation) if self.after[v] > 0 and v not in self.bound}
        return {v: self.unused(Variable(f"{v}_")) for v in clash}

    def unused(self, variable: Variable) -> Variable:
        while self.after[variable] > 0 or variable in self.bound:
            variable = Variable(f"{variable}_")
        return variable


def _parts_of(formula: Formula) -> Sequence[Formula]:
    return formula.parts if isinstance(formula, And) else [formula]


def _conjunction(parts: Sequence[Formula]) -> Formula:
    return parts[0] if len(parts) == 1 else And(tuple(parts), parts[0].span)
