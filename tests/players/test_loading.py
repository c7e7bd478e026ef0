"""Players by name and from files: what works, and that errors name the line of the file."""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import gamemaster
from gamemaster.errors import PlayerError, UnknownPlayer, Unsuitable
from gamemaster.players.loading import FilePlayer, check_player, find_player, make_player
from gamemaster.players.simple import Legal, Random
from gamemaster.search.budget import Budget
from gamemaster.search.result import SearchResult

TICTACTOE = gamemaster.load("tictactoe", machine="reference")

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A function that writes a player's file and gives its path."""

    def write_file(text: str) -> Path:
        path = tmp_path / "my_player.py"
        path.write_text(text)
        return path

    return write_file


def made(path: Path) -> FilePlayer:
    player = find_player(path)(seed=1)
    assert isinstance(player, FilePlayer)
    return player


def test_a_library_name_is_a_factory() -> None:
    assert find_player("legal") is Legal
    assert isinstance(find_player("random")(seed=3), Random)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("minimx", "no player or player file 'minimx'; did you mean minimax"),
        (
            "Zorro",
            "no player or player file 'Zorro'; there are egghead, mcts, mcs, random, legal and others: ",
        ),
        ("nobody", "no player or player file 'nobody'; there are egghead, "),
        ("eghead", "no player or player file 'eghead'; did you mean egghead?"),
        ("nowhere/my_player.py", "no player or player file 'nowhere/my_player.py'"),
        ("x" * 5000, "no player or player file 'xxx"),
        ("nul\0", "no player or player file"),
    ],
)
def test_an_unknown_name_is_refused(name: str, text: str) -> None:
    with pytest.raises(UnknownPlayer, match=re.escape(text)):
        find_player(name)


def test_a_folder_is_no_player(tmp_path: Path) -> None:
    with pytest.raises(UnknownPlayer):
        find_player(tmp_path)


def test_play_is_all_that_a_file_needs(write: Write) -> None:
    player = made(write("def play(move):\n    return 'mark(2,2)'\n"))
    assert player.ping() == "ready"
    assert player.start("x", TICTACTOE, 1, 1) == "ready"
    assert player.play(None) == "mark(2,2)"
    assert player.stop(None) is False
    assert player.abort() is False
    assert player.player is None
    assert player.last_result is None
    player.tell_legal([])


def test_all_handlers_of_a_file_are_called(write: Write) -> None:
    text = "calls = []\n"
    for handler in ("ping", "start", "play", "stop", "abort", "tell_legal"):
        text += (
            f"def {handler}(*given):\n    calls.append(('{handler}', *given))\n    return 'said {handler}'\n"
        )
    player = made(write(text))
    assert player.ping() == "said ping"
    assert player.start("x", "rules", 1, 2) == "said start"
    assert player.play("a") == "said play"
    assert player.stop("b") == "said stop"
    assert player.abort() == "said abort"
    player.tell_legal([])
    assert player.handlers.calls == [
        ("ping",),
        ("start", "x", "rules", 1, 2),
        ("play", "a"),
        ("stop", "b"),
        ("abort",),
        ("tell_legal", []),
    ]


def test_a_class_with_play_is_a_player(write: Write) -> None:
    path = write("class Mine:\n    def play(self, move):\n        return 'mark(1,1)'\n")
    assert made(path).play(None) == "mark(1,1)"


def test_a_player_subclass_gets_its_seed_and_says_why(write: Write) -> None:
    path = write(
        "from gamemaster import Player\n"
        "from gamemaster.search.result import SearchResult\n"
        "class Base(Player):\n"
        "    def choose(self, state):\n"
        "        move = self.generator.choice(state.legal_moves(self.role))\n"
        "        self.last_result = SearchResult('mine', self.role, move, 1.0)\n"
        "        return move\n"
        "class Mine(Base):\n"
        "    pass\n"
    )
    replies = set()
    for _ in range(2):
        player = made(path)
        assert type(player.handlers).__name__ == "Mine", "the last of a line of classes"
        assert player.player is player.handlers
        player.start("x", TICTACTOE, 1, 1)
        replies.add(player.play(None))
        assert isinstance(player.last_result, SearchResult)
    assert len(replies) == 1


