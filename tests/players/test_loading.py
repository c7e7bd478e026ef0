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
from gamemaster.players.loading import FilePlayer, find_player
from gamemaster.players.simple import Legal, Random
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
        ("Zorro", "no player or player file 'Zorro'; `gamemaster players` lists the library"),
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
        ("x = 1\n", r": there is no function play, and no class with one$"),
        ("raise ValueError\n", r":1: ValueError$"),
        ("\x00", r"(:1)?: (SyntaxError|ValueError): .*null bytes"),
        (
            "class A:\n    def play(self, m): ...\nclass B:\n    def play(self, m): ...\n",
            r": one class with play is a player, but there are several: A, B$",
        ),
        (
            "class A:\n    def __init__(self):\n        self.x = y\n    def play(self, m): ...\n",
            r":3: NameError: name 'y' is not defined",
        ),
        ("from gamemaster import Player\n", r": there is no function play, and no class with one$"),
    ],
)
def test_a_broken_file_is_a_player_error_with_its_line(write: Write, text: str, where: str) -> None:
    path = write(text)
    with pytest.raises(PlayerError, match="^" + re.escape(str(path)) + where):
        find_player(path)


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
