"""Game -> what random play shows to be wrong with its rules.

Some mistakes are not in any one rule: a role that cannot move, an end without a result, play without an end, a fact
that vanishes. They are looked for by playing at random, so many states of it that the answer is the same on a busy
machine, and each kind is reported once, with the shortest line of play that was seen to lead there.
"""

from __future__ import annotations

import math
import random
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from gamemaster.errors import GameIllDefined, GamemasterError, LimitExceeded, Place, RulesError
from gamemaster.ground.reasoner import Reasoner, Situation
from gamemaster.language.findings import Finding, Severity
from gamemaster.language.rules import Relation, relation_of
from gamemaster.language.terms import Compound, data_of
from gamemaster.machine.blaming import Advice, advice, forgotten, goal_places, is_meant, role_place
from gamemaster.machine.forgetting import Forgetting
from gamemaster.machine.game import RANDOM, Game, State
from gamemaster.machine.knowing import Knowing
from gamemaster.machine.mistakes import role_hint, stranger_in_control
from gamemaster.machine.moves import follow, texts_of
from gamemaster.machine.probing import Probes
from gamemaster.machine.unmet import never_ends, never_handled, never_legal, never_made
from gamemaster.machine.watching import Step, Watcher

__all__ = ["FIRST_LOOK", "MAX_STEPS", "Amount", "Played", "Playtest", "playtest"]

MAX_STEPS = 1_000
"""A random game longer than this is taken as one that does not end."""

FEW = 0.1
"""If a smaller share of random games goes on and on, that is how such games are."""

SHOWN_MOVES = 6
LONGEST_REPLAY = 1_500
"""Letters of moves that lead somewhere: nobody copies more."""

WATCHED_STATES = 2_000
"""So many states are looked at for facts that vanish: it costs more than the step itself, and shows soon."""

ENOUGH_STEPS = 3
"""Games that get stuck sooner have not come near their end: it is not to blame."""

LONGEST_PROBE = 2.0
"""CPU seconds for asking which conditions were never true."""

EPILOG_TURN = ", as in: move :: control(R) & other(R,S) ==> ~control(R) & control(S)"
CONFIDENCE = 1.96
"""Standard errors on each side of a mean that hold the true one in 19 of 20 cases."""


@dataclass(frozen=True, slots=True)
class Amount:
    """How much is played: states and games, whatever is reached first, and CPU seconds that are never exceeded."""

    states: int
    games: int
    seconds: float = math.inf


FIRST_LOOK = Amount(200, 20)
"""What is played on the reference machine before anything is compiled: most mistakes show at once."""

ON_REFERENCE = Amount(3_000, 1_000)
ON_COMPILED = Amount(50_000, 5_000)
COUNTED_GAMES = 2_048
"""Games that are played at least for the figures, where the compiled machine plays them side by side."""


@dataclass(frozen=True, slots=True)
class Played:
    """What the random games were like; errors are half the widths of intervals that hold the true mean at 95 %."""

    games: int
    ended: int
    mean_length: float
    mean_goals: tuple[float, ...]
    branching: float
    length_error: float = 0.0
    goal_errors: tuple[float, ...] = ()


@dataclass
class Playtest:
    """Findings of random play and its figures."""

    findings: dict[str, Finding] = field(default_factory=dict)
    lengths: list[int] = field(default_factory=list)
    ended: int = 0
    goals: list[list[int]] = field(default_factory=list)
    choices: int = 0
    states: int = 0
    counted: tuple[int, float, tuple[float, ...]] | None = None
    """Games, mean length and mean goals of more games than could be looked at."""

    @property
    def played(self) -> Played:
        """The figures, in means."""
        games = len(self.lengths)
        columns = [*zip(*self.goals, strict=True)]
        length, goals = statistics.fmean(self.lengths or [0]), tuple(map(statistics.fmean, columns))
        if self.counted:
            games, length, goals = self.counted
        ended = games if self.counted else self.ended
        errors = tuple(_error(column, games) for column in columns)
        branching = self.choices / max(1, self.states)
        return Played(games, ended, length, goals, branching, _error(self.lengths, games), errors)

    @property
    def has_errors(self) -> bool:
        """Whether something breaks play."""
        return any(finding.severity == "error" for finding in self.findings.values())


def _error(sample: Sequence[int], games: int) -> float:
    """Half the width of the interval for the mean of so many games, whose spread is that of the sample."""
    return CONFIDENCE * statistics.stdev(sample) / math.sqrt(games) if len(sample) > 1 else 0.0


