"""What stands at the door: sizes, rates, headers, and whether a change is asked for by a page of ours.

All of it is ASGI around the app: nothing of a request that is turned away here reaches a page.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import os
import secrets
import time
from collections import OrderedDict
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from fastapi import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gamemaster.errors import Forbidden
from gamemaster.web.settings import SiteSettings
from gamemaster.web.work import ASKER

__all__ = [
    "LARGEST_BODY",
    "Door",
    "check_token",
    "network_of",
    "remember",
    "same_origin",
    "secret_in",
    "token_of",
    "visitor_of",
]

LARGEST_BODY = 300_000
"""Bytes: rules are the largest that anybody sends."""

BODY_SECONDS = 20.0
"""How long a body may take to come."""

TOO_LARGE = f"more than {LARGEST_BODY:,} bytes"
TOO_SLOW = f"the request did not come within {BODY_SECONDS:g} s"

MOST_DRAINED, DRAINING_SECONDS = 16_000_000, BODY_SECONDS
"""How much of a request that is refused is taken nevertheless, and for how long: no longer than one that is let in."""

LONGEST_ADDRESS = 16_000
"""Of an address with its query: a long game is in it, move by move."""

VISITOR, SESSION = "gm_visitor", "gm_session"
"""Cookies: who a browser is, and in which session somebody is signed in."""

MOST_KNOWN = 10_000
"""Addresses whose requests are counted."""

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
HEADERS = {
    "content-security-policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
}
"""On every answer. Drawings of boards have style elements of their own, hence the exception for styles."""


class Door:
    """The app behind its door."""

    def __init__(self, app: ASGIApp, settings: SiteSettings) -> None:
        self.app = app
        self.rates = Rates(settings.requests_each, settings.burst)
        self.sockets = Sockets(settings.most_sockets, settings.most_sockets_each)
        self.names = frozenset({"localhost", *settings.names})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or say why not."""
        if scope["type"] == "http":
            await self._request(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(HTTPConnection(scope))
        guarded = _with_headers(send)
        if refusal is not None:
            if _is_worth_taking(scope):
                await _drain(receive)
            await refusal(scope, receive, guarded)
            return
        ASKER.set(address_of(HTTPConnection(scope)))
        with suppress(ClientDisconnect):  # who has gone needs no answer
            await self.app(scope, _Measured(receive), guarded)

    def _refusal(self, connection: HTTPConnection) -> Response | None:
        """Why a request is not let in, as its answer."""
        headers, method = connection.headers, connection.scope.get("method", "GET")
        if not self.rates.take(address_of(connection)):
            return _refused(
                connection, 429, "too many requests; come again in a moment", {"retry-after": "1"}
            )
        if not self._is_ours(headers.get("host", "")):
            words = "this server is not known by that name; whoever runs it can say so: serve --name"
            return _refused(connection, 421, words)
        if len(connection.url.path) + len(connection.url.query) > LONGEST_ADDRESS:
            return _refused(connection, 414, "this address is too long")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:12]) > LARGEST_BODY:
            return _refused(connection, 413, TOO_LARGE, {"connection": "close"})
        if method not in SAFE and not same_origin(connection):
            return _refused(connection, 403, "another site asks for this; it is not done")
        return None

    def _is_ours(self, host: str) -> bool:
        """Whether a browser means this server: a name of somebody else's may have been made to lead here."""
        name = host.lower() if host.endswith("]") else host.lower().rpartition(":")[0] or host.lower()
        return name in self.names or is_numeric(name)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = HTTPConnection(scope)
        host = address_of(connection)
        is_known = self._is_ours(connection.headers.get("host", "")) and same_origin(connection)
        if not is_known or not self.rates.take(host) or not self.sockets.enter(host):
            await send({"type": "websocket.close", "code": 1013})
            return
        ASKER.set(host)  # a match that is taken up again for a socket counts for whoever asks too
        try:
            await self.app(scope, receive, send)
        finally:
            self.sockets.leave(host)


def _is_worth_taking(scope: Scope) -> bool:
    """Whether so little is said to come that whoever sends it can be let finish."""
    length = HTTPConnection(scope).headers.get("content-length", "")
    return length.isascii() and length.isdecimal() and 0 < int(length[:12]) <= MOST_DRAINED


async def _drain(receive: Receive) -> None:
    """Take what is still coming: who is cut off while sending never hears why."""
    size = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(DRAINING_SECONDS):
            while size <= MOST_DRAINED:
                message = await receive()
                size += len(message.get("body", b""))
                if not message.get("more_body"):
                    return


def _refused(
    connection: HTTPConnection, status: int, words: str, headers: dict[str, str] | None = None
) -> Response:
    """A refusal as its reader wants it: JSON for programs, a line for others."""
    if connection.scope["path"].startswith("/api/"):
        return JSONResponse({"error": words}, status, headers)
    return PlainTextResponse(f"{words}\n", status, headers)


