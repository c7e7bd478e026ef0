"""Game -> LabelTable: find all positions, label them, in memory or in a folder."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from pathlib import Path

from gamemaster.codegen.cache import cache_folder
from gamemaster.errors import StrategyError
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import Game, State
from gamemaster.search.native.engine import engine_of
from gamemaster.search.native.warming import get_ready, prepare_search, tiny_game
from gamemaster.solving.door import solvable
from gamemaster.solving.journal import COMMIT_SECONDS, SolveJournal
from gamemaster.solving.labels import label_positions, run_all_ways
from gamemaster.solving.positions import Positions, SolveLimits, Stage, Tell
from gamemaster.solving.table import LabelTable, MemoryBook

__all__ = ["SolveLimits", "Stage", "prepare_solver", "run_labels", "solve_table"]

CODE_SECONDS = 5.0
"""How long to wait for the machine code of a game: without it all takes several times as long."""


def solve_table(
    game: Game,
    starts: Sequence[State] = (),
    *,
    limits: SolveLimits | None = None,
    folder: Path | None = None,
    tell: Tell = lambda stage: None,
    commit_seconds: float = COMMIT_SECONDS,
    code_seconds: float = CODE_SECONDS,
) -> LabelTable:
    """The labels of all positions that can come of some states: by default of the initial one.

    In memory, and where the limit of that is reached in files of a folder of the cache, which are gone when all is
    done; in a folder that is named from the beginning, and they stay. Either way whoever solves the same again, after
    whatever happened, goes on where it was. Unsuitable for games of which labels say nothing.
    """
    compiled = solvable(game)
    get_ready(compiled, "labels")
    engine_of(compiled).wait(code_seconds)
    compiled.check_states(starts)
    roots = [compiled.state(state.ordered_facts) for state in starts] or [compiled.initial_state()]
    began = time.perf_counter()
    start = _key(compiled, roots)
    place = folder or cache_folder() / "solving" / start
    journal = SolveJournal(Positions(compiled, limits or SolveLimits()), place, start, commit_seconds)
    try:
        _begin(journal, roots, is_named=folder is not None)
        positions = journal.positions
        positions.run(tell, journal.pause)
        labels = label_positions(positions, tell)
    finally:
        journal.close()
    if positions.folder and folder is None:
        journal.forget()
    return LabelTable(compiled, MemoryBook(positions, labels), time.perf_counter() - began)


def prepare_solver(game: CompiledGame, seconds: float) -> bool:
    """Have all compiled that solving takes; whether it is, after so long at most."""
    return prepare_search(game, seconds, ("labels",))


def run_labels() -> None:
    """Run every kernel of labelling once, on a tiny game: that compiles them."""
    engine, state = tiny_game()
    positions = Positions(engine.game)
    positions.begin([state])
    positions.run(lambda stage: None, lambda is_layer: None)
    positions.restore()
    positions.numbers_of([state])
    run_all_ways(positions)


def _begin(journal: SolveJournal, roots: Sequence[State], is_named: bool) -> None:
    """Have positions where they were left, or at their beginning; what is damaged in the cache is forgotten."""
    if is_named or journal.path.exists():
        try:
            if journal.open():
                return
        except StrategyError:
            if is_named:
                raise
            journal.close()
            journal.positions = Positions(journal.positions.game, journal.positions.limits)
            journal.checked.clear()
    journal.positions.overflow = journal.overflow
    journal.positions.begin(roots)


def _key(game: CompiledGame, roots: Sequence[State]) -> str:
    """What the positions come of, in short."""
    texts = [" ".join(map(str, state.ordered_facts)) for state in roots]
    return hashlib.sha256("\n".join([game.digest, *texts]).encode()).hexdigest()[:24]
