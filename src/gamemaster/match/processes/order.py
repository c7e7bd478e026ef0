"""What the process of a player is told before anything else, in a line of its own: what it may use, and its seed.

It comes over a pipe, since whoever can list processes sees their command lines.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

__all__ = ["CANNOT", "READY", "Order", "ProcessLimits"]

READY = b"ready"
CANNOT = b"cannot "
"""How the process answers: it is where it should be, or cannot be, and why."""


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """What a player's process may use. Searches in machine code map much memory that they never touch."""

    memory: int = 8 * 2**30
    cpu: int = 0
    processes: int = 0
    """How many processes and threads there may be behind walls; 0 is enough for libraries on any machine."""

    has_walls: bool = True
    """Whether it sees and reaches nothing but what it needs to play: see `walls.py`."""

    ponders: bool = False
    """Whether it may compute while nobody asks it, on the time of others."""


@dataclass(frozen=True, slots=True)
class Order:
    """How to begin. `hidden` are files that the player shall not see."""

    limits: ProcessLimits = field(default_factory=ProcessLimits)
    seed: int | None = None
    hidden: tuple[str, ...] = ()
    manager: int = 0
    """The process that gives the order."""

    def to_line(self) -> bytes:
        """The order as a line of JSON."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> Order:
        """The order that `to_line` wrote."""
        data = json.loads(line)
        return cls(ProcessLimits(**data["limits"]), data["seed"], tuple(data["hidden"]), data["manager"])
