"""The gallery and the pages of games, as a browser without JavaScript sees them, and what their modules ask for."""

from __future__ import annotations

import random
import re
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path

import pytest
import uvicorn
from fastapi import FastAPI, Request, Response
from httpx import Client

from gamemaster.codegen.cache import Cache
from gamemaster.errors import Busy, GamemasterError, LimitExceeded, UnknownGame
from gamemaster.games import entry, game_names
from gamemaster.load import load
from gamemaster.web.jobs import Plain
from gamemaster.web.pages import games
from gamemaster.web.rendering import render
from gamemaster.web.settings import settings_for
from gamemaster.web.shelf import GameWish, card_of, notations_of, portrait_key, shelf, wish_for
from gamemaster.web.site import Site

LARGEST_PAGE = 200_000


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> FastAPI:
    """A site with nothing but these pages."""
    settings = settings_for(str(tmp_path_factory.mktemp("site")))
    site = Site(settings)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        site.workers.open()
        yield
        site.store.close()

    made = FastAPI(lifespan=lifespan)
    made.state.site = site
    made.include_router(games.router)
    made.add_exception_handler(GamemasterError, told)
    return made


async def told(request: Request, error: Exception) -> Response:
    status = 404 if isinstance(error, UnknownGame) else 422
    return render(request, "error.html", status, title="Error", words=str(error))


@pytest.fixture(scope="module")
def client(app: FastAPI, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Somebody who asks it for pages; pictures are kept where nobody else's are."""
    cache = Cache(tmp_path_factory.mktemp("cache"))
    with pytest.MonkeyPatch.context() as patch, socket.socket() as line:
        patch.setattr(games, "Cache", lambda: cache)
        line.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="none"))
        thread = threading.Thread(target=server.run, args=([line],), daemon=True)
        thread.start()
        with Client(base_url=f"http://127.0.0.1:{line.getsockname()[1]}", timeout=120) as made:
            yield made
        server.should_exit = True
        thread.join(20)


def seen(page: str) -> list[str]:
    """The games in sight on a page of the gallery."""
    items = re.findall(r"<li data-words=[^>]*>\s*<a[^>]*>", page)
    return [
        re.findall(r'href="/games/(\w+)"', item)[0] for item in items if " hidden>" not in item.split("<a")[0]
    ]


# What is known of games without loading them


def test_cards_tell_the_kind_that_games_are() -> None:
    for card in shelf():
        kind = load(card.name, machine="reference").kind
        assert (card.players, card.has_chance, card.is_hidden) == (
            kind.players,
            kind.has_chance,
            kind.has_hidden_information,
        )


def test_cards_tell_who_moves_at_once() -> None:
    generator = random.Random(0)
    for card in shelf():
        state, is_seen = load(card.name, machine="reference").initial_state(), False
        for _ in range(4):
            if not state.is_over:
                choosers = [role for role in state.choosers if role != "random"]
                is_seen |= len(choosers) > 1
                state = state.next(state.random_moves(generator))
        assert card.is_simultaneous == is_seen, card.name


def test_every_card_says_what_the_game_is_about() -> None:
    assert {card.name for card in shelf()} == set(game_names())
    assert [card.name for card in shelf() if not card.aim or not card.title or not card.kind] == []


def test_a_wish_is_kept_to_what_there_is() -> None:
    assert wish_for("  Two\twords ", "", "", "", ()) == GameWish("Two words")
    assert card_of("chess").size == "large"
    assert not GameWish(size="small").fits(card_of("chess"))


# The gallery


def test_the_gallery_shows_all_games(client: Client) -> None:
    answer = client.get("/games")
    assert answer.status_code == 200
    assert sorted(seen(answer.text)) == list(game_names())
    assert f"{len(game_names())} games" in answer.text
    assert len(answer.content) < LARGEST_PAGE


def tagged(tags: str, kind: str = "", roles: int = 0) -> list[str]:
    """The games whose folders have these tags, a kind, and so many roles beside chance."""
    folders = map(entry, game_names())
    return [
        folder.name
        for folder in folders
        if {*filter(None, tags.split(", "))} <= {*folder.tags}
        and kind in ("", folder.kind)
        and roles in (0, len({*folder.roles} - {"random"}))
    ]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("q=hamilton", ["hamilton"]),
        ("q=KNIGHT&roles=1", ["hunter", "knightstour"]),
        ("chance=1", tagged("chance")),
        ("chance=1&kind=race", tagged("chance", "race")),
        ("chance=1&kind=tree", tagged("chance", "tree")),
        ("hidden=1", tagged("hidden information")),
        ("hidden=1&kind=cards", tagged("hidden information", "cards")),
        ("hidden=1&kind=guessing&q=number", ["higherlower"]),
        ("simultaneous=1", tagged("simultaneous moves")),
        ("simultaneous=1&roles=3", tagged("simultaneous moves", roles=3)),
        ("roles=4", tagged("", roles=4)),
        ("kind=race&q=runners", ["dicerace"]),
        ("kind=race&q=chess", []),
        ("roles=77", []),
    ],
)
def test_filters_work_without_javascript(client: Client, query: str, names: list[str]) -> None:
    page = client.get(f"/games?{query}").text
    assert sorted(seen(page)) == names
    assert f"{len(names)} of {len(game_names())} games" in page
    assert ("data-nothing hidden" in page) == bool(names)


