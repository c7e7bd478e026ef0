"""Where matches run: a competition in one process, in processes of this machine, and on a Ray cluster of two nodes.

    python bench/arena.py [--matches 10] [--play-clock 0.2] [--no-ray]

Prints matches a minute as ratios to one process; what the arena itself costs for each match: CPU time of the process
that plans, which plays too where it is the only one, and wall time of a place beyond the matches; and how many clocks
were violated: replies that were too late though their player stops by itself. Players that do not go by time get the
same results everywhere.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from gamemaster.arena.competition import Competition, Entrant
from gamemaster.arena.holding import Venue, hold
from gamemaster.arena.running import Progress
from gamemaster.match.records.record import read_record

THINKERS = ("mcs", "mcts", "greedy", "minimaxid")
STEADY = ("legal", "random", "onestep", "dumbo", "indy", "lara")
GAMES = ("tictactoe", "connectfour:small")
NODES = """
import os, sys
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
from ray.cluster_utils import Cluster
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "node_ip_address": "127.0.0.2"})
cluster.add_node(num_cpus=1, node_ip_address="127.0.0.2")
print(cluster.address, flush=True)
sys.stdin.read()
cluster.shutdown()
"""


@dataclass(frozen=True)
class Figures:
    """What a run took."""

    matches: int
    seconds: float
    planning: float
    playing: float
    late: int
    table: tuple[object, ...]

    @property
    def per_minute(self) -> float:
        """Matches a minute."""
        return 60 * self.matches / self.seconds


def competition(players: tuple[str, ...], matches: int, play_clock: float) -> Competition:
    entrants = tuple(Entrant(each, each) for each in players)
    return Competition(GAMES, entrants, matches=matches, start_clock=5.0, play_clock=play_clock, opening=1)


def run(made: Competition, venue: Venue) -> Figures:
    """Hold it; what was made ready and started before the first match ended is not counted."""
    first: list[tuple[float, float, int]] = []

    def tell(progress: Progress) -> None:
        if progress.outcomes and not first:
            first.append((time.perf_counter(), time.process_time(), len(progress.outcomes)))

    with tempfile.TemporaryDirectory() as folder:
        progress = hold(made, Path(folder), venue, tell=tell)
        ended, computed = time.perf_counter(), time.process_time()
        records = [read_record(path) for path in (Path(folder) / "records").iterdir()]
    began, before, early = first[0]
    late = sum(fault.kind == "late" and fault.is_error for record in records for fault in record.faults)
    matches = len(progress.outcomes) - early
    playing = sum(each.seconds for each in progress.outcomes[early:])
    table = tuple((each.number, each.goals, each.errors) for each in progress.outcomes)
    return Figures(matches, ended - began, computed - before, playing, late, table)


@contextmanager
def ray_cluster() -> Iterator[str]:
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", NODES]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        assert process.stdin is not None
        process.stdin.close()


def compare(title: str, made: Competition, venues: dict[str, Venue], *, is_steady: bool) -> None:
    print(f"\n{title}: {', '.join(each.name for each in made.entrants)} in {', '.join(made.games)}")
    print(f"{'':12}matches/min   ratio  planning a match  beyond its match   late")
    base: Figures | None = None
    for name, venue in venues.items():
        found = run(
            made if name != "one process" else replace(made, matches=max(1, made.matches // 2)), venue
        )
        base = base or found
        places = 1 if venue.workers == 0 else 2
        beyond = (found.seconds * places - found.playing) / found.matches
        print(
            f"{name:12}{found.per_minute:11.0f}{found.per_minute / base.per_minute:8.2f}"
            f"{1000 * found.planning / found.matches:15.1f} ms{1000 * beyond:15.1f} ms{found.late:7}"
        )
        if is_steady and venue.workers != 0:
            same = set(base.table) <= set(found.table)
            print(f"{'':12}the same results as in one process: {'yes' if same else 'NO'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=10)
    parser.add_argument("--play-clock", type=float, default=0.2)
    parser.add_argument("--no-ray", action="store_true")
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    venues = {"one process": Venue(0), f"{min(2, cores)} processes": Venue(min(2, cores))}
    thinkers = competition(THINKERS, max(1, options.matches // 5), options.play_clock)
    steady = competition(STEADY, options.matches, 10.0)
    with ray_cluster() if not options.no_ray else _nothing() as address:
        if address:
            venues["Ray, 2 nodes"] = Venue(cluster=address)
        compare("players that think until just before their time", thinkers, venues, is_steady=False)
        compare("players that answer at once", steady, venues, is_steady=True)


@contextmanager
def _nothing() -> Iterator[str]:
    yield ""


if __name__ == "__main__":
    main()
