"""`gamemaster players`, `think` and `play --against`."""

from __future__ import annotations

import asyncio
import json
import random
import re
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import gamemaster
from gamemaster.draw.results import rate, result_in_words
from gamemaster.match.request import Failure, Reply, Request
from gamemaster.match.transports.at_table import AtTable
from gamemaster.players.catalogue import player_names
from gamemaster.players.given import Filled
from gamemaster.players.simple import Slowpoke
from gamemaster.search.catalogue import ALGORITHMS
from gamemaster.search.result import NOT_PROVEN, SearchResult
from tests.interrupts import assert_interrupt_ends
from tests.match.misbehaving import player_threads, wait_for_end
from tests.players.sheets import DIE, HIDDEN, ROSHAMBO
from tests.test_cli import assert_refused, plain, run, run_in_terminal

Write = Callable[[str, str], str]


ONLY_LEGAL = """
from gamemaster import Player
from gamemaster.search.result import SearchResult
class P(Player):
    def choose(self, state):
        move = state.legal_moves(self.role)[0]
        {}
        return move
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A function that writes a file and gives its path."""

    def write_file(name: str, content: str) -> str:
        (tmp_path / name).write_text(content)
        return str(tmp_path / name)

    return write_file


@pytest.mark.parametrize("command", ["players", "think", "play"])
def test_every_command_has_an_example_in_its_help(command: str) -> None:
    assert f"gamemaster {command}" in run(command, "--help").stdout.split("\n", 1)[1]


# players


def test_players_are_listed_with_a_line_each() -> None:
    text = run("players").stdout
    first, second, how = text.split("\n\n")
    assert re.findall(r"^(\w+) ", first, re.MULTILINE)[1:] == list(player_names())
    assert set(re.findall(r"^(\w+) ", second, re.MULTILINE)[1:]) <= set(ALGORITHMS)
    assert re.search(r"^legal +The first legal move$", first, re.MULTILINE)
    assert re.search(r"^mcs .*\n +levels=1$", first, re.MULTILINE)
    assert "mcts(exploration=0.3)" in how


def test_players_as_json() -> None:
    listed = json.loads(run("players", "--json").stdout)
    assert [each["name"] for each in listed["players"]] == list(player_names())
    assert all(each["summary"] for each in listed["players"] + listed["algorithms"])
    parameters = {each["name"]: each["parameters"] for each in listed["players"]}
    assert parameters["legal"] == {}
    assert parameters["alphabeta"]["depth"] == "none"
    assert parameters["egghead"] == {"threads": "none", "memory": "600", "experience": "yes"}


# think


def test_think_shows_the_board_the_moves_and_the_speed() -> None:
    result = run("think", "tictactoe", "--with", "mcs", "--seconds", "0.2")
    assert result.exit_code == 0, result.output
    assert "  1 2 3\n1 · · ·\n" in result.stdout
    assert re.search(
        r"^move +value +visits +line\n(mark\(\d,\d\)) +\d\d\.\d +[\d,]+  \1$", result.stdout, re.M
    )
    assert re.search(r"^mcs for x: mark\(\d,\d\), value \d\d\.\d, depth 1$", result.stdout, re.MULTILINE)
    assert re.search(r"playouts in 0\.\d\d s: [\d,]+ (nodes|playouts)/s\n$", result.stdout)


def test_think_shows_the_line_of_every_move_and_which_values_are_bounds() -> None:
    options = ("think", "tictactoe", "--with", "deepening", "--nodes", "3000")
    shown = run(*options).stdout
    assert re.search(r"^mark\(\d,\d\) +≤ 50\.0 +mark\(\d,\d\) mark\(\d,\d\)", shown, re.MULTILINE)
    thought = json.loads(run(*options, "--json").stdout)
    first, *others = thought["moves"]
    assert first["line"] == thought["line"]
    assert not first["is_bound"]
    assert all(move["line"][0] == move["move"] and len(move["line"]) > 1 for move in others)
    assert any(move["is_bound"] for move in others)


