"""Notebooks: what shows itself there, and that nothing of strangers runs."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import gamemaster as gm
from gamemaster.bridges import notebook
from gamemaster.bridges.notebook import html_of
from gamemaster.draw import animation
from gamemaster.machine.showing import Shown
from gamemaster.match.events import Ended
from gamemaster.match.records.record import Record
from gamemaster.match.records.replay import Replay
from gamemaster.match.result import MatchResult
from gamemaster.search.result import SearchResult
from tests.bridges.strangers import EVIL, Outline, hostile_game

PAGE = Path(__file__).parent.parent.parent / "docs" / "bridges.md"


@pytest.fixture(scope="module")
def game() -> gm.Game:
    return gm.load("tictactoe")


@pytest.fixture(scope="module")
def match() -> MatchResult:
    return gm.match("tictactoe", ["alphabeta(depth=2)", "random"], start_clock=60, play_clock=60, seed=1)


def seen(what: Shown) -> Outline:
    """What a notebook shows, which is well-formed and runs nothing."""
    text = what._repr_html_()
    assert text is not None
    page = Outline(text)
    assert (page.scripts, page.handlers) == (0, [])
    return page


# What shows itself


def test_a_search_shows_its_board_and_what_each_move_is_worth(game: gm.Game) -> None:
    state = game.initial_state().next("mark(2,2)").next("mark(1,2)")
    result = gm.search(state, algorithm="alphabeta")
    page = seen(result)
    assert result.state is state
    assert f"x: {result.move}, proven value 100.0, by alphabeta" in page.words
    assert all(str(move) in page.words for move in result.values)
    assert f"expected: {result.move}" in page.words
    assert f"depth {result.depth}" in page.words
    text = result._repr_html_() or ""
    assert text.count("width:100%") == sum(value == 100 for value in result.values.values())


def test_a_search_by_a_player_knows_its_state(game: gm.Game) -> None:
    result = gm.search(game, algorithm="onestep")
    assert result.state == game.initial_state()
    assert "<svg" in (result._repr_html_() or "")


def test_a_result_is_shown_without_its_state_and_with_all_that_is_said_of_moves() -> None:
    a, b, c, d = (gm.Symbol(each) for each in "abcd")
    values: dict[gm.Term, float] = {a: 250.0, b: -50.0, c: 3.0, d: float("inf")}
    result = SearchResult(
        "some",
        "x",
        a,
        250.0,
        values,
        {a: 1234},
        line=(a, b),
        at_most=frozenset({b}),
        ends=frozenset({c}),
        notes="said\nand done",
        playouts=1234,
    )
    page = seen(result)
    assert [word for word in ("≤ -50.0", "loss", "1,234", "said", "and done") if word not in page.words] == []
    assert "<svg" not in (result._repr_html_() or "")
    many: dict[gm.Term, float] = {gm.Symbol(f"m{number}"): 1.0 for number in range(20)}
    assert "and 8 more moves" in seen(SearchResult("some", "x", None, 1.0, many)).words


def test_equal_results_stay_equal_wherever_they_were_searched(game: gm.Game) -> None:
    one = SearchResult("some", "x", None, 1.0, state=game.initial_state())
    assert one == SearchResult("some", "x", None, 1.0)
    assert "state" not in one.to_dict()


def test_a_match_shows_its_animation_its_players_and_its_moves(match: MatchResult) -> None:
    page = seen(match)
    assert str(match) in page.words
    assert "@keyframes" in (match._repr_html_() or "")
    told = [f"{role}: {move}" for moves in match.moves for role, move in moves.items() if move != "noop"]
    assert [each for each in told if each not in page.words] == []
    assert "What the players expected" in page.words
    assert seen(match.record).words.count("mark(") == seen(Replay.of(match.record)).words.count("mark(")


def test_a_match_says_what_went_wrong() -> None:
    faulty = gm.match("tictactoe", ["dumbo", "legal"], start_clock=60, play_clock=60, seed=1)
    page = seen(faulty)
    assert "step 1, x: illegal" in page.words
    assert "(at random, by the referee)" in page.words


def test_records_of_any_length_are_shown(match: MatchResult) -> None:
    started = Record(match.record.events[:1])
    assert "not over, 0 steps" in seen(started).words
    open_end = Record(tuple(event for event in match.record.events if not isinstance(event, Ended)))
    assert f"not over, {len(match.moves)} steps" in seen(open_end).words


def test_of_a_long_match_the_last_steps_move(match: MatchResult, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "MOST_STEPS", 3)
    assert "the last 3 states are shown" in seen(match).words


def test_what_is_too_large_to_move_stands_still(match: MatchResult, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(animation, "LARGEST", 10)
    assert "@keyframes" not in (match._repr_html_() or "")
    assert "<svg" in (match._repr_html_() or "")


def test_a_game_shows_where_it_starts_and_its_rules(game: gm.Game) -> None:
    page = seen(game)
    assert "tictactoe: x, o" in page.words
    assert "legal moves at the start: x 9" in page.words
    assert "Two players take turns" in page.words


def test_statistics_show_a_bar_for_each_role(game: gm.Game) -> None:
    page = seen(game.playouts(count=50))
    assert "50 random games" in page.words
    assert re.search(r"x\s[0-9.]+ \([0-9.]+ to [0-9.]+\)o\s[0-9.]+ \(", page.words)
    by_hand = seen(gm.PlayoutStats(5, 9, 0.0, 1.8, (50.0,), cut=3))
    assert "3 of them were cut" in by_hand.words
    assert "role 1" in by_hand.words


def test_what_is_nothing_of_ours_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert html_of(Shown()) is None
    monkeypatch.setattr(Shown, "_show", None)
    assert Shown()._repr_html_() is None


def test_everything_that_can_be_shown_is_listed() -> None:
    assert set(notebook.SHOWS) == {SearchResult, MatchResult, Replay, Record, gm.PlayoutStats, gm.Game}
    assert all(issubclass(kind, Shown) for kind in notebook.SHOWS)


# Strangers


@pytest.fixture(scope="module")
def hostile() -> gm.Game:
    return hostile_game()


def test_hostile_names_do_not_run_in_a_notebook(hostile: gm.Game) -> None:
    assert EVIL in "".join(map(str, hostile.initial_state().facts))
    role = hostile.roles[0]
    seen(hostile)
    seen(gm.search(hostile.initial_state(), role, "mcs", seconds=0.05))
    seen(SearchResult(EVIL, EVIL, gm.Symbol(EVIL), 1.0, {gm.Symbol(EVIL): 1.0}, notes=EVIL))
    result = gm.match(hostile, ["random", "random"], start_clock=60, play_clock=60)
    seen(result)
    seen(result.record)


# The page


@pytest.mark.parametrize("title", ["python-chess", "Notebooks"])
def test_the_examples_of_the_page_are_true(title: str) -> None:
    section = PAGE.read_text().partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    example = doctest.DocTestParser().get_doctest(section, {}, title, str(PAGE), 0)
    told: list[str] = []
    assert doctest.DocTestRunner().run(example, out=told.append).attempted > 6
    assert told == []
