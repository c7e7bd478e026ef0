"""Tokens -> sentences, where a reader sees them; in a text that no reader accepts, where their author does.

People type: most texts that an editor sees have a bracket open somewhere. What can be no continuation of a sentence
then begins the next one: in KIF a bracket at the beginning of a line, or one that opens a rule inside another; in infix
notation a line inside a bracket with no comma before it, and the line in which a second arrow stands.
"""

from __future__ import annotations

from dataclasses import dataclass

from gamemaster.editing.scanning import SheetToken
from gamemaster.language.rules import Notation

__all__ = ["SentenceTokens", "sentences_of"]

OPERAND_ENDS = frozenset({"symbol", "variable", "string", "quoted", "close"})
OPERAND_BEGINS = frozenset({"symbol", "variable", "string", "quoted", "open"})
ARROWS = frozenset({":-", "::", ":="})
"""Marks of infix notation that stand once in a sentence, in no bracket."""


@dataclass(frozen=True, slots=True)
class SentenceTokens:
    """The tokens of a sentence, without comments."""

    tokens: tuple[SheetToken, ...]

    @property
    def start(self) -> int:
        """Where it begins in the text."""
        return self.tokens[0].start

    @property
    def end(self) -> int:
        """Where it ends in the text."""
        return self.tokens[-1].end


def sentences_of(text: str, tokens: list[SheetToken], notation: Notation) -> list[SentenceTokens]:
    """The sentences of a text, given its tokens."""
    spoken = [token for token in tokens if token.kind != "comment"]
    split = _split_kif if notation == "kif" else _split_infix
    return [SentenceTokens(tuple(found)) for found in split(text, spoken)]


# KIF


def _split_kif(text: str, tokens: list[SheetToken]) -> list[list[SheetToken]]:
    """The expressions outside all brackets; a bracket that closes nothing belongs to none."""
    is_broken = not _is_balanced(tokens)
    found: list[list[SheetToken]] = []
    depth = 0
    for number, token in enumerate(tokens):
        if token.kind == "open" and depth and _begins_anew(text, tokens, number, is_broken):
            depth = 0
        if token.kind == "close" and not depth:
            continue
        if depth == 0:
            found.append([])
        found[-1].append(token)
        depth += (token.kind == "open") - (token.kind == "close")
    return found


def _is_balanced(tokens: list[SheetToken]) -> bool:
    depth = 0
    for token in tokens:
        depth += (token.kind == "open") - (token.kind == "close")
        if depth < 0:
            return False
    return depth == 0


def _begins_anew(text: str, tokens: list[SheetToken], number: int, is_broken: bool) -> bool:
    """Whether a bracket inside another one is where a sentence begins."""
    start = tokens[number].start
    after = tokens[number + 1] if number + 1 < len(tokens) else None
    if after and after.kind == "mark" and text[after.start : after.end] == "<=":
        return True
    return is_broken and _is_first_on_line(text, start, start)


def _is_first_on_line(text: str, start: int, earliest: int) -> bool:
    """Whether a line begins at `start`, or before it, from `earliest` on with nothing but blanks between."""
    blanks = text[earliest:start]
    return not blanks.strip(" \t") and (earliest == 0 or text[earliest - 1] in "\r\n")


# Infix notation


@dataclass
class _InfixSplit:
    """Sentences that follow each other without a mark between them: one ends where no operator goes on with it."""

    text: str
    tokens: list[SheetToken]

    def run(self) -> list[list[SheetToken]]:
        found: list[list[SheetToken]] = []
        number = 0
        while number < len(self.tokens):
            if self.tokens[number].kind == "dot":
                number += 1
                continue
            end = self._end(number)
            found.append(self.tokens[number:end])
            number = end
        return found

    def _end(self, begin: int) -> int:
        """Behind the last token of the sentence that begins with a token."""
        depth, has_arrow, line_begin = 0, False, 0
        for number in range(begin, len(self.tokens)):
            token = self.tokens[number]
            if number > begin and self._begins_line(number):
                line_begin = number
            if token.kind == "dot" and not depth:
                return number
            if number > begin and self._goes_not_on(number, depth):
                return number
            if token.kind == "mark" and self.text[token.start : token.end] in ARROWS:
                if line_begin and (depth or has_arrow):
                    return line_begin
                has_arrow = True
            depth = max(0, depth + (token.kind == "open") - (token.kind == "close"))
        return len(self.tokens)

    def _goes_not_on(self, number: int, depth: int) -> bool:
        """Whether a token is a new operand behind a complete one; in a bracket only where a line begins with it."""
        before, token = self.tokens[number - 1], self.tokens[number]
        if before.kind not in OPERAND_ENDS or not self._begins_operand(number):
            return False
        if self.text[token.start] == "(" and before.kind in ("symbol", "string", "quoted"):
            return False
        return not depth or (token.kind == "symbol" and self._begins_line(number))

    def _begins_operand(self, number: int) -> bool:
        token = self.tokens[number]
        return token.kind in OPERAND_BEGINS or (token.kind == "mark" and self.text[token.start] == "~")

    def _begins_line(self, number: int) -> bool:
        """Whether only blanks and comments stand between a token and the beginning of its line."""
        between = self.text[self.tokens[number - 1].end : self.tokens[number].start]
        return "\n" in between or "\r" in between


def _split_infix(text: str, tokens: list[SheetToken]) -> list[list[SheetToken]]:
    return _InfixSplit(text, tokens).run()
