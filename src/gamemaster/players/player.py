"""Player: the handlers of a match, and the books that every player in this process keeps.

    ping()                                      ready
    start(role, rules, startclock, playclock)   ready, or Unsuitable: this player cannot play that game
    play(moves)                                 a move, or False where the role has none
    stop(moves)                                 the match is over after these moves
    abort()                                     the match is over, whatever the state

`play` is told what was done in the step before: nothing (None or `nil`) at first, then one move where roles take
turns, or the moves of all roles, by role or in role order. In a game that hides its state (GDL-II) it is told the
role's percepts instead. A `Player` that `needs_state` refuses such a game. Any other chooses among the moves that
`tell_legal` told it before; if nobody did, it works out from what it saw where the game can be.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

from gamemaster.errors import PlayerError, Unsuitable
from gamemaster.language.rules import Rules
from gamemaster.language.terms import Term
from gamemaster.load import MachineName, build, parse
from gamemaster.machine.game import Game, State
from gamemaster.players.collector import without_full_collections
from gamemaster.players.pondering import Pondering, longest_for
from gamemaster.search.budget import Budget, Halt
from gamemaster.search.hidden.beliefs import Beliefs
from gamemaster.search.result import SearchResult

__all__ = [
    "NIL",
    "Handlers",
    "Heard",
    "Player",
    "advance",
    "message_to",
    "moves_told",
    "percepts_told",
    "state_ahead",
]

NIL = "nil"
"""What messages call it when nothing was done yet."""

BELIEVING_SHARE = 0.5
"""Of the time for a move, how much may go to where the game can be."""

AGAIN_SHARE = 0.4
"""How much of it may go to that once more, where nothing was found at first."""

MARGIN, MARGIN_SHARE = 0.1, 0.05
"""Kept back from the play clock for the way to the referee: so many seconds, or that share, whichever is more."""

UNHURRIED_SECONDS = 10.0
"""How long a player thinks whose clock never runs out."""


class Handlers(Protocol):
    """What a match asks of a player."""

    def ping(self) -> object:
        """Whether the player is there: ready or busy."""

    def start(self, role: str, rules: Any, startclock: float, playclock: float) -> object:
        """Get ready to play a role; clocks are in seconds."""

    def play(self, moves: Any) -> object:
        """The move to make after these moves (or percepts)."""

    def stop(self, moves: Any) -> object:
        """The game is over after these moves."""

    def abort(self) -> object:
        """The match is over."""


class Heard(NamedTuple):
    """A step of a match, as a player knows it."""

    legal: tuple[Term, ...]
    own: Term | None  # None where it had no move, or made none that is legal
    told: Any  # what `play` or `stop` was told after it


class Player:
    """The base of players in this process: fill in `choose`, or `choose_from` if the legal moves are all it needs.

    `choose` may look at `role`, `game`, `generator` and `budget`, what it may spend, and leave in `last_result` why it
    chose. It is not asked where the role has only one move, or none.
    """

    needs_state: ClassVar[bool] = True
    believes: ClassVar[bool] = False
    """Whether it wants to know where a hidden game can be (`beliefs`), also where it is told which moves it has."""

    in_machine_code: ClassVar[Sequence[str]] = ()
    """Which searches it runs in machine code, if they are compiled: see search/native/warming.py."""

    ponders: bool = False
    """Whether it thinks while it is not asked (`ponder`): for players that have a process of their own."""

    machine: ClassVar[MachineName] = "auto"
    """Which machine to play on: "auto" takes a game as it is given, and compiles rules if it can."""

    game: Game
    role: str
    state: State
    heard: list[Heard] | None
    """What it did and was told in every step; None where it came late to the match."""

    startclock: float = 0.0
    playclock: float = 0.0
    budget: Budget
    _has_played = False
    _lost: Beliefs | None
    """What it believed before what was seen fitted nothing; it looks again with each move that is asked for."""

    _pondering: Pondering | None = None
    _failure: tuple[Exception, TracebackType | None] | None = None
    """Why it did not start."""

    def __init__(self, seed: int | None = None) -> None:
        self.generator = random.Random(seed)
        self.last_result: SearchResult | None = None
        self._told_legal: tuple[Term, ...] | None = None
        self.beliefs: Beliefs | None = None
        self._lost: Beliefs | None = None
        self._last_move: Term | None = None
        self._last_legal: Sequence[Term] = ()
        self.heard = None
        self._is_started = False

    @property
    def name(self) -> str:
        """What the player is called."""
        return type(self).__name__.lower()

    @property
    def findings(self) -> str:
        """What it found out before the first move, for people to read; by default nothing."""
        return ""

    @property
    def summary(self) -> str:
        """The same in a line; by default the first."""
        return self.findings.partition("\n")[0]

    # What a player fills in

    def inform(self, beliefs: Beliefs) -> None:
        """Tell beliefs, before each step of a hidden game, how others play and what to work with."""

    def prepare(self) -> None:
        """Whatever is to be done before the first move; raise Unsuitable to refuse the game."""

    def choose(self, state: State) -> Term | str | None:
        """The move to make in a state; by default whatever `choose_from` picks."""
        return self.choose_from(state.legal_moves(self.role))

    def choose_from(self, legal: Sequence[Term]) -> Term | str | None:
        """The move to make, of these."""
        raise PlayerError(f"{self.name} has neither choose nor choose_from")

    def ponder(self, state: State, stop: Halt) -> None:
        """Think ahead while nobody asks, until `stop.is_set()`; by default not at all.

        It runs in a thread from the moment the player has answered until the next message, where the player `ponders`;
        no handler runs meanwhile. The state is the next one where that is certain, else the one it has answered in.
        """

    # Handlers

    def ping(self) -> str:
        """Ready: it does nothing while it is not asked."""
        return "ready"

    def start(self, role: str, rules: Game | Rules | str, startclock: float, playclock: float) -> str:
        """Make the game of the rules; UnknownRole or Unsuitable where this player cannot play it."""
        self.rest()
        self._failure = None
        try:
            with without_full_collections():
                ready = self._start(role, rules, startclock, playclock)
        except Exception as error:
            self._failure = error, error.__traceback__
            raise
        self._think_ahead(None)
        return ready

    def _start(self, role: str, rules: Game | Rules | str, startclock: float, playclock: float) -> str:
        self.game = self._game_of(rules)
        self.game.check_role(role)
        self.role = role
        self.startclock, self.playclock = float(startclock), float(playclock)  # messages have them as text
        self.state = self.game.initial_state()
        self.budget = Budget(seconds=thinking_time(self.startclock))
        self._told_legal, self.beliefs, self._lost, self._last_move = None, None, None, None
        self._has_played, self.heard = False, []
        if self.game.has_percepts and self.needs_state:
            raise Unsuitable(
                f"{self.name} cannot play {self.game.name}: it needs to know the state, "
                "and the rules say what each role sees of it"
            )
        self.prepare()
        self._is_started = True
        return "ready"

    def play(self, moves: Any = None) -> Term | str | Literal[False]:
        """The move to make after these moves; False where there is none."""
        began = time.perf_counter()
        self.rest()
        with without_full_collections():
            move = self._play(moves, began)
        self._think_ahead(self._last_move)
        return move

    def _play(self, moves: Any, began: float) -> Term | str | Literal[False]:
        if not self._is_started:
            if self._failure is not None:  # why it did not start is why it does not play
                raise self._failure[0].with_traceback(self._failure[1])
            raise PlayerError(f"{self.name} is asked to play before it is told which game")
        self.last_result = None
        legal = self._legal_after(moves)
        move: Term | str | None = legal[0] if legal else None
        if len(legal) > 1:
            move = self._chosen(legal, Budget(seconds=thinking_time(self.playclock)).since(began))
            if move is None:
                raise PlayerError(f"{self._chooser()} gives None instead of a move: is a return missing?")
        self._made(legal, next((each for each in legal if str(each) == str(move)), None))
        return False if move is None else move

    def stop(self, moves: Any = None) -> Literal[False]:
        """The state is the last one from now on."""
        self.rest()
        if self._is_started and not self.game.has_percepts:
            self.state = advance(self.state, moves)
        self._is_started = False
        return False

    def abort(self) -> Literal[False]:
        """The match is forgotten."""
        self.rest()
        self._is_started = False
        return False

    # While it is not asked

    def rest(self) -> None:
        """Stop thinking, if it thinks while it is not asked."""
        pondering, self._pondering = self._pondering, None
        if pondering is not None:
            pondering.end()

    def _think_ahead(self, move: Term | None) -> None:
        """Begin to think while it is not asked, where it may: on compiled games, as other states may take long."""
        if not self.ponders or type(self).ponder is Player.ponder or self.game.has_percepts:
            return
        if self.game.compiled is None:
            return
        state, role = self.state, self.role

        def think(stop: Halt) -> None:
            ahead = state_ahead(state, role, move)
            if not (stop.is_set() or ahead.is_over):
                self.ponder(ahead, stop)

        self._pondering = Pondering(self.name, think, longest_for(self.startclock, self.playclock))

    # Beside the handlers

    def follow(self, moves: Any, move: Term | None) -> None:
        """Take in what was done, as `play` does, and make a move that somebody else chose."""
        self._made(self._legal_after(moves), move)

    def tell_legal(self, legal: Sequence[Term]) -> None:
        """Which moves the role has in the step to come; for games that hide their state, before each `play`."""
        self._told_legal = tuple(legal)

    def resume(self, state: State) -> None:
        """Go on from another state of the same rules, as if the match had come there."""
        self.heard = None
        self.state = self.game.state(state.ordered_facts, state.step)

    def recall(self, past: Sequence[Any]) -> None:
        """Go on in a hidden game after what was seen so far; what the role did then is not known."""
        self.beliefs, self._lost = Beliefs(self.game, self.role, self.generator), None
        self._last_move, self._has_played, self.heard = None, True, None
        for percepts in past:
            self.beliefs.see(None, percepts, thinking_time(self.playclock) * BELIEVING_SHARE)

    def think(self, state: State, budget: Budget) -> Term | str | None:
        """The move to make in a state, wherever the match is; `last_result` then says why."""
        self.last_result, self.budget = None, budget
        return self.choose(state)

    def think_after(self, percepts: Any, budget: Budget) -> Term | str | None:
        """The move to make in a hidden game after what was seen, `tell_legal` before; `last_result` then says why."""
        self.last_result = None
        legal = self._legal_after(percepts)
        self.budget = budget
        return self.choose_from(legal)

    def _made(self, legal: Sequence[Term], move: Term | None) -> None:
        self._last_legal, self._last_move, self._has_played = legal, move, True

    def _chosen(self, legal: Sequence[Term], budget: Budget) -> Term | str | None:
        if not self.game.has_percepts:
            return self.think(self.state, budget)
        self.budget = budget
        return self.choose_from(legal)

    def _chooser(self) -> str:
        """What it chooses by, and where that is, if it can be seen."""
        has_choose = type(self).choose is not Player.choose and not self.game.has_percepts
        name = "choose" if has_choose else "choose_from"
        code = getattr(getattr(type(self), name), "__code__", None)
        where = f" in line {code.co_firstlineno}" if code else ""
        return f"{name}{where} of {type(self).__name__}"

    def _legal_after(self, moves: Any) -> Sequence[Term]:
        """The role's moves after what was done."""
        if self._has_played and self.heard is not None:
            self.heard.append(Heard(tuple(self._last_legal), self._last_move, moves))
        if not self.game.has_percepts:
            self.state = advance(self.state, moves)
            return () if self.state.is_terminal else self.state.legal_moves(self.role)
        told, self._told_legal = self._told_legal, None
        if told is None:
            return self._believe(moves).legal_moves()
        if self.believes:
            with suppress(PlayerError):  # it came late to the match, or its time did not suffice
                self._believe(moves)
        return told

    def _believe(self, percepts: Any) -> Beliefs:
        """Where the game can be, after these percepts."""
        if not self._has_played:
            self.beliefs = Beliefs(self.game, self.role, self.generator)
            return self.beliefs
        beliefs = self.beliefs or self._lost
        if beliefs is None:
            raise PlayerError(
                f"{self.name} was told which moves are legal in {self.game.name}, and now no longer"
            )
        self.beliefs, self._lost = None, beliefs
        self.inform(beliefs)
        seen = () if percepts is None or percepts == NIL else percepts
        seconds = thinking_time(self.playclock)
        try:
            beliefs.see(self._last_move, seen, seconds * BELIEVING_SHARE)
        except PlayerError:  # to look again is worth more than to think without knowing anything
            self._look_again(beliefs, seen, seconds * AGAIN_SHARE)
        self.beliefs, self._lost = beliefs, None
        return beliefs

    def _look_again(self, beliefs: Beliefs, seen: Any, seconds: float) -> None:
        """Go a step on where that has failed once; what fits nothing now may do so when the next move is asked for."""
        try:
            beliefs.see(self._last_move, seen, seconds)
        except PlayerError:
            beliefs.put_off(self._last_move, seen)
            raise

    def _game_of(self, rules: Game | Rules | str) -> Game:
        if isinstance(rules, str):
            return parse(rules, machine=self.machine)
        if isinstance(rules, Rules):
            return build(rules, "rules", self.machine)
        if self.machine in ("auto", rules.machine.name):
            return rules
        return build(rules.sheet, rules.name, self.machine)


