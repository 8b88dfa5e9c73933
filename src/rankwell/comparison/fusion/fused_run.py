"""A fused run: its rows, how it was made, what each run gave, and how it is shown and saved."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwell.comparison.fusion.lessons import Learned
from rankwell.comparison.fusion.methods import FusionMethod, Norm
from rankwell.display.output import WRITERS, save, whole_file
from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table
from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.matching.policy import Policy
from rankwell.records import record
from rankwell.tables.lists import owners, places_of
from rankwell.tables.rows import Columns
from rankwell.tables.run_qrels import Run

if TYPE_CHECKING:
    import polars as pl


TREC = (".run", ".trec", ".txt")
SUFFIXES = (*TREC, *WRITERS)
BREAKS = r"\s|^$"  # what an id of TREC text cannot hold


def refuse_suffix(path: str | Path) -> None:
    """Raise UsageError if a file name does not end in the suffix of a format of runs."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(
            f"{path}: runs are written as {one_of(TREC)} (TREC text) or {one_of(WRITERS)}, by the suffix of the name."
            f"{nearest(suffix, SUFFIXES)}"
        )


def save_run(table: pl.DataFrame, path: str | Path, tag: str) -> None:
    """Write a run: columns query, item, rank and score, or TREC text with the tag in its last column.

    Raises
    ------
    RankwellError
        If the suffix is of no format, an id cannot stand in TREC text, or the file cannot be written.
    """
    refuse_suffix(path)
    if Path(path).suffix.lower() not in TREC:
        save(table, path)
        return
    import polars as pl

    for word in ("query", "item"):
        column = table[word].cast(pl.String)
        broken = column.filter(column.str.contains(BREAKS))
        if len(broken):
            raise DataError(
                f"{path}: the {word} id {brief(broken[0])} is empty or has white space, which separates the columns of TREC "
                f"text. Choose another format, such as .parquet or .csv."
            )
    lines = table.select(
        "query", pl.lit("Q0"), "item", "rank", "score", pl.lit("_".join(tag.split()) or "fused").alias("tag")
    )
    with whole_file(path) as whole:
        # quotes would become part of the ids: TREC text has none
        lines.write_csv(whole, separator=" ", include_header=False, quote_style="never")


LETTERS = {
    "N": "the number of lists that have the item",
    "w": "the weight of the run",
    "r": "its rank",
    "s": "its score",
    "n": "the length of the list",
    "c": "the number of items of the query in all lists",
}


@record
class FusedSource:
    """A run that was fused: how many queries it has and lacks, its rows, and its items that no other run has for their query."""

    name: str
    weight: float | None
    queries: int
    missing: int
    rows: int
    alone: int


@record(eq=False)
class FusionRecord:
    """How a run was made: method, normalisation (None for methods of ranks), the method's number, policy, and the runs."""

    method: FusionMethod
    norm: Norm | None
    number: float | None
    policy: Policy
    sources: tuple[FusedSource, ...]
    learned: Learned | None = None

    def notes(self) -> list[str]:
        """Return the definitions as sentences."""
        parameter = self.method.parameter
        number = f"; {parameter.name}={self.number:g}" if parameter and self.number is not None else ""
        notes = [f"{self.method.name}: {self.method.formula}{number}"]
        notes += [] if self.norm is None else [f"v: norm={self.norm.name}: {self.norm.formula}"]
        used = {*re.findall(r"\b[a-zA-Z]\b", " ".join(notes))}
        notes += ["; ".join(f"{letter}: {meaning}" for letter, meaning in LETTERS.items() if letter in used)]
        rules = self.policy.to_dict()
        words = ("ties", "ranks", "scores", "depth", "duplicates", "drop_own_query")
        return [*notes, "policy: " + " ".join(f"{word}={rules[word]}" for word in words if word in rules)]


class Fused(Result, Run):
    """A run made of other runs: it can be evaluated and saved, and prints how it was made.

    ``how`` holds the method, its settings, and what each run gave; ``learned`` what was learned from judgements, or None.
    """

    how: FusionRecord

    @classmethod
    def of(cls, rows: Columns, name: str, how: FusionRecord) -> Fused:
        """Return a run of these rows, in rank order."""
        run = cls.__new__(cls)
        run.name, run.rows, run.how = name, rows, how
        return run

    @property
    def learned(self) -> Learned | None:
        """What was learned from judgements, None if nothing was."""
        return self.how.learned

    @property
    def weights(self) -> dict[str, float] | None:
        """The weight of each run, as given; None if weights were learned (``learned.fits`` holds them) or the method has none."""
        weight_of = {source.name: source.weight for source in self.how.sources}
        return {name: weight for name, weight in weight_of.items() if weight is not None} or None

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the rows and how they were made."""
        return super().__getstate__() | {"how": self.how}

    def to_frame(self) -> pl.DataFrame:
        """Return the rows as a frame: query, item, rank, score."""
        import polars as pl

        from rankwell.readers.frames.in_memory import series_of_ids

        lists = self.rows.table().lists()
        queries = pl.Series(lists.queries.tolist()).gather(owners(lists.offsets))
        ranks = places_of(lists.offsets[1:] - lists.offsets[:-1])
        return pl.DataFrame(
            {"query": queries, "item": series_of_ids(lists.items), "rank": ranks, "score": lists.score}
        )

    def save(self, path: str | Path) -> None:
        """Write the run to a file: TREC text (``.run``, ``.trec``, ``.txt``) or a table (``.parquet``, ``.csv`` …), by its suffix.

        Raises
        ------
        RankwellError
            If the suffix is of no format, an id cannot stand in TREC text, or the file cannot be written.
        """
        save_run(self.to_frame(), path, self.name)

    def tables(self) -> list[Table]:
        """Return tables for people: what each run gave, and what was learned."""
        how = self.how
        columns = [Column("run"), Column("weight", "value")]
        columns += [
            Column(name, "count") for name in ("queries", "missing queries", "rows", "items of it alone")
        ]
        rows: list[tuple[Cell, ...]] = [
            (source.name, source.weight, source.queries, source.missing, source.rows, source.alone)
            for source in how.sources
        ]
        lists = len(self.rows.table().queries)
        caption = f"{self.name}: {len(self):,} items of {lists:,} queries, from {len(rows)} runs"
        tables = [Table(columns, rows, caption=caption, notes=how.notes())]
        return tables if how.learned is None else [*tables, how.learned.to_table()]
