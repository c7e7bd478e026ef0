"""Work done on a Ray cluster: it schedules, restarts what was lost with a node, and brings results back.

Ray's driver ends its process when the cluster is gone, so it has one of its own (`cluster_child`); this one only waits
for its word. Functions are called by their names, values are pickled: the machines of a cluster need this package, and
nothing else of ours.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import pickle
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from importlib.util import find_spec
from typing import Any, TypeVar

from gamemaster.arena.workers.cluster_child import speak
from gamemaster.arena.workers.seam import WorkerDied
from gamemaster.errors import NotInstalled, WorkersLost

__all__ = ["Cluster"]

Given = TypeVar("Given")
Product = TypeVar("Product")

LOOK_SECONDS = 5.0
JOIN_SECONDS = 60.0
"""How long to look for a cluster at an address, and for it to take us in."""

LAST_PORT = 65_535
PLACES_A_CORE = 2
"""Work that waits at the cluster for each core, so that none is without while results travel."""


class Cluster:
    """Workers that are a Ray cluster."""

    def __init__(self, address: str) -> None:
        """`address` is that of its head, host:port; WorkersLost within seconds where there is none."""
        if find_spec("ray") is None:
            raise NotInstalled("a cluster needs Ray: pip install 'gamemaster[cluster]'")
        self.address = address
        _look_for(address)
        context = multiprocessing.get_context("spawn")
        self._line, there = context.Pipe()
        self._child = context.Process(target=speak, args=(there, address), daemon=True)
        self._child.start()
        there.close()
        self._waiting: dict[int, Future[Any]] = {}
        self._lock, self._number, self._why = threading.Lock(), 0, ""
        try:
            self.places = PLACES_A_CORE * self._joined()
        except BaseException:  # whoever is in a hurry does not wait for it either
            self._child.kill()
            raise
        threading.Thread(target=self._listen, daemon=True).start()

    def _joined(self) -> int:
        """How many cores the cluster has, once it has taken us in."""
        with contextlib.suppress(EOFError, OSError):
            if self._line.poll(JOIN_SECONDS):
                kind, told = self._line.recv()
                if kind == "ready":
                    return max(1, int(told))
                raise WorkersLost(f"the cluster at {self.address!r} cannot be used: {told}")
        raise WorkersLost(f"the cluster at {self.address!r} does not take us in; is its head alive?")

    def submit(self, call: Callable[[Given], Product], value: Given) -> Future[Product]:
        """Have the cluster call a function; WorkersLost where it is gone."""
        promised: Future[Product] = Future()
        with self._lock:
            if self._why:
                raise WorkersLost(self._why)
            self._number += 1
            self._waiting[self._number] = promised
            try:
                self._line.send((self._number, call, value))
            except OSError:
                self._lose()
        return promised

    def _listen(self) -> None:
        """Take in what comes back, until nothing comes any more."""
        with contextlib.suppress(EOFError, OSError, pickle.UnpicklingError):
            while True:
                number, is_done, told = self._line.recv()
                with self._lock:
                    promised = self._waiting.pop(number, None)
                if promised is not None:
                    if is_done:
                        promised.set_result(told)
                    else:
                        promised.set_exception(WorkerDied(told) if isinstance(told, str) else told)
        with self._lock:
            self._lose()

    def _lose(self) -> None:
        """Nobody is left: all that was waited for ends with that."""
        self._why = (
            f"the cluster at {self.address!r} is gone; what was played is kept, and --resume goes on, "
            "here or on another cluster"
        )
        waiting, self._waiting = self._waiting, {}
        for promised in waiting.values():
            promised.set_exception(WorkersLost(self._why))

    def close(self) -> None:
        """Leave the cluster; what it has not done is not done."""
        with contextlib.suppress(OSError):
            self._line.send(None)
        self._child.join(LOOK_SECONDS)
        self._child.kill()
        self._child.join()
        self._line.close()


def _look_for(address: str) -> None:
    """Nothing, where somebody answers at an address; else WorkersLost, at once rather than when Ray gives up."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not (port.isascii() and port.isdecimal()) or int(port) > LAST_PORT:
        raise WorkersLost(f"{address!r} is no address of a cluster; name its head, host:port")
    try:
        socket.create_connection((host, int(port)), LOOK_SECONDS).close()
    except (OSError, UnicodeError) as error:
        what = getattr(error, "strerror", "") or type(error).__name__
        raise WorkersLost(f"no cluster at {address!r}: {what}; `ray status` on its head tells more") from None
