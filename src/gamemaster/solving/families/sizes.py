"""A text such as `cells=3..25` -> the sizes of a game that are meant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from gamemaster.errors import ParameterError
from gamemaster.games.variants import choose
from gamemaster.load import load, source_of
from gamemaster.machine.arguments import shown
from gamemaster.machine.game import Game
from gamemaster.solving.strategies.wording import listed

__all__ = ["LEAST_SIZES", "FamilySizes", "read_sizes", "sizes_of"]

LEAST_SIZES = 3
"""What is fitted to two sizes says nothing before a third one agrees."""

MOST_SIZES = 64
MOST_READ = 10_000
"""Of values in no order so many are looked at, to say how many they are."""

RANGE = re.compile(r"((?:\w+=)+)(\d{1,9})\.\.(\d{1,9})(?::(\d{1,9}))?")


@dataclass(frozen=True, slots=True)
class FamilySizes:
    """A game, the parameter that is its size (or several that go together), and its values in order."""

    name: str
    parameters: tuple[str, ...]
    values: tuple[int, ...]

    @property
    def unknown(self) -> str:
        """What the size is called in formulas."""
        return self.parameters[0]

    def member(self, size: int) -> str:
        """The name of the game of a size."""
        given = ",".join(f"{parameter}={size}" for parameter in self.parameters)
        return f"{self.name}{',' if ':' in self.name else ':'}{given}"

    def load(self, size: int) -> Game:
        """The game of a size."""
        return load(self.member(size))

    def words(self, values: Iterable[int]) -> str:
        """Some of the sizes, as in `cells = 3, 5, ..., 25`."""
        return f"{' = '.join(self.parameters)} = {_run(list(values))}"


def read_sizes(name: str, text: str) -> FamilySizes:
    """The sizes that a text means: `cells=3..25`, every second one `cells=3..25:2`, of two at once `columns=rows=2..9`.

    ParameterError for a text that means none, a parameter or values that the game does not have, and for too many.
    """
    match = RANGE.fullmatch(text.strip())
    if match is None:
        raise ParameterError(
            f"sizes {shown(text)} are no range of a parameter; write cells=3..25, or cells=3..25:2 for every second"
        )
    names, least, most, step = match.groups()
    if step is not None and not int(step):
        raise ParameterError(f"sizes {shown(text)} go on by 0; write 1 or more after the colon")
    if int(least) > int(most):
        raise ParameterError(f"sizes {shown(text)} are none: {least} is more than {most}")
    values = range(int(least), int(most) + 1, int(step or 1))
    return sizes_of(name, names.rstrip("="), values)


def sizes_of(name: str, parameter: str, values: Iterable[int]) -> FamilySizes:
    """The sizes of a game that are meant: `parameter` is its name, or several as in `columns=rows`."""
    if choose(name) is None:
        source_of(name)
        raise ParameterError(
            f"{name} is one sheet of rules without parameters; give a game of the library, or a folder with a game.toml"
        )
    bounded = (
        values
        if isinstance(values, range) and values.step > 0
        else tuple(sorted(set(islice(values, MOST_READ))))
    )
    sizes = FamilySizes(name, tuple(parameter.split("=")), tuple(bounded[:MOST_SIZES]))
    for size in (*bounded[:1], *bounded[-1:]):
        choose(sizes.member(size))
    if not LEAST_SIZES <= len(bounded) <= MOST_SIZES:
        raise ParameterError(
            f"{len(bounded):,} sizes of {name} are too {'few' if len(bounded) < LEAST_SIZES else 'many'}: give "
            f"{LEAST_SIZES} to {MOST_SIZES} values of {parameter}, or leave the sizes away to explain one game"
        )
    return sizes


def _run(values: list[int]) -> str:
    """Numbers, those in the middle left out where they go on alike."""
    step = values[1] - values[0] if len(values) > 1 else 1
    if len(values) > 4 and values == list(range(values[0], values[-1] + 1, step)):
        return f"{values[0]}, {values[1]}, ..., {values[-1]}"
    return listed([str(value) for value in values])
