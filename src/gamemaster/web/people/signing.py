"""Signing up, in and out: a browser keeps a secret, and the store a hash of it.

Each sign-in is a new session, whatever the browser had before. Tries are counted, by name and by address, so that
nobody can try many passwords; hashing takes a moment and is done in a thread.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from gamemaster.errors import Forbidden, TooMuch
from gamemaster.store.accounts import Account, Accounts
from gamemaster.store.passwords import fits, hashed
from gamemaster.store.rows import folded
from gamemaster.web.guard import SESSION, Rates, address_of

__all__ = ["FrontDesk", "SignedIn", "account_in", "operator_in", "signed_in"]

SESSION_DAYS = 30
TRIES_EACH_SECOND, TRIES_AT_ONCE = 1 / 20, 10
ADDRESS_EACH_SECOND, ADDRESS_AT_ONCE = 1 / 2, 60
"""Tries with one name: some at once, then three a minute. A class of pupils may come from one address."""

ACCOUNT = "gm_account"


@dataclass
class FrontDesk:
    """Where people sign up, in and out."""

    accounts: Accounts
    names: Rates = field(default_factory=lambda: Rates(TRIES_EACH_SECOND, TRIES_AT_ONCE))
    addresses: Rates = field(default_factory=lambda: Rates(ADDRESS_EACH_SECOND, ADDRESS_AT_ONCE))

    async def sign_up(self, request: Request, response: Response, name: str, password: str) -> Account:
        """A new account, signed in; NameTaken where somebody has that name."""
        self._count(request, "")
        account = await asyncio.to_thread(lambda: self.accounts.add(name, hashed(password)))
        await self._begin(request, response, account)
        return account

    async def sign_in(self, request: Request, response: Response, name: str, password: str) -> Account:
        """Sign somebody in; Forbidden where name and password do not belong together."""
        self._count(request, name)
        account = await asyncio.to_thread(self._fitting, name, password)
        if account is None:
            raise Forbidden("there is no such name with that password")
        await self._begin(request, response, account)
        return account

    def _fitting(self, name: str, password: str) -> Account | None:
        account = self.accounts.named(name)
        known = self.accounts.password_of(account.id) if account else ""
        return account if fits(password, known) else None

    async def check_password(self, request: Request, account: Account, password: str) -> None:
        """Nothing, where somebody knows their password; Forbidden otherwise."""
        self._count(request, account.name)
        if await asyncio.to_thread(self._fitting, account.name, password) is None:
            raise Forbidden("that is not your password")

    async def change_password(self, request: Request, account: Account, password: str) -> None:
        """Another password; whoever is signed in elsewhere is signed out."""
        kept = key_of_session(request)
        await asyncio.to_thread(lambda: self.accounts.set_password(account.id, hashed(password), kept=kept))

    async def sign_out(self, request: Request, response: Response) -> None:
        """End the session."""
        if key := key_of_session(request):
            await asyncio.to_thread(self.accounts.end_session, key)
        response.delete_cookie(SESSION, httponly=True, samesite="lax")

    async def _begin(self, request: Request, response: Response, account: Account) -> None:
        if old := key_of_session(request):
            await asyncio.to_thread(self.accounts.end_session, old)
        secret = secrets.token_urlsafe(32)
        until = datetime.now(UTC) + timedelta(days=SESSION_DAYS)
        await asyncio.to_thread(self.accounts.begin_session, account.id, _key(secret), until)
        response.set_cookie(
            SESSION,
            secret,
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
            max_age=SESSION_DAYS * 24 * 3600,
        )

    def _count(self, request: Request, name: str) -> None:
        """TooMuch, where a name or an address was tried too often."""
        is_free = self.addresses.take(address_of(request))
        if not is_free or (name and not self.names.take(folded(name[:200]))):
            raise TooMuch("too many tries; wait a minute")


def key_of_session(connection: HTTPConnection) -> str:
    """What the store knows a session by; nothing where the browser has none."""
    secret = connection.cookies.get(SESSION, "")
    return _key(secret) if 20 <= len(secret) <= 100 and secret.isascii() else ""


def _key(secret: str) -> str:
    return hashlib.sha256(f"session {secret}".encode()).hexdigest()


class SignedIn:
    """The app, for which it is found out who is signed in before a page is made."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Look who it is; without a session nothing is asked."""
        if scope["type"] in ("http", "websocket") and not scope["path"].startswith("/static/"):
            connection = HTTPConnection(scope)
            if key := key_of_session(connection):
                accounts: Accounts = connection.app.state.site.store.accounts
                scope[ACCOUNT] = await asyncio.to_thread(accounts.in_session, key)
        await self.app(scope, receive, send)


def account_in(connection: HTTPConnection) -> Account | None:
    """Who is signed in; None for a guest."""
    found: Account | None = connection.scope.get(ACCOUNT)
    return found


def signed_in(request: Request) -> Account:
    """The same for what is not for guests: Forbidden, with a way on."""
    account = account_in(request)
    if account is None:
        raise Forbidden("sign in first: this is kept under your name")
    return account


def operator_in(request: Request) -> Account:
    """The same for what concerns all."""
    account = signed_in(request)
    if not account.is_operator:
        raise Forbidden("only an operator of this site may do that")
    return account
