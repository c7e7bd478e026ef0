"""A match -> the parts of a page, as somebody may see them. What nobody may know is decided here, and nowhere else.

In a game that hides its state, whoever plays a role sees what that role knows until the match is over; whoever plays
none sees that moves are made, and nothing of them, unless only players of the library play. Thoughts, messages, times
and goals tell more than a role may know, so they are told at the end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gamemaster.match import events
from gamemaster.match.events import FAULTS
from gamemaster.web.jobs import Plain
from gamemaster.web.live.feeds import Item
from gamemaster.web.rendering import fragment

if TYPE_CHECKING:
    from gamemaster.web.live.table import LiveMatch

__all__ = ["NOBODY", "Viewer", "clock_in_words", "items_of", "parts_of", "sees_all", "status_of_match"]


@dataclass(frozen=True)
class Viewer:
    """Somebody who looks at a match: the roles they play, and whether they arranged it."""

    roles: tuple[str, ...] = ()
    is_owner: bool = False


NOBODY = Viewer()


def sees_all(match: LiveMatch, viewer: Viewer) -> bool:
    """Whether nothing of the match is hidden from somebody."""
    if not match.entry.is_hidden or match.is_over:
        return True
    is_among_machines = all(seat.kind == "library" for seat in match.entry.seats)
    return is_among_machines and not viewer.roles


# What is added to lists


def items_of(match: LiveMatch, viewer: Viewer, event: events.Event) -> Iterator[Item]:
    """What an event adds to the lists of a page."""
    is_open = sees_all(match, viewer)
    match event:
        case events.Moved():
            yield Item("moves", _move(event, viewer, is_open=is_open))
        case events.Fault() if is_open and not _is_idle(event):
            yield Item("moves", fragment("parts/fault.html", fault=event, what=FAULTS.get(event.kind, "")))
        case events.Resigned():
            yield Item("moves", fragment("parts/note.html", text=f"{event.role} resigns"))
        case events.Paused():
            yield Item("moves", fragment("parts/note.html", text="paused"))
        case events.Unpaused():
            yield Item("moves", fragment("parts/note.html", text="goes on"))
        case events.Resumed():
            yield Item("moves", fragment("parts/note.html", text="the match goes on from its record"))
        case events.Message() if is_open:
            yield Item("transcript", fragment("parts/said.html", line=match.transcribed(event)))


def _is_idle(fault: events.Fault) -> bool:
    """Whether a fault is only that somebody spoke who was not asked."""
    return fault.kind in ("stale", "duplicate", "out of turn") and not fault.is_error


def _move(moved: events.Moved, viewer: Viewer, *, is_open: bool) -> str:
    moves: dict[str, str] = dict(moved.moves)
    seen: tuple[str, ...] = ()
    if not is_open:
        moves = {role: move for role, move in moved.moves.items() if role in viewer.roles}
        seen = moved.percepts.get(viewer.roles[0], ()) if viewer.roles else ()
    elif len(moves) > 1:
        moves = {role: move for role, move in moves.items() if move != "noop"} or moves
    return fragment(
        "parts/move.html",
        step=moved.step + 1,
        moves=moves,
        seen=sorted(seen),
        is_open=is_open,
        substituted=moved.substituted if is_open else (),
        seconds=moved.seconds if is_open else {},
        thoughts=moved.thoughts if is_open else {},
    )


# What is replaced


def parts_of(match: LiveMatch, viewer: Viewer, look: Plain) -> dict[str, str]:
    """The parts of the page by element."""
    is_open = sees_all(match, viewer)
    return {
        "board": str(look["svg"]),
        "status": fragment("parts/status.html", text=status_of_match(match, viewer, look)),
        "players": fragment(
            "parts/players.html",
            match=match,
            entry=match.entry,
            viewer=viewer,
            goals=match.scores or look["goals"] if is_open else {},
            errors=match.errors if is_open or match.is_over else {},
            awaited=_awaited(match, viewer),
        ),
        "seen": fragment("parts/seen.html", look=look, is_open=is_open, viewer=viewer, match=match),
        "controls": fragment("parts/controls.html", match=match, viewer=viewer),
    }


def status_of_match(match: LiveMatch, viewer: Viewer, look: Mapping[str, object]) -> str:
    """How things are, in a line."""
    empty = match.empty_seats
    if match.trouble and match.phase in ("arranged", "interrupted"):
        return f"{'Interrupted' if match.phase == 'interrupted' else 'Not begun'}: {match.trouble}"
    if match.phase == "arranged":
        if empty:
            return f"Waiting for {_listed(empty)} to sit down"
        return "Not begun"
    if match.phase == "queued":
        before = match.before
        return "Waiting for room" + (
            f": {before} match{'es' * (before != 1)} before this one" if before else ""
        )
    if match.phase == "starting":
        return "The players are getting ready"
    if match.phase == "interrupted":
        return f"Interrupted after {match.step} step{'s' * (match.step != 1)}"
    if match.is_over:
        return _end(match, look)
    if look["is_terminal"]:
        return f"Game over: {look['ending']}"
    if match.is_ending:
        return "Ending …"
    if match.is_paused:
        return "Paused"
    mine = [role for role in viewer.roles if role in match.asked]
    if mine:
        return f"Your move: {_listed(mine)}"
    chosen = [f"{match.chosen[role]}" for role in viewer.roles if role in match.chosen]
    if chosen:
        waiting = sorted(_awaited(match, viewer) - set(viewer.roles), key=match.roles.index)
        return f"You chose {_listed(chosen)}" + (f"; waiting for {_listed(waiting)}" if waiting else "")
    others = _awaited(match, viewer)
    return f"{_listed(sorted(others, key=match.roles.index))} to move" if others else "The others are to move"


def _awaited(match: LiveMatch, viewer: Viewer) -> frozenset[str]:
    """From whom a move is awaited, as far as somebody may know: who has a choice tells what they hold."""
    return match.awaited if sees_all(match, viewer) else match.asked & set(viewer.roles)


def _end(match: LiveMatch, look: Mapping[str, object]) -> str:
    how = match.entry.how
    if how == "completed":
        return f"Game over: {look.get('ending') or 'the end'}"
    if how == "resigned":
        others = [role for role in match.roles if role != match.resigned]
        return f"Game over: {f'{others[0]} wins, ' if len(others) == 1 else ''}{match.resigned} resigned"
    return f"Over: {how}" if how else "Over"


def _listed(names: list[str] | tuple[str, ...]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""


def clock_in_words(seconds: float) -> str:
    """A clock for people."""
    return "none" if seconds == math.inf else f"{seconds:g} s"
