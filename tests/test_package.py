"""The package from outside: its public names, what importing it costs, and that its documents are true."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gamemaster
from gamemaster.language.findings import CODES
from gamemaster.machine.lanes import clean

ROOT = Path(__file__).parent.parent
HEAVY = ("numba", "llvmlite", "clingo", "fastapi", "starlette", "uvicorn", "sqlalchemy", "numpy")


def test_all_is_exactly_what_can_be_imported() -> None:
    assert sorted(gamemaster.__all__) == gamemaster.__all__
    for name in gamemaster.__all__:
        assert getattr(gamemaster, name) is not None


@pytest.mark.parametrize("command", [["-c", "import gamemaster"], ["-m", "gamemaster", "--help"]])
def test_starting_loads_nothing_heavy(command: list[str]) -> None:
    run = subprocess.run(
        [sys.executable, "-X", "importtime", *command], capture_output=True, text=True, check=True
    )
    modules = {line.rpartition("|")[2].strip().split(".")[0] for line in run.stderr.splitlines()}
    assert "gamemaster" in modules
    assert not modules & set(HEAVY)


def test_the_session_in_the_readme_is_true() -> None:
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert result.attempted > 5
    assert result.failed == 0


def test_the_session_on_facts_and_terms_is_true() -> None:
    result = doctest.testfile(str(ROOT / "docs" / "write-a-player.md"), module_relative=False)
    assert result.attempted > 5
    assert result.failed == 0


@pytest.mark.parametrize("page", ["machines.md", "run-a-match.md"])
def test_the_programs_in_the_documents_run(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL)
    found: dict[str, Any] = {}
    for block in blocks:
        exec(block, found)
    assert len(blocks) > 1
    if page == "machines.md":
        assert len(found["taken"]) == 9
        assert found["legal"].sum() == 72
        assert not found["terminal"].any()
        assert found["weighed"].mean_length != found["stats"].mean_length
        assert found["wins"].sum() > 4096
        assert found["middle"].shape == found["stones"].shape == (4096,)
        bits = clean(found["following"].tobytes()[: len(found["start"].bits)], found["game"].layout.odd_bits)
        assert bits == found["after"][0].next("mark(2,2)").bits
    else:
        assert "tictactoe: completed" in capsys.readouterr().out


@pytest.mark.parametrize("kind", [gamemaster.State, gamemaster.Game])
def test_all_that_a_player_may_ask_is_documented(kind: type) -> None:
    text = (ROOT / "docs" / "write-a-player.md").read_text().partition("## What you may ask")[2]
    owner = kind.__name__.lower()
    names = [name for name in {*dir(kind), *kind.__annotations__} if not name.startswith("_")]
    assert len(names) > 10
    assert not [name for name in names if f"{owner}.{name}" not in text]


@pytest.mark.parametrize("module", ["gamemaster", "gamemaster.subroutines", "gamemaster.language.terms"])
def test_the_sessions_in_docstrings_are_true(module: str) -> None:
    result = doctest.testmod(__import__(module, fromlist=["x"]), extraglobs={"gamemaster": gamemaster})
    assert result.attempted > 0
    assert result.failed == 0


def test_every_code_of_the_checker_is_documented() -> None:
    text = (ROOT / "docs" / "write-a-game.md").read_text()
    assert not [code for code in CODES if f"`{code}`" not in text]


def test_nothing_names_a_place_outside_the_project() -> None:
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    wrong = []
    for name in listing.stdout.split():
        path = ROOT / name
        if (
            path.suffix in {".py", ".md", ".toml", ".epilog", ".kif", ""}
            and path.is_file()
            and path != Path(__file__)
        ):
            text = path.read_text(errors="replace")
            wrong += [
                f"{name}: {word}"
                for word in ("../" + "shared", "/work" + "/", "py" + "pi.org")
                if word in text
            ]
    assert not wrong
