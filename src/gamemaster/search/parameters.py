"""What an algorithm can be told: its parameters by name, and texts such as `depth=4` as their values.

They are those of its search function; where that takes any, the fields of the `Options` in its file.
"""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from gamemaster.errors import ParameterError
from gamemaster.search.catalogue import find_algorithm

__all__ = ["Parameter", "parameters_of", "read_parameters"]

GIVEN = ("state", "role", "budget", "seed")
"""What every search is told."""

TRUTH = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}


@dataclass(frozen=True)
class Parameter:
    """A parameter of an algorithm: its name, what is taken unless told, and its type."""

    name: str
    default: Any
    kind: Any

    def __str__(self) -> str:
        return f"{self.name}={_shown(self.default)}"

    def read(self, text: str) -> Any:
        """A text as a value; ValueError where it is none."""
        for kind in _kinds(self.kind):
            try:
                return _read_as(kind, text)
            except ValueError:
                continue
        raise ValueError(f"{text!r} is not {' or '.join(filter(None, map(_in_words, _kinds(self.kind))))}")


def parameters_of(algorithm: str) -> dict[str, Parameter]:
    """The parameters of an algorithm by name."""
    source: Any = find_algorithm(algorithm)
    signature = inspect.signature(source)
    if any(each.kind == each.VAR_KEYWORD for each in signature.parameters.values()):
        source = sys.modules[source.__module__].Options
        signature = inspect.signature(source)
    hints = get_type_hints(source)
    return {
        name: Parameter(name, each.default, hints[name])
        for name, each in signature.parameters.items()
        if name not in GIVEN
    }


def read_parameters(algorithm: str, texts: Iterable[str]) -> dict[str, Any]:
    """The values that texts of the form name=value give; ParameterError where one does not, and what would."""
    known = parameters_of(algorithm)
    there = f"there are: {', '.join(map(str, known.values()))}" if known else "there are none"
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals:
            raise ParameterError(
                f"{text!r} is not a parameter of {algorithm} with a value, name=value; {there}"
            )
        if name not in known:
            raise ParameterError(f"{algorithm} has no parameter {name!r}; {there}")
        try:
            found[name] = known[name].read(value)
        except ValueError as error:
            raise ParameterError(f"{name} of {algorithm}: {error}; {there}") from None
    return found


def _kinds(kind: Any) -> tuple[Any, ...]:
    """The types that a value may have, the strictest first: almost any text is a name."""
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    return tuple(sorted(kinds, key=lambda each: each is str))


def _read_as(kind: Any, text: str) -> Any:
    """A text as a value of one type; ValueError where it is none."""
    if kind is NoneType and text.lower() == "none":
        return None
    if kind is bool and text.lower() in TRUTH:
        return TRUTH[text.lower()]
    if get_origin(kind) is Literal and text in get_args(kind):
        return text
    if kind is int and text.isdecimal():
        return int(text)
    if kind is float and math.isfinite(number := float(text)):
        return number
    if get_origin(kind) is tuple:
        return tuple(filter(None, map(str.strip, text.split(","))))
    if kind is str and text:
        return text
    raise ValueError(text)


def _in_words(kind: Any) -> str:
    """What a text must be to be of a type; nothing for types that no text is of."""
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(get_args(kind))
    if get_origin(kind) is tuple:
        return "names between commas"
    words = {NoneType: "none", bool: "yes or no", int: "a whole number", float: "a number", str: "a name"}
    return words.get(kind, "")


def _shown(value: Any) -> str:
    """A value as it would be written."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    if value is None:
        return "none"
    return f"{value:g}" if isinstance(value, float) else str(getattr(value, "__name__", value))
