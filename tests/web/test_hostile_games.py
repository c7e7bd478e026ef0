"""Games that somebody brings to do harm: too large to show, too slow for others, and what is left of them."""

from __future__ import annotations

import asyncio
import io
import os
import shutil
import time
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import cast

import httpx
import pytest
from fastapi import FastAPI

from gamemaster.errors import LimitExceeded, RulesError, TooMuch, Unsuitable
from gamemaster.games import entry, put_up
from gamemaster.web import jobs
from gamemaster.web.app import create_app
from gamemaster.web.brought import shop
from gamemaster.web.brought.sheets import name_of, toml_value
from gamemaster.web.brought.trying import check_fit
from gamemaster.web.jobs import Plain
from gamemaster.web.pages.games import Studied
from gamemaster.web.settings import settings_for
from gamemaster.web.site import Site
from gamemaster.web.work import ASKER
from gamemaster.web.writing.packing import packed, unpacked
from tests.web.test_brought import RULES, account, opened, played, sheet

PATIENT = """role(me)
legal(me,wait) :- ~true(at(2))
legal(me,go(X,Y)) :- true(at(2)) & digit(X) & digit(Y)
init(at(0))
next(at(1)) :- true(at(0))
next(at(2)) :- true(at(1))
next(at(2)) :- true(at(2))
goal(me,0)
terminal :- true(never)
""" + "".join(f"digit({number})\n" for number in range(10))
"""A game that has a hundred moves from its third state on."""


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


def test_a_state_with_more_than_a_page_can_have_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MOST_MOVES", 6)
    with pytest.raises(LimitExceeded, match="6 legal moves exceeded showing a state that has 8"):
        jobs.position("connectfour", ())
    monkeypatch.undo()
    monkeypatch.setattr(jobs, "MOST_FACTS", 9)
    with pytest.raises(LimitExceeded, match="9 facts exceeded showing a state that has 10"):
        jobs.position("tictactoe", ())


def test_a_game_is_not_for_matches_that_is_large_later_on(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = opened(site, lambda: site.brought.draft(sheet(rules=PATIENT)))
    check_fit(name)
    monkeypatch.setattr("gamemaster.web.brought.trying.MOST_MOVES", 100)
    with pytest.raises(Unsuitable, match=r"too large for matches here: it has 101 moves and \d facts"):
        check_fit(name)


def test_pictures_of_brought_games_are_kept_by_nobody_on_the_way(app: FastAPI, site: Site) -> None:
    async def headers() -> list[str]:
        name = await site.brought.draft(sheet())
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://localhost"
        ) as client:
            paths = (f"/games/{name}/board.svg", "/games/tictactoe/board.svg")
            return [(await client.get(path)).headers["cache-control"] for path in paths]

    assert opened(site, headers) == ["private, max-age=60", "public, max-age=60"]


def test_a_picture_that_takes_long_keeps_no_other_waiting(app: FastAPI, site: Site) -> None:
    """Those of the library are made one by one; what somebody brought is not among them."""

    async def drawn() -> int:
        name = await site.brought.draft(sheet("Slow to draw"))
        app.state.studied = Studied()
        async with (
            app.state.studied.drawing,  # as if one of the library were being drawn, for as long as it takes
            httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client,
            asyncio.timeout(120),
        ):
            return (await client.get(f"/games/{name}/board.svg")).status_code

    assert opened(site, drawn) == 200


# What is left of them


def folders(site: Site, shelf: str = "games") -> list[str]:
    return sorted(each.name for each in (site.settings.folder / shelf).iterdir())


def grown_old(site: Site) -> None:
    long_ago = time.time() - shop.DRAFT_SECONDS - 60
    for each in (site.settings.folder / "games").iterdir():
        os.utime(each, (long_ago, long_ago))


def test_one_address_does_not_have_all_drafts(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shop, "MOST_DRAFTS", 8)

    async def bring() -> None:
        ASKER.set("10.0.0.1")
        first = await site.brought.draft(sheet("One"))
        await site.brought.draft(sheet("Two"))
        with pytest.raises(TooMuch, match="you are trying too many games"):
            await site.brought.draft(sheet("Three"))
        ASKER.set("10.0.0.2")
        await site.brought.draft(sheet("Three"))
        ASKER.set("10.0.0.1")
        shutil.rmtree(site.settings.folder / "drafts" / first[1:])  # nobody used it for long
        await site.brought.draft(sheet("Four"))

    opened(site, bring)


