"""A name or a Python file -> a factory of players; a function in a file -> an evaluation.

A file has functions named after the handlers, of which only `play` is needed, or one class with such methods. It runs
anew for each player made of it, so two of them share nothing, nor do modules beside the file that it imports. One of
several classes is named, `my_player.py:Mine`, and so is an evaluation, `my_eval.py:lines`. Behind a name or a file
parameters may stand in brackets: `mcts(exploration=0.3)`, `my_player.py(depth=3)`. What goes wrong in a file becomes a
PlayerError that says where.
"""

from __future__ import annotations

import difflib
import inspect
import itertools
import math
import re
import sys
import traceback
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from gamemaster.errors import ParameterError, PlayerError, UnknownPlayer, Unsuitable
from gamemaster.machine.game import State
from gamemaster.players.catalogue import TAKERS, library_player, parameters_of_player, player_names
from gamemaster.players.folder_imports import importing_from
from gamemaster.players.given import Filled, check_class, missing_values, seed_for
from gamemaster.players.player import Handlers, Player
from gamemaster.search.budget import Budget
from gamemaster.search.parameters import Named, read_name, read_values

__all__ = [
    "FileEvaluation",
    "FilePlayer",
    "PlayerFactory",
    "check_player",
    "file_of",
    "find_player",
    "in_machine_code",
    "is_of_library",
    "make_player",
    "with_evaluation",
]

PlayerFactory = Callable[..., Handlers]
"""factory(seed=None): a new player; the seed is for what it does at random."""

LONGEST_NAME = 200
"""More of a name than this is not shown in an error."""

NEAR = 0.65
"""How alike a name must be to be meant."""

METHODS = ("choose", "choose_from")
LOOK_LIKE_PLAY = ("play", *METHODS)
"""What a function may be called by whoever meant to write a player."""

EVALUATION = "evaluation"
IN_FILE = re.compile(r"(?P<path>.+\.py):(?P<name>[^\W\d]\w*)\Z", re.DOTALL)
"""A function or a class in a file, `my_eval.py:lines`."""

_numbers = itertools.count(1)


def find_player(player: str | Path, settings: Sequence[str] = ()) -> PlayerFactory:
    """How to make players of that name in the library, or of that file; UnknownPlayer where it is neither.

    Parameters stand in brackets behind it, or are given as texts, name=value; ParameterError where it has no such.
    """
    make = _factory(player, settings)
    if isinstance(make, type):
        return make
    spare = [make()]  # what is wrong with a file or a value is told now rather than when a match starts

    def make_next(seed: int | None = None) -> Handlers:
        return spare.pop() if spare and seed is None else make(seed=seed)

    return make_next


def make_player(player: str | Path, settings: Sequence[str] = (), *, seed: int | None = None) -> Handlers:
    """One player of that name or that file; the same errors."""
    return _factory(player, settings)(seed=seed)


def _factory(player: str | Path, settings: Sequence[str]) -> PlayerFactory:
    named = _checked(player, settings)
    if _is_in_library(named.name):
        make = library_player(named.name)
        return partial(_made, make, _values(named)) if named.settings else make
    path, kind = _in_file(named.name)
    return partial(FilePlayer, path, settings=named.settings, kind=kind)


def in_machine_code(player: object) -> Sequence[str]:
    """Which searches a player, or one of the library by its name, runs in machine code; no file is run to find out."""
    if isinstance(player, str):
        name = read_name(player).name
        return library_player(name).in_machine_code if _is_in_library(name) else ()
    made = player.player if isinstance(player, FilePlayer) else player
    return made.in_machine_code if isinstance(made, Player) else ()


def is_of_library(player: str) -> bool:
    """Whether a name, with parameters or without, is that of a player of the library."""
    return _is_in_library(player) or _is_in_library(read_name(player).name)


def file_of(player: str) -> tuple[Path, str]:
    """The file of a player, and what is said behind it: a class, parameters."""
    path, _ = _in_file(player if _is_file(Path(player)) else read_name(player).name)
    return path, player.partition(path.name)[2]


def check_player(player: str | Path) -> None:
    """The same errors as far as they can be told when nothing of a file is run."""
    named = _checked(player, ())
    if _is_in_library(named.name):
        values = _values(named)
        if _evaluation_file(values) is not None:
            del values[EVALUATION]
        library_player(named.name)(**values)


