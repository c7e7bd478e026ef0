"""What runs work elsewhere, whatever it is: matches today. Nothing of it schedules machines.

A function of a module and a value that can be pickled go in; a future comes out. A worker that dies is replaced; what
it was at is a `WorkerDied` of that future, and whoever asked decides whether to try again.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol, TypeVar

__all__ = ["WorkerDied", "Workforce"]

Given = TypeVar("Given")
Product = TypeVar("Product")


class WorkerDied(Exception):
    """The process that was at something has ended; caught by whoever runs the work."""


class Workforce(Protocol):
    """Those who do work. `places` is how much of it they do at once."""

    @property
    def places(self) -> int:
        """How many pieces of work are done at once; more may be submitted, and wait."""
        ...

    def submit(self, call: Callable[[Given], Product], value: Given) -> Future[Product]:
        """Have a function called with a value somewhere; WorkersLost where nobody is left to do it."""
        ...

    def close(self) -> None:
        """Leave nothing of them; what has not been done is not done."""
        ...
