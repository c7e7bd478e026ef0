"""The folder of a player's file -> modules that the file can import while it runs.

What it imports from there is forgotten afterwards: it stays with the file, and the next player that asks for a module
of the same name gets its own, be it of another folder or a copy of this one.
"""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

__all__ = ["importing_from"]

KEPT = ("gamemaster",)
"""Packages of which there must never be two, wherever they are."""

INSTALLED = "site-packages"
"""What is installed belongs to everybody: modules from such a folder stay."""

_lock = threading.RLock()  # the path and the modules are the whole process's


@contextmanager
def importing_from(folder: Path) -> Iterator[None]:
    """Let modules in a folder be imported for the length of the block."""
    place = folder.resolve()
    with _lock:
        before = set(sys.modules)
        sys.path.insert(0, str(place))
        importlib.invalidate_caches()
        try:
            yield
        finally:
            if str(place) in sys.path:
                sys.path.remove(str(place))
            _forget(set(sys.modules) - before, place)


def _forget(names: set[str], folder: Path) -> None:
    """Drop those of the modules that came from a folder, and what is inside of them."""
    if INSTALLED in folder.parts:
        return
    tops = {name.partition(".")[0] for name in names} - set(KEPT)
    beside = {top for top in tops if top in names and _is_in(sys.modules[top], folder)}
    for name in names:
        if name.partition(".")[0] in beside:
            del sys.modules[name]


def _is_in(module: ModuleType, folder: Path) -> bool:
    """Whether a module is a file in a folder, or a package there."""
    file = getattr(module, "__file__", None)
    if isinstance(file, str):
        path = Path(file)
        home = path.parent.parent if path.stem == "__init__" else path.parent
        return home == folder
    return any(Path(place).parent == folder for place in getattr(module, "__path__", ()))
