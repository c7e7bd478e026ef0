"""Game -> an environment of PettingZoo: agents are the roles but chance, actions the numbers of an `Encoding`.

`aec_env` asks one agent after the other. Who has no choice is not asked, as their only move is made for them; where
several choose at once, their moves are made together when the last has chosen, and nobody sees a move before.
`parallel_env` takes the actions of all agents at once; one of its steps is one joint move.

Observations are {"observation": row, "action_mask": mask}, as in PettingZoo's own board games. See `Episode` for what a
row has, also in games that hide their state, and `EpisodeOptions` for rewards, limits and illegal actions.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, Self, TypeAlias

import numpy as np

from gamemaster.bridges.encoding import Encoding, Information
from gamemaster.bridges.episode import (
    RENDER_MODES,
    Action,
    Episode,
    EpisodeOptions,
    Signs,
    SingleGame,
    Start,
    begin_episode,
    checked_render_mode,
    encoding_of,
    no_game,
    observation_size,
    start_in,
)
from gamemaster.errors import IllegalMove, NotInstalled, ParameterError, UnknownRole
from gamemaster.language.terms import Term
from gamemaster.machine.arguments import shown, whole_number
from gamemaster.machine.game import Game

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv  # type: ignore[import-untyped]  # it ships no types
except ImportError:
    raise NotInstalled("this bridge needs PettingZoo: pip install 'gamemaster[pettingzoo]'") from None

__all__ = ["RoleByRole", "RolesAtOnce", "aec_env", "parallel_env"]

Observation: TypeAlias = dict[str, Signs]
Infos: TypeAlias = dict[str, dict[str, Any]]
Step: TypeAlias = tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], Infos]


def aec_env(
    game: str | Path | Game,
    *,
    reward_range: tuple[float, float] = (0.0, 1.0),
    max_steps: int | None = None,
    illegal_reward: float | None = None,
    render_mode: str | None = None,
) -> RoleByRole:
    """The game, by name, by path or itself, as an environment that asks one agent after the other.

    At the end goals of 0 and of 100 are worth the ends of `reward_range`, and goals between what lies between: (-1, 1)
    makes a game zero-sum whose goals add up to 100. After `max_steps` joint moves an episode is truncated, and every
    reward is 0. An illegal action is an IllegalMove; with an `illegal_reward` it ends the episode, whoever took it
    gets that, and the others 0, as with PettingZoo's TerminateIllegalWrapper.
    """
    options = EpisodeOptions(reward_range, max_steps, illegal_reward)
    return RoleByRole(encoding_of(game), options, checked_render_mode(render_mode))


def parallel_env(
    game: str | Path | Game,
    *,
    reward_range: tuple[float, float] = (0.0, 1.0),
    max_steps: int | None = None,
    illegal_reward: float | None = None,
    render_mode: str | None = None,
) -> RolesAtOnce:
    """The game as an environment that takes the actions of all agents at once; see `aec_env`.

    Who has one legal move may leave its action out, and whatever is given for who has none is not looked at.
    """
    options = EpisodeOptions(reward_range, max_steps, illegal_reward)
    return RolesAtOnce(encoding_of(game), options, checked_render_mode(render_mode))


class _Table(SingleGame):
    """What both environments have."""

    metadata: dict[str, Any]
    agents: list[str]

    def __init__(self, encoding: Encoding, options: EpisodeOptions, render_mode: str | None) -> None:
        super().__init__(encoding, options, render_mode)
        self.possible_agents = [*encoding.roles]
        self.agents = []
        self.metadata = {
            "name": encoding.game.name,
            "render_modes": [*RENDER_MODES],
            "render_fps": 1,
            "is_parallelizable": False,
        }
        self.state_space = spaces.Box(0, 1, (len(encoding.facts),), np.int8)
        self._generator = np.random.default_rng()
        self._observation_spaces = {
            role: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, (observation_size(encoding, role),), np.int8),
                    "action_mask": spaces.Box(0, 1, (len(encoding.actions),), np.int8),
                }
            )
            for role in encoding.roles
        }
        self._action_spaces = {role: spaces.Discrete(len(encoding.actions)) for role in encoding.roles}

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A copy that goes its own way, for searches; it shares what nobody changes."""
        memo |= {id(space): space for space in (self.state_space, *self._observation_spaces.values())}
        memo[id(self)] = other = object.__new__(type(self))
        other.__dict__ |= deepcopy(self.__dict__, memo)
        return other

    def observation_space(self, agent: str) -> spaces.Dict:
        """What an agent observes: always the same object."""
        return self._observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The actions of an agent, those of all roles together: always the same object."""
        return self._action_spaces[self._known(agent)]

    def information(self, agent: str) -> Information:
        """All that an agent saw and did, in a game that hides its state; Unsuitable in others."""
        return self._played("information was asked for").information(agent)

    def state(self) -> Signs:
        """The row of the state, also of one that agents do not see: for training that may know everything."""
        return self._encoding.row(self.game_state).view(np.int8)

    def close(self) -> None:
        """Nothing is open."""

    def _seed(self, seed: int | None) -> None:
        if seed is not None:
            self._generator = np.random.default_rng(whole_number("seed", seed, least=0))

    def _known(self, agent: str) -> str:
        if agent not in self.possible_agents:
            agents = ", ".join(self.possible_agents)
            raise UnknownRole(f"no agent {shown(agent)} in {self._encoding.game.name}; its agents: {agents}")
        return agent


class RoleByRole(_Table, AECEnv):  # type: ignore[misc]  # PettingZoo ships no types
    """A game of PettingZoo that asks one agent after the other."""

    agent_selection: str
    rewards: dict[str, float]
    terminations: dict[str, bool]
    truncations: dict[str, bool]
    infos: Infos
    _chosen: dict[str, Term]
    """The moves of this step, as far as agents have chosen them."""

    _waiting: tuple[str, ...]
    """Who has a choice in this step and has not chosen."""

    def __init__(self, encoding: Encoding, options: EpisodeOptions, render_mode: str | None) -> None:
        super().__init__(encoding, options, render_mode)
        self.agent_selection = self.possible_agents[0]  # so that last() before a reset fails with a reason

    def reset(self, seed: int | None = None, options: Start = None) -> None:
        """Begin a game, in options["start"] if that is a state; a seed makes chance the same again."""
        self._seed(seed)
        start = start_in(self.game, options)
        episode = begin_episode(self._encoding, self._options, self._generator, start)
        self._episode, self.agents = episode, [*self.possible_agents]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = (
            None  # of AECEnv, which keeps it from a game that was left before its end
        )
        self._ask(episode)

    def step(self, action: Action | None) -> None:
        """Take the action of the agent that is asked: None from one whose game is over."""
        if not self.agents:
            raise no_game(f"step({shown(action)}) was called")
        agent, episode = self.agent_selection, self._played("step was called")
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        move = episode.move(agent, action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if move is not None:
            self._chosen[agent] = move
            self._waiting = self._waiting[1:]
            if self._waiting:
                self.agent_selection = self._waiting[0]
                return
            episode.step(self._chosen)
            episode.settle()
        self._ask(episode)
        if episode.is_over:
            self.terminations = dict.fromkeys(self.agents, episode.is_terminated)
            self.truncations = dict.fromkeys(self.agents, episode.is_truncated)
            self.rewards = {role: episode.reward(role) for role in self.agents}
            self._accumulate_rewards()

    def observe(self, agent: str) -> Observation:
        """What an agent observes; its mask is all 0 unless it is asked, now or in the same step of the game."""
        episode, role = self._played("observe was called"), self._known(agent)
        is_asked = role in self._waiting
        mask = episode.mask(role) if is_asked else np.zeros(len(self._encoding.actions), np.int8)
        return {"observation": episode.observation(role), "action_mask": mask}

    def _ask(self, episode: Episode) -> None:
        """Turn to those who have a choice, the first first; where it is over, to everybody."""
        self._chosen = {}
        self._waiting = episode.choosers
        self.infos = {role: episode.info(role) for role in self.agents}
        self.agent_selection = (self._waiting or tuple(self.agents))[0]


class RolesAtOnce(_Table, ParallelEnv):  # type: ignore[misc]  # PettingZoo ships no types
    """A game of PettingZoo that takes the actions of all agents at once."""

    def reset(self, seed: int | None = None, options: Start = None) -> tuple[dict[str, Observation], Infos]:
        """Begin a game, in options["start"] if that is a state; a seed makes chance the same again."""
        self._seed(seed)
        episode = Episode(self._encoding, self._options, self._generator, start_in(self.game, options))
        self._episode, self.agents = episode, [*self.possible_agents]
        return self._observations(episode), self._infos(episode)

    def step(self, actions: Mapping[str, Action]) -> Step:
        """Make one joint move."""
        episode = self._played("step was called")
        if not self.agents:
            raise no_game(f"step({shown(actions)}) was called")
        moves = self._moves(episode, actions)
        if not episode.offenders:
            episode.step(moves)
        agents, over = self.agents, episode.is_over
        told = (
            self._observations(episode),
            {role: episode.reward(role) for role in agents},
            dict.fromkeys(agents, episode.is_terminated),
            dict.fromkeys(agents, episode.is_truncated),
            self._infos(episode),
        )
        self.agents = [] if over else agents
        return told

    def _moves(self, episode: Episode, actions: Mapping[str, Action]) -> dict[str, Term]:
        """The moves of all who can move; IllegalMove where one who has a choice has not chosen."""
        if not isinstance(actions, Mapping):
            raise ParameterError(f"actions must be a dict {{agent: action}}, not {shown(actions)}")
        given = {self._known(agent): action for agent, action in actions.items()}
        moves: dict[str, Term] = {}
        for role in self.agents:
            legal = episode.state.legal_moves(role)
            if role in given and legal:
                move = episode.move(role, given[role])
            elif len(legal) > 1:
                raise IllegalMove("no action", role, episode.state.step, legal)
            else:
                move = legal[0] if legal else None
            if move is not None:
                moves[role] = move
        return moves

    def _observations(self, episode: Episode) -> dict[str, Observation]:
        return {
            role: {"observation": episode.observation(role), "action_mask": episode.mask(role)}
            for role in self.agents
        }

    def _infos(self, episode: Episode) -> Infos:
        return {role: episode.info(role) for role in self.agents}