def test_a_class_that_takes_no_seed_gets_none(write: Write) -> None:
    path = write(
        "from gamemaster import Player\n"
        "class Mine(Player):\n"
        "    def __init__(self, depth=7):\n"
        "        super().__init__()\n"
        "        self.depth = depth\n"
        "    def choose(self, state): ...\n"
    )
    assert made(path).handlers.depth == 7


def test_two_players_of_a_file_share_nothing(write: Write) -> None:
    path = write("seen = []\ndef play(move):\n    seen.append(move)\n    return len(seen)\n")
    factory = find_player(path)
    one, two = factory(), factory()
    assert [one.play("a"), one.play("b"), two.play("c")] == [1, 2, 1]


def test_a_dataclass_in_a_file_works(write: Write) -> None:
    path = write(
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n"
        "@dataclass\nclass Note:\n    text: str\n"
        "def play(move):\n    return Note('mark(1,1)').text\n"
    )
    assert made(path).play(None) == "mark(1,1)"


def test_a_file_that_changes_is_read_again(write: Write) -> None:
    assert made(write("def play(move):\n    return 'a'\n")).play(None) == "a"
    assert made(write("def play(move):\n    return 'b'\n")).play(None) == "b"


def test_modules_go_with_their_players(write: Write) -> None:
    def modules() -> set[str]:
        return {name for name in sys.modules if name.startswith("gamemaster_player_")}

    gc.collect()
    before = modules()
    player = made(write("def play(move):\n    return 'a'\n"))
    gc.collect()
    assert len(modules() - before) == 1
    del player
    gc.collect()
    assert modules() <= before


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("def play(move)\n    return 1\n", r":1: SyntaxError: "),
        ("\n\n1 / 0\n", r":3: ZeroDivisionError: division by zero$"),
        ("import nowhere_to_be_found\n", r":1: ModuleNotFoundError: No module named 'nowhere_to_be_found'$"),
        ("import sys\nsys.exit(3)\n", r":2: SystemExit: 3$"),
        (
            "x = 1\n",
            r": there is no function play, and no class with one: docs/write-a-player.md begins with one$",
        ),
        (
            "def Play(m): ...\n",
            r": there is no function play, .*; Play in line 1 may be meant: call it play$",
        ),
        ("\ndef choose(state): ...\n", r": .*; choose in line 2 belongs into a class that is a Player$"),
        (
            "class Mine:\n    def choose(self, state): ...\n",
            r": .* class Mine has no play and is no Player: write class Mine\(Player\), with from gamemaster import",
        ),
        (
            "from gamemaster import Player\nclass Mine(Player):\n    def chose(self, state): ...\n",
            r": class Mine has no choose; chose in line 3 may be meant: call it choose$",
        ),
        (
            "from gamemaster import Player\nclass Mine(Player):\n    def chooseFrom(self, legal): ...\n",
            r": class Mine has no choose; chooseFrom in line 3 may be meant: call it choose_from$",
        ),
        ("from gamemaster import Player\nclass Mine(Player): ...\n", r": class Mine has no choose$"),
        ("class Note: ...\n", r": there is no function play, and class Note has no play$"),
        ("raise ValueError\n", r":1: ValueError$"),
        ("\x00", r"(:1)?: (SyntaxError|ValueError): .*null bytes"),
        (
            "class A:\n    def play(self, m): ...\nclass B:\n    def play(self, m): ...\n",
            r": one class with play is a player, but there are several: A, B; name the one you mean: my_player.py:B$",
        ),
        (
            "class A:\n    def __init__(self):\n        self.x = y\n    def play(self, m): ...\n",
            r":3: NameError: name 'y' is not defined",
        ),
        ("from gamemaster import Player\n", r": there is no function play, and no class with one: "),
    ],
)
def test_a_broken_file_is_a_player_error_with_its_line(write: Write, text: str, where: str) -> None:
    path = write(text)
    with pytest.raises(PlayerError, match="^" + re.escape(str(path)) + where):
        find_player(path)


