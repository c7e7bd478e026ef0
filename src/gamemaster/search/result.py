"""SearchResult: what every search returns, enough to show why it chose its move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.machine.showing import Shown

__all__ = [
    "AS_IF_KNOWN",
    "GUESSED",
    "IN_PYTHON",
    "NOT_PROVEN",
    "NOT_SEARCHED",
    "WITHOUT_CODE",
    "SearchResult",
]

NOT_SEARCHED = "not searched: the budget was spent before anything was known of a move"
NOT_PROVEN = "not proven: the search did not get to the end of the game, and it estimates nothing"
IN_PYTHON = "searched in Python, much slower: machine code is still being compiled, once for this machine"
WITHOUT_CODE = "searched in Python, much slower: machine code cannot be made for this game on this machine"
AS_IF_KNOWN = "searched as if the state were known: the rules hide it, so nothing of this is proven"
GUESSED = (
    "what was seen fits no state that was found: searched where the role has these moves in random games"
)
"""What a result notes where it is less than it should be."""

CAVEATS = (NOT_SEARCHED, NOT_PROVEN, IN_PYTHON, WITHOUT_CODE, AS_IF_KNOWN, GUESSED)


@dataclass(frozen=True)
class SearchResult(Shown):
    """The move that a search chose for a role, and why.

    Values are what the role can expect, 0 to 100, or estimates on whatever scale the evaluation has. `line` is the
    principal line: the moves expected from here on, its first one `move`; in a joint step only the searching role's own
    move stands in it; `lines` are those of other moves, where the search has them. `is_proven`: no estimate has a part
    in the value, and `move` gets it if the others play as the search says they do; other values may be estimates still.
    Moves in `at_most` are worth no more than their value: enough to see that they are not the best, the search looked
    no further. Moves in `ends` lead to a win, those in `wins`, or to a loss, as far as the search looked: a win is
    better than any estimate, though that may be larger than 100, a loss is worse. `glance` is what the state looked to
    be worth before anything was searched, where a judgement says so, and `glances` what it looks to be worth after each
    move. `notes` are what was found out before, for people to read, and the `caveats`. `state` is where it was
    searched, if that is known.
    """

    algorithm: str
    role: str
    move: Term | None
    value: float
    values: Mapping[Term, float] = field(default_factory=dict)
    visits: Mapping[Term, int] = field(default_factory=dict)  # how often a sampling search tried each move
    line: tuple[Term, ...] = ()
    depth: int = 0
    nodes: int = 0
    playouts: int = 0
    seconds: float = 0.0
    is_proven: bool = False
    at_most: frozenset[Term] = frozenset()
    ends: frozenset[Term] = frozenset()
    wins: frozenset[Term] = frozenset()
    lines: Mapping[Term, tuple[Term, ...]] = field(default_factory=dict)
    chances: Mapping[Term, float] = field(
        default_factory=dict
    )  # how likely each was, if the move was drawn by lot
    glance: float | None = None
    glances: Mapping[Term, float] = field(default_factory=dict)
    notes: str = ""
    state: State | None = field(default=None, compare=False)

    @property
    def caveats(self) -> tuple[str, ...]:
        """Those of the notes that say why the result is less than it should be."""
        return tuple(note for note in self.notes.splitlines() if note in CAVEATS)

    @property
    def is_open(self) -> bool:
        """Whether nothing is known of the value: neither proven nor estimated."""
        return NOT_PROVEN in self.caveats

    def noted(self, *notes: str) -> SearchResult:
        """The same with more notes, before its own."""
        return replace(self, notes="\n".join(filter(None, (*notes, self.notes))))

    @property
    def ranked(self) -> list[Term]:
        """The moves searched, the best first."""
        return sorted(self.values, key=self._rank)

    def _rank(self, move: Term) -> tuple[float, bool, int, float, str]:
        value = self.values[move]
        if move in self.ends:
            value = inf if move in self.wins else -inf
        glance = self.glances.get(move, 0.0)
        return -value, move in self.at_most, -self.visits.get(move, 0), -glance, str(move)

    def line_of(self, move: Term) -> tuple[Term, ...]:
        """The line that begins with a move; nothing but the move where the search has none."""
        return self.line if move == self.move and self.line else self.lines.get(move, (move,))

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, ready for JSON; `moves` are rows for a table, the best move first."""
        return {
            "role": self.role,
            "algorithm": self.algorithm,
            "move": None if self.move is None else str(self.move),
            "value": self.value,
            "glance": self.glance,
            "is_proven": self.is_proven,
            "line": [str(move) for move in self.line],
            "moves": [
                {
                    "move": str(move),
                    "value": self.values[move],
                    "is_bound": move in self.at_most,
                    "is_end": move in self.ends,
                    "visits": self.visits.get(move),
                    "glance": self.glances.get(move),
                    "line": [str(each) for each in self.line_of(move)],
                }
                for move in self.ranked
            ],
            "depth": self.depth,
            "nodes": self.nodes,
            "playouts": self.playouts,
            "seconds": self.seconds,
            "notes": self.notes.splitlines(),
            "caveats": list(self.caveats),
        }

    def __str__(self) -> str:
        how = f"depth {self.depth}, {self.nodes:,} nodes"
        if self.playouts:
            how += f", {self.playouts:,} playouts"
        proven = "proven " if self.is_proven else ""
        line = " ".join(map(str, self.line))
        return f"{self.algorithm}: {self.move}, {proven}value {self.value:.1f} ({how}, {self.seconds:.2f} s): {line}"

    def __repr__(self) -> str:
        return f"<SearchResult {self}>"
