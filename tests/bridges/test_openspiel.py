"""Our games and players in OpenSpiel, and OpenSpiel's bots in our matches."""

from __future__ import annotations

import copy
import pickle
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import cfr, evaluate_bots, exploitability, mcts, minimax
from typer.testing import CliRunner

import gamemaster as gm
from gamemaster.bridges.openspiel import (
    TWINS,
    OpenSpielPlayer,
    PlayerBot,
    SpielGame,
    SpielState,
    Twin,
    openspiel_game,
    openspiel_player,
    register,
)
from gamemaster.bridges.openspiel.node import CHANCE, SIMULTANEOUS, GameNode
from gamemaster.cli import app
from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM

PAGE = Path(__file__).parent.parent.parent / "docs" / "bridges.md"

KINDS = {
    "eightpuzzle": "one role",
    "peg": "one role, and goals by how far it comes",
    "tictactoe": "turns",
    "breakthrough:small": "turns, and many moves",
    "nim": "turns, of a heap",
    "roshambo": "simultaneous",
    "tron:small": "simultaneous, and roles that end with one move",
    "dicerace": "chance",
    "higherlower": "hidden",
    "threehouses:short": "three roles, simultaneous",
    "chinesecheckers3": "three roles, turns",
}

GUESSING = """
    role(guesser) role(watcher) role(random)
    init(begun)
    legal(random,toss(heads)) :- true(begun)
    legal(random,toss(tails)) :- true(begun)
    legal(guesser,say(heads)) :- true(begun)
    legal(guesser,say(tails)) :- true(begun)
    legal(watcher,noop) :- true(begun)
    legal(random,noop) :- true(tossed(X))
    legal(guesser,noop) :- true(tossed(X))
    legal(watcher,bet(yes)) :- true(tossed(X))
    legal(watcher,bet(no)) :- true(tossed(X))
    next(tossed(X)) :- does(random,toss(X))
    next(said(X)) :- does(guesser,say(X))
    next(said(X)) :- true(said(X))
    next(was(X)) :- true(tossed(X))
    next(bet(X)) :- does(watcher,bet(X))
    sees(watcher,said(X)) :- does(guesser,say(X))
    sees(guesser,nothing) :- does(random,toss(heads)) & does(guesser,say(heads))
    right :- true(was(X)) & true(said(X))
    hit :- right & true(bet(yes))
    hit :- ~right & true(bet(no))
    terminal :- true(was(X))
    goal(guesser,100) :- terminal & right
    goal(guesser,0) :- ~right
    goal(watcher,100) :- terminal & hit
    goal(watcher,0) :- ~hit
    goal(random,0) :- true(begun)
"""
"""Chance tosses a coin in the same step in which it is guessed; who guesses sees whether two heads came together, who
watches sees the guess, and bets on it."""


@pytest.fixture(scope="module")
def guessing() -> SpielGame:
    return openspiel_game(gm.parse(GUESSING, "hrf", name="guessing"))


def lines(state: SpielState) -> Iterator[SpielState]:
    """A state and all that can follow it."""
    yield state
    if state.is_simultaneous_node():
        first, second = (state.legal_actions(player) for player in range(2))
        for joint in ((a, b) for a in first for b in second):
            after = state.clone()
            after.apply_actions(joint)
            yield from lines(after)
    elif not state.is_terminal():
        for action in state.legal_actions():
            yield from lines(state.child(action))


def mcts_factory(simulations: int) -> Callable[[Any, int, int], Any]:
    def make(game: Any, player: int, seed: int) -> Any:
        generator = np.random.RandomState(seed)
        rollouts = mcts.RandomRolloutEvaluator(1, generator)
        return mcts.MCTSBot(game, 1.4, simulations, rollouts, random_state=generator)

    return make


# Our games in OpenSpiel


@pytest.mark.parametrize("name", KINDS)
def test_openspiel_s_own_test_of_games_passes(name: str) -> None:
    pyspiel.random_sim_test(openspiel_game(name), num_sims=2, serialize=True, verbose=False)


def test_openspiel_s_own_test_passes_where_chance_chooses_at_the_same_time(guessing: SpielGame) -> None:
    pyspiel.random_sim_test(guessing, num_sims=20, serialize=True, verbose=False)


