"""The pages of players: listed, looked at, registered, launched; what others may not see or do."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gamemaster.players.catalogue import one_line, player_names
from tests.web.people import PASSWORD, launched_feed, match_over, refused, signed_up
from tests.web.running import RunningSite, Visitor, running_site

NOWHERE = "http://127.0.0.1:1"
SCRIPT = "<script>alert(1)</script>"
SILENT = '<b class="x">'


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    with running_site(tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture(scope="module")
def ada(site: RunningSite) -> Visitor:
    return signed_up(site.address, "Ada")


@pytest.fixture
def guest(site: RunningSite) -> Visitor:
    return Visitor(site.address)


def register(visitor: Visitor, name: str, visibility: str = "private", **more: str) -> None:
    values = {"address": NOWHERE, "about": f"about {name}", **more}
    response = visitor.post("/players/register", name=name, visibility=visibility, **values)
    assert response.status_code == 303, response.text
    assert response.headers["location"] == f"/players/{name}?done=registered"


# The list, and a player of the library


def test_the_list_has_the_library_with_what_each_does(guest: Visitor) -> None:
    page = html.unescape(guest.get("/players").text)
    for name in player_names():
        assert f'href="/players/{name}"' in page
        assert one_line(name).replace("`", "") in page
    assert "exploration=0.7" in page
    assert 'href="/players" aria-current="page"' in page
    assert "/players/register" in page
    assert "/players/upload" not in page


def test_a_player_has_a_page_with_its_parameters(guest: Visitor) -> None:
    page = guest.get("/players/mcts").text
    assert "Monte Carlo tree search" in page
    assert "mcts(exploration=0.7)" in page
    assert "It has met no other machine here" in page
    assert "Launch" in page
    assert "Is it there?" not in page


@pytest.mark.parametrize(
    "name", ["nobody", "MCTS", "..%2f..%2fsecret", "%3Cscript%3E", "mcts(depth=1)", "a" * 300]
)
def test_who_is_not_there_has_no_page(guest: Visitor, name: str) -> None:
    response = guest.get(f"/players/{name}")
    assert response.status_code == 404
    assert "<script>alert" not in response.text


def test_matches_make_a_record_and_a_rating_over_time(ada: Visitor) -> None:
    for first, second in (("legal", "random"), ("random", "legal")):
        values = {"player-0": first, "player-1": second, "pace": "0", "start-clock": "60", "play-clock": "60"}
        match = ada.arrange("/manager", game="tictactoe", do="arrange", **values)
        assert ada.act(match, "begin").status_code == 200
        match_over(ada, match)
    page = ada.get("/players/legal").text
    assert 'role="img"' in page
    assert re.search(
        r"<title>Rating of legal, [+-]\d+ ± \d+ after 1 match, [+-]\d+ ± \d+ after 2 matches</title>", page
    )
    assert 'href="/matches?player=legal"' in page
    assert page.count("Tic-Tac-Toe") == 2
    listed = html.unescape(ada.get("/players").text)
    row = listed[listed.index('href="/players/legal"') :]
    assert re.search(r"[+-]\d+ ± \d+", row[: row.index("</tr>")])
    assert re.search(r"\d / \d / \d", row[: row.index("</tr>")])


# Registering


def test_guests_sign_in_first(guest: Visitor) -> None:
    assert guest.get("/players/register").headers["location"] == "/signin?next=/players/register"
    assert guest.post("/players/register", name="Deep", address=NOWHERE).status_code == 403


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"name": "a"}, "a player's name has 2 to 30"),
        ({"name": SCRIPT}, "a player's name has 2 to 30"),
        ({"name": "mcts"}, "mcts is a player of the library"),
        ({"name": "person"}, "no player is called person"),
        ({"name": "Open-mcts"}, "no player is called Open-mcts"),
        ({"address": ""}, "no address of a player"),
        ({"address": "ftp://127.0.0.1"}, "no address of a player"),
        ({"address": "127.0.0.1:80"}, "an address looks like"),
        ({"address": "http://10.0.0.1:80"}, "players are asked on this machine only"),
        ({"address": "http://evil.example"}, "players are asked on this machine only"),
        ({"address": "http://127.0.0.1@evil.example"}, "no address"),
        ({"address": f"http://127.0.0.1/{SCRIPT}"}, "no address of a player"),
        ({"visibility": "everybody"}, "seen as private, link or public"),
        ({"about": "x" * 501}, "501 letters; at most 500"),
        ({"about": "x\0y"}, "letters which cannot be kept"),
    ],
)
def test_what_is_wrong_is_said_at_its_field_and_nothing_is_lost(
    ada: Visitor, values: dict[str, str], words: str
) -> None:
    good = {"name": "Wrong", "address": NOWHERE, "visibility": "link", "about": "keep these words"}
    response = ada.post("/players/register", **{**good, **values})
    refused(response, html.escape(words, quote=False).replace("'", "&#39;"))
    assert SCRIPT not in response.text
    kept = {**good, **values}
    if "about" not in values:
        assert "keep these words" in response.text
    assert html.escape(kept["address"], quote=False) in response.text
    assert ada.client.get("/players/Wrong").status_code == 404


def test_a_name_is_taken_once(site: RunningSite, ada: Visitor) -> None:
    register(ada, "Taken")
    response = signed_up(site.address).post("/players/register", name="TAKEN", address=NOWHERE)
    refused(response, "there is a player &#39;TAKEN&#39; already; take another name")


def test_words_about_a_player_are_no_markup(ada: Visitor, guest: Visitor) -> None:
    register(ada, "Marked", "public", about=f"{SCRIPT} {SILENT}")
    for path in ("/players", "/players/Marked", "/manager", "/play"):
        page = guest.get(path).text
        assert SCRIPT not in page
        assert SILENT not in page
        assert "&lt;script&gt;" in page


def test_a_ping_says_what_is_so_and_not_where(ada: Visitor, guest: Visitor) -> None:
    register(ada, "Pinged", "public")
    for visitor in (ada, guest):
        page = visitor.post("/players/Pinged/ping").text
        assert "Pinged is not ready: unreachable, Pinged: " in page
        answer = visitor.client.post(
            "/players/Pinged/ping", data={"token": visitor.token}, headers={"accept": "application/json"}
        ).json()
        assert answer["say"].startswith("Pinged is not ready: unreachable, Pinged: ")
    assert NOWHERE not in guest.get("/players/Pinged").text
    assert NOWHERE in ada.get("/players/Pinged").text


# Whose they are


def test_a_private_player_is_not_there_for_others(site: RunningSite, ada: Visitor, guest: Visitor) -> None:
    register(ada, "Secretive")
    bob = signed_up(site.address)
    assert ada.get("/players/Secretive").status_code == 200
    assert "Secretive" in ada.get("/players").text
    for visitor in (guest, bob):
        visitor.get("/play")
        told = set()
        for name in ("Secretive", "Secretivo"):
            response = visitor.get(f"/players/{name}")
            assert response.status_code == 404
            told.add(re.sub(r"[0-9a-f]{64}", "", response.text.replace(name, "NAME")))
        assert len(told) == 1
        for path in ("/players", "/play", "/manager"):
            assert "Secretive" not in visitor.get(path).text
        for act in ("ping", "launch"):
            assert visitor.post(f"/players/Secretive/{act}").status_code == 404
        for act in ("edit", "remove"):
            assert visitor.post(f"/players/Secretive/{act}").status_code in (403, 404)
        values = {"player-0": "Secretive", "player-1": "random"}
        refused(
            visitor.post("/manager", game="tictactoe", do="arrange", **values), "the library has no player"
        )
        refused(visitor.post("/play", game="tictactoe", opponent="Secretive"), "the library has no player")
        body = {"game": "tictactoe", "players": {"x": "Secretive", "o": "random"}}
        assert visitor.client.post("/api/v1/matches", json=body).status_code == 404
        assert "Secretive" not in visitor.client.get("/api/v1/players").text


def test_one_by_link_is_for_whoever_knows_its_name(ada: Visitor, guest: Visitor) -> None:
    register(ada, "Linked", "link")
    assert "Linked" not in guest.get("/players").text
    page = guest.get("/players/Linked").text
    assert "whoever knows its name can choose it" in page
    assert 'value="Linked"' in guest.get("/manager?players=Linked+random").text
    assert '<option value="Linked" selected>' in guest.get("/play?opponent=Linked").text
    body = {"game": "tictactoe", "players": {"x": "linked", "o": "random"}, "is_managed": True}
    answer = guest.client.post("/api/v1/matches", json=body)
    assert answer.status_code == 201
    assert answer.json()["seats"][0] == {
        **{"role": "x", "player": "Linked", "kind": "own"},
        **{"goal": None, "errors": 0},
    }


def test_anothers_player_is_neither_changed_nor_removed(site: RunningSite, ada: Visitor) -> None:
    register(ada, "Hers", "public")
    eve = signed_up(site.address)
    assert "Change it" not in eve.get("/players/Hers").text
    values = {"address": "http://127.0.0.1:9", "visibility": "private", "about": "mine now"}
    refused(eve.post("/players/Hers/edit", **values), "Hers is not yours", 403)
    refused(eve.post("/players/Hers/remove"), "Hers is not yours", 403)
    assert "about Hers" in eve.get("/players/Hers").text


def test_a_player_is_changed_and_removed_by_its_owner(ada: Visitor, guest: Visitor) -> None:
    register(ada, "Changing", "public")
    values = {"address": "http://127.0.0.1:2", "visibility": "link", "about": "other words"}
    assert (
        ada.post("/players/Changing/edit", **values).headers["location"] == "/players/Changing?done=changed"
    )
    assert "http://127.0.0.1:2" in ada.get("/players/Changing").text
    assert "other words" in guest.get("/players/Changing").text
    response = ada.post("/players/Changing/edit", **{**values, "address": "http://10.0.0.1"})
    refused(response, "players are asked on this machine only")
    assert 'value="http://10.0.0.1"' in response.text
    assert ada.post("/players/Changing/remove").headers["location"] == "/players?done=removed"
    assert ada.get("/players/Changing").status_code == 404


@pytest.mark.parametrize(
    "path", ["register", "upload", "Mine/edit", "Mine/remove", "Mine/ping", "Mine/launch"]
)
def test_a_form_of_another_site_does_nothing(site: RunningSite, path: str) -> None:
    visitor = signed_up(site.address)
    if path.startswith("Mine"):
        path = path.replace("Mine", "Own-" + path.partition("/")[2])
        register(visitor, path.partition("/")[0])
    values = {"name": "Forged", "address": NOWHERE, "visibility": "public"}
    for token in ("", "0" * 64, signed_up(site.address).token):
        response = visitor.client.post(f"/players/{path}", data={"token": token, **values})
        assert response.status_code == 403
    headers = {"origin": "http://evil.example"}
    visitor.get("/players/register")
    response = visitor.client.post(
        f"/players/{path}", data={"token": visitor.token, **values}, headers=headers
    )
    assert response.status_code == 403
    assert visitor.get("/players/Forged").status_code == 404


# In matches


def test_a_match_shows_its_name_and_nobody_where_it_is(
    site: RunningSite, ada: Visitor, guest: Visitor
) -> None:
    """One that nobody answers for: all of its moves are made for it, and the match goes on."""
    register(ada, "Absent")
    values = {
        "player-0": "Absent",
        "player-1": "random",
        "pace": "0",
        "start-clock": "60",
        "play-clock": "60",
    }
    match = ada.arrange("/manager", game="tictactoe", do="arrange", **values)
    pinged = ada.act(match, "ping").json()["say"]
    assert "1 of 2 ready (x: unreachable, Absent: " in pinged
    assert ada.act(match, "begin").status_code == 200
    found = match_over(ada, match)
    assert found["how"] == "completed"
    record = guest.client.get(f"/api/v1/matches/{match}/record").text
    page = guest.get(f"/matches/{match}").text
    for told in (record, page, guest.get("/leaderboard").text, pinged, str(found)):
        assert "127.0.0.1:1" not in told
    assert "Absent" in record
    assert "Absent" in guest.get("/leaderboard").text


def test_one_that_is_removed_or_private_now_is_missed_when_a_match_begins(
    ada: Visitor, guest: Visitor
) -> None:
    register(ada, "Leaving", "public")
    values = {"player-0": "Leaving", "player-1": "random", "pace": "0"}
    match = guest.arrange("/manager", game="tictactoe", do="arrange", **values)
    ada.post("/players/Leaving/edit", address=NOWHERE, visibility="private", about="")
    guest.act(match, "begin")
    with guest.watching(match) as watch:
        while "the library has no player" not in watch.parts.get("status", ""):
            watch.next()
    assert "the library has no player &#39;Leaving&#39;" in watch.parts["status"]


def test_who_deletes_an_account_takes_its_players_along(site: RunningSite, guest: Visitor) -> None:
    visitor = signed_up(site.address)
    register(visitor, "Orphan", "public")
    assert guest.get("/players/Orphan").status_code == 200
    visitor.get("/profile")
    assert visitor.post("/profile/delete", confirm=PASSWORD).status_code == 303
    assert guest.get("/players/Orphan").status_code == 404


# Launching


def launched(visitor: Visitor, name: str, **values: str) -> str:
    """The identifier of a player that a visitor launches."""
    response = visitor.post(f"/players/{name}/launch", **values)
    assert response.status_code == 303, response.text
    found = re.search(r'data-launched="([^"]+)"', visitor.get(f"/players/{name}").text)
    assert found is not None
    return found[1]


def test_a_player_is_launched_connected_played_with_and_ended(guest: Visitor, ada: Visitor) -> None:
    identifier = launched(guest, "legal")
    said = launched_feed(guest, "legal", identifier, "ready")
    assert f"message(1,{identifier},site,ready)" in said
    assert identifier not in ada.get("/manager").text
    values = {
        "player-0": identifier,
        "player-1": "random",
        "pace": "0",
        "start-clock": "60",
        "play-clock": "60",
    }
    refused(ada.post("/manager", game="tictactoe", do="arrange", **values), "is not connected any more")
    act = f"/players/legal/launched/{identifier}"
    assert guest.post(act, act="connect").status_code == 303
    assert identifier in ada.get("/manager").text
    assert identifier in ada.get("/players").text
    match = ada.arrange("/manager", game="tictactoe", do="arrange", **values)
    ada.act(match, "begin")
    found = match_over(ada, match)
    assert found["how"] == "completed"
    assert found["seats"][0]["errors"] == 0  # type: ignore[index]
    page = guest.get("/players/legal").text
    assert "play(nil)" in page
    assert "stop(mark(" in page
    guest.post(act, act="clear")
    assert "stop(mark(" not in guest.get("/players/legal").text
    guest.post(act, act="disconnect")
    assert identifier not in ada.get("/manager").text
    guest.post(act, act="connect")
    assert guest.client.post(act, data={"token": guest.token, "act": "end"}).status_code == 303
    page = guest.get("/players/legal").text
    assert 'data-status="gone"' in page
    assert "you ended it" in page
    assert identifier not in ada.get("/players").text
    refused(guest.post(act, act="connect"), "cannot be connected", 403)


def test_a_launched_player_is_told_parameters_or_says_what_is_wrong_with_them(site: RunningSite) -> None:
    visitor = Visitor(site.address)
    refused(visitor.post("/players/mcs/launch", parameters=f"x={SCRIPT}"), "the library has no player")
    identifier = launched(visitor, "mcs", parameters="levels=none")
    launched_feed(visitor, "mcs", identifier, "gone")
    page = visitor.get("/players/mcs").text
    assert "levels" in page[page.index('data-status="gone"') :]
    assert "Launch again" in page


def test_nobody_else_reaches_what_somebody_launched(guest: Visitor, ada: Visitor) -> None:
    identifier = launched(guest, "random")
    act = f"/players/random/launched/{identifier}"
    for what in ("connect", "disconnect", "clear", "end"):
        refused(ada.post(act, act=what), "you have launched no player", 404)
    assert guest.client.post(act, data={"act": "end"}).status_code == 403
    with pytest.raises(Exception, match="4404"):
        launched_feed(ada, "random", identifier, "ready")
    assert identifier not in ada.get("/players/random").text
    guest.post(act, act="end")


def test_only_two_are_launched_by_one_visitor(guest: Visitor) -> None:
    mine = [launched(guest, name) for name in ("legal", "random")]
    refused(guest.post("/players/lara/launch"), "you have launched 2 players; end one of them first")
    for identifier in mine:
        guest.post(f"/players/x/launched/{identifier}", act="end")


def test_an_http_player_is_not_launched_here(ada: Visitor) -> None:
    register(ada, "Elsewhere")
    assert "Launch" not in ada.get("/players/Elsewhere").text
    refused(ada.post("/players/Elsewhere/launch"), "it runs on its own machine", 403)


def test_the_api_tells_of_public_players(ada: Visitor, guest: Visitor) -> None:
    register(ada, "Told", "public")
    found = guest.client.get("/api/v1/players").json()["registered"]
    assert {"name": "Told", "summary": "about Told", "owner": "Ada"} in found
    assert NOWHERE not in str(found)


def test_files_are_not_taken_unless_the_operator_says_so(site: RunningSite, ada: Visitor) -> None:
    for response in (ada.get("/players/upload"), ada.post("/players/upload", name="Filed", text="x = 1")):
        refused(response, "this site takes no files of players", 403)
    assert not (Path(site.folder) / "players").exists()
