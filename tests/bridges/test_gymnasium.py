"""Games as environments of Gymnasium: its own checks, and games on lanes beside single ones."""

from __future__ import annotations

import copy
import doctest
import importlib
import pickle
import random
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

import gamemaster as gm
from gamemaster.bridges.encoding import Encoding
from gamemaster.bridges.episode import Episode, EpisodeOptions, Signs
from gamemaster.bridges.gymnasium import LanesEnv, env, vector_env
from gamemaster.bridges.lane_games import Numbers, picked

PUZZLES = ("eightpuzzle", "peg", "hunter", "buttonsandlights", "subsetsum:six")
WITHOUT_CHANCE = (
    "tictactoe",
    "connectfour:small",
    "eightpuzzle",
    "roshambo",
    "tron:small",
    "threehouses:short",
    "capturetheflag",
    "nim",
    "coinstack",
)
MAKE = "gamemaster.bridges.gymnasium:Gamemaster-v0"
PAGE = Path(__file__).parent.parent.parent / "docs" / "bridges.md"

WALK = """
    role(walker) role(random)
    init(at(2))
    succ(0,1) succ(1,2) succ(2,3) succ(3,4)
    legal(walker,left) legal(walker,right)
    legal(random,still) legal(random,wind)
    next(at(N)) :- does(walker,right) & true(at(M)) & succ(M,N) & does(random,still)
    next(at(N)) :- does(walker,left) & true(at(M)) & succ(N,M)
    next(at(M)) :- does(walker,right) & true(at(M)) & does(random,wind)
    terminal :- true(at(0))
    terminal :- true(at(4))
    goal(walker,100) :- true(at(4))
    goal(walker,0) :- ~true(at(4))
    goal(random,0)
"""
"""A puzzle with chance: wind may hold the walker back."""

DEAD_END = (
    "role(x) init(f(1)) legal(x,a) :- true(f(1)) legal(x,b) :- true(f(1)) next(f(2)) :- does(x,a) goal(x,0)"
)
ENDLESS = "role(x) init(f(1)) legal(x,go) next(f(1)) goal(x,0) terminal :- true(f(2))"
FORCED = "role(x) init(f(1)) legal(x,go) next(f(2)) :- does(x,go) terminal :- true(f(2)) goal(x,100)"


def walk() -> gm.Game:
    return gm.parse(WALK, name="walk")


# Single puzzles


@pytest.mark.parametrize("name", PUZZLES)
def test_gymnasiums_own_check_passes(name: str) -> None:
    """With a spec, so that it checks every render mode too."""
    check_env(gymnasium.make(MAKE, game=name).unwrapped)


@pytest.mark.slow
def test_gymnasiums_own_check_passes_for_large_puzzles() -> None:
    for name in ("sudoku", "knightstour:chessboard"):
        check_env(gymnasium.make(MAKE, game=name).unwrapped)


@pytest.mark.filterwarnings("ignore:.*the environment not having a spec")
def test_gymnasiums_own_check_passes_for_a_puzzle_with_chance() -> None:
    check_env(env(walk()))


def test_the_examples_of_the_page_are_true() -> None:
    text = PAGE.read_text()
    section = text[text.index("## Gymnasium") :].partition("\n## ")[0]
    test = doctest.DocTestParser().get_doctest(section, {}, "Gymnasium", str(PAGE), 0)
    told: list[str] = []
    assert doctest.DocTestRunner().run(test, out=told.append).attempted > 10
    assert told == []


@pytest.mark.parametrize("name", PUZZLES)
def test_a_puzzle_is_play_by_states(name: str) -> None:
    puzzle, generator = env(name, reward_range=(0, 100)), np.random.default_rng(1)
    row, info = puzzle.reset(seed=1)
    state = puzzle.game.initial_state()
    while True:
        assert puzzle.observation_space.contains(row)
        legal = [puzzle.moves[action] for action in np.flatnonzero(info["action_mask"])]
        assert set(legal) == set(map(str, state.legal_moves(puzzle.role)))
        row, reward, is_terminated, is_truncated, info = puzzle.step(
            puzzle.moves.index(str(generator.choice(legal)))
        )
        for moves in info["moves"]:
            state = state.next(moves)
        assert state == puzzle.game_state
        assert (is_terminated, is_truncated) == (state.is_terminal, False)
        if is_terminated:
            break
        assert reward == 0
    assert reward == state.goal(puzzle.role)
    assert not info["action_mask"].any()


