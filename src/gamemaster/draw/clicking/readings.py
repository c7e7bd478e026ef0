"""Moves of one form -> which of their leaves are places on the board.

move(1,2,1,3)                  two places: where from, where to
place(red,a1)                  one
move(piece(white,king),5,1)    a thing that lies on one cell only stands for that cell
drop(3)                        a line of cells, if what changes is on it

Two leaves beside each other that are always a cell are taken at their word. A single leaf, which may be a number of
coins as well as the number of a heap, and a thing count where the move changes that cell. Of several readings the
one that tells the moves apart best and has something change where it says is the best.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, takewhile
from typing import Literal

from gamemaster.draw.boards.shape import Row
from gamemaster.draw.clicking.places import Form, take_apart
from gamemaster.draw.clicking.scene import Scene, ends, spread
from gamemaster.language.terms import Term

__all__ = ["MoveReading", "Spot", "read_form"]

SAMPLES = 6
"""So many moves of a form are tried to see what they change."""
MOST_COMPARED = 150
"""So many moves of a form are compared when readings are."""
MOST_SPOTS = 14
"""Readings are made of so many of the first spots."""
MOST_IN_READING = 4
OFTEN = 0.5
"""The part of the moves that must have a cell at a spot, and of those tried that must change it if it is doubtful."""


@dataclass(frozen=True)
class Spot:
    """Leaves of a move that stand for a cell."""

    kind: Literal["key", "thing", "line"]
    columns: tuple[int, ...]
    map: int = 0
    """Which of the maps of places the key is looked up in."""
    turn: int = 0
    """In which of the orders of the map the move has the coordinates."""
    axis: int = 0
    """Of a line: which coordinate it is."""
    is_sure: bool = False
    """Whether it is a cell by itself, not only if the moves change it."""

    def cell(self, scene: Scene, row: Row) -> str | None:
        """The cell that is meant, if there is one."""
        values = tuple(row[column] for column in self.columns)
        if self.kind == "thing":
            return scene.things.get(values)
        order = scene.places.orders(self.map, len(values))[self.turn]
        return scene.places.maps[self.map].cells.get(tuple(values[position] for position in order))

    def cells(self, scene: Scene, row: Row) -> tuple[str, ...]:
        """All cells that are meant: those of a line or a heap, else the one."""
        home = scene.places.maps[self.map] if self.kind != "thing" else None
        if home is not None and self.kind == "line":
            return tuple(home.lines.get((self.axis, row[self.columns[0]]), ()))
        if home is not None and home.heaps:
            return tuple(home.heaps.get(tuple(row[column] for column in self.columns), ()))
        cell = self.cell(scene, row)
        return () if cell is None else (cell,)


@dataclass(frozen=True)
class MoveReading:
    """How moves of one form are clicked."""

    spots: tuple[Spot, ...]
    """In the order in which they are clicked."""
    line: Spot | None = None
    is_by_changes: bool = False
    """Whether what a move changes tells it apart better than its leaves."""
    has_heaps: bool = False
    """Whether a spot is a heap, of which the tokens are clicked that go or come."""
    is_corrected: bool = False
    """Whether leaves look like places, but are none."""

    def or_rather(self, other: MoveReading) -> MoveReading:
        """The better of two readings that roles have of the same form: who sees a misreading is right."""
        return max((self, other), key=lambda each: (each.is_corrected, bool(each.spots), each.is_by_changes))


def read_form(scene: Scene, form: Form, moves: Sequence[Term]) -> MoveReading:
    """How moves of one form are clicked, as far as these moves show, in whatever order a machine lists them."""
    moves = sorted(moves, key=str)
    spots = _read_spots(scene, form, moves)
    if any(spot.kind == "key" and scene.places.maps[spot.map].heaps for spot in spots):
        return MoveReading(spots, has_heaps=True)
    if spots and not _is_misread(scene, spots, moves):
        return MoveReading(spots, is_by_changes=_changes_say_more(scene, spots, moves))
    line = _line_of(scene, form, moves)
    is_by_changes = bool(line) or _changes_tell(scene, moves)
    return MoveReading((), line, is_by_changes=is_by_changes, is_corrected=bool(spots))


def _changes_tell(scene: Scene, moves: Sequence[Term]) -> bool:
    """Whether most moves that change anything change one cell, or carry something to it, and seldom the same."""
    own = ends(scene.own_changes(spread(moves, 2 * SAMPLES)))
    some = {move: cells for move, cells in own.items() if cells}
    told = [cells for move, cells in some.items() if len(cells) == 1 or scene.route(move, cells)]
    return len(told) >= OFTEN * len(some) and len(set(told)) > max(1, OFTEN * len(told))


def _read_spots(scene: Scene, form: Form, moves: Sequence[Term]) -> tuple[Spot, ...]:
    rows = [take_apart(move)[1] for move in spread(moves, MOST_COMPARED)]
    keys = _often_cells(scene, _key_spots(scene, form), rows)
    plain = _plain(keys)
    if plain and _apart(scene, plain, rows) == 1.0 and not _misses(scene, plain, moves):
        return _in_order(scene, plain, rows)
    things = _often_cells(scene, _thing_spots(scene, form), rows)
    spots = [spot for spot in (*keys, *things) if spot.is_sure or _is_changed(scene, spot, moves)]
    cost = len(rows) + SAMPLES
    readings = list(takewhile(lambda each: scene.effort.spend(len(each) * cost), _readings(spots)))
    if not readings:
        return ()
    return _in_order(scene, max(readings, key=lambda spots: _worth(scene, spots, moves, rows)), rows)


def _often_cells(scene: Scene, spots: Iterator[Spot], rows: Sequence[Row]) -> list[Spot]:
    """The spots that most of the moves have a cell at, as far as there is time to look."""
    asked = takewhile(lambda _: scene.effort.spend(len(rows)), spots)
    return [
        spot for spot in asked if sum(spot.cell(scene, row) is not None for row in rows) > OFTEN * len(rows)
    ]


def _is_misread(scene: Scene, spots: Sequence[Spot], moves: Sequence[Term]) -> bool:
    """Whether the moves change a cell each, no two the same, but seldom one that their leaves name.

    One of these leaves must be the same in all: what is marked may appear elsewhere, but not so a number of a board.
    """
    rows = [take_apart(move)[1] for move in moves]
    is_any_fixed = any(len({row[column] for row in rows}) == 1 for spot in spots for column in spot.columns)
    if scene.is_hidden or not is_any_fixed or _share_changed(scene, spots, moves) > OFTEN:
        return False
    own = scene.own_changes(spread(moves, SAMPLES))
    return len(own) > 1 and {len(cells) for cells in own.values()} == {1} and len({*own.values()}) == len(own)


def _changes_say_more(scene: Scene, spots: Sequence[Spot], moves: Sequence[Term]) -> bool:
    """Whether moves that have the same spots change different cells."""
    alike: dict[tuple[str | None, ...], list[Term]] = {}
    for move in spread(moves, MOST_COMPARED):
        row = take_apart(move)[1]
        alike.setdefault(tuple(spot.cell(scene, row) for spot in spots), []).append(move)
    unclear = [move for group in alike.values() if len(group) > 1 for move in group][: 2 * SAMPLES]
    if not unclear or scene.is_hidden:
        return False
    own = scene.own_changes(unclear)
    places = {tuple(spot.cell(scene, take_apart(move)[1]) for spot in spots) for move in unclear}
    return all(own.values()) and len(set(own.values())) > len(places)


def _line_of(scene: Scene, form: Form, moves: Sequence[Term]) -> Spot | None:
    """The leaf that says in which row or column of cells the moves change something, if there is one."""
    if scene.is_hidden:
        return None
    rows = [take_apart(move)[1] for move in spread(moves, MOST_COMPARED)]
    axes = [
        (number, axis)
        for number, each in enumerate(scene.places.maps)
        for axis in sorted({axis for axis, _ in each.lines})
    ]
    spots = (
        Spot("line", (column,), number, axis=axis)
        for column in range(len(form.parents))
        for number, axis in axes
    )
    found = [
        spot
        for spot in takewhile(lambda _: scene.effort.spend(len(rows)), spots)
        if all(spot.cells(scene, row) for row in rows) and _is_changed(scene, spot, moves)
    ]
    return max(found, key=lambda spot: _share_changed(scene, (spot,), moves), default=None)


def _key_spots(scene: Scene, form: Form) -> Iterator[Spot]:
    """Leaves beside each other, in one compound, that can be the key of a cell; no leaf for the only heap."""
    yield from (Spot("key", (), number) for number, each in enumerate(scene.places.maps) if () in each.heaps)
    for start in range(len(form.parents)):
        for number, places in enumerate(scene.places.maps):
            longest = places.lengths[0]
            for length in filter(None, places.lengths):
                columns = tuple(range(start, start + length))
                if _is_in_one(form, columns):
                    is_sure = longest > 1 and not places.heaps
                    orders = range(len(scene.places.orders(number, length)))
                    yield from (Spot("key", columns, number, turn, is_sure=is_sure) for turn in orders)


def _thing_spots(scene: Scene, form: Form) -> Iterator[Spot]:
    """Leaves beside each other, in one compound, that can name a thing: the longest first."""
    if scene.is_hidden:
        return
    width = len(form.parents)
    for length in range(width, 0, -1):
        for start in range(width - length + 1):
            columns = tuple(range(start, start + length))
            if _is_in_one(form, columns):
                yield Spot("thing", columns)


def _is_in_one(form: Form, columns: tuple[int, ...]) -> bool:
    parents = form.parents[columns[0] : columns[-1] + 1]
    return len(parents) == len(columns) and len(set(parents)) == 1


def _plain(keys: Sequence[Spot]) -> tuple[Spot, ...]:
    """The spots one after the other where there is nothing to choose: they take up all leaves that can be places."""
    chosen: list[Spot] = []
    for spot in keys:
        if not _overlap((*chosen, spot)):
            chosen.append(spot)
    covered = {column for spot in chosen for column in spot.columns}
    is_all = covered == {column for spot in keys for column in spot.columns}
    is_clear = all(spot.is_sure for spot in keys) and len({spot.map for spot in keys}) == 1
    return tuple(chosen) if keys and is_all and is_clear else ()


def _overlap(spots: Sequence[Spot]) -> bool:
    columns = [column for spot in spots for column in spot.columns]
    return len(columns) > len(set(columns))


def _readings(spots: Sequence[Spot]) -> Iterator[tuple[Spot, ...]]:
    """All sets of spots that share no leaf, each in the order of the leaves."""
    ordered = sorted(spots, key=lambda spot: spot.columns)
    for turn in sorted({spot.turn for spot in ordered}):
        alike = [spot for spot in ordered if spot.kind == "thing" or spot.turn == turn][:MOST_SPOTS]
        for count in range(1, MOST_IN_READING + 1):
            yield from (chosen for chosen in combinations(alike, count) if not _overlap(chosen))


def _worth(
    scene: Scene, spots: Sequence[Spot], moves: Sequence[Term], rows: Sequence[Row]
) -> tuple[float, ...]:
    """How well the moves are told apart, and how often one of the spots changes; then what people would read first."""
    columns = sum(len(spot.columns) for spot in spots)
    return (
        round(_apart(scene, spots, rows) + _share_changed(scene, spots, moves), 3),
        columns,
        -sum(spot.turn for spot in spots),
        -sum(spot.map for spot in spots),
        *(-column for spot in spots for column in spot.columns[:1]),
    )


def _apart(scene: Scene, spots: Sequence[Spot], rows: Sequence[Row]) -> float:
    """The part of the moves that have cells of their own."""
    return len({tuple(spot.cell(scene, row) for spot in spots) for row in rows}) / max(1, len(rows))


def _share_changed(scene: Scene, spots: Sequence[Spot], moves: Sequence[Term]) -> float:
    """The part of the moves tried that change one of the spots, of those that change anything; all, if hidden."""
    known = [
        (take_apart(move)[1], changed) for move in spread(moves, SAMPLES) if (changed := scene.changed(move))
    ]
    hits = sum(
        any(not changed.isdisjoint(spot.cells(scene, row)) for spot in spots) for row, changed in known
    )
    return hits / len(known) if known else float(scene.is_hidden)


def _is_changed(scene: Scene, spot: Spot, moves: Sequence[Term]) -> bool:
    return _share_changed(scene, (spot,), moves) > OFTEN


def _misses(scene: Scene, spots: Sequence[Spot], moves: Sequence[Term]) -> bool:
    """Whether little changes where the spots are, as if coordinates were the other way round."""
    return _share_changed(scene, spots, moves) <= OFTEN


def _in_order(scene: Scene, spots: tuple[Spot, ...], rows: Sequence[Row]) -> tuple[Spot, ...]:
    """Where a move begins, where it ends, then what is between, where that is needed to tell moves apart."""
    if len(spots) < 3:
        return spots
    ends = (spots[0], spots[-1])
    if _apart(scene, ends, rows) == _apart(scene, spots, rows):
        return ends
    return spots
