"""A tree + an algorithm -> a Trace: every step of the search in order, and how the tree looks after each.

    minimax          the best of the children where max chooses, the worst where min does; looks at everything
    alphabeta        the same value, without what cannot change it: a min node is left at a value of alpha or less, a
                     max node at one of beta or more; fail-soft
    andor            T where one child is T (OR) or all are (AND); left as soon as that is known. What is at the horizon
                     is neither: ?
    expectiminimax   minimax, with the mean where chance decides

They do what the searches of trees/ do, without tables and orders of moves, so that one can follow; tests compare them.
`depth` cuts a tree that is written down: nodes there count as what an evaluation says of them.

Source: Russell & Norvig, chapter 5; Knuth & Moore 1975.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import inf, isinf
from typing import Literal, NamedTuple, TypeAlias

from gamemaster.errors import ParameterError, UnknownAlgorithm, Unsuitable
from gamemaster.search.scale import is_beyond
from gamemaster.search.tracing.notation import ALGORITHMS_OF_TREES
from gamemaster.search.tracing.tree import FALSE, TRUE, UNKNOWN, SearchTree

__all__ = ["NodeLook", "Trace", "TraceStep", "trace_tree"]

StepKind: TypeAlias = Literal["enter", "leaf", "update", "cut", "leave"]
Bound: TypeAlias = Literal["exact", "at most", "at least"]
Status: TypeAlias = Literal["waiting", "open", "done", "unvisited", "beyond"]


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One step: what happens at a node, and what is known there after it.

    enter   the search comes to a node        leaf    it reads the value of one that it does not look below
    update  a child changes what it is worth  cut     the children `cut` cannot change anything, and are left out
    leave   the value goes up to the parent
    """

    kind: StepKind
    node: int
    value: float | None = None
    alpha: float | None = None
    beta: float | None = None
    child: int | None = None
    cut: tuple[int, ...] = ()
    bound: Bound = "exact"


@dataclass(frozen=True, slots=True)
class NodeLook:
    """How a node looks after some steps; `alpha` and `beta` are what the search knew there last."""

    status: Status = "waiting"
    value: float | None = None
    alpha: float | None = None
    beta: float | None = None
    bound: Bound = "exact"
    is_on_line: bool = False
    """Whether it is on the principal line, which is known at the end."""


@dataclass(frozen=True)
class Trace:
    """All steps of a search of a tree."""

    tree: SearchTree
    algorithm: str
    depth: int | None
    steps: tuple[TraceStep, ...]
    line: tuple[int, ...]
    """The nodes of the principal line, the root first; it ends where chance decides."""

    @property
    def value(self) -> float:
        """What the root is worth."""
        value = self.steps[-1].value
        assert value is not None
        return value

    @property
    def notes(self) -> tuple[str, ...]:
        """What is said of the whole; nothing where the tree is an example of another algorithm."""
        return self.tree.notes if self.tree.algorithm in ("", self.algorithm) else ()

    @property
    def is_truth(self) -> bool:
        """Whether values are T and F."""
        return self.algorithm == "andor" or self.tree.has_truths

    def shown(self, value: float) -> str:
        """A value as it is written."""
        return self.tree.shown(value, is_truth=self.is_truth)

    @cached_property
    def visited(self) -> tuple[int, ...]:
        """The nodes that the search came to, in the order in which it did."""
        return tuple(step.node for step in self.steps if step.kind in ("enter", "leaf"))

    @cached_property
    def unvisited(self) -> tuple[int, ...]:
        """The nodes that it left out, in reading order; those beyond the horizon are none of them."""
        found = (below for step in self.steps for cut in step.cut for below in self.tree.below(cut))
        return tuple(sorted(number for number in found if not self.is_beyond(number)))

    def is_beyond(self, number: int) -> bool:
        """Whether a node is beyond the horizon."""
        return self.depth is not None and self.tree.plies[number] > self.depth

    def looks(self, after: int | None = None) -> list[NodeLook]:
        """How every node looks after so many steps, after all unless told."""
        count = len(self.steps) if after is None else after
        if not 0 <= count <= len(self.steps):
            raise ParameterError(f"no step {count}: there are {len(self.steps)}")
        looks = [NodeLook("beyond" if self.is_beyond(n) else "waiting") for n in range(len(self.tree.nodes))]
        for step in self.steps[:count]:
            self._apply(looks, step)
        if count == len(self.steps):
            for number in self.line:
                looks[number] = replace(looks[number], is_on_line=True)
        return looks

    def _apply(self, looks: list[NodeLook], step: TraceStep) -> None:
        is_done = step.kind in ("leaf", "leave")
        looks[step.node] = NodeLook(
            "done" if is_done else "open", step.value, step.alpha, step.beta, step.bound
        )
        for number in (below for cut in step.cut for below in self.tree.below(cut)):
            if looks[number].status == "waiting":
                looks[number] = NodeLook("unvisited")


class _Found(NamedTuple):
    """What a node is worth."""

    value: float
    bound: Bound = "exact"
    line: tuple[int, ...] = ()


