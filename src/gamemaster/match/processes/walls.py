"""A process -> three: a guardian outside, the first process of a world of its own, and the player in it.

The player has its own processes, files, network, message queues and users: it sees no other process, nothing of the
files but its view (see `view.py`), no network, and has no rights. The first process of a world takes in orphans; with
it the whole world ends, and nothing inside can end it. It ends with the guardian, and the guardian with the manager.
Root becomes somebody without a name first; anybody else needs the right to user namespaces. No step is left out: where
the system does not allow one, NotIsolated says which.
"""

from __future__ import annotations

import contextlib
import errno
import os
import random
import select
import signal
import stat
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NoReturn

from gamemaster.errors import NotIsolated
from gamemaster.match.processes import linux
from gamemaster.match.processes.guardian import leave, let_go_of_pipes
from gamemaster.match.processes.view import View, check_readable

__all__ = ["raise_walls"]

INSIDE = 1000
"""The number of the only user inside, where it stands for somebody else outside."""

FIRST_SPARE, SPARE = 61184, 4336
"""The numbers of users that systems leave to programs which want one for a while."""

MEGABYTE = 2**20
TEMPORARY, SHARED_MEMORY, CACHES = 128 * MEGABYTE, 64 * MEGABYTE, 256 * MEGABYTE
"""How much a player may write to /tmp, to /dev/shm, and to its own copies of the caches: it is memory."""

COPIED = 64 * MEGABYTE
"""How large the files of a player may be that are copied."""

MOST_FILES = 20_000
DEVICES = ("null", "zero", "full", "random", "urandom")
PLAIN = linux.MOUNT_NO_SUID | linux.MOUNT_NO_DEVICES
FIRST_TO_KILL = 1000
"""How much sooner than others the system may end a player when memory runs out: before anybody else."""


def raise_walls(view: View) -> None:
    """Go on as a player behind walls. To be called before there are threads; no other process returns from it."""
    is_root = _is_root()
    if is_root:
        check_readable()
    user, group = os.geteuid(), os.getegid()
    linux.unshare(linux.NAMESPACES | (0 if is_root else linux.NEW_USER))
    if not is_root:
        _map_user(user, group)
    is_guarded, guards = os.pipe()
    ended, ends = os.pipe()
    first = os.fork()
    if first:
        os.close(ends)  # but not `guards`: its end tells that the guardian is gone
        _guard(first, ended)
    os.close(guards)
    os.close(ended)
    _settle(view, is_root=is_root, is_guarded=is_guarded)
    on_interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)  # the only one that Python has not left alone
    player = os.fork()
    if player:
        _reap(player, ends)
    signal.signal(signal.SIGINT, on_interrupt)
    os.close(ends)
    os.close(is_guarded)
    os.setsid()
    linux.ask_process(linux.DUMPABLE, 1, otherwise="a player cannot be debugged by itself")


def _is_root() -> bool:
    """Whether this is root, and there are other users to become: some containers have nobody else."""
    if os.geteuid() != 0:
        return False
    for line in Path("/proc/self/uid_map").read_text().splitlines():
        first, _, count = map(int, line.split())
        if first <= FIRST_SPARE and first + count >= FIRST_SPARE + SPARE:
            return True
    return False


def _map_user(user: int, group: int) -> None:
    """Let the user who started this be the only one inside."""
    try:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{INSIDE} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{INSIDE} {group} 1")
    except OSError as error:
        raise NotIsolated(f"a user namespace cannot be used: {error.strerror}", error.errno or 0) from None


# Outside


def _guard(first: int, ended: int) -> NoReturn:
    """Wait for the end of a world, and end as its player did; asked to end, end the world before."""
    signal.signal(signal.SIGTERM, lambda *_: os.kill(first, signal.SIGKILL))
    let_go_of_pipes()
    status = os.waitstatus_to_exitcode(os.waitpid(first, 0)[1])
    told = os.read(ended, 16)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    leave(int(told) if told else status)


# Inside


def _settle(view: View, *, is_root: bool, is_guarded: int) -> None:
    """Make this the first process of a world: what there is to see, and no rights to anything else."""
    with contextlib.suppress(OSError):  # where it may not, others are as likely to be ended
        Path("/proc/self/oom_score_adj").write_text(str(FIRST_TO_KILL))
    try:
        _build(view)
        linux.refuse_rights()
        if is_root:
            _become_somebody()
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        raise NotIsolated(
            f"its files cannot be laid out: {error.strerror}{where}", error.errno or 0
        ) from None
    linux.drop_rights()
    linux.ask_process(linux.DUMPABLE, 0, otherwise="a process cannot be closed to others")
    linux.die_with_parent()
    if select.select([is_guarded], [], [], 0)[0]:
        os._exit(1)  # the guardian has ended before it could be asked to take us along
    linux.deny_calls()


def _become_somebody() -> None:
    user = FIRST_SPARE + random.SystemRandom().randrange(SPARE)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def _reap(player: int, ends: int) -> NoReturn:
    """Take in orphans until the player ends, and then let the whole world end."""
    let_go_of_pipes()
    while True:
        pid, status = os.wait()
        if pid == player:
            os.write(ends, str(os.waitstatus_to_exitcode(status)).encode())
            os._exit(0)


