"""What stands at the door of the site: sizes, rates, headers, tokens, and who asks."""

from __future__ import annotations

import asyncio
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from gamemaster.errors import Forbidden
from gamemaster.web import guard
from gamemaster.web.guard import (
    HEADERS,
    LARGEST_BODY,
    LONGEST_ADDRESS,
    MOST_DRAINED,
    VISITOR,
    Door,
    Rates,
    Sockets,
    check_token,
    network_of,
    same_origin,
    secret_in,
    token_of,
    visitor_of,
)
from gamemaster.web.settings import SiteSettings
from gamemaster.web.work import ASKER

SECRET = b"s" * 32
VISITING = "a" * 32


def scope_of(
    method: str = "GET",
    path: str = "/",
    headers: Sequence[tuple[str, str]] = (),
    client: str = "10.0.0.1",
    kind: str = "http",
    query: str = "",
) -> Scope:
    told = [("host", "here.example"), *headers]
    return {
        "type": kind,
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in told],
        "client": (client, 1234),
        "server": ("here.example", 80),
        "scheme": "http",
        "root_path": "",
        "http_version": "1.1",
    }


def request_of(*headers: tuple[str, str]) -> Request:
    return Request(scope_of(headers=headers))


class Answer:
    """What comes out of the door."""

    def __init__(self) -> None:
        self.sent: list[Message] = []

    async def send(self, message: Message) -> None:
        self.sent.append(message)

    @property
    def status(self) -> int:
        return int(self.sent[0]["status"])

    @property
    def headers(self) -> dict[str, str]:
        return {name.decode(): value.decode() for name, value in self.sent[0]["headers"]}

    @property
    def text(self) -> str:
        return b"".join(each.get("body", b"") for each in self.sent[1:]).decode()


def receiver(chunks: Iterable[bytes], *, is_whole: bool = True) -> Receive:
    """A body in pieces; one that is not whole never ends."""
    left = list(chunks)

    async def receive() -> Message:
        if not left and not is_whole:
            await asyncio.Event().wait()
        chunk = left.pop(0) if left else b""
        return {"type": "http.request", "body": chunk, "more_body": bool(left) or not is_whole}

    return receive


def behind() -> FastAPI:
    """An app that says how long the bodies are that reach it."""
    app = FastAPI()

    @app.api_route("/{path:path}", methods=["GET", "HEAD", "POST", "PUT"])
    async def size(request: Request) -> str:
        return f"{len(await request.body())} for {ASKER.get()}"

    return app


def site_settings(**values: object) -> SiteSettings:
    values = {"names": frozenset({"here.example"}), **values}
    return SiteSettings(Path("/nowhere"), "", **values)  # type: ignore[arg-type]


def ask(
    scope: Scope, chunks: Iterable[bytes] = (b"",), door: Door | None = None, *, is_whole: bool = True
) -> Answer:
    answer = Answer()
    door = door or Door(behind(), site_settings())
    asyncio.run(door(scope, receiver(chunks, is_whole=is_whole), answer.send))
    return answer


# Sizes


def test_what_is_small_enough_comes_through() -> None:
    length = ("content-length", str(LARGEST_BODY))
    answer = ask(scope_of("POST", headers=[length]), [b"x" * LARGEST_BODY])
    assert (answer.status, answer.text) == (200, f'"{LARGEST_BODY} for 10.0.0.1"')


def test_who_sends_a_little_too_much_is_let_finish_and_told() -> None:
    door, answer, left = Door(behind(), site_settings()), Answer(), [b"x" * 200_000, b"x" * 200_000]

    async def receive() -> Message:
        return {"type": "http.request", "body": left.pop(), "more_body": bool(left)}

    asyncio.run(door(scope_of("POST", headers=[("content-length", "400000")]), receive, answer.send))
    assert answer.status == 413
    assert left == []


@pytest.mark.parametrize("length", [str(MOST_DRAINED + 1), "9" * 4000, "-1", "1e3", "", "²", "0x10"])
def test_who_says_that_too_much_comes_is_told_so_before_it_comes(length: str) -> None:
    door = Door(behind(), site_settings())
    answer = Answer()

    async def nothing() -> Message:
        raise AssertionError

    asyncio.run(door(scope_of("POST", headers=[("content-length", length)]), nothing, answer.send))
    assert answer.status == 413
    assert answer.headers["connection"] == "close"


@pytest.mark.parametrize("said", [(), [("content-length", "5")], [("transfer-encoding", "chunked")]])
@pytest.mark.parametrize("path", ["/manager", "/api/v1/check"])
def test_who_sends_more_than_was_said_is_cut_off(said: Sequence[tuple[str, str]], path: str) -> None:
    answer = ask(scope_of("POST", path, said), [b"x" * 50_000] * 7)
    assert answer.status == 413
    assert "300,000" in answer.text


def test_a_body_that_does_not_end_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.05)
    answer = ask(scope_of("POST"), [b"x"] * 3, is_whole=False)
    assert answer.status == 408


