"""A folder of anybody's: it loads as one of the library does, and what is wrong in it is told with its place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import gamemaster as gm
from gamemaster.cli import app
from gamemaster.errors import ReadError, UnknownGame
from gamemaster.games import entry
from gamemaster.games.skeleton import write_skeleton


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_skeleton("mygame", "kif", tmp_path)


@pytest.mark.parametrize("name", ["mygame", "mygame/", "./mygame", "../{}/mygame/"])
def test_a_folder_is_loaded_by_its_path(folder: Path, name: str) -> None:
    name = name.format(folder.parent.name)
    assert gm.load(name, machine="reference").name == "mygame"
    assert gm.load(f"{name}:size=3", machine="reference").name == "mygame:size=3"
    assert gm.load(f"{name}:small", machine="reference").perft(2) == [9, 72]


def test_a_path_is_loaded_too(folder: Path) -> None:
    assert gm.load(folder, machine="reference").name == "mygame"
    assert gm.load(Path("mygame"), machine="reference").perft(1) == [16]


def test_a_folder_called_as_a_game_of_the_library_is_loaded_as_a_path(folder: Path) -> None:
    other = folder.rename(folder.parent / "tictactoe")
    assert gm.load("tictactoe", machine="reference").roles == ("x", "o")
    assert gm.load("./tictactoe", machine="reference").roles == ("red", "blue")
    assert gm.load(other, machine="reference").roles == ("red", "blue")


def test_all_but_the_rules_may_be_missing(folder: Path) -> None:
    (folder / "game.toml").write_text("")
    (folder / "description.md").unlink()
    about = entry("mygame")
    assert (about.title, about.notation, about.perft, about.variants) == ("mygame", "kif", (), ())
    assert gm.load("mygame", machine="reference").perft(1) == [16]


def test_one_file_of_rules_is_needed(folder: Path) -> None:
    (folder / "rules.hrf").write_text("role(a)")
    with pytest.raises(ReadError, match="mygame:1:1: is a folder with 2 files of rules"):
        gm.load("mygame")
    (folder / "rules.hrf").unlink()
    (folder / "rules.kif").unlink()
    with pytest.raises(ReadError, match="is a folder with 0 files of rules"):
        gm.load("mygame")


def test_a_folder_without_game_toml_is_none(folder: Path) -> None:
    (folder / "game.toml").unlink()
    with pytest.raises(ReadError, match="is a directory"):
        gm.load("mygame")
    with pytest.raises(UnknownGame):
        gm.load("mygame:small")


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ('title = "a"\nkind = ', 2, "is no TOML: Invalid value"),
        ('title = "a', 1, "is no TOML"),
        ("[" * 5000, 1, "is no TOML|is nested too deeply"),
        ("x = " + "[" * 5000, 1, "is nested too deeply|is no TOML"),
        ('titel = "a"', 1, "there is no 'titel' here; known are kind, notation"),
        ("\ntitle = 5", 2, "title must be a text in quotes, not 5"),
        ('roles = "red"', 1, "roles must be a list, not 'red'"),
        ("tags = [1]", 1, r"tags must be a list of texts, not \[1\]"),
        ("perft = [1, true]", 1, "perft must be a whole number, not True"),
        (f"perft = [1, {'9' * 5000}]", 1, "is no TOML: Exceeds the limit"),
        (f"perft = [0x{'f' * 5000}]", 1, "perft has a number beyond 10000"),
        (
            f"[parameters]\nsize = {{value = 0x{'f' * 5000}, least = 1, most = 3}}",
            1,
            "value has a number beyond 10000",
        ),
        ("parameters = 5", 1, "parameters must be tables with names, not 5"),
        ("[parameters]\nsize = 5", 1, "parameters must be tables with names"),
        ("[parameters]\nsize = {value = 5}", 2, "parameter size needs value, least and most"),
        (
            '[parameters]\nsize = {value = "x", least = 1, most = 3}',
            1,
            "value must be a whole number, not 'x'",
        ),
        (
            "[parameters]\nsize = {value = 5, least = 1, most = 3}",
            2,
            "parameter size is 5, which is not from 1 to 3",
        ),
        ("[variants.small]\nrows = 3", 2, "there is no 'rows' here; known are facts, perft, title"),
        ("[variants.small]\nfacts = 3", 2, "facts must be a text in quotes"),
        ("\n\n[variants]\nsmall = 3", 3, "variants must be tables with names"),
    ],
)
def test_what_is_wrong_in_game_toml_is_told_with_its_line(
    folder: Path, text: str, line: int, what: str
) -> None:
    (folder / "game.toml").write_text(text)
    with pytest.raises(ReadError, match=what) as raised:
        gm.load("mygame")
    assert raised.value.place is not None
    assert Path(raised.value.place.file).name == "game.toml"
    assert raised.value.place.line == line


def test_what_a_folder_says_of_itself_does_nothing_to_a_terminal(folder: Path) -> None:
    odd = r"\u001b[2J\u202e\nerror: x"
    said = f'title = "{odd}"\nroles = ["{odd}"]\nkind = "{odd}"\nnote = "{odd}"\n'
    (folder / "game.toml").write_text(f'{said}[variants."{odd}"]\ntitle = "{odd}"\n')
    (folder / "description.md").write_bytes("A\tgame.\r\nTwo\x9b2J lines.".encode())
    for words in (("games", "mygame"), ("show", "mygame", "--description")):
        output = CliRunner().invoke(app, words).output
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", output)
        assert "\nerror" not in output
    assert output.startswith("A   game.\nTwo\ufffd2J lines.\n")
