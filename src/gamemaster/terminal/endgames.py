"""`gamemaster endgame`: make a table of positions with few pieces, and say what is in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gamemaster.errors import LimitExceeded, StrategyError
from gamemaster.machine.game import Game
from gamemaster.solving.endgame.building import build_endgame
from gamemaster.solving.endgame.files import kept_path, load_endgame
from gamemaster.solving.endgame.table import EndgameTable, Material
from gamemaster.solving.endgame.verifying import Verification, verify_endgame
from gamemaster.solving.files import check_savable
from gamemaster.solving.positions import Stage, Tell
from gamemaster.terminal.loading import load
from gamemaster.terminal.progress import advancing, get_ready
from gamemaster.terminal.report import print_line, steps

__all__ = ["EndgameOptions", "make_endgame", "path_for"]

SHOWN = 40
SHOWN_WRONG = 5


@dataclass(frozen=True)
class EndgameOptions:
    """What the command line says."""

    pieces: int = 3
    kinds: tuple[str, ...] | None = None
    save: Path | None = None
    memory: int = 2048
    verify: int = 0
    seed: int = 0
    as_json: bool = False


def make_endgame(name: str, options: EndgameOptions) -> bool:
    """Make a table, keep it, print what is in it; whether nothing that was verified is wrong."""
    game = load(name)
    if options.save is not None:
        check_savable(options.save)
    made = _built(game, options)
    path = options.save or path_for(game)
    made.save(path)
    table = load_endgame(path, game)  # what is told is told of the file
    found = verify_endgame(table, options.verify, options.seed) if options.verify else None
    if options.as_json:
        print(json.dumps(_as_json(table, path, found)))
    else:
        _print_table(table, path)
        _print_verification(found)
    return found is None or not found.wrong


def path_for(game: Game) -> Path:
    """Where players look for the table of a game; its folder is made."""
    path = kept_path(game)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StrategyError(f"the table cannot be kept in {str(path.parent)!r}: {error.strerror}") from None
    return path


def _built(game: Game, options: EndgameOptions) -> EndgameTable:
    get_ready(game, [])
    try:
        with _bar(game) as tell:
            return build_endgame(
                game, options.pieces, kinds=options.kinds, memory=options.memory << 20, tell=tell
            )
    except LimitExceeded as error:
        if error.hint:
            raise LimitExceeded(error.what, error.allowed, doing=f"{error.doing}; {error.hint}") from None
        raise


@contextmanager
def _bar(game: Game) -> Iterator[Tell]:
    with advancing(f"{game.name}: looking for the board") as advance:

        def tell(stage: Stage) -> None:
            advance(f"{game.name}: {stage.doing}", stage.done, stage.expected)

        yield tell


def _print_table(table: EndgameTable, path: Path) -> None:
    told, board = table.figures, table.numbering.board
    print_line(
        f"{table.game.name}: {told.positions:,} positions with up to {told.pieces} pieces, {told.moves:,} moves"
    )
    kinds = ", ".join(board.name_of(kind) for kind in range(len(board.kinds)))
    print_line(f"pieces: facts {board} on {len(board.places)} places: {kinds}")
    for line in _besides(table):
        print_line(line)
    width = max(len(each.kinds) for each in told.materials[:SHOWN])
    for each in told.materials[:SHOWN]:
        print_line(f"  {each.kinds:{width}}  {_worths(each)}")
    if len(told.materials) > SHOWN:
        print_line(f"  and {len(told.materials) - SHOWN} more")
    print_line(f"{told.known:,} are known; the end is forced in at most {steps(told.longest)}")
    rate = told.positions / max(told.seconds, 1e-9)
    print_line(
        f"{told.seconds:.1f} s, {rate:,.0f} positions/s; {told.bytes:.2f} bytes a position in {str(path)!r}"
    )


def _besides(table: EndgameTable) -> Iterator[str]:
    """What else was found, and taken for granted."""
    board = table.numbering.board
    if board.always:
        yield "always there: " + ", ".join(
            f"{count} {board.name_of(kind)}" for kind, count in board.always.items()
        )
    for clock in board.clocks:
        if clock.ends_games:
            yield f"clock: from {clock.term} on no game is over by it within {clock.room[clock.first]} steps"
    if table.book.resting is not None:
        yield f"where nothing is forced: {','.join(map(str, table.book.resting))}"


def _worths(material: Material) -> str:
    counts = [
        f"{count:,} worth {goals}" if goals[0].isdigit() else f"{count:,} {goals}"
        for goals, count in material.values.items()
    ]
    return f"{material.positions:9,}: {', '.join(counts)}; at most {steps(material.longest)}"


def _print_verification(found: Verification | None) -> None:
    if found is None:
        return
    print_line(f"verified: {found}")
    for each in found.wrong[:SHOWN_WRONG]:
        print_line(f"  wrong: {each}")


def _as_json(table: EndgameTable, path: Path, found: Verification | None) -> dict[str, Any]:
    told = {**table.to_json(), "file": str(path)}
    return told if found is None else {**told, "verified": asdict(found)}
