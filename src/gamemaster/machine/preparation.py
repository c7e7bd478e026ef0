"""Rules -> Preparation: the first step to the compiled machine, begun before anything heavy is imported.

If the game was made before, its bytes are read from the disk; else its grounding starts in another process, and goes
on while this one imports numpy and LLVM. Why a game does not compile is kept too, so that nobody waits for it twice:
limits are counted, so the answer would be the same.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from gamemaster.codegen.cache import Cache, key_of, pack, unpack
from gamemaster.errors import GamemasterError, LimitExceeded, NotStratified, Place, RulesError, UnsafeRule
from gamemaster.ground.budget import Limits
from gamemaster.ground.clingo_grounder import Grounding, GroundLimits
from gamemaster.ground.narrow import narrowed
from gamemaster.ground.split import split
from gamemaster.language.lower import lower
from gamemaster.language.notation import show
from gamemaster.language.rules import Rules
from gamemaster.machine.game import MAX_LENGTH

__all__ = ["BUILDER", "MADE_BY", "Preparation", "prepare", "remember_failure"]

FIRST_MEGABYTES = 500
"""What the process that grounds takes before it has a rule, clingo among it."""

BYTES_OF_A_RULE = 400

BUILDER = 35
"""Counts up when what is made from the same rules changes: part of the key in the cache."""

MADE_BY = f"gamemaster builder {BUILDER}"
"""What is said in what is kept: who made it. What another made is made again."""


@dataclass(frozen=True)
class Preparation:
    """What is known of a game before it is built: its key, and its bytes on disk or its grounding under way."""

    key: str
    failure_key: str
    everybody_moves: bool
    core: Rules
    kept: bytes | None
    grounding: Grounding | None
    limits: Limits | None = None

    def begin(self) -> Grounding:
        """Begin to ground the rules, in another process."""
        return Grounding(split(narrowed(self.core)), _ground_limits(self.limits))


def prepare(sheet: Rules, limits: Limits | None = None, *, tries_again: bool = False) -> Preparation:
    """Begin to make the compiled game of a rulesheet.

    The error at once that came of it before under the same limits, unless it is to be tried again.
    """
    core = lower(sheet, in_order=False)
    everybody_moves = sheet.notation != "epilog"
    key = key_of("artifact", BUILDER, show(core, "hrf"), everybody_moves, MAX_LENGTH)
    # the places in an error are those of one text, also where another has the same rules
    failure_key = key_of("failure", key, limits, sheet.source.name, sheet.source.text)
    kept = Cache().read(key)
    if kept is None and not tries_again:
        _check_failure(failure_key)
    preparation = Preparation(key, failure_key, everybody_moves, core, kept, None, limits)
    return preparation if kept else replace(preparation, grounding=preparation.begin())


def remember_failure(preparation: Preparation, error: GamemasterError) -> None:
    """Keep why a game does not compile, for whoever wants it next; not what may be otherwise another time."""
    if isinstance(error, LimitExceeded) and error.is_lasting:
        description = {"what": error.what, "allowed": error.allowed, "doing": error.doing, "hint": error.hint}
    elif type(error) in KINDS.values() and isinstance(error, RulesError):
        description = {"kind": error.code, "what": error.what, "hint": error.hint}
    else:
        return
    place = asdict(error.place) if error.place else None
    Cache().write(preparation.failure_key, pack({**description, "place": place, "made_by": MADE_BY}, []))


KINDS: dict[str, type[RulesError]] = {kind.code: kind for kind in (RulesError, UnsafeRule, NotStratified)}
"""What is wrong with rules that nobody sees before they are on the ground."""


def _check_failure(key: str) -> None:
    """The error that is kept, where one is."""
    content = Cache().read(key)
    if content is None:
        return
    try:
        failure, _ = unpack(content)
        if failure["made_by"] != MADE_BY:
            return
        place = Place(**failure["place"]) if failure["place"] else None
        error: GamemasterError
        if "kind" in failure:
            error = KINDS[failure["kind"]](failure["what"], place, hint=failure["hint"])
        else:
            error = LimitExceeded(
                failure["what"], failure["allowed"], doing=failure["doing"], place=place, hint=failure["hint"]
            )
    except (LookupError, TypeError, ValueError):  # whole, but not what is written today: it is found again
        return
    raise error


def _ground_limits(limits: Limits | None) -> GroundLimits | None:
    """What grounding may cost; without limits, what it usually may."""
    if limits is None:
        return None
    megabytes = FIRST_MEGABYTES + limits.rows * BYTES_OF_A_RULE // 1_000_000
    return GroundLimits(limits.seconds, megabytes, limits.rows)
