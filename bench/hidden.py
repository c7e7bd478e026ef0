"""Hidden games: a player against OpenSpiel's information-set search, or against another player, equal CPU time a move.

    python bench/hidden.py [--games 200] [--seconds 0.1] [--only GAME] [--player egghead] [--against openspiel]
                           [--startclock 3] [--journal FILE] [--seed 0] [--all] [--json]
    python bench/hidden.py --verify 200 [--only GAME]     are they the same games? every state of random games
    python bench/hidden.py --exact 10 --against pimc [--only GAME]     what an equilibrium gets of a player, exactly

Games come in pairs, with sides swapped. Stops when a sequential test (arena/sequential.py: better by 50 Elo points, or
not at all, wrong one time in 20) is decided, unless `--all`. The referee is our state; OpenSpiel's follows, and the two
are compared at every step. How OpenSpiel's bot gets its CPU time stands in hidden_peers.py. `share` is of the points: a
goal of 100 is one. Its interval of 95 % is that of the mean of pairs. `ms` is the player's CPU time a move on average,
and the opponent's if it is a player; `simulations` OpenSpiel's bot makes for a move. Games in the journal are not
played again. The start clock, too, is CPU time, as far as the machine was as busy in the start before.

Where egghead has solved a game in its start clock, its moves are drawn from an equilibrium, or made by a proof that one
of the two wins for sure: what somebody could gain on it, its exploitability, is printed beside. Where it plays by an
equilibrium, a player need not be played: `--exact` asks it in every information state, see hidden_exact.py. Other games
are left out there.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

from hidden_exact import Round, exact_rounds
from hidden_exact import told as exactly_told
from hidden_peers import PEERS, Line, OpenSpielSide, Peer
from pairing import Journal, Match, Played, figures, plan_for

import gamemaster as gm
from gamemaster.arena.competition import TestPlan
from gamemaster.arena.sequential import Decision
from gamemaster.errors import UnknownPlayer
from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM
from gamemaster.players.loading import find_player
from gamemaster.players.player import MARGIN, Player
from gamemaster.search.suitable import EQUILIBRIUM

WAIT = 60.0
"""Seconds to wait for machine code."""

SLOWEST = 0.25
"""A side gets at most four times its CPU seconds on the wall, however busy the machine is."""

KEPT = 0.7
"""How much the moves before count for what a clock goes by."""

OPENSPIEL = "openspiel"


@dataclass(frozen=True)
class Setting:
    """What is played, by whom, how long."""

    game: str
    player: str
    against: str
    seconds: float
    startclock: float
    seed: int


class Pace:
    """How much CPU time a second on the wall had in the last start that took its time."""

    rate = 1.0


class PlayerSide:
    """A player of ours, told what it sees as in a match; its clock on the wall follows the CPU time that it uses."""

    def __init__(self, setting: Setting, name: str, role: str, seed: int) -> None:
        self.player: Player = find_player(name)(seed)  # type: ignore[assignment]
        if hasattr(self.player, "threads"):
            self.player.threads = 1
        self.seconds, self.role = setting.seconds, role
        self.wall = self.used = self.spent = 0.0
        self.moves = 0
        self.seen: Any = None
        self._start(setting)

    def _start(self, setting: Setting) -> None:
        """The start clock on the wall follows the CPU time of starts before, as that of moves does."""
        game, clock = loaded(setting.game), setting.startclock / max(Pace.rate, SLOWEST)
        wall, used = time.perf_counter(), time.process_time()
        self.player.start(self.role, game, clock, setting.seconds + MARGIN)
        wall, used = time.perf_counter() - wall, time.process_time() - used
        if wall > clock / 2:  # else it was ready at once
            Pace.rate = min(1.0, used / wall)

    def choose(self, legal: Sequence[Term]) -> Term:
        """What the player plays; only moves that it had to think about are timed."""
        rate = self.used / self.wall if self.wall else 1.0
        self.player.playclock = self.seconds / max(rate, SLOWEST) + MARGIN
        self.player.tell_legal(legal)
        wall, used = time.perf_counter(), time.process_time()
        move = self.player.play(self.seen)
        used = time.process_time() - used
        if len(legal) > 1:
            self.wall = self.wall * KEPT + time.perf_counter() - wall
            self.used = self.used * KEPT + used
            self.spent += used
            self.moves += 1
        return next(term for term in legal if str(term) == str(move))


@cache
def loaded(name: str) -> gm.Game:
    """The game, with all machine code that searches of it take."""
    game = gm.load(PEERS[name].rules, machine="compiled")
    for job in ("observe", "advance", "play", "charge", "expand"):
        game.make_ready(job, WAIT)
        assert game.compiled is not None
        game.compiled.wait_for(job, WAIT)
    from gamemaster.search.native.warming import warm_up

    warm_up(WAIT, ("ismcts", "mcts", EQUILIBRIUM))
    return game


def play(setting: Setting, number: int) -> Played:
    """One game: in even numbers the player has the first role, in odd ones the second."""
    game, line, dealer = (
        loaded(setting.game),
        Line(PEERS[setting.game]),
        Random(f"{setting.seed} {number // 2}"),
    )
    players = [role for role in game.roles if role != RANDOM]
    own, seed = number % 2, setting.seed * 1_000_003 + number * 1_009
    names = [setting.player, setting.against] if own == 0 else [setting.against, setting.player]
    ours: dict[str, PlayerSide] = {}
    theirs: OpenSpielSide | None = None
    for place, (name, role) in enumerate(zip(names, players, strict=True)):
        if name == OPENSPIEL:
            theirs = OpenSpielSide(line.peer, place, setting.seconds, seed)
        else:
            ours[role] = PlayerSide(setting, name, role, seed + place)
    state = game.initial_state()
    while not state.is_terminal:
        line.check(state)
        mover, actions = line.mover(state), line.actions(state)
        moves: dict[str, Term] = {}
        for role in state.movers:
            legal = state.legal_moves(role)
            if role in ours:
                moves[role] = ours[role].choose(legal)
            elif role == RANDOM:
                moves[role] = dealer.choice(legal)
            elif role == mover and theirs is not None and len(legal) > 1:
                action = theirs.choose()
                moves[role] = next(move for move, found in actions.items() if found == action)
            else:
                moves[role] = legal[0]
        percepts = state.percepts(moves)
        for role, side in ours.items():
            side.seen = percepts[role]
        assert mover is not None
        line.state.apply_action(actions[moves[mover]])
        if theirs is not None:
            theirs.follow(actions[moves[mover]])
        state = state.next(moves)
    line.check(state)
    sides = [ours.get(players[own]), ours.get(players[1 - own])]
    made = theirs.simulations if theirs is not None else []
    return Played(
        number,
        (state.goal(players[own]) or 0) / 100,
        (sides[0].spent if sides[0] else 0.0, sides[1].spent if sides[1] else 0.0),
        (sides[0].moves if sides[0] else 0, sides[1].moves if sides[1] else 0),
        sum(made) / len(made) if made else 0.0,
    )


# Matches


def match(
    setting: Setting, count: int, journal: Path | None, plan: TestPlan | None
) -> tuple[list[Played], Decision]:
    """Games until so many were played, or the test is decided."""

    def tell(games: Sequence[Played]) -> None:
        points = sum(each.points for each in games)
        print(f"\r{setting.game} {points:g}/{len(games)} ", end="", file=sys.stderr, flush=True)

    found = Match(count, plan).games(partial(play, setting), Journal(journal, asdict(setting)), tell)
    print("\r", end="", file=sys.stderr)
    return found


def summary(setting: Setting, games: Sequence[Played], decision: Decision) -> dict[str, Any]:
    """What a match says."""
    return {
        **asdict(setting),
        **figures(games),
        "test": decision.answer,
        "simulations": round(sum(game.simulations for game in games) / len(games)),
        "exploitability": exploitability(setting),
    }


def exploitability(setting: Setting) -> float | None:
    """What can be gained on the player, where it has solved the game before the first move; None elsewhere."""
    found = getattr(started(setting), "exploitability", None)
    return None if found is None else float(found)


def started(setting: Setting) -> Player:
    """The player of a setting after its start clock, in the last role."""
    last = [role for role in loaded(setting.game).roles if role != RANDOM][-1]
    return PlayerSide(setting, setting.player, last, setting.seed).player


def exactly(setting: Setting, rounds: int) -> str:
    """What the player's equilibrium gets of the other, in a line."""
    found = getattr(started(setting), "equilibrium", None)
    if found is None:
        return f"{setting.game:12}not played by an equilibrium"
    done = list[Round]()
    for each in exact_rounds(found, setting.against, setting.seconds, setting.seed, rounds, Pace.rate):
        done.append(each)
        print(f"\r{setting.game} {len(done)}: {each.share:.2%} ", end="", file=sys.stderr, flush=True)
    print("\r", end="", file=sys.stderr)
    return f"{setting.game:12}{exactly_told(done)}  exploitability {found.exploitability:.4f}"


