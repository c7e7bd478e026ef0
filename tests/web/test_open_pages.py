"""Standalone, Human, Manager and Player on files that are dropped: real, wrong and hostile ones; nothing stays."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from gamemaster.cli import app
from gamemaster.games import find_rules
from gamemaster.language.lower import lower
from gamemaster.language.notation import read, show
from gamemaster.language.source import Source
from gamemaster.web.documents import code_blocks
from gamemaster.web.dropped import faults_of, faults_of_player, read_dropped
from gamemaster.web.pages.software import skeletons
from gamemaster.web.roster.files import LARGEST_FILE
from tests.web.running import RunningSite, Visitor, running_site

WAYS = {"standaloneopen": "/standalone/", "humanopen": "/play?game=", "manageropen": "/manager?game="}
RULES = find_rules("tictactoe").read_text()
STYLE = find_rules("tictactoe").with_name("style.toml").read_text()
PLAYER = code_blocks("write-a-player")[0][1]
WRONG = RULES.replace("legal(mark(M,N)) :- cell(M,N,b)", "legal(mark(M,N)) :- cell(M,N,b) &")
LINE = RULES.splitlines().index("legal(mark(M,N)) :- cell(M,N,b)") + 1
MARKUP = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    with running_site(tmp_path_factory.mktemp("site")) as running:
        yield running


@pytest.fixture(scope="module")
def ann(site: RunningSite) -> Visitor:
    return Visitor(site.address)


def drop(
    visitor: Visitor, page: str, *files: tuple[str, str | bytes], accept: str = "text/html"
) -> httpx.Response:
    """Drop files on a page."""
    visitor.get(f"/{page}")
    return visitor.client.post(
        f"/{page}",
        data={"token": visitor.token},
        files=[("files", (name, content)) for name, content in files],
        headers={"accept": accept},
    )


def packed(**files: str) -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(f"mygame/{name.replace('__', '.')}", text)
    return kept.getvalue()


def findings(answer: httpx.Response) -> str:
    assert answer.status_code == 422, answer.text
    text = unescape(answer.text)
    assert '<form class="drop' in text  # the page goes on working
    return text.partition("data-findings")[2].partition("</ol>")[0]


# Games


@pytest.mark.parametrize("page", WAYS)
def test_a_file_of_rules_becomes_a_game(ann: Visitor, page: str) -> None:
    answer = drop(ann, page, ("noughts.epilog", RULES))
    assert answer.status_code == 303
    assert re.fullmatch(re.escape(WAYS[page]) + r"@[0-9a-f]{20}", answer.headers["location"])
    assert "Noughts" in ann.get(answer.headers["location"]).text


def test_programs_are_told_where_it_is(ann: Visitor) -> None:
    answer = drop(ann, "standaloneopen", ("noughts.epilog", RULES), accept="application/json")
    assert answer.status_code == 200
    assert ann.get(answer.json()["address"]).status_code == 200


@pytest.mark.parametrize("notation", ["kif", "hrf"])
def test_all_notations_are_read(ann: Visitor, notation: str) -> None:
    text = show(lower(read(Source("rules", RULES), "epilog")), notation)  # type: ignore[arg-type]
    answer = drop(ann, "standaloneopen", (f"noughts.{notation}", text))
    assert answer.status_code == 303
    assert ann.get(answer.headers["location"]).text.count("data-cell=") >= 9


def test_several_files_are_a_folder(ann: Visitor) -> None:
    plain = drop(ann, "standaloneopen", ("noughts.epilog", RULES)).headers["location"]
    files = (
        ("my.epilog", RULES),
        ("look.toml", STYLE),
        ("about.md", "**Goal.** Three in a row."),
        ("notes.doc", "x"),
    )
    styled = drop(ann, "standaloneopen", *files).headers["location"]
    assert styled != plain
    assert ann.get(styled).status_code == 200
    name = styled.rpartition("/")[2]
    assert "Three in a row." in ann.get(f"/games/{name}").text


def test_a_zip_of_a_folder_is_a_game(ann: Visitor) -> None:
    for each in skeletons():
        answer = drop(ann, "standaloneopen", (each.name, each.content))
        assert answer.status_code == 303, answer.text
        assert "My Game" in ann.get(answer.headers["location"]).text


def test_what_does_not_belong_to_a_game_is_said() -> None:
    found = read_dropped([("a.kif", b"(role x)"), ("b.kif", b"(role y)"), ("c.exe", b"MZ")])
    told = {(each["file"], each["message"]) for each in found["findings"]}  # type: ignore[attr-defined]
    assert ("b.kif", "a.kif is taken for rules.kif already; this is left out") in told
    assert ("c.exe", "it does not belong to a game, and is left out") in told
    assert found["sheet"]["rules"] == "(role x)"  # type: ignore[index]
    assert read_dropped([("c.exe", b"MZ"), ("d.exe", b"MZ")])["sheet"] is None


# What is wrong with them


@pytest.mark.parametrize("page", WAYS)
def test_a_mistake_in_rules_is_told_at_its_line(ann: Visitor, page: str) -> None:
    told = findings(drop(ann, page, ("noughts.epilog", WRONG)))
    assert re.search(rf"noughts\.epilog:{LINE}:\d+", told), told
    assert "syntax" in told
    assert drop(ann, page, ("noughts.epilog", RULES)).status_code == 303


def test_rules_that_are_wrong_in_places_can_be_played_as_they_are(ann: Visitor) -> None:
    wrong = RULES.replace("terminal", "ended")
    answer = drop(ann, "standaloneopen", ("noughts.epilog", wrong))
    told = findings(answer)
    assert "no-terminal" in told
    onward = re.search(r'href="(/standalone/@[0-9a-f]+)" data-onward', answer.text)
    assert onward
    assert ann.get(onward[1]).status_code == 200


def test_a_variable_without_a_value_is_told_at_its_line(ann: Visitor) -> None:
    wrong = RULES.replace("legal(mark(M,N))", "legal(mark(M,Q))")
    told = findings(drop(ann, "manageropen", ("noughts.epilog", wrong)))
    assert f"noughts.epilog:{LINE}:" in told
    assert "unsafe" in told


def test_a_mistake_in_a_style_is_told_at_its_line(ann: Visitor) -> None:
    style = '[[board]]\nrelation = "cell"\nkind = "nonsense"\n'
    told = findings(drop(ann, "standaloneopen", ("noughts.epilog", RULES), ("style.toml", style)))
    assert "style.toml:3:" in told
    assert "nonsense" in told


def test_what_has_no_place_is_told_all_the_same() -> None:
    assert faults_of(RULES, "epilog", "", "it cannot be")[0]["message"] == "it cannot be"
    assert faults_of(RULES, "epilog", STYLE, "it cannot be")[0]["message"] == "it cannot be"
    assert faults_of("role(", "epilog", STYLE, "it cannot be")[0]["code"] == "syntax"


def test_no_file_is_told(ann: Visitor) -> None:
    told = findings(drop(ann, "standaloneopen"))
    assert "no file came" in told
    empty = ann.client.post(
        "/standaloneopen", data={"token": ann.token}, files=[("files", ("", b""))]
    )  # as a browser sends a field with nothing chosen
    assert "no file came" in findings(empty)


def test_files_without_rules_are_told(ann: Visitor) -> None:
    assert "no rules" in findings(drop(ann, "humanopen", ("style.toml", STYLE), ("about.md", "x")))
    assert findings(drop(ann, "humanopen", ("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0")))


def test_zips_that_are_traps_are_refused(ann: Visitor) -> None:
    bomb = packed(rules__kif="(role x) " * 2_000_000)
    assert len(bomb) < 100_000
    assert "far more than it has in the zip" in findings(drop(ann, "manageropen", ("game.zip", bomb)))
    lost = io.BytesIO()
    with zipfile.ZipFile(lost, "w") as archive:
        archive.writestr("../../rules.kif", "(role x)")
    assert findings(drop(ann, "manageropen", ("game.zip", lost.getvalue())))
    assert findings(drop(ann, "manageropen", ("game.zip", b"PK\x03\x04" + b"\0" * 50)))
    assert drop(ann, "manageropen", ("noughts.epilog", RULES)).status_code == 303


def test_what_is_too_large_is_not_let_in(ann: Visitor) -> None:
    assert drop(ann, "standaloneopen", ("game.kif", "(role x)\n" * 50_000)).status_code == 413
    many = [(f"{number}.kif", "(role x)") for number in range(40)]
    assert drop(ann, "standaloneopen", *many).status_code == 400


def test_rules_without_end_are_given_up(ann: Visitor) -> None:
    endless = RULES + "\nnumber(1)\nnumber(N) :- number(M) & plus(M,1,N)\nlegal(mark(N,N)) :- number(N)\n"
    assert "endless-recursion" in findings(drop(ann, "standaloneopen", ("endless.epilog", endless)))
    assert drop(ann, "standaloneopen", ("noughts.epilog", RULES)).status_code == 303


def test_markup_in_files_is_text(ann: Visitor) -> None:
    answer = drop(ann, "standaloneopen", (f"{MARKUP}.epilog", f"role({MARKUP})"))
    assert answer.status_code == 422
    assert "<img src=x" not in answer.text
    titled = packed(rules__epilog=RULES, game__toml=f'title = "{MARKUP}"\n', description__md=MARKUP)
    page = drop(ann, "standaloneopen", ("game.zip", titled)).headers["location"]
    for address in (
        page,
        page.replace("/standalone/", "/games/"),
        page.replace("/standalone/", "/play?game="),
    ):
        assert "<img src=x" not in ann.get(address).text


@pytest.mark.parametrize("page", [*WAYS, "playeropen"])
def test_forms_of_other_sites_are_refused(site: RunningSite, page: str) -> None:
    files = [("files", ("noughts.epilog", RULES))]
    assert httpx.post(f"{site.address}/{page}", files=files).status_code == 403
    eve = Visitor(site.address)
    eve.get(f"/{page}")
    forged = eve.client.post(f"/{page}", files=files, data={"token": "0" * 64})
    assert forged.status_code == 403
    there = eve.client.post(f"/{page}", files=files, headers={"origin": "http://elsewhere.example"})
    assert there.status_code == 403


# Nothing stays


def test_nothing_is_left_of_a_game_and_its_matches(tmp_path: Path) -> None:
    with running_site(tmp_path) as site:
        ann = Visitor(site.address)
        name = drop(ann, "manageropen", ("noughts.epilog", RULES)).headers["location"].partition("=")[2]
        form = {"game": name, "do": "arrange", "player_0": "random", "player_1": "legal", "pace": 0}
        match = ann.arrange("/manager", **form)
        ann.act(match, "begin")
        with ann.watching(match) as watch:
            watch.until("over")
        begun = ann.arrange("/play", game=name, role="x", opponent="random", think=0.2)
        with ann.watching(begun) as watch:
            watch.until_asked()
        for page in ("/matches", "/", "/leaderboard", "/games", "/api/v1/matches"):
            assert name not in ann.get(page).text
            assert match not in ann.get(page).text
        assert (
            ann.get(f"/matches/{match}").status_code == 200
        )  # for who has its address, as long as it is held
    with running_site(tmp_path) as site:
        bob = Visitor(site.address)
        assert site.records == []
        assert [*(tmp_path / "drafts").iterdir()] == []
        for page in (f"/matches/{match}", f"/matches/{begun}", f"/standalone/{name}", f"/games/{name}"):
            assert bob.get(page).status_code == 404, page
        assert bob.get("/api/v1/matches").json()["total"] == 0


# Players


def test_without_leave_no_player_is_taken(ann: Visitor) -> None:
    text = ann.get("/playeropen").text
    assert "Nothing of the file is sent" in text
    assert not re.search(r'<input[^>]*type="file"[^>]*name=|<input[^>]*name="files"', text)
    answer = drop(ann, "playeropen", ("mine.py", PLAYER))
    assert answer.status_code == 403
    assert "takes no files of players" in answer.text


def test_the_commands_that_are_told_exist(ann: Visitor) -> None:
    text = re.sub(r"<[^>]+>", "", unescape(ann.get("/playeropen").text))
    commands = re.findall(r"^gamemaster (\w+) .*$", text, re.MULTILINE)
    assert commands == ["play", "match", "player"]
    for command in commands:
        told = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"}).output
        line = next(each for each in text.splitlines() if each.startswith(f"gamemaster {command} "))
        for option in re.findall(r"--[a-z-]+", line):
            assert option in told
    assert ann.get("/software/clients/websocket_player.py").status_code == 200


def test_a_file_that_is_no_player_is_told_at_its_line() -> None:
    def told(text: str | bytes) -> list[tuple[object, object]]:
        raw = text.encode() if isinstance(text, str) else text
        return [(each["line"], each["message"]) for each in faults_of_player("mine.py", raw, LARGEST_FILE)]

    assert told(PLAYER) == []
    assert told("def play(move):\n    return 'noop'\n") == []
    assert told("import x\n\ndef choose(:\n")[0][0] == 3
    assert told(b"# \xff\xfe\n") == [(1, "this is not written in UTF-8")]
    assert told("x = 1 if")[0][0] == 1
    assert "at most" in str(told(b"#" * (LARGEST_FILE + 1))[0][1])
    assert told("print('hello')\n") == [(None, "there is no class and no function play in it")]
    assert "cannot be read" in str(told("(" * 150_000)[0][1]) or told("(" * 150_000)[0][0] == 1
    assert told("x = '\0'")[0]


@pytest.fixture(scope="module")
def walled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    with running_site(tmp_path_factory.mktemp("walled"), "--allow-uploads") as running:
        yield running


def files_of_players(site: RunningSite) -> list[Path]:
    return [*(site.folder / "players").rglob("*.py")]


@pytest.mark.walls
def test_a_dropped_player_runs_behind_walls_and_nothing_of_it_stays(walled: RunningSite) -> None:
    bob = Visitor(walled.address)
    answer = drop(bob, "playeropen", ("My Player.py", PLAYER))
    assert answer.status_code == 303, answer.text
    where = answer.headers["location"]
    assert re.fullmatch(r"/playeropen/open-myplayer\.[0-9a-f]+", where)
    identifier = where.rpartition("/")[2]
    wait_for(bob, where, 'data-status="ready"')
    assert len(files_of_players(walled)) == 1
    bob.client.post(where, data={"token": bob.token, "act": "connect"})
    form = {"game": "tictactoe", "do": "arrange", "other_0": identifier, "player_1": "random", "pace": 0}
    match = bob.arrange("/manager", **form)
    bob.act(match, "begin")
    with bob.watching(match) as watch:
        watch.until("over")
    assert "message(" in bob.get(where).text
    assert Visitor(walled.address).get(where).status_code == 404  # it is nobody else's
    ended = bob.client.post(where, data={"token": bob.token, "act": "end"})
    assert ended.status_code == 303
    assert 'data-status="gone"' in bob.get(where).text
    wait_until_gone(walled, bob)


@pytest.mark.walls
def test_a_dropped_player_that_fails_is_told_and_gone(walled: RunningSite) -> None:
    bob = Visitor(walled.address)
    told = findings(drop(bob, "playeropen", ("mine.py", "class First(\n")))
    assert "mine.py:1:" in told
    where = drop(bob, "playeropen", ("mine.py", f"{PLAYER}\nraise OSError('no net')\n")).headers["location"]
    assert where.startswith("/playeropen/open-mine.")  # nobody can register that name
    wait_for(bob, where, 'data-status="gone"')
    text = unescape(bob.get(where).text)
    assert "no net" in text
    assert str(walled.folder) not in text  # where it lay is nobody's business
    wait_until_gone(walled, bob)


def wait_for(visitor: Visitor, path: str, words: str) -> None:
    """Load a page until it says something; what hangs is ended by pytest."""
    while words not in visitor.get(path).text:
        pass


def wait_until_gone(site: RunningSite, visitor: Visitor) -> None:
    while files_of_players(site):
        visitor.get("/playeropen")
