"""One game from its start to its end, as learners play it: actions in; moves made, chance drawn; rows and rewards out.

A step is one joint move. Roles without a choice make their only move, and chance draws with the generator of the
episode. An observation is the state's row; where the rules hide the state (GDL-II) it is two rows, one after the other:
what the role saw and did since its last turn, and what it saw and did before. They say what was seen, not how often nor
in which order; `information` has it all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from gamemaster.bridges.encoding import Encoding, Information, Row
from gamemaster.bridges.pixels import pixels_of
from gamemaster.draw.png import png_of
from gamemaster.draw.svg import draw_svg
from gamemaster.draw.text import draw_text
from gamemaster.errors import IllegalMove, ParameterError, StateError, UnknownRole, Unsuitable
from gamemaster.language.terms import Term
from gamemaster.load import load
from gamemaster.machine.arguments import shown, whole_number
from gamemaster.machine.game import MAX_LENGTH, RANDOM, Game, State, dead_end

__all__ = [
    "MOST_STARTS",
    "RENDER_MODES",
    "Action",
    "Episode",
    "EpisodeOptions",
    "Signs",
    "SingleGame",
    "Start",
    "action_number",
    "begin_episode",
    "checked_render_mode",
    "drawn",
    "encoding_of",
    "endless",
    "no_choice",
    "no_game",
    "observation_size",
    "start_in",
]

RenderMode = Literal["ansi", "svg", "rgb_array"]
RENDER_MODES: tuple[str, ...] = get_args(RenderMode)

MOST_STARTS = 100
"""So often an episode is begun anew that ends before there is anything to choose."""

Signs: TypeAlias = npt.NDArray[np.int8]
"""0 and 1 in the type that Gymnasium's spaces want masks in."""

Action: TypeAlias = int | np.integer[Any]

Start: TypeAlias = Mapping[str, Any] | None
"""The options of a reset: {"start": state} begins there, other options are for others."""


@dataclass(frozen=True)
class EpisodeOptions:
    """What a caller chooses. Goals of 0 and of 100 are worth the ends of `reward_range`, others what lies between."""

    reward_range: tuple[float, float] = (0.0, 1.0)

    max_steps: int | None = None
    """After so many steps an episode is truncated: it is over without a result, and every reward is 0."""

    illegal_reward: float | None = None
    """None: an illegal action is an IllegalMove. A number: it ends the episode, and who took it gets this, others 0."""

    def __post_init__(self) -> None:
        ends = self.reward_range
        if not isinstance(ends, tuple | list) or len(ends) != 2 or not all(map(_is_finite, ends)):
            raise ParameterError(
                "reward_range must be two numbers, what goals of 0 and of 100 are worth, such as (-1, 1), "
                f"not {shown(ends)}"
            )
        if self.max_steps is not None:
            whole_number("max_steps", self.max_steps, least=1)
        if self.illegal_reward is not None and not _is_finite(self.illegal_reward):
            raise ParameterError(f"illegal_reward must be a number or None, not {shown(self.illegal_reward)}")

    def reward(self, goal: int | None) -> float:
        """What a goal is worth; no goal counts as 0."""
        low, high = self.reward_range
        return float(low + (high - low) * (goal or 0) / 100)


