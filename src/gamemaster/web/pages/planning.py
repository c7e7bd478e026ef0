"""What the form for a competition says -> a plan: who, what, how often, and how long that may take."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import Request

from gamemaster.arena.checking import check_plan
from gamemaster.arena.competition import PAIRINGS, Competition, Entrant, Pairing
from gamemaster.arena.fixtures import Fixture
from gamemaster.arena.pairings import is_known_at_once
from gamemaster.errors import Forbidden, GamemasterError
from gamemaster.match.drawing import LARGEST_SEED, drawn_seed
from gamemaster.store.accounts import Account
from gamemaster.web.competing.looking import Chosen, LookedOver, looked_over
from gamemaster.web.competing.organizer import PLACES
from gamemaster.web.competing.plans import (
    LONGEST_SECONDS,
    MOST_ENTRANTS,
    MOST_GAMES,
    MOST_MATCHES,
    CompetitionPlan,
    most_matches,
)
from gamemaster.web.competing.sets import listed_games, mistake_in_title, set_of
from gamemaster.web.forms import Typed
from gamemaster.web.shelf import title_of
from gamemaster.web.site import Site, site_of

__all__ = ["CLOCKS", "Planned", "chosen_games", "duration", "planned"]

CLOCKS: Mapping[str, tuple[float, float]] = {"start-clock": (0.1, 600.0), "play-clock": (0.1, 120.0)}
NUMBERS: Mapping[str, tuple[int, int, int]] = {
    "matches": (1, 1, 500),
    "rounds": (5, 1, 50),
    "opening": (0, 0, 20),
    "seed": (0, 0, LARGEST_SEED),
}
"""What is usual, the least and the most."""

LOOKING_SECONDS = 90.0
FIRST_SHOWN = 12
FIELDS = {"players": "players", "games": "games", "test": "players", "name": "name"}
"""At which field of the form a mistake of the arena's is told."""


@dataclass(frozen=True)
class Planned:
    """A competition that can begin."""

    plan: CompetitionPlan
    is_public: bool
    why_private: str
    least: int
    most: int
    seconds: float
    """How long it takes at most, about, where everybody uses all of their clocks."""

    first: tuple[Fixture, ...]

    @property
    def digest(self) -> str:
        """What is begun has to be what was shown."""
        return self.plan.competition.digest


async def planned(request: Request, typed: Typed, account: Account) -> Planned | None:
    """The plan; None where something typed is wrong, which is then told at its field."""
    site = site_of(request)
    names = await chosen_games(request, typed, account)
    players = await _chosen_players(site, typed, account)
    competition = _competition(typed, names, players)
    if typed.mistakes:
        return None
    steps = await asyncio.to_thread(site.store.mean_steps, names)
    looked = await _look(site, typed, (names, players, steps))
    if looked is None:
        return None
    plan = CompetitionPlan(competition, looked.games)
    for mistake in check_plan(competition, plan.roles):
        field = str(mistake.path[0]) if mistake.path else "form"
        typed.mistakes.setdefault(FIELDS.get(field, field.replace("_", "-")), str(mistake))
    if typed.mistakes:
        return None
    least, most = most_matches(competition, plan.roles)
    if most > MOST_MATCHES:
        typed.mistakes["matches"] = (
            f"{most:,} matches; there can be {MOST_MATCHES:,} on this site: fewer players, games or matches, or "
            "`gamemaster tournament` on a machine of yours"
        )
        return None
    seconds = _seconds(plan, looked, most)
    if seconds > LONGEST_SECONDS and not account.is_operator:
        typed.mistakes["play-clock"] = (
            f"this can take {duration(seconds)}, and others wait for it; a competition here has "
            f"{duration(LONGEST_SECONDS)}: shorter clocks, or fewer matches"
        )
        return None
    why = await _why_private(request, names, players)
    is_public = not why and not typed.flag("only-me")
    return Planned(plan, is_public, why, least, most, seconds, tuple(plan.fixtures({})[:FIRST_SHOWN]))


async def _look(
    site: Site, typed: Typed, asked: tuple[list[str], list[Chosen], Mapping[str, float]]
) -> LookedOver | None:
    try:
        looked = await site.workers.slow(looked_over, *asked, seconds=LOOKING_SECONDS)
    except GamemasterError as error:
        typed.mistakes["form"] = str(error)
        return None
    for field, wrong in (("games", looked.game_mistakes), ("players", looked.player_mistakes)):
        if wrong:
            typed.mistakes[field] = "; ".join(wrong)
    return None if typed.mistakes else looked


