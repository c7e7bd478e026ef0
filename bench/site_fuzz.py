"""Requests that schemathesis makes up from the OpenAPI schema, to a server of its own: nothing may be a server error.

    python bench/site_fuzz.py [--requests 5000] [--seed 0] [--signed-in]

Half of the requests keep to the schema, half break it; of those that keep to it, many tell real games, moves, players
and matches, so that they get past the door. Who is signed in has a game and a player of their own. Prints how many
requests each operation got, the statuses, and the slowest.
Exits with 1 for a status from 500 on that is not 503, for an answer that is not as the schema says, and for no answer.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeAlias

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import load_all_checks
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from site_serving import serving

import gamemaster as gm
from gamemaster.games import game_names
from gamemaster.machine.game import RANDOM
from gamemaster.players.catalogue import player_names
from gamemaster.search.catalogue import ALGORITHMS
from gamemaster.web.api.routes import api
from gamemaster.web.app import create_app
from gamemaster.web.brought.sheets import BroughtSheet, name_of, write_folder
from gamemaster.web.path import path_written
from gamemaster.web.settings import settings_for
from gamemaster.web.site import Site

__all__ = ["Tally", "fuzz", "main", "told"]

Request: TypeAlias = "schemathesis.Case[Any]"

AT_ONCE = 20
"""Requests for an operation before the next one has its turn."""

ELSEWHERE = 405
"""An address that leads to another operation is no fault of this one's schema."""

PATIENCE = 330.0
PLACES = ("/api/v1/states", "/api/v1/thinking")
LONGEST_LINE = 60_000
"""Of an address: the server hangs up on whoever sends more."""

HUNG_UP = 0
SHORTEST = 0.05
CHECKS = [status_code_conformance, content_type_conformance, response_schema_conformance]
GAMES = (
    "tictactoe",
    "nim",
    "roshambo",
    "connectfour:columns=5,rows=4",
    "threecells",
    "higherlower",
    "dicerace",
)
PLAYERS = (
    "random",
    "legal",
    "mcs",
    "person",
    "websocket",
    "http://127.0.0.1:1",
    "onestep(nosuch=1)",
    "dumbo",
)
OWNER, PLAYER = "Fuzzy", "fuzzybot"
RULES = """role(white) role(black) init(heap(2)) init(control(white))
legal(W,take(N)) :- true(control(W)) & true(heap(M)) & enough(M,N)
legal(W,noop) :- role(W) & ~true(control(W))
enough(1,1) enough(2,1) enough(2,2)
next(heap(0)) :- does(W,take(N)) & true(heap(N))
next(heap(1)) :- does(W,take(1)) & true(heap(2))
next(control(white)) :- true(control(black))
next(control(black)) :- true(control(white))
goal(W,100) :- true(control(B)) & role(W) & distinct(W,B)
goal(W,0) :- true(control(W))
terminal :- true(heap(0))
"""


