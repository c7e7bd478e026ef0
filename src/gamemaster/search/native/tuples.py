"""Facts -> tuples: small groups of neighbouring cells, of which judgement learns what each way to fill them is worth.

Where facts say what stands in cells that have two coordinates, such as cell(a, 1, white), the tuples are all lines of
four cells (n-tuple systems: Lucas 2008, for connect four Thill, Koch & Konen 2012). Tuples that a symmetry of the board
takes to each other share what they learn.

They are for games in which what is put into a cell is not taken out again, where shapes stay and grow: after 12 s
alpha-beta with judgement won 24 of 24 games of othello against a tree with them and 20.5 without, of connect four 81 %
and 50 % of 40. Where pieces move they slow the search down more than they tell: of 40 games of breakthrough 13 were won
against judgement without.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from gamemaster.language.terms import Compound, Term
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import State
from gamemaster.search.native.kernels.records import Ints, Singles

__all__ = ["Cells", "Tuples", "cells_of", "shapes_grow", "symmetries_of", "tuples_of"]

FEWEST_CELLS, SHORTEST_ROW, MOST_LONGER = 9, 3, 3
"""What has fewer cells, or is so many times longer than wide, is no board."""

MOST_DIGITS = 6
"""No coordinate is longer."""

MOST_CONTENTS = 7
"""A board on whose cells more can stand has no tuples."""

MOST_BITS = 12
"""The table of a tuple has no more entries than with so many bits."""

LINE = 4
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))

TABLE_SHARE = 10.0
"""Steps of learning are so many times larger for tables, and smaller by the root of how many there are: of those all,
one entry each is part of any state."""

MOST_STEPS = 400
"""Of a random game that is looked at."""

MOST_LINES = 1_000
"""A larger board has no tuples: to carry them along takes longer than they are worth."""

SAMPLED_GAMES, EVERY, MOST_FOLLOWED = 10, 5, 300
"""What looks like a symmetry is tried on the ends of so many random games, and in one of so many states of some until
so many that follow were compared."""

WATCHED_GAMES = 3
"""In so many random games it is seen whether shapes grow."""

Place = tuple[int, int]
Fact = tuple[int, tuple[str, ...]]
Turn = Callable[[int, int], Place]
Follow = set[frozenset[Term]]


class Tuples(NamedTuple):
    """What a Net has of them; see there."""

    tables: Singles
    first: Ints
    sizes: Ints
    part_start: Ints
    part_tuple: Ints
    part_step: Ints
    share: float


@dataclass(frozen=True)
class Cells:
    """What can stand in each cell: for each place the numbers of facts, and what they say beside it."""

    contents: dict[Place, dict[int, str]]

    @property
    def bits(self) -> int:
        """How many bits say what stands in a cell."""
        return max(len(set(own.values())) for own in self.contents.values()).bit_length()

    @property
    def corner(self) -> Place:
        """The largest coordinates."""
        across, up = zip(*self.contents, strict=True)
        return max(across), max(up)


def tuples_of(game: CompiledGame) -> Tuples:
    """The tuples of a game, their tables empty; none where pieces move, or no facts have coordinates."""
    kept: Tuples | None = game.__dict__.get("_tuples")
    if kept is None:
        kept = game.__dict__["_tuples"] = _made(game)
    return kept._replace(tables=kept.tables.copy())


def _made(game: CompiledGame) -> Tuples:
    """The lines of a game's board."""
    cells, count = cells_of(game.layout.facts), len(game.layout.facts)
    lines = [] if cells is None else _lines(cells)
    if cells is None or not lines or not shapes_grow(game, cells):
        return _joined([], [], 0, count)
    return _joined(lines, symmetries_of(game, cells), cells.bits, count)


