"""Values of JSON: the first one of a text, as far as its beginning shows it, and objects whose keys stand once."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

from rankwell.readers.bytes.text import BOM

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*("|\Z)|[\[\]{},]', re.DOTALL)
CLOSING = {"{": "}", "[": "]"}
DECODER = json.JSONDecoder()


class Twice(Exception):
    """A key that stands twice in one object."""


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of an object; Twice if a key is repeated."""
    members = dict(pairs)
    if len(members) < len(pairs):
        keys = [key for key, _ in pairs]
        raise Twice(next(key for key in keys if keys.count(key) > 1))
    return members


UNIQUE = json.JSONDecoder(object_pairs_hook=unique)


@lru_cache(maxsize=2)
def first_value(start: bytes) -> Any:
    """Return the first object or list of a text; what is cut off is left out. None if the text begins with neither.

    >>> first_value(b'{"took": 3, "hits": [{"_id": "d1", "_sc')
    {'took': 3, 'hits': [{'_id': 'd1'}]}
    """
    text = start.removeprefix(BOM).decode(errors="replace").lstrip()
    if not text.startswith(("{", "[")):
        return None
    try:
        return DECODER.raw_decode(text)[0]
    except (ValueError, RecursionError):
        return _of_cut(text)


def _of_cut(text: str) -> Any:
    """The value of a text that ends early: all before the last comma or opening bracket, closed there."""
    stack: list[str] = []
    last, closing = 0, tuple(stack)
    for token in TOKEN.finditer(text):
        sign = token[0][0]
        if sign == '"':
            if not token[1]:
                break  # the end of this text is missing
        elif sign in CLOSING:
            stack.append(CLOSING[sign])
            last, closing = token.end(), tuple(stack)
        elif sign == ",":
            last, closing = token.start(), tuple(stack)
        elif stack:
            stack.pop()
    try:
        return json.loads(text[:last] + "".join(reversed(closing)))
    except (ValueError, RecursionError):
        return None
