"""A bot of OpenSpiel -> a player of ours: whatever has `step(state)` there plays matches here.

    openspiel_player(lambda game, player, seed: MCTSBot(game, ...))    a class for gm.match
    class Mine(OpenSpielPlayer): def bot(self, game, player): ...      the same, for a file of its own

The bot is made when a match starts, for the game that it plays, and told all actions but its own. It is not asked where
its role has one move. It knows nothing of clocks: whoever makes it sees to it that it is quick enough.

Where the rules hide the state, nobody can show it to a bot. It is shown a state that is drawn from those in which the
game can be, with all that its role has seen and done: `information_state_string` and `legal_actions` of its own player
are true, so that a policy by information states plays as it should. What else it reads off the state is a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import pyspiel

from gamemaster.bridges.encoding import Information
from gamemaster.bridges.openspiel.game import SpielGame, SpielState, openspiel_game
from gamemaster.bridges.openspiel.node import SIMULTANEOUS, GameNode
from gamemaster.errors import PlayerError, Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.arguments import shown
from gamemaster.machine.game import RANDOM, Game, State
from gamemaster.players.player import NIL, Player

__all__ = ["BotFactory", "OpenSpielPlayer", "openspiel_player"]

BotFactory: TypeAlias = Callable[[Any, int, int], Any]
"""A pyspiel.Game, the number of a player and a seed -> a pyspiel.Bot."""


class OpenSpielPlayer(Player):
    """A player that asks a bot of OpenSpiel for its moves; fill in `bot`."""

    needs_state = False
    believes = True

    _game: SpielGame
    _line: SpielState
    """The match so far, as OpenSpiel has it; in a hidden game it stays where it started."""

    _information: Information
    _own: Term | None = None
    """The move made last."""

    def bot(self, game: SpielGame, player: int) -> Any:
        """The bot that plays, a pyspiel.Bot or what else has `step`; `self.generator` is for seeds."""
        raise PlayerError(f"{self.name} has no bot: fill in bot(game, player)")

    def prepare(self) -> None:
        """Make the bot; Unsuitable where it says that it cannot play such a game."""
        self._game = openspiel_game(self.game)
        if self.role not in self._game.encoding.roles:
            raise Unsuitable(f"{self.role!r} is chance in {self.game.name}: no bot plays it")
        self._player = self._game.encoding.roles.index(self.role)
        self._line = self._game.new_initial_state()
        self._information, self._own = Information(self.role), None
        try:
            self._bot = self.bot(self._game, self._player)
        except ValueError as error:  # so say bots of OpenSpiel what they do not play
            raise Unsuitable(f"{self.name} cannot play {self.game.name}: {error}") from error

    def play(self, moves: Any = None) -> Any:
        """See Player; the line goes on first."""
        if self._is_started and self._has_played:
            self._hear(moves)
        made = super().play(moves)
        self._own = None if made is False else self.game.move_of(made)
        return made

    def choose(self, state: State) -> Term:
        """What the bot does in a state; one that is not of this match has no history."""
        return self._asked(self._line if self._is_at(state) else self._game.new_initial_state(state))

    def choose_from(self, legal: object) -> Term:
        """What the bot does in a state in which the game can be."""
        if self.beliefs is None:
            raise PlayerError(f"{self.name} does not know in which states {self.game.name} can be")
        (state,) = self.generator.choices(self.beliefs.states, self.beliefs.weights)
        node = GameNode.at(self._game.encoding, state, {self.role: self._information})
        return self._asked(SpielState(self._game, node))

    def _asked(self, line: SpielState) -> Term:
        action = _action(self._bot, line.clone())  # which it may do with as it likes
        actions = self._game.encoding.actions
        if isinstance(action, bool) or not hasattr(action, "__index__") or not 0 <= action < len(actions):
            raise PlayerError(f"the bot of {self.name} gives {shown(action)} instead of an action")
        return actions[int(action)]

    # What is told

    def _is_at(self, state: State) -> bool:
        here = self._line.node.state
        return here == state and here.step == state.step

    def _hear(self, told: Any) -> None:
        is_nothing = told is None or told in (NIL, (), [])
        if self.game.has_percepts:
            seen = frozenset(() if is_nothing else map(self.game.move_of, told))
            self._information = self._information.after(self._own, seen)
            return
        if not self._is_at(self.state):  # the match was gone on with elsewhere
            self._line = self._game.new_initial_state(self.state)
        if not is_nothing:
            self._follow(_moves(self.game, self.state, told))

    def _follow(self, moves: Mapping[str, Term]) -> None:
        """Go a step on, action by action, and let the bot know of those of others."""
        line, encoding = self._line, self._game.encoding
        actions = {role: encoding.action(role, move) for role, move in moves.items()}
        step = line.node.state.step
        while line.node.state.step == step:
            actor = line.current_player()
            if actor == SIMULTANEOUS:
                line.apply_actions([actions.get(role, 0) for role in encoding.roles])
                continue
            action = actions[RANDOM if actor < 0 else encoding.roles[actor]]
            if actor != self._player:
                self._inform(line, actor, action)
            line.apply_action(action)

    def _inform(self, line: SpielState, actor: int, action: int) -> None:
        inform = getattr(self._bot, "inform_action", None)
        if inform is not None:
            inform(line, actor, action)


def _action(bot: Any, line: SpielState) -> Any:
    """What a bot does in a state.

    Bots in C++ are asked by the step of all bots: their own lets go of Python's lock, and then asks for states that are
    written in Python. OpenSpiel 2.0.2 crashes by that, on its own games in Python as on ours.
    """
    return pyspiel.Bot.step(bot, line) if isinstance(bot, pyspiel.Bot) else bot.step(line)


def _moves(game: Game, state: State, told: Any) -> dict[str, Term]:
    """The joint move by role that `play` is told: one move, or those of all roles by role or in their order."""
    if isinstance(told, list | tuple) and not isinstance(told, Term):
        told = dict(zip(game.roles, told, strict=False))
    if isinstance(told, Mapping):
        told = {role: move for role, move in told.items() if state.legal_moves(role)}
    joint = zip(game.roles, state.joint(told), strict=True)
    return {role: move for role, move in joint if move is not None}


def openspiel_player(factory: BotFactory, name: str = "openspiel") -> type[OpenSpielPlayer]:
    """A class of players, for gm.match: `factory(game, player, seed)` makes the bot of each."""

    class MadePlayer(OpenSpielPlayer):
        """A player that asks a bot of OpenSpiel for its moves."""

        @property
        def name(self) -> str:
            """As it was called."""
            return name

        def bot(self, game: SpielGame, player: int) -> Any:
            """What the factory makes."""
            return factory(game, player, self.generator.getrandbits(31))

    return MadePlayer
