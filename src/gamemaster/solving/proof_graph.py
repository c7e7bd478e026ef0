"""ProofNumberSearch -> positions that are won, and the smallest proof among them.

A proof needs one move at each position of the winner and all replies at each other one. df-pn leaves what it has proved
in its table; here the positions of a proof are walked through again, those that the table has lost are searched again,
and at positions where several moves are known to win all of them are kept. Which of them make the smallest proof is
found from the ends backwards: the cheapest position first, as Dijkstra does (Knuth 1977), so that no proof goes round.
The cost counts a position as often as ways lead to it; the size of a proof counts it once, and decides.
"""

from __future__ import annotations

import heapq
import time
from dataclasses import dataclass, field

import numpy as np

from gamemaster.errors import LimitExceeded, StrategyError
from gamemaster.search.budget import Budget
from gamemaster.search.native.dfpn import Children, ProofNumberSearch
from gamemaster.search.native.kernels.dfpn import DISPROOF, PROOF
from gamemaster.search.native.kernels.records import Words

__all__ = ["MOST_POSITIONS", "ProofGraph", "WrittenProof"]

MOST_POSITIONS = 1_000_000
ROUNDS = 4
WIDTH = 4
"""Moves that win which are kept for each position of the winner."""

LEAST_NEW, MOST_GROWTH = 5_000, 20
"""How many positions a round may add: so many, or so many times those of the first proof."""

MOST_TRIED = 4_000
"""Nodes for one attempt to prove another move."""

LEAST_TRIED = 100
"""What an attempt counts at least."""

WORTH_TRYING = 8
"""Where a proof is smaller than that, other moves are not tried."""


