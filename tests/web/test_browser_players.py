"""Players in a real browser: launched, connected and disconnected; registered, pinged, chosen and played with."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from tests.web.browser import PHONE, House, Person, opened_house
from tests.web.people import PASSWORD

LISTENS = re.compile(r"listens at (http://\S+);")


@pytest.fixture(scope="module")
def whole_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with opened_house(tmp_path_factory.mktemp("site")) as house:
        yield house


@pytest.fixture
def house(whole_house: House) -> Iterator[House]:
    yield whole_house
    whole_house.clear()


@contextmanager
def http_player(name: str) -> Iterator[str]:
    """The address of a player that is served."""
    command = [sys.executable, "-m", "gamemaster", "player", name, "--port", "0", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = LISTENS.search(process.stdout.readline())
            assert found is not None
            yield found[1]
        finally:
            process.terminate()


def run_match(person: Person, first: str, second: str) -> None:
    """Set a match up in the Manager, and watch it to its end."""
    page = person.go(f"/manager?players={first}+{second}&startclock=60&playclock=60")
    page.get_by_label("Pause between moves (seconds)").fill("0")
    person.button("Set up the match").click()
    person.button("Begin").click()
    person.reads("#status", "Game over")


def test_a_player_is_launched_connected_and_disconnected(house: House) -> None:
    ada, bob = house.person(), house.person()
    page = ada.go("/players")
    page.get_by_role("link", name="legal", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("legal")
    ada.button("Launch").click()
    expect(page.locator('[data-status="ready"]')).to_be_visible()
    expect(page.locator("#said")).to_contain_text("ping()")
    identifier = page.locator("[data-launched]").get_attribute("data-launched")
    assert identifier is not None
    ada.button("Connect").click()
    expect(ada.button("Disconnect")).to_be_visible()
    run_match(bob, identifier, "random")
    expect(page.locator("#said")).to_contain_text("play(nil)")
    expect(page.locator("#said")).to_contain_text("stop(")
    ada.button("Clear").click()
    expect(page.locator("#said li")).to_have_count(0)
    ada.button("Disconnect").click()
    expect(ada.button("Connect")).to_be_visible()
    bob.go("/players")
    expect(bob.page.get_by_text(identifier)).to_have_count(0)
    ada.button("End").click()
    expect(page.locator('[data-status="gone"]')).to_be_visible()
    expect(ada.button("Launch again")).to_be_visible()


@pytest.mark.slow
def test_a_launched_player_goes_when_its_page_is_closed(house: House) -> None:
    ada, bob = house.person(), house.person()
    page = ada.go("/players/random")
    ada.button("Launch").click()
    expect(page.locator('[data-status="ready"]')).to_be_visible()
    ada.button("Connect").click()
    expect(ada.button("Disconnect")).to_be_visible()
    identifier = page.locator("[data-launched]").get_attribute("data-launched")
    bob.go("/players")
    expect(bob.page.get_by_text(str(identifier))).to_be_visible()
    ada.go("/games")
    while bob.page.get_by_text(str(identifier)).count():
        bob.page.wait_for_timeout(500)
        bob.go("/players")


def test_an_http_player_is_registered_pinged_chosen_and_plays_to_the_end(house: House) -> None:
    ada = house.person()
    page = ada.go("/players")
    page.get_by_role("link", name="Register an HTTP player").click()
    page.get_by_role("link", name="I am new here").click()
    page.get_by_label("Name").fill("Ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.locator("form.sheet button").click()
    with http_player("random") as address:
        page = ada.go("/players/register")
        page.get_by_label("Name", exact=True).fill("mcts")
        page.get_by_label("Address").fill(address)
        page.get_by_label("What it does").fill("moves <i>at random</i>")
        page.get_by_label("public").check()
        ada.button("Register").click()
        ada.reads("form", "mcts is a player of the library")
        ada.forgive("422")
        page.get_by_label("Name", exact=True).fill("Deep-Six")
        ada.button("Register").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Deep-Six")
        ada.button("Ping").click()
        ada.reads("[data-said]", "Deep-Six is ready")
        page = ada.go("/manager")
        page.get_by_label("Player").first.select_option("Deep-Six")
        page.get_by_label("Player").nth(1).select_option("legal")
        page.get_by_label("Pause between moves (seconds)").fill("0")
        page.get_by_label("Start clock (seconds)").fill("60")
        page.get_by_label("Play clock (seconds, or none)").fill("60")
        ada.button("Set up the match").click()
        ada.button("Begin").click()
        ada.reads("#status", "Game over")
        ada.reads("#players", "Deep-Six")
    page = ada.go("/players/Deep-Six")
    expect(page.locator(".history svg")).to_be_visible()
    expect(page.locator(".matches tbody tr")).to_have_count(1)
    ada.button("Ping").click()
    ada.reads("[data-said]", "Deep-Six is not ready: unreachable")
    bob = house.person(**PHONE)
    page = bob.go("/players/Deep-Six")
    expect(page.get_by_text("moves <i>at random</i>")).to_be_visible()
    expect(page.get_by_text(address)).to_have_count(0)
    assert bob.evaluate("document.documentElement.scrollWidth") <= 390


def test_without_scripts_a_player_is_launched_all_the_same(house: House) -> None:
    ada = house.person(java_script_enabled=False)
    page = ada.go("/players/legal")
    ada.button("Launch").click()
    while page.locator('[data-status="ready"]').count() == 0:
        page.reload()
    ada.button("Connect").click()
    expect(ada.button("Disconnect")).to_be_visible()
    ada.button("End").click()
    expect(page.locator('[data-status="gone"]')).to_be_visible()


@pytest.mark.parametrize("path", ["/players", "/players/alphabeta"])
def test_pages_of_players_fit_on_a_phone(house: House, path: str) -> None:
    bob = house.person(**PHONE)
    bob.go(path)
    assert bob.evaluate("document.documentElement.scrollWidth") <= 390
