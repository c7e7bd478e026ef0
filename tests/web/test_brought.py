"""Games that people bring: drafts that are forgotten, games that are kept, and who may see which."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest
from fastapi import FastAPI

from gamemaster.errors import Busy, GamemasterError, ParameterError, TooMuch, UnknownGame, Unsuitable
from gamemaster.games import on_shelf, put_up
from gamemaster.games.variants import choose
from gamemaster.store.accounts import Account
from gamemaster.store.entries import MatchFilter
from gamemaster.web.app import create_app
from gamemaster.web.brought import BroughtSheet, shop
from gamemaster.web.brought.sheets import name_of, write_folder
from gamemaster.web.brought.trying import check_fit
from gamemaster.web.copies import copy_of
from gamemaster.web.live.setup import MatchSetup, SeatSetup
from gamemaster.web.live.table import LiveMatch
from gamemaster.web.settings import settings_for
from gamemaster.web.site import Site
from tests.web.test_accounts import Browser

Answer = TypeVar("Answer")

RULES = """role(me)
init(pile(3))
succ(0,1)
succ(1,2)
succ(2,3)
base(pile(N)) :- succ(N,M)
base(pile(3))
input(me,take)
legal(me,take) :- true(pile(N)) & succ(M,N)
next(pile(M)) :- true(pile(N)) & succ(M,N)
terminal :- true(pile(0))
goal(me,100) :- true(pile(0))
goal(me,0) :- ~true(pile(0))
"""
ENDLESS = """role(me)
init(n(0))
legal(me,go) :- true(n(X))
next(n(s(X))) :- true(n(X))
goal(me,0)
terminal :- never
"""
SCRIPT = "<script>alert(1)</script>"


def sheet(title: str = "Three", rules: str = RULES, **more: Any) -> BroughtSheet:
    return BroughtSheet(title, rules, "hrf", **more)


@pytest.fixture
def app(tmp_path: Path) -> Iterator[FastAPI]:
    made = create_app(settings_for(str(tmp_path / "data"), makes_code=False))
    yield made
    made.state.site.store.close()
    put_up()


@pytest.fixture
def site(app: FastAPI) -> Site:
    found: Site = app.state.site
    return found


def opened(site: Site, doing: Callable[[], Coroutine[Any, Any, Answer]]) -> Answer:
    """What something gives while the site is open; the store stays open for what comes after."""

    async def all_of_it() -> Answer:
        site.workers.open()
        await site.brought.open()
        await site.hall.open()
        try:
            return await doing()
        finally:
            await site.hall.close()
            await site.brought.close()

    return asyncio.run(all_of_it())


async def statuses(app: FastAPI, paths: Sequence[str]) -> list[int]:
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        return [(await client.get(path)).status_code for path in paths]


def account(site: Site, name: str = "Ada") -> Account:
    return site.store.accounts.named(name) or site.store.accounts.add(name, "hash")


# Sheets and folders


def test_a_sheet_comes_back_from_its_folder_as_it_was(tmp_path: Path) -> None:
    made = sheet(
        'A "title" with \\ and ümläute', RULES + "\r\n", style="# nothing", description="**Goal.** Take."
    )
    name = "@" + "1" * 20
    for _ in range(2):
        write_folder(made, tmp_path / name[1:], ("me",), is_simultaneous=True)
        assert [each.name for each in tmp_path.iterdir()] == [name[1:]]
    put_up(tmp_path)
    try:
        assert asyncio.run(copy_of(name)) == made
    finally:
        put_up()


def test_a_folder_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(OSError, match="taken"):
        write_folder(sheet(), tmp_path / "taken" / "a", ("me",), is_simultaneous=False)
    assert [each.name for each in tmp_path.iterdir()] == ["taken"]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"title": ""}, "a title has 1 to 80 letters"),
        ({"title": "x" * 81}, "a title has 1 to 80 letters"),
        ({"title": "a\x07b"}, "a title has 1 to 80 letters"),
        ({"rules": "x" * 200_001}, "the rules have 200,001 letters"),
        ({"rules": "a\0b"}, "letters that no text has"),
        ({"style": "\ud800"}, "letters that no text has"),
        ({"description": "x" * 20_001}, "the description have"),
    ],
)
def test_what_is_no_sheet_is_refused(values: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        BroughtSheet(**{"title": "A", "rules": RULES, "notation": "hrf", **values})


def test_a_notation_has_to_be_one() -> None:
    with pytest.raises(ParameterError, match="rules are written as kif, hrf, epilog"):
        BroughtSheet("A", RULES, "prolog")  # type: ignore[arg-type]


def test_a_name_tells_nothing_and_differs_with_everything() -> None:
    names = {
        name_of(each, secret)
        for secret in (b"1", b"2")
        for each in (
            sheet(),
            sheet("Other"),
            sheet(style="# x"),
            sheet(description="x"),
            sheet(rules=RULES + " "),
        )
    }
    assert len(names) == 10


def test_only_names_of_the_right_look_are_on_shelves(tmp_path: Path) -> None:
    put_up(tmp_path)
    try:
        name = "@" + "0" * 20
        for wrong in (name, "@../x", "@" + "0" * 19, "@" + "g" * 20, "0" * 20):
            assert on_shelf(wrong) is None
        assert choose(name) is None
        write_folder(sheet(), tmp_path / name[1:], ("me",), is_simultaneous=False)
        found = choose(name)
        assert found is not None
        assert (found.name, found.title, found.folder.roles) == (name, "Three", ("me",))
    finally:
        put_up()


# Drafts


def test_a_draft_can_be_played_by_who_knows_its_name(app: FastAPI, site: Site) -> None:
    async def bring() -> tuple[list[int], list[int]]:
        name = await site.brought.draft(sheet())
        assert await site.brought.draft(sheet()) == name
        paths = [
            f"/standalone/{name}?moves=take;take",
            f"/games/{name}",
            f"/games/{name}/board.svg",
            f"/games/{name}?as=kif",
            f"/play?game={name}",
            f"/manager?game={name}",
            f"/api/v1/games/{name}",
            f"/api/v1/states?game={name}",
        ]
        unknown = [path.replace(name, "@" + "0" * 20) for path in paths]
        return await statuses(app, paths), await statuses(app, unknown)

    assert opened(site, bring) == ([200] * 8, [404] * 8)


def test_a_sheet_that_cannot_be_played_is_no_draft(site: Site) -> None:
    with pytest.raises(GamemasterError):
        opened(site, lambda: site.brought.draft(sheet(rules="legal(me")))
    with pytest.raises(GamemasterError):
        opened(site, lambda: site.brought.draft(sheet(style="nonsense = [")))
    assert [each.name for each in (site.settings.folder / "drafts").iterdir()] == []


def test_drafts_are_forgotten_after_an_hour_and_when_the_server_starts(site: Site) -> None:
    async def bring() -> tuple[str, str]:
        return await site.brought.draft(sheet()), await site.brought.draft(sheet("Other"))

    old, new = opened(site, bring)
    drafts = site.settings.folder / "drafts"
    long_ago = time.time() - shop.DRAFT_SECONDS - 60
    os.utime(drafts / old[1:], (long_ago, long_ago))
    site.brought.tidy()
    assert [each.name for each in drafts.iterdir()] == [new[1:]]
    opened(site, lambda: asyncio.sleep(0))
    assert list(drafts.iterdir()) == []


def test_what_workers_left_is_forgotten_and_what_is_kept_is_not(site: Site) -> None:
    kept = opened(site, lambda: site.brought.save(account(site), sheet()))
    games, long_ago = site.settings.folder / "games", time.time() - shop.DRAFT_SECONDS - 60
    for left in (".try-0123-4567", ".new"):
        (games / left).mkdir()
    os.utime(games / kept.name[1:], (long_ago, long_ago))
    os.utime(games / ".try-0123-4567", (long_ago, long_ago))
    site.brought.tidy()
    assert {each.name for each in games.iterdir()} == {kept.name[1:], ".new"}


def test_there_are_only_so_many_drafts(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shop, "MOST_DRAFTS", 1)

    async def bring() -> None:
        await site.brought.draft(sheet())
        await site.brought.draft(sheet())
        with pytest.raises(Busy, match="too many games"):
            await site.brought.draft(sheet("Other"))

    opened(site, bring)


async def played(site: Site, game: str) -> LiveMatch:
    match = await site.hall.arrange(MatchSetup(game, (SeatSetup("me", "legal"),)), "key")
    while not match.is_over:
        await asyncio.sleep(0.01)
    return match


def test_a_match_on_a_draft_is_in_no_list_and_is_forgotten(site: Site) -> None:
    async def play() -> None:
        match = await played(site, await site.brought.draft(sheet()))
        assert match.path.is_file()
        assert site.store.page(MatchFilter()).total == 0
        assert site.store.page(MatchFilter(has_unlisted=True)).total == 1
        assert (site.store.games(), site.store.players(), site.store.over()) == ([], [], [])
        match.used -= site.settings.idle_seconds + 1
        await site.hall._look_after(match)
        assert not match.path.exists()
        assert site.store.find(match.id) is None

    opened(site, play)


def test_what_was_played_on_drafts_is_gone_when_the_server_starts_again(site: Site) -> None:
    async def play() -> Path:
        return (await played(site, await site.brought.draft(sheet()))).path

    path = opened(site, play)
    assert path.is_file()
    opened(site, lambda: asyncio.sleep(0))
    assert not path.exists()
    assert site.store.of_games("@") == []


# Whether a game is fit for matches


def test_rules_that_do_not_compile_are_not_for_matches(site: Site) -> None:
    async def arrange() -> None:
        name = await site.brought.draft(sheet(rules=ENDLESS))
        with pytest.raises(Unsuitable, match="too slow for matches"):
            await site.hall.arrange(MatchSetup(name, (SeatSetup("me", "legal"),)), "key")

    opened(site, arrange)


def test_a_game_whose_steps_take_long_is_not_for_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gamemaster.web.brought.trying.LONGEST_STEP", 0.0)
    with pytest.raises(Unsuitable, match=r"too large for matches here: .* ms a step"):
        check_fit("tictactoe")
    monkeypatch.undo()
    check_fit("tictactoe")


# Games of people's own


def test_a_private_game_is_there_for_who_has_it_only(app: FastAPI, site: Site) -> None:
    ada, eve = Browser(app), Browser(app, "10.0.0.2")
    ada.sign_up("Ada")
    eve.sign_up("Eve")

    async def keep() -> str:
        return (await site.brought.save(account(site), sheet())).name

    name = opened(site, keep)
    paths = (f"/games/{name}", f"/games/{name}/rules", f"/play?game={name}", f"/matches?game={name}")
    for path in paths:
        assert ada.client.get(path).status_code == 200, path
        assert eve.client.get(path).status_code == 404, path
        assert Browser(app, "10.0.0.3").client.get(path).status_code == 404, path
    for path in (f"/standalone/{name}", f"/standalone/{name}/position.json", f"/games/{name}/board.svg"):
        assert eve.client.get(path).status_code == 404, path
    body = {"game": name}
    assert eve.client.post("/api/v1/states", json=body).status_code == 404
    assert eve.client.post("/api/v1/thinking", json=body).status_code == 404
    assert eve.client.post("/api/v1/matches", json={**body, "players": {"me": "legal"}}).status_code == 404
    assert eve.client.get(f"/api/v1/games/{name}").status_code == 404
    assert name not in eve.client.get("/games").text


def test_ones_own_games_can_be_chosen_wherever_games_can(app: FastAPI, site: Site) -> None:
    ada, eve = Browser(app), Browser(app, "10.0.0.2")
    ada.sign_up("Ada")
    eve.sign_up("Eve")

    async def keep() -> Any:
        return await site.brought.save(account(site), sheet("Thrice"))

    own = opened(site, keep)
    for path, choice in (
        ("/play", f'value="{own.name}"'),
        ("/manager", f'value="{own.name}"'),
        ("/style", f'value="{own.name}"'),
        (f"/style?game={own.name}", f'<option value="{own.name}"'),
        ("/metagamers", f'value="{own.name}"'),
        ("/trees", f'value="{own.name}"'),
        ("/competitions/new", f'name="game-{own.name}"'),
        ("/sets/new", f'name="game-{own.name}"'),
        ("/games", 'href="/mine"'),
        (f"/games/{own.name}", f'href="/editor?own={own.id}"'),
    ):
        assert ada.client.get(path).text.count(choice) == 1, path
        assert choice not in eve.client.get(path).text or path == "/games", path
    assert ada.client.get(f"/play?game={own.name}").text.count(f'value="{own.name}"') == 1


def test_a_game_is_shown_to_others_as_its_owner_wants(app: FastAPI, site: Site) -> None:
    ada, eve = Browser(app), Browser(app, "10.0.0.2")
    ada.sign_up("Ada")

    async def keep() -> Any:
        return await site.brought.save(account(site), sheet("Thrice"))

    own = opened(site, keep)
    page = f"/games/{own.name}"
    for visibility, status, is_in_list in (
        ("link", 200, False),
        ("public", 200, True),
        ("private", 404, False),
    ):
        path = f"/mine/games/{own.id}/visibility"
        assert ada.send(path, visibility=visibility) == (303, "/mine?done=visibility")
        assert eve.client.get(page).status_code == status
        assert ("Thrice" in eve.client.get("/games").text) == is_in_list
    assert ada.send(path, visibility="secret")[0] == 422


def test_a_game_that_is_private_again_is_in_no_list(app: FastAPI, site: Site) -> None:
    ada, eve = Browser(app), Browser(app, "10.0.0.2")
    ada.sign_up("Ada")

    async def keep() -> Any:
        own = await site.brought.save(account(site), sheet("Thrice"), "public")
        match = await played(site, own.name)
        assert match.entry.is_listed
        return own, match.id

    own, id = opened(site, keep)
    assert id in eve.client.get("/matches").text
    for visibility in ("private", "public"):
        assert ada.send(f"/mine/games/{own.id}/visibility", visibility=visibility)[0] == 303
        assert id not in eve.client.get("/matches").text
    assert id not in eve.client.get(f"/matches?game={own.name}").text  # it is public, and this match is not


def test_two_may_have_a_game_and_one_of_them_shows_it(site: Site) -> None:
    async def keep() -> Any:
        own = await site.brought.save(account(site), sheet(), "public")
        await site.brought.save(account(site, "Eve"), sheet(), "public")
        return own, await played(site, own.name)

    own, match = opened(site, keep)
    assert site.brought.show_to(own.account_id, own.id, "private") == set()
    assert site.store.page(MatchFilter(game=own.name)).entries[0].id == match.id


def test_nobody_changes_or_removes_what_is_not_theirs(app: FastAPI, site: Site) -> None:
    ada, eve = Browser(app), Browser(app, "10.0.0.2")
    ada.sign_up("Ada")
    eve.sign_up("Eve")

    async def keep() -> Any:
        return await site.brought.save(account(site), sheet())

    own = opened(site, keep)
    for who, status in ((eve, 404), (Browser(app, "10.0.0.3"), 403)):
        assert who.send(f"/mine/games/{own.id}/visibility", visibility="public")[0] == status
        assert who.send(f"/mine/games/{own.id}/remove", sure="yes")[0] == status
    assert site.store.own_games.get(own.account_id, own.id) == own
    with pytest.raises(UnknownGame, match="you have no game"):
        opened(site, lambda: site.brought.save(account(site, "Eve"), sheet("Mine now"), id=own.id))
    response = ada.client.post(f"/mine/games/{own.id}/remove", data={"sure": "yes", "token": "forged"})
    assert response.status_code == 403


def test_a_game_is_removed_with_its_matches_and_its_folder(app: FastAPI, site: Site) -> None:
    ada = Browser(app)
    ada.sign_up("Ada")

    async def keep() -> tuple[Any, Path]:
        own = await site.brought.save(account(site), sheet())
        path = (await played(site, own.name)).path
        again = await site.brought.save(account(site), sheet("Changed"), id=own.id)
        assert again.id == own.id
        assert on_shelf(own.name)  # a match was played by it
        return again, path

    own, path = opened(site, keep)
    assert ada.send(f"/mine/games/{own.id}/remove") == (303, "/mine?done=sure")
    assert path.is_file()
    assert ada.send(f"/mine/games/{own.id}/remove", sure="yes") == (303, "/mine?done=removed")
    assert not path.exists()
    assert list((site.settings.folder / "games").iterdir()) == []
    assert site.store.of_games("@") == []
    assert "You have none yet" in ada.client.get("/mine").text


def test_a_game_is_removed_while_it_is_played(app: FastAPI, site: Site) -> None:
    ada = Browser(app)
    ada.sign_up("Ada")

    async def play() -> None:
        own = await site.brought.save(account(site), sheet(), "public")
        match = await site.hall.arrange(MatchSetup(own.name, (SeatSetup("me", "person"),)), "key", "me")
        while match.phase != "playing":
            await asyncio.sleep(0.01)
        await site.hall.unlist({own.name})
        assert not match.entry.is_listed
        page = await asyncio.to_thread(ada.client.get, "/")
        assert match.id not in page.text
        await site.hall.put_away(site.store.own_games.names_of(own.account_id, own.id))
        site.brought.forget_game(own.account_id, own.id)
        assert site.hall.matches == {}
        assert site.store.find(match.id) is None
        assert not match.path.exists()

    opened(site, play)


def test_versions_that_nobody_needs_are_forgotten(site: Site) -> None:
    async def keep() -> list[str]:
        own = await site.brought.save(account(site), sheet("First"))
        await site.brought.save(account(site), sheet("Second"), id=own.id)
        await site.brought.save(account(site), sheet("Second"), id=own.id)
        return [each.name for each in (site.settings.folder / "games").iterdir()]

    assert opened(site, keep) == [name_of(sheet("Second"), site.secret)[1:]]


def test_a_draft_stays_open_when_somebody_keeps_the_same_for_themselves(site: Site) -> None:
    async def keep() -> tuple[str, str]:
        own = await site.brought.save(account(site), sheet())
        return own.name, await site.brought.draft(sheet())

    kept, draft = opened(site, keep)
    assert not site.brought.is_for("", kept)
    assert site.brought.is_for("", draft)
    assert (site.brought.is_draft(kept), site.brought.is_draft(draft)) == (False, True)


def test_two_people_may_have_the_same_game(app: FastAPI, site: Site) -> None:
    async def keep() -> Any:
        first = await site.brought.save(account(site), sheet())
        return first, await site.brought.save(account(site, "Eve"), sheet())

    first, second = opened(site, keep)
    assert first.name == second.name
    site.brought.forget_game(first.account_id, first.id)
    assert on_shelf(second.name)
    assert site.brought.is_for(second.account_id, second.name)
    assert not site.brought.is_for(first.account_id, second.name)


def test_whoever_deletes_everything_leaves_no_game(app: FastAPI, site: Site) -> None:
    ada = Browser(app)
    ada.sign_up("Ada")

    async def keep() -> Path:
        return (await played(site, (await site.brought.save(account(site), sheet())).name)).path

    path = opened(site, keep)
    assert ada.send("/profile/delete", confirm="correct horse battery")[0] == 303
    assert not path.exists()
    assert list((site.settings.folder / "games").iterdir()) == []


def test_an_account_has_only_so_many_games(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gamemaster.store.own_games.MOST_GAMES", 1)

    async def keep() -> None:
        await site.brought.save(account(site), sheet())
        with pytest.raises(TooMuch, match="you have 1 games"):
            await site.brought.save(account(site), sheet("Other"))
        assert len(list((site.settings.folder / "games").iterdir())) == 1

    opened(site, keep)


def test_script_in_titles_and_descriptions_is_text(app: FastAPI, site: Site) -> None:
    ada = Browser(app)
    ada.sign_up("Ada")
    hostile = sheet(SCRIPT, description=f"{SCRIPT} [x](javascript:alert(1)) <img src=x onerror=alert(1)>")

    async def keep() -> str:
        return (await site.brought.save(account(site), hostile, "public")).name

    name = opened(site, keep)
    for path in ("/mine", f"/games/{name}", "/games", f"/play?game={name}", f"/manager?game={name}"):
        text = ada.client.get(path).text
        assert SCRIPT not in text, path
        assert "javascript:alert" not in text.replace("(javascript:alert(1))", ""), path
        assert "<img src=x" not in text, path


def test_a_sheet_that_is_gone_is_unknown(site: Site) -> None:
    with pytest.raises(UnknownGame, match="there is no game"):
        asyncio.run(copy_of("@" + "0" * 20))
    name = opened(site, lambda: site.brought.draft(sheet(style="# mine")))
    assert asyncio.run(copy_of(name)) == sheet(style="# mine")


def test_a_game_whose_folder_is_lost_takes_no_other_along(app: FastAPI, site: Site) -> None:
    ada = Browser(app)
    ada.sign_up("Ada")

    async def keep() -> str:
        await site.brought.save(account(site), sheet("Whole"))
        return (await site.brought.save(account(site), sheet("Lost"))).name

    lost = opened(site, keep)
    shutil.rmtree(site.settings.folder / "games" / lost[1:])
    page = ada.client.get("/mine")
    assert page.status_code == 200
    assert "Whole" in page.text
    assert "Lost" in page.text


def test_mine_is_for_who_is_signed_in(app: FastAPI) -> None:
    response = Browser(app).client.get("/mine")
    assert (response.status_code, response.headers["location"]) == (303, "/signin?next=/mine")