@pytest.mark.parametrize("name", ["roshambo", "threehouses:short"])
def test_openspiel_can_let_roles_choose_one_after_the_other(name: str) -> None:
    game = pyspiel.convert_to_turn_based(openspiel_game(name))
    pyspiel.random_sim_test(game, num_sims=2, serialize=False, verbose=False)


@pytest.mark.parametrize("name", [*KINDS, "guessing"])
def test_a_game_is_the_same_on_both_sides(name: str) -> None:
    game = gm.parse(GUESSING, "hrf", name=name) if name == "guessing" else gm.load(name)
    theirs, generator = openspiel_game(game), random.Random(name)
    line, ours = theirs.new_initial_state(), game.initial_state()
    for _ in range(40):
        assert line.node.state == ours
        assert line.is_terminal() == ours.is_terminal
        if ours.is_terminal:
            break
        ours = ours.next(made_step(line, ours, generator))
    assert line.returns() == (theirs.returns_at(ours) if ours.is_terminal else [0.0] * theirs.num_players())


def made_step(line: SpielState, ours: gm.State, generator: random.Random) -> dict[str, Term]:
    """A random step in OpenSpiel; the joint move that it is here, with what those do who have no choice."""
    encoding, moves = line.get_game().encoding, dict[str, Term]()
    while line.node.state.step == ours.step:
        if line.current_player() == SIMULTANEOUS:
            actions = []
            for player, role in enumerate(encoding.roles):
                expected = sorted(encoding.action(role, move) for move in ours.legal_moves(role))
                assert line.legal_actions(player) == expected
                actions.append(generator.choice(expected or [0]))
                moves |= {role: encoding.actions[actions[-1]]} if expected else {}
            line.apply_actions(actions)
        else:
            actor = line.current_player()
            role = RANDOM if actor == CHANCE else encoding.roles[actor]
            texts = {line.action_to_string(actor, action): action for action in line.legal_actions()}
            assert texts.keys() == set(map(str, ours.legal_moves(role)))
            moves[role] = generator.choice(ours.legal_moves(role))
            line.apply_action(texts[str(moves[role])])
    forced = {role: legal[0] for role in ours.game.roles if len(legal := ours.legal_moves(role)) == 1}
    return {**forced, **moves}


def test_types_say_what_is_proved_and_no_more() -> None:
    kinds = pyspiel.GameType
    types = {name: openspiel_game(name).get_type() for name in [*KINDS, "connectfour:small"]}
    simultaneous = {name for name, each in types.items() if each.dynamics == kinds.Dynamics.SIMULTANEOUS}
    assert simultaneous == {"roshambo", "tron:small", "threehouses:short"}
    chance = {name for name, each in types.items() if each.chance_mode != kinds.ChanceMode.DETERMINISTIC}
    assert chance == {"dicerace"}
    hidden = {
        name for name, each in types.items() if each.information != kinds.Information.PERFECT_INFORMATION
    }
    assert hidden == {"higherlower"}
    zero_sum = {name for name, each in types.items() if each.utility == kinds.Utility.ZERO_SUM}
    assert zero_sum == {"tictactoe", "nim", "roshambo", "dicerace", "higherlower"}


def test_figures_are_those_of_the_game() -> None:
    game = openspiel_game("tictactoe")
    assert (game.num_players(), game.num_distinct_actions(), game.max_chance_outcomes()) == (2, 9, 0)
    assert (game.min_utility(), game.max_utility(), game.utility_sum()) == (-1.0, 1.0, 0.0)
    assert game.max_game_length() == 9
    assert openspiel_game("dicerace").max_chance_outcomes() == 4
    assert openspiel_game("eightpuzzle").max_game_length() == 20  # a step counter says so
    assert openspiel_game("connectfour:small").max_game_length() == 1_000_000  # nothing does


def test_a_game_that_can_go_on_for_ever_has_no_longest_game() -> None:
    circle = (
        "role(r) init(at(1)) legal(r,go) legal(r,stop) next(at(1)) :- does(r,go) next(over) :- does(r,stop) "
    )
    game = gm.parse(
        circle + "terminal :- true(over) goal(r,0) :- true(at(1)) goal(r,100) :- true(over)", "hrf"
    )
    theirs = openspiel_game(game)
    assert theirs.survey.is_complete
    assert theirs.survey.longest is None


