"""Judgement learnt by self-play, the alpha-beta that plays by it, and what is kept of it."""

from __future__ import annotations

import json
import math
import random
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.codegen.cache import Cache, pack, unpack
from gamemaster.draw.results import glance_in_words
from gamemaster.errors import Unsuitable
from gamemaster.language.infix import read_term
from gamemaster.language.terms import Term
from gamemaster.search.budget import Budget
from gamemaster.search.native.engine import Engine
from gamemaster.search.native.judgement import Judgement, new_judgement
from gamemaster.search.native.judging import Judging
from gamemaster.search.native.kernels.deliberation import MOST_MOVE
from gamemaster.search.native.knowledge import keep_judgement, kept_judgement
from gamemaster.search.native.self_play import learn_by_play
from gamemaster.search.native.solver import Solver
from gamemaster.search.native.trials import QuickGames, hold_trial
from gamemaster.search.native.warming import tiny_game, warm_up
from gamemaster.search.result import SearchResult
from gamemaster.terminal.thinking import Thinking, think_about
from tests.machine.sheets import MATCHING
from tests.search.readiness import make_ready

STUCK = """
role(a) role(b) init(s) legal(a,m) :- true(s) legal(b,m) :- true(s) next(t) :- true(s)
terminal :- true(never) next(never) :- true(never) goal(a,100) :- true(never) goal(a,0) :- true(s)
goal(b,0) :- true(never) goal(b,100) :- true(s)
"""


def engine_for(name: str) -> Engine:
    game = gm.load(name)
    assert game.compiled is not None
    make_ready(game)
    assert warm_up(None, ["judging"])
    return Engine(game.compiled)


@pytest.fixture(scope="module")
def engine() -> Engine:
    return engine_for("tictactoe")


@pytest.fixture(scope="module")
def judgement(engine: Engine) -> Judgement:
    return learn_by_play(engine, engine.game.initial_state(), None, seed=1, games=1_500)


def random_states(game: gm.Game, count: int, steps: int, seed: int = 0) -> list[gm.State]:
    generator = random.Random(seed)
    states: list[gm.State] = []
    while len(states) < count:
        state = game.initial_state()
        for _ in range(steps):
            if not state.is_terminal:
                state = state.next(state.random_moves(generator))
        if not state.is_terminal:
            states.append(state)
    return states


def test_it_learns_who_wins(engine: Engine, judgement: Judgement) -> None:
    assert judgement.games == 1_500
    assert judgement.states > 5_000
    assert [lesson.games for lesson in judgement.curve] == sorted(lesson.games for lesson in judgement.curve)
    assert judgement.explained > 0.01
    state = engine.game.initial_state()
    for move in ("mark(2,2)", "mark(1,2)", "mark(1,1)"):  # now x threatens to win
        state = state.next(move)
    assert judgement.value(engine, state, "x") > 60
    assert judgement.value(engine, state, "x") + judgement.value(engine, state, "o") == pytest.approx(100)


def test_the_same_games_teach_the_same(engine: Engine) -> None:
    start = engine.game.initial_state()
    first, second, other = (learn_by_play(engine, start, None, seed, games=60) for seed in (3, 3, 4))
    assert first.to_bytes() == second.to_bytes()
    assert first.to_bytes() != other.to_bytes()


def test_it_goes_on_from_what_is_known_and_leaves_that_alone(engine: Engine, judgement: Judgement) -> None:
    before = judgement.to_bytes()
    after = learn_by_play(engine, engine.game.initial_state(), None, seed=2, games=50, known=judgement)
    assert after.games == judgement.games + 50
    assert judgement.to_bytes() == before
    assert after.curve[: len(judgement.curve)] == judgement.curve


def test_it_is_bounded_by_time(engine: Engine) -> None:
    learnt = learn_by_play(engine, engine.game.initial_state(), 0.05)
    assert 0 <= learnt.games < 1_000_000


def test_it_takes_seconds_or_games(engine: Engine) -> None:
    with pytest.raises(Unsuitable, match="seconds, or a number of games"):
        learn_by_play(engine, engine.game.initial_state(), None)


def test_what_it_cannot_be_of_is_told() -> None:
    alone = gm.load("hunter").compiled
    assert alone is not None
    with pytest.raises(Unsuitable, match="two roles without chance"):
        new_judgement(Engine(alone))
    game = gm.parse(STUCK.replace("goal(a,100) :- true(never)", ""), dialect="hrf").compiled
    assert game is not None
    with pytest.raises(Unsuitable, match="nothing is at stake"):
        new_judgement(Engine(game))


def test_games_in_which_several_choose_are_not_learnt() -> None:
    game = gm.parse(MATCHING).compiled
    assert game is not None
    make_ready(game)
    with pytest.raises(Unsuitable, match="got stuck"):
        learn_by_play(Engine(game), game.initial_state(), None, games=10)


# What is kept


