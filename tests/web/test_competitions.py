"""Competitions on their pages: planned, played, paused, seen and not seen, by whom they may be."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

import gamemaster
from gamemaster.arena.competition import Competition, Entrant, Pairing
from gamemaster.arena.outcomes import MatchOutcome
from gamemaster.arena.pairings import plan
from gamemaster.errors import Forbidden, ParameterError, UnknownGameSet
from gamemaster.match.records.record import read_record
from gamemaster.match.records.verifying import verify
from gamemaster.web.app import create_app
from gamemaster.web.brought.sheets import BroughtSheet, name_of
from gamemaster.web.brought.shop import Brought
from gamemaster.web.brought.trying import put_on_shelf
from gamemaster.web.competing.listing import Listing
from gamemaster.web.competing.looking import Chosen, looked_over
from gamemaster.web.competing.plans import CompetitionPlan, PlannedGame, most_matches
from gamemaster.web.competing.sets import (
    check_owner,
    computed_sets,
    listed_games,
    mistake_in_title,
    set_of,
)
from gamemaster.web.pages.planning import duration
from gamemaster.web.roster.files import PlayerFiles
from gamemaster.web.settings import settings_for
from gamemaster.web.site import Site
from tests.web.competing import Member, matches_of, opened, ticked
from tests.web.running import RunningSite, Visitor, running_site
from tests.web.test_accounts import Browser

SCRIPT = "<script>alert(1)</script>"
NAUGHTY = '"><img src=x onerror=alert(1)>'
SMALL = ticked("tictactoe nim", "random onestep legal")
SLOW = ticked("tictactoe", "mcs greedy", matches="4", start_clock="0.5", play_clock="0.5")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    with running_site(tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture(scope="module")
def ada(site: RunningSite) -> Member:
    return Member(site.address).sign_up("ada")


@pytest.fixture(scope="module")
def bob(site: RunningSite) -> Member:
    return Member(site.address).sign_up("bob")


@pytest.fixture(scope="module")
def chief(site: RunningSite) -> Member:
    found = Member(site.address).sign_up("chief")
    with opened(site.folder) as store:
        store.accounts.set_operator(store.accounts.get("chief").id, is_operator=True)
    return found


@pytest.fixture(scope="module")
def spring(ada: Member) -> str:
    """A competition that everybody may see, played to its end."""
    id = ada.begin({**SMALL, "name": NAUGHTY})
    ada.wait(id)
    return id


def mistakes(response: httpx.Response) -> str:
    return " ".join(re.findall(r'field-error"[^>]*>([^<]*)', response.text))


# Planning


@pytest.mark.slow
def test_the_plan_is_shown_before_anything_begins(site: RunningSite, ada: Member) -> None:
    with opened(site.folder) as store:
        before = len(store.competitions.of(store.accounts.get("ada").id))
        shown = ada.plan(SMALL)
        assert "<strong>12 matches</strong>, round robin, 3 players in 2 games" in shown.text
        assert "At most about" in shown.text
        other = ada.send("/competitions/new", {**SMALL, "do": "begin", "shown": "something else"})
        assert other.status_code == 200
        assert "<strong>12 matches</strong>" in other.text
        assert len(store.competitions.of(store.accounts.get("ada").id)) == before


def test_the_form_draws_a_seed(ada: Member) -> None:
    drawn = [
        re.findall(r'name="seed"[^>]* value="(\d+)"', ada.get("/competitions/new").text)[0] for _ in range(4)
    ]
    assert max(map(int, drawn)) > 2**40


@pytest.mark.slow
def test_every_match_is_played_listed_and_can_be_looked_at(
    site: RunningSite, ada: Member, spring: str
) -> None:
    data = ada.standing(spring)
    assert [each["number"] for each in data["matches"]] == list(range(12))
    assert {each["name"] for each in data["players"]} == {"random", "onestep", "legal"}
    page = ada.get(f"/competitions/{spring}").text
    assert "Over: 12 matches played" in page
    assert page.count(f'href="/matches/{spring}-') == 12
    with opened(site.folder) as store:
        found = matches_of(store, spring)
        assert len(found) == 12
        assert {(entry.status, entry.how) for entry in found} == {("over", "completed")}
    for number in (0, 11):
        assert ada.get(f"/matches/{spring}-{number}").status_code == 200
        assert verify(read_record(site.folder / "matches" / f"{spring}-{number}.jsonl")).is_true
    board = ada.get("/leaderboard?set=for-two").text
    assert "12 matches between machines in Games for two with nothing hidden" in board
    assert "±" in board


@pytest.mark.slow
def test_all_of_it_can_be_taken_away(ada: Member, spring: str) -> None:
    report = ada.client.get(f"/competitions/{spring}/report.html")
    assert report.headers["content-security-policy"].startswith("default-src 'none'")
    assert "<img" not in report.text
    table = ada.client.get(f"/competitions/{spring}/table.csv").text.splitlines()
    assert len(table) == 4
    assert table[0].startswith("place,player,elo")
    assert len(ada.client.get(f"/competitions/{spring}/matches.csv").text.splitlines()) == 25
    assert ada.client.get(f"/competitions/{spring}/secret").status_code == 404


@pytest.mark.slow
def test_a_page_that_has_it_all_is_told_so(ada: Member, spring: str) -> None:
    first = ada.client.get(f"/competitions/{spring}/live.json")
    assert not first.json()["is_live"]
    assert set(first.json()["parts"]) == {
        f"competition-{part}" for part in ("status", "table", "cross", "games", "fixtures")
    }
    again = ada.client.get(
        f"/competitions/{spring}/live.json", headers={"if-none-match": first.headers["etag"]}
    )
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": ""}, "a name is needed"),
        ({"name": "x" * 61}, "at most 60 letters"),
        ({"name": "../../x"}, "without / "),
        ({"matches": "501"}, "from 1 to 500"),
        ({"matches": "many"}, "is not a number"),
        ({"rounds": "51"}, "from 1 to 50"),
        ({"start-clock": "601"}, "from 0.1 to 600"),
        ({"play-clock": "0"}, "from 0.1 to 120"),
        ({"play-clock": "nan"}, "is not a number"),
        ({"seed": "-1"}, "from 0 to 9,007,199,254,740,991"),
        ({"pairing": "everybody"}, "there is round robin"),
        ({"games": "nothing"}, "nothing"),
        ({"games": "/etc/passwd"}, "/etc/passwd"),
        ({"games": "connectfour:columns=9999"}, "columns"),
        ({"games": "\n".join(f"nim:a{number}" for number in range(61))}, "there can be 60"),
        ({"set": "no-such-set"}, "no game set"),
        ({"players": "nobody-of-that-name"}, "nobody-of-that-name"),
        ({"players": "/etc/passwd"}, "/etc/passwd"),
        ({"players": "mcts(depth=3)"}, "depth"),
        ({"players": "http://127.0.0.1:9"}, "nobody answers"),
        ({"players": "http://10.1.2.3:80"}, "on this machine only"),
        ({"players": "mcts.0f3a"}, "not connected"),
        ({"players": "\n".join(f"mcts(seed={number})" for number in range(40))}, "there can be 32"),
        ({"pairing": "swiss", "game-chinesecheckers3": "on"}, "takes games for two"),
        ({"game-kriegtictactoe": "on"}, "kriegtictactoe"),
    ],
)
def test_what_cannot_be_held_is_told_at_its_field(ada: Member, change: dict[str, str], field: str) -> None:
    response = ada.plan({**SMALL, **change})
    assert response.status_code == 422
    assert field in mistakes(response)
    kept = change.get("name", SMALL["name"])[:60]
    assert kept.replace("<", "&lt;") in response.text


@pytest.mark.slow
def test_a_plan_is_not_larger_than_the_site_holds(ada: Member) -> None:
    every = " ".join(("random", "legal", "onestep", "twostep", "mcs", "greedy", "mcts", "pts"))
    response = ada.plan({**ticked("", every, matches="100"), "set": "for-two"})
    assert response.status_code == 422
    assert "there can be 5,000 on this site" in mistakes(response)
    huge = ada.client.post("/competitions/new", data={"token": ada.token, "games": "x" * 400_000})
    assert huge.status_code == 413


@pytest.mark.slow
def test_a_plan_takes_no_longer_than_others_can_wait(ada: Member) -> None:
    response = ada.plan({**SMALL, "matches": "300", "start-clock": "600", "play-clock": "120"})
    assert response.status_code == 422
    assert "a competition here has 24 h" in mistakes(response)


@pytest.mark.slow
def test_nothing_is_chosen_is_told(ada: Member) -> None:
    response = ada.plan(ticked())
    assert "choose a game at least" in mistakes(response)
    assert "choose a player at least" in mistakes(response)


# Whose it is


@pytest.mark.slow
def test_guests_see_and_do_not_begin(site: RunningSite, spring: str) -> None:
    guest = Visitor(site.address)
    assert guest.get("/competitions").status_code == 200
    assert guest.get(f"/competitions/{spring}").status_code == 200
    asked = guest.get("/competitions/new")
    assert (asked.status_code, asked.headers["location"]) == (303, "/signin?next=/competitions/new")
    guest.get("/signin")
    for path in ("/competitions/new", f"/competitions/{spring}/act", "/sets/new", "/run/switch"):
        assert guest.post(path, name="x", act="end", turn="on").status_code == 403, path


@pytest.mark.slow
def test_nothing_is_done_for_a_form_that_is_not_ours(ada: Member, chief: Member, spring: str) -> None:
    for path, form in (
        ("/competitions/new", {**SMALL, "do": "begin"}),
        (f"/competitions/{spring}/act", {"act": "remove"}),
        ("/sets/new", {"name": "mine", "game-nim": "on"}),
    ):
        for token in ("", "0" * 64, chief.token):
            assert ada.client.post(path, data={**form, "token": token}).status_code == 403, path
    for path in ("/run/switch", "/run/settings"):
        assert chief.client.post(path, data={"turn": "on", "token": ada.token}).status_code == 403
    assert ada.get(f"/competitions/{spring}").status_code == 200


@pytest.mark.slow
def test_what_is_somebody_elses_is_only_looked_at(bob: Member, spring: str) -> None:
    assert bob.get(f"/competitions/{spring}").status_code == 200
    for act in ("pause", "go-on", "end", "remove"):
        assert bob.tell(spring, act).status_code == 403


@pytest.mark.slow
def test_a_private_one_is_for_its_owner_and_operators(
    site: RunningSite, ada: Member, bob: Member, chief: Member
) -> None:
    id = ada.begin({**ticked("nim", "random legal"), "only-me": "on", "name": "secret plans"})
    ada.wait(id)
    guest = Visitor(site.address)
    for other in (bob, guest):
        for path in ("", "/live.json", "/report.html", "/competition.json"):
            assert other.client.get(f"/competitions/{id}{path}").status_code == 404, path
        assert "secret plans" not in other.get("/competitions").text
        assert id not in other.get("/matches").text
    assert bob.tell(id, "remove").status_code == 404
    for own in (ada, chief):
        assert own.get(f"/competitions/{id}").status_code == 200
        assert "secret plans" in own.get("/competitions").text


@pytest.mark.slow
@pytest.mark.parametrize("id", ["nothing", "../../x", "x" * 300, SCRIPT])
def test_what_is_not_there_is_told(ada: Member, id: str) -> None:
    response = ada.client.get(f"/competitions/{id}")
    assert response.status_code == 404
    assert SCRIPT not in response.text


@pytest.mark.slow
def test_names_are_shown_and_never_run(ada: Member, spring: str) -> None:
    for path in ("/competitions", f"/competitions/{spring}"):
        text = ada.get(path).text
        assert NAUGHTY not in text
        assert "&lt;img src=x" in text
    shown = ada.plan({**SMALL, "name": SCRIPT.replace("/", ""), "players": "random\nlegal"})
    assert "<script>alert" not in shown.text


# Running


@pytest.mark.slow
def test_it_is_paused_gone_on_with_ended_and_removed(site: RunningSite, ada: Member) -> None:
    id = ada.begin({**SLOW, "name": "slow one"})
    ada.wait(id, matches=1)
    second = ada.begin({**SMALL, "name": "behind it"})
    assert "Waiting: 1 competition before this one" in ada.get(f"/competitions/{second}").text
    assert ada.tell(id, "remove").status_code == 403
    assert ada.tell(id, "pause").status_code == 303
    ada.wait(second)  # whose turn came when the first was left
    left = ada.standing(id)
    assert not left["is_over"]
    assert 1 <= len(left["matches"]) < 8
    assert "Paused after" in ada.get(f"/competitions/{id}").text
    for path in ("", "/report.html"):  # whoever knows the seed knows what chance will do
        assert ", seed 7" not in ada.client.get(f"/competitions/{id}{path}").text
        assert ", seed 7." in ada.client.get(f"/competitions/{second}{path}").text
    assert ada.tell(id, "pause").status_code == 403
    assert ada.tell(id, "go-on").status_code == 303
    assert ada.tell(id, "go-on").status_code == 403
    ada.wait(id, matches=len(left["matches"]) + 1)
    assert ada.standing(id)["matches"][: len(left["matches"])] == left["matches"]
    assert ada.tell(id, "end").status_code == 303
    assert ada.tell(id, "nothing").status_code == 403
    assert "Ended early" in ada.get(f"/competitions/{id}").text
    for act in ("end", "pause", "go-on"):
        assert ada.tell(id, act).status_code == 403
    removed = ada.tell(id, "remove")
    while removed.status_code == 403:  # the match that was under way comes to its end first
        removed = ada.tell(id, "remove")
    assert removed.headers["location"] == "/competitions"
    assert ada.client.get(f"/competitions/{id}").status_code == 404
    assert not (site.folder / "competitions" / id).exists()


@pytest.mark.slow
def test_one_account_has_not_very_many_at_once(site: RunningSite) -> None:
    eve = Member(site.address).sign_up("eve")
    for number in range(5):
        id = eve.begin({**SLOW, "name": f"number {number}"})
        assert eve.tell(id, "pause").status_code == 303
    shown = eve.plan(SMALL)
    digest = re.search(r'name="shown" value="(\w+)"', shown.text)
    assert digest is not None
    response = eve.send("/competitions/new", {**SMALL, "do": "begin", "shown": digest[1]})
    assert response.status_code == 429
    assert "5 competitions of yours are not over" in mistakes(response)
    eve.get("/profile")
    gone = eve.post("/profile/delete", confirm="correct horse battery")
    assert gone.status_code == 303
    assert not (site.folder / "competitions" / id).exists()
    assert Visitor(site.address).get(f"/competitions/{id}").status_code == 404


@pytest.mark.slow
@pytest.mark.parametrize("pairing", ["gauntlet", "swiss", "knock-out"])
def test_every_pairing_comes_to_its_end(ada: Member, pairing: str) -> None:
    id = ada.begin(ticked("tictactoe", "onestep random legal", pairing=pairing, rounds="2"))
    data = ada.wait(id)
    assert data["matches"]
    if pairing != "gauntlet":
        assert data["last_word"] in ada.get(f"/competitions/{id}").text.replace("&#39;", "'")


# Players that are private, and players that are gone


@pytest.mark.slow
def test_a_private_player_makes_it_private_and_where_it_is_nobody_knows(
    site: RunningSite, ada: Member, bob: Member
) -> None:
    with opened(site.folder) as store:
        owner = store.accounts.get("ada").id
        store.own_players.add(owner, "Deep-Six", address="http://127.0.0.1:9", visibility="private")
    shown = ada.plan({**ticked("nim", "random"), "players": "Deep-Six"})
    assert "nobody answers at Deep-Six" in mistakes(shown)
    assert "127.0.0.1:9" not in shown.text
    other = bob.plan({**ticked("nim", "random"), "players": "Deep-Six"})
    assert "nobody registered one of that name" in mistakes(other)


@pytest.mark.slow
def test_a_private_game_makes_it_private(site: RunningSite, ada: Member, bob: Member) -> None:
    rules = (Path(gamemaster.__file__).parent / "games" / "tictactoe" / "rules.epilog").read_text()
    brought = Brought(settings_for(str(site.folder)), None, None)  # type: ignore[arg-type]
    sheet = BroughtSheet("Mine alone", rules, "epilog")
    name = name_of(sheet, brought._secret)
    put_on_shelf(sheet, site.folder / "games" / name[1:])
    form = {**ticked("", "random legal", name="with mine"), "games": name}
    assert "no game" in mistakes(ada.plan(form))  # it is nobody's yet
    with opened(site.folder) as store:
        store.own_games.add(store.accounts.get("ada").id, "Mine alone", name, "private")
    assert "no game" in mistakes(bob.plan(form))
    assert "Only you will see it: Mine alone is not for everybody" in ada.plan(form).text
    id = ada.begin(form)
    assert len(ada.wait(id)["matches"]) == 2
    assert bob.client.get(f"/competitions/{id}").status_code == 404
    assert id not in bob.get("/matches").text
    with opened(site.folder) as store:
        found = store.find(f"{id}-0")
        assert found is not None
        assert not found.is_listed


@pytest.mark.slow
def test_a_draft_is_not_competed_in(site: RunningSite, ada: Member) -> None:
    rules = (Path(gamemaster.__file__).parent / "games" / "nim" / "rules.kif").read_text()
    sheet = BroughtSheet("A draft", rules, "kif")
    brought = Brought(settings_for(str(site.folder)), None, None)  # type: ignore[arg-type]
    name = name_of(sheet, brought._secret)
    put_on_shelf(sheet, site.folder / "drafts" / name[1:])
    response = ada.plan({**ticked("", "random legal"), "games": name})
    assert "A draft is a draft, which is forgotten; save it first" in mistakes(response)


@pytest.mark.slow
@pytest.mark.walls
def test_a_player_of_a_file_competes_behind_its_walls(site: RunningSite, ada: Member) -> None:
    files = PlayerFiles(site.folder)
    text = b"import gamemaster as gm\n\n\nclass First(gm.Player):\n    def choose(self, state):\n"
    text += b"        return state.legal_moves(self.role)[0]\n"
    with opened(site.folder) as store:
        owner = store.accounts.get("ada").id
        store.own_players.add(owner, "Filed", file=files.keep("Filed", text), visibility="public")
    id = ada.begin({**ticked("nim", "random", name="behind walls"), "players": "Filed"})
    data = ada.wait(id)
    assert [(each["how"], each["errors"]) for each in data["matches"]] == [("completed", [0, 0])] * 2
    assert str(site.folder) not in ada.client.get(f"/competitions/{id}/report.html").text
    assert str(site.folder) not in (site.folder / "matches" / f"{id}-0.jsonl").read_text()


# Sets of games


@pytest.mark.slow
def test_a_set_is_made_changed_used_and_removed(ada: Member, bob: Member, chief: Member) -> None:
    made = ada.send("/sets/new", {"name": NAUGHTY, "game-nim": "on", "games": "connectfour:columns=5,rows=4"})
    assert made.status_code == 303
    where = made.headers["location"]
    id = where.rsplit("/", 1)[1]
    page = ada.get(where).text
    assert "Nim" in page
    assert "columns=5,rows=4" in page
    assert NAUGHTY not in page
    for path in ("/sets", "/competitions/new", "/leaderboard"):
        assert id in ada.get(path).text, path
        assert id not in bob.get(path).text, path
    for path in (where, f"{where}/change", f"/leaderboard?set={id}"):
        assert bob.client.get(path).status_code == 404, path
    assert bob.send(f"{where}/remove", {}).status_code == 404
    assert bob.send(f"{where}/change", {"name": "mine", "game-nim": "on"}).status_code == 404
    assert 'name="game-nim" checked' in ada.get(f"{where}/change").text
    assert ada.send(f"{where}/change", {"name": "", "game-nim": "on"}).status_code == 422
    assert ada.send(f"{where}/change", {"name": "other", "game-tictactoe": "on"}).status_code == 303
    assert "Tic-Tac-Toe" in ada.get(where).text
    assert "<strong>2 matches</strong>" in ada.plan({**ticked("", "random legal"), "set": id}).text
    assert ada.send(f"{where}/remove", {}).status_code == 303
    assert ada.client.get(where).status_code == 404


@pytest.mark.slow
def test_the_sites_own_sets_are_an_operators(ada: Member, chief: Member) -> None:
    assert ada.send("/sets/new", {"name": "ours", "game-nim": "on", "for-all": "on"}).status_code == 403
    chief.get("/sets/new")
    made = chief.send("/sets/new", {"name": "ours", "game-nim": "on", "for-all": "on"})
    assert made.status_code == 303
    where = made.headers["location"]
    assert ada.get(where).status_code == 200
    assert "Change it" not in ada.get(where).text
    assert ada.send(f"{where}/change", {"name": "mine", "game-nim": "on"}).status_code == 403
    assert ada.send(f"{where}/remove", {}).status_code == 403
    assert "Change it" in chief.get(where).text
    assert chief.send("/sets/all/remove", {}).status_code == 403
    assert chief.send(f"{where}/remove", {}).status_code == 303


@pytest.mark.slow
@pytest.mark.parametrize(
    "form", [{"name": "x"}, {"name": "x", "games": "nothing"}, {"name": "/x", "game-nim": "on"}]
)
def test_what_is_no_set_is_told(ada: Member, form: dict[str, str]) -> None:
    response = ada.send("/sets/new", form)
    assert response.status_code == 422
    assert mistakes(response)


# Parts


def test_sets_follow_from_the_library() -> None:
    sets = {each.id: each.games for each in computed_sets()}
    assert "connectfour" in sets["kind-board"]
    assert set(sets["kind-board"]) < set(sets["all"])
    assert "chinesecheckers3" not in sets["for-two"]


def test_only_what_somebody_may_change_is_changed(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        ada = store.accounts.add("ada", "hash")
        sites = store.game_sets.add(None, "ours", ["nim"])
        check_owner(sites, replace(ada, is_operator=True))
        with pytest.raises(Forbidden, match="only an operator"):
            check_owner(sites, ada)
        with pytest.raises(Forbidden, match="follows from the library"):
            check_owner(set_of(store, "all", ada), replace(ada, is_operator=True))
        with pytest.raises(UnknownGameSet, match="no game set"):
            set_of(store, "nothing", ada)


@pytest.mark.parametrize(
    ("text", "games"),
    [
        ("nim", ["nim"]),
        ("nim, hex\n\nnim", ["nim", "hex"]),
        ("connectfour:columns=5,rows=4, nim", ["connectfour:columns=5,rows=4", "nim"]),
        ("connectfour:small,rows=5\nhex", ["connectfour:small,rows=5", "hex"]),
        ("  ", []),
    ],
)
def test_games_are_read_from_a_text(text: str, games: list[str]) -> None:
    assert listed_games(text, 10) == games


def test_very_many_games_are_too_many() -> None:
    with pytest.raises(ParameterError, match="there can be 2"):
        listed_games("a,b,c", 2)


@pytest.mark.parametrize("title", ["", "x" * 61, "a\nb", "a/b", "a:b", ".a", "\u202e"])
def test_what_is_no_name_is_told(title: str) -> None:
    assert mistake_in_title(title)


def test_a_name_is_a_line() -> None:
    assert mistake_in_title("Spring 2026, the 1st") == ""


@pytest.mark.parametrize(
    ("pairing", "least", "most"),
    [("round robin", 24, 24), ("gauntlet", 12, 12), ("swiss", 16, 16), ("knock-out", 12, 36)],
)
def test_matches_are_counted_before_they_are_played(pairing: Pairing, least: int, most: int) -> None:
    entrants = tuple(Entrant(name, name) for name in "abcd")
    made = Competition(("g", "h"), entrants, pairing=pairing, rounds=2)
    assert most_matches(made, {"g": 2, "h": 2}) == (least, most)


@pytest.mark.parametrize("pairing", ["round robin", "gauntlet"])
def test_as_many_are_counted_as_are_planned(pairing: Pairing) -> None:
    entrants = tuple(Entrant(name, name) for name in "abcd")
    made = Competition(("g", "h", "p"), entrants, pairing=pairing, matches=2)
    roles = {"g": 2, "h": 3, "p": 1}
    assert most_matches(made, roles)[0] == len(plan(made, roles, {}))


def test_a_plan_is_the_same_after_it_was_kept() -> None:
    made = Competition(("g",), (Entrant("a", "a"), Entrant("b", "b")))
    plan = CompetitionPlan(made, {"g": PlannedGame(("x", "o"), True)})
    assert CompetitionPlan.from_dict(plan.to_dict()) == plan
    assert len(plan.fixtures({})) == 2


@pytest.mark.parametrize(
    ("game", "first"),
    [
        (PlannedGame(("x", "o"), True), 0),
        (PlannedGame(("x", "random"), False), 0),
        (PlannedGame(("x", "o"), False), 1),
    ],
)
def test_what_chance_did_is_told_when_all_who_have_the_same_luck_have_played(
    tmp_path: Path, game: PlannedGame, first: int
) -> None:
    plan = CompetitionPlan(Competition(("g",), (Entrant("a", "a"), Entrant("b", "b"))), {"g": game})
    (tmp_path / "records").mkdir()
    (tmp_path / "matches").mkdir()
    fixtures, played = plan.fixtures({}), dict[int, MatchOutcome]()
    with opened(tmp_path) as store:
        listing = Listing("c", plan, True, tmp_path, tmp_path / "matches", store)
        for fixture, listed in zip(fixtures, (first, 2), strict=True):
            (tmp_path / "records" / fixture.file_name).write_text("{}")
            outcome = MatchOutcome(
                fixture.number, 0, 1, "g", fixture.seats, "completed", (100, 0), (0, 0), 1, 1.0, ("", "")
            )
            played[fixture.number] = outcome
            listing.list_some([outcome], fixtures, played)
            assert len(matches_of(store, "c")) == listed
    with opened(tmp_path / "matches") as store:  # no more are played: what there is is told
        ended = Listing("c", plan, True, tmp_path, tmp_path / "matches", store)
        ended.list_some([played[0]], fixtures, None)
        assert len(matches_of(store, "c")) == 1


def test_a_plan_that_cannot_be_read_is_told_and_takes_nothing_along(tmp_path: Path) -> None:
    app = create_app(settings_for(str(tmp_path)))
    site: Site = app.state.site
    owner = site.store.accounts.add("ada", "hash").id
    id = site.store.competitions.add(owner, "old", {"what": "nobody knows"}, is_public=True)
    asyncio.run(site.competitions.open())
    assert site.store.competitions.get(id).status == "paused"
    assert "cannot be read" in site.store.competitions.get(id).trouble
    guest = Browser(app).client
    assert guest.get("/competitions").status_code == 200
    assert guest.get(f"/competitions/{id}").status_code == 422
    asyncio.run(site.competitions.forget(owner))
    assert site.store.competitions.find(id) is None
    site.store.close()


def test_players_and_games_are_looked_over() -> None:
    found = looked_over(
        ["nim", "nothing"], [Chosen("mcts", "library", "mcts"), Chosen("x", "library", "x.py")], {}
    )
    assert list(found.games) == ["nim"]
    assert len(found.game_mistakes) == 1
    assert "x.py" in found.player_mistakes[0]
    known = looked_over(["nim"], [], {"nim": 7.0})
    assert known.steps == {"nim": 7.0}
    assert looked_over(["nim"], [], {}).steps["nim"] > 1


@pytest.mark.parametrize(
    ("seconds", "words"), [(3, "3 s"), (600, "10 min"), (7200 * 2, "4 h"), (86400 * 9, "9 days")]
)
def test_durations_are_told_for_people(seconds: float, words: str) -> None:
    assert duration(seconds) == words
