"""An app, or a command that serves one -> its address, as long as a block lasts: a thread here, or another process."""

from __future__ import annotations

import gc
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

__all__ = ["served", "serving"]

PATIENCE = 60.0
ADDRESS = re.compile(r"at (http://\S+)")


@contextmanager
def served(command: Sequence[str]) -> Iterator[tuple[str, int]]:
    """The address of a server that says where it is, and the id of its process; it ends with the block."""
    environment = {**os.environ, "GAMEMASTER_NO_READYING": "1"}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True
    )
    assert process.stdout is not None
    try:
        found = ADDRESS.search(process.stdout.readline())
        assert found is not None
        yield found[1], process.pid
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        process.stdout.close()


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """The address of an app that is served."""
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="websockets-sansio"))
        thread = threading.Thread(target=server.run, args=([line],), daemon=True)
        thread.start()
        try:
            while not server.started and thread.is_alive():  # before that nobody is listening
                time.sleep(0.01)
            yield f"http://127.0.0.1:{line.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(PATIENCE)
            del app, server, thread
            _sweep()


def _sweep() -> None:
    """Collect what the loop of a server leaves: pipes to its workers, which end with it, and nobody can close now."""
    hook = sys.unraisablehook
    sys.unraisablehook = lambda _: None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()
    finally:
        sys.unraisablehook = hook
