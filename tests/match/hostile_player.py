"""A player file that attacks whoever runs it, and says in its move what it got. No test itself.

Tests copy it under the name of the attack, `hostile_reads.py` for one. It never makes a legal move, except in the
guessing game. Attacks that would end other processes begin only where it sees that it is alone.
"""

import contextlib
import ctypes
import itertools
import json
import os
import re
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

NAME = Path(__file__).stem.removeprefix("hostile_")
ADDRESS: dict[str, Any] = {}
with contextlib.suppress(OSError):
    ADDRESS = json.loads((Path(__file__).parent / "address.json").read_text())

SECRET = re.compile(rb"secret-[0-9a-f]{32}")
TOSS = re.compile(rb"toss\((heads|tails)\)")
LARGEST = 2**20


def is_alone() -> bool:
    return os.getppid() == 1 and os.getpid() == 2


def pids() -> list[int]:
    """The others that it sees; where it is not alone only the manager and the guardian: no test harms anybody else."""
    if is_alone():
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
    status = Path(f"/proc/{os.getppid()}/status").read_text()
    return [os.getppid(), int(status.partition("PPid:")[2].split()[0])]


def content(path: str | Path) -> bytes:
    with contextlib.suppress(OSError):
        if stat.S_ISREG(os.stat(path).st_mode):
            with open(path, "rb") as file:
                return file.read(LARGEST)
    return b""


def files_around() -> Iterator[str | Path]:
    """Whatever lies where something could lie, and all that other processes have open."""
    here = [
        Path(__file__).parent,
        Path.cwd(),
        Path.home(),
        Path("/tmp"),
        Path(os.environ["GAMEMASTER_CACHE"]),
    ]
    for place in [*here, *(path for folder in here for path in folder.parents)]:
        with contextlib.suppress(OSError):
            yield from (path for path in place.iterdir() if path.is_file())
    for pid in pids():
        with contextlib.suppress(OSError):
            yield from (f"/proc/{pid}/fd/{name}" for name in os.listdir(f"/proc/{pid}/fd"))


def memory_of(pid: int) -> Iterator[bytes]:
    with contextlib.suppress(OSError, ValueError), open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            first, last = (int(word, 16) for word in line.split()[0].split("-"))
            if "rw-p" in line and last - first < 2**28:
                with contextlib.suppress(OSError, ValueError):
                    memory.seek(first)
                    yield memory.read(last - first)


def everything() -> Iterator[bytes]:
    yield b"\n".join(f"{name}={value}".encode() for name, value in os.environ.items())
    for pid in pids():
        yield content(f"/proc/{pid}/cmdline") + content(f"/proc/{pid}/environ")
    for path in files_around():
        yield content(path)
    for pid in pids():
        yield from memory_of(pid)


# Attacks: each returns what it got, nothing at best.


def reads() -> list[Any]:
    return list(itertools.islice((found for text in everything() for found in SECRET.findall(text)), 1))


def kills() -> list[Any]:
    if not is_alone():
        return ["not alone"]
    for pid in [*pids(), os.getppid(), 1, -1]:
        with contextlib.suppress(OSError):
            os.kill(pid, 9)
    return [pid for pid in pids() if pid != 1]


def sees() -> list[Any]:
    return [pid for pid in pids() if pid != os.getppid()]


def writes() -> list[Any]:
    import gamemaster

    package = Path(gamemaster.__file__).parent
    places = [
        package,
        package / "search",
        Path(__file__).parent,
        Path.cwd(),
        Path("/usr"),
        Path("/etc"),
        Path("/"),
    ]
    got = []
    for place in [*places, Path(sys.prefix), Path.home(), package / "search" / "__pycache__"]:
        with contextlib.suppress(OSError):
            (place / "poison").write_text("poison")
            got.append(str(place))
    cache = Path(os.environ["GAMEMASTER_CACHE"])
    for path in [
        *cache.iterdir(),
        cache / "poison",
        *(package / "search" / "__pycache__").iterdir(),
        Path(__file__),
    ]:
        with contextlib.suppress(OSError):
            os.remove(path)
        with contextlib.suppress(OSError):
            path.write_text("poison")
    # A cache looks writable, and so does what lies in /tmp, but whether it is, only the test can see.
    return [place for place in got if not place.endswith("__pycache__") and not place.startswith("/tmp/")]


