"""`gamemaster solve`: what a game is worth with perfect play, and what to play."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gamemaster.errors import LimitExceeded, ParameterError, Unsuitable
from gamemaster.machine.game import Game
from gamemaster.search.suitable import is_uncertain
from gamemaster.solving.axes import LetterTable, letters_of
from gamemaster.solving.files import check_savable
from gamemaster.solving.positions import Stage, Tell
from gamemaster.solving.solver import SolveLimits, solve_table
from gamemaster.solving.table import LabelTable
from gamemaster.terminal.equilibria import EquilibriumOptions, print_equilibrium
from gamemaster.terminal.loading import load
from gamemaster.terminal.progress import advancing, get_ready
from gamemaster.terminal.report import print_line, report_text, steps

__all__ = ["SolveOptions", "solve_game"]

SHOWN = 8
SHAPES = {
    "layered": "every move leads to the next layer",
    "acyclic": "play never comes back to a position",
    "cyclic": "play can come back to a position",
}
LETTERS = {"T": "won", "F": "lost", "=": "drawn", "-": "endless"}


@dataclass(frozen=True)
class SolveOptions:
    """What the command line says."""

    is_table: bool = False
    role: str | None = None
    save: Path | None = None
    memory: int = 2048
    folder: Path | None = None
    positions: int | None = None
    as_json: bool = False


def solve_game(name: str, options: SolveOptions, mixed: EquilibriumOptions) -> None:
    """Print what a game is worth, its best first moves, and its labels in numbers; or else an equilibrium."""
    game = load(name)
    if options.role is not None:
        game.check_role(options.role)
    if mixed.algorithm is not None or is_uncertain(game):
        _check_no_labels(game, options)
        asked = replace(mixed, role=options.role, memory=options.memory, histories=options.positions)
        print_equilibrium(game, replace(asked, as_json=options.as_json))
        return
    if mixed.given:
        raise ParameterError(
            f"{', '.join(mixed.given)}: only equilibria have that, and {game.name} is solved by labels; "
            "--algorithm cfr+ looks for an equilibrium all the same"
        )
    if options.save is not None:
        check_savable(options.save)
    table = _solved(game, options)
    letters = _letters(table, options)
    if options.save is not None:
        table.save(options.save)
    if options.as_json:
        print(json.dumps(_as_json(table, letters, options)))
        return
    _print_table(table, options)
    if letters is not None:
        print()
        _print_letters(letters)


def _check_no_labels(game: Game, options: SolveOptions) -> None:
    """ParameterError for options that only labels have."""
    given = {"--table": options.is_table, "--save": options.save, "--folder": options.folder}
    if names := ", ".join(name for name, value in given.items() if value):
        raise ParameterError(
            f"{names}: only labels have that, and an equilibrium is looked for in {game.name}"
        )


def _solved(game: Game, options: SolveOptions) -> LabelTable:
    limits = SolveLimits(options.memory << 20)
    if options.positions is not None:
        limits = SolveLimits(options.memory << 20, options.positions)
    get_ready(game, ["labels"])
    try:
        with _bar(game, is_told=options.folder is not None) as tell:
            return solve_table(game, limits=limits, folder=options.folder, tell=tell)
    except LimitExceeded as error:
        if error.hint:
            raise LimitExceeded(error.what, error.allowed, doing=f"{error.doing}; {error.hint}") from None
        raise


@contextmanager
def _bar(game: Game, *, is_told: bool) -> Iterator[Tell]:
    """A bar that says how far it is; how much there will be is guessed from layer to layer.

    That a disk begins to fill is told once, unless the folder was named.
    """
    with advancing(f"solving {game.name}") as advance:

        def tell(stage: Stage) -> None:
            nonlocal is_told
            if stage.folder is not None and not is_told:
                is_told = True
                report_text(_overflowing(game, stage.done, stage.folder))
            layer = f", layer {stage.layer}" if stage.layer else ""
            advance(f"{game.name}: {stage.doing}{layer}", stage.done, stage.expected)

        yield tell


def _overflowing(game: Game, found: int, folder: Path) -> str:
    return (
        f"note: {found:,} positions of {game.name} so far: more than --memory holds, so they go to files in "
        f"{str(folder)!r}. Ctrl-C stops, and the same command goes on; delete the folder to give up."
    )


def _letters(table: LabelTable, options: SolveOptions) -> LetterTable | None:
    """The letters to print: those of one number always, of two where they are asked for."""
    letters = letters_of(table)
    if options.is_table and letters is None:
        raise Unsuitable(
            f"positions of {table.game.name} are more than one or two numbers, so no table shows them"
        )
    return letters if letters and (options.is_table or len(letters.names) == 1) else None


def _print_table(table: LabelTable, options: SolveOptions) -> None:
    told, label = table.figures, table.label()
    print_line(f"{table.game.name}: {told.positions:,} positions, {told.moves:,} moves; {SHAPES[told.shape]}")
    goals = ", ".join(f"{role} {goal}" for role, goal in zip(table.game.roles, label.goals, strict=True))
    end = "neither can force an end" if label.distance is None else f"in {steps(label.distance)}"
    print_line(f"perfect play: {goals}, {end}")
    moves = [str(move) for move in table.best_moves()]
    if moves:
        more = f" and {len(moves) - SHOWN} more" if len(moves) > SHOWN else ""
        print_line(f"best: {', '.join(moves[:SHOWN])}{more}")
    print_line(f"labels: {_counts(table)}; at most {steps(told.longest)} to the end")
    print_line(
        f"{table.seconds:.2f} s, {told.bytes:g} bytes a position in memory{_saved(options, len(table))}"
    )
    if options.role is not None:
        print_line(table.strategy(options.role).explain())


def _counts(table: LabelTable) -> str:
    told = table.figures
    if len(table.game.roles) == 1:
        return ", ".join(f"{count:,} worth {goals}" for goals, count in told.values.items())
    counts = {letter: getattr(told, word) for letter, word in LETTERS.items()}
    return ", ".join(f"{count:,} {letter} ({LETTERS[letter]})" for letter, count in counts.items() if count)


def _saved(options: SolveOptions, positions: int) -> str:
    if options.save is None:
        return ""
    return f", {options.save.stat().st_size / positions:.2f} in {str(options.save)!r}"


def _print_letters(letters: LetterTable) -> None:
    """A row or a table, with the numbers before and above it."""
    width = len(str(len(letters.rows[0]) - 1))
    heads = [str(number) for number in range(len(letters.rows))] if len(letters.names) == 2 else [""]
    margin = max(map(len, heads))
    print_line(" by ".join(letters.names))
    print(" ".join([" " * margin, *(str(number).rjust(width) for number in range(len(letters.rows[0])))]))
    for head, row in zip(heads, letters.rows, strict=True):
        print(" ".join([head.rjust(margin), *(letter.rjust(width) for letter in row)]))


def _as_json(table: LabelTable, letters: LetterTable | None, options: SolveOptions) -> dict[str, Any]:
    told = {
        "game": table.game.name,
        "rules": table.game.digest,
        "best": [str(move) for move in table.best_moves()],
        **table.to_json(),
    }
    if letters is not None:
        told["table"] = {"numbers": letters.names, "rows": letters.rows}
    if options.role is not None:
        told["strategy"] = table.strategy(options.role).to_json()
    return told
