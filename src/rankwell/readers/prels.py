"""TREC's stratified judgements (prels): lines of query, an ignored word, item, stratum and grade, -1 for what was not drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwell.errors import DataError
from rankwell.readers.files import File
from rankwell.readers.text import require_text
from rankwell.tables.places import Place

if TYPE_CHECKING:
    import polars as pl

COLUMNS = ("query", "ignored", "item", "stratum", "grade")


def read_prels(file: File) -> tuple[pl.DataFrame, Place]:
    """Return the columns of stratified judgements as text, and where each row stands.

    Raises
    ------
    DataError
        If a line has another number of columns.
    """
    import polars as pl

    require_text(file)
    text = file.content.tobytes().decode(errors="replace")
    numbered = [(at, line.split()) for at, line in enumerate(text.splitlines(), start=1) if line.strip()]
    lines = [at for at, _ in numbered]

    def place(row: int) -> str:
        return f"{file.label}:{lines[row]}"

    for row, (_, words) in enumerate(numbered):
        if len(words) != len(COLUMNS):
            hint = (
                " Judgements without strata need the frame of their sample; give it as frame=."
                if len(words) == len(COLUMNS) - 1
                else ""
            )
            raise DataError(
                f"{place(row)}: {len(words)} columns where stratified judgements have 5: query 0 item stratum grade.{hint}"
            )
    frame = pl.DataFrame([words for _, words in numbered], dict.fromkeys(COLUMNS, pl.String), orient="row")
    return frame.drop("ignored"), place
