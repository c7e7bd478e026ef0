"""`gamemaster solve` of games with chance, hidden information or simultaneous moves: what an equilibrium is worth."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from math import log10
from pathlib import Path
from typing import Any

from gamemaster.draw.falling import draw_falling
from gamemaster.draw.svg import checked_theme
from gamemaster.errors import LimitExceeded
from gamemaster.machine.game import Game
from gamemaster.players.exploiting import Asking, Exploited, exploit
from gamemaster.players.loading import PlayerFactory, find_player
from gamemaster.search.suitable import EQUILIBRIUM
from gamemaster.solving.equilibrium.equilibrium import Equilibrium
from gamemaster.solving.equilibrium.solver import (
    CFR_PLUS,
    Aim,
    SolveProgress,
    discounts_of,
    solve_equilibrium,
)
from gamemaster.solving.equilibrium.tree import TreeLimits
from gamemaster.solving.equilibrium.words import MixedAdvice
from gamemaster.terminal.pictures import check_picture_file, write_whole
from gamemaster.terminal.progress import advancing, counting, get_ready
from gamemaster.terminal.report import print_line
from gamemaster.terminal.tables import print_table

__all__ = ["EquilibriumOptions", "print_equilibrium"]

SHOWN = 24
BLOCKS, MOST_BLOCKS = "▁▂▃▄▅▆▇█", 32
WIDEST = 200
"""Letters of what a role knows that are printed: percepts can be any number."""

WORTH_SAYING = 0.0005
"""Probabilities that are less are not printed beside others."""


@dataclass(frozen=True)
class EquilibriumOptions:
    """What the command line says."""

    algorithm: str | None = None
    until: float | None = None
    iterations: int | None = None
    seconds: float = 60.0
    memory: int = 2048
    histories: int | None = None
    role: str | None = None
    is_whole: bool = False
    against: str | None = None
    samples: int | None = None
    svg: Path | None = None
    theme: str | None = None
    as_json: bool = False

    @property
    def given(self) -> list[str]:
        """The options that only equilibria have, as far as somebody gave them."""
        values = {
            "--algorithm": self.algorithm,
            "--until": self.until,
            "--iterations": self.iterations,
            "--all": self.is_whole or None,
            "--against": self.against,
            "--samples": self.samples,
            "--svg": self.svg,
            "--theme": self.theme,
        }
        return [name for name, value in values.items() if value is not None]

    @property
    def aim(self) -> Aim:
        """When it is enough."""
        return Aim(Aim.until if self.until is None else self.until, self.iterations, self.seconds)

    @property
    def limits(self) -> TreeLimits:
        """How large a game may be."""
        return TreeLimits(self.histories or TreeLimits.histories, self.memory << 20)

    @property
    def asking(self) -> Asking:
        """How a player is asked."""
        return Asking(self.samples or Asking.samples, seconds=self.seconds)


def print_equilibrium(game: Game, options: EquilibriumOptions) -> None:
    """Print what a game is worth to each role, how exploitable that is, how that fell, and the strategy as a table."""
    theme = checked_theme(options.theme)
    discounts_of(options.algorithm or CFR_PLUS)
    make = None if options.against is None else find_player(options.against)
    check_picture_file(options.svg)
    get_ready(game, [EQUILIBRIUM])
    began = time.perf_counter()
    found = _solved(game, options)
    took = time.perf_counter() - began
    if options.svg is not None:
        write_whole(options.svg, draw_falling(found, theme=theme).encode())
    if not options.as_json:
        _print_values(found, took, options)
    beaten = [] if make is None else _exploited(found, make, options)
    if options.as_json:
        print(json.dumps(_as_json(found, beaten, took, options)))
    else:
        _print_exploited(found, beaten, options)
        _print_strategy(found, options)


def _solved(game: Game, options: EquilibriumOptions) -> Equilibrium:
    """An equilibrium; a bar counts histories, then how many powers of ten exploitability has fallen."""
    first: list[float] = []
    with advancing(f"{game.name}: histories") as advance:

        def tell(progress: SolveProgress) -> None:
            if progress.exploitability is None:
                advance(f"{game.name}: histories", progress.histories, None)
                return
            first.append(progress.exploitability)
            doing = f"{game.name}: exploitable by {progress.exploitability:.3g}"
            advance(doing, progress.iterations, _expected(first[0], progress, options.aim))

        try:
            return solve_equilibrium(
                game, options.algorithm or CFR_PLUS, options.aim, limits=options.limits, tell=tell
            )
        except LimitExceeded as error:
            if error.hint:
                raise LimitExceeded(error.what, error.allowed, doing=f"{error.doing}: {error.hint}") from None
            raise


def _expected(first: float, progress: SolveProgress, aim: Aim) -> int | None:
    """How many iterations there will be, if exploitability falls as it did: by a power of their number."""
    told = progress.exploitability or 0.0
    if aim.iterations is not None:
        return aim.iterations
    if not 0 < aim.until < told < first or progress.iterations < 2:
        return None
    power = log10(first / told) / log10(progress.iterations)
    return min(10**12, int(progress.iterations * (told / aim.until) ** (1 / power)))


def _exploited(found: Equilibrium, make: PlayerFactory, options: EquilibriumOptions) -> list[Exploited]:
    """What a player's choices are worth in each role, or in the one that is asked for."""
    tree, beaten = found.tree, []
    for place in tree.choosers:
        role = tree.roles[place]
        if options.role in (None, role):
            with counting(f"asking {options.against} as {role}", _states_of(found, role)) as count:
                beaten.append(exploit(found, role, make, options.asking, tell=count))
    return beaten


