"""Sheet + offset -> the places of a name: where its meaning is said, where it stands, how another takes its place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from gamemaster.editing.lines import TextLines
from gamemaster.editing.names import SheetName
from gamemaster.editing.scanning import NUMBER, scan
from gamemaster.editing.sheets import EditedSheet, edited_sheet, span_of
from gamemaster.editing.words import CONNECTIVE_WORDS, words_of
from gamemaster.errors import ParameterError
from gamemaster.language.builtins import NAMES
from gamemaster.language.rules import Notation
from gamemaster.language.source import Span
from gamemaster.language.terms import quote, unquote

__all__ = ["TextEdit", "apply_edits", "definition", "references", "rename", "renamed_span"]

LIST_WORDS = frozenset({"nil", "cons"})
"""What lists are made of, in brackets or not."""

ANONYMOUS = re.compile(r"_|\?_[0-9]*\Z")
LONGEST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class TextEdit:
    """A span of a text, and what is to stand there instead."""

    span: Span
    text: str


def apply_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """The text after edits that do not overlap."""
    pieces, done = [], 0
    for edit in sorted(edits, key=lambda edit: edit.span.start):
        pieces += [text[done : edit.span.start], edit.text]
        done = edit.span.end
    return "".join(pieces) + text[done:]


def definition(text: str, offset: int, notation: Notation | None = None) -> tuple[Span, ...]:
    """Where it is said what the name at an offset means: its heads, or what first makes it a fact, a move, a role.

    Of a variable it is where it first stands in its rule; of what nothing in the sheet defines, nowhere.
    """
    sheet = edited_sheet(text, notation)
    name = sheet.name_at(offset)
    if name is None or name.kind in ("number", "string") or name.standing == "connective":
        return ()
    group = sheet.group(name)
    if name.kind == "variable":
        return (span_of(group[0]),)
    if sheet.is_builtin(name):
        return ()
    found = sheet.defining(group)
    fitting = [other for other in found if other.arity == name.arity] or found
    return tuple(map(span_of, fitting))


def references(text: str, offset: int, notation: Notation | None = None) -> tuple[Span, ...]:
    """Everywhere the name at an offset stands, with other numbers of arguments too."""
    sheet = edited_sheet(text, notation)
    name = sheet.name_at(offset)
    return tuple(map(span_of, sheet.group(name))) if name else ()


def renamed_span(text: str, offset: int, notation: Notation | None = None) -> Span:
    """Where the name stands that would be renamed at an offset; ParameterError where none can be."""
    return span_of(_renamed(edited_sheet(text, notation), offset))


def rename(text: str, offset: int, new: str, notation: Notation | None = None) -> tuple[TextEdit, ...]:
    """What to change so that the name at an offset is another one, and the rules mean the same.

    ParameterError for what has a meaning of its own, and for a new name that is none, has one, or is in the sheet.
    """
    sheet = edited_sheet(text, notation)
    name = _renamed(sheet, offset)
    written = _written(sheet, name, new)
    read = _as_read(written)
    if read == name.text:
        return ()
    _check_meaning(sheet, name, read)
    _check_clash(sheet, name, read)
    return tuple(TextEdit(span_of(other), _like(sheet, other, written)) for other in sheet.group(name))


def _renamed(sheet: EditedSheet, offset: int) -> SheetName:
    """The name at an offset, if it is the author's own."""
    name = sheet.name_at(offset)
    if name is None:
        place = "{}:{}".format(*(number + 1 for number in TextLines.of(sheet.text).place(offset)))
        raise ParameterError(f"no name stands at {place}; point at a relation, a constant or a variable")
    shown = sheet.text[name.start : name.end][:LONGEST_SHOWN]
    if name.kind in ("number", "string"):
        raise ParameterError(f"{shown} is a {name.kind}, which means itself; a name can be renamed")
    if name.kind == "variable" and ANONYMOUS.match(shown):
        raise ParameterError(f"{shown} is a variable that nobody names; write a name in its place by hand")
    if name.kind == "name":
        for other in sheet.group(name):
            _check_own(sheet, other)
    return name


