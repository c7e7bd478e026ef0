"""The players of the library: legal moves in time, the original's strategies, and what they refuse."""

from __future__ import annotations

import random
import threading
import time

import pytest

import gamemaster
from gamemaster.errors import UnknownPlayer, Unsuitable
from gamemaster.load import MachineName
from gamemaster.machine.game import Game, State
from gamemaster.players import classroom
from gamemaster.players.catalogue import PLAYERS, TAKERS, library_player, one_line, player_names, takers_of
from gamemaster.players.growing import Pts
from gamemaster.players.player import Player, advance, message_to
from gamemaster.players.simple import Dumbo, Indy, Lara, Legal, Random, Slowpoke
from gamemaster.search.budget import Budget
from gamemaster.search.result import SearchResult
from tests.players.sheets import DIE, HIDDEN, LATER, ROSHAMBO
from tests.search.readiness import make_ready
from tests.search.test_sampling_players import GAMBLE, WIDE

GAMES = {name: gamemaster.load(name) for name in ("tictactoe", "connectfour", "hunter")}
ROSHAMBO_GAME = gamemaster.parse(ROSHAMBO, name="roshambo")
DIE_GAME = gamemaster.parse(DIE, name="die")
CLOCK = 0.1

LOOKING_AHEAD = ("onestep", "twostep", "minimax", "minimaxdepth", "minimaxid")
GOOD = [name for name in PLAYERS if name not in ("dumbo", "slowpoke")]


def ready(name: str, role: str, game: Game, seed: int = 0) -> Player:
    """A player that has started; the test is skipped if its search is not there."""
    if name not in player_names():
        pytest.skip(f"{name} is not there")
    player = library_player(name)(seed)
    try:
        player.start(role, game, 1.0, CLOCK)
    except ModuleNotFoundError as error:
        pytest.skip(str(error))
    return player


def position(*moves: str, game: str = "tictactoe") -> State:
    state = GAMES[game].initial_state()
    for move in moves:
        state = state.next(move)
    return state


# All of them


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", GOOD)
def test_every_player_makes_legal_moves(name: str, game: str) -> None:
    state = GAMES[game].initial_state()
    role = state.game.roles[-1]
    try:
        player = ready(name, role, state.game)
    except Unsuitable:
        assert name in ("maximizer", "perfect")
        assert name == "perfect" or len(state.game.roles) > 1
        return
    generator, message = random.Random(1), None
    for _ in range(4):
        reply = player.play(message)
        legal = state.legal_moves(role)
        assert reply in legal if legal else reply is False
        moves = state.random_moves(generator) | ({role: legal[legal.index(reply)]} if legal else {})
        message = message_to(role, state, moves)
        state = state.next(moves)
    assert player.stop(message) is False


@pytest.mark.parametrize("name", ["legal", "random", "mcs", "mcts"])
@pytest.mark.parametrize("game", [ROSHAMBO_GAME, DIE_GAME], ids=str)
def test_some_play_games_of_chance_and_of_simultaneous_moves(name: str, game: Game) -> None:
    role = game.roles[-1]
    assert ready(name, role, game).play(None) in game.initial_state().legal_moves(role)


@pytest.mark.parametrize("machine", ["compiled", "reference"])
@pytest.mark.parametrize("name", GOOD)
def test_every_player_answers_where_joint_moves_are_millions_or_refuses(
    name: str, machine: MachineName
) -> None:
    game = gamemaster.parse(WIDE, machine=machine)
    if name not in ("legal", "random", "indy", "lara", "mcs", "mcts", "pimc", "ismcts", "egghead"):
        with pytest.raises(Unsuitable, match="choose at once"):
            ready(name, "r0", game)
        return
    player = ready(name, "r0", game)
    assert player.play(None) in game.initial_state().legal_moves("r0")


@pytest.mark.parametrize("name", player_names())
def test_every_player_says_in_a_line_what_it_does(name: str) -> None:
    line = one_line(name)
    assert 10 < len(line) < 110
    assert not line.endswith(".")
    if name not in ("indy", "lara", "twostep"):
        assert "\n\n" in (library_player(name).__doc__ or ""), "and then exactly"


def test_an_unknown_player_is_refused() -> None:
    with pytest.raises(UnknownPlayer, match="no player 'nobody'; there are: legal, random"):
        library_player("nobody")


# Simple ones


def test_legal_makes_the_first_move_of_the_rules() -> None:
    player = Legal()
    player.start("x", GAMES["tictactoe"], 1, 1)
    assert str(player.play(None)) == "mark(1,1)"