def test_a_sum_that_is_told_is_believed_and_checked() -> None:
    game = openspiel_game("connectfour:small", sum_of_goals=100)
    assert game.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM
    assert str(game) == "gamemaster(game=connectfour:small,sum_of_goals=100)"
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)
    wrong = openspiel_game("connectfour:small", sum_of_goals=90)
    state = wrong.new_initial_state()
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    with pytest.raises(gm.GameIllDefined, match="add up to 100, not to sum_of_goals=90"):
        state.returns()


def test_a_sum_that_cannot_be_is_refused() -> None:
    with pytest.raises(gm.ParameterError, match="tictactoe do not add up to 90 at every end, but to 100"):
        openspiel_game("tictactoe", sum_of_goals=90)
    with pytest.raises(gm.ParameterError, match="sum_of_goals must be a whole number, not '100'"):
        openspiel_game("tictactoe", sum_of_goals="100")  # type: ignore[arg-type]
    assert str(openspiel_game("tictactoe", sum_of_goals=100)) == "gamemaster(game=tictactoe)"  # it is proved


def test_a_state_of_ours_can_be_a_start() -> None:
    game = gm.load("tictactoe")
    theirs, start = openspiel_game(game), game.initial_state().next("mark(2,2)")
    for given in (start, start.to_json()):
        state = theirs.new_initial_state(given)
        assert state.node.state == start
        assert state.current_player() == 1
        assert pickle.loads(pickle.dumps(state.clone())).node.state == start
    with pytest.raises(gm.StateError, match="of roshambo on the compiled machine, not of tictactoe"):
        theirs.new_initial_state(gm.load("roshambo").initial_state())


def test_a_role_that_must_pass_is_asked_as_openspiel_would() -> None:
    rules = "role(a) role(b) init(control(a)) legal(R,pass) :- role(R) next(done) "
    game = openspiel_game(gm.parse(rules + "terminal :- true(done) goal(R,50) :- role(R)", "hrf"))
    state = game.new_initial_state()
    assert (state.current_player(), state.legal_actions()) == (0, [0])
    state.apply_action(0)
    assert state.returns() == [0.0, 0.0]


# What players are shown


@pytest.mark.parametrize("name", ["higherlower", "guessing"])
def test_information_is_the_same_exactly_where_a_role_cannot_tell_states_apart(
    name: str, guessing: SpielGame
) -> None:
    game = guessing if name == "guessing" else openspiel_game(name)
    for player, role in enumerate(game.encoding.roles):
        texts, seen = dict[Any, set[str]](), set[str]()
        for line in lines(game.new_initial_state()):
            told = told_to(role, line)
            texts.setdefault(told, set()).add(line.information_state_string(player))
        assert all(len(each) == 1 for each in texts.values())
        seen = set().union(*texts.values())
        assert len(seen) == len(texts) > 1


def told_to(role: str, line: SpielState) -> tuple[Any, ...]:
    """What a role did and saw along a line, from our states alone."""
    encoding, state = line.get_game().encoding, line.get_game().ours.initial_state()
    told, chosen = list[Any](), dict[str, int]()
    for made in line.full_history():
        chosen[RANDOM if made.player == CHANCE else encoding.roles[made.player]] = made.action
        moves = encoding.joint(state, chosen)
        if len(moves) == len(state.game.roles):
            told.append((str(moves[role]), state.percepts(moves)[role]))
            state, chosen = state.next(moves), {}
    return (*told, chosen.get(role))


def test_a_percept_is_not_taken_for_its_absence(guessing: SpielGame) -> None:
    state = guessing.new_initial_state()
    state.apply_action(state.legal_actions()[0])
    assert state.information_state_string(0) == "guesser; say(heads)"  # chance has yet to toss
    assert str(state).endswith("guesser chose say(heads)")
    both, other = (state.child(action) for action in state.legal_actions())
    assert both.information_state_string(0) == "guesser; say(heads) [nothing]"
    assert other.information_state_string(0) == "guesser; say(heads) []"
    assert both.observation_string(1) == other.observation_string(1) == "watcher; noop [said(heads)]"


