"""Trees against plain walks over all histories, on both machines; and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import isclose

import pytest

import gamemaster as gm
from gamemaster.errors import GameIllDefined, LimitExceeded, StrategyError, Unsuitable
from gamemaster.language.terms import Symbol, Term
from gamemaster.machine.game import RANDOM, Game, State
from gamemaster.solving.equilibrium.information import NO_STATE, Memory, Sighting
from gamemaster.solving.equilibrium.profiles import uniform
from gamemaster.solving.equilibrium.tree import HistoryTree, TreeLimits, grow_tree
from tests.solving.equilibrium.sheets import ENDLESS, FORK, PRISONERS

Story = tuple[Sighting, ...]


def joint_moves(state: State) -> Iterator[dict[str, Term]]:
    """Every joint move."""
    roles = state.movers
    for moves in product(*(state.legal_moves(role) for role in roles)):
        yield dict(zip(roles, moves, strict=True))


def walked(game: Game) -> tuple[set[tuple[str, Story]], dict[str, float]]:
    """The information states of a game and what random play gets, by walking through every history."""
    found: set[tuple[str, Story]] = set()
    means = dict.fromkeys(game.roles, 0.0)
    nothing: dict[str, Story] = dict.fromkeys(game.roles, ())
    todo = [(game.initial_state(), nothing, 1.0)]
    while todo:
        state, stories, chance = todo.pop()
        if state.is_terminal:
            for role in game.roles:
                means[role] += chance * (state.goal(role) or 0)
            continue
        found |= {(role, stories[role]) for role in state.choosers if role != RANDOM}
        after = list(joint_moves(state))
        for moves in after:
            seen = state.percepts(moves)
            longer = {role: (*stories[role], (moves.get(role), seen[role])) for role in game.roles}
            todo.append((state.next(moves), longer, chance / len(after)))
    return found, means


def described(tree: HistoryTree) -> set[tuple[str, Story]]:
    return {(told.role, told.story) for told in map(tree.describe, range(tree.states))}


@pytest.mark.parametrize("machine", ["compiled", "reference"])
@pytest.mark.parametrize("sheet", [FORK, PRISONERS])
def test_a_tree_has_the_information_states_and_the_means_of_all_histories(sheet: str, machine: str) -> None:
    game = gm.parse(sheet, machine=machine)  # type: ignore[arg-type]
    found, means = walked(game)
    tree = grow_tree(game)
    assert described(tree) == found
    for role, value in zip(tree.roles, uniform(tree).values, strict=True):
        assert isclose(value, means[role], abs_tol=1e-9)


@pytest.mark.parametrize("name", ["higherlower", "roshambo:rounds=2", "pennies:uneven", "kuhn"])
def test_so_has_the_tree_of_a_game_of_the_library(name: str) -> None:
    game = gm.load(name)
    found, means = walked(game)
    tree = grow_tree(game)
    assert described(tree) == found
    for role, value in zip(tree.roles, uniform(tree).values, strict=True):
        assert isclose(value, means[role], abs_tol=1e-9)


def test_roles_that_choose_at_once_do_not_know_of_each_other() -> None:
    tree = grow_tree(gm.load("pennies"))
    assert tree.states == 2
    assert all(told.story == () for told in map(tree.describe, range(2)))


def test_two_opposed_roles_are_known_as_such_and_others_are_not() -> None:
    assert grow_tree(gm.load("pennies:uneven")).is_opposed
    assert not grow_tree(gm.parse(PRISONERS)).is_opposed
    assert not grow_tree(gm.parse(FORK)).is_opposed


def test_histories_that_nobody_can_tell_apart_go_on_as_one() -> None:
    sheet = FORK.replace("next(gold(W)) :- does(random,put(W))", "next(gold(left)) :- does(random,put(W))")
    assert grow_tree(gm.parse(sheet)).histories < grow_tree(gm.parse(FORK)).histories


def test_what_is_too_large_is_refused_before_it_is_made() -> None:
    with pytest.raises(
        LimitExceeded, match="histories limit of 100 exceeded growing the tree of higherlower"
    ):
        grow_tree(gm.load("higherlower"), limits=TreeLimits(histories=100))
    with pytest.raises(LimitExceeded, match="memory limit of 0 MB"):
        grow_tree(gm.load("higherlower"), limits=TreeLimits(memory=1_000))


def test_no_step_is_begun_that_the_time_may_not_suffice_for() -> None:
    with pytest.raises(LimitExceeded, match="time limit of 0 s exceeded growing the tree of higherlower"):
        grow_tree(gm.load("higherlower"), limits=TreeLimits(seconds=0.0))
    assert grow_tree(gm.load("higherlower"), limits=TreeLimits(seconds=600.0)).states == 12


def test_what_was_reached_is_told() -> None:
    with pytest.raises(LimitExceeded) as told:
        grow_tree(gm.load("higherlower"), limits=TreeLimits(histories=10))
    assert told.value.hint == (
        "7 histories of up to 1 steps were found, and the next step has 36 more; a smaller variant may do"
    )


def test_where_nothing_is_hidden_it_is_told_what_looks_at_one_position() -> None:
    with pytest.raises(LimitExceeded) as told:
        grow_tree(gm.load("dicerace"), limits=TreeLimits(histories=10))
    assert told.value.hint is not None
    assert "`gamemaster think dicerace --with expectiminimax` looks at one position" in told.value.hint


def test_a_game_that_never_ends_is_refused() -> None:
    with pytest.raises(LimitExceeded, match="histories limit"):
        grow_tree(gm.parse(ENDLESS), limits=TreeLimits(histories=1_000))
    with pytest.raises(LimitExceeded, match="steps limit of 1,000"):
        grow_tree(gm.parse(ENDLESS.replace(" legal(a,go)", "")))


def test_a_game_in_which_nobody_ever_chooses_is_refused() -> None:
    sheet = (
        "role(a) legal(a,noop) next(done) :- does(a,noop)\nterminal :- true(done)\ngoal(a,100) :- true(done)"
    )
    with pytest.raises(Unsuitable, match="nobody ever has a choice"):
        grow_tree(gm.parse(sheet))


def test_a_state_in_which_nobody_can_move_is_told_as_such() -> None:
    with pytest.raises(GameIllDefined, match="no role has a legal move"):
        grow_tree(gm.parse(PRISONERS.replace("terminal :- true(over)", "terminal :- true(never)")))


def test_a_memory_follows_play_and_refuses_what_cannot_be() -> None:
    game = gm.load("higherlower")
    tree = grow_tree(game)
    seeker = tree.books[tree.roles.index("seeker")]
    state, memory = game.initial_state(), Memory(seeker)
    assert memory.hear(state.legal_moves("seeker")) == NO_STATE
    moves = {"hider": "hide(5)", "seeker": "noop"}
    memory.see(state.legal_moves("seeker")[0], state.percepts(moves)["seeker"])
    state = state.next(moves)
    number = memory.hear(state.legal_moves("seeker"))
    chooser = tree.choosers.index(tree.roles.index("seeker"))
    told = tree.describe(number + int(tree.form.starts[chooser]))
    assert told.moves == state.legal_moves("seeker")
    with pytest.raises(StrategyError, match=r"seeker cannot be in step 2 making guess\(1\) and seeing lower"):
        memory.see(told.moves[0], [Symbol("lower")])
    with pytest.raises(StrategyError, match="with the moves nothing"):
        memory.hear(())
