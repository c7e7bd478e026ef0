"""Uploaded players: tried and kept, or refused; and whatever one does when it plays, the match goes on without harm."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from gamemaster.errors import NotIsolated
from gamemaster.load import load
from gamemaster.match.events import Ended
from gamemaster.match.manager import conduct
from gamemaster.match.records.record import RecordWriter, read_record
from gamemaster.match.settings import Settings
from gamemaster.match.transports import child_process
from gamemaster.players.simple import Random
from gamemaster.web.pages import own_players
from gamemaster.web.roster.files import LARGEST_FILE
from gamemaster.web.settings import settings_for
from gamemaster.web.site import Site
from tests.match import misbehaving as bad
from tests.web.people import PASSWORD, match_over, refused, signed_up
from tests.web.running import RunningSite, Visitor, running_site

CLOCKS = Settings(start_clock=120.0, play_clock=120.0, ping_clock=120.0, seed=7)
IMPATIENT = Settings(start_clock=120.0, play_clock=12.0, ping_clock=120.0, seed=7)
GOOD = """
import gamemaster as gm

class First(gm.Player):
    def choose(self, state):
        return state.legal_moves(self.role)[0]
"""
SCRIPT = "<script>alert(1)</script>"


# What attacks: each says in its moves what it got, nothing at best


def attacking(body: str) -> str:
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    return f"import contextlib, os, socket, sys, time\nfrom pathlib import Path\n\ndef play(move):\n{lines}\n"


READS = """
got = []
for path in {paths}:
    with contextlib.suppress(OSError):
        got.append(Path(path).read_bytes()[:80])
for path in {folders}:
    with contextlib.suppress(OSError):
        got.append(os.listdir(path))
return f"got {{got}}" if got else "got nothing"
"""
WRITES = """
got = []
for path in {paths}:
    with contextlib.suppress(OSError):
        Path(path, "poison").write_text("poison")
        got.append(path)
return f"got {{got}}" if got else "got nothing"
"""
CONNECTS = """
got = []
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
    with contextlib.suppress(OSError), socket.socket(type=kind) as line:
        line.settimeout(5)
        line.connect(("127.0.0.1", {port}))
        line.send(b"hello")
        got.append(str(kind))
with contextlib.suppress(OSError):
    got.append(socket.gethostbyname("localhost.invalid"))
return f"got {{got}}" if got else "got nothing"
"""
MULTIPLIES = """
count = 0
with contextlib.suppress(OSError):
    while count < 1000:
        if os.fork() == 0:
            time.sleep(100000)
        count += 1
return "got nothing" if count < 1000 else "got 1000 processes"
"""
GROWS = """
held = []
try:
    while len(held) < 400:
        held.append(bytearray(2**27))
except MemoryError:
    held.clear()
    return "got nothing"
