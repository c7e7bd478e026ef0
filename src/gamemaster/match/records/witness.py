"""Record -> whether a referee who hears the same says the same: whose reply counts, who is blamed, how it ends.

Of a record only this comes from outside: what players said and when, that a line or a player failed, that a clock ran
out, and that somebody paused, ended or left the match. All else a referee works out. So one is told what came from
outside, event by event, and what it says must be what the record says next.

A reply without a word is in no record. It is taken for granted where the record goes on as if there had been one.
"""

from __future__ import annotations

import json
import math
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, TypeGuard

from gamemaster.errors import GamemasterError, MessageError
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game
from gamemaster.match import events
from gamemaster.match.chronicle import settings_of
from gamemaster.match.judging import is_cut, judged_move, says_nothing, shorten
from gamemaster.match.records.record import Record
from gamemaster.match.referee import Referee
from gamemaster.match.request import MOST_REPLIES, Failure, Kind, Reply, Request
from gamemaster.match.settings import PING_SECONDS
from gamemaster.match.transports.lines import request_to_line
from gamemaster.match.wire.classic import classic_text
from gamemaster.match.wire.messages import read_reply
from gamemaster.match.wire.protocol import Era

__all__ = ["Objection", "testify"]

ROUNDING = 5e-6
"""Times are recorded to a microsecond; differences of them are not as exact."""

OTHER_ROUND = re.compile(r"(.*) \(to message ([0-9]+), now [0-9]+\)", re.DOTALL)
NOTHING_WITHIN = re.compile(r"nothing within (\S+) s")
FLOOD = f"{MOST_REPLIES} replies to one message; the rest is ignored"
KIND = re.compile(r'\s*(?:\{.*?"kind": *"(\w+)"|\(?\s*(\w+))', re.DOTALL)


class Objection(Exception):
    """The record says something else than a referee would."""


def testify(record: Record, game: Game) -> tuple[int, str] | None:
    """The first line that a referee would not have written, and why; None if there is none."""
    witness = _Witness(record, game)
    for number, event in enumerate(record.events):
        try:
            witness.hear(number, event)
        except Objection as objection:
            return number + 1, str(objection)
        except GamemasterError as error:
            return number + 1, str(error)
    return None


class _Referee(Referee):
    """A referee who draws what was drawn: whether the seed gives it has been looked at before."""

    drawn: Mapping[str, str] = {}
    first: Sequence[Mapping[str, str]] = ()
    """The joint moves of the opening, if there was one."""
    taken: Mapping[str, float] = {}
    """How long everybody could have taken, at most, in the last round with moves."""

    def draw(self, role: str) -> Term:
        """The move of the record."""
        step = self.state.step
        drawn = self.first[step] if self.phase == "new" and step < len(self.first) else self.drawn
        return self.game.move_of(drawn[role]) if role in drawn else super().draw(role)

    def _make_moves(self, now: float) -> None:
        self.taken = {role: max(0.0, now - sent) for role, sent in self._sent.items()}
        super()._make_moves(now)


