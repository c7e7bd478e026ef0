"""`hint`: what a strong player would do, in a few words, after a short search on the fastest machine there is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from gamemaster.draw.results import by_choice, shown_line
from gamemaster.errors import GamemasterError
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State
from gamemaster.players.loading import find_player
from gamemaster.players.player import Player
from gamemaster.search.budget import Budget
from gamemaster.search.result import SearchResult
from gamemaster.terminal.loading import load
from gamemaster.terminal.progress import thinking

__all__ = ["Adviser"]

ADVISER = "mcts"
SECONDS = 2.0
OTHERS = 2
"""So many other moves are compared with the best."""


@dataclass
class Adviser:
    """Whoever is asked for hints about a game: made when the first is wanted."""

    name: str
    """The game, as it is loaded."""

    @cached_property
    def game(self) -> Game:
        """The game on the fastest machine."""
        return load(self.name)

    def advise(self, state: State, role: str) -> str:
        """What to do in a state, and why, for a person to read."""
        legal = state.legal_moves(role)
        if len(legal) == 1:
            return f"{legal[0]} is the only move there is."
        if state.game.has_percepts:
            return "There are no hints where the state is hidden: they would tell what you cannot know."
        try:
            _ = self.game  # made before the bar of the search: where it takes long it has its own
            with thinking(ADVISER, SECONDS):
                result = self._thought(state, role)
            return _told(result)
        except GamemasterError as error:
            return f"There is no hint: {error}"
        except KeyboardInterrupt:
            return "There is no hint: it was interrupted."

    def _thought(self, state: State, role: str) -> SearchResult:
        player = find_player(ADVISER)(seed=state.step)
        assert isinstance(player, Player)
        player.start(role, self.game, SECONDS, SECONDS)
        player.think(self.game.state(state.ordered_facts, state.step), Budget(seconds=SECONDS))
        assert player.last_result is not None
        return player.last_result


def _told(result: SearchResult) -> str:
    """A result as advice."""
    games = f"{result.playouts:,} random games" if result.playouts else f"{result.nodes:,} states"
    sure = "proven" if result.is_proven else f"after {games}"
    lines = [f"hint: {result.move}, worth {result.value:.0f} of 100 ({sure})"]
    if len(result.line) > 1:
        lines.append(f"  then {shown_line(result.line[1:])}")
    others = [move for move in by_choice(result) if move != result.move][:OTHERS]
    if others:
        lines.append(f"  next best: {', '.join(_worth(result, move) for move in others)}")
    if result.notes:
        lines += [f"  ({note})" for note in result.notes.splitlines()]
    return "\n".join(lines)


def _worth(result: SearchResult, move: Term) -> str:
    """A move that is not the hint, with its value; where that is greater, why it is not the hint."""
    value = result.values[move]
    if value <= result.value or result.move is None or not result.visits:
        return f"{move} {value:.0f}"
    tried = [f"{result.visits.get(each, 0):,}" for each in (move, result.move)]
    return f"{move} {value:.0f}, which is less certain (tried {tried[0]} times, the hint {tried[1]})"
