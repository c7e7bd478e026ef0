"""Egghead's mind for games of one role: the best line found so far, followed, and improved while there is time.

Many searches take turns, each with a share of the time that doubles from round to round: so an easy puzzle is solved at
once by whichever suits it, and a hard one has most of the clock for those that need it. Who is done early without a
solution does not come again. The planner, a process of its own, works beside them after the first round. It ends when a
line is proven to be the best, or with the clock: in the start clock, and again in every move. A line is only given up
for a better one.
"""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Event

from gamemaster.errors import GamemasterError, Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.metagame.parts import solve_by_parts
from gamemaster.players.minds import Mind, MindOwner, prepare_machine_code
from gamemaster.search.budget import Budget
from gamemaster.search.catalogue import find_algorithm
from gamemaster.search.goals import goals_in
from gamemaster.search.playouts.batches import worth
from gamemaster.search.puzzles.planner import plan
from gamemaster.search.result import SearchResult

__all__ = ["Puzzle"]

IN_MACHINE_CODE = {
    "nrpa": 2.0,
    "filling": 1.0,
    "breadth": 2.0,
    "bestfirst": 1.0,
    "parts": 1.0,
    "solver": 1.0,
    "depth first": 1.0,
    "idastar": 1.0,
}
"""The searches in the order of their turns, and how long these are, compared with others."""

IN_PYTHON = {"nested": 2.0, "parts": 1.0, "maximizer": 1.0, "idastar": 1.0}
"""Those for games without machine code, or while that is not made yet."""

FIRST_SHARE = 1 / 90
FIRST_ROUND = 0.12
"""The turn of a search with a weight of 1 in the first round, as a share of the time; and the whole round."""

LOOKING_SHARE, IMPROVING_SHARE = 0.7, 0.9
"""How much of a move's time goes to looking for a line, the rest being for whoever has to move without one; and how
much to looking for a better one."""

START_SHARE = 0.97
"""How much of the start clock: lines are also walked, and others have to get ready."""

LEAST_SECONDS = 0.01

LONGEST = 64
"""So much of the line is told."""

MOST_FACTS = 256
"""Games with more are not tried to be solved by parts: not all of that looks at the clock."""