def test_a_game_that_is_refused_leaves_no_folder(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gamemaster.store.own_games.MOST_GAMES", 1)

    async def keep() -> str:
        own = await site.brought.save(account(site), sheet())
        with pytest.raises(TooMuch):
            await site.brought.save(account(site), sheet("Other"))
        return own.name

    assert opened(site, keep) == f"@{folders(site)[0]}"
    assert len(folders(site)) == 1


def test_what_is_nobodys_is_swept(site: Site) -> None:
    async def keep() -> tuple[str, Path]:
        gone = await site.brought.save(account(site, "Eve"), sheet("Gone"))
        await site.brought.save(account(site), sheet())
        return gone.name, (await played(site, gone.name)).path

    gone, record = opened(site, keep)
    left_by_a_worker = site.settings.folder / "games" / ".try-0123"
    left_by_a_worker.mkdir()
    site.store.accounts.remove(account(site, "Eve").id)  # as `gamemaster account eve --remove` does
    site.brought.tidy()
    assert (gone[1:] in folders(site), len(folders(site))) == (True, 3)  # it may just have been written
    assert not record.exists()
    grown_old(site)
    site.brought.tidy()
    assert folders(site) == [name_of(sheet(), site.secret)[1:]]
    assert site.store.of_games("@") == []


def test_an_empty_database_takes_no_games_away(site: Site) -> None:
    opened(site, lambda: site.brought.save(account(site), sheet()))
    site.store.accounts.remove(account(site).id)
    grown_old(site)
    site.brought.tidy()
    assert len(folders(site)) == 1


def test_old_versions_of_others_leave_no_folders(site: Site) -> None:
    async def keep() -> None:
        first = await site.brought.save(account(site, "Eve"), sheet("First"))
        match = await played(site, first.name)
        await site.brought.save(account(site, "Eve"), sheet("Second"), id=first.id)
        site.brought._forget_match(match.entry)
        own = await site.brought.save(account(site), sheet("Mine"))
        await site.brought.save(account(site), sheet("Mine, too"), id=own.id)

    opened(site, keep)
    assert len(folders(site)) == 2


def test_folders_of_competitions_that_are_nobodys_are_swept(site: Site) -> None:
    left = site.settings.folder / "competitions" / "0123456789"
    left.mkdir(parents=True)
    site.competitions._list_unfinished()
    assert left.is_dir()  # nobody is in the database: it may be another one
    account(site)
    site.competitions._list_unfinished()
    assert not left.exists()


# Names and files


def test_a_title_may_have_any_letter_that_is_seen(site: Site) -> None:
    title = 'Smile \N{GRINNING FACE} "a" \\ \N{GREEK SMALL LETTER ALPHA}'
    name = opened(site, lambda: site.brought.draft(sheet(title)))
    assert entry(name).title == title
    folder, raw = packed(title, RULES, "hrf", "", "")
    found = unpacked("it.zip", raw)
    assert (folder, found["findings"], cast("Plain", found["sheet"])["title"]) == ("smile_a", [], title)
    assert toml_value(["\x7f"]) == '["\\u007f"]'


def test_what_is_wrong_does_not_tell_where_it_was_tried(site: Site) -> None:
    for bad in (sheet(rules="legal(me"), sheet(style="nonsense = [")):
        with pytest.raises(RulesError) as told:
            opened(site, partial(site.brought.draft, bad))
        assert str(site.settings.folder) not in str(told.value)
        assert told.value.place is not None


@pytest.mark.parametrize("packing", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_a_zip_of_another_kind_is_not_read(packing: int) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", packing) as archive:
        archive.writestr("rules.hrf", RULES)
    found = unpacked("it.zip", made.getvalue())
    assert found["sheet"] is None
    assert "packed in a way that is not read here" in str(found["findings"])


def test_a_file_without_a_name_in_a_zip_is_left_out() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("rules.hrf", RULES)
        archive.writestr("x", "a")
    raw = made.getvalue()
    at = raw.rindex(b"x")  # in the list at the end, which says how long the name is 18 bytes before
    broken = raw[: at - 18] + b"\0\0" + b"\1\0" + raw[at - 14 :]
    assert unpacked("it.zip", broken)["sheet"] is None or unpacked("it.zip", broken)["findings"]