def test_think_about_a_state_in_a_file_as_json(write: Write) -> None:
    state = gamemaster.load("tictactoe").initial_state()
    for move in ("mark(1,1)", "mark(2,1)", "mark(1,2)"):
        state = state.next(move)
    path = write("state.json", state.to_json())
    result = run("think", "tictactoe", "--with", "minimax", "--state", path, "--json")
    thought = json.loads(result.stdout)
    assert thought["role"] == "o"
    assert thought["step"] == 3
    assert thought["move"] == "mark(1,3)"
    assert thought["is_proven"] is True
    assert thought["moves"][0]["move"] == "mark(1,3)"
    assert {"value", "line", "depth", "nodes", "playouts", "seconds", "machine"} <= thought.keys()


def test_think_with_a_limit_of_nodes_says_the_same_every_time() -> None:
    def thought(seed: str) -> dict[str, object]:
        options = ("--with", "minimaxid", "--nodes", "700", "--seed", seed, "--json")
        found: dict[str, object] = json.loads(run("think", "tictactoe", *options).stdout)
        return {**found, "seconds": None}

    assert thought("1") == thought("1")
    assert thought("1")["nodes"] == 81 + 585, "the iteration that was not finished does not count"
    assert len({str(thought(str(seed))["move"]) for seed in range(8)}) > 1


def test_think_with_a_limit_of_playouts() -> None:
    found = json.loads(run("think", "tictactoe", "--with", "mcs", "--playouts", "900", "--json").stdout)
    assert 0 < found["playouts"] < 3_000


@pytest.mark.parametrize("limit", ["--playouts", "--nodes"])
def test_think_ends_where_an_algorithm_does_not_count_what_is_limited(limit: str) -> None:
    assert "default: 5" in run("think", "--help").stdout
    options = ("--with", "alphabeta", limit, "1000000000", "--seconds", "0.3", "--json")
    assert 0.2 < json.loads(run("think", "connectfour", *options).stdout)["seconds"] < 2


def test_think_for_a_role_that_chooses_together_with_others(write: Write) -> None:
    path = write("roshambo.hrf", ROSHAMBO)
    for options, role in (((), "left"), (("--role", "right"), "right")):
        found = json.loads(
            run("think", path, "--with", "mcs", "--playouts", "500", "--json", *options).stdout
        )
        assert found["role"] == role
        assert found["move"] == "paper"


@pytest.mark.parametrize(
    ("options", "first_line"),
    [
        (("--with", "mctss"), "error: no algorithm, player or player file 'mctss'; did you mean"),
        (("--with", "zzzzzz"), "error: no algorithm, player or player file 'zzzzzz'; `gamemaster players`"),
        (("--with", "legal", "--set", "a=1"), "error: legal has no parameter 'a'; there are none"),
        (("--with", "minimaxdepth(depth=x)"), "error: depth of minimaxdepth: 'x' is not a whole number"),
        (("--with", "mcs(levels=2,depth=3)"), "error: mcs has no parameter 'depth'; there are: levels=1"),
        (
            ("--with", "mct(levels=2)"),
            "error: no algorithm, player or player file 'mct\\(levels=2\\)'; did you mean mc",
        ),
        (("--with", "mcs", "--set", "depth=3"), "error: mcs has no parameter 'depth'; there are: levels=1"),
        (("--set", "levels=3"), "error: mcts has no parameter 'levels'; there are: exploration="),
        (
            ("--with", "deepening", "--set", "ordering=x"),
            "error: deepening cannot search with ordering=x: no way of ordering moves 'x'; there are: table",
        ),
        (("--with", "legal"), "error: legal chooses without thinking: there is nothing to show"),
        (("--with", "mcs", "--role", "z"), "error: no role 'z' in tictactoe"),
        (("--with", "mcs", "--role", "o"), "error: 'o' has no legal move in step 1; to move: x"),
        (("--with", "mcs", "--state", "nowhere.json"), "error: No such file or directory: 'nowhere.json'"),
        (("--with", "maximizer"), "error: maximizer"),
    ],
)
def test_what_cannot_be_thought_about_is_refused(options: tuple[str, ...], first_line: str) -> None:
    assert_refused(run("think", "tictactoe", *options), first_line=first_line)


