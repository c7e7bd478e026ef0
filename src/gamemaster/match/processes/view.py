"""What a player behind walls can see of the files: Python, this package, its own file and what lies beside it.

All of it is read-only. Caches of machine code look writable, but what a player writes there is its own, and gone with
it: nobody else ever loads it. A folder that is nobody's in particular is not shown for one file in it: of the home
folder, one above, or one for everybody as /tmp, a player sees its file alone. In what lies beside it, however deep, it
sees no hidden files, pipes and sockets, and no records: seeds and hidden moves are in them.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import gamemaster
from gamemaster.codegen.cache import cache_folder
from gamemaster.errors import NotIsolated

__all__ = ["View", "check_readable", "files_open_for_writing", "view_for"]

SYSTEM = (
    *("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/nix/store", "/gnu/store"),
    *("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime"),
)
"""Where programs and libraries are, as far as a system has these."""

OWN_FILES = "/proc/self/fd"
"""Where Linux lists what a process has open."""

MOST_BESIDE = 100_000
"""How many files are looked at beside a player."""

RECORD = re.compile(rb'\s*\{\s*"event"\s*:\s*"started"')
"""How a record begins."""

KERNELS = ("search",)
"""The folders of this package whose machine code numba keeps beside the source."""


@dataclass(frozen=True, slots=True)
class View:
    """Paths by how they are shown; `folder` is where the player starts."""

    shown: tuple[str, ...]
    copied: tuple[str, ...]
    """Files that are copied, so that nobody but this process has to be allowed to read them."""

    links: tuple[tuple[str, str], ...]
    """Symbolic links, which lead to whatever is shown under the name they point to."""

    private: tuple[str, ...]
    """Folders of which the player gets a copy of its own, as soon as it writes there."""

    hidden: tuple[str, ...]
    """What is not there, wherever it is: files are empty, and so are folders."""

    folder: str


def view_for(player: str, hidden: Sequence[str] = ()) -> View:
    """What a player of the library or of a file sees."""
    files = list(_files_in(player))
    beside = [entry for file in files for entry in _beside(file)]
    links = [_link(path) for path in (*map(Path, SYSTEM), *beside) if _is_plain_link(path)]
    shown = [*SYSTEM, *_python(), *(str(path) for path in beside if _is_shown(path))]
    return View(
        shown=_outermost(path for path in shown if path not in dict(links) and os.path.exists(path)),
        copied=tuple(dict.fromkeys(map(str, files))),
        links=tuple(dict.fromkeys(links)),
        private=tuple(path for path in _caches() if os.path.isdir(path)),
        hidden=tuple(dict.fromkeys([*hidden, *_hidden_beside(beside), *_folders_of_records(hidden)])),
        folder=os.getcwd(),
    )


def files_open_for_writing() -> tuple[str, ...]:
    """The files that this process writes, records among them: no player shall see them. NotIsolated without /proc."""
    import fcntl

    found = set()
    try:
        names = os.listdir(OWN_FILES)
    except OSError as error:
        raise NotIsolated(f"{OWN_FILES} cannot be read: {error.strerror}", error.errno or 0) from None
    for name in names:
        try:
            is_written = fcntl.fcntl(int(name), fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY
            path = os.readlink(f"{OWN_FILES}/{name}")
        except OSError:  # it was closed in between
            continue
        if is_written and os.path.isfile(path):
            found.add(path)
    return tuple(sorted(found))


def check_readable() -> None:
    """NotIsolated where others than root cannot read Python or this package: a player would be one of them."""
    for path in (sys.executable, os.__file__, gamemaster.__file__):
        if not os.stat(path).st_mode & stat.S_IROTH:
            raise NotIsolated(f"only root can read {path}, and a player is not to be root")


# What is needed to play


def _python() -> list[str]:
    package = Path(gamemaster.__file__).parent
    places = [sys.prefix, sys.base_prefix, sys.exec_prefix, str(package), *sys.path]
    absolute = [os.path.abspath(place) for place in places if place]
    found = [place for path in absolute for place in (path, os.path.realpath(path))]
    return [path for path in found if path == str(package) or not _is_everybodys(Path(path))]


def _caches() -> list[str]:
    """Where compiled code is kept: ours, and numba's in the first folder that it can write to."""
    package = Path(gamemaster.__file__).parent
    beside = [package / folder / "__pycache__" for folder in KERNELS]
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "numba"
    named = [Path(folder)] if (folder := os.environ.get("NUMBA_CACHE_DIR")) else []
    places = [cache_folder(), user, *named, *(path for path in beside if os.access(path, os.W_OK))]
    return list(dict.fromkeys(os.path.abspath(path) for path in places))