def test_what_is_hidden_is_in_no_tensor(guessing: SpielGame) -> None:
    states = [line for line in lines(guessing.new_initial_state()) if line.move_number() == 2]
    rows = {(line.information_state_string(1), *line.observation_tensor(1)) for line in states}
    assert len(rows) == len({line.information_state_string(1) for line in states}) == 2
    told = [tuple(line.information_state_tensor(1)) for line in lines(guessing.new_initial_state())]
    assert {len(each) for each in told} == {guessing.information_state_tensor_size()}
    first = guessing.new_initial_state().observation_tensor
    assert first(0)[:2] == [1.0, 0.0]
    assert first(1)[:2] == [0.0, 1.0]


def test_the_state_is_observed_where_nothing_is_hidden() -> None:
    game = openspiel_game("tictactoe")
    state = game.new_initial_state().child(4)
    assert np.array_equal(state.observation_tensor(0), game.encoding.row(state.node.state))
    assert state.observation_string(1) == str(state.node.state)
    assert state.information_state_string(0) == "4"
    private = pyspiel.IIGObservationType(perfect_recall=False, public_info=False)
    assert game.make_py_observer(private).string_from(state, 0) == ""
    assert game.make_py_observer().tensor is not None


def test_observers_refuse_what_they_do_not_know(guessing: SpielGame) -> None:
    public = pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE)
    with pytest.raises(
        gm.Unsuitable, match="guessing hides its state, and its rules do not say what is public"
    ):
        guessing.make_py_observer(public)
    with pytest.raises(gm.ParameterError, match=r"no parameters, but \{'size': 3\} was given"):
        guessing.make_observer({"size": 3})


# Mistakes


def test_illegal_actions_are_refused_and_change_nothing() -> None:
    state = openspiel_game("tictactoe").new_initial_state().child(0)
    with pytest.raises(gm.IllegalMove, match=r"'mark\(1,1\) \(action 0\)' for role 'o' in step 2"):
        state.apply_action(0)
    with pytest.raises(gm.ParameterError, match="2 actions at once in step 2, where only 'o' acts"):
        state.apply_actions([1, 2])
    with pytest.raises(gm.ParameterError, match="action 9 is none of the 9 of tictactoe"):
        state.action_to_string(0, 9)
    with pytest.raises(gm.StateError, match="chance does not act in step 2 of tictactoe"):
        state.chance_outcomes()
    assert state.history() == [0]


def test_where_several_act_one_action_is_not_enough() -> None:
    state = openspiel_game("roshambo").new_initial_state()
    with pytest.raises(gm.NoSingleMove, match="in step 1 alice and bob choose at once"):
        state.apply_action(0)
    with pytest.raises(gm.ParameterError, match="1 actions at once, but the players are alice, bob"):
        state.apply_actions([0])
    with pytest.raises(gm.IllegalMove, match="'action 9' for role 'bob'"):
        state.apply_actions([0, 9])


def test_nothing_can_be_done_after_the_end() -> None:
    state = openspiel_game("tictactoe").new_initial_state()
    for action in (0, 3, 1, 4, 2):
        state.apply_action(action)
    assert (state.is_terminal(), state.legal_actions(), state.returns()) == (True, [], [1.0, -1.0])
    with pytest.raises(gm.StateError, match="tictactoe is over after 5 steps: no action can be applied"):
        state.apply_action(5)
    with pytest.raises(gm.StateError, match="tictactoe is over after 5 steps"):
        state.apply_actions([5, 6])


def test_rules_without_a_way_on_are_told() -> None:
    rules = "role(r) init(at(1)) legal(r,go) :- true(at(1)) next(at(2)) terminal :- true(at(3)) goal(r,0)"
    state = openspiel_game(gm.parse(rules, "hrf")).new_initial_state()
    with pytest.raises(gm.GameIllDefined, match="no role has a legal move in step 2"):
        state.apply_action(0)


def test_what_is_no_game_is_refused() -> None:
    with pytest.raises(gm.UnknownGame, match="no game or rule file 'nosuch'"):
        openspiel_game("nosuch")
    with pytest.raises(gm.ParameterError, match="7 is no game of ours, nor the name or the file of one"):
        openspiel_game(7)  # type: ignore[arg-type]
    with pytest.raises(gm.Unsuitable, match="tictactoe runs on the reference machine"):
        openspiel_game(gm.load("tictactoe", machine="reference"))


# Names, copies, other processes


