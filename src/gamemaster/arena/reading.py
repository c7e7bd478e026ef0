"""A file of TOML -> a competition; everything that is wrong with it at once, each at its line, before anything runs.

name = "spring"
games = ["tictactoe", "connectfour:columns=7"]
pairing = "round robin"              # or gauntlet, swiss, knock-out
matches = 2                          # of each game, in each order of seats
start_clock = 5
play_clock = 0.5

[players]
careful = "minimax"
mc = "mcts(exploration=0.3)"
mine = "my_player.py"
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

from gamemaster.arena.checking import Found, check, mistaken
from gamemaster.arena.competition import ISOLATION, PAIRINGS, Competition, Entrant, TestPlan
from gamemaster.errors import GamemasterError, ReadError
from gamemaster.games.tables import TomlTable, read_toml
from gamemaster.language.source import Source
from gamemaster.machine.arguments import shown

__all__ = ["read_competition"]


def read_competition(source: Source) -> tuple[Competition, Found]:
    """The competition that a file says, and its games; CompetitionError, with all mistakes, where it cannot be held."""
    reader = _CompetitionReader(source)
    competition = reader.competition()
    found, wrong = check(competition)
    for each in wrong:
        if each.path[0] not in reader.unread:  # what could not be read is only missing
            reader.note(reader.table.error(each.what, each.hint, *each.path))
    if reader.mistakes:
        raise mistaken(reader.mistakes, f"{source.name}: ")
    return competition, found


class _CompetitionReader:
    """Reads a file to its end, whatever is wrong with it on the way."""

    def __init__(self, source: Source) -> None:
        self.mistakes: list[str] = []
        self.unread: set[str] = set()
        """Keys whose values could not be read."""
        self.table = read_toml(source)

    def note(self, error: ReadError) -> None:
        """Something is wrong."""
        self.mistakes.append(f"{error}; {error.hint}" if error.hint else str(error))

    @contextmanager
    def _noting(self, key: str) -> Iterator[None]:
        try:
            yield
        except ReadError as error:
            self.note(error)
            self.unread.add(key)

    def competition(self) -> Competition:
        """The competition, as far as it can be read."""
        values = dict[str, Any](games=(), entrants=())
        for key, read in self._readers().items():
            if key in self.table:
                with self._noting(key):
                    values[key] = read(self.table, key)
        with self._noting("players"):
            values["entrants"] = self._entrants()
        with self._noting("test"):
            values["test"] = self._test()
        with self._noting(""):
            self.table.done(self._readers())
        return Competition(**values)

    def _readers(self) -> dict[str, Callable[[TomlTable, str], Any]]:
        whole = TomlTable.number
        return {
            "name": TomlTable.text,
            "games": TomlTable.texts,
            "pairing": _one_of(PAIRINGS),
            "matches": whole,
            "rounds": whole,
            "start_clock": _seconds,
            "play_clock": _seconds,
            "has_cpu_clocks": _flag,
            "opening": whole,
            "seed": whole,
            "isolation": _one_of(ISOLATION),
        }

    def _entrants(self) -> tuple[Entrant, ...]:
        """The players: a list, or a table by names of one's own."""
        players = self.table.value("players")
        if isinstance(players, dict):
            table = self.table.table("players")
            assert table is not None
            return tuple(Entrant(name, table.text(name)) for name in players)
        return tuple(Entrant(player, player) for player in self.table.texts("players"))

    def _test(self) -> TestPlan | None:
        table = self.table.table("test")
        if table is None:
            return None
        values: dict[str, Any] = {
            key: _number(table, key) for key in ("elo0", "elo1", "alpha", "beta") if key in table
        }
        if "most" in table:
            values["most"] = table.number("most")
        if "is_two_sided" in table:
            values["is_two_sided"] = _flag(table, "is_two_sided")
        table.done({each.name for each in fields(TestPlan)})
        try:
            return TestPlan(**values)
        except GamemasterError as error:
            raise table.error(str(error), "see docs/compete.md") from None


def _one_of(words: tuple[str, ...]) -> Callable[[TomlTable, str], str]:
    def read(table: TomlTable, key: str) -> str:
        word = table.text(key)
        if word not in words:
            raise table.error(f"{key} {shown(word)}", f"there are {', '.join(words)}", key)
        return word

    return read


def _number(table: TomlTable, key: str) -> float:
    found = table.value(key)
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise table.error(f"{key} has {shown(found)}, which is no number", f"write one: {key} = 0.5", key)
    return float(found)


def _seconds(table: TomlTable, key: str) -> float:
    return _number(table, key)


def _flag(table: TomlTable, key: str) -> bool:
    found = table.value(key)
    if not isinstance(found, bool):
        raise table.error(f"{key} has {shown(found)}", f"write {key} = true, or false", key)
    return found
