"""Alpha-beta: the value of minimax, without looking at what cannot change it.

    Below a max node with a value of beta or more the enemy would not let us come: the rest is cut.
    Below a min node with a value of alpha or less we would not go: likewise.

Fail-soft: a value outside (alpha, beta) is a bound, and the best bound known. Parameters:

depth       how many steps to look ahead; None is to the end of the game
evaluation  what a position at the horizon is worth, a function or its name (evaluation.py); its goal now unless told.
            Any scale will do: a win is better than any estimate, a loss worse (scale.py)
table       remember positions (transposition table)
ordering    which moves come first: any of "table", "killer", "history" (ordering.py)
quiet       look further where it is not quiet: a position is quiet if the last move changed the evaluation by no more
            than this margin, on its own scale, and whoever moves there has a choice
singular    look further along a move that the evaluation finds better than all others by this margin
extra       how many steps beyond the horizon these two may look
null        "on" or "auto": first try what the position is worth if the mover passes, with a shallower search; if that
            cuts, the rest is not searched. Only where passing is a legal move, so that it never claims more than the
            mover can have (nullmove.py); "on" refuses a game without such a move. "turn": where there is none, the turn
            is handed on without a move. This is a heuristic: it assumes that to move is never worse than not to, which
            is wrong in zugzwang, so what it cut is never called proven; refuses a game whose facts do not say whose
            turn it is
probe       a function of a state and a role that knows the goal that the role gets from some states on, as an endgame
            table does, and says None of others; what it says is proven

Assumes turn-taking and full information; whoever else chooses is an enemy. Refuses simultaneous moves and chance with
`Unsuitable`. A value is proven where no horizon had a part in it. Values of moves that are not the best are often no
more than bounds: the result's `at_most` says which.

Source: Knuth & Moore 1975; fail-soft Fishburn 1983; quiescence Shannon 1950; singular extensions Anantharaman, Campbell
& Hsu 1988; null move Beal 1989.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from math import isinf
from typing import Any, Literal, NamedTuple, TypeAlias

from gamemaster.errors import Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget, Meter, OutOfBudget
from gamemaster.search.evaluation import Evaluation, find_evaluation, intermediate
from gamemaster.search.goals import goals_in
from gamemaster.search.position import (
    DEEPEST,
    HIGHEST,
    LOWEST,
    MOST_ENTRIES,
    GamePosition,
    Position,
    root_of,
    shuffled,
    state_of,
)
from gamemaster.search.result import SearchResult
from gamemaster.search.scale import LOSS, WIN, Scale
from gamemaster.search.tally import Outcome, Tally
from gamemaster.search.trees.nullmove import TurnFacts, find_pass, turns_of
from gamemaster.search.trees.ordering import WAYS, MoveOrder

__all__ = ["AlphaBeta", "Options", "Probe", "alphabeta_of", "search"]

INFINITE = float("inf")
REDUCTION = 2
"""How much shallower the search after a null move is (Beal 1989)."""

EXACT, AT_LEAST, AT_MOST = range(3)

Probe: TypeAlias = Callable[[State, str], float | None]


@dataclass(frozen=True, slots=True)
class Options:
    """How to search: see above."""

    depth: int | None = None
    evaluation: Evaluation | str = intermediate
    table: bool = True
    ordering: tuple[str, ...] = WAYS
    quiet: float | None = None
    singular: float | None = None
    extra: int = 4
    null: Literal["off", "auto", "on", "turn"] = "off"
    probe: Probe | None = None

    def __post_init__(self) -> None:
        if self.null not in ("off", "auto", "on", "turn"):
            raise ValueError(f"null {self.null!r} is not one of 'off', 'auto', 'on', 'turn'")
        MoveOrder(self.ordering)  # which knows what ways there are


class TableEntry(NamedTuple):
    """What the table knows of a position: searched how deep, and whether its value is exact or a bound."""

    depth: float
    kind: int
    outcome: Outcome


def search(state: State, role: str, budget: Budget, seed: int = 0, **parameters: Any) -> SearchResult:
    """The move with the best guaranteed value, as far as the search looks."""
    options = Options(**parameters)
    root, alphabeta = alphabeta_of(state, role, budget.start(), options, "alphabeta")
    tally = Tally(root, role, alphabeta.meter)
    try:
        alphabeta.run(root, DEEPEST if options.depth is None else options.depth, tally, seed)
    except OutOfBudget:
        tally.is_exact = False
    return tally.result("alphabeta", depth=alphabeta.deepest, is_proven=tally.is_exact)


def alphabeta_of(
    state: State, role: str, meter: Meter, options: Options, algorithm: str
) -> tuple[Position, AlphaBeta]:
    """The root and the search for a game."""
    root = root_of(state, role, algorithm)
    worth = find_evaluation(options.evaluation)

    def evaluate(position: Position) -> float:
        return worth(state_of(position), role)

    turns = turns_of(state.game) if options.null == "turn" else None
    window = goals_in(state.game, role)
    return root, AlphaBeta(role, meter, options, evaluate, window=window, turns=turns)


class AlphaBeta:
    """A search that can be run again and deeper: its tables stay. `window` are the goals of a loss and a win."""

    def __init__(
        self,
        role: str,
        meter: Meter,
        options: Options,
        evaluate: Callable[[Position], float],
        *,
        window: tuple[float, float] = (LOWEST, HIGHEST),
        turns: TurnFacts | None = None,
    ) -> None:
        self.role = role
        self.turns = turns
        self.meter = meter
        self.options = options
        self.scale = Scale(*window)
        self.evaluate: Callable[[Position], float] = lambda position: self.scale.estimate(evaluate(position))
        self.order = MoveOrder(options.ordering)
        self.table: dict[Hashable, TableEntry] = {}
        self.older: dict[Hashable, TableEntry] = {}  # of searches before, and not asked for yet in this one
        self.deepest = 0
        self._standing: dict[
            int, float
        ] = {}  # ply -> what the evaluation says of the position there, near the horizon
        self._passes: dict[str, Term | None] = {}  # mover -> its pass
        self._met_horizon, self._is_guessing = False, True
        self._null_ply = -1  # after a null move, where it led: two in a row would only lose depth

    def run(
        self, root: Position, depth: int, tally: Tally, seed: int = 0, known: Tally | None = None
    ) -> None:
        """Tally the root's moves; those of an earlier tally in the order of their values."""
        self.meter.node()
        if root.is_terminal:
            return
        self._refuse_without_pass(root)
        low, high = LOSS, WIN
        self._met_horizon = False
        self._note(root, depth, 0)
        is_max, is_exact = root.mover == self.role, True
        for move in _ranked(shuffled(root.moves, seed), known, is_max):
            after = self._step(root, move)
            outcome = self.value(after, depth - 1, low, high, 1)
            # No better than the best so far: how much worse was not asked, but at an end and where nothing is worse.
            is_bound = LOSS < outcome.value <= low and not after.is_terminal
            tally.add(
                move,
                outcome,
                is_best=tally.is_better(outcome.value),
                is_bound=is_bound,
                shown=self.scale.shown(outcome.value),
            )
            is_exact = is_exact and outcome.is_exact
            low, high = _narrowed(low, high, outcome.value, is_max)
            if low >= high:
                is_exact = outcome.is_exact
                break
        tally.is_exact = is_exact
        # Where nothing but guesses is left to find out, a deeper search goes without them.
        self._is_guessing = self._met_horizon

    def renew(self, meter: Meter) -> None:
        """Be ready to search from another position: what was found out before stays, as long as there is room."""
        self.meter, self.deepest = meter, 0
        self.older.update(self.table)
        self.table = {}
        self._null_ply, self._is_guessing = -1, True  # a search that was out of budget left them as they were
        self._standing.clear()
        self.order.killers.clear()

    def value(self, position: Position, depth: int, alpha: float, beta: float, ply: int) -> Outcome:
        """What a position is worth to the role: exact between alpha and beta, beyond them a bound."""
        self.deepest = max(self.deepest, ply)
        if position.is_terminal:
            return Outcome(self.scale.end(position.reward(self.role)), None, True)
        if self.options.probe is not None:
            known = self.options.probe(state_of(position), self.role)
            if known is not None:
                return Outcome(self.scale.end(known), None, True)
        if depth <= 0:
            standing = self._at_horizon(position, depth, alpha, beta, ply)
            if standing is not None:
                return standing
        entry = self.table.get(position.key) or self._from_before(position.key)
        if entry is not None and _is_usable(entry, depth, alpha, beta):
            return entry.outcome
        outcome = self._null(position, depth, alpha, beta, ply) if self.options.null != "off" else None
        if outcome is None:
            outcome = self._expand(position, depth, alpha, beta, ply, entry)
            self._remember(position, depth, alpha, beta, outcome)
        return outcome

    def _expand(
        self, position: Position, depth: int, alpha: float, beta: float, ply: int, entry: TableEntry | None
    ) -> Outcome:
        """The best of the moves."""
        table_move = entry.outcome.line[0] if entry is not None and entry.outcome.line else None
        self._note(position, depth, ply)
        is_max, best, is_exact = position.mover == self.role, None, True
        for move in self.order.ordered(position, ply, table_move):
            value, line, child_is_exact = self.value(
                self._step(position, move), depth - 1, alpha, beta, ply + 1
            )
            is_exact = is_exact and child_is_exact
            if best is None or (value > best.value if is_max else value < best.value):
                best = Outcome(value, (move, line), child_is_exact)
                alpha, beta = _narrowed(alpha, beta, value, is_max)
                if alpha >= beta:
                    self.order.cut(position, ply, move, depth)
                    return best  # the others do not matter, nor whether they were exact
        return (
            best._replace(is_exact=is_exact)
            if best is not None
            else Outcome(self.scale.end(LOWEST), None, True)
        )

    def _step(self, position: Position, move: Term) -> Position:
        self.meter.node()
        return position.after(move)

    # At the horizon

    def _at_horizon(
        self, position: Position, depth: int, alpha: float, beta: float, ply: int
    ) -> Outcome | None:
        """What the evaluation says, or what lies behind a singular move; None where all moves should be searched."""
        options = self.options
        standing = self.evaluate(position)
        self._met_horizon = True
        if -depth < options.extra:
            if options.quiet is not None and not self._is_quiet(position, standing, ply):
                return None
            move = None if options.singular is None else self._singular(position, options.singular)
            if move is not None:
                self._standing[ply] = standing
                after = self.value(self._step(position, move), depth - 1, alpha, beta, ply + 1)
                return Outcome(after.value, (move, after.line), False)
        return Outcome(standing, None, False)

    def _note(self, position: Position, depth: int, ply: int) -> None:
        """Keep what the evaluation says of a position whose successors may lie at the horizon."""
        if self.options.quiet is not None and depth <= 1:
            self._standing[ply] = self.evaluate(position)

    def _is_quiet(self, position: Position, standing: float, ply: int) -> bool:
        margin = self.options.quiet
        before = self._standing.get(ply - 1, standing)
        return margin is None or (abs(standing - before) <= margin and len(position.moves) > 1)

    def _singular(self, position: Position, margin: float) -> Term | None:
        """The move that is better than all others by the margin, by the evaluation alone."""
        sign = 1 if position.mover == self.role else -1
        scores = sorted(
            ((sign * self._worth(self._step(position, move)), -i) for i, move in enumerate(position.moves)),
            reverse=True,
        )
        if not scores:
            return None
        best, *others = (score for score, _ in scores)
        if others and (best == others[0] or best - others[0] < margin):
            return None
        return position.moves[-scores[0][1]]

    def _worth(self, position: Position) -> float:
        return self.scale.end(position.reward(self.role)) if position.is_terminal else self.evaluate(position)

    # The null move

    def _null(self, position: Position, depth: int, alpha: float, beta: float, ply: int) -> Outcome | None:
        """The outcome of passing, where it is good enough to cut; None where it is not, or cannot be tried."""
        if depth <= REDUCTION + 1 or ply == self._null_ply:
            return None
        move = self._pass_of(position)
        if move is None or move not in position.moves:
            return self._turn_passed(position, depth, alpha, beta, ply)
        before, self._null_ply = self._null_ply, ply + 1
        value, line, is_exact = self.value(
            self._step(position, move), depth - 1 - REDUCTION, alpha, beta, ply + 1
        )
        self._null_ply = before  # other positions at that ply come after other moves
        is_cut = value >= beta if position.mover == self.role else value <= alpha
        return Outcome(value, (move, line), is_exact) if is_cut else None

    def _turn_passed(
        self, position: Position, depth: int, alpha: float, beta: float, ply: int
    ) -> Outcome | None:
        """The bound, where the position is beyond it with the turn handed on; no such guess may say that all is won."""
        is_max = position.mover == self.role
        bound = beta if is_max else alpha
        if self.turns is None or not self._is_guessing or isinf(bound):
            return None
        assert isinstance(position, GamePosition)  # only games have turns
        after = self.turns.passed(position.state)
        if after is None:
            return None
        self.meter.node()
        before, self._null_ply = self._null_ply, ply + 1
        passed = GamePosition(after, position.algorithm)
        value = self.value(passed, depth - 1 - REDUCTION, alpha, beta, ply + 1).value
        self._null_ply = before
        return Outcome(bound, None, False) if (value >= beta if is_max else value <= alpha) else None

    def _refuse_without_pass(self, root: Position) -> None:
        """Unsuitable where null moves are asked for and the mover has none."""
        if self.options.null in ("off", "auto") or root.mover is None or self._pass_of(root) is not None:
            return
        if self.options.null == "on":
            raise Unsuitable(
                f"null moves need a legal move that only passes the turn; {root.mover} has none here"
            )
        if self.turns is None or root.mover not in self.turns.following:
            raise Unsuitable(
                f"to hand on the turn needs facts that say whose it is; none were found for {root.mover}"
            )

    def _pass_of(self, position: Position) -> Term | None:
        """The mover's pass, looked for where it first has a choice."""
        mover = position.mover
        if mover is None:
            return None
        if mover not in self._passes:
            self._passes[mover] = find_pass(position, self.meter)
        return self._passes[mover]

    # The table

    def _remember(self, position: Position, depth: int, alpha: float, beta: float, outcome: Outcome) -> None:
        if not self.options.table:
            return
        key = position.key
        self._make_room()
        kind = AT_MOST if outcome.value <= alpha else AT_LEAST if outcome.value >= beta else EXACT
        if len(self.table) < MOST_ENTRIES or key in self.table:
            self.table[key] = TableEntry(INFINITE if outcome.is_exact else depth, kind, outcome)

    def _from_before(self, key: Hashable) -> TableEntry | None:
        """What a search before knew of a position."""
        entry = self.older.pop(key, None) if self.older else None
        if entry is not None:
            self.table[key] = entry
        return entry

    def _make_room(self) -> None:
        """Where the tables are full, forget what searches before knew and this one has not asked for."""
        if self.older and len(self.table) + len(self.older) >= MOST_ENTRIES:
            self.older.clear()


def _narrowed(alpha: float, beta: float, value: float, is_max: bool) -> tuple[float, float]:
    return (max(alpha, value), beta) if is_max else (alpha, min(beta, value))


def _is_usable(entry: TableEntry, depth: int, alpha: float, beta: float) -> bool:
    """Whether an entry says enough about a search of this depth and window."""
    if entry.depth < depth:
        return False
    value = entry.outcome.value
    is_bound = (entry.kind == AT_LEAST and value >= beta) or (entry.kind == AT_MOST and value <= alpha)
    return entry.kind == EXACT or is_bound


def _ranked(moves: list[Term], known: Tally | None, is_max: bool) -> list[Term]:
    """The root's moves by what an earlier search found, its best one first."""
    if known is None or known.best is None:
        return moves
    sign, values, best = (-1 if is_max else 1), known.ranks, known.best
    return sorted(moves, key=lambda move: (move != best, sign * values[move] if move in values else INFINITE))