def heading(setting: str) -> str:
    """The line above the table."""
    return (
        f"{setting}\n{'game':12}{'games':>6}{'points':>8}{'share':>8}{'95 %':>16}  {'test':15}{'ms':>6}{'ms':>6}"
        f"{'simulations':>12}{'exploitability':>16}"
    )


def row(found: dict[str, Any]) -> str:
    """A line of the table."""
    around = f"{found['low']:.1%} - {found['high']:.1%}"
    gain = "not solved" if found["exploitability"] is None else f"{found['exploitability']:.4f}"
    return (
        f"{found['game']:12}{found['games']:6}{found['points']:8g}{found['share']:8.1%}{around:>16}  {found['test']:15}"
        f"{found['player_seconds'] * 1e3:6.0f}{found['opponent_seconds'] * 1e3:6.0f}{found['simulations']:12,}"
        f"{gain:>16}"
    )


# Are they the same games?


def random_states(peer: Peer, count: int) -> Iterator[gm.State]:
    """States of random games, each found the same in both; Different at the first that is not."""
    game, generator = gm.load(peer.rules), Random(1)
    for _ in range(count):
        state, line = game.initial_state(), Line(peer)
        while True:
            line.check(state)
            yield state
            if state.is_terminal:
                break
            mover, actions = line.mover(state), line.actions(state)
            assert mover is not None
            moves = {**state.random_moves(generator), mover: generator.choice(list(actions))}
            line.state.apply_action(actions[moves[mover]])
            state = state.next(moves)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--startclock", type=float, default=3.0)
    parser.add_argument("--only", choices=PEERS)
    parser.add_argument("--player", default="egghead")
    parser.add_argument("--against", default=OPENSPIEL)
    parser.add_argument("--journal", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--verify", type=int, metavar="GAMES")
    parser.add_argument("--exact", type=int, metavar="ROUNDS")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    names = [options.only] if options.only else list(PEERS)
    if options.verify:
        for name in names:
            states = sum(1 for _ in random_states(PEERS[name], options.verify))
            print(f"{name:12}{states:8,} states the same in {options.verify} games", flush=True)
        return
    try:  # a wrong name is told before anything is played
        for player in {options.player, options.against} - {OPENSPIEL}:
            find_player(player)
    except UnknownPlayer as error:
        parser.error(str(error))
    if options.exact and options.against == OPENSPIEL:
        parser.error("--exact asks a player of ours: say which by --against")
    if options.exact:
        for name in names:
            setting = Setting(
                name, options.player, options.against, options.seconds, options.startclock, options.seed
            )
            print(exactly(setting, options.exact), flush=True)
        return
    if not options.json:
        print(heading(f"{options.player} against {options.against}, {options.seconds:g} s of CPU a move"))
    for name in names:
        setting = Setting(
            name, options.player, options.against, options.seconds, options.startclock, options.seed
        )
        plan = None if options.all else plan_for(options.games)
        games, decision = match(setting, options.games, options.journal, plan)
        found = summary(setting, games, decision)
        print(json.dumps(found) if options.json else row(found), flush=True)


if __name__ == "__main__":
    main()
