"""`gamemaster player`: a player of the library or of a file, served to managers of the published protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from gamemaster.errors import PlayerError
from gamemaster.match.serving import PlayerServer
from gamemaster.players.loading import find_player, in_machine_code
from gamemaster.terminal.leaving import terminable
from gamemaster.terminal.progress import MOMENT, waiting
from gamemaster.terminal.report import print_line, report_text
from gamemaster.terminal.screen import is_terminal

__all__ = ["serve_player"]

SHOWN = 100
COMPILING = "compiling searches, once for this machine: some minutes"


def serve_player(name: str, *, host: str, port: int, is_quiet: bool, ponders: bool = True) -> None:
    """Serve until it is interrupted; machine code that the player takes in any game is there before it listens."""
    with terminable():
        _get_ready(in_machine_code(name))
    server = PlayerServer(find_player(name), name, None if is_quiet else _show, ponders=ponders)
    asyncio.run(_serve(server, host, port))


def _get_ready(kinds: Sequence[str]) -> None:
    """Have kernels compiled, however long that takes: no start clock of a match shall pay for it."""
    if not kinds:
        return
    from gamemaster.search.native.warming import warm_up

    if warm_up(MOMENT, kinds):
        return
    if not is_terminal(is_error=True):
        report_text(f"{COMPILING} ...")
    with waiting(COMPILING):
        is_ready = warm_up(None, kinds)
    if not is_ready:
        report_text("some searches cannot be compiled on this machine: they run in Python, far slower")


async def _serve(server: PlayerServer, host: str, port: int) -> None:
    try:
        await server.start(host, port)
    except (OSError, OverflowError, UnicodeError) as error:
        raise PlayerError(f"cannot listen at {host}:{port}: {error}") from None
    shown = f"[{host}]" if ":" in host else host
    print(f"{server.name} listens at http://{shown}:{server.port}; Ctrl-C ends it.", flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        await server.close()


def _show(message: str, answer: str) -> None:
    print_line(f"{_short(message)} -> {_short(answer)}")


def _short(text: str) -> str:
    line = " ".join(text[: 10 * SHOWN].split())  # no more is looked at of what strangers send
    return line if len(line) <= SHOWN else line[: SHOWN - 3] + "..."
