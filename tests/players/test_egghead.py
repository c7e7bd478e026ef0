"""Egghead: every kind of game gets a mind that suits it, and says what it found out."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import ref

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.codegen.cache import Cache
from gamemaster.language.infix import read_term
from gamemaster.language.terms import Symbol, Term
from gamemaster.machine.compiled import CompiledState
from gamemaster.players.egghead import Egghead, _with_puzzle_of
from gamemaster.players.forest import Forest, merged
from gamemaster.players.judged import KIND, TriedJudgement, judge
from gamemaster.players.minds import Joint, PlainUct
from gamemaster.players.puzzling import Puzzle
from gamemaster.search.budget import Budget
from gamemaster.search.native.engine import Engine
from gamemaster.search.native.judgement import new_judgement
from gamemaster.search.native.judging import Judging
from gamemaster.search.native.kernels.joint_records import NODES_FILLED
from gamemaster.search.native.knowledge import keep_judgement
from gamemaster.search.native.learning import Learnt, learn
from gamemaster.search.native.self_play import learn_by_play
from gamemaster.search.native.tuning import SETTINGS, Tuning
from gamemaster.search.native.warming import tiny_game, warm_up
from gamemaster.search.playouts.decoupled import new_lanes
from gamemaster.search.result import SearchResult
from tests.machine.sheets import MATCHING
from tests.players import sheets
from tests.search.puzzles import LADDER
from tests.search.readiness import make_ready

CHANCE = """
role(a) role(random) init(turn(a)) face(1) face(2)
legal(a,bet(X)) :- true(turn(a)) & face(X)
legal(a,wait) :- ~true(turn(a))
legal(random,roll(X)) :- true(turn(random)) & face(X)
legal(random,wait) :- ~true(turn(random))
next(turn(random)) :- true(turn(a))
next(bet(X)) :- does(a,bet(X))
next(bet(X)) :- true(bet(X))
next(rolled(X)) :- does(random,roll(X))
terminal :- true(rolled(1))
terminal :- true(rolled(2))
goal(a,100) :- true(bet(X)) & true(rolled(X))
goal(a,30) :- true(bet(1)) & true(rolled(2))
goal(a,0) :- true(bet(2)) & true(rolled(1))
goal(random,0)
"""


BOTH_AND_CHANCE = """
role(a) role(b) role(random) init(s) side(1) side(2)
legal(R,S) :- true(s) & role(R) & side(S)
next(made(R,S)) :- does(R,S)
terminal :- true(made(a,S))
goal(a,100) :- true(made(a,S)) & true(made(b,S))
goal(a,0) :- true(made(a,S)) & true(made(b,T)) & distinct(S,T)
goal(b,50)
goal(random,0)
"""


@pytest.fixture
def too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """No game is small enough for an equilibrium."""
    monkeypatch.setattr("gamemaster.solving.equilibrium.solver.equilibrium_for", lambda *_: None)


def started(game: gm.Game, role: str, startclock: float = 1.0, playclock: float = 0.5) -> Egghead:
    make_ready(game)  # compiling is not what is tested
    player = Egghead(seed=1, threads=2)
    player.start(role, game, startclock, playclock)
    return player


def test_a_small_game_is_solved() -> None:
    player = started(gm.load("tictactoe"), "x", startclock=20.0)
    move = player.play(None)
    assert move in player.state.legal_moves("x")
    assert player.last_result is not None
    assert player.last_result.is_proven
    assert player.last_result.value == 50


def test_two_trees_are_grown_together() -> None:
    game = gm.load("connectfour")
    player = started(game, "red", 1.0, 0.5)
    assert isinstance(player._minds[0], Forest)
    move = player.play(None)
    assert move in game.initial_state().legal_moves("red")
    result = player.last_result
    assert result is not None
    assert result.algorithm == "egghead (mcts)"
    assert sum(result.visits.values()) > 100
    follow = player.play({"red": move} if isinstance(move, str) else move)
    assert follow is False or follow in player.state.legal_moves("red")


@pytest.mark.parametrize(
    "budget",
    [Budget(600.0, nodes=10), Budget(600.0, nodes=5_000), Budget(600.0, playouts=300), Budget(nodes=1)],
    ids=str,
)
def test_limits_of_states_and_random_games_hold(budget: Budget, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gamemaster.players.forest.PROBE_SHARE", 0.2)  # 5,000 are enough to ask alpha-beta
    searched: list[int] = []
    player = started(gm.load("connectfour"), "red", 0.1, 0.1)
    (forest,) = (mind for mind in player._minds if isinstance(mind, Forest))
    assert forest.solver is not None
    search = forest.solver.search

    def counted(*arguments: Any) -> SearchResult:
        found = search(*arguments)
        searched.append(found.nodes)
        return found

    monkeypatch.setattr(forest.solver, "search", counted)
    if budget.playouts is not None:
        monkeypatch.setattr(forest, "solver", None)  # it makes none, and would take its share of the time
    player.think(player.game.initial_state(), budget)
    result = player.last_result
    assert result is not None
    assert result.algorithm == "egghead (mcts)"
    assert bool(searched) == (budget.nodes == 5_000)
    if budget.playouts is not None:
        assert 250 <= result.playouts <= 310
    if budget.nodes is not None:
        assert 0 < sum(searched) + result.nodes <= budget.nodes * 1.1 + 1


@pytest.mark.parametrize(
    ("name", "best"),
    [("buttonsandlights", 100), ("jointbuttonsandlights", 100), ("hunter", 100), ("hamilton", 100)],
)
def test_puzzles_are_played_to_their_best(name: str, best: int) -> None:
    game = gm.load(name)
    player = started(game, "robot", 60.0, 1.0)
    assert isinstance(player._minds[0], Puzzle)
    state, move = game.initial_state(), None
    while not state.is_terminal:
        move = player.play(move)
        assert move is not False
        state = state.next(move)
    assert state.goal("robot") == best


@pytest.mark.usefixtures("too_large")
def test_simultaneous_moves() -> None:
    game = gm.parse(MATCHING)
    player = started(game, game.roles[0])
    assert player.play(None) in game.initial_state().legal_moves(game.roles[0])
    assert player.last_result is not None
    assert "decoupled" in player.last_result.algorithm


@pytest.mark.usefixtures("too_large")
@pytest.mark.parametrize(("name", "role"), [("tron", "red"), ("goofspiel:cards=6", "alice")])
def test_simultaneous_moves_are_searched_from_the_start_clock_on(name: str, role: str) -> None:
    game = gm.load(name)
    assert new_lanes(game) is not None  # compiled
    player = started(game, role, 1.5)
    mind = player._minds[-1]
    assert isinstance(mind, Joint)
    assert mind.graphs is not None
    assert len(mind.graphs.graphs) == 2
    assert all(graph.tree.counts[NODES_FILLED] > 100 for graph in mind.graphs.graphs)
    state = game.initial_state()
    while len(state.choosers) < 2:
        state = state.next(state.random_moves(random.Random(1)))
    known = sum(sum(graph.views(state)[role].tries) for graph in mind.graphs.graphs)
    found = mind.think(state, Budget(seconds=0.2))
    assert sum(found.visits.values()) == known + found.playouts
    assert known > 100
    assert 200 <= mind.think(state, Budget(600.0, nodes=200)).nodes <= 300
    assert 200 <= mind.think(state, Budget(playouts=200)).playouts <= 300


@pytest.mark.usefixtures("too_large")
def test_chance() -> None:
    player = started(gm.parse(CHANCE, dialect="hrf"), "a")
    assert isinstance(player._minds[1], Forest)
    assert str(player.play(None)) == "bet(1)"
    assert player.last_result is not None
    assert (player.last_result.value, player.last_result.is_proven) == (65.0, True)


def test_dice_for_two_are_played_in_machine_code() -> None:
    game = gm.load("dicerace")
    player = started(game, "blue", 2.0)
    assert isinstance(player._minds[1], Forest)
    move, state = player.play(None), game.initial_state()
    assert move in state.legal_moves("blue")
    generator = random.Random(1)
    while len(state.legal_moves("blue")) < 2:
        made = state.random_moves(generator)
        state = state.next(made)
        move = player.play([made[role] for role in game.roles])
    assert move in state.legal_moves("blue")
    assert player.last_result is not None
    assert player.last_result.algorithm == "egghead (mcts)"


@pytest.mark.usefixtures("too_large")
def test_simultaneous_moves_with_chance() -> None:
    game = gm.parse(BOTH_AND_CHANCE, dialect="hrf")
    player = started(game, "a")
    assert player.play(None) in game.initial_state().legal_moves("a")
    assert player.last_result is not None
    assert player.last_result.algorithm == "egghead (decoupled)"


def test_the_reference_machine() -> None:
    game = gm.load("tictactoe", machine="reference")
    player = started(game, "x")
    assert isinstance(player._minds[0], PlainUct)
    assert player.play(None) in game.initial_state().legal_moves("x")


def test_a_puzzle_on_the_reference_machine() -> None:
    game = gm.load("buttonsandlights", machine="reference")
    player = started(game, "robot", 2.0)
    assert player.play(None) in game.initial_state().legal_moves("robot")


TRUST = """
role(a) role(b) init(turn(a))
legal(a,keep) :- true(turn(a))
legal(a,share) :- true(turn(a))
legal(b,thank) :- true(turn(b))
legal(b,cheat) :- true(turn(b))
next(turn(b)) :- does(a,share)
next(did(M)) :- does(R,M)
terminal :- true(did(keep))
terminal :- true(did(thank))
terminal :- true(did(cheat))
goal(a,20) :- true(did(keep))
goal(b,20) :- true(did(keep))
goal(a,80) :- true(did(thank))
goal(b,90) :- true(did(thank))
goal(a,0) :- true(did(cheat))
goal(b,30) :- true(did(cheat))
"""


def test_others_need_not_be_enemies() -> None:
    """Alpha-beta proves 20 for keeping, as if b would cheat; but b has more of thanking."""
    player = started(gm.parse(TRUST), "a")
    assert str(player.play(None)) == "share"
    assert player.last_result is not None
    assert (player.last_result.value, player.last_result.is_proven) == (80, True)


def test_trees_go_with_their_player() -> None:
    game = gm.load("connectfour")
    player = started(game, game.roles[0])
    mind = ref(player._minds[0])
    assert mind() is not None
    player.abort()
    assert mind() is None  # no circle: nothing waits for the collector


URN = """
role(random) role(a) init(stage(1)) ball(1,red) ball(2,red) ball(3,red) ball(4,blue)
succ(1,2) succ(2,3) color(red) color(blue)
legal(random,draw(N)) :- true(stage(1)) & ball(N,C)
legal(random,wait) :- ~true(stage(1))
legal(a,wait) :- true(stage(1))
legal(a,guess(C)) :- true(stage(2)) & color(C)
next(stage(N)) :- true(stage(M)) & succ(M,N)
next(drawn(N)) :- does(random,draw(N))
next(drawn(N)) :- true(drawn(N))
next(guessed(C)) :- does(a,guess(C))
sees(a,peeked(blue)) :- does(random,draw(4)) & peeking
terminal :- true(stage(3))
goal(a,100) :- true(guessed(C)) & true(drawn(N)) & ball(N,C)
goal(a,0) :- true(drawn(N)) & ball(N,C) & ~true(guessed(C))
goal(random,0)
"""


def hidden_move(rules: str, percepts: frozenset[Term], *, is_told: bool) -> tuple[Egghead, str]:
    """What egghead does in its second step."""
    game = gm.parse(rules)
    player = started(game, "a", playclock=1.0)
    state = game.initial_state()
    for message in (None, percepts):
        if is_told:
            player.tell_legal(state.legal_moves("a"))
        move = str(player.play(message))
        state = state.next({"a": move, "random": state.legal_moves("random")[0]})
    return player, move


@pytest.mark.usefixtures("too_large")
@pytest.mark.parametrize("is_told", [True, False])
def test_where_the_state_is_hidden_it_takes_what_is_likely(is_told: bool) -> None:
    player, move = hidden_move(URN, frozenset(), is_told=is_told)
    assert move == "guess(red)"
    assert player.last_result is not None
    assert player.last_result.algorithm == "egghead (ismcts)"
    assert player.last_result.value == pytest.approx(75.0, abs=8.0)


def believing(rules: str, role: str, steps: list[tuple[str, str]], seed: int) -> Egghead:
    """Egghead after moves of its own and what it saw then."""
    player = Egghead(seed=seed, threads=1)
    player.start(role, gm.parse(rules), 1, 1)
    player.recall([])
    assert player.beliefs is not None
    for move, seen in steps:
        player.beliefs.see(read_term(move), {read_term(seen)}, 60.0)
    player.budget = Budget(seconds=0.6)
    return player


@pytest.mark.parametrize("seed", range(3))
def test_a_guess_that_is_right_in_three_cases_of_four_is_taken(seed: int) -> None:
    player = believing(sheets.UNEVEN, "player", [("wait", "thrown")], seed)
    assert player.beliefs is not None
    assert str(player.choose_from(player.beliefs.legal_moves())) == "guess(a)"
    assert player.last_result is not None
    assert player.last_result.value == pytest.approx(75.0, abs=8.0)


@pytest.mark.parametrize("seed", range(3))
def test_at_the_fork_it_turns_where_the_jewels_are_likelier(seed: int) -> None:
    steps = [("wait", "wait"), ("road(b)", "road(b)")]
    player = believing(sheets.ROAD_AND_FORK, "walker", steps, seed)
    assert player.beliefs is not None
    assert str(player.choose_from(player.beliefs.legal_moves())) == "turn(right)"


def test_what_it_sees_counts() -> None:
    _, move = hidden_move(URN + "peeking", frozenset({read_term("peeked(blue)")}), is_told=True)
    assert move == "guess(blue)"


def test_what_it_cannot_have_seen_leaves_it_with_any_move() -> None:
    player, move = hidden_move(URN, frozenset({read_term("peeked(green)")}), is_told=True)
    assert player.beliefs is None
    assert move in ("guess(red)", "guess(blue)")


def test_a_hidden_match_that_goes_on() -> None:
    game = gm.parse(URN + "peeking")
    player = started(game, "a")
    player.recall([])
    player.tell_legal(game.initial_state().next({"random": "draw(4)", "a": "wait"}).legal_moves("a"))
    assert str(player.play(frozenset({read_term("peeked(blue)")}))) == "guess(blue)"


def test_what_trees_say_is_added_up() -> None:
    a, b = Symbol("a"), Symbol("b")
    first = SearchResult("mcts", "x", a, 60.0, {a: 60.0, b: 20.0}, {a: 30, b: 10}, nodes=40, playouts=40)
    second = SearchResult("mcts", "x", b, 40.0, {a: 30.0, b: 40.0}, {a: 10, b: 12}, nodes=22, playouts=22)
    both = merged([first, second])
    assert both.move == a
    assert both.visits == {a: 40, b: 22}
    assert both.values[a] == pytest.approx(52.5)
    assert (both.nodes, both.playouts) == (62, 62)
    proven = replace(second, is_proven=True)
    assert merged([first, proven]) is proven
    assert merged([first]) is first


def test_moves_that_nobody_tried_are_worth_what_they_are_said_to_be() -> None:
    a, b = Symbol("a"), Symbol("b")
    one = SearchResult("mcts", "x", a, 60.0, {a: 60.0, b: 90.0}, {a: 30, b: 0})
    assert merged([one, one]).values[b] == pytest.approx(90.0)


def test_a_game_that_gets_stuck_is_played_as_far_as_it_goes() -> None:
    text = """
    role(a) role(b) init(turn(a)) pick(1) pick(2)
    legal(a,take(X)) :- true(turn(a)) & pick(X)
    legal(b,wait) :- true(turn(a))
    next(done) :- true(turn(a))
    terminal :- true(never)
    goal(a,50) goal(b,50)
    """
    game = gm.parse(text, dialect="hrf")
    player = started(game, "a")
    assert player.play(None) in game.initial_state().legal_moves("a")


def test_what_it_found_out_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def learn_enough(engine: Engine, state: CompiledState, _: float | None, seed: int) -> Learnt:
        return learn(engine, state, None, seed, games=5_000)

    monkeypatch.setattr("gamemaster.players.forest.learn", learn_enough)
    game = gm.load("othello")
    player = started(game, "black")
    player.think(game.initial_state(), Budget(seconds=0.1))
    assert player.last_result is not None
    assert player.last_result.notes == player.findings
    assert "random games" in player.findings
    assert "cell(" in player.findings


def test_a_line_that_breaks_off_proves_nothing_and_a_whole_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    player = started(gm.parse(LADDER), "robot")
    state, mind = player.state, Puzzle(player)
    climb = read_term("climb")
    told = [(climb,), (climb, climb)]
    for line, is_proven in zip(told, (False, True), strict=True):
        found = SearchResult("solver", "robot", climb, 60.0, line=line, is_proven=True)
        monkeypatch.setattr(mind, "_search", lambda *_, found=found: found)
        mind._try("solver", state, Budget(seconds=1))
        assert mind.is_proven == is_proven
    # the same again, found by something that cannot prove it, does not take the proof away
    monkeypatch.setattr(mind, "_search", lambda *_: replace(found, is_proven=False))
    mind._try("nested", state, Budget(seconds=1))
    assert (mind.best, mind.how, mind.is_proven) == (60, "solver", True)


def test_what_was_found_before_can_still_be_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    player = started(gm.parse(LADDER), "robot")
    mind, climb = Puzzle(player), read_term("climb")
    for is_proven in (False, True):
        found = SearchResult("some", "robot", climb, 60.0, line=(climb, climb), is_proven=is_proven)
        monkeypatch.setattr(mind, "_search", lambda *_, found=found: found)
        mind._try("some", player.state, Budget(seconds=1))
        assert mind.is_proven == is_proven


def test_a_line_is_improved_in_every_move_and_never_given_up_for_a_worse_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    player = started(gm.parse(LADDER), "robot")
    state, mind, climb = player.state, Puzzle(player), read_term("climb")
    asked: list[str] = []
    lines = {"nested": (60.0, (climb, climb)), "idastar": (0.0, (read_term("wait"), climb))}

    def search(name: str, _at: object, _budget: Budget) -> SearchResult:
        asked.append(name)
        value, line = lines.get(name, (0.0, ()))
        return SearchResult(name, "robot", climb, value, line=line)

    monkeypatch.setattr(
        "gamemaster.players.puzzling.plan", lambda *_, **__: SearchResult("planner", "robot", climb, 0.0)
    )
    monkeypatch.setattr("gamemaster.players.puzzling.prepare_machine_code", lambda *_: False)
    monkeypatch.setattr(mind, "_search", search)
    mind._look(state, 1.0)
    assert asked[:3] == ["nested", "parts", "maximizer"]
    assert (mind.best, mind.how, mind.plan[state]) == (60, "nested", climb)
    asked.clear()
    assert mind.think(state, Budget(seconds=1.0)).move == climb
    assert asked
    assert mind.best == 60


def test_puzzles_keep_their_line_when_machine_code_comes() -> None:
    player = started(gm.parse(LADDER), "robot")
    before, after, other = Puzzle(player), Puzzle(player), PlainUct(player)
    assert _with_puzzle_of([before], [after, other]) == [before, other]
    assert _with_puzzle_of([], [after, other]) == [after, other]


def test_what_it_found_out_is_also_told_in_a_line() -> None:
    mind = object.__new__(Forest)
    assert mind.summary == ""
    mind.tuning = Tuning(games={SETTINGS[0]: 4, SETTINGS[1]: 4})
    assert mind.summary == "knows which settings suit the game, from 4 games against itself"
    mind.learnt = Learnt(("x",), (), np.zeros((0, 0)), np.zeros(0), (1.0,), 20_000)
    assert mind.summary.endswith("against itself, and what facts are worth, from 20,000 random games")
    player = Egghead()
    player._minds = [mind]
    assert player.summary == mind.summary
    mind.is_solved = True
    assert mind.summary == "the game is solved"


def test_a_start_clock_that_never_ends_is_no_trouble() -> None:
    """A lock waits for so long at most: what takes a clock to wait has to know that."""
    from gamemaster.search.native.warming import prepare_search

    assert prepare_search(gm.load("tictactoe", machine="compiled"), float("inf")) in (True, False)


def started_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trial: tuple[float, int], **told: bool
) -> Egghead:
    """An egghead that finds something kept of connectfour, which did so in a trial."""
    game = gm.load("connectfour")
    make_ready(game)
    assert warm_up(None, KIND)
    monkeypatch.setattr("gamemaster.search.native.knowledge.Cache", lambda: Cache(tmp_path))
    assert game.compiled is not None
    engine = Engine(game.compiled)
    learnt = learn_by_play(engine, game.initial_state(), None, games=120)
    keep_judgement(engine, replace(learnt, trial=trial), Cache(tmp_path))
    player = Egghead(seed=1, threads=1, **told)
    player.start("red", game, 1.0, 0.2)
    return player


def test_it_plays_by_judgement_where_that_won(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = started_with(tmp_path, monkeypatch, (7.0, 8))
    assert player.play(None) in player.state.legal_moves("red")
    told = "learnt from 120 games against itself, 120 of them before; alpha-beta with judgement won 7 of 8 trial games"
    assert told in player.summary
    assert player.last_result is not None
    assert player.last_result.algorithm == "egghead (judging)"
    assert told in player.last_result.notes
    player.think(player.state, Budget(600.0, nodes=300))
    assert player.last_result.algorithm == "egghead (judging)"
    assert 0 < player.last_result.nodes <= 400


def test_it_plays_by_trees_where_judgement_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = started_with(tmp_path, monkeypatch, (3.0, 8))
    player.play(None)
    assert "so it is not used" in player.findings
    assert player.last_result is not None
    assert player.last_result.algorithm == "egghead (mcts)"


def test_nothing_that_was_kept_is_used_where_it_shall_not_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = started_with(tmp_path, monkeypatch, (8.0, 8), experience=False)
    assert "against itself" not in player.findings


def test_it_learns_and_tries_what_it_learnt_in_the_start_clock() -> None:
    engine, state = tiny_game()
    assert warm_up(None, KIND)
    tree = SETTINGS[0].tree(engine, 1)
    verdict = judge(engine, state, tree, 3.5, 1, has_experience=False)
    assert verdict is not None
    assert verdict.judgement.games >= 100
    assert verdict.judgement.trial[1] > 0
    assert f"learnt from {verdict.judgement.games:,} games against itself; alpha-beta" in str(verdict)
    assert judge(engine, state, tree, 0.1, 1, has_experience=False) is None


def test_a_verdict_without_games_is_for_trees() -> None:
    engine, _ = tiny_game()
    verdict = TriedJudgement(Judging(engine, new_judgement(engine), table_bits=4))
    assert not verdict.is_better
    assert str(verdict).endswith("no time to try it")


@pytest.mark.parametrize(
    ("points", "games", "is_better"),
    [(2.0, 2, False), (3.0, 4, False), (4.0, 4, True), (22.0, 40, False), (24.0, 40, True)],
)
def test_a_few_games_that_chance_may_have_won_are_no_reason(
    points: float, games: int, is_better: bool
) -> None:
    engine, _ = tiny_game()
    judgement = replace(new_judgement(engine), trial=(points, games))
    assert TriedJudgement(Judging(engine, judgement, table_bits=4)).is_better == is_better


def test_roles_that_choose_at_once_are_not_judged() -> None:
    game = gm.parse(MATCHING).compiled
    assert game is not None
    engine = Engine(game)
    assert (
        judge(engine, game.initial_state(), SETTINGS[0].tree(engine, 1), 3.5, 1, has_experience=False) is None
    )
