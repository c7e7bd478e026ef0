"""Tuples of neighbouring cells: where the cells are, which lines share what they learn, and what is made of it."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.language.infix import read_term
from gamemaster.language.terms import Term
from gamemaster.machine.compiled import CompiledGame
from gamemaster.search.budget import Budget
from gamemaster.search.native import tuples
from gamemaster.search.native.engine import Engine
from gamemaster.search.native.judgement import Judgement, new_judgement
from gamemaster.search.native.judging import Judging
from gamemaster.search.native.kernels.records import Words
from gamemaster.search.native.self_play import DEEPER, PLAN, _plan_for, learn_by_play
from gamemaster.search.native.tuples import _made, _row, cells_of, shapes_grow, symmetries_of, tuples_of
from gamemaster.search.native.warming import warm_up
from gamemaster.search.native.worths import worths_in
from tests.search.readiness import make_ready


def compiled(name: str) -> CompiledGame:
    game = gm.load(name).compiled
    assert game is not None
    return game


def terms(*facts: str) -> list[Term]:
    return [read_term(fact) for fact in facts]


@pytest.fixture(scope="module")
def engine() -> Engine:
    game = compiled("connectfour:standard")
    make_ready(game)
    assert warm_up(None, ["judging"])
    return Engine(game)


@pytest.fixture(scope="module")
def judgement(engine: Engine) -> Judgement:
    """Every number of it is another."""
    made = new_judgement(engine, seed=3)
    generator = np.random.default_rng(3)
    for array in (made.net.columns, made.net.start, made.net.tables):
        array[:] = generator.standard_normal(array.shape) * 0.1
    return made


def random_rows(engine: Engine, games: int) -> Words:
    generator, rows = random.Random(5), []
    for _ in range(games):
        state = engine.game.initial_state()
        while not state.is_over:
            rows.append(engine.row_of(state))
            state = state.next(state.random_moves(generator))
    return np.array(rows)


def test_cells_have_two_coordinates() -> None:
    cells = cells_of(
        terms(*(f"cell({x},{y},{who})" for x in "abc" for y in range(1, 5) for who in ("w", "b")))
    )
    assert cells is not None
    assert (len(cells.contents), cells.corner, cells.bits) == (12, (2, 3), 2)
    assert sorted(cells.contents[0, 0]) == [0, 1]
    nested = cells_of(terms(*(f"at(king,cell({x},{y}))" for x in range(8, 12) for y in range(3))))
    assert nested is not None
    assert nested.corner == (3, 2)


@pytest.mark.parametrize(
    "facts",
    [
        [f"heap({n})" for n in range(20)],
        [f"cell({x},{y})" for x in range(2) for y in range(9)],  # too narrow
        [f"cell({x},{y})" for x in (1, 2, 4) for y in range(4)],  # a number is missing
        [f"cell({x},{y})" for x in "abc" for y in range(20)],  # far longer than wide
        [
            f"cell({x},{y},p{n})" for x in range(3) for y in range(3) for n in range(8)
        ],  # too much may stand there
    ],
)
def test_other_facts_are_no_board(facts: list[str]) -> None:
    assert cells_of(terms(*facts)) is None


def test_facts_that_speak_of_the_same_cells_are_of_one_board() -> None:
    board = [f"cell({x},{y},w)" for x in range(4) for y in range(4)]
    marks = [f"mark({x},{y})" for x in range(3) for y in range(3)]
    cells = cells_of(terms(*board, *marks))
    assert cells is not None
    assert (cells.bits, len(cells.contents[0, 0]), len(cells.contents[3, 3])) == (2, 2, 1)


@pytest.mark.parametrize(
    ("name", "turns"),
    [("othello:small", 7), ("connectfour", 1), ("breakthrough", 1), ("tictactoe", 7), ("hex", 1)],
)
def test_turns_of_the_board_that_change_nothing(name: str, turns: int) -> None:
    game = compiled(name)
    cells = cells_of(game.layout.facts)
    assert cells is not None
    assert len(symmetries_of(game, cells)) == turns


@pytest.mark.parametrize(
    ("name", "grows"),
    [
        ("connectfour", True),
        ("othello", True),
        ("hex7x7", True),
        ("breakthrough", False),
        ("skirmish", False),
    ],
)
def test_shapes_grow_where_nothing_is_taken_away(name: str, grows: bool) -> None:
    game = compiled(name)
    cells = cells_of(game.layout.facts)
    assert cells is not None
    assert shapes_grow(game, cells) == grows
    assert bool(len(tuples_of(game).first)) == grows


def test_a_board_of_too_many_lines_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    game = compiled("connectfour:small")
    assert len(_made(game).first) > 0
    monkeypatch.setattr(tuples, "MOST_LINES", 3)
    none = _made(game)
    assert (len(none.first), len(none.tables), len(none.part_start)) == (0, 0, len(game.layout.facts) + 1)


def test_a_line_and_its_mirror_image_share_a_table(engine: Engine, judgement: Judgement) -> None:
    made = tuples_of(engine.game)
    shared = len(set(made.first.tolist()))
    assert (len(made.first), shared) == (
        69,
        36,
    )  # the lines of four of a 6x7 board; three are their own image
    facts = engine.game.layout.facts
    net = judgement.net._replace(columns=np.zeros_like(judgement.net.columns))
    by_tables = replace(judgement, net=net)
    for row in random_rows(engine, 3):
        held = [str(facts[i]) for i in np.flatnonzero(bits(row)[: len(facts)])]
        there = engine.game.state([mirrored(fact) for fact in held])
        here = engine.game.state(held)
        assert by_tables.value(engine, here, "red") == pytest.approx(
            by_tables.value(engine, there, "red"), abs=0.1
        )


def mirrored(fact: str) -> str:
    term = read_term(fact)
    name, *rest = term if isinstance(term, tuple) else (str(term),)
    return f"cell({8 - int(str(rest[0]))},{rest[1]},{rest[2]})" if name == "cell" else fact


def bits(row: Words) -> np.ndarray:
    return np.unpackbits(row.view(np.uint8), bitorder="little").astype(bool)


def by_hand(judgement: Judgement, row: Words) -> float:
    """What a row is worth to the first role, 0 to 1, added up in plain Python."""
    net = judgement.net
    held = np.flatnonzero(bits(row) & bits(net.masks))
    units = net.start + net.columns[held].sum(axis=0)
    entries = np.zeros(len(net.first), np.int64)
    for fact in held:
        for part in range(net.part_start[fact], net.part_start[fact + 1]):
            entries[net.part_tuple[part]] += net.part_step[part]
    score = units[0] + sum(net.tables[start + entry] for start, entry in zip(net.first, entries, strict=True))
    score += sum(out * max(unit, unit / 8) for out, unit in zip(net.out[1:], units[1:], strict=True))
    return float(1 / (1 + np.exp(-score)))


def test_kernels_and_plain_python_agree(engine: Engine, judgement: Judgement) -> None:
    side = engine.game.roles[judgement.net.side]
    state, generator = engine.game.initial_state(), random.Random(1)
    while not state.is_over:
        assert judgement.value(engine, state, side) / 100 == pytest.approx(
            by_hand(judgement, engine.row_of(state)), abs=1e-3
        )
        mover = state.chooser
        assert mover is not None
        # these are carried from the state to those after it, and not added up
        glances = Judging(engine, judgement, table_bits=4).search(state, mover, Budget(nodes=50)).glances
        for move, glance in glances.items():
            after = state.next(move)
            own = by_hand(judgement, engine.row_of(after))
            if not after.is_over:
                assert glance / 100 == pytest.approx(own if mover == side else 1 - own, abs=2e-3)
        state = state.next(state.random_moves(generator))


def test_tables_learn_and_are_kept(engine: Engine) -> None:
    state = engine.game.initial_state()
    first, second = (learn_by_play(engine, state, None, seed=1, games=60) for _ in range(2))
    assert np.count_nonzero(first.net.tables) > 500
    assert (first.net.tables == second.net.tables).all()
    read = Judgement.from_bytes(first.to_bytes(), engine)
    assert read is not None
    assert (read.net.tables == first.net.tables).all()
    assert (read.slopes.tables == first.slopes.tables).all()


def test_a_fact_is_worth_what_tables_say_of_it(engine: Engine, judgement: Judgement) -> None:
    rows = random_rows(engine, 8)
    facts, pairs = worths_in(engine, judgement, rows)
    worth = max((each for each in facts if each.instead is None), key=lambda each: each.share)
    number = engine.game.layout.facts.index(worth.fact)
    gains = []
    for row in rows:
        if bits(row)[number]:
            without = row.copy()
            without[number // 64] &= ~np.uint64(1 << number % 64)
            gains.append(by_hand(judgement, row) - by_hand(judgement, without))
    assert worth.points == pytest.approx(100 * np.mean(gains), abs=1e-3)
    assert pairs


def test_a_pair_is_worth_what_a_table_sees_in_both(engine: Engine) -> None:
    made = new_judgement(engine)
    for array in (made.net.columns, made.net.start, made.net.out):
        array[:] = 0
    made.net.out[0] = 1
    both = [engine.game.layout.facts.index(read_term(fact)) for fact in ("cell(3,1,red)", "cell(4,1,red)")]
    parts = [
        {made.net.part_tuple[i]: made.net.part_step[i] for i in range(*made.net.part_start[[fact, fact + 1]])}
        for fact in both
    ]
    line = min(set(parts[0]) & set(parts[1]))
    made.net.tables[made.net.first[line] + parts[0][line] + parts[1][line]] = 1.0
    some = [["cell(3,1,red)", "cell(4,1,red)"], ["cell(3,1,red)"], ["cell(4,1,red)"], []]
    rows = np.array([engine.row_of(engine.game.state(["control(red)", *facts])) for facts in some])
    _, (pair,) = worths_in(engine, made, rows.repeat(10, axis=0))
    assert {str(fact) for fact in pair.facts} == {*some[0]}
    share = 1 / (1 + np.exp(-1.0))
    assert pair.points == pytest.approx(100 * share * (1 - share), abs=1e-3)


@pytest.mark.parametrize(
    "names", [["1", "2", "3", "01", "05"], ["1", "٢", "3"], ["1" * 5_000, "2", "3"], ["é", "ê", "ë"]]
)
def test_what_is_no_row_of_names(names: list[str]) -> None:
    assert _row(names) == []


def test_a_board_without_an_end_is_learnt_from_all_the_same() -> None:
    """Cells are filled, and then nobody chooses: looking for how to learn must end, whatever random games do."""
    rules = (
        "role(x) role(o) index(1) index(2) index(3) index(4) init(control(x))\n"
        "legal(W,mark(X,Y)) :- true(control(W)) & index(X) & index(Y) & ~filled(X,Y)\n"
        "legal(W,noop) :- role(W) & ~true(control(W))\n"
        "legal(W,noop) :- true(control(W)) & ~open\n"
        "filled(X,Y) :- true(cell(X,Y,W)) open :- index(X) & index(Y) & ~filled(X,Y)\n"
        "next(cell(X,Y,W)) :- does(W,mark(X,Y))\nnext(cell(X,Y,W)) :- true(cell(X,Y,W))\n"
        "next(control(o)) :- true(control(x)) next(control(x)) :- true(control(o))\n"
        "terminal :- true(cell(1,1,W)) & true(cell(4,4,W)) & true(cell(1,4,W))\n"
        "goal(W,100) :- true(cell(1,1,W)) & true(cell(4,4,W)) & true(cell(1,4,W))\n"
        "goal(W,0) :- role(W) & ~goal(W,100)\n"
    )
    game = gm.parse(rules, dialect="hrf", machine="compiled").compiled
    assert game is not None
    assert _plan_for(new_judgement(Engine(game)), Engine(game), 0) in (PLAN, DEEPER)