return "got 50 GB"
"""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(settings_for(str(tmp_path / "data"), allows_uploads=True))
    site.store.accounts.add("Ada", "hash")
    yield site
    site.store.close()


def played(site: Site, text: str, settings: Settings = CLOCKS) -> tuple[set[str], set[str], Path]:
    """The faults of an uploaded player in a match with a good one, and the record, which has them all."""
    ada = site.store.accounts.get("Ada")
    key = site.players.files.keep("Evil", text.encode())
    site.store.own_players.add(ada.id, "Evil", file=key)
    heard, path = bad.Faults(), site.settings.records / "match.jsonl"

    async def play() -> None:
        spec = await site.players.line_spec("Evil", ada)
        lines = {"x": bad.in_process(Random(seed=1)), "o": spec.line(1)}
        with RecordWriter(path) as writer:
            await conduct(load("tictactoe"), lines, settings, listeners=[writer.write, heard])

    asyncio.run(play())
    ended = heard.events[-1]
    assert isinstance(ended, Ended)
    assert (ended.how, ended.errors["x"]) == ("completed", 0)
    record = read_record(path)
    assert record.started.players["o"] == "Evil"
    assert record.ended is not None
    assert record.ended.errors == ended.errors
    assert str(site.settings.folder) not in path.read_text()
    errors = [fault for fault in heard.all if fault.is_error]
    return {fault.kind for fault in errors}, {fault.detail for fault in errors}, path


@pytest.mark.walls
def test_a_good_file_plays(site: Site) -> None:
    assert played(site, GOOD)[:2] == (set(), set())


@pytest.mark.walls
def test_it_reads_nothing_of_the_site_nor_of_anybody(site: Site, tmp_path: Path) -> None:
    other = site.players.files.keep("Other", GOOD.encode())
    folder = site.settings.folder
    (tmp_path / "letter").write_text("private")
    paths = ["/etc/passwd", "/etc/shadow", "/proc/1/environ", str(tmp_path / "letter")]
    paths += [str(folder / each) for each in ("secret", "gamemaster.db", f"players/{other}/Other.py")]
    folders = [str(folder / "matches"), str(folder / "players" / other), str(Path.home() / ".ssh")]
    told = played(site, attacking(READS.format(paths=paths, folders=folders)))
    assert told[:2] == ({"malformed"}, {"got nothing"})


@pytest.mark.walls
def test_it_sees_nothing_of_a_site_whose_folder_lies_among_what_players_see(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is on the path of Python is shown; the site is not, wherever it is."""
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{':'.join(map(str, python_path()))}")
    tmp_path.chmod(0o755)
    (tmp_path / "shown").write_text("shown")
    site = Site(settings_for(str(tmp_path / "data"), allows_uploads=True))
    site.store.accounts.add("Ada", "hash")
    other = site.players.files.keep("Other", GOOD.encode())
    names = (
        "data/secret",
        "data/gamemaster.db",
        "data/matches/match.jsonl",
        f"data/players/{other}/Other.py",
    )
    shown = attacking(f'return "got " + Path({str(tmp_path / "shown")!r}).read_text()')
    assert played(site, shown)[1] == {"got shown"}
    site.store.own_players.remove(site.store.own_players.get("Evil").id)
    (site.settings.records / "match.jsonl").unlink()
    secret = attacking(
        "got = []\n"
        f"for name in {names!r}:\n"
        "    with contextlib.suppress(OSError):\n"
        f"        got += [name] if Path({str(tmp_path)!r}, name).read_bytes() else []\n"
        'return f"got {got}" if got else "got nothing"'
    )
    assert played(site, secret)[1] == {"got nothing"}
    site.store.close()


def python_path() -> list[Path]:
    import gamemaster

    return [Path(gamemaster.__file__).parent.parent]


@pytest.mark.walls
def test_it_writes_nothing_that_anybody_sees(site: Site, tmp_path: Path) -> None:
    folder = site.settings.folder
    paths = [
        "/",
        "/etc",
        "/usr",
        "/var/tmp",
        str(Path.home()),
        str(folder),
        str(folder / "matches"),
        str(Path.cwd()),
    ]
    kinds, details, _ = played(site, attacking(WRITES.format(paths=paths)))
    assert kinds == {"malformed"}
    assert details == {"got nothing"}
    assert not [path for path in map(Path, paths) if (path / "poison").exists()]


@pytest.mark.walls
def test_it_reaches_no_network(site: Site) -> None:
    with socket.socket() as listening, socket.socket(type=socket.SOCK_DGRAM) as datagrams:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        listening.setblocking(False)
        port = listening.getsockname()[1]
        datagrams.bind(("127.0.0.1", port))
        datagrams.setblocking(False)
        assert played(site, attacking(CONNECTS.format(port=port)))[1] == {"got nothing"}
        for come in (listening.accept, lambda: datagrams.recv(10)):
            with pytest.raises(BlockingIOError):
                come()


