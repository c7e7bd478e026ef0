"""Rules -> Preparation: the first step to the compiled machine, begun before anything heavy is imported.

If the game was made before, its bytes are read from the disk; else its grounding starts in another process, and goes
on while this one imports numpy and LLVM.
"""

from __future__ import annotations

from dataclasses import dataclass

from gamemaster.codegen.cache import Cache, key_of
from gamemaster.ground.clingo_grounder import Grounding, GroundLimits
from gamemaster.ground.split import split
from gamemaster.language.dialect import show
from gamemaster.language.lower import lower
from gamemaster.language.rules import Rules
from gamemaster.machine.game import MAX_LENGTH

__all__ = ["BUILDER", "Preparation", "prepare"]

BUILDER = 15
"""Counts up when what is made from the same rules changes: part of the key in the cache."""


@dataclass(frozen=True)
class Preparation:
    """What is known of a game before it is built: its key, and its bytes on disk or its grounding under way."""

    key: str
    everybody_moves: bool
    kept: bytes | None
    grounding: Grounding | None


def prepare(sheet: Rules, limits: GroundLimits | None = None) -> Preparation:
    """Begin to make the compiled game of a rulesheet."""
    core = lower(sheet, in_order=False)
    everybody_moves = sheet.dialect != "epilog"
    key = key_of("artifact", BUILDER, show(core, "hrf"), everybody_moves, MAX_LENGTH)
    kept = Cache().read(key)
    return Preparation(key, everybody_moves, kept, None if kept else Grounding(split(core), limits))
