"""Sentences -> names: every name of a sheet with what it is where it stands, whether the text can be read or not.

A name is what it is by its place: `cell` in `true(cell(X))` is the functor of a fact, `cell(X)` as a condition of
Epilog is that fact itself, the argument of `legal` is a move. The brackets around a name say its place, so one walk
over the tokens with a stack is enough.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from gamemaster.editing.scanning import NUMBER, SheetToken
from gamemaster.editing.sentences import SentenceTokens
from gamemaster.language.rules import Notation
from gamemaster.language.syntax import CONNECTIVES
from gamemaster.language.terms import unquote

__all__ = ["ATOM_PLACES", "NameKind", "SheetName", "Standing", "names_in"]

NameKind: TypeAlias = Literal["name", "variable", "number", "string"]
Standing: TypeAlias = Literal[
    "head",
    "condition",
    "effect",
    "operation",  # what a handler handles
    "function",  # what a definition defines
    "fact",  # the argument of init, true, next, base
    "move",  # that of legal, does, input, action
    "role",
    "term",  # inside one of these
    "expression",  # what evaluate computes
    "word",  # a name that a builtin knows
    "connective",  # and, or, not
]

ATOM_PLACES = frozenset({"head", "condition", "effect", "operation"})
"""Where a name is a relation."""

BOTH: dict[str, tuple[Standing, ...]] = {
    "role": ("role",),
    "goal": ("role",),
    "control": ("role",),
    "countofall": ("term", "condition"),
    "setofall": ("term", "condition"),
    "exists": ("term", "condition"),
    "evaluate": ("expression",),
    "hastype": ("term", "word"),
    "init": ("fact",),
    "base": ("fact",),
}
GDL: dict[str, tuple[Standing, ...]] = {
    **BOTH,
    "true": ("fact",),
    "next": ("fact",),
    "legal": ("role", "move"),
    "does": ("role", "move"),
    "input": ("role", "move"),
    "sees": ("role",),
}
EPILOG: dict[str, tuple[Standing, ...]] = {**BOTH, "legal": ("move",), "action": ("move",)}
ARGUMENTS: dict[Notation, dict[str, tuple[Standing, ...]]] = {"kif": GDL, "hrf": GDL, "epilog": EPILOG}
"""What the arguments of a word or a builtin are; all others are terms."""

MOST_OPEN = 1_000
"""Brackets inside each other that are told apart."""


@dataclass(slots=True)
class SheetName:
    """A name where it stands. `text` is the name as it is read: without quotes, in KIF in lower case."""

    text: str
    start: int
    end: int
    kind: NameKind
    standing: Standing
    sentence: int
    arity: int = 0
    has_brackets: bool = False
    word: str = ""
    """The name whose argument it is."""

    argument: int = 0
    """Which of its arguments, from 0."""

    is_quoted: bool = False


@dataclass(slots=True)
class _Inside:
    """A bracket that is open: what stands in it, how much came so far."""

    inner: tuple[Standing, ...]
    """What its arguments are; the last stands for all that follow."""

    functor: SheetName | None = None
    count: int = 0
    is_empty: bool = True
    """Whether nothing came since the last comma."""

    word: str = ""

    def standing(self) -> Standing:
        return self.inner[min(self.count, len(self.inner) - 1)]


def names_in(
    text: str, sentences: list[SentenceTokens], notation: Notation, as_read: dict[str, str]
) -> list[SheetName]:
    """The names of all sentences in the order of the text; `as_read` is what KIF makes of spellings."""
    found: list[SheetName] = []
    for number, sentence in enumerate(sentences):
        kind = _KifWalk if notation == "kif" else _InfixWalk
        walk = kind(text, notation, number, as_read)
        walk.run(sentence.tokens)
        found += walk.names
    return found


@dataclass
class _NameWalk:
    """A walk over the tokens of one sentence."""

    text: str
    notation: Notation
    number: int
    as_read: dict[str, str]
    names: list[SheetName] = field(default_factory=list)
    opened: list[_Inside] = field(default_factory=list)

    def run(self, tokens: tuple[SheetToken, ...]) -> None:
        raise NotImplementedError

    def _name(self, token: SheetToken, inside: _Inside) -> SheetName:
        """The name of a token, standing in a bracket."""
        shown = self.text[token.start : token.end]
        standing = inside.standing()
        name = SheetName(
            self._read(token, shown), token.start, token.end, _kind(token, shown), standing, self.number
        )
        name.word, name.argument, name.is_quoted = inside.word, inside.count, token.kind == "quoted"
        self.names.append(name)
        return name

    def _read(self, token: SheetToken, shown: str) -> str:
        if token.kind == "quoted":
            return unquote(shown)
        if self.notation == "kif" and token.kind in ("symbol", "variable"):
            return self.as_read.get(shown, shown)
        return shown

    def _inner(self, functor: SheetName) -> _Inside:
        """What stands in the brackets of a name."""
        functor.has_brackets = True
        standing, name = functor.standing, functor.text
        if name in CONNECTIVES and standing in ATOM_PLACES:
            functor.standing = "connective"
            return _Inside((standing,), functor)
        if standing in ATOM_PLACES or standing == "fact":
            inner = ARGUMENTS[self.notation].get(name, ()) if _has_arguments(name, standing) else ()
            return _Inside((*inner, "term"), functor, word=name)
        return _Inside(("expression" if standing == "expression" else "term",), functor, word=name)


def _has_arguments(name: str, standing: Standing) -> bool:
    """Whether a name means at its place what the language says; of a fact only control does."""
    return standing != "fact" or name == "control"


def _kind(token: SheetToken, shown: str) -> NameKind:
    if token.kind == "variable":
        return "variable"
    if token.kind == "string":
        return "string"
    return "number" if token.kind == "symbol" and NUMBER.match(shown) else "name"


# Infix notation


@dataclass
class _InfixWalk(_NameWalk):
    part: int = 0
    """How many names came before the part of the sentence that is looked at: its head, condition or effects."""

    def run(self, tokens: tuple[SheetToken, ...]) -> None:
        """Find the names; what an arrow says of those before it is known when it comes."""
        self.opened = [_Inside(("head",))]
        last: SheetName | None = None
        for token in tokens:
            last = self._step(token, last)
        for inside in self.opened[:0:-1]:
            _close(inside)

    def _step(self, token: SheetToken, last: SheetName | None) -> SheetName | None:
        """Take a token; the name that a bracket behind it would belong to, if it is one."""
        top = self.opened[-1]
        if token.kind == "open":
            top.is_empty = False
            if len(self.opened) < MOST_OPEN:
                is_call = last is not None and self.text[token.start] == "("
                self.opened.append(self._inner(last) if is_call and last else self._nameless(token, top))
        elif token.kind == "close":
            if len(self.opened) > 1:
                _close(self.opened.pop())
        elif token.kind == "comma":
            top.count, top.is_empty = top.count + (len(self.opened) > 1), True
        elif token.kind == "mark":
            self._mark(self.text[token.start : token.end])
        elif token.kind != "unreadable":
            top.is_empty = False
            name = self._name(token, top)
            return name if token.kind != "variable" else None
        return None

    def _nameless(self, token: SheetToken, top: _Inside) -> _Inside:
        """A bracket around a part of a formula or a term, or a list."""
        standing = top.standing()
        if self.text[token.start] == "[" and standing in (*ATOM_PLACES, "fact", "move", "role"):
            standing = "term"
        return _Inside((standing,), word=top.word)

    def _mark(self, mark: str) -> None:
        """Say what the names before an arrow are, and what those behind it will be."""
        if len(self.opened) > 1:
            return
        standings: dict[str, tuple[Standing, Standing]] = {
            ":-": ("head", "condition"),
            "::": ("operation", "effect"),
            "==>": ("condition", "effect"),
            ":=": ("function", "expression"),
        }
        if mark in standings:
            before, after = standings[mark]
            supposed = self.opened[0].standing()
            for name in self.names[self.part :]:
                if name.standing == supposed:
                    name.standing = before
            self.part, self.opened = len(self.names), [_Inside((after,))]


def _close(inside: _Inside) -> None:
    if inside.functor:
        inside.functor.arity = inside.count + (not inside.is_empty or inside.count > 0)


# KIF


@dataclass
class _KifWalk(_NameWalk):
    def run(self, tokens: tuple[SheetToken, ...]) -> None:
        """Find the names: the first in a bracket is its functor."""
        self.opened = [_Inside(("head",))]
        for number, token in enumerate(tokens):
            self._step(token, is_first=number > 0 and tokens[number - 1].kind == "open")
        while len(self.opened) > 1:
            self._leave(self.opened.pop())

    def _step(self, token: SheetToken, *, is_first: bool) -> None:
        top = self.opened[-1]
        if token.kind == "open":
            if len(self.opened) < MOST_OPEN:
                self.opened.append(_Inside((top.standing(),), word=top.word))
                self.opened[-1].count = top.count
        elif token.kind == "close":
            if len(self.opened) > 1:
                self._leave(self.opened.pop())
        elif token.kind == "mark" and is_first:
            arrow: tuple[Standing, ...] = ("head", "condition")
            self.opened[-1] = _Inside(
                arrow if self.text[token.start : token.end] == "<=" else ("function", "expression")
            )
        elif token.kind in ("symbol", "quoted") and is_first:
            self.opened[-1] = self._inner(self._name(token, top))
        elif token.kind != "unreadable":
            self._name(token, top)
            top.count += 1

    def _leave(self, inside: _Inside) -> None:
        if inside.functor:
            inside.functor.arity = inside.count
        self.opened[-1].count += 1