def test_who_goes_away_is_no_error() -> None:
    async def gone() -> Message:
        return {"type": "http.disconnect"}

    async def app(scope: Scope, receive: Receive, _: Send) -> None:
        await Request(scope, receive).body()

    answer = Answer()
    asyncio.run(Door(app, site_settings())(scope_of("POST"), gone, answer.send))
    assert answer.sent == []


def test_what_comes_after_the_body_may_take_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.02)

    async def app(_: Scope, receive: Receive, send: Send) -> None:
        assert (await receive())["type"] == "http.request"
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    given = iter([b"all"])

    async def receive() -> Message:
        for body in given:
            return {"type": "http.request", "body": body, "more_body": False}
        await asyncio.Event().wait()
        raise AssertionError

    answer = Answer()
    asyncio.run(Door(app, site_settings())(scope_of("POST"), receive, answer.send))
    assert answer.status == 200


def test_an_address_has_a_length() -> None:
    fits = ask(scope_of(path="/" + "a" * 99, query="b" * (LONGEST_ADDRESS - 100)))
    assert fits.status == 200
    assert ask(scope_of(path="/" + "a" * 100, query="b" * (LONGEST_ADDRESS - 100))).status == 414
    assert ask(scope_of(path="/" + "a" * LONGEST_ADDRESS)).status == 414


# Headers


@pytest.mark.parametrize(
    ("scope", "status"),
    [
        (scope_of(), 200),
        (scope_of("DELETE"), 405),
        (scope_of("POST", headers=[("origin", "http://other.example")]), 403),
        (scope_of("POST", headers=[("content-length", "400000")]), 413),
        (scope_of(path="/" + "a" * 20_000), 414),
    ],
)
def test_every_answer_has_the_headers_that_protect(scope: Scope, status: int) -> None:
    answer = ask(scope)
    assert answer.status == status
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS


def test_a_page_may_say_more_strictly_itself() -> None:
    async def app(_: Scope, receive: Receive, send: Send) -> None:
        own = [(b"Content-Security-Policy", b"default-src 'none'")]
        await send({"type": "http.response.start", "status": 200, "headers": own})
        await send({"type": "http.response.body", "body": b""})

    answer = ask(scope_of(), door=Door(app, site_settings()))
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'"
    assert "content-security-policy" not in answer.headers


def test_programs_are_refused_in_json() -> None:
    assert ask(scope_of(path="/api/v1/" + "a" * 20_000)).text.startswith('{"error":')
    assert not ask(scope_of(path="/" + "a" * 20_000)).text.startswith("{")


# Rates


