"""Who somebody is, without signing in: a browser keeps a secret, and seats belong to it."""

from __future__ import annotations

import hashlib

from starlette.requests import HTTPConnection, Request

from gamemaster.web.guard import VISITOR, visitor_of

__all__ = ["key_of_connection", "key_of_visitor"]


def key_of_visitor(request: Request) -> str:
    """What the store knows a visitor by; the secret itself is in no database."""
    return _key(visitor_of(request))


def key_of_connection(connection: HTTPConnection) -> str:
    """The same for a socket; nobody, where the browser has no secret yet."""
    known = connection.cookies.get(VISITOR, "")
    return _key(known) if known else ""


def _key(visitor: str) -> str:
    return hashlib.sha256(f"visitor {visitor}".encode()).hexdigest()[:40]
