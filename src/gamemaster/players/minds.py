"""Ways of thinking about a game, of which egghead takes those that suit it; the strongest is in forest.py."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from random import Random
from typing import TYPE_CHECKING, Protocol
from weakref import proxy

from gamemaster.errors import GamemasterError, Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State
from gamemaster.metagame.parts import solve_by_parts
from gamemaster.search.budget import Budget
from gamemaster.search.catalogue import find_algorithm
from gamemaster.search.result import SearchResult
from gamemaster.search.suitable import JOINT, kinds_for, may_choose_at_once

if TYPE_CHECKING:
    from gamemaster.search.playouts.joint_lanes import JointGraphs

__all__ = ["IN_MACHINE_CODE", "Joint", "Mind", "MindOwner", "PlainUct", "Puzzle", "prepare_machine_code"]

IN_MACHINE_CODE = ("mcts", "solver", "learning")
"""The kinds of kernels that minds take, as far as those take the game."""

WAITING_SHARE = 0.7
"""How much of the start clock may go to waiting for machine code of joint moves."""

LOOKING_SHARE = 0.7
"""How much of a move's time goes to looking for a line; the rest is for whoever has to move without one."""

MOST_FACTS = 256
"""Games with more are not tried to be solved by parts: that has no clock of its own."""


def prepare_machine_code(game: Game, seconds: float) -> bool:
    """Have searches in machine code compiled, if they take a game; whether they are, after so long at most."""
    kinds = kinds_for(game, IN_MACHINE_CODE)
    if not kinds:
        return False
    from gamemaster.search.native.warming import prepare_search

    return prepare_search(game, seconds, kinds)


class MindOwner(Protocol):
    """What a mind needs of the player whose it is."""

    game: Game
    role: str
    generator: Random
    threads: int
    """How many cores it thinks on."""
    has_experience: bool
    """Whether it may use what was learnt of the game before."""


class Mind(ABC):
    """One way of thinking about a game."""

    def __init__(self, player: MindOwner) -> None:
        self.player = proxy(player)  # a circle would keep trees in memory long after their player has gone

    def prepare(self, budget: Budget) -> None:  # noqa: B027 - a mind need not prepare
        """Use the start clock."""

    @abstractmethod
    def think(self, state: State, budget: Budget) -> SearchResult:
        """The move to make; Unsuitable where this mind cannot say."""

    @property
    def findings(self) -> str:
        """What it found out before the first move, for people to read."""
        return ""

    @property
    def summary(self) -> str:
        """The same in a few words."""
        return ""


