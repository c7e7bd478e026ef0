"""The record of a match that is over -> what its page shows: steps, a board, a verdict, a transcript. Workers do it.

A record is told by its file with its size and time, so that what was read of it stays true as long as it is kept. All
words in it come from players and rules of anybody: they are cut to a length, and what no page can have is replaced.
"""

from __future__ import annotations

import contextlib
import stat
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from gamemaster.draw.board import board_of
from gamemaster.draw.clicks import clicks_of
from gamemaster.draw.ending import end_in_words
from gamemaster.draw.graph import ValueGraph, ValueLine, draw_graph
from gamemaster.draw.picture.beside import Caption
from gamemaster.draw.picture.markup import clip
from gamemaster.draw.steps import board_after
from gamemaster.draw.svg import draw_svg
from gamemaster.errors import GamemasterError, RecordError
from gamemaster.machine.game import RANDOM, State
from gamemaster.match import events
from gamemaster.match.events import FAULTS
from gamemaster.match.records.record import Record, record_from_lines
from gamemaster.match.records.replay import Replay
from gamemaster.match.records.transcript import transcript
from gamemaster.match.records.verifying import verify
from gamemaster.match.wire.scramble import Scrambling
from gamemaster.web.jobs import Plain, askers_of, check_library, shelf_game, without_turn
from gamemaster.web.path import path_query

__all__ = [
    "MatchOverview",
    "MoveMade",
    "RecordFile",
    "ReplayRow",
    "StepView",
    "WrongDone",
    "overview",
    "printable",
    "record_file",
    "said_lines",
    "standalone_query",
    "step_view",
    "verdict",
]

LARGEST = 50_000_000
"""Bytes of a record that is shown; a larger one can still be downloaded."""

MOST_READ = 6
LONGEST_QUERY = 15_000
LONGEST_LINE = 2_000
"""Of a message, as it is shown; the record has all of it."""

IDLE = ("stale", "duplicate", "out of turn")
"""What was said by somebody who was not asked: it changed nothing."""


@dataclass(frozen=True)
class RecordFile:
    """A record as it lies on the disk now."""

    path: str
    size: int
    changed: int


@dataclass(frozen=True)
class MoveMade:
    """The move of a role in a step, and what is known of how it came about."""

    role: str
    move: str
    label: str = ""
    """How the board calls it; not always looked up."""

    seconds: float | None = None
    is_substituted: bool = False
    value: float | None = None
    depth: int | None = None
    nodes: int | None = None
    caveat: str = ""

    @property
    def words(self) -> str:
        """What was done, where it stands beside who did it."""
        return self.label.removeprefix(f"{self.role} ") or self.move


@dataclass(frozen=True)
class WrongDone:
    """A fault: who, what, and what that means; `is_idle` where it changed nothing."""

    role: str
    kind: str
    detail: str
    meaning: str
    is_error: bool
    is_idle: bool


