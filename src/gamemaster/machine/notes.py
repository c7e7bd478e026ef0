"""What the job `play` notes of single games -> figures. A note is a row of bits: its counters, for one game."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gamemaster.codegen.vector import WORD
from gamemaster.machine.layout import FIRST_COUNTERS, PlayoutLayout
from gamemaster.machine.statistics import NotedGames, note_games

__all__ = ["Totals", "note_words", "noted_games"]

CUT = 1
"""The counter of games that were cut off."""

AT_ONCE = 1 << 20
"""So many goals are read in one go: a game may have thousands of roles."""

Totals = npt.NDArray[np.uint64]


def note_words(playout: PlayoutLayout) -> int:
    """The words of a note."""
    return -(-playout.slots.counters // WORD)


def noted_games(
    playout: PlayoutLayout, roles: tuple[str, ...], first: str | None, notes: Sequence[Totals]
) -> NotedGames:
    """What notes [games, words] say of the games, some at a time."""
    noted = note_games(roles, first, [], [], [])
    at_once = max(1, AT_ONCE // len(roles))
    for rows in notes:
        for begin in range(0, len(rows), at_once):
            noted += _read(playout, roles, first, rows[begin : begin + at_once])
    return noted


def _read(playout: PlayoutLayout, roles: tuple[str, ...], first: str | None, rows: Totals) -> NotedGames:
    def counted(number: int) -> npt.NDArray[np.int64]:
        return (rows[:, number // WORD] >> np.uint64(number % WORD) & np.uint64(1)).astype(np.int64)

    lengths = np.zeros(len(rows), np.int64)
    for digit in range(playout.digits):
        lengths += counted(FIRST_COUNTERS + digit) << digit
    goals = np.zeros((len(rows), len(roles)), np.int64)
    for number, (role, value) in enumerate(playout.goals, FIRST_COUNTERS + playout.digits):
        goals[:, role] += counted(number) * value
    return note_games(roles, first, goals, lengths, counted(CUT))
