"""What a process asks of Linux: namespaces, mounts and rights for walls, and to end with others. Nothing else calls it.

A call that fails is a NotIsolated that names what was asked and what the system said. The calls for mounts are those of
Linux 5.12: a whole tree can be copied, made read-only with all that is mounted in it, and put elsewhere.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from typing import TypeAlias

from gamemaster.errors import NotIsolated

__all__ = [
    "NAMESPACES",
    "NEW_USER",
    "READ_ONLY",
    "USABLE",
    "ask_process",
    "clone_tree",
    "deny_calls",
    "die_with_parent",
    "drop_rights",
    "mount",
    "move_tree",
    "pivot_root",
    "protect",
    "refuse_rights",
    "take_in_orphans",
    "unmount",
    "unshare",
]

NEW_MOUNT, NEW_UTS, NEW_IPC, NEW_USER, NEW_PID, NEW_NET = (
    0x20000,
    0x4000000,
    0x8000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
NEW_CGROUP = 0x2000000
NAMESPACES = NEW_MOUNT | NEW_UTS | NEW_IPC | NEW_PID | NEW_NET

ATTR_READ_ONLY, ATTR_NO_SUID, ATTR_NO_DEVICES = 1, 2, 4
USABLE = ATTR_NO_SUID
READ_ONLY = ATTR_READ_ONLY | ATTR_NO_SUID | ATTR_NO_DEVICES
"""What may be done with what is mounted: devices may be used only where they are all there is."""

MOUNT_READ_ONLY, MOUNT_NO_SUID, MOUNT_NO_DEVICES, MOUNT_NO_EXEC = 1, 2, 4, 8
MOUNT_ALL_PRIVATE = 0x4000 | 0x40000
DETACH = 2

OPEN_TREE, MOVE_MOUNT, MOUNT_SETATTR, CLONE3 = 428, 429, 442, 435
HERE, EMPTY_PATH, RECURSIVE, CLONE, CLOSE_ON_EXEC = -100, 0x1000, 0x8000, 1, 0o2000000
MOVE_FROM_EMPTY_PATH = 4

DEATH_SIGNAL, DUMPABLE, BOUNDING_DROP, SUBREAPER, NO_NEW_RIGHTS, SECCOMP, AMBIENT = 1, 4, 24, 36, 38, 22, 47
AMBIENT_CLEAR_ALL, SECCOMP_FILTER = 4, 2
KILL = 9
CAPABILITIES_VERSION = 0x20080522
MOST_CAPABILITIES = 64

PIVOT_ROOT = {"x86_64": 155, "aarch64": 41, "riscv64": 41}
"""Its number, by processor: those that are known here."""

ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7, "riscv64": 0xC00000F3}
INTEL, GENERIC = 0, 1
TABLE = {"x86_64": INTEL, "aarch64": GENERIC, "riscv64": GENERIC}
"""Which numbers of calls a processor has: Intel's, or those that younger ones share."""

CLONE_CALL, FCNTL_CALL, SOCKET_CALL = (56, 220), (72, 25), (41, 198)
SET_LEASE, NOTIFY = 1024, 1026
"""What fcntl does to other processes: it lets them wait for a file, or tells what they do in a folder."""

FAMILIES = (1, 2, 10, 16)
"""Sockets that end at the walls: local ones, both kinds of Internet, and those to ask the system about them."""

DENIED = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "open_by_handle_at": (304, 265),
    "syslog": (103, 116),
    "inotify_init": (253, 26),  # younger processors have only the next one
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "open_tree": (OPEN_TREE, OPEN_TREE),
    "move_mount": (MOVE_MOUNT, MOVE_MOUNT),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "pidfd_getfd": (438, 438),
    "mount_setattr": (MOUNT_SETATTR, MOUNT_SETATTR),
}
"""Calls that a player has no use for, by their numbers in both tables: they look into others, use up what all users of
a system share, or ask of it what few ever ask."""


def _system() -> ctypes.CDLL:
    """What all processors have."""
    if not sys.platform.startswith("linux"):
        raise NotIsolated(f"it needs Linux, and this is {platform.system() or sys.platform}")
    return ctypes.CDLL(None, use_errno=True)


