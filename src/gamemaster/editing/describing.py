"""Sheet + offset -> what stands there: what a name means, where that is said, and how often it is used."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from gamemaster.editing.lines import TextLines
from gamemaster.editing.names import ATOM_PLACES, SheetName, Standing
from gamemaster.editing.sheets import EditedSheet, edited_sheet, span_of
from gamemaster.editing.words import BUILTINS, CONNECTIVE_WORDS, MARKS, signature, words_of
from gamemaster.language.rules import Notation
from gamemaster.language.source import Span

__all__ = ["Hover", "hover", "own_signature"]

SHOWN_LINES = 5


@dataclass(frozen=True, slots=True)
class Hover:
    """What is said of what stands at a span: how it is written, what it is, and more of it, a line each."""

    span: Span
    title: str
    meaning: str
    details: tuple[str, ...] = ()


def hover(text: str, offset: int, notation: Notation | None = None) -> Hover | None:
    """What stands at an offset; None where that needs no words."""
    sheet = edited_sheet(text, notation)
    name = sheet.name_at(offset)
    if name is None:
        return _mark(sheet, offset)
    if name.kind == "variable":
        count = len(sheet.group(name))
        return Hover(
            span_of(name), sheet.text[name.start : name.end], "a variable of this rule", (_used(count),)
        )
    if name.kind != "name":
        return None
    if known := _known(sheet, name):
        return known
    return _own(sheet, name)


def _mark(sheet: EditedSheet, offset: int) -> Hover | None:
    token = sheet.token_at(offset)
    mark = sheet.text[token.start : token.end] if token and token.kind == "mark" else ""
    return Hover(Span(token.start, token.end), mark, MARKS[mark]) if token and mark in MARKS else None


def _known(sheet: EditedSheet, name: SheetName) -> Hover | None:
    """What the language says of a name."""
    if sheet.is_builtin(name):
        entry, what = BUILTINS[name.text], "a builtin"
    elif name.standing == "connective":
        entry, what = CONNECTIVE_WORDS[name.text], "a connective"
    elif sheet.is_word(name) and name.text in words_of(sheet.notation):
        entry, what = words_of(sheet.notation)[name.text], "a word of the language"
    elif sheet.is_word(name) and name.text == "random":
        return Hover(span_of(name), "random", "the role of chance: it makes any of its legal moves")
    else:
        return None
    title = signature(name.text, entry.arguments, sheet.notation)
    return Hover(span_of(name), title, entry.meaning, (what,))


def _own(sheet: EditedSheet, name: SheetName) -> Hover:
    """What the sheet says of a name."""
    group = sheet.group(name)
    title = own_signature(sheet, name)
    others = sorted({n.arity for n in group} - {name.arity})
    details = [*_places(sheet, group), _used(len(group))]
    if others and name.standing in ATOM_PLACES:
        details.append(f"also with {' and '.join(map(str, others))} arguments")
    return Hover(span_of(name), title, _meaning(sheet, name, group), tuple(details))


def own_signature(sheet: EditedSheet, name: SheetName) -> str:
    """A name of the sheet with arguments, named as where it is first given variables."""
    group = sheet.group(name)
    fitting = [n for n in [*sheet.defining(group), *group] if n.arity == name.arity]
    shown = next(filter(None, (_variables(sheet, n) for n in fitting)), None)
    if shown is None:
        letters = [chr(ord("A") + number) if number < 26 else f"A{number}" for number in range(name.arity)]
        shown = tuple(letters[:26])
    return signature(name.text, shown, sheet.notation)


def _variables(sheet: EditedSheet, name: SheetName) -> tuple[str, ...] | None:
    """The arguments of a name, where all are variables with a name."""
    arguments: list[str] = []
    for other in sheet.names_behind(name):
        if other.kind != "variable" or other.word != name.text or other.text == "_":
            return None
        arguments.append(other.text.removeprefix("?").capitalize() if sheet.is_kif else other.text)
        if len(arguments) == name.arity:
            return tuple(arguments)
    return None


def _meaning(sheet: EditedSheet, name: SheetName, group: list[SheetName]) -> str:
    """What sort of thing a name of the sheet is."""
    standings = {n.standing for n in group}
    if name.text in sheet.roles() and not name.has_brackets:
        return "a role"
    if "function" in standings:
        return "a definition, for evaluate"
    if sheet.notation == "epilog":
        return _epilog_meaning(name, standings)
    if name.standing in ATOM_PLACES:
        return (
            "a view: it follows from the rules" if "head" in standings else "nothing in the sheet defines it"
        )
    if "fact" in standings:
        return "part of the state"
    if "move" in standings:
        return "a move"
    return "a functor" if name.has_brackets else "a constant"


def _epilog_meaning(name: SheetName, standings: set[Standing]) -> str:
    if "operation" in standings or "move" in standings:
        return "a move" if "move" in standings else "what handlers make happen"
    if "head" in standings:
        return "a view: it follows from the rules"
    if standings & {"fact", "effect"}:
        return "part of the state"
    if standings & ATOM_PLACES:
        return "part of the state, which nothing in the sheet ever makes true"
    return "a functor" if name.has_brackets else "a constant"


def _places(sheet: EditedSheet, group: list[SheetName]) -> list[str]:
    """Where it is said what the name means."""
    if group[0].standing == "term" and len(sheet.defining(group)) == 1:
        return []
    lines = TextLines.of(sheet.text)
    defining = sheet.defining(group)
    kinds = Counter(sheet.kind_of(n.sentence) for n in defining)
    shown = ", ".join(f"{count} {kind}{'s' * (count > 1)}" for kind, count in kinds.items())
    numbers = list(dict.fromkeys(lines.line(n.start) + 1 for n in defining))
    more = ", ..." if len(numbers) > SHOWN_LINES else ""
    where = ", ".join(map(str, numbers[:SHOWN_LINES]))
    return [f"{shown}, at line{'s' * (len(numbers) > 1)} {where}{more}"]


def _used(count: int) -> str:
    return f"stands in the sheet {count} time{'s' * (count > 1)}"
