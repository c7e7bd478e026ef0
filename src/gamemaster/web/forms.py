"""What a form says -> values, with the mistakes at their fields; what was typed is kept."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request

from gamemaster.web.guard import LARGEST_BODY, check_token
from gamemaster.web.site import site_of

__all__ = ["Typed", "files_in", "typed_in", "uploaded_in"]

LONGEST_FIELD = 2_000


@dataclass
class Typed:
    """What somebody typed, and what is wrong with it, by field."""

    values: Mapping[str, str] = field(default_factory=dict)
    mistakes: dict[str, str] = field(default_factory=dict)

    def text(self, name: str, usual: str = "") -> str:
        """What stands in a field."""
        return self.values.get(name, usual)[:LONGEST_FIELD].strip()

    def flag(self, name: str) -> bool:
        """Whether a box is ticked."""
        return bool(self.values.get(name))

    def seconds(self, name: str, usual: float) -> float:
        """A clock in seconds; nothing, or `none`, is one that never ends."""
        said = self.text(name, f"{usual:g}")
        if said.lower() in ("", "none", "inf", "infinity", "∞"):
            return math.inf
        return self.number(name, usual)

    def number(self, name: str, usual: float) -> float:
        """A number; what is none is a mistake."""
        said = self.text(name, f"{usual:g}") or f"{usual:g}"
        try:
            found = float(said)
        except ValueError:
            found = math.nan
        if not math.isfinite(found):
            self.mistakes[name] = f"{said[:40]!r} is not a number"
            return usual
        return found

    def within(self, name: str, usual: float, least: float, most: float) -> float:
        """A number from one bound to another; what is beyond is a mistake."""
        found = self.number(name, usual)
        if not least <= found <= most:
            self.mistakes[name] = f"from {least:g} to {most:,.16g}"
            return usual
        return found


async def typed_in(request: Request) -> Typed:
    """What a form of ours says; Forbidden where it is not ours."""
    form = await request.form(max_files=0, max_fields=200)
    return _checked(request, form)


async def uploaded_in(request: Request, name: str) -> tuple[Typed, bytes]:
    """The same, and the file in a field of it; nothing where none was chosen. The door bounds how large it is."""
    form = await request.form(max_files=1, max_fields=200, max_part_size=LARGEST_BODY)
    typed = _checked(request, form)
    found = form.get(name)
    return typed, await found.read() if isinstance(found, UploadFile) else b""


async def files_in(request: Request, name: str, most: int) -> tuple[Typed, list[tuple[str, bytes]]]:
    """The same with several files in a field, each with its name."""
    form = await request.form(max_files=most, max_fields=200)
    typed = _checked(request, form)
    found = [each for each in form.getlist(name) if isinstance(each, UploadFile) and each.filename]
    return typed, [(each.filename or "", await each.read()) for each in found]


def _checked(request: Request, form: FormData) -> Typed:
    values = {name: value for name, value in form.items() if not isinstance(value, UploadFile)}
    check_token(site_of(request).secret, request, values.get("token"))
    return Typed(values)
