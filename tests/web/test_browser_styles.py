"""The Style Checker and the Metagamers in a real browser: a style edited, a mistake mended, a gain measured."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.web.browser import House, Person, opened_house

pytestmark = pytest.mark.slow

PICTURE = "#style-pictures .drawn-light svg"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with opened_house(tmp_path_factory.mktemp("site")) as house:
        yield house


@pytest.fixture
def house(opened: House) -> Iterator[House]:
    yield opened
    opened.clear()


def at_style(house: House, game: str = "tictactoe") -> tuple[Person, Page]:
    """Somebody whose page has got its scripts."""
    ann = house.person()
    page = ann.go(f"/style?game={game}")
    expect(page.locator("#style-form[data-ready=yes]")).to_be_visible()
    return ann, page


def drawn(page: Page) -> str:
    return page.locator(PICTURE).inner_html()


def changed(page: Page, before: str) -> str:
    """The picture when all is answered, which is another then."""
    expect(page.locator("#style-pictures.is-waiting")).to_have_count(0)
    now = drawn(page)
    assert now != before
    return now


def test_a_style_is_edited_and_the_board_changes(house: House) -> None:
    _, page = at_style(house)
    before = drawn(page)
    area = page.get_by_label("style.toml", exact=True)
    area.fill('[[board]]\nrelation = "cell"\nlook = "wood"\n\n[pieces]\nx = "star"\n')
    wood = changed(page, before)
    expect(page.locator("#style-findings")).to_contain_text("Nothing is wrong")
    expect(page.locator(".code-gutter > div")).to_have_count(7)
    expect(page.locator(".code-layer .c4").first).to_have_text("[[board]]")
    area.press("Control+End")
    area.press_sequentially('o = "coin"')
    changed(page, wood)


def test_a_mistake_is_shown_at_its_line_and_mending_it_clears_it(house: House) -> None:
    _, page = at_style(house)
    area = page.get_by_label("style.toml", exact=True)
    area.fill('[[board]]\nrelation = "cell"\nlook = "gold"\n')
    finding = page.locator(".findings li")
    expect(finding).to_have_count(1)
    expect(finding).to_contain_text("Line 3")
    expect(finding).to_contain_text("it is one of plain, paper")
    expect(page.locator(".code-gutter > .is-error")).to_have_text("3")
    expect(page.locator(".code-layer .row:has(.is-error)")).to_have_text('look = "gold"')
    finding.get_by_role("button").click()
    assert page.evaluate("() => document.activeElement.id") == "style-text"
    area.fill('[[board]]\nrelation = "cell"\nlook = "green"\n')
    expect(finding).to_have_count(0)
    expect(page.locator(".code .is-error")).to_have_count(0)


def test_while_a_text_is_no_toml_the_last_drawing_stays(house: House) -> None:
    _, page = at_style(house)
    area = page.get_by_label("style.toml", exact=True)
    before = drawn(page)
    area.fill('[[board]]\nrelation = "cell"\nlook = "night"\n')
    night = changed(page, before)
    area.fill('[[board]]\nrelation = "cell"\nlook = "nigh')
    expect(page.locator("#style-pictures")).to_contain_class("is-old")
    assert drawn(page) == night
    page.get_by_role("button", name="Start", exact=True).click()  # samples go on, by what could be read
    start = changed(page, night)
    expect(page.locator(".findings li")).to_contain_text("not TOML")
    expect(area).to_have_value('[[board]]\nrelation = "cell"\nlook = "nigh')
    area.fill('[[board]]\nrelation = "cell"\nlook = "night"\n')
    expect(page.locator(".findings li")).to_have_count(0)
    assert drawn(page) == start


def test_samples_steps_seeds_themes_and_sizes(house: House) -> None:
    _, page = at_style(house)
    page.get_by_role("button", name="End", exact=True).click()
    expect(page.locator("#style-samples")).to_contain_text("The end, after")
    expect(page.get_by_role("button", name="Forward")).to_be_disabled()
    end = drawn(page)
    page.get_by_role("button", name="Back").click()
    back = changed(page, end)
    page.get_by_role("button", name="Forward").click()
    assert changed(page, back) == end
    page.get_by_label("Paper").select_option("dark")
    expect(page.locator(".drawn-light")).to_have_count(0)
    expect(page.locator(".drawn-dark")).to_have_count(1)
    page.get_by_label("Paper").select_option("both")
    expect(page.locator(".drawn")).to_have_count(2)
    page.get_by_label("Size").select_option("small")
    expect(page.locator("#style-pictures.size-small")).to_be_visible()
    seed = page.locator("[name=seed]").input_value()
    page.get_by_role("button", name="Another random game").click()
    expect(page.locator("[name=seed]")).not_to_have_value(seed)


def test_a_draft_survives_a_reload_and_can_be_forgotten(house: House) -> None:
    ann, page = at_style(house)
    area = page.get_by_label("style.toml", exact=True)
    own = area.input_value()
    area.fill("# mine\n" + own)
    page.reload()
    expect(area).to_have_value("# mine\n" + own)
    ann.reads("#draft", "what you wrote here before")
    ann.button("Begin again").click()
    expect(area).to_have_value(own)
    page.reload()
    expect(area).to_have_value(own)
    expect(page.locator("#draft")).to_be_hidden()


def test_what_is_found_and_the_own_style_are_put_in_and_can_be_taken_back(house: House) -> None:
    ann, page = at_style(house)
    area = page.get_by_label("style.toml", exact=True)
    own = area.input_value()
    ann.button("What is found from the rules").click()
    expect(page.locator(".code-layer .row").first).to_contain_text("were found to be drawn")
    ann.button("The game's own style").click()
    expect(area).to_have_value(own)
    area.press("Control+z")
    expect(page.locator(".code-layer .row").first).to_contain_text("were found to be drawn")


def test_a_style_is_used_in_standalone(house: House) -> None:
    ann, page = at_style(house)
    page.get_by_label("style.toml", exact=True).fill(
        '[pieces]\nx = {glyph = "star", name = "shining star"}\n'
    )
    ann.button("Use it in Standalone").click()
    expect(page.locator("#standalone h1")).to_contain_text("Tic-Tac-Toe")
    ann.click("0-2-2")
    expect(page.locator("#board [data-cell] > title", has_text="shining star")).to_have_count(1)
    page.go_back()
    expect(page.get_by_label("style.toml", exact=True)).to_have_value(
        '[pieces]\nx = {glyph = "star", name = "shining star"}\n'
    )


def test_a_style_is_exported(house: House) -> None:
    ann, page = at_style(house)
    page.get_by_label("style.toml", exact=True).fill("# mine\n")
    with page.expect_download() as download:
        ann.button("Export style.toml").click()
    assert download.value.suggested_filename == "style.toml"
    assert download.value.path().read_text() == "# mine\n"


def test_the_newest_answer_counts(house: House) -> None:
    _, page = at_style(house, "chess")
    area = page.get_by_label("style.toml", exact=True)
    area.fill("")
    area.press_sequentially('[[board]]\nrelation = "cell"\nlook = "gold"\ncheckered = false\n', delay=5)
    area.press("Control+a")
    area.press_sequentially('[[board]]\nrelation = "cell"\n', delay=5)
    expect(page.locator(".findings li")).to_have_count(0)
    expect(page.locator("#style-pictures.is-waiting")).to_have_count(0)
    expect(page.locator(".findings li")).to_have_count(0)


def test_script_in_a_style_is_text_on_the_page(house: House) -> None:
    ann, page = at_style(house)
    markup = "<img src=x onerror=alert(1)>"
    page.get_by_label("style.toml", exact=True).fill(f'[[board]]\nrelation = "{markup}"\n')
    ann.reads(".findings", "has no relation")
    page.get_by_label("style.toml", exact=True).fill(
        f'[[counter]]\nrelation = "control"\nlabel = "{markup}"\nrole = 1\n'
    )
    expect(page.locator(".findings li")).to_have_count(0)
    expect(page.locator("img[src=x]")).to_have_count(0)


def test_the_form_works_without_scripts(house: House) -> None:
    ann = house.person(java_script_enabled=False)
    page = ann.go("/style?game=tictactoe")
    page.get_by_label("style.toml", exact=True).fill('[[board]]\nrelation = "cell"\nlook = "gold"\n')
    ann.button("Draw").click()
    ann.reads(".findings", "Line 3")
    page.get_by_label("style.toml", exact=True).fill('[[board]]\nrelation = "cell"\nlook = "wood"\n')
    ann.button("End").click()
    ann.reads("#style-samples", "The end")
    expect(page.locator(".findings li")).to_have_count(0)
    expect(page.get_by_label("style.toml", exact=True)).to_have_value(
        '[[board]]\nrelation = "cell"\nlook = "wood"\n'
    )


# The Metagamers


def test_a_game_is_picked_and_the_gain_is_shown(house: House) -> None:
    ann = house.person()
    page = ann.go("/games/badconnectfour")
    page.get_by_role("link", name="Make them leaner").click()
    expect(page.get_by_label("Game")).to_have_value("badconnectfour")
    page.get_by_label("Game").select_option("badtictactoe")
    page.get_by_label("Transformer 1").select_option("optimizer")
    page.get_by_label("Transformer 2").select_option("")
    ann.button("Transform the rules").click()
    expect(page).to_have_url(f"{house.site.address}/metagamers?game=badtictactoe&with=optimizer")
    expect(page.locator(".both-row.changed .left mark").first).to_be_visible()
    expect(page.locator(".both-row.gone").first).to_be_visible()
    expect(page.locator("#gain[data-is-measured=yes]")).to_be_visible()
    ann.reads("#gain .verdict", "times as fast")
    ann.reads("#gain .verdict", "legal moves, ends and goals were the same")
    ann.reads("#gain", "Gates when compiled")
    expect(page.locator("#gain-progress")).to_be_hidden()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the new rules").click()
    assert download.value.suggested_filename == "badtictactoe-optimizer.epilog"
    page.go_back()
    expect(ann.button("Transform the rules")).to_be_enabled()


def test_that_nothing_is_gained_or_possible_is_clear(house: House) -> None:
    ann = house.person()
    page = ann.go("/metagamers?game=tictactoe&with=simplifier")
    ann.reads("#gain .verdict", "Nothing to gain")
    page.get_by_label("Transformer 1").select_option("symbolizer")
    ann.button("Transform the rules").click()
    ann.reads("[role=alert]", "ground them first")
    expect(page.get_by_label("Transformer 1")).to_have_value("symbolizer")
    ann.forgive("422")


def test_the_gain_is_a_link_without_scripts(house: House) -> None:
    ann = house.person(java_script_enabled=False)
    page = ann.go("/metagamers?game=badtictactoe&with=optimizer")
    page.get_by_role("link", name="Measure it now").click()
    ann.reads("#gain .verdict", "times as fast")
