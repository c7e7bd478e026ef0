"""Games with other numbers or another start: how they are named, what becomes of the sheet, what takes them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import gamemaster as gm
from gamemaster import games
from gamemaster.check import check
from gamemaster.cli import app
from gamemaster.errors import ParameterError, RulesError, UnknownGame
from gamemaster.folder_check import looks_at
from gamemaster.games import entry, game_names
from gamemaster.games.aims import aim_of
from gamemaster.games.variants import choose
from gamemaster.language.notation import read
from gamemaster.language.rules import relation_of
from gamemaster.load import source_of
from gamemaster.match.records.record import read_record
from gamemaster.match.records.verifying import verify
from gamemaster.terminal.welcome import choose_game

VARIANTS = [f"{name}:{variant.name}" for name in game_names() for variant in entry(name).variants]
SLOW_PERFT = 1_000
"""Perft counts beyond this many sequences are for the compiled machine alone."""

NIM = """; A heap
(role first) (role second) (other first second) (other second first)
(heap 3) (init (control first)) (<= (init (pile ?n)) (heap ?n))
(<= (legal ?r (take ?n)) (true (control ?r)) (amount ?n))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(amount 1) (amount 2)
(<= (next (pile ?q)) (does ?r (take ?n)) (true (pile ?p)) (left ?p ?n ?q))
(<= (next (control ?s)) (true (control ?r)) (other ?r ?s))
(<= terminal (true (pile 0)))
(<= (goal ?r 100) (role ?r) (not (true (control ?r))))
(<= (goal ?r 0) (true (control ?r)))
(left 3 1 2) (left 2 1 1) (left 1 1 0) (left 3 2 1) (left 2 2 0) (left 1 2 0)
"""
NIM_TOML = """
title = "Nim"
roles = ["first", "second"]
kind = "heap"
tags = ["two players"]
notation = "kif"
perft = [2, 4]
[parameters]
heap = {value = 3, least = 1, most = 3}
[variants.late]
title = "The end of Nim"
facts = '''
(init (pile 1))   ; the last coin
(amount 1)
'''
[variants.two]
heap = 2
"""


@pytest.fixture
def nim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A library with one game, in KIF."""
    folder = tmp_path / "nim"
    folder.mkdir()
    for name, text in (("game.toml", NIM_TOML), ("rules.kif", NIM), ("description.md", "Nim")):
        (folder / name).write_text(text)
    monkeypatch.setattr(games, "HERE", tmp_path)
    game_names.cache_clear()
    yield folder
    game_names.cache_clear()


def run(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(app, list(arguments), input=stdin, prog_name="gamemaster")


def output(*arguments: str, stdin: str = "") -> str:
    result = run(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    return result.stdout


# What a name means


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("connectfour", "connectfour"),
        ("connectfour:columns=7", "connectfour:columns=7"),
        ("connectfour:rows=5,columns=7", "connectfour:columns=7,rows=5"),
        ("connectfour:columns=8", "connectfour"),
        ("connectfour:columns=8,rows=5", "connectfour:rows=5"),
        ("connectfour:small", "connectfour:small"),
        ("connectfour:small,rows=4", "connectfour:small"),
        ("connectfour:small,rows=5", "connectfour:small,rows=5"),
        ("connectfour:small,columns=8", "connectfour:small,columns=8"),
    ],
)
def test_a_choice_has_one_name(given: str, name: str) -> None:
    game = gm.load(given, machine="reference")
    assert game.name == name
    assert gm.load(name, machine="reference").digest == game.digest


def test_the_numbers_are_those_of_the_sheet() -> None:
    game = gm.load("connectfour:small,columns=8")
    assert len(game.initial_state().legal_moves("red")) == 8
    state = game.initial_state()
    for _ in range(4):
        state = state.next("drop(1)")
    assert len(state.legal_moves("red")) == 7


def test_what_says_the_same_is_the_same_game() -> None:
    games = [
        gm.load(f"connectfour{what}", machine="reference") for what in (":small", ":columns=5,rows=4", "")
    ]
    assert games[0].digest == games[1].digest != games[2].digest
    assert games[0].initial_state() == games[1].initial_state() != games[2].initial_state()


