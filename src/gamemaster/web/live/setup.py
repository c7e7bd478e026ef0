"""What somebody asks for -> a match that can be begun: names are known, clocks can be kept, addresses may be asked.

Nothing of it is run here but in a worker (`checked_roles`): players and games are what people have typed.
"""

from __future__ import annotations

import ipaddress
import math
import re
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from gamemaster.errors import Forbidden, ParameterError, UnknownPlayer, Unsuitable
from gamemaster.machine.game import RANDOM
from gamemaster.match.drawing import LARGEST_SEED, drawn_seed
from gamemaster.match.transports.http_client import HttpPlayer
from gamemaster.players.catalogue import library_player, player_names, refusal_of
from gamemaster.players.loading import check_player
from gamemaster.store.entries import MatchEntry, Seat, SeatKind
from gamemaster.store.players import is_player_name
from gamemaster.web.jobs import shelf_game

__all__ = [
    "PERSON",
    "SOCKET",
    "MatchSetup",
    "SeatSetup",
    "check_address",
    "check_named",
    "checked_roles",
    "entry_for",
    "kind_of_seat",
    "unknown_player",
]

PERSON, SOCKET = "person", "websocket"
"""What is written for a seat of somebody who comes: a person at a page, or a program at a socket."""

NAMED = re.compile(r"([a-z][a-z0-9]*)(\([a-z_]+=[\w.+-]{1,40}(,[a-z_]+=[\w.+-]{1,40}){0,20}\))?\Z")
LAUNCHED = re.compile(r"[A-Za-z][A-Za-z0-9_-]{1,29}\.[0-9a-f]{4}\Z")
"""The identifier of a player that was launched: no name of any other has a dot in it."""

LONGEST_CLOCK = 24 * 3600.0
LEAST_CLOCK = 0.1
LONGEST_PACE = 10.0
LOOPBACK = ("localhost",)


@dataclass(frozen=True)
class SeatSetup:
    """Who shall play a role."""

    role: str
    player: str
    """A player of the library, perhaps with parameters; one that somebody registered, by its name; one that was
    launched, by its identifier; an address; `person` or `websocket`."""


@dataclass(frozen=True)
class MatchSetup:
    """What somebody asks for."""

    game: str
    seats: tuple[SeatSetup, ...]
    start_clock: float = 10.0
    play_clock: float = 10.0
    think: float = 0.0
    """Seconds for each move that players have where people play too; 0 is the play clock."""

    pace: float = 0.0
    """Seconds between steps at least, for those who watch."""

    is_managed: bool = False
    """Whether somebody begins it by hand, rather than when all have sat down."""

    can_take_back: bool = False
    can_hint: bool = False
    seed: int = field(default_factory=drawn_seed)

    def __post_init__(self) -> None:
        for name, clock in (("start clock", self.start_clock), ("play clock", self.play_clock)):
            if clock != math.inf and not LEAST_CLOCK <= clock <= LONGEST_CLOCK:
                raise ParameterError(
                    f"the {name} is {clock:g} s; it can be from {LEAST_CLOCK} to a day, or none"
                )
        if not (self.think == 0 or LEAST_CLOCK <= self.think <= 600):
            raise ParameterError(
                f"players cannot have {self.think:g} s for a move: from {LEAST_CLOCK} to 600"
            )
        if not 0 <= self.pace <= LONGEST_PACE:
            raise ParameterError(f"{self.pace:g} s between steps; from 0 to {LONGEST_PACE:g}")
        if not 0 <= self.seed <= LARGEST_SEED:
            raise ParameterError(f"the seed {self.seed} is not from 0 to {LARGEST_SEED}")


def kind_of_seat(player: str) -> SeatKind:
    """How a player is reached."""
    if player == PERSON:
        return "person"
    if player == SOCKET:
        return "socket"
    if player.startswith("http://"):
        return "address"
    if LAUNCHED.match(player):
        return "launched"
    return "own" if is_player_name(player) and player not in player_names() else "library"


def check_address(address: str, hosts: Collection[str]) -> None:
    """Forbidden for an address in somebody else's network, unless the operator allows it; PlayerError for none."""
    host = HttpPlayer(address).host  # read as it will be asked
    if set(host) & set("@\\%/?#"):
        raise ParameterError(f"no address: {address[:200]!r}; it should be http://127.0.0.1:9147")
    if host in hosts or "*" in hosts or host in LOOPBACK:
        return
    try:
        is_here = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_here = False
    if not is_here:
        raise Forbidden(
            f"players are asked on this machine only (http://127.0.0.1:PORT), not at {host[:100]!r}; "
            "whoever runs this server can allow more: serve --allow-host"
        )


def check_named(player: str) -> None:
    """UnknownPlayer for what is no player of the library; files are nobody's business here."""
    found = NAMED.match(player)
    if found is None or found[1] not in player_names():
        raise unknown_player(player)


def unknown_player(player: str) -> UnknownPlayer:
    """That nobody is called so, whether or not a private player is."""
    return UnknownPlayer(
        f"the library has no player {player[:100]!r}, and nobody registered one of that name; "
        f"there are: {', '.join(player_names())}"
    )


def checked_roles(game: str, players: Sequence[tuple[str, str]]) -> tuple[list[str], bool]:
    """In a worker: the roles to be played, and whether the game hides its state; an error for what cannot be."""
    made = shelf_game(game)
    roles = [role for role in made.roles if role != RANDOM]
    if [role for role, _ in players] != roles:
        raise ParameterError(f"{game} has the roles {', '.join(roles)}, each of which needs a player")
    for _, player in players:
        if kind_of_seat(player) == "library":
            check_named(player)
            check_player(player)
            name = player.partition("(")[0]
            if made.has_percepts and library_player(name).needs_state:
                raise Unsuitable(refusal_of(name, made, "it needs to know the state, which this game hides"))
    return roles, made.has_percepts


def entry_for(setup: MatchSetup, *, owner: str, is_hidden: bool, title: str) -> MatchEntry:
    """The match as the store keeps it, before it begins."""
    made = secrets.token_hex(5)
    return MatchEntry(
        id=made,
        game=setup.game,
        title=title,
        status="arranged",
        how="",
        seats=tuple(Seat(each.role, each.player, kind_of_seat(each.player)) for each in setup.seats),
        start_clock=setup.start_clock,
        play_clock=setup.play_clock,
        seed=setup.seed,
        steps=0,
        is_hidden=is_hidden,
        created=datetime.now(UTC),
        ended=None,
        owner=owner,
        options={
            "think": setup.think,
            "pace": setup.pace,
            "is_managed": setup.is_managed,
            "can_take_back": setup.can_take_back,
            "can_hint": setup.can_hint,
        },
        record=f"{made}.jsonl",
    )
