"""The tree searches on games: agreement with each other, refusals, budgets."""

from __future__ import annotations

import random
from functools import reduce
from math import inf

import pytest

import gamemaster as gm
from gamemaster.errors import UnknownRole, Unsuitable
from gamemaster.load import MachineName
from gamemaster.search.budget import Budget
from gamemaster.search.catalogue import ALGORITHMS, find_algorithm, one_line
from gamemaster.search.position import GamePosition, root_of
from gamemaster.search.puzzles import maximizer
from gamemaster.search.result import SearchResult
from gamemaster.search.tally import Outcome, Tally
from gamemaster.search.trees import (
    alphabeta,
    bounded,
    deepening,
    descent,
    expectimax,
    maxn,
    minimax,
    paranoid,
)
from gamemaster.search.trees.nullmove import find_pass, turns_of
from tests.machine.sheets import HIDDEN_DIE, MATCHING
from tests.search import sheets
from tests.ticking import ticking

FREE = Budget()
SOME = Budget(seconds=600, nodes=2_000, playouts=2_000)
ADVERSARIAL = (
    "minimax",
    "bounded",
    "alphabeta",
    "deepening",
    "extended",
    "paranoid",
    "maxn",
    "coalition",
    "expectimax",
)
TREE_SEARCHES = ("maximizer", *ADVERSARIAL)
PROVES_LITTLE = ("decoupled", "pimc", "ismcts", "nested", "filling", "nrpa")  # at most what is worth 100
COMPILED_PUZZLES = ("breadth", "bestfirst", "filling", "nrpa")


@pytest.fixture(scope="module")
def tictactoe() -> gm.Game:
    return gm.load("tictactoe")


def parsed(text: str, machine: MachineName = "auto") -> gm.Game:
    return gm.parse(text, machine=machine)


# Agreement


def random_states(name: str, count: int, fewest: int, seed: int) -> list[gm.State]:
    """States of random games of which no more than so many moves are left."""
    game, generator = gm.load(name), random.Random(seed)
    states: list[gm.State] = []
    while len(states) < count:
        path = [game.initial_state()]
        while not path[-1].is_terminal:
            path.append(path[-1].next(path[-1].random_moves(generator)))
        late = [s for s in path[:-1] if s.step >= fewest]
        states += generator.sample(late, min(2, len(late)))
    return states[:count]


@pytest.mark.parametrize(
    ("name", "fewest", "count"), [("tictactoe", 4, 500), ("wythoff", 4, 400), ("donttouch", 9, 100)]
)
def test_alphabeta_equals_minimax_on_random_positions(name: str, fewest: int, count: int) -> None:
    full = cut = 0
    for state in random_states(name, count, fewest, seed=7):
        role = state.control
        assert role is not None
        expected = unstopped_minimax(state, role)
        plain = alphabeta.search(state, role, FREE, table=False, ordering=())
        found = [search(state, role, FREE) for search in (minimax.search, alphabeta.search, deepening.search)]
        assert {result.value for result in (plain, *found)} == {expected.value}
        assert all(result.is_proven for result in (plain, *found))
        assert plain.nodes <= expected.nodes
        full, cut = full + expected.nodes, cut + plain.nodes
    print(f"{count} positions of {name}: minimax {full:,} nodes, alpha-beta {cut:,}")
    assert cut < full


def unstopped_minimax(state: gm.State, role: str) -> SearchResult:
    """The definition: no bounds, no memory."""
    search = bounded.BoundedMinimax(role, FREE.start(), enough=inf, hopeless=-inf, memo=False)
    return bounded.search_with(search, root_of(state, role, "minimax"), "minimax")


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_both_machines_give_the_same_value(name: str) -> None:
    states = [gm.load("tictactoe", machine=machine).initial_state() for machine in ("compiled", "reference")]
    states = [
        reduce(lambda s, m: s.next(m), ["mark(1,1)", "mark(2,2)", "mark(3,3)"], state) for state in states
    ]
    values = [find_algorithm(name)(state, "o", FREE) for state in states]
    assert values[0].value == values[1].value == 50
    assert values[0].is_proven
    assert values[1].is_proven


def test_depth_limits_deepening_and_alphabeta(tictactoe: gm.Game) -> None:
    state = tictactoe.initial_state()
    for search in (alphabeta.search, deepening.search):
        result = search(state, "x", FREE, depth=3)
        assert (result.depth, result.is_proven) == (3, False)


