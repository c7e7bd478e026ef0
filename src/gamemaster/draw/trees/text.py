"""A tree in lines of text: a line for each node, with what the search knows there after a step.

    ▲ A = 3  [3, ∞]
    ├─ a1: ▼ B = 3  [-∞, 3]  *
    ├─ a2: ▼ C ≤ 2  [3, 2]
    │  ├─ a21: 2
    │  └╳ a22: 4

▲ and ▼ are max and min, ○ is chance; * is the principal line, ╳ what stays unvisited, ◀ where the search is.
"""

from __future__ import annotations

from collections.abc import Iterator

from gamemaster.draw.picture.markup import clip
from gamemaster.draw.trees.words import leaf_in_words, probability, window_in_words
from gamemaster.search.tracing.trace import NodeLook, Trace

__all__ = ["draw_tree_text"]

SHAPES = {"max": "▲", "min": "▼", "chance": "○", "leaf": ""}
LONGEST = 40


def draw_tree_text(trace: Trace, after: int | None = None) -> str:
    """The tree after so many steps, after all unless told."""
    return "\n".join(_lines(trace, after))


def _lines(trace: Trace, after: int | None) -> Iterator[str]:
    looks = trace.looks(after)
    steps = trace.steps if after is None else trace.steps[:after]
    here = steps[-1].node if steps and len(steps) < len(trace.steps) else None
    margins = [""] * len(looks)
    for number, node in enumerate(trace.tree.nodes):
        shown = _node(trace, number, looks[number]) + ("  ◀" if number == here else "")
        if node.parent is None:
            yield shown
            continue
        is_last = trace.tree.nodes[node.parent].children[-1] == number
        margins[number] = margins[node.parent] + ("   " if is_last else "│  ")
        stroke = "╳" if looks[number].status == "unvisited" else "─"
        yield f"{margins[node.parent]}{'└' if is_last else '├'}{stroke} {shown}"


def _node(trace: Trace, number: int, look: NodeLook) -> str:
    """A node in a line: how one comes to it, what it is, what is known of it."""
    node = trace.tree.nodes[number]
    label = [clip(node.move, LONGEST)] if node.move else []
    label += [probability(node.probability)] if node.probability is not None else []
    parts = [f"{' '.join(label)}:"] if label else []
    parts += [SHAPES[node.kind]] if node.kind != "leaf" else []
    parts += [clip(trace.tree.names[number], LONGEST)] if trace.tree.names[number] else []
    value = leaf_in_words(trace, number, look)
    if value:
        is_named = bool(trace.tree.names[number])
        parts += [value[0], value[1:]] if value[0] in "≤≥" else ["=", value] if is_named else [value]
    parts += [f"[{'/'.join(node.rows)}]"] if node.rows else []
    ended = [" ".join(parts) or "?"]
    if look.alpha is not None and look.beta is not None:
        ended.append(window_in_words(trace, look.alpha, look.beta))
    ended += ["*"] if look.is_on_line else []
    ended += ["beyond the horizon"] if look.status == "beyond" else []
    return "  ".join(ended)
