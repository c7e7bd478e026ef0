"""A game that gets stuck or never ends -> the table that ends a row too early, if one row more would mend it.

Every table of successors ends somewhere, so its end says nothing. But where play goes wrong, and goes right with one
row more, that row was forgotten: `succ(4,5)` for a counter that is to reach 5, `index(8)` for the last row of a board.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from gamemaster.errors import GamemasterError
from gamemaster.language.builtins import number_of
from gamemaster.language.findings import Finding
from gamemaster.language.lower import lower
from gamemaster.language.rules import AtomTerm, Relation, Rule, Rules, relation_of
from gamemaster.language.terms import Compound, Symbol
from gamemaster.machine.playtest import FIRST_LOOK, Playtest, playtest
from gamemaster.machine.reference import ReferenceGame

__all__ = ["find_short_tables"]

LONGEST = 3.0
"""CPU seconds for trying rows."""

FEWEST_ROWS, MOST_TRIED = 2, 12
MENDED = ("endless", "no-move")


def find_short_tables(sheet: Rules, result: Playtest, seconds: float, seed: int) -> Iterator[Finding]:
    """The first row with which play goes right, as a warning at the table that lacks it."""
    errors = {code for code, found in result.findings.items() if found.severity == "error"}
    wrong = not result.ended and not errors.isdisjoint(MENDED)
    deadline = time.thread_time() + min(LONGEST, seconds)
    for last, row in [*_rows_to_try(sheet)][: MOST_TRIED if wrong else 0]:
        if time.thread_time() > deadline:
            return
        if _goes_right(sheet, row, seed, deadline - time.thread_time()):
            name, shown = row.head[0], _show(sheet, row.head)
            message = (
                f"{name} ends with {_show(sheet, last.head)}: with {shown} as well, play comes to an end"
            )
            hint = f"add {shown}, or let the rules do without it"
            yield Finding("short-table", "warning", message, sheet.place(last.span), hint)
            return


def _goes_right(sheet: Rules, row: Rule, seed: int, seconds: float) -> bool:
    """Whether games with a row more come to an end, and none gets stuck."""
    longer = replace(sheet, sentences=(*sheet.sentences, row))
    try:
        game = ReferenceGame(longer, lower(longer), "rules")
        result = playtest(game, seconds=seconds, seed=seed, amount=FIRST_LOOK)
    except GamemasterError:
        return False
    return result.ended > 0 and not result.has_errors


def _rows_to_try(sheet: Rules) -> Iterator[tuple[Rule, Rule]]:
    """For each table of numbers its last row, and the one that would come next; so for its first."""
    tables: dict[Relation, list[Rule]] = {}
    for rule in sheet.rules:
        tables.setdefault(relation_of(rule.head), []).append(rule)
    for (name, arity), rows in tables.items():
        columns = _columns(rows) if arity in (1, 2) and len(rows) >= FEWEST_ROWS else []
        if columns and all(_goes_by_one(column) for column in columns):
            yield from _neighbours(name, rows, columns)


def _neighbours(
    name: str, rows: Sequence[Rule], columns: Sequence[Sequence[int]]
) -> Iterator[tuple[Rule, Rule]]:
    for end, step in ((max, 1), (min, -1)):
        number = columns[0].index(end(columns[0]))
        values = [column[number] + step for column in columns]
        if min(values) >= 0:
            yield rows[number], Rule(Compound((name, *(Symbol(str(value)) for value in values))))


def _columns(rows: Sequence[Rule]) -> list[list[int]]:
    """The arguments of facts as whole numbers, none where one is no number."""
    if any(rule.body for rule in rows):
        return []
    found = [[number_of(arg) for arg in rule.head[1:]] for rule in rows]
    if any(value is None or value != int(value) for row in found for value in row):
        return []
    return [[int(value) for value in column if value is not None] for column in zip(*found, strict=True)]


def _goes_by_one(column: Sequence[int]) -> bool:
    """Whether a column has each number of a stretch once."""
    return len({*column}) == len(column) == max(column) - min(column) + 1


def _show(sheet: Rules, head: AtomTerm) -> str:
    return head.kif() if sheet.notation == "kif" else str(head)