def test_chance_is_drawn_with_the_seed() -> None:
    puzzle = env(walk())

    def walked(seed: int) -> list[str]:
        puzzle.reset(seed=seed)
        return [str(puzzle.step(puzzle.moves.index("right"))[4]["moves"]) for _ in range(2)]

    assert [walked(seed) for seed in range(9)] == [walked(seed) for seed in range(9)]
    assert len({str(walked(seed)) for seed in range(20)}) == 4


def test_what_a_puzzle_refuses() -> None:
    puzzle = env("eightpuzzle")
    with pytest.raises(gm.StateError, match="step was called, and no game is being played"):
        puzzle.step(0)
    with pytest.raises(gm.StateError, match="game_state was asked for"):
        _ = puzzle.game_state
    with pytest.raises(gm.ParameterError, match="seed must be a whole number, 0 or more, not -3"):
        puzzle.reset(seed=-3)
    puzzle.reset()
    for action in (99, 1.0, None):
        with pytest.raises(gm.ParameterError, match="action must be a whole number from 0 to 8"):
            puzzle.step(action)  # type: ignore[arg-type]
    with pytest.raises(gm.Unsuitable, match=r"tictactoe has 2 roles.*others='random'.*pettingzoo"):
        env("tictactoe")
    with pytest.raises(gm.Unsuitable, match="forced ends, 100 times of 100"):
        env(gm.parse(FORCED, name="forced")).reset()


def test_an_illegal_action_ends_a_puzzle_or_is_an_error() -> None:
    puzzle = env("eightpuzzle")
    _, info = puzzle.reset()
    wrong = int(info["action_mask"].argmin())
    _, reward, is_terminated, _, info = puzzle.step(wrong)
    assert (reward, is_terminated, info["illegal"]) == (-1.0, True, ["robot"])
    with pytest.raises(gm.StateError, match="no game is being played"):
        puzzle.step(0)
    strict = env("eightpuzzle", illegal_reward=None)
    strict.reset()
    with pytest.raises(gm.IllegalMove, match=f"action {wrong}.*legal: slide"):
        strict.step(wrong)
    assert strict.game_state.step == 0


def test_a_puzzle_is_truncated_and_begins_where_it_is_told() -> None:
    game = gm.load("eightpuzzle")
    start = game.initial_state().next("slide(1,2)")
    puzzle = env(game, max_steps=1, render_mode="ansi")
    _, info = puzzle.reset(options={"start": start})
    assert puzzle.game_state == start
    *_, is_terminated, is_truncated, _ = puzzle.step(int(info["action_mask"].argmax()))
    assert (is_terminated, is_truncated) == (False, True)
    assert str(puzzle.render()).splitlines()[0].split() == ["1", "2", "3"]
    silent = env(game)
    silent.reset()
    assert silent.render() is None


# Games on lanes


def play_beside(games: LanesEnv, steps: int, generator: np.random.Generator) -> int:
    """Play lanes and single games by the same actions; how many ended. They must be told the same at each step."""
    encoding, options = Encoding.of(games.game), EpisodeOptions()

    def single() -> Episode:
        episode = Episode(encoding, options, generator, games.game.initial_state())
        episode.settle()
        return episode

    rows, infos = games.reset(seed=1)
    singles, ended = [single() for _ in range(games.num_envs)], 0
    asked: list[list[str]] = [[*episode.choosers] for episode in singles]
    chosen: list[dict[str, Any]] = [{} for _ in singles]
    for _ in range(steps):
        for number, episode in enumerate(singles):
            role = asked[number][0]
            assert games.roles[infos["to_play"][number]] == role
            assert np.array_equal(rows[number], episode.observation(role))
            assert np.array_equal(infos["action_mask"][number], episode.mask(role))
        actions = picked(infos["action_mask"], generator)
        rows, rewards, terminated, _, infos = games.step(actions)
        for number, episode in enumerate(singles):
            role = asked[number].pop(0)
            chosen[number][role] = episode.move(role, int(actions[number]))
            if not asked[number]:
                episode.step(chosen[number])
                episode.settle()
                chosen[number], asked[number] = {}, [*episode.choosers]
            assert terminated[number] == episode.is_terminated
            assert rewards[number] == episode.reward(games.role)
            assert infos["rewards"][number].tolist() == [episode.reward(role) for role in games.roles]
            if episode.is_over:
                assert np.array_equal(infos["final_obs"][number], episode.observation(games.role))
                ended += 1
                singles[number] = single()
                asked[number] = [*singles[number].choosers]
            assert games.game_state(number) == singles[number].state
    return ended