def test_think_takes_the_parameters_of_an_algorithm() -> None:
    options = ("think", "tictactoe", "--with", "deepening", "--json")
    shallow = json.loads(run(*options, "--set", "depth=2", "--set", "evaluation=mobility").stdout)
    assert (shallow["depth"], shallow["is_proven"]) == (2, False)
    assert shallow["value"] != 50, "mobility says something else than the goal"


def test_think_leaves_to_others_what_its_default_does_not_take(write: Write) -> None:
    path = write("roshambo.hrf", ROSHAMBO)
    result = run("think", path, "--seconds", "0.2")
    assert re.search(r"^mcts: several roles .*; decoupled thinks instead\.$", result.stdout, re.MULTILINE)
    assert re.search(r"^decoupled for left: paper, value", result.stdout, re.MULTILINE)
    assert json.loads(run("think", path, "--seconds", "0.2", "--json").stdout)["algorithm"] == "decoupled"
    assert_refused(run("think", path, "--with", "mcts"), first_line="error: mcts: several roles")
    assert "mcts for x" in run("think", "tictactoe", "--seconds", "0.2").stdout


def test_think_asks_a_file(write: Write) -> None:
    why = "self.last_result = SearchResult('mine', self.role, move, 50.0, {move: 50.0}, line=(move,))"
    path = write("p.py", ONLY_LEGAL.format(why))
    shown = run("think", "tictactoe", "--with", path).stdout
    assert re.search(r"^mark\(1,1\) +50\.0 +mark\(1,1\)$", shown, re.MULTILINE)
    assert f"{path} for x: mark(1,1), value 50.0" in shown


@pytest.mark.parametrize(
    ("text", "first_line"),
    [
        ("def play(move): ...\n", r"error: .*p\.py: a file with books of its own cannot think about a state"),
        ("pass", r"error: .*p\.py: there is no function play, and no class with one"),
        (
            "self.last_result = SearchResult('mine', self.role, move, None)",
            r"error: .*p\.py: its last_result cannot",
        ),
        ("1 / 0", r"error: .*p\.py:7: ZeroDivisionError: division by zero"),
        ("None", r"error: .*p\.py chooses without thinking"),
    ],
)
def test_a_file_that_cannot_think_is_told_in_a_line(write: Write, text: str, first_line: str) -> None:
    path = write("p.py", text if text == "pass" or text.startswith("def") else ONLY_LEGAL.format(text))
    assert_refused(run("think", "tictactoe", "--with", path), first_line=first_line)


def test_a_state_that_is_none_is_refused(write: Write, tmp_path: Path) -> None:
    options = ("think", "tictactoe", "--with", "mcs", "--state")
    assert_refused(run(*options, write("no.json", "{")), first_line="error: not a state in JSON")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    assert_refused(
        run(*options, str(tmp_path / "binary.json")), first_line="error: '.*binary.json' is not a text file"
    )
    over = gamemaster.load("tictactoe").random_game(random.Random(1))
    assert_refused(
        run(*options, write("over.json", over.to_json())),
        first_line=r"error: the game is over after \d steps?",
    )


def test_thinking_shows_a_bar_in_a_terminal() -> None:
    seen = run_in_terminal("think", "tictactoe", "--with", "mcs", "--seconds", "0.5")
    assert "mcs thinks" in plain(seen)
    assert "━" in seen
    assert "mcs thinks" not in run("think", "tictactoe", "--with", "mcs", "--seconds", "0.1").stdout


def test_thinking_shows_a_bar_until_another_limit_is_reached() -> None:
    seen = run_in_terminal("think", "tictactoe", "--with", "mcs", "--playouts", "300000")
    assert "mcs thinks" in plain(seen)


def test_what_the_solver_has_not_proven_is_no_value() -> None:
    told = run("think", "connectfour", "--with", "solver", "--nodes", "20000").output
    assert ", not proven, depth " in told
    assert NOT_PROVEN in told
    assert "value" not in told
    assert "proven value 50.0" in run("think", "tictactoe", "--with", "solver").output


