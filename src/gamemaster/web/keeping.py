"""What takes long to make -> made once for all who ask at the same time, and kept for those who ask later."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

__all__ = ["Kept"]

Product = TypeVar("Product")


class Kept(Generic[Product]):
    """Products by key, the last so many that were asked for."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._kept: OrderedDict[Hashable, Product] = OrderedDict()
        self._making: dict[Hashable, asyncio.Task[Product]] = {}

    def known(self, key: Hashable) -> Product | None:
        """What is kept under a key."""
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    async def get(self, key: Hashable, make: Callable[[], Awaitable[Product]]) -> Product:
        """What is kept under a key, or made now. An error goes to all who wait for it, and is not kept."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        if key not in self._making:
            task = self._making[key] = asyncio.ensure_future(self._made(key, make))
            task.add_done_callback(lambda done: self._forget(key, done))
        return await asyncio.shield(self._making[key])  # who goes away does not take it from the others

    async def _made(self, key: Hashable, make: Callable[[], Awaitable[Product]]) -> Product:
        product = self._kept[key] = await make()
        while len(self._kept) > self.most:
            self._kept.popitem(last=False)
        return product

    def _forget(self, key: Hashable, done: asyncio.Task[Product]) -> None:
        del self._making[key]
        if not done.cancelled():
            done.exception()  # somebody was told, or nobody is there any more
