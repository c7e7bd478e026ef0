"""Visitors of a running site with accounts, and what they do with players."""

from __future__ import annotations

import itertools
import json
import time

import httpx
from websockets.sync.client import connect

from tests.web.running import Visitor

__all__ = ["PASSWORD", "launched_feed", "match_over", "signed_up"]

PASSWORD = "correct horse battery"
_numbers = itertools.count(1)


def signed_up(address: str, name: str = "") -> Visitor:
    """Somebody new, with an account."""
    visitor = Visitor(address)
    visitor.get("/signup")
    response = visitor.post("/signup", name=name or f"Somebody {next(_numbers)}", password=PASSWORD)
    assert response.status_code == 303, response.text
    visitor.get("/profile")
    return visitor


def match_over(visitor: Visitor, match: str) -> dict[str, object]:
    """A match as the API tells it, once it is over."""
    while True:
        found: dict[str, object] = visitor.client.get(f"/api/v1/matches/{match}").json()
        if found["status"] == "over":
            return found
        time.sleep(0.1)


def launched_feed(visitor: Visitor, name: str, identifier: str, status: str) -> str:
    """What the page of a launched player is told until it has a status."""
    cookies = "; ".join(f"{name}={value}" for name, value in visitor.client.cookies.items())
    address = visitor.address.replace("http", "ws") + f"/players/{name}/launched/{identifier}/live"
    said = ""
    with connect(address, additional_headers={"cookie": cookies}) as socket:
        while f'data-status="{status}"' not in said:
            said += json.dumps(json.loads(socket.recv(timeout=120)), ensure_ascii=False).replace('\\"', '"')
    return said


def refused(response: httpx.Response, words: str, status: int = 422) -> None:
    """What was sent is refused, and the page says why."""
    assert response.status_code == status, response.text
    assert words in response.text
