"""The picture of a game's balance: well-formed, told in words, in both themes, whatever the game is."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from gamemaster.arena.balance import Balance, StrongPlay
from gamemaster.draw.balance import draw_balance
from gamemaster.errors import ParameterError
from gamemaster.machine.statistics import stats_of
from gamemaster.metagame.random_games import Bar
from gamemaster.metagame.random_play import RandomPlay

SVG = "{http://www.w3.org/2000/svg}"


def balance(
    roles: tuple[str, ...], goals: list[tuple[int, ...]], lengths: list[int], *, is_strong: bool = True
) -> Balance:
    stats = stats_of(roles, roles[0] if len(roles) > 1 else None, goals, lengths, [False] * len(goals), 1.0)
    random = RandomPlay(stats, len(goals), 3.0, None, (Bar(1, 1, 3.0),), 4, (), (), 5, ())
    strong = StrongPlay(("mcts",) * len(roles), 0.1, stats, {}) if is_strong else None
    return Balance("game", "2 players", "compiled", random, strong)


TWO = balance(("white", "black"), [(100, 0), (0, 100), (100, 0), (50, 50)], [7, 9, 12, 12])


def texts(svg: str) -> list[str]:
    return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_each_role_has_a_row_with_its_mean_in_both_kinds_of_play() -> None:
    told = texts(draw_balance(TWO))
    assert told.count("62.5") == told.count("37.5") == 2
    assert {"white", "black", "goal", "steps", "4 random games", "4 matches of mcts"} <= set(told)
    assert {"7", "12"} <= set(told)


def test_without_strong_play_there_is_one_mark_a_role() -> None:
    root = ElementTree.fromstring(draw_balance(replace(TWO, strong=None)))
    assert len([*root.iter(f"{SVG}circle")]) == 3  # and one in the heading
    assert "matches" not in "".join(root.itertext())


def test_it_is_told_in_words() -> None:
    words = ElementTree.fromstring(draw_balance(TWO)).findtext(f"{SVG}desc", "")
    assert "In 4 random games: white 62.5 (" in words
    assert "matches of strong players" in words
    assert "10.0 steps" in words


def test_it_has_a_bar_for_lengths_and_a_mark_for_each_length_of_matches() -> None:
    root = ElementTree.fromstring(draw_balance(TWO))
    titles = [each.text for each in root.iter(f"{SVG}title")]
    assert "7 steps: 25.0 % of random games" in titles
    assert "2 matches of 12 steps" in titles
    assert "1 match of 9 steps" in titles


def test_it_has_both_themes_or_one() -> None:
    assert "prefers-color-scheme" in draw_balance(TWO)
    light, dark = (draw_balance(TWO, theme=theme) for theme in ("light", "dark"))
    assert "var(" not in light + dark
    assert light != dark
    with pytest.raises(ParameterError, match="no theme"):
        draw_balance(TWO, theme="pink")  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [1, 2, 5, 40])
def test_any_number_of_roles_can_be_drawn(count: int) -> None:
    roles = tuple(f"role <{number}> of a long name" for number in range(count))
    drawn = draw_balance(balance(roles, [tuple(range(count))] * 3, [0, 0, 1_000]))
    told = texts(drawn)
    assert ("and 28 more" in told) == (count == 40)
    assert not any("long name" in text for text in told)


def test_goals_beyond_the_usual_and_games_without_a_step() -> None:
    told = texts(draw_balance(balance(("r",), [(-20,), (400,)], [0, 0], is_strong=False)))
    assert {"-20", "400", "190.0", "0"} <= set(told)
