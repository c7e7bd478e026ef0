"""Drops subgoals that always hold and rules that never fire.

    goal(R,100) :- role(R) & distinct(1,2) & line(R)   becomes   goal(R,100) :- role(R) & line(R)

What a subgoal without variables says of a static relation or a builtin is known now. A rule with a subgoal that nothing
can make true never fires, and once it is gone others may lose their last support: so again until nothing changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gamemaster.errors import GamemasterError
from gamemaster.language.builtins import FUNCTIONS, TESTS, builtin_arity_fits, builtins_of
from gamemaster.language.rules import (
    Atom,
    Formula,
    Handler,
    Not,
    Or,
    Rule,
    Rules,
    Sentence,
    formula_variables,
    name_of,
    relation_of,
)
from gamemaster.language.terms import Value, Variable, variables_of
from gamemaster.metagame.embedding import match, row_of
from gamemaster.metagame.meaning import Meaning, form_of

__all__ = ["simplify"]


def simplify(rules: Rules) -> Rules:
    """The same game without constant subgoals and without rules that never fire."""
    while True:
        simpler = _once(rules)
        if simpler == rules or builtins_of(simpler) != builtins_of(
            rules
        ):  # a name must not change its meaning
            return rules
        rules = simpler


def _once(rules: Rules) -> Rules:
    meaning = Meaning(rules)
    found = (_simplified(sentence, meaning) for sentence in rules.sentences)
    kept = [sentence for sentence in found if sentence is not None]
    lost = {_operation(s) for s in rules.sentences} - {_operation(s) for s in kept}
    if lost:  # an operation that has lost its last handler would add itself
        kept = [s for s in rules.sentences if _operation(s) in lost] + kept
    return replace(rules, sentences=tuple(kept))


def _operation(sentence: Sentence) -> Any:
    return form_of(sentence.operation) if isinstance(sentence, Handler) else None


def _simplified(sentence: Sentence, meaning: Meaning) -> Sentence | None:
    """The sentence with fewer subgoals; None where it never does anything."""
    match sentence:
        case Rule(body=body):
            parts = _conjunction(body, meaning)
            return None if parts is None else replace(sentence, body=tuple(parts))
        case Handler(condition=condition):
            parts = _conjunction(condition, meaning)
            return None if parts is None else replace(sentence, condition=tuple(parts))
    return sentence


def _conjunction(parts: Sequence[Formula], meaning: Meaning) -> list[Formula] | None:
    """What is left of the parts; None where they never hold together."""
    result: list[Formula] = []
    for part in parts:
        truth = _truth(part, meaning)
        if truth is False:
            return None
        if truth is None:
            result.append(part)
    return result


def _truth(part: Formula, meaning: Meaning) -> bool | None:
    """Whether a part holds always or never; None where that depends."""
    match part:
        case Atom(term):
            return _atom_truth(term, meaning)
        case Not(Atom(term)):
            inner = _atom_truth(term, meaning)
            return None if inner is None else not inner
        case Or(parts) if not list(formula_variables(part)):
            truths = [_truth(inner, meaning) for inner in parts]
            if True in truths:
                return True
            return False if all(truth is False for truth in truths) else None
    return None


def _atom_truth(term: Value, meaning: Meaning) -> bool | None:
    relation = relation_of(term)
    if relation[0] in meaning.builtins:
        return _builtin_truth(term)
    if term in ("true", "false") and relation not in meaning.defined:
        return bool(term == "true")
    rows = meaning.rows(relation)
    if rows is not None:
        args = term[1:] if isinstance(term, tuple) else ()
        variables = set(variables_of(term))
        fits = any(match(row_of(args), row_of(row), variables, {}) is not None for row in rows)
        return False if not fits else (None if variables else True)
    if meaning.is_state(term):
        fact, made = meaning.fact_of(term), meaning.made_forms
        is_open = isinstance(fact, Variable) or made is None
        return False if not is_open and made is not None and form_of(fact) not in made else None
    is_known = name_of(term) in meaning.views or relation == ("does", 2)
    return None if meaning.is_epilog or is_known else False


def _builtin_truth(term: Value) -> bool | None:
    """What a builtin says of known values."""
    name, arity = relation_of(term)
    if any(True for _ in variables_of(term)) or not builtin_arity_fits(name, arity):
        return None
    args = term[1:]
    try:
        if name in ("distinct", "same"):
            return bool(args[0] == args[1]) == (name == "same")
        if name in TESTS:
            return bool(TESTS[name][1](args))
        if name in FUNCTIONS:
            return bool(FUNCTIONS[name](args[:-1]) == args[-1])
    except GamemasterError:  # a builtin that refuses says so when it is asked in play
        return None
    return None
