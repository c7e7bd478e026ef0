"""The HTTP API, as programs use it, and as those do who mean no good."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import Client
from site_serving import serving

from gamemaster.errors import Busy, LimitExceeded
from gamemaster.match.records.record import read_record
from gamemaster.web.api import places
from gamemaster.web.app import create_app
from gamemaster.web.settings import settings_for
from gamemaster.web.work import Workers

NIM = """
role(white)
role(black)
init(heap(2))
init(control(white))
legal(W,take(N)) :- true(control(W)) & true(heap(M)) & enough(M,N)
legal(W,noop) :- role(W) & ~true(control(W))
enough(1,1)
enough(2,1)
enough(2,2)
next(heap(0)) :- does(W,take(N)) & true(heap(N))
next(heap(1)) :- does(W,take(1)) & true(heap(2))
next(control(white)) :- true(control(black))
next(control(black)) :- true(control(white))
goal(W,100) :- true(control(B)) & role(W) & distinct(W,B)
goal(W,0) :- true(control(W))
terminal :- true(heap(0))
"""
ENDLESS = """
role(r)
init(n(a))
legal(r,go)
next(n(f(X))) :- true(n(X))
deep(X) :- true(n(X))
deep(f(X)) :- deep(X)
goal(r,0) :- deep(X)
terminal :- deep(zzz)
"""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> FastAPI:
    return create_app(settings_for(str(tmp_path_factory.mktemp("site")), makes_code=False, requests_each=1e6))


@pytest.fixture(scope="module")
def client(app: FastAPI) -> Iterator[Client]:
    with serving(app) as address, Client(base_url=address, timeout=120) as made:
        yield made


def post(client: Client, path: str, body: object, status: int = 200, **headers: str) -> Any:
    answer = client.post(f"/api/v1{path}", json=body, headers=headers)
    assert answer.status_code == status, answer.text
    return answer.json()


def get(client: Client, path: str, status: int = 200) -> Any:
    answer = client.get(f"/api/v1{path}")
    assert answer.status_code == status, answer.text
    return answer.json()


def error(client: Client, path: str, body: object, status: int = 422) -> str:
    said = post(client, path, body, status)["error"]
    assert isinstance(said, str)
    return said


# Games


def test_games_are_listed_and_filtered(client: Client) -> None:
    games = get(client, "/games")["games"]
    assert {"tictactoe", "connectfour"} <= {game["name"] for game in games}
    found = get(client, "/games?q=tic&roles=2")["games"]
    assert found[0]["roles"] == ["x", "o"]
    assert all(game["is_hidden"] for game in get(client, "/games?hidden=true")["games"])
    assert "no kind" in get(client, "/games?kind=nonsense", 422)["error"]


def test_a_game_is_told_with_its_rules_in_any_notation(client: Client) -> None:
    game = get(client, "/games/tictactoe?as=hrf")
    assert game["notation"] == "hrf"
    assert ":-" in game["rules"]
    assert game["perft"][0] == 9
    assert "(role" in get(client, "/games/tictactoe?as=kif")["rules"]
    assert get(client, "/games/tictactoe?as=prolog", 422)["error"]


def test_a_variant_is_a_game_too(client: Client) -> None:
    game = get(client, "/games/connectfour:columns=7")
    assert {each["name"]: each["value"] for each in game["parameters"]}["columns"] == 7
    assert "7" in game["title"]


@pytest.mark.parametrize("name", ["nosuch", "..%2f..%2fetc%2fpasswd", "tictactoe:nosuch", "%00"])
def test_what_is_no_game_is_not_found(client: Client, name: str) -> None:
    assert get(client, f"/games/{name}", 404)["error"]


# Rules


def test_rules_are_checked(client: Client) -> None:
    report = post(client, "/check", {"rules": NIM, "seconds": 0.1})
    assert report["errors"] == 0
    assert report["played"]["games"] > 0


def test_what_is_wrong_with_rules_has_a_place(client: Client) -> None:
    found = post(client, "/check", {"rules": "role(x)\nlegal(x,M) :- true(\n"})["findings"][0]
    assert found["severity"] == "error"
    assert found["place"]["line"] >= 2
    assert found["code"] == "syntax"


def test_rules_with_control_characters_are_a_finding(client: Client) -> None:
    report = post(client, "/check", {"rules": "role(x)\n\x01"})
    assert report["findings"][0]["place"] == {"line": 2, "column": 1, "text": ""}


def test_rules_that_take_too_long_are_a_finding(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gamemaster.web.api.checking.CHECK_SECONDS", 0.01)
    report = post(client, "/check", {"rules": NIM, "seconds": 5})
    assert [finding["code"] for finding in report["findings"]] == ["limit"]


def test_rules_that_break_the_checker_are_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(places, "check", broken)
    assert "ZeroDivisionError" in str(places.checked(NIM, None, 0.0)["findings"])
    for wrong in (MemoryError(), LimitExceeded("time", "1 s")):
        monkeypatch.setattr(places, "check", lambda *_, wrong=wrong, **__: _raise(wrong))
        assert "limit" in str(places.checked(NIM, None, 0.0)["findings"])


def _raise(error: Exception) -> None:
    raise error


def test_too_many_rules_are_refused(client: Client) -> None:
    assert "rules" in error(client, "/check", {"rules": "x" * 200_001})
    answer = client.post("/api/v1/check", json={"rules": "x" * 400_000})
    assert answer.status_code == 413
    assert "bytes" in answer.json()["error"]


# States


def test_a_state_is_found_by_moves(client: Client) -> None:
    state = post(client, "/states", {"game": "tictactoe", "moves": ["mark(2,2)", {"o": "mark(1,1)"}]})
    assert state["step"] == 2
    assert state["control"] == "x"
    assert "cell(1,1,o)" in state["facts"]
    assert len(state["legal"]["x"]) == 7
    assert state["legal"]["o"] == ["noop"] or state["legal"]["o"] == []
    assert state["goals"].keys() == {"x", "o"}
    assert state == get(client, "/states?game=tictactoe&moves=mark(2,2);mark(1,1)")


def test_a_state_is_found_by_facts_and_gone_on_from(client: Client) -> None:
    state = post(client, "/states", {"game": "tictactoe", "moves": ["mark(2,2)"]})
    body = {"game": "tictactoe", "facts": state["facts"], "step": 1}
    again = post(client, "/states", body)
    assert again["legal"] == state["legal"]
    after = post(client, "/states/next", {**body, "move": "mark(1,1)"})
    assert after["step"] == 2
    assert "cell(1,1,o)" in after["facts"]


def test_an_end_is_told_in_words_and_not_gone_beyond(client: Client) -> None:
    moves = ["mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)", "mark(1,3)"]
    state = post(client, "/states", {"game": "tictactoe", "moves": moves})
    assert state["is_terminal"]
    assert state["ending"] == "x wins"
    assert state["goals"] == {"x": 100, "o": 0}
    assert state["legal"] == {"x": [], "o": []}
    assert "over" in error(client, "/states/next", {"game": "tictactoe", "moves": moves, "move": "mark(3,3)"})


def test_what_cannot_be_done_in_a_state_is_told(client: Client) -> None:
    assert "legal:" in error(client, "/states", {"game": "tictactoe", "moves": ["mark(9,9)"]})
    assert "role" in error(client, "/states", {"game": "tictactoe", "moves": [{"z": "mark(1,1)"}]})
    assert error(client, "/states", {"game": "tictactoe", "facts": ["cell("]})
    assert error(client, "/states", {"game": "nosuch"}, 404)
    assert error(client, "/states", {"game": "/etc/passwd"}, 404)


def test_a_place_is_told_in_one_way(client: Client) -> None:
    assert "one of them" in error(client, "/states", {})
    assert "one of them" in error(client, "/states", {"game": "tictactoe", "rules": NIM})
    assert "not both" in error(client, "/states", {"game": "tictactoe", "moves": ["a"], "facts": ["b"]})
    assert "belongs to facts" in error(client, "/states", {"game": "tictactoe", "step": 3})


def test_rules_that_somebody_sends_are_played_on_the_reference_machine(client: Client) -> None:
    state = post(client, "/states/next", {"rules": NIM, "move": "take(1)"})
    assert state["machine"] == "reference"
    assert state["legal"] == {"white": ["noop"], "black": ["take(1)"]}


def test_rules_that_cannot_be_read_are_told_with_their_place(client: Client) -> None:
    said = post(client, "/states", {"rules": "role(x)\n)"}, 422)
    assert said["line"] == 2
    assert said["column"] == 1


def test_rules_that_never_end_are_ended(client: Client) -> None:
    assert "limit" in error(client, "/states", {"rules": ENDLESS})


def test_a_worker_that_dies_is_told_and_the_next_one_works(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def dies(*_: object) -> None:
        raise Busy("it has ended")

    monkeypatch.setattr(Workers, "quick", dies)
    answer = client.post("/api/v1/states", json={"game": "tictactoe"})
    assert answer.status_code == 503
    assert answer.headers["retry-after"]
    monkeypatch.undo()
    assert post(client, "/states", {"game": "tictactoe"})["step"] == 0


def test_boards_are_drawn(client: Client) -> None:
    answer = client.get("/api/v1/states.svg?game=tictactoe&moves=mark(2,2)&theme=dark&size=200")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert answer.text.startswith("<svg")
    drawn = client.post("/api/v1/states.svg", json={"rules": NIM, "size": 64})
    assert drawn.text.startswith("<svg")
    assert client.get("/api/v1/states.svg?game=tictactoe&size=1000000").status_code == 422
    assert client.get("/api/v1/states.svg?game=tictactoe&theme=pink").status_code == 422


# Thinking


def test_somebody_thinks(client: Client) -> None:
    moves = ["mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)"]
    body = {"game": "tictactoe", "moves": moves, "with": "minimax", "seconds": 2}
    found = post(client, "/thinking", body)
    assert found["move"] == "mark(1,3)"
    assert found["value"] == 100
    assert found["role"] == "x"
    assert found["moves"][0]["move"] == "mark(1,3)"


def test_whoever_thinks_can_be_told_parameters(client: Client) -> None:
    body = {
        "game": "tictactoe",
        "with": "uct",
        "parameters": {"exploration": 0.5, "solver": False},
        "seconds": 0.1,
    }
    assert post(client, "/thinking", body)["algorithm"] == "uct"
    assert "no parameter" in error(client, "/thinking", {**body, "parameters": {"nosuch": 1}})
    assert "belong to somebody" in error(client, "/thinking", {"game": "tictactoe", "parameters": {"a": 1}})


@pytest.mark.parametrize(
    "who", ["my.py", "./x.py:Mine", "/etc/passwd", "uct(evaluation=a.py:b)", "nobody", "\x00"]
)
def test_no_files_think(client: Client, who: str) -> None:
    assert "nobody is called" in error(client, "/thinking", {"game": "tictactoe", "with": who}, 404)


def test_parameters_name_no_files(client: Client) -> None:
    body = {"game": "tictactoe", "with": "alphabeta", "parameters": {"evaluation": "/tmp/a.py:b"}}
    assert "parameters" in error(client, "/thinking", body)


def test_nobody_thinks_for_too_long_or_too_large_a_number(client: Client) -> None:
    for seconds in (11, 0, -1, "1"):
        assert "seconds" in error(client, "/thinking", {"game": "tictactoe", "seconds": seconds})
    for text in ("NaN", "Infinity", "1e999"):
        body = f'{{"game": "tictactoe", "seconds": {text}}}'
        answer = client.post("/api/v1/thinking", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 422


def test_players_are_listed_with_what_they_can_be_told(client: Client) -> None:
    listed = get(client, "/players")
    assert {"egghead", "random"} <= {each["name"] for each in listed["players"]}
    uct = next(each for each in listed["algorithms"] if each["name"] == "uct")
    assert "exploration" in uct["parameters"]


# Bodies


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{}", "text/plain", 415),
        (b"{}", "application/x-www-form-urlencoded", 415),
        (b"{}", "", 415),
        (b"{", "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b"1" * 5_000, "application/json", 400),
        (b'{"\\ud800": 1}', "application/json", 400),
        (b'{"game": "\\udc00"}', "application/json", 400),
        (b"[]", "application/json; charset=utf-8", 422),
        (b"null", "application/json", 422),
        (b'{"game": "tictactoe", "more": 1}', "application/json", 422),
        (b'{"game": 5}', "application/json", 422),
        (b'{"game": "tictactoe", "moves": [1]}', "application/json", 422),
        (b'{"game": "tictactoe", "facts": ["a"], "step": 1e300}', "application/json", 422),
        (b'{"game": "tictactoe", "facts": ["a"], "step": true}', "application/json", 422),
    ],
)
def test_what_is_no_body_is_refused(client: Client, content: bytes, kind: str, status: int) -> None:
    answer = client.post("/api/v1/states", content=content, headers={"content-type": kind})
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]


def test_another_site_cannot_have_its_visitors_arrange_matches(client: Client) -> None:
    answer = client.post("/api/v1/matches", json={}, headers={"origin": "https://evil.example"})
    assert answer.status_code == 403
    assert "another site" in answer.json()["error"]


def test_who_asks_too_often_is_told_when_to_come_again(tmp_path: Path) -> None:
    app = create_app(settings_for(str(tmp_path), makes_code=False, requests_each=0.1, burst=2))
    with serving(app) as address, Client(base_url=address) as client:
        found = [client.get("/api/v1/games?q=nim") for _ in range(4)]
    assert [answer.status_code for answer in found] == [200, 200, 429, 429]
    assert found[-1].json()["error"]
    assert found[-1].headers["retry-after"]


def test_other_methods_and_addresses_are_json_errors(client: Client) -> None:
    assert client.delete("/api/v1/games").json()["error"]
    assert client.get("/api/v1/nosuch").json()["error"]


# Matches


def arranged(client: Client, status: int = 201, **body: object) -> Any:
    order = {"game": "tictactoe", "players": {"x": "random", "o": "legal"}, "start_clock": 5, "play_clock": 5}
    return post(client, "/matches", {**order, **body}, status)


def waited(client: Client, name: str, status: str) -> Any:
    """The match, when it has a status."""
    for _ in range(600):
        found = get(client, f"/matches/{name}")
        if found["status"] == status:
            return found
        time.sleep(0.05)
    raise AssertionError(found)


def test_seeds_are_more_than_can_be_tried_and_can_be_given_again(client: Client) -> None:
    """Whoever finds the seed of a match knows all that chance will deal: 31 bits can be tried in an hour."""
    drawn = [waited(client, arranged(client)["id"], "over")["seed"] for _ in range(4)]
    assert max(drawn) > 2**40
    assert waited(client, arranged(client, seed=max(drawn))["id"], "over")["seed"] == max(drawn)


def test_a_match_is_arranged_played_and_recorded(client: Client, tmp_path: Path) -> None:
    made = arranged(client, seed=7)
    assert made["status"] in ("arranged", "running")
    assert made["seed"] is None
    found = waited(client, made["id"], "over")
    assert found["how"] == "completed"
    assert found["seed"] == 7
    assert sum(seat["goal"] for seat in found["seats"]) == 100
    assert found["live"] is None
    answer = client.get(found["record"])
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    (tmp_path / "one.jsonl").write_bytes(answer.content)
    assert len(read_record(tmp_path / "one.jsonl").moves) == found["steps"]
    listed = get(client, "/matches?game=tictactoe&player=legal&status=over&size=1")
    assert listed["matches"][0]["id"] == made["id"]
    assert listed["size"] == 1


def test_a_match_waits_for_people_and_sockets_have_addresses(client: Client) -> None:
    made = arranged(client, players={"x": "person", "o": "websocket"})
    assert made["live"]["awaited"] == ["x"]
    assert made["invitations"]["x"].startswith(f"/matches/{made['id']}/join/")
    assert made["sockets"]["o"].startswith(f"/matches/{made['id']}/player/")
    seen = get(client, f"/matches/{made['id']}")
    assert not {"key", "invitations", "sockets"} & seen.keys()
    assert get(client, f"/matches/{made['id']}/record", 403)["error"]


def test_only_the_key_steers_a_match(client: Client) -> None:
    made = arranged(client, players={"x": "person", "o": "random"})
    for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": "Basic eDp5"}):
        assert "Bearer" in post(client, f"/matches/{made['id']}/abort", {}, 403, **headers)["error"]
    key = {"authorization": f"Bearer {made['key']}"}
    assert "sit down" in post(client, f"/matches/{made['id']}/begin", {}, 403, **key)["error"]
    assert "not being played" in post(client, f"/matches/{made['id']}/pause", {}, 403, **key)["error"]
    found = post(client, f"/matches/{made['id']}/abort", {}, 200, **key)
    assert found["status"] == "over"
    assert found["how"] == "aborted"
    assert post(client, f"/matches/{made['id']}/begin", {}, 403, **key)["error"]
    assert "never began" in get(client, f"/matches/{made['id']}/record", 404)["error"]


def test_a_match_is_paused_and_goes_on(client: Client) -> None:
    made = arranged(client, is_managed=True, pace=0.3)
    key = {"authorization": f"Bearer {made['key']}"}
    assert made["live"]["phase"] == "arranged"
    post(client, f"/matches/{made['id']}/begin", {}, 200, **key)
    for _ in range(600):
        live = get(client, f"/matches/{made['id']}")["live"]
        if live["phase"] == "playing" and live["moves"]:
            break
        time.sleep(0.05)
    assert live["moves"][0].keys() == {"x"}
    assert post(client, f"/matches/{made['id']}/pause", {}, 200, **key)["live"]["is_paused"]
    assert not post(client, f"/matches/{made['id']}/resume", {}, 200, **key)["live"]["is_paused"]
    post(client, f"/matches/{made['id']}/end", {}, 200, **key)
    assert waited(client, made["id"], "over")["how"] != "completed"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"players": {"x": "random"}}, 422),
        ({"players": {"x": "random", "o": "random", "z": "random"}}, 422),
        ({"players": {"x": "random", "o": "nobody"}}, 404),
        ({"players": {"x": "random", "o": "/tmp/evil.py"}}, 404),
        ({"players": {"x": "random", "o": "mcts(evaluation=a.py:b)"}}, 404),
        ({"players": {"x": "random", "o": "http://192.168.0.1:9147"}}, 403),
        ({"players": {"x": "random", "o": "http://[::"}}, 422),
        ({"players": {"x": "random", "o": "mcts(nosuch=1)"}}, 422),
        ({"game": "nosuch"}, 404),
        ({"play_clock": 0}, 422),
        ({"play_clock": 1e9}, 422),
        ({"seed": -1}, 422),
        ({"pace": 100}, 422),
        ({"extra": 1}, 422),
    ],
)
def test_what_cannot_be_arranged_is_refused(client: Client, body: dict[str, object], status: int) -> None:
    before = get(client, "/matches")["total"]
    assert arranged(client, status, **body)["error"]
    assert get(client, "/matches")["total"] == before


@pytest.mark.parametrize(
    "path", ["/matches/nosuch", "/matches/nosuch/record", "/matches/..%2f..%2fsecret/record"]
)
def test_what_is_no_match_is_not_found(client: Client, path: str) -> None:
    assert get(client, path, 404)["error"]


def test_a_hidden_match_tells_nothing_before_it_is_over(app: FastAPI, client: Client) -> None:
    hidden = get(client, "/games?hidden=true")["games"]
    game = next(each for each in hidden if each["players"] == 2)
    roles = [role for role in game["roles"] if role != "random"]
    made = arranged(client, game=game["name"], players=dict.fromkeys(roles, "random"), pace=0.5)
    key = {"authorization": f"Bearer {made['key']}"}
    for _ in range(600):
        found = get(client, f"/matches/{made['id']}")
        if found["live"] is None or found["live"]["step"] > 0:
            break
        time.sleep(0.05)
    assert found["is_hidden"]
    assert found["live"]["step"] > 0
    assert found["live"]["moves"] is None
    assert found["live"]["to_move"] is None
    assert [(seat["goal"], seat["errors"]) for seat in found["seats"]] == [(None, None)] * 2
    assert found["seed"] is None
    assert get(client, f"/matches/{made['id']}/record", 403)["error"]
    match = app.state.site.hall.matches[made["id"]]
    facts = [fact for event in match.heard for fact in getattr(event, "facts", ())]
    assert facts
    assert not any(fact in json.dumps(found) for fact in facts)
    post(client, f"/matches/{made['id']}/abort", {}, 200, **key)
    assert client.get(waited(client, made["id"], "over")["record"]).status_code == 200


# About


def test_the_front_is_a_page_for_people_and_links_for_programs(client: Client) -> None:
    page = client.get("/api/v1", headers={"accept": "text/html"})
    assert page.headers["content-type"].startswith("text/html")
    schema = get(client, "/openapi.json")
    assert all(path in page.text for path in schema["paths"])
    links = client.get("/api/v1", headers={"accept": "application/json"}).json()["links"]
    assert {links["schema"], "/api/v1/games"} <= set(links.values())
    for link in links.values():
        assert client.get(link).status_code in (200, 405, 422), link


def test_the_schema_has_the_errors_as_they_are(client: Client) -> None:
    schema = get(client, "/openapi.json")
    assert "HTTPValidationError" not in schema["components"]["schemas"]
    assert not any(path for path in schema["paths"] if not path.startswith("/api/v1"))
