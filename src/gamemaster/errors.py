"""Everything that can go wrong, in one tree.

GamemasterError
├── RulesError           the rules are wrong; carries code, place (file, line, column, the line) and a hint
│   ├── ReadError        the text cannot be read as rules
│   ├── UnsafeRule       a variable has no value when one is needed
│   └── NotStratified    an atom depends on its own negation
├── LimitExceeded        a budget ran out: time, memory, atoms, depth; says which and how much is allowed
├── IllegalMove          a move that the rules do not allow; also a ValueError
│   └── NoSingleMove     one move where several roles choose at once; says who
├── GameIllDefined       play shows that the rules are wrong: no legal move, no goal, two goals
├── StateError           text that is not a state of this game; also a ValueError
├── Unsuitable           an algorithm or a player cannot handle this game; says why
├── StrategyError        a strategy that says nothing of a state, or a file that is none; says why
├── PlayerError          a player's code cannot be used, or fails
├── NotIsolated          the system does not allow to isolate a player; says what is missing
├── NotInstalled         something optional is not installed; says how to get it
├── MessageError         a text that is no message of the protocol
├── RecordError          a file that is no record of a match, or one that is not true
├── StoreError           a database that cannot be used
├── CompetitionError     a competition that cannot be held, or gone on with; says all that is wrong with it
│   └── WorkersLost      those who run its matches are gone; says how to go on
├── NameTaken            a name that somebody else has; also a ValueError
├── Overtaken            something was changed elsewhere since somebody began to change it
├── UnknownAccount       nobody of that name; also a LookupError
├── UnknownMatch         no match of that name; also a LookupError
├── UnknownCompetition   no competition of that name, or not for everybody; also a LookupError
├── UnknownGameSet       no set of games of that name; also a LookupError
├── Busy                 too many want the same; says to come again
│   └── TooMuch          somebody wants more than their part of it
├── Forbidden            what somebody may not do or see; says why
├── ParameterError       a parameter that does not exist, or not with that value; also a ValueError
├── UnknownGame          no game of that name; also a LookupError
├── UnknownRole          the game has no such role; also a ValueError
├── UnknownPlayer        no player of that name; also a LookupError
└── UnknownAlgorithm     no algorithm of that name; also a LookupError
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = [
    "Busy",
    "CompetitionError",
    "Forbidden",
    "GameIllDefined",
    "GamemasterError",
    "IllegalMove",
    "LimitExceeded",
    "MessageError",
    "NameTaken",
    "NoSingleMove",
    "NotInstalled",
    "NotIsolated",
    "NotStratified",
    "Overtaken",
    "ParameterError",
    "Place",
    "PlayerError",
    "ReadError",
    "RecordError",
    "RulesError",
    "StateError",
    "StoreError",
    "StrategyError",
    "TooMuch",
    "UnknownAccount",
    "UnknownAlgorithm",
    "UnknownCompetition",
    "UnknownGame",
    "UnknownGameSet",
    "UnknownMatch",
    "UnknownPlayer",
    "UnknownRole",
    "UnsafeRule",
    "Unsuitable",
    "WorkersLost",
]


@dataclass(frozen=True, slots=True)
class Place:
    """Where in which text: line and column count from 1; `text` is that whole line."""

    file: str
    line: int
    column: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def caret(self) -> str:
        """The line with a caret under the column, two lines, long lines cut around the column."""
        start = max(0, self.column - 1 - 60)
        shown = self.text[start : start + 100].replace("\t", " ")
        return f"  {shown}\n  {' ' * (self.column - 1 - start)}^"


class GamemasterError(Exception):
    """The root: catching it catches everything this package raises on purpose."""


class RulesError(GamemasterError):
    """The rules are wrong at a place; `str()` is one line: `file:line:column: what`."""

    code = "rules"

    def __init__(self, what: str, place: Place | None = None, *, hint: str = "") -> None:
        self.what = what
        self.place = place
        self.hint = hint
        super().__init__(f"{place}: {what}" if place else what)

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_rules_error, (type(self), self.what, self.place, self.hint))


def _rebuild_rules_error(kind: type[RulesError], what: str, place: Place | None, hint: str) -> RulesError:
    """An equal error on the other side of a pickle (the default would lose the keyword argument)."""
    return kind(what, place, hint=hint)


class ReadError(RulesError):
    """The text cannot be read as rules."""

    code = "syntax"


class UnsafeRule(RulesError):
    """A variable has no value when one is needed."""

    code = "unsafe"


class NotStratified(RulesError):
    """An atom depends on its own negation, so it has no truth value."""

    code = "negative-recursion"


class LimitExceeded(GamemasterError):
    """A budget ran out. `what` names it, `allowed` is how much there was; `is_lasting`: so it will be another time.

    `place` is where the rule stands that took most, as far as that is known, and `hint` says what to change there.
    """

    def __init__(
        self,
        what: str,
        allowed: str,
        *,
        doing: str = "",
        is_lasting: bool = True,
        place: Place | None = None,
        hint: str = "",
    ) -> None:
        self.is_lasting = is_lasting
        self.what = what
        self.allowed = allowed
        self.doing = doing
        self.place = place
        self.hint = hint
        super().__init__(f"{what} limit of {allowed} exceeded" + (f" {doing}" if doing else ""))

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_limit_exceeded, (self.what, self.allowed, self.doing, self.place, self.hint))


def _rebuild_limit_exceeded(
    what: str, allowed: str, doing: str, place: Place | None, hint: str
) -> LimitExceeded:
    """An equal error on the other side of a pickle."""
    return LimitExceeded(what, allowed, doing=doing, place=place, hint=hint)


class IllegalMove(GamemasterError, ValueError):
    """A move that the rules do not allow; names role, move, step and what would be legal."""

    SHOWN = 12
    LONGEST = 200

    def __init__(self, move: object, role: str, step: int, legal: Iterable[object]) -> None:
        self.move = move
        self.role = role
        self.step = step
        self.legal = tuple(legal)
        shown = ", ".join(map(str, self.legal[: self.SHOWN])) or "nothing"
        more = f" and {len(self.legal) - self.SHOWN} more" if len(self.legal) > self.SHOWN else ""
        text = str(move) if len(str(move)) <= self.LONGEST else f"{str(move)[: self.LONGEST]}..."
        super().__init__(f"illegal move {text!r} for role {role!r} in step {step + 1}; legal: {shown}{more}")

    def __reduce__(self) -> tuple[object, ...]:
        return (IllegalMove, (self.move, self.role, self.step, self.legal))


class NoSingleMove(IllegalMove):
    """One move given for a step in which it is not one role's choice; names those whose it is."""

    def __init__(self, move: object, movers: Sequence[str], step: int) -> None:
        self.move, self.movers, self.step = move, tuple(movers), step
        self.role, self.legal = ", ".join(movers), ()
        GamemasterError.__init__(self, self._words())

    def _words(self) -> str:
        text = str(self.move)[: self.LONGEST]
        if not self.movers:
            return f"move {text!r} in step {self.step + 1}, in which nobody has a legal move"
        who = " and ".join(filter(None, (", ".join(self.movers[:-1]), self.movers[-1])))
        one_each = ", ".join(f"{role!r}: ..." for role in self.movers[:3])
        return f"{text!r} is one move, and in step {self.step + 1} {who} choose at once; give {{{one_each}}}"

    def __reduce__(self) -> tuple[object, ...]:
        return (NoSingleMove, (self.move, self.movers, self.step))


