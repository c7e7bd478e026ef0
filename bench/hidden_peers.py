"""Hidden games of ours beside the same games in OpenSpiel: moves both ways, and OpenSpiel's information-set search.

A class a game says which of our moves is which action. Only who is in control moves, or chance; the others wait, and in
OpenSpiel are not asked. In ours everybody knows how many steps were made, so OpenSpiel is told to tell that too.

OpenSpiel's C++ `ISMCTSBot` needs `ResampleFromInfostate`, which of these games only Leduc poker has. Elsewhere its twin
in Python plays, which takes a resampler, with as many simulations as the one in C++ would make in the time:

    seconds of a simulation = those of the C++ `MCTSBot` from the same state + its depth x those of a key

where the key is the information state string that a node is found by, and the depth how many nodes are on the way. The
resampler (a particle filter over OpenSpiel's own states, others playing by lot) costs it nothing.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, State

__all__ = ["PEERS", "Different", "Line", "OpenSpielSide", "Peer"]

EXPLORATION = 2.0
"""OpenSpiel's returns go from -1 to 1."""

MOST_PARTICLES = 400
TRIAL = 300
"""Simulations by which it is seen how long one takes."""

LETTERS = "abcdefghijk"


class Different(Exception):
    """The two games do not agree in a state."""


@dataclass(frozen=True)
class Peer:
    """A game here and there. The roles but chance are OpenSpiel's players, in their order."""

    name: str
    rules: str
    openspiel: str
    most: float = 1.0
    """The most that a player can win there: goals go from 0, for as much lost, to 100."""

    has_bot: bool = False
    """Whether the C++ bot can play it."""

    def action(self, move: Term, theirs: Any) -> int:
        """OpenSpiel's action for a move of ours."""
        raise NotImplementedError


def _parts(move: Term) -> list[str]:
    """The functor of a move and its arguments."""
    return str(move).rstrip(")").replace("(", ",").split(",")


class Phantom(Peer):
    """mark(M,N): the cell of row M and column N."""

    def action(self, move: Term, theirs: Any) -> int:
        """See Peer."""
        _, row, column = _parts(move)
        return 3 * (int(row) - 1) + int(column) - 1


class DarkHex(Peer):
    """place(M,N): the cell of row M, a letter, and column N."""

    def action(self, move: Term, theirs: Any) -> int:
        """See Peer."""
        _, row, column = _parts(move)
        return 3 * LETTERS.index(row) + int(column) - 1


class Leduc(Peer):
    """deal(S,C): a card of two suits and three ranks; check and call are one there, as are bet and raise."""

    def action(self, move: Term, theirs: Any) -> int:
        """See Peer."""
        name, *card = _parts(move)
        if name == "deal":
            return 2 * ("jack", "queen", "king").index(card[1]) + ("hearts", "spades").index(card[0])
        return {"fold": 0, "check": 1, "call": 1, "bet": 2, "raise": 2}[name]


class LiarsDice(Peer):
    """throw(F): a number; bid(K,F): so many dice that show it; liar, which comes after all bids there."""

    def action(self, move: Term, theirs: Any) -> int:
        """See Peer."""
        name, *numbers = _parts(move)
        if name == "liar":
            return 2 * SIDES
        many = int(numbers[0]) - 1 if name == "bid" else 0
        return SIDES * many + int(numbers[-1]) - 1


SIDES = 6

PEERS: dict[str, Peer] = {
    peer.name: peer
    for peer in (
        Phantom("phantom", "phantom", "phantom_ttt(obstype=reveal-numturns)"),
        DarkHex("darkhex", "darkhex", "dark_hex(num_rows=3,num_cols=3,obstype=reveal-numturns)"),
        Leduc("leduc", "leduc", "leduc_poker", most=50 / 3, has_bot=True),
        LiarsDice("liarsdice", "liarsdice", "liars_dice"),
    )
}


class Line:
    """OpenSpiel's state of a game that is played here; `check` says whether the two agree."""

    def __init__(self, peer: Peer) -> None:
        import pyspiel

        self.peer = peer
        self.game = pyspiel.load_game(peer.openspiel)
        self.state = self.game.new_initial_state()

    def mover(self, ours: State) -> str | None:
        """Who moves in both."""
        roles = [role for role in ours.game.roles if role != RANDOM]
        return RANDOM if self.state.is_chance_node() else roles[self.state.current_player()]

    def actions(self, ours: State) -> dict[Term, int]:
        """OpenSpiel's actions for our moves, of who is to move."""
        role = self.mover(ours)
        assert role is not None
        return {move: self.peer.action(move, self.state) for move in ours.legal_moves(role)}

    def check(self, ours: State) -> None:
        """Different where the two do not agree."""
        if ours.is_terminal or self.state.is_terminal():
            roles = [role for role in ours.game.roles if role != RANDOM]
            goals = [ours.goal(role) for role in roles] if ours.is_terminal else None
            wanted = [50 + 50 * value / self.peer.most for value in self.state.returns()]
            if goals is None or any(abs((g or 0) - w) > 1 for g, w in zip(goals, wanted, strict=True)):
                raise Different(f"{self.peer.name}: goals {goals}, but {wanted}, in {ours}")
        elif sorted(self.actions(ours).values()) != sorted(self.state.legal_actions()):
            raise Different(
                f"{self.peer.name}: {self.actions(ours)}, but {self.state.legal_actions()}, in {ours}"
            )


