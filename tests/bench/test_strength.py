"""Matches of two processes (bench/strength.py): what is asked over pipes, who has lost, which games, and commits."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import strength
import strength_game
from commits import ROOT, UnknownCommit, apart, full_hash
from strength_chart import draw_shares
from strength_game import NotForTwo, Table, Terms, check_game, opening
from strength_openspiel import OpenSpielSeat
from strength_player import Clock, PlayerSeat, serve
from strength_sides import Declined, Failed, Side, Who, opponent, title_of, who_is

import gamemaster as gm
from gamemaster.load import source_of

TERMS = Terms(0.01, 0.01, restarts=False, opening=2, seed=0)
PLAYERS = Path(__file__).with_name("players.py")


def asked(seat: Any, *questions: dict[str, Any]) -> list[dict[str, Any]]:
    """What a seat answers."""
    answers = io.StringIO()
    serve(seat, map(json.dumps, questions), answers)
    return [json.loads(line) for line in answers.getvalue().splitlines()]


def loading(game: str, player: str) -> dict[str, Any]:
    source = source_of(game)
    notation = gm.load(game).sheet.notation
    told = {"game": game, "rules": source.text, "notation": notation, "player": player}
    return {"ask": "load", **told, "seconds": 0.01, "seed": 1}


def starting(role: str, *, anew: bool = False) -> dict[str, Any]:
    return {"ask": "start", "role": role, "startclock": 0.01, "seed": 1, "anew": anew}


def thinking(state: gm.State) -> dict[str, Any]:
    facts = list(map(str, state.ordered_facts))
    return {"ask": "think", "role": state.chooser, "facts": facts, "step": state.step}


# The far end of the pipes


def test_a_player_is_told_states_as_text_and_says_what_its_move_took() -> None:
    state = gm.load("tictactoe").initial_state()
    loaded, started, move = asked(PlayerSeat(), loading("tictactoe", "legal"), starting("x"), thinking(state))
    assert loaded["source"] == gm.__file__
    assert started["seconds"] >= 0
    assert move["move"] == str(state.legal_moves("x")[0])
    assert move["seconds"] >= 0 <= move["idle"]


def test_a_player_is_kept_for_each_role_unless_it_is_to_begin_anew() -> None:
    seat = PlayerSeat()
    asked(seat, loading("tictactoe", "random"), starting("x"), starting("o"))
    first = dict(seat.players)
    asked(seat, starting("x"))
    assert seat.players == first
    asked(seat, starting("x", anew=True))
    assert seat.players["x"] is not first["x"]
    assert seat.players["o"] is first["o"]


def test_a_player_that_refuses_a_game_says_why() -> None:
    _, refused = asked(PlayerSeat(), loading("tictactoe", "maximizer"), starting("x"))
    assert "maximizer" in refused["refused"]


def test_a_file_without_a_player_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "plain.py"
    path.write_text("def play(moves):\n    return 'nothing'\n")
    _, refused = asked(PlayerSeat(), loading("tictactoe", str(path)), starting("x"))
    assert refused["refused"] == "it is no Player, so it cannot be told how long to think"


def test_whatever_goes_wrong_is_told_and_the_next_question_answered() -> None:
    failed, loaded = asked(PlayerSeat(), {"ask": "dance"}, loading("tictactoe", "legal"))
    assert failed["failed"].startswith("KeyError")
    assert "machine" in loaded


def test_the_time_on_the_wall_grows_as_the_core_is_busy() -> None:
    clock = Clock()
    assert clock.on_wall(2.0) == 2.0
    clock.wall, clock.used = 4.0, 2.0
    assert clock.on_wall(2.0) == 4.0
    clock.used = 0.0
    assert clock.on_wall(2.0) == pytest.approx(20.0)


def test_who_had_too_much_time_has_less_afterwards_and_who_had_too_little_has_more() -> None:
    clock = Clock()
    clock.charge(1.0, 0.75, in_time=True)
    assert clock.for_move(1.0) == 1.0
    clock.charge(1.0, 0.75, in_time=False)
    assert clock.for_move(1.0) == 1.25
    clock.charge(1.0, 1.5, in_time=False)
    assert clock.for_move(1.0) == 0.75
    clock.charge(1.0, 9.0, in_time=True)
    assert clock.for_move(1.0) == 0.5


def test_openspiel_follows_the_moves_and_plays_a_legal_one() -> None:
    pytest.importorskip("pyspiel")
    state = gm.load("tictactoe").initial_state().next("mark(2,2)")
    told = {"moves": ["mark(2,2)"], "legal": list(map(str, state.legal_moves("o")))}
    load = {"ask": "load", "game": "tictactoe", "seconds": 0.001, "seed": 1}
    *_, move = asked(OpenSpielSeat(), load, {"ask": "start"}, {"ask": "think", **told})
    assert move["move"] in told["legal"]
    assert move["simulations"] > 0


# A table, with sides that are no processes


class FakeSide:
    """Makes the first legal move, but for what it is told to do in some step."""

    made: list[FakeSide] = []

    def __init__(self, who: Who, core: int) -> None:
        self.who, self.core = who, core
        self.starts = list[tuple[str, bool]]()
        self.is_closed = False
        self.made.append(self)

    def load(self, *told: Any) -> None:
        pass

    def start(self, role: str, startclock: float, seed: int, *, anew: bool) -> None:
        self.starts.append((role, anew))
        if self.who.player == "refusing":
            raise Declined("not mine")
        if self.who.player == "broken":
            raise Failed("broken")

    def ask(self, what: str, patience: float, **told: Any) -> dict[str, Any]:
        if self.who.player == "failing":
            raise Failed("division by zero")
        move = "nothing" if self.who.player == "cheating" else told["legal"][0]
        return {"move": move, "seconds": 0.5, "idle": 0.25}

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture(name="sides")
def fake_sides(monkeypatch: pytest.MonkeyPatch) -> list[FakeSide]:
    monkeypatch.setattr(strength_game, "Side", FakeSide)
    monkeypatch.setattr(FakeSide, "made", [])
    monkeypatch.setattr(strength_game, "_is_decided", lambda state: False)  # which takes kernels
    return FakeSide.made


def table(player: str, against: str, terms: Terms = TERMS, game: str = "tictactoe") -> Table:
    return Table(game, game, (who_is(player), who_is(against)), terms, 0)


def test_sides_are_swapped_and_stay_for_all_games(sides: list[FakeSide]) -> None:
    with closing(table("first", "second")) as held:
        games = [held.play(number) for number in range(4)]
    assert [side.who.player for side in sides] == ["first", "second"]
    assert [role for role, _ in sides[0].starts] == ["x", "o", "x", "o"]
    assert [role for role, _ in sides[1].starts] == ["o", "x", "o", "x"]
    assert all(side.is_closed for side in sides)
    assert games[0].points == 1 - games[1].points  # the same opening, and both play alike
    assert games[0].seconds == (0.75 * games[0].moves[0], 0.75 * games[0].moves[1])


def test_players_begin_anew_in_each_game_where_that_is_asked(sides: list[FakeSide]) -> None:
    table("first", "second", Terms(0.01, 0.01, restarts=True, opening=2, seed=0)).play(0)
    assert sides[0].starts == [("x", True)]


@pytest.mark.parametrize(
    ("player", "against", "points", "fault"),
    [
        ("failing", "well", 0.0, "failing at step 2: division by zero"),
        ("well", "failing", 1.0, "failing at step 3: division by zero"),
        ("broken", "well", 0.0, "broken before the first move: broken"),
        ("cheating", "well", 0.0, "cheating at step 2: nothing is not a legal move"),
    ],
)
def test_who_crashes_or_cheats_loses_the_game_and_has_another_process_in_the_next(
    sides: list[FakeSide], player: str, against: str, points: float, fault: str
) -> None:
    held = table(player, against)
    game = held.play(0)
    assert (game.points, game.fault) == (points, fault)
    assert held.play(2).points == points
    bad = [side for side in sides if side.who.player != "well"]
    assert len(bad) == 2
    assert bad[0].is_closed


def test_a_player_that_refuses_ends_the_match(sides: list[FakeSide]) -> None:
    with pytest.raises(Declined, match="refusing cannot play tictactoe: not mine"):
        table("well", "refusing").play(0)


def test_a_game_without_end_is_a_draw(sides: list[FakeSide], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strength_game, "MOST_STEPS", 4)
    assert table("first", "second").play(0).points == 0.5


# Games and openings


@pytest.mark.parametrize(
    ("game", "why"),
    [
        ("pig", "chance"),
        ("phantom", "hides its state"),
        ("threehouses", "3 roles"),
        ("eightpuzzle", "1 roles"),
        ("pennies", "at once"),
        ("tron", "at once"),
    ],
)
def test_only_games_of_two_who_take_turns_are_played(game: str, why: str) -> None:
    with pytest.raises(NotForTwo, match=why):
        check_game(gm.load(game))


def test_an_opening_that_turns_out_to_be_simultaneous_is_refused() -> None:
    with pytest.raises(NotForTwo, match="both choose at once in step 0"):
        opening(gm.load("tron"), 2, "1")


def test_openings_are_random_and_the_same_for_a_seed() -> None:
    game = gm.load("tictactoe", machine="reference")  # on which none is looked at whether it is decided
    drawn = [opening(game, 3, str(seed)) for seed in range(6)]
    assert all(each.state.step == 3 == len(each.moves) for each in drawn)
    assert len({each.state for each in drawn}) > 3
    assert opening(game, 3, "2").state == drawn[2].state
    state = game.initial_state()
    for move in drawn[0].moves:
        state = state.next(move)
    assert state == drawn[0].state


def test_openings_are_never_over() -> None:
    game = gm.load("tictactoe", machine="reference")
    assert not any(opening(game, 8, str(seed)).state.is_over for seed in range(30))


def test_openings_that_are_decided_are_drawn_again_but_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at, game = list[gm.State](), gm.load("tictactoe", machine="reference")

    def is_decided(state: gm.State) -> bool:
        looked_at.append(state)
        return len(looked_at) != 3

    monkeypatch.setattr(strength_game, "_is_decided", is_decided)
    assert opening(game, 3, "1").state == looked_at[-1]
    assert len(looked_at) == 3
    assert opening(game, 3, "1").state == looked_at[-1]
    assert len(looked_at) == 3 + strength_game.TRIES


@pytest.mark.slow
def test_a_moment_of_alpha_beta_decides_small_games_and_no_large_ones() -> None:
    assert strength_game._is_decided(gm.load("tictactoe").initial_state())
    assert not strength_game._is_decided(gm.load("breakthrough").initial_state())


# Commits


def repository() -> bool:
    command = ["git", "-C", str(ROOT), "rev-parse"]
    return shutil.which("git") is not None and not subprocess.run(command, capture_output=True).returncode


in_repository = pytest.mark.skipif(not repository(), reason="the sources are no git repository")


@in_repository
def test_a_commit_is_written_apart_and_cleaned_up() -> None:
    with apart("HEAD") as folder:
        assert (folder / "src" / "gamemaster" / "load.py").is_file()
        assert not (folder / ".git").exists()
    assert not folder.exists()


@in_repository
def test_a_commit_that_is_kept_is_written_once(tmp_path: Path) -> None:
    with apart("HEAD", tmp_path / "commits") as folder:
        (folder / "mark").touch()
    with apart(full_hash("HEAD"), tmp_path / "commits") as again:
        assert again == folder
        assert (again / "mark").exists()
    assert [path.name for path in (tmp_path / "commits").iterdir()] == [full_hash("HEAD")[:12]]


@in_repository
def test_a_commit_is_called_by_its_hash() -> None:
    head = full_hash("HEAD")
    assert title_of("commit:HEAD", "mcts(exploration=1)") == f"commit:{head}:mcts(exploration=1)"
    assert title_of("commit:HEAD:legal", "mcts") == f"commit:{head}:legal"
    assert title_of("mcts", "egghead") == "mcts"


@pytest.mark.parametrize("revision", ["nosuchcommit", "--all", ""])
def test_a_commit_that_is_none_is_told(revision: str) -> None:
    with pytest.raises(UnknownCommit, match="git log"):
        full_hash(revision)


@in_repository
@pytest.mark.slow
def test_a_player_of_a_commit_runs_with_its_source() -> None:
    with opponent("commit:HEAD:legal", "random") as who:
        with closing(Side(who, strength.last_core())) as side:
            source = source_of("tictactoe")
            found = side.load("tictactoe", source.text, "epilog", 0.01, 1)
        assert Path(found["source"]).is_relative_to(who.source)
        assert not who.source.is_relative_to(ROOT)


# The near end of the pipes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "fault"),
    [("Crashing", "ZeroDivisionError: in its second move"), ("Dying", "ended with 3: last words")],
)
def test_a_process_that_fails_loses_and_the_match_goes_on(name: str, fault: str) -> None:
    terms = Terms(0.01, 0.01, restarts=True, opening=0, seed=0)
    with closing(table(f"{PLAYERS}:{name}", "legal", terms)) as held:
        games = [held.play(0), held.play(1)]
    assert [game.points for game in games] == [0.0, 0.0]
    assert all(fault in game.fault for game in games)


def test_a_process_that_says_nothing_has_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "silent.py"
    script.write_text("import sys\nsys.stdin.read()\n")
    monkeypatch.setattr("strength_sides.SCRIPT", script)
    with closing(Side(who_is("legal"), 0)) as side, pytest.raises(Failed, match="has not answered in 0 s"):
        side.ask("think", 0.05)


def test_a_process_that_ended_has_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "ending.py"
    script.write_text("raise SystemExit(5)\n")
    monkeypatch.setattr("strength_sides.SCRIPT", script)
    with closing(Side(who_is("legal"), 0)) as side:
        for _ in range(2):
            with pytest.raises(Failed, match="ended with 5"):
                side.ask("think", 60.0)


# What is printed


@pytest.fixture(name="printed")
def json_of_a_run(
    sides: list[FakeSide], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> list[dict[str, Any]]:
    chart, journal = str(tmp_path / "chart.svg"), str(tmp_path / "games.jsonl")
    options = ["--against", "legal", "--player", "random", "--games", "4", "--opening", "2", "--json"]
    strength.main([*options, "--chart", chart, "--journal", journal, "tictactoe", "pig", "nim"])
    output = capsys.readouterr()
    assert "pig: chance has a part in it" in output.err
    assert ElementTree.parse(chart).getroot().tag.endswith("svg")
    assert len(Path(journal).read_text().splitlines()) == 8
    return [json.loads(line) for line in output.out.splitlines()]


def test_results_are_json_a_line_for_each_game_and_all(printed: list[dict[str, Any]]) -> None:
    assert [row["game"] for row in printed] == ["tictactoe", "nim", "all"]
    assert printed[-1]["games"] == 8
    assert printed[-1]["share"] == pytest.approx((printed[0]["share"] + printed[1]["share"]) / 2)
    assert all(row["low"] <= row["share"] <= row["high"] for row in printed)


def test_hashes_are_shown_short() -> None:
    assert strength.shown(f"commit:{'0a' * 20}:mcts") == "commit:0a0a0a0a0a:mcts"
    assert strength.shown("mcts(exploration=1)") == "mcts(exploration=1)"


def test_a_chart_has_a_line_for_each_row(printed: list[dict[str, Any]]) -> None:
    root = ElementTree.fromstring(draw_shares("a < b", printed))
    assert sum(each.tag.endswith("circle") for each in root.iter()) == 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--against", "commit:nosuch", "tictactoe"], "no commit 'nosuch'"),
        (["--against", "egghad", "tictactoe"], "no player"),
        (["--against", "mcts", "tictactoo"], "no game"),
        (["--against", "openspiel", "kono"], "kono has no peer in OpenSpiel"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_played(
    options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        strength.main(options)
    assert words in capsys.readouterr().err


def test_a_process_sees_its_own_source_and_caches(tmp_path: Path) -> None:
    seen = Who("commit:1:legal", "legal", tmp_path / "src", tmp_path / "caches").environment
    assert seen["PYTHONPATH"] == str(tmp_path / "src")
    assert seen["GAMEMASTER_CACHE"] == str(tmp_path / "caches" / "gamemaster")
    assert seen["OMP_NUM_THREADS"] == "1"
    assert who_is("legal").environment.get("GAMEMASTER_CACHE") == os.environ.get("GAMEMASTER_CACHE")


@pytest.mark.parametrize(
    ("option", "value", "what"),
    [
        ("--games", "0", "'0' is not a whole number from 2 on"),
        ("--games", "1", "'1' is not a whole number from 2 on"),
        ("--games", "2.5", "'2.5' is not a whole number from 2 on"),
        ("--least", "-1", "'-1' is not a whole number from 0 on"),
        ("--opening", "-4", "'-4' is not a whole number from 0 on"),
        ("--verify", "0", "'0' is not a whole number from 1 on"),
        ("--seconds", "nan", "'nan' is not a number above 0"),
        ("--seconds", "-1", "'-1' is not a number above 0"),
        ("--seconds", "0", "'0' is not a number above 0"),
        ("--seconds", "soon", "'soon' is not a number above 0"),
        ("--startclock", "nan", "'nan' is not a number from 0 on"),
        ("--startclock", "inf", "'inf' is not a number from 0 on"),
        ("--elo", "0", "'0' is not a number above 0"),
        ("--core", "99999", "'99999' is no core of this process"),
    ],
)
def test_numbers_that_cannot_be_are_refused_before_anything_is_played(
    option: str, value: str, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        strength.main(["--against", "mcts", option, value, "tictactoe"])
    assert f"argument {option}: {what}" in capsys.readouterr().err


def test_numbers_at_the_edge_are_taken() -> None:
    options = strength.arguments().parse_args(
        ["--games", "2", "--least", "0", "--seconds", "1e-3", "--startclock", "0"]
    )
    assert (options.games, options.least, options.seconds, options.startclock) == (2, 0, 0.001, 0.0)
