"""A [[board]] table of a style -> BoardStyle.

`relation` alone takes what was found from the rules, and the other keys change it. Where `row`, `column`, `place`,
`count` or `facts` is there, the layout is the one written, and the values of those arguments make the board.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import get_args

from gamemaster.draw.boards.filling import MOST_BOARDS, MOST_TOKENS
from gamemaster.draw.boards.geometry import around
from gamemaster.draw.boards.shape import Row
from gamemaster.draw.boards.stars import star_points
from gamemaster.draw.boards.symbols import is_blank
from gamemaster.draw.model import PanelKind, Point, Way
from gamemaster.draw.styles.board_cells import CellKeys, pattern_lines, place_of, texts_of
from gamemaster.draw.styles.extent import Extent, in_order
from gamemaster.draw.styles.names import Names
from gamemaster.draw.styles.style import (
    COLOURS,
    GROUNDS,
    LOOKS,
    Argument,
    BoardStyle,
    LabelKind,
    Layer,
    Side,
    Slant,
    Style,
    is_colour,
    text_at,
)
from gamemaster.draw.styles.tables import StyleTable
from gamemaster.language.rules import Relation
from gamemaster.machine.arguments import shown
from gamemaster.machine.game import Game

__all__ = ["read_board"]

MOST_CELLS = 2500
MOST_LINES = 5000
MOST_LAYERS = 20
LONGEST_AXIS = 100
PATTERNS = ("orthogonal", "alquerque")
"""Of lines along rows and columns."""
LAYOUT_KEYS = ("row", "column", "place", "count", "facts")
KEYS = frozenset(
    {
        "relation",
        "kind",
        "row",
        "column",
        "place",
        "content",
        "index",
        "count",
        "facts",
        "title",
        "rows",
        "columns",
        "up",
        "checkered",
        "empty",
        "look",
        "labels",
        "blank",
        "slant",
        "places",
        "lines",
        "sides",
        "ground",
        "cells",
        "areas",
        "stars",
        "blocks",
        "layer",
        "says",
    }
)
"""All that a board can have."""


def read_board(table: StyleTable, names: Names, found: Style) -> BoardStyle:
    """The board that a table describes."""
    return _BoardTable(table, names.game, names, found).board()


@dataclass(frozen=True)
class _BoardTable:
    """A table, and what it is read against."""

    table: StyleTable
    game: Game
    names: Names
    found: Style

    def board(self) -> BoardStyle:
        board = self.with_axes(self.start())
        board = self.with_layers(board)
        board = self.with_looks(board)
        board = self.with_cells(self.with_places(board))
        board = replace(board, lines=self.lines(board))
        board = replace(board, ground=self.ground(board), sides=self.sides(board))
        self.table.done(KEYS)
        return board

    # The layout

    def start(self) -> BoardStyle:
        """What was found for the relation, or what the table says of its arguments."""
        if "facts" in self.table:
            return self.of_facts()
        if "relation" not in self.table:
            raise self.table.error(
                "a board without relation", 'write relation = "cell", whose facts it shows'
            )
        relation = self.names.relation(self.table, "relation", self.table.text("relation"))
        if not any(key in self.table for key in LAYOUT_KEYS):
            known = [board for board in self.found.boards if relation in _relations(board)]
            known = [board for board in known if board.kind == "heaps" or self.table.value("kind") != "heaps"]
            for board in sorted(known, key=lambda board: _relations(board).index(relation)):
                return self.found_board(board, relation)
        return self.written(relation)

    def found_board(self, board: BoardStyle, relation: Relation) -> BoardStyle:
        """What was found, perhaps with other contents."""
        layer = board.layers[_relations(board).index(relation)]
        content = self.names.arguments(self.table, "content", relation[1])
        changed = replace(layer, content=layer.content if content is None else content)
        changed = replace(changed, says=self.table.text("says", layer.says))
        layers = tuple(changed if each is layer else each for each in board.layers)
        contents = [each for one in layers for each in Extent(self.game, one.relation).contents(one)]
        known = board.contents if changed == layer else tuple(dict.fromkeys(contents))
        return replace(board, kind=self.kind(board.kind), least=0, layers=layers, contents=known)

    def kind(self, default: PanelKind) -> PanelKind:
        kinds: tuple[PanelKind, ...] = get_args(PanelKind)
        return kinds[kinds.index(self.table.choice("kind", kinds, default))]

    def of_facts(self) -> BoardStyle:
        """A row of things that are there or not, each a relation of its own; an index tells several rows apart."""
        texts = self.table.names("facts", LONGEST_AXIS) or ()
        relations = [self.names.relation(self.table, "facts", text) for text in texts]
        if "relation" in self.table or not relations:
            raise self.table.error("facts beside relation, or none", "a board has one or the other", "facts")
        if self.table.value("kind") == "heaps":
            hint = 'facts that are there or not have no size: write kind = "square"'
            raise self.table.error("heaps of facts", hint, "kind")
        index = self.names.arguments(self.table, "index", relations[0][1]) or ()
        layers = tuple(Layer(relation, index=index, key=(relation[0],)) for relation in relations)
        names = tuple(name for name, _ in relations)
        return BoardStyle(
            layers,
            self.kind("square"),
            row=None,
            column=0,
            columns=names,
            contents=names,
            grows=False,
            indexes=Extent(self.game, relations[0]).indexes(layers[0]),
        )

    def written(self, relation: Relation) -> BoardStyle:
        """The board whose arguments the table names."""
        kind = self.kind("square")
        row, column, place, count = (
            self.argument(key, relation) for key in ("row", "column", "place", "count")
        )
        if kind == "heaps" and count is None:
            count = (relation[1] - 1,)
        index = self.names.arguments(self.table, "index", relation[1]) or ()
        at = _in_rule_order(row, column) if place is None else (place,)
        used = (*at, *index, *(() if count is None else (count,)))
        content = self.names.arguments(self.table, "content", relation[1])
        if content is None:
            content = tuple((n,) for n in range(relation[1]) if all(each[0] != n for each in used))
        if place is not None and (row is not None or column is not None):
            raise self.table.error("place beside row or column", "a cell has one or the other", "place")
        if kind == "heaps" and len(at) > 1:
            hint = "a heap has one name: write place = 1, the argument that has it"
            raise self.table.error("row and column of heaps", hint, "row")
        if not at and kind != "heaps":
            hint = "write row = 1 and column = 2, as the arguments stand, or place = 1"
            raise self.table.error(f"nothing says where {relation[0]} is on the board", hint, "relation")
        says = self.table.text("says")
        return self._with_values(kind, Layer(relation, at, content, index, count, says), row, column)

    def argument(self, key: str, relation: Relation) -> Argument | None:
        return self.names.argument(self.table, key, relation[1])

    def _with_values(
        self, kind: PanelKind, layer: Layer, row: Argument | None, column: Argument | None
    ) -> BoardStyle:
        extent = Extent(self.game, layer.relation)
        contents, common = extent.contents(layer), extent.common(layer)
        board = BoardStyle(
            layers=(layer,),
            kind=kind,
            title=layer.relation[0],
            row=None if row is None else layer.at.index(row),
            column=None if column is None else layer.at.index(column),
            rows=() if row is None else in_order(extent.values(row)),
            columns=() if column is None else in_order(extent.values(column)),
            indexes=extent.indexes(layer),
            cells=extent.cells(layer) if row is not None or column is not None else None,
            contents=contents,
            blanks=frozenset(content for content in contents if is_blank(content, common)),
        )
        return self._heaps(board, extent) if kind == "heaps" else board

    def _heaps(self, board: BoardStyle, extent: Extent) -> BoardStyle:
        layer = board.layers[0]
        names = in_order(extent.values(layer.at[0])) if layer.at else ()
        places: dict[Row, Point] = {(name,): (0.0, float(y)) for y, name in enumerate(names)} or {
            (): (0.0, 0.0)
        }
        sizes = [text_at(fact, layer.count or ()) or "" for fact in extent.facts]
        numbers = [int(size) for size in sizes if size.isdecimal() and len(size) < 3]
        most = min(MOST_TOKENS, max(numbers, default=1))
        return replace(board, places=places, row=None, column=None, cells=None, most=most)

    def with_axes(self, board: BoardStyle) -> BoardStyle:
        """Rows and columns as they are listed, which is then all there are."""
        rows = self.table.names("rows", LONGEST_AXIS)
        columns = self.table.names("columns", LONGEST_AXIS)
        up = self.table.flag("up", board.counts_up)
        if rows is None and columns is None:
            return replace(board, counts_up=up)
        if board.kind == "heaps":
            return _in_this_order(board, rows or ())
        is_new = not {*(rows or ()), *(columns or ())} <= {*board.rows, *board.columns}
        changed = replace(board, rows=rows or board.rows, columns=columns or board.columns)
        return replace(changed, counts_up=up, grows=False, cells=None if is_new else board.cells)

    def with_layers(self, board: BoardStyle) -> BoardStyle:
        """The other relations that are drawn on the same cells; where some are written, none is found."""
        tables = self.table.tables("layer", MOST_LAYERS)
        layers = list(board.layers[:1] if tables else board.layers)
        contents = dict.fromkeys(board.contents)
        for table in tables:
            layer = self.layer(table, board)
            layers.append(layer)
            contents |= dict.fromkeys(Extent(self.game, layer.relation).contents(layer))
        return replace(board, layers=tuple(layers), contents=tuple(contents))

    def layer(self, table: StyleTable, board: BoardStyle) -> Layer:
        """A layer has as many coordinates as the board, in the same order."""
        relation = self.names.relation(table, "relation", table.text("relation"))
        size = len(board.layers[0].at)
        at = self.names.arguments(table, "at", relation[1]) or tuple((n,) for n in range(size))
        index = self.names.arguments(table, "index", relation[1]) or ()
        needed = len({argument[0] for argument in at})
        if not size or len(at) != size or len(index) != len(board.layers[0].index) or relation[1] < needed:
            hint = f"the board has {size} coordinates: write at = [1, 2] for where they stand in its facts"
            raise table.error(f"{relation[0]} does not fit the board", hint, "relation")
        content = self.names.arguments(table, "content", relation[1])
        if content is None:
            used = {each[0] for each in (*at, *index)}
            content = tuple((n,) for n in range(relation[1]) if n not in used)
        says, covers = table.text("says"), table.flag("covers")
        table.done()
        return Layer(relation, at, content, index, says=says, covers=covers)

    def with_looks(self, board: BoardStyle) -> BoardStyle:
        """Title, labels, checkers, what it is made of, slant, what is nothing."""
        table = self.table
        kinds: tuple[LabelKind, ...] = get_args(LabelKind)
        slants: tuple[Slant, ...] = get_args(Slant)
        if board.kind == "hex" and table.value("slant") == "straight":
            raise table.error(
                "hexagons in straight rows", f"slant is one of {', '.join(slants[:-1])}", "slant"
            )
        blanks = table.names("blank", LONGEST_AXIS)
        looking = replace(
            board,
            title=table.text("title", board.title),
            is_checkered=table.flag("checkered", board.is_checkered),
            labels=kinds[kinds.index(table.choice("labels", kinds, board.labels))],
            look=table.choice("look", LOOKS, board.look),
            empty=table.text("empty", board.empty),
            slant=slants[slants.index(table.choice("slant", slants, board.slant))],
            blanks=board.blanks if blanks is None else frozenset(blanks),
            blocks=self.blocks(),
        )
        if looking.slant == "centred" and table.value("labels") in ("letters", "numbers"):
            hint = 'columns of centred rows have no names of their own: write labels = "rules" or "none"'
            raise table.error(f"{table.value('labels')} on centred rows", hint, "labels")
        return looking

    def blocks(self) -> int:
        found = self.table.value("blocks")
        if found is None:
            return 0
        if isinstance(found, bool) or not isinstance(found, int) or not 1 <= found <= LONGEST_AXIS:
            hint = "write blocks = 3 for a thick line after every three rows and columns"
            raise self.table.error(f"blocks is {shown(found)}", hint, "blocks")
        return found

    # Cells

    def with_places(self, board: BoardStyle) -> BoardStyle:
        """Places as they are listed, or on a circle."""
        if board.row is not None or board.column is not None or board.kind == "heaps":
            if "places" in self.table:
                hint = "write place = 1, the argument that names the place, without row and column"
                raise self.table.error("places of cells in rows and columns", hint, "places")
            return board
        table = self.table.table("places")
        if table is None and board.places:
            return board
        if len(board.layers[0].at) != 1:
            hint = "write place = 1, the one argument that names the place"
            raise self.table.error("places of cells with two coordinates", hint, "places")
        names = in_order(Extent(self.game, board.layers[0].relation).values(board.layers[0].at[0]))
        if table is None:
            self.check_size(len(names))
            places = around((0.0, 0.0), max(1, len(names)), max(1.0, len(names) / 6))
            return replace(board, places={(name,): at for name, at in zip(names, places, strict=False)})
        return self.with_table(table, board, names)

    def with_table(self, table: StyleTable, board: BoardStyle, names: Sequence[str]) -> BoardStyle:
        """Places in the order of their names, each where the table says."""
        found: dict[Row, tuple[Point, Way | None]] = {}
        for name, value in table.items(MOST_CELLS):
            if names and name not in names:
                raise table.error(f"no place is called {shown(name)}", f"there are {_list(names)}", name)
            found[(name,)] = place_of(table, name, value)
            if found[(name,)][1] and board.kind != "graph":
                hint = 'only a graph has stacks: write kind = "graph", or [x, y] alone'
                raise table.error(f"a stack on a board of {board.kind}", hint, name)
        self.check_places(table, board, found)
        keys = sorted(found, key=lambda key: names.index(key[0]) if names else 0)
        return replace(
            board,
            places={key: found[key][0] for key in keys},
            stacks={key: way for key in keys if (way := found[key][1])},
        )

    def check_places(self, table: StyleTable, board: BoardStyle, known: Collection[Row]) -> None:
        """Refuse places that leave one out which facts or lines name."""
        for name, whose in self.named_places(board):
            if (name,) not in known:
                hint = f"write {shown(name)} = [x, y], as {whose} names it"
                raise table.error(f"no place for {shown(name)}", hint)

    def named_places(self, board: BoardStyle) -> Iterator[tuple[str, str]]:
        """The places in facts and in the lines of a relation, each with the name of its relation."""
        for layer in board.layers:
            for fact in Extent(self.game, layer.relation).facts:
                if name := text_at(fact, layer.at[0]):
                    yield name, layer.relation[0]
        lines = self.table.value("lines")
        if isinstance(lines, str) and lines not in PATTERNS:
            yield from ((end[0], lines) for line in self.related(lines, board) for end in line)

    def with_cells(self, board: BoardStyle) -> BoardStyle:
        """The cells that there are, where they are listed; and not too many of them."""
        texts = self.table.names("cells", MOST_CELLS)
        if texts is not None:
            keys = CellKeys(replace(board, cells=None))
            wanted = [key for text in texts for key in self.matching(text, keys, "cells")]
            board = replace(board, cells=frozenset(wanted), grows=False)
        if len(board.indexes) > MOST_BOARDS:
            what = f"index makes {len(board.indexes)} boards"
            raise self.table.error(what, f"{MOST_BOARDS} are drawn at most", "index")
        rows, columns = max(1, len(board.rows)), max(1, len(board.columns))
        cells = max(rows * columns, len(board.places))
        self.check_size(len(board.indexes) * cells * (MOST_TOKENS if board.kind == "heaps" else 1))
        return board

    def check_size(self, cells: int) -> None:
        if cells > MOST_CELLS:
            hint = f"{MOST_CELLS} are drawn at most; name fewer rows and columns"
            raise self.table.error(f"the board would have {cells} cells", hint, "relation")

    def matching(self, text: str, keys: CellKeys, key: str) -> list[Row]:
        """The cells that a text such as `a,1` or `*,1` names, on all boards of an index."""
        found = keys.matching((text,)) or keys.matching(tuple(part.strip() for part in text.split(",")))
        if not found:
            hint = "write the coordinates as the rules have them, with a comma: a,1; * stands for all"
            raise self.table.error(f"{key}: the board has no cell {shown(text)}", hint, key, text)
        return found

    # Lines, sides, grounds

    def lines(self, board: BoardStyle) -> tuple[tuple[Row, Row], ...]:
        """Pairs of cells with a line: listed, of a relation of the rules, or in a pattern."""
        found = self.table.value("lines")
        if found is None:
            return board.lines
        if isinstance(found, list):
            keys = CellKeys(board)
            lines = [self.line(pair, keys) for pair in found[: MOST_LINES + 1]]
        elif found in PATTERNS:
            lines = list(pattern_lines(board, has_diagonals=found == "alquerque"))
        else:
            lines = self.related(self.table.text("lines"), board)
        if len(lines) > MOST_LINES:
            raise self.table.error(
                f"lines has {len(lines)} lines", f"{MOST_LINES} are drawn at most", "lines"
            )
        return tuple(dict.fromkeys(lines))

    def line(self, pair: object, keys: CellKeys) -> tuple[Row, Row]:
        if not isinstance(pair, list) or len(pair) != 2:
            hint = 'write pairs of places: [["a", "b"], ["b", "c"]]'
            raise self.table.error(f"lines has {shown(pair)}", hint, "lines")
        texts = [self.table.checked_text(end, "lines") for end in pair]
        ends = [self.matching(text, keys, "lines")[0][keys.size :] for text in texts]
        return ends[0], ends[1]

    def related(self, name: str, board: BoardStyle) -> list[tuple[Row, Row]]:
        """The lines of a relation from place to place: `edge(a,b)`, `adjacent(a,1,a,2)`, `line(a,b,c)`."""
        relation = self.names.rule_relation(self.table, "lines", name)
        size = len(board.layers[0].at)
        if not size or relation[1] < 2 * size or relation[1] % size:
            hint = (
                f"a line goes from place to place, which takes {2 * size} arguments here, or {3 * size}, ..."
            )
            raise self.table.error(f"lines: {name} has {relation[1]} arguments", hint, "lines")
        rows = [texts_of(fact, relation[1]) for fact in self.names.answers(relation)]
        ways = ([row[at : at + size] for at in range(0, len(row), size)] for row in rows)
        pairs = (tuple(sorted(pair)) for way in ways for pair in pairwise(way))
        return [(first, second) for first, second in dict.fromkeys(pairs) if first != second]

    def sides(self, board: BoardStyle) -> tuple[tuple[Side, str], ...]:
        table = self.table.table("sides")
        if table is None:
            return board.sides
        if board.kind == "heaps" or (board.row is None and board.column is None):
            hint = "only boards with rows and columns have a top, a bottom, a left and a right"
            raise self.table.error("sides of a board of places", hint, "sides")
        sides: tuple[Side, ...] = get_args(Side)
        found = tuple((side, self.colour(table, side)) for side in sides if side in table)
        table.done(sides)
        return found

    def ground(self, board: BoardStyle) -> Mapping[Row, str]:
        """The grounds of cells that are listed, those of areas, and the star points; else what was found."""
        keys = CellKeys(board)
        found = star_points(board) if self.table.flag("stars") else {}
        if areas := self.table.table("areas"):
            for name, _ in areas.items(MOST_LAYERS):
                colour = self.colour(areas, name, also=GROUNDS)
                found |= dict.fromkeys(self.area(areas, name, keys), colour)
        if table := self.table.table("ground"):
            for text, _ in table.items(MOST_CELLS):
                colour = self.colour(table, text, also=GROUNDS)
                found |= dict.fromkeys(self.matching(text, keys, "ground"), colour)
        return found if {"stars", "areas", "ground"} & self.table.values.keys() else board.ground

    def area(self, table: StyleTable, name: str, keys: CellKeys) -> list[Row]:
        """The cells of a relation of the rules: `given(1,2,6)` speaks of 1,2."""
        relation = self.names.rule_relation(table, name, name)
        size = max(map(len, keys.by_coordinates), default=0)
        if relation[1] < size:
            hint = f"its first {size} arguments are the cell"
            raise table.error(f"areas: {shown(name)} has {relation[1]} arguments", hint, name)
        rows = {texts_of(fact, size) for fact in self.names.answers(relation)}
        return [key for row in rows for key in keys.by_coordinates.get(row, ())]

    def colour(self, table: StyleTable, key: str, also: Iterable[str] = ()) -> str:
        text = table.text(key)
        if not is_colour(text) and text not in also:
            hint = f"write #d55e00, role 1 or one of {', '.join((*COLOURS, *also))}"
            raise table.error(f"unknown colour {shown(text)}", hint, key)
        return text


def _relations(board: BoardStyle) -> list[Relation]:
    return [layer.relation for layer in board.layers]


def _in_this_order(board: BoardStyle, names: Row) -> BoardStyle:
    """Heaps as they are listed, as far as there are such; the others after them."""
    known: list[Row] = [(name,) for name in board.rows] or list(board.places)
    order = [(name,) for name in dict.fromkeys(names) if (name,) in known]
    keys = (*order, *(key for key in known if key not in order))
    if board.rows:
        return replace(board, rows=tuple(key[0] for key in keys))
    return replace(board, places={key: (0.0, float(y)) for y, key in enumerate(keys)})


def _in_rule_order(row: Argument | None, column: Argument | None) -> tuple[Argument, ...]:
    """The coordinates that there are, in the order in which they stand in facts."""
    there = [argument for argument in (row, column) if argument is not None]
    return tuple(sorted(there, key=lambda argument: [str(step).rjust(6) for step in argument]))


def _list(names: Sequence[str]) -> str:
    return ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
