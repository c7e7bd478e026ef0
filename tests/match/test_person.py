"""A person as a player of a match: asked by whoever shows it, judged as everybody is, with a clock or without."""

from __future__ import annotations

import asyncio
import math

import gamemaster as gm
from gamemaster.match.events import Event, Fault, Moved
from gamemaster.match.manager import conduct, make_transports
from gamemaster.match.request import Request
from gamemaster.match.settings import Past, Settings
from gamemaster.match.transports.person import Ask, Person

ENDLESS = Settings(math.inf, math.inf)


def played(ask: Ask, settings: Settings = ENDLESS, past: Past | None = None) -> list[Event]:
    """What happens in a match of a person against the first legal move."""
    game, heard = gm.load("tictactoe", machine="reference"), list[Event]()
    lines = {**make_transports({"o": "legal"}, 0), "x": Person("Ada", ask)}
    asyncio.run(conduct(game, lines, settings, listeners=[heard.append], past=past))
    return heard


def moves_of(heard: list[Event]) -> list[str]:
    return [move for event in heard if isinstance(event, Moved) for move in event.moves.values()]


def test_a_person_is_asked_for_moves_and_nothing_else() -> None:
    asked: list[Request] = []

    async def ask(request: Request) -> object:
        asked.append(request)
        return f"mark(3,{3 - len(asked) // 2})" if len(asked) % 2 else None

    heard = played(ask)
    assert moves_of(heard) == ["mark(3,3)", "mark(1,1)", "mark(3,2)", "mark(1,2)", "mark(3,1)"]
    assert {request.kind for request in asked} == {"play"}
    assert not [event for event in heard if isinstance(event, Fault)]


def test_a_person_is_judged_as_everybody_is() -> None:
    async def ask(_: Request) -> object:
        return "mark(9,9)"

    kinds = {event.kind for event in played(ask) if isinstance(event, Fault) and event.is_error}
    assert kinds == {"illegal"}


def test_the_question_is_taken_back_when_the_clock_runs_out() -> None:
    taken_back = 0

    async def ask(_: Request) -> object:
        nonlocal taken_back
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            taken_back += 1
            raise
        return None

    heard = played(ask, Settings(math.inf, 0.02))
    late = [event for event in heard if isinstance(event, Fault) and event.kind == "late" and event.is_error]
    assert late
    assert taken_back >= len(late)


def test_a_match_with_a_person_goes_on_from_a_cut_past() -> None:
    async def ask(_: Request) -> object:
        return "mark(1,3)"

    moves = [{"x": "mark(1,1)"}, {"o": "mark(2,2)"}, {"x": "mark(1,2)"}, {"o": "mark(3,3)"}]
    game = gm.load("tictactoe", machine="reference")
    states = [game.initial_state()]
    for each in moves:
        states.append(states[-1].next(dict(each)))
    for given in ((), states[1:]):
        assert moves_of(played(ask, past=Past(moves, has_state=True, states=given))) == ["mark(1,3)"]
