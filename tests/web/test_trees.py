"""The page of trees over HTTP: examples and games, any step by its address, and what nobody should ask for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

import pytest

from gamemaster.errors import LimitExceeded, Unsuitable
from gamemaster.search.tracing.shelf import EXAMPLES
from gamemaster.web import tracing
from gamemaster.web.tracing import traced_step
from tests.web.running import Visitor, running_site


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_site(tmp_path_factory.mktemp("site")) as site:
        yield site.address


@pytest.fixture
def visitor(address: str) -> Visitor:
    return Visitor(address)


def words(page: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", page))


def test_the_page_begins_with_aimas_tree_at_its_end(visitor: Visitor) -> None:
    page = visitor.get("/trees")
    assert page.status_code == 200
    assert '<option value="aima" selected>' in page.text
    told = words(page.text)
    assert "Step 22 of 22" in told
    assert "unvisited: a22 of C, a23 of C" in told
    assert 'data-node="12"' in page.text


def test_a_step_is_an_address(visitor: Visitor) -> None:
    page = visitor.get("/trees?of=aima&step=12").text
    assert "Step 12 of 22" in words(page)
    assert "The rest of C is cut: 2 <= 3, which is alpha." in words(page)
    assert 'href="/trees?of=aima&amp;step=11">Back' in page
    assert 'href="/trees?of=aima&amp;step=13">Forward' in page
    beyond = visitor.get("/trees?of=aima&step=99999").text
    assert "Step 22 of 22" in words(beyond)


def test_all_steps_are_links_in_words(visitor: Visitor) -> None:
    page = visitor.get("/trees?of=labelled").text
    assert len(re.findall(r'<a data-step="', page)) == 30
    assert "The rest of E is cut: 7 >= 5, which is beta. L stays unvisited." in words(page)


def test_an_algorithm_and_a_depth_can_be_chosen(visitor: Visitor) -> None:
    page = visitor.get("/trees?of=horizon&algorithm=alphabeta&depth=5").text
    assert "Alpha-beta: A is worth -9" in words(page)
    assert '<option value="5" selected>' in page
    assert '<option value="alphabeta" selected>' in page
    usual = visitor.get("/trees?of=horizon&algorithm=&depth=").text
    assert "Minimax: A is worth -1" in words(usual)


def test_a_game_of_the_library_has_a_tree(visitor: Visitor) -> None:
    page = visitor.get("/trees?of=tictactoe&depth=1").text
    assert "tictactoe, 1 step ahead" in words(page)
    assert "data-cell" in page
    assert 'href="/games/tictactoe"' in page


def test_a_step_alone_is_json(visitor: Visitor) -> None:
    answer = visitor.get("/trees/step.json?of=aima&step=4")
    found = answer.json()
    assert {key: found[key] for key in ("step", "last", "words")} == {
        "step": 4,
        "last": 22,
        "words": "beta becomes 3 at B, by a11 of B.",
    }
    assert found["svg"].startswith("<svg")


@pytest.mark.parametrize(
    ("query", "status", "message"),
    [
        ("of=nothing", 404, "there is no game 'nothing' here"),
        ("of=../../etc/passwd", 404, "there is no game"),
        ("of=aima&algorithm=magic", 404, "no algorithm 'magic' for trees"),
        ("of=coin&algorithm=minimax", 422, "minimax cannot search a tree with chance nodes"),
        ("of=roshambo", 422, "needs one role at a time to choose"),
        ("of=tictactoe&depth=3", 422, "nodes limit of 400 exceeded"),
        ("of=aima&step=-1", 422, ""),
        ("of=aima&step=x", 422, ""),
        ("of=<script>alert(1)</script>", 404, ""),
    ],
)
def test_what_cannot_be_shown_is_said(visitor: Visitor, query: str, status: int, message: str) -> None:
    page, step = visitor.get(f"/trees?{query}"), visitor.get(f"/trees/step.json?{query}")
    assert page.status_code == step.status_code == status
    assert message in words(page.text)
    assert "<script>alert" not in page.text


def test_a_depth_that_is_none_is_as_if_nobody_had_said_one(visitor: Visitor) -> None:
    for depth in ("0", "7", "x", "²", "-1"):
        assert "Step 22 of 22" in words(visitor.get(f"/trees?of=aima&depth={depth}").text)


def test_the_page_is_linked_from_games_and_from_about(visitor: Visitor) -> None:
    assert 'href="/trees?of=tictactoe"' in visitor.get("/games/tictactoe").text
    for path in ("/", "/about", "/resources"):
        assert 'href="/trees"' in visitor.get(path).text


# In the other process


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_drawn_at_its_first_and_last_step(name: str) -> None:
    last = traced_step(name, "", None, None)
    assert last["step"] == last["last"]
    assert traced_step(name, "", None, 0)["step"] == 0


def test_searches_of_too_many_steps_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "MOST_TOLD", 5)
    with pytest.raises(LimitExceeded, match="steps limit of 5 exceeded showing the search: look less deep"):
        traced_step("aima", "", None, None)


def test_a_game_that_has_no_tree_is_refused_there() -> None:
    with pytest.raises(Unsuitable, match="choose at once"):
        traced_step("roshambo", "", None, None)
