"""Game -> environments of Gymnasium: a puzzle as `Env`, and many games at once as `VectorEnv`.

`env` is for games of one role, alone or with chance. `vector_env` is for any game that does not hide its state, a lane
of machine code for each: in self-play whoever is to move acts, or one role acts and the others are played for it.
Observations are the rows of states, masks of legal actions are in the infos; see `Episode` and `EpisodeOptions`.

`gymnasium.make("gamemaster.bridges.gymnasium:Gamemaster-v0", game="eightpuzzle")` makes the same environments, and
`gymnasium.make_vec` too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from gamemaster.bridges.encoding import Encoding
from gamemaster.bridges.episode import (
    MOST_STARTS,
    RENDER_MODES,
    Action,
    Episode,
    EpisodeOptions,
    Signs,
    SingleGame,
    Start,
    begin_episode,
    checked_render_mode,
    drawn,
    encoding_of,
    no_choice,
    no_game,
    observation_size,
    start_in,
)
from gamemaster.bridges.lane_games import NOBODY, Flags, LaneGames, Numbers, picked
from gamemaster.errors import NotInstalled, ParameterError, StateError, Unsuitable
from gamemaster.machine.arguments import shown, whole_number
from gamemaster.machine.game import RANDOM, Game, State

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise NotInstalled(
        "this bridge needs Gymnasium, 1.1 or newer: pip install 'gamemaster[gymnasium]'"
    ) from None

__all__ = ["LanesEnv", "Others", "PuzzleEnv", "env", "vector_env"]

NAME = "Gamemaster-v0"
ILLEGAL_REWARD = -1.0
"""Algorithms of Gymnasium know no masks as a rule: an illegal action costs more than a lost game, and ends it."""

Policy: TypeAlias = Callable[[Signs, Signs, Numbers], npt.ArrayLike]
Others: TypeAlias = Literal["random"] | Policy | None
"""Who plays the other roles: nobody (self-play), chance, or a function: (observations, masks, roles) -> actions."""

VectorStep: TypeAlias = tuple[Signs, npt.NDArray[np.float64], Flags, Flags, dict[str, Any]]


def env(
    game: str | Path | Game,
    *,
    reward_range: tuple[float, float] = (0.0, 1.0),
    max_steps: int | None = None,
    illegal_reward: float | None = ILLEGAL_REWARD,
    render_mode: str | None = None,
) -> PuzzleEnv:
    """A game of one role, by name, by path or itself, as an environment; Unsuitable for a game of several.

    At the end goals of 0 and of 100 are worth the ends of `reward_range`, and goals between what lies between. After
    `max_steps` steps an episode is truncated. An illegal action ends the episode with the `illegal_reward`; without
    one it is an IllegalMove. What is legal is in info["action_mask"].
    """
    options = EpisodeOptions(reward_range, max_steps, illegal_reward)
    return PuzzleEnv(encoding_of(game), options, checked_render_mode(render_mode))


def vector_env(
    game: str | Path | Game,
    num_envs: int = 1,
    *,
    role: str | None = None,
    others: Others = None,
    reward_range: tuple[float, float] = (0.0, 1.0),
    max_steps: int | None = None,
    illegal_reward: float | None = ILLEGAL_REWARD,
    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    render_mode: str | None = None,
) -> LanesEnv:
    """So many games at once. Rewards are those of `role`, the first one where none is named.

    Without `others` it is self-play: an action is of whoever is to move, whose number infos["to_play"] tells, and
    infos["rewards"] has the rewards of every role. With `others` only `role` acts, and the other roles are played at
    random ("random"), or by a function that takes observations, masks and numbers of roles, an element for each game
    in which one of them is to move, and gives their actions. See `env` for the rest.
    """
    options = EpisodeOptions(reward_range, max_steps, illegal_reward)
    games = LaneGames(encoding_of(game), whole_number("num_envs", num_envs, least=1), options)
    learner = _role_in(games.encoding, role)
    made = LanesEnv(games, learner, _checked_others(others), _autoreset(autoreset_mode))
    made.render_mode = checked_render_mode(render_mode)
    return made


class PuzzleEnv(SingleGame, gymnasium.Env[Signs, np.int64]):
    """A game of one role as an environment of Gymnasium."""

    metadata: dict[str, Any] = {"render_modes": [*RENDER_MODES], "render_fps": 1}

    def __init__(self, encoding: Encoding, options: EpisodeOptions, render_mode: str | None) -> None:
        super().__init__(encoding, options, render_mode)
        if len(encoding.roles) > 1:
            raise Unsuitable(
                f"{self.game.name} has {len(encoding.roles)} roles, and an Env of Gymnasium one agent; "
                "vector_env(game, role=..., others='random') plays the other roles, and "
                "gamemaster.bridges.pettingzoo has an agent for each"
            )
        self.role = encoding.roles[0]
        self.observation_space = _row_space(observation_size(encoding, self.role))
        self.action_space = spaces.Discrete(len(encoding.actions))

    def reset(self, *, seed: int | None = None, options: Start = None) -> tuple[Signs, dict[str, Any]]:
        """Begin a game, in options["start"] if that is a state; a seed makes chance the same again."""
        if seed is not None:
            whole_number("seed", seed, least=0)
        super().reset(seed=seed)
        start = start_in(self.game, options)
        self._episode = episode = begin_episode(self._encoding, self._options, self.np_random, start)
        return episode.observation(self.role), self._info(episode)

    def step(self, action: Action) -> tuple[Signs, float, bool, bool, dict[str, Any]]:
        """Make a move, and those of chance until there is a choice again."""
        episode = self._played("step was called")
        if episode.is_over:
            raise no_game("step was called")
        move = episode.move(self.role, action)
        if move is not None:
            episode.step({self.role: move})
            episode.settle()
        return (
            episode.observation(self.role),
            episode.reward(self.role),
            episode.is_terminated,
            episode.is_truncated,
            self._info(episode),
        )

    def _info(self, episode: Episode) -> dict[str, Any]:
        return episode.info(self.role) | {"action_mask": episode.mask(self.role)}


class LanesEnv(VectorEnv[Signs, npt.ArrayLike, Any]):
    """Many games at once as an environment of Gymnasium. `roles` are those but chance, by their numbers."""

    def __init__(self, games: LaneGames, role: str, others: Others, mode: AutoresetMode) -> None:
        encoding = games.encoding
        self.num_envs = games.count
        self.roles, self.role = encoding.roles, role
        self.metadata = {"render_modes": [*RENDER_MODES], "render_fps": 1, "autoreset_mode": mode}
        self.single_observation_space = _row_space(len(encoding.facts))
        self.single_action_space = spaces.Discrete(len(encoding.actions))
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._games, self._others, self._mode = games, others, mode
        self._all: Numbers = np.arange(self.num_envs)
        numbers = [encoding.game.roles.index(name) for name in self.roles]
        self._role_of: Numbers = np.array(numbers, np.intp)  # in the rules, of each of `roles`
        self._number_of: Numbers = np.full(len(encoding.game.roles) + 1, NOBODY, np.intp)
        self._number_of[numbers] = np.arange(len(numbers))  # and back; the last is nobody's
        self._has_begun = False

    @property
    def game(self) -> Game:
        """The game that is played."""
        return self._games.encoding.game

    @property
    def moves(self) -> tuple[str, ...]:
        """The move of each action, as text."""
        return self._games.encoding.texts

    def game_state(self, number: int) -> State:
        """Where one of the games stands, as a State; its steps are counted from its start."""
        return self._games.state(whole_number("number", number, least=0, most=self.num_envs - 1))

    def sample_actions(self) -> Numbers:
        """A legal action for each game, each equally likely, with the generator of `action_space`."""
        return picked(self._masks(), self.action_space.np_random)

    # Steps

    def reset(self, *, seed: int | None = None, options: Start = None) -> tuple[Signs, dict[str, Any]]:
        """Begin all games, or those of options["reset_mask"]; in options["start"] if that is a state."""
        if seed is not None:
            whole_number("seed", seed, least=0)
        super().reset(seed=seed)
        games = np.flatnonzero(self._reset_mask(options or {}))
        self._begin(games, start_in(self.game, options))
        self._has_begun = True
        return self._games.observations(self._all), self._infos()

    def step(self, actions: npt.ArrayLike) -> VectorStep:
        """Take an action in each game; where one was over, begin the next instead, as the autoreset mode says."""
        if not self._has_begun:
            raise no_game("step was called")
        games, chosen = self._games, self._checked(actions, self.num_envs)
        ended = games.is_over
        if self._mode is AutoresetMode.DISABLED and ended.any():
            raise no_game(f"step was called with game {int(ended.argmax())} among others")
        illegal = self._choose(
            np.flatnonzero(~ended), chosen
        )  # first, as it may refuse: then nothing has changed
        self._begin(np.flatnonzero(ended))
        self._go_on()
        terminated, truncated = games.is_terminated.copy(), games.is_truncated.copy()
        rewards = games.rewards[:, self._role_of]
        told = {"rewards": rewards, "illegal": illegal}
        if self._mode is AutoresetMode.SAME_STEP and games.is_over.any():
            told |= self._final(told)
            self._begin(np.flatnonzero(games.is_over))
        own = rewards[:, self.roles.index(self.role)].copy()
        return games.observations(self._all), own, terminated, truncated, self._infos() | told

    def render(self) -> Any:
        """Every state as the render mode says: text, SVG or pixels (with the extra png); None without a mode."""
        if self.render_mode is None:
            return None
        return tuple(drawn(self.game_state(number), self.render_mode) for number in range(self.num_envs))

    def _begin(self, games: Numbers, start: State | None = None) -> None:
        """Begin games; those that end before there is anything to choose are drawn again."""
        for _ in range(MOST_STARTS):
            if not len(games):
                return
            self._games.begin(games, self.np_random, start)
            self._go_on()
            games = games[self._games.is_over[games]]
        raise no_choice(self.game)

    def _choose(self, games: Numbers, actions: Numbers) -> Flags:
        """Take actions [all games] in some of them; which of them were illegal and have ended their game."""
        illegal: Flags = np.zeros(self.num_envs, np.bool_)
        if self._games.options.illegal_reward is not None:
            illegal[games] = ~self._games.is_legal(games, actions[games])
            self._games.forfeit(np.flatnonzero(illegal))
            games = games[~illegal[games]]
        self._games.choose(games, actions[games])
        return illegal

    def _go_on(self) -> None:
        """Make moves until it is the learner's turn in every game."""
        games = self._games
        games.settle(self.np_random)
        if self._others is None:
            return
        learner = self._role_of[self.roles.index(self.role)]
        while len(numbers := np.flatnonzero((games.asked != learner) & (games.asked != NOBODY))):
            games.choose(numbers, self._actions_of_others(numbers))
            games.settle(self.np_random)

    def _actions_of_others(self, numbers: Numbers) -> Numbers:
        """What the other roles do in some games."""
        games, masks = self._games, self._games.masks(numbers)
        if callable(self._others):
            roles = self._number_of[games.asked[numbers]]
            return self._checked(self._others(games.observations(numbers), masks, roles), len(numbers))
        return picked(masks, self.np_random)

    # What comes in and goes out

    def _checked(self, actions: npt.ArrayLike, count: int) -> Numbers:
        """Actions as an array of so many; ParameterError for what is none."""
        array, most = np.asarray(actions), len(self.moves) - 1
        if array.shape != (count,) or not np.issubdtype(array.dtype, np.integer):
            raise ParameterError(
                f"actions must be an array of {count} whole numbers, one for each game, not {array.dtype} of "
                f"shape {array.shape}"
            )
        if count and (array.min() < 0 or array.max() > most):
            wrong = int(np.argmax((array < 0) | (array > most)))
            raise ParameterError(
                f"actions must be from 0 to {most}; the one of game {wrong} is {array[wrong]}"
            )
        return array.astype(np.intp)

    def _reset_mask(self, options: Mapping[str, Any]) -> Flags:
        """Which games to begin."""
        mask = options.get("reset_mask")
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise ParameterError(f"reset_mask must be an array of {self.num_envs} bools, not {shown(mask)}")
        if not self._has_begun and not mask.all():
            raise StateError("reset_mask leaves out games that have not begun; the first reset begins all")
        return mask

    def _masks(self) -> Signs:
        """The legal actions in each game; all where the next action is not looked at, as the next game begins."""
        masks = self._games.masks(self._all)
        if self._mode is AutoresetMode.NEXT_STEP:
            masks[self._games.is_over] = 1
        return masks

    def _infos(self) -> dict[str, Any]:
        return {"action_mask": self._masks(), "to_play": self._number_of[self._games.asked]}

    def _final(self, told: dict[str, Any]) -> dict[str, Any]:
        """What Gymnasium wants to be told of games that end and begin in the same step."""
        rows, over = self._games.observations(self._all), self._games.is_over
        return {"final_obs": rows, "_final_obs": over, "final_info": {**told}, "_final_info": over.copy()}


def _row_space(size: int) -> spaces.Box[np.int8]:
    return spaces.Box(0, 1, (size,), np.int8)


def _role_in(encoding: Encoding, role: str | None) -> str:
    """A role that learns: the first, where none is named."""
    if role is None:
        return encoding.roles[0]
    encoding.game.check_role(role)
    if role == RANDOM:
        raise ParameterError(f"role {role!r} is chance; choose one of {', '.join(encoding.roles)}")
    return role


def _checked_others(others: Others) -> Others:
    if others is None or others == "random" or callable(others):
        return others
    raise ParameterError(f"others must be None, 'random' or a function, not {shown(others)}")


def _autoreset(mode: AutoresetMode | str) -> AutoresetMode:
    """An autoreset mode, given as such or by its name."""
    try:
        return AutoresetMode(mode)
    except ValueError:
        names = ", ".join(repr(each.value) for each in AutoresetMode)
        raise ParameterError(f"autoreset_mode must be one of {names}, not {shown(mode)}") from None


if NAME not in gymnasium.registry:  # notebooks load a module again
    gymnasium.register(NAME, entry_point=f"{__name__}:env", vector_entry_point=f"{__name__}:vector_env")