@dataclass(frozen=True)
class ReplayRow:
    """A line of the list of moves: what led to the state after so many steps."""

    step: int
    made: tuple[MoveMade, ...]
    faults: tuple[WrongDone, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class MatchOverview:
    """A match as a whole. `rows` has one for the start, too, and `after` what happened after the last step."""

    roles: tuple[str, ...]
    players: Mapping[str, str]
    last: int
    rows: tuple[ReplayRow, ...]
    after: ReplayRow
    ending: str
    """How it came out, where the game came to its end; or who gave up."""

    how: str
    goals: Mapping[str, int | None]
    errors: Mapping[str, int]
    graph: str
    """The values that players expected, as SVG; nothing where nobody said any."""

    is_scrambled: bool
    is_in_library: bool
    is_truncated: bool


@dataclass(frozen=True)
class StepView:
    """One step, closely: the board after it, and what was done in it; `trouble` where there can be no board."""

    step: int
    svg: str
    trouble: str
    made: tuple[MoveMade, ...]
    faults: tuple[WrongDone, ...]
    percepts: Mapping[str, tuple[str, ...]]
    to_move: tuple[str, ...]


def record_file(folder: Path, name: str) -> RecordFile:
    """The file of a record; RecordError where there is none."""
    path = folder / name
    if not name or path.name != name or path.parent != folder:
        raise RecordError("it has no record")
    try:
        found = path.stat()
    except (OSError, ValueError):
        raise RecordError("its record is not there any more") from None
    if not stat.S_ISREG(found.st_mode):
        raise RecordError("its record is no file")
    return RecordFile(str(path), found.st_size, found.st_mtime_ns)


def printable(text: str, most: int = 200) -> str:
    """A text of anybody as a page can have it, on one line."""
    return clip(text.encode("utf-8", "replace").decode(), most)


# Reading


@lru_cache(maxsize=MOST_READ)
def _record(file: RecordFile) -> Record:
    if file.size > LARGEST:
        raise RecordError(f"its record has {file.size:,} bytes; at most {LARGEST:,} are shown")
    try:
        return record_from_lines(Path(file.path).read_bytes(), "its record")
    except OSError:
        raise RecordError("its record cannot be read") from None


@lru_cache(maxsize=MOST_READ)
def _replay(file: RecordFile) -> Replay:
    """The match of a record; with the library's game, which may be compiled, where that is the one it was played by."""
    record = _record(file)
    started = record.started
    if not started.names:
        with contextlib.suppress(GamemasterError):
            game = shelf_game(started.game)
            if game.digest == started.digest:
                return Replay(record, game, Scrambling.back({}))
    return Replay.of(record)


# A match as a whole


def overview(file: RecordFile) -> MatchOverview:
    """All of a match but its boards."""
    record = _record(file)
    started, ended = record.started, record.ended
    words = _Words(file)
    rows, after = _rows(record, words)
    players = dict(started.players)
    for event in record.events:
        if isinstance(event, events.Resumed):
            players |= event.players
    return MatchOverview(
        roles=tuple(map(words.name, started.roles)),
        players={words.name(role): printable(name) for role, name in players.items()},
        last=len(record.moves),
        rows=rows,
        after=after,
        ending=_ending(file, record, words),
        how=printable(ended.how) if ended else "",
        goals={words.name(role): goal for role, goal in (ended.goals if ended else {}).items()},
        errors={words.name(role): count for role, count in record.errors.items()},
        graph=_graph(record, rows, words),
        is_scrambled=bool(started.names),
        is_in_library=_is_in_library(started.game),
        is_truncated=bool(record.dropped),
    )


class _Words:
    """The words of a record as people know them."""

    def __init__(self, file: RecordFile) -> None:
        self._replay: Replay | None = None
        if _record(file).started.names:
            with contextlib.suppress(GamemasterError):
                self._replay = _replay(file)

    def term(self, text: str) -> str:
        """A role, move or percept, as the rules have it."""
        return self._replay.told(text) if self._replay else text

    def name(self, text: str) -> str:
        """The same for people."""
        return printable(self.term(text))


def _rows(record: Record, words: _Words) -> tuple[tuple[ReplayRow, ...], ReplayRow]:
    """The lines of the list of moves, and what came after them."""
    rows: list[ReplayRow] = []
    faults: list[WrongDone] = []
    notes: list[str] = []
    for event in record.events:
        match event:
            case events.Fault():
                faults.append(_wrong(event, words))
            case events.Moved():
                if not rows:
                    rows.append(ReplayRow(0, (), _at_start(faults), ()))
                    faults = [fault for fault in faults if fault.kind != "not ready"]
                rows.append(ReplayRow(len(rows), tuple(_made(event, words)), tuple(faults), tuple(notes)))
                faults, notes = [], []
            case events.Resigned():
                notes.append(f"{words.name(event.role)} resigns")
            case events.Paused():
                notes.append("paused")
            case events.Resumed():
                notes.append("gone on with from the record")
            case _:
                pass
    rows = rows or [ReplayRow(0, (), (), ())]
    return tuple(rows), ReplayRow(len(rows) - 1, (), tuple(faults), tuple(notes))


def _at_start(faults: list[WrongDone]) -> tuple[WrongDone, ...]:
    return tuple(fault for fault in faults if fault.kind == "not ready")


def _made(moved: events.Moved, words: _Words) -> Iterator[MoveMade]:
    """The moves of a step, without those that say that nothing is done, unless there are no others."""
    shown = {role: move for role, move in moved.moves.items() if move != "noop"}
    for role, move in (shown or moved.moves).items():
        thought = moved.thoughts.get(role, {})
        yield MoveMade(
            role=words.name(role),
            move=words.name(move),
            seconds=moved.seconds.get(role),
            is_substituted=role in moved.substituted,
            value=_number(thought.get("value")),
            depth=_count(thought.get("depth")),
            nodes=_count(thought.get("nodes")),
            caveat=printable(str(thought.get("caveat", ""))),
        )


def _number(part: object) -> float | None:
    return float(part) if isinstance(part, int | float) else None


def _count(part: object) -> int | None:
    return part if isinstance(part, int) else None


def _wrong(fault: events.Fault, words: _Words) -> WrongDone:
    return WrongDone(
        role=words.name(fault.role) if fault.role else "",
        kind=printable(fault.kind),
        detail=printable(fault.detail),
        meaning=FAULTS.get(fault.kind, ""),
        is_error=fault.is_error,
        is_idle=fault.kind in IDLE and not fault.is_error,
    )


def _ending(file: RecordFile, record: Record, words: _Words) -> str:
    """How it came out, in words, as far as a look at the last state tells."""
    if resigned := next((event for event in record.events if isinstance(event, events.Resigned)), None):
        return f"{words.name(resigned.role)} resigned"
    if record.ended is None or record.ended.how != "completed":
        return ""
    try:
        state = _replay(file).state(len(record.moves))
        return printable(end_in_words(state)) if state and state.is_terminal else ""
    except GamemasterError:
        return ""


def _graph(record: Record, rows: tuple[ReplayRow, ...], words: _Words) -> str:
    """Everybody's own estimates, where there are any; those of roles with a noop are in the record as well."""
    points: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
    for step, moved in enumerate(record.moves, 1):
        for role, thought in moved.thoughts.items():
            if (value := _number(thought.get("value"))) is not None:
                points[role].append((step, value))
    if not points:
        return ""
    roles = [role for role in record.started.roles if role != RANDOM]
    lines = tuple(ValueLine(words.name(role), tuple(points[role])) for role in roles)
    wrong = tuple(row.step for row in rows if any(fault.is_error for fault in row.faults))
    return draw_graph(ValueGraph(lines, len(record.moves), wrong), prefix="values")


def _is_in_library(game: str) -> bool:
    try:
        check_library(game)
    except GamemasterError:
        return False
    return True


# One step


def step_view(file: RecordFile, step: int) -> StepView:
    """A step, and the board after it; RecordError for one that the match does not have."""
    record = _record(file)
    if not 0 <= step <= len(record.moves):
        raise RecordError(f"it has {len(record.moves):,} steps, and no step {step:,}")
    words = _Words(file)
    row = _rows(record, words)[0][step]
    before = state = None
    svg = trouble = ""
    try:
        replay = _replay(file)
        state = replay.state(step)
        before = replay.state(step - 1) if step else None
        if state is None:
            trouble = f"its record has no state after {step} steps"
        else:
            svg = draw_svg(
                without_turn(board_after(before, state)), caption=Caption(title=printable(replay.game.name))
            )
    except GamemasterError as error:
        svg, trouble = "", printable(str(error), 400)
    percepts = record.moves[step - 1].percepts if step else {}
    return StepView(
        step=step,
        svg=svg,
        trouble=trouble,
        made=tuple(_labelled(before, each) for each in row.made),
        faults=row.faults,
        percepts={
            words.name(role): tuple(map(words.name, sorted(seen))) for role, seen in percepts.items() if seen
        },
        to_move=() if trouble or state is None else _askers(state),
    )


def _labelled(before: State | None, made: MoveMade) -> MoveMade:
    """A move with what the board calls it."""
    if before is None:
        return made
    try:
        touches = clicks_of(before, made.role, board_of(before)).moves
        label = next((touch.label for touch in touches if str(touch.move) == made.move), "")
    except GamemasterError:
        return made
    return replace(made, label=printable(label))


def _askers(state: State) -> tuple[str, ...]:
    try:
        return tuple("chance" if role == RANDOM else printable(role) for role in askers_of(state))
    except GamemasterError:
        return ()


# The rest


def verdict(file: RecordFile) -> Plain:
    """Whether a record is true, worked out from its rules."""
    found = verify(_record(file))
    problems = [{"line": each.line, "what": printable(each.what, 400)} for each in found.problems[:20]]
    return {**found.to_dict(), "problems": problems, "how": printable(found.how) or None}


def said_lines(file: RecordFile, most: int | None = None) -> tuple[list[str], int]:
    """What was said, line by line, and how many lines there are."""
    lines = transcript(_record(file).events)
    return [printable(line, LONGEST_LINE) for line in lines[:most]], len(lines)


def standalone_query(file: RecordFile, step: int) -> str:
    """The query with which Standalone begins at a step; IllegalMove or the like where the library has other rules."""
    record, words = _record(file), _Words(file)
    game = shelf_game(record.started.game)
    state, line = game.initial_state(), []
    for moved in record.moves[: max(0, step)]:
        moves = {words.term(role): words.term(move) for role, move in moved.moves.items()}
        missing = [role for role in askers_of(state) if role not in moves]
        if missing:
            raise RecordError(f"step {state.step + 1} has no move of {', '.join(missing)}")
        line.append([moves[role] for role in askers_of(state)])
        state = state.next(dict(moves))
    query = path_query(line)
    if len(query) > LONGEST_QUERY:
        raise RecordError(f"step {step:,} is too far from the start for an address")
    return query
