"""What the page of trees shows, worked out in another process: plain values in, plain values out, as all jobs."""

from __future__ import annotations

from functools import lru_cache

from gamemaster.draw.trees.picture import draw_tree
from gamemaster.draw.trees.words import search_in_words, step_in_words
from gamemaster.errors import LimitExceeded
from gamemaster.search.tracing.choosing import trace_game, trace_written
from gamemaster.search.tracing.shelf import EXAMPLES, example_tree
from gamemaster.search.tracing.trace import Trace
from gamemaster.web.jobs import Plain, shelf_game

__all__ = ["traced_step"]

MOST_NODES = 400
"""Of a tree on the page: more are of no use there."""

MOST_TOLD = 1_500
"""Steps that are all listed in words."""

MOST_KEPT = 16


def traced_step(what: str, algorithm: str, depth: int | None, step: int | None) -> Plain:
    """How a search looks after a step, the last one unless told; all steps in words."""
    trace = _trace(what, algorithm, depth)
    last = len(trace.steps)
    if last > MOST_TOLD:
        raise LimitExceeded("steps", f"{MOST_TOLD:,}", doing="showing the search: look less deep")
    at = last if step is None else min(max(0, step), last)
    return {
        "title": trace.tree.title,
        "notes": list(trace.notes),
        "algorithm": trace.algorithm,
        "step": at,
        "last": last,
        "words": step_in_words(trace, at),
        "summary": search_in_words(trace),
        "told": [step_in_words(trace, number) for number in range(last + 1)],
        "svg": draw_tree(trace, None if at == last else at, has_words=False, prefix="tree"),
    }


@lru_cache(maxsize=MOST_KEPT)
def _trace(what: str, algorithm: str, depth: int | None) -> Trace:
    if what in EXAMPLES:
        return trace_written(example_tree(what), algorithm or None, depth)
    state = shelf_game(what).initial_state()
    return trace_game(state, algorithm=algorithm or None, depth=depth, most=MOST_NODES)
