"""Thinking on the time of others: on where a player has a process of its own, over at once when it is asked."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable

import pytest

import gamemaster as gm
from gamemaster.language.terms import Term
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import State
from gamemaster.match.manager import make_manager
from gamemaster.match.processes.order import Order, ProcessLimits
from gamemaster.match.serving import PlayerServer
from gamemaster.match.settings import Settings
from gamemaster.match.transports.calling import let_ponder
from gamemaster.match.transports.in_process import InProcess
from gamemaster.players.egghead import Egghead
from gamemaster.players.forest import Forest
from gamemaster.players.given import Filled
from gamemaster.players.player import Player, state_ahead
from gamemaster.players.pondering import LONGEST, Pondering, longest_for
from gamemaster.players.searching import Mcts
from gamemaster.search.budget import Halt
from gamemaster.search.native.mcts import NativeTree
from gamemaster.search.native.warming import get_ready
from gamemaster.search.playouts.joint_lanes import JointLanes

PATIENCE = 30.0


def wait_for(done: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def threads() -> list[str]:
    return [each.name for each in threading.enumerate() if each.name.startswith("pondering")]


class Ponders(Player):
    """Plays the first move, and notes about what it thinks ahead, and that it has been stopped."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(seed)
        self.begun: list[State] = []
        self.ended = 0

    def choose(self, state: State) -> Term:
        return state.legal_moves(self.role)[0]

    def ponder(self, state: State, stop: Halt) -> None:
        self.begun.append(state)
        while not stop.is_set():
            time.sleep(0.001)
        self.ended += 1


def pondering(role: str = "x") -> Ponders:
    player = Ponders(seed=1)
    let_ponder(player)
    player.start(role, gm.load("tictactoe"), 5.0, 1.0)
    return player


def test_it_thinks_from_its_answer_to_the_next_message() -> None:
    player = pondering()
    state = player.game.initial_state()
    wait_for(lambda: player.begun == [state])
    move = player.play(None)
    assert move
    after = state.next(move)
    wait_for(lambda: player.begun[1:] == [after])
    assert player.ended == 1
    player.play({"x": move, **{role: "noop" for role in state.movers if role != "x"}})
    assert player.state == after
    wait_for(lambda: len(player.begun) == 3)
    assert player.ended == 2
    player.stop(None)
    assert player.ended == 3
    assert not threads()


def test_who_has_no_choice_thinks_about_what_others_do() -> None:
    player = pondering("o")
    wait_for(lambda: player.begun)
    player.play(None)
    wait_for(lambda: len(player.begun) == 2)
    assert player.begun[1] == player.game.initial_state()
    player.abort()
    assert player.ended == 2
    assert not threads()


def test_a_match_that_begins_anew_ends_it() -> None:
    player = pondering()
    wait_for(lambda: player.begun)
    player.start("o", gm.load("tictactoe"), 5.0, 1.0)
    wait_for(lambda: len(player.begun) == 2)
    assert player.ended == 1
    player.abort()


def test_it_is_off_unless_it_is_told() -> None:
    player = Ponders(seed=1)
    player.start("x", gm.load("tictactoe"), 5.0, 1.0)
    player.play(None)
    assert not player.begun
    assert not threads()
    result = gm.match("tictactoe", [Ponders, Ponders], play_clock=5, seed=1)
    assert not any(result.errors.values())
    assert not threads()


def test_at_the_end_there_is_nothing_to_think_about() -> None:
    player = pondering()
    state, told = player.game.initial_state(), dict[str, Term]()
    while not state.is_terminal:
        player.play(told or None)
        assert player.state == state
        told = {role: state.legal_moves(role)[0] for role in state.movers}
        state = state.next(told)
    player.stop(told)
    assert not any(begun.is_terminal for begun in player.begun)
    assert not threads()


class Fails(Ponders):
    def ponder(self, state: State, stop: Halt) -> None:
        raise ValueError("lost in thought")


def test_what_fails_is_told_and_costs_no_move(caplog: pytest.LogCaptureFixture) -> None:
    player = Fails(seed=1)
    let_ponder(player)
    with caplog.at_level(logging.ERROR, "gamemaster.players"):
        player.start("x", gm.load("tictactoe"), 5.0, 1.0)
        assert player.play(None)
        player.stop(None)
    assert "fails: while it was not asked, its thinking failed: ValueError: lost in thought" in caplog.text
    assert 'raise ValueError("lost in thought")' in caplog.text


def test_nobody_is_waited_for_for_ever() -> None:
    begun = threading.Event()

    def think(stop: Halt) -> None:
        begun.set()
        while not stop.is_set():
            time.sleep(0.001)

    pondering = Pondering("somebody", think, 0.01)
    wait_for(lambda: begun.is_set() and not threads())
    pondering.end()
    assert longest_for(10, 5) == 60
    assert longest_for(float("inf"), 5) == LONGEST


def test_who_is_to_be_told_to_stop_late_is_told_at_once() -> None:
    stop, told = Halt(), list[int]()
    stop.when_set(lambda: told.append(1))
    assert not told
    assert not stop.is_set()
    stop.set()
    stop.set()
    stop.when_set(lambda: told.append(2))
    assert told == [1, 2]
    assert stop.is_set()


def test_the_state_ahead_is_the_next_where_that_is_certain() -> None:
    state = gm.load("tictactoe").initial_state()
    move = state.legal_moves("x")[0]
    assert state_ahead(state, "x", move) == state.next(move)
    assert state_ahead(state, "o", None) == state
    assert state_ahead(state, "o", state.legal_moves("o")[0] if state.legal_moves("o") else None) == state


