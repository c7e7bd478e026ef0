"""What play shows to be wrong with rules, as errors that name the place in the sheet; and what a goal is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gamemaster.errors import GameIllDefined, Place, Unsuitable
from gamemaster.language.rules import name_of, relation_of
from gamemaster.language.terms import Compound, Term

if TYPE_CHECKING:
    from gamemaster.machine.game import Game, State

__all__ = [
    "dead_end",
    "no_reward",
    "not_compiled",
    "reward_of",
    "role_hint",
    "rule_place",
    "stranger_in_control",
]

LONGEST_STATE = 300
"""More of a state than this is not shown in an error."""

LARGEST_REWARD = 10**15
"""Goals are no larger than this, nor smaller than its opposite: up to there numbers with a point are exact."""


def dead_end(state: State) -> GameIllDefined:
    """The error for a state in which nobody can move, though it is not terminal."""
    roles = " and ".join(state.game.roles)
    if stranger := stranger_in_control(state):
        what = (
            f"control({stranger}) holds in step {state.step + 1}, and {stranger} is no role: nobody can move"
        )
        return GameIllDefined(what, rule_place(state.game, "role"), hint=role_hint(state.game, stranger))
    facts = _brief(str(state)) or "nothing holds in it"
    what = f"no role has a legal move in step {state.step + 1}, but the state is not terminal: {facts}"
    hint = f"give {roles} a move there (noop, pass), or make the state terminal"
    return GameIllDefined(what, rule_place(state.game, "legal"), hint=hint)


def not_compiled(game: Game, what: str) -> Unsuitable:
    """The error for a game whose facts and moves nobody knows beforehand, so that they cannot be columns."""
    return Unsuitable(
        f"{what} runs on the compiled machine, and {game.name} is on the {game.machine} machine: "
        f"{game.machine.reason}"
    )


def stranger_in_control(state: State) -> Term | None:
    """Who is to move in a state without being a role, if that is so: somebody forgot to name it."""
    facts = [fact for fact in state.ordered_facts if isinstance(fact, Compound)]
    turns = [fact[1] for fact in facts if relation_of(fact) == ("control", 1)]
    has_role = any(str(who) in state.game.roles for who in turns)
    return turns[0] if turns and not has_role else None


def role_hint(game: Game, who: Term) -> str:
    """What to write so that somebody is a role."""
    return f"add (role {who.kif()})" if game.sheet.notation == "kif" else f"add role({who})"


def reward_of(value: object) -> int | None:
    """What a goal is worth: a whole number that all machines and searches can count with; None where it is none."""
    try:
        number = int(str(value))
    except ValueError:
        return None
    return number if abs(number) <= LARGEST_REWARD else None


def no_reward(game: Game, role: str, value: object) -> GameIllDefined:
    """The error for a goal that is no number, or one that nobody can count with."""
    what = f"goal of {role!r} is {_brief(str(value))!r}, not a whole number"
    if _brief(str(value)).removesuffix("...").lstrip("-").isdigit():
        what = f"goal of {role!r} is {_brief(str(value))!r}, more than {LARGEST_REWARD:,}"
    return GameIllDefined(what, rule_place(game, "goal"), hint="write a whole number from 0 to 100")


def rule_place(game: Game, *names: str) -> Place:
    """Where the sheet first speaks of one of these relations: a mistake of play belongs to all its rules."""
    heads = (rule for rule in game.sheet.rules if name_of(rule.head) in names)
    rule = next(heads, None)
    return game.sheet.place(rule.span) if rule else game.sheet.source.place(0)


def _brief(text: str) -> str:
    return text if len(text) <= LONGEST_STATE else text[: LONGEST_STATE - 3] + "..."
