"""State -> Board, in the style of its game: what every drawing is made from.

filled     which facts are on which cell, board by board       filling.py
panels     cells with their places, things and marks           cells.py, geometry.py, pieces.py
counters   scores, hands and steps, beside the boards          here
others     the facts that are in none of it                    here
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gamemaster.draw.boards.cells import Marks, panels_of
from gamemaster.draw.boards.filling import FilledBoard, filled
from gamemaster.draw.boards.pieces import Pieces
from gamemaster.draw.finding.facts import natural
from gamemaster.draw.finding.possible import possible_facts
from gamemaster.draw.model import Board, Counter, Thing
from gamemaster.draw.styles.chosen import style_of
from gamemaster.draw.styles.style import CounterStyle, Style, text_at
from gamemaster.language.rules import relation_of
from gamemaster.language.terms import Term
from gamemaster.machine.game import State

__all__ = ["Board", "Marks", "board_of"]

MOST_NEWS = 24
"""More facts of one relation that was not worth telling at the start are not told either."""


def board_of(state: State, marks: Marks | None = None, style: Style | None = None) -> Board:
    """The board of a state, in the style of its game or another; cells of facts under a mark are marked."""
    style = style or style_of(state.game)
    shown = [fact for fact in state.ordered_facts if relation_of(fact) not in style.hidden]
    boards = _enough([(number, filled(board, shown)) for number, board in enumerate(style.boards)])
    pieces = _pieces(state, style, [each for _, each in boards])
    counters = tuple(counter for each in style.counters for counter in _counters(each, shown, pieces))
    told = {fact for _, each in boards for fact in each.drawn}.union(*(each.facts for each in counters))
    return Board(
        panels=tuple(
            panel for number, each in boards for panel in panels_of(number, each, pieces, marks or {})
        ),
        counters=counters,
        others=_in_reading_order(
            state, [*(fact for fact in shown if fact not in told), *_news(state, style)]
        ),
        lined=_in_reading_order(state, [fact for _, each in boards for _, fact in each.lines]),
        legend=pieces.legend(),
        roles=state.game.roles,
    )


def _enough(boards: Sequence[tuple[int, FilledBoard]]) -> list[tuple[int, FilledBoard]]:
    """The boards with enough facts to be drawn, one at least."""
    enough = [(number, each) for number, each in boards if len(each.drawn) >= each.board.least]
    return enough or ([pair for pair in boards if pair[1].drawn] or list(boards))[:1]


def _pieces(state: State, style: Style, boards: Sequence[FilledBoard]) -> Pieces:
    """The things of boards: first all that can be there, then what is."""
    contents = [*map(_possible, boards), *map(_present, boards)]
    return Pieces(
        style,
        state.game.roles,
        contents=(content for several in contents for content in several),
        boards=[dict.fromkeys((*_possible(each), *_present(each))) for each in boards],
    )


def _news(state: State, style: Style) -> Iterator[Term]:
    """What is new of relations that have too many facts to be told, where these are few."""
    for relation in style.news:
        start = {*possible_facts(state.game).initial_of(relation)}
        new = [fact for fact in state.ordered_facts if relation_of(fact) == relation and fact not in start]
        if len(new) <= MOST_NEWS:
            yield from new


def _possible(each: FilledBoard) -> list[str]:
    """All that can be on a board."""
    return [content for content in (*each.board.contents, each.board.empty) if content]


def _present(each: FilledBoard) -> Iterator[str]:
    """What is on a board."""
    return (content for contents in each.contents.values() for content in contents)


# Beside the boards


def _counters(style: CounterStyle, facts: Sequence[Term], pieces: Pieces) -> list[Counter]:
    """The counters of a relation: one for each role, or for each fact."""
    groups: dict[str | None, list[Term]] = {}
    for fact in facts:
        if relation_of(fact) == style.relation:
            whose = text_at(fact, style.role) if style.role is not None else None
            groups.setdefault(whose, []).append(fact)
    in_order = [*pieces.roles, *sorted({*filter(None, groups)} - {*pieces.roles}, key=natural)]
    return [_counter(style, each, groups[each], pieces) for each in (None, *in_order) if each in groups]


def _counter(style: CounterStyle, whose: str | None, facts: Sequence[Term], pieces: Pieces) -> Counter:
    values = [text_at(fact, style.value) or "" for fact in facts] if style.value is not None else []
    return Counter(
        name=" ".join(filter(None, (style.label, whose))),
        value=", ".join(values),
        things=tuple(thing for fact in facts for thing in _things(style, fact, pieces)),
        colour=f"role {pieces.roles.index(whose) + 1}" if whose in pieces.roles else "plain",
        facts=tuple(facts),
    )


def _things(style: CounterStyle, fact: Term, pieces: Pieces) -> list[Thing]:
    if not style.content:
        return []
    content = " ".join(text_at(fact, argument) or "" for argument in style.content)
    count = text_at(fact, style.count) if style.count is not None else None
    many = int(count) if count is not None and count.isdecimal() and len(count) <= 2 else 1
    return [pieces.thing(content)] * many


def _in_reading_order(state: State, facts: Iterable[Term]) -> tuple[Term, ...]:
    """Facts by relation, in the order in which the rules speak of them, and by their values: 2 before 10."""
    order = {relation: position for position, relation in enumerate(possible_facts(state.game).relations)}

    def key(fact: Term) -> tuple[int, list[tuple[int, str]]]:
        return order.get(relation_of(fact), len(order)), natural(str(fact))

    return tuple(sorted(facts, key=key))
