"""Egghead, the house player: looks at the game first, then takes what suits it.

small enough            solved in the start clock, and played from the solution
one role                the best line that solving, planning or nested Monte Carlo search finds, followed
roles take turns        alpha-beta for a part of the time, in case the end is near, then Monte Carlo tree search;
                        a tree for each core, kept from move to move
moves are simultaneous  decoupled UCT
not compiled            UCT in Python
the state is hidden     decoupled UCT in the states in which the game can be, or where it may be if nothing fits
"""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal
from weakref import proxy

from gamemaster.errors import GameIllDefined, GamemasterError, Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.metagame.parts import solve_by_parts
from gamemaster.players.beliefs import guessed
from gamemaster.players.player import Player
from gamemaster.players.voting import vote
from gamemaster.search.budget import Budget
from gamemaster.search.catalogue import find_algorithm
from gamemaster.search.parameters import check_known, parameters_of_callable
from gamemaster.search.result import GUESSED, NOT_SEARCHED, SearchResult
from gamemaster.search.suitable import is_native, native_game, needs

if TYPE_CHECKING:
    from gamemaster.search.native.learning import Learnt
    from gamemaster.search.native.tuning import TreeSettings, Tuning

__all__ = ["Egghead"]

PROBE_SHARE, SOLVING_SHARE, NEAR = 0.03, 0.3, 0.4
"""How much of a move's time goes to a first try of alpha-beta, and to a longer one where the first looked as far as
this share of what is probably left of the game."""

SOLVED_SHARE = 0.8
"""How much of a move's time it may take where the game was solved: a busy machine shall not lose the solution."""

SAMPLE, SAMPLE_SECONDS = 8, 0.3
"""Random games that tell how long the game is, and whether the roles are against each other."""

START_SHARE = 0.7
"""How much of the start clock may go to waiting for machine code."""

SOLVE_FIRST, LEARN_SHARE, TUNE_SHARE = 0.2, 0.05, 0.4
"""How much of the start clock goes to solving the game as a whole, and how much of the rest to playing games to learn
from, and to trying settings; in what is left the trees begin to grow."""

GUESSING_SHARE = 0.3
"""How much of a move's time goes to random games where nothing is known of the state."""

LOOKING_SHARE = 0.7
"""How much of a move's time goes to looking for a line; the rest is for whoever has to move without one."""

WORTH_KNOWING = 0.03
"""What is learnt should explain so much of the differences between games at least."""

TREE_BYTES = 600 << 20

MOST_FACTS = 256
"""Games with more are not tried to be solved by parts: that has no clock of its own."""


class Egghead(Player):
    """Our best: analyses the game, solves it if it is small, else searches on all cores until just before time.

    Plays every game, those that hide their state included.
    """

    needs_state = False
    believes = True
    in_machine_code = ("mcts", "solver", "learning")

    def __init__(self, seed: int | None = None, threads: int | None = None) -> None:
        super().__init__(seed)
        check_known("egghead", parameters_of_callable(Egghead, 0), {"threads": threads})
        self.threads = threads or os.cpu_count() or 1
        self._minds: list[Mind] = []
        self._is_waiting = False

    def prepare(self) -> None:
        """Choose what to think with, and let it use the start clock."""
        began = time.perf_counter()
        if self.game.has_percepts:
            self._minds = [Joint(self)]  # for whoever asks about a state as if it were known
            return
        self._is_waiting = not _is_native(self, self.startclock * START_SHARE)
        self._minds = [make(self) for make in _minds_for(self, self._is_waiting)]
        for mind in self._minds:
            mind.prepare(self.budget.since(began))

    def choose(self, state: State) -> Term | None:
        """What the first mind that can says; each has the time that those before it have left."""
        began = time.perf_counter()
        if self._is_waiting and _is_native(self, 0.0):
            self._is_waiting = False
            self._minds = [make(self) for make in _minds_for(self, False)]
        budget = self.budget if self.budget.seconds is not None else Budget(seconds=1.0)
        for mind in self._minds:
            left = budget.since(began)
            try:
                result = mind.think(state, left) if left.seconds else None
            except Unsuitable:
                continue
            if result is not None and result.move is not None:
                self.last_result = self._told(result, mind)
                return result.move
        result = self._unsearched(state.legal_moves(self.role))
        self.last_result = replace(result, algorithm="egghead (none)")
        return result.move

    def _unsearched(self, legal: Sequence[Term]) -> SearchResult:
        """Any move, where there is nothing to think with, or no time."""
        return SearchResult("none", self.role, self.generator.choice(legal), 0.0, notes=NOT_SEARCHED)

    def _told(self, result: SearchResult, mind: Mind) -> SearchResult:
        """A result as egghead's: with what it found out, and why that is less than it could be."""
        caveats = list(result.caveats)
        if self._is_waiting and is_native(self.game) and not isinstance(mind, Joint):
            caveats.append(_caveat_of(self))
        notes = "\n".join(filter(None, [*caveats, self.findings]))
        return replace(result, algorithm=f"egghead ({result.algorithm})", notes=notes)

    @property
    def findings(self) -> str:
        """What its minds found out in the start clock."""
        return "\n".join(filter(None, (mind.findings for mind in self._minds)))

    @property
    def summary(self) -> str:
        """The same in a line."""
        return "; ".join(filter(None, (mind.summary for mind in self._minds)))

    def stop(self, moves: Any = None) -> Literal[False]:
        """Let go of the trees, which are large."""
        self._minds = []
        return super().stop(moves)

    def abort(self) -> Literal[False]:
        """Let go of the trees."""
        self._minds = []
        return super().abort()

    def choose_from(self, legal: Sequence[Term]) -> Term | None:
        """Where the state is hidden: what is best on the whole in the states that can be."""
        began, beliefs = time.perf_counter(), self.beliefs
        if beliefs is None:
            seconds = (self.budget.seconds or 0.0) * GUESSING_SHARE
            beliefs = guessed(self.game, self.role, legal, self.generator, seconds)
        if beliefs is None:
            result = self._unsearched(legal)
        else:
            result = vote(beliefs, legal, self.budget.since(began), self.generator)
        self.last_result = replace(result, algorithm=f"egghead ({result.algorithm})")
        if self.beliefs is None:
            self.last_result = self.last_result.noted(GUESSED)
        return result.move