@pytest.mark.parametrize("kind", [Random, Indy, Lara])
def test_random_makes_any_move_and_the_same_for_the_same_seed(kind: type[Player]) -> None:
    def first(seed: int) -> str:
        player = kind(seed)
        player.start("x", GAMES["tictactoe"], 1, 1)
        return str(player.play(None))

    assert len({first(seed) for seed in range(60)}) == 9
    assert first(3) == first(3)


def test_slowpoke_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    here, sleep = threading.get_ident(), time.sleep

    def sleep_not(seconds: float) -> None:
        slept.append(seconds) if threading.get_ident() == here else sleep(seconds)

    monkeypatch.setattr("gamemaster.players.simple.time.sleep", sleep_not)
    player = Slowpoke()
    assert player.ping() == "ready"
    player.start("x", GAMES["tictactoe"], 10, 20)
    assert str(player.play(None)) == "mark(1,1)"
    assert slept == [5.0, 12.0, 22.0]


def test_dumbo_answers_two() -> None:
    player = Dumbo()
    player.start("x", GAMES["tictactoe"], 1, 1)
    assert str(player.play(None)) == "2"
    assert str(player.play("whatever")) == "2"
    assert player.stop("whatever") is False


# The classroom's, compared with their definition


def definition(state: State, role: str, depth: int) -> int:
    """The value of a tic-tac-toe state as the slides define it."""
    if state.is_terminal or depth == 0:
        return state.goal(role) or 0
    values = [
        definition(state.next(move), role, depth - 1) for move in state.legal_moves(state.control or "")
    ]
    return max(values) if state.control == role else min(values)


def best_moves(state: State, depth: int) -> set[str]:
    assert state.control
    values = {
        str(move): definition(state.next(move), state.control, depth)
        for move in state.legal_moves(state.control)
    }
    return {
        move for move, value in values.items() if value == max(values.values()) or max(values.values()) == 0
    }


def random_position(seed: int, least: int) -> State:
    generator = random.Random(seed)
    while True:
        state = position()
        for _ in range(generator.randint(least, 6)):
            if not state.is_terminal:
                state = state.next(state.random_moves(generator))
        if not state.is_terminal:
            return state


def chosen(name: str, state: State, seed: int = 0, budget: Budget | None = None) -> tuple[str, Player]:
    assert state.control
    player = ready(name, state.control, state.game, seed)
    return str(player.think(state, budget or Budget(seconds=600))), player


@pytest.mark.parametrize(
    ("name", "depth", "least"),
    [("onestep", 0, 0), ("twostep", 2, 0), ("minimaxdepth", 2, 0), ("minimax", 9, 3), ("minimaxid", 9, 3)],
)
@pytest.mark.parametrize("seed", range(6))
def test_players_that_look_ahead_choose_as_the_slides_say(
    name: str, depth: int, least: int, seed: int
) -> None:
    state = random_position(seed, least)
    move, player = chosen(name, state, seed)
    assert move in best_moves(state, depth)
    result = player.last_result
    assert result is not None
    assert str(result.move) == move
    assert state.control
    for each, value in result.values.items():
        assert value == definition(state.next(each), state.control, depth)


def test_onestep_takes_a_win_and_sees_no_threat() -> None:
    win = position("mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)")
    assert {chosen("onestep", win, seed)[0] for seed in range(10)} == {"mark(1,3)"}
    threat = position("mark(1,1)", "mark(2,1)", "mark(3,2)", "mark(2,2)")
    assert len({chosen("onestep", threat, seed)[0] for seed in range(20)}) > 2


@pytest.mark.parametrize("name", ["twostep", "minimaxdepth"])
def test_twostep_sees_threats_and_forks_but_no_further(name: str) -> None:
    threat = position("mark(1,1)", "mark(2,1)", "mark(3,2)", "mark(2,2)")
    assert {chosen(name, threat, seed)[0] for seed in range(10)} == {"mark(2,3)"}
    fork = position("mark(1,1)", "mark(1,2)", "mark(2,1)", "mark(3,1)")
    assert chosen(name, fork)[1].last_result.value == 100  # type: ignore[union-attr]
    assert len({chosen(name, position(), seed)[0] for seed in range(20)}) > 5


def test_twostep_and_minimaxdepth_are_the_same() -> None:
    for seed in range(5):
        state = random_position(seed, 0)
        assert chosen("twostep", state, seed)[0] == chosen("minimaxdepth", state, seed)[0]