class _Measured:
    """What comes in, counted and timed; what comes after the body, as that somebody goes, has all the time."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._size = 0
        self._until = time.monotonic() + BODY_SECONDS
        self._has_all = False

    async def __call__(self) -> Message:
        if self._has_all:
            return await self._receive()
        try:
            async with asyncio.timeout(self._until - time.monotonic()):
                message = await self._receive()
        except TimeoutError:
            raise HTTPException(408, TOO_SLOW, {"connection": "close"}) from None
        self._has_all = not message.get("more_body", False)
        self._size += len(message.get("body", b""))
        if self._size > LARGEST_BODY:
            raise HTTPException(413, TOO_LARGE, {"connection": "close"})
        return message


def _with_headers(send: Send) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message.get("headers", ())}
            added = [
                (name.encode(), value.encode())
                for name, value in HEADERS.items()
                if name.encode() not in present
            ]
            message = {**message, "headers": [*message.get("headers", ()), *added]}
        await send(message)

    return guarded


def is_numeric(host: str) -> bool:
    """Whether a host is an address in numbers, which nobody can make lead elsewhere."""
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def address_of(connection: HTTPConnection) -> str:
    """Who asks, as far as the line tells."""
    return network_of(connection.client.host) if connection.client else ""


@lru_cache(maxsize=4_096)
def network_of(host: str) -> str:
    """An address by which somebody is counted: one line has 2^64 addresses of IPv6, and could be another each time."""
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(found, ipaddress.IPv4Address) or found.is_loopback:
        return host
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(found), 64), strict=False))


class Rates:
    """A bucket for each address: it fills with time, and a request takes from it."""

    def __init__(self, each_second: float, burst: int) -> None:
        self.each_second, self.burst = each_second, float(burst)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str) -> bool:
        """Whether there is something left."""
        now = time.monotonic()
        left, then = self._buckets.pop(address, (self.burst, now))
        left = min(self.burst, left + (now - then) * self.each_second)
        self._buckets[address] = (max(0.0, left - 1), now)
        if len(self._buckets) > MOST_KNOWN:
            self._buckets.popitem(last=False)
        return left >= 1


class Sockets:
    """How many connections stay open, and from where."""

    def __init__(self, most: int, most_each: int) -> None:
        self.most, self.most_each = most, most_each
        self._open: dict[str, int] = {}

    def enter(self, address: str) -> bool:
        """Whether one more may come."""
        count = self._open.get(address, 0)
        if count >= self.most_each or sum(self._open.values()) >= self.most:
            return False
        self._open[address] = count + 1
        return True

    def leave(self, address: str) -> None:
        """One goes."""
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]


# Whether a change is asked for by a page of ours


def same_origin(connection: HTTPConnection) -> bool:
    """Whether a browser says that the request comes from one of our pages; programs say nothing, and may."""
    origin = connection.headers.get("origin")
    if origin is None:
        return connection.headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
    try:
        return urlsplit(origin).netloc == connection.headers.get("host")
    except ValueError:
        return False


def secret_in(folder: Path) -> bytes:
    """The secret of a site, made when it is first asked for; nobody else can read the file."""
    path = folder / "secret"
    if not path.exists():
        made = folder / f"secret.{secrets.token_hex(4)}"
        made.touch(mode=0o600)
        made.write_bytes(secrets.token_bytes(32))
        with suppress(FileExistsError):  # whole, or not at all, whoever is killed meanwhile
            os.link(made, path)
        made.unlink()
    return path.read_bytes()


def visitor_of(request: Request) -> str:
    """Who somebody is, as far as a cookie tells; a new one is somebody new."""
    known = request.cookies.get(VISITOR, "")
    if 20 <= len(known) <= 60 and known.isascii():
        return known
    made: str = request.scope.setdefault("gm_visitor", secrets.token_urlsafe(24))
    return made


def remember(request: Request, response: Response) -> None:
    """Have a browser keep who it is, where it does not."""
    visitor = visitor_of(request)
    if request.cookies.get(VISITOR) != visitor:
        is_secure = request.url.scheme == "https"
        response.set_cookie(
            VISITOR, visitor, httponly=True, samesite="lax", secure=is_secure, max_age=365 * 24 * 3600
        )


def token_of(secret: bytes, visitor: str, session: str = "") -> str:
    """What a form of ours has in it for a visitor in a session, and no other site can know."""
    return hmac.new(secret, f"{visitor} {session}".encode(), hashlib.sha256).hexdigest()


def check_token(secret: bytes, request: Request, token: object) -> None:
    """Forbidden, where a form does not come from a page that was made for this visitor."""
    visitor, session = request.cookies.get(VISITOR, ""), request.cookies.get(SESSION, "")
    expected = token_of(secret, visitor, session).encode()
    said = token.encode(errors="replace") if isinstance(token, str) else b""
    if not hmac.compare_digest(expected, said):
        raise Forbidden(
            "this form is too old, or not from this site: load its page again, and send it once more"
        )
