"""What went wrong in play -> the condition that was never true, as the cause: where it stands and what to do about it.

A game that never ends has a condition of terminal that never holds, a role that can never move one of legal, and a
handler that never does anything one of its own. Only that is told which play has had many occasions to show.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gamemaster.errors import Place
from gamemaster.language.rules import Atom, Formula, Handler, Not, Rule, Rules, relation_of
from gamemaster.language.terms import Compound
from gamemaster.machine.blaming import Advice, is_maker
from gamemaster.machine.probing import Probes, Unmet
from gamemaster.machine.watching import Step

__all__ = ["never_ends", "never_handled", "never_legal", "never_made"]

CODE = "never-holds"
ENOUGH = 50
"""Steps in which a handler had its chance."""

MOST_SHOWN = 5


def never_ends(probes: Probes, games: int) -> Advice | None:
    """Why no game ended: the condition of terminal that never held, at its rule."""
    rules = _rules(probes.sheet, ("terminal", 0))
    unmet = probes.unmet(rules)
    if not unmet or len(unmet) < len(rules):
        return None
    best = next((each for each in unmet if _is_test(probes.cause(each).part)), unmet[0])
    return Advice("no-terminal", _message(probes, best, "terminal", games), *_end(probes, unmet, best))


def _end(probes: Probes, unmet: Sequence[Unmet], best: Unmet) -> tuple[Place, str]:
    """Where it is told, and what to do; with several rules of terminal, where the others are."""
    place = _place(probes, best.part)
    lines = sorted({_place(probes, each.part).line for each in unmet} - {place.line})
    others = f"; the other rules of terminal never held either: see line {', '.join(map(str, lines))}"
    return place, _hint(probes, probes.cause(best), start=probes.steps[:1]) + others * bool(lines)


def never_legal(probes: Probes, stuck: Step) -> Advice | None:
    """Why nobody could move: a condition of legal that never held, alone in the way of a move where one was missing."""
    relation = ("legal", 1) if probes.sheet.notation == "epilog" else ("legal", 2)
    unmet = [probes.cause(each) for each in probes.unmet(_rules(probes.sheet, relation))]
    found = [each for each in unmet if _is_test(each.part) and probes.is_alone(each, [stuck])]
    turned = [each for each in found if probes.turned(each)]
    for each in (turned or found)[:1]:
        return Advice(
            CODE, _message(probes, each, "legal", 0), _place(probes, each.part), _hint(probes, each)
        )
    return None


def never_handled(probes: Probes, games: int) -> Iterator[Advice]:
    """Handlers whose condition held for no legal move, in many states that had such a move."""
    handlers = [handler for handler in probes.sheet.handlers if handler.condition]
    shown = 0
    for unmet in probes.unmet(handlers):
        is_asked = unmet.part in unmet.sentence.condition if isinstance(unmet.sentence, Handler) else False
        if is_asked and len(unmet.reached) >= ENOUGH and shown < MOST_SHOWN:
            shown += 1
            yield _handler(probes, unmet, games)


def _handler(probes: Probes, unmet: Unmet, games: int) -> Advice:
    assert isinstance(unmet.sentence, Handler)
    message = _message(probes, unmet, f"a handler of {unmet.sentence.operation}", games)
    return Advice(
        CODE,
        f"{message}: it never has an effect",
        _place(probes, unmet.part),
        _hint(probes, probes.cause(unmet)),
    )


def never_made(probes: Probes, facts: Sequence[Compound], *, is_wrong: bool) -> Advice | None:
    """A rule of next that never held: for a fact that is gone; where play goes wrong, one that is only turned round."""
    rules = _rules(probes.sheet, ("next", 1))
    asked = rules if is_wrong else [rule for rule in rules if any(is_maker(rule, fact) for fact in facts)]
    for unmet in probes.unmet(asked):
        is_of_fact = any(is_maker(unmet.sentence, fact) for fact in facts)
        if (
            _is_test(unmet.part)
            and unmet.reached
            and (probes.turned(unmet) or (is_of_fact and probes.is_alone(unmet)))
        ):
            text = _message(probes, unmet, "next", 0)
            return Advice(CODE, text, _place(probes, unmet.part), _hint(probes, unmet))
    return None


def _is_test(part: Formula) -> bool:
    """Whether a condition only tests what others give it: a comparison, or a negation."""
    return isinstance(part, Not) or (isinstance(part, Atom) and relation_of(part.term) not in STATES)


STATES = frozenset({("true", 1), ("does", 2)})


def _rules(sheet: Rules, relation: tuple[str, int]) -> list[Rule]:
    return [rule for rule in sheet.rules if relation_of(rule.head) == relation and rule.body]


# Words


def _message(probes: Probes, unmet: Unmet, what: str, games: int) -> str:
    """What never held, where all that stands before it did, and deeper down why."""
    states = len(probes.steps)
    where = f"in {states:,} states" if states > 1 else "at the start"
    where += f" of {games:,} random games" if games > 1 and states > 1 else ""
    message = f"this condition of {what} was never true {where}: {probes.text(unmet.part)}"
    cause = probes.cause(unmet)
    if cause is not unmet:
        line = _place(probes, cause.part).line
        message += f", because of {probes.text(cause.part)} in line {line}"
    return message


def _hint(probes: Probes, cause: Unmet, start: Sequence[Step] = ()) -> str:
    """What to write in its place, if that would have been true; but not already where the game starts."""
    turned = probes.turned(cause)
    if turned and not (start and probes.turned(replace(cause, reached=tuple(start)))):
        shown = turned.term.kif() if probes.sheet.notation == "kif" else str(turned.term)
        return f"turned round it would have been: write {shown} if that is meant"
    if probes.is_alone(cause) and len(cause.others) > 1:
        return "all other conditions held together: look whether this one says what you mean"
    return "look whether it can be true together with the conditions before it"


def _place(probes: Probes, part: Formula) -> Place:
    return probes.sheet.place(part.span)
