"""Node -> what a player is shown of it: OpenSpiel's observers, for texts and tensors of float32.

Where nothing is hidden that is the state, a number for each fact; all that led to it is its history. Where the rules
hide the state (GDL-II) it is what the role saw in the last step and its own move there, after a number for each player
that says whose it is; all that a player knows is these of all steps.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyspiel

from gamemaster.bridges.encoding import Encoding, Information, Row
from gamemaster.bridges.openspiel.survey import Survey
from gamemaster.errors import ParameterError, Unsuitable

if TYPE_CHECKING:
    from gamemaster.bridges.openspiel.game import SpielState

__all__ = ["SpielObserver", "observer_of", "steps_of_tensor"]

Tensor = npt.NDArray[np.float32]

LARGEST_TENSOR = 1_000_000
"""Larger tensors of all that a player knows are not offered."""


def steps_of_tensor(encoding: Encoding, found: Survey) -> int | None:
    """How many steps the tensor of all that a player knows has; None where there is no such tensor."""
    if not encoding.game.has_percepts or not found.longest:
        return None
    return found.longest if found.longest * _width(encoding) <= LARGEST_TENSOR else None


def observer_of(encoding: Encoding, kind: Any, parameters: object, steps: int | None) -> SpielObserver:
    """The observer of a kind that OpenSpiel asks for, None for its default; ParameterError for parameters.

    Unsuitable where rules hide the state, and what is private is asked for apart from what is public: rules do not
    say what is which.
    """
    if not isinstance(kind, pyspiel.IIGObservationType):
        kind, parameters = pyspiel.IIGObservationType(perfect_recall=False), kind or parameters
    if parameters:  # which OpenSpiel gives alone where no kind is asked for
        raise ParameterError(f"observers of games have no parameters, but {parameters!r} was given")
    is_whole = kind.public_info and kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
    if encoding.game.has_percepts and not is_whole:
        raise Unsuitable(
            f"{encoding.game.name} hides its state, and its rules do not say what is public: ask for what is "
            "public and private to a single player together"
        )
    return _kind_of_observer(encoding, kind)(encoding, steps)


def _kind_of_observer(encoding: Encoding, kind: Any) -> type[SpielObserver]:
    if encoding.game.has_percepts:
        return KnownObserver if kind.perfect_recall else SeenObserver
    if not kind.public_info:
        return NothingObserver
    return HistoryObserver if kind.perfect_recall else StateObserver


class SpielObserver(ABC):
    """What OpenSpiel asks of an observer; `tensor` has all of `dict` one after the other, or is None."""

    tensor: Tensor | None = None

    def __init__(self, encoding: Encoding, steps: int | None = None) -> None:
        self.encoding = encoding
        self.dict: dict[str, Tensor] = {}

    def set_from(self, state: SpielState, player: int) -> None:  # noqa: B027  # some have no tensor
        """Let the tensor be what a player observes in a state."""

    @abstractmethod
    def string_from(self, state: SpielState, player: int) -> str:
        """What a player observes in a state, as text."""

    def _lay_out(self, **shapes: tuple[int, ...]) -> None:
        """Make the tensor, of parts of these shapes."""
        sizes = [prod(shape) for shape in shapes.values()]
        self.tensor = np.zeros(sum(sizes), np.float32)
        parts = np.split(self.tensor, np.cumsum(sizes)[:-1])
        self.dict = {
            name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)
        }


class StateObserver(SpielObserver):
    """The state that everybody sees."""

    def __init__(self, encoding: Encoding, steps: int | None = None) -> None:
        super().__init__(encoding)
        self._lay_out(observation=(len(encoding.facts),))

    def set_from(self, state: SpielState, player: int) -> None:
        """The facts that hold."""
        self.dict["observation"][:] = self.encoding.row(state.node.state)

    def string_from(self, state: SpielState, player: int) -> str:
        """The facts that hold."""
        return str(state)


class HistoryObserver(SpielObserver):
    """All actions, which everybody saw."""

    def string_from(self, state: SpielState, player: int) -> str:
        """The numbers of all actions."""
        return str(state.history_str())


class NothingObserver(SpielObserver):
    """What is private where nothing is."""

    def string_from(self, state: SpielState, player: int) -> str:
        """Nothing."""
        return ""


class SeenObserver(SpielObserver):
    """What a role saw in the last step, and its move there."""

    def __init__(self, encoding: Encoding, steps: int | None = None) -> None:
        super().__init__(encoding)
        self._lay_out(player=(len(encoding.roles),), observation=(_width(encoding),))

    def set_from(self, state: SpielState, player: int) -> None:
        """Who it is, what it saw and what it did."""
        information = state.node.known_to(player)
        self.dict["player"][:] = np.arange(len(self.encoding.roles)) == player
        self.dict["observation"][:] = _seen(self.encoding, state, information)

    def string_from(self, state: SpielState, player: int) -> str:
        """The same as text."""
        return str(state.node.last_seen(player))


class KnownObserver(SpielObserver):
    """All that a role saw and did: a row for each step that a game can have, where that is known."""

    def __init__(self, encoding: Encoding, steps: int | None = None) -> None:
        super().__init__(encoding)
        if steps is not None:
            self._lay_out(
                player=(len(encoding.roles),), steps=(steps,), observations=(steps, _width(encoding))
            )

    def set_from(self, state: SpielState, player: int) -> None:
        """Who it is, which steps were made, and what it saw and did in each."""
        if self.tensor is None:
            return
        information = state.node.known_to(player)
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        self.dict["steps"][: len(information.steps)] = 1
        for number, step in enumerate(information.steps):
            alone = Information(information.role, (step,))
            self.dict["observations"][number] = _seen(self.encoding, state, alone)

    def string_from(self, state: SpielState, player: int) -> str:
        """The same as text."""
        return str(state.node.information(player))


def _width(encoding: Encoding) -> int:
    """The length of the longest observation of a role."""
    return max(encoding.observation_size(role) for role in encoding.roles)


def _seen(encoding: Encoding, state: SpielState, information: Information) -> Row:
    """What a role observes, with zeros behind it up to what others do."""
    row = np.zeros(_width(encoding), np.uint8)
    seen = encoding.observation(state.node.state, information)
    row[: len(seen)] = seen
    return row
