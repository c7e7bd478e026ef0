"""The Metagamers over HTTP: rules before and after, the gain, the file, and what nobody should ask for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

import pytest

from gamemaster.errors import LimitExceeded
from gamemaster.load import parse
from gamemaster.metagame.catalogue import TRANSFORMERS
from gamemaster.web import transforming
from gamemaster.web.pages.metagamers import TOLD, _likeness, _verdict
from gamemaster.web.transforming import played_gain, transformed
from tests.web.running import Visitor, running_site

SCRIPT = "<script>alert(1)</script>"
BAD = "/metagamers?game=badtictactoe&with=optimizer,pruner"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_site(tmp_path_factory.mktemp("site")) as site:
        yield site.address


@pytest.fixture
def visitor(address: str) -> Visitor:
    return Visitor(address)


def words(page: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", page))


def test_the_page_begins_with_a_game_that_gains(visitor: Visitor) -> None:
    page = visitor.get("/metagamers")
    assert page.status_code == 200
    assert "Tic-Tac-Toe, Badly Written" in page.text
    assert '<option value="optimizer" selected>' in page.text
    assert "7 gone" in page.text
    assert "legal(mark(M,N)) :- cell(J,K,Z) & cell(U,V,W) & cell(M,N,b)" in words(page.text)


def test_a_form_and_a_short_address_ask_for_the_same(visitor: Visitor) -> None:
    form = visitor.get("/metagamers?game=badtictactoe&with=optimizer&with=pruner&with=&with=")
    short = visitor.get(BAD)
    assert re.findall(r'class="both-row.*', form.text) == re.findall(r'class="both-row.*', short.text)
    assert len(re.findall(r'class="both-row', short.text)) == 35


def test_without_transformers_there_is_only_the_form(visitor: Visitor) -> None:
    page = visitor.get("/metagamers?game=chess")
    assert page.status_code == 200
    assert "both-row" not in page.text
    assert '<option value="chess" selected>' in page.text


def test_the_gain_is_on_the_page_that_is_asked_for_with_it(visitor: Visitor) -> None:
    page = visitor.get(f"{BAD}&gain=1").text
    told = words(page)
    assert re.search(r"[\d.]+ times as fast \(from [\d.]+ to [\d.]+\)", told)
    assert "legal moves, ends and goals were the same" in told
    assert "Gates when compiled" in told
    assert 'data-is-measured="yes"' in page


def test_the_gain_comes_in_stages(visitor: Visitor) -> None:
    first = visitor.client.get("/metagamers/gain.json?game=badtictactoe&with=optimizer&stage=0").json()
    last = visitor.client.get("/metagamers/gain.json?game=badtictactoe&with=optimizer&stage=3").json()
    assert first["compiled"] is None
    assert first["played"]["states"] < last["played"]["states"]
    assert last["compiled"][0]["gates"] >= last["compiled"][1]["gates"]
    assert "Gates when compiled" in last["html"]


def test_that_there_is_nothing_to_gain_is_said_at_once(visitor: Visitor) -> None:
    page = visitor.get("/metagamers?game=tictactoe&with=simplifier").text
    assert "Nothing to gain: these transformers leave the rules as they are." in page
    assert "Nothing changed" in page
    assert visitor.client.get("/metagamers/gain.json?game=tictactoe&with=simplifier").json()["played"] is None


def test_the_new_rules_are_a_file_that_plays(visitor: Visitor) -> None:
    answer = visitor.client.get("/metagamers/rules?game=badtictactoe&with=optimizer,pruner")
    assert (
        answer.headers["content-disposition"] == 'attachment; filename="badtictactoe-optimizer-pruner.epilog"'
    )
    assert answer.headers["content-type"].startswith("text/plain")
    assert parse(answer.text, "epilog", machine="reference").perft(2) == [9, 72]


def test_variants_can_be_transformed(visitor: Visitor) -> None:
    answer = visitor.client.get("/metagamers/rules?game=connectfour:columns=9&with=materializer")
    assert 'filename="connectfour-columns-9-materializer.epilog"' in answer.headers["content-disposition"]
    assert "columns(9)" in answer.text


def test_what_cannot_be_applied_is_said_at_the_form(visitor: Visitor) -> None:
    page = visitor.get("/metagamers?game=tictactoe&with=symbolizer")
    assert page.status_code == 422
    assert "ground them first" in page.text
    assert '<option value="symbolizer" selected>' in page.text
    assert visitor.client.get("/metagamers/gain.json?game=tictactoe&with=symbolizer").status_code == 422
    assert visitor.client.get("/metagamers/rules?game=tictactoe&with=symbolizer").status_code == 422


@pytest.mark.parametrize(
    ("query", "status"),
    [
        (f"game={SCRIPT}&with=optimizer", 404),
        ("game=../chess&with=optimizer", 404),
        ("game=@00000000000000000000&with=optimizer", 404),
        (f"game=tictactoe&with={SCRIPT}", 404),
        ("game=tictactoe&with=" + ",".join(["optimizer"] * 7), 422),
        ("game=tictactoe&with=" + "&with=".join(["pruner"] * 200), 422),
        ("game=tictactoe&with=optimizer&stage=99", 422),
        ("game=tictactoe&with=optimizer&stage=x", 422),
        ("with=optimizer", 422),
    ],
)
def test_what_there_is_not_is_refused(visitor: Visitor, query: str, status: int) -> None:
    answer = visitor.client.get(f"/metagamers/gain.json?{query}")
    assert answer.status_code == status
    assert answer.json()["error"]
    if "stage" not in query and not query.startswith("with"):
        page = visitor.client.get(f"/metagamers?{query}")
        assert page.status_code == status
        assert SCRIPT not in page.text
        assert visitor.client.get(f"/metagamers/rules?{query}").status_code == status


def test_the_page_of_a_game_leads_to_both(visitor: Visitor) -> None:
    page = visitor.get("/games/connectfour:columns=9").text
    assert 'href="/style?game=connectfour:columns=9"' in page
    assert 'href="/metagamers?game=connectfour:columns=9' in page


def test_the_new_rules_are_brought_to_the_editor_and_to_standalone(visitor: Visitor) -> None:
    visitor.get(BAD)
    wish = {"token": visitor.token, "game": "badtictactoe", "with": "optimizer,pruner"}
    edited = visitor.client.post("/metagamers", data={**wish, "do": "edit"})
    assert edited.status_code == 303
    assert re.fullmatch(r"/editor\?game=@[0-9a-f]{20}", edited.headers["location"])
    played = visitor.client.post("/metagamers", data={**wish, "do": "play"})
    name = played.headers["location"].rpartition("/")[2]
    assert visitor.get(f"/standalone/{name}").status_code == 200
    again = visitor.get(f"/metagamers?game={name}&with=optimizer,pruner,simplifier")
    assert again.status_code == 200
    assert "Badly Written (optimizer, pruner)" in again.text
    assert "Nothing to gain" in again.text
    gain = visitor.client.get(f"/metagamers/gain.json?game={name}&with=materializer&stage=3").json()
    assert gain["played"]["difference"] == ""


def test_a_style_that_the_new_rules_do_not_fit_is_left_behind(visitor: Visitor) -> None:
    visitor.get("/metagamers")
    wish = {"token": visitor.token, "game": "tictactoe", "with": "grounder,symbolizer", "do": "play"}
    answer = visitor.client.post("/metagamers", data=wish)
    assert answer.status_code == 303
    assert visitor.get(answer.headers["location"]).status_code == 200


def test_rules_that_are_too_long_for_a_sheet_are_not_brought(visitor: Visitor) -> None:
    visitor.get("/metagamers")
    wish = {"token": visitor.token, "game": "badtictactoe", "with": "grounder", "do": "edit"}
    answer = visitor.client.post("/metagamers", data=wish)
    assert answer.status_code == 422
    assert "200,000 are read" in answer.text
    assert '<option value="grounder" selected>' in answer.text


def test_a_form_of_somebody_else_brings_nothing(visitor: Visitor) -> None:
    visitor.get("/metagamers")
    wish = {"game": "tictactoe", "with": "grounder", "do": "edit"}
    assert visitor.client.post("/metagamers", data={**wish, "token": "0" * 64}).status_code == 403
    for change in ({"do": SCRIPT}, {"with": ""}, {"with": SCRIPT}, {"game": SCRIPT}):
        answer = visitor.client.post("/metagamers", data={**wish, "token": visitor.token, **change})
        assert answer.status_code in (404, 422)
        assert SCRIPT not in answer.text


# In a worker


def test_every_transformer_is_told_of() -> None:
    assert set(TOLD) == set(TRANSFORMERS)


def test_rules_beyond_all_bounds_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transforming, "LONGEST_RULES", 100)
    with pytest.raises(LimitExceeded, match="writing down the rules"):
        transformed("tictactoe", ("grounder",))


def test_rules_that_are_too_many_are_not_played(monkeypatch: pytest.MonkeyPatch) -> None:
    found = transformed("tictactoe", ("grounder",))
    monkeypatch.setattr(transforming, "MOST_SENTENCES", 10)
    assert played_gain("tictactoe", str(found["after"]), "epilog", ("grounder",), 0.1) is None


def test_what_is_measured_is_told_in_words() -> None:
    found: dict[str, object] = {"is_same": False}
    played: dict[str, object] = {
        "ratio": 1.0,
        "low": 0.9,
        "high": 1.1,
        "games": 0,
        "states": 3,
        "difference": "",
    }
    assert _verdict(found, None) == ""
    assert _verdict(found, played).startswith("No gain in random play that can be measured: 1.00")
    assert "slower: 0.50" in _verdict(found, {**played, "ratio": 0.5, "low": 0.4, "high": 0.6})
    assert "25 times as fast (from 20 to 30)" in _verdict(
        found, {**played, "ratio": 25.0, "low": 20.0, "high": 30.0}
    )
    assert _verdict(found, {**played, "low": None}) == "Too little was played to tell whether it is faster."
    assert "part of a random game, in 3 states" in _likeness(found, played)
    assert _likeness(found, {**played, "difference": "x"}) == "It is not the same game: x."
