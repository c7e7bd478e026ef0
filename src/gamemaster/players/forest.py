"""Egghead's strongest mind: trees in machine code, one a core, with alpha-beta beside them unless there is chance.

It solves the game in the start clock if it can; else it learns what facts are worth and which settings suit the game.
Loads the searches in machine code, which takes a moment: imported only where they can be run.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from gamemaster.errors import GameIllDefined, Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, State
from gamemaster.players.judged import KIND, TriedJudgement, judge
from gamemaster.players.minds import Mind, MindOwner
from gamemaster.search.budget import Budget, Halt, Meter
from gamemaster.search.native.engine import NO_LIMIT, Engine
from gamemaster.search.native.learning import Learnt, learn
from gamemaster.search.native.solver import Solver
from gamemaster.search.native.tuning import TreeSettings, Tuning, settings_for, tune
from gamemaster.search.native.warming import warm_up
from gamemaster.search.result import SearchResult
from gamemaster.search.suitable import native_game, needs

__all__ = ["Forest", "merged"]

PROBE_SHARE, SOLVING_SHARE, NEAR = 0.03, 0.3, 0.4
"""How much of a move's time goes to a first try of alpha-beta, and to a longer one where the first looked as far as
this share of what is probably left of the game."""

SOLVED_SHARE = 0.8
"""How much of a move's time it may take where the game was solved: a busy machine shall not lose the solution."""

FEWEST_NODES = 100
"""Where states are counted: with fewer alpha-beta does not begin."""

SAMPLE, SAMPLE_SECONDS = 8, 0.3
"""Random games that tell how long the game is, and whether the roles are against each other."""

SOLVE_FIRST, JUDGE_SHARE, LEARN_SHARE, TUNE_SHARE = 0.2, 0.9, 0.05, 0.4
"""How much of the start clock goes to solving the game as a whole, and how much of the rest to judgement; if the trees
do better without, how much of what is left to playing games to learn from, and to trying settings. At the end they
begin to grow."""

WORTH_KNOWING = 0.03
"""What is learnt should explain so much of the differences between games at least."""


