"""Egghead, the house player: looks at the game first, then takes what suits it.

small enough            solved in the start clock, and played from the solution
one role                the best line that many searches find, followed, and improved in each move until it is proven
two take turns          alpha-beta with judgement, learnt by playing against itself in the start clock or before
                        (`gamemaster learn`), if that beats a tree in quick games
roles take turns        alpha-beta for a part of the time, in case the end is near, then Monte Carlo tree search;
                        a tree for each core, kept from move to move
chance moves too        the same trees, without alpha-beta
moves are simultaneous  decoupled search by regret matching, its graph of states grown in the start clock and kept;
                        a graph for each core
few pieces are left     played by an endgame table, where one is kept (`gamemaster endgame`)
not compiled            UCT in Python
the state is hidden     information-set search where the game can be, or where it may be if nothing fits;
                        what wins for sure, whatever others do, if that is proven in the start clock
no move is surely best  (hidden, chance, simultaneous moves) by an equilibrium, if one is found in the start clock
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal
from weakref import proxy

from gamemaster.errors import ParameterError, Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, State
from gamemaster.players.believing import HiddenMind, InformationSets
from gamemaster.players.certain import Certain, certain_for
from gamemaster.players.cores import free_cores
from gamemaster.players.endgames import Endgame, kept_table
from gamemaster.players.minds import IN_MACHINE_CODE, Joint, Mind, PlainUct, prepare_machine_code
from gamemaster.players.mixing import SHARE, Mixing, Mixture, mixture_for
from gamemaster.players.player import Player
from gamemaster.players.puzzling import Puzzle
from gamemaster.search.budget import Budget, Halt
from gamemaster.search.hidden.beliefs import Beliefs
from gamemaster.search.hidden.ismcts import IsmctsOptions
from gamemaster.search.parameters import check_known, parameters_of_callable
from gamemaster.search.result import NOT_SEARCHED, SearchResult
from gamemaster.search.suitable import (
    EQUILIBRIUM,
    JOINT,
    JUDGING,
    is_native,
    is_uncertain,
    may_choose_at_once,
)

if TYPE_CHECKING:
    from gamemaster.solving.equilibrium.equilibrium import Equilibrium

__all__ = ["Egghead"]

START_SHARE = 0.7
"""How much of the start clock may go to waiting for machine code."""

PUZZLE_START_SHARE = 0.1
"""The same of a puzzle: there it searches meanwhile."""

MEMORY = 600
"""Megabytes for all trees together, unless it is told otherwise."""

LEAST_SHARE = 0.9
"""In a hidden game that is too large for an equilibrium, a move must have been tried so often, as a share of the most
tried one, to be drawn at times instead of it. How often moves are tried is there far from how often an equilibrium
makes them, and a match is too short for anybody to learn how we draw: so it costs more to play moves that look a little
worse than to be foreseen. Who knows these trees gains a little more by that (a tenth more in Leduc poker)."""

SAMPLE, SAMPLE_STEPS = 4, 100
"""Random games, and steps of each, in which it looks for roles that choose at once."""


class Egghead(Player):
    """Our best: analyses the game, solves it if it is small, else searches on all cores until just before time.

    Plays every game, those that hide their state included. `experience`: whether it uses what `gamemaster learn` has
    kept.
    """

    needs_state = False
    believes = True
    in_machine_code = (*IN_MACHINE_CODE, JUDGING, "ismcts", JOINT, EQUILIBRIUM)

    def __init__(
        self,
        seed: int | None = None,
        threads: int | None = None,
        memory: int = MEMORY,
        experience: bool = True,
    ) -> None:
        super().__init__(seed)
        told = {"threads": threads, "memory": memory, "experience": experience}
        check_known("egghead", parameters_of_callable(Egghead, 0), told)
        self.threads = threads or free_cores()
        if memory < 1:
            raise ParameterError(f"memory of egghead: {memory} is not a whole number of megabytes from 1 on")
        self.memory = memory
        self.has_experience = experience
        self._minds: list[Mind] = []
        self._hidden_minds: list[HiddenMind] = []
        self._mixing: Mixing | None = None
        self._sets: InformationSets | None = None
        self._is_waiting = False
        self.chooses_at_once = False

    def prepare(self) -> None:
        """Choose what to think with, and let it use the start clock."""
        began = time.perf_counter()
        if self.game.has_percepts:
            self._minds = [Joint(self)]  # for whoever asks about a state as if it were known
            self._sets = InformationSets(self, IsmctsOptions(least_share=LEAST_SHARE))
            self._hidden_minds = [self._sets]
            if mixture := mixture_for(proxy(self), self._mixing_budget()):
                self._hidden_minds.insert(0, mixture)
            else:
                self._prepare_sets(self._sets, began)
            return
        self.chooses_at_once = _chooses_at_once(self)
        self._is_waiting = not self.chooses_at_once and not prepare_machine_code(
            self.game, self.startclock * (START_SHARE if len(self.game.roles) > 1 else PUZZLE_START_SHARE)
        )
        self._mixing = Mixing(self)
        self._minds = self._made_minds()
        for mind in self._minds:
            mind.prepare(self.budget.since(began))
            is_settled = isinstance(mind, Puzzle) and mind.is_settled
            if is_settled or self._mixing.mixture is not None:  # there is nothing better to find out
                return

    def _prepare_sets(self, sets: InformationSets, began: float) -> None:
        """Let trees grow, and where they expect that somebody wins for sure, look for a proof."""
        sets.prepare(self.budget.since(began))
        if certain := certain_for(proxy(self), sets, self.budget.since(began)):
            self._hidden_minds.insert(0, certain)
        if certain is None or certain.winner != self.role:
            sets.grow(self.budget.since(began))

    def _mixing_budget(self) -> Budget:
        """What of the start clock goes to an equilibrium, before trees grow."""
        return Budget(seconds=(self.budget.seconds or 0.0) * SHARE)

    def _made_minds(self) -> list[Mind]:
        """The minds that suit the game, the best first."""
        first: list[Mind] = [self._mixing] if self._mixing and is_uncertain(self.game) else []
        return [*first, *(make(self) for make in _minds_for(self, self._is_waiting))]

    def choose(self, state: State) -> Term | None:
        """What the first mind that can says; each has the time that those before it have left."""
        began = time.perf_counter()
        if self._is_waiting and prepare_machine_code(self.game, 0.0):
            self._is_waiting = False
            self._minds = _with_puzzle_of(self._minds, self._made_minds())
        budget = self.budget if self.budget.seconds is not None else replace(self.budget, seconds=1.0)
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

    def ponder(self, state: State, stop: Halt) -> None:
        """Let trees grow on the time of others: those of the first mind that has any."""
        for mind in self._minds:
            with suppress(Unsuitable):
                if stop.is_set() or mind.ponder(state, stop):
                    return

    def _unsearched(self, legal: Sequence[Term]) -> SearchResult:
        """Any move, where there is nothing to think with, or no time."""
        return SearchResult("none", self.role, self.generator.choice(legal), 0.0, notes=NOT_SEARCHED)

    def _told(self, result: SearchResult, mind: Mind) -> SearchResult:
        """A result as egghead's: with what it found out, and why that is less than it could be."""
        caveats = [result.notes] if isinstance(mind, Endgame | Mixing) else list(result.caveats)
        if (
            self._is_waiting
            and is_native(self.game, with_chance=True)
            and isinstance(mind, PlainUct | Puzzle)
        ):
            caveats.append(_caveat_of(self))
        notes = "\n".join(filter(None, [*caveats, self.findings]))
        return replace(result, algorithm=f"egghead ({result.algorithm})", notes=notes)

    def inform(self, beliefs: Beliefs) -> None:
        """Others play as the trees say, in a game that hides its state."""
        if self._sets is not None:
            self._sets.inform(beliefs)

    @property
    def exploitability(self) -> float | None:
        """What somebody who knows how it plays can gain on it, where it has solved a hidden game; None elsewhere."""
        solved = (mind.exploitability for mind in self._hidden_minds if isinstance(mind, Mixture | Certain))
        return next(solved, None)

    @property
    def equilibrium(self) -> Equilibrium | None:
        """What it plays by, where it has solved a hidden game in which no move is surely best; None elsewhere."""
        return next((mind.found for mind in self._hidden_minds if isinstance(mind, Mixture)), None)

    @property
    def findings(self) -> str:
        """What its minds found out in the start clock."""
        return "\n".join(filter(None, (mind.findings for mind in self._minds)))

    @property
    def summary(self) -> str:
        """The same in a line."""
        mixtures = [mind.summary for mind in self._hidden_minds if isinstance(mind, Mixture | Certain)]
        return "; ".join(filter(None, (*mixtures, *(mind.summary for mind in self._minds))))

    def stop(self, moves: Any = None) -> Literal[False]:
        """Let go of the trees, which are large."""
        self.rest()
        self._let_go()
        return super().stop(moves)

    def abort(self) -> Literal[False]:
        """Let go of the trees."""
        self.rest()
        self._let_go()
        return super().abort()

    def _let_go(self) -> None:
        self._minds, self._hidden_minds, self._mixing, self._sets = [], [], None, None

    def choose_from(self, legal: Sequence[Term]) -> Term | None:
        """Where the state is hidden: what is best for a role that knows no more than this one."""
        found = next((told for mind in self._hidden_minds if (told := mind.think(legal))), None)
        found = found or self._unsearched(legal)
        self.last_result = replace(found, algorithm=f"egghead ({found.algorithm})")
        return found.move


