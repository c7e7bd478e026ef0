"""Records <-> the JSON in which ggp-base publishes matches, so that theirs can be replayed here and ours there.

That JSON names the game by an address and has no rules in it: who reads it brings the game. States are KIF lists,
moves are in role order, times are milliseconds since 1970. Errors are texts by role, first of the start and then of
each step: "TO" for a clock that ran out, "IL move" for an illegal one, "CE" for no connection; else our own words.
A match of scrambled rules is written in the words of the game.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from gamemaster.errors import GamemasterError, MessageError, ReadError, RecordError
from gamemaster.language.infix import read_term
from gamemaster.language.kif import read_kif_term
from gamemaster.language.notation import show
from gamemaster.language.terms import Term, exact_kif
from gamemaster.machine.game import RANDOM, Game, State
from gamemaster.match import events
from gamemaster.match.records.record import Record, check_event, record_of
from gamemaster.match.wire.classic import ENDLESS_SECONDS
from gamemaster.match.wire.cutting import Piece, elements_of
from gamemaster.match.wire.protocol import NOOP
from gamemaster.match.wire.scramble import Scrambling

__all__ = ["from_ggp", "is_ggp", "to_ggp"]

UNKNOWN = "unknown"
"""Who plays where the JSON does not say."""

TIMEOUT, ILLEGAL, NO_CONNECTION = "TO", "IL ", "CE"


def to_ggp(record: Record) -> str:
    """The match as ggp-base's JSON."""
    started, ended = record.started, record.ended
    began, words = _milliseconds(started), Scrambling.back(started.names)
    match: dict[str, Any] = {
        "matchId": started.match,
        "randomToken": str(started.seed),
        "startTime": began,
        "gameMetaURL": started.game,
        "gameRoleNames": [started.names.get(role, role) for role in started.roles],
        "playerNamesFromHost": [started.players.get(role, role) for role in started.roles],
        "startClock": _clock(started.start_clock),
        "playClock": _clock(started.play_clock),
        "previewClock": -1,
        "isCompleted": ended is not None and ended.how in ("completed", "ended"),
        "isAborted": ended is not None and ended.how in ("aborted", "stuck"),
        "states": [_kif_list(state.facts, words) for state in record.states],
        "moves": [_joint(moved, started.roles, words) for moved in record.moves],
        "stateTimes": [began + round(1000 * state.time) for state in record.states],
        "errors": _errors(record),
        "scrambled": bool(started.names),
    }
    if ended is not None:
        match["goalValues"] = [ended.goals.get(role) or 0 for role in started.roles]
    return json.dumps(match)


def _milliseconds(started: events.Started) -> int:
    try:
        return round(1000 * datetime.fromisoformat(started.clock_time).timestamp())
    except (ValueError, OverflowError):
        return 0


def _clock(seconds: float) -> float:
    seconds = min(seconds, ENDLESS_SECONDS)
    return int(seconds) if seconds == int(seconds) else seconds


def _kif_list(facts: Sequence[str], words: Scrambling) -> str:
    return f"( {' '.join(_kif(fact, words) for fact in facts)} )"


def _kif(text: str, words: Scrambling) -> str:
    return exact_kif(words.translate(read_term(text)))


def _joint(moved: events.Moved, roles: Sequence[str], words: Scrambling) -> list[str]:
    return [_kif(moved.moves[role], words) if role in moved.moves else NOOP.kif() for role in roles]


def _errors(record: Record) -> list[list[str]]:
    """What each role did wrong, at the start and in each step, "" for nothing."""
    found: dict[tuple[int, str], list[str]] = {}
    has_begun = False
    for event in record.events:
        has_begun = has_begun or isinstance(event, events.Reached)
        if isinstance(event, events.Fault) and event.is_error:
            row = event.step + 1 if has_begun else 0
            found.setdefault((row, event.role), []).append(_code(event))
    rows = range(len(record.moves) + 1)
    return [["; ".join(found.get((row, role), ())) for role in record.started.roles] for row in rows]


def _code(fault: events.Fault) -> str:
    """How ggp-base would call it."""
    if fault.kind == "illegal":
        return ILLEGAL + " ".join(fault.detail.replace(";", " ").split())
    return {"late": TIMEOUT, "not ready": TIMEOUT, "unreachable": NO_CONNECTION}.get(fault.kind, fault.kind)


