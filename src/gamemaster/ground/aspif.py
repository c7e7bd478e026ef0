"""What clingo writes of a ground program -> flat arrays, block by block while it is written.

clingo's text (aspif, "ASP intermediate format") has a statement a line, all of it numbers:

    1 0 1 HEAD 0 n LITERAL...                   a rule
    1 1 m HEAD... 0 n LITERAL...                a choice
    1 0 1 HEAD 1 BOUND n LITERAL WEIGHT ...     a threshold

and others that do not matter here. numpy reads a number in 20 ns; a call from clingo to Python takes 2,000 for a rule.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import IO, TypeAlias

import numpy as np
import numpy.typing as npt

from gamemaster.ground.clingo_child import ANSWER, Failure, Most
from gamemaster.ground.program import Threshold

__all__ = ["GroundRules", "read_rules"]

BLOCK = 1 << 20
"""Bytes that are read at a time. They are always as many, so that what is counted is the same another time."""

NEWLINE, SPACE = 10, 32

RULE, CHOICE, WEIGHED = 1, 1, 1
"""The first, second and fifth number of a statement that is a rule, a choice, a threshold."""

Numbers: TypeAlias = "npt.NDArray[np.int32]"
Places: TypeAlias = "npt.NDArray[np.intp]"
Pairs: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]


def read_rules(stream: IO[bytes], most: Most) -> tuple[GroundRules, bytes | Failure]:
    """The rules that are written to a stream, and what follows them; or which limit they are beyond."""
    rules, rest = GroundRules(), b""
    while block := stream.read(BLOCK):
        text, mark, answer = (rest + block).partition(ANSWER)
        end = len(text) if mark else text.rfind(b"\n") + 1
        rules.take(text[:end])
        rest = text[end:]
        if (beyond := rules.beyond(most, rest)) is not None:
            return rules, beyond
        if mark:
            return rules, answer + stream.read()
    return rules, b""


@dataclass
class GroundRules:
    """Ground rules as a Program has them, as far as they have been read."""

    facts: set[int] = field(default_factory=set)
    choices: set[int] = field(default_factory=set)
    heads: array[int] = field(default_factory=lambda: array("i"))
    starts: array[int] = field(default_factory=lambda: array("i", [0]))
    literals: array[int] = field(default_factory=lambda: array("i"))
    thresholds: list[Threshold] = field(default_factory=list)
    weighed: int = 0
    _bodies: dict[Pairs, Pairs] = field(default_factory=dict)

    def beyond(self, most: Most, rest: bytes) -> Failure | None:
        """The limit that these rules are beyond; `rest` is a part of a statement, which may be a long one."""
        counts = {
            "rules": max(len(self.heads), len(self.thresholds)),
            "literals": max(len(self.literals), self.weighed)
            + (rest.count(b" ") if len(rest) > BLOCK else 0),
            "always": len(self.facts),
            "choices": len(self.choices),
        }
        for kind, count in counts.items():
            allowed, *limit = most[kind]
            if count > allowed:
                return ("limit", *limit)
        return None

    def take(self, text: bytes) -> None:
        """Read whole statements."""
        if text.startswith(b"asp"):  # the first line says which format this is
            text = text[text.index(b"\n") + 1 :]
        numbers, starts = _statements(text)
        rules = starts[numbers[starts] == RULE]
        is_choice = numbers[rules + 1] == CHOICE
        heads = numbers[rules + 2]
        is_weighed = numbers[rules + 3 + heads] == WEIGHED
        self._take_choices(numbers, rules[is_choice & ~is_weighed])
        self._take_thresholds(numbers, rules[is_weighed])
        self._take_rules(numbers, rules[~is_choice & ~is_weighed & (heads == 1)])

    def _take_choices(self, numbers: Numbers, places: Places) -> None:
        for place in places.tolist():
            self.choices.update(numbers[place + 3 : place + 3 + numbers[place + 2]].tolist())

    def _take_rules(self, numbers: Numbers, places: Places) -> None:
        """Read rules with one head: facts, and those with a body."""
        heads, sizes = numbers[places + 3], numbers[places + 5]
        self.facts.update(heads[sizes == 0].tolist())
        places, heads, sizes = places[sizes > 0], heads[sizes > 0], sizes[sizes > 0]
        ends = np.cumsum(sizes, dtype=np.int32)
        begins = places + 6 - (ends - sizes)
        literals = numbers[np.arange(ends[-1] if len(ends) else 0) + np.repeat(begins, sizes)]
        ends += len(self.literals)
        self.heads.frombytes(heads.tobytes())
        self.starts.frombytes(ends.tobytes())
        self.literals.frombytes(literals.tobytes())

    def _take_thresholds(self, numbers: Numbers, places: Places) -> None:
        for place in places.tolist():
            body = place + 4 + int(numbers[place + 2])
            bound, size = numbers[body : body + 2].tolist()
            pairs = numbers[body + 2 : body + 2 + 2 * size].tolist()
            both = (tuple(pairs[::2]), tuple(pairs[1::2]))
            both = self._bodies.setdefault(both, both)
            self.weighed += size
            found = numbers[place + 3 : body - 1].tolist()
            self.thresholds += [Threshold(head, bound, *both) for head in found]


def _statements(text: bytes) -> tuple[Numbers, Places]:
    """The numbers of a text, with some more so that every statement has six, and where statements begin."""
    numbers = np.fromstring(text, np.int32, sep=" ")
    raw = np.frombuffer(text, np.uint8)
    separators = raw[raw <= SPACE]
    ends = np.flatnonzero(separators == NEWLINE)
    starts = np.concatenate((np.zeros(1, np.intp), ends + 1))[:-1]
    return np.concatenate((numbers, np.zeros(6, np.int32))), starts
