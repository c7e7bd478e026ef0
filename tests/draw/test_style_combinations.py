"""Every kind of board with every layout and every key that changes it: what a style may say can be drawn."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest

import gamemaster as gm
from gamemaster.draw.model import PanelKind
from gamemaster.draw.styles import chosen
from gamemaster.draw.styles.style_file import read_style
from gamemaster.draw.svg import draw_svg
from gamemaster.draw.text import draw_text
from gamemaster.errors import ReadError
from gamemaster.language.source import Source

GAME = gm.parse(
    """
role(red) role(blue)
n(1) n(2) n(3)
road(a,b) road(b,c)
beside(1,1,1,2) beside(1,2,1,3)
given(1,1) given(3,2)
base(cell(X,Y,Z)) :- n(X) & n(Y) & what(Z)
what(empty) what(red) what(blue)
init(cell(X,Y,empty)) :- n(X) & n(Y)
init(at(a,red)) init(at(c,blue))
init(heap(left,3)) init(heap(right,5)) init(heap(middle,0))
init(pot(4))
init(many(1,1,1,x)) init(many(2,1,2,x))
init(lamp) init(bulb)
legal(R,noop) :- role(R)
next(lamp) :- true(lamp)
next(gone(X,Y)) :- true(gone(X,Y))
next(lost(X,Y,Z)) :- true(lost(X,Y,Z))
""",
    "hrf",
    machine="reference",
)
LAYOUTS = [
    *(f'relation = "{name}"' for name in ("cell", "at", "heap", "pot", "gone", "lost")),
    'relation = "cell"\nrow = 2\ncolumn = 1\nup = true',
    'relation = "cell"\nrow = 1',
    'relation = "cell"\nplace = 1',
    'relation = "lost"\nrow = 1\ncolumn = 2',
    'relation = "lost"\nplace = 1',
    'relation = "heap"\ncolumn = 1',
    'relation = "heap"\nplace = 1\ncount = 2',
    'relation = "many"\nindex = 1\nrow = 2\ncolumn = 3',
    'relation = "many"\nindex = 1\nplace = 2\ncount = 3',
    'facts = ["lamp", "bulb"]',
]
EXTRAS = [
    "",
    'sides = {top = "role 1", left = "blue"}',
    "blocks = 2",
    'lines = "orthogonal"',
    'lines = "alquerque"',
    'lines = "road"',
    'lines = "beside"',
    "stars = true",
    'areas = {given = "dark"}',
    'rows = ["2", "1"]\ncheckered = true',
    "places = {a = [0, 0], b = [1, 0], c = [1, 1]}",
    'slant = "centred"\nlook = "holes"',
    'labels = "letters"\nslant = "odd"',
]


@pytest.mark.parametrize(("kind", "layout"), list(product(get_args(PanelKind), LAYOUTS)))
def test_what_a_style_may_say_is_drawn(kind: str, layout: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for extra in EXTRAS:
        text = f'[[board]]\n{layout}\nkind = "{kind}"\n{extra}'
        try:
            style = read_style(Source("style.toml", text), GAME)
        except ReadError:
            continue
        monkeypatch.setitem(chosen._known, GAME, style)
        for state in (GAME.initial_state(), GAME.state(["gone(1,2)", "lost(a,1,2)"])):
            assert draw_svg(state).endswith("</svg>"), text
            assert draw_text(state), text
