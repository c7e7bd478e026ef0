"""A match that has not begun -> who of its players answers a ping, in words."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gamemaster.errors import GamemasterError
from gamemaster.machine.game import Game
from gamemaster.match.judging import is_ready
from gamemaster.match.request import Failure, Reply, Request
from gamemaster.match.settings import PING_SECONDS
from gamemaster.match.transports.transport import Transport
from gamemaster.store.entries import Seat
from gamemaster.web.jobs import shelf_game

if TYPE_CHECKING:
    from gamemaster.web.live.table import LiveMatch

__all__ = ["ping_all"]


@dataclass(frozen=True)
class _Pinged:
    role: str
    is_ready: bool
    why: str


async def ping_all(match: LiveMatch) -> str:
    """How many are ready, and why the others are not."""
    game = await asyncio.to_thread(shelf_game, match.entry.game)
    found = await asyncio.gather(*(_asked(match, seat, game) for seat in match.entry.seats))
    ready = sum(each.is_ready for each in found)
    silent = "; ".join(f"{each.role}: {each.why}" for each in found if not each.is_ready)
    return f"{ready} of {len(found)} ready" + (f" ({silent})" if silent else "")


async def _asked(match: LiveMatch, seat: Seat, game: Game) -> _Pinged:
    if seat.kind in ("person", "socket"):
        return _Pinged(seat.role, match.has_come(seat), "nobody has come yet")
    return await _ping(
        match.line_to(seat), Request("ping", 1, match.id, seat.role, game.name, game, 0.0, 0.0)
    )


async def _ping(line: Transport, request: Request) -> _Pinged:
    answer: asyncio.Future[Reply | Failure] = asyncio.get_running_loop().create_future()

    def deliver(_: float, reply: Reply | Failure) -> None:
        if not answer.done():
            answer.set_result(reply)

    try:
        async with asyncio.timeout(PING_SECONDS):
            await line.open(deliver)
            line.send(request)
            reply = await answer
    except TimeoutError:
        return _Pinged(request.role, False, f"no answer within {PING_SECONDS:g} s")
    except GamemasterError as error:
        return _Pinged(request.role, False, str(error))
    finally:
        with contextlib.suppress(GamemasterError):
            await line.close()
    if isinstance(reply, Failure):
        return _Pinged(request.role, False, f"{reply.kind}, {reply.detail}"[:200])
    said = str(reply.value or reply.text)[:60]
    return _Pinged(request.role, is_ready(reply), f"says {said!r}")
