"""The tables of the language -> a page to look things up on: words, marks, builtins, and what the checker says.

Everything on it is read from the code that reads rules, so a word that is added there is here as well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache

from gamemaster.editing.words import BUILTINS, MARKS, WordEntry, signature, words_of
from gamemaster.games.skeleton import skeleton_texts
from gamemaster.language.builtins import AGGREGATES, ARITHMETIC, IMPURE, TESTS
from gamemaster.language.findings import CODES
from gamemaster.language.notation import COMMENT_MARKS
from gamemaster.language.rules import Notation

__all__ = ["LanguageReference", "ReferenceRow", "ReferenceTable", "language_reference"]

SAMPLE = "stones"
"""What the game is called that is shown in each notation."""

SENTENCES: dict[str, dict[Notation, str]] = {
    "A comment": {each: f"{mark} to the end of the line" for each, mark in COMMENT_MARKS.items()},
    "A fact": {"kif": "(succ 1 2)", "hrf": "succ(1,2)", "epilog": "succ(1,2)"},
    "A variable": {"kif": "?x", "hrf": "X", "epilog": "X"},
    "A variable that nobody needs": {"kif": "?any", "hrf": "_", "epilog": "_"},
    "A rule": {"kif": "(<= (p ?x) (q ?x) (r ?x))", "hrf": "p(X) :- q(X) & r(X)", "epilog": "p(X) :- q(X) & r(X)"},
    "Or": {"kif": "(or (q ?x) (r ?x))", "hrf": "q(X) | r(X)", "epilog": "q(X) | r(X)"},
    "Not": {"kif": "(not (q ?x))", "hrf": "~q(X)", "epilog": "~q(X)"},
    "What holds in the state": {"kif": "(true (cell 1 1 x))", "hrf": "true(cell(1,1,x))", "epilog": "cell(1,1,x)"},
    "What a move changes": {
        "kif": "(<= (next (cell ?m ?n ?r)) (does ?r (mark ?m ?n)))",
        "hrf": "next(cell(M,N,R)) :- does(R,mark(M,N))",
        "epilog": "mark(M,N) :: control(R) ==> cell(M,N,R)",
    },
    "What a move leaves": {
        "kif": "(<= (next (cell ?m ?n ?z)) (true (cell ?m ?n ?z)) (not (marked ?m ?n)))",
        "hrf": "next(cell(M,N,Z)) :- true(cell(M,N,Z)) & ~marked(M,N)",
        "epilog": "nothing is to be said: what no effect deletes stays",
    },
}  # fmt: skip
"""The same in three notations; tests read each of them."""


@dataclass(frozen=True, slots=True)
class ReferenceRow:
    """A word, how it is written, and what it means."""

    name: str
    written: tuple[str, ...]
    meaning: str


@dataclass(frozen=True, slots=True)
class ReferenceTable:
    """Words that belong together."""

    title: str
    anchor: str
    rows: tuple[ReferenceRow, ...]


@dataclass(frozen=True, slots=True)
class LanguageReference:
    """All of it."""

    notations: tuple[Notation, ...]
    sentences: dict[str, dict[Notation, str]]
    words: ReferenceTable
    marks: tuple[tuple[str, str], ...]
    builtins: tuple[ReferenceTable, ...]
    impure: tuple[str, ...]
    codes: dict[str, str]
    samples: dict[Notation, str]


@cache
def language_reference() -> LanguageReference:
    """The reference, as the code has it."""
    notations: tuple[Notation, ...] = ("kif", "hrf", "epilog")
    return LanguageReference(
        notations,
        SENTENCES,
        ReferenceTable("Words of the language", "words", tuple(_words(notations))),
        tuple(MARKS.items()),
        tuple(_builtins()),
        tuple(sorted(IMPURE)),
        CODES,
        {each: skeleton_texts(SAMPLE, SAMPLE.title(), each)[f"rules.{each}"] for each in notations},
    )


def _words(notations: Collection[Notation]) -> Iterator[ReferenceRow]:
    """Each word once for each meaning, with how it is written in each notation that has it."""
    found: dict[tuple[str, tuple[str, ...], str], list[Notation]] = {}
    for notation in notations:
        for name, entry in words_of(notation).items():
            found.setdefault((name, entry.arguments, entry.meaning), []).append(notation)
    for (name, arguments, meaning), having in found.items():
        written = tuple(signature(name, arguments, each) if each in having else "" for each in notations)
        yield ReferenceRow(name, written, meaning)


def _builtins() -> Iterator[ReferenceTable]:
    """The builtins in groups, as the code that computes them has them."""
    groups: dict[str, Collection[str]] = {
        "Comparing": TESTS.keys() | {"distinct", "same"},
        "All instances of a condition": AGGREGATES | {"evaluate"},
        "Numbers": ARITHMETIC,
    }
    grouped = {name for names in groups.values() for name in names}
    groups["Lists and text"] = BUILTINS.keys() - grouped
    for title, names in groups.items():
        rows = [_builtin(name, entry) for name, entry in BUILTINS.items() if name in names]
        yield ReferenceTable(title, title.lower().replace(" ", "-"), tuple(rows))


def _builtin(name: str, entry: WordEntry) -> ReferenceRow:
    written = tuple(signature(name, entry.arguments, each) for each in ("kif", "epilog"))
    return ReferenceRow(name, written, entry.meaning)
