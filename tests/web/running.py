"""A site as an operator runs it, in a process and a folder of its own; and visitors with the manners of a browser."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect

__all__ = ["RunningSite", "Visitor", "running_site"]

ADDRESS = re.compile(r"Gamemaster is at (http://\S+)")
TOKEN = re.compile(r'name="token" value="(\w+)"')
PATIENCE = 120.0


@dataclass
class RunningSite:
    """A server."""

    address: str
    process: subprocess.Popen[str]
    folder: Path

    def kill(self) -> None:
        """Kill it as a power cut would, with all that it started."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    @property
    def records(self) -> list[Path]:
        return sorted((self.folder / "matches").glob("*.jsonl"))


@contextmanager
def running_site(
    folder: Path, *options: str, data: str = "", makes_code: bool = False
) -> Iterator[RunningSite]:
    """A server with its data in a folder, or in another database; it ends with the block."""
    command = [sys.executable, "-m", "gamemaster", "serve", "--port", "0", *options]
    command += ["--data", data, "--records", str(folder)] if data else ["--data", str(folder)]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "GAMEMASTER_NO_READYING": "" if makes_code else "1"},
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = ADDRESS.search(line)
        assert found, line
        yield RunningSite(found[1], process, folder)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(60)
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
        if process.stdout is not None:
            process.stdout.close()


@dataclass(eq=False)
class Visitor:
    """Somebody with a browser: cookies, tokens of forms, a socket for what happens."""

    address: str
    client: httpx.Client = field(init=False)
    token: str = ""

    def __post_init__(self) -> None:
        self.client = httpx.Client(base_url=self.address, timeout=PATIENCE)
        weakref.finalize(self, self.client.close)

    def get(self, path: str) -> httpx.Response:
        response = self.client.get(path)
        found = TOKEN.search(response.text)
        self.token = found[1] if found else self.token
        return response

    def post(self, path: str, **values: object) -> httpx.Response:
        if not self.token:
            self.get("/play")
        form = {name.replace("_", "-"): str(value) for name, value in values.items()}
        return self.client.post(path, data={"token": self.token, **form})

    def arrange(self, path: str, **values: object) -> str:
        """The id of a match that a form sets up."""
        response = self.post(path, **values)
        assert response.status_code == 303, response.text
        return response.headers["location"].rsplit("/", 1)[1]

    def act(self, match: str, act: str, **values: object) -> httpx.Response:
        if not self.token:
            self.get("/play")
        return self.client.post(
            f"/matches/{match}/act",
            data={"token": self.token, "act": act, **values},
            headers={"accept": "application/json"},
        )

    def move(self, match: str, role: str, move: str, step: int) -> httpx.Response:
        return self.client.post(
            f"/matches/{match}/move",
            data={"token": self.token, "role": role, "move": move, "step": step},
            headers={"accept": "application/json"},
        )

    @contextmanager
    def watching(self, match: str, after: int = 0, mark: str = "") -> Iterator[Watch]:
        """The socket of a match's page."""
        cookies = "; ".join(f"{name}={value}" for name, value in self.client.cookies.items())
        address = self.address.replace("http", "ws") + f"/matches/{match}/live?after={after}&mark={mark}"
        with connect(address, additional_headers={"cookie": cookies}) as socket:
            yield Watch(socket)


@dataclass
class Watch:
    """What a page is told."""

    socket: ClientConnection
    last: dict[str, Any] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)

    def next(self) -> dict[str, Any]:
        text = self.socket.recv(timeout=PATIENCE)
        assert isinstance(text, str)
        self.texts.append(text)
        self.last = json.loads(text)
        self.parts.update(self.last["parts"])
        return self.last

    def until(self, phase: str) -> dict[str, Any]:
        """Read on until the match is in a phase."""
        while not self.last or self.last["phase"] != phase:
            self.next()
        return self.last

    def until_asked(self) -> dict[str, Any]:
        """Read on until somebody here is asked for a move, or the match is over."""
        while not self.last or not (self.last["clicks"] or self.last["phase"] == "over"):
            self.next()
        return self.last