class _Witness:
    """A referee and the record that it is compared with."""

    def __init__(self, record: Record, game: Game) -> None:
        self.record, self.game = record, game
        self.expected: deque[events.Event] = deque()
        """What the referee has said, and the record must say next."""
        self.silent: set[str] = set()
        """Who was taken to have replied without a word in this round: when is not known."""
        self.at = 0
        self.first = next((_kind(event.text) for event in record.events if _is_sent(event)), "")
        self.has_messages = bool(self.first)
        self.referee = self._appoint(record.started.players)
        self.referee.begin(0.0)

    # Hearing

    def hear(self, number: int, event: events.Event) -> None:
        """Compare an event with what the referee says; Objection where it would not say that."""
        self.at = number
        if isinstance(event, events.Resumed) or self._goes_on_silently(event):
            self._go_on(event)
        if not self.expected:
            self._cause(event)
        if not self.expected:
            raise Objection(f"{_name(event)}: nothing leads to this")
        self._compare(self.expected.popleft(), event)

    def _cause(self, event: events.Event) -> None:
        """Tell the referee what must have come from outside, if this is what it said then."""
        self.referee.drawn = self._next_moves()
        self.referee.settings = replace(self.referee.settings, stops_at_error=self._is_left_here())
        if _is_sent(event):
            self._sent(event)
            return
        match event:
            case events.Message():
                self._received(event)
            case events.Fault():
                self._failed(event)
            case events.Paused():
                self.referee.pause(event.time)
            case events.Unpaused():
                self.referee.resume(event.time)
            case events.Resigned():
                self._resign(event)
            case events.Moved() | events.Ended():
                self._silence(event)

    def _appoint(self, players: Mapping[str, str], **more: Any) -> _Referee:
        started = self.record.started
        settings = settings_of(started, PING_SECONDS if self._is_pinged() else 0.0)
        answering = [role for role, name in players.items() if name.startswith("http://")]
        listeners = [self.expected.append]
        referee = _Referee(self.game, players, settings, listeners=listeners, answering=answering, **more)
        referee.first = [moved.moves for moved in self.record.moves[: started.opening]]
        return referee

    def _is_pinged(self) -> bool:
        """Whether the next message that goes out is a ping."""
        following = (event for event in self._following() if _is_sent(event))
        return (event := next(following, None)) is not None and _kind(event.text) == "ping"

    def _next_moves(self) -> Mapping[str, str]:
        return next((event.moves for event in self._following() if isinstance(event, events.Moved)), {})

    def _following(self) -> Iterator[events.Event]:
        """What the record says from here on."""
        return (self.record.events[number] for number in range(self.at, len(self.record.events)))

    # A match that goes on

    def _goes_on_silently(self, event: events.Event) -> bool:
        """Whether a match goes on here, in a record of the days when nothing said so."""
        if not _is_sent(event) or isinstance(self.record.events[self.at - 1], events.Resumed):
            return False
        kind = _kind(event.text)
        is_next = (kind, self.referee.phase) == ("start", "pinging")  # though not all have answered yet
        is_expected = is_next or kind in {request.kind for request in self.referee.outbox}
        return kind == self.first and not is_expected

    def _go_on(self, event: events.Event) -> None:
        before = replace(self.record, events=self.record.events[: self.at])
        players = event.players if isinstance(event, events.Resumed) else self.record.started.players
        if players.keys() != self.record.started.players.keys():
            raise Objection(f"players for {', '.join(players)} go on")
        self.expected.clear()
        past = before.past()
        self.referee = self._appoint(players, past=past)
        self.referee.begin(past.time)
        if not isinstance(event, events.Resumed):
            self.expected.popleft()

    # Messages

    def _sent(self, event: events.Message) -> None:
        kind = _kind(event.text)
        if kind in ("stop", "abort") and self.referee.phase not in ("stopping", "over"):
            self._act(kind, event)
        request = next((each for each in self.referee.outbox if each.role == event.role), None)
        if request is None or request.kind != kind:
            raise Objection(f"{kind or 'a message'} to {event.role}: that is not what follows")
        if not _is_rendering(event.text, request):
            raise Objection(f"{kind} to {event.role}: not what the player was to be told")
        self.referee.outbox.remove(request)
        self.referee.sent(event.time, request, event.text)

    def _act(self, kind: str, event: events.Message) -> None:
        """Somebody has ended the match, given it up or left it."""
        self.silent.clear()
        if kind == "stop":
            self.referee.end(event.time)
        elif self._has_end():
            self.referee.abort(event.time)
        else:
            self.referee.interrupt(event.time)

    def _resign(self, event: events.Resigned) -> None:
        if event.role not in self.referee.roles:
            raise Objection(f"nobody plays {event.role!r}")
        self.silent.clear()
        self.referee.resign(event.time, event.role)

    def _has_end(self) -> bool:
        """Whether the record says that the match ended, before it goes on."""
        for event in self.record.events[self.at + 1 :]:
            if isinstance(event, events.Ended):
                return True
            if isinstance(event, events.Resumed) or (
                _is_sent(event) and _kind(event.text) in ("ping", "start")
            ):
                return False
        return False

    def _is_left_here(self) -> bool:
        """Whether the match is left with the faults that follow from this: somebody wanted it to stop at errors."""
        following = self.record.events[self.at + 1 :]
        after = next((event for event in following if not isinstance(event, events.Fault)), None)
        return after is not None and _is_sent(after) and _kind(after.text) == "abort" and not self._has_end()

    def _all_sent(self) -> None:
        """Nothing counts before all have been told, but those to whom it could not be said."""
        for request in self.referee.outbox if self.has_messages else ():
            following = (event for event in self._following() if _is_fault_of(event, request.role))
            fault = next(following, None)
            if fault is None or fault.kind != "unreachable":
                raise Objection(f"before this {request.kind} went to {request.role}: the message is missing")

    # Replies

    def _received(self, event: events.Message) -> None:
        role, referee = event.role, self.referee
        if role not in referee.roles:
            raise Objection(f"nobody plays {role!r}")
        fault = self._fault_about(event)
        other = OTHER_ROUND.fullmatch(fault.detail) if fault else None
        number = int(other[2]) if other else referee.number
        if fault and not other and fault.kind == "duplicate" and role not in referee._answered:
            self._say_nothing(role, event.time)
        reply = Reply(number, self._value(event, fault), event.text)
        if fault is None and says_nothing(reply) and not self._can_mean_this_round(role, reply):
            reply = replace(reply, number=0)  # to another message: it means nothing
        if reply.number == referee.number:
            self._all_sent()
        self._check_clock(event.time)
        referee.receive(event.time, role, reply)

    def _can_mean_this_round(self, role: str, reply: Reply) -> bool:
        """Whether a word for nothing would not be a fault in this round."""
        referee = self.referee
        if role in referee._answered or referee.phase in ("pinging", "starting"):
            return False
        legal = referee.state.legal_moves(role) if referee.phase == "playing" else ()
        return not legal or judged_move(reply, legal)[0] is not None

    def _fault_about(self, event: events.Message) -> events.Fault | None:
        """The fault that a reply is, if it is one: it is told at once, in the words of the reply."""
        for fault in self.record.events[self.at + 1 : self.at + 2]:
            if not isinstance(fault, events.Fault) or (fault.role, fault.time) != (event.role, event.time):
                continue
            is_failure = fault.kind in (*events.FAILURES, "late") and fault.kind != "malformed"
            is_worded = fault.kind in ("not ready", "busy") or fault.detail.startswith(shorten(event.text))
            return fault if is_worded and not is_failure else None
        return None

    def _value(self, event: events.Message, fault: events.Fault | None) -> object:
        """What a reply means, by its text."""
        if self.referee.phase in ("pinging", "starting"):
            return _word(event.text)
        if not is_cut(event.text):
            return event.text or None
        if fault is not None:
            return object() if fault.kind == "malformed" else "no-move-of-any-rules"
        move = self._next_moves().get(event.role, "")
        is_its_beginning = (
            event.text[:50] in (move[:50], self.game.move_of(move).kif()[:50]) if move else False
        )
        return move if is_its_beginning else event.text

    def _say_nothing(self, role: str, time: float, value: str | None = None) -> None:
        self.silent.add(role)
        self.referee.receive(time, role, Reply(self.referee.number, value))

    def _check_clock(self, time: float) -> None:
        """Nothing comes in time after the clock has run out."""
        deadline = self.referee.deadline
        if deadline is None:
            return
        if time > deadline + ROUNDING:
            raise Objection("by then the clock had run out")
        self.referee.deadline = max(deadline, time)

    # Failures

    def _failed(self, event: events.Fault) -> None:
        role, referee = event.role, self.referee
        if event.kind == "stuck":
            referee._stuck(event.time, event.detail)
        elif role not in referee.roles:
            raise Objection(f"nobody plays {role!r}")
        elif within := NOTHING_WITHIN.fullmatch(event.detail):
            self._run_out(event, float(within[1]))
        elif event.kind == "duplicate" and event.detail == FLOOD:
            referee._received[role] = MOST_REPLIES - 1
            referee.receive(event.time, role, Reply(referee.number, None))
        elif (event.kind, event.detail) == ("duplicate", ""):
            if role not in referee._answered:
                self._say_nothing(role, event.time)
            referee.receive(event.time, role, Reply(referee.number, None))
        elif (event.kind, event.detail) in (("malformed", "no move"), ("not ready", "says ''")):
            self._say_nothing(role, event.time, "" if event.kind == "malformed" else None)
        elif event.kind in events.FAILURES:
            if event.kind == "unreachable":
                referee.outbox = [request for request in referee.outbox if request.role != role]
            other = OTHER_ROUND.fullmatch(event.detail)
            number, detail = (int(other[2]), other[1]) if other else (referee.number, event.detail)
            self._check_clock(event.time)
            if number == referee.number and not event.is_error and self._may_have_moved(role):
                self._say_nothing(
                    role, event.time
                )  # a failure that costs nothing: it had answered, without a word
            referee.receive(event.time, role, Failure(number, event.kind, detail))

    def _may_have_moved(self, role: str) -> bool:
        """Whether a role has not been heard in a round in which moves are asked for."""
        return self.referee.phase == "playing" and role not in self.referee._answered

    def _run_out(self, event: events.Fault, seconds: float) -> None:
        """The clock ran out."""
        referee = self.referee
        self._all_sent()
        if referee.deadline is None or referee.deadline == math.inf:
            raise Objection("nobody is late while no clock runs")
        if referee.phase == "pinging":
            referee._clock = seconds  # no record has it
        elif event.time < referee.deadline - ROUNDING:
            raise Objection(f"the clock runs for {referee.deadline - event.time:.6g} s yet")
        referee.deadline = min(referee.deadline, event.time)
        for role in referee._ordered(referee._awaited - referee._answered - self._late_here(event.time)):
            self._say_nothing(role, referee.deadline)  # not late, and yet no word of it
        referee.tick(event.time)

    def _late_here(self, time: float) -> set[str]:
        """Who is late when the clock runs out now."""
        late: set[str] = set()
        for event in self._following():
            if not isinstance(event, events.Fault) or event.time != time:
                break
            if NOTHING_WITHIN.fullmatch(event.detail):
                late.add(event.role)
        return late

    def _silence(self, event: events.Moved | events.Ended) -> None:
        """The last replies were without a word; where no messages are recorded, somebody may have ended the match."""
        referee = self.referee
        self._all_sent()
        if isinstance(event, events.Ended) and not self.has_messages:
            {"ended": referee.end, "aborted": referee.abort}.get(event.how, lambda _: None)(event.time)
        for role in referee._ordered(referee._awaited - referee._answered):
            if role in referee.answering and self.has_messages:
                raise Objection(f"{_name(event)}: {role} answers always, and has not yet")
            if not self.expected:
                self._say_nothing(role, event.time)

    # Comparing

    def _compare(self, expected: events.Event, event: events.Event) -> None:
        if type(expected) is not type(event):
            raise Objection(f"{_name(event)}, where a referee says {_name(expected)}")
        if isinstance(event, events.Moved) and isinstance(expected, events.Moved):
            self._compare_seconds(expected, event)
            self.silent.clear()
        for name in [each.name for each in fields(event)]:
            told, right = getattr(event, name), getattr(expected, name)
            if not self._is_same(event, name, told, right):
                raise Objection(f"{_name(event)}: its {name} should be {_shown(right)}, not {_shown(told)}")

    def _is_same(self, event: events.Event, name: str, told: Any, right: Any) -> bool:
        match event, name:
            case (events.Started(), "clock_time") | (events.Moved(), "seconds" | "thoughts"):
                return True
            case events.Ready(), "seconds":
                return bool(abs(told - right) <= ROUNDING)
            case events.Reached(), "facts":
                return sorted(told) == sorted(right)
            case events.Fault(kind="stuck"), "detail":
                return True  # machines say it in different words
            case events.Fault(), "kind" if OTHER_ROUND.fullmatch(event.detail):
                return {told, right} <= {
                    "stale",
                    "duplicate",
                } or told == right  # what was said since is not known
        return bool(told == right)

    def _compare_seconds(self, expected: events.Moved, event: events.Moved) -> None:
        for role in event.seconds.keys() | expected.seconds.keys():
            told, right = event.seconds.get(role), expected.seconds.get(role)
            if (
                told is not None
                and right is None
                and role in self.referee.taken
                and role not in expected.moves
            ):
                self.silent.add(role)
                self.referee._replied[role] = self.referee.number - (self.referee.phase == "playing")
                right = round(self.referee.taken[role], 6)
            if told is None or right is None or not self._took(role, told, right):
                raise Objection(f"moved: {role} took {_shown(right)} s, not {_shown(told)}")

    def _took(self, role: str, told: float, right: float) -> bool:
        """Whether a player took so long; without a word it may have been quicker."""
        return 0 <= told <= right + ROUNDING if role in self.silent else abs(told - right) <= ROUNDING


