"""What a process for clingo does with any request: limits, values of symbols, builtins. See `clingo_process.py`.

It imports nothing of ours unless the program calls builtins, so that it starts quickly.
"""

from __future__ import annotations

import pickle
import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from clingo import Symbol

    from gamemaster.ground.asp import Callbacks

__all__ = [
    "ANSWER",
    "OUT_OF_TIME",
    "Answer",
    "Failure",
    "Most",
    "PlainValue",
    "PlainValues",
    "Request",
    "callbacks_for",
    "serve",
]

OUT_OF_TIME = 27
"""The signal that ends this process when it has had its seconds: SIGPROF, wherever there is one."""

ANSWER = b"answer\n"
"""What comes before an answer: clingo may have written something before."""

Request: TypeAlias = dict[str, Any]
"""What is asked: `megabytes`, `seconds` where they are limited, and what the module that answers wants."""

Answer: TypeAlias = dict[str, Any]

Most: TypeAlias = dict[str, tuple[int, str, str]]
"""How much there may be of what is counted: a number, and which limit that is and in words."""

PlainValue: TypeAlias = "str | tuple[PlainValue, ...]"
"""A value as plain data: a text, or functor and arguments."""

Failure: TypeAlias = tuple[str, ...]
"""What went wrong in a call from clingo: its kind, and in words."""


def serve(answer: Callable[[Request], Answer]) -> None:
    """Answer one request."""
    request: Request = pickle.load(sys.stdin.buffer)
    _limit_memory(request["megabytes"])
    if "seconds" in request:
        _limit_time(request["seconds"])
    answered = answer(request)
    sys.stdout.buffer.write(ANSWER)
    pickle.dump(answered, sys.stdout.buffer, protocol=pickle.HIGHEST_PROTOCOL)


class PlainValues(dict["Symbol", PlainValue]):
    """Symbols as plain data. Each is asked of clingo only once."""

    def __init__(self, functors: dict[str, tuple[str, int]]) -> None:
        super().__init__()
        self.functors = functors

    def __missing__(self, symbol: Symbol) -> PlainValue:
        value: PlainValue
        if symbol.type.name == "String":
            value = symbol.string
        else:
            value = (self.functors[symbol.name][0], *map(self.__getitem__, symbol.arguments))
        self[symbol] = value
        return value


def callbacks_for(
    text: str, functors: dict[str, tuple[str, int]], failures: list[Failure], most: Most | None = None
) -> Callbacks | None:
    """What evaluates builtins, where a program calls any."""
    if "@" not in text:
        return None
    from gamemaster.ground.asp import Callbacks

    return Callbacks(functors, failures, (most or {}).get("calls"))


def _limit_memory(megabytes: int) -> None:
    """Let this process have only so much memory, where the system can do that."""
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    size = megabytes * 1_000_000
    resource.setrlimit(resource.RLIMIT_AS, (size, size))


def _limit_time(seconds: float) -> None:
    """Let this process have only so many seconds of a processor, where the system can do that."""
    if hasattr(signal, "setitimer"):  # Windows has no such limits
        signal.setitimer(signal.ITIMER_PROF, seconds)
