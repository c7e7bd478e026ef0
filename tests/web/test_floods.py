"""Clients that mean no good, against a site as an operator runs it: they are answered or dropped, others are served."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import select
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from gamemaster.load import load
from gamemaster.web.guard import BODY_SECONDS, LARGEST_BODY
from gamemaster.web.jobs import askers_of
from gamemaster.web.lines import HEAD_SECONDS
from gamemaster.web.path import path_query
from gamemaster.web.serving import LARGEST_MESSAGE, MOST_LINES_EACH, PING_SECONDS
from gamemaster.web.settings import SiteSettings
from tests.web.running import RunningSite, Visitor, running_site

pytestmark = pytest.mark.slow

QUIET, LOUD, BUSY = "127.0.0.2", "127.0.0.3", "127.0.0.4"
"""Addresses: who wants a page, who makes trouble, and who wants much, though not too much."""

SOON = 15.0
"""Seconds within which a page comes, on a machine that does other things too."""

FORM = "content-type: application/x-www-form-urlencoded"
MORE_MEMORY = 200 * 2**20


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    with running_site(tmp_path_factory.mktemp("site")) as running:
        yield running


@pytest.fixture
def quiet(site: RunningSite) -> Iterator[httpx.Client]:
    """Somebody else, who is served before and after; what happens between leaves nothing behind."""
    transport = httpx.HTTPTransport(local_address=QUIET)
    with httpx.Client(base_url=site.address, transport=transport, timeout=SOON) as client:
        before, memory = stored(site, client), memory_of(site)
        yield client
        assert stored(site, client) == before
        assert client.get("/").status_code == 200
        assert memory_of(site) < memory + MORE_MEMORY


def stored(site: RunningSite, client: httpx.Client) -> tuple[int, list[Path]]:
    return client.get("/api/v1/matches").json()["total"], site.records


def memory_of(site: RunningSite) -> int:
    """Bytes that the server has of the machine's memory."""
    status = Path(f"/proc/{site.process.pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found is not None
    return 1024 * int(found[1])


def line_to(site: RunningSite, source: str = LOUD) -> socket.socket:
    host, port = site.address.removeprefix("http://").split(":")
    line = socket.create_connection((host, int(port)), SOON, source_address=(source, 0))
    line.settimeout(SOON)
    return line


def head(site: RunningSite, first: str, *headers: str) -> bytes:
    host = "Host: " + site.address.removeprefix("http://")
    return "\r\n".join([first, host, *headers, "", ""]).encode("latin-1")


def answer_on(line: socket.socket) -> bytes:
    """All that is said before the line is closed, or nothing more comes."""
    said = b""
    with contextlib.suppress(TimeoutError, ConnectionError):
        while piece := line.recv(65536):
            said += piece
            if b"\r\n\r\n" in said:
                break
    return said


def status_in(said: bytes) -> int:
    """The status of an answer; 0 where there is none."""
    found = re.match(rb"HTTP/1\.1 (\d+)", said)
    return int(found[1]) if found else 0


def said_to(site: RunningSite, text: bytes) -> bytes:
    """What a site says to some bytes."""
    with line_to(site) as line:
        with contextlib.suppress(ConnectionError):
            line.sendall(text)
        return answer_on(line)


# What cannot be read


@pytest.mark.parametrize(
    "text",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)) * 8 + b"\r\n\r\n",
        b"\0" * 70_000,
        b"GET\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"A" * 200_000,
        b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n" + b"x: " + b"y" * 200_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n" + b"".join(b"x%d: y\r\n" % n for n in range(20_000)) + b"\r\n",
        b"POST /manager HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /manager HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
        b"POST /manager HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /manager HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"POST /manager HTTP/1.1\r\nHost: x\r\nOrigin: http://[\r\nContent-Length: 0\r\n\r\n",
        b"GET /matches/x/live HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
    ],
    ids=lambda text: repr(text[:30]),
)
def test_garbage_is_refused(site: RunningSite, quiet: httpx.Client, text: bytes) -> None:
    status = status_in(said_to(site, text))
    assert status == 0 or 400 <= status < 500, status


