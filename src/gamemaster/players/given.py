"""A class, an object or a function -> a player: for whoever has its code at hand in Python.

A class or an object has `play`, as every `Player` has, and may have the other handlers; a class is made anew for each
role, `functools.partial(Mine, depth=3)` with parameters. A function is asked for the move in a state: `move(state)`, or
`move(state, role)`.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Any, TypeAlias

from gamemaster.errors import ParameterError, PlayerError
from gamemaster.language.terms import Term
from gamemaster.machine.arguments import shown
from gamemaster.machine.game import State
from gamemaster.players.player import Handlers, Player
from gamemaster.search.budget import Budget
from gamemaster.search.parameters import parameters_of_callable
from gamemaster.search.result import SearchResult

__all__ = [
    "Chooser",
    "Filled",
    "Given",
    "check_class",
    "given_player",
    "has_play",
    "missing_values",
    "name_of",
    "seed_for",
]

Given: TypeAlias = type[object] | Handlers | Callable[..., object]
"""What can be given as a player, besides names and files."""

NEEDED = ("choose", "choose_from")
ANY_OF_THEM = ("play", "think", *NEEDED)
"""Of these a class that is derived from Player fills in one at least."""


def given_player(given: object, seed: int | None = None) -> Handlers:
    """The player that something is, or that is made of it; PlayerError or ParameterError where it is none."""
    kind = given.func if isinstance(given, partial) else given
    if isinstance(kind, type) and callable(given):
        check_class(kind)
        return _filled(_made(given, kind, seed))
    if has_play(given):
        return _filled(given)
    if callable(given):
        return Chooser(given, seed)
    raise ParameterError(
        f"{shown(given)} is no player; a name or a file is one, a class or an object with play such as gm.Player, "
        "and a function from a state to a move"
    )


def has_play(thing: object) -> bool:
    """Whether something has the one handler that a player needs."""
    return callable(inspect.getattr_static(thing, "play", None)) or callable(_attribute(thing, "play"))


def name_of(player: object) -> str:
    """What a player is called: as it says, or by its class."""
    name = _attribute(player, "name")
    return name if isinstance(name, str) and name else type(player).__name__


def _attribute(thing: object, name: str) -> object:
    """What something has under a name, None where it has nothing, or fails to say: that is code of a player."""
    try:
        return getattr(thing, name, None)
    except Exception:  # a player's code may raise anything
        return None


def check_class(kind: type) -> None:
    """Nothing, where a class can be a player, as far as can be seen without making one; else PlayerError."""
    own = [each for each in kind.__mro__ if each not in (*Player.__mro__, object)]
    if issubclass(kind, Player):
        if not any(name in vars(each) for each in own for name in ANY_OF_THEM):
            raise PlayerError(f"class {kind.__name__} has no choose{_slip(own)}")
    elif not callable(getattr(kind, "play", None)):
        is_close = any(hasattr(kind, name) for name in NEEDED) or _slip(own)
        advice = f"write class {kind.__name__}(Player), with from gamemaster import Player"
        raise PlayerError(
            f"class {kind.__name__} has no play{f' and is no Player: {advice}' if is_close else ''}"
        )


def _slip(kinds: Sequence[type]) -> str:
    """A method that may be a slip of the pen for one that is needed, and where it is."""
    for method in _methods(kinds):
        for name in difflib.get_close_matches(method.__name__, ANY_OF_THEM, n=1, cutoff=0.75):
            return (
                f"; {method.__name__} in line {method.__code__.co_firstlineno} may be meant: call it {name}"
            )
    return ""


def _methods(kinds: Sequence[type]) -> Iterator[Any]:
    return (each for kind in kinds for each in vars(kind).values() if inspect.isfunction(each))


def missing_values(maker: Callable[..., object], values: Collection[str] = ()) -> list[str]:
    """The parameters that a player cannot be made without, but those given."""
    known = parameters_of_callable(maker).values()
    return [
        each.name for each in known if each.default is inspect.Parameter.empty and each.name not in values
    ]


def _made(maker: Callable[..., object], kind: type, seed: int | None) -> object:
    if missing := missing_values(maker):
        values = "=..., ".join(missing)
        raise ParameterError(
            f"class {kind.__name__} needs {', '.join(missing)}: give functools.partial({kind.__name__}, {values}=...)"
        )
    try:
        return maker(**seed_for(maker, seed))
    except (Exception, SystemExit) as error:
        raise PlayerError(f"class {kind.__name__} cannot be made: {type(error).__name__}: {error}") from error


def seed_for(maker: Callable[..., object], seed: int | None) -> dict[str, int | None]:
    """The arguments for a new player: the seed, where it takes one, which some classes do not tell."""
    try:
        return {"seed": seed} if "seed" in inspect.signature(maker).parameters else {}
    except (TypeError, ValueError):
        return {}


def _filled(given: Any) -> Handlers:
    return given if isinstance(given, Player | Filled) else Filled(given)


class Filled:
    """All five handlers, whichever of them an object has."""

    def __init__(self, handlers: Any) -> None:
        self.handlers: Any = handlers
        self.name = name_of(handlers)

    @property
    def player(self) -> Player | None:
        """The Player that it is, if it is one."""
        return self.handlers if isinstance(self.handlers, Player) else None

    @property
    def last_result(self) -> SearchResult | None:
        """Why it chose its last move, where it says so."""
        result = self._own("last_result")
        return result if isinstance(result, SearchResult) else None

    def ping(self) -> object:
        """What it says, or ready."""
        return self._handle("ping", "ready")

    def start(self, role: str, rules: Any, startclock: float, playclock: float) -> object:
        """What it says, or ready."""
        return self._handle("start", "ready", role, rules, startclock, playclock)

    def play(self, moves: Any = None) -> object:
        """The move that it gives."""
        return self._handle("play", False, moves)

    def stop(self, moves: Any = None) -> object:
        """What it says, or False."""
        return self._handle("stop", False, moves)

    def abort(self) -> object:
        """What it says, or False."""
        return self._handle("abort", False)

    def tell_legal(self, legal: Sequence[Term]) -> None:
        """Hand on which moves are legal, if it wants to know: see Player."""
        self._handle("tell_legal", None, legal)

    def think(self, state: State, budget: Budget) -> object:
        """The move to make in a state, wherever the match is; PlayerError where it is no Player."""
        if self.player is None:
            raise PlayerError(
                f"{self.name}: who keeps books of its own cannot think about a state: see Player"
            )
        return self._call(self.player.think, state, budget)

    def _handle(self, name: str, default: object, *arguments: object) -> object:
        handler = self._own(name)
        return self._call(handler, *arguments) if callable(handler) else default

    def _own(self, name: str) -> object:
        """What it has under a name, None where it has nothing; to look for it may run its code."""
        return self._call(getattr, self.handlers, name, None)

    def _call(self, function: Callable[..., object], *arguments: object) -> object:
        return function(*arguments)


class Chooser(Player):
    """A player that asks a function for its moves."""

    def __init__(self, function: Callable[..., object], seed: int | None = None) -> None:
        super().__init__(seed)
        self.function = function
        self._wants_role = _wants_role(function, self.name)

    @property
    def name(self) -> str:
        """That of the function."""
        return str(getattr(self.function, "__name__", type(self.function).__name__))

    def choose(self, state: State) -> Any:
        """What the function says."""
        return self.function(state, self.role) if self._wants_role else self.function(state)

    def _chooser(self) -> str:
        return self.name


def _wants_role(function: Callable[..., object], name: str) -> bool:
    """Whether a function is told the role as well: where it needs two arguments, or calls the second so."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some in machine code do not tell
        return False
    takes_one, takes_two = _takes(signature, 1), _takes(signature, 2)
    if takes_one or takes_two:
        return takes_two and (not takes_one or list(signature.parameters)[1:2] == ["role"])
    raise ParameterError(
        f"{name}{signature} is no player: a function is asked for a move by {name}(state) or {name}(state, role)"
    )


def _takes(signature: inspect.Signature, count: int) -> bool:
    try:
        signature.bind(*[None] * count)
    except TypeError:
        return False
    return True
