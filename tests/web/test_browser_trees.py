"""Trees in a real browser: forward, back, by keyboard, by the slider, and without scripts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

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


def test_a_search_is_walked_forward_and_back(house: House) -> None:
    ann = house.person()
    page = ann.go("/about")
    page.get_by_role("link", name="Trees", exact=True).click()
    ann.reads("#tree-step", "Step 22 of 22")
    page.get_by_role("link", name="First").click()
    ann.reads("#tree-step", "Step 0 of 22")
    ann.reads("#tree-said", "Alpha-beta is about to begin at A.")
    forward = page.get_by_role("link", name="Forward")
    for _ in range(4):
        forward.click()
    ann.reads("#tree-step", "Step 4 of 22")
    ann.reads("#tree-said", "beta becomes 3 at B")
    expect(page).to_have_url(f"{house.site.address}/trees?of=aima&step=4")
    page.get_by_role("link", name="Back").click()
    ann.reads("#tree-step", "Step 3 of 22")
    expect(page.locator('#tree-picture [data-node="2"] rect')).to_have_count(2)  # and the frame around it
    page.reload()
    ann.reads("#tree-step", "Step 3 of 22")


def test_keys_and_the_slider_go_through_the_steps(house: House) -> None:
    ann = house.person()
    page = ann.go("/trees?of=labelled&step=0")
    expect(page.locator("#slider")).to_be_visible()
    ann.press("ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft")
    ann.reads("#tree-step", "Step 2 of 29")
    ann.press("End")
    ann.reads("#tree-said", "A is worth 8, and the search ends.")
    expect(page.get_by_role("link", name="Forward")).to_have_attribute("aria-disabled", "true")
    ann.press("Home")
    ann.reads("#tree-step", "Step 0 of 29")
    page.locator("#slider").focus()
    ann.press("ArrowRight")
    ann.reads("#tree-step", "Step 1 of 29")
    page.locator("#slider").fill("18")
    ann.reads("#tree-step", "Step 18 of 29")
    page.get_by_text("All steps in words").click()
    page.get_by_role("link", name="The rest of G is cut").click()
    ann.reads("#tree-said", "N stays unvisited")
    expect(page.locator(".told [aria-current=step]")).to_contain_text("The rest of G is cut")


def test_a_game_is_chosen_with_a_depth_and_what_is_too_large_is_said(house: House) -> None:
    ann = house.person()
    page = ann.go("/trees")
    page.get_by_label("Tree or game").select_option("nim")
    page.get_by_label("Steps ahead").select_option("1")
    ann.button("Show the tree").click()
    ann.reads("#tree-head", "nim, 1 step ahead")
    page.get_by_label("Steps ahead").select_option("6")
    ann.button("Show the tree").click()
    ann.reads("[role=alert]", "nodes limit of 400")
    expect(page.get_by_label("Tree or game")).to_have_value("nim")
    ann.forgive("/trees")


def test_without_scripts_every_step_is_a_page(house: House) -> None:
    ann = house.person(java_script_enabled=False)
    page = ann.go("/trees?of=aima&step=11")
    expect(page.locator("#slider")).to_be_hidden()
    page.get_by_role("link", name="Forward").click()
    ann.reads("#tree-step", "Step 12 of 22")
    ann.reads("#tree-said", "The rest of C is cut: 2 <= 3")
    page.get_by_role("link", name="Back").click()
    ann.reads("#tree-step", "Step 11 of 22")
    page.get_by_role("link", name="First").click()
    ann.reads("#tree-step", "Step 0 of 22")


def test_a_tree_of_a_game_opens_on_its_root(house: House) -> None:
    ann = house.person()
    page = ann.go("/")
    page.get_by_role("link", name="how a search goes through a tree").click()
    ann.reads("#tree-step", "Step 22 of 22")
    page = ann.go("/trees?of=tictactoe")
    picture = page.locator("#tree-picture")
    expect(page.locator("#slider")).to_be_visible()  # the module has come
    picture.scroll_into_view_if_needed()
    expect(picture.locator("[data-here]")).to_have_count(0)
    expect(picture.locator('[data-node="0"]')).to_be_in_viewport()
    assert ann.evaluate("() => document.getElementById('tree-picture').scrollLeft") > 0


def test_a_wide_tree_is_scrolled_in_its_own_box_on_a_phone(house: House) -> None:
    ann = house.person(**PHONE)
    page = ann.go("/trees?of=noughts&step=0")
    assert ann.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
    expect(page.locator("#slider")).to_be_visible()
    page.locator("#slider").fill("40")
    ann.reads("#tree-step", "Step 40 of 45")
    page.locator("#tree-picture").scroll_into_view_if_needed()
    expect(page.locator("#tree-picture [data-here]")).to_be_in_viewport()
    assert ann.evaluate("() => document.getElementById('tree-picture').scrollLeft") > 0
