"""Core rules -> the same rules without what nobody asks: relations that nothing needs, values that no use can have.

    different(X,Y,U,V) :- coordinate(X) & coordinate(Y) & ...          coordinates are 1 to 8 and a to h
    legal(R,move(A,B)) :- true(cell(A,B,R)) & different(A,B,C,D) ...   but A is never 1, and B never a

Where less is asked for in a place (known.py) than a rule would give, the rule gets a literal that says so. This looks
at every place by itself, so it costs next to nothing; demand.py looks at several at once, where that is worth it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod

from gamemaster.ground.atoms import args_of, needed_by
from gamemaster.ground.known import ANYTHING, OUTSIDE, KnownValues
from gamemaster.ground.sizes import is_too_long
from gamemaster.language.rules import Atom, Formula, Relation, Rule, Rules, Sentence, relation_of
from gamemaster.language.terms import Compound, Variable

__all__ = ["narrowed", "without_unneeded"]

ASKED = "asked "
"""What the names of relations begin with that say what can be asked: no name in a sheet has a blank."""

WORTHWHILE = 30
"""Rules with fewer instances than this, by the values of their heads, are left alone."""


def without_unneeded(rules: Rules) -> Rules:
    """The rules without those of relations on which nothing depends that a game is made of."""
    needed = needed_by(rules, OUTSIDE)
    kept = tuple(s for s in rules.sentences if not isinstance(s, Rule) or relation_of(s.head) in needed)
    return rules if len(kept) == len(rules.sentences) else replace(rules, sentences=kept)


def narrowed(rules: Rules) -> Rules:
    """The rules that are needed, where no relation has values that no use of it can ask for."""
    rules = without_unneeded(rules)
    if is_too_long(rules):
        return rules
    known = KnownValues(rules)
    return _Narrowing(rules, known).rules_after() if known.is_complete else rules


class _Narrowing:
    """Adds to rules what is asked of them."""

    def __init__(self, rules: Rules, known: KnownValues) -> None:
        self.rules = rules
        self.known = known
        self.guards: dict[int, str] = {}  # set of values -> relation that says so
        self.facts: list[Sentence] = []

    def rules_after(self) -> Rules:
        """The rules with what guards them; the same where nothing does."""
        narrow = {
            relation: found
            for relation in sorted(self.known.inner & self.known.called)
            if (found := self.narrow_places(relation))
        }
        if not narrow:
            return self.rules
        sentences: list[Sentence] = []
        for sentence in self.rules.sentences:
            if isinstance(sentence, Rule) and sentence.body and relation_of(sentence.head) in narrow:
                sentences += self.guarded(sentence, narrow[relation_of(sentence.head)])
            else:
                sentences.append(sentence)
        return replace(self.rules, sentences=(*sentences, *self.facts))

    def narrow_places(self, relation: Relation) -> dict[int, int]:
        """The arguments of a relation of which it is known what is asked, and what that is."""
        known = self.known
        places = known.arguments(relation, relation[1], 0)
        found = {number: known.asked.get(place, 0) for number, place in enumerate(places)}
        return {
            number: asked
            for number, asked in found.items()
            if asked != ANYTHING and not asked & known.any_functor
        }

    def guarded(self, rule: Rule, narrow: dict[int, int]) -> Iterator[Rule]:
        """The rule with what is asked of its head; nothing where it gives only what nobody asks."""
        given = self.known.given(rule.body)
        heads = {str.__str__(leaf) for leaf in args_of(rule.head) if isinstance(leaf, Variable)}
        if (
            prod(given[name].bit_count() for name in heads if given.get(name, ANYTHING) != ANYTHING)
            < WORTHWHILE
        ):
            yield rule
            return
        guards: list[Formula] = []
        for number, asked in narrow.items():
            leaf = args_of(rule.head)[number]
            if isinstance(leaf, Variable):
                own = given.get(str.__str__(leaf), ANYTHING)
                if own == ANYTHING:
                    continue  # computed, or asked for: demand.py sees to that
                if own & ~asked:
                    guards.append(Atom(Compound((self.guard(asked & own), leaf)), rule.span))
            elif not isinstance(leaf, tuple) and not self.known.bit(leaf) & asked:
                return
        yield replace(rule, body=(*rule.body, *dict.fromkeys(guards))) if guards else rule

    def guard(self, asked: int) -> str:
        """The relation of the values in a set."""
        if asked not in self.guards:
            name = f"{ASKED}{len(self.guards) + 1}"
            self.guards[asked] = name
            held = [value for value, bit in self.known.bits.items() if bit & asked]
            self.facts += [Rule(Compound((name, value))) for value in held]
        return self.guards[asked]