@dataclass
class Tally:
    """What became of the requests."""

    requests: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    by_operation: defaultdict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    slowest: tuple[float, str] = (0.0, "")
    errors: list[str] = field(default_factory=list)
    """Server errors, and requests without an answer."""

    odd: Counter[str] = field(default_factory=Counter)
    """Answers that the schema does not know."""

    def add(self, operation: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self.requests += 1
        self.statuses[status] += 1
        self.by_operation[operation][status] += 1
        self.slowest = max(self.slowest, (seconds, operation))


def fuzz(count: int, first_seed: int = 0, at_once: int = AT_ONCE, *, is_signed_in: bool = False) -> Tally:
    """So many requests, to a server in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        site = settings_for(
            folder, makes_code=False, requests_each=1e9, burst=10**9, most_matches=12, most_players=4
        )
        app = create_app(site)
        with serving(app) as address:
            fuzzing = _Fuzzing(address, random.Random(first_seed), at_once)
            if is_signed_in:
                fuzzing.cookies = _sign_up(address)
                fuzzing.own = _own_things(app.state.site)
            return fuzzing.run(count, first_seed)


def _sign_up(address: str) -> dict[str, str]:
    """The cookies of somebody who has just signed up."""
    with requests.Session() as browser:
        token = re.findall(r'name="token" value="(\w+)"', browser.get(f"{address}/signup").text)[0]
        form = {"name": OWNER, "password": "correct horse battery", "token": token}
        browser.post(f"{address}/signup", data=form).raise_for_status()
        return {name: value or "" for name, value in browser.cookies.items()}


def _own_things(site: Site) -> str:
    """A private game and a private player of theirs; the name of the game."""
    account = site.store.accounts.get(OWNER)
    sheet = BroughtSheet("Heap", RULES, "hrf")
    name = name_of(sheet, site.secret)
    folder = site.settings.shelves[0] / name[1:]
    write_folder(sheet, folder, ("white", "black"), is_simultaneous=False)
    site.store.own_games.add(account.id, sheet.title, name, "private")
    site.store.own_players.add(account.id, PLAYER, address="http://127.0.0.1:1")
    return name


@dataclass
class _Fuzzing:
    address: str
    generator: random.Random
    at_once: int
    tally: Tally = field(default_factory=Tally)
    keys: dict[str, str] = field(default_factory=dict)
    """Of matches that were arranged, by id."""

    cookies: dict[str, str] = field(default_factory=dict)
    own: str = ""
    """The name of a game of whoever asks."""

    def run(self, count: int, number: int) -> Tally:
        load_all_checks()
        _tell_formats()
        schema = schemathesis.openapi.from_url(f"{self.address}{api.prefix}/openapi.json")
        operations = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
        while self.tally.requests < count:
            for operation in operations:
                for mode in schemathesis.GenerationMode:
                    number += 1
                    self._some(operation, mode, number, min(self.at_once, count - self.tally.requests))
        return self.tally

    def _some(self, operation: Any, mode: schemathesis.GenerationMode, number: int, count: int) -> None:
        """Some requests for an operation."""
        if count <= 0:
            return
        cases = operation.as_strategy(generation_mode=mode)
        is_valid = mode is schemathesis.GenerationMode.POSITIVE
        left = [count]

        @seed(number)
        @settings(
            max_examples=count,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=cases)
        def ask(case: Request) -> None:
            if left[0]:
                left[0] -= 1
                self._ask(operation.label, case, is_valid=is_valid)

        with suppress(Unsatisfiable):  # an operation without parameters cannot be broken
            ask()

    def _ask(self, label: str, case: Request, *, is_valid: bool) -> None:
        if is_valid and self.generator.random() < 0.6:
            self._make_sense(case)
        _hurry(case)
        began = time.perf_counter()
        try:
            response = case.call(timeout=PATIENCE, cookies=self.cookies or None)
        except requests.RequestException as error:
            if len(case.as_curl_command()) > LONGEST_LINE:
                self.tally.add(label, HUNG_UP, time.perf_counter() - began)
                return
            self.tally.errors.append(f"{label}: {type(error).__name__}: {case.as_curl_command()[:500]}")
            self.tally.requests += 1
            return
        self.tally.add(label, response.status_code, time.perf_counter() - began)
        if response.status_code >= 500 and response.status_code != 503:
            self.tally.errors.append(f"{label}: {response.status_code}: {case.as_curl_command()[:2000]}")
        if response.status_code == 201:
            made = response.json()
            self.keys[made["id"]] = made["key"]
        if response.status_code != ELSEWHERE:
            self._check(label, case, response)

    def _check(self, label: str, case: Request, response: Any) -> None:
        try:
            case.validate_response(response, checks=list(CHECKS))
        except (Failure, FailureGroup) as error:
            failures = error.exceptions if isinstance(error, FailureGroup) else [error]
            for failure in failures:
                self.tally.odd[f"{label}: {response.status_code}: {str(failure)[:300]}"] += 1

    def _make_sense(self, case: Request) -> None:
        """Put things into a request that there are."""
        body = case.body
        if "id" in (case.path_parameters or {}) and self.keys:
            name = self.generator.choice(list(self.keys))
            case.path_parameters["id"] = name
            case.headers["authorization"] = f"Bearer {self.keys[name]}"
        if not isinstance(body, dict):
            return
        walk = self.generator.choice(_walks())
        if self.own and self.generator.random() < 0.3:
            walk = _Walk(self.own, ("white", "black"), [{"white": "take(1)"}, {"black": "take(1)"}], ())
        if "players" in body:
            body["game"] = walk.game
            players = (*PLAYERS, PLAYER) if self.own else PLAYERS
            body["players"] = {role: self.generator.choice(players) for role in walk.roles}
        elif case.path.startswith(PLACES):
            self._put_into(body, walk)

    def _put_into(self, body: dict[str, Any], walk: _Walk) -> None:
        """A place of a walk into a body; or its rules stay, from their start on."""
        for word in ("facts", "step", "moves", "parameters"):
            body.pop(word, None)
        if isinstance(body.get("rules"), str) and self.generator.random() < 0.5:
            body.pop("game", None)
            return
        body.pop("rules", None)
        length = self.generator.randrange(len(walk.moves))
        body |= {"game": walk.game, "moves": walk.moves[:length]}
        if "move" in body:
            body["move"] = walk.moves[length]
        if "role" in body:
            body["role"] = self.generator.choice(walk.roles)


def _hurry(case: Request) -> None:
    """Have nobody think for long."""
    body = case.body
    if isinstance(body, dict):
        seconds = body.get("seconds")
        if (isinstance(seconds, int | float) and SHORTEST < seconds <= 10) or (
            "seconds" not in body
            and ("game" in body or "rules" in body)
            and ("with" in body or "role" in body)
        ):
            body["seconds"] = SHORTEST


# What there is


@dataclass(frozen=True)
class _Walk:
    game: str
    roles: tuple[str, ...]
    moves: list[dict[str, str]]
    facts: tuple[str, ...]


@cache
def _walks() -> tuple[_Walk, ...]:
    return tuple(_walk(name) for name in GAMES)


def _walk(name: str) -> _Walk:
    """A random game."""
    game, generator = gm.load(name), random.Random(name)
    state = game.initial_state()
    moves: list[dict[str, str]] = []
    facts = {str(fact): None for fact in state.ordered_facts}
    while not state.is_over and len(moves) < 60:
        joint = state.random_moves(generator)
        moves.append({role: str(move) for role, move in joint.items()})
        state = state.next(joint)
        facts |= {str(fact): None for fact in state.ordered_facts}
    return _Walk(name, tuple(role for role in game.roles if role != RANDOM), moves, tuple(facts))


@cache
def _tell_formats() -> None:
    """Teach schemathesis what stands where the schema has a format of ours."""
    walks = _walks()
    moves = sorted({move for walk in walks for joint in walk.moves for move in joint.values()})
    lines = [path_written([[move] for joint in walk.moves[:3] for move in joint.values()]) for walk in walks]
    rules = st.tuples(st.integers(0, len(RULES)), st.integers(0, 60), st.text(max_size=20)).map(_damaged)
    for name, strategy in {
        "game": st.sampled_from([*GAMES, *game_names()]) | st.text(min_size=1, max_size=200),
        "role": st.sampled_from(sorted({role for walk in walks for role in walk.roles}))
        | st.text(min_size=1),
        "move": st.sampled_from(moves) | st.text(min_size=1, max_size=400),
        "fact": st.sampled_from([fact for walk in walks for fact in walk.facts]) | st.text(min_size=1),
        "line": st.sampled_from([*lines, "", "?", "mark(1,1);mark(2,2)"]) | st.text(),
        "rules": st.just(RULES) | rules | st.text(min_size=1),
        "player": st.sampled_from(PLAYERS) | st.text(min_size=1),
        "thinker": st.sampled_from([*ALGORITHMS, *player_names(), "uct(exploration=0.3)"])
        | st.text(min_size=1),
        "match": st.from_regex(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}", fullmatch=True),
    }.items():
        schemathesis.openapi.format(name, strategy)


def _damaged(damage: tuple[int, int, str]) -> str:
    """The rules with some letters taken away, and others in their place."""
    place, length, text = damage
    return (RULES[:place] + text + RULES[place + length :]) or "x"


# On the screen


def told(tally: Tally) -> Iterator[str]:
    """What became of it, in lines."""
    for operation, statuses in tally.by_operation.items():
        counts = ", ".join(f"{status}: {number:,}" for status, number in sorted(statuses.items()))
        yield f"{operation:45} {counts}"
    yield f"{tally.requests:,} requests; {dict(sorted(tally.statuses.items()))}"
    yield f"the slowest took {tally.slowest[0]:.1f} s: {tally.slowest[1]}"
    for what, number in tally.odd.most_common():
        yield f"not as the schema says, {number} times: {what}"
    yield f"{len(tally.errors)} server errors or requests without an answer"
    yield from tally.errors


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--requests", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--signed-in", action="store_true")
    given_options = parser.parse_args()
    tally = fuzz(given_options.requests, given_options.seed, is_signed_in=given_options.signed_in)
    print("\n".join(told(tally)))
    return int(bool(tally.errors or tally.odd))


if __name__ == "__main__":
    sys.exit(main())
