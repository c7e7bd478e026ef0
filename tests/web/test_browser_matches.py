"""An afternoon of matches in real browsers: against a machine, against a friend, between machines, and afterwards."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from tests.web.browser import PHONE, House, Person, opened_house
from tests.web.running import Visitor

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with opened_house(tmp_path_factory.mktemp("site")) as house:
        yield house


@pytest.fixture
def house(opened: House) -> Iterator[House]:
    yield opened
    opened.clear()


def begin(person: Person, opponent: str, role: str = "x") -> None:
    """Fill in the form for a match, and sit down at it."""
    page = person.go("/play?game=tictactoe")
    page.get_by_label(role, exact=True).check()
    page.get_by_label("Against").select_option(opponent)
    page.get_by_label("The machine thinks").fill("0.3")
    person.button("Begin").click()
    person.sits_down()


def test_the_roles_are_those_of_the_game_that_is_chosen(house: House) -> None:
    ann = house.person()
    page = ann.go("/play")
    roles = page.get_by_role("group", name="You play").get_by_role("radio")
    expect(page.get_by_label("x", exact=True)).to_be_visible()
    page.get_by_label("Game", exact=True).select_option("breakthrough")
    expect(page.get_by_label("x", exact=True)).to_have_count(0)
    expect(roles).to_have_count(3)
    expect(page.get_by_label("either", exact=True)).to_be_checked()
    page.get_by_label("black", exact=True).check()
    page.get_by_label("Against").select_option("random")
    page.get_by_label("The machine thinks").fill("0.3")
    ann.button("Begin").click()
    ann.sits_down()
    ann.reads("h1", "Breakthrough")
    expect(page.locator("#acts input[name=role]")).to_have_value("black")
    first_free(ann)
    expect(step(ann, 1)).to_contain_text("white")


def step(person: Person, number: int) -> Locator:
    return person.page.locator(f'#moves li[data-step="{number}"]')


def first_free(person: Person) -> str:
    """Where somebody can move, once they can."""
    cell = person.page.locator("#board .is-source").first
    expect(cell).to_be_visible()
    return cell.get_attribute("data-cell") or ""


def answered(person: Person, cell: str) -> bool:
    """Wait until a move at a cell was made and it is one's turn again; whether the match is over instead."""
    again = person.page.locator(f'#board:has(.is-source):not(:has([data-cell="{cell}"].is-source))')
    over = person.page.locator("#status", has_text="Game over")
    expect(again.or_(over).first).to_be_visible()
    return over.is_visible()


def make_a_move(person: Person) -> bool:
    cell = first_free(person)
    person.click(cell)
    return answered(person, cell)


def cut_off(person: Person) -> None:
    """The network is gone, for new requests and for the socket that is open."""
    person.page.context.set_offline(True)
    expect(person.page.locator('.table[data-line="down"]')).to_be_visible()


def back(person: Person) -> None:
    person.page.context.set_offline(False)
    person.sits_down()
    person.troubles.clear()  # browsers say that there was no network


def test_a_machine_is_played_to_the_end_whatever_happens_to_the_page(house: House) -> None:
    ann = house.person()
    begin(ann, "mcs")
    ann.is_asked("Your move: x")
    assert not make_a_move(ann)
    expect(step(ann, 2)).to_be_visible()
    board, made = ann.on_board(), ann.page.locator("#moves .made code").all_text_contents()
    ann.page.reload()
    ann.sits_down()
    assert ann.on_board() == board
    assert ann.page.locator("#moves .made code").all_text_contents() == made

    cut_off(ann)
    ann.click(first_free(ann))
    ann.reads("#told", "The line is down")
    back(ann)
    expect(step(ann, 3)).to_have_count(0)
    while not make_a_move(ann):
        pass
    ann.reads("#status", "Game over")
    ann.reads("#players", "mcs")
    ann.page.reload()
    ann.reads("#status", "Game over")


def test_friends_play_by_a_link_give_up_and_play_again(house: House) -> None:
    ann, bob = house.person(), house.person()
    begin(ann, "person")
    ann.reads("#status", "Waiting for o to sit down")
    bob.go(ann.page.locator("[data-copy]").input_value())
    bob.reads("main", "You are invited to play o")
    bob.button("Sit down").click()
    bob.sits_down()
    ann.is_asked("Your move: x")  # without a reload
    bob.reads("#status", "x to move")
    expect(bob.page.locator("#board .is-source")).to_have_count(0)
    ann.click("0-2-2")
    bob.is_asked("Your move: o")
    bob.reads("#live-region", "x mark(2,2)")

    cut_off(ann)
    bob.click("0-1-1")
    bob.reads("#status", "x to move")
    back(ann)
    ann.is_asked("Your move: x")  # what was missed is there
    expect(step(ann, 2)).to_contain_text("mark(1,1)")
    assert ann.on_board() == bob.on_board()
    ann.click("0-3-3")
    bob.is_asked("Your move: o")
    bob.button("Resign").click()
    for person in (ann, bob):
        person.reads("#status", "Game over: x wins, o resigned")

    ann.button("Rematch, sides swapped").click()
    bob.page.get_by_role("link", name="The next match").click()
    bob.is_asked("Your move: x")
    bob.sits_down()
    bob.click("0-1-1")
    ann.is_asked("Your move: o")
    assert ann.page.url == bob.page.url