def test_games_are_loaded_by_a_text() -> None:
    register()
    register()
    game = pyspiel.load_game("gamemaster(game=connectfour:small)")
    assert isinstance(game, SpielGame)
    assert game.ours.name == "connectfour:small"
    assert str(game) == "gamemaster(game=connectfour:small)"
    assert pyspiel.load_game("gamemaster").ours.name == "tictactoe"
    assert "gamemaster" in pyspiel.registered_names()


def test_a_text_that_names_no_game_is_refused() -> None:
    register()
    with pytest.raises(gm.UnknownGame, match="no game or rule file 'conectfour'; did you mean connectfour"):
        pyspiel.load_game("gamemaster(game=conectfour)")
    with pytest.raises(gm.ParameterError, match="rules='abc' is not what openspiel_game"):
        pyspiel.load_game("gamemaster(rules=abc)")
    with pytest.raises(pyspiel.SpielError, match="Unknown parameter"):
        pyspiel.load_game("gamemaster(gme=nim)")


def test_other_rules_travel_with_their_game(tmp_path: Path) -> None:
    path = tmp_path / "tictactoe.epilog"  # a name of the library, and other rules
    path.write_text(gm.load("tictactoe").sheet.source.text.replace("100", "90"))
    for given in (path, "connectfour:columns=7"):
        game = openspiel_game(given)
        assert str(game).startswith("gamemaster(rules=eN")
        again = pyspiel.load_game(str(game))
        assert again == game
        assert (again.ours.name, again.ours.digest) == (game.ours.name, game.ours.digest)


def test_states_are_written_down_and_read_in_another_process(guessing: SpielGame, tmp_path: Path) -> None:
    state = guessing.new_initial_state()
    state.apply_action(state.legal_actions()[0])
    text = pyspiel.serialize_game_and_state(guessing, state)
    again, copied = pyspiel.deserialize_game_and_state(text)
    assert (again, str(copied), copied.history()) == (guessing, str(state), state.history())
    (tmp_path / "state.txt").write_text(text)
    program = (
        "import pyspiel\nfrom gamemaster.bridges.openspiel import register\nregister()\n"
        "_, state = pyspiel.deserialize_game_and_state(open('state.txt').read())\n"
        "print(state.current_player(), state, state.information_state_string(0), sep='|')"
    )
    told = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == f"-1|{state}|guesser; say(heads)"


def test_a_state_without_its_game_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    written = pickle.dumps(openspiel_game("nim").new_initial_state().node)
    monkeypatch.setattr("gamemaster.bridges.openspiel.node.OPEN_GAMES", {})
    with pytest.raises(gm.StateError, match="of which no game is in use: load its game first"):
        pickle.loads(written)


def test_clones_go_their_own_way() -> None:
    first, other = openspiel_game("tictactoe"), openspiel_game("nim")
    state = first.new_initial_state().child(0)
    stays = other.new_initial_state()
    clones = [state.clone(), copy.deepcopy(state), pickle.loads(pickle.dumps(state))]
    for action, clone in enumerate(clones, 1):
        clone.apply_action(action)
    assert [clone.history() for clone in clones] == [[0, 1], [0, 2], [0, 3]]
    assert len({str(clone) for clone in clones}) == 3
    assert state.history() == [0]
    assert str(stays) == str(other.new_initial_state())
    assert pickle.loads(pickle.dumps(first)) == first


# OpenSpiel's algorithms on our games


def test_alpha_beta_finds_the_value() -> None:
    game = openspiel_game("tictactoe")
    corner = game.ours.initial_state().next("mark(1,1)")
    for answer, expected in (("mark(2,2)", 0.0), ("mark(1,2)", 1.0)):
        state = game.new_initial_state(corner.next(answer))
        assert minimax.alpha_beta_search(game, state, maximizing_player_id=0)[0] == expected
    assert minimax.alpha_beta_search(openspiel_game("threecells"))[0] == 1.0


@pytest.mark.slow
def test_tictactoe_is_a_draw() -> None:
    assert minimax.alpha_beta_search(openspiel_game("tictactoe"))[0] == 0.0


def test_counterfactual_regret_comes_near_an_equilibrium_of_a_hidden_game() -> None:
    game = openspiel_game("higherlower")
    solver = cfr.CFRSolver(game)
    before = exploitability.exploitability(game, solver.average_policy())
    for _ in range(30):
        solver.evaluate_and_update_policy()
    after = exploitability.exploitability(game, solver.average_policy())
    assert before > 0.15
    assert after < 0.1