def test_one_of_several_classes_is_named_behind_the_file(write: Write) -> None:
    path = write(
        "from gamemaster import Player\n"
        "class A(Player):\n    def choose(self, state): return 'mark(1,1)'\n"
        "class B(Player):\n"
        "    def __init__(self, column=1):\n        super().__init__()\n        self.column = column\n"
        "    def choose(self, state): return f'mark(2,{self.column})'\n"
        "class Note: ...\n"
    )
    for name, move in [(":A", "mark(1,1)"), (":B", "mark(2,1)"), (":B(column=3)", "mark(2,3)")]:
        player = make_player(f"{path}{name}", seed=1)
        player.start("x", TICTACTOE, 1, 1)
        assert player.play(None) == move
        check_player(f"{path}{name}")
    with pytest.raises(PlayerError, match=r"my_player\.py: there is no class 'C'; there are: A, B, Note$"):
        find_player(f"{path}:C")
    with pytest.raises(PlayerError, match=r"my_player\.py: class Note has no play$"):
        find_player(f"{path}:Note")
    with pytest.raises(UnknownPlayer, match="no player or player file"):
        check_player(f"{path.parent}/nowhere.py:A")


def test_a_file_runs_once_for_each_player(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(
        "print('running')\nclass P:\n    def __init__(self): print('made')\n    def play(self, m): ...\n"
    )
    make_player(path, seed=1)
    assert capsys.readouterr().out.split() == ["running", "made"]
    factory = find_player(path)
    assert capsys.readouterr().out.split() == ["running", "made"]
    first = factory()
    assert capsys.readouterr().out == ""
    assert factory() is not first
    assert capsys.readouterr().out.split() == ["running", "made"]


@pytest.mark.parametrize("method", ["choose(self, state)", "choose_from(self, legal)"])
def test_a_player_that_forgets_to_return_its_move_is_told_so(write: Write, method: str) -> None:
    path = write(
        f"from gamemaster import Player\nclass Mine(Player):\n    def {method}:\n        'mark(1,1)'\n"
    )
    player = made(path)
    player.start("x", TICTACTOE, 1, 1)
    name = method.partition("(")[0]
    words = f"{path}: {name} in line 3 of Mine gives None instead of a move: is a return missing?"
    with pytest.raises(PlayerError, match="^" + re.escape(words)):
        player.play(None)


def test_a_crash_names_the_innermost_line_of_the_file(write: Write) -> None:
    path = write(
        "import json\n"
        "def play(move):\n"
        "    return inner(move)\n"
        "def inner(move):\n"
        "    return json.loads('{')\n"
        "def start(role, rules, startclock, playclock):\n"
        "    return rules.wrong\n"
    )
    player = made(path)
    with pytest.raises(PlayerError, match=re.escape(f"{path}:5: JSONDecodeError: ")) as caught:
        player.play(None)
    assert caught.value.__cause__ is not None, "the traceback is kept for whoever wants it"
    with pytest.raises(PlayerError, match=re.escape(f"{path}:7: AttributeError: ")):
        player.start("x", TICTACTOE, 1, 1)


def test_a_handler_with_the_wrong_arguments_is_named_by_its_own_line(write: Write) -> None:
    path = write("\ndef play():\n    return 1\n")
    with pytest.raises(PlayerError, match=re.escape(f"{path}:2: TypeError: ")):
        made(path).play(None)


def test_an_error_that_comes_from_elsewhere_has_no_line(write: Write) -> None:
    player = made(write("from json import loads as play\n"))
    with pytest.raises(PlayerError, match=r"my_player\.py: JSONDecodeError: "):
        player.play("{")


def test_a_refusal_stays_a_refusal(write: Write) -> None:
    path = write(
        "from gamemaster import Unsuitable\n"
        "def start(*given):\n    raise Unsuitable('not this one')\n"
        "def play(move): ...\n"
    )
    with pytest.raises(Unsuitable, match="not this one"):
        made(path).start("x", TICTACTOE, 1, 1)


# What a file must not get away with


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("class Gone(BaseException): ...\ndef play(move):\n    raise Gone('away')\n", r":3: Gone: away$"),
        ("def play(move):\n    raise GeneratorExit\n", r":2: GeneratorExit$"),
        (
            "class Odd(Exception):\n    def __str__(self): return 1 / 0\ndef play(move):\n    raise Odd\n",
            r":4: Odd$",
        ),
        ("class P:\n    @property\n    def play(self): return 1 / 0\n", r": there is no function play"),
    ],
)
def test_whatever_a_file_raises_is_a_player_error(write: Write, text: str, where: str) -> None:
    path = write(text)
    with pytest.raises(PlayerError, match="^" + re.escape(str(path)) + where):
        made(path).play(None)


