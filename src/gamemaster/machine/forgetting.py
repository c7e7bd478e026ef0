"""Steps of GDL play -> facts that end because no rule of next speaks of the move that was made.

A relation whose rules all name a move, and one of which keeps it (`next(on(p)) :- does(robot,a) & true(on(p))`), says
for each move what becomes of it. A move that none of them names ends its facts: a frame rule was forgotten. Not so
where the move itself names the fact (`take(a,b)` ends `on(a,b)`), or where rules ask for moves in other ways. Facts
without arguments count as one relation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gamemaster.language.builtins import builtins_of
from gamemaster.language.dependency import literals_of
from gamemaster.language.rules import Atom, Formula, Relation, Rule, Rules, relation_of
from gamemaster.language.terms import Compound, Term, Variable
from gamemaster.machine.blaming import matched
from gamemaster.machine.game import State
from gamemaster.machine.watching import Step

__all__ = ["Forgetting", "Forgotten"]

DOES: Relation = ("does", 2)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A fact that ended by a step whose moves no rule for it names; and a rule that keeps it otherwise."""

    fact: Term
    path: tuple[Step, ...]
    keeper: Rule

    @property
    def moves(self) -> tuple[Term, ...]:
        """The moves of the step that did it."""
        return tuple(self.path[-1][1].values())


@dataclass
class Forgetting:
    """Looks at one step after the other; `found` has the first fact of each relation that was forgotten."""

    sheet: Rules
    found: dict[Relation, Forgotten] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rules = [rule for rule in self.sheet.rules if relation_of(rule.head) == ("next", 1)]
        self.rules_of: dict[Relation, list[Rule]] = {}
        if any(isinstance(rule.head[1], Variable) for rule in rules):
            return
        for rule in rules:
            self.rules_of.setdefault(relation_of(rule.head[1]), []).append(rule)
        by_moves = _following_moves(self.sheet)
        kept = {relation[1] for relation, makers in self.rules_of.items() if any(map(_keeps, makers))}
        for relation, makers in [*self.rules_of.items()]:
            is_kept = any(map(_keeps, makers)) or (not relation[1] and 0 in kept)
            others = {use for rule in makers for use in _relations_in(self.sheet, rule)} & by_moves
            if not is_kept or others or not all(any(_moves_in(rule)) for rule in makers):
                del self.rules_of[relation]

    def see(self, path: Sequence[Step], after: State) -> None:
        """A step of play: the last one of the path, and the state that it leads to."""
        if not self.rules_of or after.is_terminal:
            return
        before, moves = path[-1]
        for fact in before.ordered_facts:
            relation = relation_of(fact)
            if relation in self.rules_of and relation not in self.found and fact not in after.facts:
                keeper = self._forgets(fact, moves)
                if keeper:
                    self.found[relation] = Forgotten(fact, tuple(path), keeper)

    def _forgets(self, fact: Term, moves: dict[str, Term]) -> Rule | None:
        """The rule to look at, if none for this fact names one of these moves."""
        rules = [rule for rule in self.rules_of[relation_of(fact)] if _is_for(rule, fact)]
        named = {part for move in moves.values() if isinstance(move, tuple) for part in move[1:]}
        if (isinstance(fact, tuple) and named.issuperset(fact[1:])) or not rules:
            return None
        terms = [term[2] for rule in rules for term in _moves_in(rule)]
        is_named = any(matched(term, move, {}) is not None for term in terms for move in moves.values())
        return None if is_named else next(filter(_keeps, rules), rules[0])


def _is_for(rule: Rule, fact: Term) -> bool:
    """Whether a rule can give a fact, or another of its key in its place: `cell(1,1,x)` for `cell(1,1,b)`."""
    head = rule.head[1]
    if isinstance(fact, tuple) and len(fact) > 2 and isinstance(head, tuple) and len(head) == len(fact):
        return matched(Compound(head[:-1]), Compound(fact[:-1]), {}) is not None
    return matched(head, fact, {}) is not None


def _moves_in(rule: Rule) -> Iterator[Compound]:
    """The terms of does that a rule asks for; one that is not to be made stands for all the others."""
    for part in rule.body:
        for use in literals_of(part, frozenset()):
            is_made = relation_of(use.atom.term) == DOES and not use.negative
            if is_made and isinstance(use.atom.term, Compound):
                yield use.atom.term


def _keeps(rule: Rule) -> bool:
    """Whether a rule of next asks for what it gives."""
    return any(
        _is_true(part) and part.term[1] == rule.head[1] for part in rule.body if isinstance(part, Atom)
    )


def _is_true(part: Formula) -> bool:
    return isinstance(part, Atom) and relation_of(part.term) == ("true", 1)


def _relations_in(sheet: Rules, rule: Rule) -> set[Relation]:
    builtins = builtins_of(sheet)
    return {relation_of(use.atom.term) for part in rule.body for use in literals_of(part, builtins)} - {DOES}


def _following_moves(sheet: Rules) -> set[Relation]:
    """The relations that depend on moves."""
    uses: dict[Relation, set[Relation]] = {}
    for rule in sheet.rules:
        found = {
            relation_of(use.atom.term) for part in rule.body for use in literals_of(part, builtins_of(sheet))
        }
        uses.setdefault(relation_of(rule.head), set()).update(found)
    follow, size = {DOES}, 0
    while len(follow) > size:
        size = len(follow)
        follow |= {relation for relation, used in uses.items() if used & follow}
    return follow
