"""An app -> its address: served from a thread of this process, on a port that was free, as long as a block lasts."""

from __future__ import annotations

import gc
import socket
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

__all__ = ["serving"]

PATIENCE = 60.0


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """The address of an app that is served."""
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="websockets-sansio"))
        thread = threading.Thread(target=server.run, args=([line],), daemon=True)
        thread.start()
        try:
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
