"""State -> node of OpenSpiel's game tree: who acts there, with which actions, and which node follows.

A step of ours is one node: of the role that chooses, of chance, or of all roles at once where several choose. Where
chance chooses in the same step as others it is two: the roles act first, and chance does so knowing nothing of it.
Roles with one legal move make it by themselves; where nobody has a choice, whose turn it is acts, as OpenSpiel has it.
A node never changes, so states that are clones share it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from weakref import WeakValueDictionary

import pyspiel

from gamemaster.bridges.encoding import Encoding, Information
from gamemaster.errors import NoSingleMove, ParameterError, StateError
from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, State, dead_end

__all__ = ["CHANCE", "OPEN_GAMES", "SIMULTANEOUS", "TERMINAL", "GameNode"]

CHANCE, SIMULTANEOUS, TERMINAL = (
    int(player)
    for player in (pyspiel.PlayerId.CHANCE, pyspiel.PlayerId.SIMULTANEOUS, pyspiel.PlayerId.TERMINAL)
)

OPEN_GAMES: WeakValueDictionary[str, Encoding] = WeakValueDictionary()
"""The games that are in use, by their digests: a state that is written down names its game and does not carry it."""


@dataclass(frozen=True, slots=True, eq=False)
class GameNode:
    """A node: a state, what roles know if it is hidden, and who acts."""

    encoding: Encoding
    state: State
    known: Mapping[str, Information] | None
    """What each role has seen and done, in a game that hides its state."""

    actor: int
    """A player, or CHANCE, SIMULTANEOUS or TERMINAL."""

    chosen: Mapping[str, int]
    """The actions of this step that were taken already, where chance has yet to choose."""

    @classmethod
    def at(cls, encoding: Encoding, state: State, known: Mapping[str, Information] | None = None) -> GameNode:
        """The node of a state; GameIllDefined where nobody can move in it, though it is not terminal.

        Where nothing is said of what roles know, a hidden game begins there.
        """
        if known is None and encoding.game.has_percepts:
            known = encoding.uninformed()
        return cls(encoding, state, known, _actor(encoding, state), {})

    def __deepcopy__(self, memo: object) -> GameNode:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        written = (self.encoding.game.digest, self.state.to_json(), self.known, dict(self.chosen))
        return (_restored, written)

    # Actions

    def legal(self, player: int) -> list[int]:
        """The actions of a player, sorted."""
        return self.encoding.legal(self.state, self.encoding.roles[player])

    def outcomes(self) -> list[tuple[int, float]]:
        """The actions of chance, one as likely as the other; StateError where it does not act."""
        if self.actor != CHANCE:
            raise StateError(
                f"chance does not act in step {self.state.step + 1} of {self.encoding.game.name}"
            )
        legal = self.encoding.legal(self.state, RANDOM)
        return [(action, 1 / len(legal)) for action in legal]

    def text(self, player: int, action: int) -> str:
        """The move of an action, as text."""
        table = self.encoding.outcomes if player == CHANCE else self.encoding.actions
        if not 0 <= action < len(table):
            raise ParameterError(f"action {action} is none of the {len(table)} of {self.encoding.game.name}")
        return self.encoding.text(table[action])

    def after(self, action: int) -> GameNode:
        """The node after an action of whoever acts; IllegalMove where it is none."""
        if self.actor == TERMINAL:
            raise self._is_over()
        if self.actor == SIMULTANEOUS:
            raise NoSingleMove(f"action {action}", self.state.choosers, self.state.step)
        role = RANDOM if self.actor == CHANCE else self.encoding.roles[self.actor]
        return self._with({**self.chosen, role: action})

    def after_all(self, actions: Sequence[int]) -> GameNode:
        """The node after an action of each player; those of players without a legal one do not count."""
        if self.actor == TERMINAL:
            raise self._is_over()
        roles = self.encoding.roles
        if self.actor != SIMULTANEOUS:
            who = "chance" if self.actor == CHANCE else repr(roles[self.actor])
            raise ParameterError(
                f"{len(actions)} actions at once in step {self.state.step + 1}, where only {who} acts: apply one action"
            )
        if len(actions) != len(roles):
            raise ParameterError(f"{len(actions)} actions at once, but the players are {', '.join(roles)}")
        movers = self.state.movers
        return self._with({role: each for role, each in zip(roles, actions, strict=True) if role in movers})

    def _with(self, chosen: Mapping[str, int]) -> GameNode:
        state, encoding = self.state, self.encoding
        moves = encoding.joint(state, chosen)
        if encoding.outcomes and RANDOM not in moves and state.legal_moves(RANDOM):
            return replace(self, actor=CHANCE, chosen=chosen)
        known = None if self.known is None else encoding.informed(state, moves, self.known)
        return GameNode.at(encoding, state.next(moves), known)

    def _is_over(self) -> StateError:
        steps = f"{self.state.step} step{'s' * (self.state.step != 1)}"
        return StateError(f"{self.encoding.game.name} is over after {steps}: no action can be applied")

    # What is known

    def known_to(self, player: int) -> Information:
        """What a player has seen and done, in a game that hides its state; StateError where that is not known here."""
        role = self.encoding.roles[player]
        if self.known is None or role not in self.known:
            raise StateError(f"nobody knows here what {role!r} has seen: the state was made for another role")
        return self.known[role]

    def information(self, player: int) -> str:
        """The same as text, with the player's own action of this step if chance has yet to act."""
        return self._told(player, self.known_to(player).steps)

    def last_seen(self, player: int) -> str:
        """What a player saw and did in the last step, as text."""
        return self._told(player, self.known_to(player).steps[-1:])

    def _told(self, player: int, steps: Sequence[tuple[Term | None, frozenset[Term]]]) -> str:
        role = self.encoding.roles[player]
        told = [f"{'-' if own is None else own} [{' '.join(sorted(map(str, seen)))}]" for own, seen in steps]
        pending = [self.text(player, self.chosen[role])] if role in self.chosen else []
        return "; ".join((role, *told, *pending))

    def __str__(self) -> str:
        pending = [
            f"{role} chose {self.text(self.encoding.roles.index(role), action)}"
            for role, action in self.chosen.items()
        ]
        return "; ".join((str(self.state), *pending))


def _actor(encoding: Encoding, state: State) -> int:
    """Who acts first in a state."""
    if state.is_terminal:
        return TERMINAL
    role = state.chooser
    if role is None:  # several choose at once, chance perhaps among them, or nobody can move
        players = [each for each in state.choosers if each != RANDOM]
        if len(players) > 1:
            return SIMULTANEOUS
        if not players:
            raise dead_end(state)
        role = players[0]
    return CHANCE if role == RANDOM else encoding.roles.index(role)


def _restored(
    digest: str, state: str, known: Mapping[str, Information] | None, chosen: Mapping[str, int]
) -> GameNode:
    """A node as it was written down; StateError where its game is not in use."""
    encoding = OPEN_GAMES.get(digest)
    if encoding is None:
        raise StateError(
            f"a state of rules {digest!r}, of which no game is in use: load its game first, or keep both with "
            "pyspiel.serialize_game_and_state"
        )
    node = GameNode.at(encoding, encoding.game.state_from_json(state), known)
    return replace(node, actor=CHANCE, chosen=chosen) if chosen else node
