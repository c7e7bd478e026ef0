"""The player mcts: its tree stays from move to move, and another search takes over where its own cannot go on."""

from __future__ import annotations

import gamemaster as gm
from gamemaster.machine.compiled import CompiledGame
from gamemaster.players.searching import Mcts
from gamemaster.search.native.warming import get_ready
from tests.players.sheets import LATER


def started(game: gm.Game, role: str) -> Mcts:
    assert isinstance(game, CompiledGame)
    get_ready(game, *Mcts.in_machine_code)  # what it does meanwhile is tested elsewhere
    player = Mcts(seed=1)
    player.start(role, game, 5.0, 0.2)
    return player


def test_it_goes_on_where_its_search_does_not() -> None:
    game = gm.parse(LATER)
    player, state, used = started(game, "left"), game.initial_state(), list[str]()
    message: dict[str, object] | None = None
    while not state.is_terminal:
        move = player.play(message)
        assert move in state.legal_moves("left")
        used.append(player.last_result.algorithm if player.last_result else "")
        message = {"left": move, "right": state.legal_moves("right")[0]}
        state = state.next({role: str(made) for role, made in message.items()})
    assert used[:2] == ["mcts", "decoupled"]


def test_its_tree_stays() -> None:
    game = gm.load("connectfour", machine="compiled")
    own, other = game.roles
    player = started(game, own)
    first = str(player.play(None))
    tree = player._tree
    assert tree is not None
    node = tree.best_child(tree.root)
    assert node is not None
    assert str(tree.engine.terms[int(tree.nodes.moves[node])]) == first
    reply = tree.best_child(node)
    assert reply is not None
    known = tree.visits(reply)
    assert known > 0
    player.budget = player.budget.__class__(seconds=0.0)
    after = game.initial_state().next(first).next(str(tree.engine.terms[int(tree.nodes.moves[reply])]))
    player.think(after, player.budget)
    assert player._tree is tree
    assert tree.visits(tree.root) >= known
    del other
    player.stop(None)
    assert player._tree is None


def test_its_tree_goes_with_a_match_that_is_given_up() -> None:
    game = gm.load("connectfour", machine="compiled")
    player = started(game, game.roles[0])
    player.play(None)
    assert player._tree is not None
    player.abort()
    assert player._tree is None
