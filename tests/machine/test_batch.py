"""A batch of games is as many States, stepped together."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.codegen.kernel import Kernel
from gamemaster.codegen.vector import LANES
from gamemaster.machine.batch import NOBODY, SEVERAL, Batch
from gamemaster.machine.batch_layout import StepSlots
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import RANDOM
from tests.machine.sheets import HIDDEN_DIE, MATCHING, REACH

TURNS_WITH_NOOP = """
; Two roles take turns at a pile of five; whoever takes the last one wins. Who waits does nothing.
(role a) (role b) (init (pile 5)) (init (control a)) (amount 1) (amount 2)
(<= (legal ?r (take ?n)) (true (control ?r)) (true (pile ?p)) (minus ?p ?n ?q) (amount ?n))
(<= (legal a noop) (true (control b)))
(<= (legal b noop) (true (control a)))
(<= (next (pile ?q)) (does ?r (take ?n)) (true (pile ?p)) (minus ?p ?n ?q))
(<= (next (control a)) (true (control b)))
(<= (next (control b)) (true (control a)))
(<= terminal (true (pile 0)))
(<= (goal a 100) (true (pile 0)) (true (control b))) (<= (goal a 0) (true (control a)))
(<= (goal b 100) (true (pile 0)) (true (control a))) (<= (goal b 0) (true (control b)))
(minus 5 1 4) (minus 4 1 3) (minus 3 1 2) (minus 2 1 1) (minus 1 1 0)
(minus 5 2 3) (minus 4 2 2) (minus 3 2 1) (minus 2 2 0)
"""

DEAD_END = """
role(a) init(step(1)) base(step(1)) legal(a,go) :- true(step(1)) next(step(2)) :- does(a,go) goal(a,50)
terminal :- true(step(3))
"""

GAMES = {
    "tictactoe": "tictactoe",
    "a variant": "connectfour:columns=4",
    "many moves": "breakthrough",
    "one role": "lightboard",
    "three roles": "threehouses",
    "simultaneous": "roshambo",
    "simultaneous, in a maze": "tron",
    "chance": "dicerace",
    "hidden": "higherlower",
    "chance and hidden": HIDDEN_DIE,
    "simultaneous, sheet": MATCHING,
    "who waits does nothing": TURNS_WITH_NOOP,
    "recursion": REACH,
}


def compiled(rules: str) -> CompiledGame:
    game = gm.parse(rules, machine="compiled") if "role" in rules else gm.load(rules, machine="compiled")
    assert isinstance(game, CompiledGame)
    return game


def followers(state: gm.State, moves: dict[str, gm.Term]) -> list[gm.State]:
    """The states after moves of all roles but chance."""
    draws = state.legal_moves(RANDOM) if RANDOM in state.game.roles else ()
    return [state.next({**moves, RANDOM: draw}) for draw in draws] if draws else [state.next(moves)]


def goals_of(state: gm.State) -> tuple[int | None, ...]:
    return tuple(state.goal(role) for role in state.game.roles)


def told_goals(batch: Batch, number: int) -> tuple[float | None, ...]:
    return tuple(None if np.isnan(goal) else goal for goal in batch.goals[number])


def who_is_asked(state: gm.State) -> int:
    players = [role for role in state.game.roles if role != RANDOM and state.legal_moves(role)]
    choosers = [role for role in players if len(state.legal_moves(role)) > 1]
    if state.is_terminal or not players:
        return NOBODY
    if len(choosers) > 1:
        return SEVERAL
    marked = [role for role in players if state.holds(f"control({role})")]
    asked = choosers or (marked if len(marked) == 1 else players)
    return state.game.roles.index(asked[0])


def named(columns: Any, names: Iterable[gm.Term]) -> set[gm.Term]:
    return {name for name, held in zip(names, columns, strict=True) if held}


def assert_tells(batch: Batch, number: int, state: gm.State) -> None:
    """A game of a batch is in a state, and all that is told of it is what the state says."""
    game = state.game
    assert batch.state(number) == state
    assert named(batch.states[number], batch.facts) == state.facts
    assert batch.rows[number].tobytes() == batch.game.own(state).bits
    asked = who_is_asked(state)
    assert batch.control[number] == asked
    legal = set(state.legal_moves(game.roles[asked])) if asked >= 0 else set()
    assert named(batch.legal[number], batch.moves) == legal
    for role in game.roles:
        names = game.compiled.layout.moves[game.roles.index(role)] if role == RANDOM else batch.moves  # type: ignore[union-attr]
        expected = set() if state.is_terminal else set(state.legal_moves(role))
        assert named(batch.legal_for(role)[number], names) == expected


def random_choice(
    batch: Batch, states: list[gm.State], generator: random.Random, single: bool
) -> tuple[Any, list[dict[str, gm.Term]]]:
    """Indices of random moves, and the moves of all roles but chance."""
    indices = np.full((len(batch), len(batch.roles)), -1)
    joint: list[dict[str, gm.Term]] = []
    for number, state in enumerate(states):
        joint.append({})
        for column, role in enumerate(batch.roles):
            if role != RANDOM and state.legal_moves(role):
                joint[-1][role] = generator.choice(state.legal_moves(role))
                indices[number, column] = batch.move_index(joint[-1][role])
    if single:
        return indices[np.arange(len(batch)), np.maximum(batch.control, 0)], joint
    return indices, joint


@pytest.mark.parametrize("name", GAMES)
def test_a_batch_plays_as_single_states_do(name: str) -> None:
    game = compiled(GAMES[name])
    batch, generator = game.batch(7, seed=3), random.Random(name)
    states: list[gm.State] = [game.initial_state()] * 7
    lengths = [0] * 7
    for step in range(60):
        assert batch.lengths.tolist() == lengths
        for number, state in enumerate(states):
            assert_tells(batch, number, state)
        single = SEVERAL not in batch.control and step % 2 == 0
        indices, joint = random_choice(batch, states, generator, single)
        batch.step(indices)
        for number, (state, moves) in enumerate(zip(states, joint, strict=True)):
            possible = followers(state, moves)
            lengths[number] += 1
            if batch.terminal[number]:
                ends = {goals_of(after) for after in possible if after.is_terminal}
                assert told_goals(batch, number) in ends
                assert tuple(batch.final_goals[number][~np.isnan(batch.final_goals[number])]) == tuple(
                    goal for goal in told_goals(batch, number) if goal is not None
                )
                assert batch.final_lengths[number] == lengths[number]
                states[number], lengths[number] = game.initial_state(), 0
            else:
                states[number] = batch.state(number)
                assert states[number] in [after for after in possible if not after.is_terminal]
                assert told_goals(batch, number) == goals_of(states[number])


@pytest.mark.parametrize("rules", [HIDDEN_DIE, "higherlower"])
def test_what_roles_perceive_is_told(rules: str) -> None:
    game = compiled(rules)
    batch, generator = game.batch(5, seed=1), random.Random(1)
    for _ in range(10):
        states = [batch.state(number) for number in range(5)]
        indices, joint = random_choice(batch, states, generator, single=False)
        batch.step(indices)
        for number, (state, moves) in enumerate(zip(states, joint, strict=True)):
            draws = (state.legal_moves(RANDOM) if RANDOM in game.roles else ()) or (None,)
            told = tuple(
                frozenset(named(batch.percepts(role)[number], percepts))
                for role, percepts in zip(game.roles, game.layout.percepts, strict=True)
            )
            possible = [{**moves, RANDOM: draw} if draw else moves for draw in draws]
            assert told in [tuple(state.percepts(made).values()) for made in possible]


@pytest.mark.parametrize("rules", ["tictactoe", "roshambo", HIDDEN_DIE])
def test_slots_are_where_the_layout_says(rules: str) -> None:
    game = compiled(rules)
    code, slots = game.artifact.code("step"), StepSlots.of(game.layout)
    assert code.outputs == slots.outputs
    assert code.inputs >= slots.first_random
    assert (code.inputs > slots.first_random) == (RANDOM in game.roles)


def test_both_tiers_make_the_same_steps() -> None:
    game = compiled(HIDDEN_DIE)
    slow, quick = game.batch(300, seed=5), game.batch(300, seed=5)
    assert game.wait_for("step")
    slow._kernel = Kernel(game.artifact.code("step"))
    slow._base = slow._kernel
    for _ in range(8):
        for batch in (slow, quick):
            batch.step(batch.legal.argmax(axis=1))
        assert (slow.rows == quick.rows).all()
    assert quick._kernel.is_compiled
    assert not slow._kernel.is_compiled


def test_a_seed_decides_what_chance_draws() -> None:
    game = compiled("dicerace")

    def played(seed: int) -> Any:
        batch = game.batch(300, seed=seed)
        for _ in range(9):
            batch.step(batch.legal.argmax(axis=1))
        return batch.rows

    assert (played(1) == played(1)).all()
    assert (played(1) != played(2)).any()
    assert len(np.unique(played(1), axis=0)) > 10


def test_games_that_end_begin_anew_and_what_they_ended_with_is_kept() -> None:
    game = compiled("tictactoe")
    batch = game.batch(2)
    assert np.isnan(batch.final_goals).all()
    assert batch.final_lengths.tolist() == [0, 0]
    lines = [["mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)", "mark(1,3)"]] * 2
    lines[1] = ["mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)", "mark(3,3)"]
    for made in zip(*lines, strict=True):
        assert not batch.terminal.any()
        batch.step([batch.move_index(move) for move in made])
    assert batch.terminal.tolist() == [True, False]
    assert batch.goals[0].tolist() == [100, 0]
    assert batch.lengths.tolist() == [0, 5]
    assert batch.state(0) == game.initial_state()
    batch.step([batch.move_index("mark(3,3)"), batch.move_index("mark(2,3)")])
    assert batch.terminal.tolist() == [False, True]
    assert batch.final_goals.tolist() == [[100, 0], [0, 100]]
    assert batch.final_lengths.tolist() == [5, 6]


def test_without_resets_games_stay_over() -> None:
    game = compiled("tictactoe")
    batch = game.batch(3, resets=False)
    for _ in range(12):
        batch.step(batch.legal.argmax(axis=1))
    assert batch.terminal.all()
    assert (batch.control == NOBODY).all()
    assert not batch.legal.any()
    assert not batch.legal_for("x").any()
    assert batch.lengths.tolist() == batch.final_lengths.tolist() == [7, 7, 7]
    assert batch.state(1).is_terminal
    batch.step(np.full((3, 2), 4))  # whatever is given for games that are over
    assert batch.lengths.tolist() == [7, 7, 7]
    batch.reset([2])
    assert batch.state(2) == game.initial_state()
    assert batch.state(1).is_terminal
    assert batch.lengths.tolist() == [7, 7, 0]
    batch.reset(np.array([True, False, False]))
    assert batch.terminal.tolist() == [False, True, False]


def test_games_start_from_any_states() -> None:
    game = compiled("connectfour")
    start = game.initial_state()
    states = [start.next(move) for move in start.legal_moves("red")]
    batch = game.batch(8, start=states)
    assert [batch.state(number) for number in range(8)] == states
    assert batch.lengths.tolist() == [1] * 8
    batch.set(3, states[5].next("drop(6)"))
    assert batch.state(3) == states[5].next("drop(6)")
    assert batch.state(3).step == batch.lengths[3] == 2
    assert batch.state(4) == states[4]
    assert batch.control.tolist() == [1, 1, 1, 0, 1, 1, 1, 1]
    batch.reset(start=states[2])
    assert {batch.state(number) for number in range(8)} == {states[2]}
    batch.reset([])
    batch.reset([], start=[])
    assert batch.state(0) == states[2]


def test_a_state_that_is_over_begins_anew_with_the_next_step() -> None:
    game = compiled("tictactoe")
    generator = random.Random(1)
    batch = game.batch(2, start=game.random_game(generator))
    assert batch.terminal.all()
    assert (batch.control == NOBODY).all()
    batch.step([0, 8])
    assert not batch.terminal.any()
    assert [batch.state(number) for number in range(2)] == [game.initial_state()] * 2
    assert batch.lengths.tolist() == [0, 0]


def test_columns_have_names() -> None:
    batch = compiled("tictactoe").batch(1)
    assert [batch.fact_index(fact) for fact in batch.facts] == [*range(29)]
    assert [batch.move_index(str(move)) for move in batch.moves] == [*range(9)]
    with pytest.raises(gm.ParameterError, match=r"fact 'cell\(1,1,z\)' can never hold in tictactoe"):
        batch.fact_index("cell(1,1,z)")
    with pytest.raises(gm.ParameterError, match=r"move 'mark\(4,4\)' can never be made in tictactoe"):
        batch.move_index("mark(4,4)")
    assert str(batch) == "1 games of tictactoe: 9 moves, 29 facts"
    assert repr(batch) == f"<Batch of {batch}>"
    assert len(batch) == 1


def test_an_illegal_index_is_refused_with_its_game_and_nothing_is_done() -> None:
    batch = compiled("tictactoe").batch(300)
    batch.step([0] * 300)
    with pytest.raises(gm.IllegalMove, match=r"mark\(1,1\) \(index 0 in game 299\)' for role 'o' in step 2"):
        batch.step([*range(1, 9)] * 37 + [1, 1, 1, 0])
    for index in (9, -1, 2**40):
        with pytest.raises(gm.IllegalMove, match=rf"no move \(index {index} in game 1\)"):
            batch.step([1, index] + [1] * 298)
    with pytest.raises(gm.IllegalMove, match=r"mark\(1,3\) \(index 2 in game 0\)' for role 'x'"):
        batch.step(np.full((300, 2), 2))
    assert (batch.lengths == 1).all()


def test_roles_that_choose_at_once_need_a_move_each() -> None:
    batch = compiled("roshambo").batch(2)
    assert batch.control.tolist() == [SEVERAL, SEVERAL]
    with pytest.raises(gm.ParameterError, match=r"choose at once in game 0.*array of shape \(2, 2\)"):
        batch.step([0, 0])
    with pytest.raises(gm.IllegalMove, match=r"no move \(index -1 in game 1\)"):
        batch.step([[0, 1], [0, -1]])
    batch.step([[0, 1], [2, 0]])
    assert batch.lengths.tolist() == [1, 1]


@pytest.mark.parametrize(
    "indices", [[0], [[0]], [0, 1, 2, 3], [0.0, 1.0, 2.0], [True, True, True], "abc", [[0, 1, 2]] * 3, None]
)
def test_indices_of_another_shape_or_kind_are_refused(indices: Any) -> None:
    with pytest.raises(gm.ParameterError, match=r"step takes whole numbers of shape \(3,\), or \(3, 2\)"):
        compiled("tictactoe").batch(3).step(indices)


@pytest.mark.parametrize("games", [[3], [-1], [0.5], [[0]], [True], "x"])
def test_games_that_are_none_are_refused(games: Any) -> None:
    with pytest.raises(gm.ParameterError, match="games must be numbers from 0 to 2, or flags"):
        compiled("tictactoe").batch(3).reset(games)


def test_what_a_batch_cannot_be_made_of_is_refused() -> None:
    game = compiled("tictactoe")
    for count in (0, -1, 1.5, "2", 10**9):
        with pytest.raises(gm.ParameterError, match="count must be a whole number"):
            game.batch(count)  # type: ignore[arg-type]
    with pytest.raises(gm.ParameterError, match="seed"):
        game.batch(1, seed=0.5)  # type: ignore[arg-type]
    with pytest.raises(gm.ParameterError, match="resets must be True or False, not 'no'"):
        game.batch(1, resets="no")  # type: ignore[arg-type]
    with pytest.raises(gm.ParameterError, match="start must be a state, or 3 of them, not 2"):
        game.batch(3, start=[game.initial_state()] * 2)
    with pytest.raises(gm.StateError, match="not of tictactoe"):
        game.batch(1, start=compiled("nim").initial_state())
    with pytest.raises(gm.ParameterError, match="number of a game must be a whole number from 0 to 0"):
        game.batch(1).state(1)
    with pytest.raises(gm.UnknownRole):
        game.batch(1).legal_for("z")
    with pytest.raises(gm.UnknownRole):
        game.batch(1).percepts("z")


def test_more_games_than_fit_are_refused() -> None:
    with pytest.raises(
        gm.ParameterError, match=r"10,000,000 games of breakthrough in a batch would take .* GB, more"
    ):
        compiled("breakthrough").batch(10_000_000)


def test_a_game_without_facts_is_over_and_stays_so() -> None:
    game = gm.parse("role(a) legal(a,go) :- role(nobody) terminal goal(a,70)", machine="compiled")
    batch = game.batch(3)
    assert batch.states.shape == (3, 0)
    assert batch.rows.shape == (3, 0)
    assert batch.legal.shape == (3, 0)
    batch.step([0, 5, -1])
    assert batch.terminal.all()
    assert batch.goals.tolist() == [[70]] * 3


def test_a_single_role_can_be_given_either_way() -> None:
    batch, other = compiled("lightboard").batch(2), compiled("lightboard").batch(2)
    batch.step([0, 1])
    other.step([[0], [1]])
    assert (batch.rows == other.rows).all()


def test_a_game_that_does_not_compile_has_no_batch() -> None:
    game = gm.load("tictactoe", machine="reference")
    with pytest.raises(gm.Unsuitable, match="tictactoe is on the reference machine: asked for"):
        game.batch(2)


def test_a_dead_end_is_told_by_the_next_step() -> None:
    batch = compiled(DEAD_END).batch(2)
    batch.step([0, 0])
    with pytest.raises(gm.GameIllDefined, match="no role has a legal move in step 2"):
        batch.step([0, 0])


@pytest.mark.parametrize(
    "how", [Batch.copy, copy.copy, copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b))]
)
def test_a_copy_goes_on_by_itself_as_the_batch_would(how: Any) -> None:
    batch = compiled("dicerace").batch(300, seed=4)
    for _ in range(3):
        batch.step(batch.legal.argmax(axis=1))
    other, before = how(batch), batch.rows
    for _ in range(12):
        other.step(other.legal.argmax(axis=1))
    assert (batch.rows == before).all()
    for _ in range(12):
        batch.step(batch.legal.argmax(axis=1))
    for name in ("rows", "control", "legal", "terminal", "lengths", "final_lengths"):
        assert (getattr(batch, name) == getattr(other, name)).all()
    for name in ("goals", "final_goals"):
        assert np.array_equal(getattr(batch, name), getattr(other, name), equal_nan=True)


def test_a_batch_of_another_width_is_refused() -> None:
    batch = compiled("tictactoe").batch(3)
    kept = batch.__getstate__()
    wider = {**kept, "memory": np.repeat(kept["memory"], 2, axis=2)}
    with pytest.raises(gm.StateError, match=f"where a vector has {2 * LANES} lanes; here it has {LANES}"):
        batch.__setstate__(wider)


def test_arrays_of_earlier_steps_stay_as_they_were() -> None:
    batch = compiled("tictactoe").batch(4)
    arrays = (batch.legal, batch.goals, batch.terminal, batch.control, batch.lengths)
    before = [array.copy() for array in arrays]
    for _ in range(7):
        batch.step(batch.legal.argmax(axis=1))
    assert all((array == old).all() for array, old in zip(arrays, before, strict=True))


@pytest.mark.parametrize("count", [1, 255, 256, 257, 600])
def test_any_number_of_games_is_fine(count: int) -> None:
    game = compiled("connectfour:columns=4")
    batch, one = game.batch(count), game.batch(1)
    for move in (0, 1, 0, 1, 0, 2, 0):
        batch.step([move] * count)
        one.step([move])
        for name in ("rows", "legal", "terminal", "goals", "control"):
            assert np.array_equal(getattr(batch, name), np.repeat(getattr(one, name), count, axis=0))
    assert list(product([True], repeat=count)) == [tuple(batch.terminal.tolist())]
