"""Text -> Report: everything that can be said about a rulesheet, in the order in which it can be known.

read     can the text be read?                               language/
check    do the rules make sense, one by one and together?   language/check
ground   does an atom depend on its own negation?            ground/stratification.py
look     does what stands beside the rules go with them?     whoever knows: see folder_check.py
play     does random play go wrong, on either machine?       machine/playtest.py
build    do the rules compile?                               load.py

The findings come in that order, too: what play shows often follows from what can be read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from gamemaster.errors import GamemasterError, LimitExceeded, NotStratified, Place, RulesError
from gamemaster.ground.blame import all_growing
from gamemaster.ground.clingo_grounder import ground
from gamemaster.ground.stratification import find_negative_cycle
from gamemaster.language.check import check_rules
from gamemaster.language.check.sheet import Sheet
from gamemaster.language.check.turns import find_unkept_facts
from gamemaster.language.findings import Finding
from gamemaster.language.lower import lower
from gamemaster.language.notation import read
from gamemaster.language.rules import Notation, Rules
from gamemaster.language.source import Source
from gamemaster.load import RULE_FILES, build, source_of, why_not_compiled
from gamemaster.machine.game import Game
from gamemaster.machine.playtest import FIRST_LOOK, Played, Playtest, playtest
from gamemaster.machine.short_tables import find_short_tables

__all__ = ["Look", "Report", "check", "rules_source"]

Look: TypeAlias = Callable[[Game], Iterable[Finding]]
"""What is said of a game that can be played by somebody who knows what stands beside its rules."""

NEGATIVE_RECURSION = "negative-recursion"
COMPILING_HINT = (
    "code is made of every fact that the rules could ever make true: let conditions bound numbers and lists, "
    "as leq(N,P) bounds minus(P,N,Q)"
)
MOST_OBSTACLES = 20
CAUSES = frozenset({"undefined", "arity", "never-holds", "unknown-role", "short-table"})
"""Warnings that play may suffer from, as it does from errors."""

CONSEQUENCES = frozenset(
    {
        *("endless", "starts-terminal", "no-terminal", "no-move", "goal-missing", "goal-double"),
        *("undeclared", "undeclared-move", "vanishes", "two-values", "control"),
    }
)
"""What play shows without knowing why."""

FOLLOWS = "what play shows may follow from what is said above: mend that first"


@dataclass(frozen=True, slots=True)
class Report:
    """The findings, those of play last, and what random play was like (None: nothing was played)."""

    findings: tuple[Finding, ...]
    played: Played | None

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(finding.severity == "error" for finding in self.findings)

    @property
    def warnings(self) -> int:
        """How many findings are warnings."""
        return sum(finding.severity == "warning" for finding in self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    @property
    def summary(self) -> str:
        """In a line how many findings there are, and what random play was like."""
        found = f"{_count(self.errors, 'error')}, {_count(self.warnings, 'warning')}"
        played = self.played
        if played is None:
            return f"{found}; not played"
        if not played.ended or not played.mean_length:
            return f"{found}; no random game came to an end"
        pairs = zip(played.mean_goals, played.goal_errors, strict=True)
        goals = ", ".join(_about(goal, error) for goal, error in pairs)
        return (
            f"{found}; {_count(played.games, 'random game')}: {_about(played.mean_length, played.length_error)} steps, "
            f"{played.branching:.1f} moves to choose from" + (f", goals {goals}" if goals else "")
        )

    def __str__(self) -> str:
        return "\n".join([*(finding.show() for finding in self.findings), self.summary])

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, ready for JSON."""
        played = asdict(self.played) if self.played else None
        findings = [finding.to_dict() for finding in self.findings]
        return {"errors": self.errors, "warnings": self.warnings, "findings": findings, "played": played}


def check(
    source: Source,
    notation: Notation | None = None,
    *,
    seconds: float = 5.0,
    seed: int = 0,
    looks: Sequence[Look] = (),
) -> Report:
    """The report on a text; `seconds` is how long to play at random (0: not at all).

    `looks` are taken at the game where nothing in its rules is an error.
    """
    try:
        sheet = read(source, notation)
    except RulesError as error:
        return Report((_finding_of(error, source),), None)
    findings = check_rules(sheet)
    if any(finding.code == NEGATIVE_RECURSION for finding in findings):
        findings = _decide_by_ground(findings, lower(sheet))
    if any(finding.code == "no-role" for finding in findings):
        return Report(_sorted(findings), None)
    has_errors = _has_errors(findings)
    trial = _Trial(sheet, seconds, seed, () if has_errors else looks, may_compile=not has_errors)
    trial.run()
    kept, shown = _merged(findings, trial.shown)
    notes = []
    if trial.played and not _has_errors([*kept, *shown]):
        notes = [*_not_compiled(sheet)]
    told = [*_sorted(kept), *trial.beside, *_doubted(shown, kept), *notes]
    return Report(tuple(told), trial.played)