def test_filters_leave_some_games_and_not_all() -> None:
    for tag, one in (
        ("chance", "dicerace"),
        ("hidden information", "kuhn"),
        ("simultaneous moves", "pennies"),
    ):
        assert one in tagged(tag)
        assert "chess" not in tagged(tag)


def test_what_was_asked_for_stays_in_the_form(client: Client) -> None:
    page = client.get("/games?q=%3Cscript%3E&kind=puzzle&roles=1&size=small&chance=1").text
    assert 'value="&lt;script&gt;"' in page
    assert "<script>" not in page
    for kept in (
        'value="puzzle" selected',
        'value="1" selected',
        'value="small" selected',
        'name="chance" value="1" checked',
    ):
        assert kept in page


@pytest.mark.parametrize("query", ["kind=nosuch", "size=huge", "roles=many", "roles=-1"])
def test_what_no_form_says_is_an_error_in_words(client: Client, query: str) -> None:
    answer = client.get(f"/games?{query}")
    assert answer.status_code == 422
    assert "See the games" in answer.text


# A picture


def test_a_picture_is_drawn_once_and_kept(
    app: FastAPI, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = client.get(f"/games/nim/board.svg?v={portrait_key('nim')}")
    assert first.headers["content-type"] == "image/svg+xml"
    assert "immutable" in first.headers["cache-control"]

    async def nobody(*_: object) -> None:
        raise AssertionError("drawn again")

    app.state.studied = games.Studied()  # as after a restart
    monkeypatch.setattr(app.state.site.workers, "quick", nobody)
    again = client.get("/games/nim/board.svg")
    assert again.content == first.content
    assert "immutable" not in again.headers["cache-control"]
    same = client.get("/games/nim/board.svg", headers={"if-none-match": first.headers["etag"]})
    assert (same.status_code, same.content) == (304, b"")


def test_a_variant_has_a_picture_of_its_own(client: Client) -> None:
    usual, other = (client.get(f"/games/{name}/board.svg") for name in ("connectfour", "connectfour:small"))
    assert usual.headers["etag"] != other.headers["etag"]
    assert usual.content != other.content


# A game


@pytest.mark.parametrize("name", game_names())
def test_the_page_of_a_game_is_complete_and_small(client: Client, name: str) -> None:
    answer = client.get(f"/games/{name}")
    assert answer.status_code == 200
    assert len(answer.content) < LARGEST_PAGE
    for address in (f"/standalone/{name}", f"/play?game={name}", f"/manager?game={name}"):
        assert f'href="{address}"' in answer.text
    assert len(re.findall("<h1", answer.text)) == 1
    assert 'id="L1"' in answer.text
    levels = [int(level) for level in re.findall(r"<h([1-6])", answer.text)]
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_ids_of_a_page_are_unique(client: Client) -> None:
    ids = re.findall(r'\bid="([^"]+)"', client.get("/games/connectfour").text)
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("name", ["tictactoe", "chess", "nim", "connectfour:small", "chess:kiwipete"])
def test_rules_are_shown_in_all_notations(client: Client, name: str) -> None:
    folder = entry(name.partition(":")[0])
    for notation in notations_of(folder.notation):  # type: ignore[arg-type]
        page, part = (
            client.get(f"/games/{name}?as={notation}"),
            client.get(f"/games/{name}/rules?as={notation}"),
        )
        assert page.status_code == part.status_code == 200
        assert part.text.strip().splitlines()[-1] in page.text
        assert re.search(rf'data-as="{notation}" aria-current="true"', page.text)
        assert len(page.content) < LARGEST_PAGE


def test_a_variant_is_chosen_by_a_form(client: Client) -> None:
    chosen = client.get("/games/connectfour?columns=7&rows=6")
    assert (chosen.status_code, chosen.headers["location"]) == (303, "/games/connectfour:columns=7")
    assert client.get("/games/connectfour:columns=8").headers["location"] == "/games/connectfour"
    page = client.get("/games/connectfour:columns=7").text
    assert "Connect Four (columns=7)" in page
    assert "<b class=r>columns</b>(<b class=n>7</b>)" in page
    assert re.search(r'name="columns"[^>]*value="7"', page)


def test_the_numbers_of_a_variant_with_facts_stay_with_it(client: Client) -> None:
    assert 'name="variant" value="hard"' in client.get("/games/eightpuzzle:hard").text
    chosen = client.get("/games/eightpuzzle?variant=hard&steps=40")
    assert chosen.headers["location"] == "/games/eightpuzzle:hard,steps=40"


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/games/nosuch", 404),
        ("/games/%2e%2e%2f%2e%2e%2fetc%2fpasswd", 404),
        ("/games/%00", 404),
        ("/games/" + "a" * 5_000, 404),
        ("/games/connectfour:nosuch", 404),
        ("/games/connectfour:columns=99", 422),
        ("/games/connectfour:columns=7,columns=7", 422),
        ("/games/connectfour?columns=<b>", 422),
        ("/games/connectfour?columns=99999999999999999999999", 422),
        ("/games/chess?as=epilog", 422),
        ("/games/chess?as=../../x", 422),
        ("/games/chess/rules?as=latin", 422),
        ("/games/nosuch/board.svg", 404),
        ("/games/nosuch/statistics.json", 404),
        ("/games/nosuch/analysis.json", 404),
        ("/games/tictactoe/statistics.json?playouts=0", 422),
        ("/games/tictactoe/statistics.json?playouts=1000001", 422),
        ("/games/tictactoe/statistics.json?playouts=many", 422),
    ],
)
def test_bad_addresses_are_told_so(client: Client, address: str, status: int) -> None:
    answer = client.get(address)
    assert answer.status_code == status
    assert "<b>" not in answer.text


