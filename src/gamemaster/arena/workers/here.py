"""Work done in this process, one piece after the other, when it is submitted."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

__all__ = ["Here"]

Given = TypeVar("Given")
Product = TypeVar("Product")


class Here:
    """Workers that are this process."""

    places = 1

    def submit(self, call: Callable[[Given], Product], value: Given) -> Future[Product]:
        """Call the function now."""
        future: Future[Product] = Future()
        try:
            future.set_result(call(value))
        except Exception as error:  # it is the caller's, as it would be from anywhere else
            future.set_exception(error)
        return future

    def close(self) -> None:
        """There is nothing to leave."""
