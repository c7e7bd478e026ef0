"""Game -> pyspiel.Game: any game of ours, for whatever is written against OpenSpiel.

    openspiel_game(gm.load("tictactoe"))                          a pyspiel.Game
    register(); pyspiel.load_game("gamemaster(game=tictactoe)")   the same, by a text

Players are the roles but chance, in rule order; actions are numbers of moves (see encoding.py). A goal is worth
(goal - 50) / 50, from -1 to 1; where the goals of n roles are known to add up to the same sum S at every end, it is
worth (goal - S / n) / 50, and the game is zero-sum. That is proved (see survey.py), or the caller says so and it is
checked at every end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyspiel

from gamemaster.bridges.encoding import Encoding
from gamemaster.bridges.episode import encoding_of
from gamemaster.bridges.openspiel.node import OPEN_GAMES, TERMINAL, GameNode
from gamemaster.bridges.openspiel.observing import SpielObserver, observer_of, steps_of_tensor
from gamemaster.bridges.openspiel.spec import game_named, spec_of
from gamemaster.bridges.openspiel.survey import Survey, survey, total_of_goals
from gamemaster.errors import GameIllDefined, ParameterError
from gamemaster.machine.arguments import shown, whole_number
from gamemaster.machine.game import Game, State
from gamemaster.machine.mistakes import reward_of

__all__ = ["NAME", "SpielGame", "SpielState", "openspiel_game", "register"]

NAME = "gamemaster"
"""What OpenSpiel calls all games of ours; parameters say which one it is."""

PARAMETERS = {"game": "tictactoe", "rules": "", "sum_of_goals": 0}
"""What can be said behind that name, and what holds if it is not said."""

NO_LIMIT = 1_000_000
"""The longest game where none is known: OpenSpiel wants a number, and multiplies it with other small ones."""

MIDDLE, HALF = 50, 50
"""The goal that is worth nothing, and what another is better by to be worth 1."""

Type = pyspiel.GameType


def openspiel_game(game: Game | str | Path, *, sum_of_goals: int | None = None) -> SpielGame:
    """A game of ours, or the one of that name or file, as a pyspiel.Game.

    `sum_of_goals` says what the goals of all roles add up to at every end, where that cannot be proved: then the game
    is zero-sum for OpenSpiel, and an end with another sum is a GameIllDefined. Unsuitable for a game that does not
    compile, and for one that nobody plays but chance.
    """
    if not isinstance(game, Game | str | Path):
        raise ParameterError(f"{shown(game)} is no game of ours, nor the name or the file of one")
    register()
    return SpielGame(_shared(encoding_of(game)), sum_of_goals)


def register() -> None:
    """Let OpenSpiel know the name `gamemaster`, once."""
    if NAME not in pyspiel.registered_names():
        pyspiel.register_game(_general_type(), _from_parameters)


def _from_parameters(parameters: Mapping[str, Any]) -> SpielGame:
    """The game that OpenSpiel loads, from the parameters behind its name."""
    told = {**PARAMETERS, **parameters}
    written = _written(told["rules"] or told["game"])
    encoding = OPEN_GAMES.get(written) or _shared(encoding_of(game_named(told["game"], told["rules"])))
    return SpielGame(encoding, told["sum_of_goals"] or None)


# OpenSpiel lets go of what it was given when the process ends, after Python is gone: nothing may be freed then. So the
# function holds itself.
vars(_from_parameters)["itself"] = _from_parameters


def _shared(encoding: Encoding) -> Encoding:
    """One encoding for all games with the same rules; it can be found by them from now on."""
    encoding = OPEN_GAMES.setdefault(encoding.game.digest, encoding)
    (word,) = _described(encoding).spec.values()
    return OPEN_GAMES.setdefault(_written(word), encoding)


def _written(word: str) -> str:
    """What a game is found by that is written down so; no digest looks like it."""
    return f"{NAME} {word}"


class SpielGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types
    """A game of ours in OpenSpiel. `ours` is the game, `encoding` what actions and tensors mean."""

    def __init__(self, encoding: Encoding, told_sum: int | None = None) -> None:
        self.encoding = encoding
        self.ours: Game = encoding.game
        self.survey, spec = _described(encoding)
        self.told_sum = _checked_sum(encoding, self.survey, told_sum)
        total = self.survey.sum_of_goals if self.told_sum is None else self.told_sum
        self._is_zero_sum = total is not None and len(encoding.roles) > 1
        self._middle = total / len(encoding.roles) if total is not None and self._is_zero_sum else MIDDLE
        self._steps = steps_of_tensor(encoding, self.survey)
        told = {} if self.told_sum is None else {"sum_of_goals": self.told_sum}
        super().__init__(self._type(), self._figures(), {**spec, **told})

    def new_initial_state(self, start: State | str | None = None) -> SpielState:
        """The initial state; or a state of the game to start in, which may be given as its JSON."""
        if isinstance(start, str):
            start = self.ours.state_from_json(start)
        if start is None:
            start = self.ours.initial_state()
        self.ours.check_states([start])
        return SpielState(self, GameNode.at(self.encoding, start))

    def make_py_observer(self, iig_obs_type: Any = None, params: object = None) -> SpielObserver:
        """What shows states to players; see observing.py."""
        return observer_of(self.encoding, iig_obs_type, params, self._steps)

    def worth(self, goal: int | None) -> float:
        """What OpenSpiel takes a goal for."""
        return ((goal or 0) - self._middle) / HALF

    def returns_at(self, state: State) -> list[float]:
        """What each player gets at an end; GameIllDefined where it is not the sum that the caller said."""
        if self.told_sum is not None and (total := total_of_goals(self.encoding, state)) != self.told_sum:
            raise GameIllDefined(
                f"goals of {self.ours.name} add up to {total}, not to sum_of_goals={self.told_sum}, in {state}"
            )
        return [self.worth(state.goal(role)) for role in self.encoding.roles]

    def _type(self) -> Any:
        kind, is_sequential = self.ours.kind, self.survey.is_sequential
        players = len(self.encoding.roles)
        return Type(
            short_name=NAME,
            long_name=f"Gamemaster: {self.ours.name}",
            dynamics=Type.Dynamics.SEQUENTIAL if is_sequential else Type.Dynamics.SIMULTANEOUS,
            chance_mode=Type.ChanceMode.EXPLICIT_STOCHASTIC
            if self.encoding.outcomes
            else Type.ChanceMode.DETERMINISTIC,
            information=Type.Information.IMPERFECT_INFORMATION
            if kind.has_hidden_information
            else Type.Information.PERFECT_INFORMATION,
            utility=Type.Utility.ZERO_SUM if self._is_zero_sum else Type.Utility.GENERAL_SUM,
            reward_model=Type.RewardModel.TERMINAL,
            max_num_players=players,
            min_num_players=players,
            provides_information_state_string=True,
            provides_information_state_tensor=self._steps is not None,
            provides_observation_string=True,
            provides_observation_tensor=True,
            parameter_specification=PARAMETERS,
        )

    def _figures(self) -> Any:
        goals = [reward_of(goal) or 0 for role in self.encoding.roles for goal in self.ours.goal_terms(role)]
        lowest, highest = min([0, *goals]), max(goals, default=0)
        return pyspiel.GameInfo(
            num_distinct_actions=len(self.encoding.actions),
            max_chance_outcomes=len(self.encoding.outcomes),
            num_players=len(self.encoding.roles),
            min_utility=self.worth(lowest),
            max_utility=self.worth(highest if highest > lowest else lowest + HALF),
            utility_sum=0.0 if self._is_zero_sum else None,
            max_game_length=NO_LIMIT if self.survey.longest is None else max(1, self.survey.longest),
        )


class SpielState(pyspiel.State):  # type: ignore[misc]  # pyspiel has no types
    """A state of OpenSpiel; `node.state` is ours."""

    def __init__(self, game: SpielGame, node: GameNode) -> None:
        super().__init__(game)
        self.node = node

    # What OpenSpiel asks of a state: its names, not ours

    def current_player(self) -> int:
        """Who acts."""
        return self.node.actor

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.node.actor == TERMINAL

    def returns(self) -> list[float]:
        """What each player gets: at the end, and nothing before."""
        game = self.get_game()
        return game.returns_at(self.node.state) if self.is_terminal() else [0.0] * game.num_players()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The actions of chance and how likely they are."""
        return self.node.outcomes()

    def _legal_actions(self, player: int) -> list[int]:
        return self.node.legal(player)

    def _apply_action(self, action: int) -> None:
        self.node = self.node.after(action)

    def _apply_actions(self, actions: Sequence[int]) -> None:
        self.node = self.node.after_all(actions)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.node.text(player, action)

    def __str__(self) -> str:
        return str(self.node)


