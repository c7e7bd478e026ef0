"""Hidden games under short clocks: is a player ever late, and does it ever believe in nothing?

    python bench/hidden_clocks.py [--matches 50] [--clock 0.3] [--startclock 2] [--player egghead] [--against a,b]
                                  [--json] [GAME ...]                          default: all hidden games of the library

The player plays each role in turn against `random`, `legal` and `contrary`, which looks for good moves by information
sets and then makes the one that was tried least: what a model of good players thinks unlikely. Prints for each game and
opponent how many moves were asked for; by how much the clock was overrun at worst (negative: what was left of it), on
the wall, and without what the thread waited for a core that others had, where Linux tells that; how often what was seen
fitted nothing, so that a state was guessed; how often a sample that ran dry was found again from the start, or renewed
by changes of it. Exits with 1 for an overrun of more than 0.1 s without that waiting, a belief in nothing, or a move
that is not legal.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import gamemaster as gm
from gamemaster.errors import UnknownPlayer
from gamemaster.games import entry, game_names
from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM
from gamemaster.players.believing import Ismcts
from gamemaster.players.loading import find_player
from gamemaster.players.player import Player, message_to, thinking_time

ALLOWED = 0.1
"""Seconds by which a clock may be overrun."""

WAIT = 60.0
OPPONENTS = ("random", "legal", "contrary")
CONTRARY_SECONDS = 0.02


class Contrary(Ismcts):
    """Makes the unlikely move on purpose: the one that a search for good ones has tried least."""

    def choose_from(self, legal: Sequence[Term]) -> Term | None:
        """The move that was tried least; the first of several."""
        self.budget = self.budget.__class__(seconds=CONTRARY_SECONDS)
        found = self._believed(legal)
        return min(legal, key=lambda move: found.visits.get(move, 0))


@dataclass
class Tally:
    """What happened to a player in a game against somebody."""

    game: str
    against: str
    matches: int = 0
    moves: int = 0
    overrun: float = -1e9
    on_wall: float = -1e9
    guessed: int = 0
    again: int = 0
    renewed: int = 0
    illegal: int = 0

    @property
    def is_wrong(self) -> bool:
        """Whether something happened that must not."""
        return self.overrun > ALLOWED or self.guessed > 0 or self.illegal > 0

    def __str__(self) -> str:
        return (
            f"{self.game:20}{self.against:10}{self.matches:8}{self.moves:7}{self.overrun:10.3f}{self.on_wall:10.3f}"
            f"{self.guessed:9}{self.again:7}{self.renewed:9}{self.illegal:9}"
        )


HEADING = (
    f"{'game':20}{'against':10}{'matches':>8}{'moves':>7}{'overrun s':>10}{'on wall s':>10}{'guessed':>9}"
    f"{'again':>7}{'renewed':>9}{'illegal':>9}"
)


def hidden_games() -> list[str]:
    """The games of the library that hide something, with their variants; and variants of others that do."""
    names = []
    for name in game_names():
        found = entry(name)
        is_hiding = "hidden information" in found.tags
        hiding = [each.name for each in found.variants if is_hiding or "sees(" in each.facts]
        names += [*([name] if is_hiding else []), *(f"{name}:{variant}" for variant in hiding)]
    return names


def opponent_of(name: str, seed: int) -> Player:
    """Somebody to play against."""
    if name == "contrary":
        return Contrary(seed)
    found = find_player(name)(seed)
    assert isinstance(found, Player)
    return found


def play(game: gm.Game, number: int, options: argparse.Namespace, tally: Tally) -> None:
    """One match; the player has each role in turn."""
    roles = [role for role in game.roles if role != RANDOM]
    own, generator = roles[number % len(roles)], random.Random(number)
    players = {
        role: opponent_of(options.player if role == own else tally.against, 7 * number + place)
        for place, role in enumerate(roles)
    }
    for role, player in players.items():
        player.start(role, game, options.startclock if role == own else 0.1, options.clock)
    state, seen = game.initial_state(), dict.fromkeys(roles, None)
    last = None
    while not state.is_terminal:
        moves = {RANDOM: generator.choice(state.legal_moves(RANDOM))} if RANDOM in state.movers else {}
        for role, player in players.items():
            if not (legal := state.legal_moves(role)):
                continue
            player.tell_legal(legal)
            began, waited = time.perf_counter(), waited_seconds()
            move = player.play(seen[role])
            moves[role] = next((each for each in legal if each == move), legal[0])
            if role == own:
                tally.moves += 1
                over = time.perf_counter() - began - options.clock
                tally.on_wall = max(tally.on_wall, over)
                tally.overrun = max(tally.overrun, over - (waited_seconds() - waited))
                tally.illegal += move not in legal
                tally.guessed += player.beliefs is None
                last = player.beliefs or last
        messages = {role: message_to(role, state, moves) for role in roles}
        seen = messages
        state = state.next(moves)
    tally.again += last.again if last is not None else 0
    tally.renewed += last.renewed if last is not None else 0
    tally.matches += 1


def waited_seconds() -> float:
    """How long this thread has been ready to run, and waited for a core; 0 where the system does not tell."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


def ready(name: str) -> gm.Game:
    """A game with all machine code that searches of it take."""
    from gamemaster.search.native.warming import warm_up

    game = gm.load(name)
    warm_up(WAIT, ("ismcts",))
    if game.compiled is not None:
        for job in ("observe", "advance", "play", "charge"):
            if game.make_ready(job, WAIT):
                game.compiled.wait_for(job, WAIT)
    return game


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*")
    parser.add_argument("--matches", type=int, default=50)
    parser.add_argument("--clock", type=float, default=0.3)
    parser.add_argument("--startclock", type=float, default=2.0)
    parser.add_argument("--player", default="egghead")
    parser.add_argument("--against", default=",".join(OPPONENTS))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    opponents = options.against.split(",")
    try:  # a wrong name is told before anything is played
        for name in {options.player, *opponents} - {"contrary"}:
            find_player(name)
    except UnknownPlayer as error:
        parser.error(str(error))
    if not options.json:
        print(
            f"{options.player}, {options.clock:g} s for a move, of which it thinks {thinking_time(options.clock):g} s"
        )
        print(HEADING)
    wrong = False
    for name in options.games or hidden_games():
        game = ready(name)
        for opponent in opponents:
            tally = Tally(name, opponent)
            for number in range(options.matches):
                play(game, number, options, tally)
            print(json.dumps(asdict(tally)) if options.json else tally, flush=True)
            wrong |= tally.is_wrong
    sys.exit(int(wrong))


if __name__ == "__main__":
    main()
