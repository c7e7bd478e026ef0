"""Rules -> Preparation: the first step to the compiled machine, begun before anything heavy is imported.

If the game was made before, its bytes are read from the disk; else its grounding starts in another process, and goes
on while this one imports numpy and LLVM.
"""

from __future__ import annotations

from dataclasses import dataclass

from gamemaster.codegen.cache import Cache, key_of
from gamemaster.ground.budget import Limits
from gamemaster.ground.clingo_grounder import Grounding, GroundLimits
from gamemaster.ground.split import split
from gamemaster.language.dialect import show
from gamemaster.language.lower import lower
from gamemaster.language.rules import Rules
from gamemaster.machine.game import MAX_LENGTH

__all__ = ["BUILDER", "Preparation", "prepare"]

FIRST_MEGABYTES = 500
"""What the process that grounds takes before it has a rule, clingo among it."""

BYTES_OF_A_RULE = 400

BUILDER = 16
"""Counts up when what is made from the same rules changes: part of the key in the cache."""


@dataclass(frozen=True)
class Preparation:
    """What is known of a game before it is built: its key, and its bytes on disk or its grounding under way."""

    key: str
    everybody_moves: bool
    kept: bytes | None
    grounding: Grounding | None
    limits: Limits | None = None


def prepare(sheet: Rules, limits: Limits | None = None) -> Preparation:
    """Begin to make the compiled game of a rulesheet."""
    core = lower(sheet, in_order=False)
    everybody_moves = sheet.dialect != "epilog"
    key = key_of("artifact", BUILDER, show(core, "hrf"), everybody_moves, MAX_LENGTH)
    kept = Cache().read(key)
    grounding = None if kept else Grounding(split(core), _ground_limits(limits))
    return Preparation(key, everybody_moves, kept, grounding, limits)


def _ground_limits(limits: Limits | None) -> GroundLimits | None:
    """What grounding may cost; without limits, what it usually may."""
    if limits is None:
        return None
    megabytes = FIRST_MEGABYTES + limits.rows * BYTES_OF_A_RULE // 1_000_000
    return GroundLimits(limits.seconds, megabytes, limits.rows, patience=1)
