"""SQLite's full-text index FTS5, with its BM25 and Porter's stemmer; it comes with Python, and keeps its index in a file."""

from __future__ import annotations

import re
import sqlite3
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankwell.tables.collections import Documents


class FTS5:
    """BM25 of SQLite over title and text together.

    Parameters
    ----------
    path
        The file of the index; a new temporary one by default.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = str(path or Path(tempfile.mkdtemp(prefix="fts5-")) / "index.sqlite")

    def index(self, documents: Documents) -> None:
        """Write the index anew."""
        Path(self.path).unlink(missing_ok=True)
        self.open()
        with self.connection:
            self.connection.execute(
                "CREATE VIRTUAL TABLE texts USING fts5 (id UNINDEXED, text, tokenize='porter ascii')"
            )
            self.connection.executemany("INSERT INTO texts VALUES (?, ?)", documents)
        self.connection.execute("INSERT INTO texts (texts) VALUES ('optimize')")
        self.connection.commit()

    def open(self) -> None:
        """Open the index that is there."""
        self.connection = sqlite3.connect(self.path)

    def search(self, query: str, k: int) -> list[tuple[str, float]]:
        """Return the best documents that have any word of the query; FTS5's ranks are better the lower they are."""
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
        rows = self.connection.execute(
            "SELECT id, -rank FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?", (words, k)
        )
        return rows.fetchall() if words else []
