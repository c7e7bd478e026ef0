"""docs/gallery.md has every game, with a picture that can be shown; whether it is stale the script says, not a test."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from gamemaster.games import entry, game_names
from tests.draw.test_svg import tree

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGE = (DOCS / "gallery.md").read_text()
ROWS = {path: row for row in PAGE.splitlines() for path in re.findall(r'<img src="gallery/(\w+)\.svg"', row)}
MOST_BYTES = 1_500_000
"""Of all pictures: who clones the project fetches them."""


def test_the_page_has_every_game_and_no_other() -> None:
    assert sorted(ROWS) == list(game_names()), "run: python docs/draw_gallery.py"
    assert sorted(path.stem for path in (DOCS / "gallery").iterdir()) == list(game_names())


@pytest.mark.parametrize("name", game_names())
def test_a_game_is_told_and_drawn(name: str) -> None:
    folder, row = entry(name), unescape(ROWS[name])
    assert f"**{folder.title}**" in row
    assert f"`gamemaster play {name}`" in row
    assert all(f"`{name}:{variant.name}`" in row for variant in folder.variants)
    svg = (DOCS / "gallery" / f"{name}.svg").read_text()
    assert "prefers-color-scheme:dark" in svg
    assert tree(svg).attrib["role"] == "img"


def test_the_pictures_are_small() -> None:
    assert sum(path.stat().st_size for path in (DOCS / "gallery").iterdir()) < MOST_BYTES
