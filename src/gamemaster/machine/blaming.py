"""What play showed to be odd -> which rule of the sheet to look at, and what to write there in its notation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gamemaster.errors import Place
from gamemaster.language.rules import (
    And,
    Atom,
    Formula,
    Handler,
    Not,
    Or,
    Rule,
    Rules,
    effect_term,
    name_of,
    relation_of,
)
from gamemaster.language.terms import Compound, Symbol, Term, Value, Variable
from gamemaster.machine.watching import Break

__all__ = [
    "Advice",
    "Bound",
    "advice",
    "forgotten",
    "goal_places",
    "is_maker",
    "is_meant",
    "matched",
    "role_place",
]

Piece: TypeAlias = "Value | Term"
Bound: TypeAlias = "dict[Variable, Piece]"


@dataclass(frozen=True, slots=True)
class Advice:
    """What is to be said of a break, without the moves that lead there."""

    code: str
    message: str
    place: Place
    hint: str


def advice(sheet: Rules, found: Break, after: str) -> Advice:
    """What to say of a break; `after` are the moves that lead to it."""
    say = {"lost": _lost, "double": _double, "nobody": _nobody, "both": _both}[found.kind]
    return say(sheet, found, after)


# What the sheet says itself


def is_meant(sheet: Rules, found: Break) -> bool:
    """Whether the rules speak of two values: a trap where the mouse is, a set that is only asked who is not in it."""
    if found.kind != "double":
        return False
    first, second = found.facts
    sentences: list[Rule | Handler] = [*sheet.rules, *sheet.handlers]
    is_set = len(first) == 2 and not any(any(_asked(sheet, each, first)) for each in sentences)
    return is_set or any(_asks_both([*_asked(sheet, each, first)], first, second) for each in sentences)


def _asked(sheet: Rules, sentence: Rule | Handler, fact: Compound) -> Iterator[tuple[Value, ...]]:
    """The facts like this one that each condition asks to hold, but for that which the sentence keeps."""
    kept, body = None, sentence.body if isinstance(sentence, Rule) else sentence.condition
    if isinstance(sentence, Rule) and relation_of(sentence.head) == ("next", 1):
        kept = sentence.head[1]
    for part in body:
        terms = _positive(part)
        if sheet.notation != "epilog":
            terms = [term[1] for term in terms if relation_of(term) == ("true", 1) and term[1] != kept]
        yield tuple(term for term in terms if relation_of(term) == relation_of(fact))


def _asks_both(asked: Sequence[tuple[Value, ...]], first: Compound, second: Compound) -> bool:
    """Whether conditions without a choice ask for both, by terms whose keys are written alike."""
    terms = [each[0] for each in asked if len(each) == 1]
    return any(
        one[:-1] == other[:-1] and one[-1] != other[-1] and matched(other, second, known) is not None
        for one in terms
        for other in terms
        if (known := matched(one, first, {})) is not None
    )


def _positive(part: Formula) -> list[Value]:
    """What a condition asks to hold, in each of its parts."""
    if isinstance(part, Atom):
        return [part.term]
    return [term for each in part.parts for term in _positive(each)] if isinstance(part, And | Or) else []


# Facts


def _lost(sheet: Rules, found: Break, after: str) -> Advice:
    """A fact is gone, and its key has no value any more."""
    (fact,) = found.facts
    by = " ".join(map(str, found.moves))
    message = (
        f"{fact} is gone{after}, with nothing in its place: so far there was always one {_pattern(fact)}"
    )
    if sheet.notation == "epilog":
        handler = _deleter(sheet, fact, found.moves)
        hint = f"let a handler of {by} add what holds then, or not delete {_pattern(fact)}"
        return Advice("vanishes", message, _place(sheet, handler, fact), hint)
    keeper = next(_keepers(sheet, fact), None)
    hint = f"say that it stays, or what comes in its place: {_kept_rule(sheet, _pattern(fact, sheet), '...')}"
    if keeper and len(differing := [*_differences(keeper)]) > 1:
        shown = [_show(sheet, part) for part in differing]
        either = f"(or {' '.join(shown)})" if sheet.notation == "kif" else f"({' | '.join(shown)})"
        hint = f"this rule keeps it only if all of its conditions hold; if one is enough, write {either}"
    return Advice("vanishes", message, _place(sheet, keeper or _maker(sheet, fact, ()), fact), hint)


def _kept_rule(sheet: Rules, own: str, condition: str) -> str:
    """The rule that keeps a fact under a condition, as the sheet would write it."""
    head, body = _atom(sheet, "next", own), _atom(sheet, "true", own)
    return f"(<= {head} {body} {condition})" if sheet.notation == "kif" else f"{head} :- {body} & {condition}"


def forgotten(sheet: Rules, fact: Term, moves: Sequence[Term], keeper: Rule, after: str) -> Advice:
    """A fact is gone by a move that no rule for it names."""
    by = " ".join(_show(sheet, move) for move in moves)
    message = f"{_show(sheet, fact)} is gone{after}: no rule of next says what {by} does to it, though others keep it"
    does = [
        part.term for part in keeper.body if isinstance(part, Atom) and relation_of(part.term) == ("does", 2)
    ]
    who = does[0][1] if does else Variable("R")
    named = _general(moves[0]) if len(moves) == 1 else moves[0]
    condition = _show(sheet, Compound(("does", who, named)))
    hint = f"if it stays, say so: {_kept_rule(sheet, _show(sheet, keeper.head[1]), condition)}"
    return Advice("vanishes", message, _place(sheet, keeper, fact), hint)


def _general(move: Term) -> Term:
    """A move with a variable for each argument."""
    if not isinstance(move, tuple):
        return move
    return Compound((move[0], *(Variable(f"M{number}") for number in range(1, len(move)))))


def _double(sheet: Rules, found: Break, after: str) -> Advice:
    """A key has two values: that of before has stayed, or two have come."""
    old = next((fact for fact in found.facts if fact in found.before.facts), None)
    new = next(fact for fact in found.facts if fact != old)
    message = (
        f"{found.facts[0]} and {found.facts[1]} hold both{after}: so far there was always one {_pattern(new)}"
    )
    if old is None:
        hint = "make the conditions exclude each other by which they come"
        return Advice("two-values", message, _place(sheet, _maker(sheet, new, found.moves), new), hint)
    maker = _maker(sheet, new, found.moves)
    if sheet.notation == "epilog":
        return Advice(
            "two-values",
            message,
            _place(sheet, maker, new),
            f"delete the old one, too: {_deleted(maker, old)}",
        )
    keeper = next(_keepers(sheet, old), None)
    hint = f"let the rule that keeps {old} not hold for {' '.join(map(str, found.moves))}"
    return Advice("two-values", message, _place(sheet, keeper or maker, new), hint)


# Control


def _nobody(sheet: Rules, found: Break, after: str) -> Advice:
    (fact,) = found.facts
    message = f"nobody is in control{after}: {fact} is gone, and no role has it instead"
    if sheet.notation == "epilog":
        rule = _deleter(sheet, fact, found.moves)
        return Advice("control", message, _place(sheet, rule, fact), "give it to the next role: control(S)")
    maker = next((r for r in sheet.rules if is_maker(r, fact)), None)
    shown = _atom(sheet, "next", _atom(sheet, "control", "..."))
    return Advice(
        "control",
        message,
        _place(sheet, maker, fact),
        f"say in a rule for {shown} who comes after {_show(sheet, fact[1])}",
    )


def _both(sheet: Rules, found: Break, after: str) -> Advice:
    first, second = found.facts
    message = f"two roles are in control{after}: {first} and {second}"
    new = next((fact for fact in found.facts if fact not in found.before.facts), second)
    maker = _maker(sheet, new, found.moves)
    if sheet.notation == "epilog":
        old = next((fact for fact in found.facts if fact != new), first)
        hint = f"take it from the role that had it: {_deleted(maker, old)}"
    else:
        hint = "let the rules for it hold for one role at a time"
    return Advice("control", message, _place(sheet, maker, new), hint)


# Which rule


def role_place(sheet: Rules, role: str) -> Place | None:
    """Where a role is named by a fact."""
    for rule in sheet.rules:
        if relation_of(rule.head) == ("role", 1) and rule.head[1] == role:
            return sheet.place(rule.span)
    return None


def goal_places(sheet: Rules, role: str, values: Sequence[int]) -> list[Place]:
    """Where rules give a role one of these goals: first those for a draw, which are the ones that ask too little."""
    texts = [str(value) for value in values]
    rules = [r for r in sheet.rules if relation_of(r.head) == ("goal", 2) and r.head[2] in texts]
    rules = [r for r in rules if isinstance(r.head[1], Variable) or r.head[1] == role]
    rules.sort(key=lambda rule: (rule.head[2] in ("0", "100"), -rule.span.start))
    return [sheet.place(rule.span) for rule in rules]


def _keepers(sheet: Rules, fact: Compound) -> Iterator[Rule]:
    """The rules of next that keep a fact, as far as their heads and what they tell apart say."""
    for rule in sheet.rules:
        if not is_maker(rule, fact):
            continue
        values = matched(rule.head[1], fact, {})
        keeps = (
            isinstance(p, Atom) and relation_of(p.term) == ("true", 1) and p.term[1] == rule.head[1]
            for p in rule.body
        )
        if any(keeps) and not any(
            _is_same(part.term, values or {}) for part in _conditions(rule, "distinct")
        ):
            yield rule


def _differences(rule: Rule) -> Iterator[Compound]:
    for atom in _conditions(rule, "distinct"):
        if isinstance(atom.term, Compound) and all(isinstance(arg, Variable) for arg in atom.term[1:]):
            yield atom.term


def _conditions(rule: Rule, name: str) -> Iterator[Atom]:
    return (part for part in rule.body if isinstance(part, Atom) and name_of(part.term) == name)


def _is_same(term: Value, values: Bound) -> bool:
    """Whether a condition that two things differ cannot hold for these values."""
    first, second = (values.get(arg, arg) if isinstance(arg, Variable) else arg for arg in term[1:])
    return bool(first == second)


def is_maker(rule: Rule | Handler, fact: Compound) -> bool:
    """Whether a rule of next can give a fact."""
    return (
        isinstance(rule, Rule)
        and relation_of(rule.head) == ("next", 1)
        and matched(rule.head[1], fact, {}) is not None
    )


def _maker(sheet: Rules, fact: Compound, moves: Sequence[Term]) -> Rule | Handler | None:
    """What gives a fact when these moves are made: first what asks for one of them."""
    if sheet.notation == "epilog":
        adding = [(h, e) for h in sheet.handlers for e in h.effects if isinstance(e, Atom)]
        return _by_effect(adding, fact, moves)
    makers = [rule for rule in sheet.rules if is_maker(rule, fact)]
    for rule in makers:
        does = [
            part.term[2]
            for part in rule.body
            if isinstance(part, Atom) and relation_of(part.term) == ("does", 2)
        ]
        if any(matched(move, made, {}) is not None for move in does for made in moves):
            return rule
    return next(iter(makers), None)


def _deleter(sheet: Rules, fact: Compound, moves: Sequence[Term]) -> Handler | None:
    deleting = [(h, e) for h in sheet.handlers for e in h.effects if isinstance(e, Not)]
    return _by_effect(deleting, fact, moves)


def _by_effect(
    effects: Iterable[tuple[Handler, Atom | Not]], fact: Compound, moves: Sequence[Term]
) -> Handler | None:
    """The handler with an effect on a fact: first those that handle one of the moves."""
    fitting = [h for h, effect in effects if matched(effect_term(effect), fact, {}) is not None]
    of_moves = [h for h in fitting if any(matched(h.operation, move, {}) is not None for move in moves)]
    return next(iter([*of_moves, *fitting]), None)


def _deleted(maker: Rule | Handler | None, old: Compound) -> str:
    """The effect that deletes an old value, with the variables of the handler that adds the new one."""
    condition = maker.condition if isinstance(maker, Handler) else ()
    effects = [effect_term(effect) for effect in maker.effects] if isinstance(maker, Handler) else []
    asked = [
        part.term
        for part in condition
        if isinstance(part, Atom) and relation_of(part.term) == relation_of(old)
    ]
    if asked:
        return f"~{asked[0]}"
    made = next((term for term in effects if relation_of(term) == relation_of(old)), old)
    return f"~{Compound((*made[:-1], old[-1]))}" if isinstance(made, tuple) else f"~{made}"


def matched(pattern: Piece, value: Piece, known: Bound) -> Bound | None:
    """The values of the variables with which a pattern is a value; None where there are none."""
    if isinstance(pattern, Variable):
        return known if known.setdefault(pattern, value) == value else None
    if not isinstance(pattern, tuple) or not isinstance(value, tuple):
        return known if pattern == value else None
    if len(pattern) != len(value) or pattern[0] != value[0]:
        return None
    found: Bound | None = known
    for part, of_value in zip(pattern[1:], value[1:], strict=True):
        found = matched(part, of_value, found) if found is not None else None
    return found


# In the author's words


def _place(sheet: Rules, rule: Rule | Handler | None, fact: Term) -> Place:
    """Where a rule stands; where there is none, the first sentence about such facts."""
    if rule:
        return sheet.place(rule.span)
    heads = (
        r for r in sheet.rules if relation_of(r.head)[1] == 1 and relation_of(r.head[1]) == relation_of(fact)
    )
    first = next(heads, None)
    return sheet.place(first.span) if first else sheet.source.place(0)


def _pattern(fact: Compound, sheet: Rules | None = None) -> str:
    """A fact with its value left open: cell(1,1,_); for a rule of a sheet with a variable for each argument."""
    args = fact[1:] if isinstance(fact, tuple) else ()
    if sheet is None:
        return str(Compound((name_of(fact), *args[:-1], Variable("_1"))))
    names = [Variable(name) for name in "XYZUVWABCDEFG"[: len(args)]]
    return _show(sheet, Compound((name_of(fact), *names)))


def _show(sheet: Rules, term: Piece) -> str:
    shown = term if isinstance(term, Term) else Symbol(str(term))
    return shown.kif() if sheet.notation == "kif" else str(shown)


def _atom(sheet: Rules, name: str, arg: str) -> str:
    return f"({name} {arg})" if sheet.notation == "kif" else f"{name}({arg})"
