"""Games solved from their rules alone: how many states that takes, how long, and with how large a table.

    python bench/solve_records.py connectfour [--boards 4x4,5x4,...] [--threads 2] [--memory 1000] [--seconds 3600]
    python bench/solve_records.py othello [--empty 14] [--positions 10]
    python bench/solve_records.py GAME ...              any game of the library, from its start

`entered` are states whose children were made, `seen` those and the leaves beside them. CPU seconds are of all threads.
A question is whether the first role gets so much: a draw takes two of them, a win often one. While a proof runs, what
it has done so far is told on standard error.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

import gamemaster as gm
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget
from gamemaster.search.native.engine import engine_of
from gamemaster.search.native.prover import ProvenBounds, Prover
from gamemaster.search.native.warming import get_ready

BOARDS = "4x4,5x4,4x5,5x5,6x5,7x5,6x6,7x6"
HEAD = ("", "value", "by", "entered", "seen", "CPU s", "wall s", "entered/CPU s", "MB", "threads")
WIDTHS = (38, 8, 12, 14, 16, 9, 9, 14, 6, 8)
WAIT = 600.0
BETWEEN = 30.0
"""Seconds from one word about a long proof to the next."""


def prepared(name: str) -> CompiledGame:
    """A game of the library with all its machine code."""
    game = gm.load(name, machine="compiled")
    assert isinstance(game, CompiledGame)
    get_ready(game, "solver")
    engine_of(game).wait(WAIT)
    return game


class Teller:
    """Tells on standard error how far a proof is."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.began = self.told = time.perf_counter()

    def __call__(self, proof: ProvenBounds) -> None:
        """Say how far it is, unless that was told just before."""
        now = time.perf_counter()
        if now - self.told >= BETWEEN:
            self.told = now
            known = f"worth {proof.lower} to {proof.upper}"
            print(
                f"  {self.name}: {now - self.began:,.0f} s, {proof.nodes:,} entered, {known}",
                file=sys.stderr,
                flush=True,
            )


def line(cells: tuple[str, ...]) -> str:
    """Cells as a line of the table."""
    first, *rest = zip(cells, WIDTHS, strict=True)
    return first[0].ljust(first[1]) + "".join(cell.rjust(width) for cell, width in rest)


def shown(proof: ProvenBounds) -> str:
    """What is known of a value."""
    return str(proof.lower) if proof.is_done else f"{proof.lower}..{proof.upper}"


def measure(name: str, prover: Prover, state: State, told: argparse.Namespace) -> tuple[ProvenBounds, float]:
    """Prove a state, print what that took; the proof and its CPU seconds."""
    began = time.process_time()
    proof = prover.prove(state, Budget(seconds=told.seconds), Teller(name))
    spent = time.process_time() - began
    move = str(prover.engines[0].terms[proof.move]) if proof.move >= 0 else "-"
    megabytes = prover.table.nbytes // 1_000_000
    figures = f"{proof.nodes:,}", f"{proof.states:,}", f"{spent:.2f}", f"{proof.seconds:.2f}"
    rate = f"{proof.nodes / max(spent, 1e-9):,.0f}"
    print(line((name, shown(proof), move, *figures, rate, str(megabytes), str(told.threads))), flush=True)
    return proof, spent


def from_the_start(names: list[str], told: argparse.Namespace) -> None:
    """Solve games from their first state, for the role that begins."""
    for name in names:
        game = prepared(name)
        state = game.initial_state()
        prover = Prover(game, state.chooser or game.roles[0], told.memory, told.threads)
        proof, _ = measure(name, prover, state, told)
        for question in proof.questions:
            answer = "yes" if question.is_so else "no"
            asked = f"  at least {question.target}? {answer}: {question.nodes:,} entered"
            print(f"{asked}, {question.seconds:.1f} s", flush=True)


def empty_squares(state: State) -> int:
    """How many squares of othello are free."""
    return 64 - sum(str(fact).startswith("cell") for fact in state.facts)


def endgame(game: CompiledGame, empty: int, seed: int) -> State | None:
    """A state of a random game with so many empty squares; None where it ends before."""
    generator = random.Random(seed)
    state: State = game.initial_state()
    while not state.is_terminal and empty_squares(state) > empty:
        state = state.next({role: generator.choice(state.legal_moves(role)) for role in state.movers})
    return None if state.is_terminal else state


def othello(told: argparse.Namespace) -> None:
    """Endgames of random games; the table is empty at the start of each."""
    game = prepared("othello")
    provers = {role: Prover(game, role, told.memory, told.threads) for role in game.roles}
    slowest = 0.0
    for seed in range(told.positions):
        state = endgame(game, told.empty, seed)
        if state is None:
            continue
        role = state.chooser or game.roles[0]
        provers[role].forget()
        name = f"othello, {empty_squares(state)} empty, {role}, seed {seed}"
        slowest = max(slowest, measure(name, provers[role], state, told)[1])
    print(f"the slowest took {slowest:.2f} s of CPU")


def main() -> None:
    """Read what is asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="+")
    parser.add_argument("--boards", default=BOARDS)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--empty", type=int, default=14)
    parser.add_argument("--positions", type=int, default=10)
    told = parser.parse_args()
    print(line(HEAD))
    for name in told.games:
        if name == "othello":
            othello(told)
        elif name == "connectfour":
            sizes = [board.split("x") for board in told.boards.split(",")]
            from_the_start([f"connectfour:columns={x},rows={y}" for x, y in sizes], told)
        else:
            from_the_start([name], told)


if __name__ == "__main__":
    main()