class Mind(ABC):
    """One way of thinking about a game."""

    def __init__(self, player: Egghead) -> None:
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


def _minds_for(player: Egghead, is_waiting: bool) -> list[type[Mind]]:
    """The ways of thinking that suit the game, the best first."""
    game = player.game
    if game.kind.has_chance:
        return [Joint, Python]
    if is_waiting:
        return [Python, Joint] if len(game.roles) > 1 else [Puzzle, Python]
    return [Puzzle, Forest, Python] if len(game.roles) == 1 else [Forest, Joint, Python]


def _is_native(player: Egghead, seconds: float) -> bool:
    """Whether searches in machine code can be run, after so long at most."""
    from gamemaster.search.native.engine import is_at_hand

    return is_native(player.game) and is_at_hand(player.game, seconds)


def _caveat_of(player: Egghead) -> str:
    """What results note that were found without machine code."""
    from gamemaster.search.native.engine import caveat_of

    return caveat_of(player.game)


class Forest(Mind):
    """A tree for each core, and alpha-beta beside them."""

    tuning: Tuning | None = None
    learnt: Learnt | None = None
    is_solved = False

    def __init__(self, player: Egghead) -> None:
        from gamemaster.search.native.engine import Engine
        from gamemaster.search.native.solver import Solver
        from gamemaster.search.native.tuning import settings_for

        super().__init__(player)
        game = native_game(player.game)
        if game is None:
            raise Unsuitable(f"egghead's trees: searching them {needs(player.game)}")
        self.engines = [Engine(game) for _ in range(player.threads)]
        self.solver = Solver(self.engines[0], player.role)
        self.length, self.is_duel = _sampled(player)
        self._plant(settings_for(game)[0])

    def _plant(self, settings: TreeSettings) -> None:
        """A tree for each core."""
        share = TREE_BYTES // len(self.engines)
        seeds = [self.player.generator.getrandbits(32) for _ in self.engines]
        self.trees = [
            settings.tree(engine, seed, share, self.learnt)
            for engine, seed in zip(self.engines, seeds, strict=True)
        ]

    def prepare(self, budget: Budget) -> None:
        """Wait for machine code, try to solve the game, then find the settings that suit it."""
        from gamemaster.search.native.tuning import tune

        began = time.perf_counter()
        seconds = budget.seconds or 0.0
        self.engines[0].wait(seconds / 2)
        state = self.player.game.initial_state()
        left = seconds - (time.perf_counter() - began)
        try:
            first = self.solver.search(state, Budget(seconds=max(0.0, left) * SOLVE_FIRST))
            self.is_solved = first.is_proven and self._is_enough(first.value)
            if self.is_solved:
                return
        except Unsuitable:
            return
        left = seconds - (time.perf_counter() - began)
        if len(self.player.game.roles) > 1:
            self._learn(state, left * LEARN_SHARE)
            seed = self.player.generator.getrandbits(32)
            self.tuning = tune(self.engines[0], left * TUNE_SHARE, seed, learnt=self.learnt)
            self._plant(self.tuning.best)
            self._grow(state, began + seconds)

    def _learn(self, state: State, seconds: float) -> None:
        """What facts are worth, if it can be learnt; the settings to be tried then include to go by it."""
        from gamemaster.search.native.learning import learn

        try:
            learnt = learn(self.engines[0], state, seconds, self.player.generator.getrandbits(32))
        except Unsuitable:
            return
        if max(learnt.explained) >= WORTH_KNOWING:
            self.learnt = learnt

    @property
    def findings(self) -> str:
        """The settings that were tried and what facts are worth."""
        tuning = self.tuning if self.tuning is not None and any(self.tuning.games.values()) else None
        return "\n".join(str(each) for each in (tuning, self.learnt) if each is not None)

    @property
    def summary(self) -> str:
        """Whether the game is solved, or how much was tried and learnt."""
        if self.is_solved:
            return "the game is solved"
        tried = sum(self.tuning.games.values()) // 2 if self.tuning is not None else 0
        learnt = f"what facts are worth, from {self.learnt.games:,} random games" if self.learnt else ""
        played = f"which settings suit the game, from {tried:,} games against itself" if tried else ""
        found = ", and ".join(filter(None, (played, learnt)))
        return f"knows {found}" if found else ""

    def _exact(self, state: State, seconds: float) -> SearchResult:
        """What alpha-beta says, for a moment, or for longer where the end may be near; its table is kept.

        A game that it has solved is played from the solution: that takes a moment, if the machine has one.
        """
        if self.is_solved:
            return self.solver.search(state, Budget(seconds=seconds * SOLVED_SHARE))
        result = self.solver.search(state, Budget(seconds=seconds * PROBE_SHARE))
        left = max(1.0, self.length - state.step)
        if result.is_proven or result.depth < NEAR * left:
            return result
        return self.solver.search(state, Budget(seconds=seconds * SOLVING_SHARE))

    def _is_enough(self, value: float) -> bool:
        """Whether nothing better than a proven value can be hoped for.

        Alpha-beta takes all others for enemies. In a duel they are; elsewhere more may come of their own interest, and
        of somebody's mistakes where everything is lost.
        """
        best = float(self.engines[0].best_goal[self.solver.number]) * 100
        return value >= best or (self.is_duel and value > 0)

    def _grow(self, state: State, deadline: float) -> None:
        """Let all trees grow from a state on."""
        for tree in self.trees:
            tree.advance(state)
        left = max(0.0, deadline - time.perf_counter())
        with ThreadPoolExecutor(len(self.trees)) as pool:
            for growing in [pool.submit(tree.grow, left) for tree in self.trees]:
                growing.result()

    def think(self, state: State, budget: Budget) -> SearchResult:
        """What is proven, else what the trees say."""
        began = time.perf_counter()
        seconds = budget.seconds if budget.seconds is not None else 1.0
        exact = self._exact(state, seconds)
        if exact.is_proven and self._is_enough(exact.value):
            return exact
        self._grow(state, began + seconds)
        results = [tree.result(self.player.role, time.perf_counter() - began) for tree in self.trees]
        return together(results)