@pytest.mark.parametrize("name", WITHOUT_CHANCE)
def test_games_on_lanes_are_single_games(name: str) -> None:
    games = vector_env(name, 7, autoreset_mode="SameStep")
    assert play_beside(games, 40, np.random.default_rng(2)) or name == "capturetheflag"


@pytest.mark.slow
def test_many_games_on_lanes_are_single_games() -> None:
    """More than one vector of lanes; the last not full."""
    games = vector_env("tictactoe", 300, role="o", autoreset_mode="SameStep")
    assert play_beside(games, 12, np.random.default_rng(2)) > 300
    assert play_beside(vector_env("chess", 3, autoreset_mode="SameStep"), 60, np.random.default_rng(2)) >= 0


def outcomes(state: gm.State, choices: dict[str, str] | None) -> Iterator[gm.State]:
    """Where a game can be when a player has a choice again, after moves by those who had one."""
    roles = state.game.roles
    players = [role for role in roles if role != "random" and len(state.legal_moves(role)) > 1]
    if state.is_terminal or (players and choices is None):
        yield state
        return
    moves = [
        [(choices or {})[role]] if role in players else [*map(str, state.legal_moves(role))] for role in roles
    ]
    for joint in product(*moves):
        yield from outcomes(state.next(dict(zip(roles, joint, strict=True))), None)


@pytest.mark.parametrize("name", ["dicerace", "walk"])
def test_chance_on_lanes_does_what_it_may(name: str) -> None:
    games = vector_env(walk() if name == "walk" else name, 20)
    _, infos = games.reset(seed=1)
    drawn = set()
    for _ in range(20):
        states = [games.game_state(number) for number in range(games.num_envs)]
        to_play, actions = infos["to_play"], games.sample_actions()
        _, _, terminated, _, infos = games.step(actions)
        for number, state in enumerate(states):
            if state.is_terminal:
                assert games.game_state(number) in {*outcomes(games.game.initial_state(), None)}
                continue
            move = {games.roles[to_play[number]]: games.moves[actions[number]]}
            possible = {*outcomes(state, move)}
            assert games.game_state(number) in possible
            assert terminated[number] == games.game_state(number).is_terminal
            drawn.add((state, *move.values(), games.game_state(number)))
    assert len(drawn) > len(
        {(state, move) for state, move, _ in drawn}
    )  # the same move ends in different states


def test_the_same_seed_gives_the_same_games() -> None:
    def told(seed: int) -> str:
        games = vector_env("dicerace", 9)
        games.reset(seed=seed)
        games.action_space.seed(3)
        return str([games.step(games.sample_actions()) for _ in range(20)])

    assert told(1) == told(1)
    assert told(1) != told(2)


# One role against others


def first_legal(rows: Signs, masks: Signs, roles: Numbers) -> Numbers:
    assert len(rows) == len(masks) == len(roles)
    actions: Numbers = masks.argmax(axis=1)
    return actions


def test_others_are_played_by_a_function() -> None:
    """The learner's moves and the first legal one of others, as in a single game."""
    games = vector_env("connectfour:small", 5, role="black", others=first_legal)
    _, infos = games.reset(seed=1)
    states, generator = [games.game.initial_state().next("drop(1)")] * 5, random.Random(1)
    for _ in range(2):
        assert [games.game_state(number) for number in range(5)] == states
        assert set(infos["to_play"].tolist()) == {1}
        moves = [generator.choice(state.legal_moves("black")) for state in states]
        _, _, terminated, _, infos = games.step([games.moves.index(str(move)) for move in moves])
        for number, move in enumerate(moves):
            states[number] = states[number].next(move)
            if not states[number].is_terminal:
                states[number] = states[number].next(states[number].legal_moves("red")[0])
        assert not terminated.any()