def trace_tree(tree: SearchTree, algorithm: str, depth: int | None = None) -> Trace:
    """Search a tree and note every step. Unsuitable for a tree that the algorithm cannot search."""
    if algorithm not in ALGORITHMS_OF_TREES:
        there = ", ".join(ALGORITHMS_OF_TREES)
        raise UnknownAlgorithm(f"no algorithm {algorithm!r} for trees; there are: {there}")
    if depth is not None and depth < 1:
        raise ParameterError(f"no depth {depth}: a search looks 1 step ahead at least")
    if algorithm != "expectiminimax" and any(node.kind == "chance" for node in tree.nodes):
        raise Unsuitable(f"{algorithm} cannot search a tree with chance nodes; expectiminimax can")
    if algorithm == "andor" and tree.scale is None and not tree.has_truths:
        raise Unsuitable(
            "andor needs leaves that are T or F, and this tree has numbers; take minimax or alphabeta"
        )
    tracer = _Tracer(tree, algorithm, depth)
    found = tracer.visit(0, -inf, inf)
    return Trace(tree, algorithm, depth, tuple(tracer.steps), found.line)


class _Tracer:
    """Searches, and takes notes."""

    def __init__(self, tree: SearchTree, algorithm: str, depth: int | None) -> None:
        self.tree, self.algorithm, self.depth = tree, algorithm, depth
        self.has_bounds = algorithm == "alphabeta"
        self.steps: list[TraceStep] = []

    def note(self, kind: StepKind, node: int, value: float | None, alpha: float, beta: float) -> None:
        """Take down a step; bounds only where the algorithm has any."""
        bounds = (alpha, beta) if self.has_bounds else (None, None)
        self.steps.append(TraceStep(kind, node, value, *bounds))

    def visit(self, number: int, alpha: float, beta: float) -> _Found:
        """What a node is worth, and how the game goes on from it."""
        node = self.tree.nodes[number]
        if not node.children or self.tree.plies[number] == self.depth:
            value = self._leaf_value(number)
            self.steps.append(TraceStep("leaf", number, value))
            return _Found(value, "exact", (number,))
        self.note("enter", number, None, alpha, beta)
        if node.kind == "chance":
            return self._chance(number)
        return self._choice(number, alpha, beta)

    def _choice(self, number: int, alpha: float, beta: float) -> _Found:
        """The best child of max, the worst of min."""
        node, window = self.tree.nodes[number], (alpha, beta)
        is_max, is_whole = node.kind == "max", True
        best: _Found | None = None
        for place, child in enumerate(node.children):
            found = self.visit(child, alpha, beta)
            is_whole = is_whole and found.bound == "exact"
            if best is None or (found.value > best.value if is_max else found.value < best.value):
                best = found
                if self.has_bounds:
                    alpha, beta = (
                        (max(alpha, found.value), beta) if is_max else (alpha, min(beta, found.value))
                    )
                self.note("update", number, found.value, alpha, beta)
                self.steps[-1] = replace(self.steps[-1], child=child)
            rest = node.children[place + 1 :]
            if rest and self._is_enough(best.value, alpha, beta, is_max=is_max):
                self.note("cut", number, best.value, alpha, beta)
                self.steps[-1] = replace(self.steps[-1], cut=rest)
                is_whole = False
                break
        assert best is not None
        bound = "exact" if is_whole or not self.has_bounds else _bound(best.value, *window)
        self.note("leave", number, best.value, alpha, beta)
        self.steps[-1] = replace(self.steps[-1], bound=bound)
        return _Found(best.value, bound, (number, *best.line))

    def _is_enough(self, value: float, alpha: float, beta: float, *, is_max: bool) -> bool:
        """Whether the other children cannot change anything."""
        if self.algorithm == "andor":
            return value == (TRUE if is_max else FALSE)
        return self.has_bounds and alpha >= beta

    def _chance(self, number: int) -> _Found:
        """The mean of the children."""
        values: list[tuple[Fraction, float]] = []
        for child in self.tree.nodes[number].children:
            found = self.visit(child, -inf, inf)
            probability = self.tree.nodes[child].probability
            assert probability is not None
            values.append((probability, found.value))
            self.steps.append(TraceStep("update", number, self._mean(values), child=child))
        value = self._mean(values)
        self.steps.append(TraceStep("leave", number, value))
        return _Found(value, "exact", (number,))

    def _mean(self, values: list[tuple[Fraction, float]]) -> float:
        """What is known of the mean so far; a win or a loss whatever chance does stays one."""
        if len({value for _, value in values}) == 1 and sum(likely for likely, _ in values) == 1:
            return values[0][1]
        return float(
            sum((likely * Fraction(self.tree.number(value)) for likely, value in values), Fraction(0))
        )

    def _leaf_value(self, number: int) -> float:
        """What a node counts that is not looked below."""
        node = self.tree.nodes[number]
        if self.algorithm == "andor" and (node.children or not node.is_end):
            return UNKNOWN
        if node.value is None:
            name = self.tree.called(number)
            raise ParameterError(
                f"{name} is at the horizon and has no estimate; write it as `{node.kind} {name} = 0`, or look deeper"
            )
        if self.algorithm == "andor" and not self.tree.has_truths:
            return TRUE if is_beyond(node.value) and node.value > 0 else FALSE
        return node.value


def _bound(value: float, alpha: float, beta: float) -> Bound:
    """What a value says of the true one, by the window in which it was found; a loss or a win is always exact."""
    if isinf(value) or alpha < value < beta:
        return "exact"
    return "at most" if value <= alpha else "at least"