def _checked(player: str | Path, settings: Sequence[str]) -> Named:
    """The name, or the path of the file, and all parameters; UnknownPlayer where there is none such."""
    named = Named(str(player))
    if not _is_in_library(named.name) and not _is_file(Path(player)):
        named = read_name(named.name)
        if not _is_in_library(named.name) and not _is_file(_in_file(named.name)[0]):
            raise UnknownPlayer(_nobody(str(player), named.name))
    return Named(named.name, (*named.settings, *settings))


def _in_file(name: str) -> tuple[Path, str]:
    """The file of a name, and the class in it that `my_player.py:Mine` asks for."""
    found = IN_FILE.match(name)
    if found is None or _is_file(Path(name)):
        return Path(name), ""
    return Path(found["path"]), found["name"]


def _is_in_library(name: str) -> bool:
    return name in player_names()


def _values(named: Named) -> dict[str, Any]:
    """The parameters of a player of the library."""
    known = parameters_of_player(library_player(named.name), lowest=0)
    return read_values(named.name, known, named.settings)


def _made(maker: Callable[..., Handlers], values: Mapping[str, Any], seed: int | None = None) -> Handlers:
    return maker(seed=seed, **with_evaluation(values))


def _is_file(path: Path) -> bool:
    """Whether there is such a file; a name that no file can have is none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _nobody(player: str, name: str) -> str:
    near = difflib.get_close_matches(name, player_names(), n=3, cutoff=NEAR)
    some = f"there are {', '.join(TAKERS)} and others: `gamemaster players` lists them"
    advice = f"did you mean {' or '.join(near)}?" if near else some
    if player.count("(") > player.count(")"):
        advice = "a bracket is not closed"
    return f"no player or player file {player[:LONGEST_NAME]!r}; {advice}"


class FilePlayer(Filled):
    """A player from a file: all five handlers, whichever of them the file has."""

    def __init__(
        self, path: Path, seed: int | None = None, *, settings: Sequence[str] = (), kind: str = ""
    ) -> None:
        self.path = path
        self.name = path.name
        module = _run(path)
        weakref.finalize(self, sys.modules.pop, module.__name__, None)
        maker = _maker(module, path, kind)
        values = _file_values(path, maker, settings)
        self.handlers = (
            module if maker is None else self._call(partial(maker, **seed_for(maker, seed), **values))
        )

    def think(self, state: State, budget: Budget) -> object:
        """The move to make in a state, wherever the match is; PlayerError where the file defines no Player."""
        if self.player is None:
            raise PlayerError(
                f"{self.path}: a file with books of its own cannot think about a state: see Player"
            )
        return super().think(state, budget)

    def _call(self, function: Callable[..., object], *arguments: object) -> object:
        try:
            return function(*arguments)
        except (Unsuitable, KeyboardInterrupt):
            raise
        except BaseException as error:  # whatever a file raises is told in a line
            _blame(self.path, error, function)


class FileEvaluation:
    """An evaluation from a file: a function of a state and a role that gives a number."""

    def __init__(self, path: Path, name: str) -> None:
        self.path, self.__name__ = path, f"{path}:{name}"
        module = _run(path)
        weakref.finalize(self, sys.modules.pop, module.__name__, None)
        self._function = vars(module).get(name)
        if not callable(self._function):
            there = [each for each, value in vars(module).items() if inspect.isfunction(value)]
            raise PlayerError(
                f"{path}: there is no function {name!r}; there are: {', '.join(there) or 'none'}"
            )

    def __call__(self, state: State, role: str) -> float:
        """What it says of a state; PlayerError where that is no number, or goes wrong."""
        try:
            value = self._function(state, role)  # type: ignore[misc]
        except (Unsuitable, KeyboardInterrupt):
            raise
        except BaseException as error:  # whatever a file raises is told in a line
            _blame(self.path, error, self._function)
        if not isinstance(value, int | float) or not math.isfinite(value):
            raise PlayerError(f"{self.__name__} gives {str(value)[:LONGEST_NAME]!r}, which is no number")
        return float(value)


def with_evaluation(values: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters with the evaluation of a file in the place of its name, if one is named."""
    found = _evaluation_file(values)
    return dict(values) if found is None else {**values, EVALUATION: FileEvaluation(*found)}


def _evaluation_file(values: Mapping[str, Any]) -> tuple[Path, str] | None:
    """The file and the function of an evaluation, if one is named so; ParameterError where there is no such file."""
    name = values.get(EVALUATION)
    found = IN_FILE.match(name) if isinstance(name, str) else None
    if found is None:
        return None
    path = Path(found["path"])
    if not _is_file(path):
        raise ParameterError(f"no file {str(path)[:LONGEST_NAME]!r} with an evaluation {found['name']!r}")
    return path, found["name"]


