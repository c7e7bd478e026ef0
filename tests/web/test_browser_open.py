"""Files of one's own in a real browser: dropped on a page or chosen, played, watched, launched; and mended."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Request, expect

from gamemaster.games import find_rules
from gamemaster.web.documents import code_blocks
from gamemaster.web.pages.software import skeletons
from tests.web.browser import House, Person, opened_house
from tests.web.running import running_site

pytestmark = pytest.mark.slow

RULES = find_rules("tictactoe").read_text()
STYLE = find_rules("tictactoe").with_name("style.toml").read_text()
WRONG = RULES.replace("terminal :- decided", "terminal :- decided(")
LINE = RULES.splitlines().index("terminal :- decided") + 1
PLAYER = code_blocks("write-a-player")[0][1]

DROPPED = """(files) => {
  const transfer = new DataTransfer();
  for (const [name, text] of files) {
    const content = typeof text === "string" ? text : new Uint8Array(text);
    transfer.items.add(new File([content], name));
  }
  return transfer;
}"""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with opened_house(tmp_path_factory.mktemp("site")) as house:
        yield house


@pytest.fixture
def house(opened: House) -> Iterator[House]:
    yield opened
    opened.clear()


@pytest.fixture(scope="module")
def opened_walls(opened: House, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A site that runs files of players, and the same browser."""
    with running_site(tmp_path_factory.mktemp("walled"), "--allow-uploads") as site:
        yield House(site, opened.browser)


@pytest.fixture
def walled(opened_walls: House) -> Iterator[House]:
    yield opened_walls
    opened_walls.clear()


def drop(person: Person, *files: tuple[str, str | bytes]) -> None:
    """Drop files on a page, as from a folder of the desktop."""
    plain = [[name, [*text] if isinstance(text, bytes) else text] for name, text in files]
    transfer = person.page.evaluate_handle(DROPPED, plain)
    person.page.dispatch_event("main", "dragenter", {"dataTransfer": transfer})
    expect(person.page.locator(".drop.is-over")).to_be_visible()
    person.page.dispatch_event("main", "drop", {"dataTransfer": transfer})


def test_a_position_is_reached_on_rules_that_were_dropped(house: House) -> None:
    ann = house.person()
    ann.go("/standaloneopen")
    drop(ann, ("noughts.epilog", RULES), ("style.toml", STYLE))
    expect(ann.page).to_have_url(re.compile(r"/standalone/@[0-9a-f]{20}$"))
    ann.reads("h1", "Noughts")
    ann.click("0-2-2")
    ann.reads("#standalone-status", "o to move")
    ann.click("0-1-1")
    ann.reads("#standalone-status", "x to move")
    expect(ann.page).to_have_url(re.compile(r"\?moves=mark\(2,2\);mark\(1,1\)$"))
    ann.page.reload()
    ann.reads("#standalone-status", "x to move")


def test_a_mistake_is_told_at_its_line_and_the_page_goes_on(house: House) -> None:
    ann = house.person()
    ann.go("/standaloneopen")
    drop(ann, ("noughts.epilog", WRONG))
    ann.reads("[data-findings]", f"noughts.epilog:{LINE}:")
    ann.forgive("422")
    drop(ann, ("noughts.epilog", RULES), ("style.toml", '[[board]]\nrelation = "nothing"\n'))
    ann.reads("[data-findings]", "style.toml:2:")
    ann.forgive("422")
    ann.reads("[data-state]", "drop it again")
    drop(ann, ("noughts.epilog", RULES))
    expect(ann.page).to_have_url(re.compile(r"/standalone/@"))


def test_a_file_that_is_chosen_is_played_to_its_end(house: House, tmp_path: Path) -> None:
    (tmp_path / "noughts.epilog").write_text(RULES)
    ann = house.person()
    page = ann.go("/humanopen")
    page.get_by_label("Files of a game").set_input_files(tmp_path / "noughts.epilog")
    expect(page).to_have_url(re.compile(r"/play\?game=@"))
    page.get_by_label("x", exact=True).check()
    page.get_by_label("Against").select_option("random")
    page.get_by_label("The machine thinks").fill("0.3")
    ann.button("Begin").click()
    ann.sits_down()
    over = page.locator("#status", has_text="Game over")
    free = page.locator("#board .is-source").first
    while not over.is_visible():
        expect(free.or_(over).first).to_be_visible()
        if over.is_visible():
            break
        cell = free.get_attribute("data-cell") or ""
        ann.click(cell)
        moved = page.locator(f'#board:has(.is-source):not(:has([data-cell="{cell}"].is-source))')
        expect(moved.or_(over).first).to_be_visible()
    ann.reads("#players", "random")
    bob = house.person()
    bob.go("/matches")
    expect(bob.page.locator("main")).not_to_contain_text("Noughts")