def is_ggp(text: str) -> bool:
    """Whether a text is such JSON rather than a record, which has a line an event."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(data, dict) and "matchId" in data


def from_ggp(text: str, game: Game) -> Record:
    """The record of a match of a game in that JSON; RecordError for a text that is none, or of another game."""
    try:
        record = record_of(_events(json.loads(text), game), "match")
        for event in record.events:
            check_event(event)
        return replace(record, is_imported=True)
    except (
        KeyError,
        TypeError,
        AttributeError,
        ArithmeticError,
        ValueError,
        OSError,
        RecursionError,
    ) as error:
        raise RecordError(f"not a match in JSON: {type(error).__name__} {error}") from None


def _events(match: dict[str, Any], game: Game) -> list[events.Event]:
    began = match["startTime"]
    times = [max(0.0, (time - began) / 1000) for time in match["stateTimes"]]
    state = game.initial_state()
    found: list[events.Event] = [_started(match, game), *_faults(match, 0, game, times)]
    found += _reached(match, 0, state, times)
    for step, moves in enumerate(match["moves"]):
        found += _faults(match, step + 1, game, times)
        joint = _moves(moves, state, step)
        percepts = _percepts(state, joint)
        texts = {role: str(move) for role, move in joint.items()}
        found.append(events.Moved(_time(times, step + 1), step, texts, {}, (), percepts))
        state = _next(state, joint)
        found += _reached(match, step + 1, state, times)
    return [*found, *_ended(match, state, times, found)]


def _started(match: dict[str, Any], game: Game) -> events.Started:
    names = match.get("playerNamesFromHost") or [UNKNOWN] * len(game.roles)
    if len(names) != len(game.roles):
        raise RecordError(f"{len(names)} players, but the roles of {game.name} are {', '.join(game.roles)}")
    token = str(match.get("randomToken", ""))
    return events.Started(
        time=0.0,
        match=match["matchId"],
        game=match.get("gameMetaURL") or game.name,
        rules=game.sheet.source.text or show(game.sheet),
        notation=game.sheet.notation,
        digest=game.digest,
        roles=game.roles,
        players={role: name for role, name in zip(game.roles, names, strict=True) if role != RANDOM},
        start_clock=float(match["startClock"]),
        play_clock=float(match["playClock"]),
        seed=int(token) if token.isdecimal() else 0,
        clock_time=datetime.fromtimestamp(match["startTime"] / 1000, UTC).isoformat(),
    )


def _reached(match: dict[str, Any], step: int, state: State, times: list[float]) -> list[events.Reached]:
    """The state of a step as the JSON has it, in the order of the rules; none where it is missing."""
    if step >= len(match["states"]):
        return []
    written = {str(term) for term in _terms(match["states"][step], step)}
    true = [str(fact) for fact in state.ordered_facts]
    facts = tuple(true) if set(true) == written else tuple(sorted(written))
    goals = {role: state.goal(role) for role in state.game.roles}
    return [events.Reached(_time(times, step), step, facts, goals, state.is_terminal)]


def _terms(text: str, step: int) -> list[Term]:
    try:
        return [read_kif_term(piece.text) for piece in elements_of(Piece(text, 0))]
    except (MessageError, ReadError) as error:
        raise RecordError(f"step {step}: {error}") from None


def _moves(texts: Sequence[str], state: State, step: int) -> dict[str, Term]:
    """The moves by role, of those who have one."""
    if len(texts) != len(state.game.roles):
        raise RecordError(f"step {step}: {len(texts)} moves for {len(state.game.roles)} roles")
    terms = _terms(f"({' '.join(texts)})", step)
    joint = zip(state.game.roles, terms, strict=True)
    return {role: term for role, term in joint if state.legal_moves(role)}


def _percepts(state: State, joint: dict[str, Term]) -> dict[str, tuple[str, ...]]:
    if not state.game.has_percepts:
        return {}
    try:
        seen = state.percepts(joint)
    except GamemasterError as error:
        raise RecordError(str(error)) from None
    return {role: tuple(sorted(map(str, seen[role]))) for role in state.game.roles if role != RANDOM}


def _next(state: State, joint: dict[str, Term]) -> State:
    try:
        return state.next(joint)
    except GamemasterError as error:
        raise RecordError(f"step {state.step}: {error}") from None


def _faults(match: dict[str, Any], row: int, game: Game, times: list[float]) -> list[events.Fault]:
    """The errors of a row: the first is that of the start, each other one that of the step before."""
    written = match.get("errors", [])
    if row >= len(written):
        return []
    faults = []
    for role, texts in zip(game.roles, written[row], strict=False):
        for text in filter(None, texts.split("; ")):
            kind, detail = _kind(text, is_start=row == 0)
            faults.append(events.Fault(_time(times, row), max(0, row - 1), role, kind, detail, True))
    return faults


def _kind(text: str, *, is_start: bool) -> tuple[str, str]:
    """The kind of fault that an error is, and its detail; what nobody knows counts as a malformed reply."""
    if text.startswith(ILLEGAL):
        return "illegal", text.removeprefix(ILLEGAL)
    known = {TIMEOUT: "not ready" if is_start else "late", NO_CONNECTION: "unreachable"}
    return known.get(text, text if text in events.FAULTS else "malformed"), text


def _time(times: list[float], step: int) -> float:
    """When a step began; where the JSON does not say, the last time it does."""
    return times[min(step, len(times) - 1)] if times else 0.0


def _ended(
    match: dict[str, Any], state: State, times: list[float], before: Sequence[events.Event]
) -> list[events.Ended]:
    is_aborted = match.get("isAborted", False)
    if not match["isCompleted"] and not is_aborted:
        return []
    roles = state.game.roles
    goals: dict[str, int | None] = {role: state.goal(role) for role in roles}
    told = match.get("goalValues", [goals[role] or 0 for role in roles])
    goals = {
        role: value if goals[role] is not None or value else None
        for role, value in zip(roles, told, strict=True)
    }
    faults = [event for event in before if isinstance(event, events.Fault)]
    errors = {role: sum(fault.role == role for fault in faults) for role in roles if role != RANDOM}
    how = "aborted" if is_aborted else "completed" if state.is_terminal else "ended"
    return [events.Ended(_time(times, len(times)), how, goals, errors)]
