"""Game -> how many sequences of moves there are of each length, and how long it took to count them.

Two programs that agree on these counts agree on the rules. `game.perft` gives the counts at once; these come length by
length, for whoever shows how far the counting is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from gamemaster.machine.game import Game, State
from gamemaster.machine.stepwise import count_after, layer_after

__all__ = ["PerftCount", "are_right", "perft_counts", "perft_data"]

Watch = Callable[[int, int, int], None]
"""watch(length, done, all): so many of the states are done, of those from which that length is counted."""


@dataclass(frozen=True, slots=True)
class PerftCount:
    """How many sequences of that length there are, and how long it took to count them."""

    depth: int
    count: int
    seconds: float


def perft_counts(game: Game, depth: int, watch: Watch) -> Iterator[PerftCount]:
    """The counts length by length, equal states taken together."""
    layer: dict[State, int] = {game.initial_state(): 1}
    for length in range(1, depth + 1):
        began = time.perf_counter()
        layer = layer_after(layer, partial(watch, length)) if length > 1 else layer
        count = count_after(layer, partial(watch, length))
        yield PerftCount(length, count, time.perf_counter() - began)


def perft_data(game: Game, counts: Sequence[PerftCount], expected: Sequence[int]) -> dict[str, object]:
    """The counts as plain data, ready for JSON; `ok` where they are those expected, as far as any are."""
    return {
        "game": game.name,
        "machine": game.machine.name,
        "reason": game.machine.reason,
        "perft": [each.count for each in counts],
        "seconds": [round(each.seconds, 6) for each in counts],
        "expected": list(expected[: len(counts)]) or None,
        "ok": are_right(counts, expected),
    }


def are_right(counts: Sequence[PerftCount], expected: Sequence[int]) -> bool:
    """Whether counts are those expected, as far as any are."""
    return all(each.count == right for each, right in zip(counts, expected, strict=False))
