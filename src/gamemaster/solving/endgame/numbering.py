"""Positions with few pieces <-> numbers without gaps, but for pieces that would stand on one place: see the kernels.

A material, the kinds of all pieces, has as many numbers as its kinds can be set on their places, each by itself, and
somebody to move. Materials come one after the other, those with fewer pieces first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from math import comb, prod

import numpy as np
import numpy.typing as npt

from gamemaster.errors import LimitExceeded, Unsuitable
from gamemaster.machine.compiled import CompiledGame, CompiledState
from gamemaster.search.native.kernels.endgame import (
    HELD,
    IGNORED,
    PIECE,
    STRAY,
    TURN,
    Men,
    find_numbers,
    write_states,
)
from gamemaster.search.native.kernels.records import Ints, Words
from gamemaster.solving.endgame.board import PieceBoard
from gamemaster.solving.endgame.clocks import below

__all__ = ["MOST_NUMBERS", "Numbering"]

MOST_NUMBERS = (1 << 32) - (1 << 24)
MOST_MATERIALS = 1 << 22


class Numbering:
    """The numbers of all positions of a game with at most so many pieces, or with some materials only."""

    def __init__(
        self,
        game: CompiledGame,
        board: PieceBoard,
        pieces: int,
        materials: Sequence[Sequence[int]] | None = None,
    ) -> None:
        self.game, self.board, self.pieces = game, board, pieces
        self.sizes = _sizes(board)
        self.materials = (
            _materials(board, pieces) if materials is None else _checked(board, pieces, materials)
        )
        self.turns = board.turns or (-1,)
        counts = [self._count(material) for material in self.materials]
        self.bases = [sum(counts[:i]) for i in range(len(counts) + 1)]
        self.size = self.bases[-1]
        if self.size > MOST_NUMBERS:
            raise LimitExceeded(
                "positions",
                f"{MOST_NUMBERS:,}",
                doing=f"numbering the {self.size:,} of {game.name} with {pieces} pieces",
            )
        self.men = self._men()
        self._found = np.zeros(2 * pieces + 2, np.int64)
        self._pieces = sum(1 << fact for fact in board.facts)
        self._full = np.zeros(len(board.places), np.uint8)

    def _count(self, material: Sequence[int]) -> int:
        ways = (comb(self.sizes[kind], own) for kind, own in Counter(material).items())
        return len(self.turns) * prod(ways)

    def name_of(self, material: int) -> str:
        """A material in words."""
        return ", ".join(self.board.name_of(kind) for kind in self.materials[material])

    def rows_of(self, material: int, first: int, last: int) -> tuple[Words, Ints]:
        """The states of a material between two numbers, and their numbers."""
        rows = np.zeros((last - first, len(self.men.template)), np.uint64)
        numbers = np.zeros(last - first, np.int64)
        count = int(write_states(self.men, material, first, last, rows, numbers, self._full))
        return rows[:count], numbers[:count]

    def numbers_of(self, rows: Words) -> Ints:
        """The numbers of states, negative for those that are not among the positions."""
        numbers = np.zeros(len(rows), np.int64)
        find_numbers(self.men, np.ascontiguousarray(rows), numbers, self._found)
        return numbers

    def number_of(self, state: CompiledState) -> int:
        """The number of a state, negative where it has none."""
        words = len(self.men.template)
        return int(
            self.numbers_of(np.frombuffer(state.bits.ljust(words * 8, b"\0"), np.uint64).reshape(1, -1))[0]
        )

    def state_of(self, number: int) -> CompiledState | None:
        """The state of a number, with clocks at their first value; None where pieces would share a place."""
        material = int(np.searchsorted(self.bases, number, side="right")) - 1
        rows, _ = self.rows_of(material, number, number + 1)
        if not len(rows):
            return None
        return self.game.state_of_row(rows[0].view(np.uint8)[: self.game.layout.state_bytes], 0)

    def pieces_of(self, state: CompiledState) -> int:
        """How many pieces a state has."""
        return (int.from_bytes(state.bits, "little") & self._pieces).bit_count()

    def room_of(self, state: CompiledState) -> int:
        """How many steps there are at least before a clock ends the game."""
        bits = int.from_bytes(state.bits, "little")
        rooms = (room for clock in self.board.clocks for fact, room in clock.room.items() if bits >> fact & 1)
        return min(rooms, default=1 << 30)

    def without_clocks(self, rows: Words) -> Words:
        """States with all clocks at their first value."""
        kept, first = rows.copy(), np.zeros(len(self.men.template), np.uint64)
        for clock in self.board.clocks:
            kept &= ~_words(clock.facts, len(self.men.template))
            first |= _words([clock.first], len(self.men.template))
        return kept | first

    def _men(self) -> Men:
        """The same for the kernels."""
        board, facts = self.board, len(self.game.layout.facts)
        words = -(-facts // 64)
        kinds, contents, spots, places = (np.zeros(facts, np.int64) for _ in range(4))
        kinds[:] = STRAY
        kinds[list(board.blanks)] = IGNORED
        kinds[[fact for clock in board.clocks for fact in clock.facts]] = IGNORED
        kinds[list(board.held)] = HELD
        kinds[list(board.turns)] = TURN
        contents[list(board.turns)] = range(len(board.turns))
        of_kind = np.full((len(board.kinds), max(self.sizes)), -1, np.int64)
        seen: Counter[int] = Counter()
        for fact, (kind, place) in sorted(board.facts.items()):
            kinds[fact], contents[fact], spots[fact], places[fact] = PIECE, kind, seen[kind], place
            of_kind[kind, seen[kind]] = fact
            seen[kind] += 1
        blanks = np.full(len(board.places), -1, np.int64)
        for fact, place in board.blanks.items():
            blanks[place] = fact
        template = _words([*board.held, *(clock.first for clock in board.clocks)], words)
        return Men(
            kinds,
            contents,
            spots,
            places,
            len(board.held),
            of_kind,
            blanks,
            np.array(board.turns or [-1], np.int64),
            template,
            np.array(self.sizes, np.int64),
            np.array(
                [[comb(n, k) for k in range(self.pieces + 1)] for n in range(max(self.sizes) + 1)], np.int64
            ),
            np.array([board.always.get(kind, 0) for kind in range(len(board.kinds))], np.int64),
            self._codes(),
            np.array([[*own, *[-1] * (self.pieces - len(own))] for own in self.materials], np.int64),
            np.array(self.bases, np.int64),
        )

    def _codes(self) -> npt.NDArray[np.int64]:
        """The number of each material by its kinds, as `number_of` of the kernels finds it."""
        radix = len(self.board.kinds) + 1
        codes = np.full(radix**self.pieces, -1, np.int64)
        for number, material in enumerate(self.materials):
            code = 0
            for kind in material:
                code = code * radix + kind + 1
            codes[code] = number
        return codes


def _sizes(board: PieceBoard) -> list[int]:
    """On how many places each kind can stand."""
    counts = Counter(kind for kind, _ in board.facts.values())
    return [counts[kind] for kind in range(len(board.kinds))]


def _checked(board: PieceBoard, pieces: int, materials: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Materials that somebody tells; ValueError where they are none."""
    if any(not 1 <= len(own) <= pieces or list(own) != sorted(own) for own in materials):
        raise ValueError("materials are some kinds in order")
    return [tuple(below(kind, len(board.kinds)) for kind in own) for own in materials]


def _materials(board: PieceBoard, pieces: int) -> list[tuple[int, ...]]:
    """All materials of at most so many pieces that have what is always there."""
    if sum(board.always.values()) > pieces:
        always = ", ".join(f"{count} {board.name_of(kind)}" for kind, count in board.always.items())
        raise Unsuitable(f"endgame: there are always {always}: more than {pieces} pieces")
    if (len(board.kinds) + 1) ** pieces > MOST_MATERIALS:
        raise LimitExceeded(
            "materials", f"{MOST_MATERIALS:,}", doing=f"choosing {pieces} pieces of {len(board.kinds)} kinds"
        )
    return list(_all_materials(board, pieces))


def _all_materials(board: PieceBoard, pieces: int) -> Iterator[tuple[int, ...]]:
    for count in range(1, pieces + 1):
        for own in combinations_with_replacement(range(len(board.kinds)), count):
            if all(own.count(kind) == always for kind, always in board.always.items()):
                yield own


def _words(facts: Sequence[int], words: int) -> npt.NDArray[np.uint64]:
    bits = sum(1 << fact for fact in facts)
    return np.frombuffer(bits.to_bytes(words * 8, "little"), np.uint64).copy()
