"""Every address of the site, asked in every wrong way: signed in or not, with a token of a form or without.

Nothing may be a server error, nothing that is typed may become part of a page, and nothing may change without a token.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute

from gamemaster.games import put_up
from gamemaster.web.app import create_app
from gamemaster.web.settings import settings_for
from gamemaster.web.site import Site
from tests.web.test_accounts import GOOD, TOKEN

MARKUP = "\"'><img src=x onerror=alert(1)>"
WRONG = (
    MARKUP,
    "../../../etc/passwd",
    "..%2f..%2fsecret",
    "@00000000000000000000",
    "@../drafts",
    "tictactoe",
    "0",
    "-1",
    "99999999999999999999",
    "NaN",
    "' OR 1=1 --",
    "\x00\x07",
    "ａ\u202e\U0001f600",
    "x" * 3_000,
    "",
    "http://169.254.169.254/",
    "//evil.example",
    "private",
    "1e400",
    "[[[[[[",
    '{"a": 1}',
)
FIELDS = (
    *("name", "password", "old", "confirm", "next", "game", "games", "title", "rules", "notation", "style"),
    *("description", "visibility", "sure", "address", "about", "player", "players", "role", "opponent", "do"),
    *("moves", "choice", "at", "who", "seconds", "player-0", "other-0", "start-clock", "play-clock", "pace"),
    *(
        "format",
        "rounds",
        "seed",
        "set",
        "sets",
        "text",
        "move",
        "step",
        "size",
        "theme",
        "transformers",
        "id",
    ),
    *("file", "kind", "q", "page", "status", "how", "as", "v", "figures", "done", "token", "wait", "repeat"),
)
TIMES = 3
"""How often each way of asking is tried on each address, with other values."""


def routes_of(app: FastAPI) -> list[tuple[str, str]]:
    """All addresses with their methods."""
    found: set[tuple[str, str]] = set()
    for path, route in _flat(app.routes, ""):
        found |= {(method, path) for method in route.methods or () if method in ("GET", "POST")}
    return sorted(found)


def _flat(routes: Any, prefix: str) -> Iterator[tuple[str, APIRoute]]:
    for route in routes:
        if isinstance(route, APIRoute):
            yield prefix + route.path.removeprefix(prefix), route
        elif (router := getattr(route, "original_router", None)) is not None:
            yield from _flat(router.routes, prefix or router.prefix)


@pytest.fixture
def app(tmp_path: Path) -> Iterator[FastAPI]:
    settings = settings_for(str(tmp_path), makes_code=False, requests_each=1e9, burst=10**9, most_matches=12)
    made = create_app(settings)
    yield made
    put_up()


class Asking:
    """Somebody who asks for everything."""

    def __init__(self, client: httpx.AsyncClient, generator: random.Random) -> None:
        self.client, self.generator = client, generator
        self.wrong: list[str] = []
        self.statuses: set[int] = set()

    async def sign_up(self) -> None:
        token = TOKEN.findall((await self.client.get("/signup")).text)[0]
        form = {"name": f"Eve {self.generator.randrange(10**6)}", "password": GOOD, "token": token}
        assert (await self.client.post("/signup", data=form)).status_code == 303

    async def token(self) -> str:
        return str(TOKEN.findall((await self.client.get("/signup")).text)[0])

    async def ask(self, method: str, path: str) -> None:
        pick = self.generator.choice
        while "{" in path:
            before, _, rest = path.partition("{")
            path = before + httpx.QueryParams({"a": pick(WRONG)}).__str__()[2:] + rest.partition("}")[2]
        values = {field: pick(WRONG) for field in self.generator.sample(FIELDS, 12)}
        if method == "GET":
            response = await self.client.get(path[:8_000], params=_short(values))
        elif self.generator.random() < 0.5:
            values["token"] = await self.token()
            response = await self.client.post(path[:8_000], data=values)
        else:
            response = await self.client.post(path[:8_000], json=values)
        self.statuses.add(response.status_code)
        if response.status_code >= 500 and response.status_code != 503:
            self.wrong.append(f"{method} {path[:200]!r} {response.status_code}: {values!r}"[:1_500])
        is_page = response.headers.get("content-type", "").startswith("text/html")
        if is_page and "<img src=x" in response.text:
            self.wrong.append(f"{method} {path[:200]!r} has markup that was typed: {values!r}"[:1_500])
        if response.headers.get("location", "").startswith(("//", "http://evil", "http://169")):
            self.wrong.append(f"{method} {path[:200]!r} leads to {response.headers['location']!r}")


def _short(values: dict[str, str]) -> dict[str, str]:
    return {name: value[:300] for name, value in values.items()}


@pytest.mark.slow
@pytest.mark.parametrize("is_signed_in", [False, True], ids=["guest", "signed in"])
def test_no_address_breaks_and_no_text_becomes_a_page(app: FastAPI, is_signed_in: bool) -> None:
    routes = [
        (method, path) for method, path in routes_of(app) if path not in ("/signout", "/profile/delete")
    ]
    assert len(routes) > 40
    assert ("POST", "/api/v1/states") in routes
    site: Site = app.state.site

    async def all_of_it() -> Asking:
        await site.open()
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        try:
            async with httpx.AsyncClient(
                transport=transport, base_url="http://localhost", timeout=600
            ) as client:
                asking = Asking(client, random.Random(5))
                if is_signed_in:
                    await asking.sign_up()
                for method, path in routes * TIMES:
                    await asking.ask(method, path)
                return asking
        finally:
            await site.close()

    asking = asyncio.run(all_of_it())
    assert asking.wrong == []
    assert {200, 303, 404, 422} <= asking.statuses


def test_nothing_changes_without_the_token_of_a_form(app: FastAPI) -> None:
    """Every address that takes a form refuses one of another site, whoever is signed in."""
    posts = [path for method, path in routes_of(app) if method == "POST" and not path.startswith("/api/")]
    assert len(posts) > 15

    async def all_of_it() -> dict[str, int]:
        await app.state.site.open()
        try:
            async with httpx.AsyncClient(
                transport=httpx.ASGITransport(app), base_url="http://localhost"
            ) as client:
                await Asking(client, random.Random(1)).sign_up()
                found = {}
                for path in posts:
                    real = (
                        path.replace("{game}", "tictactoe").replace("{name}", "random").replace("{id}", "x")
                    )
                    elsewhere = {"origin": "http://evil.example"}
                    answer = await client.post(real, data={"token": "forged", "name": "x"}, headers=elsewhere)
                    found[path] = answer.status_code
                return found
        finally:
            await app.state.site.close()

    found = asyncio.run(all_of_it())
    assert {path: status for path, status in found.items() if status != 403} == {}
