"""Game -> boards of places that have names rather than coordinates: graphs, rows of things, heaps, lights.

`heap(a,5)`        a place and a number: a heap for each place
`disk(p3,red)`     a place and what it has: a graph where the rules relate the places to each other, else a row
`ecks(b)` `oh(c)`  relations that hold of the same places: what is there is the relation's name
`porder(b,c,a)`    things in an order: a row of them
`p` `q`            facts without arguments: a row of lights
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from gamemaster.draw.boards.shape import Row, plain_text
from gamemaster.draw.boards.symbols import BLANK_WORDS
from gamemaster.draw.finding.facts import RelationFacts, are_numbers, natural
from gamemaster.draw.finding.plane import MAX_NODES, places_of
from gamemaster.draw.finding.statics import StaticRows, static_rows
from gamemaster.draw.model import Point
from gamemaster.draw.styles.style import BoardStyle, Layer
from gamemaster.language.rules import Relation
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game

__all__ = ["indexed_boards", "light_board", "place_boards"]

FEWEST = 3
"""Fewer places than this are told beside the boards, unless the rules say how they hang together."""
MOST_OF_ONE = 16
MOST = 40
"""More places without a map are no row that people can read."""
LONGEST_SIZE = 9
"""Digits of a number that is looked at."""
LARGEST_HEAP = 40
DENSE = 3
"""More edges than this for each node are no map: nobody could draw it in the plane."""
MEMORY_WORDS = ("last", "prev")
"""Relations with such a name say what was."""
MOST_LINES = 200
MOST_BOARDS = 9
OFF_WORDS = BLANK_WORDS | {"off", "clear", "unlit", "dark"}
SAME = 0.7
"""The part of two sets of places that must be in both, to be of one board."""


@dataclass(frozen=True)
class _Named:
    """Relations that speak of the same places."""

    layers: tuple[Layer, ...]
    places: Row
    contents: tuple[str, ...]
    blanks: frozenset[str]
    is_counted: bool = False
    """Whether what a place has is how many."""
    is_one: bool = False
    """Whether there is but one fact, as `heading(south)`."""


def place_boards(
    game: Game, facts: Sequence[RelationFacts], others: Collection[frozenset[str]] = ()
) -> Iterator[BoardStyle]:
    """The boards of those relations that have named places; sets of others are no places: coordinates, pieces."""
    facts = [
        each for each in facts if not (each.values and any(set(each.values[0]) <= other for other in others))
    ]
    rows = static_rows(game)
    for named in _joined([*_functions(facts, game.roles), *_sets(facts, game.roles)]):
        if board := _board(named, rows):
            yield board
    yield from _orders(facts)


# Which relations


def _functions(facts: Iterable[RelationFacts], roles: Sequence[str]) -> Iterator[_Named]:
    """Relations that say what each place has: `disk(p3,red)`."""
    for each in facts:
        if each.relation[1] == 2 and _is_of_places(each) and not set(each.values[0]) & set(roles):
            contents = each.values[1]
            yield _Named(
                layers=(Layer(each.relation, at=((0,),), content=((1,),)),),
                places=tuple(place for place in each.values[0] if place not in BLANK_WORDS),
                contents=contents,
                blanks=frozenset(contents) & OFF_WORDS,
                is_counted=bool(each.initial and contents) and all(text.isdecimal() for text in contents),
            )


def _is_of_places(each: RelationFacts) -> bool:
    """Whether there is one fact for each place, or for some where facts are kept."""
    if not each.is_function or not each.values[0]:
        return False
    if not each.initial:
        is_memory = any(word in each.relation[0] for word in MEMORY_WORDS)
        return each.is_kept and not is_memory and not BLANK_WORDS & {*each.values[0]}
    return len(each.initial) >= len(each.values[0]) / 2


def indexed_boards(game: Game, facts: Sequence[RelationFacts]) -> Iterator[BoardStyle]:
    """Relations of the same places of several boards, `oh(b,board1)`, where lines through the places make a grid."""
    pairs = [each for each in facts if each.relation[1] == 2 and all(each.values)]
    for first in pairs:
        alike = [each for each in pairs if each.values == first.values]
        places, boards = first.values
        grid = (
            lines_grid(places, static_rows(game))
            if len(alike) > 1 and 2 <= len(boards) <= MOST_BOARDS
            else {}
        )
        if grid and first is alike[0]:
            names = tuple(each.relation[0] for each in alike)
            yield BoardStyle(
                layers=tuple(Layer(each.relation, at=((0,),), index=((1,),)) for each in alike),
                row=None,
                column=None,
                indexes=tuple((board,) for board in boards),
                places={(place,): point for place, point in grid.items()},
                contents=names,
                blanks=frozenset(names) & OFF_WORDS,
                grows=False,
            )


def _joined(several: Iterable[_Named]) -> list[_Named]:
    """Those that speak of the same places as one, the first of them lowest."""
    joined: list[_Named] = []
    for named in several:
        home = next((at for at, other in enumerate(joined) if _is_beside(other, named)), None)
        if home is None:
            joined.append(named)
        else:
            joined[home] = _both(joined[home], named)
    return joined


def _is_beside(one: _Named, other: _Named) -> bool:
    return not one.is_counted and not other.is_counted and _same(one.places, other.places)


def _both(one: _Named, other: _Named) -> _Named:
    return _Named(
        layers=(*one.layers, *other.layers),
        places=tuple(sorted({*one.places, *other.places}, key=natural)),
        contents=tuple(dict.fromkeys((*one.contents, *other.contents))),
        blanks=one.blanks | other.blanks,
    )


def _sets(facts: Iterable[RelationFacts], roles: Sequence[str]) -> Iterator[_Named]:
    """Relations that hold of places, those of the same places together: `on(p)` and `off(p)`."""
    groups: list[list[RelationFacts]] = []
    for each in facts:
        if (
            each.relation[1] == 1
            and each.values[0]
            and not set(each.values[0]) & set(roles)
            and not each.is_number
        ):
            home = next((group for group in groups if _same(group[0].values[0], each.values[0])), None)
            groups.append([each]) if home is None else home.append(each)
    for group in groups:
        names = tuple(each.relation[0] for each in group)
        yield _Named(
            layers=tuple(Layer(each.relation, at=((0,),)) for each in group),
            places=tuple(sorted({place for each in group for place in each.values[0]}, key=natural)),
            contents=names,
            blanks=frozenset(names) & OFF_WORDS,
            is_one=len(group) == 1 and len(group[0].initial) == 1,
        )


def _same(one: Row, other: Row) -> bool:
    shared = len(set(one) & set(other))
    return shared >= SAME * max(len(one), len(other))


# Boards


def _board(named: _Named, rows: StaticRows) -> BoardStyle | None:
    lines, grid = _map(named.places, rows), lines_grid(named.places, rows)
    board = BoardStyle(
        layers=named.layers,
        title=", ".join(dict.fromkeys(layer.relation[0] for layer in named.layers)),
        contents=named.contents,
        blanks=named.blanks,
        row=None,
    )
    if grid:
        return replace(
            board, column=None, places={(place,): point for place, point in grid.items()}, grows=False
        )
    if lines and not (way := _way(named.places, lines)):
        return _graph(board, named.places, lines)
    most = MOST if len(named.layers) > 1 or are_numbers(named.places) else MOST_OF_ONE
    if not FEWEST - 1 <= len(named.places) <= most:
        return None
    if named.is_one:
        return None
    return _heaps(board, named) if named.is_counted else _row(board, way if lines else named.places)


def _heaps(board: BoardStyle, named: _Named) -> BoardStyle | None:
    """Heaps of tokens, where they are not too large."""
    if any(len(text) > LONGEST_SIZE or int(text) > LARGEST_HEAP for text in named.contents):
        return None
    layer = replace(named.layers[0], content=(), count=named.layers[0].content[0])
    return replace(
        board,
        kind="heaps",
        layers=(layer,),
        row=0,
        column=None,
        rows=named.places,
        columns=(),
        contents=(),
        blanks=frozenset(),
    )


def _row(board: BoardStyle, places: Row) -> BoardStyle | None:
    if len(places) < FEWEST:
        return None
    return replace(board, column=0, columns=places)


def _graph(board: BoardStyle, places: Row, lines: Sequence[tuple[str, str]]) -> BoardStyle:
    points: Mapping[str, Point] = places_of(places, lines)
    return replace(
        board,
        kind="graph",
        column=None,
        places={(place,): points[place] for place in places},
        lines=tuple(((a,), (b,)) for a, b in lines),
        grows=False,
    )


# Maps


def lines_grid(places: Row, rows: StaticRows) -> dict[str, Point]:
    """Where places are that a static relation has in lines, as rows and columns: `line(a,b,c)`, `line(a,d,g)`."""
    for found in rows.values():
        lines = [tuple(map(plain_text, row)) for row in found if len(row) >= FEWEST]
        if lines and len(lines) <= MOST_LINES and {place for line in lines for place in line} == set(places):
            for row in lines:
                columns = _columns(row, lines)
                if columns and len({place for column in columns for place in column}) == len(places):
                    return {
                        place: (float(x), float(y))
                        for y, line in enumerate(zip(*columns, strict=True))
                        for x, place in enumerate(line)
                    }
    return {}


def _columns(row: Row, lines: Sequence[Row]) -> list[Row] | None:
    """A line that begins at each place of a row, so that no two have a place in common and all are as long."""
    chosen: list[Row] = []
    for place in row:
        taken = {each for column in chosen for each in column}
        free = (
            line
            for line in lines
            if line[0] == place and not taken & set(line) and set(line) & set(row) == {place}
        )
        column = next((line for line in free if not chosen or len(line) == len(chosen[0])), None)
        if column is None:
            return None
        chosen.append(column)
    return chosen


def _map(places: Row, rows: StaticRows) -> list[tuple[str, str]]:
    """The neighbours by the static relation that relates most of these places to each other, and nothing else."""
    best: list[tuple[str, str]] = []
    if len(places) > MAX_NODES:
        return best
    for relation, found in rows.items():
        pairs = _pairs(relation, found, places)
        if pairs and _is_map(pairs, places) and _worth(pairs, places) > _worth(best, places):
            best = pairs
    return best


def _pairs(relation: Relation, rows: Iterable[tuple[Term, ...]], places: Row) -> list[tuple[str, str]]:
    """Places that stand beside each other in the facts of a relation, once each; none where others stand there too."""
    known = set(places)
    found: dict[tuple[str, str], None] = {}
    if relation[1] < 2:
        return []
    for row in rows:
        texts = [text for term in row if (text := plain_text(term)) in known]
        if len(texts) < 2 or len(row) - len(texts) > 1:
            return []
        for a, b in pairwise(texts):
            if a != b and (b, a) not in found:
                found[a, b] = None
    return list(found)


def _is_map(pairs: Sequence[tuple[str, str]], places: Row) -> bool:
    return _worth(pairs, places) >= SAME * len(places) and len(pairs) <= DENSE * len(places)


def _worth(pairs: Iterable[tuple[str, str]], places: Row) -> int:
    """How many places have a neighbour."""
    return len({place for pair in pairs for place in pair} & set(places))


def _way(places: Row, pairs: Iterable[tuple[str, str]]) -> Row:
    """The places in order, where each but the last leads to one other; else none."""
    after = dict(pairs)
    firsts = set(places) - set(after.values())
    if len(firsts) != 1 or len(after) != len(places) - 1 or len(set(after.values())) != len(after):
        return ()
    way = [*firsts]
    while way[-1] in after:
        way.append(after[way[-1]])
    return tuple(way) if len(way) == len(places) else ()


# Rows of things


def _orders(facts: Iterable[RelationFacts]) -> Iterator[BoardStyle]:
    """Relations whose one fact has every thing once: what is first, what is second."""
    for each in facts:
        size = each.relation[1]
        is_order = size >= FEWEST and len(each.initial) == 1 and len(set(each.initial[0])) == size
        if is_order and all(set(values) == set(each.values[0]) for values in each.values):
            yield BoardStyle(
                layers=tuple(Layer(each.relation, content=((n,),), key=(str(n + 1),)) for n in range(size)),
                title=each.relation[0],
                row=0,
                column=None,
                rows=tuple(str(n + 1) for n in range(size)),
                contents=each.values[0],
            )


def light_board(facts: Iterable[RelationFacts]) -> BoardStyle | None:
    """Facts without arguments, as lights that are on or off."""
    names = [each.relation[0] for each in facts if each.relation[1] == 0]
    if not FEWEST <= len(names) <= MOST:
        return None
    return BoardStyle(
        layers=tuple(Layer((name, 0), key=(name,), says="on") for name in names),
        row=None,
        column=0,
        columns=tuple(sorted(names, key=natural)),
        contents=("on",),
    )
