"""Proofs as strategies: they hold against every reply, are small, are kept in files, and are not believed blindly."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.errors import LimitExceeded, StrategyError
from gamemaster.search.budget import Budget
from gamemaster.search.native.dfpn import prover_of
from gamemaster.solving.checking import check_strategy
from gamemaster.solving.proof_graph import ProofGraph
from gamemaster.solving.proofs import ProofStrategy, position_key, prove_strategy
from tests.search.truth import Graph, Truth, graph_game

LATE = Budget(seconds=600)


@cache
def proof_of(name: str, role: str) -> ProofStrategy:
    return prove_strategy(gm.load(name), role, LATE, memory=16, effort=200_000)


PROVED = [
    ("tictactoe", "x", 50),
    ("tictactoe", "o", 50),
    ("nim", "alice", 100),
    ("threecells", "alice", 100),
    ("threecells:cells=15", "alice", 100),
    ("hex:size=3", "red", 100),
    ("hex:size=4", "red", 100),
    ("connectfour:columns=4,rows=4", "red", 50),
]


@pytest.mark.parametrize(("name", "role", "value"), PROVED)
def test_proofs_hold_against_every_reply(name: str, role: str, value: int) -> None:
    proof = proof_of(name, role)
    verdict = check_strategy(proof)
    assert (proof.value, verdict.holds, verdict.positions) == (value, True, proof.size), str(verdict)


def test_a_proof_of_the_compiled_machine_holds_on_the_reference() -> None:
    proof = replace(proof_of("tictactoe", "x"), game=gm.load("tictactoe", machine="reference"))
    assert check_strategy(proof).holds


@pytest.mark.parametrize("is_cyclic", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_proofs_hold_in_games_made_up(seed: int, is_cyclic: bool) -> None:
    game = graph_game(Graph(("a", "b"), is_duel=True, is_cyclic=is_cyclic, places=60, ends=0.2), seed)
    truth = Truth(game.initial_state())
    for role in game.roles:
        worth = int(truth.against_all(role)[game.initial_state()][0])
        if not worth:
            with pytest.raises(StrategyError, match="is sure of no goal above 0"):
                prove_strategy(game, role, LATE, memory=1)
            continue
        proof = prove_strategy(game, role, LATE, memory=1, effort=10_000)
        assert (proof.value, check_strategy(proof).holds) == (worth, True)


def test_proofs_become_smaller() -> None:
    proof = proof_of("hex:size=3", "red")
    assert proof.size < proof.first_size
    assert f"The proof has {proof.size} positions (the first proof had {proof.first_size})" in proof.explain()
    untouched = prove_strategy(proof.game, "red", LATE, effort=0)
    assert proof.size < untouched.size


def test_a_proof_says_what_to_play_and_why() -> None:
    proof = proof_of("threecells", "alice")
    state = proof.game.initial_state()
    counsel = proof.advise(state)
    assert counsel.move in state.legal_moves("alice")
    assert counsel.value == 100
    assert counsel.why == f"proved: 100 after {counsel.distance} steps at most, whatever is replied"
    after = state.next(str(counsel.move))
    assert proof.advise(after).why == "there is no choice"
    assert proof.advise(after).move in (None, *after.legal_moves("alice"))
    assert proof.explain().startswith(f"alice gets 100 whatever bob may play, after {counsel.distance} steps")


def test_the_distance_is_never_exceeded() -> None:
    proof = proof_of("nim", "alice")
    todo = [proof.game.initial_state()]
    while todo:
        state = todo.pop()
        counsel = proof.advise(state)
        if state.is_over:
            assert (counsel.why, counsel.value) == ("the game is over", 100)
            continue
        mine = state.chooser == "alice"
        for move in [counsel.move] if mine else state.legal_moves("bob"):
            after = state.next(str(move))
            left = proof.advise(after).distance
            assert left is not None
            assert counsel.distance is not None
            assert left < counsel.distance
            todo.append(after)


def test_a_position_that_the_proof_never_leads_to_has_no_advice() -> None:
    proof = proof_of("tictactoe", "o")
    elsewhere = proof.game.initial_state().next("mark(1,1)")
    right = proof.advise(elsewhere).move
    wrong = next(move for move in elsewhere.legal_moves("o") if move != right)
    with pytest.raises(StrategyError, match="the proof for o never leads to this position: "):
        proof.advise(elsewhere.next(str(wrong)))


def test_positions_that_the_table_has_lost_are_searched_again() -> None:
    state = gm.load("hex:size=3").initial_state()
    prover = prover_of(state, "red", memory=1)
    row = prover.engine.row_of(state)
    assert prover.ask_row(row, 100, LATE).verdict == "proved"
    prover.pool.table[:] = np.uint64(0)
    proof, first_size = ProofGraph(prover, row, 100, LATE).smallest(0)
    assert proof.size <= first_size
    prover.pool.table[:] = np.uint64(0)
    with pytest.raises(LimitExceeded, match="search limit of 20 nodes exceeded writing down the proof"):
        ProofGraph(prover, row, 100, Budget(nodes=20)).smallest(0)


def test_a_table_that_is_not_true_is_found_out() -> None:
    state = gm.load("tictactoe").initial_state()
    prover = prover_of(state, "x", memory=1)
    with pytest.raises(StrategyError, match="a position that was proved is lost"):
        ProofGraph(prover, prover.engine.row_of(state), 100, LATE).smallest(0)


def test_what_cannot_be_had_has_no_proof() -> None:
    game = gm.load("tictactoe")
    with pytest.raises(StrategyError, match="x of tictactoe cannot be sure of 100: disproved"):
        prove_strategy(game, "x", LATE, goal=100)
    with pytest.raises(StrategyError, match="not known within 5 nodes: can x get 100"):
        prove_strategy(game, "x", Budget(nodes=5))
    with pytest.raises(StrategyError, match="bob of nim is sure of no goal above 0"):
        prove_strategy(gm.load("nim"), "bob", LATE)


# Wrong on purpose


def test_a_proof_with_another_move_is_refuted_with_the_line_that_beats_it() -> None:
    proof = proof_of("nim", "alice")
    start = proof.game.initial_state()
    right = proof.advise(start).move
    wrong = next(move for move in start.legal_moves("alice") if move != right)
    moves = (*proof.moves, wrong)
    broken = {**proof.positions, position_key(start): (len(moves) - 1, 1)}
    verdict = check_strategy(replace(proof, moves=moves, positions=broken))
    assert not verdict.holds
    assert str(verdict).startswith("refuted: ")
    assert str(wrong) in str(verdict)


def test_a_proof_of_more_than_can_be_had_is_refuted() -> None:
    verdict = check_strategy(replace(proof_of("tictactoe", "x"), value=100))
    assert not verdict.holds
    assert "x gets 50, not 100" in str(verdict)


# Files


def test_a_proof_is_kept_and_read_again(tmp_path: Path) -> None:
    proof, path = proof_of("hex:size=3", "red"), tmp_path / "hex.json"
    proof.save(path)
    again = ProofStrategy.load(path, gm.load("hex:size=3"))
    assert (again.positions, again.moves, again.value, again.size) == (
        proof.positions,
        proof.moves,
        100,
        proof.size,
    )
    assert again.explain() == proof.explain()
    assert check_strategy(again).holds
    assert list(tmp_path.iterdir()) == [path]


def test_a_proof_for_other_rules_is_refused(tmp_path: Path) -> None:
    proof_of("hex:size=3", "red").save(tmp_path / "hex.json")
    with pytest.raises(StrategyError, match="a proof for other rules: "):
        ProofStrategy.load(tmp_path / "hex.json", gm.load("hex:size=4"))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"value": 50}, "the proof is damaged: its checksum is another"),
        ({"keys": "AAAA"}, "the proof is damaged: its checksum is another"),
        ({"kind": "labels"}, "this is no proof, but 'labels'"),
        ({"rules": "0123"}, "a proof for other rules: '0123'"),
        ({"checksum": None}, "the proof is damaged"),
    ],
)
def test_a_damaged_proof_is_refused(change: dict[str, Any], told: str) -> None:
    proof = proof_of("nim", "alice")
    with pytest.raises(StrategyError, match=told):
        ProofStrategy.from_json({**proof.to_json(), **change}, proof.game)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"keys": "AAAA"}, "this is no proof: ValueError"),
        ({"keys": "&"}, "this is no proof: ValueError"),
        ({"moves": 3}, "this is no proof: TypeError"),
        ({"moves": []}, "the proof is damaged: it has a move that it does not name"),
        ({"size": "many"}, "this is no proof: ValueError"),
    ],
)
def test_a_forged_proof_is_refused_too(change: dict[str, Any], told: str) -> None:
    from gamemaster.solving.proofs import _checksum

    proof = proof_of("nim", "alice")
    data = {**proof.to_json(), **change}
    del data["checksum"]
    with pytest.raises(StrategyError, match=told):
        ProofStrategy.from_json({**data, "checksum": _checksum(data)}, proof.game)


@pytest.mark.parametrize(
    ("text", "told"),
    [("{", "it is no JSON"), ("[]", "is no proof, or larger than"), ("{}", "this is no proof: KeyError")],
)
def test_files_that_are_no_proofs_are_refused(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "file.json").write_text(text)
    with pytest.raises(StrategyError, match=told):
        ProofStrategy.load(tmp_path / "file.json", gm.load("nim"))


def test_files_that_cannot_be_read_or_written_are_told(tmp_path: Path) -> None:
    with pytest.raises(StrategyError, match=r"no proof can be read from .*: No such file"):
        ProofStrategy.load(tmp_path / "none.json", gm.load("nim"))
    with pytest.raises(StrategyError, match=r"the proof cannot be kept in .*: No such file"):
        proof_of("nim", "alice").save(tmp_path / "none" / "file.json")


def test_plain_data_is_ready_for_json() -> None:
    data = proof_of("nim", "alice").to_json()
    assert json.loads(json.dumps(data)) == data