def _check_own(sheet: EditedSheet, name: SheetName) -> None:
    line = TextLines.of(sheet.text).line(name.start) + 1
    if sheet.is_word(name) or name.text in LIST_WORDS or name.text in CONNECTIVE_WORDS:
        raise ParameterError(
            f"{name.text} is a word of the language at line {line}, and keeps its name; rename one of your own"
        )
    if sheet.is_builtin(name):
        raise ParameterError(
            f"{name.text} is a builtin at line {line}, and keeps its name; rename one of your own"
        )


def _written(sheet: EditedSheet, name: SheetName, new: str) -> str:
    """The new name as it is written, of the same kind as the old one."""
    new = new.strip()
    if name.kind == "variable" and sheet.is_kif and not new.startswith("?"):
        new = f"?{new}"
    found = scan(new, sheet.notation)
    kinds = ("variable",) if name.kind == "variable" else ("symbol", "quoted")
    is_whole = len(found) == 1 and (found[0].start, found[0].end) == (0, len(new))
    if is_whole and found[0].kind in kinds and not (NUMBER.match(new) or ANONYMOUS.match(new)):
        return new
    example = {
        ("variable", True): "?x",
        ("variable", False): "X: a capital letter first",
        ("name", True): "cell, or |any text| between bars",
        ("name", False): "cell: a small letter first, or 'any text' between quotes",
    }[name.kind if name.kind == "variable" else "name", sheet.is_kif]
    what = "variable" if name.kind == "variable" else "name"
    raise ParameterError(
        f"{new[:LONGEST_SHOWN]!r} is no {what} in {_shown(sheet.notation)}; write one like {example}"
    )


def _shown(notation: Notation) -> str:
    return "Epilog" if notation == "epilog" else notation.upper()


def _as_read(written: str) -> str:
    return unquote(written) if written[0] in "|'" else written


def _like(sheet: EditedSheet, name: SheetName, written: str) -> str:
    """The new name where an old one stands: between quotes, if that was."""
    if name.is_quoted and written[0] not in "|'":
        return quote(written, "|" if sheet.is_kif else "'")
    return written


def _check_meaning(sheet: EditedSheet, name: SheetName, new: str) -> None:
    """ParameterError for a new name that has a meaning already where the old one stands."""
    if name.kind == "variable":
        return
    folded = new.lower() if sheet.is_kif else new
    sort = sheet.key(name)[0]
    is_word = sort == "relation" and folded in words_of(sheet.notation)
    if is_word or folded in LIST_WORDS or folded in CONNECTIVE_WORDS or folded == "random":
        raise ParameterError(f"{new} is a word of the language; choose another name")
    is_computed = any(n.standing in ("function", "expression") for n in sheet.group(name))
    if folded in NAMES and (sort == "relation" or is_computed):
        raise ParameterError(f"{new} is a builtin; choose another name")


def _check_clash(sheet: EditedSheet, name: SheetName, new: str) -> None:
    """ParameterError where the new name is taken already; KIF may read two spellings as one."""
    sort, _, sentence = sheet.key(name)
    folded = new.lower() if sheet.is_kif else new
    for other in sheet.names:
        taken = other.text.lower() if sheet.is_kif else other.text
        if taken == folded and other.text != name.text:
            other_sort, _, other_sentence = sheet.key(other)
            is_same_sort = other_sort == sort and other_sentence == sentence
            # In KIF a spelling with capitals is another name only as long as there are two.
            if is_same_sort or (sheet.is_kif and other.text != new and other.kind == name.kind):
                line = TextLines.of(sheet.text).line(other.start) + 1
                raise ParameterError(f"{new} is in the sheet already, at line {line}; choose another name")