class Puzzle(Mind):
    """For one role: the best line found so far, followed."""

    METHODS = ("parts", "nested", "solver", "depth first", "idastar", "planner")

    def __init__(self, player: MindOwner) -> None:
        super().__init__(player)
        self.plan: dict[State, Term] = {}
        self.best = -1.0

    def prepare(self, budget: Budget) -> None:
        """Look for a line to the greatest goal."""
        self._look(self.player.game.initial_state(), budget)

    def think(self, state: State, budget: Budget) -> SearchResult:
        """The next move of the line; a new line where there is none."""
        if state not in self.plan:
            self.best = -1.0
            self._look(state, Budget(seconds=(budget.seconds or 1.0) * LOOKING_SHARE))
        move = self.plan.get(state)
        if move is None:
            raise Unsuitable(f"egghead found no line for {self.player.game.name}")
        return SearchResult(
            self.how,
            self.player.role,
            move,
            self.best,
            {move: self.best},
            line=self._rest(state),
            is_proven=self.is_proven,
        )

    def _rest(self, state: State) -> tuple[Term, ...]:
        line: list[Term] = []
        while state in self.plan and len(line) < 64:
            line.append(self.plan[state])
            state = state.next(self.plan[state])
        return tuple(line)

    def _look(self, state: State, budget: Budget) -> None:
        """Try one method after the other, each for a share of the time, until a line leads to 100."""
        self.how, self.is_proven = "none", False
        began = time.perf_counter()
        seconds = budget.seconds if budget.seconds is not None else 1.0
        for number, name in enumerate(self.METHODS):
            left = seconds - (time.perf_counter() - began)
            if self.best >= 100 or self.is_proven or left <= 0:
                return
            self._try(name, state, Budget(seconds=left / (len(self.METHODS) - number)))

    def _try(self, name: str, state: State, budget: Budget) -> None:
        try:
            result = self._search(name, state, budget)
        except GamemasterError:
            return
        end, path = state, []
        for move in result.line:
            if end.is_terminal or move not in end.legal_moves(self.player.role):
                break
            path.append((end, move))
            end = end.next(move)
        value = float(end.goal(self.player.role) or 0) if end.is_terminal else result.value - 1
        is_proven = result.is_proven and value == result.value  # which a line that breaks off does not show
        if value > self.best or (is_proven and value == self.best):
            self.best, self.how, self.is_proven = value, name, is_proven
            self.plan.update(path)

    def _search(self, name: str, state: State, budget: Budget) -> SearchResult:
        seed = self.player.generator.getrandbits(32)
        if name == "parts":
            return self._by_parts(state)
        if name not in ("solver", "depth first"):
            return find_algorithm(name)(state, self.player.role, budget, seed=seed)
        if not prepare_machine_code(self.player.game, 0.0):
            return find_algorithm("maximizer")(state, self.player.role, budget, seed=seed)
        from gamemaster.search.native.solver import solve

        return solve(state, self.player.role, budget, at_once=name == "depth first")

    def _by_parts(self, state: State) -> SearchResult:
        """The solution of a small game that falls into independent parts."""
        game = self.player.game
        is_small = game.circuit is not None and len(game.circuit.facts) <= MOST_FACTS
        if state.step or not is_small:
            raise Unsuitable("only small games are solved by parts, and only from their start")
        solution = solve_by_parts(game)
        return SearchResult(
            "parts",
            self.player.role,
            solution.moves[0],
            float(solution.goal),
            line=solution.moves,
            is_proven=True,
        )


class Joint(Mind):
    """Decoupled search, for simultaneous moves and chance: in machine code as soon as that is there, a graph a core."""

    graphs: JointGraphs | None = None

    def prepare(self, budget: Budget) -> None:
        """Let the graphs grow from the start of the game, before the first move."""
        began, seconds = time.perf_counter(), budget.seconds or 0.0
        if may_choose_at_once(self.player.game) and self._is_ready(seconds * WAITING_SHARE):
            assert self.graphs is not None
            self.graphs.grow(self.player.game.initial_state(), budget.since(began))

    def think(self, state: State, budget: Budget) -> SearchResult:
        """What it finds in the time."""
        if self._is_ready(0.0):
            assert self.graphs is not None
            return self.graphs.search(state, self.player.role, budget)
        seed, game = self.player.generator.getrandbits(32), self.player.game
        found = find_algorithm("decoupled")(state, self.player.role, budget, seed=seed, lanes=False)
        return found if game.compiled is None else found.noted(_caveat_of(game))

    def _is_ready(self, seconds: float) -> bool:
        """Have the graphs made if they can be had in so long; whether they are there."""
        game = self.player.game.compiled
        if self.graphs is None and game is not None:
            from gamemaster.search.playouts.joint_lanes import JointGraphs, are_joint_lanes_ready

            if are_joint_lanes_ready(game, seconds):
                self.graphs = JointGraphs(game, self.player.generator.getrandbits(32), self.player.threads)
        return self.graphs is not None


def _caveat_of(game: Game) -> str:
    """What a result notes that was found without machine code."""
    from gamemaster.search.native.warming import caveat_of

    return caveat_of(game, (JOINT,))


class PlainUct(Mind):
    """UCT in Python, for any machine."""

    def think(self, state: State, budget: Budget) -> SearchResult:
        """What it finds in the time."""
        seed = self.player.generator.getrandbits(32)
        return find_algorithm("uct")(state, self.player.role, budget, seed=seed)
