"""Text -> Game: the stages in order. Read this file first.

source   a name or path becomes text with places            games/variants.py, language/source.py
read     text becomes Rules, in the notation it is in       language/notation.py
lower    Epilog becomes the core language (GDL)             language/lower.py, once for the machine it is for
build    rules become a Game on a machine                   machine/

On the compiled machine, `build` goes on (see machine/artifact.py):

    ground   rules become a program without variables           ground/
    build    the program becomes a network of gates             network/
    encode   the network becomes code for 256 games at a time   codegen/
"""

from __future__ import annotations

import difflib
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Literal

from gamemaster.errors import GamemasterError, LimitExceeded, ParameterError, RulesError, UnknownGame
from gamemaster.games import game_names
from gamemaster.games.variants import choose
from gamemaster.ground.budget import Limits, check_sizes
from gamemaster.language.lower import lower
from gamemaster.language.notation import read
from gamemaster.language.rules import Notation, Rules
from gamemaster.language.source import Source, exists
from gamemaster.machine.arguments import shown
from gamemaster.machine.game import Game
from gamemaster.machine.preparation import prepare, remember_failure
from gamemaster.machine.reference import ReferenceGame

__all__ = [
    "ASKED_FOR",
    "RULE_FILES",
    "MachineName",
    "build",
    "load",
    "parse",
    "source_of",
    "why_not_compiled",
]

MachineName = Literal["auto", "compiled", "reference"]
ASKED_FOR = "asked for"
"""Why a game is on the machine it is on, where that was the caller's wish."""

RULE_FILES = (".kif", ".hrf", ".epilog")
MOST_PATHS = 1000
"""So many files of a folder are looked at, for one that may be meant."""

LONGEST_NAME = 200
"""More of a name than this is not shown in an error."""


def load(game: str | Path, machine: MachineName = "auto", limits: Limits | None = None) -> Game:
    """The game of that name in the library (`connectfour:columns=7` is one too), or of that folder or rule file."""
    source, name = _found(game)
    return build(read(source), name, machine, limits)


def parse(
    text: str,
    dialect: Notation | None = None,
    machine: MachineName = "auto",
    limits: Limits | None = None,
    name: str = "rules",
) -> Game:
    """The game that a text gives the rules of; its notation is found from the text unless it is named."""
    return build(read(Source.checked(name, text), dialect), name, machine, limits)


def build(sheet: Rules, name: str, machine: MachineName = "auto", limits: Limits | None = None) -> Game:
    """The game of rules on a machine; "auto" takes the compiled one, or the reference where that is too costly."""
    if machine not in ("auto", "compiled", "reference"):
        raise ParameterError(f"machine {machine!r} is not one of 'auto', 'compiled', 'reference'")
    if not isinstance(limits, Limits | None):
        raise ParameterError(f"limits must be gm.Limits(...) or None, not {shown(limits)}")
    check_sizes(sheet)
    reason = ASKED_FOR
    if machine != "reference":
        try:
            return _compiled(sheet, name, limits, reason if machine == "compiled" else "the rules compile")
        except GamemasterError as error:
            if machine == "compiled":
                raise
            reason = _reason(error)
    return ReferenceGame(sheet, lower(sheet), name, limits, reason)


def why_not_compiled(sheet: Rules, name: str, limits: Limits | None = None) -> GamemasterError | None:
    """What keeps rules from the compiled machine, found once and remembered; None where they compile."""
    try:
        check_sizes(sheet)
        _compiled(sheet, name, limits, "the rules compile")
    except GamemasterError as error:
        return error
    return None


def _reason(error: GamemasterError) -> str:
    """Why a game does not compile, in a line, and what to change."""
    hint = error.hint if isinstance(error, LimitExceeded | RulesError) else ""
    return f"not compiled: {error}" + (f"; {hint}" if hint else "")


def _compiled(sheet: Rules, name: str, limits: Limits | None, reason: str) -> Game:
    """The game on the compiled machine; its grounding goes on while numpy and LLVM are imported."""
    preparation = prepare(sheet, limits, tries_again=reason == ASKED_FOR)
    from gamemaster.machine.compiled import CompiledGame

    try:
        return CompiledGame(sheet, name, reason, preparation)
    except GamemasterError as error:
        remember_failure(preparation, error)
        raise


def source_of(game: str | Path) -> Source:
    """The rule text of a library name or a path; UnknownGame where it is neither."""
    return _found(game)[0]


def _found(game: str | Path) -> tuple[Source, str]:
    """The rule text of a library name or a path, and what the game is called: a file without its ending."""
    path = Path(game)
    if choice := choose(game if isinstance(game, str) else str(path.absolute())):
        return choice.source(), Path(choice.name).name
    if not exists(path):
        near = _near(str(game).partition(":")[0])
        suggestion = f"did you mean {' or '.join(near)}?" if near else "`gamemaster games` lists the library"
        raise UnknownGame(f"no game or rule file {str(game)[:LONGEST_NAME]!r}; {suggestion}")
    return Source.from_path(path), path.stem


def _near(name: str) -> list[str]:
    """The games that a name may be meant for: of the library, or in the folder that it would be in."""
    games = {game: game for game in game_names()}
    with suppress(OSError, ValueError):
        for path in islice(Path(name).parent.iterdir(), MOST_PATHS):
            if path.suffix in RULE_FILES:
                games |= {str(path.with_suffix("")): str(path), str(path): str(path)}
            elif (path / "game.toml").is_file():
                games[str(path)] = str(path)
    return [*dict.fromkeys(games[near] for near in difflib.get_close_matches(name, games, n=3))]