def test_a_result_in_words() -> None:
    move = gamemaster.load("tictactoe").initial_state().legal_moves("x")[0]
    result = SearchResult(
        "a", "x", move, 50.0, line=(move,) * 10, depth=3, nodes=10, seconds=2.0, is_proven=True
    )
    assert result_in_words(result) == f"proven value 50.0, depth 3, 5 nodes/s: {' '.join([str(move)] * 8)} …"
    assert result_in_words(SearchResult("a", "x", move, 1.0)) == "value 1.0"
    assert rate(SearchResult("a", "x", move, 1.0, playouts=10, seconds=5.0)) == "2 playouts/s"
    assert rate(SearchResult("a", "x", move, 1.0, nodes=5, playouts=10, seconds=5.0)) == "2 playouts/s"
    assert rate(SearchResult("a", "x", move, 1.0, nodes=10, playouts=5, seconds=5.0)) == "2 nodes/s"


# play --against


def test_a_person_plays_the_first_role_against_a_player() -> None:
    result = run("play", "tictactoe", "--against", "legal", stdin="mark(3,3)\nmark(3,2)\nmark(3,1)\n")
    assert result.exit_code == 0, result.output
    assert "o: mark(1,1) (legal)\n" in result.stdout
    assert "o: mark(1,2) (legal)\n" in result.stdout
    assert result.stdout.endswith("Game over after 5 steps: x wins.\n  x  100\n  o    0\n")


def test_a_person_plays_the_role_they_want_and_sees_what_the_player_thinks() -> None:
    options = ("--against", "minimaxdepth", "--as", "o", "--seconds", "0.5")
    result = run("play", "tictactoe", *options, stdin="1\n")
    assert re.search(
        r"^minimaxdepth: value 50\.0, depth 3, [\d,]+ nodes/s: mark", result.stdout, re.MULTILINE
    )
    assert re.search(r"^x: mark\(\d,\d\) \(minimaxdepth\)$", result.stdout, re.MULTILINE)
    assert "o to move" in result.stdout
    assert result.stdout.endswith("Stopped.\n")


def test_a_search_plays_too() -> None:
    result = run("play", "connectfour", "--against", "mcs", "--seconds", "0.2", stdin="drop(1)\n")
    assert re.search(
        r"^mcs: value \d+\.\d, depth 1, [\d,]+ (nodes|playouts)/s: drop", result.stdout, re.MULTILINE
    )


def test_a_player_in_every_other_role(write: Write) -> None:
    three = write(
        "three.hrf",
        "role(a) role(b) role(c) init(s) legal(R,m(1)) :- role(R) legal(R,m(2)) :- role(R) "
        "next(d(R,M)) :- does(R,M) terminal :- true(d(a,M)) goal(R,50) :- role(R)",
    )
    one = run("play", three, "--against", "legal", stdin="2\n")
    assert "a: m(2), b: m(1) (legal), c: m(1) (legal)\n" in one.stdout
    two = run("play", three, "--against", "legal", "--against", "random", "--as", "b", stdin="2\n")
    assert re.search(r"a: m\(1\) \(legal\), b: m\(2\), c: m\(\d\) \(random\)\n", two.stdout)
    many = run("play", three, *("--against", "legal") * 3)
    assert_refused(many, first_line="error: 3 players for 2 roles of three that no person plays: b, c")


def test_noops_need_no_answer(write: Write) -> None:
    path = write("p.py", "def play(move):\n    return False if move is None else 'mark(1,1)'\n")
    game = write("ttt.kif", run("show", "tictactoe", "--as", "kif").stdout)
    result = run("play", game, "--against", path, stdin="mark(2,2)\n")
    assert "p.py" not in result.stdout.split("x: mark(2,2)")[0]
    assert "o: mark(1,1) (" in result.stdout


def test_chance_is_nobodys_role(write: Write) -> None:
    path = write("die.hrf", DIE)
    assert_refused(
        run("play", path, "--against", "legal"),
        first_line="error: no role of die is left for legal: people play",
    )


def test_a_puzzle_has_no_role_for_a_player() -> None:
    assert_refused(
        run("play", "peg", "--against", "mcs"),
        first_line="error: no role of peg is left for mcs: people play jumper",
    )


