"""The three questions at the top of the package, in one call each.

    gm.search(state, seconds=1)                         what to do in a state, and why: a SearchResult
    gm.match("tictactoe", ["mcts", "random"])           how a match ends: a MatchResult
    gm.check("my_game.kif")                             what is wrong with rules: a Report

`gamemaster.search`, `gamemaster.match` and `gamemaster.check` are modules, and stay so: whenever one is imported, by
whomever, it becomes a module that can be called. What a call needs is imported when it is made.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gamemaster.check import Report
    from gamemaster.language.rules import Dialect
    from gamemaster.machine.game import Game, State
    from gamemaster.match.result import MatchResult
    from gamemaster.match.transports.transport import Transport
    from gamemaster.search.budget import Budget
    from gamemaster.search.result import SearchResult

__all__ = ["CALLABLE", "LATER", "CheckModule", "MatchModule", "Package", "SearchModule", "make_callable"]


class SearchModule(ModuleType):
    """`gamemaster.search`, which searches when it is called."""

    def __call__(
        self,
        state: State,
        role: str | None = None,
        algorithm: str | None = None,
        *,
        budget: Budget | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        playouts: int | None = None,
        seed: int = 0,
        **parameters: Any,
    ) -> SearchResult:
        """What an algorithm or a player finds for a role in a state, within a budget: one second unless told.

        The role is that in control, or the first with a choice; the algorithm the first of mcts, uct and decoupled that
        takes the game. `parameters` are the algorithm's; those of a player stand in brackets behind its name.
        """
        from gamemaster.players.asking import ask, budget_of

        limit = budget_of(budget, seconds, nodes, playouts)
        return ask(state, role, algorithm, limit, seed=seed, parameters=parameters)


class MatchModule(ModuleType):
    """`gamemaster.match`, which runs a match when it is called."""

    def __call__(
        self,
        game: Game | str | Path,
        players: Mapping[str, str | Path | Transport] | Sequence[str | Path | Transport] | str | Path,
        *,
        start_clock: float = 10.0,
        play_clock: float = 10.0,
        seed: int = 0,
        record: Path | str | None = None,
        is_isolated: bool = False,
    ) -> MatchResult:
        """How a match ends between players by role, in role order, or one for all roles; clocks are in seconds.

        A player is a name, with parameters in brackets, a file, an address or a transport. `record` is a new file for
        all that happens; `is_isolated` gives each player a process of its own.
        """
        from gamemaster.match.result import play_match
        from gamemaster.match.settings import Settings

        settings = Settings(start_clock, play_clock, seed=seed)
        return play_match(game, players, settings, path=record, is_isolated=is_isolated)


class CheckModule(ModuleType):
    """`gamemaster.check`, which checks rules when it is called."""

    def __call__(
        self, rules: Game | str | Path, dialect: Dialect | None = None, *, seconds: float = 5.0, seed: int = 0
    ) -> Report:
        """What is wrong with rules: a text, a file, a game of the library, or a Game.

        `seconds` is how long to play at random, 0: not at all.
        """
        from gamemaster.check import check, rules_source

        return check(rules_source(rules), dialect, seconds=seconds, seed=seed)


CALLABLE: dict[str, type[ModuleType]] = {
    "check": CheckModule,
    "match": MatchModule,
    "search": SearchModule,
}


LATER = {"MatchResult": "match.result"}
"""Names at the top of the package, and the modules that are imported when they are asked for."""


class Package(ModuleType):
    """The package itself: what is imported into it becomes callable, and the callable modules are there at once."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in CALLABLE and type(value) is ModuleType:
            value.__class__ = CALLABLE[name]
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        if name in CALLABLE:
            return import_module(f"{self.__name__}.{name}")
        if name in LATER:
            return getattr(import_module(f"{self.__name__}.{LATER[name]}"), name)
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *CALLABLE, *LATER})


def make_callable(package: ModuleType) -> None:
    """Let the package's modules be called, those that were imported already and those that will be."""
    package.__class__ = Package
    for name in CALLABLE:
        if (module := sys.modules.get(f"{package.__name__}.{name}")) is not None:
            setattr(package, name, module)
