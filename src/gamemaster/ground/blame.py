"""Rules that are too much for the compiled machine -> which of them it is, and what to change.

Numbers that grow through play are the usual reason; then the advice is a condition in the sheet's own notation, with
its own names. Else it is the rule with the most instances, by estimate.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gamemaster.errors import LimitExceeded, Place
from gamemaster.ground.atoms import atoms_of, flatten
from gamemaster.ground.bounds import Bounds
from gamemaster.ground.sizes import counting_rules, largest_rule
from gamemaster.language.builtins import FUNCTIONS, TESTS, builtin_test, builtins_of, number_of
from gamemaster.language.rules import Atom, Rule, Rules, formula_variables
from gamemaster.language.terms import Compound, Symbol, Term, Variable, variables_of

__all__ = ["Blame", "all_growing", "blame", "bound_to_write"]

USUAL_BOUND = 100
"""What a number is compared with in advice, where the sheet has none that is larger."""

SHRINKING = frozenset({"minus", "quotient"})

TOO_WIDE = (
    "code is made of every fact and move that could ever occur: ask for less in this rule, give its variables fewer "
    "values, or cut it in two with a relation between them"
)


@dataclass(frozen=True, slots=True)
class Blame:
    """The rule that is to blame, as far as that can be told: where it stands, in words, and what to change."""

    words: str = ""
    place: Place | None = None
    hint: str = ""

    def error(self, what: str, allowed: str, *, is_lasting: bool = True) -> LimitExceeded:
        """The error that names the limit, and the rule."""
        doing = "grounding the rules" + (f"; {self.words} at {self.place}" if self.place else "")
        return LimitExceeded(
            what, allowed, doing=doing, is_lasting=is_lasting, place=self.place, hint=self.hint
        )


def blame(rules: Rules) -> Blame:
    """Who is to blame where core rules are too much to ground."""
    if growing := all_growing(rules):
        return growing[0]
    if largest := largest_rule(rules):
        return Blame("the largest one is", rules.place(largest.span), TOO_WIDE)
    return Blame()


def all_growing(rules: Rules) -> list[Blame]:
    """Every rule whose numbers nothing stops; where something stops all of them, the first one."""
    counting = counting_rules(rules)
    bounds = Bounds(rules, builtin_test(rules)) if counting else None
    free = [rule for rule in counting if bounds and not _is_stopped(rule, rules, bounds)]
    return [
        Blame("numbers may grow without end", rules.place(rule.span), bound_to_write(rule, rules))
        for rule in free or counting[:1]
    ]


def _is_stopped(rule: Rule, rules: Rules, bounds: Bounds) -> bool:
    """Whether the end of the game, or what is legal, says something about the number that a rule makes grow."""
    found = _growing(rule, rules)
    ways = [part for guard in bounds.guards(rule) for way in guard.ways for part in way]
    tests = [part for part in ways if not isinstance(part, Atom) or part.term[0] not in ("true", "does")]
    return any(found is None or found[0] in formula_variables(part) for part in tests)


def bound_to_write(rule: Rule, rules: Rules) -> str:
    """The condition that would stop the numbers of a rule, as the sheet would write it."""
    found = _growing(rule, rules)
    if found is None:
        return "let a condition bound what is computed, as less(S,100) bounds S in plus(S,N,T)"
    return _advice(*found, rules)


def _growing(rule: Rule, rules: Rules) -> tuple[Variable, Compound] | None:
    """The number of the state from which a rule computes another one, and the literal that does."""
    builtins = builtins_of(rules)
    atoms = [
        part.term for part in flatten(rule.body) if isinstance(part, Atom) and isinstance(part.term, tuple)
    ]
    held = {v for term in atoms if term[0] == "true" for v in variables_of(term)}
    for term in atoms:
        if term[0] not in builtins or not (term[0] in FUNCTIONS or term[0] == "evaluate"):
            continue
        grown = [v for v in dict.fromkeys(v for part in term[1:-1] for v in variables_of(part)) if v in held]
        if grown and set(variables_of(term[-1])) & set(variables_of(rule.head)):
            return grown[0], term
    return None


def _advice(grown: Variable, term: Compound, rules: Rules) -> str:
    """What to write behind a literal that makes numbers grow."""
    most = Symbol(str(_largest_bound(rules)))
    computes = term[1][0] if term[0] == "evaluate" and isinstance(term[1], tuple) else term[0]
    test = ("less", Symbol("0"), grown) if computes in SHRINKING else ("less", grown, most)
    is_kif = rules.notation == "kif"
    name, shown, behind = (_shown(each, is_kif=is_kif) for each in (grown, Compound(test), term))
    condition = shown if is_kif else f"& {shown}"
    return f"nothing stops {name}: write `{condition}` behind `{behind}`, or let the game end"


def _largest_bound(rules: Rules) -> int:
    """The largest whole number that the sheet compares anything with, and no small one: it must change no game."""
    found = [number for rule in rules.rules for number in _compared(atoms_of(rule.body))]
    return max([USUAL_BOUND, *found])


def _compared(terms: Iterable[object]) -> Iterable[int]:
    for term in terms:
        if isinstance(term, tuple) and term[0] in TESTS:
            numbers = [number_of(part) for part in term[1:] if isinstance(part, str)]
            yield from (int(number) for number in numbers if number is not None and number == int(number) > 0)


def _shown(term: Term, *, is_kif: bool) -> str:
    return term.kif() if is_kif else str(term)
