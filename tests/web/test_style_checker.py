"""The Style Checker over HTTP: what it draws and says of a style, with and without scripts, and of hostile ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest

from gamemaster.games import game_names, put_up
from gamemaster.web import styling
from gamemaster.web.app import create_app
from gamemaster.web.brought import BroughtSheet
from gamemaster.web.settings import settings_for
from gamemaster.web.shelf import written
from gamemaster.web.site import Site
from gamemaster.web.styling import found_text, styled_sample
from tests.web.running import Visitor, running_site
from tests.web.test_brought import opened

WOOD = '[[board]]\nrelation = "cell"\nlook = "wood"\n\n[pieces]\nx = "star"\n'
SCRIPT = "<script>alert(1)</script>"
JSON = {"accept": "application/json"}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_site(tmp_path_factory.mktemp("site")) as site:
        yield site.address


@pytest.fixture
def visitor(address: str) -> Visitor:
    found = Visitor(address)
    found.get("/style")
    return found


def send(visitor: Visitor, headers: dict[str, str] | None = None, **values: object) -> httpx.Response:
    """What the form gives."""
    form = {"token": visitor.token, "game": "tictactoe", "style": WOOD, "at": "3", **values}
    return visitor.client.post(
        "/style", data={name: str(value) for name, value in form.items()}, headers=headers
    )


def data(visitor: Visitor, **values: object) -> dict[str, Any]:
    """What the page's module is told."""
    answer = send(visitor, JSON, **values)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def text_in(page: str) -> str:
    found = re.search(r"<textarea[^>]*>\n?(.*?)</textarea>", page, re.DOTALL)
    assert found
    return unescape(found[1])


# The page


def test_a_game_comes_with_its_own_style_drawn_in_both_themes(visitor: Visitor) -> None:
    page = visitor.get("/style?game=tictactoe")
    assert page.status_code == 200
    assert 'look = "paper"' in text_in(page.text)
    assert "drawn-light" in page.text
    assert "drawn-dark" in page.text
    assert "Nothing is wrong with it" in page.text


def test_a_variant_has_the_style_of_its_game(visitor: Visitor) -> None:
    page = visitor.get("/style?game=connectfour:columns=9").text
    assert "columns=9" in page
    assert "Nothing is wrong with it" in page


@pytest.mark.parametrize(
    "game", ["nothing", "../chess", SCRIPT, "@" + "0" * 20, "x" * 500, "connectfour:columns=99"]
)
def test_games_that_there_are_not_are_told(visitor: Visitor, game: str) -> None:
    answer = visitor.client.get("/style", params={"game": game})
    assert answer.status_code in (404, 422)
    assert SCRIPT not in answer.text
    sent = send(visitor, JSON, game=game)
    assert sent.status_code in (404, 422)
    assert sent.json()["error"]


# Without scripts


def test_each_button_gives_the_page_again_with_what_was_typed(visitor: Visitor) -> None:
    page = send(visitor, do="draw").text
    assert text_in(page) == WOOD
    assert 'name="at" value="3"' in page
    assert 'name="at" value="0"' in send(visitor, go="0").text
    assert text_in(send(visitor, do="own").text) != WOOD
    assert "found to be drawn" in text_in(send(visitor, do="found").text)
    seeds = {re.findall(r'name="seed" value="(\d+)"', send(visitor, do="seed").text)[0] for _ in range(3)}
    assert len(seeds) == 3
    one = send(visitor, theme="dark", size="large").text
    assert "drawn-light" not in one
    assert "size-large" in one


def test_windows_line_ends_are_no_mistake_and_count_once(visitor: Visitor) -> None:
    page = send(visitor, style='[[board]]\r\nrelation = "cell"\r\nlook = "gold"\r\n').text
    assert 'data-line="3"' in page
    assert "\r" not in text_in(page)


def test_the_style_is_exported_as_it_is(visitor: Visitor) -> None:
    answer = send(visitor, do="export", style=WOOD + "# é")
    assert answer.text == WOOD + "# é"
    assert 'attachment; filename="style.toml"' in answer.headers["content-disposition"]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_mistake_stands_at_its_line_with_what_to_do(visitor: Visitor) -> None:
    broken = WOOD.replace("wood", "gold").replace("star", "sta")
    found = data(visitor, style=broken)
    assert [(each["line"], each["message"]) for each in found["findings"]] == [
        (3, "look is 'gold'"),
        (6, "unknown glyph 'sta'"),
    ]
    assert all(each["hint"] for each in found["findings"])
    assert "Line 3" in found["parts"]["style-findings"]
    page = send(visitor, style=broken).text
    assert text_in(page) == broken
    assert "2 mistakes" in page


# As somebody types


def test_the_board_is_another_with_another_style(visitor: Visitor) -> None:
    wood, paper = data(visitor), data(visitor, style=WOOD.replace("wood", "paper"))
    assert wood["findings"] == paper["findings"] == []
    assert wood["parts"]["style-pictures"] != paper["parts"]["style-pictures"]