def test_it_is_kept_and_found(engine: Engine, judgement: Judgement, tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    assert kept_judgement(engine, cache) is None
    keep_judgement(engine, judgement, cache)
    found = kept_judgement(engine, cache)
    assert found is not None
    assert found.to_bytes() == judgement.to_bytes()
    other = engine_for("connectfour")
    assert kept_judgement(other, cache) is None


def test_a_file_cut_short_or_changed_is_as_if_there_were_none(
    engine: Engine, judgement: Judgement, tmp_path: Path
) -> None:
    cache = Cache(tmp_path)
    keep_judgement(engine, judgement, cache)
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    for damaged in (whole[:-100], whole[:200], b"", whole[:-1] + bytes([whole[-1] ^ 1])):
        path.write_bytes(damaged)
        assert kept_judgement(engine, cache) is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff" * 64,
        pack([], []),
        pack({"format": 1}, [b""] * 7),
        pack(
            {"format": 2, "side": 0, "goals": [0, 100], "swing": 1, "curve": [], "trial": [0, 0]}, [b""] * 7
        ),
    ],
)
def test_what_is_no_judgement_is_refused(engine: Engine, content: bytes) -> None:
    assert Judgement.from_bytes(content, engine) is None


def test_one_of_another_game_or_without_sense_is_refused(engine: Engine, judgement: Judgement) -> None:
    other = engine_for("connectfour")
    assert Judgement.from_bytes(judgement.to_bytes(), other) is None
    mad = judgement.copied()
    mad.net.columns[3, 3] = np.nan
    assert Judgement.from_bytes(mad.to_bytes(), engine) is None
    swapped = replace(judgement, net=judgement.net._replace(side=1))
    assert Judgement.from_bytes(swapped.to_bytes(), engine) is None
    mad.net.columns[3, 3] = 3e38
    assert Judgement.from_bytes(mad.to_bytes(), engine) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"swing": math.inf},
        {"swing": 0},
        {"swing": 10**30},
        {"games": -7},
        {"games": math.inf},
        {"trial": [math.nan, 8]},
        {"trial": [9.0, 8]},
        {"curve": [[1, math.nan]]},
        {"curve": [[math.inf, 1.0]]},
    ],
)
def test_one_whose_numbers_cannot_be_is_refused(
    engine: Engine, judgement: Judgement, wrong: dict[str, object]
) -> None:
    told, blobs = unpack(judgement.to_bytes())
    assert Judgement.from_bytes(pack(told, blobs), engine) is not None
    assert Judgement.from_bytes(pack({**told, **wrong}, blobs), engine) is None


def test_text_that_is_too_deep_is_refused(engine: Engine) -> None:
    text = b"[" * 200_000
    assert Judgement.from_bytes(len(text).to_bytes(8, "little") + text, engine) is None


# Searching


def test_wins_and_losses_are_those_of_the_solver(engine: Engine, judgement: Judgement) -> None:
    judging = Judging(engine, judgement, table_bits=12)
    for state in random_states(engine.game, 30, 4):
        role = state.chooser
        assert role is not None
        sure = Solver(engine, role).search(state, Budget())
        found = judging.search(state, role, Budget(), depth=9)
        assert found.is_proven == (sure.value in (0.0, 100.0))
        if found.is_proven:
            assert found.value == sure.value
        if sure.value == 100.0:
            assert found.move is not None
            after = state.next(found.move)
            other = next(each for each in engine.game.roles if each != role)
            assert after.is_terminal or Solver(engine, other).search(after, Budget()).value == 0.0


def test_the_nearest_win_is_taken(engine: Engine, judgement: Judgement) -> None:
    state = engine.game.initial_state()
    for move in ("mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)"):
        state = state.next(move)
    for depth in (1, 3, 5):
        found = Judging(engine, judgement, table_bits=8).search(state, "x", Budget(), depth=depth)
        assert str(found.move) == "mark(1,3)"
        assert (found.value, found.is_proven) == (100.0, True)


def test_a_table_kept_from_state_to_state_changes_no_proof(engine: Engine, judgement: Judgement) -> None:
    judging = Judging(engine, judgement, table_bits=6)  # many states share a place
    for state in random_states(engine.game, 20, 3, seed=5):
        role = state.chooser
        assert role is not None
        found = judging.search(state, role, Budget())
        sure = Solver(engine, role).search(state, Budget())
        assert not found.is_proven or found.value == sure.value


def test_it_stops_when_the_budget_is_spent(engine: Engine, judgement: Judgement) -> None:
    state = engine.game.initial_state()
    judging = Judging(engine, judgement)
    few = judging.search(state, "x", Budget(nodes=50))
    assert few.move in state.legal_moves("x")
    assert few.nodes <= 51
    assert few.line[0] == few.move
    none = judging.search(state, "x", Budget(nodes=0))
    assert none.move in state.legal_moves("x")
    assert judging.search(state, "o", Budget()).move is None  # who has nothing to choose
    judging.forget()
    assert not judging.desk.table.any()


def test_searches_are_reproducible(engine: Engine, judgement: Judgement) -> None:
    state = engine.game.initial_state()
    first, second = (Judging(engine, judgement).search(state, "x", Budget(nodes=200)) for _ in range(2))
    assert replace(first, seconds=0.0) == replace(second, seconds=0.0)