@dataclass(slots=True)
class Won:
    """A position that is won: the moves that win and where they lead, or all replies; none at an end.

    `others` are rows after moves of which it is not known whether they win.
    """

    is_mine: bool = False
    ways: list[tuple[int, int]] = field(default_factory=list)
    others: list[tuple[int, Words]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class WrittenProof:
    """Positions of a graph, children before parents: the way that each takes, the steps left at most, the cost."""

    order: list[int]
    way: dict[int, tuple[int, int]]
    distance: dict[int, int]
    cost: dict[int, float]

    @property
    def size(self) -> int:
        """How many positions it has."""
        return len(self.order)


class ProofGraph:
    """Positions from which a role gets a goal for sure; number 0 is the one that the proof is for."""

    def __init__(self, prover: ProofNumberSearch, root: Words, goal: float, budget: Budget) -> None:
        self.prover = prover
        self.goal = goal
        self.budget = budget
        self.began = time.perf_counter()
        self.rows: list[Words] = []
        self.known: list[Won | None] = []
        self._number: dict[bytes, int] = {}
        self._add(root)

    def smallest(self, effort: int) -> tuple[WrittenProof, int]:
        """The smallest proof found with so many nodes of search at most, and the size of the first one."""
        self._explore(1, MOST_POSITIONS)
        if (first := self._proof()) is None:  # play could go round by the first moves: take any
            self._explore(MOST_POSITIONS, MOST_POSITIONS)
            first = self._proof()
        if first is None:
            raise StrategyError("the table of proof numbers is not true: no proof comes of it")
        best = current = first
        for _ in range(ROUNDS):
            spent, positions = self._try_others(current, effort), len(self.rows)
            effort -= spent
            self._explore(WIDTH, min(MOST_POSITIONS, positions + max(LEAST_NEW, MOST_GROWTH * first.size)))
            current = self._proof() or current
            best = min(best, current, key=lambda proof: proof.size)
            if effort <= 0 or len(self.rows) == positions:
                break
        return best, first.size

    # Positions

    def _add(self, row: Words) -> int:
        """The number of a position."""
        key = row[: self.prover.engine.state_words].tobytes()
        if key not in self._number:
            if len(self.rows) >= MOST_POSITIONS:
                raise LimitExceeded(
                    "positions", f"{MOST_POSITIONS:,} positions", doing="writing down the proof"
                )
            self._number[key] = len(self.rows)
            self.rows.append(row)
            self.known.append(Won() if self.prover.engine.is_over(row) else None)
        return self._number[key]

    def _explore(self, width: int, most: int) -> None:
        """Look at all positions that follow, by so many winning moves each; no new ones where there are enough."""
        todo, seen = [0], {0}
        while todo:
            number = todo.pop()
            won = self.known[number]
            if won is None:
                if len(self.rows) > most:
                    continue
                won = self.known[number] = self._look(self.rows[number])
            ways = won.ways[:width] if won.is_mine else won.ways
            new = [child for _, child in ways if child not in seen]
            seen.update(new)
            todo += new

    def _look(self, row: Words) -> Won:
        """The ways on from a position that is won."""
        children = self.prover.children(row, self.goal)
        if children.is_mine and not (children.numbers[:, PROOF] == 0).any():
            children = self._again(row, len(children.moves))
        won = Won(children.is_mine)
        is_won = children.numbers[:, PROOF] == 0
        for i in _ends_first(children, self.prover.engine.state_words):
            move, after = int(children.moves[i]), children.rows[i]
            if is_won[i] or not children.is_mine:
                won.ways.append((move, self._add(after)))
            elif children.numbers[i, DISPROOF]:
                won.others.append((move, after))
        return won

    def _again(self, row: Words, count: int) -> Children:
        """Search a position again that the table has lost."""
        answer = self.prover.ask_row(row, self.goal, self.budget.since(self.began))
        if answer.verdict == "unknown":
            raise LimitExceeded("search", str(self.budget), doing="writing down the proof", is_lasting=False)
        if answer.verdict == "disproved":
            raise StrategyError("the table of proof numbers is not true: a position that was proved is lost")
        return Children.of(self.prover.pool, count)

    # The smallest proof

    def _proof(self) -> WrittenProof | None:
        """The cheapest proof in what is known; None where there is none yet."""
        order, cost = self._settled()
        if 0 not in cost:
            return None
        way = {
            number: min(won.ways, key=lambda each: (cost.get(each[1], np.inf), each))
            for number in order
            if (won := self.known[number]) is not None and won.is_mine
        }
        return self._reached(order, way, cost)

    def _settled(self) -> tuple[list[int], dict[int, float]]:
        """Positions in the order of their cost, and what each costs: itself, its replies, the cheapest of its moves."""
        parents: dict[int, list[int]] = {}
        missing, total = {}, {}
        heap: list[tuple[float, int]] = []
        for number, won in enumerate(self.known):
            if won is None:
                continue
            children = {child for _, child in won.ways}
            missing[number], total[number] = min(1, len(children)) if won.is_mine else len(children), 1.0
            for child in children:
                parents.setdefault(child, []).append(number)
            if not children:
                heap.append((1.0, number))
        cost: dict[int, float] = {}
        while heap:
            spent, number = heapq.heappop(heap)
            cost[number] = spent
            for parent in parents.get(number, ()):
                missing[parent] -= 1
                total[parent] += spent if missing[parent] >= 0 else 0.0
                if missing[parent] == 0:
                    heapq.heappush(heap, (total[parent], parent))
        return list(cost), cost

    def _reached(
        self, order: list[int], way: dict[int, tuple[int, int]], cost: dict[int, float]
    ) -> WrittenProof:
        """The part of the graph that comes of the ways taken."""
        seen, todo = {0}, [0]
        while todo:
            new = set(self._next(todo.pop(), way)) - seen
            seen |= new
            todo += new
        kept = [number for number in order if number in seen]
        distance: dict[int, int] = {}
        for number in kept:
            after = self._next(number, way)
            distance[number] = 1 + max(distance[child] for child in after) if after else 0
        return WrittenProof(kept, {number: way[number] for number in kept if number in way}, distance, cost)

    def _next(self, number: int, way: dict[int, tuple[int, int]]) -> list[int]:
        if number in way:
            return [way[number][1]]
        won = self.known[number]
        assert won is not None  # what has a cost is known
        return [child for _, child in won.ways]

    def _try_others(self, proof: WrittenProof, effort: int) -> int:
        """Try to prove moves that are not known to win, where the proof is large; the nodes that it took."""
        spent = 0
        for number in sorted(proof.way, key=lambda each: -proof.cost[each]):
            won, size = self.known[number], min(proof.size, int(proof.cost[number]))
            if won is None or size < WORTH_TRYING or spent >= effort:
                break
            for move, row in list(won.others):
                budget = Budget(nodes=max(0, min(MOST_TRIED, 50 * size, effort - spent)))
                answer = self.prover.ask_row(row, self.goal, budget)
                spent += max(LEAST_TRIED, answer.nodes)
                if answer.verdict == "proved":
                    won.ways.insert(0, (move, self._add(row)))
                    won.others = [each for each in won.others if each[0] != move]
        return spent


def _ends_first(children: Children, state_words: int) -> list[int]:
    """The numbers of children, those where the game is over first."""
    is_over = (children.rows[:, state_words] & np.uint64(1)) != 0
    order: list[int] = np.argsort(~is_over, kind="stable").tolist()
    return order