class OpenSpielSide:
    """OpenSpiel's information-set search for one player."""

    def __init__(self, peer: Peer, player: int, seconds: float, seed: int) -> None:
        self.line, self.player, self.seconds = Line(peer), player, seconds
        self.generator = random.Random(seed)
        self.worlds: list[tuple[Any, float]] = [(self.line.state.clone(), 1.0)]
        self.simulations = list[int]()

    # Where the game can be

    def follow(self, action: int) -> None:
        """An action was made, by whomever: step on, and keep the worlds in which this player would know the same."""
        is_own = self.line.state.current_player() == self.player
        self.line.state.apply_action(action)
        if self.line.peer.has_bot or self.line.state.is_terminal():
            return
        known = _knows(self.line.state, self.player)
        found: dict[str, tuple[Any, float]] = {}
        for world, weight in self.worlds:
            for made, chance in [(action, 1.0)] if is_own else _outcomes(world):
                after = world.child(made)
                if not after.is_terminal() and _knows(after, self.player) == known:
                    found[after.history_str()] = (after, weight * chance)
        self.worlds = list(found.values())
        if len(self.worlds) > MOST_PARTICLES:
            weights = [weight for _, weight in self.worlds]
            drawn = self.generator.choices(self.worlds, weights, k=MOST_PARTICLES)
            self.worlds = [(world, 1.0) for world, _ in drawn]

    def _world(self, *_: Any) -> Any:
        (world,) = self.generator.choices([world for world, _ in self.worlds], self._weights)
        return world.clone()

    # What is chosen

    def choose(self) -> int:
        """The action that the search finds."""
        if self.line.peer.has_bot:
            return int(self._bot(self._simulations_of_bot()).step(self.line.state))
        from open_spiel.python.algorithms import ismcts

        self._weights = [weight for _, weight in self.worlds]
        evaluator = _Rollouts(self.generator)
        policy = ismcts.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
        self.simulations.append(self._simulations())
        bot = _twin()(self.line.game, evaluator, EXPLORATION, self.simulations[-1], final_policy_type=policy)
        bot.set_resampler(self._world)
        return int(bot.step(self.line.state))

    def _bot(self, simulations: int) -> Any:
        import pyspiel

        evaluator = pyspiel.RandomRolloutEvaluator(1, self.generator.getrandbits(30))
        policy = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
        seed = self.generator.getrandbits(30)
        return pyspiel.ISMCTSBot(seed, evaluator, EXPLORATION, simulations, -1, policy, False, False)

    def _simulations_of_bot(self) -> int:
        """How many simulations the C++ bot makes in the time, as it does here."""
        bot, began = self._bot(TRIAL * 10), time.process_time()
        bot.step(self.line.state)
        self.simulations.append(int(TRIAL * 10 / (time.process_time() - began) * self.seconds))
        return self.simulations[-1]

    def _simulations(self) -> int:
        """How many the C++ bot would make, where it cannot: see above."""
        import pyspiel

        world, began = self._world(), time.process_time()
        evaluator = pyspiel.RandomRolloutEvaluator(1, self.generator.getrandbits(30))
        bot = pyspiel.MCTSBot(
            self.line.game,
            evaluator,
            EXPLORATION,
            TRIAL * 10,
            1000,
            False,
            self.generator.getrandbits(30),
            False,
        )
        bot.mcts_search(world)
        walk = (time.process_time() - began) / (TRIAL * 10)
        began = time.process_time()
        for _ in range(TRIAL):
            world.information_state_string()
        key = (time.process_time() - began) / TRIAL
        return max(TRIAL, int(self.seconds / (walk + KEYS * key)))


KEYS = 6
"""Nodes on the way of a simulation, each found by a key: what the twin meets on average in phantom tic-tac-toe."""


@cache
def _twin() -> Any:
    """OpenSpiel's bot in Python, with its choice of an action written so that it takes a fifth of the time."""
    from open_spiel.python.algorithms import ismcts

    class Twin(ismcts.ISMCTSBot):  # type: ignore[misc]
        def _select_candidate_actions(self, node: Any) -> list[int]:
            log, c = math.log(node.total_visits), self._uct_c
            scores = {
                action: child.return_sum / child.visits + c * math.sqrt(log / child.visits)
                for action, child in node.child_info.items()
            }
            best = max(scores.values()) - ismcts.TIE_TOLERANCE
            return [action for action, score in scores.items() if score > best]

    return Twin


def _knows(world: Any, player: int) -> tuple[str, bool]:
    """What a player knows: what it saw, and whether it is to move."""
    return world.information_state_string(player), world.current_player() == player


def _outcomes(world: Any) -> list[tuple[int, float]]:
    """What chance or another player may do, and how likely that is."""
    if world.is_chance_node():
        return [(int(action), float(chance)) for action, chance in world.chance_outcomes()]
    legal = world.legal_actions()
    return [(action, 1 / len(legal)) for action in legal]


class _Rollouts:
    """Random games, as OpenSpiel's Python bots ask for them."""

    def __init__(self, generator: random.Random) -> None:
        self.generator = generator

    def evaluate(self, state: Any) -> Any:
        """What a random game from a state brings each player."""
        world, draw = state.clone(), self.generator.random
        while not world.is_terminal():
            if world.is_chance_node():
                actions, chances = zip(*world.chance_outcomes(), strict=True)
                world.apply_action(self.generator.choices(actions, chances)[0])
            else:
                legal = world.legal_actions()
                world.apply_action(legal[int(draw() * len(legal))])
        return world.returns()

    def prior(self, state: Any) -> list[tuple[int, float]]:
        """Every action, as likely as any other."""
        legal: Sequence[int] = state.legal_actions()
        return [(action, 1 / len(legal)) for action in legal]
