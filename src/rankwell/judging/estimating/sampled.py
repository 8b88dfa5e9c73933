"""Sample: the items to judge, drawn at random from the lists of runs, and the frame they were drawn from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from rankwell.display.result import Result
from rankwell.display.table import Column, Table
from rankwell.display.table_files import save
from rankwell.judging.estimating.designs import RULES
from rankwell.judging.estimating.frame import Frame
from rankwell.tables.csr import distinct

if TYPE_CHECKING:
    import polars as pl


class Drawn(NamedTuple):
    """An item to judge, its stratum (None without strata), and the probability with which it was drawn."""

    query: str | int
    item: str | int
    stratum: str | None
    propensity: float


@dataclass(frozen=True, eq=False, repr=False)
class Sample(Result):
    """A random sample of items to judge; made by ``sample``. ``frame`` holds all that could have been drawn."""

    _plural: ClassVar[str] = "samples"
    _texts: ClassVar[Mapping[str, str]] = {}  # estimates need the propensities, in a table

    frame: Frame
    design: str
    budget: int
    seed: int
    runs: tuple[str, ...]
    order: np.ndarray  # rows of the frame that were drawn, those of a query in random order

    def __len__(self) -> int:
        return len(self.order)

    def __iter__(self) -> Iterator[Drawn]:
        frame = self.frame
        assert frame.propensity is not None
        for row in self.order.tolist():
            stratum = None if frame.stratum is None else frame.strata[frame.stratum[row]]
            query = frame.queries.one(int(frame.query[row]))
            yield Drawn(query, frame.items.one(row), stratum, float(frame.propensity[row]))

    def to_frame(self) -> pl.DataFrame:
        """Return the items to judge as a frame: query, item, stratum, propensity; without strata, drawn, which is true, in place of stratum."""
        import polars as pl

        table = self._table(self.order)
        # query, item and propensity alone are what interactions have, too
        return table.with_columns(drawn=pl.lit(value=True)) if self.frame.stratum is None else table

    def whole_frame(self) -> pl.DataFrame:
        """Return all items that could have been drawn: query, item, stratum, propensity, and whether each was drawn."""
        import polars as pl

        assert self.frame.drawn is not None
        return self._table(np.arange(len(self.frame))).with_columns(pl.Series("drawn", self.frame.drawn))

    def _table(self, rows: np.ndarray) -> pl.DataFrame:
        import polars as pl

        frame = self.frame
        assert frame.propensity is not None
        columns: dict[str, Any] = {
            "query": frame.queries[frame.query[rows]].tolist(),
            "item": frame.items[rows].tolist(),
        }
        if frame.stratum is not None:
            columns["stratum"] = np.array(frame.strata)[frame.stratum[rows]].tolist()
        return pl.DataFrame({**columns, "propensity": frame.propensity[rows]})

    def save(self, path: str | Path, frame: str | Path | None = None) -> Path:  # type: ignore[override]  # there are two files
        """Write the items to judge to a table and the whole frame to another, and return the name of the latter.

        Estimates need the frame. By default it stands beside the items: ``sample.tsv`` has ``sample.frame.tsv``. Both are tables
        (``.tsv``, ``.csv``, ``.parquet`` …), by the suffix.

        Raises
        ------
        RankwellError
            If a suffix is of no format, or a file cannot be written.
        """
        other = frame_beside(path) if frame is None else Path(frame)
        for each in (path, other):
            self.suffix_of(each)
        save(self.whole_frame(), other)
        save(self.to_frame(), path)
        return other

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the rest of the frame as plain values."""
        words = "design", "budget", "seed", "runs"
        return {
            **{word: getattr(self, word) for word in words},
            "frame": len(self.frame),
            "queries": len(self.frame.queries),
            "items": [each._asdict() for each in self],
        }

    def summary(self) -> Table:
        """Return a table of the strata: how many items they have, and how many are drawn."""
        frame = self.frame
        assert frame.drawn is not None
        codes = np.zeros(len(frame), np.int64) if frame.stratum is None else frame.stratum
        names = frame.strata or ("",)
        sizes, drawn = (
            np.bincount(codes, minlength=len(names)),
            np.bincount(codes[frame.drawn], minlength=len(names)),
        )
        queries = [len(distinct(frame.query[codes == code])) for code in range(len(names))]
        columns = [
            Column("stratum"),
            Column("queries", "count"),
            Column("in the frame", "count"),
            Column("to judge", "count"),
        ]
        columns += [Column("share", "value")]
        rows = [
            (name, q, int(size), int(n), float(n / size))
            for name, q, size, n in zip(names, queries, sizes, drawn, strict=True)
        ]
        return Table(
            columns,
            rows,
            caption=f"A random sample of the items of {len(self.runs)} runs",
            notes=self.notes(),
        )

    def notes(self) -> list[str]:
        """Return the design, and what to do with the sample, as sentences."""
        notes = [
            f"{self.design}: {RULES[self.design]}",
            f"{len(self):,} items of {len(self.frame.queries):,} queries, {self.budget:,} per query where there are as many; seed {self.seed}",
            "judge all of them: an item that is left out makes the sample another; keep the frame, which estimates need",
        ]
        if self.design == "poisson":
            notes[1] = (
                f"{len(self):,} items of {len(self.frame.queries):,} queries, {self.budget:,} per query on average; seed {self.seed}"
            )
        return notes

    def tables(self) -> list[Table]:
        """Return the table of the strata."""
        return [self.summary()]

    def to_table(self) -> Table:
        """Return a table of the items to judge."""
        rows = [(str(each.query), str(each.item), each.stratum, each.propensity) for each in self]
        columns = [Column("query"), Column("item"), Column("stratum"), Column("propensity", "value")]
        return Table(columns, rows, caption="Items to judge")


def frame_beside(path: str | Path) -> Path:
    """Return the name of the frame beside a sample.

    >>> frame_beside("out/sample.tsv").as_posix()
    'out/sample.frame.tsv'
    """
    file = Path(path)
    return file.with_name(f"{file.stem}.frame{file.suffix}")
