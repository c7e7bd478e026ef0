"""When texts are checked: after the last change, in a process that can be ended, never for a version that is gone."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gamemaster.editing import Diagnostic
from gamemaster.editing.language_server.checking import Checking, CheckingProcess
from gamemaster.editing.language_server.checking_child import answer_of
from gamemaster.editing.language_server.documents import Documents, OpenDocument
from gamemaster.language.source import Span
from tests.editing.sheets import HRF

NOTE = Diagnostic("unused", "warning", "message", "hint", Span(0, 1))
PATIENCE = 60.0


@dataclass
class SlowProcess(CheckingProcess):
    """A process whose answers come when a test lets them."""

    asked: list[str] = field(default_factory=list)
    answers: asyncio.Queue[list[Diagnostic] | None] = field(default_factory=asyncio.Queue)
    ended: int = 0

    async def ask(self, document: OpenDocument, play: float, seconds: float) -> list[Diagnostic] | None:
        self.asked.append(document.text)
        try:
            return await self.answers.get()
        except asyncio.CancelledError:
            self.ended += 1
            raise

    async def end(self) -> None:
        return


@dataclass
class Desk:
    """Documents under check, and what was told of them."""

    told: list[tuple[int, Sequence[Diagnostic]]] = field(default_factory=list)
    documents: Documents = field(default_factory=Documents)
    process: SlowProcess = field(default_factory=SlowProcess)
    checking: Checking = field(init=False)

    def __post_init__(self) -> None:
        self.checking = Checking(
            self.documents, self._publish, delay=0.01, seconds=5.0, patience=0.01, _process=self.process
        )

    def _publish(self, document: OpenDocument, found: Sequence[Diagnostic]) -> None:
        self.told.append((document.version, found))

    def write(self, version: int, text: str = "p(a)") -> None:
        self.documents.open("x", version, text)
        self.checking.want("x")


async def until(condition: Any) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.001)


def test_many_changes_are_one_check_of_the_last() -> None:
    async def run() -> None:
        desk = Desk()
        for version in range(50):
            desk.write(version, f"p({version})")
        await until(lambda: desk.process.asked)
        desk.process.answers.put_nowait([NOTE])
        await until(lambda: desk.told)
        await desk.checking.close()
        assert desk.process.asked == ["p(49)"]
        assert desk.told == [(49, [NOTE])]

    asyncio.run(run())


def test_what_is_found_of_a_version_that_is_gone_is_dropped_and_its_check_ended() -> None:
    async def run() -> None:
        desk = Desk()
        desk.write(1, "p(1)")
        await until(lambda: desk.process.asked == ["p(1)"])
        desk.write(2, "p(2)")
        await until(lambda: desk.process.asked == ["p(1)", "p(2)"])
        assert desk.process.ended == 1
        desk.process.answers.put_nowait([])
        await until(lambda: desk.told)
        await desk.checking.close()
        assert desk.told == [(2, [])]

    asyncio.run(run())


def test_a_text_that_is_closed_is_not_told_of() -> None:
    async def run() -> None:
        desk = Desk()
        desk.write(1)
        await until(lambda: desk.process.asked)
        desk.documents.close("x")
        desk.checking.forget("x")
        await until(lambda: desk.process.ended)
        desk.checking.want("x")
        await asyncio.sleep(0.03)
        await desk.checking.close()
        assert desk.told == []

    asyncio.run(run())


def test_a_check_that_was_ended_is_told() -> None:
    async def run() -> None:
        desk = Desk()
        desk.write(1)
        desk.process.answers.put_nowait(None)
        await until(lambda: desk.told)
        await desk.checking.close()
        ((version, (found,)),) = desk.told
        assert version == 1
        assert found.code == "limit"
        assert "more than 5 seconds" in found.message

    asyncio.run(run())


def test_a_process_that_takes_too_long_is_ended_and_another_one_begins() -> None:
    async def run() -> None:
        documents, process = Documents(), CheckingProcess()
        documents.open("x.hrf", 1, HRF + "unused(a)\n")
        document = documents.get("x.hrf")
        assert document
        assert await process.ask(document, 0.0, 0.0) is None
        found = await process.ask(document, 0.0, PATIENCE)
        assert found is not None
        assert [each.code for each in found] == ["unused"]
        await process.end()
        await process.end()

    asyncio.run(run())


def test_an_order_is_answered_with_plain_values() -> None:
    (found,) = answer_of({"text": "p(", "notation": "hrf", "play": 0.0})
    assert found["span"] == {"start": 1, "end": 2}
    assert found["code"] == "syntax"
