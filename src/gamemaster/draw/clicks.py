"""State, role and Board -> Clicks: which cells to click for each legal move, and what is a button or in a list.

A move is told by the places among its arguments (`move(1,2,1,3)`: there, then there), else by the cells that it
changes (`drop(3)`: where the disc comes to lie, or any cell of that column), else it is a button (`pass`). Where the
clicks leave several moves a list decides, which says how they differ: which piece a pawn becomes, how many coins are
taken. Moves of one form are read in one way: the one found in the initial state if it has such moves. Where roles
see percepts instead of states nothing is used but the legal moves and the cells.

    clicks = clicks_of(state, "white", board_of(state))
    clicks.sources                  where moves begin
    clicks.after("0-1-2")           where they go from there
    clicks.choose("0-1-2", "0-1-3") the move, or a list of choices, or None where there is none
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

from gamemaster.draw.clicking.places import Form, Places, take_apart
from gamemaster.draw.clicking.readings import MoveReading, read_form
from gamemaster.draw.clicking.scene import Effort, Scene, ends
from gamemaster.draw.clicking.wording import difference, plain_words, unique, words_of
from gamemaster.draw.model import Board
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State

__all__ = ["MOST_RIVALS", "After", "Choice", "Clicks", "Touch", "clicks_of"]

CLICKS = 2
"""After so many a list decides; its choices may still have a cell each."""
MOST_BY_CHANGES = 120
"""Of more moves it is not looked up what each changes."""
MOST_RIVALS = 200
"""In longer lists a move is told by its label: to tell each apart from all others takes too long."""
PLACE = "@"
"""The form of a move that is the name of a cell."""

Readings: TypeAlias = Mapping[Form, MoveReading]

_known: weakref.WeakKeyDictionary[Game, dict[tuple[object, ...], Readings]] = weakref.WeakKeyDictionary()


@dataclass(frozen=True)
class Touch:
    """A legal move and the cells that it is clicked on; without cells it is a button."""

    move: Term
    targets: tuple[str, ...] = ()
    """In the order of the clicks. A third one is a cell for its choice in the list."""
    instead: tuple[str, ...] = ()
    """Cells that do as well as the only target."""
    label: str = ""
    """The move in words, no two alike."""
    difference: str = ""
    """What tells it apart in a list; nothing where the clicks are enough."""

    @property
    def firsts(self) -> tuple[str, ...]:
        """The cells that can be clicked first."""
        return (*self.targets[:1], *self.instead)

    def begins(self, ids: Sequence[str]) -> bool:
        """Whether the move can go on, or be done, after these clicks."""
        is_first = not ids or ids[0] in self.firsts
        return is_first and tuple(ids[1:]) == self.targets[1 : max(1, len(ids))]


@dataclass(frozen=True)
class Choice:
    """A move in a list or on a button, under what to write there."""

    label: str
    move: Term
    cell: str | None = None
    """The cell that chooses it too, if there is one."""


@dataclass(frozen=True)
class After:
    """What can follow after some clicks: another cell, or one of these choices."""

    targets: tuple[str, ...]
    choices: tuple[Choice, ...]


@dataclass(frozen=True)
class Clicks:
    """All legal moves of a role in a state, in their order, and how they are clicked."""

    role: str
    moves: tuple[Touch, ...]

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """The cells that can be clicked first."""
        return tuple(dict.fromkeys(cell for touch in self.moves for cell in touch.firsts))

    @property
    def buttons(self) -> tuple[Choice, ...]:
        """The moves without a place."""
        return tuple(Choice(touch.label, touch.move) for touch in self.moves if not touch.targets)

    def after(self, *ids: str) -> After:
        """What can follow after these cells have been clicked; nothing, where no move begins so."""
        fitting = [touch for touch in self.moves if touch.targets and touch.begins(ids)]
        further = [touch for touch in fitting if len(touch.targets) > len(ids)]
        listed = [touch for touch in fitting if len(touch.targets) <= len(ids) or len(ids) >= CLICKS]
        return After(
            tuple(dict.fromkeys(touch.targets[len(ids)] for touch in further)),
            tuple(_choice(touch, len(ids)) for touch in listed),
        )

    def choose(self, *ids: str) -> Term | list[Choice] | None:
        """The move that these clicks make; choices where they leave several; None where they make none."""
        after = self.after(*ids)
        if len(after.choices) == 1 and not (after.targets and len(ids) < CLICKS):
            return after.choices[0].move
        return list(after.choices) or None

    def to_json(self) -> dict[str, object]:
        """All of it as plain data, enough for a page: cells by id, moves by number and in infix notation.

        After some clicks those moves are left whose targets begin with them; the first click may also be one of
        `instead`. One that is left alone, with no other target to come, is made; after two clicks, or where nothing
        is left to click, a list of their differences decides, or of their labels where they have none.
        """
        return {
            "role": self.role,
            "sources": list(self.sources),
            "buttons": [number for number, touch in enumerate(self.moves) if not touch.targets],
            "moves": [
                {
                    "id": number,
                    "move": str(touch.move),
                    "label": touch.label,
                    "targets": list(touch.targets),
                    "instead": list(touch.instead),
                    "difference": touch.difference,
                }
                for number, touch in enumerate(self.moves)
            ],
        }


def _choice(touch: Touch, done: int) -> Choice:
    cell = touch.targets[done] if len(touch.targets) > done else None
    return Choice(touch.difference or touch.label, touch.move, cell)


def clicks_of(state: State, role: str, board: Board, legal: Sequence[Term] | None = None) -> Clicks:
    """How the legal moves of a role are clicked on the board of a state; UnknownRole where there is no such role.

    Where the state is only what a role knows, `legal` are its moves: nothing else is asked of the state.
    """
    state.game.check_role(role)
    places = Places(board)
    scene = Scene(places, state, role, legal=legal)
    readings = _readings(scene)
    touches = _by_leaves(scene, readings)
    touches = _by_changes(scene, touches, readings)
    return Clicks(role, _worded(_uncrowded(touches), places, readings))


# How moves are read


def _readings(scene: Scene) -> Readings:
    """A reading of each form that a legal move has: that of the initial state, where it has such moves."""
    first = _first_readings(scene)
    forms = _forms(scene.places, scene.moves)
    return {
        form: first[form] if form in first else read_form(scene, form, moves) for form, moves in forms.items()
    }


def _first_readings(scene: Scene) -> Readings:
    game = scene.state.game
    known = _known.setdefault(game, {})
    signature = scene.places.signature
    if signature not in known:
        start = game.initial_state()
        found: dict[Form, MoveReading] = {}
        effort = Effort()
        for role in game.roles:
            opening = Scene(scene.places, start, role, effort)
            for form, moves in _forms(scene.places, opening.moves).items():
                reading = read_form(opening, form, moves)
                if reading.spots or len(moves) > 1:  # a single move changes what others change too
                    found[form] = reading.or_rather(found[form]) if form in found else reading
        known[signature] = found
    return known[signature]


def _forms(places: Places, moves: Iterable[Term]) -> dict[Form, list[Term]]:
    """Moves by their form."""
    forms: dict[Form, list[Term]] = {}
    for move in moves:
        forms.setdefault(_form(places, move), []).append(move)
    return forms


def _form(places: Places, move: Term) -> Form:
    """The form of a move; names of cells are not of the same as other symbols."""
    form, row = take_apart(move)
    is_place = not isinstance(move, tuple) and any(row in each.cells for each in places.maps)
    return replace(form, functors=(PLACE,)) if is_place else form


# Cells for each move


@dataclass(frozen=True)
class _Touched:
    """What a move touches: cells in order, or an area of which any cell will do."""

    move: Term
    form: Form
    cells: tuple[str, ...] = ()
    area: tuple[str, ...] = ()


def _by_leaves(scene: Scene, readings: Readings) -> list[_Touched]:
    forms = [(move, _form(scene.places, move)) for move in scene.moves]
    return [_by_spots(scene, move, form, readings[form]) for move, form in forms]


def _by_spots(scene: Scene, move: Term, form: Form, reading: MoveReading) -> _Touched:
    row = take_apart(move)[1]
    if reading.has_heaps:
        areas = [spot.cells(scene, row) for spot in reading.spots]
        cells = tuple(_token(scene, move, area) for area in areas if area)
        return _Touched(move, form, cells[: CLICKS + 1], _tokens(scene, areas[0]) if len(cells) == 1 else ())
    found = (spot.cell(scene, row) for spot in reading.spots)
    return _Touched(move, form, tuple(cell for cell in found if cell is not None)[: CLICKS + 1])


def _token(scene: Scene, move: Term, heap: Sequence[str]) -> str:
    """The first token of a heap that goes or comes with a move: it and those behind it; else the first of all."""
    changed = scene.changed(move) or ()
    return next((cell for cell in heap if cell in changed), heap[0])


def _tokens(scene: Scene, heap: Sequence[str]) -> tuple[str, ...]:
    """The tokens that there are."""
    return tuple(cell for cell in heap if scene.places.board.cell_of[cell].things)


def _by_changes(scene: Scene, touched: Sequence[_Touched], readings: Readings) -> list[_Touched]:
    """The same, with what changes for moves that have no cell, or for whom that says more."""
    asked = [each for each in touched if readings[each.form].is_by_changes]
    if not asked:
        return list(touched)
    own = scene.own_changes([each.move for each in asked]) if len(asked) <= MOST_BY_CHANGES else {}
    bare = ends({each.move: own[each.move] for each in asked if not each.cells and each.move in own})
    own = {**own, **bare}
    found = [_changing(scene, each, own.get(each.move, ()), readings[each.form]) for each in touched]
    return _without_start(_own_lines(found, readings), readings)


def _own_lines(touched: Sequence[_Touched], readings: Readings) -> list[_Touched]:
    """The same without lines that several moves have which change a cell each: that cell is enough."""
    counts = Counter(each.area for each in touched)
    return [
        replace(each, area=()) if readings[each.form].line and each.cells and counts[each.area] > 1 else each
        for each in touched
    ]


def _changing(scene: Scene, touched: _Touched, own: tuple[str, ...], reading: MoveReading) -> _Touched:
    line = reading.line.cells(scene, take_apart(touched.move)[1]) if reading.line else ()
    if line:
        inside = tuple(cell for cell in own if cell in line)
        return replace(touched, cells=inside if len(inside) == 1 else (), area=line)
    rest = tuple(cell for cell in own if cell not in touched.cells)
    if len(rest) == 1:  # where it goes from where it is, or all there is to click
        return replace(touched, cells=(*touched.cells[:1], *rest))
    return replace(touched, cells=scene.route(touched.move, own) or touched.cells)


def _without_start(touched: Sequence[_Touched], readings: Readings) -> list[_Touched]:
    """The same without the cell from which all moves go whose leaves say nothing: the end is enough."""
    going = [each for each in touched if len(each.cells) == CLICKS and not readings[each.form].spots]
    if len({each.cells[0] for each in going}) != 1:
        return list(touched)
    moves = {each.move for each in going}
    return [replace(each, cells=each.cells[1:]) if each.move in moves else each for each in touched]


def _uncrowded(touched: Sequence[_Touched]) -> list[tuple[Form, Touch]]:
    """Areas give way to cells where other moves begin, then to each other; an area without a cell left is a button."""
    taken = {each.cells[0] for each in touched if each.cells}
    areas: dict[str, set[tuple[str, ...]]] = {}
    for each in touched:
        for cell in each.area:
            areas.setdefault(cell, set()).add(each.area)
    found = []
    for each in touched:
        free = [cell for cell in each.area if cell not in taken]
        own = [cell for cell in free if len(areas[cell]) == 1] or ([] if each.cells else free)
        cells = each.cells or tuple(own[:1])
        instead = tuple(cell for cell in own if cell not in cells) if len(cells) == 1 else ()
        found.append((each.form, Touch(each.move, cells, instead)))
    return found


# Words


def _worded(touches: Sequence[tuple[Form, Touch]], places: Places, readings: Readings) -> tuple[Touch, ...]:
    """The touches with labels, and with what tells those apart that are clicked alike."""
    labels = unique(
        [_label(touch, places, readings[form]) for form, touch in touches], [t.move for _, t in touches]
    )
    rivals = _rivals([touch for _, touch in touches])
    told = [_difference(touch, rivals[number], places) for number, (_, touch) in enumerate(touches)]
    of_move = {touch.move: difference for (_, touch), difference in zip(touches, told, strict=True)}
    return tuple(
        replace(
            touch,
            label=label,
            difference=label if any(of_move[each.move] == difference for each in alike) else difference,
        )
        for (_, touch), label, difference, alike in zip(touches, labels, told, rivals, strict=True)
    )


def _label(touch: Touch, places: Places, reading: MoveReading) -> str:
    if not reading.spots or reading.has_heaps or len(touch.targets) < len(reading.spots):
        return plain_words(touch.move)
    row = take_apart(touch.move)[1]
    used = {column for spot in reading.spots for column in spot.columns}
    rest = tuple(leaf for column, leaf in enumerate(row) if column not in used)
    return words_of(touch.move, [places.board.cell_of[cell] for cell in touch.targets], rest)


def _rivals(touches: Sequence[Touch]) -> list[list[Touch]]:
    """For each of them, the others that the same clicks leave in a list; none where the list is too long."""
    listed: dict[tuple[str, ...], list[int]] = {}
    for number, touch in enumerate(touches):
        for first in touch.firsts:
            listed.setdefault((first, *touch.targets[1:CLICKS]), []).append(number)
    found: list[dict[int, None]] = [{} for _ in touches]
    for numbers in (each for each in listed.values() if len(each) <= MOST_RIVALS):
        for number in numbers:
            found[number].update(dict.fromkeys(numbers))
    return [[touches[n] for n in numbers if n != number] for number, numbers in enumerate(found)]


def _difference(touch: Touch, rivals: Sequence[Touch], places: Places) -> str:
    if not rivals:
        return ""
    third = [each.targets[CLICKS : CLICKS + 1] for each in (touch, *rivals)]
    if all(third) and len(set(third)) == len(third):
        return places.board.cell_of[third[0][0]].name
    return difference(touch.move, [rival.move for rival in rivals])
