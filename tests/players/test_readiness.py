"""What has to be compiled once comes before clocks run, and whoever waits for it sees what for."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

import gamemaster as gm
from gamemaster.arena.orders import ready_game
from gamemaster.draw.results import result_in_words
from gamemaster.players.loading import FilePlayer, in_machine_code
from gamemaster.players.simple import Random
from gamemaster.search.budget import Budget
from gamemaster.search.native import warming
from gamemaster.search.native.engine import Engine
from gamemaster.search.result import IN_PYTHON, SearchResult
from gamemaster.search.suitable import kinds_for
from gamemaster.terminal import matches, play, progress, serving, thinking
from gamemaster.terminal.progress import get_ready

EGGHEADS = ("mcts", "solver", "learning", "puzzles", "judging", "ismcts", "decoupled", "equilibrium")


class Asked(Exception):
    """Somebody got ready, with these kinds of kernels."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Getting ready ends a command: nothing must come before it."""

    def ask(game: gm.Game, kinds: Sequence[str]) -> None:
        raise Asked(*kinds)

    for module in (matches, play, thinking):
        monkeypatch.setattr(module, "get_ready", ask)


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    """A terminal."""
    text = StringIO()
    monkeypatch.setattr(progress, "is_terminal", lambda **_: True)
    monkeypatch.setattr(
        progress, "console_of", lambda **_: Console(file=text, force_terminal=True, width=100)
    )
    return text


def test_a_bar_says_what_is_waited_for(monkeypatch: pytest.MonkeyPatch, screen: StringIO) -> None:
    made: list[Any] = []
    monkeypatch.setattr(warming, "prepare_search", lambda *_: False)
    monkeypatch.setattr(warming, "warm_up", lambda _, kinds: made.append(kinds))
    monkeypatch.setattr(warming, "get_ready", lambda game, *kinds: made.append(game.name))
    monkeypatch.setattr(Engine, "wait", lambda *_: None)
    get_ready(gm.load("tictactoe", machine="compiled"), ["mcts"])
    assert made == [("mcts",), "tictactoe"]
    assert "compiling searches, once for this machine: a minute or two" in screen.getvalue(), "in one line"
    assert "compiling tictactoe, once for this machine" in screen.getvalue()


def test_there_is_no_bar_where_all_is_there(monkeypatch: pytest.MonkeyPatch, screen: StringIO) -> None:
    monkeypatch.setattr(warming, "prepare_search", lambda *_: True)
    get_ready(gm.load("tictactoe", machine="compiled"), ["mcts"])
    assert screen.getvalue() == ""


@pytest.mark.parametrize(
    ("machine", "kinds"), [("compiled", []), ("reference", ["mcts"])], ids=["no kinds", "reference"]
)
def test_whoever_needs_nothing_waits_for_nothing(
    monkeypatch: pytest.MonkeyPatch, machine: Any, kinds: list[str]
) -> None:
    monkeypatch.setattr(warming, "warm_up", lambda *_: pytest.fail("warms up"))
    get_ready(gm.load("tictactoe", machine=machine), kinds)


def test_a_hidden_game_waits_for_what_finds_equilibria(
    monkeypatch: pytest.MonkeyPatch, screen: StringIO
) -> None:
    made: list[Any] = []
    monkeypatch.setattr(warming, "warm_up", lambda seconds, kinds: made.append((seconds, kinds)))
    get_ready(gm.load("higherlower", machine="reference"), EGGHEADS)
    assert made == [(progress.MOMENT, ("equilibrium",)), (None, ("equilibrium",))]
    assert "compiling searches, once for this machine: a minute or two" in screen.getvalue()


def test_so_does_a_match_of_a_competition(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    monkeypatch.setattr(warming, "warm_up", lambda seconds, kinds: made.append((seconds, kinds)))
    hidden = gm.load("higherlower", machine="reference")
    ready_game(hidden, ["egghead", "random"])
    ready_game(hidden, ["random"])
    assert made == [(None, ("equilibrium",))]


@pytest.mark.parametrize("is_there", [True, False])
def test_a_server_listens_when_its_player_is_ready(
    monkeypatch: pytest.MonkeyPatch, screen: StringIO, is_there: bool
) -> None:
    done: list[Any] = []

    async def listen(*_: Any) -> None:
        done.append("listens")

    monkeypatch.setattr(serving, "_serve", listen)

    def warm_up(seconds: float | None, kinds: Sequence[str]) -> bool:
        done.append((seconds, kinds))
        return is_there

    monkeypatch.setattr(warming, "warm_up", warm_up)
    serving.serve_player("random", host="127.0.0.1", port=0, is_quiet=True)
    serving.serve_player("egghead", host="127.0.0.1", port=0, is_quiet=True)
    waited = [] if is_there else [(None, EGGHEADS)]
    assert done == ["listens", (progress.MOMENT, EGGHEADS), *waited, "listens"]
    assert ("compiling searches" in screen.getvalue()) == (not is_there)


def test_a_match_waits_before_its_clocks_run(asked: None) -> None:
    with pytest.raises(Asked) as told:
        matches.run_matches("tictactoe", matches.MatchOptions(("mcts", "random"), seed=1, is_quiet=True))
    assert told.value.args == ("mcts", "decoupled")


def test_a_game_against_players_waits_before_they_start(asked: None) -> None:
    with pytest.raises(Asked) as told:
        play.play_game("tictactoe", as_roles=(), moves="", seed=1, against=("egghead",))
    assert told.value.args == EGGHEADS


@pytest.mark.parametrize(("who", "kinds"), [("solver", ("solver",)), ("uct", ()), ("egghead", EGGHEADS)])
def test_thinking_waits_before_its_budget_runs(asked: None, who: str, kinds: tuple[str, ...]) -> None:
    with pytest.raises(Asked) as told:
        thinking.think_about(
            "tictactoe", Budget(seconds=0.1), state_file=None, role=None, who=who, seed=1, as_json=True
        )
    assert told.value.args == kinds


def test_a_hidden_game_waits_for_what_hidden_games_take() -> None:
    assert kinds_for(gm.load("higherlower", machine="compiled"), EGGHEADS) == ("ismcts", "equilibrium")
    assert kinds_for(gm.load("higherlower", machine="reference"), EGGHEADS) == EGGHEADS[-1:]
    assert kinds_for(gm.load("tictactoe", machine="compiled"), EGGHEADS) == (*EGGHEADS[:3], "judging")
    assert kinds_for(gm.load("backgammon:lastroll", machine="compiled"), ["judging"]) == ()
    assert in_machine_code("ismcts") == in_machine_code("pimc") == ("ismcts",)


def test_a_file_says_what_its_player_takes(tmp_path: Any) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "from gamemaster import Player\n"
        "class Mine(Player):\n    in_machine_code = ('solver',)\n    def choose(self, state): ...\n"
    )
    assert in_machine_code(FilePlayer(path)) == ("solver",)
    assert in_machine_code(str(path)) == ()
    assert in_machine_code(Random()) == ()


def test_caveats_are_told_with_the_move() -> None:
    move = gm.load("tictactoe").initial_state().legal_moves("x")[0]
    result = SearchResult("a", "x", move, 1.0, notes=f"{IN_PYTHON}\nfound out before")
    assert result.caveats == (IN_PYTHON,)
    assert result_in_words(result) == f"value 1.0; {IN_PYTHON}"