class GameIllDefined(GamemasterError):
    """Play shows that the rules are wrong: no legal move, no goal, two goals; `place` is where they speak of it."""

    def __init__(self, what: str, place: Place | None = None, *, hint: str = "") -> None:
        self.what = what
        self.place = place
        self.hint = hint
        super().__init__((f"{place}: {what}" if place else what) + (f"; {hint}" if hint else ""))

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_ill_defined, (self.what, self.place, self.hint))


def _rebuild_ill_defined(what: str, place: Place | None, hint: str) -> GameIllDefined:
    """An equal error on the other side of a pickle."""
    return GameIllDefined(what, place, hint=hint)


class StateError(GamemasterError, ValueError):
    """Text or facts that are not a state of this game."""


class Unsuitable(GamemasterError):
    """An algorithm or a player cannot handle this game; the message says why."""


class StrategyError(GamemasterError):
    """A strategy that says nothing of a state, or a file that is none; says why."""


class PlayerError(GamemasterError):
    """A player's code cannot be used, or fails."""


class NotIsolated(GamemasterError):
    """The system does not allow to isolate a player; `number` is its own code for why, 0 where it gave none."""

    def __init__(self, what: str, number: int = 0) -> None:
        self.number = number
        super().__init__(what)


class NotInstalled(GamemasterError):
    """Something optional is not installed; the message says how to get it."""


class MessageError(GamemasterError, ValueError):
    """A text that is no message of the protocol."""


class RecordError(GamemasterError):
    """A file that is no record of a match, or one that is not true."""


class StoreError(GamemasterError):
    """A database that cannot be used."""


class CompetitionError(GamemasterError):
    """A competition that cannot be held, or gone on with; `mistakes` is a line for each thing that is wrong."""

    def __init__(self, what: str, mistakes: Iterable[str] = ()) -> None:
        self.what, self.mistakes = what, tuple(mistakes)
        super().__init__("\n".join((what, *(f"  {each}" for each in self.mistakes))))


class WorkersLost(CompetitionError):
    """Those who run matches are gone, and nobody takes their place."""


class NameTaken(GamemasterError, ValueError):
    """A name that somebody else has."""


class Overtaken(GamemasterError):
    """Something was changed elsewhere since somebody began to change it."""


class UnknownAccount(GamemasterError, LookupError):
    """Nobody has that name."""


class UnknownMatch(GamemasterError, LookupError):
    """No match of that name."""


class UnknownCompetition(GamemasterError, LookupError):
    """No competition of that name, or not for whoever asks."""


class UnknownGameSet(GamemasterError, LookupError):
    """No set of games of that name."""


class Busy(GamemasterError):
    """Too many want the same at once; it may be tried again."""


class TooMuch(Busy):
    """Somebody wants more than their part of what there is for all."""


class Forbidden(GamemasterError):
    """What somebody may not do or see, and why."""


class ParameterError(GamemasterError, ValueError):
    """A parameter that does not exist, or not with that value; the message says what there is instead."""


class UnknownGame(GamemasterError, LookupError):
    """No game of that name; the message suggests near ones."""


class UnknownRole(GamemasterError, ValueError):
    """The game has no such role; the message lists those it has."""


class UnknownPlayer(GamemasterError, LookupError):
    """No player of that name; the message lists those there are."""


class UnknownAlgorithm(GamemasterError, LookupError):
    """No algorithm of that name; the message lists those there are."""
