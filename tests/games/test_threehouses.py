"""Three Houses: every season from the start, beside a count of attackers and defenders."""

from __future__ import annotations

import random
from itertools import permutations, product

import gamemaster as gm

HOUSES = ("rose", "thistle", "lily")
WORTH = (0, 11, 22, 33, 44, 56, 67, 78, 89, 100)

Castles = dict[str, int]


def _castles(state: gm.State) -> Castles:
    facts = [each.args for each in state.facts if isinstance(each, gm.Compound) and each.functor == "castles"]
    return {str(house): int(count) for house, count in facts}


def _allies(offers: dict[str, str]) -> set[tuple[str, str]]:
    pairs = permutations(HOUSES, 2)
    return {(a, b) for a, b in pairs if offers[a] == f"offer({b})" and offers[b] == f"offer({a})"}


def _after_war(castles: Castles, allies: set[tuple[str, str]], moves: dict[str, str]) -> Castles:
    """More attackers than defenders take a castle each; two who fight over the last one burn it."""
    after = dict(castles)
    for house in HOUSES:
        attackers = [each for each in HOUSES if moves[each] == f"attack({house})"]
        guards = [each for each in HOUSES if each == house or (each, house) in allies]
        if len(attackers) > sum(moves[each] == "defend" for each in guards):
            after[house] -= min(castles[house], len(attackers))
            for each in attackers:
                after[each] += castles[house] >= len(attackers)
    return after


def _joint(state: gm.State) -> list[dict[str, str]]:
    legal = [list(map(str, state.legal_moves(house))) for house in HOUSES]
    return [dict(zip(HOUSES, moves, strict=True)) for moves in product(*legal)]


def test_every_first_season_goes_as_counted() -> None:
    start = gm.load("threehouses").initial_state()
    councils = _joint(start)
    assert len(councils) == 27
    for offers in councils:
        state, allies = start.next(offers), _allies(offers)
        assert _castles(state) == _castles(start)
        wars = _joint(state)
        assert len(wars) == (27 if not allies else 12)
        for moves in wars:
            assert _castles(state.next(moves)) == _after_war(_castles(start), allies, moves)


def test_random_games_go_as_counted_and_share_the_castles() -> None:
    game, generator, fallen = gm.load("threehouses"), random.Random(3), 0
    for _ in range(40):
        state, seasons = game.initial_state(), 0
        while not state.is_terminal:
            offers = generator.choice(_joint(state))
            council = state.next(offers)
            moves = generator.choice(_joint(council))
            state, seasons = council.next(moves), seasons + 1
            castles = _after_war(_castles(council), _allies(offers), moves)
            assert _castles(state) == castles
            assert [state.goal(house) for house in HOUSES] == [WORTH[castles[house]] for house in HOUSES]
            assert sum(castles.values()) <= 9
            assert state.is_terminal == (seasons == 6 or 0 in castles.values())
        fallen += seasons < 6
    assert fallen > 0


def test_what_two_take_from_a_house_with_one_castle_burns() -> None:
    state = gm.load("threehouses").initial_state()
    for _ in range(2):
        assert not state.is_terminal
        state = state.next(dict.fromkeys(HOUSES, "alone"))
        state = state.next({"rose": "defend", "thistle": "attack(rose)", "lily": "attack(rose)"})
    assert state.is_terminal
    assert _castles(state) == {"rose": 0, "thistle": 4, "lily": 4}
