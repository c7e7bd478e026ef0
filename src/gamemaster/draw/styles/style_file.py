"""style.toml -> Style: the tables [[board]], [pieces] and [[counter]], and `hide`.

What a style does not say is found from the rules: boards where it has none, looks of pieces, rows and columns. Whatever
it says is checked against the game, and refused at its line and column with what to do.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

from gamemaster.draw.finding.found import found_style
from gamemaster.draw.styles.board_table import read_board
from gamemaster.draw.styles.names import Names
from gamemaster.draw.styles.style import COLOURS, GLYPHS, CounterStyle, PieceStyle, Style, is_colour
from gamemaster.draw.styles.tables import TomlTable, read_toml, shown
from gamemaster.language.source import Source
from gamemaster.machine.game import Game

__all__ = ["read_style"]

MOST_BOARDS = 12
MOST_PIECES = 500
MOST_COUNTERS = 50
MOST_HIDDEN = 500
LONGEST_SYMBOL = 3


def read_style(style: Path | Source, game: Game) -> Style:
    """The style of a file, for a game; ReadError where it is wrong."""
    source = style if isinstance(style, Source) else Source.from_path(style)
    table, found = read_toml(source), found_style(game)
    names = Names(game)
    boards = tuple(read_board(each, game, found) for each in table.tables("board", MOST_BOARDS))
    counters = tuple(_counter(each, names) for each in table.tables("counter", MOST_COUNTERS))
    pieces, hidden = _pieces(table.table("pieces")), _hidden(table, names)
    table.done()
    told = {layer.relation for board in boards for layer in board.layers}
    told |= {counter.relation for counter in counters}
    return Style(
        boards=boards or found.boards,
        pieces=pieces,
        counters=(*counters, *(each for each in found.counters if each.relation not in told)),
        hidden=hidden | (found.hidden - {name for name, _ in told}),
        other_pieces={**found.other_pieces, **found.pieces},
    )


def _hidden(table: TomlTable, names: Names) -> frozenset[str]:
    texts = table.texts("hide", MOST_HIDDEN) or ()
    return frozenset(names.relation(table, "hide", text)[0] for text in texts)


def _pieces(table: TomlTable | None) -> dict[str, PieceStyle]:
    """The looks of contents: a table each, or the name of a glyph alone."""
    if table is None:
        return {}
    found = {}
    for content, value in table.items(MOST_PIECES):
        if isinstance(value, str):
            found[content] = PieceStyle(glyph=_glyph(table, value, content))
        else:
            inner = table.table(content)
            assert inner is not None
            found[content] = _piece(inner)
    return found


def _piece(table: TomlTable) -> PieceStyle:
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


def _glyph(table: TomlTable, name: str, key: str) -> str:
    if name not in GLYPHS:
        near = difflib.get_close_matches(name, GLYPHS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"it is one of {', '.join(GLYPHS)}"
        raise table.error(f"unknown glyph {shown(name)}", hint, key)
    return name


def _counter(table: TomlTable, names: Names) -> CounterStyle:
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

    table: TomlTable
    names: Names
    arity: int

    def one(self, key: str) -> tuple[int | str, ...] | None:
        return self.names.argument(self.table, key, self.arity)

    def several(self, key: str) -> tuple[tuple[int | str, ...], ...]:
        return self.names.arguments(self.table, key, self.arity) or ()
