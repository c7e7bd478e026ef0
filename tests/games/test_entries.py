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
        ('title = "a"\nkind = ', 2, "not TOML: Invalid value"),
        ('title = "a', 1, "not TOML"),
        ("[" * 5000, 1, "not TOML|is nested too deeply"),
        ("x = " + "[" * 5000, 1, "is nested too deeply|not TOML"),
        (f"\na{'.a' * 20} = 1", 2, "has a key with more than 16 dots"),
        ("#" * 200_001, 1, "has more than 200,000 characters"),
        ('titel = "a"', 1, "unknown key 'titel'"),
        ("\ntitle = 5", 2, "title has 5, which is no text"),
        (f"title = {{{'a.' * 9}a = {{{'b.' * 9}b = 1}}}}", 1, "title has {'a': {'a'"),
        ('roles = "red"', 1, "roles is 'red'"),
        ("tags = [1]", 1, "tags has 1, which is no text"),
        ("perft = [1, true]", 1, "perft has True, which is no whole number"),
        (f"perft = [1, {'9' * 5000}]", 1, "not TOML: Exceeds the limit"),
        (f"perft = [0x{'f' * 5000}]", 1, "perft has a number beyond 10000"),
        (
            f"[parameters]\nsize = {{value = 0x{'f' * 5000}, least = 1, most = 3}}",
            2,
            "value has a number beyond 10000",
        ),
        ("parameters = 5", 1, "parameters is 5"),
        ("[parameters]\nsize = 5", 2, "size is 5"),
        ("[parameters]\nsize = {value = 5}", 2, "parameter size needs value, least and most"),
        (
            '[parameters]\nsize = {value = "x", least = 1, most = 3}',
            2,
            "value has 'x', which is no whole number",
        ),
        (
            "[parameters]\nsize = {value = 5, least = 1, most = 3}",
            2,
            "parameter size is 5, which is not from 1 to 3",
        ),
        (
            "[parameters]\nsize = {value = 2, least = 1, most = 3}\n[variants.small]\nsize = 0",
            4,
            "parameter size is 0, which is not from 1 to 3",
        ),
        ("[variants.small]\nrows = 3", 2, "unknown key 'rows'"),
        ("[variants.small]\nfacts = 3", 2, "facts has 3, which is no text"),
        ("\n\n[variants]\nsmall = 3", 4, "small is 3"),
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
