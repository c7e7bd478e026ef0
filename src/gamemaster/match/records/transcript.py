"""What was said in a match, line by line, as the original shows it.

    message(3,manager,indy,play(m01,[]))                    in the eras `ids` and `envelope`
    message(3,indy,manager,mark(1,1))
    Game Manager to indy: (play m01 nil)                    in the classic ones, which have no envelope
    indy to Game Manager: (mark 1 1)

Rules are left out, `ruleset(...)`, unless somebody wants them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import get_args

from gamemaster.errors import MessageError, ReadError
from gamemaster.language.notation import read
from gamemaster.language.rules import Notation, Rules
from gamemaster.language.source import Source
from gamemaster.match import events
from gamemaster.match.request import Request
from gamemaster.match.transports.lines import request_from_line
from gamemaster.match.wire import protocol
from gamemaster.match.wire.messages import print_message, read_message, read_reply
from gamemaster.match.wire.protocol import Era

__all__ = ["MANAGER", "Scribe", "transcript", "transcript_line"]

MANAGER = "manager"
TITLE = "Game Manager"
"""What the classic transcripts call the manager."""

OURS = re.compile(r"\{|(ping|abort)\(\)\Z")
START = re.compile(r"start\((.+),[^,]*,([^,]+),([^,]+)\)", re.DOTALL)
"""How a request to a player in this process is recorded, as far as no era has it."""

LONGEST = 200
"""How much is shown of a text that is no message."""


def transcript_line(
    message: protocol.Message, era: Era, sender: str, receiver: str, number: int, *, is_short: bool = True
) -> str:
    """The line of a message; `number` is that of its round, where the message does not say."""
    if isinstance(message, protocol.Envelope):
        return print_message(message, era, is_short=is_short)
    if not era.is_classic:
        return print_message(
            protocol.Envelope(str(number), sender, receiver, message), era, is_short=is_short
        )
    return f"{_title(sender)} to {_title(receiver)}: {print_message(message, era, is_short=is_short)}"


def _title(name: str) -> str:
    return TITLE if name == MANAGER else name


def transcript(match: Iterable[events.Event], era: Era | None = None, *, is_short: bool = True) -> list[str]:
    """The lines of a match, as it went or in another era; what is no message is shown as it came."""
    scribe = Scribe(era, is_short=is_short)
    return [line for event in match if (line := scribe.hear(event)) is not None]


class Scribe:
    """Events as they come -> lines; messages to players here or in a process of their own as if they had a mailbox."""

    def __init__(self, era: Era | None, *, is_short: bool) -> None:
        self.era = era
        self.is_short = is_short
        self.match = ""
        self.rules = Rules((), "epilog")
        self.names: dict[str, str] = {}
        self.eras: dict[str, Era] = {}
        """How each was spoken to the last time."""
        self.number = 1
        self.told: set[str] = set()
        """The round, and who was told something in it."""

    def hear(self, event: events.Event) -> str | None:
        """The line of a message; None for any other event."""
        if isinstance(event, events.Started):
            self._begin(event)
        elif isinstance(event, events.Resumed):
            self.names = _names(event.players)
        elif isinstance(event, events.Message):
            if event.is_sent and event.role in self.told:  # somebody hears twice: a new round
                self.number, self.told = self.number + 1, set()
            self.told |= {event.role} if event.is_sent else set()
            return self._line(event, self.number)
        return None

    def _begin(self, started: events.Started) -> None:
        self.match, self.names = started.match, _names(started.players)
        if not self.is_short:
            notation: Notation | None = next(
                (each for each in get_args(Notation) if each == started.notation), None
            )
            self.rules = read(Source("rules", started.rules), notation)

    def _line(self, event: events.Message, number: int) -> str:
        name = self.names.get(event.role, event.role)
        sender, receiver = (MANAGER, name) if event.is_sent else (name, MANAGER)
        try:
            era, message = self._sent(event) if event.is_sent else self._received(event)
            return transcript_line(message, self.era or era, sender, receiver, number, is_short=self.is_short)
        except (MessageError, ReadError):
            return f"{_title(sender)} to {_title(receiver)}: {event.text[:LONGEST]}"

    def _sent(self, event: events.Message) -> tuple[Era, protocol.Message]:
        try:
            found = read_message(event.text) if not OURS.match(event.text) else self._ours(event.text)
        except MessageError:
            found = self._ours(event.text)
        self.eras[event.role] = found[0]
        return found

    def _received(self, event: events.Message) -> tuple[Era, protocol.Message]:
        """A reply by its own form, or in the envelope of what it answers."""
        era, message = read_reply(event.text)
        is_bare = isinstance(message, protocol.ReplyMessage) and message.id is None
        return (self.eras.get(event.role, era), message) if is_bare else (era, message)

    def _ours(self, text: str) -> tuple[Era, protocol.Message]:
        """A request that went over no line, or as JSON."""
        if text.startswith("{"):
            return Era.ENVELOPE, self._body_of(request_from_line(text))
        if begun := START.fullmatch(text):
            return Era.ENVELOPE, protocol.Start(
                begun[1], self.rules, float(begun[2]), float(begun[3]), self.match
            )
        _, message = read_message(f"message(1,{MANAGER},{MANAGER},{text})")
        if not isinstance(message, protocol.Envelope) or isinstance(message.body, protocol.ReplyMessage):
            raise MessageError(f"no request: {text[:LONGEST]!r}")
        body = message.body
        return Era.ENVELOPE, body if isinstance(body, protocol.Ping) else replace(body, id=self.match)

    def _body_of(self, request: Request) -> protocol.Body:
        terms = request.told.terms() if request.told else ()
        match request.kind:
            case "ping":
                return protocol.Ping()
            case "abort":
                return protocol.Abort(self.match)
            case "start":
                rules = self.rules if self.is_short else request.sheet
                return protocol.Start(
                    request.role, rules, request.start_clock, request.play_clock, self.match
                )
            case "play":
                return protocol.Play(terms, self.match)
        return protocol.Stop(terms, self.match)


def _names(players: Mapping[str, str]) -> dict[str, str]:
    """What to call the player of each role: by its name, that of a file without its folder; by its role where a name
    has two, or is no word."""
    names = {role: Path(name).stem if name.endswith(".py") else name for role, name in players.items()}
    shared = {name for name in names.values() if list(names.values()).count(name) > 1}
    return {role: role if name in shared or not name.isidentifier() else name for role, name in names.items()}
