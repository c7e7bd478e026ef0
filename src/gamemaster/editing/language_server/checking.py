"""Documents that change -> diagnostics of each, a moment after the last change, and never of a version that is gone.

Texts are checked in another process: what somebody types may take for ever, and the editor waits for no one. A check
whose text has changed meanwhile is ended if it does not end soon, one that takes too long is ended anyway; the next one
has a new process.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from gamemaster.editing.diagnosing import Diagnostic
from gamemaster.editing.language_server.documents import Documents, OpenDocument
from gamemaster.language.source import Span

__all__ = ["Checking", "CheckingProcess", "Publish"]

Publish = Callable[[OpenDocument, Sequence[Diagnostic]], None]

CHILD = "gamemaster.editing.language_server.checking_child"
LONGEST_ANSWER = 2**26
PATIENCE = 0.5
"""Seconds that a check may go on after its text has changed: as long as a new process takes to begin."""


class CheckingProcess:
    """A process that checks one text after the other; it begins when it is first needed, and again after its end."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None

    async def ask(self, document: OpenDocument, play: float, seconds: float) -> list[Diagnostic] | None:
        """The diagnostics of a document; None where there are none after so many seconds."""
        process = await self._running()
        assert process.stdin
        assert process.stdout
        order = {"text": document.text, "notation": document.notation, "play": play, "seconds": seconds}
        try:
            async with asyncio.timeout(seconds):
                process.stdin.write(json.dumps(order).encode() + b"\n")
                await process.stdin.drain()
                answer = json.loads(await process.stdout.readline())
        except (TimeoutError, ConnectionError, ValueError):  # a process that dies leaves half a line, or none
            await self.end()
            return None
        except asyncio.CancelledError:
            await self.end()
            raise
        return [Diagnostic(**{**each, "span": Span(**each["span"])}) for each in answer]

    async def _running(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",  # nothing is imported from the folder that somebody has open
                "-m",
                CHILD,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=LONGEST_ANSWER,
                start_new_session=True,
            )
        return self._process

    async def end(self) -> None:
        """End it, and whatever it has started."""
        process, self._process = self._process, None
        if process:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if process.stdin:
                process.stdin.close()
            await process.wait()


@dataclass
class Checking:
    """Checks of one kind, one at a time: those while somebody types, or with `play` seconds of random games."""

    documents: Documents
    publish: Publish
    delay: float
    seconds: float
    play: float = 0.0
    patience: float = PATIENCE
    _due: dict[str, float] = field(default_factory=dict)
    """When each document is to be checked."""

    _process: CheckingProcess = field(default_factory=CheckingProcess)
    _wake: asyncio.Event = field(default_factory=asyncio.Event)
    _running: asyncio.Task[None] | None = None

    def want(self, uri: str) -> None:
        """Check a document a moment from now, or later if it is wanted again before."""
        loop = asyncio.get_running_loop()
        self._due[uri] = loop.time() + self.delay
        self._wake.set()
        if self._running is None:
            self._running = loop.create_task(self._run())

    def forget(self, uri: str) -> None:
        """Check a document no more; a check that runs is ended, unless it ends soon."""
        self._due.pop(uri, None)
        self._wake.set()

    async def close(self) -> None:
        """Check nothing any more."""
        if self._running:
            self._running.cancel()
            await asyncio.wait({self._running})

    async def _run(self) -> None:
        try:
            while True:
                await self._check(await self._next())
        finally:
            await self._process.end()

    async def _next(self) -> OpenDocument:
        """The document that is due first, when it is."""
        loop = asyncio.get_running_loop()
        while True:
            self._wake.clear()
            uri = min(self._due, key=self._due.__getitem__, default=None)
            left = self._due[uri] - loop.time() if uri is not None else None
            if uri is not None and left is not None and left <= 0:
                del self._due[uri]
                if document := self.documents.get(uri):
                    return document
            else:
                with suppress(TimeoutError):
                    async with asyncio.timeout(left):
                        await self._wake.wait()

    async def _check(self, document: OpenDocument) -> None:
        """Check a document, and publish what is found if it is still the same."""
        asked = asyncio.ensure_future(self._process.ask(document, self.play, self.seconds))
        try:
            while self._is_current(document) and not asked.done():
                self._wake.clear()
                woken = asyncio.ensure_future(self._wake.wait())
                await asyncio.wait({asked, woken}, return_when=asyncio.FIRST_COMPLETED)
                woken.cancel()
            await asyncio.wait({asked}, timeout=self.patience)
        finally:
            asked.cancel()
            await asyncio.wait({asked})
        if self._is_current(document) and not asked.cancelled():
            self.publish(document, self._found(asked.result()))

    def _is_current(self, document: OpenDocument) -> bool:
        return self.documents.get(document.uri) is document

    def _found(self, found: list[Diagnostic] | None) -> list[Diagnostic]:
        if found is not None:
            return found
        message = (
            f"checking took more than {self.seconds:g} seconds, or more memory than there is, and was ended"
        )
        return [
            Diagnostic(
                "limit",
                "warning",
                message,
                "let the rules ask for less, or see `gamemaster check`",
                Span(0, 0),
            )
        ]
