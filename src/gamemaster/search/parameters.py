"""What an algorithm or a player can be told: its parameters by name, and texts such as `depth=4` as their values.

An algorithm has the parameters of its search function, or the fields of its `Options` (catalogue.py).
Whoever is named can be told them in brackets, wherever names stand: `uct(exploration=0.3,solver=no)`. A comma in
brackets begins the next parameter if a name and `=` follow; else it belongs to the value, as in
`alphabeta(ordering=table,killer)`.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from gamemaster.errors import GamemasterError, ParameterError, UnknownAlgorithm
from gamemaster.machine.moves import between_commas
from gamemaster.search.catalogue import Search, as_called, find_algorithm, options_of
from gamemaster.search.door import check_numbers
from gamemaster.search.evaluation import find_evaluation
from gamemaster.search.result import SearchResult

__all__ = [
    "Named",
    "Parameter",
    "check_known",
    "check_values",
    "parameters_of",
    "parameters_of_callable",
    "read_name",
    "read_parameters",
    "read_values",
    "search_with",
    "split_names",
]

GIVEN = ("state", "role", "budget", "seed")
"""What every search is told."""

TRUTH = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}
WHOLE = re.compile(r"-?[0-9]{1,18}\Z")
BEGINS_PARAMETER = re.compile(r"\s*[A-Za-z_][A-Za-z_0-9]*\s*=(?!=)")


class Named(NamedTuple):
    """A name, and in brackets behind it parameters as texts, name=value."""

    name: str
    settings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Parameter:
    """A parameter: its name, what is taken unless told, and its type."""

    name: str
    default: object
    kind: object
    lowest: int | None = 0
    """Whole numbers below it are refused."""

    def __str__(self) -> str:
        return self.name if self.default is inspect.Parameter.empty else f"{self.name}={_shown(self.default)}"

    def read(self, text: str) -> object:
        """A text as a value; ValueError where it is none."""
        for kind in _kinds(self.kind):
            try:
                return _read_as(kind, text, self.lowest)
            except ValueError:
                continue
        raise ValueError(self._refusal(text))

    def check(self, value: object) -> None:
        """Nothing, where a value is one that a text could be, or of a type that no text is of; else ValueError."""
        if not any(_is_of(kind, value, self.lowest) for kind in _kinds(self.kind)):
            raise ValueError(self._refusal(value))

    def _refusal(self, value: object) -> str:
        return f"{value!r} is not {' or '.join(filter(None, map(_in_words, _kinds(self.kind))))}"


# Names with brackets


def split_names(text: str) -> list[str]:
    """The names between commas; commas in brackets are part of a name."""
    return [piece.strip() for piece in between_commas(text) if piece.strip()]


def read_name(text: str) -> Named:
    """The name and the parameters of `name(a=1,b=2)`; a text without brackets at its end is all name."""
    text = text.strip()
    begin = _bracket_of_end(text)
    if begin is None or not text[:begin].strip():
        return Named(text)
    settings: list[str] = []
    for piece in between_commas(text[begin + 1 : -1]):
        if settings and not BEGINS_PARAMETER.match(piece):
            settings[-1] += f",{piece.strip()}"
        else:
            settings.append(piece.strip())
    return Named(text[:begin].strip(), tuple(settings) if settings != [""] else ())


def _bracket_of_end(text: str) -> int | None:
    """Where the bracket opens that closes at the end of the text."""
    depth = 0
    for place in range(len(text) - 1 if text.endswith(")") else -1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return None


# Parameters and their values


def parameters_of(algorithm: str) -> dict[str, Parameter]:
    """The parameters of an algorithm by name."""
    search = find_algorithm(algorithm)
    source = options_of(algorithm) or search
    hints = get_type_hints(source)
    return {
        name: Parameter(name, each.default, hints[name])
        for name, each in inspect.signature(source).parameters.items()
        if name not in GIVEN
    }


def parameters_of_callable(
    function: Callable[..., object], lowest: int | None = None
) -> dict[str, Parameter]:
    """The keyword parameters of anybody's function or class but its seed; types that it does not tell are guessed."""
    try:
        signature = inspect.signature(function)
        hints = get_type_hints(function.__init__ if isinstance(function, type) else function)  # type: ignore[misc]
    except Exception:  # some classes do not tell, and what stands at a parameter is the author's code
        hints = {}
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):
            return {}
    return {
        name: Parameter(name, each.default, hints.get(name, _guessed(each.default)), lowest)
        for name, each in signature.parameters.items()
        if name != "seed" and each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
    }


def _guessed(default: object) -> object:
    """The type that a value may have in whose place this one stands."""
    if isinstance(default, bool):
        return bool
    return Real if isinstance(default, int | float) else str if isinstance(default, str) else Any


def read_parameters(algorithm: str, texts: Iterable[str]) -> dict[str, Any]:
    """The values that texts of the form name=value give; ParameterError where one does not, and what would."""
    return read_values(algorithm, parameters_of(algorithm), texts)


