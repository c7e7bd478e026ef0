"""Work for a request -> ended when whoever asked has gone away: nobody waits behind thoughts that nobody wants."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import Request

from gamemaster.errors import Busy

__all__ = ["while_there"]

Product = TypeVar("Product")

LOOK_SECONDS = 0.25
"""How often to look whether somebody is still there."""


async def while_there(request: Request, work: Coroutine[Any, Any, Product]) -> Product:
    """What the work gives; Busy, which nobody hears, where the asker has gone."""
    task = asyncio.ensure_future(work)
    try:
        while not task.done():
            await asyncio.wait([task], timeout=LOOK_SECONDS)
            if not task.done() and await request.is_disconnected():
                raise Busy("whoever asked has gone")
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