def test_a_win_is_proven_before_everything_else_is_searched() -> None:
    result = deepening.search(
        gm.load("connectfour").initial_state().next("drop(1)").next("drop(8)"), "red", FREE, depth=5
    )
    assert not result.is_proven
    state = reduce(
        lambda s, m: s.next(m), [f"drop({c})" for c in (4, 8, 5, 8)], gm.load("connectfour").initial_state()
    )
    result = deepening.search(state, "red", FREE)
    assert (result.value, result.is_proven, result.depth) == (100, True, 3)


WITH_LINES = sorted({*ADVERSARIAL, "mcs", "greedy", "pts", "uct", "decoupled"})


@pytest.mark.parametrize("name", WITH_LINES)
def test_every_move_that_was_searched_has_a_line(name: str, tictactoe: gm.Game) -> None:
    state = reduce(lambda s, m: s.next(m), ["mark(1,1)", "mark(2,2)", "mark(3,3)"], tictactoe.initial_state())
    result = find_algorithm(name)(state, "o", SOME)
    assert set(result.lines) == set(result.values)
    assert result.move is not None
    assert result.lines[result.move] == result.line
    for move in result.values:
        line = result.line_of(move)
        assert line[0] == move
        reduce(lambda s, m: s.next(m), line, state)  # every move of it is legal
    assert any(len(line) > 1 for line in result.lines.values()) or name == "mcs"


@pytest.mark.parametrize("name", ["alphabeta", "deepening", "paranoid"])
def test_values_that_are_bounds_say_so_in_games_too(name: str, tictactoe: gm.Game) -> None:
    state = tictactoe.initial_state().next("mark(1,1)").next("mark(2,2)")
    bounds = find_algorithm(name)(state, "x", FREE)
    exact = {move: minimax.search(state.next(move), "x", FREE).value for move in bounds.values}
    assert bounds.value == 50
    assert bounds.at_most
    assert all(
        exact[move] <= value if move in bounds.at_most else exact[move] == value
        for move, value in bounds.values.items()
    )
    assert bounds.move not in bounds.at_most


def test_another_seed_may_choose_another_of_equal_moves(tictactoe: gm.Game) -> None:
    moves = {alphabeta.search(tictactoe.initial_state(), "x", FREE, seed, depth=2).move for seed in range(8)}
    assert len(moves) > 1
    again = [alphabeta.search(tictactoe.initial_state(), "x", FREE, 5, depth=2).move for _ in range(2)]
    assert again[0] == again[1]


# The null move


def test_the_pass_of_kono_is_found_by_what_it_changes(tictactoe: gm.Game) -> None:
    kono = GamePosition(gm.load("kono").initial_state(), "test")
    assert str(find_pass(kono, FREE.start())) == "kerchunk"
    assert find_pass(GamePosition(tictactoe.initial_state(), "test"), FREE.start()) is None
    last = reduce(
        lambda s, m: s.next(m),
        [f"mark({m},{n})" for m, n in ((1, 1), (1, 2), (1, 3), (2, 2), (2, 1), (3, 1), (3, 2), (3, 3))],
        tictactoe.initial_state(),
    )
    assert find_pass(GamePosition(last, "test"), FREE.start()) is None


def test_null_moves_keep_the_value_and_spare_nodes() -> None:
    state = gm.load("kono").initial_state()
    plain = alphabeta.search(state, "red", FREE, depth=7)
    null = alphabeta.search(state, "red", FREE, depth=7, null="on")
    assert null.value == plain.value
    assert null.nodes < plain.nodes


