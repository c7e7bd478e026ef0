"""All roles on one board: the page as it comes, and its JSON twins."""

import random
import re
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, cast

import pytest
import uvicorn
from fastapi import FastAPI
from httpx import Client
from playwright.sync_api import Browser, Page, expect, sync_playwright
from starlette.requests import Request
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from gamemaster.errors import GamemasterError, IllegalMove, ParameterError, UnknownGame
from gamemaster.games import game_names
from gamemaster.load import load
from gamemaster.web import jobs
from gamemaster.web.guard import Door
from gamemaster.web.pages import standalone
from gamemaster.web.path import path_query, path_read, path_written
from gamemaster.web.rendering import render
from gamemaster.web.settings import settings_for
from gamemaster.web.site import Site


def standalone_app(folder: Path) -> FastAPI:
    """An app with nothing but this page."""
    settings = settings_for(str(folder))
    site = Site(settings)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        site.workers.open()
        yield
        site.store.close()

    app = FastAPI(lifespan=lifespan)
    app.state.site = site
    static = Path(standalone.__file__).parent.parent / "static"
    app.mount("/static", StaticFiles(directory=static))
    app.include_router(standalone.router)
    app.add_middleware(Door, settings=settings)
    app.add_exception_handler(GamemasterError, _refused)
    return app


async def _refused(request: Request, error: Exception) -> Response:
    status = 404 if isinstance(error, UnknownGame) else 422
    return render(request, "error.html", status, title="No", words=str(error))