@pytest.mark.walls
def test_a_fork_bomb_is_bounded_and_nothing_of_it_stays(site: Site) -> None:
    text = attacking(MULTIPLIES).replace("100000", bad.SLEEP)
    assert played(site, text)[1] == {"got nothing"}
    assert not bad.wait_for_end(lambda: bad.processes_with(str(site.settings.folder)), 30.0)


@pytest.mark.walls
def test_memory_is_bounded(site: Site) -> None:
    assert played(site, attacking(GROWS))[1] == {"got nothing"}


@pytest.mark.walls
@pytest.mark.slow
def test_an_endless_loop_ends_with_its_clocks(site: Site) -> None:
    kinds, details, _ = played(site, attacking("while True: pass"), IMPATIENT)
    assert "late" in kinds
    assert any("ended after 2 clocks without a reply" in each for each in details)


@pytest.mark.walls
def test_one_that_prints_for_ever_fills_nothing(site: Site) -> None:
    text = attacking("for _ in range(400): print('x' * 10000)\nreturn 'got nothing'")
    kinds, details, path = played(site, text)
    assert (kinds, details) == ({"malformed"}, {"got nothing"})
    assert path.stat().st_size < 200_000


@pytest.mark.walls
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("raise ValueError('at import')", "Evil.py:1: ValueError: at import"),
        ("import os\nos._exit(3)", "the process ended with code 3"),
        ("import sys\nsys.exit(0)", "Evil.py:2: SystemExit: 0"),
        (attacking("os._exit(3)"), "the process ended with code 3"),
        (attacking("os.kill(os.getpid(), 9)"), "the process ended with"),
        (attacking("return 1 / 0"), "Evil.py:5: ZeroDivisionError: division by zero"),
        ("x = 1", "Evil.py: there is no function play"),
        ("def play(move:", "Evil.py:1: SyntaxError"),
        (attacking(f"return {SCRIPT!r}"), SCRIPT),
    ],
)
def test_one_that_fails_has_its_moves_made_for_it(site: Site, text: str, words: str) -> None:
    kinds, details, _ = played(site, text)
    assert kinds <= {"crashed", "malformed", "not ready"}
    assert any(words in each for each in details), details