def test_a_null_move_bars_another_only_where_it_leads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the positions two steps on, one comes after a null move; those that come after it may try one again."""
    options = alphabeta.Options(null="on")
    state = gm.load("kono").initial_state()
    root, search = alphabeta.alphabeta_of(state, "red", FREE.start(), options, "alphabeta")
    barred: list[bool] = []

    def watched(position: GamePosition, depth: int, alpha: float, beta: float, ply: int) -> Outcome | None:
        if ply == 2:
            barred.append(search._null_ply == ply)
        return try_null(position, depth, alpha, beta, ply)

    try_null = search._null
    monkeypatch.setattr(search, "_null", watched)
    search.run(root, 6, Tally(root, "red", search.meter))
    assert search._null_ply == -1
    assert barred[:2] == [True, False]
    assert barred.count(True) == len(root.moves)


def test_null_moves_are_refused_where_nobody_can_pass(tictactoe: gm.Game) -> None:
    with pytest.raises(Unsuitable, match="a legal move that only passes the turn; x has none"):
        alphabeta.search(tictactoe.initial_state(), "x", FREE, null="on")
    assert alphabeta.search(tictactoe.initial_state(), "x", FREE, null="auto").value == 50


def test_the_facts_that_say_whose_turn_it_is_are_found(tictactoe: gm.Game) -> None:
    turns = turns_of(tictactoe)
    assert {role: set(map(str, marks)) for role, marks in turns.marks.items()} == {
        "x": {"control(x)"},
        "o": {"control(o)"},
    }
    state = tictactoe.initial_state().next("mark(1,1)")
    passed = turns.passed(state)
    assert passed is not None
    assert passed.control == "x"
    assert passed.facts ^ state.facts == turns.marks["x"] | turns.marks["o"]
    over = reduce(
        lambda s, m: s.next(m), [f"mark({n},{m})" for m in (1, 2) for n in (1, 2)], state.game.initial_state()
    )
    assert turns.passed(over.next("mark(1,3)")) is None


ROUND = """
; Three take from a heap in turn, which no role's name says: whoever takes the last one wins.
(role a) (role b) (role c) (init first) (init (heap 9)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9) (amount one) (amount two)
(<= (legal a ?n) (true first) (amount ?n)) (<= (legal b ?n) (true second) (amount ?n))
(<= (legal c ?n) (true third) (amount ?n))
(<= (next second) (true first)) (<= (next third) (true second)) (<= (next first) (true third))
(<= (next (heap ?m)) (does ?r one) (true (heap ?n)) (succ ?m ?n))
(<= (next (heap ?k)) (does ?r two) (true (heap ?n)) (succ ?m ?n) (succ ?k ?m))
(<= (next (heap 0)) (does ?r two) (true (heap 1)))
(<= terminal (true (heap 0)))
(<= (goal a 100) (true (heap 0)) (true second)) (<= (goal a 0) (not (true second)))
(<= (goal b 100) (true (heap 0)) (true third)) (<= (goal b 0) (not (true third)))
(<= (goal c 100) (true (heap 0)) (true first)) (<= (goal c 0) (not (true first)))
"""

COUNTED = """
; Whose turn it is follows from the number of steps.
(role a) (role b) (init (step 0)) (even 0) (even 2) (even 4) (odd 1) (odd 3) (odd 5)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(<= (legal a x) (true (step ?n)) (even ?n)) (<= (legal a y) (true (step ?n)) (even ?n))
(<= (legal b x) (true (step ?n)) (odd ?n)) (<= (legal b y) (true (step ?n)) (odd ?n))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next (last ?r ?x)) (does ?r ?x)) (<= (next (last ?r ?x)) (true (last ?r ?x)) (true (step ?n)))
(<= terminal (true (step 6))) (goal a 50) (goal b 50)
"""


def test_the_turn_goes_to_the_next_of_several_roles() -> None:
    state = parsed(ROUND).initial_state()
    turns = turns_of(state.game)
    assert dict(turns.following) == {"a": "b", "b": "c", "c": "a"}
    passed = turns.passed(state)
    assert passed is not None
    assert (passed.control, sorted(map(str, passed.facts))) == ("b", ["heap(9)", "second"])


def test_where_nothing_says_whose_turn_it_is_it_cannot_be_handed_on() -> None:
    state = parsed(COUNTED).initial_state()
    assert turns_of(state.game).passed(state) is None
    with pytest.raises(Unsuitable, match="needs facts that say whose it is; none were found for a"):
        alphabeta.search(state, "a", FREE, null="turn")


def test_handing_on_the_turn_spares_nodes_and_keeps_the_value_of_connect_four() -> None:
    generator = random.Random(4)
    plain_nodes = null_nodes = 0
    for _ in range(3):
        state = gm.load("connectfour").initial_state()
        for _ in range(6):
            state = state.next(state.random_moves(generator))
        role = state.control or ""
        plain = alphabeta.search(state, role, FREE, depth=6, evaluation="proximity")
        null = alphabeta.search(state, role, FREE, depth=6, evaluation="proximity", null="turn")
        assert null.value == plain.value
        plain_nodes, null_nodes = plain_nodes + plain.nodes, null_nodes + null.nodes
    assert null_nodes < plain_nodes


def test_what_is_proven_with_the_turn_handed_on_is_true_even_in_zugzwang() -> None:
    """In nim it is often bad to move: guesses are wrong there, and none of them may become a proof.

    With goals of 90 and 10, since no guess is made about a win or a loss.
    """
    game = parsed(sheets.nim(3, 4, 5).replace("?p 100)", "?p 90)").replace("?p 0)", "?p 10)"))
    is_wrong = []
    for role in game.roles:
        for sizes in ((1, 2, 3), (3, 4, 5), (2, 4, 4), (1, 4, 5), (3, 3, 0)):
            facts = [f"size(h{i},{size})" for i, size in enumerate(sizes)]
            state = game.state([*facts, f"control({role})"])
            exact = minimax.search(state, role, FREE)
            for depth in (4, 6, 8, 20):
                null = alphabeta.search(state, role, FREE, depth=depth, null="turn")
                assert not null.is_proven or null.value == exact.value
                is_wrong.append(depth == 20 and null.value != exact.value)
            deeper = deepening.search(state, role, FREE, null="turn")
            assert (deeper.value, deeper.is_proven) == (exact.value, True)
    assert any(is_wrong), "it is a heuristic"


# Puzzles, circles, dead ends


@pytest.mark.parametrize(("name", "best"), [("buttonsandlights", 100), ("peg", 100)])
def test_maximizer_solves_puzzles(name: str, best: int) -> None:
    game = gm.load(name)
    result = maximizer.search(game.initial_state(), game.roles[0], FREE)
    assert (result.value, result.is_proven) == (best, True)
    end = reduce(lambda state, move: state.next(move), result.line, game.initial_state())
    assert end.is_terminal
    assert end.goal(game.roles[0]) == best


def test_going_round_in_circles_ends() -> None:
    state = parsed(sheets.CIRCLE).initial_state()
    result = maximizer.search(state, "robot", FREE)
    assert (str(result.move), result.value, result.is_proven) == ("switch", 80, True)
    assert [str(move) for move in result.line] == ["switch", "finish"]


def test_a_game_that_can_go_on_for_ever_is_not_proven() -> None:
    state = parsed(sheets.ENDLESS).initial_state()
    result = minimax.search(state, "first", FREE)
    assert not result.is_proven
    assert not minimax.search(state, "first", FREE, memo=False).is_proven
    assert not alphabeta.search(state, "first", FREE, depth=6).is_proven


LOOP = """
role(a) role(b) init(at(0)) init(control(a)) after(a,b) after(b,a) step(0,1) step(1,2) step(2,0)
legal(R,on) :- true(control(R))
legal(R,over) :- true(control(R)) & ~true(at(0))
next(control(S)) :- true(control(R)) & after(R,S)
next(at(M)) :- true(at(N)) & step(N,M)
next(done(R)) :- does(R,over)
terminal :- true(done(R))
goal(R,0) :- true(done(R))
goal(R,100) :- after(R,S) & true(done(S))
goal(R,60) :- role(R) & ~true(done(a)) & ~true(done(b))
"""
"""Round and round, for whoever ends it has lost."""


@pytest.mark.parametrize("name", ["minimax", "alphabeta", "deepening", "paranoid", "maxn"])
def test_a_line_ends_where_it_comes_round(name: str) -> None:
    state = gm.parse(LOOP, dialect="hrf", machine="reference").initial_state()
    result = find_algorithm(name)(
        state, "a", Budget(nodes=20_000), **({} if name == "minimax" else {"depth": 40})
    )
    for line in (result.line, *result.lines.values()):
        states = [state]
        for move in line:
            states.append(states[-1].next(move))
        assert len(set(states[:-1])) == len(states) - 1  # only the last may have been there before
        assert len(line) <= 6
    assert len(result.line) == 6


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_dead_end_is_worth_nothing(name: str) -> None:
    result = find_algorithm(name)(parsed(sheets.DEAD_END).initial_state(), "robot", SOME)
    assert str(result.move) == "go"
    assert result.value == pytest.approx(30)
    assert result.is_proven or name in PROVES_LITTLE
    assert {str(move): value for move, value in result.values.items()} == pytest.approx({"stay": 0, "go": 30})


@pytest.mark.parametrize("name", sorted(set(ALGORITHMS) - {"solver", "dfpn", "mcts", "expectiminimax"}))
@pytest.mark.parametrize("machine", ["compiled", "reference"])
def test_to_be_at_a_dead_end_is_worth_nothing(name: str, machine: MachineName) -> None:
    state = parsed(sheets.DEAD_END, machine).initial_state().next("stay")
    if machine == "reference" and name in COMPILED_PUZZLES:
        with pytest.raises(Unsuitable, match="needs a compiled game"):
            find_algorithm(name)(state, "robot", SOME)
        return
    result = find_algorithm(name)(state, "robot", SOME)
    assert (result.move, result.value, result.is_proven, result.line) == (None, 0, True, ())


@pytest.mark.parametrize("name", ["mcs", "decoupled", "uct", "mcts"])
def test_random_games_that_come_to_a_dead_end_bring_nothing(name: str) -> None:
    result = find_algorithm(name)(parsed(sheets.LONG_WAY_TO_NOWHERE).initial_state(), "robot", SOME)
    assert str(result.move) == "go"
    assert result.value == pytest.approx(30, abs=0.1)


# Chance and many roles


def test_expectimax_averages_what_chance_does() -> None:
    state = parsed(sheets.BET).initial_state()
    waiting = expectimax.search(state, "gambler", FREE)
    assert (str(waiting.move), waiting.value, waiting.is_proven) == ("noop", 50, True)
    betting = expectimax.search(state.next({"gambler": "noop", "random": "noop"}), "gambler", FREE)
    assert {str(move): value for move, value in betting.values.items()} == {"safe": 40, "risky": 50}
    assert (str(betting.move), [str(move) for move in betting.line]) == ("risky", ["risky", "noop"])


def test_expectimax_knows_that_chance_moves_at_the_same_time() -> None:
    result = expectimax.search(parsed(sheets.GUESS).initial_state(), "guesser", FREE)
    assert list(result.values.values()) == pytest.approx([33, 33, 33])


def test_maxn_and_paranoid_expect_different_opponents() -> None:
    state = parsed(sheets.POTS).initial_state()
    selfish, hostile = maxn.search(state, "a", FREE), paranoid.search(state, "a", FREE)
    assert (str(selfish.move), selfish.value, selfish.is_proven) == ("y", 40, True)
    assert (str(hostile.move), hostile.value, hostile.is_proven) == ("y", 30, True)
    assert {str(move): value for move, value in selfish.values.items()} == {"x": 10, "y": 40}
    assert [str(move) for move in selfish.line] == ["y", "x"]


def test_maxn_at_another_s_turn_expects_what_is_best_for_the_other() -> None:
    result = maxn.search(parsed(sheets.POTS).initial_state().next("x"), "a", FREE)
    assert (str(result.move), result.value) == ("noop", 10)


# Refusals and roots


@pytest.mark.parametrize("name", TREE_SEARCHES)
def test_simultaneous_moves_are_refused(name: str) -> None:
    with pytest.raises(
        Unsuitable, match=f"{name} needs one role at a time .* in step 1 even and odd choose at once"
    ):
        find_algorithm(name)(parsed(MATCHING).initial_state(), "even", FREE)


@pytest.mark.parametrize("name", sorted(set(TREE_SEARCHES) - {"expectimax"}))
def test_chance_is_refused(name: str) -> None:
    with pytest.raises(Unsuitable, match=f"{name} cannot search rules: it has chance; expectimax can"):
        find_algorithm(name)(parsed(HIDDEN_DIE).initial_state(), "guesser", FREE)


def test_a_position_refuses_to_decide_for_chance() -> None:
    position = GamePosition(parsed(HIDDEN_DIE).initial_state(), "test")
    with pytest.raises(Unsuitable, match="test cannot search where chance chooses, as in step 1"):
        position.after(position.moves[0])
    with pytest.raises(Unsuitable, match="expectimax cannot choose for 'random'"):
        expectimax.search(parsed(HIDDEN_DIE).initial_state(), "random", FREE)


def test_maximizer_refuses_a_game_for_two(tictactoe: gm.Game) -> None:
    with pytest.raises(Unsuitable, match="maximizer is for puzzles"):
        maximizer.search(tictactoe.initial_state(), "x", FREE)


def test_an_unknown_role_is_an_error(tictactoe: gm.Game) -> None:
    with pytest.raises(UnknownRole, match="no role 'z'"):
        root_of(tictactoe.initial_state(), "z", "test")


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_who_is_not_to_move_makes_its_only_move(name: str) -> None:
    state = gm.load("wythoff").state(["stack(left,2)", "stack(right,1)", "control(alice)"])
    result = find_algorithm(name)(state, "bob", FREE)
    assert (str(result.move), result.value, str(result.line[0])) == ("noop", 100, "noop")
    assert {str(move): value for move, value in result.values.items()} == {"noop": 100}
    assert len(result.line) > 1


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_who_has_no_move_makes_none(tictactoe: gm.Game, name: str) -> None:
    state = reduce(
        lambda s, m: s.next(m),
        ["mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)"],
        tictactoe.initial_state(),
    )
    waiting = find_algorithm(name)(state, "o", FREE)
    assert (waiting.move, waiting.value) == (None, 0)
    over = find_algorithm(name)(state.next("mark(1,3)"), "x", FREE)
    assert (over.move, over.value, over.is_proven, over.line) == (None, 100, True, ())


@pytest.mark.parametrize("name", TREE_SEARCHES)
def test_every_file_begins_with_a_line_for_the_list_of_players(name: str) -> None:
    assert 20 < len(one_line(name)) < 120


# Budgets

SUBJECTS = [("maximizer", "hamilton"), *((name, "connectfour") for name in ADVERSARIAL)]


@pytest.mark.parametrize(("name", "game"), SUBJECTS)
def test_the_limit_of_nodes_is_kept_exactly(name: str, game: str) -> None:
    state = gm.load(game).initial_state()
    role = state.game.roles[0]
    for nodes in (0, 1, 2, 5, 30, 300):
        result = find_algorithm(name)(state, role, Budget(nodes=nodes))
        assert result.nodes == nodes
        assert result.move in state.legal_moves(role)
        assert not result.is_proven


@pytest.mark.parametrize(("name", "game"), SUBJECTS)
def test_the_limit_of_seconds_is_kept(name: str, game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    state = gm.load(game).initial_state()
    role = state.game.roles[0]
    clock = ticking(monkeypatch, 0.001)
    result = find_algorithm(name)(state, role, Budget(seconds=0.1))
    assert clock.now < 0.2
    assert result.move in state.legal_moves(role)
    assert not result.is_proven


def test_a_full_memory_changes_nothing_but_the_work(
    tictactoe: gm.Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tictactoe.initial_state().next("mark(1,1)").next("mark(1,2)").next("mark(1,3)")
    remembering = [name for name in ADVERSARIAL if name != "extended"]  # which has a tree
    before = {name: find_algorithm(name)(state, "o", FREE) for name in remembering}
    for module in (alphabeta, bounded, descent, maximizer):
        monkeypatch.setattr(module, "MOST_ENTRIES", 20)
    for name, result in before.items():
        again = find_algorithm(name)(state, "o", FREE)
        assert (again.value, again.is_proven) == (result.value, True)
        assert again.nodes > result.nodes
    puzzle = maximizer.search(gm.load("hunter").initial_state(), "robot", FREE)
    assert not puzzle.is_proven


def test_the_extensions_keep_to_the_budget_too() -> None:
    state = gm.load("kono").initial_state()
    for parameters in ({"quiet": 5.0}, {"singular": 5.0}, {"null": "auto"}):
        result = deepening.search(state, "red", Budget(nodes=500), **parameters)
        assert result.nodes == 500
        assert result.depth > 0


def test_an_iteration_that_is_cut_short_is_discarded(tictactoe: gm.Game) -> None:
    state = tictactoe.initial_state()
    finished = deepening.search(state, "x", FREE, depth=3)
    cut = deepening.search(state, "x", Budget(nodes=finished.nodes + 5))
    assert (cut.depth, cut.move, cut.values) == (3, finished.move, finished.values)


def test_a_long_puzzle_does_not_overflow_the_stack() -> None:
    steps = " ".join(f"(succ {i} {i + 1})" for i in range(600))
    walk = f"""(role robot) (init (at 0)) {steps} (<= (legal robot go)) (<= (legal robot stay))
    (<= (next (at ?y)) (does robot go) (true (at ?x)) (succ ?x ?y)) (<= (next (at ?x)) (does robot stay) (true (at ?x)))
    (<= terminal (true (at 600))) (<= (goal robot 100) (true (at 600))) (<= (goal robot 0) (not (true (at 600))))"""
    state = parsed(walk).initial_state()
    result = maximizer.search(state, "robot", FREE)
    assert (result.value, len(result.line)) == (100, 600)
    for search in (minimax.search, alphabeta.search):
        shallow = search(state, "robot", Budget(nodes=3_000))
        assert not shallow.is_proven
