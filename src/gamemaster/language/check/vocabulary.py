"""The words of the language: how many arguments they take, where they may stand, and which must be there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import TypeAlias

from gamemaster.errors import Place
from gamemaster.language.builtins import builtin_arity_fits
from gamemaster.language.check.mentions import (
    Mention,
    asked_facts,
    asked_moves,
    declared_facts,
    declared_moves,
    deleted_facts,
    made_facts,
    made_moves,
)
from gamemaster.language.check.sheet import Sheet
from gamemaster.language.check.slips import near_word
from gamemaster.language.dependency import show_way, way_to
from gamemaster.language.findings import Finding
from gamemaster.language.rules import Relation, Rule, name_of, relation_of
from gamemaster.language.source import Span

__all__ = ["VOCABULARY_CHECKS"]

Report: TypeAlias = Callable[[str, str, Place, str], Finding]

TIMELESS = ("role", "init", "base", "input")
"""Relations of GDL that are computed before there is a state."""

BEFORE_MOVES = ("legal", "goal", "terminal")
"""Relations of GDL that are computed before moves are chosen."""

ONLY_HEADS = {"next": 1, "init": 1, "sees": 2}
"""Words of GDL that bodies cannot ask for: they say what the next state and percepts are."""

MOST_SHOWN = 10
"""Conditions reported for one word that depends on them."""

MISSING_HINTS = {
    "role": "name the players: {role}",
    "legal": "say which moves are legal: {legal}",
    "goal": "say what a result is worth: {goal}",
    "terminal": "say when the game ends, in a rule for terminal",
    "init": "say how the game begins: {init}",
}


# Numbers of arguments


def find_wrong_arity(sheet: Sheet) -> list[Finding]:
    """Words of the language and builtins with the wrong number of arguments, in heads and bodies.

    In Epilog a word of another arity is a relation of its own, which play never asks for: a warning.
    """
    mentions = [Mention(rule.head, rule.head_span) for rule in sheet.rules.rules]
    mentions += [Mention(use.atom.term, use.atom.span) for use in sheet.uses]
    if sheet.is_epilog:
        mentions += [fact for fact in made_facts(sheet) if not fact.is_open and fact.relation[0] == "control"]
    wrong = [m for m in mentions if sheet.words.get(m.relation[0], m.relation[1]) != m.relation[1]]
    found = [_wrong_arity(sheet, m, str(sheet.words[m.relation[0]]), is_builtin=False) for m in wrong]
    facts = {fact.relation for fact in made_facts(sheet) if not fact.is_open}
    for atom, _ in sheet.builtin_uses:
        mention = Mention(atom.term, atom.span)
        if not builtin_arity_fits(*mention.relation):
            right = _builtin_arity(mention.relation[0])
            is_fact = mention.relation in facts and not sheet.is_epilog
            wrong_builtin = _bare_fact(sheet, mention) if is_fact else None
            found.append(wrong_builtin or _wrong_arity(sheet, mention, right, is_builtin=True))
    return found


def _bare_fact(sheet: Sheet, mention: Mention) -> Finding:
    """The finding for a fact that has the name of a builtin, and is asked for without true: (round 6)."""
    right, name = sheet.atom("true", sheet.show(mention.term)), mention.relation[0]
    message = f"{name} is a fact of the state, and only true asks for one; did you mean {right}?"
    return sheet.error("arity", message, sheet.place_of_word(name, mention.span), f"write {right}")


def _builtin_arity(name: str) -> str:
    """How many arguments a builtin takes, in words."""
    fitting = [count for count in range(6) if builtin_arity_fits(name, count)]
    return str(fitting[0]) if len(fitting) == 1 else f"at least {fitting[0]}"


def _wrong_arity(sheet: Sheet, mention: Mention, right: str, *, is_builtin: bool) -> Finding:
    name, arity = mention.relation
    place = sheet.place_of_word(name, mention.span)
    message = f"{name} takes {_arguments(right)}, not {arity}"
    hint = f"give {name} {_arguments(right)}" if right != "0" else f"write {name} without arguments"
    report = sheet.warning if sheet.is_epilog and not is_builtin else sheet.error
    return report("arity", message, place, hint)


def _arguments(count: str) -> str:
    return f"{count} argument" + "s" * (count != "1")


def find_mixed_arity(sheet: Sheet) -> list[Finding]:
    """Names with several numbers of arguments: those that can never match, and those that may be meant."""
    facts = [*made_facts(sheet), *declared_facts(sheet), *deleted_facts(sheet)]
    moves = [*made_moves(sheet), *declared_moves(sheet)]
    heads = [Mention(rule.head, rule.head_span) for rule in sheet.rules.rules]
    uses = [Mention(use.atom.term, use.atom.span) for use in sheet.uses]
    if sheet.is_epilog:  # views and state share their names, whatever the number of arguments
        return [*_mixed(sheet, [*heads, *facts], uses), *_mixed(sheet, moves, asked_moves(sheet))]
    return [
        *_mixed(sheet, heads, uses, never_true=sheet.error),
        *_mixed(sheet, facts, asked_facts(sheet)),
        *_mixed(sheet, moves, asked_moves(sheet)),
    ]


def _mixed(
    sheet: Sheet, made: Iterable[Mention], asked: Iterable[Mention], never_true: Report | None = None
) -> Iterator[Finding]:
    """A finding for each number of arguments of a name but the usual one, where it first stands.

    `never_true` reports those that nothing makes true; a warning unless something else is given.
    """
    askers = _by_name(asked)
    for name, made_arities in _by_name(made).items():
        arities = {**askers.get(name, {}), **made_arities}
        usual = max(made_arities, key=lambda arity: len(made_arities[arity]))
        for arity, mentions in arities.items() if name not in sheet.words else ():
            if arity in made_arities and arity != usual:
                yield _mixed_arity(sheet, mentions[0], arities[usual][0])
            elif arity != usual:
                yield _odd_arity(sheet, mentions[0], arities[usual][0], never_true or sheet.warning)


def _by_name(mentions: Iterable[Mention]) -> dict[str, dict[int, list[Mention]]]:
    """The mentions by name and number of arguments."""
    found: dict[str, dict[int, list[Mention]]] = defaultdict(lambda: defaultdict(list))
    for mention in mentions:
        if not mention.is_open:
            name, arity = mention.relation
            found[name][arity].append(mention)
    return found


def _mixed_arity(sheet: Sheet, odd: Mention, usual: Mention) -> Finding:
    right = _arguments(str(usual.relation[1]))
    hint = f"if they are two things, give one another name; if not, give both {right}"
    place = sheet.place_of_word(odd.relation[0], odd.span)
    return sheet.warning("mixed-arity", _two_arities(sheet, odd, usual), place, hint)


def _odd_arity(sheet: Sheet, odd: Mention, usual: Mention, report: Report) -> Finding:
    (name, arity), (_, right) = odd.relation, usual.relation
    hint = f"give {name} {_arguments(str(right))}: with {arity} it is never true"
    return report("arity", _two_arities(sheet, odd, usual), sheet.place_of_word(name, odd.span), hint)


def _two_arities(sheet: Sheet, odd: Mention, usual: Mention) -> str:
    (name, arity), (_, right) = odd.relation, usual.relation
    return f"{name} has {_arguments(str(arity))} here but {right} at line {sheet.place(usual.span).line}"


# Places


def find_misplaced_words(sheet: Sheet) -> list[Finding]:
    """Words of GDL that are asked for where they mean nothing yet, or defined though play defines them."""
    if sheet.is_epilog:
        return []
    found = [
        _defined_anew(sheet, name_of(rule.head), rule.head_span)
        for rule in sheet.rules.rules
        if relation_of(rule.head) in (("true", 1), ("does", 2))
    ]
    for use in sheet.uses:
        if ONLY_HEADS.get(use.relation[0]) == use.relation[1]:
            found.append(_only_head(sheet, use.relation[0], use.atom.span))
    found += _asked_too_early(sheet, TIMELESS, ("true", 1), "there is no state yet when {} is computed")
    found += _asked_too_early(sheet, TIMELESS, ("does", 2), "there are no moves yet when {} is computed")
    found += _asked_too_early(sheet, BEFORE_MOVES, ("does", 2), "moves are chosen only after {} is computed")
    return found


def _defined_anew(sheet: Sheet, name: str, span: Span) -> Finding:
    right = {"true": "next, or init for the initial state,", "does": "legal"}[name]
    message = f"{name} cannot be defined: play decides it"
    return sheet.error("reserved", message, sheet.place_of_word(name, span), f"define {right} instead")


def _only_head(sheet: Sheet, name: str, span: Span) -> Finding:
    says = {"next": "what the next state is", "init": "what the first state is", "sees": "what players see"}[
        name
    ]
    message = f"{name} cannot be a condition: it only says {says}"
    hint = "remove the condition, or name what it stands for in a relation of its own"
    if name != "sees":
        hint = f"ask for the current state with {sheet.atom('true', '...')}, or for a relation of its own"
    return sheet.error("reserved", message, sheet.place_of_word(name, span), hint)


def _asked_too_early(sheet: Sheet, early: tuple[str, ...], word: Relation, why: str) -> Iterator[Finding]:
    """Findings at conditions on a word that is needed by a relation which is computed before the word.

    Ways through a condition that is itself misplaced say nothing new and are left out.
    """
    graph = sheet.dependencies
    for name in early:
        start = (name, sheet.words[name])
        came_by = graph.reachable(
            start, avoid={relation for relation in ONLY_HEADS.items() if relation != start}
        )
        edges = (
            edge for relation in came_by for edge in graph.needs.get(relation, ()) if edge.target == word
        )
        first: dict[Span, Finding] = {}
        for edge in islice(edges, MOST_SHOWN):
            steps = way_to(edge.source, came_by)
            way = show_way([name, *(step.target[0] for step in steps), word[0]])
            message = f"{name} cannot depend on {word[0]}: {why.format(name)} ({way})"
            asked = steps[0] if steps else edge  # what lies behind it may be right for others who ask
            hint = f"remove the condition on {asked.target[0]}, or use one that does not need {word[0]}"
            place = sheet.place_of_word(asked.target[0], asked.atom.span)
            first.setdefault(asked.atom.span, sheet.error("reserved", message, place, hint))
        yield from first.values()


def find_role_rules(sheet: Sheet) -> list[Finding]:
    """Roles given by a rule: players and tools read them from plain facts."""
    hint = f"write one fact for each role: {sheet.atom('role', 'white')}"
    return [
        sheet.warning(
            "role-rule", "roles are given by a rule, not by facts", sheet.place(rule.head_span), hint
        )
        for rule in sheet.rules_of.get(("role", 1), ())
        if rule.body
    ]


# What must be there


def find_missing_words(sheet: Sheet) -> list[Finding]:
    """What every game needs and this sheet lacks, reported at the beginning of the text."""
    defined = {name for name, _ in sheet.rules_of}
    place = sheet.rules.source.place(0)
    missing = [name for name in MISSING_HINTS if name not in defined]
    found = [_missing(sheet, name, place, _meant_words(sheet)) for name in missing]
    turns = [fact for fact in made_facts(sheet) if fact.is_open or name_of(fact.term) == "control"]
    if sheet.is_epilog and "control" not in defined and not turns:
        hint = f"say who begins: {sheet.atom('init', sheet.atom('control', 'white'))}"
        found.append(sheet.error("no-control", "nothing says whose turn it is", place, hint))
    return found


def _meant_words(sheet: Sheet) -> dict[str, Rule]:
    """The words that relations nobody uses are meant to be, with a rule of each."""
    known = {use.relation for use in sheet.uses} | {*sheet.words.items()}
    unused = [relation for relation in sheet.rules_of if relation not in known]
    return {word: sheet.rules_of[r][0] for r in unused[:MOST_SHOWN] if (word := near_word(sheet, r))}


def _missing(sheet: Sheet, name: str, place: Place, meant: Mapping[str, Rule]) -> Finding:
    examples = {
        "role": sheet.atom("role", "white"),
        "legal": sheet.atom("legal", "..."),
        "goal": sheet.atom("goal", "white", "100"),
        "init": sheet.atom("init", "..."),
    }
    hint, found = MISSING_HINTS[name].format(**examples), ""
    if name in meant:
        rule, place = meant[name], sheet.place(meant[name].head_span)
        hint, found = f"write {name}", f"; is it meant by {name_of(rule.head)}?"
    if name == "init":
        message = f"no initial facts: the game starts from the empty state{found}"
        # Puzzles begin with nothing, and games of one move
        return Finding("no-init", "warning" if found else "note", message, place, hint)
    return sheet.error(f"no-{name}", f"no {name}: the rules never define it{found}", place, hint)


VOCABULARY_CHECKS: tuple[Callable[[Sheet], list[Finding]], ...] = (
    find_wrong_arity,
    find_mixed_arity,
    find_misplaced_words,
    find_role_rules,
    find_missing_words,
)
