"""A name, a file or an address -> the transport to that player."""

from __future__ import annotations

from pathlib import Path

from gamemaster.match.transports.child_process import Limits, player_process
from gamemaster.match.transports.http_client import HttpPlayer
from gamemaster.match.transports.in_process import InProcess
from gamemaster.match.transports.transport import Transport
from gamemaster.match.transports.websocket import WebSocketPlayer
from gamemaster.players.loading import check_player, find_player

__all__ = ["find_transport"]

HTTP, WEBSOCKET = "http://", "ws://"


def find_transport(
    player: str | Path, *, seed: int | None = None, is_isolated: bool = False, limits: Limits | None = None
) -> Transport:
    """The line to "egghead", "my_player.py", "http://host:port" or "ws://host:port".

    UnknownPlayer or PlayerError for anything else. An isolated player gets a process of its own, with limits; one at an
    address has its own anyway.
    """
    name = str(player)
    if name.startswith(HTTP):
        return HttpPlayer(name)
    if name.startswith(WEBSOCKET):
        return WebSocketPlayer(name)
    if is_isolated:
        check_player(player)  # its code runs nowhere but in its own process, which says what is wrong with it
        return player_process(name, seed, limits)
    return InProcess(find_player(player)(seed=seed), name)
