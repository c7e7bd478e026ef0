"""The questions at the top of the package, in one call each.

    gm.search(state, seconds=1)                         what to do in a state, and why: a SearchResult
    gm.match("tictactoe", ["mcts", "random"])           how a match ends: a MatchResult
    gm.check("my_game.kif")                             what is wrong with rules: a Report
    gm.solve("tictactoe")                               what every position is worth: a LabelTable, or an Equilibrium

`gamemaster.search`, `gamemaster.match` and `gamemaster.check` are modules as well. At the top of the package these
functions have their names, whoever imports the modules and whenever; what a module holds is an attribute of its
function, so that `gamemaster.search.budget` is what it says. What a call needs is imported when it is made.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from gamemaster.check import Report
    from gamemaster.language.rules import Notation
    from gamemaster.machine.game import Game, State
    from gamemaster.match.result import MatchResult, Players
    from gamemaster.search.budget import Budget
    from gamemaster.search.result import SearchResult
    from gamemaster.solving.equilibrium.equilibrium import Equilibrium
    from gamemaster.solving.table import LabelTable

__all__ = ["CALLS", "LATER", "Package", "check", "keep_calls", "match", "search", "solve"]


def search(
    state: State | Game | str | Path,
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
    """What to do in a state, and why, as an algorithm or a player finds it within a budget: one second unless told.

        gm.search(state).move                                  the move to make
        gm.search(game, seconds=5)                             in the initial state of a game, for longer
        gm.search(state, "x", "alphabeta", depth=4)            for a role, by an algorithm with its parameters
        gm.search(state, algorithm="egghead")                  by a player of the library, or "my_player.py"

    The role is that in control, or the first with a choice; the algorithm the first of mcts, uct and decoupled that
    takes the game. `gamemaster players` lists algorithms, players and their `parameters`; those of a player stand in
    brackets behind its name. A game may be given by its name or its file. `print(result)` shows it in a line;
    `result.values` has what each move is worth.
    """
    from gamemaster.players.asking import ask, budget_of, state_of

    limit = budget_of(budget, seconds, nodes, playouts)
    return ask(state_of(state), role, algorithm, limit, seed=seed, parameters=parameters)


def match(
    game: Game | str | Path,
    players: Players,
    *,
    start_clock: float = 10.0,
    play_clock: float = 10.0,
    seed: int = 0,
    record: Path | str | None = None,
    is_isolated: bool = False,
) -> MatchResult:
    """How a match ends between players by role, in role order, or one for all roles; clocks are in seconds.

        gm.match("tictactoe", ["mcts", "random"])              names
        gm.match("tictactoe", {"x": Mine, "o": "their.py"})    a class of yours against a file
        gm.match("tictactoe", [lambda state: state.legal_moves(state.control)[0], "legal"])

    A player is a name, with parameters in brackets, a file, an address, a class or an object with `play` such as a
    gm.Player, a function that gives the move for a state (and a role, if it takes two), or a transport. `record` is a
    new file for all that happens; `is_isolated` gives each player of a name or a file a process of its own.
    `print(result)` shows how it ended; `result.goals` has what each role got.
    """
    from gamemaster.match.result import play_match
    from gamemaster.match.settings import Settings

    settings = Settings(start_clock, play_clock, seed=seed)
    return play_match(game, players, settings, path=record, is_isolated=is_isolated)


def check(
    rules: Game | str | Path, dialect: Notation | None = None, *, seconds: float = 5.0, seed: int = 0
) -> Report:
    """What is wrong with rules: a text, a file, a game of the library, or a Game; and with what stands beside them.

        print(gm.check("my_game.kif"))                         what is wrong, where, and what to do about it
        [finding.code for finding in gm.check(text)]           the same for programs

    `seconds` is how long to play at random, 0: not at all.
    """
    from gamemaster.check import check, rules_source
    from gamemaster.folder_check import looks_at

    source = rules_source(rules)
    return check(source, dialect, seconds=seconds, seed=seed, looks=looks_at(rules, counts=seconds > 0))


@overload
def solve(
    game: Game | str | Path,
    *,
    memory: int = 2048,
    folder: Path | str | None = None,
    positions: int | None = None,
    until: float = 0.01,
    iterations: int | None = None,
    seconds: float | None = 60.0,
) -> LabelTable | Any: ...  # of some games an Equilibrium, and whoever asks knows which


@overload
def solve(
    game: Game | str | Path,
    *,
    algorithm: str,
    memory: int = 2048,
    positions: int | None = None,
    until: float = 0.01,
    iterations: int | None = None,
    seconds: float | None = 60.0,
) -> Equilibrium: ...


def solve(
    game: Game | str | Path,
    *,
    memory: int = 2048,
    folder: Path | str | None = None,
    positions: int | None = None,
    algorithm: str | None = None,
    until: float = 0.01,
    iterations: int | None = None,
    seconds: float | None = 60.0,
) -> LabelTable | Equilibrium:
    """What every position of a game is worth with perfect play: all are labelled, from the ends backwards.

        gm.solve("tictactoe").label().goals                    what all roles get
        gm.solve("nim").strategy("alice")                      what to play, and why: a Strategy
        gm.solve("connectfour:small").save("small.labels")     one file; the player perfect reads it
        gm.solve("higherlower").values                         an Equilibrium, where moves need not be the best for sure

    Games with chance, hidden information or simultaneous moves have an equilibrium instead, and any game by an
    `algorithm`, cfr+, dcfr or cfr: as soon as nobody gains more than `until` goals by playing otherwise, or after so
    many `iterations` or `seconds`; `positions` are histories then.

    Beyond so many megabytes of `memory` positions live in files. In a `folder` they stay, and whoever solves the same
    again goes on there. LimitExceeded where there are more than so many `positions`. `docs/solve.md` has more.
    """
    from gamemaster.errors import ParameterError
    from gamemaster.load import load
    from gamemaster.machine.game import Game
    from gamemaster.search.suitable import is_uncertain
    from gamemaster.solving.equilibrium.solver import CFR_PLUS, Aim, solve_equilibrium
    from gamemaster.solving.equilibrium.tree import TreeLimits
    from gamemaster.solving.solver import SolveLimits, solve_table

    made = game if isinstance(game, Game) else load(game)
    if algorithm is not None or is_uncertain(made):
        if folder is not None:
            raise ParameterError(f"an equilibrium is looked for in {made.name}, which takes no folder")
        aim, room = (
            Aim(until, iterations, seconds),
            TreeLimits(positions or TreeLimits.histories, memory << 20),
        )
        return solve_equilibrium(made, algorithm or CFR_PLUS, aim, limits=room)
    limits = SolveLimits(memory << 20) if positions is None else SolveLimits(memory << 20, positions)
    return solve_table(made, limits=limits, folder=None if folder is None else Path(folder))


CALLS: dict[str, FunctionType] = {
    call.__name__: call for call in (check, match, search, solve) if isinstance(call, FunctionType)
}
LATER = {"MatchResult": "match.result"}
"""Names at the top of the package, and the modules that are imported when they are asked for."""


class Package(ModuleType):
    """The package itself: a module that is imported into it does not take the name of a call away."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in CALLS and isinstance(value, ModuleType):
            CALLS[name].__dict__ = vars(value)
            value = CALLS[name]
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        if name in LATER:
            return getattr(import_module(f"{self.__name__}.{LATER[name]}"), name)
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return list(self.__all__)


def keep_calls(package: ModuleType) -> None:
    """Let the names of the calls stay theirs, whichever modules were imported already or will be."""
    package.__class__ = Package
    for name, call in CALLS.items():
        setattr(package, name, sys.modules.get(f"{package.__name__}.{name}", call))
