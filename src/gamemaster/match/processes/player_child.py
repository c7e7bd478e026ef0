"""A player in a process of its own: `python -m gamemaster.match.processes.player_child PLAYER`.

The first line on standard input is the order (see `order.py`), and `ready` the answer, or why not. Then requests come
as lines, and replies go as lines to standard output. The player itself has neither: it reads nothing, and what it says
goes to standard error. It begins behind walls (`walls.py`), or at least with a guardian (`guardian.py`): when it ends,
all that it started ends with it. The limits hold for whatever the player starts, too, each process by itself.
"""

from __future__ import annotations

import os
import resource
import sys
from typing import BinaryIO

from gamemaster.errors import GamemasterError, NotIsolated
from gamemaster.match.processes import linux
from gamemaster.match.processes.guardian import guard
from gamemaster.match.processes.order import CANNOT, READY, Order, ProcessLimits
from gamemaster.match.processes.view import view_for
from gamemaster.match.processes.walls import raise_walls
from gamemaster.match.request import Failure, Reply
from gamemaster.match.transports.calling import call_handler, failure_of, let_ponder, put_to_rest
from gamemaster.match.transports.lines import reply_to_line, request_from_line
from gamemaster.players.loading import make_player

__all__ = ["main"]

LARGEST_FILE, MOST_OPEN = 256 * 2**20, 512
PROCESSES, PROCESSES_A_CORE = 128, 8
"""How many processes and threads a player behind walls may have: libraries start some for each core."""


def main() -> None:
    """Answer requests until they end."""
    name = sys.argv[-1]
    order = Order.from_line(_first_line())
    try:
        _begin(name, order)
    except NotIsolated as error:
        os.write(1, CANNOT + str(error).encode() + b"\n")
        os._exit(1)
    os.write(1, READY + b"\n")
    requests, output = _take_pipes()
    _limit(order.limits)
    try:
        player = make_player(name, seed=order.seed)
    except GamemasterError as error:
        failure = failure_of(None, error)
        _print_trace(failure)
        _write(output, failure)
        return
    if order.limits.ponders:
        let_ponder(player)
    has_failed = False
    for line in requests:
        request = request_from_line(line.decode())
        reply = call_handler(player, request)
        if isinstance(reply, Failure) and reply.trace and not has_failed:
            _print_trace(reply)
            has_failed = True
        sys.stdout.flush()
        _write(output, reply)
    put_to_rest(player)


def _first_line() -> bytes:
    """The order, and not a byte of what follows it."""
    line = b""
    while not line.endswith(b"\n"):
        line += os.read(0, 1) or b"\n"
    return line


def _begin(player: str, order: Order) -> None:
    if not order.limits.has_walls:
        guard()
        return
    linux.die_with_parent()
    if os.getppid() != order.manager:
        os._exit(1)  # it ended before it could be asked to take us along
    raise_walls(view_for(player, order.hidden))


def _take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The lines to and from the manager, which the player cannot take for its own input and output."""
    requests, output = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, output


def _limit(limits: ProcessLimits) -> None:
    amounts = {resource.RLIMIT_AS: limits.memory, resource.RLIMIT_CPU: limits.cpu}
    if limits.has_walls:
        processes = limits.processes or PROCESSES + PROCESSES_A_CORE * (os.cpu_count() or 1)
        amounts |= {resource.RLIMIT_NPROC: processes, resource.RLIMIT_NOFILE: MOST_OPEN}
        amounts |= {resource.RLIMIT_FSIZE: LARGEST_FILE}
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for what, amount in amounts.items():
        most = resource.getrlimit(what)[1]
        if amount:
            allowed = amount if most == resource.RLIM_INFINITY else min(amount, most)
            resource.setrlimit(what, (allowed, allowed))


def _print_trace(failure: Failure) -> None:
    """Let the author of a player see where it failed."""
    sys.stdout.flush()
    os.write(2, failure.trace.encode(errors="replace"))


def _write(output: BinaryIO, reply: Reply | Failure) -> None:
    output.write(reply_to_line(reply).encode() + b"\n")
    output.flush()


if __name__ == "__main__":
    main()
