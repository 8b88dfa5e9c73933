"""Redaction: ids that look like e-mail addresses or telephone numbers, and what is shown in place of ids and small groups."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from rankwell.errors import UsageError, brief
from rankwell.records import record
from rankwell.tables.ids import Ids

Word = Literal["query", "item"]
LEAST = 5  # queries of a group that is shown
SHORTEST_KEY = 16  # bytes
LENGTH = 12  # of base32: 60 bits, so that among a million ids two are alike once in two million times
SLASH = re.compile(r"[/\\]")
LOOKED_AT = 2_000  # ids, spread over the column
PHONES = 0.1  # the share from which numbers written like those of telephones are taken for some
EMAIL = re.compile(r"[^@\s<>]+@[^@\s<>]+\.[A-Za-z]{2,}")
PHONE = re.compile(
    r"\+\d[\d ().-]{6,18}\d"  # +82 10-1234-5678
    r"|\(?\d{2,4}\)?[ .-]\d{3,4}[ .-]\d{4}"  # (02) 123-4567
    r"|01[016789]\d{7,8}"  # 01012345678
)


def personal(ids: Ids) -> str:
    """Return what ids look like, ``e-mail addresses`` or ``telephone numbers``; empty if like neither.

    Examples
    --------
    >>> personal(Ids.of(["ada@example.org", "7"])), personal(Ids.of(["010-1234-5678"])), personal(Ids.of([1012345678]))
    ('e-mail addresses', 'telephone numbers', '')
    """
    if not ids.is_text or not len(ids):
        return ""
    rows = np.unique(np.linspace(0, len(ids) - 1, min(len(ids), LOOKED_AT)).astype(np.int64))
    texts = [str(ids.one(row)).strip() for row in rows.tolist()]
    if any(EMAIL.fullmatch(text) for text in texts):
        return "e-mail addresses"
    phones = sum(PHONE.fullmatch(text) is not None for text in texts)
    return "telephone numbers" if phones and phones >= PHONES * len(texts) else ""


def warn_of(ids: Ids, word: str, *, stacklevel: int = 3) -> None:
    """Warn who gives ids to others, if they look personal; ``stacklevel`` is that of the caller of the public function."""
    if kind := personal(ids):
        warnings.warn(
            f"the ids of {word} look like {kind}. With redact= ids are shown as hashes, and texts are left out.",
            stacklevel=stacklevel,
        )


@record(repr=False)
class Redaction:
    """The key with which ids are hashed (HMAC-SHA-256), and how many queries a group must have to be shown.

    The same id has the same hash under the same key; a query and an item with the same id have different ones.

    Examples
    --------
    >>> hidden = Redaction(b"sixteen bytes or more")
    >>> hidden.of("query", "ada@example.org"), hidden.of("item", "ada@example.org")
    ('q-t4jpc7gcgu5d', 'i-kpthbjnzt3kc')
    """

    key: bytes
    least: int = LEAST

    def of(self, word: Word, id_value: str | int) -> str:
        """Return what stands for an id of a query or an item."""
        import base64
        import hmac

        # NUL is in no id, so a query and an item never hash the same text; a key, as ids are few enough to be tried one by one
        text = f"{word}\0{id_value}".encode(errors="surrogatepass")
        digest = hmac.digest(self.key, text, "sha256")
        return f"{word[0]}-{base64.b32encode(digest)[:LENGTH].decode().lower()}"

    def ids(self, word: Word, ids: Ids) -> Ids:
        """Return what stands for each id of a column."""
        codes, firsts = ids.group()
        return Ids.of_strings([self.of(word, id_value) for id_value in ids[firsts].tolist()])[codes]

    def hides(self, sizes: Sequence[int]) -> np.ndarray:
        """Return which groups are not shown."""
        return hidden_groups(np.array(sizes, np.int64), self.least)

    def note(self, hidden: int) -> str:
        """Return what is said of groups that are not shown."""
        return f"{hidden:,} {'segment is' if hidden == 1 else 'segments are'} not shown, so that none has fewer than {self.least} queries"

    def command(self, text: str) -> str:
        """Return a command without the folders of its files, which may name people, and without e-mail addresses.

        Examples
        --------
        >>> Redaction(bytes(16)).command("rankwell report '/home/ada l/qrels.txt' new=runs/new.run")
        'rankwell report qrels.txt new=new.run'
        """
        import shlex

        try:
            words = shlex.split(text)
        except ValueError:
            return ""
        return shlex.join(EMAIL.sub("…", _without_folders(word)) for word in words)


def _without_folders(word: str) -> str:
    """A word of a command, of which only the name of the file is kept: of ``name=path`` the name too."""
    name, sign, path = word.partition("=")
    if sign and not SLASH.search(name):
        return name + sign + _without_folders(path)
    return SLASH.split(word.rstrip("/\\"))[-1]


def hidden_groups(sizes: np.ndarray, least: int) -> np.ndarray:
    """Return which groups are not shown: those below a size, and if these are few together the smallest of the others too.

    Otherwise the ones that are hidden could be worked out from the whole and the rest.

    Examples
    --------
    >>> hidden_groups(np.array([40, 3, 9]), 5).tolist(), hidden_groups(np.array([40, 3, 9, 4]), 5).tolist()
    ([False, True, True], [False, True, False, True])
    """
    hidden = sizes < least
    together = int(sizes[hidden].sum())
    if 0 < together < least and not hidden.all():
        hidden[np.flatnonzero(~hidden)[np.argmin(sizes[~hidden])]] = True
    return hidden


def redaction_of(redact: Any) -> Redaction | None:
    """Return the redaction that ``redact=`` asks for: none, with a random key (True), or with a key.

    UsageError if it is something else, or the key is too short.
    """
    if redact is None or redact is False:
        return None
    if isinstance(redact, Redaction):
        return redact
    if redact is True:
        import secrets

        return Redaction(secrets.token_bytes(2 * SHORTEST_KEY))
    if not isinstance(redact, bytes):
        raise UsageError(
            f"redact={brief(redact)}: must be True, or a key of at least {SHORTEST_KEY} bytes such as b'…'."
        )
    if len(redact) < SHORTEST_KEY:
        raise UsageError(
            f"redact=: the key has {len(redact)} bytes; it needs at least {SHORTEST_KEY}, such as those of "
            f"secrets.token_bytes({2 * SHORTEST_KEY})."
        )
    return Redaction(redact)