def test_minimax_proves_what_it_finds() -> None:
    _, player = chosen("minimax", position("mark(2,2)", "mark(1,2)", "mark(1,1)"))
    assert player.last_result is not None
    assert player.last_result.is_proven
    assert player.last_result.value == 0


def test_minimax_out_of_time_answers_with_the_best_so_far() -> None:
    move, player = chosen("minimax", position(), budget=Budget(nodes=50))
    assert player.last_result is not None
    assert not player.last_result.is_proven
    assert move in map(str, position().legal_moves("x"))


def test_minimaxid_discards_an_iteration_that_is_not_finished() -> None:
    assert chosen("minimaxid", position(), budget=Budget(nodes=5))[0] == "mark(1,1)"
    _, player = chosen("minimaxid", position(), budget=Budget(nodes=200))
    assert player.last_result is not None
    assert player.last_result.depth == 2, "81 states to depth 2, 585 to depth 3"


def test_a_dead_end_is_worth_nothing() -> None:
    game = gamemaster.parse(
        "role(x) init(n(1)) legal(x,a) :- true(n(1)) legal(x,b) :- true(n(1)) "
        "next(n(2)) :- does(x,a) next(n(3)) :- does(x,b) terminal :- true(n(4)) goal(x,70)"
    )
    player = ready("minimax", "x", game)
    player.think(game.initial_state(), Budget())
    assert player.last_result is not None
    assert set(player.last_result.values.values()) == {0}


def test_a_forced_step_of_all_roles_is_no_choice() -> None:
    game = gamemaster.parse(
        "role(x) role(y) init(n(1)) legal(x,a) :- true(n(1)) legal(x,b) :- true(n(1)) legal(y,noop) "
        "legal(x,noop) :- true(n(2)) next(n(2)) :- true(n(1)) next(n(3)) :- true(n(2)) "
        "next(p) :- does(x,b) next(p) :- true(p) terminal :- true(n(3)) goal(x,100) :- true(p) goal(x,0) :- ~true(p) "
        "goal(y,0)"
    )
    player = ready("minimax", "x", game)
    assert str(player.play(None)) == "b"


@pytest.mark.parametrize("name", LOOKING_AHEAD)
def test_players_that_look_ahead_refuse_simultaneous_moves(name: str) -> None:
    with pytest.raises(
        Unsuitable, match=f"{name} cannot play roshambo: left and right choose at once in step 1"
    ):
        ready(name, "left", ROSHAMBO_GAME)


@pytest.mark.parametrize("name", LOOKING_AHEAD)
def test_players_that_look_ahead_refuse_chance(name: str) -> None:
    with pytest.raises(Unsuitable, match=f"{name} cannot play die: the role 'random' is chance"):
        ready(name, "player", DIE_GAME)


def test_simultaneous_moves_later_in_the_game_are_refused_too() -> None:
    game = gamemaster.parse(LATER, name="later")
    with pytest.raises(Unsuitable, match="left and right choose at once in step 2"):
        ready("minimax", "left", game)


def test_simultaneous_moves_that_only_the_search_meets_are_refused_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(classroom, "SAMPLES", 0)
    player = ready("minimax", "left", gamemaster.parse(LATER, name="later"))
    with pytest.raises(
        Unsuitable, match="minimax cannot play later: left and right choose at once in step 2"
    ):
        player.play(None)


def test_looking_for_simultaneous_moves_takes_no_longer_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classroom, "SAMPLE_SECONDS", -1.0)
    ready("minimax", "left", gamemaster.parse(LATER, name="later"))


# Those that search


@pytest.mark.parametrize("name", ["greedy", "pts"])
def test_trees_refuse_simultaneous_moves_at_start(name: str) -> None:
    with pytest.raises(Unsuitable, match=f"{name} cannot play roshambo: left and right choose at once"):
        ready(name, "right", ROSHAMBO_GAME)


def test_the_maximizer_refuses_other_roles_and_solves_a_puzzle() -> None:
    with pytest.raises(Unsuitable, match="maximizer"):
        ready("maximizer", "x", GAMES["tictactoe"])
    player = ready("maximizer", "robot", gamemaster.load("buttonsandlights"))
    state, message = player.game.initial_state(), None
    while not state.is_terminal:
        message = player.play(message)
        state = advance(state, message)
    assert state.goal("robot") == 100


