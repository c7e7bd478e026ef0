"""Games of chance, and what is known of them: trees of a textbook, pig beside value iteration, a town's rules."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest

import gamemaster as gm
from gamemaster.machine.game import RANDOM, successors

Floats = npt.NDArray[np.float64]

FACES = (2, 3, 4, 5, 6)
CLOSE = 1e-10


def after(state: gm.State, *moves: str) -> gm.State:
    """The state after moves, each of whoever decides."""
    for move in moves:
        state = state.next(move)
    return state


def facts(state: gm.State, *names: str) -> set[str]:
    """The facts of a state with these names."""
    return {text for text in map(str, state.facts) if text.split("(")[0] in names}


# The trees of the textbook


@pytest.mark.parametrize(
    ("name", "scale", "lowest", "below", "values"),
    [
        ("coinflip", 10, -2, (2, 4, 7, 4, 6, 0, 5, -2), (3, -1)),
        ("dicetree", 25, 0, (2, 2, 3, 3, 1, 1, 4, 4), (2.1, 1.3)),
        ("dicetree:stretched", 1 / 4, 0, (20, 20, 30, 30, 1, 1, 400, 400), (21, 40.9)),
    ],
)
def test_a_tree_is_worth_what_the_textbook_says(
    name: str, scale: float, lowest: int, below: tuple[int, ...], values: tuple[float, float]
) -> None:
    state = gm.load(name).initial_state()
    shown = sorted(text for text in facts(state, "node") if not text.endswith(("max)", "min)", "random)")))
    assert shown == [f"node({place},{value})" for place, value in zip("hijklmno", below, strict=True)]
    found = gm.search(state, "max", "expectimax", seconds=60)
    assert found.is_proven
    assert {str(move): value / scale + lowest for move, value in found.values.items()} == {
        "go(b)": pytest.approx(values[0], abs=CLOSE),
        "go(c)": pytest.approx(values[1], abs=CLOSE),
    }
    assert str(found.move) == ("go(b)" if values[0] > values[1] else "go(c)")
    assert str(gm.search(state, "max", "mcts", playouts=20_000).move) == str(found.move)


@pytest.mark.parametrize("name", ["coinflip", "dicetree", "dicetree:stretched"])
def test_what_min_gets_is_the_rest(name: str) -> None:
    state = gm.load(name).initial_state()
    ends = {state}
    while going := [each for each in ends if not each.is_terminal]:
        assert all(each.goal("max") == each.goal("min") == 50 for each in going)
        ends = ends - set(going) | {following for each in going for following in successors(each)}
    assert {(each.goal("max") or 0) + (each.goal("min") or 0) for each in ends} == {100}


def test_nine_faces_of_ten_lead_the_same_way() -> None:
    state = after(gm.load("dicetree").initial_state(), "go(c)")
    places = [next(iter(facts(each, "at"))) for each in successors(state)]
    assert sorted(places) == ["at(f)"] * 9 + ["at(g)"]


# Pig


def pig(target: int, close: float = CLOSE) -> Floats:
    """How probable it is that who is to decide wins, by its score, the other's and the total of the turn.

    Whoever has nothing yet in a turn can only roll.
    """
    worth = np.full((target, target, target + 6), 0.5)
    own, total = np.ogrid[:target, : target + 6]
    is_won = (own + total >= target)[:, None, :]
    kept = np.minimum(own + total, target - 1)
    while True:
        before = worth.copy()
        passed = 1 - worth[:, :, 0].T
        rolled = np.zeros_like(worth)
        rolled += passed[:, :, None]
        for face in FACES:
            rolled[:, :, : target + 6 - face] += worth[:, :, face:]
        held = 1 - worth[:, :, 0][:, kept].transpose(1, 0, 2)
        held[:, :, 0] = 0
        worth = np.where(is_won, 1.0, np.maximum(rolled / 6, held))
        worth[:, :, target:] = 1.0
        if np.abs(worth - before).max() < close:
            return worth


def numbers(state: gm.State) -> tuple[int, int, int]:
    """The score of whose turn it is, that of the other, and the total."""
    told = {text.split(",")[0].split("(")[1]: text for text in facts(state, "score")}
    turn = next(iter(facts(state, "turn")))[5:-1]
    other = {"red": "blue", "blue": "red"}[turn]
    own, its = (int(told[role][:-1].split(",")[1]) for role in (turn, other))
    return own, its, int(next(iter(facts(state, "total")))[6:-1])


def every_state(start: gm.State) -> dict[gm.State, list[gm.State]]:
    """All states that can come, with those that follow."""
    found: dict[gm.State, list[gm.State]] = {}
    waiting = [start]
    while waiting:
        state = waiting.pop()
        if state not in found:
            found[state] = [] if state.is_terminal else list(successors(state))
            waiting += found[state]
    return found


@pytest.mark.parametrize("target", [3, 9])
def test_pig_is_worth_what_value_iteration_says(target: int) -> None:
    """All states of the rules, with what plain value iteration knows of scores, beside what follows."""
    table = pig(target)
    states = every_state(gm.load(f"pig:target={target}").initial_state())

    def worth(state: gm.State) -> float:
        """To red."""
        if state.is_terminal:
            return (state.goal("red") or 0) / 100
        if state.control == RANDOM:
            return sum(map(worth, states[state])) / len(states[state])
        own = table[numbers(state)]
        return float(own if state.control == "red" else 1 - own)

    assert len(states) > target**3
    for state, following in states.items():
        if following and state.control != RANDOM:
            best = max if state.control == "red" else min
            assert worth(state) == pytest.approx(best(map(worth, following)), abs=1e-6)


def test_who_begins_a_small_game_of_pig_wins_more_often() -> None:
    assert pig(20)[0, 0, 0] == pytest.approx(0.6156, abs=0.00005)


@pytest.mark.slow
def test_who_begins_pig_wins_53_of_100_games() -> None:
    """The known value of the whole game."""
    assert pig(100, 1e-5)[0, 0, 0] == pytest.approx(0.5306, abs=0.00005)


def test_a_one_loses_the_turn_and_only_what_is_held_is_kept() -> None:
    state = after(gm.load("pig").initial_state(), "roll", "throw(5)", "roll", "throw(6)")
    assert (numbers(state), state.control) == ((0, 0, 11), "red")
    kept = after(state, "hold")
    assert (facts(kept, "score"), kept.control) == ({"score(red,11)", "score(blue,0)"}, "blue")
    assert list(map(str, kept.legal_moves("blue"))) == ["roll"]
    lost = after(state, "roll", "throw(1)")
    assert (facts(lost, "score"), lost.control) == ({"score(red,0)", "score(blue,0)"}, "blue")
    assert numbers(lost) == (0, 0, 0)


# The town


def town(*told: str, turn: str = "red") -> gm.State:
    """A state of tycoon: both at the start with 15 coins, but for what is told; nobody owns what nobody is told to."""
    usual = ["money(red,15)", "money(blue,15)", "worth(red,15)", "worth(blue,15)"]
    usual += ["at(red,start)", "at(blue,start)", f"turn({turn})", "control(random)", "left(20)"]
    prices = {"hut": 2, "barn": 2, "shop": 3, "mill": 3, "inn": 4, "dock": 4, "tower": 6, "villa": 6}
    usual += [f"deed({field},free,{price})" for field, price in prices.items()]
    said = {_what(text) for text in told}
    return gm.load("tycoon").state([*told, *(text for text in usual if _what(text) not in said)])


def _what(text: str) -> tuple[str, str]:
    name, _, rest = text.partition("(")
    return name, rest.split(",")[0]


def coins(state: gm.State) -> list[int]:
    """What red and blue have in coins, and then what they are worth."""
    told = dict(sorted((text[:-1].split(",")) for text in facts(state, "money", "worth")))
    return [int(told[each]) for each in ("money(red", "money(blue", "worth(red", "worth(blue")]


def test_a_field_is_bought_for_its_price() -> None:
    state = after(town(), "throw(4,6)")
    assert facts(state, "at") == {"at(red,dock)", "at(blue,start)"}
    assert list(map(str, state.legal_moves("red"))) == ["buy", "pass"]
    bought = after(state, "buy")
    assert "deed(dock,red,4)" in facts(bought, "deed")
    assert coins(bought) == [11, 15, 15, 15]
    assert (facts(bought, "turn"), bought.control) == ({"turn(blue)"}, RANDOM)
    passed = after(state, "pass")
    assert (coins(passed), facts(passed, "deed")) == ([15, 15, 15, 15], facts(state, "deed"))


def test_nobody_buys_without_the_money() -> None:
    state = after(town("money(red,3)"), "throw(4,6)")
    assert list(map(str, state.legal_moves("red"))) == ["pass"]


@pytest.mark.parametrize(
    ("told", "paid"),
    [
        (("deed(mill,blue,3)",), 2),
        (("deed(mill,blue,3)", "deed(shop,blue,3)"), 4),
        (("deed(mill,blue,3)", "deed(shop,red,3)"), 2),
        (("deed(mill,red,3)", "deed(shop,red,3)"), 0),
    ],
)
def test_rent_is_paid_and_doubled_for_a_pair(told: Iterable[str], paid: int) -> None:
    state = after(town(*told), "throw(1,5)")
    assert coins(state) == [15 - paid, 15 + paid, 15 - paid, 15 + paid]
    assert (facts(state, "turn"), state.control) == ({"turn(blue)"}, RANDOM)


@pytest.mark.parametrize(
    ("field", "throw", "coin"),
    [
        ("tax", "throw(1,1)", 18),
        ("tax", "throw(1,4)", 18),
        ("villa", "throw(1,1)", 18),
        ("dock", "throw(1,4)", 12),
    ],
)
def test_wages_are_paid_for_the_start_and_fees_are_due(field: str, throw: str, coin: int) -> None:
    state = after(town(f"at(red,{field})"), throw)
    assert coins(state) == [coin, 15, coin, 15]


@pytest.mark.parametrize(("lot", "coin"), [("prize", 19), ("gift", 17), ("fine", 13), ("theft", 12)])
def test_lots_are_drawn_by_chance(lot: str, coin: int) -> None:
    state = after(town(), "throw(1,2)")
    assert {str(move) for move in state.legal_moves(RANDOM)} == {
        f"draw({each})" for each in ("prize", "gift", "fine", "theft")
    }
    drawn = after(state, f"draw({lot})")
    assert coins(drawn) == [coin, 15, coin, 15]
    assert {str(move) for move in drawn.legal_moves(RANDOM)} == {
        f"throw({one},{other})" for one, other in product(range(1, 7), repeat=2)
    }


def test_who_cannot_pay_is_broke_and_has_lost() -> None:
    told = ("worth(red,40)", "deed(tower,blue,6)", "deed(villa,blue,6)", "at(red,rest)")
    assert not after(town("money(red,6)", *told), "throw(1,1)").is_terminal
    state = after(town("money(red,5)", *told), "throw(1,1)")
    assert state.is_terminal
    assert [state.goal(role) for role in state.game.roles] == [0, 100, 0]


@pytest.mark.parametrize(("worth", "goals"), [(16, [100, 0, 0]), (15, [50, 50, 0]), (14, [0, 100, 0])])
def test_who_is_worth_more_after_the_last_turn_has_won(worth: int, goals: list[int]) -> None:
    start = town(f"worth(red,{worth})", "left(1)", turn="blue")
    assert not start.is_terminal
    state = after(start, "throw(1,3)")
    assert state.is_terminal
    assert [state.goal(role) for role in state.game.roles] == goals


def test_a_purse_holds_no_more_than_60() -> None:
    state = after(town("money(red,59)", "worth(red,65)"), "throw(1,2)", "draw(prize)")
    assert coins(state) == [60, 15, 66, 15]


def test_what_a_player_is_worth_is_its_coins_and_its_fields() -> None:
    generator = random.Random(1)
    for _ in range(8):
        state = gm.load("tycoon").initial_state()
        while not state.is_terminal:
            state = state.next(state.random_moves(generator))
            owned = [text[5:-1].split(",") for text in facts(state, "deed")]
            fields = [sum(int(price) for _, who, price in owned if who == role) for role in ("red", "blue")]
            red, blue, *worth = coins(state)
            if not facts(state, "broke"):
                assert [red + fields[0], blue + fields[1]] == worth
