"""Games as environments of PettingZoo: its own tests, play beside plain states, and what goes wrong."""

from __future__ import annotations

import copy
import doctest
import importlib
import pickle
import random
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pettingzoo.utils.wrappers import (  # type: ignore[import-untyped]
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

import gamemaster as gm
from gamemaster.bridges.pettingzoo import RoleByRole, aec_env, parallel_env

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its tests import a game of its own in a way that it deprecates
    from pettingzoo.test import (  # type: ignore[import-untyped]
        api_test,
        parallel_api_test,
        parallel_seed_test,
        seed_test,
    )

GAMES = (
    "tictactoe",
    "connectfour",
    "eightpuzzle",  # one role
    "roshambo",  # simultaneous
    "tron:small",
    "dicerace",  # chance
    "higherlower",  # hidden
    "threehouses:short",  # three roles
    "capturetheflag",  # four
    "nim",
)
PAGE = Path(__file__).parent.parent.parent / "docs" / "bridges.md"

# PettingZoo's tests recommend other names for agents, and other spaces, to all but its own games.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:pettingzoo.test")

CARDS = """
    role(dealer_friend) role(guesser) role(random)
    init(part(deal))
    legal(random,deal(red)) :- true(part(deal))
    legal(random,deal(black)) :- true(part(deal))
    legal(dealer_friend,wave(1)) :- true(part(wave))
    legal(dealer_friend,wave(2)) :- true(part(wave))
    legal(guesser,say(red)) :- true(part(say))
    legal(guesser,say(black)) :- true(part(say))
    legal(random,noop) :- ~true(part(deal))
    legal(dealer_friend,noop) :- ~true(part(wave))
    legal(guesser,noop) :- ~true(part(say))
    next(part(wave)) :- true(part(deal))
    next(part(say)) :- true(part(wave))
    next(part(done)) :- true(part(say))
    next(card(C)) :- does(random,deal(C))
    next(card(C)) :- true(card(C))
    next(right) :- does(guesser,say(C)) & true(card(C))
    sees(guesser,card(C)) :- does(random,deal(C))
    sees(guesser,waved) :- does(dealer_friend,wave(N))
    terminal :- true(part(done))
    goal(guesser,100) :- true(right)
    goal(guesser,0) :- ~true(right)
    goal(dealer_friend,50)
    goal(random,0)
"""
"""Chance shows a card to the guesser, who is asked only after somebody else has chosen."""

DEAD_END = (
    "role(x) init(f(1)) legal(x,a) :- true(f(1)) legal(x,b) :- true(f(1)) next(f(2)) :- does(x,a) goal(x,0)"
)
ENDLESS = "role(x) init(f(1)) legal(x,go) next(f(1)) goal(x,0) terminal :- true(f(2))"
FORCED = "role(x) init(f(1)) legal(x,go) next(f(2)) :- does(x,go) terminal :- true(f(2)) goal(x,100)"


def cards() -> gm.Game:
    return gm.parse(CARDS, name="cards")


# Their tests


@pytest.mark.parametrize("name", GAMES)
def test_pettingzoos_own_tests_pass(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    game = gm.load(name)
    api_test(aec_env(game), num_cycles=60)
    seed_test(lambda: aec_env(game), num_cycles=40)
    parallel_api_test(parallel_env(game), num_cycles=60)
    assert capsys.readouterr().out.count("Passed") == 2


def test_the_same_seed_gives_the_same_parallel_game() -> None:
    parallel_seed_test(lambda: parallel_env("roshambo"))


@pytest.mark.slow
def test_pettingzoos_own_tests_pass_for_chess() -> None:
    api_test(aec_env("chess"), num_cycles=100)
    parallel_api_test(parallel_env("chess"), num_cycles=100)


def test_the_examples_of_the_page_are_true() -> None:
    text = PAGE.read_text()
    section = text[text.index("## PettingZoo") :].partition("\n## ")[0]
    test = doctest.DocTestParser().get_doctest(section, {}, "PettingZoo", str(PAGE), 0)
    told: list[str] = []
    assert doctest.DocTestRunner().run(test, out=told.append).attempted > 10
    assert told == []


# The same games as states


@pytest.mark.parametrize("name", [*GAMES, "chinesecheckers3", "othello"])
def test_play_role_by_role_is_play_by_states(name: str) -> None:
    """Every role asked has the choice it has in the state; all moves made lead from state to state."""
    env, generator = aec_env(name), random.Random(3)
    for seed in range(3):
        env.reset(seed=seed)
        state, length = env.game.initial_state(), 0
        while not any(env.terminations.values()) and length < 80:
            agent = env.agent_selection
            observed = env.observe(agent)
            legal = [env.moves[action] for action in np.flatnonzero(observed["action_mask"])]
            assert legal == sorted(map(str, env.game_state.legal_moves(agent)), key=env.moves.index)
            assert len(legal) > 1
            if not env.game.has_percepts:
                assert env.game.compiled is not None
                assert np.array_equal(observed["observation"], env.state())
            env.step(env.moves.index(generator.choice(legal)))
            episode = env._episode
            assert episode is not None
            for moves in episode.history[length:]:
                state = state.next(moves)
            length = len(episode.history)
            assert state == env.game_state
            assert (state.step, state.is_terminal) == (length, any(env.terminations.values()))
        if state.is_terminal:
            assert env.rewards == {agent: (state.goal(agent) or 0) / 100 for agent in env.agents}


@pytest.mark.parametrize("name", GAMES)
def test_parallel_play_is_play_by_states(name: str) -> None:
    env, generator = parallel_env(name, reward_range=(0, 100)), random.Random(4)
    observations, _ = env.reset(seed=4)
    state = env.game.initial_state()
    while env.agents and state.step < 60:
        actions = {}
        for agent, observed in observations.items():
            legal = np.flatnonzero(observed["action_mask"])
            assert {env.moves[action] for action in legal} == set(map(str, state.legal_moves(agent)))
            if len(legal):
                actions[agent] = int(generator.choice(legal))
        observations, rewards, terminations, truncations, _ = env.step(actions)
        episode = env._episode
        assert episode is not None
        state = state.next(episode.history[-1])
        assert state == env.game_state
        assert not any(truncations.values())
        assert set(terminations.values()) == {state.is_terminal}
        expected = {agent: float(state.goal(agent) or 0) if state.is_terminal else 0.0 for agent in rewards}
        assert rewards == expected


def test_moves_at_once_are_made_together_and_nobody_sees_them_before() -> None:
    env = aec_env("roshambo:once")
    seen = set()
    for shape in ("rock", "paper"):
        env.reset()
        assert env.agent_selection == "alice"
        env.step(env.moves.index(shape))
        assert (env.agent_selection, env.game_state.step) == ("bob", 0)
        assert not env.observe("alice")["action_mask"].any()  # has chosen
        seen.add((env.observe("bob")["observation"].tobytes(), str(env.infos["bob"])))
    assert len(seen) == 1
    env.step(env.moves.index("scissors"))
    assert env.infos["bob"]["moves"] == [{"alice": "paper", "bob": "scissors"}]
    assert env.rewards == {"alice": 0.0, "bob": 1.0}


def test_who_has_no_choice_is_not_asked() -> None:
    env = aec_env("tictactoe")
    env.reset()
    for number, action in enumerate((0, 1, 2, 4, 3, 5, 7, 6)):  # the last cell is all that is left
        assert env.agent_selection == "xo"[number % 2]
        env.step(action)
    assert env.game_state.step == 9
    assert env.infos["o"]["moves"] == [{"o": "mark(3,1)"}, {"x": "mark(3,3)"}]
    assert env.terminations == {"x": True, "o": True}


def test_chance_is_drawn_with_the_seed_and_is_no_agent() -> None:
    env = aec_env("dicerace")
    assert env.possible_agents == ["red", "blue"]

    def throw(seed: int | None) -> str:
        env.reset(seed=seed)
        throw: str = env.infos["red"]["moves"][0]["random"]
        return throw

    assert [throw(seed) for seed in range(8)] == [throw(seed) for seed in range(8)]
    assert {throw(None) for _ in range(60)} == {"throw(1)", "throw(2)", "throw(3)"}


# Hidden information


def test_an_agent_observes_what_its_role_saw_also_in_steps_in_which_it_was_not_asked() -> None:
    env = aec_env(cards())
    rows: dict[str, set[str]] = {"guesser": set(), "dealer_friend": set()}
    for seed in range(12):
        env.reset(seed=seed)
        dealt = str(next(fact for fact in env.game_state.facts if str(fact).startswith("card")))
        assert env.agent_selection == "dealer_friend"
        rows["dealer_friend"].add(str(env.last()))
        env.step(env.moves.index("wave(1)"))
        assert env.agent_selection == "guesser"
        assert env.infos["guesser"] == {
            "step": 2,
            "moves": [{"guesser": "noop"}, {"guesser": "noop"}],
            "percepts": [[dealt], ["waved"]],
        }
        rows["guesser"].add(str(env.last()[0]["observation"]))
        assert str(env.information("guesser")) == f"guesser; noop: {dealt}; noop: waved"
    assert {agent: len(seen) for agent, seen in rows.items()} == {"dealer_friend": 1, "guesser": 2}


def test_what_was_seen_before_the_last_turn_stands_in_the_second_row() -> None:
    env = aec_env("higherlower")
    env.reset()

    def rows() -> list[set[str]]:
        """What the seeker sees and did, since its last turn and before it."""
        names = ["higher", "lower", "right", *env.moves]
        halves = np.split(env.observe("seeker")["observation"], 2)
        return [{names[number] for number in np.flatnonzero(half)} for half in halves]

    env.step(env.moves.index("hide(3)"))
    assert rows() == [{"noop"}, set()]
    env.step(env.moves.index("guess(1)"))
    assert rows() == [{"higher", "guess(1)"}, {"noop"}]
    env.step(env.moves.index("guess(6)"))
    assert rows() == [{"lower", "guess(6)"}, {"noop", "higher", "guess(1)"}]
    assert env.rewards == {"hider": 1.0, "seeker": 0.0}


def test_the_seeker_is_shown_nothing_of_the_number() -> None:
    told = set()
    for number in range(1, 7):
        env = aec_env("higherlower")
        env.reset()
        env.step(env.moves.index(f"hide({number})"))
        observation, *rest = env.last()
        told.add(str((observation, rest)))
    assert len(told) == 1


# Rewards, limits, illegal actions


@pytest.mark.parametrize(
    ("ends", "expected"), [((0, 1), [1.0, 0.0]), ((-1, 1), [1.0, -1.0]), ((5, 3), [3, 5])]
)
def test_goals_are_worth_what_the_caller_says(ends: tuple[float, float], expected: list[float]) -> None:
    env = aec_env("tictactoe", reward_range=ends)
    env.reset()
    for action in (0, 3, 1, 4, 2):
        env.step(action)
    assert [env.rewards["x"], env.rewards["o"]] == expected


def test_after_the_last_step_allowed_an_episode_is_truncated() -> None:
    env = aec_env("tictactoe", max_steps=2, reward_range=(-1, 1))
    env.reset()
    env.step(0)
    assert not any(env.truncations.values())
    env.step(1)
    assert env.truncations == {"x": True, "o": True}
    assert env.terminations == {"x": False, "o": False}
    assert env.rewards == {"x": 0.0, "o": 0.0}
    at_once = parallel_env("roshambo", max_steps=1)
    at_once.reset()
    *_, truncations, _ = at_once.step({"alice": 0, "bob": 0})
    assert truncations == {"alice": True, "bob": True}
    assert at_once.agents == []


def test_an_illegal_action_is_an_error_and_changes_nothing() -> None:
    env = aec_env("tictactoe")
    env.reset()
    env.step(4)
    before = env.game_state
    with pytest.raises(
        gm.IllegalMove, match=r"mark\(2,2\) \(action 4\)' for role 'o' in step 2; legal: mark"
    ):
        env.step(4)
    assert env.game_state is before
    env.step(0)
    assert env.agent_selection == "x"


def test_with_a_reward_an_illegal_action_ends_the_game() -> None:
    env = aec_env("tictactoe", illegal_reward=-1)
    env.reset()
    env.step(4)
    env.step(4)
    assert env.rewards == {"x": 0.0, "o": -1.0}
    assert env.terminations == {"x": True, "o": True}
    assert env.infos["x"]["illegal"] == ["o"]
    for _ in range(2):
        env.step(None)
    assert env.agents == []
    at_once = parallel_env("threehouses", illegal_reward=-2)
    at_once.reset()
    attack, alone = at_once.moves.index("attack(rose)"), at_once.moves.index("alone")
    _, rewards, terminations, _, _ = at_once.step({"rose": alone, "thistle": attack, "lily": attack})
    assert rewards == {"rose": 0.0, "thistle": -2.0, "lily": -2.0}
    assert all(terminations.values())
    assert at_once.agents == []


@pytest.mark.filterwarnings("ignore:.*Illegal move made")
def test_pettingzoos_wrappers_take_it() -> None:
    env = TerminateIllegalWrapper(OrderEnforcingWrapper(aec_env("tictactoe")), illegal_reward=-1)
    env.reset()
    for _ in range(2):
        env.last()
        env.step(4)
    assert env.rewards == {"x": 0, "o": -1.0}
    assert env.unwrapped.game_state.step == 1


# What goes wrong


def test_what_is_no_action_is_refused() -> None:
    env = aec_env("tictactoe")
    env.reset()
    for action in (-1, 9, 1.0, "1", None, True, np.array([1, 2])):
        with pytest.raises(gm.ParameterError, match="action must be a whole number from 0 to 8, not "):
            env.step(action)  # type: ignore[arg-type]
    env.step(np.int32(3))
    env.step(np.array(4))  # type: ignore[arg-type]
    assert env.game_state.step == 2


def test_a_dead_agent_has_no_action_but_none() -> None:
    env = aec_env("roshambo:once")
    env.reset()
    env.step(0)
    env.step(0)
    with pytest.raises(ValueError, match="the only valid action is None"):
        env.step(0)
    env.step(None)
    env.step(None)
    with pytest.raises(
        gm.StateError, match=r"step\(None\) was called, and no game is being played.*reset\(\)"
    ):
        env.step(None)
    env.reset()
    assert env.agents == ["alice", "bob"]


@pytest.mark.parametrize("make", [aec_env, parallel_env])
def test_before_the_first_reset_there_is_no_game(make: Callable[[str], Any]) -> None:
    env = make("tictactoe")
    for call in (
        env.render,
        env.state,
        lambda: env.game_state,
        lambda: env.information("x"),
        lambda: env.step(0),
    ):
        with pytest.raises(gm.StateError, match=r"no game is being played"):
            call()
    if isinstance(env, RoleByRole):
        for call in (env.last, lambda: env.observe("x")):
            with pytest.raises(gm.StateError, match=r"observe was called"):
                call()


def test_a_step_after_the_end_of_a_parallel_game_is_refused() -> None:
    env = parallel_env("roshambo:once")
    env.reset()
    env.step({"alice": 0, "bob": 1})
    with pytest.raises(gm.StateError, match="no game is being played"):
        env.step({"alice": 0, "bob": 1})


def test_agents_that_are_none_are_named() -> None:
    env, at_once = aec_env("dicerace"), parallel_env("roshambo")
    env.reset()
    at_once.reset()
    for call in (env.observe, env.action_space, env.observation_space):
        with pytest.raises(gm.UnknownRole, match="no agent 'random' in dicerace; its agents: red, blue"):
            call("random")
    with pytest.raises(gm.UnknownRole, match="no agent 'carol'"):
        at_once.step({"alice": 0, "bob": 0, "carol": 0})
    hidden = aec_env("higherlower")
    hidden.reset()
    with pytest.raises(gm.UnknownRole, match="no agent 'x' in higherlower"):
        hidden.information("x")
    with pytest.raises(gm.Unsuitable, match="dicerace hides nothing"):
        env.information("red")


def test_what_is_no_dict_is_refused() -> None:
    at_once = parallel_env("roshambo")
    at_once.reset()
    for actions in (None, [0, 0]):
        with pytest.raises(gm.ParameterError, match=r"actions must be a dict \{agent: action\}, not "):
            at_once.step(actions)  # type: ignore[arg-type]
    with pytest.raises(
        gm.ParameterError, match=r'options must be a dict such as \{"start": state\}, or None, not'
    ):
        at_once.reset(options=["start"])  # type: ignore[arg-type]


def test_who_has_a_choice_must_choose_and_nobody_else() -> None:
    env = parallel_env("tictactoe")
    env.reset()
    with pytest.raises(gm.IllegalMove, match="illegal move 'no action' for role 'x' in step 1; legal: mark"):
        env.step({"o": 3})
    env.step({"x": 3})
    env.step({"x": 8, "o": 0})  # x has no move here
    assert env.game_state.step == 2


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"reward_range": (0, 1, 2)}, r"reward_range must be two numbers, .* not \(0, 1, 2\)"),
        ({"reward_range": (0, float("nan"))}, "reward_range must be two numbers"),
        ({"max_steps": 0}, "max_steps must be a whole number, 1 or more, not 0"),
        ({"illegal_reward": "much"}, "illegal_reward must be a number or None, not 'much'"),
        ({"render_mode": "human"}, "render_mode must be None or one of ansi, svg, rgb_array, not 'human'"),
    ],
)
def test_what_is_no_option_is_refused(options: dict[str, Any], told: str) -> None:
    for make in (aec_env, parallel_env):
        with pytest.raises(gm.ParameterError, match=told):
            make("tictactoe", **options)


