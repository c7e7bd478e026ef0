"""Sure wins where the state is hidden: found where there are any, kept against every reply, claimed nowhere else."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

import gamemaster as gm
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State
from gamemaster.search.budget import Budget
from gamemaster.search.hidden.beliefs import Beliefs
from gamemaster.search.hidden.ismcts import new_trees
from gamemaster.search.hidden.lanes import LaneParticles
from gamemaster.search.hidden.sure import SureWin
from tests.search.hidden.sheets import LOOK, PENNIES, ROAD

LONG = 60.0

FREE_LOOK = LOOK.replace("goal(player,90)", "goal(player,100)")
"""To look costs nothing: who looks first is right for sure."""


def compiled(sheet: str) -> Game:
    return gm.parse(sheet, dialect="hrf", machine="compiled")


def sure_of(game: Game, role: str) -> SureWin:
    assert game.compiled is not None
    return SureWin(game.compiled, role)


def outcomes(sure: SureWin, states: LaneParticles, state: State) -> Iterator[int | None]:
    """What the role gets by a proof, whatever the others do."""
    role = sure.sets.role
    if state.is_terminal:
        yield state.goal(role)
        return
    own = sure.move(states)
    for joint in all_joint(state, role, own):
        after = state.next(joint)
        if after.is_terminal:
            yield after.goal(role)
            continue
        seen = sure.sets.seen(states, own, state.percepts(joint)[role], after.legal_moves(role))
        assert seen is not None
        yield from outcomes(sure, seen, after)


def all_joint(state: State, role: str, own: Term | None) -> list[dict[str, Term]]:
    joints: list[dict[str, Term]] = [{}]
    for mover in state.movers:
        moves = (own,) if mover == role and own is not None else state.legal_moves(mover)
        joints = [{**joint, mover: move} for joint in joints for move in moves]
    return joints


def test_who_may_look_for_nothing_wins_for_sure() -> None:
    game = compiled(FREE_LOOK)
    sure = sure_of(game, "player")
    assert sure.prove(sure.sets.initial(), LONG) is True
    assert set(outcomes(sure, sure.sets.initial(), game.initial_state())) == {100}


@pytest.mark.parametrize(("sheet", "role"), [(LOOK, "player"), (ROAD, "walker"), (PENNIES, "one")])
def test_what_has_to_be_guessed_is_not_sure(sheet: str, role: str) -> None:
    sure = sure_of(compiled(sheet), role)
    assert sure.prove(sure.sets.initial(), LONG) is False
    assert sure.move(sure.sets.initial()) is None


def test_no_time_proves_nothing() -> None:
    sure = sure_of(compiled(FREE_LOOK), "player")
    assert sure.prove(sure.sets.initial(), -1.0) is None


@pytest.mark.slow
def test_who_begins_dark_hex_wins_for_sure_against_every_reply() -> None:
    game = gm.load("darkhex", machine="compiled")
    assert game.compiled is not None
    trees = new_trees(game)
    trees.search(Beliefs(game, "red", random.Random(1)), Budget(playouts=200_000))
    sure = SureWin(game.compiled, "red", lambda known, legal: trees.chances("red", known, legal))
    assert sure.prove(sure.sets.initial(), LONG) is True
    assert set(outcomes(sure, sure.sets.initial(), game.initial_state())) == {100}