def test_a_game_that_hides_its_state_can_be_played_against_who_needs_none(write: Write) -> None:
    sheet = HIDDEN + "role(third) legal(third,a) legal(third,b)\ngoal(third,0)\n"
    path = write("hidden.hrf", sheet)
    result = run("play", path, "--against", "legal", stdin="1\n1\n1\n")
    assert "Game over after 2 steps" in result.stdout
    assert "legal" not in result.stdout, "what others do is hidden"
    assert_refused(
        run("play", path, "--against", "mcs"), first_line="error: mcs cannot play hidden: it needs"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def play(move):\n    return 1 / 0\n", r"p\.py:2: ZeroDivisionError: division by zero"),
        ("def play(move):\n    return 'mark(9,9)'\n", r"p\.py answers 'mark\(9,9\)', which is not legal"),
        ("def play(move):\n    return 7\n", r"p\.py answers '7', which is not legal"),
        ("def play(move):\n    return None\n", r"p\.py gives no move"),
        ("def play(move):\n    return ('mark', None)\n", r"p\.py (answers|fails)"),
        ("class G(BaseException): ...\ndef play(move):\n    raise G\n", r"p\.py fails: .*p\.py:3: G"),
        (
            "class R:\n    def __str__(self): return 1 / 0\ndef play(move):\n    return R()\n",
            r"p\.py fails: ZeroDivisionError: division by zero",
        ),
    ],
)
def test_a_player_that_fails_is_told_and_replaced(write: Write, text: str, said: str) -> None:
    result = run("play", "tictactoe", "--against", write("p.py", text), "--as", "o", stdin="1\n")
    assert result.exit_code == 0, result.output
    line = next(line for line in result.stdout.splitlines() if "a move at random is made for it." in line)
    assert re.search(said, line)
    assert re.search(r"^x: mark\(\d,\d\) \(at random\)$", result.stdout, re.MULTILINE)
    assert "o to move" in result.stdout
    assert "Traceback" not in result.stdout


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("self.last_result = SearchResult('a', self.role, move, None)", "TypeError: "),
        ("self.last_result = SearchResult('a', self.role, move, 1.0, line=7)", "TypeError: "),
        (
            "P.last_result = property(lambda self: 1 / 0, lambda self, value: None)",
            r".*p\.py:7: ZeroDivisionError",
        ),
    ],
)
def test_a_player_that_cannot_say_why_plays_all_the_same(write: Write, statement: str, said: str) -> None:
    path = write("p.py", ONLY_LEGAL.format(statement))
    result = run("play", "tictactoe", "--against", path, "--as", "o", stdin="q\n")
    assert result.exit_code == 0, result.output
    assert re.search(rf"^.*p\.py cannot say why: {said}", result.stdout, re.MULTILINE)
    assert re.search(r"^x: mark\(1,1\) \(.*p\.py\)$", result.stdout, re.MULTILINE)


def test_a_player_that_fails_while_it_waits_is_told_too(write: Write) -> None:
    path = write("p.py", "def play(move):\n    return 1 / 0\n")
    result = run("play", "tictactoe", "--against", path, stdin="1\n")
    assert re.search(r"p\.py fails: .*p\.py:2: ZeroDivisionError: division by zero\.\n", result.stdout)


def test_dumbo_loses_to_anybody() -> None:
    result = run("play", "tictactoe", "--against", "dumbo", stdin="1\n1\n1\n1\n1\n")
    assert "dumbo answers '2', which is not legal; a move at random is made for it." in result.stdout


def test_a_late_player_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gamemaster.terminal.guests.SHORTEST_START", 0.0)
    monkeypatch.setattr(Slowpoke, "late_seconds", 0.01)
    options = ("--against", "slowpoke", "--as", "o", "--seconds", "0.01")
    result = run("play", "tictactoe", *options)
    assert re.search(r"slowpoke thinks \d\.\d s longer than the 0\.01 s it has\.\n", result.stdout)
    assert "x: mark(1,1) (slowpoke)" in result.stdout


LOOPS = """
import pathlib, time

def play(move):
    while pathlib.Path(__file__).exists():
        time.sleep(0.01)
"""