def test_the_first_player_of_a_random_game_wins_more_often() -> None:
    means = {}
    for role in ("x", "o"):
        games = vector_env("tictactoe", 500, role=role, others="random")
        rewards: list[float] = []
        games.reset(seed=1)
        games.action_space.seed(1)
        for _ in range(30):
            _, own, terminated, _, infos = games.step(games.sample_actions())
            rewards.extend(own[terminated])
            assert set(infos["to_play"].tolist()) <= {games.roles.index(role), -1}
        means[role] = np.mean(rewards)
    assert means["x"] == pytest.approx(0.65, abs=0.05)
    assert means["o"] == pytest.approx(0.35, abs=0.05)


def test_others_may_play_at_once_with_the_learner() -> None:
    games = vector_env("roshambo:once", 300, role="bob", others="random", reward_range=(-1, 1))
    games.reset(seed=1)
    _, rewards, terminated, _, infos = games.step(np.zeros(300, np.int64))
    assert terminated.all()
    assert {*rewards.tolist()} == {-1.0, 0.0, 1.0}
    assert np.array_equal(infos["rewards"].sum(axis=1), np.zeros(300))


def test_episodes_that_others_end_before_there_is_a_choice_are_drawn_again() -> None:
    """In this game alice may take all at once, and bob has nothing to do."""
    rules = """
        role(alice) role(bob) init(coins(2)) init(control(alice))
        legal(alice,take(1)) :- true(control(alice))
        legal(alice,take(2)) :- true(control(alice))
        legal(bob,leave) :- true(control(bob))
        legal(bob,grab) :- true(control(bob))
        legal(alice,noop) :- true(control(bob))
        legal(bob,noop) :- true(control(alice))
        next(control(bob)) :- does(alice,take(1))
        next(over) :- does(alice,take(2))
        next(over) :- true(control(bob))
        terminal :- true(over)
        goal(alice,50) goal(bob,50)
    """
    games = vector_env(gm.parse(rules, name="coins"), 50, role="bob", others="random")
    _, infos = games.reset(seed=1)
    assert set(infos["to_play"].tolist()) == {1}
    all_at_once = games.moves.index("take(2)")
    never = vector_env(games.game, 5, role="bob", others=lambda rows, *_: [all_at_once] * len(rows))
    with pytest.raises(gm.Unsuitable, match="coins ends, 100 times of 100, before there is a choice"):
        never.reset()


# Autoreset, limits, illegal actions


def test_the_next_game_begins_in_the_next_step() -> None:
    games = vector_env("roshambo:once", 3)
    assert games.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    first, _ = games.reset(seed=1)
    games.step([0, 0, 0])
    last, _, terminated, _, infos = games.step([1, 1, 1])
    assert terminated.all()
    assert infos["to_play"].tolist() == [-1, -1, -1]
    assert infos["action_mask"].all()  # whatever is given is not looked at
    rows, rewards, terminated, truncated, infos = games.step([2, 0, 1])
    assert np.array_equal(rows, first)
    assert not np.array_equal(rows, last)
    assert not rewards.any()
    assert not terminated.any()
    assert not truncated.any()
    assert infos["to_play"].tolist() == [0, 0, 0]


def test_the_next_game_begins_in_the_same_step() -> None:
    games = vector_env("roshambo:once", 2, autoreset_mode=AutoresetMode.SAME_STEP)
    first, _ = games.reset(seed=1)
    paper, rock = games.moves.index("paper"), games.moves.index("rock")
    *_, infos = games.step([paper, paper])
    assert "final_obs" not in infos
    rows, rewards, terminated, _, infos = games.step([paper, rock])
    assert terminated.all()
    assert np.array_equal(rows, first)
    assert infos["_final_obs"].all()
    assert not np.array_equal(infos["final_obs"], first)
    assert infos["final_info"]["rewards"].tolist() == [[0.5, 0.5], [1, 0]]
    assert rewards.tolist() == [0.5, 1]


def test_games_wait_for_a_reset_where_nothing_else_begins_them() -> None:
    games = vector_env("roshambo:once", 2, autoreset_mode="Disabled")
    with pytest.raises(gm.StateError, match="reset_mask leaves out games that have not begun"):
        games.reset(options={"reset_mask": np.array([True, False])})
    games.reset(seed=1)
    games.step([0, 0])
    *_, infos = games.step([0, 1])
    assert not infos["action_mask"].any()
    with pytest.raises(gm.StateError, match="game 0 among others, and no game is being played"):
        games.step([0, 0])
    games.reset(options={"reset_mask": np.array([True, False])})
    assert [games.game_state(number).is_terminal for number in (0, 1)] == [False, True]
    with pytest.raises(gm.StateError, match="game 1 among others"):
        games.step([0, 0])
    for mask in ([True, False], np.array([1, 0]), np.array([True])):
        with pytest.raises(gm.ParameterError, match="reset_mask must be an array of 2 bools"):
            games.reset(options={"reset_mask": mask})