def test_a_seed_is_a_whole_number() -> None:
    for env in (aec_env("tictactoe"), parallel_env("tictactoe")):
        for seed in (-1, 1.5, "1"):
            with pytest.raises(gm.ParameterError, match="seed must be a whole number, 0 or more"):
                env.reset(seed=seed)  # type: ignore[arg-type]


def test_games_that_cannot_be_played_are_refused() -> None:
    with pytest.raises(gm.Unsuitable, match="runs on the reference machine"):
        aec_env(gm.load("tictactoe", machine="reference"))
    with pytest.raises(gm.UnknownGame, match="did you mean tictactoe"):
        aec_env("tictactoo")
    alone = "role(random) init(f) legal(random,a) legal(random,b) next(f) terminal :- true(f) goal(random,0)"
    with pytest.raises(gm.Unsuitable, match="dice has no role with moves but chance"):
        aec_env(gm.parse(alone, name="dice"))
    with pytest.raises(gm.Unsuitable, match="forced ends, 100 times of 100, before there is a choice"):
        aec_env(gm.parse(FORCED, name="forced")).reset()
    with pytest.raises(gm.Unsuitable, match="endless goes on for 1,000 steps in which nobody has a choice"):
        aec_env(gm.parse(ENDLESS, name="endless")).reset()
    dead = aec_env(gm.parse(DEAD_END, name="dead"))
    dead.reset()
    with pytest.raises(gm.GameIllDefined, match="no role has a legal move in step 2"):
        dead.step(dead.moves.index("a"))


