"""About, Resources, Software and the documents: true, whole, and the same from a wheel as from the sources."""

from __future__ import annotations

import hashlib
import io
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from html import unescape
from importlib import metadata
from pathlib import Path
from urllib.parse import quote, urldefrag

import pytest

from gamemaster.editing.words import BUILTINS, MARKS, words_of
from gamemaster.errors import NotInstalled
from gamemaster.language.findings import CODES
from gamemaster.language.notation import read
from gamemaster.language.rules import Notation
from gamemaster.language.source import Source
from gamemaster.load import load
from gamemaster.web import packaging
from gamemaster.web.bibliography import bibliography
from gamemaster.web.documents import INSIDE, attachments, code_blocks, document_names, document_page
from gamemaster.web.pages.resources import SHELVES
from gamemaster.web.pages.software import CLIENTS, PLAYERS, clients, players, skeletons
from gamemaster.web.reference import language_reference
from tests.web.running import RunningSite, Visitor, running_site

ROOT = Path(__file__).parents[2]
LARGEST_PAGE = 200_000
TEXTS = (
    "/about",
    "/resources",
    "/software",
    "/docs/language",
    *(f"/docs/{name}" for name in document_names()),
)
LINK = re.compile(r'<a [^>]*?href="([^"]*)"')
PICTURE = re.compile(r'<(?:img|script|link) [^>]*?(?:src|href)="([^"]*)"')
GRAMMAR = {"A comment", "A variable", "A variable that nobody needs", "Or", "Not", "What holds in the state"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    with running_site(tmp_path_factory.mktemp("site")) as running:
        yield running


@pytest.fixture(scope="module")
def ann(site: RunningSite) -> Visitor:
    return Visitor(site.address)


# Pages


@pytest.mark.parametrize("path", TEXTS)
def test_a_page_is_whole_and_small(ann: Visitor, path: str) -> None:
    page = ann.get(path)
    assert page.status_code == 200
    assert len(page.content) < LARGEST_PAGE
    assert page.text.count("<h1") == 1
    for address in ("/about", "/resources", "/software"):
        assert f'href="{address}"' in page.text
    assert [
        each for each in PICTURE.findall(page.text) if not each.startswith("/")
    ] == []  # nothing of others


def test_an_address_with_nothing_there_says_so(ann: Visitor) -> None:
    page = ann.get("/nothing-here")
    assert (page.status_code, "nothing is at this address" in page.text) == (404, True)
    page = ann.get("/run/switch")
    assert (page.status_code, "a form that was opened as a page" in page.text) == (405, True)
    assert ann.get("/api/v1/nothing").json() == {
        "error": "nothing is at this address; a link may be mistyped, or what was there is gone"
    }


def test_no_link_leads_nowhere(ann: Visitor) -> None:
    """Every link and picture of these pages, and every anchor that one of them names."""
    pages = {path: ann.get(path).text for path in ("/", *TEXTS)}
    named = {
        (path, unescape(link))
        for path, text in pages.items()
        for link in (*LINK.findall(text), *PICTURE.findall(text))
    }
    wrong = []
    known: dict[str, str] = {}
    for path, link in sorted(named):
        address, anchor = urldefrag(link)
        address = address or path
        if "://" in address:
            continue
        if address not in known:
            answer = ann.client.get(address, follow_redirects=True)
            is_page = answer.headers["content-type"].startswith("text/html")
            known[address] = answer.text if is_page else ""
            if answer.status_code != 200:
                wrong.append(f"{path}: {link} is {answer.status_code}")
        if anchor and f'id="{anchor}"' not in known[address] and not re.fullmatch(r"L\d+", anchor):
            wrong.append(f"{path}: {link} has no such place")
    assert wrong == []
    assert len(known) > 60


def test_the_page_about_it_has_boards_that_can_be_played(ann: Visitor) -> None:
    text = ann.get("/about").text
    for game in ("tictactoe", "connectfour", "eightpuzzle"):
        assert f'data-live-board="{game}"' in text
    assert text.count("<svg") >= 5
    assert text.count('type="application/json"') == 3


TRICKS = (
    "../pyproject.toml",
    "..%2fpyproject.toml",
    "%2e%2e/README",
    "clients/../../x",
    "/etc/passwd",
    "nothing",
    "draw_gallery.py",
    "<b>",
)


@pytest.mark.parametrize("path", TRICKS)
def test_only_documents_are_shown(ann: Visitor, path: str) -> None:
    answer = ann.client.get(f"/docs/{quote(path, safe='/.%')}")
    assert answer.status_code == 404
    assert "<b>" not in answer.text or "&lt;b&gt;" in answer.text


def test_names_of_files_lead_to_pages(ann: Visitor) -> None:
    assert ann.get("/docs").headers["location"] == "/resources#documents"
    assert ann.get("/docs/protocol.md").headers["location"] == "/docs/protocol"
    assert ann.get("/docs/gallery.md").headers["location"] == "/games"


def test_a_document_is_the_one_in_the_project(ann: Visitor) -> None:
    assert set(document_names()) == {path.stem for path in (ROOT / "docs").glob("*.md")} - {"gallery"}
    page = document_page("clients")
    assert page.title == "A player in another language"
    assert '<a href="/docs/clients/websocket_player.py">' in page.html
    assert '<a href="/docs/http-api#states">' in page.html
    assert "../src" not in document_page("write-a-player").html  # what only the repository has is no link
    assert ann.get("/docs/clients/websocket_player.py").text == (
        (ROOT / "docs" / "clients" / "websocket_player.py").read_text()
    )


def test_every_document_has_its_shelf() -> None:
    assert {name for told in SHELVES.values() for name in told} <= set(document_names())


# The language


def test_the_reference_has_every_word_builtin_mark_and_code(ann: Visitor) -> None:
    text = unescape(ann.get("/docs/language").text)
    reference = language_reference()
    words = {row.name for row in reference.words.rows}
    assert words == words_of("kif").keys() | words_of("epilog").keys()
    builtins = [row.name for table in reference.builtins for row in table.rows]
    assert sorted(builtins) == sorted(BUILTINS)
    for name in BUILTINS:
        assert f'id="builtin-{name}"' in text
    for code, meaning in CODES.items():
        assert f'id="code-{code}"' in text
        assert meaning in text
    for mark in MARKS:
        assert f"<code>{mark}</code>" in text


def test_what_the_reference_writes_can_be_read() -> None:
    for what, ways in language_reference().sentences.items():
        for notation, text in ways.items():
            if what not in GRAMMAR and not text.startswith("nothing"):
                assert read(Source("sentence", text), notation).sentences, text
    for what, ways in language_reference().sentences.items():
        if what in ("Or", "Not", "What holds in the state"):
            for notation, text in ways.items():
                assert read(Source("body", rule_with(text, notation)), notation).sentences


def rule_with(body: str, notation: Notation) -> str:
    return f"(<= (p ?x) (s ?x) {body})" if notation == "kif" else f"p(X) :- s(X) & {body}"


def test_the_samples_are_games() -> None:
    for notation, text in language_reference().samples.items():
        assert len(read(Source("sample", text), notation).sentences) > 20


# What to read


def test_the_bibliography_is_whole(ann: Visitor) -> None:
    text = unescape(ann.get("/resources").text)
    works = [work for group in bibliography() for work in group.works]
    assert len(works) > 20
    for work in works:
        assert work.title in text
        assert work.teaches in text
        assert work.authors
        assert work.where


# What to take home


def test_what_is_offered_is_whole(ann: Visitor) -> None:
    text = ann.get("/software").text
    links = re.findall(r'href="(/software/[^"]+)"', text)
    assert len(links) == 1 + len(players()) + len(clients()) + len(skeletons())
    for link in links:
        answer = ann.client.get(link)
        assert answer.status_code == 200
        assert "attachment" in answer.headers["content-disposition"]
        assert answer.content
    for link in ("/software/nothing", "/software/players/nothing.py", "/software/nothing/x.py"):
        assert ann.client.get(link).status_code == 404


def test_players_to_begin_with_are_those_of_the_document() -> None:
    blocks = dict(code_blocks("write-a-player"))
    assert set(PLAYERS) == set(blocks)
    assert {each.content.decode() for each in players()} == set(blocks.values())
    assert {name for name in attachments() if name.startswith("clients/")} == set(CLIENTS)


@pytest.mark.parametrize("number", range(3))
def test_rules_to_begin_with_are_a_game(number: int, tmp_path: Path) -> None:
    found = skeletons()[number]
    with zipfile.ZipFile(io.BytesIO(found.content)) as archive:
        archive.extractall(tmp_path)
    game = load(tmp_path / "mygame")
    assert game.roles == ("red", "blue")
    assert game.perft(2) == [16, 240]


def test_the_commands_of_the_page_exist(ann: Visitor) -> None:
    text = unescape(ann.get("/software").text)
    commands = set(re.findall(r"<code>gamemaster (\w+)", text))
    help_text = subprocess.run(
        [sys.executable, "-m", "gamemaster", "--help"], capture_output=True, text=True, check=True
    ).stdout
    assert len(commands) > 6
    assert {command for command in commands if f"  {command} " not in help_text} == set()


# The wheel


def test_the_wheel_is_what_its_record_says(ann: Visitor) -> None:
    page = ann.get("/software").text
    name = re.search(r"/software/(gamemaster-[\w.]+-py3-none-any\.whl)", page)
    assert name is not None
    answer = ann.client.get(f"/software/{name[1]}")
    assert hashlib.sha256(answer.content).hexdigest() in page
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        names = archive.namelist()
        record = next(name for name in names if name.endswith("/RECORD"))
        lines = archive.read(record).decode().splitlines()
        assert {line.partition(",")[0] for line in lines} == set(names)
        for line in lines:
            path, digest, size = line.rsplit(",", 2)
            if size:
                content = archive.read(path)
                assert int(size) == len(content)
                assert digest == f"sha256={packaging._digest(content)}"
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]
    assert {f"gamemaster/documents/{name}.md" for name in document_names()} < set(names)


