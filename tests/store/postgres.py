"""A PostgreSQL server for tests: Debian's own, in a temporary folder, at a socket that only this machine has.

It refuses to be run by root, so root runs it as `postgres`, or as `nobody` where there is no such user.
"""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SECONDS = 60
NUMBERS = itertools.count(1)


@contextmanager
def running_postgres() -> Iterator[str]:
    """The address of a database on a server of its own; the test is skipped where the machine has none."""
    programs = find_programs()
    folder = Path(tempfile.mkdtemp(prefix="gm-pg-"))  # short: the path of a socket has at most 107 bytes
    try:
        user = _user()
        if user is not None:
            os.chown(folder, user, -1)
        _run(
            [str(programs / "initdb"), "-D", "cluster", "-U", "tester", "-A", "trust", "-N", "-E", "UTF8"],
            folder,
            user,
        )
        with _served(programs, folder, user):
            yield f"postgresql://tester@/postgres?host={folder}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def new_database(server: str) -> str:
    """The address of a new and empty database on a running server."""
    psycopg = pytest.importorskip("psycopg", reason="no psycopg, so no PostgreSQL")
    name = f"test_{os.getpid()}_{next(NUMBERS)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return server.replace("/postgres?", f"/{name}?")


def find_programs() -> Path:
    """The folder of initdb and postgres."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name), reverse=True
    )
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    pytest.skip("no PostgreSQL on this machine: apt-get install postgresql")


def _user() -> int | None:
    """Who runs the server, where whoever runs the test must not."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_uid
        except KeyError:
            continue
    pytest.skip("no user besides root, who must not run PostgreSQL")


def _environment() -> dict[str, str]:
    return {
        "PATH": os.defpath,
        "LC_ALL": "C.UTF-8",
        "TZ": "Asia/Kolkata",
    }  # nothing may rely on the zone of a server


def _run(command: list[str], folder: Path, user: int | None) -> None:
    done = subprocess.run(
        command, cwd=folder, user=user, env=_environment(), capture_output=True, text=True, timeout=SECONDS
    )
    assert done.returncode == 0, done.stdout + done.stderr


@contextmanager
def _served(programs: Path, folder: Path, user: int | None) -> Iterator[None]:
    settings = {
        "listen_addresses": "",
        "unix_socket_directories": str(folder),
        "fsync": "off",
        "synchronous_commit": "off",
        "full_page_writes": "off",
        "shared_buffers": "16MB",
    }
    command = [str(programs / "postgres"), "-D", "cluster"]
    command += [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=folder, user=user, env=_environment(), stdout=log, stderr=log)
    try:
        _wait_until_ready(server, folder)
        yield
    finally:
        server.send_signal(signal.SIGQUIT)  # at once: nothing has to be on the disk
        try:
            server.wait(SECONDS)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _wait_until_ready(server: subprocess.Popen[bytes], folder: Path) -> None:
    end = time.monotonic() + SECONDS
    while True:
        said = (folder / "log").read_text("utf-8", "replace")
        if "ready to accept connections" in said:
            return
        assert server.poll() is None, said
        assert time.monotonic() < end, said
        time.sleep(0.02)