# Who tells


def test_a_line_within_this_process_tells_only_where_it_is_told() -> None:
    player, other = Ponders(), Ponders()
    InProcess(player, "a", ponders=True)
    InProcess(other, "b")
    assert (player.ponders, other.ponders) == (True, False)
    let_ponder(Filled(other))
    assert other.ponders


def test_it_ends_with_the_line() -> None:
    player = pondering()

    async def open_and_close() -> None:
        line = InProcess(player, "a", ponders=True)
        await line.open(lambda when, reply: None)
        await line.close()

    wait_for(lambda: player.begun)
    asyncio.run(open_and_close())
    wait_for(lambda: player.ended == 1)


def test_served_players_and_isolated_ones_are_told() -> None:
    server = PlayerServer(Ponders, "a", ponders=True)

    async def line_of(server: PlayerServer) -> object:
        await server._get_line()
        line = server._line
        assert line is not None
        player = line.player
        await server._drop()
        return player

    player = asyncio.run(line_of(server))
    assert isinstance(player, Ponders)
    assert player.ponders
    game = gm.load("tictactoe")
    manager = make_manager(game, {"x": "mcts", "o": "mcts"}, is_isolated=True)
    orders = [line._order for line in manager.transports.values()]  # type: ignore[attr-defined]
    assert [order.limits.ponders for order in orders] == [True, True]
    assert Order.from_line(orders[0].to_line()).limits.ponders
    counting = Settings(counts_cpu=True)
    manager = make_manager(game, {"x": "mcts", "o": "mcts"}, counting, is_isolated=True)
    assert not any(line._order.limits.ponders for line in manager.transports.values())  # type: ignore[attr-defined]
    assert not ProcessLimits().ponders


# Ours


@pytest.mark.parametrize("kind", [Mcts, Egghead])
def test_trees_grow_on_the_time_of_others(kind: type[Mcts] | type[Egghead]) -> None:
    game = gm.load("connectfour", machine="compiled")
    assert isinstance(game, CompiledGame)
    get_ready(game, *kind.in_machine_code[:3])
    player = kind(seed=1)
    let_ponder(player)
    player.start(game.roles[0], game, 1.0, 0.3)
    first = player.play(None)
    after = game.initial_state().next(str(first))
    tree = tree_of(player)
    wait_for(lambda: (tree.nodes.rows[0] == tree.engine.row_of(after)).all())
    before = tree.visits(tree.root)
    wait_for(lambda: tree.visits(tree.root) > before + 1_000)
    player.play({game.roles[0]: first})
    assert player.state == after
    player.abort()
    assert not threads()


def tree_of(player: Mcts | Egghead) -> NativeTree:
    if isinstance(player, Mcts):
        assert player._tree is not None
        return player._tree
    return next(mind.trees[0] for mind in player._minds if isinstance(mind, Forest))


def test_graphs_of_simultaneous_moves_grow_too() -> None:
    game = gm.parse(BOTH, machine="compiled")
    assert isinstance(game, CompiledGame)
    get_ready(game, "mcts", "decoupled")
    player = Mcts(seed=1)
    let_ponder(player)
    player.start("a", game, 5.0, 0.3)
    player.play(None)
    graph, state = player._lanes, game.initial_state()
    assert graph is not None
    before = visits_of(graph, state)
    wait_for(lambda: visits_of(graph, state) > before + 1_000)
    player.stop(None)
    assert not threads()


def visits_of(graph: JointLanes, state: State) -> int:
    return int(graph.tree.nodes["visits"][graph._node(state)])


BOTH = """
role(a) role(b) init(step(0)) succ(0,1) succ(1,2) succ(2,3) succ(3,4) succ(4,5)
legal(R,up) :- role(R)
legal(R,down) :- role(R)
next(step(M)) :- true(step(N)) & succ(N,M)
next(same(N)) :- does(a,M) & does(b,M) & true(step(N))
next(same(N)) :- true(same(N))
terminal :- true(step(5))
goal(a,100) :- true(same(0))
goal(a,0) :- ~true(same(0))
goal(b,0) :- true(same(0))
goal(b,100) :- ~true(same(0))
"""


SLOW = """
    role(a) role(b) init(x)
    num(0) num(s(X)) :- true(y) & num(X)
    legal(a,m) :- true(x)
    legal(a,n) :- true(x)
    legal(b,noop) :- true(x)
    legal(b,M) :- true(y) & num(M)
    next(y) :- does(a,m)
    next(z) :- does(a,n)
    terminal :- true(z)
    goal(a,100) :- true(y)
    goal(a,0) :- true(z)
    goal(b,0)
"""


def test_a_next_state_that_cannot_be_worked_out_costs_no_move() -> None:
    player = Ponders(seed=0)
    player.ponders = True
    player.start("a", gm.parse(SLOW, dialect="hrf", machine="reference"), 5.0, 1.0)
    assert str(player.play(None)) in ("m", "n")
    assert player._pondering is None
    player.abort()


def test_the_time_in_which_it_is_stopped_is_a_part_of_its_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    budgets: list[float | None] = []

    class Asked(Ponders):
        def choose(self, state: State) -> Term:
            budgets.append(self.budget.seconds)
            return state.legal_moves(self.role)[0]

    monkeypatch.setattr(Asked, "rest", lambda self: time.sleep(0.2))
    player = Asked(seed=0)
    player.start("x", gm.load("tictactoe"), 1.0, 1.0)
    player.play(None)
    assert budgets[0] is not None
    assert budgets[0] <= 0.8