def test_an_episode_begins_in_any_state_of_the_game_that_is_not_its_end() -> None:
    game = gm.load("tictactoe")
    state = game.initial_state().next("mark(1,1)").next("mark(2,2)")
    env, at_once = aec_env(game, max_steps=1), parallel_env(game)
    env.reset(options={"start": state})
    assert env.game_state == state
    env.step(1)
    assert all(env.truncations.values())
    at_once.reset(options={"start": state})
    assert at_once.game_state == state
    end = game.random_game(random.Random(1))
    with pytest.raises(gm.StateError, match="the start is a terminal state of tictactoe"):
        env.reset(options={"start": end})
    with pytest.raises(gm.StateError, match="state 0 is of nim"):
        env.reset(options={"start": gm.load("nim").initial_state()})


# Copies, pictures, imports


@pytest.mark.parametrize("name", ["tictactoe", "higherlower", "dicerace"])
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_from_there_on_its_own(name: str, copied: Callable[[RoleByRole], RoleByRole]) -> None:
    env = aec_env(name)
    env.reset(seed=5)
    env.step(env.observe(env.agent_selection)["action_mask"].argmax())
    twin = copied(env)
    before = str(env.last())

    def play(env: RoleByRole) -> list[str]:
        told = []
        while not any(env.terminations.values()):
            env.step(env.observe(env.agent_selection)["action_mask"].argmax())
            told.append(str((env.agent_selection, env.rewards, env.infos, env.game_state)))
        return told

    first = play(twin)
    assert str(env.last()) == before
    assert play(env) == first
    if copied is copy.deepcopy:
        assert twin.game is env.game


