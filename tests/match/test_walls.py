"""A player behind walls, however hostile, harms nobody but itself, learns nothing, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import platform
import secrets
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import gamemaster
from gamemaster.codegen.cache import Cache
from gamemaster.errors import NotIsolated
from gamemaster.load import load, parse
from gamemaster.machine.game import Game
from gamemaster.match.drawing import drawn_move
from gamemaster.match.events import Ended, Fault
from gamemaster.match.manager import conduct, run_match
from gamemaster.match.processes import linux, walls
from gamemaster.match.processes import view as view_module
from gamemaster.match.processes.guardian import guard
from gamemaster.match.processes.order import Order, ProcessLimits
from gamemaster.match.processes.view import check_readable, files_open_for_writing, view_for
from gamemaster.match.records.record import RecordWriter
from gamemaster.match.settings import Settings
from gamemaster.match.transports.child_process import ChildProcess, player_process
from gamemaster.players.simple import Random
from tests.match import misbehaving as bad

HOSTILE = Path(__file__).parent / "hostile_player.py"
CLOCKS = Settings(start_clock=60.0, play_clock=60.0, ping_clock=60.0, seed=7)
NO_WALLS = ProcessLimits(has_walls=False)


@pytest.fixture(scope="module")
def game() -> Game:
    return load("tictactoe")


@pytest.fixture
def secret(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Something that only the manager knows: in its memory, its environment, and a file that it writes."""
    value = f"secret-{secrets.token_hex(16)}"
    monkeypatch.setenv("GM_TEST_SECRET", value)
    return value


@pytest.fixture(autouse=True)
def _nothing_is_left(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / "kept").write_text("kept")
    monkeypatch.setenv("GAMEMASTER_CACHE", str(cache))
    yield
    assert (cache / "kept").read_text() == "kept"
    assert not (cache / "poison").exists()
    assert not bad.wait_for_end(
        lambda: bad.processes_with(bad.SLEEP) + bad.processes_with(str(tmp_path)), 10.0
    )


def hostile(tmp_path: Path, attack: str) -> Path:
    folder = tmp_path / "player"
    folder.mkdir(exist_ok=True)
    path = folder / f"hostile_{attack}.py"
    path.write_text(HOSTILE.read_text().replace("98765", bad.SLEEP))
    return path


def attacked(
    game: Game, player: Path, limits: ProcessLimits | None = None, settings: Settings = CLOCKS
) -> list[Fault]:
    """The faults of a match against a good player, who has none; all others are recorded as its enemy's."""
    heard = bad.Faults()
    players = {"x": bad.in_process(Random(seed=1)), "o": player_process(str(player), 1, limits)}
    asyncio.run(conduct(game, players, settings, listeners=[heard]))
    ended = heard.events[-1]
    assert isinstance(ended, Ended)
    assert (ended.how, ended.errors["x"]) == ("completed", 0)
    assert ended.errors["o"] > 0
    assert {fault.role for fault in heard.all} == {"o"}
    return heard.all


ATTACKS = ["reads", "kills", "sees", "writes", "connects", "multiplies", "fills", "stays", "asks"]


@pytest.mark.walls
@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_gets_nothing(game: Game, tmp_path: Path, secret: str, attack: str) -> None:
    player = hostile(tmp_path, attack)
    with Listening(player.parent) as reached, (player.parent / "record.jsonl").open("w") as record:
        record.write(secret)
        record.flush()
        faults = attacked(game, player)
        assert not reached()
    assert {fault.detail for fault in faults if fault.is_error} == {f"got nothing out of {attack}"}
    assert {fault.kind for fault in faults if fault.is_error} == {"malformed"}