def test_machines_are_paused_and_watched_from_elsewhere(house: House) -> None:
    ann, eve = house.person(), house.person()
    page = ann.go("/manager?game=breakthrough")
    page.locator("#player-0").select_option("random")
    page.locator("#player-1").select_option("legal")
    page.get_by_label("Pause between moves (seconds)").fill("0.5")
    ann.button("Set up the match").click()
    ann.sits_down()
    ann.button("Ping").click()
    ann.reads("#told", "2 of 2 ready")
    eve.go(ann.page.url)
    eve.sits_down()
    eve.reads("#status", "Not begun")
    expect(eve.button("Begin")).to_have_count(0)  # whoever watches manages nothing
    eve.evaluate("() => { window.isTheSamePage = true; }")

    ann.button("Begin").click()
    expect(step(eve, 1)).to_be_visible()
    ann.button("Pause").click()
    for person in (ann, eve):
        person.reads("#status", "Paused")
        person.reads("#moves", "paused")
    made, board = eve.page.locator("#moves li[data-step]").count(), eve.on_board()
    ann.page.wait_for_timeout(1500)  # three moves, if it went on
    assert eve.page.locator("#moves li[data-step]").count() == made
    ann.button("Resume").click()
    for number in (made + 1, made + 2):
        expect(step(eve, number)).to_be_visible()
    assert eve.on_board() != board
    ann.page.locator("summary").click()
    ann.reads("#transcript", "message(1,manager,random,start(")
    ann.button("End").click()
    for person in (ann, eve):
        person.reads("#status", "Over: ended")
    assert eve.evaluate("() => window.isTheSamePage")
    ann.button("Clear").click()
    ann.reads("#status", "Not begun")


def finished(house: House) -> str:
    """A match of machines that is over."""
    clerk = Visitor(house.site.address)
    form = {"player_0": "random", "player_1": "legal", "start_clock": 10, "play_clock": 10, "pace": 0}
    match = clerk.arrange("/manager", game="tictactoe", do="arrange", **form)
    clerk.act(match, "begin")
    with clerk.watching(match) as watch:
        watch.until("over")
    return match


def test_a_match_is_gone_through_by_keys_and_is_true(house: House) -> None:
    eve = house.person()
    match = finished(house)
    page = eve.go("/matches")
    page.locator(f'a[href="/matches/{match}"]').click()
    eve.reads("#match-verdict", "verified")
    last = int(page.locator("#slider").get_attribute("max") or "")
    at = page.locator("#at")
    expect(at).to_have_text(f"{last} / {last}")
    end = eve.on_board()
    eve.press("Home")
    expect(at).to_have_text(f"0 / {last}")
    eve.reads("#match-now", "The start")
    assert sum("empty" in each for each in eve.on_board()) == 9
    for number in (1, 2, 3):
        eve.press("ArrowRight")
        expect(at).to_have_text(f"{number} / {last}")
        eve.reads("#match-now", "x" if number % 2 else "o")
        eve.reads("#match-moves [aria-current]", f"{number}")
    eve.press("ArrowLeft")
    expect(page).to_have_url(f"{eve.address}/matches/{match}?step=2")
    assert sum("empty" in each for each in eve.on_board()) < 9
    eve.press("End")
    expect(page).to_have_url(f"{eve.address}/matches/{match}?step={last}")
    assert eve.on_board() == end


def test_a_match_is_played_by_taps(house: House) -> None:
    ann = house.person(**PHONE)
    begin(ann, "random")
    cell = first_free(ann)
    ann.cell(cell).tap()
    answered(ann, cell)
    expect(step(ann, 1)).to_contain_text(f"mark({cell[2:].replace('-', ',')})")
    expect(step(ann, 2)).to_be_visible()
    ann.button("Take back").tap()
    expect(step(ann, 1)).to_have_count(0)
    first_free(ann)
    ann.button("Resign").tap()
    ann.reads("#status", "Game over: o wins, x resigned")


def test_forms_play_and_links_replay(house: House) -> None:
    ann = house.person(java_script_enabled=False)
    page = ann.go("/play?game=tictactoe")
    page.get_by_label("x", exact=True).check()
    page.get_by_label("Against").select_option("random")
    ann.button("Begin").click()
    page.wait_for_url("**/matches/*")
    for number in (1, 3):
        while not page.get_by_label("Move of x").is_visible():
            page.reload()  # the page says that it does not follow by itself
        page.get_by_label("Move of x").select_option(index=0)
        ann.button("Move").click()
        expect(step(ann, number)).to_contain_text("x mark(")

    page.goto(f"{ann.address}/matches/{finished(house)}")
    page.get_by_role("link", name="To the start").click()
    ann.reads("#at", "0 /")
    page.get_by_role("link", name="A step on").click()
    ann.reads("#at", "1 /")
    ann.reads("#match-now", "mark")
