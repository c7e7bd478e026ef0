"""PNG as pixels: every filter that a row can have."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import numpy.typing as npt
import pytest

import gamemaster as gm
from gamemaster.bridges.pixels import pixels_of

Picture = npt.NDArray[np.uint8]


def predicted(kind: int, left: int, up: int, corner: int) -> int:
    """What a filter takes away, as the PNG specification says it."""
    nearest = min((left, up, corner), key=lambda near: abs(left + up - corner - near))  # the first of equals
    return (0, left, up, (left + up) // 2, nearest)[kind]


def png(picture: Picture, kinds: list[int], depth: int = 8) -> bytes:
    """A picture [height, width, channels] as PNG, with these filters of its rows."""
    height, width, channels = picture.shape
    wide = np.zeros((height + 1, width + 1, channels), np.int64)
    wide[1:, 1:] = picture
    lines = b""
    for y, kind in enumerate(kinds, 1):
        line = [
            (
                int(wide[y, x, c])
                - predicted(kind, wide[y, x - 1, c], wide[y - 1, x, c], wide[y - 1, x - 1, c])
            )
            % 256
            for x in range(1, width + 1)
            for c in range(channels)
        ]
        lines += bytes([kind, *line])
    header = struct.pack(">IIBBBBB", width, height, depth, {3: 2, 4: 6}[channels], 0, 0, 0)
    chunks = ((b"IHDR", header), (b"tEXt", b"a note"), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in chunks
    )


@pytest.mark.parametrize("channels", [3, 4])
def test_every_filter_is_undone(channels: int) -> None:
    picture = np.random.default_rng(1).integers(0, 256, (10, 7, channels), np.uint8)
    assert np.array_equal(pixels_of(png(picture, [*range(5)] * 2)), picture[:, :, :3])


def test_what_is_no_such_png_is_refused() -> None:
    with pytest.raises(gm.ParameterError, match=r"not a PNG of 8 bits a channel.*it begins with b'GIF89a'"):
        pixels_of(b"GIF89a")
    with pytest.raises(gm.ParameterError, match="not a PNG of 8 bits a channel"):
        pixels_of(png(np.zeros((1, 1, 3), np.uint8), [0], depth=16))
