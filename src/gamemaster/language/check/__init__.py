"""Rules -> findings: what is wrong or doubtful in a rulesheet, before anybody plays it.

sheet                                   what every check asks of a rulesheet; read it first
mentions                                the facts and moves that a sheet makes, asks for and declares
safety                                  variables without a value; binding and modes know which have one when
negative_recursion, endless_recursion   rules without meaning, rules without end
vocabulary, usage                       the words of the language; names that lead nowhere
never_true                              facts that nothing ever makes true
occurring, never_holds                  which names can stand where; conditions that ask for others
turns                                   roles, moves and facts of the start that lead nowhere
spelling, slips, variables              what is written otherwise than it was meant

Public rulesheets break the textbook's rules and play all the same: what still has one clear meaning is a warning, and
only what has none is an error.
"""

from __future__ import annotations

from collections.abc import Callable

from gamemaster.language.check.endless_recursion import find_endless_recursion
from gamemaster.language.check.negative_recursion import find_negative_recursion
from gamemaster.language.check.never_holds import NEVER_CHECKS
from gamemaster.language.check.safety import find_unsafe
from gamemaster.language.check.sheet import Sheet
from gamemaster.language.check.slips import SLIP_CHECKS
from gamemaster.language.check.spelling import SPELLING_CHECKS
from gamemaster.language.check.turns import TURN_CHECKS
from gamemaster.language.check.usage import USAGE_CHECKS
from gamemaster.language.check.variables import VARIABLE_CHECKS
from gamemaster.language.check.vocabulary import VOCABULARY_CHECKS
from gamemaster.language.findings import Finding
from gamemaster.language.rules import Rules

__all__ = ["CHECKS", "check_rules", "find_negative_recursion"]


def _negative_recursion(sheet: Sheet) -> list[Finding]:
    return find_negative_recursion(sheet.rules)


CHECKS: tuple[Callable[[Sheet], list[Finding]], ...] = (
    find_unsafe,
    _negative_recursion,
    find_endless_recursion,
    *VOCABULARY_CHECKS,
    *USAGE_CHECKS,
    *SPELLING_CHECKS,
    *SLIP_CHECKS,
    *NEVER_CHECKS,
    *TURN_CHECKS,
    *VARIABLE_CHECKS,
)


def check_rules(rules: Rules) -> list[Finding]:
    """Every finding about a rulesheet, in the order of the text, errors first where they share a place."""
    sheet = Sheet(rules)
    found = [finding for check in CHECKS for finding in check(sheet)]
    return sorted(set(found), key=lambda f: (f.place.line, f.place.column, f.severity, f.code, f.message))
