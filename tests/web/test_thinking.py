import random
from typing import Any, cast

import pytest

from gamemaster.errors import ParameterError, StateError, UnknownAlgorithm
from gamemaster.web import jobs
from gamemaster.web.path import Line
from gamemaster.web.thinking import LONGEST_THOUGHT, check_thinker, think, thinkers

NEARLY_WON: Line = [["mark(1,1)"], ["mark(2,1)"], ["mark(1,2)"], ["mark(2,2)"]]
CHOSEN = {"tictactoe", "roshambo", "dicerace", "hamilton", "chinesecheckers3", "higherlower", "nim"}


def thought(name: str, line: Line, who: str = "", role: str = "") -> dict[str, Any]:
    return think(name, line, who, role, 0.2)


def test_the_winning_move_is_the_best_and_first() -> None:
    found = thought("tictactoe", NEARLY_WON)
    assert (found["role"], found["move"], found["value"], found["is_proven"]) == ("x", "mark(1,3)", 100, True)
    assert found["algorithm"] == "mcts"
    first = found["moves"][0]
    assert (first["move"], first["label"], first["bar"]) == ("mark(1,3)", "mark 1,3", 100)
    assert {row["move"] for row in found["moves"]} <= {f"mark({m},{n})" for m in (1, 2, 3) for n in (1, 2, 3)}
    assert all(0 <= row["bar"] <= 100 for row in found["moves"])
    assert found["line"] == ["mark 1,3"]
    assert found["speed"].endswith("/s")


def test_the_line_is_told_as_pages_call_its_moves() -> None:
    found = thought("tictactoe", [])
    assert len(found["line"]) == min(8, len(found["line"]))
    assert all(words.startswith("mark ") for words in found["line"])


def test_somebody_else_can_be_asked_and_for_another_role() -> None:
    assert thought("tictactoe", NEARLY_WON, "deepening")["algorithm"] == "deepening"
    assert thought("roshambo", [], role="bob")["role"] == "bob"


def test_what_is_less_than_it_should_be_is_said() -> None:
    assert any("as if the state were known" in note for note in thought("higherlower", [])["caveats"])


def test_there_is_nothing_to_think_about_chance_or_after_the_end() -> None:
    with pytest.raises(StateError, match="is chance"):
        thought("dicerace", [])
    with pytest.raises(StateError, match="the game is over"):
        thought("tictactoe", [*NEARLY_WON, ["mark(1,3)"]])


@pytest.mark.parametrize("seconds", [0.0, -1.0, LONGEST_THOUGHT + 0.1, float("nan"), float("inf")])
def test_nobody_thinks_for_any_time(seconds: float) -> None:
    with pytest.raises(ParameterError, match="of thinking"):
        check_thinker("", seconds)


@pytest.mark.parametrize("who", ["nobody", "slowpoke", "mcts(each=3)", "/etc/passwd", "__import__"])
def test_only_those_of_the_list_are_asked(who: str) -> None:
    with pytest.raises(UnknownAlgorithm, match="cannot be asked here"):
        think("tictactoe", [], who, "", 0.2)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(CHOSEN))
def test_whoever_is_offered_takes_the_game(name: str) -> None:
    line: list[list[str]] = []
    found = jobs.standalone(name, line)
    while found["askers"] == ["random"]:
        line.append([random.choice(cast("dict[str, list[str]]", found["legal"])["random"])])
        found = jobs.standalone(name, line)
    offered = thinkers(
        players=cast("int", found["players"]),
        has_chance=bool(found["has_chance"]),
        is_hidden=bool(found["is_hidden"]),
        is_simultaneous=bool(found["is_simultaneous"]),
    )
    assert {"", "egghead", "mcs"} <= set(offered)
    for who in offered:
        answer = thought(name, line, who)
        assert answer["moves"] or answer["move"] is not None