def test_two_environments_do_not_disturb_each_other() -> None:
    one, two = aec_env("tictactoe"), aec_env("tictactoe")
    one.reset(seed=1)
    two.reset(seed=2)
    one.step(0)
    assert two.game_state == two.game.initial_state()
    two.step(1)
    assert one.game_state != two.game_state


def test_states_are_drawn() -> None:
    told = {}
    for mode in ("ansi", "svg", "rgb_array"):
        env = aec_env("tictactoe", render_mode=mode)
        env.reset()
        env.step(4)
        told[mode] = env.render()
        env.close()
    assert "2 · x ·" in str(told["ansi"])
    assert str(told["svg"]).startswith("<svg")
    pixels = told["rgb_array"]
    assert isinstance(pixels, np.ndarray)
    assert pixels.dtype == np.uint8
    assert (pixels.ndim, pixels.shape[2]) == (3, 3)
    silent = parallel_env("tictactoe")
    silent.reset()
    assert silent.render() is None


def test_without_pettingzoo_the_bridge_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.delitem(sys.modules, "gamemaster.bridges.pettingzoo")
    with pytest.raises(gm.NotInstalled, match=r"pip install 'gamemaster\[pettingzoo\]'"):
        importlib.import_module("gamemaster.bridges.pettingzoo")


def test_the_package_does_not_import_frameworks() -> None:
    program = (
        "import sys, gamemaster, gamemaster.bridges\nprint({'pettingzoo', 'gymnasium'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