# Figures


def test_statistics_come_as_numbers_and_as_a_piece_of_the_page(client: Client) -> None:
    found = client.get("/games/tictactoe/statistics.json?playouts=256").json()
    assert found["playouts"] == 256
    assert "±" in found["html"]
    assert found["html"].count("<svg") == 2
    more = client.get("/games/tictactoe/statistics.json?playouts=65536").json()
    assert more["playouts"] == 65_536
    assert (
        client.get("/games/tictactoe/statistics.json?playouts=256").json() == more
    )  # which is known already


def test_an_analysis_comes_so_too(client: Client) -> None:
    found = client.get("/games/tictactoe/analysis.json").json()
    assert {"what": "moves", "answer": "turn-taking", "sure": "proved", "which": ""} in found["rows"]
    assert "turn-taking" in found["html"]


def test_readers_without_javascript_get_the_same_figures(client: Client) -> None:
    page = client.get("/games/nim").text
    (link,) = set(re.findall(r'href="(/games/nim\?figures=1)#\w+"', page))
    full = client.get(link).text
    assert client.get("/games/nim/statistics.json?playouts=65536").json()["html"].strip() in full
    assert client.get("/games/nim/analysis.json").json()["html"].strip() in full
    assert len(full.encode()) < LARGEST_PAGE


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (Busy("too many are waiting"), 503, "too many are waiting"),
        (LimitExceeded("time", "9 s"), 422, "This game is too large for that: time limit of 9 s exceeded"),
    ],
)
def test_a_busy_server_says_so_in_words(
    app: FastAPI,
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
    error: GamemasterError,
    status: int,
    words: str,
) -> None:
    async def refuse(*_: object, **__: object) -> Plain:
        raise error

    monkeypatch.setattr(app.state.site.workers, "slow", refuse)
    for what in ("statistics.json", "analysis.json"):
        answer = client.get(f"/games/peg/{what}")
        assert (answer.status_code, answer.json()) == (status, {"error": words})
    assert client.get("/games/peg").status_code == 200


@pytest.mark.parametrize(
    ("mean", "margin", "told"),
    [
        (7.6259, 0.0026, "7.6259 ± 0.0026"),
        (55.3, 5.53, "55.3 ± 5.5"),
        (343.07, 13.1, "343 ± 13"),
        (19.0, 0.0, "19"),
        (345.0, None, "345, once"),
    ],
)
def test_figures_have_the_digits_that_are_known(mean: float, margin: float | None, told: str) -> None:
    assert games.figure(mean, margin) == told


def test_rates_are_told_for_people() -> None:
    assert [games.rate(each) for each in (0.0, 1_234.0, 9.8e6, 7.4e8, 1.2e9)] == [
        "0",
        "1,200",
        "9.8 million",
        "740 million",
        "1.2 billion",
    ]


def test_styles_and_modules_are_small() -> None:
    static = Path(games.__file__).parent.parent / "static"
    assert sum((static / name).stat().st_size for name in ("games.css", "games.js", "game.js")) < 30_000