def _is_sent(event: events.Event) -> TypeGuard[events.Message]:
    return isinstance(event, events.Message) and event.is_sent


def _is_fault_of(event: events.Event, role: str) -> TypeGuard[events.Fault]:
    return isinstance(event, events.Fault) and event.role == role


def _kind(text: str) -> Kind | str:
    """Which request a text is, in whatever way it is written."""
    found = KIND.match(text)
    word = (found[1] or found[2]).lower() if found else ""
    return "ping" if word == "info" else word


def _is_rendering(text: str, request: Request) -> bool:
    """Whether a text says the request; machines have facts and moves in different orders."""
    texts = _renderings(request)
    return text in texts or (text.startswith("{") and _in_order(text) in map(_in_order, texts))


def _in_order(text: str) -> object:
    """A line of JSON as data, with facts and legal moves in one order; a text that is none as it is."""
    try:
        data = json.loads(text)
    except ValueError:
        return text
    for name in ("legal", "facts"):
        if isinstance(data, dict) and isinstance(data.get(name), list):
            data[name] = sorted(map(str, data[name]))
    return data


def _renderings(request: Request) -> list[str]:
    """The request as each transport writes it."""
    texts = [str(request), request_to_line(request)]
    try:
        return [*texts, classic_text(request)]
    except GamemasterError:  # rules that the notation cannot say
        return texts


def _word(text: str) -> str | None:
    """What is said with a reply to ping or start, around which classic players put their name."""
    if not text:
        return None
    try:
        return str(getattr(read_reply(text.strip(), Era.KIF)[1], "value", text))
    except MessageError:
        return text


def _name(event: events.Event) -> str:
    match event:
        case events.Fault(_, _, role, kind):
            return f"fault {kind} of {role}" if role else f"fault {kind}"
        case events.Message(_, role, is_sent):
            return f"message {'to' if is_sent else 'from'} {role}"
    return events.tag_of(event)


def _shown(value: object) -> str:
    return repr(value)[:200]