def test_an_unusual_end_of_a_file_is_a_player_error_too(write: Write) -> None:
    path = write("class Gone(BaseException): ...\nraise Gone('away')\n")
    with pytest.raises(PlayerError, match=re.escape(f"{path}:2: Gone: away")):
        find_player(path)


def test_an_interrupt_is_not_the_files_fault(write: Write) -> None:
    player = made(write("def play(move):\n    raise KeyboardInterrupt\n"))
    with pytest.raises(KeyboardInterrupt):
        player.play(None)


def test_a_class_that_does_not_tell_its_arguments_is_a_player(write: Write) -> None:
    player = made(write("class P(dict):\n    def play(self, move): return 'mark(1,1)'\n"))
    assert player.play(None) == "mark(1,1)"


def test_a_handler_that_cannot_be_looked_up_is_named_by_its_line(write: Write) -> None:
    path = write(
        "class P:\n    def play(self, move): ...\n    @property\n    def last_result(self):\n        return 1 / 0\n"
    )
    with pytest.raises(PlayerError, match=re.escape(f"{path}:5: ZeroDivisionError: ")):
        _ = made(path).last_result


def test_only_a_player_can_think_about_any_state(write: Write) -> None:
    books = made(write("def play(move): ...\n"))
    with pytest.raises(PlayerError, match=r"my_player\.py: a file with books of its own cannot think"):
        books.think(TICTACTOE.initial_state(), Budget())


# Modules beside a file


def test_a_module_beside_a_file_can_be_imported(write: Write, tmp_path: Path) -> None:
    (tmp_path / "opening_book.py").write_text("FIRST = 'mark(2,2)'\n")
    assert (
        made(write("import opening_book\ndef play(move): return opening_book.FIRST\n")).play(None)
        == "mark(2,2)"
    )
    assert "opening_book" not in sys.modules
    assert str(tmp_path) not in sys.path


def test_players_of_two_folders_get_modules_of_their_own(tmp_path: Path) -> None:
    players = []
    for name in ("one", "two"):
        (tmp_path / name / "book").mkdir(parents=True)
        (tmp_path / name / "book" / "__init__.py").write_text("from book.first import FIRST\n")
        (tmp_path / name / "book" / "first.py").write_text(f"FIRST = {name!r}\n")
        (tmp_path / name / "p.py").write_text("from book import FIRST\ndef play(move): return FIRST\n")
        players.append(made(tmp_path / name / "p.py"))
    assert [player.play(None) for player in players] == ["one", "two"]
    assert not [name for name in sys.modules if name.partition(".")[0] == "book"]


def test_two_players_of_a_file_share_no_module_beside_it(write: Write, tmp_path: Path) -> None:
    (tmp_path / "tally_of_moves.py").write_text("count = 0\n")
    path = write(
        "import tally_of_moves\n"
        "def play(move):\n    tally_of_moves.count += 1\n    return str(tally_of_moves.count)\n"
    )
    one, other = made(path), made(path)
    assert [one.play(None), one.play(None), other.play(None)] == ["1", "2", "1"]


def test_the_library_stays_the_same_for_a_file_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gamemaster.players.folder_imports.KEPT", ("kept_package",))
    for name in ("kept_package", "own_package"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "inner.py").write_text("")
    (tmp_path / "p.py").write_text("import kept_package.inner, own_package.inner\ndef play(move): ...\n")
    made(tmp_path / "p.py")
    assert "kept_package.inner" in sys.modules
    assert "own_package.inner" not in sys.modules
    for name in ("kept_package", "kept_package.inner"):
        del sys.modules[name]


def test_a_mistake_in_a_module_beside_a_file_is_named(write: Write, tmp_path: Path) -> None:
    (tmp_path / "wrong_book.py").write_text("x = = 1\n")
    path = write("\nimport wrong_book\n")
    with pytest.raises(
        PlayerError, match=re.escape(f"{path}:2: SyntaxError: ") + r".*\(wrong_book\.py, line 1\)"
    ):
        find_player(path)
    assert "wrong_book" not in sys.modules


def test_a_player_can_be_checked_without_running_it(write: Write, tmp_path: Path) -> None:
    check_player("random")
    check_player(write("raise SystemExit(3)"))
    with pytest.raises(UnknownPlayer, match="no player or player file"):
        check_player(tmp_path / "nobody.py")