# What is the player's own


def _files_in(player: str) -> Iterator[Path]:
    """The files that a player's name has in it: itself, or those of its parameters."""
    for word in dict.fromkeys([player, *re.split(r"[(),=:]", player)]):
        if word.strip() and os.path.isfile(word.strip()):
            yield Path(os.path.abspath(word.strip()))


def _beside(file: Path) -> list[Path]:
    """What lies beside a file and is not hidden, where the folder is its own."""
    if _is_everybodys(file.parent):
        return []
    return [path for path in file.parent.iterdir() if not path.name.startswith(".") and path != file]


def _hidden_beside(beside: Iterable[Path]) -> Iterator[str]:
    """What in the files and folders beside a player is none of its business; what Python needs stays."""
    kept = {*_python(), *_caches()}
    todo, seen = [str(path) for path in beside if _is_shown(path)], 0
    while todo:
        path = todo.pop()
        if path in kept:
            continue
        seen += 1
        if seen > MOST_BESIDE:
            raise NotIsolated(f"more than {MOST_BESIDE:,} files lie beside it; give it a folder of its own")
        try:
            if _is_private(path) and not any(place.startswith(path + "/") for place in kept):
                yield path
            elif os.path.isdir(path):
                todo += (entry.path for entry in os.scandir(path) if not entry.is_symlink())
        except OSError:  # who cannot look into it cannot say that it is none
            yield path


def _is_private(path: str) -> bool:
    """Whether it is hidden, neither a file nor a folder, or a record."""
    kind = os.lstat(path).st_mode
    is_plain = stat.S_ISREG(kind) or stat.S_ISDIR(kind)
    return os.path.basename(path).startswith(".") or not is_plain or (stat.S_ISREG(kind) and _is_record(path))


def _is_record(path: str) -> bool:
    with open(path, "rb") as file:
        return RECORD.match(file.read(64)) is not None


def _folders_of_records(written: Iterable[str]) -> Iterator[str]:
    """The folders of records that are being written, where nothing else is in them: others may begin there."""
    for folder in dict.fromkeys(os.path.dirname(path) for path in written if path.endswith(".jsonl")):
        if _has_only_records(folder):
            yield folder


def _has_only_records(folder: str) -> bool:
    try:
        return all(
            entry.is_file() and (not entry.stat().st_size or _is_record(entry.path))
            for entry in os.scandir(folder)
        )
    except OSError:  # something in it cannot be read, or is just gone
        return False


def _is_everybodys(folder: Path) -> bool:
    """Whether a folder holds more than belongs together: the home folder, one above, or one for everybody."""
    place = folder.resolve()
    try:
        is_for_all = bool(place.stat().st_mode & stat.S_ISVTX)
    except OSError:
        return True
    return is_for_all or Path.home().resolve().is_relative_to(place)


def _is_shown(path: Path) -> bool:
    """Files and folders; neither pipes nor sockets, and links only as links: they may lead anywhere."""
    return not path.is_symlink() and (path.is_file() or path.is_dir())


def _is_plain_link(path: Path) -> bool:
    return path.is_symlink() and (path.parts[1:2] != path.parts[1:] or not os.path.isabs(os.readlink(path)))


def _link(path: Path) -> tuple[str, str]:
    return str(path), os.readlink(path)


def _outermost(paths: Iterable[str]) -> tuple[str, ...]:
    """The paths without those that lie in another one, in order."""
    kept: list[str] = []
    for path in sorted(set(paths), key=lambda each: each.rstrip("/") + "/"):
        if not kept or not (path + "/").startswith(kept[-1].rstrip("/") + "/"):
            kept.append(path)
    return tuple(kept)