def test_rock_paper_scissors_is_solved_by_playing_evenly() -> None:
    game = pyspiel.convert_to_turn_based(openspiel_game("roshambo:once"))
    solver = cfr.CFRSolver(game)
    for _ in range(10):
        solver.evaluate_and_update_policy()
    assert exploitability.exploitability(game, solver.average_policy()) == pytest.approx(0, abs=1e-6)
    chances = solver.average_policy().action_probabilities(game.new_initial_state())
    assert [*chances.values()] == pytest.approx([1 / 3] * 3)


# OpenSpiel's bots in our matches


def test_mcts_of_openspiel_plays_a_whole_match() -> None:
    player = openspiel_player(mcts_factory(100), "spiel")
    result = gm.match("tictactoe", [player, "random"], play_clock=60, seed=3)
    assert result.goals["x"] in (50, 100)
    assert not result.faults


@pytest.mark.parametrize("name", ["dicerace", "chinesecheckers3", "higherlower", "tictactoe"])
def test_bots_in_machine_code_play_matches_of_all_kinds(name: str) -> None:
    def make(game: Any, player: int, seed: int) -> Any:
        rollouts = pyspiel.RandomRolloutEvaluator(1, seed)
        return pyspiel.MCTSBot(game, rollouts, 1.4, 10, 100, False, seed, False)

    player = openspiel_player(make)
    roles = [role for role in gm.load(name).roles if role != RANDOM]
    result = gm.match(name, dict.fromkeys(roles, player), play_clock=60)
    assert not result.faults
    assert result.goals


class Watcher:
    """A bot that notes what it is told, and takes the first action."""

    def __init__(self, player: int) -> None:
        self.player = player
        self.heard: list[tuple[int, int]] = []
        self.lines: list[list[int]] = []
        self.known: list[str] = []

    def inform_action(self, state: SpielState, player: int, action: int) -> None:
        self.heard.append((player, action))

    def step(self, state: SpielState) -> int:
        self.lines.append(state.history())
        self.known.append(state.information_state_string(self.player))
        return int(state.legal_actions(self.player)[0])


def watched(game: str, role: str, against: str = "legal") -> Watcher:
    """A bot that has played a role of a match."""
    bots: list[Watcher] = []

    def make(theirs: SpielGame, player: int, seed: int) -> Watcher:
        bots.append(Watcher(player))
        return bots[-1]

    roles = [each for each in gm.load(game).roles if each != RANDOM]
    players: Mapping[str, Any] = {each: openspiel_player(make) if each == role else against for each in roles}
    assert not gm.match(game, players, play_clock=60).faults
    return bots[0]


def test_a_bot_is_told_the_history_and_what_others_do() -> None:
    bot = watched("tictactoe", "o")
    assert bot.heard[0] == (0, bot.lines[0][0])
    assert [len(line) for line in bot.lines] == [1 + 2 * turn for turn in range(len(bot.lines))]
    assert {player for player, _ in watched("dicerace", "red").heard} == {1, CHANCE}
    assert [len(line) for line in watched("roshambo", "alice").lines] == [0, 2, 4]


def test_a_policy_by_information_states_plays_a_hidden_game() -> None:
    solver = cfr.CFRSolver(openspiel_game("higherlower"))
    known = set(solver.average_policy().state_lookup)
    for role in ("hider", "seeker"):
        bot = watched("higherlower", role, against="random")
        assert bot.known
        assert set(bot.known) <= known


def test_a_bot_can_be_asked_about_any_state() -> None:
    class First(OpenSpielPlayer):
        def bot(self, game: SpielGame, player: int) -> Watcher:
            return Watcher(player)

    game = gm.load("tictactoe")
    player = First()
    player.start("o", game, 1, 1)
    state = game.initial_state().next("mark(3,3)")
    assert str(player.think(state, gm.Budget(seconds=1))) == "mark(1,1)"
    player.resume(state)
    assert str(player.play(None)) == "mark(1,1)"
    assert player.play(["nil", "mark(1,1)"]) is False  # it is the other's turn
    with pytest.raises(gm.PlayerError, match="told 3 moves, but the roles are x, o"):
        player.play(["mark(1,2)", "noop", "noop"])