def thinking_time(clock: float) -> float:
    """The seconds of a clock that may be spent on thinking: all but a margin, and at least half of it.

    Where the clock never runs out nobody thinks for ever: somebody may be waiting.
    """
    if clock == math.inf:
        return UNHURRIED_SECONDS
    return max(clock / 2, clock - max(MARGIN, MARGIN_SHARE * clock))


def state_ahead(state: State, role: str, move: Term | None) -> State:
    """The state after a role's move, where no other has a choice; else the same state."""
    if state.is_over or move is None or any(other != role for other in state.choosers):
        return state
    joint = {other: state.legal_moves(other)[0] for other in state.movers}
    return state.next({**joint, role: move})


def advance(state: State, moves: Any) -> State:
    """The state after moves as `play` is told them; IllegalMove where they are not legal there."""
    return state if _is_nothing(moves) else state.next(moves_told(state, moves))


def _is_nothing(moves: Any) -> bool:
    return moves is None or moves in (NIL, (), [])


def percepts_told(role: str, state: State, told: Any) -> frozenset[Term]:
    """What a role saw in a state, from what `play` is told: all moves where the rules hide nothing."""
    if state.game.has_percepts:
        return frozenset() if _is_nothing(told) else frozenset(told)
    return state.percepts(moves_told(state, told))[role]


def moves_told(state: State, moves: Any) -> Mapping[str, Term | str] | Term | str:
    """Moves as `play` is told them, as a state takes them."""
    if isinstance(moves, list | tuple) and not isinstance(moves, Term):
        if len(moves) != len(state.game.roles):
            roles = ", ".join(state.game.roles)
            raise PlayerError(f"told {len(moves)} moves, but the roles are {roles}")
        moves = dict(zip(state.game.roles, moves, strict=True))
    if isinstance(moves, Mapping):
        # A role without a legal move makes none, whatever stands for that: None, nil, noop.
        return {role: move for role, move in moves.items() if state.legal_moves(role)}
    single: Term | str = moves
    return single


def message_to(role: str, state: State, moves: Mapping[str, Term]) -> Any:
    """What `play` tells a role of the joint move made in a state: percepts, the only move, or all moves by role."""
    if state.game.has_percepts:
        return state.percepts(moves)[role]
    return next(iter(moves.values())) if len(moves) == 1 else dict(moves)
