"""Which notation a text is in, and reading and printing in any of them.

The text alone decides. KIF begins with a bracket, comments aside. Infix text is Epilog if it has
what only Epilog has (`::`, `==>`) or makes moves legal without saying for whom; it is HRF if it speaks
of the state and of moves as GDL does: true(...), does(...), next(...), legal(role,move). A text with none of
these is Epilog where it uses a relation that it does not define: only there is such a relation state.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from gamemaster.errors import ReadError
from gamemaster.language.builtins import builtins_of
from gamemaster.language.infix import (
    epilog_sentences,
    infix_marks,
    read_epilog,
    read_hrf,
    show_epilog,
    show_hrf,
)
from gamemaster.language.kif import read_kif, show_kif
from gamemaster.language.rules import Atom, Formula, Not, Notation, Relation, Rule, Rules, relation_of
from gamemaster.language.source import Source

__all__ = ["COMMENT_MARKS", "find_notation", "read", "show"]

KIF_BEGINS = re.compile(
    r"(?:\s++|[;%][^\r\n]*+)*+\("  # after comments of either kind a bracket
    r"|\s*+;[^\r\n]*+(?:\s++|;[^\r\n]*+)*+\Z"  # or nothing but comments of KIF
)
ONLY_EPILOG_MARKS = frozenset({"::", "==>"})
TELLING_HEADS: dict[Relation, Notation] = {
    ("legal", 1): "epilog",
    ("legal", 2): "hrf",
    ("next", 1): "hrf",
    ("input", 2): "hrf",
    ("sees", 2): "hrf",
}
TELLING_LITERALS: dict[Relation, Notation] = {("true", 1): "hrf", ("does", 2): "hrf"}

READERS: dict[Notation, Callable[[Source], Rules]] = {"kif": read_kif, "hrf": read_hrf, "epilog": read_epilog}
PRINTERS: dict[Notation, Callable[[Rules], str]] = {"kif": show_kif, "hrf": show_hrf, "epilog": show_epilog}
COMMENT_MARKS: dict[Notation, str] = {"kif": ";", "hrf": "%", "epilog": "%"}


def read(source: Source, notation: Notation | None = None) -> Rules:
    """The rules of a text, in the notation given or else found from the text; ReadError for bad text."""
    return READERS[notation or find_notation(source.text)](source)


def show(rules: Rules, notation: Notation | None = None) -> str:
    """The rules as text, in their own notation if none is given; RulesError for what it cannot express."""
    return PRINTERS[notation or rules.notation](rules)


def find_notation(text: str) -> Notation:
    """The notation of a text; for one that cannot be read, judged by what comes before the error."""
    if KIF_BEGINS.match(text.removeprefix("\ufeff")):
        return "kif"
    if any(mark in ONLY_EPILOG_MARKS for mark in infix_marks(text)):
        return "epilog"
    defined: list[Rule] = []
    for rule in _readable_rules(text):
        if notation := _telling(rule):
            return notation
        defined.append(rule)
    return "epilog" if _has_undefined(defined) else "hrf"


def _readable_rules(text: str) -> Iterator[Rule]:
    """The rules of an infix text up to the first error."""
    try:
        for sentence in epilog_sentences(Source("text", text)):
            if isinstance(sentence, Rule):
                yield sentence
    except ReadError:
        return


def _telling(rule: Rule) -> Notation | None:
    """The notation that has such a rule, where only one has."""
    literals = (TELLING_LITERALS.get(relation) for relation in _body_relations(rule))
    return TELLING_HEADS.get(relation_of(rule.head)) or next(filter(None, literals), None)


def _has_undefined(rules: list[Rule]) -> bool:
    """Whether a body uses a relation that no rule defines and that is not built in."""
    known = (
        {relation_of(rule.head)[0] for rule in rules}
        | builtins_of(Rules(tuple(rules), "hrf"))
        | {"true", "false"}
    )
    return any(name not in known for rule in rules for name, _ in _body_relations(rule))


def _body_relations(rule: Rule) -> Iterator[Relation]:
    """The relations of a rule's literals, at any depth of its connectives."""
    todo: list[Formula] = list(rule.body)
    while todo:
        formula = todo.pop()
        if isinstance(formula, Atom):
            yield relation_of(formula.term)
        else:
            todo += [formula.body] if isinstance(formula, Not) else formula.parts
