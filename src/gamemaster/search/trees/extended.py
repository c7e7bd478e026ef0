"""Extended search: minimax that looks further where the best lines end.

First every move is searched to a depth. Of the moves at the root the `paths` best ones are retained, each with the line
of best play after it. Where these lines end the search goes `extra` steps further, and the values are taken up:

    value(p) = goal(p)                               p is terminal
               evaluation(p)                         p is at the horizon, no best line ends there
               max or min of value(after(p, m))      else, over the moves m of the role or of anybody else

Other lines may be the best then; they are searched further in turn, until all the best ones are. What looked good only
because the search stopped there (the horizon effect) is found out so, at a small part of the cost of another step for
all lines. With `paths=1` only the principal line is retained. This is done to depth 1, 2, 3, ... until the budget is
spent or all is searched; `depth` is the deepest iteration, `evaluation` (evaluation.py) what a position at the horizon
is worth, on any scale (scale.py). Nothing is cut but what comes after a sure win; the tree is kept.

Assumes turn-taking and full information; whoever else chooses is an enemy. Refuses simultaneous moves and chance with
`Unsuitable`. A value is proven where no horizon had a part in it.

Source: the slides' "retain k > 1 best paths, instead of just one, and extend the tree at greater depth below their leaf
nodes"; a best-first extension as in Berliner 1979 (B*) and McAllester 1988 (conspiracy numbers).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from gamemaster.errors import ParameterError
from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget, Meter, OutOfBudget
from gamemaster.search.evaluation import Evaluation, find_evaluation, intermediate
from gamemaster.search.goals import goals_in
from gamemaster.search.position import DEEPEST, HIGHEST, LOWEST, Position, root_of, shuffled, state_of
from gamemaster.search.result import SearchResult
from gamemaster.search.scale import LOSS, WIN, Scale
from gamemaster.search.tally import Line, Outcome, Tally, search_deeper

__all__ = ["Extended", "search"]

MOST_NODES = 400_000
"""A tree takes no more than so many, some 400 MB."""


def search(
    state: State,
    role: str,
    budget: Budget,
    seed: int = 0,
    *,
    paths: int = 3,
    extra: int = 2,
    depth: int | None = None,
    evaluation: Evaluation | str = intermediate,
) -> SearchResult:
    """The best move, the best lines searched further than the others."""
    root, meter = root_of(state, role, "extended"), budget.start()
    worth = find_evaluation(evaluation)

    def evaluate(position: Position) -> float:
        return worth(state_of(position), role)

    window = goals_in(state.game, role)
    extended = Extended(role, meter, evaluate, paths=paths, extra=extra, window=window)
    return search_deeper("extended", root, role, meter, partial(extended.run, root, seed=seed), depth)


@dataclass(eq=False, slots=True)
class _OpenLine:
    """A position in the tree, and what it was found to be worth in this iteration."""

    position: Position
    is_terminal: bool
    value: float = 0.0
    is_exact: bool = False
    best: Term | None = None  # the best move; None at the horizon and where the game is over
    children: dict[Term, _OpenLine] = field(default_factory=dict)
    tried: list[Term] = field(default_factory=list)  # in this iteration: those after a sure win are not
    extended_at: int = 0  # the iteration in which it was searched further


class Extended:
    """A tree that grows with each iteration. `window` are the goals of a loss and a win."""

    def __init__(
        self,
        role: str,
        meter: Meter,
        evaluate: Callable[[Position], float],
        *,
        paths: int = 3,
        extra: int = 2,
        window: tuple[float, float] = (LOWEST, HIGHEST),
    ) -> None:
        if paths < 1 or extra < 1:
            raise ParameterError(f"extended needs 1 path and 1 extra step at least, not {paths} and {extra}")
        self.role = role
        self.meter = meter
        self.evaluate = evaluate
        self.paths, self.extra = paths, min(extra, DEEPEST)
        self.scale = Scale(*window)
        self.root: _OpenLine | None = None
        self.nodes = self.iteration = 0

    def run(self, position: Position, depth: int, tally: Tally, seed: int = 0) -> None:
        """Tally the root's moves: all to the depth, the best lines further."""
        self.meter.node()
        if position.is_terminal:
            return
        root = self.root = self.root or _OpenLine(position, False)
        root.tried = []
        self.iteration += 1
        for move in shuffled(position.moves, seed):
            root.tried.append(move)
            self._search(self._child(root, move), depth - 1)
            self._tell(tally, root, root.tried[-1:])
            if self._suffices(root, root.children[move].value):
                break
        self._take_up(root)
        while self._extend(root):
            self._tell(tally, root, root.tried)
        tally.is_exact = root.is_exact

    def _extend(self, root: _OpenLine) -> bool:
        """Search further where the best lines end; whether there was anything left to search."""
        best = sorted(root.tried, key=lambda move: self._sign(root) * root.children[move].value, reverse=True)
        trails = [self._trail(root, move) for move in best[: self.paths]]
        waiting = [
            trail
            for trail in trails
            if not trail[-1].is_exact and all(node.extended_at != self.iteration for node in trail)
        ]
        for trail in waiting:
            self._search(trail[-1], self.extra)
            trail[-1].extended_at = self.iteration
            for node in reversed(trail[:-1]):
                self._take_up(node)
        return bool(waiting)

    def _trail(self, root: _OpenLine, move: Term) -> list[_OpenLine]:
        """The positions on the line of best play after a move, the root first."""
        trail = [root, root.children[move]]
        while trail[-1].best is not None:
            trail.append(trail[-1].children[trail[-1].best])
        return trail

    def _search(self, node: _OpenLine, depth: int) -> None:
        """Find out what a node is worth, so many steps deep."""
        self.meter.node()
        if node.is_terminal:
            node.value, node.is_exact = self.scale.end(node.position.reward(self.role)), True
        elif depth <= 0:
            node.best, node.is_exact = None, False
            node.value = self.scale.estimate(self.evaluate(node.position))
        else:
            node.tried = []
            for move in node.position.moves:
                node.tried.append(move)
                child = self._child(node, move)
                self._search(child, depth - 1)
                if self._suffices(node, child.value):
                    break
            self._take_up(node)

    def _child(self, node: _OpenLine, move: Term) -> _OpenLine:
        child = node.children.get(move)
        if child is None:
            self.nodes += 1
            if self.nodes > MOST_NODES:
                raise OutOfBudget
            position = node.position.after(move)
            child = node.children[move] = _OpenLine(position, position.is_terminal)
        return child

    def _take_up(self, node: _OpenLine) -> None:
        """The value of a node from those of its children; nothing at a dead end."""
        if not node.tried:
            node.value, node.is_exact, node.best = self.scale.end(LOWEST), True, None
            return
        sign = self._sign(node)
        node.best = max(node.tried, key=lambda move: sign * node.children[move].value)
        best = node.children[node.best]
        node.value = best.value
        is_sure = self._suffices(node, best.value) and best.is_exact
        node.is_exact = is_sure or all(node.children[move].is_exact for move in node.tried)

    def _sign(self, node: _OpenLine) -> int:
        return 1 if node.position.mover == self.role else -1

    def _suffices(self, node: _OpenLine, value: float) -> bool:
        """Whether whoever chooses here cannot do better."""
        return value == (WIN if node.position.mover == self.role else LOSS)

    def _tell(self, tally: Tally, root: _OpenLine, moves: list[Term]) -> None:
        """Tally what moves are worth now."""
        for move in moves:
            child = root.children[move]
            outcome = Outcome(child.value, _line(child), child.is_exact)
            tally.add(move, outcome, is_best=False, shown=self.scale.shown(child.value))
        sign = self._sign(root)
        tally.best = max(tally.ranks, key=lambda move: sign * tally.ranks[move])


def _line(node: _OpenLine) -> Line:
    """The line of best play from a node on, as a chain."""
    if node.best is None:
        return None
    return (node.best, _line(node.children[node.best]))