def _library() -> ctypes.CDLL:
    """What has other numbers or sizes on other processors."""
    library = _system()
    if platform.machine() not in PIVOT_ROOT or ctypes.sizeof(ctypes.c_void_p) != 8:
        raise NotIsolated(f"it is not known how on this processor, {platform.machine()!r}")
    return library


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise NotIsolated(f"{what}: {os.strerror(number)}", number)
    return result


def _call(number: int, *arguments: int | bytes | ctypes.Array[ctypes.c_char]) -> int:
    """A system call by its number; a number among the arguments is a whole word."""
    words = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    return int(_library().syscall(ctypes.c_long(number), *words))


# Namespaces


def unshare(namespaces: int) -> None:
    """Give this process namespaces of its own; that of processes is for its children."""
    where = "a container, AppArmor, or user.max_user_namespaces of sysctl may forbid them"
    _check(_library().unshare(namespaces), f"the system gives it no namespaces of its own ({where})")


# Mounts


def mount(kind: str, target: str, options: str = "", flags: int = 0) -> None:
    """Mount a new file system of that kind."""
    arguments = kind.encode(), os.fsencode(target), kind.encode(), ctypes.c_ulong(flags), options.encode()
    _check(_library().mount(*arguments), f"{kind} cannot be mounted")


def protect() -> None:
    """Let nothing that is mounted from now on be seen outside."""
    _check(
        _library().mount(b"none", b"/", None, ctypes.c_ulong(MOUNT_ALL_PRIVATE), None),
        "mounts cannot be private",
    )


def unmount(target: str) -> None:
    """Take away what is mounted there, as soon as nobody uses it."""
    _check(_library().umount2(os.fsencode(target), DETACH), f"{target} cannot be unmounted")


def clone_tree(path: str, attributes: int) -> int:
    """A copy of the mounts at a path, not mounted anywhere yet, with attributes for all of them: a file descriptor."""
    flags = CLONE | CLOSE_ON_EXEC | RECURSIVE
    tree = _check(_call(OPEN_TREE, HERE, os.fsencode(path), flags), f"{path} cannot be shown")
    settings = ctypes.create_string_buffer(struct.pack("QQQQ", attributes, 0, 0, 0), 32)
    code = _call(MOUNT_SETATTR, tree, b"", EMPTY_PATH | RECURSIVE, settings, 32)
    _check(code, f"{path} cannot be made read-only (Linux 5.12 can)")
    return tree


def move_tree(tree: int, target: str) -> None:
    """Mount a tree, and let go of it."""
    code = _call(MOVE_MOUNT, tree, b"", HERE, os.fsencode(target), MOVE_FROM_EMPTY_PATH)
    _check(code, f"{target} cannot be put in place")
    os.close(tree)


def pivot_root() -> None:
    """Make the working directory, on which something is mounted, the root, and let go of everything else."""
    _check(_call(PIVOT_ROOT[platform.machine()], b".", b"."), "the root cannot be changed")
    unmount(".")
    os.chdir("/")
    settings = ctypes.create_string_buffer(struct.pack("QQQQ", READ_ONLY, 0, 0, 0), 32)
    _check(_call(MOUNT_SETATTR, HERE, b"/", 0, settings, 32), "the root cannot be made read-only")


# Rights


def ask_process(what: int, value: int, *, otherwise: str) -> None:
    """Ask something of the system for this process; see its prctl.h."""
    _check(_system().prctl(what, ctypes.c_ulong(value), *[ctypes.c_ulong(0)] * 3), otherwise)


def die_with_parent() -> None:
    """Be killed when the parent ends."""
    ask_process(DEATH_SIGNAL, KILL, otherwise="a process cannot be tied to its parent")


def take_in_orphans() -> None:
    """Become the parent of all below whose own parent ends."""
    ask_process(SUBREAPER, 1, otherwise="orphans cannot be taken in")


