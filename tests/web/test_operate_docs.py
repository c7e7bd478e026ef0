"""docs/operate.md says what is so."""

from __future__ import annotations

import re
from pathlib import Path

from typer.testing import CliRunner

from gamemaster.cli import app
from gamemaster.web import guard
from gamemaster.web.settings import CORES, SiteSettings

PAGE = (Path(__file__).parent.parent.parent / "docs" / "operate.md").read_text()
WORDS = " ".join(PAGE.split())


def test_the_bounds_are_those_of_the_code() -> None:
    settings = SiteSettings(Path(), "")
    told = (
        f"{settings.requests_each:.0f} a second, {settings.burst} at once",
        f"{guard.LARGEST_BODY:,} bytes; its address {guard.LONGEST_ADDRESS:,}",
        f"{settings.most_sockets:,}, of one address {settings.most_sockets_each}",
        f"`--matches`, {settings.most_matches}",
        f"one a core; {settings.most_waiting} may wait",
    )
    assert [each for each in told if each not in WORDS] == []
    assert settings.idle_seconds == 30 * 60
    assert settings.most_players == max(8, 4 * CORES)
    assert settings.most_thinking == CORES


def test_every_option_exists() -> None:
    help_text = "".join(
        CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"}).output
        for command in ("serve", "account")
    )
    named = set(re.findall(r"--[a-z][a-z-]+", PAGE))
    assert {"--host", "--port", "--data", "--records", "--players", "--matches", "--allow-host"} <= named
    assert {option for option in named if option not in help_text} == set()