def _file_values(path: Path, maker: Callable[..., object] | None, settings: Sequence[str]) -> dict[str, Any]:
    """The parameters of a player of a file."""
    if maker is None:
        if not settings:
            return {}
        raise ParameterError(
            f"{path}: a file of functions has no parameters; a class has those of its __init__"
        )
    values = read_values(path.name, parameters_of_player(maker), settings) if settings else {}
    if missing := missing_values(maker, values):
        raise ParameterError(
            f"{path.name} needs {', '.join(missing)}: {path.name}({'=...,'.join(missing)}=...)"
        )
    return with_evaluation(values)


def _run(path: Path) -> ModuleType:
    """The module of a file, under a name of its own, run anew."""
    name = f"gamemaster_player_{next(_numbers)}"
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module  # dataclasses and pickles look there for what a module defines
    try:
        with importing_from(path.parent):
            exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever a file raises is told in a line
        sys.modules.pop(name, None)
        _blame(path, error)
    return module


def _maker(module: ModuleType, path: Path, kind: str = "") -> Callable[..., object] | None:
    """The class to make a player of, None where the module itself is the player; PlayerError where there is neither."""
    own: list[type] = [each for each in vars(module).values() if _is_own_class(each, module)]
    if kind:
        found = [each for each in own if each.__name__ == kind]
        if not found:
            there = ", ".join(each.__name__ for each in own) or "none"
            raise PlayerError(f"{path}: there is no class {kind!r}; there are: {there}")
        _check_class(found[-1], path)
        return found[-1]
    if callable(vars(module).get("play")):
        return None
    classes = [each for each in own if callable(getattr(each, "play", None))]
    last = [each for each in classes if not any(each in other.__mro__[1:] for other in classes)]
    if not last:
        raise PlayerError(f"{path}: {_what_is_missing(module, own)}")
    if len(last) > 1:
        names = ", ".join(each.__name__ for each in last)
        raise PlayerError(
            f"{path}: one class with play is a player, but there are several: {names}; "
            f"name the one you mean: {path.name}:{last[-1].__name__}"
        )
    _check_class(last[0], path)
    return last[0]


def _is_own_class(thing: object, module: ModuleType) -> bool:
    return isinstance(thing, type) and thing.__module__ == module.__name__


def _check_class(kind: type, path: Path) -> None:
    try:
        check_class(kind)
    except PlayerError as error:
        raise PlayerError(f"{path}: {error}") from None


def _what_is_missing(module: ModuleType, own: Sequence[type]) -> str:
    """Why a file has no player in it, by what it has instead."""
    for kind in own:
        try:
            check_class(kind)
        except PlayerError as error:
            return f"there is no function play, and {error}"
    functions = [each for each in vars(module).values() if inspect.isfunction(each)]
    near = next(
        (each for each in functions if difflib.get_close_matches(each.__name__, LOOK_LIKE_PLAY)), None
    )
    missing = "there is no function play, and no class with one"
    if near is None:
        return f"{missing}: docs/write-a-player.md begins with one"
    line = near.__code__.co_firstlineno
    if near.__name__ in METHODS:
        return f"{missing}; {near.__name__} in line {line} belongs into a class that is a Player"
    return f"{missing}; {near.__name__} in line {line} may be meant: call it play"


def _blame(path: Path, error: BaseException, called: object = None) -> NoReturn:
    """PlayerError for what went wrong in a file, or where that was called; the traceback stays with its cause."""
    number = _line_of(path, error) or _first_line(path, called)
    line = f":{number}" if number else ""
    what = _words_of(path, error)
    name = "" if isinstance(error, PlayerError) and what else type(error).__name__
    text = ": ".join(filter(None, (name, what)))
    raise PlayerError(f"{path}{line}: {text}") from error


def _words_of(path: Path, error: BaseException) -> str:
    """What an error says, in a line; nothing where it is of the file's own making and cannot say it."""
    is_here = isinstance(error, SyntaxError) and error.filename == str(path)
    try:
        return " ".join(str(error.msg if is_here and isinstance(error, SyntaxError) else error).split())
    except Exception:  # its own __str__ failed
        return ""


def _line_of(path: Path, error: BaseException) -> int | None:
    """The line of the file that an error comes from, the innermost if there are several."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return error.lineno
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)
    ]
    return lines[-1] if lines else None


def _first_line(path: Path, called: object) -> int | None:
    """Where a function of the file begins: called with the wrong arguments, it does not come as far as any line."""
    code = getattr(called, "__code__", None)
    return code.co_firstlineno if code and code.co_filename == str(path) else None