@pytest.mark.parametrize(
    ("game", "algorithm"),
    [
        (GAMES["tictactoe"], "mcts"),
        (gamemaster.load("tictactoe", machine="reference"), "uct"),
        (DIE_GAME, "mcts"),
        (ROSHAMBO_GAME, "decoupled"),
    ],
    ids=str,
)
def test_mcts_takes_the_search_that_takes_the_game(game: Game, algorithm: str) -> None:
    role = next(role for role in game.roles if role != "random")
    make_ready(game)  # without machine code, tictactoe too is searched in Python
    player = ready("mcts", role, game)
    assert player.play(None) in game.initial_state().legal_moves(role)
    assert player.last_result is not None
    assert player.last_result.algorithm == algorithm


@pytest.mark.parametrize("name", ["mcs", "pts"])
def test_a_search_without_a_move_in_time_leaves_the_first(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = SearchResult(name, "x", None, 0.0)
    player = ready(name, "x", GAMES["tictactoe"])
    monkeypatch.setattr("gamemaster.search.parameters.find_algorithm", lambda _: lambda *_, **__: nothing)
    monkeypatch.setattr("gamemaster.search.trees.gametree.GameTree.search", lambda *_: nothing)
    assert player.play(None) == GAMES["tictactoe"].initial_state().legal_moves("x")[0]


@pytest.mark.parametrize("name", ["greedy", "pts", "mcs", "mcts", "alphabeta"])
def test_searching_players_take_a_win_and_say_why(name: str) -> None:
    win = position("mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)")
    move, player = chosen(name, win, budget=Budget(seconds=600, nodes=3_000, playouts=3_000))
    assert move == "mark(1,3)"
    assert player.last_result is not None
    assert player.last_result.value > 90


def test_a_tree_is_kept_from_move_to_move() -> None:
    player = ready("pts", "red", GAMES["connectfour"])
    assert isinstance(player, Pts)
    player.start("red", GAMES["connectfour"], 1.0, 0.3)
    first = player.play(None)
    tree = player.tree
    assert tree is not None
    state = GAMES["connectfour"].initial_state()
    assert tree.root.state == state
    assert player.play(first) is False
    player.play("drop(4)")
    assert player.tree is tree
    assert tree.root.state.step == 2
    player.start("red", GAMES["connectfour"], 1.0, 0.3)
    assert player.tree is None


@pytest.mark.parametrize("name", ["greedy", "pts"])
def test_trees_refuse_moves_at_once_that_come_later(name: str) -> None:
    with pytest.raises(
        Unsuitable, match=f"{name} cannot play later: left and right choose at once in step 2"
    ):
        ready(name, "right", gamemaster.parse(LATER, name="later"))


@pytest.mark.parametrize("name", ["greedy", "pts"])
def test_trees_leave_it_to_mcs_where_moves_at_once_were_not_foreseen(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classroom, "SAMPLES", 0)
    monkeypatch.setattr("gamemaster.players.searching.Searcher.prepare", lambda self: None)
    game = gamemaster.parse(LATER, name="later")
    player = ready(name, "left", game)
    assert player.play(None) in game.initial_state().legal_moves("left")
    assert player.last_result is not None
    assert player.last_result.algorithm == "mcs"
    assert player.play({"left": "a", "right": "noop"}) in ("a", "b")


@pytest.mark.parametrize("name", ["greedy", "pts"])
def test_trees_take_chance_that_moves_alone(name: str) -> None:
    game = gamemaster.parse(GAMBLE)
    assert ready(name, "robot", game).play(None) == "gamble"


def test_mcs_takes_any_of_equally_good_moves_and_the_same_for_the_same_seed() -> None:
    sheet = "role(r) init(s) legal(r,m(N)) :- n(N) n(1) n(2) n(3) n(4) next(t) terminal :- true(t) goal(r,50)"
    game = gamemaster.parse(sheet)

    def first(seed: int) -> str:
        return str(ready("mcs", "r", game, seed).play(None))

    assert {first(seed) for seed in range(30)} == {"m(1)", "m(2)", "m(3)", "m(4)"}
    assert first(3) == first(3)


@pytest.mark.parametrize("sheet", [ROSHAMBO, DIE, HIDDEN])
def test_those_who_are_said_to_take_a_game_do(sheet: str) -> None:
    game = gamemaster.parse(sheet)
    takers = takers_of(game)
    assert ("mcts" in takers) == (not game.has_percepts)
    for name in takers:
        assert library_player(name)(seed=0).start(game.roles[-1], game, 0.5, 0.5) == "ready"
    for name in set(TAKERS) - set(takers):
        with pytest.raises(Unsuitable):
            library_player(name)(seed=0).start(game.roles[-1], game, 0.5, 0.5)