class Puzzle(Mind):
    """For one role: the best line found so far, followed."""

    how, is_proven, is_starting = "none", False, False

    def __init__(self, player: MindOwner) -> None:
        super().__init__(player)
        self.plan: dict[State, Term] = {}
        self.best = -1.0

    def prepare(self, budget: Budget) -> None:
        """Look for a line to the greatest goal."""
        self.is_starting = True
        self._look(self.player.game.initial_state(), (budget.seconds or 1.0) * START_SHARE)
        self.is_starting = False

    def think(self, state: State, budget: Budget) -> SearchResult:
        """The next move of the line, after a look for a better one; a new line where there is none."""
        has_line = state in self.plan
        if not has_line:
            self.best, self.how, self.is_proven = -1.0, "none", False
        share = IMPROVING_SHARE if has_line else LOOKING_SHARE
        self._look(state, (budget.seconds or 1.0) * share)
        move = self.plan.get(state)
        if move is None:
            raise Unsuitable(f"egghead found no line for {self.player.game.name}")
        return SearchResult(
            self.how,
            self.player.role,
            move,
            max(0.0, self.best),
            {move: max(0.0, self.best)},
            line=self._rest(state),
            is_proven=self.is_proven,
        )

    def _rest(self, state: State) -> tuple[Term, ...]:
        line: list[Term] = []
        while state in self.plan and len(line) < LONGEST:
            line.append(self.plan[state])
            state = state.next(self.plan[state])
        return tuple(line)

    @property
    def is_settled(self) -> bool:
        """Whether nothing better is to be found."""
        return self.is_proven or self.best >= goals_in(self.player.game, self.player.role).ceiling

    def _look(self, state: State, seconds: float) -> None:
        """Let searches take turns until a line is proven to be the best, or time is up; the planner beside them."""
        began = time.perf_counter()
        self._take_turns(state, seconds * FIRST_ROUND, seconds * FIRST_SHARE, None)
        seconds -= time.perf_counter() - began
        if self.is_settled or seconds < LEAST_SECONDS:
            return
        began = time.perf_counter()
        with ThreadPoolExecutor(1, "gamemaster planner") as pool:
            is_over = Event()
            planning = pool.submit(self._plan, state, Budget(seconds=seconds), is_over)
            try:
                self._take_turns(state, seconds, 2 * seconds * FIRST_SHARE, planning)
                if not self.is_settled:
                    wait([planning], max(0.0, seconds - (time.perf_counter() - began)))
            finally:
                is_over.set()
            self._hear(planning, state)

    def _plan(self, state: State, budget: Budget, is_over: Event) -> SearchResult | None:
        """What the planner finds before it is over; nothing where it cannot plan."""
        try:
            return plan(state, self.player.role, budget, is_wanted=lambda: not is_over.is_set())
        except (
            GamemasterError,
            OSError,
            RuntimeError,
            MemoryError,
        ):  # its process could not be had, or failed
            return None

    def _hear(self, planning: Future[SearchResult | None] | None, state: State) -> None:
        """Take over what the planner has found, if it is done."""
        if planning is not None and planning.done() and (found := planning.result()) is not None:
            self._take("planner", found, state)

    def _take_turns(
        self, state: State, seconds: float, turn: float, planning: Future[SearchResult | None] | None
    ) -> None:
        """Let searches have turns of so many seconds, twice as many in each round, until nothing is left to do."""
        began = time.perf_counter()
        done: set[str] = set()
        game = self.player.game
        while not self.is_settled:
            has_code = prepare_machine_code(game, 0.0)
            searches = IN_MACHINE_CODE if has_code else IN_PYTHON
            for name in [name for name in searches if name not in done]:
                left = seconds - (time.perf_counter() - began)
                if self.is_settled or left < LEAST_SECONDS:
                    return
                self._hear(planning, state)
                if self.is_settled:
                    return
                given, asked = min(left, turn * searches[name]), time.perf_counter()
                self._try(name, state, Budget(seconds=given))
                if time.perf_counter() - asked < given / 2:
                    done.add(name)
                if not has_code and prepare_machine_code(game, 0.0):
                    break  # which is worth more than whose turn it is
            if done >= searches.keys():
                return
            turn *= 2

    def _try(self, name: str, state: State, budget: Budget) -> None:
        """Take over what a search finds, if that is better."""
        try:
            result = self._search(name, state, budget)
        except (GamemasterError, MemoryError):
            return
        self._take(name, result, state)

    def _take(self, name: str, result: SearchResult, state: State) -> None:
        """Take over a line, if it is better than what there is, or proven to be as good as can be."""
        if result.value < self.best or (result.value == self.best and not result.is_proven):
            return  # to walk a line takes its time
        end, path = state, []
        for move in result.line:
            if end.is_over or move not in end.legal_moves(self.player.role):
                break
            path.append((end, move))
            end = end.next(move)
        value = worth(end, self.player.role) if end.is_over else _worth_of_a_part(result)
        is_proven = result.is_proven and value == result.value  # which a line that breaks off does not show
        if path and (value > self.best or (is_proven and value == self.best)):
            self.best, self.how, self.is_proven = value, name, is_proven
            self.plan = dict(path)  # of another line nothing is worth what is told of this one

    def _search(self, name: str, state: State, budget: Budget) -> SearchResult:
        if name == "parts":
            return self._by_parts(state, budget)
        if name in ("solver", "depth first"):
            from gamemaster.search.native.solver import solve

            return solve(state, self.player.role, budget, at_once=name == "depth first")
        seed = self.player.generator.getrandbits(32)
        return find_algorithm(name)(state, self.player.role, budget, seed=seed)

    def _by_parts(self, state: State, budget: Budget) -> SearchResult:
        """The solution of a small game that falls into independent parts."""
        game = self.player.game
        is_small = game.circuit is not None and len(game.circuit.facts) <= MOST_FACTS
        if not self.is_starting or not is_small:
            raise Unsuitable("only small games are solved by parts, and only in the start clock")
        solution = solve_by_parts(game, time.monotonic() + (budget.seconds or 0.0))
        return SearchResult(
            "parts",
            self.player.role,
            solution.moves[0],
            float(solution.goal),
            line=solution.moves,
            is_proven=True,
        )


def _worth_of_a_part(result: SearchResult) -> float:
    """What a line is worth that breaks off: a little less than what is proven, else hardly more than no line."""
    return result.value - 1 if result.is_proven else -0.5