@pytest.mark.parametrize(
    "path",
    [
        "/static/../../../../../../etc/passwd",
        "/static/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "/static/..%2f..%2fapp.py",
        "/static/..%5c..%5capp.py",
        "/static//etc/passwd",
        "/static/%00",
        "/static/" + "a/" * 3000,
        "/games/..%2f..%2fetc%2fpasswd",
        "/games/%2fetc%2fpasswd",
        "/games/%00",
        "/games/%ed%a0%80",
        "/games/" + "a" * 9000,
        "/standalone/..%2f..%2fsecret",
        "/standalone/tictactoe?moves=" + "%" * 3000,
        "/matches/..%2fsecret",
        "/matches/%2e%2e%2fsecret",
        "/matches/%00",
        "/matches/" + "a" * 9000,
        "/matches?page=" + "9" * 4400,
        "/api/v1/matches/..%2f..%2fsecret/record",
        "/api/v1/games/..%2f..%2fetc",
        "//evil.example/%2e%2e",
        "http://evil.example/secret",
    ],
)
def test_no_path_leads_out(site: RunningSite, quiet: httpx.Client, path: str) -> None:
    with line_to(site) as line:
        line.sendall(head(site, f"GET {path} HTTP/1.1", "connection: close"))
        said = b"".join(iter(lambda: line.recv(65536), b""))
    assert 400 <= status_in(said) < 500, said[:200]
    assert b"root:" not in said
    assert (site.folder / "secret").read_bytes() not in said


@pytest.mark.parametrize(
    ("path", "kind", "body"),
    [
        ("/manager", "application/x-www-form-urlencoded", b"token=%C3%A9"),
        ("/manager", "application/x-www-form-urlencoded", b"token=%ff%00&game=%00"),
        ("/manager", "application/x-www-form-urlencoded", b"a=b&" * 5000),
        ("/manager", "application/x-www-form-urlencoded; charset=nonsense", b"token=x"),
        ("/manager", "multipart/form-data", b"x"),
        ("/manager", "multipart/form-data; boundary=x", b"0123456789"),
        ("/manager", "multipart/form-data; boundary=\xff", b"0123456789"),
        (
            "/manager",
            "multipart/form-data; boundary=x; charset=nonsense",
            b'--x\r\nContent-Disposition: form-data; name="token"\r\n\r\n\xff\xfe\r\n--x--\r\n',
        ),
        (
            "/play",
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="token"; filename="../../x"\r\n\r\nx\r\n--x--\r\n',
        ),
        ("/manager", "application/json", b'{"token": 7}'),
        ("/api/v1/matches", "application/json", b"[" * 100_000),
        ("/api/v1/matches", "application/json", b'{"game": ["tictactoe"], "players": 7}'),
        ("/api/v1/matches", "application/json", b'{"game": "tictactoe", "players": {"x": null}}'),
        ("/api/v1/matches", "application/json", b'{"game": "tictactoe", "pace": NaN}'),
        ("/api/v1/matches", "application/json", b'{"game": "' + b"\\ud800" * 100 + b'"}'),
        ("/api/v1/matches", "application/json", b"9" * 20_000),
        ("/api/v1/matches", "text/plain", b"\xff\xfe"),
    ],
)
def test_forms_of_no_kind_are_refused(
    site: RunningSite, quiet: httpx.Client, path: str, kind: str, body: bytes
) -> None:
    told = head(site, f"POST {path} HTTP/1.1", f"content-type: {kind}", f"content-length: {len(body)}")
    assert 400 <= status_in(said_to(site, told + body)) < 500


