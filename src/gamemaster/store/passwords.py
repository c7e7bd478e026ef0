"""Passwords -> hashes (argon2id), and whether one fits. Nobody learns from the time it takes whether a name exists."""

from __future__ import annotations

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

__all__ = ["LONGEST", "SHORTEST", "fits", "hashed", "mistake_in"]

SHORTEST, LONGEST = 10, 200
"""Letters of a password."""

HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
"""As OWASP advises for servers: some 30 ms, and 19 MiB while it lasts."""

NOBODY = HASHER.hash("nobody has this password")
"""What is compared with where there is no such name."""

COMMON = frozenset(("password", "passwort", "1234567890", "0123456789", "qwertyuiop", "gamemaster"))


def hashed(password: str) -> str:
    """The hash of a password, with how it was made."""
    return HASHER.hash(password)


def fits(password: str, known: str) -> bool:
    """Whether a password is that of a hash; without a hash it takes as long, and is never right."""
    try:
        return HASHER.verify(known or NOBODY, password[:LONGEST]) and bool(known)
    except (VerificationError, InvalidHashError):
        return False


def mistake_in(password: str, name: str) -> str:
    """What is wrong with a new password, in words; nothing where it is good."""
    if len(password) < SHORTEST:
        return f"a password has {SHORTEST} letters at least; a few words are easy to remember"
    if len(password) > LONGEST:
        return f"a password has {LONGEST} letters at most"
    if len(set(password)) < 4 or any(each in password.lower() and len(password) < 14 for each in COMMON):
        return "that is among the first that anybody would try"
    if name and name.lower() in password.lower() and len(password) < len(name) + SHORTEST // 2:
        return "that is nearly your name"
    return ""
