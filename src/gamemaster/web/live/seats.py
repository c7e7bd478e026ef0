"""The seats of a match: who sits where, who is still awaited, and how they come: by a link, or over a socket."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from gamemaster.errors import Forbidden
from gamemaster.store.entries import MatchEntry, Seat
from gamemaster.web.live.sockets import SocketSeat
from gamemaster.web.live.views import Viewer

__all__ = ["Seating", "with_key"]


class Seating:
    """What is known of the seats of a match."""

    def __init__(self, entry: MatchEntry, invitation: Callable[[str, str], str]) -> None:
        self.entry = entry
        self.invitation = invitation
        """What the link to a seat has in it."""

        self.at_sockets = {seat.role: SocketSeat(seat.role) for seat in entry.seats if seat.kind == "socket"}

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that somebody plays."""
        return tuple(seat.role for seat in self.entry.seats)

    @property
    def empty_seats(self) -> tuple[str, ...]:
        """The roles for which a person is awaited."""
        return tuple(seat.role for seat in self.entry.seats if seat.kind == "person" and not seat.key)

    def viewer(self, key: str, role: str = "") -> Viewer:
        """Who somebody is here; where the state is hidden one looks with the eyes of one role, which may be named."""
        roles = tuple(seat.role for seat in self.entry.seats if key and seat.key == key)
        if self.entry.is_hidden and len(roles) > 1:
            roles = (role,) if role in roles else roles[:1]
        return Viewer(roles, is_owner=bool(key) and self.entry.owner == key)

    def invitations(self, viewer: Viewer) -> Iterator[tuple[str, str]]:
        """The links for people who are awaited, for those who may hand them on."""
        for role in self.empty_seats if viewer.is_owner or viewer.roles else ():
            yield role, f"/matches/{self.entry.id}/join/{self.invitation(self.entry.id, role)}"

    def sockets(self, viewer: Viewer) -> Iterator[tuple[str, str]]:
        """Where programs connect, for whoever arranged the match."""
        for role in self.at_sockets if viewer.is_owner else ():
            yield role, f"/matches/{self.entry.id}/player/{self.invitation(self.entry.id, role)}"

    def socket_seat(self, token: str) -> SocketSeat:
        """Where the program sits down that knows a token."""
        for role, seat in self.at_sockets.items():
            if token == self.invitation(self.entry.id, role):
                return seat
        raise Forbidden("nobody is awaited at this address")

    def has_come(self, seat: Seat) -> bool:
        """Whether somebody sits there who has to come by themselves."""
        return bool(seat.key) if seat.kind == "person" else self.at_sockets[seat.role].is_taken


def with_key(seats: tuple[Seat, ...], role: str, key: str) -> tuple[Seat, ...]:
    """The seats when somebody has sat down at one."""
    return tuple(replace(seat, key=key) if seat.role == role else seat for seat in seats)