# Files. Until the new root is the root it is the working directory, and paths in it begin with a dot.


def _build(view: View) -> None:
    """Lay out what there is to see, and let go of everything else."""
    linux.protect()
    trees = {path: linux.clone_tree(path, linux.READ_ONLY) for path in view.shown}
    caches = {path: linux.clone_tree(path, linux.READ_ONLY) for path in view.private}
    devices = {f"/dev/{name}": linux.clone_tree(f"/dev/{name}", linux.USABLE) for name in DEVICES}
    masked = _masked(view)
    files = {path: Path(path).read_bytes() for path in view.copied}
    os.umask(0o022)
    _begin_root()
    for path, tree in (*trees.items(), *devices.items()):
        _put(path, tree)
    _copy(files)
    _link(view.links)
    _add_caches(caches)
    for path in masked:
        _mask(path)
    os.makedirs("." + view.folder, exist_ok=True)
    linux.pivot_root()
    os.chdir(view.folder)


def _masked(view: View) -> list[str]:
    """Under which names what is hidden would be seen; a folder comes before what is in it."""
    found = []
    for path in view.shown:
        real = os.path.realpath(path)
        for hidden in map(os.path.realpath, view.hidden):
            if (hidden + "/").startswith(real.rstrip("/") + "/"):
                found.append(path + hidden[len(real.rstrip("/")) :])
    return sorted(found)


def _mask(path: str) -> None:
    """Let a file or a folder be empty; what is gone, or in a folder that is empty now, need not be."""
    target = "." + path
    if os.path.isdir(target):
        flags = PLAIN | linux.MOUNT_READ_ONLY | linux.MOUNT_NO_EXEC
        linux.mount("tmpfs", target, "mode=555,size=4096", flags)
    elif os.path.lexists(target):
        linux.move_tree(linux.clone_tree("/dev/null", linux.USABLE), target)


def _begin_root() -> None:
    base = tempfile.gettempdir()
    linux.mount("tmpfs", base, f"mode=755,size={COPIED}", PLAIN)
    os.chdir(base)
    for place, size in (("./tmp", TEMPORARY), ("./dev/shm", SHARED_MEMORY)):
        os.makedirs(place)
        linux.mount("tmpfs", place, f"mode=1777,size={size},nr_inodes={MOST_FILES}", PLAIN)
    os.symlink("/proc/self/fd", "./dev/fd")
    os.mkdir("./proc")
    try:
        linux.mount("proc", "./proc", flags=PLAIN | linux.MOUNT_READ_ONLY | linux.MOUNT_NO_EXEC)
    except NotIsolated as error:
        if (
            error.number != errno.EPERM
        ):  # a container that hides parts of it allows no other one: then there is none
            raise


def _put(path: str, tree: int) -> None:
    """Show a tree under its name."""
    target = "." + path
    if not os.path.exists(target):
        is_folder = stat.S_ISDIR(os.fstat(tree).st_mode)
        os.makedirs(target if is_folder else os.path.dirname(target), exist_ok=True)
        if not is_folder:
            Path(target).touch()
    linux.move_tree(tree, target)


def _copy(files: Mapping[str, bytes]) -> None:
    for path, content in files.items():
        target = Path("." + path)
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


def _link(links: Iterable[tuple[str, str]]) -> None:
    for path, leads_to in links:
        target = Path("." + path)
        if not os.path.lexists(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(leads_to)


def _add_caches(caches: Mapping[str, int]) -> None:
    """Show each cache with a layer above it, which takes what the player writes."""
    os.mkdir("./caches")
    linux.mount("tmpfs", "./caches", f"mode=755,size={CACHES},nr_inodes={MOST_FILES}", PLAIN)
    for number, (path, tree) in enumerate(caches.items()):
        place = f"./caches/{number}"
        for layer in ("lower", "upper", "work"):
            os.makedirs(f"{place}/{layer}")
        linux.move_tree(tree, f"{place}/lower")
        _copy_folders(f"{place}/lower", f"{place}/upper")
        os.makedirs("." + path, exist_ok=True)
        _layer(place, "." + path)
    linux.unmount("./caches")
    os.rmdir("./caches")


def _layer(place: str, target: str) -> None:
    """Mount the layers; where the system cannot, what is below alone: then nothing can be written."""
    options = f"lowerdir={place}/lower,upperdir={place}/upper,workdir={place}/work,userxattr"
    try:
        linux.mount("overlay", target, options, PLAIN)
    except NotIsolated:
        linux.move_tree(linux.clone_tree(f"{place}/lower", linux.READ_ONLY), target)


def _copy_folders(below: str, above: str) -> None:
    """Make the same folders in the upper layer: they are open to the player, whoever it is."""
    os.chmod(above, 0o777)
    for folder, names, _ in os.walk(below):
        for name in names:
            made = os.path.join(above, os.path.relpath(folder, below), name)
            os.mkdir(made)
            os.chmod(made, 0o777)
