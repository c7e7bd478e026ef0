"""While players run in this process none can end it without a word: `os._exit` and `exec` raise an error instead.

Either would end the match in the middle, with whatever status the player likes. Whatever else ends a process (a signal,
a crash of machine code) leaves a status that says so, and the record up to there. Who wants to be sure has processes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType

from gamemaster.errors import PlayerError

__all__ = ["staying"]

ENDINGS = ("_exit", "execv", "execve")
"""The functions of the system that end a process at once, or make another one of it."""


@contextmanager
def staying() -> Iterator[None]:
    """Nobody in this process can end it; processes that are forked from it can end."""
    places = [(module, name) for module in _modules() for name in ENDINGS if hasattr(module, name)]
    before = [getattr(module, name) for module, name in places]
    try:
        for (module, name), ending in zip(places, before, strict=True):
            setattr(module, name, _refusing(name, ending, os.getpid()))
        yield
    finally:
        for (module, name), ending in zip(places, before, strict=True):
            setattr(module, name, ending)


def _modules() -> list[ModuleType]:
    """Where the functions are: `os` has them from the module of the system."""
    return [os, *(sys.modules[name] for name in ("posix", "nt") if name in sys.modules)]


def _refusing(name: str, ending: Callable[..., object], pid: int) -> Callable[..., object]:
    def refuse(*arguments: object) -> object:
        if os.getpid() != pid:
            return ending(*arguments)
        raise PlayerError(
            f"os.{name} was called, which would end the manager; with --isolate it ends the player"
        )

    return refuse
