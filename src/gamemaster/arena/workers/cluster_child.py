"""The process that speaks with a Ray cluster: orders come in over a pipe, results go back over it.

Kept apart since Ray takes over what it is loaded into: signals, threads, and the end of the process when its cluster is
gone. That end is what the other side of the pipe sees.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

__all__ = ["speak"]

MOST_TRIES = 5
"""So often Ray itself begins work anew whose node has died."""

HEAD_SECONDS = "10"
"""How long Ray looks for a head that does not answer, before it gives the cluster up."""

LOOK_SECONDS = 0.2


def speak(line: Connection, address: str) -> None:
    """Run what comes over a line on a cluster, until nothing more comes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever is interrupted tells us
    os.environ.setdefault("RAY_gcs_rpc_server_reconnect_timeout_s", HEAD_SECONDS)
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nobody else is told
    import ray

    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", **_here(address))
        cores = ray.cluster_resources().get("CPU", 1)
    except Exception as error:  # whatever a cluster that is not one of ours says
        line.send(("failed", f"{type(error).__name__}: {error}".splitlines()[0]))
        return
    line.send(("ready", cores))
    _serve(line, ray)
    ray.shutdown()


def _here(address: str) -> dict[str, str]:
    """Where this process says it is: a head that only this machine reaches does not find it by another address."""
    host = address.rpartition(":")[0]
    return {"_node_ip_address": host} if host.startswith("127.") else {}


def _serve(line: Connection, ray: Any) -> None:
    """Hand over what comes, and back what is done."""
    run = ray.remote(_run).options(max_retries=MOST_TRIES, num_cpus=1)
    running: dict[Any, int] = {}
    lock = threading.Lock()

    def hand_back() -> None:
        while True:
            with lock:
                waiting = list(running)
            done, _ = ray.wait(waiting, timeout=LOOK_SECONDS) if waiting else ([], [])
            for reference in done:
                with lock:
                    number = running.pop(reference)
                line.send((number, *_result(ray, reference)))
            if not waiting:
                new.wait(LOOK_SECONDS)
                new.clear()

    new = threading.Event()
    threading.Thread(target=_or_end, args=(hand_back,), daemon=True).start()
    with contextlib.suppress(EOFError):
        while (order := line.recv()) is not None:
            number, call, value = order
            reference = run.remote(call, value)
            with lock:
                running[reference] = number
            new.set()


def _or_end(call: Callable[[], None]) -> None:
    """Do something that goes on for ever; where it fails the process ends, which the other side sees."""
    try:
        call()
    finally:
        os._exit(1)


def _run(call: Any, value: Any) -> Any:
    return call(value)


def _result(ray: Any, reference: Any) -> tuple[bool, Any]:
    """Whether something was done, and what it gave: a product, an error of ours, or why it was not done."""
    try:
        return True, ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        return False, cause if isinstance(cause, Exception) else str(error).splitlines()[-1]
    except ray.exceptions.RayError as error:
        return False, f"{type(error).__name__}: {str(error).splitlines()[0]}"