def test_the_wheel_needs_what_the_sources_need_by_now(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An editable install remembers what was needed when it was made; who installs the wheel needs what is now."""
    old = tmp_path / "gamemaster-0.0.9.dist-info"
    old.mkdir()
    (old / "METADATA").write_text("Name: gamemaster\nVersion: 0.0.9\nRequires-Dist: left-pad\n\nAbout it.\n")
    monkeypatch.setattr(metadata, "distribution", lambda name: metadata.Distribution.at(old))
    with zipfile.ZipFile(io.BytesIO(packaging.built_wheel().content)) as archive:
        told = archive.read(f"{old.name}/METADATA").decode()
    said = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needs = [
        line.removeprefix("Requires-Dist: ") for line in told.splitlines() if line.startswith("Requires-Dist")
    ]
    assert set(said["dependencies"]) == {each for each in needs if ";" not in each}
    assert "argon2-cffi" in told
    assert "left-pad" not in told
    assert "Provides-Extra: png\nRequires-Dist: resvg-py>=0.5; extra == 'png'" in told
    assert told.endswith("\n\nAbout it.\n")


def test_the_project_puts_the_same_documents_into_its_wheels() -> None:
    said = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert said["sources"]["docs"] == f"gamemaster/{INSIDE}"
    assert said["exclude"] == ["docs/gallery", "docs/*.py"]


def test_bare_sources_make_no_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", unknown)
    with pytest.raises(NotInstalled, match="runs from bare sources, of which no wheel can be made"):
        packaging.built_wheel()


@pytest.mark.slow
def test_an_installed_wheel_serves_all_of_it(
    site: RunningSite, ann: Visitor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Installed elsewhere, without the project beside it; and the wheel that it gives is the one it came from."""
    found = packaging.built_wheel()
    (tmp_path / found.name).write_bytes(found.content)
    place = tmp_path / "installed"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target"]
    subprocess.run([*command, str(place), str(tmp_path / found.name)], check=True)
    monkeypatch.setenv("PYTHONPATH", str(place))
    monkeypatch.chdir(tmp_path)
    where = subprocess.run(
        [sys.executable, "-c", "import gamemaster; print(gamemaster.__file__)"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert where.startswith(str(place))
    with running_site(tmp_path / "data") as other:
        bob = Visitor(other.address)
        for path in TEXTS:
            page = bob.get(path)
            assert page.status_code == 200, path
            if path.startswith("/docs/"):
                main = re.compile(r"<main.*</main>", re.DOTALL)
                assert main.findall(page.text) == main.findall(ann.get(path).text)
        assert bob.client.get(f"/software/{found.name}").content == found.content
        assert bob.client.get("/docs/play.svg").status_code == 200
        assert bob.client.get("/docs/clients/ggp_http_player.py").status_code == 200
