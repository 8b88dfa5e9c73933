"""Estimated: metrics estimated from a sample of judgements, with the two variances of each mean."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.display.html import in_notebook
from rankwell.display.table import Cell, Column, Table, number
from rankwell.errors import UsageError, brief, one_of
from rankwell.judging.estimating.frame import Frame, Judged
from rankwell.judging.estimating.means import Mean, Other
from rankwell.judging.saving import save_as, suffix_of
from rankwell.matching.policy import Policy
from rankwell.metrics import metric_of

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False, repr=False)
class Estimated:
    """Metrics of runs, estimated from a sample of judgements; made by ``estimate``."""

    rows: tuple[Mean, ...]
    beside: tuple[Other, ...]
    level: float
    frame: Frame
    judged: Judged
    counts: Counter[str]
    policy: Policy

    def __getitem__(self, key: tuple[Any, ...]) -> Mean:
        """Return the row of a run and a metric in any spelling, and perhaps an estimator; UsageError if it is not there."""
        if len(key) in (2, 3):
            run, metric, *estimator = key
            wanted = (run, str(metric_of(metric)), *estimator)
            for row in self.rows:
                if wanted == (row.run, row.metric, row.estimator)[: len(wanted)]:
                    return row
        named = [f"{row.run}, {row.metric}, {row.estimator}" for row in self.rows]
        raise UsageError(f"{brief(key)} is none of {one_of(named[:20])}.")

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs, in the order in which they were given."""
        return tuple(dict.fromkeys(row.run for row in self.rows))

    @property
    def sampled(self) -> int:
        """The number of items that were drawn and judged."""
        return int((~np.isnan(self.judged.grade)).sum())

    @property
    def per_query(self) -> pl.DataFrame:
        """A frame with a row per query, run, metric and estimator: value, standard error, judged, in the frame, outside of it."""
        import polars as pl

        judged = np.array([int(part.judged.sum()) for part in self.judged.parts])
        sizes = np.array([int(part.sizes.sum()) for part in self.judged.parts])
        queries = self.frame.queries.tolist()
        kept = [
            pl.DataFrame({"query": queries, "value": row.values, "se": np.sqrt(row.variances)}).select(
                "query",
                run=pl.lit(row.run),
                metric=pl.lit(row.metric),
                estimator=pl.lit(row.estimator),
                value="value",
                se="se",
                judged=pl.Series(judged),
                frame=pl.Series(sizes),
                outside=pl.Series(row.outside),
            )
            for row in self.rows
        ]
        return pl.concat(kept).with_columns(pl.col("value", "se").fill_nan(None))

    @property
    def strata(self) -> pl.DataFrame:
        """A frame with a row per query and stratum: how many items it has, and how many of them are judged."""
        import polars as pl

        rows: list[dict[str, Any]] = []
        for at, part in enumerate(self.judged.parts):
            own = self.frame.stratum
            low = int(self.frame.offsets[at])
            codes = None if own is None else np.unique(own[low : int(self.frame.offsets[at + 1])])
            rows += [
                {
                    "query": self.frame.queries.one(at),
                    "stratum": None if codes is None else self.frame.strata[codes[code]],
                    "frame": int(size),
                    "judged": int(n),
                }
                for code, (size, n) in enumerate(zip(part.sizes, part.drawn, strict=True))
            ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per mean."""
        import polars as pl

        return pl.DataFrame(self._plain(), infer_schema_length=None)

    def _plain(self) -> list[dict[str, Any]]:
        rows = []
        for row in self.rows:
            low, high = row.design_interval(self.level)
            low_queries, high_queries = row.query_interval(self.level)
            found = {
                "run": row.run, "metric": row.metric, "estimator": row.estimator, "value": row.value, "queries": row.queries,
                "undefined": row.undefined, "design_variance": row.design_variance, "low": low, "high": high,
                "query_variance": row.query_variance, "low_queries": low_queries, "high_queries": high_queries,
                "variance_unknown": row.unknown, "possible_bias": row.possible_bias, "unseen": row.unseen, "outside": int(row.outside.sum()),
            }  # fmt: skip
            rows.append({word: _defined(each) for word, each in found.items()})
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; undefined is None."""
        strata = self.strata.to_dicts()
        return {
            "level": self.level,
            "sampled": self.sampled,
            "frame": int(sum(part.sizes.sum() for part in self.judged.parts)),
            "counts": dict(+self.counts),
            "policy": self.policy.to_dict(),
            "rows": self._plain(),
            "beside": [{word: _defined(each) for word, each in row._asdict().items()} for row in self.beside],
            "strata": strata,
            "per_query": self.per_query.to_dicts(),
        }

    def to_json(self) -> str:
        """Return everything as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)

    def save(self, path: str | Path) -> None:
        """Write the means to a table (``.csv``, ``.parquet`` …), or everything to ``.json``, by the suffix.

        Raises
        ------
        RankwellError
            If the suffix is of no format, or the file cannot be written.
        """
        save_as(self, path, refuse_suffix(path))

    def notes(self) -> list[str]:
        """Return what the numbers mean and what they lack, as sentences."""
        from rankwell.judging.estimating.notes import notes_of

        return notes_of(self)

    def to_tables(self) -> list[Table]:
        """Return the estimates, and what the same judgements give without an estimator."""
        percent = f"{self.level * 100:g} %"
        columns = [Column("run"), Column("metric"), Column("estimator"), Column("estimate", "value")]
        columns += [Column("design variance", "value", digits=6), Column(f"{percent}, these queries")]
        columns += [
            Column("query variance", "value", digits=6),
            Column(f"{percent}, new queries"),
            Column("n", "count"),
        ]
        rows: list[tuple[Cell, ...]] = [
            (
                row.run, row.metric, row.estimator, _defined(row.value), _defined(row.design_variance), _bounds(row.design_interval(self.level)),
                _defined(row.query_variance), _bounds(row.query_interval(self.level)), row.queries,
            )
            for row in self.rows
        ]  # fmt: skip
        size = int(sum(part.sizes.sum() for part in self.judged.parts))
        caption = f"Estimates from {self.sampled:,} judged items of {size:,} in the frame, {len(self.frame.queries):,} queries"
        tables = [Table(columns, rows, caption=caption, notes=self.notes(), labels=3)]
        if self.beside:
            columns = [
                Column("run"),
                Column("metric"),
                Column("unjudged items"),
                Column("value", "value"),
                Column("n", "count"),
            ]
            others = [(*row[:3], _defined(row.value), row.queries) for row in self.beside]
            notes = [
                "computed from the judged items alone, without regard to how they were drawn: these estimate nothing"
            ]
            tables.append(
                Table(
                    columns, others, caption="The same judgements without an estimator", notes=notes, labels=3
                )
            )
        return tables

    def table_per_query(self) -> Table:
        """Return a table of the estimates of each query."""
        columns = [
            Column("query"),
            Column("run"),
            Column("metric"),
            Column("estimator"),
            Column("estimate", "value"),
        ]
        columns += [
            Column("standard error", "value"),
            Column("judged", "count"),
            Column("in the frame", "count"),
        ]
        columns += [Column("not in it", "count")]
        rows = [(str(row[0]), *row[1:]) for row in self.per_query.iter_rows()]
        notes = [
            "standard error: over samples of items; for single queries intervals of it hold the value less often than they say",
            "not in it: items of the list, within the cut-off, that are not in the frame",
        ]
        return Table(columns, rows, caption="Estimates of each query", notes=notes, labels=4)

    def __repr__(self) -> str:
        return "\n\n".join(table.to_text() for table in self.to_tables())

    def _repr_html_(self) -> str:
        return in_notebook(self.to_tables())


def refuse_suffix(path: str | Path) -> str:
    """Return the suffix of a file name; UsageError if it is that of no format of estimates."""
    return suffix_of(path, "estimates")


def _bounds(ends: tuple[float, float]) -> str:
    return " – ".join(map(number, ends)) if not math.isnan(ends[0]) else "–"


def _defined(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value