def test_bots_that_cannot_play_a_game_refuse_it() -> None:
    player = openspiel_player(mcts_factory(10), "spiel")()
    with pytest.raises(gm.Unsuitable, match="spiel cannot play roshambo: Game must have sequential turns"):
        player.start("alice", gm.load("roshambo"), 1, 1)
    with pytest.raises(gm.Unsuitable, match="'random' is chance in dicerace: no bot plays it"):
        player.start("random", gm.load("dicerace"), 1, 1)
    with pytest.raises(gm.PlayerError, match=r"has no bot: fill in bot\(game, player\)"):
        OpenSpielPlayer().start("x", gm.load("tictactoe"), 1, 1)


@pytest.mark.parametrize("action", [None, "mark(1,1)", True, -1, 99])
def test_what_is_no_action_is_told(action: object) -> None:
    class Wrong:
        def step(self, state: SpielState) -> object:
            return action

    player = openspiel_player(lambda game, player, seed: Wrong(), "spiel")()
    player.start("x", gm.load("tictactoe"), 1, 1)
    with pytest.raises(gm.PlayerError, match=r"the bot of spiel gives .* instead of an action"):
        player.play(None)


def test_a_bot_that_does_not_know_where_a_hidden_game_is_says_so() -> None:
    player = openspiel_player(lambda game, player, seed: Watcher(player), "spiel")()
    game = gm.load("higherlower")
    player.start("seeker", game, 1, 1)
    with pytest.raises(gm.PlayerError, match="spiel does not know in which states higherlower can be"):
        player.choose_from(())
    node = GameNode.at(openspiel_game(game).encoding, game.initial_state(), {})
    with pytest.raises(gm.StateError, match="nobody knows here what 'hider' has seen"):
        node.known_to(0)


# Our players as bots


def bots_of(game: Any, *players: Any) -> list[PlayerBot]:
    return [PlayerBot(player, game, number, seconds=0.05) for number, player in enumerate(players)]


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: str(twin.theirs))
def test_twins_are_the_same_game(twin: Twin) -> None:
    theirs, generator = pyspiel.load_game(twin.theirs), random.Random(twin.theirs)
    line, state = theirs.new_initial_state(), twin.game.initial_state()
    while not state.is_terminal:
        pairs, role = twin.pairs(line, state), twin.game.roles[line.current_player()]
        assert state.control == role
        assert sorted(action for _, action in pairs) == line.legal_actions()
        assert {move for move, _ in pairs} == {*state.legal_moves(role)}
        move, action = generator.choice(pairs)
        line.apply_action(action)
        state = state.next(move)
    assert line.is_terminal()
    assert line.returns() == [(state.goal(role) or 0) / 50 - 1 for role in twin.game.roles]
    assert twin.state_of(line) == state


def test_our_players_play_openspiel_s_own_game_against_its_bots() -> None:
    game = pyspiel.load_game("tic_tac_toe")
    bots = [PlayerBot("minimax", game, 0), mcts_factory(20)(game, 1, 0)]
    assert evaluate_bots.evaluate_bots(game.new_initial_state(), bots, np.random.RandomState(0))[0] >= 0
    assert bots[0].player_id() == 0


def test_our_players_play_our_games_there() -> None:
    for name, players in (
        ("tictactoe", (lambda state: state.legal_moves("x")[-1], "random")),
        ("roshambo", ("random", "random")),
        ("dicerace", ("legal", "random")),
    ):
        game = openspiel_game(name)
        returns = evaluate_bots.evaluate_bots(
            game.new_initial_state(), bots_of(game, *players), np.random.RandomState(1)
        )
        assert sum(returns) == 0


def test_bots_refuse_what_they_cannot_play() -> None:
    game = openspiel_game("tictactoe")
    with pytest.raises(gm.Unsuitable, match="no game of ours is known to be OpenSpiel's kuhn_poker"):
        PlayerBot("random", pyspiel.load_game("kuhn_poker"), 0)
    with pytest.raises(gm.Unsuitable, match="higherlower hides its state, which a bot would see"):
        PlayerBot("random", openspiel_game("higherlower"), 0)
    with pytest.raises(gm.ParameterError, match="player_id must be one of 0 to 1, not 2"):
        PlayerBot("random", game, 2)
    with pytest.raises(gm.Unsuitable, match="keeps books of its own"):
        PlayerBot(Bookkeeper, game, 0)
    with pytest.raises(gm.Unsuitable, match="maximizer is for puzzles"):
        PlayerBot("maximizer", game, 0)


