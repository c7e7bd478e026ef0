"""The names that a style uses -> what they are in the game: relations, and arguments of their facts."""

from __future__ import annotations

import difflib
import re
import time
from functools import cached_property

from gamemaster.draw.finding.possible import possible_facts
from gamemaster.draw.styles.style import Argument
from gamemaster.draw.styles.tables import StyleTable
from gamemaster.errors import GamemasterError
from gamemaster.ground.budget import Limits
from gamemaster.ground.reasoner import Reasoner, Situation
from gamemaster.language.rules import Relation
from gamemaster.language.terms import Compound, Term, term_of
from gamemaster.machine.arguments import shown
from gamemaster.machine.game import Game

__all__ = ["Names"]

ARGUMENT = re.compile(r"[1-9][0-9]?(?:\.[1-9][0-9]?){0,3}(?:\.(?:letter|number|tens|units))?\Z")
WITH_ARITY = re.compile(r"(.+)/([0-9]{1,2})\Z")
SHOWN = 12
"""So many names are listed in an error."""
SECONDS, ROWS = 1.0, 200_000
"""What all lines and areas of a style may take to be found, together; and how many rows at once."""


class Names:
    """What can be named in the style of a game."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.left = SECONDS
        """How long answers may still take."""
        self._answers: dict[Relation, list[Term]] = {}

    @cached_property
    def of_facts(self) -> tuple[Relation, ...]:
        """The relations that states have facts of."""
        return possible_facts(self.game).relations

    @cached_property
    def of_rules(self) -> tuple[Relation, ...]:
        """The relations that the rules define."""
        heads = (rule.head for rule in self.game.rules.rules)
        found = ((head[0], len(head) - 1) for head in heads if isinstance(head, Compound))
        return tuple(dict.fromkeys(found))

    def relation(self, table: StyleTable, key: str, text: str) -> Relation:
        """The relation of facts that is called so; `cell/3` where there are several."""
        return _named(table, key, text, self.of_facts)

    def relations(self, table: StyleTable, key: str, text: str) -> tuple[Relation, ...]:
        """All relations of facts that are called so; `cell/3` is one of them."""
        several = tuple(relation for relation in self.of_facts if relation[0] == text)
        return several or (self.relation(table, key, text),)

    def rule_relation(self, table: StyleTable, key: str, text: str) -> Relation:
        """The relation of the rules that is called so."""
        return _named(table, key, text, self.of_rules)

    def answers(self, relation: Relation) -> list[Term]:
        """The facts of a relation that holds in all states, such as `edge(a,b)`; none if not found in time."""
        if relation not in self._answers:
            begun = time.thread_time()
            self._answers[relation] = self._found(relation) if self.left > 0 else []
            self.left -= time.thread_time() - begun
        return self._answers[relation]

    def _found(self, relation: Relation) -> list[Term]:
        name, arity = relation
        try:
            reasoner = Reasoner(self.game.rules, Limits(seconds=self.left, rows=ROWS))
            rows = reasoner.answers(name, (None,) * arity, Situation(()))
        except GamemasterError:
            return []
        return [Compound((name, *map(term_of, row))) for row in rows]

    def argument(self, table: StyleTable, key: str, arity: int) -> Argument | None:
        """Where an argument is, counted from 1 in the style; None where it is not given."""
        found = table.value(key)
        return None if found is None else _argument(table, key, found, arity)

    def arguments(self, table: StyleTable, key: str, arity: int) -> tuple[Argument, ...] | None:
        """Where several are: a list, or a single one."""
        found = table.value(key)
        if found is None:
            return None
        several = found if isinstance(found, list) else [found]
        return tuple(_argument(table, key, each, arity) for each in several[: arity + 1])


def _named(table: StyleTable, key: str, text: str, known: tuple[Relation, ...]) -> Relation:
    parts = WITH_ARITY.match(text)
    name, arity = (parts[1], int(parts[2])) if parts else (text, None)
    found = [relation for relation in known if relation[0] == name and arity in (None, relation[1])]
    if len(found) == 1:
        return found[0]
    if found:
        choices = " or ".join(f'"{name}/{relation[1]}"' for relation in found)
        raise table.error(f"{key}: there are several relations {shown(name)}", f"write {choices}", key, text)
    names = list(dict.fromkeys(relation[0] for relation in known))
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names[:SHOWN])}"
    raise table.error(f"{key}: the game has no relation {shown(text)}", hint, key, text)


def _argument(table: StyleTable, key: str, found: object, arity: int) -> Argument:
    """`2` is the second argument, `"2.1"` the first of the compound there, `"1.letter"` the b of b7, and so on."""
    text = str(found) if isinstance(found, int) and not isinstance(found, bool) and 0 < found < 100 else found
    if not isinstance(text, str) or not ARGUMENT.match(text):
        hint = f'write {key} = 2 for the second argument, {key} = "2.1" for the first within it'
        raise table.error(f"{key} is {shown(found)}", hint, key)
    steps = tuple(step if step.isalpha() else int(step) - 1 for step in text.split("."))
    if isinstance(steps[0], int) and steps[0] >= arity:
        raise table.error(f"{key} is {shown(found)}", f"the relation has {arity} arguments", key)
    return steps
