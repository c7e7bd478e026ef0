"""Ratings recover what strengths are, and say how sure they are; a sequential test keeps its promises."""

from __future__ import annotations

import dataclasses
import random

import pytest

from gamemaster.arena.competition import TestPlan
from gamemaster.arena.fixtures import Fixture
from gamemaster.arena.outcomes import duels
from gamemaster.arena.ratings.elo import rate
from gamemaster.arena.ratings.skill import skills
from gamemaster.arena.ratings.table import by_game, cross_scores, standings
from gamemaster.arena.sequential import (
    counted,
    decide,
    pair_scores,
    score_of_elo,
)
from tests.arena.made import competition, outcome, played_out, strengths

ELO = {"a": 150.0, "b": 50.0, "c": 0.0, "d": -200.0}


def test_ratings_recover_strengths() -> None:
    outcomes = played_out(competition("a b c d", matches=60), strengths(ELO, 1))
    ratings = rate(duels(outcomes), tuple(ELO))
    for name, elo in ELO.items():
        assert abs(ratings.value(name) - elo) < 2 * ratings.error(name)
        assert ratings.error(name) < 50
    assert abs(sum(ratings.values)) < 1e-6
    assert ratings.likelihood("a", "d") > 0.999
    assert ratings.likelihood("d", "a") == pytest.approx(1 - ratings.likelihood("a", "d"))
    assert ratings.likelihood("a", "a") == 0.5


def test_the_order_of_matches_does_not_matter() -> None:
    outcomes = played_out(competition("a b c d", matches=5), strengths(ELO, 2))
    shuffled = random.Random(1).sample(outcomes, len(outcomes))
    ordered, other = rate(duels(outcomes), tuple(ELO)), rate(duels(shuffled), tuple(ELO))
    for name in ELO:
        assert ordered.value(name) == pytest.approx(other.value(name), abs=1e-3)
        assert ordered.error(name) == pytest.approx(other.error(name), abs=1e-3)


@pytest.mark.parametrize(
    ("matches", "strength"),
    [(10, (150, 0, -50, -100)), (3, (80, 0, 0, -80)), (5, (500, 150, -400, -400)), (10, (0, 0, 0, 0))],
)
def test_intervals_hold_as_often_as_they_promise(matches: int, strength: tuple[float, ...]) -> None:
    names, hits = "abcd", 0
    mean = sum(strength) / len(strength)
    elo = {name: value - mean for name, value in zip(names, strength, strict=True)}
    for seed in range(100):
        outcomes = played_out(competition(" ".join(names), matches=matches), strengths(elo, seed))
        ratings = rate(duels(outcomes), tuple(names))
        hits += sum(abs(ratings.value(name) - elo[name]) <= ratings.error(name) for name in names)
    assert hits / 400 >= 0.92  # 95 of 100 are promised


@pytest.mark.parametrize("goals", [(50, 50), (100, 0)])
def test_results_that_are_all_alike_are_not_certain(goals: tuple[int, int]) -> None:
    """All are draws, or whoever begins always wins."""
    outcomes = played_out(competition("a b c", matches=5), lambda fixture: outcome(fixture, goals))
    ratings = rate(duels(outcomes), ("a", "b", "c"))
    assert 15 < ratings.error("a") < 400
    assert abs(ratings.value("a")) < 1


def test_those_who_never_met_are_compared_by_next_to_nothing() -> None:
    elo = dict.fromkeys("abcd", 0.0)
    outcomes = played_out(competition("a b", matches=20), strengths(elo, 1))
    others = played_out(competition("c d", matches=20), strengths(elo, 2))
    told = [*outcomes, *(dataclasses.replace(each, pair=each.pair + 1000) for each in others)]
    ratings = rate(duels(told), ("a", "b", "c", "d"))
    near, far = ratings.difference("a", "b")[1], ratings.difference("a", "c")[1]
    assert far > 3 * near
    assert 0.3 < ratings.likelihood("a", "c") < 0.7


def test_who_has_not_played_is_not_known() -> None:
    outcomes = played_out(competition("a b", matches=20), strengths({"a": 0, "b": 0}, 1))
    assert rate(duels(outcomes), ("a", "b", "c")).error("c") > 300


def test_who_wins_everything_has_a_rating_that_is_not_endless() -> None:
    outcomes = played_out(
        competition("a b"), lambda fixture: outcome(fixture, (100 * (n == "a") for n in fixture.seats))
    )
    ratings = rate(duels(outcomes), ("a", "b"))
    assert 50 < ratings.value("a") < 1200
    assert ratings.error("a") > 200


def test_a_seat_that_wins_is_nobodys_strength() -> None:
    """The first wins four of five times, and one of them has sat there three times as often."""
    fixtures = [Fixture(n, 0, "g", ("a", "b") if n % 4 else ("b", "a"), n, n) for n in range(80)]
    told = [outcome(each, (100, 0) if each.number % 5 else (0, 100)) for each in fixtures]
    ratings = rate(duels(told), ("a", "b"))
    assert abs(ratings.value("a")) < 10


