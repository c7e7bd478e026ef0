"""Writing a game in a real browser: by keys and mouse, with second thoughts, reloads, other tabs and files."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.web.browser import PHONE, House, Person, opened_house
from tests.web.test_editor import GROWING, SMALL, zip_of

pytestmark = pytest.mark.slow

SUMMARY, STATUS = "#findings-summary", "#preview-status"
FINE = "Nothing is wrong with this text"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with opened_house(tmp_path_factory.mktemp("site")) as house:
        yield house


@pytest.fixture
def house(opened: House) -> Iterator[House]:
    yield opened
    opened.clear()


def writer(house: House, path: str = "/editor", **settings: Any) -> Person:
    """Somebody at the editor, which has drawn what it begins with."""
    person = house.person(**settings)
    person.go(path)
    person.reads(SUMMARY, FINE)
    expect(person.page.locator("#board svg")).to_be_visible()
    return person


def rules(person: Person) -> Locator:
    return person.page.locator("#rules")


def line_of(person: Person, number: int) -> str:
    return rules(person).input_value().split("\n")[number - 1]


def to_line(person: Person, number: int) -> None:
    rules(person).focus()
    person.press("Control+Home", *["ArrowDown"] * (number - 1))


def underlined(page: Page, severity: str) -> Locator:
    return page.locator(f".code-layer .is-{severity}").first


def test_a_mistake_is_shown_at_its_line_and_gone_when_mended(house: House) -> None:
    ann = writer(house)
    to_line(ann, 8)
    ann.page.keyboard.type("roel(green)")
    ann.reads(SUMMARY, "1 warning")
    ann.reads("#findings .is-warning", "Line 8")
    expect(underlined(ann.page, "warning")).to_have_text("roel")
    ann.reads(".code-gutter .is-warning", "8")
    ann.press("Home", *["Delete"] * 11)
    ann.reads(SUMMARY, FINE)
    expect(ann.page.locator("#findings li")).to_have_count(0)
    expect(ann.page.locator(".code-layer .is-warning")).to_have_count(0)


def test_what_is_no_text_of_rules_is_told_and_clicking_leads_there(house: House) -> None:
    ann = writer(house)
    to_line(ann, 40)
    ann.reads("#caret", "40:1")
    ann.page.keyboard.type("legal(")
    ann.reads("#findings .is-error", "Line 4")
    ann.reads(STATUS, "No game yet")
    ann.press("Control+Home")
    ann.page.locator("#findings button").first.click()
    expect(rules(ann)).to_be_focused()
    assert ann.evaluate("() => document.activeElement.selectionStart") > 500
    ann.press("Control+Home", "F8")
    assert ann.evaluate("() => document.activeElement.selectionStart") > 500
    for _ in range(6):
        ann.press("Control+z")
    ann.reads(SUMMARY, FINE)
    ann.reads(STATUS, "Step 0: red to move")


def test_words_are_completed_by_keys_and_by_mouse(house: House) -> None:
    ann = writer(house)
    offers = ann.page.get_by_role("listbox", name="Completions")
    to_line(ann, 8)
    ann.page.keyboard.type("opp")
    expect(offers).to_be_visible()
    expect(offers.get_by_role("option").first).to_contain_text("opponent(R,S)")
    assert rules(ann).get_attribute("aria-activedescendant") == "offers-0"
    ann.press("Enter")
    expect(offers).to_be_hidden()
    assert line_of(ann, 8) == "opponent"
    ann.page.keyboard.type("(green,")
    ann.press("Control+Space")
    expect(offers).to_be_visible()
    ann.press("ArrowDown", "Escape")
    expect(offers).to_be_hidden()
    ann.page.keyboard.type("re")
    offers.get_by_role("option").filter(has_text="red").first.click()
    assert line_of(ann, 8) == "opponent(green,red"
    expect(rules(ann)).to_be_focused()
    ann.page.keyboard.type(")")
    for _ in range(30):
        ann.press("Control+z")
    assert line_of(ann, 8) == ""
    ann.reads(SUMMARY, FINE)


def test_help_comes_where_the_mouse_or_the_caret_rests(house: House) -> None:
    ann = writer(house)
    box = rules(ann).bounding_box()
    assert box is not None
    ann.page.mouse.move(box["x"] + 20, box["y"] + 8 + 8.5 * 22)  # opponent, in line 9
    ann.reads("#tip", "opponent(R,S)")
    ann.page.mouse.move(box["x"] + 20, box["y"] + 8 + 0.5 * 22)
    expect(ann.page.locator("#tip")).to_be_hidden()
    to_line(ann, 19)
    ann.press(*["ArrowRight"] * 16)  # column, in a condition
    ann.reads("#here", "column(N)")
    ann.button("Go to its definition").click()
    ann.reads("#caret", "18:")
    ann.page.locator("#outline").select_option(label="terminal/0 (1 rule)")
    expect(ann.page.locator("#caret")).not_to_have_text("18:7")


def test_moves_are_made_on_the_board_and_by_buttons(house: House) -> None:
    ann = writer(house)
    ann.click("0-1-1")
    ann.reads(STATUS, "Step 1: blue to move")
    ann.button("place(4,4)").click()
    ann.reads(STATUS, "Step 2: red to move")
    ann.reads("#state-facts", "cell(4,4,blue)")
    ann.reads("#state", "Moves so far: place(1,1);place(4,4)")
    ann.button("Undo").click()
    ann.reads(STATUS, "Step 1: blue to move")
    to_line(ann, 14)
    ann.press("End", "ArrowLeft", "Backspace")
    ann.page.keyboard.type("3")  # size(3): the board is another one, and the move still one of it
    expect(ann.page.locator("#board [data-cell]")).to_have_count(9)
    ann.reads(STATUS, "Step 1: blue to move")
    ann.button("Reset").click()
    ann.reads(STATUS, "Step 0: red to move")


def test_roles_that_choose_at_once_choose_one_after_the_other(house: House) -> None:
    ann = writer(house, "/editor?game=roshambo")
    ann.reads("#turn", "alice chooses.")
    ann.page.locator("button[data-role=alice]").first.click()
    ann.reads("#turn", "bob chooses.")
    ann.page.locator("button[data-role=bob]").first.click()
    ann.reads(STATUS, "Step 1")


def test_a_new_game_is_written_drawn_and_played(house: House) -> None:
    ann = writer(house, "/editor?new=kif")
    ann.page.get_by_label("Title").fill("Lonely stones")
    text = rules(ann).input_value()
    rules(ann).fill(text.replace("(size 4)", "(size 3)"))
    expect(ann.page.locator("#board [data-cell]")).to_have_count(9)
    ann.click("0-2-2")
    ann.reads(STATUS, "Step 1: blue to move")
    ann.button("Play it").click()
    ann.page.wait_for_url("**/standalone/@*")
    ann.reads("h1", "Lonely stones")
    ann.reads("#standalone-status", "blue to move")
    ann.click("0-1-1")
    ann.reads("#standalone-status", "red to move")
    ann.page.go_back()
    expect(rules(ann)).to_have_value(text.replace("(size 4)", "(size 3)"))
    expect(ann.page.get_by_label("Title")).to_have_value("Lonely stones")


def test_a_draft_survives_a_reload_and_another_tab_is_noticed(house: House) -> None:
    ann = writer(house)
    to_line(ann, 8)
    ann.page.keyboard.type("% a thought")
    ann.reads("#draft-version", "Draft, version 1")
    ann.page.reload()
    ann.reads("#notice", "This is your draft of")
    assert line_of(ann, 8) == "% a thought"
    other = Person(ann.page.context.new_page(), ann.address)
    house.people.append(other)
    other.go("/editor")
    other.reads("#notice", "This is your draft of")
    to_line(other, 8)
    other.press("End")
    other.page.keyboard.type(", and another")
    other.reads("#draft-version", "version 2")
    ann.reads("#notice", "Another tab has changed this draft: version 2")
    ann.button("Take that one").click()
    assert line_of(ann, 8) == "% a thought, and another"
    to_line(ann, 8)
    ann.page.keyboard.type("%")
    ann.reads("#draft-version", "version 3")
    other.reads("#notice", "Another tab has changed this draft: version 3")
    to_line(other, 8)
    other.page.keyboard.type("%%")  # goes on nevertheless: both are kept
    other.reads("#notice", "is kept as a draft of its own")
    other.page.get_by_text("Start from …").click()
    expect(other.page.locator("#drafts li")).to_have_count(2)


def test_a_folder_goes_out_and_comes_in(house: House, tmp_path: Path) -> None:
    ann = writer(house, "/editor?game=tictactoe")
    ann.page.get_by_label("Title").fill("Noughts")
    with ann.page.expect_download() as download:
        ann.button("Export").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    assert path.name == "noughts.zip"
    with zipfile.ZipFile(path) as archive:
        assert {each.rpartition("/")[2] for each in archive.namelist()} == {
            "game.toml", "rules.epilog", "style.toml", "description.md",
        }  # fmt: skip
    bob = writer(house)
    before = rules(bob).input_value()
    bob.page.get_by_text("Start from …").click()
    bob.page.locator("#file").set_input_files(path)
    bob.reads("#notice", "noughts.zip is here")
    expect(rules(bob)).to_have_value(rules(ann).input_value())
    expect(bob.page.get_by_label("Title")).to_have_value("Noughts")
    bob.reads(STATUS, "Step 0: x to move")
    evil = tmp_path / "evil.zip"
    evil.write_bytes(zip_of({"../rules.hrf": "role(a)"}))
    bob.page.get_by_text("Start from …").click()
    bob.page.locator("#file").set_input_files(evil)
    bob.reads("#notice", "evil.zip cannot be read")
    expect(rules(bob)).to_have_value(rules(ann).input_value())
    assert before != rules(bob).input_value()
    bob.forgive("422")


def test_a_file_is_dropped_on_the_text(house: House) -> None:
    ann = writer(house)
    ann.evaluate(
        """(text) => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([text], "small.hrf"));
          const drop = new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true });
          document.querySelector("#code").dispatchEvent(drop);
        }""",
        SMALL,
    )
    expect(rules(ann)).to_have_value(SMALL)
    expect(ann.page.locator("#notation")).to_have_value("hrf")
    ann.reads(STATUS, "Step 0: a to move")


def test_another_notation_and_back(house: House) -> None:
    ann = writer(house)
    before = rules(ann).input_value()
    ann.page.locator("#notation").select_option("kif")
    ann.reads("#notice", "Converted to KIF")
    assert "(role red)" in rules(ann).input_value()
    ann.reads(SUMMARY, FINE)
    ann.reads(STATUS, "Step 0: red to move")
    ann.button("Take that back").click()
    expect(rules(ann)).to_have_value(before)
    expect(ann.page.locator("#notation")).to_have_value("epilog")
    ann.page.locator("#notation").select_option("hrf")
    ann.reads("#notice", "Converted to HRF")
    ann.page.locator("#notation").select_option("epilog")
    ann.reads("#notice", "cannot be turned into Epilog")
    ann.forgive("422")


def test_a_text_is_laid_out_and_that_can_be_undone(house: House) -> None:
    ann = writer(house)
    to_line(ann, 6)
    ann.press("End")
    ann.page.keyboard.type("   ")
    before = rules(ann).input_value()
    ann.button("Format").click()
    ann.reads("#notice", "Laid out")
    assert line_of(ann, 6) == "role(red)"
    rules(ann).focus()
    ann.press("Control+z")
    expect(rules(ann)).to_have_value(before)


def test_hostile_rules_and_huge_texts_leave_the_page_working(house: House) -> None:
    ann = writer(house, "/editor?new=hrf")
    fine = rules(ann).input_value()
    rules(ann).fill(GROWING)
    ann.reads(STATUS, "These rules take too much")
    rules(ann).fill("% " + "x" * 4_000_000)
    ann.reads(SUMMARY, "too many to be checked on this page")
    assert len(rules(ann).input_value()) == 4_000_002
    rules(ann).fill(fine)
    ann.reads(SUMMARY, FINE)
    ann.reads(STATUS, "Step 0: red to move")


def test_what_is_saved_is_kept_under_a_name(house: House) -> None:
    ann = writer(house)
    ann.page.get_by_label("Title").fill("Stones of Ann")
    ann.reads("#draft-version", "Draft, version")
    ann.button("Save").click()
    ann.reads("#notice", "Sign in, and press Save again")
    ann.page.locator("#notice").get_by_role("link", name="Sign up").click()
    ann.page.get_by_label("Name").fill("Ann")
    ann.page.get_by_label("Password").fill("correct horse battery")
    ann.page.locator("main form button").last.click()
    ann.page.wait_for_url("**/editor")
    expect(ann.page.get_by_label("Title")).to_have_value("Stones of Ann")
    ann.button("Save").click()
    ann.reads("#notice", "Saved as Stones of Ann")

    elsewhere = house.person()
    elsewhere.go("/signin?next=/mine")
    elsewhere.page.get_by_label("Name").fill("Ann")
    elsewhere.page.get_by_label("Password").fill("correct horse battery")
    elsewhere.page.locator("main form button").last.click()
    elsewhere.page.get_by_role("link", name="Edit").click()
    expect(elsewhere.page.get_by_label("Title")).to_have_value("Stones of Ann")
    elsewhere.reads(SUMMARY, FINE)
    elsewhere.page.get_by_label("Title").fill("Stones of all")
    elsewhere.button("Save").click()
    elsewhere.reads("#notice", "Saved as Stones of all")

    ann.page.get_by_label("Title").fill("Stones of mine")
    ann.button("Save").click()
    ann.reads("#notice", "changed elsewhere since you began")
    ann.forgive("409")
    ann.button("Save over it").click()
    ann.reads("#notice", "Saved as Stones of mine")
    ann.button("Save").click()  # it comes from the newest now
    ann.reads("#notice", "Saved as Stones of mine")


def test_without_scripts_a_form_checks_and_plays(house: House) -> None:
    ann = house.person(java_script_enabled=False)
    page = ann.go("/editor?new=hrf")
    page.get_by_label("Rules").fill(SMALL.replace("terminal", "&"))
    ann.button("Check").click()
    ann.reads("#findings", "Line 8")
    ann.reads("#notice", "No game yet")
    page.get_by_label("Rules").fill(SMALL)
    ann.button("Check").click()
    ann.reads(STATUS, "Step 0: a to move")
    ann.button("take").click()
    ann.reads(STATUS, "Step 1: b to move")
    ann.button("Undo").click()
    ann.reads(STATUS, "Step 0: a to move")
    ann.button("Play it").click()
    ann.reads("#standalone-status", "a to move")


def test_letters_of_any_kind_stay_where_they_are_typed(house: House) -> None:
    ann = writer(house, "/editor?new=hrf", **PHONE)
    rules(ann).fill("% ㊗\t𝔸 größer\nrole(a)\nlegal(a,go")
    ann.reads("#findings .is-error", "Line 3")
    layer = "() => [...document.querySelectorAll('.code-layer .row')].map((each) => each.textContent)"
    assert ann.evaluate(layer) == rules(ann).input_value().split("\n")
    places = """() => {
      const row = document.querySelectorAll(".code-layer .row")[2].getBoundingClientRect();
      const area = document.querySelector("#rules");
      const { paddingTop, lineHeight } = getComputedStyle(area);
      return [row.top - area.getBoundingClientRect().top, parseFloat(paddingTop) + 2 * parseFloat(lineHeight)];
    }"""
    drawn, typed = ann.evaluate(places)
    assert abs(drawn - typed) < 1


def test_letters_that_are_composed_are_seen_and_checked_when_done(house: House) -> None:
    ann = writer(house)
    to_line(ann, 8)
    line = ann.page.context.new_cdp_session(ann.page)
    line.send("Input.imeSetComposition", {"text": "ろ", "selectionStart": 1, "selectionEnd": 1})
    expect(ann.page.locator("#code")).to_have_class("code is-live is-composing")
    line.send("Input.insertText", {"text": "路(x)"})
    expect(ann.page.locator("#code")).to_have_class("code is-live")
    assert line_of(ann, 8) == "路(x)"
    ann.reads("#findings", "Line 8")