@pytest.mark.parametrize(
    ("name", "error", "what"),
    [
        ("connectfour:colums=7", ParameterError, "no parameter 'colums'; it has .* did you mean columns"),
        ("connectfour:small,small", ParameterError, "a variant, as small, comes first and only once"),
        ("connectfour:columns=7,small", ParameterError, "comes first and only once"),
        ("connectfour:columns=3", ParameterError, "columns of connectfour must be .* 4 to 12, not '3'"),
        ("connectfour:columns=1000000000000", ParameterError, "from 4 to 12"),
        ("connectfour:columns=", ParameterError, "not ''"),
        ("connectfour:columns=7.0", ParameterError, "whole number"),
        ("connectfour:columns=07", ParameterError, "whole number"),
        ("connectfour:columns= 7", ParameterError, "whole number"),
        ("connectfour:columns=٧", ParameterError, "whole number"),
        ("connectfour:columns=7,columns=7", ParameterError, "columns twice"),
        ("connectfour:columns=7,", ParameterError, "no parameter ''"),
        ("connectfour:", UnknownGame, "no variant ''"),
        (
            "connectfour:smal",
            UnknownGame,
            "no variant 'smal'; it has the parameters columns .4 to 12., .*mean small",
        ),
        ("connectfour:" + "x" * 5000, UnknownGame, "no variant 'x{40,80}"),
        ("tictactoe:small", UnknownGame, "it has neither parameters nor variants$"),
        (
            "conectfour:small",
            UnknownGame,
            "no game or rule file 'conectfour:small'; did you mean connectfour",
        ),
        ("small", UnknownGame, "no game or rule file"),
    ],
)
def test_a_wish_that_cannot_be_is_told_with_what_there_is(
    name: str, error: type[Exception], what: str
) -> None:
    with pytest.raises(error, match=what) as raised:
        gm.load(name)
    assert len(str(raised.value)) < 400


def test_a_file_may_have_a_colon_in_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("connectfour:small").write_text(NIM)
    Path("my:game.kif").write_text(NIM)
    assert gm.load("connectfour:small", machine="reference").roles == ("first", "second")
    assert choose("connectfour:small") is None
    assert gm.load("my:game.kif", machine="reference").name == "my:game"
    assert output("perft", "connectfour:small", "--depth", "1").split() == [
        "depth",
        "count",
        "seconds",
        "1",
        "2",
        "0.000",
    ]


# What becomes of the sheet


@pytest.mark.parametrize("name", game_names())
def test_parameters_are_facts_of_the_sheet(name: str) -> None:
    about, rules = entry(name), read(source_of(name)).rules
    facts = [rule.head for rule in rules if not rule.body]
    for each in about.parameters:
        assert each.least <= each.value <= each.most
        assert [str(fact) for fact in facts if relation_of(fact) == (each.name, 1)] == [
            f"{each.name}({each.value})"
        ]
        for value in {each.least, each.most} - {each.value}:
            start = gm.load(f"{name}:{each.name}={value}", machine="reference").initial_state()
            assert not start.is_terminal
    known = {each.name: each for each in about.parameters}
    for variant in about.variants:
        assert variant.name not in known
        assert all(known[each].least <= value <= known[each].most for each, value in variant.values.items())


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_is_a_game_like_any_other(name: str) -> None:
    assert not list(map(str, check(source_of(name), seconds=0.1, looks=looks_at(name)).findings))
    choice, game = choose(name), gm.load(name, machine="reference")
    assert choice is not None
    assert choice.name == game.name == name
    assert choice.title
    assert game.digest != gm.load(choice.folder.name, machine="reference").digest
    pinned = [count for count in choice.perft if count <= SLOW_PERFT]
    assert len(choice.perft) >= 2
    assert game.perft(len(pinned)) == pinned


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_all_of_the_perft_of_a_variant_is_as_pinned(name: str) -> None:
    choice = choose(name)
    assert choice is not None
    assert tuple(gm.load(name).perft(len(choice.perft))) == choice.perft


def test_places_stay_those_of_the_sheet() -> None:
    usual, other = read(source_of("connectfour")), read(source_of("connectfour:columns=12"))
    assert usual.source.name == other.source.name
    places = [
        [(sheet.place(each.span).line, sheet.place(each.span).column) for each in sheet.sentences]
        for sheet in (usual, other)
    ]
    assert places[0] == places[1]


def test_facts_of_a_variant_take_the_place_of_all_that_the_sheet_says_of_them(nim: Path) -> None:
    game = gm.load("nim:late", machine="reference")
    assert set(map(str, game.initial_state().facts)) == {"pile(1)", "control(first)"}
    assert list(map(str, game.initial_state().legal_moves("first"))) == ["take(1)"]
    source = source_of("nim:late")
    assert source.name == str(nim / "rules.kif")
    assert source.text.splitlines()[6:11] == NIM.splitlines()[6:11]
    assert "; Facts of the variant nim:late" in source.text


