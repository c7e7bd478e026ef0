"""Text -> EditedSheet: its tokens, sentences and names, found once, and which names are one.

Names are one if they can only be changed together: a relation wherever it is defined, asked for or handled; a functor
or a constant in all terms; a variable in its sentence. In Epilog facts and moves are relations, and where a rule makes
a fact or a move of a variable, any term may become one: then a name is one wherever it stands.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import Literal, TypeAlias

from gamemaster.editing.names import ATOM_PLACES, SheetName, names_in
from gamemaster.editing.scanning import MOST_CHARACTERS, SheetToken, notation_of, scan
from gamemaster.editing.sentences import SentenceTokens, sentences_of
from gamemaster.language.builtins import NAMES
from gamemaster.language.check.sheet import EPILOG_WORDS, GDL_WORDS
from gamemaster.language.kif import names_as_read
from gamemaster.language.rules import Notation
from gamemaster.language.source import Span

__all__ = ["EditedSheet", "NameKey", "SentenceKind", "edited_sheet", "span_of"]

SentenceKind: TypeAlias = Literal["fact", "rule", "handler", "definition"]
NameKey: TypeAlias = tuple[str, str, int]
"""What is one name: its sort, its text, and for a variable its sentence."""

KEPT = 4
"""Sheets that are remembered: an editor asks much of one text, and then of the next."""

FACT_MAKERS = frozenset({"init", "base", "next"})
MOVE_MAKERS = frozenset({"legal", "action", "input"})


@dataclass(frozen=True)
class EditedSheet:
    """A sheet under somebody's hands; it may be broken anywhere."""

    text: str
    notation: Notation

    @property
    def is_kif(self) -> bool:
        """Whether it is written in prefix notation."""
        return self.notation == "kif"

    @property
    def words(self) -> dict[str, int]:
        """The words of its language, and how many arguments each takes."""
        return EPILOG_WORDS if self.notation == "epilog" else GDL_WORDS

    @cached_property
    def tokens(self) -> list[SheetToken]:
        """All tokens; none where the text is too large to be looked at."""
        return scan(self.text, self.notation) if len(self.text) <= MOST_CHARACTERS else []

    @cached_property
    def sentences(self) -> list[SentenceTokens]:
        """The sentences, those that are not complete too."""
        return sentences_of(self.text, self.tokens, self.notation)

    @cached_property
    def names(self) -> list[SheetName]:
        """The names in the order of the text."""
        as_read = names_as_read(self.text) if self.is_kif and self.tokens else {}
        return names_in(self.text, self.sentences, self.notation, as_read)

    @cached_property
    def _starts(self) -> list[int]:
        return [name.start for name in self.names]

    @cached_property
    def _sentence_starts(self) -> list[int]:
        return [sentence.start for sentence in self.sentences]

    @cached_property
    def _is_open(self) -> bool:
        """Whether terms become facts or moves."""
        return any(name.kind == "variable" and name.standing in ("fact", "move") for name in self.names)

    @cached_property
    def groups(self) -> dict[NameKey, list[SheetName]]:
        """The names that are one, by what they are."""
        found: dict[NameKey, list[SheetName]] = {}
        for name in self.names:
            found.setdefault(self.key(name), []).append(name)
        return found

    def key(self, name: SheetName) -> NameKey:
        """What a name is one with."""
        if name.kind != "name":
            return name.kind, name.text, name.sentence if name.kind == "variable" else 0
        if name.standing == "connective":
            return "connective", name.text, 0
        if self.notation == "epilog" and self._is_open:
            return "relation", name.text, 0
        return self._sort(name), name.text, 0

    def _sort(self, name: SheetName) -> str:
        is_fact = self.notation == "epilog" and name.standing in ("fact", "move")
        if name.standing in ATOM_PLACES or is_fact:
            return "relation"
        return "functor" if name.has_brackets or name.standing == "function" else "constant"

    def group(self, name: SheetName) -> list[SheetName]:
        """All names that are one with a name, itself among them."""
        return self.groups[self.key(name)]

    def name_at(self, offset: int) -> SheetName | None:
        """The name at an offset, or that ends there."""
        for start in (offset, offset - 1):
            number = bisect_right(self._starts, start) - 1
            if number >= 0 and self.names[number].start <= start < self.names[number].end:
                return self.names[number]
        return None

    def names_behind(self, name: SheetName) -> Iterator[SheetName]:
        """The names that follow on a name in its sentence."""
        for number in range(bisect_right(self._starts, name.start), len(self.names)):
            if self.names[number].sentence != name.sentence:
                return
            yield self.names[number]

    def token_at(self, offset: int) -> SheetToken | None:
        """The token at an offset."""
        number = bisect_right(self.tokens, offset, key=lambda token: token.start) - 1
        if number >= 0 and self.tokens[number].start <= offset < self.tokens[number].end:
            return self.tokens[number]
        return None

    def tokens_from(self, offset: int) -> Iterator[SheetToken]:
        """The tokens that begin at an offset or behind it."""
        first = bisect_left(self.tokens, offset, key=lambda token: token.start)
        return islice(self.tokens, first, None)

    def sentence_at(self, offset: int) -> int | None:
        """The number of the last sentence that begins before an offset, or at it."""
        number = bisect_right(self._sentence_starts, offset) - 1
        return number if number >= 0 else None

    def kind_of(self, sentence: int) -> SentenceKind:
        """What a sentence is, by its arrow."""
        arrows: dict[str, SentenceKind] = {
            ":-": "rule",
            "<=": "rule",
            "::": "handler",
            "==>": "handler",
            ":=": "definition",
        }
        marks = (token for token in self.sentences[sentence].tokens if token.kind == "mark")
        kinds = (arrows.get(self.text[token.start : token.end]) for token in marks)
        return next(filter(None, kinds), "fact")

    # What names mean

    def is_word(self, name: SheetName) -> bool:
        """Whether the language gives a name its meaning where it stands."""
        if name.standing in ("connective", "word"):
            return True
        if name.standing in ATOM_PLACES:
            return name.text in self.words or (self.notation == "epilog" and name.text in ("true", "false"))
        is_control = self.notation == "epilog" and name.text == "control" and name.standing == "fact"
        return is_control or (name.text == "random" and not name.has_brackets)

    def is_builtin(self, name: SheetName) -> bool:
        """Whether a name means a builtin: the sheet has no relation of that name, and it is asked or computed."""
        if name.text not in NAMES or name.kind != "name":
            return False
        if name.standing == "expression":
            return name.has_brackets
        return name.standing in ATOM_PLACES and (name.text == "distinct" or name.text not in self.own_names)

    @cached_property
    def own_names(self) -> frozenset[str]:
        """The names of relations that the sheet defines or, in Epilog, keeps in its state."""
        own = {"head", "operation", "effect"} | ({"fact"} if self.notation == "epilog" else set())
        return frozenset(name.text for name in self.names if name.standing in own)

    def defining(self, group: list[SheetName]) -> list[SheetName]:
        """Those of a group where its meaning is said: heads, or what first makes it a fact, a move, a role."""
        return (
            [n for n in group if n.standing in ("head", "operation", "function")]
            or [n for n in group if n.standing == "role" and n.word == "role"]
            or [n for n in group if n.standing == "fact" and n.word in FACT_MAKERS]
            or [n for n in group if n.standing == "move" and n.word in MOVE_MAKERS]
            or [n for n in group if n.standing == "effect"]
            or group[:1]
        )

    def roles(self) -> list[str]:
        """The roles that facts name, in their order."""
        return list(dict.fromkeys(n.text for n in self.names if n.standing == "role" and n.word == "role"))


def span_of(name: SheetName) -> Span:
    """Where a name stands."""
    return Span(name.start, name.end)


def edited_sheet(text: str, notation: Notation | None = None) -> EditedSheet:
    """The sheet of a text, in the notation given or else the one that it looks like."""
    return _edited_sheet(text, notation)


@lru_cache(maxsize=KEPT)
def _edited_sheet(text: str, notation: Notation | None) -> EditedSheet:
    return EditedSheet(text, notation_of(text, notation))
