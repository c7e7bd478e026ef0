"""Trees with chance, written as games: what any search says of them can be compared with a plain recursion."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from itertools import count

__all__ = ["COIN_FLIP", "DICE", "DICE_STRETCHED", "Node", "random_tree", "sheet_of", "truth"]


@dataclass(frozen=True)
class Node:
    """An end with what `hi` gets, `lo` getting the rest of 100, or a node of whoever decides there.

    `both`: `hi` (or `lo`, see `who`) chooses the child, and chance one of its children, at the same time.
    """

    who: str = "end"
    children: tuple[Node, ...] = ()
    goal: int = 0
    is_joint: bool = False


def _end(goal: int) -> Node:
    return Node(goal=goal)


def _min(*goals: int) -> Node:
    return Node("lo", tuple(map(_end, goals)))


def _coin_flip(goal: int) -> int:
    """The documents' values, from -2 to 7, as goals."""
    return 10 * (goal + 2)


COIN_FLIP = Node(
    "hi",
    (
        Node("random", (_min(*map(_coin_flip, (2, 4))), _min(*map(_coin_flip, (7, 4))))),
        Node("random", (_min(*map(_coin_flip, (6, 0))), _min(*map(_coin_flip, (5, -2))))),
    ),
)
"""Worth 3 by the left move, -1 by the right one."""


def _dice(common: int, rare: int) -> Node:
    """Nine times of ten one value, once another: chance has ten moves, of which nine are alike."""
    return Node("random", (*[_min(common, common)] * 9, _min(rare, rare)))


DICE = Node("hi", (_dice(20, 30), _dice(10, 40)))
"""Ten times what the documents have: 2.1 and 1.3."""

DICE_STRETCHED = Node("hi", (_dice(5, 7), _dice(0, 100)))
"""The same order of values, and now the right move is better."""


def random_tree(generator: random.Random, depth: int, *, is_regular: bool = False) -> Node:
    """A tree of at most so many steps; `is_regular`: choice and chance in turn, as with dice."""
    if depth == 0 or (not is_regular and generator.random() < 0.1):
        return _end(generator.randrange(101))
    width = generator.randint(2, 4)
    who = generator.choice(["hi", "lo", "random"])
    if is_regular:
        who = "random" if depth % 2 else ("hi", "lo")[depth // 2 % 2]
    below = [random_tree(generator, depth - 1, is_regular=is_regular) for _ in range(width)]
    if who != "random" and not is_regular and generator.random() < 0.25:
        outcomes = [random_tree(generator, depth - 1) for _ in range(2 * width)]
        pairs = [Node("random", tuple(outcomes[2 * i : 2 * i + 2])) for i in range(width)]
        return Node(who, tuple(pairs), is_joint=True)
    return Node(who, tuple(below))


def truth(node: Node, depth: int = 1_000) -> Fraction:
    """What `hi` can expect; at the depth limit, in steps, nothing."""
    if node.who == "end":
        return Fraction(node.goal)
    if depth == 0:
        return Fraction(0)
    below = [truth(child, depth if node.is_joint else depth - 1) for child in node.children]
    if node.who == "random":
        return sum(below, Fraction(0)) / len(below)
    return max(below) if node.who == "hi" else min(below)


def sheet_of(root: Node) -> str:
    """The rules of the game that is played on a tree."""
    lines = ["role(hi) role(lo) role(random) init(at(0))"]
    numbers = count()

    def write(node: Node) -> int:
        number = next(numbers)
        if node.who == "end":
            lines.append(f"terminal :- true(at({number}))")
            lines.append(f"goal(hi,{node.goal}) :- true(at({number}))")
            lines.append(f"goal(lo,{100 - node.goal}) :- true(at({number}))")
            return number
        for i, child in enumerate(node.children):
            lines.append(f"legal({node.who},go({i})) :- true(at({number}))")
            if not node.is_joint:
                after = write(child)
                lines.append(f"next(at({after})) :- true(at({number})) & does({node.who},go({i}))")
                continue
            for k, outcome in enumerate(child.children):
                after = write(outcome)
                made = f"does({node.who},go({i})) & does(random,go({k}))"
                lines.append(f"next(at({after})) :- true(at({number})) & {made}")
                lines.append(f"legal(random,go({k})) :- true(at({number}))")
        return number

    write(root)
    return "\n".join(lines)
