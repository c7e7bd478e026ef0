"""A name, a file, an address, or a player at hand in Python -> the transport to that player."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TypeAlias

from gamemaster.errors import ParameterError
from gamemaster.match.transports.child_process import ProcessLimits, player_process
from gamemaster.match.transports.http_client import HttpPlayer
from gamemaster.match.transports.in_process import InProcess
from gamemaster.match.transports.transport import Transport
from gamemaster.match.transports.websocket import WebSocketPlayer
from gamemaster.players.given import Given, given_player, name_of
from gamemaster.players.loading import check_player, make_player

__all__ = ["HTTP", "WEBSOCKET", "AnyPlayer", "find_transport", "is_address"]

AnyPlayer: TypeAlias = str | Path | Transport | Given
"""Who can be given for a role: a name, a file, an address, a line, or a player at hand."""

HTTP, WEBSOCKET = "http://", "ws://"


def is_address(player: str) -> bool:
    """Whether a player is somewhere else, known by an address."""
    return player.startswith((HTTP, WEBSOCKET))


def find_transport(
    player: AnyPlayer,
    *,
    seed: int | None = None,
    is_isolated: bool = False,
    limits: ProcessLimits | None = None,
) -> Transport:
    """The line to "egghead", "my_player.py", "http://host:port" or "ws://host:port", or to a player given in Python.

    UnknownPlayer or PlayerError for anything else. An isolated player gets a process of its own, with limits; one at an
    address has its own anyway.
    """
    if isinstance(player, Transport):
        return player
    if not isinstance(player, str | Path):
        return _line_to_given(player, seed, is_isolated=is_isolated)
    name = str(player)
    if name.startswith(HTTP):
        return HttpPlayer(name)
    if name.startswith(WEBSOCKET):
        return WebSocketPlayer(name)
    if is_isolated:
        check_player(player)  # its code runs nowhere but in its own process, which says what is wrong with it
        return player_process(name, seed, limits)
    return InProcess(make_player(player, seed=seed), name)


def _line_to_given(given: Given, seed: int | None, *, is_isolated: bool) -> Transport:
    player = given_player(given, seed)
    if is_isolated:
        raise ParameterError(
            f"{name_of(player)} is given as a {_kind_of(given)} and plays in this process; only names and files "
            "can be isolated: put it into a file"
        )
    return InProcess(player, name_of(player))


def _kind_of(given: Given) -> str:
    return "class" if isinstance(given, type) else "function" if inspect.isroutine(given) else "object"