def playtest(
    game: Game,
    *,
    seconds: float = 5.0,
    seed: int = 0,
    max_steps: int = MAX_STEPS,
    amount: Amount | None = None,
) -> Playtest:
    """Random games, at least one, and what they showed; `seconds` of CPU time are an upper bound."""
    usual = ON_REFERENCE if game.compiled is None else ON_COMPILED
    amount = amount or usual
    result = _Tester(game, Amount(amount.states, amount.games, seconds), seed, max_steps).run()
    if game.compiled and not result.findings and len(result.lengths) < COUNTED_GAMES and result.ended:
        stats = game.playouts(COUNTED_GAMES, seed=seed)
        if not stats.cut:
            result.counted = (stats.playouts, stats.mean_length, stats.mean_goals)
    return result


class _Tester:
    """Plays, and notes each kind of mistake once."""

    def __init__(self, game: Game, amount: Amount, seed: int, max_steps: int) -> None:
        self.game = game
        self.amount = amount
        self.deadline = time.thread_time() + amount.seconds
        self.generator = random.Random(seed)
        self.max_steps = max_steps
        self.result = Playtest()
        self.path: list[Step] = []
        self.lengths: dict[str, int] = {}
        self.seen: list[Step] = []
        self.stuck: Step | None = None
        self.vanished: list[Compound] = []
        self.watcher = Watcher(game.initial_state())
        self.knowing = Knowing(game)
        self.forgetting = Forgetting(game.sheet)
        reasoner = Reasoner(game.rules)
        self.declared_facts = {row[0] for row in reasoner.answers("base", (None,), Situation(()))}
        self.declared_moves = set(reasoner.answers("input", (None, None), Situation(())))

    def run(self) -> Playtest:
        result = self.result
        try:
            while not result.lengths or not self.is_enough():
                self.play()
        except RulesError as error:
            place = error.place or self.place(("legal", 2))
            self.note(error.code, "error", error.what, place, error.hint)
        except LimitExceeded as error:
            hint = "bound what the rule can produce"
            self.note("limit", "error", f"{error}{self.after()}", self.place(("next", 1)), hint)
        except GameIllDefined as error:
            place = error.place or self.place(("goal", 2))
            self.note("goal-value", "error", error.what, place, error.hint or "write 0 to 100")
        except GamemasterError as error:
            self.note("goal-value", "error", str(error), self.place(("goal", 2)), "write 0 to 100")
        self.path = []
        self.check_values()
        self.check_end()
        self.check_conditions()
        return result

    def is_enough(self) -> bool:
        """Whether the work is done, or the time over."""
        result, amount = self.result, self.amount
        is_done = result.states >= amount.states or len(result.lengths) >= amount.games
        return is_done or time.thread_time() > self.deadline

    def play(self) -> None:
        """One random game."""
        state = self.game.initial_state()
        self.path = []
        self.watcher.begin()
        self.knowing.begin()
        self.check_start(state)
        while not state.is_terminal and state.step < self.max_steps:
            if self.result.lengths and time.thread_time() > self.deadline:
                return  # half a game says nothing about length
            self.check_facts(state)
            if not self.check_moves(state):
                break
            self.check_goals_on_the_way(state)
            state = self.make_moves(state)
        self.check_facts(state)
        self.result.lengths.append(state.step)
        if state.is_terminal:
            self.result.ended += 1
            self.check_goals(state)

    def make_moves(self, state: State) -> State:
        moves = state.random_moves(self.generator)
        self.path.append((state, moves))
        following = state.next(moves)
        if self.result.states <= WATCHED_STATES:
            self.knowing.see(state, moves)
            self.watcher.see(self.path, following)
            self.forgetting.see(self.path, following)
            self.seen.append((state, moves))
        return following

    # Checks

    def check_start(self, state: State) -> None:
        if state.is_terminal:
            message = "the initial state is terminal: nobody ever moves"
            self.note(
                "starts-terminal", "warning", message, self.place(("terminal", 0)), "check init and terminal"
            )

    def check_end(self) -> None:
        """Whether games end; where most do, a long one is no mistake, and nobody knows whether it would have ended."""
        result = self.result
        games, place = len(result.lengths), self.place(("terminal", 0))
        endless = min(games - result.ended, sum(length >= self.max_steps for length in result.lengths))
        if not endless or endless < FEW * games:
            return
        hint = "add a step counter that ends the game"
        if not result.ended:
            message = f"none of {games} random games ended within {self.max_steps} steps"
            self.note("endless", "error", message, place, hint)
        else:
            message = f"{endless} of {games} random games went on for {self.max_steps} steps"
            severity: Severity = "note" if 2 * result.ended >= games else "warning"
            self.note("endless", severity, message, place, hint)

    def check_moves(self, state: State) -> bool:
        """Whether play can go on: everybody who must move can."""
        roles = self.game.roles
        counts = [len(state.legal_moves(role)) for role in roles]
        self.result.states += 1
        self.result.choices += max(counts)
        self.check_declared_moves(state)
        self.check_known_moves(state)
        if all(counts) or (self.game.sheet.notation == "epilog" and any(counts)):
            return True
        stuck = [role for role, count in zip(roles, counts, strict=True) if not count]
        self.stuck = self.stuck or (state, {})
        if (stranger := stranger_in_control(state)) and len(stuck) == len(roles):
            message = f"control({stranger}) holds{self.after()}, and {stranger} is no role: nobody can move"
            place = role_place(self.game.sheet, str(stranger)) or self.place(("role", 1))
            self.note("unknown-role", "error", message, place, role_hint(self.game, stranger))
            return False
        who = f"{', '.join(stuck)} has no" if len(stuck) < len(roles) or len(roles) == 1 else "no role has a"
        message = f"{who} legal move in a state that is not terminal{self.after()}"
        hint = "add a move (noop, pass) for that case, or make the state terminal"
        self.note("no-move", "error", message, self.place(("legal", 2)), hint)
        return False  # what comes of moves that some do not make says nothing about the rules

    def check_goals(self, state: State) -> None:
        """Every role must have exactly one goal, from 0 to 100, at the end."""
        values = {role: state.goals(role) for role in self.game.roles}
        self.result.goals.append([goals[0] if goals else 0 for goals in values.values()])
        for role, goals in values.items():
            if role == RANDOM:
                continue
            if not goals:
                message = f"{role} has no goal in a terminal state{self.after()}"
                place = role_place(self.game.sheet, role) or self.place(("goal", 2))
                self.note("goal-missing", "error", message, place, "add a rule for the remaining cases")
            elif len(goals) > 1:
                self.note_double(role, goals, "error", "one terminal state")
            elif not 0 <= goals[0] <= 100:
                message = f"{role} has goal {goals[0]}{self.after()}"
                self.note("goal-value", "warning", message, self.place(("goal", 2)), "goals go from 0 to 100")

    def check_goals_on_the_way(self, state: State) -> None:
        """Before the end a role may have a goal, which players take for a hint; two are a mistake."""
        if "goal-double" in self.result.findings:
            return
        for role in self.game.roles:
            with suppress(GameIllDefined):  # what is no number is told at the end, where it counts
                if len(goals := state.goals(role)) > 1:
                    self.note_double(role, goals, "warning", "one state before the end")

    def note_double(self, role: str, goals: tuple[int, ...], severity: Severity, where: str) -> None:
        """Note that a role has several goals, at the rule that gives too much."""
        places = goal_places(self.game.sheet, role, goals) or [self.place(("goal", 2))]
        others = sorted({place.line for place in places[1:]} - {places[0].line})
        also = f" (and see line {', '.join(map(str, others))})" if others else ""
        message = f"{role} has goals {' and '.join(map(str, goals))} in {where}{self.after()}"
        hint = f"make the conditions of the goal rules exclusive{also}: {goals[0]} counts, the lowest"
        self.note("goal-double", severity, message, places[0], hint)

    def check_facts(self, state: State) -> None:
        if self.declared_facts:
            for fact in state.facts - self.declared_facts:
                message = f"{fact} holds{self.after()} but base does not declare it"
                place, hint = self.place(("base", 1)), "declare it, or drop all of base"
                self.note("undeclared", "warning", message, place, hint)
                return

    def check_declared_moves(self, state: State) -> None:
        if not self.declared_moves:
            return
        for role in self.game.roles:
            for move in state.legal_moves(role):
                if (role, data_of(move)) not in self.declared_moves:
                    word = "action" if self.game.sheet.notation == "epilog" else "input"
                    message = f"{move} is legal for {role}{self.after()} but {word} does not declare it"
                    self.note("undeclared-move", "warning", message, self.place(("input", 2)), "declare it")
                    return

    def check_known_moves(self, state: State) -> None:
        """Whether the moves of a role follow from what it knows, where the state is hidden."""
        if self.result.states > WATCHED_STATES or "unknowable-move" in self.result.findings:
            return
        for role, move, path in self.knowing.unknowable(state, self.path):
            here, self.path = self.path, [*path]
            there, self.path = self.after(), here
            message = (
                f"legal moves of {role} differ in states that {role} cannot tell apart: "
                f"{move} is legal only in one of those{self.after()} and{there}"
            )
            hint = f"let {role} see (sees) what its legal moves depend on, or let it try a move that may fail"
            self.note("unknowable-move", "warning", message, self.place(("legal", 2)), hint)
            return

    def check_values(self) -> None:
        """What the watcher saw: facts that vanished, and those that stand twice."""
        for found in self.watcher.breaks():
            if is_meant(self.game.sheet, found):
                continue
            self.path = [*found.path]
            self.vanished += (
                found.facts if found.kind == "lost" and self.game.sheet.notation != "epilog" else ()
            )
            said = advice(self.game.sheet, found, self.after())
            self.note(said.code, "warning", said.message, said.place, said.hint)
        for lost in () if "vanishes" in self.result.findings else self.forgetting.found.values():
            self.path = [*lost.path]
            said = forgotten(self.game.sheet, lost.fact, lost.moves, lost.keeper, self.after())
            self.note(said.code, "warning", said.message, said.place, said.hint)
        for role in self.watcher.turnless[:1]:
            self.path = []
            place = role_place(self.game.sheet, role) or self.place(("role", 1))
            message = f"{role} is never in control: in {self.watcher.seen_turns:,} steps of random play no move gave it"
            hint = "let a move pass it on" + EPILOG_TURN * (self.game.sheet.notation == "epilog")
            self.note("control", "warning", message, place, hint)

    # Causes

    def check_conditions(self) -> None:
        """Which conditions were never true in all of play: of terminal, of legal and of handlers."""
        steps = [*self.seen, *([self.stuck] if self.stuck else [])]
        if not steps:
            return
        result, games = self.result, len(self.result.lengths)
        probes = Probes(self.game.sheet, steps, min(LONGEST_PROBE, self.amount.seconds))
        is_wrong = not result.ended or self.stuck is not None
        made = never_made(probes, self.vanished, is_wrong=is_wrong)
        causes = [*never_handled(probes, games), made]
        is_known = "unknown-role" in result.findings
        causes += [never_legal(probes, self.stuck)] if self.stuck and not is_known else []
        is_played = min(result.lengths, default=0) > ENOUGH_STEPS and not is_known
        if is_played and not any(causes) and not result.ended and (end := never_ends(probes, games)):
            causes += self.name_end(end)
        for number, cause in enumerate(filter(None, causes)):
            found = Finding(cause.code, "warning", cause.message, cause.place, cause.hint)
            result.findings[f"{cause.code} {number}"] = found

    def name_end(self, end: Advice) -> Iterator[Advice]:
        """Say with play that never ends why; a cause of its own where play ends otherwise."""
        endless = self.result.findings.get("endless")
        if endless is None:
            yield end
        else:
            message = f"{endless.message}: {end.message}"
            told = replace(endless, message=message, place=end.place, hint=end.hint)
            self.result.findings["endless"] = told

    # Notes

    def note(self, code: str, severity: Severity, message: str, place: Place, hint: str) -> None:
        """Keep one finding of each kind: an error rather than a warning, and that with the shortest way to it."""
        known = self.result.findings.get(code)
        is_worse = known is None or (known.severity == "warning" and severity == "error")
        if known is None or is_worse or (severity == known.severity and len(self.path) < self.lengths[code]):
            self.lengths[code] = len(self.path)
            self.result.findings[code] = Finding(code, severity, message, place, hint, self.replay())

    def replay(self) -> str:
        """The moves that led here, if `gamemaster show --moves` comes to the same state by them."""
        texts = [text for state, moves in self.path for text in texts_of(state, moves)]
        written = ", ".join(texts)
        if not texts or len(written) > LONGEST_REPLAY:
            return ""
        state, moves = self.path[-1]
        with suppress(GamemasterError):
            if follow(self.game.initial_state(), texts, random.Random(0))[0] == state.next(moves):
                return written
        return ""

    def after(self) -> str:
        """The moves that led here, shortened."""
        if not self.path:
            return " at the start"
        dots = "... " if len(self.path) > SHOWN_MOVES else ""
        return f" after {dots}{', '.join(map(_joint, self.path[-SHOWN_MOVES:]))}"

    def place(self, relation: Relation) -> Place:
        """Where the sheet first speaks of a relation: a mistake of play belongs to all its rules."""
        for rule in self._rules_of(relation):
            return rule
        return self.game.sheet.source.place(0)

    def _rules_of(self, relation: Relation) -> Iterator[Place]:
        names = {relation} | ({("legal", 1)} if relation == ("legal", 2) else set())
        names |= {("action", 1)} if relation == ("input", 2) else set()
        for rule in self.game.sheet.rules:
            if relation_of(rule.head) in names:
                yield self.game.sheet.place(rule.span)


def _joint(step: Step) -> str:
    """The moves of one step; those of who has no choice only where nobody has one."""
    state, moves = step
    return " ".join(texts_of(state, moves) or map(str, moves.values()))
