"""The errors of rankwell: each says what is wrong, where, what is allowed, and the nearest name.

RankwellError
├── UsageError   (ValueError)    a name, parameter or argument that is unknown or invalid
├── DataError    (ValueError)    a run, qrels or table with invalid content; names the place
├── InputError   (OSError)       a file that cannot be read or written
└── NeededError  (LookupError)   a metric needs a table that was not given
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class RankwellError(Exception):
    """The base of all errors of rankwell; each is one clear sentence."""


class UsageError(RankwellError, ValueError):
    """An unknown or invalid name, parameter or argument."""


class DataError(RankwellError, ValueError):
    """Data that cannot be evaluated; the message names the file and line, or the query."""


class NothingInCommonError(DataError):
    """No query of the run is judged."""


class InputError(RankwellError, OSError):
    """A file that cannot be opened, read or written."""


class NeededError(RankwellError, LookupError):
    """A metric needs a table (items=, train= …) that was not given."""


def nearest(name: str, allowed: Iterable[str]) -> str:
    """Return ``" Did you mean X?"`` for the closest allowed name, or an empty string."""
    close = difflib.get_close_matches(name.lower(), list(allowed), n=1, cutoff=0.6)
    return f" Did you mean {close[0]}?" if close else ""


def one_of(allowed: Iterable[object]) -> str:
    """Join the allowed values as text: ``a, b or c``."""
    words = [str(value) for value in allowed]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