@pytest.mark.parametrize(
    "values",
    [
        {"game": "nothing"},
        {"game": "../../secret"},
        {"game": "\0"},
        {"game": "tictactoe\0"},
        {"player-0": "\0"},
        {"player-0": "x" * 5000},
        {"start-clock": "1e999"},
        {"play-clock": "nan"},
        {"play-clock": "0x10"},
        {"pace": "-1"},
        {"pace": "9" * 400},
        {"pace": "1;2"},
    ],
)
def test_wrong_values_in_a_form_of_ours_are_refused(
    site: RunningSite, quiet: httpx.Client, values: dict[str, str]
) -> None:
    ann = Visitor(site.address)
    ann.get("/manager")
    usual = {"game": "tictactoe", "player-0": "random", "player-1": "legal", "do": "arrange"}
    response = ann.client.post("/manager", data={"token": ann.token, **usual, **values})
    assert 400 <= response.status_code < 500, response.text[:500]


# What is too much


@pytest.mark.parametrize("path", ["/manager", "/api/v1/matches", "/matches/x/move", "/nowhere"])
def test_a_body_that_says_it_is_too_large_is_not_read(
    site: RunningSite, quiet: httpx.Client, path: str
) -> None:
    with line_to(site) as line:
        line.sendall(head(site, f"POST {path} HTTP/1.1", FORM, f"content-length: {10**10}"))
        assert status_in(answer_on(line)) == 413


@pytest.mark.parametrize("path", ["/manager", "/api/v1/check", "/api/v1/matches"])
def test_a_body_without_an_end_is_cut_off(site: RunningSite, quiet: httpx.Client, path: str) -> None:
    kind = "content-type: application/json" if path.startswith("/api/") else FORM
    with line_to(site) as line:
        line.sendall(head(site, f"POST {path} HTTP/1.1", kind, "transfer-encoding: chunked"))
        sent, chunk = 0, b"10000\r\n" + b"a" * 65536 + b"\r\n"
        with contextlib.suppress(ConnectionError):
            while not select.select([line], [], [], 0)[0] and sent < 100 * LARGEST_BODY:
                line.sendall(chunk)
                sent += len(chunk)
        assert sent < 100 * LARGEST_BODY
        assert status_in(answer_on(line)) in (413, 0)  # the answer may be lost with what was not read


def test_a_flood_of_requests_is_stemmed_and_others_are_served(site: RunningSite, quiet: httpx.Client) -> None:
    statuses: Counter[int] = Counter()
    is_over = threading.Event()

    def flood() -> None:
        asked = head(site, "GET /static/site.css HTTP/1.1", "range: bytes=0-0")
        while not is_over.is_set():
            with contextlib.suppress(OSError), line_to(site) as line:
                line.sendall(asked * 50 + head(site, "GET /nothing HTTP/1.1", "connection: close"))
                said = b"".join(iter(lambda line=line: line.recv(65536), b""))  # type: ignore[misc]
                statuses.update(int(each) for each in re.findall(rb"HTTP/1\.1 (\d+)", said))

    threads = [threading.Thread(target=flood) for _ in range(6)]
    for thread in threads:
        thread.start()
    try:
        until = time.monotonic() + 60
        while (statuses[429] < 500 or statuses.total() < 1500) and time.monotonic() < until:
            assert quiet.get("/games/tictactoe").status_code == 200
            assert quiet.get("/standalone/tictactoe").status_code == 200
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
    assert statuses[429] >= 500
    assert not any(status >= 500 for status in statuses), statuses


def long_line() -> str:
    """The address of a position that takes a worker a while."""
    game, generator, line = load("othello"), random.Random(1), list[list[str]]()
    state = game.initial_state()
    while not state.is_terminal:
        moves = state.random_moves(generator)
        line.append([str(moves[role]) for role in askers_of(state)])
        state = state.next(moves)
    return f"/standalone/othello{path_query(line)}"


def test_much_work_for_one_does_not_keep_others_waiting(site: RunningSite, quiet: httpx.Client) -> None:
    path, count = long_line(), 40
    assert quiet.get(path).status_code == 200
    with contextlib.ExitStack() as opened:
        lines = [opened.enter_context(line_to(site, BUSY)) for _ in range(count)]
        for line in lines:
            line.sendall(head(site, f"GET {path} HTTP/1.1"))
            line.settimeout(4 * SOON)
        time.sleep(0.5)
        assert quiet.get("/standalone/tictactoe").status_code == 200
        answered = sum(bool(select.select([line], [], [], 0)[0]) for line in lines)
        assert answered < count / 2
        assert {status_in(answer_on(line)) for line in lines} == {200}


