"""A player of ours -> a bot of OpenSpiel: for our games there, and for OpenSpiel's own that the library has as well.

    bot = PlayerBot("mcts", game, 0, seconds=0.5)
    action = bot.step(state)

Each state is thought about for itself, so a bot can be asked about states of any game, in any order.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

import pyspiel

from gamemaster.bridges.openspiel.game import SpielGame
from gamemaster.bridges.openspiel.twins import Twin, twin_of
from gamemaster.errors import IllegalMove, ParameterError, StateError, Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.arguments import shown
from gamemaster.machine.game import RANDOM, Game, State
from gamemaster.players.given import Filled, Given, given_player
from gamemaster.players.loading import make_player
from gamemaster.players.player import Player
from gamemaster.search.budget import Budget

__all__ = ["PlayerBot"]

AnyThinker: TypeAlias = str | Path | Given
"""A player by name or file, with parameters in brackets; a class or a function."""


class PlayerBot(pyspiel.Bot):  # type: ignore[misc]  # pyspiel has no types
    """A bot that asks a player of ours: a name, a file, a class that is a Player, or a function of a state.

    The game is one of ours in OpenSpiel, or one of OpenSpiel's that has a twin. Unsuitable for others, for games that
    hide their state (there our players play matches, against `openspiel_player`), and where the player refuses it.
    """

    def __init__(
        self,
        player: AnyThinker,
        game: Any,
        player_id: int,
        *,
        seconds: float = 1.0,
        seed: int = 0,
        twin: Twin | None = None,
    ) -> None:
        super().__init__()
        self._game = game
        self._twin = twin or (None if isinstance(game, SpielGame) else twin_of(game))
        self.ours: Game = self._twin.game if self._twin else game.ours
        if self.ours.has_percepts:
            raise Unsuitable(
                f"{self.ours.name} hides its state, which a bot would see: play a match, with openspiel_player"
            )
        players = game.num_players()
        if isinstance(player_id, bool) or not isinstance(player_id, int) or not 0 <= player_id < players:
            raise ParameterError(f"player_id must be one of 0 to {players - 1}, not {shown(player_id)}")
        roles = [role for role in self.ours.roles if role != RANDOM]
        self.role = roles[player_id]
        self._player_id = player_id
        self._budget = Budget(seconds=seconds)
        self._thinker = _thinker(player, seed)
        self._thinker.start(self.role, self.ours, seconds, seconds)

    def player_id(self) -> int:
        """Who it plays."""
        return self._player_id

    def restart_at(self, state: Any) -> None:
        """Nothing: it keeps nothing of other states."""

    def step(self, state: Any) -> int:
        """The action that the player chooses in a state; IllegalMove where it chooses none that is legal."""
        if state.get_game() != self._game:
            raise StateError(f"a state of {state.get_game()}, but the bot was made for {self._game}")
        ours: State = self._twin.state_of(state) if self._twin else state.node.state
        legal = ours.legal_moves(self.role)
        if ours.is_terminal or not legal:
            raise StateError(f"{self.role!r} has no move in step {ours.step + 1} of {self.ours.name}")
        move = legal[0] if len(legal) == 1 else self._chosen(ours, legal)
        if self._twin:
            return self._twin.action_of(state, ours, move)
        return int(state.get_game().encoding.action(self.role, move))

    def _chosen(self, state: State, legal: tuple[Term, ...]) -> Term:
        said: Any = self._thinker.think(state, self._budget)
        move = self.ours.move_of(said)
        if move not in legal:
            raise IllegalMove(shown(said) if move is None else move, self.role, state.step, legal)
        return legal[legal.index(move)]


def _thinker(player: AnyThinker, seed: int) -> Player | Filled:
    """A player that can be asked about a state."""
    found = make_player(player, seed=seed) if isinstance(player, str | Path) else given_player(player, seed)
    if isinstance(found, Player) or (isinstance(found, Filled) and found.player is not None):
        return found
    raise Unsuitable(f"{shown(player)} keeps books of its own: only a Player can be asked about any state")
