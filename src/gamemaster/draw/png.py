"""SVG -> PNG, by a renderer that comes as a wheel of its own: `pip install 'gamemaster[png]'`.

It knows no style sheets with variables, so drawings for it are of one theme. Words need a font on the system.
"""

from __future__ import annotations

from gamemaster.draw.svg import checked_size
from gamemaster.errors import NotInstalled

__all__ = ["png_of"]


def png_of(svg: str, size: int | None = None) -> bytes:
    """The pixels of a drawing of one theme; `size` is its width, where it is not the drawing's own."""
    try:
        import resvg_py
    except ImportError:
        raise NotInstalled("PNG needs a renderer: pip install 'gamemaster[png]'; SVG needs none") from None
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, width=checked_size(size) if size else None))
