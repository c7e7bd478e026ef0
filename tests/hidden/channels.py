"""A history -> every byte that reaches a role by one of the ways there are: the terminal, the site, messages, bridges.

Each way is a function of a game, a role and a history. What it gives must be the same for two histories that the role
cannot tell apart. Beliefs are kept small, as what they are worked out from is what is tested, and not they.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import math
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np

from gamemaster.bridges.encoding import Encoding
from gamemaster.bridges.episode import Episode, EpisodeOptions
from gamemaster.errors import IllegalMove
from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, Game, State
from gamemaster.match.manager import Manager
from gamemaster.match.referee import Referee
from gamemaster.match.request import Reply, Request
from gamemaster.match.settings import Past, Settings
from gamemaster.match.transports.calling import call_handler
from gamemaster.match.transports.lines import request_to_line
from gamemaster.match.wire.classic import classic_message, classic_text
from gamemaster.match.wire.messages import print_message
from gamemaster.match.wire.protocol import Envelope, Era
from gamemaster.players import sight
from gamemaster.players.player import Player
from gamemaster.search.hidden.beliefs import Beliefs
from gamemaster.store.entries import MatchEntry, Seat
from gamemaster.terminal.hints import Adviser
from gamemaster.terminal.hot_seat import HotSeat
from gamemaster.terminal.keyboard import Quit, TypedLines
from gamemaster.terminal.people import People
from gamemaster.web.api import matches as api
from gamemaster.web.live import looks, table
from gamemaster.web.live.room import Room
from gamemaster.web.live.table import LiveMatch
from gamemaster.web.live.views import NOBODY, Viewer, clock_in_words
from gamemaster.web.pages import live_match
from gamemaster.web.rendering import fragment
from tests.hidden.pairs import History

__all__ = ["CHANNELS", "Channel"]

Channel = Callable[[Game, str, History], str]

STATES = 40
"""So many states a belief has here at most."""

ENOUGH_SECONDS = 600.0
"""What beliefs may take: how busy a machine is changes nothing then."""

MOST_TURNS = 1_000_000
"""So many turns of the loop are waited for a step."""

LINES = ("?", "board", "hint", "help", "no_such_move(1)", "undo", "1000")
"""What a person types that is no move."""


@contextlib.contextmanager
def _small_beliefs() -> Iterator[None]:
    with (
        mock.patch.object(sight, "Beliefs", partial(Beliefs, most=STATES)),
        mock.patch.object(sight, "SECONDS", ENOUGH_SECONDS),
        # machine code may be there for one, and not yet for the other
        mock.patch.object(sight, "new_steps", return_value=None),
    ):
        yield


# The terminal


class _Scripted(HotSeat):
    """A match at a keyboard, in which those who are not asked do what a history says; when that ends, it stops."""

    script: History

    def _automatic(self, state: State) -> dict[str, Term]:
        if state.step < len(self.script.moves):
            return {
                role: move for role, move in self.script.moves[state.step].items() if role not in self.asked
            }
        if not self.asked:
            raise Quit
        return {}


def terminal(game: Game, role: str, history: History) -> str:
    """All that `gamemaster play` prints for a person, and the answers to what one may ask there."""
    typed = [
        str(moves[role])
        for state, moves in zip(history.states, history.moves, strict=True)
        if len(state.legal_moves(role)) > 1
    ]
    seat = _Scripted(game, People(game, (role,), TypedLines([]), Adviser(game.name)), random.Random(7), {})
    seat.script = history
    printed = io.StringIO()
    lines = io.StringIO("".join(f"{line}\n" for line in (*typed, *LINES)))
    with _small_beliefs(), contextlib.redirect_stdout(printed), mock.patch.object(sys, "stdin", lines):
        seat.play()
    return printed.getvalue()


# Messages


class _Listener(Player):
    """A player that writes down what it is told."""

    needs_state = False

    def __init__(self) -> None:
        super().__init__(seed=1)
        self.told: list[str] = []

    def tell_legal(self, legal: Any) -> None:
        self.told.append(f"legal {legal}")

    def play(self, moves: Any = None) -> Any:
        self.told.append(f"play {_sorted(moves)}")
        return False

    def stop(self, moves: Any = None) -> Any:
        self.told.append(f"stop {_sorted(moves)}")
        return False


def _sorted(moves: Any) -> str:
    return str(sorted(map(str, moves))) if isinstance(moves, frozenset) else repr(moves)


def messages(game: Game, role: str, history: History) -> str:
    """All messages to a player, on every line and in every era; the match is ended there, or goes on from there."""
    requests = [*_requests(game, role, history), *_resumed(game, role, history)]
    player = _Listener()
    told = [text for request in requests for text in _written(request)]
    for request in requests:
        call_handler(player, request)
    return "\n".join([*told, *player.told])


def _requests(game: Game, role: str, history: History) -> list[Request]:
    """What the referee sends to a role while a history is played, and when somebody ends it there."""
    referee: Referee = _referee(game, lambda who: history.moves[referee.state.step][who])
    found, now = list[Request](), 0.0
    referee.begin(now)
    while referee.outbox:
        outbox, referee.outbox = referee.outbox, []
        found += [request for request in outbox if request.role == role]
        step = referee.state.step
        if referee.phase == "playing" and step == len(history.moves):
            referee.end(now)
            continue
        for request in outbox:
            move = history.moves[step].get(request.role) if request.kind == "play" else "ready"
            text = None if move is None else str(move)
            referee.receive(now, request.role, Reply(request.number, text, text or ""))
    return found


def _resumed(game: Game, role: str, history: History) -> list[Request]:
    past = Past([{who: str(move) for who, move in moves.items()} for moves in history.moves])
    referee = _referee(game, None, past)
    referee.begin(0.0)
    return [request for request in referee.outbox if request.role == role]


def _referee(game: Game, draw: Any, past: Past | None = None) -> Referee:
    players = {role: "somebody" for role in game.roles if role != RANDOM}
    return Referee(game, players, Settings(10, 10, match="m"), past=past, draw=draw)


def _written(request: Request) -> Iterator[str]:
    yield str(request)
    yield request_to_line(request)
    yield classic_text(request)
    if request.kind != "start":  # the rules are the same for everybody
        message = classic_message(request)
        yield print_message(message, Era.HRF)
        yield print_message(message, Era.IDS)
        yield print_message(Envelope("1", "manager", request.role, message), Era.ENVELOPE)


# Bridges


def bridges(game: Game, role: str, history: History) -> str:
    """What learners observe of an episode, and all that they are told of it."""
    episode = Episode(Encoding.of(game), EpisodeOptions(), np.random.default_rng(1), game.initial_state())
    told = []
    for moves in (*history.moves, None):
        told += [
            episode.observation(role).tobytes().hex(),
            episode.mask(role).tobytes().hex(),
            str(episode.information(role)),
            json.dumps(episode.info(role)),
        ]
        if moves is not None:
            turns = {
                who: move
                for who, move in moves.items()
                if who == RANDOM or len(episode.state.legal_moves(who)) > 1
            }
            episode.step(turns)
    return "\n".join(told)


# The site


def site(game: Game, role: str, history: History) -> str:
    """The page of a match, all that comes over its socket, its JSON and what is said to a move that is none."""
    with tempfile.TemporaryDirectory() as folder, _small_beliefs():
        shown = [mock.patch.object(module, "shelf_game", return_value=game) for module in (looks, table)]
        with shown[0], shown[1]:
            return asyncio.run(_seen_on_site(game, role, history, Path(folder)))


async def _seen_on_site(game: Game, role: str, history: History, folder: Path) -> str:
    match = LiveMatch(_hall(folder), _entry(game))  # type: ignore[arg-type]  # as much of a hall as it needs
    looks._sights.clear()

    def draw(who: str) -> Term:
        assert match.manager is not None
        return history.moves[match.manager.referee.state.step][who]

    async def ask(request: Request) -> Term | None:
        """Whoever is not asked at the end of the history waits there, as if others thought."""
        move = await LiveMatch._ask(match, request)
        if match.step >= len(history.moves):
            await asyncio.Event().wait()
        return move

    match._ask = ask  # type: ignore[method-assign]
    with mock.patch.object(table, "Manager", partial(Manager, draw=draw)):
        match.begin()
        for step, moves in enumerate(history.moves):
            await _until_asked(match, step)
            for who in sorted(match.asked) if match.step == step else ():
                match.move(who, str(moves[who]), step)
        await _until_asked(match, len(history.moves))
        viewer = Viewer((role,))
        said = [await _page(match, viewer), await _page(match, NOBODY), *_refusals(match, role)]
        said.append(api._answer(SimpleNamespace(hall=match.hall), match.entry).model_dump_json())  # type: ignore[arg-type]
        said += [await _chosen(match, role, viewer)]
        await match._leave()
    match.audience.leave()
    return "\n".join(said)


async def _until_asked(match: LiveMatch, step: int) -> None:
    """Until a step is reached, or gone past because nobody is asked in it, and everybody is asked who is."""
    for _ in range(MOST_TURNS):
        if match.manager is not None and match.manager.referee.phase == "playing" and match.step >= step:
            break
        assert match.phase != "interrupted", match.trouble
        await asyncio.sleep(0)
    else:
        raise AssertionError(f"step {step} is not reached, {match.phase}")
    for _ in range(8):
        await asyncio.sleep(0)


async def _page(match: LiveMatch, viewer: Viewer) -> str:
    feed = await match.audience.feed(viewer)
    items = json.dumps([[item.element, item.html] for item in feed.items])
    page = fragment(
        "live_match.html",
        match=match,
        entry=match.entry,
        viewer=viewer,
        feed=feed,
        parts=feed.now["parts"],
        first={name: value for name, value in feed.now.items() if name != "parts"},
        start_clock=clock_in_words(match.entry.start_clock),
        play_clock=clock_in_words(match.entry.play_clock),
        legal=live_match._legal(feed),
        said="",
        token="",
        path="/matches/m",
        here="/matches/m",
        is_getting_ready=False,
        account=None,
    )
    return f"{items}\n{page}\n{json.dumps(feed.now)}"


def _refusals(match: LiveMatch, role: str) -> Iterator[str]:
    for what in ("no_such_move(1)", ""):
        try:
            match.move(role, what, match.step)
        except Exception as error:
            yield f"{type(error).__name__}: {error}"
            if isinstance(error, IllegalMove):
                yield str(error.legal)


async def _chosen(match: LiveMatch, role: str, viewer: Viewer) -> str:
    """What is seen by who has chosen, while others have not: of those nothing is known."""
    if role not in match.asked:
        return ""
    move = match.manager.referee.state.legal_moves(role)[0] if match.manager else None
    match.chosen[role] = str(move)
    match._questions.pop(role)
    feed = await match.audience.feed(viewer)
    feed.publish(await match.audience._view(viewer))
    return json.dumps(feed.now)


def _hall(folder: Path) -> SimpleNamespace:
    """As much of a hall as one match needs."""

    async def live(match: str, job: Callable[..., Any], *arguments: object) -> Any:
        return job(*arguments)

    async def seated(entry: MatchEntry) -> dict[str, Any]:
        return {}

    return SimpleNamespace(
        settings=SimpleNamespace(records=folder),
        store=SimpleNamespace(put=lambda entry: None),
        workers=SimpleNamespace(live=live),
        roster=SimpleNamespace(seated=seated),
        room=Room(9),
        matches={},
        invitation=lambda match, role: "",
        check_room=lambda asker: None,
    )


def _entry(game: Game) -> MatchEntry:
    seats = tuple(Seat(role, "person", "person", key=role) for role in game.roles if role != RANDOM)
    return MatchEntry(
        id="m",
        game=game.name,
        title=game.name,
        status="running",
        how="",
        seats=seats,
        start_clock=math.inf,
        play_clock=math.inf,
        seed=1,
        steps=0,
        is_hidden=game.has_percepts,
        created=datetime(2020, 1, 1, tzinfo=UTC),
        ended=None,
        owner="",
        options={"think": 0},
        record="m.jsonl",
    )


CHANNELS: Mapping[str, Channel] = {
    "terminal": terminal,
    "messages": messages,
    "bridges": bridges,
    "site": site,
}
