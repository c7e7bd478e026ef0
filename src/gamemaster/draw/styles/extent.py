"""Which values the arguments of a relation have: the rows and columns, places and contents of a board.

They are read off the facts that a game declares or starts with, and where it declares none, off what its rules allow.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from gamemaster.draw.boards.shape import Row, axis_of, fact_relation
from gamemaster.draw.boards.symbols import is_blank, most_common
from gamemaster.draw.finding.facts import natural
from gamemaster.draw.finding.possible import possible_facts
from gamemaster.draw.styles.style import Argument, Layer, text_at
from gamemaster.language.rules import Relation
from gamemaster.language.terms import Compound, Term
from gamemaster.machine.game import Game

__all__ = ["Extent", "in_order"]


def in_order(values: Collection[str]) -> Row:
    """Values as an axis: coordinates with their gaps filled, other names in natural order."""
    return axis_of(values) or tuple(sorted(values, key=natural))


@dataclass(frozen=True)
class Extent:
    """What is known of the facts of a relation."""

    game: Game
    relation: Relation

    @property
    def declared(self) -> tuple[Term, ...]:
        """Those that the rules say there can be."""
        return possible_facts(self.game).declared_of(self.relation)

    @property
    def initial(self) -> tuple[Term, ...]:
        """Those that there are at the start."""
        return possible_facts(self.game).initial_of(self.relation)

    @cached_property
    def facts(self) -> tuple[Term, ...]:
        """All that are known, once each."""
        return tuple(dict.fromkeys((*self.declared, *self.initial)))

    def values(self, argument: Argument) -> tuple[str, ...]:
        """What can stand in an argument, in the order in which it is known."""
        found = [text_at(fact, argument) for fact in self.facts]
        seen = dict.fromkeys(text for text in found if text is not None)
        allowed = () if self.declared else self._allowed(argument)
        spoils = axis_of(tuple(seen)) and not axis_of({*seen, *allowed})
        return tuple(seen) if spoils else tuple(dict.fromkeys((*seen, *sorted(allowed))))

    def _allowed(self, argument: Argument) -> Collection[str]:
        """What the rules allow in an argument."""
        owner = self.relation
        for step in argument[:-1]:
            inner = {fact_relation(fact[int(step) + 1]) for fact in self.facts if isinstance(fact, Compound)}
            found = inner.pop() if len(inner) == 1 else None
            if found is None:
                return ()
            owner = found
        last = argument[-1]
        return possible_facts(self.game).domains.get((*owner, last), ()) if isinstance(last, int) else ()

    def contents(self, layer: Layer) -> tuple[str, ...]:
        """What facts can put on a cell."""
        found = [layer.content_of(fact) for fact in self.facts]
        if len(layer.content) == 1:
            found += self.values(layer.content[0])
        return tuple(dict.fromkeys(found)) if layer.content else (layer.says or self.relation[0],)

    def common(self, layer: Layer) -> str | None:
        """The content that more cells have at the start than any other."""
        return most_common(layer.content_of(fact) for fact in self.initial)

    def indexes(self, layer: Layer) -> tuple[Row, ...]:
        """The boards that an index tells apart."""
        return tuple(product(*(self._boards(argument) for argument in layer.index)))

    def _boards(self, argument: Argument) -> Row:
        """The values of an index; roles in their order."""
        values, roles = self.values(argument), self.game.roles
        return (
            tuple(role for role in roles if role in values) if set(values) <= set(roles) else in_order(values)
        )

    def cells(self, layer: Layer) -> frozenset[Row] | None:
        """The cells of which there are facts, where empty ones have facts too; None where all there can be are."""
        if not layer.content:
            return None
        texts = [layer.content_of(fact) for fact in self.initial]
        common = most_common(texts)
        blanks = any(is_blank(content, common) for content in texts)
        if not self.declared and not blanks:
            return None
        return frozenset(key for fact in self.facts if (key := layer.key_of(fact)) is not None)