def test_where_no_walls_can_be_built_nothing_runs(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> tuple[str, ...]:
        raise NotIsolated("no namespaces here")

    monkeypatch.setattr(child_process, "files_open_for_writing", refuse)
    key = site.players.files.keep("Deep", b"open('/tmp/poison', 'w')")
    found = asyncio.run(own_players._trial(site, key, "Deep"))
    assert not found.is_ready
    assert "Deep.py cannot be isolated here: no namespaces here" in found.why
    assert str(site.settings.folder) not in found.why


@pytest.mark.walls
def test_one_that_does_not_come_to_an_end_at_import_is_not_waited_for(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_players, "TRIAL_SECONDS", 1.0)
    key = site.players.files.keep("Deep", b"while True: pass")
    found = asyncio.run(own_players._trial(site, key, "Deep"))
    assert (found.is_ready, found.why) == (False, "no answer within 1 s")
    assert site.hall.room.taken == 0


# On the pages


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    with running_site(tmp_path_factory.mktemp("site"), "--allow-uploads") as site:
        yield site


@pytest.fixture
def ada(house: RunningSite) -> Visitor:
    visitor = signed_up(house.address)
    visitor.get("/players/upload")
    return visitor


def upload(
    visitor: Visitor, path: str = "/players/upload", file: bytes = b"", **values: str
) -> httpx.Response:
    files = {"file": ("player.py", file)} if file else {"none": (None, b"")}
    return visitor.client.post(
        path, data={"token": visitor.token, "visibility": "private", **values}, files=files
    )


def kept(house: RunningSite) -> list[str]:
    return sorted(path.name for path in (house.folder / "players").glob("*/*.py"))


@pytest.mark.walls
def test_a_file_is_uploaded_plays_is_replaced_and_goes(house: RunningSite, ada: Visitor) -> None:
    assert "/players/upload" in ada.get("/players").text
    name = f"Up{secrets.token_hex(3)}"
    response = upload(ada, file=GOOD.encode(), name=name)
    assert response.headers["location"] == f"/players/{name}?done=uploaded"
    assert f"{name}.py" in kept(house)
    values = {"player-0": name, "player-1": "random", "pace": "0", "start-clock": "60", "play-clock": "60"}
    match = ada.arrange("/manager", game="tictactoe", do="arrange", **values)
    ada.act(match, "begin")
    found = match_over(ada, match)
    assert found["how"] == "completed"
    assert [seat["errors"] for seat in found["seats"]] == [0, 0]  # type: ignore[attr-defined]
    broken = upload(ada, f"/players/{name}/edit", b"def play(move:", about="x")
    refused(broken, f"{name}.py:1: SyntaxError")
    changed = upload(ada, f"/players/{name}/edit", GOOD.encode() + b"# more", about="better")
    assert changed.status_code == 303
    assert "better" in ada.get(f"/players/{name}").text
    ada.get("/profile")
    assert ada.post("/profile/delete", confirm=PASSWORD).status_code == 303
    assert b"# more" not in b"".join(path.read_bytes() for path in house.folder.glob("players/*/*.py"))
    assert Visitor(house.address).get(f"/matches/{match}").status_code == 200


@pytest.mark.walls
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1", "Mistaken.py: there is no function play"),
        (f"raise ValueError('{SCRIPT}')", "Mistaken.py:1: ValueError: &lt;script&gt;"),
        ("import os; os._exit(7)", "the process ended with code 7"),
        ("", "that is no Python file"),
        ("#" * (LARGEST_FILE + 1), "at most 200,000"),
    ],
)
def test_a_file_that_is_no_player_is_not_kept_but_what_was_typed_is(
    house: RunningSite, ada: Visitor, text: str, words: str
) -> None:
    response = upload(ada, name="Mistaken", text=text, about="keep these words")
    refused(response, words)
    page = response.text
    assert "keep these words" in page
    assert SCRIPT not in page
    assert ada.get("/players/Mistaken").status_code == 404
    assert "Mistaken.py" not in kept(house)


@pytest.mark.walls
def test_a_file_under_a_name_that_is_taken_is_not_kept(house: RunningSite, ada: Visitor) -> None:
    assert upload(ada, name="Once", text=GOOD).status_code == 303
    refused(upload(ada, name="ONCE", text=GOOD), "there is a player &#39;ONCE&#39; already")
    assert "Once.py" in kept(house)
    assert "ONCE.py" not in kept(house)
    assert upload(ada, "/players/Once/edit", GOOD.encode()).status_code == 303
    assert "Once.py" in kept(house)


@pytest.mark.parametrize("file", [b"\xff\xfe\x00", b"PK\x03\x04" + bytes(100), "x = 'ü'".encode("utf-16")])
def test_what_is_no_text_is_refused(ada: Visitor, file: bytes) -> None:
    refused(upload(ada, file=file, name="Binary"), "file")


def test_a_file_beyond_all_bounds_is_turned_away_at_the_door(ada: Visitor) -> None:
    with contextlib.suppress(OSError):
        assert upload(ada, file=b"#" * 400_000, name="Huge").status_code == 413


def test_guests_upload_nothing(house: RunningSite) -> None:
    guest = Visitor(house.address)
    assert guest.get("/players/upload").headers["location"] == "/signin?next=/players/upload"
    guest.get("/play")
    assert upload(guest, file=GOOD.encode(), name="Guest").status_code == 403
    assert upload(guest, "/players/x/edit", GOOD.encode()).status_code == 403


@pytest.mark.parametrize("token", ["", "0" * 64])
def test_a_form_of_another_site_uploads_nothing(ada: Visitor, token: str) -> None:
    ada.token = token
    assert upload(ada, file=GOOD.encode(), name="Forged").status_code == 403
    assert ada.get("/players/Forged").status_code == 404