def test_games_are_truncated_after_the_last_step_allowed() -> None:
    games = vector_env("tictactoe", 2, max_steps=2, reward_range=(-1, 1))
    games.reset()
    assert not games.step([0, 0])[3].any()
    _, rewards, terminated, truncated, _ = games.step([1, 1])
    assert truncated.all()
    assert not terminated.any()
    assert not rewards.any()
    assert not games.step([1, 1])[3].any()
    assert games.game_state(0).step == 0


def test_an_illegal_action_ends_its_game_only() -> None:
    games = vector_env("tictactoe", 3, illegal_reward=-5)
    games.reset()
    games.step([4, 4, 4])
    _, rewards, terminated, _, infos = games.step([0, 4, 1])
    assert terminated.tolist() == infos["illegal"].tolist() == [False, True, False]
    assert infos["rewards"].tolist() == [[0, 0], [0, -5], [0, 0]]
    assert rewards.tolist() == [0, 0, 0]  # x has done nothing wrong
    _, _, terminated, _, infos = games.step([1, 0, 0])
    assert not terminated.any()
    assert not infos["illegal"].any()
    strict = vector_env("tictactoe", 3, illegal_reward=None)
    strict.reset()
    strict.step([4, 4, 4])
    with pytest.raises(
        gm.IllegalMove, match=r"mark\(2,2\) \(action 4 in game 1\)' for role 'o' in step 2; legal"
    ):
        strict.step([0, 4, 1])
    assert strict.game_state(0).step == 1
    assert strict.step([0, 1, 1])[2].tolist() == [False] * 3  # the step can be taken again
    cheat = vector_env("tictactoe", 3, role="x", others=lambda rows, *_: [4] * len(rows))
    cheat.reset()
    with pytest.raises(gm.IllegalMove, match=r"action 4 in game 0\)' for role 'o'"):
        cheat.step([4, 4, 4])


def test_a_move_that_is_legal_for_somebody_else_is_illegal() -> None:
    games = vector_env("dicerace", 2)
    _, infos = games.reset(seed=1)
    noop = games.moves.index("noop")
    assert not infos["action_mask"][:, noop].any()
    *_, infos = games.step([noop, noop])
    assert infos["illegal"].all()


# What goes wrong


def test_what_a_vector_refuses() -> None:
    games = vector_env("tictactoe", 2)
    with pytest.raises(gm.StateError, match="step was called, and no game is being played"):
        games.step([0, 0])
    with pytest.raises(gm.ParameterError, match="seed must be a whole number"):
        games.reset(seed=-1)
    games.reset()
    for actions in ([0], [[0, 1]], [0.0, 1.0], ["0", "1"], None, [True, False]):
        with pytest.raises(gm.ParameterError, match="actions must be an array of 2 whole numbers"):
            games.step(actions)  # type: ignore[arg-type]
    for actions in ([0, 9], [0, -1]):
        with pytest.raises(gm.ParameterError, match="actions must be from 0 to 8; the one of game 1 is"):
            games.step(actions)
    with pytest.raises(gm.ParameterError, match="number must be a whole number from 0 to 1, not 2"):
        games.game_state(2)


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"num_envs": 0}, gm.ParameterError, "num_envs must be a whole number, 1 or more, not 0"),
        ({"role": "z"}, gm.UnknownRole, "no role 'z' in dicerace"),
        ({"role": "random"}, gm.ParameterError, "role 'random' is chance; choose one of red, blue"),
        (
            {"others": "strong"},
            gm.ParameterError,
            "others must be None, 'random' or a function, not 'strong'",
        ),
        (
            {"autoreset_mode": "never"},
            gm.ParameterError,
            "one of 'NextStep', 'SameStep', 'Disabled', not 'never'",
        ),
        ({"render_mode": "human"}, gm.ParameterError, "render_mode must be None or one of"),
        ({"max_steps": -1}, gm.ParameterError, "max_steps must be a whole number, 1 or more"),
    ],
)
def test_what_is_no_option_is_refused(options: dict[str, Any], error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        vector_env("dicerace", **{"num_envs": 2, **options})


def test_games_that_lanes_cannot_play_are_refused() -> None:
    with pytest.raises(gm.Unsuitable, match=r"higherlower hides its state.*gamemaster\.bridges\.pettingzoo"):
        vector_env("higherlower", 2)
    with pytest.raises(gm.Unsuitable, match="forced ends, 100 times of 100"):
        vector_env(gm.parse(FORCED, name="forced"), 2).reset()
    with pytest.raises(gm.Unsuitable, match="endless goes on for 1,000 steps in which nobody has a choice"):
        vector_env(gm.parse(ENDLESS, name="endless"), 2).reset()
    dead = vector_env(gm.parse(DEAD_END, name="dead"), 3)
    dead.reset()
    with pytest.raises(gm.GameIllDefined, match="no role has a legal move in step 2"):
        dead.step([0, 0, 0])


# Gymnasium's own things, copies, pictures, imports


def test_gymnasium_makes_them_by_name() -> None:
    puzzle = gymnasium.make(MAKE, game="eightpuzzle", max_steps=3)
    puzzle.reset(seed=1)
    games = gymnasium.make_vec(MAKE, num_envs=3, game="tictactoe", role="o")
    assert isinstance(games.unwrapped, LanesEnv)
    assert games.unwrapped.role == "o"
    wrapped = DictInfoToList(RecordEpisodeStatistics(games))
    wrapped.reset(seed=1)
    for _ in range(12):
        *_, infos = wrapped.step(games.unwrapped.sample_actions())
    assert len(infos) == 3
    assert infos[0]["action_mask"].shape == (9,)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda games: pickle.loads(pickle.dumps(games))])
