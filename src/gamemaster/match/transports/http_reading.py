"""Bytes from a stranger -> the head and the body of an HTTP message, read no further than allowed."""

from __future__ import annotations

import asyncio
import re

__all__ = ["MAX_HEAD", "BadAnswer", "is_host", "read_http"]

MAX_HEAD = 16 * 1024
LENGTH = re.compile(rb"^content-length:[ \t]*([0-9]{1,12})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
HEAD_END = re.compile(rb"\r?\n\r?\n")


class BadAnswer(Exception):
    """What came is no answer: the kind of fault, and what exactly."""

    def __init__(self, kind: str, detail: str) -> None:
        self.kind, self.detail = kind, detail
        super().__init__(detail)


def is_host(name: str) -> bool:
    """Whether a name can be one of a host: not with a part that is empty or too long."""
    try:
        name.encode("idna")
    except UnicodeError:
        return False
    return True


async def read_http(
    reader: asyncio.StreamReader, limit: int, *, is_request: bool = False
) -> tuple[bytes, bytes]:
    """The head and the body; BadAnswer for what is none. A request that announces no body has none."""
    received = b""
    while not (end := HEAD_END.search(received)):
        if len(received) > MAX_HEAD:
            raise BadAnswer("malformed", f"no end of the HTTP head within {MAX_HEAD:,} bytes")
        chunk = await reader.read(MAX_HEAD)
        if not chunk:
            kind = "malformed" if received else "crashed"
            raise BadAnswer(kind, f"connection closed after {len(received)} bytes, before any reply")
        received += chunk
    head, body = received[: end.start()], received[end.end() :]
    announced = LENGTH.search(head)
    length = int(announced[1]) if announced else (0 if is_request else None)
    return head, await _body(reader, body, length, limit)


async def _body(reader: asyncio.StreamReader, body: bytes, length: int | None, limit: int) -> bytes:
    """As many bytes as announced, or all until the connection closes."""
    if length is not None and length > limit:
        raise BadAnswer("huge", f"{length:,} bytes; {limit:,} are allowed")
    parts, size = [body], len(body)
    while length is None or size < length:
        if size > limit:
            raise BadAnswer("huge", f"more than {limit:,} bytes")
        chunk = await reader.read(64 * 1024)
        if not chunk:
            break
        parts.append(chunk)
        size += len(chunk)
    if length is not None and size < length:
        raise BadAnswer("malformed", f"connection closed after {size} of {length} bytes")
    return b"".join(parts)[:length]
