"""The players by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import cast

from gamemaster.errors import UnknownPlayer
from gamemaster.machine.game import Game
from gamemaster.players.player import Player
from gamemaster.search.parameters import Parameter, parameters_of_callable

__all__ = [
    "PLAYERS",
    "library_player",
    "one_line",
    "parameters_of_player",
    "player_names",
    "refusal_of",
    "takers_of",
]

PLAYERS = {
    "legal": "simple:Legal",
    "random": "simple:Random",
    "onestep": "classroom:Onestep",
    "twostep": "classroom:Twostep",
    "minimax": "classroom:Minimax",
    "minimaxdepth": "classroom:Minimaxdepth",
    "minimaxid": "classroom:Minimaxid",
    "alphabeta": "searching:Alphabeta",
    "maximizer": "searching:Maximizer",
    "greedy": "growing:Greedy",
    "pts": "growing:Pts",
    "mcs": "searching:Mcs",
    "mcts": "searching:Mcts",
    "pimc": "believing:Pimc",
    "ismcts": "believing:Ismcts",
    "egghead": "egghead:Egghead",
    "perfect": "perfect:Perfect",
    "indy": "simple:Indy",
    "lara": "simple:Lara",
    "slowpoke": "simple:Slowpoke",
    "dumbo": "simple:Dumbo",
}
"""Each is a file beside this one and a class in it, imported when it is asked for."""

TAKERS = ("egghead", "mcts", "mcs", "random", "legal")
"""Those that refuse nothing but, some of them, games that hide their state; the best first."""


def takers_of(game: Game) -> tuple[str, ...]:
    """Who plays a game of any kind."""
    return tuple(name for name in TAKERS if not (game.has_percepts and library_player(name).needs_state))


def refusal_of(player: str, game: Game, why: str) -> str:
    """Who refuses which game and why, in words, and who else would play it."""
    others = ", ".join(name for name in takers_of(game) if name != player)
    said = why if why.startswith(f"{player} cannot play") else f"{player} refuses {game.name}: {why}"
    return f"{said} ({others} can play it)"


def player_names() -> tuple[str, ...]:
    """The names of the library's players."""
    return tuple(PLAYERS)


def library_player(name: str) -> type[Player]:
    """The class of a player; UnknownPlayer where the library has none of that name."""
    if name not in player_names():
        raise UnknownPlayer(f"no player {name!r}; there are: {', '.join(player_names())}")
    place = PLAYERS[name]
    return cast("type[Player]", getattr(import_module(_module(place)), place.partition(":")[2]))


def parameters_of_player(maker: Callable[..., object], *, lowest: int | None = None) -> dict[str, Parameter]:
    """What a player can be told: those that its class names, or else those that it is made with."""
    named = getattr(maker, "known_parameters", None)
    return named() if callable(named) else parameters_of_callable(maker, lowest)


def one_line(name: str) -> str:
    """What a player is, in a line: the first of its class."""
    text = inspect.getdoc(library_player(name)) or ""
    return text.partition("\n")[0].rstrip(".")


def _module(place: str) -> str:
    return f"gamemaster.players.{place.partition(':')[0]}"
