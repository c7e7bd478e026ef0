"""PNG -> pixels, for those who make videos: the kind that draw/png.py makes, 8 bits a channel and not interlaced.

The picture is a line of bytes for each row, each behind the number of its filter: what was taken away from every byte
before they were compressed is added again (RFC 2083, chapter 6).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from gamemaster.errors import ParameterError

__all__ = ["pixels_of"]

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {2: 3, 6: 4}
"""How many bytes a pixel has, by the kind of picture: colours, and colours with opacity."""

Line = npt.NDArray[np.uint8]


def pixels_of(png: bytes) -> npt.NDArray[np.uint8]:
    """Red, green and blue [height, width, 3] of an opaque picture."""
    chunks = [*_chunks(png)] if png.startswith(SIGNATURE) else []
    header = next((content for kind, content in chunks if kind == b"IHDR"), bytes(13))
    width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", header)
    if depth != 8 or kind not in CHANNELS or interlaced:
        raise ParameterError(
            "not a PNG of 8 bits a channel in colours and without interlacing: it begins with "
            + repr(png[:30])
        )
    size = CHANNELS[kind]
    packed = b"".join(content for name, content in chunks if name == b"IDAT")
    lines = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * size)
    picture = np.zeros((height, width * size), np.uint8)
    above = np.zeros(width * size, np.uint8)
    for number, line in enumerate(lines):
        above = picture[number] = _unfiltered(int(line[0]), line[1:], above, size)
    return np.ascontiguousarray(picture.reshape(height, width, size)[:, :, :3])


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The parts of a PNG: kind and content."""
    place = len(SIGNATURE)
    while place < len(png):
        (length,) = struct.unpack_from(">I", png, place)
        yield png[place + 4 : place + 8], png[place + 8 : place + 8 + length]
        place += length + 12


def _unfiltered(kind: int, line: Line, above: Line, size: int) -> Line:
    """The bytes of a row, from the row above and the filter: none, left, up, mean or Paeth's."""
    if kind == 0:
        return line
    if kind == 1:
        return np.cumsum(line.reshape(-1, size), axis=0, dtype=np.uint8).reshape(-1)
    if kind == 2:
        return line + above
    predict = _mean if kind == 3 else _paeth
    found, upper = bytearray(size + len(line)), bytes(size) + above.tobytes()
    for place, byte in enumerate(line.tobytes()):
        guess = predict(found[place], upper[place + size], upper[place])
        found[place + size] = byte + guess & 255
    return np.frombuffer(bytes(found[size:]), np.uint8)


def _mean(left: int, up: int, corner: int) -> int:
    del corner
    return left + up >> 1


def _paeth(left: int, up: int, corner: int) -> int:
    """Whichever of the three is nearest to left + up - corner."""
    from_left, from_up, from_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
    if from_left <= from_up and from_left <= from_corner:
        return left
    return up if from_up <= from_corner else corner
