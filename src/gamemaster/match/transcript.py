"""What was said in a match, line by line, as the original shows it.

    message(3,manager,indy,play(m01,[]))                    in the eras `ids` and `envelope`
    message(3,indy,manager,mark(1,1))
    Game Manager to indy: (play m01 nil)                    in the classic ones, which have no envelope
    indy to Game Manager: (mark 1 1)

Rules are left out: `ruleset(...)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gamemaster.errors import MessageError
from gamemaster.match import events
from gamemaster.match.messages import print_message, read_message, read_reply
from gamemaster.match.protocol import Body, Envelope, Era, Message

__all__ = ["MANAGER", "transcript", "transcript_line"]

MANAGER = "manager"
TITLE = "Game Manager"
"""What the classic transcripts call the manager."""

LONGEST = 200
"""How much is shown of a text that is no message."""


def transcript_line(message: Message, era: Era, sender: str, receiver: str, number: int) -> str:
    """The line of a message; `number` is that of its round, where the message does not say."""
    if isinstance(message, Envelope):
        return print_message(message, era, is_short=True)
    if not era.is_classic:
        return _enveloped(message, era, sender, receiver, number)
    return f"{_title(sender)} to {_title(receiver)}: {print_message(message, era, is_short=True)}"


def _enveloped(message: Body, era: Era, sender: str, receiver: str, number: int) -> str:
    return print_message(Envelope(str(number), sender, receiver, message), era, is_short=True)


def _title(name: str) -> str:
    return TITLE if name == MANAGER else name


def transcript(match: Iterable[events.Event], era: Era | None = None) -> list[str]:
    """The lines of a match, as it went or in another era; what is no message is shown as it came."""
    lines: list[str] = []
    names: dict[str, str] = {}
    number, told = 1, set[str]()
    for event in match:
        if isinstance(event, events.Started):
            names = _names(event.players)
        elif isinstance(event, events.Message):
            if event.is_sent and event.role in told:  # somebody hears twice: a new round
                number, told = number + 1, set()
            told |= {event.role} if event.is_sent else set()
            lines.append(_line(event, names.get(event.role, event.role), number, era))
    return lines


def _names(players: Mapping[str, str]) -> dict[str, str]:
    """What to call the player of each role: by its name, or by its role where a name has two."""
    names = list(players.values())
    return {role: name if names.count(name) == 1 else role for role, name in players.items()}


def _line(event: events.Message, name: str, number: int, era: Era | None) -> str:
    sender, receiver = (MANAGER, name) if event.is_sent else (name, MANAGER)
    try:
        found, message = read_message(event.text) if event.is_sent else read_reply(event.text)
        return transcript_line(message, era or found, sender, receiver, number)
    except MessageError:
        return f"{_title(sender)} to {_title(receiver)}: {event.text[:LONGEST]}"
