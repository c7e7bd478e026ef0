"""What makes a role win, read off the rules; and the threats to do so, as proofs see them."""

from __future__ import annotations

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget
from gamemaster.search.native import patterns as patterns_module
from gamemaster.search.native.kernels.records import Words
from gamemaster.search.native.patterns import patterns_of, uses_of_facts
from gamemaster.search.native.prover import Prover
from gamemaster.search.native.warming import get_ready


def compiled(name: str) -> CompiledGame:
    game = gm.load(name, machine="compiled")
    assert isinstance(game, CompiledGame)
    return game


def facts_of(game: CompiledGame, mask: Words) -> set[str]:
    """The facts of a row of bits, as text."""
    held = np.unpackbits(mask.view(np.uint8), bitorder="little")
    return {str(fact) for fact, bit in zip(game.layout.facts, held, strict=False) if bit}


def in_the_way(game: CompiledGame, fact: str) -> set[str]:
    """What keeps a fact from ever holding, as text."""
    number = [str(each) for each in game.layout.facts].index(fact)
    return facts_of(game, patterns_of(game).in_the_way[number])


def test_the_patterns_of_connect_four_are_its_lines() -> None:
    game = compiled("connectfour:columns=5,rows=4")
    patterns = patterns_of(game)
    lines = [facts_of(game, mask) for mask in patterns.masks]
    assert len(lines) == 2 * (4 * 2 + 5 * 1 + 2 * 2)
    assert {f"cell({x},{x},red)" for x in range(1, 5)} in lines
    assert all(len(line) == 4 for line in lines)
    middle, corner = (
        [str(fact) for fact in game.layout.facts].index(f"cell({cell},red)") for cell in ("3,2", "1,1")
    )
    parts = np.diff(patterns.starts)
    assert (parts[middle], parts[corner]) == (5, 3)
    first = patterns.members[patterns.starts[corner]]
    assert "cell(1,1,red)" in lines[first]


def test_the_disc_of_the_other_is_in_the_way_and_a_blank_is_not() -> None:
    assert in_the_way(compiled("connectfour:columns=5,rows=4"), "cell(2,3,red)") == {"cell(2,3,black)"}
    assert in_the_way(compiled("tictactoe"), "cell(1,2,x)") == {"cell(1,2,o)"}


@pytest.mark.parametrize("name", ["hex:size=3", "othello:tiny", "breakthrough:columns=4,rows=4", "nim"])
def test_games_that_are_won_by_chains_counts_or_single_facts_have_no_patterns(name: str) -> None:
    assert len(patterns_of(compiled(name))) == 0


def test_too_many_patterns_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns_module, "MOST_SETS", 7)
    assert len(patterns_of(compiled("tictactoe"))) == 0
    monkeypatch.setattr(patterns_module, "MOST_SETS", 8)
    assert len(patterns_of(compiled("tictactoe"))) == 16


def test_rules_that_are_too_large_have_no_patterns_and_no_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns_module, "_program", lambda _: None)
    game = compiled("tictactoe")
    assert len(patterns_of(game)) == 0
    assert not uses_of_facts(game).any()


def test_the_middle_of_a_board_is_used_more_than_its_corner() -> None:
    game = compiled("connectfour:columns=5,rows=5")
    facts = [str(fact) for fact in game.layout.facts]
    uses = uses_of_facts(game)
    assert uses[facts.index("cell(3,3,red)")] > uses[facts.index("cell(1,1,red)")]


@pytest.mark.parametrize(
    ("columns", "threats"),
    [
        pytest.param((5, 1, 1, 2, 2, 5, 3, 5), {"cell(4,2,red)"}, id="nobody is there yet"),
        pytest.param((4, 1, 1, 2, 2, 4, 3, 5), set(), id="black is there already"),
    ],
)
def test_a_threat_is_the_one_fact_that_a_line_lacks_if_it_can_still_hold(
    columns: tuple[int, ...], threats: set[str]
) -> None:
    game = compiled("connectfour:columns=5,rows=4")
    get_ready(game, "solver")
    state: State = game.initial_state()
    for column in columns:
        state = state.next(game.move_of(f"drop({column})"))
    prover = Prover(game, "red", memory=1)
    prover.prove(state, Budget(nodes=1))
    bench, terms = prover.benches[0], prover.engines[0].terms
    found = {
        str(terms[bench.moves[row]]): facts_of(game, bench.threats[row])
        for row in range(1, 1 + len(state.legal_moves("red")))
    }
    assert found["drop(3)"] == threats  # which makes three in row 2
    assert found["drop(1)"] == set()


def test_threats_first_takes_far_fewer_states(monkeypatch: pytest.MonkeyPatch) -> None:
    game = compiled("connectfour:columns=5,rows=5")
    get_ready(game, "solver")
    state = game.initial_state()
    first = Prover(game, "red", memory=20).prove(state, Budget())
    monkeypatch.setattr(patterns_module, "MOST_SETS", 1)
    without = Prover(game, "red", memory=20).prove(state, Budget())
    assert first.lower == first.upper == without.lower == without.upper == 50
    assert first.nodes * 2 < without.nodes
