"""static/board.js in a real browser: which clicks make which move, as draw/clicks.py says; and what a person does."""

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, sync_playwright

import gamemaster.web.jobs
from gamemaster.draw.board import board_of
from gamemaster.draw.clicks import Choice, Clicks, clicks_of
from gamemaster.games import game_names
from gamemaster.load import load
from gamemaster.web.jobs import standalone

pytestmark = pytest.mark.slow

MODULE = Path(gamemaster.web.jobs.__file__).parent / "static" / "board.js"
STEPS, MOST_QUESTIONS = 6, 120
LOAD = """async (source) => {
  const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  Object.assign(window, await import(address));
}"""
ASK = """(positions) => positions.map(({ moves, questions }) => {
  const choosing = new Choosing(moves);
  const plain = ({ label, move, cell }) => [label, move, cell];
  return {
    sources: choosing.sources,
    buttons: choosing.buttons.map(plain),
    answers: questions.map((ids) => {
      const { targets, choices } = choosing.after(ids);
      const chosen = choosing.choose(ids);
      return [targets, choices.map(plain), Array.isArray(chosen) ? chosen.map(plain) : (chosen && chosen.move)];
    }),
  };
})"""
SHOW = """({ svg, clicks }) => {
  document.body.innerHTML = "<div id=board class=board></div><div id=list></div>";
  window.made = [];
  const list = document.getElementById("list");
  const onMove = (role, move) => made.push([role, move]);
  window.view = new BoardView(document.getElementById("board"), { onMove, list });
  view.show({ svg, clicks });
}"""


@contextmanager
def browsing() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 900, "height": 900})
        page.evaluate(LOAD, MODULE.read_text())
        yield page
        browser.close()


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with browsing() as page:
        yield page


# The rules of choosing


def positions(name: str) -> Iterator[Clicks]:
    generator, state = random.Random(name), load(name).initial_state()
    for _ in range(STEPS):
        if state.is_over:
            return
        board = board_of(state)
        yield from (clicks_of(state, role, board) for role in state.movers)
        state = state.next(state.random_moves(generator))


def questions(clicks: Clicks, generator: random.Random) -> list[list[str]]:
    """Clicks that lead somewhere, and clicks that do not."""
    asked: list[list[str]] = [[]]
    for first in clicks.sources:
        asked.append([first])
        for second in clicks.after(first).targets:
            asked.append([first, second])
            asked += [[first, second, third] for third in clicks.after(first, second).targets]
    cells = [*clicks.sources, "nowhere"]
    asked += [[generator.choice(cells) for _ in range(count)] for count in (1, 2, 2, 3, 3, 4)]
    return generator.sample(asked, min(len(asked), MOST_QUESTIONS))


def plain(choice: Choice) -> list[str | None]:
    return [choice.label, str(choice.move), choice.cell]


def answer(clicks: Clicks, ids: list[str]) -> list[object]:
    after, chosen = clicks.after(*ids), clicks.choose(*ids)
    if isinstance(chosen, list):
        told: object = [plain(each) for each in chosen]
    else:
        told = None if chosen is None else str(chosen)
    return [list(after.targets), [plain(each) for each in after.choices], told]


@pytest.mark.parametrize("name", game_names())
def test_clicks_choose_the_same_moves_in_the_browser(page: Page, name: str) -> None:
    generator, known, asked = random.Random(name), list(positions(name)), []
    for clicks in known:
        told = json.loads(json.dumps(clicks.to_json()))
        asked.append({"moves": told["moves"], "questions": questions(clicks, generator)})
    found: list[dict[str, Any]] = page.evaluate(ASK, asked)
    for clicks, each, question in zip(known, found, asked, strict=True):
        assert each["sources"] == list(clicks.sources)
        assert each["buttons"] == [plain(button) for button in clicks.buttons]
        for ids, told in zip(question["questions"], each["answers"], strict=True):
            assert told == answer(clicks, ids), ids


# What a person does


def show(page: Page, name: str, line: list[list[str]]) -> None:
    found = standalone(name, line)
    page.evaluate(SHOW, {"svg": found["svg"], "clicks": found["clicks"]})


def made(page: Page) -> list[list[str]]:
    found: list[list[str]] = page.evaluate("made")
    return found


def click(page: Page, *cells: str) -> None:
    for cell in cells:
        page.locator(f'[data-cell="{cell}"]').click()


def focused(page: Page) -> str | None:
    found: str | None = page.evaluate("document.activeElement.dataset.cell ?? null")
    return found


def test_one_click_is_enough_where_it_says_all(page: Page) -> None:
    show(page, "tictactoe", [])
    click(page, "0-2-3")
    assert made(page) == [["x", "mark(2,3)"]]


def test_two_clicks_tell_where_from_and_where_to(page: Page) -> None:
    show(page, "chess", [])
    click(page, "0-e-2")
    assert page.locator(".is-chosen").get_attribute("data-cell") == "0-e-2"
    targets = page.locator(".is-target").evaluate_all("all => all.map((cell) => cell.dataset.cell)")
    assert set(targets) == {"0-e-3", "0-e-4"}
    click(page, "0-e-4")
    assert made(page) == [["white", "move(e,2,e,4)"]]


