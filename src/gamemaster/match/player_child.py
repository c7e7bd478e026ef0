"""A player in a process of its own: `python -m gamemaster.match.player_child PLAYER`.

Requests come as lines on standard input, replies go as lines to standard output. The player itself has neither: it
reads nothing, and what it prints goes to standard error. The limits on memory and CPU time hold for whatever the player
starts, too, each process by itself. When it ends, all that it started ends with it (see `guardian.py`).
"""

from __future__ import annotations

import argparse
import os
import resource
from typing import BinaryIO

from gamemaster.errors import GamemasterError
from gamemaster.match.guardian import guard
from gamemaster.match.request import Failure, Reply
from gamemaster.match.transports.asking import ask, failure_of
from gamemaster.match.transports.lines import reply_to_line, request_from_line
from gamemaster.players.loading import find_player

__all__ = ["main"]


def main() -> None:
    """Answer requests until they end."""
    guard()
    arguments = _arguments()
    requests, output = _take_pipes()
    _limit(resource.RLIMIT_AS, arguments.memory)
    _limit(resource.RLIMIT_CPU, arguments.cpu)
    try:
        player = find_player(arguments.player)(seed=arguments.seed)
    except GamemasterError as error:
        _write(output, failure_of(None, error))
        return
    for line in requests:
        request = request_from_line(line.decode())
        _write(output, ask(player, request))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("player")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--memory", type=int, default=0, help="bytes of address space; 0: no limit")
    parser.add_argument("--cpu", type=int, default=0, help="seconds; 0: no limit")
    return parser.parse_args()


def _take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The lines to and from the manager, which the player cannot take for its own input and output."""
    requests, output = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, output


def _limit(what: int, amount: int) -> None:
    if amount:
        resource.setrlimit(what, (amount, amount))


def _write(output: BinaryIO, reply: Reply | Failure) -> None:
    output.write(reply_to_line(reply).encode() + b"\n")
    output.flush()


if __name__ == "__main__":
    main()
