"""Where the nodes of a tree stand: children in order below their parent, which is above their middle; no two too near.

Subtrees are pushed together as far as their outlines allow, level by level, so that a tree is drawn the same wherever
it stands in another one.

Source: Reingold & Tilford 1981, Tidier Drawings of Trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gamemaster.search.tracing.tree import SearchTree

__all__ = ["tidy"]


@dataclass
class _Outline:
    """How far a subtree reaches to the left and to the right of its root, level by level."""

    left: list[float] = field(default_factory=list)
    right: list[float] = field(default_factory=list)

    def room(self, other: _Outline, near: float, far: float) -> float:
        """How far to the right the root of another subtree has to stand."""
        pairs = zip(self.right, other.left, strict=False)
        return max(right - left + (near if level == 0 else far) for level, (right, left) in enumerate(pairs))

    def add(self, other: _Outline, at: float) -> None:
        """Take another subtree in, whose root stands there."""
        for level, (left, right) in enumerate(zip(other.left, other.right, strict=True)):
            if level == len(self.left):
                self.left.append(left + at)
                self.right.append(right + at)
            else:
                self.left[level] = min(self.left[level], left + at)
                self.right[level] = max(self.right[level], right + at)


def tidy(tree: SearchTree, widths: Sequence[float], *, near: float, far: float) -> list[float]:
    """The middle of each node from left to right, the leftmost edge at 0.

    Siblings are `near` each other, others `far` from each other at least.
    """
    outlines: dict[int, _Outline] = {}
    shifts = [0.0] * len(tree.nodes)  # of a node from its parent
    for number in reversed(range(len(tree.nodes))):
        children = tree.nodes[number].children
        for child, place in zip(children, _places([outlines[c] for c in children], near, far), strict=True):
            shifts[child] = place
        outline = _Outline([-widths[number] / 2], [widths[number] / 2])
        below = _Outline()
        for child in children:
            below.add(outlines.pop(child), shifts[child])
        outlines[number] = _Outline(outline.left + below.left, outline.right + below.right)
    middles = [-min(outlines[0].left)]
    for number, node in enumerate(tree.nodes[1:], start=1):
        assert node.parent is not None
        middles.append(middles[node.parent] + shifts[number])
    return middles


def _places(outlines: Sequence[_Outline], near: float, far: float) -> list[float]:
    """Where the roots of subtrees stand side by side, seen from the middle between the first and the last."""
    if not outlines:
        return []
    places, whole = [0.0], _Outline(list(outlines[0].left), list(outlines[0].right))
    for outline in outlines[1:]:
        at = whole.room(outline, near, far)
        places.append(at)
        whole.add(outline, at)
    return [place - places[-1] / 2 for place in places]
