"""How a player is reached that somebody chose, and the line to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from gamemaster.match.transports.child_process import ProcessLimits, player_process
from gamemaster.match.transports.http_client import HttpPlayer
from gamemaster.match.transports.transport import Transport
from gamemaster.store.entries import SeatKind
from gamemaster.store.players import OwnPlayer
from gamemaster.web.roster.files import PlayerFiles
from gamemaster.web.roster.veiled import Veiled

__all__ = [
    "LineSpec",
    "address_spec",
    "library_spec",
    "own_spec",
    "veiled_address",
    "veiled_file",
]

LIMITS = ProcessLimits(has_walls=False)
"""Players of the library are ours: a process with limits of its own is enough for them."""


@dataclass(frozen=True)
class LineSpec:
    """A player that somebody chose."""

    name: str
    """What it is called in matches, records and tables."""

    kind: SeatKind
    player: str
    """What a competition takes for it: a name of the library, an address, the path of a file. Only the server may know
    it: a private address, or a folder, is nobody's business."""

    takes_room: bool = field(compare=False)
    """Whether it needs a process that counts in the hall's room for players."""

    line: Callable[[int | None], Transport] = field(compare=False, repr=False)
    """line(seed): a line to it, for one match."""


def library_spec(player: str) -> LineSpec:
    """A player of the library, perhaps with parameters."""
    return LineSpec(player, "library", player, True, lambda seed: player_process(player, seed, LIMITS))


def address_spec(address: str) -> LineSpec:
    """A player at an address that somebody typed."""
    return LineSpec(address, "address", address, False, lambda _: HttpPlayer(address))


def own_spec(own: OwnPlayer, files: PlayerFiles) -> LineSpec:
    """A player that somebody registered, or uploaded."""
    if own.kind == "address":
        return LineSpec(own.name, "own", own.address, False, lambda _: veiled_address(own.address, own.name))
    path = str(files.path(own.file, own.name))
    return LineSpec(own.name, "own", path, True, lambda seed: veiled_file(files, own.file, own.name, seed))


def veiled_address(address: str, name: str) -> Veiled:
    """A line to a player at an address, which tells nobody where that is."""
    line = HttpPlayer(address)
    return Veiled(line, name, {address: name, f"{line.host}:{line.port}": name})


def veiled_file(files: PlayerFiles, key: str, name: str, seed: int | None) -> Veiled:
    """A line to a player of an uploaded file, which tells nobody where that is."""
    return Veiled(files.line(key, name, seed), name, {f"{files.folder / key}/": ""})