def test_skills_are_those_of_openskill_in_the_order_of_matches() -> None:
    fixtures = [Fixture(n, 0, "g", ("a", "b", "c"), n, n) for n in range(12)]
    found = skills([outcome(each, (100, 50, 0)) for each in fixtures], ("a", "b", "c", "d"))
    assert found["a"].mean > found["b"].mean > found["c"].mean
    assert found["a"].spread < found["d"].spread


def test_a_table_tells_what_everybody_got() -> None:
    fixtures = [Fixture(n, 0, "gh"[n % 2], ("a", "b") if n < 2 else ("b", "a"), n, n) for n in range(4)]
    goals = [(100, 0), (50, 50), (0, 100), (100, 0)]
    told = [outcome(each, own, errors=(1, 0)) for each, own in zip(fixtures, goals, strict=True)]
    table = standings(told, ("a", "b"))
    first = table.rows[0]
    assert (first.name, first.matches, first.wins, first.draws, first.losses) == ("a", 4, 2, 1, 1)
    assert (first.score, first.mean_goal, first.errors, first.unplayed) == (2.5, 62.5, 2, 0)
    assert first.adjusted == pytest.approx(
        (100 * 2 / 3 + 25 * 2 / 3) / 2
    )  # mean goal times n/(n+1), game by game
    assert table.to_dict()["players"][0]["score"] == 2.5
    assert set(by_game(told, ("a", "b"))) == {"g", "h"}


def test_puzzles_have_a_table_without_ratings() -> None:
    fixtures = [Fixture(n, 0, "g", (name,), n, n) for n, name in enumerate("ab")]
    table = standings([outcome(fixtures[0], (30,)), outcome(fixtures[1], (80,))], ("a", "b"))
    assert table.ratings is None
    assert table.likelihoods() is None
    assert table.names == ("b", "a")
    assert table.rows[0].elo is None


def test_nobody_has_played_yet() -> None:
    table = standings([], ("a", "b"))
    assert [row.matches for row in table.rows] == [0, 0]
    assert table.rows[0].adjusted == 0.0


# The sequential test


def scores_of(elo: float, seed: int, count: int) -> list[float]:
    """Pairs of two matches, a third of which are draws between equals."""
    generator, share = random.Random(seed), score_of_elo(elo)
    draws = 2 / 3 * min(share, 1 - share)

    def match() -> float:
        drawn = generator.random()
        return 1.0 if drawn < share - draws / 2 else 0.5 if drawn < share + draws / 2 else 0.0

    return [(match() + match()) / 2 for _ in range(count)]


@pytest.mark.parametrize(("elo", "right"), [(0.0, "not better"), (50.0, "better")])
def test_its_error_rates_hold(elo: float, right: str) -> None:
    plan = TestPlan(0, 50, most=3000)
    answers = [decide(plan, scores_of(elo, seed, 3000)).answer for seed in range(300)]
    assert sum(answer != right for answer in answers) / len(answers) <= 0.09  # 0.05 is promised


@pytest.mark.parametrize(("elo", "right"), [(0.0, "no difference"), (50.0, "better"), (-50.0, "worse")])
def test_asked_both_ways_equals_are_told_to_be_equal(elo: float, right: str) -> None:
    plan = TestPlan(0, 50, most=3000, is_two_sided=True)
    answers = [decide(plan, scores_of(elo, seed, 3000)).answer for seed in range(300)]
    assert sum(answer != right for answer in answers) / len(answers) <= 0.12  # 0.05 each way is promised


def test_it_stops_sooner_where_the_answer_is_clear() -> None:
    plan = TestPlan()
    assert decide(plan, scores_of(300, 1, 500)).pairs < decide(plan, scores_of(40, 1, 500)).pairs


def test_it_is_given_up_after_the_most_pairs() -> None:
    verdict = decide(TestPlan(-1, 1, most=20), [0.5, 0.25, 0.75] * 10)
    assert (verdict.answer, verdict.pairs) == ("given up", 20)
    assert verdict.is_decided


def test_nothing_is_known_before_anything_was_played() -> None:
    assert decide(TestPlan(), []).ratio == 0.0
    assert decide(TestPlan(), []).answer == "open"


def test_a_pair_counts_when_all_of_it_has_been_played() -> None:
    outcomes = played_out(
        competition("a b", matches=2),
        lambda each: outcome(each, (100 * (name == "b") for name in each.seats)),
    )
    assert pair_scores(outcomes, "b") == [1.0, 1.0]
    assert pair_scores(outcomes[:3], "b") == [1.0]


def test_what_came_after_the_decision_does_not_count() -> None:
    plan = TestPlan()
    made = competition("a b", matches=60)
    outcomes = played_out(made, lambda each: outcome(each, (100 * (name == "a") for name in each.seats)))
    verdict = decide(plan, pair_scores(outcomes, "a"))
    assert verdict.answer == "better"
    assert verdict.pairs < 60
    assert len(counted(verdict, outcomes)) == 2 * verdict.pairs
    assert decide(plan, pair_scores(outcomes[: 2 * verdict.pairs], "a")) == verdict


def test_shares_against_each_other() -> None:
    outcomes = played_out(
        competition("a b c"),
        lambda each: outcome(each, (100 * (name == min(each.seats)) for name in each.seats)),
    )
    assert cross_scores(outcomes, ("a", "b", "d")) == [[None, 1.0, None], [0.0, None, None], [None] * 3]