def test_a_copy_goes_on_from_there_on_its_own(copied: Callable[[LanesEnv], LanesEnv]) -> None:
    games = vector_env("dicerace", 4)
    games.reset(seed=1)
    games.step(games.sample_actions())
    twin = copied(games)
    first = [str(twin.step(twin.sample_actions())) for _ in range(9)]
    assert first == [str(games.step(games.sample_actions())) for _ in range(9)]
    puzzle = env(walk())
    puzzle.reset(seed=1)
    other = copy.deepcopy(puzzle)
    told = [str(other.step(1)) for _ in range(2)]
    assert puzzle.game_state.step == 0
    assert told == [str(puzzle.step(1)) for _ in range(2)]


def test_what_was_told_is_not_changed_by_later_steps() -> None:
    games = vector_env("connectfour", 4, autoreset_mode="SameStep")
    kept: list[Any] = [games.reset(seed=1)]
    texts = [str(kept[0])]
    for _ in range(30):
        kept.append(games.step(games.sample_actions()))
        texts.append(str(kept[-1]))
    assert [str(each) for each in kept] == texts


def test_all_games_are_drawn() -> None:
    games = vector_env("tictactoe", 2, render_mode="ansi")
    games.reset()
    games.step([4, 0])
    drawn = games.render()
    assert "2 · x ·" in drawn[0]
    assert "1 x · ·" in drawn[1]
    games.close()
    silent = vector_env("tictactoe", 2)
    silent.reset()
    assert silent.render() is None


def test_games_begin_where_they_are_told() -> None:
    game = gm.load("tictactoe")
    start = game.initial_state().next("mark(2,2)")
    games = vector_env(game, 2)
    _, infos = games.reset(options={"start": start})
    assert games.game_state(1) == start
    assert infos["to_play"].tolist() == [1, 1]


def test_marked_columns_are_picked_with_the_same_chance() -> None:
    marked = np.array([[0, 1, 0, 1, 1]] * 3000 + [[0] * 5], np.int8)
    found = picked(marked, np.random.default_rng(1))
    assert found[-1] == 0
    counts = np.bincount(found[:-1], minlength=5)
    assert counts[[0, 2]].tolist() == [0, 0]
    assert counts[[1, 3, 4]].min() > 900
    assert picked(np.zeros((2, 0), np.int8), np.random.default_rng(1)).tolist() == [0, 0]


def test_without_gymnasium_the_bridge_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, "gamemaster.bridges.gymnasium")
    with pytest.raises(gm.NotInstalled, match=r"pip install 'gamemaster\[gymnasium\]'"):
        importlib.import_module("gamemaster.bridges.gymnasium")
