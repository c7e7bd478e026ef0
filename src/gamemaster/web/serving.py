"""What an operator says -> a server that runs until it is interrupted."""

from __future__ import annotations

import contextlib
import os
import resource
import socket
import threading
import time
import webbrowser
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from gamemaster.errors import ParameterError
from gamemaster.web.app import create_app
from gamemaster.web.lines import GuardedSocket, guarded_line
from gamemaster.web.settings import SiteSettings, settings_for

__all__ = ["Serving", "run_server"]

BACKLOG = 512
MOST_LINES, MOST_LINES_EACH = 4_000, 600
"""Connections for requests; a class of pupils may come from one address."""

KEEP_ALIVE = 20
LARGEST_MESSAGE = 200_000
"""Bytes of a text over a WebSocket."""

PING_SECONDS = 20.0
LEAVING_SECONDS = 5
BROWSERS = ("DISPLAY", "WAYLAND_DISPLAY")


@dataclass(frozen=True)
class Serving:
    """How to serve."""

    host: str
    port: int
    data: str = ""
    records: str = ""
    most_matches: int = 200
    most_players: int | None = None
    hosts: tuple[str, ...] = ()
    allows_uploads: bool = False
    names: tuple[str, ...] = ()
    proxy: str = ""
    opens_browser: bool = False

    def settings(self) -> SiteSettings:
        """What the site is told."""
        names = frozenset(name.lower() for name in (self.host, *self.names))
        said: dict[str, object] = {
            "most_matches": self.most_matches,
            "hosts": frozenset(self.hosts),
            "names": names,
            "allows_uploads": self.allows_uploads,
        }
        if self.most_players is not None:
            said["most_players"] = self.most_players
        return settings_for(self.data, self.records, **said)


def run_server(serving: Serving) -> None:
    """Serve until somebody interrupts."""
    _allow_many_files()
    listening = _listen(serving.host, serving.port)
    app = create_app(serving.settings())
    config = uvicorn.Config(
        app,
        http=guarded_line(MOST_LINES, MOST_LINES_EACH),
        ws=GuardedSocket,
        log_level="warning",
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=LEAVING_SECONDS,
        ws_max_size=LARGEST_MESSAGE,
        ws_ping_interval=PING_SECONDS,
        ws_ping_timeout=PING_SECONDS,
        server_header=False,
        proxy_headers=bool(serving.proxy),
        forwarded_allow_ips=serving.proxy or None,
    )
    server = uvicorn.Server(config)
    address = _address(serving.host, listening.getsockname()[1])
    threading.Thread(target=_announce, args=(server, address, serving.opens_browser), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listening])


def _allow_many_files() -> None:
    """Every connection is an open file; systems begin with few, and let one have more."""
    with contextlib.suppress(ValueError, OSError):
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens; ParameterError where the address cannot be had."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(found[0], found[1])
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(found[4])
    except OSError as error:
        reason = error.strerror or str(error)
        raise ParameterError(f"cannot listen at {host}:{port}: {reason}; take another with --port") from None
    return listening


def _address(host: str, port: int) -> str:
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}"


def _announce(server: uvicorn.Server, address: str, opens_browser: bool) -> None:
    """Say where the site is, once it is there, and open it where somebody sits in front of this machine."""
    while not server.started:
        if server.should_exit:
            return
        time.sleep(0.05)
    print(f"Gamemaster is at {address}  (Ctrl-C ends it)", flush=True)
    if opens_browser and has_screen(os.environ):
        webbrowser.open(address)


def has_screen(environment: Mapping[str, str]) -> bool:
    """Whether a browser can be shown: on some systems always, elsewhere where there is a display."""
    return (
        os.name == "nt" or Path("/System/Library").exists() or any(environment.get(each) for each in BROWSERS)
    )
