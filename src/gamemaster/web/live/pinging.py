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
from gamemaster.web.roster.specs import LineSpec

if TYPE_CHECKING:
    from gamemaster.web.live.table import LiveMatch

__all__ = ["Pinged", "answers_ready", "ping_all", "ping_line"]

ANY_GAME = "tictactoe"
"""A line has to know one, even for what is asked of no game."""


@dataclass(frozen=True)
class Pinged:
    """Whether a player is ready; if not, why."""

    role: str
    is_ready: bool
    why: str


async def ping_all(match: LiveMatch) -> str:
    """How many are ready, and why the others are not."""
    game = await asyncio.to_thread(shelf_game, match.entry.game)
    match.specs = await match.hall.roster.seated(match.entry)
    found = await asyncio.gather(*(_asked(match, seat, game) for seat in match.entry.seats))
    ready = sum(each.is_ready for each in found)
    silent = "; ".join(f"{each.role}: {each.why}" for each in found if not each.is_ready)
    return f"{ready} of {len(found)} ready" + (f" ({silent})" if silent else "")


async def _asked(match: LiveMatch, seat: Seat, game: Game) -> Pinged:
    if seat.kind in ("person", "socket"):
        return Pinged(seat.role, match.has_come(seat), "nobody has come yet")
    return await ping_line(
        match.line_to(seat), Request("ping", 1, match.id, seat.role, game.name, game, 0.0, 0.0)
    )


async def answers_ready(spec: LineSpec) -> bool:
    """Whether a player says that it is ready, asked outside of any match."""
    game = await asyncio.to_thread(shelf_game, ANY_GAME)
    role = game.roles[0]
    return (
        await ping_line(spec.line(None), Request("ping", 1, "ping", role, game.name, game, 0.0, 0.0))
    ).is_ready


async def ping_line(line: Transport, request: Request, seconds: float = PING_SECONDS) -> Pinged:
    """Whether the player at the end of a line is ready; the line is closed then."""
    answer: asyncio.Future[Reply | Failure] = asyncio.get_running_loop().create_future()

    def deliver(_: float, reply: Reply | Failure) -> None:
        if not answer.done():
            answer.set_result(reply)

    try:
        async with asyncio.timeout(seconds):
            await line.open(deliver)
            line.send(request)
            reply = await answer
    except TimeoutError:
        return Pinged(request.role, False, f"no answer within {seconds:g} s")
    except GamemasterError as error:
        return Pinged(request.role, False, str(error))
    finally:
        with contextlib.suppress(GamemasterError):
            await line.close()
    if isinstance(reply, Failure):
        return Pinged(request.role, False, f"{reply.kind}, {reply.detail}"[:200])
    said = str(reply.value or reply.text)[:60]
    return Pinged(request.role, is_ready(reply), f"says {said!r}")
