"""An afternoon with all roles on one board, in a real browser: by clicks, by dragging, by keys, by taps."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.web.browser import PHONE, House, Person, opened_house

pytestmark = pytest.mark.slow

STATUS = "#standalone-status"
NARROW = "/standalone/breakthrough:columns=2,rows=5"
PROMOTION = "b,2,b,4 a,7,a,5 b,4,a,5 b,7,b,6 a,5,b,6 h,7,h,6 b,6,c,7 h,6,h,5"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with opened_house(tmp_path_factory.mktemp("site")) as house:
        yield house


@pytest.fixture
def house(opened: House) -> Iterator[House]:
    yield opened
    opened.clear()


def play(person: Person, *cells: str, then: str) -> None:
    person.click(*cells)
    person.reads(STATUS, then)


def test_a_game_with_second_thoughts_is_shared_with_a_friend(house: House) -> None:
    ann = house.person(permissions=["clipboard-read", "clipboard-write"])
    ann.go("/standalone/tictactoe")
    play(ann, "0-1-1", then="o to move")
    play(ann, "0-3-3", then="x to move")
    tried = ann.on_board()
    ann.button("Back").click()
    ann.reads(STATUS, "o to move")
    ann.button("Forward").click()
    ann.reads(STATUS, "x to move")
    assert ann.on_board() == tried
    ann.button("Back").click()
    ann.reads(STATUS, "o to move")
    play(ann, "0-2-2", then="x to move")
    ann.reads(".variation", "mark 2,2")
    ann.button("Share").click()
    ann.reads("#live-region", "The link to this position is copied.")

    bob = house.person()
    bob.go(ann.evaluate("() => navigator.clipboard.readText()"))
    bob.reads(STATUS, "x to move")
    assert bob.on_board() == ann.on_board() != tried
    for person in (ann, bob):  # each goes on alone
        play(person, "0-1-2", then="o to move")
        play(person, "0-2-1", then="x to move")
    play(ann, "0-1-3", then="Game over: x wins")
    play(bob, "0-3-3", then="o to move")
    ann.reads("#standalone-scores", "100")
    expect(ann.page.locator("#board .is-source")).to_have_count(0)


def test_a_piece_goes_where_two_clicks_say(house: House) -> None:
    ann = house.person()
    ann.go(NARROW)
    ann.click("0-1-2")
    expect(ann.cell("0-1-2")).to_have_class("is-source is-chosen")
    expect(ann.cell("0-1-3")).to_have_class("is-target")
    play(ann, "0-1-3", then="black to move")
    play(ann, "0-2-4", "0-2-3", then="white to move")
    play(ann, "0-1-3", "0-2-4", then="black to move")
    play(ann, "0-2-3", "0-1-2", then="white to move")
    play(ann, "0-2-4", "0-1-5", then="Game over: white wins")
    ann.press("Home")
    ann.reads(STATUS, "white to move")
    ann.press("End")
    ann.reads(STATUS, "Game over: white wins")


def test_a_knight_is_dragged_out(house: House) -> None:
    ann = house.person()
    ann.go("/standalone/chess")
    ann.cell("0-g-1").drag_to(ann.cell("0-f-3"))
    ann.reads(STATUS, "black to move")
    assert any(each.startswith("f,3: white knight") for each in ann.on_board())
    ann.cell("0-g-8").drag_to(ann.cell("0-g-5"))  # not where knights go
    ann.reads(STATUS, "black to move")
    assert any(each.startswith("g,8: black knight") for each in ann.on_board())


def test_a_list_asks_what_a_pawn_becomes(house: House) -> None:
    ann = house.person()
    ann.go("/standalone/chess?moves=" + ";".join(f"move({each})" for each in PROMOTION.split()))
    ann.click("0-c-7", "0-b-8")
    choices = ann.page.locator("#choices")
    expect(choices.get_by_role("button")).to_have_count(5)
    ann.button("Cancel").click()
    expect(choices.get_by_role("button")).to_have_count(0)
    ann.click("0-c-7", "0-b-8")
    choices.get_by_role("button", name="rook").click()
    ann.reads(STATUS, "black to move")
    assert any(each.startswith("b,8: white rook") for each in ann.on_board())


def test_who_passes_presses_a_button(house: House) -> None:
    ann = house.person()
    ann.go("/standalone/go")
    ann.button("pass").click()
    ann.reads(STATUS, "white to move")


def test_the_board_of_the_first_page_is_played_on(house: House) -> None:
    ann = house.person()
    ann.go("/")
    for cell, then in (("0-4-1", "black to move"), ("0-4-1", "red to move"), ("0-5-1", "black to move")):
        ann.click(cell)
        ann.reads("#status", then)
    ann.page.get_by_role("link", name="More room").click()
    ann.reads(STATUS, "black to move")
    ann.reads("#history", "3.")


# By keys


def walk(person: Person, row: int, column: int) -> None:
    """By arrows to a cell, on a board of rows and columns."""
    for _ in range(20):
        at = person.evaluate("() => document.activeElement.dataset.cell ?? ''")
        y, x = (int(each) for each in at.split("-")[1:])
        if (y, x) == (row, column):
            return
        if y != row:
            person.press("ArrowDown" if y < row else "ArrowUp")
        else:
            person.press("ArrowRight" if x < column else "ArrowLeft")
    raise AssertionError(f"arrows do not lead to {row}, {column}")


def test_a_keyboard_is_enough(house: House) -> None:
    ann = house.person()
    ann.go("/")
    ann.press("Tab")
    expect(ann.page.locator(":focus")).to_have_text("Skip to the page")
    ann.tab_to("main a[href='/games']")
    ann.press("Enter")
    ann.page.wait_for_url("**/games")
    ann.tab_to("#q")
    ann.page.keyboard.type("tic-tac-toe")
    ann.tab_to("a[href='/games/tictactoe']")
    ann.press("Enter")
    ann.page.wait_for_url("**/games/tictactoe")
    ann.tab_to("a[href^='/standalone/']")
    ann.press("Enter")
    ann.page.wait_for_url("**/standalone/tictactoe")
    ann.tab_to("[data-cell]")
    game = [("x", 1, 1), ("o", 2, 2), ("x", 3, 3), ("o", 1, 3), ("x", 3, 1), ("o", 2, 1), ("x", 3, 2)]
    for turn, (role, row, column) in enumerate(game):
        walk(ann, row, column)
        ann.press("Enter" if role == "x" else "Space")
        is_last = turn == len(game) - 1
        status = "Game over: x wins" if is_last else f"{'o' if role == 'x' else 'x'} to move"
        expect(ann.page.locator("#live-region")).to_have_text(f"{role}: mark {row},{column}. {status}")
    ann.tab_to("[data-go='back']")
    ann.press("Enter")
    ann.reads("#live-region", "After o: mark 2,1. x to move")


# On a phone


def test_a_game_is_played_by_taps(house: House) -> None:
    ann = house.person(**PHONE)
    ann.go(NARROW)
    line = ("0-1-2 0-1-3", "0-2-4 0-2-3", "0-1-3 0-2-4", "0-2-3 0-1-2", "0-2-4 0-1-5")
    for number, taps in enumerate(line, 1):
        for cell in taps.split():
            ann.cell(cell).tap()
        ann.reads("#history", f"{number}.")
    ann.reads(STATUS, "Game over: white wins")
    ann.button("To the start").tap()
    ann.reads(STATUS, "white to move")


# Without scripts


def test_forms_do_what_clicks_do(house: House) -> None:
    ann = house.person(java_script_enabled=False)
    ann.go("/games/tictactoe")
    ann.reads("#rules-shown", "role(x)")
    ann.page.get_by_role("link", name="Standalone").click()
    for move, then in (("mark 2,2", "o to move"), ("mark 1,1", "x to move")):
        ann.page.locator("#standalone-moves summary").click()
        ann.button(move).click()
        ann.reads(STATUS, then)
    ann.reads("#history [aria-current]", "mark 1,1")
    ann.button("start").click()
    expect(ann.page).to_have_url(ann.address + "/standalone/tictactoe")
