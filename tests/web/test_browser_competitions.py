"""An afternoon at a competition: a player is registered, a competition planned and watched, a leaderboard read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import expect

from tests.web.browser import PHONE, House, Person, opened_house
from tests.web.competing import Member, opened, served_player, ticked
from tests.web.test_browser_pages import COMPLAINTS, FAINT, OUTLINE, SMALL

pytestmark = pytest.mark.slow

PAGES = (
    "/competitions",
    "/competitions/new",
    "/competitions/{over}",
    "/sets",
    "/sets/all",
    "/sets/new",
    "/run",
    "/leaderboard?set=for-two",
)


@pytest.fixture(scope="module")
def opened_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with opened_house(tmp_path_factory.mktemp("site")) as house:
        yield house


@pytest.fixture
def house(opened_site: House) -> Iterator[House]:
    yield opened_site
    opened_site.clear()


def signed_up(house: House, name: str) -> Person:
    ann = house.person()
    page = ann.go("/signup?next=/players/register")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill("correct horse battery")
    page.locator("main form button").first.click()
    return ann


def test_a_registered_player_competes_in_three_games_and_is_on_the_leaderboard(house: House) -> None:
    ann = signed_up(house, "ann")
    with served_player("onestep") as address:
        page = ann.go("/players/register")
        page.get_by_label("Name", exact=True).fill("Deep-Six")
        page.get_by_label("Address").fill(address)
        page.locator("input[name=visibility][value=public]").check()
        ann.button("Register").click()
        ann.go("/competitions")
        page.get_by_role("link", name="Plan one").click()
        page.get_by_label("Name", exact=True).fill("Three games")
        for game in ("tictactoe", "nim", "breakthrough"):
            page.locator(f'input[name="game-{game}"]').check()
        for player in ("random", "Deep-Six"):
            page.locator(f'input[name="player-{player}"]').check()
        page.get_by_label("Play clock").fill("many")
        ann.button("Show the plan").click()
        ann.forgive("422")
        expect(page.locator("#play-clock-told")).to_have_text("'many' is not a number")
        expect(page.locator('input[name="game-nim"]')).to_be_checked()
        page.get_by_label("Play clock").fill("5")
        ann.button("Show the plan").click()
        expect(page.locator(".the-plan")).to_contain_text("6 matches, round robin, 2 players in 3 games")
        ann.button("Begin it").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Three games")
        expect(page.locator("#competition-status")).to_contain_text("Over: 6 matches played")
    expect(page.locator(".fixtures li.is-played")).to_have_count(6)
    expect(page.locator("#competition-table")).to_contain_text("Deep-Six")
    expect(page.locator("main")).not_to_contain_text("127.0.0.1")
    page.locator(".fixtures a").first.click()
    expect(page.locator(".replay")).to_be_visible()
    ann.go("/leaderboard?set=for-two")
    row = page.locator(".standings tr", has_text="Deep-Six")
    expect(row).to_contain_text("±")
    expect(row.locator("td").nth(2)).to_have_text("6")
    ann.go("/leaderboard")
    page.get_by_label("Game set").select_option("kind-heap")
    ann.button("Show").click()
    expect(page.locator(".standings tr", has_text="Deep-Six").locator("td").nth(2)).to_have_text("2")


def test_a_table_fills_while_one_watches_and_needs_no_scripts(house: House) -> None:
    ada = Member(house.site.address).sign_up("ada")
    slow = ticked("tictactoe", "mcs greedy", matches="6", start_clock="0.5", play_clock="0.5")
    id = ada.begin({**slow, "name": "Slow one"})
    ann = house.person(ada)
    page = ann.go(f"/competitions/{id}")
    expect(page.locator(".fixtures li.is-now")).to_be_visible()
    expect(page.locator(".fixtures li.is-played")).not_to_have_count(0)
    told = page.locator("#competition-status")
    expect(told).to_contain_text("of 12 matches played")
    ann.button("Pause").click()
    expect(told).to_contain_text("Paused after")
    expect(ann.button("Go on")).to_be_visible()
    plain = house.person(java_script_enabled=False)
    plain.go(f"/competitions/{id}")
    expect(plain.page.locator("#competition-status")).to_contain_text("Paused after")
    expect(plain.button("Go on")).to_have_count(0)
    ann.button("Go on").click()
    expect(ann.button("Pause")).to_be_visible()
    ann.button("End it").click()
    expect(told).to_contain_text("Ended early")


def test_a_set_is_made_and_an_operator_runs_the_cycle(house: House) -> None:
    chief = Member(house.site.address).sign_up("chief")
    with opened(house.site.folder) as store:
        store.accounts.set_operator(store.accounts.get("chief").id, is_operator=True)
    ann = house.person(chief)
    page = ann.go("/sets")
    page.get_by_role("link", name="Make one").click()
    page.get_by_label("Name", exact=True).fill("Quick ones")
    page.locator('input[name="game-nim"]').check()
    page.locator('input[name="for-all"]').check()
    ann.button("Make it").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Quick ones")
    ann.go("/run")
    page.get_by_label("Game set").select_option("Quick ones")
    for player in ("mcts", "mcs", "greedy"):
        page.locator(f'input[name="player-{player}"]').uncheck()
    page.locator('input[name="player-legal"]').check()
    page.get_by_label("Waiting between matches").fill("1")
    ann.button("Change the settings").click()
    expect(page.locator("#run-now")).to_contain_text("Quick ones; random, legal")
    ann.button("Switch it on").click()
    expect(page.locator("#run-now .fixtures li")).not_to_have_count(0)
    ann.button("Switch it off").click()
    expect(ann.button("Switch it on")).to_be_visible()


@pytest.fixture(scope="module")
def scene(opened_site: House) -> tuple[House, Member, str]:
    clerk = Member(opened_site.site.address).sign_up("clerk")
    with opened(opened_site.site.folder) as store:
        store.accounts.set_operator(store.accounts.get("clerk").id, is_operator=True)
    id = clerk.begin(ticked("tictactoe nim", "random onestep legal"))
    clerk.wait(id)
    return opened_site, clerk, id


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_well_made(scene: tuple[House, Member, str], house: House, path: str) -> None:
    _, clerk, id = scene
    ann = house.person(clerk, color_scheme="light")
    ann.go(path.format(over=id))
    assert ann.evaluate(COMPLAINTS) == []
    themes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for theme in themes:
        ann.page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        assert ann.evaluate(FAINT) == [], theme
    for _ in range(12):
        ann.press("Tab")
        assert ann.evaluate(OUTLINE) == ""
    small = house.person(clerk, **PHONE)
    small.go(path.format(over=id))
    assert small.evaluate("() => [document.documentElement.scrollWidth, innerWidth]") == [390, 390]
    assert small.evaluate(SMALL) == []
