"""A launched player: how it comes, is lent to matches, and goes, whoever does what in between."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from gamemaster.errors import Busy, Forbidden, NotIsolated, TooMuch, UnknownPlayer
from gamemaster.language.rules import Rules
from gamemaster.match.request import Failure, Kind, Reply, Request
from gamemaster.match.transports.transport import Deliver, Transport
from gamemaster.store.players import OwnPlayers
from gamemaster.web.live.feeds import Reader
from gamemaster.web.live.room import Room
from gamemaster.web.roster import launched as module
from gamemaster.web.roster.launched import Launched, Stay
from gamemaster.web.roster.launches import MOST_EACH, Launches
from gamemaster.web.roster.roster import Roster
from gamemaster.web.roster.specs import LineSpec
from gamemaster.web.settings import SiteSettings

SCRIPT = "<script>alert(1)</script>"
QUICK = Stay(look=0.01)


class Puppet(Transport):
    """A line to a player that says what the test wants."""

    name = "puppet"

    def __init__(self, answers: Callable[[Request], object] = lambda request: "ready") -> None:
        self.answers = answers
        self.asked: list[Request] = []
        self.calls: list[str] = []
        self.error: Exception | None = None

    async def open(self, deliver: Deliver) -> None:
        self.deliver = deliver
        if self.error is not None:
            raise self.error

    def send(self, request: Request) -> str:
        self.asked.append(request)
        answer = self.answers(request)
        if isinstance(answer, Failure):
            self.say(answer)
        elif answer is not ...:
            self.say(Reply(request.number, answer))
        return str(request)

    def say(self, reply: Reply | Failure) -> None:
        asyncio.get_running_loop().call_soon(self.deliver, time.monotonic(), reply)

    def give_up(self, number: int) -> None:
        self.calls.append(f"give up {number}")

    async def close(self) -> None:
        self.calls.append("close")


def spec_of(line: Transport) -> LineSpec:
    return LineSpec("puppet", "library", "puppet", True, lambda _: line)


def request(kind: Kind, number: int = 1) -> Request:
    return Request(kind, number, "m", "x", "tictactoe", Rules((), "hrf"), 1.0, 1.0)


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.001)


def played(scene: Callable[[Launched, Puppet], Coroutine[Any, Any, None]], **settings: Any) -> Launched:
    """A launched player after a scene with it."""

    async def play() -> Launched:
        puppet = settings.pop("puppet", None) or Puppet()
        launched = Launched(spec_of(puppet), "puppet", "visitor", stay=settings.pop("stay", QUICK))
        launched.begin(settings.pop("room", None) or Room(4), "asker")
        try:
            await scene(launched, puppet)
        finally:
            launched.end("the test is over")
            await launched.wait()
        assert launched.status == "gone"
        assert not launched.is_connected
        return launched

    return asyncio.run(play())


def test_it_is_pinged_and_then_ready() -> None:
    async def scene(launched: Launched, puppet: Puppet) -> None:
        assert launched.status == "starting"
        with pytest.raises(Forbidden, match=r"puppet\.\w{4} cannot be connected: it is being started"):
            launched.connect()
        await until(lambda: launched.status == "ready")
        assert [each.kind for each in puppet.asked] == ["ping"]

    launched = played(scene)
    said = launched.feed.html_of("said")
    assert f"message(1,site,{launched.identifier},ping())" in said
    assert f"message(1,{launched.identifier},site,ready)" in said
    assert launched.words == "it has ended: the test is over"


def test_a_match_borrows_it_while_it_is_connected() -> None:
    heard: list[Reply | Failure] = []

    async def scene(launched: Launched, puppet: Puppet) -> None:
        await until(lambda: launched.status == "ready")
        refused = launched.line()
        await refused.open(lambda _, reply: heard.append(reply))
        refused.send(request("start"))
        await until(lambda: bool(heard))
        assert heard == [Failure(1, "crashed", f"{launched.identifier} is not here")]
        heard.clear()
        launched.connect()
        line = launched.line()
        assert line.name == launched.identifier
        await line.open(lambda _, reply: heard.append(reply))
        assert launched.is_borrowed
        line.send(request("start", 7))
        await until(lambda: bool(heard))
        assert heard == [Reply(7, "ready")]
        assert puppet.asked[-1].number == 2
        await line.close()
        assert not launched.is_borrowed
        assert launched.is_connected

    played(scene)


def test_another_match_is_told_that_it_is_busy() -> None:
    heard: list[Reply | Failure] = []

    async def scene(launched: Launched, puppet: Puppet) -> None:
        await until(lambda: launched.status == "ready")
        launched.connect()
        first, second = launched.line(), launched.line()
        await first.open(lambda *_: None)
        await second.open(lambda _, reply: heard.append(reply))
        for kind in ("ping", "start", "play"):
            second.send(request(kind))
        await until(lambda: len(heard) == 3)
        assert heard[:2] == [Reply(1, "busy", "busy")] * 2
        assert isinstance(heard[2], Failure)
        await second.close()
        assert launched.status == "playing"
        second.give_up(1)
        assert puppet.calls == []

    played(scene)


def test_who_disconnects_takes_it_from_its_match() -> None:
    heard: list[Reply | Failure] = []

    async def scene(launched: Launched, puppet: Puppet) -> None:
        await until(lambda: launched.status == "ready")
        launched.connect()
        line = launched.line()
        await line.open(lambda _, reply: heard.append(reply))
        launched.disconnect()
        assert launched.status == "ready"
        why = f"{launched.identifier} was disconnected"
        assert heard == [Failure(None, "crashed", why)]
        line.send(request("play", 3))
        await until(lambda: len(heard) == 2)
        assert heard[1] == Failure(3, "crashed", why)
        line.give_up(3)
        assert [each.kind for each in puppet.asked] == ["ping"]

    played(scene)


def test_what_it_says_too_late_is_not_told_to_the_next_match() -> None:
    heard: list[Reply | Failure] = []

    async def scene(launched: Launched, puppet: Puppet) -> None:
        await until(lambda: launched.status == "ready")
        launched.connect()
        puppet.answers = lambda request: ...
        first = launched.line()
        await first.open(lambda *_: None)
        first.send(request("play", 1))
        await first.close()
        assert launched.status == "busy"
        second = launched.line()
        await second.open(lambda _, reply: heard.append(reply))
        second.send(request("play", 1))
        puppet.say(Reply(2, "late"))
        puppet.say(Reply(3, "in time"))
        puppet.say(Reply(99, "to nothing"))
        await until(lambda: bool(heard))
        assert heard == [Reply(1, "in time")]

    played(scene)


def test_one_that_is_silent_for_two_clocks_is_ended() -> None:
    async def scene(launched: Launched, puppet: Puppet) -> None:
        await until(lambda: launched.status == "ready")
        launched.connect()
        puppet.answers = lambda request: ...
        line = launched.line()
        await line.open(lambda *_: None)
        for number in (1, 2):
            line.send(request("play", number))
            line.give_up(number)
        line.give_up(5)
        await launched.wait()
        assert puppet.calls == ["give up 2", "give up 3", "close"]
        assert launched.words == "it has ended: 2 clocks ran out without a reply"

    played(scene)


def test_one_that_ends_by_itself_is_gone_and_its_match_hears_of_it() -> None:
    heard: list[Reply | Failure] = []

    async def scene(launched: Launched, puppet: Puppet) -> None:
        await until(lambda: launched.status == "ready")
        launched.connect()
        line = launched.line()
        await line.open(lambda _, reply: heard.append(reply))
        puppet.say(Failure(None, "malformed", SCRIPT))
        puppet.say(Failure(None, "crashed", "the process ended with code 3"))
        await launched.wait()
        assert [each.kind for each in heard if isinstance(each, Failure)] == [
            "malformed",
            "crashed",
            "crashed",
        ]
        assert launched.words == "it has ended: the process ended with code 3"
        with pytest.raises(Forbidden, match="cannot be connected"):
            launched.connect()

    launched = played(scene)
    assert SCRIPT not in launched.feed.html_of("said")
    assert "&lt;script&gt;" in launched.feed.html_of("said")


@pytest.mark.parametrize(
    ("answer", "words"),
    [(Failure(1, "crashed", "ValueError: no"), "ValueError: no"), (..., "no answer within")],
)
def test_one_that_does_not_answer_does_not_stay(answer: object, words: str) -> None:
    async def scene(launched: Launched, puppet: Puppet) -> None:
        await launched.wait()
        assert words in launched.words

    played(scene, puppet=Puppet(lambda _: answer), stay=Stay(starting=0.05, look=0.01))


@pytest.mark.parametrize(
    ("error", "words"),
    [(NotIsolated("no walls here"), "no walls here"), (OSError("boom"), "something went wrong; it is noted")],
)
def test_one_that_cannot_be_started_says_why(error: Exception, words: str) -> None:
    puppet = Puppet()
    puppet.error = error

    async def scene(launched: Launched, puppet: Puppet) -> None:
        await launched.wait()
        assert launched.words == f"it has ended: {words}"
        assert puppet.calls == ["close"]

    played(scene, puppet=puppet)


def test_it_waits_for_room_and_can_be_ended_meanwhile() -> None:
    async def scene(launched: Launched, puppet: Puppet) -> None:
        await until(lambda: "waits for room" in launched.words)
        assert launched.status == "starting"
        launched.end("you ended it")
        await launched.wait()
        assert puppet.asked == []

    async def full() -> None:
        room = Room(1)
        async with room.places(1, lambda _: None, "other"):
            launched = Launched(spec_of(Puppet()), "puppet", "visitor", stay=QUICK)
            launched.begin(room, "asker")
            await scene(launched, Puppet())
            assert launched.words == "it has ended: you ended it"
            assert room.taken == 1

    asyncio.run(full())


def test_it_goes_with_whoever_looked_at_it() -> None:
    async def scene(launched: Launched, puppet: Puppet) -> None:
        await until(lambda: launched.status == "ready")
        reader = Reader()
        launched.feed.join(reader, 0)
        launched.connect()
        line = launched.line()
        await line.open(lambda *_: None)
        launched.feed.readers.discard(reader)
        await asyncio.sleep(0.1)
        assert launched.status == "playing"  # nobody looks, but a match has it
        await line.close()
        await launched.wait()
        assert launched.words == "it has ended: nobody was at its page any more"

    played(scene, stay=Stay(leaving=0.02, look=0.005))


def test_it_goes_where_nobody_ever_looks_or_after_a_while() -> None:
    async def scene(launched: Launched, puppet: Puppet) -> None:
        await launched.wait()
        assert "nobody was at its page" in launched.words

    played(scene, stay=Stay(unwatched=0.02, look=0.005))

    async def long(launched: Launched, puppet: Puppet) -> None:
        launched.feed.join(Reader(), 0)
        await launched.wait()
        assert "it was here long enough" in launched.words

    played(long, stay=Stay(longest=0.02, look=0.005))


def test_its_transcript_is_cleared_and_never_grows_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_SAID", 10)
    monkeypatch.setattr(module, "LEFT_SAID", 4)

    async def scene(launched: Launched, puppet: Puppet) -> None:
        await until(lambda: launched.status == "ready")
        for number in range(50):
            puppet.say(Failure(None, "malformed", f"noise {number} {'x' * 1000}"))
        await until(lambda: "noise 49" in launched.feed.html_of("said"))
        assert len(launched.feed.items) <= 10
        assert "x" * 500 not in launched.feed.html_of("said")
        reader = Reader()
        launched.feed.join(reader, 0)
        launched.clear()
        assert launched.feed.html_of("said") == ""
        assert reader.queue.qsize() == 2

    played(scene)


# All of them


@pytest.fixture
def launches(tmp_path: Any) -> Launches:
    roster = Roster(SiteSettings(tmp_path, ""), OwnPlayers.__new__(OwnPlayers))
    return Launches(roster, Room(8), QUICK)


def test_a_visitor_launches_two_and_an_address_has_its_part(launches: Launches) -> None:
    async def scene() -> None:
        one = launches.launch(spec_of(Puppet()), "puppet", "ada", "here")
        two = launches.launch(spec_of(Puppet()), "puppet", "ada", "here")
        assert one.identifier != two.identifier
        with pytest.raises(TooMuch, match=f"you have launched {MOST_EACH} players; end one of them first"):
            launches.launch(spec_of(Puppet()), "puppet", "ada", "here")
        with pytest.raises(Busy, match="2 players are launched on this site"):
            launches.launch(spec_of(Puppet()), "puppet", "another cookie", "here")
        for visitor in ("bob", "eve"):
            launches.launch(spec_of(Puppet()), "puppet", visitor, visitor)
        with pytest.raises(Busy, match="4 players are launched on this site"):
            launches.launch(spec_of(Puppet()), "puppet", "mal", "mal")
        one.end("you ended it")
        await one.wait()
        launches.launch(spec_of(Puppet()), "puppet", "ada", "here")
        await launches.close()
        assert launches.room.taken == 0

    asyncio.run(scene())


def test_only_whoever_launched_one_has_it(launches: Launches, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        made = launches.launch(spec_of(Puppet()), "puppet", "ada", "here")
        assert launches.found(made.identifier, "ada") is made
        assert launches.of("ada", "puppet") is made
        assert launches.of("ada", "other") is None
        for identifier, visitor in ((made.identifier, "bob"), (made.identifier, ""), ("puppet.ffff", "ada")):
            with pytest.raises(UnknownPlayer, match="you have launched no player"):
                launches.found(identifier, visitor)
        await until(lambda: made.status == "ready")
        launches.connect(made)
        spec = await launches.roster.line_spec(made.identifier, None)
        assert (spec.kind, spec.player, spec.takes_room) == ("launched", "puppet", False)
        assert spec.line(1).name == made.identifier
        assert list(launches.roster.connected) == [made.identifier]
        made.disconnect()
        with pytest.raises(UnknownPlayer, match="is not connected any more; choose another player"):
            await launches.roster.line_spec(made.identifier, None)
        launches.connect(made)
        await launches.end_all("other", "it was removed")
        assert made.status == "ready"
        await launches.end_all("puppet", "it was removed")
        assert launches.roster.connected == {}
        monkeypatch.setattr("gamemaster.web.roster.launches.REMEMBERED_SECONDS", -1.0)
        launches.launch(spec_of(Puppet()), "puppet", "bob", "there")
        assert launches.of("ada", "puppet") is None
        await launches.close()

    asyncio.run(scene())
