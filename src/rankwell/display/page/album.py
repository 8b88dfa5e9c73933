"""Pictures of items: small copies of local files and data URIs, for a page that asks nothing of the network."""

from __future__ import annotations

import base64
import binascii
import io
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote_to_bytes

from rankwell.errors import UsageError, brief

SIDE = 144  # pixels: 72 on the page, sharp on a dense screen
MOST_EACH, MOST_TOGETHER = 30_000, 4_000_000  # bytes
MOST_READ, MOST_PIXELS = (
    32_000_000,
    64_000_000,
)  # bytes and pixels that a page may cost to open, whatever a small file claims to hold
ADDRESS = re.compile(r"\s*(https?:)?//", re.IGNORECASE)
MAGIC = re.compile(rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff|GIF8[79]a|RIFF....WEBP", re.DOTALL)
FORMATS = "PNG", "JPEG", "GIF", "WEBP"


@dataclass(eq=False)
class Album:
    """The thumbnails of a page, as data URIs, and why pictures were left out.

    ``side`` is the longest side of each in pixels, ``most_each`` and ``most_together`` are bytes.
    """

    folder: str | Path
    side: int = SIDE
    most_each: int = MOST_EACH
    most_together: int = MOST_TOGETHER
    pictures: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    size: int = 0

    def add(self, source: str) -> int | None:
        """Add a picture and return its number; None if it is left out."""
        if ADDRESS.match(source):
            self.left_out["address"] += 1
            return None
        content = _embedded(source) if source.startswith("data:") else self._read(source)
        if isinstance(content, str):
            self.left_out[content] += 1
            return None
        small = thumbnail(content, self.side) if MAGIC.match(content) else None
        if small is None or len(small) > self.most_each:
            self.left_out["no_picture"] += 1
            return None
        uri = f"data:image/webp;base64,{base64.b64encode(small).decode()}"
        if self.size + len(uri) > self.most_together:
            self.left_out["too_many"] += 1
            return None
        self.size += len(uri)
        self.pictures.append(uri)
        return len(self.pictures) - 1

    def _read(self, source: str) -> bytes | str:
        """The content of a file in the folder, or why there is none."""
        try:
            path = Path(self.folder, source).resolve()
            if not path.is_relative_to(Path(self.folder).resolve()):
                return "outside"
            if not path.is_file():  # a pipe would wait for somebody to write
                return "unreadable"
            with path.open("rb") as file:
                content = file.read(MOST_READ + 1)
        except (OSError, ValueError):
            return "unreadable"
        return content if len(content) <= MOST_READ else "no_picture"


def _embedded(source: str) -> bytes | str:
    """The content of a data URI."""
    head, _, body = source.partition(",")
    content = unquote_to_bytes(body)
    if not head.rstrip().endswith(";base64"):
        return content
    try:
        return base64.b64decode(content, validate=True)
    except binascii.Error:
        return "unreadable"


def thumbnail(content: bytes, side: int = SIDE) -> bytes | None:
    """Return a picture drawn again small, as WebP, with nothing else that its file held; None if it is damaged.

    Raises
    ------
    UsageError
        If Pillow is not installed.
    """
    try:
        from PIL import Image, ImageOps
    except ImportError as error:
        raise UsageError(
            f"pictures of items need Pillow: pip install 'rankwell[report]' ({brief(str(error))})."
        ) from error
    import struct
    import zlib

    webp = io.BytesIO()
    try:
        with Image.open(io.BytesIO(content), formats=FORMATS) as picture:
            if picture.width * picture.height > MOST_PIXELS:
                return None
            # a JPEG is decoded at an eighth to a half of its size, not below twice what is wanted, so that it stays sharp
            picture.draft("RGB", (2 * side, 2 * side))
            upright = ImageOps.exif_transpose(picture)
            upright = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
            upright.thumbnail((side, side))
            upright.info.clear()  # a colour profile would be written too
            upright.save(webp, "WEBP", quality=75, method=4)
    except (
        OSError,
        ValueError,
        SyntaxError,
        EOFError,
        KeyError,
        struct.error,
        zlib.error,
        Image.DecompressionBombError,
    ):
        return None  # all that Pillow raises for files that are damaged or made to do harm
    return webp.getvalue()
