"""style.toml -> Style: the tables [[board]], [pieces] and [[counter]], and `hide`.

What a style does not say is found from the rules: boards where it has none, looks of pieces, rows and columns. Whatever
it says is checked against the game, and refused at its line and column with what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from gamemaster.draw.finding.found import found_style
from gamemaster.draw.finding.possible import possible_facts
from gamemaster.draw.styles.board_table import read_board
from gamemaster.draw.styles.names import Names
from gamemaster.draw.styles.style import (
    COLOURS,
    GLYPHS,
    CounterStyle,
    PieceStyle,
    Style,
    is_colour,
    text_at,
)
from gamemaster.draw.styles.tables import StyleTable, read_style_table
from gamemaster.errors import ReadError
from gamemaster.language.rules import Relation
from gamemaster.language.source import Source
from gamemaster.machine.arguments import shown
from gamemaster.machine.game import Game

__all__ = ["checked_style", "read_style"]

Product = TypeVar("Product")

MOST_BOARDS = 12
MOST_PIECES = 500
MOST_COUNTERS = 50
MOST_HIDDEN = 500
LONGEST_SYMBOL = 3
MOST_MISTAKES = 50
SHOWN = 12
"""So many names are listed in an error."""


def read_style(style: Path | Source, game: Game) -> Style:
    """The style of a file, for a game; ReadError where it is wrong."""
    whole, mistakes = checked_style(style if isinstance(style, Source) else Source.from_path(style), game)
    if whole is None or mistakes:
        raise mistakes[0]
    return whole


def checked_style(source: Source, game: Game) -> tuple[Style | None, tuple[ReadError, ...]]:
    """What a text says of a game as far as it is right, and what is wrong with it: of each table one mistake.

    There is no style where it is no TOML. No more mistakes are told than anybody would read.
    """
    mistakes = _Mistakes()
    table = mistakes.tried(lambda: read_style_table(source))
    whole = None if table is None else _read(table, game, mistakes)
    return whole, tuple(mistakes.found)


@dataclass
class _Mistakes:
    """What is wrong so far."""

    found: list[ReadError] = field(default_factory=list)

    def tried(self, read: Callable[[], Product]) -> Product | None:
        """What is read; None where that is a mistake, which is noted."""
        try:
            return read() if len(self.found) < MOST_MISTAKES else None
        except ReadError as error:
            self.found.append(error)
            return None

    def each(
        self, tables: Sequence[StyleTable] | None, read: Callable[[StyleTable], Product]
    ) -> list[Product]:
        """What tables say, as far as they are right."""
        found = [self.tried(partial(read, table)) for table in tables or ()]
        return [each for each in found if each is not None]


def _read(table: StyleTable, game: Game, mistakes: _Mistakes) -> Style:
    """A whole style; where there are mistakes, what they leave of it."""
    found, names = found_style(game), Names(game)
    boards = mistakes.each(
        mistakes.tried(lambda: table.tables("board", MOST_BOARDS)),
        lambda each: read_board(each, names, found),
    )
    counters = mistakes.each(
        mistakes.tried(lambda: table.tables("counter", MOST_COUNTERS)), lambda each: _counter(each, names)
    )
    pieces = mistakes.tried(lambda: _pieces(table.table("pieces"), mistakes)) or {}
    hidden = mistakes.tried(lambda: _hidden(table, names)) or frozenset()
    mistakes.tried(table.done)
    told = {layer.relation for board in boards for layer in board.layers}
    told |= {counter.relation for counter in counters}
    whole = Style(
        boards=tuple(boards) or found.boards,
        pieces=pieces,
        counters=(*counters, *(each for each in found.counters if each.relation not in told)),
        hidden=hidden | (found.hidden - told),
        news=found.news - told - hidden,
        other_pieces=found.other_pieces,
    )
    if not mistakes.found:
        _check_contents(table, pieces, _known_contents(game, whole), mistakes)
    return whole


def _hidden(table: StyleTable, names: Names) -> frozenset[Relation]:
    texts = table.names("hide", MOST_HIDDEN) or ()
    return frozenset(each for text in texts for each in names.relations(table, "hide", text))


def _pieces(table: StyleTable | None, mistakes: _Mistakes) -> dict[str, PieceStyle]:
    """The looks of contents: a table each, or the name of a glyph alone."""
    if table is None:
        return {}
    looks = {
        content: mistakes.tried(partial(_look, table, content, value))
        for content, value in table.items(MOST_PIECES)
    }
    return {content: look for content, look in looks.items() if look is not None}


def _look(table: StyleTable, content: str, value: object) -> PieceStyle:
    if isinstance(value, str):
        return PieceStyle(glyph=_glyph(table, value, content))
    inner = table.table(content)
    assert inner is not None
    return _piece(inner)


def _check_contents(
    table: StyleTable, pieces: Collection[str], known: Collection[str] | None, mistakes: _Mistakes
) -> None:
    """Note looks of what can never be there; nothing where nobody knows all that can."""
    for content in pieces if known is not None else ():
        mistakes.tried(partial(_check_content, table, content, known or ()))


def _check_content(table: StyleTable, content: str, known: Collection[str]) -> None:
    if content not in known:
        near = difflib.get_close_matches(content, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(known)[:SHOWN])}"
        raise table.error(f"pieces: nothing is called {shown(content)}", hint, "pieces", content)


def _known_contents(game: Game, style: Style) -> set[str] | None:
    """All that can be on boards and in counters, and the words of it.

    None where that is not known: base does not declare it, or the game is a variant, which may have less than the
    game that the style was written for.
    """
    possible, counters = possible_facts(game), [each for each in style.counters if each.content]
    relations = {counter.relation for counter in counters}
    for board in style.boards:
        relations |= {layer.relation for layer in board.layers}
        relations |= {layer.relation for layer in board.line_layers}
    if ":" in game.name or not all(map(possible.declares, relations)):
        return None
    known = {*game.roles, *(relation[0] for relation in relations)}
    for board in style.boards:
        known |= {*board.contents, board.empty, *(layer.says for layer in board.layers)}
    for counter in counters:
        for fact in possible.declared_of(counter.relation):
            known.add(" ".join(text_at(fact, argument) or "" for argument in counter.content))
    parted = (content.removeprefix(role).strip("_-") for content in known for role in game.roles)
    return {word for content in (*known, *parted) for word in (content, *content.split())} - {""}


def _piece(table: StyleTable) -> PieceStyle:
    glyph = table.text("glyph") if "glyph" in table else None
    colour = table.text("colour") if "colour" in table else None
    name = table.text("name") if "name" in table else None
    symbol = table.text("symbol") if "symbol" in table else None
    sign = table.text("sign") if "sign" in table else None
    table.done()
    if glyph is not None:
        _glyph(table, glyph, "glyph")
    if colour is not None and not is_colour(colour):
        hint = f"write #d55e00, role 1 or one of {', '.join(COLOURS)}"
        raise table.error(f"unknown colour {shown(colour)}", hint, "colour")
    for key, text in (("symbol", symbol), ("sign", sign)):
        if text is not None and not 1 <= len(text) <= LONGEST_SYMBOL:
            raise table.error(f"{key} is {shown(text)}", f"it has 1 to {LONGEST_SYMBOL} letters", key)
    return PieceStyle(glyph, colour, name, symbol, sign)


def _glyph(table: StyleTable, name: str, key: str) -> str:
    if name not in GLYPHS:
        near = difflib.get_close_matches(name, GLYPHS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"it is one of {', '.join(GLYPHS)}"
        raise table.error(f"unknown glyph {shown(name)}", hint, key)
    return name


def _counter(table: StyleTable, names: Names) -> CounterStyle:
    relation = names.relation(table, "relation", table.text("relation"))
    read = _Arguments(table, names, relation[1])
    counter = CounterStyle(
        relation=relation,
        label=table.text("label", relation[0]),
        value=read.one("value"),
        role=read.one("role"),
        content=read.several("content"),
        count=read.one("count"),
    )
    table.done()
    return counter


@dataclass(frozen=True)
class _Arguments:
    """The arguments that a table names."""

    table: StyleTable
    names: Names
    arity: int

    def one(self, key: str) -> tuple[int | str, ...] | None:
        return self.names.argument(self.table, key, self.arity)

    def several(self, key: str) -> tuple[tuple[int | str, ...], ...]:
        return self.names.arguments(self.table, key, self.arity) or ()