@dataclass
class _Trial:
    """What a game of the rules shows: to those who look at it, and in play."""

    sheet: Rules
    seconds: float
    seed: int
    looks: Sequence[Look]
    may_compile: bool = True
    beside: list[Finding] = field(default_factory=list)
    shown: list[Finding] = field(default_factory=list)
    played: Played | None = None

    def run(self) -> None:
        """Look and play, as far as that is wanted and the rules allow it."""
        if self.seconds <= 0 and not self.looks:
            return
        source = self.sheet.source
        try:
            game = build(self.sheet, source.name, "reference")
            self.beside = [finding for look in self.looks for finding in look(game)]
            if self.seconds > 0:
                result = self.playtest(game)
                self.shown, self.played = [*result.findings.values()], result.played
                self.shown += find_short_tables(self.sheet, result, self.seconds, self.seed)
                endless = result.findings.get("endless")
                if endless and endless.severity == "error" and "vanishes" not in result.findings:
                    self.shown += find_unkept_facts(Sheet(self.sheet))
        except RulesError as error:
            self.shown = [_finding_of(error, source)]
        except LimitExceeded as error:
            self.shown = [Finding("limit", "error", str(error), source.place(0), "let the rule ask for less")]

    def playtest(self, reference: Game) -> Playtest:
        """Random play: a look by the reference machine, then all of it by the compiled one, where there is one."""
        result = playtest(reference, seconds=self.seconds, seed=self.seed, amount=FIRST_LOOK)
        if result.has_errors or not self.may_compile:
            return result
        game = build(self.sheet, self.sheet.source.name)
        return playtest(game, seconds=self.seconds, seed=self.seed)


def _has_errors(findings: Iterable[Finding]) -> bool:
    return any(finding.severity == "error" for finding in findings)


def _merged(findings: list[Finding], shown: Iterable[Finding]) -> tuple[list[Finding], list[Finding]]:
    """The findings, and those of play: what both tell is told once, as bad as play showed it to be."""
    known = {(finding.code, finding.severity) for finding in findings}
    wrong_lines = {finding.place.line for finding in findings if finding.severity == "error"}
    new = [f for f in shown if (f.code, f.severity) not in known]
    new = [f for f in new if f.code != "rules" or f.place.line not in wrong_lines]
    proven = {(f.code, f.place.line) for f in new if f.severity == "error"}
    advised = {(f.code, f.hint) for f in new if f.severity == "error"}
    return [
        f for f in findings if (f.code, f.place.line) not in proven and (f.code, f.hint) not in advised
    ], new


def _doubted(shown: list[Finding], findings: list[Finding]) -> Iterator[Finding]:
    """The findings of play, causes first; without advice where it may be wrong, as there is a cause."""
    is_doubtful = _has_errors(findings) or any(finding.code in CAUSES for finding in (*findings, *shown))
    hint = FOLLOWS
    for finding in sorted(_sorted(shown), key=lambda each: each.code not in CAUSES):
        if is_doubtful and finding.code in CONSEQUENCES:
            yield replace(finding, hint=hint)
            hint = ""
        else:
            yield finding


def _not_compiled(sheet: Rules) -> Iterator[Finding]:
    """A note at the rule that costs most, where the game runs on the reference machine only."""
    error = why_not_compiled(sheet, sheet.source.name)
    if error is None:
        return
    known = error if isinstance(error, LimitExceeded | RulesError) else LimitExceeded("", "")
    message = f"the game runs on the reference machine only, and slowly: not compiled: {error}"
    place = known.place or sheet.source.place(0)
    yield Finding("reference-only", "warning", message, place, known.hint or COMPILING_HINT)
    yield from _more_obstacles(sheet, place)


def _more_obstacles(sheet: Rules, told: Place) -> Iterator[Finding]:
    """The other rules whose numbers nothing stops, where one such rule was told: each is mended by itself."""
    growing = {each.place: each for each in all_growing(lower(sheet, in_order=False)) if each.place}
    for place, each in [*growing.items()][:MOST_OBSTACLES] if told in growing else ():
        if place != told:
            message = f"{each.words} here, too, which may keep the game from compiling by itself"
            yield Finding("reference-only", "warning", message, place, each.hint)


def rules_source(rules: Game | str | Path) -> Source:
    """The text of a Game, a file or a game of the library; or of the rules given, told by brackets or several lines.

    What ends as files of rules do is one, whatever brackets are in its name.
    """
    if isinstance(rules, Game):
        return rules.sheet.source
    if isinstance(rules, str) and any(mark in rules for mark in "()\n") and not _is_named(rules):
        return Source.checked("rules", rules)
    return source_of(rules)


def _is_named(rules: str) -> bool:
    return ("\n" not in rules and rules.endswith(RULE_FILES)) or _is_file(rules)


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def _decide_by_ground(findings: list[Finding], core: Rules) -> list[Finding]:
    """The findings with recursion through negation settled by the ground program, where it can be had."""
    try:
        cycle = find_negative_cycle(ground(core, name_all=True))
    except NotStratified:
        return findings
    except GamemasterError as error:
        return [_with(f, message=f"{f.message}; not settled by grounding: {error}") for f in findings]
    if cycle:
        return [_with(f, message=f"{f.message}; ground atoms: {', '.join(cycle)}") for f in findings]
    fine = "but no atom depends on its own negation, so the game can be played"
    return [_with(f, severity="warning", message=f"{f.message}; {fine}") for f in findings]


def _about(mean: float, error: float) -> str:
    """A mean and how far off it may be."""
    return f"{mean:.1f} ± {error:.1f}" if error >= 0.05 else f"{mean:.1f}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _with(finding: Finding, **changes: Any) -> Finding:
    return replace(finding, **changes) if finding.code == NEGATIVE_RECURSION else finding


def _finding_of(error: RulesError, source: Source) -> Finding:
    place = error.place or source.place(0)
    return Finding(error.code, "error", error.what, place, error.hint or "see docs/write-a-game.md")


def _sorted(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda f: (f.place.line, f.place.column, f.severity, f.code)))