def test_a_zip_is_managed_to_its_end(house: House) -> None:
    ann = house.person()
    page = ann.go("/manageropen")
    drop(ann, (skeletons()[1].name, skeletons()[1].content))
    expect(page).to_have_url(re.compile(r"/manager\?game=@"))
    expect(page.locator("#game option:checked")).to_have_text("My Game")
    page.locator("#player-0").select_option("random")
    page.locator("#player-1").select_option("legal")
    page.get_by_label("Pause between moves").fill("0")
    ann.button("Set up the match").click()
    ann.sits_down()
    ann.button("Begin").click()
    ann.reads("#status", "Game over")


def test_files_are_opened_without_scripts(house: House, tmp_path: Path) -> None:
    (tmp_path / "noughts.epilog").write_text(WRONG)
    ann = house.person(java_script_enabled=False)
    page = ann.go("/standaloneopen")
    page.get_by_label("Files of a game").set_input_files(tmp_path / "noughts.epilog")
    ann.button("Open").click()
    ann.reads("[data-findings]", f"noughts.epilog:{LINE}:")
    ann.forgive("422")
    (tmp_path / "noughts.epilog").write_text(RULES)
    page.get_by_label("Files of a game").set_input_files(tmp_path / "noughts.epilog")
    ann.button("Open").click()
    ann.reads("h1", "Noughts")


# Players


def test_a_player_is_looked_at_and_nothing_is_sent(house: House, tmp_path: Path) -> None:
    ann = house.person()
    page = ann.go("/playeropen")
    sent: list[str] = []

    def note(request: Request) -> None:
        if "/static/" not in request.url:  # the icon of a page may come late
            sent.append(f"{request.method} {request.url}")

    page.on("request", note)
    (tmp_path / "my player.py").write_text(PLAYER)
    page.get_by_label("A player's file").set_input_files(tmp_path / "my player.py")
    ann.reads("[data-state]", "it has a player, First, in line 3")
    ann.reads("#commands", "gamemaster player './my player.py' --port 9147")
    wrong = PLAYER.replace("state.legal_moves(self.role)", "state.legal_moves(self.role")
    drop(ann, ("first.py", wrong))
    ann.reads("[data-findings]", "first.py:5")
    ann.reads("[data-findings]", "( is never closed")
    drop(ann, ("first.py", "print('hello')\n"))
    ann.reads("[data-findings]", "there is no player in it")
    drop(ann, ("first.py", b"\xff\xfe\x00\x01"))
    ann.reads("[data-findings]", "UTF-8")
    drop(ann, ("first.py", PLAYER))
    ann.reads("[data-state]", "it has a player")
    ann.reads("#commands", "gamemaster player first.py --port 9147")
    assert sent == []


@pytest.mark.walls
def test_a_player_is_launched_and_plays(walled: House) -> None:
    ann = walled.person()
    page = ann.go("/playeropen")
    drop(ann, ("first.py", "class First(\n"))
    ann.reads("[data-findings]", "first.py:1")
    drop(ann, ("first.py", PLAYER))
    expect(page).to_have_url(re.compile(r"/playeropen/open-first\.[0-9a-f]+$"))
    identifier = page.url.rpartition("/")[2]
    expect(page.locator('[data-status="ready"]')).to_be_visible()
    ann.button("Connect").click()
    ann.reads("#launched-now", "connected: anybody can choose it")

    bob = walled.person()
    table = bob.go("/manager?game=tictactoe")
    table.locator("#other-0").fill(identifier)
    table.locator("#player-1").select_option("random")
    table.get_by_label("Pause between moves").fill("0")
    bob.button("Set up the match").click()
    bob.sits_down()
    bob.button("Begin").click()
    bob.reads("#status", "Game over")
    ann.reads("#said", "mark(")
    ann.button("Disconnect").click()
    ann.reads("#launched-now", "not connected")
    ann.button("End").click()
    expect(page.locator('[data-status="gone"]')).to_be_visible()
    page.get_by_role("link", name="Drop it again").click()
    expect(page).to_have_url(re.compile(r"/playeropen$"))
    while [*(walled.site.folder / "players").rglob("*.py")]:
        page.reload()
