"""What an error is to a browser."""

from __future__ import annotations

from gamemaster.errors import (
    Busy,
    Forbidden,
    GamemasterError,
    LimitExceeded,
    NameTaken,
    Overtaken,
    RulesError,
    StoreError,
    TooMuch,
    UnknownAccount,
    UnknownAlgorithm,
    UnknownCompetition,
    UnknownGame,
    UnknownGameSet,
    UnknownMatch,
    UnknownPlayer,
)

__all__ = ["status_of"]

STATUS: tuple[tuple[type[GamemasterError], int], ...] = (
    (UnknownGame, 404),
    (UnknownPlayer, 404),
    (UnknownAlgorithm, 404),
    (UnknownMatch, 404),
    (UnknownCompetition, 404),
    (UnknownGameSet, 404),
    (UnknownAccount, 404),
    (NameTaken, 409),
    (Overtaken, 409),
    (StoreError, 503),
    (Forbidden, 403),
    (TooMuch, 429),
    (Busy, 503),
    (LimitExceeded, 422),
    (RulesError, 422),
    (GamemasterError, 422),
)
"""What an error is to a browser; the first that fits."""


def status_of(error: GamemasterError) -> int:
    """The status that an error has."""
    return next(status for kind, status in STATUS if isinstance(error, kind))
