"""Signing up, in and out: what is promised of passwords, sessions, cookies and forms, one test for each promise."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from gamemaster.store.names import mistake_in_name, tidied
from gamemaster.store.passwords import fits, hashed, mistake_in
from gamemaster.web.app import create_app
from gamemaster.web.guard import SESSION, VISITOR, Rates
from gamemaster.web.pages.account import own_place
from gamemaster.web.settings import settings_for
from gamemaster.web.site import Site

GOOD = "correct horse battery"
OTHER = "another one of those"
TOKEN = re.compile(r'name="token" value="(\w+)"')
SCRIPT = "<script>alert(1)</script>"


class Client:
    """Requests to an app in this process, with cookies."""

    def __init__(self, app: FastAPI, base: str, host: str) -> None:
        self.transport = httpx.ASGITransport(app, client=(host, 5000))
        self.base, self.cookies = base, httpx.Cookies()

    def request(self, method: str, path: str, **more: Any) -> httpx.Response:
        async def ask() -> httpx.Response:
            async with httpx.AsyncClient(
                transport=self.transport, base_url=self.base, cookies=self.cookies
            ) as client:
                response = await client.request(method, path, **more)
                self.cookies = client.cookies
                return response

        return asyncio.run(ask())

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.request("GET", path, **more)

    def post(self, path: str, **more: Any) -> httpx.Response:
        return self.request("POST", path, **more)


class Browser:
    """Somebody with a browser."""

    def __init__(self, app: FastAPI, host: str = "10.0.0.1", base: str = "http://localhost") -> None:
        self.client = Client(app, base, host)

    def token(self, path: str = "/signup") -> str:
        found = TOKEN.search(self.client.get(path).text)
        assert found is not None
        return found[1]

    def send(self, path: str, **values: str) -> tuple[int, str]:
        """The status of what a form gives, and its page, or where it leads to."""
        response = self.client.post(path, data={"token": self.token(), **values})
        return response.status_code, response.headers.get("location") or response.text

    def sign_up(self, name: str = "Ada", password: str = GOOD) -> None:
        assert self.send("/signup", name=name, password=password)[0] == 303

    @property
    def name(self) -> str:
        """Who the site takes one for."""
        found = re.search(r'class="who" href="/profile">([^<]*)<', self.client.get("/matches").text)
        return found[1] if found else ""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[FastAPI]:
    app = create_app(settings_for(str(tmp_path)))
    yield app
    made: Site = app.state.site
    made.store.close()


@pytest.fixture
def ada(site: FastAPI) -> Browser:
    browser = Browser(site)
    browser.sign_up()
    return browser


def test_who_signs_up_is_signed_in_here_and_nowhere_else(site: FastAPI, ada: Browser) -> None:
    assert ada.name == "Ada"
    other = Browser(site)
    assert other.name == ""
    assert other.send("/signin", name=" aDA ", password=GOOD) == (303, "/profile")
    assert other.name == "Ada"
    assert ada.send("/signout") == (303, "/")
    assert ada.name == ""
    assert other.name == "Ada"


def test_a_wrong_password_and_an_unknown_name_are_told_alike(site: FastAPI, ada: Browser) -> None:
    other = Browser(site)
    wrong = other.send("/signin", name="Ada", password=OTHER)
    unknown = other.send("/signin", name="Bob", password=OTHER)
    assert wrong[0] == unknown[0] == 403
    assert "there is no such name with that password" in wrong[1]
    assert "there is no such name with that password" in unknown[1]
    assert GOOD not in wrong[1]
    assert OTHER not in wrong[1]
    assert other.name == ""


def test_a_session_is_a_new_one_at_every_sign_in(site: FastAPI, ada: Browser) -> None:
    """Whatever somebody has put into a browser before is not the session in which another signs in."""
    stolen = ada.client.cookies[SESSION]
    ada.send("/signout")
    victim = Browser(site)
    victim.client.cookies.set(SESSION, stolen)
    victim.client.post("/signin", data={"token": victim.token(), "name": "Ada", "password": GOOD})
    assert len(set(victim.client.cookies.jar) - {stolen}) > 0
    assert any(each.name == SESSION and each.value != stolen for each in victim.client.cookies.jar)
    thief = Browser(site)
    thief.client.cookies.set(SESSION, stolen)
    assert thief.name == ""


def test_cookies_are_for_this_site_alone_and_not_for_scripts(site: FastAPI) -> None:
    browser = Browser(site)
    token = browser.token()
    response = browser.client.post("/signup", data={"token": token, "name": "Ada", "password": GOOD})
    cookie = next(each for each in response.headers.get_list("set-cookie") if each.startswith(SESSION))
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Secure" not in cookie
    safe = Browser(site, base="https://localhost")
    answer = safe.client.post("/signin", data={"token": safe.token(), "name": "Ada", "password": GOOD})
    assert any("Secure" in each for each in answer.headers.get_list("set-cookie") if each.startswith(SESSION))


@pytest.mark.parametrize(
    "path", ["/signup", "/signin", "/signout", "/profile/name", "/profile/password", "/profile/delete"]
)
def test_a_form_of_somebody_else_changes_nothing(ada: Browser, path: str) -> None:
    values = {"name": "Eve", "password": OTHER, "old": GOOD, "confirm": GOOD}
    for token in ("", "0" * 64):
        assert ada.client.post(path, data={"token": token, **values}).status_code == 403
    headers = {"origin": "http://evil.example"}
    token = ada.token("/profile")
    assert ada.client.post(path, data={"token": token, **values}, headers=headers).status_code == 403
    assert ada.name == "Ada"


def test_the_token_of_one_session_is_not_that_of_another(site: FastAPI, ada: Browser) -> None:
    before = ada.token("/profile")
    ada.send("/signout")
    response = ada.client.post("/signin", data={"token": before, "name": "Ada", "password": GOOD})
    assert response.status_code == 403


@pytest.mark.parametrize("session", ["", "x", "x" * 43, "é" * 30, "a" * 500, "' OR 1=1 --" * 3])
def test_a_forged_session_is_nobodys(site: FastAPI, ada: Browser, session: str) -> None:
    browser = Browser(site)
    response = browser.client.get("/matches", headers=[(b"cookie", f"{SESSION}={session}".encode())])
    assert response.status_code == 200
    assert "Ada" not in response.text
    assert browser.client.get("/profile").headers["location"].startswith("/signin")


def test_tries_are_counted_by_name_wherever_they_come_from(site: FastAPI, ada: Browser) -> None:
    made: Site = site.state.site
    made.desk.names = Rates(0.0, 10)
    statuses = [
        Browser(site, f"10.0.1.{number}").send("/signin", name="Ada", password=f"wrong guess {number}")[0]
        for number in range(12)
    ]
    assert statuses.count(403) <= 10
    assert statuses[-1] == 429
    assert Browser(site, "10.0.2.1").send("/signin", name="Ada", password=GOOD)[0] == 429


def test_tries_are_counted_by_address_whatever_the_names(site: FastAPI) -> None:
    made: Site = site.state.site
    made.desk.addresses = Rates(0.0, 3)
    browser = Browser(site)
    statuses = [browser.send("/signin", name=f"name{number}", password=OTHER)[0] for number in range(5)]
    assert statuses == [403, 403, 403, 429, 429]
    assert browser.send("/signup", name="Eve", password=GOOD)[0] == 422


def test_another_password_signs_out_everybody_else(site: FastAPI, ada: Browser) -> None:
    other = Browser(site)
    other.send("/signin", name="Ada", password=GOOD)
    status, told = ada.send("/profile/password", old="not that one", password=OTHER)
    assert status == 422
    assert "that is not your password" in told
    assert ada.send("/profile/password", old=GOOD, password="short")[0] == 422
    assert ada.send("/profile/password", old=GOOD, password=OTHER) == (303, "/profile?done=password")
    assert ada.name == "Ada"
    assert other.name == ""
    assert other.send("/signin", name="Ada", password=GOOD)[0] == 403
    assert other.send("/signin", name="Ada", password=OTHER)[0] == 303


def test_a_name_is_changed_unless_somebody_has_it(site: FastAPI, ada: Browser) -> None:
    Browser(site).sign_up("Bob")
    status, told = ada.send("/profile/name", name="bob")
    assert status == 422
    assert "somebody is called" in told
    assert ada.send("/profile/name", name="Grace")[0] == 303
    assert ada.name == "Grace"
    assert Browser(site).send("/signup", name="GRACE", password=GOOD)[0] == 422


def test_who_deletes_an_account_is_nobody_at_once(site: FastAPI, ada: Browser) -> None:
    other = Browser(site)
    other.send("/signin", name="Ada", password=GOOD)
    assert ada.send("/profile/delete", confirm="wrong")[0] == 422
    assert ada.name == "Ada"
    assert ada.send("/profile/delete", confirm=GOOD) == (303, "/")
    assert ada.name == other.name == ""
    Browser(site).sign_up("Ada")


@pytest.mark.parametrize("path", ["/profile/name", "/profile/password", "/profile/delete"])
def test_guests_have_no_profile(site: FastAPI, path: str) -> None:
    browser = Browser(site)
    assert browser.client.get("/profile").headers["location"] == "/signin?next=/profile"
    assert browser.send(path, name="x")[0] == 403


def test_what_was_typed_is_kept_and_escaped_but_no_password(site: FastAPI) -> None:
    status, page = Browser(site).send("/signup", name=SCRIPT, password="short-one", next=f"/games/{SCRIPT}")
    assert status == 422
    assert SCRIPT not in page
    assert "&lt;script&gt;" in page
    assert "short-one" not in page


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("/games", "/games"),
        ("/matches?page=2", "/matches?page=2"),
        ("//evil.example/", "/profile"),
        ("/\\evil.example", "/profile"),
        ("https://evil.example/", "/profile"),
        ("javascript:alert(1)", "/profile"),
        ("evil", "/profile"),
        ("/a\r\nset-cookie: x=1", "/profile"),
        ("http://[", "/profile"),
        ("", "/profile"),
    ],
)
def test_after_signing_in_one_stays_on_this_site(address: str, place: str) -> None:
    assert own_place(address) == place


def test_one_goes_on_where_one_was(site: FastAPI, ada: Browser) -> None:
    other = Browser(site)
    assert other.send("/signin", name="Ada", password=GOOD, next="/games") == (303, "/games")
    assert other.client.get("/signin?next=/manager").headers["location"] == "/manager"


# Passwords and names


def test_passwords_are_kept_as_hashes_that_only_they_fit(site: FastAPI, ada: Browser) -> None:
    made: Site = site.state.site
    account = made.store.accounts.get("Ada")
    kept = made.store.accounts.password_of(account.id)
    assert kept.startswith("$argon2id$")
    assert GOOD not in kept
    assert fits(GOOD, kept)
    assert not fits(OTHER, kept)
    assert not fits(GOOD, "")
    assert not fits(GOOD, "no hash")
    assert hashed(GOOD) != hashed(GOOD)


@pytest.mark.parametrize("password", ["", "short", "a" * 300, "aaaaaaaaaaaa", "password12", "Ada12345678"])
def test_passwords_that_anybody_would_try_are_refused(password: str) -> None:
    assert mistake_in(password, "Ada12345")


def test_good_passwords_are_taken() -> None:
    assert mistake_in(GOOD, "Ada") == ""
    assert mistake_in("x7!kQ9#mZ2", "Ada") == ""


@pytest.mark.parametrize(
    "name", ["", "a", "a" * 31, "<b>", "a/b", "a\u202eb", "\u200bab", "Admin", "-a", "pаypal", "x\ny\0"]
)
def test_names_that_mislead_are_refused(name: str) -> None:
    assert mistake_in_name(tidied(name)) or tidied(name) != name


@pytest.mark.parametrize("name", ["Ada", "Jean-Luc", "O'Neil", "Ωμέγα", "李小龍", "player_1", "J. R."])
def test_names_of_people_are_taken(name: str) -> None:
    assert mistake_in_name(tidied(name)) == ""


def test_the_visitor_stays_the_same_when_somebody_signs_in(site: FastAPI) -> None:
    """Seats at matches belong to the browser: whoever signs in in the middle of one plays on."""
    browser = Browser(site)
    browser.token()
    before = browser.client.cookies[VISITOR]
    browser.sign_up()
    assert browser.client.cookies[VISITOR] == before
