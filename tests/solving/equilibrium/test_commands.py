"""`gamemaster solve` and gm.solve of games that have equilibria: what is printed, drawn and refused."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

import gamemaster as gm
from gamemaster.cli.start import app
from gamemaster.errors import LimitExceeded, ParameterError
from gamemaster.solving.equilibrium.equilibrium import Equilibrium
from gamemaster.solving.equilibrium.solver import Aim, solve_equilibrium
from gamemaster.solving.table import LabelTable
from gamemaster.terminal.equilibria import BLOCKS, falling
from tests.solving.equilibrium.sheets import FORK, PRISONERS

ROOT = Path(__file__).parents[3]
KUHN = "kuhn"
PAGE = (ROOT / "docs" / "solve.md").read_text()


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["solve", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def refusal(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["solve", *arguments])
    assert result.exit_code in (1, 2)
    return " ".join(result.output.replace("│", " ").split())


def written(folder: Path, sheet: str) -> str:
    path = folder / "sheet.hrf"
    path.write_text(sheet)
    return str(path)


def test_what_the_page_shows_is_printed() -> None:
    shown = PAGE.partition("$ gamemaster solve higherlower\n")[2].partition("```")[0]
    assert len(shown.splitlines()) > 8
    printed = run("higherlower")
    for line in shown.splitlines():
        is_measured = line.startswith("exploitability") or line.endswith(" s")
        assert line == "..." or is_measured or f"{line}\n" in printed, line


TALKATIVE = """
role(a) role(b) digit(0) digit(1) digit(2) digit(3)
init(step(1))
legal(R,go(D)) :- role(R) & digit(D)
next(step(2)) :- true(step(1))
next(step(3)) :- true(step(2))
sees(a,told(A,B,C,D)) :- digit(A) & digit(B) & digit(C) & does(b,go(D))
terminal :- true(step(3))
goal(R,50) :- role(R)
"""


def test_long_percepts_do_not_make_the_table_wide(tmp_path: Path) -> None:
    told = run(written(tmp_path, TALKATIVE))
    assert max(map(len, told.splitlines())) < 400
    assert "told(3,3,3,0)  go(0)" in told


STUCK = """
role(a) role(b)
init(step(1))
legal(R,go) :- role(R) & true(step(1))
legal(R,stay) :- role(R) & true(step(1))
legal(R,noop) :- role(R) & true(step(2))
next(step(2)) :- does(a,go)
next(step(3)) :- does(a,stay)
sees(a,x) :- does(b,go)
terminal :- true(step(3))
goal(R,50) :- role(R)
"""


def test_where_nobody_can_move_is_told(tmp_path: Path) -> None:
    said = refusal(written(tmp_path, STUCK))
    assert "no role has a legal move in step 3, but the state is not terminal: nothing holds in it" in said


def test_values_exploitability_and_the_strategy_are_told() -> None:
    told = run(KUHN, "--seconds", "600")
    assert "steps, 12 information states\n" in told
    assert "value: alice 48.61, bob 51.39\n" in told
    assert "iterations of cfr+\n" in told
    rows = [line.split() for line in told.splitlines() if line.startswith(("alice", "bob"))]
    assert len(rows) == 12
    assert ["king;", "bet", "call"] in [row[2:] for row in rows]


def test_of_a_role_only_its_strategy_is_told() -> None:
    told = run(KUHN, "--role", "bob")
    assert "king; check" in told
    assert "\nalice" not in told
    assert "no role 'carol'" in refusal(KUHN, "--role", "carol")


def test_a_long_strategy_is_cut_unless_all_is_asked_for() -> None:
    assert "... and 158 more: --all prints them, --role those of one role" in run("roshambo")
    assert "more: --all" not in run("roshambo", "--all")
    assert "... and 67 more" in run("roshambo", "--role", "bob")


def test_who_has_nothing_to_choose_has_no_strategy() -> None:
    told = run(str(ROOT / "bench" / "rules" / "hidden_die.kif"), "--role", "keeper")
    assert "only guesser chooses: the strategy is the best against chance\n" in told
    assert told.endswith("role  step  knows  plays\n")


def test_what_ones_own_play_never_leads_to_is_told_as_such(tmp_path: Path) -> None:
    told = run(written(tmp_path, FORK))
    assert "value: traveller 60.00\n" in told
    assert "traveller     1  nothing yet  road\n" in told
    assert "traveller     2  fork         (its own play never leads there)\n" in told


def test_programs_are_told_the_same() -> None:
    told = json.loads(run(KUHN, "--json", "--algorithm", "dcfr", "--until", "0.05"))
    assert (told["game"], told["algorithm"], told["information_states"]) == ("kuhn", "dcfr", 12)
    assert told["exploitability"] <= 0.05
    assert len(told["strategy"]) == 12
    jack = next(each for each in told["strategy"] if each["knows"] == "jack; bet")
    assert jack["role"] == "bob"
    assert jack["moves"]["fold"] > 0.9


def test_iterations_end_it_and_that_it_is_not_enough_is_told() -> None:
    told = run(KUHN, "--iterations", "3", "--until", "0")
    assert "after 3 iterations of cfr+\n" in told
    assert "that is more than 0: --seconds and --iterations allow more\n" in told


def test_where_nothing_is_promised_that_is_told(tmp_path: Path) -> None:
    told = run(written(tmp_path, PRISONERS))
    assert "nothing promises that iterations come nearer" in told
    assert "another equilibrium may be worth something else" in told


def test_how_it_fell_is_drawn(tmp_path: Path) -> None:
    file = tmp_path / "falling.svg"
    run(KUHN, "--svg", str(file), "--theme", "dark")
    assert ElementTree.fromstring(file.read_text()).tag.endswith("svg")


def test_the_row_of_blocks_falls() -> None:
    found = solve_equilibrium(gm.load(KUHN), aim=Aim(0.001, seconds=None))
    row = falling(found)
    assert len(row) == 32
    assert (row[0], row[-1]) == (BLOCKS[-1], BLOCKS[0])
    assert falling(solve_equilibrium(gm.load("pennies"))) == BLOCKS[0]


def test_what_best_responses_to_a_player_get_is_told() -> None:
    told = run(KUHN, "--against", "legal", "--role", "alice", "--samples", "1", "--seconds", "600")
    assert "legal as alice gets " in told
    assert "  the best response of bob gets 58.33 and leaves 41.67\n" in told
    assert " times in each information state, and taken to choose as often as it did" in told
    data = json.loads(run(KUHN, "--against", "legal", "--samples", "1", "--seconds", "600", "--json"))
    assert data["against"]["player"] == "legal"
    assert [each["role"] for each in data["against"]["roles"]] == ["alice", "bob"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (
            ("dicerace", "--positions", "1000"),
            "histories limit of 1,000 exceeded growing the tree of dicerace: ",
        ),
        (("dicerace", "--positions", "1000"), "steps were found, and the next step has"),
        (("higherlower", "--algorithm", "magic"), "no algorithm 'magic' for equilibria: cfr, cfr+, dcfr"),
        (("higherlower", "--table"), "--table: only labels have that, and an equilibrium is looked for in"),
        (("nim", "--until", "1"), "--until: only equilibria have that, and nim is solved by labels"),
        (
            ("nim", "--explain", "--svg", "x.svg"),
            "--explain finds no equilibrium, so --svg does not go with it",
        ),
        (("higherlower", "--svg", "/nowhere/x.svg"), "no picture can be written to '/nowhere/x.svg'"),
        (("higherlower", "--theme", "pink"), "'pink' is no theme"),
        (("higherlower", "--against", "nobody"), "nobody"),
    ],
)
def test_what_cannot_be_done_is_told_in_a_line(arguments: tuple[str, ...], why: str) -> None:
    assert why in refusal(*arguments)


def test_a_call_gives_the_equilibrium(tmp_path: Path) -> None:
    found = gm.solve("higherlower", until=0.1)
    assert isinstance(found, Equilibrium)
    assert found.exploitability <= 0.1
    assert gm.solve("pennies", algorithm="cfr", iterations=5).values["even"] == 50
    with pytest.raises(LimitExceeded, match="histories limit of 10"):
        gm.solve("higherlower", positions=10)
    with pytest.raises(
        ParameterError, match="an equilibrium is looked for in higherlower, which takes no folder"
    ):
        gm.solve("higherlower", folder=tmp_path)


def test_by_an_algorithm_a_game_without_secrets_has_an_equilibrium_as_well() -> None:
    found = gm.solve("nim:first=1,second=2,third=0", algorithm="cfr+", seconds=None)
    table = gm.solve("nim:first=1,second=2,third=0")
    assert isinstance(table, LabelTable)
    assert [round(value) for value in found.values.values()] == list(table.label().goals)