def _print_values(found: Equilibrium, took: float, options: EquilibriumOptions) -> None:
    tree = found.tree
    print_line(
        f"{tree.game.name}: {tree.histories:,} histories of up to {tree.steps} steps, "
        f"{tree.states:,} information states"
    )
    print_line("value: " + ", ".join(f"{role} {value:.2f}" for role, value in found.values.items()))
    if len(tree.choosers) == 1:
        print_line(f"only {tree.roles[tree.choosers[0]]} chooses: the strategy is the best against chance")
    else:
        first = found.curve[0].exploitability
        print_line(
            f"exploitability: {first:.3g} {falling(found)} {found.exploitability:.3g}, after "
            f"{found.iterations:,} iterations of {found.algorithm}"
        )
        if not found.is_promised:
            print_line(
                "nothing promises that iterations come nearer: the roles are more than two, or not opposed; "
                "another equilibrium may be worth something else"
            )
        if found.exploitability > options.aim.until:
            print_line(f"that is more than {options.aim.until:g}: --seconds and --iterations allow more")
    print_line(f"{took:.2f} s")


def falling(found: Equilibrium) -> str:
    """How exploitability fell, as a row of blocks by powers of ten."""
    looks = [log10(max(1e-12, point.exploitability)) for point in found.curve]
    picked = [looks[len(looks) * i // MOST_BLOCKS] for i in range(MOST_BLOCKS)]
    heights = picked if len(looks) > MOST_BLOCKS else looks
    low, high = min(heights), max(heights)
    span = (high - low) or 1.0
    return "".join(BLOCKS[round((len(BLOCKS) - 1) * (height - low) / span)] for height in heights)


def _print_exploited(found: Equilibrium, beaten: Sequence[Exploited], options: EquilibriumOptions) -> None:
    for each in beaten:
        print_line(
            f"{options.against} as {each.role} gets {each.value:.2f} against the equilibrium, whose {each.role} "
            f"gets {found.values[each.role]:.2f}"
        )
        for other, response in each.responses.items():
            print_line(
                f"  the best response of {other} gets {response.value:.2f} and leaves {each.value_against(other):.2f}"
            )
    if beaten:
        print_line(
            f"{options.against} was asked up to {options.asking.samples} times in each information state, and taken to "
            "choose as often as it did: --samples asks more often"
        )


def _print_strategy(found: Equilibrium, options: EquilibriumOptions) -> None:
    tree = found.tree
    rows = list(islice(found.advices(options.role), None if options.is_whole else SHOWN))
    print()
    print_table(
        ["role", "step", "knows", "plays"],
        [[each.role, str(each.step + 1), _knows(each), _plays(each)] for each in rows],
        right=["step"],
    )
    states = tree.states if options.role is None else _states_of(found, options.role)
    if states > len(rows):
        print_line(f"... and {states - len(rows):,} more: --all prints them, --role those of one role")


def _states_of(found: Equilibrium, role: str) -> int:
    tree = found.tree
    places = [tree.roles[place] for place in tree.choosers]
    if role not in places:
        return 0
    chooser = places.index(role)
    return int(tree.form.starts[chooser + 1] - tree.form.starts[chooser])


def _knows(advice: MixedAdvice) -> str:
    """The end of it tells more, where it is long: what was known before stands in other lines."""
    return advice.knows if len(advice.knows) <= WIDEST else f"… {advice.knows[-WIDEST:]}"


def _plays(advice: MixedAdvice) -> str:
    if advice.reach == 0:
        return "(its own play never leads there)"
    likely = {move: chance for move, chance in advice.moves.items() if chance >= WORTH_SAYING}
    if len(likely) == 1:
        return str(next(iter(likely)))
    return ", ".join(f"{move} {100 * chance:.1f} %" for move, chance in likely.items())


def _as_json(
    found: Equilibrium, beaten: Sequence[Exploited], took: float, options: EquilibriumOptions
) -> dict[str, Any]:
    told = {
        "game": found.tree.game.name,
        "rules": found.tree.game.digest,
        **found.to_json(),
        "seconds": round(took, 3),
        "strategy": [advice.to_json() for advice in found.advices(options.role)],
    }
    if options.against is not None:
        told["against"] = {"player": options.against, "roles": [each.to_json() for each in beaten]}
    return told
