"""The process that checks texts: a line of JSON in, a line of JSON out, until nobody is there any more.

Rules are untrusted and people have no time: whoever started it ends it, and a clock and a limit of memory do, too.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import sys
from dataclasses import asdict
from typing import Any, TextIO

from gamemaster.editing.diagnosing import diagnostics

__all__ = ["answer_of", "main"]

MEMORY = 6 * 2**30
"""Bytes that it may map; as much as the workers of the site."""


def answer_of(order: dict[str, Any]) -> list[dict[str, Any]]:
    """The diagnostics of an order, as plain values."""
    found = diagnostics(order["text"], order["notation"], play=order["play"])
    return [asdict(each) for each in found]


def main() -> None:
    """Answer orders; what checks print goes where errors go."""
    answers: TextIO = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    gc.freeze()  # what is imported stays: looking through it would take as long as a check
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for line in sys.stdin:
        order = json.loads(line)
        signal.alarm(max(1, round(order["seconds"]) + 1))
        print(json.dumps(answer_of(order)), file=answers, flush=True)
        signal.alarm(0)


if __name__ == "__main__":
    main()
