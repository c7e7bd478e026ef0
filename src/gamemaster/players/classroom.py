"""The classroom's players that look ahead, move for move as the original's: no pruning, no memory, moves shuffled.

The depth of a search is counted after the first move: onestep looks at the states after its own move (depth 0), twostep
and minimaxdepth at those two steps later. Roles other than the player's own all want the least for it. A state that
is not searched further is worth its goal, as if the game ended there. All refuse games in which several roles choose
at once, and games of chance. The original's minimax knows no clock; these answer with the best so far when time is up.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gamemaster.errors import Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, Game, State
from gamemaster.players.player import Player
from gamemaster.search.budget import Meter, OutOfBudget
from gamemaster.search.goals import goals_in
from gamemaster.search.parameters import check_known, parameters_of_callable
from gamemaster.search.result import SearchResult

__all__ = ["Minimax", "Minimaxdepth", "Minimaxid", "Onestep", "Twostep", "refuse_unless_turns"]

BEST, WORST = 100, 0
DEEPEST = 200
"""Lines are not followed further than this, in steps: games may go round in circles, and Python's stack is finite."""

LAST_ITERATION = 24
SAMPLES, SAMPLE_LENGTH, SAMPLE_SECONDS = 4, 200, 0.2
"""How many random games are looked through for a state in which several roles choose, and how far."""


class Minimax(Player):
    """The move with the best result if every other role plays against it, searched to the end of the game.

    Takes the first of its shuffled moves that leads to 100, else the first with the best value. Only small games are
    searched in time. Refuses games of chance and of simultaneous moves.
    """

    depth: int = DEEPEST

    def prepare(self) -> None:
        """Refuse a game in which roles do not take turns."""
        refuse_unless_turns(self.game, self.name, self.generator)

    def choose(self, state: State) -> Term | None:
        """The first of the shuffled moves with the best value at this depth."""
        search = Lookahead(self.name, self.role, self.budget.start(), self.generator)
        search.run(state, self.depth)
        self.last_result = search.result()
        return search.best


class Onestep(Minimax):
    """The move after which its own goal is greatest, whether or not the game is over then.

    Takes the first of its shuffled moves that leads to 100, else the first with the greatest goal. Refuses games of
    chance and of simultaneous moves.
    """

    depth = 0


class Minimaxdepth(Minimax):
    """Minimax two steps beyond its own move, or `depth`; states there are worth their goal.

    Takes the first of its shuffled moves that leads to 100, else the first with the best value. Refuses games of
    chance and of simultaneous moves.
    """

    def __init__(self, seed: int | None = None, depth: int = 2) -> None:
        super().__init__(seed)
        check_known("minimaxdepth", parameters_of_callable(Minimaxdepth, 0), {"depth": depth})
        self.depth = depth


class Twostep(Minimax):
    """Minimax two steps beyond its own move: minimaxdepth under another name."""

    depth = 2


class Minimaxid(Minimax):
    """Minimaxdepth with growing depth for as long as the clock allows.

    Depths 1, 2, ... 24 beyond its own move; the answer is that of the last depth that was finished in time, the first
    legal move if none was. Ends early once the whole game is searched. Refuses games of chance and of simultaneous
    moves.
    """

    def choose(self, state: State) -> Term | None:
        """The choice of the deepest search that was finished."""
        meter = self.budget.start()
        best: Term = state.legal_moves(self.role)[0]
        self.last_result = SearchResult(self.name, self.role, best, float(WORST), line=(best,))
        for depth in range(1, LAST_ITERATION + 1):
            search = Lookahead(self.name, self.role, meter, self.generator)
            if not search.run(state, depth):
                break
            self.last_result, best = search.result(), search.best or best
            if not search.is_cut:
                break
        return best


@dataclass
class Lookahead:
    """One search from a state: to a depth, with the moves at the root in a random order."""

    name: str
    role: str
    meter: Meter
    generator: random.Random
    best: Term | None = None
    values: dict[Term, float] = field(default_factory=dict)
    limit: int = 0
    depth: int = 0
    """How many steps it went, the first move among them."""

    is_cut: bool = False
    """Whether some value is that of a state in which the game goes on, or there may be more to get."""

    is_finished: bool = False

    def run(self, state: State, depth: int) -> bool:
        """Search a state in which the role moves; whether there was time enough."""
        moves = list(state.legal_moves(self.role))
        self.generator.shuffle(moves)
        self.best, self.limit, score = moves[0], depth, WORST
        goals = goals_in(state.game, self.role)
        self.is_cut = goals.floor < WORST or goals.ceiling > BEST  # it looks no further where it has its 100
        try:
            for move in moves:
                value = self.value(state.next(move), depth)
                self.values[move] = value
                if value > score:
                    self.best, score = move, value
                if value == BEST:
                    break
            self.is_finished = True
        except OutOfBudget:
            pass
        return self.is_finished

    def value(self, state: State, depth: int) -> int:
        """What the role gets from a state with so many steps to go."""
        self.meter.node()
        self.depth = max(self.depth, self.limit - depth + 1)
        if state.is_terminal:
            return state.goal(self.role) or WORST
        if depth == 0:
            self.is_cut = True
            return state.goal(self.role) or WORST
        mover, moves = choices(state, self.name)
        if not moves:
            return WORST
        is_own = mover == self.role
        score = WORST if is_own else BEST
        for move in moves:
            value = self.value(state.next(move), depth - 1)
            score = max(score, value) if is_own else min(score, value)
            if score == (BEST if is_own else WORST):
                break
        return score

    def result(self) -> SearchResult:
        """The search so far."""
        value = self.values.get(self.best, float(WORST)) if self.best is not None else float(WORST)
        return SearchResult(
            self.name,
            self.role,
            self.best,
            value,
            values=self.values,
            line=() if self.best is None else (self.best,),
            depth=self.depth,
            nodes=self.meter.nodes,
            seconds=self.meter.seconds,
            is_proven=self.is_finished and not self.is_cut,
        )


def choices(state: State, name: str) -> tuple[str | None, Sequence[Mapping[str, Term] | Term]]:
    """Who moves in a state that is not terminal, and what can be done there; Unsuitable if several roles choose."""
    control = state.control
    if control is not None:
        return control, state.legal_moves(control)
    if len(state.choosers) > 1:
        raise _refusal(name, state)
    forced = {role: legal[0] for role in state.game.roles if (legal := state.legal_moves(role))}
    return None, [forced] if forced else []


def refuse_unless_turns(
    game: Game, name: str, generator: random.Random, *, with_chance: bool = False
) -> None:
    """Unsuitable for a game in which some random games have a state where several roles choose.

    Also for a game of chance, unless that is provided for; then chance takes turns like any role.
    """
    if game.kind.has_chance and not with_chance:
        raise Unsuitable(f"{name} cannot play {game.name}: the role {RANDOM!r} is chance, which has no aim")
    last = time.perf_counter() + SAMPLE_SECONDS
    for _ in range(SAMPLES):
        state = game.initial_state()
        while not state.is_terminal and state.movers and state.step < SAMPLE_LENGTH:
            if len(state.choosers) > 1:
                raise _refusal(name, state)
            if time.perf_counter() > last:
                return
            state = state.next(state.random_moves(generator))


def _refusal(name: str, state: State) -> Unsuitable:
    several = " and ".join(state.choosers)
    return Unsuitable(
        f"{name} cannot play {state.game.name}: {several} choose at once in step {state.step + 1}, "
        "and it searches games in which roles take turns"
    )
