"""Competitions on a Ray cluster: two nodes on this machine, one of which dies; and clusters that are not there."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gamemaster.arena.competition import Competition, Entrant
from gamemaster.arena.holding import Venue, hold
from gamemaster.arena.running import Progress
from gamemaster.arena.workers.cluster import Cluster
from gamemaster.errors import GamemasterError, NotInstalled, WorkersLost

HOST = "127.0.0.2"
"""Not 127.0.0.1, which Ray takes for the address by which others know this machine."""

HEAD = """
import os, sys
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
from ray.cluster_utils import Cluster
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "node_ip_address": "127.0.0.2"})
other = cluster.add_node(num_cpus=1, node_ip_address="127.0.0.2")
print(cluster.address, flush=True)
for line in sys.stdin:
    cluster.remove_node(other if line == "node\\n" else cluster.head_node, allow_graceful=False)
    print("gone", flush=True)
cluster.shutdown()
"""


class Nodes:
    """A cluster in a process of its own, whose nodes can be killed."""

    def __init__(self) -> None:
        pipe = subprocess.PIPE
        environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", HEAD],
            stdin=pipe,
            stdout=pipe,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()

    def kill(self, which: str) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{which}\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def close(self) -> None:
        self.process.communicate()


@pytest.fixture
def nodes() -> Iterator[Nodes]:
    made = Nodes()
    yield made
    made.close()


def made(**more: Any) -> Competition:
    entrants = tuple(Entrant(each, each) for each in ("random", "legal", "onestep", "dumbo"))
    return Competition(("tictactoe", "nim"), entrants, start_clock=60, play_clock=60, opening=1, **more)


def told(progress: Progress) -> list[tuple[object, ...]]:
    return [
        (each.number, each.seats, each.how, each.goals, each.errors, each.steps) for each in progress.outcomes
    ]


@pytest.mark.slow
def test_a_cluster_that_loses_a_node_plays_what_one_process_plays(nodes: Nodes, tmp_path: Path) -> None:
    killed = threading.Event()

    def kill_one(progress: Progress) -> None:
        if len(progress.outcomes) >= 6 and not killed.is_set():
            killed.set()
            nodes.kill("node")

    there = hold(made(), tmp_path, Venue(cluster=nodes.address), tell=kill_one)
    assert killed.is_set()
    assert told(there) == told(hold(made(), None, Venue(0)))
    assert len(list((tmp_path / "records").iterdir())) == len(there.outcomes) == 24

    # And one that loses its head: said, nothing lost, and gone on with here.
    def lose_head(progress: Progress) -> None:
        if len(progress.outcomes) >= 3 and nodes.address:
            nodes.address = ""
            nodes.kill("head")

    other, address = tmp_path / "other", nodes.address
    with pytest.raises(WorkersLost, match=f"the cluster at '{address}' is gone; what was played is kept"):
        hold(made(matches=6), other, Venue(cluster=address), tell=lose_head)
    kept = (other / "outcomes.jsonl").read_text().splitlines()
    assert len(kept) >= 3
    assert not any("unplayed" in line for line in kept)
    assert told(hold(made(matches=6), other, Venue(2))) == told(hold(made(matches=6), None, Venue(2)))


def test_a_cluster_that_is_not_there_is_told_at_once() -> None:
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = free.getsockname()[1]
    with pytest.raises(WorkersLost, match=f"no cluster at '{HOST}:{port}': Connection refused"):
        Cluster(f"{HOST}:{port}")


@pytest.mark.parametrize("address", ["here", "host:port", "", "127.0.0.2:²", "127.0.0.2:99999"])
def test_what_is_no_address_is_told(address: str) -> None:
    with pytest.raises(WorkersLost, match="is no address of a cluster; name its head, host:port"):
        Cluster(address)


@pytest.mark.parametrize("host", ["a..b", "a" * 300])
def test_what_no_host_is_called_is_told(host: str) -> None:
    with pytest.raises(WorkersLost, match="no cluster at"):
        Cluster(f"{host}:80")


def test_without_ray_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gamemaster.arena.workers.cluster.find_spec", lambda _: None)
    with pytest.raises(NotInstalled, match=r"pip install 'gamemaster\[cluster\]'"):
        Cluster("127.0.0.2:6379")


@pytest.mark.slow
def test_somebody_who_is_no_cluster_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gamemaster.arena.workers.cluster.JOIN_SECONDS", 1.0)
    with (
        socket.create_server((HOST, 0)) as server,
        pytest.raises(GamemasterError, match="does not take us in"),
    ):
        Cluster(f"{HOST}:{server.getsockname()[1]}")
