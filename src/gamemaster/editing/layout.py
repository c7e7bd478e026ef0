"""Text -> the same rules in the house's layout: comments, order and the author's lines stay, blanks become regular.

A sentence that was on one line stays on one, if it fits; where its author broke it, it is broken, and indented by its
brackets. Facts that share a line share it; rules have one of their own. More than one empty line becomes one.

    legal(mark(X,Y)):-cell(X,Y,b)&          legal(mark(X,Y)) :- cell(X,Y,b) &
        control(R)  %whose turn               control(R)  %whose turn
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gamemaster.editing.scanning import SheetToken
from gamemaster.editing.sentences import SentenceTokens
from gamemaster.editing.sheets import EditedSheet, edited_sheet
from gamemaster.errors import RulesError
from gamemaster.language.notation import read
from gamemaster.language.rules import Notation
from gamemaster.language.source import LINE_END, Source

__all__ = ["WIDTH", "format_sheet", "laid_out"]

WIDTH = 120
"""How wide a line of a rule may be: the widest in the library are as wide."""

FACTS_WIDTH = 160
"""How wide a line of facts may be: they are tables, which their authors lay out."""

JOINTS = frozenset({"&", "|", ":-", "::", "==>", ":="})
"""Marks with blanks around them, behind which a line may end."""

TRAILING = "  "
"""Between a sentence and the comment behind it."""


def format_sheet(text: str, notation: Notation | None = None) -> str:
    """The text in the house's layout; as it is, where it cannot be read as rules."""
    sheet = edited_sheet(text, notation)
    try:
        rules = read(Source("rules", text), sheet.notation)
        laid = laid_out(sheet)
        is_same = read(Source("rules", laid), sheet.notation) == rules
    except RulesError:
        return text
    return laid if is_same else text


def laid_out(sheet: EditedSheet) -> str:
    """The layout of a sheet that can be read as rules."""
    if not sheet.tokens:
        return sheet.text
    layout = _SheetLayout(sheet)
    for piece in _pieces(sheet):
        layout.add(piece)
    mark = "\ufeff" if sheet.text.startswith("\ufeff") else ""
    found = LINE_END.search(sheet.text)
    line_end = found[0] if found else "\n"
    return mark + "".join(line + line_end for line in layout.lines)


# The sheet: sentences, and comments between them


@dataclass(frozen=True, slots=True)
class _Piece(SentenceTokens):
    """A sentence with the comments in it, or a comment between sentences."""

    is_sentence: bool
    is_fact: bool = False


def _pieces(sheet: EditedSheet) -> Iterator[_Piece]:
    """Sentences and the comments between them, in their order."""
    comments = [token for token in sheet.tokens if token.kind == "comment"]
    done = 0
    for number, sentence in enumerate(sheet.sentences):
        while done < len(comments) and comments[done].start < sentence.start:
            yield _Piece((comments[done],), False)
            done += 1
        inside = done
        while inside < len(comments) and comments[inside].start < sentence.end:
            inside += 1
        tokens = sorted((*sentence.tokens, *comments[done:inside]), key=lambda token: token.start)
        yield _Piece(tuple(tokens), True, sheet.kind_of(number) == "fact")
        done = inside
    for comment in comments[done:]:
        yield _Piece((comment,), False)


@dataclass
class _SheetLayout:
    """The lines so far."""

    sheet: EditedSheet
    lines: list[str] = field(default_factory=list)
    last: _Piece | None = None

    def add(self, piece: _Piece) -> None:
        """Put a piece below the lines, or behind the last of them."""
        shown = self._shown(piece)
        breaks = self._breaks(piece)
        if breaks == 0 and not piece.is_sentence:
            self.lines[-1] += TRAILING + shown[0]
        elif breaks == 0 and self._fits_behind(piece, shown):
            self.lines[-1] += " " + shown[0]
        else:
            self.lines += [""] * (breaks > 1) + shown
        self.last = piece

    def _shown(self, piece: _Piece) -> list[str]:
        if not piece.is_sentence:
            return [_comment(self.sheet, piece.tokens[0])]
        kind = _KifLines if self.sheet.is_kif else _InfixLines
        shown = kind(self.sheet, piece.tokens).run()
        if shown[0].startswith("(") and self.last and not self.sheet.is_kif:
            shown[0] = ". " + shown[0]  # it would be taken for the arguments of the sentence before
        return shown

    def _breaks(self, piece: _Piece) -> int:
        """How many lines end between the last piece and this one, but 2 for more; 1 at least before the first."""
        if self.last is None:
            return 1
        return min(2, len(LINE_END.findall(self.sheet.text, self.last.end, piece.start)))

    def _fits_behind(self, piece: _Piece, shown: list[str]) -> bool:
        """Whether a fact goes on with a line of facts."""
        last = self.last
        is_fact = last is not None and last.is_fact and piece.is_fact and len(shown) == 1
        width = len(self.lines[-1]) + 1 + len(shown[0])
        return is_fact and not self.lines[-1].startswith(" ") and width <= FACTS_WIDTH


def _comment(sheet: EditedSheet, token: SheetToken) -> str:
    return sheet.text[token.start : token.end].rstrip()


# One sentence