def test_more_moves_than_the_table_can_name_are_refused(
    engine: Engine, judgement: Judgement, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "terms", range(MOST_MOVE + 1))
    with pytest.raises(Unsuitable, match="more than the table can name"):
        Judging(engine, judgement, table_bits=4)


def test_several_who_choose_at_once_are_refused() -> None:
    game = gm.parse(MATCHING).compiled
    assert game is not None
    make_ready(game)
    engine = Engine(game)
    state = game.initial_state()
    with pytest.raises(Unsuitable, match="judging"):
        Judging(engine, new_judgement(engine), table_bits=4).search(state, game.roles[0], Budget(nodes=100))


def test_guesses_are_no_proofs(engine: Engine, judgement: Judgement) -> None:
    sure = judgement.copied()
    sure.net.start[0] = 1e6  # however sure it seems
    found = Judging(engine, sure, table_bits=8).search(engine.game.initial_state(), "x", Budget(), depth=2)
    assert not found.is_proven


def test_it_says_what_comes_from_judgement_and_what_from_search(engine: Engine, judgement: Judgement) -> None:
    state = engine.game.initial_state()
    found = Judging(engine, judgement, table_bits=8).search(state, "x", Budget(), depth=3)
    legal = state.legal_moves("x")
    assert found.glance == judgement.value(engine, state, "x")
    assert {*found.glances} == {*found.values} == {*legal}
    for move in legal:
        looks = judgement.value(engine, state.next(move), "x")
        assert found.glances[move] == pytest.approx(looks, abs=0.1)
    assert found.at_most == {*legal} - {found.move}
    assert {*found.values.values()} == {found.value}
    assert found.ranked[0] == found.move
    told = glance_in_words(found)
    assert told.startswith(
        f"looks worth {found.glance:.1f} at a glance (judgement), {found.value:.1f} after looking 3 plies"
    )
    rows = {row["move"]: row for row in found.to_dict()["moves"]}
    assert rows["mark(2,2)"]["glance"] == pytest.approx(found.glances[read_term("mark(2,2)")])
    assert found.to_dict()["glance"] == found.glance


def test_what_is_proven_owes_nothing_to_judgement(engine: Engine, judgement: Judgement) -> None:
    state = engine.game.initial_state()
    for move in ("mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)"):
        state = state.next(move)
    found = Judging(engine, judgement, table_bits=8).search(state, "x", Budget(), depth=3)
    assert found.glances[read_term("mark(1,3)")] == 100
    assert "is worth 100.0 (search: judgement has no part in that)" in glance_in_words(found)
    unsearched = Judging(engine, judgement, table_bits=8).search(state, "x", Budget(nodes=1))
    assert glance_in_words(replace(unsearched, depth=0, is_proven=False)).endswith(
        "nothing was searched beyond that"
    )
    assert glance_in_words(Solver(engine, "x").search(state, Budget())) == ""


def test_think_prints_it(
    engine: Engine, judgement: Judgement, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ask(who: str, question: Thinking) -> SearchResult:
        return Judging(engine, judgement, table_bits=8).search(
            question.state, question.role, question.budget, depth=2
        )

    monkeypatch.setattr("gamemaster.terminal.thinking._ask", ask)
    think_about("tictactoe", Budget(), state_file=None, role=None, who="egghead", seed=0, as_json=False)
    text = capsys.readouterr().out
    assert re.search(r"^move +value +at a glance +line$", text, re.MULTILINE)
    assert re.search(r"^mark\(\d,\d\) +≤ \d+\.\d +\d+\.\d$", text, re.MULTILINE)
    assert re.search(
        r"^looks worth [\d.]+ at a glance \(judgement\), [\d.]+ after looking 2 plies", text, re.MULTILINE
    )
    think_about("tictactoe", Budget(), state_file=None, role=None, who="egghead", seed=0, as_json=True)
    assert json.loads(capsys.readouterr().out)["glance"] == pytest.approx(
        judgement.value(engine, engine.game.initial_state(), "x")
    )


# Trials


def test_a_trial_stops_when_it_is_clear() -> None:
    _, start = tiny_game()
    game = start.game

    def knows(state: gm.State, role: str, seconds: float) -> Term | None:
        return Solver(tiny_game()[0], role).search(state, Budget(nodes=100)).move

    def first_move(state: gm.State, role: str, seconds: float) -> Term | None:
        return None

    trial = hold_trial(game, knows, first_move, 60.0, seed=1)
    assert trial.games >= 8
    assert trial.is_clear or trial.share == 0.5


def test_a_trial_without_time_says_nothing() -> None:
    game = gm.load("tictactoe")
    trial = hold_trial(game, lambda *_: None, lambda *_: None, 0.0)
    assert (trial.games, trial.share, trial.is_clear) == (0, 0.5, False)


def test_when_a_trial_is_clear() -> None:
    won, even = QuickGames(), QuickGames()
    for number in range(6):
        won.add(2.0)
        even.add(float(number % 2) * 2)
    assert won.is_clear
    assert won.share == 1.0
    assert not even.is_clear
    assert even.share == 0.5
