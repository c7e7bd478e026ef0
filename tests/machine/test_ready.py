"""Jobs whose instructions are made in the background: nobody with a clock waits for them."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

import gamemaster as gm
from gamemaster.errors import LimitExceeded
from gamemaster.machine.compiled import CompiledGame, CompiledState
from gamemaster.machine.game import State
from gamemaster.players.egghead import Egghead
from gamemaster.players.searching import Mcts
from gamemaster.search.budget import Budget
from gamemaster.search.native import mcts, solver, warming
from gamemaster.search.native.engine import make_ready
from gamemaster.search.native.warming import get_ready, prepare_search, warm_up
from gamemaster.search.playouts import mcs
from gamemaster.search.result import IN_PYTHON, NOT_PROVEN, WITHOUT_CODE, SearchResult
from tests.search.readiness import LONG

SHEET = """
role(a) role(b) init(turn(a)) other(a,b) other(b,a) number({number})
legal(R,go(X)) :- true(turn(R)) & pick(X)
legal(R,wait) :- other(R,S) & true(turn(S))
pick(1) pick(2) pick(3)
next(turn(R)) :- other(R,S) & true(turn(S))
next(last(R,X)) :- does(R,go(X))
terminal :- true(last(R,1))
goal(R,100) :- true(last(S,1)) & other(R,S)
goal(R,0) :- true(last(R,1))
goal(R,50) :- role(R) & ~terminal
"""


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> CompiledGame:
    """A game whose jobs take long to make: until `go` of its artifact is set."""
    game = gm.parse(SHEET.format(number=time.time_ns()), dialect="hrf", machine="compiled")
    assert isinstance(game, CompiledGame)
    warm_up()
    go, make = threading.Event(), game._code

    def late(job: str) -> Any:
        go.wait(LONG)
        return make(job)

    monkeypatch.setattr(game, "_code", late)
    game.__dict__["go"] = go
    return game


def initial(game: CompiledGame) -> CompiledState:
    state = game.initial_state()
    assert isinstance(state, CompiledState)
    return state


def test_whoever_asks_waits_no_longer_than_told(slow: CompiledGame) -> None:
    assert not make_ready(slow, 0.05)  # which would otherwise be for ever
    slow.__dict__["go"].set()
    assert make_ready(slow, LONG)
    assert make_ready(slow, 0)


@pytest.mark.parametrize("search", [mcts.search, solver.search])
def test_searches_get_ready_before_their_clock_starts(slow: CompiledGame, search: Any) -> None:
    threading.Timer(1.0, slow.__dict__["go"].set).start()
    result = search(initial(slow), "a", Budget(seconds=1.0))  # all of it would be gone
    assert set(result.caveats) <= {NOT_PROVEN}
    assert result.values


def test_charges_go_step_by_step_meanwhile(slow: CompiledGame) -> None:
    result = mcs.search(initial(slow), "a", Budget(seconds=0.2))
    assert result.playouts > 0
    assert str(result.move) in ("go(2)", "go(3)")
    slow.__dict__["go"].set()


@pytest.mark.parametrize("kind", [Egghead, Mcts])
def test_players_do_without_until_they_can_have_it(slow: CompiledGame, kind: type[Any]) -> None:
    player = kind(seed=1)
    player.start("a", slow, 0.5, 3.0)
    assert str(player.play(None)) in ("go(2)", "go(3)")
    assert "uct" in player.last_result.algorithm
    assert player.last_result.caveats == (IN_PYTHON,)
    slow.__dict__["go"].set()
    assert make_ready(slow, LONG)
    move = {"a": "go(2)", "b": "wait"}
    state = slow.initial_state().next(move).next({"a": "wait", "b": "go(3)"})
    player.think(state, Budget(seconds=0.3))
    assert "uct" not in player.last_result.algorithm
    assert player.last_result.caveats == ()


def test_the_time_that_was_waited_is_gone(slow: CompiledGame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gamemaster.players.searching.WAITING", 0.5)
    player = Mcts(seed=1)
    player.start("a", slow, 1, 1)
    budgets: list[float | None] = []

    def found(name: str) -> Any:
        def search(state: State, role: str, budget: Budget, **_: object) -> SearchResult:
            budgets.append(budget.seconds)
            return SearchResult(name, role, state.legal_moves(role)[0], 0.0)

        return search

    monkeypatch.setattr("gamemaster.search.parameters.find_algorithm", found)
    player.think(initial(slow), Budget(seconds=1.0))
    assert budgets[0] is not None
    assert budgets[0] < 0.51
    slow.__dict__["go"].set()


def test_what_cannot_be_made_is_told_to_whoever_needs_it(
    slow: CompiledGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(job: str) -> Any:
        raise LimitExceeded("memory", "1 MB", doing=job)

    monkeypatch.setattr(slow, "_code", fail)
    assert not slow.make_ready("expand", LONG)
    assert isinstance(slow.failures["expand"], LimitExceeded)
    with pytest.raises(LimitExceeded, match="expand"):
        slow.search_kernel("expand")
    with pytest.raises(LimitExceeded, match="expand"):
        mcts.search(initial(slow), "a", Budget(seconds=1))


def test_what_is_there_does_not_wait_for_what_is_being_made() -> None:
    game = gm.parse(SHEET.format(number=time.time_ns()), dialect="hrf", machine="compiled")
    assert isinstance(game, CompiledGame)
    assert game.make_ready("play", LONG)
    with game._making:  # as whoever makes another job holds it
        assert len(game.charges([game.initial_state()], 1)) == 1


def test_who_stands_in_meanwhile_stays_out_of_what_comes_later(
    slow: CompiledGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = Mcts(seed=1)
    player.start("a", slow, 0.2, 0.2)

    def found(name: str) -> Any:
        def search(state: State, role: str, budget: Budget, **_: object) -> SearchResult:
            if name == "uct":
                raise gm.Unsuitable("several choose later")
            return SearchResult(name, role, state.legal_moves(role)[0], 0.0, notes="its own")

        return search

    monkeypatch.setattr("gamemaster.search.parameters.find_algorithm", found)
    player.think(initial(slow), Budget(seconds=0.1))
    assert player.last_result is not None
    assert player.last_result.algorithm == "decoupled"
    assert player.last_result.notes == f"{IN_PYTHON}\nits own"
    assert player.algorithm == "mcts"
    slow.__dict__["go"].set()


@pytest.mark.parametrize("kind", [Egghead, Mcts])
def test_players_say_where_machine_code_will_never_be_there(
    slow: CompiledGame, monkeypatch: pytest.MonkeyPatch, kind: type[Any]
) -> None:
    def fail(job: str) -> Any:
        raise MemoryError(job)

    monkeypatch.setattr(slow, "_code", fail)
    assert not make_ready(slow, LONG)
    player = kind(seed=1)
    player.start("a", slow, 0.5, 3.0)
    assert str(player.play(None)) in ("go(1)", "go(2)", "go(3)")
    assert WITHOUT_CODE in player.last_result.caveats
    assert IN_PYTHON not in player.last_result.caveats


def test_kernels_that_cannot_be_compiled_are_never_at_hand(
    slow: CompiledGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise TypeError("no such instruction")

    slow.__dict__["go"].set()
    monkeypatch.setitem(warming.KINDS, "mcts", fail)
    monkeypatch.setattr(warming, "run_elsewhere", lambda run: False)
    for name in ("_warming", "_failures"):
        monkeypatch.setattr(warming, name, {})
    assert not warm_up(None, ["mcts"])
    assert not prepare_search(slow, LONG, ["mcts"])
    with pytest.raises(
        gm.Unsuitable, match=r"kernels of mcts cannot be compiled .* TypeError: no such instruct"
    ):
        get_ready(slow, "mcts")
    get_ready(slow)
    assert warming.caveat_of(slow, ["mcts"]) == WITHOUT_CODE
    assert warming.caveat_of(slow, []) == IN_PYTHON