class Clock:
    """A clock that goes when it is told to."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(guard, "time", clock)
    return clock


def test_a_bucket_is_emptied_and_fills_again(clock: Clock) -> None:
    rates = Rates(8.0, 5)
    assert [rates.take("a") for _ in range(7)] == [True] * 5 + [False] * 2
    clock.now += 0.125
    assert [rates.take("a") for _ in range(2)] == [True, False]
    clock.now += 1000
    assert [rates.take("a") for _ in range(7)] == [True] * 5 + [False] * 2


def test_one_address_takes_nothing_from_another(clock: Clock) -> None:
    rates = Rates(1.0, 2)
    assert [rates.take("a") for _ in range(5)].count(True) == 2
    assert rates.take("b")


@pytest.mark.parametrize(
    ("host", "counted"),
    [
        ("10.1.2.3", "10.1.2.3"),
        ("::1", "::1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("::ffff:10.1.2.3", "10.1.2.3"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_who_has_many_addresses_is_one_who_asks(host: str, counted: str) -> None:
    assert network_of(host) == counted


def test_who_is_refused_is_not_refused_for_longer(clock: Clock) -> None:
    rates = Rates(1.0, 1)
    assert rates.take("a")
    for _ in range(50):
        assert not rates.take("a")
    clock.now += 1
    assert rates.take("a")


def test_addresses_are_forgotten_the_oldest_first(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MOST_KNOWN", 10)
    rates = Rates(1.0, 1)
    assert rates.take("first")
    for number in range(9):
        rates.take(str(number))
    assert not rates.take("first")
    for number in range(30):
        rates.take(f"other {number}")
    assert rates.take("first")
    assert len(rates._buckets) == 10


def test_too_many_requests_are_told_when_to_come_again() -> None:
    door = Door(behind(), site_settings(requests_each=0.001, burst=3))
    found = [ask(scope_of(), door=door) for _ in range(4)]
    assert [answer.status for answer in found] == [200, 200, 200, 429]
    assert found[-1].headers["retry-after"] == "1"
    assert ask(scope_of(client="10.0.0.2"), door=door).status == 200


# Sockets


def test_so_many_sockets_are_open_and_so_many_of_one() -> None:
    sockets = Sockets(5, 2)
    assert [sockets.enter("a") for _ in range(3)] == [True, True, False]
    assert [sockets.enter("b"), sockets.enter("b"), sockets.enter("c"), sockets.enter("d")] == [
        True,
        True,
        True,
        False,
    ]
    sockets.leave("a")
    assert sockets.enter("d")
    for address in "abbcd":
        sockets.leave(address)
    assert sockets._open == {}


def socket_answers(door: Door, *scopes: Scope) -> list[list[Message]]:
    """What is sent to sockets that all stay open at once."""

    async def all_of_them() -> list[list[Message]]:
        answers = [Answer() for _ in scopes]
        tasks = [
            asyncio.create_task(door(scope, receiver([]), answer.send))
            for scope, answer in zip(scopes, answers, strict=True)
        ]
        await asyncio.sleep(0.02)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return [answer.sent for answer in answers]

    return asyncio.run(all_of_them())


async def staying(_: Scope, __: Receive, send: Send) -> None:
    await send({"type": "websocket.accept"})
    await asyncio.Event().wait()


def test_sockets_are_let_in_as_long_as_there_is_room_and_leave_it_again() -> None:
    door = Door(staying, site_settings(most_sockets=3, most_sockets_each=2))
    scopes = [scope_of(kind="websocket", client=client) for client in ("a", "a", "a", "b", "c")]
    for _ in range(2):
        sent = socket_answers(door, *scopes)
        assert [messages[0]["type"] for messages in sent] == [
            "websocket.accept",
            "websocket.accept",
            "websocket.close",
            "websocket.accept",
            "websocket.close",
        ]
    assert door.sockets._open == {}


def test_what_is_done_for_a_socket_is_done_for_whoever_asks() -> None:
    askers: list[str] = []

    async def noting(scope: Scope, receive: Receive, send: Send) -> None:
        askers.append(ASKER.get())

    socket_answers(Door(noting, site_settings()), *(scope_of(kind="websocket", client=each) for each in "ab"))
    assert askers == ["a", "b"]


def test_a_socket_from_a_page_of_another_site_is_not_let_in() -> None:
    door = Door(staying, site_settings())
    other = scope_of(kind="websocket", headers=[("origin", "http://other.example")])
    assert socket_answers(door, other) == [[{"type": "websocket.close", "code": 1013}]]


# Origins


@pytest.mark.parametrize(
    ("headers", "is_ours"),
    [
        ([], True),
        ([("origin", "http://here.example")], True),
        ([("origin", "https://here.example")], True),
        ([("origin", "http://here.example:81")], False),
        ([("origin", "http://here.example.evil.example")], False),
        ([("origin", "http://evil.example/here.example")], False),
        ([("origin", "null")], False),
        ([("origin", "")], False),
        ([("origin", "http://[")], False),
        ([("origin", "http://[::1")], False),
        ([("sec-fetch-site", "same-origin")], True),
        ([("sec-fetch-site", "none")], True),
        ([("sec-fetch-site", "same-site")], False),
        ([("sec-fetch-site", "cross-site")], False),
    ],
)
def test_what_another_site_asks_for_is_not_done(headers: list[tuple[str, str]], is_ours: bool) -> None:
    assert same_origin(request_of(*headers)) is is_ours
    assert ask(scope_of("POST", headers=headers)).status == (200 if is_ours else 403)
    assert ask(scope_of("GET", headers=headers)).status == 200


# Visitors and tokens


def test_a_form_is_for_the_one_who_was_given_it() -> None:
    ours = request_of(("cookie", f"{VISITOR}={VISITING}"))
    token = token_of(SECRET, VISITING)
    check_token(SECRET, ours, token)
    for wrong in (
        None,
        "",
        token[:-1],
        token.upper(),
        token + "x",
        7,
        b"x",
        "é",
        "\ud800",
        token_of(SECRET, "b" * 32),
    ):
        with pytest.raises(Forbidden):
            check_token(SECRET, ours, wrong)
    for other in (request_of(), request_of(("cookie", f"{VISITOR}={'b' * 32}"))):
        with pytest.raises(Forbidden):
            check_token(SECRET, other, token)
    with pytest.raises(Forbidden):
        check_token(b"t" * 32, ours, token)


def test_a_visitor_is_somebody_for_as_long_as_the_cookie_says_something() -> None:
    assert visitor_of(request_of(("cookie", f"{VISITOR}={VISITING}"))) == VISITING
    for cookie in ("", "short", "x" * 61, "é" * 30):
        request = request_of(("cookie", f"{VISITOR}={cookie}"))
        made = visitor_of(request)
        assert made not in ("", cookie)
        assert visitor_of(request) == made


def test_the_secret_stays_and_nobody_else_reads_it(tmp_path: Path) -> None:
    made = secret_in(tmp_path)
    assert len(made) == 32
    assert secret_in(tmp_path) == made
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600
    other = tmp_path / "other"
    other.mkdir()
    assert secret_in(other) != made