def refuse_rights() -> None:
    """Give up any way to get more rights, however a program is marked that is started."""
    ask_process(NO_NEW_RIGHTS, 1, otherwise="new rights cannot be refused")
    for number in range(MOST_CAPABILITIES):
        if _library().prctl(BOUNDING_DROP, ctypes.c_ulong(number), *[ctypes.c_ulong(0)] * 3) < 0:
            break  # the system has no more of them


def drop_rights() -> None:
    """Give up every right to more than a plain process may do."""
    ask_process(AMBIENT, AMBIENT_CLEAR_ALL, otherwise="rights cannot be dropped")
    head, none = struct.pack("Ii", CAPABILITIES_VERSION, 0), bytes(24)
    _check(_library().capset(head, none), "rights cannot be dropped")


# Calls


def deny_calls() -> None:
    """Deny the calls of DENIED to this process and all that it starts, and whatever else reaches others."""
    program = _filter(platform.machine())
    code = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(code))
    library = _library()
    result = library.prctl(SECCOMP, ctypes.c_ulong(SECCOMP_FILTER), head, *[ctypes.c_ulong(0)] * 2)
    _check(result, "calls of the system cannot be denied")


LOAD, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, DENY, DENY_AS_UNKNOWN, END = 0x7FFF0000, 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS, 0x80000000
CALL_NUMBER, ARCHITECTURE_NUMBER, FIRST_ARGUMENT, SECOND_ARGUMENT = 0, 4, 16, 24
OTHER_NUMBERS = 0x40000000
"""From here on Intel's processors have the same calls once more, under other numbers."""

Line: TypeAlias = tuple[int, int, int, int]
"""What to do, how many lines to skip if so and if not, and a value."""


def _filter(machine: str) -> bytes:
    """The program that decides about each call: eight bytes an instruction, as in the system's filter.h."""
    table = TABLE[machine]
    lines = [
        (LOAD, 0, 0, ARCHITECTURE_NUMBER),
        (JUMP_EQUAL, 1, 0, ARCHITECTURE[machine]),
        (RETURN, 0, 0, END),
        (LOAD, 0, 0, CALL_NUMBER),
        (JUMP_AT_LEAST, 0, 1, OTHER_NUMBERS),
        (RETURN, 0, 0, DENY_AS_UNKNOWN),
        (JUMP_EQUAL, 0, 1, CLONE3),  # its flags cannot be seen from here; whoever cannot have it takes clone
        (RETURN, 0, 0, DENY_AS_UNKNOWN),
        *_if_equal(CLONE_CALL[table], _about_clone()),
        *_if_equal(FCNTL_CALL[table], _about_fcntl()),
        *_if_equal(SOCKET_CALL[table], _about_sockets()),
    ]
    for numbers in DENIED.values():
        lines += _if_equal(numbers[table], [(RETURN, 0, 0, DENY)])
    lines.append((RETURN, 0, 0, ALLOW))
    return b"".join(struct.pack("HBBI", *line) for line in lines)


def _if_equal(value: int, lines: list[Line]) -> list[Line]:
    """Lines, which end with a decision, for one value alone."""
    return [(JUMP_EQUAL, 0, len(lines), value), *lines]


def _about_clone() -> list[Line]:
    """No namespaces."""
    apart = NEW_USER | NAMESPACES | NEW_CGROUP
    deny = [(JUMP_ANY_BIT, 0, 1, apart), (RETURN, 0, 0, DENY)]
    return [(LOAD, 0, 0, FIRST_ARGUMENT), *deny, (RETURN, 0, 0, ALLOW)]


def _about_fcntl() -> list[Line]:
    """Nothing that others feel."""
    deny = [line for what in (SET_LEASE, NOTIFY) for line in _if_equal(what, [(RETURN, 0, 0, DENY)])]
    return [(LOAD, 0, 0, SECOND_ARGUMENT), *deny, (RETURN, 0, 0, ALLOW)]


def _about_sockets() -> list[Line]:
    """None of a family that may lead out, as to the host of a virtual machine."""
    allow = [line for family in FAMILIES for line in _if_equal(family, [(RETURN, 0, 0, ALLOW)])]
    return [(LOAD, 0, 0, FIRST_ARGUMENT), *allow, (RETURN, 0, 0, DENY)]
