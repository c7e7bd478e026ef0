"""Cold positions by a formula: leave the other one of them with every move.

All positions of a small game are labelled, the numbers in them read, and formulas fitted to the cold ones: remainders,
the nim-sum, the golden ratio, sums of Grundy values, a short list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from gamemaster.errors import LimitExceeded, StrategyError, Unsuitable
from gamemaster.language.terms import Compound, Term
from gamemaster.machine.game import Game, State
from gamemaster.network.graph import Wire
from gamemaster.solving.strategies.explained import ExplainedStrategy, other_role, wins_at_once
from gamemaster.solving.strategies.formulas import FORMULAS, Formula, Numbers, fitting
from gamemaster.solving.strategies.induction import Answering
from gamemaster.solving.strategies.numbers import NumberReading, Register, find_readings
from gamemaster.solving.strategies.small import SmallLabels, label_positions
from gamemaster.solving.strategies.unrolling import GatePosition, Round

__all__ = ["ColdStrategy", "cold_candidates"]


@dataclass(frozen=True)
class ColdStrategy(ExplainedStrategy):
    """`reading` says which numbers count, `formula` which of them are cold; it fits all `labelled` positions."""

    kind: ClassVar[str] = "cold positions"

    reading: NumberReading = field(kw_only=True)
    formula: Formula = field(kw_only=True)
    labelled: int = field(default=0, kw_only=True, compare=False)

    def choose(self, state: State) -> tuple[Term, str]:
        """A move that leaves a cold position."""
        for move in state.legal_moves(self.role):
            after = state.next(move)
            numbers = self.reading.numbers(after)
            if numbers is not None and self.formula.is_cold(numbers):
                return move, f"it leaves {', '.join(map(str, numbers))}, which is cold"
        if win := wins_at_once(state, self.role, self.value):
            return win, "it wins at once"
        raise StrategyError("no move leaves a cold position")

    def rule(self) -> str:
        """What to do."""
        return f"look at {self.reading.words()}, and with every move leave a position in which {self.formula.words()}."

    def reason(self) -> str:
        """Why it works."""
        other = other_role(self.game, self.role)
        why = f"no move leads from such a position to another, so {other} always leaves one from which {self.role} can"
        seen = f"; of all {self.labelled:,} positions of the game just these are lost for who is to move"
        return why + (seen if self.labelled else "")

    def details(self) -> dict[str, Any]:
        """NumberReading and formula."""
        registers = [{"place": r.place, "shape": list(r.shape)} for r in self.reading.registers]
        reading = {"how": self.reading.how, "registers": registers, "functor": self.reading.functor}
        return {"reading": reading, "formula": self.formula.to_json()}

    @classmethod
    def from_details(cls, game: Game, role: str, value: int, details: Mapping[str, Any]) -> Self:
        """The strategy again."""
        read, written = details["reading"], dict(details["formula"])
        registers = tuple(Register(int(r["place"]), tuple(map(str, r["shape"]))) for r in read["registers"])
        if read["how"] not in ("values", "gaps", "count"):
            raise StrategyError(f"not a strategy: it reads {read['how']!r}")
        formula = FORMULAS[written.pop("name")](**{key: _as_tuples(part) for key, part in written.items()})
        reading = NumberReading(read["how"], registers, str(read["functor"]))
        return cls(game, role, value, reading=reading, formula=formula)

    def answering(self) -> Answering | None:
        """How it answers, as gates, where the numbers stand in the facts as they are."""
        if self.reading.how != "values":
            return None
        return Answering(self._allows, self._exists, self._conditions, False, "cold positions")

    def _is_cold(self, turn: Round, position: GatePosition) -> Wire:
        wires: list[dict[int, Wire]] = []
        for register in self.reading.registers:
            held = ((fact, wire) for fact, wire in position.facts.items() if register.has(fact))
            wires.append(
                {int(fact[register.place]): wire for fact, wire in held if isinstance(fact, Compound)}
            )
        return self.formula.wire(turn.network, wires)

    def _allows(self, turn: Round) -> Wire:
        return self._is_cold(turn, turn.behind)

    def _exists(self, turn: Round) -> Wire:
        """Whether some move leaves a cold position."""
        found = []
        for move, legal in turn.between.legal.items():
            after = turn.after(turn.between, turn.me, turn.one(turn.me, move))
            found.append(turn.network.both(legal, self._is_cold(turn, after)))
        return turn.network.any_of(found)

    def _conditions(self, turn: Round, position: GatePosition) -> Iterator[Wire]:
        yield self._is_cold(turn, position)


def cold_candidates(game: Game, role: str, value: int, seconds: float) -> Iterator[ColdStrategy]:
    """Strategies by a formula that fits the labels of all positions."""
    try:
        labels = label_positions(game, seconds)
    except (LimitExceeded, Unsuitable):
        return
    start = game.initial_state()
    if labels.cold[start] == (start.chooser == role):
        return
    for reading in find_readings(labels.cold):
        read = _read(labels, reading)
        if read is None:
            continue
        for formula in fitting(*read):
            yield ColdStrategy(game, role, value, reading=reading, formula=formula, labelled=len(labels))


def _read(
    labels: SmallLabels, reading: NumberReading
) -> tuple[dict[Numbers, bool], dict[Numbers, int]] | None:
    """The labels of numbers; None where the numbers do not decide who wins."""
    cold: dict[Numbers, bool] = {}
    grundy: dict[Numbers, int] = {}
    for state, label in labels.cold.items():
        numbers = reading.numbers(state)
        if numbers is None or cold.setdefault(numbers, label) != label:
            return None
        grundy.setdefault(numbers, labels.grundy[state])
    return cold, grundy


def _as_tuples(part: Any) -> Any:
    return tuple(map(_as_tuples, part)) if isinstance(part, list) else part