def connects() -> list[Any]:
    got = []
    kinds = [(socket.AF_INET, socket.SOCK_STREAM), (socket.AF_INET, socket.SOCK_DGRAM)]
    for family, kind in kinds:
        with contextlib.suppress(OSError), socket.socket(family, kind) as client:
            client.connect(("127.0.0.1", ADDRESS["port"]))
            client.send(b"hello")
            got.append("network")
    for path in (ADDRESS["abstract"], ADDRESS["path"]):
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as client:
            client.connect(path.replace("@", "\0"))
            got.append(path)
    return got


def multiplies() -> list[Any]:
    if not is_alone():
        return ["not alone"]
    count = 0
    with contextlib.suppress(OSError):
        while count < 5_000:
            if os.fork() == 0:
                time.sleep(98765)
            count += 1
    return [f"{count} processes"] if count >= 5_000 else []


def fills() -> list[Any]:
    if not is_alone():
        return ["not alone"]
    if Path("/tmp/fill0").exists():
        return []  # once is enough
    written = 0
    for place in ("/tmp", "/dev/shm", os.environ["GAMEMASTER_CACHE"], str(Path(__file__).parent), "/var/tmp"):
        for number in range(20):
            with contextlib.suppress(OSError), open(f"{place}/fill{number}", "wb", 0) as file:
                while written < 2**32:
                    written += file.write(bytes(2**20))
    return [f"{written} bytes"] if written > 2**30 else []


def stays() -> list[Any]:
    if not is_alone():
        return ["not alone"]
    subprocess.Popen(["sleep", "98765"], start_new_session=True, env={})
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execve("/bin/sleep", ["sleep", "98765"], {})
        os._exit(0)
    for pid in (os.getppid(), 1):
        with contextlib.suppress(OSError):
            os.kill(pid, 9)
    return []


def leaves() -> list[Any]:
    stays()
    os._exit(0)


def asks() -> list[Any]:
    """Calls of the system that make more of a process than it should be."""
    if not is_alone():
        return ["not alone"]
    library = ctypes.CDLL(None)
    page = ctypes.create_string_buffer(64)
    attempts: dict[str, Callable[[], int]] = {
        "ptrace": lambda: library.ptrace(16, os.getppid(), 0, 0),
        "user namespace": lambda: library.unshare(0x10000000),
        "mount namespace": lambda: library.unshare(0x20000),
        "mount": lambda: library.mount(b"none", b"/tmp", b"tmpfs", 0, None),
        "remount": lambda: library.mount(b"none", b"/usr", None, 32 | 4096, None),
        "unmount": lambda: library.umount2(b"/proc", 2),
        "chroot": lambda: library.chroot(b"/tmp"),
        "keys": lambda: library.syscall(250 if os.uname().machine == "x86_64" else 219, 0, -3, 0),
        "root": lambda: library.setuid(0),
        "host name": lambda: library.sethostname(b"mine", 4),
        "memory": lambda: library.process_vm_readv(os.getppid(), page, 0, page, 0, 0),
    }
    return [name for name, attempt in attempts.items() if attempt() >= 0]


def forges() -> list[Any]:
    """Replies to messages that were not sent yet, faults, and noise, on every line that is open."""
    for descriptor in range(64):
        for number in range(20):
            line = json.dumps({"number": number, "role": "x", "value": "mark(3,3)"})
            with contextlib.suppress(OSError):
                os.write(descriptor, f'{line}\n{{"number": null, "fault": "stuck"}}\n\x1b[2J\n'.encode())
    return []


def shouts() -> list[Any]:
    for descriptor in (1, 2, 3, 4):
        for _ in range(64):
            with contextlib.suppress(OSError):
                os.write(descriptor, b"x" * 2**16)
    return []


def start(role: str, rules: Any, startclock: float, playclock: float) -> str:
    return "ready"


def play(moves: Any) -> str:
    if NAME == "guesses":
        return guess()
    got = globals()[NAME]()
    return f"got nothing out of {NAME}" if not got else f"got {got}"


turn = 0


def guess() -> str:
    global turn
    turn += 1
    if turn == 1:
        return "wait"
    for text in everything():
        found = TOSS.findall(text)
        if found:
            return f"guess({found[-1].decode()})"
    return "guess(heads)"
