"""The end of a match -> what each role has of it: its goal; where somebody gave up, that is a loss.

The goals in a record are those that the rules give in the last state. Who gives up has nothing of them, and where two
play the other has won.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gamemaster.match import events

__all__ = ["final_scores"]


def final_scores(happened: Sequence[events.Event], roles: Sequence[str]) -> Mapping[str, int | None]:
    """What each role has; nothing for anybody where the match has no end."""
    ended = next((event for event in reversed(happened) if isinstance(event, events.Ended)), None)
    if ended is None:
        return {}
    resigned = {event.role for event in happened if isinstance(event, events.Resigned)}
    if not resigned:
        return ended.goals
    return {role: 0 if role in resigned else 100 if len(roles) == 2 else None for role in roles}
