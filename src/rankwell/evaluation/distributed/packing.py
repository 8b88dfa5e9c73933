"""What travels to groups and back: pickled and compressed, for counts of items take a tenth of the room, and Spark moves bytes slowly."""

from __future__ import annotations

import pickle
import zlib
from typing import Any

LEVEL = 1


def packed(found: Any) -> bytes:
    """Return bytes that ``unpacked`` makes the same of."""
    return zlib.compress(pickle.dumps(found, pickle.HIGHEST_PROTOCOL), LEVEL)


def packed_with_code(found: Any) -> bytes:
    """Return the same of what may hold classes and functions that only this program knows, such as a metric of one's own."""
    from pyspark import cloudpickle

    return zlib.compress(cloudpickle.dumps(found, pickle.HIGHEST_PROTOCOL), LEVEL)


def unpacked(blob: bytes) -> Any:
    """Return what was packed by a job of ours."""
    return pickle.loads(zlib.decompress(blob))  # noqa: S301 - written by our own job
