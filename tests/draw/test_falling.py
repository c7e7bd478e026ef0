"""The picture of how exploitability fell: well-formed, told in words, in both themes, also where it is 0 at once."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import gamemaster as gm
from gamemaster.draw.falling import draw_falling
from gamemaster.errors import ParameterError
from gamemaster.solving.equilibrium.solver import Aim, solve_equilibrium
from tests.solving.equilibrium.sheets import FORK

SVG = "{http://www.w3.org/2000/svg}"


def test_it_falls_from_the_left_to_the_right() -> None:
    found = solve_equilibrium(gm.load("pennies:uneven"), aim=Aim(0.5, seconds=None))
    root = ElementTree.fromstring(draw_falling(found, theme="light"))
    line = next(each for each in root.iter(f"{SVG}path") if each.get("d", "").startswith("M66"))
    places = [tuple(map(float, pair.split())) for pair in line.get("d", "")[1:].split("L")]
    assert len(places) == len(found.curve) - 1
    assert places == sorted(places, key=lambda place: place[0])
    assert places[-1][1] > places[0][1]
    told = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    assert {"iterations", "1", "10", "pennies:uneven: exploitability in goals, by cfr+"} <= set(told)
    assert f"{found.iterations} iterations of cfr+" in root.findtext(f"{SVG}desc", "")


@pytest.mark.parametrize("game", [gm.load("pennies"), gm.parse(FORK)], ids=str)
def test_what_is_exact_at_once_is_a_dot(game: gm.Game) -> None:
    found = solve_equilibrium(game)
    root = ElementTree.fromstring(draw_falling(found))
    assert len([*root.iter(f"{SVG}circle")]) == 1


def test_a_theme_that_there_is_not_is_refused() -> None:
    with pytest.raises(ParameterError, match="is no theme"):
        draw_falling(solve_equilibrium(gm.parse(FORK)), theme="pink")  # type: ignore[arg-type]