class Bookkeeper:
    """A player that is no Player."""

    def play(self, moves: object) -> str:
        return "mark(1,1)"


@pytest.mark.parametrize("said", ["mark(9,9)", None, 5])
def test_a_player_that_says_no_legal_move_is_told(said: Any) -> None:
    game = openspiel_game("tictactoe")
    bot = PlayerBot(lambda state: said, game, 0)
    with pytest.raises(gm.IllegalMove, match="for role 'x' in step 1"):
        bot.step(game.new_initial_state())


def test_a_bot_is_asked_only_where_it_acts() -> None:
    game = openspiel_game("tictactoe")
    bot = PlayerBot("random", game, 1)
    with pytest.raises(gm.StateError, match="'o' has no move in step 1 of tictactoe"):
        bot.step(game.new_initial_state())
    with pytest.raises(
        gm.StateError, match=r"a state of tic_tac_toe\(\), but the bot was made for gamemaster"
    ):
        bot.step(pyspiel.load_game("tic_tac_toe").new_initial_state())


def test_a_twin_that_is_none_is_told() -> None:
    other = Twin("connect_four", "tictactoe", lambda move: "x")
    state = pyspiel.load_game("connect_four").new_initial_state()
    state.apply_action(0)
    with pytest.raises(gm.StateError, match="connect_four and tictactoe are not the same game after nothing"):
        other.state_of(state)
    line = [f"mark({row},{column})" for row, column in ((1, 1), (2, 1), (1, 2), (2, 2), (1, 3))]
    over = gm.load("tictactoe").initial_state()
    for move in line:
        over = over.next(move)
    with pytest.raises(
        gm.StateError, match=r"are not the same game after nothing: legal there .*, here nothing"
    ):
        TWINS[0].move_of(pyspiel.load_game("tic_tac_toe").new_initial_state(), over, 0)


def test_a_bot_may_play_on_with_the_state_that_it_is_shown() -> None:
    class Dreamer(Watcher):
        def step(self, state: SpielState) -> int:
            action = super().step(state)
            while not state.is_terminal():
                state.apply_action(state.legal_actions()[0])
            return action

    player = openspiel_player(lambda game, player, seed: Dreamer(player))
    assert not gm.match("tictactoe", [player, "random"], play_clock=60).faults


# The package without OpenSpiel, and its page


def told_by(program: str) -> str:
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return told.stdout.strip()


def test_openspiel_is_imported_by_nobody_who_does_not_ask_for_it() -> None:
    assert told_by("import gamemaster, sys; print('pyspiel' in sys.modules)") == "False"


def test_a_process_ends_in_peace_whoever_else_lets_go_of_the_name() -> None:
    """OpenSpiel keeps what makes a game until after Python is gone."""
    program = "from gamemaster.bridges.openspiel import game; game.register(); del game._from_parameters"
    assert told_by(program) == ""


def test_without_openspiel_the_bridge_says_how_to_get_it() -> None:
    program = (
        "import sys; sys.modules['pyspiel'] = None\nimport gamemaster as gm\n"
        "try: import gamemaster.bridges.openspiel\nexcept gm.NotInstalled as error: print(error)"
    )
    assert told_by(program) == "this bridge needs OpenSpiel: pip install 'gamemaster[openspiel]'"


def blocks_of_page() -> list[str]:
    section = PAGE.read_text().split("\n## OpenSpiel\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"```python\n(.*?)```", section, re.DOTALL)


def test_the_examples_of_the_page_run(tmp_path: Path) -> None:
    first, player, *others = blocks_of_page()
    for block in (first, *others):
        exec(compile(block, str(PAGE), "exec"), {"__name__": "page"})
    (tmp_path / "spiel.py").write_text(player)
    players = f"{tmp_path / 'spiel.py'}(simulations=5),random"
    result = CliRunner().invoke(app, ["match", "tictactoe", "--players", players, "--quiet"])
    assert result.exit_code == 0, result.output
