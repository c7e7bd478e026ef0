"""A machine so slow that nothing is compiled in time: `pytest -p tests.never_ready` shows which tests need it sooner.

Whoever waits for machine code with a clock never gets it; whoever waits however long it takes (`LONG`, or for ever)
does. A test that fails so depends on how fast the machine is.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from gamemaster.machine.compiled import CompiledGame
from gamemaster.search.native import warming
from tests.search.readiness import LONG

_warm_up, _make_ready = warming.warm_up, CompiledGame.make_ready
_were_warm: set[str] = set()


def _never_warm(seconds: float | None = None, kinds: Sequence[str] | None = None) -> bool:
    names = set(warming.KINDS if kinds is None else kinds)
    if seconds is None or seconds >= LONG:
        _were_warm.update(names)
        return _warm_up(seconds, kinds)
    return names <= _were_warm and _warm_up(seconds, kinds)


def _never_ready(game: CompiledGame, job: str, seconds: float) -> bool:
    jobs: set[str] = game.__dict__.setdefault("_were_ready", set())
    if seconds >= LONG - 60:
        jobs.add(job)
    if job not in jobs:
        time.sleep(max(0.0, seconds))
        return False
    return _make_ready(game, job, seconds)


warming.warm_up = _never_warm
CompiledGame.make_ready = _never_ready  # type: ignore[method-assign, assignment]