def _minds_for(player: Egghead, is_waiting: bool) -> list[type[Mind]]:
    """The ways of thinking that suit the game, the best first."""
    game = player.game
    if player.chooses_at_once:
        return [Joint]
    if is_waiting and game.kind.has_chance:
        return [Joint, PlainUct]
    if is_waiting:
        return [PlainUct, Joint] if len(game.roles) > 1 else [Puzzle, PlainUct]
    from gamemaster.players.forest import Forest  # which loads the searches in machine code

    minds: list[type[Mind]] = (
        [Puzzle, Forest, PlainUct] if len(game.roles) == 1 else [Forest, Joint, PlainUct]
    )
    return [Endgame, *minds] if kept_table(game) is not None else minds


def _with_puzzle_of(before: Sequence[Mind], minds: Sequence[Mind]) -> list[Mind]:
    """Minds, but with the mind for puzzles that there was before: it has a line."""
    puzzle = next((mind for mind in before if isinstance(mind, Puzzle)), None)
    return [puzzle if puzzle and isinstance(mind, Puzzle) else mind for mind in minds]


def _chooses_at_once(player: Egghead) -> bool:
    """Whether several roles, chance apart, choose in the same state of some random game."""
    game = player.game
    if not may_choose_at_once(game):
        return False
    for _ in range(SAMPLE):
        state = game.initial_state()
        while not state.is_over and state.step < SAMPLE_STEPS:
            if sum(role != RANDOM for role in state.choosers) > 1:
                return True
            state = state.next(state.random_moves(player.generator))
    return False


def _caveat_of(player: Egghead) -> str:
    """What results note that were found without machine code."""
    from gamemaster.search.native.warming import caveat_of

    return caveat_of(player.game)