def read_values(who: str, known: Mapping[str, Parameter], texts: Iterable[str]) -> dict[str, Any]:
    """The same, of whoever has the parameters that are known."""
    there = f"there are: {', '.join(map(str, known.values()))}" if known else "there are none"
    found: dict[str, object] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals:
            raise ParameterError(f"{text!r} is not a parameter of {who} with a value, name=value; {there}")
        if name not in known:
            raise ParameterError(f"{who} has no parameter {name!r}; {there}")
        if name in found:
            raise ParameterError(f"{name} of {who} is given twice")
        try:
            found[name] = known[name].read(value)
        except ValueError as error:
            raise ParameterError(f"{name} of {who}: {error}; {there}") from None
    return found


def check_known(who: str, known: Mapping[str, Parameter], values: Mapping[str, object]) -> None:
    """Nothing, where all are parameters that are known, with values that they can have; else ParameterError."""
    there = f"there are: {', '.join(map(str, known.values()))}" if known else "there are none"
    for name, value in values.items():
        if name not in known:
            raise ParameterError(f"{who} has no parameter {name!r}; {there}")
        try:
            known[name].check(value)
        except ValueError as error:
            raise ParameterError(f"{name} of {who}: {error}; {there}") from None


def check_values(algorithm: str, values: Mapping[str, Any]) -> None:
    """Nothing, where an algorithm can search with these values, as far as it says so before; else ParameterError."""
    check_numbers(algorithm, values)
    find_algorithm(algorithm)
    try:
        (options_of(algorithm) or dict)(**values)
        find_evaluation(values.get("evaluation", _no_evaluation))
    except UnknownAlgorithm as error:
        raise ParameterError(f"{error}; or a function in a file, my_eval.py:name") from None
    except ValueError as error:
        raise _useless(algorithm, values, error) from None


def _no_evaluation(state: object, role: str) -> float:
    """What stands for an evaluation where none is named."""
    raise AssertionError((state, role))


def search_with(algorithm: str, parameters: Mapping[str, object], search: Search | None = None) -> Search:
    """The search of an algorithm with parameters; values that it cannot search with are a ParameterError.

    `search`: what to ask instead, where somebody keeps one from move to move.
    """
    search = find_algorithm(algorithm) if search is None else as_called(algorithm, search)

    def ask(*arguments: Any, **others: Any) -> SearchResult:
        try:
            return search(*arguments, **others, **parameters)
        except (ArithmeticError, ValueError, UnknownAlgorithm) as error:
            is_told = isinstance(error, GamemasterError) and not isinstance(error, UnknownAlgorithm)
            if is_told or not parameters:
                raise
            raise _useless(algorithm, parameters, error) from error

    return ask


def _useless(algorithm: str, values: Mapping[str, object], error: Exception) -> ParameterError:
    given = ", ".join(f"{name}={_shown(value)}" for name, value in values.items())
    return ParameterError(f"{algorithm} cannot search with {given}: {error}")


def _kinds(kind: object) -> tuple[object, ...]:
    """The types that a value may have, the strictest first: almost any text is a name."""
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    return tuple(sorted(kinds, key=lambda each: each is str))


def _read_as(kind: object, text: str, lowest: int | None) -> object:
    """A text as a value of one type; ValueError where it is none."""
    if kind is Any:
        return _read_freely(text)
    if kind is NoneType and text.lower() == "none":
        return None
    if kind is bool and text.lower() in TRUTH:
        return TRUTH[text.lower()]
    if get_origin(kind) is Literal and text in get_args(kind):
        return text
    if kind in (int, Real) and WHOLE.match(text) and (lowest is None or int(text) >= lowest):
        return int(text)
    if kind in (float, Real) and math.isfinite(number := float(text)):
        return number
    if get_origin(kind) is tuple:
        return tuple(filter(None, map(str.strip, text.split(","))))
    if kind is str and text:
        return text
    raise ValueError(text)


def _is_of(kind: object, value: object, lowest: int | None) -> bool:
    """Whether a value is of a type, and one that `_read_as` could give; where no text is of the type, any callable."""
    if kind is NoneType:
        return value is None
    if get_origin(kind) is Literal:
        return value in get_args(kind)
    if kind is bool or isinstance(value, bool):
        return kind in (bool, Any) and isinstance(value, bool)
    if kind in (int, Real) and isinstance(value, Integral):
        return lowest is None or int(value) >= lowest
    if kind in (float, Real, int):
        return kind is not int and isinstance(value, Real) and math.isfinite(value)
    if get_origin(kind) is tuple:
        return isinstance(value, tuple | list) and all(isinstance(each, str) for each in value)
    return isinstance(value, str) and bool(value) if kind is str else kind is Any or callable(value)


def _read_freely(text: str) -> object:
    """A text as what it looks like."""
    for kind in (NoneType, Real, bool):
        try:
            return _read_as(kind, text, None)
        except ValueError:
            continue
    return text


def _in_words(kind: object) -> str:
    """What a text must be to be of a type; nothing for types that no text is of."""
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(map(str, get_args(kind)))
    if get_origin(kind) is tuple:
        return "names between commas"
    words: dict[object, str] = {
        NoneType: "none",
        bool: "yes or no",
        int: "a whole number",
        str: "a name",
    }
    return words.get(kind, "a number" if kind in (float, Real) else "")


def _shown(value: object) -> str:
    """A value as it would be written."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    if value is None:
        return "none"
    return f"{value:g}" if isinstance(value, float) else str(getattr(value, "__name__", value))