# What is typed


async def chosen_games(request: Request, typed: Typed, account: Account | None) -> list[str]:
    """The games of a set and those that are ticked or typed, each once; mistakes are told at `games`."""
    site = site_of(request)
    names: list[str] = []
    try:
        if asked := typed.text("set"):
            names += (await asyncio.to_thread(set_of, site.store, asked, account)).games
        names += [name.removeprefix("game-") for name in typed.values if name.startswith("game-")]
        names += listed_games(typed.text("games"), MOST_GAMES)
        names = list(dict.fromkeys(names))
        for name in names:
            await site.brought.check(request, name)
            if site.brought.is_draft(name):
                raise Forbidden(f"{title_of(name)} is a draft, which is forgotten; save it first")
    except GamemasterError as error:
        typed.mistakes["games"] = str(error)
        return []
    if not names or len(names) > MOST_GAMES:
        typed.mistakes["games"] = (
            "choose a game at least" if not names else f"{len(names)} games; there can be {MOST_GAMES}"
        )
    return names


async def _chosen_players(site: Site, typed: Typed, account: Account) -> list[Chosen]:
    names = [line.strip() for line in typed.text("players").splitlines()]
    names += [name.removeprefix("player-") for name in typed.values if name.startswith("player-")]
    names = list(dict.fromkeys(filter(None, names)))
    if not names or len(names) > MOST_ENTRANTS:
        typed.mistakes["players"] = (
            "choose a player at least" if not names else f"{len(names)} players; there can be {MOST_ENTRANTS}"
        )
        return []
    found = []
    for name in names:
        try:
            spec = await site.players.line_spec(name, account)
        except GamemasterError as error:
            typed.mistakes["players"] = str(error)
            return []
        if spec.kind == "launched":
            typed.mistakes["players"] = (
                f"{name} is a player on somebody's page, and comes to single matches only"
            )
            return []
        found.append(Chosen(spec.name, spec.kind, spec.player))
    return found


def _competition(typed: Typed, names: list[str], players: list[Chosen]) -> Competition:
    title = " ".join(typed.text("name").split())
    if wrong := mistake_in_title(title):
        typed.mistakes["name"] = wrong
    pairing = next((each for each in PAIRINGS if each == typed.text("pairing", PAIRINGS[0])), None)
    if pairing is None:
        typed.mistakes["pairing"] = f"there is {', '.join(PAIRINGS)}"
    usual: Pairing = PAIRINGS[0]
    clocks = {name: typed.within(name, 5.0, *CLOCKS[name]) for name in CLOCKS}
    numbers = {name: round(typed.within(name, *NUMBERS[name])) for name in NUMBERS}
    return Competition(
        games=tuple(names),
        entrants=tuple(Entrant(each.name, each.name) for each in players),
        name=title,
        pairing=pairing or usual,
        matches=numbers["matches"],
        rounds=numbers["rounds"],
        start_clock=clocks["start-clock"],
        play_clock=clocks["play-clock"],
        has_cpu_clocks=False,
        opening=numbers["opening"],
        seed=numbers["seed"] if typed.text("seed") else drawn_seed(),
    )


# What it comes to


async def _why_private(request: Request, names: list[str], players: list[Chosen]) -> str:
    """Why only its owner may see it: what is private among its games and players; nothing where nothing is."""
    site = site_of(request)
    for name in names:
        if not await asyncio.to_thread(site.brought.is_listed, name):
            return f"{title_of(name)} is not for everybody"
    for each in players:
        if each.kind == "own" and each.name not in await site.players.available():
            return f"{each.name} is not for everybody"
    return ""


def _seconds(plan: CompetitionPlan, looked: LookedOver, most: int) -> float:
    competition = plan.competition
    if is_known_at_once(competition):
        counts = Counter(each.game for each in plan.fixtures({}))
    else:
        counts = Counter(dict.fromkeys(competition.games, -(-most // len(competition.games))))
    total = sum(
        count * (competition.start_clock + looked.steps[game] * competition.play_clock)
        for game, count in counts.items()
    )
    return total / PLACES


def duration(seconds: float) -> str:
    """How long something takes, for people."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    return f"{minutes / 60:.0f} h" if minutes < 48 * 60 else f"{minutes / 60 / 24:.0f} days"
