"""Every page in a real browser: both themes, a phone, a keyboard, a screen reader, and names that are no names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.web.browser import PHONE, House, Person, opened_house
from tests.web.running import Visitor

pytestmark = pytest.mark.slow

PAGES = {
    "home": "/",
    "games": "/games",
    "game": "/games/tictactoe",
    "editor": "/editor?game=tictactoe",
    "standalone": "/standalone/tictactoe?moves=mark(2,2)",
    "play": "/play",
    "manager": "/manager?game=chinesecheckers3",
    "matches": "/matches",
    "match as a player": "/matches/{played}",
    "match as a manager": "/matches/{arranged}",
    "replay": "/matches/{over}?step=3",
    "invitation": "{invitation}",
    "style checker": "/style?game=connectfour",
    "metagamers": "/metagamers?game=nim&with=optimizer",
    "trees": "/trees?of=openlines&step=9",
    "leaderboard": "/leaderboard",
    "sign up": "/signup",
    "sign in": "/signin",
    "API": "/api/v1",
    "open, a game": "/manageropen",
    "open, a player": "/playeropen",
    "about": "/about",
    "resources": "/resources",
    "software": "/software",
    "language": "/docs/language",
    "document": "/docs/write-a-game",
    "own games": "/mine",
    "no such page": "/games/nothing",
}

COMPLAINTS = """() => {
  const found = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const start = (each) => each.outerHTML.slice(0, 80);
  const name = (each) => each.getAttribute("aria-label") || each.textContent.trim() || each.querySelector("[alt]")?.alt;
  if (!document.documentElement.lang) found.push("no language");
  if (!document.title) found.push("no title");
  if (all("h1").length !== 1) found.push(`${all("h1").length} h1`);
  const marks = ["header", "nav[aria-label]", "main", "footer", "[aria-live]"];
  for (const mark of marks) if (!all(mark).length) found.push(`no ${mark}`);
  for (const each of all("img:not([alt])")) found.push(`no alt: ${each.src}`);
  for (const each of all("svg")) {
    const isTold = each.closest("[aria-hidden=true]") || each.getAttribute("role");
    if (!isTold) found.push(`a drawing without a role: ${start(each)}`);
  }
  for (const each of all("input:not([type=hidden]), select, textarea")) {
    if (!each.labels.length && !each.ariaLabel) found.push(`no label: ${start(each)}`);
  }
  for (const each of all("a[href]:not([aria-hidden]), button, summary")) {
    if (!name(each)) found.push(`no name: ${start(each)}`);
  }
  for (const each of all("th")) if (!each.scope) found.push(`no scope: ${each.textContent}`);
  const ids = all("[id]").map((each) => each.id);
  for (const id of new Set(ids.filter((each, n) => ids.indexOf(each) !== n))) found.push(`twice: ${id}`);
  for (const each of all("[tabindex]")) if (each.tabIndex > 0) found.push(`tabindex: ${start(each)}`);
  return found;
}"""
"""What a screen reader would miss."""

FAINT = """() => {
  const numbers = (colour) => {
    const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
    return [r, g, b, a];
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((each, n) => each * a + below[n] * (1 - a));
  const light = (colour) => {
    const [r, g, b] = colour.map((each) => each / 255)
      .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    const layers = [];
    for (let each = element; each; each = each.parentElement) {
      layers.push(numbers(getComputedStyle(each).backgroundColor));
    }
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const off = "svg, script, style, noscript, .hush, .skip, :disabled, [aria-disabled=true], option, datalist";
  const found = new Map();
  for (const each of document.querySelectorAll("body *")) {
    const isText = [...each.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
    if (!isText || each.closest(off) || !each.checkVisibility({ visibilityProperty: true })) continue;
    const style = getComputedStyle(each), below = ground(each);
    const [one, two] = [light(over(numbers(style.color), below)), light(below)];
    const contrast = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
    const words = each.textContent.trim().slice(0, 40);
    if (contrast < 4.5) found.set(`${each.tagName}.${each.className}`, `${contrast.toFixed(2)}: ${words}`);
  }
  return [...found].map((each) => each.join(" "));
}"""
"""Text with less contrast than 4.5 to what is below it."""

SMALL = """() => [...document.querySelectorAll("button, .button, select, input, .top a")]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }))
  .filter((each) => !each.closest(".line, .hush") && !each.disabled)
  .filter((each) => !["checkbox", "radio", "range", "hidden"].includes(each.type))
  .map((each) => [each.getBoundingClientRect().height, each.outerHTML.slice(0, 100)])
  .filter(([height]) => height < 44)"""
"""What a finger has to hit, and is less than 44 pixels high. Moves in a line of text are text."""

OUTLINE = """() => {
  const at = document.activeElement;
  const lines = [at, at.closest("tr")].filter(Boolean).map((each) => getComputedStyle(each));
  const isSeen = lines.some((style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2);
  const ring = at.querySelector(":scope > [class$='-f']"); // of a cell on a board
  const isRinged = ring && getComputedStyle(ring).visibility === "visible";
  return isSeen || isRinged || at === document.body ? "" : at.outerHTML.slice(0, 100);
}"""


@dataclass
class Scene:
    """A site at which things have happened."""

    house: House
    clerk: Visitor
    names: dict[str, str]

    def path(self, page: str) -> str:
        return PAGES[page].format(**self.names)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with opened_house(tmp_path_factory.mktemp("site")) as house:
        clerk, friend = Visitor(house.site.address), Visitor(house.site.address)
        form = {"game": "tictactoe", "do": "arrange", "player_0": "random", "player_1": "legal", "pace": 0}
        over, arranged = clerk.arrange("/manager", **form), clerk.arrange("/manager", **form)
        clerk.act(over, "begin")
        played = clerk.arrange("/play", game="tictactoe", role="x", opponent="random", think=0.3, hint="on")
        inviting = friend.arrange("/play", game="tictactoe", role="x", opponent="person")
        invitation = friend.get(f"/matches/{inviting}").text.partition("/join/")[2].partition('"')[0]
        with clerk.watching(over) as watch:
            watch.until("over")
        with clerk.watching(played) as watch:
            watch.until_asked()
        names = {"over": over, "arranged": arranged, "played": played}
        yield Scene(house, clerk, {**names, "invitation": f"/matches/{inviting}/join/{invitation}"})


@pytest.fixture
def scene(opened: Scene) -> Iterator[Scene]:
    yield opened
    opened.house.clear()


def visit(scene: Scene, person: Person, page: str) -> None:
    person.go(scene.path(page))
    if page == "no such page":
        person.forgive("404")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_well_made(scene: Scene, page: str) -> None:
    ann = scene.house.person(scene.clerk, color_scheme="light")
    visit(scene, ann, page)
    assert ann.evaluate(COMPLAINTS) == []
    themes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for theme in themes:
        ann.page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # colours change at once
        assert ann.evaluate(FAINT) == [], theme
    for _ in range(12):
        ann.press("Tab")
        assert ann.evaluate(OUTLINE) == ""


def test_phones_need_not_scroll_sideways_or_aim(scene: Scene) -> None:
    ann = scene.house.person(scene.clerk, **PHONE)
    found = {}
    for page in PAGES:
        visit(scene, ann, page)
        wide = ann.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
        small = ann.evaluate(SMALL)
        if wide != [390, 390] or small:
            found[page] = (wide, small)
    assert found == {}


def test_phones_have_all_ways_in_a_menu(scene: Scene) -> None:
    ann = scene.house.person(**PHONE)
    ann.go("/")
    ways = ann.page.locator("#site-menu a")
    expect(ways.first).to_be_hidden()
    ann.button("Menu").click()
    for number in range(ways.count()):
        expect(ways.nth(number)).to_be_in_viewport()
    ann.press("Escape")
    expect(ways.first).to_be_hidden()
    ann.button("Menu").click()
    ann.page.get_by_role("link", name="Matches").click()
    expect(ann.page.get_by_role("heading", name="Matches", level=1)).to_be_visible()


def test_a_theme_is_chosen_and_kept(scene: Scene) -> None:
    ann = scene.house.person(color_scheme="light")
    ann.go("/")
    dark = "() => getComputedStyle(document.documentElement).colorScheme"
    assert ann.evaluate(dark) == "light"
    ann.button("Light or dark").click()
    assert ann.evaluate(dark) == "dark"
    ann.go("/games")
    assert ann.evaluate(dark) == "dark"
    ann.button("Light or dark").click()
    assert ann.evaluate(dark) == "light"


# Names that are no names

MARKUP = "<img src=x onerror=alert(1)>"


def is_text(person: Person) -> None:
    """Nothing of what was typed has become part of the page, and nothing of it ran: a dialog would be a trouble."""
    expect(person.page.locator("img[src=x], img[onerror]")).to_have_count(0)


def test_markup_in_a_form_is_shown_as_it_was_typed(scene: Scene) -> None:
    ann = scene.house.person()
    page = ann.go("/manager")
    page.get_by_label("or an address, or with parameters").first.fill(MARKUP)
    ann.button("Set up the match").click()
    ann.reads("[role=alert]", MARKUP)
    expect(page.get_by_label("or an address, or with parameters").first).to_have_value(MARKUP)
    is_text(ann)
    page.get_by_label("or an address, or with parameters").first.fill("")
    page.get_by_label("Start clock").fill(MARKUP)
    ann.button("Set up the match").click()
    ann.reads("#start-clock-error", MARKUP)
    is_text(ann)
    page.goto(ann.address + "/play")
    page.get_by_label("Your clock").fill(MARKUP)
    ann.button("Begin").click()
    ann.reads("#clock-error", MARKUP)
    is_text(ann)
    ann.forgive("422")


def test_markup_in_an_address_is_shown_as_it_was_typed(scene: Scene) -> None:
    ann = scene.house.person()
    for path in (
        "/games/{}",
        "/standalone/{}",
        "/matches/{}",
        "/play?game={}",
        "/style?game={}",
        "/metagamers?game={}",
        "/trees?of={}",
        "/{}",
    ):
        ann.go(path.format(quote(MARKUP, safe="")))
        is_text(ann)
    ann.forgive("404")
    ann.go(f"/standalone/tictactoe?moves={quote(MARKUP)}")
    ann.reads("main", MARKUP)
    is_text(ann)
    ann.forgive("422")
    ann.go(f"/games?q={quote(MARKUP)}")
    expect(ann.page.get_by_label("Search")).to_have_value(MARKUP)
    is_text(ann)
    ann.go(f"/matches?player={quote(MARKUP)}")
    expect(ann.page.get_by_label("Player")).to_have_value(MARKUP)
    is_text(ann)
