"""Games of cards, dice and coins: what they are worth, against sums that know nothing of their rules."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from itertools import permutations, product
from math import isclose

import pytest

import gamemaster as gm
from gamemaster.machine.game import RANDOM, State
from gamemaster.machine.moves import walk
from gamemaster.solving.equilibrium.equilibrium import Equilibrium
from gamemaster.solving.equilibrium.profiles import uniform
from gamemaster.solving.equilibrium.solver import Aim, solve_equilibrium
from gamemaster.solving.equilibrium.tree import grow_tree

FINE = Aim(0.002, iterations=20_000, seconds=None)


@cache
def solved(name: str) -> Equilibrium:
    return solve_equilibrium(gm.load(name), aim=FINE)


def after(name: str, *moves: str) -> State:
    return walk(gm.load(name).initial_state(), moves, random.Random(0))[0]


def goals(name: str, *moves: str) -> list[int | None]:
    state = after(name, *moves)
    assert state.is_terminal
    return [state.goal(role) for role in state.game.roles if role != RANDOM]


# What they are worth


@pytest.mark.parametrize(
    ("name", "chip", "value"),
    [
        ("kuhn", 25, -1 / 18),
        ("leduc", 3, -0.0856),
        ("goofspiel:descending", 50, 0.0),
        ("goofspiel:cards=3", 50, 0.0),
        ("goofspiel:blind,cards=3", 50, 0.0),
        ("liarsdice:small", 50, 1 / 9),
    ],
)
def test_games_are_worth_what_is_known_of_them(name: str, chip: int, value: float) -> None:
    """For the first player, in chips, of which goals are a linear image around 50."""
    found = solved(name)
    first = found.tree.roles[0]
    assert found.exploitability <= FINE.until
    assert isclose((found.values[first] - 50) / chip, value, abs_tol=0.001)


@pytest.mark.slow
def test_liars_dice_with_six_sides_favour_the_second_player() -> None:
    found = solve_equilibrium(gm.load("liarsdice"), aim=Aim(0.02, iterations=20_000, seconds=None))
    assert isclose((found.values["alice"] - 50) / 50, -0.0272, abs_tol=0.0005)


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("kuhn", "kuhn_poker"),
        ("leduc", "leduc_poker"),
        ("liarsdice:small", "liars_dice(dice_sides=3)"),
        ("liarsdice:dice=2,sides=2", "liars_dice(numdice=2,dice_sides=2)"),
        ("goofspiel:cards=3", "goofspiel(num_cards=3)"),
        ("goofspiel:descending", "goofspiel(num_cards=4,points_order=descending)"),
    ],
)
def test_random_play_gets_what_it_gets_in_the_field_s_own_games(name: str, theirs: str) -> None:
    spiel = pytest.importorskip("pyspiel")
    chip = {"kuhn": 25, "leduc": 3}.get(name, 50)
    tree = grow_tree(gm.load(name))
    means = spiel_means(spiel.load_game(theirs).new_initial_state())
    assert isclose((uniform(tree).values[0] - 50) / chip, means, abs_tol=1e-9)


def spiel_means(state: object) -> float:
    """What the first player gets where everybody, and chance by its odds, moves at random."""
    if state.is_terminal():  # type: ignore[attr-defined]
        return float(state.returns()[0])  # type: ignore[attr-defined]
    if state.is_chance_node():  # type: ignore[attr-defined]
        return sum(p * spiel_means(state.child(move)) for move, p in state.chance_outcomes())  # type: ignore[attr-defined]
    if state.is_simultaneous_node():  # type: ignore[attr-defined]
        joint = list(product(*(state.legal_actions(player) for player in (0, 1))))  # type: ignore[attr-defined]
        children = [state.clone() for _ in joint]  # type: ignore[attr-defined]
        for child, moves in zip(children, joint, strict=True):
            child.apply_actions(list(moves))
    else:
        children = [state.child(move) for move in state.legal_actions()]  # type: ignore[attr-defined]
    return sum(map(spiel_means, children)) / len(children)


def test_kuhn_s_family_of_strategies_is_found() -> None:
    """One number says all of it: how often alice bets with a jack. Bob has no choice but one."""
    found = solved("kuhn")
    does = {(role, seen): found.profile.advise(state) for state, role, seen in information(found)}

    def chance(role: str, seen: str, move: str) -> float:
        return next(p for m, p in does[role, seen].items() if str(m) == move)

    bluff = chance("alice", "jack", "bet")
    assert 0 <= bluff <= 1 / 3 + 0.01
    for (role, seen, move), expected in {
        ("alice", "queen", "bet"): 0.0,
        ("alice", "king", "bet"): 3 * bluff,
        ("alice", "jack check bet", "call"): 0.0,
        ("alice", "queen check bet", "call"): bluff + 1 / 3,
        ("alice", "king check bet", "call"): 1.0,
        ("bob", "jack check", "bet"): 1 / 3,
        ("bob", "queen check", "bet"): 0.0,
        ("bob", "king check", "bet"): 1.0,
        ("bob", "jack bet", "call"): 0.0,
        ("bob", "queen bet", "call"): 1 / 3,
        ("bob", "king bet", "call"): 1.0,
    }.items():
        assert chance(role, seen, move) == pytest.approx(expected, abs=0.02), (role, seen, move)


def information(found: Equilibrium) -> Iterator[tuple[int, str, str]]:
    """Each information state with its role and what that has seen, in words."""
    for state in range(found.tree.states):
        told = found.tree.describe(state)
        seen = " ".join(str(percept) for _, percepts in told.story for percept in percepts)
        yield state, told.role, seen


# How they go


@pytest.mark.parametrize(
    ("cards", "said", "alice"),
    [
        ("king queen", "check check", 75),
        ("jack queen", "check check", 25),
        ("king queen", "bet call", 100),
        ("jack king", "bet call", 0),
        ("jack king", "bet fold", 75),
        ("king jack", "check bet fold", 25),
        ("king queen", "check bet call", 100),
    ],
)
def test_kuhn_pays_the_pot(cards: str, said: str, alice: int) -> None:
    dealt = [f"deal({card})" for card in cards.split()]
    assert goals("kuhn", *dealt, *said.split()) == [alice, 100 - alice]


@pytest.mark.parametrize(
    ("cards", "said", "chips"),
    [
        ("hk sq hj", "check check, check check", 1),
        ("hj sq hk", "check check, check check", -1),
        ("hj sj hk", "bet raise call, bet raise call", 0),
        ("hj sk sj", "check check, bet call", 5),
        ("hk sj hj", "bet call, check bet call", -7),
        ("hj sk sj", "bet raise call, bet raise call", 13),
        ("hj sk sj", "bet raise call, check bet raise call", 13),
        ("hj sk sj", "bet fold", 1),
        ("hj sk sj", "bet raise fold", -3),
        ("hj sk sj", "bet call, bet fold", 3),
        ("hj sk sj", "check bet call, bet raise fold", -7),
    ],
)
def test_leduc_pays_the_pot(cards: str, said: str, chips: int) -> None:
    names = {"h": "hearts", "s": "spades", "j": "jack", "q": "queen", "k": "king"}
    dealt = [f"deal({names[card[0]]},{names[card[1]]})" for card in cards.split()]
    first, *second = (part.split() for part in said.split(", "))
    moves = [*dealt[:2], *first, *(move for part in second for move in (dealt[2], *part))]
    assert goals("leduc", *moves) == [50 + 3 * chips, 50 - 3 * chips]


def test_two_raises_a_round_are_all() -> None:
    start = ("deal(hearts,king)", "deal(spades,king)")
    for said, moves in (
        ((), "check bet"),
        (("check",), "check bet"),
        (("bet",), "call raise fold"),
        (("bet", "raise"), "call fold"),
        (("check", "bet", "raise"), "call fold"),
    ):
        state = after("leduc", *start, *said)
        assert state.control is not None
        assert {str(move) for move in state.legal_moves(state.control)} == {*moves.split()}


@pytest.mark.parametrize(
    ("dice", "bid", "is_true"),
    [
        ("3 3", "2,3", True),
        ("3 5", "2,3", False),
        ("3 6", "2,3", True),
        ("6 6", "2,1", True),
        ("6 5", "2,6", False),
        ("1 2", "1,3", False),
        ("1 6", "1,3", True),
    ],
)
def test_a_six_counts_as_any_number(dice: str, bid: str, is_true: bool) -> None:
    thrown = [f"throw({face})" for face in dice.split()]
    assert goals("liarsdice", *thrown, f"bid({bid})", "liar") == ([100, 0] if is_true else [0, 100])
    assert goals("liarsdice", *thrown, "bid(1,1)", f"bid({bid})", "liar") == (
        [0, 100] if is_true else [100, 0]
    )


def test_bids_rise() -> None:
    start = ("throw(1)", "throw(1)")
    assert "liar" not in map(str, after("liarsdice", *start).legal_moves("alice"))
    bids = [f"bid({many},{face})" for many in (1, 2) for face in range(1, 7)]
    for place, bid in enumerate(bids):
        legal = {str(move) for move in after("liarsdice", *start, bid).legal_moves("bob")}
        assert legal == {*bids[place + 1 :], "liar"}


def test_goofspiel_is_scored_as_by_hand() -> None:
    """All games with three cards."""
    start = gm.load("goofspiel:cards=3").initial_state()
    for prizes, mine, other in product(permutations((1, 2, 3)), repeat=3):
        state, points = start, [0, 0]
        for prize, bid, answer in zip(prizes, mine, other, strict=True):
            state = state.next({"alice": "noop", "bob": "noop", "random": f"turn({prize})"})
            state = state.next({"alice": f"bid({bid})", "bob": f"bid({answer})", "random": "noop"})
            points[0] += prize * (bid > answer)
            points[1] += prize * (bid < answer)
        assert state.is_terminal
        assert {f"points(alice,{points[0]})", f"points(bob,{points[1]})"} <= set(map(str, state.facts))
        assert state.goal("alice") == 50 * (1 + (points[0] > points[1]) - (points[0] < points[1]))


def test_prizes_come_down_where_nothing_is_left_to_chance() -> None:
    state, turned = gm.load("goofspiel:descending").initial_state(), []
    while not state.is_terminal:
        turned += [str(move) for move in state.legal_moves(RANDOM)]
        state = state.next(state.random_moves(random.Random(0)))
    assert [move for move in turned if move != "noop"] == [f"turn({n})" for n in (4, 3, 2, 1)]


def test_blind_bids_are_seen_by_who_made_them_alone() -> None:
    state = after("goofspiel:blind", "turn(2)")
    seen = state.percepts({"alice": "bid(3)", "bob": "bid(1)", "random": "noop"})
    assert {role: sorted(map(str, each)) for role, each in seen.items() if role != RANDOM} == {
        "alice": ["takes(alice)"],
        "bob": ["takes(alice)"],
    }
    assert not any(state.percepts({"alice": "bid(3)", "bob": "bid(3)", "random": "noop"}).values())


# Blackjack

PACK = dict.fromkeys(range(1, 10), 1 / 13) | {10: 4 / 13}
NATURAL = 22
Hand = tuple[int, bool]


@pytest.mark.parametrize(
    ("cards", "hand", "dealer"),
    [
        ("10 6 10", (16, False), (10, False)),
        ("ace 7 9", (18, True), (9, False)),
        ("2 2 ace", (4, False), (11, True)),
    ],
)
def test_hands_are_worth_what_a_sum_over_all_cards_says(cards: str, hand: Hand, dealer: Hand) -> None:
    start = after("blackjack", *(f"deal({card})" for card in cards.split()))
    assert (blackjack_value(start, {}) - 40) / 40 == pytest.approx(chosen(hand, dealer))


@pytest.mark.slow
def test_blackjack_is_worth_what_a_sum_over_all_cards_says() -> None:
    start = gm.load("blackjack").initial_state()
    assert (blackjack_value(start, {}) - 40) / 40 == pytest.approx(by_hand())
    assert by_hand() == pytest.approx(-0.0242, abs=0.0001)


def blackjack_value(state: State, worth: dict[object, float]) -> float:
    """What the best play gets: states that differ in their cards alone are worth the same."""
    if state.is_terminal:
        return float(state.goal("player") or 0)
    facts = list(map(str, state.facts))
    held = [sum(fact.startswith(f"card({hand}") for fact in facts) for hand in ("player", "dealer")]
    key = (*sorted(fact for fact in facts if "card" not in fact), *(min(number, 3) for number in held))
    if key not in worth:
        roles = (("player", RANDOM), (RANDOM, "player"))[state.control == RANDOM]
        moves = [{roles[0]: str(move), roles[1]: "noop"} for move in state.legal_moves(roles[0])]
        values = [blackjack_value(state.next(each), worth) for each in moves]
        worth[key] = max(values) if roles[0] == "player" else sum(values) / len(values)
    return worth[key]


def by_hand() -> float:
    """Chips that the best play gets, over the values of cards."""
    total = 0.0
    for (first, p), (second, q), (up, r) in product(PACK.items(), repeat=3):
        hand, dealer = with_card(with_card((0, False), first), second), with_card((0, False), up)
        total += p * q * r * (settled(NATURAL, dealer) if hand[0] == 21 else chosen(hand, dealer))
    return total


def with_card(hand: Hand, value: int) -> Hand:
    points, is_soft = hand[0] + value, hand[1]
    if value == 1 and points <= 11:
        return points + 10, True
    return (points - 10, False) if is_soft and points > 21 else (points, is_soft)


@cache
def chosen(hand: Hand, dealer: Hand) -> float:
    if hand[0] > 21:
        return -1.0
    stand = settled(hand[0], dealer)
    if hand[0] == 21:
        return stand
    return max(stand, sum(p * chosen(with_card(hand, value), dealer) for value, p in PACK.items()))


@cache
def settled(points: int, dealer: Hand) -> float:
    pays = 1.5 if points == NATURAL else 1.0
    ends = dealer_ends(dealer, 1)
    return sum(p * (pays * (points > end) - (points < end)) for end, p in ends.items())


@cache
def dealer_ends(hand: Hand, cards: int) -> dict[int, float]:
    """How likely each end of the dealer's is; beyond 21 counts as nothing."""
    if hand[0] >= 17:
        return {NATURAL if (hand[0], cards) == (21, 2) else 0 if hand[0] > 21 else hand[0]: 1.0}
    ends: dict[int, float] = {}
    for value, p in PACK.items():
        for end, q in dealer_ends(with_card(hand, value), cards + 1).items():
            ends[end] = ends.get(end, 0.0) + p * q
    return ends


@pytest.mark.parametrize(
    ("cards", "goal"),
    [
        ("ace king 10 7", 100),
        ("ace king ace king", 40),
        ("10 9 ace jack", 0),
        ("10 9 10 9", 40),
        ("10 9 10 6 king", 80),
        ("10 6 5 hit 10", 0),
        ("10 5 10 hit 6 ace", 0),
        ("10 5 10 hit 6 6 5", 40),
        ("ace 5 10 hit 10 hit 5 8", 80),
        ("2 3 ace hit 4 stand 6", 0),
    ],
)
def test_blackjack_goes_as_told(cards: str, goal: int) -> None:
    words = cards.split()
    moves = [word if word in ("hit", "stand") else f"deal({word})" for word in words]
    state = gm.load("blackjack").initial_state()
    for move in moves:
        if state.control == "player" and move.startswith("deal"):
            state = state.next({"player": "stand", "random": "noop"})
        role, other = (RANDOM, "player") if move.startswith("deal") else ("player", RANDOM)
        state = state.next({role: move, other: "noop"})
    assert state.is_terminal
    assert state.goal("player") == goal