def test_idle_lines_are_counted(site: RunningSite, quiet: httpx.Client) -> None:
    with contextlib.ExitStack() as lines:
        opened = [lines.enter_context(line_to(site)) for _ in range(MOST_LINES_EACH + 50)]
        time.sleep(1)
        assert quiet.get("/").status_code == 200
        closed = sum(bool(select.select([line], [], [], 0)[0]) for line in opened)
        assert closed == 50


# Those who watch


def quick_match(site: RunningSite, pace: float = 0.1) -> str:
    """A match of some length, which everybody can watch."""
    body = {"game": "othello", "players": {"black": "random", "white": "legal"}, "pace": pace}
    response = httpx.post(f"{site.address}/api/v1/matches", json=body, timeout=SOON)
    assert response.status_code == 201, response.text
    name = response.json()["id"]
    assert isinstance(name, str)
    return name


def watching(site: RunningSite, match: str, source: str) -> ClientConnection:
    line = line_to(site, source)
    return connect(f"{site.address.replace('http', 'ws')}/matches/{match}/live", sock=line)


def masked(kind: int, payload: bytes) -> bytes:
    """A frame as a client sends it, with a mask that changes nothing."""
    size = len(payload)
    length = bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size)
    return bytes([0x80 | kind]) + length + bytes(4) + payload


def handshake(site: RunningSite, path: str) -> bytes:
    return head(
        site,
        f"GET {path} HTTP/1.1",
        "upgrade: websocket",
        "connection: upgrade",
        "sec-websocket-version: 13",
        "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
    )


def closed_after(line: socket.socket, frames: bytes, seconds: float = SOON) -> bool:
    """Whether a line is closed while frames are sent again and again."""
    until = time.monotonic() + seconds
    try:
        while time.monotonic() < until:
            line.sendall(frames)
            while select.select([line], [], [], 0)[0]:
                if not line.recv(65536):
                    return True
    except ConnectionError:
        return True
    return False


@pytest.fixture(scope="module")
def match(site: RunningSite) -> str:
    """One that is there, and that nothing happens in."""
    body = {"game": "tictactoe", "players": {"x": "random", "o": "websocket"}, "is_managed": True}
    response = httpx.post(f"{site.address}/api/v1/matches", json=body, timeout=SOON)
    name = response.json()["id"]
    assert isinstance(name, str)
    return name


@pytest.mark.parametrize(
    "frames",
    [
        masked(1, b"a" * 100) * 200,
        masked(2, b"a" * 60_000) * 20,
        masked(9, b"") * 5000,
        masked(9, b"a" * 125) * 500,
        masked(8, b"\x03"),
        b"\xff" * 1000,
        b"\x81\xff" + struct.pack(">Q", 2**62) + bytes(4),
        b"\x01\x80\x00\x00\x00\x00" + (b"\x00\xfe\xff\xff" + bytes(4) + b"a" * 65535) * 5,
    ],
    ids=["texts", "bytes", "pings", "large pings", "half a close", "no frames", "endless", "fragments"],
)
def test_a_socket_that_sends_much_is_closed(
    site: RunningSite, match: str, quiet: httpx.Client, frames: bytes
) -> None:
    with line_to(site) as line:
        line.sendall(handshake(site, f"/matches/{match}/live"))
        assert b" 101 " in line.recv(65536)
        assert closed_after(line, frames)


def test_a_text_of_megabytes_ends_the_connection(site: RunningSite, match: str, quiet: httpx.Client) -> None:
    with watching(site, match, LOUD) as socket:
        socket.recv(timeout=SOON)
        socket.send("a" * (LARGEST_MESSAGE + 1))
        with pytest.raises(ConnectionClosed) as gone:
            socket.recv(timeout=SOON)
    assert gone.value.rcvd is not None
    assert gone.value.rcvd.code == 1009


