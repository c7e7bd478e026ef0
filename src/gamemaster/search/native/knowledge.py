"""What was learnt of games, kept in the cache by the digest of their rules: `gamemaster learn`.

The cache trusts a file only if its checksum is right; what it holds must also fit the game. Anything else is as if
nothing had been learnt.
"""

from __future__ import annotations

from gamemaster.codegen.cache import Cache, key_of
from gamemaster.search.native.engine import Engine
from gamemaster.search.native.judgement import Judgement

__all__ = ["keep_judgement", "kept_judgement"]


def _key(engine: Engine) -> str:
    return key_of(
        "judgement", engine.game.digest, engine.row_words, [str(fact) for fact in engine.game.layout.facts]
    )


def kept_judgement(engine: Engine, cache: Cache | None = None) -> Judgement | None:
    """What was learnt of a game before; None where nothing was, or it cannot be trusted."""
    content = (cache or Cache()).read(_key(engine))
    return None if content is None else Judgement.from_bytes(content, engine)


def keep_judgement(engine: Engine, judgement: Judgement, cache: Cache | None = None) -> bool:
    """Keep what was learnt of a game, instead of what was before; whether it could be written."""
    return (cache or Cache()).write(_key(engine), judgement.to_bytes())
