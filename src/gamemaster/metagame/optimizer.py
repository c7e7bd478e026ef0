"""Drops subgoals that say nothing new and rules that another rule covers; puts bound subgoals first.

    legal(mark(M,N)) :- role(R) & cell(J,K,Z) & cell(M,N,b)   becomes   legal(mark(M,N)) :- cell(M,N,b)

A subgoal goes where the body can be embedded in what is left of it and in the static facts (`embedding.py`). Of what
remains, a subgoal whose variables all have values comes before one that has to look for them, and one that shares a
variable with what stands before it comes before one that does not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace

from gamemaster.language.check.binding import inputs_of, outputs_of
from gamemaster.language.lower import name_apart
from gamemaster.language.rules import (
    Atom,
    Formula,
    Handler,
    Not,
    Rule,
    Rules,
    Sentence,
    effect_term,
    formula_variables,
    name_of,
    relation_of,
    substitute,
    substitute_in,
)
from gamemaster.language.terms import Variable, variables_of
from gamemaster.metagame.embedding import (
    embed,
    is_local,
    match,
    with_local_names,
)
from gamemaster.metagame.meaning import Meaning, is_opaque

__all__ = ["optimize"]

MOST_RULES = 400
"""Relations with more rules than this are not searched for rules that cover others: pairs would be too many."""


def optimize(rules: Rules) -> Rules:
    """The same game with fewer subgoals and rules, subgoals in a better order."""
    meaning = Meaning(rules)
    leaner = [_minimized(sentence, meaning) for sentence in rules.sentences]
    kept = _without_covered(leaner, meaning)
    return replace(rules, sentences=tuple(_reordered(sentence, meaning) for sentence in kept))


def _body(sentence: Rule | Handler) -> tuple[Formula, ...]:
    return sentence.body if isinstance(sentence, Rule) else sentence.condition


def _with_body(sentence: Rule | Handler, body: Sequence[Formula]) -> Rule | Handler:
    if isinstance(sentence, Rule):
        return replace(sentence, body=tuple(body))
    return replace(sentence, condition=tuple(body))


def _outer_variables(sentence: Rule | Handler) -> set[Variable]:
    """The variables of a sentence outside its body: what it says depends on them."""
    if isinstance(sentence, Rule):
        return set(variables_of(sentence.head))
    effects = {v for effect in sentence.effects for v in formula_variables(effect)}
    return effects | set(variables_of(sentence.operation))


def _known_first(sentence: Rule | Handler) -> set[Variable]:
    """The variables that have values before the body is read: those of an operation."""
    return set(variables_of(sentence.head if isinstance(sentence, Rule) else sentence.operation))


# Subgoals


def _minimized(sentence: Sentence, meaning: Meaning) -> Sentence:
    """The sentence with no more subgoals than it needs."""
    if not isinstance(sentence, Rule | Handler) or not _body(sentence):
        return sentence
    body = list(_body(sentence))
    if meaning.is_epilog:
        body = name_apart(body, _known_first(sentence))
    outer = _outer_variables(sentence)
    written: dict[Formula, Formula] = {}  # the author's names: only to compare are local variables renamed
    for compared, part in zip(with_local_names(body, outer), body, strict=True):
        written.setdefault(compared, part)
    body = list(written)
    fixed = outer | {v for part in body if is_opaque(part, meaning.builtins) for v in formula_variables(part)}
    free = {v for part in body for v in formula_variables(part) if not is_local(v)} - fixed
    while (smaller := _smaller(body, free, meaning)) is not None:
        body = smaller
    return _with_body(sentence, [written[part] for part in body])


def _smaller(body: list[Formula], free: Collection[Variable], meaning: Meaning) -> list[Formula] | None:
    """Fewer parts that say the same, or None."""
    for part in body:
        if isinstance(part, Atom) and name_of(part.term) not in meaning.builtins:
            rest = [other for other in body if other is not part]
            found = embed(body, rest, meaning.rows, free)
            if found is not None:
                image = {substitute_in(other, found) for other in body}
                return [other for other in rest if other in image]
    return None


# Rules


def _without_covered(sentences: Sequence[Sentence], meaning: Meaning) -> list[Sentence]:
    """The sentences without those that another one covers; of two that cover each other, the first stays."""
    groups: dict[object, list[Sentence]] = defaultdict(list)
    for sentence in dict.fromkeys(sentences):
        groups[_group(sentence)].append(sentence)
    kept = {id(sentence) for group in groups.values() for sentence in _uncovered(group, meaning)}
    return [sentence for sentence in dict.fromkeys(sentences) if id(sentence) in kept]


def _group(sentence: Sentence) -> object:
    """Sentences of different groups never cover each other."""
    match sentence:
        case Rule(head):
            return "rule", relation_of(head)
        case Handler(operation):
            return "handler", relation_of(operation)
    return "definition", sentence


def _uncovered(group: list[Sentence], meaning: Meaning) -> list[Sentence]:
    facts = {s.head for s in group if isinstance(s, Rule) and not s.body}
    open_ones = [s for s in group if isinstance(s, Rule | Handler) and (_body(s) or _outer_variables(s))]
    if len(open_ones) > MOST_RULES:
        return group
    kept: list[Rule | Handler] = []
    for sentence in open_ones:
        is_tautology = isinstance(sentence, Rule) and Atom(sentence.head) in sentence.body
        is_fact = isinstance(sentence, Rule) and sentence.body and sentence.head in facts
        if is_tautology or is_fact or any(_covers(other, sentence, meaning) for other in kept):
            continue
        kept = [other for other in kept if not _covers(sentence, other, meaning)]
        kept.append(sentence)
    staying = set(map(id, kept))
    return [s for s in group if id(s) in staying or not any(s is other for other in open_ones)]


def _covers(general: Rule | Handler, special: Rule | Handler, meaning: Meaning) -> bool:
    """Whether all that the special sentence says, the general one says too."""
    if any(is_opaque(part, meaning.builtins) for part in _body(general)):
        return _covers_literally(general, special)
    names = {v: Variable(f"{str.__str__(v)}_General") for v in _all_variables(general)}
    free = set(names.values())
    if isinstance(general, Rule) and isinstance(special, Rule):
        start = match(substitute(general.head, names), special.head, free, {})
        starts = [] if start is None else [start]
    elif isinstance(general, Handler) and isinstance(special, Handler):
        start = match(substitute(general.operation, names), special.operation, free, {})
        ways = [] if start is None else [start]
        for effect in special.effects:
            ways = [
                found
                for way in ways
                for other in general.effects
                if type(other) is type(effect)
                and (found := match(substitute(effect_term(other), names), effect_term(effect), free, way))
                is not None
            ]
        starts = ways
    else:
        return False
    body = [
        substitute_in(part, names) for part in with_local_names(_body(general), _outer_variables(general))
    ]
    targets = with_local_names(_body(special), _outer_variables(special))
    return any(embed(body, targets, meaning.rows, free, start) is not None for start in starts)


def _covers_literally(general: Rule | Handler, special: Rule | Handler) -> bool:
    return _with_body(general, ()) == _with_body(special, ()) and set(_body(general)) <= set(_body(special))


def _all_variables(sentence: Rule | Handler) -> set[Variable]:
    inner = {v for part in _body(sentence) for v in formula_variables(part)}
    return inner | _outer_variables(sentence)


# Order


def _reordered(sentence: Sentence, meaning: Meaning) -> Sentence:
    """The sentence with its subgoals in a better order; one with disjunctions or aggregates stays as it is."""
    if not isinstance(sentence, Rule | Handler) or not all(
        isinstance(part, Atom | Not) and not is_opaque(part, meaning.builtins) for part in _body(sentence)
    ):
        return sentence
    known = set(variables_of(sentence.operation)) if isinstance(sentence, Handler) else set()
    order = _Order(_body(sentence), known, meaning.builtins)
    return _with_body(sentence, order.parts())


class _Order:
    """Picks subgoals one after the other, the most bound first."""

    def __init__(self, body: Sequence[Formula], known: set[Variable], builtins: frozenset[str]) -> None:
        self.left = list(body)
        self.bound = set(known)
        self.builtins = builtins
        self.givable = known | {v for part in body for v in self.gives(part)}

    def is_builtin(self, part: Formula) -> bool:
        return isinstance(part, Atom) and name_of(part.term) in self.builtins

    def gives(self, part: Formula) -> set[Variable]:
        if isinstance(part, Not):
            return set()
        if isinstance(part, Atom) and self.is_builtin(part):
            return {v for output in outputs_of(part.term) for v in variables_of(output)}
        return set(formula_variables(part))

    def is_ready(self, part: Formula) -> bool:
        """Whether all that a part needs has values by now."""
        if isinstance(part, Atom) and self.is_builtin(part):
            if name_of(part.term) == "same":
                return any(self.bound >= set(variables_of(side)) for side in part.term[1:])
            return self.bound >= {v for needed in inputs_of(part.term) for v in variables_of(needed)}
        if isinstance(part, Not):
            return self.bound >= set(formula_variables(part)) & self.givable
        return True

    def rank(self, part: Formula) -> int:
        variables = set(formula_variables(part))
        if isinstance(part, Not) or variables <= self.bound:
            return 0
        return 1 if variables & self.bound else 2

    def parts(self) -> list[Formula]:
        """All parts in their new order."""
        result: list[Formula] = []
        while self.left:
            ready = [part for part in self.left if self.is_ready(part)]
            chosen = min(ready, key=self.rank) if ready else self.left[0]
            self.left = [part for part in self.left if part is not chosen]
            self.bound |= self.gives(chosen)
            result.append(chosen)
        return result
