"""A match from its players to its result, in one call: who played, what was played, what everybody got."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from gamemaster.errors import UnknownRole
from gamemaster.load import load
from gamemaster.machine.game import RANDOM, Game, State
from gamemaster.machine.interrupts import interrupt_sets
from gamemaster.machine.showing import Shown
from gamemaster.match.events import Ended, Event, Fault, Moved, Started
from gamemaster.match.manager import make_manager
from gamemaster.match.records.record import Record, RecordWriter, record_of
from gamemaster.match.referee import Referee
from gamemaster.match.settings import Settings
from gamemaster.match.thought import NAMES
from gamemaster.match.transports.finding import AnyPlayer

__all__ = ["MatchResult", "Players", "match_data", "play_match"]

Players: TypeAlias = Mapping[str, AnyPlayer] | Sequence[AnyPlayer] | AnyPlayer
"""By role, in role order, or one for all roles."""

LOOKED_AFTER = 0.1
"""After how many seconds one who waits for a match looks whether somebody has interrupted."""


@dataclass(frozen=True)
class MatchResult(Shown):
    """How a match ended. `how` is completed, aborted, ended or stuck; goals and errors are by role.

    `moves` are the joint moves by role, as texts; `record` has everything that happened, and stands in the file `path`
    if one was asked for.
    """

    game: str
    players: Mapping[str, str]
    how: str
    moves: tuple[Mapping[str, str], ...]
    goals: Mapping[str, int | None]
    errors: Mapping[str, int]
    faults: tuple[Fault, ...]
    state: State
    record: Record
    path: Path | None = None

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, ready for JSON; `steps` are rows for a table, one for each move of a role."""
        return {
            **match_data(self.record.started, self.record.ended, self.faults, self.path),
            "moves": [dict(moves) for moves in self.moves],
            "steps": [_row(moved, role) for moved in self.record.moves for role in moved.moves],
        }

    def __str__(self) -> str:
        goals = ", ".join(f"{role} {'-' if goal is None else goal}" for role, goal in self.goals.items())
        errors = sum(self.errors.values())
        said = f", {errors} error{'s' * (errors != 1)}" if errors else ""
        return f"{self.game}: {self.how} after {len(self.moves)} steps, {goals}{said}"

    def __repr__(self) -> str:
        return f"<MatchResult {self}>"


def match_data(
    started: Started, ended: Ended | None, faults: Sequence[Fault], path: Path | None
) -> dict[str, Any]:
    """How a match went as plain data, ready for JSON; one that has not ended has no `how`, goals and errors."""
    return {
        "match": started.match,
        "game": started.game,
        "seed": started.seed,
        "players": dict(started.players),
        "how": ended.how if ended else None,
        "goals": dict(ended.goals) if ended else None,
        "errors": dict(ended.errors) if ended else None,
        "faults": [
            {"step": fault.step, "role": fault.role, "kind": fault.kind, "detail": fault.detail}
            for fault in faults
        ],
        "record": None if path is None else str(path),
    }


def _row(moved: Moved, role: str) -> dict[str, object]:
    """The move of a role, and what it thought of it, as a row of a table; None for what is not known."""
    thought = moved.thoughts.get(role, {})
    return {
        "step": moved.step,
        "role": role,
        "move": moved.moves[role],
        "seconds": moved.seconds.get(role),
        "substituted": role in moved.substituted,
        **{name: thought.get(name) for name in NAMES},
    }


def play_match(
    game: Game | str | Path,
    players: Players,
    settings: Settings,
    *,
    path: Path | str | None = None,
    is_isolated: bool = False,
) -> MatchResult:
    """Run a match to its end; also where an event loop runs already, as in a notebook."""
    table = game if isinstance(game, Game) else load(game)
    chosen = by_role(players, table)
    events: list[Event] = []
    place = None if path is None else Path(path)
    with ExitStack() as stack:
        listeners = [events.append]
        if place is not None:
            listeners.append(stack.enter_context(RecordWriter(place)).write)
        match = make_manager(table, chosen, settings, listeners=listeners, is_isolated=is_isolated).conduct()
        referee = _beside_a_loop(match) if _is_in_a_loop() else asyncio.run(match)
    record = record_of(events)
    assert record.ended is not None
    return MatchResult(
        game=table.name,
        players=dict(referee.players),
        how=record.ended.how,
        moves=tuple(moved.moves for moved in record.moves),
        goals=record.ended.goals,
        errors=record.ended.errors,
        faults=record.faults,
        state=referee.state,
        record=record,
        path=place,
    )


def by_role(players: Players, game: Game) -> dict[str, AnyPlayer]:
    """The player of each role but chance; UnknownRole where they are too many or too few."""
    if isinstance(players, Mapping):
        return dict(players)
    roles = [role for role in game.roles if role != RANDOM]
    if isinstance(players, str) or not isinstance(players, Sequence):
        return dict.fromkeys(roles, players)
    if len(players) != len(roles):
        raise UnknownRole(
            f"{len(players)} players for the {len(roles)} roles of {game.name}: {', '.join(roles)}"
        )
    return dict(zip(roles, players, strict=True))


def _is_in_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _beside_a_loop(match: Coroutine[object, None, Referee]) -> Referee:
    """Run a match in a thread of its own, which may have a loop of its own; whoever interrupts it, leaves it."""
    begun: Future[Callable[[], object]] = Future()

    async def left_when_told() -> Referee:
        loop, task = asyncio.get_running_loop(), asyncio.ensure_future(match)
        begun.set_result(lambda: loop.call_soon_threadsafe(task.cancel))
        return await task

    stopped = threading.Event()
    with interrupt_sets(stopped), ThreadPoolExecutor(1) as thread:
        running = thread.submit(lambda: asyncio.run(left_when_told()))
        try:
            while not (running.done() or stopped.is_set()):
                wait([running], LOOKED_AFTER)
        finally:
            if not running.done():
                with suppress(RuntimeError):  # the loop is closed: the match has come to its end meanwhile
                    begun.result()()
        return running.result()
