"""Game -> findings about what stands beside its rules: does game.toml say what they say, can style.toml be drawn?

`looks_at` gives what there is to look at for a game, `check` calls it. Counting and loading cost time: sequences of
moves are counted only as deep as is quick.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from gamemaster.check import Look
from gamemaster.draw.styles.chosen import style_path
from gamemaster.draw.styles.style_file import read_style
from gamemaster.errors import GamemasterError, Place, RulesError
from gamemaster.games import GameFolder, GameParameter, GameVariant, find_rules
from gamemaster.games.tables import TomlPath, TomlPlaces
from gamemaster.games.variants import GameChoice, choose
from gamemaster.language.findings import Finding, Severity
from gamemaster.language.notation import read
from gamemaster.language.rules import relation_of
from gamemaster.language.source import Source
from gamemaster.load import build
from gamemaster.machine.game import Game
from gamemaster.machine.perft import PerftCount, perft_counts

__all__ = ["check_style", "looks_at"]

SECONDS = 1.0
"""How long all sequences of moves of a folder are counted."""


def looks_at(rules: Game | str | Path, *, counts: bool = True) -> list[Look]:
    """What looks at the folder of a game, if it has one, and at its style; `counts`: also at perft."""
    if isinstance(rules, Game):
        return [check_style]
    choice = choose(rules if isinstance(rules, str) else str(rules.absolute()))
    if choice is None:
        return [check_style]
    if choice.variant or choice.values:
        return [partial(_check_style_of_variant, choice)]
    return [partial(_check_folder, choice.folder, counts=counts), check_style]


def _check_style_of_variant(choice: GameChoice, game: Game) -> Iterator[Finding]:
    """The same under the name of the variant: it may have less than the style has looks for."""
    yield from check_style(build(game.sheet, choice.name, "reference"))


def check_style(game: Game) -> Iterator[Finding]:
    """What is wrong with the style that was written for a game, if one was."""
    path = style_path(game)
    if path is None:
        return
    try:
        read_style(path, game)
    except RulesError as error:
        place = error.place or Place(str(path), 1, 1, "")
        yield Finding("style", "error", error.what, place, error.hint or "see docs/draw-a-board.md")


def _check_folder(folder: GameFolder, game: Game, *, counts: bool) -> Iterator[Finding]:
    source = Source.from_path(find_rules(folder.name).parent / "game.toml")
    found = _FolderCheck(folder, game, source, SECONDS if counts else 0.0).findings()
    yield from sorted(found, key=lambda finding: finding.place.line)


class _Enough(Exception):
    """The time for counting is over."""


@dataclass
class _FolderCheck:
    """What a game.toml says, held against the game."""

    folder: GameFolder
    game: Game
    source: Source
    seconds: float
    deadline: float = field(init=False)

    def findings(self) -> Iterator[Finding]:
        self.deadline = time.monotonic() + self.seconds
        yield from self._of_notation()
        yield from self._of_roles()
        for parameter in self.folder.parameters:
            yield from self._of_parameter(parameter)
        yield from self._of_perft(self.game, self.folder.perft, ("perft",))
        for variant in self.folder.variants:
            yield from self._of_variant(variant)

    def _of_notation(self) -> Iterator[Finding]:
        said, real = self.folder.notation, self.game.sheet.notation
        if said != real:
            message = f"notation is {said}, and the rules are written in {real}"
            yield self._finding("warning", ("notation",), message, f'write notation = "{real}"')

    def _of_roles(self) -> Iterator[Finding]:
        said, real = self.folder.roles, self.game.roles
        if said and said != real:
            message = f"roles are {', '.join(said)}, and in the rules they are {', '.join(real)}"
            listed = ", ".join(f'"{role}"' for role in real)
            yield self._finding("warning", ("roles",), message, f"write roles = [{listed}]")

    def _of_parameter(self, parameter: GameParameter) -> Iterator[Finding]:
        """The sheet needs one fact of a parameter, with its usual value."""
        name, value = parameter.name, parameter.value
        facts = [r for r in self.game.sheet.rules if relation_of(r.head) == (name, 1) and not r.body]
        written = f"({name} {value})" if self.game.sheet.notation == "kif" else f"{name}({value})"
        if len(facts) != 1:
            message = f"{name} is a parameter, which the rules need as one fact, and have {len(facts)} times"
            yield self._finding(
                "error", ("parameters", name), message, f"write {written} in the rules, on a line of its own"
            )
        elif str(facts[0].head[1]) != str(value):
            line = self.game.sheet.place(facts[0].span).line
            message = f"{name} is {value} here, and {facts[0].head[1]} at line {line} of the rules"
            yield self._finding(
                "warning",
                ("parameters", name),
                message,
                f"write {written} in the rules, or here what they have",
            )

    def _of_perft(self, game: Game, expected: Sequence[int], path: TomlPath) -> Iterator[Finding]:
        wrong = self._wrong_count(game, expected)
        if wrong:
            said = expected[wrong.depth - 1]
            moves = f"{wrong.depth} move{'s' * (wrong.depth != 1)}"
            message = (
                f"perft says that there are {said:,} sequences of {moves}, and there are {wrong.count:,}"
            )
            hint = "if the rules are right, write what `gamemaster perft` counts"
            yield self._finding("warning", path, message, hint)

    def _wrong_count(self, game: Game, expected: Sequence[int]) -> PerftCount | None:
        """The first count that is wrong, as far as there is time to count."""

        def watch(*_: int) -> None:
            if time.monotonic() > self.deadline:
                raise _Enough

        try:
            watch()
            counted = perft_counts(game, len(expected), watch)
            pairs = zip(counted, expected, strict=False)
            return next((each for each, right in pairs if each.count != right), None)
        except (_Enough, GamemasterError):  # play shows what is wrong with the game
            return None

    def _of_variant(self, variant: GameVariant) -> Iterator[Finding]:
        """A variant loads, and has the counts it is said to have."""
        try:
            source = GameChoice(self.folder, variant, ()).source()
            game = build(read(source), source.name, "reference")
            game.initial_state()
        except GamemasterError as error:
            message = f"variant {variant.name} does not load: {error}"
            yield self._finding(
                "error", ("variants", variant.name), message, "mend what it changes in the rules"
            )
        else:
            yield from self._of_perft(game, variant.perft, ("variants", variant.name, "perft"))

    def _finding(self, severity: Severity, path: TomlPath, message: str, hint: str) -> Finding:
        """A finding at the line of a key."""
        return Finding("folder", severity, message, TomlPlaces(self.source).place(path), hint)
