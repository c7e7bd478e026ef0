"""Rules -> Preparation: the first step to the compiled machine, begun before anything heavy is imported.

If the game was made before, its bytes are read from the disk; else its grounding starts in another process, and goes
on while this one imports numpy and LLVM. That a game costs too much is kept too, so that nobody waits for it twice.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from gamemaster.codegen.cache import Cache, key_of, pack, unpack
from gamemaster.errors import LimitExceeded
from gamemaster.ground.budget import Limits
from gamemaster.ground.clingo_grounder import Grounding, GroundLimits
from gamemaster.ground.split import split
from gamemaster.language.lower import lower
from gamemaster.language.notation import show
from gamemaster.language.rules import Rules
from gamemaster.machine.game import MAX_LENGTH

__all__ = ["BUILDER", "Preparation", "prepare", "remember_failure"]

FIRST_MEGABYTES = 500
"""What the process that grounds takes before it has a rule, clingo among it."""

BYTES_OF_A_RULE = 400

BUILDER = 18
"""Counts up when what is made from the same rules changes: part of the key in the cache."""

BELIEVED_SECONDS = 24 * 60 * 60.0
"""How long a failure is believed: a machine that was busy then may be quick enough now."""


@dataclass(frozen=True)
class Preparation:
    """What is known of a game before it is built: its key, and its bytes on disk or its grounding under way."""

    key: str
    failure_key: str
    everybody_moves: bool
    kept: bytes | None
    grounding: Grounding | None
    limits: Limits | None = None


def prepare(sheet: Rules, limits: Limits | None = None, *, tries_again: bool = False) -> Preparation:
    """Begin to make the compiled game of a rulesheet.

    LimitExceeded at once where that has failed lately under the same limits, unless it is to be tried again.
    """
    core = lower(sheet, in_order=False)
    everybody_moves = sheet.notation != "epilog"
    key = key_of("artifact", BUILDER, show(core, "hrf"), everybody_moves, MAX_LENGTH)
    # the places in an error are those of one text, also where another has the same rules
    failure_key = key_of("failure", key, limits, sheet.source.name, sheet.source.text)
    kept = Cache().read(key)
    if kept is None and not tries_again:
        _check_failure(failure_key)
    grounding = None if kept else Grounding(split(core), _ground_limits(limits))
    return Preparation(key, failure_key, everybody_moves, kept, grounding, limits)


def remember_failure(preparation: Preparation, error: LimitExceeded) -> None:
    """Keep that a game costs too much, for whoever wants it next."""
    description = {"what": error.what, "allowed": error.allowed, "doing": error.doing, "at": time.time()}
    Cache().write(preparation.failure_key, pack(description, []))


def _check_failure(key: str) -> None:
    """LimitExceeded where a failure is kept that is not old."""
    content = Cache().read(key)
    if content is None:
        return
    failure, _ = unpack(content)
    if 0 <= time.time() - failure["at"] < BELIEVED_SECONDS:
        raise LimitExceeded(failure["what"], failure["allowed"], doing=failure["doing"])


def _ground_limits(limits: Limits | None) -> GroundLimits | None:
    """What grounding may cost; without limits, what it usually may."""
    if limits is None:
        return None
    megabytes = FIRST_MEGABYTES + limits.rows * BYTES_OF_A_RULE // 1_000_000
    return GroundLimits(limits.seconds, megabytes, limits.rows, patience=1)
