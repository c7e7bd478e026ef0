"""Bytes from a stranger -> the head and the body of an HTTP message, read no further than allowed.

What HTTP is, h11 knows: bodies in chunks, with a length or up to the end of the connection, heads with folded lines,
replies that only say `100 Continue`. Here is how much of it is taken: bytes of a head, bytes of a body, and pieces in
which a body may come, for each costs the same however small it is. Most answers are plain and come in one piece: to see
that takes a twentieth of the time in which h11 reads them.
"""

from __future__ import annotations

import re

import h11

__all__ = ["MAX_HEAD", "MAX_PIECES", "BadAnswer", "HttpReader", "is_host", "plain_body"]

MAX_HEAD = 16 * 1024
"""The bytes of the largest head, with all that come before it and only say that one will follow."""

MAX_PIECES = 4_096
"""In how many pieces a body may come."""

SHOWN = 200
"""How much of an error is told: it may quote what came."""

PLAIN_HEAD = re.compile(
    rb"(?-i:HTTP)/1\.[01] 200(?: [\x20-\x7e]*+)?\r\n"
    rb"(?:(?!content-length|transfer-encoding)[a-z0-9-]++:[\t\x20-\x7e]*+\r\n)*+"
    rb"content-length:[\t ]*+([0-9]{1,9})[\t ]*+\r\n"
    rb"(?:(?!content-length|transfer-encoding)[a-z0-9-]++:[\t\x20-\x7e]*+\r\n)*+"
    rb"\r\n",
    re.IGNORECASE,
)
"""All is well, and the length of the body is told once."""


class BadAnswer(Exception):
    """What came is no answer: the kind of fault, and what exactly."""

    def __init__(self, kind: str, detail: str) -> None:
        self.kind, self.detail = kind, detail
        super().__init__(detail)


def is_host(name: str) -> bool:
    """Whether a name can be one of a host: no part of it is empty or too long, no character invisible."""
    try:
        return all(0x20 < byte < 0x7F for byte in name.encode("idna"))
    except UnicodeError:
        return False


def plain_body(data: bytes, limit: int) -> bytes | None:
    """The body of an answer that is plain and whole, as h11 would read it; None for any other, which is left to it."""
    head = PLAIN_HEAD.match(data, 0, MAX_HEAD)
    if head is None or int(head[1]) > limit or len(data) != head.end() + int(head[1]):
        return None
    return data[head.end() :]


class HttpReader:
    """One HTTP message, of which `head` is known first, and `is_whole` at its end."""

    def __init__(self, connection: h11.Connection, limit: int) -> None:
        self.connection = connection
        self.limit = limit
        self.head: h11.Request | h11.Response | None = None
        self.body = bytearray()
        self.is_whole = False
        self._received = 0
        self._pieces = 0

    def feed(self, data: bytes) -> bool:
        """Take bytes, none for the end of the connection, and say whether that is all; BadAnswer for no message."""
        for start in range(0, len(data) or 1, MAX_HEAD):  # so that no head is ever read that is larger
            part = data[start : start + MAX_HEAD]
            self._received += len(part)
            self.connection.receive_data(part)
            self._read()
            if self.is_whole:
                break
        return self.is_whole

    def _read(self) -> None:
        """Take what has come, event by event."""
        next_event = self.connection.next_event
        try:
            while not self.is_whole and (event := next_event()) is not h11.NEED_DATA:
                self._take(event)
        except h11.RemoteProtocolError as error:
            raise self._no_message(error) from None
        if self.head is None and self._received > MAX_HEAD:
            raise BadAnswer("malformed", f"no end of the HTTP head within {MAX_HEAD:,} bytes")

    def _take(self, event: object) -> None:
        if isinstance(event, h11.Data):
            self._add(event.data)
        elif isinstance(event, h11.EndOfMessage):
            self.is_whole = True
        elif isinstance(event, h11.Request | h11.Response):
            self.head = event
            self._check_announced(event)
        elif isinstance(event, h11.ConnectionClosed):
            raise h11.RemoteProtocolError("connection closed")

    def _check_announced(self, head: h11.Request | h11.Response) -> None:
        for name, value in head.headers:
            if name == b"content-length" and int(value) > self.limit:
                raise BadAnswer("huge", f"{int(value):,} bytes; {self.limit:,} are allowed")

    def _add(self, data: bytes) -> None:
        self._pieces += 1
        if len(self.body) + len(data) > self.limit:
            raise BadAnswer("huge", f"more than {self.limit:,} bytes")
        if self._pieces > MAX_PIECES:
            raise BadAnswer("malformed", f"a body in more than {MAX_PIECES:,} pieces")
        self.body += data

    def _no_message(self, error: h11.RemoteProtocolError) -> BadAnswer:
        if not self._received:
            return BadAnswer("crashed", "connection closed before any reply")
        if self.head is not None:
            return BadAnswer("malformed", f"{error} after {len(self.body):,} bytes of the body"[:SHOWN])
        return BadAnswer("malformed", f"no HTTP: {error}"[:SHOWN])