def test_another_source_is_chosen_instead_and_the_same_is_dropped(page: Page) -> None:
    show(page, "chess", [])
    click(page, "0-e-2", "0-d-2")
    assert page.locator(".is-chosen").get_attribute("data-cell") == "0-d-2"
    click(page, "0-d-2")
    assert page.locator(".is-chosen").count() == 0
    click(page, "0-e-2")
    click(page, "0-e-6")
    assert page.locator(".is-chosen").count() == 0
    assert made(page) == []


def test_any_cell_of_a_column_will_do(page: Page) -> None:
    show(page, "connectfour", [])
    click(page, "0-3-6")
    assert made(page) == [["red", "drop(3)"]]


def test_a_piece_is_dragged_where_it_goes(page: Page) -> None:
    show(page, "chess", [])
    start, end = (page.locator(f'[data-cell="{cell}"]').bounding_box() for cell in ("0-g-1", "0-f-3"))
    assert start
    assert end
    page.mouse.move(start["x"] + 20, start["y"] + 20)
    page.mouse.down()
    page.mouse.move(end["x"] + 25, end["y"] + 25, steps=5)
    assert page.locator(".board-ghost").count() == 1
    page.mouse.up()
    assert made(page) == [["white", "move(g,1,f,3)"]]
    assert page.locator(".board-ghost").count() == 0


def test_of_a_stack_the_last_thing_is_dragged(page: Page) -> None:
    show(page, "backgammon", [["throw(6,3)"]])
    page.locator('[data-cell="0-6"]').hover()
    page.mouse.down()
    page.locator('[data-cell="0-3"]').hover()
    assert page.locator('[data-cell="0-6"] > g:not([visibility])').count() == 5
    assert page.locator(".board-ghost > g").count() == page.locator(".board-ghost > [data-top]").count() == 1
    page.mouse.up()
    assert made(page) == [["white", "move(6,3)"]]


def test_what_is_dropped_elsewhere_stays(page: Page) -> None:
    show(page, "chess", [])
    page.locator('[data-cell="0-g-1"]').drag_to(page.locator('[data-cell="0-g-6"]'))
    assert made(page) == []


def test_moves_without_a_place_are_buttons(page: Page) -> None:
    show(page, "go", [])
    page.get_by_role("button", name="pass").click()
    assert made(page) == [["black", "pass"]]


PROMOTION = "b,2,b,4 a,7,a,5 b,4,a,5 b,7,b,6 a,5,b,6 h,7,h,6 b,6,c,7 h,6,h,5"


def test_a_list_decides_what_clicks_leave_open(page: Page) -> None:
    show(page, "chess", [[f"move({move})"] for move in PROMOTION.split()])
    click(page, "0-c-7", "0-b-8")
    names = page.locator("#list button").all_inner_texts()
    assert len(names) == 5
    assert names[-1] == "Cancel"
    assert page.evaluate("document.activeElement.textContent") == names[0]
    page.keyboard.press("Escape")
    assert page.locator("#list button").count() == 0
    assert focused(page) == "0-c-7"
    click(page, "0-c-7", "0-b-8")
    page.locator("#list button").first.click()
    ((role, move),) = made(page)
    assert role == "white"
    assert move.startswith(("move(c,7,b,8", "promote(c,7,b,8"))


def test_a_board_is_played_by_keyboard_alone(page: Page) -> None:
    show(page, "chess", [])
    page.keyboard.press("Tab")
    assert focused(page) == "0-a-2"
    assert page.locator('[data-cell][tabindex="0"]').count() == 1
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert focused(page) == "0-e-2"
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    assert focused(page) == "0-e-3"
    page.keyboard.press("Escape")
    assert focused(page) == "0-e-2"
    assert page.locator(".is-chosen").count() == 0
    for key in ("Enter", "ArrowUp", "ArrowUp", "Space"):
        page.keyboard.press(key)
    assert made(page) == [["white", "move(e,2,e,4)"]]


def test_a_new_drawing_keeps_the_focus_where_it_was(page: Page) -> None:
    show(page, "tictactoe", [])
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    found = standalone("tictactoe", [["mark(1,1)"]])
    page.evaluate("(found) => view.show(found)", {"svg": found["svg"], "clicks": found["clicks"]})
    assert focused(page) == "0-2-1"
    assert page.locator("#board > svg").count() == 1


def test_nothing_is_chosen_on_a_locked_board(page: Page) -> None:
    show(page, "tictactoe", [])
    page.evaluate("view.lock()")
    click(page, "0-1-1")
    assert made(page) == []
    page.evaluate("view.unlock()")
    click(page, "0-1-1")
    assert made(page) == [["x", "mark(1,1)"]]


def test_values_stand_on_the_board(page: Page) -> None:
    show(page, "tictactoe", [])
    page.evaluate(
        'view.annotate([{move: "mark(2,2)", text: "58", isBest: true}, {move: "mark(1,1)", text: "<b>"}])'
    )
    assert page.locator(".value text").all_text_contents() == ["58", "<b>"]
    assert page.locator(".value.is-best").count() == 1


def test_a_drawing_is_shown_within_the_blink_of_an_eye(page: Page) -> None:
    found = standalone("chess", [["move(e,2,e,4)"]])
    show(page, "chess", [])
    taken: float = page.evaluate(
        "(found) => { const began = performance.now(); view.show(found); view.host.getBoundingClientRect();"
        " return performance.now() - began; }",
        {"svg": found["svg"], "clicks": found["clicks"]},
    )
    assert taken < 200  # 50 on a machine that does nothing else