class Forest(Mind):
    """A tree for each core, and alpha-beta beside them where chance has no part in the game."""

    solver: Solver | None = None
    tuning: Tuning | None = None
    learnt: Learnt | None = None
    verdict: TriedJudgement | None = None
    is_solved = False

    def __init__(self, player: MindOwner) -> None:
        super().__init__(player)
        game = native_game(player.game, with_chance=True)
        if game is None:
            raise Unsuitable(f"egghead's trees: searching them {needs(player.game, with_chance=True)}")
        self.engines = [Engine(game) for _ in range(player.threads)]
        if not game.kind.has_chance:
            self.solver = Solver(self.engines[0], player.role)
        self.others = [role for role in game.roles if role not in (player.role, RANDOM)]
        self.length, self.is_duel = _sampled(player)
        self._plant(settings_for(game)[0])
        if self._may_judge():
            warm_up(0.0, KIND)  # begin to have its kernels compiled

    def _may_judge(self) -> bool:
        """Whether it may learn by playing against itself: two roles against each other, without chance."""
        return self.is_duel and self.solver is not None

    def _plant(self, settings: TreeSettings) -> None:
        """A tree for each core."""
        share = (self.player.memory << 20) // len(self.engines)
        seeds = [self.player.generator.getrandbits(32) for _ in self.engines]
        self.trees = [
            settings.tree(engine, seed, share, self.learnt)
            for engine, seed in zip(self.engines, seeds, strict=True)
        ]

    def prepare(self, budget: Budget) -> None:
        """Wait for machine code, try to solve the game, then find the settings that suit it."""
        meter = replace(budget, seconds=budget.seconds or 0.0).start()
        self.engines[0].wait((budget.seconds or 0.0) / 2)
        state = self.player.game.initial_state()
        try:
            self.is_solved = self._is_solved_in(state, max(0.0, meter.left()) * SOLVE_FIRST)
            if not self.is_solved and self.others:
                self._judge(state, meter.left())
                if not self.is_judging:
                    self._try_settings(state, meter.left())
                    self._grow(state, meter)
        except Unsuitable:  # roles choose at once, sooner or later
            return

    def _is_solved_in(self, state: State, seconds: float) -> bool:
        """Whether alpha-beta finds the best that can be hoped for, in so long."""
        if self.solver is None:
            return False
        first = self.solver.search(state, Budget(seconds=seconds))
        return first.is_proven and self._is_enough(first.value)

    def _judge(self, state: State, seconds: float) -> None:
        """Learn by playing against itself, and see whether alpha-beta with that does better than a tree."""
        if self._may_judge():
            seed, has_experience = self.player.generator.getrandbits(32), self.player.has_experience
            left = seconds * JUDGE_SHARE
            self.verdict = judge(
                self.engines[0], state, self.trees[0], left, seed, has_experience=has_experience
            )

    @property
    def is_judging(self) -> bool:
        """Whether it plays by judgement, and not by trees."""
        return self.verdict is not None and self.verdict.is_better

    def _try_settings(self, state: State, seconds: float) -> None:
        """Learn, and let the settings play that may suit the game; the trees begin anew with the best."""
        self._learn(state, seconds * LEARN_SHARE)
        seed = self.player.generator.getrandbits(32)
        self.tuning = tune(self.engines[0], seconds * TUNE_SHARE, seed, learnt=self.learnt)
        self._plant(self.tuning.best)

    def _learn(self, state: State, seconds: float) -> None:
        """What facts are worth, if it can be learnt; the settings to be tried then include to go by it."""
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
        return "\n".join(str(each) for each in (self.verdict, tuning, self.learnt) if each is not None)

    @property
    def summary(self) -> str:
        """Whether the game is solved, or how much was tried and learnt."""
        if self.is_solved:
            return "the game is solved"
        if self.verdict is not None and self.is_judging:
            return str(self.verdict)
        tried = sum(self.tuning.games.values()) // 2 if self.tuning is not None else 0
        learnt = f"what facts are worth, from {self.learnt.games:,} random games" if self.learnt else ""
        played = f"which settings suit the game, from {tried:,} games against itself" if tried else ""
        found = ", and ".join(filter(None, (played, learnt)))
        return f"knows {found}" if found else ""

    def _exact(self, state: State, meter: Meter) -> SearchResult | None:
        """What alpha-beta says, for a moment, or for longer where the end may be near; its table is kept.

        A game that it has solved is played from the solution: that takes a moment, if the machine has one.
        """
        if self.is_solved:
            return self._solve(state, meter, SOLVED_SHARE)
        result = self._solve(state, meter, PROBE_SHARE)
        left = max(1.0, self.length - state.step)
        if result is None or result.is_proven or result.depth < NEAR * left:
            return result
        return self._solve(state, meter, SOLVING_SHARE)

    def _solve(self, state: State, meter: Meter, share: float) -> SearchResult | None:
        """What alpha-beta says for a share of a budget; None where it cannot be asked, or so little tells nothing."""
        seconds, nodes = meter.budget.seconds, meter.budget.nodes
        most = None if nodes is None else int(nodes * share)
        if self.solver is None or (most is not None and most < FEWEST_NODES):
            return None
        result = self.solver.search(state, Budget(None if seconds is None else seconds * share, most))
        meter.nodes += result.nodes
        return result

    def _is_enough(self, value: float) -> bool:
        """Whether nothing better than a proven value can be hoped for.

        Alpha-beta takes all others for enemies. In a duel they are; elsewhere more may come of their own interest, and
        of somebody's mistakes where everything is lost.
        """
        best = float(self.engines[0].best_goal[self.engines[0].role_number(self.player.role)]) * 100
        return value >= best or (self.is_duel and value > 0)

    def _grow(self, state: State, meter: Meter) -> None:
        """Let all trees grow from a state on, for what is left."""
        for tree in self.trees:
            tree.advance(state)
        own = meter.rest().split(len(self.trees))
        with ThreadPoolExecutor(len(self.trees)) as pool:
            for growing in [
                pool.submit(tree.grow, own.seconds, _descents(own, tree.options.each)) for tree in self.trees
            ]:
                growing.result()

    def ponder(self, state: State, stop: Halt) -> bool:
        """Let all trees grow until told to stop; who plays by a solution or by judgement needs none."""
        if not self.is_solved and not self.is_judging:
            for tree in self.trees:
                tree.advance(state)
            with ThreadPoolExecutor(len(self.trees)) as pool:
                for growing in [pool.submit(tree.grow, None, until=stop) for tree in self.trees]:
                    growing.result()
        return True

    def think(self, state: State, budget: Budget) -> SearchResult:
        """What is proven, else what judgement says, or the trees."""
        meter = replace(budget, seconds=1.0 if budget.seconds is None else budget.seconds).start()
        exact = self._exact(state, meter)
        if exact is not None and exact.is_proven and self._is_enough(exact.value):
            return exact
        if self.verdict is not None and self.is_judging:
            return self.verdict.judging.search(state, self.player.role, meter.rest())
        self._grow(state, meter)
        return merged([tree.result(self.player.role, meter.seconds) for tree in self.trees])


def _descents(budget: Budget, each: int) -> int:
    """How often a tree may be gone down, with so many playouts each time."""
    playouts = NO_LIMIT if budget.playouts is None else -(-budget.playouts // each)
    return min(playouts, NO_LIMIT if budget.nodes is None else budget.nodes)


def _sampled(player: MindOwner) -> tuple[float, bool]:
    """From random games: how many steps they take, and whether always one of two roles gets what the other does not."""
    deadline = time.perf_counter() + SAMPLE_SECONDS
    ends: list[State] = []
    try:
        while len(ends) < SAMPLE and (not ends or time.perf_counter() < deadline):
            ends.append(player.game.random_game(player.generator))
    except GameIllDefined:  # the rules let games get stuck
        return 1.0, False
    roles = [role for role in player.game.roles if role != RANDOM]
    sums = {sum(end.goal(role) or 0 for role in roles) for end in ends}
    return sum(end.step for end in ends) / len(ends), len(roles) == 2 and len(sums) == 1


def merged(results: list[SearchResult]) -> SearchResult:
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
