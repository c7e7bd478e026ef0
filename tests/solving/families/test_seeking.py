"""One strategy for many sizes: found, proved for each by one argument, refused where it is broken on purpose."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest

import gamemaster as gm
from gamemaster.errors import LimitExceeded, StrategyError, UnknownRole, Unsuitable
from gamemaster.language.infix import read_term
from gamemaster.solving.checking import check_strategy
from gamemaster.solving.explaining import strategy_from_json
from gamemaster.solving.families import seeking
from gamemaster.solving.families.arguments import ConditionFormula
from gamemaster.solving.families.family import Family, FamilyReport
from gamemaster.solving.families.formulas import Affine, NumberFormula, TermFormula, fit_affine, fit_term
from gamemaster.solving.families.seeking import explain_family, explain_sizes
from gamemaster.solving.families.sizes import read_sizes
from gamemaster.solving.strategies.induction import BLANK

NO_MACHINE_TAKES = 3600.0
ODD = tuple(range(3, 26, 2))


@lru_cache
def seek(name: str, text: str, role: str | None = None) -> FamilyReport:
    return explain_sizes(read_sizes(name, text), role, NO_MACHINE_TAKES, is_labelled=False)


@pytest.fixture(scope="module")
def report() -> FamilyReport:
    return seek("threecells", "cells=3..25")


@pytest.fixture(scope="module")
def rows(report: FamilyReport) -> Family:
    return report.families[0]


def test_three_cells_of_all_odd_numbers_are_won_by_one_argument(report: FamilyReport) -> None:
    (family,) = report.families
    assert family.proved == ODD
    assert {proof.means for proof in family.proofs.values()} == {"induction"}
    assert family.scheme.rule("cells") == (
        "begin with fill((cells+1)/2), then mirror: answer fill(K) by fill(cells+1-K). "
        "If a move wins at once, make it."
    )
    assert sorted(family.conditions_in_words()) == [
        "bob cannot win at once",
        "cell((cells+1)/2,filled) holds",
        "for all K: exactly one of cell(K,_) holds",
        "the position is its own mirror image",
    ]
    assert len(family.seeds) == 3


def test_even_numbers_of_cells_are_of_no_family(report: FamilyReport) -> None:
    assert tuple(report.gaps) == tuple(range(4, 25, 2))
    assert set(report.gaps.values()) == {"the move to begin with would have a number that is no whole one"}
    assert "cells = 4, 6, ..., 24: no strategy of this kind is proved (the move to begin with" in str(report)


@pytest.mark.parametrize("cells", [3, 5, 7, 9])
def test_a_member_holds_against_every_reply(rows: Family, cells: int) -> None:
    member = rows.member(cells)
    assert member.proof == rows.proofs[cells]
    assert check_strategy(member).holds
    assert strategy_from_json(member.game, json.loads(json.dumps(member.to_json()))) == member


@pytest.mark.parametrize("cells", [7, 9, 11, 25])
@pytest.mark.parametrize("number", range(4))
def test_without_one_of_its_conditions_the_argument_proves_nothing(
    rows: Family, cells: int, number: int
) -> None:
    conditions = [one for i, one in enumerate(rows.argument.conditions) if i != number]
    broken = replace(rows, argument=replace(rows.argument, conditions=tuple(conditions)))
    with pytest.raises(StrategyError, match=r"can |may "):
        broken.prove(cells)


def beside(rows: Family) -> TermFormula:
    found = fit_term({5: read_term("fill(2)"), 7: read_term("fill(3)")})
    assert found is not None
    return found


def fit(of_three: int, of_five: int) -> Affine:
    found = fit_affine({3: of_three, 5: of_five})
    assert found is not None
    return found


def test_another_first_move_is_neither_proved_nor_right(rows: Family) -> None:
    broken = replace(rows, scheme=replace(rows.scheme, first=beside(rows)))
    for cells in (7, 9, 25):
        with pytest.raises(StrategyError, match=r"hold at the beginning: 'holds' of cell"):
            broken.prove(cells)
    verdict = check_strategy(broken.member(9))
    assert not verdict.holds
    assert verdict.line


def test_without_wins_at_once_it_is_neither_proved_nor_right(rows: Family) -> None:
    broken = replace(rows, scheme=replace(rows.scheme, takes_wins=False))
    assert not check_strategy(broken.member(9)).holds
    with pytest.raises(StrategyError, match=r"can (win|lose|break)|no answer"):
        broken.prove(9)


def test_another_mirror_is_refused(rows: Family) -> None:
    one, two = seek("kayles", "pins=1..9").families
    with pytest.raises(StrategyError, match="the mirror takes a fact or a move to none"):
        replace(rows, scheme=replace(rows.scheme, moves=one.scheme.moves)).prove(9)
    with pytest.raises(StrategyError, match="the move to begin with is not legal"):
        replace(rows, scheme=replace(rows.scheme, first=two.scheme.first)).prove(8)
    with pytest.raises(StrategyError, match="no move to begin with after which the other is to move"):
        replace(rows, scheme=replace(rows.scheme, first=None)).prove(8)


def test_another_condition_is_refused(rows: Family) -> None:
    for condition in (
        ConditionFormula(
            "fails", about=fit_term({5: read_term("cell(1,empty)"), 7: read_term("cell(1,empty)")})
        ),
        ConditionFormula(
            "holds", about=fit_term({5: read_term("cell(2,filled)"), 7: read_term("cell(3,filled)")})
        ),
    ):
        argument = replace(rows.argument, conditions=(*rows.argument.conditions, condition))
        with pytest.raises(StrategyError, match=r"hold at the beginning: .* is one of 1"):
            replace(rows, argument=argument).prove(9)
    stays = ConditionFormula(
        "holds", about=fit_term({5: read_term("cell(1,empty)"), 7: read_term("cell(1,empty)")})
    )
    argument = replace(rows.argument, conditions=(*rows.argument.conditions, stays))
    with pytest.raises(StrategyError, match="a round can break its conditions"):
        replace(rows, argument=argument).prove(9)


def test_without_what_ends_play_nothing_is_proved(rows: Family) -> None:
    with pytest.raises(StrategyError, match="a round may change nothing that never changes back"):
        replace(rows, argument=replace(rows.argument, progress=())).prove(9)
    wrong = ConditionFormula("grows", every=("cell", None, "empty"))
    with pytest.raises(StrategyError, match="a round can change back what should never change back"):
        replace(rows, argument=replace(rows.argument, progress=(wrong,))).prove(9)


def test_conditions_about_halves_are_refused(rows: Family) -> None:
    first = fit_term({3: read_term("fill(2)"), 5: read_term("fill(2)")})
    with pytest.raises(StrategyError, match="a condition is about a number that is no whole one"):
        replace(rows, scheme=replace(rows.scheme, first=first)).prove(4)
    middle = beside(rows).numbers[0].constant
    ranged = ConditionFormula("fails", every=("cell", None, "filled"), ranges=((middle, middle),))
    argument = replace(rows.argument, conditions=(ranged,))
    with pytest.raises(StrategyError, match="a condition is about a number that is no whole one"):
        replace(rows, scheme=replace(rows.scheme, first=first), argument=argument).prove(4)


def test_without_time_nothing_is_proved(rows: Family) -> None:
    with pytest.raises(LimitExceeded, match="time limit"):
        rows.prove(9, 0.0)
    late = explain_sizes(rows.sizes, None, 0.0, is_labelled=False)
    assert not late.families
    assert late.gaps == dict.fromkeys(rows.sizes.values, "the time was over")


FAMILIES = {
    "chomp columns=rows=2..6": [
        ("alice", (2, 3, 4, 5, 6), "begin with eat(2,2), then mirror: answer eat(K,L) by eat(L,K).")
    ],
    "coinsontable size=3..7:2": [
        (
            "alice",
            (3, 5, 7),
            "begin with lay((size+1)/2,(size+1)/2), then mirror: answer lay(K,L) by lay(size+1-K,size+1-L).",
        )
    ],
    "cram:columns=3 rows=2..6:2": [
        (
            "alice",
            (2, 4, 6),
            "begin with down(2,rows/2), then mirror: answer across(K,L) by across(3-K,rows+1-L) and "
            "down(K,L) by down(4-K,rows-L).",
        )
    ],
    "daisy petals=4..8:2": [
        (
            "bob",
            (4, 6, 8),
            "mirror from the start: answer pluck(K,L) by pluck(K+petals/2,L+petals/2) (counted round petals).",
        )
    ],
    "kayles pins=1..9": [
        (
            "alice",
            (3, 5, 7, 9),
            "begin with bowl((pins+1)/2,(pins+1)/2), then mirror: answer bowl(K,L) by bowl(pins+1-L,pins+1-K).",
        ),
        (
            "alice",
            (2, 4, 6, 8),
            "begin with bowl(pins/2,pins/2+1), then mirror: answer bowl(K,L) by bowl(pins+1-L,pins+1-K).",
        ),
    ],
}


@pytest.mark.parametrize("asked", FAMILIES)
def test_a_game_has_families(asked: str) -> None:
    name, text = asked.split()
    families = seek(name, text).families
    assert [
        (each.scheme.role, each.proved, each.scheme.rule(each.sizes.unknown)) for each in families
    ] == FAMILIES[asked]
    for family in families:
        assert check_strategy(family.member(family.proved[1]), most_positions=100_000).holds


def test_conditions_can_be_about_ranges() -> None:
    (family,) = seek("chomp", "columns=rows=2..6").families
    words = "for all K from 2 to columns and L from 2 to columns: square(K,L) does not hold"
    assert words in family.conditions_in_words()
    assert "columns = rows = 2, 3, ..., 6" in family.title()


def test_a_first_move_that_ends_the_game_is_proof_enough() -> None:
    family = seek("kayles", "pins=1..9").families[1]
    assert family.proofs[2].text == "the first move ends the game"
    assert "proved for 3 of these 4 sizes by one induction" in family.explain()
    assert "For pins = 2 the first move ends the game." in family.explain()


UNEVEN = """
    (role alice) (role bob) (opponent alice bob) (opponent bob alice)
    (cells 5)
    (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7)
    (middle 3 2) (middle 5 3) (middle 7 4)
    (<= (mid ?m) (cells ?n) (middle ?n ?m))
    (<= (place ?n) (cells ?n))
    (<= (place ?m) (place ?n) (succ ?m ?n))
    (<= resigning (cells 3)) (<= resigning (cells 5))
    (<= (init (cell ?n empty)) (place ?n))
    (init (control alice))
    (<= (legal ?p (fill ?n)) (true (control ?p)) (true (cell ?n empty)))
    (<= (legal ?p resign) (true (control ?p)) resigning)
    (<= (legal ?p noop) (opponent ?p ?q) (true (control ?q)))
    (<= (next (cell ?n filled)) (does ?p (fill ?n)) (not (mid ?n)))
    (<= (next (cell ?n filled)) (true (cell ?n filled)))
    (<= (next (cell ?m empty)) (does ?p (fill ?n)) (true (cell ?m empty)) (distinct ?m ?n))
    (<= (next (cell ?m ?v)) (does ?p resign) (true (cell ?m ?v)))
    (<= (next (given ?p)) (does ?p resign) resigning)
    (<= (next (control ?q)) (true (control ?p)) (opponent ?p ?q))
    (<= open (true (cell ?n empty)))
    (<= gave (true (given ?p)))
    (<= quick (cells 7) (not (true (cell 4 empty))))
    (<= over (not open))
    (<= over quick)
    (<= terminal over)
    (<= terminal gave)
    (<= (goal ?p 50) over (not gave) (opponent ?p ?q) (true (control ?q)))
    (<= (goal ?p 0) over (not gave) (true (control ?p)))
    (<= (goal ?p 100) (true (given ?q)) (opponent ?p ?q))
    (<= (goal ?p 0) (true (given ?p)))
    (<= (goal ?p 25) (role ?p) (not over) (not gave))
