"""A competition as a value, and who meets whom in it."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamemaster.arena.competition import Competition, TestPlan
from gamemaster.arena.fixtures import Fixture
from gamemaster.arena.outcomes import UNPLAYED, MatchOutcome, duels
from gamemaster.arena.pairings import last_word, plan
from gamemaster.errors import CompetitionError
from tests.arena.made import competition, outcome, played_out, strengths


def first_wins(fixture: Fixture) -> MatchOutcome:
    """Whoever comes first in the alphabet wins."""
    return outcome(fixture, (100 if name == min(fixture.seats) else 0 for name in fixture.seats))


def test_a_competition_goes_to_plain_data_and_back() -> None:
    made = competition(test=TestPlan(0, 10), opening=2, name="spring")
    again = Competition.from_dict(json.loads(json.dumps(made.to_dict())))
    assert again == made
    assert again.digest == made.digest
    assert competition(seed=1).digest != competition().digest
    assert str(made) == "spring: round robin of a, b, c in g"


@pytest.mark.parametrize(
    "wrong", [{}, {"games": [], "entrants": [{"who": 1}]}, {"games": [], "entrants": [], "x": 1}]
)
def test_what_is_no_competition_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(CompetitionError, match="not a competition"):
        Competition.from_dict(wrong)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"elo0": 5, "elo1": 5}, "elo0 5 must be less than elo1 5"),
        ({"alpha": 0}, "alpha 0 must be more than 0"),
        ({"beta": 0.5}, "beta 0.5 must be"),
        ({"most": 9}, "most 9: a test takes 10 to 100,000 pairs"),
        ({"elo1": 1e300}, r"elo0 0 and elo1 1e\+300 must be within 2000 of 0"),
        ({"elo0": float("nan")}, "must be within 2000"),
    ],
)
def test_a_test_that_cannot_be_is_refused(values: dict[str, float], said: str) -> None:
    with pytest.raises(CompetitionError, match=said):
        TestPlan(**values)  # type: ignore[arg-type]


# Who meets whom


@pytest.mark.parametrize("roles", [1, 2, 3])
def test_in_a_round_robin_everybody_meets_everybody_in_every_seat(roles: int) -> None:
    made = competition("a b c d", "g h", matches=2)
    fixtures = plan(made, {"g": roles, "h": roles}, {})
    tables = list(combinations("abcd", roles))
    assert len(fixtures) == 2 * 2 * len(tables) * roles
    seats = Counter((each.game, each.seats) for each in fixtures)
    assert set(seats.values()) == {2}
    for game in ("g", "h"):
        for seat in range(roles):
            held = Counter(each.seats[seat] for each in fixtures if each.game == game)
            assert len(set(held.values())) == 1
    assert [each.number for each in fixtures] == list(range(len(fixtures)))


def test_those_of_a_pair_have_one_seed_and_others_another() -> None:
    fixtures = plan(competition("a b c", matches=3), {"g": 2}, {})
    by_pair: dict[int, set[int]] = {}
    for each in fixtures:
        by_pair.setdefault(each.pair, set()).add(each.seed)
    assert {len(seeds) for seeds in by_pair.values()} == {1}
    assert len({seed for seeds in by_pair.values() for seed in seeds}) == len(by_pair)


def test_seeds_stay_when_others_take_part() -> None:
    few = {(each.seats, each.seed) for each in plan(competition("a b"), {"g": 2}, {})}
    more = {(each.seats, each.seed) for each in plan(competition("a b c"), {"g": 2}, {})}
    assert few < more


def test_in_a_gauntlet_all_meet_the_first() -> None:
    fixtures = plan(competition("a b c d", pairing="gauntlet"), {"g": 2}, {})
    assert len(fixtures) == 6
    assert all("a" in each.seats for each in fixtures)


def test_a_round_of_a_swiss_system_is_known_when_the_last_one_has_been_played() -> None:
    made = competition("a b c d", pairing="swiss", rounds=3)
    first = plan(made, {"g": 2}, {})
    assert {frozenset(each.seats) for each in first} == {frozenset("ab"), frozenset("cd")}
    played = {each.number: first_wins(each) for each in first[:-1]}
    assert plan(made, {"g": 2}, played) == first
    played[first[-1].number] = first_wins(first[-1])
    second = plan(made, {"g": 2}, played)[len(first) :]
    assert {frozenset(each.seats) for each in second} == {frozenset("ac"), frozenset("bd")}


@pytest.mark.parametrize("count", [2, 5, 8, 9])
def test_in_a_swiss_system_nobody_meets_twice_and_one_is_free_at_most_once(count: int) -> None:
    names = " ".join("abcdefghi"[:count])
    rounds = min(4, count - 1)
    outcomes = played_out(competition(names, pairing="swiss", rounds=rounds), first_wins)
    met = Counter(frozenset(each.seats) for each in outcomes)
    assert set(met.values()) == {2}
    busy = Counter(name for each in outcomes for name in each.seats)
    assert all(played >= 2 * (rounds - 1) for played in busy.values())
    assert {each.round for each in outcomes} == set(range(rounds))


def test_more_rounds_than_opponents_go_on_with_who_met_before() -> None:
    outcomes = played_out(competition("a b", pairing="swiss", rounds=3), first_wins)
    assert len(outcomes) == 6


@pytest.mark.parametrize("count", [2, 3, 5, 8])
def test_a_knock_out_has_one_left_who_lost_to_nobody(count: int) -> None:
    names = "abcdefgh"[:count]
    outcomes = played_out(competition(" ".join(names), pairing="knock-out"), first_wins)
    losers = {max(each.seats) for each in outcomes}
    assert losers == set(names) - {"a"}
    assert len(outcomes) == 2 * (count - 1)


def test_those_who_draw_in_a_knock_out_play_again_and_then_errors_count() -> None:
    def draw(fixture: Fixture) -> MatchOutcome:
        errors = tuple(int(name == "a") for name in fixture.seats)
        return outcome(fixture, (50, 50), errors=errors)

    outcomes = played_out(competition("a b c d", pairing="knock-out"), draw)
    finals = {frozenset(each.seats) for each in outcomes if each.round == max(one.round for one in outcomes)}
    assert finals == {frozenset("db")}
    assert len(outcomes) == 2 * 3 * 2 + 2 * 3


@given(
    st.sampled_from(["round robin", "gauntlet", "swiss", "knock-out"]), st.integers(2, 7), st.integers(0, 99)
)
def test_the_plan_does_not_depend_on_the_order_in_which_matches_end(
    pairing: str, count: int, seed: int
) -> None:
    names = "abcdefg"[:count]
    made = competition(" ".join(names), pairing=pairing, rounds=3)
    elo = {name: 100.0 * place for place, name in enumerate(names)}
    results = {each.number: each for each in played_out(made, strengths(elo, seed))}
    generator, played = random.Random(seed), dict[int, MatchOutcome]()
    while new := [each for each in plan(made, {"g": 2}, played) if each.number not in played]:
        chosen = generator.choice(new)
        assert chosen.seats == results[chosen.number].seats
        played[chosen.number] = results[chosen.number]
    assert played.keys() == results.keys()


# What outcomes say


def test_matches_that_were_not_played_say_nothing() -> None:
    fixture = Fixture(0, 0, "g", ("a", "b"), 1, 0)
    assert duels([outcome(fixture, (100, 0))])[0].score == 1.0
    assert duels([outcome(fixture, (100, 0), how=UNPLAYED)]) == []
    assert duels([outcome(fixture, (0, 0), how="stuck")]) == []


def test_a_match_of_three_weighs_as_much_as_one_of_two() -> None:
    found = duels([outcome(Fixture(0, 0, "g", ("a", "b", "c"), 1, 0), (50, 100, 0))])
    assert [(each.first, each.second, each.score) for each in found] == [
        ("a", "b", 0),
        ("a", "c", 1),
        ("b", "c", 1),
    ]
    assert {each.weight for each in found} == {0.5}


GOOD_OUTCOME = outcome(Fixture(0, 0, "g", ("a", "b"), 1, 0), (100, 0)).to_dict()


@pytest.mark.parametrize(
    "wrong",
    [
        {"number": [1]},
        {"number": True},
        {"seats": "ab", "goals": [1]},
        {"goals": ["1", 0]},
        {"goals": [math.nan, 1]},
        {"goals": [101, 0]},
        {"errors": [0]},
        {"how": 5},
        {"game": ["g"]},
        {"seconds": "x"},
        {"more": 1},
    ],
)
def test_what_is_no_outcome_is_refused(wrong: dict[str, object]) -> None:
    assert MatchOutcome.from_dict(GOOD_OUTCOME).to_dict() == GOOD_OUTCOME
    with pytest.raises(CompetitionError, match="not an outcome"):
        MatchOutcome.from_dict({**GOOD_OUTCOME, **wrong})
    with pytest.raises(CompetitionError, match="not an outcome"):
        MatchOutcome.from_dict({"number": 1})


@pytest.mark.parametrize(
    "wrong",
    [
        {"pairing": "foo"},
        {"matches": "x"},
        {"matches": 1.5},
        {"play_clock": "x"},
        {"games": [5]},
        {"isolation": "foo"},
        {"has_cpu_clocks": "no"},
        {"entrants": [{"name": 1, "player": "random"}]},
    ],
)
def test_values_of_another_kind_make_no_competition(wrong: dict[str, object]) -> None:
    with pytest.raises(CompetitionError, match="not a competition"):
        Competition.from_dict({**competition().to_dict(), **wrong})


def test_a_swiss_system_tells_points_and_a_knock_out_who_won() -> None:
    swiss = competition("a b c", pairing="swiss", rounds=3)
    played = {each.number: each for each in played_out(swiss, first_wins)}
    assert last_word(swiss, {"g": 2}, played) == "points: a 3, b 2, c 1"  # everybody was free once
    cup = competition("b a c", pairing="knock-out")
    played = {each.number: each for each in played_out(cup, first_wins)}
    assert last_word(cup, {"g": 2}, played) == "a wins the knock-out"
    assert last_word(competition(), {"g": 2}, {}) == ""


def test_nobody_is_free_twice_before_everybody_was_once() -> None:
    outcomes = played_out(competition("a b c d e f g", pairing="swiss", rounds=10), first_wins)
    played = Counter(name for each in outcomes for name in each.seats)
    assert max(played.values()) - min(played.values()) <= 2
