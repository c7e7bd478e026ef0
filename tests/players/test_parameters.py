"""Players with parameters in brackets: in Python, of files, on the command line, and in records."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gamemaster as gm
from gamemaster.errors import ParameterError, PlayerError, UnknownPlayer
from gamemaster.match.manager import run_directly, run_match
from gamemaster.match.records.record import read_record
from gamemaster.players.classroom import Minimaxdepth
from gamemaster.players.egghead import Egghead
from gamemaster.players.loading import FilePlayer, check_player, find_player, with_evaluation
from gamemaster.players.searching import Alphabeta, Mcs, Mcts
from gamemaster.search.parameters import Named, parameters_of_callable, read_name, split_names
from tests.players.sheets import ROSHAMBO
from tests.search.readiness import make_ready
from tests.test_cli import assert_refused, run

Write = Callable[[str, str], Path]

TUNED = """
from gamemaster import Player
class Tuned(Player):
    def __init__(self, seed=None, depth=3, bold=False, weight: float = 0.5, name="x", other=None):
        super().__init__(seed)
        self.told = depth, bold, weight, name, other
    def choose_from(self, legal):
        return legal[0]
"""
LINES = """
def lines(state, role):
    return sum(1.5 for fact in state.facts if fact[0] == "cell" and fact[-1] == role)
def broken(state, role):
    return 1 / 0
def words(state, role):
    return "much"
def three(state, role, more):
    return 1