@dataclass
class _Line:
    """A line of a sentence as it grows: what stands in it, and where it could be broken."""

    indent: int
    text: str = ""
    joints: list[int] = field(default_factory=list)
    """Offsets in it behind which another line can begin, outside all brackets of infix notation."""

    comment: str = ""

    def show(self) -> str:
        shown = " " * self.indent + self.text
        if self.comment:
            shown = (shown + TRAILING if self.text else " " * self.indent) + self.comment
        return shown


@dataclass
class _SentenceLines:
    """The tokens of a sentence -> its lines."""

    sheet: EditedSheet
    tokens: tuple[SheetToken, ...]
    lines: list[_Line] = field(default_factory=lambda: [_Line(0)])
    depth: int = 0

    def run(self) -> list[str]:
        """The lines of the sentence."""
        before: SheetToken | None = None
        for token in self.tokens:
            is_below = before is not None and self._has_break(before, token)
            if token.kind == "comment":
                if is_below or self.lines[-1].comment:
                    self._begin_line()
                self.lines[-1].comment = _comment(self.sheet, token)
            else:
                self._place(before, token, is_below)
            before = token
        return [shown for line in self.lines for shown in self._wrapped(line)]

    def _has_break(self, before: SheetToken, token: SheetToken) -> bool:
        return LINE_END.search(self.sheet.text, before.end, token.start) is not None

    def _begin_line(self) -> None:
        self.lines.append(_Line(self._indent()))

    def _text(self, token: SheetToken) -> str:
        return self.sheet.text[token.start : token.end]

    def _place(self, before: SheetToken | None, token: SheetToken, is_below: bool) -> None:
        raise NotImplementedError

    def _indent(self) -> int:
        raise NotImplementedError

    def _wrapped(self, line: _Line) -> list[str]:
        raise NotImplementedError


@dataclass
class _InfixLines(_SentenceLines):
    breaks_next: bool = False
    """Whether a line ends behind the mark that came last, because it ended before it."""

    def _indent(self) -> int:
        return 2 + 2 * self.depth

    def _place(self, before: SheetToken | None, token: SheetToken, is_below: bool) -> None:
        text, is_joint = self._text(token), self._is_joint(token)
        if before and before.kind == "comment":
            self._begin_line()
        elif before and is_joint:
            self.breaks_next = self.breaks_next or is_below
            self.lines[-1].text += " "
        elif before and self._can_break(before):
            if is_below or self.breaks_next:
                self.lines[-1].text = self.lines[-1].text.rstrip()
                self._begin_line()
            elif before.kind == "mark":
                self.lines[-1].text += " "
        if not is_joint:
            self.breaks_next = False
        self.depth = max(0, self.depth - (token.kind == "close"))
        self.lines[-1].text += text
        self.depth += token.kind == "open"
        if is_joint and not self.depth:
            self.lines[-1].joints.append(len(self.lines[-1].text))

    def _is_joint(self, token: SheetToken) -> bool:
        return token.kind == "mark" and self._text(token) in JOINTS

    def _can_break(self, before: SheetToken) -> bool:
        return before.kind == "comma" or self._is_joint(before)

    def _wrapped(self, line: _Line) -> list[str]:
        """The line, in several where it is too wide: first behind the arrow, then as much in each as fits."""
        shown: list[str] = []
        indent, begin = line.indent, 0
        while indent + len(line.text) - begin > WIDTH:
            joints = [joint for joint in line.joints if begin < joint < len(line.text)]
            if not joints:
                break
            fitting = [joint for joint in joints if indent + joint - begin <= WIDTH]
            arrow = next((j for j in joints if line.text[:j].endswith((":-", "::"))), None)
            end = arrow or (fitting or joints[:1])[-1]
            shown.append(" " * indent + line.text[begin:end])
            begin = end + 1
            indent = 2
        rest = _Line(indent, line.text[begin:], comment=line.comment)
        return [*shown, rest.show()]


@dataclass
class _KifLines(_SentenceLines):
    def _indent(self) -> int:
        return 2 + 2 * self.depth

    def _place(self, before: SheetToken | None, token: SheetToken, is_below: bool) -> None:
        self.depth -= token.kind == "close"
        if before and before.kind == "comment":
            self._begin_line()
        elif before and before.kind != "open" and token.kind != "close":
            if is_below:
                self._begin_line()
            else:
                if self.depth == 1:
                    self.lines[-1].joints.append(len(self.lines[-1].text))
                self.lines[-1].text += " "
        self.lines[-1].text += self._text(token)
        self.depth += token.kind == "open"

    def _wrapped(self, line: _Line) -> list[str]:
        """The line, in one for each condition where it is too wide; an arrow and its head stay together."""
        if line.indent + len(line.text) <= WIDTH:
            return [line.show()]
        joints = line.joints[1:] if line.indent == 0 else line.joints
        ends = [*joints, len(line.text)]
        begins = [0, *(joint + 1 for joint in joints)]
        indents = [line.indent] + [4] * len(joints)
        lines = [
            _Line(*each) for each in zip(indents, map(lambda b, e: line.text[b:e], begins, ends), strict=True)
        ]
        lines[-1].comment = line.comment
        return [each.show() for each in lines]
