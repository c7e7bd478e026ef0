"""The page about general game playing in a real browser: its boards are played on, and the machine is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from gamemaster.web.documents import document_names
from tests.web.browser import PHONE, House, opened_house

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with opened_house(tmp_path_factory.mktemp("site")) as house:
        yield house


@pytest.fixture
def house(opened: House) -> Iterator[House]:
    yield opened
    opened.clear()


def test_boards_are_played_on_and_the_machine_moves(house: House) -> None:
    page = house.person().go("/about")
    board = page.locator('[data-live-board="tictactoe"]')
    said = board.locator("[data-said]")
    board.locator("[data-cell]").nth(4).click()
    expect(said).to_have_text("o to move")
    board.get_by_role("button", name="Let the machine move").click()
    expect(said).to_have_text("x to move")
    board.locator("[data-onward]").click()
    expect(page).to_have_url(re.compile(r"/standalone/tictactoe\?moves=mark\(2,2\);mark\(\d,\d\)$"))
    expect(page.locator("#board")).to_be_visible()
    page.go_back()
    expect(said).to_have_text("x to move: click a cell")


def test_the_machine_says_what_it_thinks_on_another_board(house: House) -> None:
    page = house.person().go("/about")
    board = page.locator('[data-live-board="connectfour"]')
    said = board.locator("[data-said]")
    board.get_by_role("button", name="What does the machine think?").click()
    expect(said).to_contain_text("red should take")
    expect(board.locator(".value")).to_have_count(8)
    board.get_by_role("button", name="Let it move").click()
    expect(said).to_have_text("black to move")
    board.get_by_role("button", name="Begin again").click()
    expect(said).to_have_text("red to move: click a column")
    expect(page.locator('[data-live-board="eightpuzzle"] [data-said]')).to_have_text(
        "Click a tile next to the gap"
    )


def test_without_scripts_the_page_is_still_whole(house: House) -> None:
    page = house.person(java_script_enabled=False).go("/about")
    expect(page.locator('[data-live-board="tictactoe"] svg')).to_be_visible()
    expect(page.get_by_role("button", name="Let the machine move")).to_have_count(0)
    page.locator('[data-live-board="tictactoe"]').get_by_role("link", name="More room").click()
    expect(page.get_by_role("heading", name="Tic-Tac-Toe")).to_be_visible()


def test_no_document_is_wider_than_a_phone(house: House) -> None:
    ann = house.person(**PHONE)
    wide = []
    for name in (*document_names(), "language"):
        ann.go(f"/docs/{name}")
        if ann.evaluate("() => document.documentElement.scrollWidth") > 390:
            wide.append(name)
    assert wide == []