number = 3
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A function that writes a file and gives its path."""

    def write_file(name: str, content: str) -> Path:
        (tmp_path / name).write_text(content)
        return tmp_path / name

    return write_file


# Names with brackets


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("mcts,random", ["mcts", "random"]),
        (" mcts(a=1,b=2) , random,", ["mcts(a=1,b=2)", "random"]),
        ("a(b=(1,2),c=3),http://x:1", ["a(b=(1,2),c=3)", "http://x:1"]),
        ("", []),
        ("a),b", ["a)", "b"]),
        ("a(b,c", ["a(b,c"]),
    ],
)
def test_commas_in_brackets_do_not_split_names(text: str, names: list[str]) -> None:
    assert split_names(text) == names


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("mcts", Named("mcts")),
        ("mcts()", Named("mcts")),
        ("mcts(a=1)", Named("mcts", ("a=1",))),
        (" mcts ( a = 1 , b=2 ) ", Named("mcts", ("a = 1", "b=2"))),
        (
            "alphabeta(ordering=table,killer,depth=3)",
            Named("alphabeta", ("ordering=table,killer", "depth=3")),
        ),
        ("a(b=f(1,c=2),d=3)", Named("a", ("b=f(1,c=2)", "d=3"))),
        ("my (1)/p.py(d=3)", Named("my (1)/p.py", ("d=3",))),
        ("mcts(a=1", Named("mcts(a=1")),
        ("a)", Named("a)")),
        ("(a=1)", Named("(a=1)")),
    ],
)
def test_a_name_is_told_from_its_parameters(text: str, named: Named) -> None:
    assert read_name(text) == named


SETTING = st.from_regex(r"[a-z]{1,3}=[a-z0-9./:]{0,3}(,[a-z0-9]{1,2}|\([a-z,=]{0,3}\)){0,2}", fullmatch=True)
SPELT = st.tuples(
    st.from_regex(r"[a-z]{1,3}(\([0-9]\))?[a-z./]{1,3}", fullmatch=True), st.lists(SETTING, max_size=3)
)


@given(st.lists(SPELT, max_size=3))
def test_names_with_parameters_can_be_written_and_read_again(players: list[tuple[str, list[str]]]) -> None:
    texts = [f"{name}({','.join(settings)})" for name, settings in players]
    assert split_names(", ".join(texts)) == texts
    assert [read_name(text) for text in texts] == [Named(name, tuple(told)) for name, told in players]


@given(st.text("ab(),=", max_size=12))
def test_any_text_is_a_name(text: str) -> None:
    named = read_name(text)
    assert named.settings or named.name in (text, text.removesuffix("()"))


# Players of the library


@pytest.mark.parametrize(
    ("kind", "values", "message"),
    [
        (Mcts, {"explor": 1}, "mcts has no parameter 'explor'; there are: exploration="),
        (Mcts, {"exploration": "fast"}, "exploration of mcts: 'fast' is not a number; there are: "),
        (Alphabeta, {"depth": "3"}, "depth of alphabeta: '3' is not a whole number or none; there are: "),
        (Minimaxdepth, {"depth": -1}, "depth of minimaxdepth: -1 is not a whole number; there are: depth=2"),
        (
            Minimaxdepth,
            {"depth": "x"},
            "depth of minimaxdepth: 'x' is not a whole number; there are: depth=2",
        ),
        (
            Egghead,
            {"threads": 0.5},
            "threads of egghead: 0.5 is not a whole number or none; there are: threads=none",
        ),
    ],
)
def test_a_player_made_in_python_is_told_what_it_cannot_be_told(
    kind: type[gm.Player], values: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError, match="^" + re.escape(message)):
        kind(**values)


@pytest.mark.parametrize(
    ("player", "message"),
    [
        ("alphabeta(evaluation=guess)", "no evaluation 'guess'; there are: mobility"),
        ("alphabeta(evaluation=nowhere.py:guess)", "no file 'nowhere.py' with an evaluation 'guess'"),
        (
            "alphabeta(ordering=luck)",
            "deepening cannot search with ordering=luck: no way of ordering moves 'luck'",
        ),
    ],
)
def test_what_a_player_of_the_library_cannot_be_told_is_seen_before_it_gets_a_process(
    player: str, message: str
) -> None:
    with pytest.raises(ParameterError, match="^" + re.escape(message)):
        check_player(player)


def test_no_file_of_an_evaluation_is_run_to_check_a_player(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("raise SystemExit(3)")
    check_player(f"alphabeta(depth=2,evaluation={tmp_path}/mine.py:worth)")


def test_a_player_of_a_file_that_needs_a_parameter_says_which(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "class P:\n    def __init__(self, depth, width, seed): ...\n    def play(self, move): ...\n"
    )
    for told, missing in [
        ("", "depth, width: mine.py(depth=...,width=...)"),
        ("(depth=3)", "width: mine.py(width=...)"),
    ]:
        with pytest.raises(ParameterError, match="^" + re.escape(f"mine.py needs {missing}")):
            find_player(f"{path}{told}")
    find_player(f"{path}(depth=3,width=2)")


def test_a_player_of_the_library_is_told_its_parameters() -> None:
    mcts = find_player("mcts(exploration=0.3, patience=5)")(seed=1)
    assert isinstance(mcts, Mcts)
    assert mcts.parameters == {"exploration": 0.3, "patience": 5}
    deep = find_player("minimaxdepth(depth=4)")()
    assert isinstance(deep, Minimaxdepth)
    assert deep.depth == 4
    assert find_player("minimaxdepth")().depth == 2  # type: ignore[attr-defined]


def test_parameters_can_stand_beside_the_name_too() -> None:
    player = find_player("alphabeta(depth=2)", ["evaluation=mobility"])()
    assert isinstance(player, Alphabeta)
    assert player.parameters == {"depth": 2, "evaluation": "mobility"}


def test_a_player_searches_as_it_is_told() -> None:
    state = gm.load("tictactoe").initial_state()
    for depth in (1, 2):
        player = find_player(f"alphabeta(depth={depth})")(seed=0)
        player.start("x", state.game, 10, 10)
        player.play(None)
        assert player.last_result.depth == depth  # type: ignore[attr-defined]


def test_a_search_that_stands_in_is_told_what_it_knows_too() -> None:
    player = find_player("mcts(exploration=0.3,patience=4,amaf=2)")(seed=0)
    assert isinstance(player, Mcts)
    assert player.told("mcts") == {"exploration": 0.3, "patience": 4, "amaf": 2.0}
    assert player.told("uct") == {"exploration": 0.3}, "amaf of uct is another one"
    game = gm.parse(ROSHAMBO)
    make_ready(game)  # nothing stands in for a search that is not there yet
    player.start("left", game, 5, 0.3)
    assert player.play(None) in ("rock", "paper", "scissors")
    assert player.algorithm == "decoupled"


@pytest.mark.parametrize(
    ("player", "message"),
    [
        ("mcts(depth=3)", "mcts has no parameter 'depth'; there are: exploration="),
        ("mcts(exploration=high)", "exploration of mcts: 'high' is not a number; there are: exploration="),
        ("mcts(0.3)", "'0.3' is not a parameter of mcts with a value, name=value; there are: exploration="),
        ("random(luck=1)", "random has no parameter 'luck'; there are none"),
        ("mcs(levels=1,levels=2)", "levels of mcs is given twice"),
        ("egghead(threads=-1)", "threads of egghead: '-1' is not a whole number or none"),
        ("alphabeta(ordering=x)", "deepening cannot search with ordering=x: no way of ordering moves 'x'"),
        ("alphabeta(evaluation=x)", "no evaluation 'x'; there are: mobility"),
        ("alphabeta(evaluation=no.py:f)", "no file 'no.py' with an evaluation 'f'"),
    ],
)
def test_what_is_no_parameter_is_refused_with_those_there_are(player: str, message: str) -> None:
    with pytest.raises(ParameterError, match="^" + re.escape(message)):
        find_player(player)


@pytest.mark.parametrize(
    ("player", "message"),
    [
        ("mct(a=1)", "no player or player file 'mct(a=1)'; did you mean mcts"),
        ("mcts(a=1", "no player or player file 'mcts(a=1'; a bracket is not closed"),
    ],
)
def test_nobody_with_parameters_is_nobody(player: str, message: str) -> None:
    with pytest.raises(UnknownPlayer, match="^" + re.escape(message)):
        find_player(player)


def test_values_that_a_search_finds_out_to_be_no_good_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def search(*_: object, levels: int, seed: int) -> None:
        raise ValueError(f"not {levels} levels")

    monkeypatch.setattr("gamemaster.search.playouts.mcs.search", search)
    player = Mcs(levels=7)
    with pytest.raises(ParameterError, match="mcs cannot search with levels=7: not 7 levels"):
        player.start("x", gm.load("tictactoe", machine="reference"), 60, 1)


# Players of files


def test_a_class_in_a_file_is_told_its_parameters(write: Write) -> None:
    path = write("my player (1).py", TUNED)

    def told(brackets: str) -> Any:
        player = find_player(f"{path}{brackets}")(seed=1)
        assert isinstance(player, FilePlayer)
        return player.handlers.told

    assert told("") == (3, False, 0.5, "x", None)
    assert told("(depth=-5, bold=yes, weight=2)") == (-5, True, 2.0, "x", None)
    assert told("(depth=0.5,name=a,b,other=7)") == (0.5, False, 0.5, "a,b", 7)
    assert told("(other=none)")[-1] is None
    assert told("(other=word)")[-1] == "word"


def test_what_a_class_in_a_file_does_not_take_is_refused(write: Write) -> None:
    path = write("tuned.py", TUNED)
    there = "there are: depth=3, bold=no, weight=0.5, name=x, other=none"
    for brackets, message in (
        ("(deep=1)", f"tuned.py has no parameter 'deep'; {there}"),
        ("(depth=x)", f"depth of tuned.py: 'x' is not a number; {there}"),
        ("(bold=1)", f"bold of tuned.py: '1' is not yes or no; {there}"),
        ("(seed=1)", f"tuned.py has no parameter 'seed'; {there}"),
    ):
        with pytest.raises(ParameterError, match="^" + re.escape(message)):
            find_player(f"{path}{brackets}")
    functions = write("functions.py", "def play(move): return False")
    with pytest.raises(ParameterError, match="a file of functions has no parameters"):
        find_player(f"{functions}(depth=3)")


def test_a_search_in_a_file_has_the_parameters_of_its_algorithm(write: Write) -> None:
    text = "from gamemaster.players.searching import Searcher\nclass Mine(Searcher):\n    algorithm = 'uct'\n"
    path = write("mine.py", text)
    player = find_player(f"{path}(exploration=0.2)")()
    assert isinstance(player, FilePlayer)
    assert player.handlers.parameters == {"exploration": 0.2}
    with pytest.raises(ParameterError, match=r"mine.py has no parameter 'x'; there are: exploration=0.5"):
        find_player(f"{path}(x=1)")


def test_a_class_that_does_not_tell_its_parameters_has_none() -> None:
    assert parameters_of_callable(dict) == {}

    def odd(depth: NoSuchType = 3) -> None:  # type: ignore[name-defined] # noqa: F821
        del depth

    assert [str(each) for each in parameters_of_callable(odd).values()] == ["depth=3"]


def test_parameters_are_checked_without_running_a_file(write: Write) -> None:
    path = write("bad.py", "raise SystemExit(3)")
    check_player(f"{path}(depth=3)")
    check_player(f"alphabeta(evaluation={path}:f)")
    with pytest.raises(ParameterError, match="mcts has no parameter 'x'"):
        check_player("mcts(x=1)")


# Evaluations of files


def test_an_evaluation_comes_from_a_file(write: Write) -> None:
    path = write("my_eval.py", LINES)
    state = gm.load("tictactoe").initial_state().next("mark(2,2)")
    lines = with_evaluation({"evaluation": f"{path}:lines"})["evaluation"]
    assert lines(state, "x") == 1.5
    assert with_evaluation({"evaluation": "mobility", "depth": 2}) == {"evaluation": "mobility", "depth": 2}
    player = find_player(f"alphabeta(depth=1,evaluation={path}:lines)")(seed=0)
    player.start("x", state.game, 10, 10)
    assert player.play(None)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("broken", ":5: ZeroDivisionError: division by zero"),
        ("words", ":words gives 'much', which is no number"),
        ("three", ":8: TypeError: three"),
    ],
)
def test_what_goes_wrong_in_an_evaluation_is_told_in_a_line(write: Write, name: str, message: str) -> None:
    path = write("my_eval.py", LINES)
    evaluate = with_evaluation({"evaluation": f"{path}:{name}"})["evaluation"]
    with pytest.raises(PlayerError, match="^" + re.escape(f"{path}{message}")):
        evaluate(gm.load("tictactoe").initial_state(), "x")
    options = ("--with", f"alphabeta(depth=1,evaluation={path}:{name})", "--nodes", "50")
    assert_refused(run("think", "tictactoe", *options), first_line=re.escape(f"error: {path}{message}"))


@pytest.mark.parametrize("name", ["number", "nothing"])
def test_what_is_no_function_is_no_evaluation(write: Write, name: str) -> None:
    path = write("my_eval.py", LINES)
    message = f"{path}: there is no function '{name}'; there are: lines, broken, words, three"
    with pytest.raises(PlayerError, match="^" + re.escape(message)):
        find_player(f"alphabeta(evaluation={path}:{name})")


def test_a_file_with_an_evaluation_that_is_broken_is_named(write: Write) -> None:
    path = write("my_eval.py", "def f(:\n")
    with pytest.raises(PlayerError, match=re.escape(f"{path}:1: SyntaxError")):
        find_player(f"alphabeta(evaluation={path}:f)")


# Commands and records


def test_think_takes_parameters_behind_a_name_and_beside_it(write: Write) -> None:
    path = write("my_eval.py", LINES)

    def thought(who: str, *settings: str) -> dict[str, Any]:
        options = [word for setting in settings for word in ("--set", setting)]
        found: dict[str, Any] = json.loads(
            run("think", "tictactoe", "--with", who, "--json", *options).stdout
        )
        return {**found, "seconds": None}

    both = thought(f"deepening(depth=1,evaluation={path}:lines)")
    assert both == thought("deepening(depth=1)", f"evaluation={path}:lines")
    assert both["value"] == 1.5
    assert thought("minimaxdepth(depth=1)")["depth"] == thought("minimaxdepth", "depth=1")["depth"] == 2


def test_a_record_keeps_the_parameters_and_a_match_goes_on_with_them(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    players = "alphabeta(depth=1,ordering=table,killer),minimaxdepth(depth=1)"
    result = run("match", "tictactoe", "--players", players, "--record", str(path), "--quiet", "--seed", "1")
    assert result.exit_code == 0, result.output
    names = {"x": "alphabeta(depth=1,ordering=table,killer)", "o": "minimaxdepth(depth=1)"}
    assert read_record(path).started.players == names
    assert run("replay", str(path), "--verify").exit_code == 0
    lines = path.read_text().splitlines(keepends=True)
    first_moves = [number for number, line in enumerate(lines) if '"event":"moved"' in line][:2]
    path.write_text("".join(lines[: first_moves[1] + 1]))
    gone_on = run("match", "--resume", str(path), "--quiet")
    assert gone_on.exit_code == 0, gone_on.output
    assert read_record(path).started.players == names
    assert not any(read_record(path).ended.errors.values())  # type: ignore[union-attr]


def test_matches_in_python_take_parameters(write: Write) -> None:
    path, game = write("tuned.py", TUNED), gm.load("tictactoe")
    players = {"x": f"{path}(depth=4)", "o": "minimaxdepth(depth=0)"}
    for conduct in (run_match, run_directly):
        referee = conduct(game, players)
        assert referee.players == players
        assert referee.state.is_terminal
        assert not any(referee.errors.values())


def test_an_isolated_player_gets_its_parameters(write: Write) -> None:
    path = write("told.py", TUNED.replace("return legal[0]", "raise Exception(str(self.told))"))
    options = ("--players", f"{path}(depth=77),legal", "--isolate", "--seed", "1", "--json")
    result = json.loads(run("match", "tictactoe", *options).stdout)["matches"][0]
    assert result["players"]["x"] == f"{path}(depth=77)"
    assert "(77, False, 0.5, 'x', None)" in str(result["faults"])


def test_a_person_plays_against_a_player_with_parameters() -> None:
    moves = (
        "mark(1,1)\nmark(1,2)\nmark(1,3)\nmark(2,1)\nmark(2,2)\nmark(2,3)\nmark(3,1)\nmark(3,2)\nmark(3,3)\n"
    )
    played = run("play", "tictactoe", "--against", "minimaxdepth(depth=1)", stdin=moves)
    assert played.exit_code == 0, played.output
    assert "(minimaxdepth(depth=1))" in played.stdout