def test_a_player_that_never_answers_does_not_hold_the_game(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gamemaster.match.transports.at_table.PATIENCE", 0.05)
    path = write("loops.py", LOOPS)
    try:
        result = run(
            "play",
            "tictactoe",
            "--against",
            path,
            *("--as", "o", "--seconds", "0.01"),
            stdin="1\nundo\nquit\n",
        )
    finally:
        Path(path).unlink()  # which lets its thread go: it would be left for the tests that come after this
    assert not wait_for_end(player_threads, 60.0)
    told = r"loops\.py has no move after \d+\.\d s; a move at random is made for it\.\nx: mark\(\d,\d\) \(at random\)\n"
    assert len(re.findall(told, result.stdout)) == 2, result.output
    assert "loops.py cannot take moves back." in result.stdout
    assert result.exit_code == 0


class Waits:
    """A player that answers when it is told to go on, and then with its number."""

    name = "waits"

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.asked = 0

    def play(self, _: object) -> str:
        self.asked += 1
        asked = self.asked
        self.go_on.wait()
        return f"answer({asked})"


@asynccontextmanager
async def at_once(seat: AtTable) -> AsyncIterator[bool]:
    """A turn that begins at once, for a player with moves to make."""
    yield True


async def seated(player: Waits, seconds: float) -> tuple[AtTable, asyncio.Queue[Reply | Failure]]:
    """A player at a table, and what comes from it."""
    seat, news = AtTable(Filled(player), "waits", seconds, at_once), asyncio.Queue[Reply | Failure]()
    await seat.open(lambda _, reply: news.put_nowait(reply))
    return seat, news


def request(number: int) -> Request:
    """A request to play."""
    return Request("play", number, "m", "x", "g", gamemaster.load("tictactoe", machine="reference"), 1.0, 1.0)


def test_a_player_that_is_given_up_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gamemaster.match.transports.at_table.PATIENCE", 0.0)

    async def ask() -> None:
        player = Waits()
        seat, news = await seated(player, 0.01)
        seat.send(request(1))
        given_up = await news.get()
        assert isinstance(given_up, Failure)
        assert given_up.kind == "late"
        assert seat.is_busy
        player.go_on.set()
        seat.seconds = 60.0
        seat.send(request(2))
        answer = await news.get()
        assert isinstance(answer, Reply)
        assert answer.text == "answer(2)", "not the one before"
        assert not seat.is_busy
        await seat.close()

    asyncio.run(ask())


def test_ctrl_c_makes_the_move_of_a_player_only_when_its_time_is_over() -> None:
    async def ask() -> None:
        player = Waits()
        seat, news = await seated(player, 60.0)
        seat.send(request(1))
        await asyncio.sleep(0.01)
        assert not seat.lose_patience(), "it has its time"
        seat._deadline = 0.0
        assert seat.lose_patience()
        given_up = await news.get()
        assert isinstance(given_up, Failure)
        assert seat.is_given_up
        assert not seat.lose_patience(), "nobody waits for it any more"
        player.go_on.set()
        await seat.close()

    asyncio.run(ask())


def test_what_a_player_found_out_is_one_line(write: Write) -> None:
    text = """
from gamemaster import Player

class Finder(Player):
    findings = "much\\nand more"
    def choose(self, state):
        return state.legal_moves(self.role)[0]
"""
    path = write("finder.py", text)
    assert run("play", "tictactoe", "--against", path).stdout.startswith(f"{path}: much\ntictactoe: x, o\n")


def test_a_player_that_cannot_say_what_it_found_out_plays_all_the_same(write: Write) -> None:
    text = """
from gamemaster import Player

class Finder(Player):
    @property
    def findings(self):
        return 1 / 0
    def choose(self, state):
        return state.legal_moves(self.role)[0]
"""
    path = write("finder.py", text)
    result = run("play", "tictactoe", "--against", path, "--as", "o")
    assert f"{path} cannot say what it found out: ZeroDivisionError: division by zero\n" in result.stdout
    assert f"x: mark(1,1) ({path})" in result.stdout


def test_who_gets_ready_is_shown_in_a_terminal(write: Write) -> None:
    path = write("ready.py", "import time\ndef start(*_): time.sleep(0.3)\ndef play(move): return None\n")
    seen = plain(run_in_terminal("play", "tictactoe", "--against", path, typed="quit\n"))
    assert "ready.py gets ready" in seen.replace("\n", "")


def test_who_refuses_a_game_is_told_with_who_would_play(write: Write) -> None:
    assert_refused(
        run("play", write("game.hrf", ROSHAMBO), "--against", "alphabeta"),
        first_line=r"error: alphabeta refuses game: .* \(egghead, mcts, mcs, random, legal can play it\)",
    )


def test_undo_takes_back_what_the_player_did_too() -> None:
    stdin = "mark(3,3)\nundo\nmark(1,1)\nundo\nundo\n"
    result = run("play", "tictactoe", "--against", "legal", stdin=stdin)
    assert "o: mark(1,1) (legal)" in result.stdout
    assert "o: mark(1,2) (legal)" in result.stdout, "the second game begins with mark(1,1)"
    assert "There is nothing to take back." in result.stdout
    assert "fails" not in result.stdout


def test_a_file_with_books_of_its_own_cannot_go_back(write: Write) -> None:
    path = write("p.py", "def play(move):\n    return 'mark(1,1)' if move else False\n")
    result = run("play", "tictactoe", "--against", path, stdin="mark(3,3)\nundo\n")
    assert f"{path} cannot take moves back.\n" in result.stdout


def test_a_file_with_a_player_in_it_can(write: Write) -> None:
    path = write(
        "p.py",
        "from gamemaster import Player\n"
        "class P(Player):\n    def choose(self, state):\n        return state.legal_moves(self.role)[0]\n",
    )
    result = run("play", "tictactoe", "--against", path, stdin="mark(3,3)\nundo\nmark(1,1)\n")
    assert "cannot" not in result.stdout
    assert f"o: mark(1,2) ({path})" in result.stdout


def test_a_player_hears_of_the_end(write: Write, tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    text = (
        f"def note(*words):\n    with open({str(notes)!r}, 'a') as file:\n        print(*words, file=file)\n"
        "def play(move):\n    return 'paper'\n"
        "def stop(move):\n    note('stop', *move.values())\n    1 / 0\n"
        "def abort():\n    note('abort')\n"
    )
    path, game = write("p.py", text), write("roshambo.hrf", ROSHAMBO)
    result = run("play", game, "--against", path, stdin="rock\n")
    assert re.search(r"p\.py fails: .*ZeroDivisionError", result.stdout)
    run("play", game, "--against", path, stdin="q\n")
    assert notes.read_text() == "stop rock paper\nabort\n"


@pytest.mark.parametrize(
    ("player", "first_line"),
    [
        ("minmax", "error: no player or player file 'minmax'; did you mean minimax"),
        ("broken.py", r"error: .*broken\.py:1: SyntaxError: "),
        ("minimax", "error: minimax cannot play roshambo: left and right choose at once in step 1"),
    ],
)
def test_who_cannot_play_is_refused_before_the_game(write: Write, player: str, first_line: str) -> None:
    broken = write("broken.py", "def play(")
    game = write("roshambo.hrf", ROSHAMBO)
    result = run("play", game, "--against", broken if player == "broken.py" else player)
    assert_refused(result, first_line=first_line)
    assert result.stdout == ""


def test_a_player_thinks_with_a_bar_in_a_terminal() -> None:
    options = ("--against", "mcs", "--seconds", "0.5", "--moves", "drop(1)")
    seen = run_in_terminal("play", "connectfour", *options, typed="q\n")
    assert "mcs thinks" in plain(seen)
    assert re.search(r"mcs: value \d+", plain(seen))


@pytest.mark.skipif(sys.platform == "win32", reason="signals and pipes of Unix")
@pytest.mark.parametrize("command", ["play", "think"])
def test_an_interrupt_while_somebody_thinks_ends_with_130(command: str) -> None:
    options = {
        "play": ["--against", "minimaxid", "--as", "black", "--seconds", "60"],
        "think": ["--with", "minimaxid", "--seconds", "60"],
    }
    assert_interrupt_ends(command, "connectfour", *options[command])
