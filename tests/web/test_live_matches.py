"""Matches on the site, as visitors play and watch them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gamemaster.match.records.record import read_record
from gamemaster.match.records.verifying import verify
from tests.web.running import RunningSite, Visitor, running_site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    with running_site(tmp_path_factory.mktemp("site")) as running:
        yield running


def record_of(site: RunningSite, match: str) -> Path:
    return site.folder / "matches" / f"{match}.jsonl"


def play_on(visitor: Visitor, match: str, role: str = "x") -> dict[str, object]:
    """Make the first move there is until the match is over."""
    with visitor.watching(match) as watch:
        while watch.until_asked()["phase"] != "over":
            clicks = watch.last["clicks"]
            move = clicks[role]["moves"][0]["move"]
            assert visitor.move(match, role, move, watch.last["step"]).status_code == 200
            watch.last = {}
        return watch.last


def human(visitor: Visitor, **values: object) -> str:
    usual = {"game": "tictactoe", "role": "x", "opponent": "random", "think": "1"}
    return visitor.arrange("/play", **{**usual, **values})


def test_a_person_plays_a_player_to_the_end(site: RunningSite) -> None:
    ann = Visitor(site.address)
    match = human(ann)
    last = play_on(ann, match)
    assert last["phase"] == "over"
    record = read_record(record_of(site, match))
    assert record.ended is not None
    assert record.ended.how == "completed"
    assert record.started.players == {"x": "x", "o": "random"}
    assert (record.started.start_clock, record.started.grace) == (5, 25)  # told, and waited
    assert verify(record).is_true, verify(record).show()
    assert "Game over" in ann.get(f"/matches/{match}").text


def test_only_who_sits_there_can_move(site: RunningSite) -> None:
    ann, eve = Visitor(site.address), Visitor(site.address)
    match = human(ann)
    with ann.watching(match) as watch:
        step = watch.until_asked()["step"]
    eve.get(f"/matches/{match}")
    refused = eve.move(match, "x", "mark(1,1)", step)
    assert refused.status_code == 403
    assert "only whoever sits there can move" in refused.text
    assert eve.act(match, "resign").status_code == 403
    assert ann.move(match, "o", "mark(1,1)", step).status_code == 403
    assert ann.move(match, "x", "mark(1,1)", step + 2).status_code == 403
    illegal = ann.move(match, "x", "mark(9,9)", step)
    assert illegal.status_code == 422
    assert "illegal move" in illegal.text
    assert ann.move(match, "x", "mark(1,1)", step).status_code == 200
    assert ann.act(match, "resign").status_code == 200


def test_a_form_from_elsewhere_changes_nothing(site: RunningSite) -> None:
    ann = Visitor(site.address)
    ann.get("/play")
    wrong = ann.client.post("/play", data={"token": "0" * 64, "game": "tictactoe"})
    assert wrong.status_code == 403
    other = ann.client.post(
        "/play", data={"token": ann.token}, headers={"origin": "http://elsewhere.example"}
    )
    assert other.status_code == 403
    assert ann.client.post("/play", data={"game": "tictactoe"}).status_code == 403


def test_who_gives_up_has_lost(site: RunningSite) -> None:
    ann = Visitor(site.address)
    match = human(ann)
    with ann.watching(match) as watch:
        watch.until_asked()
        assert ann.act(match, "resign").json() == {"ok": True}
        watch.until("over")
    assert "o wins, x resigned" in watch.parts["status"]
    found = ann.client.get(f"/api/v1/matches/{match}").json()
    assert [seat["goal"] for seat in found["seats"]] == [0, 100]
    assert verify(read_record(record_of(site, match))).is_true


def test_moves_are_taken_back_where_that_was_allowed(site: RunningSite) -> None:
    ann = Visitor(site.address)
    match = human(ann, take_back="on")
    with ann.watching(match) as watch:
        watch.until_asked()
        ann.move(match, "x", "mark(2,2)", 0)
        watch.last = {}
        assert watch.until_asked()["step"] == 2
        assert ann.act(match, "take-back").json() == {"ok": True}
        while watch.last["step"] != 0 or not watch.last["clicks"]:
            watch.next()
        assert "mark(2,2)" not in "".join(watch.last["append"].values())
        assert ann.act(match, "take-back").status_code == 403
    assert play_on(ann, match)["phase"] == "over"
    record = read_record(record_of(site, match))
    assert verify(record).is_true, verify(record).show()


def test_nothing_is_taken_back_where_it_was_not(site: RunningSite) -> None:
    ann = Visitor(site.address)
    match = human(ann)
    with ann.watching(match) as watch:
        watch.until_asked()
    assert "nothing can be taken back" in ann.act(match, "take-back").text
    assert "no hints" in ann.act(match, "hint").text


def test_a_hint_is_a_move(site: RunningSite) -> None:
    ann = Visitor(site.address)
    match = human(ann, hint="on")
    with ann.watching(match) as watch:
        watch.until_asked()
    assert re.match(
        r"Try mark \d \d: x (expects|surely gets) \d+ of 100", ann.act(match, "hint").json()["say"]
    )
    words = ann.client.post(f"/matches/{match}/act", data={"token": ann.token, "act": "hint"}).text
    assert "Try mark" in words  # without scripts it is on the page


def test_two_people_play_by_a_link_and_again_with_sides_swapped(site: RunningSite) -> None:
    ann, bob, eve = Visitor(site.address), Visitor(site.address), Visitor(site.address)
    match = human(ann, opponent="person")
    page = ann.get(f"/matches/{match}").text
    assert "Waiting for o to sit down" in page
    found = re.search(rf"/matches/{match}/join/\w+", page)
    assert found is not None
    link = found[0]
    assert "join/" not in eve.get(f"/matches/{match}").text
    assert "Sit down" in bob.get(link).text
    assert bob.post(link).status_code == 303
    assert eve.post(link).status_code == 403
    with ann.watching(match) as watch:
        watch.until_asked()
        assert set(watch.last["clicks"]) == {"x"}
    ann.move(match, "x", "mark(2,2)", 0)
    with bob.watching(match) as watch:
        watch.until_asked()
        assert set(watch.last["clicks"]) == {"o"}
        bob.act(match, "resign")
        watch.until("over")
    following = ann.act(match, "rematch").json()["go"]
    assert bob.act(match, "rematch").json()["go"] == following
    with ann.watching(following.rsplit("/", 1)[1]) as watch:
        watch.until("playing")
        while "to move" not in watch.parts["status"]:
            watch.next()
    assert eve.act(match, "rematch").status_code == 403


def managed(visitor: Visitor, **values: object) -> str:
    usual = {"game": "tictactoe", "player_0": "random", "player_1": "legal", "do": "arrange"}
    usual |= {"start_clock": "10", "play_clock": "10", "pace": "0"}
    return visitor.arrange("/manager", **{**usual, **values})


def test_a_match_is_managed_and_watched(site: RunningSite) -> None:
    ann, eve = Visitor(site.address), Visitor(site.address)
    match = managed(ann, pace="0.3")
    assert ann.act(match, "ping").json()["say"] == "2 of 2 ready"
    assert eve.act(match, "begin").status_code == 403
    with eve.watching(match) as watch:
        assert watch.next()["phase"] == "arranged"
        ann.act(match, "begin")
        while watch.next()["step"] < 2:
            pass
        ann.act(match, "pause")
        while "Paused" not in watch.parts["status"]:
            watch.next()
        ann.act(match, "resume")
        watch.until("over")
    assert "Game over" in watch.parts["status"]
    said = "".join(Visitor(site.address).get(f"/matches/{match}").text.split())
    assert "message(1,manager,random,start(" in said.replace("&#39;", "'")
    fresh = ann.act(match, "clear").json()["go"]
    assert "Not begun" in ann.get(fresh).text


@pytest.mark.parametrize("act", ["end", "abort"])
def test_a_match_is_ended_before_its_end(site: RunningSite, act: str) -> None:
    ann = Visitor(site.address)
    match = managed(ann, pace="5")
    ann.act(match, "begin")
    with ann.watching(match) as watch:
        watch.until("playing")
        ann.act(match, act)
        watch.until("over")
    record = read_record(record_of(site, match))
    assert record.ended is not None
    assert record.ended.how == {"end": "ended", "abort": "aborted"}[act]
    assert verify(record).is_true


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"other_0": "nobody"}, "the library has no player"),
        ({"other_0": "../../etc/passwd"}, "the library has no player"),
        ({"other_0": "/tmp/player.py"}, "the library has no player"),
        ({"other_0": "alphabeta(evaluation=/tmp/x.py:f)"}, "the library has no player"),
        ({"other_0": "mcts(exploration=banana)"}, "exploration"),
        ({"other_0": "http://10.0.0.1:9147"}, "on this machine only"),
        ({"other_0": "http://example.com"}, "on this machine only"),
        ({"other_0": "http://127.0.0.1.example.com"}, "on this machine only"),
        ({"other_0": "http://[::1"}, "no address"),
        ({"other_0": "http://evil.example@127.0.0.1"}, "address"),
        ({"other_0": "http://127.0.0.1:80/path"}, "address"),
        ({"game": "higherlower", "other_0": "minimax"}, "needs to know the state"),
        ({"start_clock": "soon"}, "is not a number"),
        ({"play_clock": "-3"}, "the play clock is -3 s"),
        ({"pace": "1000"}, "s between steps"),
    ],
)
def test_what_is_wrong_is_told_at_the_form_and_what_was_typed_is_kept(
    site: RunningSite, values: dict[str, object], words: str
) -> None:
    ann = Visitor(site.address)
    usual = {"game": "tictactoe", "player_0": "random", "player_1": "legal", "do": "arrange"}
    response = ann.post("/manager", **{**usual, **values})
    assert response.status_code == 422
    assert words in response.text
    for value in values.values():
        assert str(value) in response.text.replace("&#39;", "'")


def test_script_in_a_form_is_text(site: RunningSite) -> None:
    ann = Visitor(site.address)
    response = ann.post("/manager", game="tictactoe", do="arrange", other_0="<script>alert(1)</script>")
    assert "<script>alert" not in response.text
    assert "&lt;script&gt;alert" in response.text


def test_a_page_asks_for_what_it_missed(site: RunningSite) -> None:
    ann = Visitor(site.address)
    match = human(ann)
    with ann.watching(match) as watch:
        watch.until_asked()
        ann.move(match, "x", "mark(2,2)", 0)
        watch.last = {}
        number, mark = watch.until_asked()["number"], watch.last["mark"]
    with ann.watching(match, after=number, mark=mark) as watch:
        assert watch.next()["append"] == {}
        assert watch.last["after"] == number
        assert "Your move" in watch.parts["status"]
    with ann.watching(match, after=number, mark="another") as watch:
        assert watch.next()["after"] == 0
    with ann.watching(match, after=10**9) as watch:
        assert watch.next()["after"] == 0
        assert "mark(2,2)" in watch.last["append"]["moves"]


def test_a_player_over_a_websocket_plays(site: RunningSite) -> None:
    import json

    from websockets.sync.client import connect

    ann = Visitor(site.address)
    match = managed(ann, player_0="websocket")
    page = ann.get(f"/matches/{match}").text
    found = re.search(rf"/matches/{match}/player/\w+", page)
    assert found is not None
    assert "nobody has come yet" in ann.act(match, "ping").json()["say"]
    with connect(site.address.replace("http", "ws") + found[0]) as socket:
        ann.act(match, "begin")
        state = None
        while True:
            request = json.loads(socket.recv(timeout=60))
            if request["kind"] == "start":
                import gamemaster as gm

                state = gm.parse(request["rules"]).initial_state()
                value = "ready"
            elif request["kind"] == "play":
                assert state is not None
                if request.get("moves"):
                    state = state.next(request["moves"])
                value = str(state.legal_moves("x")[0]) if state.legal_moves("x") else "nil"
            else:
                value = "done"
            socket.send(json.dumps({"number": request["number"], "value": value}))
            if request["kind"] == "stop":
                break
    with Visitor(site.address).watching(match) as watch:
        watch.until("over")
    record = read_record(record_of(site, match))
    assert verify(record).is_true
    assert [fault for fault in record.faults if fault.is_error] == []


def test_nobody_else_sits_at_a_socket(site: RunningSite) -> None:
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect

    ann = Visitor(site.address)
    match = managed(ann, player_0="websocket")
    with connect(site.address.replace("http", "ws") + f"/matches/{match}/player/wrong") as socket:
        with pytest.raises(ConnectionClosed) as gone:
            socket.recv(timeout=30)
        assert gone.value.rcvd is not None
        assert gone.value.rcvd.code == 4404


def test_there_is_no_match_of_that_name(site: RunningSite) -> None:
    ann = Visitor(site.address)
    for path in ("/matches/nothing", "/matches/..%2f..%2fetc", "/matches/nothing/join/x"):
        assert ann.get(path).status_code == 404
    assert ann.act("nothing", "begin").status_code == 404


def test_what_somebody_chose_is_told_when_all_have(site: RunningSite) -> None:
    ann, bob, eve = Visitor(site.address), Visitor(site.address), Visitor(site.address)
    match = human(ann, game="roshambo", role="alice", opponent="person")
    link = re.search(rf"/matches/{match}/join/\w+", ann.get(f"/matches/{match}").text)
    assert link is not None
    bob.get(link[0])
    assert bob.post(link[0]).status_code == 303
    with ann.watching(match) as hers, bob.watching(match) as his, eve.watching(match) as others:
        hers.until_asked()
        his.until_asked()
        assert ann.move(match, "alice", "rock", 0).status_code == 200
        while "You chose rock; waiting for bob" not in hers.parts["status"]:
            hers.next()
        pages = bob.get(f"/matches/{match}").text, eve.get(f"/matches/{match}").text
        assert not any("alice,manager,rock" in page for page in pages)
        assert bob.move(match, "bob", "paper", 0).status_code == 200
        for watch in (his, others):
            while "alice" not in watch.last.get("append", {}).get("moves", ""):
                watch.next()
            assert not any("manager,rock" in text and "paper" not in text for text in watch.texts)


def test_a_pause_does_not_hold_up_the_end(site: RunningSite) -> None:
    ann = Visitor(site.address)
    match = managed(ann, player_0="websocket", start_clock="1")
    ann.act(match, "begin")
    with ann.watching(match) as watch:
        watch.until("playing")
        ann.act(match, "end")
        ann.act(match, "pause")
        watch.until("over")


def test_the_end_does_not_wait_for_the_pace(site: RunningSite) -> None:
    ann = Visitor(site.address)
    match = managed(ann, pace="10")
    ann.act(match, "begin")
    with ann.watching(match) as watch:
        watch.until("playing")
        ann.act(match, "abort")
        before = watch.last["step"]
        assert watch.until("over")["step"] == before == 0


def test_whoever_waits_for_somebody_may_leave(site: RunningSite) -> None:
    ann = Visitor(site.address)
    match = human(ann, opponent="person")
    assert ann.act(match, "leave").status_code == 200
    assert ann.client.get(f"/api/v1/matches/{match}").json()["status"] == "over"


def test_a_wrong_number_keeps_what_was_typed(site: RunningSite) -> None:
    ann = Visitor(site.address)
    response = ann.post("/play", game="connectfour", role="red", opponent="mcs", think="0.01")
    assert response.status_code == 422
    assert "players cannot have 0.01 s" in response.text
    assert 'value="0.01"' in response.text


def test_other_names_do_not_lead_here(site: RunningSite) -> None:
    ann = Visitor(site.address)
    for host in ("evil.example", "evil.example:8000", "127.0.0.1.evil.example"):
        assert ann.client.get("/", headers={"host": host}).status_code == 421
    for host in ("localhost", "localhost:8000", "127.0.0.1", "[::1]:8000"):
        assert ann.client.get("/play", headers={"host": host}).status_code == 200


def test_one_address_has_no_more_than_its_part(tmp_path: Path) -> None:
    with running_site(tmp_path, "--matches", "4") as small:
        ann = Visitor(small.address)
        for _ in range(2):
            managed(ann)
        usual = {"game": "tictactoe", "player_0": "random", "player_1": "legal", "do": "arrange"}
        assert "matches of yours are held here" in ann.post("/manager", **usual).text
        body = {"game": "tictactoe", "players": {"x": "random", "o": "random"}}
        answer = ann.client.post("/api/v1/matches", json=body)
        assert answer.status_code == 429
        assert answer.headers["retry-after"]