def _is_finite(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


# What callers give


def encoding_of(game: str | Path | Game) -> Encoding:
    """The encoding of a game, or of the one with that name or path; Unsuitable where nobody plays it but chance."""
    encoding = Encoding.of(game if isinstance(game, Game) else load(game))
    if not encoding.roles or not encoding.actions:
        raise Unsuitable(f"{encoding.game.name} has no role with moves but chance: there is nothing to learn")
    return encoding


def start_in(game: Game, options: Start) -> State:
    """Where an episode begins: where the options say, or in the initial state."""
    if not isinstance(options, Mapping | None):
        raise ParameterError(
            f'options must be a dict such as {{"start": state}}, or None, not {shown(options)}'
        )
    start = (options or {}).get("start")
    if start is None:
        return game.initial_state()
    game.check_states([start])
    assert isinstance(start, State)
    if start.is_terminal:
        raise StateError(f"the start is a terminal state of {game.name}: nothing can be played from {start}")
    return start


def action_number(action: object, actions: int) -> int:
    """An action as an int, as numpy or Python have it; ParameterError for what is in no action space of that size."""
    plain = action.item() if isinstance(action, np.ndarray) and action.ndim == 0 else action
    return whole_number("action", plain, least=0, most=actions - 1)


def checked_render_mode(mode: str | None) -> str | None:
    """A render mode, or None; ParameterError for any other."""
    if mode is not None and mode not in RENDER_MODES:
        raise ParameterError(
            f"render_mode must be None or one of {', '.join(RENDER_MODES)}, not {shown(mode)}"
        )
    return mode


def no_game(what: str) -> StateError:
    """The error for a call while no game is played."""
    return StateError(f"{what}, and no game is being played: it is over or has not begun; reset() begins one")


def drawn(state: State, mode: str) -> str | npt.NDArray[np.uint8]:
    """A state as text, as SVG or as pixels [height, width, 3]."""
    if mode == "ansi":
        return draw_text(state)
    if mode == "svg":
        return draw_svg(state)
    return pixels_of(png_of(draw_svg(state, theme="light")))


class _Sight:
    """What a role has seen and done of a game that hides its state: rows of its percepts, then of its actions."""

    def __init__(self, size: int) -> None:
        self.recent: Row = np.zeros(size, np.uint8)
        self.before: Row = np.zeros(size, np.uint8)

    def turn(self) -> None:
        """The role had its turn: what it knew is what it knew before."""
        self.before |= self.recent
        self.recent[:] = 0


class Episode:
    """One game that is being played. `state` is where it stands, `history` all joint moves made, as texts."""

    def __init__(
        self, encoding: Encoding, options: EpisodeOptions, generator: np.random.Generator, start: State
    ) -> None:
        self.encoding = encoding
        self.options = options
        self.generator = generator
        self.state = start
        self.first_step = start.step
        self.offenders: frozenset[str] = frozenset()
        """Who has ended the episode by an illegal action."""

        self.history: list[dict[str, str]] = []
        self._turns = dict.fromkeys(encoding.roles, 0)  # how many steps there were before a role's last turn
        self._is_hidden = encoding.game.has_percepts
        hidden_roles = encoding.roles if self._is_hidden else ()
        self._known = {role: Information(role) for role in hidden_roles}
        self._sights = {role: _Sight(encoding.observation_size(role)) for role in hidden_roles}
        self._look()

    def __deepcopy__(self, memo: dict[int, object]) -> Episode:
        """A copy that goes its own way; what never changes, as the game and its states, is shared."""
        other = object.__new__(Episode)
        other.__dict__ |= self.__dict__
        other.generator = deepcopy(self.generator, memo)
        other.history = [*self.history]
        other._turns, other._known = {**self._turns}, {**self._known}
        other._sights = {}
        for role, sight in self._sights.items():
            other._sights[role] = twin = _Sight(0)
            twin.recent, twin.before = sight.recent.copy(), sight.before.copy()
        memo[id(self)] = other
        return other

    # Where it stands

    def _look(self) -> None:
        """Keep what is asked often: whether it is over, and whose choice it is."""
        step, limit = self.state.step - self.first_step, self.options.max_steps
        self.is_terminated = bool(self.offenders) or self.state.is_terminal
        """Whether the game is over."""

        self.is_truncated = limit is not None and step >= limit and not self.is_terminated
        """Whether it was broken off after as many steps as are allowed."""

        self.is_over = self.is_terminated or self.is_truncated
        """Whether no step follows."""

        legal_moves, roles = self.state.legal_moves, () if self.is_over else self.encoding.roles
        self.choosers = tuple([role for role in roles if len(legal_moves(role)) > 1])
        """The roles but chance that have a choice; none where it is over."""

    def reward(self, role: str) -> float:
        """What a role gets: at the end what its goal is worth, before it 0."""
        if self.offenders:
            return float(self.options.illegal_reward or 0) if role in self.offenders else 0.0
        return self.options.reward(self.state.goal(role)) if self.state.is_terminal else 0.0

    # Steps

    def move(self, role: str, action: object) -> Term | None:
        """The move of a role's action; None where it is illegal and that ends the episode. See `illegal_reward`."""
        try:
            return self.encoding.move(self.state, role, action_number(action, len(self.encoding.actions)))
        except IllegalMove:
            if self.options.illegal_reward is None:
                raise
            self.offenders |= {role}
            self._look()
            return None

    def step(self, moves: Mapping[str, Term]) -> None:
        """Make one joint move: those given, by roles who had their turn, and what chance and the forced do."""
        state, forced = self.state, dict[str, Term]()
        for role in self.encoding.game.roles:
            legal = () if role in moves else state.legal_moves(role)
            if role == RANDOM and len(legal) > 1:
                forced[role] = legal[int(self.generator.integers(len(legal)))]
            elif len(legal) == 1:
                forced[role] = legal[0]
        joint = {**forced, **moves}
        if not joint:
            raise dead_end(state)
        self.state = state.next(joint)
        self._look()
        self._tell(state, joint, moves)

    def settle(self) -> None:
        """Make steps as long as nobody but chance has a choice."""
        for _ in range(MAX_LENGTH):
            if self.choosers or self.is_over:
                return
            self.step({})
        raise endless(self.encoding.game)

    def _tell(self, state: State, joint: Mapping[str, Term], turns: Mapping[str, Term]) -> None:
        """Let roles know of a joint move in a state; some of them had their turn."""
        for role in turns:
            self._turns[role] = len(self.history)
        self.history.append({role: self.encoding.text(move) for role, move in joint.items()})
        if not self._is_hidden:
            return
        self._known = self.encoding.informed(state, joint, self._known)
        for role, sight in self._sights.items():
            if role in turns:
                sight.turn()
            sight.recent |= self.encoding.observation(self.state, self._known[role])

    # What a role is told

    def observation(self, role: str) -> Signs:
        """What a role observes: the state, or what it saw and did."""
        if not self._is_hidden:
            return self.encoding.row(self.state).view(np.int8)
        sight = self._sights[role]
        return np.concatenate([sight.recent, sight.before]).view(np.int8)

    def mask(self, role: str) -> Signs:
        """1 for each legal action of a role; none where it is over."""
        if self.is_over:
            return np.zeros(len(self.encoding.actions), np.int8)
        return self.encoding.mask(self.state, role).view(np.int8)

    def information(self, role: str) -> Information:
        """All that a role saw and did, step by step, in a game that hides its state."""
        if role not in self.encoding.roles:
            roles = ", ".join(self.encoding.roles)
            raise UnknownRole(f"no agent {shown(role)} in {self.encoding.game.name}; its agents: {roles}")
        if not self._is_hidden:
            raise Unsuitable(f"{self.encoding.game.name} hides nothing: everybody observes its state")
        return self._known[role]

    def info(self, role: str) -> dict[str, Any]:
        """The step, and for each step from the role's last turn on the moves that it knows of, and its percepts."""
        since = self._turns[role]
        found: dict[str, Any] = {"step": self.state.step}
        if self.offenders:
            found["illegal"] = sorted(self.offenders)
        if not self._is_hidden:
            return found | {"moves": [{**joint} for joint in self.history[since:]]}
        own = [{role: joint[role]} if role in joint else {} for joint in self.history[since:]]
        seen = [sorted(map(str, percepts)) for _, percepts in self._known[role].steps[since:]]
        return found | {"moves": own, "percepts": seen}


def begin_episode(
    encoding: Encoding, options: EpisodeOptions, generator: np.random.Generator, start: State
) -> Episode:
    """An episode in which somebody has a choice; where chance ends one before, another is drawn."""
    for _ in range(MOST_STARTS):
        episode = Episode(encoding, options, generator, start)
        episode.settle()
        if not episode.is_over:
            return episode
    raise no_choice(encoding.game)


def no_choice(game: Game) -> Unsuitable:
    """The error for a game that ends before there is anything to choose."""
    return Unsuitable(f"{game.name} ends, {MOST_STARTS} times of {MOST_STARTS}, before there is a choice")


def endless(game: Game) -> Unsuitable:
    """The error for a game that goes on and on without a choice."""
    return Unsuitable(
        f"{game.name} goes on for {MAX_LENGTH:,} steps in which nobody has a choice; max_steps ends episodes before"
    )


def observation_size(encoding: Encoding, role: str) -> int:
    """The length of what a role observes in an episode."""
    return encoding.observation_size(role) * (2 if encoding.game.has_percepts else 1)


class SingleGame:
    """What environments have that play one game at a time."""

    render_mode: str | None

    def __init__(self, encoding: Encoding, options: EpisodeOptions, render_mode: str | None) -> None:
        self.render_mode = render_mode
        self._encoding, self._options = encoding, options
        self._episode: Episode | None = None

    @property
    def game(self) -> Game:
        """The game that is played."""
        return self._encoding.game

    @property
    def moves(self) -> tuple[str, ...]:
        """The move of each action, as text: `env.moves.index("mark(2,2)")` is an action."""
        return self._encoding.texts

    @property
    def game_state(self) -> State:
        """Where the game stands, as a State: for searches, and for whoever may know it."""
        return self._played("game_state was asked for").state

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """The state as the render mode says: text, SVG or pixels (with the extra png); None without one."""
        state = self._played("render was called").state
        return drawn(state, self.render_mode) if self.render_mode else None

    def _played(self, what: str) -> Episode:
        if self._episode is None:
            raise no_game(what)
        return self._episode