def test_parameters_and_facts_can_both_be_given(nim: Path) -> None:
    assert nim.exists()
    assert gm.load("nim:heap=2", machine="reference").perft(2) == [2, 2]
    assert gm.load("nim", machine="reference").perft(2) == [2, 4]
    assert str(gm.load("nim:heap=2", machine="reference").initial_state()) == "control(first) pile(2)"
    assert gm.load("nim:late,heap=2", machine="reference").name == "nim:late,heap=2"
    assert "(heap 2)" in source_of("nim:late,heap=2").text


def test_a_parameter_that_the_sheet_does_not_have_once_is_an_error(nim: Path) -> None:
    (nim / "rules.kif").write_text(NIM + "(heap 1)")
    with pytest.raises(
        RulesError, match=r"rules\.kif:1:1: game\.toml has the parameter heap, .* has 2 times"
    ):
        gm.load("nim:heap=2")


# What the library says


def test_the_library_reads_what_can_be_chosen(nim: Path) -> None:
    about = entry("nim")
    assert nim.exists()
    assert [(each.name, each.value, each.least, each.most) for each in about.parameters] == [
        ("heap", 3, 1, 3)
    ]
    assert [each.name for each in about.variants] == ["late", "two"]
    assert about.note == ""
    choices = [choose(f"nim{what}") for what in ("", ":late", ":heap=1", ":late,heap=1")]
    assert [each.title for each in choices if each] == [
        "Nim",
        "The end of Nim",
        "Nim (heap=1)",
        "Nim (heap=1)",
    ]
    assert [each.perft for each in choices if each] == [(2, 4), (), (), ()]


def test_the_aim_of_a_variant_is_that_of_the_game() -> None:
    sheet = read(source_of("connectfour"))
    assert aim_of("connectfour:columns=7", sheet) == aim_of("connectfour", sheet) != ""


# Commands


def test_games_lists_variants_and_says_what_can_be_chosen() -> None:
    assert "\nconnectfour:small " in output("games")
    seen = output("games", "connectfour:rows=5")
    assert seen.startswith("connectfour:rows=5: Connect Four (rows=5)\n")
    assert "  connectfour:columns=N  4 to 12, usually 8\n" in seen
    assert "  connectfour:small  Connect Four 5x4\n" in seen
    told = json.loads(output("games", "connectfour", "--json"))
    assert told["parameters"][0] == {"name": "columns", "value": 8, "least": 4, "most": 12}
    assert told["variants"][1]["values"] == {"columns": 5, "rows": 4}
    assert run("games", "nowhere").exit_code == 1


def test_show_prints_the_rules_and_the_words_of_a_variant() -> None:
    assert "\ncolumns(7)\n" in output("show", "connectfour:columns=7")
    assert "- `connectfour:rows=N`: 4 to 12, usually 6" in output(
        "show", "connectfour:small", "--description"
    )


def test_a_note_of_the_library_is_told(nim: Path) -> None:
    toml = nim / "game.toml"
    toml.write_text('note = "Ours ends."\n' + toml.read_text())
    assert "\n  Ours ends.\n" in output("games", "nim")


def test_commands_take_a_variant() -> None:
    assert output("check", "connectfour:small", "--seconds", "0.1").startswith("connectfour:small: 0 errors")
    assert (
        json.loads(output("bench", "connectfour:small", "--seconds", "0.1", "--json"))["game"]
        == "connectfour:small"
    )
    assert "should be" in output("perft", "connectfour:small", "--depth", "3")
    assert "should be" not in output("perft", "connectfour:rows=5", "--depth", "2")
    assert "drop(5)" in output("think", "connectfour:small", "--with", "alphabeta(depth=2)", "--seconds", "5")
    assert "connectfour:small: red, black" in output("play", "connectfour:small", stdin="drop(5)\nquit\n")


@pytest.mark.parametrize("option", ["--scramble", "--separate"])
def test_a_match_of_a_variant_is_recorded_and_goes_on(option: str, tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    name, players = "connectfour:columns=5,rows=4", ["--players", "legal,random", "--seed", "1"]
    assert output("match", name, *players, option, "--record", str(path)).startswith(f"{name}: red legal")
    assert verify(read_record(path)).is_true
    path.write_bytes(b"\n".join(path.read_bytes().split(b"\n")[:20]) + b"\n")
    assert output("match", "--resume", str(path)).startswith(f"{name}: red legal")
    record = read_record(path)
    assert record.started.game == name
    assert verify(record).is_true


def test_a_newcomer_is_asked_again_where_a_wish_cannot_be(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter(["connectfour:columns=99", "connectfour:smal", "connectfour:small"])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    assert choose_game() == "connectfour:small"
    assert "columns of connectfour must be" in capsys.readouterr().out