@contextmanager
def served(app: FastAPI) -> Iterator[str]:
    """The address of an app that runs in a thread."""
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        line.listen()
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="none"))
        thread = threading.Thread(target=server.run, args=([line],), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{line.getsockname()[1]}"
        server.should_exit = True
        thread.join(20)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(standalone_app(tmp_path_factory.mktemp("site"))) as address:
        yield address


@pytest.fixture(scope="module")
def client(address: str) -> Iterator[Client]:
    with Client(base_url=address, timeout=300) as client:
        yield client


# Lines of any game


@pytest.mark.parametrize("name", game_names())
def test_a_line_of_any_game_can_be_gone_on_with_and_written(name: str) -> None:
    generator, line = random.Random(name), list[list[str]]()
    for _ in range(8):
        found = jobs.standalone(name, line)
        assert path_read(path_written(cast("Any", found["line"]))) == tuple(map(tuple, line))
        askers = cast("list[str]", found["askers"])
        clicks = cast("dict[str, Any]", found["clicks"])
        assert set(clicks) == set(askers)
        if not askers:
            break
        line.append([generator.choice(clicks[role]["moves"])["move"] for role in askers])


def test_chance_draws_each_of_its_moves() -> None:
    drawn = {str(cast("Any", jobs.standalone("dicerace", [[None]])["line"])) for _ in range(60)}
    assert drawn == {f"[['throw({n})']]" for n in (1, 2, 3)}


def test_only_chance_draws() -> None:
    with pytest.raises(ParameterError, match="only chance draws"):
        jobs.standalone("tictactoe", [[None]])


def test_a_step_has_a_move_of_each_who_chooses() -> None:
    with pytest.raises(ParameterError, match="step 1 has 1 move; to choose: alice, bob"):
        jobs.standalone("roshambo", [["rock"]])
    with pytest.raises(ParameterError, match="step 1 has 2 moves; to choose: x"):
        jobs.standalone("tictactoe", [["mark(1,1)", "mark(1,2)"]])
    with pytest.raises(IllegalMove):
        jobs.standalone("tictactoe", [["mark(1,1)"], ["mark(1,1)"]])


def test_moves_are_written_in_one_way() -> None:
    found = jobs.standalone("tictactoe", [["mark( 1 , 1 )"]])
    assert found["line"] == [["mark(1,1)"]]


def test_what_led_to_a_position_is_told_as_its_pages_called_it() -> None:
    found = jobs.standalone("chess", [["move(e,2,e,4)"], ["move(e,7,e,5)"]], True)
    labels = [[move["label"] for move in step["moves"]] for step in cast("Any", found["told"])]
    assert labels == [["white pawn e,2 to e,4"], ["black pawn e,7 to e,5"]]
    assert len(cast("Any", jobs.standalone("chess", [["move(e,2,e,4)"], ["move(e,7,e,5)"]])["told"])) == 1


# The page


def test_a_page_shows_the_position_of_its_address(client: Client) -> None:
    page = client.get("/standalone/tictactoe?moves=mark(1,1);mark(2,2)").text
    assert re.search(r'id="standalone-status">\s*x to move', page)
    assert 'data-cell="0-2-2"' in page
    assert "<title>2,2: o" in page
    assert re.search(r'value="2" aria-current="step">mark 2,2<', page)
    assert page.count('name="choice"') == 7


def test_a_page_is_enough_without_a_module(client: Client) -> None:
    page = client.get("/standalone/tictactoe?moves=mark(1,1)").text
    assert '<input type="hidden" name="moves" value="mark(1,1)">' in page
    gone = client.get("/standalone/tictactoe", params={"moves": "mark(1,1)", "choice": "mark(2,2)"})
    assert (gone.status_code, gone.headers["location"]) == (
        303,
        "/standalone/tictactoe?moves=mark(1,1);mark(2,2)",
    )
    back = client.get("/standalone/tictactoe?moves=mark(1,1);mark(2,2)&at=1")
    assert back.headers["location"] == "/standalone/tictactoe?moves=mark(1,1)"
    assert (
        client.get("/standalone/tictactoe?moves=mark(1,1)&at=0").headers["location"]
        == "/standalone/tictactoe"
    )


def test_who_choose_at_once_choose_in_one_form(client: Client) -> None:
    page = client.get("/standalone/roshambo").text
    assert page.count("<select name=") == 2
    assert "alice and bob choose at once" in page
    gone = client.get("/standalone/roshambo?choice=rock&choice=paper")
    assert path_read("rock|paper") == (("rock", "paper"),)
    assert gone.headers["location"] == f"/standalone/roshambo{path_query([['rock', 'paper']])}"


def test_chance_is_drawn_by_the_server(client: Client) -> None:
    assert "Chance is to draw" in client.get("/standalone/dicerace").text
    drawn = client.get("/standalone/dicerace?moves=?")
    assert drawn.status_code == 303
    assert re.fullmatch(r"/standalone/dicerace\?moves=throw\([123]\)", drawn.headers["location"])


def test_the_end_is_told_with_the_scores(client: Client) -> None:
    moves = "mark(1,1);mark(2,1);mark(1,2);mark(2,2);mark(1,3)"
    page = client.get(f"/standalone/tictactoe?moves={moves}").text
    assert "Game over: x wins" in page
    assert re.search(r"x</th><td class=\"number\">100<", page)
    assert 'name="choice"' not in page


def test_whoever_plays_all_roles_is_told_that_all_is_shown(client: Client) -> None:
    assert "roles do not see everything" in client.get("/standalone/higherlower").text
    assert "roles do not see everything" not in client.get("/standalone/tictactoe").text


def test_a_variant_has_a_page(client: Client) -> None:
    page = client.get("/standalone/connectfour:columns=7").text
    assert "Connect Four (columns=7)" in page
    assert 'data-cell="0-7-1"' in page
    assert 'data-cell="0-8-1"' not in page


def test_pages_are_small_also_of_long_games(client: Client) -> None:
    state, line, generator = load("chess").initial_state(), list[list[str]](), random.Random(3)
    while not state.is_terminal and len(line) < 150:
        (role,) = jobs.askers_of(state)
        move = generator.choice(state.legal_moves(role))
        state = state.next(move)
        line.append([str(move)])
    page = client.get(f"/standalone/chess{path_query(line)}")
    assert page.status_code == 200
    assert len(page.content) < 120_000


# What is wrong


@pytest.mark.parametrize(
    "moves",
    [
        "mark(9,9)",
        "mark(1,1);mark(1,1)",
        ";",
        "mark(1,1)|mark(2,2)",
        "~",
        "?",
        "<script>alert(1)</script>",
        "';drop table matches",
        "mark(" * 500,
        "\x00",
        "../../etc/passwd",
        ";".join(f"mark({m},{n})" for m in (1, 2, 3) for n in (1, 2, 3)),
    ],
)
def test_what_is_no_line_gets_a_page_with_a_way_on(client: Client, moves: str) -> None:
    page = client.get("/standalone/tictactoe", params={"moves": moves})
    assert page.status_code == 422
    assert "<script>alert" not in page.text
    assert 'href="/standalone/tictactoe"' in page.text
    twin = client.get("/standalone/tictactoe/position.json", params={"moves": moves})
    assert twin.status_code == 422
    assert set(twin.json()) == {"error"}


@pytest.mark.parametrize("game", ["nosuch", "..%2F..%2Fetc", "<script>", "tictactoe.kif", "%00"])
def test_unknown_games_are_not_found(client: Client, game: str) -> None:
    for path in ("", "/position.json", "/thinking.json"):
        assert client.get(f"/standalone/{game}{path}").status_code == 404


def test_no_variant_is_made_up(client: Client) -> None:
    for variant in ("columns=0", "columns=999999", "<script>", "nope"):
        page = client.get(f"/standalone/connectfour:{variant}")
        assert page.status_code in (404, 422)
        assert "<script>" not in page.text.replace('<script src="/static/theme.js">', "")


@pytest.mark.parametrize(
    "body", [b"", b"[]", b'{"moves": 3}', b'{"more": ""}', b"{", b'{"moves": "\\ud800"}', b'{"moves": null}']
)
def test_what_is_no_wish_is_refused(client: Client, body: bytes) -> None:
    for twin in ("position", "thinking"):
        assert client.post(f"/standalone/tictactoe/{twin}.json", content=body).status_code == 422


# The twins


def test_a_position_is_the_same_by_get_and_by_post(client: Client) -> None:
    found = client.get("/standalone/tictactoe/position.json?moves=mark(1,1)").json()
    assert found == client.post("/standalone/tictactoe/position.json", json={"moves": "mark(1,1)"}).json()
    assert (found["moves"], found["askers"], found["status"]) == ("mark(1,1)", ["o"], "o to move")
    assert set(found["parts"]) == {"standalone-status", "standalone-scores", "standalone-moves"}
    assert found["told"] == [{"step": 1, "moves": [{"role": "x", "move": "mark(1,1)", "label": "mark 1,1"}]}]
    assert found["svg"].startswith("<svg")
    assert found["clicks"]["o"]["moves"][0]["move"] == "mark(1,2)"


def test_the_parts_are_those_of_the_page(client: Client) -> None:
    page = client.get("/standalone/nim?moves=take(first,1)").text
    parts = client.get("/standalone/nim/position.json?moves=take(first,1)").json()["parts"]
    assert all(part.strip() in page for part in parts.values())


def test_the_machine_says_what_it_thinks(client: Client) -> None:
    wish: dict[str, str | float] = {"moves": "mark(1,1);mark(2,1);mark(1,2);mark(2,2)", "seconds": 0.2}
    found = client.post("/standalone/tictactoe/thinking.json", json=wish).json()
    assert (found["role"], found["move"], found["is_proven"]) == ("x", "mark(1,3)", True)
    assert found == found | client.get("/standalone/tictactoe/thinking.json", params=wish).json() | {
        key: found[key] for key in ("seconds", "speed", "nodes", "playouts", "moves")
    }


@pytest.mark.parametrize(
    ("wish", "status", "reason"),
    [
        ({"who": "nobody"}, 404, "cannot be asked"),
        ({"seconds": "3600"}, 422, "of thinking"),
        ({"seconds": "nan"}, 422, "number"),
        ({"role": "nobody"}, 422, "no role"),
        ({"moves": "mark(9,9)"}, 422, "mark"),
    ],
)
def test_why_there_are_no_thoughts_is_told(
    client: Client, wish: dict[str, str], status: int, reason: str
) -> None:
    answer = client.get("/standalone/tictactoe/thinking.json", params=wish)
    assert answer.status_code == status
    assert reason in answer.json()["error"]


# In a browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield browser
        browser.close()


def opened(browser: Browser, address: str, **settings: Any) -> Page:
    page = browser.new_context(**settings).new_page()
    page.set_default_timeout(60_000)
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    page.goto(address)
    return page


def play(page: Page, *cells: str, status: str) -> None:
    for cell in cells:
        page.locator(f'[data-cell="{cell}"]').click()
    expect(page.locator("#standalone-status")).to_contain_text(status)


@pytest.mark.slow
def test_a_whole_game_is_played_by_clicks_with_undo_and_shared(browser: Browser, address: str) -> None:
    page = opened(browser, f"{address}/standalone/tictactoe")
    play(page, "0-1-1", status="o to move")
    play(page, "0-3-3", status="x to move")
    page.get_by_role("button", name="Back").click()
    expect(page.locator("#standalone-status")).to_contain_text("o to move")
    play(page, "0-2-2", status="x to move")
    expect(page.locator(".variation")).to_contain_text("mark 2,2")
    for cell, status in (("0-1-2", "o to move"), ("0-2-1", "x to move"), ("0-1-3", "Game over: x wins")):
        play(page, cell, status=status)
    expect(page.locator("#live-region")).to_have_text("x: mark 1,3. Game over: x wins")
    assert page.url.endswith("?moves=mark(1,1);mark(2,2);mark(1,2);mark(2,1);mark(1,3)")
    other = opened(browser, page.url)
    expect(other.locator("#standalone-status")).to_contain_text("Game over: x wins")
    page.reload()
    expect(page.locator(".variation")).to_contain_text("mark 2,2")
    page.keyboard.press("ArrowUp")
    expect(page.locator("#standalone-status")).to_contain_text("x to move")
    page.keyboard.press("Home")
    expect(page.locator(".line [aria-current]")).to_have_text("start")
    page.keyboard.press("End")
    expect(page.locator("#standalone-status")).to_contain_text("Game over: x wins")


@pytest.mark.slow
def test_who_choose_at_once_choose_one_after_the_other(browser: Browser, address: str) -> None:
    page = opened(browser, f"{address}/standalone/roshambo")
    page.locator("#choices").get_by_role("button", name="rock").click()
    expect(page.locator("#turn")).to_have_text("alice: rock. bob chooses.")
    page.locator("#choices").get_by_role("button", name="paper").click()
    expect(page.locator(".line [aria-current]")).to_have_text("rock, paper")
    assert path_read(page.url.partition("=")[2]) == (("rock", "paper"),)


@pytest.mark.slow
def test_chance_draws_by_itself_unless_somebody_chooses_for_it(browser: Browser, address: str) -> None:
    page = opened(browser, f"{address}/standalone/dicerace")
    page.locator("#choices").get_by_role("button", name="throw 3").click()
    expect(page.locator("#standalone-status")).to_contain_text("red to move")
    page.locator('[data-cell="0-red-first-0"]').click()
    expect(page.locator("#standalone-status")).to_contain_text("blue to move")
    assert re.search(r"moves=throw\(3\);run\(first\);throw\([123]\)$", page.url)


@pytest.mark.slow
def test_thoughts_are_shown_beside_the_board_and_on_it(browser: Browser, address: str) -> None:
    page = opened(browser, f"{address}/standalone/tictactoe?moves=mark(1,1);mark(2,1);mark(1,2);mark(2,2)")
    page.get_by_role("button", name="What does the machine think?").click()
    expect(page.locator(".bars .is-best .name")).to_have_text("mark 1,3", timeout=300_000)
    expect(page.locator("#thinking-state")).to_contain_text("proven 100")
    expect(page.locator(".value.is-best")).to_have_text("100")
    page.locator(".bars .is-best button").click()
    expect(page.locator("#standalone-status")).to_contain_text("Game over: x wins")
    expect(page.locator(".value")).to_have_count(0)


@pytest.mark.slow
def test_a_phone_has_room_for_all_of_it(browser: Browser, address: str) -> None:
    size = {"width": 390, "height": 844}
    page = opened(browser, f"{address}/standalone/chess", viewport=size, has_touch=True, is_mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    for cell in ("0-e-2", "0-e-4"):
        page.locator(f'[data-cell="{cell}"]').tap()
    expect(page.locator("#standalone-status")).to_contain_text("black to move")
    box = page.locator('[data-cell="0-e-7"]').bounding_box()
    assert box
    assert box["width"] > 40


@pytest.mark.slow
def test_nothing_but_forms_is_needed(browser: Browser, address: str) -> None:
    page = opened(browser, f"{address}/standalone/tictactoe", java_script_enabled=False)
    page.locator("#standalone-moves summary").click()
    page.get_by_role("button", name="mark 2,2").click()
    expect(page.locator("#standalone-status")).to_contain_text("o to move")
    page.get_by_role("button", name="start").click()
    assert page.url.endswith("/standalone/tictactoe")
