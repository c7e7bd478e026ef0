"""A line to somebody's own player -> the same under its name: what goes wrong there does not tell where it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gamemaster.errors import NotIsolated
from gamemaster.match.request import Failure, Reply, Request
from gamemaster.match.transports.transport import Deliver, Transport

__all__ = ["Veiled"]


class Veiled(Transport):
    """Another line, under a name; of `veils` each text is told as another one."""

    def __init__(self, line: Transport, name: str, veils: Mapping[str, str]) -> None:
        self.line = line
        self.name = name
        self.answers_always = line.answers_always  # type: ignore[misc]  # of this line, not of all
        self._veils = dict(veils)

    async def open(self, deliver: Deliver) -> None:
        """Open the line."""

        def hand_on(when: float, reply: Reply | Failure) -> None:
            if isinstance(reply, Failure):
                reply = replace(reply, detail=self.veiled(reply.detail))
            deliver(when, reply)

        try:
            await self.line.open(hand_on)
        except NotIsolated as error:
            raise NotIsolated(self.veiled(str(error)), error.number) from None

    def veiled(self, text: str) -> str:
        """A text as others may read it."""
        for told, instead in self._veils.items():
            text = text.replace(told, instead)
        return text

    def send(self, request: Request) -> str:
        """Hand the request over."""
        return self.line.send(request)

    def give_up(self, number: int) -> None:
        """The clock has run out."""
        self.line.give_up(number)

    def cpu_seconds(self) -> float | None:
        """How long the player has computed, as far as the line knows."""
        return self.line.cpu_seconds()

    async def close(self) -> None:
        """Close the line."""
        await self.line.close()
