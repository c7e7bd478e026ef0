"""`gamemaster player`: a player of the library or of a file, served to managers of the published protocol."""

from __future__ import annotations

import asyncio

from gamemaster.errors import PlayerError
from gamemaster.match.serving import PlayerServer
from gamemaster.players.loading import find_player
from gamemaster.terminal.report import print_line

__all__ = ["serve_player"]

SHOWN = 100


def serve_player(name: str, *, host: str, port: int, is_quiet: bool, ponders: bool = True) -> None:
    """Serve until it is interrupted."""
    server = PlayerServer(find_player(name), name, None if is_quiet else _show, ponders=ponders)
    asyncio.run(_serve(server, host, port))


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
