"""Game -> Analysis: what kind of game it is, and how sure that is.

Each finding says where it comes from: *proved* from the gates of the compiled game or by looking at every state;
*observed* in random play, where only the opposite could be certain. What a game that does not compile hides from
proof is left to observation.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product
from typing import Literal, TypeVar

from gamemaster.errors import GamemasterError, Unsuitable
from gamemaster.language.terms import Term
from gamemaster.load import ASKED_FOR, build
from gamemaster.machine.game import RANDOM, Game, successors
from gamemaster.machine.kind import Dynamics, Kind
from gamemaster.metagame.changes import Changes, find_changes
from gamemaster.metagame.effects import Effects
from gamemaster.metagame.parts import find_parts
from gamemaster.metagame.samples import Samples, sample
from gamemaster.metagame.symmetry import find_symmetries
from gamemaster.network.build import Circuit
from gamemaster.network.graph import FALSE, Network, Wire, copy_wires

__all__ = ["Analysis", "analyse"]

Sure = Literal["proved", "observed", "not known"]
Found = TypeVar("Found")
MOST_STATES = 20_000
SHOWN = 6
ONLY_FOR_SEVERAL = frozenset({"sum of goals", "roles can swap"})


@dataclass(frozen=True)
class Analysis:
    """What was found out. Where a pair ends with a word, the word says how sure it is."""

    name: str
    roles: tuple[str, ...]
    is_single_player: bool
    has_chance: bool
    has_hidden_information: bool
    turns: tuple[Dynamics, Sure]
    fixed_sum: tuple[int | None, Sure]
    monotone_goals: tuple[tuple[str, Sure], ...]
    symmetries: int
    roles_swap: bool
    is_symmetry_complete: bool
    parts: tuple[tuple[str, ...], ...]
    constants: tuple[str, ...]
    counters: tuple[str, ...]
    rising: tuple[str, ...]
    falling: tuple[str, ...]
    longest: tuple[int | None, str]
    seconds: float

    def to_dict(self) -> dict[str, object]:
        """Plain data, for JSON."""
        return asdict(self)

    def rows(self) -> list[tuple[str, str, str]]:
        """What, the answer, and how sure it is or where it comes from."""
        total, sum_sure = self.fixed_sum
        longest, why = self.longest
        count = f"{self.symmetries:,}" if self.is_symmetry_complete else f"at least {self.symmetries:,}"
        goals = ", ".join(role for role, _ in self.monotone_goals) or "none"
        rows = [
            ("roles", ", ".join(self.roles), ""),
            ("moves", *self.turns),
            ("players", "one" if self.is_single_player else "several", ""),
            ("chance", _yes(self.has_chance), ""),
            ("hidden information", _yes(self.has_hidden_information), ""),
            ("sum of goals", "varies" if total is None else f"always {total}", sum_sure),
            ("goals that never fall", goals, ", ".join(sorted({sure for _, sure in self.monotone_goals}))),
            ("symmetries", count, "proved" if self.symmetries > 1 else ""),
            ("roles can swap", _yes(self.roles_swap), "but for who begins" if self.roles_swap else ""),
            ("independent parts", str(len(self.parts)) if self.parts else "none", _some(_heads(self.parts))),
            ("facts that never change", str(len(self.constants)), _some(self.constants)),
            ("step counters", str(len(self.counters)), _some(self.counters)),
            ("never false again", str(len(self.rising)), _some(self.rising)),
            ("never true again", str(len(self.falling)), _some(self.falling)),
            ("longest game", "not known" if longest is None else f"{longest} steps", why),
        ]
        return [row for row in rows if len(self.roles) > 1 or row[0] not in ONLY_FOR_SEVERAL]

    def __str__(self) -> str:
        sizes = [max(len(row[i]) for row in self.rows()) for i in range(2)]
        return "\n".join(
            f"{what.ljust(sizes[0])}  {answer.ljust(sizes[1])}  {how}".rstrip()
            for what, answer, how in self.rows()
        )


def _yes(answer: bool) -> str:
    return "yes" if answer else "no"


def _heads(parts: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    return tuple(f"{part[0]}, ..." for part in parts)


def _some(names: tuple[str, ...]) -> str:
    return " ".join(names[:SHOWN]) + (" ..." if len(names) > SHOWN else "")


def analyse(game: Game, seconds: float = 5.0, seed: int = 0) -> Analysis:
    """What kind of game it is. At most half of the time goes to symmetries, a fifth each to play and to sums of goals,
    what they leave to proofs about moves.
    """
    began, deadline = time.perf_counter(), time.monotonic() + seconds
    compiled = _compiled(game)
    samples = sample(compiled or game, seconds / 5, seed)
    circuit, kind = (compiled or game).circuit, (compiled or game).kind
    effects = _effects(circuit, deadline)
    turns = [] if effects is None else [t for own in effects.turns.facts.values() for t in own]
    control = [fact for fact, wire in circuit.facts.items() if wire in turns] if circuit else []
    symmetries = find_symmetries(game.sheet, seconds / 2, control)
    fixed_sum = _fixed_sum(compiled or game, circuit, samples, seconds / 5)
    changes = _in_time(lambda: find_changes(effects) if effects else None) or _nothing_known()
    parts = _in_time(lambda: find_parts(effects, changes) if effects else None) or []
    return Analysis(
        name=game.name,
        roles=game.roles,
        is_single_player=kind.is_single_player,
        has_chance=kind.has_chance,
        has_hidden_information=kind.has_hidden_information,
        turns=_turns(kind, samples),
        fixed_sum=fixed_sum,
        monotone_goals=_monotone(game, effects, samples),
        symmetries=symmetries.count,
        roles_swap=symmetries.roles_swap,
        is_symmetry_complete=symmetries.is_complete,
        parts=tuple(tuple(sorted(map(str, part.facts))) for part in parts),
        constants=_names(changes.constants),
        counters=_names(changes.counters),
        rising=_names(changes.rising),
        falling=_names(changes.falling),
        longest=(changes.longest, changes.why),
        seconds=round(time.perf_counter() - began, 3),
    )


def _names(facts: frozenset[Term]) -> tuple[str, ...]:
    return tuple(sorted(map(str, facts)))


def _compiled(game: Game) -> Game | None:
    """The game on the compiled machine, where it can be."""
    if game.circuit is not None:
        return game
    if game.machine.reason != ASKED_FOR:
        return None  # it was tried, and may take as long again to fail
    try:
        return build(game.sheet, game.name, "compiled")
    except GamemasterError:
        return None


def _effects(circuit: Circuit | None, deadline: float) -> Effects | None:
    """The effects of moves; None where there is no circuit, or it is too large."""
    return _in_time(lambda: Effects(circuit, deadline) if circuit else None)


def _in_time(find: Callable[[], Found | None]) -> Found | None:
    """What is found; None where the game is too large for it, or the time too short."""
    try:
        return find()
    except Unsuitable:
        return None


def _nothing_known() -> Changes:
    nothing: frozenset[Term] = frozenset()
    return Changes(nothing, nothing, nothing, nothing, None)


def _turns(kind: Kind, samples: Samples) -> tuple[Dynamics, Sure]:
    if kind.turns is not None:
        return kind.turns, "proved"
    return ("simultaneous", "proved") if samples.is_simultaneous else ("turn-taking", "observed")


# Goals


def _fixed_sum(
    game: Game, circuit: Circuit | None, samples: Samples, seconds: float
) -> tuple[int | None, Sure]:
    """What all goals at the end add up to, and how sure that is; None where it varies."""
    if not samples.sums or len(game.roles) == 1:
        return None, "not known"
    if len(samples.sums) > 1:
        return None, "proved"
    (total,) = samples.sums
    if circuit and _sums_fold(circuit, total):
        return total, "proved"
    everywhere = _all_sums(game, seconds)
    if everywhere is None:
        return total, "observed"
    return (total, "proved") if everywhere <= {total} else (None, "proved")


def _sums_fold(circuit: Circuit, total: int) -> bool:
    """Whether the gates show that no other sum is possible at the end: combinations of it fold to false."""
    network = circuit.network
    goals = [list(circuit.goal[role].items()) for role in circuit.roles]
    if len(goals) > 2 or any(not str(value).isdigit() for own in goals for value, _ in own):
        return False
    target, leaves = Network(), dict[int, Wire]()

    def leaf(node: int) -> Wire:
        if node not in leaves:
            leaves[node] = target.input()
        return leaves[node]

    wanted = [circuit.terminal, *(wire for own in goals for _, wire in own)]
    terminal, *wires = copy_wires(network, target, wanted, {}, leaf)
    copied = iter(wires)
    by_role = [[(int(str(value)), next(copied)) for value, _ in own] for own in goals]
    for chosen in product(*by_role):
        is_other = sum(value for value, _ in chosen) != total
        if is_other and target.all_of([terminal, *(wire for _, wire in chosen)]) != FALSE:
            return False
    return all(target.both(terminal, target.any_of([w for _, w in own]) ^ 1) == FALSE for own in by_role)


def _all_sums(game: Game, seconds: float) -> set[int] | None:
    """The sums at all ends of a small game; None where it is not small enough."""
    deadline = time.monotonic() + seconds
    start = game.initial_state()
    seen, queue, sums = {start.key}, [start], set[int]()
    while queue:
        state = queue.pop()
        if state.is_terminal:
            sums.add(sum(state.goal(role) or 0 for role in game.roles))
        for after in successors(state):  # of which one state may have millions
            if len(seen) > MOST_STATES or time.monotonic() > deadline:
                return None
            if after.key not in seen:
                seen.add(after.key)
                queue.append(after)
    return sums


def _monotone(game: Game, effects: Effects | None, samples: Samples) -> tuple[tuple[str, Sure], ...]:
    """The roles whose goals never fall, and how sure that is."""
    found: list[tuple[str, Sure]] = []
    for role in game.roles:
        if role not in samples.fell and role != RANDOM:
            is_proved = effects is not None and _in_time(partial(_never_falls, effects, role))
            found.append((role, "proved" if is_proved else "observed"))
    return tuple(found)


def _never_falls(effects: Effects, role: str) -> bool:
    """Whether the gates show that no move lowers a role's goal."""
    circuit = effects.circuit
    goals = next(own for each, own in circuit.goal.items() if str(each) == role)
    values = [(int(str(value)) if str(value).isdigit() else -1, wire) for value, wire in goals.items()]
    wires = [wire for _, wire in values]
    own = {wire >> 1: effects.own[fact] for fact, wire in circuit.facts.items()}
    now = copy_wires(circuit.network, effects.network, wires, own, lambda node: FALSE)
    for after, _ in effects.cases.values():
        effects.look_at_clock()
        given = {wire >> 1: new for wire, new in zip(circuit.facts.values(), after, strict=True)}
        then = copy_wires(circuit.network, effects.network, wires, given, lambda node: FALSE)
        for least in {value for value, _ in values}:
            high = [i for i, (value, _) in enumerate(values) if value >= least]
            before = effects.network.any_of(now[i] for i in high)
            later = effects.network.any_of(then[i] for i in high)
            if effects.network.both(before, later ^ 1) != FALSE:
                return False
    return True