def test_samples_go_from_the_start_to_an_end(visitor: Visitor) -> None:
    start = data(visitor, at=0)
    assert re.findall(r">(\w+)</button>", start["parts"]["style-samples"])[:5] == [
        "Start", "Early", "Middle", "Late", "End"
    ]  # fmt: skip
    last = data(visitor, go=start["last"])
    assert last["at"] == start["last"]
    assert "The end, after" in last["parts"]["style-samples"]
    beyond = data(visitor, go=10_000)
    assert beyond["at"] == start["last"]
    drawn = {data(visitor, go=at)["parts"]["style-pictures"] for at in range(start["last"] + 1)}
    assert len(drawn) == start["last"] + 1


def test_the_same_seed_shows_the_same_game(visitor: Visitor) -> None:
    one, two, three = (data(visitor, seed=seed, at=2)["parts"]["style-pictures"] for seed in (7, 7, 8))
    assert one == two != three


def test_what_is_no_toml_is_drawn_as_the_game_is(visitor: Visitor) -> None:
    found = data(visitor, style="[[board")
    assert not found["is_own"]
    assert "<svg" in found["parts"]["style-pictures"]
    assert "as before until this can be read" in found["parts"]["style-findings"]


# What nobody should send


def test_a_form_of_somebody_else_is_refused(visitor: Visitor) -> None:
    assert send(visitor, token="0" * 64).status_code == 403
    assert send(visitor, {"origin": "http://evil.example"}).status_code == 403


@pytest.mark.parametrize(
    "values",
    [
        {"seed": "x"},
        {"seed": "-1"},
        {"seed": "9" * 40},
        {"go": SCRIPT},
        {"at": "1e9"},
        {"theme": SCRIPT},
        {"size": "x"},
    ],
)
def test_values_that_no_button_says_are_refused(visitor: Visitor, values: dict[str, str]) -> None:
    for headers in (None, JSON):
        answer = send(visitor, headers, **values)
        assert answer.status_code == 422
        assert SCRIPT not in answer.text


CHESS = '[[board]]\nrelation = "cell"\n'
WIDE = f"{CHESS}rows = {[str(n) for n in range(100)]}\ncolumns = {[str(n) for n in range(25)]}\n".replace(
    "'", '"'
)
HOSTILE = {
    "nested": "a = " + "[" * 20_000,
    "tables": "[" + ".".join("a" * 3_000) + "]\n",
    "boards": CHESS * 4_000,
    "many": "".join(f"k{n} = 1\n" for n in range(20_000)),
    "number": f"{CHESS}row = 0x{'f' * 9_000}\n",
    "large": "#" * 250_000,
    "pieces": "[pieces]\n" + "".join(f'p{n} = "rok"\n' for n in range(5_000)),
    "nul": "a = '\0'",
    "odd": "title = '\u202e\ud7ff\uffff'",
    "wide": WIDE * 12,
    "long line": "x = '" + "é" * 60_000 + "'",
}


@pytest.mark.parametrize("style", HOSTILE.values(), ids=HOSTILE)
def test_hostile_styles_are_bounded_and_the_page_goes_on(visitor: Visitor, style: str) -> None:
    answer = send(visitor, JSON, game="chess", style=style)
    assert answer.status_code in (200, 413)
    assert len(answer.content) < 3_000_000
    assert data(visitor)["findings"] == []


def test_too_many_cells_are_told_and_not_drawn(visitor: Visitor) -> None:
    found = data(visitor, game="chess", style=WIDE * 12)
    assert "30,000 cells" in found["parts"]["style-pictures"]
    assert "<svg" not in found["parts"]["style-pictures"]


def test_more_than_a_request_may_have_is_refused(visitor: Visitor) -> None:
    answer = visitor.client.post("/style", data={"token": visitor.token, "style": "#" * 4_000_000})
    assert answer.status_code == 413


FIELDS = [
    f'[[board]]\nrelation = "cell"\ntitle = "{SCRIPT}"\n\n[[board]]\nrelation = "cell"\ntitle = "b"\n',
    f'[[board]]\nrelation = "{SCRIPT}"\n',
    f'[[board]]\nrelation = "cell"\nempty = "{SCRIPT}"\n',
    f'[[board]]\nrelation = "cell"\nrows = ["{SCRIPT}"]\n',
    f'[[board]]\nrelation = "cell"\nground = {{"1,1" = "{SCRIPT}"}}\n',
    f'[pieces]\nx = {{glyph = "text", name = "{SCRIPT}", symbol = "<b>"}}\n',
    f'[pieces]\nx = {{glyph = "text", colour = "{SCRIPT}"}}\n',
    f'[pieces]\n"{SCRIPT}" = "star"\n',
    f'[[counter]]\nrelation = "control"\nlabel = "{SCRIPT}"\nrole = 1\n',
    f'hide = ["{SCRIPT}"]\n',
    f'"{SCRIPT}" = 1\n',
    f"{SCRIPT}\n</textarea>{SCRIPT}",
]


