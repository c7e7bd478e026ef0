"""`gamemaster serve`: how it begins, ends, and refuses."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from gamemaster.store.opening import data_folder
from gamemaster.web.serving import has_screen
from gamemaster.web.settings import settings_for
from gamemaster.web.work import LIVE_PROCESSES, QUICK_PROCESSES
from tests.web.running import RunningSite, running_site


def serve(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gamemaster", "serve", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_it_says_where_it_is_starts_its_workers_and_ends_with_an_interrupt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GAMEMASTER_LATE_WORKERS")
    with running_site(tmp_path) as site:
        assert httpx.get(site.address, timeout=60).status_code == 200
        while count_of_workers(site) < QUICK_PROCESSES + LIVE_PROCESSES:
            time.sleep(0.05)
        site.process.send_signal(signal.SIGINT)
        assert site.process.wait(60) == 0
    assert (tmp_path / "gamemaster.db").exists()
    assert (tmp_path / "secret").stat().st_mode & 0o077 == 0


def count_of_workers(site: RunningSite) -> int:
    """How many processes for heavy work a server has started."""
    number = site.process.pid
    below = Path(f"/proc/{number}/task/{number}/children").read_text().split()
    return sum("to_process" in Path(f"/proc/{child}/cmdline").read_text() for child in below)


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = serve("--port", str(port), "--data", str(tmp_path))
    assert said.returncode == 1
    assert f"cannot listen at 127.0.0.1:{port}" in said.stderr
    assert "--port" in said.stderr
    assert "Traceback" not in said.stderr


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("/proc/nothing", "no data can be kept"),
        ("nosuch://x/y", "nosuch"),
        ("postgresql://nobody@127.0.0.1:1/nothing", "127.0.0.1"),
    ],
)
def test_data_that_cannot_be_kept_is_told(data: str, words: str, tmp_path: Path) -> None:
    said = serve("--port", "0", "--data", data, "--records", str(tmp_path))
    if data.startswith("/"):
        said = serve("--port", "0", "--data", data)
    assert said.returncode == 1
    assert words in said.stderr
    assert "Traceback" not in said.stderr


def test_data_are_where_the_user_keeps_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("GAMEMASTER_DATA", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    assert data_folder() == tmp_path / "share" / "gamemaster"
    monkeypatch.setenv("GAMEMASTER_DATA", str(tmp_path / "here"))
    settings = settings_for()
    assert settings.records == tmp_path / "here" / "matches"
    assert settings.records.is_dir()
    assert settings.database == f"sqlite:///{tmp_path / 'here' / 'gamemaster.db'}"


def test_a_browser_is_opened_where_there_is_a_screen() -> None:
    assert has_screen({"DISPLAY": ":0"})
    assert not has_screen({"TERM": "xterm"}) or sys.platform != "linux"


def test_the_server_loads_no_compiler_and_help_loads_no_server() -> None:
    program = """
import json, sys
from gamemaster.web.app import create_app
before = [name for name in ("numba", "clingo") if name in sys.modules]
print(json.dumps(before))
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert json.loads(found.stdout) == []
    program = """
import contextlib, io, json, sys
from gamemaster.cli import app
with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
    app(["serve", "--help"])
print(json.dumps([name for name in ("fastapi", "sqlalchemy", "uvicorn") if name in sys.modules]))
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert json.loads(found.stdout) == []
