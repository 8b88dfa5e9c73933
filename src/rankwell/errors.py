"""The errors of rankwell: each says what is wrong, where, what is allowed, and the nearest name.

RankwellError
├── UsageError   (ValueError)    a name, parameter or argument that does not exist or does not fit
│   └── NotInstalledError (ImportError)  a module for another package is imported without it
├── DataError    (ValueError)    a run, qrels or table with a wrong content; carries the place
│   └── ReaderError              a file at which the reader of its format failed with an error of its own
├── InputError   (OSError)       a file that cannot be read or written
└── NeededError  (LookupError)   a metric needs a table that was not given
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

BRIEF = 60
LONGEST_WORD, LONGEST = 300, 3_000  # of a message
LARGE = 128  # bits


class RankwellError(Exception):
    """The base of all errors of rankwell; each is one clear sentence, and quotes the beginning of what is long."""

    def __init__(self, *args: object) -> None:
        super().__init__(*(_readable(each) if isinstance(each, str) else each for each in args))


class UsageError(RankwellError, ValueError):
    """An unknown or invalid name, parameter or argument."""


class NotInstalledError(UsageError, ImportError):
    """A module that extends another package, and is imported where that is not installed."""


class NotAskedError(UsageError, KeyError):
    """A metric that results do not hold."""

    def __str__(self) -> str:
        return str(self.args[0])


class DataError(RankwellError, ValueError):
    """Data that cannot be evaluated; the message names the file and line, or the query."""


class NoRowsError(DataError):
    """A table holds no rows; a part of several may."""


class NothingInCommonError(DataError):
    """No query of the run is judged."""


class ReaderError(DataError):
    """The reader of a format failed with an error of its own (``__cause__``): at damaged data, or because it has a bug."""


class InputError(RankwellError, OSError):
    """A file that cannot be opened, read or written."""


class NeededError(RankwellError, LookupError):
    """A metric needs a table (items=, train= …) that was not given."""


class DataWarning(UserWarning):
    """Data that were evaluated, but look wrong: ids that do not meet, or scores that say nothing of the order."""


def brief(value: object) -> str:
    """Return a user's value for a message, as Python writes it; of a long one the beginning.

    Examples
    --------
    >>> brief("a"), len(brief("x" * 1_000_000)), brief(10**5000)
    ("'a'", 60, 'a number of about 5,000 digits')
    """
    if isinstance(value, int) and value.bit_length() > LARGE:  # Python refuses to write the largest ones
        return f"a number of about {value.bit_length() * math.log10(2):,.0f} digits"
    try:
        text = repr(value[:BRIEF] if isinstance(value, str | bytes) else value)
    except (ValueError, RecursionError):  # it holds such a number, or lists in lists in lists
        text = f"a {type(value).__name__}"
    if "\n" in text:  # a frame, of which a message is one line
        text = " ".join(text.split())
    return text if len(text) <= BRIEF else f"{text[: BRIEF - 1]}…"


def _readable(message: str) -> str:
    """The message with long words cut, and its middle left out if it is still long: it ends with the remedy."""
    if len(message) <= LONGEST_WORD:
        return message
    message = " ".join(
        word if len(word) <= LONGEST_WORD else f"{word[:BRIEF]}…{word[-5:]}" for word in message.split(" ")
    )
    half = LONGEST // 2
    return message if len(message) <= LONGEST else f"{message[:half]} … {message[-half:]}"


def nearest(name: object, allowed: Iterable[str]) -> str:
    """Return ``" Did you mean X?"`` for the closest allowed name, or an empty string."""
    # what is no text, and what is longer than any name, is near to none
    if not isinstance(name, str) or len(name) > LONGEST_WORD:
        return ""
    import difflib

    close = difflib.get_close_matches(name.lower(), list(allowed), n=1, cutoff=0.6)
    return f" Did you mean {close[0]}?" if close else ""


def one_of(allowed: Iterable[object]) -> str:
    """Join the allowed values as text: ``a, b or c``."""
    words = [str(value) for value in allowed]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def few_of(names: Sequence[str], most: int) -> str:
    """Join names as text, of many the first ones: ``a, b, …``."""
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")