def test_more_sockets_than_allowed_are_refused_and_others_come_in(
    site: RunningSite, match: str, quiet: httpx.Client
) -> None:
    most = SiteSettings(Path(), "").most_sockets_each
    asked = handshake(site, f"/matches/{match}/live")
    with contextlib.ExitStack() as lines:
        answers: Counter[int] = Counter()
        while answers.total() < most + 60:
            line = lines.enter_context(line_to(site))
            line.sendall(asked)
            answers[status_in(line.recv(65536))] += 1
            time.sleep(0.02 if answers[403] else 0)
        assert answers[101] <= most
        assert answers[403] >= 60
        with watching(site, match, QUIET) as socket:
            assert json.loads(socket.recv(timeout=SOON))["phase"] == "arranged"


def test_who_dawdles_is_dropped_and_others_hear_everything(site: RunningSite) -> None:
    """Heads and bodies that come by the letter, and sockets that never read, while a match goes on."""
    name = quick_match(site)
    before = memory_of(site)
    with contextlib.ExitStack() as lines:
        heads = [lines.enter_context(line_to(site)) for _ in range(50)]
        bodies = [lines.enter_context(line_to(site)) for _ in range(50)]
        deaf = [lines.enter_context(deaf_line(site)) for _ in range(50)]
        began = time.monotonic()
        for line in heads:
            line.sendall(b"GET / HTTP/1.1\r\nx: ")
        for line in bodies:
            line.sendall(head(site, "POST /manager HTTP/1.1", FORM, "content-length: 5000"))
        for line in deaf:
            line.sendall(handshake(site, f"/matches/{name}/live"))
        is_over = threading.Event()
        dawdling = threading.Thread(target=dawdle, args=([*heads, *bodies], is_over))
        dawdling.start()
        try:
            assert watched_to_the_end(site, name) >= set(range(1, 50))
            assert memory_of(site) < before + MORE_MEMORY
            until = began + max(2 * PING_SECONDS, BODY_SECONDS, HEAD_SECONDS) + SOON
            while time.monotonic() < until and lines_from(LOUD):
                time.sleep(1)
        finally:
            is_over.set()
            dawdling.join()
        assert lines_from(LOUD) == 0
        assert all(status_in(answer_on(line)) in (408, 0) for line in bodies)
    assert httpx.get(site.address, timeout=SOON).status_code == 200


def deaf_line(site: RunningSite) -> socket.socket:
    """A line that takes in as little as possible."""
    line = line_to(site)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    return line


def dawdle(lines: list[socket.socket], is_over: threading.Event) -> None:
    while not is_over.wait(0.5):
        for line in lines:
            with contextlib.suppress(OSError):
                line.sendall(b"a")


def watched_to_the_end(site: RunningSite, match: str) -> set[int]:
    """The steps in the list of moves that somebody has who watches properly."""
    moves, last = "", dict[str, Any]()
    with watching(site, match, QUIET) as socket:
        while last.get("phase") != "over":
            last = json.loads(socket.recv(timeout=60))
            moves = (moves if last["after"] else "") + last["append"].get("moves", "")
    return {int(number) for number in re.findall(r"(\d+)", moves)}


def lines_from(address: str) -> int:
    """How many connections from an address the system holds open."""
    wanted = "".join(f"{int(part):02X}" for part in reversed(address.split(".")))
    rows = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(row[2].startswith(f"{wanted}:") and row[3] == "01" for row in rows)


def test_the_site_has_no_children_left_over(site: RunningSite) -> None:
    """What was refused has started nothing."""
    below = Path(f"/proc/{site.process.pid}/task/{site.process.pid}/children").read_text().split()
    kinds = [
        Path(f"/proc/{child}/cmdline").read_text() for child in below if os.path.exists(f"/proc/{child}")
    ]
    assert not any("player_child" in kind for kind in kinds)
