"""Reading what clingo writes."""

from __future__ import annotations

import io

import pytest

from gamemaster.ground import aspif
from gamemaster.ground.aspif import GroundRules, read_rules
from gamemaster.ground.clingo_child import ANSWER, Most
from gamemaster.ground.program import Threshold

TEXT = b"""asp 1 0 0 incremental
1 0 1 1 0 0
1 1 1 2 0 0
1 1 2 3 4 0 1 1
1 0 1 5 0 2 2 -3
1 0 0 0 1 5
1 0 1 6 1 3 2 2 1 -4 2
5 7 2
1 0 1 5 0 1 4
0
"""

PLENTY: Most = {kind: (100, "size", f"100 {kind}") for kind in ("rules", "literals", "always", "choices")}


def read(text: bytes) -> GroundRules:
    return read_rules(io.BytesIO(text), PLENTY)[0]


def test_rules_facts_choices_and_thresholds_are_told_apart() -> None:
    rules = read(TEXT)
    assert (rules.facts, rules.choices) == ({1}, {2, 3, 4})
    assert (rules.heads.tolist(), rules.starts.tolist()) == ([5, 5], [0, 2, 3])
    assert rules.literals.tolist() == [2, -3, 4]
    assert rules.thresholds == [Threshold(6, 3, (2, -4), (1, 2))]


@pytest.mark.parametrize("size", [1, 7, 30, 1000])
def test_it_does_not_matter_where_a_block_ends(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(aspif, "BLOCK", size)
    rules, rest = read_rules(io.BytesIO(TEXT + ANSWER + b"said\n1 0 1 9 0 0\n"), PLENTY)
    assert rest == b"said\n1 0 1 9 0 0\n"
    assert rules.literals.tolist() == [2, -3, 4]
    assert rules.facts == {1}


def test_equal_sums_are_kept_once() -> None:
    first, second = read(b"1 0 1 6 1 3 2 2 1 4 2\n1 0 1 7 1 2 2 2 1 4 2\n").thresholds
    assert (first.bound, second.bound) == (3, 2)
    assert first.literals is second.literals


@pytest.mark.parametrize("kind", ["rules", "literals", "always", "choices"])
def test_reading_ends_at_a_limit(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(aspif, "BLOCK", 16)
    most = PLENTY | {kind: (0, "size", f"0 {kind}")}
    stream = io.BytesIO(TEXT * 10)
    assert read_rules(stream, most)[1] == ("limit", "size", f"0 {kind}")
    assert stream.read()


def test_a_statement_without_end_runs_into_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aspif, "BLOCK", 16)
    stream = io.BytesIO(b"1 0 1 5 0 1000" + b" 7" * 1000)
    assert read_rules(stream, PLENTY)[1] == ("limit", "size", "100 literals")
    assert stream.read()