def _sampled(player: Egghead) -> tuple[float, bool]:
    """From random games: how many steps they take, and whether always one of two roles gets what the other does not."""
    deadline = time.perf_counter() + SAMPLE_SECONDS
    ends: list[State] = []
    try:
        while len(ends) < SAMPLE and (not ends or time.perf_counter() < deadline):
            ends.append(player.game.random_game(player.generator))
    except GameIllDefined:  # the rules let games get stuck
        return 1.0, False
    sums = {sum(end.goal(role) or 0 for role in player.game.roles) for end in ends}
    return sum(end.step for end in ends) / len(ends), len(player.game.roles) == 2 and len(sums) == 1


def together(results: list[SearchResult]) -> SearchResult:
    """What several trees say of the same state: visits added up, values weighed by them."""
    proven = [result for result in results if result.is_proven]
    if proven or len(results) == 1:
        return (proven or results)[0]
    visits: dict[Term, int] = {}
    sums: dict[Term, float] = {}
    weights: dict[Term, int] = {}
    for result in results:
        for move, value in result.values.items():
            count = result.visits.get(move, 0)
            visits[move] = visits.get(move, 0) + count
            weights[move] = weights.get(move, 0) + max(count, 1)
            sums[move] = sums.get(move, 0.0) + value * max(count, 1)
    values = {move: total / weights[move] for move, total in sums.items()}
    # Each tree has a move that it would make, with what it has proven in mind; those are compared.
    best = max(results, key=lambda result: (visits.get(result.move, 0) if result.move else -1, result.value))
    return replace(
        best,
        value=values.get(best.move, best.value) if best.move else best.value,
        values=values,
        visits=visits,
        nodes=sum(result.nodes for result in results),
        playouts=sum(result.playouts for result in results),
        depth=max(result.depth for result in results),
    )


class Puzzle(Mind):
    """For one role: the best line found so far, followed."""

    METHODS = ("parts", "nested", "solver", "depth first", "idastar", "planner")

    def __init__(self, player: Egghead) -> None:
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
        if not _is_native(self.player, 0.0):
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
    """Decoupled UCT, for simultaneous moves and chance."""

    def think(self, state: State, budget: Budget) -> SearchResult:
        """What it finds in the time."""
        seed = self.player.generator.getrandbits(32)
        return find_algorithm("decoupled")(state, self.player.role, budget, seed=seed)


class Python(Mind):
    """UCT in Python, for any machine."""

    def think(self, state: State, budget: Budget) -> SearchResult:
        """What it finds in the time."""
        seed = self.player.generator.getrandbits(32)
        return find_algorithm("uct")(state, self.player.role, budget, seed=seed)