@pytest.mark.parametrize("style", FIELDS)
def test_script_in_any_field_is_text(visitor: Visitor, style: str) -> None:
    page = send(visitor, style=style)
    assert page.status_code == 200
    assert SCRIPT not in page.text
    assert "</textarea><script" not in page.text
    found = data(visitor, style=style)
    assert not any(SCRIPT in part for part in found["parts"].values())


# In a worker


@pytest.mark.parametrize("name", game_names())
def test_any_game_can_be_begun_with_what_is_found(name: str) -> None:
    found = styled_sample(name, found_text(name), 1, -1, ("light",))
    assert found["findings"] == []
    assert found["pictures"]


def test_a_game_that_comes_to_no_end_has_a_last_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(styling, "LONGEST_LINE", 8)
    found = styled_sample("chess", "", 123_456, 0, ())
    assert not found["is_over"]
    assert found["samples"][-1] == {"word": "Last", "at": 8}  # type: ignore[index]


def test_a_slow_game_has_fewer_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(styling, "PATIENCE", 0.0)
    found = styled_sample("tictactoe", "", 987_654, 5, ())
    assert found["last"] == 0
    assert found["samples"] == [{"word": "Start", "at": 0}]


# Used and saved


def test_a_style_is_used_in_standalone_as_a_draft(visitor: Visitor) -> None:
    answer = send(visitor, do="standalone")
    assert answer.status_code == 303
    place = answer.headers["location"]
    assert re.fullmatch(r"/standalone/@[0-9a-f]{20}", place)
    assert visitor.get(place).status_code == 200
    name = place.rpartition("/")[2]
    page = visitor.get(f"/style?game={name}").text
    assert text_in(page) == WOOD
    assert "Tic-Tac-Toe" in page
    assert "Save with the game" not in page
    assert data(visitor, game=name)["findings"] == []


def test_a_draft_without_a_style_begins_with_what_is_found(visitor: Visitor) -> None:
    place = send(visitor, do="standalone", style="").headers["location"]
    page = visitor.get(f"/style?game={place.rpartition('/')[2]}").text
    assert "found to be drawn" in text_in(page)
    assert re.search(r'<button[^>]*value="own"[^>]*disabled', page)


def test_a_style_with_mistakes_is_not_used_and_stays_on_the_page(visitor: Visitor) -> None:
    for style in (WOOD.replace("wood", "gold"), "[[board"):
        answer = send(visitor, do="standalone", style=style)
        assert answer.status_code == 422
        assert "mend what is wrong with it first" in answer.text
        assert text_in(answer.text) == style
    long = send(visitor, do="standalone", style=WOOD + "#" * 60_000)
    assert long.status_code == 422
    assert "50,000 are read" in long.text


def test_guests_and_others_save_nothing(visitor: Visitor) -> None:
    assert send(visitor, do="save").status_code == 403
    visitor.get("/signup")
    form = {"token": visitor.token, "name": "Ada", "password": "correct horse battery"}
    assert visitor.client.post("/signup", data=form).status_code == 303
    visitor.get("/style")
    answer = send(visitor, do="save")
    assert answer.status_code == 403
    assert "not a game of yours" in answer.text
    assert text_in(answer.text) == WOOD


def test_a_style_is_saved_with_a_game_of_ones_own_and_with_no_other(tmp_path: Path) -> None:
    app = create_app(settings_for(str(tmp_path / "data"), makes_code=False))
    site: Site = app.state.site
    rules, notation = written("tictactoe")

    async def save() -> tuple[list[tuple[int, str]], str]:
        answers = []
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://localhost"
        ) as client:

            async def form(path: str, where: str = "", **values: str) -> httpx.Response:
                found = re.search(r'name="token" value="(\w+)"', (await client.get(where or path)).text)
                assert found
                return await client.post(path, data={"token": found[1], **values})

            await form("/signup", name="Ada", password="correct horse battery")
            ada = site.store.accounts.get("Ada")
            own = await site.brought.save(ada, BroughtSheet("Mine", rules, notation))
            where = f"/style?game={own.name}"
            assert "Save with the game" in (await client.get(where)).text
            saved = await form("/style", where, game=own.name, style=WOOD, do="save")
            answers.append((saved.status_code, saved.headers["location"]))
            page = await client.get(saved.headers["location"])
            answers.append((page.status_code, text_in(page.text)))
            newest = site.store.own_games.of(ada.id)[0].name
            client.cookies.clear()
            answers.append(((await client.get(f"/style?game={newest}")).status_code, ""))
            await form("/signup", name="Eve", password="correct horse battery")
            stolen = await form("/style", "/style", game=newest, style="", do="save")
            answers.append((stolen.status_code, ""))
            answers.append(((await client.get(f"/metagamers?game={newest}&with=pruner")).status_code, ""))
            answers.append(
                ((await client.get(f"/metagamers/rules?game={newest}&with=pruner")).status_code, "")
            )
        return answers, newest

    try:
        answers, newest = opened(site, save)
    finally:
        site.store.close()
        put_up()
    assert answers[0] == (303, f"/style?game={newest}&done=saved")
    assert answers[1] == (200, WOOD)
    assert [status for status, _ in answers[2:]] == [404, 404, 404, 404]
