"""Who can be chosen, by whom, and what others get to know of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from gamemaster.errors import Forbidden, ParameterError, UnknownPlayer
from gamemaster.match.request import Failure, Reply, Request
from gamemaster.match.transports.transport import Deliver, Transport
from gamemaster.store.accounts import Account
from gamemaster.web.live.setup import kind_of_seat
from gamemaster.web.roster.files import LARGEST_FILE, PlayerFiles
from gamemaster.web.roster.roster import Roster
from gamemaster.web.roster.veiled import Veiled
from gamemaster.web.settings import settings_for
from gamemaster.web.site import Site

AT = "http://127.0.0.1:9147"
FIRST = b"def play(move):\n    return None\n"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(settings_for(str(tmp_path)))
    yield site
    site.store.close()


@pytest.fixture
def ada(site: Site) -> Account:
    return site.store.accounts.add("Ada", "hash")


def spec_of(roster: Roster, name: str, account: Account | None = None) -> tuple[str, str, str, bool]:
    spec = asyncio.run(roster.line_spec(name, account))
    return spec.name, spec.kind, spec.player, spec.takes_room


@pytest.mark.parametrize(
    ("player", "kind"),
    [
        ("person", "person"),
        ("websocket", "socket"),
        (AT, "address"),
        ("mcts", "library"),
        ("mcts(exploration=0.3)", "library"),
        ("Deep-Six", "own"),
        ("MCTS", "own"),
        ("mcts.0f3a", "launched"),
        ("../../etc/passwd", "library"),
        ("x.py", "library"),
        ("", "library"),
    ],
)
def test_what_is_typed_for_a_seat_is_of_one_kind(player: str, kind: str) -> None:
    assert kind_of_seat(player) == kind


def test_a_name_is_resolved_to_what_plays(site: Site, ada: Account) -> None:
    site.store.own_players.add(ada.id, "Deep", address=AT, visibility="public")
    assert spec_of(site.players, "mcts(exploration=0.3)") == (
        *("mcts(exploration=0.3)", "library", "mcts(exploration=0.3)"),
        True,
    )
    assert spec_of(site.players, AT) == (AT, "address", AT, False)
    assert spec_of(site.players, "DEEP") == ("Deep", "own", AT, False)
    key = site.players.files.keep("Filed", FIRST)
    site.store.own_players.add(ada.id, "Filed", file=key, visibility="public")
    name, kind, player, takes_room = spec_of(site.players, "filed")
    assert (name, kind, takes_room) == ("Filed", "own", True)
    assert Path(player).read_bytes() == FIRST


@pytest.mark.parametrize(
    "name", ["nobody", "../../etc/passwd", "/tmp/x.py", "mcts.ffff", "", "mcts(", "Dеep"]
)
def test_nobody_else_is_found(site: Site, name: str) -> None:
    with pytest.raises(UnknownPlayer):
        asyncio.run(site.players.line_spec(name, None))


def test_a_private_player_is_as_if_it_were_not_there(site: Site, ada: Account) -> None:
    bob = site.store.accounts.add("Bob", "hash")
    site.store.own_players.add(ada.id, "Deep", address=AT)
    assert spec_of(site.players, "Deep", ada)[1] == "own"
    told = set()
    for name in ("Deep", "Nope"):
        for account in (None, bob):
            with pytest.raises(UnknownPlayer) as caught:
                asyncio.run(site.players.line_spec(name, account))
            told.add(str(caught.value).replace(name, "NAME"))
            with pytest.raises(UnknownPlayer):
                asyncio.run(site.players.own(name, account))
    assert len(told) == 1


def test_those_who_are_public_are_available(site: Site, ada: Account) -> None:
    for name, visibility in (("Ay", "private"), ("Bee", "link"), ("Cee", "public")):
        site.store.own_players.add(ada.id, name, address=AT, visibility=visibility)  # type: ignore[arg-type]
    assert asyncio.run(site.players.available()) == ["Cee"]
    assert [each.name for each in asyncio.run(site.players.of(ada))] == ["Ay", "Bee", "Cee"]
    assert asyncio.run(site.players.of(None)) == []


def test_an_address_that_is_not_allowed_any_more_is_not_asked(site: Site, ada: Account) -> None:
    site.store.own_players.add(ada.id, "Far", address="http://10.0.0.7:80", visibility="public")
    with pytest.raises(Forbidden, match="players are asked on this machine only"):
        asyncio.run(site.players.line_spec("Far", ada))


def test_a_file_that_is_gone_is_told(site: Site, ada: Account) -> None:
    for key in ("0" * 20, "../../secret"):
        site.store.own_players.add(ada.id, f"Gone{key[0] == '0'}", file=key, visibility="public")
        with pytest.raises(UnknownPlayer, match=r"the file of Gone.* is gone; upload it again"):
            asyncio.run(site.players.line_spec(f"Gone{key[0] == '0'}", ada))


def test_files_are_kept_until_nobody_has_them(tmp_path: Path) -> None:
    files = PlayerFiles(tmp_path)
    files.sweep(())
    one, other = files.keep("Deep", FIRST), files.keep("Deep", FIRST + b"\n# more")
    assert one != other
    assert files.keep("Deep", FIRST) == one
    assert files.keep("Other", FIRST) != one
    files.sweep({one})  # the others have just come: their rows may not be written yet
    assert files.path(other, "Deep").read_bytes().endswith(b"# more")
    files.sweep({one}, seconds=-5)
    assert files.path(one, "Deep").is_file()
    assert [path.name for path in files.folder.iterdir()] == [one]
    assert files.folder.stat().st_mode & 0o66 == 0
    files.sweep((), seconds=-5)  # a database that knows no file at all is more likely another one
    assert files.path(one, "Deep").is_file()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"#" * (LARGEST_FILE + 1), "at most 200,000"),
        (b"", "no Python file"),
        (b"x = 1\0", "no Python file"),
        (b"\xff\xfe", "no text in UTF-8"),
    ],
)
def test_what_is_no_file_of_a_player_is_not_kept(tmp_path: Path, text: bytes, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        PlayerFiles(tmp_path).keep("Deep", text)
    assert list(tmp_path.iterdir()) == []


class Failing(Transport):
    """A line on which everything fails, and says where it leads."""

    name = AT

    def __init__(self) -> None:
        self.calls: list[str] = []

    async def open(self, deliver: Deliver) -> None:
        self.deliver = deliver

    def send(self, request: Request) -> str:
        self.deliver(0.0, Failure(1, "unreachable", "127.0.0.1:9147: Connection refused"))
        self.deliver(0.0, Reply(2, "ready"))
        return "sent"

    def give_up(self, number: int) -> None:
        self.calls.append(f"give up {number}")

    def cpu_seconds(self) -> float | None:
        return 1.5

    async def close(self) -> None:
        self.calls.append("close")


def test_a_line_to_somebodys_player_does_not_tell_where_it_is(site: Site, ada: Account) -> None:
    heard: list[Reply | Failure] = []
    line = Veiled(Failing(), "Deep", {"127.0.0.1:9147": "Deep"})

    async def talk() -> None:
        await line.open(lambda _, reply: heard.append(reply))
        assert line.send(None) == "sent"  # type: ignore[arg-type]
        line.give_up(7)
        await line.close()

    asyncio.run(talk())
    assert line.name == "Deep"
    assert line.cpu_seconds() == 1.5
    assert heard == [Failure(1, "unreachable", "Deep: Connection refused"), Reply(2, "ready")]
    assert isinstance(line.line, Failing)
    assert line.line.calls == ["give up 7", "close"]
    site.store.own_players.add(ada.id, "Deep", address=AT, visibility="public")
    made = asyncio.run(site.players.line_spec("Deep", None)).line(1)
    assert made.name == "Deep"
    assert made.answers_always
