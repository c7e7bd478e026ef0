"""Requests and replies as lines of JSON: for a player in a process of its own, and for a browser.

    {"number": 3, "kind": "play", "match": "m", "role": "x", "moves": {"o": "mark(1,1)"}}
    {"number": 3, "value": "mark(2,2)"}          or {"number": 3, "fault": "crashed", "detail": "ValueError: 2"}

`start` has the rules, their notation and the clocks as well, `percepts` stand for `moves` in a game that hides its
state, and then `legal` are the moves that the role has. A reply may have a `thought`: see `thought.py`.
"""

from __future__ import annotations

import json
import math
from typing import Any

from gamemaster.language.infix import read_term
from gamemaster.language.notation import read, show
from gamemaster.language.rules import Rules
from gamemaster.language.source import Source
from gamemaster.match.request import Failure, Reply, Request, Standing, Told
from gamemaster.match.thought import checked_thought

__all__ = ["reply_from_line", "reply_to_line", "request_from_line", "request_to_line", "told_to_json"]

SAYABLE = ("crashed", "refused", "malformed", "huge")
"""The faults that a player may say of itself; others are for the manager to see."""

LARGEST = 2**53
"""The largest number of a message: any reader of JSON knows it, and it is short to tell."""


def request_to_line(request: Request) -> str:
    """The request as a line of JSON, without its end."""
    data: dict[str, Any] = {
        "number": request.number,
        "kind": request.kind,
        "match": request.match,
        "role": request.role,
    }
    if request.kind == "start":
        data |= _start(request)
    if request.told is not None:
        data |= told_to_json(request.told)
    if request.legal is not None:
        data["legal"] = [str(move) for move in request.legal]
    return json.dumps(data)


def _start(request: Request) -> dict[str, Any]:
    sheet = request.sheet
    data: dict[str, Any] = {
        "game": request.game,
        "rules": sheet.source.text or show(sheet),
        "notation": sheet.notation,
        "start_clock": _clock_to_json(request.start_clock),
        "play_clock": _clock_to_json(request.play_clock),
    }
    if request.past is not None:
        data["past"] = [told_to_json(told) for told in request.past]
    if request.position is not None:
        data["facts"] = [str(fact) for fact in request.position.facts]
        data["step"] = request.position.step
    return data


def _clock_to_json(seconds: float) -> float | None:
    """The clock, null where it never runs out."""
    return None if seconds == math.inf else seconds


def _clock_from_json(seconds: float | None) -> float:
    return math.inf if seconds is None else seconds


def told_to_json(told: Told) -> dict[str, Any]:
    """What a player is told, as plain data."""
    if told.moves is None:
        return {"percepts": [str(each) for each in told.percepts or ()]}
    return {"moves": {role: str(move) for role, move in told.moves.items()}}


def request_from_line(line: str) -> Request:
    """The request of a line that `request_to_line` wrote."""
    data = json.loads(line)
    sheet = Rules((), "hrf")
    if data["kind"] == "start":
        sheet = read(Source(data["game"], data["rules"]), data["notation"])
    return Request(
        data["kind"],
        data["number"],
        data["match"],
        data["role"],
        data.get("game", ""),
        sheet,
        _clock_from_json(data.get("start_clock", 0.0)),
        _clock_from_json(data.get("play_clock", 0.0)),
        told=_told(data) if "moves" in data or "percepts" in data else None,
        legal=tuple(map(read_term, data["legal"])) if "legal" in data else None,
        past=tuple(map(_told, data["past"])) if "past" in data else None,
        position=Standing(tuple(data["facts"]), data["step"]) if "facts" in data else None,
    )


def _told(data: dict[str, Any]) -> Told:
    if "moves" in data:
        return Told(moves={role: read_term(move) for role, move in data["moves"].items()})
    return Told(percepts=tuple(map(read_term, data["percepts"])))


def reply_to_line(reply: Reply | Failure) -> str:
    """The reply as a line of JSON, without its end."""
    if isinstance(reply, Failure):
        return json.dumps({"number": reply.number, "fault": reply.kind, "detail": reply.detail})
    data = {"number": reply.number, "value": None if reply.value is None else str(reply.value)}
    return json.dumps(data if reply.thought is None else {**data, "thought": reply.thought})


def reply_from_line(line: str) -> Reply | Failure:
    """The reply of a line; a malformed one is a Failure. Without a number it is of the player as a whole."""
    try:
        data = json.loads(line)
        number = data["number"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return Failure(None, "malformed", line[:200])
    fault, detail, value = data.get("fault"), data.get("detail", ""), data.get("value")
    if fault is not None and (number is None or (type(number) is int and abs(number) <= LARGEST)):
        return _fault(number, fault, detail) or Failure(number, "malformed", line[:200])
    if type(number) is not int or abs(number) > LARGEST:
        return Failure(None, "malformed", line[:200])
    if value is not None and not isinstance(value, str):
        return Failure(number, "malformed", line[:200])
    return Reply(number, value, value or "", checked_thought(data.get("thought")))


def _fault(number: int | None, kind: object, detail: object) -> Failure | None:
    """What a player says of itself, None where it is nothing that can be meant."""
    if not isinstance(kind, str) or kind not in SAYABLE or not isinstance(detail, str):
        return None
    return Failure(number, kind, detail)