class _Described(NamedTuple):
    survey: Survey
    spec: dict[str, str]


_DESCRIBED: dict[str, _Described] = {}
"""What was found out about games, by their digests: no game is walked through twice."""


def _described(encoding: Encoding) -> _Described:
    digest = encoding.game.digest
    if digest not in _DESCRIBED:
        _DESCRIBED[digest] = _Described(survey(encoding), spec_of(encoding.game))
    return _DESCRIBED[digest]


def _checked_sum(encoding: Encoding, found: Survey, told: int | None) -> int | None:
    """The sum of goals that a caller says, where it is not proved anyway; ParameterError where it cannot be true."""
    if told is None:
        return None
    whole_number("sum_of_goals", told)
    if found.sums is not None and found.sums != {told}:
        sums = ", ".join(map(str, sorted(found.sums))) or "nothing: no game ends"
        raise ParameterError(
            f"goals of {encoding.game.name} do not add up to {told} at every end, but to {sums}"
        )
    return None if found.sums is not None else told


def _general_type() -> Any:
    """What holds of games of ours before it is known which: each game has a type of its own."""
    return Type(
        short_name=NAME,
        long_name="Gamemaster",
        dynamics=Type.Dynamics.SIMULTANEOUS,
        chance_mode=Type.ChanceMode.EXPLICIT_STOCHASTIC,
        information=Type.Information.IMPERFECT_INFORMATION,
        utility=Type.Utility.GENERAL_SUM,
        reward_model=Type.RewardModel.TERMINAL,
        max_num_players=100,
        min_num_players=1,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=PARAMETERS,
    )