"""
"""The middle cell is empty or not, but never filled; of seven cells it ends play, of fewer one may resign."""

TOML = """
title = "Uneven"
roles = ["alice", "bob"]
notation = "kif"
[parameters]
cells = {value = 5, least = 3, most = 7}
"""


@pytest.fixture(scope="module")
def uneven(tmp_path_factory: pytest.TempPathFactory) -> Family:
    folder = written(tmp_path_factory.mktemp("uneven"), UNEVEN)
    (family,) = seek(str(folder), "cells=3..7:2", "alice").families
    return family


def written(folder: Path, rules: str) -> Path:
    for name, text in {"rules.kif": rules, "game.toml": TOML, "description.md": "Cells."}.items():
        (folder / name).write_text(text)
    return folder


def test_what_it_gets_is_said_for_all_sizes(uneven: Family) -> None:
    assert [uneven.member(size).gets() for size in (3, 5, 7)] == [
        "gets 50 at least",
        "gets 50 at least",
        "wins",
    ]
    begin = "alice gets 50 at least, which wins where cells = 7: begin with fill((cells+1)/2)"
    assert uneven.explain().startswith(begin)


def test_what_the_first_move_is_holds_for_all_sizes(uneven: Family) -> None:
    notes = [uneven.member(size).middle() for size in (3, 5, 7)]
    assert notes == [" (its own image)", " (its own image)", " (the middle)"]
    assert "begin with fill((cells+1)/2) (its own image), then" in uneven.explain()


def test_what_is_said_of_all_facts_holds_where_there_is_but_one(uneven: Family) -> None:
    words = uneven.conditions_in_words()
    assert "for all K: at most one of cell(K,_) holds" in words
    assert not [text for text in words if "exactly" in text]
    for exactly in (
        ConditionFormula("one", 2, every=("cell", None, BLANK)),
        ConditionFormula("one", 2, about=TermFormula(("cell", None, BLANK), (NumberFormula(fit(2, 3)),))),
    ):
        argument = replace(uneven.argument, conditions=(*uneven.argument.conditions, exactly))
        with pytest.raises(StrategyError, match=r"hold at the beginning: 'one' of cell\(3,_\) is one of 1"):
            replace(uneven, argument=argument).prove(5)


def test_of_facts_that_are_not_there_none_holds(uneven: Family) -> None:
    one, cells = fit(1, 1), fit(3, 5)
    for condition in (
        ConditionFormula("one", 1, every=("cell", BLANK, "full")),
        ConditionFormula("holds", every=("cell", None, "filled")),
        ConditionFormula("holds", every=("given", "carol")),
        ConditionFormula("holds", every=("cell", None, "filled"), ranges=((one, cells),)),
    ):
        argument = replace(uneven.argument, conditions=(condition,))
        with pytest.raises(StrategyError, match="a condition is about facts that the game does not have"):
            replace(uneven, argument=argument).prove(5)


def test_numbers_without_facts_are_told(tmp_path: Path) -> None:
    middle = "(<= (legal ?p (fill ?n)) (true (control ?p)) (true hub) (mid ?n))"
    lone = "(<= (next hub) (true hub) (does ?p (fill ?n)) (not (mid ?n)))"
    start = "(<= (init (cell ?n empty)) (place ?n)"
    rules = UNEVEN.replace(f"{start})", f"{start} (not (mid ?n))) (init hub) {middle} {lone}")
    lost = (
        "(<= terminal (place ?n) (not (mid ?n)) (not (true (cell ?n empty))) (not (true (cell ?n filled))))"
    )
    ends = rules.replace("(<= terminal over)", f"(<= terminal over) (<= open (true hub)) {lost}")
    ends = ends.replace("(not (true (cell 4 empty)))", "(not (true hub))")
    (family,) = seek(str(written(tmp_path, ends)), "cells=3..7:2", "alice").families
    assert "for all K with such a fact: exactly one of cell(K,_) holds" in family.conditions_in_words()


def test_sizes_where_the_first_move_ends_the_game_are_told_apart(uneven: Family) -> None:
    assert uneven.proofs[7].means == "check"
    proof = (
        "and proved for 2 of these 3 sizes by one induction, which a SAT solver checks for every one of them"
    )
    assert proof in uneven.explain()
    assert "For cells = 7 the first move ends the game. Nothing" in uneven.explain()


def test_sizes_of_no_family_are_labelled() -> None:
    report = explain_family("threecells", "cells", range(3, 9))
    assert {size: label.goals for size, label in report.labels.items()} == {
        size: gm.solve(f"threecells:cells={size}").label().goals for size in (4, 6, 8)
    }
    assert "perfect play: alice 100, bob 0 for cells = 4 and 8" in str(report)
    assert "perfect play: alice 0, bob 100 for cells = 6" in str(report)


def test_where_there_is_no_family_it_is_said() -> None:
    assert not seek("threecells", "cells=3..9", "bob").families
    report = seek("nim", "first=1..3")
    assert not report.families
    why = "no symmetry was found that wins several sizes in the same way"
    assert str(report) == f"first = 1, 2 and 3: no strategy of this kind is proved ({why})"


def test_what_is_found_for_two_sizes_only_is_said() -> None:
    why = "one symmetry is proved for 3 and 5 only: three sizes at least are needed"
    report = seek("threecells", "cells=3..6", "alice")
    assert not report.families
    assert report.gaps[3] == report.gaps[5] == why
    assert (
        report.gaps[4] == report.gaps[6] == "the move to begin with would have a number that is no whole one"
    )
    report = seek("coinsontable", "size=3..5", "alice")
    assert report.gaps == {3: seeking.ENDED, 4: seeking.NONE_FOUND, 5: seeking.ALONE}
    report = seek("kayles", "pins=3..7", "alice")
    assert [family.proved for family in report.families] == [(3, 5, 7)]
    why = "one symmetry is proved for 4 and 6 only, of the sizes left: three at least are needed"
    assert report.gaps == {4: why, 6: why}


def test_symmetries_without_one_argument_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seeking, "fit_argument", lambda seeds: None)
    report = explain_sizes(read_sizes("kayles", "pins=3..7:2"), "alice", NO_MACHINE_TAKES, is_labelled=False)
    why = "a symmetry is proved for 3, 5 and 7, but not by one argument for all of them"
    assert report.gaps == dict.fromkeys((3, 5, 7), why)


def test_games_that_have_no_strategies_in_words_are_refused() -> None:
    with pytest.raises(Unsuitable, match="one role at a time chooses; in roshambo"):
        seek("roshambo", "rounds=1..3")
    with pytest.raises(UnknownRole, match="no role 'carol'"):
        seek("kayles", "pins=3..9", "carol")


def test_a_size_that_takes_no_turns_is_of_no_family() -> None:
    family = seek("kayles", "pins=1..9").families[0]
    with pytest.raises(Unsuitable, match="kayles:pins=1 is no game for two that take turns, compiled"):
        family.prove(1)