@pytest.mark.parametrize("attack", ["reads", "sees", "connects", "writes"])
def test_the_same_attack_gets_something_where_there_are_no_walls(
    game: Game, tmp_path: Path, secret: str, attack: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise that it gets nothing would mean nothing."""
    monkeypatch.chdir(tmp_path)
    player = hostile(tmp_path, attack)
    if attack == "writes":
        player.write_text("def play(moves): return open(__file__, 'a').write('#') and 'got something'")
    with Listening(player.parent):
        faults = attacked(game, player, NO_WALLS)
    assert all(fault.detail.startswith("got ") for fault in faults if fault.is_error)
    assert not any("got nothing" in fault.detail for fault in faults)


class Listening:
    """Sockets of the manager's machine; called, whether anybody has come to one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __enter__(self) -> Listening:
        self.stream, self.datagrams = socket.socket(), socket.socket(type=socket.SOCK_DGRAM)
        self.abstract, self.named = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
        self.stream.bind(("127.0.0.1", 0))
        port = self.stream.getsockname()[1]
        self.datagrams.bind(("127.0.0.1", port))
        self.abstract.bind(f"\0hostile-{port}")
        path = self.folder / "named"
        self.named.bind(str(path))
        for each in (self.stream, self.abstract, self.named):
            each.listen()
        address = {"port": port, "abstract": f"@hostile-{port}", "path": str(path)}
        (self.folder / "address.json").write_text(json.dumps(address))
        return self

    def __call__(self) -> bool:
        for each in self.all:
            each.setblocking(False)
            try:
                each.recvfrom(1) if each is self.datagrams else each.accept()
            except BlockingIOError:
                continue
            return True
        return False

    def __exit__(self, *_: object) -> None:
        for each in self.all:
            each.close()

    @property
    def all(self) -> tuple[socket.socket, ...]:
        return self.stream, self.datagrams, self.abstract, self.named


@pytest.mark.walls
def test_nothing_that_a_player_writes_is_there_afterwards(game: Game, tmp_path: Path) -> None:
    package = Path(gamemaster.__file__).parent
    player = hostile(tmp_path, "writes")
    text = player.read_text()
    attacked(game, player)
    assert player.read_text() == text
    for place in (
        package,
        package / "search",
        player.parent,
        Path.cwd(),
        Path("/usr"),
        Path("/etc"),
        Path("/"),
    ):
        assert not (place / "poison").exists()
    cached = (package / "search" / "__pycache__").glob("*")  # others may add to it meanwhile
    assert not [path for path in cached if path.name == "poison" or path.read_bytes() == b"poison"]


@pytest.mark.walls
def test_what_a_player_leaves_running_ends_with_it(game: Game, tmp_path: Path) -> None:
    faults = attacked(game, hostile(tmp_path, "leaves"))
    assert faults[0].detail == "the process ended with code 0"


@pytest.mark.walls
@pytest.mark.parametrize("attack", ["forges", "shouts"])
def test_what_a_player_says_counts_only_against_itself(game: Game, tmp_path: Path, attack: str) -> None:
    faults = attacked(game, hostile(tmp_path, attack), settings=Settings(60.0, 20.0, 60.0, seed=7))
    kinds = {fault.kind for fault in faults if fault.is_error}
    assert kinds <= {"malformed", "illegal", "huge", "crashed", "late"}


GUESSING = """
(role seer) (role random)
(init (stage 1))
(<= (legal random (toss ?c)) (coin ?c) (true (stage 1)))
(<= (legal random wait) (true (stage 2)))
(<= (legal seer wait) (true (stage 1)))
(<= (legal seer (guess ?c)) (coin ?c) (true (stage 2)))
(coin heads) (coin tails)
(<= (next (fell ?c)) (does random (toss ?c)))
(<= (next (fell ?c)) (true (fell ?c)))
(<= (next (stage 2)) (true (stage 1)))
(<= (next (guessed ?c)) (does seer (guess ?c)))
(<= (sees seer nothing) (does random (toss ?c)))
(<= terminal (true (guessed ?c)))
(<= (goal seer 100) (true (guessed ?c)) (true (fell ?c)))
(<= (goal seer 0) (true (guessed ?c)) (not (true (fell ?c))))
(<= (goal seer 0) (not terminal))
"""


def wins(tmp_path: Path, limits: ProcessLimits, matches: int) -> int:
    """How often it guesses right where the coin does not fall as it would guess without knowing."""
    game, player, won = parse(GUESSING, name="coin"), hostile(tmp_path, "guesses"), 0
    tosses = game.initial_state().legal_moves("random")
    tails = (
        seed for seed in itertools.count() if str(drawn_move(seed, 0, "random", tosses)) == "toss(tails)"
    )
    for seed in itertools.islice(tails, matches):
        settings, heard = Settings(60.0, 60.0, seed=seed), bad.Faults()
        with RecordWriter(player.parent / f"{seed}.jsonl") as writer:
            players, listeners = {"seer": player}, [writer.write, heard.__call__]
            run_match(game, players, settings, listeners=listeners, is_isolated=True, limits=limits)
        (player.parent / f"{seed}.jsonl").unlink()
        assert not heard.all
        ended = heard.events[-1]
        assert isinstance(ended, Ended)
        won += ended.goals["seer"] == 100
    return won


@pytest.mark.walls
@pytest.mark.slow
def test_a_guess_stays_a_guess(tmp_path: Path) -> None:
    assert wins(tmp_path, ProcessLimits(), 6) == 0
    assert wins(tmp_path, NO_WALLS, 2) == 2


# What is denied

TRIES = """
import ctypes, errno, fcntl, os, platform, socket, sys
from gamemaster.match.processes import linux

SYSTEM = ctypes.CDLL(None, use_errno=True)

def is_denied(call, *arguments):
    number = call[linux.TABLE[platform.machine()]]
    words = [ctypes.c_long(each) for each in (number, *arguments)]
    return SYSTEM.syscall(*words) == -1 and ctypes.get_errno() == errno.EPERM

def play(moves):
    tries = {name: is_denied(call, -1, -1, -1, -1, -1) for name, call in linux.DENIED.items()}
    file = os.open(linux.__file__, os.O_RDONLY)
    tries["lease"] = is_denied(linux.FCNTL_CALL, file, linux.SET_LEASE, fcntl.F_RDLCK)
    tries["notify"] = is_denied(linux.FCNTL_CALL, file, linux.NOTIFY, 1)
    tries["clone"] = is_denied(linux.CLONE_CALL, linux.NEW_USER, 0, 0, 0, 0)
    for family in set(range(64)) - set(linux.FAMILIES):
        tries[f"socket {family}"] = is_denied(linux.SOCKET_CALL, family, 1, 0)
    for family in (socket.AF_UNIX, socket.AF_INET, socket.AF_NETLINK):
        socket.socket(family, socket.SOCK_DGRAM).close()
    assert fcntl.fcntl(file, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
    os.close(file)
    return "allowed: " + ", ".join(name for name, denied in tries.items() if not denied)
"""


@pytest.mark.walls
def test_each_call_of_the_table_is_denied(game: Game, tmp_path: Path) -> None:
    player = tmp_path / "tries.py"
    player.write_text(TRIES)
    assert {fault.detail for fault in attacked(game, player) if fault.is_error} == {"allowed: "}


def decision(machine: str, call: int, *arguments: int) -> int:
    """What the filter decides about a call, as the system would run it."""
    words = (*arguments, *[0] * (6 - len(arguments)))
    data = struct.pack("<IIQ6Q", call, linux.ARCHITECTURE[machine], 0, *words)
    lines, at, value = list(struct.iter_unpack("HBBI", linux._filter(machine))), 0, 0
    while True:
        what, if_so, if_not, operand = lines[at]
        if what == linux.RETURN:
            return int(operand)
        if what == linux.LOAD:
            value, if_so, if_not = struct.unpack_from("<I", data, operand)[0], 0, 0
        holds = {
            linux.JUMP_EQUAL: value == operand,
            linux.JUMP_AT_LEAST: value >= operand,
            linux.JUMP_ANY_BIT: bool(value & operand),
        }.get(what, False)
        at += 1 + (if_so if holds else if_not)


@pytest.mark.parametrize("machine", sorted(linux.TABLE))
def test_the_filter_denies_what_reaches_others_and_nothing_else(machine: str) -> None:
    """Whether the system would deny a call anyway cannot be told from outside the filter."""
    table = linux.TABLE[machine]
    fcntl, sockets, clone = (each[table] for each in (linux.FCNTL_CALL, linux.SOCKET_CALL, linux.CLONE_CALL))
    for numbers in linux.DENIED.values():
        assert decision(machine, numbers[table]) == linux.DENY
    for what in (linux.SET_LEASE, linux.NOTIFY, linux.SET_LEASE + 2**32):
        assert decision(machine, fcntl, 3, what) == linux.DENY
    assert decision(machine, sockets, 40, 1) == linux.DENY
    assert decision(machine, clone, linux.NEW_USER | 17) == linux.DENY
    assert decision(machine, linux.CLONE3) == linux.DENY_AS_UNKNOWN
    allowed = [(fcntl, 3, 3), (clone, 17), *((sockets, family, 1) for family in linux.FAMILIES)]
    assert {decision(machine, *call) for call in allowed} == {linux.ALLOW}


# What is seen


def test_a_player_sees_its_file_and_what_lies_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "player"
    (folder / "games").mkdir(parents=True)
    for name in ("mine.py", "weights.txt", ".key"):
        (folder / name).write_text(name)
    (folder / "link").symlink_to("/etc/passwd")
    os.mkfifo(folder / "pipe")
    view = view_for(str(folder / "mine.py"))
    assert view.copied == (str(folder / "mine.py"),)
    beside = {path for path in view.shown if path.startswith(str(folder))}
    assert beside == {str(folder / "weights.txt"), str(folder / "games")}
    assert (str(folder / "link"), "/etc/passwd") in view.links
    assert "/etc/passwd" not in view.shown


@pytest.mark.parametrize("folder", ["home", ".", "for all"])
def test_of_a_folder_that_is_not_its_own_a_player_sees_its_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    place = tmp_path / folder
    place.mkdir(exist_ok=True)
    if folder == "for all":
        place.chmod(0o1777)
    for name in ("mine.py", "letters.txt"):
        (place / name).write_text(name)
    view = view_for(str(place / "mine.py"))
    assert view.copied == (str(place / "mine.py"),)
    assert not any(path.startswith(str(place)) for path in view.shown)


def test_files_of_parameters_are_seen(tmp_path: Path) -> None:
    path = tmp_path / "lines.py"
    path.write_text("")
    assert view_for(f"alphabeta(depth=2,evaluation={path}:lines)").copied == (str(path),)


def test_what_the_manager_writes_is_hidden(tmp_path: Path) -> None:
    with (tmp_path / "record").open("w"), Path(__file__).open():
        assert str(tmp_path / "record") in files_open_for_writing()
        assert __file__ not in files_open_for_writing()


@pytest.mark.walls
def test_a_record_in_a_folder_beside_the_player_is_hidden(game: Game, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "def play(moves): return open(__file__.replace('mine.py', 'games/1')).read() or 'nothing'"
    )
    (tmp_path / "games").mkdir()
    with (tmp_path / "games" / "1").open("w") as record:
        record.write("secret")
        record.flush()
        assert {fault.detail for fault in attacked(game, path) if fault.is_error} == {"nothing"}


@pytest.mark.walls
def test_a_player_reads_the_caches(game: Game, tmp_path: Path) -> None:
    Cache().write("made", b"something made before")
    path = tmp_path / "mine.py"
    path.write_text(
        "from gamemaster.codegen.cache import Cache\ndef play(moves): return str(Cache().read('made'))"
    )
    assert {fault.detail for fault in attacked(game, path) if fault.is_error} == {"b'something made before'"}


PRIES = """
import os, socket
HERE = os.path.dirname(__file__)

def tried(name, attempt):
    try:
        return f"{name} " if attempt(os.path.join(HERE, name)) else ""
    except OSError:
        return ""

def connected(path):
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(path)
    return True

def play(moves):
    got = [tried(name, lambda path: open(path).read()) for name in FILES]
    got += [tried("data/sock", connected)]
    got += [tried("recs", os.listdir)]
    return "got " + "".join(got)
"""


@pytest.mark.walls
def test_a_player_gets_nothing_private_out_of_folders_beside_it(game: Game, tmp_path: Path) -> None:
    folder = tmp_path / "player"
    files = [
        "data/deep/.env",
        "data/.git/config",
        "data/old",
        "recs/1.jsonl",
        "recs/2.jsonl",
        "top",
        "data/weights",
    ]
    player = folder / "pries.py"
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        is_record = name in ("data/old", "recs/1.jsonl", "top")
        (folder / name).write_text('{"event":"started","time":0.0,"seed":7}\n' if is_record else "text")
    (folder / "recs" / "2.jsonl").write_text("")
    os.mkfifo(folder / "data" / "pipe")
    player.write_text(f"FILES = {files}\n" + PRIES)
    with (folder / "recs" / "2.jsonl").open("w"), socket.socket(socket.AF_UNIX) as line:
        line.bind(str(folder / "data" / "sock"))
        line.listen()
        view = view_for(str(player), files_open_for_writing())
        faults = attacked(game, player)
    assert {fault.detail for fault in faults if fault.is_error} == {"got data/weights "}
    private = {"data/deep/.env", "data/.git", "data/old", "data/pipe", "data/sock", "recs", "top"}
    assert {str(folder / name) for name in private} <= set(view.hidden)
    assert str(folder / "data" / "weights") not in view.hidden


def test_too_many_files_beside_a_player_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(view_module, "MOST_BESIDE", 3)
    (tmp_path / "data").mkdir()
    for name in ("mine.py", "data/1", "data/2", "data/3"):
        (tmp_path / name).write_text("")
    with pytest.raises(NotIsolated, match="more than 3 files lie beside it; give it a folder of its own"):
        view_for(str(tmp_path / "mine.py"))


# Where there can be no walls


UNPRIVILEGED = """
from gamemaster.match.processes import linux, walls
from gamemaster.cli import main
linux.refuse_rights()
linux.deny_calls()
main()
"""


@pytest.mark.slow
def test_a_system_that_allows_no_walls_is_told_and_nothing_is_played(tmp_path: Path) -> None:
    """As in a container without privileges, where these calls are denied, too."""
    record = tmp_path / "record.jsonl"
    command = [
        sys.executable,
        "-c",
        UNPRIVILEGED,
        "match",
        "tictactoe",
        "--players",
        "legal",
        "--record",
        str(record),
    ]
    done = subprocess.run([*command, "--isolate"], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert "legal cannot be isolated here: the system gives it no namespaces of its own" in done.stderr
    assert "Operation not permitted; --separate gives" in done.stderr
    assert not record.exists()
    done = subprocess.run([*command, "--separate"], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0


def test_a_process_that_ends_before_it_is_isolated_is_told(game: Game) -> None:
    player = ChildProcess([sys.executable, "-c", ""], "gone", Order())
    with pytest.raises(NotIsolated, match="gone cannot be isolated here: its process ended"):
        asyncio.run(conduct(game, {"x": player, "o": bad.in_process(Random())}, CLOCKS))


def test_who_wants_no_walls_is_not_told_to_do_without(game: Game) -> None:
    player = ChildProcess([sys.executable, "-c", ""], "gone", Order(NO_WALLS))
    with pytest.raises(NotIsolated, match=r"gone cannot have a process of its own here: its process ended\Z"):
        asyncio.run(conduct(game, {"x": player, "o": bad.in_process(Random())}, CLOCKS))


def test_a_system_without_proc_is_told(game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view_module, "OWN_FILES", str(tmp_path / "proc"))
    with pytest.raises(
        NotIsolated, match=r"random cannot be isolated here: .*proc cannot be read: No such file"
    ):
        asyncio.run(conduct(game, {"x": player_process("random"), "o": bad.in_process(Random())}, CLOCKS))


INTERRUPTS = """
import os, time
def play(moves):
    for number in range(1, 65):
        os.kill(1, number)
    told, tells = os.pipe()
    child = os.fork()
    if not child:
        if orphan := os.fork():
            os.write(tells, str(orphan).encode())
        os._exit(0)
    os.waitpid(child, 0)
    orphan = int(os.read(told, 16))
    while os.path.exists(f"/proc/{orphan}"):  # until the first process has taken it in
        time.sleep(0.001)
    return "alive"
"""


@pytest.mark.walls
def test_a_player_cannot_end_the_first_process_of_its_world(game: Game, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(INTERRUPTS)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # where it is ignored, all inherit that
    try:
        assert {fault.detail for fault in attacked(game, path) if fault.is_error} == {"alive"}
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_call_that_fails_is_told_with_what_the_system_says() -> None:
    with pytest.raises(NotIsolated, match="/no/such/place cannot be unmounted: "):
        linux.unmount("/no/such/place")


def test_other_systems_and_processors_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "vax")
    with pytest.raises(NotIsolated, match="it is not known how on this processor, 'vax'"):
        linux.unmount("/no/such/place")
    monkeypatch.setattr(sys, "platform", "plan9")
    with pytest.raises(NotIsolated, match="it needs Linux"):
        linux.die_with_parent()


def test_one_file_calls_the_system() -> None:
    folder = Path(linux.__file__).parent
    assert [path.name for path in folder.rglob("*.py") if "ctypes" in path.read_text()] == ["linux.py"]


def test_a_guardian_does_what_it_can_where_the_system_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "plan9")
    monkeypatch.setattr(os, "fork", lambda: 0)
    monkeypatch.setattr(os, "getppid", os.getpid)
    guard()


def test_what_only_root_can_read_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "python"
    path.touch(0o600)
    monkeypatch.setattr(sys, "executable", str(path))
    with pytest.raises(NotIsolated, match=r"only root can read .*python, and a player is not to be root"):
        check_readable()


def test_a_user_that_cannot_be_mapped_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the user namespace of everybody nobody can be mapped any more."""
    with pytest.raises(NotIsolated, match="a user namespace cannot be used: "):
        walls._map_user(1, 1)
