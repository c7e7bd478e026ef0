"""The installed package -> a wheel of it, for whoever wants the same on a machine of their own.

It is made of the files that run here, so it fits this site to the byte; made of itself again, it is the same file.
"""

from __future__ import annotations

import base64
import hashlib
import io
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from gamemaster.errors import NotInstalled
from gamemaster.web.documents import INSIDE, PACKAGE, attachments, document_names, documents_folder

__all__ = ["Wheel", "built_wheel"]

NAME = "gamemaster"
THEN = (1980, 1, 1, 0, 0, 0)
"""When every file in it was made: the same files are the same wheel."""

LEFT_OUT = ("__pycache__", INSIDE)
TOLD = "entry_points.txt"
NEEDS = ("Requires-Dist:", "Provides-Extra:")
WHEEL = "Wheel-Version: 1.0\nGenerator: gamemaster\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel: its file name, its bytes, and the hash that pip checks them by."""

    name: str
    content: bytes
    sha256: str


def built_wheel() -> Wheel:
    """The wheel of the package that runs; NotInstalled where it runs without being installed."""
    try:
        known = metadata.distribution(NAME)
    except metadata.PackageNotFoundError:
        raise NotInstalled("this site runs from bare sources, of which no wheel can be made") from None
    stem = f"{NAME}-{known.version}"
    files = {**dict(_package_files()), **dict(_told(known, f"{stem}.dist-info"))}
    record = f"{stem}.dist-info/RECORD"
    lines = [f"{path},sha256={_digest(content)},{len(content)}" for path, content in files.items()]
    files[record] = "\n".join([*lines, f"{record},,", ""]).encode()
    content = _zipped(files)
    return Wheel(f"{stem}-py3-none-any.whl", content, hashlib.sha256(content).hexdigest())


def _package_files() -> Iterator[tuple[str, bytes]]:
    """What the package is made of, by path, and its documents inside it."""
    for path in sorted(PACKAGE.rglob("*")):
        inner = path.relative_to(PACKAGE)
        if path.is_file() and not set(inner.parts) & set(LEFT_OUT) and path.suffix != ".pyc":
            yield f"{NAME}/{inner.as_posix()}", path.read_bytes()
    folder = documents_folder()
    written = [folder / f"{name}.md" for name in sorted({*document_names(), "gallery"})]
    for path in [*(each for each in written if each.is_file()), *attachments().values()]:
        yield f"{NAME}/{INSIDE}/{path.relative_to(folder).as_posix()}", path.read_bytes()


def _told(known: metadata.Distribution, folder: str) -> Iterator[tuple[str, bytes]]:
    """What an installer reads."""
    yield f"{folder}/METADATA", _metadata(known).encode()
    yield f"{folder}/{TOLD}", (known.read_text(TOLD) or "").encode()
    yield f"{folder}/WHEEL", WHEEL.encode()
    licences = [each for each in known.files or () if ".dist-info/licenses/" in each.as_posix()]
    for each in licences:
        inner = each.as_posix().partition(".dist-info/")[2]
        yield f"{folder}/{inner}", Path(str(each.locate())).read_bytes()


def _metadata(known: metadata.Distribution) -> str:
    """What was written when it was installed; from sources, with what they need by now, which may be more."""
    written = known.read_text("METADATA") or ""
    project = PACKAGE.parent.parent / "pyproject.toml"
    if (
        not project.is_file()
        or (said := tomllib.loads(project.read_text()).get("project", {})).get("name") != NAME
    ):
        return written
    head, gap, description = written.partition("\n\n")
    kept = [line for line in head.splitlines() if not line.startswith(NEEDS)]
    return "\n".join([*kept, *_needs(said)]) + gap + description


def _needs(said: dict[str, Any]) -> Iterator[str]:
    """What a project needs, as an installer reads it."""
    for each in said.get("dependencies", ()):
        yield f"Requires-Dist: {each}"
    for extra, needed in said.get("optional-dependencies", {}).items():
        yield f"Provides-Extra: {extra}"
        for each in needed:
            yield f"Requires-Dist: {each}; extra == '{extra}'"


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def _zipped(files: dict[str, bytes]) -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, THEN)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return kept.getvalue()