def _lines(cells: Cells) -> list[list[dict[int, int]]]:
    """All lines, if there are not too many: in each of its cells the facts that can hold there, numbered from 1 on."""
    names = sorted({content for own in cells.contents.values() for content in own.values()})
    length = min(LINE, MOST_BITS // cells.bits)
    lines = []
    for dx, dy in DIRECTIONS:
        for x, y in sorted(cells.contents):
            line = [(x + dx * k, y + dy * k) for k in range(length)]
            if all(place in cells.contents for place in line):
                lines.append([_numbered(cells.contents[place], names) for place in line])
            if len(lines) > MOST_LINES:
                return []
    return lines


def _numbered(contents: Mapping[int, str], names: Sequence[str]) -> dict[int, int]:
    """For each fact the number of what it says."""
    said = [name for name in names if name in contents.values()]
    return {fact: said.index(content) + 1 for fact, content in contents.items()}


def _joined(
    lines: Sequence[Sequence[Mapping[int, int]]], symmetries: Sequence[Ints], bits: int, count: int
) -> Tuples:
    """Tables for lines, one for all that a symmetry takes to each other; so many bits say what a cell contains."""
    number = {frozenset().union(*line): i for i, line in enumerate(lines)}
    first = np.full(len(lines), -1, np.int64)
    parts: dict[int, list[tuple[int, int]]] = defaultdict(list)
    size = 0
    for i, line in enumerate(lines):
        if first[i] >= 0:
            continue
        steps = {fact: step << (bits * k) for k, cell in enumerate(line) for fact, step in cell.items()}
        for symmetry in (np.arange(count), *symmetries):
            taken = {int(symmetry[fact]): step for fact, step in steps.items()}
            other = number.get(frozenset(taken), -1)
            if other >= 0 and first[other] < 0:
                first[other] = size
                for fact, step in taken.items():
                    parts[fact].append((other, step))
        size += 1 << (bits * len(line))
    start = np.zeros(count + 1, np.int64)
    for fact, own in parts.items():
        start[fact + 1] = len(own)
    ordered = [each for fact in sorted(parts) for each in parts[fact]]
    return Tuples(
        np.zeros(size, np.float32),
        first,
        np.array([(1 << (bits * len(line))) - 1 for line in lines], np.int64),
        np.cumsum(start),
        np.array([tuple_number for tuple_number, _ in ordered], np.int64),
        np.array([step for _, step in ordered], np.int64),
        float(TABLE_SHARE / max(1, len(lines)) ** 0.5),
    )


# Where the cells are


def cells_of(facts: Sequence[Term]) -> Cells | None:
    """The board of most cells that facts speak of; None where there is none."""
    shapes: dict[str, list[Fact]] = defaultdict(list)
    for number, fact in enumerate(facts):
        shape, words = _taken_apart(fact)
        shapes[shape].append((number, words))
    boards = [board for shape, own in shapes.items() if (board := _board(shape, own)) is not None]
    boards.sort(key=lambda board: len(board.contents), reverse=True)
    contents: dict[Place, dict[int, str]] = defaultdict(dict)
    for board in boards:
        if set(board.columns) <= set(boards[0].columns) and set(board.rows) <= set(boards[0].rows):
            for (column, row), own in board.contents.items():
                contents[boards[0].columns.index(column), boards[0].rows.index(row)].update(own)
    most = max((len(set(own.values())) for own in contents.values()), default=0)
    return Cells(dict(contents)) if 0 < most <= MOST_CONTENTS else None


@dataclass(frozen=True)
class _Board:
    """Facts of one form, by two of their names; of each fact what else it says."""

    columns: list[str]
    rows: list[str]
    contents: dict[tuple[str, str], dict[int, str]]


def _board(shape: str, facts: Sequence[Fact]) -> _Board | None:
    """The board that facts of a form make: their two coordinates are those that tell most cells apart."""
    best: _Board | None = None
    count = len(facts[0][1])
    rows = [_row({words[axis] for _, words in facts}) for axis in range(count)]
    for one, other in combinations([axis for axis in range(count) if rows[axis]], 2):
        shorter, longer = sorted((len(rows[one]), len(rows[other])))
        rest = [axis for axis in range(count) if axis not in (one, other)]
        contents: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
        for number, words in facts:
            contents[words[one], words[other]][number] = f"{shape} {' '.join(words[axis] for axis in rest)}"
        is_board = longer <= MOST_LONGER * shorter and len(contents) >= FEWEST_CELLS
        is_full = max(map(len, contents.values())) > MOST_CONTENTS
        if is_board and not is_full and (best is None or len(contents) > len(best.contents)):
            best = _Board(rows[one], rows[other], contents)
    return best


def _taken_apart(term: Term) -> tuple[str, tuple[str, ...]]:
    """The form of a term, and the names in it from left to right."""
    if not isinstance(term, Compound):
        return "", (str(term),)
    parts = [_taken_apart(each) for each in term.args]
    forms = ",".join(form for form, _ in parts)
    return f"{term.functor}({forms})", tuple(name for _, names in parts for name in names)


def _row(names: Iterable[str]) -> list[str]:
    """Names in a row: numbers or letters one after the other; none where they are anything else."""
    own = sorted(set(names), key=lambda name: (len(name), name))
    if all(name.isascii() and name.isdecimal() and len(name) <= MOST_DIGITS for name in own):
        numbers = [int(name) for name in own]
    elif all(len(name) == 1 and name.isascii() and name.isalpha() for name in own):
        numbers = [ord(name) for name in own]
    else:
        return []
    is_row = len(own) >= SHORTEST_ROW and numbers == list(range(numbers[0], numbers[0] + len(own)))
    return own if is_row else []


# Which turns of the board change nothing


def symmetries_of(game: CompiledGame, cells: Cells) -> list[Ints]:
    """Where each fact goes when the board is turned or mirrored, for each way that seems to change nothing.

    They are tried in states of random games, and not proven: search/native/symmetries.py does that, which takes longer
    in large games. What is learnt would be less true for a wrong one, and nothing worse.
    """
    right, top = cells.corner
    turns: list[Turn] = [
        lambda x, y: (right - x, y),
        lambda x, y: (x, top - y),
        lambda x, y: (right - x, top - y),
    ]
    if right == top:
        turns += [
            lambda x, y: (y, x),
            lambda x, y: (y, top - x),
            lambda x, y: (right - y, x),
            lambda x, y: (right - y, top - x),
        ]
    count = len(game.layout.facts)
    turned = [made for turn in turns if (made := _turned(cells, turn, count)) is not None]
    sample = _sampled(game) if turned else ([], [])
    return [each for each in turned if _changes_nothing(game, each, *sample)]


def _turned(cells: Cells, turn: Turn, count: int) -> Ints | None:
    """Where each fact goes; None where a cell comes off the board, or to one on which something else stands."""
    found = np.arange(count)
    for place, contents in cells.contents.items():
        there = {content: fact for fact, content in cells.contents.get(turn(*place), {}).items()}
        if set(there) != set(contents.values()):
            return None
        for fact, content in contents.items():
            found[fact] = there[content]
    return found


def _sampled(game: CompiledGame) -> tuple[list[tuple[State, Follow]], list[State]]:
    """Some states of random games with what follows on them, and the ends of more games."""
    generator = random.Random(0)
    states: list[tuple[State, Follow]] = []
    left = MOST_FOLLOWED
    for _ in range(WATCHED_GAMES):
        state = game.initial_state()
        while not state.is_over and state.step < MOST_STEPS and left > 0:
            choices = sum(len(state.legal_moves(role)) for role in state.choosers)
            if state.step % EVERY == EVERY - 1 and choices <= left:
                states.append((state, {frozenset(each.facts) for each in _following(state)}))
                left -= choices
            state = state.next(state.random_moves(generator))
    return states, [game.random_game(generator) for _ in range(SAMPLED_GAMES)]


def _changes_nothing(
    game: CompiledGame, symmetry: Ints, states: Sequence[tuple[State, Follow]], ends: Sequence[State]
) -> bool:
    """Whether what follows on turned states are the turned states that follow, and ends are worth the same turned."""
    name = {fact: game.layout.facts[symmetry[i]] for i, fact in enumerate(game.layout.facts)}

    def turned(facts: Iterable[Term]) -> frozenset[Term]:
        return frozenset(name[fact] for fact in facts)

    for end in ends:
        other = game.state(turned(end.facts), end.step)
        if [other.is_over, *map(other.goal, game.roles)] != [end.is_over, *map(end.goal, game.roles)]:
            return False
    for state, after in states:
        other = game.state(turned(state.facts), state.step)
        if other.is_over or {frozenset(each.facts) for each in _following(other)} != set(map(turned, after)):
            return False
    return True


def _following(state: State) -> list[State]:
    """The states after each move of each role that chooses, others making their first."""
    usual = {role: state.legal_moves(role)[0] for role in state.movers}
    return [state.next(usual | {role: move}) for role in state.choosers for move in state.legal_moves(role)]


def shapes_grow(game: CompiledGame, cells: Cells) -> bool:
    """Whether in random games mostly a cell is filled, and none comes to contain what most contain in the beginning
    again."""
    generator = random.Random(0)
    facts = game.layout.facts
    place_of = {facts[i]: (place, said) for place, own in cells.contents.items() for i, said in own.items()}

    def contents(state: State) -> dict[Place, tuple[str, ...]]:
        found: dict[Place, tuple[str, ...]] = {}
        for place, said in sorted(place_of[fact] for fact in state.facts if fact in place_of):
            found[place] = (*found.get(place, ()), said)
        return found

    beginning = contents(game.initial_state())
    usual = Counter(beginning.get(place, ()) for place in cells.contents).most_common(1)[0][0]
    filled = steps = 0
    for _ in range(WATCHED_GAMES):
        state = game.initial_state()
        before: set[Place] = set()
        while not state.is_over and state.step < MOST_STEPS:
            held = contents(state)
            now = {place for place in cells.contents if held.get(place, ()) != usual}
            if before - now:
                return False
            steps += state.step > 0
            filled += state.step > 0 and before != now
            before = now
            state = state.next(state.random_moves(generator))
    return 2 * filled > steps
