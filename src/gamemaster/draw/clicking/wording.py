"""Moves -> words: a label for each, for lists, buttons and those who do not see the board.

move(wp,d,2,d,3)          wp d2 to d3        a thing, where it is, where it goes
mark(1,3)                 mark 1,3
rotate(2,clockwise)       rotate 2 clockwise
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from gamemaster.draw.boards.shape import Row
from gamemaster.draw.clicking.places import take_apart
from gamemaster.draw.model import Cell
from gamemaster.language.terms import Term

__all__ = ["difference", "plain_words", "unique", "words_of"]

PLAIN_VERB = "move"
"""What goes without saying where something goes from one cell to another."""


def plain_words(move: Term) -> str:
    """A move without brackets: `drop 3`."""
    form, row = take_apart(move)
    if not row:
        return str(move)
    return " ".join((*_words(form.name), *row) if form.name else _words(row[0]))


def words_of(move: Term, cells: Sequence[Cell], rest: Row) -> str:
    """A move that is told by cells and by leaves that are none of them."""
    if not cells:
        return plain_words(move)
    verb = " ".join(_words(take_apart(move)[0].name))
    if len(cells) == 1:
        return ", ".join((f"{verb} {cells[0].name}".strip(), *rest))
    things = list(dict.fromkeys(thing.name for thing in cells[0].things))
    said = {*things, *(thing.content for thing in cells[0].things), *" ".join(things).split()}
    route = ", ".join((f"{cells[0].name} to {cells[1].name}", *(cell.name for cell in cells[2:])))
    words = ("" if verb == PLAIN_VERB and things else verb, things[0] if len(things) == 1 else "", route)
    return ", ".join((" ".join(filter(None, words)), *(leaf for leaf in rest if leaf not in said)))


def unique(labels: Sequence[str], moves: Sequence[Term]) -> list[str]:
    """The labels, but for those that several moves have: such a move stands for itself."""
    counts = Counter(labels)
    return [label if counts[label] == 1 else str(move) for label, move in zip(labels, moves, strict=True)]


def difference(move: Term, rivals: Sequence[Term]) -> str:
    """What tells a move apart from others: its verb if not all have it, and leaves that are not the same in all."""
    form, row = take_apart(move)
    others = [take_apart(rival) for rival in rivals]
    rows = [its for other, its in others if other == form]
    leaves = [leaf for column, leaf in enumerate(row) if any(its[column] != leaf for its in rows)]
    strangers = {other.name for other, _ in others if other != form}
    if not form.name or form.name in strangers or not (leaves or strangers):
        return plain_words(move)
    return " ".join([*(_words(form.name) if strangers else ()), *leaves])


def _words(name: str) -> list[str]:
    return name.replace("_", " ").split()
